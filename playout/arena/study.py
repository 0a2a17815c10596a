"""A game under the magnifying glass: how it plays at different strengths, and how strength grows with the budget.

One agent at doubling budgets. With two players each level plays the next one up (a ladder), which measures every doubling
where it is most uncertain; the Elo of all levels follows from the chain. With more players all levels meet; alone, every
level plays the same deals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from playout.arena.analytics import Analytics, Rate, analyse
from playout.arena.columns import Columns, read_columns
from playout.arena.counting import met
from playout.arena.intervals import mean_interval
from playout.arena.ratings import plackett_luce
from playout.arena.standings import SoloRow, Standings
from playout.arena.tournament import Tally, Tournament
from playout.arena.tune import with_options
from playout.errors import PlayoutError
from playout.frame import frame, spread
from playout.game.game import Game
from playout.game.load import load_listed

DEFAULT_BUDGETS = (50, 100, 200, 400, 800, 1600)
MOST_LEVELS = 20


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """The agent with one budget."""

    agent: str
    budget: float
    games: int
    strength: float | None
    """Elo above the smallest budget; where returns count, the mean gains of the steps up to here together; for one player the mean score."""
    low: float | None
    high: float | None
    gain: float | None
    """Elo above the budget before; where returns count, and for one player, the mean difference on the same deals."""
    gain_low: float | None
    gain_high: float | None
    seconds_per_decision: float | None
    length: float
    branching: float
    first_mover: Rate | None
    draws: Rate | None
    """Of the games of this level: length, branching, points of the first mover, draws."""


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """What was found about a game."""

    game: str
    agent: str
    option: str
    unit: str
    """"elo", "returns" or, for one player, "score"."""
    levels: tuple[Level, ...]
    analytics: Analytics
    """Over the games of the strongest levels: as many of them as the game has players."""
    random: Analytics
    """The same when all seats play at random."""
    games: int
    seed: int
    file: str
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data

    def to_frame(self) -> Any:
        """The levels as a polars frame (or a pandas one), the smallest budget first; rates have columns such as draws_share."""
        return frame(map(_level_row, self.levels))


def _level_row(level: Level) -> dict[str, Any]:
    """A level as a row with the same columns for all."""
    row = spread(level)
    for name in ("first_mover", "draws"):
        if row.pop(name, None) is None and f"{name}_share" not in row:
            row |= {f"{name}_{part}": None for part in Rate.__struct_fields__}
    return row


def read_budgets(text: str) -> tuple[float, ...]:
    """`50..1600` doubles from the first to the last; `100,1000,5000` are the levels themselves."""
    try:
        if ".." in text:
            low, high = (float(part) for part in text.split(".."))
            levels = [low]
            while low > 0 and levels[-1] * 2 <= high * 1.0001 and len(levels) < MOST_LEVELS + 1:
                levels.append(levels[-1] * 2)
        else:
            levels = [float(part) for part in text.split(",")]
    except ValueError:
        raise PlayoutError(
            f"budgets {text!r} are no numbers; write 50..1600 to double from 50 to 1600, or 100,1000,5000"
        ) from None
    if not 2 <= len(levels) <= MOST_LEVELS or levels != sorted(set(levels)) or not 0 < levels[0] <= levels[-1] < math.inf:
        raise PlayoutError(
            f"budgets {text!r} give {len(levels)} levels; write 2 to {MOST_LEVELS} growing numbers, as in 50..1600"
        )
    return tuple(levels)


def study(
    game: Game | str,
    agent: str = "uct",
    *,
    budgets: Sequence[float] = DEFAULT_BUDGETS,
    option: str = "simulations",
    games: int = 400,
    seed: int = 0,
    by: str = "auto",
    show: Callable[[Tally], object] = lambda tally: None,
    **where: Any,
) -> Study:
    """Play an agent at growing budgets and describe the game: `study("connect-four", games=300)`."""
    rules = load_listed(game, "a study")
    specs = [with_options(agent, {option: f"{budget:.10g}"}) for budget in budgets]
    random = _at_random(rules, games, seed, where)
    with Tournament(rules, specs, games=games, shape="ladder", seed=seed, by=by, **where) as tournament:
        tournament.run(show)
        standings, experiment = tournament.standings(), tournament.experiment
        columns = read_columns(tournament.store.games(tournament.wanted), experiment.players)
    strongest = np.asarray((columns.seats >= len(specs) - rules.players).all(axis=1))
    found = analyse(columns.pick(strongest) if strongest.any() else columns)
    assert found is not None
    return Study(
        game=rules.spec,
        agent=agent,
        option=option,
        unit="score" if rules.players == 1 else "returns" if standings.by == "returns" else "elo",
        levels=tuple(_levels(standings, columns, budgets)),
        analytics=found,
        random=random,
        games=standings.games,
        seed=seed,
        file=standings.file,
        notes=standings.notes,
    )


def _at_random(rules: Game, games: int, seed: int, where: dict[str, Any]) -> Analytics:
    """As many games between random players: what the rules alone make of it."""
    options = {name: value for name, value in where.items() if name != "file"}
    with Tournament(rules, ["random"] * min(2, rules.players), games=games, seed=seed, **options) as tournament:
        tournament.run()
        found = analyse(read_columns(tournament.store.games(tournament.wanted), rules.players))
    assert found is not None
    return found


def _climbed(columns: Columns, level: int) -> tuple[float | None, float | None, float | None] | None:
    """What the steps up to a level gained together, deal by deal; the first level is where it begins."""
    if level == 0:
        return 0.0, 0.0, 0.0
    gains: dict[int, float] = {}
    for step in range(1, level + 1):
        mine, other, rounds = met(columns, step, step - 1)
        deals, place = np.unique(rounds, return_inverse=True)
        if not len(deals):
            return None
        found = dict(zip(deals.tolist(), (np.bincount(place, mine - other) / np.bincount(place)).tolist()))
        gains = found if step == 1 else {deal: gains[deal] + found[deal] for deal in gains.keys() & found.keys()}
    return mean_interval(list(gains.values())) if gains else None


def _levels(standings: Standings, columns: Columns, budgets: Sequence[float]) -> list[Level]:
    solo = standings.players == 1
    league = None if solo else plackett_luce(columns.seats, columns.points, columns.round, len(budgets))
    pairs = {(pair.a, pair.b): pair for pair in standings.pairs}
    found = []
    for i, (row, budget) in enumerate(zip(standings.agents, budgets)):
        strength: tuple[float | None, float | None, float | None] = (None, None, None)
        gain: tuple[float | None, float | None, float | None] = (None, None, None)
        if standings.by == "returns":
            pair = pairs.get((standings.agents[i - 1].agent, row.agent)) if i else None
            if pair is not None and pair.difference is not None:
                gain = (-pair.difference, _minus(pair.difference_high), _minus(pair.difference_low))
            strength = (
                (row.mean_score, row.score_low, row.score_high) if isinstance(row, SoloRow) else _climbed(columns, i) or strength
            )
        elif league is not None:
            strength = league.difference(i, 0) or strength
            gain = (league.difference(i, i - 1) or gain) if i else gain
        own = analyse(columns.pick((columns.seats == i).any(axis=1)))
        found.append(
            Level(
                agent=row.agent,
                budget=budget,
                games=row.games,
                strength=strength[0],
                low=strength[1],
                high=strength[2],
                gain=gain[0],
                gain_low=gain[1],
                gain_high=gain[2],
                seconds_per_decision=row.seconds_per_decision,
                length=0.0 if own is None else own.length.mean,
                branching=0.0 if own is None else own.branching.mean,
                first_mover=None if own is None else own.first_mover,
                draws=None if own is None else own.draws,
            )
        )
    return found


def _minus(value: float | None) -> float | None:
    return None if value is None else -value
