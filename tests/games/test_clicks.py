"""Every bundled game can be played by clicks on its picture: each legal action, and nothing else, and only by who may know it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import playout
from playout import Stream
from playout.game.clicks import read_marks, ways
from playout.game.load import bundled

GAMES = [name for name in bundled() if not playout.load(name).continuous]
FORMS = [
    "tic-tac-toe",
    "mnk:m=9,n=7,k=5",
    "hex:size=4,swap=true",
    "nim:heaps=1-30-2",
    "kalah:houses=3,seeds=3",
    "othello:size=4",
    "breakthrough:rows=5,columns=4",
    "liars-dice:dice=2",
    "knockout-whist:players=4",
    "pig:players=3,target=20",
    "phantom-tic-tac-toe:abrupt=true",
    "scoundrel:barehanded=false",
]
STATES = 10


def course(spec: str, seed: int):
    """The states of a random game, every so many of them."""
    stream, state = Stream(seed), playout.load(spec).start(seed)
    states = [state]
    while not state.over:
        state = state.after(state.random(stream))
        states.append(state)
    return [*states[:: max(1, len(states) // STATES)], state]


@pytest.mark.parametrize("spec", [*GAMES, *FORMS])
def test_clicks_reach_every_legal_action(spec: str) -> None:
    for state in course(spec, seed=5):
        for viewer in (None, state.mover) if not state.over else (None, 0):
            assert set(ways(state, viewer)) == set(state.legal)


@pytest.mark.parametrize("spec", [*GAMES, *FORMS])
def test_marks_are_legal_and_others_see_none_where_something_is_hidden(spec: str) -> None:
    for state in course(spec, seed=6):
        for viewer in (None, *range(state.game.players)):
            marks = read_marks(state.svg(viewer))
            assert set(marks.actions) <= {str(action) for action in state.legal}
            if state.over or (state.game.hidden and viewer not in (None, state.mover)):
                assert marks == ((), ())


@pytest.mark.parametrize("spec", GAMES)
def test_pictures_are_said_in_words(spec: str) -> None:
    name = "{http://www.w3.org/2000/svg}title"
    for state in course(spec, seed=7)[:3]:
        root = ElementTree.fromstring(state.svg(state.mover))
        assert len(root.find(name).text) > len("Hex: ")
        for element in root.iter():
            if "data-action" in element.attrib or "data-part" in element.attrib:
                assert element.find(name).text.strip()


def test_two_clicks_move_a_piece_of_breakthrough() -> None:
    state = playout.load("breakthrough").start()
    assert state.clicked(("b2",)) == -1 == state.clicked(("b3", "b2")) == state.clicked(("a1", "a2"))
    assert state.name(state.clicked(("b2", "c3"))) == "b2-c3"
    # Whatever a page may send.
    assert {state.clicked(parts) for parts in (("zz", "c3"), ("b2", ""), ("",), ("b2", "c3", "c4"), ("b2", "../c3"))} == {-1}
