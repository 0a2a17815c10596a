"""The Eyrie Dynasties: leaders, Birdsong, the Decree column by column, turmoil."""

from playout import lowest, pop, popcount
from playout.games.root.battle import begin_battle
from playout.games.root.cards import BIRDS, CARD_SUIT, KIND_AT, LOWS, put
from playout.games.root.craft import open_column
from playout.games.root.hands import discard, draw, may_hold, take_out
from playout.games.root.map import BIRD, OF_SUIT
from playout.games.root.options import DECK, FORCED, SHORT_ROOST
from playout.games.root.record import (
    ADD,
    BATTLE,
    BUILD,
    BUILDINGS,
    BY_SUIT,
    CHARISMATIC,
    CHOOSE_LEADER,
    COBBLING,
    DECREE,
    EYRIE,
    FIGHT,
    GO,
    LAST_WINDOW,
    LEADER,
    LEADERS,
    MARQUISE,
    MOVE,
    NEW_ROOST,
    ORDERS,
    PASS,
    RECRUIT,
    RECRUIT_AT,
    RESOLVE,
    ROOST,
    ROOST_AT,
    ROOSTS,
    TARGET,
    THEIR_WINDOW,
    TURMOIL,
    TURN,
    USE_CLAIM,
    USE_STAND,
    WARRENS,
    at_keep,
    clearings,
    free,
    place_building,
    place_warriors,
    ruled,
)
from playout.games.root.turn import (
    answer_birdsong,
    answer_daylight,
    any_fight,
    any_way,
    begin_move,
    can_claim,
    can_decode,
    can_stand,
    can_tax,
    is_daylight,
    list_birdsong,
    list_bits,
    list_daylight,
    list_fights,
    list_ways,
)

ALL_LEADERS = (1 << len(LEADERS)) - 1
NEW_WARRIORS = 3
ADDED_MOST = 2


# Leaders


def legal_leader(state, out):
    count = 0
    for leader in range(len(LEADERS)):
        if state.leaders >> leader & 1:
            out[count] = LEADER + leader
            count += 1
    return count


def fall(state):
    """Turmoil: a point for every bird in the Decree, all cards but the viziers, and the leader."""
    birds = 2
    for column in range(4):
        cards = state.decree[column]
        birds += popcount(cards & BIRDS)
        while cards:
            discard(state, KIND_AT[lowest(cards)])
            cards = pop(cards)
        state.decree[column] = 0
    state.scores[EYRIE] = max(0, state.scores[EYRIE] - birds)
    end_decree(state)
    state.leaders &= ~(1 << state.leader)
    if state.leaders == 0:
        state.leaders = ALL_LEADERS
    state.stage = TURMOIL


def end_decree(state):
    for suit in range(4):
        state.todo[suit] = 0
    state.column = 0
    state.suit = 0


# Birdsong


def step_orders(state, rng):
    if state.sizes[EYRIE] == 0 and (can_claim(state) or can_stand(state)):
        state.asked = EYRIE
    else:
        emergency_orders(state, rng)


def emergency_orders(state, rng):
    if state.sizes[EYRIE] == 0:
        draw(state, EYRIE, 1, rng)
    state.stage = ADD


def answer_orders(state, action, rng):
    if action == PASS:
        emergency_orders(state, rng)
    else:
        answer_birdsong(state, action, rng)


def step_add(state):
    can_add = state.sizes[EYRIE] > 0 and (state.birds == 0 or may_hold(state, EYRIE, DECK & ~BIRDS))
    if state.added < ADDED_MOST and (can_add or can_stand(state)):
        state.asked = EYRIE
    else:
        state.stage = NEW_ROOST


def legal_add(state, out):
    count = 0
    if state.added > 0 or state.sizes[EYRIE] == 0:
        out[0] = PASS
        count = 1
    kinds = state.hands[EYRIE] & LOWS
    if state.birds > 0:
        kinds &= ~BIRDS
    while kinds:
        kind = KIND_AT[lowest(kinds)]
        for column in range(4):
            out[count] = DECREE + 4 * kind + column
            count += 1
        kinds = pop(kinds)
    return list_birdsong(state, out, count)


def answer_add(state, action, rng):
    if action == PASS:
        state.added = ADDED_MOST
    elif action in (USE_CLAIM, USE_STAND):
        answer_birdsong(state, action, rng)
    else:
        kind, column = (action - DECREE) // 4, (action - DECREE) % 4
        take_out(state, EYRIE, kind)
        state.decree[column] = put(state.decree[column], kind)
        state.added += 1
        state.birds += CARD_SUIT[kind] == BIRD


def new_places(state):
    """Where a new roost may stand: the fewest warriors of both sides among clearings with a slot, never the keep's."""
    found, fewest = 0, 99
    if SHORT_ROOST or state.supply[EYRIE] >= NEW_WARRIORS:
        places = free(state) & ~at_keep(state)
        while places:
            clearing = lowest(places)
            places = pop(places)
            warriors = state.warriors[MARQUISE, clearing] + state.warriors[EYRIE, clearing]
            if warriors < fewest:
                found, fewest = 0, warriors
            if warriors == fewest:
                found |= 1 << clearing
    return found


def step_new_roost(state):
    found = new_places(state) if state.built[ROOST] == 0 else 0
    if popcount(found) > 1:
        state.asked = EYRIE
    elif found:
        answer_new_roost(state, ROOST_AT + lowest(found))
    else:
        state.stage = THEIR_WINDOW


def answer_new_roost(state, action):
    place_building(state, ROOST, action - ROOST_AT)
    place_warriors(state, EYRIE, action - ROOST_AT, NEW_WARRIORS)
    state.stage = THEIR_WINDOW


# The Decree


def step_resolve(state):
    """The next card of the Decree: asked where there is a choice, or another effect may come before it."""
    while state.column < BUILD and state.todo[0] + state.todo[1] + state.todo[2] + state.todo[3] == 0:
        open_column(state, state.column + 1)
    suits, last = 0, 0
    for suit in range(4):
        if state.todo[suit] > 0:
            suits += 1
            last = suit
    if suits == 0:
        end_decree(state)
        state.stage = LAST_WINDOW
    elif suits > 1 or can_tax(state) or can_decode(state):
        state.asked = EYRIE
    else:
        answer_resolve(state, BY_SUIT + last)


def legal_resolve(state, out):
    count = 0
    if FORCED:
        for suit in range(4):
            if state.todo[suit] > 0 and can_do(state, suit, True):
                out[count] = BY_SUIT + suit
                count += 1
    if count == 0:
        for suit in range(4):
            if state.todo[suit] > 0:
                out[count] = BY_SUIT + suit
                count += 1
    return list_daylight(state, out, count)


def answer_resolve(state, action):
    if is_daylight(action):
        answer_daylight(state, action)
    else:
        state.suit = action - BY_SUIT
        state.todo[state.suit] -= 1
        state.stage = TARGET


def step_target(state):
    if can_do(state, state.suit, False):
        state.asked = EYRIE
    else:
        fall(state)


def can_do(state, suit, wholly):
    """Whether a card of the open column can be carried out; a recruit under the Charismatic perhaps only in part."""
    where = OF_SUIT[suit]
    if state.column == RECRUIT:
        least = 2 if wholly and state.leader == CHARISMATIC else 1
        return state.supply[EYRIE] >= least and roosts(state) & where != 0
    if state.column == MOVE:
        return any_way(state, where)
    if state.column == BATTLE:
        return any_fight(state, where)
    return building_places(state) & where != 0


def roosts(state):
    """The clearings with a roost; none is at the keep, where nothing of theirs may be placed."""
    return clearings(state, EYRIE, BUILDINGS)


def building_places(state):
    """Where a roost may be built: a slot in a ruled clearing without one, not at the keep."""
    if state.built[ROOST] == ROOSTS:
        return 0
    return ruled(state, EYRIE) & free(state) & ~roosts(state) & ~at_keep(state)


def legal_target(state, out):
    where = OF_SUIT[state.suit]
    if state.column == RECRUIT:
        return list_bits(roosts(state) & where, RECRUIT_AT, out, 0)
    if state.column == MOVE:
        return list_ways(state, where, out, 0)
    if state.column == BATTLE:
        return list_fights(state, where, out, 0)
    return list_bits(building_places(state) & where, ROOST_AT, out, 0)


def answer_target(state, action):
    state.suit = 0
    state.stage = RESOLVE
    if state.column == RECRUIT:
        number = 2 if state.leader == CHARISMATIC else 1
        if place_warriors(state, EYRIE, action - RECRUIT_AT, number) < number:
            fall(state)
    elif state.column == MOVE:
        begin_move(state, action - GO, RESOLVE)
    elif state.column == BATTLE:
        begin_battle(state, action - FIGHT, RESOLVE)
    else:
        place_building(state, ROOST, action - ROOST_AT)


# All stages of theirs


def step_eyrie(state, rng):
    stage = state.stage
    if stage == ORDERS:
        step_orders(state, rng)
    elif stage == ADD:
        step_add(state)
    elif stage == NEW_ROOST:
        step_new_roost(state)
    elif stage == THEIR_WINDOW:
        if can_claim(state) or can_stand(state):
            state.asked = EYRIE
        else:
            state.stage = WARRENS
    elif stage == RESOLVE:
        step_resolve(state)
    elif stage == TARGET:
        step_target(state)
    elif stage == LAST_WINDOW:
        if can_tax(state) or can_decode(state):
            state.asked = EYRIE
        else:
            state.stage = COBBLING
    else:
        state.asked = EYRIE


def legal_eyrie(state, out):
    stage = state.stage
    if stage == ADD:
        return legal_add(state, out)
    if stage == RESOLVE:
        return legal_resolve(state, out)
    if stage == TARGET:
        return legal_target(state, out)
    if stage == NEW_ROOST:
        return list_bits(new_places(state), ROOST_AT, out, 0)
    if stage in (TURMOIL, CHOOSE_LEADER):
        return legal_leader(state, out)
    out[0] = PASS
    if stage == LAST_WINDOW:
        return list_daylight(state, out, 1)
    return list_birdsong(state, out, 1)


def answer_eyrie(state, action, rng):
    stage = state.stage
    if stage == ADD:
        answer_add(state, action, rng)
    elif stage == RESOLVE:
        answer_resolve(state, action)
    elif stage == TARGET:
        answer_target(state, action)
    elif stage == NEW_ROOST:
        answer_new_roost(state, action)
    elif stage == ORDERS:
        answer_orders(state, action, rng)
    elif stage == THEIR_WINDOW:
        if action == PASS:
            state.stage = WARRENS
        else:
            answer_birdsong(state, action, rng)
    elif stage == LAST_WINDOW:
        if action == PASS:
            state.stage = COBBLING
        else:
            answer_daylight(state, action)
    else:
        # The first leader comes before the first turn, any other after a turmoil, with which Daylight ends.
        state.leader = action - LEADER
        state.stage = TURN if stage == CHOOSE_LEADER else COBBLING
