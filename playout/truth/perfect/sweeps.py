"""The loops over `Positions`, to be compiled: arranging them, best play, expectation under mixed play, and counting lines."""

from __future__ import annotations

from typing import Any


def arrange(first: Any, ways: Any, target: Any, order: Any, colour: Any, stack: Any, cursor: Any) -> bool:
    """Positions in the order in which a depth-first walk leaves them; whether one can be reached from itself."""
    done, cyclic = 0, False
    for way in range(ways[0], ways[1]):
        root = target[way]
        if colour[root] != 0:
            continue
        depth = 0
        stack[0], cursor[0], colour[root] = root, ways[first[root]], 1
        while depth >= 0:
            node = stack[depth]
            if cursor[depth] == ways[first[node + 1]]:
                colour[node] = 2
                order[done] = node
                done += 1
                depth -= 1
                continue
            child = target[cursor[depth]]
            cursor[depth] += 1
            if colour[child] == 1:
                cyclic = True
            elif colour[child] == 0:
                depth += 1
                stack[depth], cursor[depth], colour[child] = child, ways[first[child]], 1
    return cyclic


def best_play(p: Any, value: Any, worth: Any) -> float:
    """One sweep: every mover takes what is worth most to it. `worth` is per edge; returns the largest change of a value."""
    change = 0.0
    players = value.shape[1]
    for place in range(len(p.order)):
        node = p.order[place]
        player = p.mover[node]
        if player < 0:
            for i in range(players):
                value[node, i] = p.final[node, i]
            continue
        best = -1
        for edge in range(p.first[node], p.first[node + 1]):
            expect_edge(p, edge, value, worth)
            if best < 0 or worth[edge, player] > worth[best, player]:
                best = edge
        for i in range(players):
            change = max(change, abs(value[node, i] - worth[best, i]))
            value[node, i] = worth[best, i]
    return change


def expect_edge(p: Any, edge: int, value: Any, worth: Any) -> None:
    """The mean over what chance can bring."""
    for i in range(value.shape[1]):
        worth[edge, i] = 0.0
    for way in range(p.ways[edge], p.ways[edge + 1]):
        for i in range(value.shape[1]):
            worth[edge, i] += p.chance[way] * value[p.target[way], i]


def mixed_play(p: Any, share: Any, value: Any, leaf: Any) -> float:
    """One sweep: every edge is taken with its share; the largest change of a value."""
    change = 0.0
    for place in range(len(p.order)):
        node = p.order[place]
        for i in range(value.shape[1]):
            total = 0.0
            if p.mover[node] < 0:
                total = leaf[node, i]
            for edge in range(p.first[node], p.first[node + 1]):
                if share[edge] > 0.0:
                    for way in range(p.ways[edge], p.ways[edge + 1]):
                        total += share[edge] * p.chance[way] * value[p.target[way], i]
            change = max(change, abs(value[node, i] - total))
            value[node, i] = total
    return change


def lines(p: Any, taken: Any, marked: Any, count: Any) -> None:
    """How many lines of play there are along the edges taken, and how many of them end in a marked position."""
    for place in range(len(p.order)):
        node = p.order[place]
        if p.mover[node] < 0:
            count[node, 0] = 1.0
            count[node, 1] = 1.0 if marked[node] else 0.0
            continue
        count[node, 0] = 0.0
        count[node, 1] = 0.0
        for edge in range(p.first[node], p.first[node + 1]):
            if taken[edge]:
                for way in range(p.ways[edge], p.ways[edge + 1]):
                    count[node, 0] += count[p.target[way], 0]
                    count[node, 1] += count[p.target[way], 1]


def best_shares(p: Any, worth: Any, slack: float, only: int, share: Any) -> None:
    """All best edges of a position alike (within the slack), where the player is the one asked for."""
    for node in range(len(p.mover)):
        player = p.mover[node]
        if player != only:
            continue
        best, ties = 0.0, 0
        for edge in range(p.first[node], p.first[node + 1]):
            if ties == 0 or worth[edge] > best:
                best, ties = worth[edge], 1
        ties = 0
        for edge in range(p.first[node], p.first[node + 1]):
            if worth[edge] >= best - slack:
                ties += 1
        for edge in range(p.first[node], p.first[node + 1]):
            share[edge] = 1.0 / ties if worth[edge] >= best - slack else 0.0
