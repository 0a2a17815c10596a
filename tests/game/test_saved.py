"""States from outside: a rule that never ends on one of them is stopped, in any thread, and nothing is left over."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from playout import Game, PlayoutError
from playout.game import saved


def _start(state, rng):
    state.left = 3


def _legal(state, out):
    out[0] = 0
    return 1


def _play(state, action, rng):
    # Seven is a number of stones that no game has: the loop never ends.
    while state.left == 7:
        try:
            int("seven")
        except Exception:
            continue
    state.left -= 1


def _mover(state):
    return -1 if state.left == 0 else 0


def _returns(state, out):
    out[0] = 0


STATE = np.dtype([("left", np.int8)])
PILE = Game("pile", players=1, actions=1, State=STATE, start=_start, legal=_legal, play=_play, mover=_mover, returns=_returns)


def _seven():
    text = PILE.start(0).to_json()
    assert '"left": 3' in text
    return PILE.load_state(text.replace('"left": 3', '"left": 7'))


def test_a_state_that_can_be_is_believed():
    saved.try_out(PILE.start(0))


def test_a_rule_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr(saved, "PATIENCE", 0.1)
    with pytest.raises(PlayoutError, match=r"^no game can be played on from it \(a rule took longer than 0\.1 s\)$"):
        saved.try_out(_seven())


def test_in_a_thread_it_strikes_that_thread_alone(monkeypatch):
    monkeypatch.setattr(saved, "PATIENCE", 0.1)
    said = []

    def work():
        try:
            saved.try_out(_seven())
        except PlayoutError as error:
            said.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        sum(range(100))
    assert said == ["no game can be played on from it (a rule took longer than 0.1 s)"]


def test_what_ends_in_time_is_never_struck_afterwards():
    """The alarm and the end of the work close to each other: either it raises, or nothing comes later."""
    for number in range(60):
        pause = 0.002 + number % 7 * 0.0001
        try:
            saved.with_patience(lambda pause=pause: time.sleep(pause), 0.0023)
        except saved._TooLong:
            pass
        else:
            for _ in range(200):
                sum(range(10))
    time.sleep(0.01)
    assert threading.active_count() < 20


AFTERWARDS = """
import sys, time
from playout.game import saved

def follow(frame, event, argument):
    return follow

def lines():
    total = 0
    for number in range(1000):
        total += number
    return total

for number in range(60):
    pause = 0.002 + number % 7 * 0.0001
    try:
        saved.with_patience(lambda: time.sleep(pause), 0.0023)
    except saved._TooLong:
        pass
    sys.settrace(follow)
    total = lines()
    sys.settrace(None)
    assert total == 499500
"""


def test_a_function_that_is_traced_afterwards_comes_to_its_end():
    """An alarm that is taken back makes CPython 3.11 look for it for ever in traced code, which compiles rules and counts their steps."""
    subprocess.run([sys.executable, "-c", AFTERWARDS], check=True, timeout=60)
