"""Self-play: what rows hold, known answers, the same bits for the same seed and after an interruption, any game."""

from __future__ import annotations

import io

import numpy as np
import pytest

from playout.errors import PlayoutError
from playout.game.load import load
from playout.learning.network.searching import Together
from playout.learning.network.selfplay import SelfPlay, check_game
from playout.learning.network.settings import NetworkSettings, settings_of


def by_bytes(game):
    """An evaluator whose answers depend on the state alone, and look like nothing in particular."""

    def asked(states):
        raw = states.view(np.uint8).reshape(len(states), -1).astype(np.float64)
        words = raw @ np.arange(1, raw.shape[1] + 1)
        priors = 1.5 + np.sin(words[:, None] * (1 + np.arange(game.actions)))
        return priors, np.cos(words[:, None] + np.arange(game.players))

    return asked


def played(spec, decisions=24, *, split=0, seed=3, **words):
    game = load(spec)
    settings = NetworkSettings(**{"abreast": 4, "simulations": 6, "opening": 2, **words})
    play = SelfPlay(game, by_bytes(game), settings, seed, compiled=False)
    rows = [play.play(decisions)]
    for _ in range(split):
        packed = np.load(io.BytesIO(play.pack()))
        play = SelfPlay(game, by_bytes(game), settings, seed, compiled=False)
        play.unpack(packed)
        rows.append(play.play(decisions))
    return play, np.concatenate(rows)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("tic-tac-toe", {}),
        ("tic-tac-toe", {"root": "puct", "goal": "visits", "keep": True}),
        ("pig:target=10", {"keep": True}),
        ("kuhn-poker", {"root": "puct"}),
        ("treasure", {}),
    ],
)
def test_rows_of_any_game(spec, words):
    """Two players, one, chance, hidden cards: shares are shares of the legal actions, and every row knows how its game ended."""
    play, rows = played(spec, 40, **words)
    assert play.finished and len(rows) and play.decided >= 40
    game = load(spec)
    for row in rows:
        count = row["count"]
        assert 1 <= count <= game.most_legal and np.isclose(row["shares"][:count].sum(), 1, atol=1e-5)
        assert (row["shares"][count:] == 0).all() and np.isfinite(row["returns"]).all() and np.isfinite(row["values"]).all()
        assert 0 <= row["mover"] < game.players and row["left"] >= (count > 1)
    if game.players == 2 and game.returns_range is not None:
        assert np.allclose(rows["returns"].sum(axis=1), sum(game.returns_range), atol=1e-6)


def test_what_was_forced_is_learned_with_what_the_next_search_thought():
    """In Pig a turn begins with a roll, which nobody decides; a search asks about it after every hold, so a network has to know it."""
    play, rows = played("pig:target=10", 40)
    begun = rows["state"]["turn"] == 0
    assert begun.any() and ((rows["count"] == 1) == begun).all(), "the start of every turn, and nothing else, is forced"
    assert (
        (rows["ids"][begun, 0] == 0).all() and (rows["shares"][begun, 0] == 1).all() and (rows["count"] > 1).sum() <= play.decided
    )
    for place in np.flatnonzero(begun):
        behind = place + 1 < len(rows) and rows["left"][place] > 0
        assert np.array_equal(rows["values"][place], rows["values" if behind else "returns"][place + behind])
    assert (rows["left"][begun] == np.append(rows["left"], 0)[np.flatnonzero(begun) + 1])[rows["left"][begun] > 0].all()


def test_the_same_bits_for_a_seed_and_after_an_interruption():
    for words in ({}, {"root": "puct", "keep": True}):
        _, whole = played("tic-tac-toe", 16, split=2, **words)
        _, again = played("tic-tac-toe", 16, split=2, **words)
        other_play, other = played("tic-tac-toe", 16, split=2, seed=4, **words)
        assert whole.tobytes() == again.tobytes() != other.tobytes()
        game, settings = other_play.game, other_play.settings
        undisturbed = SelfPlay(game, by_bytes(game), settings, 4, compiled=False)
        assert np.concatenate([undisturbed.play(16) for _ in range(3)]).tobytes() == other.tobytes()


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_a_win_that_is_there_is_taken_and_learned(root):
    """X has two in a row: the search finds the third, the policy learns it, and the value is that of a proven win."""
    game = load("tic-tac-toe")
    state = game.start().replay(["a1", "b1", "a2", "b2"])
    together = Together(game, lambda states: (None, np.zeros((len(states), 2))), 16, root=root, compiled=False)
    found = together.run([together.plant(state, 1, 0)])
    assert found.chosen.tolist() == [state.find("a3")] and found.proven.tolist() == [True]
    assert found.shares[0, found.best[0]] > 0.99 and found.values.tolist() == [[1, -1]]


def test_trees_side_by_side_are_as_they_are_alone():
    game = load("connect-four:columns=4,rows=4")
    states = [game.start().replay(moves.split()) for moves in ("", "a", "b c", "d d d")]

    def lessons(groups):
        together = Together(game, by_bytes(game), 12, root="gumbel", compiled=False)
        return [together.run([together.plant(states[i], 7, i) for i in group]) for group in groups]

    (one,), alone = lessons([[0, 1, 2, 3]]), lessons([[0], [1], [2], [3]])
    for name in one._fields:
        assert getattr(one, name).tobytes() == np.concatenate([getattr(other, name) for other in alone]).tobytes(), name


@pytest.mark.compiles
@pytest.mark.parametrize("spec", ["tic-tac-toe"])
def test_rows_and_single_trees_play_the_same_games(spec, monkeypatch):
    """Compiled in rows, and uncompiled tree by tree; also with so little room that trees outgrow their rows, and in halves."""
    game, found = load(spec), []
    monkeypatch.setattr("playout.planner.orchard.LEAST", 2)
    for compiled, simulations in ((False, 8), (True, 8), (False, 250), (True, 250)):
        settings = NetworkSettings(abreast=6, simulations=simulations, opening=2)
        if simulations == 250:
            monkeypatch.setattr("playout.planner.orchard.MOST_BYTES", 1)
        play = SelfPlay(game, by_bytes(game), settings, 5, compiled=compiled)
        assert type(play._stand).__name__ == ("InRows" if compiled else "OneByOne")
        found.append(np.concatenate([play.play(12), play.play(12)]).tobytes())
        if compiled and simulations == 250:
            assert any(tree is not None and tree.used > play._stand.orchard.slots for tree in play._stand.orchard.trees)
    assert found[0] == found[1] != found[2] == found[3]


@pytest.mark.parametrize("noise", [0.0, 0.25, 1.0])
def test_noise_at_the_root_is_searched_and_not_learned(noise):
    """Where values tell nothing, the policy learns what it was."""
    game, priors = load("tic-tac-toe"), np.array([0.9] + [0.0125] * 8)
    settings = NetworkSettings(abreast=16, simulations=8, root="puct", noise=noise, strange=0.0)
    play = SelfPlay(
        game, lambda states: (np.tile(priors, (len(states), 1)), np.zeros((len(states), 2))), settings, 1, compiled=False
    )
    rows = play.play(16 * 9)
    first = rows[[row.tobytes() == game.start().copy_array().tobytes() for row in rows["state"]]]
    assert len(first) > 10 and first["shares"][:, 0] == pytest.approx(0.9, abs=1e-3)


@pytest.mark.parametrize("temperature", [0.001, 0.1])
def test_a_low_temperature_draws_the_best(temperature):
    settings = NetworkSettings(abreast=1, temperature=temperature)
    play = SelfPlay(load("tic-tac-toe"), by_bytes(load("tic-tac-toe")), settings, 1, compiled=False)
    found = []
    for number in range(40):
        play.numbers[0] = number
        found.append(int(play._drawn(np.array([0]), np.array([[0.35, 0.45, 0.2]], np.float32), np.array([3]))[0]))
    assert np.mean(np.array(found) == 1) > 0.8 and 2 not in found


def test_a_failing_evaluator_is_told_and_nothing_waits():
    game = load("tic-tac-toe")
    play = SelfPlay(game, lambda states: (None, np.full((len(states), 2), np.nan)), NetworkSettings(abreast=2), compiled=False)
    with pytest.raises(PlayoutError, match="the evaluator's values hold nan; every number must be finite"):
        play.play(2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"simulations": 1}, "simulations is 1; it must be from 2 to 1e+06"),
        ({"root": "gumble"}, "root is 'gumble'; did you mean 'gumbel'?"),
        ({"rate": 0.0}, "rate is 0; it must be from 1e-09 to 1"),
        ({"sims": 3}, "learning a network has no option 'sims'"),
        ({"abreast": "many"}, "option abreast='many' does not fit: Expected `int`, got `str`"),
    ],
)
def test_wrong_settings_are_told(words, said):
    with pytest.raises(PlayoutError) as error:
        settings_of(words)
    assert said in str(error.value)


def test_games_that_cannot_be_learned_so():
    with pytest.raises(PlayoutError, match="'loss-1d' has real-valued actions"):
        check_game(load("loss-1d"))
