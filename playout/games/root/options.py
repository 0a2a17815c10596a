"""What a user may choose: readings of the rules, the length of a game, the deck, and what counts."""

from playout import PlayoutError, parameter
from playout.games.root.cards import CARDS, COPIES, KINDS, WORDS, put


def one_of(name, words, help):
    """The number of the word that was asked for; the first is the default."""
    asked = parameter(name, words[0], help)
    if asked not in words:
        raise PlayoutError(f"parameter {name}={asked!r} is unknown; take {', '.join(words[:-1])} or {words[-1]}")
    return words.index(asked)


FORCED = one_of("decree", ("free", "forced"), "order of Decree cards: free, or forced (an impossible one only when all are)") == 1
TAX_HOSPITALS = parameter("tax_hospitals", True, "whether Field Hospitals take a warrior that her own Tax Collector removed")
SHORT_ROOST = parameter("short_roost", True, "whether a new roost may come with fewer than three warriors")
BANK_ALWAYS = one_of("bank", ("optional", "always"), "whether the Better Burrow Bank is optional, or always draws") == 1
DESPOT_EACH = one_of("despot", ("battle", "removal"), "the Despot's extra point: once a battle, or at each removal") == 1
TURNS = parameter("turns", 0, "turns after which the game ends without a winner; 0 for none", low=0, high=10_000)
POINTS = parameter("points", 30, "points that win the game", low=1, high=60)
deck = parameter(
    "deck", "", "the cards of a smaller deck, with dashes between, such as stand-anvil-foxambush-bank-sword-sappers-mice-tax"
)
REWARDS = ("difference", "win", "blend")
REWARD = one_of("reward", REWARDS, "what counts: difference of points, win (1 or -1), or blend (both)")

FEWEST = 6


def deck_of(words):
    """The set of the named cards."""
    found, listed = 0, words.split("-")
    for word in listed:
        if word not in WORDS:
            raise PlayoutError(f"parameter deck has no card {word!r}; its cards are {', '.join(WORDS)}")
    for kind in range(KINDS):
        count = listed.count(WORDS[kind])
        if count > COPIES[kind]:
            raise PlayoutError(f"parameter deck has {WORDS[kind]!r} {count} times, and there are {COPIES[kind]} in the game")
        for _ in range(count):
            found = int(put(found, kind))
    if len(listed) < FEWEST:
        raise PlayoutError(f"parameter deck={words!r} has {len(listed)} cards; give at least {FEWEST}, three for each hand")
    return found


DECK = deck_of(deck) if deck else (1 << CARDS) - 1
"""All cards of this game."""
