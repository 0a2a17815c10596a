"""Choices by lot: regret matching, Smooth UCT and final=shares, on a game whose best mixture is known."""

from __future__ import annotations

import numpy as np
import pytest

import playout
from playout import Game, PlayoutError, Search, Settings, below
from playout.engine import mixing
from playout.planner.actions import shares
from tests.engine.trees import ROWS, grown

BEST = 0.4
"""How often player 0 should hide heads: then the guesser gets the same from either guess, 3·0.4 - 1 = 1 - 2·0.4."""


def start(state, rng):
    pass


def legal(state, out):
    out[0] = 0
    out[1] = 1
    return 2


def play(state, action, rng):
    if state.moves == 0:
        state.coin = 1 + action
    else:
        state.guess = 1 + action
    state.moves += 1


def mover(state):
    return -1 if state.moves == 2 else state.moves


def returns(state, out):
    out[0] = 0.0
    if state.moves == 2:
        out[0] = 1.0
        if state.guess == state.coin:
            out[0] = -2.0 if state.coin == 1 else -1.0
    out[1] = -out[0]


def observe(state, player):
    if player == 1 and state.moves < 2:
        state.coin = 0


def determinize(state, player, rng):
    if player == 1 and state.moves == 1:
        state.coin = 1 + below(rng, 2)


@pytest.fixture(scope="module")
def pennies() -> Game:
    """Player 0 hides a coin, player 1 guesses: a wrong guess costs 1, heads found wins 2, tails found 1."""
    kind = np.dtype([("coin", np.int8), ("guess", np.int8), ("moves", np.int8)])
    rules = {"start": start, "legal": legal, "play": play, "mover": mover, "returns": returns}
    numbers = {"players": 2, "actions": 2, "returns_range": (-2, 1), "compiled": False}
    return Game("pennies", State=kind, **numbers, **rules, observe=observe, determinize=determinize)


def share_of_heads(game: Game, seed: int, simulations: int = 1200, **words: object) -> float:
    search = Search(game, seed=seed, hidden="mo-ismcts", trees=1, **words)
    decision = search.run(simulations=simulations)
    return shares(search.settings, [action.visits for action in decision.actions])[0]


@pytest.mark.parametrize("words", [{"rule": "regret-matching"}, {"smooth": True}], ids=str)
def test_mixtures_come_near_to_the_best_one(pennies: Game, words: dict[str, object]) -> None:
    found = [share_of_heads(pennies, seed, **words) for seed in range(3)]
    assert abs(sum(found) / 3 - BEST) < 0.06 and max(found) - min(found) < 0.12, found


def test_bandits_alone_need_not(pennies: Game) -> None:
    """Two deterministic bandits fall into step: for some seeds the shares are far off, and that is why there is anything to add."""
    assert max(abs(share_of_heads(pennies, seed) - BEST) for seed in (1, 3)) > 0.08


def test_regrets_by_hand(pennies: Game) -> None:
    """Simulation by simulation: the estimate of the action taken is corrected by how seldom it is taken, the others have their means."""
    search = Search(pennies, seed=2, hidden="mo-ismcts", trees=1, root_rule="regret-matching")
    expected, visits, scores = np.zeros(2), np.zeros(2), np.zeros(2)
    for _ in range(12):
        search.run(simulations=1)
        tree = search.trees[0]
        now = np.array([tree.visits_of(slot) for slot in tree.edges(0)])
        (taken,) = np.flatnonzero(now > visits)
        result = tree.scores_of(tree.edges(0)[taken])[0] - scores[taken]
        above = np.maximum(expected, 0.0)
        mixture = above / above.sum() if above.sum() > 0 else np.full(2, 0.5)
        usual = scores.sum() / max(1, visits.sum())
        estimates = np.where(visits > 0, scores / np.maximum(1, visits), usual)
        estimates[taken] += (result - estimates[taken]) / (0.9 * mixture[taken] + 0.05)
        expected += estimates - mixture @ estimates
        visits[taken] += 1
        scores[taken] += result
        assert tree.tree.regrets[list(tree.edges(0))] == pytest.approx(expected)


def test_chances_add_up_and_follow_the_regrets(pennies: Game) -> None:
    search = Search(pennies, seed=1, hidden="mo-ismcts", trees=1, root_rule="regret-matching", mixing=0.2)
    search.run(simulations=20)
    tree = search.trees[0]
    slots = list(tree.edges(0))
    tree.tree.regrets[slots] = (3.0, -5.0)
    rule = mixing.REGRETS
    assert [mixing.chance_of(tree.tree, rule, slot, 3.0, 2, 0.1) for slot in slots] == pytest.approx([0.9, 0.1])
    tree.tree.regrets[slots] = (-3.0, -5.0)
    assert [mixing.chance_of(tree.tree, rule, slot, 0.0, 2, 0.1) for slot in slots] == pytest.approx([0.5, 0.5])


def test_shares_without_what_was_spread_evenly() -> None:
    plain, matched = Settings(), Settings(rule="regret-matching", mixing=0.2)
    assert shares(plain, [30, 10]) == [0.75, 0.25]
    assert shares(matched, [30, 10]) == pytest.approx([26 / 32, 6 / 32])
    assert shares(matched, [39, 1]) == [1.0, 0.0]
    assert shares(plain, [0, 0]) == [0.0, 0.0]


def test_the_action_is_drawn_by_the_shares(pennies: Game) -> None:
    """Over many seeds as often as the shares say; the same seed draws the same, in `run` and in `choose`; the trees are untouched."""
    chosen, expected, seeds = 0, 0.0, 100
    for seed in range(seeds):
        search = Search(pennies, seed=seed, trees=1, final="shares", root_rule="equal")
        decision = search.run(simulations=11)
        expected += decision.actions[0].visits / 10 / seeds
        chosen += decision.action == 0
        if seed < 5:
            again = Search(pennies, seed=seed, trees=1, final="shares", root_rule="equal")
            assert again.choose(simulations=11).action == decision.action
            assert decision.note.startswith("the action was drawn by the shares of the visits; ")
    assert abs(chosen / seeds - expected) < 0.15, (chosen, expected)


def test_final_shares_changes_no_tree() -> None:
    one, two = grown(ROWS, 60, seed=5), grown(ROWS, 60, seed=5, final="shares")
    assert bytes(one.trees[0].tree.nodes) == bytes(two.trees[0].tree.nodes)


def test_a_proof_is_stronger_than_a_lot() -> None:
    """A won position is played to win whatever the shares are."""
    state = playout.load("tic-tac-toe").start().replay(["b2", "a1", "b1", "a2"])
    for seed in range(6):
        search = Search("tic-tac-toe", seed=seed, trees=1, final="shares", compiled=False, decisive_playouts="off")
        assert search.run(state, simulations=120).name == "b3"


def test_regret_matching_is_drawn_by_shares_unless_said(pennies: Game) -> None:
    assert Settings(rule="regret-matching").fitted(pennies).final == "shares"
    assert Settings(root_rule="regret-matching", final="mean").fitted(pennies).final == "mean"
    assert Settings(rule="regret-matching", root_rule="ucb1").fitted(pennies).final == "visits"


REFUSED = {
    "smooth mixes what a rule chooses, and regret-matching draws by itself; leave one of them out": {
        "smooth": True,
        "rule": "regret-matching",
    },
    "smooth=True draws actions by lot and does not go together with discount=0.5; leave one of them out": {
        "smooth": True,
        "discount": 0.5,
        "solver": False,
    },
    "root_rule=regret-matching draws actions by lot and does not go together with early_stop=True": {
        "root_rule": "regret-matching",
        "early_stop": True,
    },
    "smooth mixes what a rule with weights chooses, as ucb1 does, and root_rule=halving": {
        "smooth": True,
        "root_rule": "halving",
    },
    "mixing is 0; it must be from 0.001 to 1": {"mixing": 0},
    "final=shares goes by visits and weights, and with root_rule=halving": {"final": "shares", "root_rule": "halving"},
}


@pytest.mark.parametrize("words", REFUSED, ids=lambda words: words[:30])
def test_what_does_not_go_together(pennies: Game, words: str) -> None:
    with pytest.raises(PlayoutError) as error:
        Settings(**REFUSED[words]).fitted(pennies)
    assert words in str(error.value)


def test_what_needs_a_list_and_one_simulation_at_a_time(pennies: Game) -> None:
    with pytest.raises(
        PlayoutError, match="final=shares draws among actions that can be listed, and actions of 'loss-1d' are real"
    ):
        Settings(final="shares").fitted(playout.load("loss-1d"))
    with pytest.raises(
        PlayoutError, match="an evaluator has several simulations out at a time, and regrets and smooth follow one"
    ):
        Search(pennies, rule="regret-matching", evaluator=lambda states: None)
