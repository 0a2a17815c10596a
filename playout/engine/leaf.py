"""Leaf evaluation inside the kernel: learned values, playouts (rollouts) to the end of the game or to a cut-off."""

from __future__ import annotations

from typing import Any

from playout.compile.holes import ACTIONS, PLAYERS, cold, evaluate, mover, play, playout_action, returns, where, whole
from playout.engine.expand import keep_decisive, legal_count
from playout.engine.layout import LEAF, LONGEST_PLAYOUT, NOW, OFF
from playout.engine.learned import value_learned
from playout.engine.trouble import BAD_ACTION, ENDLESS
from playout.game.stream import below


def no_leaf(sim: Any, lane: int) -> None:
    """A line of a continuous game always goes to the end."""


@where("listed", no_leaf)
def evaluate_leaf(sim: Any, lane: int) -> None:
    """The value of the leaf that a simulation reached, into `work.value`: learned where it is known, else by playouts."""
    if sim.options[0].learned == 0 or not value_learned(sim, lane):
        play_out(sim.head[0], sim.options[0], sim.states[lane], sim.work[lane])


def play_out(head: Any, options: Any, states: Any, work: Any) -> None:
    """Value the state by playouts: one, or the mean of several."""
    playouts = options.playouts
    if playouts > 1:
        states[LEAF] = states[NOW]
        for i in range(PLAYERS):
            work.mean[i] = 0.0
    for k in range(playouts):
        if k > 0:
            states[NOW] = states[LEAF]
        playout(head, options, states, work)
        if playouts > 1:
            for i in range(PLAYERS):
                work.mean[i] += work.value[i] / playouts
    if playouts > 1:
        for i in range(PLAYERS):
            work.value[i] = work.mean[i]


def playout(head: Any, options: Any, states: Any, work: Any) -> None:
    """Play states[NOW] to its end, or to the cut-off, and put what it is worth into `work.value`."""
    state, rng, ids = states[NOW], work.rng, work.ids
    discounted, own, decisive = options.discount != 1.0, options.own_playout != 0, options.decisive_playouts
    steps, longest = 0, min(options.cutoff, LONGEST_PLAYOUT)
    if discounted:
        begin_discounted(work, state)
    player = mover(state)
    while player >= 0 and steps < longest:
        count = legal_count(head, state, ids)
        if count == 0:
            return
        if decisive != OFF:
            count = keep_decisive(options, states, work, decisive, player, count)
        action = whole(playout_action(state, ids, count, rng)) if own else ids[below(rng, count)]
        if action < 0 or action >= ACTIONS:
            head.trouble = BAD_ACTION
            return
        play(state, action, rng)
        steps += 1
        if discounted:
            add_discounted(work, state, options.discount)
        player = mover(state)
    head.steps += steps
    if player >= 0 and options.cutoff > LONGEST_PLAYOUT:
        head.trouble = ENDLESS
    if player >= 0 and options.use_evaluate != 0:
        evaluate(state, work.value)
    else:
        returns(state, work.value)
    if discounted:
        end_discounted(work)


# A discounted playout keeps the value so far, the total before the last action, and the weight of the next reward.


def no_discount(work: Any, state: Any) -> None:
    pass


def no_discount_step(work: Any, state: Any, discount: float) -> None:
    pass


def no_discount_end(work: Any) -> None:
    pass


@where("discount", no_discount)
@cold
def begin_discounted(work: Any, state: Any) -> None:
    returns(state, work.total)
    for i in range(PLAYERS):
        work.so_far[i] = work.total[i]
    work.weight[0] = 1.0


@where("discount", no_discount_step)
@cold
def add_discounted(work: Any, state: Any, discount: float) -> None:
    returns(state, work.value)
    for i in range(PLAYERS):
        work.so_far[i] += work.weight[0] * (work.value[i] - work.total[i])
        work.total[i] = work.value[i]
    work.weight[0] *= discount


@where("discount", no_discount_end)
@cold
def end_discounted(work: Any) -> None:
    """Replace the final total by the discounted one; a cut-off's evaluation counts as one last reward."""
    for i in range(PLAYERS):
        work.value[i] = work.so_far[i] + work.weight[0] * (work.value[i] - work.total[i])
