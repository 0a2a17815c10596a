"""One state, every question: does each function answer as the contract says, and leave the state alone?

All of it runs uncompiled, on copies, so that Python's own errors are caught and nothing can be damaged.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from playout.checker.contract.at_once import look_at_pick, look_at_wins
from playout.checker.contract.findings import Broken, Findings, Spot, failure, fields_apart
from playout.checker.contract.keys import Keys, is_whole
from playout.checker.contract.watch import Watch
from playout.compile.records import slack
from playout.compile.source import own_functions, place_at
from playout.game.stream import Stream

Legal = tuple[int, ...]
ENCODED_STATES = 200
"""States whose encodings are asked for: big ones take longer than all the rest of a state."""


class Probe:
    """Asks the functions of one game about states, and records what is wrong with the answers.

    A thorough one asks every question twice, and compares; one that is not has more time for other states.
    """

    def __init__(self, findings: Findings, watch: Watch, thorough: bool = True) -> None:
        self.game, self.findings, self.watch, self.thorough = findings.game, findings, watch, thorough
        self.keys = Keys(self)
        self.looked = 0
        self.clicks = 0
        """Pairs of clicks on pictures that were asked about so far."""

    def call(self, role: str, spot: Spot, *arguments: Any, view: Any = None) -> Any:
        """One call; what the game raises becomes a finding."""
        try:
            answer = self.watch.call(role, self.game.functions[role], spot.view() if view is None else view, *arguments)
        except Exception as error:
            raise failure(self.findings, role, error, spot) from None
        if self.watch.wrapped:
            self.overflow(role, spot)
        return answer

    def overflow(self, role: str, spot: Spot) -> None:
        """A number that did not fit its field: the machine cuts it off, and nobody would ever know."""
        for found in self.watch.wrapped:
            where = place_at(own_functions(self.game, [role]), found.file, found.line) or self.findings.where(role)
            low, high = (int(bound) for bound in (np.iinfo(found.dtype).min, np.iinfo(found.dtype).max))
            kept = np.array([found.value & 0xFFFFFFFF], np.uint32).astype(found.dtype)[0]
            self.findings.problem(
                f"{role}-overflow",
                f"{where} stored {found.value} in state.{found.field}, {spot}; its {found.dtype} holds {low:,} to {high:,}, so that {kept} is "
                "left of it: give the field a wider type, or cut the number off yourself",
            )
        self.watch.wrapped.clear()

    def pure(self, role: str, spot: Spot, *arguments: Any) -> Any:
        """A call that must not change the state."""
        array = spot.copy()
        answer = self.call(role, spot, *arguments, view=self.game.view(array[0]))
        self._unchanged(role, spot, array)
        return answer

    def _unchanged(self, role: str, spot: Spot, array: np.ndarray[Any, Any]) -> None:
        if array.tobytes() != spot.array.tobytes():
            changed = ", ".join(fields_apart(array[0], spot.array[0]))
            self.problem(
                f"{role}-changes",
                role,
                f"changed the state (field {changed}), {spot}; only start and play may, so work on local variables",
            )

    def state(self, spot: Spot) -> tuple[int, Legal]:
        """Everything about one state but how it is shown: the mover and the legal actions."""
        if self.game.has("broken"):
            self.laws(spot)
        player = self.mover(spot)
        self.numbers("returns", spot)
        if self.game.has("evaluate"):
            self.numbers("evaluate", spot)
        for reward in self.game.rewards:
            self.numbers("returns_as", spot, reward)
            if self.game.has("evaluate_as"):
                self.numbers("evaluate_as", spot, reward)
        legal = self.legal(spot) if player >= 0 else ()
        self.keys.look(spot, player, legal)
        if self.game.has("patterns"):
            for viewer in range(self.game.players):
                self.patterns(spot, viewer)
        if self.game.has("encode") and self.looked < ENCODED_STATES:
            self.looked += 1
            for viewer in range(self.game.players):
                self.encode(spot, viewer)
        if player >= 0 and self.game.has("playout_action"):
            self.playout_action(spot, legal)
        if player >= 0 and self.game.has("prior"):
            self.prior(spot, legal)
        if player >= 0 and self.game.has("wins"):
            look_at_wins(self, spot, player, legal)
        if player >= 0 and self.game.has("pick"):
            look_at_pick(self, spot, legal)
        if self.game.has("observe"):
            for viewer in range(self.game.players):
                # It erases, in place and on a copy, what the viewer cannot tell: it may change what it is handed.
                self.call("observe", spot, viewer, view=self.game.view(spot.copy()[0]))
        if self.game.has("determinize") and not self.thorough:
            # Elsewhere the honesty audit asks it, and much more of it.
            for viewer in range(self.game.players):
                self.call("determinize", spot, viewer, Stream(spot.seed))
        return player, legal

    def laws(self, spot: Spot) -> None:
        """Whether every law holds; each that does not is a finding of its own."""
        number, most = self.pure("broken", spot), len(self.game.laws)
        if not is_whole(number) or not 0 <= number <= most:
            self.problem(
                "broken-range",
                "broken",
                f"returned {number!r} {spot}; return 0 while every law holds, or the number of a broken one from 1 to {most}",
            )
            raise Broken
        if self.thorough and self.pure("broken", spot) != number:
            self.differs("broken", spot)
        if number:
            role = "play" if spot.actions else "start"
            self.findings.problem("law-broken", law_words(self.findings, role, int(number), str(spot)), f"law-broken {number}")

    def mover(self, spot: Spot) -> int:
        player = self.pure("mover", spot)
        if not is_whole(player):
            self.problem(
                "mover-type",
                "mover",
                f"returned {player!r} {spot}; return a whole number: the player to act, or -1 when the game is over",
            )
            raise Broken
        if not -1 <= player < self.game.players:
            self.problem(
                "mover-range",
                "mover",
                f"returned {player} {spot}; players are 0 to {self.game.players - 1}, and -1 means that the game is over",
            )
            raise Broken
        if self.thorough and self.pure("mover", spot) != player:
            self.differs("mover", spot)
        return int(player)

    def legal(self, spot: Spot) -> Legal:
        game = self.game
        out, array = np.full(game.most_legal, -1, np.int64), spot.copy()
        try:
            count = self.watch.call("legal", game.functions["legal"], game.view(array[0]), out)
        except IndexError as error:
            self._too_many(spot, error)
        except Exception as error:
            raise failure(self.findings, "legal", error, spot) from None
        self._unchanged("legal", spot, array)
        if not is_whole(count):
            self.problem("legal-count", "legal", f"returned {count!r} {spot}; return how many ids it wrote, as a whole number")
            raise Broken
        if not 1 <= count <= game.most_legal:
            self._wrong_count(int(count), spot)
        ids = tuple(int(action) for action in out[:count])
        wrong = [action for action in ids if not 0 <= action < game.actions]
        if wrong:
            self.problem(
                "legal-range",
                "legal",
                f"gave action {wrong[0]} {spot}; ids go from 0 to {game.actions - 1}, so correct the id or raise actions",
            )
            raise Broken
        if len(set(ids)) != len(ids):
            twice = next(action for i, action in enumerate(ids) if action in ids[:i])
            self.problem("legal-duplicate", "legal", f"gave action {twice} more than once {spot}; write each legal id once")
        again = np.full(game.most_legal, -1, np.int64)
        if self.thorough and (self.pure("legal", spot, again) != count or tuple(again[:count]) != ids):
            self.differs("legal", spot)
        self.findings.most_legal = max(self.findings.most_legal, len(ids))
        return ids

    def _too_many(self, spot: Spot, error: IndexError) -> None:
        """An index error in `legal`: was it the buffer that was too small? A bigger one tells."""
        most = self.game.most_legal
        try:
            count = self.watch.call("legal", self.game.functions["legal"], spot.view(), np.full(4 * most + 1024, -1, np.int64))
        except Exception:
            raise failure(self.findings, "legal", error, spot) from None
        self.problem(
            "legal-many",
            "legal",
            f"wrote past its buffer of {most} and returned {count} {spot}; {self._more_room(count)}, or write fewer ids",
        )
        raise Broken

    def _more_room(self, count: Any) -> str:
        """What to declare so that so many ids fit: no state has more of them than there are at all."""
        if is_whole(count) and count > self.game.actions:
            return f"there are only {self.game.actions} ids, so raise actions to {count} or more"
        return f"declare most_legal = {count} or more"

    def _wrong_count(self, count: int, spot: Spot) -> None:
        most = self.game.most_legal
        if count == 0:
            self.problem(
                "legal-none",
                "legal",
                f"returned 0 while mover says that a player is to act, {spot}; return -1 from mover when the game is over, "
                "or give the player an action for passing",
            )
        elif count > most:
            self.problem("legal-many", "legal", f"returned {count} {spot}, but at most {most} fit; {self._more_room(count)}")
        else:
            self.problem("legal-count", "legal", f"returned {count} {spot}; return how many ids it wrote, 1 to {most}")
        raise Broken

    def numbers(self, role: str, spot: Spot, reward: str = "") -> None:
        """`returns`, `evaluate`, or those of a reward: a finite number for every player, within the declared range, always the same."""
        players, bounds = self.game.players, self.game.range_of(reward)
        tail, declared = (f" for reward {reward!r}", f"rewards[{reward!r}]") if reward else ("", "returns_range")
        asked = (self.game.reward_number(reward),) if reward else ()
        out, unwritten, again = np.zeros(players), np.full(players, math.nan), np.zeros(players)
        answers = [self.pure(role, spot, *asked, buffer) for buffer in (out, unwritten, again)[: 3 if self.thorough else 2]]
        if np.isnan(unwritten).all() and answers[0] is not None:
            self.problem(
                f"{role}-missing",
                role,
                f"returned {answers[0]!r} and wrote nothing into out{tail}, {spot}; it returns nothing, so write out[0] = ..., out[1] = ... and so on",
            )
            return
        for player in range(players):
            if not math.isfinite(out[player]):
                self.problem(
                    f"{role}-nan",
                    role,
                    f"gave {out[player]} to player {player}{tail} {spot}; give every player a finite number, "
                    "and look for a division by zero",
                )
            elif math.isnan(unwritten[player]):
                self.problem(
                    f"{role}-missing",
                    role,
                    f"left out[{player}] unwritten{tail}, or added to what was there, {spot}; the buffer arrives with old numbers in "
                    f"it, so write out[{player}] = ... for every player every time",
                )
            elif bounds is not None and not bounds[0] <= out[player] <= bounds[1]:
                self.problem(
                    f"{role}-range",
                    role,
                    f"gave {out[player]} to player {player}{tail} {spot}; {declared} says {bounds[0]:g} to {bounds[1]:g}, so widen "
                    "it or correct the number",
                )
        if self.thorough and not np.array_equal(out, again, equal_nan=True):
            self.differs(role, spot)

    def returns_now(self, spot: Spot) -> list[float]:
        """What `returns` says of a state."""
        out = np.zeros(self.game.players)
        self.pure("returns", spot, out)
        return [float(v) for v in out]

    def patterns(self, spot: Spot, viewer: int) -> None:
        """The ids of patterns: not more than declared, and each one of the weights."""
        out = np.full(slack(self.game.most_patterns), -1, np.int64)
        count = self.pure("patterns", spot, viewer, out)
        if not is_whole(count) or not 0 <= int(count) <= self.game.most_patterns:
            self.problem(
                "patterns-count",
                "patterns",
                f"returned {count!r} {spot}; return how many ids were written, at most the {self.game.most_patterns} of most_patterns",
            )
            return
        ids = out[: int(count)]
        if len(ids) and not 0 <= ids.min() <= ids.max() < self.game.pattern_weights:
            self.problem(
                "patterns-id",
                "patterns",
                f"wrote the id {ids.min() if ids.min() < 0 else ids.max()} {spot}; ids are from 0 to {self.game.pattern_weights - 1}, "
                "below pattern_weights",
            )

    def encode(self, spot: Spot, viewer: int) -> None:
        """What a network is shown: finite numbers, and always the same for what a player sees."""
        out = self.encoded(spot, viewer)
        if not np.isfinite(out).all():
            place = tuple(int(n) for n in np.argwhere(~np.isfinite(out))[0])
            self.problem(
                "encode-nan",
                "encode",
                f"wrote {out[place]} into out[{', '.join(map(str, place))}] for player {viewer} {spot}; networks take finite float32 numbers, so scale "
                "big ones, and look for a division by zero",
            )
        elif self.thorough and not np.array_equal(out, self.encoded(spot, viewer)):
            self.differs("encode", spot)

    def encoded(self, spot: Spot, viewer: int) -> np.ndarray[Any, Any]:
        """The encoding of what a player sees of a state, in zeros as it is always handed out."""
        seen = spot
        if self.game.has("observe"):
            seen = Spot(self.game, spot.seed, spot.actions, spot.copy())
            self.call("observe", spot, viewer, view=self.game.view(seen.array[0]))
        out = np.zeros(self.game.encoding, np.float32)
        self.pure("encode", seen, viewer, out)
        return out

    def playout_action(self, spot: Spot, legal: Legal) -> None:
        action = self.pure("playout_action", spot, _buffer(legal, self.game.most_legal), len(legal), Stream(spot.seed))
        if not is_whole(action) or int(action) not in legal:
            some = ", ".join(str(a) for a in legal[:12])
            self.problem(
                "playout_action-illegal",
                "playout_action",
                f"returned {action!r} {spot}, which is not legal there ({some}{', ...' if len(legal) > 12 else ''}); return one "
                "of legal[0] to legal[count - 1]",
            )
        if not self.thorough:
            return
        again = self.pure("playout_action", spot, _buffer(legal, self.game.most_legal), len(legal), Stream(spot.seed))
        if again != action:
            self.differs("playout_action", spot)

    def prior(self, spot: Spot, legal: Legal) -> None:
        out, unwritten = np.zeros(self.game.most_legal), np.full(self.game.most_legal, math.nan)
        for buffer in (out, unwritten):
            self.pure("prior", spot, _buffer(legal, self.game.most_legal), len(legal), buffer)
        weights = out[: len(legal)]
        if not np.all(np.isfinite(weights)) or np.any(weights < 0):
            bad = next(i for i, w in enumerate(weights) if not (math.isfinite(w) and w >= 0))
            self.problem(
                "prior-number",
                "prior",
                f"gave weight {weights[bad]} to action {legal[bad]} {spot}; weights are finite and 0 or more",
            )
        elif np.any(np.isnan(unwritten[: len(legal)])):
            missing = int(np.argmax(np.isnan(unwritten[: len(legal)])))
            self.problem(
                "prior-missing",
                "prior",
                f"left out[{missing}] unwritten, or added to what was there, {spot}; write out[i] = ... for every i below count",
            )
        elif not weights.any():
            self.problem("prior-zero", "prior", f"gave weight 0 to every action {spot}; give at least one a weight above 0")

    def problem(self, code: str, role: str, said: str) -> None:
        """Record what a function did wrong."""
        self.findings.problem(code, f"{self.findings.where(role)} {said}")

    def differs(self, role: str, spot: Spot) -> None:
        """Record that a function gave two answers to one question."""
        self.problem(
            f"{role}-differs",
            role,
            f"gave two answers to the same question {spot}; it must depend on its arguments alone, so remove globals that "
            "change, clocks and other random numbers",
        )


def law_words(findings: Findings, role: str, number: int, spot: str) -> str:
    """That a state breaks a law, and which."""
    return (
        f"{findings.where(role)} left law {number}, {findings.game.laws[number - 1]!r}, broken {spot}; correct what the last action did, or "
        f"{findings.where('broken')} where the law asks too much"
    )


def _buffer(legal: Legal, room: int) -> np.ndarray[Any, Any]:
    out = np.full(room, -1, np.int64)
    out[: len(legal)] = legal
    return out
