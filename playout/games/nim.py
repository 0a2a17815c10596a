"""Nim: take any number of stones from one heap; whoever takes the last stone wins."""

import numpy as np

from playout import PlayoutError, parameter
from playout.picture import BOARD, BOARD_DARK, INK, LINE, MUTED, PAPER, PLAYER_COLOURS, Picture

MOST_HEAPS, MOST_STONES = 9, 99

heaps = parameter("heaps", "3-4-5", "stones in each heap, with dashes between")
misere = parameter("misere", False, "whoever takes the last stone loses")


def sizes_of(text):
    words = text.split("-")
    if len(words) > MOST_HEAPS or not all(word.isdecimal() and 1 <= int(word) <= MOST_STONES for word in words):
        raise PlayoutError(
            f"parameter heaps={text!r} is not a row of heaps: write 1 to {MOST_HEAPS} numbers "
            f"from 1 to {MOST_STONES} with dashes between, for example heaps=3-4-5"
        )
    return tuple(int(word) for word in words)


SIZES = sizes_of(heaps)
COUNT = len(SIZES)
MOST = max(SIZES)

players = 2
actions = COUNT * MOST  # heap * MOST + stones taken - 1
most_legal = sum(SIZES)
returns_range = (-1, 1)
State = np.dtype([("heaps", np.int8, COUNT), ("left", np.int16), ("mover", np.int8)])


def start(state, rng):
    for heap in range(COUNT):
        state.heaps[heap] = SIZES[heap]
        state.left += SIZES[heap]


def legal(state, out):
    count = 0
    for heap in range(COUNT):
        for take in range(state.heaps[heap]):
            out[count] = heap * MOST + take
            count += 1
    return count


def play(state, action, rng):
    take = action % MOST + 1
    state.heaps[action // MOST] -= take
    state.left -= take
    state.mover = 1 - state.mover


def wins(state, out):
    if misere:
        return 0  # the last stone loses, and before it nothing ends
    for heap in range(COUNT):
        if state.heaps[heap] == state.left:
            out[0] = heap * MOST + state.left - 1
            return 1
    return 0


def mover(state):
    return state.mover if state.left > 0 else -1


def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.left == 0:
        # The player who would be next found nothing to take.
        winner = state.mover if misere else 1 - state.mover
        out[winner] = 1.0
        out[1 - winner] = -1.0


def key(state):
    total = state.mover
    for heap in range(COUNT):
        total = (MOST_STONES + 1) * total + state.heaps[heap]  # nine heaps of two digits and the mover fit 63 bits
    return total


def action_name(state, action):
    return f"{action % MOST + 1} from heap {chr(ord('A') + action // MOST)}"


def draw(state):
    lines = [f"{chr(ord('A') + heap)} {state.heaps[heap]:2} {'o' * state.heaps[heap]}".rstrip() for heap in range(COUNT)]
    return "\n".join(lines)


def svg(state):
    wide, high, tall = 74, 22, min(MOST, 20)
    width, base = COUNT * wide + 30, tall * high + 70
    picture = Picture(width, base + 50, "Nim", PAPER)
    if state.left == 0:
        words, colour = "no stone left", INK
    else:
        words, colour = f"player {state.mover} takes", PLAYER_COLOURS[state.mover]
    picture.text(width / 2, 22, words, 17, colour, bold=True)
    picture.rect(10, base, width - 20, 8, BOARD_DARK, rx=4)
    for heap in range(COUNT):
        x, stones = 15 + (heap + 0.5) * wide, state.heaps[heap]
        for stone in range(SIZES[heap]):
            if stone >= tall:
                break  # a taller heap is told by its number alone
            fill, stroke = (BOARD, LINE) if stone < stones else ("none", "#e3dccf")
            picture.rect(x - 24, base - (stone + 1) * high + 2, 48, high - 4, fill, stroke, 1.2, rx=9)
        picture.text(x, base - min(SIZES[heap], tall) * high - 12, str(stones), 15, INK, bold=True)
        picture.text(x, base + 28, chr(ord("A") + heap), 17, MUTED)
    return str(picture)
