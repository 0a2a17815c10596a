"""Two mills: one after the other decides how much to grind; the more there is of it, the less it sells for.

A game with real-valued actions that works as it is: the first mill knows that the second will answer as well as it can.
Change it bit by bit, and run `playout check` on it after every bit. Places to go on from are marked with NEXT; docs/continuous.md
explains every name.
"""

from playout import parameter

cost = parameter("cost", 0.1, "what grinding one unit costs", low=0.0, high=1.0)
coefficients = (cost,)  # numbers that payoffs is handed: others need no compiling; NEXT: as many as you like

players = 2
stages = 2  # actions in a game; NEXT: more stages, and `movers = (0, 1, 0)` says whose each is
dimension = 1  # numbers in an action; NEXT: 2 for how much and how fine
bounds = (0.0, 1.0)  # NEXT: def bounds(stage, actions, low, high) where the box depends on what was done before


def payoffs(actions, out, coefficients):
    """What each player gets for all actions together: actions[stage, i] is number i of the action of that stage.

    A pure function, and for smooth search no abs, min or max of actions where it matters: derivatives flow through it.
    """
    first, second = actions[0, 0], actions[1, 0]
    price = 1.0 - first - second
    out[0] = first * (price - coefficients[0])
    out[1] = second * (price - coefficients[0])


# NEXT: def solution(stage, actions), the best action of a stage in closed form if you know it: `playout search` then says how far
# from it the line is, and `playout compare` measures methods by it.


def action_name(state, action, viewer):
    """An action in words, for people."""
    return f"{action[0]:.4g} units"
