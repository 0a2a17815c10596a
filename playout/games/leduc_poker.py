"""Leduc poker: six cards in two suits, two rounds of betting, and a card on the table between them.

Both players put in an ante of 1 and get one card of two jacks, two queens and two kings. After a round of betting one of
the other four cards is laid open, and a second round follows. Player 0 begins each round; a raise is 2 in the first and 4
in the second, and a round has at most two of them. Who pairs the open card wins, else the higher rank; equal ranks share.
Returns are what a player wins or loses, in antes; at equilibrium the first player loses about 0.0856 a game (Southey and
others, "Bayes' bluff: opponent modelling in poker", 2005, has the game). The cards are shown when nobody folded.
"""

import numpy as np

from playout import below
from playout.picture import BOARD, INK, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture, choices

FOLD, CALL, RAISE = 0, 1, 2  # to call nothing is to check
RANKS, SUITS = 3, 2
CARDS = RANKS * SUITS
ROUNDS, MOST_MOVES, MOST_RAISES = 2, 4, 2  # the longest round: check, raise, raise, call
SIZES = (2, 4)

players = 2
actions = 3
returns_range = (-13, 13)  # the ante and two raises in each round
# How much is paid depends on what the other player sees: one tree for both, which lends it our eyes, loses 0.9 antes a game to this
# (docs/strength.md).
search_settings = {"hidden": "mo-ismcts"}
State = np.dtype(
    [
        ("cards", np.int8, 2),  # 1 to 6, two neighbours of a rank; in `observe` 0 for one that is not seen
        ("board", np.int8),  # the open card, 0 before it is dealt
        ("line", np.int8, (ROUNDS, MOST_MOVES)),  # 1 + action for each move: what was done is public
        ("round", np.int8),  # 0, 1; 2 at a showdown
        ("moves", np.int8),  # in this round
        ("raises", np.int8),  # in this round
        ("paid", np.int8, 2),
        ("folded", np.int8),  # 1 + the player who gave up
    ]
)


def start(state, rng):
    state.paid[0] = 1
    state.paid[1] = 1
    state.cards[0] = 1 + below(rng, CARDS)
    state.cards[1] = unseen_card(state.cards[0], 0, rng)


def unseen_card(one, other, rng):
    """Any card but these two, each as likely; 0 stands for no card."""
    low, high = min(one, other), max(one, other)
    card = 1 + below(rng, CARDS - (2 if low > 0 else 1))
    if low > 0 and card >= low:
        card += 1
    return card + 1 if card >= high else card


def legal(state, out):
    count = 0
    if facing_raise(state):
        out[count] = FOLD
        count += 1
    out[count] = CALL
    count += 1
    if state.raises < MOST_RAISES:
        out[count] = RAISE
        count += 1
    return count


def facing_raise(state):
    return state.paid[0] != state.paid[1]


def play(state, action, rng):
    player = state.moves & 1
    state.line[state.round, state.moves] = 1 + action
    state.moves += 1
    if action == FOLD:
        state.folded = 1 + player
        return
    state.paid[player] = state.paid[1 - player]
    if action == RAISE:
        state.paid[player] += SIZES[state.round]
        state.raises += 1
    elif state.moves > 1:
        # A call ends the round, and so does a check after a check.
        state.round += 1
        state.moves = 0
        state.raises = 0
        if state.round == 1:
            state.board = unseen_card(state.cards[0], state.cards[1], rng)


def mover(state):
    return -1 if state.folded > 0 or state.round == ROUNDS else state.moves & 1


def rank(card):
    return (card - 1) // SUITS


def strength(state, player):
    pair = rank(state.cards[player]) == rank(state.board)
    return RANKS if pair else rank(state.cards[player])


def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.folded > 0:
        loser = state.folded - 1
        out[loser] = -state.paid[loser]
        out[1 - loser] = state.paid[loser]
    elif state.round == ROUNDS:
        first, second = strength(state, 0), strength(state, 1)
        if first != second:
            winner = 0 if first > second else 1
            out[winner] = state.paid[1 - winner]
            out[1 - winner] = -state.paid[1 - winner]


def observe(state, player):
    if state.round < ROUNDS:
        state.cards[1 - player] = 0


def determinize(state, player, rng):
    # The open card is drawn when it is dealt, so before that there is none to redraw.
    if state.round < ROUNDS:
        state.cards[1 - player] = unseen_card(state.cards[player], state.board, rng)


def key(state):
    # Exact but for the suits, which nobody can use; what is paid follows from the line.
    board = 0 if state.board == 0 else 1 + rank(state.board)
    total = (4 * rank(state.cards[0]) + rank(state.cards[1])) * 4 + board
    for number in range(ROUNDS):
        for move in range(MOST_MOVES):
            total = 4 * total + state.line[number, move]
    return total


def action_name(state, action, viewer):
    if action == RAISE:
        return "raise"
    if action == FOLD:
        return "fold"
    return "call" if facing_raise(state) else "check"


def card_name(card):
    return "?" if card == 0 else "JQK"[rank(card)] + "hs"[(card - 1) % SUITS]


def seen(state, player, viewer):
    return viewer is None or viewer == player or state.round == ROUNDS


def hidden_facts(state, viewer):
    return [] if seen(state, 1 - viewer, viewer) else [f"player {1 - viewer} holds {'JQK'[rank(state.cards[1 - viewer])]}"]


def words_of(state, number):
    """The moves of one round in words."""
    words, raises = [], 0
    for move in range(MOST_MOVES):
        action = state.line[number, move] - 1
        if action >= 0:
            words.append(("fold", "call" if raises else "check", "raise")[action])
            raises += action == RAISE
    return ", ".join(words)


def draw(state, viewer):
    lines = []
    for player in range(players):
        mark = ">" if player == mover(state) else " "
        card = card_name(state.cards[player]) if seen(state, player, viewer) else "?"
        lines.append(f"{mark} player {player}: {card}, {state.paid[player]} in the pot")
    lines.append(f"  open card: {card_name(state.board) if state.board else '-'}")
    return "\n".join([*lines, *(f"  round {number + 1}: {words_of(state, number) or '-'}" for number in range(ROUNDS))])


def svg(state, viewer):
    acts = f"player {mover(state)} to act" if mover(state) >= 0 else "the hand is over"
    picture = Picture(400, 284, f"Leduc poker: {acts}", PAPER)
    for place, words in enumerate(("player 0", "open card", "player 1")):
        x, player = 75 + 125 * place, place // 2
        if place == 1:
            card, colour, acting = state.board, INK, False
        else:
            card = state.cards[player] if seen(state, player, viewer) else 0
            colour, acting = PLAYER_COLOURS[player], player == mover(state)
            picture.text(x, 158, f"{state.paid[player]} in the pot", 14, INK)
        picture.text(x, 22, words, 16, colour, bold=acting)
        picture.rect(x - 34, 42, 68, 96, WHITE, colour if acting else MUTED, 3 if acting else 1.5, rx=8)
        if card:
            red = (card - 1) % SUITS == 0
            picture.text(x, 90, "JQK"[rank(card)] + ("♥" if red else "♠"), 34, PLAYER_COLOURS[0] if red else INK, bold=True)
        elif place != 1:
            picture.rect(x - 27, 49, 54, 82, BOARD, rx=5)
    for number in range(ROUNDS):
        picture.text(200, 184 + 24 * number, f"round {number + 1}: {words_of(state, number) or '-'}", 14, MUTED)
    for action in sorted(choices(state, mover, legal, actions, viewer)):
        picture.button(20 + 125 * action, 234, 110, 34, action_name(state, action, viewer), action)
    return str(picture)
