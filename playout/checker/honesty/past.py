"""Past views: worlds drawn now are held against all that the player has seen since the game began.

The game is dealt and played again until a course looks to the player like its own past, as `playout.by_rejection` does it. That gives
worlds that are right by construction. What comes up among the sampler's worlds and never among those is a world in which the player
would have seen something else earlier: the sampler *forgets*. What it forgets is what the player saw with the action before which such
worlds could be. Where both kinds come up but not as often, the weights are wrong (this is not asked where others acted unseen).
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from playout.checker.contract.findings import fields_text
from playout.checker.honesty.carried import Carrier
from playout.checker.honesty.lines import Line, long_course
from playout.checker.honesty.numbers import fisher_chance
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding, clock
from playout.checker.honesty.signs import Sign, most_different, shows, words
from playout.game.game import Game
from playout.game.stream import AUDIT_PASTS, Stream

Array = np.ndarray[Any, Any]
WORLDS, FEWEST = 150, 20
"""Of each kind at a moment, and the fewest of the right ones that say anything."""
SLICE = 0.08
"""The part of the time that one moment may take to find its worlds."""
PIECE, PIECE_UNCOMPILED = 20_000, 40
NAMED = 2.0
"""Seconds that the cause of a failure is worth."""


class Reference:
    """Worlds that are right by construction."""

    def __init__(self, carrier: Carrier) -> None:
        self.game, self.carrier = carrier.game, carrier
        self.piece = PIECE if carrier.compiled else PIECE_UNCOMPILED

    def worlds(self, line: Line, count: int, stream: Stream, seconds: float, random: int = 0) -> Array:
        """As many as are found in time."""
        found = [np.zeros(0, self.game.dtype)]
        left, deadline = count, clock() + seconds
        while left and clock() < deadline:
            found.append(self.carrier.courses(line, left, stream, self.piece, random))
            left -= len(found[-1])
        return np.concatenate(found)


def past(game: Game, seed: int, error: float, seconds: float, carrier: Carrier, after: int = 0) -> list[Finding]:
    """The findings: "forgets", and the weights as far as they show here."""
    reference = Reference(carrier)
    deadline, moments, tried, late, smallest = clock() + seconds, 0, 0, 0, 1.0
    number = 0
    while clock() < deadline:
        stream = Stream(seed, AUDIT_PASTS, number)
        course = long_course(game, stream, number)
        for line in course.moments(number // 4 % game.players, stream, after):
            if clock() > deadline:
                break
            tried += 1
            carrier.told()
            right = reference.worlds(line, WORLDS, stream, SLICE * seconds)
            if len(right) < FEWEST:
                continue
            moments, late = moments + 1, late + (line.phase == 2)
            p, finding = compare(reference, line, right, stream, error / (moments * (moments + 1)), SLICE * seconds)
            smallest = min(smallest, p)
            if finding is not None:
                return [msgspec.structs.replace(finding, cases=moments, error=error)]
        number += 1
    if moments == 0:
        return [_skipped(f"at none of {tried} moments was a course found that fits the player's past")]
    return [
        Finding(
            test="past views",
            code="honesty-forgets",
            result=PASSED,
            message=f"worlds have the past that their player has lived through, at {moments} of {tried} moments where courses that fit it were "
            f"found ({late} in the last third of a game; smallest p = {smallest:.2g})",
            cases=moments,
            error=error,
            p=smallest,
        )
    ]


def _skipped(reason: str) -> Finding:
    message = f"worlds were not held against earlier views: {reason}; audit a smaller deal of the game, too"
    return Finding(test="past views", code="honesty-forgets", result=SKIPPED, message=message)


def compare(
    reference: Reference, line: Line, right: Array, stream: Stream, error: float, seconds: float
) -> tuple[float, Finding | None]:
    """One moment: (the chance, corrected for the number of signs, of the largest difference; the finding if it is none of chance)."""
    game, count = reference.game, len(right)

    def drawn() -> Array:
        return reference.carrier.worlds(line, line, count, stream, 2 * count)

    worst = most_different(game, drawn(), right)
    if worst is None or worst[0] >= error:
        return 1.0 if worst is None else worst[0], None
    p, sign = worst
    # Again, with fresh worlds of both kinds, and then by the other conventions.
    again, mine = reference.worlds(line, count, stream, seconds), drawn()
    if len(again) < FEWEST or _chance(sign, mine, again) > 0.01:
        return p, None
    right = np.concatenate([right, again])
    never = shows(right, sign) == 0
    if not never and reference.carrier.told()[0]:
        return p, None  # how likely hidden actions are is for the game to say
    if not never and game.players > 1:
        for random in (1, game.most_legal):
            other = reference.worlds(line, len(again), stream, 2 * seconds, random)
            if len(other) < FEWEST or _chance(sign, mine, other) > error:
                return p, None
    share = shows(mine, sign) / len(mine)
    if never:
        example = next((world for world in mine if shows(world[None], sign)), mine[0])
        return p, _forgets(reference, line, sign, example, share, len(right), stream, seconds)
    message = (
        f"worlds are off {line}: {words(game, sign)} in {share:.0%} of them, and in {shows(right, sign) / len(right):.0%} of the courses that look "
        f"to the player like its past (chance of that {p:.2g}); likely determinize forgets what the player was shown (keep it in the state, leave it "
        "in observe, go by it), or does not draw every deal that fits with its own chance"
    )
    return p, Finding(test="past views", code="honesty-weights", result=FAILED, message=message, p=p)


def _chance(sign: Sign, mine: Array, right: Array) -> float:
    return fisher_chance(shows(mine, sign), len(mine), shows(right, sign), len(right))


def _forgets(
    reference: Reference,
    line: Line,
    sign: Sign,
    example: Any,
    share: float,
    courses: int,
    stream: Stream,
    seconds: float,
) -> Finding:
    """When it was forgotten: the action before which such a world could be."""
    game = reference.game
    what, code = "it goes against the rules of the game", "honesty-weights"
    for step in reversed(range(line.step)):
        earlier = line.course.moment(line.player, step)
        found = reference.worlds(earlier, FEWEST, stream, max(NAMED, seconds) / line.step)
        if len(found) and shows(found, sign):
            what = f"that could be until action {step + 1}, and what the player saw then rules it out: determinize forgets it"
            code = "honesty-forgets"
            break
    message = (
        f"worlds have another past than player {line.player} has lived through, {line}: {words(game, sign)} in {share:.0%} of them, as in "
        f"({fields_text(example)}), and in none of {courses} courses of the game that look to the player like its past; {what}: keep in "
        "the state what a player was shown, leave it in observe, and let determinize go by it"
    )
    return Finding(test="past views", code=code, result=FAILED, message=message)
