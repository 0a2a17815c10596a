"""`Captured` with a device that only pretends: what is recorded, what is filled up, which weights answer, and what happens when it fails."""

import contextlib
from operator import methodcaller

import numpy as np
import pytest
import torch

import playout
from playout.learning.network import Network, graphs
from playout.learning.network.graphs import Captured, bucket
from tests.learning.network.standin import Bytes


class Mark:
    def __init__(self):
        self.waited = 0

    def synchronize(self):
        self.waited += 1


class Pretended:
    """Records as a GPU does: the same places in memory are read and written every time; nothing is looked up anew."""

    def __init__(self, fails_at=0):
        self.device, self.fails_at = torch.device("cpu"), fails_at
        self.recorded, self.played, self.marks, self.followed = [], [], [], []

    here = staticmethod(contextlib.nullcontext)

    def host(self, *shape):
        return torch.full(shape, torch.nan)

    def mark(self):
        self.marks.append(Mark())
        return self.marks[-1]

    def follow(self, mark):
        self.followed.append(mark)

    def record(self, answer):
        self.recorded.append(answer)
        if len(self.recorded) == self.fails_at:
            raise RuntimeError("no room\nat all")
        found = answer()

        def play():
            for to, part in zip(found, answer(), strict=True):
                to.copy_(part)
            self.played.append(len(found[0]))

        return found, play


def network(kind="flat", shape=(24,), gpu=None):
    """A network on the CPU; with a GPU that only pretends, one that records."""
    game = playout.load("tic-tac-toe")
    made = Network(game, encoding=Bytes(game, kind, shape), seed=1, device="cpu", compiled=False)
    if gpu is not None:
        made._captured = Captured(made.evaluating(), made.prepare, shape, gpu)
    return made


def questions(count, shape=(24,), seed=1):
    return np.random.default_rng(seed).random((count, *shape), np.float32)


def near(one, two):
    return all(np.allclose(a, b, atol=1e-6) and a.shape == b.shape and a.dtype == b.dtype for a, b in zip(one, two, strict=True))


def change(network):
    with torch.no_grad():
        for part in network.module.parameters():
            part.mul_(1.5)


def test_batches_are_filled_up_to_powers_of_two():
    assert [bucket(count) for count in (1, 64, 65, 2048, 2049, 16_384)] == [64, 64, 128, 2048, 4096, 16_384]
    assert bucket(0) == 0 and bucket(16_385) == 0
    assert bucket(64, graphs.MOST_BYTES // 64) == 64 and bucket(65, graphs.MOST_BYTES // 64) == 0


@pytest.mark.parametrize("kind, shape", [("flat", (24,)), ("planes", (3, 3, 3)), ("tokens", (4, 6))])
def test_recorded_answers_are_the_plain_ones(kind, shape):
    gpu = Pretended()
    recorded, plain = network(kind, shape, gpu), network(kind, shape)
    for count in (3, 64, 70, 5):
        assert near(recorded.ask(questions(count, shape)), plain.ask(questions(count, shape)))
    assert len(gpu.recorded) == 2 and gpu.played == [64, 64, 128, 64]


def test_rows_beyond_the_batch_are_zeros_whatever_lay_there_before():
    made = network(gpu=Pretended())
    for count in (60, 5, 30, 7):
        made.ask(questions(count))
        asked = made._captured._recordings[64]._asked
        assert np.array_equal(asked[:count].numpy(), questions(count)) and not asked[count:].any()


def test_two_answers_are_waited_for_at_once_and_out_of_turn():
    made, plain = network(gpu=Pretended()), network()
    first, second, third = (made.ask_later(questions(40, seed=seed)) for seed in (1, 2, 3))
    for heard, seed in ((third, 3), (first, 1), (second, 2)):
        assert near(heard(), plain.ask(questions(40, seed=seed)))


def test_a_buffer_is_written_again_only_after_it_was_read():
    gpu = Pretended()
    made = network(gpu=gpu)
    for _ in range(2):
        made.ask_later(questions(9))
    assert [mark.waited for mark in gpu.marks] == [0, 0, 0, 0]
    made.ask_later(questions(9))
    assert [mark.waited for mark in gpu.marks[:4]] == [1, 0, 0, 0], "the first buffer's copy alone"
    assert gpu.followed == [gpu.marks[1], gpu.marks[3]], "each question after the whole of the one before"


@pytest.mark.parametrize("kind, shape", [("flat", (24,)), ("planes", (3, 3, 3))])
def test_new_weights_are_written_over_the_old_ones(kind, shape):
    gpu = Pretended()
    made, plain = network(kind, shape, gpu), network(kind, shape)
    before, module = made.ask(questions(9, shape)), made._asked
    places = [part.data_ptr() for part in module.parameters()]
    change(made)
    change(plain)
    assert near(made.ask(questions(9, shape)), plain.ask(questions(9, shape)))
    assert not near(made.ask(questions(9, shape)), before)
    assert made._asked is module and [part.data_ptr() for part in module.parameters()] == places and len(gpu.recorded) == 1


def test_numbers_and_layout_stay_when_weights_change():
    layer, prepare = torch.nn.Conv2d(4, 4, 3), methodcaller("to", torch.bfloat16, memory_format=torch.channels_last)
    captured = Captured(prepare(torch.nn.Sequential(layer)), prepare, (4, 3, 3), Pretended())
    made = torch.nn.Sequential(torch.nn.Conv2d(4, 4, 3)).to(torch.bfloat16)
    assert captured.take(made) is captured.module
    weight = captured.module[0].weight
    assert torch.equal(weight, made[0].weight) and weight.dtype == torch.bfloat16
    assert weight.is_contiguous(memory_format=torch.channels_last) and not made[0].weight.is_contiguous(
        memory_format=torch.channels_last
    )


def test_a_module_of_another_make_is_asked_the_plain_way_from_then_on():
    gpu = Pretended()
    made, wider = (
        network(gpu=gpu),
        Network("tic-tac-toe", encoding=network().encoding, size="medium", device="cpu", compiled=False),
    )
    made.ask(questions(9))
    made.module = wider.module
    assert near(made.ask(questions(9)), wider.ask(questions(9)))
    change(made)
    assert near(made.ask(questions(9)), wider.ask(questions(9)))
    assert made._captured.failed == "the module was replaced by one of another make" and len(gpu.played) == 1


def test_what_cannot_be_recorded_is_asked_the_plain_way_and_never_tried_again():
    gpu = Pretended(fails_at=2)
    made, plain = network(gpu=gpu), network()
    early = made.ask_later(questions(9))
    for count in (100, 9, 300):
        assert all(np.array_equal(a, b) for a, b in zip(made.ask(questions(count)), plain.ask(questions(count)), strict=True))
    change(made)
    assert near(early(), plain.ask(questions(9))), "an answer that was on its way"
    change(plain)
    assert near(made.ask(questions(9)), plain.ask(questions(9)))
    assert made._captured.failed == "no room" and len(gpu.recorded) == 2 and gpu.played == [64]


def test_large_empty_and_wrong_batches_go_the_plain_way(monkeypatch):
    monkeypatch.setattr(graphs, "MOST", 64)
    gpu = Pretended()
    made, plain = network(gpu=gpu), network()
    assert near(made.ask(questions(65)), plain.ask(questions(65)))
    assert made.ask(questions(0))[0].shape == (0, 9)
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        made.ask(questions(3, (23,)))
    assert not gpu.recorded and not made._captured.failed


def test_a_processor_records_nothing():
    made = network()
    made.ask(questions(9))
    assert made._captured is None
