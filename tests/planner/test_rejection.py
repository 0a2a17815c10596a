"""Worlds by rejection: they look like the past to the byte, come with the chances of the rules, and never depend on what is hidden."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from playout import GameError, PlayoutError, Search, State, Stream, by_rejection, load
from playout.arena.table import Table
from playout.checker import audit
from playout.checker.honesty.numbers import chi_square_chance
from playout.checker.honesty.sets import Sets
from playout.planner import rejection
from tests.checker.leaks import SMALL_WHIST, changed


def rejecting(spec: str):
    return changed(spec, determinize=by_rejection)


def games(game, seeds: int):
    """The true states of some random games."""
    for seed in range(seeds):
        state, picks = game.start(seed), Stream(seed, 9)
        while not state.over:
            yield state
            state = state.after(state.legal[picks.below(len(state.legal))])
        yield state


@pytest.mark.parametrize("spec", ["kuhn-poker", "leduc-poker", "liars-dice", "phantom-tic-tac-toe", SMALL_WHIST])
def test_worlds_have_the_past_of_their_player(spec: str):
    game = rejecting(spec)
    for state in games(game, 1):
        for player in range(game.players):
            world = state.world(player, Stream(3, 1, state.pasts[player].steps))
            assert world.observed(player) == state.observed(player)
            assert world.over == state.over and (world.mover == player) == (state.mover == player)
            assert world.pasts[player] == state.pasts[player]
            assert [past is None for past in world.pasts].count(False) == 1


def whole_past(game, info):
    """A true state of an information set, with a past that leads to it."""
    for seed in range(3000):
        state, picks = game.start(seed), Stream(seed, 4)
        while not state.over:
            if bytes(state) == info.truth:
                return state
            state = state.after(state.legal[picks.below(len(state.legal))])
    return None


@pytest.mark.parametrize("spec, player", [("kuhn-poker", 1), ("leduc-poker", 0)])
def test_worlds_come_with_the_chances_of_the_rules(spec: str, player: int):
    game, checked = rejecting(spec), 0
    sets = Sets(load(spec), 20_000, float("inf"))
    for number in range(3):
        for info in list(sets.walk(player, Stream(number)))[:2]:
            state = whole_past(game, info)
            if state is None or len(info.states()) < 2:
                continue
            stream, due, draws = Stream(1, number), info.weights(0), 300
            found = Counter(bytes(state.world(player, stream)) for _ in range(draws))
            assert set(found) <= set(due)
            value = sum((found[world] - draws * chance) ** 2 / (draws * chance) for world, chance in due.items())
            assert chi_square_chance(value, len(due) - 1) > 1e-4
            checked += 1
    assert checked >= 2


def test_worlds_do_not_depend_on_what_is_hidden():
    game = rejecting("leduc-poker")
    by_past: dict[object, list[State]] = {}
    for state in games(game, 150):
        if not state.over:
            by_past.setdefault((state.mover, state.pasts[state.mover]), []).append(state)
    several = [states for states in by_past.values() if len({bytes(state) for state in states}) > 1]
    assert len(several) > 10
    for states in several[:12]:
        worlds = {bytes(state.world(state.mover, Stream(5))) for state in states}
        assert len(worlds) == 1, "the same stream gives the same world, whichever state is the true one"


@pytest.mark.parametrize("hidden", ["ismcts", "mo-ismcts", "pimc"])
def test_every_search_of_hidden_games_works_with_it(hidden: str):
    search = Search(rejecting("kuhn-poker"), seed=2, hidden=hidden, compiled=False)
    decision = search.run(simulations=60)
    assert decision.simulations == 60
    again = Search(rejecting("kuhn-poker"), seed=2, hidden=hidden, compiled=False).run(simulations=60)
    assert [a.visits for a in again.actions] == [a.visits for a in decision.actions]
    assert search.survey(decision, worlds=3, simulations=10).survey is not None


@pytest.mark.parametrize("hidden", ["ismcts", "mo-ismcts"])
def test_an_evaluator_is_asked_about_one_leaf_at_a_time(hidden: str):
    """Every simulation starts from a world of its own, the same for every size of a batch."""
    game = rejecting("leduc-poker")
    asked: list[int] = []

    def middle(states):
        asked.append(len(states))
        assert (states["cards"][:, 0] == state.fields.cards[0]).all(), "worlds have the card that the player sees"
        others.update(states["cards"][:, 1].tolist())
        return None, np.zeros((len(states), 2)) + 0.25

    state, others = game.start(3), set[int]()
    found = [
        Search(game, seed=2, hidden=hidden, compiled=False, evaluator=middle, batch=n).run(state, simulations=80) for n in (1, 16)
    ]
    # In the end it is asked about the actions at the root, all at once, for the decision to show.
    assert asked.count(1) > 50 and len(asked) - asked.count(1) == 2 and len(others) > 2
    assert [a.visits for a in found[0].actions] == [a.visits for a in found[1].actions]
    assert found[0].simulations == 80


def test_a_search_is_blind_to_the_truth():
    game = rejecting("kuhn-poker")
    starts: dict[bytes, dict[bytes, State]] = {}
    for seed in range(40):
        state = game.start(seed)
        starts.setdefault(state.observed(0), {})[bytes(state)] = state
    one, two = next(list(states.values())[:2] for states in starts.values() if len(states) == 2)
    found = [Search(game, seed=1, compiled=False).run(state, simulations=50) for state in (one, two)]
    assert [a.visits for a in found[0].actions] == [a.visits for a in found[1].actions]
    assert found[0].actions[0].mean == found[1].actions[0].mean


def test_the_referee_hands_out_such_worlds():
    game = rejecting("leduc-poker")
    table = Table(game, compiled=False)
    table.begin(4)
    while table.mover >= 0:
        player = table.mover
        world = table.world(player, Stream(1))
        assert world.observed(player) == table.state.observed(player) and sorted(world.legal) == sorted(table.legal)
        assert Search(game, seed=1, compiled=False).run(world, simulations=5).action in table.legal
        table.play(table.legal[-1])


def test_what_cannot_be_is_said(monkeypatch: pytest.MonkeyPatch):
    game = rejecting("kuhn-poker")
    with pytest.raises(PlayoutError, match="needs what player 0 has lived through.*play to it from Game.start"):
        game.state({"cards": [1, 2]}).world(0, Stream())
    with pytest.raises(GameError, match="by_rejection finds worlds by what a player has seen, and there is no observe"):
        changed("kuhn-poker", determinize=by_rejection, observe=None)
    with pytest.raises(PlayoutError, match="redraw draws worlds in the middle of a simulation"):
        Search(game, redraw=True, compiled=False)
    whist = rejecting("knockout-whist")
    monkeypatch.setattr(rejection, "TRIES_UNCOMPILED", 20)
    with pytest.raises(
        PlayoutError, match=r"none of 20 courses.*its past of 1 events.*write def determinize\(state, player, rng\)"
    ):
        whist.start(1).world(0, Stream())


def test_the_audit_takes_it():
    found = audit(rejecting("kuhn-poker"), seconds=2, agent=None)
    assert found.ok and any(finding.test == "consistency" and finding.cases > 20 for finding in found.findings)


@pytest.mark.compiles
def test_compiled_worlds_are_those_of_plain_python():
    game, plain = rejecting("kuhn-poker"), rejecting("kuhn-poker")
    Search(game, seed=1)
    for state, same in zip(games(game, 3), games(plain, 3), strict=True):
        for player in (0, 1):
            assert bytes(state.world(player, Stream(8))) == bytes(same.world(player, Stream(8)))
    assert rejection.sampler(game).compiled and not rejection.sampler(plain).compiled
