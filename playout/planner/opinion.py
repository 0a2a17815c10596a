"""A second opinion: how a budget is shared between independent trees, what they think, and how far apart they are.

Simulations of one tree are not independent: where it went first decides where it goes next, and a thousand more of them confirm what
the first hundred believed. Trees of other seeds know nothing of that. So one main tree gets most of the budget, since many small ones
play worse than one that is large, and a few witnesses get the rest; what is said about certainty comes from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from playout.intervals import student_quantile

WITNESSES = 7
"""Trees besides the main one."""
MAIN = 0.75
"""The main tree's part of a budget in simulations: on two threads it takes the longest, and the witnesses no time."""
ALONE = 0.875
"""Its part of the time where one thread does all."""
REAL_WITNESSES = 3
"""The same for real-valued actions, where a witness must find its way to the best basin by itself."""
ENOUGH = 4000
"""With fewer simulations there is one tree: a witness would see too few of them to say anything."""
REAL_ENOUGH = 8000
"""The same for real-valued actions."""
ROOM = 16.0
"""With fewer megabytes there is one tree, too: it needs them all."""
LIKELY = 0.6
"""Of decisions that had this part of the visits and were not settled, most were with ten times the budget; of the others few."""
DOUBT = 0.1
"""How much of the (squared) difference between the main tree and its witnesses counts as spread."""
Z = 1.959963984540054
"""The intervals are 95 % ones."""

Array = np.ndarray[Any, Any]


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What the trees of a search think, each for itself."""

    trees: int
    """Trees that were asked: the main one, and the witnesses."""
    simulations: tuple[int, ...]
    """What each of them has seen."""
    choices: tuple[tuple[str, int], ...]
    """The actions that any tree chooses, and how many do; most first."""
    chosen: str
    """What the decision chose, by the visits of all trees together."""
    share: float
    """Its part of these visits; with real-valued actions its part of the trees."""
    values: tuple[float, ...] = ()
    """With real-valued actions: what the choice of each tree is worth to the mover, as that tree sees it."""
    race: bool = False
    """Whether the actions raced at the root: then visits tell nothing about how near a decision is."""

    @property
    def agree(self) -> int:
        """Trees that choose what the decision does."""
        return dict(self.choices).get(self.chosen, 0)

    @property
    def settled(self) -> bool:
        """Whether all trees choose what the decision does."""
        return self.agree == self.trees

    def words(self) -> str:
        """What the trees say, and no more than that."""
        about, worth = ("about ", f", worth {_range(self.values)}") if self.values else ("", "")
        if self.settled:
            return f"all {self.trees} trees choose {about}{self.chosen}{worth}"
        (name, count), *others = self.choices
        rest = "".join(f", {many} {other}" for other, many in others)
        by = "the choice is" if self.values or self.race else "the visits of all together choose"
        against = "" if name == self.chosen else f" ({by} {self.chosen})"
        outlook = "" if self.values or self.race else f"; {self._outlook()}"
        return f"{count} of {self.trees} trees choose {about}{name}{rest}{against}{worth}: not settled{outlook}"

    def _outlook(self) -> str:
        """What ten times the budget did for decisions like this one: measured in docs/strength.md."""
        if self.share >= LIKELY:
            return "10 times the budget would probably decide"
        return "even 10 times the budget may not decide: the actions may be about as good"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "trees": self.trees,
            "simulations": self.simulations,
            "choices": dict(self.choices),
            "agree": self.agree,
            "share": self.share,
            "settled": self.settled,
            **({"values": self.values} if self.values else {}),
        }


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.4g}", f"{max(values):.4g}"
    return low if low == high else f"{low} to {high}"


def opinion_of(
    names: Sequence[str], simulations: Sequence[int], chosen: str, share: float, values: Sequence[float] = (), race: bool = False
) -> Opinion:
    """The opinion of trees that choose these actions, where the decision chose another or the same."""
    counts = Counter(names)
    choices = sorted(counts.items(), key=lambda item: (-item[1], item[0] != chosen, names.index(item[0])))
    return Opinion(
        trees=len(names),
        simulations=tuple(simulations),
        choices=tuple(choices),
        chosen=chosen,
        share=share,
        values=tuple(values),
        race=race,
    )


def quotas(simulations: int, trees: int, main: bool) -> list[int]:
    """How many simulations each tree gets: the main one its part, the others the same each; without a main one all the same."""
    if main and trees > 1:
        each = int(simulations * (1 - MAIN)) // (trees - 1)
        return [simulations - each * (trees - 1), *[each] * (trees - 1)]
    whole, rest = divmod(simulations, trees)
    return [whole + (number < rest) for number in range(trees)]


def pace(trees: int, threads: int | None) -> float:
    """Simulations of a witness for one of the main tree: as many as other threads can do meanwhile, at most the same.

    Without threads (None) as `quotas` has it, whatever the machine.
    """
    if trees == 1:
        return 1.0
    if threads is None:
        return (1 - MAIN) / MAIN / (trees - 1)
    return min(1.0, (threads - 1 if threads > 1 else (1 - ALONE) / ALONE) / (trees - 1))


def spread(visits: Array, scores: Array, main: bool) -> Array:
    """The standard error of the mean of every action over all trees (rows), by how far the trees are apart; 0 where that is not seen.

    Trees are what is independent, whole: a tree adds its score, less what its visits should have brought, and the squares of these sums
    tell the spread (a ratio estimator; Cochran 1977, 6.3). The main tree is taken to be as far off as a single witness, and a little
    more where it has come to think otherwise than they do: what a tree believes depends on where it went first, and that evens
    out so slowly that 20 times the visits hardly show. Both are measured, in docs/strength.md.
    """
    seen, earned = visits[main:], scores[main:]
    count, total = len(seen), seen.sum(axis=0)
    if count < 2:
        return np.zeros(visits.shape[1])
    middle = earned.sum(axis=0) / np.maximum(total, 1)
    apart = np.square(earned - seen * middle).sum(axis=0)
    variance = count / (count - 1) * apart / np.square(np.maximum(total, 1))
    found: Array
    if not main:
        found = np.sqrt(variance)
        return found
    other = np.where((visits[0] > 0) & (total > 0), scores[0] / np.maximum(visits[0], 1) - middle, 0.0)
    part = visits[0] / np.maximum(visits[0] + total, 1)
    found = np.sqrt(np.square(part) * (count * variance + DOUBT * np.square(other)) + np.square(1 - part) * variance)
    return found


@lru_cache(maxsize=64)
def reach(trees: int, main: bool) -> float:
    """How many standard errors a 95 % interval reaches; without a main tree by Student's t, since so few trees told the spread."""
    return Z if main else student_quantile(0.975, trees - 1)
