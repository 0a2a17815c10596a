"""The map as text and as a picture."""

import random
import xml.etree.ElementTree as ElementTree

from playout import Stream
from tests.games.root.boards import EYRIE, MARQUISE, game, position


def walk(seed):
    chance = random.Random(seed)
    state = game().start(seed=seed)
    while not state.over:
        yield state
        state = state.play(chance.choice(state.legal))
    yield state


def test_text_fits_100_columns_and_shows_no_hidden_card():
    for number, state in enumerate(walk(4)):
        if number % 7 == 0 or state.over:
            for viewer in (None, MARQUISE, EYRIE):
                assert max(map(len, state.draw(viewer).splitlines())) <= 100
                if viewer is not None:
                    other = state.world(viewer, Stream(number))
                    assert other.draw(viewer) == state.draw(viewer) and other.svg(viewer) == state.svg(viewer)


def test_what_the_text_tells():
    state = position(
        hers={1: 3}, theirs={3: 6}, keep=1, wood={1: 2}, sawmills=[1], roosts=[3], hands=("anvil", "mice tax"), known=("", "tax")
    )
    text = state.draw(MARQUISE)
    assert "[S] Marquise" in text and "wood 2 KEEP" in text and "[E] Eyrie" in text and "M 3" in text and "E 6" in text
    assert "hand Anvil (fox)" in text and "hand Tax Collector (fox), 1 unknown" in text and "Favor of the Mice" not in text
    assert "Favor of the Mice (mouse)" in state.draw(EYRIE) and "Favor of the Mice (mouse)" in state.draw(None)


def test_before_a_leader_is_chosen_all_four_are_face_up():
    state = game().start(1).replay(["keep in 1", "build sawmill in 1", "build workshop in 5", "build recruiter in 9"])
    assert "leader -, face up Builder Charismatic Commander Despot" in state.draw(EYRIE)
    assert "leader Builder, face up Charismatic Commander Despot" in state.play("leader Builder").draw(EYRIE)


def test_pictures():
    for number, state in enumerate(walk(6)):
        if number % 40 == 0 or state.over:
            for viewer in (None, MARQUISE, EYRIE):
                picture = state.svg(viewer)
                assert picture and ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
    state = position(hers={1: 3}, theirs={3: 6}, keep=1, hands=("anvil", "mice tax"), known=("", "tax"))
    assert "Favor of the Mice" not in state.svg(MARQUISE) and "Favor of the Mice" in state.svg(EYRIE)
    assert "Tax Collector" in state.svg(MARQUISE)
