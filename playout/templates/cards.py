"""Duel of cards: whoever begins lays a card, the other one answers, the higher card takes both; most cards win.

A card game for two with hidden hands that works as it is. Change it bit by bit, and run `playout check` on it after every bit: it
also finds out whether a search could learn from it what a player must not know.
Places to go on from are marked with NEXT; docs/game.md explains every name, docs/hidden.md what is hidden and how.
"""

import numpy as np

from playout import below, parameter
from playout.picture import BOARD, INK, PAPER, WHITE, Picture, choices

cards = parameter("cards", 12, "cards in the deck, numbered from 0", low=4, high=52)
hand = parameter("hand", 4, "cards in a hand", low=1, high=10)

players = 2
# Ids of actions: the card that is laid.
actions = cards
most_legal = hand
returns_range = (-1, 1)

# Where a card is. The whole truth is here; `observe` says what of it a player can tell.
DECK, TABLE, GONE, HANDS = 0, 1, 2, 3  # HANDS + player: in that player's hand
State = np.dtype([("place", np.int8, (cards,)), ("taken", np.int8, (players,)), ("player", np.int8), ("led", np.int8)])


def start(state, rng):
    """Deal: cards are drawn one by one from those that are still in the deck."""
    state.led = -1
    for player in range(players):
        for _ in range(hand):
            state.place[draw_card(state, rng)] = HANDS + player


def draw_card(state, rng):
    """A card of the deck, every one equally likely. All chance comes from `rng`."""
    left = 0
    for card in range(cards):
        if state.place[card] == DECK:
            left += 1
    wanted = below(rng, left)
    for card in range(cards):
        if state.place[card] == DECK:
            if wanted == 0:
                return card
            wanted -= 1
    return 0


def legal(state, out):
    """The cards in the mover's hand. What may be done must follow from what the mover sees."""
    count = 0
    for card in range(cards):
        if state.place[card] == HANDS + state.player:
            out[count] = card
            count += 1
    return count


def play(state, action, rng):
    """Lay a card; the second one ends the trick."""
    if state.led < 0:
        state.led = action
        state.place[action] = TABLE
        state.player = 1 - state.player
        return
    winner = state.player if action > state.led else 1 - state.player
    state.taken[winner] += 2
    state.place[action] = GONE
    state.place[state.led] = GONE
    state.led = -1
    state.player = winner  # NEXT: fill the hands up from the deck here


def mover(state):
    """Who is to act; -1 when all cards are laid."""
    return state.player if state.taken[0] + state.taken[1] < 2 * hand else -1


def returns(state, out):
    """Who has more cards, as 1, 0 or -1 from each player's own point of view."""
    ahead = 0.0
    if mover(state) < 0:
        if state.taken[0] > state.taken[1]:
            ahead = 1.0
        if state.taken[0] < state.taken[1]:
            ahead = -1.0
    out[0] = ahead
    out[1] = -ahead


# What is hidden: two functions, which must agree.


def observe(state, player):
    """Blot out what the player cannot tell: two states that look alike to it must be equal afterwards.

    Cards that were laid stay where everybody saw them. The other hand and the deck are one heap of unknown cards.
    NEXT: if your game shows a player something for a moment (a look at a card), put that into the record and keep it here, or it is
    forgotten: see docs/hidden.md, "what must be remembered".
    """
    for card in range(cards):
        if state.place[card] == HANDS + 1 - player:
            state.place[card] = DECK


def determinize(state, player, rng):
    """Redraw in place everything the player cannot know, and keep all it knows: its own hand, and how many cards the other has."""
    other = HANDS + 1 - player
    held = 0
    for card in range(cards):
        if state.place[card] == other:
            state.place[card] = DECK
            held += 1
    for _ in range(held):
        state.place[draw_card(state, rng)] = other


# All below is for people, and never compiled. `viewer` is who looks, None for all eyes: show only what that player may see.


def action_name(state, action, viewer):
    """An action in words."""
    return str(action)


def draw(state, viewer):
    """What is on the table, and the hands that the viewer may see."""
    lines = [f"on the table: {state.led if state.led >= 0 else 'nothing'}"]
    for player in range(players):
        own = [str(card) for card in range(cards) if state.place[card] == HANDS + player]
        seen = " ".join(own) if viewer in (None, player) else f"{len(own)} cards"
        lines.append(f"player {player}: {seen}   (has taken {state.taken[player]})")
    return "\n".join(lines)


def svg(state, viewer):
    """The same as a picture. `choices` gives what the viewer may play now, and nothing to others: what they could click on would tell."""
    picture = Picture(90 + 46 * hand, 190, "Hands and table", PAPER)
    playable = choices(state, mover, legal, most_legal, viewer)
    for player in range(players):
        y = 10 + 120 * player
        picture.text(10, y + 25, f"player {player}", 13, INK, "start", bold=player == mover(state))
        own = [card for card in range(cards) if state.place[card] == HANDS + player]
        for place, card in enumerate(own):
            with picture.action(card if card in playable else None, f"lay {card}"):
                picture.rect(80 + 46 * place, y, 40, 50, WHITE if viewer in (None, player) else BOARD, INK, rx=5)
                if viewer in (None, player):
                    picture.text(100 + 46 * place, y + 25, str(card), 17)
    picture.text(80, 95, f"on the table: {state.led if state.led >= 0 else 'nothing'}", 15, INK, "start")
    return str(picture)
