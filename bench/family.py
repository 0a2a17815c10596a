"""Families of continuous games that are hard for a local search: one text for each kind, and a number that says which game of it.

The first stage is not part of the game: its action is the number of the game, and a search begins after it. So all games of a kind are
one text, compiled once; their coefficients come from the number by a hash. See bench/families.py.
"""

import numpy as np

from playout import parameter

KINDS = ("waves", "six", "five", "kinks", "bumps", "boxes", "smooth", "pairs", "five-reduced")
kind = parameter(
    "kind", "waves", "waves, six, five, kinks, bumps, boxes, smooth or pairs; five-reduced is for the reference alone"
)
LATER = {"waves": 3, "six": 6, "five": 3, "kinks": 3, "bumps": 2, "boxes": 3, "smooth": 3, "pairs": 6, "five-reduced": 2}[kind]
dimension = {"five": 5, "five-reduced": 5, "bumps": 2}.get(kind, 1)
stages = 1 + LATER
players = LATER
movers = (0, *range(LATER))
HALF, FARTHER = 500, 49_500
"""Games 1 to 500 and 50,001 to 50,500: up to half of the first box the one, then the others."""


def number(seed, place):
    """A number from -1 to 1 out of that of the game and that of the coefficient."""
    scattered = np.sin(seed * 12.9898 + place * 78.233) * 43758.5453
    return 2.0 * (scattered - np.floor(scattered)) - 1.0


def seed_of(actions):
    """The number of the game: thousandths, so that payoffs do not change where a derivative by the first action is tried out."""
    number = np.floor(1000.0 * actions[0, 0].real + 0.5)
    return number + FARTHER * (number > HALF)


def bounds(stage, actions, low, high):
    for i in range(dimension):
        low[i] = -1.0
        high[i] = 1.0
        if stage == 0:
            low[i], high[i] = 0.0, 1.0


def moving_bounds(stage, actions, low, high):
    """Each box lies around what was played before, and is as wide as that says."""
    low[0], high[0] = -1.0, 1.0
    if stage == 0:
        low[0], high[0] = 0.0, 1.0
    elif stage > 1:
        before = actions[stage - 1, 0]
        low[0] = -0.9 + 0.6 * before
        high[0] = 0.4 + 0.6 * before + 0.5 * before * before


def waves(actions, out):
    """Every payoff is a sum of waves in all actions: many local optima at every stage."""
    seed = seed_of(actions)
    for player in range(3):
        total = 0.0 * actions[1, 0]
        for k in range(4):
            at = 100 * player + 10 * k
            phase = 3.2 * number(seed, at)
            for stage in range(3):
                phase = phase + 7.0 * number(seed, at + 1 + stage) * actions[1 + stage, 0]
            total = total + (0.75 + 0.25 * number(seed, at + 4)) * np.sin(phase)
        out[player] = total


def six(actions, out):
    """Six movers in a row. Before a mover only the action just before it counts, so that the reference can go backwards on a grid."""
    seed = seed_of(actions)
    for s in range(6):
        at = 100 * s
        own = actions[1 + s, 0]
        before = actions[s, 0] if s > 0 else 0.0 * own
        away = own - 0.6 * number(seed, at)
        total = -(1.2 + 0.6 * number(seed, at + 1)) * away * away
        total = total + (0.6 + 0.3 * number(seed, at + 2)) * np.sin(
            4.0 * own + 2.0 * number(seed, at + 3) * before + number(seed, at + 4)
        )
        total = total + 1.2 * number(seed, at + 5) * own * before
        for later in range(s + 1, 6):
            answer = actions[1 + later, 0]
            total = total + number(seed, at + 10 + 3 * later) * (0.8 * own * answer + 0.5 * answer)
            total = total + 0.4 * number(seed, at + 11 + 3 * later) * np.sin(
                3.0 * answer + 3.0 * number(seed, at + 12 + 3 * later)
            )
        out[s] = total


def pairs(actions, out):
    """Six movers in a row, each of whom minds the last two actions: what was between them pulls, and their product bends."""
    seed = seed_of(actions)
    for s in range(6):
        at = 100 * s + 50
        own = actions[1 + s, 0]
        before = actions[s, 0] if s > 0 else 0.0 * own
        earlier = actions[s - 1, 0] if s > 1 else 0.0 * own
        away = own - 0.5 * number(seed, at) * before - 0.5 * number(seed, at + 1) * earlier
        total = -(1.0 + 0.5 * number(seed, at + 2)) * away * away
        total = total + 0.5 * np.cos(3.5 * own + 2.0 * number(seed, at + 3) * before * earlier + 3.0 * number(seed, at + 4))
        for later in range(s + 1, 6):
            answer = actions[1 + later, 0]
            total = total + 0.7 * number(seed, at + 10 + 2 * later) * own * answer
            total = total + 0.5 * number(seed, at + 11 + 2 * later) * answer * (1.0 - answer)
        out[s] = total


def last_answer(seed, actions, i):
    """The best last action of the games of five dimensions, number i: inside the box whatever came before."""
    total = 0.3 * number(seed, 900 + i)
    for j in range(5):
        total = (
            total + 0.065 * number(seed, 910 + 5 * i + j) * actions[1, j] + 0.065 * number(seed, 940 + 5 * i + j) * actions[2, j]
        )
    return total


def leaders(seed, actions, last, out):
    """The payoffs of the first two movers of the games of five dimensions."""
    for player in range(2):
        total = 0.0 * actions[1, 0]
        for i in range(5):
            at = 300 * player + 20 * i
            own = actions[1 + player, i]
            away = own - 0.7 * number(seed, at)
            total = total - (1.5 + 0.7 * number(seed, at + 1)) * away * away
            total = total + 0.4 * np.sin(3.0 * own + 3.0 * number(seed, at + 2))
            for j in range(5):
                total = total + 0.5 * number(seed, at + 3 + j) * own * actions[2 - player, j]
                total = total + 1.0 * number(seed, at + 8 + j) * own * last[j]
                total = total + 0.3 * number(seed, at + 13 + j) * last[i] * last[j]
        out[player] = total


def five(actions, out):
    """Three movers with five numbers each. The last answer is known, and bends all payoffs."""
    seed = seed_of(actions)
    leaders(seed, actions, actions[3], out)
    total = 0.0 * actions[1, 0]
    before = 0.0 * actions[1, 0]
    for i in range(5):
        away = actions[3, i] - last_answer(seed, actions, i)
        # Neighbours pull on each other, which leaves the best answer where it is.
        total = total - (1.5 + number(seed, 970 + i)) * away * away + 0.4 * away * before
        before = away
    out[2] = total


def five_reduced(actions, out, scratch):
    """The same with the last answer in place: the game of its first two movers."""
    seed = seed_of(actions)
    for i in range(5):
        scratch[i] = last_answer(seed, actions, i)
    leaders(seed, actions, scratch, out)


def kinks(actions, out):
    """Folds: absolute values and maxima of lines in all actions."""
    seed = seed_of(actions)
    for player in range(3):
        at = 100 * player
        total = -1.5 * abs(actions[1 + player, 0] - 0.7 * number(seed, at))
        for k in range(3):
            one, other = number(seed, at + 10 * k + 1), 0.8 * number(seed, at + 10 * k + 2)
            for stage in range(3):
                one += 2.0 * number(seed, at + 10 * k + 3 + stage) * actions[1 + stage, 0]
                other += 2.0 * number(seed, at + 10 * k + 6 + stage) * actions[1 + stage, 0]
            total += number(seed, at + 10 * k + 9) * abs(one) - 0.5 * max(one, other)
        out[player] = total


def bumps(actions, out):
    """Two movers in the plane: hills here and there, of which the other's place makes some high and some low."""
    seed = seed_of(actions)
    for player in range(2):
        at = 100 * player
        total = 0.0 * actions[1, 0]
        for k in range(6):
            square = 0.0 * actions[1, 0]
            for stage in range(2):
                wide = 0.25 if stage == player else 0.6
                for i in range(2):
                    away = (actions[1 + stage, i] - 0.9 * number(seed, at + 10 * k + 2 * stage + i)) / wide
                    square = square + away * away
            total = total + (0.7 + 0.3 * number(seed, at + 10 * k + 4)) * np.exp(-0.5 * square)
        for i in range(2):
            total = total - 0.05 * actions[1 + player, i] * actions[1 + player, i]
        out[player] = total


def cubic(seed, actions, curve, out):
    """Random polynomials of the third degree in three numbers, minus `curve` times the squared distance from a place of one's own."""
    for player in range(3):
        at = 100 * player
        own = actions[1 + player, 0] - 0.6 * number(seed, at)
        total = -curve * own * own
        place = at + 1
        for i in range(3):
            x = actions[1 + i, 0]
            total = total + 0.9 * number(seed, place) * x
            place += 1
            for j in range(i, 3):
                y = actions[1 + j, 0]
                total = total + 1.2 * number(seed, place) * x * y
                place += 1
                for k in range(j, 3):
                    total = total + 1.5 * number(seed, place) * x * y * actions[1 + k, 0]
                    place += 1
        out[player] = total


def boxes(actions, out):
    """A cubic game in boxes that move with earlier actions."""
    cubic(seed_of(actions), actions, 0.3, out)


def smooth(actions, out):
    cubic(seed_of(actions), actions, 2.5, out)


if kind == "boxes":
    bounds = moving_bounds
if kind == "five-reduced":
    scratch = 5
payoffs = {
    "waves": waves,
    "six": six,
    "five": five,
    "kinks": kinks,
    "bumps": bumps,
    "boxes": boxes,
    "smooth": smooth,
    "pairs": pairs,
    "five-reduced": five_reduced,
}[kind]
