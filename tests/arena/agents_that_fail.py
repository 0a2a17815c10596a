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


def make_exit(game, seed=0):
    def act(state):
        raise SystemExit(0)

    return act


def make_keyboard(game, seed=0):
    def act(state):
        raise KeyboardInterrupt

    return act


class Speechless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def make_speechless(game, seed=0):
    def act(state):
        raise Speechless

    return act


class Odd:
    """Decides with something that is no decision."""

    name = "odd"

    def __init__(self, simulations):
        self.simulations = simulations

    def decide(self, state):
        class Decided:
            action = state.legal[0]

        if self.simulations is not None:
            Decided.simulations = self.simulations
        return Decided

    def act(self, state):
        return state.legal[0]

    def observe_action(self, before, action, after):
        pass


def make_no_simulations(game, seed=0):
    return Odd(None)


def make_minus_simulations(game, seed=0):
    return Odd(-1)


def make_fork(game, seed=0):
    """Leaves a child behind that holds the pipe, and dies."""

    def act(state):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        os._exit(7)

    return act


def make_none(game, seed=0):
    return lambda state: None


def make_half(game, seed=0):
    return lambda state: 2.9


def make_named(game, seed=0):
    return lambda state: state.name(state.legal[0])


def make_print(game, seed=0):
    def act(state):
        print("x" * 3_000_000, flush=True)
        return state.legal[0]

    return act


def make_broken_rules(game, seed=0):
    """Meets a mistake of the game while it thinks, as a compiled search may."""
    from playout.errors import RulesError

    def act(state):
        raise RulesError("game 'mine': play is outside")

    return act
