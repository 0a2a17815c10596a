"""What sensible Eyrie do: weights for the Decree and what it asks for.

They spread to free slots and build there, recruit where guards are few, keep two at a roost, and strike what is not defended. A card goes to the
Decree where it can be carried out, two a turn if both can be. The numbers were found by evolution against the Marquise's rules and rounded.
"""

from playout import lowest, pop, popcount
from playout.games.root.cards import AMBUSH, CARD_SUIT, SORT
from playout.games.root.eyrie import building_places, can_do, roosts
from playout.games.root.map import BIRD, CLEARINGS, OF_SUIT
from playout.games.root.record import (
    ARMIES,
    BATTLE,
    BUILD,
    BY_SUIT,
    DECREE,
    EYRIE,
    MARQUISE,
    MOVE,
    PASS,
    PIECES,
    RECRUIT,
    RECRUIT_AT,
    ROOST,
    ROOST_AT,
    USE_CLAIM,
    USE_CODE,
    USE_STAND,
    VIZIERS,
    at_keep,
    clearings,
    free,
    hers,
    ruled,
)
from playout.games.root.turn import any_fight

FIRST_LEADER, NEXT_LEADER = (2, 2, 3, 200), (4, 4, 100, 200)
PASS_WEIGHT = 220
"""Not to add a second card."""
ADD_WEIGHT = ((1900, 320, 200), (150, 1000, 25), (20, 4, 3), (2000, 2, 10))
"""For each column of the Decree, with no card in it yet (viziers count), with one, with more."""
BIRD_SHARE = (11, 8, 10, 160)
"""A bird card, by column, in sixteenths of that."""
STRIKE_WEIGHT = ((13, 4, 2, 2), (5, 26, 3, 8), (5, 10, 30, 40))
"""A battle with one warrior, two, more, against none, one, two, more."""
PRIZE_WEIGHT = (1000, 130, 70, 4)
"""For each thing to take and each warrior that takes it, against none, one, two, more."""
SPREAD_WEIGHT = (400, 4000)
"""A move to where none of theirs are and the most would be: without a free slot, and with one."""
MEET_WEIGHT = (60, 3)
"""A move to where they would be the most and something of hers is: without warriors, and with."""
LEAVE_SHARE = (5, 4)
"""What a move is worth, in sixteenths, of the last two at a roost, and from where a battle is due."""
STAY_WEIGHT = ((3, 5, 5, 4), (2, 15, 50, 20))
"""None, one, two, more stay behind: in a clearing without a roost, and in one with."""
STORM_WEIGHT = ((2, 10, 60, 12), (1, 14, 60, 2))
"""The same when they move against somebody."""
RECRUIT_WEIGHT = ((153, 153, 3, 3, 3), (0, 2, 4, 6, 8))
"""Recruits where none, one, two, three, more of theirs are, and more where none, one, two, three, more of hers are."""
BUILD_WEIGHT = (3, 4, 5, 6, 7)
"""A roost where none, one, two, three, more guard it."""


def there(state, clearing):
    """What the Marquise has in a clearing that can be taken: buildings, wood, the keep."""
    return hers(state, clearing) + state.wood[clearing] + (1 if state.keep == clearing else 0)


def weigh_strike(state, clearing):
    own, enemy = min(3, state.warriors[EYRIE, clearing]), min(3, state.warriors[MARQUISE, clearing])
    return STRIKE_WEIGHT[own - 1][enemy] + PRIZE_WEIGHT[enemy] * own * min(3, there(state, clearing))


def weigh_flight(state, origin, target):
    """A move is good where it comes to rule, by far the best a free slot, and leaves no roost bare."""
    own, mates = state.warriors[EYRIE, origin], state.warriors[EYRIE, target]
    enemy, met, nests = state.warriors[MARQUISE, target], clearings(state, MARQUISE, PIECES), roosts(state)
    value = 4
    if own + mates > enemy:
        if mates == 0:
            value += SPREAD_WEIGHT[free(state) >> target & 1]
        if met >> target & 1:
            value += MEET_WEIGHT[0 if enemy == 0 else 1]
    if own <= 2 and nests >> origin & 1:
        value = 1 + value * LEAVE_SHARE[0] // 16
    if wants(state, BATTLE):
        if met >> target & 1:
            value += 10
        if met >> origin & 1:
            value = 1 + value * LEAVE_SHARE[1] // 16
    places = free(state) & ~nests & ~at_keep(state)
    if places >> target & 1 and wants(state, BUILD) and own + mates >= enemy + hers(state, target):
        value += 8
    return value


def wants(state, column):
    """Whether there is a card in a column of the Decree."""
    return state.decree[column] != 0 or VIZIERS[state.leader] >> column & 1 != 0


def weigh_flock(state, stay):
    """How many stay behind: guards at a roost."""
    home = roosts(state) >> state.origin & 1
    if clearings(state, MARQUISE, PIECES) >> state.place & 1:
        return STORM_WEIGHT[home][min(3, stay)]
    return STAY_WEIGHT[home][min(3, stay)]


def weigh_add(state, action):
    """Cards that can be carried out, where they can: the Decree grows, so no more of a column than it can bear."""
    if action == PASS:
        return PASS_WEIGHT
    if action == USE_STAND:
        return 100
    if action == USE_CLAIM:
        return 20 + 60 * max(0, popcount(ruled(state, EYRIE)) - 4)
    kind, column = (action - DECREE) // 4, (action - DECREE) % 4
    suit = CARD_SUIT[kind]
    full = popcount(state.decree[column]) + (VIZIERS[state.leader] >> column & 1)
    if not bears(state, column, OF_SUIT[suit], full):
        return 1
    value = ADD_WEIGHT[column][min(2, full)]
    if suit == BIRD:
        value = 1 + value * BIRD_SHARE[column] // 16
    return 1 + value // 8 if SORT[kind] == AMBUSH else value


def bears(state, column, where, full):
    """Whether a column that has so many cards can be carried out with one more, as things stand."""
    if column == RECRUIT:
        return roosts(state) & where != 0 and state.supply[EYRIE] > 5 + 2 * full
    if column == MOVE:
        return guards(state, where) > 2
    if column == BATTLE:
        return any_fight(state, where)
    return state.built[ROOST] < 6 - full and building_places(state) & where != 0


def guards(state, where):
    """The Eyrie warriors in some clearings."""
    total, where = 0, where & clearings(state, EYRIE, ARMIES)
    while where:
        total += state.warriors[EYRIE, lowest(where)]
        where = pop(where)
    return total


def weigh_card(state, action):
    """The narrow cards of a column first, and impossible ones last."""
    if BY_SUIT <= action < BY_SUIT + 4:
        suit = action - BY_SUIT
        if can_do(state, suit, True):
            return 100 if suit == BIRD else 400
        return 1
    return 40 if action == USE_CODE else 4


def weigh_target(state, action):
    if RECRUIT_AT <= action < RECRUIT_AT + CLEARINGS:
        clearing = action - RECRUIT_AT
        own, enemy = min(4, state.warriors[EYRIE, clearing]), min(4, state.warriors[MARQUISE, clearing])
        return RECRUIT_WEIGHT[0][own] + RECRUIT_WEIGHT[1][enemy]
    return BUILD_WEIGHT[min(4, state.warriors[EYRIE, action - ROOST_AT])]
