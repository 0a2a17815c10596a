"""What must hold in every state of a game, by name; `broken` says which law does not."""

import numpy as np

from playout import lowest, pop, popcount
from playout.games.root.cards import CARDS, COPIES, ITEMS, KIND_AT, KINDS, LASTING, LOWS, SORT, SUPPLY, all_of
from playout.games.root.map import CLEARINGS, SLOTS
from playout.games.root.options import DECK, POINTS
from playout.games.root.record import (
    ASKING,
    BUILT_MOST,
    EYRIE,
    KEEP,
    LUMBER,
    MARQUISE,
    NOBODY,
    RECRUITER,
    ROOST,
    ROOSTS,
    SAWMILL,
    STAGES,
    WARRIORS,
    WORKSHOP,
    bits_of,
)

laws = (
    "every number is one that the game knows (a stage, a clearing, a leader, a player)",
    "somebody is asked while the game goes on, and nobody at its end",
    "sets of cards have no unknown cards, and copies are filled from the lowest",
    "every card of the deck is in one place",
    "hand sizes are those of the hands",
    "known cards are held",
    "only lasting cards lie before a player, and none twice",
    "25 Marquise warriors and 20 Eyrie warriors, on the map and in the supply",
    "8 wood, on the map and in the supply",
    "at most 6 buildings of a sort and 7 roosts, one a clearing, as many on the map as counted",
    "no more buildings in a clearing than it has slots",
    "no roost at the keep",
    "as many items as the supply had, or fewer",
    "scores are not below 0, and whoever has the points has won",
    "the sets of clearings say what stands on the map",
)
SINGLE = all_of(kind for kind in range(KINDS) if COPIES[kind] == 1)
"""The kinds of which there is one card."""
SEVERAL = [kind for kind in range(KINDS) if COPIES[kind] > 1]
UNIT = np.array([1 << 5 * SEVERAL.index(kind) if kind in SEVERAL else 0 for kind in KIND_AT], np.int64)
"""What a card of a kind with several copies adds to `counted`, by its bit."""
FIRST_LASTING = LOWS & all_of(kind for kind in range(KINDS) if SORT[kind] == LASTING)
"""One card of each lasting kind."""
MAY_ASK = np.array([stage in ASKING for stage in range(STAGES)])


def broken(state):
    """0, or the number of the first law that does not hold, counted from 1."""
    if not numbers(state):
        return 1
    if (state.asked < 0) != (state.winner > 0) or (state.winner == 0 and not MAY_ASK[state.stage]):
        return 2
    if not sets(state):
        return 3
    if not complete(state):
        return 4
    for player in range(2):
        if popcount(state.hands[player]) != state.sizes[player]:
            return 5
        if state.known[player] & ~state.hands[player] != 0:
            return 6
        if state.crafted[player] & ~FIRST_LASTING != 0:
            return 7
    return broken_pieces(state)


def broken_pieces(state):
    for player in range(2):
        if supplied(state, player) != WARRIORS[player]:
            return 8
    total = state.lumber
    if total < 0:
        return 9
    for clearing in range(CLEARINGS):
        wood = state.wood[clearing]
        total += wood
        if wood < 0:
            return 9
    if total != LUMBER:
        return 9
    counted_right, room = buildings(state)
    if not counted_right:
        return 10
    if not room:
        return 11
    if state.keep >= 0 and state.buildings[ROOST, state.keep] > 0:
        return 12
    for item in range(ITEMS):
        if not 0 <= state.items[item] <= SUPPLY[item]:
            return 13
    for player in range(2):
        enough = state.scores[player] >= POINTS
        if state.scores[player] < 0 or (enough and state.winner == 0) or (state.winner == 1 + player and not enough):
            return 14
    return 15 if state.sets[MARQUISE] != surveyed(state)[MARQUISE] or state.sets[EYRIE] != surveyed(state)[EYRIE] else 0


def surveyed(state):
    """What the sets of clearings should be, all clearings looked at."""
    first, second = 0, 0
    for clearing in range(CLEARINGS):
        ones, others = bits_of(state, clearing)
        first |= ones << clearing
        second |= others << clearing
    return first, second


def supplied(state, player):
    """All warriors of a player; -1 where there are fewer than none somewhere."""
    total = state.supply[player]
    if total < 0:
        return -1
    for clearing in range(CLEARINGS):
        warriors = state.warriors[player, clearing]
        if warriors < 0:
            return -1
        total += warriors
    return total


def buildings(state):
    """Whether the numbers of buildings are possible and those that are counted, and whether all stand in slots."""
    sawmills, workshops, recruiters, roosts, room = 0, 0, 0, 0, True
    for clearing in range(CLEARINGS):
        one, two = state.buildings[SAWMILL, clearing], state.buildings[WORKSHOP, clearing]
        three, four = state.buildings[RECRUITER, clearing], state.buildings[ROOST, clearing]
        if one < 0 or two < 0 or three < 0 or not 0 <= four <= 1:
            return False, True
        room = room and one + two + three + four <= SLOTS[clearing]
        sawmills, workshops, recruiters, roosts = sawmills + one, workshops + two, recruiters + three, roosts + four
    right = sawmills == state.built[SAWMILL] and workshops == state.built[WORKSHOP]
    right = right and recruiters == state.built[RECRUITER] and roosts == state.built[ROOST] <= ROOSTS
    return right and max(sawmills, workshops, recruiters) <= BUILT_MOST, room


def numbers(state):
    """Whether all that is used to look something up can be looked up."""
    known = 0 <= state.stage < STAGES and 0 <= state.after < STAGES and 0 <= state.later < STAGES
    known = known and -1 <= state.keep < CLEARINGS and 0 <= state.origin < CLEARINGS and 0 <= state.place < CLEARINGS
    known = known and 0 <= state.leader < 4 and 0 < state.leaders < 16 and 0 <= state.turn < 2 and -1 <= state.asked < 2
    known = known and 0 <= state.winner <= NOBODY and 0 <= state.mark < KINDS and 0 <= state.suit < 4 and 0 <= state.column < 4
    known = known and 0 <= state.piece <= RECRUITER and 0 <= state.side < 2 and state.left >= 0 and state.actions >= 0
    for clearing in range(CLEARINGS):
        known = known and 0 <= state.fell[clearing] <= WARRIORS[MARQUISE]
    for player in range(2):
        known = known and 0 <= state.owed[player] <= KEEP * WARRIORS[EYRIE]
    return known


def sets(state):
    some = well_filled(state.deck) and well_filled(state.discard)
    for player in range(2):
        some = some and well_filled(state.hands[player]) and well_filled(state.known[player])
        some = some and well_filled(state.crafted[player])
    for column in range(4):
        some = some and well_filled(state.decree[column])
    return some


def well_filled(cards):
    """Whether a number is a set of cards: no bit beyond, and above a missing copy no other."""
    # A copy that is not the lowest needs the one below it.
    return cards >> CARDS == 0 and cards & ~LOWS & ~(cards << 1) == 0


def complete(state):
    """Whether all places together have every card of the deck, and no card twice."""
    seen, total = 0, 0
    for place in range(PLACES):
        cards = cards_in(state, place)
        if seen & cards & SINGLE != 0:
            return False
        seen |= cards
        total += counted(cards)
    return seen & SINGLE == DECK & SINGLE and total == DECK_COUNTED


def counted(cards):
    """How many cards of each kind with several copies a set has, five bits for each: ten places have at most thirty."""
    total = 0
    cards &= ~SINGLE
    while cards:
        total += UNIT[lowest(cards)]
        cards = pop(cards)
    return total


PLACES = 10


def cards_in(state, place):
    """The cards in one of the places where cards are."""
    if place < 4:
        return state.decree[place]
    if place < 6:
        return state.hands[place - 4]
    if place < 8:
        return state.crafted[place - 6]
    return state.deck if place == 8 else state.discard


DECK_COUNTED = int(counted(DECK))
