"""What the rules may not use is found by reading them: the function, the line, the cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.checker import check

from .broken import broken

# what stands in the body of a helper that `mover` calls, the code, and words of the message
CASES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "text": ("x = 'abc'", "source-string", ("uses a text", "draw")),
    "f-string": ("x = f'{state.moves}'", "source-string", ("uses a text",)),
    "str": ("x = str(state.moves)", "source-string", ("uses texts",)),
    "list": ("x = [1, 2]", "source-list", ("builds a list", "array in the state")),
    "comprehension": ("x = [i for i in range(3)]", "source-list", ("builds a list",)),
    "dict": ("x = {1: 2}", "source-list", ("builds a list, dict or set",)),
    "set": ("x = {1, 2}", "source-list", ("builds a list, dict or set",)),
    "sorted": ("x = sorted((2, 1))", "source-list", ("builds a list, dict or set",)),
    "generator": ("x = sum(1 for i in range(3))", "source-generator", ("write the loop out",)),
    "try": ("try:\n        x = 1\n    except Exception:\n        x = 2", "source-exception", ("try, raise or assert",)),
    "raise": ("if state.moves > 99:\n        raise ValueError('no')", "source-exception", ("test with if",)),
    "assert": ("assert state.moves < 99", "source-exception", ("test with if",)),
    "with": ("import contextlib\n    with contextlib.suppress(Exception):\n        x = 1", "source-with", ("uses with",)),
    "import": ("import math", "source-import", ("top of the file",)),
    "lambda": ("x = (lambda y: y)(3)", "source-lambda", ("function inside a function",)),
    "nested": ("def f(y):\n        return y\n    x = f(3)", "source-lambda", ("function inside a function",)),
    "class": ("class A:\n        pass", "source-class", ("defines a class",)),
    "print": ("print(1, end='') if state.moves > 99 else None", "source-print", ("prints",)),
    "zeros": ("x = np.zeros(3)", "source-numpy", ("calls np.zeros", "memory")),
    "where": ("x = np.where(np.asarray(state.cells) == 0)", "source-numpy", ("calls np.where",)),
    "numpy deeper": ("x = np.linalg.norm(np.ones(2))", "source-numpy", ("calls numpy.linalg.norm",)),
    "random": ("x = random.random()", "source-chance", ("uses random.random", "below(rng, n)")),
    "np.random": ("x = np.random.random()", "source-chance", ("uses np.random", "below(rng, n)")),
    "clock": ("x = time.time()", "source-chance", ("uses time.time",)),
    "clock by name": ("x = monotonic()", "source-chance", ("uses monotonic",)),
    "global": ("global COUNT\n    COUNT = 1", "source-global", ("changes a global", "field of State")),
    "global array": ("TABLE[0] = 1", "source-global", ("writes into the global TABLE", "field of State")),
    "isinstance": ("x = isinstance(state.moves, int)", "source-python", ("types or attributes",)),
    "walrus": ("if (x := state.moves) > 99:\n        x = 0", "source-walrus", ("assigns with :=", "a line of its own before it")),
    "field in brackets": (
        "x = state['moves'] if False else 0",
        "source-string",
        ("looks up state['moves']", "write state.moves"),
    ),
    "copy of the state": ("x = state.copy() if False else 0", "source-copy", ("copies the state", "play changes the state")),
    "module": ("x = textwrap.dedent('a')", "source-module", ("from textwrap import dedent",)),
}
HEAD = "import random, time, textwrap\nfrom time import monotonic\nCOUNT = 0\nTABLE = np.zeros(3)\n"
MOVER = "def mover(state):\n    look(state)\n    return -1 if state.moves == 4 else state.moves & 1"


@pytest.mark.parametrize("name", CASES)
def test_a_violation_is_named_with_its_line(name: str, tmp_path: Path) -> None:
    body, code, words = CASES[name]
    game = broken(
        tmp_path, helper=f"{HEAD}\ndef look(state):\n    '''Text here is fine.'''\n    {body}\n    return 0", mover=MOVER
    )
    messages = [p.message for p in check(game, states=8, compiled=False).problems if p.code == code]
    first = (tmp_path / "mygame.py").read_text().splitlines().index("def look(state):") + 3
    lines = range(first, first + len(body.splitlines()))
    assert any(all(word in message for word in words) for message in messages), messages
    assert all(message.startswith("look (") and any(f"line {n})" in message for n in lines) for message in messages)


def test_each_function_and_all_its_lines_are_named(tmp_path: Path) -> None:
    helper = "def one(state):\n    x = [1]\n    y = [2]\n    return 0\n\ndef two(state):\n    return len((1, [2]))"
    mover = "def mover(state):\n    one(state)\n    two(state)\n    return -1 if state.moves == 4 else state.moves & 1"
    messages = [p.message for p in check(broken(tmp_path, helper=helper, mover=mover), states=8, compiled=False).problems]
    assert len(messages) == 2
    assert "also line" in next(m for m in messages if m.startswith("one ("))


def test_recursion_and_slices_are_notes(tmp_path: Path) -> None:
    helper = "def down(n):\n    if n < 1:\n        return 0\n    return down(n - 1)"
    play = "def play(state, action, rng):\n    down(2)\n    state.cells[action] = 1 + (state.moves & 1)\n    state.moves += 1\n"
    play += "    state.cells[1:1] = 0"
    report = check(broken(tmp_path, helper=helper, play=play), states=20, compiled=False)
    assert report.ok
    assert any("down (" in note and "calls itself;" in note for note in report.notes)
    assert any("play (" in note and "slice" in note for note in report.notes)


def test_recursion_by_way_of_another_is_a_note_too(tmp_path: Path) -> None:
    helper = "def ping(n):\n    return 0 if n < 1 else pong(n - 1)\n\ndef pong(n):\n    return 0 if n < 1 else ping(n - 1)"
    mover = "def mover(state):\n    return -1 if state.moves == 4 else state.moves & 1 + ping(2)"
    report = check(broken(tmp_path, helper=helper, mover=mover), states=8, compiled=False)
    assert [n.partition(" (")[0] for n in report.notes if "calls itself by way of" in n] == ["ping", "pong"]


def test_what_shows_the_game_may_use_anything(tmp_path: Path) -> None:
    more = "def draw(state):\n    return ' '.join(str(c) for c in state.cells)"
    assert check(broken(tmp_path, more=more), states=20, compiled=False).ok


def test_numbers_of_numpy_are_allowed(tmp_path: Path) -> None:
    key = "def key(state):\n    total = np.int64(0)\n    for i in range(4):\n        total = total * 3 + state.cells[i]\n"
    key += "    return total + np.int64(np.floor(np.sqrt(0.5)))"
    assert check(broken(tmp_path, key=key), states=20, compiled=False).ok
