"""The update rules against numbers worked out by hand, those of docs/learning.md among them."""

from __future__ import annotations

import numpy as np
import pytest

from playout.game.game import Game
from playout.game.load import load
from playout.learning import Learner, from_preset
from playout.learning.learner import fitted
from tests.learning.games import corridor, forked

LR, G = 0.05, 0.95


def learned(game: Game, episodes: int, compiled: bool = False, **words: object) -> Learner:
    made = fitted(game, from_preset(**{"lr": str(LR), "discount": G, "epsilon": "0", **words}), episodes)  # type: ignore[arg-type]
    learner = Learner(game, made, compiled=compiled)
    learner.run(episodes)
    return learner


def by_key(learner: Learner) -> list[tuple[float, int]]:
    return [(float(e["value"]), int(e["count"])) for e in learner.contents()]


def test_backward_hands_the_updated_value_back() -> None:
    values = [value for value, _ in by_key(learned(corridor(3), 1, rule="backward"))]
    # From the last state to the first: (lr g), (lr g)^2, (lr g)^3.
    assert values == pytest.approx([0.0475**3, 0.0475**2, 0.0475], rel=1e-6)


def test_every_visit_learns_from_the_true_return() -> None:
    values = [value for value, _ in by_key(learned(corridor(3), 1, rule="every-visit"))]
    assert values == pytest.approx([LR * G**3, LR * G**2, LR * G], rel=1e-6)


def test_a_second_episode_starts_with_an_empty_memory() -> None:
    entries = by_key(learned(corridor(3), 2, rule="every-visit"))
    assert [count for _, count in entries] == [2, 2, 2]
    assert entries[2][0] == pytest.approx(LR * G + LR * (G - LR * G), rel=1e-6)


def test_rewards_on_the_way_count_from_where_they_come() -> None:
    # Returns grow by 2, 0 and 3: the return of the first step is g(2 + g(0 + g 3)).
    values = [value for value, _ in by_key(learned(corridor(3, (2.0, 0.0, 3.0)), 1, rule="every-visit"))]
    assert values == pytest.approx([LR * G * (2 + G * (0 + G * 3)), LR * G * (0 + G * 3), LR * G * 3], rel=1e-6)


def test_first_visit_counts_a_repeated_state_once() -> None:
    # Places 1 and 3 share a key (the state at the end has no legal action, so it is told apart): length 4, keys 1, 0, 1 and 0.
    every = by_key(learned(corridor(4, keys=2), 1, rule="every-visit"))
    first = by_key(learned(corridor(4, keys=2), 1, rule="first-visit"))
    assert sorted(count for _, count in every) == [1, 1, 2]
    assert sorted(count for _, count in first) == [1, 1, 1]
    assert max(value for value, _ in first) == pytest.approx(LR * G, rel=1e-6)
    assert min(value for value, _ in first) == pytest.approx(LR * G**4, rel=1e-6)


def test_lambda_spans_from_the_next_value_to_the_whole_return() -> None:
    whole = learned(corridor(4), 30, rule="td-lambda", trace=1.0)
    returns = learned(corridor(4), 30, rule="every-visit")
    assert whole.contents().tobytes() == returns.contents().tobytes()
    # With lambda 0 the first episode moves the last value alone, the second the one before it by lr g V.
    values = [value for value, _ in by_key(learned(corridor(3), 2, rule="td-lambda", trace=0.0))]
    last = LR * G
    assert values == pytest.approx([0.0, LR * G * last, last + LR * (G - last)], rel=1e-6)
    blend = [value for value, _ in by_key(learned(corridor(3), 1, rule="td-lambda", trace=0.8))]
    assert blend == pytest.approx([0.027436, 0.0361, 0.0475], rel=1e-6)
    half = [value for value, _ in by_key(learned(corridor(2), 1, rule="td-lambda", trace=0.5))]
    assert half == pytest.approx([LR * G * 0.5 * G, LR * G], rel=1e-6)


def test_one_over_n_is_the_mean() -> None:
    entries = by_key(learned(corridor(1, (3.0,)), 7, lr="1/n"))
    assert entries == [(pytest.approx(3 * G, rel=1e-6), 7)]
    # A floor keeps it moving: steps 1, 1/2 and then 0.5 for ever.
    assert by_key(learned(corridor(1, (3.0,)), 7, lr="1/n:0.5")) == [(pytest.approx(3 * G, rel=1e-6), 7)]


def test_schedules_run_over_the_horizon() -> None:
    # Steps 1.0 and 0.5 of a linear schedule over two episodes: G and then G again.
    learner = learned(corridor(1), 2, lr="linear:1.0:0.0001")
    assert by_key(learner) == [(pytest.approx(G, rel=1e-6), 2)]
    exponential = learned(corridor(1), 3, lr="exponential:0.9:0.1")
    steps = [0.9, 0.9 * (0.1 / 0.9) ** (1 / 3), 0.9 * (0.1 / 0.9) ** (2 / 3)]
    value = 0.0
    for step in steps:
        value += step * (G - value)
    assert by_key(exponential)[0][0] == pytest.approx(value, rel=1e-6)


def test_states_that_share_a_key_are_told_apart() -> None:
    learner = learned(forked(), 200, epsilon="0.5")
    assert learner.counts["collisions"] > 0
    assert learner.rate(forked().start())[1][0] > 0.5 > 0 > learner.rate(forked().start())[0][0]


def test_optimism_is_what_the_unseen_is_worth() -> None:
    learner = learned(corridor(1), 0, optimism=0.7)
    assert learner.rate(corridor(1).start()) == {0: (pytest.approx(0.7), 0)}


@pytest.mark.compiles
def test_ties_go_to_the_first_where_asked() -> None:
    first = learned(load("tic-tac-toe"), 1, ties="first", symmetry="off", compiled=True)
    rated = first.rate(first.game.start())
    assert [action for action, (_, count) in rated.items() if count] == [0]


@pytest.mark.compiles
@pytest.mark.parametrize("words", [{}, {"rule": "td-lambda"}, {"rule": "backward", "opponent": "random", "symmetry": "off"}])
def test_compiled_is_uncompiled(words: dict[str, str]) -> None:
    game = load("tic-tac-toe")
    plain, machine = (learned(game, 25, compiled=c, epsilon="0.3", **words) for c in (False, True))
    assert plain.contents().tobytes() == machine.contents().tobytes()
    assert plain.entries > 50


@pytest.mark.compiles
def test_where_it_stops_in_between_makes_no_difference() -> None:
    game = load("tic-tac-toe")
    for words in ({}, {"opponent": "past", "refresh": 300, "past": 2}, {"opponent": "random"}):
        made = fitted(game, from_preset(**words), 2000)  # type: ignore[arg-type]
        once, often = Learner(game, made), Learner(game, made)
        once.run(2000)
        for stop in (1, 299, 300, 301, 1000, 2000):
            often.run(stop)
        assert once.contents().tobytes() == often.contents().tobytes()


@pytest.mark.compiles
def test_seats_alternate_against_others() -> None:
    game = load("tic-tac-toe")
    learner = Learner(game, fitted(game, from_preset(opponent="random", epsilon="1"), 1000))
    learner.run(1000)
    players = learner.contents()["check"] & 7
    moved = learner.contents()["count"]
    by_player = [int(moved[players == p].sum()) for p in (0, 1)]
    # 500 games as each: the first player has a little more decisions in a game.
    assert 1.0 < by_player[0] / by_player[1] < 1.6


def test_both_players_learn_their_own_reward() -> None:
    game = load("nim:heaps=1")
    learner = Learner(game, fitted(game, from_preset(lr="1", discount=1.0), 1), compiled=False)
    learner.run(1)
    assert learner.rate(game.start()) == {0: (1.0, 1)}
    lost = load("nim:heaps=2,misere=true")
    learner = Learner(lost, fitted(lost, from_preset(lr="1", discount=1.0, epsilon="0.5"), 50), compiled=False)
    learner.run(50)
    values = {lost.start().name(a): v for a, (v, _) in learner.rate(lost.start()).items()}
    assert values == {"1 from heap A": 1.0, "2 from heap A": -1.0}


@pytest.mark.compiles
def test_the_table_grows_and_stays_within_32_bytes() -> None:
    game = load("mnk:m=7,n=7,k=4")
    learner = Learner(game, fitted(game, from_preset(epsilon="1", symmetry="off"), 4000))
    checked = 0
    for stop in range(200, 4001, 200):
        learner.run(stop)
        if learner.entries > 1000:
            assert learner.bytes / learner.entries <= 32
            checked += 1
    assert checked > 10 and learner.entries > 10_000
    assert len(np.unique(learner.contents()["key"])) == learner.entries


@pytest.mark.compiles
def test_a_full_table_goes_on_without_new_states() -> None:
    game = load("mnk:m=7,n=7,k=4")
    learner = Learner(game, fitted(game, from_preset(epsilon="1", memory=1), 20_000))
    learner.run(20_000)
    assert learner.bytes <= 1_000_000 and learner.counts["dropped"] > 0


def test_a_state_that_both_players_reach_is_no_collision() -> None:
    """In Kalah a player may act again, so a state has a value for either; these share its key, and are no accident."""
    game = load("kalah:houses=3,seeds=2")
    learner = Learner(game, fitted(game, from_preset("best"), 60), compiled=False)
    learner.run(60)
    entries = learner.contents()
    assert len(set(entries["key"].tolist())) < len(entries)
    assert learner.counts["collisions"] == 0
