"""Widening on what is seen: so many outcomes get positions, the others share, and nothing else changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import playout
from playout import Game, Search, below
from playout.compile.holes import as_word
from playout.compile.records import Records
from playout.engine import layout
from playout.engine.widen import count_outcomes, lane_of, limit_of
from playout.errors import PlayoutError
from tests.engine.trees import ROWS, grown, same_bits

DICE = ROWS + ":dice=1"
FACES = 12
THROW = np.dtype([("face", np.int8), ("stage", np.int8), ("choice", np.int8), ("wrong", np.int8)])


# Throw: player 0 throws (or, with action 1, throws and has a point less); with an even face player 0 goes on, with an odd one player 1.
# Legal are the face and the two above, and nothing else: who shares a position without looking at the state, plays illegal actions.


def throw_start(state, rng):
    pass


def throw_legal(state, out):
    if state.stage == 0:
        out[0] = 0
        out[1] = 1
        return 2
    for i in range(3):
        out[i] = state.face + i
    return 3


def throw_play(state, action, rng):
    if state.stage == 0:
        state.face = 1 + below(rng, FACES)
        state.stage = 1
        state.choice = action
    else:
        if action < state.face or action > state.face + 2:
            state.wrong = 1
        state.stage = 2
        state.choice += 2 * (action - state.face)


def throw_mover(state):
    if state.stage == 1:
        return state.face % 2
    return 0 if state.stage == 0 else -1


def throw_returns(state, out):
    out[0] = state.face - state.choice % 2
    if state.wrong:
        out[0] = np.nan
    out[1] = -out[0]


def throw() -> Game:
    names = {name[6:]: function for name, function in globals().items() if name.startswith("throw_")}
    return Game("throw", players=2, actions=FACES + 3, State=THROW, **names)


@pytest.mark.compiles
@pytest.mark.parametrize("width", [0.01, 1.0, 2.5])
@pytest.mark.parametrize("game", [DICE, "leduc-poker", "scoundrel"], ids=["dice", "leduc", "scoundrel"])
def test_compiled_and_uncompiled_grow_the_same_tree(game: str, width: float) -> None:
    loaded = playout.load(game)
    found = [Search(loaded, compiled=compiled, seed=3, observation_width=width) for compiled in (True, False)]
    for search in found:
        decision = search.run(loaded.start(4), simulations=120)
        assert decision.simulations == 120 and all(decision.line().names)
    assert same_bits(*found)


@pytest.mark.compiles
@pytest.mark.parametrize("game", ["leduc-poker", "scoundrel"])
def test_a_limit_that_is_never_reached_changes_no_bit(game: str) -> None:
    loaded = playout.load(game)
    plain, wide = (Search(loaded, seed=2, hidden="ismcts", observation_width=width) for width in (None, 1e9))
    for search in (plain, wide):
        search.run(loaded.start(1), simulations=400)
    assert plain.trees[0].used == wide.trees[0].used
    for name in ("nodes", "available"):
        columns = [getattr(s.trees[0].tree, name)[: s.trees[0].used].tobytes() for s in (plain, wide)]
        assert columns[0] == columns[1]


@pytest.mark.compiles
def test_nor_does_it_in_an_open_game_with_chance() -> None:
    game = playout.load(DICE)
    state = game.start(0).play(1)
    plain, wide = (Search(game, seed=2, solver=False, observation_width=width) for width in (None, 1e9))
    assert [(a.visits, a.score) for a in plain.run(state, simulations=500).actions] == [
        (a.visits, a.score) for a in wide.run(state, simulations=500).actions
    ]


def positions_per_edge(search: Search) -> dict[int, list[int]]:
    """For every edge that was tried: how many positions its outcomes have, by who acts there (-1: the game is over)."""
    tree, found = search.trees[0], {}
    table = tree.tree.table.view(Records)
    with np.errstate(over="ignore"):
        for slot in range(tree.used):
            node = tree.tree.nodes[slot]
            if slot == 0 or node["tags"] & layout.POSITION:
                for edge in tree.edges(slot):
                    code = as_word(int(tree.tree.nodes[edge]["action"]) + 1)
                    found[edge] = [
                        count_outcomes(table, slot, lane_of(code, player), tree.used) for player in range(-1, search.game.players)
                    ]
    return found


@pytest.mark.compiles
@pytest.mark.parametrize("game", [DICE, "leduc-poker", "scoundrel"], ids=["dice", "leduc", "scoundrel"])
def test_the_limit_is_kept_for_every_edge(game: str) -> None:
    loaded = playout.load(game)
    search = Search(loaded, seed=1, observation_width=0.7, observation_power=0.4)
    search.run(loaded.start(1), simulations=2000)
    tree, found = search.trees[0], positions_per_edge(search)
    options = tree._options.view(Records)[0]
    for edge, counts in found.items():
        assert max(counts) <= limit_of(options, int(tree.tree.nodes[edge]["visits"]))
    tags = tree.tree.nodes["tags"][: tree.used]
    assert sum(sum(counts) for counts in found.values()) == np.count_nonzero(tags & layout.POSITION)
    assert np.count_nonzero(tags & layout.MERGED) > 5


def test_the_limit_grows_with_the_visits_of_the_action() -> None:
    options: Any = np.zeros(1, layout.OPTIONS).view(Records)[0]
    options.outcome_width, options.outcome_power = 2.0, 0.5
    assert [limit_of(options, n) for n in (0, 1, 3, 4, 100)] == [1, 2, 3, 4, 20]
    options.outcome_width, options.outcome_power = 0.1, 0.0
    assert limit_of(options, 10**9) == 1
    options.outcome_width, options.outcome_power = 1e12, 1.0
    assert limit_of(options, 10**9) == 10**9


@pytest.mark.parametrize("width", [0.01, 1.0])
def test_who_shares_a_position_keeps_its_own_actions_mover_and_chances(width: float) -> None:
    """An illegal action would give nan and end the search; a wrong mover would give a block two owners."""
    game = throw()
    search = Search(game, seed=1, observation_width=width, compiled=False)
    decision = search.run(simulations=1500)
    tree, nodes = search.trees[0], search.trees[0].tree.nodes
    shared = [slot for slot in range(1, tree.used) if nodes[slot]["tags"] & layout.MERGED and nodes[slot]["count"]]
    assert shared and any(nodes[slot]["count"] > 3 for slot in shared)
    for slot in shared:
        edges = tree.edges(slot)
        assert len({int(nodes[edge]["mover"]) for edge in edges}) == 1
        assert len({int(nodes[edge]["action"]) for edge in edges}) == len(edges)
        assert all(nodes[edge]["visits"] <= tree.tree.available[edge] <= nodes[slot]["visits"] for edge in edges)
    # Nothing is drawn from stored outcomes: the mean is that of a fair die with twelve faces.
    assert decision.actions[0].mean == pytest.approx((1 + FACES) / 2, abs=0.4)
    assert decision.action == 0 and set(decision.line().states[1].legal) >= set(decision.line().actions[1:2])


def test_nothing_is_proven_where_outcomes_share() -> None:
    for width, proven in ((None, True), (1.0, False)):
        search = grown(ROWS + ":length=3", 500, solver=True, observation_width=width)
        assert search.trees[0].proven == proven


@pytest.mark.compiles
def test_a_tree_with_shared_positions_is_saved(tmp_path: Any) -> None:
    game = playout.load(DICE)
    search = Search(game, seed=2, observation_width=1.0)
    search.run(game.start(1), simulations=300)
    again = Search.load(search.save(tmp_path / "a.tree"), game)
    assert same_bits(search, again)
    assert search.run(simulations=200).actions == again.run(simulations=200).actions


@pytest.mark.parametrize(
    ("game", "settings", "sentence"),
    [
        ("pig", {"observation_width": 0}, "observation_width is 0.0; give a number above 0, or leave it out for no limit"),
        ("pig", {"observation_width": 1, "observation_power": 1.5}, "observation_power is 1.5; it must be from 0 to 1"),
        (
            "nim",
            {"observation_width": 1, "transpositions": True},
            "transpositions=True looks at whole states, and with observation_width",
        ),
        (
            "connect-four",
            {"observation_width": 1, "decisive": "win"},
            "decisive=win looks at whole states, and with observation_width",
        ),
        (
            "scoundrel",
            {"observation_width": 1, "open_loop": True},
            "open_loop tells no outcomes apart, so observation_width has nothing",
        ),
        ("scoundrel", {"observation_width": 1, "hidden": "pimc"}, "hidden=pimc has another kind of tree"),
        ("leduc-poker", {"observation_width": 1, "hidden": "mo-ismcts"}, "hidden=mo-ismcts has another kind of tree"),
    ],
)
def test_what_does_not_go_together(game: str, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PlayoutError) as caught:
        Search(playout.load(game), **settings)
    assert sentence in str(caught.value)
