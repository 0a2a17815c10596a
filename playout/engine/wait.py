"""Batched leaf evaluation with virtual visits, leaves that wait: selection for many simulations at once, their evaluation outside, then backup for all of them.

`collect` sends one simulation after the other down the tree, each in a lane of its own. Where the game ends, or the value is known, it is
finished at once; else its leaf is out, and the simulations after it see that somebody is on the way there (`out`). `settle` takes
values and priors and finishes all that wait. Which simulations go together depends on the seed and on the number of lanes alone.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import ACTIONS, PLAYERS, WORLDS, mover, ticks, where, whole
from playout.engine.expand import list_actions, shuffle, write_block
from playout.engine.layout import NOW, OUT, PROVEN
from playout.engine.leaf import evaluate_leaf
from playout.engine.mixing import by_world
from playout.engine.simulate import descend, finish, out_of_room
from playout.engine.trouble import BAD_ACTION
from playout.engine.worlds import blend_priors
from playout.game.stream import step_word


@ticks
def collect(sim: Any, budget: int) -> int:
    """Begin up to `budget` simulations, until every lane waits; how many do.

    It ends early where two would wait for the same leaf: the second is not begun, and is the first of the next round.
    """
    head, nodes = sim.head[0], sim.nodes
    waiting = whole(0)
    while waiting < len(sim.work) and budget > 0 and nodes[0].tags & PROVEN == 0:
        # Every leaf that waits will get a block. Room is asked for before the first of them: where a round ends must not depend on it.
        if waiting == 0 and out_of_room(sim, len(sim.work)):
            break
        work = sim.work[waiting]
        head.lane = waiting
        work.rng.word = step_word(head.stream, whole(head.simulations) + waiting)
        descend(sim, waiting)
        if head.trouble != 0:
            break
        if work.waits[0] == 0:
            finish(sim, waiting)
            if head.trouble != 0:
                break
        else:
            leaf = work.path[work.length[0] - 1]
            if nodes[leaf].tags & OUT != 0:
                break
            nodes[leaf].tags |= OUT
            mark(sim.out, work, 1)
            waiting += 1
        budget -= 1
    return waiting


def mark(out: Any, work: Any, change: int) -> None:
    """One more, or one less, on the way through every slot of the path."""
    for i in range(work.length[0]):
        out[work.path[i]] += change


def settle(sim: Any, count: int, values: Any, priors: Any) -> None:
    """Backup for the first lanes, which wait: one row of values for each, and of priors by action id (or none: rows of length 0)."""
    head, nodes = sim.head[0], sim.nodes
    for lane in range(count):
        work = sim.work[lane]
        if head.trouble == 0:
            head.lane = lane
        leaf = whole(work.path[work.length[0] - 1])
        nodes[leaf].tags &= 255 - OUT
        mark(sim.out, work, -1)
        take_values(sim, lane, values)
        if head.trouble == 0:
            expand_leaf(sim, lane, leaf, priors[lane])
        if head.trouble == 0:
            play_on(sim, lane)
        if head.trouble == 0:
            finish(sim, lane)


def values_as_told(sim: Any, lane: int, values: Any) -> None:
    """The value of a leaf is what came back for it."""
    for p in range(PLAYERS):
        sim.work[lane].value[p] = values[lane, p]
    sim.head[0].valued += 1


@where("guided", values_as_told)
def take_values(sim: Any, lane: int, values: Any) -> None:
    """What came back are priors alone."""


def known_already(sim: Any, lane: int) -> None:
    pass


@where("guided", known_already)
def play_on(sim: Any, lane: int) -> None:
    """A leaf whose priors came from outside is valued as others are; its actions are listed before, since a playout moves the state."""
    evaluate_leaf(sim, lane)


def expand_leaf(sim: Any, lane: int, leaf: int, priors: Any) -> None:
    """Expansion of an evaluated leaf, with its priors, where it may be expanded and there is room."""
    head, work = sim.head[0], sim.work[lane]
    if WORLDS and sim.options[0].worlds != 0 and sim.nodes[leaf].count != 0 and len(sim.priors) > 1:
        seer = whole(mover(sim.states[lane][NOW]))
        if by_world(sim.options[0], whole(sim.nodes[leaf].tags), seer):
            blend_priors(sim, lane, leaf, seer, priors)
    if sim.nodes[leaf].count != 0 or (head.full != 0 and leaf != 0) or work.depth[0] >= sim.options[0].depth:
        return
    player = whole(mover(sim.states[lane][NOW]))
    count, kept = list_actions(sim, lane, leaf, player)
    weighed = len(priors) > 0 and len(sim.priors) > 1
    if weighed:
        for i in range(count):
            if work.ids[i] < 0 or work.ids[i] >= ACTIONS:
                head.trouble = BAD_ACTION
                return
            work.weights[i] = priors[work.ids[i]]
    if count > 0:
        shuffle(work, kept, weighed)
        write_block(sim, lane, leaf, player, count, kept, weighed)
