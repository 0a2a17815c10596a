from __future__ import annotations

from functools import lru_cache, reduce
from itertools import product
from operator import xor

import pytest
from hypothesis import given, settings

from playout import PlayoutError, State, load
from tests.games.perft import leaf_counts
from tests.games.properties import check_state, choices, key_of, walk


def mover_wins(state: State) -> bool:
    """By exhaustive recursion over the rules as they are."""
    known: dict[int, bool] = {}

    def wins(state: State) -> bool:
        name = key_of(state)
        if name not in known:
            mover = state.mover
            after = [state.play(action) for action in state.legal]
            known[name] = any(s.returns[mover] > 0 if s.over else not wins(s) for s in after)
        return known[name]

    return wins(state)


@pytest.mark.parametrize("heaps", [h for h in product(range(1, 4), repeat=3) if list(h) == sorted(h)])
def test_value_is_the_nim_sum(heaps: tuple[int, ...]):
    text = "-".join(map(str, heaps))
    nim_sum = reduce(xor, heaps)
    assert mover_wins(load("nim", heaps=text).start()) == (nim_sum != 0)
    # Misere: the same, but when no heap has more than one stone the parity turns round (Bouton 1901).
    expected = nim_sum != 0 if max(heaps) > 1 else nim_sum == 0
    assert mover_wins(load("nim", heaps=text, misere=True).start()) == expected


def test_leaf_counts():
    """Against counts that know heaps only as tuples."""

    @lru_cache(None)
    def lines(heaps: tuple[int, ...], depth: int) -> int:
        if depth == 0:
            return 1
        after = [(*heaps[:i], left, *heaps[i + 1 :]) for i, heap in enumerate(heaps) for left in range(heap)]
        return sum(lines(h, depth - 1) for h in after)

    expected = [lines((3, 4, 5), depth) for depth in range(1, 13)]
    game = load("nim")
    assert leaf_counts(game, 3) == expected[:3]
    assert leaf_counts(game, 12, merge=True) == expected


def test_names_and_draw():
    state = load("nim").start()
    assert [state.name(a) for a in state.legal[:4]] == ["1 from heap A", "2 from heap A", "3 from heap A", "1 from heap B"]
    assert state.play("2 from heap B").draw() == "A  3 ooo\nB  2 oo\nC  5 ooooo"
    assert state.game.most_legal == len(state.legal) == 12


def test_key_is_the_same_for_transposed_moves_and_differs_by_mover():
    state = load("nim", heaps="4-4").start()
    a, b = state.replay(["1 from heap A", "2 from heap B"]), state.replay(["2 from heap B", "1 from heap A"])
    assert key_of(a) == key_of(b)
    one, two = state.play("2 from heap A"), state.replay(["1 from heap A", "1 from heap A"])
    assert bytes(one)[:2] == bytes(two)[:2] and key_of(one) != key_of(two)


@settings(max_examples=20, deadline=None)
@given(choices)
def test_random_play(numbers: list[int]):
    for game in (load("nim"), load("nim", heaps="99-1-30", misere=True)):
        states = walk(game, numbers)
        for state in states[-2:]:
            check_state(state)
        if states[-1].over:
            last = states[-2].mover
            assert states[-1].returns[last] == (-1 if game.parameters["misere"] else 1)


@pytest.mark.parametrize("heaps", ["", "3-", "0", "3-x", "100", "-".join("1" * 10)])
def test_heaps_that_are_none(heaps: str):
    with pytest.raises(PlayoutError) as error:
        load("nim", heaps=heaps)
    assert str(error.value) == (
        f"parameter heaps={heaps!r} is not a row of heaps: write 1 to 9 numbers from 1 to 99 with dashes between, "
        "for example heaps=3-4-5"
    )
