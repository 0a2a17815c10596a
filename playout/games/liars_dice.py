"""Liar's dice: bid on what all the dice show together, higher every time, until somebody says liar.

Two players roll and see only their own dice. A bid, "2x5", says that at least two of all dice show a 5; the next must have
more dice, or as many of a higher face. Whoever is told "liar" shows the dice: the bidder wins if the bid holds, else the
caller. With `wild` the dice that show the highest face count as every face.
"""

import numpy as np

from playout import below, parameter, popcount
from playout.picture import BOARD, BOARD_DARK, FAINT, INK, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture, choices

dice = parameter("dice", 1, "dice of each player", low=1, high=2)
faces = parameter("faces", 6, "faces of a die", low=2, high=6)
wild = parameter("wild", False, "the highest face counts as every face")

players = 2
BIDS = 2 * dice * faces  # (dice - 1) * faces + face - 1: a higher number is a higher bid
LIAR = BIDS
actions = BIDS + 1
returns_range = (-1, 1)
search_settings = {"c": 1}  # 56 % against 0.5, and 0.7 to 2 are as good (docs/strength.md)
State = np.dtype(
    [
        ("dice", np.int8, (2, dice)),  # in rising order; in `observe` 0 for one that is not seen
        ("bids", np.int32),  # one bit for each bid made: they only rise, so that is the whole story
        ("last", np.int8),  # 1 + the last bid
        ("called", np.int8),
    ]
)


def start(state, rng):
    roll(state, 0, rng)
    roll(state, 1, rng)


def roll(state, player, rng):
    for die in range(dice):
        state.dice[player, die] = 1 + below(rng, faces)
    if state.dice[player, 0] > state.dice[player, dice - 1]:
        state.dice[player, 0], state.dice[player, dice - 1] = state.dice[player, dice - 1], state.dice[player, 0]


def legal(state, out):
    count = 0
    for bid in range(state.last, BIDS):
        out[count] = bid
        count += 1
    if state.last > 0:
        out[count] = LIAR
        count += 1
    return count


def play(state, action, rng):
    if action == LIAR:
        state.called = 1
    else:
        state.bids |= 1 << action
        state.last = action + 1


def mover(state):
    return -1 if state.called else popcount(state.bids) & 1


def counted(state, face):
    """How many of all dice count for a face."""
    count = 0
    for player in range(2):
        for die in range(dice):
            shown = state.dice[player, die]
            if shown == face or (wild and shown == faces):
                count += 1
    return count


def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.called:
        quantity, face = (state.last - 1) // faces + 1, (state.last - 1) % faces + 1
        bidder = 1 - (popcount(state.bids) & 1)
        winner = bidder if counted(state, face) >= quantity else 1 - bidder
        out[winner] = 1.0
        out[1 - winner] = -1.0


def observe(state, player):
    if not state.called:
        for die in range(dice):
            state.dice[1 - player, die] = 0


def determinize(state, player, rng):
    # Dice are rolled apart, so one's own say nothing about the others.
    if not state.called:
        roll(state, 1 - player, rng)


def key(state):
    total = state.bids * 2 + state.called
    for player in range(2):
        for die in range(dice):
            total = (faces + 1) * total + state.dice[player, die]
    return total


def action_name(state, action, viewer):
    return "liar" if action == LIAR else f"{action // faces + 1}x{action % faces + 1}"


def words_of(state):
    """The bids so far and the call, in words."""
    words = [action_name(state, bid, None) for bid in range(BIDS) if state.bids >> bid & 1]
    return words + ["liar"] * state.called


def shown_dice(state, player, viewer):
    """The dice of a player as a viewer sees them, 0 for a hidden one."""
    seen = viewer is None or viewer == player or state.called
    return [state.dice[player, die] if seen else 0 for die in range(dice)]


def hidden_facts(state, viewer):
    """Which faces the other player has, and how many of each."""
    theirs = [state.dice[1 - viewer, die] for die in range(dice)] if not state.called else []
    return [f"player {1 - viewer} has {theirs.count(face)} x {face}" for face in sorted(set(theirs))]


def draw(state, viewer):
    lines = []
    for player in range(2):
        mark = ">" if player == mover(state) else " "
        words = " ".join(str(shown or "?") for shown in shown_dice(state, player, viewer))
        lines.append(f"{mark} player {player}: {words}")
    return "\n".join([*lines, f"  bids: {', '.join(words_of(state)) or '-'}"])


def svg(state, viewer):
    wide, first = 44, (360 - 44 * faces) / 2
    rows = 2 * dice
    acts = f"player {mover(state)} to bid" if mover(state) >= 0 else "the dice are shown"
    picture = Picture(360, 178 + 30 * rows, f"Liar's dice: {acts}", PAPER)
    for player in range(2):
        middle, colour = 95 + 170 * player, PLAYER_COLOURS[player]
        acting = player == mover(state)
        picture.text(middle, 22, f"player {player}", 16, colour, bold=acting)
        for die, shown in enumerate(shown_dice(state, player, viewer)):
            x = middle + 66 * (die - (dice - 1) / 2)
            picture.rect(x - 28, 48, 56, 56, WHITE if shown else BOARD, colour if acting else MUTED, 3 if acting else 1.5, rx=10)
            if shown:
                picture.text(x, 76, str(shown), 32, INK, bold=True)
    marked = choices(state, mover, legal, actions, viewer)
    for bid in range(BIDS):
        x, y, name = first + bid % faces * wide, 118 + bid // faces * 30, action_name(state, bid, viewer)
        if bid in marked:
            picture.button(x + 2, y, wide - 4, 26, name, bid, f"bid {name}")
            continue
        # The bids that were made, the last of them on a darker ground.
        made = state.bids >> bid & 1
        picture.rect(x + 2, y, wide - 4, 26, BOARD_DARK if bid + 1 == state.last else BOARD if made else "none", FAINT, 1, rx=6)
        picture.text(x + wide / 2, y + 13, name, 13, INK if made else MUTED, bold=bool(made))
    said = "liar!" if state.called else "liar"
    picture.button(130, 126 + 30 * rows, 100, 32, said, LIAR if LIAR in marked else None, "say liar")
    return str(picture)
