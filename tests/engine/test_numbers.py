"""Proof numbers: what every slot holds is what the definition says, and selection leans towards the lower ones."""

import numpy as np
import pytest

from playout import PlayoutError, Search
from playout.engine.layout import CHANCE, PROVEN, REFUTED
from tests.engine.trees import ROWS, dump, grown

LITTLE = "connect-four:columns=5,rows=4"


def expected(tree, slot):
    """Proof numbers by their definition, all the way down."""
    if tree.tagged(slot, PROVEN):
        high = tree.game.returns_range[1]
        return [0.0 if value >= high else np.inf for value in tree.tree.values[slot]]
    if tree.tagged(slot, CHANCE) or not len(tree.edges(slot)):
        return [1.0] * tree.game.players
    below = np.array([expected(tree, edge) for edge in tree.edges(slot) if not tree.tagged(edge, REFUTED)])
    mover = tree.mover_of(tree.edges(slot)[0])
    return [float(below[:, p].min() if p == mover else below[:, p].sum()) for p in range(tree.game.players)]


@pytest.mark.parametrize(
    ("game", "simulations", "changes"),
    [
        (LITTLE, 300, {}),
        (LITTLE, 150, {"decisive": "block"}),
        ("nim:heaps=1-2-3", 60, {"transpositions": False}),
        ("nim:heaps=1-2-3", 60, {"transpositions": False, "score_bounds": True}),
        ("tic-tac-toe", 200, {"fpu": "parent"}),
        (ROWS + ":dice=1", 60, {}),
        ("treasure", 60, {}),
    ],
)
def test_numbers_and_ranks_are_what_they_are_by_definition(game, simulations, changes):
    tree = grown(game, simulations, proof_weight=0.5, seed=3, decisive_playouts="off", **changes).trees[0]
    numbers, ranks = np.asarray(tree.tree.numbers) + 1.0, tree.tree.ranks
    seen = set()
    for slot in range(tree.used):
        if tree.visits_of(slot) and not tree.tagged(slot, CHANCE):
            assert list(numbers[slot]) == expected(tree, slot)
            seen.update(numbers[slot])
        for edge in tree.edges(slot):
            own = numbers[list(tree.edges(slot)), tree.mover_of(edge)]
            assert ranks[edge] == (own < numbers[edge, tree.mover_of(edge)]).sum()
    assert len(seen) > 2


def test_a_simulation_leans_towards_what_is_nearer_to_a_proof():
    """A weight of 0 is the plain search; a heavy one gives most to the lowest number."""
    trees = {w: grown("nim:heaps=2-3-4", 400, proof_weight=w, seed=1).trees[0] for w in (0.0, 3.0)}
    assert dump(trees[0.0]) == dump(grown("nim:heaps=2-3-4", 400, seed=1).trees[0])
    heavy = trees[3.0]
    numbers = np.asarray(heavy.tree.numbers)[:, heavy.mover_of(heavy.edges(0)[0])]
    visits, own = heavy.block().visits, numbers[list(heavy.edges(0))]
    open_ones = [i for i in range(len(own)) if not heavy.block().proven[i]]
    lowest, highest = min(open_ones, key=lambda i: own[i]), max(open_ones, key=lambda i: own[i])
    assert own[lowest] < own[highest] and visits[lowest] > visits[highest]


def test_numbers_move_with_the_root_and_what_is_proven_is_true():
    search = grown("nim:heaps=1-2-3", 40, proof_weight=0.5, seed=2)
    before = np.array(search.trees[0].tree.numbers[search.trees[0].edges(0)[0]])
    search.play(int(search.trees[0].action_of(search.trees[0].edges(0)[0])))
    assert np.array_equal(search.trees[0].tree.numbers[0], before)
    assert Search("nim:heaps=1-2-3", proof_weight=0.5, compiled=False).run(simulations=5000).proven == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        (
            "tic-tac-toe",
            {"solver": False},
            "proof_weight=0.5 goes by what is proven, and solver=False proves nothing; leave one of them out",
        ),
        ("tic-tac-toe", {"proof_weight": -1.0}, "proof_weight is -1.0; it must be from 0 to 1,000"),
        ("loss-1d", {}, "proof_weight=0.5 needs to know what a win is: add returns_range = (-1, 1) to game 'loss-1d'"),
    ],
)
def test_what_numbers_need_is_said(game, changes, message):
    with pytest.raises(PlayoutError) as told:
        Search(game, compiled=False, **{"proof_weight": 0.5, **changes})
    assert str(told.value) == message
