"""The learning curve: points of what was learned against each opponent, over the episodes; alone in a file, or on a page."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from html import escape
from pathlib import Path

import msgspec

from playout.errors import FileError, PlayoutError
from playout.files import save
from playout.learning.evaluate import Outcome
from playout.learning.network.result import NetworkResult
from playout.learning.run import Point, Result
from playout.report.axis import short_count
from playout.report.parts import Column, figure, header, measured, scrolled, section, spent, table
from playout.report.plots import Series, lines
from playout.report.shell import shell, write_page
from playout.report.style import AGENTS_CSS, SERIES

WHAT = {False: ("the greedy policy", "episodes"), True: ("the network with its search", "games of self-play")}
"""Who is measured, and what the curve goes over: of a table, and of a network."""


def write_curve(game: str, points: Sequence[Point], file: Path) -> Path:
    """Draw it into a file: .svg by itself, anything else by matplotlib."""
    if file.suffix == ".svg":
        return save(file, curve(game, points).encode())
    need_matplotlib(file)
    return _plotted(game, points, file)


def write_learning_report(found: Result | NetworkResult, file: Path) -> Path:
    """One self-contained HTML page about what was learned: the curve, the last point of it in numbers, and how it was learned."""
    return write_page(file, learning_page(found))


def learning_page(found: Result | NetworkResult) -> str:
    """The page as text."""
    title = f"{found.game}: learned by playing"
    return shell(title, header(title, escape(_summary(found))), "\n".join(learning_parts(found)), AGENTS_CSS)


def learning_parts(found: Result | NetworkResult) -> list[str]:
    """The cards of the page."""
    note = "A win is a point and a draw half of one. Bands: 95 % intervals, where games were sampled."
    facts = {name: f"{value}" for name, value in msgspec.structs.asdict(found.settings).items()}
    parts = [section("How strong it is", scrolled(_table(found)))]
    if found.curve:
        drawn = figure("Points against each opponent", note, curve(found.game, found.curve))
        parts.insert(0, section("The learning curve", drawn))
    parts.append(section("How it was learned", spent(facts)))
    return parts


def _summary(found: Result | NetworkResult) -> str:
    if isinstance(found, NetworkResult):
        shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in found.shares.items() if share >= 0.005)
        return (
            f"A network of {found.weights:,} weights, {found.games:,} games and {found.decisions:,} decisions of self-play in {found.generations:,} "
            f"generations, seed {found.seed}, on {found.device}; {found.seconds:.0f} s in all. Time: {shares}."
        )
    return f"{found.episodes:,} episodes, {found.rule}, seed {found.seed}; {found.seconds:.3g} s of learning."


def _table(found: Result | NetworkResult) -> str:
    rows = [
        (f"{seat} against {spec}", outcome) for spec, seats in found.against.items() for seat, outcome in (seats or {}).items()
    ]
    columns: list[Column] = [("who", "", [who for who, _ in rows])]
    for name in ("win", "draw", "loss"):
        shares = [getattr(outcome, name) for _, outcome in rows]
        ends = [getattr(outcome, f"{name}_interval") or (None, None) for _, outcome in rows]
        columns.append(
            (name, "share", [measured(share, low, high, lambda v: f"{v:.3f}") for share, (low, high) in zip(shares, ends)])
        )
    return table(columns, wrapped=(0,))


def need_matplotlib(file: Path) -> None:
    """Refuse what cannot be drawn here, or at all."""
    if file.suffix not in (".png", ".pdf"):
        raise PlayoutError(f"the learning curve cannot be drawn as {file.name!r}; name it .svg, .png or .pdf")
    if importlib.util.find_spec("matplotlib") is None:
        raise PlayoutError(
            f"{file.name!r} needs matplotlib: pip install 'playout[plot]', or draw it as .svg, which needs nothing"
        )


def _all(points: Sequence[Point]) -> list[tuple[str, list[tuple[Point, Outcome]]]]:
    """Every opponent and seat with its points; those of another kind (a sampled curve's exact end) are left out."""
    kind = points[0].evaluation.exact
    told: dict[str, list[tuple[Point, Outcome]]] = {}
    for point in points:
        if point.evaluation.exact != kind:
            continue
        for opponent, seats in point.evaluation.against.items():
            for seat, outcome in (seats or {}).items():
                told.setdefault(f"{seat} against {opponent}", []).append((point, outcome))
    return list(told.items())


def curve(game: str, points: Sequence[Point]) -> str:
    """The curve as SVG: a win is a point and a draw half of one; bands are 95 % intervals where games were sampled."""
    series = []
    who = WHAT[bool(points[0].generation)]
    for place, (name, own) in enumerate(_all(points)):
        bounds = [point_bounds(outcome) for _, outcome in own]
        series.append(
            Series(
                name=name,
                values=[outcome.points for _, outcome in own],
                lows=[low for low, _ in bounds],
                highs=[high for _, high in bounds],
                at=[float(max(1, point.episodes)) for point, _ in own],
                colour=SERIES[place % len(SERIES)],
            )
        )
    return lines(
        series,
        title=f"{game}: points of {who[0]}",
        across=who[1],
        down="points a game",
        log=True,
        words=lambda value: f"{value:.2f}",
        across_words=short_count,
        height=260.0,
    )


def point_bounds(outcome: Outcome) -> tuple[float, float]:
    """The interval of the points a game; exact, it is the points themselves."""
    if outcome.win_interval is None or outcome.loss_interval is None:
        return outcome.points, outcome.points
    # Points are (1 + win - loss) / 2: the ends of both intervals together are a little too wide, never too narrow.
    low = (1 + outcome.win_interval[0] - outcome.loss_interval[1]) / 2
    high = (1 + outcome.win_interval[1] - outcome.loss_interval[0]) / 2
    return low, high


def _plotted(game: str, points: Sequence[Point], file: Path) -> Path:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    who = WHAT[bool(points[0].generation)]
    for name, own in _all(points):
        at = [max(1, point.episodes) for point, _ in own]
        axes.plot(at, [outcome.points for _, outcome in own], label=name)
        bounds = [point_bounds(outcome) for _, outcome in own]
        axes.fill_between(at, [low for low, _ in bounds], [high for _, high in bounds], alpha=0.15)
    axes.set(xscale="log", xlabel=who[1], ylabel="points a game", title=f"{game}: points of {who[0]}")
    axes.legend()
    axes.grid(alpha=0.3)
    try:
        figure.savefig(file)
    except OSError as error:
        raise FileError(f"{str(file)!r} cannot be written: {error.strerror}; choose another place") from None
    finally:
        pyplot.close(figure)
    return file
