"""Scoundrel: one player, a dungeon of 44 cards, a weapon, a few potions, and the room you may run from.

The rules are those of Zach Gage and Kurt Bieg (version 1.0, 2011). Clubs and spades are monsters (2 to 10, J 11, Q 12, K 13,
A 14), diamonds 2 to 10 weapons, hearts 2 to 10 potions. A room is four cards dealt from the top of the dungeon. Avoid it
whole, which puts it under the dungeon, but never two rooms in a row; or face three of its cards one by one, and the fourth
stays for the next room. Of the potions of a room only the first heals. A monster is fought barehanded or with the weapon,
which then takes on nothing above its last kill. Score: the health that is left, and a potion at the very end counts on top
of full health; for the dead, health minus the monsters left in the dungeon and in the room.

Where the rules are silent: an avoided room goes under the dungeon in room order, so that its last card lies lowest, and the
player remembers it; health below zero counts as it is; a discarded potion that is the very last card counts as one. A
smaller deck ends as the big one does: when the dungeon is empty, what is left is the last room, of one to four cards, and
all of it is played; four cards with no dungeon behind them cannot be avoided, and the fourth is a room of its own.

At every moment before that last potion, score = health at the start - all monsters + healing received + damage blocked.

Rewards: `score` is the score; `win` is 1 for a win and else 0; `blend` is the score divided by its span (188 in the full
deck), and 1 more for a win, so that wins stand out and losses still have a slope. In each a win is above 0 and a loss is not.
"""

import numpy as np

from playout import PlayoutError, below, parameter
from playout.picture import BOARD, BOARD_DARK, HIGHLIGHT, INK, LINE, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture
from playout.stream import mix

barehanded = parameter("barehanded", True, "whether a monster may be fought barehanded when the weapon could be used")
strict = parameter("strict", False, "whether a weapon only takes on monsters strictly lower than its last kill")
shuffle_avoided = parameter("shuffle_avoided", False, "whether an avoided room is shuffled before it goes under the dungeon")
health = parameter("health", 20, "health at the start, and the most there can be", low=1, high=99)
deck = parameter("deck", "", "the cards of a smaller game, with dashes between, such as 2C-3S-10D-5H-AS")
order = parameter("order", "", "the dungeon card by card from the top, for a set-up deck")
reward = parameter(
    "reward", "score", "what counts: score, win (1 or 0), or blend (the score over its span, and 1 more for a win)"
)

# A card is 16 * suit + value, so that its kind is a comparison and its value a mask; 0 is no card.
SUITS, SYMBOLS = "CSDH", "♣♠♦♥"
WEAPON, POTION = 32, 48  # the lowest numbers of their kinds; monsters are below
RANKS = {**{str(n): n for n in range(2, 11)}, "J": 11, "Q": 12, "K": 13, "A": 14}
CODES = {rank + SUITS[suit]: 16 * suit + value for suit in range(4) for rank, value in RANKS.items() if suit < 2 or value <= 10}
NAMES = {code: name for name, code in CODES.items()}
FEWEST_CARDS = 5


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


DECK = cards_of("deck", deck) if deck else tuple(CODES.values())
if len(DECK) < FEWEST_CARDS:
    raise PlayoutError(f"parameter deck={deck!r} has {len(DECK)} cards; give at least {FEWEST_CARDS}")
ORDER = order_of(order, DECK) if order else DECK
SET_UP = bool(order)
REWARDS = ("score", "win", "blend")
if reward not in REWARDS:
    raise PlayoutError(f"parameter reward={reward!r} is unknown; take score, win or blend")
REWARD = REWARDS.index(reward)

CARDS = len(DECK)
HEALTH = health
MONSTERS = sum(code & 15 for code in DECK if code < WEAPON)
LOWEST = min(0, HEALTH - MONSTERS)  # nothing healed, nothing blocked
HIGHEST = HEALTH + max((code & 15 for code in DECK if code >= POTION), default=0)
SPAN = max(-LOWEST, HIGHEST)
UNSEEN = sum(1 << code for code in DECK)

HANDS, AVOID = 4, 8  # 0 to 3 face the card in that slot, 4 to 7 face the monster there barehanded, 8 avoids the room
players = 1
actions = 9
most_legal = 9 if barehanded else 5
returns_range = ((LOWEST, HIGHEST), (0, 1), (LOWEST / SPAN, 1 + HIGHEST / SPAN))[REWARD]
FRESH = 15  # the last kill of a weapon without one: above every monster
State = np.dtype(
    [
        ("unseen", np.int64),  # a bit per card that the player has not seen yet: what is in the unknown front
        ("dungeon", np.int8, CARDS),  # the bottom first, so that dealing takes from the end; 0 where no card lies
        ("room", np.int8, 4),  # 0 where a card was faced
        ("cards", np.int8),  # in the dungeon
        ("unknown", np.int8),  # of these, from the top
        ("health", np.int8),
        ("monsters", np.int16),  # the values of all that are left, in the dungeon and in the room
        ("weapon", np.int8),  # its value, 0 for none
        ("last", np.int8),  # its last kill: FRESH before the first, 0 without a weapon
        ("left", np.int8),  # cards in the room
        ("faced", np.int8),  # cards faced in this room
        ("potion", np.int8),  # whether one was drunk in this room
        ("avoided", np.int8),  # whether the room before was; no longer said once a card is faced
        ("bonus", np.int8),  # the potion that counts on top of full health
    ]
)


def start(state, rng):
    for i in range(CARDS):
        state.dungeon[CARDS - 1 - i] = ORDER[i]
    if not SET_UP:
        shuffle(state, 0, CARDS, rng)
    state.cards = CARDS
    state.unknown = CARDS
    state.unseen = UNSEEN
    state.health = HEALTH
    state.monsters = MONSTERS
    deal(state, 0)


def shuffle(state, first, end, rng):
    for i in range(end - 1, first, -1):
        j = first + below(rng, i - first + 1)
        state.dungeon[i], state.dungeon[j] = state.dungeon[j], state.dungeon[i]


def deal(state, first):
    """Begin a room: fill its slots from `first` on, as far as the dungeon reaches."""
    count = min(4 - first, state.cards)
    top = state.cards - 1
    for i in range(count):
        card = state.dungeon[top - i]
        state.dungeon[top - i] = 0
        state.room[first + i] = card
        if i < state.unknown:
            state.unseen ^= 1 << card
    state.cards -= count
    state.unknown = max(0, state.unknown - count)
    state.left = first + count
    state.faced = 0
    state.potion = 0


def legal(state, out):
    count = 0
    for slot in range(4):
        card = state.room[slot]
        # Written at any rate and counted only where it holds: no branch to guess wrong.
        out[count] = slot
        count += card != 0
        if barehanded:
            out[count] = HANDS + slot
            count += (card != 0) & (card < WEAPON) & can_use(state.last, card & 15)
    if state.faced == 0 and state.avoided == 0 and state.left == 4 and state.cards > 0:
        out[count] = AVOID
        count += 1
    return count


def can_use(last, value):
    """Whether a weapon with that last kill may be used on a monster; without a weapon `last` is 0."""
    return value < last if strict else value <= last


def play(state, action, rng):
    if action == AVOID:
        avoid(state, rng)
        return
    slot = action & 3
    card = state.room[slot]
    value = card & 15
    state.room[slot] = 0
    state.left -= 1
    state.faced += 1
    state.avoided = 0
    if card < WEAPON:
        state.monsters -= value
        if action < HANDS and can_use(state.last, value):
            state.last = value
            value = max(0, value - state.weapon)
        state.health -= value
        if state.health <= 0:
            return
    elif card < POTION:
        state.weapon = value
        state.last = FRESH
    else:
        if state.potion == 0:
            state.health = min(HEALTH, state.health + value)
            state.potion = 1
        if state.left == 0 and state.health == HEALTH:
            state.bonus = value
    if state.left == 1 and state.faced == 3:
        next_room(state)


def next_room(state):
    for slot in range(1, 4):
        if state.room[slot] != 0:
            state.room[0] = state.room[slot]
            state.room[slot] = 0
    deal(state, 1)


def avoid(state, rng):
    for i in range(state.cards - 1, -1, -1):
        state.dungeon[i + 4] = state.dungeon[i]
    for slot in range(4):
        state.dungeon[3 - slot] = state.room[slot]
    if shuffle_avoided:
        shuffle(state, 0, 4, rng)
    state.cards += 4
    deal(state, 0)
    state.avoided = 1


def mover(state):
    return -1 if state.health <= 0 or state.left == 0 else 0


def returns(state, out):
    score = state.health - state.monsters + state.bonus
    won = state.health > 0 and state.left == 0
    out[0] = worth(score, won)


def worth(score, won):
    """A score in the terms of the reward: the number itself, whether it is a win, or both in one."""
    if REWARD == 0:
        return float(score)
    if REWARD == 1:
        return 1.0 if won else 0.0
    return score / SPAN + (1.0 if won else 0.0)


def observe(state, player):
    for i in range(state.cards - state.unknown, state.cards):
        state.dungeon[i] = 0
    if shuffle_avoided:
        # Every four cards from the bottom up are an avoided room: which they are is known, how they lie is not.
        known = state.cards - state.unknown
        for i in range(known):
            for j in range(i & ~3, i):
                if state.dungeon[j] > state.dungeon[i]:
                    state.dungeon[i], state.dungeon[j] = state.dungeon[j], state.dungeon[i]


def determinize(state, player, rng):
    known = state.cards - state.unknown
    shuffle(state, known, state.cards, rng)
    if shuffle_avoided:
        for first in range(0, known, 4):
            shuffle(state, first, min(first + 4, known), rng)


# The policy: try every way to face what is left of the room, and take the one that leaves the most behind, weighed in points
# of health. The weights were found by the cross-entropy method on games of the full rules and then rounded. On 100,000 other
# decks the policy wins 21.9 ± 0.3 % (mean score -25.1), and 18.6 ± 0.2 % where the weapon is always used (-28.6).
DEAD = -1000.0
HURT = 0.2  # how much more a point of health is worth when little is left
BLADE, BLADE_BEND = 1.24, 0.8  # a fresh weapon of 6 per point, and how much more per point a better one is worth
REACH_BEND = 0.68  # how the worth of a weapon falls with its last kill: 0 in a straight line, 1 as a square
FADE = 27.0  # with fewer monsters than this left, a weapon is worth less
KEPT_DAMAGE, KEPT_MONSTER = 0.73, 0.15  # a monster that stays: per point it would cost now, and per point of its value
KEPT_WEAPON, KEPT_POTION, KEPT_CURE = 1.3, 0.73, 0.17  # a weapon that stays, a potion, and what that could heal now
AVOID_COST = 22.8  # a room that costs more is avoided
SLIP = 128  # one playout action in so many is a random one


def blade_worth(weapon, last):
    reach = last / FRESH
    return BLADE * weapon * (1 + BLADE_BEND * (weapon - 6) / 10) * reach * (1 - REACH_BEND + REACH_BEND * reach)


BLADES = np.array([[blade_worth(weapon, last) for last in range(FRESH + 1)] for weapon in range(11)])
LIFE = np.array([now - HURT * (HEALTH - now) ** 2 / HEALTH for now in range(HEALTH + 1)])


def policy(state, legal, count):
    """The best of the legal actions by this rule, without chance and without a look at hidden cards."""
    fade = min(1.0, state.monsters / FADE) if state.cards > 0 else 0.0
    picks = min(3 - state.faced, state.left)
    # The sum of the cards in the room, less those faced, is at last the one card that stays.
    room = state.room[0] + state.room[1] + state.room[2] + state.room[3]
    best, top = legal[0], 2 * DEAD
    for i in range(count):
        action = legal[i]
        if action == AVOID:
            value = prospects(state.health, state.weapon, state.last, 0, fade) - AVOID_COST
        else:
            slot = action & 3
            card = state.room[slot]
            now, weapon, last, potion = faced(card, action, state.health, state.weapon, state.last, state.potion)
            if now <= 0:
                value = DEAD - 200.0 + now  # if it must be, later is better
            elif picks == 3:
                value = two_more(state, 1 << slot, room - card, now, weapon, last, potion, fade)
            elif picks == 2:
                value = one_more(state, 1 << slot, room - card, now, weapon, last, potion, fade)
            else:
                value = prospects(now, weapon, last, room - card, fade)
        if value > top:
            best, top = action, value
    return best


def two_more(state, gone, rest, now, weapon, last, potion, fade):
    """The best that facing two more cards can leave; the bits of `gone` are slots faced already."""
    top = 2 * DEAD
    for way in range(8):
        if open_way(state, way, gone, last):
            card = state.room[way & 3]
            after, blade, kill, cure = faced(card, way, now, weapon, last, potion)
            if after > 0:
                value = one_more(state, gone | 1 << (way & 3), rest - card, after, blade, kill, cure, fade)
            else:
                value = DEAD - 100.0 + after
            top = max(top, value)
    return top


def one_more(state, gone, rest, now, weapon, last, potion, fade):
    top = 2 * DEAD
    for way in range(8):
        if open_way(state, way, gone, last):
            card = state.room[way & 3]
            after, blade, kill, _ = faced(card, way, now, weapon, last, potion)
            value = prospects(after, blade, kill, rest - card, fade) if after > 0 else DEAD + after
            top = max(top, value)
    return top


def open_way(state, way, gone, last):
    """Whether a card of the room is there to be faced this way; barehanded only where there is a choice."""
    slot = way & 3
    card = state.room[slot]
    if card == 0 or gone >> slot & 1 != 0:
        return False
    return way < HANDS or (barehanded and card < WEAPON and can_use(last, card & 15))


def faced(card, way, now, weapon, last, potion):
    """Health, weapon, its last kill and whether a potion was drunk, after facing a card: `play` without the dungeon."""
    value = card & 15
    if card < WEAPON:
        if way < HANDS and can_use(last, value):
            return now - max(0, value - weapon), weapon, value, potion
        return now - value, weapon, last, potion
    if card < POTION:
        return now, value, FRESH, potion
    if potion == 0:
        return min(HEALTH, now + value), weapon, last, 1
    return now, weapon, last, potion


def prospects(now, weapon, last, card, fade):
    """What it is worth, in points of health, to go on with that health, that weapon and that card in the next room."""
    blade = fade * BLADES[weapon, last]
    total = LIFE[now] + blade
    value = card & 15
    if card == 0:
        return total
    if card < WEAPON:
        damage = max(0, value - weapon) if can_use(last, value) else value
        return total - KEPT_DAMAGE * damage - KEPT_MONSTER * value
    if card < POTION:
        return total + KEPT_WEAPON * max(0.0, fade * BLADES[value, FRESH] - blade)
    return total + KEPT_POTION * value + KEPT_CURE * min(value, HEALTH - now)


def playout_action(state, legal, count, rng):
    if below(rng, SLIP) == 0:
        return legal[below(rng, count)]
    return policy(state, legal, count)


def evaluate(state, out):
    """The score so far, and what healing and blocking are to be expected from the cards that are left.

    The numbers are a fit to games of the policy (full rules): they explain a fifth of the variance of the final score, and
    most of it late in the game. Which cards are left the player knows: nothing depends on how the unknown ones lie.
    """
    if mover(state) < 0:
        returns(state, out)
        return
    potions, weapons = 0, 0
    for i in range(state.cards + 4):
        card = state.dungeon[i] if i < state.cards else state.room[i - state.cards]
        if card >= POTION:
            potions += card & 15
        elif card >= WEAPON:
            weapons += card & 15
    left = state.monsters
    blocked = min(left, 0.14 * left + 1.26 * weapons + 2.4 * state.weapon * state.last / FRESH)
    danger = min(1.0, left / 60.0) * (11.0 - 14.0 * state.health / HEALTH)
    score = max(LOWEST, min(HIGHEST, state.health - left + potions + blocked - danger))
    chance = score / (8.0 + abs(score))  # from -1, a sure loss, to 1
    if REWARD == 0:
        out[0] = score
    elif REWARD == 1:
        out[0] = 0.5 + 0.5 * chance
    else:
        out[0] = score / SPAN + 0.5 + 0.5 * chance


# One row of random words for each place of a card, and for each six bits of what else matters.
ZOBRIST = np.array([mix(n) for n in range(1, 64 * (CARDS + 20) + 1)], np.uint64).astype(np.int64).reshape(CARDS + 20, 64)


def key(state):
    word = 0
    for i in range(state.cards):
        word ^= ZOBRIST[i, state.dungeon[i]]
    for slot in range(4):
        word ^= ZOBRIST[CARDS + slot, state.room[slot]]
    rest = state.health + 16
    rest = rest << 8 | state.weapon << 4 | state.last
    rest = rest << 7 | state.left << 4 | state.faced << 2 | state.potion << 1 | state.avoided
    rest = rest << 10 | state.unknown << 4 | state.bonus
    # An observation has no front, so there the unseen cards count; a state says the same twice.
    for i in range(10):
        word ^= ZOBRIST[CARDS + 4 + i, state.unseen >> 6 * i & 63]
    for i in range(6):
        word ^= ZOBRIST[CARDS + 14 + i, rest >> 6 * i & 63]
    return word


def card_name(card, suits=SUITS):
    return NAMES[card][:-1] + suits[card >> 4] if card else "?"


def action_name(state, action, viewer):
    if action == AVOID:
        return "avoid"
    card = state.room[action & 3]
    name = card_name(card)
    if card < WEAPON:
        return f"{name} {'weapon' if action < HANDS and can_use(state.last, card & 15) else 'hands'}"
    return f"{name} waste" if card >= POTION and state.potion else name


def pretty(cards):
    return " ".join(card_name(card, SYMBOLS) for card in cards)


def known_bottom(state, viewer):
    """The cards under the unknown ones, from the top down, in groups; within a group a player cannot tell the order."""
    known = state.cards - state.unknown
    size = 4 if shuffle_avoided and viewer is not None else 1
    groups = [[state.dungeon[i] for i in range(first, min(first + size, known))] for first in range(0, known, size)]
    return [sorted(group) if size > 1 else group for group in reversed(groups)]


def hidden_front(state, viewer):
    """The cards on top, 0 where the viewer must not see them."""
    return [0 if viewer is not None else state.dungeon[state.cards - 1 - i] for i in range(state.unknown)]


def status(state):
    score = state.health - state.monsters + state.bonus
    if mover(state) == 0:
        return f"room: face {min(3 - state.faced, state.left)} more" if state.faced else "room: untouched"
    return f"{'won' if state.health > 0 else 'died'}: {score} point{'s' * (abs(score) != 1)}"


def hints(state):
    """What else matters in this room, in words."""
    words = []
    if state.potion:
        words.append("potion drunk")
    if state.avoided:
        words.append("the last room was avoided")
    return words


def blade_words(state):
    if state.weapon == 0:
        return "none"
    kill = "no kill yet" if state.last == FRESH else f"last kill {rank_of(state.last)}"
    return f"{state.weapon}♦, {kill}"


def rank_of(value):
    return next(rank for rank, number in RANKS.items() if number == value)


def draw(state, viewer):
    bar = max(0, round(20 * state.health / HEALTH))
    room = " ".join(f"[{card_name(card, SYMBOLS) if card else '':>3} ]" for card in state.room)
    lines = [
        f"health   {'#' * bar}{'.' * (20 - bar)} {state.health}/{HEALTH}",
        f"weapon   {blade_words(state)}",
        f"room     {room}",
        f"         {', '.join([status(state), *hints(state)])}",
        f"dungeon  {dungeon_words(state, viewer)}",
    ]
    return "\n".join(lines)


def dungeon_words(state, viewer):
    if state.cards == 0:
        return "empty"
    front, parts = hidden_front(state, viewer), []
    if front:
        parts.append(f"{len(front)} unknown" + (f" ({pretty(front)})" if any(front) else ""))
    groups = [pretty(group) if len(group) == 1 else f"{{{pretty(group)}}}" for group in known_bottom(state, viewer)]
    if groups:
        parts.append(" ".join(groups))
    return f"{state.cards} card{'s' * (state.cards > 1)}: {', then '.join(parts)}"


RED, BACK = PLAYER_COLOURS[0], PLAYER_COLOURS[1]


def put_card(picture, x, y, card, wide, dim=False):
    """A card with its top left corner at (x, y); 0 lies face down."""
    high = 1.4 * wide
    if card == 0:
        picture.rect(x, y, wide, high, BACK, WHITE, 1, rx=wide / 9)
        return
    colour = RED if card >= WEAPON else INK
    picture.rect(x, y, wide, high, BOARD if dim else WHITE, colour if wide > 50 else LINE, 1.2, rx=wide / 9)
    picture.text(x + wide / 2, y + 0.36 * high, card_name(card)[:-1], 0.44 * wide, colour, bold=True)
    picture.text(x + wide / 2, y + 0.74 * high, SYMBOLS[card >> 4], 0.4 * wide, colour)


def put_dungeon(picture, y, state, viewer):
    """Small cards from the top of the dungeon to its bottom, in rows."""
    x0, wide, across = 20, 30, 15
    dungeon = [(card, True) for card in hidden_front(state, viewer)]
    for group in known_bottom(state, viewer):
        dungeon += [(card, False) for card in group]
    for i, (card, dim) in enumerate(dungeon):
        put_card(picture, x0 + i % across * (wide + 4), y + i // across * 48, card, wide, dim)


def svg(state, viewer):
    rows = -(-state.cards // 15)
    picture = Picture(550, 268 + 48 * rows + (10 if rows else 0), f"Scoundrel: {status(state)}", PAPER)
    picture.text(20, 24, f"health {state.health}", 16, INK, "start", bold=True)
    picture.rect(130, 15, 400, 18, BOARD, BOARD_DARK, 1.2, rx=7)
    if state.health > 0:
        colour = HIGHLIGHT if 2 * state.health > HEALTH else RED
        picture.rect(130, 15, 400 * state.health / HEALTH, 18, colour, rx=7)
    for slot in range(4):
        x = 20 + slot * 94
        if state.room[slot]:
            put_card(picture, x, 54, state.room[slot], 84)
        else:
            picture.rect(x, 54, 84, 117.6, "none", BOARD_DARK, 1.2, rx=9)
    picture.rect(410, 54, 120, 150, BOARD, BOARD_DARK, 1.2, rx=10)
    picture.text(470, 72, "weapon", 14, MUTED)
    if state.weapon:
        put_card(picture, 442, 86, WEAPON + state.weapon, 56)
        words = "no kill yet" if state.last == FRESH else f"last kill {rank_of(state.last)}"
        picture.text(470, 188, words, 14, INK)
    else:
        picture.text(470, 125, "none", 16, MUTED)
    picture.text(20, 194, ", ".join([status(state), *hints(state)]), 16, INK, "start")
    words = f"{state.cards} card{'s' * (state.cards > 1)}, {state.unknown or 'none'} unknown" if state.cards else "empty"
    shuffled = ", avoided rooms in unknown order" if shuffle_avoided and known_bottom(state, viewer) else ""
    picture.text(20, 236, f"dungeon: {words}{shuffled}", 15, MUTED, "start")
    put_dungeon(picture, 256, state, viewer)
    return str(picture)
