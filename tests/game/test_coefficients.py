"""Coefficients: numbers of a continuous game that machine code reads when it runs, so that others need no other code."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout
from playout import Game, GameError, Search
from playout.compile import cache
from playout.compile.digest import rules
from playout.truth.continuous.regret import regret
from playout.truth.continuous.sampled import evaluate

TEXT = '''"""Two dams: the second sees what the first lets through."""
from playout import parameter
pull = parameter("pull", 0.5, "how much one wants of the other")
wide = parameter("wide", 1.0, "the box", low=0.1, high=5.0)
FIXED = "fixed" in __file__
players = 2
stages = 2
dimension = 1
coefficients = (pull, wide, 2.0)

if FIXED:
    bounds = (-wide, wide)
else:
    def bounds(stage, actions, low, high, coefficients):
        low[0], high[0] = -coefficients[1], coefficients[1]

def payoffs(actions, out, coefficients):
    x, y = actions[0, 0], actions[1, 0]
    out[0] = -x * x + coefficients[0] * x * y + 0.3 * y
    out[1] = -coefficients[2] * y * y + x * y
'''


def written(folder: Path, name: str = "dams") -> Path:
    file = folder / f"{name}.py"
    file.write_text(TEXT)
    return file


def as_constants(pull: float, wide: float) -> Game:
    """The same game with numbers in its text."""

    def payoffs(actions: Any, out: Any) -> None:
        x, y = actions[0, 0], actions[1, 0]
        out[0] = -x * x + pull * x * y + 0.3 * y
        out[1] = -2.0 * y * y + x * y

    return Game("dams", players=2, stages=2, dimension=1, bounds=(-wide, wide), payoffs=payoffs, compiled=False)


def table(search: Search, count: int = 60) -> list[tuple[Any, int, float]]:
    return [(a.action, a.visits, a.score) for a in search.run(simulations=count).actions]


@pytest.mark.parametrize("name", ["dams", "fixed"])
def test_they_are_the_numbers_of_the_text(tmp_path: Path, name: str) -> None:
    file = written(tmp_path, name)
    for pull, wide in ((0.5, 1.0), (-1.5, 3.0)):
        game = playout.load(f"{file}:pull={pull},wide={wide}")
        assert table(Search(game, compiled=False, seed=2)) == table(Search(as_constants(pull, wide), seed=2))
        assert game.start().box == ((-wide,), (wide,)) or np.allclose(game.start().box, [[-wide], [wide]])


def test_other_numbers_are_other_rules(tmp_path: Path) -> None:
    """Saved trees, fits and references go by that."""
    file = written(tmp_path)
    one, other, again = (playout.load(f"{file}{words}") for words in ("", ":pull=0.75", ":pull=0.5"))
    assert rules(one) == rules(again) != rules(other)
    saved = Search(one, compiled=False, seed=1)
    saved.run(simulations=20)
    kept = saved.save(tmp_path / "a.tree")
    assert Search.load(kept, compiled=False).game.parameters["pull"] == 0.5


@pytest.mark.compiles
def test_no_second_compilation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bundled games of one size: two alive at once, in two threads, through derivatives, and the reference that judges them."""
    games = [
        playout.load(f"stackelberg:demand={demand},slope={slope}") for demand, slope in ((12.0, 1.0), (30.0, 4.0), (7.0, 0.5))
    ]
    first = Search(games[0], seed=3)
    first.run(simulations=10)
    regret(games[0], first.run(simulations=50).line(until="end", complete=True), closed=False)
    evaluate(games[0], np.zeros((1, 2, 1)))
    compiled: list[str] = []
    monkeypatch.setattr(cache, "on_compile", compiled.append)
    loads: list[Any] = []
    plain = cache.DiskCache.load_overload
    monkeypatch.setattr(cache.DiskCache, "load_overload", lambda *words: loads.append(words) or plain(*words))
    searches = [Search(game, seed=3) for game in games]
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda search: table(search, 80), searches))
    assert not compiled and not loads, "the very code of the first game"
    for game, rows, margin in zip(games, found, (10.0, 28.0, 5.0), strict=True):
        assert rows == table(Search(game, compiled=False, seed=3), 80)
        slope = float(game.parameters["slope"])
        decision = Search(game, seed=3).run(simulations=80)
        assert decision.action[0] == pytest.approx(margin / (2 * slope), rel=1e-6)
        judged = regret(game, decision.line(until="end", complete=True), closed=False)
        assert max(r for r in judged.players if r is not None) < 1e-6
        x, y = 0.3, 0.7
        paid = evaluate(game, np.array([[[x], [y]]]))[0]
        assert paid.tolist() == [(margin - slope * (x + y)) * x, (margin - slope * (x + y)) * y]
    assert not compiled


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("abc", r"coefficients is 'abc'; give 1 to 65,536 numbers in a row, as in coefficients = \(cost, 1.5\), or leave it out"),
        ((), r"coefficients is \(\); give 1 to 65,536 numbers"),
        (((1.0, 2.0), (3.0, 4.0)), r"coefficients is \(\(1.0, 2.0\), \(3.0, 4.0\)\); give 1 to"),
        ((1.0, float("nan")), r"coefficients\[1\] is nan; each must be a finite number"),
    ],
)
def test_what_are_no_coefficients(value: Any, words: str) -> None:
    def payoffs(actions: Any, out: Any, coefficients: Any) -> None:
        out[0] = coefficients[0] * actions[0, 0]

    with pytest.raises(GameError, match=words):
        Game("odd", players=1, stages=1, dimension=1, bounds=(0.0, 1.0), payoffs=payoffs, coefficients=value, compiled=False)


def test_payoffs_must_take_what_is_declared() -> None:
    def payoffs(actions: Any, out: Any) -> None:
        out[0] = actions[0, 0]

    with pytest.raises(GameError, match="coefficients"):
        Game("odd", players=1, stages=1, dimension=1, bounds=(0.0, 1.0), payoffs=payoffs, coefficients=(1.0,), compiled=False)


def test_with_scratch_and_a_gradient_of_ones_own() -> None:
    def payoffs(actions: Any, out: Any, scratch: Any, coefficients: Any) -> None:
        scratch[0] = actions[0, 0] - coefficients[0]
        out[0] = -scratch[0] * scratch[0]

    def gradient(actions: Any, player: Any, out: Any, scratch: Any, coefficients: Any) -> None:
        out[0, 0] = -2.0 * (actions[0, 0] - coefficients[0])

    game = Game(
        "top",
        players=1,
        stages=1,
        dimension=1,
        bounds=(-1.0, 1.0),
        payoffs=payoffs,
        gradient=gradient,
        scratch=1,
        coefficients=(0.25,),
        compiled=False,
    )
    assert Search(game, seed=1).run(simulations=40).action[0] == pytest.approx(0.25, abs=1e-6)
