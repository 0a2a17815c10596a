"""Action values by afterstates, what an action is worth: the value of the state behind it, out of the table or as a sum over its patterns.

The value belongs to the player who acts. Where playing draws chance there is no one state behind the action, so the value is
that of the state and the action.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile.holes import as_word, cold, key, legal, mover, play, whole
from playout.engine.learned import count_patterns, fingerprint, key_of, pattern_value, place_of
from playout.engine.trouble import DRAWN
from playout.game.stream import mix
from playout.learning.layout import KIND, NOW, TRY


def identify(head: Any, options: Any, states: Any, work: Any, marks: Any, player: int, action: int) -> None:
    """Find what the value of an action is kept under: into `work.key` and `work.check`. The stream stays where it was."""
    states[TRY] = states[NOW]
    rng = work.rng
    before = rng.word
    play(states[TRY], action, rng)
    tag = whole(player) if options.apart != 0 else whole(0)
    if rng.word != before:
        rng.word = before
        # Symmetry would turn the action too, so only the plain key will do.
        work.key = mix(as_word(key(states[NOW])) + mix(as_word(action + 1)))
        work.check = fingerprint(head, states[NOW], work, marks, tag + KIND)
    else:
        work.key = key_of(options, states[TRY])
        work.check = fingerprint(head, states[TRY], work, marks, tag)


def rate(
    head: Any, table: Any, weights: Any, options: Any, states: Any, work: Any, row: Any, marks: Any, player: int, action: int
) -> float:
    """What an action is worth to the player."""
    if options.patterns != 0:
        return pattern_value(weights, options, row, look(head, len(weights), states, work, row, player, action))
    identify(head, options, states, work, marks, player, action)
    place = place_of(table, work.key, work.check)
    if table[place].count == 0:
        return options.optimism  # type: ignore[no-any-return]
    return np.float64(table[place].value)  # type: ignore[no-any-return]


@cold
def look(head: Any, weights: int, states: Any, work: Any, row: Any, player: int, action: int) -> int:
    """The patterns of the state behind an action, as the player sees them, into `row`; how many. Each is one of the weights."""
    states[TRY] = states[NOW]
    rng = work.rng
    before = rng.word
    play(states[TRY], action, rng)
    if rng.word != before:
        head.trouble = DRAWN
        rng.word = before
    return count_patterns(head, weights, states[TRY], row, player)


def rate_all(head: Any, table: Any, weights: Any, options: Any, states: Any, work: Any, shown: Any, marks: Any) -> int:
    """Every legal action of states[NOW]: ids, values and how often each was updated into `work`; how many there are."""
    player = whole(mover(states[NOW]))
    if player < 0:
        return 0
    count = whole(legal(states[NOW], work.ids))
    for i in range(count):
        action = work.ids[i]
        work.rated[i] = rate(head, table, weights, options, states, work, shown[0], marks, player, action)
        work.seen[i] = 0
        if options.patterns == 0:
            work.seen[i] = whole(table[place_of(table, work.key, work.check)].count)
    return count


def rate_many(
    head: Any, table: Any, weights: Any, options: Any, states: Any, work: Any, shown: Any, marks: Any, nodes: Any, out: Any
) -> int:
    """The values of all actions of many states, one after the other."""
    place = 0
    for node in range(len(nodes)):
        states[NOW] = nodes[node]
        count = rate_all(head, table, weights, options, states, work, shown, marks)
        for i in range(count):
            out[place + i] = work.rated[i]
        place += count
    return place
