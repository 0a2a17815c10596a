"""Hex: connect your two sides of the board."""

from itertools import pairwise

import numpy as np

from playout import below, parameter
from playout.game.contract import ALL_LEGAL
from playout.game.stream import mix
from playout.picture import BOARD, INK, LINE, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture, choices

size = parameter("size", 11, "cells along each side", low=1, high=19)
swap = parameter("swap", False, "whether the second player may take over the first stone")

CELLS = size * size
SWAP = CELLS

players = 2
actions = CELLS + swap
most_legal = CELLS
returns_range = (-1, 1)
encoding = (5, size, size)
symmetries = 2  # as it is, and half a turn

# The board has a rim, one cell wide, so that no neighbour needs a bounds check.
#
# What a cell holds is one byte: the player + 1 whose stone is there, or RIM, above four marks. A cell that the rim or a chain from
# one side of a player touches carries a mark: bit 2 * player for the first side (the top for player 0, the left for player 1), the
# next bit for the other. A stone on a cell with both marks connects them, so a look at one cell tells a win, and how many such
# cells are empty is kept. A stone gets at most one mark of its owner, once in a game, and then passes it on to what it touches.
WIDTH = size + 2
RIMMED = WIDTH * WIDTH
RIM, OWNER = 3, 4  # OWNER: where the owner begins
State = np.dtype(
    [
        ("hash", np.int64),
        ("cells", np.int16, CELLS),  # every action once: the first `empty` can be played, then the stones, latest first
        ("place", np.int16, CELLS),  # where an action is among them
        ("waiting", np.int16, CELLS),  # the stack of `pass_on`
        ("empty", np.int16),
        ("winning", np.int16, 2),  # how many empty cells carry both marks of a player
        ("board", np.uint8, RIMMED),
        ("mover", np.int8),
        ("winner", np.int8),
    ]
)
AROUND = (-WIDTH, 1 - WIDTH, 1, WIDTH, WIDTH - 1, -1)  # the neighbours
ONE_SIDE, OTHER_SIDE, BOTH_SIDES = 1, 2, 3
LETTERS = "abcdefghijklmnopqrs"
COLOURS = ("red", "blue")
ZOBRIST = np.array([mix(n) for n in range(1, 2 * CELLS + 1)], np.uint64).astype(np.int64)


def start(state, rng):
    for action in range(CELLS):
        state.cells[action] = action
        state.place[action] = action
    clear_board(state)


def clear_board(state):
    state.hash = 0
    state.empty = CELLS
    for cell in range(RIMMED):
        state.board[cell] = RIM << OWNER
    for action in range(CELLS):
        state.board[rimmed(action)] = 0
    for player in range(2):
        # Rows for player 0, columns for player 1.
        along, across = (1, WIDTH) if player == 0 else (WIDTH, 1)
        for i in range(size):
            state.board[rimmed(0) + i * along] |= ONE_SIDE << 2 * player
            state.board[rimmed(0) + i * along + (size - 1) * across] |= OTHER_SIDE << 2 * player
        state.winning[player] = size == 1


def legal(state, out):
    count = state.empty
    for i in range(count):
        out[i] = state.cells[i]
    if swap and state.mover == 1 and count == CELLS - 1:
        out[count] = SWAP
        count += 1
    return count


def pick(state, rng):
    count = state.empty
    if swap and state.mover == 1 and count == CELLS - 1:
        count += 1
    place = below(rng, count)
    if swap and place == state.empty:
        return SWAP
    return state.cells[place]


def play(state, action, rng):
    player = state.mover
    if swap and action == SWAP:
        # The stone changes its colour and is mirrored, which is the same as changing seats.
        first = state.cells[CELLS - 1]
        clear_board(state)
        action = first % size * size + first // size
    put_stone(state, action, player)


def put_stone(state, action, player):
    take_cell(state, action)
    state.hash ^= ZOBRIST[player * CELLS + action]
    state.mover = 1 - player
    cell = rimmed(action)
    held = state.board[cell]
    state.board[cell] = held | player + 1 << OWNER
    if marks_of(held, 1 - player) == BOTH_SIDES:
        state.winning[1 - player] -= 1
    sides = marks_of(held, player)
    if sides == BOTH_SIDES:
        state.mover = -1
        state.winner = player
    elif sides != 0:
        pass_on(state, cell, player, sides)


def marks_of(held, player):
    return held >> 2 * player & BOTH_SIDES


def owner_of(state, cell):
    return state.board[cell] >> OWNER


def pass_on(state, cell, player, side):
    """Mark all that touches the chain of a stone that has come into touch with a side."""
    mark, anyone = side << 2 * player, RIM << OWNER
    own, other = player + 1 << OWNER, mark ^ BOTH_SIDES << 2 * player
    state.waiting[0] = cell
    waiting, winning = 1, 0
    while waiting > 0:
        waiting -= 1
        here = state.waiting[waiting]
        for i in range(6):
            there = here + AROUND[i]
            held = state.board[there]
            state.board[there] = held | mark
            # No branches, since nothing foretells them: what is not to be kept is overwritten by the next.
            state.waiting[waiting] = there
            waiting += held & (anyone | mark) == own
            winning += held & (anyone | mark | other) == other
    state.winning[player] += winning


def take_cell(state, action):
    """Make a cell the first after the empty ones: it changes places with the last of them."""
    state.empty -= 1
    last, place = state.cells[state.empty], state.place[action]
    state.cells[place], state.place[last] = last, place
    state.cells[state.empty], state.place[action] = action, state.empty


def rimmed(action):
    return action + 2 * (action // size) + WIDTH + 1


def wins(state, out):
    return completing(state, state.mover, out)


def completing(state, player, out):
    """The cells that connect the sides of a player."""
    count = 0
    if state.winning[player] > 0:
        for i in range(state.empty):
            if marks_of(state.board[rimmed(state.cells[i])], player) == BOTH_SIDES:
                out[count] = state.cells[i]
                count += 1
    return count


def safe(state, out):
    theirs = state.winning[1 - state.mover]
    if theirs == 0:
        return ALL_LEGAL
    # One cell must be taken, of two only one can be; but whoever swaps leaves the other without a stone.
    count = completing(state, 1 - state.mover, out) if theirs == 1 else 0
    if swap and state.mover == 1 and state.empty == CELLS - 1:
        out[count] = SWAP
        count += 1
    return count


def encode(state, player, out):
    """The player's stones, the other's, what is empty; and a plane of ones for each player's eyes, since their sides differ."""
    for action in range(CELLS):
        owner = owner_of(state, rimmed(action))
        plane = 2 if owner == 0 else 0 if owner == player + 1 else 1
        out[plane, action // size, action % size] = 1.0
        out[3 + player, action // size, action % size] = 1.0


def mirror_encoding(symmetry, encoded):
    return encoded[:, ::-1, ::-1] if symmetry else encoded


def mirror_action(symmetry, action):
    return CELLS - 1 - action if symmetry and action < CELLS else action


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
        stones = " ".join(".RB"[owner_of(state, rimmed(row * size + column))] for column in range(size))
        lines.append(f"{'':{row}}{row + 1:2} {stones}")
    return "\n".join([*lines, f"{status(state)} (red connects top and bottom, blue left and right)"])


def winning_line(state):
    """The actions along a shortest chain between the two sides of the winner."""
    stones = {rimmed(action): action for action in range(CELLS) if owner_of(state, rimmed(action)) == state.winner + 1}
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
    marked = choices(state, mover, legal, most_legal)
    for action in range(CELLS):
        x, y = at(action // size, action % size)
        hexagon = [(0, -1), (1, -0.5), (1, 0.5), (0, 1), (-1, 0.5), (-1, -0.5)]
        with picture.action(action if action in marked else None, action_name(state, action)):
            picture.polygon([(x + dx * across / 2, y + dy * down * 2 / 3) for dx, dy in hexagon], BOARD, LINE, 1.2)
        if owner := owner_of(state, rimmed(action)):
            picture.stone(x, y, 13, owner - 1, "RB"[owner - 1])
    if state.empty < CELLS:
        last = state.cells[state.empty]
        picture.circle(*at(last // size, last % size), 13, "none", WHITE, 2.5)
    line = winning_line(state) if state.mover < 0 else []
    for a, b in pairwise(line):
        picture.line(*at(a // size, a % size), *at(b // size, b % size), WHITE, 4)
    picture.text(16, height + 22, status(state), 16, INK, "start")
    if SWAP in marked:
        picture.button(width - 74, height + 8, 80, 26, "swap", SWAP, "swap: the stone becomes blue and is mirrored")
    return str(picture)
