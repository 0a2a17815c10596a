"""The cards of Scoundrel: numbers, names, and lists of them in words."""

from playout import PlayoutError

# A card is 16 * suit + value, so that its kind is a comparison and its value a mask; 0 is no card.
SUITS, SYMBOLS = "CSDH", "♣♠♦♥"
WEAPON, POTION = 32, 48  # the lowest numbers of their kinds; monsters are below
RANKS = {**{str(n): n for n in range(2, 11)}, "J": 11, "Q": 12, "K": 13, "A": 14}
CODES = {rank + SUITS[suit]: 16 * suit + value for suit in range(4) for rank, value in RANKS.items() if suit < 2 or value <= 10}
NAMES = {code: name for name, code in CODES.items()}
FRESH = 15  # the last kill of a weapon without one: above every monster
HANDS, AVOID = 4, 8  # actions: 0 to 3 face the card in that slot, 4 to 7 face the monster there barehanded, 8 avoids the room


def cards_of(name, text):
    """The cards in a text such as 2C-3S-10D."""
    codes = []
    for word in text.upper().split("-"):
        if word not in CODES:
            raise PlayoutError(
                f"parameter {name}={text!r} has {word!r}, which is no card of this game: write 2C to AC, 2S to AS, 2D to 10D "
                "or 2H to 10H with dashes between"
            )
        if CODES[word] in codes:
            raise PlayoutError(f"parameter {name}={text!r} has the card {word} twice; give every card once")
        codes.append(CODES[word])
    return tuple(codes)


def order_of(text, cards):
    codes = cards_of("order", text)
    for code in codes:
        if code not in cards:
            raise PlayoutError(
                f"parameter order={text!r} has {NAMES[code]}, which is not in the deck; take it out, or add it to deck"
            )
    for code in cards:
        if code not in codes:
            raise PlayoutError(f"parameter order={text!r} leaves out {NAMES[code]}; give every card of the deck once")
    return codes


def card_name(card, suits=SUITS):
    return NAMES[card][:-1] + suits[card >> 4] if card else "?"


def pretty(cards):
    return " ".join(card_name(card, SYMBOLS) for card in cards)


def rank_of(value):
    return next(rank for rank, number in RANKS.items() if number == value)
