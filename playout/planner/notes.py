"""The note of a decision: what else must be known of it, beside its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playout.planner.waiting import called, plays_out

if TYPE_CHECKING:
    from playout.planner.actions import ActionRecord
    from playout.planner.run import Run


def note_of(run: Run, choice: ActionRecord, records: tuple[ActionRecord, ...]) -> str:
    """The most important of them: how hidden information was searched, who valued leaves, that the action was drawn, what a solver found."""
    search = run.search
    drawn = search.settings.final == "shares" and choice.proven is None
    return (
        search.ignored
        or _hidden(run)
        or _learned(run)
        or (_drawn(choice, records) if drawn else "")
        or ("" if run.proof is None else run.proof.words())
        or search.kept
    )


def _hidden(run: Run) -> str:
    if not run.search.game.hidden:
        return ""
    if run.search.settings.hidden == "peek":
        return "peek cheats: it searched the state as it is, hidden things included"
    return "" if run.worlds() is not None else "nothing is hidden any more: the state is its only world"


def _learned(run: Run) -> str:
    search = run.search
    if search.prior is not None:
        return "the actions of the root had priors, which were given"
    if search.learned is None and search.evaluator is None:
        return ""
    if plays_out(search.evaluator):
        return f"{called(search.evaluator)} gave the priors, and leaves were played out"
    known = search.learned
    who = called(search.evaluator) if known is None else f"the {'policy' if known.network is None else 'network'} {known.name}"
    return f"{run.valued() - run.valued_before:,} of {run.done:,} simulations ended at a leaf that {who} valued"


def _drawn(choice: ActionRecord, records: tuple[ActionRecord, ...]) -> str:
    """That the action was drawn, which no other number of the decision tells."""
    part = choice.visits / max(1, sum(record.visits for record in records))
    return f"the action was drawn by the shares of the visits; {choice.name} has {100 * part:.0f} % of them"
