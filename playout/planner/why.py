"""What a decision says in words: why this action and not that one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playout.planner.actions import ActionRecord
    from playout.planner.decision import Decision


def result_words(proven: Sequence[float], mover: int) -> str:
    """A proven result in words: for two players that gain what the other loses win, loss or draw; else the numbers."""
    if len(proven) == 2 and proven[0] == -proven[1] and abs(proven[0]) in (0.0, 1.0):
        return {1.0: "win", -1.0: "loss", 0.0: "draw"}[proven[mover]]
    return "(" + ", ".join(f"{v + 0.0:g}" for v in proven) + ")"


def compare(decision: Decision, a: ActionRecord, b: ActionRecord) -> str:
    """Why one action and not another, with the numbers that speak for it."""
    if a.action == b.action:
        return f"{a.name} and {b.name} are the same action."
    mover = decision.mover
    if a.proven is not None and b.proven is not None:
        better, worse = (a, b) if a.proven[mover] >= b.proven[mover] else (b, a)
        assert better.proven is not None and worse.proven is not None
        if better.proven[mover] == worse.proven[mover]:
            return f"{a.name} and {b.name} are both proven: {result_words(better.proven, mover)}."
        return f"{better.name} is better than {worse.name}: proven {result_words(better.proven, mover)} against proven {result_words(worse.proven, mover)}."
    for known, other in ((a, b), (b, a)):
        if known.proven is not None:
            seen = "untried" if other.mean is None else f"mean {other.mean:+.3f} over {other.visits:,} visits, not proven"
            return f"{known.name} is proven: {result_words(known.proven, mover)}; {other.name}: {seen}."
    if a.refuted or b.refuted:
        bad, good = (a, b) if a.refuted else (b, a)
        if bad.visits:
            return f"{bad.name} cannot bring more than another action is sure of; {good.name} is still open."
        return f"{bad.name} is ruled out by decisive moves (a win in one, or a loss in one); {good.name} is not."
    if a.dropped != b.dropped and a.mean is not None and b.mean is not None:
        out, left = (a, b) if a.dropped else (b, a)
        return (
            f"{out.name} fell out of the race ({decision.settings.root_rule}) after {out.visits:,} visits with mean {out.mean:+.3f}; {left.name} "
            f"is left in it, with {left.visits:,} visits and mean {left.mean:+.3f}."
        )
    if a.mean is None or b.mean is None:
        tried, untried = (a, b) if b.mean is None else (b, a)
        return f"{untried.name} was never tried; {tried.name} has {tried.visits:,} visits."
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return (
            f"the best line through {a.name} gives {decision.player} {a.mean:+.4g} ({a.visits:,} visits), that through {b.name} "
            f"{b.mean:+.4g} ({b.visits:,} visits)."
        )
    verdict = _verdict(decision, a, b)
    if a.visits == b.visits:
        return (
            f"{a.name} and {b.name} have equal visits, {a.visits:,} each, so these do not tell which is better: {a.name} has a mean return of "
            f"{a.mean:+.3f} ({a.low:+.3f} to {a.high:+.3f}), {b.name} of {b.mean:+.3f} ({b.low:+.3f} to {b.high:+.3f}); {verdict}."
        )
    if decision.settings.final == "mean" and a.mean != b.mean:
        return (
            f"{a.name} {'leads' if a.mean > b.mean else 'trails'} {b.name} by mean return, {a.mean:+.3f} ({a.low:+.3f} to {a.high:+.3f}) over "
            f"{a.visits:,} visits against {b.mean:+.3f} ({b.low:+.3f} to {b.high:+.3f}) over {b.visits:,}; {verdict}."
        )
    word = "leads" if a.visits > b.visits else "trails"
    if (a.visits - b.visits) * (a.mean - b.mean) < 0:
        verdict += (
            "; visits and means disagree, which happens while the search is changing its mind: the choice goes by "
            + decision.settings.final
        )
    return (
        f"{a.name} {word} {b.name} by visits, {a.visits:,} against {b.visits:,}: its mean return is {a.mean:+.3f} "
        f"({a.low:+.3f} to {a.high:+.3f}) against {b.mean:+.3f} ({b.low:+.3f} to {b.high:+.3f}); {verdict}."
    )


def at_first_sight(decision: Decision, a: ActionRecord, b: ActionRecord) -> str:
    """What the evaluator said of the two by itself, beside what search made of it; nothing where there is no evaluator."""
    if a.evaluated is None or b.evaluated is None or a.action == b.action:
        return ""
    who, tried = (
        decision.evaluator or f"the network {decision.settings.value}",
        max(1, sum(action.visits for action in decision.actions)),
    )
    said = f" By itself {who} values {a.name} at {a.evaluated:+.3f} and {b.name} at {b.evaluated:+.3f}."
    if a.prior is None or b.prior is None:
        return said
    return (
        f" {who[:1].upper()}{who[1:]} gave {a.name} {a.prior:.2f} of the prior and {b.name} {b.prior:.2f}; search gave them "
        f"{a.visits / tried:.2f} and {b.visits / tried:.2f} of the visits.{said}"
    )


def _verdict(decision: Decision, a: ActionRecord, b: ActionRecord) -> str:
    """How sure that is. One tree alone cannot tell: its simulations followed each other."""
    if decision.opinion is None:
        alone = ": the intervals hold as if its simulations were independent" if len(decision.trees) == 1 else ""
        return decision.sureness + alone
    if decision.action in (a.action, b.action):
        return decision.opinion.words()
    return f"{a.best} of {decision.opinion.trees} trees choose {a.name}, {b.best} {b.name}"
