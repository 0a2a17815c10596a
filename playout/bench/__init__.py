"""The benchmark behind `playout bench`: how fast, how small, how strong, measured against others in the same run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playout.bench.report import Report, Row, insert_table, machine
from playout.bench.rows import Measurement, measurements
from playout.bench.strength import matches
from playout.bench.timing import Plan
from playout.errors import PlayoutError, suggest

__all__ = ["Measurement", "Plan", "Report", "Row", "chosen", "insert_table", "measure", "measurements"]


def chosen(only: Sequence[str] = (), strength_games: int = 0) -> list[Measurement]:
    """The measurements whose name or game is (or begins with) one of the words; all without words. Matches are played where they
    have games."""
    every = measurements() + (matches(strength_games) if strength_games else [])
    known = sorted({word for one in every for word in (one.name, one.game)})
    for word in only:
        if not any(_fits(one, word) for one in every):
            if word.startswith("strength") and not strength_games:
                raise PlayoutError(f"{word!r} is measured with --strength; give both")
            raise PlayoutError(f"nothing to measure is called {word!r}; {suggest(word, known)}")
    return [one for one in every if not only or any(_fits(one, word) for word in only)]


def _fits(one: Measurement, word: str) -> bool:
    return one.name.startswith(word) or one.game.startswith(word)


def measure(
    plan: Plan,
    only: Sequence[str] = (),
    *,
    strength_games: int = 0,
    quick: bool = False,
    tell: Callable[[str, float], object] = lambda text, done: None,
) -> Report:
    """Measure. `tell` hears what is being done and how much of all is done (0 to 1)."""
    selected = chosen(only, strength_games)
    rows: list[Row] = []
    parts = len(selected)
    for number, one in enumerate(selected):
        ticks = [0]

        def tick(words: str = f"{one.name} {one.game}", number: int = number, ticks: list[int] = ticks) -> None:
            ticks[0] += 1
            tell(words, (number + min(0.99, ticks[0] / (2 * plan.repeats))) / parts)

        tell(f"{one.name} {one.game}", number / parts)
        rows.append(one.run(plan, tick))
    tell("done", 1.0)
    return Report(rows=tuple(rows), machine=machine(), repeats=plan.repeats, simulations=plan.simulations, quick=quick)
