"""What the checker says of marks in pictures: notes on what cannot be clicked, and leaks through marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.checker import audit, check

from .broken import broken
from .leaks import changed, sought

SVG = """
def svg(state):
    cells = "".join(f'<rect data-part="{i}"/>' for i in range(4) if state.moves < 4 and state.cells[i] == 0 or {more})
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{{cells}}</svg>'
def clicked(state, parts):
    return int(parts[-1]) if {means} else -1
"""


def notes(folder: Path, more: str, means: str) -> list[str]:
    rules = SVG.replace("{more}", more).replace("{means}", means).replace("{{", "{").replace("}}", "}")
    report = check(broken(folder, more=rules), states=60, seconds=2, compiled=False)
    assert report.ok, report.problems
    return [note for note in report.notes if "svg (" in note]


def test_marks_that_lead_everywhere_get_no_note(tmp_path: Path) -> None:
    assert notes(tmp_path, "False", "len(parts) == 2 or state.moves == 3") == []


def test_a_part_that_leads_nowhere_is_noted(tmp_path: Path) -> None:
    (idle,) = notes(tmp_path, "i == 2 and state.moves < 4", "state.cells[int(parts[-1])] == 0 and parts[0] != '2'")[:1]
    assert "data-part='2'" in idle and "no two clicks with it lead to a legal action; mark only what can be moved" in idle


def test_parts_that_stay_when_the_game_is_over_are_noted(tmp_path: Path) -> None:
    (idle,) = notes(tmp_path, "state.moves == 4 and i == 3", "state.cells[int(parts[-1])] == 0")
    assert "data-part='3'" in idle and "moves=4" in idle


def test_an_action_that_no_click_leads_to_is_noted(tmp_path: Path) -> None:
    lost = [note for note in notes(tmp_path, "False", "parts[-1] != '1'") if "nothing to click on" in note]
    assert len(lost) == 1 and "for action 1 in the state that start gives for seed 0" in lost[0]


def test_what_pages_would_not_show_is_noted(tmp_path: Path) -> None:
    rules = (
        'def svg(state):\n    return \'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><image href="a.png"/></svg>\''
    )
    report = check(broken(tmp_path, more=rules), states=60, seconds=2, compiled=False)
    assert report.ok and [note.split(") ", 1)[1] for note in report.notes if "svg (" in note] == [
        "uses <image> in the state that start gives for seed 0 (cells=[0 0 0 0], moves=0, bonus=1), which pages leave out of a picture; draw "
        "with plain shapes, texts and gradients",
        'marks nothing to click on; data-action="0" on an element makes it a click for action 0',
    ]


def shown(attribute) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect {attribute}/></svg>'


def acting(state) -> bool:
    return state.moves == 0


# What the picture and the clicks of player 0's first move look at.
LEAKS = {
    "svg": {"svg": lambda state, viewer: shown('data-action="1"' if acting(state) and state.cards[1] == 3 else "")},
    "svg, to who waits": {"svg": lambda state, viewer: shown('data-action="1"' if acting(state) and state.cards[0] == 3 else "")},
    "clicked": {
        "svg": lambda state, viewer: shown('data-part="bet"' if acting(state) else ""),
        "clicked": lambda state, parts: 1 if state.cards[1] == 3 else -1,
    },
}


@pytest.mark.parametrize("role", LEAKS)
def test_marks_that_tell_a_hidden_card_are_a_leak(role: str) -> None:
    found = sought(changed("kuhn-poker", **LEAKS[role]), "honesty-shown", 0.5)
    (leak,) = {finding.message for finding in found.failed if finding.code == "honesty-shown"}
    assert leak.startswith(f"{role.split(',')[0]} shows player {int('waits' in role)} what it cannot know")
    assert ("a click on bet means " if role == "clicked" else "data-action") in leak


def test_marks_of_what_is_seen_are_honest() -> None:
    own = {
        "svg": lambda state, viewer: shown('data-part="bet"' if acting(state) else ""),
        "clicked": lambda state, parts: 1 if state.cards[0] == 3 else -1,
    }
    assert not audit(changed("kuhn-poker", **own), seconds=0.5, agent=None, compiled=False).failed
