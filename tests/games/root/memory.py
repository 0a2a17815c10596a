"""What players of Root know of each other's hands, from the rules page, with plain counts: a part of `referee`."""

from __future__ import annotations

from collections import Counter

from tests.games.root import referee as r
from tests.games.root.referee import Card, Cards, Table


def may_hold(table: Table, known: list[Cards], player: int, wanted: set[Card], whole: Cards) -> bool:
    """Whether public facts leave it open that a hand has one of these cards: a question is asked by this alone."""
    size = sum(table.hands[player].values())
    if any(known[player][card] for card in wanted):
        return True
    if sum(known[player].values()) == size:
        return False
    open_cards = table.discard + known[1 - player]
    for column in table.columns:
        open_cards += column
    for player_cards in table.lasting:
        open_cards += player_cards
    return sum(open_cards[card] for card in wanted) < sum(whole[card] for card in wanted)


def discard(table: Table, card: Card) -> None:
    """A card onto the pile; where deck and pile are both empty, it is the deck at once."""
    (table.discard if +table.deck else table.deck)[card] += 1


def at_the_reshuffle(hands: list[Cards], deck: Cards, drawn: list[Cards], order: list[int]) -> list[Cards]:
    """Both hands at the moment when the last card of the deck is drawn, by who drew in which order; cards of a player's own are not told apart."""
    first = order[: sum(deck.values())]
    found = [Counter(hand) for hand in hands]
    # One of the two has drawn nothing from the new deck, or nothing from the old one: what it has is known, and the rest of the old deck
    # is with the other.
    for player in range(2):
        count = first.count(player)
        if count in (0, sum(drawn[player].values())):
            mine = drawn[player] if count else Counter()
            found[player] += mine
            found[1 - player] += deck - mine
            return found
    raise AssertionError("both have drawn from both decks")


class Knowledge:
    """What each player knows of the other hand, by what happened."""

    def __init__(self) -> None:
        self.of: list[Cards] = [Counter(), Counter()]
        """Of the hand of that player, what the other one knows."""

    def looked_at(self, owner: int, hand: Cards) -> None:
        """Codebreakers: the whole hand as it is now."""
        self.of[owner] = +Counter(hand)

    def left(self, owner: int, card: Card) -> None:
        """A card left the hand, whichever way: of two copies the known one went."""
        if self.of[owner][card] > 0:
            self.of[owner][card] -= 1
        self.of[owner] = +self.of[owner]

    def stolen(self, victim: int, card: Card) -> None:
        """Stand and Deliver!: both know where the card is now."""
        self.left(victim, card)
        self.of[1 - victim][card] += 1

    def reshuffled(self, hands: list[Cards]) -> None:
        """The deck has run out: whatever is nowhere else is in the other hand."""
        self.of = [+Counter(hands[r.MARQUISE]), +Counter(hands[r.EYRIE])]
