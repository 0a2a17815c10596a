"""Random play, uncompiled: every state on the way is probed, and every action played again to see that only the seed decides."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from playout.checker.contract.findings import Broken, Findings, Spot, failure
from playout.checker.contract.mirrors import check_mirrors
from playout.checker.contract.probe import Probe
from playout.checker.contract.shown import check_names, check_shown
from playout.checker.contract.watch import PATIENCE, Stuck, Watch
from playout.game.record import field_names
from playout.game.stream import PICKS, Stream

LONGEST = 50_000
"""Actions after which a random game counts as endless."""
SHOWN_STATES = 200
"""States whose drawings are asked for; besides them, the first and the last state of every game."""


NAMED_STATES = 20
"""States whose actions are asked for their names, by one that is not thorough."""
MIRRORS = 0.2
"""The part of the time, on top of it, in which games are played beside their mirror images."""
MORE = 2.0
"""Seconds beside those of the check, to see whether the first game ends."""


def walk(findings: Findings, seed: int, states: int, seconds: float, tell: Callable[[float], None], after: int = 0) -> None:
    """Play games until so many states are seen, or the time is up; of each game those after so many actions."""
    with Watch(findings, min(PATIENCE, max(1.0, seconds))) as watch:
        probe = Probe(findings, watch)
        Walker(probe, states, seconds, MORE, tell, after).games(seed)
        mirrors(probe, seed, MIRRORS * seconds)
    if not findings.has("source-print"):
        watch.say_printed(findings.problem)


def mirrors(probe: Probe, seed: int, seconds: float) -> None:
    """The symmetries, in a time of their own."""
    try:
        check_mirrors(probe, seed, seconds)
    except Broken:
        return
    except Stuck:
        probe.watch.report()


class Walker:
    """Random games, state by state; one that is not thorough looks at each state once, and at names of actions a few times."""

    def __init__(
        self, probe: Probe, states: int, seconds: float, more: float, tell: Callable[[float], None], after: int = 0
    ) -> None:
        self.probe, self.states, self.more, self.tell, self.after = probe, states, more, tell, after
        self.findings, self.watch, self.rules = probe.findings, probe.watch, probe.game
        self.deadline = time.monotonic() + seconds
        self.shown = 0

    def games(self, seed: int) -> None:
        """One game after the other, each from the next seed."""
        try:
            while self.game(seed) and self.wanted():
                seed += 1
        except Broken:
            return
        except Stuck:
            self.watch.report()

    def wanted(self) -> bool:
        """Whether more states should be looked at; one whole game is wanted in any case."""
        return self.findings.states < self.states and time.monotonic() < self.deadline

    def game(self, seed: int) -> bool:
        """One random game from its start; False when it had to be left unfinished."""
        spot, word = self.start(seed)
        choices = Stream(seed, PICKS)
        while len(spot.actions) < self.after:
            player = self.probe.mover(spot)
            if player < 0:
                self.findings.game_ended(len(spot.actions))
                return True
            legal = self.probe.legal(spot)
            action = legal[choices.below(len(legal))]
            array, word = self.play(spot, word, action)
            spot = Spot(self.rules, seed, [*spot.actions, action], array)
        while True:
            if self.wanted() or len(spot.actions) == self.after:
                self.findings.states += 1
                self.tell(self.findings.states / self.states)
                player, legal = self.probe.state(spot)
                self.show(spot, legal, player)
                if player < 0:
                    break
                action = legal[choices.below(len(legal))]
                spot, word = self.step(spot, word, action, legal)
            else:
                if self.findings.playouts or self.hurry(spot, word, choices):
                    return False
                break
            if len(spot.actions) >= LONGEST:
                self.endless(spot)
                return False
        self.findings.game_ended(len(spot.actions))
        if self.findings.first is None:
            self.findings.first = seed, tuple(spot.actions)
        return True

    def start(self, seed: int) -> tuple[Spot, int]:
        """The first state, made twice."""
        made = []
        for _ in range(2):
            array, stream = np.zeros(1, self.rules.dtype), Stream(seed)
            try:
                self.watch.call("start", self.rules.functions["start"], self.rules.view(array[0]), stream)
            except Exception as error:
                raise failure(self.findings, "start", error, None) from None
            made.append((array, stream.word))
        spot = Spot(self.rules, seed, [], made[0][0])
        if self.watch.wrapped:
            self.probe.overflow("start", spot)
        if made[0][0].tobytes() != made[1][0].tobytes():
            self.random("start", spot, made[1][0])
        return spot, made[0][1]

    def play(self, spot: Spot, word: int, action: int) -> tuple[np.ndarray[Any, Any], int]:
        array, stream = spot.copy(), Stream.at(word)
        self.probe.call("play", spot, action, stream, view=self.rules.view(array[0]))
        return array, stream.word

    def step(self, spot: Spot, word: int, action: int, legal: tuple[int, ...]) -> tuple[Spot, int]:
        """Play an action; and again at once, and again after another action was played on another copy."""
        array, after = self.play(spot, word, action)
        nxt = Spot(self.rules, spot.seed, [*spot.actions, action], array)
        again, after_again = self.play(spot, word, action)
        if again.tobytes() != array.tobytes() or after_again != after:
            self.random("play", nxt, again)
        elif len(legal) > 1 and self.probe.thorough:
            self.play(spot, word, legal[0] if action != legal[0] else legal[1])
            third, _ = self.play(spot, word, action)
            if third.tobytes() != array.tobytes():
                self.findings.problem(
                    "copy-shared",
                    f"{self.findings.where('play')} gave another result for action {action} after a different action was played "
                    f"on a copy, {spot}; two copies of a state must not share anything, so keep everything in the state and "
                    "nothing in globals",
                )
        if array.tobytes() == spot.array.tobytes():
            self.findings.note(
                "play-nothing",
                f"{self.findings.where('play')} changed nothing for action {action} {spot}; if that is no pass, something "
                "is missing",
            )
        return nxt, after

    def random(self, role: str, spot: Spot, other: np.ndarray[Any, Any]) -> None:
        names = [n for n in field_names(other.dtype) if not np.array_equal(other[0][n], spot.array[0][n])]
        what = f"field {', '.join(names)}" if names else "the stream"
        self.findings.problem(
            f"{role}-differs",
            f"{self.findings.where(role)} gave two results for the same seed ({what}), {spot}; chance may only come from "
            "below(rng, n) and uniform(rng), so use no random, np.random, clock or global that changes",
        )

    def show(self, spot: Spot, legal: tuple[int, ...], player: int) -> None:
        if self.probe.thorough and (self.shown < SHOWN_STATES or not spot.actions or player < 0):
            self.shown += 1
            check_shown(self.probe, spot, legal)
        elif not self.probe.thorough and self.shown < NAMED_STATES and self.rules.has("action_name"):
            self.shown += 1
            check_names(self.probe, spot, legal)

    def hurry(self, spot: Spot, word: int, choices: Stream) -> bool:
        """Play on without looking, to see whether the first game ends; True when it was left unfinished."""
        rules, out = self.rules, np.zeros(self.rules.most_legal, np.int64)
        array, stream, actions = spot.copy(), Stream.at(word), list(spot.actions)
        view = rules.view(array[0])
        here = Spot(rules, spot.seed, actions, array)
        # The checks may have taken all the time there was; playing on is quick, so it gets a little of its own.
        self.deadline = max(self.deadline, time.monotonic() + self.more)
        while self.probe.call("mover", here, view=view) >= 0:
            if len(actions) >= LONGEST:
                self.endless(here)
                return True
            if time.monotonic() > self.deadline:
                self.findings.note(
                    "unfinished",
                    f"no game ended within the {len(actions):,} actions that the time allowed; give the check more seconds to "
                    "see whether one does",
                )
                return True
            count = int(self.probe.call("legal", here, out, view=view))
            if not 1 <= count <= len(out):
                self.probe.legal(here)
            action = int(out[choices.below(count)])
            self.probe.call("play", here, action, stream, view=view)
            actions.append(action)
        spot.actions[:] = actions
        self.probe.state(Spot(rules, spot.seed, actions, array))
        return False

    def endless(self, spot: Spot) -> None:
        self.findings.problem(
            "endless",
            f"{self.findings.where('mover')} had not returned -1 after {LONGEST:,} actions of random play from seed {spot.seed} "
            f"({spot}); count the moves in the state and end the game at a limit, or check when mover returns -1",
        )
