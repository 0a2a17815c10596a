"""Beat it: lay a card; the other player must lay a higher one if it can. The higher card takes the trick and leads the next one."""

import numpy as np

from playout import below

players, cards, hand = 2, 12, 5
actions, most_legal = cards, hand
returns_range = (-hand, hand)
DECK, GONE, HANDS = 0, 1, 2  # where a card is; HANDS + player: in that player's hand
State = np.dtype([("place", "i1", cards), ("ceiling", "i1", players), ("taken", "i1", players), ("player", "i1"), ("led", "i1")])


def start(state, rng):
    state.led = -1
    for player in range(players):
        state.ceiling[player] = cards
        deal(state, player, hand, rng)


def deal(state, player, count, rng):
    """Cards of the deck into a hand, every one equally likely among those that the hand can still hold."""
    for _ in range(count):
        fitting = 0
        for card in range(state.ceiling[player]):
            fitting += state.place[card] == DECK
        wanted = below(rng, fitting)
        for card in range(state.ceiling[player]):
            if state.place[card] == DECK:
                if wanted == 0:
                    state.place[card] = HANDS + player
                wanted -= 1


def legal(state, out):
    count = 0
    for card in range(state.led + 1, cards):  # led is -1 where nothing was led
        if state.place[card] == HANDS + state.player:
            out[count] = card
            count += 1
    if count == 0:
        for card in range(cards):
            if state.place[card] == HANDS + state.player:
                out[count] = card
                count += 1
    return count


def play(state, action, rng):
    state.place[action] = GONE
    if state.led < 0:
        state.led = action
        state.player = 1 - state.player
        return
    if action < state.led:
        # Everybody has seen that this player holds nothing higher. The card on the table will be gone, so the record remembers.
        state.ceiling[state.player] = min(state.ceiling[state.player], state.led)
        state.player = 1 - state.player
    state.taken[state.player] += 1
    state.led = -1


def mover(state):
    return state.player if state.taken[0] + state.taken[1] < hand else -1


def returns(state, out):
    out[0] = state.taken[0] - state.taken[1]
    out[1] = state.taken[1] - state.taken[0]


def observe(state, player):
    """What the player cannot tell is made equal: the other hand and the deck are one heap. `ceiling` stays: everybody saw it come about."""
    for card in range(cards):
        if state.place[card] == HANDS + 1 - player:
            state.place[card] = DECK


def determinize(state, player, rng):
    """Another hand for the other player: as many cards, and none that it has shown not to have."""
    held = 0
    for card in range(cards):
        if state.place[card] == HANDS + 1 - player:
            state.place[card] = DECK
            held += 1
    deal(state, 1 - player, held, rng)


def draw(state, viewer):
    lines = [f"led: {state.led if state.led >= 0 else '-'}"]
    for player in range(players):
        own = [str(card) for card in range(cards) if state.place[card] == HANDS + player]
        seen = " ".join(own) if viewer in (None, player) else f"{len(own)} cards below {state.ceiling[player]}"
        lines.append(f"player {player}: {seen}   (tricks: {state.taken[player]})")
    return "\n".join(lines)
