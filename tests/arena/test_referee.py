"""The referee: honest worlds, faults by the stated rule, records that say what happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout
from playout.agents import Recipe, Silent, recipe
from playout.arena.experiment import plan
from playout.arena.referee import Record, Referee, Rules, share_points
from playout.arena.replay import verify
from playout.arena.schedule import Fixture, Schedule
from playout.arena.serving import Timer
from playout.arena.table import Table
from playout.errors import PlayoutError
from playout.game.contract import REQUIRED
from playout.game.stream import GOLDEN, MASK, MIX_1, MIX_2, Stream

FAILING = Path(__file__).with_name("agents_that_fail.py")
STAIRS = Path(__file__).parents[1] / "sketches" / "solitaire.py"
TTT = playout.load("tic-tac-toe")


def play(names: list[str], rules: Rules | None = None, number: int = 0, game: Any = TTT) -> Record:
    rules = rules or Rules()
    recipes = [recipe(name, game) for name in names]
    schedule = Schedule(players=game.players, agents=len(names))
    return Referee(game, recipes, rules, Timer(rules.limit)).play(schedule.fixture(number))


# In machine code the canonical ones: an end and no chance, dice, three players, a solitaire.
@pytest.mark.parametrize(
    ("compiled", "name"),
    [
        *((True, name) for name in ("tic-tac-toe", "pig:target=20", "treasure", str(STAIRS))),
        *((False, name) for name in ("tic-tac-toe", "pig:target=20", "othello", "treasure", "nim", str(STAIRS))),
    ],
)
def test_the_table_plays_as_states_do(name: str, compiled: bool) -> None:
    game = playout.load(name)
    table, stream = Table(game, compiled=compiled), Stream(3)
    for seed in range(3):
        table.begin(seed)
        state = game.start(seed)
        while not state.over:
            assert (table.mover, table.legal, table.state.word) == (state.mover, state.legal, state.word)
            assert bytes(table.state) == bytes(state)
            action = state.legal[stream.below(len(state.legal))]
            state = state.play(action)
            table.play(action)
        assert table.mover == -1 and table.legal == () and table.returns == state.returns


@pytest.mark.compiles
def test_records_replay_and_repeat_by_number() -> None:
    experiment, game, recipes = plan("connect-four:columns=5,rows=4", ["uct:simulations=30", "random"], rules=Rules(openings=3))
    referee, table = Referee(game, recipes, experiment.rules), Table(game)
    for number in range(4):
        fixture = experiment.schedule.fixture(number)
        one, two = referee.play(fixture), referee.play(fixture)
        verify(experiment, game, table, one)
        assert (one.moves, one.returns, one.choices) == (two.moves, two.returns, two.choices)
        assert one.opening == 3 and len(one.moves) == 2 * len(one.movers) == len(one.choices) == 2 * (len(one.seconds) // 4)
        assert one.column("seconds")[:3].tolist() == [0, 0, 0] and (one.column("seconds")[3:] > 0).all()
        searched = [s for s, m in zip(one.column("simulations")[3:], one.movers[3:]) if one.seats[m] == 0]
        assert max(searched) == 30 and sum(one.column("simulations")) == sum(searched)


@pytest.mark.compiles
def test_an_opening_is_played_from_both_sides() -> None:
    rules = Rules(openings=4)
    one, two, three = (play(["random", "random"], rules, number) for number in (0, 1, 2))
    assert one.moves[:8] == two.moves[:8] != three.moves[:8]
    assert one.moves != two.moves and one.seats == two.seats[::-1]


@pytest.mark.compiles
def test_openings_that_end_the_game_are_drawn_again_or_refused() -> None:
    for number in range(30):
        record = play(["random", "random"], Rules(openings=8), number)
        assert record.opening == 8 and len(record.movers) == 9
    with pytest.raises(PlayoutError, match="openings is 9, but tic-tac-toe was over within 9 random actions 200 times in a row"):
        play(["random", "random"], Rules(openings=9))


def test_points_by_hand() -> None:
    assert share_points((1.0, -1.0)) == (1.0, 0.0)
    assert share_points((0.0, 0.0)) == (0.5, 0.5)
    assert share_points((5.0, 9.0, 5.0)) == (0.25, 1.0, 0.25)
    assert share_points((5.0, 9.0, 5.0), fault=1) == (0.75, 0.0, 0.75)
    assert share_points((1.0, -1.0), fault=0) == (0.0, 1.0)
    assert share_points((3.0,)) == (1.0,) and share_points((0.0,)) == (0.0,)
    assert share_points((3.0,), win_above=3) == (0.0,) and share_points((3.0,), fault=0) == (0.0,)


@pytest.mark.compiles
@pytest.mark.parametrize(
    ("maker", "kind", "words"),
    [
        ("make_crash", "crash", "ValueError: lost my mind (line 15 of agents_that_fail.py)"),
        ("make_illegal", "illegal", "'77' is not a legal action of tic-tac-toe here"),
        ("make_sleepy", "time", "no answer within 0.2 s"),
        ("make_unmakeable", "crash", "could not be made: RuntimeError: not today"),
    ],
)
def test_faults_lose_the_game_and_are_said(maker: str, kind: str, words: str) -> None:
    record = play([f"{FAILING}:{maker}", "random"], Rules(limit=0.2))
    assert (record.ended, record.fault, record.points, record.returns) == (kind, 0, (0.0, 1.0), (-1.0, 1.0))
    assert words in record.error
    swapped = play([f"{FAILING}:{maker}", "random"], Rules(limit=0.2), number=1)
    assert swapped.fault == 1 and swapped.points == (1.0, 0.0)


@pytest.mark.compiles
def test_long_games_are_cut() -> None:
    record = play(["random", "random"], Rules(most_actions=4))
    assert record.ended == "cut" and record.fault == -1 and len(record.movers) == 4 and record.points == (0.5, 0.5)


class Watcher(Silent):
    """Keeps every state that it was shown."""

    name = "watcher"

    def __init__(self, seen: list[Any]) -> None:
        self.seen = seen

    def act(self, state: Any) -> int:
        self.seen.append(state)
        return int(state.legal[0])

    def observe_action(self, before: Any, action: int, after: Any) -> None:
        self.seen += [before, after]


@pytest.mark.compiles
def test_agents_never_get_the_truth() -> None:
    """What is hidden in the worlds varies while the truth stays; what is visible is the truth; chance is the referee's own."""
    game = playout.load(str(STAIRS))
    seen: list[Any] = []
    recipes = [Recipe("watcher", lambda seed: Watcher(seen))]
    fixture = Fixture(0, 0, 5, (0,))
    record = Referee(game, recipes, Rules()).play(fixture)
    truth = [game.start(5)]
    for action in record.column("moves").tolist():
        truth.append(truth[-1].play(action))
    assert seen and all(world.word not in {state.word for state in truth} for world in seen)
    table, stream = Table(game), Stream(1)
    table.begin(5)
    worlds = [table.world(0, stream) for _ in range(50)]
    assert len({bytes(world) for world in worlds}) > 10
    assert {world.legal for world in worlds} == {table.legal}


@pytest.mark.compiles
def test_in_a_game_with_dice_the_agent_cannot_roll_ahead() -> None:
    game = playout.load("pig:target=20")
    table, stream = Table(game), Stream(9)
    table.begin(3)
    truth = table.state.play("roll").fields.die
    rolls = [int(table.world(0, stream).play("roll").fields.die) for _ in range(60)]
    assert set(rolls) == {1, 2, 3, 4, 5, 6} and rolls.count(int(truth)) < 30


@pytest.mark.compiles
def test_where_cards_are_hidden_only_the_actor_is_told() -> None:
    rules = {**{name: TTT.functions[name] for name in REQUIRED}, "determinize": _nothing_hidden}
    game = playout.Game("secret", players=2, actions=9, State=TTT.dtype, returns_range=(-1, 1), **rules)
    told: list[list[Any]] = [[], []]
    recipes = [Recipe(f"w{i}", lambda seed, i=i: Watcher(told[i])) for i in range(2)]
    record = Referee(game, recipes, Rules()).play(Fixture(0, 0, 1, (0, 1)))
    acted = [record.movers.count(seat) for seat in range(2)]
    assert [len(found) for found in told] == [3 * count for count in acted]


def _nothing_hidden(state, player, rng):  # type: ignore[no-untyped-def]
    pass


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"openings": -1}, "openings is -1; it must be from 0 to 60,000"),
        ({"limit": 0}, "limit is 0; give the seconds that a decision may take, above 0"),
        ({"most_actions": 0}, "most_actions is 0; it must be from 1 to 60,000"),
    ],
)
def test_rules_that_are_refused(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PlayoutError, match=sentence):
        Rules(**words)


@pytest.mark.compiles
def test_columns_are_packed_little_endian() -> None:
    record = play([f"{FAILING}:make_first", f"{FAILING}:make_first"])
    assert record.column("moves").tolist()[:3] == [0, 8, 7]
    assert record.moves[:6] == b"\x00\x00\x08\x00\x07\x00" and record.simulations == b""
    assert record.column("choices").dtype == np.dtype("<u2")
    assert record.column("choices").tolist() == list(range(9, 9 - len(record.movers), -1))


def _unshift(word: int, by: int) -> int:
    found = word
    for _ in range(64 // by + 1):
        found = word ^ (found >> by)
    return found


def _unmix(word: int) -> int:
    word = _unshift(word, 31)
    word = _unshift(word * pow(MIX_2, -1, 1 << 64) & MASK, 27)
    return _unshift(word * pow(MIX_1, -1, 1 << 64) & MASK, 30)


def _seeds_behind(word: int) -> set[int]:
    """Every seed that a stream could have begun with which is at this word now: the arithmetic of a stream can be undone."""
    found = set()
    for _ in range(200):
        for tree in range(4):
            base = (_unmix(word) - GOLDEN) & MASK
            found.add((_unmix((_unmix(base) - tree * GOLDEN - GOLDEN) & MASK) - GOLDEN) & MASK)
        word = _unshift(word, 27)
        word = word ^ (word << 25 & MASK) ^ (word << 50 & MASK)
        word = _unshift(word, 12)
    return found


@pytest.mark.compiles
def test_an_agent_cannot_work_out_the_deal() -> None:
    """Neither its seed nor the stream of its worlds can be turned back into what the dice and the cards come from."""
    stream = Stream(123456789, tree=2)
    for _ in range(20):
        stream.next()
    assert 123456789 in _seeds_behind(stream.word), "the way back is wrong, so this would test nothing"
    game = playout.load("pig:target=20")
    seen: list[Any] = []
    fixture = Schedule(players=2, agents=2).fixture(5)
    Referee(game, [Recipe("watcher", lambda seed: Watcher(seen))] * 2, Rules()).play(fixture)
    assert seen and not any(fixture.deal in _seeds_behind(state.word) for state in seen)
    known = {fixture.agent_seed(seat) for seat in range(2)}
    assert (
        not any(fixture.deal in _seeds_behind(seed << 2 | low) for seed in known for low in range(4))
        and fixture.deal not in known
    )
