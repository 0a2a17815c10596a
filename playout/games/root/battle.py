"""A battle: ambush and counter-ambush, the roll, effects, losses that their owner chooses, points, Field Hospitals.

The player whose turn it is attacks. Hits of an ambush and rolled hits go the same way, from `deal_hits` on.
"""

from playout import below
from playout.games.root.cards import AMBUSHES, ARMORERS, BRUTAL, SAPPERS, SCOUTING, drop
from playout.games.root.hands import discard, may_hold, spend
from playout.games.root.map import SUIT
from playout.games.root.options import DESPOT_EACH
from playout.games.root.record import (
    AMBUSHED,
    CARD,
    COMMANDER,
    COUNTERED,
    DESPOT,
    DONE,
    EFFECTS,
    EYRIE,
    FIRST_OTHER,
    FIRST_SELF,
    HOSPITAL,
    KEEP,
    LOSE,
    LOSSES,
    ORDER,
    PASS,
    ROLL,
    ROOST,
    SCORING,
    USE_ARMORERS,
    USE_BRUTAL,
    USE_SAPPERS,
    WITHSTOOD,
    gain,
    remove_piece,
    remove_warriors,
    settle,
    standing,
)
from playout.games.root.turn import has, list_cards

AMBUSH_HITS = 2


def begin_battle(state, clearing, after):
    state.place = clearing
    state.after = after
    state.paid = 0
    state.brutal = 0
    for player in range(2):
        state.rolled[player] = 0
    state.stage = AMBUSHED


# Before the roll


def step_ambushed(state):
    attacker = state.turn
    if not has(state, attacker, SCOUTING) and may_hold(state, 1 - attacker, AMBUSHES[SUIT[state.place]]):
        state.asked = 1 - attacker
    else:
        state.stage = ROLL


def step_countered(state):
    if may_hold(state, state.turn, AMBUSHES[SUIT[state.place]]):
        state.asked = state.turn
    else:
        spring(state)


def legal_ambush(state, out):
    out[0] = PASS
    return list_cards(state.hands[state.asked] & AMBUSHES[SUIT[state.place]], CARD, out, 1)


def answer_ambushed(state, action):
    if action == PASS:
        state.stage = ROLL
    else:
        spend(state, 1 - state.turn, action - CARD)
        state.stage = COUNTERED


def answer_countered(state, action):
    if action == PASS:
        spring(state)
    else:
        spend(state, state.turn, action - CARD)
        state.stage = ROLL


def spring(state):
    """The ambush strikes."""
    state.struck = 1
    deal_hits(state, state.turn, AMBUSH_HITS)
    state.stage = LOSSES


def step_withstood(state):
    """After an ambush the battle goes on if the attacker has a warrior there, perhaps back from the hospital."""
    state.stage = ROLL if state.warriors[state.turn, state.place] > 0 else DONE


# The roll and what can be done about it


def step_roll(state, rng):
    attacker, defender = state.turn, 1 - state.turn
    one, two = below(rng, 4), below(rng, 4)
    state.rolled[attacker] = min(max(one, two), state.warriors[attacker, state.place])
    state.rolled[defender] = min(min(one, two), state.warriors[defender, state.place])
    state.extra[attacker] = 1 if state.warriors[defender, state.place] == 0 else 0
    if attacker == EYRIE and state.leader == COMMANDER:
        state.extra[attacker] += 1
    attacks, defends = can_react(state, attacker), can_react(state, defender)
    state.side = attacker if attacks else defender
    state.sides = 1 if attacks and defends else 0
    state.stage = ORDER if state.sides else EFFECTS


def can_react(state, player):
    """Whether a side has a battle effect to use. Armorers with no rolled hit to ignore are not offered."""
    if has(state, player, ARMORERS) and state.rolled[1 - player] > 0:
        return True
    if player == state.turn:
        return has(state, player, BRUTAL) and state.brutal == 0
    return has(state, player, SAPPERS)


def answer_order(state, action):
    state.side = state.turn if action == FIRST_SELF else 1 - state.turn
    state.stage = EFFECTS


def legal_order(state, out):
    out[0] = FIRST_SELF
    out[1] = FIRST_OTHER
    return 2


def step_effects(state):
    if can_react(state, state.side):
        state.asked = state.side
    else:
        end_effects(state)


def end_effects(state):
    """The other side's turn to decide, or the hits: both sides' are counted before any piece goes."""
    if state.sides > 0:
        state.sides -= 1
        state.side = 1 - state.side
        return
    attacker, defender = state.turn, 1 - state.turn
    taken, dealt = state.rolled[defender] + state.extra[defender], state.rolled[attacker] + state.extra[attacker]
    state.extra[0] = 0
    state.extra[1] = 0
    state.side = 0
    deal_hits(state, defender, dealt)
    deal_hits(state, attacker, taken)
    state.stage = LOSSES


def legal_effects(state, out):
    player = state.side
    out[0] = PASS
    count = 1
    if has(state, player, ARMORERS) and state.rolled[1 - player] > 0:
        out[count] = USE_ARMORERS
        count += 1
    if player == state.turn:
        if has(state, player, BRUTAL) and state.brutal == 0:
            out[count] = USE_BRUTAL
            count += 1
    elif has(state, player, SAPPERS):
        out[count] = USE_SAPPERS
        count += 1
    return count


def answer_effects(state, action):
    player = state.side
    if action == PASS:
        end_effects(state)
    elif action == USE_BRUTAL:
        state.brutal = 1
        state.extra[player] += 1
        gain(state, 1 - player, 1)
    elif action == USE_SAPPERS:
        use_up(state, player, SAPPERS)
        state.extra[player] += 1
    else:
        use_up(state, player, ARMORERS)
        state.rolled[1 - player] = 0


def use_up(state, player, kind):
    state.crafted[player] = drop(state.crafted[player], kind)
    discard(state, kind)


# Hits


def deal_hits(state, player, hits):
    """Warriors go first. What is owed beyond them is chosen, unless everything goes."""
    falling = min(hits, state.warriors[player, state.place])
    remove_warriors(state, player, state.place, falling)
    state.owed[player] = min(hits - falling, pieces(state, player, 0))


def pieces(state, player, least):
    """A player's buildings and tokens in the clearing of the battle, of the sorts from one on."""
    total = 0
    for piece in range(least, KEEP + 1):
        if own_sort(player, piece):
            total += standing(state, piece, state.place)
    return total


def own_sort(player, piece):
    return (piece == ROOST) == (player == EYRIE)


def loser(state):
    """Who has to choose a loss now: the defender first; -1 for nobody."""
    if state.owed[1 - state.turn] > 0:
        return 1 - state.turn
    return state.turn if state.owed[state.turn] > 0 else -1


def step_losses(state):
    player = loser(state)
    if player < 0:
        state.stage = SCORING
        return
    sorts, last = 0, 0
    for piece in range(state.mark, KEEP + 1):
        if own_sort(player, piece) and standing(state, piece, state.place) > 0:
            sorts += 1
            last = piece
    if sorts > 1 and pieces(state, player, state.mark) > state.owed[player]:
        state.asked = player
        return
    for piece in range(state.mark, last + 1):
        if own_sort(player, piece):
            for _ in range(standing(state, piece, state.place)):
                if state.owed[player] > 0:
                    lose(state, player, piece)
    state.mark = 0


def lose(state, player, piece):
    remove_piece(state, piece, state.place)
    state.gain[1 - player] += 1
    state.owed[player] -= 1


def legal_losses(state, out):
    """Pieces in ascending order only, since the order in which they go does not matter."""
    player, count = state.asked, 0
    for piece in range(state.mark, KEEP + 1):
        there = own_sort(player, piece) and standing(state, piece, state.place) > 0
        if there and pieces(state, player, piece) >= state.owed[player]:
            out[count] = LOSE + piece
            count += 1
    return count


def answer_losses(state, action):
    player = loser(state)
    lose(state, player, action - LOSE)
    state.mark = action - LOSE if state.owed[player] > 0 else 0


def step_scoring(state):
    """Both sides score at once; then Field Hospitals."""
    if state.leader == DESPOT and state.gain[EYRIE] > 0 and (DESPOT_EACH or state.paid == 0):
        state.gain[EYRIE] += 1
        state.paid = 1
    for player in range(2):
        state.scores[player] += state.gain[player]
        state.gain[player] = 0
    settle(state)
    state.later = WITHSTOOD if state.struck else DONE
    state.struck = 0
    state.stage = HOSPITAL


def step_done(state):
    state.place = 0
    state.paid = 0
    state.brutal = 0
    state.stage = state.after
    state.after = 0


# All stages of a battle


def step_battle(state, rng):
    stage = state.stage
    if stage == AMBUSHED:
        step_ambushed(state)
    elif stage == COUNTERED:
        step_countered(state)
    elif stage == WITHSTOOD:
        step_withstood(state)
    elif stage == ROLL:
        step_roll(state, rng)
    elif stage == ORDER:
        state.asked = state.turn
    elif stage == EFFECTS:
        step_effects(state)
    elif stage == LOSSES:
        step_losses(state)
    elif stage == SCORING:
        step_scoring(state)
    else:
        step_done(state)


def legal_battle(state, out):
    if state.stage == LOSSES:
        return legal_losses(state, out)
    if state.stage == EFFECTS:
        return legal_effects(state, out)
    if state.stage == ORDER:
        return legal_order(state, out)
    return legal_ambush(state, out)


def answer_battle(state, action):
    if state.stage == AMBUSHED:
        answer_ambushed(state, action)
    elif state.stage == COUNTERED:
        answer_countered(state, action)
    elif state.stage == ORDER:
        answer_order(state, action)
    elif state.stage == EFFECTS:
        answer_effects(state, action)
    else:
        answer_losses(state, action)
