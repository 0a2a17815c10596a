"""Kuhn poker: three cards, one each, one bet: the smallest poker in which bluffing pays.

Both players put in an ante of 1 and get one card of jack, queen and king. Player 0 checks or bets 1; a bet is called or
folded to; after a check player 1 may bet instead. Returns are what a player wins or loses, in antes. At equilibrium the
first player loses 1/18 a game (Kuhn, "A simplified two-person poker", 1950). The cards are shown when nobody folded.
"""

import numpy as np

from playout import below
from playout.picture import BOARD, INK, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture, choices

PASS, BET = 0, 1  # to pass is to check, or to fold to a bet; to bet is to bet, or to call a bet
MOST_MOVES = 3
RANKS = "?JQK"

players = 2
actions = 2
returns_range = (-2, 2)
# A card is 1, 2 or 3, in `observe` 0 for one that is not seen. `line` has 1 + action for each move: what was done is public.
State = np.dtype([("cards", np.int8, 2), ("line", np.int8, MOST_MOVES), ("moves", np.int8)])


def start(state, rng):
    state.cards[0] = 1 + below(rng, 3)
    state.cards[1] = other_card(state.cards[0], rng)


def other_card(card, rng):
    """One of the two cards that are not this one."""
    other = 1 + below(rng, 2)
    return other + 1 if other >= card else other


def legal(state, out):
    out[0] = PASS
    out[1] = BET
    return 2


def play(state, action, rng):
    state.line[state.moves] = 1 + action
    state.moves += 1


def facing_bet(state):
    return state.moves > 0 and state.line[state.moves - 1] == 1 + BET


def finished(state):
    # Only a bet after a check, or a first move, leaves something to decide.
    if state.moves < 2:
        return False
    return state.line[0] == 1 + BET or state.line[1] == 1 + PASS or state.moves == MOST_MOVES


def folded(state):
    """Whether the last move was a pass after a bet."""
    return state.moves >= 2 and state.line[state.moves - 1] == 1 + PASS and state.line[state.moves - 2] == 1 + BET


def mover(state):
    return -1 if finished(state) else state.moves & 1


def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if finished(state):
        last = (state.moves - 1) & 1
        winner = 0 if state.cards[0] > state.cards[1] else 1
        stake = 1.0
        if folded(state):
            winner = 1 - last
        elif state.line[state.moves - 1] == 1 + BET:
            stake = 2.0
        out[winner] = stake
        out[1 - winner] = -stake


def hidden(state):
    """Whether each player still sees only its own card: always, but for a showdown."""
    return not finished(state) or folded(state)


def observe(state, player):
    if hidden(state):
        state.cards[1 - player] = 0


def determinize(state, player, rng):
    if hidden(state):
        state.cards[1 - player] = other_card(state.cards[player], rng)


def key(state):
    total = 4 * state.cards[0] + state.cards[1]
    for move in range(MOST_MOVES):
        total = 3 * total + state.line[move]
    return total


def action_name(state, action, viewer):
    if facing_bet(state):
        return "call" if action == BET else "fold"
    return "bet" if action == BET else "check"


def seen(state, player, viewer):
    return viewer is None or viewer == player or not hidden(state)


def hidden_facts(state, viewer):
    return [f"player {1 - viewer} holds {RANKS[state.cards[1 - viewer]]}"] if hidden(state) else []


def words_of(state):
    """The moves so far in words, and what each player has put in."""
    words, paid = [], [1, 1]
    for move in range(state.moves):
        bet, facing = state.line[move] == 1 + BET, move > 0 and state.line[move - 1] == 1 + BET
        words.append(("call" if facing else "bet") if bet else ("fold" if facing else "check"))
        paid[move & 1] += bet
    return words, paid


def draw(state, viewer):
    words, paid = words_of(state)
    lines = []
    for player in range(players):
        mark = ">" if player == mover(state) else " "
        card = RANKS[state.cards[player]] if seen(state, player, viewer) else "?"
        lines.append(f"{mark} player {player}: {card}, {paid[player]} in the pot")
    return "\n".join([*lines, f"  moves: {', '.join(words) or '-'}"])


def svg(state, viewer):
    words, paid = words_of(state)
    picture = Picture(300, 262, f"Kuhn poker: {', '.join(words) or 'no move yet'}", PAPER)
    for player in range(players):
        x, colour = 85 + 130 * player, PLAYER_COLOURS[player]
        acting = player == mover(state)
        picture.text(x, 22, f"player {player}", 16, colour, bold=acting)
        picture.rect(x - 34, 42, 68, 96, WHITE, colour if acting else MUTED, 3 if acting else 1.5, rx=8)
        if seen(state, player, viewer) and state.cards[player]:
            picture.text(x, 90, RANKS[state.cards[player]], 44, INK, bold=True)
        else:
            picture.rect(x - 27, 49, 54, 82, BOARD, rx=5)
        picture.text(x, 158, f"{paid[player]} in the pot", 14, INK)
    picture.text(150, 188, ", ".join(words) or "no move yet", 14, MUTED)
    for action in sorted(choices(state, mover, legal, actions, viewer)):
        picture.button(30 + 130 * action, 212, 110, 34, action_name(state, action, viewer), action)
    return str(picture)
