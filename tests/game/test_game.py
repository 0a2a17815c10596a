"""The contract: what a game file may say, what is refused and with which words, and what a state can do."""

import json

import numpy as np
import pytest

import playout
from playout import Game, GameError, IllegalAction, PlayoutError
from playout.game.load import bundled, load, parse_spec
from playout.game.record import aligned, field_names, solid

STATE = np.dtype([("moves", np.int8)])


def start(state, rng):
    pass


def legal(state, out):
    out[0] = 0
    return 1


def play(state, action, rng):
    state.moves += 1


def mover(state):
    return -1 if state.moves >= 2 else state.moves


def returns(state, out):
    out[0] = 1.0
    out[1] = -1.0


NAMES = {
    "players": 2,
    "actions": 1,
    "State": STATE,
    "start": start,
    "legal": legal,
    "play": play,
    "mover": mover,
    "returns": returns,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": 9}, "game 'mine': players is 9; it must be a whole number from 1 to 8"),
        ({"players": 0}, "game 'mine': players is 0; it must be a whole number from 1 to 8"),
        ({"actions": 65_537}, "game 'mine': actions is 65537; it must be a whole number from 1 to 65,536"),
        ({"actions": 1.5}, "game 'mine': actions is 1.5; it must be a whole number from 1 to 65,536"),
        ({"legal": None}, "game 'mine' defines no legal; add def legal(state, out)"),
        (
            {"play": lambda state, rng, action: None},
            "game 'mine': play takes (state, rng, action) but is called with (state, action, rng), in that order; write def play(state, "
            "action, rng)",
        ),
        (
            {"play": lambda state, action: None},
            "game 'mine': play takes 2 arguments but is called with (state, action, rng); write def play(state, action, rng)",
        ),
        ({"mover": 3}, "game 'mine': mover is 3; it must be a plain function, def mover(state)"),
        (
            {"returns_range": (1, -1)},
            "game 'mine': returns_range is (1, -1); give the lowest and the highest return, as in (-1, 1)",
        ),
        (
            {"State": np.dtype([("cards", object)])},
            "game 'mine': State field 'cards' has type object; a state holds only fixed-size numbers",
        ),
        (
            {"State": np.dtype([("name", "U8")])},
            "game 'mine': State field 'name' has type <U8; a state holds only fixed-size numbers",
        ),
        ({"State": np.dtype(np.int8)}, "game 'mine': State is dtype('int8'); a state is one NumPy record"),
        ({"State": np.dtype([("big", np.int8, 70_000)])}, "game 'mine': State takes 70,000 bytes; at most 65,536 are allowed"),
        ({"State": np.dtype([("x", ">i4")])}, "game 'mine': State field 'x' is byte-swapped (>i4); use the native byte order"),
        ({"leagl": legal}, "game 'mine' was given 'leagl', which is no part of a game; did you mean 'legal'"),
    ],
)
def test_a_wrong_game_gets_a_sentence(change, message):
    with pytest.raises(GameError) as caught:
        Game("mine", **{**NAMES, **change})
    assert str(caught.value).startswith(message)


def test_extremes_are_allowed():
    wide = np.dtype([("big", np.int8, 65_536)])
    game = Game("mine", **{**NAMES, "players": 8, "actions": 65_536, "State": wide, "mover": lambda state: 0})
    assert game.start().mover == 0 and game.most_legal == 65_536


def test_a_namespace_or_a_class_is_a_game_too():
    assert Game("mine", NAMES).start().play(0).play(0).returns == (1.0, -1.0)
    assert playout.load(NAMES).start().mover == 0
    namespace = type("Mine", (), {k: staticmethod(v) if callable(v) else v for k, v in NAMES.items()})
    assert Game("mine", vars(namespace)).start().play(0).mover == 1


def test_states_are_values():
    game = playout.load("tic-tac-toe")
    first = game.start(1)
    second = first.play("b2")
    assert first.legal != second.legal and len(first.legal) == 9 and len(second.legal) == 8
    assert second == first.play("b2") and hash(second) == hash(first.play(4)) and second != first
    with pytest.raises((ValueError, AttributeError)):
        second._array[0] = 0
    second.fields.moves = 7
    assert second == first.play("b2")


def test_actions_by_id_and_by_name():
    state = playout.load("tic-tac-toe").start()
    assert state.play("B2") == state.play("b2") == state.play(4) == state.play("4")
    with pytest.raises(
        IllegalAction, match=r"^'b2' is not a legal action of tic-tac-toe here; legal: a1, b1, c1, a2, c2, a3, b3, c3$"
    ):
        state.play("b2").play("b2")
    with pytest.raises(IllegalAction, match=r"^'99' is not a legal action of tic-tac-toe here"):
        state.play(99)
    with pytest.raises(IllegalAction, match=r"^move 3: 'a1' is not a legal action of tic-tac-toe here"):
        state.replay(["b2", "a1", "a1"])
    over = state.replay(["a1", "a2", "b1", "b2", "c1"])
    with pytest.raises(IllegalAction, match=r"^the game of tic-tac-toe is over: no action is legal, so 'c3' cannot be played$"):
        over.play("c3")
    assert over.legal == () and over.returns == (1.0, -1.0)


@pytest.mark.parametrize("name", sorted(bundled()))
def test_states_survive_json(name):
    state = playout.load(name).start(3)
    stream = playout.Stream(5)
    for _ in range(6):
        if state.over:
            break
        state = state.play(state.random(stream))
    again = state.game.load_state(state.to_json())
    assert again == state and again.word == state.word


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("not json", "that is no saved state"),
        ({"game": "pig"}, "the saved state is of pig"),
        ({"state": {"bord": 1}}, "a state of nim has no field 'bord'; "),
        ({"state": []}, "the saved state is damaged"),
        ({"stream": 0}, "the saved state is damaged"),
    ],
)
def test_damaged_states(change, message):
    game = playout.load("nim")
    text = change if isinstance(change, str) else json.dumps({**json.loads(game.start().to_json()), **change})
    with pytest.raises(PlayoutError) as caught:
        game.load_state(text)
    assert str(caught.value).startswith(message)


def test_unknown_games_and_parameters():
    with pytest.raises(PlayoutError, match=r"^unknown game 'conect-four'; did you mean 'connect-four'"):
        playout.load("conect-four")
    with pytest.raises(PlayoutError, match=r"^game file 'none.py' does not exist"):
        playout.load("none.py")
    with pytest.raises(PlayoutError, match=r"^game 'mnk' has no parameter 'q'; parameters: m, n, k$"):
        playout.load("mnk:q=1")
    with pytest.raises(PlayoutError, match=r"^parameter m='x' is not a valid int; for example m=3$"):
        playout.load("mnk:m=x")
    with pytest.raises(PlayoutError, match=r"^'m' in 'mnk:m' is not of the form name=value"):
        playout.load("mnk:m")
    with pytest.raises(PlayoutError, match=r"^'m' is given twice in 'mnk:m=3,m=4'; give it once$"):
        playout.load("mnk:m=3,m=4")


def test_specs_load_the_same_game_again():
    game = playout.load("mnk:m=7,n=7,k=4")
    assert game.spec == "mnk:m=7,n=7,k=4" and playout.load(game.spec) is game
    assert playout.load("mnk", m=7, n=7, k=4).spec == game.spec
    assert playout.load("gomoku").parameters == {"m": 15, "n": 15, "k": 5}
    assert parse_spec("uct:c=1.4, simulations=10") == ("uct", {"c": "1.4", "simulations": "10"})


def test_a_file_with_an_error_says_where(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("players = 2\nactions = = 3\n")
    with pytest.raises(GameError, match=r"mine.py' has a syntax error in line 2: invalid syntax$"):
        playout.load(str(file))
    file.write_text("players = 2\nactions = 1 / 0\n")
    with pytest.raises(GameError, match=r"mine.py' fails when it is read: ZeroDivisionError: division by zero \(line 2\)$"):
        playout.load(str(file))
    file.write_bytes(b"\x80\x81")
    with pytest.raises(GameError):
        playout.load(str(file))


def test_narrow_integers_count_as_machines_do():
    game = Game(
        "mine",
        **{**NAMES, "State": np.dtype([("moves", np.int8), ("small", np.uint8), ("wide", np.uint64), ("row", np.int8, 3)])},
    )
    fields = game.start().fields
    fields.moves = 100
    assert fields.moves + fields.moves == 200
    fields.moves = 200
    assert fields.moves == -56
    fields.small = -1
    assert fields.small == 255
    fields.wide = 2**64 + 5
    assert fields.wide == 5 and isinstance(fields.wide, np.uint64)
    fields.row[1] = 300
    assert fields.row[1] == 44 and list(fields.row) == [0, 44, 0]
    with pytest.raises(AttributeError, match="the state has no field 'rows'; its fields are moves, small, wide, row"):
        fields.rows  # noqa: B018


def test_a_number_is_an_id_even_where_names_look_like_numbers():
    game = Game(
        "mine", **{**NAMES, "actions": 3, "legal": three, "action_name": lambda state, action: str(2 - action), "play": keep}
    )
    state = game.start()
    assert state.play(2).fields.moves == 3 and state.play("2").fields.moves == 1
    assert state.play(np.int64(0)).fields.moves == 1


def three(state, out):
    out[0], out[1], out[2] = 0, 1, 2
    return 3


def keep(state, action, rng):
    state.moves = action + 1


def test_familiar_names_are_kept():
    game = playout.load("tic-tac-toe")
    assert (game.name, game.base, game.spec) == ("tic-tac-toe", "mnk", "tic-tac-toe")
    assert playout.load("gomoku", k=6).spec == "gomoku:k=6" and playout.load("gomoku:k=6").parameters["m"] == 15
    assert playout.load("mnk").load_state(game.start().play("b2").to_json()).mover == 1


HELPED = """
import numpy as np
from helper_of_game import WORTH
players = 1
actions = 1
State = np.dtype([("done", np.int8)])
def start(state, rng):
    pass
def legal(state, out):
    out[0] = 0
    return 1
def play(state, action, rng):
    state.done = 1
def mover(state):
    return -1 if state.done else 0
def returns(state, out):
    out[0] = WORTH
"""


def test_helpers_beside_a_game_are_its_own_and_edits_are_seen(tmp_path):
    for place, worth in (("one", 1.0), ("two", 2.0)):
        (tmp_path / place).mkdir()
        (tmp_path / place / "helper_of_game.py").write_text(f"WORTH = {worth}\n")
        (tmp_path / place / "mine.py").write_text(HELPED)
    assert playout.load(tmp_path / "one" / "mine.py").start().returns == (1.0,)
    assert playout.load(tmp_path / "two" / "mine.py").start().returns == (2.0,)
    (tmp_path / "two" / "helper_of_game.py").write_text("WORTH = 33.0\n")
    assert playout.load(tmp_path / "two" / "mine.py").start().returns == (33.0,)
    assert playout.load(tmp_path / "one" / "mine.py") is playout.load(tmp_path / "one" / "mine.py")


def test_states_are_aligned_and_their_gaps_are_nobodys():
    declared = np.dtype(
        [("a", np.int8), ("b", np.float64), ("c", np.dtype([("x", np.int8), ("y", np.int16, (3,))])), ("d", np.uint8, 3)]
    )
    made = aligned(declared)
    assert made.isalignedstruct and made.itemsize == 32 and field_names(made) == ("a", "b", "c", "d")
    assert [made.fields[name][1] for name in field_names(made)] == [0, 8, 16, 24]
    assert int(solid(made).sum()) == 1 + 8 + 1 + 6 + 3 and aligned(made) == made
    record = np.zeros(3, made)
    record["a"], record["b"] = 5, 2.5
    for copied in (record.copy(), record[1:2].copy(), np.array([record[0]])):
        assert not copied.view(np.uint8).reshape(len(copied), -1)[:, ~solid(made)].any(), "states are compared by their bytes"


def test_gaps_are_not_shown_and_their_name_is_kept():
    state = load("connect-four").start()
    assert any(name.startswith("_gap") for name in state.game.dtype.names)
    assert "_gap" not in repr(state.fields) + state.to_json() and not hasattr(state.fields, "_gap0")
    with pytest.raises(GameError, match="State field '_gap1' has a name that is kept for gaps between fields"):
        Game("wrong", players=1, actions=1, State=np.dtype([("_gap1", np.int8)]))
