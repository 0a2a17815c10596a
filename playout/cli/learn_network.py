"""`playout learn --learner network` as people watch it, and what it says in the end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.table import Table

from playout.cli.learn_show import cells
from playout.cli.live import Live, foot
from playout.cli.tables import plain_table, put, span
from playout.cli.terminal import compiling, console, plain, print_json, prose
from playout.game.load import load
from playout.learning.run import Point

if TYPE_CHECKING:
    from playout.game.game import Game
    from playout.learning.network.result import NetworkProgress, NetworkResult

BARS = "▁▂▃▄▅▆▇█"
LATEST = 24
"""Points of the curve that are drawn in the terminal."""


def learn_network_shown(game: Game, *, json: bool, plot: Path | None, report: Path | None, **words: Any) -> None:
    """Learn, with the curves on the standard error meanwhile."""
    from playout.learning.network.learn import learn_network

    err = console(stderr=True)
    with compiling(game.spec, quiet=json), LiveNetwork(err, quiet=json) as live:
        _, found = learn_network(game, show=live.show, **words)
    if json:
        print_json(found)
    else:
        show_network(console(), found)
    if plot is not None and found.curve:
        from playout.report.learning_page import write_curve

        plain(err, f"learning curve drawn: {write_curve(found.game, found.curve, plot)}")
    if report is not None:
        from playout.report.learning_page import write_learning_report

        plain(err, f"report written: {write_learning_report(found, report)}")
    if found.out is not None:
        simulations = found.settings.simulations
        plain(
            err,
            f"network saved: {found.out} (play it: network:{found.out},simulations={simulations}; look at it: playout inspect {found.out})",
        )


class LiveNetwork(Live):
    """Shows the progress of a network; quiet, it says only what went wrong."""

    def __init__(self, err: Console, *, quiet: bool = False) -> None:
        super().__init__(err, quiet=quiet, at_once=True)
        self._notes: set[str] = set()

    def show(self, now: NetworkProgress) -> None:
        """Where learning stands."""
        if now.note and now.note not in self._notes:
            self._notes.add(now.note)
            plain(self.err, f"note: {now.note}")
        self.update(lambda: words(now), lambda: _picture(now))


def words(now: NetworkProgress) -> str:
    """The progress in one line."""
    left = "" if now.target == float("inf") else f", about {span(max(0.0, now.target - now.seconds))} left"
    loss = "" if now.losses is None else f", loss {now.losses[0]:.3f} policy and {now.losses[1]:.3f} value"
    return (
        f"generation {now.generation:,}, {now.games:,} games, {now.per_second:,.0f} decisions and {now.trained_per_second:,.0f} samples a second"
        f"{loss}{left}"
    )


def shares_words(shares: dict[str, float]) -> str:
    """Where the time goes, in words."""
    return ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items() if share >= 0.005)


def _picture(now: NetworkProgress) -> Group:
    if now.generations is not None:
        last = foot(now.generation, now.generations, words(now))
    else:
        last = foot(min(now.seconds, now.target), now.target, words(now))
    time = f"time: {shares_words(now.shares)}"
    return Group(last, time) if not now.curve else Group(_curves(now.curve), last, time)


def _curves(curve: list[Point]) -> Table:
    """The points of each opponent as bars, the latest in numbers."""
    last = curve[-1].evaluation
    table = plain_table(f"after {curve[-1].episodes:,} games ({last.games:,} each)", "points", "95 %", "so far")
    for opponent, seats in last.against.items():
        for seat, outcome in (seats or {}).items():
            low, high = ends(outcome)
            past = [(point.evaluation.against.get(opponent) or {}).get(seat) for point in curve[-LATEST:]]
            bars = "".join(BARS[min(7, int(8 * one.points))] for one in past if one is not None)
            table.add_row(f"{seat} against {opponent}", f"{outcome.points:.3f}", f"{low:.3f} to {high:.3f}", bars)
    return table


def ends(outcome: Any) -> tuple[float, float]:
    """The interval of the points."""
    from playout.report.learning_page import point_bounds

    return point_bounds(outcome)


def show_network(out: Console, found: NetworkResult) -> None:
    """What was learned: a few lines and the table of opponents."""
    plain(
        out,
        f"{found.game}: {found.generations:,} generations, {found.games:,} games, {found.decisions:,} decisions, seed {found.seed}, {found.device}; "
        f"{span(found.seconds)} in all; a network of {found.weights:,} weights",
    )
    plain(
        out,
        f"{found.decisions_per_second:,.0f} decisions of self-play and {found.trained_per_second:,.0f} samples of training a second; time: "
        f"{shares_words(found.shares)}",
    )
    out.print()
    if found.curve:
        last = found.curve[-1].evaluation
        if last.against:
            table = plain_table(f"with {found.settings.simulations:,} simulations", "win", "draw", "loss")
            for opponent, seats in last.against.items():
                for seat, outcome in (seats or {}).items():
                    table.add_row(f"{seat} against {opponent}", *cells(outcome))
            put(out, table)
            out.print()
            alone = load(found.game).players == 1
            how = "deals that both play, where more is a win" if alone else "games against each opponent, from every seat alike"
            prose(out, f"{last.games:,} {how}, with 95 % intervals")
        for seat, lost, lines in zip(("first", "second"), last.losing_lines, last.lines):
            if lost is not None and lines is not None:
                prose(out, f"as {seat} player it loses in {lost:,} of {lines:,} lines, over all replies")
    for note in found.notes:
        prose(out, f"note: {note}")
    if found.stopped != "done":
        prose(out, f"note: {found.stopped} after {found.generations:,} generations; the same command goes on")
