"""What a referee does with agents: worlds for the honest, keys for those who ask, and news for those who listen."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import Any

import playout
from playout.agents import Seats, Silent, truth, world
from playout.game.history import History
from playout.game.state import State
from playout.game.stream import Stream


class Quiet(Silent):
    """Neither asks for its history nor listens."""

    name = "quiet"

    def act(self, state: State) -> int:
        return state.legal[0]


class Asking(Quiet):
    wants_history = True


class Listening(Quiet):
    def __init__(self) -> None:
        self.heard: list[int] = []

    def observe_action(self, before: State, action: int, after: State) -> None:
        self.heard.append(action)


def seated(*agents: Any, peeking: tuple[bool, bool] = (False, False), **more: Any) -> Seats:
    return Seats(agents, Stream(5), peeking=peeking, **more)


def handed(seats: Seats, state: State, player: int) -> State:
    return seats.shown(player, partial(world, state), partial(truth, state))


def test_only_who_is_known_to_cheat_is_shown_the_truth() -> None:
    state = playout.load("leduc-poker").start(2)
    honest, cheating = seated(Quiet(), Quiet()), seated(Quiet(), Quiet(), peeking=(True, False))
    assert len({bytes(handed(honest, state, 0)) for _ in range(50)}) > 1
    assert {bytes(handed(cheating, state, 0)) for _ in range(50)} == {bytes(state)}
    assert len({bytes(handed(cheating, state, 1)) for _ in range(50)}) > 1
    assert handed(cheating, state, 0).word != state.word, "what chance will bring stays the referee's own"


def test_a_key_goes_to_who_asks_for_it_and_to_nobody_else() -> None:
    state = playout.load("kuhn-poker").start(2)
    seats = seated(Asking(), Quiet())
    assert seats.remembering and seats.attentive and not seated(Quiet(), Quiet()).attentive
    seats.begin(state)
    assert handed(seats, state, 0).history == History(state).key(0)
    assert handed(seats, state, 1).history is None


def test_after_actions_are_taken_back_the_key_is_that_of_the_game_without_them() -> None:
    state = playout.load("kuhn-poker").start(2)
    seats = seated(Asking(), Asking())
    seats.begin(state)
    first = handed(seats, state, 0).history
    after = state.play("check")
    seats.told(state, state.find("check"), after)
    assert handed(seats, after, 0).history != first
    one = handed(seats, after, 1).history
    seats.begin(state, [state.find("check")])
    assert handed(seats, after, 1).history == one
    seats.begin(state)
    assert handed(seats, state, 0).history == first


def test_who_listens_is_told_inside_the_guard() -> None:
    guarded: list[int] = []

    @contextmanager
    def guard(player: int) -> Any:
        guarded.append(player)
        yield

    state, listener = playout.load("tic-tac-toe").start(), Listening()
    seats = seated(Quiet(), listener, guard=guard)
    assert seats.attentive and not seats.remembering
    seats.told(state, 4, state.play(4))
    assert listener.heard == [4] and guarded == [0, 1]
