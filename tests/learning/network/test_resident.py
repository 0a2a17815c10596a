"""Trees that stay where the network is: on the cores everything happens at once, and what they find is what trees in rows find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from playout.compile.devices import AtOnce, Cores, cores
from playout.errors import PlayoutError
from playout.game.load import load
from playout.learning.network.network import Network
from playout.learning.network.resident import Resident, resident
from playout.learning.network.selfplay import SelfPlay
from playout.learning.network.settings import NetworkSettings
from playout.learning.network.stand import InRows
from playout.learning.network.watched import Watched

pytest.importorskip("torch")
GAMES, SIMULATIONS = 24, 12


class Late(AtOnce):
    """A queue that does what it is asked at the last moment: whoever looks before has garbage."""

    def __init__(self, cores: Cores) -> None:
        super().__init__(cores)
        self._fetched: dict[int, Any] = {}
        self._left: list[Any] = []

    def fetch(self, array: Any) -> Any:
        _, found = self._fetched.setdefault(id(array), (array, np.empty_like(array)))
        found.reshape(-1).view(np.uint8)[:] = 0x7B
        self._left.append((found, array.copy()))
        return found

    def mark(self) -> Any:
        left, self._left = self._left, []
        return left

    def wait(self, mark: Any) -> None:
        for found, array in mark:
            found[...] = array

    def between(self, one: Any, other: Any) -> float:
        return 1.0


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cores, "queue", lambda self: Late(self))


def self_play(where: str, seed: int = 1, **words: Any) -> SelfPlay:
    game = load("tic-tac-toe")
    network = Network(game, size="small", device="cpu", seed=3)
    settings = NetworkSettings(**{"abreast": GAMES, "simulations": SIMULATIONS, **words})
    play = SelfPlay(game, Watched(network), settings, seed)
    play._stand = Resident(play.together, play.games, network, cores()) if where == "there" else InRows(play.together, play.games)
    return play


def lessons(play: SelfPlay) -> list[Any]:
    """What searches find, asked for in no order, move after move of the same games."""
    every, found = np.arange(GAMES), []
    mixed = np.random.default_rng(1).permutation(every)
    play._new(every)
    for _ in range(5):
        play._settle(every, [])
        play._search(every)
        while not (done := play._stand.ended(every)).all():
            play._stand.round(every[~done])
        found.append(play._stand.lessons(mixed))
        play._move(mixed, found[-1].chosen)
    return found


@pytest.mark.compiles
def test_searches_find_what_those_in_rows_find(late: None) -> None:
    for there, here in zip(lessons(self_play("there")), lessons(self_play("here")), strict=True):
        counts, meant = here.counts, np.arange(9) < here.counts[:, None]
        assert np.array_equal(there.counts, counts) and len(np.unique(here.best)) > 2 and counts.min() < counts.max()
        for name in here._fields:
            one, two = getattr(there, name), getattr(here, name)
            # What stands behind the last action means nothing.
            one, two = (one[meant], two[meant]) if one.shape == meant.shape else (one, two)
            # Trees in rows ask about twice as many leaves at once, and some processors sum a batch of another size in another order.
            assert np.allclose(one, two, rtol=0, atol=1e-7) if one.dtype.kind == "f" else np.array_equal(one, two), name


@pytest.mark.compiles
def test_games_are_played_to_their_ends_the_same_twice(late: None) -> None:
    found = []
    for seed in (1, 1, 2):
        play = self_play("there", seed)
        parts = [play.play(4 * GAMES) for _ in range(3)]
        rows = np.concatenate([part.view(np.uint8) for part in parts]).view(play.dtype)
        assert play.finished > GAMES and play.decided >= 12 * GAMES
        assert np.allclose(rows["shares"].sum(axis=1), 1, atol=1e-6) and np.isfinite(rows["returns"]).all()
        assert set(np.unique(rows["returns"])) <= {-1.0, 0.0, 1.0}
        found.append(rows.tobytes())
        watched = play.together.evaluator
        assert min(play.together.in_trees, watched.encoding, watched.asking) > 0  # type: ignore[attr-defined]
        assert play.together.leaves > 4 * GAMES * SIMULATIONS
    assert found[0] == found[1] != found[2]


@pytest.mark.compiles
def test_a_network_that_answers_nan_is_told() -> None:
    play = self_play("there")
    network = play.together.evaluator.network  # type: ignore[attr-defined]
    with network.torch.no_grad():
        for part in network.module.parameters():
            part.fill_(float("nan"))
    with pytest.raises(PlayoutError, match="the evaluator's (priors|values) hold nan; every number must be finite"):
        play.play(GAMES)


def test_where_trees_cannot_stay_with_the_network_they_do_not() -> None:
    network = Network("tic-tac-toe", size="small", device="cpu", seed=3, compiled=False)
    play = SelfPlay(load("tic-tac-toe"), Watched(network), NetworkSettings(abreast=2), compiled=False)
    assert resident(play.together, play.games) == (None, "") and not play.note, "no GPU has it"
    play = SelfPlay(load("tic-tac-toe"), network, NetworkSettings(abreast=2), compiled=False)
    assert resident(play.together, play.games) == (None, ""), "nobody knows where that evaluator is"
