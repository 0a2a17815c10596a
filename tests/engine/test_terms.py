"""Terms beside mean and bonus: progressive bias by `prior`, implicit minimax by `evaluate`, against numbers worked out by hand."""

import numpy as np
import pytest

import playout
from playout import Search
from playout.engine.terms import bias_of
from playout.errors import PlayoutError
from tests.engine.trees import ROWS, dump

# progressive bias


def search(game=ROWS, simulations=60, **settings):
    found = Search(game, **{"seed": 5, "compiled": False, "solver": False, **settings})
    found.run(found.game.start(1), simulations=simulations)
    return found


def test_the_bias_fades_with_the_tries():
    assert [bias_of(3.0, 0.5, tries) for tries in (0, 1, 2, 5)] == [1.5, 0.75, 0.5, 0.25]
    assert bias_of(0.0, 0.5, 0) == 0.0


def test_the_table_shows_prior_and_bias():
    """Rows has the priors 1/6, 2/6, 3/6."""
    decision = search(bias=4.0, c=0.0).run(simulations=1)
    for number, a in enumerate(decision.actions):
        assert a.prior == pytest.approx((number + 1) / 6)
        assert a.explore == pytest.approx(4.0 * a.prior / (1 + a.visits))
        assert a.weight == pytest.approx(a.exploit + a.explore)


def test_selection_goes_by_the_weights_of_the_table():
    """The next simulation takes the action whose weight is highest; Rows has no ties here."""
    found = search(bias=6.0, simulations=30)
    for _ in range(20):
        before = found.run(simulations=1)
        after = found.run(simulations=1)
        tried = [a.action for a, b in zip(before.actions, after.actions, strict=True) if a.visits != b.visits]
        assert tried == [max(before.actions, key=lambda a: a.weight).action]


def test_more_bias_follows_the_prior_more():
    def share(**settings):
        return search(simulations=60, c=0.1, **settings).run(simulations=1).actions[2].visits

    assert share() < share(bias=20.0)


def test_bias_by_an_evaluators_priors():
    def evaluator(states):
        priors = np.ones((len(states), 9))
        priors[:, 0] = 50.0
        return priors, np.zeros((len(states), 2))

    def first(**settings):
        found = Search("tic-tac-toe", evaluator=evaluator, rule="ucb1", fpu="parent", seed=1, batch=1, compiled=False, **settings)
        return found.run(simulations=40).actions[0].visits

    assert first(bias=5.0) > first()


def test_bias_with_hidden_information():
    game = playout.load("kuhn-poker")
    names = {**game.functions, "prior": lambda state, legal, count, out: out.__setitem__(slice(0, count), [1.0, 9.0][:count])}
    kuhn = playout.Game("biased-kuhn", {**names, "players": 2, "actions": game.actions, "State": game.dtype, "compiled": False})
    plain, biased = search(kuhn), search(kuhn, bias=8.0)
    assert dump(plain.trees[0]) != dump(biased.trees[0])
    assert biased.run(simulations=1).actions[1].prior == pytest.approx(0.9)


# implicit minimax


def best_line(tree, slot=0):
    """The estimate of a position, worked out again from those of its leaves."""
    tried = [e for e in tree.edges(slot) if tree.visits_of(e)]
    if not tried:
        return tuple(tree.tree.implied[slot])
    below = [best_line(tree, e) for e in tried]
    return max(below, key=lambda value: value[tree.mover_of(tried[0])])


def test_estimates_are_the_best_lines_of_the_leaves():
    """Rows gives a turn to the same player now and then: each position goes by its own mover."""
    tree = search(ROWS + ":length=14", 200, implicit=0.3).trees[0]
    for slot in (0, *tree.edges(0), *tree.edges(tree.edges(0)[0])):
        if tree.visits_of(slot):
            assert tuple(tree.tree.implied[slot]) == best_line(tree, slot)


def test_a_leaf_has_what_evaluate_says_and_the_end_what_the_game_pays():
    tree = search(simulations=4, implicit=0.3).trees[0]
    state = tree.root
    for edge in tree.edges(0):
        after = state.play(tree.action_of(edge))
        out = np.zeros(2)
        state.game.functions["evaluate"](after.fields, out)
        if tree.visits_of(edge) == 1:
            assert tuple(tree.tree.implied[edge]) == tuple(out)
    # With everything proven the root's estimate is the result.
    found = Search(ROWS, implicit=0.3, seed=5, compiled=False)
    decision = found.run(found.game.start(1), simulations=5000)
    assert decision.stopped == "proven" and tuple(found.trees[0].tree.implied[0]) == decision.proven


def test_selection_mixes_mean_and_estimate():
    """With all of the worth in the estimates, and no exploration, the best line is followed once everything was tried."""
    found = search(implicit=1.0, c=0.0, simulations=40)
    for _ in range(15):
        before = [found.trees[0].visits_of(e) for e in found.trees[0].edges(0)]
        estimates = [float(found.trees[0].tree.implied[e, 0]) for e in found.trees[0].edges(0)]
        found.run(simulations=1)
        tried = [i for i, e in enumerate(found.trees[0].edges(0)) if found.trees[0].visits_of(e) != before[i]]
        assert tried == [int(np.argmax(estimates))]


def test_an_action_that_draws_chance_has_the_mean_of_its_outcomes():
    tree = search(ROWS + ":dice=1", 300, implicit=0.3, depth=1).trees[0]
    for edge in tree.edges(0):
        node = tree.tree.nodes[edge]
        if int(node["tags"]) & 2:
            outcomes = [int(e["slot"]) for e in tree.owned() if e["owner"] == edge]
            weights = [tree.visits_of(slot) for slot in outcomes]
            mean = np.average([tree.tree.implied[slot, 0] for slot in outcomes], weights=weights)
            # At depth 1 nothing below an outcome changes, so every visit brought the same estimate.
            assert float(tree.tree.implied[edge, 0]) == pytest.approx(mean)


def test_columns_only_where_asked_and_kept_with_the_tree(tmp_path):
    plain, found = search(simulations=5), search(simulations=80, implicit=0.4)
    assert len(plain.trees[0].tree.implied) == 1 and found.trees[0].slot_bytes == plain.trees[0].slot_bytes + 16
    loaded = Search.load(found.save(tmp_path / "tree.npz"), compiled=False)
    for each in (found, loaded):
        each.run(simulations=40)
        each.play(each.run(simulations=1).action)
        each.run(simulations=20)
    assert dump(found.trees[0]) == dump(loaded.trees[0])


@pytest.mark.parametrize(
    ("game", "settings", "words"),
    [
        (
            "tic-tac-toe",
            {"bias": 2.0},
            "bias=2.0 needs the game's prior, which 'tic-tac-toe' does not define; define it or leave bias out",
        ),
        (
            "tic-tac-toe",
            {"implicit": 0.2},
            "implicit=0.2 needs the game's evaluate, which 'tic-tac-toe' does not define; define it or leave implicit out",
        ),
        (ROWS, {"implicit": 1.2}, "implicit is 1.2; it must be from 0 to 1"),
        (
            "scoundrel",
            {"implicit": 0.2},
            "implicit=0.2 takes the best answer in every position, and where a position is met in many worlds nobody can know it; leave implicit "
            "out, or use hidden=pimc",
        ),
        (
            ROWS,
            {"implicit": 0.2, "discount": 0.9, "solver": False},
            "implicit=0.2 does not go together with discount=0.9: estimates are of whole returns, and are not in the decision's table; leave one "
            "of them out",
        ),
        (
            ROWS,
            {"implicit": 0.2, "graph": True},
            "implicit=0.2 follows the one path of a simulation, and with graph=True values come from all that lead to a position; leave one of "
            "them out",
        ),
        (
            "loss-1d",
            {"implicit": 0.2},
            "implicit=0.2 needs the game's evaluate, which 'loss-1d' does not define; define it or leave implicit out",
        ),
    ],
)
def test_what_does_not_go_together(game, settings, words):
    with pytest.raises(PlayoutError) as caught:
        Search(game, compiled=False, **settings)
    assert str(caught.value) == words


def test_implicit_is_not_for_evaluators():
    with pytest.raises(
        PlayoutError, match="implicit=0.2 goes by the game's evaluate, and with an evaluator that values the leaves"
    ):
        Search(ROWS, implicit=0.2, compiled=False, evaluator=lambda states: (None, np.zeros((len(states), 2))))
