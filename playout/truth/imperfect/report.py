"""Policies side by side: an equilibrium by MCCFR, random play, and agents, each with its value and its exploitability."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from playout.game.game import Game
from playout.truth.imperfect.best_response import exploitability, value
from playout.truth.imperfect.mccfr import Solution, equilibrium
from playout.truth.imperfect.policy import uniform
from playout.truth.imperfect.search_policy import search_policy, with_budget
from playout.truth.imperfect.tree import Tree, game_tree

Show = Callable[[str, float], None]
"""Told what is being done, and which part of it is done."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One policy. Bounds are 95 % ones, and None where the numbers are exact."""

    name: str
    value: float
    """What player 0 gets when both play this way."""
    value_low: float | None = None
    value_high: float | None = None
    exploitability: float
    """What a best opponent gains, the mean over both sides; 0 at an equilibrium."""
    low: float | None = None
    high: float | None = None
    asked: int | None = None
    """Decisions that an agent was asked for."""
    seconds: float | None = None
    """For solving, or for all decisions."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """How far some ways to play a game are from an equilibrium."""

    game: str
    histories: int
    info_sets: int
    method: str
    iterations: int
    repeats: int
    seed: int
    rows: tuple[Row, ...]


def report(
    game: Game | str,
    agents: Sequence[str],
    *,
    simulations: int | None = None,
    repeats: int = 10,
    method: str = "external",
    iterations: int = 1_000_000,
    seed: int = 0,
    shares: bool = False,
    show: Show = lambda words, done: None,
    solved: Callable[[Solution], object] = lambda solution: None,
) -> Report:
    """Enumerate a game, solve it, and ask the agents everywhere; `solved` is told the solution."""
    show("enumerating the game", 0.0)
    tree = game_tree(game)
    show("solving the game", 0.0)
    solution = equilibrium(tree, method, iterations=iterations, seed=seed)
    solved(solution)
    rows = [_solved(solution), _random(tree)]
    for agent in agents:
        named = with_budget(agent, simulations)
        rows.append(_agent(tree, named, repeats, seed, shares, show))
    return Report(
        game=tree.game.spec,
        histories=tree.histories,
        info_sets=len(tree.info_sets),
        method=method,
        iterations=iterations,
        repeats=repeats,
        seed=seed,
        rows=tuple(rows),
    )


def _solved(found: Solution) -> Row:
    name = f"{found.method}, {found.iterations:,} iterations"
    return Row(name=name, value=found.value, exploitability=found.exploitability, seconds=found.seconds)


def _random(tree: Tree) -> Row:
    policy = uniform(tree)
    return Row(name="random", value=value(tree, policy), exploitability=exploitability(tree, policy))


def _agent(tree: Tree, agent: str, repeats: int, seed: int, shares: bool, show: Show) -> Row:
    began = time.perf_counter()
    found = search_policy(
        tree, agent, repeats=repeats, seed=seed, shares=shares, show=lambda done, wanted: show(f"asking {agent}", done / wanted)
    )
    seconds = time.perf_counter() - began
    return Row(
        name=found.name + (" (shares of visits)" if shares else ""),
        value=found.value.value,
        value_low=found.value.low,
        value_high=found.value.high,
        exploitability=found.exploitability.value,
        low=found.exploitability.low,
        high=found.exploitability.high,
        asked=found.asked,
        seconds=seconds,
    )
