"""`playout bench --device`: simulations a second of many trees at once on a device, and in turns in the same run on the cores.

A sample is what `search_many` does for many copies of the first position: make the trees, grow them, read their roots. The rate of the
kernels counts the growing alone, the whole rate all three; compiling counts in neither, and neither does planning. The best of some samples counts. mctx with
the Connect Four of pgx is measured in turns with ours where both are installed.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from playout.compile.devices import Cores, Device, device_named
from playout.errors import PlayoutError
from playout.game.load import load
from playout.planner.forest import Forest
from playout.planner.search import Search

ON_CORES = 64
"""Trees for every thread, where the cores are measured."""
COMPARED = 16
"""Trees of both devices that are compared."""
PEERS = ((64, 16_384), (800, 4_096))
"""Simulations and trees at once for mctx with pgx."""


class Case(msgspec.Struct, frozen=True):
    """What is measured."""

    name: str
    game: str
    trees: int
    simulations: int
    settings: dict[str, Any] = {}
    target: float | None = None
    """Million simulations a second that one H200 is to reach."""


PLAIN: dict[str, Any] = {"decisive_playouts": "off"}
# An H200 has some 135,000 threads of 64 registers at work at the same time; with fewer trees it waits for memory.
CASES = (
    Case("connect-four", "connect-four", 131_072, 1000, PLAIN, 400.0),
    Case("connect-four auto", "connect-four", 131_072, 1000),
    Case("connect-four 64", "connect-four", 131_072, 64, PLAIN),
    Case("connect-four 800", "connect-four", 131_072, 800, PLAIN),
    Case("plain connect-four", str(Path(__file__).with_name("four_by_rows.py")), 131_072, 1000, PLAIN, 200.0),
    Case("othello", "othello", 131_072, 300, {"playout": "uniform", **PLAIN}, 100.0),
    Case("pig", "pig", 131_072, 300, {}, 100.0),
    Case("scoundrel", "scoundrel", 131_072, 200, {"playout": "uniform"}, 30.0),
    Case("scoundrel rule", "scoundrel", 131_072, 200),
    Case("hex", "hex:size=11", 131_072, 300, {"rave": None, "playout": "uniform", **PLAIN}, 30.0),
    Case("hex auto", "hex:size=11", 65_536, 300),
    Case("root", "root", 65_536, 200, {}, 2.0),
    Case("loss-1d widening", "loss-1d", 131_072, 300, {"method": "widening"}),
    Case("loss-1d", "loss-1d", 131_072, 300),
)


class Rate(msgspec.Struct, frozen=True):
    """Of one device."""

    device: str
    trees: int
    kernels: float
    """Simulations a second while trees grow."""
    whole: float
    """The same with making them and reading their roots."""


class Line(msgspec.Struct, frozen=True):
    """A case with what was measured."""

    name: str
    game: str
    settings: dict[str, Any]
    simulations: int
    """Of every tree."""
    rates: tuple[Rate, ...]
    same: bool | None
    """Whether the trees that were compared are alike on both; None with one device."""
    target: float | None = None
    met: bool | None = None


class Measured(msgspec.Struct, frozen=True):
    """All of it."""

    device: str
    cores: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return msgspec.to_builtins(self)  # type: ignore[no-any-return]


class Side:
    """One case on one device, ready to be sampled."""

    def __init__(self, case: Case, device: Device, trees: int, seed: int) -> None:
        self.case, self.device = case, device
        search = Search(case.game, trees=1, seed=seed, **case.settings)
        self.forest = Forest(search, device, real=True)
        start = search.game.start(seed).copy_array()
        self.plan = self.forest.plan(search.settings, np.repeat(start, 6), case.simulations)
        fit = device.room() // self.forest.bytes_of(search.settings, self.plan)
        self.trees = max(1, min(trees, fit))
        self.states = np.repeat(start, self.trees)
        self.visits: Any = None

    def sample(self) -> tuple[float, float]:
        """(kernels, whole): simulations a second."""
        forest, plan, count = self.forest, self.plan, self.trees
        seeds, numbers = np.zeros(count, np.int64), np.arange(count, dtype=np.int64)
        began = time.perf_counter()
        columns = forest.planted(forest.settings, plan, self.states, seeds, numbers, self.case.simulations)
        kept = forest.scratch(forest.settings, plan, seeds, numbers)
        planted = time.perf_counter()
        done = forest.tended(columns, kept, plan.longest, np.full(count, self.case.simulations, np.int64))
        grown = time.perf_counter()
        edges = forest.seen(columns, count).edges
        ended = time.perf_counter()
        self.visits = edges.visits[:COMPARED]
        total = float(done.sum())
        return total / (grown - planted), total / (ended - began)


def measure(
    device: str,
    only: list[str],
    *,
    repeats: int = 3,
    quick: bool = False,
    seed: int = 0,
    tell: Callable[[str, float], None] = lambda words, done: None,
) -> Measured:
    """All cases, or those whose name or game begins with one of some words."""
    there, cores = device_named(device), Cores()
    cases = [case for case in CASES if not only or any(case.name.startswith(w) or case.game.startswith(w) for w in only)]
    if not cases:
        raise PlayoutError(f"no row is called {only[0]!r}; the rows are {', '.join(case.name for case in CASES)}")
    lines, notes, peers = [], [], list(_peers(cases)) if there.name == "cuda" else []
    for place, case in enumerate(cases):
        tell(f"{case.name}: compiling", place / len(cases))
        if case.game.endswith(".py") and there.name == "cuda":
            _check(case.game)
        size, devices = case.trees // (16 if quick else 1), [there, cores] if there.name == "cuda" else [cores]
        sides = [Side(case, d, size if d.name == "cuda" else ON_CORES * cores.threads, seed) for d in devices]
        turns = [*(side.sample for side in sides), *(run for simulations, run in peers if simulations == case.simulations)]
        for turn in turns:
            turn()
        best = [(0.0, 0.0)] * len(turns)
        for number in range(repeats):
            tell(f"{case.name}: sample {number + 1} of {repeats}", (place + (number + 1) / (repeats + 1)) / len(cases))
            best = [(max(old[0], new[0]), max(old[1], new[1])) for old, new in zip(best, [turn() for turn in turns])]
        rates = [Rate(side.device.name, side.trees, *rate) for side, rate in zip(sides, best)]
        rates += [Rate("mctx with pgx", dict(PEERS)[case.simulations], *rate) for rate in best[len(sides) :]]
        same = bool((sides[0].visits == sides[1].visits[:COMPARED]).all()) if len(sides) > 1 else None
        met = None if case.target is None or there.name != "cuda" else rates[0].kernels >= 1e6 * case.target
        lines.append(Line(case.name, case.game, case.settings, case.simulations, tuple(rates), same, case.target, met))
        del sides, turns
    if there.name != "cuda":
        notes.append("no GPU was measured: these are the cores alone")
    elif not peers:
        notes.append("mctx and pgx are not installed here, and were left out (pip install mctx pgx)")
    return Measured(there.words(), cores.words(), tuple(lines), tuple(notes))


def _check(file: str) -> None:
    """A GPU takes only games that were checked."""
    from playout.checker import check
    from playout.compile.binding import trusted

    game = load(file)
    if not trusted(game):
        check(game)


def _peers(cases: list[Case]) -> Iterator[tuple[int, Callable[[], tuple[float, float]]]]:
    """mctx with pgx for the numbers of simulations that it is measured with, where both are installed."""
    if all(importlib.util.find_spec(name) for name in ("jax", "mctx", "pgx")):
        for simulations, batch in PEERS:
            if any(case.simulations == simulations for case in cases):
                yield simulations, theirs(simulations, batch)


def theirs(simulations: int, batch: int) -> Callable[[], tuple[float, float]]:
    """Searches of mctx of the first position of pgx's Connect Four, a leaf valued by one random playout to the end."""
    # It would take most of the device's memory for itself.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax, jnp, mctx, pgx = (importlib.import_module(name) for name in ("jax", "jax.numpy", "mctx", "pgx"))
    env: Any = pgx.make("connect_four")

    def prior(state: Any) -> Any:
        return jnp.where(state.legal_action_mask, 0.0, jnp.finfo(jnp.float32).min)

    def played_out(state: Any, key: Any) -> Any:
        mover = state.current_player

        def on(carry: Any) -> Any:
            now, key, total = carry
            key, use = jax.random.split(key)
            after = env.step(now, jax.random.categorical(use, prior(now)))
            return after, key, total + after.rewards[mover]

        return jax.lax.while_loop(lambda carry: ~carry[0].terminated, on, (state, key, jnp.float32(0.0)))[2]

    def recurrent(model: Any, key: Any, action: Any, here: Any) -> Any:
        mover, after = here.current_player, jax.vmap(env.step)(here, action)
        value = jax.vmap(played_out)(after, jax.random.split(key, batch))
        out = mctx.RecurrentFnOutput(
            reward=after.rewards[jnp.arange(batch), mover],
            discount=jnp.where(after.terminated, 0.0, -1.0),
            prior_logits=jax.vmap(prior)(after),
            value=jnp.where(after.terminated, 0.0, value),
        )
        return out, after

    def search(key: Any) -> Any:
        state = jax.vmap(env.init)(jax.random.split(key, batch))
        root = mctx.RootFnOutput(prior_logits=jax.vmap(prior)(state), value=jnp.zeros(batch), embedding=state)
        illegal = ~state.legal_action_mask
        found = mctx.muzero_policy((), key, root, recurrent, simulations, invalid_actions=illegal, dirichlet_fraction=0.0)
        return found.action

    run, number = jax.jit(search), 0

    def sample() -> tuple[float, float]:
        nonlocal number
        number += 1
        began = time.perf_counter()
        jax.block_until_ready(run(jax.random.PRNGKey(number)))
        rate = batch * simulations / (time.perf_counter() - began)
        return rate, rate

    return sample
