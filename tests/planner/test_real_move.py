"""Trees of real-valued actions kept from move to move: the same numbers below, in the same order, with chance, and said."""

import numpy as np
import pytest

from playout import Game, Search
from playout.engine.layout import MERGED
from playout.game.continuous import NATURE
from playout.game.state import State
from playout.planner.real_move import ABOUT, edge_about, slots_below
from tests.engine.trees import same_bits


def below(tree, position=0):
    """All that hangs below a position: (action, visits, scores, what is below), in the order it was added."""
    return [
        (tree.action_of(slot), tree.visits_of(slot), tree.scores_of(slot).tolist(), below(tree, slot))
        for slot in tree.edges(position)
    ]


def busiest(tree):
    return max(tree.edges(0), key=tree.visits_of)


@pytest.mark.parametrize("settings", [{}, {"method": "widening"}, {"moved": "fresh"}, {"last": "everywhere"}])
def test_what_is_kept_is_what_hung_below(settings):
    search = Search("loss-1d", seed=1, compiled=False, **settings)
    search.run(simulations=80)
    tree = search.trees[0]
    slot = busiest(tree)
    known, visits, low = below(tree, slot), tree.visits_of(slot), tree.range_of(1)
    evaluations = tree.head("evaluations")
    search.play(tree.action_of(slot))
    assert search.trees[0] is tree and below(tree) == known and tree.visits == visits > 1
    assert tree.used == 1 + sum(1 + len(deeper) for *_, deeper in known) and tree.simulations == 80
    assert tree.range_of(1) == low and tree.head("evaluations") == evaluations and not tree.tree.lead.any()
    # It goes on as a tree, and counts what it adds.
    decision = search.run(simulations=60)
    assert decision.simulations == 60 and decision.mover == 1 and tree.visits >= visits + 60
    assert decision.note.startswith(f"{visits} visits after ") and decision.note.endswith(" were kept from before")
    kept = {action: count for action, count, *_ in known}
    assert all(
        tree.visits_of(tree.edge(0, action)) >= count for action, count in kept.items() if tree.edge(0, action) is not None
    )


def test_an_action_that_was_not_tried_begins_anew_and_a_rounded_one_does_not():
    search = Search("loss-1d", seed=1, compiled=False)
    search.run(simulations=40)
    tree = search.trees[0]
    slot = tree.edges(0)[0]  # the first one, far from the others; the box is 10 wide
    (first,) = tree.action_of(slot)
    assert edge_about(tree, (first,)) == edge_about(tree, (first + 9 * ABOUT,)) == slot
    assert edge_about(tree, (first + 11 * ABOUT,)) is None and edge_about(tree, (3.21234,)) is None
    search.play([3.21234])
    assert search.trees[0] is not tree and not search.trees[0].visits
    decision = search.run(simulations=20)
    assert decision.note == "nothing was known of what follows 3.21234, so the tree begins anew"
    assert search.run(search.game.start().play([1.0]), simulations=10).note == ""


def test_typed_digits_find_their_action():
    search = Search("loss-1d", seed=1, compiled=False)
    decision = search.run(simulations=40)
    visits = decision.chosen.visits
    search.play(decision.name)  # six digits of it
    assert search.trees[0].visits == visits and search.state.fields.actions[0, 0] == float(decision.name)


def test_what_chance_did_is_followed_where_it_was_seen():
    seen = []

    def payoffs(actions, out):
        x, luck, y = actions[0, 0], actions[1, 0], actions[2, 0]
        seen.append((np.real(x), np.real(luck)))
        out[0] = -(x - 0.3) * (x - 0.3) + 0.1 * luck * y
        out[1] = -(y - luck - x) * (y - luck - x)

    movers = (0, NATURE, 1)
    game = Game("lucky", players=2, stages=3, dimension=1, movers=movers, bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False)
    search = Search(game, seed=1, compiled=False)
    search.run(game.start(), simulations=120)
    tree = search.trees[0]
    edge = busiest(tree)
    (x,) = tree.action_of(edge)
    states = [lucky(game, x, luck) for luck in dict.fromkeys(luck for first, luck in seen if first == x)]
    found = [(state, tree.below(edge, state, 0)) for state in states]
    state, position = max(
        ((s, p) for s, p in found if p is not None and not tree.tagged(p, MERGED)), key=lambda pair: tree.visits_of(pair[1])
    )
    known, visits, copy = below(tree, position), tree.visits_of(position), tree.copy()
    search.follow((x,), state)
    assert below(tree) == known and tree.visits == visits > 0 and search.run(simulations=5).mover == 1
    # What was not seen is not known, and of a whole edge everything is there, by the table too.
    assert not copy.move_root((x,), lucky(game, x, 0.123456))
    slots = slots_below(copy, edge)
    assert {int(entry["slot"]) for entry in copy.owned() if entry["owner"] == edge} < set(slots.tolist())


def lucky(game, x, luck):
    """The state after an action and what chance did then."""
    state = game.start().play([x])
    array = state.copy_array()
    array["actions"][0, 1, 0] = luck
    return State(game, array, state.word)


def test_two_trees_move_each_by_itself():
    search = Search("loss-1d", seed=1, compiled=False, trees=2)
    decision = search.run(simulations=80)
    search.play(decision.action)
    assert [tree.number for tree in search.trees] == [0, 1] and any(tree.visits for tree in search.trees)
    assert search.run(simulations=20).simulations == 20


@pytest.mark.compiles
def test_compiled_and_uncompiled_keep_the_same_bits():
    def moved(compiled):
        search = Search("loss-1d", seed=3, compiled=compiled)
        search.run(simulations=60)
        search.play(search.trees[0].action_of(busiest(search.trees[0])))
        search.run(simulations=40)
        return search

    one, two = moved(False), moved(True)
    assert one.trees[0].simulations == 100 and same_bits(one, two)


def test_a_kept_tree_is_saved_and_goes_on(tmp_path):
    search = Search("loss-1d", seed=3, compiled=False)
    search.run(simulations=60)
    search.play(search.trees[0].action_of(busiest(search.trees[0])))
    back = Search.load(search.save(tmp_path / "tree.npz"), compiled=False)
    assert np.array_equal(back.trees[0].tree.moves[: back.trees[0].used], search.trees[0].tree.moves[: search.trees[0].used])
    assert search.run(simulations=30).actions == back.run(simulations=30).actions
