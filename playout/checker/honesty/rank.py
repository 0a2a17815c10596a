"""Weights at any size: among a few worlds, the true state must be nothing special.

If worlds come with the right probabilities, the true state is one more of them. So take any number that can be read off a
state, rank the true state's among those of a few worlds (ties by lot), and over many games every rank is as likely
(Cook, Gelman, Rubin, "Validation of software for Bayesian models using posterior quantiles", 2006). A sampler that *knows*
too much passes this test, since its worlds are right for what it knows: that is what the test for leaks is there for.

Which states are likely depends on how the others play. So that their actions say no more than that they were possible, a game
is dropped with the chance that makes every legal action as likely whatever the hand (count / the most at this point of a game is kept);
moments after an action that the player cannot see are left out. The player itself may follow the game's rule, as it sees things: the rule
is asked about a world.

So few long games are left, and these end after some decisions. To look deeper, a game is first played so many actions deep, as it
comes, and there the truth is replaced by a world of the player: from then on the truth comes from what the sampler believes at that
moment, and some actions later it must still be nothing special. That does not tell whether those first beliefs were right, but whether what
happens since is taken in rightly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from playout.checker.contract.findings import fields_text
from playout.checker.honesty.lines import GUIDED, LONGEST, Course, lead, observed
from playout.checker.honesty.numbers import uniform_chance
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding, clock
from playout.game.game import Game
from playout.game.record import field_names, solid
from playout.game.state import State
from playout.game.stream import AUDIT_DEPTHS, AUDIT_FEATURES, AUDIT_GAMES, AUDIT_TIES, Stream

WORLDS = 5
FEWEST, MOST = 60, 1500
"""Games below which the test says nothing: ten for each rank; for them it takes up to PATIENCE times its share of the time."""
PATIENCE = 8
PILOTS = 40
"""Games that tell how long they are, and how many actions there can be at each point."""
PROJECTIONS, PLACES = 3, 6
DEEPER = 4
"""Decisions, or actions, after the moment from which on truths are worlds."""

Array = np.ndarray[Any, Any]


class Sample:
    """The true state at a moment, worlds of it, and what the player was shown earlier and no longer sees."""

    def __init__(self, player: int, truth: State, shown: Array, late: bool, stream: Stream) -> None:
        self.player, self.truth, self.late, self.shown = player, truth, late, shown
        self.worlds = [truth.world(player, stream).copy_array() for _ in range(WORLDS)]
        self.own = truth.copy_array()

    def rank(self, feature: Feature, lots: Stream) -> int:
        """How many worlds have a lower number than the truth; ties by lot."""
        own = (feature(self.own, self), lots.uniform())
        return sum((feature(world, self), lots.uniform()) < own for world in self.worlds)


Feature = Callable[[Array, Sample], float]
Worst = tuple[float, str, str, list[int]]
"""The chance, the measure, which moments, and how often each rank came up."""


class Pilot:
    """What is known of games before any is looked at: their lengths in random play, and the most actions at each point."""

    def __init__(self, game: Game, seed: int) -> None:
        self.most: dict[int, int] = {}
        lengths, own = [], [[] for _ in range(game.players)]  # type: list[int], list[list[int]]
        for number in range(PILOTS):
            course = Course(game, Stream(seed + number, AUDIT_DEPTHS), led=game.players == 1 and number % 2 == 1)
            lengths.append(len(course.actions))
            for player in range(game.players):
                own[player].append(course.movers.count(player))
            for ply, count in enumerate(course.counts):
                self.most[ply] = max(count, self.most.get(ply, 1))
        self.length = max(1, sorted(lengths)[PILOTS // 2])
        self.longest = max(lengths)
        self.decisions = [max(1, sorted(counts)[3 * PILOTS // 4]) for counts in own]


def rank(game: Game, seed: int, error: float, seconds: float, after: int = 0) -> Finding:
    """The finding of the rank test."""
    seconds *= 0.6  # the rest is for comparing
    samples = gather(game, seed, seconds, fair=True, after=after)
    if len(samples) < FEWEST:
        reason = f"{len(samples)} games could be used, and {FEWEST} are wanted (others' actions are hidden, or leave little open)"
        return Finding(test="weights", code="honesty-weights", result=SKIPPED, message=f"truth not ranked among worlds: {reason}")
    features = make_features(game, samples, seed)
    tests = 4 * len(features)
    share = error / tests
    p, name, where, counts = worst(samples, features, seed)
    if p < share and game.players > 1:
        # Perhaps the sampler takes the others to play at random, which is as good a convention.
        again = gather(game, seed + 1, seconds, fair=False, after=after)
        if len(again) >= FEWEST:
            p, name, where, counts = max((p, name, where, counts), worst(again, features, seed))
    failed = p < share
    sample, world = example(samples, features[name])
    late = sum(sample.late for sample in samples)
    return Finding(
        test="weights",
        code="honesty-weights",
        result=FAILED if failed else PASSED,
        message=f"the true state stands out among its worlds by {name}{where}: its rank among {WORLDS} worlds came up {counts} times over "
        f"{sum(counts)} games where all ranks are as likely (chance of that {p:.2g}); a world of player {sample.player} is, for "
        f"example, ({fields_text(world[0])}) where the truth is ({fields_text(sample.own[0])}){twice(world, sample.own)}; "
        "draw every deal that fits with its own chance, and no card twice; or perhaps determinize forgets what the player was shown earlier: keep "
        "that in the state, leave it in observe, and go by it"
        if failed
        else f"the true state ranks anywhere among {WORLDS} worlds, by {len(features)} measures ({late} games in their second half; "
        f"smallest p = {p:.2g})",
        cases=len(samples),
        error=error,
        p=min(1.0, p * tests),
    )


def example(samples: list[Sample], feature: Feature) -> tuple[Sample, Array]:
    """Where a world is farthest from the truth by that measure."""
    pairs = [(sample, world) for sample in samples for world in sample.worlds]
    return max(pairs, key=lambda pair: abs(feature(pair[0].own, pair[0]) - feature(pair[1], pair[0])))


def twice(world: Array, truth: Array) -> str:
    """In words, what comes more than once in the world and not so in the truth."""
    there = {(group, value): count for group, value, count in _repeated(truth)}
    for group, value, count in _repeated(world):
        if count > there.get((group, value), 1):
            return f": {value} is there {count} times in {group}"
    return ""


def worst(samples: list[Sample], features: dict[str, Feature], seed: int) -> Worst:
    """The measure by which ranks are most uneven, over all moments or the late ones, with the chance of that and the counts."""
    found: list[Worst] = []
    for number, (name, feature) in enumerate(features.items()):
        lots = Stream(seed, AUDIT_TIES, number)
        ranks = [sample.rank(feature, lots) for sample in samples]
        for where, kept in (
            ("", ranks),
            (" late in a game", [r for r, sample in zip(ranks, samples, strict=True) if sample.late]),
        ):
            if len(kept) >= FEWEST:
                counts = [kept.count(place) for place in range(WORLDS + 1)]
                found.append((min(uniform_chance(counts), mean_chance(counts)), name, where, counts))
    return min(found)


def mean_chance(counts: list[int]) -> float:
    """The chance that ranks lie so far to one side on average: sharper than chi-square for a sampler that leans one way."""
    total, most = sum(counts), len(counts) - 1
    mean = sum(place * count for place, count in enumerate(counts)) / total
    spread = math.sqrt(((most + 1) ** 2 - 1) / 12 / total)
    return math.erfc(abs(mean - most / 2) / spread / math.sqrt(2))


def gather(game: Game, seed: int, seconds: float, fair: bool, after: int = 0) -> list[Sample]:
    """True states at moments chosen before their games were played; `fair`: others' actions say nothing."""
    found: list[Sample] = []
    pilot, began = Pilot(game, seed), clock()
    for number in range(100 * MOST):
        spent = (clock() - began) / seconds
        if len(found) == MOST or spent > (1 if len(found) >= FEWEST else PATIENCE):
            break
        player, stream = number % game.players, Stream(seed, AUDIT_GAMES, number)
        waits = game.players > 1 and number // game.players % 3 == 2
        most = pilot.length if waits else pilot.decisions[player]
        # Deep in a game nothing is learnt from a moment right after the truth was drawn: at the least one decision later.
        place = stream.below(most) if not after else (after if waits else 0) + 1 + stream.below(max(1, min(DEEPER, most)))
        sample = reach(game, player, place, waits, pilot, stream, fair, after)
        if sample is not None:
            found.append(sample)
    return found


def reach(
    game: Game, player: int, place: int, waits: bool, pilot: Pilot, stream: Stream, fair: bool, after: int = 0
) -> Sample | None:
    """Play up to the player's decision of that number, or to the action of that number for one who waits; None where the game ends
    before, the player is to act instead, or the game is dropped."""
    array = np.zeros(1, game.dtype)
    view, out = game.view(array[0]), np.zeros(game.most_legal, np.int64)
    game.functions["start"](view, stream)
    led, own = stream.below(2) == 1, 0
    memory, seen = np.zeros(game.dtype.itemsize, np.uint8), np.zeros(0, np.uint8)
    for ply in range(LONGEST):
        now = np.frombuffer(observed(game, array, player), np.uint8)
        memory = np.where(now != 0, now, memory)
        seen = now
        mover = int(game.functions["mover"](view))
        if mover < 0:
            return None
        if ply < after:
            count = int(game.functions["legal"](view, out))
            game.functions["play"](view, int(out[stream.below(count)]), stream)
            continue
        if ply == after and after:
            array[:] = State(game, array.copy(), 1).world(player, stream).copy_array()
        if (ply == place) if waits else (mover == player and own == place):
            if waits and mover == player:
                return None
            late = 2 * place >= (pilot.length if waits else pilot.decisions[player])
            shown = np.where(seen == 0, memory, 0)
            return Sample(player, State(game, array.copy(), 1), shown, late, stream)
        count = int(game.functions["legal"](view, out))
        if mover == player:
            own += 1
            index = (
                _own_choice(game, array, player, out, count, stream) if led and stream.uniform() < GUIDED else stream.below(count)
            )
        else:
            if fair and (stream.below(max(count, pilot.most.get(ply, 1))) >= count or _unseen(game, array, out, count, player)):
                return None
            index = stream.below(count)
        game.functions["play"](view, int(out[index]), stream)
    return None


def _own_choice(game: Game, array: Array, player: int, legal: Array, count: int, stream: Stream) -> int:
    """What the rule says of a world of the player: of the truth it might say what the player cannot know."""
    world = State(game, array.copy(), 1).world(player, stream)
    return lead(game, world.copy_array(), legal, count, stream) if game.has("playout_action") else stream.below(count)


def _unseen(game: Game, array: Array, legal: Array, count: int, player: int) -> bool:
    """Whether the player cannot tell two of the mover's actions apart."""
    looks = set()
    for i in range(count):
        copy = array.copy()
        game.functions["play"](game.view(copy[0]), int(legal[i]), Stream())
        looks.add(observed(game, copy, player))
    return len(looks) < count


def make_features(game: Game, samples: list[Sample], seed: int) -> dict[str, Feature]:
    """Numbers that can be read off a state: hidden fields and places, sums with random signs, what comes twice, what was shown."""
    stream, mask = Stream(seed, AUDIT_FEATURES), solid(game.dtype)
    features: dict[str, Feature] = {
        "values that come twice in a field": lambda array, _: repeats(array),
        "values that come twice in fields of one kind": lambda array, _: repeats_anywhere(array),
        "bits that come twice in a field": lambda array, _: overlaps(array),
        "what the player was shown earlier": _remembered,
    }
    hidden = np.zeros(len(mask), bool)
    for sample in samples:
        whole = np.frombuffer(bytes(sample.truth), np.uint8)
        hidden |= whole != np.frombuffer(sample.truth.observed(sample.player), np.uint8)
    hidden &= mask
    places = np.flatnonzero(hidden)
    for number in range(PROJECTIONS):
        signs = np.array([stream.uniform() - 0.5 for _ in range(len(mask))]) * mask
        features[f"sum {number + 1} of its bytes with random factors"] = lambda array, _, signs=signs: float(  # type: ignore[misc]
            array.view(np.uint8) @ signs
        )
    for _ in range(min(PLACES, len(places))):
        place = int(places[stream.below(len(places))])
        features[f"byte {place} of the state, in {_field_at(game, place)}"] = lambda array, _, place=place: float(  # type: ignore[misc]
            array.view(np.uint8)[place]
        )
    for name in field_names(game.dtype):
        kind, offset = game.dtype.fields[name][:2]  # type: ignore[index]
        if hidden[offset : offset + kind.itemsize].any() and kind.names is None:
            features |= _of_field(name)
    return features


def _of_field(name: str) -> dict[str, Feature]:
    """What is read off one field, whatever it means: how much, where it lies, how it begins and ends, its bits."""

    def row(array: Array) -> Array:
        return np.asarray(array[0][name]).ravel()

    def ends(array: Array, last: int) -> float:
        values = row(array)
        there = np.flatnonzero(values)
        return float(values[there[last]]) if len(there) else 0.0

    def bits(array: Array) -> float:
        values = row(array)
        if values.dtype.kind not in "iu":
            return 0.0
        own = np.unpackbits(np.ascontiguousarray(values).view(np.uint8), bitorder="little")
        return float((np.flatnonzero(own) % (8 * values.dtype.itemsize)).sum())

    def rising(array: Array) -> float:
        values = row(array)[row(array) != 0].astype(float)
        return float((np.diff(values) > 0).sum())

    return {
        f"the sum of {name}": lambda array, _: float(row(array).astype(float).sum()),
        f"how {name} leans": lambda array, _: float(row(array).astype(float) @ np.arange(row(array).size)),
        f"the first of {name}": lambda array, _: ends(array, 0),
        f"the last of {name}": lambda array, _: ends(array, -1),
        f"the bits of {name}": lambda array, _: bits(array),
        f"how often {name} rises": lambda array, _: rising(array),
    }


def _remembered(array: Array, sample: Sample) -> float:
    """Places in which the state agrees with what was shown there earlier and is hidden now."""
    own = array.view(np.uint8)
    return float(((own == sample.shown) & (sample.shown != 0)).sum())


def _field_at(game: Game, place: int) -> str:
    offsets = {name: game.dtype.fields[name][1] for name in field_names(game.dtype)}  # type: ignore[index]
    return max((name for name, offset in offsets.items() if offset <= place), key=lambda name: offsets[name])


def _whole_arrays(array: Array) -> dict[str, Array]:
    parts = {name: np.asarray(array[0][name]).ravel() for name in field_names(array.dtype) if array.dtype[name].names is None}
    return {name: part for name, part in parts.items() if part.size > 1 and part.dtype.kind in "iu"}


def _by_kind(array: Array) -> dict[str, Array]:
    """The arrays of a state, those of one number type in a row: a deck, and the table on which its cards come to lie."""
    rows: dict[str, dict[str, Array]] = {}
    for name, part in _whole_arrays(array).items():
        rows.setdefault(part.dtype.str, {})[name] = part
    return {" and ".join(row): np.concatenate(list(row.values())) for row in rows.values()}


def _repeated(array: Array) -> list[tuple[str, int, int]]:
    """Fields, a value other than 0, and how often it is there, where more than once; single fields first."""
    found = []
    for group, part in {**_whole_arrays(array), **_by_kind(array)}.items():
        values, counts = np.unique(part[part != 0], return_counts=True)
        found += [(group, int(value), int(count)) for value, count in zip(values, counts, strict=True) if count > 1]
    return found


def _twice_in(parts: dict[str, Array]) -> float:
    total = 0
    for part in parts.values():
        values = part[part != 0].tolist()
        total += len(values) - len(set(values))
    return float(total)


def repeats(array: Array) -> float:
    """Values other than 0 that come again in the same field: a card that is there twice."""
    return _twice_in(_whole_arrays(array))


def repeats_anywhere(array: Array) -> float:
    """The same over fields of one number type: a card that lies on the table and again in the deck."""
    return _twice_in(_by_kind(array))


def overlaps(array: Array) -> float:
    """Bits that come again in another number of the same field: a card in two hands that are sets of bits."""
    total = 0
    for part in _whole_arrays(array).values():
        if part.dtype.itemsize >= 2:
            words = part.view(part.dtype.str.replace("i", "u"))
            total += int(np.bitwise_count(words).sum()) - int(np.bitwise_count(np.bitwise_or.reduce(words)))
    return float(total)
