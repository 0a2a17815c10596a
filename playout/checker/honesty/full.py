"""No leak and variety at any size: worlds of two true states that look the same must look the same, too.

From each of two states that a player cannot tell apart (`lines`) a few worlds are drawn. If worlds depend only on what the player knows,
nothing tells whose worlds are whose. Two questions are asked of every pair, by every measure: are worlds nearer to their own state than
to the other; and are they nearer to those of their own state than to those of the other, more than after the worlds were dealt out to
the two states by lot? For an honest game the answer is a fair coin's, whichever pairs are looked at, so signs are counted: an exact test.
A leak that shows in one pair of hundreds is lost in the count; so the pairs that look worst are asked again, with fresh worlds.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from playout.checker.contract.findings import fields_text
from playout.checker.honesty.lines import ACTS, PHASES, WAITS, Array, Line, long_course, twin
from playout.checker.honesty.measures import Measure, apart, measures, raw
from playout.checker.honesty.numbers import sign_chance
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding, clock
from playout.checker.honesty.wander import Wanderer
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import AUDIT_PAIRS, AUDIT_PAIRS_AGAIN, Stream

WORLDS = 8
"""Drawn from each of the two states."""
CHANGES, ENOUGH = 40, 12
"""Changes tried to get from a state to its twin, and accepted ones that are enough."""
WALKED = 2000
"""Changes tried in machine code."""
FEWEST, MOST = 12, 4000
"""Pairs below which the test says nothing, and above which there are no more."""
PATIENCE = 8
"""How often its share of the time the test may take to have the fewest, so that a busy machine does not make it blind."""
SUSPECTS, AGAIN, PILOT = 12, 48, 24
"""Pairs that are asked again, the worlds of each state that are then compared, and those that say what to look for."""
TWICE = 0.05
"""A leak must show again, at this level: one in the counts in fresh pairs, one in a single pair in fresh worlds."""


class Pair:
    """Two true states with one past for a player, and worlds drawn from each."""

    def __init__(self, number: int, one: Line, two: Line, stream: Stream) -> None:
        self.number, self.player, self.one, self.two, self.stream = number, one.player, one, two, stream
        self.from_one = [one.state.world(self.player, stream) for _ in range(WORLDS)]
        self.from_two = [two.state.world(self.player, stream) for _ in range(WORLDS)]

    @property
    def stuck(self) -> bool:
        """Whether every world is the state it was drawn from."""
        own = [(world, self.one) for world in self.from_one] + [(world, self.two) for world in self.from_two]
        return all(bytes(world) == bytes(line.state) for world, line in own)

    def weigh(self, measure: Measure) -> tuple[float, float]:
        """How much nearer worlds are to their own state; and to each other, beyond what a lot gives."""
        rows = measure.rows(raw([self.one.state, self.two.state, *self.from_one, *self.from_two]))
        truths, worlds = rows[:2], rows[2:]
        gap = apart(worlds, truths) @ np.array([-1.0, 1.0])
        near = float(gap[:WORLDS].sum() - gap[WORLDS:].sum())
        between = apart(worlds, worlds)
        order = list(range(2 * WORLDS))
        shuffle(order, self.stream)
        return near, _split(between) - _split(between[np.ix_(order, order)])

    def __str__(self) -> str:
        return f"{self.one}, pair {self.number}"


def shuffle(row: list[int], stream: Stream) -> None:
    for i in range(len(row) - 1, 0, -1):
        j = stream.below(i + 1)
        row[i], row[j] = row[j], row[i]


def _split(between: Array) -> float:
    """How far the first half is from the second, beyond how far each is from itself (Székely and Rizzo 2004)."""
    half = len(between) // 2
    return float(2 * between[:half, half:].mean() - between[:half, :half].mean() - between[half:, half:].mean())


def pairs(
    game: Game, seed: int, deadline: float, walker: Wanderer | None, tree: int = AUDIT_PAIRS, after: int = 0
) -> Iterator[Pair]:
    """Pairs of different states that look the same: of every game one moment in each third (of what comes after so many actions), from
    the seats in turn."""
    for number in range(MOST):
        stream = Stream(seed, tree, number)
        course = long_course(game, stream, number)
        for third, line in enumerate(course.moments(number // 4 % game.players, stream, after)):
            other = None if walker is None else walker.twin(line, WALKED, stream)
            if other is None:
                other = twin(game, line, CHANGES, stream, ENOUGH, lately=after > 0)
            if bytes(other.state) != bytes(line.state):
                yield Pair(3 * number + third, line, other, stream)
            if clock() > deadline:
                return
        if clock() > deadline:
            return


def gather(game: Game, seed: int, seconds: float, walker: Wanderer | None, tree: int = AUDIT_PAIRS, after: int = 0) -> list[Pair]:
    """As many pairs as there is time for; longer only for the fewest."""
    found: list[Pair] = []
    began = clock()
    for pair in pairs(game, seed, began + PATIENCE * seconds, walker, tree, after):
        found.append(pair)
        if len(found) >= FEWEST and clock() - began > seconds:
            break
    return found


def full(
    game: Game, seed: int, error: float, seconds: float, walker: Wanderer | None = None, after: int = 0
) -> tuple[list[Finding], list[Pair]]:
    """The findings, and the pairs for other tests to use."""
    try:
        found = gather(game, seed, 0.7 * seconds, walker, after=after)
    except PlayoutError as stopped:
        return [Finding(test="no leak", code="honesty-leak", result=SKIPPED, message=str(stopped))], []
    if len(found) < FEWEST:
        reason = f"only {len(found)} pairs of states that look the same were found, and {FEWEST} are wanted"
        message = f"not compared at full size: {reason}"
        return [Finding(test="no leak", code="honesty-leak", result=SKIPPED, message=message)], found
    hidden = np.zeros(game.dtype.itemsize, bool)
    for pair in found:
        states = raw([pair.one.state, pair.two.state])
        hidden |= states[0] != states[1]
    known = measures(game, hidden)
    weighed = {measure.name: np.array([pair.weigh(measure) for pair in found]) for measure in known}
    leak = _counted(found, weighed, error / 2)
    if leak.result == FAILED and not _shows_again(game, seed, seconds, known, leak, walker, after):
        leak = _passed(found, weighed, error, "a first look was off by chance, fresh pairs are not")
    if leak.result != FAILED:
        leak = _suspects(found, known, weighed, error / 2) or leak
    return [leak, _variety(found)], found


def strata(found: list[Pair]) -> dict[str, Array]:
    """Which pairs belong together, besides all of them: a leak may begin late, or concern only those who are not to act."""
    groups = {"": np.ones(len(found), bool)}
    for phase, name in enumerate(PHASES):
        groups[f" in the {name} of a game"] = np.array([pair.one.phase == phase for pair in found])
    groups[" for a player who is to act"] = np.array([pair.one.stands == ACTS for pair in found])
    groups[" for a player who waits"] = np.array([pair.one.stands == WAITS for pair in found])
    return groups


def _counts(found: list[Pair], weighed: dict[str, Array]) -> list[tuple[float, str, str, int, int, int]]:
    """(chance, measure, stratum, question, nearer, farther) of every test."""
    out = []
    for place, group in strata(found).items():
        for name, values in weighed.items():
            for question in (0, 1):
                mine = values[group, question]
                nearer, farther = int((mine > 1e-12).sum()), int((mine < -1e-12).sum())
                out.append((sign_chance(nearer, farther), name, place, question, nearer, farther))
    return out


def _counted(found: list[Pair], weighed: dict[str, Array], error: float) -> Finding:
    tests = _counts(found, weighed)
    p, name, place, question, nearer, farther = min(tests)
    if p * len(tests) >= error:
        return _passed(found, weighed, error, "")
    what = "the state they were drawn from" if question == 0 else "other worlds of the same state"
    group = strata(found)[place]
    values = np.where(group, weighed[name][:, question], -np.inf)
    shows = found[int(values.argmax())]
    return Finding(
        test="no leak",
        code="honesty-leak",
        result=FAILED,
        message=f"worlds give away the truth: by {name}, in {nearer} of {nearer + farther} pairs of states that look the same{place}, worlds "
        f"are nearer to {what} (chance of that in an honest game {p:.2g}), as {shows}: one of its worlds is "
        f"({fields_text(shows.from_one[0].copy_array()[0])}); determinize must redraw everything that observe erases",
        cases=len(found),
        error=error * TWICE,
        p=min(1.0, p * len(tests)),
    )


def _passed(found: list[Pair], weighed: dict[str, Array], error: float, why: str) -> Finding:
    tests = _counts(found, weighed)
    late = sum(pair.one.phase == 2 for pair in found)
    waiting = sum(pair.one.stands == WAITS for pair in found)
    return Finding(
        test="no leak",
        code="honesty-leak",
        result=PASSED,
        message=why
        or f"worlds of two states that look the same cannot be told apart, by {len(weighed)} measures ({late} pairs in the last third of a "
        f"game, {waiting} of a player who waits; smallest p = {min(tests)[0]:.2g} of {len(tests)})",
        cases=len(found),
        error=error,
        p=min(1.0, min(tests)[0] * len(tests)),
    )


def _shows_again(
    game: Game, seed: int, seconds: float, known: list[Measure], leak: Finding, walker: Wanderer | None, after: int
) -> bool:
    """Whether fresh pairs say the same, by the same measure."""
    measure = next(measure for measure in known if f"by {measure.name}, in" in leak.message)
    again = gather(game, seed, 0.3 * seconds, walker, AUDIT_PAIRS_AGAIN, after)
    weighed = {measure.name: np.array([pair.weigh(measure) for pair in again])}
    return len(again) < FEWEST or min(_counts(again, weighed))[0] < TWICE / 12


def _suspects(found: list[Pair], known: list[Measure], weighed: dict[str, Array], error: float) -> Finding | None:
    """The pairs that look worst by any measure, asked again: does a rule learnt from some worlds tell whose the others are?"""
    ranked = []
    for measure in known:
        values = weighed[measure.name]
        scale = values.std(0) + 1e-12
        ranked += [(float(max(value / scale)), number, measure) for number, value in enumerate(values)]
    ranked.sort(key=lambda entry: -entry[0])
    for _, number, measure in ranked[:SUSPECTS]:
        pair = found[number]
        p, right, asked = told_apart(pair.one.state, pair.two.state, pair.player, measure, pair.stream)
        if p * SUSPECTS < error and told_apart(pair.one.state, pair.two.state, pair.player, measure, pair.stream)[0] < TWICE:
            return Finding(
                test="no leak",
                code="honesty-leak",
                result=FAILED,
                message=f"worlds give away the truth, though not everywhere: by {measure.name}, {right} of {asked} pairs of fresh worlds tell "
                f"which of two states they came from (chance of that in an honest game {p:.2g}), {pair}: one of its worlds is "
                f"({fields_text(pair.from_one[0].copy_array()[0])}), and the other state is "
                f"({fields_text(pair.two.state.copy_array()[0])}); determinize must redraw everything that observe erases",
                cases=len(found),
                error=error,
                p=min(1.0, p * SUSPECTS),
            )
    return None


def told_apart(one: State, two: State, player: int, measure: Measure, stream: Stream) -> tuple[float, int, int]:
    """(chance, right, asked): worlds of both states by turns, each put to the nearer of two heaps that were drawn before."""

    def draw(state: State, count: int) -> list[State]:
        return [state.world(player, stream) for _ in range(count)]

    heaps = [draw(one, PILOT), draw(two, PILOT)]
    fresh = [draw(one, AGAIN), draw(two, AGAIN)]
    rows = measure.rows(raw([one, two, *heaps[0], *heaps[1], *fresh[0], *fresh[1]]))
    near, worlds = rows[: 2 + 2 * PILOT], rows[2 + 2 * PILOT :]
    far = apart(worlds, near)
    heap = far[:, 2 + PILOT :].mean(1) - far[:, 2 : 2 + PILOT].mean(1)
    truth = far[:, 1] - far[:, 0]
    found = []
    for lean in (heap, truth):
        gap = lean[:AGAIN] - lean[AGAIN:]
        right, wrong = int((gap > 1e-12).sum()), int((gap < -1e-12).sum())
        found.append((2 * sign_chance(right, wrong), right, right + wrong))
    return min(found)


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
