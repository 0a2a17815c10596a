"""What `playout fit` tries: one table of the things that may be set, and the ways to set them besides "auto"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from playout.game.game import Game
from playout.planner.settings import Settings
from playout.planner.words import read


class Choice(NamedTuple):
    """One thing that may be set in several ways; "auto" is always one of them."""

    name: str
    levels: tuple[dict[str, Any], ...]
    fits: Callable[[Game], bool]
    """For which games."""


def _any(game: Game) -> bool:
    return True


def _open(game: Game) -> bool:
    return not game.hidden


def _has(role: str, *, hidden: bool = True) -> Callable[[Game], bool]:
    return lambda game: game.has(role) and (hidden or not game.hidden)


def _duel(game: Game) -> bool:
    return game.players == 2 and game.returns_range is not None and not game.hidden


CHOICES: tuple[Choice, ...] = (
    Choice("c", tuple({"c": c} for c in (0.25, 0.35, 0.7, 1.0)), _any),
    Choice("fpu", ({"fpu": 0.8}, {"fpu": 1.1}), _any),
    Choice("final", ({"final": "secure"},), _any),
    Choice("decisive", ({"decisive": "win"}, {"decisive": "block"}), _duel),
    Choice("decisive_playouts", tuple({"decisive_playouts": word} for word in ("off", "win", "block")), _duel),
    Choice("transpositions", ({"transpositions": True}, {"transpositions": False}), _has("key", hidden=False)),
    Choice("playout", ({"playout": "uniform"},), _has("playout_action")),
    Choice("cutoff", tuple({"cutoff": steps} for steps in (0, 4, 16, "off")), _has("evaluate")),
    Choice(
        "habits", ({"playout": "mast"}, {"playout": "uniform"}), lambda game: not game.hidden and not game.has("playout_action")
    ),
    Choice("rave", ({"rave": 300.0}, {"rave": "off"}), _open),
    Choice("implicit", ({"implicit": 0.2}, {"implicit": 0.5}), _has("evaluate", hidden=False)),
    Choice("rule", ({"rule": "puct", "c": 0.5}, {"rule": "puct", "c": 1.0}, {"rule": "puct", "c": 2.0}), _has("prior")),
    Choice(
        "hidden",
        tuple({"hidden": kind} for kind in ("ismcts", "mo-ismcts", "pimc")),
        lambda game: game.hidden and game.players > 1,
    ),
    Choice("redraw", ({"redraw": True},), lambda game: game.hidden and game.players > 1),
)
"""All that is tried. A new idea is one more line: its name, the ways to set it besides "auto", and the games that it is for. Where two
levels set the same thing, the later line has its way. All that is combined should come to few kernels, since each is compiled: RAVE, MAST
and implicit minimax share one, and proof numbers, which would double them, are left to those who set them."""


def choices(game: Game) -> list[Choice]:
    """The choices that a game has, each with "auto" (nothing set) first; what comes to the same as "auto" is left out."""
    usual = Settings().fitted(game)
    found = []
    for choice in CHOICES:
        if choice.fits(game):
            levels = [level for level in choice.levels if read(Settings, level).fitted(game) != usual]
            if levels:
                found.append(Choice(choice.name, ({}, *levels), choice.fits))
    return found
