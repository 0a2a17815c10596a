"""A small network inside the kernel: what it says of a state is the value of a leaf and the prior of its actions.

What goes in is the encoding of what the mover sees, what happens to it is a list of steps (`layers`), and what comes out are logits of the
action ids, and then what each player gets from the mover on, before it is drawn into the range of the returns.
"""

from __future__ import annotations

from math import exp, tanh
from typing import Any

import numpy as np

from playout.compile.holes import ACTIONS, PLAYERS, cold, encode, mover, observe, where, whole
from playout.engine.layers import answer
from playout.engine.layout import NOW, SEEN
from playout.engine.trouble import BAD_ACTION, BAD_NETWORK


@cold
def ask_network(sim: Any, lane: int, player: int) -> int:
    """Where in `learned.room` the outputs for the state of a lane begin."""
    learned, states = sim.learned, sim.states[lane]
    flat, room = learned.flat, learned.room
    states[SEEN] = states[NOW]
    observe(states[SEEN], player)
    size = len(flat)
    for i in range(size):
        flat[i] = 0.0
    encode(states[SEEN], player, learned.seen)
    # A leaf is valued, and then asked about its actions: what was said last is still there, and its last number tells that something was.
    same = room[len(room) - 1] != 0.0
    for i in range(size):
        if room[i] != flat[i]:
            room[i] = flat[i]
            same = False
    if not same:
        answer(learned.layers, learned.steps, room)
        room[len(room) - 1] = 1.0
    return size


def no_network(sim: Any, lane: int) -> bool:
    return False


@where("embedded", no_network)
@cold
def value_by_network(sim: Any, lane: int) -> bool:
    """Value the leaf at the end of the path, into `work.value`: in the units of the returns, for every player."""
    player = whole(mover(sim.states[lane][NOW]))
    first = ask_network(sim, lane, player) + ACTIONS
    numbers, options = sim.learned.room, sim.options[0]
    for i in range(PLAYERS):
        number = np.float64(numbers[first + (i - player + PLAYERS) % PLAYERS])
        if number != number:
            sim.head[0].trouble = BAD_NETWORK
            number = np.float64(0.0)
        sim.work[lane].value[i] = options.middle + options.half * tanh(number)
    sim.head[0].valued += 1
    return True


def no_priors(sim: Any, lane: int, player: int, count: int) -> None:
    pass


@where("embedded", no_priors)
@cold
def weigh_by_network(sim: Any, lane: int, player: int, count: int) -> None:
    """The weights of the actions in `work.ids`, into `work.weights`: shares of those alone."""
    work = sim.work[lane]
    for i in range(count):
        if work.ids[i] < 0 or work.ids[i] >= ACTIONS:
            sim.head[0].trouble = BAD_ACTION
            return
    first, numbers = ask_network(sim, lane, player), sim.learned.room
    most = np.float64(numbers[first + work.ids[0]])
    for i in range(count):
        most = max(most, np.float64(numbers[first + work.ids[i]]))
    total = 0.0
    for i in range(count):
        work.weights[i] = exp(np.float64(numbers[first + work.ids[i]]) - most)
        total += work.weights[i]
    if not 0.0 < total <= count:
        sim.head[0].trouble = BAD_NETWORK
        return
    for i in range(count):
        work.weights[i] /= total


def no_world_priors(sim: Any, lane: int, player: int, count: int) -> None:
    pass


@where("embedded", no_world_priors)
def priors_of_world(sim: Any, lane: int, player: int, count: int) -> None:
    """Where a position stands for many worlds: the priors of this one, by what its mover sees, into the slots of its actions."""
    work = sim.work[lane]
    if len(sim.priors) > 1:
        weigh_by_network(sim, lane, player, count)
        for i in range(count):
            if work.replies[i] >= 0:
                sim.priors[work.replies[i]] = work.weights[i]
