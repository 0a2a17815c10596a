"""Fifteen flaws and twelve honest games that an earlier audit had never seen; since then it was developed with them: `bench/audit.py --developed`."""

from __future__ import annotations

from collections.abc import Callable

from playout import Game, below, load, popcount
from tests.checker.flaws import STAIRCASE, honest
from tests.checker.leaks import changed, helper
from tests.checker.parlour import (
    ALL,
    CARDS,
    DICE,
    SEATS,
    cups,
    cups_by_trying,
    cups_determinize,
    cups_mover,
    spy,
    spy_by_trying,
    spy_determinize,
    spy_known,
    spy_mover,
    spy_worlds,
)
from tests.checker.tricky import letter

BEAT_IT = "examples/beat_it.py"
WHIST_3 = "knockout-whist:players=3"


def look_forgotten() -> Game:
    """Spy: the card that was looked at counts for nothing."""

    def determinize(state, player, rng):
        if spy_mover(state) >= 0:
            spy_worlds(state, player, rng, 0, ALL & ~(state.gone | state.hands[player]))

    return spy(determinize=determinize)


def look_forgotten_late() -> Game:
    """Spy: it is forgotten when the other has two cards left."""

    def determinize(state, player, rng):
        if spy_mover(state) >= 0:
            known = 0 if popcount(state.hands[1 - player]) <= 2 else spy_known(state, player)
            spy_worlds(state, player, rng, known, ALL & ~(state.gone | state.hands[player]))

    return spy(determinize=determinize)


def what_it_saw() -> Game:
    """Spy: who waits is told which of its cards the other has seen."""

    def determinize(state, player, rng):
        real = state.saw[1 - player]
        spy_determinize(state, player, rng)
        if spy_mover(state) == 1 - player:
            state.saw[1 - player] = real

    return spy(determinize=determinize)


def only_what_is_left() -> Game:
    """Spy: the other is taken to have seen a card that one still has, never one that was laid since."""

    def determinize(state, player, rng):
        spy_determinize(state, player, rng)
        if spy_mover(state) >= 0 and state.looked[1 - player] == 1:
            while state.hands[player] > 0 and state.hands[player] >> state.saw[1 - player] - 1 & 1 == 0:
                state.saw[1 - player] = 1 + below(rng, CARDS)

    return spy(determinize=determinize)


def fears_the_best() -> Game:
    """Spy: with two cards left, the other has the highest card that was not seen, twice as often as it should."""

    def determinize(state, player, rng):
        spy_determinize(state, player, rng)
        if spy_mover(state) >= 0 and popcount(state.hands[1 - player]) <= 2:
            best = 0
            for card in range(CARDS):
                if (state.gone | state.hands[player]) >> card & 1 == 0:
                    best = card
            if state.hands[1 - player] >> best & 1 == 0:
                spy_determinize(state, player, rng)

    return spy(determinize=determinize)


def limits_lost_late() -> Game:
    """Cups: in the last round any die may be anything."""

    def determinize(state, player, rng):
        cups_determinize(state, player, rng)
        if state.turns >= 9 and cups_mover(state) >= 0:
            for other in range(SEATS):
                for die in range(DICE):
                    if other != player and state.shown[other, die] == 0:
                        state.dice[other, die] = 1 + below(rng, 6)

    return cups(determinize=determinize)


def low_limit_lost() -> Game:
    """Cups: the limit of a last die is taken for one more where it is one or two."""

    def determinize(state, player, rng):
        cups_determinize(state, player, rng)
        if cups_mover(state) >= 0:
            for other in range(SEATS):
                if other != player and state.shown[other, 3] == 0 and state.most[other, 3] <= 2:
                    state.dice[other, 3] = 1 + below(rng, state.most[other, 3] + 1)

    return cups(determinize=determinize)


def odd_or_even() -> Game:
    """Cups: who waits is told whether the first die of the one to act is odd, where nothing limits it."""

    def determinize(state, player, rng):
        acts = cups_mover(state)
        real = state.dice[max(0, acts), 0]
        cups_determinize(state, player, rng)
        if acts >= 0 and acts != player and state.shown[acts, 0] == 0 and state.most[acts, 0] == 6:
            state.dice[acts, 0] = (real - 1) % 2 + 1 + 2 * below(rng, 3)

    return cups(determinize=determinize)


def next_seat_real() -> Game:
    """Cups: in the last four turns the dice of the next seat are the real ones, every other time."""

    def determinize(state, player, rng):
        seat = (player + 1) % SEATS
        first, second = state.dice[seat, 0], state.dice[seat, 1]
        cups_determinize(state, player, rng)
        if state.turns >= 8 and cups_mover(state) >= 0 and below(rng, 2) == 1:
            state.dice[seat, 0] = first
            state.dice[seat, 1] = second

    return cups(determinize=determinize)


def suits_forgotten_late() -> Game:
    """Whist for three: with three cards left, which suits others are out of is forgotten."""
    deal = honest(WHIST_3)
    size, take, full = helper(WHIST_3, "hand_size"), helper(WHIST_3, "take"), helper(WHIST_3, "FULL")

    def determinize(state, player, rng):
        deal(state, player, rng)
        if popcount(state.hands[player]) <= 3:
            pool = full & ~(state.played | state.hands[player])
            for other in range(3):
                if other != player:
                    state.hands[other] = take(pool, size(state, other), rng)
                    pool ^= state.hands[other]

    return changed(WHIST_3, determinize=determinize)


def real_after_a_void() -> Game:
    """Whist: once the other was out of trumps, its hand is the real one in a third of the worlds."""
    deal = honest("knockout-whist")

    def determinize(state, player, rng):
        real = state.hands[1 - player]
        deal(state, player, rng)
        if state.voids[1 - player] >> state.trump & 1 and below(rng, 3) == 0:
            state.hands[1 - player] = real

    return changed("knockout-whist", determinize=determinize)


def one_too_low() -> Game:
    """Beat it: who could not beat a card is taken not to have the next lower one either, where there are others to deal."""
    deal = honest(BEAT_IT)

    def determinize(state, player, rng):
        other, cards = 1 - player, 12
        deal(state, player, rng)
        top = state.ceiling[other] - 1
        if state.ceiling[other] < cards and top >= 0 and state.place[top] == 2 + other:
            for card in range(top):
                if state.place[card] == 0:
                    state.place[card] = 2 + other
                    state.place[top] = 0
                    break

    return changed(BEAT_IT, determinize=determinize)


def highest_real() -> Game:
    """Beat it: with two cards left, the other's highest one is the real one."""
    deal = honest(BEAT_IT)

    def determinize(state, player, rng):
        other, held, real = 1 - player, 0, -1
        for card in range(12):
            if state.place[card] == 2 + other:
                held, real = held + 1, card
        deal(state, player, rng)
        if 0 < held <= 2 and state.place[real] == 0:
            for card in range(11, -1, -1):
                if state.place[card] == 2 + other:
                    state.place[card] = 0
                    state.place[real] = 2 + other
                    break

    return changed(BEAT_IT, determinize=determinize)


def less_healing() -> Game:
    """Scoundrel: with ten hidden cards left or fewer, a heart that would come next changes places with any of them."""
    deal = honest("scoundrel")

    def determinize(state, player, rng):
        deal(state, player, rng)
        first, top = state.cards - state.unknown, state.cards - 1
        if 2 <= state.unknown <= 10 and state.dungeon[top] >= 48:
            other = first + below(rng, state.unknown)
            card = state.dungeon[top]
            state.dungeon[top] = state.dungeon[other]
            state.dungeon[other] = card

    return changed("scoundrel", determinize=determinize)


def no_jack_raises() -> Game:
    """Leduc: after two raises in the first round, the other is taken to have no jack."""
    deal = honest("leduc-poker")

    def determinize(state, player, rng):
        deal(state, player, rng)
        if state.round == 0 and state.raises == 2:
            while state.cards[1 - player] <= 2:
                deal(state, player, rng)

    return changed("leduc-poker", determinize=determinize)


PLANTED: dict[str, Callable[[], Game]] = {
    "spy, forgets the card it looked at": look_forgotten,
    "spy, forgets it with two cards left (late)": look_forgotten_late,
    "spy, who waits knows what the other saw": what_it_saw,
    "spy, the other saw what is still there (rare)": only_what_is_left,
    "spy, fears the best card at the end (late)": fears_the_best,
    "cups, forgets limits in the last round (late)": limits_lost_late,
    "cups, a low limit of one die is off (rare)": low_limit_lost,
    "cups, who waits knows odd from even": odd_or_even,
    "cups, two real dice every other time (late)": next_seat_real,
    "whist for 3, forgets suits at the end (late)": suits_forgotten_late,
    "whist, a real hand in a third after a void (rare)": real_after_a_void,
    "beat it, one card too low": one_too_low,
    "beat it, the highest card is real at the end (late)": highest_real,
    "Scoundrel, less healing among the last ten (late)": less_healing,
    "Leduc, no jack after two raises (rare)": no_jack_raises,
}


def shuffled_from_below() -> Game:
    """Scoundrel, the hidden cards put in order and shuffled from the other end."""

    def determinize(state, player, rng):
        first = state.cards - state.unknown
        for i in range(first, state.cards):
            for j in range(i + 1, state.cards):
                if state.dungeon[j] < state.dungeon[i]:
                    state.dungeon[i], state.dungeon[j] = state.dungeon[j], state.dungeon[i]
        for i in range(first, state.cards - 1):
            j = i + below(rng, state.cards - i)
            card = state.dungeon[i]
            state.dungeon[i] = state.dungeon[j]
            state.dungeon[j] = card

    return changed("scoundrel", determinize=determinize)


def leduc_by_trying() -> Game:
    """Leduc, the other's card drawn until it is one that nobody sees."""

    def determinize(state, player, rng):
        if state.round < 2:
            card = state.cards[player]
            while card == state.cards[player] or card == state.board:
                card = 1 + below(rng, 6)
            state.cards[1 - player] = card

    return changed("leduc-poker", determinize=determinize)


TRICKY: dict[str, Callable[[], Game]] = {
    "spy": spy,
    "spy, by trying": lambda: spy(determinize=spy_by_trying),
    "cups": cups,
    "cups, by trying": lambda: cups(determinize=cups_by_trying),
    "beat it": lambda: load(BEAT_IT),
    "letter": letter,
    "whist for 3": lambda: load(WHIST_3),
    "Scoundrel, shuffled from below": shuffled_from_below,
    "Leduc, by trying": leduc_by_trying,
    "phantom tic-tac-toe": lambda: load("phantom-tic-tac-toe"),
    "liar's dice, wild": lambda: load("liars-dice:dice=2,faces=3,wild=true"),
    "Staircase": lambda: load(STAIRCASE),
}
"""Honest, and easy to get wrong or to suspect."""
