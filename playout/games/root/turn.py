"""What both factions' turns share: moves, the windows for lasting cards, crafting's neighbours at both ends of Daylight, the Evening.

In every part `step_...` goes on with a stage until somebody must decide (`asked`) or the stage has changed, `list_...` and `legal_...` write
legal actions, and `answer_...` carries a decision out.
"""

from playout import lowest, pop, popcount
from playout.games.root import cards
from playout.games.root.cards import BIT, CLAIM, CODEBREAKERS, KIND_AT, LOWS, STAND, drop
from playout.games.root.hands import discard, draw, spend, steal
from playout.games.root.map import ALL, CLEARINGS, WAY_FROM, WAY_TO, into, out_of
from playout.games.root.options import BANK_ALWAYS, TAX_HOSPITALS, TURNS
from playout.games.root.record import (
    ARMIES,
    BANKING,
    CARD,
    COUNTING,
    CRAFTING,
    DISCARDING,
    EVENING,
    EYRIE,
    FIGHT,
    GO,
    GROW,
    HOSPITAL,
    LEVY,
    MARQUISE,
    NOBODY,
    NUMBER,
    ORDERS,
    PASS,
    RECRUITER,
    ROOST,
    SAWMILL,
    TAXED,
    TURN,
    USE_BANK,
    USE_CLAIM,
    USE_CODE,
    USE_STAND,
    WARRIORS,
    clearings,
    gain,
    remove_warriors,
    ruled,
    scan,
    survey,
)

TAX, WARREN, COBBLER, BANK = cards.TAX, cards.WARREN, cards.COBBLER, cards.BANK
HAND_LIMIT = 5


def has(state, player, kind):
    """Whether a lasting card lies before a player."""
    return state.crafted[player] & BIT[kind] != 0


def list_cards(some, base, out, count):
    """An action for each kind in a set of cards."""
    kinds = some & LOWS
    while kinds:
        out[count] = base + KIND_AT[lowest(kinds)]
        count += 1
        kinds = pop(kinds)
    return count


# Moves and battles


def ways(mine, own):
    """The moves out of clearings with own warriors, as bits: the player must rule where they begin or where they end."""
    return out_of(own) & (out_of(mine) | into(mine))


def list_ways(state, origins, out, count):
    """The moves of the player whose turn it is out of some clearings."""
    mine, own, _ = scan(state, state.turn)
    return list_bits(ways(mine, own & origins), GO, out, count)


def any_way(state, origins):
    mine, own, _ = scan(state, state.turn)
    return ways(mine, own & origins) != 0


def list_bits(some, base, out, count):
    """An action for each bit of a set."""
    while some:
        out[count] = base + lowest(some)
        count += 1
        some = pop(some)
    return count


def begin_move(state, way, after):
    state.origin = WAY_FROM[way]
    state.place = WAY_TO[way]
    state.after = after
    state.stage = COUNTING


def step_counting(state):
    if state.warriors[state.turn, state.origin] > 1:
        state.asked = state.turn
    else:
        carry_out_move(state, 1)


def carry_out_move(state, number):
    state.warriors[state.turn, state.origin] -= number
    state.warriors[state.turn, state.place] += number
    survey(state, state.origin)
    survey(state, state.place)
    state.origin = 0
    state.place = 0
    state.stage = state.after
    state.after = 0


def legal_counting(state, out):
    for number in range(state.warriors[state.turn, state.origin]):
        out[number] = NUMBER + number
    return state.warriors[state.turn, state.origin]


def list_fights(state, where, out, count):
    """The clearings of a set in which the player whose turn it is may start a battle."""
    _, own, foes = scan(state, state.turn)
    return list_bits(own & foes & where, FIGHT, out, count)


def any_fight(state, where):
    _, own, foes = scan(state, state.turn)
    return own & foes & where != 0


# Windows


def can_claim(state):
    return has(state, state.turn, CLAIM)


def can_stand(state):
    return has(state, state.turn, STAND) and state.stood == 0 and state.sizes[1 - state.turn] > 0


def can_tax(state):
    return has(state, state.turn, TAX) and state.taxed == 0 and state.supply[state.turn] < WARRIORS[state.turn]


def can_decode(state):
    """Looking at a hand that is known already is not offered: it would do nothing."""
    other = 1 - state.turn
    return has(state, state.turn, CODEBREAKERS) and state.decoded == 0 and popcount(state.known[other]) < state.sizes[other]


def list_birdsong(state, out, count):
    """Royal Claim and Stand and Deliver!, which work at any time in Birdsong."""
    if can_claim(state):
        out[count] = USE_CLAIM
        count += 1
    if can_stand(state):
        out[count] = USE_STAND
        count += 1
    return count


def answer_birdsong(state, action, rng):
    player = state.turn
    if action == USE_CLAIM:
        state.crafted[player] = drop(state.crafted[player], CLAIM)
        discard(state, CLAIM)
        gain(state, player, popcount(ruled(state, player)))
    else:
        state.stood = 1
        gain(state, 1 - player, 1)
        steal(state, player, rng)


def list_daylight(state, out, count):
    """Tax Collector and Codebreakers, which work in Daylight between actions."""
    if can_tax(state):
        count = list_bits(clearings(state, state.turn, ARMIES), LEVY, out, count)
    if can_decode(state):
        out[count] = USE_CODE
        count += 1
    return count


def is_daylight(action):
    return action == USE_CODE or LEVY <= action < LEVY + CLEARINGS


def answer_daylight(state, action):
    if action == USE_CODE:
        state.decoded = 1
        state.known[1 - state.turn] = state.hands[1 - state.turn]
        return
    clearing = action - LEVY
    state.taxed = 1
    remove_warriors(state, state.turn, clearing, 1)
    if not TAX_HOSPITALS:
        state.fell[clearing] = 0
    state.after = state.stage
    state.later = TAXED
    state.stage = HOSPITAL


def step_taxed(state, rng):
    draw(state, state.turn, 1, rng)
    state.stage = state.after
    state.after = 0


# The beginning and the end of a turn


def step_turn(state):
    state.recruited = 0
    state.stood = 0
    state.taxed = 0
    state.decoded = 0
    state.added = 0
    state.birds = 0
    for suit in range(3):
        state.used[suit] = 0
    if TURNS > 0:
        if state.turns == TURNS:
            state.winner = NOBODY
        state.turns += state.winner == 0
    state.stage = BANKING


def step_banking(state, rng):
    if not has(state, state.turn, BANK):
        begin_birdsong(state)
    elif BANK_ALWAYS:
        answer_banking(state, USE_BANK, rng)
    else:
        state.asked = state.turn


def answer_banking(state, action, rng):
    if action == USE_BANK:
        draw(state, state.turn, 1, rng)
        draw(state, 1 - state.turn, 1, rng)
    begin_birdsong(state)


def begin_birdsong(state):
    if state.turn == MARQUISE:
        begin_short(state, state.lumber, SAWMILL, GROW)
    else:
        state.stage = ORDERS


def begin_short(state, supply, sort, stage):
    """Wood at sawmills, or warriors at recruiters: one each, and where the supply is short a choice, from the lowest clearing up."""
    state.left = min(supply, state.built[sort])
    state.mark = 0
    state.here = 0
    state.stage = stage


def legal_short(state, sort, base, out):
    room = state.built[sort]
    count = 0
    for clearing in range(CLEARINGS):
        free = state.buildings[sort, clearing]
        if clearing < state.mark:
            room -= free
        else:
            if clearing == state.mark:
                free -= state.here
                room -= state.here
            if free > 0 and room >= state.left:
                out[count] = base + clearing
                count += 1
            room -= free
    return count


def note_short(state, clearing):
    """One more was placed in a clearing."""
    if clearing != state.mark:
        state.here = 0
    state.mark = clearing
    state.here += 1
    state.left -= 1
    if state.left == 0:
        state.mark = 0
        state.here = 0


def step_warrens(state):
    if has(state, state.turn, WARREN) and any_fight(state, ALL):
        state.asked = state.turn
    else:
        state.stage = CRAFTING


def legal_warrens(state, out):
    out[0] = PASS
    return list_fights(state, ALL, out, 1)


def step_cobbling(state):
    if has(state, state.turn, COBBLER) and any_way(state, ALL):
        state.asked = state.turn
    else:
        state.stage = EVENING


def legal_cobbling(state, out):
    out[0] = PASS
    return list_ways(state, ALL, out, 1)


ROOST_POINTS = (0, 0, 1, 2, 3, 4, 4, 5)
ROOST_DRAWS = (1, 1, 1, 2, 2, 2, 3, 3)


def step_evening(state, rng):
    """Roosts score, cards are drawn, and then only five may stay."""
    number = 1 + (state.built[RECRUITER] >= 3) + (state.built[RECRUITER] >= 5)
    if state.turn == EYRIE:
        gain(state, EYRIE, ROOST_POINTS[state.built[ROOST]])
        number = ROOST_DRAWS[state.built[ROOST]]
    draw(state, state.turn, number, rng)
    state.left = max(0, state.sizes[state.turn] - HAND_LIMIT)
    state.mark = 0
    state.stage = DISCARDING


def step_discarding(state):
    if state.left > 0:
        state.asked = state.turn
    else:
        state.mark = 0
        state.turn = 1 - state.turn
        state.stage = TURN


def legal_discarding(state, out):
    """In ascending order only, so never a card above which there are too few."""
    count = 0
    kinds = state.hands[state.turn] & LOWS
    while kinds:
        bit = lowest(kinds)
        if KIND_AT[bit] >= state.mark and popcount(state.hands[state.turn] >> bit) >= state.left:
            out[count] = CARD + KIND_AT[bit]
            count += 1
        kinds = pop(kinds)
    return count


def answer_discarding(state, action):
    kind = action - CARD
    spend(state, state.turn, kind)
    state.left -= 1
    state.mark = kind
