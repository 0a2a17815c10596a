"""Deals: what is hidden when a game begins, against one world each.

Nobody has acted, so the true state and a world of it are as likely to be either, whatever a player sees; many deals are made, and for
each value it is counted how often only the truth shows it and how often only the world. With `carried`, which holds each moment against
the one before, this is the other half of an induction: a sampler that is right at the deal, and right at each step, is right.
"""

from __future__ import annotations

import numpy as np

from playout.checker.contract.findings import fields_text
from playout.checker.honesty.carried import Carrier
from playout.checker.honesty.numbers import sign_chance
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding, clock
from playout.checker.honesty.signs import VALUE, WHOLE, Array, Family, Sign, families, show, words
from playout.game.game import Game
from playout.game.stream import AUDIT_DEALS, Stream

FEWEST, MOST = 40, 40_000
PIECE, PIECE_UNCOMPILED = 500, 4
"""Deals between two looks at the clock."""
CHOSEN = 4
"""Single values that looked most different in the first half of the deals, and as many of what is read off more than one, such as sums:
they are asked in the second half."""


def deals(game: Game, seed: int, error: float, seconds: float, carrier: Carrier) -> Finding:
    """The finding."""
    truths, worlds = _dealt(game, seed, clock() + (0.4 if carrier.compiled else 0.9) * seconds, carrier)
    half = len(truths) // 2
    if half < FEWEST:
        message = f"truth not held against worlds at the deal: nothing is hidden then, or only {2 * half} deals were made"
        return Finding(test="weights", code="honesty-weights", result=SKIPPED, message=message)
    ranked, signs = _likely(game, truths[:half], worlds[:half])
    tests = [(*_lean(truths[half:], worlds[half:], sign), sign) for sign in ranked]
    p, only_truth, only_world, sign = min(tests, key=lambda test: (test[0], repr(test[3])), default=(1.0, 0, 0, None))
    p = min(1.0, p * max(1, len(ranked)))
    if sign is None or p >= error:
        message = f"the true state and a world are alike at the deal, by {signs} values (smallest p = {p:.2g})"
        return Finding(
            test="weights", code="honesty-weights", result=PASSED, message=message, cases=len(truths), error=error, p=p
        )
    there = show(worlds[half:], sign) if only_world > only_truth else ~show(worlds[half:], sign)
    example = worlds[half:][int(there.argmax())]
    message = (
        f"worlds are off when the game begins: {words(game, sign)} in {show(worlds, sign).mean():.1%} of them and in "
        f"{show(truths, sign).mean():.1%} of the true states (chance of that {p:.2g}), as in ({fields_text(example)}); draw every deal that fits "
        "what the player sees with its own chance, and no card twice"
    )
    return Finding(test="weights", code="honesty-weights", result=FAILED, message=message, cases=len(truths), error=error, p=p)


def _rough(family: Family, of: int) -> Array:
    """How far each sign of a family is off between truths and worlds, in deviations."""
    total = (family.mine + family.right) / (2 * of)
    return np.asarray(np.abs(family.mine - family.right) / np.sqrt(2 * of * np.maximum(total * (1 - total), 1e-12)))


def _likely(game: Game, truths: Array, worlds: Array) -> tuple[list[Sign], int]:
    """Signs that look most different, single values and others apart, and how many there are."""
    known = list(families(game, np.concatenate([truths, worlds]), len(truths)))
    found = []
    for single in (True, False):
        group = [family for family in known if (family.kind in (WHOLE, VALUE)) == single]
        ranked = []
        for family in group:
            rough = _rough(family, len(truths))
            ranked += [
                (-float(rough[place]), repr(family.sign(place)), family.sign(place)) for place in np.argsort(-rough)[:CHOSEN]
            ]
        found += [sign for _, _, sign in sorted(ranked)[:CHOSEN]]
    return found, sum(len(family.places) for family in known)


def _lean(truths: Array, worlds: Array, sign: Sign) -> tuple[float, int, int]:
    """(the chance that a fair coin leans so far, how often only the truth shows it, how often only the world)."""
    one, two = show(truths, sign), show(worlds, sign)
    more, less = int((one & ~two).sum()), int((two & ~one).sum())
    return min(1.0, 2 * sign_chance(max(more, less), min(more, less))), more, less


def _dealt(game: Game, seed: int, deadline: float, carrier: Carrier) -> tuple[Array, Array]:
    """True states and a world of each, for the players in turn."""
    truths, worlds = [np.zeros(0, game.dtype)], [np.zeros(0, game.dtype)]
    piece = PIECE if carrier.compiled else PIECE_UNCOMPILED
    for number in range(MOST // piece):
        if clock() > deadline:
            break
        truth, world = carrier.deals(number % game.players, piece, Stream(seed, AUDIT_DEALS, number))
        truths.append(truth)
        worlds.append(world)
    return np.concatenate(truths), np.concatenate(worlds)
