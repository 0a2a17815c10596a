"""Root as a picture: the map with all pieces on the left, tracks, Decree, hands and piles on the right."""

from playout.games.root.cards import ITEM_NAMES, ITEMS, KIND_AT, TABLE
from playout.games.root.clicks import card_part, clearing_part, column_part, parts_of, put_buttons
from playout.games.root.drawing import leader_name, rulers, slots, viziers
from playout.games.root.map import BIRD, CLEARINGS, PATHS, PLACE, SUIT, SUIT_NAMES
from playout.games.root.names import FACTIONS, action_name, question
from playout.games.root.options import POINTS
from playout.games.root.record import AMBUSHED, COLUMNS, EYRIE, LEADERS, MARQUISE
from playout.picture import BOARD, BOARD_DARK, HIGHLIGHT, INK, LINE, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture

SUIT_COLOURS = ("#c0563f", "#d8b13c", "#d08a4e", "#4d83a8")
SUIT_LETTERS = "FRMB"
LEFT, TOP, WIDE, HIGH, RADIUS = 46, 62, 640, 560, 44
PANEL = LEFT + WIDE + 74
MAP_HIGH = 706
WIDTH, HEIGHT = PANEL + 470, MAP_HIGH + 66


def spot(clearing):
    x, y = PLACE[clearing]
    return LEFT + x * WIDE / 100, TOP + y * HIGH / 100


def put_map(picture, state, marked):
    picture.rect(12, 44, PANEL - 30, MAP_HIGH - 90, "#dfe6cf", BOARD_DARK, 2, rx=18)
    for a, b in PATHS:
        picture.line(*spot(a - 1), *spot(b - 1), "#b9a67e", 9)
    rules = rulers(state)
    for clearing in range(CLEARINGS):
        part = clearing_part(clearing)
        put_clearing(picture, state, clearing, rules[clearing], part if part in marked else None)


def put_clearing(picture, state, clearing, rule, part):
    x, y = spot(clearing)
    suit = SUIT[clearing]
    edge = PLAYER_COLOURS[rule] if rule >= 0 else LINE
    fights = state.stage >= AMBUSHED and state.winner == 0 and state.place == clearing
    words = f"clearing {clearing + 1}, {SUIT_NAMES[suit]}: " + (f"ruled by {FACTIONS[rule]}" if rule >= 0 else "nobody rules")
    with picture.part(part, words) if part else picture.note(words):
        picture.circle(x, y, RADIUS, "#f4efe0", HIGHLIGHT if fights else edge, 5 if fights or rule >= 0 else 2)
        picture.circle(x - 33, y - 33, 13, SUIT_COLOURS[suit], WHITE, 1.5)
        picture.text(x - 33, y - 33, SUIT_LETTERS[suit], 14, WHITE, bold=True)
        picture.text(x - 33, y - 53, str(clearing + 1), 14, INK, bold=True)
        found = slots(state, clearing)
        for i, letter in enumerate(found):
            put_slot(picture, x + 22 * (i - (len(found) - 1) / 2), y - 15, letter)
        put_warriors(picture, state, clearing, x, y + 11)
        tokens = [("w", "#8a5a2b")] * state.wood[clearing] + [("K", PLAYER_COLOURS[MARQUISE])] * (state.keep == clearing)
        for i, (letter, colour) in enumerate(tokens):
            at = x + 13 * (i - (len(tokens) - 1) / 2)
            picture.circle(at, y + 32, 7 if letter == "w" else 9, colour, WHITE, 1)
            picture.text(at, y + 32, letter, 9 if letter == "w" else 12, WHITE, bold=True)
        if part:
            picture.hit(x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS, RADIUS)


def put_slot(picture, x, y, letter):
    """A building slot: free, a ruin, or a building in the colour of its owner."""
    colour = {"-": PAPER, "x": MUTED}.get(letter, PLAYER_COLOURS[EYRIE if letter == "E" else MARQUISE])
    picture.rect(x - 9.5, y - 9.5, 19, 19, colour, LINE if letter == "-" else INK, 1, rx=3)
    if letter != "-":
        picture.text(x, y, {"x": "×", "E": "♜"}.get(letter, letter), 13, WHITE, bold=True)


def put_warriors(picture, state, clearing, x, y):
    sides = [player for player in range(2) if state.warriors[player, clearing]]
    for i, player in enumerate(sides):
        at = x + 32 * (i - (len(sides) - 1) / 2)
        picture.circle(at, y, 11, PLAYER_COLOURS[player], WHITE, 1.5)
        picture.text(at, y, str(state.warriors[player, clearing]), 13, WHITE, bold=True)


def put_card(picture, x, y, kind):
    """A card with its suit by colour and letter; -1 lies face down."""
    if kind < 0:
        picture.rect(x, y, 30, 22, PLAYER_COLOURS[5], WHITE, 1.5, rx=4)
        picture.text(x + 15, y + 11, "?", 13, WHITE, bold=True)
        return
    suit = TABLE[kind][2]
    picture.rect(x, y, 146, 22, WHITE, SUIT_COLOURS[suit], 1.5, rx=4)
    picture.circle(x + 12, y + 11, 8, SUIT_COLOURS[suit])
    picture.text(x + 12, y + 11, SUIT_LETTERS[suit], 11, WHITE, bold=True)
    picture.text(x + 24, y + 11, TABLE[kind][0], 11, INK, "start")


def put_cards(picture, y, kinds, marked=frozenset()):
    """Cards in rows of three; the height after them."""
    for i, kind in enumerate(kinds):
        at, part = (PANEL + i % 3 * 151, y + i // 3 * 26), card_part(kind)
        with picture.part(part if part in marked else None, TABLE[kind][0]):
            put_card(picture, *at, kind)
            if part in marked:
                picture.hit(*at, 146, 22, 4)
    return y + 26 * max(1, -(-len(kinds) // 3))


def kinds_of(cards):
    return [int(KIND_AT[bit]) for bit in range(len(KIND_AT)) if int(cards) >> bit & 1]


def put_score(picture, state):
    """The track of points from 0 to the winning number."""
    step = (PANEL - 80) / POINTS
    picture.line(40, 24, 40 + step * POINTS, 24, BOARD_DARK, 3)
    for points in range(0, POINTS + 1, 5):
        picture.circle(40 + step * points, 24, 9, PAPER)
        picture.text(40 + step * points, 24, str(points), 11, MUTED)
    for player in range(2):
        at = 40 + step * min(POINTS, state.scores[player])
        picture.circle(at, 24 + 11 * (2 * player - 1), 9, PLAYER_COLOURS[player], WHITE, 1.5)
        picture.text(at, 24 + 11 * (2 * player - 1), str(state.scores[player]), 10, WHITE, bold=True)


def put_player(picture, state, player, viewer, y, marked):
    off = f"{state.supply[player]} warriors left"
    if player == MARQUISE:
        words = f"{off}, {state.lumber} wood; on the tracks " + " ".join(
            f"{6 - state.built[sort]}{letter}" for sort, letter in enumerate("SWR")
        )
    else:
        words = f"{off}, {7 - state.built[3]} on the roost track; leader {leader_name(state)}"
    acting = state.winner == 0 and state.asked == player
    picture.text(PANEL, y, FACTIONS[player], 17, PLAYER_COLOURS[player], "start", bold=True)
    picture.text(PANEL + 98, y, words, 12, INK if acting else MUTED, "start")
    seen = state.hands[player] if viewer in (None, player) else state.known[player]
    kinds = kinds_of(seen)
    hidden = state.sizes[player] - len(kinds)
    picture.text(PANEL, y + 24, f"hand of {state.sizes[player]}", 12, MUTED, "start")
    for i in range(hidden):
        put_card(picture, PANEL + 76 + 34 * i, y + 13, -1)
    y = put_cards(picture, y + 40, kinds, marked if acting else frozenset()) + 10
    picture.text(PANEL, y, "crafted", 12, MUTED, "start")
    return put_cards(picture, y + 12, kinds_of(state.crafted[player])) + 16


def put_decree(picture, state, y, marked):
    picture.text(PANEL, y, "Decree", 15, PLAYER_COLOURS[EYRIE], "start", bold=True)
    down = " ".join(LEADERS[leader] for leader in range(4) if not state.leaders >> leader & 1)
    picture.text(PANEL + 70, y, f"deposed: {down or 'nobody'}", 12, MUTED, "start")
    for column in range(4):
        x, part = PANEL + column * 112, column_part(column)
        with picture.part(part if part in marked else None, COLUMNS[column]):
            picture.rect(x, y + 14, 106, 104, BOARD, PLAYER_COLOURS[EYRIE], 1, rx=6)
        picture.text(x + 53, y + 26, COLUMNS[column], 11, INK, bold=True)
        suits = [TABLE[kind][2] for kind in kinds_of(state.decree[column])]
        marks = [(SUIT_COLOURS[suit], SUIT_LETTERS[suit]) for suit in suits]
        marks += [(SUIT_COLOURS[BIRD], "V")] * (viziers(state) >> column & 1)
        for i, (colour, letter) in enumerate(marks):
            picture.circle(x + 16 + 19 * (i % 5), y + 46 + 19 * (i // 5), 8, colour, WHITE, 1)
            picture.text(x + 16 + 19 * (i % 5), y + 46 + 19 * (i // 5), letter, 11, WHITE, bold=True)
    return y + 132


def put_rest(picture, state, y):
    items = ", ".join(f"{ITEM_NAMES[item]} {state.items[item]}" for item in range(ITEMS) if state.items[item])
    picture.text(PANEL, y, f"items: {items or 'none'}", 12, INK, "start")
    picture.text(PANEL, y + 20, f"discard pile: {int(state.discard).bit_count()} cards", 12, INK, "start")
    for player in range(2):
        x = PANEL + 330 + 34 * player
        picture.rect(x, y + 8, 26, 26, PLAYER_COLOURS[player], WHITE, 1.5, rx=5)
        picture.text(x + 13, y + 21, str(state.rolled[player]), 15, WHITE, bold=True)
    picture.text(PANEL + 320, y + 21, "rolled hits", 12, MUTED, "end")


def svg(state, viewer, actions):
    """For a viewer who may play these actions now, none where it is another's turn."""
    marked = parts_of(actions)
    picture = Picture(WIDTH, HEIGHT, f"Root: {question(state)}", PAPER)
    put_map(picture, state, marked)
    put_score(picture, state)
    y = put_player(picture, state, MARQUISE, viewer, 24, marked)
    y = put_player(picture, state, EYRIE, viewer, max(y, 210), marked)
    y = put_decree(picture, state, max(y, 400), marked)
    put_rest(picture, state, y)
    colour = INK if state.winner or state.asked < 0 else PLAYER_COLOURS[state.asked]
    picture.text(PANEL / 2, MAP_HIGH - 24, question(state), 16, colour, bold=True)
    names = {action: action_name(state, action, viewer) for action in actions}
    put_buttons(picture, state, actions, names, 14, MAP_HIGH + 2, WIDTH - 28)
    return str(picture)
