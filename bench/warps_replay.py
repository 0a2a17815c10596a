"""Thirty-two threads in step: the ways that rows went, one after the other, gone once more as a warp of a GPU goes them together.

A warp carries out one instruction at a time, for all of its threads that are there; the others wait. Which threads go first where ways part is
decided as compilers and devices of today come out: whoever is farthest behind, so that the others are waited for where ways meet again.
Positions are those of the blocks in an order in which each loop lies in one piece, what comes after it behind it; within a call they lie at
the place of the call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from warps_code import Noting

Array = np.ndarray[Any, Any]
SECTOR = 32
"""Bytes that memory is read and written by."""
DEEPEST = 12
"""Calls within calls."""


def in_order(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """Blocks so that each loop lies in one piece, and all that comes after it behind it."""
    following = {name: [other for other in others if other in edges] for name, others in edges.items()}
    out: list[str] = []

    def lay(nodes: list[str], first: str, following: dict[str, list[str]]) -> None:
        inside = set(nodes)
        within = {name: [other for other in following[name] if other in inside] for name in nodes}
        for part in reversed(components([first, *(name for name in nodes if name != first)], within)):
            if len(part) == 1:
                out.append(part[0])
                continue
            own = set(part)
            heads = [n for n in part if n == first or any(n in within[other] for other in nodes if other not in own)]
            head = heads[0] if heads else part[0]
            lay(part, head, {name: [other for other in within[name] if other in own and other != head] for name in part})

    names = list(following)
    if names:
        lay(names, names[0], following)
    return out


def components(nodes: list[str], following: Mapping[str, list[str]]) -> list[list[str]]:
    """The strongly connected parts of a graph, the last ones first (Tarjan 1972), without calling itself."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes, is_open, found = list[str](), set[str](), list[list[str]]()
    for root in nodes:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        open_nodes.append(root)
        is_open.add(root)
        work = [(root, iter(following[root]))]
        while work:
            node, others = work[-1]
            for other in others:
                if other not in number:
                    number[other] = low[other] = len(number)
                    open_nodes.append(other)
                    is_open.add(other)
                    work.append((other, iter(following[other])))
                    break
                if other in is_open:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    at = open_nodes.index(node)
                    found.append(open_nodes[at:])
                    is_open.difference_update(open_nodes[at:])
                    del open_nodes[at:]
    return found


class Code(NamedTuple):
    """What of each stretch counts."""

    places: Array
    costs: Array
    first: Array
    """Where its accesses begin in `sizes`."""
    accesses: Array
    sizes: Array
    enters: Array
    """Whether a function that is called begins with it."""
    returns: Array


def code_of(noting: Noting) -> Code:
    stretches = noting.stretches
    order = {name: {block: i for i, block in enumerate(in_order(edges))} for name, edges in noting.next.items()}
    # A block that calls is several stretches.
    cuts: Counter[tuple[str, str]] = Counter()
    places = np.zeros(len(stretches), np.int64)
    for number, one in enumerate(stretches):
        places[number] = order[one.function][one.block] * 64 + cuts[one.function, one.block]
        cuts[one.function, one.block] += 1
    accesses = np.array([len(one.sizes) for one in stretches])
    enters = np.zeros(len(stretches), np.bool_)
    enters[[number for name, number in noting.entries.items() if name != noting.name]] = True
    return Code(
        places,
        np.array([one.cost for one in stretches]),
        np.cumsum(accesses) - accesses,
        accesses,
        np.array([size for one in stretches for size in one.sizes] or [0]),
        enters,
        np.array([one.returns for one in stretches]),
    )


class Counted(NamedTuple):
    """Of each stretch: instructions of the warp, the part of them that threads had a use for, and sectors of memory of all and of threads' own."""

    slots: Array
    used: Array
    shared: Array
    own: Array


def counted(noting: Noting, stack: tuple[int, int]) -> Counted:
    """What a warp needs for the ways of its threads; `stack` is where memory of a thread's own lies."""
    code, ways = code_of(noting), noting.ways
    lengths = np.array([len(way) for way in ways])
    ends = np.cumsum(lengths)
    found = Counted(*(np.zeros(len(noting.stretches)) for _ in range(4)))
    replay(np.concatenate(ways), ends - lengths, ends, code, stack, found)
    return found


@njit(cache=True)
def behind(a: int, b: int, stacks: Any, depths: Any, here: Any, places: Any) -> bool:
    """Whether a thread is farther behind than another."""
    for depth in range(DEEPEST + 1):
        one = stacks[a, depth] if depth < depths[a] else places[here[a]]
        two = stacks[b, depth] if depth < depths[b] else places[here[b]]
        if one != two:
            return one < two  # type: ignore[no-any-return]
        if depth >= depths[a] or depth >= depths[b]:
            # At the place of a call: who has still to call.
            return depths[a] < depths[b]  # type: ignore[no-any-return]
    return False


@njit(cache=True)
def together(a: int, b: int, stacks: Any, depths: Any, here: Any) -> bool:
    if here[a] != here[b] or depths[a] != depths[b]:
        return False
    for depth in range(depths[a]):
        if stacks[a, depth] != stacks[b, depth]:
            return False
    return True


@njit(cache=True)
def sectors(list: Any, at: Any, goes: Any, offset: int, size: int, stack: Any) -> Any:
    """How many sectors the threads of a warp touch with one access: of memory of all, and of their own.

    Their own is laid out so that what lies at the same place in each of them lies side by side, four bytes of one after those of another.
    """
    seen, shared, own = np.zeros(64, np.int64), 0, 0
    for part in range(0, size, 8):
        count = 0
        for thread in range(len(at)):
            if goes[thread]:
                address = list[at[thread] + offset] + part
                local = stack[0] <= address < stack[1]
                sector = -1 - (((address - stack[0]) // 4 * 128 + 4 * thread) // SECTOR) if local else address // SECTOR
                known = False
                for i in range(count):
                    known = known or seen[i] == sector
                if not known:
                    seen[count] = sector
                    count += 1
                    own += (2 if min(size, 8) == 8 else 1) if local else 0
                    shared += 0 if local else 1
    return shared, own


@njit(cache=True)
def replay(list: Any, starts: Any, ends: Any, code: Any, stack: Any, found: Any) -> None:
    threads = len(starts)
    at, here, depths = starts.copy(), np.full(threads, -1), np.zeros(threads, np.int64)
    stacks, goes = np.zeros((threads, DEEPEST + 1), np.int64), np.zeros(threads, np.bool_)
    for thread in range(threads):
        if at[thread] < ends[thread]:
            here[thread] = list[at[thread]]
    while True:
        last = -1
        for thread in range(threads):
            if here[thread] >= 0 and (last < 0 or behind(thread, last, stacks, depths, here, code.places)):
                last = thread
        if last < 0:
            return
        now, count = here[last], 0
        for thread in range(threads):
            goes[thread] = here[thread] >= 0 and together(thread, last, stacks, depths, here)
            count += goes[thread]
        found.slots[now] += code.costs[now]
        found.used[now] += code.costs[now] * count / threads
        for k in range(code.accesses[now]):
            shared, own = sectors(list, at, goes, 1 + k, code.sizes[code.first[now] + k], stack)
            found.shared[now] += shared
            found.own[now] += own
        for thread in range(threads):
            if goes[thread]:
                at[thread] += 1 + code.accesses[now]
                if code.returns[now] and depths[thread] > 0:
                    depths[thread] -= 1
                here[thread] = list[at[thread]] if at[thread] < ends[thread] else -1
                if here[thread] >= 0 and code.enters[here[thread]] and not code.returns[now]:
                    stacks[thread, depths[thread]] = code.places[now]
                    depths[thread] += 1
