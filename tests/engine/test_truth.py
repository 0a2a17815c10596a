"""Known answers: what the search says of solved games must be true."""

from functools import cache

import pytest

import playout
from playout import Search
from tests.engine.trees import ROWS, grown
from tests.truth.positions import random_position


def minimax(state):
    """The value per player by plain recursion, each mover taking its own best (the lowest id among equals)."""

    @cache
    def value(state):
        if state.over:
            return state.returns
        return max((value(state.play(a)) for a in sorted(state.legal)), key=lambda v: v[state.mover])

    return value(state)


@pytest.mark.compiles
def test_tic_tac_toe_is_a_draw():
    decision = Search("tic-tac-toe").run(simulations=500_000)
    assert decision.stopped == "proven"
    assert decision.proven == (0.0, 0.0)
    assert decision.simulations < 200_000
    assert decision.line(until="end").returns == (0.0, 0.0)


@pytest.mark.parametrize("heaps", ["1-2-3", "2-3-4", "1-1-1-2", "3-3", "1-4-5", "2-2-3"])
def test_nim_agrees_with_the_nim_sum(heaps):
    total = 0
    for heap in map(int, heaps.split("-")):
        total ^= heap
    decision = grown(f"nim:heaps={heaps}", 20_000, transpositions=True).run(simulations=1)
    assert decision.proven == ((1.0, -1.0) if total else (-1.0, 1.0))
    if total:
        after = decision.state.play(decision.action)
        left = Search(after.game, compiled=False, transpositions=True).run(after, simulations=20_000)
        assert left.proven == (1.0, -1.0)


@pytest.mark.parametrize(("board", "compiled"), [("m=3,n=3,k=3", True), ("m=4,n=2,k=2", False), ("m=3,n=2,k=3", False)])
def test_small_boards_agree_with_exhaustive_search(board, compiled):
    game = playout.load(f"mnk:{board}")
    decision = Search(game, compiled=compiled, transpositions=True).run(simulations=400_000)

    @cache
    def value(key):
        state = states[key]
        if state.over:
            return state.returns
        best = None
        for action in state.legal:
            after = state.play(action)
            code = game.functions["key"](after.fields)
            states.setdefault(code, after)
            result = value(code)
            if best is None or result[state.mover] > best[state.mover]:
                best = result
        return best

    states = {-1: game.start()}
    assert decision.proven == value(-1)


@pytest.mark.parametrize("transpositions", [False, True])
@pytest.mark.parametrize("length", [4, 7, 9])
def test_a_player_who_moves_twice_in_a_row(length, transpositions):
    game = playout.load(ROWS, length=length)
    decision = Search(game, compiled=False, transpositions=transpositions).run(game.start(), simulations=20_000)
    assert decision.proven == minimax(game.start())


@pytest.mark.compiles
def test_three_players_each_maximise_their_own():
    decision = Search("treasure").run(simulations=20_000)
    assert decision.proven == (29.0, 31.0, 18.0)


def test_decisive_moves_take_a_win_and_block_a_loss():
    game = playout.load("connect-four:columns=5,rows=4")
    threatened = game.start().replay(["b", "a", "c", "a", "d"])
    decision = Search(game, compiled=False, decisive="block").run(threatened, simulations=20)
    assert decision.name == "e"
    assert [a.name for a in decision.actions if a.refuted] == ["a", "b", "c", "d"]
    assert all(a.visits == 0 for a in decision.actions if a.refuted)
    winning = threatened.play("a")
    decision = Search(game, compiled=False, decisive="win").run(winning, simulations=20)
    assert decision.name == "e" and decision.proven == (1.0, -1.0) and decision.simulations == 1


@pytest.mark.compiles
@pytest.mark.parametrize("discs", [17, 18, 19])
def test_decisive_moves_prove_what_a_solver_says_of_connect_four(discs):
    game, found = playout.load("connect-four"), []
    for seed in range(5):
        state = random_position(game, discs, seed)
        decision = Search(game, decisive="block", decisive_playouts="win", c=0.3).run(state, simulations=200_000)
        found.append(decision.proven)
        assert decision.proven == tuple(playout.solve_position(state).value)
    assert len(set(found)) > 1 or discs == 18, "wins alone are proven by any search that is too hopeful"


@pytest.mark.compiles
def test_a_win_that_takes_a_hundred_thousand_simulations_is_proven():
    state = random_position(playout.load("connect-four"), 14, 1)
    decision = Search(state.game, decisive="block", decisive_playouts="win", c=0.3).run(state, simulations=600_000, memory=500)
    assert decision.proven == (1.0, -1.0) and decision.simulations > 100_000


def pig_chance(target):
    """The chance of the player to move to win Pig, by value iteration over (own, other, turn total)."""
    value = {}
    for own in range(target):
        for other in range(target):
            value[own, other] = 0.5
    for _ in range(200):
        change = 0.0
        for own in range(target):
            for other in range(target):
                turn = [0.0] * (target - own + 7)
                for total in range(target - own - 1, -1, -1):
                    hold = 0.0 if total == 0 else 1 - value[other, own + total]
                    roll = (1 - value[other, own]) / 6
                    for face in range(2, 7):
                        roll += (1.0 if own + total + face >= target else turn[total + face]) / 6
                    turn[total] = max(hold, roll)
                change = max(change, abs(turn[0] - value[own, other]))
                value[own, other] = turn[0]
        if change < 1e-9:
            break
    return value[0, 0]


@pytest.mark.compiles
def test_pig_approaches_the_optimal_chance_and_is_never_proven():
    truth = 2 * pig_chance(20) - 1
    decision = Search("pig:target=20", c=0.7).run(simulations=400_000)
    assert decision.proven is None
    assert all(a.proven is None for a in decision.actions)
    assert decision.chosen.mean == pytest.approx(truth, abs=0.05)


def test_dice_are_averaged():
    """The row 3, 2, 5 with a coin after the 2: whoever wins it takes the 5, so taking two is worth (10 + 0) / 2."""
    game = playout.load(ROWS, length=3, dice=1)
    decision = Search(game, compiled=False, rule="equal", playout="uniform", trees=1).run(game.start(), simulations=6000)
    assert decision.proven is None and decision[1].proven is None
    assert decision[1].mean == pytest.approx(5.0, abs=0.15)
    assert decision[1].low < 5.0 < decision[1].high
    assert decision[2].proven == (10.0, -10.0)
