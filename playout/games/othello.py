"""Othello (Reversi): outflank discs to turn them, most discs wins.

Lines of 1, 2, ... actions from the start, a pass being one:

    size  lines
    8     4, 12, 56, 244, 1396, 8200, 55092
    6     4, 12, 56, 244, 1364, 7604, 47740
    4     4, 12, 44, 128, 424, 1256, 3624, 9112, 20032

The second player wins the two smaller ones: 4 by exhaustion (`playout solve othello:size=4`), 6 by 20 to 16 (Feinstein 1993).
"""

import numpy as np

from playout import PlayoutError, below, lowest, parameter, pop, popcount
from playout.picture import BLACK, INK, MUTED, PAPER, WHITE, Picture

size = parameter("size", 8, "rows and columns of the board: 4, 6 or 8", low=4, high=8)
if size % 2:
    raise PlayoutError(f"parameter size={size} leaves no centre to begin from; take 4, 6 or 8")

players = 2
PASS = 9 * size - 8  # behind the last square
actions = PASS + 1
most_legal = size * size - 4  # the four centre squares are never empty
returns_range = (-1, 1)
encoding = (4, size, size)
symmetries = 8

# 64 squares fill a uint64, and one signed integer in the arithmetic would make a compiler leave it: all constants are uint64.
# Square a1 is bit 0, h1 is bit 7, h8 is bit 63; smaller boards lie in that corner. The legal squares of the mover are kept, since three
# functions ask for them.
State = np.dtype([("discs", np.uint64, 2), ("moves", np.uint64), ("mover", np.int64)])

ONE, SEVEN, EIGHT, NINE = np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)
NONE = np.uint64(0)
LOW, HIGH = size // 2 - 1, size // 2
FIRST = np.uint64(1 << (HIGH + 8 * LOW) | 1 << (LOW + 8 * HIGH))
SECOND = np.uint64(1 << (LOW + 8 * LOW) | 1 << (HIGH + 8 * HIGH))
SQUARES = np.uint64(sum(1 << (x + 8 * y) for x in range(size) for y in range(size)))
# Without the first and the last column, so that no line wraps into the next row.
NOT_EDGE = np.uint64(sum(1 << (x + 8 * y) for x in range(1, size - 1) for y in range(size)))


def start(state, rng):
    state.discs[0] = FIRST
    state.discs[1] = SECOND
    state.moves = squares_to_play(state.discs[0], state.discs[1])


def legal(state, out):
    moves = state.moves
    if moves == NONE:
        out[0] = PASS
        return 1
    count = 0
    while moves != NONE:
        out[count] = lowest(moves)
        moves = pop(moves)
        count += 1
    return count


def pick(state, rng):
    moves = state.moves
    if moves == NONE:
        return PASS
    for _ in range(below(rng, popcount(moves))):
        moves = pop(moves)
    return lowest(moves)


def play(state, action, rng):
    player = state.mover
    mine, theirs = state.discs[player], state.discs[1 - player]
    if action != PASS:
        disc = ONE << np.uint64(action)
        turned = turned_by(disc, mine, theirs)
        mine, theirs = mine | disc | turned, theirs ^ turned
        state.discs[player], state.discs[1 - player] = mine, theirs
    moves = squares_to_play(theirs, mine)
    state.moves = moves
    state.mover = 1 - player
    if moves == NONE and squares_to_play(mine, theirs) == NONE:
        state.mover = -1


def squares_to_play(mine, theirs):
    """The empty squares where a disc of mine would turn a disc of theirs."""
    inner = theirs & NOT_EDGE
    ends = line_ends(mine, inner, ONE) | line_ends(mine, inner, SEVEN)
    ends |= line_ends(mine, theirs, EIGHT) | line_ends(mine, inner, NINE)
    return ends & ~(mine | theirs) & SQUARES


def turned_by(disc, mine, theirs):
    """The discs of theirs that a new disc of mine turns."""
    inner = theirs & NOT_EDGE
    turned = outflanked(disc, mine, inner, ONE) | outflanked(disc, mine, inner, SEVEN)
    return turned | outflanked(disc, mine, theirs, EIGHT) | outflanked(disc, mine, inner, NINE)


def line_ends(mine, theirs, step):
    up, down = lines(mine, theirs, step)
    return (up << step) | (down >> step)


def outflanked(disc, mine, theirs, step):
    up, down = lines(disc, theirs, step)
    turned = NONE
    if (up << step) & mine != NONE:
        turned = up
    if (down >> step) & mine != NONE:
        turned |= down
    return turned


def lines(origin, theirs, step):
    """The unbroken lines of theirs that begin next to an origin, both ways along one direction."""
    # A line is at most six long, on the biggest board: it grows to 2 discs, then by pairs of theirs to 4 and to 6.
    twice = step + step
    pairs = theirs & (theirs << step)
    up = theirs & (origin << step)
    up |= theirs & (up << step)
    up |= pairs & (up << twice)
    up |= pairs & (up << twice)
    pairs >>= step
    down = theirs & (origin >> step)
    down |= theirs & (down >> step)
    down |= pairs & (down >> twice)
    down |= pairs & (down >> twice)
    return up, down


def encode(state, player, out):
    """The player's discs, the other's, what is empty, and where the mover can play."""
    for square in range(size * size):
        x, y = square % size, square // size
        bit = ONE << np.uint64(x + 8 * y)
        if state.discs[player] & bit != NONE:
            out[0, y, x] = 1.0
        elif state.discs[1 - player] & bit != NONE:
            out[1, y, x] = 1.0
        else:
            out[2, y, x] = 1.0
        if state.moves & bit != NONE:
            out[3, y, x] = 1.0


def mirror_encoding(symmetry, encoded):
    turned = np.rot90(encoded, symmetry % 4, (1, 2))
    return turned[:, :, ::-1] if symmetry >= 4 else turned


# Where each square comes from; action ids count eight to a row whatever the size, and those beside a smaller board stay.
_squares = np.array([[[x + 8 * y for x in range(size)] for y in range(size)]])
_lands = np.tile(np.arange(actions), (symmetries, 1))
for _k in range(symmetries):
    _lands[_k, mirror_encoding(_k, _squares).ravel()] = _squares.ravel()


def mirror_action(symmetry, action):
    return _lands[symmetry, action]


def mover(state):
    return state.mover


def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.mover < 0:
        lead = popcount(state.discs[0]) - popcount(state.discs[1])
        if lead > 0:
            out[0], out[1] = 1.0, -1.0
        elif lead < 0:
            out[0], out[1] = -1.0, 1.0


def key(state):
    # Six rounds of xorshift spread each bit of one board over the word, so that the two boards do not cancel out.
    word = state.discs[1]
    for _ in range(6):
        word ^= word << np.uint64(12)
        word ^= word >> np.uint64(25)
        word ^= word << np.uint64(27)
    word ^= state.discs[0]
    return np.int64(~word if state.mover == 1 else word)


def action_name(state, action):
    return "pass" if action == PASS else "abcdefgh"[action % 8] + str(action // 8 + 1)


def status(state):
    colours = ("black", "white")
    score = [popcount(state.discs[0]), popcount(state.discs[1])]
    if state.mover >= 0:
        return f"{colours[state.mover]} to move" + ("" if state.moves else " must pass") + f", {score[0]} : {score[1]}"
    if score[0] == score[1]:
        return f"draw, {score[0]} : {score[1]}"
    return f"{colours[score[1] > score[0]]} wins, {score[0]} : {score[1]}"


def has(board, square):
    return board >> np.uint64(square) & ONE != NONE


def draw(state):
    lines = ["  " + " ".join("abcdefgh"[:size])]
    for row in range(size):
        squares = range(row * 8, row * 8 + size)
        discs = ("X" if has(state.discs[0], s) else "O" if has(state.discs[1], s) else "." for s in squares)
        lines.append(f"{row + 1} " + " ".join(discs))
    return "\n".join([*lines, f"{status(state)} (X is black)"])


def svg(state):
    cell, margin, board = 48, 30, size * 48
    picture = Picture(board + 2 * margin, board + 2 * margin + 12, f"Othello: {status(state)}", PAPER)
    picture.rect(margin - 4, margin - 4, board + 8, board + 8, "#24523a", rx=4)
    picture.rect(margin, margin, board, board, "#3b8259")
    for i in range(1, size):
        picture.line(margin + i * cell, margin, margin + i * cell, margin + board, "#24523a", 1.5)
        picture.line(margin, margin + i * cell, margin + board, margin + i * cell, "#24523a", 1.5)
    for x, y in ((2, 2), (2, size - 2), (size - 2, 2), (size - 2, size - 2)):
        picture.circle(margin + x * cell, margin + y * cell, 4, "#24523a")
    for square in range(64):
        x, y = margin + (square % 8 + 0.5) * cell, margin + (square // 8 + 0.5) * cell
        if has(state.discs[0], square):
            picture.circle(x, y, 19, BLACK, "#000000", 1)
        elif has(state.discs[1], square):
            picture.circle(x, y, 19, WHITE, "#b9c4bc", 1)
        elif has(state.moves, square) and state.mover >= 0:
            with picture.action(square, action_name(state, square)):
                picture.circle(x, y, 5, (BLACK, WHITE)[state.mover])
                picture.hit(x - cell / 2, y - cell / 2, cell, cell)
    for i, letter in enumerate("abcdefgh"[:size]):
        picture.text(margin + (i + 0.5) * cell, margin / 2 - 1, letter, 13, MUTED)
        picture.text(margin / 2 - 1, margin + (i + 0.5) * cell, str(i + 1), 13, MUTED)
    picture.text(margin + board / 2, board + 1.5 * margin + 8, status(state), 15, INK)
    if state.mover >= 0 and state.moves == NONE:
        picture.button(margin + board - 64, board + 1.5 * margin - 6, 64, 26, "pass", PASS)
    return str(picture)
