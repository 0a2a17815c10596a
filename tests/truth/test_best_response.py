"""Values, best replies and exploitability against hand-made equilibria and brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from playout import PlayoutError
from playout.truth import (
    Policy,
    Tree,
    best_reply,
    best_response,
    exploitability,
    game_tree,
    normalized,
    together,
    uniform,
    value,
)
from tests.truth import games

KUHN = game_tree("kuhn-poker")
CHANCES = {  # Kuhn's equilibria: bet with a jack as often as alpha, a king three times as often (1950)
    (0, "J", ""): lambda alpha: alpha,
    (0, "Q", ""): lambda alpha: 0,
    (0, "K", ""): lambda alpha: 3 * alpha,
    (0, "J", "check bet"): lambda alpha: 0,
    (0, "Q", "check bet"): lambda alpha: alpha + 1 / 3,
    (0, "K", "check bet"): lambda alpha: 1,
    (1, "J", "check"): lambda alpha: 1 / 3,
    (1, "Q", "check"): lambda alpha: 0,
    (1, "K", "check"): lambda alpha: 1,
    (1, "J", "bet"): lambda alpha: 0,
    (1, "Q", "bet"): lambda alpha: 1 / 3,
    (1, "K", "bet"): lambda alpha: 1,
}


def equilibrium(alpha: float) -> dict[bytes, dict[int, float]]:
    policy = {}
    for known in KUHN.info_sets:
        fields = known.state.fields
        line = " ".join(("", "check", "bet")[move] for move in fields.line[: fields.moves])
        bets = CHANCES[known.player, "?JQK"[fields.cards[known.player]], line](alpha)
        policy[known.key] = {0: 1 - bets, 1: bets}
    return policy


@pytest.mark.compiles
@pytest.mark.parametrize("alpha", [0, 0.1, 1 / 3])
def test_equilibria_of_kuhn_poker(alpha: float) -> None:
    policy = equilibrium(alpha)
    assert value(KUHN, policy) == pytest.approx(-1 / 18)
    assert exploitability(KUHN, policy) == pytest.approx(0, abs=1e-12)
    assert best_response(KUHN, policy, 0) == pytest.approx(-1 / 18) and best_response(KUHN, policy, 1) == pytest.approx(1 / 18)


def pure(tree: Tree, player: int) -> list[Policy]:
    """Every pure strategy of a player; the other plays uniformly."""
    mine = [known for known in tree.info_sets if known.player == player]
    base, found = uniform(tree).vector, []
    for choices in product(*(range(len(known.actions)) for known in mine)):
        vector = base.copy()
        for known, choice in zip(mine, choices, strict=True):
            start = tree.arrays.offset[known.number]
            vector[start : start + len(known.actions)] = np.arange(len(known.actions)) == choice
        found.append(Policy(tree, vector))
    return found


UNEVEN = game_tree(games.uneven())
"""Where the histories of an information set differ in length."""


@pytest.mark.compiles
@pytest.mark.parametrize("tree, strategies", [(KUHN, 64), (UNEVEN, 16)])
@pytest.mark.parametrize("seed", range(4))
def test_a_best_reply_is_as_good_as_the_best_of_all_pure_strategies(seed: int, tree: Tree, strategies: int) -> None:
    policy = normalized(tree, np.random.default_rng(seed).random(tree.slots) if seed else np.ones(tree.slots))
    best = (
        max(value(tree, together(tree, mine, policy)) for mine in pure(tree, 0)),
        max(-value(tree, together(tree, policy, mine)) for mine in pure(tree, 1)),
    )
    assert len(pure(tree, 0)) == strategies
    for player in (0, 1):
        reply = best_reply(tree, policy, player)
        assert reply.value == pytest.approx(best[player])
        assert value(tree, reply.policy) * (1, -1)[player] == pytest.approx(reply.value)
        assert set(reply.policy.vector[tree.slot_player == player]) == {0.0, 1.0}
        assert (reply.policy.vector == policy.vector)[tree.slot_player != player].all()
    assert exploitability(tree, policy) == pytest.approx(sum(best) / 2)


@pytest.mark.compiles
def test_random_play() -> None:
    assert exploitability(KUHN, uniform(KUHN)) == pytest.approx(11 / 24) and value(KUHN, uniform(KUHN)) == pytest.approx(1 / 8)
    leduc = game_tree("leduc-poker")
    # OpenSpiel 2.0.2 gives nash_conv 4.747222 for the uniform policy (and 0.916667 for Kuhn).
    assert exploitability(leduc, uniform(leduc)) == pytest.approx(4.747222 / 2, abs=1e-6)


@pytest.mark.compiles
@pytest.mark.parametrize("game, actions", [(games.PENNIES, 2), (games.ROCK, 3)])
def test_the_only_equilibrium_of_matrix_games_is_uniform(game: object, actions: int) -> None:
    tree = game_tree(game)  # type: ignore[arg-type]
    assert exploitability(tree, uniform(tree)) == pytest.approx(0) and value(tree, uniform(tree)) == pytest.approx(0)
    always = {known.key: {0: 1.0} for known in tree.info_sets}
    assert exploitability(tree, always) == 1 and value(tree, always) == (1 if actions == 2 else 0)
    assert best_reply(tree, always, 1).policy[tree.info_sets[1].key][1] == 1


@pytest.mark.compiles
def test_perfect_information_is_solved_by_perfect_play() -> None:
    tree = game_tree("nim:heaps=1-2-3")
    policy = {}
    for known in tree.info_sets:
        good = [a for a in known.actions if np.bitwise_xor.reduce(known.state.play(a).fields.heaps) == 0] or known.actions
        policy[known.key] = {action: (action == good[0]) * 1.0 for action in known.actions}
    assert value(tree, policy) == -1 and exploitability(tree, policy) == 0
    assert best_response(tree, policy, 0) == -1 and best_response(tree, uniform(tree), 1) > best_response(tree, uniform(tree), 0)


def test_policies_that_do_not_fit() -> None:
    policy = equilibrium(0)
    key = KUHN.info_sets[0].key
    for wrong in ({0: 0.5}, {0: 0.5, 1: 0.6}, {0: 1.5, 1: -0.5}, {0: 0.5, 1: 0.5, 2: 0.0}):
        with pytest.raises(PlayoutError, match="give each of the actions"):
            value(KUHN, {**policy, key: wrong})
    del policy[key]
    with pytest.raises(PlayoutError, match="says nothing about information set"):
        exploitability(KUHN, policy)
    with pytest.raises(PlayoutError, match="player is 2; it must be 0 or 1"):
        best_response(KUHN, uniform(KUHN), 2)


@pytest.mark.compiles
def test_a_policy_reads_as_a_mapping() -> None:
    policy = uniform(KUHN)
    assert len(policy) == 12 and list(policy) == [known.key for known in KUHN.info_sets]
    assert policy[KUHN.info_sets[3]] == {0: 0.5, 1: 0.5} and value(KUHN, dict(policy)) == value(KUHN, policy)
    assert not policy.vector.flags.writeable
