"""Past views: worlds drawn now are held against all that the player has seen since the game began.

The game is dealt and played again until a course looks to the player like its own past, as `playout.by_rejection` does it. That gives
worlds that are right by construction. What comes up among the sampler's worlds and never among those is a world in which the player
would have seen something else earlier: the sampler *forgets*. What it forgets is what the player saw with the action before which such
worlds could be. Where both kinds come up but not as often, the weights are wrong (this is not asked where others acted unseen).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import numpy as np

from playout.checker.contract.findings import fields_text, value_text
from playout.checker.honesty.lines import ACTS, OVER, Line, long_course
from playout.checker.honesty.numbers import fisher_chance
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding, clock
from playout.compile import bind
from playout.engine import consistent
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.record import field_names
from playout.game.stream import AUDIT_PASTS, Stream
from playout.planner.rejection import Sampler, as_past

Array = np.ndarray[Any, Any]
Sign = tuple[str, int, Any]
"""Something that a world shows: a field, the place in it (-1: all of it; a bit where it is above BITS), and the value there."""
WORLDS, FEWEST = 150, 20
"""Of each kind at a moment, and the fewest of the right ones that say anything."""
SLICE = 0.08
"""The part of the time that one moment may take to find its worlds."""
PIECE, PIECE_UNCOMPILED = 20_000, 40
NAMED = 2.0
"""Seconds that the cause of a failure is worth."""
BITS = 1 << 20
MOST_VALUES = 12
"""A field or a state as a whole counts as a sign where so few different ones come up among the right worlds."""
ENDS = {ACTS: consistent.ACTS, OVER: consistent.OVER}


class Reference:
    """Worlds that are right by construction."""

    def __init__(self, game: Game, compiled: bool) -> None:
        self.game = game
        self.sampler = Sampler(bind(game, compiled and game.compiled))
        self.sampler.prepare()
        self.piece = PIECE if self.sampler.compiled else PIECE_UNCOMPILED

    def worlds(self, line: Line, count: int, stream: Stream, seconds: float, *, random: bool = False) -> list[Array]:
        """As many as are found in time."""
        past = as_past(line.past, line.player, ENDS.get(line.stands, consistent.WAITS), random=random)
        found: list[Array] = []
        deadline = clock() + seconds
        while len(found) < count and clock() < deadline:
            world, _ = self.sampler.attempt(past, stream, self.piece)
            if world is not None:
                found.append(world)
        return found


def past(game: Game, seed: int, error: float, seconds: float, compiled: bool, after: int = 0) -> list[Finding]:
    """The findings: "forgets", and the weights as far as they show here."""
    try:
        reference = Reference(game, compiled)
    except PlayoutError as reason:
        return [_skipped(f"the game is not compiled: {reason}")]
    deadline, moments, tried, late, smallest = clock() + seconds, 0, 0, 0, 1.0
    number = 0
    while clock() < deadline:
        stream = Stream(seed, AUDIT_PASTS, number)
        course = long_course(game, stream, number)
        for line in course.moments(number // 4 % game.players, stream, after):
            if clock() > deadline:
                break
            tried += 1
            reference.sampler.alike()
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


def signs(game: Game, worlds: list[Array], wholes: frozenset[str]) -> Counter[Sign]:
    """How many worlds show each sign."""
    found: Counter[Sign] = Counter()
    whole = np.concatenate(worlds) if worlds else np.zeros(0, game.dtype)
    for name in field_names(game.dtype):
        if game.dtype[name].names is not None or not len(whole):
            continue
        rows = np.ascontiguousarray(whole[name]).reshape(len(whole), -1)
        if name in wholes:
            found.update((name, -1, row.tobytes()) for row in rows)
        for place in range(rows.shape[1]):
            _tally(found, name, place, rows[:, place])
        if rows.dtype.kind in "iu" and rows.dtype.itemsize > 1:
            bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little").reshape(len(rows), rows.shape[1], -1).sum(0)
            found.update({(name, BITS * (place + 1) + int(bit), 1): int(bits[place, bit]) for place, bit in np.argwhere(bits)})
        elif rows.dtype.kind in "iu" and rows.shape[1] > 1:
            # Whether a card is there at all, wherever it lies, and whether it is there twice.
            for value in np.unique(rows[rows != 0]).tolist():
                times = (rows == value).sum(1)
                found[name, -2, value] = int((times > 0).sum())
                found[name, -3, value] = int((times > 1).sum())
    return found


def _tally(found: Counter[Sign], name: str, place: int, column: Array) -> None:
    values, counts = np.unique(column, return_counts=True)
    found.update({(name, place, value): int(count) for value, count in zip(values.tolist(), counts.tolist(), strict=True)})


def compare(
    reference: Reference, line: Line, right: list[Array], stream: Stream, error: float, seconds: float
) -> tuple[float, Finding | None]:
    """One moment: (the chance, corrected for the number of signs, of the largest difference; the finding if it is none of chance)."""
    game = reference.game
    wholes = frozenset(
        name for name in field_names(game.dtype) if len({world[0][name].tobytes() for world in right}) <= MOST_VALUES
    )

    def drawn() -> list[Array]:
        return [line.state.world(line.player, stream).copy_array() for _ in range(len(right))]

    mine = drawn()
    due, got = signs(game, right, wholes), signs(game, mine, wholes)
    known = [sign for sign in {*due, *got} if due[sign] != len(right) or got[sign] != len(right)]
    if not known:
        return 1.0, None
    chances = {sign: fisher_chance(got[sign], len(right), due[sign], len(right)) for sign in known}
    sign = min(known, key=lambda sign: (chances[sign], repr(sign)))
    p = min(1.0, chances[sign] * len(known))
    if p >= error:
        return p, None
    # Again, with fresh worlds of both kinds, and then by the other convention.
    again = reference.worlds(line, len(right), stream, seconds)
    mine = drawn()
    if len(again) < FEWEST or _chance(game, sign, mine, again, wholes) > 0.01:
        return p, None
    never = signs(game, right + again, wholes)[sign] == 0
    if not never and reference.sampler.alike():
        return p, None  # how likely hidden actions are is for the game to say
    if not never and game.players > 1:
        other = reference.worlds(line, len(right), stream, 2 * seconds, random=True)
        if len(other) < FEWEST or _chance(game, sign, mine, other, wholes) > 0.01:
            return p, None
    shows = next((world for world in mine if signs(game, [world], wholes)[sign]), mine[0])
    share = signs(game, mine, wholes)[sign] / len(mine)
    if never:
        return p, _forgets(reference, line, sign, shows, share, len(right) + len(again), stream, seconds, wholes)
    truth = signs(game, right + again, wholes)[sign] / (len(right) + len(again))
    message = (
        f"worlds are off {line}: {_words(game, sign)} in {share:.0%} of them, and in {truth:.0%} of the courses that look to the player like its "
        f"past (chance of that {p:.2g}); draw every deal that fits what was seen with its own chance"
    )
    return p, Finding(test="past views", code="honesty-weights", result=FAILED, message=message, p=p)


def _chance(game: Game, sign: Sign, mine: list[Array], right: list[Array], wholes: frozenset[str]) -> float:
    return fisher_chance(signs(game, mine, wholes)[sign], len(mine), signs(game, right, wholes)[sign], len(right))


def _forgets(
    reference: Reference,
    line: Line,
    sign: Sign,
    shows: Array,
    share: float,
    courses: int,
    stream: Stream,
    seconds: float,
    wholes: frozenset[str],
) -> Finding:
    """When it was forgotten: the action before which such a world could be."""
    game = reference.game
    what, code = "it goes against the rules of the game", "honesty-weights"
    for step in reversed(range(line.step)):
        earlier = line.course.moment(line.player, step)
        found = reference.worlds(earlier, FEWEST, stream, max(NAMED, seconds) / line.step)
        if signs(game, found, wholes)[sign]:
            what = f"that could be until action {step + 1}, and what the player saw then rules it out: determinize forgets it"
            code = "honesty-forgets"
            break
    message = (
        f"worlds have another past than player {line.player} has lived through, {line}: {_words(game, sign)} in {share:.0%} of them, as in "
        f"({fields_text(shows[0])}), and in none of {courses} courses of the game that look to the player like its past; {what}: keep in "
        "the state what a player was shown, leave it in observe, and let determinize go by it"
    )
    return Finding(test="past views", code=code, result=FAILED, message=message)


def _words(game: Game, sign: Sign) -> str:
    name, place, value = sign
    if place == -1:
        return f"{name} is {value_text(np.frombuffer(value, game.dtype[name].base))}"
    if place < -1:
        return f"{value} is in {name}" + (" twice" if place == -3 else "")
    if place >= BITS:
        return f"bit {place % BITS} of {name}[{place // BITS - 1}] is set"
    return f"{name}{f'[{place}]' if game.dtype[name].shape else ''} is {value}"
