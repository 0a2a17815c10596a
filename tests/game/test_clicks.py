"""Clicks on pictures: marks are read, clicks become actions, and only legal ones."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import playout
from playout import GameError
from playout.game.clicks import Marks, answers, next_parts, read_marks, ways
from playout.picture import Picture, choices

RULES = dict(playout.load("nim:heaps=1-2").functions)


def picture(state, viewer=None):
    """Heaps of one stone or two: a heap is clicked on, and then how many; all of heap 0 at once."""
    drawn = Picture(10, 10)
    with drawn.action(0 if state.heaps[0] else None, "the stone"):
        drawn.hit(0, 0, 5, 5)
    for name in ("heap", "one", "two"):
        with drawn.part(name if state.heaps[1] else None):
            drawn.circle(5, 5, 1, "#000")
    return str(drawn)


def clicked(state, parts):
    if parts[0] == "heap" and len(parts) == 2:
        return {"one": 2, "two": 3}.get(parts[1], -1)
    return -1


def nim(**more):
    rules = {role: rule for role, rule in RULES.items() if role not in playout.game.contract.SHOWN}
    return playout.Game(
        "two heaps",
        {
            **rules,
            "players": 2,
            "actions": 4,
            "returns_range": (-1, 1),
            "State": playout.load("nim:heaps=1-2").dtype,
            "svg": picture,
            "clicked": clicked,
        }
        | more,
    )


def test_marks_are_read_once_each_in_order():
    text = '<svg><g data-part="b"><a data-action="2"/></g><c data-part="a"/><c data-part="b"/><d data-action="x"/></svg>'
    assert read_marks(text) == read_marks(ElementTree.fromstring(text)) == Marks(("2", "x"), ("b", "a"))
    assert read_marks("no picture <") == Marks((), ())


def test_a_second_click_is_asked_only_after_a_first_that_means_nothing_yet():
    asked = list(answers(lambda clicks: 5 if clicks == ("a",) else -1, ("a", "b")))
    assert asked == [(("a",), 5), (("b",), -1), (("b", "a"), -1), (("b", "b"), -1)]


def test_clicks_become_legal_actions_and_nothing_else():
    state = nim().start()
    assert state.clicked(("heap",)) == -1 and state.clicked(["heap", "two"]) == 3 and state.clicked(("one", "heap")) == -1
    assert ways(state) == {0: (), 2: ("heap", "one"), 3: ("heap", "two")}
    fewer = state.play(2)
    assert fewer.clicked(("heap", "two")) == -1 and ways(fewer) == {0: (), 2: ("heap", "one")}
    over = fewer.play(2).play(0)
    assert over.over and over.clicked(("heap", "one")) == -1 and ways(over) == {}
    assert nim(clicked=None).start().clicked(("heap", "one")) == -1


def test_what_may_follow_a_first_click():
    state = nim().start()
    assert next_parts(state, "heap") == ("one", "two") and next_parts(state.play(2), "heap") == ("one",)
    assert next_parts(state, "one") == next_parts(state, "nowhere") == next_parts(nim(clicked=None).start(), "heap") == ()
    board = playout.load("breakthrough").start()
    assert next_parts(board, "b2") == ("a3", "b3", "c3") and next_parts(board, "b3") == ()
    # One click is enough for a corner of Root.
    assert next_parts(playout.load("root").start(), "clearing 1") == ()


def test_clicks_are_no_part_of_the_rules():
    from playout.compile.digest import rules

    assert rules(nim()) == rules(nim(clicked=None, svg=None)) == rules(nim(clicked=lambda state, parts: -1))


def test_what_clicked_takes_is_said():
    with pytest.raises(
        GameError,
        match=r"^game 'two heaps': clicked takes 1 argument but is called with \(state, parts\); write def clicked\(state, parts\)$",
    ):
        nim(clicked=lambda state: 0)
    rules = {"players": 1, "stages": 1, "bounds": (0, 1), "payoffs": lambda actions, out: None}
    with pytest.raises(GameError, match=r"^game 'real' defines payoffs, so its actions are real vectors, and clicked"):
        playout.Game("real", rules | {"clicked": clicked})


def test_choices_are_for_the_mover_and_for_all_eyes():
    state = nim().start().fields
    for viewer, ids in ((None, {0, 2, 3}), (0, {0, 2, 3}), (1, set())):
        assert choices(state, RULES["mover"], RULES["legal"], 3, viewer) == ids
    state.left = 0
    assert choices(state, RULES["mover"], RULES["legal"], 3) == frozenset()


def test_a_picture_marks_what_is_drawn_inside():
    drawn = Picture(10, 10)
    with drawn.action(7, "take <all>"):
        drawn.hit(0, 0, 1, 1, 2)
    with drawn.part('"b2"'), drawn.action(None, "never"), drawn.part(None, "never"):
        drawn.circle(1, 1, 1, "#000")
    drawn.button(0, 0, 40, 20, "pass", 3)
    drawn.button(0, 0, 40, 20, "stay", None)
    root = ElementTree.fromstring(str(drawn))
    assert read_marks(root) == Marks(("7", "3"), ('"b2"',))
    assert [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")] == ["take <all>", "pass"]
    assert str(drawn).count('class="hit"') == 2 and "never" not in str(drawn)
