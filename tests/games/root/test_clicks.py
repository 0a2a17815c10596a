"""Clicks on the map: two ends make an action, one is enough where only one action has it."""

from playout.game.clicks import read_marks, ways
from playout.games.root.clicks import ENDS, VERBS
from tests.games.root.boards import EYRIE, MARQUISE, game
from tests.games.root.test_drawing import walk


def named(state, *parts):
    action = state.clicked(parts)
    return state.name(action) if action >= 0 else None


def test_the_first_decisions_are_one_click_each():
    state = game().start(seed=1)
    assert [state.name(action) for action in state.legal] == ["keep in 1", "keep in 2", "keep in 3", "keep in 4"]
    assert named(state, "clearing 3") == "keep in 3" == named(state, "keep", "clearing 3") == named(state, "clearing 3", "keep")
    assert named(state, "keep") is None and named(state, "clearing 7") is None
    assert {part for way in ways(state, state.mover).values() for part in way} == {f"clearing {n}" for n in range(1, 5)}


def test_in_daylight_a_clearing_needs_a_second_click():
    state = next(state for state in walk(3) if "end Daylight" in map(state.name, state.legal) and len(state.legal) > 30)
    march = next(action for action in state.legal if state.name(action).startswith("march"))
    start, end = ENDS[march]
    assert named(state, start) is None and named(state, start, end) == state.name(march) != named(state, end, start)
    build = next(action for action in state.legal if state.name(action).startswith("build"))
    verb, place = ENDS[build]
    assert verb in VERBS and named(state, verb, place) == named(state, place, verb) == state.name(build)
    assert str(next(a for a in state.legal if state.name(a) == "end Daylight")) in read_marks(state.svg(state.mover)).actions


def test_a_card_goes_to_a_column_of_the_decree():
    state = next(state for state in walk(5) if any(" to MOVE" in state.name(action) for action in state.legal))
    card, column = ENDS[next(action for action in state.legal if " to MOVE" in state.name(action))]
    assert state.mover == EYRIE and column == "column 1"
    assert named(state, card, column).endswith(" to MOVE") and named(state, column, card) == named(state, card, column)
    assert card in read_marks(state.svg(EYRIE)).parts and read_marks(state.svg(MARQUISE)) == ((), ())
