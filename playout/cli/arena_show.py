"""Tournaments as people read them in a terminal: the live table, and the standings at the end."""

from __future__ import annotations

from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from playout.arena.standings import AgentRow, SoloRow, Standings
from playout.arena.tournament import Tally, Tournament
from playout.arena.words import counted, graded, headline, percent, ranking, signed, sureness
from playout.cli.live import Live, foot
from playout.cli.tables import UNKNOWN, bounds, number, percent_bounds, plain_table, put, span
from playout.cli.terminal import plain, prose
from playout.game.declared import who

MOST_LIVE = 12
MOST_CROSS = 12


class LiveGames(Live):
    """The games as they go on: who leads, at what price, and how long it will take."""

    def __init__(self, err: Console, tournament: Tournament) -> None:
        super().__init__(err)
        self.solo = tournament.experiment.players == 1

    def show(self, tally: Tally) -> None:
        """Where things stand now."""
        self.update(lambda: self._words(tally), lambda: self._picture(tally), last=tally.done == tally.wanted)

    def _words(self, tally: Tally) -> str:
        left = tally.seconds_left
        return f"{tally.done:,} of {tally.wanted:,} games, {tally.per_second:,.3g} a second" + (
            f", about {span(left)} left" if left else ""
        )

    def _picture(self, tally: Tally) -> Group:
        chips = tally.by == "returns"
        heads = ["mean return"] * chips + ["wins" if self.solo else "points", "95 % interval", "s/decision", "faults"]
        table = plain_table("agent", "games", *heads)
        ranked = sorted(tally.lines, key=lambda line: -(line.returns if chips else line.points) / max(1, line.games))
        for line in ranked[:MOST_LIVE]:
            mean = [signed(line.returns / line.games) if line.games else UNKNOWN] * chips
            share = percent(line.points / line.games) if line.games else UNKNOWN
            price = span(line.seconds / line.decisions if line.decisions else None)
            ends = percent_bounds(*line.interval)
            table.add_row(escape(line.agent), f"{line.games:,}", *mean, share, ends, price, str(line.faults or ""))
        more = [Text(f"and {len(ranked) - MOST_LIVE} more agents")] if len(ranked) > MOST_LIVE else []
        return Group(table, *more, foot(tally.done, tally.wanted, self._words(tally)))


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
    chips = graded(standings)
    names = ["agent", *["mean return", "95 % interval"] * chips, "Elo", "95 % interval", "points"]
    # Where returns count, the column that follows from the points gives way to them.
    names += [*["95 % interval"] * (not chips), "games", "s/decision"]
    names += ["simulations"] * simulated + ["openskill"] * skills + ["faults"] * any(row.faults for row in rows)
    table = plain_table(*names)
    for row in rows:
        cells = [
            escape(row.agent),
            *[number(row.mean_return, "+.4g"), bounds(row.return_low, row.return_high, "+.3g")] * chips,
            number(row.rating, "+.0f"),
            bounds(row.rating_low, row.rating_high, "+.0f"),
            percent(row.points) if row.games else UNKNOWN,
            *[percent_bounds(row.low, row.high)] * (not chips),
        ]
        cells += [f"{row.games:,}", span(row.seconds_per_decision)]
        if simulated:
            cells.append(f"{row.simulations_per_decision:,.0f}" if row.simulations_per_decision else UNKNOWN)
        if skills:
            cells.append(number(row.openskill, ".1f") + _brackets(row.openskill_low, row.openskill_high))
        table.add_row(*cells, *([str(row.faults or "")] if "faults" in names else []))
    return table


def _brackets(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({bounds(low, high, '.1f')})"


def _solo_table(standings: Standings) -> Table:
    rows = [row for row in _ranked(standings) if isinstance(row, SoloRow)]
    simulated = any(row.simulations_per_decision for row in rows)
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
    table = plain_table(*names)
    for row in rows:
        mean, ends = number(row.mean_score, ".4g"), bounds(row.score_low, row.score_high, ".4g")
        least, _, median, _, most = [f"{value:.4g}" for value in row.quartiles] or [UNKNOWN] * 5
        cells = [escape(row.agent), mean, ends, least, median, most, percent(row.win_rate)]
        cells += [percent_bounds(row.low, row.high), f"{row.games:,}", span(row.seconds_per_decision)]
        if simulated:
            cells.append(f"{row.simulations_per_decision:,.0f}" if row.simulations_per_decision else UNKNOWN)
        table.add_row(*cells, *([str(row.faults or "")] if "faults" in names else []))
    return table


def _show_cross(out: Console, standings: Standings) -> None:
    """Who got how much against whom; rows against columns, the columns by number."""
    rows, chips = _ranked(standings)[:MOST_CROSS], graded(standings)
    found: dict[tuple[str, str], str] = {}
    for pair in standings.pairs:
        if chips:
            found[pair.a, pair.b], found[pair.b, pair.a] = number(pair.return_a, "+.4g"), number(pair.return_b, "+.4g")
            continue
        # Rounded once, so that the two add up.
        share = round(100 * pair.points_a, 1)
        found[pair.a, pair.b], found[pair.b, pair.a] = f"{share:.1f} %", f"{100 - share:.1f} %"
    what = "mean return" if chips else "points"
    table = plain_table(f"{what} of the row against the column", *(str(place) for place in range(1, len(rows) + 1)))
    for place, row in enumerate(rows, 1):
        table.add_row(
            f"{place} {escape(row.agent)}",
            *("" if row is other else found.get((row.agent, other.agent), UNKNOWN) for other in rows),
        )
    out.print()
    put(out, table)


def _show_sides(out: Console, standings: Standings) -> None:
    chips = graded(standings)
    table = plain_table(
        "mean return per side" if chips else "points per side",
        *(escape(who(seat, standings.player_names)) for seat in range(standings.players)),
    )
    by_agent: dict[str, dict[int, str]] = {}
    for side in standings.sides:
        share = f"{100 * side.points:5.1f} %  {bounds(100 * side.low, 100 * side.high, '5.1f')}"
        mean = f"{number(side.mean_return, '+.4g')}  {bounds(side.return_low, side.return_high, '+.3g')}"
        by_agent.setdefault(side.agent, {})[side.seat] = mean if chips else share
    for agent, sides in list(by_agent.items())[:MOST_CROSS]:
        table.add_row(escape(agent), *(sides.get(seat, UNKNOWN) for seat in range(standings.players)))
    out.print()
    put(out, table)


def _show_differences(out: Console, standings: Standings) -> None:
    """Agents on the same deals."""
    if not standings.pairs:
        return
    table = plain_table("on the same deals", "mean difference", "95 % interval", "higher", "equal", "lower")
    for pair in standings.pairs[: 2 * MOST_CROSS]:
        mean, ends = number(pair.difference, "+.4g"), bounds(pair.difference_low, pair.difference_high, "+.4g")
        words = escape(f"{pair.a} - {pair.b}")
        table.add_row(words, mean, ends, f"{pair.wins_a:,}", f"{pair.draws:,}", f"{pair.wins_b:,}")
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
            words.append(f"{percent(rate.share)} ({percent_bounds(rate.low, rate.high)}) {text}")
    words.append(counted(found.distinct, "different game"))
    out.print()
    prose(out, f"the game: {', '.join(words)}")
    opening = f", openings of {standings.openings} random actions" if standings.openings else ""
    prose(out, f"the games: {standings.game}, {standings.shape}, seed {standings.seed}{opening}, {standings.file}")
