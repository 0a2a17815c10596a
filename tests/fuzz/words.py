"""Odd words: moves, settings, budgets, agents' strings, games' parameters, and the options of the command line."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path
from typing import Any

import playout
from playout import Budget, Settings
from playout.agents import MAKERS, recipe
from playout.cli.main import run
from playout.game.load import load
from playout.game.moves import split_moves
from playout.learning.settings import Settings as LearningSettings
from playout.learning.settings import from_preset
from playout.planner.words import read
from tests.fuzz import harness
from tests.fuzz.harness import WORDS, Rng, fuzzer, odd, one_of

GAMES = ("tic-tac-toe", "nim", "kuhn-poker", "pig", "stackelberg", "loss-1d", "mnk:m=4,n=4,k=3", "treasure")


@fuzzer
def moves(rng: Rng, folder: Path) -> None:
    """Actions by name, by id, or as something else."""
    game = load(one_of(rng, GAMES))
    state = game.start(int(rng.integers(10)))
    with contextlib.suppress(playout.PlayoutError):
        state.play(odd(rng))
    with contextlib.suppress(playout.PlayoutError):
        state.find(one_of(rng, WORDS))
    with contextlib.suppress(playout.PlayoutError):
        game.state({one_of(rng, [*WORDS, *(game.dtype.names or ())]): odd(rng)})
    with contextlib.suppress(playout.PlayoutError):
        game.start(odd(rng))
    text = one_of(rng, (" ", ",", ", ")).join(str(one_of(rng, WORDS)) for _ in range(int(rng.integers(1, 4))))
    state.replay(split_moves(text, game))


@fuzzer
def settings(rng: Rng, folder: Path) -> None:
    """Settings, budgets and what learning is told."""
    kind = one_of(rng, (Settings, Settings, Budget, LearningSettings))
    names = [*kind.__struct_fields__, "colour"]
    given = {one_of(rng, names): odd(rng) for _ in range(int(rng.integers(1, 3)))}
    if kind is LearningSettings:
        made = from_preset("best", **given)
        made.fitted(load("tic-tac-toe"), 100)
    elif kind is Budget:
        budget = read(Budget, given if rng.integers(2) else {"simulations": 3, **given})
        if (budget.simulations or 1000) <= 10:
            playout.Search("tic-tac-toe", compiled=harness.COMPILED).run(budget=budget)
    else:
        game = one_of(rng, ("tic-tac-toe", "kuhn-poker", "stackelberg"))
        search = playout.Search(game, compiled=harness.COMPILED, **given)
        search.run(simulations=3).to_json()


@fuzzer
def agents(rng: Rng, folder: Path) -> None:
    """Agents' strings."""
    game = load(one_of(rng, ("tic-tac-toe", "kuhn-poker", "pig")))
    kind = one_of(rng, [*MAKERS, "mine.py", *WORDS])
    names = [*Settings.__struct_fields__, *Budget.__struct_fields__, "fit", "file", *WORDS]
    words = ",".join(
        f"{one_of(rng, names)}{one_of(rng, ('=', '=', '=', ''))}{one_of(rng, WORDS)}" for _ in range(int(rng.integers(3)))
    )
    spec = f"{kind}:{words}" if words else str(kind)
    made = recipe(spec, game)
    if made.name != "person" and not made.timed and int(made.settings.get("simulations") or 0) <= 10:
        made.make(0).act(game.start())


@fuzzer
def games(rng: Rng, folder: Path) -> None:
    """Games' names and parameters."""
    name = one_of(rng, [*playout.game.load.bundled(), "tic-tac-toe", "mine.py", *WORDS])
    declared = [*load(name).parameters, "x"] if name in playout.game.load.bundled() else ["m", "x"]
    words = ",".join(f"{one_of(rng, declared)}={one_of(rng, WORDS)}" for _ in range(int(rng.integers(1, 3))))
    load(f"{name}:{words}" if rng.integers(4) else str(name)).start()


COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "games": (("tic-tac-toe", "nim"), ("--json",)),
    "search": (
        ("tic-tac-toe", "nim", "stackelberg"),
        (
            "--moves",
            "--state",
            "--deck",
            "--why",
            "--top",
            "--survey",
            "--seed",
            "--c",
            "--rule",
            "--trees",
            "--tree",
            "--resume",
            "--report",
        ),
    ),
    "play": (("tic-tac-toe", "kuhn-poker"), ("--as", "--agent", "--moves", "--state", "--save", "--seed", "--deck")),
    "arena": (
        ("tic-tac-toe random random", "nim random random"),
        ("--games", "--openings", "--limit", "--until", "--file", "--seed", "--export"),
    ),
    "replay": (("none.db", "x"), ("--game", "--last")),
    "tune": (("tic-tac-toe uct c=1..2", "nim uct x=1", "nim uct"), ("--games", "--seed")),
    "fit": (("tic-tac-toe --show", "nim --forget", "nim"), ("--seconds", "--move-seconds", "--simulations")),
    "study": (("tic-tac-toe", "nim"), ("--budgets", "--games", "--seed")),
    "learn": (("tic-tac-toe", "nim"), ("--episodes", "--out", "--resume", "--lr", "--epsilon", "--memory", "--every", "--plot")),
    "inspect": (("none.json",), ("--moves", "--top")),
    "solve": (("tic-tac-toe", "nim"), ("--moves", "--seconds", "--state")),
    "exploit": (("kuhn-poker", "nim"), ("--seed",)),
    "compare": (("loss-1d", "nim"), ("--simulations", "--seeds")),
    "check": (("none.py", "nim"), ("--seconds",)),
}
WORK = {"--simulations": "3", "--games": "2", "--episodes": "20", "--seconds": "0.01"}
"""So that what is accepted is done soon."""


@fuzzer
def command_line(rng: Rng, folder: Path) -> None:
    """One command with odd words behind its options: exit code 0, 1 (a check that failed) or 2, and one sentence."""
    command = one_of(rng, list(COMMANDS))
    starts, options = COMMANDS[command]
    words = [command, *one_of(rng, starts).split()]
    if rng.integers(5) == 0:
        words[int(rng.integers(1, len(words)))] = one_of(rng, WORDS)
    # At least one odd word, so that hardly any command gets as far as to work.
    for _ in range(int(rng.integers(1, 3))):
        words += [one_of(rng, options), str(one_of(rng, WORDS))]
    _run(words, folder)


def _run(words: list[str], folder: Path) -> None:
    out, err, before = io.StringIO(), io.StringIO(), os.getcwd()
    stdin = __import__("sys").stdin
    os.chdir(folder)
    try:
        import sys

        sys.stdin = io.StringIO("quit\n")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _quickly():
            code = run(words)
    finally:
        __import__("sys").stdin = stdin
        os.chdir(before)
    told = [line for line in err.getvalue().splitlines() if line.startswith("playout: ")]
    assert code in (0, 2) or (words[0] == "check" and code == 1), f"{words}: exit code {code}: {err.getvalue()[-600:]}"
    assert "Traceback" not in err.getvalue() and "inside playout itself" not in err.getvalue(), (
        f"{words}: {err.getvalue()[-600:]}"
    )
    assert code != 2 or len(told) == 1, f"{words}: {err.getvalue()[-600:]}"


class Enough(playout.PlayoutError):
    """The words were all right, and the work that they ask for is no part of this."""


@contextlib.contextmanager
def _quickly() -> Any:
    """Commands stop where the work begins: what is tried is whether their words are understood."""
    from unittest.mock import patch

    def enough(*given: Any, **named: Any) -> Any:
        raise Enough("enough")

    with contextlib.ExitStack() as stack:
        for place in (
            "playout.planner.search.Search.iterate",
            "playout.arena.tournament.Tournament.run",
            "playout.arena.tournament.Tournament.prepare",
            "playout.arena.fit.Fitter.prepare",
            "playout.learning.run._Run.__init__",
            "playout.checker.check",
            "playout.compile.maker.Maker.door",
        ):
            stack.enter_context(patch(place, enough))
        yield
