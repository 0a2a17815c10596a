"""What a game declares in words: the names of its players, wherever people read of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import playout
from playout import Game, GameError
from playout.agents import news
from playout.arena.columns import read_columns
from playout.arena.counting import standings
from playout.arena.experiment import plan
from playout.arena.referee import Referee
from playout.report.arena_page import arena_page
from playout.report.decision_page import headline, page
from tests.game.test_game import NAMES

SOURCE = (Path(__file__).parents[2] / "examples" / "connect_four.py").read_text(encoding="utf-8")


def named(**more: Any) -> Game:
    names: dict[str, Any] = {}
    exec(compile(SOURCE, "named.py", "exec"), names)
    return Game("four", {**names, "player_names": ("Red", "Yellow"), **more})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("Red", "game 'mine': player_names is 'Red'; give a tuple of names, as in player_names = (\"White\", \"Black\")"),
        (("Red",), "game 'mine': player_names has 1 name and the game 2 players; give one name for each"),
        ((), "game 'mine': player_names has 0 names and the game 2 players; give one name for each"),
        (("Red", "Red "), "game 'mine': player_names has 'Red' twice; give each a name of its own"),
        (
            ("Red", " "),
            "game 'mine': player_names[1] is ' '; a name is a text in one line, as in player_names = (\"White\", \"Black\")",
        ),
        (
            ("Red\nBlue", "Yellow"),
            "game 'mine': player_names[0] is 'Red\\nBlue'; a name is a text in one line, as in player_names = (\"White\", \"Black\")",
        ),
        (
            (1, "Yellow"),
            'game \'mine\': player_names[0] is 1; a name is a text in one line, as in player_names = ("White", "Black")',
        ),
    ],
)
def test_wrong_names_get_a_sentence(value: Any, message: str) -> None:
    with pytest.raises(GameError) as refused:
        Game("mine", {**NAMES, "player_names": value})
    assert str(refused.value) == message


def test_without_names_players_are_numbers() -> None:
    game = Game("mine", NAMES)
    assert game.player_names == () and game.player_name(1) == "player 1"
    assert repr(game.start()) == "<state of mine: player 0 to act>"


def test_names_in_states_news_and_decisions() -> None:
    game = named()
    state = game.start()
    assert repr(state) == "<state of four: Red to act>"
    assert news(state, 3, state.play(3), None) == "Red plays d"
    decision = playout.search(state.play(3), simulations=40, compiled=False)
    assert decision.player == "Yellow" and decision.to_dict()["player"] == "Yellow"
    assert decision.summary().startswith("four, Yellow to act: 40 simulations")
    assert headline(decision).startswith(f"Yellow plays {decision.name}")
    text = page([decision], "four")
    assert "worse for Yellow" in text and "mean return for Yellow" in text and "player 0" not in text


def test_names_in_the_arena_and_no_part_of_its_identity() -> None:
    experiment, game, recipes = plan(named(compiled=False), ["random", "random"])
    bare = plan(named(compiled=False, player_names=None), ["random", "random"])[0]
    assert experiment.player_names == ("Red", "Yellow") and experiment.identity == bare.identity
    assert b"player_names" not in bare.encode()
    referee = Referee(game, recipes, experiment.rules)
    records = [referee.play(experiment.schedule.fixture(number)) for number in range(2)]
    found = standings(experiment, read_columns(records, 2))
    assert {side.player for side in found.sides} == {"Red", "Yellow"}
    assert found.to_dict()["player_names"] == ("Red", "Yellow")
    assert "as Yellow" in arena_page(found, "four")
    unnamed = msgspec.structs.replace(found, player_names=())
    assert "as player 1" in arena_page(unnamed, "four")


LAWS = ("at most two moves", "moves are not negative")


def lawful(state: Any) -> int:
    return 1 if state.moves > 2 else 2 if state.moves < 0 else 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"laws": LAWS},
            "game 'mine' declares laws, and nothing that says whether they hold: add def broken(state), which returns 0, or the number of a "
            "broken law from 1 to 2",
        ),
        (
            {"broken": lawful},
            "game 'mine' defines broken, and no laws that it could be about: add laws = (\"name of the first law\", ...)",
        ),
        (
            {"laws": "one", "broken": lawful},
            "game 'mine': laws is 'one'; give a tuple of names, as in laws = (\"the cards are all there\", \"nobody has more than ten\")",
        ),
    ],
)
def test_wrong_laws_get_a_sentence(change: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError) as refused:
        Game("mine", {**NAMES, **change})
    assert str(refused.value) == message


def test_a_state_says_which_law_it_breaks() -> None:
    game = Game("mine", {**NAMES, "laws": LAWS, "broken": lawful})
    assert game.start().broken is None and Game("mine", NAMES).start().broken is None
    assert game.state({"moves": 3}).broken == LAWS[0] and game.state({"moves": -1}).broken == LAWS[1]
    wrong = Game("mine", {**NAMES, "laws": LAWS, "broken": lambda state: 3})
    with pytest.raises(GameError, match="broken returned 3; return 0, or the number of a law from 1 to 2"):
        _ = wrong.start().broken
