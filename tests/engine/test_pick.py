"""`pick`: the action that a list of the legal ones and one draw would give, and playouts that are the same to the last bit with it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import Game, GameError, Search, Stream, load
from playout.compile import bind
from playout.engine.expand import keep_listed
from playout.game.contract import ALL_LEGAL, OPTIONAL, REQUIRED
from playout.game.load import bundled
from tests.engine.trees import same_bits
from tests.games.properties import choices, walk

PICKING = [
    "breakthrough:rows=4,columns=2",
    "breakthrough:rows=5,columns=4",
    "breakthrough",
    "connect-four",
    "connect-four:columns=9,rows=4",
    "connect-four:columns=4,rows=3",
    "connect-four:columns=1,rows=1",
    "hex:size=4",
    "hex:size=3,swap=true",
    "hex:size=2,swap=true",
    "hex:size=1",
    "kalah",
    "kalah:houses=3,seeds=2",
    "kalah:houses=12,seeds=1",
    "mnk",
    "mnk:m=8,n=8,k=3",
    "mnk:m=17,n=16,k=5",  # free actions in wider numbers
    "othello",
    "othello:size=4",
]


def test_every_game_that_picks_is_here() -> None:
    assert {name for name in bundled() if load(name).has("pick")} == {spec.partition(":")[0] for spec in PICKING}


@pytest.mark.parametrize("spec", PICKING)
@settings(max_examples=20, deadline=None)
@given(numbers=choices, word=st.integers(1, (1 << 64) - 1))
def test_it_is_what_a_list_and_one_draw_give(spec: str, numbers: list[int], word: int) -> None:
    for state in walk(load(spec), numbers):
        if not state.over:
            before, mine, drawn = bytes(state), Stream.at(word), Stream.at(word)
            picked = state.game.functions["pick"](state.fields, mine)
            assert picked == state.legal[drawn.below(len(state.legal))]
            assert mine.word == drawn.word and bytes(state) == before


def test_a_board_too_low_for_its_columns_has_none() -> None:
    assert not load("connect-four:columns=9,rows=3").has("pick") and load("connect-four:columns=7,rows=3").has("pick")


def rules_of(game: Game, *without: str, **others: Any) -> Game:
    """The game without some of its functions, and with others."""
    names = {
        role: game.functions[role] for role in (*REQUIRED, *OPTIONAL) if game.has(role) and role not in (*without, "patterns")
    }
    declared = {"State": game.dtype, "players": game.players, "actions": game.actions, "most_legal": game.most_legal}
    return Game("twin", returns_range=game.returns_range, **{**names, **declared, **others})


def last(state: Any, legal: Any, count: int, rng: Any) -> int:
    """A playout of one's own, which takes the last action or draws."""
    return int(legal[count - 1]) if rng.below(3) == 0 else int(legal[rng.below(count)])


def halfway(state: Any, out: Any) -> None:
    out[0], out[1] = 0.25, -0.25


WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "win": {"decisive_playouts": "win"},
    "mast, win": {"playout": "mast", "decisive_playouts": "win"},
    "block": {"decisive_playouts": "block", "decisive": "block"},
    "block, cut off": {"decisive_playouts": "block", "cutoff": 5},
    "cut off": {"cutoff": 3, "cut": "evaluate"},
    "several": {"playouts": 3},
    "rewards": {"discount": 0.9, "solver": False},
    "mast": {"playout": "mast"},
    "mast, block": {"playout": "mast", "decisive_playouts": "block"},
    "ngram": {"playout": "ngram"},
    "rave": {"rave": 50.0},
    "mast and rave": {"playout": "mast", "rave": 50.0},
    "rave alone": {"playout": "uniform", "rave": 50.0},
    "own": {"playout": "game"},
    "own, block": {"playout": "game", "decisive_playouts": "block"},
    "proofs": {"solver": True, "decisive": "win"},
}
PLAIN = {
    "decisive_playouts": "off",
    "playout": "uniform",
    "rave": None,
    "cutoff": None,
    "fit": False,
    "seed": 4,
    "compiled": False,
}


def grown(game: Game, **given: Any) -> Search:
    search = Search(game, **{**PLAIN, **given})
    search.run(game.start(1), simulations=40)
    return search


@pytest.mark.parametrize(
    "spec",
    [
        "connect-four:columns=5,rows=4",
        "hex:size=3,swap=true",
        "mnk:m=4,n=3,k=3",
        "othello:size=4",
        "kalah:houses=3,seeds=2",
        "breakthrough:rows=4,columns=3",
    ],
)
@pytest.mark.parametrize("way", WAYS)
def test_trees_are_the_same_bits_without_it(spec: str, way: str) -> None:
    game = load(spec)
    twins = [rules_of(game, *without, playout_action=last, evaluate=halfway) for without in ((), ("pick",))]
    assert twins[0].has("pick") and not twins[1].has("pick")
    one, other = (grown(twin, **WAYS[way]) for twin in twins)
    assert same_bits(one, other)
    assert one.trees[0].head("steps") == other.trees[0].head("steps") > 0


@pytest.mark.parametrize("way", WAYS)
def test_it_is_asked_where_nothing_else_chooses_and_nowhere_else(way: str) -> None:
    game, asked = load("hex:size=3"), [0]

    def pick(state: Any, rng: Any) -> int:
        asked[0] += 1
        return int(game.functions["pick"](state, rng))

    grown(rules_of(game, playout_action=last, evaluate=halfway, pick=pick), **WAYS[way])
    chosen = WAYS[way].get("playout", "uniform") != "uniform"
    assert (asked[0] == 0) == chosen


def listing(game: Game) -> Any:
    """`safe`, written out where it says that all are."""

    def safe(state: Any, out: Any) -> int:
        count = int(game.functions["safe"](state, out))
        return int(game.functions["legal"](state, out)) if count == ALL_LEGAL else count

    return safe


@pytest.mark.parametrize(
    "spec", ["hex:size=3", "hex:size=3,swap=true", "mnk:m=4,n=3,k=3", "mnk:m=8,n=8,k=3", "nim", "breakthrough:rows=4,columns=2"]
)
@pytest.mark.parametrize("way", ["block", "block, cut off", "mast, block", "own, block"])
def test_all_are_safe_in_a_word_or_in_a_list(spec: str, way: str) -> None:
    game = load(spec)
    written = {"playout_action": last, "safe": listing(game)}
    twins = [
        rules_of(game, playout_action=last),
        rules_of(game, "pick", playout_action=last),
        rules_of(game, **written),
        rules_of(game, "pick", **written),
    ]
    first, *others = (grown(twin, **WAYS[way]) for twin in twins)
    assert all(same_bits(first, other) for other in others)


def test_the_word_keeps_all_in_their_order() -> None:
    keep = bind(load("nim"), compiled=False).kernel(keep_listed)
    for listed, many, wanted, kept in (([], ALL_LEGAL, [4, 2, 7], 3), ([7, 2], 2, [2, 7, 4], 2), ([7, 2], 0, [4, 2, 7], 3)):
        ids = [4, 2, 7]
        assert keep(ids, 3, listed, many) == kept and ids == wanted


@pytest.mark.parametrize("bad", [9, -1, 1 << 40])
@pytest.mark.parametrize("given", [{}, {"decisive_playouts": "block"}, {"decisive_playouts": "win"}, {"playouts": 2}])
def test_an_id_that_is_none_is_told_and_never_played(bad: int, given: dict[str, Any]) -> None:
    game = rules_of(load("tic-tac-toe"), pick=lambda state, rng: bad)
    with pytest.raises(GameError, match="legal, pick, playout_action, wins or safe gave an id that is not from 0 to 8"):
        grown(game, **given)


@pytest.mark.parametrize("count", [0, -5, 10])
@pytest.mark.parametrize("given", [{}, {"decisive_playouts": "block"}, {"decisive_playouts": "win"}])
def test_without_it_a_list_that_cannot_be_keeps_its_own_sentence(count: int, given: dict[str, Any]) -> None:
    game = load("tic-tac-toe")

    def legal(state: Any, out: Any) -> int:
        return int(game.functions["legal"](state, out)) if state.moves < 3 else count

    message = (
        "more than the 9 that most_legal allows" if count > 9 else "legal found no action though mover says that the game goes on"
    )
    with pytest.raises(GameError, match=message):
        grown(rules_of(game, "pick", legal=legal, safe=lambda state, out: ALL_LEGAL), **given)


def test_it_takes_a_state_and_a_stream() -> None:
    game = load("tic-tac-toe")
    with pytest.raises(GameError, match=r"pick takes 1 argument but is called with \(state, rng\); write def pick\(state, rng\)"):
        rules_of(game, pick=lambda state: 0)


@pytest.mark.compiles
@pytest.mark.parametrize("way", ["plain", "block"])
def test_machine_code_picks_the_same(way: str) -> None:
    searches = [grown(load("connect-four"), compiled=compiled, **WAYS[way]) for compiled in (False, True)]
    assert same_bits(*searches)
