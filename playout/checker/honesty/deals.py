"""Deals: what is hidden when a game begins, against one world each.

Nobody has acted, so the true state and a world of it are as likely to be either, whatever a player sees; many deals are made, and for
each value it is counted how often only the truth shows it and how often only the world. With `carried`, which holds each moment against
the one before, this is the other half of an induction: a sampler that is right at the deal, and right at each step, is right.
"""

from __future__ import annotations

import math

import numpy as np

from playout.checker.contract.findings import fields_text
from playout.checker.honesty.carried import Carrier
from playout.checker.honesty.numbers import sign_chance
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding, clock
from playout.checker.honesty.signs import VALUE, WHOLE, Array, Sign, known_signs, show, words
from playout.game.game import Game
from playout.game.stream import AUDIT_DEALS, Stream

FEWEST, MOST = 40, 20_000
LOOKED = 400
"""Deals that tell which values there are."""
CHOSEN = 4
"""Single values that looked most different in the first half of the deals, and as many of what is read off more than one, such as sums:
they are asked in the second half."""


def deals(game: Game, seed: int, error: float, seconds: float, carrier: Carrier) -> Finding:
    """The finding."""
    truths, worlds = _dealt(game, seed, clock() + seconds, carrier)
    half = len(truths) // 2
    if half < FEWEST:
        message = f"truth not held against worlds at the deal: nothing is hidden then, or only {2 * half} deals were made"
        return Finding(test="weights", code="honesty-weights", result=SKIPPED, message=message)
    few = np.concatenate([truths[: min(half, LOOKED)], worlds[: min(half, LOOKED)]])
    signs = list(known_signs(game, few, few))
    first = sorted(signs, key=lambda sign: (-_rough(*_counts(truths[:half], worlds[:half], sign)), repr(sign)))
    single = [sign for sign in first if sign[1] in (WHOLE, VALUE)]
    ranked = single[:CHOSEN] + [sign for sign in first if sign not in single][:CHOSEN]
    tests = [(*_lean(truths[half:], worlds[half:], sign), sign) for sign in ranked]
    p, only_truth, only_world, sign = min(tests, key=lambda test: (test[0], repr(test[3])), default=(1.0, 0, 0, None))
    p = min(1.0, p * max(1, len(ranked)))
    if sign is None or p >= error:
        message = f"the true state and a world are alike at the deal, by {len(signs)} values (smallest p = {p:.2g})"
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


def _counts(truths: Array, worlds: Array, sign: Sign) -> tuple[int, int]:
    """How often only the truth shows a sign, and how often only the world."""
    one, two = show(truths, sign), show(worlds, sign)
    return int((one & ~two).sum()), int((two & ~one).sum())


def _rough(more: int, less: int) -> float:
    """How far a fair coin would lean there, in deviations: quicker than its chance, and in the same order."""
    return abs(more - less) / math.sqrt(more + less) if more + less else 0.0


def _lean(truths: Array, worlds: Array, sign: Sign) -> tuple[float, int, int]:
    """(the chance that a fair coin leans so far, how often only the truth shows it, how often only the world)."""
    more, less = _counts(truths, worlds, sign)
    return min(1.0, 2 * sign_chance(max(more, less), min(more, less))), more, less


def _dealt(game: Game, seed: int, deadline: float, carrier: Carrier) -> tuple[Array, Array]:
    """True states and a world of each, for the players in turn from whom something is hidden."""
    truths, worlds = [np.zeros(0, game.dtype)], [np.zeros(0, game.dtype)]
    for number in range(MOST):
        if clock() > deadline:
            break
        stream = Stream(seed, AUDIT_DEALS, number)
        array, player = np.zeros(1, game.dtype), number % game.players
        game.functions["start"](game.view(array[0]), stream)
        if int(game.functions["mover"](game.view(array[0]))) < 0:
            continue
        world = carrier.drawn(array, player, stream)
        truths.append(array)
        worlds.append(world)
    return np.concatenate(truths), np.concatenate(worlds)
