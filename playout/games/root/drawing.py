"""Root as text: the clearings where they lie, within 100 columns, and below them scores, hands, Decree and cards."""

from playout.games.root.cards import ITEM_NAMES, ITEMS
from playout.games.root.map import CLEARINGS, NEAR, PRINTED, SLOTS, SUIT, SUIT_NAMES
from playout.games.root.names import FACTIONS, card_names, question
from playout.games.root.options import POINTS
from playout.games.root.record import CHOOSE_LEADER, COLUMNS, EYRIE, LEADERS, MARQUISE, VIZIERS, ruled

WIDE, HIGH = 25, 4
SPOTS = ((0, 0), (3, 1), (3, 5), (0, 4), (2, 0), (3, 2), (2, 4), (1, 5), (0, 2), (1, 1), (2, 2), (1, 3))
"""The column and row of each clearing, as they lie on the map."""
LETTERS = "SWRE"
"""A sawmill, a workshop, a recruiter, a roost in its slot."""


def slots(state, clearing):
    """What stands in the slots of a clearing: a letter for a building, "-" for a free slot, "x" for a ruin."""
    found = [LETTERS[sort] for sort in range(4) for _ in range(state.buildings[sort, clearing])]
    return found + ["-"] * (SLOTS[clearing] - len(found)) + ["x"] * (PRINTED[clearing] - SLOTS[clearing])


def rulers(state):
    """Who rules each clearing: 0, 1, or -1 for nobody."""
    hers, theirs = ruled(state, MARQUISE), ruled(state, EYRIE)
    return [MARQUISE if hers >> clearing & 1 else EYRIE if theirs >> clearing & 1 else -1 for clearing in range(CLEARINGS)]


def box(state, clearing, rule):
    """The four lines of a clearing."""
    paths = " ".join(str(other + 1) for other in range(CLEARINGS) if NEAR[clearing] >> other & 1)
    tokens = [f"wood {state.wood[clearing]}"] if state.wood[clearing] else []
    tokens += ["KEEP"] if state.keep == clearing else []
    pieces = [f"M {state.warriors[MARQUISE, clearing]}"] if state.warriors[MARQUISE, clearing] else []
    pieces += [f"E {state.warriors[EYRIE, clearing]}"] if state.warriors[EYRIE, clearing] else []
    return [
        f"{clearing + 1} {SUIT_NAMES[SUIT[clearing]]} > {paths}",
        f"  [{' '.join(slots(state, clearing))}]" + (f" {FACTIONS[rule]}" if rule >= 0 else ""),
        f"  {'  '.join(pieces) or '.'}",
        f"  {' '.join(tokens)}",
    ]


def map_lines(state):
    rules = rulers(state)
    rows = [[" "] * (4 * WIDE) for _ in range(6 * HIGH)]
    for clearing in range(CLEARINGS):
        column, row = SPOTS[clearing]
        for i, words in enumerate(box(state, clearing, rules[clearing])):
            for j, letter in enumerate(words[: WIDE - 1]):
                rows[row * HIGH + i][column * WIDE + j] = letter
    lines = ["".join(row).rstrip() for row in rows]
    return [line for i, line in enumerate(lines) if line or i % HIGH != HIGH - 1]


def hand_words(state, player, viewer):
    """The hand as a viewer sees it: all of the own one, of the other what is known, and how many more there are."""
    seen = state.hands[player] if viewer in (None, player) else state.known[player]
    words = card_names(seen)
    unknown = state.sizes[player] - len(words)
    if unknown:
        words.append(f"{unknown} unknown")
    return words


def shorter(words, head):
    """Words after a head, broken into lines of at most 100 columns."""
    lines, line = [], head
    for i, word in enumerate(words or ["-"]):
        piece = word + ("," if i + 1 < len(words) else "")
        if len(line) + 1 + len(piece) > 100:
            lines.append(line)
            line = " " * len(head)
        line += " " + piece
    return [*lines, line]


def leader_name(state):
    return LEADERS[state.leader] if state.stage > CHOOSE_LEADER else "-"


def viziers(state):
    """The columns of the viziers, once there is a leader."""
    return VIZIERS[state.leader] if state.stage > CHOOSE_LEADER else 0


def decree_words(state):
    words = []
    for column in range(4):
        cards = [name.rpartition("(")[2][:-1] for name in card_names(state.decree[column])]
        cards += ["vizier"] * (viziers(state) >> column & 1)
        words.append(f"{COLUMNS[column]} {' '.join(cards) or '-'}")
    return words


def draw(state, viewer):
    lines = map_lines(state)
    dice = f"; rolled hits {state.rolled[MARQUISE]} : {state.rolled[EYRIE]}" if max(state.rolled[0], state.rolled[1]) else ""
    lines.append("S sawmill  W workshop  R recruiter  E roost  x ruin  - free slot  M, E warriors")
    lines.append(f"{question(state)}; {FACTIONS[state.turn]}'s turn{dice}")
    lines.append(
        f"points of {POINTS}: Marquise {state.scores[MARQUISE]}, Eyrie {state.scores[EYRIE]}; discard pile of {int(state.discard).bit_count()}"
    )
    for player in range(2):
        off = f"{state.supply[player]} warriors left"
        if player == MARQUISE:
            built = ", ".join(
                f"{6 - state.built[sort]} {word}" for sort, word in enumerate(("sawmills", "workshops", "recruiters"))
            )
            lines.append(f"Marquise: {off}, {state.lumber} wood, on the tracks {built}")
        else:
            now = leader_name(state)
            up = " ".join(name for leader, name in enumerate(LEADERS) if state.leaders >> leader & 1 and name != now)
            lines.append(f"Eyrie: {off}, roosts left {7 - state.built[3]}, leader {now}, face up {up or '-'}")
        lines += shorter(hand_words(state, player, viewer), "  hand")
        lines += shorter(card_names(state.crafted[player]), "  crafted")
    lines += shorter(decree_words(state), "  Decree")
    lines += shorter([f"{ITEM_NAMES[item]} {state.items[item]}" for item in range(ITEMS) if state.items[item]], "items")
    return "\n".join(lines)
