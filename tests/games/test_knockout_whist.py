from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import Game, PlayoutError, State, load
from playout.compile import bind
from playout.game.stream import Stream
from tests.games.hidden import (
    check_compiles,
    check_contract,
    check_hides,
    check_worlds_are_exact,
    random_states,
    starts,
    world,
    worlds,
)
from tests.games.properties import check_state, choices, key_of, walk

WHIST = load("knockout-whist")
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)


def card(word: str) -> int:
    return "CDHS".index(word[1]) * 13 + "23456789TJQKA".index(word[0])


def mask(words: str) -> int:
    return sum(1 << card(word) for word in words.split())


def dealt(*hands: str, trump: int = HEARTS) -> State:
    game = load("knockout-whist", players=len(hands), cards=len(hands[0].split()))
    return game.state({"hands": [mask(hand) for hand in hands], "trump": trump})


def names(state: State) -> list[str]:
    return [state.name(action) for action in state.legal]


@given(st.integers(1, (1 << 52) - 1))
def test_the_nth_card(pool: int):
    nth = WHIST.functions["start"].__globals__["nth"]
    assert [nth(pool, n) for n in range(pool.bit_count())] == [card for card in range(52) if pool >> card & 1]


def test_a_round_of_two():
    state = dealt("AS KS 2C", "3S 4H 5C")
    assert state.mover == 0 and names(state) == ["2C", "KS", "AS"]
    state = state.play("AS")
    assert state.mover == 1 and names(state) == ["3S"]  # must follow
    state = state.play("3S")
    assert state.mover == 0 and list(state.fields.tricks) == [1, 0] and state.returns == (0, 0)
    state = state.play("KS")
    assert names(state) == ["5C", "4H"]  # has no spade left: anything goes
    state = state.play("4H")
    assert state.mover == 1 and list(state.fields.tricks) == [1, 1]  # trumped
    assert list(state.fields.voids) == [0, 1 << SPADES]
    state = state.play("5C").play("2C")
    assert state.over and list(state.fields.tricks) == [1, 2] and state.returns == (-1, 1)


@pytest.mark.parametrize(
    "hands, taker",
    [
        (("2S", "AC", "3S", "AD"), 2),  # the highest of the suit led, not the highest card
        (("AS", "2H", "3H", "KS"), 2),  # the highest trump
        (("2H", "AS", "KH", "AC"), 2),  # trumps led
        (("5S", "4S", "3S", "2S"), 0),
    ],
)
def test_who_takes_a_trick(hands: tuple[str, ...], taker: int):
    state = dealt(*hands).replay(hands)
    assert state.over and list(state.fields.tricks) == [int(player == taker) for player in range(4)]
    assert state.returns == tuple(1 if player == taker else -1 / 3 for player in range(4))


def test_who_took_the_trick_leads_and_play_goes_round():
    state = dealt("2S 3S", "AS 2C", "4S 3C").replay(["2S", "AS", "4S"])
    assert state.mover == 1
    assert state.play("2C").mover == 2 and state.replay(["2C", "3C"]).mover == 0


@pytest.mark.parametrize(
    "tricks, expected",
    [
        ([3, 4], (-1, 1)),
        ([3, 3], (0, 0)),
        ([2, 2, 2], (0, 0, 0)),
        ([3, 3, 1], (0.25, 0.25, -0.5)),
        ([2, 2, 2, 1], (1 / 9, 1 / 9, 1 / 9, -1 / 3)),
        ([3, 3, 0, 1], (1 / 3, 1 / 3, -1 / 3, -1 / 3)),
        ([0, 7, 0, 0], (-1 / 3, 1, -1 / 3, -1 / 3)),
    ],
)
def test_returns_and_ties(tricks: list[int], expected: tuple[float, ...]):
    state = load("knockout-whist", players=len(tricks), cards=sum(tricks)).state({"tricks": tricks})
    assert state.over and state.returns == pytest.approx(expected) and sum(state.returns) == pytest.approx(0)


def test_deals_and_trumps_are_as_likely():
    deals = starts(load("knockout-whist", suits=2, ranks=3, cards=2))
    assert len(deals) == 2 * comb(6, 2) * comb(4, 2) and {p for p, _ in deals} == {Fraction(1, len(deals))}
    assert {s.fields.trump for _, s in deals} == {0, 1}
    for _, state in deals:
        assert not state.fields.hands[0] & state.fields.hands[1]


# Worlds


@pytest.mark.parametrize(
    "parameters, every",
    [
        ({"players": 2, "suits": 2, "ranks": 3, "cards": 2}, 3),
        ({"players": 2, "suits": 3, "ranks": 2, "cards": 2}, 9),
        ({"players": 3, "suits": 2, "ranks": 3, "cards": 2}, 17),
    ],
)
def test_worlds_are_exact(parameters: dict[str, int], every: int):
    """Whole small games, against every deal that goes the same way."""
    assert check_worlds_are_exact(load("knockout-whist", **parameters), depth=4, every=every) > 100


def consistent(state: State, player: int) -> set[tuple[int, ...]]:
    """Every deal of the unseen cards that keeps hand sizes and shown voids, tried one after the other."""
    fields, game = state.fields, state.game
    ranks = game.parameters["ranks"]
    unseen = {c for c in range(game.actions) if not (fields.played | fields.hands[player]) >> c & 1}
    deals: list[tuple[list[int], set[int]]] = [([], unseen)]
    for other in range(game.players):
        after = []
        for hands, pool in deals:
            if other == player:
                after.append(([*hands, fields.hands[player]], pool))
                continue
            can = [c for c in pool if not fields.voids[other] >> c // ranks & 1]
            has_played = (other - fields.leader) % game.players < fields.count
            for hand in combinations(can, game.parameters["cards"] - sum(fields.tricks) - has_played):
                after.append(([*hands, sum(1 << c for c in hand)], pool - set(hand)))
        deals = after
    return {tuple(hands) for hands, _ in deals}


@pytest.mark.parametrize(
    "parameters",
    [
        {"players": 4, "suits": 3, "ranks": 4, "cards": 3},
        {"players": 4, "suits": 4, "ranks": 4, "cards": 3},
        {"players": 4, "suits": 4, "ranks": 3, "cards": 3},
        {"players": 3, "suits": 4, "ranks": 3, "cards": 3},
        {"players": 2, "suits": 3, "ranks": 4, "cards": 4},
    ],
)
def test_worlds_are_all_deals_that_keep_the_shown_voids(parameters: dict[str, int]):
    """Exactly, by enumerating every draw of determinize; states with different voids are picked out of many random games."""
    game = load("knockout-whist", **parameters)
    kinds = Counter[int]()
    for state in random_states(game, 150):
        for player in range(game.players):
            voids = {state.fields.voids[p] for p in range(game.players) if p != player} - {0}
            if not voids or kinds[len(voids)] >= 6:
                continue
            fits = consistent(state, player)
            if not 1 < len(fits) <= 150:
                continue
            kinds[len(voids)] += 1
            found = {
                tuple(int(h) for h in np.frombuffer(name, game.dtype)[0]["hands"]): probability
                for name, probability in worlds(state, player).items()
            }
            assert found == dict.fromkeys(fits, Fraction(1, len(fits)))
    assert set(kinds) == set(range(1, game.players))


@pytest.mark.parametrize("voids", [[1, 2, 4], [3, 4, 8], [1, 6, 9], [2, 1, 3], [4, 0, 3], [0, 5, 10], [1, 2, 2], [8, 4, 12]])
@pytest.mark.parametrize("ranks, tricks, played, mine", [(3, 1, 0o1111, 0o2200), (4, 2, 0x3337, 0x4000), (4, 2, 0x1377, 0x2000)])
def test_worlds_with_voids_set_up_by_hand(ranks: int, tricks: int, played: int, mine: int, voids: list[int]):
    """The cases that random games seldom give: three players with different voids, with and without cards left over.

    Where some are left over a ninth card is out of the game, which no round could give, so that there are few draws to try.
    """
    game = load("knockout-whist", players=4, suits=4, ranks=ranks, cards=3)
    state = game.state({"hands": [mine, 0, 0, 0], "played": played, "tricks": [tricks, 0, 0, 0], "voids": [0, *voids]})
    fits = consistent(state, 0)
    assert fits
    found = {
        tuple(int(h) for h in np.frombuffer(name, game.dtype)[0]["hands"]): probability
        for name, probability in worlds(state, 0).items()
    }
    assert found == dict.fromkeys(fits, Fraction(1, len(fits)))


def test_nothing_is_drawn_when_nothing_is_hidden():
    game = load("knockout-whist", suits=2, ranks=3, cards=3)  # all cards are dealt, so one hand tells the other
    for state in random_states(game, 5):
        assert worlds(state, 0) == {bytes(state): 1}
        stream = Stream(1)
        before = stream.word
        game.functions["determinize"](game.view(state.copy_array()[0]), 1, stream)
        assert stream.word == before


THREE_VOIDS = {
    "hands": [mask("AS KH QD JC 2C"), mask("2H 3H 4D 5D 6C"), mask("2S 3S 4S 7D 7C"), mask("8S 8H 9H 9C TC")],
    "played": mask("AC KC QC 5S 4H 5H TH AD"),
    "trump": HEARTS,
    "tricks": [1, 1, 0, 0],
    "voids": [0, 1 << SPADES, 1 << HEARTS, 1 << DIAMONDS],
}


def splits(sizes: list[int], voids: list[int], unseen: list[int]) -> dict[tuple[tuple[int, ...], ...], int]:
    """How many deals have so many cards of each suit in each hand, in whole numbers of any size."""
    found = {((), tuple(unseen)): 1}
    for size, void in zip(sizes, voids):
        after: dict = defaultdict(int)
        for (hands, left), ways in found.items():
            for counts in product(*(range(1 if void >> s & 1 else min(n, size) + 1) for s, n in enumerate(left))):
                if sum(counts) == size:
                    factor = np.prod([comb(n, k) for n, k in zip(left, counts)], dtype=object)
                    after[(*hands, counts), tuple(n - k for n, k in zip(left, counts))] += ways * factor
        found = after
    return {hands: ways for (hands, _), ways in found.items()}


def check_chi_square(counts: Counter, expected: dict, total: int) -> None:
    """Far from suspicious: five standard deviations, by the cube root of Wilson and Hilferty; rare cases count as one."""
    usual = {name: share * total for name, share in expected.items() if share * total >= 8}
    rest = total - sum(usual.values())
    square = sum((counts[name] - mean) ** 2 / mean for name, mean in usual.items())
    if rest > 1:
        square += (total - sum(counts[name] for name in usual) - rest) ** 2 / rest
    freedom = len(usual) - (rest <= 1)
    assert ((square / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / (2 / (9 * freedom)) ** 0.5 < 5
    assert not set(counts) - set(expected)


@pytest.mark.compiles
@pytest.mark.parametrize("voids", [[1 << SPADES, 1 << HEARTS, 1 << DIAMONDS], [9, 8, 2], [1 << SPADES, 0, 7], [3, 5, 9]])
def test_the_whole_deck_by_chi_square(voids: list[int]):
    """Fifty-two cards, four players, where the numbers of deals are above 32 bits: machine code against whole numbers."""
    game = load("knockout-whist", players=4)
    state = game.state({**THREE_VOIDS, "voids": [0, *voids]})
    seen = THREE_VOIDS["played"] | THREE_VOIDS["hands"][0]
    unseen = [(~(seen >> 13 * suit) & 8191).bit_count() for suit in range(4)]
    ways = splits([5, 5, 5], voids, unseen)
    everything = sum(ways.values())
    assert everything > 1 << 32
    determinize, samples = bind(game).role("determinize"), 12_000
    rng = np.array([(Stream(7).word,)], np.dtype([("word", np.uint64)]))
    counts, drawn = Counter(), np.zeros((samples, 4), np.uint64)
    array = state.copy_array()
    for sample in range(samples):
        determinize(array[0], 0, rng[0])
        drawn[sample] = array[0]["hands"]
    others = drawn[:, 1] | drawn[:, 2] | drawn[:, 3]
    assert (drawn[:, 0] == THREE_VOIDS["hands"][0]).all() and (np.bitwise_count(drawn) == 5).all()
    assert not (others & np.uint64(seen)).any() and (np.bitwise_count(others) == 15).all()
    suits = np.bitwise_count(drawn[:, 1:, None] >> 13 * np.arange(4, dtype=np.uint64) & np.uint64(8191))
    for split, number in zip(*np.unique(suits, axis=0, return_counts=True)):
        counts[tuple(map(tuple, split.tolist()))] = int(number)
    expected = {split: way / everything for split, way in ways.items()}
    check_chi_square(counts, expected, samples)
    holders = (drawn[:, :, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)).sum(axis=0)
    for player in (1, 2, 3):
        for c in range(52):
            mean = sum(share * split[player - 1][c // 13] for split, share in expected.items()) / unseen[c // 13]
            share = 0 if seen >> c & 1 else mean
            assert abs(holders[player, c] / samples - share) <= 5 * (share * (1 - share) / samples) ** 0.5


def test_numbers_of_deals_fit_64_bits():
    """The most deals to weigh: all three others have shown a void, so they have played, and 52 - 3 - 7 cards are unseen."""
    assert factorial(42) // (factorial(6) ** 3 * factorial(24)) < 1 << 63


def test_wide_draws_are_cut_fairly():
    below_wide = WHIST.functions["determinize"].__globals__["below_wide"]

    class Told:
        def __init__(self, *halves: int) -> None:
            self.halves = list(halves)

        def below(self, n: int) -> int:
            assert n in (1 << 31, 1 << 32)
            return self.halves.pop(0)

    n = (1 << 62) + 1  # one whole multiple fits 63 bits
    assert below_wide(Told(0, 5), n) == 5
    assert below_wide(Told(1 << 30, 0), n) == n - 1
    assert below_wide(Told(1 << 30, 1, 0, 3), n) == 3  # a word of the second, incomplete multiple is drawn again
    assert below_wide(Told((1 << 31) - 1, (1 << 32) - 1, 0, 4), n) == 4
    assert below_wide(Told((1 << 31) - 1, (1 << 32) - 1), 1 << 40) == (1 << 40) - 1


def test_shown_voids_are_kept_and_others_vary():
    state = dealt("AS KS 2C", "3S 4H 5C").replay(["AS", "3S", "KS", "4H"])
    for seed in range(100):
        hand = world(state, 0, seed).fields.hands[1]
        assert hand.bit_count() == 1 and not hand >> 39  # no spade
    assert len({world(state, 0, seed).fields.hands[1] for seed in range(100)}) > 20


# Showing


def test_names_draw_and_what_a_viewer_sees():
    state = dealt("AS KS 2C", "3S 4H 5C").replay(["AS", "3S", "KS"])
    assert state.draw() == ("  player 0: 2C, 1 trick\n> player 1: 4H 5C, 0 tricks\n  trump: hearts\n  trick: player 0 KS")
    assert state.draw(0).splitlines()[1] == "> player 1: ?? ??, 0 tricks"
    assert state.draw(1).splitlines()[0] == "  player 0: ??, 1 trick"
    after = state.play("4H")
    assert after.draw(0).splitlines()[1:] == [
        "> player 1: ??, 1 trick, no spades",
        "  trump: hearts",
        "  last trick: player 0 KS, player 1 4H",
    ]
    assert "4♥" not in state.svg(0) and "4♥" in state.svg(1) and "4♥" in after.svg(0) and "2♣" not in state.svg(1)
    assert after.replay(["5C", "2C"]).draw().splitlines()[:2] == ["  player 0: -, 1 trick", "  player 1: -, 2 tricks, no spades"]
    small = load("knockout-whist", suits=1, ranks=3, cards=1)
    assert [small.start().name(action) for action in range(3)] == ["QC", "KC", "AC"]


@pytest.mark.parametrize("parameters", [{}, {"players": 3, "cards": 3}, {"players": 4, "suits": 3, "ranks": 4, "cards": 3}])
def test_hides(parameters: dict[str, int]):
    assert check_hides(load("knockout-whist", **parameters), games=2, seeds=3) > 10


def test_keys():
    """States that differ in anything but a trick that lies complete have different keys; the same position has one key."""
    states = list(random_states(load("knockout-whist", players=3, cards=3), 40))
    assert len({key_of(state) for state in states}) == len({bytes(state) for state in states})
    state = dealt("AS KS 2C", "3S 4S 5C")
    one, other = state.replay(["AS", "3S", "KS", "4S"]), state.replay(["KS", "4S", "AS", "3S"])
    assert bytes(one) != bytes(other) and key_of(one) == key_of(other)


@pytest.mark.compiles
@pytest.mark.parametrize("parameters", [{}, {"players": 4, "suits": 3, "ranks": 4, "cards": 3}, {"players": 4}])
def test_compiled(parameters: dict[str, int]):
    game = load("knockout-whist", **parameters)
    check_compiles(game, games=4)


def test_contract():
    check_contract(WHIST)
    check_contract(load("knockout-whist", players=3, cards=3))


@settings(max_examples=10, deadline=None)
@given(choices, st.integers(0, 1000))
def test_random_play(numbers: list[int], seed: int):
    games: list[Game] = [WHIST, load("knockout-whist", players=4, cards=3)]
    for game in games:
        states = walk(game, [*numbers, *range(28)], seed)
        for state in states[:: max(1, len(states) // 3)]:
            check_state(state)
        assert states[-1].over and len(states) == 1 + game.players * game.parameters["cards"]
        assert abs(sum(states[-1].returns)) < 1e-12


def test_parameter_errors():
    for parameters, message in [
        ({"players": 5}, "parameter players=5 is out of range: players must be from 2 to 4"),
        ({"cards": 8}, "parameter cards=8 is out of range: cards of each player must be from 1 to 7"),
        ({"suits": 0}, "parameter suits=0 is out of range: suits in the deck must be from 1 to 4"),
        ({"ranks": 1}, "parameter ranks=1 is out of range: ranks in each suit, the ace downwards must be from 2 to 13"),
        (
            {"players": 4, "suits": 2, "ranks": 13},
            "4 players cannot get 7 cards each from a deck of 26; take fewer, or more suits and ranks",
        ),
    ]:
        with pytest.raises(PlayoutError) as error:
            load("knockout-whist", **parameters)
        assert str(error.value) == message
