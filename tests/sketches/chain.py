"""Raid: a turn is a chain of small decisions (who attacks, whom, how hard), and the attacked side may answer in the middle.

After the target is named the defender may spring an ambush, if it has one left: it costs the attacking unit one health, and
ends the turn when that was the last. Otherwise the attacker goes on and says how hard to strike, which costs supplies.
At the end the health that is left counts.
"""

import numpy as np

from playout import parameter

units = parameter("units", 2, "units of each side", low=1, high=6)
health = parameter("health", 2, "health of a fresh unit", low=1, high=6)
turns = parameter("turns", 4, "turns, both sides together", low=1, high=20)
supplies = parameter("supplies", 3, "what each side may spend on strikes", low=0, high=50)
ambushes = parameter("ambushes", 1, "ambushes of each side", low=0, high=9)

UNIT, TARGET, ANSWER, STRENGTH = 0, 1, 2, 3  # the stages of a turn
STAND, AMBUSH = 0, 1

players = 2
actions = max(units, 2, health + 1)
returns_range = (-units * health, units * health)
State = np.dtype(
    [
        ("health", np.int8, (2, units)),
        ("supplies", np.int8, 2),
        ("ambushes", np.int8, 2),
        ("turn", np.int8),
        ("stage", np.int8),
        ("unit", np.int8),
        ("target", np.int8),
    ]
)


def start(state, rng):
    for side in range(2):
        state.supplies[side] = supplies
        state.ambushes[side] = ambushes
        for unit in range(units):
            state.health[side, unit] = health


def legal(state, out):
    side = state.turn % 2
    if state.stage == UNIT:
        return standing(state, side, out)
    if state.stage == TARGET:
        return standing(state, 1 - side, out)
    most = AMBUSH
    if state.stage == STRENGTH:
        most = min(state.supplies[side], state.health[side, state.unit])
    for i in range(most + 1):
        out[i] = i
    return most + 1


def standing(state, side, out):
    count = 0
    for unit in range(units):
        if state.health[side, unit] > 0:
            out[count] = unit
            count += 1
    return count


def play(state, action, rng):
    side = state.turn % 2
    if state.stage == UNIT:
        state.unit = action
        state.stage = TARGET
    elif state.stage == TARGET:
        state.target = action
        state.stage = ANSWER if state.ambushes[1 - side] > 0 else STRENGTH
    elif state.stage == ANSWER:
        state.ambushes[1 - side] -= action
        state.health[side, state.unit] -= action
        state.stage = STRENGTH
        if state.health[side, state.unit] == 0:
            end_turn(state)
    else:
        state.supplies[side] -= action
        state.health[1 - side, state.target] = max(0, state.health[1 - side, state.target] - action)
        end_turn(state)


def end_turn(state):
    state.turn += 1
    state.stage = UNIT
    state.unit = 0
    state.target = 0


def strength(state, side):
    total = 0
    for unit in range(units):
        total += state.health[side, unit]
    return total


def mover(state):
    if state.turn == turns or strength(state, 0) == 0 or strength(state, 1) == 0:
        return -1
    side = state.turn % 2
    return 1 - side if state.stage == ANSWER else side


def returns(state, out):
    out[0] = strength(state, 0) - strength(state, 1)
    out[1] = -out[0]


def action_name(state, action):
    if state.stage == ANSWER:
        return ("stand", "ambush")[action]
    return ("unit", "target", "", "strength")[state.stage] + f" {action}"


def draw(state):
    sides = []
    for side in range(2):
        row = " ".join(str(state.health[side, unit]) for unit in range(units))
        sides.append(f"side {side}: units {row}, supplies {state.supplies[side]}, ambushes {state.ambushes[side]}")
    doing = ("choosing a unit", f"unit {state.unit} attacks", f"unit {state.unit} attacks {state.target}", "striking")[
        state.stage
    ]
    return "\n".join([*sides, f"turn {state.turn}: {doing}"])
