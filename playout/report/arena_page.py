"""A tournament as a page to keep and to show around: who is better, how sure that is, at what price, and what game it was."""

from __future__ import annotations

from html import escape
from pathlib import Path

from playout.arena.analytics import Analytics, Rate, Spread
from playout.arena.intervals import known
from playout.arena.standings import Standings
from playout.arena.words import counted, graded, headline, interval, percent, sureness
from playout.report.arena_charts import (
    LONG,
    NAMED,
    Field,
    course_chart,
    pairs_chart,
    price_chart,
    ratings_chart,
    returns_chart,
    scores_chart,
    sides_chart,
    spread_chart,
    wins_chart,
)
from playout.report.arena_tables import MOST_CROSSED, crossing, faults_table, pairs_table, standings_table
from playout.report.game_charts import branching_chart, lengths_chart
from playout.report.parts import NOTHING, figure, header, listed, section, spent, two
from playout.report.plots import DENSE
from playout.report.shell import shell, write_page
from playout.report.style import AGENTS_CSS, SERIES

__all__ = ["arena_page", "write_arena_report"]

OPEN_PAIRS = 10
"""So many pairs are listed at once; more have to be asked for."""


def write_arena_report(path: str | Path, standings: Standings, title: str) -> Path:
    """Write one self-contained HTML page about a tournament; it opens offline, and needs no script."""
    return write_page(path, arena_page(standings, title))


def arena_page(standings: Standings, title: str) -> str:
    """The page as text."""
    field = Field(standings)
    solo = standings.players == 1
    seats = "" if solo else f" in {counted(standings.players, 'seat')}"
    head = header(
        title,
        f"{escape(standings.game)}: {counted(standings.played, 'game')} of {counted(len(field.rows), 'agent')}{seats}.",
    )
    parts = arena_parts(standings)
    return shell(title, head, "\n".join(filter(None, parts.values())) + _about(standings), AGENTS_CSS)


def arena_parts(standings: Standings) -> dict[str, str]:
    """The cards of the page, each for itself and empty where there is nothing to show yet: for a page that fills while games are played.

    `standings`: the table and the ratings with whiskers. `against`: everybody against everybody, or for one player the deals. `course`: shares
    over the games. `game`: what the game is like. `faults`: games that were lost to errors.
    """
    field = Field(standings)
    return {
        "standings": _standing(field),
        "against": _deals(field) if standings.players == 1 else _against(field),
        "course": _course(field),
        "game": _game(standings.analytics) if standings.analytics is not None else "",
        "faults": _faults(standings),
    }


def _beside(field: Field, *figures: str) -> str:
    """Side by side, unless there are so many agents that each figure takes the whole width."""
    return two(*figures) if len(field.rows) <= LONG else "".join(f'<div class="block">{one}</div>' for one in figures if one)


# who is better


def _standing(field: Field) -> str:
    standings = field.standings
    body = [f'<p class="why">{escape(sureness(standings))}</p>', _notes(standings)]
    if field.rows and standings.players == 1:
        worth = figure("What each agent scores", "Dots: mean over all deals. Whiskers: 95 % interval.", scores_chart(field))
        won = figure("How often each agent wins", "Dots: share of deals won. Whiskers: 95 % interval.", wins_chart(field))
        body.append(_beside(field, worth, won))
    elif field.rows and graded(standings):
        worth = figure(
            "What each agent gets a game",
            "Dots: mean return. Whiskers: 95 % interval over deals, each played from all sides. Ratings, which count who was ahead and not "
            "by how much, are in the table.",
            returns_chart(field),
        )
        body.append(_beside(field, worth, "" if len(field.rows) > LONG else _price(field)))
    elif field.rows:
        worth = figure("How strong each agent is", _rating_note(field), ratings_chart(field))
        body.append(_beside(field, worth, "" if len(field.rows) > LONG else _price(field)))
    if field.rows:
        body.append(listed(standings_table(field), "The standings"))
    return section(headline(standings), "".join(body))


def _rating_note(field: Field) -> str:
    lost = sum(known(row.rating) is None for row in field.versus)
    cut = " Settings that all share are left out of the names." if field.short != field.names else ""
    gaps = f" {counted(lost, 'agent')} without a rating: no games connect them with the others." if lost else ""
    return f"Dots: rating; 400 Elo more is ten wins for one loss. Whiskers: 95 % interval.{cut}{gaps}"


def _price(field: Field) -> str:
    numbers = "" if len(field.rows) <= NAMED else " Numbers: rank in the table."
    return figure(
        "Strength and its price", f"Up is stronger, left is quicker. Whiskers: 95 % interval.{numbers}", price_chart(field)
    )


def _notes(standings: Standings) -> str:
    said = [escape(note[:1].upper() + note[1:].rstrip(".")) + "." for note in standings.notes if note]
    lost = sum(row.games for row in standings.faults)
    if lost:
        said.append(f'{counted(lost, "game")} {"was" if lost == 1 else "were"} lost by <a href="#faults">faults</a>.')
    return f'<div class="say">{"".join(f"<p>{words}</p>" for words in said)}</div>' if said else ""


# two by two


def _against(field: Field) -> str:
    if not field.standings.pairs:
        return ""
    several = "" if field.standings.players == 2 else " Of several players each two are compared by who came out ahead."
    note = (
        "Points that the agent of the row took from the agent of the column: blue where it won more, orange where it lost more. "
        f"Below them its games won, drawn and lost.{several}"
    )
    if graded(field.standings):
        note = (
            "Mean return of the agent of the row against the agent of the column: blue where it got more than the other, orange where it "
            f"got less. Below them its games won, drawn and lost.{several}"
        )
    elif len(field.rows) >= DENSE:
        note = note.replace("Points", "Points, in %,").replace("Below them its", "Point at a cell for its")
    if len(field.rows) > MOST_CROSSED:
        note += f" The best {MOST_CROSSED} of {len(field.rows):,} agents."
    return section("Against each other", f'<p class="note">{note}</p>{crossing(field)}{_pairs(field)}')


def _deals(field: Field) -> str:
    standings = field.standings
    body = []
    if standings.pairs:
        apart = figure(
            f"How far {field.names[0]} is ahead",
            "Dots: its score less that of the other agent, mean over the deals that both played; luck is the same for both. "
            "Whiskers: 95 % interval.",
            pairs_chart(field),
        )
        body += [two(apart, _price(field)), _pairs(field)]
    elif standings.played:
        body.append(two(_price(field)))
    return section("On the same deals" if standings.pairs else "The price", "".join(body)) if "".join(body) else ""


def _pairs(field: Field) -> str:
    pairs = len(field.standings.pairs)
    if pairs <= OPEN_PAIRS:
        return listed(pairs_table(field), "Every pair")
    which = f"All {pairs:,} pairs" if len(field.rows) <= MOST_CROSSED else f"The pairs of the best {MOST_CROSSED} agents"
    return f'<details class="more"><summary>{which} with their intervals</summary>{pairs_table(field)}</details>'


# sides, time


def _course(field: Field) -> str:
    standings = field.standings
    share = "deals won" if standings.players == 1 else "points"
    thin = " Thin lines: the agents further down." if len(field.rows) > len(SERIES) else ""
    course = figure(
        "How the shares settled",
        f"Lines: share of the {share} so far. Bands: 95 % interval.{thin}",
        course_chart(field) if standings.course else "",
    )
    if standings.players == 1:
        spread = figure(
            "How the scores are spread",
            "Bars: deals with that score. Upright lines: means.",
            spread_chart(field) if standings.scores else "",
        )
        return section("Scores and their course", two(spread, course)) if spread or course else ""
    sides = figure(
        "Points by seat",
        "Dots: share of the points in that seat. Whiskers: 95 % interval. Line: an even share, which all agents together get where "
        "no seat is an advantage.",
        sides_chart(field) if standings.sides else "",
    )
    if len(field.rows) <= LONG:
        return section("Seats and the course of the games", two(sides, course)) if sides or course else ""
    price = _price(field)
    first = section("Price and course", two(price, course)) if price or course else ""
    return first + (section("Seats", sides) if sides else "")


# the game


def _game(analytics: Analytics) -> str:
    facts = [
        ("length", f"{analytics.length.mean:.3g}", f"actions; {_spread_words(analytics.length)}"),
        ("choices", f"{analytics.branching.mean:.3g}", f"legal actions; {_spread_words(analytics.branching)}"),
        ("possible games", _power(analytics.tree_size), "about, were all as long and as wide as these"),
        ("distinct games", f"{analytics.distinct:,}", f"of the {analytics.games:,} that were played"),
        ("acting first takes", *_rate_words(analytics.first_mover, "of the points")),
        ("drawn", *_rate_words(analytics.draws, "of the games")),
        ("one clear winner", *_rate_words(analytics.decisive, "of the games")),
    ]
    shown = "".join(
        f"<div><dt>{name}</dt><dd>{value}<small>{escape(small)}</small></dd></div>" for name, value, small in facts if value
    )
    length = figure("How long games are", "Bars: games. Upright line: the mean.", lengths_chart(analytics))
    width = figure("How many choices there are", "Mean over the games that got so far.", branching_chart(analytics))
    return section(
        "The game, as these agents play it",
        f'<p class="note">Ranges of means and shares: 95 % intervals.</p><dl class="facts">{shown}</dl>{two(length, width)}',
    )


def _spread_words(spread: Spread) -> str:
    ends = "" if spread.low is None or spread.high is None else f"mean {spread.low:.3g} to {spread.high:.3g}; "
    return f"{ends}all {spread.least:.4g} to {spread.most:.4g}, median {spread.median:.4g}"


def _rate_words(rate: Rate | None, of: str) -> tuple[str, str]:
    if rate is None or not rate.games:
        return "", ""
    return percent(rate.share), f"{of}; {interval(rate.low, rate.high, percent)}"


def _power(size: float) -> str:
    found = known(size)
    if found is None:
        return NOTHING
    return f"{10**found:,.0f}" if found < 5 else f"10<sup>{found:.0f}</sup>"


# what went wrong, and what was asked


def _faults(standings: Standings) -> str:
    if not standings.faults:
        return ""
    note = '<p class="note">An agent that fails loses the game; these losses are in all numbers above.</p>'
    return section("Games lost by faults", note + faults_table(standings), "faults")


def _about(standings: Standings) -> str:
    facts = {
        "game": standings.game,
        "players": str(standings.players),
        "deals" if standings.players == 1 else "games": f"{standings.games:,}",
        "games played": f"{standings.played:,}",
        "shape": standings.shape,
        "seed": str(standings.seed),
        "random opening actions": str(standings.openings),
        "file": standings.file or "none",
    }
    return f"\n{spent(facts)}"
