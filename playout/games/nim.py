"""Nim: take any number of stones from one heap; whoever takes the last stone wins."""

import numpy as np

from playout import PlayoutError, parameter
from playout.game.contract import ALL_LEGAL
from playout.picture import BOARD, BOARD_DARK, FAINT, INK, LINE, MUTED, PAPER, PLAYER_COLOURS, Picture

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


def safe(state, out):
    rest = 0
    for heap in range(COUNT):
        rest += state.heaps[heap] != 0
    if misere or rest != 2:
        return ALL_LEGAL
    # Whoever empties one of two heaps leaves the other.
    count = 0
    for heap in range(COUNT):
        for take in range(state.heaps[heap] - 1):
            out[count] = heap * MOST + take
            count += 1
    return count


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
    wide, high = 74, min(22.0, 440 / MOST)
    width, base = COUNT * wide + 30, MOST * high + 70
    if state.left == 0:
        words, colour = "no stone left", INK
    else:
        words, colour = f"player {state.mover} takes", PLAYER_COLOURS[state.mover]
    picture = Picture(width, base + 50, f"Nim: {words}", PAPER)
    picture.text(width / 2, 22, words, 17, colour, bold=True)
    picture.rect(10, base, width - 20, 8, BOARD_DARK, rx=4)
    for heap in range(COUNT):
        x, stones = 15 + (heap + 0.5) * wide, state.heaps[heap]
        for stone in range(SIZES[heap]):
            y, gap = base - (stone + 1) * high, high / 11
            # A stone is taken with all that lie on it.
            action = heap * MOST + stones - stone - 1 if stone < stones else None
            with picture.action(action, "" if action is None else f"take {action_name(state, action)}"):
                fill, stroke = (BOARD, LINE) if stone < stones else ("none", FAINT)
                picture.rect(x - 24, y + gap, 48, high - 2 * gap, fill, stroke, min(1.2, gap), rx=min(9.0, high / 3))
                if action is not None:
                    picture.hit(x - 28, y, 56, high)
        picture.text(x, base - SIZES[heap] * high - 12, str(stones), 15, INK, bold=True)
        picture.text(x, base + 28, chr(ord("A") + heap), 17, MUTED)
    return str(picture)
