"""What must hold in every state of a game, by name; `broken` says which law does not."""

import numpy as np

from playout import popcount
from playout.games.root.cards import CARDS, ITEMS, KINDS, LASTING, LOWS, SORT, SUPPLY, held
from playout.games.root.map import CLEARINGS
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
    free_slots,
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
)
MAY_ASK = np.array([stage in ASKING for stage in range(STAGES)])


def broken(state):
    """0, or the number of the first law that does not hold, counted from 1."""
    if not numbers(state):
        return 1
    if (state.asked < 0) != (state.winner > 0) or (state.winner == 0 and not MAY_ASK[state.stage]):
        return 2
    if not sets(state):
        return 3
    for kind in range(KINDS):
        if copies(state, kind) != held(DECK, kind):
            return 4
    for player in range(2):
        if popcount(state.hands[player]) != state.sizes[player]:
            return 5
        if state.known[player] & ~state.hands[player] != 0:
            return 6
        for kind in range(KINDS):
            if held(state.crafted[player], kind) > (SORT[kind] == LASTING):
                return 7
    return broken_pieces(state)


def broken_pieces(state):
    for player in range(2):
        total = state.supply[player]
        for clearing in range(CLEARINGS):
            total += state.warriors[player, clearing]
            if state.warriors[player, clearing] < 0 or state.supply[player] < 0:
                return 8
        if total != WARRIORS[player]:
            return 8
    total = state.lumber
    for clearing in range(CLEARINGS):
        total += state.wood[clearing]
        if state.wood[clearing] < 0 or state.lumber < 0:
            return 9
    if total != LUMBER:
        return 9
    for clearing in range(CLEARINGS):
        if not buildings(state, clearing):
            return 10
        if free_slots(state, clearing) < 0:
            return 11
    for sort in range(ROOST + 1):
        total = 0
        for clearing in range(CLEARINGS):
            total += state.buildings[sort, clearing]
        if total != state.built[sort] or total > (ROOSTS if sort == ROOST else BUILT_MOST):
            return 10
    if state.keep >= 0 and state.buildings[ROOST, state.keep] > 0:
        return 12
    for item in range(ITEMS):
        if not 0 <= state.items[item] <= SUPPLY[item]:
            return 13
    for player in range(2):
        enough = state.scores[player] >= POINTS
        if state.scores[player] < 0 or (enough and state.winner == 0) or (state.winner == 1 + player and not enough):
            return 14
    return 0


def buildings(state, clearing):
    """Whether no number of buildings is below 0, and there is no second roost."""
    for sort in range(SAWMILL, ROOST + 1):
        if state.buildings[sort, clearing] < 0:
            return False
    return state.buildings[ROOST, clearing] <= 1


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


def copies(state, kind):
    """How many cards of a kind there are in all places together."""
    total = held(state.deck, kind) + held(state.discard, kind)
    for player in range(2):
        total += held(state.hands[player], kind) + held(state.crafted[player], kind)
    for column in range(4):
        total += held(state.decree[column], kind)
    return total
