"""Phantom tic-tac-toe: three in a row, but the other player's marks are not seen until one is run into.

A player tries a cell. If it is free, the mark stands and the turn ends. If it is taken, the try is refused: the player now
knows that mark, and tries again (with `abrupt` the turn is over). The other player is not told of refused tries. When the
game is over the board is laid open.

What a player knows of the number of marks it does not see: without `abrupt` a turn ends with a mark, so whose turn it is says
how many there are. The order of one's own marks and the time of a refusal say no more (a mark can be run into at any later moment of the
same turn), so the record keeps sets, not the story. With `abrupt` a turn of the other player was a mark or a refused try on one of
one's own marks, so only the sum of the two is known; and a mark that one has just made cannot have been run into, nor one that was
made on the turn before if the other made a mark on its own, and so on: there the record keeps every player's tries in their order.
"""

import numpy as np

from playout import below, parameter, popcount
from playout.picture import BOARD, BOARD_DARK, LINE, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture, choices, standing

abrupt = parameter("abrupt", False, "a refused try ends the turn")

SIDE = 3
CELLS = SIDE * SIDE
FULL = (1 << CELLS) - 1
LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)  # a row is an octal digit
WON = np.array([any(marks & line == line for line in LINES) for marks in range(FULL + 1)])
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
        *([("tries", np.int8, (2, CELLS))] if abrupt else []),  # 1 + the cell that a player tried on each of its turns
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
    note(state, player, action)
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


def keep_no_order(state, player, action):
    pass


def keep_order(state, player, action):
    state.tries[player, state.turns // 2] = 1 + action


note = keep_order if abrupt else keep_no_order


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
        forget(state, 1 - player)


def forget_no_order(state, player):
    pass


def forget_order(state, player):
    for turn in range(CELLS):
        state.tries[player, turn] = 0


forget = forget_order if abrupt else forget_no_order


def fits(state, player, theirs):
    """Whether the other player can have these marks: as many as it had turns, and the game goes on."""
    return popcount(theirs) == (state.turns + player) // 2 and not WON[theirs] and state.marks[player] | theirs != FULL


def redraw_sets(state, player, rng):
    """Every world is as likely: marks that fit, and any of the player's own as what the other has found."""
    mine, found = state.marks[player], state.found[player]
    unknown, total = FULL & ~(mine | found), 0
    hidden = unknown
    while hidden >= 0:
        total += fits(state, player, found | hidden)
        hidden = (hidden - 1) & unknown if hidden > 0 else -1
    chosen = below(rng, total)
    hidden = unknown
    while hidden >= 0:
        chosen -= fits(state, player, found | hidden)
        if chosen < 0:
            break
        hidden = (hidden - 1) & unknown
    state.marks[1 - player] = found | hidden
    state.found[1 - player] = 0
    for cell in range(CELLS):
        if mine >> cell & 1 and below(rng, 2) == 1:
            state.found[1 - player] |= 1 << cell


def redraw_order(state, player, rng):
    """Every story that fits is as likely: drawn until one does."""
    done = False
    while not done:
        done = draw_story(state, player, rng)


def draw_story(state, player, rng):
    """Tries of the other player, one for each of its turns; whether they can have been.

    A mark that the player ran into was made on a turn before that, any of them as likely. On the other turns it tried any other cells.
    """
    other, turns = 1 - player, (state.turns + player) // 2
    forget(state, other)
    used, placed = 0, 0
    for turn in range(CELLS):
        cell = state.tries[player, turn] - 1
        if cell >= 0 and state.found[player] >> cell & 1:
            # Where player 1 tries, player 0 has had that turn already.
            place = below(rng, turn + player - placed)
            for slot in range(turns):
                if state.tries[other, slot] == 0:
                    if place == 0:
                        state.tries[other, slot] = 1 + cell
                    place -= 1
            used |= 1 << cell
            placed += 1
    marks, found = used, 0
    for slot in range(turns):
        if state.tries[other, slot] == 0:
            place, cell = below(rng, CELLS - popcount(used)), 0
            while used >> cell & 1 or place > 0:
                place -= used >> cell & 1 == 0
                cell += 1
            state.tries[other, slot] = 1 + cell
            used |= 1 << cell
            if state.marks[player] >> cell & 1:
                if not tried_before(state, player, cell, slot):
                    return False
                found |= 1 << cell
            else:
                marks |= 1 << cell
    state.marks[other] = marks
    state.found[other] = found
    return not WON[marks] and state.marks[player] | marks != FULL


def tried_before(state, player, cell, slot):
    """Whether the player had marked a cell when the other had its turn of that number."""
    for turn in range(slot + 1 - player):
        if state.tries[player, turn] == 1 + cell:
            return True
    return False


redraw = redraw_order if abrupt else redraw_sets


def determinize(state, player, rng):
    if state.winner == 0:
        redraw(state, player, rng)


def key_of_sets(state):
    total = state.turns
    for player in range(2):
        total = (total << CELLS | state.marks[player]) << CELLS | state.found[player]
    return total


def key_of_order(state):
    # The tries are decimal digits; all else follows from them.
    total = 0
    for player in range(2):
        for turn in range(CELLS):
            total = 10 * total + state.tries[player, turn]
    return total


word = key_of_order if abrupt else key_of_sets


def key(state):
    # Exact; the winner follows from the marks.
    return word(state)


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
    picture = Picture(length, length, f"Phantom tic-tac-toe: {standing(mover(state), state.winner % DRAWN - 1, 'XO')}", PAPER)
    marked = choices(state, mover, legal, CELLS, viewer)
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
            picture.cross(x, y, r, PLAYER_COLOURS[0], 0.13 * size)
        elif marks[1] >> cell & 1:
            picture.circle(x, y, 1.08 * r, "none", PLAYER_COLOURS[1], 0.13 * size)
        if cell in marked:
            with picture.action(cell, action_name(state, cell, viewer)):
                picture.hit(x - size / 2, y - size / 2, size, size)
    return str(picture)
