"""On a real device (`make test-gpu`): a network whose passes are recorded says what it says the plain way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import playout
from playout.learning.network import Network
from tests.learning.network.standin import Bytes

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU that torch finds")]

KINDS = (("planes", (3, 6, 7)), ("tokens", (8, 12)), ("flat", (48,)))
Answer = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def network(kind: str, shape: tuple[int, ...], precision: str) -> Network:
    game = playout.load("connect-four")
    return Network(game, encoding=Bytes(game, kind, shape), seed=1, device="cuda", precision=precision, compiled=False)


def plainly(network: Network, x: Any) -> Answer:
    """The answer without any recording, by the same module."""
    kept, network._captured = network._captured, None
    asked = network.evaluating()
    with torch.inference_mode():
        logits, values = asked(network.prepare(torch.from_numpy(x).to(network.device)))[:2]
    network._captured = kept
    return logits.float().cpu().numpy(), values.float().cpu().numpy()


@pytest.mark.parametrize("precision, off", [("float32", 1e-2), ("bfloat16", 6e-2)])
@pytest.mark.parametrize("kind, shape", KINDS)
def test_recorded_answers_are_the_plain_ones(kind: str, shape: tuple[int, ...], precision: str, off: float) -> None:
    rng, made = np.random.default_rng(1), network(kind, shape, precision)
    batches = [rng.random((count, *shape), np.float32) for count in (2048, 2048, 1000, 7, 64, 3000, 2000)]

    def same(heard: Callable[[], Answer], x: Any) -> list[Answer]:
        found, wanted = heard(), plainly(made, x)
        for one, two in zip(found, wanted, strict=True):
            # Another number of rows may choose another kernel, so the last bits of short numbers may differ.
            assert one.shape == two.shape and one.dtype == two.dtype == np.float32
            assert np.abs(one - two).max() < off * np.abs(two).max()
        return [found]

    before = [answer for x in batches for answer in same(made.ask_later(x), x)]
    # All of them on their way at once, heard in another order than they were asked.
    waiting = [made.ask_later(x) for x in batches]
    again = [heard() for heard in reversed(waiting)][::-1]
    assert all(np.array_equal(a, b) for one, two in zip(before, again, strict=True) for a, b in zip(one, two, strict=True))
    recordings = dict(made._captured._recordings)
    assert made._captured.failed == "" and sorted(recordings) == [64, 1024, 2048, 4096]

    early = made.ask_later(batches[0])
    with torch.no_grad():
        for part in made.module.parameters():
            part.mul_(1.5)
    for x, old in zip(batches, before, strict=True):
        [(logits, _)] = same(made.ask_later(x), x)
        assert np.abs(logits - old[0]).max() > 0.3 * np.abs(old[0]).max(), "new weights answer"
    assert all(np.array_equal(a, b) for a, b in zip(early(), before[0], strict=True)), (
        "asked before, answered by the weights of then"
    )
    assert made._captured.failed == "" and made._captured._recordings == recordings, "by the recordings that were there"


def test_a_batch_too_large_to_record_is_asked_the_plain_way() -> None:
    made = network("flat", (48,), "float32")
    x = np.random.default_rng(2).random((16_385, 48), np.float32)
    assert all(np.array_equal(a, b) for a, b in zip(made.ask(x), plainly(made, x), strict=True))
    assert not made._captured._recordings
