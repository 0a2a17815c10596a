"""Scoundrel for people: as text, as a picture, and what lies hidden in words.

The rules hand over what their parameters decide: `full` is the most health there can be, `shuffled` whether avoided rooms are
shuffled before they go under the dungeon.
"""

from playout.games.scoundrel.cards import AVOID, FRESH, HANDS, POTION, SYMBOLS, WEAPON, card_name, pretty, rank_of
from playout.picture import BOARD, BOARD_DARK, HIGHLIGHT, INK, LINE, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture


def known_bottom(state, viewer, shuffled):
    """The cards under the unknown ones, from the top down, in groups; within a group a player cannot tell the order."""
    known = state.cards - state.unknown
    size = 4 if shuffled and viewer is not None else 1
    groups = [[state.dungeon[i] for i in range(first, min(first + size, known))] for first in range(0, known, size)]
    return [sorted(group) if size > 1 else group for group in reversed(groups)]


def hidden_front(state, viewer):
    """The cards on top, 0 where the viewer must not see them."""
    return [0 if viewer is not None else state.dungeon[state.cards - 1 - i] for i in range(state.unknown)]


def status(state):
    score = state.health - state.monsters + state.bonus
    if state.health > 0 and state.left > 0:
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


def draw(state, viewer, full, shuffled):
    bar = max(0, round(20 * state.health / full))
    room = " ".join(f"[{card_name(card, SYMBOLS) if card else '':>3} ]" for card in state.room)
    lines = [
        f"health   {'#' * bar}{'.' * (20 - bar)} {state.health}/{full}",
        f"weapon   {blade_words(state)}",
        f"room     {room}",
        f"         {', '.join([status(state), *hints(state)])}",
        f"dungeon  {dungeon_words(state, viewer, shuffled)}",
    ]
    return "\n".join(lines)


def dungeon_words(state, viewer, shuffled):
    if state.cards == 0:
        return "empty"
    front, parts = hidden_front(state, viewer), []
    if front:
        parts.append(f"{len(front)} unknown" + (f" ({pretty(front)})" if any(front) else ""))
    groups = [pretty(group) if len(group) == 1 else f"{{{pretty(group)}}}" for group in known_bottom(state, viewer, shuffled)]
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


def put_dungeon(picture, y, state, viewer, shuffled):
    """Small cards from the top of the dungeon to its bottom, in rows."""
    x0, wide, across = 20, 30, 15
    dungeon = [(card, True) for card in hidden_front(state, viewer)]
    for group in known_bottom(state, viewer, shuffled):
        dungeon += [(card, False) for card in group]
    for i, (card, dim) in enumerate(dungeon):
        put_card(picture, x0 + i % across * (wide + 4), y + i // across * 48, card, wide, dim)


def put_room(picture, state, names):
    """The four cards, each with the actions that face it; `names` has what may be done now."""
    for slot in range(4):
        x, hands = 20 + slot * 94, HANDS + slot
        if not state.room[slot]:
            picture.rect(x, 54, 84, 117.6, "none", BOARD_DARK, 1.2, rx=9)
            continue
        with picture.action(slot if slot in names else None, names.get(slot, "")):
            put_card(picture, x, 54, state.room[slot], 84)
            if slot in names:
                picture.hit(x, 54, 84, 117.6, 9)
        if hands in names:
            picture.button(x, 177, 84, 24, "bare hands", hands, names[hands])
    if AVOID in names:
        picture.button(410, 212, 120, 28, "avoid the room", AVOID)


def svg(state, viewer, full, shuffled, names):
    rows = -(-state.cards // 15)
    picture = Picture(550, 294 + 48 * rows + (10 if rows else 0), f"Scoundrel: {status(state)}", PAPER)
    picture.text(20, 24, f"health {state.health}", 16, INK, "start", bold=True)
    picture.rect(130, 15, 400, 18, BOARD, BOARD_DARK, 1.2, rx=7)
    if state.health > 0:
        colour = HIGHLIGHT if 2 * state.health > full else RED
        picture.rect(130, 15, 400 * state.health / full, 18, colour, rx=7)
    put_room(picture, state, names)
    picture.rect(410, 54, 120, 150, BOARD, BOARD_DARK, 1.2, rx=10)
    picture.text(470, 72, "weapon", 14, MUTED)
    if state.weapon:
        put_card(picture, 442, 86, WEAPON + state.weapon, 56)
        words = "no kill yet" if state.last == FRESH else f"last kill {rank_of(state.last)}"
        picture.text(470, 188, words, 14, INK)
    else:
        picture.text(470, 125, "none", 16, MUTED)
    picture.text(20, 222, ", ".join([status(state), *hints(state)]), 16, INK, "start")
    words = f"{state.cards} card{'s' * (state.cards > 1)}, {state.unknown or 'none'} unknown" if state.cards else "empty"
    shuffled = ", avoided rooms in unknown order" if shuffled and known_bottom(state, viewer, shuffled) else ""
    picture.text(20, 262, f"dungeon: {words}{shuffled}", 15, MUTED, "start")
    put_dungeon(picture, 282, state, viewer, shuffled)
    return str(picture)


SHOWN_NEXT = 4  # the cards that the next decisions are about: as many as a room has
HEAVY = 10  # a monster that hurts even with a weapon


def hidden_facts(state, shuffled):
    """What the player cannot see of the cards that come next, in words."""
    count = min(SHOWN_NEXT, state.cards if shuffled else state.unknown)
    cards = [state.dungeon[state.cards - 1 - i] for i in range(count)]
    if not cards:
        return []
    where = f"among the next {count} cards" if count > 1 else "the next card"
    facts = [f"{card_name(card, SYMBOLS)} {'is ' * (count == 1)}{where}" for card in cards]
    for kind, held in (
        ("weapon", [card for card in cards if WEAPON <= card < POTION]),
        ("potion", [card for card in cards if card >= POTION]),
        (f"monster of {HEAVY} or more", [card for card in cards if card < WEAPON and card & 15 >= HEAVY]),
    ):
        facts.append(f"{'no' if not held else 'one' if len(held) == 1 else 'more than one'} {kind} {where}")
    return facts
