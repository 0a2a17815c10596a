"""Fifteen flaws and twelve honest games, written when the audit was finished and had never seen them: `bench/audit.py --planted`."""

from __future__ import annotations

from collections.abc import Callable

from playout import Game, below, load, popcount
from tests.checker.bits import some
from tests.checker.earlier import BEAT_IT
from tests.checker.flaws import STAIRCASE, honest
from tests.checker.leaks import changed, helper
from tests.checker.salon import (
    CARDS,
    ROLES,
    ROUNDS,
    SEATS,
    TURNS,
    court,
    court_by_counting,
    court_determinize,
    court_fits,
    court_mover,
    court_saw,
    market,
    market_by_trying,
    market_worlds,
    sealed,
    sealed_determinize,
)
from tests.checker.scouts import ALL as SCOUTED
from tests.checker.scouts import mover as scouts_mover
from tests.checker.scouts import scouts
from tests.checker.scouts import worlds as scouts_worlds

AVOIDED = "scoundrel:shuffle_avoided=true"


def second_shuffle_forgotten() -> Game:
    """Market: what is known of the other's hand counts for nothing after the second time that the pile was shuffled."""

    def determinize(state, player, rng):
        if state.turns < TURNS:
            market_worlds(state, player, rng, 0 if state.shuffles == 2 else state.known[player])

    return market(determinize=determinize)


def second_seat_forgets() -> Game:
    """Market: player 1 forgets the highest card that it knows the other to hold, once it knows but one or two."""

    def determinize(state, player, rng):
        if state.turns < TURNS:
            known = state.known[player]
            if player == 1 and popcount(known) <= 2:
                for card in range(CARDS - 1, -1, -1):
                    if known >> card & 1:
                        known ^= 1 << card
                        break
            market_worlds(state, player, rng, known)

    return market(determinize=determinize)


def deck_shown() -> Game:
    """Market: once the pile was shuffled, the drawing says when the three highest cards are all in the deck."""

    def draw(state, viewer):
        own = [str(card) for card in range(CARDS) if viewer is None or state.hands[viewer] >> card & 1]
        rich = state.shuffles > 0 and state.deck >> CARDS - 3 & 7 == 7
        return f"turn {state.turns}, hand {' '.join(own)}" + (", high cards to come" if rich and state.turns < TURNS else "")

    return market(draw=draw)


def who_waits_forgets() -> Game:
    """Court: who is next to act but one takes any role for possible that was guessed of the one after it."""

    def determinize(state, player, rng):
        after = (player + 1) % SEATS
        ruled = state.ruled[after]
        if court_mover(state) >= 0 and (court_mover(state) + 2) % SEATS == player and popcount(ruled) >= 2:
            state.ruled[after] = 0
        court_determinize(state, player, rng)
        state.ruled[after] = ruled

    return court(determinize=determinize)


def look_lost_after_a_guess() -> Game:
    """Court: the role that was looked at is forgotten once that seat was guessed three times."""

    def determinize(state, player, rng):
        saw = state.saw[player]
        if popcount(state.ruled[(player + 1) % SEATS]) >= 3:
            state.saw[player] = 0
        court_determinize(state, player, rng)
        state.saw[player] = saw

    return court(determinize=determinize)


def one_after_the_other() -> Game:
    """Court: a role that fits the first seat, and then one of those left that fits the second; begun again where there is none."""

    def determinize(state, player, rng):
        if state.turns < ROUNDS:
            one, two = (player + 1) % SEATS, (player + 2) % SEATS
            first, second, tried = 0, 0, 0
            while second == 0:
                first = state.role[one] if state.found[one] else 1 + below(rng, ROLES)
                if first == state.role[player] or not court_fits(state, player, one, first):
                    continue
                tried = 0
                while tried < 40 and second == 0:
                    tried += 1
                    second = state.role[two] if state.found[two] else 1 + below(rng, ROLES)
                    if second == first or second == state.role[player] or not court_fits(state, player, two, second):
                        second = 0
            state.role[one] = first
            state.role[two] = second
            court_saw(state, player)

    return court(determinize=determinize)


def seal_broken() -> Game:
    """Sealed: in the last three rounds the other's bid is the real one, in every third world."""

    def determinize(state, player, rng):
        bid = state.bid[1 - player]
        sealed_determinize(state, player, rng)
        if 3 <= state.round <= 5 and bid > 0 and below(rng, 3) == 0:
            state.bid[1 - player] = bid

    return sealed(determinize=determinize)


def best_trump_feared() -> Game:
    """Whist: the highest trump that was not seen is dealt to the other again where it was not, every other time."""
    deal, ranks = honest("knockout-whist"), helper("knockout-whist", "ranks")

    def determinize(state, player, rng):
        deal(state, player, rng)
        for rank in range(ranks - 1, -1, -1):
            card = ranks * state.trump + rank
            if (state.played | state.hands[player]) >> card & 1 == 0:
                if state.hands[1 - player] >> card & 1 == 0 and below(rng, 2) == 0:
                    deal(state, player, rng)
                break

    return changed("knockout-whist", determinize=determinize)


def hope_at_low_health() -> Game:
    """Scoundrel: with a health of five or less, a monster that would come next changes places with the card below it."""
    deal = honest("scoundrel")

    def determinize(state, player, rng):
        deal(state, player, rng)
        top = state.cards - 1
        if state.health <= 5 and state.unknown >= 2 and state.dungeon[top] < 32:
            card = state.dungeon[top]
            state.dungeon[top] = state.dungeon[top - 1]
            state.dungeon[top - 1] = card

    return changed("scoundrel", determinize=determinize)


def second_room_in_order() -> Game:
    """Scoundrel with avoided rooms shuffled: of the rooms below, only the one that was avoided last is redrawn, the others lie as they do."""
    shuffle = helper(AVOIDED, "shuffle")

    def determinize(state, player, rng):
        known = state.cards - state.unknown
        shuffle(state, known, state.cards, rng)
        shuffle(state, 0, min(4, known), rng)

    return changed(AVOIDED, determinize=determinize)


def pair_sees() -> Game:
    """Liar's dice: who has a pair is told the other's higher die."""
    spec = "liars-dice:dice=2"
    roll = honest(spec)

    def determinize(state, player, rng):
        high = state.dice[1 - player, 1]
        roll(state, player, rng)
        if not state.called and state.dice[player, 0] == state.dice[player, 1]:
            state.dice[1 - player, 1] = high
            state.dice[1 - player, 0] = 1 + below(rng, high)

    return changed(spec, determinize=determinize)


def refused_beforehand() -> Game:
    """Phantom tic-tac-toe: from the seventh turn on, the name of a cell says that it is taken."""
    names = load("phantom-tic-tac-toe").functions["action_name"]

    def action_name(state, action, viewer):
        taken = state.turns >= 6 and state.winner == 0 and state.marks[1 - (state.turns & 1)] >> action & 1
        return names(state, action, viewer) + ("?" if taken else "")

    return changed("phantom-tic-tac-toe", action_name=action_name)


def shown_to_one_who_waits() -> Game:
    """Beat it: the drawing tells one who waits whether the other can beat what it led."""

    def draw(state, viewer):
        acts = state.player
        can = state.led >= 0 and any(state.place[card] == 2 + acts for card in range(state.led + 1, 12))
        return f"led {state.led}" + (" and lost" if can and viewer == 1 - acts else "")

    return changed(BEAT_IT, draw=draw)


def bottom_card_stays() -> Game:
    """Staircase: after two tucks the lowest card that is not known stays where it is."""
    shuffle = helper(STAIRCASE, "shuffle")

    def determinize(state, player, rng):
        last = state.end - state.known
        shuffle(state, state.top + 1, last - 1 if state.tucks >= 2 and last - state.top > 2 else last, rng)

    return changed(STAIRCASE, determinize=determinize)


def only_one_scout() -> Game:
    """Scouts: of two cards that were shown and are still held only the lower one is remembered."""

    def determinize(state, player, rng):
        if scouts_mover(state) >= 0:
            known = state.shown[player] & ~state.gone
            scouts_worlds(state, player, rng, known & -known)

    return scouts(determinize=determinize)


PLANTED: dict[str, Callable[[], Game]] = {
    "market, forgets after the second shuffle (late)": second_shuffle_forgotten,
    "market, player 1 forgets one of the last known (late)": second_seat_forgets,
    "market, a drawing that tells of the deck (rare)": deck_shown,
    "court, forgets guesses while it waits (late)": who_waits_forgets,
    "court, forgets a look after three guesses (rare)": look_lost_after_a_guess,
    "court, roles drawn one after the other": one_after_the_other,
    "sealed, a third of the last bids are true (late)": seal_broken,
    "whist, the best trump more often": best_trump_feared,
    "Scoundrel, no monster next at low health (rare)": hope_at_low_health,
    "Scoundrel, order kept in the rooms below (rare)": second_room_in_order,
    "liar's dice, who has a pair sees a die (rare)": pair_sees,
    "phantom, names of taken cells from turn seven (late)": refused_beforehand,
    "beat it, a drawing for one who waits": shown_to_one_who_waits,
    "Staircase, a card stays after two tucks (rare)": bottom_card_stays,
    "scouts, remembers one card of two (rare)": only_one_scout,
}


def scouts_by_trying() -> Game:
    """Scouts, the cards that were shown first, and then one after the other of those left."""

    def determinize(state, player, rng):
        if scouts_mover(state) < 0:
            return
        known, other = state.shown[player] & ~state.gone, 1 - player
        size = popcount(state.hands[other])
        pool = SCOUTED & ~(state.gone | state.hands[player])
        hand = pool & 0
        for card in range(48):
            if known >> card & 1:
                hand |= 1 << card
        while popcount(hand) < size:
            hand |= some(pool & ~hand, 1, rng)
        state.hands[other] = hand

    return scouts(determinize=determinize)


def whist_by_selection() -> Game:
    """Whist, every card that the other may hold taken or left in turn, by how many are still wanted of those still to come."""
    size, full, suit_of = (helper("knockout-whist", name) for name in ("hand_size", "FULL", "suit_of"))

    def determinize(state, player, rng):
        other = 1 - player
        pool = full & ~(state.played | state.hands[player])
        for card in range(52):
            if state.voids[other] >> suit_of(card) & 1:
                pool &= ~(1 << card)
        wanted, left, hand = size(state, other), popcount(pool), pool & 0
        for card in range(52):
            if pool >> card & 1:
                if below(rng, left) < wanted:
                    hand |= 1 << card
                    wanted -= 1
                left -= 1
        state.hands[other] = hand

    return changed("knockout-whist", determinize=determinize)


def dice_by_the_higher() -> Game:
    """Liar's dice, the higher die drawn first, by how many of 36 throws have it, then the lower one."""

    def determinize(state, player, rng):
        if not state.called:
            throw, high = below(rng, 36), 0
            while throw >= 0:
                high += 1
                throw -= 2 * high - 1
            low = below(rng, 2 * high - 1)
            state.dice[1 - player, 0] = 1 + low // 2
            state.dice[1 - player, 1] = high

    return changed("liars-dice:dice=2", determinize=determinize)


def leduc_by_rank_and_suit() -> Game:
    """Leduc, a rank by how many of it are left, then one of those."""

    def determinize(state, player, rng):
        if state.round < 2:
            own, board = state.cards[player], state.board
            place, card = below(rng, 4 if board > 0 else 5), 0
            for rank in range(3):
                for suit in range(2):
                    there = 1 + 2 * rank + 1 - suit
                    if there != own and there != board:
                        if place == 0:
                            card = there
                        place -= 1
            state.cards[1 - player] = card

    return changed("leduc-poker", determinize=determinize)


def rooms_inside_out() -> Game:
    """Scoundrel with avoided rooms shuffled, all by random swaps from the bottom up."""

    def mixed(state, first, end, rng):
        for i in range(first + 1, end):
            j = first + below(rng, i - first + 1)
            card = state.dungeon[i]
            state.dungeon[i] = state.dungeon[j]
            state.dungeon[j] = card

    def determinize(state, player, rng):
        known = state.cards - state.unknown
        mixed(state, known, state.cards, rng)
        for first in range(0, known, 4):
            mixed(state, first, min(first + 4, known), rng)

    return changed(AVOIDED, determinize=determinize)


def beat_it_by_trying() -> Game:
    """Beat it, the hand taken card by card from anywhere, what cannot be put back at once."""

    def determinize(state, player, rng):
        held = 0
        for card in range(12):
            if state.place[card] == 3 - player:
                state.place[card] = 0
                held += 1
        while held > 0:
            card = below(rng, 12)
            if state.place[card] == 0 and card < state.ceiling[1 - player]:
                state.place[card] = 3 - player
                held -= 1

    return changed(BEAT_IT, determinize=determinize)


TRICKY: dict[str, Callable[[], Game]] = {
    "market": market,
    "market, by trying": lambda: market(determinize=market_by_trying),
    "court": court,
    "court, by counting": lambda: court(determinize=court_by_counting),
    "sealed": sealed,
    "scouts, card by card": scouts_by_trying,
    "whist, by selection": whist_by_selection,
    "liar's dice, the higher die first": dice_by_the_higher,
    "Leduc, by rank and suit": leduc_by_rank_and_suit,
    "Scoundrel, rooms from the bottom up": rooms_inside_out,
    "beat it, by trying": beat_it_by_trying,
    "Staircase with nine tucks": lambda: load(f"{STAIRCASE}:tucks=9"),
}
"""Honest, and easy to get wrong or to suspect."""
