"""Kuhn poker, and what is asked of every game with hidden information (used by the tests of the other four as well)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import Game, PlayoutError, State, load
from playout.check import check, compare_forms
from playout.compile import bind
from playout.stream import Stream
from tests.games.properties import check_state, choices, key_of, walk

KUHN = load("kuhn-poker")
Worlds = dict[bytes, Fraction]


# What is asked of every game with hidden information


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
    report = check(game, states=200, seconds=2, compiled=False)
    assert report.ok, str(report)
    assert not report.notes, str(report)


# Kuhn poker


def deal(first: str, second: str) -> State:
    return KUHN.state({"cards": [" JQK".index(first), " JQK".index(second)]})


@pytest.mark.parametrize(
    "line, high_wins, low_wins",
    [
        (["check", "check"], 1, -1),
        (["check", "bet", "fold"], -1, -1),
        (["check", "bet", "call"], 2, -2),
        (["bet", "fold"], 1, 1),
        (["bet", "call"], 2, -2),
    ],
)
def test_the_five_ways_a_deal_can_end(line: list[str], high_wins: int, low_wins: int):
    for cards, expected in (("KQ", high_wins), ("QJ", high_wins), ("JK", low_wins), ("JQ", low_wins)):
        state = deal(*cards)
        for number, move in enumerate(line):
            assert state.mover == number & 1 and len(state.legal) == 2 and state.returns == (0, 0)
            state = state.play(move)
        assert state.over and state.returns == (expected, -expected)


def test_six_deals_five_endings_and_twelve_information_sets():
    assert sorted((p, tuple(s.fields.cards)) for p, s in starts(KUHN)) == [
        (Fraction(1, 6), (a, b)) for a in (1, 2, 3) for b in (1, 2, 3) if a != b
    ]
    states = [state for _, _, state in histories(KUHN)]
    assert sum(state.over for state in states) == 6 * 5
    assert sum(not state.over for state in states) == 6 * 4
    assert len({(s.mover, observed(s, s.mover)) for s in states if not s.over}) == 12


def equilibrium(alpha: Fraction) -> dict[tuple[int, str], Fraction]:
    """How often to bet or call with each card after each line, one of Kuhn's equilibria for each alpha from 0 to 1/3."""
    first = {"": (alpha, 0, 3 * alpha), "pb": (0, alpha + Fraction(1, 3), 1)}
    second = {"p": (Fraction(1, 3), 0, 1), "b": (0, Fraction(1, 3), 1)}
    return {(card, line): Fraction(p) for line, row in {**first, **second}.items() for card, p in zip((1, 2, 3), row)}


def value(profile: dict[tuple[int, str], Fraction]) -> Fraction:
    """What the first player wins on average when both play by the profile."""

    def below(state: State, line: str) -> Fraction:
        if state.over:
            return Fraction(int(state.returns[0]))
        bet = profile[state.fields.cards[state.mover], line]
        return bet * below(state.play(1), line + "b") + (1 - bet) * below(state.play(0), line + "p")

    return sum((probability * below(state, "") for probability, state in starts(KUHN)), Fraction(0))


def test_equilibrium_is_worth_minus_one_eighteenth():
    for alpha in (Fraction(0), Fraction(1, 7), Fraction(1, 3)):
        assert value(equilibrium(alpha)) == Fraction(-1, 18)


def test_no_reply_does_better_against_the_equilibrium():
    profile = equilibrium(Fraction(1, 6))
    for lines, best in ((("", "pb"), max), (("p", "b"), min)):
        sets = list(product((1, 2, 3), lines))
        replies = [value({**profile, **dict(zip(sets, map(Fraction, pure)))}) for pure in product((0, 1), repeat=len(sets))]
        assert best(replies) == Fraction(-1, 18)


def test_worlds_are_exact():
    assert check_worlds_are_exact(KUHN) == 2 * (3 * 6 + 3 * 6)  # 6 lines with a hidden card, 3 showdowns of 6 deals


def test_worlds_by_hand():
    state = deal("Q", "K").play("check")
    assert {tuple(np.frombuffer(w, KUHN.dtype)["cards"][0]): p for w, p in worlds(state, 0).items()} == {
        (2, 1): Fraction(1, 2),
        (2, 3): Fraction(1, 2),
    }
    assert worlds(state.play("bet").play("call"), 0) == {bytes(state.play("bet").play("call")): 1}  # the cards were shown
    assert len(worlds(state.play("bet").play("fold"), 0)) == 2  # and stay hidden after a fold


def test_names_draw_and_what_a_viewer_sees():
    state = deal("J", "K").play("check")
    assert [state.name(a) for a in state.legal] == ["check", "bet"]
    assert [state.play("bet").name(a) for a in (0, 1)] == ["fold", "call"]
    assert state.draw() == "  player 0: J, 1 in the pot\n> player 1: K, 1 in the pot\n  moves: check"
    assert state.draw(0) == "  player 0: J, 1 in the pot\n> player 1: ?, 1 in the pot\n  moves: check"
    assert ">K<" not in state.svg(0) and ">K<" in state.svg(1) and ">J<" not in state.svg(1)
    over = state.replay(["bet", "call"])
    assert over.draw(0) == "  player 0: J, 2 in the pot\n  player 1: K, 2 in the pot\n  moves: check, bet, call"
    assert ">K<" in over.svg(0)
    assert "player 1: ?" in state.replay(["bet", "fold"]).draw(0)


def test_hides():
    assert check_hides(KUHN, games=30) > 80


def test_keys_are_exact():
    states = [state for _, _, state in histories(KUHN)]
    assert len({key_of(state) for state in states}) == len({bytes(state) for state in states}) == 54


def test_contract_and_compiled():
    check_contract(KUHN)
    check_compiles(KUHN, games=20)


@settings(max_examples=20, deadline=None)
@given(choices, st.integers(0, 1000))
def test_random_play(numbers: list[int], seed: int):
    for state in walk(KUHN, [*numbers, 0, 0, 0], seed):
        check_state(state)


def test_parameter_errors():
    with pytest.raises(PlayoutError) as error:
        load("kuhn-poker", cards=4)
    assert str(error.value) == "game 'kuhn-poker' has no parameter 'cards'; parameters: it has none"
