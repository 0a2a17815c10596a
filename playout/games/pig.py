"""Pig: roll as often as you dare, hold to bank the points, a 1 loses the turn.

The first to reach the target wins, at once: rolling on with enough points could only lose them. With best play the first
of two players wins a game to 100 with probability 0.5306 (Neller and Presser, "Optimal play of the dice game Pig", 2004).
"""

import numpy as np

from playout import PlayoutError, below, parameter
from playout.picture import BOARD, BOARD_DARK, INK, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture

players = parameter("players", 2, "players", low=2, high=8)
target = parameter("target", 100, "points to win", low=2, high=1000)
if (target + 1) ** players * target * players >= 1 << 63:
    raise PlayoutError(f"players={players} and target={target} are too much together; take fewer players, or target=100")

ROLL, HOLD = 0, 1
actions = 2
returns_range = (-1, 1)
encoding = (2 * players + 2,)
# `die` is the last roll, 0 after a hold: only the pictures look at it.
State = np.dtype([("banked", np.int16, players), ("turn", np.int16), ("mover", np.int8), ("die", np.int8)])


def start(state, rng):
    pass  # the state arrives zeroed: nobody has points and player 0 begins


def legal(state, out):
    out[0] = ROLL
    if state.turn == 0:
        return 1  # a turn begins with a roll, so nobody can pass for ever
    out[1] = HOLD
    return 2


def play(state, action, rng):
    player = state.mover
    state.die = 0
    if action == ROLL:
        state.die = 1 + below(rng, 6)
        state.turn = 0 if state.die == 1 else state.turn + state.die
        if state.die > 1 and state.banked[player] + state.turn < target:
            return  # the same player again
    state.banked[player] += state.turn
    state.turn = 0
    if state.banked[player] < target:
        state.mover = (player + 1) % players


def mover(state):
    return -1 if state.banked[state.mover] >= target else state.mover


def returns(state, out):
    over = state.banked[state.mover] >= target
    for player in range(players):
        out[player] = 0.0
        if over:
            out[player] = 1.0 if player == state.mover else -1.0 / (players - 1)


RACE, PACE, BEHIND = 29, 21, 8


def playout_action(state, legal, count, rng):
    """Keep pace and end race (Neller and Presser, "Practical play of the dice game Pig", 2010): who is near to the end, or plays
    somebody who is, goes for it in one turn; else hold at 21, sooner when ahead and later when behind, by an eighth of the difference."""
    mine, best = state.banked[state.mover], 0
    for player in range(players):
        if player != state.mover:
            best = max(best, state.banked[player])
    racing = max(mine, best) >= target - RACE
    enough = PACE + (best - mine + BEHIND // 2) // BEHIND
    return ROLL if count == 1 or racing or state.turn < enough else HOLD


def encode(state, player, out):
    """From the player on: what each has banked, and whose turn it is; then the points of the turn, and whether it has only begun."""
    for i in range(players):
        seat = (player + i) % players
        out[i] = min(state.banked[seat], target) / target
        out[players + i] = 1.0 if state.mover == seat else 0.0
    out[2 * players] = state.turn / target
    out[2 * players + 1] = 1.0 if state.turn == 0 else 0.0


def key(state):
    # Exact, but for the points beyond the target, which make no difference.
    total = state.turn * players + state.mover
    for player in range(players):
        total = total * (target + 1) + min(state.banked[player], target)
    return total


def action_name(state, action):
    return "hold" if action == HOLD else "roll"


def draw(state):
    lines = []
    for player in range(players):
        mark = " " if player != state.mover else "*" if mover(state) < 0 else ">"
        turn = f" + {state.turn}" if player == state.mover and state.turn else ""
        lines.append(f"{mark} player {player}: {state.banked[player]:>4}{turn}")
    return "\n".join([*lines, f"  die: {state.die}" if state.die else "  die: -"])


# Where the spots of a die lie, in thirds from its centre.
SPOTS = {
    0: (),
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def svg(state):
    left, long, high = 50, 320, 48
    bars = players * high + 24
    height = bars + 44
    acts = mover(state) >= 0
    standing = f"player {state.mover} {'to act' if acts else 'has won'}, " + ":".join(str(points) for points in state.banked)
    picture = Picture(left + long + 150, height, f"Pig to {target}: {standing}", PAPER)
    for player in range(players):
        y, colour = 12 + (player + 0.5) * high, PLAYER_COLOURS[player]
        acting = player == state.mover
        if acting:
            picture.polygon([(8, y - 8), (22, y), (8, y + 8)], colour)
        picture.text(36, y, str(player), 17, colour, bold=True)
        picture.rect(left, y - 13, long, 26, BOARD, BOARD_DARK, 1.2, rx=6)
        banked = long * min(1, state.banked[player] / target)
        picture.rect(left, y - 13, banked, 26, colour, rx=6)
        if acting and state.turn:
            picture.rect(left + banked, y - 8, long * min(1 - banked / long, state.turn / target), 16, WHITE, colour, 2, rx=4)
        words = f"{state.banked[player]}" + (f" + {state.turn}" if acting and state.turn else "")
        picture.text(left + long + 8, y, words, 16, INK, "start", bold=acting)
    x, y = left + long + 112, bars / 2
    with picture.note(f"the last roll: {state.die or 'none'}"):
        picture.rect(x - 26, y - 26, 52, 52, WHITE, INK if state.die else MUTED, 2, rx=10)
        for right, down in SPOTS[state.die]:
            picture.circle(x + 14 * right, y + 14 * down, 5, PLAYER_COLOURS[0] if state.die == 1 else INK)
    picture.button(left, bars - 2, 150, 34, "roll", ROLL if acts else None)
    picture.button(left + 170, bars - 2, 150, 34, f"hold {state.turn or ''}".strip(), HOLD if acts and state.turn else None)
    return str(picture)
