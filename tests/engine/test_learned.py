"""Learned values inside a search: the value of a leaf is the policy's, to the digit, and belongs to the one who moved into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout
from playout import Game, Search, State
from playout.errors import FileError, GameError, PlayoutError
from playout.game.load import load
from playout.learning import Learner, Policy
from playout.learning.learner import fitted
from playout.learning.settings import from_preset as learning
from playout.planner.learned import check_zero_sum
from tests.engine.trees import same_bits

GAME = "tic-tac-toe"
EVEN: dict[str, Any] = {"rule": "equal", "depth": 1, "solver": False}
"""Every action of the root in turn, and the leaf right behind it: its mean is the mean of its leaf's values."""


@pytest.fixture(scope="module")
def perfect() -> Policy:
    return trained(GAME, 100_000)


@pytest.fixture(scope="module")
def plain() -> Policy:
    return trained(GAME, 3000, symmetry="off", seed=2)


def trained(game: Game | str, episodes: int, compiled: bool = True, **words: Any) -> Policy:
    """`learn` without measuring how good it is."""
    rules = load(game)
    learner = Learner(rules, fitted(rules, learning(**words), episodes), compiled=compiled)
    learner.run(episodes)
    return Policy.of(learner, episodes, 0.0)


def only(policy: Policy, values: dict[State, float]) -> Policy:
    """The policy with the values of these states alone, and these values."""
    keys = {int(state.game.functions["key"](state.fields)): value for state, value in values.items()}
    kept = policy.entries[[int(key) in keys for key in policy.entries["key"]]].copy()
    assert len(kept) == len(values), "the policy has not seen these states"
    kept["value"] = [keys[int(key)] for key in kept["key"]]
    return replace(policy, entries=kept)


def looked(policy: Policy, state: State, simulations: int, compiled: bool = False, **changes: Any) -> playout.Decision:
    return Search(policy.game, compiled=compiled, value=policy, seed=4, **{**EVEN, **changes}).run(state, simulations=simulations)


# by hand


@pytest.mark.compiles
def test_two_values_by_hand(plain: Policy) -> None:
    start = plain.game.start()
    policy = only(plain, {start.play(0): 0.5, start.play(4): -0.25})
    decision = looked(policy, start, 18)
    assert decision[0].means == (0.5, -0.5) and decision[4].means == (-0.25, 0.25)
    assert decision[0].visits == decision[4].visits == 2
    assert decision.valued == 4, "the seven others were never seen: each was played out twice"
    assert all(a.score in (-2, -1, 0, 1, 2) for a in decision.actions if a.action not in (0, 4))
    assert decision.note == f"4 of 18 simulations ended at a leaf that the policy {policy!r} valued"
    assert "valued" in decision.to_dict() and "note: 4 of 18" in str(decision)


@pytest.mark.compiles
def test_the_value_is_of_the_one_who_moved(plain: Policy) -> None:
    after = plain.game.start().play(0)
    decision = looked(only(plain, {after.play(4): 0.5}), after, 8)
    assert decision.mover == 1 and decision[4].means == (-0.5, 0.5) and decision.valued == 1


@pytest.mark.compiles
def test_two_actions_deep_by_hand(plain: Policy) -> None:
    """b2 is worth 0.5 to the first player before its answers are looked at; then each of the eight is a leaf of its own."""
    start = plain.game.start()
    middle = start.play(4)
    answers = {middle.play(a): 0.125 for a in middle.legal}
    policy = only(plain, {middle: 0.5, **answers})
    decision = looked(policy, start, 9 * 5, depth=2)
    # One visit of its own and four answers, which are worth 0.125 to the one who gave them.
    assert decision[4].score == 0.5 - 4 * 0.125 and decision.valued == 5


def purse(sum_zero: bool = True) -> Game:
    """Player 0 acts twice in a row, then player 1; whoever acts takes one or two from the other, and keeps it at once."""

    def start(state: Any, rng: Any) -> None:
        state.place = 0

    def legal(state: Any, out: Any) -> int:
        out[0], out[1] = 0, 1
        return 2

    def play(state: Any, action: int, rng: Any) -> None:
        gain = 1 + action
        state.total += gain if state.place < 2 else -gain
        state.place += 1

    def mover(state: Any) -> int:
        return -1 if state.place == 3 else state.place // 2  # type: ignore[no-any-return]

    def returns(state: Any, out: Any) -> None:
        out[0] = state.total
        out[1] = -state.total if sum_zero else 0.0

    def key(state: Any) -> int:
        return 100 * state.place + state.total  # type: ignore[no-any-return]

    fields = np.dtype([("place", np.int64), ("total", np.int64)])
    return Game(
        "purse", players=2, actions=2, State=fields, start=start, legal=legal, play=play, mover=mover, returns=returns, key=key
    )


@pytest.mark.compiles
def test_what_was_gained_before_counts() -> None:
    """A value is of what is still to come from the decision on, and a search counts totals."""
    game = purse()
    policy = trained(game, 200, compiled=False, lr="1/n", epsilon=1, discount=1.0)
    one = game.start().play(1)
    assert one.mover == 0, "the same player again"
    decision = looked(only(policy, {one.play(0): 0.25, one.play(1): 5.0}), one, 4)
    assert decision[0].means == (2.25, -2.25) and decision[1].means == (7.0, -7.0) and decision.valued == 4
    # As it was learned: the last action, of player 1, is worth what it takes, 1 or 2, and 5 were taken before.
    last = one.play(1)
    found = looked(policy, last, 2)
    assert found.valued == 0 and [a.means for a in found.actions] == [(3.0, -3.0), (2.0, -2.0)], "the game is over there"


# what a leaf is worth is what the policy says


@pytest.mark.compiles
@pytest.mark.parametrize("moves", [[], [4], [0, 4, 8]])
@pytest.mark.parametrize("way", [{}, {"symmetry": "off"}, {"tables": "each"}, {"values": "patterns", "lr": 0.1}])
def test_leaves_have_the_values_of_the_policy(way: dict[str, Any], moves: Sequence[int]) -> None:
    spec = "mnk:m=7,n=7,k=4" if "values" in way else GAME
    policy = trained(spec, 1500, seed=1, **way)
    state = policy.game.start().replay(moves)
    decision = looked(policy, state, 2 * len(state.legal))
    rated = policy.rate(state)
    known = {action for action, (_, count) in rated.items() if count or "values" in way}
    assert known, "nothing was learned of this position"
    assert decision.valued == 2 * len(known)
    for action in known:
        assert decision[action].mean == pytest.approx(rated[action][0], abs=1e-12)


@pytest.mark.compiles
def test_mirrored_states_share_a_value(perfect: Policy) -> None:
    start = perfect.game.start()
    corner = int(start.game.functions["canonical"](start.play(0).fields))
    kept = perfect.entries[perfect.entries["key"] == corner].copy()
    kept["value"] = 0.75
    decision = looked(replace(perfect, entries=kept), start, 9)
    assert decision.valued == 4 and [a.action for a in decision.actions if a.mean == 0.75] == [0, 2, 6, 8]


@pytest.mark.compiles
def test_compiled_and_uncompiled_agree(perfect: Policy) -> None:
    middle = replace(perfect, entries=perfect.entries[::2].copy())
    patterns = trained(GAME, 300, values="patterns", lr=0.1)
    ways: list[tuple[Policy, dict[str, Any]]] = [(middle, {}), (middle, {"transpositions": True}), (patterns, {})]
    for policy, changes in ways:
        made = [Search(policy.game, compiled=c, value=policy, seed=3, **changes) for c in (True, False)]
        decisions = [search.run(simulations=300) for search in made]
        assert same_bits(*made) and decisions[0].valued == decisions[1].valued
        assert 0 < (decisions[0].valued or 0) <= 300
    assert (decisions[0].valued or 0) > 100


@pytest.mark.compiles
def test_threads_change_nothing(perfect: Policy) -> None:
    runs = [Search(GAME, value=perfect, trees=2, threads=n, seed=1).run(simulations=200) for n in (1, 2)]
    assert runs[0].actions == runs[1].actions and runs[0].valued == runs[1].valued


@pytest.mark.compiles
def test_an_action_that_draws_is_played_out() -> None:
    """Rolling draws: no one state is behind it. Holding draws nothing, and its leaves have the learned value."""
    policy = trained("pig:target=10", 200, compiled=False, epsilon=0.5)
    state = policy.game.start(1)
    while len(state.legal) == 1:
        state = state.play(state.legal[0])
    decision = looked(policy, state, 10)
    names = {a.name: a for a in decision.actions}
    rated = policy.rate(state)
    assert rated[names["hold"].action][1] > 0 and decision.valued == names["hold"].visits == 5
    assert names["hold"].mean == pytest.approx(rated[names["hold"].action][0])


# strength


def loses(policy: Policy | None, seat: int, simulations: int) -> bool:
    """Whether some course of tic-tac-toe is lost by a search of so many simulations a decision."""
    game, chosen = load(GAME), {}

    def lost(state: State) -> bool:
        if state.over:
            return state.returns[seat] < 0
        if state.mover != seat:
            return any(lost(state.play(action)) for action in state.legal)
        at = int(game.functions["key"](state.fields))
        if at not in chosen:
            chosen[at] = (
                Search(game, value=policy, seed=11, solver=False, decisive_playouts="off")
                .run(state, simulations=simulations)
                .action
            )
        return lost(state.play(chosen[at]))

    return lost(game.start())


@pytest.mark.compiles
@pytest.mark.parametrize("seat", [0, 1])
def test_a_perfect_table_makes_few_simulations_enough(perfect: Policy, seat: int) -> None:
    assert not loses(perfect, seat, 20), "no reply wins against it"
    assert loses(None, seat, 20), "and without it some do, so the values made the difference"


# keeping


@pytest.mark.compiles
def test_a_saved_tree_goes_on_with_its_policy_only(perfect: Policy, plain: Policy, tmp_path: Path) -> None:
    search = Search(GAME, value=perfect, seed=1, compiled=False)
    search.run(simulations=50)
    file = search.save(tmp_path / "x.tree")
    again = Search.load(file, value=perfect, compiled=False)
    assert again.run(simulations=50).actions == search.run(simulations=50).actions
    with pytest.raises(FileError, match=r"was searched with the learned policy '<policy of .*'; pass value=Policy.load"):
        Search.load(file)
    with pytest.raises(FileError, match="was searched with another policy than the one given"):
        Search.load(file, value=plain)
    without = Search(GAME, compiled=False)
    without.run(simulations=10)
    with pytest.raises(FileError, match="was searched without a learned policy; leave value out"):
        Search.load(without.save(tmp_path / "y.tree"), value=perfect)


@pytest.mark.compiles
def test_the_count_is_of_this_search_and_goes_on_below_an_action(perfect: Policy) -> None:
    search = Search(GAME, value=perfect, seed=1, compiled=False, solver=False)
    assert search.run(simulations=50).valued == 50
    search.play("b2")
    assert search.run(simulations=20).valued == 20


# what is refused


def test_a_file_is_not_opened_by_the_search() -> None:
    with pytest.raises(PlayoutError, match=r"value is 'policy.json', and a search takes the policy itself: .*value=Policy.load"):
        Search(GAME, value="policy.json")
    with pytest.raises(
        PlayoutError, match=r"a search takes the network itself: from playout.learning.embedded import Embedded, then"
    ):
        Search("tic-tac-toe", value="toe.small")
    with pytest.raises(PlayoutError, match="value is 3, and a search takes the policy itself"):
        Search(GAME, value=3)  # type: ignore[arg-type]


@pytest.mark.compiles
def test_what_does_not_go_together(plain: Policy) -> None:
    with pytest.raises(PlayoutError, match=r"discount=0.9 and value do not go together: .*; leave discount out"):
        Search(GAME, value=plain, discount=0.9, solver=False)
    with pytest.raises(PlayoutError, match=r"observation_width=2.0 takes every action for one of chance"):
        Search(GAME, value=plain, observation_width=2.0)
    with pytest.raises(PlayoutError, match=r"^the policy is of .*, the search of .*; learn one for this game$"):
        Search("connect-four", value=plain)
    with pytest.raises(PlayoutError, match="hidden=ismcts may not know them; leave value out"):
        playout.Settings(value="policy.json").fitted(load("kuhn-poker"))
    with pytest.raises(PlayoutError, match="value=policy.json is for games whose actions can be listed"):
        playout.Settings(value="policy.json").fitted(load("loss-1d"))


def test_only_two_players_of_opposite_ends() -> None:
    with pytest.raises(PlayoutError, match=r"'treasure' has 3 players: nobody knows what the others get; leave value out"):
        check_zero_sum(load("treasure"))
    with pytest.raises(
        PlayoutError, match=r"'purse' is not zero-sum \(returns 1 and 0\)|'purse' is not zero-sum \(returns 2 and 0\)"
    ):
        check_zero_sum(purse(sum_zero=False))
    check_zero_sum(purse())


@pytest.mark.compiles
def test_wrong_patterns_are_named() -> None:
    policy = trained("mnk:m=7,n=7,k=4", 20, values="patterns", lr=0.1)
    short = replace(policy.learned, arrays=policy.learned.arrays._replace(weights=np.zeros(1)))
    search = Search(policy.game, value=policy, compiled=False)
    search.learned = short
    with pytest.raises(GameError, match=r"patterns gave more than the \d+ of most_patterns, or an id that is not below"):
        search.run(simulations=20)
