"""Knockout whist: one round of a trick-taking game with a trump suit; most tricks win.

Every player gets `cards` cards, the rest stay unseen, and a trump suit is drawn for all to see. Player 0 leads the first
trick. The others must follow suit if they can; the highest trump takes the trick, else the highest card of the suit led,
and who took it leads the next. This is one round of the pub game, in which whoever takes no trick is knocked out and the
rounds shrink from seven cards to one.

Returns: whoever took most tricks gets 1 and the others share the loss of it, -1 / (players - 1) each. Players who tie for
most tricks share that 1, and the loss of those who are not among them; if all tie, everybody gets 0.
"""

import numpy as np

from playout import PlayoutError, Stream, below, lowest, parameter, pop, popcount
from playout.picture import BOARD, INK, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture, choices

players = parameter("players", 2, "players", low=2, high=4)
cards = parameter("cards", 7, "cards of each player", low=1, high=7)
suits = parameter("suits", 4, "suits in the deck", low=1, high=4)
ranks = parameter("ranks", 13, "ranks in each suit, the ace downwards", low=2, high=13)

DECK = suits * ranks
if players * cards > DECK:
    raise PlayoutError(
        f"{players} players cannot get {cards} cards each from a deck of {DECK}; take fewer, or more suits and ranks"
    )
FULL = (1 << DECK) - 1
SUIT = (1 << ranks) - 1

actions = DECK  # suit * ranks + rank: the card to play
most_legal = cards
returns_range = (-1, 1)
State = np.dtype(
    [
        ("hands", np.int64, players),  # one bit for each card held; in `observe` 0 for a hand that is not seen
        ("played", np.int64),  # one bit for each card played so far
        ("trick", np.int8, players),  # 1 + the card of each player; a complete trick lies until the next is led
        ("count", np.int8),  # cards in the trick that is being played
        ("leader", np.int8),
        ("trump", np.int8),
        ("tricks", np.int8, players),
        ("voids", np.int8, players),  # one bit for each suit that a player did not follow: all know that it has none
    ]
)


def start(state, rng):
    state.trump = below(rng, suits)
    pool = FULL
    for player in range(players):
        state.hands[player] = take(pool, cards, rng)
        pool ^= state.hands[player]


def take(pool, count, rng):
    """Some of these cards, every choice as likely. All of them without a draw."""
    left = popcount(pool)
    if left == count:
        return pool
    taken = 0
    for _ in range(count):
        bit = 1 << nth(pool, below(rng, left))
        taken |= bit
        pool ^= bit
        left -= 1
    return taken


def nth(pool, n):
    """The card that lies above n others of the pool, found by halving: counting is faster than taking them off one by one."""
    place, half = 0, 32
    while half:
        low = popcount(pool & (1 << half) - 1)
        if n >= low:
            n -= low
            pool >>= half
            place += half
        half >>= 1
    return place


def suit_of(card):
    return card // ranks


def legal(state, out):
    hand = state.hands[(state.leader + state.count) % players]
    if state.count > 0:
        follow = hand & SUIT << ranks * suit_of(state.trick[state.leader] - 1)
        if follow:
            hand = follow
    count = 0
    while hand:
        out[count] = lowest(hand)
        hand = pop(hand)
        count += 1
    return count


def play(state, action, rng):
    player = (state.leader + state.count) % players
    if state.count == 0:
        for other in range(players):
            state.trick[other] = 0
    else:
        led = suit_of(state.trick[state.leader] - 1)
        if suit_of(action) != led:
            state.voids[player] |= 1 << led
    state.hands[player] ^= 1 << action
    state.played |= 1 << action
    state.trick[player] = 1 + action
    state.count += 1
    if state.count == players:
        state.leader = taker(state)
        state.tricks[state.leader] += 1
        state.count = 0


def taker(state):
    """Who takes the trick that lies complete."""
    best = state.leader
    for player in range(players):
        if beats(state, state.trick[player] - 1, state.trick[best] - 1):
            best = player
    return best


def beats(state, card, high):
    """Whether a card takes the trick from the one that is highest so far."""
    if suit_of(card) == suit_of(high):
        return card > high
    return suit_of(card) == state.trump


def mover(state):
    # Between two tricks all hands are equally long.
    if state.count == 0 and tricks_done(state) == cards:
        return -1
    return (state.leader + state.count) % players


def tricks_done(state):
    done = 0
    for player in range(players):
        done += state.tricks[player]
    return done


def returns(state, out):
    most, tied = 0, 0
    for player in range(players):
        if state.tricks[player] > most:
            most, tied = state.tricks[player], 0
        if state.tricks[player] == most:
            tied += 1
    over = tricks_done(state) == cards
    for player in range(players):
        out[player] = 0.0
        if over:
            best = state.tricks[player] == most
            out[player] = (players - tied) / (tied * (players - 1)) if best else -1.0 / (players - 1)


def observe(state, player):
    for other in range(players):
        if other != player:
            state.hands[other] = 0


def hand_size(state, player):
    """How many cards a player holds, which all can count."""
    has_played = (player - state.leader + players) % players < state.count
    return cards - tricks_done(state) - (1 if has_played else 0)


# A world is a deal of the unseen cards to the other hands (and to nobody) that keeps the shown voids, each as likely. Hands
# are dealt one after the other, each with probability proportional to the number of ways in which the hands still to come
# can be dealt after it; then every whole deal has the same probability. That number is the same for every choice, and a hand
# is simply drawn from what it may hold, when no other player still to come is void in a suit in which this one is not; so
# whoever is void in most suits comes first. Otherwise the number depends only on how many cards of each suit the hand takes:
# these splits are counted and one is drawn by weight, then its cards. Whoever may hold anything comes last and changes no
# number. The weights stay below 2^63: three players who have all shown a void hold at most six cards each, of 42 unseen ones,
# and 42! / (6! 6! 6! 24!) = 6.07e18.
CHOOSE = np.zeros((53, 8), np.int64)
CHOOSE[:, 0] = 1
for _n in range(1, 53):
    CHOOSE[_n, 1:] = CHOOSE[_n - 1, 1:] + CHOOSE[_n - 1, :-1]
BIGGEST = (1 << 63) - 1


def determinize(state, player, rng):
    pool = FULL & ~(state.played | state.hands[player])
    waiting = (1 << players) - 1 ^ 1 << player
    while waiting:
        first, void = -1, 0
        for other in range(players):
            if waiting >> other & 1 and (first < 0 or popcount(missing(state, other, pool)) > popcount(void)):
                first, void = other, missing(state, other, pool)
        waiting ^= 1 << first
        second, third, others = -1, -1, 0
        for other in range(players):
            if waiting >> other & 1 and missing(state, other, pool):
                second, third = other, second
                others |= missing(state, other, pool)
        if others & ~void:
            hand = take_split(pool, split(state, pool, first, second, third, rng), rng)
        else:
            hand = take(pool & ~cards_of(void), hand_size(state, first), rng)
        state.hands[first] = hand
        pool ^= hand


def missing(state, player, pool):
    """The suits that a player is known to be void in, of those in the pool."""
    void = 0
    for suit in range(suits):
        if state.voids[player] >> suit & 1 and pool & SUIT << ranks * suit:
            void |= 1 << suit
    return void


def cards_of(some):
    """All cards of a set of suits."""
    total = 0
    for suit in range(suits):
        if some >> suit & 1:
            total |= SUIT << ranks * suit
    return total


def in_suit(pool, suit):
    return popcount(pool & SUIT << ranks * suit) if suit < suits else 0


def split(state, pool, first, second, third, rng):
    """How many cards of each suit the first player gets, drawn by the number of deals; packed, three bits for each suit."""
    size, void = hand_size(state, first), state.voids[first]
    n0, n1, n2, n3 = in_suit(pool, 0), in_suit(pool, 1), in_suit(pool, 2), in_suit(pool, 3)
    m0 = 0 if void & 1 else n0
    m1 = 0 if void & 2 else n1
    m2 = 0 if void & 4 else n2
    m3 = 0 if void & 8 else n3
    chosen = BIGGEST
    for _ in range(2):  # once to add up, once to find the one that was drawn
        total = 0
        for k0 in range(min(m0, size) + 1):
            for k1 in range(min(m1, size - k0) + 1):
                for k2 in range(min(m2, size - k0 - k1) + 1):
                    k3 = size - k0 - k1 - k2
                    if k3 <= m3:
                        later = deals(state, n0 - k0, n1 - k1, n2 - k2, n3 - k3, second, third)
                        total += CHOOSE[m0, k0] * CHOOSE[m1, k1] * CHOOSE[m2, k2] * CHOOSE[m3, k3] * later
                        if total > chosen:
                            return k0 | k1 << 3 | k2 << 6 | k3 << 9
        chosen = below_wide(rng, total)
    return 0


def deals(state, n0, n1, n2, n3, second, third):
    """In how many ways one or two more hands can be dealt from so many cards of each suit."""
    size, void = hand_size(state, second), state.voids[second]
    can_hold = allowed(n0, n1, n2, n3, void)
    if third < 0:
        return CHOOSE[can_hold, size]
    last_size, last_void = hand_size(state, third), state.voids[third]
    both, last_can_hold = allowed(n0, n1, n2, n3, void | last_void), allowed(n0, n1, n2, n3, last_void)
    total = 0
    for shared in range(min(both, size) + 1):
        ways = CHOOSE[both, shared] * CHOOSE[can_hold - both, size - shared]
        total += ways * CHOOSE[last_can_hold - shared, last_size]
    return total


def allowed(n0, n1, n2, n3, void):
    """How many of these cards are not of a void suit."""
    return (0 if void & 1 else n0) + (0 if void & 2 else n1) + (0 if void & 4 else n2) + (0 if void & 8 else n3)


def below_wide(rng, n):
    """As `below`, for numbers up to 2^63: a multiple of n is cut out of 63 bits, the rest is drawn again."""
    if n <= 1 << 32:
        return below(rng, n)
    while True:
        word = below(rng, 1 << 31) << 32 | below(rng, 1 << 32)
        if word - word % n <= BIGGEST - (n - 1):
            return word % n


def take_split(pool, counts, rng):
    hand = 0
    for suit in range(suits):
        hand |= take(pool & SUIT << ranks * suit, counts >> 3 * suit & 7, rng)
    return hand


# A Zobrist key: one random word for each card in each place (a hand, played, in the trick by a player), and for the rest.
_stream = Stream(seed=1970)


def _words(*shape):
    return np.array([_stream.next() >> 1 for _ in range(int(np.prod(shape)))], np.int64).reshape(shape)


HELD, GONE, LYING = _words(players, DECK), _words(DECK), _words(players, DECK)
WON, VOID, NEXT, TRUMP = _words(players, cards + 1), _words(players, 16), _words(players), _words(suits)


def key(state):
    total = NEXT[(state.leader + state.count) % players] ^ TRUMP[state.trump]
    gone = state.played
    while gone:
        total ^= GONE[lowest(gone)]
        gone = pop(gone)
    for player in range(players):
        total ^= WON[player, state.tricks[player]] ^ VOID[player, state.voids[player]]
        if state.count > 0 and state.trick[player] > 0:
            total ^= LYING[player, state.trick[player] - 1]
        hand = state.hands[player]
        while hand:
            total ^= HELD[player, lowest(hand)]
            hand = pop(hand)
    return total


SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")


def action_name(state, action, viewer):
    return "23456789TJQKA"[13 - ranks + action % ranks] + "CDHS"[suit_of(action)]


def shown_hand(state, player, viewer):
    """The cards of a hand as a viewer sees them, suit by suit from high to low; -1 for a hidden one."""
    if (viewer is not None and viewer != player) or state.hands[player] == 0:
        return [-1] * hand_size(state, player)
    return [card for card in reversed(range(DECK)) if state.hands[player] >> card & 1]


def hidden_facts(state, viewer):
    """Who holds which card, who has trumps, and which suits are missing."""
    facts = []
    for player in (player for player in range(players) if player != viewer):
        hand = [card for card in range(DECK) if state.hands[player] >> card & 1]
        facts += [f"player {player} holds {action_name(state, card, None)}" for card in hand]
        held = {suit_of(card) for card in hand}
        facts += [f"player {player} has no {SUIT_NAMES[suit]}" for suit in range(suits) if hand and suit not in held]
    return facts


def trick_words(state):
    lying = [(player, state.trick[player] - 1) for player in range(players) if state.trick[player]]
    words = ", ".join(f"player {player} {action_name(state, card, None)}" for player, card in lying)
    return ("trick" if state.count or not lying else "last trick"), words or "-"


def draw(state, viewer):
    lines = []
    for player in range(players):
        mark = ">" if player == mover(state) else " "
        hand = " ".join("??" if card < 0 else action_name(state, card, None) for card in shown_hand(state, player, viewer))
        tricks = f"{state.tricks[player]} trick{'s' * (state.tricks[player] != 1)}"
        void = "".join(f", no {SUIT_NAMES[suit]}" for suit in range(suits) if state.voids[player] >> suit & 1)
        lines.append(f"{mark} player {player}: {hand or '-'}, {tricks}{void}")
    what, words = trick_words(state)
    return "\n".join([*lines, f"  trump: {SUIT_NAMES[state.trump]}", f"  {what}: {words}"])


def card_words(card):
    return action_name(None, card, None)[0] + "♣♦♥♠"[suit_of(card)]


def card_picture(picture, x, y, card, colour):
    picture.rect(x, y, 36, 48, BOARD if card < 0 else WHITE, colour, 1.5, rx=5)
    if card >= 0:
        red = suit_of(card) in (1, 2)
        picture.text(x + 18, y + 24, card_words(card), 16, PLAYER_COLOURS[0] if red else INK, bold=True)


def svg(state, viewer):
    left, high = 136, 66
    width = left + 42 * cards + 150
    whose = f"player {mover(state)} to play" if mover(state) >= 0 else "the hand is over"
    picture = Picture(width, 40 + players * high, f"Knockout whist: {whose}", PAPER)
    marked = choices(state, mover, legal, most_legal, viewer)
    picture.text(16, 22, f"trump: {SUIT_NAMES[state.trump]} {'♣♦♥♠'[state.trump]}", 16, INK, "start", bold=True)
    picture.text(width - 62, 22, trick_words(state)[0], 14, MUTED)
    for player in range(players):
        y, colour, acting = 40 + player * high, PLAYER_COLOURS[player], player == mover(state)
        tricks = state.tricks[player]
        void = "".join("♣♦♥♠"[suit] for suit in range(suits) if state.voids[player] >> suit & 1)
        picture.text(16, y + 16, f"player {player}", 16, colour, "start", bold=acting)
        picture.text(16, y + 36, f"{tricks} trick{'s' * (tricks != 1)}" + (f", no {void}" if void else ""), 13, MUTED, "start")
        for place, card in enumerate(shown_hand(state, player, viewer)):
            with picture.action(card if card in marked else None, f"play {card_words(card)}"):
                card_picture(picture, left + 42 * place, y, card, colour if acting else MUTED)
                if card in marked:
                    picture.hit(left + 42 * place, y, 36, 48, 5)
        if state.trick[player]:
            card_picture(picture, width - 80, y, state.trick[player] - 1, INK if player == state.leader else MUTED)
    return str(picture)
