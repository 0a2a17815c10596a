"""A tournament in words, for the terminal and for the page: who stands where, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable

from playout.arena.intervals import known
from playout.arena.standings import AgentRow, PairRow, SoloRow, Standings

UNITS = {"points": "points", "score": "mean score", "returns": "mean return"}
"""What agents are compared by, as tables head it: by points, alone by the score, or by the returns of a game of several."""
SETTLED = 0.95
"""A likelihood of superiority below this is said to be unsettled."""


def elo(value: float) -> str:
    """A rating or a difference of ratings, with its sign."""
    return f"{value + 0.0 if abs(value) >= 0.5 else 0.0:+.0f}"


def percent(share: float) -> str:
    """A share as per cent."""
    return f"{100 * share:.1f} %"


def amount(value: float) -> str:
    """A score, short: whole if it is large."""
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def more(value: float) -> str:
    """A difference of scores, with its sign."""
    return f"{value:+,.0f}" if abs(value) >= 1e4 else f"{value:+.3g}"


def signed(value: float) -> str:
    """A return, which may be negative: always with its sign."""
    return f"{value:+,.0f}" if abs(value) >= 1e4 else f"{value + 0.0:+.4g}"


def likelihood(chance: float | None) -> str:
    """A probability as per cent, never rounded to certainty."""
    found = known(chance)
    if found is None:
        return ""
    return "over 99.9 %" if found > 0.9995 else "under 0.1 %" if found < 0.0005 else f"{100 * found:.1f} %"


def interval(low: float | None, high: float | None, words: Callable[[float], str]) -> str:
    """Two ends in words, per cent said once; empty where they are not known."""
    one, two = known(low), known(high)
    return "" if one is None or two is None else f"{words(one).removesuffix(' %')} to {words(two)}"


def counted(number: int, word: str) -> str:
    """A number of things: 1 game, 2 games."""
    return f"{number:,} {word}{'s' * (number != 1)}"


def strength(standings: Standings, row: AgentRow | SoloRow) -> tuple[float | None, float | None, float | None]:
    """What an agent is ranked by, with its interval: mean score, mean return or rating."""
    if isinstance(row, SoloRow):
        return known(row.mean_score), row.score_low, row.score_high
    if standings.by == "returns":
        return known(row.mean_return), row.return_low, row.return_high
    return known(row.rating), row.rating_low, row.rating_high


def graded(standings: Standings) -> bool:
    """Whether agents of several are ranked by what they got, and not by who was ahead."""
    return standings.players > 1 and standings.by == "returns"


def ranking(standings: Standings) -> list[int]:
    """The places of the agents in the standings, the best first: by rating, by mean return, or for one player by mean score."""

    def worth(place: int) -> tuple[bool, float, float]:
        row = standings.agents[place]
        value = strength(standings, row)[0]
        share = known(row.win_rate if isinstance(row, SoloRow) else row.points) if row.games else None
        return value is not None, value or 0.0, -1.0 if share is None else share

    return sorted(range(len(standings.agents)), key=worth, reverse=True)


def pair_of(standings: Standings, a: str, b: str) -> PairRow | None:
    """The two agents as a against b, whichever way round they are listed."""
    for row in standings.pairs:
        if (row.a, row.b) == (a, b):
            return row
        if (row.a, row.b) == (b, a):
            return row.turned()
    return None


def headline(standings: Standings) -> str:
    """Who leads, and with what."""
    order = ranking(standings)
    if not order or not standings.played:
        return "No games yet."
    row = standings.agents[order[0]]
    leads = "leads with" if len(order) > 1 else "has"
    if isinstance(row, SoloRow):
        mean, ends = known(row.mean_score), interval(row.score_low, row.score_high, amount)
        if mean is None:
            return f"{row.agent} wins {percent(row.win_rate)} of its deals ({interval(row.low, row.high, percent)})."
        return f"{row.agent} {leads} a mean score of {amount(mean)}{f' ({ends})' if ends else ''}."
    if graded(standings) and known(row.mean_return) is not None:
        ends = interval(row.return_low, row.return_high, signed)
        return f"{row.agent} {leads} a mean return of {signed(row.mean_return or 0.0)} a game{f' ({ends})' if ends else ''}."
    rating, ends = known(row.rating), interval(row.rating_low, row.rating_high, elo)
    if rating is None:
        return f"{row.agent} {leads} {percent(row.points)} of the points ({interval(row.low, row.high, percent)})."
    return f"{row.agent} {leads} {elo(rating)} {scale_name(standings)}{f' ({ends})' if ends else ''}."


def sureness(standings: Standings) -> str:
    """How sure the headline is: the evidence, the runner-up, and what the sequential test says."""
    order = ranking(standings)
    if not order or not standings.played:
        return "The page fills when games have been played."
    first = standings.agents[order[0]]
    parts = []
    if standings.players == 1:
        parts.append(f"Over {counted(standings.games, 'deal')}, the same for every agent." if len(order) > 1 else "")
        if isinstance(first, SoloRow) and known(first.mean_score) is not None:
            parts.append(f"It wins {percent(first.win_rate)} ({interval(first.low, first.high, percent)}) of {_deals(first)}.")
    else:
        rated = not graded(standings) and isinstance(first, AgentRow) and known(first.rating) is not None
        mean = (
            ", the mean of all agents being 0" if rated else ", by what they got on the same deals" if graded(standings) else ""
        )
        parts.append(f"After {counted(standings.played, 'game')} between {counted(len(order), 'agent')}{mean}.")
    parts.append("In brackets: 95 % intervals.")
    if len(order) > 1:
        parts.append(_lead(standings, first.agent, standings.agents[order[1]].agent))
    parts.append(verdict_words(standings))
    return " ".join(filter(None, parts))


def _deals(row: SoloRow) -> str:
    return "its deals" if row.games != 1 else "its one deal"


def _lead(standings: Standings, leader: str, second: str) -> str:
    pair = pair_of(standings, leader, second)
    if pair is None:
        return f"It has not met the next one, {second}; their intervals tell how sure its lead is."
    if known(pair.superiority) is None:
        return f"How sure its lead over {second} is cannot be said."
    by_deals, apart = standings.players == 1 or graded(standings), known(pair.difference)
    words, unit = (more, "on the same deals") if by_deals else (elo, scale_name(standings))
    # Who gets most from all need not be better than the next one: a third may have paid for it.
    behind = apart is not None and words(apart).startswith("-")
    shown = pair.turned() if behind else pair
    ends = interval(shown.difference_low, shown.difference_high, words)
    far = known(shown.difference)
    by = "" if far is None else f" by {words(far).removeprefix('+')} {unit}{f' ({ends})' if ends else ''}"
    if behind:
        chance = likelihood(pair.superiority)
        return f"In their own games it is behind {second}{by}; the likelihood that it is the better one of the two is {chance}."
    settled = "" if (pair.superiority or 0.0) >= SETTLED else ", so that is not settled"
    return f"It is ahead of {second}{by}; the likelihood that it is the better one is {likelihood(pair.superiority)}{settled}."


def verdict_words(standings: Standings) -> str:
    """The sequential test's verdict; empty without one."""
    verdict = standings.verdict
    if verdict is None:
        return ""
    names = [row.agent for row in standings.agents]
    known_by = (
        f"The sequential test decided after {counted(verdict.rounds, 'round')}, at {100 * verdict.confidence:.4g} % confidence"
    )
    if verdict.better is not None:
        others = "the other one" if len(names) == 2 else "every other agent"
        return f"{known_by}: {names[verdict.better]} is better than {others}."
    shown = [f"{names[a]} is better than {names[b]}" for a, b in verdict.decided[:6]]
    rest = [f"and {len(verdict.decided) - 6} more pairs"] if len(verdict.decided) > 6 else []
    return f"{known_by}: {'; '.join(shown + rest) or 'nothing'}."


def scale_name(standings: Standings) -> str:
    """What ratings are counted in."""
    return "Elo" if standings.scale == "elo" else (standings.scale or "points")
