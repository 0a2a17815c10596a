"""Every message of the checker, from a game that deserves it; uncompiled, since none of these faults needs a compiler."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from playout import PlayoutError, load
from playout.checker import check
from playout.checker.contract.findings import Findings
from playout.checker.contract.mirrors import Mirrors
from playout.checker.contract.probe import Probe
from playout.checker.contract.watch import Watch
from playout.cli.position import read_state
from playout.errors import FileError
from playout.game.symmetry import symmetries_of

from .broken import broken


def symmetric(encoded: str, action: str) -> str:
    """An encoding of the four cells, and two ways to see it."""
    return (
        "encoding = (4, 2)\nsymmetries = 2\ndef encode(state, player, out):\n    for i in range(4):\n        if state.cells[i] > 0:\n"
        "            out[i, 0 if state.cells[i] == player + 1 else 1] = 1.0\n"
        f"def mirror_encoding(symmetry, encoded):\n    return {encoded}\ndef mirror_action(symmetry, action):\n    return {action}"
    )


LAWS = 'laws = ("a bonus below 3", "as many moves as cells")\n'
MARKED = 'def marked(attribute):\n    return f\'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect {attribute}/></svg>\'\n'
PARTS = MARKED + "def svg(state):\n    return marked('data-part=\"a\"') if state.moves < 4 else marked('')\n"
# code, words that the message must hold, and what replaces a part of the good game
CASES: dict[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    "no legal action": (
        "legal-none",
        ("legal (", "line", "returned 0", "mover", "-1", "cells="),
        {"mover": "def mover(state):\n    return state.moves & 1"},
    ),
    "too many for the buffer": (
        "legal-many",
        ("past its buffer of 2", "returned 4", "most_legal = 4"),
        {"more": "most_legal = 2"},
    ),
    "count above the buffer": (
        "legal-many",
        ("returned 9", "there are only 4 ids, so raise actions to 9"),
        {"legal": "def legal(state, out):\n    for i in range(4):\n        out[i] = i\n    return 9"},
    ),
    "more ids than there are": (
        "legal-many",
        ("past its buffer of 2 and returned 4", "there are only 2 ids, so raise actions to 4 or more, or write fewer ids"),
        {"more": "actions = 2"},
    ),
    "a helper that wants names": (
        "source-keyword",
        ("helper (", "takes b by name only", "leave the * out of its arguments"),
        {
            "mover": "def helper(a, *, b):\n    return a & b\ndef mover(state):\n    return -1 if state.moves == 4 else helper(state.moves, b=1)"
        },
    ),
    "the state as a dict": (
        "play-field",
        ("looks a field up in brackets", "write a dot, as in state.cells", "cells, moves, bonus"),
        {"play": "def play(state, action, rng):\n    state['moves'] += 1"},
    ),
    "a copy of the state": (
        "play-field",
        ("copies the state", "play changes the state that it is handed"),
        {"play": "def play(state, action, rng):\n    state.copy()"},
    ),
    "an index that is no whole number": (
        "play-fails",
        ("no whole number", "// instead of /"),
        {"play": "def play(state, action, rng):\n    state.cells[action / 2] = 1"},
    ),
    "play calls itself for ever": (
        "play-fails",
        ("calls itself deeper than", "write it as a loop"),
        {"play": "def dig(n):\n    return dig(n + 1)\ndef play(state, action, rng):\n    state.bonus = dig(0)"},
    ),
    "negative count": ("legal-count", ("returned -1", "how many"), {"legal": "def legal(state, out):\n    return -1"}),
    "no count": ("legal-count", ("returned None", "how many"), {"legal": "def legal(state, out):\n    out[0] = 0"}),
    "unknown id": (
        "legal-range",
        ("action 4", "0 to 3", "raise actions"),
        {"legal": "def legal(state, out):\n    out[0] = 4\n    return 1"},
    ),
    "an id twice": (
        "legal-duplicate",
        ("action 1", "more than once"),
        {"legal": "def legal(state, out):\n    out[0], out[1] = 1, 1\n    return 2"},
    ),
    "legal outside the state": (
        "legal-outside",
        ("mygame.py, line 15", "out of bounds", "size of the field"),
        {"legal": "def legal(state, out):\n    out[0] = state.cells[7]\n    return 1"},
    ),
    "legal changes the state": (
        "legal-changes",
        ("changed the state (field bonus)", "only start and play may"),
        {"legal": "def legal(state, out):\n    state.bonus += 1\n    out[0] = 0\n    return 1"},
    ),
    "legal remembers": (
        "legal-differs",
        ("two answers", "arguments alone"),
        {"legal": "calls = [0]\ndef legal(state, out):\n    calls[0] += 1\n    out[0] = calls[0] % 4\n    return 1"},
    ),
    "mover out of range": ("mover-range", ("returned 2", "0 to 1"), {"mover": "def mover(state):\n    return 2"}),
    "mover is no number": ("mover-type", ("returned None", "whole number"), {"mover": "def mover(state):\n    pass"}),
    "mover is a bool": ("mover-type", ("returned False",), {"mover": "def mover(state):\n    return state.moves > 3"}),
    "mover changes the state": (
        "mover-changes",
        ("field moves",),
        {"mover": "def mover(state):\n    state.moves += 1\n    return -1 if state.moves > 4 else 0"},
    ),
    "returns not a number": (
        "returns-nan",
        ("gave nan to player 1", "finite"),
        {"returns": "def returns(state, out):\n    out[0] = 0.0\n    out[1] = np.nan"},
    ),
    "returns for one only": (
        "returns-missing",
        ("out[1] unwritten", "every player"),
        {"returns": "def returns(state, out):\n    out[0] = 0.0"},
    ),
    "returns in place of writing": (
        "returns-missing",
        ("returned (0.0, 0.0) and wrote nothing into out", "write out[0] = ..."),
        {"returns": "def returns(state, out):\n    return (0.0, 0.0)"},
    ),
    "a number too big for its field": (
        "play-overflow",
        (
            "line 24) stored 300 in state.cells",
            "its int8 holds -128 to 127, so that 44 is left of it",
            "give the field a wider type",
        ),
        {"play": "def play(state, action, rng):\n    state.cells[action] = 300\n    state.moves += 1"},
    ),
    "a number too small for its field": (
        "start-overflow",
        ("stored -32769 in state.moves", "its int16 holds -32,768 to 32,767, so that 32767 is left of it"),
        {"start": "def start(state, rng):\n    state.moves = -32769", "mover": "def mover(state):\n    return -1"},
    ),
    "an encoding that is not finite": (
        "encode-nan",
        ("encode (", "wrote inf into out[1, 3] for player 0", "scale big ones"),
        {"more": "encoding = (2, 4)\ndef encode(state, player, out):\n    out[1, 3] = 1e39"},
    ),
    "an encoding with a memory": (
        "encode-differs",
        ("encode (", "line"),
        {
            "more": "encoding = (4,)\nMEMORY = np.zeros(1)\ndef encode(state, player, out):\n    MEMORY[0] += 1\n    out[0] = MEMORY[0]"
        },
    ),
    "an encoding too big for its shape": (
        "encode-outside",
        ("reads or writes outside an array", "check the index"),
        {"more": "encoding = (4,)\ndef encode(state, player, out):\n    out[4] = 1.0"},
    ),
    "an encoding that plays": (
        "encode-changes",
        ("changed the state (field bonus)",),
        {"more": "encoding = (4,)\ndef encode(state, player, out):\n    state.bonus += 1"},
    ),
    "a symmetry that loses an action": (
        "symmetry-table",
        ("mirror_action loses or doubles something for symmetry 1", "every action id must come out once"),
        {"more": symmetric("encoded[::-1] if symmetry else encoded", "0 if symmetry else action")},
    ),
    "a symmetry of the board alone": (
        "symmetry-legal",
        ("mirror_action (", "symmetry 1 is none of the rules", "the legal actions of the one become", "declare fewer symmetries"),
        {"more": symmetric("encoded[::-1] if symmetry else encoded", "action")},
    ),
    "a symmetry that is none": (
        "symmetry-play",
        ("mirror_encoding (", "with returns of [", "correct mirror_encoding or mirror_action"),
        {"more": symmetric("encoded[::-1] if symmetry else encoded", "3 - action if symmetry else action")},
    ),
    "returns adds up": (
        "returns-missing",
        ("out[0]", "added to what was there"),
        {"returns": "def returns(state, out):\n    out[0] += 1.0\n    out[1] = 0.0"},
    ),
    "returns out of range": (
        "returns-range",
        ("gave 5.0 to player 0", "-1 to 1"),
        {"returns": "def returns(state, out):\n    out[0] = 5.0\n    out[1] = 0.0"},
    ),
    "returns changes the state": (
        "returns-changes",
        ("field cells",),
        {"returns": "def returns(state, out):\n    state.cells[0] = 2\n    out[0] = 0.0\n    out[1] = 0.0"},
    ),
    "returns by chance": (
        "returns-differs",
        ("two answers",),
        {"returns": "import random\ndef returns(state, out):\n    out[0] = random.random()\n    out[1] = 0.0"},
    ),
    "play outside the state": (
        "play-outside",
        ("play (", "index 4 is out of bounds", "damage"),
        {"play": "def play(state, action, rng):\n    state.cells[action + 1] = 1\n    state.moves += 1"},
    ),
    "unknown field": (
        "play-field",
        ("line 24", "'cell'", "the fields are cells, moves, bonus"),
        {"play": "def play(state, action, rng):\n    state.cell[action] = 1\n    state.moves += 1"},
    ),
    "unknown field written": (
        "play-field",
        ("turn", "the fields are cells, moves, bonus"),
        {"play": "def play(state, action, rng):\n    state.turn = 1"},
    ),
    "whole array assigned": (
        "play-field",
        ("whole array state.cells", "state.cells[i] = ..."),
        {"play": "def play(state, action, rng):\n    state.cells = 1"},
    ),
    "play raises": (
        "play-fails",
        ("ZeroDivisionError", "every state"),
        {"play": "def play(state, action, rng):\n    state.moves += 1 // (state.moves - state.moves)"},
    ),
    "play without a value": (
        "play-fails",
        ("no value yet", "before the if"),
        {"play": "def play(state, action, rng):\n    if action > 9:\n        x = 1\n    state.moves += x"},
    ),
    "play by other chance": (
        "play-differs",
        ("two results for the same seed", "field bonus", "below(rng, n)"),
        {"play": "import random\ndef play(state, action, rng):\n    state.bonus = random.getrandbits(20)\n    state.moves += 1"},
    ),
    "start by other chance": (
        "start-differs",
        ("start (", "field bonus"),
        {"start": "def start(state, rng):\n    state.bonus = np.random.randint(1 << 30)"},
    ),
    "start raises": ("start-fails", ("start (", "ValueError"), {"start": "def start(state, rng):\n    raise ValueError('no')"}),
    "copies share a global": (
        "copy-shared",
        ("different action was played on a copy", "nothing in globals"),
        {
            "play": "last = [0]\ndef play(state, action, rng):\n    state.bonus = last[0] == action\n    last[0] = action\n    state.moves += 1"
        },
    ),
    "never over": (
        "endless",
        ("mover (", "50,000 actions", "limit"),
        {
            "legal": "def legal(state, out):\n    out[0] = 0\n    return 1",
            "play": "def play(state, action, rng):\n    state.bonus += 1",
            "mover": "def mover(state):\n    return 0",
        },
    ),
    "stuck": (
        "play-stuck",
        ("play (", "did not come back", "mygame.py, line 2"),  # the loop's head or its body, as Python has it
        {"play": "def play(state, action, rng):\n    while action >= 0:\n        pass"},
    ),
    "key is no number": ("key-type", ("returned 0.5",), {"key": "def key(state):\n    return 0.5"}),
    "key too big": ("key-range", ("64 bits", "Zobrist"), {"key": "def key(state):\n    return 1 << 70"}),
    "key of too little": (
        "key-collision",
        ("two states", "from seed", "mover included"),
        {"key": "def key(state):\n    return 7"},
    ),
    "key that forgets a field": (
        "key-collision",
        ("two states that differ after action", "they have different returns", "which differ in cells", "mover included"),
        {
            "key": "def key(state):\n    free = 0\n    for i in range(4):\n        free |= (state.cells[i] == 0) << i\n    return 4 * free + state.bonus"
        },
    ),
    "key that is blind to the result": (
        "key-collision",
        ("two states with different returns (", "which differ in cells"),
        {
            "key": "def key(state):\n    return state.moves if state.moves == 4 else state.cells[0] + 3 * state.cells[1] + 9 * state.cells[2] + 27 * state.cells[3] + 1000 * (1 + state.bonus)"
        },
    ),
    "key changes the state": ("key-changes", ("field moves",), {"key": "def key(state):\n    state.moves += 1\n    return 1"}),
    "key by chance": (
        "key-differs",
        ("two answers",),
        {"key": "import random\ndef key(state):\n    return random.getrandbits(60)"},
    ),
    "canonical is no number": ("canonical-type", ("returned 0.5",), {"more": "def canonical(state):\n    return 0.5"}),
    "canonical too big": ("canonical-range", ("64 bits",), {"more": "def canonical(state):\n    return 1 << 70"}),
    "canonical of too little": (
        "canonical-differs",
        ("two states with different", "mirror each other"),
        {"more": "def canonical(state):\n    return 7"},
    ),
    "too many patterns": (
        "patterns-count",
        ("returned 3", "at most the 2 of most_patterns"),
        {"more": "pattern_weights = 5\nmost_patterns = 2\ndef patterns(state, player, out):\n    return 3"},
    ),
    "a pattern that is not there": (
        "patterns-id",
        ("wrote the id 5", "from 0 to 4"),
        {"more": "pattern_weights = 5\nmost_patterns = 2\ndef patterns(state, player, out):\n    out[0] = 5\n    return 1"},
    ),
    "illegal playout action": (
        "playout_action-illegal",
        ("returned 9", "not legal", "legal[0]"),
        {"more": "def playout_action(state, legal, count, rng):\n    return 9"},
    ),
    "evaluate not a number": (
        "evaluate-nan",
        ("evaluate (", "inf"),
        {"more": "def evaluate(state, out):\n    out[0] = np.inf\n    out[1] = 0.0"},
    ),
    "evaluate out of range": (
        "evaluate-range",
        ("gave 3.0",),
        {"more": "def evaluate(state, out):\n    out[0] = 3.0\n    out[1] = 0.0"},
    ),
    "prior is negative": (
        "prior-number",
        ("weight -1.0", "0 or more"),
        {"more": "def prior(state, legal, count, out):\n    for i in range(count):\n        out[i] = -1.0"},
    ),
    "prior is zero": (
        "prior-zero",
        ("weight 0 to every action",),
        {"more": "def prior(state, legal, count, out):\n    for i in range(count):\n        out[i] = 0.0"},
    ),
    "wins counts wrong": (
        "wins-count",
        ("wins (", "returned 9 in the state", "at most 4"),
        {"more": "def wins(state, out):\n    return 9"},
    ),
    "wins leaves one out": (
        "wins-wrong",
        ("wins (", "listed [0] in the state", "is nothing; list each"),
        {"more": "def wins(state, out):\n    out[0] = 0\n    return 1"},
    ),
    "prior left out": (
        "prior-missing",
        ("out[1] unwritten",),
        {"more": "def prior(state, legal, count, out):\n    out[0] = 1.0"},
    ),
    "names twice": (
        "action_name-same",
        ("both 'x'", "name of its own"),
        {"more": "def action_name(state, action):\n    return 'x'"},
    ),
    "name is a number": (
        "action_name-type",
        ("returned 0", "a text"),
        {"more": "def action_name(state, action):\n    return action"},
    ),
    "name fails": (
        "action_name-fails",
        ("action_name (", "line", "KeyError"),
        {"more": "def action_name(state, action, viewer):\n    return {}[action]"},
    ),
    "drawing fails": (
        "draw-outside",
        ("draw (", "out of range"),
        {"more": "def draw(state):\n    return ' '.join('.X'[c] for c in state.cells)"},
    ),
    "drawing is printed": ("draw-type", ("NoneType", "do not print"), {"more": "def draw(state):\n    pass"}),
    "drawing changes the state": (
        "draw-changes",
        ("field moves",),
        {"more": "def draw(state, viewer):\n    state.moves = 3\n    return 'x'"},
    ),
    "picture is no XML": (
        "svg-xml",
        ("svg (", "escape"),
        {"more": "def svg(state):\n    return '<svg><text>a & b</text></svg>'"},
    ),
    "picture is no SVG": ("svg-xml", ("namespace", "xmlns"), {"more": "def svg(state):\n    return '<svg></svg>'"}),
    "a mark that names no legal action": (
        "svg-action",
        ("svg (", "marks data-action='9'", "no legal action there (legal: 0, 1, 2, 3)", "mark only what `legal` lists"),
        {"more": f"{MARKED}def svg(state):\n    return marked('data-action=\"9\"')"},
    ),
    "a mark that stays when its action is gone": (
        "svg-action",
        ("marks data-action='0' in the state after action", "no legal action there (legal: "),
        {"more": f"{MARKED}def svg(state):\n    return marked('data-action=\"0\"')"},
    ),
    "a mark when the game is over": (
        "svg-action",
        ("marks data-action='1'", "(the game is over)"),
        {"more": f"{MARKED}def svg(state):\n    return marked('data-action=\"1\"' if state.moves == 4 else '')"},
    ),
    "a picture without a size": (
        "svg-page",
        ("svg (", "its size is not known; give the <svg> element a viewBox of four numbers, in the state"),
        {"more": "def svg(state):\n    return '<svg xmlns=\"http://www.w3.org/2000/svg\"/>'"},
    ),
    "parts without a function": (
        "svg-part",
        ("svg (", "data-part='a'", "add def clicked(state, parts)"),
        {"more": f"{MARKED}def svg(state):\n    return marked('data-part=\"a\"')"},
    ),
    "clicks mean something illegal": (
        "clicked-illegal",
        ("clicked (", "made action 7 of the clicks ('a',)", "return -1"),
        {"more": f"{PARTS}def clicked(state, parts):\n    return 7"},
    ),
    "clicks mean no number": (
        "clicked-type",
        ("clicked (", "returned None for ('a',)", "-1 for none yet"),
        {"more": f"{PARTS}def clicked(state, parts):\n    pass"},
    ),
    "clicks that fail": (
        "clicked-fails",
        ("clicked (", "KeyError"),
        {"more": f"{PARTS}def clicked(state, parts):\n    return {{}}[parts]"},
    ),
    "clicks that change the state": (
        "clicked-changes",
        ("field moves",),
        {"more": f"{PARTS}def clicked(state, parts):\n    state.moves = 3\n    return -1"},
    ),
    "facts are no list": (
        "hidden_facts-type",
        ("hidden_facts (", "return a list of texts"),
        {"more": "def hidden_facts(state, viewer):\n    return 'a card'"},
    ),
    "facts are said twice": (
        "hidden_facts-same",
        ("hidden_facts (", "say each thing once"),
        {"more": "def hidden_facts(state, viewer):\n    return ['a card', 'a card']"},
    ),
    "law broken": (
        "law-broken",
        (
            "play (",
            "left law 2, 'as many moves as cells', broken in the state after action",
            "moves=3",
            "correct what the last action did",
        ),
        {"more": f"{LAWS}def broken(state):\n    return 2 if state.moves == 3 else 0"},
    ),
    "law broken at once": (
        "law-broken",
        ("start (", "left law 1, 'a bonus below 3', broken in the state that start gives for seed 0"),
        {"more": f"{LAWS}def broken(state):\n    return 1"},
    ),
    "no such law": ("broken-range", ("returned 3 in", "from 1 to 2"), {"more": f"{LAWS}def broken(state):\n    return 3"}),
    "a law that changes the state": (
        "broken-changes",
        ("changed the state (field bonus)",),
        {"more": f"{LAWS}def broken(state):\n    state.bonus += 1\n    return 0"},
    ),
    "picture is nothing": ("svg-type", ("NoneType",), {"more": "def svg(state):\n    pass"}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_broken_game_gets_its_message(name: str, tmp_path: Path) -> None:
    code, words, parts = CASES[name]
    report = check(broken(tmp_path, **parts), states=60, seconds=2 if name != "never over" else 20, compiled=False)
    assert not report.ok
    found = {problem.code: problem.message for problem in report.problems}
    assert code in found, found
    for word in words:
        assert word in found[code]
    assert "mygame.py" in found[code] and "\n" not in found[code]


def test_the_good_game_passes(tmp_path: Path) -> None:
    report = check(broken(tmp_path), states=100, compiled=False)
    assert report.ok and report.problems == () and report.speed is None
    assert report.states >= 100 and report.playouts >= 20 and report.longest == 4 and report.most_legal == 4
    assert any("key(state)" in note for note in report.notes)
    data = json.loads(report.to_json())
    assert data["ok"] is True and data["problems"] == [] and data["speed"] is None and data["game"].endswith("mygame.py")
    assert "keeps the contract" in str(report)


def test_a_finished_game_is_shown(tmp_path: Path) -> None:
    report = check(
        broken(tmp_path, draw="def draw(state):\n    return f'first cell: {state.cells[0]}'"), states=20, compiled=False
    )
    sample = report.sample
    assert sample is not None and len(sample.actions) == 4 and sample.seed == 0
    end = broken(tmp_path).start(0).replay(sample.actions)
    assert end.over and end.returns == sample.returns and set(sample.returns) == {1.0, -1.0}
    assert sample.drawing == f"first cell: {end.fields.cells[0]}"
    paid = ", ".join(f"player {player} {value:+g}" for player, value in enumerate(sample.returns))
    assert (
        f"  a random game (seed 0, 4 actions): {', '.join(sample.actions)}\n    {sample.drawing}\n    returns: {paid}; is that right?"
        in str(report)
    )
    assert json.loads(report.to_json())["sample"]["returns"] == list(sample.returns)


def test_a_key_that_leaves_out_what_does_not_matter_is_only_noted(tmp_path: Path) -> None:
    key = "def key(state):\n    return state.cells[0] + 3 * state.cells[1] + 9 * state.cells[2] + 27 * state.cells[3]"
    report = check(broken(tmp_path, key=key), states=60, compiled=False)
    assert report.ok and any("is the same for states that differ in bonus" in note for note in report.notes)


def test_what_a_game_prints_is_held_back_and_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loud = "def play(state, action, rng):\n    print('playing', action)\n    state.cells[action] = 1 + (state.moves & 1)\n    state.moves += 1"
    report = check(broken(tmp_path, play=loud), states=60, compiled=False)
    assert capsys.readouterr().out == ""
    assert [p.code for p in report.problems].count("source-print") == 1
    hidden = "say = print\n" + loud.replace("print(", "say(")
    report = check(broken(tmp_path, play=hidden), states=60, compiled=False)
    (found,) = (p for p in report.problems if p.code == "source-print")
    assert capsys.readouterr().out == ""
    assert "prints ('playing" in found.message and found.message.endswith("take it out, or put it into draw")


def test_a_report_prints_and_encodes_its_problems(tmp_path: Path) -> None:
    report = check(broken(tmp_path, mover="def mover(state):\n    return 5"), states=10, compiled=False)
    assert "has 1 problem" in str(report) and "mover-range" in str(report)
    (problem,) = json.loads(report.to_json())["problems"]
    assert problem["code"] == "mover-range" and problem["message"].startswith("mover (")
    assert str(report.problems[0]).startswith("mover-range: mover (")


def test_the_state_in_a_message_can_be_reached_again(tmp_path: Path) -> None:
    parts = {"play": "def play(state, action, rng):\n    state.cells[action] = 1\n    state.moves += 1 + 7 * (state.moves == 2)"}
    game = broken(
        tmp_path, **parts, more="def evaluate(state, out):\n    out[0] = 0.0 if state.moves < 9 else 4.0\n    out[1] = 0.0"
    )
    (message,) = (p.message for p in check(game, states=40, compiled=False).problems if p.code == "evaluate-range")
    actions = message.partition("after actions ")[2].partition(" from seed ")[0]
    seed = message.partition(" from seed ")[2].partition(" ")[0]
    assert game.start(int(seed)).replay(actions.split(", ")).fields.moves == 10


def test_a_play_that_changes_nothing_is_noted(tmp_path: Path) -> None:
    parts = {
        "play": "def play(state, action, rng):\n    if action == 3 and state.bonus == 0:\n        state.bonus = 1\n        return\n"
    }
    parts["play"] += (
        "    if action != 2 or state.moves == 3 or state.bonus == 2:\n        state.moves += 1\n        state.cells[action] = 1"
    )
    parts["returns"] = "def returns(state, out):\n    out[0] = 0.0\n    out[1] = 0.0"
    report = check(broken(tmp_path, **parts), states=300, compiled=False)
    assert report.ok and any("changed nothing for action 2" in note for note in report.notes)


def test_problems_are_found_after_a_failure_to_show(tmp_path: Path) -> None:
    more = "def draw(state):\n    return 1 // 0\ndef action_name(state, action):\n    return 'x'"
    codes = {p.code for p in check(broken(tmp_path, more=more), states=20, compiled=False).problems}
    assert codes == {"draw-fails", "action_name-same"}


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, float]] = []
    check(broken(tmp_path), states=20, compiled=False, progress=lambda doing, done: told.append((doing, done)))
    assert told[0] == ("reading the rules", 0.0) and told[-1] == ("playing uncompiled", 1.0)


def test_a_wide_most_legal_is_noted(tmp_path: Path) -> None:
    notes = check(broken(tmp_path, more="most_legal = 65536"), states=20, compiled=False).notes
    assert any("most_legal is 65,536" in note for note in notes)


@pytest.mark.parametrize("wrong", [{"states": 0}, {"seconds": 0.0}, {"seed": -1}])
def test_what_cannot_be_checked_with_is_refused(wrong: dict[str, int], tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match="cannot be used"):
        check(broken(tmp_path), compiled=False, **wrong)  # type: ignore[arg-type]


def test_laws_that_hold_are_named(tmp_path: Path) -> None:
    report = check(broken(tmp_path, more=f"{LAWS}def broken(state):\n    return state.bonus // 3"), states=40, compiled=False)
    assert report.ok and report.laws == ("a bonus below 3", "as many moves as cells")
    assert "held in every state: a bonus below 3; as many moves as cells" in str(report)


def test_worlds_keep_the_laws(tmp_path: Path) -> None:
    hidden = "def observe(state, player):\n    state.bonus = 0\ndef determinize(state, player, rng):\n    state.bonus = below(rng, 4)\n"
    game = broken(tmp_path, more=f"{LAWS}{hidden}def broken(state):\n    return state.bonus // 3")
    found = {problem.code: problem.message for problem in check(game, states=40, seconds=1, compiled=False).problems}
    assert "determinize broke the law 'a bonus below 3' in a world of player" in found["law-broken"]


def test_a_saved_state_is_refused_by_the_law_it_breaks(tmp_path: Path) -> None:
    game = broken(tmp_path, more=f"{LAWS}def broken(state):\n    return 1 if state.bonus > 2 else 0")
    file = tmp_path / "saved.json"
    file.write_text(game.state({"bonus": 7}).to_json(), encoding="utf-8")
    with pytest.raises(FileError) as refused:
        read_state(game, file)
    assert str(refused.value) == f"state file {str(file)!r} is damaged: it breaks the law 'a bonus below 3'"
    file.write_text(game.state({"bonus": 2}).to_json(), encoding="utf-8")
    assert read_state(game, file).fields.bonus == 2


def test_a_symmetry_of_the_rules_passes(tmp_path: Path) -> None:
    """Cells 1 and 2 are worth the same."""
    swap, move = "encoded[[0, 2, 1, 3]] if symmetry else encoded", "(0, 2, 1, 3)[action] if symmetry else action"
    report = check(broken(tmp_path, more=symmetric(swap, move)), states=100, compiled=False)
    assert report.ok and not any("not held against" in note for note in report.notes), str(report)


@pytest.mark.parametrize(
    "name",
    [
        "tic-tac-toe",
        "connect-four:columns=5,rows=4",
        "othello:size=4",
        "hex:size=3,swap=true",
        "breakthrough:rows=5,columns=3",
        "scoundrel:deck=2C-2S-9C-9S-3D-4H",
    ],
)
def test_symmetries_of_bundled_games_are_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.checker.contract.mirrors.ENOUGH", 30)
    found, pairs = mirrored(name, 20.0)
    assert not found.problems and not found.notes and pairs > 20


def test_a_symmetry_that_leads_to_no_state_is_noted() -> None:
    """The slots of a room in another order are the same state, told in another way."""
    found, pairs = mirrored("scoundrel:deck=2C-3S-5D-5H-9S-4H", 0.1)
    assert pairs == 0 and "no two states that are images of each other were met" in found.notes["symmetry-unseen"]


def mirrored(name: str, seconds: float) -> tuple[Findings, int]:
    """What is found of the symmetries of a bundled game, and how many pairs of states were looked at."""
    found = Findings(load(name))
    with Watch(found, 5.0) as watch:
        symmetries = symmetries_of(found.game)
        assert symmetries is not None
        mirrors = Mirrors(Probe(found, watch), symmetries)
        mirrors.look(1, time.monotonic() + seconds)
    return found, mirrors.pairs
