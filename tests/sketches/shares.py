"""Shares: three firms one after the other decide how much to sell; the more there is in all, the lower the price.

Each makes one real-valued decision, and the profits are known at the end. `profits` says all there is to say about the game;
below it the same game is spelled out on a grid of quantities, for a search over action ids.
"""

import numpy as np

from playout import parameter

grid = parameter("grid", 8, "steps from nothing to the whole market", low=2, high=1000)

players = 3
bounds = (0.0, 1.0)


def profits(actions, out):
    price = 1 - (actions[0] + actions[1] + actions[2])
    for firm in range(3):
        out[firm] = actions[firm] * price


actions = grid + 1
returns_range = (-2, 0.25)
State = np.dtype([("quantity", np.float64, 3), ("stage", np.int8)])


def start(state, rng):
    pass


def legal(state, out):
    for i in range(grid + 1):
        out[i] = i
    return grid + 1


def play(state, action, rng):
    state.quantity[state.stage] = bounds[0] + (bounds[1] - bounds[0]) * action / grid
    state.stage += 1


def mover(state):
    return state.stage if state.stage < 3 else -1


def returns(state, out):
    profits(state.quantity, out)
    for firm in range(3):
        if state.stage < 3:
            out[firm] = 0.0


def action_name(state, action):
    return f"{action}/{grid}"


def draw(state):
    return "sold: " + ", ".join(f"{state.quantity[firm]:g}" for firm in range(state.stage))
