"""Keys: what stands for a position must be a number, always the same one, and only for positions that are alike.

A key may leave out what does not matter, so two states with one key need not be equal. They must go on alike: with the same actions and
the same chance they have the same movers, legal actions and returns to the end. That is tried where it turns up.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.checker.contract.findings import Broken, Findings, Spot, fields_apart
from playout.checker.contract.report import Problem
from playout.checker.contract.watch import PATIENCE, Stuck, Watch
from playout.game.stream import PICKS, Stream

if TYPE_CHECKING:
    from playout.checker.contract.probe import Legal, Probe
    from playout.game.game import Game

MOST_COMPARED, MOST_STEPS = 40, 60
"""Pairs that are played on, and for how many actions."""


class Keys:
    """The keys that were seen so far, each with the state that had it first."""

    def __init__(self, probe: Probe) -> None:
        self.probe, self.game = probe, probe.game
        self.compared, self.most = 0, MOST_COMPARED if probe.thorough else MOST_COMPARED // 5
        self._keys: dict[int, tuple[int, Legal, Spot]] = {}
        self._turned: dict[int, tuple[tuple[int, int, tuple[float, ...]], str]] = {}
        self._canonical_of: dict[int, int] = {}

    def look(self, spot: Spot, player: int, legal: Legal) -> None:
        """Both kinds, where the game has them."""
        if self.game.has("key"):
            self.key(spot, player, tuple(sorted(legal)))
        if self.game.has("canonical"):
            self.canonical(spot, player, legal)

    def word(self, role: str, spot: Spot) -> int | None:
        """The answer of `key` or `canonical`, where it is a number of 64 bits."""
        value = self.probe.pure(role, spot)
        if not is_whole(value):
            self.probe.problem(f"{role}-type", role, f"returned {value!r} {spot}; return a whole number of 64 bits")
            return None
        number = int(value)
        if not -(1 << 63) <= number < 1 << 64:
            self.probe.problem(
                f"{role}-range",
                role,
                f"returned {number}, which does not fit 64 bits, {spot}; compiled it would wrap, so mix the fields with ^ and "
                "shifts, or take a Zobrist key",
            )
            return None
        if self.probe.thorough and self.probe.pure(role, spot) != value:
            self.probe.differs(role, spot)
        return number

    def key(self, spot: Spot, player: int, legal: Legal) -> None:
        number = self.word("key", spot)
        if number is None:
            return
        first = self._keys.setdefault(number & ((1 << 64) - 1), (player, legal, spot))
        if (player, legal) != first[:2]:
            what = "different players to act" if player != first[0] else "different legal actions"
            self._shared(number, first[2], spot, f"with {what}")
        elif first[2].array.tobytes() != spot.array.tobytes() and self.compared < self.most and not self.game.hidden:
            # Where something is hidden, a key may stand for what a player sees, and states that look alike go on differently.
            self.compared += 1
            what = self.apart(first[2], spot)
            if what:
                self._shared(number, first[2], spot, what)
            else:
                names = ", ".join(fields_apart(first[2].array[0], spot.array[0]))
                self.probe.findings.note(
                    "key-shares",
                    f"{self.probe.findings.where('key')} is the same for states that differ in {names}: the one {first[2].way()} and the one "
                    f"{spot.way()}; played on alike they ended alike, so that seems not to matter",
                )

    def _shared(self, number: int, one: Spot, other: Spot, what: str) -> None:
        names = ", ".join(fields_apart(one.array[0], other.array[0]))
        self.probe.problem(
            "key-collision",
            "key",
            f"gave {number} to two states {what}: the one {one.way()} and the one {other.way()}, which differ in {names}; put everything "
            "that matters, the mover included, into the key",
        )

    def apart(self, one: Spot, other: Spot) -> str:
        """In what two states with one key differ, now or further on, with the same actions and chance; empty if in nothing."""
        choices, word = Stream(one.seed, PICKS), Stream(one.seed).word
        actions: list[int] = []
        sides = [Spot(self.game, spot.seed, list(spot.actions), spot.copy()) for spot in (one, other)]
        for _ in range(MOST_STEPS):
            (player, legal, paid), facts = (self._facts(side) for side in sides)
            after = (
                f"that differ after action{'s' * (len(actions) > 1)} {', '.join(map(str, actions))}: they have"
                if actions
                else "with"
            )
            if paid != facts[2]:
                return f"{after} different returns ({list(paid)} and {list(facts[2])})"
            if player != facts[0]:
                return f"{after} different players to act"
            if legal != facts[1]:
                return f"{after} different legal actions"
            if player < 0:
                break
            actions.append(legal[choices.below(len(legal))])
            words = [self._play(side, actions[-1], word) for side in sides]
            if words[0] != words[1]:
                return f"that differ after action{'s' * (len(actions) > 1)} {', '.join(map(str, actions))}: they draw different chance"
            word = words[0]
        return ""

    def _facts(self, spot: Spot) -> tuple[int, Legal, tuple[float, ...]]:
        out, player = np.zeros(self.game.most_legal, np.int64), int(self.probe.call("mover", spot))
        count = int(self.probe.call("legal", spot, out)) if player >= 0 else 0
        return player, tuple(sorted(int(action) for action in out[:count])), tuple(self.probe.returns_now(spot))

    def _play(self, spot: Spot, action: int, word: int) -> int:
        stream = Stream.at(word)
        self.probe.call("play", spot, action, stream, view=self.game.view(spot.array[0]))
        spot.actions.append(action)
        return stream.word

    def canonical(self, spot: Spot, player: int, legal: Legal) -> None:
        """States with the same canonical must be alike, and a state may not have two."""
        number = self.word("canonical", spot)
        if number is None:
            return
        shape = (player, len(legal), tuple(self.probe.returns_now(spot)))
        known = self._turned.setdefault(number, (shape, spot.way()))
        if shape != known[0]:
            what = "different players to act" if player != known[0][0] else "different numbers of legal actions"
            what = "different returns" if shape[:2] == known[0][:2] else what
            self.probe.problem(
                "canonical-differs",
                "canonical",
                f"gave {number} to two states with {what}: the one {known[1]} and the one {spot.way()}; only states that mirror "
                "each other may share it",
            )
        if self.game.has("key"):
            before = self._canonical_of.setdefault(int(self.probe.pure("key", spot)), number)
            if before != number:
                self.probe.problem(
                    "canonical-key",
                    "canonical",
                    f"gave {before} and {number} to states with the same key, {spot}; it must be a function of the position alone",
                )


def judged(game: Game, pair: Sequence[tuple[list[int], np.ndarray[Any, Any]]]) -> Problem | None:
    """What is wrong with one key for two states, each with the actions that led to it from the state that is searched; None for nothing."""
    from playout.checker.contract.probe import Probe

    findings = Findings(game)
    one, other = (Spot(game, 0, actions, array, "the searched state") for actions, array in pair)
    with np.errstate(all="ignore"), Watch(findings, PATIENCE) as watch, contextlib.suppress(Broken, Stuck):
        keys = Probe(findings, watch, thorough=False).keys
        number = keys.word("key", one)
        if number is not None and number == keys.word("key", other):
            what = keys.apart(one, other)
            if what:
                keys._shared(number, one, other, what)
    return next(iter(findings.problems.values()), None)


def is_whole(value: Any) -> bool:
    """Whether an answer is a whole number, which True is not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
