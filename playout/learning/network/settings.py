"""Settings of a network that learns by playing itself."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from playout.errors import PlayoutError, suggest
from playout.learning.network.targets import read_targets

ROOTS = ("gumbel", "puct")
GOALS = ("completed", "visits")
SYMMETRY = ("auto", "on", "off")
SIZES = ("small", "medium", "large")


class NetworkSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a network learns; docs/networks.md shows what the defaults reach."""

    size: str = "small"
    """Network: how big it is, "small", "medium" or "large"."""
    simulations: int = 32
    """Network: simulations for every decision of self-play, and of the games against the ladder."""
    root: str = "gumbel"
    """Network: how the root of a search spends them. "gumbel": a race of the actions that lead by prior and a drawn number, strong with few
    simulations; "puct": by prior and mean as everywhere else, with noise on the priors."""
    goal: str = "completed"
    """Network: what the policy learns. "completed": the prior, moved by what each action was worth (untried ones by the position's value);
    "visits": the shares of the visits."""
    explore: float = 0.5
    """Network: the constant of puct in self-play."""
    noise: float = 0.25
    """Network: with root=puct, the part of the root's priors that is noise."""
    opening: int = 0
    """Network: so many decisions of a game are drawn by their shares, later ones are the best; 0: half of a random game."""
    temperature: float = 1.0
    """Network: how evenly they are drawn: 1 by the shares themselves, towards 0 ever more the best."""
    strange: float = 0.5
    """Network: the part of the games that begin with actions at random, one up to `opening` of them, so that what nobody sensible does is
    known, too."""
    keep: bool = False
    """Network: keep the tree below the action that was played, where nothing is hidden."""
    abreast: int = 64
    """Network: games side by side, whose leaves are evaluated as one batch; part of what a seed reproduces."""
    decisions: int = 8
    """Network: decisions of each of those games in a generation; then comes training."""
    window: int = 100_000
    """Network: positions that are kept to learn from, the latest ones."""
    sample: int = 256
    """Network: positions in a step of training."""
    reuse: float = 8.0
    """Network: how often a position is trained on, on average, while it is in the window."""
    rate: float = 0.002
    """Network: the step size of training."""
    shrink: float = 0.0001
    """Network: how much weights shrink (weight decay)."""
    average: float = 0.98
    """Network: weights that play are a mean over those of training, in which the old mean keeps this part at every step."""
    blend: float = 0.5
    """Network: the part that the search's value of a position has in what its value learns; the rest is how the game ended."""
    mirror: str = "auto"
    """Network: train on mirrored positions, where the game has symmetries: "auto" (where it has), "on", "off"."""
    targets: str = ""
    """Network: what else it learns of a position, as in "win,score:32,length": other rewards of the game, as a chance or in so many bins, and
    how many decisions are left."""
    gate: int = 0
    """Network: every so many generations the weights of training play against those of self-play, and take their place unless a sequential
    test of 40 rounds finds them worse; 0: self-play always has the latest."""
    rungs: int = 20
    """Network: games against each opponent of the ladder, at every point of the curve; 0: no curve."""

    def __post_init__(self) -> None:
        for name, value, known in (
            ("root", self.root, ROOTS),
            ("goal", self.goal, GOALS),
            ("mirror", self.mirror, SYMMETRY),
            ("size", self.size, SIZES),
        ):
            if value not in known:
                raise PlayoutError(f"{name} is {value!r}; {suggest(str(value), known)}")
        read_targets(self.targets)
        for name, low, high in (
            ("simulations", 2, 1_000_000),
            ("opening", 0, 1_000_000),
            ("abreast", 1, 65_536),
            ("decisions", 1, 10_000),
            ("window", 1, 1 << 40),
            ("sample", 1, 1 << 20),
            ("rungs", 0, 100_000),
            ("gate", 0, 1_000_000),
            ("explore", 0.0, 1000.0),
            ("noise", 0.0, 1.0),
            ("strange", 0.0, 1.0),
            ("temperature", 0.001, 1000.0),
            ("reuse", 0.0, 1000.0),
            ("rate", 1e-9, 1.0),
            ("shrink", 0.0, 1.0),
            ("average", 0.0, 0.999999),
            ("blend", 0.0, 1.0),
        ):
            number = getattr(self, name)
            if not math.isfinite(number) or not low <= number <= high:
                raise PlayoutError(f"{name} is {number:g}; it must be from {low:g} to {high:,g}")

    @property
    def generation(self) -> int:
        """Decisions of a generation."""
        return self.abreast * self.decisions


def settings_of(words: dict[str, Any]) -> NetworkSettings:
    """Settings out of words; a wrong one is named."""
    for word in words:
        if word not in NetworkSettings.__struct_fields__:
            raise PlayoutError(f"learning a network has no option {word!r}; {suggest(word, NetworkSettings.__struct_fields__)}")
    try:
        return msgspec.convert(words, NetworkSettings, strict=False)
    except msgspec.ValidationError as error:
        field = str(error).rpartition("$.")[2].rstrip("`")
        raise PlayoutError(f"option {field}={words.get(field)!r} does not fit: {str(error).partition(' - ')[0]}") from None
