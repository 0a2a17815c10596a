"""Flaws that the audit was developed with, most of them late in a game, rare, or only for some: `bench/audit.py --developed`."""

from __future__ import annotations

from collections.abc import Callable

from playout import Game, below, load, popcount
from tests.checker.leaks import changed, helper
from tests.checker.scouts import forgets, scouts
from tests.checker.tricky import letter, letter_determinize, letter_mover, letter_worlds

STAIRCASE = "tests/sketches/solitaire.py"


def honest(spec: str):
    return load(spec).functions["determinize"]


def last_tricks_true() -> Game:
    """Whist: with two cards left or fewer, the other's hand is the real one."""
    deal = honest("knockout-whist")

    def determinize(state, player, rng):
        if popcount(state.hands[player]) > 2:
            deal(state, player, rng)

    return changed("knockout-whist", determinize=determinize)


def neighbour_known_late() -> Game:
    """Whist for four: from the fifth trick on, the next player's hand is the real one wherever that fits."""
    spec = "knockout-whist:players=4"
    deal, done = honest(spec), helper(spec, "tricks_done")

    def determinize(state, player, rng):
        beside = (player + 1) % 4
        real = state.hands[beside]
        deal(state, player, rng)
        if done(state) >= 4 and state.hands[beside] != real:
            # The cards that are missing change places with those that are too many.
            for other in range(4):
                if other not in (player, beside):
                    taken = state.hands[other] & real
                    given = state.hands[beside] & ~real
                    while taken and given:
                        low, high = taken & -taken, given & -given
                        state.hands[other] ^= low | high
                        state.hands[beside] ^= low | high
                        taken ^= low
                        given ^= high

    return changed(spec, determinize=determinize)


def sorted_end() -> Game:
    """Scoundrel: the last eight hidden cards or fewer lie in rising order."""
    deal = honest("scoundrel")

    def determinize(state, player, rng):
        deal(state, player, rng)
        first = state.cards - state.unknown
        if 1 < state.unknown <= 8:
            for i in range(first, state.cards):
                for j in range(i + 1, state.cards):
                    if state.dungeon[j] < state.dungeon[i]:
                        state.dungeon[i], state.dungeon[j] = state.dungeon[j], state.dungeon[i]

    return changed("scoundrel", determinize=determinize)


def after_an_avoid() -> Game:
    """Scoundrel: right after a room was avoided, the next four cards are the real ones."""
    shuffle = helper("scoundrel", "shuffle")

    def determinize(state, player, rng):
        first, end = state.cards - state.unknown, state.cards
        if state.avoided:
            end = max(first, state.cards - 4)
        shuffle(state, first, end, rng)

    return changed("scoundrel", determinize=determinize)


def board_card_again() -> Game:
    """Leduc: after a raise in the second round, the other's card may be the one that lies open."""

    def determinize(state, player, rng):
        if state.round < 2:
            card = state.cards[player]
            open_card = 0 if state.round == 1 and state.raises > 0 else state.board
            while card == state.cards[player] or card == open_card:
                card = 1 + below(rng, 6)
            state.cards[1 - player] = card

    return changed("leduc-poker", determinize=determinize)


def believes_bids() -> Game:
    """Liar's dice: once the bids are high, worlds in which the last one holds are drawn twice as often."""
    spec = "liars-dice:dice=2,faces=4"
    roll, counted = honest(spec), helper(spec, "counted")

    def determinize(state, player, rng):
        roll(state, player, rng)
        if state.last > 8 and not state.called:
            quantity, face = (state.last - 1) // 4 + 1, (state.last - 1) % 4 + 1
            if counted(state, face) < quantity and below(rng, 2):
                roll(state, player, rng)

    return changed(spec, determinize=determinize)


def old_sights_forgotten() -> Game:
    """Letter: from the sixth turn on, what was shown or guessed no longer counts."""

    def determinize(state, player, rng):
        letter_worlds(state, player, rng, state.turns < 5)

    return letter(determinize=determinize)


def new_card_true() -> Game:
    """Letter: to the one who waits, the card that the other has just drawn is the real one where that can be."""

    def determinize(state, player, rng):
        real = state.hands[1 - player, 1]
        letter_determinize(state, player, rng)
        if letter_mover(state) == 1 - player and state.hands[1 - player, 1] != real:
            for i in range(len(state.deck)):
                if state.deck[i] == real:
                    state.deck[i], state.hands[1 - player, 1] = state.hands[1 - player, 1], real
                    break

    return letter(determinize=determinize)


def card_aside_true() -> Game:
    """Letter: the card that was laid aside stays where it is."""

    def determinize(state, player, rng):
        real = state.deck[0]
        letter_determinize(state, player, rng)
        if letter_mover(state) >= 0 and state.deck[0] != real:
            for i in range(1, len(state.deck)):
                if state.deck[i] == real:
                    state.deck[i], state.deck[0] = state.deck[0], real
                    break

    return letter(determinize=determinize)


def half_hearted() -> Game:
    """Letter: of what was shown only every other world takes note."""

    def determinize(state, player, rng):
        letter_worlds(state, player, rng, below(rng, 2) == 1)

    return letter(determinize=determinize)


def never_the_centre() -> Game:
    """Phantom tic-tac-toe: from the sixth turn on, a hidden mark is never in the centre if it can be elsewhere."""
    deal = honest("phantom-tic-tac-toe")

    def determinize(state, player, rng):
        before = [int(state.marks[1 - player]), int(state.found[1 - player])]
        for _ in range(6):
            state.marks[1 - player], state.found[1 - player] = before
            deal(state, player, rng)
            if state.turns < 5 or not state.marks[1 - player] & ~state.found[player] & 16:
                break

    return changed("phantom-tic-tac-toe", determinize=determinize)


def trumps_true() -> Game:
    """Whist: which trumps the other holds is right in every world."""
    spec = "knockout-whist"
    suit, ranks, take = helper(spec, "SUIT"), helper(spec, "ranks"), helper(spec, "take")
    deal, full, size = honest(spec), helper(spec, "FULL"), helper(spec, "hand_size")

    def determinize(state, player, rng):
        other = 1 - player
        trumps = state.hands[other] & suit << ranks * state.trump
        rest = full & ~(state.played | state.hands[player]) & ~(suit << ranks * state.trump)
        for led in range(4):
            if state.voids[other] >> led & 1:
                rest &= ~(suit << ranks * led)
        wanted = size(state, other) - popcount(trumps)
        if popcount(rest) >= wanted:
            state.hands[other] = trumps | take(rest, wanted, rng)
        else:
            deal(state, player, rng)

    return changed(spec, determinize=determinize)


def parity_kept() -> Game:
    """Staircase: once half of the deck is gone, cards change places only with the next but one."""
    shuffle = honest(STAIRCASE)

    def determinize(state, player, rng):
        first, last = state.top + 1, state.end - state.known
        if state.top < 6:
            shuffle(state, player, rng)
            return
        for i in range(last - 1, first + 1, -1):
            j = i - 2 * below(rng, (i - first) // 2 + 1)
            state.deck[i], state.deck[j] = state.deck[j], state.deck[i]

    return changed(STAIRCASE, determinize=determinize)


def warned_of_monsters() -> Game:
    """Scoundrel: with fewer than 12 cards left, the drawing says whether a monster comes next."""
    shown = load("scoundrel").functions["draw"]

    def draw(state, viewer):
        beast = 0 < state.cards < 12 and state.dungeon[state.cards - 1] >= 32
        return shown(state, viewer) + ("\nbeware" if beast else "")

    return changed("scoundrel", draw=draw)


def winning_card() -> Game:
    """Whist: the name of a card says, in the last three tricks, when nothing in the other's hand beats it."""
    names, beats = load("knockout-whist").functions["action_name"], helper("knockout-whist", "beats")

    def action_name(state, action, viewer):
        word = names(state, action, viewer)
        player = int(load("knockout-whist").functions["mover"](state))
        if player < 0 or popcount(state.hands[player]) > 3 or state.count:
            return word
        other = state.hands[1 - player]
        return word + ("" if any(other >> card & 1 and beats(state, card, action) for card in range(52)) else "!")

    return changed("knockout-whist", action_name=action_name)


PLANTED: dict[str, Callable[[], Game]] = {
    "whist, the last two tricks are true (late)": last_tricks_true,
    "whist for 4, a neighbour's real hand from trick five (late)": neighbour_known_late,
    "Scoundrel, the last eight cards rise (late)": sorted_end,
    "Scoundrel, four real cards after an avoid (rare)": after_an_avoid,
    "Leduc, the open card again after a raise (rare)": board_card_again,
    "liar's dice, believes high bids (late)": believes_bids,
    "letter, forgets from turn six (late)": old_sights_forgotten,
    "letter, the new card true to one who waits": new_card_true,
    "letter, the card laid aside is true": card_aside_true,
    "letter, forgets in every other world": half_hearted,
    "phantom, never the centre from turn six (late)": never_the_centre,
    "whist, real trumps": trumps_true,
    "Staircase, cards keep to odd and even places (late)": parity_kept,
    "Scoundrel, a drawing that warns of the next card (late)": warned_of_monsters,
    "whist, a name that tells a winning card (late)": winning_card,
    "scouts, forgets the card that it was shown (rare)": lambda: scouts(determinize=forgets),
}
