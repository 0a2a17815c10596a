"""Kalah: sow seeds around the board and bring more of them home than the other player.

A move takes all seeds out of one house and sows them one by one to the right, then through the own store and the other player's
houses, never into the other store. A last seed in the own store gives another turn; a last seed in an own empty house takes
home the seeds that lie opposite, if there are any, and itself. As soon as the houses of one player are all empty, the other
player's seeds go home as well.

Lines of 1, 2, ... moves from the start, each turn of a chain counted as a move of its own:

    houses  seeds  capture_empty
    6       4      no             6, 35, 185, 942, 4690, 23233, 114430, 563055
    6       4      yes            6, 35, 185, 942, 4685, 23169, 113959, 559885
    6       3      no             6, 35, 182, 904, 4243, 19418, 87103, 387726
    3       3      no             3, 8, 19, 48, 120, 280, 610, 1283

The first player wins 6 houses with 4 seeds by 10 seeds, if a last seed is captured opposite an empty house too
(Irving, Donkers and Uiterwijk, "Solving Kalah", 2000).
"""

from math import comb

import numpy as np

from playout import Stream, below, lowest, parameter, pop, popcount
from playout.picture import BOARD, BOARD_DARK, INK, LINE, MUTED, PAPER, PLAYER_COLOURS, Picture

houses = parameter("houses", 6, "houses of each player", low=1, high=12)
seeds = parameter("seeds", 4, "seeds in each house at the start", low=1, high=10)
capture_empty = parameter("capture_empty", False, "whether a last seed is captured where nothing lies opposite too")

players = 2
actions = houses
returns_range = (-1, 1)
MOST_SHOWN = 2 * houses + 2  # seeds up to here are told one by one: a lap, and one more
encoding = (1 + 2 * (houses + 1) * (MOST_SHOWN + 2),)

# The pits in the order in which seeds are sown: the houses of player 0, its store, the houses of player 1, its store. A pit
# and the one opposite add up to 2 * houses. Signed, since the difference of two stores can be negative.
SIDE = houses + 1
PITS = 2 * SIDE
TOTAL = 2 * houses * seeds
SMALL = np.int8 if TOTAL <= 127 else np.int16
State = np.dtype([("pits", SMALL, PITS), ("mover", np.int8)])


def start(state, rng):
    for pit in range(PITS):
        state.pits[pit] = 0 if pit % SIDE == houses else seeds


def legal(state, out):
    first, count = state.mover * SIDE, 0
    for house in range(houses):
        if state.pits[first + house] > 0:
            out[count] = house
            count += 1
    return count


def pick(state, rng):
    first, filled = state.mover * SIDE, 0
    for house in range(houses):
        filled |= (state.pits[first + house] > 0) << house
    for _ in range(below(rng, popcount(filled))):
        filled = pop(filled)
    return lowest(filled)


def play(state, action, rng):
    player = state.mover
    first = player * SIDE
    store = first + houses
    last = sow(state, first + action, (store + SIDE) % PITS)
    if first <= last < store and state.pits[last] == 1:
        opposite = state.pits[2 * houses - last]
        if opposite > 0 or capture_empty:
            state.pits[store] += 1 + opposite
            state.pits[last] = 0
            state.pits[2 * houses - last] = 0
    if bare(state, 0) or bare(state, SIDE):
        sweep(state)
        state.mover = -1
    elif last != store:
        state.mover = 1 - player


def sow(state, pit, skipped):
    """Empty a pit into those that follow, around and around, and give the one where the last seed fell."""
    hand = state.pits[pit]
    state.pits[pit] = 0  # before sowing: 2 * houses + 1 seeds end here, in a house that is empty
    for _ in range(hand):
        pit += 1
        if pit == skipped:
            pit += 1
        if pit == PITS:
            pit = 0
        state.pits[pit] += 1
    return pit


def bare(state, first):
    """Whether the houses of a side are all empty."""
    for house in range(houses):
        if state.pits[first + house] > 0:
            return False
    return True


def sweep(state):
    """What is left goes home to the player on whose side it lies."""
    for first in (0, SIDE):
        for house in range(houses):
            state.pits[first + houses] += state.pits[first + house]
            state.pits[first + house] = 0


def encode(state, player, out):
    """Every pit from the player's first house on: its seeds one-hot, and as a share of all; and whether the player is to move."""
    for place in range(PITS):
        seeds_here = state.pits[(player * SIDE + place) % PITS]
        first = place * (MOST_SHOWN + 2)
        out[first + min(seeds_here, MOST_SHOWN)] = 1.0
        out[first + MOST_SHOWN + 1] = seeds_here / TOTAL
    out[PITS * (MOST_SHOWN + 2)] = 1.0 if state.mover == player else 0.0


def mover(state):
    return state.mover


def lead(state):
    """How many more seeds player 0 has at home."""
    return state.pits[houses] - state.pits[PITS - 1]


def returns(state, out):
    out[0] = 0.0
    if state.mover < 0:
        out[0] = 1.0 if lead(state) > 0 else -1.0 if lead(state) < 0 else 0.0
    out[1] = -out[0]


def evaluate(state, out):
    # The lead, measured by what is still to be had: a lead of as many seeds as lie in the houses cannot be lost any more. At 500
    # simulations a search with cutoff=4 took 69 % (62 to 75) of the points of 200 games from one that plays to the end.
    ahead = lead(state)
    left = 0
    for house in range(houses):
        left += state.pits[house] + state.pits[SIDE + house]
    if abs(ahead) >= left:
        out[0] = 1.0 if ahead > 0 else -1.0 if ahead < 0 else 0.0
    else:
        out[0] = ahead / left
    out[1] = -out[0]


# Where the boards and three movers can be counted in 63 bits (6 houses with 10 seeds, 8 with 4) the key is the number of the board
# among all boards with so many seeds: the seeds up to each pit, and the pits, make a growing row of numbers, and such rows
# are counted by binomials (the combinatorial number system). No two boards share a key. Bigger boards get a Zobrist key
# (1970): the exclusive or of one random word for each pit and number of seeds in it.
EXACT = 3 * comb(TOTAL + PITS - 1, PITS - 1) < 1 << 63
_stream = Stream(seed=1970)
WORDS = np.array(
    [
        [comb(seen + pit, pit + 1) if EXACT else _stream.next() >> 3 for seen in range(TOTAL + 1)]
        for pit in range(PITS - 1)  # the last pit holds what the others do not
    ],
    np.int64,
)


def key(state):
    total, seen = 0, 0
    for pit in range(PITS - 1):
        if EXACT:
            seen += state.pits[pit]
            total += WORDS[pit, seen]
        else:
            total ^= WORDS[pit, state.pits[pit]]
    return 3 * total + state.mover + 1


LETTERS = "abcdefghijkl"[:houses]
COLOURS = ("red", "blue")


def action_name(state, action):
    return LETTERS[action]


def status(state):
    score = f"{state.pits[houses]} : {state.pits[PITS - 1]}"
    if state.mover >= 0:
        return f"{COLOURS[state.mover]} to move, {score}"
    return f"draw, {score}" if lead(state) == 0 else f"{COLOURS[lead(state) < 0]} wins, {score}"


def draw(state):
    # Each player's a is on that player's own left, so the upper row is read from the right.
    margin = " " * 3
    below = "".join(f"{state.pits[house]:4}" for house in range(houses))
    above = "".join(f"{state.pits[SIDE + house]:4}" for house in reversed(range(houses)))
    lines = [
        margin + "".join(f"{letter:>4}" for letter in reversed(LETTERS)),
        margin + above,
        f"{state.pits[PITS - 1]:3}" + " " * (4 * houses) + f"{state.pits[houses]:4}",
        margin + below,
        margin + "".join(f"{letter:>4}" for letter in LETTERS),
        f"{status(state)} (red below sows to the right, blue above to the left)",
    ]
    return "\n".join(lines)


def heap(picture, x, y, count, stretch=1.0):
    """Seeds in a pit, each at a golden angle from the one before, so that any number fills it evenly."""
    size = min(4.5, 20 * (stretch / max(1, count)) ** 0.5)
    for seed in range(count):
        away, angle = 20 * ((seed + 0.5) / max(count, 7)) ** 0.5, 2.39996 * seed
        picture.circle(x + away * np.cos(angle), y + stretch * away * np.sin(angle), size, "#6f7f4f", INK, 0.5)


def svg(state):
    cell, store, edge = 64, 76, 12
    width, high = houses * cell + 2 * store + 2 * edge, 3 * cell
    picture = Picture(width, high + 74, f"Kalah: {status(state)}", PAPER)
    picture.rect(edge / 2, 26, width - edge, high, BOARD, BOARD_DARK, 3, rx=30)
    for player in range(players):
        colour = PLAYER_COLOURS[player]
        x = width - edge - store / 2 if player == 0 else edge + store / 2
        picture.rect(x - 27, 44, 54, high - 36, BOARD_DARK, colour, 2.5, rx=27)
        home = state.pits[player * SIDE + houses]
        heap(picture, x, 26 + high / 2 + 14, home, 2.2)
        picture.text(x, 68, str(home), 17, INK, bold=True)
        for house in range(houses):
            column = house if player == 0 else houses - 1 - house
            x = edge + store + (column + 0.5) * cell
            y = 26 + high - 0.62 * cell if player == 0 else 26 + 0.62 * cell
            inwards, outwards = (-1, 1) if player == 0 else (1, -1)
            count = state.pits[player * SIDE + house]
            mine = state.mover == player and count > 0
            seeds = f"{LETTERS[house]}: {count} seed{'s' * (count != 1)}"
            with picture.action(house, seeds) if mine else picture.note(seeds):
                picture.circle(x, y, 27, BOARD_DARK, colour if mine else LINE, 2.5)
                heap(picture, x, y, count)
                picture.text(x, y + inwards * 40, str(count), 15, INK if count else MUTED, bold=count > 0)
                picture.text(x, y + outwards * (0.62 * cell + 11), LETTERS[house], 14, MUTED)
                if mine:
                    picture.hit(x - cell / 2, 26 + (high / 2 if player == 0 else 0), cell, high / 2, 12)
    shade = INK if state.mover < 0 else PLAYER_COLOURS[state.mover]
    picture.text(width / 2, high + 60, status(state), 15, shade, bold=state.mover < 0)
    return str(picture)
