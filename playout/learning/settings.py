"""What learning may be told: the rule, its step sizes, how it explores, whom it plays. Immutable, and checked when made."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import msgspec

from playout.errors import PlayoutError, suggest
from playout.game.game import Game
from playout.learning import layout

RULES = ("backward", "every-visit", "first-visit", "td-lambda")
TIES = ("random", "first")
TABLES = ("each", "shared")
VALUES = ("table", "patterns")
SYMMETRY = ("auto", "on", "off")
OWN_OPPONENTS = ("self", "past", "random")

LEARNERS = ("table", "network")
"""What learns: a table of values, or a network of policy and values with search."""
PRESETS: dict[str, dict[str, Any]] = {
    "best": {},
    "classic": {"rule": "backward", "lr": "0.05", "discount": 0.95, "epsilon": "0.2", "symmetry": "off"},
}
"""Settings with a name: "best" is the defaults; "classic" the setting that is often seen in tutorials."""


class Schedule(NamedTuple):
    """A number that may change over the run: its kind as the kernels know it, where it begins and where it ends."""

    kind: int
    first: float
    last: float


KINDS = {"linear": layout.LINEAR, "exponential": layout.EXPONENTIAL}


def schedule(name: str, text: str | float, low: float, high: float) -> Schedule:
    """Read `0.2`, `linear:0.5:0.05` or `exponential:0.5:0.05`; for lr also `1/n`, or `1/n:0.01` which goes no lower."""
    word, _, rest = str(text).strip().partition(":")
    if name == "lr" and word == "1/n":
        floor = _number(name, text, rest) if rest else 0.0
        if not 0 <= floor <= high:
            raise PlayoutError(f"lr is {text!r}; the lowest step after 1/n: must be from 0 to {high:g}")
        return Schedule(layout.ONE_OVER_N, 0.0, floor)
    if word in KINDS:
        parts = [_number(name, text, part) for part in rest.split(":")]
        if len(parts) != 2:
            raise _unread(name, text)
        kind, (first, last) = KINDS[word], parts
    else:
        kind, first = layout.CONSTANT, _number(name, text, str(text))
        last = first
    for value in (first, last):
        if not low <= value <= high or (name == "lr" and value == 0):
            bounds = f"above 0 and at most {high:g}" if name == "lr" else f"from {low:g} to {high:g}"
            raise PlayoutError(f"{name} is {text}; {WHAT[name]} must be {bounds}")
    if kind == layout.EXPONENTIAL and not (first > 0 and last > 0):
        raise PlayoutError(f"{name} is {text!r}; an exponential schedule never reaches 0: end above it, or use linear")
    return Schedule(kind, first, last)


WHAT = {"lr": "the step size", "epsilon": "the share of random actions"}


def _number(name: str, text: Any, part: str) -> float:
    try:
        value = float(part)
    except ValueError:
        raise _unread(name, text) from None
    if not math.isfinite(value):
        raise _unread(name, text)
    return value


def _unread(name: str, text: Any) -> PlayoutError:
    more = ", 1/n or 1/n:0.01" if name == "lr" else ""
    return PlayoutError(f"{name} is {text!r}; give a number, linear:0.5:0.05, exponential:0.5:0.05{more}")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How to learn. The defaults are the best settings known; docs/learning.md shows what they reach and what others do."""

    rule: str = "every-visit"
    """What an episode teaches: "backward", "every-visit", "first-visit" or "td-lambda"."""
    lr: str = "linear:0.2:0.01"
    """Step size: a number, "1/n" (sample means, "1/n:0.01" never smaller than that), "linear:0.2:0.01" or "exponential:0.2:0.01"."""
    discount: float = 0.95
    """What a reward one own decision later is worth now."""
    epsilon: str = "linear:0.5:0.1"
    """Share of random actions: a number, "linear:0.5:0.1" or "exponential:0.5:0.1", over the horizon."""
    trace: float = 0.8
    """Lambda of td-lambda: 0 learns from the next value alone, 1 from the whole return."""
    optimism: float = 0.0
    """What a state is worth that was never seen."""
    ties: str = "random"
    """Which of several best actions is played: "random" (from the seeded stream) or the "first"."""
    values: str = "table"
    """"table": one value per state. "patterns": a weight per pattern of the game's `patterns`, for boards too big for a table."""
    tables: str = "each"
    """"each" player has values of its own; "shared": whoever moves into a state shares its value with the others."""
    symmetry: str = "auto"
    """Share values between states that mirror each other by the game's `canonical`: "auto" (where it has one), "on", "off"."""
    opponent: str = "self"
    """Who plays the other seats: "self" (all learn), "past" (frozen past selves), "random", or any agent of the arena."""
    past: int = 5
    """How many past selves are kept."""
    refresh: int = 10_000
    """Every so many episodes a past self is frozen, and another one chosen to play against."""
    shards: int = 1
    """Learners side by side that are merged after every round; part of what a seed reproduces, whatever the threads."""
    round: int = 20_000
    """Episodes of all shards together between two merges."""
    horizon: int = 0
    """Episodes over which the schedules run; 0: those of the first run."""
    memory: float = 2000.0
    """Megabytes for the table; at the cap it goes on learning without new states."""
    seed: int = 0
    """The seed of everything random."""

    def __post_init__(self) -> None:
        for name, value, known in (
            ("rule", self.rule, RULES),
            ("ties", self.ties, TIES),
            ("values", self.values, VALUES),
            ("tables", self.tables, TABLES),
            ("symmetry", self.symmetry, SYMMETRY),
        ):
            if value not in known:
                raise PlayoutError(f"{name} is {value!r}; {suggest(str(value), known)}")
        schedule("lr", self.lr, 0.0, 1.0)
        schedule("epsilon", self.epsilon, 0.0, 1.0)
        if not 0 < self.discount <= 1:
            raise PlayoutError(f"discount is {self.discount}; it must be above 0 and at most 1")
        if not 0 <= self.trace <= 1:
            raise PlayoutError(f"trace is {self.trace}; lambda must be from 0 to 1")
        if not math.isfinite(self.optimism):
            raise PlayoutError(f"optimism is {self.optimism}; give a finite number")
        for name, count, most in (
            ("past", self.past, 100),
            ("refresh", self.refresh, 1 << 40),
            ("shards", self.shards, 256),
            ("round", self.round, 1 << 40),
        ):
            if not 1 <= count <= most:
                raise PlayoutError(f"{name} is {count}; it must be from 1 to {most:,}")
        if self.horizon < 0:
            raise PlayoutError(f"horizon is {self.horizon}; it must be 0 or more")
        if not 1 <= self.memory < math.inf:
            raise PlayoutError(f"memory is {self.memory}; give a number of megabytes, 1 or more")
        if not 0 <= self.seed < 1 << 62:
            raise PlayoutError(f"seed is {self.seed}; it must be a whole number from 0 to 2**62 - 1")

    def fitted(self, game: Game, episodes: int) -> Settings:
        """These settings with everything decided for a game, or a sentence on what the game lacks."""
        if game.hidden:
            raise PlayoutError(
                f"game {game.name!r} hides something from its players, and values of true states would cheat; learn a game without "
                "determinize, or search this one with ismcts"
            )
        if self.values == "patterns" and not game.has("patterns"):
            raise PlayoutError(
                f"values=patterns needs the game's patterns, which {game.name!r} does not define; define it or use a table"
            )
        if self.values == "table" and not game.has("key"):
            raise PlayoutError(
                f"game {game.name!r} defines no key, and a table tells states apart by it; add {game.key_words} that only equal positions share"
            )
        if self.values == "patterns" and self.lr.startswith("1/n"):
            raise PlayoutError(
                f"lr is {self.lr!r}; patterns share their weights, so count no visits: give a number or a schedule"
            )
        if self.symmetry == "on" and not game.has("canonical"):
            raise PlayoutError(
                f"symmetry=on needs the game's canonical, which {game.name!r} does not define; define it or leave symmetry out"
            )
        if self.shards > 1 and self.opponent not in ("self", "random"):
            raise PlayoutError(
                f"shards is {self.shards} and opponent is {self.opponent!r}; side by side only self and random can be played"
            )
        if self.opponent != "self" and game.players == 1:
            raise PlayoutError(f"opponent is {self.opponent!r}, but {game.name!r} has one player; leave it out")
        symmetric = game.has("canonical") and self.symmetry != "off" and self.values == "table"
        return msgspec.structs.replace(
            self, symmetry="on" if symmetric else "off", horizon=self.horizon or episodes, opponent=self.opponent.strip()
        )


def from_preset(preset: str = "best", **words: Any) -> Settings:
    """The settings of a preset with some of them changed; numbers may come as words."""
    if preset not in PRESETS:
        raise PlayoutError(f"unknown preset {preset!r}; {suggest(preset, PRESETS)}")
    merged = {**PRESETS[preset], **words}
    for word in merged:
        if word not in Settings.__struct_fields__:
            raise PlayoutError(f"learning has no option {word!r}; {suggest(word, Settings.__struct_fields__)}")
    for word in ("lr", "epsilon"):
        if isinstance(merged.get(word), int | float):
            merged[word] = f"{merged[word]:g}"
    try:
        return msgspec.convert(merged, Settings, strict=False)
    except msgspec.ValidationError as error:
        field = str(error).rpartition("$.")[2].rstrip("`")
        raise PlayoutError(f"option {field}={merged.get(field)!r} does not fit: {str(error).partition(' - ')[0]}") from None
