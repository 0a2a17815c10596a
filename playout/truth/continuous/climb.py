"""The arithmetic of one climb: which places to start from, derivatives out of differences, and Newton's step inside a box."""

from __future__ import annotations

from typing import Any

LOWEST = -1e300
"""Worse than anything: what a place is worth that could not be tried."""


def copy(source: Any, target: Any) -> None:
    for i in range(len(target)):
        target[i] = source[i]


def next_start(stage: int, room: Any) -> int:
    """The best place after the last one climbed from; in one dimension only tops of the grid count. -1 when there is none."""
    values, count, last = room.values[stage], room.at[stage].points, room.at[stage].last
    found = -1
    for place in range(count):
        if values[place] <= LOWEST or (found >= 0 and values[place] <= values[found]):
            continue
        if last >= 0 and (values[place] > values[last] or (values[place] == values[last] and place <= last)):
            continue
        if len(room.here[stage]) == 1:
            if place > 0 and values[place - 1] >= values[place]:
                continue
            if place + 1 < count and values[place + 1] > values[place]:
                continue
        found = place
    return found


def promising(place: int, top: float, stage: int, room: Any) -> bool:
    """Whether a top of the grid may become the best: between grid points it hardly rises more than it does at its sides."""
    values = room.values[stage]
    if len(room.here[stage]) > 1:
        return True
    rise = 0.0
    if place > 0 and values[place - 1] > LOWEST:
        rise = max(rise, values[place] - values[place - 1])
    if place + 1 < room.at[stage].points and values[place + 1] > LOWEST:
        rise = max(rise, values[place] - values[place + 1])
    return bool(values[place] + rise >= top)


def differences(stage: int, room: Any, width: float, border: float) -> None:
    """First and second derivatives at `base` out of `results`, of the fourth order inside the box.

    A component that has to stay, because its side has no length or leads out of the box, gets the slope 0.
    """
    base, slope, bend, results, top = (
        room.base[stage],
        room.slope[stage],
        room.bend[stage],
        room.results[stage],
        room.at[stage].top,
    )
    dimension = len(base)
    for i in range(dimension):
        for j in range(dimension):
            bend[i, j] = 0.0
        slope[i] = 0.0
        edge = min(base[i], 1.0 - base[i])
        a, b, c, d = results[4 * i], results[4 * i + 1], results[4 * i + 2], results[4 * i + 3]
        if room.high[stage, i] <= room.low[stage, i]:
            continue
        if edge < border:
            inward = 1.0 if base[i] < 0.5 else -1.0
            rise = (4.0 * a - b - 3.0 * top) / (2.0 * width)
            if edge > 0.0 or rise > 0.0:
                slope[i] = inward * rise
                bend[i, i] = (top - 2.0 * a + b) / (width * width)
            continue
        h = min(width, edge / 2.0)
        slope[i] = (a - 8.0 * b + 8.0 * c - d) / (12.0 * h)
        bend[i, i] = (-a + 16.0 * b - 30.0 * top + 16.0 * c - d) / (12.0 * h * h)
    number = 4 * dimension
    for i in range(dimension):
        for j in range(i):
            h, k = min(width, base[i], 1.0 - base[i]), min(width, base[j], 1.0 - base[j])
            if h >= border and k >= border:
                cross = results[number] - results[number + 1] - results[number + 2] + results[number + 3]
                bend[i, j] = bend[j, i] = cross / (4.0 * h * k)
            number += 4


def stepped(stage: int, room: Any, reach: float) -> float:
    """Put `here` where the parabola through the differences is highest, no further than `reach`; how far that is."""
    base, here, bend, move, top = room.base[stage], room.here[stage], room.bend[stage], room.move[stage], room.at[stage].top
    largest = 0.0
    for i in range(len(base)):
        for j in range(len(base)):
            largest = max(largest, abs(bend[i, j]))
    # Enough that rounding alone moves nobody along a direction that changes nothing.
    damping = max(1e-6 * (1.0 + abs(top)), 1e-5 * largest)
    while not solved(bend, room.factor[stage], room.slope[stage], move, damping) and damping < 1e15 * (1.0 + largest):
        damping = max(10.0 * damping, 1e-3 * largest)
    size = 0.0
    for i in range(len(base)):
        here[i] = min(max(base[i] + min(max(move[i], -reach), reach), 0.0), 1.0)
        size = max(size, abs(here[i] - base[i]))
    return size


def solved(bend: Any, factor: Any, slope: Any, move: Any, damping: float) -> bool:
    """(damping - bend) move = slope by Cholesky's factors; False where that matrix is not positive definite."""
    n = len(slope)
    for i in range(n):
        for j in range(i + 1):
            total = -bend[i, j] + (damping if i == j else 0.0)
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i != j:
                factor[i, j] = total / factor[j, j]
            elif total <= 0.01 * damping:
                return False
            else:
                factor[i, i] = total**0.5
    for i in range(n):
        total = slope[i]
        for k in range(i):
            total -= factor[i, k] * move[k]
        move[i] = total / factor[i, i]
    for back in range(n):
        i = n - 1 - back
        total = move[i]
        for k in range(i + 1, n):
            total -= factor[k, i] * move[k]
        move[i] = total / factor[i, i]
    return True
