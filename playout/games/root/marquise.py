"""The Marquise de Cat: wood, and the actions of her Daylight."""

from playout import lowest, pop, popcount
from playout.games.root.battle import begin_battle
from playout.games.root.cards import BIRDS, CARD_SUIT, OF_CARD_SUIT
from playout.games.root.hands import may_hold, spend
from playout.games.root.map import ALL, CLEARINGS, OF_SUIT, SUIT, WAYS
from playout.games.root.record import (
    ACT,
    BUILT_MOST,
    CARD,
    COBBLING,
    CONSTRUCT,
    FIGHT,
    GO,
    GROW,
    GROW_AT,
    HER_WINDOW,
    MARCH,
    MARQUISE,
    MUSTER,
    OVERWORK,
    PASS,
    PAY,
    RECRUIT_AT,
    RECRUITER,
    RECRUITS,
    SAWMILL,
    STARTING,
    WARRENS,
    WOOD_FROM,
    WORK,
    free,
    gain,
    homes,
    joined,
    place_building,
    place_warriors,
    place_wood,
    ruled,
    scan,
    take_wood,
)
from playout.games.root.setup import answer_keep, answer_starting, legal_keep, legal_starting
from playout.games.root.turn import (
    answer_birdsong,
    answer_daylight,
    any_way,
    begin_move,
    begin_short,
    can_claim,
    can_decode,
    can_stand,
    can_tax,
    is_daylight,
    legal_short,
    list_birdsong,
    list_bits,
    list_cards,
    list_daylight,
    list_ways,
    note_short,
    ways,
)

WOOD_COST = (0, 1, 2, 3, 3, 4)
BUILDING_POINTS = ((0, 1, 2, 3, 4, 5), (0, 2, 2, 3, 4, 5), (0, 1, 2, 3, 3, 4))
"""Points for the n-th sawmill, workshop and recruiter on the map."""


# Birdsong


def step_grow(state):
    if state.left > 0 and state.left < state.built[SAWMILL]:
        state.asked = MARQUISE
        return
    if state.left > 0:
        for clearing in range(CLEARINGS):
            for _ in range(state.buildings[SAWMILL, clearing]):
                place_wood(state, clearing)
    state.left = 0
    state.stage = HER_WINDOW


def answer_grow(state, action):
    place_wood(state, action - GROW_AT)
    note_short(state, action - GROW_AT)


# Daylight


def step_act(state):
    if state.actions > 0 or may_hold(state, MARQUISE, BIRDS) or can_tax(state) or can_decode(state):
        state.asked = MARQUISE
    else:
        state.stage = COBBLING


def legal_act(state, out):
    out[0] = PASS
    count = 1
    if state.actions > 0:
        mine, own, foes = scan(state, MARQUISE)
        count = list_bits(ways(mine, own), GO, out, count)
        count = list_bits(own & foes, FIGHT, out, count)
        if state.recruited == 0 and state.built[RECRUITER] > 0 and state.supply[MARQUISE] > 0:
            out[count] = MUSTER
            count += 1
        count = list_buildings(state, mine, out, count)
        if state.lumber > 0:
            count = list_cards(state.hands[MARQUISE] & working_cards(state), WORK, out, count)
    count = list_cards(state.hands[MARQUISE] & BIRDS, CARD, out, count)
    return list_daylight(state, out, count)


def working_cards(state):
    """The cards that may be spent to overwork: those of the suits that sawmills stand in, and birds if there is any sawmill."""
    some, where = 0, homes(state)
    while where:
        if state.buildings[SAWMILL, lowest(where)] > 0:
            some |= OF_CARD_SUIT[SUIT[lowest(where)]] | BIRDS
        where = pop(where)
    return some


def list_buildings(state, mine, out, count):
    """Buildings that she can pay: the wood lies in clearings that a chain of ruled ones joins to the place."""
    while mine:
        region = joined(lowest(mine), mine)
        mine &= ~region
        places = region & free(state)
        wood = wood_in(state, region, 0) if places else 0
        while places:
            clearing = lowest(places)
            places = pop(places)
            for sort in range(SAWMILL, RECRUITER + 1):
                if state.built[sort] < BUILT_MOST and WOOD_COST[state.built[sort]] <= wood:
                    out[count] = CONSTRUCT + CLEARINGS * sort + clearing
                    count += 1
    return count


def wood_in(state, region, least):
    """The wood in a set of clearings, from one on."""
    total, region = 0, region >> least << least
    while region:
        total += state.wood[lowest(region)]
        region = pop(region)
    return total


def answer_act(state, action):
    if action == PASS:
        state.actions = 0
        state.stage = COBBLING
    elif is_daylight(action):
        answer_daylight(state, action)
    elif CARD <= action < WORK:
        spend(state, MARQUISE, action - CARD)
        state.actions += 1
    else:
        state.actions -= 1
        take_action(state, action)


def take_action(state, action):
    if action == MUSTER:
        state.recruited = 1
        begin_short(state, state.supply[MARQUISE], RECRUITER, RECRUITS)
    elif GO <= action < GO + len(WAYS):
        begin_move(state, action - GO, MARCH)
    elif FIGHT <= action < FIGHT + CLEARINGS:
        begin_battle(state, action - FIGHT, ACT)
    elif action >= WORK:
        spend(state, MARQUISE, action - WORK)
        state.suit = CARD_SUIT[action - WORK]
        state.stage = OVERWORK
    else:
        state.piece = (action - CONSTRUCT) // CLEARINGS
        state.place = (action - CONSTRUCT) % CLEARINGS
        state.left = WOOD_COST[state.built[state.piece]]
        state.mark = 0
        state.stage = PAY


def step_march(state):
    if any_way(state, ALL):
        state.asked = MARQUISE
    else:
        state.stage = ACT


def step_recruits(state):
    if state.left > 0 and state.left < state.built[RECRUITER]:
        state.asked = MARQUISE
        return
    if state.left > 0:
        for clearing in range(CLEARINGS):
            if state.buildings[RECRUITER, clearing] > 0:
                place_warriors(state, MARQUISE, clearing, state.buildings[RECRUITER, clearing])
    state.left = 0
    state.stage = ACT


def answer_recruits(state, action):
    place_warriors(state, MARQUISE, action - RECRUIT_AT, 1)
    note_short(state, action - RECRUIT_AT)


def mills(state):
    """The clearings in which the card that was spent to overwork brings wood, as bits."""
    found = 0
    for clearing in range(CLEARINGS):
        found |= (state.buildings[SAWMILL, clearing] > 0) << clearing
    return found & OF_SUIT[state.suit]


def step_overwork(state):
    if popcount(mills(state)) > 1:
        state.asked = MARQUISE
    else:
        answer_overwork(state, GROW_AT + lowest(mills(state)))


def legal_overwork(state, out):
    return list_bits(mills(state), GROW_AT, out, 0)


def answer_overwork(state, action):
    place_wood(state, action - GROW_AT)
    state.suit = 0
    state.stage = ACT


# Which wood pays, in ascending order


def step_pay(state):
    if state.left > 0:
        region = joined(state.place, ruled(state, MARQUISE))
        heaps, last = 0, 0
        for clearing in range(state.mark, CLEARINGS):
            if region >> clearing & 1 and state.wood[clearing] > 0:
                heaps += 1
                last = clearing
        if heaps > 1 and wood_in(state, region, state.mark) > state.left:
            state.asked = MARQUISE
            return
        for clearing in range(state.mark, last + 1):
            if region >> clearing & 1 and state.wood[clearing] > 0:
                pay(state, clearing, min(state.left, state.wood[clearing]))
    finish_building(state)


def pay(state, clearing, number):
    take_wood(state, clearing, number)
    state.left -= number


def legal_pay(state, out):
    count = 0
    region = joined(state.place, ruled(state, MARQUISE))
    for clearing in range(state.mark, CLEARINGS):
        if region >> clearing & 1 and state.wood[clearing] > 0 and wood_in(state, region, clearing) >= state.left:
            out[count] = WOOD_FROM + clearing
            count += 1
    return count


def answer_pay(state, action):
    state.mark = action - WOOD_FROM
    pay(state, state.mark, 1)


def finish_building(state):
    sort, clearing = state.piece, state.place
    gain(state, MARQUISE, BUILDING_POINTS[sort][state.built[sort]])
    place_building(state, sort, clearing)
    state.piece = 0
    state.place = 0
    state.mark = 0
    state.stage = ACT


# All stages of hers


def step_marquise(state):
    stage = state.stage
    if stage == GROW:
        step_grow(state)
    elif stage == HER_WINDOW:
        if can_claim(state) or can_stand(state):
            state.asked = MARQUISE
        else:
            state.stage = WARRENS
    elif stage == ACT:
        step_act(state)
    elif stage == MARCH:
        step_march(state)
    elif stage == PAY:
        step_pay(state)
    elif stage == OVERWORK:
        step_overwork(state)
    elif stage == RECRUITS:
        step_recruits(state)
    else:
        state.asked = MARQUISE


def legal_marquise(state, out):
    stage = state.stage
    if stage == ACT:
        return legal_act(state, out)
    if stage == MARCH:
        out[0] = PASS
        return list_ways(state, ALL, out, 1)
    if stage == PAY:
        return legal_pay(state, out)
    if stage == OVERWORK:
        return legal_overwork(state, out)
    if stage == RECRUITS:
        return legal_short(state, RECRUITER, RECRUIT_AT, out)
    if stage == GROW:
        return legal_short(state, SAWMILL, GROW_AT, out)
    if stage == HER_WINDOW:
        out[0] = PASS
        return list_birdsong(state, out, 1)
    if stage == STARTING:
        return legal_starting(state, out)
    return legal_keep(state, out)


def answer_marquise(state, action, rng):
    stage = state.stage
    if stage == ACT:
        answer_act(state, action)
    elif stage == MARCH:
        if action == PASS:
            state.stage = ACT
        else:
            begin_move(state, action - GO, ACT)
    elif stage == PAY:
        answer_pay(state, action)
    elif stage == OVERWORK:
        answer_overwork(state, action)
    elif stage == RECRUITS:
        answer_recruits(state, action)
    elif stage == GROW:
        answer_grow(state, action)
    elif stage == HER_WINDOW:
        if action == PASS:
            state.stage = WARRENS
        else:
            answer_birdsong(state, action, rng)
    elif stage == STARTING:
        answer_starting(state, action)
    else:
        answer_keep(state, action)
