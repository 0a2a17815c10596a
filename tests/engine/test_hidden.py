"""Search with hidden information: it knows what its player knows, no more and no less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import playout
from playout import Search
from playout.agents import make_agent, recipe
from playout.arena import compete
from playout.engine import layout
from playout.errors import PlayoutError
from playout.game.stream import Stream
from tests.engine.secrets import fusion, hide
from tests.engine.trees import same_bits

MODES: list[dict[str, Any]] = [
    {},
    {"open_loop": True},
    {"redraw": True},
    {"hidden": "mo-ismcts"},
    {"hidden": "pimc", "trees": 3},
    {"hidden": "peek", "solver": False},
    {"rule": "ucb1-tuned", "open_loop": True},
    {"rule": "puct", "open_loop": True},
    {"rule": "equal"},
    {"fpu": 0.4},
]


@pytest.mark.compiles
@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("game", ["leduc-poker", "knockout-whist"])
def test_compiled_and_uncompiled_grow_the_same_tree(game: str, mode: dict[str, Any]) -> None:
    loaded = playout.load(game)
    state = loaded.start(4)
    state = state.play(state.legal[0])
    found = []
    for compiled in (True, False):
        search = Search(loaded, compiled=compiled, seed=3, **mode)
        decision = search.run(state, simulations=120)
        found.append(search)
        assert decision.simulations == 120 and sum(a.visits for a in decision.actions) == 120
        assert decision.mover == state.mover and decision.action in state.legal
        assert all(name for name in decision.line().names)
    assert same_bits(*found)


@pytest.mark.compiles
def test_same_seed_same_bits_and_another_seed_another_tree() -> None:
    game = playout.load("knockout-whist")
    one, two, three = (Search(game, seed=seed) for seed in (1, 1, 2))
    for search in (one, two, three):
        search.run(game.start(5), simulations=500)
    assert same_bits(one, two) and not same_bits(one, three)


# knowing too much


@pytest.mark.parametrize("seed", range(4))
def test_strategy_fusion_misleads_pimc_and_not_ismcts(seed: int) -> None:
    game = fusion()
    state = game.start(seed)
    for settings in ({}, {"open_loop": True}, {"hidden": "mo-ismcts"}):
        decision = Search(game, seed=seed, c=1, **settings).run(state, simulations=2000)
        assert decision.action == 0, settings
        assert abs(decision.actions[1].mean or 0) < 0.25
    fused = Search(game, seed=seed, hidden="pimc", c=1).run(state, simulations=2000)
    assert fused.action == 1 and (fused.actions[1].mean or 0) > 0.8
    peeked = Search(game, seed=seed, hidden="peek", c=1).run(state, simulations=2000)
    assert peeked.action == 1 and peeked.proven == (1.0,)


def test_a_tree_for_each_player_does_not_lend_the_guesser_our_eyes() -> None:
    """With one tree the guesser seems to see the coin. With one for each it does not; but two deterministic bandits that play at
    matching pennies can fall into step, so that holds for most seeds and not for all. Drawn anew, the coin is always hidden."""
    game, hidden = hide(), 0
    for seed in range(10):
        one = Search(game, seed=seed).run(game.start(), simulations=600)
        many = Search(game, seed=seed, hidden="mo-ismcts").run(game.start(), simulations=600)
        again = Search(game, seed=seed, redraw=True).run(game.start(), simulations=600)
        assert one.name == "2" and max(a.mean or 0 for a in one.actions[:2]) < -0.9
        assert again.name in "01" and (again.chosen.mean or 0) > -0.2
        hidden += many.name in "01"
    assert hidden >= 6


@pytest.mark.compiles
@pytest.mark.parametrize("mode", [{}, {"hidden": "mo-ismcts"}, {"redraw": True}])
def test_kuhn_poker_dominated_actions_are_never_chosen(mode: dict[str, Any]) -> None:
    """Facing a bet, whoever holds the king calls and whoever holds the jack folds; with the queen first, betting is no use."""
    game = playout.load("kuhn-poker")
    for seed in range(12):
        state = game.start(seed).play("bet")
        card = int(state.fields.cards[1])
        if card == 2:
            continue
        decision = Search(game, seed=seed, **mode).run(state, simulations=600)
        assert decision.name == ("call" if card == 3 else "fold")


def test_the_means_are_those_of_the_information_set() -> None:
    """Liar's dice, one die each: calling the first bid of one six is right unless the other has a six: 5 of 6, whatever it has."""
    game = playout.load("liars-dice")
    for seed in range(6):
        state = game.start(seed)
        state = state.play("1x6")
        if int(state.fields.dice[1, 0]) == 6:
            continue
        decision = Search(game, compiled=False, seed=seed, depth=1).run(state, simulations=1000)
        called = next(a for a in decision.actions if a.name == "liar")
        assert called.mean == pytest.approx(2 / 3, abs=0.12)


# availability


@pytest.mark.compiles
def test_actions_of_other_worlds_are_counted_when_they_were_there() -> None:
    game = playout.load("knockout-whist")
    state = game.start(3)
    search = Search(game, seed=1)
    search.run(state, simulations=4000)
    tree = search.trees[0]
    root_visits = int(tree.tree.nodes[0]["visits"])
    seen = 0
    for edge in tree.edges(0):
        assert int(tree.tree.available[edge]) == 0, "our own actions are always there, and are not counted"
    for slot in range(1, tree.used):
        node = tree.tree.nodes[slot]
        if node["tags"] & layout.POSITION and node["count"]:
            block = tree.edges(slot)
            movers = {int(tree.tree.nodes[e]["mover"]) for e in block}
            if movers != {state.mover}:
                seen += 1
                for e in block:
                    assert int(tree.tree.nodes[e]["visits"]) <= int(tree.tree.available[e]) <= int(node["visits"]) <= root_visits
                actions = [int(tree.tree.nodes[e]["action"]) for e in block]
                assert len(actions) == len(set(actions)), "an action has two slots"
    assert seen > 5


# where nothing is hidden


@pytest.mark.compiles
def test_asked_of_an_open_game_it_is_the_plain_search() -> None:
    game = playout.load("tic-tac-toe")
    plain = Search(game, seed=1)
    asked = Search(game, seed=1, hidden="ismcts")
    assert plain.settings.hidden == asked.settings.hidden == "none"
    plain.run(simulations=300)
    asked.run(simulations=300)
    assert same_bits(plain, asked)


def test_when_the_last_card_is_seen_the_rest_is_proven() -> None:
    game = playout.load("scoundrel:deck=2C-3S-4C-5H-6D-7H")
    state = game.start(1)
    while not state.over and int(state.fields.unknown) > 1:
        state = state.play(state.legal[0])
    assert not state.over
    decision = Search(game, seed=1, compiled=False).run(state, simulations=5000)
    assert decision.stopped == "proven" and decision.proven is not None


@pytest.mark.compiles
def test_a_line_is_one_world_of_many() -> None:
    """The line must not be played in the true state: it would show what is hidden."""
    game = playout.load("scoundrel")
    state = game.start(7)
    lines = {Search(game, seed=seed, open_loop=True).run(state, simulations=300).line().states[0].word for seed in range(3)}
    assert len(lines) == 3
    decision = Search(game, seed=1, open_loop=True).run(state, simulations=300)
    assert decision.line().states[0].observed(0) == state.observed(0) and bytes(decision.line().states[0]) != bytes(state)


# words


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hidden": "so"}, "hidden is 'so'; known: auto, ismcts, mo-ismcts, none, peek, pimc"),
        ({"transpositions": True}, "transpositions=True looks at whole states, and ismcts may not: leave transpositions out"),
        ({"decisive": "win"}, "decisive=win looks at whole states, and ismcts may not"),
        ({"hidden": "mo-ismcts", "open_loop": True}, "hidden=mo-ismcts tells positions apart by what each player sees"),
    ],
)
def test_what_does_not_go_together(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PlayoutError) as caught:
        Search(playout.load("scoundrel"), **settings)
    assert sentence in str(caught.value)


def test_half_a_contract_is_said() -> None:
    whole = fusion()
    names = {name: whole.functions[name] for name in whole.functions}
    words: dict[str, Any] = {"players": 1, "actions": 2, "State": whole.dtype}
    half = playout.Game("half", **words, **{n: f for n, f in names.items() if n != "determinize"})
    with pytest.raises(PlayoutError, match="has observe, so something is hidden, but no determinize: add def determinize"):
        Search(half)
    other = playout.Game("other", **words, **{n: f for n, f in names.items() if n != "observe"})
    with pytest.raises(PlayoutError, match="has determinize but no observe, so nobody knows what a player can tell apart"):
        Search(other)
    assert Search(other, open_loop=True, compiled=False).run(simulations=10).simulations == 10


# agents


@pytest.mark.compiles
def test_agents_by_name(tmp_path: Path) -> None:
    game = playout.load("scoundrel")
    assert recipe("uct", game).settings["hidden"] == recipe("ismcts", game).settings["hidden"] == "ismcts"
    assert recipe("peek:simulations=5", game).peeks and not recipe("ismcts", game).peeks
    assert not recipe("peek", playout.load("nim")).peeks, "where nothing is hidden nobody can cheat"
    rule = make_agent("rule", game, seed=1)
    assert rule.act(game.start(3).world(0, Stream(1))) in game.start(3).legal
    with pytest.raises(PlayoutError, match="agent 'rule' plays by the game's playout_action, and 'nim' has none"):
        recipe("rule", playout.load("nim"))
    found = compete(game, ["peek:simulations=20,playout=uniform", "rule"], games=3, file=tmp_path / "a.db", engine="here")
    assert found.agents[0].agent == "peek:simulations=20,playout=uniform (cheats)"


def test_only_the_one_who_is_known_to_cheat_sees_the_truth(tmp_path: Path) -> None:
    """On the fusion game a cheater always wins; everybody else takes the sure thing."""
    agents = ["peek:simulations=200,c=1", "ismcts:simulations=300,c=1", "pimc:simulations=300,c=1"]
    found = compete(fusion(), agents, games=40, file=tmp_path / "a.db", engine="here")
    means = [row.mean_score for row in found.agents]  # type: ignore[union-attr]
    assert means[0] == 1.0 and means[1] == pytest.approx(0.3) and abs(means[2] or 0) < 0.6


@pytest.mark.compiles
def test_trees_with_hidden_information_are_saved(tmp_path: Path) -> None:
    game = playout.load("leduc-poker")
    search = Search(game, seed=2)
    search.run(game.start(1), simulations=200)
    again = Search.load(search.save(tmp_path / "a.tree"), game)
    assert same_bits(search, again)
    one, two = search.run(simulations=200), again.run(simulations=200)
    assert one.actions == two.actions
