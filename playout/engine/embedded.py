"""A small network inside the kernel: what it says of a state is the value of a leaf and the prior of its actions.

It is a plain stack: every layer is a table of weights, a row for each input, and then a bias for each output; between layers nothing below 0
goes through. Rows of inputs that are 0 are skipped, and the rest of a row is one loop without a sum in it, which a processor does several
numbers at a time in any order without changing a bit. What goes in is the encoding of what the mover sees. The outputs are
logits of the action ids, and then what each player gets from the mover on, before it is drawn into the range of the returns.
"""

from __future__ import annotations

from math import exp, tanh
from typing import Any

import numpy as np

from playout.compile.holes import ACTIONS, PLAYERS, cold, encode, mover, observe, where, whole
from playout.engine.layout import NOW, SEEN
from playout.engine.trouble import BAD_ACTION


@cold
def ask_network(sim: Any, lane: int, player: int) -> int:
    """The outputs for the state of a lane, in that row of `learned.room`."""
    learned, states = sim.learned, sim.states[lane]
    layers, sizes, room, flat = learned.layers, learned.sizes, learned.room, learned.flat
    states[SEEN] = states[NOW]
    observe(states[SEEN], player)
    for i in range(len(flat)):
        flat[i] = 0.0
    encode(states[SEEN], player, learned.seen)
    for i in range(len(flat)):
        room[0, i] = flat[i]
    at, row, last = whole(0), whole(0), len(sizes) - 2
    for layer in range(last + 1):
        inner, outer = whole(sizes[layer]), whole(sizes[layer + 1])
        source, target = room[row], room[1 - row]
        for j in range(outer):
            target[j] = layers[at + inner * outer + j]
        for i in range(inner):
            number = source[i]
            if number != 0.0:
                for j in range(outer):
                    target[j] += number * layers[at + i * outer + j]
        if layer < last:
            for j in range(outer):
                target[j] = max(target[j], np.float32(0.0))
        at += inner * outer + outer
        row = 1 - row
    return row


def no_network(sim: Any, lane: int) -> bool:
    return False


@where("embedded", no_network)
@cold
def value_by_network(sim: Any, lane: int) -> bool:
    """Value the leaf at the end of the path, into `work.value`: in the units of the returns, for every player."""
    player = whole(mover(sim.states[lane][NOW]))
    row = ask_network(sim, lane, player)
    numbers, options = sim.learned.room[row], sim.options[0]
    for i in range(PLAYERS):
        number = np.float64(numbers[ACTIONS + (i - player + PLAYERS) % PLAYERS])
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
    numbers = sim.learned.room[ask_network(sim, lane, player)]
    most = np.float64(numbers[work.ids[0]])
    for i in range(count):
        most = max(most, np.float64(numbers[work.ids[i]]))
    total = 0.0
    for i in range(count):
        work.weights[i] = exp(np.float64(numbers[work.ids[i]]) - most)
        total += work.weights[i]
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
