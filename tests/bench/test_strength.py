from __future__ import annotations

import random
import sys
from typing import Any

import pytest

from playout import PlayoutError
from playout.bench import Plan, chosen, peers, strength
from playout.bench.strength import APART, CONTESTS, DEFAULT, Allowance, Contest, Hall, Table, Tuned, match, tune

GAMES = 6


def hall_of(contest: Contest) -> Hall:
    pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install 'playout[bench]'")
    return Hall(contest)


@pytest.mark.parametrize("contest", CONTESTS, ids=lambda contest: contest.theirs)
def test_both_boards_play_the_same_game(contest: Contest):
    hall, lengths = hall_of(contest), set()
    for seed in range(GAMES):
        table, draws, played = Table(contest, hall.game, hall.theirs, seed), random.Random(seed), 0
        while not table.state.over:
            state, board = table.state, table.board
            assert not board.is_terminal() and board.current_player() == state.mover
            # As many as there are: no two of theirs are one of ours.
            assert len(table.actions) == len(board.legal_actions()) and table.actions.keys() == set(state.legal)
            table.play(draws.choice(state.legal))
            played += 1
        assert table.board.is_terminal() and table.result() == tuple(table.board.returns())
        lengths.add(played)
    assert len(lengths) > 1  # the games were not all one


def test_actions_are_the_same_moves_and_not_only_as_many():
    # Mirrored columns would have the same legal sets from the start; the names tell.
    breakthrough, othello, hexes = CONTESTS[1], CONTESTS[2], CONTESTS[3]
    for contest, theirs, name in ((breakthrough, 76, "a2-b3"), (othello, 19, "d3"), (hexes, 9, "c2")):
        hall = hall_of(contest)
        state = hall.game.start(0)
        assert hall.game.functions["action_name"](state.fields, contest.ours(theirs)) == name
    assert hall_of(breakthrough).theirs.new_initial_state().action_to_string(76) == "a5b4"


class Board:
    """A board of theirs that ends whenever it is told to."""

    def __init__(self, returns: tuple[float, float], over: bool = True) -> None:
        self.told, self.over = returns, over

    def legal_actions(self) -> list[int]:
        return [0, 1]

    def is_terminal(self) -> bool:
        return self.over

    def returns(self) -> list[float]:
        return list(self.told)


class Theirs:
    def __init__(self, board: Board) -> None:
        self.board = board

    def new_initial_state(self) -> Board:
        return self.board


def test_boards_that_part_are_an_error():
    game = strength.load("connect-four")
    table = Table(CONTESTS[0], game, Theirs(Board((1.0, -1.0))), 0)
    with pytest.raises(PlayoutError, match=r"connect-four: action 5 is not legal in OpenSpiel's connect_four"):
        table.play(5)
    with pytest.raises(
        PlayoutError, match=r"connect-four ended with \(0.0, 0.0\) and OpenSpiel's connect_four with \(1.0, -1.0\)"
    ):
        table.result()
    with pytest.raises(PlayoutError, match="ended with"):
        Table(CONTESTS[0], game, Theirs(Board((0.0, 0.0), over=False)), 0).result()
    assert Table(CONTESTS[0], game, Theirs(Board((0.0, 0.0))), 0).result() == (0.0, 0.0)


class Rigged:
    """A hall where settings win by what is written down, and who plays with which seeds is remembered."""

    contest = CONTESTS[0]

    def __init__(self, shares: dict[tuple[float, int], float]) -> None:
        self.shares, self.seeds = shares, set[int]()

    def bot(self, setting: Tuned, seed: int) -> Tuned:
        return setting

    def pair(self, first: Any, second: Any, number: int, seed: int) -> float:
        self.seeds.add(seed)
        setting = first(seed)
        assert second(seed) == DEFAULT
        return float(number < self.shares[setting.c, setting.rollouts] * 10)


def test_tuning_takes_the_best_and_tries_more_rollouts_with_it():
    flat = {(c, 1): 0.4 for c in strength.EXPLORATIONS}
    hall: Any = Rigged({**flat, (0.7, 1): 0.7, (0.7, 2): 0.6})
    known = tune(hall, 3, games=10)
    assert known[0] == Tuned(0.7, 1, 7.0, 10) and len(known) == 7
    assert hall.seeds == {3 + APART}  # apart from those of the match
    hall = Rigged({**flat, (0.7, 1): 0.7, (0.7, 2): 0.8})
    assert tune(hall, 0, games=10)[0] == Tuned(0.7, 2, 8.0, 10)
    # Nothing beats the default: it is taken, at the half of the points that it gets against itself.
    best = tune(Rigged({**flat, (2.0, 2): 0.3}), 0, games=10)[0]  # type: ignore[arg-type]
    assert best == DEFAULT and best.share == 0.5
    assert (Tuned(0.7, 2).words, DEFAULT.words) == ("uct_c 0.7, 2 rollouts", "uct_c 2, 1 rollout")


def test_the_row_of_a_match():
    hall: Any = Rigged({})
    allowance = Allowance()
    allowance.note_theirs(0.010)
    allowance.note_ours(0.012, 0.010)
    words = {"name": "strength-connect-four", "game": "connect-four", "text": "t", "unit": "points", "target": strength.TARGET}
    row = strength._row(words, hall, Tuned(1.0, 2, 25.5, 40), [1.0] * 180 + [0.5] * 10 + [0.0] * 10, allowance)
    assert row.ours == pytest.approx(0.925) and row.ok
    assert row.peer == "OpenSpiel's C++ bot, uct_c 1, 2 rollouts, 1,000 simulations a move"
    assert row.note == (
        "180 won, 10 drawn, 10 lost; 95 % interval 88.0% to 95.4%; it plays with uct_c 1, 2 rollouts and 1,000 simulations a move "
        "(25.5 of 40 against its default); CPU seconds a move 0.0120 ours, 0.0100 theirs"
    )
    # 90 % of few games leave 85 % possible.
    few = strength._row(words, hall, DEFAULT, [1.0] * 18 + [0.0] * 2, allowance)
    assert not few.ok and few.note.endswith("; so few games leave 85% possible, which the goal excludes")
    many = strength._row(words, hall, DEFAULT, [1.0] * 890 + [0.0] * 110, allowance)
    assert not many.ok and many.note.endswith("theirs")


def test_without_the_peer_there_is_a_note(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    row = match(CONTESTS[0], 2, Plan(), lambda *words: None)
    assert row.ours is None and row.ok is None and row.note == f"open_spiel is not installed: {peers.INSTALL}"


def test_matches_are_chosen_like_rows():
    names = ["strength-connect-four", "strength-breakthrough", "strength-othello", "strength-hex"]
    assert [one.name for one in chosen(["strength"], 2)] == names
    assert [one.name for one in chosen(["strength-hex"], 2)] == ["strength-hex"]
    assert not any(one.name in names for one in chosen())
    with pytest.raises(PlayoutError, match="'strength' is measured with --strength; give both"):
        chosen(["strength"])


def test_equal_time_takes_off_what_a_search_needs_beyond_its_budget():
    allowance = Allowance()
    allowance.note_theirs(0.010)
    assert allowance.seconds == pytest.approx(0.010)
    allowance.note_ours(0.012, 0.010)
    assert allowance.seconds == pytest.approx(0.008)


def test_their_bot_plays_the_same_game_for_the_same_seed():
    hall = hall_of(CONTESTS[0]._replace(simulations=20))
    points = [
        [hall.pair(lambda s: hall.bot(Tuned(0.7), s), lambda s: hall.bot(DEFAULT, s + APART), n, 9) for n in range(6)]
        for _ in range(2)
    ]
    assert points[0] == points[1] and set(points[0]) <= {0.0, 0.5, 1.0}
