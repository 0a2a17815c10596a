"""Are the symmetries that a game declares ones of its rules?

A game is played at random beside its mirror image: as long as the encodings of the two are images of each other, so must be their legal
actions, and what each action leads to. Since not every game begins alike on both sides, states that are images of each other are
looked for among those that were met, too. A symmetry that only tells the same state in another way leads to no state at all, and cannot be tested.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from playout.checker.contract.findings import Spot
from playout.checker.contract.probe import Probe
from playout.errors import GameError
from playout.game.stream import PICKS, Stream
from playout.game.symmetry import Symmetries, symmetries_of

GAMES, STARTS = 24, 400
"""Games that are played beside their images, and games whose states are kept to look for images among them."""
TRIED = 4
"""Actions that are played in each pair of states."""
ENOUGH = 200
"""Pairs of states that are enough, found in either way."""

Array = np.ndarray[Any, Any]


class Mirrors:
    """Pairs of states of which one is the image of the other."""

    def __init__(self, probe: Probe, symmetries: Symmetries) -> None:
        self.probe, self.game, self.symmetries = probe, probe.game, symmetries
        self.pairs, self.most = 0, ENOUGH

    def look(self, seed: int, deadline: float) -> None:
        """Both ways to find pairs."""
        began = time.monotonic()
        for number in range(GAMES):
            self.side_by_side(1 + number % (self.symmetries.count - 1), seed + number, (began + deadline) / 2)
        # What was met side by side may all be its own image.
        self.among_met(seed, deadline)
        if not self.pairs:
            self.probe.findings.note(
                "symmetry-unseen",
                f"{self.probe.findings.where('mirror_encoding')} was not held against the rules: no two states that are images of each other were met",
            )

    def done(self, deadline: float) -> bool:
        return time.monotonic() > deadline or self.pairs >= self.most or bool(self.probe.findings.problems)

    def side_by_side(self, k: int, seed: int, deadline: float) -> None:
        """A game, and the game of its mirrored actions, with the same chance."""
        one, word = self.start(seed)
        other, choices = Spot(self.game, seed, [], one.copy()), Stream(seed, PICKS)
        player = self.probe.mover(one)
        while player >= 0 and self.mirrored(k, one, other) and not self.done(deadline):
            legal = self.compare(k, one, other, word)
            if not legal:
                return
            action = legal[choices.below(len(legal))]
            image = int(self.symmetries.actions[k, action])
            (one, word), (other, _) = self.after(one, word, action), self.after(other, word, image)
            player = self.probe.mover(one)

    def among_met(self, seed: int, deadline: float) -> None:
        """States of random play, and images of them that were met before."""
        met: dict[bytes, Spot] = {}
        self.most = self.pairs + ENOUGH
        for number in range(STARTS):
            spot, word = self.start(seed + number)
            choices = Stream(seed + number, PICKS)
            while self.probe.mover(spot) >= 0:
                if self.done(deadline):
                    return
                encoded = self.encoded(spot)
                for k in range(1, self.symmetries.count):
                    image = met.get(encoded.ravel()[self.symmetries.cells[k]].tobytes())
                    if image is not None:
                        self.compare(k, spot, image, word)
                met.setdefault(encoded.tobytes(), spot)
                legal = self.probe.legal(spot)
                spot, word = self.after(spot, word, legal[choices.below(len(legal))])

    def start(self, seed: int) -> tuple[Spot, int]:
        array, stream = np.zeros(1, self.game.dtype), Stream(seed)
        self.game.functions["start"](self.game.view(array[0]), stream)
        return Spot(self.game, seed, [], array), stream.word

    def after(self, spot: Spot, word: int, action: int) -> tuple[Spot, int]:
        array, stream = spot.copy(), Stream.at(word)
        self.probe.call("play", spot, action, stream, view=self.game.view(array[0]))
        return Spot(self.game, spot.seed, [*spot.actions, action], array), stream.word

    def encoded(self, spot: Spot) -> Array:
        """A state as its mover sees it, or at the end as the first player does."""
        return self.probe.encoded(spot, max(0, self.probe.mover(spot)))

    def mirrored(self, k: int, one: Spot, other: Spot) -> bool:
        return np.array_equal(self.encoded(one).ravel()[self.symmetries.cells[k]], self.encoded(other).ravel())

    def compare(self, k: int, one: Spot, other: Spot, word: int) -> tuple[int, ...]:
        """Whether two states that are images of each other have the same actions, and lead to the same; the legal actions of the first."""
        self.pairs += 1
        if self.probe.mover(other) < 0:
            self.problem(k, "symmetry-legal", one, other, "a player is to act in the one, and the other is over")
            return ()
        legal, others = self.probe.legal(one), set(self.probe.legal(other))
        images = {int(self.symmetries.actions[k, action]) for action in legal}
        if images != others:
            self.problem(
                k,
                "symmetry-legal",
                one,
                other,
                f"the legal actions of the one become {sorted(images)}, and the other's are {sorted(others)}",
            )
            return ()
        for action in legal[:: max(1, len(legal) // TRIED)]:
            self.compare_play(k, one, other, word, action)
        return legal

    def compare_play(self, k: int, one: Spot, other: Spot, word: int, action: int) -> None:
        image = int(self.symmetries.actions[k, action])
        (first, drawn), (second, also) = self.after(one, word, action), self.after(other, word, image)
        if drawn != word or also != word or self.game.has("observe"):
            return  # what chance or a hidden card brings need not be the image
        said = f"action {action} in the one and its image {image} in the other lead to states"
        if (self.probe.mover(first) < 0) != (self.probe.mover(second) < 0):
            self.problem(k, "symmetry-play", one, other, f"{said} of which one is over and the other is not")
        elif self.paid(one, first) != self.paid(other, second):
            self.problem(
                k, "symmetry-play", one, other, f"{said} with returns of {self.paid(one, first)} and {self.paid(other, second)}"
            )
        elif not any(self.mirrored(j, first, second) for j in (k, *range(self.symmetries.count))):
            self.problem(k, "symmetry-play", one, other, f"{said} that are no images of each other")

    def paid(self, before: Spot, after: Spot) -> list[float]:
        """The returns from the player on who acted."""
        paid, player = self.probe.returns_now(after), self.probe.mover(before)
        return paid[player:] + paid[:player]

    def problem(self, k: int, code: str, one: Spot, other: Spot, said: str) -> None:
        role = "mirror_action" if code == "symmetry-legal" else "mirror_encoding"
        self.probe.findings.problem(
            code,
            f"{self.probe.findings.where(role)}: symmetry {k} is none of the rules: the encoding of the state {one.way()} becomes that of the one {other.way()}, "
            f"and {said}; correct mirror_encoding or mirror_action, encode more, or declare fewer symmetries",
        )


def check_mirrors(probe: Probe, seed: int, seconds: float) -> None:
    """The symmetries of a game, where it declares some: first whether they are tables, then whether the rules keep to them."""
    if probe.game.symmetries == 1 or probe.findings.problems:
        return
    try:
        symmetries = symmetries_of(probe.game)
    except GameError as error:
        probe.findings.problem("symmetry-table", f"{probe.findings.where('mirror_encoding')}: {error}")
        return
    if symmetries is not None:
        Mirrors(probe, symmetries).look(seed, time.monotonic() + seconds)
