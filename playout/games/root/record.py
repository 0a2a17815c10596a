"""The record of a game, its stages and the ids of its actions, and what can be read off the map.

`stage` says what happens next, and `asked` who must decide it. Sets of cards are those of `cards`, sets of clearings are bits.
"""

import numpy as np

from playout.games.root.cards import KINDS
from playout.games.root.map import ALL, CLEARINGS, CORNERS, SLOTS, WAYS, next_to
from playout.games.root.options import POINTS

MARQUISE, EYRIE = 0, 1
SAWMILL, WORKSHOP, RECRUITER, ROOST, WOOD, KEEP = range(6)
PIECE_NAMES = ("sawmill", "workshop", "recruiter", "roost", "wood", "keep")
WARRIORS, BUILT_MOST, ROOSTS, LUMBER = (25, 20), 6, 7, 8
RECRUIT, MOVE, BATTLE, BUILD = 0, 1, 2, 3
COLUMNS = ("RECRUIT", "MOVE", "BATTLE", "BUILD")
BUILDER, CHARISMATIC, COMMANDER, DESPOT = 0, 1, 2, 3
LEADERS = ("Builder", "Charismatic", "Commander", "Despot")
VIZIERS = np.array([0b0011, 0b0101, 0b0110, 0b1010], np.int64)
"""The two columns of each leader's viziers, as bits."""

State = np.dtype(
    [
        ("hands", np.int64, 2),  # in an observation only what is known of the other hand
        ("known", np.int64, 2),  # the cards of each hand that the other player knows; both know which these are
        ("crafted", np.int64, 2),  # lasting cards before each player
        ("decree", np.int64, 4),  # cards in the columns, without viziers
        ("deck", np.int64),  # in an observation all that the player has not seen
        ("discard", np.int64),
        ("sets", np.int64, 2),  # what each player has where, as sets of clearings: it follows from the pieces (`survey`)
        ("warriors", np.int8, (2, CLEARINGS)),
        ("buildings", np.int8, (4, CLEARINGS)),  # sawmills, workshops, recruiters, roosts
        ("wood", np.int8, CLEARINGS),
        ("fell", np.int8, CLEARINGS),  # Marquise warriors just removed, for which Field Hospitals may still pay
        ("sizes", np.int8, 2),  # cards in each hand
        ("supply", np.int8, 2),  # warriors off the map
        ("built", np.int8, 4),  # buildings of each sort on the map
        ("lumber", np.int8),  # wood off the map
        ("keep", np.int8),  # its clearing, -1 without
        ("items", np.int8, 7),  # left in the supply
        ("scores", np.int8, 2),
        ("leader", np.int8),
        ("leaders", np.int8),  # those that were not deposed since all four were face up, as bits
        ("turn", np.int8),  # whose turn it is
        ("stage", np.int8),
        ("asked", np.int8),  # who is to act, -1 when nobody is
        ("winner", np.int8),  # 0, 1 + the winner, or NOBODY at the end of the turns
        ("after", np.int8),  # the stage after a battle, a move or the Tax Collector
        ("later", np.int8),  # the stage after Field Hospitals
        ("actions", np.int8),  # left in her Daylight
        ("recruited", np.int8),
        ("stood", np.int8),  # Stand and Deliver! was used this turn, and so on
        ("taxed", np.int8),
        ("decoded", np.int8),
        ("used", np.int8, 3),  # crafting pieces of each suit activated this turn
        ("added", np.int8),  # Decree cards added this turn; 2 as well when no more may come
        ("birds", np.int8),  # of these, birds
        ("column", np.int8),  # of the Decree, while it is resolved
        ("suit", np.int8),  # of the Decree card that is being resolved
        ("todo", np.int8, 4),  # cards of each suit left in the column
        ("origin", np.int8),  # of a move
        ("place", np.int8),  # where a move goes to, a battle is or a building comes
        ("piece", np.int8),  # the sort of building that comes
        ("left", np.int8),  # pieces still to be placed, paid or discarded
        ("mark", np.int8),  # the last choice of these: the next must not be below it
        ("here", np.int8),  # pieces placed at the mark
        ("rolled", np.int8, 2),  # hits that each side rolled in the last battle, at most its warriors
        ("extra", np.int8, 2),  # extra hits that each side deals
        ("owed", np.int8, 2),  # pieces that each side still has to choose
        ("gain", np.int8, 2),  # buildings and tokens that each side has just removed
        ("struck", np.int8),  # the hits are those of an ambush
        ("side", np.int8),  # who decides on battle effects
        ("sides", np.int8),  # sides that decide after this one
        ("brutal", np.int8),  # Brutal Tactics were used in this battle
        ("paid", np.int8),  # the Despot had its point in this battle
        ("turns", np.int16),  # counted where they are limited
    ],
    align=True,
)
NOBODY = 3

# fmt: off
(
    CHOOSE_KEEP, STARTING, CHOOSE_LEADER, TURN, BANKING,
    GROW, HER_WINDOW,  # the Marquise's Birdsong
    ORDERS, ADD, NEW_ROOST, THEIR_WINDOW,  # the Eyrie's
    WARRENS, CRAFTING, CLAIMING, COUNTING, TAXED, HOSPITAL,
    ACT, MARCH, PAY, OVERWORK, RECRUITS,  # her Daylight
    RESOLVE, TARGET, TURMOIL, LAST_WINDOW,  # theirs
    COBBLING, EVENING, DISCARDING,
    AMBUSHED, COUNTERED, WITHSTOOD, ROLL, ORDER, EFFECTS, LOSSES, SCORING, DONE,  # a battle
) = range(38)
STAGES = 38
ASKING = (
    CHOOSE_KEEP, STARTING, CHOOSE_LEADER, BANKING, GROW, HER_WINDOW, ORDERS, ADD, NEW_ROOST, THEIR_WINDOW, WARRENS, CRAFTING, CLAIMING,
    COUNTING, HOSPITAL, ACT, MARCH, PAY, OVERWORK, RECRUITS, RESOLVE, TARGET, TURMOIL, LAST_WINDOW, COBBLING, DISCARDING, AMBUSHED,
    COUNTERED, ORDER, EFFECTS, LOSSES,
)
# fmt: on
"""The stages in which somebody may be asked; in the others the game goes on by itself."""


def _blocks(*sizes):
    """Where each block of ids begins, and where the last one ends."""
    return [sum(sizes[:i]) for i in range(len(sizes) + 1)]


MOST_MOVED = WARRIORS[0]
(
    PASS,  # no, stop, done
    CORNER,  # + corner: the keep
    LEADER,  # + leader
    CONSTRUCT,  # + 12 · building + clearing, at the start too
    GROW_AT,  # + clearing: wood comes there
    WOOD_FROM,  # + clearing: that wood pays
    RECRUIT_AT,  # + clearing
    ROOST_AT,  # + clearing
    GO,  # + way: a move
    NUMBER,  # + warriors moved - 1
    FIGHT,  # + clearing
    CRAFT,  # + kind
    ACTIVATE,  # + suit: a crafting piece for Royal Claim
    CARD,  # + kind: spent for an action or for Field Hospitals, discarded, or played as an ambush
    WORK,  # + kind: spent to overwork
    DECREE,  # + 4 · kind + column
    BY_SUIT,  # + suit: the Decree card that is resolved
    LEVY,  # + clearing: the Tax Collector takes a warrior there
    LOSE,  # + piece
    MUSTER,  # recruit at every recruiter
    USE_BANK,
    USE_CLAIM,
    USE_STAND,
    USE_CODE,
    USE_ARMORERS,
    USE_SAPPERS,
    USE_BRUTAL,
    FIRST_SELF,  # the attacker decides on effects first
    FIRST_OTHER,
    ACTIONS,
) = _blocks(
    1, CORNERS, 4, 3 * CLEARINGS, CLEARINGS, CLEARINGS, CLEARINGS, CLEARINGS, len(WAYS), MOST_MOVED, CLEARINGS, KINDS, 3, KINDS,
    KINDS, 4 * KINDS, 4, CLEARINGS, 6, *[1] * 10,
)  # fmt: skip


def hers(state, clearing):
    """Her buildings in a clearing."""
    return state.buildings[SAWMILL, clearing] + state.buildings[WORKSHOP, clearing] + state.buildings[RECRUITER, clearing]


# The sets of clearings in a word of `sets`, twelve bits each. The last one is hers alone: a slot is free for both.
RULED, ARMIES, PIECES, BUILDINGS, FREE = range(0, 5 * CLEARINGS, CLEARINGS)
ONE_OF_EACH = 1 << RULED | 1 << ARMIES | 1 << PIECES | 1 << BUILDINGS | 1 << FREE
EMPTY_MAP = sum((SLOTS[clearing] > 0) << clearing for clearing in range(CLEARINGS)) << FREE


def bits_of(state, clearing):
    """What the sets of each player are to say of a clearing, as bits that belong at its place in each of them.

    Whoever has more warriors and buildings rules, and the Eyrie rule ties.
    """
    here, there = state.warriors[MARQUISE, clearing], state.warriors[EYRIE, clearing]
    built, roosts = hers(state, clearing), state.buildings[ROOST, clearing]
    her, their = here + built, there + roosts
    pieces = her + state.wood[clearing] + (state.keep == clearing)
    # No branches: which way they go can hardly be guessed.
    first = (her > their) << RULED | (here > 0) << ARMIES | (pieces > 0) << PIECES | (built > 0) << BUILDINGS
    first |= (SLOTS[clearing] > built + roosts) << FREE
    second = ((their >= her) & (their > 0)) << RULED | (there > 0) << ARMIES | (their > 0) << PIECES | (roosts > 0) << BUILDINGS
    return first, second


def survey(state, clearing):
    """Put into the sets what has become of a clearing: to be called whenever pieces came or went."""
    first, second = bits_of(state, clearing)
    state.sets[MARQUISE] = state.sets[MARQUISE] & ~(ONE_OF_EACH << clearing) | first << clearing
    state.sets[EYRIE] = state.sets[EYRIE] & ~(ONE_OF_EACH << clearing) | second << clearing


def clearings(state, player, which):
    """One of the sets of a player, as bits."""
    return state.sets[player] >> which & ALL


def ruled(state, player):
    """The clearings that a player rules."""
    return clearings(state, player, RULED)


def scan(state, player):
    """Three sets of clearings: those a player rules, those with warriors of its own, and those with any piece of the other."""
    return ruled(state, player), clearings(state, player, ARMIES), clearings(state, 1 - player, PIECES)


def homes(state):
    """The clearings with buildings of hers."""
    return clearings(state, MARQUISE, BUILDINGS)


def free(state):
    """The clearings with a free slot."""
    return clearings(state, MARQUISE, FREE)


def at_keep(state):
    """The clearing of the keep, as a set."""
    return 1 << state.keep if state.keep >= 0 else 0


def joined(clearing, among):
    """The clearings of a set that are joined to one of them by unbroken chains inside the set, as bits."""
    found, edge = 0, 1 << clearing & among
    while edge != found:
        found = edge
        edge |= next_to(edge) & among
    return found


def gain(state, player, points):
    """Points for a player; whoever has enough wins at once."""
    state.scores[player] += points
    settle(state)


def settle(state):
    """See whether somebody has won: if both have enough at the same time, the player whose turn it is."""
    if state.winner == 0:
        if state.scores[state.turn] >= POINTS:
            state.winner = 1 + state.turn
        elif state.scores[1 - state.turn] >= POINTS:
            state.winner = 2 - state.turn


def place_warriors(state, player, clearing, number):
    """Warriors from the supply, as many as there are of those asked for; how many came."""
    number = min(number, state.supply[player])
    state.warriors[player, clearing] += number
    state.supply[player] -= number
    survey(state, clearing)
    return number


def remove_warriors(state, player, clearing, number):
    """Warriors back to the supply; those of the Marquise are remembered for Field Hospitals."""
    state.warriors[player, clearing] -= number
    state.supply[player] += number
    if player == MARQUISE:
        state.fell[clearing] += number
    survey(state, clearing)


def place_building(state, sort, clearing):
    state.buildings[sort, clearing] += 1
    state.built[sort] += 1
    survey(state, clearing)


def place_wood(state, clearing):
    state.wood[clearing] += 1
    state.lumber -= 1
    survey(state, clearing)


def take_wood(state, clearing, number):
    state.wood[clearing] -= number
    state.lumber += number
    survey(state, clearing)


def standing(state, piece, clearing):
    """How many buildings or tokens of a sort stand in a clearing."""
    if piece == WOOD:
        return state.wood[clearing]
    if piece == KEEP:
        return 1 if state.keep == clearing else 0
    return state.buildings[piece, clearing]


def remove_piece(state, piece, clearing):
    """One building or token off the map. A keep never returns."""
    if piece == WOOD:
        take_wood(state, clearing, 1)
        return
    if piece == KEEP:
        state.keep = -1
    else:
        state.buildings[piece, clearing] -= 1
        state.built[piece] -= 1
    survey(state, clearing)
