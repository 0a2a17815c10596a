"""Hex: connect your two sides of the board."""

from itertools import pairwise

import numpy as np

from playout import lowest, parameter, pop
from playout.game.stream import mix
from playout.picture import BOARD, INK, LINE, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture

size = parameter("size", 11, "cells along each side", low=1, high=19)
swap = parameter("swap", False, "whether the second player may take over the first stone")

CELLS = size * size
SWAP = CELLS

players = 2
actions = CELLS + swap
most_legal = CELLS
returns_range = (-1, 1)

# The board has a rim, one cell wide: its top and bottom belong to player 0, its left and right to player 1. So a stone
# joins a side as it joins any neighbour, and no neighbour needs a bounds check.
WIDTH = size + 2
RIMMED = WIDTH * WIDTH
State = np.dtype(
    [
        ("hash", np.int64),
        ("group", np.int16, RIMMED),  # union-find: another stone of the chain, nearer to its root; a root has itself
        ("cells", np.int16, CELLS),  # every action once: the first `empty` can be played, then the stones, latest first
        ("place", np.int16, CELLS),  # where an action is among them
        ("empty", np.int16),
        ("owner", np.int8, RIMMED),  # 0 empty, else the player + 1
        ("mover", np.int8),
        ("winner", np.int8),
    ]
)
AROUND = (-WIDTH, 1 - WIDTH, 1, WIDTH, WIDTH - 1, -1)  # the neighbours in a circle, each one next to the one before
ONE_SIDE = (1, WIDTH)  # a rim cell of the top for player 0, of the left for player 1
OTHER_SIDE = (RIMMED - WIDTH + 1, 2 * WIDTH - 1)
LETTERS = "abcdefghijklmnopqrs"
COLOURS = ("red", "blue")
ZOBRIST = np.array([mix(n) for n in range(1, 2 * CELLS + 1)], np.uint64).astype(np.int64)


def start(state, rng):
    for action in range(CELLS):
        state.cells[action] = action
        state.place[action] = action
    state.empty = CELLS
    for cell in range(RIMMED):
        state.group[cell] = cell
    for i in range(size):
        put_side(state, ONE_SIDE[0], i, 0)
        put_side(state, OTHER_SIDE[0], i, 0)
        put_side(state, ONE_SIDE[1], i * WIDTH, 1)
        put_side(state, OTHER_SIDE[1], i * WIDTH, 1)


def put_side(state, root, step, player):
    state.owner[root + step] = player + 1
    state.group[root + step] = root


def legal(state, out):
    count = state.empty
    for i in range(count):
        out[i] = state.cells[i]
    if swap and state.mover == 1 and count == CELLS - 1:
        out[count] = SWAP
        count += 1
    return count


def play(state, action, rng):
    player = state.mover
    if swap and action == SWAP:
        # The stone changes its colour and is mirrored, which is the same as changing seats.
        first = state.cells[CELLS - 1]
        take_back(state, first)
        action = first % size * size + first // size
    put_stone(state, action, player)


def put_stone(state, action, player):
    take_cell(state, action)
    state.hash ^= ZOBRIST[player * CELLS + action]
    state.mover = 1 - player
    cell = rimmed(action)
    state.owner[cell] = player + 1
    friends = 0
    for i in range(6):
        friends |= (state.owner[cell + AROUND[i]] == player + 1) << i
    # Friends side by side around the cell are joined already: the first of each run is enough. Six friends are one closed
    # run without a first, and a stone amid them connects nothing.
    runs = friends & ~(friends << 1 | friends >> 5)
    joined = 0
    while runs != 0:
        friend = cell + AROUND[lowest(runs)]
        runs = pop(runs)
        if joined == 0:
            state.group[cell] = friend
        else:
            state.group[root_of(state, cell)] = root_of(state, friend)
        joined += 1
    if joined > 1 and root_of(state, ONE_SIDE[player]) == root_of(state, OTHER_SIDE[player]):
        state.mover = -1
        state.winner = player


def take_cell(state, action):
    """Make a cell the first after the empty ones: it changes places with the last of them."""
    state.empty -= 1
    last, place = state.cells[state.empty], state.place[action]
    state.cells[place], state.place[last] = last, place
    state.cells[state.empty], state.place[action] = action, state.empty


def take_back(state, first):
    cell = rimmed(first)
    state.owner[cell] = 0
    state.group[cell] = cell
    state.hash = 0
    state.empty = CELLS


def rimmed(action):
    return action + 2 * (action // size) + WIDTH + 1


def root_of(state, cell):
    # Each step makes the way shorter for the next one who asks.
    while state.group[cell] != cell:
        state.group[cell] = state.group[state.group[cell]]
        cell = state.group[cell]
    return cell


def wins(state, out):
    player = state.mover
    one, other = seen_root(state, ONE_SIDE[player]), seen_root(state, OTHER_SIDE[player])
    count = 0
    for i in range(state.empty):
        cell = rimmed(state.cells[i])
        reached = 0
        for k in range(6):
            if state.owner[cell + AROUND[k]] == player + 1:
                root = seen_root(state, cell + AROUND[k])
                reached |= (root == one) | (root == other) << 1
        if reached == 3:
            out[count] = state.cells[i]
            count += 1
    return count


def seen_root(state, cell):
    """`root_of` for those who may not change the state."""
    while state.group[cell] != cell:
        cell = state.group[cell]
    return cell


def mover(state):
    return state.mover


def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.mover < 0:
        out[state.winner] = 1.0
        out[1 - state.winner] = -1.0


def key(state):
    return state.hash ^ state.mover


def action_name(state, action):
    return "swap" if action == SWAP else LETTERS[action % size] + str(action // size + 1)


def status(state):
    if state.mover < 0:
        return f"{COLOURS[state.winner]} wins"
    return f"{COLOURS[state.mover]} to move"


def draw(state):
    lines = ["   " + " ".join(LETTERS[:size])]
    for row in range(size):
        stones = " ".join(".RB"[state.owner[rimmed(row * size + column)]] for column in range(size))
        lines.append(f"{'':{row}}{row + 1:2} {stones}")
    return "\n".join([*lines, f"{status(state)} (red connects top and bottom, blue left and right)"])


def winning_line(state):
    """The actions along a shortest chain between the two sides of the winner."""
    stones = {rimmed(action): action for action in range(CELLS) if state.owner[rimmed(action)] == state.winner + 1}
    depth = {cell: action // size if state.winner == 0 else action % size for cell, action in stones.items()}
    paths = [[cell] for cell in stones if depth[cell] == 0]
    seen = {path[0] for path in paths}
    for path in paths:
        if depth[path[-1]] == size - 1:
            return [stones[cell] for cell in path]
        for cell in [path[-1] + step for step in AROUND]:
            if cell in stones and cell not in seen:
                seen.add(cell)
                paths.append([*path, cell])
    return []


def svg(state):
    across, down, rim = 36.0, 31.2, 0.97

    def at(row, column):
        return 68 + (column + row / 2) * across, 64 + row * down

    low, high, middle = -rim, size - 1 + rim, (size - 1) / 2
    width, height = at(high, high)
    picture = Picture(width + 16, height + 40, f"Hex: {status(state)}", PAPER)
    corners = [at(low, low), at(low, high), at(high, high), at(high, low)]
    for i in range(4):
        picture.polygon([corners[i - 1], corners[i], at(middle, middle)], PLAYER_COLOURS[1 - i % 2])
    for i in range(size):
        picture.text(*at(-1.4, i + 0.3), LETTERS[i], 14, MUTED)
        picture.text(*at(i, -1.4), str(i + 1), 14, MUTED)
    for action in range(CELLS):
        x, y = at(action // size, action % size)
        hexagon = [(0, -1), (1, -0.5), (1, 0.5), (0, 1), (-1, 0.5), (-1, -0.5)]
        picture.polygon([(x + dx * across / 2, y + dy * down * 2 / 3) for dx, dy in hexagon], BOARD, LINE, 1.2)
        if owner := state.owner[rimmed(action)]:
            picture.circle(x, y, 13, PLAYER_COLOURS[owner - 1])
    if state.empty < CELLS:
        last = state.cells[state.empty]
        picture.circle(*at(last // size, last % size), 4.5, WHITE)
    line = winning_line(state) if state.mover < 0 else []
    for a, b in pairwise(line):
        picture.line(*at(a // size, a % size), *at(b // size, b % size), WHITE, 4)
    picture.text(16, height + 22, status(state), 16, INK, "start")
    return str(picture)
