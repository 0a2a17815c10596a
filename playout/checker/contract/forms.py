"""The two forms of a game, plain Python and machine code, agree on every field of every state.

The fast one then plays on alone, far beyond what plain Python could reach in the time.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from playout.checker.contract.findings import Findings, Spot, fields_text, value_text
from playout.checker.contract.probe import law_words
from playout.checker.contract.replay import ASTRAY, GUARD, Player
from playout.checker.contract.report import Problem
from playout.checker.contract.walk import LONGEST
from playout.compile import bind
from playout.game.encoding import encoding_of
from playout.game.game import Game
from playout.game.record import field_names


def compare_forms(game: Game, seed: int = 0, games: int = 20, seconds: float = 60.0) -> Problem | None:
    """Play the same random games in both forms and compare every state and every answer; the first difference, if any."""
    findings = Findings(game)
    compare(findings, seed, games, seconds)
    return next(iter(findings.problems.values()), None)


def compare(findings: Findings, seed: int, games: int, seconds: float) -> None:
    """As `compare_forms`, into the findings of a check."""
    game, deadline = findings.game, time.monotonic() + seconds
    plain, machine = Player(bind(game, compiled=False)), Player(bind(game))
    for number in range(games):
        plain.begin(seed + number)
        machine.begin(seed + number)
        actions: list[int] = []
        while len(actions) < LONGEST and not findings.problems and (number == 0 or time.monotonic() < deadline):
            try:
                plain.go_on()
            except Exception as error:
                spot = Spot(game, seed + number, actions, plain.array[1:2])
                findings.problem(
                    "forms-fails",
                    f"a rule raised {type(error).__name__}: {error} in random play from seed {spot.seed}; run playout check",
                )
                return
            machine.go_on()
            _compare_stretch(findings, plain, machine, seed + number, actions)
            if game.has("encode") and not findings.problems:
                _compare_encodings(findings, plain, seed + number, actions)
            actions += [int(a) for a in plain.trace.chosen[: plain.count - 1]]
            if plain.over or plain.stopped:
                break
        if findings.problems:
            return


class _Difference(Exception):
    def __init__(self, index: int, role: str, what: str, one: Any, other: Any, cause: str) -> None:
        self.index, self.role, self.what, self.one, self.other, self.cause = index, role, what, one, other, cause


def _compare_stretch(findings: Findings, plain: Player, machine: Player, seed: int, actions: list[int]) -> None:
    try:
        for i in range(min(plain.count, machine.count)):
            _compare_state(plain, machine, i)
            if i < min(plain.count, machine.count) - 1:
                _compare_choices(plain, machine, i)
        if plain.count != machine.count:
            raise _Difference(
                min(plain.count, machine.count) - 1, "legal", "the number of actions", plain.count, machine.count, GENERAL
            )
    except _Difference as found:
        way = [*actions, *(int(a) for a in plain.trace.chosen[: found.index])]
        spot = Spot(plain.game, seed, way, plain.states[found.index : found.index + 1])
        role = "start" if found.role == "play" and not way else found.role
        findings.problem(
            "forms-differ",
            f"{findings.where(role)} gives something else compiled than uncompiled: {found.what} is {value_text(found.one)} "
            f"uncompiled and {value_text(found.other)} compiled, {spot if found.role != 'play' else spot.way()}; {found.cause}",
        )


def _compare_encodings(findings: Findings, plain: Player, seed: int, actions: list[int]) -> None:
    """What a network is shown in either form, of some states of a stretch; by the kernel that networks use."""
    game = findings.game
    looked = np.unique(np.linspace(0, plain.count - 1, min(plain.count, ENCODED), dtype=int))
    states = np.ascontiguousarray(plain.states[looked])
    for viewer in range(game.players):
        one, other = (encoding_of(game, compiled)(states, viewer).reshape(len(states), -1) for compiled in (False, True))
        if not _equal(one, other):
            i, number = (int(n) for n in np.argwhere(~((one == other) | (np.isnan(one) & np.isnan(other))))[0])
            way = [*actions, *(int(a) for a in plain.trace.chosen[: looked[i]])]
            place = ", ".join(str(n) for n in np.unravel_index(number, game.encoding))
            findings.problem(
                "forms-differ",
                f"{findings.where('encode')} gives something else compiled than uncompiled: out[{place}] is {one[i, number]} uncompiled and {other[i, number]} "
                f"compiled for player {viewer}, {Spot(game, seed, way, states[i : i + 1])}; {ADDED}",
            )
            return


ENCODED = 16
"""States of a stretch whose encodings are compared."""
ADDED = "out is float32, so work with local variables and write each number once; and look for indices out of range and variables without a value"
GENERAL = (
    "machine integers have 64 bits, so look for bigger numbers, for shifts by 64 or more, for division by zero, for indices "
    "out of range, for variables without a value, and for chance that is not from rng"
)
UNSIGNED = "uint64 mixed with ordinary integers leaves the unsigned numbers in machine code, so make every constant np.uint64"
SINGLE = "float32 is rounded at every step in machine code, so use float64 fields"


def _compare_state(plain: Player, machine: Player, i: int) -> None:
    one, other = plain.states[i], machine.states[i]
    if plain.bytes[2 * i + 1].tobytes() != machine.bytes[2 * i + 1].tobytes():
        for name in field_names(one.dtype):
            if one[name].tobytes() != other[name].tobytes() and not _equal(one[name], other[name]):
                kind = one.dtype[name].base
                cause = UNSIGNED if kind == np.uint64 else SINGLE if kind == np.float32 else GENERAL
                raise _Difference(i, "play", f"field {name}", one[name], other[name], cause)
    a, b = plain.trace, machine.trace
    for role, what, column in (
        ("play", "the stream", "words"),
        ("broken", "the answer", "laws"),
        ("mover", "the answer", "movers"),
        ("returns", "out", "results"),
        ("evaluate", "out", "values"),
        ("returns_as", "out", "paid"),
        ("evaluate_as", "out", "judged"),
        ("key", "the answer", "keys"),
        ("canonical", "the answer", "turned"),
    ):
        left, right = getattr(a, column)[i], getattr(b, column)[i]
        if not _equal(left, right):
            unsigned = role in ("key", "canonical") and any(
                plain.game.dtype[n].base == np.uint64 for n in field_names(plain.game.dtype)
            )
            raise _Difference(i, role, what, left, right, UNSIGNED if unsigned else GENERAL)


def _compare_choices(plain: Player, machine: Player, i: int) -> None:
    a, b = plain.trace, machine.trace
    if a.counts[i] != b.counts[i]:
        raise _Difference(i, "legal", "the count", a.counts[i], b.counts[i], GENERAL)
    for role, what, left, right in zip(
        ("legal", "prior"), ("the list of ids", "out"), plain.options(i), machine.options(i), strict=True
    ):
        if not _equal(left, right):
            raise _Difference(i, role, what, left, right, GENERAL)
    if a.own[i] != b.own[i]:
        raise _Difference(i, "playout_action", "the answer", a.own[i], b.own[i], GENERAL)
    if a.picked[i] != b.picked[i]:
        raise _Difference(i, "pick", "the answer", a.picked[i], b.picked[i], GENERAL)
    for role, left, right in (("wins", a.won[i], b.won[i]), ("safe", a.safe[i], b.safe[i])):
        if left != right:
            raise _Difference(i, role, "the list of ids (as one number)", left, right, GENERAL)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.void):
        return all(_equal(one[name], other[name]) for name in field_names(one.dtype))
    kind = np.asarray(one).dtype.kind
    return bool(np.array_equal(one, other, equal_nan=kind == "f"))


def sweep(findings: Findings, seed: int, games: int, seconds: float) -> Player:
    """Many compiled games: what random play of thousands of states could not reach. The player that played them."""
    game, deadline = findings.game, time.monotonic() + seconds
    player = Player(bind(game))
    for number in range(games):
        player.begin(seed + number)
        while True:
            try:
                player.go_on()
            except Exception as error:
                findings.problem(
                    "compiled-fails", f"game {game.name!r} fails compiled in random play from seed {seed + number}: {error}"
                )
                return player
            findings.compiled_states += player.count
            _check_stretch(findings, player, seed + number)
            if player.over:
                findings.game_ended(player.before + player.count - 1)
            elif player.before > LONGEST:
                findings.problem(
                    "endless",
                    f"{findings.where('mover')} had not returned -1 after {LONGEST:,} actions of random play from seed "
                    f"{seed + number}; count the moves in the state and end the game at a limit, or check when mover returns -1",
                )
            if findings.problems or player.over or player.stopped:
                break
        if findings.problems or time.monotonic() > deadline:
            break
    return player


def _check_stretch(findings: Findings, player: Player, seed: int) -> None:
    """Everything that can be seen of a stretch without asking the game again."""
    game, trace, n = findings.game, player.trace, player.count
    recorded = n - 1
    counts = trace.counts[:recorded]
    ids = trace.listed[: int(counts.sum())]
    owners = np.repeat(np.arange(recorded), counts)

    def found(code: str, role: str, i: int, said: str) -> None:
        way = f"after {player.before + i:,} actions of the random game with seed {seed}"
        record = Spot(game, seed, [], player.states[int(i) : int(i) + 1])
        fields = str(record).partition(" (")[2].rstrip(")")
        findings.problem(code, f"{findings.where(role)} {said} {way} ({fields})")

    # All at once first: where something is wrong is looked for when something is.
    guarded = player.bytes[0 : 2 * n + 1 : 2] != GUARD
    # The gaps between fields are inside the record and nobody's: they stay 0.
    filled = player.bytes[1 : 2 * n : 2, player.gaps]
    if guarded.any() or filled.any():
        guards = np.union1d(np.flatnonzero(guarded.any(axis=1)), np.flatnonzero(filled.any(axis=1)))
        found(
            "play-outside",
            "play",
            max(0, int(guards[0]) - 1),
            "wrote outside the state; check every index against the size of its field,",
        )
        player.bytes[0::2] = GUARD
    bad = np.flatnonzero(trace.laws[:n])
    if len(bad):
        number, way = int(trace.laws[bad[0]]), player.before + int(bad[0])
        if not 1 <= number <= len(game.laws):
            found("broken-range", "broken", bad[0], f"returned {number} where 0 to {len(game.laws)} are possible,")
        else:
            at = f"after {way:,} actions of the random game with seed {seed} ({fields_text(player.states[int(bad[0])])})"
            findings.problem("law-broken", law_words(findings, "play" if way else "start", number, at), f"law-broken {number}")
    bad = np.flatnonzero((trace.movers[:n] < -1) | (trace.movers[:n] >= game.players))
    if len(bad):
        found("mover-range", "mover", bad[0], f"returned {trace.movers[bad[0]]} where -1 to {game.players - 1} are possible,")
    if player.stopped:
        count = trace.counts[n - 1]
        code = "legal-none" if count == 0 else "legal-many" if count > game.most_legal else "legal-count"
        found(
            code, "legal", n - 1, f"returned {count} where 1 to {game.most_legal} are possible; correct it, mover or most_legal,"
        )
    bad = np.flatnonzero((ids < 0) | (ids >= game.actions))
    if len(bad):
        found("legal-range", "legal", owners[bad[0]], f"gave action {ids[bad[0]]}, but ids go from 0 to {game.actions - 1},")
    order = np.sort(owners * game.actions + ids)
    twice = np.flatnonzero(order[1:] == order[:-1])
    if len(twice):
        found("legal-duplicate", "legal", order[twice[0]] // game.actions, f"gave action {order[twice[0]] % game.actions} twice,")
    asked = [("returns", "", trace.results[:n]), ("evaluate", "", trace.values[:n])]
    for place, reward in enumerate(game.rewards):
        asked += [("returns_as", reward, trace.paid[:n, place]), ("evaluate_as", reward, trace.judged[:n, place])]
    for role, reward, numbers in asked:
        if not game.has(role):
            continue
        bounds, tail = game.range_of(reward), f" for reward {reward!r}" if reward else ""
        low, high = bounds or (-np.finfo(float).max, np.finfo(float).max)
        if low <= numbers.min() and numbers.max() <= high:  # neither holds where one is not a number
            continue
        bad = np.flatnonzero(~np.isfinite(numbers).all(axis=1))
        if len(bad):
            found(f"{role}-nan", role, bad[0], f"gave {value_text(numbers[bad[0]])}{tail}; every player gets a finite number,")
        elif bounds is not None:
            low, high = bounds
            bad = np.flatnonzero(((numbers < low) | (numbers > high)).any(axis=1))
            if len(bad):
                found(
                    f"{role}-range",
                    role,
                    bad[0],
                    f"gave {value_text(numbers[bad[0]])}{tail}, outside {'its range' if reward else 'returns_range'} ({low:g}, {high:g}),",
                )
    if game.has("playout_action") and recorded > 0:
        hit = np.logical_or.reduceat(ids == trace.own[owners], np.cumsum(counts) - counts)
        if not hit.all():
            i = int(np.argmin(hit))
            found("playout_action-illegal", "playout_action", i, f"returned {trace.own[i]}, which is not legal,")
    if game.has("pick"):
        bad = np.flatnonzero(trace.picked[:recorded] != trace.chosen[:recorded])
        if len(bad):
            i, picked = int(bad[0]), int(trace.picked[bad[0]])
            said = "has not drawn just once, by below(rng, count)," if picked == ASTRAY else f"returned {picked}"
            found("pick-wrong", "pick", i, f"{said} where legal and that draw give {trace.chosen[i]},")
    if recorded > 0:
        findings.most_legal = max(findings.most_legal, int(counts.max()))
