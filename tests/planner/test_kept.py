"""Trees kept from move to move where something is hidden: the searcher follows what it sees and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

import playout
from playout import Search
from playout.agents import make_agent, tell, world
from playout.game.stream import Stream
from tests.engine.trees import same_bits


def block(search: Search, position: int = 0) -> list[tuple[int, int, float, int]]:
    """(action, visits, score, availability) of the actions of a position, which a move of the root must not change."""
    tree = search.trees[0]
    nodes, available = tree.tree.nodes, tree.tree.available
    return [
        (int(nodes[e]["action"]), int(nodes[e]["visits"]), float(nodes[e]["score"][0]), int(available[e]))
        for e in tree.edges(position)
    ]


@pytest.mark.parametrize("compiled", [True, False])
def test_what_is_kept_is_what_hung_below(compiled: bool) -> None:
    game = playout.load("leduc-poker")
    state = game.start(1)
    search = Search(game, seed=3, compiled=compiled, hidden="ismcts")
    search.run(state, simulations=400)
    tree = search.trees[0]
    middle = state.play("check")
    after = middle.play("raise")
    own = tree.below(tree.edge(0, state.find("check")), middle, 0)  # type: ignore[arg-type]
    theirs = tree.below(tree.edge(own, middle.find("raise")), after, own)  # type: ignore[arg-type]
    known, visits = block(search, theirs), int(tree.tree.nodes[theirs]["visits"])  # type: ignore[arg-type]
    opposite = block(search, own)  # type: ignore[arg-type]
    search.follow(state.find("check"), middle)
    assert block(search) == opposite and any(available for *_, available in opposite)
    decision = search.run(after, simulations=1)
    assert decision.parent_visits == visits + 1 and sum(a.visits for a in decision.actions) == visits
    changed = [(one, two) for one, two in zip(known, block(search), strict=True) if one != two]
    assert len(changed) == 1 and changed[0][1][1] == changed[0][0][1] + 1, "one more simulation changes one action"


def followed(game: Any, state: Any, moves: Any, compiled: bool = True, simulations: int = 300, **settings: Any) -> Search:
    """Searched, moved on by the searcher's own action, and searched again after the answer."""
    # Trees of one observer are kept, whatever the game declares.
    search = Search(game, seed=3, compiled=compiled, **{"hidden": "ismcts", **settings})
    search.run(state, simulations=simulations)
    after = state.play(moves[0])
    search.follow(state.find(moves[0]), after)
    search.run(after.replay(moves[1:]), simulations=100)
    return search


@pytest.mark.compiles
def test_compiled_and_uncompiled_keep_the_same_bits() -> None:
    for name, moves in (("leduc-poker", ("check", "raise")), ("scoundrel", None)):
        game = playout.load(name)
        moves = moves or (game.start(1).legal[0],)
        one, two = (followed(game, game.start(1), moves, compiled) for compiled in (True, False))
        assert one.trees[0].simulations == 400 and same_bits(one, two)


@pytest.mark.compiles
def test_two_true_states_that_look_alike_give_the_same_bits() -> None:
    game = playout.load("leduc-poker")
    state = game.start(1)
    twins = {bytes(twin): twin for twin in (state.world(0, Stream(k)) for k in range(8))}
    assert len(twins) > 1
    kept = [followed(game, twin, ("check", "raise")) for twin in twins.values()]
    assert all(search.trees[0].simulations == 400 and same_bits(kept[0], search) for search in kept[1:])


def test_what_was_not_seen_is_not_followed() -> None:
    """The other player's mark is hidden: every cell that it may have taken looks the same, so the tree is begun anew."""
    game = playout.load("phantom-tic-tac-toe")
    state = game.start(0)
    for answer in ("a1", "c3"):
        search = followed(game, state, ("b2", answer), compiled=False)
        assert search.trees[0].simulations == 100
    # A cell that is already taken is told at once, and the same player goes on: that way is certain.
    state = state.play("b2")
    assert followed(game, state, ("b2",), compiled=False).trees[0].simulations == 400


@pytest.mark.compiles
@pytest.mark.parametrize("settings", [{"open_loop": True}, {"hidden": "mo-ismcts"}, {"hidden": "pimc"}])
def test_trees_that_cannot_be_kept_are_begun_anew(settings: dict[str, Any]) -> None:
    game = playout.load("leduc-poker")
    search = followed(game, game.start(1), ("check", "raise"), **settings)
    assert sum(tree.simulations for tree in search.trees) == 100


@pytest.mark.compiles
def test_another_state_than_what_was_followed_begins_anew() -> None:
    game = playout.load("leduc-poker")
    state = game.start(1)
    search = Search(game, seed=3, hidden="ismcts")
    search.run(state, simulations=300)
    search.follow(state.find("check"), state.play("check"))
    assert search.run(state, simulations=100).parent_visits == 100, "back to where it was: taken back"
    other = game.start(2)
    search.follow(other.find("check"), other.play("check"))
    assert search.run(other.play("check"), simulations=100).mover == 1
    assert search.trees[0].simulations == 100 and search.trees[0].observer == 1


@pytest.mark.compiles
@pytest.mark.parametrize("name", ["leduc-poker", "scoundrel"])
def test_agents_that_keep_their_trees_play_legal_games(name: str) -> None:
    game, kept = playout.load(name), 0
    for seed in range(3):
        agents = [make_agent("ismcts:simulations=100", game, seed=seed) for _ in range(game.players)]
        state, stream = game.start(seed), Stream(seed, 9)
        while not state.over:
            player = state.mover
            decision = agents[player].decide(world(state, player, stream))
            assert decision is not None and decision.action in state.legal
            assert sorted(a.action for a in decision.actions) == sorted(state.legal)
            kept += decision.parent_visits > 100
            after = state.play(decision.action)
            for seat, agent in enumerate(agents):
                tell(agent, seat, state, decision.action, after, stream)
            state = after
    assert kept > 3
