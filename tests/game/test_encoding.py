"""What a network sees: the game's own encode or one made from its fields, compiled and not, and its symmetries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout
from playout import Game, GameError, PlayoutError
from playout.compile.digest import rules
from playout.game.encoding import Encoding, encoding_of
from playout.game.made import plan_of
from playout.game.stream import Stream
from tests.game.test_game import NAMES

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "connect_four.py")
OWN = (
    "connect-four",
    "tic-tac-toe",
    "breakthrough:rows=5,columns=4",
    "hex:size=4",
    "othello:size=4",
    "kalah:houses=3",
    "pig",
    "scoundrel",
)


def states_of(game: Game, count: int, seed: int = 5) -> np.ndarray[Any, Any]:
    """States of random play, those at the end too."""
    found: list[np.ndarray[Any, Any]] = []
    while len(found) < count:
        state, choices = game.start(seed + len(found)), Stream(seed + len(found), 9)
        found.append(state.copy_array())
        while not state.over:
            state = state.after(state.random(choices))
            found.append(state.copy_array())
    return np.concatenate(found[:count])


def encode(state: Any, player: int, out: Any) -> None:
    out[player] = state.moves


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"encode": encode},
            "game 'mine' defines encode, and nothing says how much it writes: add encoding = (planes, rows, columns), (tokens, features) or (numbers,)",
        ),
        ({"encoding": (2,)}, "game 'mine' declares an encoding, and nothing that writes it: add def encode(state, player, out)"),
        (
            {"encode": encode, "encoding": (2, 0)},
            "game 'mine': encoding is (2, 0); give one to three whole numbers above 0, at most 1,048,576 inputs in all, as in encoding = (planes, rows, columns), (tokens, features) or (numbers,)",
        ),
        ({"symmetries": 2}, "game 'mine' declares symmetries, and no encode: add def encode(state, player, out)"),
        (
            {"encode": encode, "encoding": (2,), "symmetries": 2},
            "game 'mine' declares symmetries, and no mirror_encoding: add def mirror_encoding(symmetry, encoded)",
        ),
        (
            {"encode": encode, "encoding": (2,), "symmetries": 0},
            "game 'mine': symmetries is 0; it must be a whole number from 1 to 1,024, the game as it is among them",
        ),
        (
            {"mirror_action": lambda symmetry, action: action},
            "game 'mine' defines mirror_action, and not how many symmetries there are: add symmetries = 2",
        ),
    ],
)
def test_half_of_it_gets_a_sentence(change: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError) as refused:
        Game("mine", {**NAMES, **change})
    assert str(refused.value) == message


def test_connect_four_through_both_eyes() -> None:
    game = playout.load("connect-four")
    encoding, state = encoding_of(game, compiled=False), game.start().replay("ddc")
    assert (encoding.kind, encoding.shape, encoding.size, encoding.source) == ("planes", (3, 6, 7), 126, "game")
    own, other = encoding.of(state, 0), encoding.of(state, 1)
    assert np.array_equal(own[0], other[1]) and np.array_equal(own[1], other[0])
    assert list(zip(*own[0].nonzero())) == [(0, 2), (0, 3)] and list(zip(*own[1].nonzero())) == [(1, 3)]
    assert np.array_equal(own[2], other[2]) and own[2].argmax(axis=0).tolist() == [0, 0, 1, 2, 0, 0, 0]
    assert np.array_equal(encoding.of(state), other), "the mover's eyes, if nobody else is named"


def test_scoundrel_has_a_token_for_every_card_and_none_for_what_nobody_knows() -> None:
    from playout.games.scoundrel import seen

    game = playout.load("scoundrel")
    encoding, state = encoding_of(game, compiled=False), game.start(3).play("avoid")
    tokens = encoding.of(state)
    assert tokens.shape == (49, 59)
    status = tokens[seen.FIRST_CARD :, seen.GONE : seen.KNOWN + 1]
    assert status.sum(axis=0).tolist() == [0, 4, 36, 4] and (status.sum(axis=1) == 1).all()
    known = tokens[:, seen.KNOWN] == 1
    assert sorted(np.round(44 * tokens[known, seen.DEPTH])) == [36, 37, 38, 39]
    worlds = np.concatenate([state.world(0, Stream(n)).copy_array() for n in range(20)])
    assert len({world.tobytes() for world in worlds}) == 20
    assert (encoding(worlds, 0) == tokens).all()


def test_what_is_handed_to_encode_is_the_observation() -> None:
    """An encode that copies a hidden card gets nothing of it."""
    kuhn = playout.load("kuhn-poker")

    def leaking(state, player, out):
        out[0], out[1] = state.cards[player], state.cards[1 - player]

    words = {"players": 2, "actions": 2, "State": kuhn.dtype, "encoding": (2,), "encode": leaking}
    encoding = encoding_of(Game("leaky", {**kuhn.functions, **words}), compiled=False)
    state = encoding.game.start(1)
    cards = state.fields.cards
    assert encoding.of(state, 0).tolist() == [cards[0], 0] and encoding.of(state, 1).tolist() == [cards[1], 0]
    only = {role: function for role, function in kuhn.functions.items() if role != "observe"}
    with pytest.raises(GameError, match="has determinize, so something is hidden, but no observe"):
        encoding_of(Game("blind", {**only, **words}), compiled=False)


def test_a_made_encoding_of_a_board_has_planes() -> None:
    game = playout.load(EXAMPLE)
    encoding = encoding_of(game, compiled=False)
    assert encoding.source == "made" and encoding.shape == (11, 6, 7)
    assert encoding.words()[1:] == ["  board: 0 to 2 one-hot", "  discs: 0 to 36 scaled", "  winner: 0 to 2 one-hot"]
    found = encoding.of(game.start().replay("ddc"), 1)
    assert found[0].max() == 0 and found[1].min() == 1, "whose eyes"
    assert found[2].sum() == 39 and found[3].sum() == 2 and found[4].sum() == 1 and found[5].max() == 0
    assert np.allclose(found[6], 3 / 18 - 1) and (found[7:].sum(axis=(1, 2)) == [42, 0, 0, 0]).all()
    assert plan_of(game) == plan_of(playout.load(EXAMPLE)), "always the same sample"


def test_a_made_encoding_of_odd_fields_loses_nothing() -> None:
    """Bits of bitboards, numbers beyond what was shown, what is no number; the own part of a field comes first."""
    inner = np.dtype([("wide", np.uint64), ("deep", np.int16, (2, 2))])
    dtype = np.dtype([("moves", np.int8), ("part", inner), ("real", np.float32, 2), ("constant", np.int8), ("flag", np.bool_)])

    def play(state, action, rng):
        state.moves += 1
        state.part.wide = np.uint64((1 << 63) + 5 * state.moves)
        state.part.deep[0, 1] = 100 * state.moves
        state.real[1] = state.moves / 2
        state.flag = state.moves == 2

    game = Game("odd", {**NAMES, "State": dtype, "play": play})
    encoding = encoding_of(game, compiled=False)
    how = {column.field: (column.how, column.bits, column.turned) for column in encoding.plan.columns}
    assert how == {
        "moves": ("one-hot", 0, False),
        "part.wide": ("bits", 64, False),
        "part.deep": ("scaled", 8, True),
        "real": ("scaled", 0, True),
        "flag": ("one-hot", 0, False),
    }
    start = game.start()
    states = np.concatenate([start.copy_array(), start.play(0).copy_array(), start.play(0).copy_array(), start.copy_array()])
    states["real"][2] = np.nan, np.inf
    states["moves"][3] = 6
    found = encoding(states, [0, 0, 1, 0])
    assert found.shape == (4, 2 + 4 + 64 + 4 * 9 + 2 + 3) and np.isfinite(found).all()
    assert (found[:3, 2 + 3] == 0).all() and found[3, 2:6].tolist() == [0, 0, 1, 2], "6 is 4 beyond, twice what was shown"
    assert found[1, 6:70].nonzero()[0].tolist() == [0, 2, 63]
    assert found[1, 70 + 9 : 70 + 18].nonzero()[0].tolist() == [3, 6, 7], "100 lies in the middle, and in the first row"
    assert found[2, 70 + 27 : 70 + 36].nonzero()[0].tolist() == [3, 6, 7], "for the other player in the second row"
    assert found[2, 106:108].tolist() == [8, -8]


@pytest.mark.parametrize("name", [*OWN, "leduc-poker", "treasure", EXAMPLE])
def test_saved_and_read_back_it_is_the_same(name: str) -> None:
    game = playout.load(name)
    encoding = encoding_of(game, compiled=False)
    data = json.loads(json.dumps(encoding.to_builtins()))
    again = Encoding.from_builtins(playout.load(name), data, compiled=False)
    states = states_of(game, 12)
    players = np.arange(12) % game.players
    found = encoding(states, players)
    assert found.dtype == np.float32 and found.shape == (12, *encoding.shape) and np.isfinite(found).all()
    assert np.array_equal(found, again(states, players)) and again.digest == encoding.digest


@pytest.mark.compiles
@pytest.mark.parametrize("name", ["tic-tac-toe", "scoundrel", "leduc-poker"])
def test_compiled_and_uncompiled_are_the_same_bits(name: str) -> None:
    game = playout.load(name)
    states = states_of(game, 60)
    players = np.arange(60) % game.players
    plain, machine = encoding_of(game, compiled=False)(states, players), encoding_of(game)(states, players)
    assert plain.tobytes() == machine.tobytes()
    states.flags.writeable = False
    assert encoding_of(game)(states[::2], players[::2]).tobytes() == machine[::2].tobytes()


def test_what_does_not_fit_is_refused() -> None:
    game, other = playout.load("tic-tac-toe"), playout.load("leduc-poker")
    encoding, made = encoding_of(game, compiled=False), encoding_of(other, compiled=False).to_builtins()
    with pytest.raises(PlayoutError, match="takes an array of its states"):
        encoding(other.start().copy_array(), 0)
    with pytest.raises(PlayoutError, match="players are 0 to 1, and an encoding was asked for 2 to 2"):
        encoding(game.start().copy_array(), 2)
    with pytest.raises(PlayoutError, match="the encoding reads field 'cards' of shape"):
        Encoding.from_builtins(game, made)
    with pytest.raises(PlayoutError, match="that is no encoding"):
        Encoding.from_builtins(game, {"shape": 3})
    with pytest.raises(PlayoutError, match="game 'leduc-poker' no longer defines"):
        Encoding.from_builtins(other, encoding.to_builtins())
    with pytest.raises(PlayoutError, match="is encoded differently now"):
        Encoding.from_builtins(game, {**encoding.to_builtins(), "digest": "0"}, compiled=False)
    with pytest.raises(PlayoutError, match="has real-valued actions"):
        encoding_of(playout.load("loss-1d"))


def test_an_encode_is_no_part_of_the_rules() -> None:
    """Stored games and policies outlive a better one; machine code does not."""
    bare, seen = Game("mine", NAMES), Game("mine", {**NAMES, "encode": encode, "encoding": (2,)})
    assert rules(bare) == rules(seen) and rules(bare, encoded=True) != rules(seen, encoded=True)


@pytest.mark.parametrize("name", [name for name in OWN if name not in ("kalah:houses=3", "pig")])
def test_symmetries_are_tables_that_can_be_undone(name: str) -> None:
    game = playout.load(name)
    symmetries = encoding_of(game, compiled=False).symmetries
    assert symmetries is not None and symmetries.count == game.symmetries > 1
    cells = {row.tobytes() for row in symmetries.cells}
    assert len(cells) == symmetries.count, "no two do the same"
    for k in range(symmetries.count):
        assert np.argsort(symmetries.cells[k]).tobytes() in cells, "what undoes a symmetry is one, too"


def test_a_batch_is_mirrored_each_by_its_own() -> None:
    game = playout.load("tic-tac-toe")
    encoding, state = encoding_of(game, compiled=False), game.start().replay(["a1", "b2", "c1"])
    symmetries = encoding.symmetries
    assert symmetries is not None
    batch = np.repeat(encoding.of(state)[None], 8, axis=0)
    boards = symmetries.encoded(batch, np.arange(8))
    policy = np.repeat(np.arange(9.0)[None], 8, axis=0)
    mirrored = symmetries.policies(policy, np.arange(8))
    for k in range(8):
        moves = [int(symmetries.actions[k, game.start().find(name)]) for name in ("a1", "b2", "c1")]
        assert np.array_equal(boards[k], encoding.of(game.start().replay(moves)))
        assert all(mirrored[k, symmetries.actions[k, action]] == action for action in range(9))
    assert np.array_equal(symmetries.encoded(batch, 0), batch) and len({board.tobytes() for board in boards}) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mirror_encoding": lambda k, x: x[:1]}, "mirror_encoding gives shape (1,) for symmetry 0 where encoding is (2,)"),
        (
            {"mirror_encoding": lambda k, x: x * 0},
            "mirror_encoding loses or doubles something for symmetry 0; every number of the encoding",
        ),
        (
            {"mirror_encoding": lambda k, x: x[::-1]},
            "mirror_encoding changes something for symmetry 0, which is the game as it is",
        ),
        ({"mirror_action": lambda k, a: a + k}, "mirror_action loses or doubles something for symmetry 1; every action id"),
        ({"mirror_action": lambda k, a: [][a]}, "mirror_action raised IndexError: list index out of range for symmetry 0"),
    ],
)
def test_what_is_no_symmetry_gets_a_sentence(change: dict[str, Any], message: str) -> None:
    right = {"mirror_encoding": lambda k, x: x[::-1] if k else x, "mirror_action": lambda k, a: a}
    words = {"encode": encode, "encoding": (2,), "symmetries": 2, **right}
    assert encoding_of(Game("mine", {**NAMES, **words}), compiled=False).symmetries is not None
    with pytest.raises(GameError) as refused:
        _ = encoding_of(Game("mine", {**NAMES, **words, **change}), compiled=False).symmetries
    assert message in str(refused.value)
