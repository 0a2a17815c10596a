"""The history key: own actions and what was seen, from the start on; nothing that the player did not see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import playout
from playout.agents import Recipe, Silent
from playout.agents.own import FunctionAgent
from playout.arena import compete
from playout.arena.referee import Referee, Rules
from playout.arena.schedule import Fixture
from playout.game.history import KEY_BYTES, History
from playout.game.state import State
from playout.truth.imperfect.tree import game_tree


def lived(state: State, moves: tuple[str, ...]) -> History:
    history = History(state)
    for move in moves:
        after = state.play(move)
        history.play(state.mover, state.find(move), after)
        state = after
    return history


def test_what_is_hidden_has_no_part_in_it() -> None:
    """All deals of Kuhn poker: the keys of a player are equal exactly where its card is, though the true states differ."""
    game = playout.load("kuhn-poker")
    by_card: dict[tuple[int, int], set[bytes]] = {}
    truths: dict[tuple[int, int], set[bytes]] = {}
    for seed in range(40):
        state = game.start(seed)
        history = lived(state, ("check", "bet"))
        for player in (0, 1):
            where = (player, int(state.fields.cards[player]))
            by_card.setdefault(where, set()).add(history.key(player))
            truths.setdefault(where, set()).add(bytes(state))
    assert all(len(keys) == 1 for keys in by_card.values()) and all(len(states) == 2 for states in truths.values())
    assert len(set.union(*by_card.values())) == len(by_card) == 6


def test_own_actions_count_even_where_nothing_shows() -> None:
    state = playout.load("kuhn-poker").start(3)
    keys = {moves: lived(state, moves).key(0) for moves in ((), ("check",), ("bet",), ("check", "bet"))}
    assert len(set(keys.values())) == 4
    history, other = History(state), History(state)
    history.play(0, 0, state)
    other.play(0, 1, state)
    assert history.key(0) != other.key(0) and history.key(1) == other.key(1) == History(state).key(1)


def test_the_exact_tools_name_information_sets_by_the_same_history() -> None:
    tree = game_tree("kuhn-poker")
    state = tree.game.start(5)
    assert tree.by_key[lived(state, ("check", "bet")).key(0)].player == 0
    assert tree.by_key[lived(state, ("bet",)).key(1)].player == 1


class Listener(Silent):
    """Plays the first legal action, and writes down what it was handed."""

    name = "listener"
    wants_history = True

    def __init__(self, heard: list[bytes | None]) -> None:
        self.heard = heard

    def act(self, state: State) -> int:
        self.heard.append(state.history)
        return state.legal[0]


@pytest.mark.compiles
@pytest.mark.parametrize("openings", [0, 2])
def test_the_referee_hands_it_over_and_a_replay_gives_the_same(openings: int) -> None:
    game, heard = playout.load("leduc-poker"), []  # type: tuple[Any, list[bytes | None]]
    referee = Referee(game, [Recipe("listener", lambda seed: Listener(heard))], Rules(openings=openings))
    record = referee.play(Fixture(0, 0, 77, (0, 0)))
    first, expected = list(heard), []
    heard.clear()
    assert referee.play(Fixture(0, 0, 77, (0, 0))).moves == record.moves and heard == first
    state = game.start(77)
    history = History(state)
    for ply, action in enumerate(record.column("moves").tolist()):
        if ply >= record.opening:
            expected.append(history.key(state.mover))
        after = state.play(action)
        history.play(state.mover, action, after)
        state = after
    assert first == expected and len(set(first)) == len(first) >= 1


@pytest.mark.compiles
def test_who_does_not_ask_gets_none_and_a_function_may_ask(tmp_path: Path) -> None:
    heard: list[bytes | None] = []

    def first(state: State) -> int:
        heard.append(state.history)
        return state.legal[0]

    game = playout.load("kuhn-poker")
    made = Recipe("first", lambda seed: FunctionAgent("first", first))
    compete(game, [made, "random"], games=2, file=tmp_path / "a.db", engine="here")
    assert heard and set(heard) == {None}
    heard.clear()
    first.wants_history = True  # type: ignore[attr-defined]
    compete(game, [made, "random"], games=2, file=tmp_path / "b.db", engine="here")
    assert heard and all(isinstance(key, bytes) and len(key) == KEY_BYTES == 16 for key in heard)


def test_at_the_terminal_too(capsys: Any) -> None:
    from rich.console import Console

    from playout.cli.sitting import Sitting

    heard: list[bytes | None] = []
    state = playout.load("kuhn-poker").start(4)
    sitting = Sitting(state, [Listener(heard), Listener(heard)], Console(), seed=1)
    sitting.run()
    assert heard[:2] == [History(state).key(0), lived(state, (state.name(state.legal[0]),)).key(1)]
