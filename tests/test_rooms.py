"""The rooms of the house: every module can be imported by its name, every verb stands at the top, and arrows point one way."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import playout

ROOT = Path(playout.__file__).parent
MODULES = sorted(
    ".".join(("playout", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for file in ROOT.rglob("*.py")
    if file.name != "__main__.py" and file.relative_to(ROOT).parts[0] != "games"
)
VERBS = (
    "search",
    "check",
    "learn",
    "solve",
    "solve_position",
    "compete",
    "compare",
    "exploitability",
    "fit",
    "make_agent",
    "load",
)

BELOW = {
    "game": set(),
    "compile": {"game"},
    "engine": {"game", "compile"},
    "planner": {"game", "compile", "engine"},
    "agents": {"game", "compile", "engine", "planner", "learning"},
    "bridges": {"game", "compile", "engine", "planner", "agents"},
}
"""Which rooms a room may import from, itself and the plain helpers of the house left out."""
LATE = {
    ("planner/prove.py", "playout.truth.perfect.prover"),
    ("game/state.py", "playout.planner.rejection"),
    ("game/state.py", "playout.report.notebook"),
    ("planner/decision.py", "playout.report.notebook"),
    *(("game/encoding.py", f"playout.compile{part}") for part in ("", ".devices", ".holes", ".records")),
    ("game/made.py", "playout.compile.holes"),
}
"""Arrows that point up, and why: a search may ask the solver of positions, when it was told to; a state of a game with
`determinize = playout.by_rejection` finds its worlds by a kernel; an encoding is a compiled loop over many states; and what a
notebook shows of a state and of a decision are the cards of the reports."""
HELPERS = {"cores", "errors", "files", "frame", "intervals", "picture", "__version__"}


def test_every_module_has_its_name_to_itself():
    """A verb that stands at the top must not hide a package: `import playout.search.tree` failed for that."""
    for name in MODULES:
        if name not in ("playout.bench.limit", "playout.bench.peers"):
            module, whole = importlib.import_module(name), playout
            for part in name.split(".")[1:]:
                whole = getattr(whole, part)
            assert whole is module, f"something hides {name}"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_stands_at_the_top(verb):
    assert verb in playout.__all__ and verb in dir(playout)
    assert callable(getattr(playout, verb)) and getattr(playout, verb).__doc__


def test_a_word_that_is_not_there_is_said():
    with pytest.raises(AttributeError, match="playout has no 'serach'"):
        playout.serach  # noqa: B018


def test_importing_is_quick():
    code = (
        "import sys, playout; late = ('numba', 'playout.checker', 'playout.arena', 'playout.learning', 'playout.truth', 'playout.agents'); "
        "print([m for m in late if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("room", BELOW)
def test_arrows_point_one_way(room):
    for file in (ROOT / room).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.startswith("playout."):
                    other = name.split(".")[1]
                    if (file.relative_to(ROOT).as_posix(), name) in LATE:
                        continue
                    assert other in BELOW[room] | {room} | HELPERS, f"{file.relative_to(ROOT)} imports {name}"


def test_kernels_stay_short():
    """No function of the engine has over 60 lines or takes more than 8 arguments: the next engineer must see it whole."""
    for file in (ROOT / "engine").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef):
                where = f"{file.relative_to(ROOT)}: {node.name}"
                assert (node.end_lineno or 0) - node.lineno < 60, f"{where} is too long"
                assert len(node.args.args) <= 8, f"{where} takes too much"
