"""Worlds carried on: those of one moment, played on to the next, must be the worlds of the next.

A player has worlds before an action and worlds after it. Those before, played on and kept where the player then sees what it saw, are
what it takes for possible afterwards: so they are held against what `determinize` gives there. One step at a time this costs
hardly anything, however large the game is, and every step of a game can be looked at from every seat; `past` has to find whole
courses that fit, and seldom does in a large game. What comes up afterwards and is never carried there was ruled out by what the player
saw: the sampler *forgets*. A leak that begins late shows, too: before it worlds were many, and then they are few.

Where worlds are at hand, two more things are asked that cost little: whether `determinize` gives the same worlds for another state that looks the
same to the player, and whether pictures and names are the same.

What it cannot see is a flaw that is there from the deal on and always the same: then all steps fit each other. Others' actions are taken as
in `playout.by_rejection`: those seen were possible, and where several look the same nothing is said of how likely worlds are, only of
what can be. A player who waits while others can act unseen does not know where it stands, and such moments are passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from playout.checker.contract.findings import fields_text
from playout.checker.honesty.chosen import Chooser
from playout.checker.honesty.lines import ACTS, OVER, WAITS, Course, Line, long_course
from playout.checker.honesty.numbers import fisher_chance
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding, Spent, clock
from playout.checker.honesty.show import same_encodings, same_pictures
from playout.checker.honesty.signs import Sign, copies, missing, most_different, shows, tally, words
from playout.compile import bind
from playout.compile.records import new_stream, pool, set_word, word_of
from playout.engine import consistent
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.lived import Lived
from playout.game.state import State
from playout.game.stream import AUDIT_STEPS, AUDIT_TWINS, Stream
from playout.planner.rejection import as_past, make_room

Array = np.ndarray[Any, Any]
HEAP, FEWEST, TRIES = (64, 24), (16, 10), (24_000, 150)
"""Worlds of each kind at a step, the fewest that say anything, and those that are carried on to have so many; compiled and not."""
MORE = 4
"""So many times more are drawn for a second look."""
DEEP, DEEPER = 4, 8
"""Every so manieth step is looked at with so many times more worlds: most steps find what is quite wrong somewhere, these what is a
little wrong everywhere."""
OFTEN, SOME = 3, 16
"""At every so manieth step, and at all at which worlds cannot be carried on, worlds of the true state are held against those of another, one of
so many."""
TWIN, FOR_TWINS = 4, 0.25
"""So many times more worlds are held against those of a twin, for so much of the time."""
PICTURES = 0.15
"""The part of the time in which pictures and names are compared."""
SUSPICIOUS = 0.02
"""How unlikely a step must be for a second look, with fresh worlds and at one value only."""
TRIAL = 16
"""Where nothing fits in so small a part of the tries, the rest is saved."""
COPIES = 3.2
"""Where another had a choice, odds may differ by so much: whoever holds three copies of a card may be thought three times as likely to
play one, and a game that tells cards by their kind has actions that do not say which copy it was. Only where there may be copies."""
ENDS = {ACTS: consistent.ACTS, OVER: consistent.OVER, WAITS: consistent.AT_ONCE}
CURE = "keep in the state what a player was shown, leave it in observe, and let determinize go by it"
RULED_OUT = {
    True: f"rules it out, so determinize forgets it; {CURE}",
    False: f"leaves it out, and so did what it knew before, so determinize forgets it; {CURE}",
}
"""By whether it could be before."""
PERHAPS = {
    True: f"the true state has it: perhaps determinize looks at what is hidden; or it forgets what was seen earlier ({CURE}), or does not draw "
    "every deal that fits with its own chance, here or before",
    False: f"perhaps determinize forgets what was seen earlier ({CURE}), or does not draw every deal that fits with its own chance, here or before",
}
"""By whether the true state has what too many worlds have."""


class Carrier:
    """Carries worlds of one game on; made once, which compiles the kernel."""

    def __init__(self, game: Game, compiled: bool) -> None:
        self.game, self.compiled = game, compiled and game.compiled
        self._run = bind(game, self.compiled).kernel(consistent.carried)
        self._array = np.zeros(consistent.PLACES, game.dtype)
        self._room = make_room(self._array, self.compiled, game.most_legal)
        self._rng = new_stream(self.compiled)
        start = Course(game, Stream(), led=False).moment(0, 0)
        self.worlds(start, start, 1, Stream(), 1)

    def worlds(
        self, begin: Line, end: Line, count: int, stream: Stream, tries: int, random: int = 0, truth: Array | None = None
    ) -> Array:
        """Worlds of the first moment that look like the second once they are there; with one moment, those of `determinize`. `truth` is
        another state than the true one, that looks like it at the first moment."""
        events = begin.past.events
        seen = max(place for place, event in enumerate(events) if isinstance(event, bytes))
        rest = Lived(end.past.events[seen:], end.past.seen, 0)
        past = as_past(rest, end.player, ENDS[end.stands], random=random)
        self._array[consistent.KEPT] = begin.state.copy_array()[0] if truth is None else truth
        return self._fill(past, len(events) - seen, count, stream, tries)

    def courses(self, line: Line, count: int, stream: Stream, tries: int, random: int = 0) -> Array:
        """Worlds that are right by construction: of courses from the deal on that look to the player like its past."""
        past = as_past(line.past, line.player, {**ENDS, WAITS: consistent.WAITS}[line.stands], random=random)
        return self._fill(past, 0, count, stream, tries)

    def deals(self, player: int, count: int, stream: Stream) -> tuple[Array, Array]:
        """True states as a game begins, and a world of each."""
        nothing = bytes(self.game.dtype.itemsize)
        both = self._fill(as_past(Lived((nothing,), nothing, 0), player, consistent.ACTS), -1, 2 * count, stream, count)
        return both[::2], both[1::2]

    def _fill(self, past: consistent.Past, event: int, count: int, stream: Stream, tries: int) -> Array:
        array = np.zeros(count, self.game.dtype)
        set_word(self._rng, stream.word)
        with np.errstate(over="ignore"):
            found = int(self._run(past, self._room, self._rng, event, 0, pool(array, self.compiled), tries))
        stream.word = word_of(self._rng)
        return array[:found]

    def told(self) -> tuple[bool, bool]:
        """Since this was last asked: whether two actions of another looked the same, and whether another could act unseen at the
        first of two moments."""
        found = bool(self._room.alike[0]), bool(self._room.alike[2])
        self._room.alike[:] = 0
        return found


def carrier(game: Game, compiled: bool) -> Carrier:
    """One, uncompiled where the game does not compile."""
    try:
        return Carrier(game, compiled)
    except PlayoutError:
        if not compiled:
            raise
        return Carrier(game, False)


class Steps:
    """What was found over all steps so far."""

    def __init__(self, game: Game, seed: int, error: float, worlds: Carrier, after: int = 0) -> None:
        self.game, self.seed, self.error, self.carrier = game, seed, error, worlds
        place = 0 if self.carrier.compiled else 1
        self.heap, self.fewest, self.tries = HEAP[place], FEWEST[place], TRIES[place]
        self.chooser = Chooser(game, after)
        self.tried = self.held = self.late = self.private = self.doubted = 0
        self.smallest, self.began, self.pictures = 1.0, clock(), 0.0

    def twins(self, pairs: Sequence[tuple[Line, Line]], deadline: float) -> Finding | None:
        """Worlds of two true states with one past for a player, while there is time; what fails, if anything does."""
        for number, (one, two) in enumerate(pairs):
            if clock() > deadline:
                break
            stream = Stream(self.seed, AUDIT_TWINS, number)
            mine = self.carrier.worlds(one, one, TWIN * self.heap, stream, TWIN * self.heap)
            finding = self._leaks(one, mine, two.state.copy_array(), stream) if len(mine) >= self.fewest else None
            if finding is not None:
                return finding
        return None

    def run(self, deadline: float) -> Finding | None:
        """Look at steps until there is no more time; what fails, if anything does."""
        number = 0
        while clock() < deadline:
            stream = Stream(self.seed, AUDIT_STEPS, number)
            course = long_course(self.game, stream, number)
            for begin, end, private in self.chooser.pick(course, stream):
                try:
                    finding = self._hold(begin, end, private, stream)
                except Spent as found:
                    finding = Finding(test="shown", code=found.code, result=FAILED, message=found.message)
                if finding is not None or clock() > deadline:
                    return finding
            number += 1
        return None

    def _hold(self, begin: Line, end: Line, private: bool, stream: Stream) -> Finding | None:
        """One step: worlds that were carried there against worlds that are drawn there."""
        self.tried += 1
        size = DEEPER if self.carrier.compiled and self.tried % DEEP == 0 else 1
        self.carrier.told()
        mine = self.carrier.worlds(end, end, size * self.heap, stream, size * self.heap)
        right = self._carried(begin, end, size * self.heap, stream, min(size, 2) * self.tries)
        unsure = self.carrier.told()[1]
        few = unsure or len(right) < self.fewest
        if len(mine) < self.fewest:
            return None
        others = mine if few else right
        self._shown(end, others[0])
        leak = self._leaks(end, mine, others, stream) if few or self.tried % OFTEN == 0 else None
        if few or leak is not None:
            return leak
        self.held, self.late, self.private = self.held + 1, self.late + (end.phase == 2), self.private + private
        worst = most_different(self.game, mine, right)
        if worst is None:
            return None
        self.smallest = min(self.smallest, worst[0])
        return self._ask_again(begin, end, worst[1], right, stream) if worst[0] < SUSPICIOUS else None

    def _shown(self, end: Line, world: Any) -> None:
        """Raise what is drawn, or called by a name, otherwise than in a world; for a part of the time."""
        began = clock()
        if self.pictures < PICTURES * (began - self.began):
            other = State(self.game, np.array([world], self.game.dtype), 1)
            same_pictures(end.state, other, end.player, end.stands == ACTS, end, "one that looks the same to that player")
            same_encodings(end.state, other, end.player, end, "one that looks the same to that player")
            self.pictures += clock() - began

    def _leaks(self, end: Line, mine: Array, others: Array, stream: Stream) -> Finding | None:
        """Worlds of the true state against worlds of another that looks the same to the player: `determinize` may not know which it is."""
        true = bytes(end.state)
        different = [world for world in others[:SOME] if world.tobytes() != true]
        if not different:
            return None
        other = different[stream.below(len(different))]
        worst = most_different(self.game, mine, self.carrier.worlds(end, end, len(mine), stream, len(mine), truth=other))
        if worst is None or worst[0] >= SUSPICIOUS:
            return None
        self.doubted += 1
        heap, sign = MORE * len(mine), worst[1]
        heaps = [self.carrier.worlds(end, end, heap, stream, heap, truth=truth) for truth in (None, other)]
        p = fisher_chance(*(number for worlds in heaps for number in (shows(worlds, sign), len(worlds))))
        if p > self.error / (self.doubted * (self.doubted + 1)):
            return None
        one, two = (shows(worlds, sign) / len(worlds) for worlds in heaps)
        message = (
            f"worlds give away the truth {end}: {words(self.game, sign)} in {one:.0%} of them, and in {two:.0%} of those of ({fields_text(other)}), "
            f"which that player cannot tell from it (chance of that in an honest game {p:.2g}); determinize may use only what observe leaves, so "
            "redraw the rest with chances that do not depend on it"
        )
        return Finding(test="no leak", code="honesty-leak", result=FAILED, message=message, p=p)

    def _carried(self, begin: Line, end: Line, count: int, stream: Stream, tries: int) -> Array:
        """Worlds that were carried on, unless hardly any gets there."""
        few = self.carrier.worlds(begin, end, count, stream, tries // TRIAL)
        if len(few) in (0, count):
            return few
        more = self.carrier.worlds(begin, end, count - len(few), stream, tries - tries // TRIAL)
        return np.concatenate([few, more])

    def _ask_again(self, begin: Line, end: Line, sign: Sign, first: Array, stream: Stream) -> Finding | None:
        """Fresh worlds of both kinds, at the one value that looked off; then by the other conventions."""
        self.doubted += 1
        heap, tries = MORE * len(first), MORE * self.tries
        mine = self.carrier.worlds(end, end, heap, stream, heap)
        right = self.carrier.worlds(begin, end, heap, stream, tries)
        # Once more: the first look may have met no world in which somebody could act unseen.
        alike, unsure = self.carrier.told()
        if unsure or len(right) < self.fewest:
            return None
        got, due = shows(mine, sign), shows(right, sign)
        p = fisher_chance(got, len(mine), due, len(right))
        level = self.error / (self.doubted * (self.doubted + 1))
        if p > level:
            return None
        right = np.concatenate([first, right])
        if shows(right, sign) == 0:
            # Rarely is not never: this is what a player is told, so it is looked at far longer.
            right = np.concatenate([right, self.carrier.worlds(begin, end, MORE * heap, stream, MORE * tries)])
        never = shows(right, sign) == 0
        alike = alike or self.carrier.told()[0]
        told = self._chosen_by_others(begin, end) and odds_ratio(mine, right, sign) < COPIES and copies(self.game, right)
        if not never and (alike or told):
            return None
        if not never and self.game.players > 1:
            # A sampler that goes by one of these is doubted often, so each of them gets the whole benefit of the doubt.
            for random in (1, self.game.most_legal):
                other = self.carrier.worlds(begin, end, heap, stream, 8 * tries, random)
                if len(other) < self.fewest or fisher_chance(got, len(mine), shows(other, sign), len(other)) > level:
                    return None
        return self._failed(begin, end, sign, mine, right, p, stream)

    def _chosen_by_others(self, begin: Line, end: Line) -> bool:
        """Whether somebody else acted on the way."""
        return any(mover != end.player for mover in end.course.movers[begin.step : end.step])

    def _failed(self, begin: Line, end: Line, sign: Sign, mine: Array, right: Array, p: float, stream: Stream) -> Finding:
        sign = _ruled_out(self.game, mine, right) or sign
        share, due = shows(mine, sign) / len(mine), shows(right, sign) / len(right)
        before = self.carrier.worlds(begin, begin, len(mine), stream, len(mine))
        could, true = len(before) > 0 and shows(before, sign) > 0, shows(end.state.copy_array(), sign) > 0
        example = next((world for world in mine if shows(world[None], sign)), mine[0])
        action = f"action {begin.step + 1}" if end.step == begin.step + 1 else f"actions {begin.step + 1} to {end.step}"
        fits = f"of {len(right):,} worlds from before {action} that fit what was seen since"
        if due == 0:
            code, why = "honesty-forgets", f"none {fits} has it: what the player saw then {RULED_OUT[could]}"
        else:
            code, why = "honesty-weights", f"{due:.0%} {fits} have it (chance of that {p:.2g}); {PERHAPS[share > due and true]}"
        message = (
            f"worlds do not follow from those of the moment before, {end}: {words(self.game, sign)} in {share:.0%} of them, as in "
            f"({fields_text(example)}); {why}"
        )
        return Finding(test="past views", code=code, result=FAILED, message=message, p=p)


def odds_ratio(mine: Array, right: Array, sign: Sign) -> float:
    """How many times the odds of a value differ between two heaps, at least 1; half a case is added to each, so that there is an answer."""
    odds = [(shows(heap, sign) + 0.5) / (len(heap) - shows(heap, sign) + 0.5) for heap in (mine, right)]
    return max(odds[0] / odds[1], odds[1] / odds[0])


def _ruled_out(game: Game, mine: Array, right: Array) -> Sign | None:
    """What no world that was carried on has, and too many of those that are drawn have for that to be chance; or lacks, where all have it."""
    counted = tally(game, mine, right)
    never = {sign: got for sign, (got, due) in counted.items() if due == 0}
    never |= {missing(sign): len(mine) - got for sign, (got, due) in counted.items() if due == len(right)}
    sign = max(never, key=lambda sign: (never[sign], repr(sign)), default=None)
    return sign if sign is not None and fisher_chance(never[sign], len(mine), 0, len(right)) * len(never) < 0.001 else None


def carried_on(
    game: Game,
    seed: int,
    error: float,
    seconds: float,
    worlds: Carrier,
    after: int = 0,
    pairs: Sequence[tuple[Line, Line]] = (),
) -> list[Finding]:
    """The finding: what fails, or how many steps fit. `pairs`: states that look the same to a player, with what led to them."""
    looked, began = Steps(game, seed, error, worlds, after), clock()
    finding = looked.twins(pairs, began + FOR_TWINS * seconds) or looked.run(began + seconds)
    if finding is not None:
        return [msgspec.structs.replace(finding, cases=looked.held, error=error)]
    if looked.held == 0:
        message = f"worlds could not be carried on from one moment to the next at any of {looked.tried} steps: others act unseen, or hardly any fits"
        return [Finding(test="past views", code="honesty-forgets", result=SKIPPED, message=message)]
    return [
        Finding(
            test="past views",
            code="honesty-forgets",
            result=PASSED,
            message=f"worlds follow from those of the moment before, at {looked.held} of {looked.tried} steps ({looked.late} in the last third of a "
            f"game, {looked.private} that showed one player what others did not see; smallest p = {looked.smallest:.2g})",
            cases=looked.held,
            error=error,
            p=looked.smallest,
        )
    ]
