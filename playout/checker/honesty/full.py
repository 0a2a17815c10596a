"""No leak and variety at any size: worlds of two true states that look the same must look the same, too.

From each of two such states (`honesty_twins`) a few worlds are drawn. If worlds depend only on what the player knows, it is a
matter of chance which of the two states they came from; if something leaks, worlds are nearer to their own state than to the
other. One game gives one sign, and the signs of many games are counted against a fair coin: an exact test.
"""

from __future__ import annotations

import time

import msgspec
import numpy as np

from playout.checker.contract.findings import fields_text
from playout.checker.honesty.numbers import sign_chance
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding
from playout.checker.honesty.twins import Line, Script, own_decisions, play_line, twin
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import AUDIT_PAIRS, AUDIT_PAIRS_AGAIN, Stream

WORLDS = 8
"""Drawn from each of the two states."""
CHANGES = 24
"""Draws that are changed, one after the other, to get from a state to its twin."""
TWICE = 0.05
"""A leak must show again, at this level, in fresh pairs: what is left of the error rate is their product."""
FEWEST, ENOUGH, PATIENCE = 12, 40, 8
"""Pairs below which the test says nothing; and those for which it takes up to PATIENCE times its share of the time, so that a
busy machine does not make it blind."""


class Pair:
    """Two true states with one history for a player, and worlds drawn from each."""

    def __init__(self, seed: int, player: int, one: Line, two: Line, stream: Stream) -> None:
        self.seed, self.player, self.one, self.two = seed, player, one, two
        self.from_one = [one.state.world(player, stream) for _ in range(WORLDS)]
        self.from_two = [two.state.world(player, stream) for _ in range(WORLDS)]

    @property
    def sign(self) -> int:
        """1 where the worlds lie nearer to their own states, -1 where nearer to the other, 0 where neither."""
        gap = 0.0
        for world in self.from_one:
            gap += distance(world, self.two.state) - distance(world, self.one.state)
        for world in self.from_two:
            gap += distance(world, self.one.state) - distance(world, self.two.state)
        return (gap > 0) - (gap < 0)

    @property
    def stuck(self) -> bool:
        """Whether every world is the state it was drawn from."""
        own = [(world, self.one) for world in self.from_one] + [(world, self.two) for world in self.from_two]
        return all(bytes(world) == bytes(line.state) for world, line in own)

    def __str__(self) -> str:
        return (
            f"for player {self.player}, whose own actions were {self.one.own or 'none yet'}, in the state "
            f"({fields_text(self.one.state.copy_array()[0])}), pair {self.seed}"
        )


def distance(one: State, other: State) -> float:
    """Bytes that differ; bits count a little, for hands that are sets of bits."""
    a, b = np.frombuffer(bytes(one), np.uint8), np.frombuffer(bytes(other), np.uint8)
    return float((a != b).sum() + np.bitwise_count(a ^ b).sum() / 64)


def pairs(game: Game, seed: int, wanted: int, seconds: float, tree: int = AUDIT_PAIRS) -> list[Pair]:
    """Pairs of different states that look the same, at decisions chosen before their games were played."""
    found: list[Pair] = []
    began = time.monotonic()
    lengths = [max(1, own_decisions(game, player, seed)) for player in range(game.players)]
    for number in range(3 * wanted):
        spent = (time.monotonic() - began) / seconds
        if len(found) == wanted or spent > (1 if len(found) >= ENOUGH else PATIENCE):
            break
        player, stream = number % game.players, Stream(seed, tree, number)
        decision = stream.below(lengths[player])
        line = play_line(game, player, decision, Script(stream), stream)
        if line is None:
            continue
        other = twin(game, player, line, CHANGES, stream)
        if bytes(other.state) != bytes(line.state):
            found.append(Pair(number, player, line, other, stream))
    return found


def full(game: Game, seed: int, wanted: int, error: float, seconds: float) -> tuple[list[Finding], list[Pair]]:
    """The findings, and the pairs for other tests to use."""
    try:
        found = pairs(game, seed, wanted, seconds)
    except PlayoutError as stopped:
        return [Finding(test="no leak", code="honesty-leak", result=SKIPPED, message=str(stopped))], []
    if len(found) < FEWEST:
        reason = f"only {len(found)} pairs of states that look the same were found, and {FEWEST} are wanted"
        return [
            Finding(test="no leak", code="honesty-leak", result=SKIPPED, message=f"not compared at full size: {reason}")
        ], found
    leak = _leak(found, error)
    if leak.result == FAILED:
        again = pairs(game, seed, wanted, seconds, AUDIT_PAIRS_AGAIN)
        if len(again) >= FEWEST and _chance(again) >= TWICE:
            leak = msgspec.structs.replace(
                leak,
                result=PASSED,
                message=f"a first look was off by chance (p = {leak.p:.2g}), {len(again)} fresh pairs are not",
            )
    return [msgspec.structs.replace(leak, error=error * TWICE), _variety(found)], found


def _chance(found: list[Pair]) -> float:
    return sign_chance(sum(pair.sign > 0 for pair in found), sum(pair.sign < 0 for pair in found))


def _leak(found: list[Pair], error: float) -> Finding:
    nearer, farther = sum(pair.sign > 0 for pair in found), sum(pair.sign < 0 for pair in found)
    p = sign_chance(nearer, farther)
    counted = f"in {nearer} of {nearer + farther} pairs of states that look the same, worlds are nearer to the state they were drawn from"
    shows = next((pair for pair in found if pair.sign > 0), found[0])
    failed = p < error
    return Finding(
        test="no leak",
        code="honesty-leak",
        result=FAILED if failed else PASSED,
        message=f"worlds give away the truth: {counted} (chance of that in an honest game {p:.2g}), as {shows}: one of its worlds is "
        f"({fields_text(shows.from_one[0].copy_array()[0])}); determinize must redraw everything that observe erases"
        if failed
        else f"{counted}, about half as it should be (p = {p:.2g})",
        cases=len(found),
        error=error,
        p=p,
    )


def _variety(found: list[Pair]) -> Finding:
    stuck = sum(pair.stuck for pair in found)
    distinct = sum(len({bytes(world) for world in pair.from_one}) for pair in found) / len(found)
    failed = stuck == len(found)
    return Finding(
        test="variety",
        code="honesty-variety",
        result=FAILED if failed else PASSED,
        message=f"every world is the true state, in all {len(found)} pairs of different states that look the same, as {found[0]}; "
        "redraw, from rng, everything that observe erases"
        if failed
        else f"{distinct:.1f} different worlds in {WORLDS} draws on average, at full size",
        cases=len(found),
        # Two worlds as likely, WORLDS draws from each of two states: an honest game is stuck in a pair this often.
        error=0.5 ** (2 * WORLDS * len(found)),
    )
