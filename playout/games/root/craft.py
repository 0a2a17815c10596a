"""Crafting, favors, and Field Hospitals."""

from playout import lowest, pop, popcount
from playout.games.root.cards import (
    AFFORDABLE,
    CARD_SUIT,
    CLAIM,
    COST,
    FITTING,
    ITEM,
    ITEM_OF,
    ITEMS,
    KIND_AT,
    LASTING,
    MOST_COST,
    OF_CARD_SUIT,
    OF_ITEM,
    POINTS_OF,
    SORT,
    WHOLE,
    put,
)
from playout.games.root.hands import discard, may_hold, spend, take_out
from playout.games.root.map import BIRD, BY_SUIT, CLEARINGS, SUIT
from playout.games.root.record import (
    ACT,
    ACTIVATE,
    BUILDER,
    CARD,
    CLAIMING,
    CRAFT,
    CRAFTING,
    EYRIE,
    HOSPITAL,
    KEEP,
    MARQUISE,
    PASS,
    RESOLVE,
    ROOST,
    SAWMILL,
    VIZIERS,
    WORKSHOP,
    gain,
    place_warriors,
    remove_piece,
    remove_warriors,
    standing,
)
from playout.games.root.turn import answer_daylight, can_tax, is_daylight, list_cards, list_daylight

ROYAL_COST = 4
ACTIONS_A_DAY = 3


def idle(state, suit):
    """Crafting pieces of a suit that were not activated yet."""
    sort = ROOST if state.turn == EYRIE else WORKSHOP
    found = -state.used[suit]
    for i in range(4):
        found += state.buildings[sort, BY_SUIT[suit, i]]
    return found


def craftable(state):
    """The cards that could be crafted now by whoever holds them: the pieces pay, the item is there, no copy lies before the player."""
    if state.built[ROOST if state.turn == EYRIE else WORKSHOP] == 0:
        return 0
    fox, rabbit, mouse = idle(state, 0), idle(state, 1), idle(state, 2)
    some = AFFORDABLE[min(fox, MOST_COST), min(rabbit, MOST_COST), min(mouse, MOST_COST)]
    if fox + rabbit + mouse >= ROYAL_COST:
        some |= WHOLE[CLAIM]
    for item in range(ITEMS):
        if state.items[item] == 0:
            some &= ~OF_ITEM[item]
    lying = state.crafted[state.turn]
    while lying:
        some &= ~WHOLE[KIND_AT[lowest(lying)]]
        lying = pop(lying)
    return some


def step_crafting(state):
    some = craftable(state)
    if some != 0 and (may_hold(state, state.turn, some) or can_tax(state)):
        state.asked = state.turn
    else:
        end_crafting(state)


def end_crafting(state):
    if state.turn == MARQUISE:
        state.actions = ACTIONS_A_DAY
        state.stage = ACT
    else:
        state.stage = RESOLVE
        open_column(state, 0)


def open_column(state, column):
    """The cards of a Decree column, viziers among them, are to be resolved."""
    state.column = column
    for suit in range(4):
        state.todo[suit] = popcount(state.decree[column] & OF_CARD_SUIT[suit])
    state.todo[BIRD] += VIZIERS[state.leader] >> column & 1


def legal_crafting(state, out):
    out[0] = PASS
    count = list_cards(state.hands[state.turn] & craftable(state), CRAFT, out, 1)
    return list_daylight(state, out, count)


def answer_crafting(state, action):
    if action == PASS:
        end_crafting(state)
    elif is_daylight(action):
        answer_daylight(state, action)
    else:
        craft(state, action - CRAFT)


def craft(state, kind):
    player = state.turn
    take_out(state, player, kind)
    for suit in range(3):
        state.used[suit] += COST[kind, suit]
    if SORT[kind] == LASTING:
        state.crafted[player] = put(state.crafted[player], kind)
        if kind == CLAIM:
            state.left = ROYAL_COST
            state.mark = 0
            state.stage = CLAIMING
        return
    discard(state, kind)
    if SORT[kind] == ITEM:
        state.items[ITEM_OF[kind]] -= 1
        # The Eyrie's disdain for trade: one point for any item, but not under the Builder.
        gain(state, player, 1 if player == EYRIE and state.leader != BUILDER else POINTS_OF[kind])
    else:
        favor(state, CARD_SUIT[kind])


def favor(state, suit):
    """Every enemy piece leaves the clearings of a suit. Field Hospitals come after all of it, if the keep still stands."""
    other, removed = 1 - state.turn, 0
    for clearing in range(CLEARINGS):
        if SUIT[clearing] == suit:
            remove_warriors(state, other, clearing, state.warriors[other, clearing])
            for piece in range(SAWMILL, KEEP + 1):
                if (piece == ROOST) == (other == EYRIE):
                    for _ in range(standing(state, piece, clearing)):
                        remove_piece(state, piece, clearing)
                        removed += 1
    gain(state, state.turn, removed)
    state.later = CRAFTING
    state.stage = HOSPITAL


# Royal Claim costs any four pieces: where there are more, which suits


def step_claiming(state):
    total, suits = 0, 0
    for suit in range(state.mark, 3):
        total += idle(state, suit)
        suits += idle(state, suit) > 0
    if state.left > 0 and suits > 1 and total > state.left:
        state.asked = state.turn
        return
    for suit in range(state.mark, 3):
        number = min(state.left, idle(state, suit))
        state.used[suit] += number
        state.left -= number
    state.mark = 0
    state.stage = CRAFTING


def legal_claiming(state, out):
    total, count = idle(state, 0) + idle(state, 1) + idle(state, 2), 0
    for suit in range(3):
        if suit >= state.mark and idle(state, suit) > 0 and total >= state.left:
            out[count] = ACTIVATE + suit
            count += 1
        total -= idle(state, suit)
    return count


def answer_claiming(state, action):
    state.mark = action - ACTIVATE
    state.used[state.mark] += 1
    state.left -= 1


# Field Hospitals: one card for each clearing in which her warriors fell, from the lowest up


def wounded(state):
    """The first clearing for which she may still pay, -1 when there is none."""
    for clearing in range(CLEARINGS):
        if state.fell[clearing] > 0:
            return clearing
    return -1


def step_hospital(state):
    clearing = wounded(state)
    if clearing < 0:
        state.stage = state.later
        state.later = 0
    elif state.keep >= 0 and may_hold(state, MARQUISE, FITTING[SUIT[clearing]]):
        state.asked = MARQUISE
    else:
        state.fell[clearing] = 0


def legal_hospital(state, out):
    out[0] = PASS
    return list_cards(state.hands[MARQUISE] & FITTING[SUIT[wounded(state)]], CARD, out, 1)


def answer_hospital(state, action):
    clearing = wounded(state)
    if action != PASS:
        spend(state, MARQUISE, action - CARD)
        place_warriors(state, MARQUISE, state.keep, state.fell[clearing])
    state.fell[clearing] = 0
