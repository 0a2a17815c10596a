"""Breakthrough: be the first to bring a piece to the other side."""

import numpy as np

from playout import below, lowest, parameter, pop, popcount
from playout.game.contract import ALL_LEGAL
from playout.picture import BOARD, BOARD_DARK, INK, LINE, MUTED, PAPER, Picture, choices

rows = parameter("rows", 8, "rows of the board", low=4, high=8)
columns = parameter("columns", 8, "columns of the board", low=2, high=8)

players = 2
actions = rows * columns * 3  # from-square * 3 + direction: 0 towards column a, 1 straight, 2 away from column a
most_legal = 2 * columns * 3
returns_range = (-1, 1)
encoding = (5, rows, columns)
symmetries = 2  # as it is, and left for right

# 64 squares fill a uint64, and one signed integer in the arithmetic would make a compiler leave it: all constants are uint64.
# Square a1 is bit 0, b1 bit 1. Player 0 starts at the bottom, on rows 1 and 2, and moves up.
State = np.dtype([("pieces", np.uint64, 2), ("mover", np.int64), ("winner", np.int64)])

NONE, ONE = np.uint64(0), np.uint64(1)
UP = np.uint64(columns)
UP_LEFT, UP_RIGHT = np.uint64(columns - 1), np.uint64(columns + 1)
BOTTOM = np.uint64(2**columns - 1)
TOP = BOTTOM << np.uint64((rows - 1) * columns)
LEFT = np.uint64(sum(1 << (row * columns) for row in range(rows)))
NOT_LEFT, NOT_RIGHT = ~LEFT, ~(LEFT << np.uint64(columns - 1))


def start(state, rng):
    state.pieces[0] = BOTTOM | (BOTTOM << UP)
    state.pieces[1] = TOP | (TOP >> UP)


def moves_of(mine, theirs, player):
    """The pieces that can go towards column a, straight, and away from column a."""
    if player == 0:
        left = mine & NOT_LEFT & ~(mine >> UP_LEFT)
        straight = mine & ~((mine | theirs) >> UP)
        right = mine & NOT_RIGHT & ~(mine >> UP_RIGHT)
    else:
        left = mine & NOT_LEFT & ~(mine << UP_RIGHT)
        straight = mine & ~((mine | theirs) << UP)
        right = mine & NOT_RIGHT & ~(mine << UP_LEFT)
    return left, straight, right


def legal(state, out):
    # A player always has a move: a piece that cannot go diagonally has a friend there, and the foremost one has none ahead.
    left, straight, right = moves_of(state.pieces[state.mover], state.pieces[1 - state.mover], state.mover)
    return write_moves(left, straight, right, out)


def write_moves(left, straight, right, out):
    count = 0
    movable = left | straight | right
    while movable != NONE:
        square = lowest(movable)
        movable = pop(movable)
        # No branches: an id that turns out illegal is overwritten by the next one.
        out[count] = square * 3
        count += bit(left, square)
        out[count] = square * 3 + 1
        count += bit(straight, square)
        out[count] = square * 3 + 2
        count += bit(right, square)
    return count


def bit(board, square):
    return np.int64((board >> np.uint64(square)) & ONE)


def pick(state, rng):
    left, straight, right = moves_of(state.pieces[state.mover], state.pieces[1 - state.mover], state.mover)
    place = below(rng, popcount(left) + popcount(straight) + popcount(right))
    movable = left | straight | right
    square = lowest(movable)
    ways = ways_of(left, straight, right, square)
    while place >= ways:
        place -= ways
        movable = pop(movable)
        square = lowest(movable)
        ways = ways_of(left, straight, right, square)
    # Of the ways from that square, a closed one moves the place on.
    place += bit(left, square) == 0
    place += (place > 0) & (bit(straight, square) == 0)
    return square * 3 + place


def ways_of(left, straight, right, square):
    return bit(left, square) + bit(straight, square) + bit(right, square)


def play(state, action, rng):
    player = state.mover
    target = ONE << np.uint64(target_of(player, action))
    theirs = state.pieces[1 - player] & ~target
    state.pieces[player] = (state.pieces[player] ^ (ONE << np.uint64(action // 3))) | target
    state.pieces[1 - player] = theirs
    state.mover = 1 - player
    # Only the last row can be reached from here: nobody enters the own first row.
    if target & (TOP | BOTTOM) != NONE or theirs == NONE:
        state.mover = -1
        state.winner = player


def target_of(player, action):
    ahead = columns if player == 0 else -columns
    return action // 3 + ahead + action % 3 - 1


def wins(state, out):
    player = state.mover
    mine, theirs = state.pieces[player], state.pieces[1 - player]
    nearly = mine & ((TOP >> UP) if player == 0 else (BOTTOM << UP))
    alone = theirs & (theirs - ONE) == NONE
    if nearly == NONE and not alone:
        return 0
    left, straight, right = moves_of(mine, theirs, player)
    if alone:
        # Taking the last piece wins as well, and only diagonally.
        to_left, _, to_right = whence(theirs, player)
        return write_moves(left & (nearly | to_left), straight & nearly, right & (nearly | to_right), out)
    return write_moves(left & nearly, straight & nearly, right & nearly, out)


def safe(state, out):
    player = state.mover
    mine, theirs = state.pieces[player], state.pieces[1 - player]
    nearly = theirs & ((BOTTOM << UP) if player == 0 else (TOP >> UP))
    last = mine & (mine - ONE) == NONE
    if nearly == NONE and not last:
        return ALL_LEGAL
    left, straight, right = moves_of(mine, theirs, player)
    if nearly != NONE:
        # A piece before the last row always gets there, so it must be taken; and of two only one can be.
        if nearly & (nearly - ONE) != NONE:
            return 0
        to_left, _, to_right = whence(nearly, player)
        left, straight, right = left & to_left, NONE, right & to_right
    if last:
        # The last piece must not go where it can be taken.
        to_left, ahead, to_right = whence(taken_by(theirs, 1 - player), player)
        left, straight, right = left & ~to_left, straight & ~ahead, right & ~to_right
    return write_moves(left, straight, right, out)


def whence(targets, player):
    """The squares from which a piece goes to one of these towards column a, straight, and away from column a."""
    if player == 0:
        return targets >> UP_LEFT, targets >> UP, targets >> UP_RIGHT
    return targets << UP_RIGHT, targets << UP, targets << UP_LEFT


def taken_by(pieces, player):
    """The squares on which these pieces take."""
    if player == 0:
        return ((pieces & NOT_LEFT) << UP_LEFT) | ((pieces & NOT_RIGHT) << UP_RIGHT)
    return ((pieces & NOT_LEFT) >> UP_RIGHT) | ((pieces & NOT_RIGHT) >> UP_LEFT)


def encode(state, player, out):
    """The player's pieces, the other's, what is empty; and a plane of ones for each player's eyes, since the two go different ways."""
    for square in range(rows * columns):
        plane = 0 if bit(state.pieces[player], square) else 1 if bit(state.pieces[1 - player], square) else 2
        out[plane, square // columns, square % columns] = 1.0
        out[3 + player, square // columns, square % columns] = 1.0


def mirror_encoding(symmetry, encoded):
    return encoded[:, :, ::-1] if symmetry else encoded


def mirror_action(symmetry, action):
    square, way = action // 3, action % 3
    return (square + columns - 1 - 2 * (square % columns)) * 3 + 2 - way if symmetry else action


def mover(state):
    return state.mover


def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.mover < 0:
        out[state.winner] = 1.0
        out[1 - state.winner] = -1.0


def key(state):
    # Six rounds of xorshift spread each bit of one board over the word, so that the two boards do not cancel out.
    word = state.pieces[1]
    for _ in range(6):
        word ^= word << np.uint64(12)
        word ^= word >> np.uint64(25)
        word ^= word << np.uint64(27)
    word ^= state.pieces[0]
    return np.int64(~word if state.mover == 1 else word)


def square_name(square):
    return "abcdefgh"[square % columns] + str(square // columns + 1)


def action_name(state, action):
    target = target_of(state.mover, action)
    between = "x" if bit(state.pieces[1 - state.mover], target) else "-"
    return square_name(action // 3) + between + square_name(target)


SQUARES = {square_name(square): square for square in range(rows * columns)}


def status(state):
    colours = ("red", "blue")
    if state.mover < 0:
        return f"{colours[state.winner]} wins"
    return f"{colours[state.mover]} to move"


def owner_of(state, square):
    return 0 if bit(state.pieces[0], square) else 1 if bit(state.pieces[1], square) else -1


def draw(state):
    lines = []
    for row in reversed(range(rows)):
        pieces = " ".join("RB."[owner_of(state, row * columns + column)] for column in range(columns))
        lines.append(f"{row + 1} {pieces}")
    return "\n".join([*lines, "  " + " ".join("abcdefgh"[:columns]), f"{status(state)} (red moves up, blue down)"])


def svg(state):
    cell, margin = 48, 28
    width, height = columns * cell + 2 * margin, rows * cell + 2 * margin
    picture = Picture(width, height + 26, f"Breakthrough: {status(state)}", PAPER)
    picture.rect(margin - 3, margin - 3, columns * cell + 6, rows * cell + 6, LINE, rx=3)
    marked = choices(state, mover, legal, most_legal)
    ends = {action // 3 for action in marked} | {target_of(state.mover, action) for action in marked}
    for square in range(rows * columns):
        row, column = square // columns, square % columns
        x, y = margin + column * cell, margin + (rows - 1 - row) * cell
        with picture.part(square_name(square) if square in ends else None, square_name(square)):
            picture.rect(x, y, cell, cell, BOARD if (row + column) % 2 else BOARD_DARK)
            player = owner_of(state, square)
            if player >= 0:
                picture.stone(x + cell / 2, y + cell / 2, 17, player, "RB"[player])
            if square in ends:
                picture.hit(x, y, cell, cell)
    for column in range(columns):
        picture.text(margin + (column + 0.5) * cell, margin + rows * cell + 14, "abcdefgh"[column], 13, MUTED)
    for row in range(rows):
        picture.text(margin / 2 - 1, margin + (rows - 0.5 - row) * cell, str(row + 1), 13, MUTED)
    picture.text(width / 2, height + 8, status(state), 15, INK)
    return str(picture)


def clicked(state, parts):
    """The piece, and then where it goes."""
    source, target = SQUARES.get(parts[0], -1), SQUARES.get(parts[-1], -1)
    if len(parts) < 2 or min(source, target) < 0 or owner_of(state, source) != state.mover:
        return -1
    aside, ahead = target % columns - source % columns, target // columns - source // columns
    there = owner_of(state, target)
    if ahead != 1 - 2 * state.mover or abs(aside) > 1 or there == state.mover or (aside == 0 and there >= 0):
        return -1
    return 3 * source + aside + 1
