"""The map, by what can be read off the board."""

from playout.games.root.map import (
    CLEARINGS,
    NEAR,
    OF_SUIT,
    OPPOSITE,
    PATHS,
    PRINTED,
    RUINS,
    SLOTS,
    SUIT,
    WAY,
    WAY_FROM,
    WAY_TO,
    WAYS,
)


def neighbours(clearing: int) -> set[int]:
    return {other + 1 for other in range(CLEARINGS) if NEAR[clearing - 1] >> other & 1}


def steps(start: int, end: int) -> int:
    seen, edge, count = {start}, {start}, 0
    while end not in edge:
        edge = {near for clearing in edge for near in neighbours(clearing)} - seen
        seen |= edge
        count += 1
    return count


def test_paths_and_degrees():
    assert len(PATHS) == 18 and len(WAYS) == 36
    assert [len(neighbours(clearing)) for clearing in range(1, 13)] == [3, 3, 3, 3, 2, 3, 3, 2, 3, 3, 3, 5]
    assert neighbours(12) == {4, 7, 9, 10, 11} and neighbours(5) == {1, 2}
    assert steps(1, 3) == 4 and steps(2, 4) == 3
    assert all(WAY[WAY_FROM[way], WAY_TO[way]] == way for way in range(36)) and (WAY >= 0).sum() == 36


def test_suits_slots_and_corners():
    of = {suit: {clearing + 1 for clearing in range(CLEARINGS) if SUIT[clearing] == suit} for suit in range(3)}
    assert of == {0: {1, 6, 8, 12}, 1: {3, 4, 5, 10}, 2: {2, 7, 9, 11}}
    assert sum(PRINTED) == 22 and len(RUINS) == 4 and SLOTS.sum() == 18
    assert list(SLOTS) == [1, 2, 1, 1, 2, 1, 2, 2, 2, 1, 2, 1]
    assert [OPPOSITE[corner] for corner in range(4)] == [2, 3, 0, 1]
    assert OF_SUIT[3] == (1 << 12) - 1 and OF_SUIT[0] == 1 | 1 << 5 | 1 << 7 | 1 << 11
