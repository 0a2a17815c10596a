"""Phantom tic-tac-toe: three in a row, but the other player's marks are not seen until one is run into.

A player tries a cell. If it is free, the mark stands and the turn ends. If it is taken, the try is refused: the player now
knows that mark, and tries again (with `abrupt` the turn is over). The other player is not told of refused tries. When the
game is over the board is laid open.

What a player knows of the number of marks it does not see: without `abrupt` a turn ends with a mark, so whose turn it is says
how many there are. With `abrupt` a turn of the other player was a mark or a refused try on one of one's own marks, so only
the sum of the two is known. Neither the order of one's own marks nor the time of a refusal says more at one's own turn (a mark
made on any earlier turn can have been found since), so the record keeps sets, not the story.
"""

import numpy as np

from playout import below, parameter, popcount
from playout.picture import BOARD, BOARD_DARK, LINE, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture

abrupt = parameter("abrupt", False, "a refused try ends the turn")

SIDE = 3
CELLS = SIDE * SIDE
FULL = (1 << CELLS) - 1
LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)  # a row is an octal digit
WON = np.array([any(marks & line == line for line in LINES) for marks in range(FULL + 1)])
CHOOSE = np.zeros((CELLS + 1, CELLS + 1), np.int64)
CHOOSE[:, 0] = 1
for _n in range(1, CELLS + 1):
    CHOOSE[_n, 1:] = CHOOSE[_n - 1, 1:] + CHOOSE[_n - 1, :-1]
DRAWN = 3

players = 2
actions = CELLS
returns_range = (-1, 1)
State = np.dtype(
    [
        ("marks", np.int16, 2),  # one bit for each cell that a player has marked
        ("found", np.int16, 2),  # one bit for each mark of the other that a player has run into
        ("turns", np.int8),  # turns that have ended, which both players know; an odd number: player 1 is to act
        ("winner", np.int8),  # 1 + the player, DRAWN when the board is full
    ]
)


def start(state, rng):
    pass  # the state arrives zeroed: an empty board, and player 0 begins


def legal(state, out):
    # Never none: what a player neither has nor knows includes every empty cell, and the game ends on a full board.
    player, count = state.turns & 1, 0
    known = state.marks[player] | state.found[player]
    for cell in range(CELLS):
        if known >> cell & 1 == 0:
            out[count] = cell
            count += 1
    return count


def play(state, action, rng):
    player, bit = state.turns & 1, 1 << action
    if state.marks[1 - player] & bit:
        state.found[player] |= bit
        if abrupt:
            state.turns += 1
        return
    state.marks[player] |= bit
    state.turns += 1
    if WON[state.marks[player]]:
        state.winner = 1 + player
    elif state.marks[0] | state.marks[1] == FULL:
        state.winner = DRAWN


def mover(state):
    return -1 if state.winner > 0 else state.turns & 1


def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.winner == 1 or state.winner == 2:
        out[state.winner - 1] = 1.0
        out[2 - state.winner] = -1.0


def observe(state, player):
    if state.winner == 0:
        state.marks[1 - player] &= state.found[player]
        state.found[1 - player] = 0


def ways(state, player, theirs):
    """How many worlds have these marks of the other player: one for each set of marks that it can have found.

    Without `abrupt` those are all sets, whatever its marks are, and count as one here.
    """
    mine = state.marks[player]
    if WON[theirs] or mine | theirs == FULL:
        return 0  # the game would be over
    count, turns = popcount(theirs), (state.turns + player) // 2
    if not abrupt:
        return 1 if count == turns else 0
    refused = turns - count
    if refused < 0 or refused > popcount(mine) or (player == 1 and count == 0 and turns > 0):
        return 0  # the very first try of a game is never refused
    return CHOOSE[popcount(mine), refused]


def determinize(state, player, rng):
    """Every world is as likely: the marks by the number of worlds that have them, then what the other player has found."""
    if state.winner > 0:
        return
    mine, found = state.marks[player], state.found[player]
    unknown, total = FULL & ~(mine | found), 0
    hidden = unknown
    while hidden >= 0:
        total += ways(state, player, found | hidden)
        hidden = (hidden - 1) & unknown if hidden > 0 else -1
    chosen = below(rng, total)
    hidden = unknown
    while hidden >= 0:
        chosen -= ways(state, player, found | hidden)
        if chosen < 0:
            break
        hidden = (hidden - 1) & unknown
    theirs = found | hidden
    state.marks[1 - player] = theirs
    state.found[1 - player] = found_by_other(mine, (state.turns + player) // 2 - popcount(theirs), rng)


def found_by_other(mine, refused, rng):
    """A random set of these marks: with `abrupt` as many as tries were refused, else any."""
    marks, left, found = popcount(mine), refused, 0
    for cell in range(CELLS):
        if mine >> cell & 1:
            taken = below(rng, marks) < left if abrupt else below(rng, 2) == 1
            if taken:
                found |= 1 << cell
                left -= 1
            marks -= 1
    return found


def key(state):
    # Exact; the winner follows from the marks.
    total = state.turns
    for player in range(2):
        total = (total << CELLS | state.marks[player]) << CELLS | state.found[player]
    return total


def action_name(state, action, viewer):
    return f"{'abc'[action % SIDE]}{action // SIDE + 1}"


def seen_marks(state, viewer):
    """The marks of both players as far as a viewer sees them."""
    marks = [state.marks[0], state.marks[1]]
    if viewer is not None and state.winner == 0:
        marks[1 - viewer] &= state.found[viewer]
    return marks


def hidden_facts(state, viewer):
    """Where the other player's marks are that the viewer has not run into."""
    other = 1 - viewer
    hidden = state.marks[other] & ~state.found[viewer] if state.winner == 0 else 0
    return [f"{'XO'[other]} on {action_name(state, cell, None)}" for cell in range(CELLS) if hidden >> cell & 1]


def draw(state, viewer):
    marks = seen_marks(state, viewer)
    lines = ["  a b c"]
    for row in range(SIDE):
        cells = range(row * SIDE, (row + 1) * SIDE)
        lines.insert(0, f"{row + 1} " + " ".join("X" if marks[0] >> c & 1 else "O" if marks[1] >> c & 1 else "." for c in cells))
    for player in range(players) if viewer is None or state.winner else (viewer,):
        names = [action_name(state, cell, None) for cell in range(CELLS) if state.found[player] >> cell & 1]
        lines.append(f"{'XO'[player]} was refused: {', '.join(names) or '-'}")
    return "\n".join(lines)


def svg(state, viewer):
    size, edge = 60, 34
    length = SIDE * size + 2 * edge
    marks, everyone = seen_marks(state, viewer), viewer is None or state.winner > 0
    found = state.found[0] | state.found[1] if everyone else state.found[viewer]
    picture = Picture(length, length, "Phantom tic-tac-toe", PAPER)
    picture.rect(edge, edge, SIDE * size, SIDE * size, BOARD, BOARD_DARK, 3, rx=6)
    for i in range(1, SIDE):
        picture.line(edge + i * size, edge + 4, edge + i * size, length - edge - 4, LINE, 1.2)
        picture.line(edge + 4, edge + i * size, length - edge - 4, edge + i * size, LINE, 1.2)
    for i in range(SIDE):
        picture.text(edge + (i + 0.5) * size, length - edge / 2 + 2, "abc"[i], 14, MUTED)
        picture.text(edge / 2 - 2, length - edge - (i + 0.5) * size, str(i + 1), 14, MUTED)
    for cell in range(CELLS):
        x, y, r = edge + (cell % SIDE + 0.5) * size, length - edge - (cell // SIDE + 0.5) * size, 0.24 * size
        if found >> cell & 1:
            with picture.note("a try was refused here"):
                picture.rect(x - 0.43 * size, y - 0.43 * size, 0.86 * size, 0.86 * size, WHITE, MUTED, 0.8, rx=0.12 * size)
        if marks[0] >> cell & 1:
            picture.line(x - r, y - r, x + r, y + r, PLAYER_COLOURS[0], 0.13 * size)
            picture.line(x - r, y + r, x + r, y - r, PLAYER_COLOURS[0], 0.13 * size)
        elif marks[1] >> cell & 1:
            picture.circle(x, y, 1.08 * r, "none", PLAYER_COLOURS[1], 0.13 * size)
    return str(picture)
