"""Doubles: throw two dice and add them up as often as you dare; doubles lose what the turn has brought.

A dice game for two that works as it is. Change it bit by bit, and run `playout check` on it after every bit.
Places to go on from are marked with NEXT; docs/game.md explains every name.
"""

import numpy as np

from playout import below, parameter
from playout.picture import INK, PAPER, Picture, choices

goal = parameter("goal", 50, "points that win", low=10, high=200)
faces = parameter("faces", 6, "faces of a die", low=2, high=20)

players = 2  # NEXT: up to 8; `player` below is counted through them
actions = 2
THROW, STOP = 0, 1
returns_range = (-1, 1)

# Everything there is to know. The dice stand in it because people want to see them, and nothing else would tell them.
State = np.dtype([("points", np.int16, (players,)), ("turn", np.int16), ("dice", np.int8, (2,)), ("player", np.int8)])


def start(state, rng):
    """Nobody has anything. NEXT: chance may be used here too, as in `state.player = below(rng, players)`."""


def legal(state, out):
    """Write the legal ids into `out` and return how many there are."""
    out[0] = THROW
    if state.turn == 0:
        return 1  # stopping before the first throw would pass the turn for ever
    out[1] = STOP
    return 2


def play(state, action, rng):
    """Change the state. All chance comes from `rng`: below(rng, n) is 0 to n - 1, every one equally likely."""
    if action == STOP:
        state.points[state.player] += state.turn
        end_turn(state)
        return
    state.dice[0] = 1 + below(rng, faces)
    state.dice[1] = 1 + below(rng, faces)
    if state.dice[0] == state.dice[1]:
        end_turn(state)  # NEXT: another penalty, or a prize
    else:
        state.turn += state.dice[0] + state.dice[1]


def end_turn(state):
    """The dice go to the next player."""
    state.turn = 0
    state.player = (state.player + 1) % players


def mover(state):
    """Who is to act; -1 when the game is over."""
    for player in range(players):
        if state.points[player] >= goal:
            return -1
    return state.player


def returns(state, out):
    """One number per player, each from its own point of view; 0 while nothing is decided."""
    for player in range(players):
        out[player] = 0.0
    for player in range(players):
        if state.points[player] >= goal:
            for other in range(players):
                out[other] = -1.0
            out[player] = 1.0


# All above is required, all below is for people, and never compiled.


def action_name(state, action):
    """An action in words."""
    return "throw" if action == THROW else f"stop with {state.turn}"


def draw(state):
    """What is on the table."""
    names = [f"player {player}: {state.points[player]}" for player in range(players)]
    dice = f"   dice {state.dice[0]} {state.dice[1]}" if state.dice[0] else ""
    return ", ".join(names) + f"   (goal {goal})\nplayer {state.player} has {state.turn} in this turn{dice}"


def svg(state):
    """The same as a picture, with a button for each action; a click on it plays, where the game is shown in a browser."""
    picture = Picture(320, 110, "Points and dice", PAPER)
    picture.text(160, 18, "   ".join(f"player {player}: {state.points[player]}" for player in range(players)), 15, INK)
    picture.text(160, 44, f"dice {state.dice[0] or '-'} {state.dice[1] or '-'}, {state.turn} in this turn", 14, INK)
    for action in sorted(choices(state, mover, legal, actions)):
        picture.button(20 + 145 * action, 66, 135, 32, action_name(state, action), action)
    return str(picture)
