"""The learning curve: points of the greedy policy against each opponent, over the episodes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from playout.errors import FileError, PlayoutError
from playout.files import save
from playout.learning.evaluate import Outcome
from playout.learning.run import Point, Result
from playout.report.axis import short_count
from playout.report.plots import Series, lines
from playout.report.style import SERIES


def write_curve(found: Result, file: Path) -> Path:
    """Draw it into a file: .svg by itself, anything else by matplotlib."""
    if file.suffix == ".svg":
        return save(file, curve(found).encode())
    need_matplotlib(file)
    return _plotted(found, file)


def need_matplotlib(file: Path) -> None:
    """Refuse what cannot be drawn here, or at all."""
    if file.suffix not in (".png", ".pdf"):
        raise PlayoutError(f"the learning curve cannot be drawn as {file.name!r}; name it .svg, .png or .pdf")
    if importlib.util.find_spec("matplotlib") is None:
        raise PlayoutError(
            f"{file.name!r} needs matplotlib: pip install 'playout[plot]', or draw it as .svg, which needs nothing"
        )


def _all(found: Result) -> list[tuple[str, list[tuple[Point, Outcome]]]]:
    """Every opponent and seat with its points; those of another kind (a sampled curve's exact end) are left out."""
    kind = found.curve[0].evaluation.exact
    told: dict[str, list[tuple[Point, Outcome]]] = {}
    for point in found.curve:
        if point.evaluation.exact != kind:
            continue
        for opponent, seats in point.evaluation.against.items():
            for seat, outcome in (seats or {}).items():
                told.setdefault(f"{seat} against {opponent}", []).append((point, outcome))
    return list(told.items())


def curve(found: Result) -> str:
    """The curve as SVG: a win is a point and a draw half of one; bands are 95 % intervals where games were sampled."""
    series = []
    for place, (name, points) in enumerate(_all(found)):
        bounds = [_bounds(outcome) for _, outcome in points]
        series.append(
            Series(
                name=name,
                values=[outcome.points for _, outcome in points],
                lows=[low for low, _ in bounds],
                highs=[high for _, high in bounds],
                at=[float(point.episodes) for point, _ in points],
                colour=SERIES[place % len(SERIES)],
            )
        )
    return lines(
        series,
        title=f"{found.game}: points of the greedy policy",
        across="episodes",
        down="points a game",
        log=True,
        words=lambda value: f"{value:.2f}",
        across_words=short_count,
        height=260.0,
    )


def _bounds(outcome: Outcome) -> tuple[float, float]:
    if outcome.win_interval is None or outcome.loss_interval is None:
        return outcome.points, outcome.points
    # Points are (1 + win - loss) / 2: the ends of both intervals together are a little too wide, never too narrow.
    low = (1 + outcome.win_interval[0] - outcome.loss_interval[1]) / 2
    high = (1 + outcome.win_interval[1] - outcome.loss_interval[0]) / 2
    return low, high


def _plotted(found: Result, file: Path) -> Path:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for name, points in _all(found):
        at = [point.episodes for point, _ in points]
        axes.plot(at, [outcome.points for _, outcome in points], label=name)
        bounds = [_bounds(outcome) for _, outcome in points]
        axes.fill_between(at, [low for low, _ in bounds], [high for _, high in bounds], alpha=0.15)
    axes.set(xscale="log", xlabel="episodes", ylabel="points a game", title=f"{found.game}: points of the greedy policy")
    axes.legend()
    axes.grid(alpha=0.3)
    try:
        figure.savefig(file)
    except OSError as error:
        raise FileError(f"{str(file)!r} cannot be written: {error.strerror}; choose another place") from None
    finally:
        pyplot.close(figure)
    return file
