"""Leaf evaluation inside the kernel: learned values, playouts (rollouts) to the end of the game or to a cut-off."""

from __future__ import annotations

from typing import Any

from playout.compile.holes import (
    ACTIONS,
    EXTRA,
    MOST_LEGAL,
    PLAYERS,
    SAFE,
    cold,
    mover,
    pick,
    play,
    playout_action,
    returns,
    safe,
    walk,
    where,
    whole,
    wins,
)
from playout.engine.expand import answer_that_wins, first_win, legal_count, stands_in
from playout.engine.habits import habitual, look_back
from playout.engine.implied import estimate_leaf
from playout.engine.layout import BLOCK, BY_GRAMS, LEAF, LONGEST_PLAYOUT, NOW, OFF, TRY
from playout.engine.learned import value_learned
from playout.engine.played import note
from playout.engine.rewards import appraise, pay
from playout.engine.trouble import BAD_ACTION, ENDLESS, TOO_MANY_LEGAL
from playout.game.stream import below


def no_leaf(sim: Any, lane: int) -> None:
    """A line of a continuous game always goes to the end."""


@where("listed", no_leaf)
def evaluate_leaf(sim: Any, lane: int) -> None:
    """The value of the leaf that a simulation reached, into `work.value`: learned where it is known, else by playouts."""
    if EXTRA and sim.options[0].implicit > 0.0:
        estimate_leaf(sim, lane)
    if sim.options[0].learned == 0 or not value_learned(sim, lane):
        if EXTRA and sim.options[0].habits == BY_GRAMS:
            look_back(sim, lane)
        play_out(sim.head[0], sim.options[0], sim.states[lane], sim.work[lane], sim.habits)


def play_out(head: Any, options: Any, states: Any, work: Any, habits: Any) -> None:
    """Value the state by playouts: one, or the mean of several."""
    playouts = options.playouts
    if playouts > 1:
        states[LEAF] = states[NOW]
        for i in range(PLAYERS):
            work.mean[i] = 0.0
    for k in range(playouts):
        if k > 0:
            states[NOW] = states[LEAF]
        to_the_end(head, options, states, work, habits)
        if playouts > 1:
            for i in range(PLAYERS):
                work.mean[i] += work.value[i] / playouts
    if playouts > 1:
        for i in range(PLAYERS):
            work.value[i] = work.mean[i]


def playout(head: Any, options: Any, states: Any, work: Any, habits: Any) -> None:
    """Play states[NOW] to its end, or to the cut-off, and put what it is worth into `work.value`."""
    state, rng = states[NOW], work.rng
    discounted, decisive = options.discount != 1.0, options.decisive_playouts
    steps, longest, won = 0, min(options.cutoff, LONGEST_PLAYOUT), whole(UNKNOWN)
    if discounted:
        begin_discounted(work, state)
    player = mover(state)
    while player >= 0 and steps < longest:
        if SAFE and decisive == BLOCK:
            won = play_safe(head, options, states, work, habits, player, won)
        elif decisive != OFF:
            won = play_decisive(head, options, states, work, habits, player, won)
        else:
            action = draw_legal(head, options, state, work, habits, player)
            if action < 0 or action >= ACTIONS:
                if head.trouble == 0:
                    head.trouble = BAD_ACTION
                return
            play(state, action, rng)
            note(options, work, player, action)
        if decisive != OFF and head.trouble != 0:
            return
        steps += 1
        if discounted:
            add_discounted(work, state, options.discount)
        player = mover(state)
    head.steps += steps
    if player >= 0 and options.cutoff > LONGEST_PLAYOUT:
        head.trouble = ENDLESS
    if player >= 0 and options.use_evaluate != 0:
        appraise(options, state, work.value)
    else:
        pay(options, state, work.value)
    if discounted:
        end_discounted(work)


@where("walks", playout)
def to_the_end(head: Any, options: Any, states: Any, work: Any, habits: Any) -> None:
    """A playout where states are Python objects: plain steps are taken by the object itself, with the same draws, in one call."""
    plain = options.discount == 1.0 and options.own_playout == 0 and options.decisive_playouts == OFF
    if plain and not EXTRA and options.cutoff >= LONGEST_PLAYOUT:
        head.steps += walk(states[NOW], LONGEST_PLAYOUT, work.rng)
    playout(head, options, states, work, habits)


UNKNOWN, NONE = -2, -1
"""What a playout knows of a win in one, in place of the action that wins."""


def play_decisive(head: Any, options: Any, states: Any, work: Any, habits: Any, player: int, won: int) -> int:
    """One step of a decisive playout: win in one, else draw actions until one does not let another player win in one.

    Most draws need a look at one action instead of all. After one that lets a player win, the winning answer is tried next if it is an
    action here too: where things are placed, that is the block. When three actions have failed and one of them was a block, the rest is
    not tried: where things stay where they are placed, a block that fails means that all do, and to find that out one by one took
    longer than the rest of the playout. What was found out about the next mover's wins is returned, for the next step. (Teytaud and
    Teytaud 2010, as in `keep_decisive`.)
    """
    state, rng, ids = states[NOW], work.rng, work.ids
    work.spare.word = rng.word
    if won == UNKNOWN:
        won = first_win(options, states, work, whole(NOW), player, whole(-1), whole(-1))
    if won < 0 and options.decisive_playouts < BLOCK:
        # Nothing to win, and nothing is blocked: any action will do.
        won = draw_legal(head, options, state, work, habits, player)
        if won < 0 and head.trouble == 0:
            head.trouble = BAD_ACTION
    if won >= ACTIONS:
        head.trouble = BAD_ACTION
    if head.trouble != 0:
        return whole(UNKNOWN)
    if won >= 0:
        play(state, won, rng)
        note(options, work, player, won)
        return whole(UNKNOWN)
    left, bad, reply, action = legal_count(head, state, ids), whole(-1), whole(-1), whole(-1)
    failed, blocks = 0, 0
    states[TRY] = states[NOW]
    while left > 0:
        if action < 0:
            action = draw_action(options, state, work, habits, player, left)
        if action < 0 or action >= ACTIONS:
            head.trouble = BAD_ACTION
            return whole(UNKNOWN)
        before = rng.word
        play(state, action, rng)
        if rng.word != before:
            note(options, work, player, action)
            return whole(UNKNOWN)
        answer = answer_that_wins(options, states, work, whole(NOW), player, reply)
        if answer < 0:
            note(options, work, player, action)
            return whole(NONE if mover(state) != player else UNKNOWN)
        if bad < 0:
            bad, reply = action, answer
        states[NOW] = states[TRY]
        failed += 1
        if failed > 2 and blocks > 0:
            break
        left = left - 1 if take_out(ids, left, action) else whole(0)
        action = answer if stands_in(ids, left, answer) else whole(-1)
        blocks += action >= 0
    if bad >= 0:
        play(state, bad, rng)
        note(options, work, player, bad)
    return reply


def no_safe_step(head: Any, options: Any, states: Any, work: Any, habits: Any, player: int, won: int) -> int:
    return whole(UNKNOWN)


@where("safe", no_safe_step)
def play_safe(head: Any, options: Any, states: Any, work: Any, habits: Any, player: int, won: int) -> int:
    """`play_decisive` at BLOCK where the game lists what lets nobody else win in one: a draw among those, or among all if there is none.

    No action is tried and taken back. Where nothing was drawn by chance, whoever is next is known to have no win.
    """
    state, rng = states[NOW], work.rng
    if won == UNKNOWN and wins(state, work.replies) > 0:
        action, after = whole(work.replies[0]), whole(UNKNOWN)
    else:
        count = whole(safe(state, work.ids))
        if count > MOST_LEGAL:
            head.trouble = TOO_MANY_LEGAL
            return whole(UNKNOWN)
        # Below 0 it is ALL_LEGAL, and where none is safe all are as good.
        after = whole(NONE if count != 0 else UNKNOWN)
        if count > 0:
            action = draw_action(options, state, work, habits, player, count)
        else:
            action = draw_legal(head, options, state, work, habits, player)
    if action < 0 or action >= ACTIONS:
        if head.trouble == 0:
            head.trouble = BAD_ACTION
        return whole(UNKNOWN)
    before = rng.word
    play(state, action, rng)
    note(options, work, player, action)
    return after if rng.word == before and mover(state) != player else whole(UNKNOWN)


def draw_listed(head: Any, options: Any, state: Any, work: Any, habits: Any, player: int) -> int:
    """The action of a playout among all that `legal` lists; -1, and trouble, where its count cannot be right."""
    count = legal_count(head, state, work.ids)
    return draw_action(options, state, work, habits, player, count) if count > 0 else whole(-1)


@where("pick", draw_listed)
def draw_legal(head: Any, options: Any, state: Any, work: Any, habits: Any, player: int) -> int:
    """The action of a playout among all that are legal: without a list of them where the game can do that and any will do."""
    if options.own_playout == 0 and not (EXTRA and options.habits != 0):
        return whole(pick(state, work.rng))
    return draw_listed(head, options, state, work, habits, player)


def draw_action(options: Any, state: Any, work: Any, habits: Any, player: int, count: int) -> int:
    """The action of a playout among the first `count` of `work.ids`: by habit, by the game's own way, or any."""
    if EXTRA and options.habits != 0:
        return habitual(options, habits, work, whole(player), count)
    if options.own_playout != 0:
        return whole(playout_action(state, work.ids, count, work.rng))
    return whole(work.ids[below(work.rng, count)])


def take_out(ids: Any, count: int, action: int) -> bool:
    """Take an action out of the first `count`, the last of which fills the gap; False where it is not there."""
    for i in range(count):
        if ids[i] == action:
            ids[i] = ids[count - 1]
            return True
    return False


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
