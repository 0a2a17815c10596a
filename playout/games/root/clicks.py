"""Clicks on the picture of Root: what an action is made of, and which action one or two clicks mean.

Most actions have two ends: a clearing and one next to it, something to do and where, a card and what for. Clicks name them in either order,
and one is enough where only one action has that end. What has no place in the picture is a button of its own.
"""

from playout.games.root.cards import KINDS
from playout.games.root.map import CLEARINGS, WAY_FROM, WAY_TO, WAYS
from playout.games.root.record import (
    ACT,
    ACTIONS,
    CARD,
    CONSTRUCT,
    CORNER,
    CRAFT,
    DECREE,
    DISCARDING,
    FIGHT,
    GO,
    GROW_AT,
    HOSPITAL,
    LEVY,
    PIECE_NAMES,
    RECRUIT_AT,
    ROOST_AT,
    WOOD_FROM,
    WORK,
)
from playout.picture import INK, MUTED, WHITE

SPEND = "a card"
"""To play a card for what the stage asks, in place of crafting it or overworking."""


def clearing_part(clearing):
    return f"clearing {clearing + 1}"


def card_part(kind):
    return f"card {kind}"


def column_part(column):
    return f"column {column}"


def _ends():
    """The parts of every action; none for one that is a button."""
    found = [()] * ACTIONS
    for first, size, verb in (
        (CORNER, 4, "keep"),
        (GROW_AT, CLEARINGS, "wood to"),
        (WOOD_FROM, CLEARINGS, "wood from"),
        (RECRUIT_AT, CLEARINGS, "recruit in"),
        (ROOST_AT, CLEARINGS, "roost in"),
        (FIGHT, CLEARINGS, "battle in"),
        (LEVY, CLEARINGS, "Tax Collector"),
        *((CONSTRUCT + sort * CLEARINGS, CLEARINGS, f"build {PIECE_NAMES[sort]}") for sort in range(3)),
    ):
        for clearing in range(size):
            found[first + clearing] = (verb, clearing_part(clearing))
    for first, verb in ((CRAFT, "craft"), (CARD, SPEND), (WORK, "overwork")):
        for kind in range(KINDS):
            found[first + kind] = (verb, card_part(kind))
    for number in range(4 * KINDS):
        found[DECREE + number] = (card_part(number // 4), column_part(number % 4))
    for way in range(len(WAYS)):
        found[GO + way] = (clearing_part(WAY_FROM[way]), clearing_part(WAY_TO[way]))
    return tuple(found)


ENDS = _ends()
VERBS = tuple(dict.fromkeys(ends[0] for ends in ENDS if ends and ends[0].partition(" ")[0] not in ("clearing", "card")))


def parts_of(marked):
    """The parts of the picture that some of these actions are made of."""
    return frozenset(part for action in marked for part in ENDS[action])


def clicked(marked, parts):
    """The one action among these that the clicks mean; -1 where there is none, or several."""
    found = [action for action in sorted(marked) if _fits(action, parts)]
    return found[0] if len(found) == 1 else -1


def _fits(action, parts):
    ends = ENDS[action]
    if len(parts) == 1:
        return parts[0] in ends
    # There and back are two marches; all else may be said in either order.
    return parts == ends or (parts == ends[::-1] and not GO <= action < GO + len(WAYS))


def put_buttons(picture, state, marked, names, x, y, wide):
    """In rows: what has no place in the picture, and then what to do somewhere in it, with a dotted end."""
    parts = parts_of(marked)
    row = [(names[action], action, None) for action in sorted(marked) if not ENDS[action]]
    row += [(_verb(state, verb) + " …", None, verb) for verb in VERBS if verb in parts]
    at = x
    for words, action, part in row:
        long = 20 + 6.6 * len(words)
        if at + long > x + wide:
            at, y = x, y + 30
        with picture.part(part, words) if action is None else picture.action(action, words):
            picture.rect(at, y, long, 25, WHITE, MUTED if action is None else INK, 1.3, rx=6)
            picture.text(at + long / 2, y + 12.5, words, 12, INK)
            picture.hit(at, y, long, 25, 6)
        at += long + 8


def _verb(state, verb):
    if verb == SPEND:
        return {ACT: "spend", HOSPITAL: "heal with", DISCARDING: "discard"}.get(state.stage, "play")
    return verb
