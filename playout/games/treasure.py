"""Treasure: three pirates in turn take a coin from either end of a row.

Each wants as much gold as possible for himself, and to lay a big coin bare is a present for the next. In the row given, when
all three look ahead to the end they get 29, 31 and 18; when all three grab the bigger end they get 26, 24 and 28. The first
split is the value of the only subgame-perfect equilibrium, by recursion over the 78 stretches of the row that can be left:
the pirate to act compares his own gold after taking left and after taking right, and never finds the two equal.
"""

import numpy as np

from playout import PlayoutError, parameter
from playout.picture import BOARD, FAINT, INK, MUTED, PAPER, PLAYER_COLOURS, Picture

MOST_COINS, MOST_GOLD = 30, 99

coins = parameter("coins", "9-7-2-11-8-10-1-3-12-5-6-4", "worth of each coin, with dashes between")


def worth_of(text):
    words = text.split("-")
    if len(words) > MOST_COINS or not all(word.isdecimal() and 1 <= int(word) <= MOST_GOLD for word in words):
        raise PlayoutError(
            f"parameter coins={text!r} is not a row of coins: write 1 to {MOST_COINS} numbers "
            f"from 1 to {MOST_GOLD} with dashes between, for example coins=9-7-2-11"
        )
    return tuple(int(word) for word in words)


COINS = worth_of(coins)
COUNT = len(COINS)

LEFT, RIGHT = 0, 1
players = 3
actions = 2
returns_range = (0, sum(sorted(COINS)[-((COUNT + 2) // 3) :]))  # the first pirate with all the biggest coins
State = np.dtype([("gold", np.int16, 3), ("first", np.int8), ("end", np.int8)])  # the row that is left: first to end - 1


def start(state, rng):
    state.end = COUNT


def legal(state, out):
    out[0] = LEFT
    out[1] = RIGHT
    return 2 if state.end - state.first > 1 else 1


def play(state, action, rng):
    pirate = mover(state)
    if action == LEFT:
        state.gold[pirate] += COINS[state.first]
        state.first += 1
    else:
        state.end -= 1
        state.gold[pirate] += COINS[state.end]


def mover(state):
    if state.first == state.end:
        return -1
    return (state.first + COUNT - state.end) % 3


def returns(state, out):
    for pirate in range(3):
        out[pirate] = float(state.gold[pirate])


def key(state):
    # The third pirate has what is missing from the row and is not with the first two; none ever has 1024.
    return ((state.first * 32 + state.end) * 1024 + state.gold[0]) * 1024 + state.gold[1]


def action_name(state, action):
    return "right" if action == RIGHT else "left"


def draw(state):
    row = " ".join(str(COINS[i]) for i in range(state.first, state.end))
    gold = [f"{'>' if pirate == mover(state) else ' '} pirate {pirate}: {state.gold[pirate]}" for pirate in range(3)]
    return "\n".join([f"  [{row}]", *gold])


def svg(state):
    wide, x0 = 46, 20
    width = max(COUNT * wide + 2 * x0, 340)
    x0 = (width - COUNT * wide) / 2
    whose = f"pirate {mover(state)} to take" if mover(state) >= 0 else "all coins are taken"
    picture = Picture(width, 176, f"Treasure: {whose}", PAPER)
    for i in range(COUNT):
        x = x0 + (i + 0.5) * wide
        if state.first <= i < state.end:
            action = LEFT if i == state.first else RIGHT if i == state.end - 1 else None
            with picture.action(action, f"take {COINS[i]}, {'right' if action == RIGHT else 'left'}"):
                picture.circle(x, 42, 20, "#e9b949", "#a8791c", 1.5 if action is None else 3)
                picture.circle(x, 42, 15, "none", "#a8791c", 0.8)
                picture.text(x, 42, str(COINS[i]), 15, INK, bold=True)
                if action is not None:
                    picture.hit(x - wide / 2, 14, wide, 56, 10)
        else:
            picture.circle(x, 42, 20, "none", FAINT, 1.5)
            picture.text(x, 42, str(COINS[i]), 13, FAINT)
    for pirate in range(3):
        x, colour = width * (2 * pirate + 1) / 6, PLAYER_COLOURS[pirate]
        acting = pirate == mover(state)
        picture.rect(x - 48, 88, 96, 70, BOARD if acting else "none", colour, 3 if acting else 1.5, rx=10)
        picture.text(x, 106, f"pirate {pirate}", 14, INK if acting else MUTED)
        picture.text(x, 134, str(state.gold[pirate]), 26, INK, bold=True)
    return str(picture)
