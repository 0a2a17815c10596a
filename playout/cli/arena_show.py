"""Tournaments as people read them in a terminal: the live table, and the standings at the end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

import rich.live
from rich.console import Console, Group
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from playout.arena.standings import AgentRow, SoloRow, Standings
from playout.arena.tournament import Tally, Tournament
from playout.arena.words import counted, headline, ranking, sureness
from playout.cli.terminal import plain, prose

MOST_LIVE = 12
MOST_CROSS = 12
SHOWN_EVERY = 0.25
SAID_EVERY = 10.0


def _table() -> Table:
    return Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")


def _columns(table: Table, names: Sequence[str]) -> None:
    """Numbers are never cut; where the terminal is narrow, names are folded."""
    for place, name in enumerate(names):
        table.add_column(
            name, justify="right" if place else "left", no_wrap=place > 0, overflow="fold", min_width=0 if place else 20
        )


def _share(value: float, low: float, high: float) -> str:
    return f"{100 * value:5.1f} %  {100 * low:5.1f} to {100 * high:5.1f}"


def span(seconds: float | None) -> str:
    """A stretch of time in few letters."""
    if seconds is None:
        return "-"
    for size, unit in ((3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


class Live:
    """A table on the standard error while the games go on; where that is no terminal, a line now and then."""

    def __init__(self, err: Console, tournament: Tournament) -> None:
        self.err, self.tournament = err, tournament
        self.solo = tournament.experiment.players == 1
        self._shown = self._said = time.monotonic()
        self._live = rich.live.Live(console=err, transient=True, auto_refresh=False) if err.is_terminal else None

    def __enter__(self) -> Live:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, tally: Tally) -> None:
        """Where things stand now."""
        now = time.monotonic()
        if self._live is None:
            if now - self._said >= SAID_EVERY:
                self._said = now
                plain(self.err, self._words(tally))
        elif now - self._shown >= SHOWN_EVERY or tally.done == tally.wanted:
            self._shown = now
            self._live.update(self._picture(tally), refresh=True)

    def _words(self, tally: Tally) -> str:
        left = tally.seconds_left
        return f"{tally.done:,} of {tally.wanted:,} games, {tally.per_second:,.3g} a second" + (
            f", about {span(left)} left" if left else ""
        )

    def _picture(self, tally: Tally) -> Group:
        table = _table()
        _columns(table, ("agent", "games", "wins" if self.solo else "points", "95 % interval", "s/decision", "faults"))
        ranked = sorted(tally.lines, key=lambda line: -line.points / max(1, line.games))
        for line in ranked[:MOST_LIVE]:
            low, high = line.interval
            share = f"{100 * line.points / line.games:.1f} %" if line.games else "-"
            price = span(line.seconds / line.decisions) if line.decisions else "-"
            bounds = f"{100 * low:.1f} to {100 * high:.1f}"
            table.add_row(escape(line.agent), f"{line.games:,}", share, bounds, price, str(line.faults or ""))
        bar = ProgressBar(total=tally.wanted, completed=tally.done, width=40)
        more = [Text(f"and {len(ranked) - MOST_LIVE} more agents")] if len(ranked) > MOST_LIVE else []
        foot = Table.grid(padding=(0, 2, 0, 0))
        foot.add_row(bar, Text(self._words(tally)))
        return Group(table, *more, foot)


class Steps:
    """One line with a bar on the standard error for work in several stages; where that is no terminal, a line now and then."""

    def __init__(self, err: Console) -> None:
        self.err, self._said = err, time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Steps:
        if self.err.is_terminal:
            columns = (BarColumn(24), TextColumn("{task.percentage:.0f} %"), TextColumn("{task.description}"))
            self._bar = Progress(*columns, TimeElapsedColumn(), console=self.err, transient=True)
            self._bar.add_task("starting", total=1.0)
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, words: str, done: float) -> None:
        """What is being done, and which part of all is done."""
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], description=escape(words), completed=done)
        elif time.monotonic() - self._said >= SAID_EVERY:
            self._said = time.monotonic()
            plain(self.err, f"{100 * done:.0f} %  {words}")


def put(out: Console, table: Table) -> None:
    """Print a table: as wide as it likes, where there is no terminal to fit into."""
    (out if out.is_terminal else Console(file=out.file, width=500, highlight=False)).print(table)


def plain_table(first: str, *names: str) -> Table:
    """A table of numbers with words in its first column."""
    table = _table()
    _columns(table, (first, *names))
    return table


# the standings


def show_standings(out: Console, standings: Standings) -> None:
    """Everything about a tournament, the most important first."""
    if not standings.played:
        plain(out, "no game is finished yet")
        return
    prose(out, f"{headline(standings)} {sureness(standings)}")
    out.print()
    put(out, _solo_table(standings) if standings.players == 1 else _agent_table(standings))
    if standings.players == 1:
        _show_differences(out, standings)
    elif len(standings.agents) > 1:
        _show_cross(out, standings)
        _show_sides(out, standings)
    _show_game(out, standings)
    for fault in standings.faults:
        prose(
            out,
            f"fault: {fault.agent} lost {counted(fault.games, 'game')} by {FAULT_WORDS[fault.kind]}, first game {fault.first}: {fault.error}",
        )
    for note in standings.notes:
        prose(out, f"note: {note}")


FAULT_WORDS = {
    "crash": "an error",
    "illegal": "an illegal action",
    "time": "taking too long",
    "died": "the death of its process",
}


def _ranked(standings: Standings) -> list[AgentRow | SoloRow]:
    return [standings.agents[place] for place in ranking(standings)]


def _agent_table(standings: Standings) -> Table:
    rows = [row for row in _ranked(standings) if isinstance(row, AgentRow)]
    skills = any(row.openskill is not None for row in rows)
    simulated = any(row.simulations_per_decision for row in rows)
    table = _table()
    names = ["agent", "Elo", "95 % interval", "points", "95 % interval", "games", "s/decision"]
    names += ["simulations"] * simulated + ["openskill"] * skills + ["faults"] * any(row.faults for row in rows)
    _columns(table, names)
    for row in rows:
        rating = "-" if row.rating is None else f"{row.rating:+.0f}"
        bounds = "-" if row.rating_low is None else f"{row.rating_low:+.0f} to {row.rating_high:+.0f}"
        cells = [
            escape(row.agent),
            rating,
            bounds,
            f"{100 * row.points:.1f} %" if row.games else "-",
            f"{100 * row.low:.1f} to {100 * row.high:.1f}",
        ]
        cells += [f"{row.games:,}", span(row.seconds_per_decision)]
        if simulated:
            cells.append(f"{row.simulations_per_decision:,.0f}" if row.simulations_per_decision else "-")
        if skills:
            cells.append(
                "-" if row.openskill is None else f"{row.openskill:.1f}{_brackets(row.openskill_low, row.openskill_high)}"
            )
        table.add_row(*cells, *([str(row.faults or "")] if "faults" in names else []))
    return table


def _brackets(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({low:.1f} to {high:.1f})"


def _solo_table(standings: Standings) -> Table:
    rows = [row for row in _ranked(standings) if isinstance(row, SoloRow)]
    simulated = any(row.simulations_per_decision for row in rows)
    table = _table()
    names = [
        "agent",
        "mean score",
        "95 % interval",
        "lowest",
        "median",
        "highest",
        "wins",
        "95 % interval",
        "games",
        "s/decision",
    ]
    names += ["simulations"] * simulated + ["faults"] * any(row.faults for row in rows)
    _columns(table, names)
    for row in rows:
        mean = "-" if row.mean_score is None else f"{row.mean_score:.4g}"
        bounds = "-" if row.score_low is None else f"{row.score_low:.4g} to {row.score_high:.4g}"
        least, _, median, _, most = [f"{value:.4g}" for value in row.quartiles] or ["-"] * 5
        cells = [escape(row.agent), mean, bounds, least, median, most, f"{100 * row.win_rate:.1f} %"]
        cells += [f"{100 * row.low:.1f} to {100 * row.high:.1f}", f"{row.games:,}", span(row.seconds_per_decision)]
        if simulated:
            cells.append(f"{row.simulations_per_decision:,.0f}" if row.simulations_per_decision else "-")
        table.add_row(*cells, *([str(row.faults or "")] if "faults" in names else []))
    return table


def _show_cross(out: Console, standings: Standings) -> None:
    """Who got how many points against whom; rows against columns, the columns by number."""
    rows = _ranked(standings)[:MOST_CROSS]
    found: dict[tuple[str, str], str] = {}
    for pair in standings.pairs:
        # Rounded once, so that the two add up.
        share = round(100 * pair.points_a, 1)
        found[pair.a, pair.b], found[pair.b, pair.a] = f"{share:.1f} %", f"{100 - share:.1f} %"
    table = _table()
    _columns(table, ["points of the row against the column", *(str(number) for number in range(1, len(rows) + 1))])
    for number, row in enumerate(rows, 1):
        table.add_row(
            f"{number} {escape(row.agent)}", *("" if row is other else found.get((row.agent, other.agent), "-") for other in rows)
        )
    out.print()
    put(out, table)


def _show_sides(out: Console, standings: Standings) -> None:
    table = _table()
    _columns(table, ["points per side", *(f"player {seat}" for seat in range(standings.players))])
    by_agent: dict[str, dict[int, str]] = {}
    for side in standings.sides:
        by_agent.setdefault(side.agent, {})[side.seat] = _share(side.points, side.low, side.high)
    for agent, sides in list(by_agent.items())[:MOST_CROSS]:
        table.add_row(escape(agent), *(sides.get(seat, "-") for seat in range(standings.players)))
    out.print()
    put(out, table)


def _show_differences(out: Console, standings: Standings) -> None:
    """Agents on the same deals."""
    if not standings.pairs:
        return
    table = _table()
    _columns(table, ("on the same deals", "mean difference", "95 % interval", "higher", "equal", "lower"))
    for pair in standings.pairs[: 2 * MOST_CROSS]:
        mean = "-" if pair.difference is None else f"{pair.difference:+.4g}"
        bounds = "-" if pair.difference_low is None else f"{pair.difference_low:+.4g} to {pair.difference_high:+.4g}"
        words = escape(f"{pair.a} - {pair.b}")
        table.add_row(words, mean, bounds, f"{pair.wins_a:,}", f"{pair.draws:,}", f"{pair.wins_b:,}")
    out.print()
    put(out, table)


def _show_game(out: Console, standings: Standings) -> None:
    found = standings.analytics
    if found is None:
        return
    words = [
        f"{found.length.mean:.1f} actions a game ({found.length.least:.0f} to {found.length.most:.0f})",
        f"{found.branching.mean:.1f} legal actions a decision (most {found.branching.most:.0f})",
    ]
    for rate, text in (
        (found.first_mover, "of the points to the first mover"),
        (found.draws, "drawn"),
        (found.decisive, "with one winner" if standings.players > 2 else ""),
    ):
        if rate is not None and text:
            words.append(f"{100 * rate.share:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f}) {text}")
    words.append(counted(found.distinct, "different game"))
    out.print()
    prose(out, f"the game: {', '.join(words)}")
    opening = f", openings of {standings.openings} random actions" if standings.openings else ""
    prose(out, f"the games: {standings.game}, {standings.shape}, seed {standings.seed}{opening}, {standings.file}")
