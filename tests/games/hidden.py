"""What is asked of every game with hidden information, held against enumeration by a tape of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from playout import Game, State
from playout.checker import check, compare_forms
from playout.compile import bind
from playout.game.stream import Stream

Worlds = dict[bytes, Fraction]


class Tape:
    """A stream that gives the draws it is told, then zeros, and remembers how many outcomes each draw had."""

    def __init__(self, told: list[int]) -> None:
        self.drawn, self.sizes = list(told), [0] * len(told)
        self.used, self.probability = 0, Fraction(1)

    def below(self, n: int) -> int:
        if n == 1:
            return 0
        if self.used == len(self.drawn):
            self.drawn.append(0)
            self.sizes.append(n)
        self.sizes[self.used] = n
        self.used += 1
        self.probability /= n
        return self.drawn[self.used - 1]


def outcomes(act: Callable[[Tape], Any]) -> Iterator[tuple[Fraction, Any]]:
    """Everything that can come of an act that draws from a stream, each with its probability."""
    told: list[int] = []
    while True:
        tape = Tape(told)
        result = act(tape)
        yield tape.probability, result
        told = tape.drawn
        while told and told[-1] == tape.sizes[len(told) - 1] - 1:
            told.pop()
        if not told:
            return
        told[-1] += 1


def changed(state: State, role: str, *arguments: Any) -> State:
    """The state after one of its game's functions worked on it."""
    array = state.copy_array()
    state.game.functions[role](state.game.view(array[0]), *arguments)
    return State(state.game, array, 1)


def observed(state: State, player: int) -> bytes:
    return bytes(changed(state, "observe", player))


def world(state: State, player: int, seed: int) -> State:
    return changed(state, "determinize", player, Stream(seed))


def worlds(state: State, player: int) -> Worlds:
    """Every world that determinize can give, with its probability: exact, not sampled."""
    found: Worlds = defaultdict(Fraction)
    for probability, other in outcomes(lambda tape: changed(state, "determinize", player, tape)):
        found[bytes(other)] += probability
    return dict(found)


def starts(game: Game) -> list[tuple[Fraction, State]]:
    """Every first state with its probability."""
    zero = State(game, np.zeros(1, game.dtype), 1)
    found: Worlds = defaultdict(Fraction)
    states = {}
    for probability, state in outcomes(lambda tape: changed(zero, "start", tape)):
        found[bytes(state)] += probability
        states[bytes(state)] = state
    return [(probability, states[name]) for name, probability in found.items()]


def histories(game: Game, depth: int = 99) -> Iterator[tuple[tuple[int, ...], Fraction, State]]:
    """Every way a game can go: the actions, the probability of its chance events alone, and the state they lead to."""
    waiting = [((), probability, state) for probability, state in starts(game)]
    while waiting:
        line, weight, state = waiting.pop()
        yield line, weight, state
        for action in state.legal if len(line) < depth else ():
            for probability, after in outcomes(lambda tape, s=state, a=action: changed(s, "play", a, tape)):
                waiting.append(((*line, action), weight * probability, after))


def check_worlds_are_exact(game: Game, depth: int = 99, every: int = 1) -> int:
    """Against enumeration: given the actions and what a player sees, determinize gives each true state with its probability.

    Returns how many cases were compared, the biggest ones included.
    """
    true: dict[tuple[Any, ...], Worlds] = defaultdict(lambda: defaultdict(Fraction))
    member = {}
    for line, weight, state in histories(game, depth):
        for player in range(game.players):
            case = (player, line, observed(state, player))
            true[case][bytes(state)] += weight
            member[case] = state
    cases = sorted(true, key=lambda case: (-len(true[case]), case))[::every]
    for case in cases:
        total = sum(true[case].values())
        assert worlds(member[case], case[0]) == {name: weight / total for name, weight in true[case].items()}
    return len(cases)


def random_states(game: Game, games: int, seed: int = 0) -> Iterator[State]:
    """Every state of some random games."""
    for number in range(games):
        state, picks = game.start(seed + number), Stream(seed + number, tree=1)
        while not state.over:
            yield state
            state = state.play(state.legal[picks.below(len(state.legal))])
        yield state


def check_hides(game: Game, games: int, seeds: int = 4) -> int:
    """Worlds keep what a player knows and show it the same; returns in how many cases the worlds differed."""
    varied = 0
    for state in random_states(game, games):
        for player in range(game.players):
            before, seen = bytes(state), observed(state, player)
            others = [world(state, player, seed) for seed in range(seeds)]
            shown = (state.draw(player), state.svg(player), [state.name(a, player) for a in range(game.actions)])
            for other in others:
                assert observed(other, player) == seen
                assert other.mover == state.mover and other.returns == state.returns
                assert state.mover != player or other.legal == state.legal
                assert (other.draw(player), other.svg(player), [other.name(a, player) for a in range(game.actions)]) == shown
            assert State(game, np.frombuffer(seen, game.dtype).copy(), 1).draw(player) == shown[0]
            assert bytes(state) == before
            varied += len({bytes(other) for other in others}) > 1
    return varied


def check_compiles(game: Game, games: int = 5) -> None:
    """Play, observe and determinize give the same bytes, and the same number of draws, in machine code."""
    assert compare_forms(game, games=games) is None
    binding = bind(game)
    observe, determinize = binding.role("observe"), binding.role("determinize")
    for seed, state in enumerate(random_states(game, games)):
        for player in range(game.players):
            array, stream = state.copy_array(), Stream(seed)
            rng = np.array([(stream.word,)], np.dtype([("word", np.uint64)]))
            determinize(array[0], player, rng[0])
            assert array.tobytes() == bytes(changed(state, "determinize", player, stream))
            assert int(rng[0]["word"]) == stream.word
            observe(array[0], player)
            assert array.tobytes() == observed(state, player)


def check_contract(game: Game) -> None:
    """No problem and no note. An audit takes the time it is given; this long finds every planted leak but the faint ones (test_honesty)."""
    for seconds in (0.4, 6):
        report = check(game, states=120, seconds=seconds, compiled=False)
        assert report.ok, str(report)
        if not report.notes:
            return
    raise AssertionError(str(report))
