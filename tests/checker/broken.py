"""A small game that keeps the contract, and a way to break one part of it at a time."""

from __future__ import annotations

from pathlib import Path

from playout import Game, load

PARTS = {
    "head": """
import numpy as np
from playout import below, uniform

players = 2
actions = 4
returns_range = (-1, 1)
State = np.dtype([("cells", np.int8, 4), ("moves", np.int16), ("bonus", np.int32)])
""",
    "start": """
def start(state, rng):
    state.bonus = below(rng, 3)
""",
    "legal": """
def legal(state, out):
    count = 0
    for i in range(4):
        if state.cells[i] == 0:
            out[count] = i
            count += 1
    return count
""",
    "play": """
def play(state, action, rng):
    state.cells[action] = 1 + (state.moves & 1)
    state.moves += 1
""",
    "mover": """
def mover(state):
    return -1 if state.moves == 4 else state.moves & 1
""",
    "returns": """
def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.moves == 4:
        out[state.cells[0] - 1] = 1.0
        out[2 - state.cells[0]] = -1.0
""",
}
"""Four cells are filled in turn; whoever takes cell 0 wins."""


def source(**parts: str) -> str:
    """The text of the game with some of its parts replaced, or others added."""
    return "\n".join(text.strip("\n") + "\n\n" for text in {**PARTS, **parts}.values())


def broken(folder: Path, **parts: str) -> Game:
    """The game with some of its parts replaced, loaded from a file."""
    file = folder / "mygame.py"
    file.write_text(source(**parts))
    return load(file)
