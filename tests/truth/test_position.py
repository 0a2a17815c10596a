"""Positions solved alone, against values that are known, or found by plain minimax, or by the solver of whole games."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import playout
from playout.errors import GameError, PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State
from playout.truth.perfect.perfect import solve
from playout.truth.perfect.position import METHODS, SolvedPosition, solve_position
from tests.truth.positions import counting, plain_value, random_position

WAYS = METHODS


def slowly(state: State, **words: Any) -> SolvedPosition:
    return solve_position(state, **{"compiled": False, "memory": 1.0, **words})


def check(state: State, found: SolvedPosition) -> None:
    """All that is claimed of a position is true, by plain minimax."""
    known: dict[bytes, float] = {}
    value = plain_value(state, known)
    assert found.complete and found.finished and found.stopped == "solved"
    assert found.value is not None and found.value[0] == value and found.low == found.high == found.value
    sign = 1 if state.mover == 0 else -1
    assert [row.action for row in found.actions] == list(state.legal)
    for row in found.actions:
        worth = plain_value(state.after(row.action), known)
        assert row.value is not None and row.value == found.value[state.mover] + sign * (worth - value)
        assert row.best == (worth == value) and row.name == state.name(row.action)
    for step in found.line:
        assert step.mover == state.mover and plain_value(state, known) == value
        state = state.after(step.action)
    assert state.over and state.returns[0] == value


@pytest.mark.compiles
@pytest.mark.parametrize("method", WAYS)
def test_tic_tac_toe_is_a_draw_whatever_begins(method: str) -> None:
    found = solve_position(load("tic-tac-toe").start(), method=method, memory=1.0)
    assert (found.result, found.value, found.mover) == ("draw", [0.0, 0.0], 0)
    assert [row.value for row in found.actions] == [0.0] * 9 and all(row.best for row in found.actions)
    assert len(found.line) == 9 and found.sentence().startswith("a draw with ")


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("seed", range(4))
def test_positions_of_tic_tac_toe(method: str, seed: int) -> None:
    state = random_position(load("tic-tac-toe"), 3 + seed % 3, seed)
    check(state, slowly(state, method=method))


@pytest.mark.compiles
@pytest.mark.parametrize("method", WAYS)
def test_every_position_of_tic_tac_toe_agrees_with_the_whole_solution(method: str) -> None:
    whole = solve("tic-tac-toe", symmetric=True)
    p = whole.positions
    for number in range(len(p)):
        if p.mover[number] >= 0:
            state = State(p.game, p.nodes[number : number + 1].copy(), 1)
            found = solve_position(state, method=method, memory=0.5)
            assert found.value == whole.values[number].tolist()


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize(
    ("spec", "result"),
    [
        ("mnk:m=4,n=2,k=3", "draw"),
        ("mnk:m=2,n=3,k=2", "win"),
        ("nim:heaps=1-2-3", "loss"),
        ("nim:heaps=1-3-3", "win"),
        ("nim:heaps=2-2,misere=1", "loss"),
        ("hex:size=2", "win"),
        ("hex:size=3", "win"),
        ("connect-four:columns=3,rows=3", "draw"),
        ("breakthrough:columns=3,rows=4", None),
    ],
)
def test_small_games_have_their_values(method: str, spec: str, result: str | None) -> None:
    state = load(spec).start()
    tiny = spec.startswith(("nim", "hex:size=2", "mnk:m=2"))
    found = slowly(state, method=method, every=tiny)
    assert found.complete and result in (found.result, None)
    if tiny:
        check(state, found)
    if spec.startswith("breakthrough"):
        assert found.value == slowly(state, method=WAYS[0], by="state").value


@given(heaps=st.lists(st.integers(1, 4), min_size=1, max_size=3), method=st.sampled_from(WAYS))
@settings(max_examples=20)
def test_nim_is_lost_where_the_heaps_cancel(heaps: list[int], method: str) -> None:
    found = slowly(load("nim:heaps=" + "-".join(map(str, heaps))).start(), method=method, every=False)
    odd = 0
    for heap in heaps:
        odd ^= heap
    assert found.result == ("win" if odd else "loss")


@given(seed=st.integers(0, 10_000), discs=st.integers(30, 38), method=st.sampled_from(WAYS))
@settings(max_examples=20)
def test_late_positions_of_connect_four(seed: int, discs: int, method: str) -> None:
    state = random_position(load("connect-four"), discs, seed)
    check(state, slowly(state, method=method))


@pytest.mark.compiles
@pytest.mark.parametrize("seed", range(6))
def test_both_ways_agree_on_connect_four_compiled(seed: int) -> None:
    state = random_position(load("connect-four"), 22, seed)
    found = [solve_position(state, method=method, memory=memory) for method in WAYS for memory in (0.01, 32.0)]
    assert all(each.complete and each.finished for each in found)
    assert all(each.value == found[0].value for each in found)
    assert all([row.value for row in each.actions] == [row.value for row in found[0].actions] for each in found)


@given(
    ends=st.lists(st.integers(-8, 8).map(lambda n: n / 4), min_size=1, max_size=9).map(tuple),
    twice=st.booleans(),
    keyed=st.booleans(),
    total=st.sampled_from([0.0, 1.0]),
    declared=st.booleans(),
    method=st.sampled_from(WAYS),
)
@settings(max_examples=60)
def test_any_results_and_a_player_who_moves_twice(
    ends: tuple[float, ...], twice: bool, keyed: bool, total: float, declared: bool, method: str
) -> None:
    game = counting(ends=ends, twice=twice, keyed=keyed, total=total, range_=(-2, 3) if declared else None)
    check(game.start(), slowly(game.start(), method=method))


def test_many_results_are_asked_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game = counting(ends=tuple(i / 8 for i in range(-60, 61)), limit=13)
    for method in ("alpha-beta", "auto"):
        check(game.start(), slowly(game.start(), method=method))
    monkeypatch.setattr("playout.truth.perfect.asking.MOST_VALUES", 5)
    with pytest.raises(PlayoutError) as error:
        slowly(game.start(), method="proof-number")
    assert str(error.value) == (
        "counting ends with over 5 different results, and proof-number search asks about one at a time; use the method alpha-beta"
    )


def test_both_ways_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.truth.perfect.asking.FIRST_TURN", 20)
    state = random_position(load("connect-four"), 31, 3)
    check(state, slowly(state))


@pytest.mark.parametrize("method", WAYS)
def test_a_tiny_table_only_costs_time(method: str) -> None:
    state = random_position(load("tic-tac-toe"), 2, 5)
    small, large = (slowly(state, method=method, memory=memory, every=False) for memory in (0.001, 1.0))
    assert small.value == large.value and small.nodes >= large.nodes and small.filled >= 0.5


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("nodes", [1, 30, 100, 300, 1000, 3000])
def test_a_spent_budget_leaves_bounds_that_hold(method: str, nodes: int) -> None:
    state = random_position(load("connect-four"), 30, 11)
    known: dict[bytes, float] = {}
    value = plain_value(state, known)
    found = slowly(state, method=method, nodes=nodes)
    assert found.nodes <= nodes + 30 and (found.stopped == "nodes" or found.complete)
    low, high = found.low[0], found.high[0]
    assert low is not None and high is not None and low <= value <= high
    sign = 1 if state.mover == 0 else -1
    for row in found.actions:
        worth = sign * plain_value(state.after(row.action), known)
        assert row.low is not None and row.high is not None and row.low <= worth <= row.high
    if not found.complete:
        assert found.value is None and found.sentence().startswith(f"not within the budget of {found.nodes:,} positions: ")


def test_time_is_a_budget_and_ctrl_c_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    state = load("connect-four").start()
    found = slowly(state, seconds=0.05)
    assert (found.stopped, found.complete, found.result) == ("seconds", False, "unknown")

    def interrupt(found: SolvedPosition) -> None:
        raise KeyboardInterrupt

    found = slowly(state, watch=interrupt)
    assert found.stopped == "interrupted" and found.sentence() == "interrupted: nothing is certain" and found.nodes > 0


def test_memory_is_kept_within() -> None:
    from playout.truth.perfect.room import entries_within, make_room

    for megabytes in (0.01, 1.0, 3.7):
        for by_state in (False, True):
            room = make_room(load("tic-tac-toe"), True, megabytes, by_state)
            assert room.table.nbytes + (room.kept.nbytes if by_state else 0) <= megabytes * 1e6
    assert entries_within(0.0001, 32) == 2


def test_what_is_over_is_told() -> None:
    state = load("tic-tac-toe").start().replay(["a1", "b1", "a2", "b2", "a3"])
    found = slowly(state)
    assert (found.mover, found.value, found.actions, found.line) == (-1, [1.0, -1.0], [], [])
    assert found.sentence() == "the game is over: player 0 got 1, player 1 got -1"


def test_sentences() -> None:
    game = load("nim:heaps=1-1")
    assert slowly(game.start()).sentence() == "player 0 loses, whatever it plays: 1 from heap A, 1 from heap B"
    scores = counting(ends=(2.5,), limit=1)
    assert slowly(scores.start()).sentence() == "player 0 wins, 2.5 for player 0 with 0: 0"


REFUSED: dict[str, tuple[Any, str]] = {
    "hidden": (
        lambda: load("kuhn-poker").start(),
        "kuhn-poker hides something, so a position has no one value; playout exploit is for such games",
    ),
    "one player": (
        lambda: counting(players=1).start(),
        "counting has 1 player, and a position is solved for two who want the opposite; playout.solve takes small games of one player",
    ),
    "three players": (
        lambda: load("pig:players=3").start(),
        "pig:players=3 has 3 players, and a position is solved for two who want the opposite; use playout search",
    ),
    "continuous": (
        lambda: load("loss-1d").start(),
        "actions of loss-1d are real vectors, and no position of it can be searched through; playout compare measures regret there",
    ),
    "chance": (
        lambda: counting(draws=True).start(),
        "chance has a say in counting, and a position of it is not won or lost for certain; playout search weighs chances, and "
        "playout solve without a budget solves small games of chance whole",
    ),
    "repetition": (
        lambda: counting(back=True).start(),
        "counting can return to a position on the way, and what that is worth this solver does not decide; count the moves in the "
        "state and in its key, and end the game at a limit",
    ),
    "another sum": (
        lambda: counting(odd_end=1.0).start(),
        "counting is not zero-sum: games end with returns that add up to 0 and to 1; perfect play needs players who want the opposite",
    ),
}


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_solved_says_why(name: str, method: str) -> None:
    make, sentence = REFUSED[name]
    with pytest.raises(PlayoutError) as error:
        slowly(make(), method=method)
    assert str(error.value) == sentence


WRONG = {
    "legal": "legal gave no action, or more than the 3 that most_legal allows, though mover says that the game goes on",
    "action": "legal gave an id that is not from 0 to 2; raise actions, or correct the id",
    "mover": "mover named a player beyond the 2 that the game declares",
    "nan": "returns gave [1.0, nan], which is not a finite number for every player",
    "range": "returns gave [3.0, -3.0], outside the returns_range of (-2.0, 2.0)",
}


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_game_is_told(name: str, method: str) -> None:
    words: dict[str, Any] = {"range_": (-2, 2), "ends": (3.0, 3.0)} if name == "range" else {"wrong": name, "odd_end": 1.0}
    game: Game = counting(**words)
    with pytest.raises(GameError) as error:
        slowly(game.start(), method=method)
    assert str(error.value).startswith(f"game 'counting': {WRONG[name]} (state: State(sum=")


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "method": ({"method": "alphabeta"}, "method is 'alphabeta'; did you mean 'alpha-beta'?"),
    "seconds": ({"seconds": 0.0}, "seconds is 0.0; give a number above 0"),
    "nodes": ({"nodes": 0}, "nodes is 0; give a whole number above 0"),
    "memory": ({"memory": -1.0}, "memory is -1.0; give a number of megabytes above 0"),
    "by": ({"by": "keys"}, "by is 'keys'; did you mean 'key'?"),
    "key": (
        {"by": "key"},
        "game 'counting' defines no key to tell positions apart by; leave by='key' out, or add def key(state)",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_wrong_word_is_told(name: str) -> None:
    words, sentence = BAD[name]
    with pytest.raises(PlayoutError) as error:
        slowly(counting().start(), **words)
    assert str(error.value) == sentence


def test_it_stands_at_the_top() -> None:
    assert playout.solve_position is solve_position and "solve_position" in playout.__all__
