"""States that come from outside: tried out before machine code sees them.

A board that cannot be would make machine code write where it must not, or never come back. So some random games are played on from it
uncompiled, where every index is checked, with a look at how long that takes.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable

from playout.errors import PlayoutError
from playout.game.state import State
from playout.game.stream import Stream

GAMES = 3
LONGEST_TRIAL = 300
PATIENCE = 5.0
"""Seconds after which a rule counts as one that never ends; the longest trial of a bundled game takes a fifth of one."""


class _TooLong(BaseException):
    """No `Exception`: a rule that catches everything would go on."""


class _Lawless(Exception):
    pass


def try_out(state: State) -> None:
    """Play on from a state that was read; a `PlayoutError` says why that cannot be done."""
    try:
        with_patience(lambda: _play_on(state), PATIENCE)
    except _Lawless as error:
        raise PlayoutError(str(error)) from None
    except _TooLong:
        raise PlayoutError(f"no game can be played on from it (a rule took longer than {PATIENCE:g} s)") from None
    except Exception as error:
        raise PlayoutError(f"no game can be played on from it ({_words(error)})") from None


def _words(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def with_patience(work: Callable[[], None], seconds: float) -> None:
    """Do some Python that may never end: when the time is up, another thread makes it raise. In any thread.

    A look at the clock every so many lines does the same, but to count lines made the trial of a big game four times as slow.
    """
    worker, lock, fired, ended, struck = threading.get_ident(), threading.Lock(), False, False, False

    def end() -> None:
        nonlocal fired
        with lock:
            if not ended:
                fired = True
                raise_in(worker, _TooLong)

    alarm = threading.Timer(seconds, end)
    alarm.daemon = True
    alarm.start()
    try:
        work()
    except _TooLong:
        struck = True
        raise
    finally:
        # An alarm that came between the last line of the work and here must not strike anybody else, so it is waited for. To take it
        # back is no way out: CPython 3.11 then goes on looking for it, and the next function that somebody traces never ends.
        with contextlib.suppress(_TooLong):
            with lock:
                ended = True
            alarm.cancel()
            while fired and not struck:
                pass


def raise_in(thread: int, error: type[BaseException]) -> None:
    """Have a thread raise an error at its next line."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _play_on(first: State) -> None:
    if first.broken is not None:
        raise _Lawless(f"it breaks the law {first.broken!r}")
    for seed in range(GAMES):
        state, stream = first, Stream(seed)
        for _ in range(LONGEST_TRIAL // GAMES if seed else LONGEST_TRIAL):
            if not -1 <= state.mover < state.game.players:
                raise ValueError(f"its mover is player {state.mover}")
            _look_at(state, stream)
            if seed == 0:
                _show(state, picture=state is first)
            if state.over:
                break
            if state.game.continuous:
                state = state.play(state.random(stream))
                continue
            legal = state.legal
            if not all(0 <= action < state.game.actions for action in legal):
                raise ValueError(f"action {max(legal)} is legal in it")
            state = state.play(legal[stream.below(len(legal))])


def _look_at(state: State, stream: Stream) -> None:
    """What a search asks of a state beside playing on, and whether the laws still hold."""
    if state.broken is not None:
        raise ValueError(f"some actions later the law {state.broken!r} is broken")
    if not all(abs(value) <= 1.7e308 for value in state.returns):
        raise ValueError(f"its returns are {', '.join(f'{value:g}' for value in state.returns)}")
    if state.game.hidden and not state.over:
        state.world(state.mover, stream)
        for player in range(state.game.players):
            state.observed(player)


def _show(state: State, picture: bool) -> None:
    """What people are shown of a state: boards are drawn before a search begins, and in reports."""
    viewer = max(0, state.mover)
    state.draw(viewer)
    if picture:
        state.svg(viewer)
    if not state.game.continuous:
        for action in state.legal:
            state.name(action, viewer)
