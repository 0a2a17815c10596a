"""A comparison as pictures: regret against simulations and against time, one line per method, bands over the seeds."""

from __future__ import annotations

import io
import math
from html import escape
from pathlib import Path
from typing import Any

from playout.errors import PlayoutError
from playout.files import save
from playout.report.axis import short_seconds
from playout.report.parts import NOTHING, Column, figure, header, listed, scrolled, section, table, two
from playout.report.plots import Series, lines
from playout.report.shell import shell, write_page
from playout.report.style import AGENTS_CSS, SERIES
from playout.truth.continuous.compare import Comparison, PlayerRegret, Row

SMALLEST = 1e-12
"""Where a regret of nothing is drawn: logarithms know no zero."""
PLOTS = (".png", ".svg", ".pdf")


def course(found: Comparison, game: str, method: str, player: int) -> list[tuple[Row, PlayerRegret]]:
    """The rows of one line of the picture, by simulations."""
    rows = [row for row in found.rows if row.game == game and row.method == method]
    parts = [(row, part) for row in rows for part in row.regret if part.player == player]
    return sorted(parts, key=lambda pair: pair[0].simulations)


def players_of(found: Comparison, game: str) -> list[int]:
    """Who moves in a game, so that there is a regret."""
    return sorted({part.player for row in found.rows if row.game == game for part in row.regret})


# a page


def write_compare_report(path: str | Path, found: Comparison) -> Path:
    """Write one self-contained HTML page; it opens offline, and needs no script."""
    return write_page(path, compare_page(found))


def compare_page(found: Comparison) -> str:
    """The page as text."""
    title = "Regret of " + ", ".join(found.methods)
    seeds = (
        f"{len(found.seeds)} seeds, {found.seeds[0]} to {found.seeds[-1]}" if len(found.seeds) > 1 else f"seed {found.seeds[0]}"
    )
    head = header(
        title,
        f"On {escape(', '.join(found.games))}; {seeds}. Lines are medians over the seeds, bands hold 90 % of them.",
    )
    return shell(title, head, "\n".join(_game(found, game) for game in found.games), AGENTS_CSS)


def _game(found: Comparison, game: str) -> str:
    charts = []
    for player in players_of(found, game):
        note = "Against the best it could still do, later players answering best. Lower is better; both axes are logarithmic."
        charts.append(
            two(
                figure(f"Player {player}: regret and simulations", note, _chart(found, game, player, False)),
                figure(f"Player {player}: regret and time", note, _chart(found, game, player, True)),
            )
        )
    return section(game, "".join(charts) + listed(scrolled(table(_columns(found, game)))))


def _chart(found: Comparison, game: str, player: int, time: bool) -> str:
    series = []
    for place, method in enumerate(found.methods):
        parts = course(found, game, method, player)
        series.append(
            Series(
                name=method,
                at=[row.seconds if time else float(row.simulations) for row, _ in parts],
                values=[_log(part.median) for _, part in parts],
                lows=[_log(part.low) for _, part in parts],
                highs=[_log(part.high) for _, part in parts],
                notes=[_note(row, part) for row, part in parts],
                colour=SERIES[place % len(SERIES)],
            )
        )
    return lines(
        series,
        title=f"{game}: regret of player {player} against {'time' if time else 'simulations'}",
        across="time of one search" if time else "simulations",
        down="regret (logarithmic)",
        log=True,
        words=lambda v: f"{10**v:.2g}",
        across_words=short_seconds if time else None,
    )


def _log(value: float) -> float:
    return math.log10(max(SMALLEST, value))


def _note(row: Row, part: PlayerRegret) -> str:
    return (
        f"{row.method}, {row.simulations:,} simulations: regret {part.median:.3g} ({part.low:.3g} to {part.high:.3g}) "
        f"in {short_seconds(row.seconds)}, {row.seeds} seeds"
    )


def _columns(found: Comparison, game: str) -> list[Column]:
    rows = [row for row in found.rows if row.game == game]
    columns: list[Column] = [
        ("method", "", [row.method for row in rows]),
        ("simulations", "", [f"{row.simulations:,}" for row in rows]),
    ]
    for player in players_of(found, game):
        parts = [next((p for p in row.regret if p.player == player), None) for row in rows]
        words = [NOTHING if p is None else f"{p.median:.3g}\n{p.low:.2g} to {p.high:.2g}" for p in parts]
        columns.append((f"player {player}", "regret, 90 % band", words))
    columns.append(("distance", "to the solution", [NOTHING if row.distance is None else f"{row.distance:.3g}" for row in rows]))
    columns.append(("time", "of one search", [short_seconds(row.seconds) for row in rows]))
    columns.append(("evaluations", "a simulation", [f"{row.evaluations:.3g}" for row in rows]))
    return columns


# a picture


def check_plot(path: Path | None) -> None:
    """Before the work: can such a picture be drawn at all?"""
    if path is None:
        return
    if path.suffix.lower() not in PLOTS:
        raise PlayoutError(f"--plot {str(path)!r} is no picture that can be drawn; end the name with {', '.join(PLOTS)}")
    _matplotlib()


def write_plot(path: str | Path, found: Comparison) -> Path:
    """Draw regret against simulations and against time, a row of panels for each game and player."""
    pyplot = _matplotlib()
    panels = [(game, player) for game in found.games for player in players_of(found, game)]
    drawing, axes = pyplot.subplots(len(panels), 2, figsize=(11, 3.1 * len(panels)), squeeze=False, layout="constrained")
    for (game, player), (left, right) in zip(panels, axes):
        for place, method in enumerate(found.methods):
            parts = course(found, game, method, player)
            for axis, across in ((left, [row.simulations for row, _ in parts]), (right, [row.seconds for row, _ in parts])):
                middle, low, high = ([max(SMALLEST, getattr(part, w)) for _, part in parts] for w in ("median", "low", "high"))
                axis.plot(across, middle, marker="o", markersize=3.5, color=f"C{place}", label=method)
                axis.fill_between(across, low, high, color=f"C{place}", alpha=0.15, linewidth=0)
        for axis, label in ((left, "simulations"), (right, "seconds of one search")):
            axis.set(xscale="log", yscale="log", xlabel=label, ylabel=f"regret of player {player}", title=game)
            axis.grid(True, alpha=0.3)
    axes[0][0].legend()
    drawing.suptitle(f"Medians and 90 % bands over {len(found.seeds)} seeds")
    data = io.BytesIO()
    drawing.savefig(data, format=Path(path).suffix.lower().lstrip("."), dpi=130)
    pyplot.close(drawing)
    return save(path, data.getvalue())


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise PlayoutError(
            "drawing needs matplotlib, which is not installed: pip install 'playout[plot]', or use --report for a page without it"
        ) from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
