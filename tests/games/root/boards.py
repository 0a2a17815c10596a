"""Positions of Root set up by hand, and decisions in them with told chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

import playout
from playout import Game, State
from playout.games.root import laws
from playout.games.root.cards import CARDS, COPIES, KINDS, WORDS, put
from playout.games.root.map import CLEARINGS
from tests.games.hidden import Tape

MARQUISE, EYRIE = 0, 1
LEADERS = ("Builder", "Charismatic", "Commander", "Despot")
Cards = str | Iterable[str]


@cache
def game(spec: str = "root") -> Game:
    return playout.load(spec)


@cache
def stages() -> dict[str, int]:
    """The stages by name."""
    from playout.games.root import record

    return {name: number for name, number in vars(record).items() if name.isupper() and isinstance(number, int)}


def cards(words: Cards) -> int:
    """A set of cards out of their words: "anvil bank bank"."""
    found = 0
    for word in words.split() if isinstance(words, str) else words:
        found = int(put(found, WORDS.index(word)))
    return found


def words_of(some: int) -> list[str]:
    """The words of a set of cards, sorted."""
    from playout.games.root.cards import KIND_AT

    return sorted(WORDS[KIND_AT[bit]] for bit in range(CARDS) if int(some) >> bit & 1)


def row(pieces: Mapping[int, int] | Sequence[int]) -> list[int]:
    """Pieces by the number of their clearing: how many in each, or one for each time a clearing is listed."""
    counts = [0] * CLEARINGS
    for clearing in pieces:
        counts[clearing - 1] += pieces[clearing] if isinstance(pieces, Mapping) else 1
    return counts


def position(
    stage: str = "ACT",
    turn: int = MARQUISE,
    *,
    spec: str = "root",
    hers: Mapping[int, int] | Sequence[int] = (),
    theirs: Mapping[int, int] | Sequence[int] = (),
    sawmills: Sequence[int] = (),
    workshops: Sequence[int] = (),
    recruiters: Sequence[int] = (),
    roosts: Sequence[int] = (),
    wood: Mapping[int, int] | Sequence[int] = (),
    keep: int = 0,
    hands: tuple[Cards, Cards] = ("", ""),
    known: tuple[Cards, Cards] = ("", ""),
    crafted: tuple[Cards, Cards] = ("", ""),
    decree: Sequence[Cards] = ("", "", "", ""),
    discard: Cards = "",
    deck: Cards | None = None,
    leader: str = "Builder",
    **fields: Any,
) -> State:
    """A state in which somebody is asked. Cards that are nowhere are in the deck; where `deck` is said, on the discard pile."""
    lying = [*hands, *crafted, *decree, discard, *([] if deck is None else [deck])]
    listed = [word for some in lying for word in (some.split() if isinstance(some, str) else some)]
    small = game(spec).parameters["deck"]
    copies = [small.split("-").count(WORDS[kind]) if small else COPIES[kind] for kind in range(KINDS)]
    rest = [WORDS[kind] for kind in range(KINDS) for _ in range(copies[kind] - listed.count(WORDS[kind]))]
    assert len(rest) + len(listed) == sum(copies), "a card too often"
    buildings = [row(sawmills), row(workshops), row(recruiters), row(roosts)]
    number = stages()[stage]
    state: dict[str, Any] = {
        "stage": number,
        "turn": turn,
        "asked": turn,
        "hands": [cards(some) for some in hands],
        "known": [cards(some) for some in known],
        "crafted": [cards(some) for some in crafted],
        "decree": [cards(some) for some in decree],
        "deck": cards(rest if deck is None else deck),
        "discard": cards(discard if deck is None else [*words_of(cards(discard)), *rest]),
        "sizes": [cards(some).bit_count() for some in hands],
        "warriors": [row(hers), row(theirs)],
        "supply": [25 - sum(row(hers)), 20 - sum(row(theirs))],
        "buildings": buildings,
        "built": [sum(each) for each in buildings],
        "wood": row(wood),
        "lumber": 8 - sum(row(wood)),
        "keep": keep - 1,
        "items": [2, 2, 1, 2, 1, 2, 2],
        "leader": LEADERS.index(leader),
        "leaders": 15,
        **({"actions": 3} if stage == "ACT" else {}),
    }
    made = surveyed(game(spec).state({**state, **fields}))
    assert made.broken is None, made.broken
    return made


def surveyed(state: State) -> State:
    """The same position, its sets of clearings made out of its pieces."""
    array = state.copy_array()
    array[0]["sets"] = [*laws.surveyed(state.fields)]
    return State(state.game, array, state.word)


def decree_day(column: str, *, leader: str = "Builder", **fields: Any) -> State:
    """The Eyrie are to choose a card of a column of their Decree, which has more than one suit in it."""
    number = ("RECRUIT", "MOVE", "BATTLE", "BUILD").index(column)
    state = position("RESOLVE", EYRIE, leader=leader, column=number, **fields)
    array = state.copy_array()
    from playout.games.root.craft import open_column

    open_column(state.game.view(array[0]), number)
    return State(state.game, array, 1)


def played(state: State, *actions: str | int, draws: Sequence[int] = ()) -> State:
    """The state after some decisions, with told chance (dice: both; a draw: which card of the deck), and all laws kept."""
    tape = Tape(list(draws))
    for action in actions:
        array = state.copy_array()
        state.game.functions["play"](state.game.view(array[0]), state.find(action), tape)
        state = State(state.game, array, 1)
        assert state.broken is None, (action, state.broken)
    assert tape.used >= len(draws), f"{len(draws)} draws were told, and {tape.used} made"
    return state


def names(state: State) -> list[str]:
    return [state.name(action) for action in state.legal]


def scores(state: State) -> tuple[int, int]:
    return tuple(int(n) for n in state.fields.scores)  # type: ignore[return-value]


def warriors(state: State, clearing: int) -> tuple[int, int]:
    return tuple(int(state.fields.warriors[player, clearing - 1]) for player in range(2))  # type: ignore[return-value]


def hand(state: State, player: int) -> list[str]:
    return words_of(int(state.fields.hands[player]))


def is_at(state: State, stage: str) -> bool:
    return bool(state.fields.stage == stages()[stage])


def view(state: State) -> Any:
    """A state that rules can be asked about."""
    return state.game.view(np.copy(state.copy_array())[0])
