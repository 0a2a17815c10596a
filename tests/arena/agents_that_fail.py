"""Agents that do what no agent should: each is one way to lose a game by fault."""

import contextlib
import os
import signal
import time


def make_crash(game, seed=0, at=2):
    calls = []

    def act(state):
        calls.append(0)
        if len(calls) >= int(at):
            raise ValueError("lost my mind")
        return state.legal[0]

    return act


def make_illegal(game, seed=0):
    return lambda state: 4 if 4 not in state.legal else 77


def make_sleepy(game, seed=0):
    def act(state):
        try:
            time.sleep(60)
        except Exception:
            return state.legal[0]

    return act


def make_stubborn(game, seed=0):
    """Cannot be interrupted by any exception, so only ending the process helps."""

    def act(state):
        while True:
            with contextlib.suppress(BaseException):
                time.sleep(60)

    return act


def make_deadly(game, seed=0):
    def act(state):
        os.kill(os.getpid(), signal.SIGKILL)

    return act


def make_once_deadly(game, seed=0, mark=""):
    """Ends its process the first time ever, and then behaves."""

    def act(state):
        if not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return state.legal[0]

    return act


def make_loud(game, seed=0):
    def act(state):
        print("thinking aloud", flush=True)
        os.write(1, b"even louder\n")
        return state.legal[0]

    return act


def make_unmakeable(game, seed=0):
    raise RuntimeError("not today")


def make_first(game, seed=0):
    return lambda state: state.legal[0]
