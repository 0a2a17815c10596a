"""What a survey of worlds found: in how many each action was best, how outcomes spread, and what would change the mind.

The record and its words; `surveyor` makes it. Everything here is from the mover's point of view.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec

from playout.game.state import State

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Which outcomes a spread names: so much of the simulations ended lower."""
BELIEVED = 0.05
"""A difference between worlds is named as one only where chance would show such a one less often than this."""
CAVEAT = (
    "With open cards a search knows which world it is in, and no player does: best in most worlds is not the same as best overall "
    "(strategy fusion)."
)


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """How the outcomes of simulations through one action lie, each in a world of its own."""

    samples: int
    mean: float
    deviation: float
    quantiles: tuple[float, ...]
    """The outcomes at 5, 25, 50, 75 and 95 % (see `QUANTILES`)."""
    wins: float | None
    """The share of wins: alone the highest return, or above 0 for a single player. None where a value is no final result."""
    wins_low: float | None
    wins_high: float | None
    """95 % interval of that share (Wilson)."""


class ActionSurvey(msgspec.Struct, frozen=True, kw_only=True):
    """One action over the surveyed worlds."""

    action: int
    name: str
    best: int
    """Worlds in which no action was better; where several are proven equal, all of them count."""
    alone: int
    """Worlds in which it was the only best."""
    low: float
    high: float
    """95 % interval of best / worlds (Wilson)."""
    mean: float | None
    """The mean over the worlds of its value with open cards; None where some world never tried it."""
    regret: float | None
    """The mean over the worlds of what it loses, with open cards, against the best there."""
    deviation: float | None
    """Standard deviation of the outcomes of the decision's own simulations through it; None with several trees, whose spread is another."""
    spread: Spread | None
    """None where too few simulations went through it."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The hidden thing that sets the worlds that speak against the choice most apart from the others."""

    words: str
    against: int
    """Of the worlds that speak against the choice, in how many it holds."""
    others: int
    """Of the other worlds, in how many it holds."""
    compared: int
    """How many hidden things were compared to find it."""
    chance: float
    """How often chance alone would show one like it (Fisher's exact test, times the things compared, at most 1)."""


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """Worlds drawn apart from the search, to see what its decision hangs on; made after it, and without a say in it."""

    choice: str
    worlds: int
    simulations: int
    """Simulations with open cards in each world."""
    samples: int
    """Further simulations of the search, on a copy of its trees, from which the spread of outcomes was read."""
    spent: int
    """Simulations of the survey in all: no part of the decision's."""
    seconds: float
    actions: tuple[ActionSurvey, ...]
    """In the order of `Decision.actions`."""
    rival: str | None
    """The runner-up of the decision."""
    rise: float | None
    """By how much the mean of the runner-up would have to rise to reach that of the choice; below 0 where it is higher already."""
    rise_errors: float | None
    """The same in standard errors of the difference of the two means."""
    against: int
    """Worlds in which another action was better than the choice."""
    clearly: int
    """Of these, in how many the 95 % intervals of the two do not overlap."""
    by: float | None
    """By how much it was better there, on average."""
    worst: State | None
    """The world that speaks most against the choice. It was drawn like all others and is not the true state."""
    worst_action: str | None
    worst_by: float | None
    difference: Difference | None
    """None where nothing differs, or too few worlds are on one side."""

    COLUMNS = ("", "name", "best in", "interval", "alone", "regret", "deviation", "q05", "q25", "median", "q75", "q95", "wins")

    def rows(self) -> list[list[str]]:
        """The table as text cells, the choice first, then by the worlds in which each action was best."""
        ranked = sorted(self.actions, key=lambda a: (a.name != self.choice, -a.best, -a.alone, a.action))
        return [[*self._counts(a), *_spread_cells(a.spread)] for a in ranked]

    def _counts(self, a: ActionSurvey) -> list[str]:
        return [
            "*" if a.name == self.choice else "",
            a.name,
            f"{a.best} of {self.worlds}",
            f"{100 * a.low:.0f} to {100 * a.high:.0f} %",
            str(a.alone),
            "" if a.regret is None else f"{a.regret:.3g}",
            "" if a.deviation is None else f"{a.deviation:.3g}",
        ]

    def method(self) -> str:
        """What was done, and how far it can be trusted."""
        spread = (
            f" The outcomes (q05 to q95, wins) are those of {self.samples:,} further simulations of the search, as many through each "
            "action."
            if self.samples
            else ""
        )
        return (
            f"{self.worlds} further worlds, each searched with open cards ({self.simulations:,} simulations each; the survey spent "
            f"{self.spent:,} in {self.seconds:.2g} s, which are no part of the decision's). {CAVEAT} So few simulations make the regrets "
            f"rough, and too high for actions that were soon given up.{spread}"
        )

    def mind(self) -> str:
        """What would change the mind, in sentences."""
        if len(self.actions) == 1:
            return f"{self.choice} is the only legal action."
        return " ".join(filter(None, (self._rival_words(), self._against_words(), self._difference_words())))

    def _rival_words(self) -> str:
        if self.rival is None or self.rise is None:
            return ""
        apart = "" if self.rise_errors is None else f", {abs(self.rise_errors):.1f} standard errors of the difference"
        if self.rise < 0:
            return (
                f"The mean of {self.rival} is higher already, by {-self.rise:.3g}{apart}: more simulations may turn the choice."
            )
        return f"The mean of {self.rival} would have to rise by {self.rise:.3g}{apart}, to turn the choice."

    def _against_words(self) -> str:
        if not self.against:
            return f"In none of the {self.worlds} worlds was another action better than {self.choice}."
        found = [a for a in self.actions if a.name != self.choice and a.best]
        most = max(found, key=lambda a: (a.best, a.alone))
        by = "" if self.by is None else f" by {self.by:.3g} on average,"
        return (
            f"In {self.against} of {self.worlds} worlds another action was better than {self.choice},{by} in {self.clearly} of them "
            f"clearly (95 % intervals apart); {most.name} was best in {most.best} worlds."
        )

    def _difference_words(self) -> str:
        d = self.difference
        if d is None:
            return ""
        counts = f"{d.words}: in {d.against} of these {self.against} worlds, and in {d.others} of the other {self.worlds - self.against}"
        if d.chance > BELIEVED:
            return f"No hidden thing sets them apart beyond chance; the nearest is {counts}."
        return f"What sets them apart: {counts} (by chance {_chance(d.chance)}, with {d.compared:,} things compared)."

    def worst_words(self) -> str:
        """The head line over the drawing of `worst`; empty where there is none."""
        if self.worst is None or self.worst_by is None:
            return ""
        return f"a sampled world that speaks against it, where {self.worst_action} is better by {self.worst_by:.3g}:"

    def to_dict(self) -> dict[str, Any]:
        """As plain data; the world against the choice as its fields and its drawing."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__ if name not in ("worst", "actions", "difference")}
        worst = None
        if self.worst is not None:
            worst = {"draw": self.worst.draw(), **msgspec.json.decode(self.worst.to_json())}
        return {
            **fields,
            "actions": [msgspec.to_builtins(a) for a in self.actions],
            "difference": msgspec.to_builtins(self.difference),
            "worst": worst,
            "method": self.method(),
            "mind": self.mind(),
        }


def _spread_cells(spread: Spread | None) -> list[str]:
    if spread is None:
        return [""] * (len(QUANTILES) + 1)
    return [*(f"{q:.3g}" for q in spread.quantiles), "" if spread.wins is None else f"{100 * spread.wins:.0f} %"]


def _chance(value: float) -> str:
    return f"{100 * value:.2g} %" if value >= 0.001 else "below 0.1 %"


def fisher(a: int, of_a: int, b: int, of_b: int) -> float:
    """How often chance would give shares as uneven as a of of_a and b of of_b, or more so (Fisher's exact test, two sides)."""
    total, held = of_a + of_b, a + b
    ways = math.comb(total, held)
    here = math.comb(of_a, a) * math.comb(of_b, b)
    found = sum(
        count
        for k in range(max(0, held - of_b), min(of_a, held) + 1)
        if (count := math.comb(of_a, k) * math.comb(of_b, held - k)) <= here
    )
    return found / ways
