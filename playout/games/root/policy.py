"""Sensible play: a weight for every legal action, by which playouts and the agent `rule` draw, and which `prior` hands on.

Crude rules of thumb. The Marquise builds where she can pay, recruits, fights where she is stronger and marches where she can come to rule a
free slot; the Eyrie add to the Decree what they can carry out, and keep away from turmoil. Nothing here looks at a hidden hand but the mover's.
"""

from playout import below, popcount
from playout.games.root.cards import AMBUSH, CARD_SUIT, FAVOR, ITEM, POINTS_OF, SORT
from playout.games.root.eyrie import building_places, can_do, roosts
from playout.games.root.map import BIRD, CLEARINGS, OF_SUIT, WAY_FROM, WAY_TO, WAYS
from playout.games.root.marquise import BUILDING_POINTS
from playout.games.root.record import (
    ACT,
    ADD,
    AMBUSHED,
    BATTLE,
    BUILD,
    BY_SUIT,
    CARD,
    COBBLING,
    CONSTRUCT,
    COUNTING,
    CRAFT,
    CRAFTING,
    DECREE,
    DESPOT,
    DISCARDING,
    EYRIE,
    FIGHT,
    GO,
    HOSPITAL,
    KEEP,
    LEADER,
    LOSE,
    LOSSES,
    MARCH,
    MARQUISE,
    MOVE,
    MUSTER,
    NUMBER,
    PASS,
    RECRUIT,
    RECRUIT_AT,
    RECRUITER,
    RESOLVE,
    ROOST,
    ROOST_AT,
    TARGET,
    USE_ARMORERS,
    USE_BRUTAL,
    USE_CLAIM,
    USE_CODE,
    USE_STAND,
    VIZIERS,
    WOOD,
    WORK,
    free_slots,
    hers,
    ruled,
)

SLIP = 64
"""One action in so many is a random one."""


def weight(state, action):
    """How much a legal action is to be preferred: a whole number from 1."""
    stage = state.stage
    if stage == COUNTING:
        return weigh_number(state, action - NUMBER + 1)
    if GO <= action < GO + len(WAYS):
        return weigh_move(state, action - GO)
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


def weigh_rest(state, action):
    stage = state.stage
    if action == USE_CLAIM:
        return 4 + 10 * max(0, popcount(ruled(state, state.turn)) - 4)
    if stage == HOSPITAL:
        fallen = 0
        for clearing in range(CLEARINGS):
            fallen = max(fallen, state.fell[clearing])
        return 10 if action == PASS else 6 * fallen * fallen
    if stage == DISCARDING:
        kind = action - CARD
        return 2 if SORT[kind] == AMBUSH or CARD_SUIT[kind] == BIRD else 10
    if stage in (MARCH, COBBLING):
        return 6
    if LEADER <= action < LEADER + 4:
        return (4, 4, 2, 8)[action - LEADER]
    return 4


def weigh_craft(state, action):
    if CRAFT <= action < CRAFT + 38:
        kind = action - CRAFT
        if SORT[kind] == ITEM:
            return 40 + 40 * POINTS_OF[kind]
        return 60 if SORT[kind] == FAVOR else 12
    return 6 if action in (PASS, USE_CODE) else 2


def weigh_act(state, action):
    if action == PASS:
        return 1 if state.actions > 0 else 16
    if CONSTRUCT <= action < CONSTRUCT + 3 * CLEARINGS:
        sort, clearing = (action - CONSTRUCT) // CLEARINGS, (action - CONSTRUCT) % CLEARINGS
        points = BUILDING_POINTS[sort][state.built[sort]]
        safe = state.warriors[MARQUISE, clearing] + hers(state, clearing) - 2 * state.warriors[EYRIE, clearing]
        return 40 + 60 * points + 8 * max(0, min(4, safe)) + (40 if sort == 0 and state.built[0] < 3 else 0)
    if action == MUSTER:
        return 20 + 24 * state.built[RECRUITER]
    if CARD <= action < WORK:
        return 10 if state.actions == 0 else 1
    if WORK <= action < DECREE:
        return 10 if state.lumber > 4 else 3
    return 8 if action == USE_CODE else 2


def weigh_fight(state, clearing):
    """A battle is good with more warriors than the other side, and better where there is something to take."""
    player, other = state.turn, 1 - state.turn
    own, enemy = state.warriors[player, clearing], state.warriors[other, clearing]
    prize = state.buildings[ROOST, clearing]
    if player == EYRIE:
        prize = hers(state, clearing) + state.wood[clearing] + (1 if state.keep == clearing else 0)
    if own > enemy:
        return 10 + 8 * min(4, own - enemy) + (70 if enemy <= 1 else 20) * min(2, prize)
    return 5 if own == enemy else 1


def enemy_there(state, player, clearing):
    """Whether the other player has any piece in a clearing."""
    if player == MARQUISE:
        return state.warriors[EYRIE, clearing] + state.buildings[ROOST, clearing] > 0
    return state.warriors[MARQUISE, clearing] + hers(state, clearing) + state.wood[clearing] > 0 or state.keep == clearing


def weigh_move(state, way):
    """A move is good where it comes to rule, best a clearing with a free slot or with something to take, and leaves nothing bare."""
    player, other = state.turn, 1 - state.turn
    origin, target = WAY_FROM[way], WAY_TO[way]
    own, there = state.warriors[player, origin], state.warriors[player, target]
    enemy = state.warriors[other, target]
    value = 4
    if own + there > enemy:
        if there == 0:
            value += 6 if free_slots(state, target) > 0 else 2
        if enemy_there(state, player, target):
            value += 8
            if player == EYRIE and enemy == 0:
                value += 10
            if player == MARQUISE and state.buildings[ROOST, target] > 0:
                value += 12
    else:
        value = 2
    bare = state.buildings[ROOST, origin] if player == EYRIE else hers(state, origin)
    if bare > 0 and own <= 2:
        value = 1 + value // 4
    if player == EYRIE:
        value = weigh_errand(state, origin, target, own + there, value)
    if state.warriors[other, origin] > 0 and own <= state.warriors[other, origin]:
        value += 2
    return value


def weigh_errand(state, origin, target, own, value):
    """A move of the Eyrie with an eye on what the Decree wants after it: somebody to fight, and a place for a roost."""
    if wants(state, BATTLE):
        if enemy_there(state, EYRIE, target):
            value += 40
        if enemy_there(state, EYRIE, origin):
            value = 1 + value // 2
    free = free_slots(state, target) > 0 and state.buildings[ROOST, target] == 0 and target != state.keep
    if free and wants(state, BUILD) and own >= state.warriors[MARQUISE, target] + hers(state, target):
        value += 40
    return value


def wants(state, column):
    """Whether there is a card in a column of the Decree."""
    return state.decree[column] != 0 or VIZIERS[state.leader] >> column & 1 != 0


def weigh_number(state, number):
    """Enough to rule there, and a guard for buildings that are left."""
    player = state.turn
    own = state.warriors[player, state.origin]
    home = state.buildings[ROOST, state.origin] if player == EYRIE else hers(state, state.origin)
    stay = own - number
    if home > 0:
        return 8 if stay in (1, 2) else 2 if stay == 0 else 3
    return 10 if stay == 0 else 4 if stay == 1 else 2


def weigh_add(state, action):
    """Cards that can be carried out, where they can: the Decree grows, so no more of a column than it can bear."""
    if action == PASS:
        return 1600
    if action == USE_STAND:
        return 100
    if action == USE_CLAIM:
        return 20 + 60 * max(0, popcount(ruled(state, EYRIE)) - 4)
    kind, column = (action - DECREE) // 4, (action - DECREE) % 4
    suit = CARD_SUIT[kind]
    where, full = OF_SUIT[suit], popcount(state.decree[column])
    value = 1
    if column == RECRUIT:
        if roosts(state) & where != 0 and state.supply[EYRIE] > 5 + 2 * full:
            value = 180 if full < 2 else 50
    elif column == MOVE:
        if guards(state, where) > 2:
            value = 120 if full < 2 else 20
    elif column == BATTLE:
        if full == 0 and suit == BIRD and state.leader != DESPOT:
            value = 30
    elif state.built[ROOST] < 5 - full and building_places(state) & where != 0:
        value = 150 if full == 0 else 30
    return 1 + value // 3 if SORT[kind] == AMBUSH else value


def guards(state, where):
    """The Eyrie warriors in some clearings."""
    total = 0
    for clearing in range(CLEARINGS):
        if where >> clearing & 1:
            total += state.warriors[EYRIE, clearing]
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
        return 4 + 4 * min(4, state.warriors[MARQUISE, clearing]) + (8 if state.warriors[EYRIE, clearing] < 2 else 0)
    clearing = action - ROOST_AT
    return 4 + min(4, state.warriors[EYRIE, clearing])


def weigh_battle(state, action):
    if state.stage == LOSSES:
        piece = action - LOSE
        return 30 if piece == WOOD else 1 if piece == KEEP else 6
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
        total += weight(state, legal[i])
    chosen = below(rng, total)
    for i in range(count):
        chosen -= weight(state, legal[i])
        if chosen < 0:
            return legal[i]
    return legal[count - 1]


def prior(state, legal, count, out):
    for i in range(count):
        out[i] = float(weight(state, legal[i]))
