"""Does a game keep the contract? `check(game)` plays it at random, in both forms, and reports in sentences.

The order matters: the text is read first, then the game is played uncompiled, where Python's own errors are caught; only a
game without problems so far is run as machine code, which cannot say so much; only then is its speed measured; and a game
that hides something is audited for honesty last.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from playout.checker.contract.findings import Findings
from playout.checker.contract.report import Problem, Report, Sample, Speed, SpeedRow
from playout.checker.contract.source import read_source
from playout.checker.contract.walk import walk
from playout.checker.honesty.audit import AGENT, audit
from playout.checker.honesty.lines import check_depth
from playout.checker.honesty.report import Audit, Finding
from playout.compile.kept import CHECKED, TRIED, mark
from playout.errors import GameError, PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.planner.auto import declared

Progress = Callable[[str, float], None]
"""Told what is being done, and how much of that is done, from 0 to 1."""

UNLOCKS = {
    "key": "define key(state) to let searches share what they know of a position (transpositions), to learn the game and to solve it",
    "draw": "define draw(state) to see boards in the terminal",
    "svg": "define svg(state) to see pictures in reports and notebooks",
    "action_name": "define action_name(state, action) to choose actions by name",
}


def check(
    game: Game | str | Path,
    *,
    seed: int = 0,
    states: int = 2000,
    seconds: float = 10.0,
    after: int = 0,
    compiled: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Check a game: about so many states uncompiled, then compiled, within about so many seconds (compiling not counted).

    With `after` what is looked at closely, and audited, begins so many random actions deep: long games are seldom seen there.
    """
    if states < 1 or not 0 < seconds < float("inf") or not 0 <= seed < 1 << 62:
        raise PlayoutError(
            f"states={states}, seconds={seconds}, seed={seed} cannot be used; give at least 1 state, seconds above 0 "
            "and a seed of 0 or more"
        )
    began, rules = time.monotonic(), load(game)
    check_depth(rules, after, seed)
    findings, tell = Findings(rules), progress or _quiet
    tell("reading the rules", 0.0)
    read_source(findings)
    try:
        declared(rules)
    except GameError as error:
        findings.problem("search-settings", str(error))
    if rules.continuous:
        speed = _continuous(findings, seed, states, seconds, compiled, tell)
    else:
        with np.errstate(over="ignore"):
            walk(findings, seed, states, seconds / 2, lambda done: tell("playing uncompiled", min(1.0, done)), after)
        if _harmless(findings):
            mark(rules, TRIED)
        speed = None
        if rules.objects is not None:
            _objects(findings, compiled, tell)
        elif compiled:
            speed = _machine_code(findings, seed, states, seconds / 2, tell)
    honesty = _honesty(findings, seed, seconds, speed is not None, tell, after)
    _hints(findings)
    if speed is not None and not findings.problems:
        mark(rules, CHECKED)
    return Report(
        game=rules.spec,
        ok=not findings.problems,
        problems=tuple(findings.problems.values()),
        notes=tuple(findings.notes.values()),
        speed=speed,
        audit=honesty,
        states=findings.states,
        compiled_states=findings.compiled_states,
        playouts=findings.playouts,
        longest=findings.longest,
        most_legal=findings.most_legal,
        laws=rules.laws,
        after=after,
        sample=_sample(findings),
        seed=seed,
        seconds=round(time.monotonic() - began, 3),
    )


def _harmless(findings: Findings) -> bool:
    """Whether nothing was found that could do damage in machine code, or flood the terminal."""
    codes = {problem.code for problem in findings.problems.values()}
    return "source-print" not in codes and all(code.startswith("source-") for code in codes)


def _continuous(findings: Findings, seed: int, states: int, seconds: float, compiled: bool, tell: Progress) -> Speed | None:
    """A continuous game: its payoffs and bounds at random points and in the corners, in both forms."""
    from playout.checker.continuous import examine, machine_code

    with np.errstate(all="ignore"):
        points = examine(findings, seed, states, seconds / 2, lambda done: tell("trying actions uncompiled", min(1.0, done)))
    if _harmless(findings):
        mark(findings.game, TRIED)
    if not compiled:
        return None
    if not _harmless(findings):
        findings.note("not-compiled", "the compiled form was not tried: mend the problems first")
        return None
    tell("compiling", 0.0)
    return machine_code(findings, points)


def _objects(findings: Findings, compiled: bool, tell: Progress) -> None:
    """A game of Python objects is called as it is: what that costs, and what to change to have it compiled."""
    from playout.checker.contract.objects import look

    tell("measuring the speed", 0.0)
    if _harmless(findings):
        look(findings, compiled)


def _machine_code(findings: Findings, seed: int, states: int, seconds: float, tell: Progress) -> Speed | None:
    """Compile the game, and run it only if nothing was found that could do damage."""
    # Here and not above: reading and playing a game uncompiled needs no compiler, which takes a third of a second to load.
    from playout.checker.contract.forms import compare, sweep
    from playout.checker.contract.speed import measure
    from playout.compile import bind
    from playout.compile.explain import first_fault

    game, safe = findings.game, _harmless(findings)
    tell("compiling", 0.0)
    fault = first_fault(bind(game))
    if fault is not None:
        findings.problem("compile", str(fault))
        return None
    if not safe:
        findings.note(
            "not-compiled", "the compiled form was not played: mend the problems first, which are seen better in plain Python"
        )
        return None
    if findings.problems:
        findings.note(
            "gpu", "the game compiles for this machine all the same; the problems above keep it from running on every machine"
        )
    before = set(findings.problems)
    held, ends = Findings(game), time.monotonic() + seconds
    try:
        tell("comparing the two forms", 0.0)
        compare(held, seed, max(3, states // 100), seconds / 2)
        if not held.problems:
            tell("playing compiled", 0.0)
            # What the comparison has left of its time is used, too.
            sweep(held, seed, 10 * states, max(seconds / 2, ends - time.monotonic()))
    except PlayoutError as error:
        held.problem("compile", str(error))
    findings.problems |= held.problems
    findings.compiled_states = held.compiled_states
    findings.playouts += held.playouts
    findings.longest = max(findings.longest, held.longest)
    findings.most_legal = max(findings.most_legal, held.most_legal)
    if set(findings.problems) != before:
        return None
    tell("measuring the speed", 0.0)
    return measure(game, seed)


def _honesty(findings: Findings, seed: int, seconds: float, compiled: bool, tell: Progress, after: int) -> Audit | None:
    """The honesty audit, where something is hidden; agents are asked only where they can be compiled."""
    game = findings.game
    if not (game.has("observe") or game.has("determinize")):
        return None
    if findings.problems:
        findings.note("no-audit", "the honesty audit was not made: mend the problems first")
        return None
    tell("auditing honesty", 0.0)
    with np.errstate(over="ignore"):
        found = audit(game, seed=seed, seconds=2 * seconds, agent=AGENT if compiled else None, compiled=compiled, after=after)
    for finding in found.failed:
        findings.problem(finding.code, finding.message)
    return found


def _sample(findings: Findings) -> Sample | None:
    """The first game that ended, in the game's own words."""
    if findings.first is None:
        return None
    seed, actions = findings.first
    held = io.StringIO()
    # What shows a game may fail or print, which is among the findings already.
    with contextlib.suppress(Exception), contextlib.redirect_stdout(held), np.errstate(all="ignore"):
        state, names = findings.game.start(seed), []
        for action in actions:
            names.append(state.name(action))
            state = state.play(action)
        return Sample(
            seed=seed, actions=tuple(names), returns=state.returns, player_names=findings.game.player_names, drawing=state.draw()
        )
    return None


def _hints(findings: Findings) -> None:
    game = findings.game
    if game.objects is not None and not game.objects.rules.own:
        return  # another library's game, in which nobody here defines anything
    for role, hint in UNLOCKS.items():
        # A continuous game needs no key, and its actions are their own names.
        if not game.has(role) and not (game.continuous and role in ("key", "action_name", "draw")):
            findings.note(role, hint)
    if game.returns_range is None and not game.continuous:
        findings.note(
            "returns_range",
            "declare returns_range = (lowest, highest) to let searches prove a win as soon as they see one, and take decisive moves",
        )
    if findings.playouts and game.most_legal > 64 and findings.most_legal * 4 <= game.most_legal:
        findings.note(
            "most_legal",
            f"at most {findings.most_legal} legal actions were seen, but most_legal is {game.most_legal:,}; "
            "a lower one, still safe, saves memory",
        )


def compare_forms(game: Game, seed: int = 0, games: int = 20, seconds: float = 60.0) -> Problem | None:
    """Play the same random games compiled and uncompiled; the first difference, or None when every field agrees."""
    from playout.checker.contract.forms import compare_forms as compare

    return compare(game, seed, games, seconds)


def _quiet(doing: str, done: float) -> None:
    return None


__all__ = ["Audit", "Finding", "Problem", "Progress", "Report", "Sample", "Speed", "SpeedRow", "audit", "check", "compare_forms"]
