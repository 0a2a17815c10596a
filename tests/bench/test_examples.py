"""The examples: the game of the README, and the lessons, each run as a reader would."""

from __future__ import annotations

import random
import runpy
from pathlib import Path

import pytest

from playout import Game, Settings, Stream, load
from tests.games.perft import leaf_counts

FOLDER = Path(__file__).parents[2] / "examples"
GAME = load(str(FOLDER / "connect_four.py"))


def test_the_plain_game_is_short_and_needs_no_compiler():
    lines = (FOLDER / "connect_four.py").read_text().splitlines()
    assert 40 <= len(lines) <= 60 and max(map(len, lines)) <= 100
    assert "numba" not in "\n".join(lines)


def test_leaf_counts():
    assert leaf_counts(GAME, 4) == [7, 49, 343, 2401]


def test_agrees_with_the_bundled_game_on_random_games():
    draws, bundled = random.Random(4), load("connect-four")
    ends = set()
    for _ in range(60):
        ours, theirs = GAME.start(), bundled.start()
        while not ours.over:
            assert (ours.legal, ours.mover, ours.returns) == (theirs.legal, theirs.mover, theirs.returns)
            assert ours.draw() == theirs.draw()
            action = draws.choice(ours.legal)
            assert ours.name(action) == theirs.name(action)
            ours, theirs = ours.play(action), theirs.play(action)
        assert theirs.over and ours.returns == theirs.returns
        ends.add(ours.returns)
    assert ends >= {(1, -1), (-1, 1)}


def test_a_full_board_is_a_draw():
    state = GAME.start().replay("edgabeffbbfabgabffbaegdcggaegfcaececccdddd")
    assert state.over and state.returns == (0, 0) and "." not in state.draw()


@pytest.mark.parametrize(
    ("lesson", "simulations"),
    [
        ("first_search", 500),
        ("keep_the_tree", 300),
        ("your_own_game", 300),
        ("evaluate_with_numpy", 200),
        ("zobrist_key", 300),
        ("connect_four_objects", 40),
        ("search_real_numbers", 60),
    ],
)
def test_lessons_run(lesson: str, simulations: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    uncompiled(monkeypatch)
    names = runpy.run_path(str(FOLDER / f"{lesson}.py"))
    assert names["main"](simulations) is not None
    assert capsys.readouterr().out.strip()


@pytest.mark.compiles
def test_the_lesson_on_learning_runs(capsys: pytest.CaptureFixture[str]):
    names = runpy.run_path(str(FOLDER / "learn_and_check.py"))
    assert names["main"](20_000) == [0, 0]
    assert "learned" in capsys.readouterr().out


def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lessons search a few hundred simulations here, so compiling would be most of the time."""
    from playout.planner import search as module

    plain = module.Search.__init__

    def init(self: module.Search, game: Game | str, settings: Settings | None = None, **words: object) -> None:
        plain(self, game, settings, **{**words, "compiled": False})  # type: ignore[arg-type]

    monkeypatch.setattr(module.Search, "__init__", init)


def test_worlds_of_the_hidden_game_remember_what_was_shown():
    """A player who could not beat a card holds none above it in any world, and worlds look to their player as the truth does."""
    game, remembered = load(str(FOLDER / "beat_it.py")), 0
    for seed in range(30):
        state, draws = game.start(seed), Stream(seed)
        while not state.over:
            for player in range(2):
                world = state.world(player, draws)
                assert world.observed(player) == state.observed(player)
                held = [card for card in range(12) if world.fields.place[card] == 3 - player]
                assert len(held) == sum(state.fields.place[card] == 3 - player for card in range(12))
                assert all(card < state.fields.ceiling[1 - player] for card in held)
                remembered += state.fields.ceiling[1 - player] < 12
            state = state.play(state.random(draws))
        assert sum(state.returns) == 0
    assert remembered > 50
