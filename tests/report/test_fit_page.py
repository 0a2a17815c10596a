"""The page of a fit: whole, self-contained, and true to the numbers; it compiles nothing."""

from __future__ import annotations

from pathlib import Path

from playout.planner.fit import Fit, Level
from playout.report.fit_page import fit_page, write_fit_report
from tests.planner.test_fit import some
from tests.report.test_arena_page import check

TRIED = (
    Level(choice="c", settings={}, games=40, result=0.5, dropped=None),
    Level(choice="c", settings={"c": 0.25}, games=20, result=0.75, dropped=None),
    Level(choice="fpu", settings={"fpu": "parent"}, games=0, result=0.0, dropped=1),
)


def page(fit: Fit) -> str:
    text = fit_page([fit])
    check(text)
    return text


def test_what_is_better_and_what_is_not(tmp_path: Path) -> None:
    text = page(some(tried=TRIED))
    assert "At 10 ms a move: c=0.25, transpositions=true, better than auto." in text and "58 % (52 to 64)" in text
    # Wilson's interval of 15 points in 20 games, and what nobody played has no dot.
    assert "75.0 % (53.1 to 88.8 %) of 20 games" in text
    assert "Results by c" in text and "Results by fpu" not in text and "fpu=parent" in text.replace("<wbr>", "")
    assert "not known to be better than auto" in page(some(low=0.49))
    assert write_fit_report(tmp_path / "deep" / "page.html", [some(tried=TRIED)]).read_text() == text


def test_nothing_found_and_nothing_confirmed() -> None:
    assert "No setting looked better than auto" in page(some(settings={}, games=0))
    assert "c=0.3 looked best; nothing confirmed it" in page(some(settings={"c": 0.3}, games=0))


def test_returns_and_several_budgets() -> None:
    returns = some(unit="returns", result=0.12, low=0.01, high=0.2, budget={"simulations": 500}, tried=TRIED)
    text = fit_page([some(), returns])
    check(text)
    assert "At 500 simulations a move" in text and "a mean return +0.12 higher (+0.01 to +0.2)" in text and "2 fits" in text
