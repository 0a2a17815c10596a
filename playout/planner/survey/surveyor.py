"""Surveying worlds after a search: what its decision hangs on, found with the same engine and without touching its trees.

Two questions, two means. *Which action is best in which world?* Worlds are drawn from a stream of their own and each is
searched with open cards. *How do the outcomes lie?* The search goes on for a while on copies of its trees, one simulation
at a time, and what each brings is written down.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from playout.engine.layout import SAMPLING
from playout.errors import PlayoutError
from playout.game.record import field_names
from playout.game.state import State
from playout.game.stream import SURVEY_TREES, SURVEY_WORLD, Stream
from playout.intervals import wilson
from playout.planner.actions import ActionRecord, pick
from playout.planner.decision import ONLY, Decision
from playout.planner.root import Root, other_actions
from playout.planner.survey.record import QUANTILES, ActionSurvey, Difference, Spread, Survey, fisher
from playout.planner.tree import SearchTree

if TYPE_CHECKING:
    from playout.planner.search import Search

Array = np.ndarray[Any, Any]

WORLDS = 40
MOST_WORLDS = 10_000
FEWEST_EACH, MOST_EACH = 100, 2_500
"""Simulations in each world, unless said: together as many as the decision had, within these bounds."""
FEWEST_SAMPLES, MOST_SAMPLES = 400, 2_000
"""Simulations from which outcomes are read: half of the decision's, within these bounds, as many through each action."""
MOST_SPREADS = 16
"""For so many actions, by visits."""
FEWEST_OUTCOMES = 40
"""With fewer, the ends of a spread would be single simulations."""
FEWEST_SIDE = 3
"""So many worlds for and against the choice before they are compared."""
MOST_COPIED = 512_000_000
"""Bytes: bigger trees are not copied, and the spread is left out."""


def survey(search: Search, decision: Decision, worlds: int = WORLDS, simulations: int | None = None) -> Survey | None:
    """Survey worlds that the mover of a decision cannot tell apart from its state; None where nothing is hidden from it."""
    check_asked(worlds, simulations)
    if (
        decision.stopped == ONLY
        or not decision.trees
        or all(tree.settings.hidden not in (*SAMPLING, "pimc") for tree in decision.trees)
    ):
        return None
    began = time.perf_counter()
    each = simulations or max(FEWEST_EACH, min(MOST_EACH, decision.simulations // worlds))
    places = [_search_open(search, decision, number, each) for number in range(worlds)]
    outcomes = _outcomes(decision, max(FEWEST_SAMPLES, min(MOST_SAMPLES, decision.simulations // 2)))
    samples = sum(len(found) for found in outcomes)
    finals = search.settings.playouts == 1 and search.settings.cutoff is None and search.settings.discount == 1
    finals = finals and search.evaluator is None
    actions = tuple(
        _action(a, [place.column(i) for place in places], outcomes[i], decision.mover, finals, decision.opinion is not None)
        for i, a in enumerate(decision.actions)
    )
    spent = sum(place.spent for place in places) + samples
    return Survey(
        choice=decision.name,
        worlds=worlds,
        simulations=each,
        samples=samples,
        spent=spent,
        seconds=time.perf_counter() - began,
        actions=actions,
        **_rival(decision),
        **_doubts(decision, places),
    )


def check_asked(worlds: int, simulations: int | None) -> None:
    """Refuse what no survey can be made of, before anybody waits for a search."""
    if not 1 <= worlds <= MOST_WORLDS:
        raise PlayoutError(f"survey is {worlds}; give a number of worlds from 1 to {MOST_WORLDS:,}, or 0 for none")
    if simulations is not None and not 1 <= simulations <= 1_000_000:
        raise PlayoutError(f"survey_simulations is {simulations}; give a whole number from 1 to 1,000,000")


class _Place:
    """One world after its search with open cards."""

    def __init__(self, world: State, records: Sequence[ActionRecord], best: int, spent: int, mover: int) -> None:
        self.world, self.records, self.spent = world, records, spent
        self.values = [a.proven[mover] if a.proven is not None else a.mean for a in records]
        same = records[best].proven is not None
        # Means are never equal but by accident; proven results are, and then no one action is the best.
        self.best = [i for i, a in enumerate(records) if i == best or (same and a.proven is not None and self._level(i, best))]
        self.first = best

    def _level(self, a: int, b: int) -> bool:
        return self.values[a] == self.values[b]

    def lost(self, index: int) -> float | None:
        """What an action gives away against the best; never below 0, since the best may be so by visits and not by mean."""
        top, own = self.values[self.first], self.values[index]
        return None if top is None or own is None else max(0.0, top - own)

    def clear(self, index: int) -> bool:
        """Whether the best is better than an action beyond doubt."""
        best, own = self.records[self.first], self.records[index]
        low = self.values[self.first] if best.proven is not None else best.low
        high = self.values[index] if own.proven is not None else own.high
        return low is not None and high is not None and low > high

    def column(self, index: int) -> tuple[bool, bool, float | None, float | None]:
        """(best, the only best, value, loss) of an action."""
        return index in self.best, self.best == [index], self.values[index], self.lost(index)


def _search_open(search: Search, decision: Decision, number: int, simulations: int) -> _Place:
    """Draw a world from what the mover knows and search it with open cards."""
    settings = msgspec.structs.replace(
        search.settings,
        hidden="peek",
        solver=search.provable,
        trees=1,
        observation_width=None,  # what is proven of outcomes that share a position is proven of none of them
    )
    world = decision.state.world(decision.mover, Stream(settings.seed, number, SURVEY_WORLD))
    tree = search.tree(settings, world, SURVEY_TREES + number)
    tree.plan(0, simulations)
    spent = tree.run(simulations, MOST_COPIED)
    records = Root(search.game, settings, [tree]).records()
    if [a.action for a in records] != [a.action for a in decision.actions]:
        raise other_actions(search.game)
    bounds = search.game.range_of(settings.reward)
    best = pick(settings, records, decision.mover, bounds[1] if bounds else None)
    return _Place(world, records, best, spent, decision.mover)


def _outcomes(decision: Decision, count: int) -> list[list[Array]]:
    """Per action the returns of further simulations of the search through it, run on copies of its trees."""
    found: list[list[Array]] = [[] for _ in decision.actions]
    trees = decision.trees
    if sum(tree.bytes for tree in trees) > MOST_COPIED or not _still_there(decision):
        return found
    leading = decision.ranked[:MOST_SPREADS]
    each = max(FEWEST_OUTCOMES, count // len(leading))
    for number, tree in enumerate(trees):
        twin: SearchTree = tree.copy()
        if not twin.edges(0):
            twin.run(1, MOST_COPIED)
        for record in leading:
            share = each // len(trees) + (number < each % len(trees))
            found[decision.actions.index(record)] += _through(twin, record.action, share)
    return found


def _still_there(decision: Decision) -> bool:
    """Whether the trees start from the decision's state, or (pimc) from worlds that its mover cannot tell from it."""
    state, mover = decision.state, decision.mover
    if decision.settings.hidden != "pimc":
        return all(tree.root == state for tree in decision.trees)
    seen = state.observed(mover)
    return all(tree.root.mover == mover and tree.root.observed(mover) == seen for tree in decision.trees)


def _through(tree: SearchTree, action: int, count: int) -> list[Array]:
    """The returns of simulations that all begin with one action."""
    slot = tree.edge(0, action)
    if slot is None or not tree.force(action):
        return []
    found, before = [], tree.scores_of(slot)
    for _ in range(count):
        if not tree.run(1, MOST_COPIED):
            break
        # With hidden information a block of actions may have moved.
        after = tree.scores_of(tree.edge(0, action) or slot)
        # A difference of sums has dust in the last digits.
        found.append(np.round(after - before, 9))
        before = after
    tree.force(None)
    return found


def _action(
    record: ActionRecord,
    columns: Sequence[tuple[bool, bool, float | None, float | None]],
    outcomes: Sequence[Array],
    mover: int,
    finals: bool,
    several: bool,
) -> ActionSurvey:
    best, alone = sum(column[0] for column in columns), sum(column[1] for column in columns)
    low, high = wilson(best, len(columns))
    return ActionSurvey(
        action=record.action,
        name=record.name,
        best=best,
        alone=alone,
        low=low,
        high=high,
        mean=_mean([column[2] for column in columns]),
        regret=_mean([column[3] for column in columns]),
        # With several trees the error is how far they are apart, and says nothing of single simulations.
        deviation=None if record.error is None or several else record.error * math.sqrt(record.visits),
        spread=_spread(outcomes, mover, finals),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _spread(outcomes: Sequence[Array], mover: int, finals: bool) -> Spread | None:
    if len(outcomes) < FEWEST_OUTCOMES:
        return None
    returns = np.array(outcomes)
    own = returns[:, mover]
    others = np.delete(returns, mover, axis=1).max(axis=1) if returns.shape[1] > 1 else np.zeros(len(own))
    won = int((own > others).sum())
    low, high = wilson(won, len(own)) if finals else (None, None)
    return Spread(
        samples=len(own),
        mean=float(own.mean()),
        deviation=float(own.std()),
        # An outcome that was met, and not a number between two: half a win is no outcome.
        quantiles=tuple(float(q) for q in np.quantile(own, QUANTILES, method="inverted_cdf")),
        wins=won / len(own) if finals else None,
        wins_low=low,
        wins_high=high,
    )


def _rival(decision: Decision) -> dict[str, Any]:
    """The runner-up, and what it lacks."""
    chosen = decision.chosen
    rival = next((a for a in decision.ranked[1:] if not a.refuted), None)
    if rival is None or rival.mean is None or chosen.mean is None or rival.error is None or chosen.error is None:
        return {"rival": None if rival is None else rival.name, "rise": None, "rise_errors": None}
    rise, error = chosen.mean - rival.mean, math.hypot(chosen.error, rival.error)
    return {"rival": rival.name, "rise": rise, "rise_errors": rise / error if error > 0 else None}


def _doubts(decision: Decision, places: Sequence[_Place]) -> dict[str, Any]:
    """What in the worlds speaks against the choice."""
    index = decision.actions.index(decision.chosen)
    against = [place for place in places if index not in place.best]
    others = [place for place in places if index in place.best]
    worst = max(against, key=lambda place: (place.clear(index), place.lost(index) or 0.0), default=None)
    return {
        "against": len(against),
        "clearly": sum(place.clear(index) for place in against),
        "by": _mean([place.lost(index) for place in against]),
        "worst": None if worst is None else worst.world,
        "worst_action": None if worst is None else worst.records[worst.first].name,
        "worst_by": None if worst is None else worst.lost(index),
        "difference": _difference([p.world for p in against], [p.world for p in others], decision.mover),
    }


def _difference(against: Sequence[State], others: Sequence[State], mover: int) -> Difference | None:
    """The hidden thing whose share differs most, by how unlikely that would be by chance, between two sets of worlds."""
    if min(len(against), len(others)) < FEWEST_SIDE:
        return None
    counts: dict[str, list[int]] = {}
    for side, worlds in enumerate((against, others)):
        for world in worlds:
            for fact in set(facts(world, mover)):
                counts.setdefault(fact, [0, 0])[side] += 1
    total = len(against) + len(others)
    varying = {fact: (a, b) for fact, (a, b) in counts.items() if 1 < a + b < total}
    if not varying:
        return None
    chances = {fact: fisher(a, len(against), b, len(others)) for fact, (a, b) in varying.items()}
    # Of two that exclude each other, the one that holds in the worlds against the choice is easier to picture.
    words = min(varying, key=lambda fact: (chances[fact], varying[fact][1] * len(against) - varying[fact][0] * len(others), fact))
    a, b = varying[words]
    chance = min(1.0, chances[words] * len(varying))
    return Difference(words=words, against=a, others=b, compared=len(varying), chance=chance)


def facts(world: State, player: int) -> list[str]:
    """What a player cannot see in a world, in the game's own words, or else field by field."""
    name = world.game.functions.get("hidden_facts")
    if name is not None:
        return [str(fact) for fact in name(world.fields, player)]
    return _cells(world.copy_array()[0], "")


def _cells(record: Any, above: str) -> list[str]:
    found = []
    for name in field_names(record.dtype):
        value = record[name]
        if isinstance(value, np.void):
            found += _cells(value, f"{above}{name}.")
        elif np.ndim(value) == 0:
            found.append(f"{above}{name} is {value}")
        else:
            found += [f"{above}{name}[{', '.join(map(str, at))}] is {one}" for at, one in np.ndenumerate(value)]
    return found
