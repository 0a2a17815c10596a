"""`playout play` with its input from a pipe: the person's words, undo, hints, watching, the JSON of a game."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import playout
from playout.cli.terminal import packed
from tests.cli.conftest import Cli

FOUR = Path(__file__).parents[2] / "examples" / "connect_four.py"
PLAY = ("play", "tic-tac-toe", "--agent", "random", "--seed", "1")


def test_a_whole_game_against_random(cli: Cli) -> None:
    moves = "\n".join(str(a) for a in range(9)) + "\n"
    ran = cli(*PLAY, typed=moves * 3)
    assert ran.code == 0 and "player 0: person" in ran.out and "player 1: random" in ran.out
    assert "the game is over after" in ran.out and "won" in ran.out


def test_end_of_input_is_polite(cli: Cli) -> None:
    ran = cli(*PLAY, typed="b2\n")
    assert ran.code == 0 and ran.out.endswith("left after 2 actions; the game is not finished\n")
    assert cli(*PLAY, typed="quit\n").out.endswith("left after 0 actions; the game is not finished\n")


def test_illegal_input_is_explained_and_asked_again(cli: Cli) -> None:
    out = cli(*PLAY, typed="z9\n\n99\nb2\n").out
    assert "'z9' is not a legal action of tic-tac-toe here; legal: a1, b1, c1, a2, b2, c2, a3, b3, c3" in out
    assert "'99' is not a legal action of tic-tac-toe here" in out
    assert "type an action by name or id; for example a1, b1" in out and "player 0 plays b2" in out


def test_undo_goes_back_to_the_last_decision(cli: Cli) -> None:
    ran = cli(*PLAY, "--json", typed="undo\nb2\nundo\na1\n")
    assert "there is no decision of yours to take back yet" in ran.err and "took back 2 actions" in ran.err
    data = json.loads(ran.out)
    assert data["names"][0] == "a1" and len(data["moves"]) == 2


@pytest.mark.compiles
def test_undo_with_a_search_that_keeps_its_tree(cli: Cli) -> None:
    ran = cli("play", "tic-tac-toe", "--agent", "uct:simulations=300", "--json", typed="a1\nundo\nb2\nundo\na3\n")
    data = json.loads(ran.out)
    assert data["names"][0] == "a3" and data["movers"] == [0, 1] and not data["finished"]


@pytest.mark.compiles
def test_hint_moves_draw_help(cli: Cli) -> None:
    out = cli(*PLAY, typed="hint\nmoves\ndraw\nhelp\nsave\n").out
    assert "looks best." in out and "*  " in out and "a1 (0)  b1 (1)" in out and out.count("3 . . .") == 2
    assert "undo   go back to your last decision" in out and "say where to: save FILE" in out


def test_save_and_go_on(cli: Cli, tmp_path: Path) -> None:
    file, kept = tmp_path / "position.json", tmp_path / "kept.json"
    ran = cli(*PLAY, "--save", str(kept), typed=f"b2\nsave {file}\nsave {tmp_path}/no/where\n")
    assert f"saved: {file}" in ran.out and "cannot be written" in ran.out
    assert file.read_text() == kept.read_text()
    assert "2 . X ." in cli(*PLAY, "--state", str(file)).out


@pytest.mark.compiles
def test_watching_gives_the_same_game_for_the_same_seed(cli: Cli) -> None:
    words = ("play", "tic-tac-toe", "--watch", "--agent", "uct:simulations=200", "--agent", "random", "--seed", "3", "--json")
    data = cli(*words).data
    assert data["finished"] and data["agents"] == ["uct:simulations=200", "random"]
    assert data["moves"] == cli(*words).data["moves"]
    end = playout.load(data["game"]).start(data["seed"]).replay(data["moves"])
    assert end.returns == tuple(data["returns"]) and json.loads(end.to_json()) == data["state"]


def test_one_agent_for_all_seats_and_moves_first(cli: Cli) -> None:
    data = cli("play", "tic-tac-toe", "--watch", "--agent", "random", "--moves", "b2 a1", "--json").data
    assert data["agents"] == ["random", "random"] and data["names"][:2] == ["b2", "a1"] and data["finished"]


def test_two_persons_and_the_other_seat(cli: Cli) -> None:
    ran = cli("play", "tic-tac-toe", "--agent", "person", "--json", typed="a1\nb1\na2\nb2\na3\n")
    assert ran.data["returns"] == [1.0, -1.0] and ran.data["agents"] == ["person", "person"]
    out = cli(*PLAY, "--as", "1", typed="quit\n").out
    assert "player 1: person" in out and "player 0 plays" in out


SOLO = """'''Count to ten.'''
import numpy as np
from playout import below
players, actions = 1, 2
State = np.dtype([("n", np.int16), ("die", np.int8)])
def start(state, rng): pass
def legal(state, out):
    out[0], out[1] = 0, 1
    return 2
def play(state, action, rng):
    state.die = 1 + below(rng, 6)
    state.n += state.die
def mover(state): return -1 if state.n >= 10 else 0
def returns(state, out): out[0] = state.n
def draw(state): return f"die {state.die}, sum {state.n}"
"""


def test_a_game_for_one_with_chance_is_redrawn(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "solo.py"
    file.write_text(SOLO)
    ran = cli("play", str(file), "--json", typed="0\n" * 10)
    assert ran.data["finished"] and ran.data["returns"][0] >= 10 and ran.err.count("die ") == len(ran.data["moves"]) + 1
    assert (
        "1 agents are given with --agent, but solo has no seat for them; give none"
        in cli("play", str(file), "--agent", "uct").err
    )


@pytest.mark.compiles
def test_hints_with_hidden_cards_tell_of_worlds(cli: Cli) -> None:
    out = cli("play", "kuhn-poker", "--seed", "2", typed="hint\n").out
    assert "worlds: 10,000 sampled by the search" in out and "survey: 40 further worlds" in out and "mind:   " in out


def test_a_deck_that_is_laid_out(cli: Cli) -> None:
    for words in (("scoundrel", "--deck", "9S 5H 5D 3S 2C"), ("scoundrel:deck=2C-3S-5D-5H-9S", "--deck", "9S,5H,5D,3S,2C")):
        ran = cli("play", *words, "--watch", "--agent", "random", "--json")
        data = json.loads(ran.out)
        assert data["game"] == f"scoundrel:deck={data['start']['parameters']['deck']},order=9S-5H-5D-3S-2C"
        assert data["start"]["state"]["room"] == [25, 53, 37, 19] and data["start"]["state"]["dungeon"] == [2, 0, 0, 0, 0]
    # The one who plays does not see the card below.
    out = cli("play", "scoundrel", "--deck", "9S-5H-5D-3S-2C", typed="quit\n").out
    assert "9♠" in out and "1 unknown" in out and "2♣" not in out and "2C" not in out


def test_a_continuous_game(cli: Cli) -> None:
    """`moves` tells the box, a word that is no vector is explained, and the game goes on to its payoffs."""
    ran = cli("play", "loss-1d", "--agent", "random", typed="moves\nfar\n9\n0.5\n")
    assert ran.code == 0, ran.err
    for words in (
        "one number: -5 to 5\n",
        "'far' is not an action of loss-1d; give one number, as in 0.5\n",
        "9 (component 0) is outside -5 to 5, the box of loss-1d at stage 0; choose a number inside\n",
        "stage 0  player 0: 0.5\n",
        "the game is over after 3 actions\n",
    ):
        assert words in ran.out
    sphere = cli("play", "quantum-line", "--agent", "random", typed="moves\nquit\n")
    assert "10 numbers of length 1 together, as in 0.5,0.5,0.5,...\n" in sphere.out


@pytest.mark.compiles
def test_watching_a_continuous_game(cli: Cli) -> None:
    data = cli("play", "loss-1d", "--watch", "--agent", "uct:simulations=400", "--json").data
    assert data["finished"] and [move[0] for move in data["moves"]] == pytest.approx([-0.2273, 2.3603, -1.3122], abs=0.01)


def test_agents_are_seeded_as_in_the_arena() -> None:
    """With seed + player, agents of neighbouring seeds were the same, and could be worked out from the seed of the deal."""
    from playout import load
    from playout.arena.schedule import Fixture
    from playout.cli.play import seated

    game = load("tic-tac-toe")
    agents = seated(game, ["uct:simulations=10"], None, True, 7)
    seeds = [agent.search.settings.seed for agent in agents]  # type: ignore[attr-defined]
    assert seeds == [Fixture(0, 0, 7, (0, 1)).agent_seed(seat) for seat in (0, 1)]


def test_names_at_the_table_and_in_the_games_list(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "four.py"
    file.write_text(FOUR.read_text(encoding="utf-8") + '\nplayer_names = ("Red", "Yellow")\n', encoding="utf-8")
    ran = cli("play", str(file), "--agent", "random", "--json", typed="d\n")
    assert "Red: person" in ran.err and "Yellow: random" in ran.err and "Red, your action, or help: " in ran.err
    assert "Red plays d" in ran.err and "player 0" not in ran.err and ran.data["player_names"] == ["Red", "Yellow"]
    ended = cli("play", str(file), "--watch", "--agent", "random").out.splitlines()
    assert [line[:10].rstrip() for line in ended[-2:]] == ["  Red", "  Yellow"]
    assert cli("games", str(file), "--json").data["player_names"] == ["Red", "Yellow"]
    assert "Red to act: a, b, c" in cli("games", str(file)).out


def test_a_person_with_one_legal_action_sees_it_played(cli: Cli) -> None:
    """Nobody is asked, and undo goes back to the last decision there was, not to that."""
    words = ("play", "tic-tac-toe", "--agent", "person", "--moves", "a1 b1 a2 b2 c1 c2 b3", "--json")
    ran = cli(*words, typed="a3\n")
    assert "player 1 plays a3\n" in ran.err and "player 0 plays c3   (the only legal action)" in ran.err
    assert ran.data["finished"] and ran.data["moves"][-2:] == [6, 8]
    nim = ("play", "nim:heaps=1-2", "--agent", "person")
    out = cli(*nim, typed="1 from heap B\n1 from heap A\n").out
    assert "player 0 plays 1 from heap B   (the only legal action)" in out and "the game is over after 3 actions" in out


def test_own_words_for_the_only_action_are_not_for_others(cli: Cli) -> None:
    """In a game that hides cards the mover is told that it had no choice, the other person that a card was played."""
    ran = cli("play", "knockout-whist:cards=1", "--agent", "person", "--seed", "3", typed="\n\n\n")
    first, second = ran.out.split("looks now, and nobody else")[:2]
    assert "(the only legal action)" in first and "player 0 plays" in second
    assert "player 0 plays" in second and second.count("(the only legal action)") == 1
    assert "player 1 plays" in second.partition("(the only legal action)")[0]


def test_moves_from_a_file_by_name_or_id(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("# the middle first\nb2\n\n0   # a1\n\tc3\n", encoding="utf-8")
    words = ("play", "tic-tac-toe", "--agent", "random", "--moves", f"@{file}")
    assert "3 . . X\n2 . X .\n1 O . ." in cli(*words, typed="quit\n").out
    file.write_text("b2\n\na1\nb2\n", encoding="utf-8")
    ran = cli(*words)
    legal = "legal: b1, c1, a2, c2, a3, b3, c3"
    assert (
        ran.code == 2
        and ran.err == f"playout: moves file {str(file)!r}, line 4: 'b2' is not a legal action of tic-tac-toe here; {legal}\n"
    )


def test_moves_from_what_play_printed_begin_where_that_game_did(cli: Cli, tmp_path: Path) -> None:
    """Dice and all: the seed of the command does not matter."""
    file = tmp_path / "game.json"
    words = ("play", "pig:target=15", "--watch", "--agent", "random", "--json")
    data = cli(*words, "--seed", "5").data
    file.write_text(json.dumps({**data, "moves": data["moves"][:-1]}), encoding="utf-8")
    again = cli(*words, "--moves", f"@{file}", "--seed", "9").data
    assert again["moves"][: len(data["moves"]) - 1] == data["moves"][:-1] and again["start"] == data["start"]
    assert playout.load("pig:target=15").load_state(json.dumps(data["start"])).replay(data["moves"]).returns == tuple(
        data["returns"]
    )
    file.write_text(json.dumps({**data, "moves": [*data["moves"][:-1], 7]}), encoding="utf-8")
    ran = cli(*words, "--moves", f"@{file}")
    assert ran.code == 2 and f"move {len(data['moves'])}: '7' is not a legal action of pig here" in ran.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "does not exist; write one with an action on each line, by name or id"),
        (
            '{"moves": [',
            "is no JSON (Input data was truncated); give what playout play --json printed, or an action on each line",
        ),
        ('{"told": [], "observation": {}}', "has no list of moves: it is one player's side of a game that is not over; give"),
        ('{"game": "nim"}', "has no list of moves: it is no game that was played; give"),
        ('{"moves": [4], "start": {"game": "nim", "state": {}}}', "the saved state is of nim {}, not of mnk"),
        ('{"moves": [[1], null]}', "move 1: '[1]' is not a legal action of tic-tac-toe here"),
        ("b2\nz9\n", "line 2: 'z9' is not a legal action of tic-tac-toe here"),
    ],
)
def test_a_moves_file_that_is_none_gets_a_sentence(content: str | None, message: str, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "moves"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    ran = cli("search", "tic-tac-toe", "--moves", f"@{file}")
    assert ran.code == 2 and message in ran.err and str(file) in ran.err and ran.err.count("\n") == 1


def test_an_at_without_a_file(cli: Cli) -> None:
    ran = cli("solve", "tic-tac-toe", "--moves", "@ ")
    assert ran.err == "playout: --moves @ names no file; write --moves @FILE, with an action on each line of it\n"


def test_a_position_is_drawn_when_somebody_looks(cli: Cli) -> None:
    """Who sows into the own store goes on: all is said, and drawn when the turn goes over, before a person's choice, and at the end."""
    words = ("play", "kalah:houses=3,seeds=2", "--agent", "random", "--seed", "3")
    watched = cli(*words, "--watch").out
    turns = [line.split()[1] for line in watched.splitlines() if " plays " in line]
    changes = sum(one != two for one, two in pairwise(turns))
    assert watched.count("\n      a   b   c\n") == 2 + changes < 1 + len(turns)
    # "b" ends in the store, so the person is asked again, and sees where it stands.
    played = cli(*words, typed="b\n").out
    assert played.count("\n      a   b   c\n") == 2 and played.count("your action, or help") == 2


def test_names_are_not_broken() -> None:
    assert list(packed(["march 1 > 5", "recruit", "end"], 20)) == ["march 1 > 5  recruit", "end"]
    assert list(packed(["longer than the line"], 5)) == ["longer than the line"] and not list(packed([], 9))
