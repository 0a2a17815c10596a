"""Graph search: one value for a position, used by all that lead to it, and nothing counted twice."""

import numpy as np
import pytest

import playout
from playout import PlayoutError, Search
from playout.engine.layout import CHANCE, LINK, POSITION
from tests.engine.trees import ROWS, grown
from tests.planner.test_running import LOOP


def positions(tree):
    """Every expanded slot that is a position, with the slots of its edges."""
    return [(slot, list(tree.edges(slot))) for slot in range(tree.used) if not tree.tagged(slot, LINK) and len(tree.edges(slot))]


WAYS = [
    ("tic-tac-toe", 500, {"solver": False}),
    ("tic-tac-toe", 500, {}),
    (ROWS, 200, {"solver": False, "rule": "ucb1-tuned"}),
    (ROWS + ":dice=1", 200, {}),
    ("connect-four:columns=5,rows=4", 250, {"fpu": "parent", "decisive_playouts": "off"}),
]


@pytest.mark.parametrize(("game", "simulations", "changes"), WAYS)
def test_a_position_is_its_own_playouts_and_what_its_edges_are_worth(game, simulations, changes):
    tree = grown(game, simulations, graph=True, seed=4, **changes).trees[0]
    nodes, own = np.asarray(tree.tree.nodes), np.asarray(tree.tree.own)
    for slot, edges in positions(tree):
        assert nodes[slot]["visits"] >= sum(nodes[edge]["visits"] for edge in edges)
        assert nodes[slot]["score"] == pytest.approx(own[slot] + sum(nodes[edge]["score"] for edge in edges), abs=1e-9)
    # Every simulation is once in what the root is worth, whichever ways led to where it ended.
    assert nodes[0]["visits"] == simulations or tree.proven
    assert abs(nodes[0]["score"][0]) <= nodes[0]["visits"] * max(abs(bound) for bound in tree.range_of(0))


def test_edges_that_meet_have_one_value():
    tree = grown("tic-tac-toe", 600, graph=True, solver=False, seed=4).trees[0]
    nodes = np.asarray(tree.tree.nodes)
    shared = {}
    for slot, edges in positions(tree):
        for edge in edges:
            if nodes[edge]["tags"] & LINK:
                shared.setdefault(int(nodes[edge]["first"]), []).append(slot)
                assert nodes[nodes[edge]["first"]]["tags"] & POSITION and nodes[edge]["count"] == 0
    assert shared and all(len(above) > 1 for above in shared.values()), "only what is shared has a slot of its own"
    # A position's visits are those of all edges to it, none of them twice.
    into = dict.fromkeys(shared, 0)
    for edge in np.flatnonzero(nodes["tags"] & LINK):
        into[int(nodes[edge]["first"])] += int(nodes[edge]["visits"])
    assert all(nodes[position]["visits"] == total for position, total in into.items())


@pytest.mark.parametrize("heaps", ["1-2-3", "2-3-4", "1-4-5"])
def test_what_is_proven_is_true(heaps):
    decision = grown(f"nim:heaps={heaps}", 20_000, graph=True).run(simulations=1)
    total = 0
    for heap in map(int, heaps.split("-")):
        total ^= heap
    assert decision.proven == ((1.0, -1.0) if total else (-1.0, 1.0))


def test_a_game_that_goes_round_in_circles_is_safe(tmp_path):
    """A path ends where it would close a circle, so it is never longer than there are positions."""
    file = tmp_path / "loop.py"
    file.write_text(LOOP)
    search = Search(str(file), compiled=False, graph=True, solver=False)
    decision = search.run(simulations=300)
    assert decision.simulations == 300 and decision.deepest <= 4
    nodes = np.asarray(search.trees[0].tree.nodes)[: search.trees[0].used]
    assert np.isfinite(nodes["score"]).all() and (np.abs(nodes["score"]) <= nodes["visits"][:, None] + 1e-9).all()


def test_chance_adds_up_its_outcomes():
    tree = grown(ROWS + ":dice=1", 300, graph=True, solver=False, seed=2).trees[0]
    nodes, own = np.asarray(tree.tree.nodes), np.asarray(tree.tree.own)
    drawn = [edge for edge in range(tree.used) if nodes[edge]["tags"] & CHANCE and nodes[edge]["visits"] > 1]
    assert drawn
    for edge in drawn:
        outcomes = [entry["slot"] for entry in tree.owned() if entry["owner"] == edge]
        assert nodes[edge]["score"] == pytest.approx(own[edge] + sum(nodes[slot]["score"] for slot in outcomes), abs=1e-9)


def test_moving_the_root_keeps_the_graph():
    search = grown("tic-tac-toe", 500, graph=True, solver=False, seed=4)
    visits = search.run(simulations=1).chosen.visits
    search.play(search.run(simulations=1).action)
    assert search.trees[0].visits >= visits
    search.run(simulations=200)
    tree = search.trees[0]
    nodes, own = np.asarray(tree.tree.nodes), np.asarray(tree.tree.own)
    for slot, edges in positions(tree):
        assert nodes[slot]["score"] == pytest.approx(own[slot] + sum(nodes[edge]["score"] for edge in edges), abs=1e-9)


def test_leaves_that_wait_share_too():
    """Batches: a position may get its own slot while simulations below it wait."""

    def even(states):
        return None, np.zeros((len(states), 2))

    search = Search("tic-tac-toe", evaluator=even, batch=8, graph=True, seed=1, compiled=False)
    search.run(simulations=400)
    tree = search.trees[0]
    assert not np.asarray(tree.tree.out).any(), "nobody is on the way any more"
    assert (np.asarray(tree.tree.nodes)["tags"] & LINK).any()


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        (ROWS, {"discount": 0.9, "solver": False}, "discount=0.9 and graph do not go together: what a position is worth would"),
        ("kuhn-poker", {}, "graph=True looks at whole states, and ismcts may not: leave graph out, or use hidden=pimc"),
        ("loss-1d", {}, "graph=True needs the game's key, which 'loss-1d' does not define"),
        (
            ROWS,
            {"observation_width": 1.0},
            "graph=True looks at whole states, and with observation_width several share a position",
        ),
    ],
)
def test_what_does_not_go_together_is_said(game, changes, message):
    with pytest.raises(PlayoutError) as told:
        Search(playout.load(game), graph=True, compiled=False, **changes)
    assert str(told.value).startswith(message)
