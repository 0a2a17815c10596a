"""What a check found: problems with a stable code, notes, and the speed page. It prints as a page and gives JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from playout.checker.honesty.report import Audit
from playout.game.declared import who

MOST_SHOWN = 40
"""Actions of a sample that are printed."""


class Problem(msgspec.Struct, frozen=True):
    """One way in which the game breaks the contract."""

    code: str
    """Short and stable: `legal-duplicate`."""
    message: str
    """The function, the state, the cause and the cure."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class SpeedRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one function costs, compiled."""

    function: str
    """The name of the function; "copy" is copying a state."""
    nanoseconds: float
    """Per call, over states of random play."""
    per_second: float
    """Calls a second."""
    calls: float
    """Calls in one uniform playout from the start; 0 for what it does without, or only with other settings."""
    share: float
    """Of a playout's time, 0 to 1."""


class Speed(msgspec.Struct, frozen=True, kw_only=True):
    """The speed page."""

    rows: tuple[SpeedRow, ...]
    playouts_per_second: float
    steps_per_second: float
    """Actions a second within uniform playouts."""
    costliest: str
    """The function with the largest share."""
    advice: str
    """What to try."""

    def __str__(self) -> str:
        lines = [f"  {'function':<16}{'ns a call':>11}{'calls a second':>17}{'a playout':>11}{'share':>8}"]
        for row in self.rows:
            share = f"{row.share:.0%}" if row.calls else "-"
            calls = f"{row.calls:,.1f}" if row.calls else "-"
            lines.append(f"  {row.function:<16}{row.nanoseconds:>11,.1f}{row.per_second:>17,.0f}{calls:>11}{share:>8}")
        lines.append(f"  {self.playouts_per_second:,.0f} playouts and {self.steps_per_second:,.0f} actions a second, one thread")
        return "\n".join([*lines, f"  {self.advice}"])


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """A finished random game to look at: is it the right player who won?"""

    seed: int
    actions: tuple[str, ...]
    """In words, where the game has words for them."""
    returns: tuple[float, ...]
    """What each player got."""
    player_names: tuple[str, ...] = ()
    """What the game calls its players; empty where it does not say."""
    drawing: str
    """The last state, as everybody would see it."""

    def __str__(self) -> str:
        shown = ", ".join(
            self.actions if len(self.actions) <= MOST_SHOWN else [*self.actions[: MOST_SHOWN - 1], "...", self.actions[-1]]
        )
        paid = ", ".join(f"{who(player, self.player_names)} {value:+g}" for player, value in enumerate(self.returns))
        head = f"  a random game (seed {self.seed}, {len(self.actions):,} actions): {shown}"
        return "\n".join(
            [head, *(f"    {line}" for line in self.drawing.splitlines()[:40]), f"    returns: {paid}; is that right?"]
        )


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `check`: `report.ok`, `report.problems`, or print it."""

    game: str
    """The spec that loads the game."""
    ok: bool
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    """Hints and what the game could unlock; no failures."""
    speed: Speed | None
    """None when the game was not compiled, or has problems."""
    audit: Audit | None = None
    """The honesty audit of a game with `observe` or `determinize`; what fails in it is among the problems, too."""
    states: int
    """States looked at, uncompiled."""
    compiled_states: int
    """States looked at, compiled."""
    playouts: int
    """Games played to their end, both forms together."""
    longest: int
    """Actions in the longest of them."""
    most_legal: int
    """The most legal actions seen in one state."""
    laws: tuple[str, ...] = ()
    """The names of the game's laws, which were asked for in every one of these states; what breaks one is among the problems."""
    after: int = 0
    """Random actions before the first state that was looked at closely."""
    seed: int
    sample: Sample | None = None
    """The first random game that came to its end."""
    seconds: float
    """How long the check took."""

    def to_json(self) -> str:
        """The report as JSON: `game, ok, problems: [{code, message}], speed` and more."""
        return msgspec.json.encode(self).decode()

    def to_dict(self) -> dict[str, Any]:
        """The same as plain Python values."""
        return msgspec.to_builtins(self)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        count = len(self.problems)
        verdict = "keeps the contract" if self.ok else f"has {count} problem{'s' * (count != 1)}"
        lines = [f"{self.game} {verdict}", ""]
        for problem in self.problems:
            lines += [f"  {problem.code}", f"    {problem.message}", ""]
        looked = f"{self.states:,} states uncompiled" + (
            f" and {self.compiled_states:,} compiled" if self.compiled_states else ""
        )
        lines.append(
            f"  looked at {looked} in {self.playouts:,} games, the longest of {self.longest:,} actions, "
            + (f"at most {self.most_legal:,} legal at once " if self.most_legal else "with real vectors ")
            + f"({self.seconds:.1f} s, seed {self.seed})"
            + (f", the uncompiled ones after {self.after:,} random actions" if self.after else "")
        )
        if self.laws and not any(problem.code == "law-broken" for problem in self.problems):
            lines.append(f"  held in every state: {'; '.join(self.laws)}")
        lines += [f"  note: {note}" for note in self.notes]
        if self.sample is not None:
            lines += ["", str(self.sample)]
        if self.audit is not None:
            lines += ["", *(f"  {line}" for line in str(self.audit).splitlines())]
        if self.speed is not None:
            lines += ["", str(self.speed)]
        return "\n".join(lines)
