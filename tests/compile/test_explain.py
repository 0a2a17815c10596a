"""A compile error is one sentence: the user's function, file and line, what is wrong, and the cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.compile import Binding
from playout.compile.explain import explain, first_fault
from playout.errors import CompileError, GameError

from ..checker.broken import broken

pytestmark = pytest.mark.compiles

# what stands in a helper, and words of the sentence; helpers without a return give 0
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "field": ("return state.cels[0]", ("look (", "state.cels", "did you mean 'cells'?")),
    "field written": ("state.move = 1", ("no field 'move'", "'moves'")),
    "field by text": ("return state['cels'][0]", ("'cels'", "'cells'")),
    "whole array": ("state.cells = 1", ("whole array state.cells", "state.cells[i] = ...")),
    "stream method": ("return rng.below(3)", ("rng.below", "from playout import below", "below(rng, n)")),
    "f-string": ("print(f'{state.moves:>3}')", ("f-string", "draw")),
    "text": ("x = 'a' + state.moves", ("+ with a text and a whole number",)),
    "empty list": ("x = []\n    return len(x)", ("x is an empty list", "array in the state")),
    "dict": ("d = {}\n    d['a'] = 1\n    d[1] = 2", ("dict", "array in the state")),
    "try": ("try:\n        x = 1\n    except ValueError:\n        x = 2", ("try and except", "test with if")),
    "with": ("with open('x') as f:\n        pass", ("uses with",)),
    "generator": ("return sum(1 for i in range(4))", ("generator expression", "loop")),
    "two kinds": (
        "x = 1\n    if state.moves > 2:\n        x = (1, 2)\n    return x",
        ("the variable x", "a whole number", "a tuple"),
    ),
    "two results": (
        "if state.moves > 2:\n        return 1\n    return (1, 2)",
        ("returns a whole number in one place", "a tuple"),
    ),
    "unknown name": ("return nobody", ("'nobody'", "not defined")),
    "misspelt name": ("return hlper(1, 2)", ("'hlper'", "did you mean 'helper'")),
    "arguments": ("return helper(1)", ("calls helper with the wrong arguments", "(a, b)")),
    "module function": ("return extra.twice(2)", ("from extra import twice",)),
    "playout through its module": ("return playout.below(rng, 2)", ("from playout import below",)),
    "standard module": ("return copy.copy(1)", ("copy.copy", "cannot be compiled")),
    "random": ("return random.choice((1, 2))", ("random.choice", "below(rng, n)")),
    "unknown in numpy": ("return np.nothing(1)", ("'nothing'", "spelling")),
    "walrus": ("if (x := state.moves) > 2:\n        return x\n    return 0", ("assigns with :=", "a line of its own before it")),
    "keyword-only": ("return named(1, b=2)", ("named(a, *, b), which takes arguments by name only", "define it as named(a, b)")),
    "copy of the state": ("return state.copy().moves", ("copies the state", "let play change the state that it is handed")),
    "array method": ("return state.cells.index(3)", ("an array has no .index", "loop")),
    "append": ("out = state.cells\n    out.append(1)", ("append", "out[count] = action")),
    "global dict": ("return TABLE[1]", ("the global TABLE", "is a dict", "tuple or a NumPy array")),
    "global list": ("return ROW[1]", ("the global ROW", "is a list", "tuple or a NumPy array")),
    "object": ("return THING.x", ("the global THING", "Thing", "numbers, tuples")),
    "class": ("return Thing.x", ("the class Thing",)),
    "decorated": ("return cached(3)", ("cached", "no plain function")),
    "global array": ("BOARD[0] = 1", ("the global array BOARD", "field of State")),
    "global statement": ("global COUNT\n    COUNT += 1", ("global", "field of State")),
    "mixed tuple": ("return MIXED[state.moves]", ("tuple of mixed kinds",)),
    "too big": ("return HUGE & 1", ("64 bits",)),
    "real index": ("return state.cells[state.moves / 2]", ("real number as an index", "// instead of /")),
    "not a function": ("return COUNT(3)", ("calls a whole number as if it were a function",)),
    "none": ("return NOTHING + 3", ("+ with None",)),
    "text stored": ("state.cells[0] = 'x'", ("stores a text",)),
    "endless recursion": ("return look(state, rng)", ("calls itself", "loop")),
    "where": ("return len(np.where(state.cells == 0)[0])", ("makes", "array in the state")),
    "list": ("x = [1, state.moves]\n    return x[0]", ("makes a new list", "array in the state")),
    "made array": ("return np.zeros((2,), dtype='spam')[0]", ("makes an array with zeros",)),
}
HEAD = """
import copy, functools, random
import extra
import playout
class Thing:
    x = 1
TABLE, ROW, THING, BOARD, COUNT, MIXED, HUGE, NOTHING = {1: 2}, [1, 2], Thing(), np.zeros(3), 3, (1, 2.5, (3,)), 1 << 70, None
@functools.lru_cache
def cached(n):
    return n
def named(a, *, b):
    return a + b

def helper(a, b):
    return a
"""
PLAY = "def play(state, action, rng):\n    look(state, rng)\n    state.cells[action] = 1\n    state.moves += 1"


def fault_of(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> CompileError:
    (folder / "extra.py").write_text("def twice(x):\n    return 2 * x\n")
    monkeypatch.syspath_prepend(str(folder))
    tail = "" if "return" in body.splitlines()[-1] else "\n    return 0"
    fault = first_fault(Binding(broken(folder, helper=f"{HEAD}\ndef look(state, rng):\n    {body}{tail}", play=PLAY)))
    assert fault is not None
    return fault


@pytest.mark.parametrize("name", CASES)
def test_a_fault_becomes_a_sentence(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body, words = CASES[name]
    message = str(fault_of(tmp_path, monkeypatch, body))
    assert message.startswith("look (") and "mygame.py, line " in message and "\n" not in message
    for word in words:
        assert word in message


def test_the_line_is_the_users_and_the_pages_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = fault_of(tmp_path, monkeypatch, "x = 1\n    return x + NOTHING")
    text = (tmp_path / "mygame.py").read_text().splitlines()
    line = 1 + text.index("    return x + NOTHING")
    assert f"line {line})" in str(fault)
    assert "No implementation of function" in fault.details and len(fault.details) > 300


RESULTS = {
    "legal nothing": ({"legal": "def legal(state, out):\n    out[0] = 0"}, ("legal (", "returns nothing", "how many ids")),
    "legal sometimes": ({"legal": "def legal(state, out):\n    if state.moves > 1:\n        return 1"}, ("on some way",)),
    "legal real": ({"legal": "def legal(state, out):\n    return 4 / 2"}, ("a real number", "// instead of /")),
    "mover bool": ({"mover": "def mover(state):\n    return state.moves > 1"}, ("mover (", "True or False")),
    "key array": ({"key": "def key(state):\n    return state.cells"}, ("key (", "an array")),
    "pick nothing": ({"more": "def pick(state, rng):\n    state.moves + 1"}, ("pick (", "returns nothing")),
    "legal yields": ({"legal": "def legal(state, out):\n    yield 1"}, ("uses yield", "into out")),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_wrong_result_becomes_a_sentence(name: str, tmp_path: Path) -> None:
    parts, words = RESULTS[name]
    message = str(first_fault(Binding(broken(tmp_path, **parts))))
    for word in words:
        assert word in message


def test_a_good_game_has_no_fault(tmp_path: Path) -> None:
    assert first_fault(Binding(broken(tmp_path))) is None


def test_a_kernel_with_a_faulty_game_raises_the_sentence(tmp_path: Path) -> None:
    from playout.checker.contract.replay import Player

    game = broken(tmp_path, play="def play(state, action, rng):\n    state.cells[action] = (1, 2)")
    player = Player(Binding(game))
    player.begin(0)
    with pytest.raises(CompileError, match=r"play \(.*mygame.py, line 24\).*stores a tuple"):
        player.go_on()


def test_any_error_is_explained(tmp_path: Path) -> None:
    good = Binding(broken(tmp_path))
    ran = explain(good, ValueError("no"))
    assert isinstance(ran, GameError) and "compiles but fails while it is played: ValueError: no" in str(ran)
    from numba.core.errors import TypingError

    assert "the compiler says: something odd" in str(explain(good, TypingError("something odd")))
