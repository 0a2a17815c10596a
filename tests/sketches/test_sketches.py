"""Three games that the contract must carry besides board games: a hidden deck, real-valued actions, interrupted turns.

Each is checked by random play, compiled and searched; what a search finds is compared with exhaustive calculation.
"""

from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import playout
from playout.checker import check, compare_forms
from playout.compile import bind
from playout.game.stream import Stream

FOLDER = Path(__file__).parent


def game_of(name, **parameters):
    return playout.load(str(FOLDER / f"{name}.py"), **parameters)


def random_states(game, games, seed=0):
    """Every state of some random games."""
    for number in range(games):
        state, choices = game.start(seed + number), Stream(seed + number, tree=1)
        while not state.over:
            yield state
            state = state.play(state.legal[choices.below(len(state.legal))])
        yield state


@pytest.mark.parametrize("name", ["solitaire", "shares", "chain"])
def test_keeps_the_contract(name):
    report = check(game_of(name), states=200, seconds=0.4, compiled=False)
    # `observe` erases in place, on a copy: what is asked of the other questions, to leave the state alone, is not asked of it.
    assert report.ok, str(report)


@pytest.mark.compiles
@pytest.mark.parametrize("name", ["solitaire", "shares", "chain"])
def test_compiled_plays_as_uncompiled(name):
    assert compare_forms(game_of(name), games=5) is None


# A hidden deck


def observed(state, player=0):
    array = state.copy_array()
    state.game.functions["observe"](state.game.view(array[0]), player)
    return array.tobytes()


def world(state, seed, player=0):
    array = state.copy_array()
    state.game.functions["determinize"](state.game.view(array[0]), player, Stream(seed))
    return playout.State(state.game, array, 1)


def unknown_part(state):
    fields = state.fields
    return tuple(fields.deck[i] for i in range(fields.top + 1, fields.end - fields.known))


def test_determinize_keeps_what_is_known_and_varies_what_is_hidden():
    game, varied = game_of("solitaire"), 0
    for state in random_states(game, games=20):
        worlds = [world(state, seed) for seed in range(8)]
        for other in worlds:
            assert observed(other) == observed(state)
            assert other.legal == state.legal
            assert sorted(unknown_part(other)) == sorted(unknown_part(state))
        if len(unknown_part(state)) >= 4 and len(set(unknown_part(state))) > 1:
            varied += 1
            assert len({bytes(other) for other in worlds}) > 1
    assert varied > 50


def test_known_bottom_stays_where_the_player_put_it():
    state = game_of("solitaire").start(seed=3)
    first, second = (state.fields.deck[i] for i in range(2))
    state = state.play("tuck").play("tuck")
    for seed in range(10):
        fields = world(state, seed).fields
        assert (fields.deck[fields.end - 2], fields.deck[fields.end - 1]) == (first, second)
    hidden = "? " * len(unknown_part(state))
    assert f" {hidden}{first} {second}" in state.draw(viewer=0)
    assert "?" not in state.draw()


@pytest.mark.compiles
def test_determinize_compiles():
    game = game_of("solitaire")
    state = game.start(seed=5).play("tuck")
    array, rng = state.copy_array(), np.array([(Stream(9).word,)], np.dtype([("word", np.uint64)]))
    bind(game).role("determinize")(array[0], 0, rng[0])
    assert array.tobytes() == bytes(world(state, 9))
    bind(game).role("observe")(array[0], 0)
    assert array.tobytes() == observed(state)


@pytest.mark.compiles
def test_search_of_one_world_is_exact():
    """With all cards known (one world), the solver finds what trying everything finds."""

    @cache
    def best(state):
        return state.returns[0] if state.over else max(best(state.play(action)) for action in state.legal)

    state = game_of("solitaire").start(seed=2).replay(["drop"] * 4)
    decision = playout.search(state, simulations=20_000, seed=1, hidden="peek")
    assert decision.stopped == "proven"
    assert decision.proven == (best(state),)


# Real-valued actions


def test_profits_work_on_any_number():
    profits = game_of("shares").functions["returns"].__globals__["profits"]  # as the file defines it
    exact = [Fraction(0)] * 3
    profits([Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)], exact)
    assert exact == [Fraction(1, 16), Fraction(1, 32), Fraction(1, 64)]
    # A complex step gives the derivative of the last profit, which vanishes at the best reply.
    out = np.zeros(3, complex)
    profits(np.array([0.5, 0.25, 0.125 + 1e-30j]), out)
    assert abs(out[2].imag / 1e-30) < 1e-12


@pytest.mark.parametrize("first, second, reply", [(4, 2, 1), (2, 2, 2), (0, 2, 3), (0, 0, 4)])
def test_search_finds_the_best_reply_of_the_last_mover(first, second, reply):
    state = game_of("shares").start().replay([first, second])
    decision = playout.Search(state.game, compiled=False, seed=1, solver=False).run(state, simulations=2_000)
    assert decision.mover == 2
    assert decision.action == reply
    assert decision[reply].mean == pytest.approx((reply / 8) ** 2)


def test_solver_looks_through_all_three_stages():
    game = game_of("shares")

    def value(state):
        """Each mover takes what is best for itself; among equals the lowest id, as the solver does."""
        if state.over:
            return state.returns
        mover = state.mover
        return max((value(state.play(action)) for action in state.legal), key=lambda returns: returns[mover])

    decision = playout.Search(game, compiled=False, seed=1).run(simulations=50_000)
    assert decision.stopped == "proven"
    assert decision.proven == value(game.start())


# A turn that the other player interrupts


@pytest.mark.parametrize("changes", [{"turns": 2, "units": 1, "health": 3}, {"turns": 4, "units": 1, "supplies": 2}])
def test_chain_is_solved_as_by_minimax(changes):
    game = game_of("chain", **changes)

    @cache
    def value(state):
        if state.over:
            return state.returns[0]
        results = [value(state.play(action)) for action in state.legal]
        return max(results) if state.mover == 0 else min(results)

    decision = playout.Search(game, seed=1, compiled=False).run(simulations=200_000)
    assert decision.stopped == "proven"
    assert decision.proven == (value(game.start()), -value(game.start()))


def test_the_other_player_answers_in_the_middle_of_a_turn():
    state = game_of("chain").start()
    movers, names = [state.mover], []
    for action in ("unit 0", "target 1", "ambush", "strength 1"):
        names.append(state.name(state.find(action)))
        state = state.play(action)
        movers.append(state.mover)
    assert movers == [0, 0, 1, 0, 1]
    assert state.fields.health[0, 0] == 1
    assert state.fields.health[1, 1] == 1
    decision = playout.search(state, simulations=300, seed=1, compiled=False)
    assert decision.mover == 1
    assert {record.name for record in decision.actions} == {"unit 0", "unit 1"}
