"""The measurements, one function each, in the order of the table."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

import playout
from playout.bench import peers
from playout.bench.limit import c_search
from playout.bench.report import Row, compared, limited
from playout.bench.timing import Plan, Prepare, Task, affordable, best_rates
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import ALIASES, bundled, load
from playout.planner.search import Search
from playout.planner.settings import Settings

PLAIN = Settings(c=1.4, scale="raw", solver=False, playout="uniform", rave=None, cutoff=None, decisive_playouts="off")
"""What both sides do: plain UCT with one uniform playout; no solver, no early stop, no tree kept."""
EXAMPLE = Path(playout.__file__).parents[1] / "examples" / "connect_four.py"
"""The Connect Four of the README: an array board, written for reading."""
OPENSPIEL = {
    "tic-tac-toe": ("tic_tac_toe", 2),
    "connect-four": ("connect_four", 13),
    "breakthrough:rows=6,columns=6": ("breakthrough(rows=6,columns=6)", 8),
    "hex": ("hex(board_size=11)", 6),
    "othello": ("othello", 50),
}
"""Our game: its name over there, and how many times as fast we must be."""
SLOWEST = 10_000
"""Simulations for the Python bot of OpenSpiel, whose rate does not depend on it."""

Tick: TypeAlias = Callable[..., object]
"""Hears that something was done, and what, where words are given."""


class Measurement(NamedTuple):
    """One row to be: its name, its game, and the function that measures it."""

    name: str
    game: str
    run: Callable[[Plan, Tick], Row]


def searching(game: Game, *, trees: int = 1, threads: int = 1) -> Prepare:
    """Our search of a game: (simulations, seed) to the search to be timed."""

    def prepare(simulations: int, seed: int) -> Task:
        search, state = Search(game, PLAIN, seed=seed, trees=trees, threads=threads), game.start(seed)
        return lambda: search.run(state, simulations=simulations)

    return prepare


def against(
    spec: str, peer: str, text: str, name: str, target: float | None, make: Callable[[], Prepare], most: int = 0
) -> Measurement:
    """One thread of ours against one of another, in CPU time."""

    def run(plan: Plan, tick: Tick) -> Row:
        try:
            theirs = make()
        except peers.MissingPeer as missing:
            game = load(spec)
            (rate,) = best_rates([(searching(game), plan.simulations)], plan, tick=tick)
            return Row(name=name, game=shown(spec), text=text, ours=rate, peer=peer, target=target, note=str(missing))
        count = min(affordable(theirs, plan), most or plan.simulations)
        sides = [(searching(load(spec)), plan.simulations), (theirs, count)]
        mine, other = best_rates(sides, plan, tick=tick)
        note = "" if count == plan.simulations else f"theirs at {count:,} simulations, its rate being steady"
        return compared(mine, other, target, name=name, game=shown(spec), text=text, peer=peer, note=note)

    return Measurement(name, shown(spec), run)


def shown(spec: str) -> str:
    """A game as the report calls it: without the place where it lies."""
    return f"examples/{EXAMPLE.name}" if spec == str(EXAMPLE) else spec


def by_path(plan: Plan, tick: Tick) -> Row:
    """The same game written apart from the bundled one, with another layout, loaded by path."""
    mine = str(Path(__file__).with_name("four_by_rows.py"))
    sides = [(searching(load(game)), plan.simulations) for game in (mine, "connect-four")]
    ours, other = best_rates(sides, plan, tick=tick)
    text = "a game file given by path (other layout) against the same game bundled"
    return compared(ours, other, 0.5, name="by-path", game="connect-four", text=text, peer="playout, bundled")


def two_threads(plan: Plan, tick: Tick) -> Row:
    """The same two trees by two threads and by one, in wall time."""
    game, total = load("connect-four"), 4 * plan.simulations
    sides = [(searching(game, trees=2, threads=threads), total) for threads in (2, 1)]
    mine, other = best_rates(sides, plan, time.perf_counter, tick)
    dear, cheap = best_rates(sides, msgspec.structs.replace(plan, repeats=2))
    note = f"wall time, {total:,} simulations; by CPU time, two free cores would give {2 * dear / cheap:.2f}"
    text = "two threads against one"
    return compared(mine, other, 1.7, name="two-threads", game="connect-four", text=text, peer="playout, one thread", note=note)


def long_search(plan: Plan, tick: Tick) -> Row:
    """Does a big tree slow the search down?"""
    game = load("connect-four")
    many, few = 10 * plan.simulations, plan.simulations // 10
    mine, other = best_rates([(searching(game), many), (searching(game), few)], plan, tick=tick)
    text = f"{many:,} simulations against {few:,}"
    return compared(mine, other, 0.6, name="long-search", game="connect-four", text=text, peer=f"playout, {few:,} simulations")


def c_limit(plan: Plan, tick: Tick) -> Row:
    """How close we come to a program that was written for this game alone."""
    row = against(
        "connect-four", "limit.c", "the bundled Connect Four against a hand-written C program", "c-limit", None, c_search
    )
    return row.run(plan, tick)


FRESH = """
import time
began = time.perf_counter()
import playout
playout.search("connect-four", simulations=1000)
print(time.perf_counter() - began)
"""


def fresh_process(cache: str | None) -> float:
    """Seconds from the import of playout to a decision, in a new process."""
    return in_fresh_process(FRESH, cache)


def in_fresh_process(script: str, cache: str | None, *words: str) -> float:
    """The number that a script prints in a new process."""
    place = str(Path(playout.__file__).parents[1])
    known = os.environ.get("PYTHONPATH")
    environment = {**os.environ, "PYTHONPATH": place + (os.pathsep + known if known else "")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if cache is not None:
        environment["PLAYOUT_CACHE"] = cache
    done = subprocess.run([sys.executable, "-c", script, *words], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PlayoutError(
            f"a search in a new process failed: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no message'}"
        )
    return float(done.stdout.split()[-1])


def second_start(plan: Plan, tick: Tick) -> Row:
    """A new process that finds everything compiled."""
    fresh_process(None)
    seconds = min(_ticked(fresh_process, None, tick) for _ in range(plan.repeats))
    text = "second start: a new process, from import to a decision"
    return limited(
        seconds, 1.5, "seconds", name="second-start", game="connect-four", text=text, note="1,000 simulations, wall time"
    )


def first_start(plan: Plan, tick: Tick) -> Row:
    """A new process that finds nothing compiled."""
    times = []
    for _ in range(min(plan.repeats, 3)):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            times.append(_ticked(fresh_process, folder, tick))
    text = "first start: the same with nothing compiled yet"
    note = f"1,000 simulations, wall time, best of {len(times)}"
    return limited(min(times), 12.0, "seconds", name="first-start", game="connect-four", text=text, note=note)


def _ticked(function: Callable[[str | None], float], cache: str | None, tick: Tick) -> float:
    seconds = function(cache)
    tick()
    return seconds


QUICK = 1000
"""Simulations of a quick decision."""


def quick_decision(plan: Plan, tick: Tick) -> Row:
    """What Python adds to the simulations of a short search: a fresh tree, the budget, the choice."""
    game = load("connect-four")
    search, state = Search(game, seed=plan.seed, fit=False), game.start(plan.seed)
    whole = alone = float("inf")
    for _ in range(20 * plan.repeats):
        search.trees = []
        began = time.perf_counter()
        search.choose(state, simulations=QUICK)
        whole = min(whole, time.perf_counter() - began)
        search.trees = []
        search.choose(state, simulations=1)
        tree = search.tree(search.settings, state, 0)
        began = time.perf_counter()
        tree.run(QUICK, 10**9)
        alone = min(alone, time.perf_counter() - began)
    tick()
    text = f"Python around the kernel in a choice after {QUICK:,} simulations"
    note = f"wall time, best of {20 * plan.repeats}: {1e3 * whole:.2f} ms in all, {1e3 * alone:.2f} ms of them simulations"
    return limited(1e3 * (whole - alone), 0.3, "ms", name="quick-decision", game="connect-four", text=text, note=note)


COMPILE = """
import sys, time
import playout
game = playout.load(sys.argv[1])
began = time.process_time()
playout.Search(game, fit=False).run(game.start(0), simulations=10)
print(time.process_time() - began)
"""


def compiling(spec: str, name: str, most: float, plan: Plan, tick: Tick) -> Row:
    """Compiling the search of a game, nothing cached."""
    times = []
    for _ in range(min(plan.repeats, 3)):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            times.append(in_fresh_process(COMPILE, folder, spec))
            tick()
    text = f"compiling the search of {spec}, nothing cached"
    return limited(min(times), most, "seconds", name=name, game=spec, text=text, note=f"CPU time, best of {len(times)}")


def memory(spec: str, plan: Plan) -> tuple[float, float, float]:
    """(bytes a node, bytes in use a simulation, bytes allocated a simulation) of one search."""
    search = Search(load(spec), PLAIN, seed=plan.seed)
    decision = search.run(simulations=plan.simulations)
    slot, done = search.trees[0].slot_bytes, decision.simulations
    return float(slot), decision.nodes * slot / done, decision.bytes / done


def node_memory(plan: Plan, tick: Tick) -> Row:
    """Memory by node."""
    node, _, _ = memory("connect-four", plan)
    return limited(node, 40, "bytes", name="memory-node", game="connect-four", text="memory for a node")


def simulation_memory(plan: Plan, tick: Tick) -> Row:
    """Memory by simulation."""
    _, used, allocated = memory("connect-four", plan)
    note = f"nodes in use; with the room to grow {allocated:.0f} bytes are allocated"
    return limited(used, 80, "bytes", name="memory-simulation", game="connect-four", text="memory for a simulation", note=note)


def bundled_game(spec: str) -> Measurement:
    """Speed and memory of one bundled game."""

    def run(plan: Plan, tick: Tick) -> Row:
        game = load(spec)
        (rate,) = best_rates([(searching(game), plan.simulations)], plan, tick=tick)
        node, simulation, _ = memory(spec, plan)
        note = f"{node:.0f} bytes a node, {simulation:,.0f} a simulation"
        return Row(
            name="bundled",
            game=spec,
            text=f"{spec}, bundled",
            ours=rate,
            note=note,
            bytes_per_node=node,
            bytes_per_simulation=simulation,
        )

    return Measurement("bundled", spec, run)


def measurements() -> list[Measurement]:
    """Everything, in the order of the table."""
    cpp, plain = "OpenSpiel's C++ bot", "the README's plain Connect Four"
    rows = [
        against(
            spec,
            f"{cpp} on its C++ game",
            f"{spec.partition(':')[0]}{' 6×6' * (':' in spec)} against {cpp} on its C++ game",
            "openspiel-cpp",
            target,
            lambda theirs=theirs: peers.openspiel_cpp(theirs),  # type: ignore[misc]
        )
        for spec, (theirs, target) in OPENSPIEL.items()
    ]
    if EXAMPLE.is_file():
        spec = str(EXAMPLE)
        rows += [
            against(
                spec,
                f"{cpp} on its C++ game",
                f"{plain} against {cpp}",
                "plain-openspiel-cpp",
                5,
                lambda: peers.openspiel_cpp("connect_four"),
            ),
            against(spec, "multimcts, game in Python", f"{plain} against multimcts", "plain-multimcts", 30, peers.multimcts),
            against(
                spec,
                "OpenSpiel's Python bot, game in Python",
                f"{plain} against OpenSpiel's Python bot",
                "plain-openspiel-python",
                200,
                peers.openspiel_python,
                SLOWEST,
            ),
        ]
    rows += [
        Measurement("by-path", "connect-four", by_path),
        Measurement("two-threads", "connect-four", two_threads),
        Measurement("second-start", "connect-four", second_start),
        Measurement("first-start", "connect-four", first_start),
        Measurement("quick-decision", "connect-four", quick_decision),
        Measurement(
            "compile-listed", "connect-four", lambda plan, tick: compiling("connect-four", "compile-listed", 6.0, plan, tick)
        ),
        Measurement("compile-real", "loss-1d", lambda plan, tick: compiling("loss-1d", "compile-real", 12.0, plan, tick)),
        Measurement("memory-node", "connect-four", node_memory),
        Measurement("memory-simulation", "connect-four", simulation_memory),
        Measurement("long-search", "connect-four", long_search),
        Measurement("c-limit", "connect-four", c_limit),
    ]
    return [*rows, *(bundled_game(spec) for spec in (*bundled(), *ALIASES))]
