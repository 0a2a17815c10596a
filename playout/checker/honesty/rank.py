"""Weights at any size: among a few worlds, the true state must be nothing special.

If worlds come with the right probabilities, the true state is one more of them. So take any number that can be read off a
state, rank the true state's among those of a few worlds (ties by lot), and over many games every rank is as likely
(Cook, Gelman, Rubin, "Validation of software for Bayesian models using posterior quantiles", 2006). A sampler that *knows*
too much passes this test, since its worlds are right for what it knows: that is what the test for leaks is there for.

Which states are likely depends on how the others play. So that their actions say no more than that they were possible, a game
is dropped with the chance that makes every legal action as likely whatever the hand (count / most_legal is kept); decisions
after an action that the player cannot see are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from playout.checker.contract.findings import fields_text
from playout.checker.honesty.numbers import uniform_chance
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding
from playout.checker.honesty.twins import LONGEST, observed, own_decisions
from playout.game.game import Game
from playout.game.record import field_names, solid
from playout.game.state import State
from playout.game.stream import AUDIT_FEATURES, AUDIT_GAMES, AUDIT_TIES, Stream

WORLDS = 5
FEWEST = 60
"""Games below which the test says nothing: ten for each rank; for them it takes up to PATIENCE times its share of the time."""
PATIENCE = 4
DEEPEST = 3
"""Decisions of a player that are looked at in a game of several: each further one costs many dropped games."""
PROJECTIONS, PLACES = 3, 3

Feature = Callable[[np.ndarray[Any, Any]], float]


class Sample:
    """The true state at a decision, and worlds of it."""

    def __init__(self, player: int, truth: State, stream: Stream) -> None:
        self.player, self.truth = player, truth
        self.worlds = [truth.world(player, stream).copy_array() for _ in range(WORLDS)]
        self.own = truth.copy_array()

    def rank(self, feature: Feature, lots: Stream) -> int:
        """How many worlds have a lower number than the truth; ties by lot."""
        own = (feature(self.own), lots.uniform())
        return sum((feature(world), lots.uniform()) < own for world in self.worlds)


def rank(game: Game, seed: int, wanted: int, error: float, seconds: float) -> Finding:
    """The finding of the rank test."""
    samples = gather(game, seed, wanted, seconds, fair=True)
    if len(samples) < FEWEST:
        reason = f"{len(samples)} games could be used, and {FEWEST} are wanted (others' actions are hidden, or leave little open)"
        return Finding(test="weights", code="honesty-weights", result=SKIPPED, message=f"truth not ranked among worlds: {reason}")
    features = make_features(game, samples, seed)
    share = error / len(features)
    p, name, counts = worst(samples, features, seed)
    if p < share and game.players > 1:
        # Perhaps the sampler takes the others to play at random, which is as good a convention.
        again = gather(game, seed + 1, wanted, seconds, fair=False)
        if len(again) >= FEWEST:
            p, name, counts = max((p, name, counts), worst(again, features, seed))
    failed = p < share
    truth, world, player = example(samples, features[name])
    return Finding(
        test="weights",
        code="honesty-weights",
        result=FAILED if failed else PASSED,
        message=f"the true state stands out among its worlds by {name}: its rank among {WORLDS} worlds came up {counts} times over "
        f"{len(samples)} games where all ranks are as likely (chance of that {p:.2g}); a world of player {player} is, for "
        f"example, ({fields_text(world[0])}) where the truth is ({fields_text(truth[0])}){twice(world, truth)}; "
        "draw every deal that fits with its own chance, and no card twice"
        if failed
        else f"the true state ranks anywhere among {WORLDS} worlds, by {len(features)} measures (smallest p = {p:.2g})",
        cases=len(samples),
        error=error,
        p=min(1.0, p * len(features)),
    )


def example(samples: list[Sample], feature: Feature) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], int]:
    """Where a world is farthest from the truth by that measure: the true state, the world, and the player."""
    pairs = [(sample.own, world, sample.player) for sample in samples for world in sample.worlds]
    return max(pairs, key=lambda pair: abs(feature(pair[0]) - feature(pair[1])))


def twice(world: np.ndarray[Any, Any], truth: np.ndarray[Any, Any]) -> str:
    """In words, what comes more than once in the world and not so in the truth."""
    there = {(group, value): count for group, value, count in _repeated(truth)}
    for group, value, count in _repeated(world):
        if count > there.get((group, value), 1):
            return f": {value} is there {count} times in {group}"
    return ""


def worst(samples: list[Sample], features: dict[str, Feature], seed: int) -> tuple[float, str, list[int]]:
    """The measure by which ranks are most uneven, with the chance of that and the counts."""
    found = []
    for number, (name, feature) in enumerate(features.items()):
        counts, lots = [0] * (WORLDS + 1), Stream(seed, AUDIT_TIES, number)
        for sample in samples:
            counts[sample.rank(feature, lots)] += 1
        found.append((uniform_chance(counts), name, counts))
    return min(found)


def gather(game: Game, seed: int, wanted: int, seconds: float, fair: bool) -> list[Sample]:
    """True states at decisions chosen before their games were played; `fair`: others' actions say nothing."""
    found: list[Sample] = []
    began = time.monotonic()
    depths = [max(1, own_decisions(game, player, seed)) for player in range(game.players)]
    if game.players > 1:
        depths = [min(DEEPEST, depth) for depth in depths]
    for number in range(100 * wanted):
        spent = (time.monotonic() - began) / seconds
        if len(found) == wanted or spent > (1 if len(found) >= FEWEST else PATIENCE):
            break
        player, stream = number % game.players, Stream(seed, AUDIT_GAMES, number)
        truth = reach(game, player, stream.below(depths[player]), stream, fair)
        if truth is not None:
            found.append(Sample(player, truth, stream))
    return found


def reach(game: Game, player: int, decision: int, stream: Stream, fair: bool) -> State | None:
    """Play at random up to the player's decision of that number; None where the game ends before, or is dropped."""
    state = game.start(stream.next() >> 3)
    for _ in range(LONGEST):
        if state.over:
            return None
        legal = state.legal
        if state.mover == player:
            if decision == 0:
                return state
            decision -= 1
        elif fair and (stream.below(game.most_legal) >= len(legal) or _unseen(state, player)):
            return None
        state = state.play(legal[stream.below(len(legal))])
    return None


def _unseen(state: State, player: int) -> bool:
    """Whether the player cannot tell two of the mover's actions apart."""
    looks = set()
    for action in state.legal:
        looks.add(observed(state.game, state.play(action).copy_array(), player))
    return len(looks) < len(state.legal)


def make_features(game: Game, samples: list[Sample], seed: int) -> dict[str, Feature]:
    """Numbers that can be read off a state: places that are hidden, sums of all with random signs, and what comes twice."""
    stream, mask = Stream(seed, AUDIT_FEATURES), solid(game.dtype)
    size = int(mask.sum())
    features: dict[str, Feature] = {
        "values that come twice in a field": repeats,
        "values that come twice in fields of one kind": repeats_anywhere,
        "bits that come twice in a field": overlaps,
    }
    hidden = np.zeros(size, bool)
    for sample in samples:
        whole = np.frombuffer(bytes(sample.truth), np.uint8)
        hidden |= (whole != np.frombuffer(sample.truth.observed(sample.player), np.uint8))[mask]
    places = np.flatnonzero(hidden)
    for number in range(PROJECTIONS):
        signs = np.array([stream.uniform() - 0.5 for _ in range(size)])
        features[f"sum {number + 1} of its bytes with random factors"] = lambda array, signs=signs: float(  # type: ignore[misc]
            array.view(np.uint8)[mask] @ signs
        )
    for _ in range(min(PLACES, len(places))):
        place = int(places[stream.below(len(places))])
        features[f"byte {place} of the state, in {_field_at(game, place)}"] = lambda array, place=place: float(  # type: ignore[misc]
            array.view(np.uint8)[mask][place]
        )
    return features


def _field_at(game: Game, place: int) -> str:
    mask = solid(game.dtype)
    offsets = {name: int(mask[: game.dtype.fields[name][1]].sum()) for name in field_names(game.dtype)}  # type: ignore[index]
    return max((name for name, offset in offsets.items() if offset <= place), key=lambda name: offsets[name])


def _whole_arrays(array: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    parts = {name: np.asarray(array[0][name]).ravel() for name in field_names(array.dtype) if array.dtype[name].names is None}
    return {name: part for name, part in parts.items() if part.size > 1 and part.dtype.kind in "iu"}


def _by_kind(array: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a state, those of one number type in a row: a deck, and the table on which its cards come to lie."""
    rows: dict[str, dict[str, np.ndarray[Any, Any]]] = {}
    for name, part in _whole_arrays(array).items():
        rows.setdefault(part.dtype.str, {})[name] = part
    return {" and ".join(row): np.concatenate(list(row.values())) for row in rows.values()}


def _repeated(array: np.ndarray[Any, Any]) -> list[tuple[str, int, int]]:
    """Fields, a value other than 0, and how often it is there, where more than once; single fields first."""
    found = []
    for group, part in {**_whole_arrays(array), **_by_kind(array)}.items():
        values, counts = np.unique(part[part != 0], return_counts=True)
        found += [(group, int(value), int(count)) for value, count in zip(values, counts, strict=True) if count > 1]
    return found


def _twice_in(parts: dict[str, np.ndarray[Any, Any]]) -> float:
    total = 0
    for part in parts.values():
        values = part[part != 0].tolist()
        total += len(values) - len(set(values))
    return float(total)


def repeats(array: np.ndarray[Any, Any]) -> float:
    """Values other than 0 that come again in the same field: a card that is there twice."""
    return _twice_in(_whole_arrays(array))


def repeats_anywhere(array: np.ndarray[Any, Any]) -> float:
    """The same over fields of one number type: a card that lies on the table and again in the deck."""
    return _twice_in(_by_kind(array))


def overlaps(array: np.ndarray[Any, Any]) -> float:
    """Bits that come again in another number of the same field: a card in two hands that are sets of bits."""
    total = 0
    for part in _whole_arrays(array).values():
        if part.dtype.itemsize >= 2:
            words = part.view(part.dtype.str.replace("i", "u"))
            total += int(np.bitwise_count(words).sum()) - int(np.bitwise_count(np.bitwise_or.reduce(words)))
    return float(total)
