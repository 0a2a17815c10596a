"""Leaves that wait: an evaluator outside, batches, the same bits for the same seed and batch, and nothing left behind."""

from pathlib import Path

import numpy as np
import pytest

import playout
from playout import Search
from playout.engine import layout
from playout.errors import FileError, GameError, PlayoutError
from playout.game.record import field_names
from playout.planner import run as running
from tests.engine.trees import ROWS, same_bits

WHIST = "knockout-whist:suits=2,ranks=3,cards=2"
"""A small game in which the actions of the other player differ from world to world."""


def by_bytes(game):
    """An evaluator whose answers depend on the state alone, and look like nothing in particular."""
    players, actions = game.players, game.actions

    def evaluate(states):
        sizes.append(len(states))
        raw = np.ascontiguousarray(states).view(np.uint8).reshape(len(states), -1).astype(np.float64)
        mixed = np.sin(raw @ np.arange(1.0, raw.shape[1] + 1.0))
        values = np.stack([mixed * (1 if p == 0 else -1) for p in range(players)], axis=1)
        return 1.1 + np.cos(np.outer(mixed, np.arange(1.0, actions + 1.0))), values

    sizes: list[int] = []
    evaluate.sizes = sizes
    return evaluate


def searched(spec, simulations=150, compiled=False, moves=(), **words):
    game = playout.load(spec)
    search = Search(game, evaluator=by_bytes(game), compiled=compiled, seed=3, **words)
    search.run(game.start(1).replay(moves), simulations=simulations)
    return search


WAYS = {
    "tic-tac-toe": ("tic-tac-toe", {"batch": 8}),
    "one at a time": ("tic-tac-toe", {"batch": 1}),
    "twice in a row": (ROWS, {"batch": 5, "solver": False}),
    "chance": (ROWS + ":dice=1", {"batch": 8}),
    "transpositions": ("tic-tac-toe", {"batch": 8, "transpositions": True}),
    "ismcts": ("leduc-poker", {"batch": 8}),
    "chance, transpositions": (ROWS + ":dice=1", {"batch": 8, "transpositions": True}),
    "chance, two trees": (ROWS + ":dice=1", {"batch": 8, "trees": 2}),
    "open loop": ("leduc-poker", {"batch": 8, "open_loop": True}),
    "redraw": ("leduc-poker", {"batch": 8, "redraw": True}),
    "actions by world": (WHIST, {"batch": 8}),
    "actions by world, ucb1": (WHIST, {"batch": 8, "rule": "ucb1"}),
    "actions by world, many trees": (WHIST, {"batch": 8, "hidden": "mo-ismcts"}),
    "actions by world, open loop": (WHIST, {"batch": 8, "open_loop": True}),
    "mo-ismcts": ("kuhn-poker", {"batch": 4, "hidden": "mo-ismcts"}),
    "equal": ("tic-tac-toe", {"batch": 8, "rule": "equal"}),
    "ucb1": ("tic-tac-toe", {"batch": 8, "rule": "ucb1"}),
    "two trees": ("tic-tac-toe", {"batch": 8, "trees": 2}),
    "discount": (ROWS, {"batch": 4, "discount": 0.8, "solver": False}),
}


@pytest.mark.parametrize("name", WAYS)
def test_nothing_is_left_out_and_every_visit_is_a_simulation(name):
    spec, words = WAYS[name]
    search = searched(spec, **words)
    for tree in search.trees:
        nodes = tree.tree.nodes[: tree.used]
        assert not tree.tree.out.any() and not (nodes["tags"] & layout.OUT).any()
        assert tree.visits == tree.simulations and np.isfinite(nodes["score"]).all()
    assert sum(tree.simulations for tree in search.trees) == 150 or any(tree.proven for tree in search.trees)
    if words["batch"] > 1:
        assert max(search.evaluator.sizes) > 1, "it must go out in batches to be tested"


@pytest.mark.parametrize("name", WAYS)
def test_the_same_seed_and_batch_give_the_same_bits_however_the_budget_is_cut(name, monkeypatch):
    spec, words = WAYS[name]
    one = searched(spec, **words)
    monkeypatch.setattr(running, "FEWEST", 3)
    monkeypatch.setattr(running, "ROUND_SECONDS", 1e-9)
    assert same_bits(one, searched(spec, **words))


def test_another_batch_is_another_search():
    trees = [searched("tic-tac-toe", batch=batch) for batch in (1, 2, 16)]
    assert not same_bits(trees[0], trees[1]) and not same_bits(trees[1], trees[2])


@pytest.mark.compiles
@pytest.mark.parametrize("name", ["chance", "chance, transpositions", "chance, two trees", "ismcts", "open loop"])
def test_compiled_is_uncompiled(name):
    """Two games, each compiled once; with dice a player also acts twice in a row, and not every action draws."""
    spec, words = WAYS[name]
    assert same_bits(searched(spec, 60, **words), searched(spec, 60, compiled=True, **words))


def test_values_decide():
    """An evaluator that knows the game: a search of a few leaves plays perfectly, though the priors say otherwise."""
    game, known = playout.load("tic-tac-toe"), {}

    def minimax(state):
        if bytes(state) not in known:
            found = [minimax(state.after(a)) for a in state.legal] if not state.over else [state.returns]
            known[bytes(state)] = found[0] if state.over else max(found, key=lambda values: values[state.mover])
        return known[bytes(state)]

    def truth(states):
        found = [minimax(game.state({name: record[name] for name in field_names(record.dtype)})) for record in states]
        return np.tile([1.0, 9, 1, 1, 1, 1, 1, 1, 1], (len(states), 1)), np.array(found)

    state = game.start().replay(["b2", "b1"])
    best = {a for a in state.legal if minimax(state.after(a)) == minimax(state)}
    assert minimax(state) == (1.0, -1.0) and 0 < len(best) < 7
    decision = Search(game, evaluator=truth, compiled=False, solver=False, batch=4).run(state, simulations=60)
    assert decision.action in best


def test_priors_lead_and_are_shown():
    game = playout.load("connect-four")

    def middle(states):
        return np.tile([0.0, 0, 1, 6, 1, 0, 0], (len(states), 1)), np.zeros((len(states), 2))

    decision = Search(game, evaluator=middle, compiled=False, batch=4).run(simulations=40)
    assert decision.name == "d" and decision["d"].prior == pytest.approx(0.75) and decision["a"].visits < decision["c"].visits
    assert decision.valued == decision.simulations == 40
    assert "40 of 40 simulations ended at a leaf that the evaluator middle valued" in str(decision)
    alike = Search(game, evaluator=lambda states: (None, np.zeros((len(states), 2))), compiled=False).run(simulations=40)
    assert [a.prior for a in alike.actions] == pytest.approx([1 / 7] * 7)


def test_an_evaluator_that_fails_leaves_the_tree_as_it_was():
    game = playout.load("tic-tac-toe")
    fine = by_bytes(game)

    def failing(states):
        if len(fine.sizes) == 5:
            fine.sizes.append(0)
            raise KeyError("weights")
        return fine(states)

    search = Search(game, evaluator=failing, compiled=False, seed=3, batch=8)
    with pytest.raises(KeyError):
        search.run(simulations=150)
    tree = search.trees[0]
    assert not tree.tree.out.any() and not (tree.tree.nodes["tags"] & layout.OUT).any()
    before = tree.simulations
    assert search.run(simulations=50).parent_visits == before + 50


ZEROS = np.zeros
WRONG = {
    "one array": (lambda n: ZEROS((n, 2)), "the evaluator returned ndarray; return two arrays, (priors, values)"),
    "one value": (
        lambda n: (None, ZEROS(n)),
        "the evaluator's values have shape (1,), not (1, 2): a row for each leaf, players in columns",
    ),
    "few priors": (
        lambda n: (ZEROS((n, 3)), ZEROS((n, 2))),
        "the evaluator's priors have shape (1, 3), not (1, 9): a row for each leaf",
    ),
    "nan": (lambda n: (None, np.full((n, 2), np.nan)), "the evaluator's values hold nan; every number must be finite"),
    "below 0": (
        lambda n: (np.full((n, 9), -2.0), ZEROS((n, 2))),
        "the evaluator gave a prior of -2; priors are weights of 0 or more",
    ),
    "words": (lambda n: (None, [["a", "b"]] * n), "the evaluator's values are no array of numbers"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_gets_a_sentence(name):
    answer, message = WRONG[name]
    with pytest.raises(PlayoutError) as error:
        Search("tic-tac-toe", evaluator=lambda states: answer(len(states)), compiled=False).run(simulations=5)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("spec", "words", "message"),
    [
        ("loss-1d", {}, "an evaluator values leaves, and searches of 'loss-1d' go to the end"),
        (
            "tic-tac-toe",
            {"playouts": 3},
            "playouts=3 is about playouts, and with an evaluator there are none; leave playouts out",
        ),
        ("tic-tac-toe", {"cutoff": 3}, "cutoff=3 is about playouts"),
        ("tic-tac-toe", {"batch": 0}, "batch is 0; it must be from 1 to 4,096"),
    ],
)
def test_what_does_not_go_together(spec, words, message):
    with pytest.raises(PlayoutError) as error:
        Search(spec, evaluator=lambda states: (None, None), compiled=False, **words)
    assert message in str(error.value)


MISBEHAVING = {
    "in settle": (
        "return count",
        "return 0 if state.front > 2 else count",
        "legal found no action though mover says that the game goes on",
    ),
    "in collect": (
        "length else state.turn",
        "length else 7 if state.front > 2 else state.turn",
        "mover named a player beyond the 2",
    ),
}


@pytest.mark.parametrize("name", MISBEHAVING)
def test_a_game_that_misbehaves_is_told_here_too(name, tmp_path):
    right, wrong, message = MISBEHAVING[name]
    file = tmp_path / "wrong.py"
    file.write_text(Path(ROWS).read_text().replace(right, wrong))
    game = playout.load(str(file))
    lanes = set()
    for seed in range(8):
        search = Search(game, evaluator=by_bytes(game), compiled=False, batch=4, seed=seed)
        for _ in range(2):  # the second time it must not wait for those of the first
            with pytest.raises(GameError, match=message) as error:
                search.run(simulations=100)
            front = int(str(error.value).partition("front=")[2].partition(",")[0])
            assert front > 2, "the state that is shown is the one where it happened"
            tree = search.trees[0]
            lanes.add(int(tree.head("lane")))
            assert not tree.tree.out.any() and not (tree.tree.nodes["tags"] & layout.OUT).any()
    assert len(lanes) > 1, "in the first lane anybody would find it"


def test_little_memory_never_ends_a_search():
    game = playout.load("tic-tac-toe")
    decision = Search(game, evaluator=by_bytes(game), compiled=False, solver=False, batch=8).run(simulations=1000, memory=0.1)
    assert decision.full and decision.simulations == 1000


def test_a_saved_search_goes_on_with_its_evaluator(tmp_path):
    game = playout.load("tic-tac-toe")
    search = searched("tic-tac-toe", solver=False)
    file = search.save(tmp_path / "x.tree")
    with pytest.raises(FileError, match="was searched with an evaluator; pass evaluator="):
        Search.load(file, compiled=False)
    loaded = Search.load(file, compiled=False, evaluator=by_bytes(game))
    for one in (search, loaded):
        one.run(one.state, simulations=64)
    assert same_bits(search, loaded)
    plain = Search(game, compiled=False)
    plain.run(simulations=20)
    with pytest.raises(FileError, match="was searched without an evaluator; leave evaluator out"):
        Search.load(plain.save(tmp_path / "y.tree"), compiled=False, evaluator=by_bytes(game))


def test_the_tree_is_kept_and_a_survey_can_be_made():
    search = searched("tic-tac-toe", solver=False)
    after = search.play(search.run(simulations=20).action)
    assert search.run(after, simulations=30).parent_visits > 30
    hidden = searched("kuhn-poker", 60)
    surveyed = hidden.survey(hidden.run(simulations=40), worlds=4, simulations=20)
    assert surveyed.survey is not None and surveyed.survey.worlds == 4


def sure_of_its_card(states):
    """Kuhn: who acts checks or folds with the jack, bets or calls with the king, and with the queen does either; values say nothing."""
    mover = states["moves"] & 1
    card = states["cards"][np.arange(len(states)), mover]
    bets = np.array([0.0, 0.0, 0.5, 1.0])[card]
    return np.stack([1 - bets, bets], axis=1), np.zeros((len(states), 2))


def priors_of(search):
    """The priors of every position in which player 1 is to act, by action."""
    tree = search.trees[0].tree
    found = []
    for slot in range(1, search.trees[0].used):
        node = tree.nodes[slot]
        first, count = int(node["first"]), int(node["count"])
        if count and tree.nodes[first]["mover"] == 1 and node["tags"] & layout.POSITION:
            found.append({int(tree.nodes[i]["action"]): float(tree.priors[i]) for i in range(first, first + count)})
    return found


def test_priors_of_a_position_are_the_mean_over_what_its_mover_may_see():
    """Player 0 holds the queen: the other has the jack or the king, and would bet with one of them only."""
    game = playout.load("kuhn-poker")
    state = next(state for seed in range(20) if (state := game.start(seed)).fields.cards[0] == 2)
    search = Search(game, evaluator=sure_of_its_card, compiled=False, seed=2, batch=1)
    search.run(state, simulations=300)
    after = priors_of(search)
    assert len(after) == 2, "after a check, and after a bet"
    for priors in after:
        assert sum(priors.values()) == pytest.approx(1.0) and 0.2 < priors[1] < 0.8
    many = Search(game, evaluator=sure_of_its_card, compiled=False, seed=2, batch=1, hidden="mo-ismcts")
    many.run(state, simulations=300)
    told = priors_of(many)
    assert len(told) == 4 and all(priors[1] in (0.0, 1.0) for priors in told), "with positions of its own it knows its card"


@pytest.mark.parametrize("priors", [True, False])
def test_an_action_of_another_world_gets_the_priors_of_that_world(priors):
    """Whist: every card that the other may hold has a slot at last; its weight is one of an evaluation in which it was legal."""
    game, legal_there = playout.load(WHIST), {}

    def evaluate(states):
        weights = np.zeros((len(states), game.actions))
        for row, record in enumerate(states):
            state = game.state({name: record[name] for name in field_names(record.dtype)})
            weights[row, list(state.legal)] = 1.0
            legal_there.setdefault(len(state.legal), 0)
        return (weights if priors else None), np.zeros((len(states), game.players))

    search = Search(game, evaluator=evaluate, compiled=False, seed=1, batch=4)
    search.run(game.start(3), simulations=400)
    tree = search.trees[0].tree
    others = [node for node in tree.nodes[1 : search.trees[0].used] if node["count"] and tree.nodes[node["first"]]["mover"] != 0]
    assert max(int(node["count"]) for node in others) > max(legal_there), "more actions than any one world has"
    for node in others:
        told = tree.priors[int(node["first"]) : int(node["first"]) + int(node["count"])]
        assert ((told > 0.4) & (told <= 1.0)).all(), "in a world of one or two actions each has a half or all"
