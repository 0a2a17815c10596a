"""The many actions of a position that do not lead, in pages: which of them is best is found in a few steps, whatever the bonus is.

A look at all actions was most of the time of a long search: UCB brings the weights of all that compete close together, so that the
leaders of a position with thousands of actions fall behind every few simulations. So a position with at least `PAGED` actions keeps those
that do not lead in a tree of pages, eight entries each, in the order of their age. An entry says of what is below it the lowest and the
highest value, and the highest weight for two bonuses, a smaller and a larger one than that of now. A weight is a line in the bonus, and the
highest of many lines is convex, so between the two it is at most what lies on the straight line between them: a bound that is safe, and
mostly the weight itself. Leaders have no entry while they lead. All of that only says where not to look, so it changes no choice.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from playout.compile.holes import cold, whole
from playout.engine.real.layout import LEADERS, PAGE

SLIM = 0.999
"""The smaller bonus of pages in parts of that of the day they were written; the larger one is as much more."""
SPAN = 1.0 / (SLIM * SLIM)
TALL = 3
"""Positions whose pages have so many levels below the top may take the last of them: more than 512 actions."""
ROUNDED = 1e-14
"""How much a bound may be rounded, in parts of what it is made of."""


@cold
def open_pages(nodes: Any, siblings: Any, book: Any, lead: Any, position: int, player: int) -> None:
    """Write the actions of a position into new pages, if there is room for them and each has a value."""
    pages, entry = book
    count = whole(nodes[position].count)
    # How many pages are in use is kept in the one that is none.
    first = whole(pages[0].up) + 1
    if first + pages_for(count) > room(pages, count > PAGE**TALL) or not has_values(nodes, siblings, position):
        return
    slot = whole(nodes[position].first)
    for n in range(count - 1, -1, -1):
        entry[slot] = (first + n // PAGE) * PAGE + n % PAGE
        pages[first + n // PAGE].below[n % PAGE] = slot
        slot = whole(siblings[slot])
    level, begin, many = whole(0), first, count
    while True:
        full = (many + PAGE - 1) // PAGE
        for k in range(full):
            blank(pages[begin + k], level, min(whole(PAGE), many - PAGE * k))
        if full == 1:
            break
        for k in range(full):
            pages[begin + k].up = (begin + full + k // PAGE) * PAGE + k % PAGE
            pages[begin + full + k // PAGE].below[k % PAGE] = begin + k
        level, begin, many = level + 1, begin + full, full
    lead.page, lead.last, pages[0].up = begin, first + (count - 1) // PAGE, begin
    rewrite(nodes, siblings, book, lead, position, player, lead.reach)


def room(pages: Any, tall: bool) -> int:
    """How many pages a position may count on: thousands of smaller ones leave half of them to those whose actions are very many."""
    return len(pages) if tall else len(pages) // 2


def has_values(nodes: Any, siblings: Any, position: int) -> bool:
    """Whether every action was visited; one that a simulation with trouble left behind was not."""
    slot = whole(nodes[position].first)
    for _ in range(nodes[position].count):
        if nodes[slot].visits == 0:
            return False
        slot = whole(siblings[slot])
    return True


def pages_for(count: int) -> int:
    """The pages that so many actions take."""
    total, many = whole(0), count
    while many > 1:
        many = (many + PAGE - 1) // PAGE
        total += many
    return total


def blank(page: Any, level: int, count: int) -> None:
    page.level, page.count, page.up = level, count, 0
    for k in range(PAGE):
        absent(page, k)


def absent(page: Any, k: int) -> None:
    """An entry that stands for nobody."""
    page.lows[k], page.highs[k], page.slims[k], page.wides[k] = inf, -inf, -inf, -inf


@cold
def rewrite(nodes: Any, siblings: Any, book: Any, lead: Any, position: int, player: int, reach: float) -> None:
    """All entries anew, for bonuses about one."""
    pages, entry = book
    lead.reach = SLIM * reach
    slot = whole(nodes[position].first)
    for _ in range(nodes[position].count):
        at, node = whole(entry[slot]), nodes[slot]
        note_entry(pages, lead, at, node.score[player] / node.visits, 1.0 / sqrt(node.visits))
        for k in range(LEADERS):
            if lead.slots[k] == slot:
                absent(pages[at // PAGE], at % PAGE)
        # Newest first, so this is the last of its page.
        if at % PAGE == 0:
            pass_up(pages, lead, at // PAGE)
        slot = whole(siblings[slot])


def note_entry(pages: Any, lead: Any, entry: int, value: float, spread: float) -> None:
    """What an action is worth now, into its entry alone."""
    page, k = pages[entry // PAGE], entry % PAGE
    page.lows[k], page.highs[k] = value, value
    page.slims[k], page.wides[k] = value + lead.reach * spread, value + lead.reach * SPAN * spread


def pass_up(pages: Any, lead: Any, page: int) -> None:
    """An entry of a page has changed: so may what those above say of it, and what the position knows of all."""
    while True:
        here = pages[page]
        low, high, slim, wide = inf, -inf, -inf, -inf
        for k in range(here.count):
            low, high = min(low, here.lows[k]), max(high, here.highs[k])
            slim, wide = max(slim, here.slims[k]), max(wide, here.wides[k])
        if here.up == 0:
            lead.low, lead.high, lead.most, lead.most_wide = low, high, slim, wide
            return
        above, k = pages[here.up // PAGE], here.up % PAGE
        if above.lows[k] == low and above.highs[k] == high and above.slims[k] == slim and above.wides[k] == wide:
            return
        above.lows[k], above.highs[k], above.slims[k], above.wides[k] = low, high, slim, wide
        page = whole(here.up // PAGE)


@cold
def enter(book: Any, lead: Any, slot: int, value: float, spread: float) -> None:
    """An action that does not lead, or no longer, has a value, or another than before."""
    pages, entry = book
    if entry[slot] == 0 and not append(pages, entry, lead, slot):
        # No room: a look at all has to do, until the tree is longer.
        lead.page, lead.slots[0], lead.best = 0, 0, 0
        return
    note_entry(pages, lead, whole(entry[slot]), value, spread)
    pass_up(pages, lead, whole(entry[slot] // PAGE))


def leave(book: Any, lead: Any, slot: int) -> None:
    """An action that leads from now on."""
    pages, entry = book
    absent(pages[entry[slot] // PAGE], entry[slot] % PAGE)
    pass_up(pages, lead, whole(entry[slot] // PAGE))


def append(pages: Any, entry: Any, lead: Any, slot: int) -> bool:
    """An entry for the newest action; False where there is no room for another page."""
    page, below = whole(lead.last), slot
    # At worst every level takes another page, and there is one level more.
    if pages[page].count == PAGE and pages[0].up + pages[lead.page].level + 3 > room(pages, pages[lead.page].level >= TALL):
        return False
    while pages[page].count == PAGE:
        added = whole(pages[0].up) + 1
        pages[0].up = added
        blank(pages[added], whole(pages[page].level), whole(0))
        put(pages, entry, added, below)
        if pages[page].level == 0:
            lead.last = added
        if pages[page].up == 0:
            top = added + 1
            pages[0].up = top
            blank(pages[top], whole(pages[page].level) + 1, whole(0))
            put(pages, entry, top, page)
            lead.page = top
            # What the old top says of itself; the new page says it when its first entry is written.
            pass_up(pages, lead, page)
        below, page = added, whole(pages[page].up // PAGE)
    put(pages, entry, page, below)
    return True


def put(pages: Any, entry: Any, page: int, below: int) -> None:
    """One more entry at the end of a page: an action, or a page."""
    here = pages[page]
    k = whole(here.count)
    here.below[k] = below
    here.count += 1
    if here.level == 0:
        entry[below] = page * PAGE + k
    else:
        pages[below].up = page * PAGE + k


def covers(lead: Any, reach: float) -> bool:
    """Whether pages say something about this bonus."""
    return lead.reach <= reach <= SPAN * lead.reach  # type: ignore[no-any-return]


def part_of(lead: Any, reach: float) -> float:
    """Where a bonus lies between the smaller one and the larger one. Once for all entries: it takes two divisions."""
    return (reach / lead.reach - 1.0) / (SPAN - 1.0) if lead.reach != 0.0 else 0.0  # type: ignore[no-any-return]


def bound(slim: float, wide: float, part: float) -> float:
    """The most that the highest weight can be at a bonus, given those at the smaller and the larger one."""
    if slim == -inf:
        return slim
    return slim + part * (wide - slim) + ROUNDED * (abs(slim) + abs(wide))


@cold
def strongest(nodes: Any, pages: Any, lead: Any, player: int, reach: float) -> int:
    """The action of the highest weight among those that do not lead, the newest of equals; 0 where all lead."""
    page, part = whole(lead.page), part_of(lead, reach)
    # First to where the bound is highest at every level, then everywhere that the weight found there does not rule out.
    while pages[page].level > 0:
        here, best, most = pages[page], whole(0), -inf
        for k in range(here.count):
            hope = bound(here.slims[k], here.wides[k], part)
            if hope >= most:
                best, most = whole(k), hope
        page = whole(here.below[best])
    found, weight = best_of_page(nodes, pages, page, player, reach, whole(0), -inf)
    page, k = whole(lead.page), whole(0)
    while True:
        here = pages[page]
        while k < here.count and bound(here.slims[k], here.wides[k], part) < weight:
            k += 1
        if k < here.count and here.level > 0:
            page, k = whole(here.below[k]), whole(0)
            continue
        if k < here.count:
            found, weight = best_of_page(nodes, pages, page, player, reach, found, weight)
        if here.up == 0:
            return found
        page, k = whole(here.up // PAGE), whole(here.up % PAGE) + 1


def best_of_page(nodes: Any, pages: Any, page: int, player: int, reach: float, found: int, weight: float) -> tuple[int, float]:
    here = pages[page]
    for k in range(here.count):
        if here.slims[k] > -inf:
            slot = whole(here.below[k])
            node = nodes[slot]
            other = node.score[player] / node.visits + reach * (1.0 / sqrt(node.visits))
            if other > weight or (other == weight and slot > found):
                found, weight = slot, other
    return found, weight


@cold
def highest_entry(pages: Any, lead: Any) -> int:
    """The action of the highest value among those that do not lead, the newest of equals; 0 where all lead."""
    page, value = whole(lead.page), lead.high
    if value == -inf:
        return whole(0)
    while True:
        here, k = pages[page], whole(pages[page].count) - 1
        while here.highs[k] != value:
            k -= 1
        if here.level == 0:
            return whole(here.below[k])
        page = whole(here.below[k])
