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

Rewards, which the game may have and agents may go by (`ismcts:reward=win`): `score` is the score; `win` is 1 for a win and else 0; `blend` is the score divided by its span (188 in the full
deck), and 1 more for a win, so that wins stand out and losses still have a slope. In each a win is above 0 and a loss is not.
"""

import numpy as np

from playout import PlayoutError, below, parameter
from playout.game.bits import lowest, pop
from playout.game.stream import mix
from playout.games.scoundrel import drawing, seen
from playout.games.scoundrel.cards import AVOID, CODES, FRESH, HANDS, POTION, WEAPON, card_name, cards_of, order_of
from playout.games.scoundrel.seen import write_cards, write_player, write_slot
from playout.games.scoundrel.weights import (
    AVOID_COST,
    BLADES,
    DEAD,
    FADE,
    KEPT_CURE,
    KEPT_DAMAGE,
    KEPT_MONSTER,
    KEPT_POTION,
    KEPT_WEAPON,
    SLIP,
    life_worth,
)
from playout.picture import choices

barehanded = parameter("barehanded", True, "whether a monster may be fought barehanded when the weapon could be used")
strict = parameter("strict", False, "whether a weapon only takes on monsters strictly lower than its last kill")
shuffle_avoided = parameter("shuffle_avoided", False, "whether an avoided room is shuffled before it goes under the dungeon")
health = parameter("health", 20, "health at the start, and the most there can be", low=1, high=99)
deck = parameter("deck", "", "the cards of a smaller game, with dashes between, such as 2C-3S-10D-5H-AS")
order = parameter("order", "", "the dungeon card by card from the top, for a set-up deck")
reward = parameter(
    "reward", "score", "what counts: score, win (1 or 0), or blend (the score over its span, and 1 more for a win)"
)

FEWEST_CARDS = 5
DECK = cards_of("deck", deck) if deck else tuple(CODES.values())
if len(DECK) < FEWEST_CARDS:
    raise PlayoutError(f"parameter deck={deck!r} has {len(DECK)} cards; give at least {FEWEST_CARDS}")
ORDER = order_of(order, DECK) if order else DECK
SET_UP = bool(order)
SCORE, WIN, BLEND = range(3)
if reward not in ("score", "win", "blend"):
    raise PlayoutError(f"parameter reward={reward!r} is unknown; take score, win or blend")
REWARD = {"score": SCORE, "win": WIN, "blend": BLEND}[reward]

CARDS = len(DECK)
HEALTH = health
MONSTERS = sum(code & 15 for code in DECK if code < WEAPON)
LOWEST = min(0, HEALTH - MONSTERS)  # nothing healed, nothing blocked
HIGHEST = HEALTH + max((code & 15 for code in DECK if code >= POTION), default=0)
SPAN = max(-LOWEST, HIGHEST)
UNSEEN = sum(1 << code for code in DECK)

players = 1
actions = 9
most_legal = 9 if barehanded else 5
rewards = {"score": (LOWEST, HIGHEST), "win": (0, 1), "blend": (LOWEST / SPAN, 1 + HIGHEST / SPAN)}
returns_range = rewards[reward]
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
    returns_as(state, REWARD, out)


def returns_as(state, reward, out):
    score = state.health - state.monsters + state.bonus
    won = state.health > 0 and state.left == 0
    out[0] = worth(reward, float(score), 1.0 if won else 0.0)


def worth(reward, score, won):
    """A score and a win, or the chance of one, in the terms of a reward: the number itself, whether it is a win, or both in one."""
    if reward == SCORE:
        return score
    if reward == WIN:
        return won
    return score / SPAN + won


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
# of health (`weights`). On 100,000 decks it wins 21.9 ± 0.3 % (mean score -25.1), and 18.6 ± 0.2 % where the weapon is always
# used (-28.6).
LIFE = life_worth(HEALTH)


def policy(state, legal, count):
    """The best of the legal actions by this rule, without chance and without a look at hidden cards."""
    fade = min(1.0, state.monsters / FADE) if state.cards > 0 else 0.0
    picks = min(3 - state.faced, state.left)
    # The room as one word, a byte for each slot, and a bit for each that has a card: what is asked so often is not read from memory.
    room, slots, rest = 0, 0, 0
    for slot in range(4):
        card = int(state.room[slot])
        room |= card << 8 * slot
        slots |= (card != 0) << slot
        rest += card  # less those faced it is at last the one card that stays
    best, top = legal[0], 2 * DEAD
    for i in range(count):
        action = legal[i]
        if action == AVOID:
            value = prospects(state.health, state.weapon, state.last, 0, fade) - AVOID_COST
        else:
            card = room >> 8 * (action & 3) & 255
            left = slots ^ 1 << (action & 3)
            now, weapon, last, potion = faced(card, action >= HANDS, state.health, state.weapon, state.last, state.potion)
            if now <= 0:
                value = DEAD - 200.0 + now  # if it must be, later is better
            elif picks == 3:
                value = two_more(room, left, rest - card, now, weapon, last, potion, fade)
            elif picks == 2:
                value = one_more(room, left, rest - card, now, weapon, last, potion, fade)
            else:
                value = prospects(now, weapon, last, rest - card, fade)
        if value > top:
            best, top = action, value
    return best


def two_more(room, slots, rest, now, weapon, last, potion, fade):
    """The best that facing two more cards can leave, of those in the slots."""
    top, to_do = 2 * DEAD, slots
    while to_do != 0:
        slot = lowest(to_do)
        to_do = pop(to_do)
        card = room >> 8 * slot & 255
        for bare in range(ways(card, last)):
            after, blade, kill, cure = faced(card, bare, now, weapon, last, potion)
            if after > 0:
                value = one_more(room, slots ^ 1 << slot, rest - card, after, blade, kill, cure, fade)
            else:
                value = DEAD - 100.0 + after
            top = max(top, value)
    return top


def one_more(room, slots, rest, now, weapon, last, potion, fade):
    top, to_do = 2 * DEAD, slots
    while to_do != 0:
        slot = lowest(to_do)
        to_do = pop(to_do)
        card = room >> 8 * slot & 255
        for bare in range(ways(card, last)):
            after, blade, kill, _ = faced(card, bare, now, weapon, last, potion)
            value = prospects(after, blade, kill, rest - card, fade) if after > 0 else DEAD + after
            top = max(top, value)
    return top


def ways(card, last):
    """In how many ways a card can be faced: barehanded, too, where there is a choice."""
    return 2 if barehanded and card < WEAPON and can_use(last, card & 15) else 1


def faced(card, bare, now, weapon, last, potion):
    """Health, weapon, its last kill and whether a potion was drunk, after facing a card: `play` without the dungeon."""
    value = card & 15
    if card < WEAPON:
        if not bare and can_use(last, value):
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
    evaluate_as(state, REWARD, out)


def evaluate_as(state, reward, out):
    """The score so far, and what healing and blocking are to be expected from the cards that are left.

    The numbers are a fit to games of the policy (full rules): they explain a fifth of the variance of the final score, and
    most of it late in the game. Which cards are left the player knows: nothing depends on how the unknown ones lie.
    """
    if mover(state) < 0:
        returns_as(state, reward, out)
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
    out[0] = worth(reward, score, 0.5 + 0.5 * chance)


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


DECK_CODES, PLACES = np.array(DECK, np.int64), seen.places_of(DECK)
_ways = seen.ways_of(DECK)
encoding = (seen.FIRST_CARD + CARDS, seen.FEATURES)
symmetries = len(_ways)


def encode(state, player, out):
    write_player(state, out, HEALTH, MONSTERS, CARDS)
    for slot in range(4):
        write_slot(state, out, slot, can_use(state.last, state.room[slot] & 15), HEALTH)
    write_cards(state, out, DECK_CODES, PLACES, shuffle_avoided)


def mirror_encoding(symmetry, encoded):
    return seen.mirror(_ways[symmetry], encoded, DECK, PLACES)


def mirror_action(symmetry, action):
    return seen.mirror_move(_ways[symmetry], action)


def action_name(state, action, viewer):
    if action == AVOID:
        return "avoid"
    card = state.room[action & 3]
    name = card_name(card)
    if card < WEAPON:
        return f"{name} {'weapon' if action < HANDS and can_use(state.last, card & 15) else 'hands'}"
    return f"{name} waste" if card >= POTION and state.potion else name


def draw(state, viewer):
    return drawing.draw(state, viewer, HEALTH, shuffle_avoided)


def svg(state, viewer):
    marked = sorted(choices(state, mover, legal, most_legal, viewer))
    names = {action: action_name(state, action, viewer) for action in marked}
    return drawing.svg(state, viewer, HEALTH, shuffle_avoided, names)


def hidden_facts(state, viewer):
    return drawing.hidden_facts(state, shuffle_avoided)
