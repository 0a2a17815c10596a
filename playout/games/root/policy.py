"""Sensible play: a weight for every legal action, by which playouts and the agent `rule` draw, and which `prior` hands on.

Rules of thumb. What is the Marquise's or the Eyrie's own is in `policy_marquise` and `policy_eyrie`; what both do alike is here. Nothing
looks at a hidden hand but the mover's.
"""

from playout import below, popcount
from playout.games.root.cards import AMBUSH, CARD_SUIT, FAVOR, ITEM, POINTS_OF, SORT
from playout.games.root.map import BIRD, CLEARINGS, WAY_FROM, WAY_TO, WAYS
from playout.games.root.policy_eyrie import (
    FIRST_LEADER,
    NEXT_LEADER,
    weigh_add,
    weigh_card,
    weigh_flight,
    weigh_flock,
    weigh_strike,
    weigh_target,
)
from playout.games.root.policy_marquise import weigh_act, weigh_attack, weigh_march, weigh_marchers
from playout.games.root.record import (
    ACT,
    ADD,
    AMBUSHED,
    CARD,
    CHOOSE_LEADER,
    COBBLING,
    COUNTERED,
    COUNTING,
    CRAFT,
    CRAFTING,
    DISCARDING,
    FIGHT,
    GO,
    HOSPITAL,
    KEEP,
    LEADER,
    LOSE,
    LOSSES,
    MARCH,
    MARQUISE,
    NUMBER,
    PASS,
    RESOLVE,
    TARGET,
    USE_ARMORERS,
    USE_BRUTAL,
    USE_CLAIM,
    USE_CODE,
    WOOD,
    ruled,
)

CRAFT_WEIGHT = ((50, 90, 80, 5, 3), (50, 90, 80, 5, 3))
"""For each faction: an item, and for every point that it brings; a Favor; a lasting card; to stop."""
SLIP = 64
"""One action in so many is a random one."""
ID_BITS = 16
"""More than any id has."""


def weight(state, action):
    """How much a legal action is to be preferred: a whole number from 1."""
    stage = state.stage
    if stage == COUNTING:
        return weigh_number(state, action - NUMBER + 1)
    if GO <= action < GO + len(WAYS):
        return weigh_move(state, WAY_FROM[action - GO], WAY_TO[action - GO])
    if FIGHT <= action < FIGHT + CLEARINGS:
        return weigh_fight(state, action - FIGHT)
    if stage == ACT:
        return weigh_act(state, action)
    if stage == ADD:
        return weigh_add(state, action)
    if stage == RESOLVE:
        return weigh_card(state, action)
    if stage == TARGET:
        return weigh_target(state, action)
    if stage == CRAFTING:
        return weigh_craft(state, action)
    if stage >= AMBUSHED:
        return weigh_battle(state, action)
    return weigh_rest(state, action)


def weigh_number(state, number):
    stay = state.warriors[state.turn, state.origin] - number
    return weigh_marchers(state, stay) if state.turn == MARQUISE else weigh_flock(state, stay)


def weigh_move(state, origin, target):
    return weigh_march(state, origin, target) if state.turn == MARQUISE else weigh_flight(state, origin, target)


def weigh_fight(state, clearing):
    return weigh_attack(state, clearing) if state.turn == MARQUISE else weigh_strike(state, clearing)


def weigh_rest(state, action):
    stage = state.stage
    if action == USE_CLAIM:
        return 4 + 10 * max(0, popcount(ruled(state, state.turn)) - 4)
    if stage == HOSPITAL:
        fallen = 0
        for clearing in range(CLEARINGS):
            fallen = max(fallen, state.fell[clearing])
        return 10 if action == PASS else 4 * fallen * fallen
    if stage == DISCARDING:
        kind = action - CARD
        return 2 if SORT[kind] == AMBUSH or CARD_SUIT[kind] == BIRD else 10
    if stage in (MARCH, COBBLING):
        return 3
    if LEADER <= action < LEADER + 4:
        return FIRST_LEADER[action - LEADER] if stage == CHOOSE_LEADER else NEXT_LEADER[action - LEADER]
    return 4


def weigh_craft(state, action):
    weights = CRAFT_WEIGHT[state.turn]
    if CRAFT <= action < CRAFT + 38:
        kind = action - CRAFT
        if SORT[kind] == ITEM:
            return weights[0] + weights[1] * POINTS_OF[kind]
        return weights[2] if SORT[kind] == FAVOR else weights[3]
    return weights[4] if action in (PASS, USE_CODE) else 2


def weigh_battle(state, action):
    if state.stage == LOSSES:
        piece = action - LOSE
        return 30 if piece == WOOD else 1 if piece == KEEP else 6
    if state.stage in (AMBUSHED, COUNTERED):
        return 2 if action == PASS else 100
    if action == PASS:
        return 4
    if action == USE_ARMORERS:
        return 6 * state.rolled[1 - state.side]
    if action == USE_BRUTAL:
        return 6
    return 16


def playout_action(state, legal, count, rng):
    if count == 1:
        return legal[0]
    if below(rng, SLIP) == 0:
        return legal[below(rng, count)]
    total = 0
    for i in range(count):
        # The weight stands above the id until one is drawn: to weigh twice would take twice as long.
        weighed = weight(state, legal[i])
        legal[i] |= weighed << ID_BITS
        total += weighed
    chosen, action = below(rng, total), -1
    for i in range(count):
        chosen -= legal[i] >> ID_BITS
        legal[i] &= (1 << ID_BITS) - 1
        if chosen < 0 and action < 0:
            action = legal[i]
    return action


def prior(state, legal, count, out):
    for i in range(count):
        out[i] = float(weight(state, legal[i]))
