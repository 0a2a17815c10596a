"""Progressive widening on what is seen: below an edge only so many outcomes get a position of their own.

The limit grows with the visits of the edge, as in double progressive widening (Couëtoux, Hoock, Sokolovska, Teytaud, Bonnard,
"Continuous upper confidence trees", 2011). There an outcome beyond the limit is replaced by a stored one. Here no state is stored,
and none is replaced: the simulation goes on in the state that chance really brought, so the mean of the edge stays that of the
true chances, and only the *position*, what is remembered, is shared with an outcome that was there before. A limit of one is open
loop, no limit is closed loop.

The outcomes of an edge are numbered in the order they came. Number k is found in `table` under the position above the edge, since
that position keeps its slot when its block of edges is moved.
"""

from __future__ import annotations

from math import pow
from typing import Any

from playout.compile.holes import as_word, where, whole
from playout.engine.layout import MERGED
from playout.engine.positions import find_position, place_of, remember
from playout.game.stream import mix

MOST_OUTCOMES = 1e9


def outcome_code(seen: Any, action: Any) -> Any:
    """The hash of what was seen after an action; `action` is its id plus one."""
    return mix(seen + mix(action))


def lane_of(action: Any, player: int) -> Any:
    """Outcomes share a position only where the same player is to act, else one action would count for two players."""
    return mix(mix(action) + as_word(player + 2))


def numbered(table: Any, owner: int, lane: Any, number: int) -> int:
    """The slot of an outcome by its number; 0 when there are not so many."""
    return whole(table[place_of(table, owner, mix(lane + as_word(number + 1)))].slot)


def count_outcomes(table: Any, owner: int, lane: Any, most: int) -> int:
    """How many outcomes have a position, at most `most`: they are numbered without gaps, so halving finds it."""
    low, high = whole(0), whole(most)
    while low < high:
        middle = (low + high) // 2
        if numbered(table, owner, lane, middle) != 0:
            low = middle + 1
        else:
            high = middle
    return low


def code_share(code: Any, count: int) -> int:
    """Which of so many outcomes another one shares with: by its hash, so that it is the same until there are more."""
    return whole(mix(code) % as_word(count))


def limit_of(options: Any, visits: int) -> int:
    """max(1, floor(width · visits^power))."""
    return whole(max(1.0, min(MOST_OUTCOMES, options.outcome_width * pow(float(visits), options.outcome_power))))


def find_outcome(sim: Any, owner: int, edge: int, action: Any, seen: Any, player: int) -> int:
    """The position of what was seen after an action: its own, a new one below the limit, or one that it shares.

    `player` is the one to act there. `edge` where there is no room.
    """
    head, nodes, table = sim.head[0], sim.nodes, sim.table
    code = outcome_code(seen, action)
    slot = whole(table[place_of(table, owner, code)].slot)
    if slot != 0:
        return slot
    lane, limit = lane_of(action, player), limit_of(sim.options[0], whole(nodes[edge].visits))
    if numbered(table, owner, lane, limit - 1) == 0:
        if 2 * head.positions + 4 > len(table):
            return edge
        slot = find_position(head, nodes, table, owner, code, edge)
        if slot != edge:
            number = count_outcomes(table, owner, lane, limit)
            remember(table, owner, mix(lane + as_word(number + 1)), slot)
            head.positions += 1
        return slot
    slot = numbered(table, owner, lane, code_share(code, limit))
    if nodes[slot].tags & MERGED == 0:
        merge(nodes, sim.available, slot)
    return slot


def merge_real(nodes: Any, available: Any, slot: int) -> None:
    """In a continuous game every action that was tried can be tried again."""
    nodes[slot].tags |= MERGED


@where("listed", merge_real)
def merge(nodes: Any, available: Any, slot: int) -> None:
    """From now on the position is met in states with different actions; so far all of them were there every time."""
    nodes[slot].tags |= MERGED
    first = whole(nodes[slot].first)
    for edge in range(first, first + nodes[slot].count):
        if available[edge] == 0:
            available[edge] = max(0, nodes[slot].visits - 1)
