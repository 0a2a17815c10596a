"""Self-play, one episode after the other: play epsilon-greedily, remember one's own decisions, learn at the end.

The kernel comes back when all episodes are played, when the table must grow, or when somebody else is to act; called again it
goes on where it was. Every episode has a random stream of its own, so nothing depends on where it came back.
"""

from __future__ import annotations

import math
from typing import Any

from playout.compile.holes import PLAYERS, legal, mover, play, returns, start, ticks, whole
from playout.engine.trouble import BAD_MOVER, ENDLESS, NO_LEGAL
from playout.game.stream import below, step_word, uniform
from playout.learning.layout import (
    ASK,
    ASKED,
    BLANK,
    CONSTANT,
    DONE,
    ENDED,
    FRESH,
    GROW,
    LINEAR,
    NOW,
    ONE_OVER_N,
    PLAYING,
    RANDOM,
    SELF,
)
from playout.learning.update import learn_from
from playout.learning.values import identify, look, rate


@ticks
def episodes(arrays: Any, until: int, stride: int) -> int:
    """Play and learn until the episode of that number; `stride` is how far the next episode of this shard is away."""
    head, options, states, work = arrays.head, arrays.options, arrays.states, arrays.work
    while True:
        if head.phase == ENDED:
            if options.patterns == 0 and head.full == 0 and head.used + head.steps > head.room:
                return GROW
            learn_from(head, arrays.table, arrays.weights, options, work, arrays.steps, arrays.totals, arrays.shown)
            head.episode += stride
            head.phase = FRESH
        if head.trouble != 0:
            return DONE
        if head.phase == FRESH:
            if head.episode >= until:
                return DONE
            begin(head, options, states, work)
        if not play_on(arrays):
            return ASK
        head.phase = ENDED
        returns(states[NOW], work.total)


def scheduled(kind: int, first: float, last: float, part: float) -> float:
    """A number on its way from the first to the last, when that part of the way is done."""
    if kind in (CONSTANT, ONE_OVER_N):
        return first
    if part >= 1.0:
        return last
    if kind == LINEAR:
        return first + (last - first) * part
    return first * math.exp(part * math.log(last / first))


def begin(head: Any, options: Any, states: Any, work: Any) -> None:
    """A fresh game. Nothing of the last episode is left: its steps are forgotten and its stream is over."""
    episode = whole(head.episode)
    part = episode / options.horizon
    head.epsilon = scheduled(options.explore, options.explore_from, options.explore_to, part)
    head.alpha = scheduled(options.step, options.step_from, options.step_to, part)
    work.rng.word = step_word(head.stream, episode)
    head.steps = 0
    head.given = -1
    head.learner = episode % PLAYERS
    states[NOW] = states[BLANK]
    start(states[NOW], work.rng)
    head.phase = PLAYING


def play_on(arrays: Any) -> bool:
    """Play to the end of the game; False when somebody outside is to act first."""
    head, options, states, work = arrays.head, arrays.options, arrays.states, arrays.work
    steps, shown, marks = arrays.steps, arrays.shown, arrays.marks
    while True:
        player = whole(mover(states[NOW]))
        if player < 0:
            return True
        if player >= PLAYERS:
            head.trouble = BAD_MOVER
            return True
        if options.opponent != SELF and player != head.learner:
            if options.opponent == ASKED:
                if head.given < 0:
                    return False
                action = whole(head.given)
                head.given = -1
            elif options.opponent == RANDOM:
                count = whole(legal(states[NOW], work.ids))
                action = work.ids[below(work.rng, count)]
            else:
                action = choose(head, arrays.other, arrays.other_weights, options, states, work, shown, marks, player)
        else:
            at = whole(head.steps)
            if at >= len(steps):
                head.trouble = ENDLESS
                return True
            returns(states[NOW], work.total)
            for i in range(PLAYERS):
                arrays.totals[at, i] = work.total[i]
            action = choose(head, arrays.table, arrays.weights, options, states, work, shown, marks, player)
            steps[at].player = player
            steps[at].key = work.best_key
            steps[at].check = work.best_check
            if options.patterns != 0:
                steps[at].patterns = look(head, len(arrays.weights), states, work, shown[at + 1], player, action)
            head.steps = at + 1
            head.decisions += 1
        if head.trouble != 0:
            return True
        play(states[NOW], action, work.rng)


def choose(head: Any, table: Any, weights: Any, options: Any, states: Any, work: Any, shown: Any, marks: Any, player: int) -> int:
    """Epsilon-greedy: any legal action with probability epsilon, else the one that is worth most; what it is kept under."""
    count = whole(legal(states[NOW], work.ids))
    if count < 1 or 2 * count > len(work.ids):
        head.trouble = NO_LEGAL
        return 0
    if head.epsilon > 0.0 and uniform(work.rng) < head.epsilon:
        action = work.ids[below(work.rng, count)]
        if options.patterns == 0:
            identify(head, options, states, work, marks, player, action)
        work.best_key = work.key
        work.best_check = work.check
        return action  # type: ignore[no-any-return]
    best, ties, chosen = 0.0, 0, whole(work.ids[0])
    for i in range(count):
        value = rate(head, table, weights, options, states, work, shown[0], marks, player, work.ids[i])
        if ties > 0 and not value >= best:
            continue
        if ties == 0 or value > best:
            best, ties = value, 1
        elif options.first_ties != 0:
            continue
        else:
            ties += 1
            if below(work.rng, ties) != 0:
                continue
        chosen = whole(work.ids[i])
        work.best_key = work.key
        work.best_check = work.check
    return chosen
