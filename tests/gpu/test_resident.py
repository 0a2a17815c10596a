"""On a real device (`make test-gpu`): searches of self-play whose trees stay on the device find what those on the cores find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import playout
from playout.compile.cuda import simulated, why_not
from playout.learning.network.network import Network
from playout.learning.network.resident import Resident
from playout.learning.network.selfplay import SelfPlay
from playout.learning.network.settings import NetworkSettings
from playout.learning.network.stand import InRows
from playout.learning.network.watched import Watched

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.compiles,
    pytest.mark.skipif(bool(why_not()) or simulated() or not torch.cuda.is_available(), reason=f"no GPU: {why_not()}"),
]


def self_play(name: str, games: int, simulations: int, precision: str = "float32") -> SelfPlay:
    game = playout.load(name)
    watched = Watched(Network(game, size="small", device="cuda", seed=3, precision=precision))
    return SelfPlay(game, watched, NetworkSettings(abreast=games, simulations=simulations), 1)


def lessons(play: SelfPlay, count: int) -> Any:
    """What searches of the first positions find."""
    every = np.arange(count)
    play._new(every)
    play._settle(every, [])
    play._search(every)
    while not (done := play._stand.ended(every)).all():
        play._stand.round(every[~done])
    return play._stand.lessons(every)


@pytest.mark.parametrize("name", ["connect-four", "tic-tac-toe", "othello", "pig"])
def test_searches_find_what_those_on_the_cores_find(name: str) -> None:
    there, here = self_play(name, 256, 32), self_play(name, 256, 32)
    assert isinstance(there._stand, Resident)
    here._stand = InRows(here.together, here.games)
    one, two = lessons(there, 256), lessons(here, 256)
    assert (one.actions == two.actions).all() and (one.counts == two.counts).all()
    # Exponents are the device's own, and batches of other sizes may be summed in another order.
    assert np.mean(one.best == two.best) > 0.95 and np.median(np.abs(one.shares - two.shares).max(axis=1)) < 1e-3
    assert np.median(np.abs(one.values - two.values)) < 1e-3


def test_a_seed_gives_the_same_rows_twice_and_new_weights_are_heard() -> None:
    found = []
    for _ in range(2):
        play = self_play("connect-four", 512, 16, "auto")
        first = play.play(4096)
        network = play.together.evaluator.network  # type: ignore[attr-defined]
        with torch.no_grad():
            for part in network.module.parameters():
                part.mul_(1.5)
        found.append((first.tobytes(), play.play(4096).tobytes()))
    assert found[0] == found[1] and found[0][0] != found[0][1]
    play = self_play("connect-four", 512, 16, "auto")
    play.play(4096)
    assert play.play(4096).tobytes() != found[0][1], "the weights of before play otherwise"
    together, watched = play.together, play.together.evaluator
    assert min(together.in_trees, watched.encoding, watched.asking) > 0 and together.leaves > 8192  # type: ignore[attr-defined]
