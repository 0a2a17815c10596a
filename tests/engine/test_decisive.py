"""Decisive moves: what wins at once, as games list it and as it is found by trying; and playouts that take a win and avoid a loss."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import playout
from playout import Game, GameError, Search, State, load
from playout.compile import bind
from playout.compile.records import slack
from playout.engine import layout
from playout.engine.leaf import UNKNOWN, play_decisive, play_safe
from playout.game.contract import ALL_LEGAL, REQUIRED
from tests.games.properties import choices, walk

LISTING = [
    "connect-four",
    "connect-four:columns=4,rows=5",
    "tic-tac-toe",
    "mnk:m=5,n=4,k=3",
    "mnk:m=8,n=7,k=3",  # as many cells as fit a bitboard
    "mnk:m=8,n=8,k=3",  # and more
    "mnk:m=3,n=2,k=1",
    "breakthrough:rows=4,columns=3",
    "breakthrough:rows=6,columns=4",
    "hex:size=4",
    "hex:size=3,swap=true",
    "nim",
    "nim:heaps=1-2,misere=true",
]


def listed(state: State, role: str = "wins") -> list[int]:
    out = np.full(slack(state.game.most_legal), -1, np.int64)
    count = state.game.functions[role](state.fields, out)
    return sorted(state.legal if count == ALL_LEGAL else (int(a) for a in out[:count]))


def winning(state: State) -> list[int]:
    """By playing every action."""
    after = {action: state.play(action) for action in state.legal}
    return sorted(action for action, then in after.items() if then.over and then.returns[state.mover] == 1)


def safe_ones(state: State) -> list[int]:
    """By playing every action, and every answer."""
    after = {action: state.play(action) for action in state.legal}
    return sorted(action for action, then in after.items() if then.over or then.mover == state.mover or not winning(then))


def without_wins(game: Game) -> Game:
    return Game("silent", players=2, returns_range=game.returns_range, **rules_of(game))


def rules_of(game: Game, *others: str) -> dict[str, Any]:
    names = {role: game.functions[role] for role in (*REQUIRED, *others)}
    return {**names, "State": game.dtype, "actions": game.actions, "most_legal": game.most_legal}


@pytest.mark.parametrize("spec", LISTING)
@settings(max_examples=15, deadline=None)
@given(numbers=choices)
def test_games_list_what_wins_at_once(spec: str, numbers: list[int]) -> None:
    for state in walk(load(spec), numbers):
        if not state.over:
            assert listed(state) == winning(state)


@pytest.mark.parametrize(
    "spec", [*LISTING, "connect-four:columns=9,rows=2", "hex:size=2,swap=true", "nim:heaps=3-2", "nim:heaps=1-1-2"]
)
@settings(max_examples=10, deadline=None)
@given(numbers=choices)
def test_games_list_what_lets_nobody_win(spec: str, numbers: list[int]) -> None:
    for state in walk(load(spec), numbers):
        if not state.over and not winning(state):
            assert listed(state, "safe") == safe_ones(state)


def test_taking_the_last_piece_wins_too() -> None:
    state = load("breakthrough:rows=4,columns=2").start()
    found = 0
    for seed in range(200):
        here = state
        stream = playout.Stream(seed)
        while not here.over:
            assert listed(here) == winning(here)
            theirs = int(here.fields.pieces[1 - here.mover])
            found += theirs.bit_count() == 1 and bool(listed(here))
            here = here.play(here.legal[stream.below(len(here.legal))])
    assert found > 20


def test_the_last_piece_does_not_go_where_it_is_taken() -> None:
    """One piece of the mover among a few others, in boards that random games seldom come to."""
    game, stream, fewer = load("breakthrough:rows=5,columns=4"), playout.Stream(1), 0
    for _ in range(400):
        mover, last = stream.below(2), 1 << stream.below(20)
        others = sum({1 << stream.below(20) for _ in range(1 + stream.below(4))} - {last})
        pieces = (last, others) if mover == 0 else (others, last)
        if not others or pieces[0] >> 16 or pieces[1] & 15:
            continue  # somebody has won
        state = game.state({"pieces": list(pieces), "mover": mover, "winner": 0})
        if not winning(state):
            assert listed(state, "safe") == safe_ones(state)
            fewer += 0 < len(safe_ones(state)) < len(state.legal)
    assert fewer > 10


def test_wins_need_two_players_and_a_range() -> None:
    game = load("tic-tac-toe")
    names = rules_of(game, "wins")
    message = "^game 'mine' defines wins, which is for two players and needs to know what a win is: add returns_range"
    with pytest.raises(GameError, match=message):
        Game("mine", players=2, **names)
    with pytest.raises(GameError, match=message):
        Game("mine", players=3, returns_range=(-1, 1), **names)


def test_safe_needs_wins() -> None:
    with pytest.raises(
        GameError, match="^game 'mine' defines safe, which is asked where wins lists nothing, and there is no wins: add def"
    ):
        Game("mine", players=2, returns_range=(-1, 1), **rules_of(load("tic-tac-toe"), "safe"))


@pytest.mark.parametrize("spec", ["connect-four:columns=5,rows=4", "tic-tac-toe"])
@pytest.mark.parametrize("level", ["win", "block"])
def test_a_list_changes_the_time_and_nothing_else(spec: str, level: str) -> None:
    """What is safe is drawn with other numbers where it is listed, so playouts go by `wins` here, and the tree by both."""
    game = load(spec)
    listing = Game("listing", players=2, returns_range=game.returns_range, **rules_of(game, "wins"))
    for playouts, ways in ((level, (listing, without_wins(game))), ("off", (game, without_wins(game)))):
        found = [
            Search(rules, compiled=False, seed=3, decisive=level, decisive_playouts=playouts).run(simulations=60)
            for rules in ways
        ]
        assert [a.visits for a in found[0].actions] == [a.visits for a in found[1].actions]
        assert [a.score for a in found[0].actions] == [a.score for a in found[1].actions]


@pytest.mark.parametrize("level", ["win", "block"])
def test_a_tree_that_is_kept_lists_every_action(level: str) -> None:
    """Two in a row of the other: below the root only the block has a slot, at the root all actions have a line."""
    search = Search("tic-tac-toe", compiled=False, seed=3, decisive=level)
    state = search.game.start().replay(["a1", "b2"])
    search.run(state, simulations=60)
    for move in ("c3", "b1"):
        state = search.play(move)
    kept = search.trees[0].visits
    decision = search.run(simulations=20)
    assert len(decision.actions) == len(state.legal) == 5 and kept > 0 and decision.parent_visits == kept + decision.simulations
    if level == "block":
        assert decision.name == "b3" and all(a.refuted and not a.visits for a in decision.actions if a.name != "b3")


@pytest.mark.parametrize("bad", [9, 1 << 40])
def test_a_win_that_is_no_action_is_told_and_never_played(bad: int) -> None:
    def wins(state: Any, out: Any) -> int:
        out[0] = bad
        return 1

    broken = Game("mine", players=2, returns_range=(-1, 1), wins=wins, **rules_of(load("tic-tac-toe")))
    with pytest.raises(GameError, match="legal, pick, playout_action, wins or safe gave an id that is not from 0 to 8"):
        Search(broken, compiled=False, decisive_playouts="block").run(simulations=5)


@pytest.mark.parametrize(
    ("count", "bad", "message"),
    [
        (1, 9, "legal, pick, playout_action, wins or safe gave an id that is not from 0 to 8"),
        (10, 0, "more than the 9 that most_legal allows"),
    ],
)
def test_a_list_of_safe_actions_that_cannot_be_is_told(count: int, bad: int, message: str) -> None:
    def safe(state: Any, out: Any) -> int:
        out[0] = bad
        return count

    broken = Game("mine", players=2, returns_range=(-1, 1), safe=safe, **rules_of(load("tic-tac-toe"), "wins"))
    with pytest.raises(GameError, match=message):
        Search(broken, compiled=False, decisive_playouts="block").run(simulations=5)


def drawn(state: State, level: str, times: int, way: Any = play_decisive) -> Counter[Any]:
    """The first action of so many decisive playouts, by its name."""
    search = Search(state.game, compiled=False, decisive_playouts=level)
    search.run(state, simulations=1)
    sim = search.trees[0].sim
    step = bind(state.game, compiled=False).kernel(way)
    found: Counter[Any] = Counter()
    for seed in range(times):
        sim.states[0][layout.NOW] = sim.states[0][layout.ROOT]
        sim.work[0].rng.word = playout.Stream(seed).word
        step(sim.head[0], sim.options[0], sim.states[0], sim.work[0], sim.habits, state.mover, UNKNOWN)
        after = bytes(sim.states[0][layout.NOW])
        found[next(state.name(a) for a in state.legal if bytes(state.play(a)) == after)] += 1
    return found


@pytest.mark.parametrize("way", [play_decisive, play_safe])
@pytest.mark.parametrize(
    ("moves", "level", "wanted"),
    [
        ("b a c a d", "block", {"e"}),  # three in a row: only one place blocks
        ("b a c a d", "win", set("abcde")),
        ("b a c a d a", "block", {"e"}),  # and if it is your own three, it wins
        ("a b a b c", "block", set("abcde")),  # nobody threatens anything
        ("b a c a", "block", set("abcde")),
        ("b b c c d", "block", {"a", "e"}),  # lost: e and a both win, and one of the two draws is played
    ],
)
def test_playouts_take_a_win_and_avoid_a_loss(moves: str, level: str, wanted: set[str], way: Any) -> None:
    if level == "win" and way is play_safe:
        return  # never asked to
    state = load("connect-four:columns=5,rows=4").start().replay(moves.split())
    found = drawn(state, level, 300, way)
    lost = level == "block" and not winning(state) and all(winning(state.play(a)) for a in state.legal)
    assert set(found) == (set("abcde") if lost else wanted)
    if len(found) > 1 and not lost:
        # A draw among those that are left: within five standard deviations of equal shares.
        share = 300 / len(found)
        assert all(abs(n - share) < 5 * share**0.5 for n in found.values())


def test_a_lost_position_is_seen_after_three_tries() -> None:
    game, plays = load("connect-four"), 0

    def play(state: Any, action: int, rng: Any) -> None:
        nonlocal plays
        plays += 1
        game.functions["play"](state, action, rng)

    counting = Game("counting", players=2, returns_range=(-1, 1), **{**rules_of(game, "wins"), "play": play})
    state = counting.start().replay([2, 2, 3, 3, 4])
    search = Search(counting, compiled=False, decisive_playouts="block")
    search.run(state, simulations=1)
    sim, step, most = search.trees[0].sim, bind(counting, compiled=False).kernel(play_decisive), 0
    for seed in range(40):
        sim.states[0][layout.NOW] = sim.states[0][layout.ROOT]
        sim.work[0].rng.word, plays = playout.Stream(seed).word, 0
        reply = step(sim.head[0], sim.options[0], sim.states[0], sim.work[0], sim.habits, state.mover, UNKNOWN)
        assert reply in (1, 5) or plays == 1  # b and f win; one who draws a win of the other sees a block that fails
        most = max(most, plays)
    assert most == 4  # three that are tried, and the first of them, which is played


@pytest.mark.parametrize("way", [play_decisive, play_safe])
def test_a_block_that_fails_is_not_taken_for_the_end_where_something_else_helps(way: Any) -> None:
    """Of heaps of 3 and 2 whoever empties one lets the other player empty the other, and to take those stones first does no good."""
    state = load("nim:heaps=3-2").start()
    bad = {action for action in state.legal if winning(state.play(action))}
    assert (
        set(drawn(state, "block", 100, way)) == {state.name(action) for action in state.legal if action not in bad}
        and len(bad) == 2
    )
