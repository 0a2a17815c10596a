"""`Network`: an evaluator with the eyes of the mover, the units of the game, and the same bits for the same question."""

import os
import re
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch

import playout
from playout import Search
from playout.errors import FileError, PlayoutError
from playout.learning.network import Network
from playout.learning.network.file import read_head
from playout.learning.network.needs import torch_device
from playout.learning.network.network import returns_seen, softmax
from playout.learning.network.settings import NetworkSettings
from playout.learning.network.train import Trainer
from tests.engine.test_rewards import game as race
from tests.engine.trees import ROWS, same_bits
from tests.learning.network.standin import Bytes

ROOT = Path(__file__).parents[3]


def network(spec="tic-tac-toe", seed=1, kind="flat", shape=(24,), **words):
    game = playout.load(spec)
    return Network(game, encoding=Bytes(game, kind, shape), seed=seed, device="cpu", compiled=False, **words)


def positions(game, count=6):
    state, found = game.start(1), []
    while len(found) < count and not state.over:
        found.append(state)
        state = state.play(state.legal[len(found) % len(state.legal)])
    return found


def stacked(states):
    return np.concatenate([state.copy_array() for state in states])


class Telling(torch.nn.Module):
    """Says what is asked of it: logits by action, the viewer's own value first, then those of the next players."""

    def __init__(self, actions, values):
        super().__init__()
        self.values = torch.nn.Parameter(torch.tensor(values))
        self.actions = actions

    def forward(self, x):
        logits = torch.arange(float(self.actions)).repeat(len(x), 1)
        return logits, self.values.repeat(len(x), 1)


def test_values_are_of_players_and_in_the_units_of_the_game():
    game = playout.load("treasure")
    assert game.players == 3
    net = Network(
        game, Telling(game.actions, [1.0, 0.0, -0.5]), encoding=Bytes(game), returns=(0.0, 40.0), device="cpu", compiled=False
    )
    states = positions(game)
    priors, values = net.evaluate(stacked(states))
    assert {state.mover for state in states} == {0, 1, 2}, "or the test would say nothing"
    for state, found in zip(states, values, strict=True):
        told = {state.mover: 40.0, (state.mover + 1) % 3: 20.0, (state.mover + 2) % 3: 10.0}
        assert found.tolist() == [told[player] for player in range(3)]
    assert np.allclose(priors.sum(axis=1), 1) and np.all(np.diff(priors[0]) > 0)
    movers = net.movers(stacked(states))
    assert np.allclose(net.absolute(net.relative(values, movers), movers), values)


def test_a_share_is_of_the_legal_actions():
    game = playout.load("tic-tac-toe")
    net = Network(game, Telling(9, [0.5, -0.5]), encoding=Bytes(game), device="cpu", compiled=False)
    shares, values = net.look(game.start().replay(["a1", "b2"]))
    assert 0 not in shares and 4 not in shares and abs(sum(shares.values()) - 1) < 1e-12
    assert shares[8] / shares[7] == pytest.approx(np.e) and values == (0.5, -0.5)


def test_what_is_unlikely_is_not_impossible():
    shares = softmax(np.array([[0.0, -300.0, -300.0 - np.log(2)]], np.float32))
    assert shares[0, 2] > 0 and shares[0, 1] / shares[0, 2] == pytest.approx(2, rel=1e-4)


def test_the_same_seed_and_batch_give_the_same_bits():
    states = stacked(positions(playout.load("tic-tac-toe")))
    for kind, shape in (("flat", (24,)), ("planes", (2, 3, 4)), ("tokens", (6, 4))):
        one, two = network(kind=kind, shape=shape), network(kind=kind, shape=shape)
        other = network(kind=kind, shape=shape, seed=2)
        assert [a.tobytes() for a in one.evaluate(states)] == [a.tobytes() for a in two.evaluate(states)]
        assert one.evaluate(states)[0].tobytes() != other.evaluate(states)[0].tobytes()


def test_a_search_goes_by_it_with_the_same_bits():
    searches = [
        Search("tic-tac-toe", evaluator=network(kind="planes", shape=(2, 3, 4)), batch=8, seed=3, compiled=False) for _ in "ab"
    ]
    decisions = [search.run(simulations=100) for search in searches]
    assert same_bits(*searches)
    assert decisions[0].settings.rule == "puct" and decisions[0].valued > 50
    assert "a leaf that the network valued" in decisions[0].note
    priors = network(kind="planes", shape=(2, 3, 4)).look(playout.load("tic-tac-toe").start())[0]
    assert {a.action: a.prior for a in decisions[0].actions} == pytest.approx(priors)


@pytest.mark.parametrize("spec", ["leduc-poker", ROWS + ":dice=1", "treasure", "scoundrel"])
def test_hidden_cards_dice_and_three_players(spec):
    net = network(spec, shape=(300,))
    decision = Search(net.game, evaluator=net, batch=4, seed=1, compiled=False).run(simulations=24)
    assert decision.valued > 0 and decision.action in decision.state.legal


def test_another_reward_is_what_its_values_are_of_and_what_the_search_goes_by(tmp_path):
    game, module = race(compiled=False), Telling(3, [0.5, -0.5])
    net = Network(game, module, encoding=Bytes(game), reward="win", device="cpu")
    assert net.look(game.start())[1] == (0.75, 0.25) and net.returns == (0.0, 1.0)
    search = Search(game, evaluator=net, batch=2)
    assert search.settings.reward == "win" and search.run(simulations=30).action == 0
    again = Network.load(net.save(tmp_path / "a"), game, module=module, encoding=net.encoding, device="cpu")
    assert (again.reward, again.returns) == ("win", (0.0, 1.0))
    with pytest.raises(PlayoutError) as error:
        Search(game, playout.Settings(rule="puct"), evaluator=net)
    assert (
        str(error.value) == "the search goes by the returns of the game, and its evaluator values the reward win; pass reward=win"
    )
    plain = Network(game, module, encoding=Bytes(game), device="cpu")
    assert Search(game, evaluator=plain, batch=2).run(simulations=30).action == 1
    with pytest.raises(PlayoutError) as error:
        Search(game, evaluator=plain, reward="win")
    assert (
        str(error.value)
        == "the search goes by the reward win, and its evaluator values the returns of the game; leave reward out"
    )
    with pytest.raises(PlayoutError, match="^reward is 'wins'; did you mean 'win'"):
        Network(game, reward="wins", encoding=Bytes(game))
    low, high = Network(game, module, encoding=Bytes(game), reward="greed", device="cpu").returns
    assert low < 0 and high > 8, "nobody says how far greed goes, so random play is looked at"


def test_evaluation_follows_training():
    net, states = network(kind="planes", shape=(2, 3, 4)), stacked(positions(playout.load("tic-tac-toe")))
    before = net.evaluate(states)
    net.module.train()
    logits, values = net.module(torch.from_numpy(net.encoding(states, net.movers(states))))
    (logits.square().sum() + values.sum()).backward()
    with torch.no_grad():
        for part in net.module.parameters():
            part -= 0.1 * part.grad
    after = net.evaluate(states)
    assert not np.allclose(before[1], after[1])
    assert net.module.training, "whoever trains is left training"
    with torch.no_grad():
        net.module.heads.values.bias.data.add_(1.0)
    assert np.array_equal(net.evaluate(states)[1], after[1]), "changed behind torch's back"
    net.refresh()
    assert not np.allclose(net.evaluate(states)[1], after[1])


@pytest.mark.parametrize(("kind", "shape"), [("planes", (2, 3, 4)), ("tokens", (6, 4)), ("flat", (24,))])
def test_the_order_of_planes_in_memory_changes_nothing_but_the_speed(kind, shape):
    """On a processor, too, a tower is asked and trained with the planes of a cell side by side; what it says stays what its module says."""
    net, states = network(kind=kind, shape=shape), stacked(positions(playout.load("tic-tac-toe")))
    x = net.encoding(states, net.movers(states))
    with torch.inference_mode():
        plain = net.module.eval()(torch.from_numpy(x))
    for told, meant in zip(net.ask(x), plain, strict=True):
        assert np.allclose(told, meant.numpy(), atol=1e-5)
    beside = {"memory_format": torch.channels_last}
    for module in (net.evaluating(), Trainer(net, NetworkSettings()).module):
        weights = [part for part in module.parameters() if part.dim() == 4 and part.shape[1] > 1]
        assert bool(weights) == (kind == "planes") and all(part.is_contiguous(**beside) for part in weights)
    assert not any(part.dim() == 4 and not part.is_contiguous() for part in net.module.parameters()), "files keep the plain order"


@pytest.mark.parametrize(("kind", "shape"), [("planes", (2, 3, 4)), ("tokens", (6, 4)), ("flat", (24,))])
def test_half_precision_is_nearly_the_same(kind, shape):
    """What a GPU does unless told otherwise; what is trained stays as it is."""
    full, half = (network(kind=kind, shape=shape, precision=name) for name in ("float32", "bfloat16"))
    states = stacked(positions(full.game))
    for one, two in zip(full.evaluate(states), half.evaluate(states), strict=True):
        assert np.allclose(one, two, atol=0.02) and not np.array_equal(one, two)
    assert {part.dtype for part in half.module.parameters()} == {torch.float32}
    own = Network(full.game, full.module, encoding=full.encoding, precision="bfloat16", device="cpu", compiled=False)
    assert np.allclose(own.evaluate(states)[1], full.evaluate(states)[1], atol=0.02)
    with pytest.raises(PlayoutError, match="^precision is 'float16'; did you mean 'bfloat16' or 'float32'\\?$"):
        network(precision="float16")


def test_torch_keeps_its_threads_and_uses_one():
    net, seen = network(), []
    net.module.register_forward_pre_hook(lambda *_: seen.append(torch.get_num_threads()))
    states, before = stacked(positions(net.game)), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        net.evaluate(states)
        assert torch.get_num_threads() == 2 and seen == [1]
    finally:
        torch.set_num_threads(before)


def test_many_threads_may_ask_at_once():
    net = network()
    states = stacked(positions(net.game))
    expected, found = net.evaluate(states)[1].tobytes(), []
    askers = [
        threading.Thread(target=lambda: found.extend(net.evaluate(states)[1].tobytes() for _ in range(20))) for _ in range(4)
    ]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert found == [expected] * 80


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_goes_on_asking():
    """Threads that torch had started would be missing there, and waited for: with threads=2 this hangs."""
    net = network(kind="planes", shape=(2, 3, 4), size="medium")
    states = stacked(positions(net.game)).repeat(50)
    torch.set_num_threads(2)
    told = net.evaluate(states)[1].tobytes()
    child = os.fork()
    if child == 0:
        os._exit(0 if net.evaluate(states)[1].tobytes() == told else 3)
    for _ in range(400):
        done, code = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the forked process hangs")
    assert os.waitstatus_to_exitcode(code) == 0


def test_devices():
    assert torch_device("cpu").type == "cpu"
    assert torch_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(PlayoutError, match="^device is 'gpu'; "):
        torch_device("gpu")
    with pytest.raises(PlayoutError, match="^device is 'cpu:1'; "):
        torch_device("cpu:1")


def test_no_gpu_is_said(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert torch_device("auto").type == "cpu"
    with pytest.raises(PlayoutError) as error:
        network().__class__("tic-tac-toe", device="cuda")
    assert str(error.value) == "device is 'cuda', and torch finds no GPU here; use device cpu or auto"


@pytest.mark.parametrize("package", ["torch", "safetensors"])
def test_without_the_extra_there_is_a_sentence(package, monkeypatch, tmp_path):
    net = network()
    for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(PlayoutError) as error:
        network() if package == "torch" else net.save(tmp_path / "a.net")
    assert str(error.value) == f"a network needs {package}, which is not installed: pip install 'playout[neural]'"


def test_real_vectors_have_no_ids():
    with pytest.raises(PlayoutError) as error:
        Network("loss-1d")
    assert str(error.value) == "a network has an output for every action id, and actions of 'loss-1d' are real vectors"


def test_a_game_that_does_not_say_its_returns_is_looked_at():
    game = playout.load("treasure")
    low, high = returns_seen(game)
    shown = [value for state in positions(game, 100) for value in state.returns]
    assert low <= min(shown) and high >= max(shown) and returns_seen(game) == (low, high)


# modules of one's own


def test_the_example_of_a_module_of_ones_own_runs(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import your_own_network

    decision = your_own_network.main(games=6, steps=40, simulations=48, compiled=False)
    words = capsys.readouterr().out
    before, after = (float(number) for number in re.findall(r"values: ([\d.]+) before, ([\d.]+) after", words)[0])
    assert after < 0.8 * before and decision.valued > 0 and "The network gave " in words


class Wrong(torch.nn.Module):
    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def forward(self, x):
        return self.answer(x)


SHAPES = "return (logits, values), of shapes (n, 9) and (n, 2), for x of shape ('n', 24)"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda x: x, f"module Wrong returned Tensor; {SHAPES}"),
        (lambda x: (x[:, :9], x[:, :1]), f"module Wrong returned shapes (2, 9) and (2, 1) for two states; {SHAPES}"),
        (
            lambda x: x.nothing,
            f"module Wrong fails on two states (AttributeError: 'Tensor' object has no attribute 'nothing'); {SHAPES}",
        ),
    ],
)
def test_a_module_that_answers_wrongly_is_refused_at_once(answer, told):
    game = playout.load("tic-tac-toe")
    with pytest.raises(PlayoutError) as error:
        Network(game, Wrong(answer), encoding=Bytes(game), device="cpu", compiled=False)
    assert str(error.value) == told


def test_a_class_is_no_module():
    game = playout.load("tic-tac-toe")
    with pytest.raises(PlayoutError, match="^module is a type; give a torch.nn.Module, made and not only its class$"):
        Network(game, Telling, encoding=Bytes(game), compiled=False)


def test_a_module_of_ones_own_is_kept_by_its_weights(tmp_path):
    game, file = playout.load("tic-tac-toe"), str(tmp_path / "own.net")
    encoding = Bytes(game)
    Network(game, Telling(9, [0.25, -0.75]), encoding=encoding, device="cpu", compiled=False).save(file)
    assert read_head(file).module == "tests.learning.network.test_network.Telling" and read_head(file).shape == "own"
    found = Network.load(file, module=Telling(9, [0.0, 0.0]), encoding=encoding, device="cpu", compiled=False)
    assert found.look(game.start())[1] == (0.25, -0.75)
    with pytest.raises(FileError) as error:
        Network.load(file, encoding=encoding, compiled=False)
    assert str(error.value) == (
        f"network file {file!r} holds weights of a module of your own, tests.learning.network.test_network.Telling; pass it: "
        "Network.load(file, module=...)"
    )
    other = Telling(9, [0.0, 0.0])
    other.more = torch.nn.Linear(1, 1)
    with pytest.raises(FileError) as error:
        Network.load(file, module=other, encoding=encoding, device="cpu", compiled=False)
    assert str(error.value) == (
        f"network file {file!r} does not fit the module Telling: more.bias is not there, and the module has shape (1,)"
    )


@pytest.mark.compiles
def test_compiled_rules_give_the_same_bits():
    game = playout.load("tic-tac-toe")
    states = stacked(positions(game))
    found = [Network(game, seed=1, device="cpu", compiled=compiled).evaluate(states) for compiled in (True, False)]
    assert [a.tobytes() for a in found[0]] == [a.tobytes() for a in found[1]]
