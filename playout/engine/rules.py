"""Selection rules: how much an uncertain action is favoured. One entry each: its name, its bonus, and what it asks for.

Settings read the names, kernels the numbers (the place in `RULES`) through `bonus_of`, and the decision's explore column the same
functions. A new rule is one function and one entry here.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

from playout.compile.holes import hot

Bonus = Callable[..., float]
"""bonus(c, parent, log_parent, visits, variance, span, prior): the parent's visits and their logarithm; the action's visits, the
variance of its returns and the width of all returns on the scale of the search; its prior. What it does not use it ignores."""


class Rule(NamedTuple):
    """One selection rule."""

    name: str
    bonus: Bonus | None
    """None: weights do not decide, but turns or lots."""
    fpu: str = "first"
    """The first-play urgency that "auto" means: "first" tries every action once, "parent" gives an untried one the parent's mean."""
    priors: bool = False
    """Whether it reads priors."""
    regrets: bool = False
    """Whether actions are drawn in proportion to their regrets; see `mixing`."""
    race: bool = False
    """Whether it is for the root alone, where the budget is spent in rounds; see `race`."""


@hot
def ucb1_term(c: float, log_parent: float, share: float) -> float:
    """c·sqrt(ln(parent visits) / visits), given 1 / visits: the hottest loop has it at hand, and divisions are what it waits for."""
    return c * sqrt(log_parent * share)


def ucb1(c: float, parent: int, log_parent: float, visits: int, variance: float, span: float, prior: float) -> float:
    """UCB1: c·sqrt(ln(parent visits) / visits) (Auer, Cesa-Bianchi, Fischer 2002; Kocsis, Szepesvári 2006)."""
    if visits == 0:
        return 0.0
    return ucb1_term(c, log_parent, 1.0 / visits)


def ucb1_tuned(c: float, parent: int, log_parent: float, visits: int, variance: float, span: float, prior: float) -> float:
    """UCB1-Tuned: UCB1 with the variance that was seen in place of the largest possible, a quarter of the squared span."""
    if visits == 0:
        return 0.0
    share = 1.0 / visits
    bound = variance + span * span * sqrt(2.0 * log_parent * share)
    return c * sqrt(log_parent * share * min(0.25 * span * span, bound))


def puct(c: float, parent: int, log_parent: float, visits: int, variance: float, span: float, prior: float) -> float:
    """PUCT: c·prior·sqrt(parent visits) / (1 + visits) (Rosin 2011; Silver et al. 2017)."""
    return c * prior * sqrt(parent) / (1 + visits)


RULES = (
    Rule("ucb1", ucb1),
    Rule("ucb1-tuned", ucb1_tuned),
    Rule("puct", puct, fpu="parent", priors=True),
    Rule("equal", None),
    Rule("regret-matching", None, regrets=True),
    Rule("halving", None, race=True),
    Rule("gumbel", None, priors=True, race=True),
)
NAMES = tuple(rule.name for rule in RULES)
UCB1, PUCT, EQUAL, REGRETS, HALVING, GUMBEL = (
    NAMES.index(name) for name in ("ucb1", "puct", "equal", "regret-matching", "halving", "gumbel")
)


def rule_named(name: str) -> Rule:
    """The entry of a rule."""
    return RULES[NAMES.index(name)]


def _no_bonus(
    rule: int, c: float, parent: int, log_parent: float, visits: int, variance: float, span: float, prior: float
) -> float:
    return 0.0


def _from(number: int) -> Callable[..., float]:
    """The bonus of the rules from a number on: a chain of comparisons, made here so that nobody has to write it."""
    if number == len(RULES):
        return _no_bonus
    others, bonus = _from(number + 1), RULES[number].bonus
    if bonus is None:
        return others
    mine: Bonus = bonus

    def bonus_of(
        rule: int, c: float, parent: int, log_parent: float, visits: int, variance: float, span: float, prior: float
    ) -> float:
        if rule == number:
            return mine(c, parent, log_parent, visits, variance, span, prior)
        return others(rule, c, parent, log_parent, visits, variance, span, prior)

    return hot(bonus_of)


bonus_of: Any = _from(0)
"""bonus_of(rule, c, parent, log_parent, visits, variance, span, prior): the bonus by the number of its rule."""
