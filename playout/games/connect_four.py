"""Connect Four: drop discs into columns, four in a row wins."""

import numpy as np

from playout import PlayoutError, below, parameter, popcount
from playout.picture import BOARD, BOARD_DARK, MUTED, PAPER, Picture, choices, standing

columns = parameter("columns", 7, "columns of the board", low=1, high=9)
rows = parameter("rows", 6, "rows of the board", low=1, high=9)

# Bitboards: a column takes rows + 1 bits, counted from the bottom, the top one always empty so that no line
# runs over into the next column and a full column has somewhere to carry to.
HEIGHT = rows + 1
BOTTOM = sum(1 << column * HEIGHT for column in range(columns))
COLUMN = (1 << rows) - 1
SPARE = BOTTOM << rows
PLACES = BOTTOM * COLUMN

if columns * HEIGHT > 63:
    raise PlayoutError(f"a board of columns={columns} and rows={rows} is too big: columns * (rows + 1) must be at most 63")

players = 2
actions = columns
returns_range = (-1, 1)
encoding = (3, rows, columns)
symmetries = 2  # as it is, and left for right
State = np.dtype([("discs", np.int64, 2), ("moves", np.int8), ("winner", np.int8)])


def start(state, rng):
    pass  # the state arrives zeroed, and zero is the empty board


def legal(state, out):
    taken = state.discs[0] | state.discs[1]
    count = 0
    for column in range(columns):
        if not taken & (1 << (column * HEIGHT + rows - 1)):
            out[count] = column
            count += 1
    return count


if columns < 1 << rows:

    def pick(state, rng):
        free = ~(state.discs[0] | state.discs[1]) >> rows - 1 & BOTTOM
        place = below(rng, popcount(free))
        # A product with BOTTOM counts, in the bits of each column, the free ones up to there. Those with no more than `place` lie before it.
        return popcount((place | 1 << rows) * BOTTOM - free * BOTTOM & SPARE)


def play(state, action, rng):
    player = state.moves & 1
    taken = state.discs[0] | state.discs[1]
    # One added at the bottom of a column carries through its discs to the first free place.
    discs = state.discs[player] | (taken + (1 << action * HEIGHT)) & ~taken
    state.discs[player] = discs
    state.moves += 1
    if four_in_a_row(discs):
        state.winner = player + 1


def four_in_a_row(discs):
    for step in (1, HEIGHT, HEIGHT - 1, HEIGHT + 1):  # up, right, right and down, right and up
        pairs = discs & (discs >> step)
        if pairs & (pairs >> 2 * step):
            return True
    return False


def wins(state, out):
    taken = state.discs[0] | state.discs[1]
    # Every place that completes four; a disc can go on top of each column, and never on the spare bit above.
    places = completing(state.discs[state.moves & 1]) & (taken + BOTTOM) & ~taken & PLACES
    count = 0
    if places != 0:
        for column in range(columns):
            if places & (COLUMN << column * HEIGHT):
                out[count] = column
                count += 1
    return count


def safe(state, out):
    taken = state.discs[0] | state.discs[1]
    theirs = completing(state.discs[1 - (state.moves & 1)]) & PLACES
    landing = (taken + BOTTOM) & PLACES
    threats = theirs & landing
    # One threat must be blocked, two cannot be; and a disc right below a place of theirs gives it to them.
    landing = (landing if threats == 0 else threats if threats & (threats - 1) == 0 else 0) & ~(theirs >> 1)
    count = 0
    for column in range(columns):
        out[count] = column
        count += landing & (COLUMN << column * HEIGHT) != 0
    return count


def completing(discs):
    """Places that three of these discs make a four with, as a bitboard; some lie outside the board."""
    found = (discs << 1) & (discs << 2) & (discs << 3)
    for step in (HEIGHT, HEIGHT - 1, HEIGHT + 1):
        left, right = discs << step, discs >> step
        before, after = left & (discs << 2 * step), right & (discs >> 2 * step)
        found |= before & ((discs << 3 * step) | right) | after & ((discs >> 3 * step) | left)
    return found


def mover(state):
    if state.winner != 0 or state.moves == rows * columns:
        return -1
    return state.moves & 1


def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.winner != 0:
        out[state.winner - 1] = 1.0
        out[2 - state.winner] = -1.0


def key(state):
    # taken + BOTTOM has exactly one bit per column, on top of its discs; below it go the discs of player 0. So two
    # boards never share a key, and the mover needs no bit of its own: it follows from the number of discs.
    taken = state.discs[0] | state.discs[1]
    return taken + BOTTOM + state.discs[0]


def encode(state, player, out):
    """The player's discs, the other's, and where the next one can land."""
    taken = state.discs[0] | state.discs[1]
    landing = (taken + BOTTOM) & ~taken
    for column in range(columns):
        for row in range(rows):
            bit = 1 << column * HEIGHT + row
            if state.discs[player] & bit:
                out[0, row, column] = 1.0
            elif state.discs[1 - player] & bit:
                out[1, row, column] = 1.0
            elif landing & bit:
                out[2, row, column] = 1.0


def mirror_encoding(symmetry, encoded):
    return encoded[:, :, ::-1] if symmetry else encoded


def mirror_action(symmetry, action):
    return columns - 1 - action if symmetry else action


def mirrored(board):
    """A bitboard with its columns in reverse."""
    column, turned = (1 << HEIGHT) - 1, 0
    for _ in range(columns):
        turned = turned << HEIGHT | board & column
        board >>= HEIGHT
    return turned


def canonical(state):
    here = key(state)
    return min(here, mirrored(here))


def action_name(state, action):
    return chr(ord("a") + action)


def disc_at(state, column, row):
    """0 for an empty place, else 1 + the player."""
    bit = 1 << column * HEIGHT + row
    return 1 if state.discs[0] & bit else 2 if state.discs[1] & bit else 0


def draw(state):
    lines = [" ".join(".XO"[disc_at(state, c, r)] for c in range(columns)) for r in reversed(range(rows))]
    return "\n".join([*lines, " ".join(action_name(state, c) for c in range(columns))])


def winning_discs(discs):
    """The discs that lie in a line of four, as a bitboard."""
    found = 0
    for step in (1, HEIGHT, HEIGHT - 1, HEIGHT + 1):
        pairs = discs & (discs >> step)
        first = pairs & (pairs >> 2 * step)
        found |= first | first << step | first << 2 * step | first << 3 * step
    return found


def svg(state):
    size, frame = 60, 12
    high = rows * size + 2 * frame
    picture = Picture(
        columns * size + 2 * frame, high + 26, f"Connect Four: {standing(mover(state), state.winner - 1, 'XO')}", PAPER
    )
    picture.rect(4, 4, columns * size + 2 * frame - 8, high - 8, BOARD, BOARD_DARK, 3, rx=14)
    won = winning_discs(state.discs[state.winner - 1]) if state.winner else 0
    marked = choices(state, mover, legal, columns)
    for column in range(columns):
        x, name = frame + (column + 0.5) * size, action_name(state, column)
        with picture.action(column if column in marked else None, f"column {name}"):
            for row in range(rows):
                y = frame + (rows - row - 0.5) * size
                disc = disc_at(state, column, row)
                if disc == 0:
                    picture.circle(x, y, 0.39 * size, PAPER, BOARD_DARK, 1.5)
                    continue
                picture.stone(x, y, 0.41 * size, disc - 1, "XO"[disc - 1])
                if won >> column * HEIGHT + row & 1:
                    picture.circle(x, y, 0.36 * size, "none", PAPER, 4)
            picture.text(x, high + 11, name, 17, MUTED)
            if column in marked:
                picture.hit(x - size / 2, 4, size, high + 18, 6)
    return str(picture)
