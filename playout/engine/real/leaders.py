"""UCB selection among many real-valued actions: which is tried again, mostly without looking at all of them.

UCB comes back to a few of the many actions of a position. One with at least `FEW` actions keeps its `LEADERS`, those with the
highest weights when it last looked at all, and of the others the range of their values and a bound on their weights. While the best
leader is above that bound, it is the choice. The bound is safe, so the choice is always that of a look at all, to the last bit. Where there
are very many, the others are in pages (`real.pages`), and a look at a few of these replaces that at all.
"""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Any

from playout.compile.holes import cold, hot, whole
from playout.engine.real.layout import LEADERS, PAGED, SHARED_BY
from playout.engine.real.pages import bound, covers, enter, highest_entry, leave, open_pages, part_of, rewrite, strongest
from playout.engine.rules import ucb1_term

FEW = SHARED_BY


@hot
def choose_edge(sim: Any, position: int, player: int) -> int:
    """UCB1 with a bonus in units of the range of values here, so that c means the same everywhere; the newest of equals."""
    nodes, bonus = sim.nodes, bonus_of(sim, position)
    if nodes[position].count < FEW:
        return best_of_few(nodes, sim.siblings, position, player, bonus)
    # Columns and not the bundle: what is not woven in gets a copy of all that it is handed.
    return choose_of_many(nodes, sim.siblings, (sim.pages, sim.entry), lead_of(sim, position), position, player, bonus)


@hot
def bonus_of(sim: Any, position: int) -> float:
    """The bonus of a single visit in units of the range of values."""
    return ucb1_term(sim.options[0].c, log(max(1, sim.nodes[position].visits)), 1.0)


def choose_of_many(nodes: Any, siblings: Any, book: Any, lead: Any, position: int, player: int, bonus: float) -> int:
    """The same where there are leaders, or should be."""
    if lead.slots[0] == 0:
        return look_anew(nodes, siblings, book, lead, position, player, bonus)
    low, high = lead.low, lead.high
    for k in range(LEADERS):
        low, high = min(low, lead.values[k]), max(high, lead.values[k])
    reach = reach_of(bonus, low, high)
    best, best_weight = whole(0), -inf
    for k in range(LEADERS):
        weight = lead.values[k] + reach * lead.spreads[k]
        if weight > best_weight or (weight == best_weight and lead.slots[k] > lead.slots[best]):
            best, best_weight = whole(k), weight
    if lead.page != 0:
        if not covers(lead, reach):
            rewrite(nodes, siblings, book, lead, position, player, reach)
        if best_weight > bound(lead.most, lead.most_wide, part_of(lead, reach)):
            return whole(lead.slots[best])
        return look_at_pages(nodes, book, lead, player, reach, best)
    # What a look at all would find is rounded: 1e-9 is far more than that can be.
    slack = 1e-9 * (abs(lead.most) + abs(reach))
    if best_weight > lead.most + max(0.0, reach - lead.reach) + slack:
        return whole(lead.slots[best])
    return look_anew(nodes, siblings, book, lead, position, player, bonus)


@cold
def look_anew(nodes: Any, siblings: Any, book: Any, lead: Any, position: int, player: int, bonus: float) -> int:
    """A look at all actions; where there are very many, those that do not lead go into pages."""
    found = look_at_all(nodes, siblings, lead, position, player, bonus)
    if nodes[position].count >= PAGED:
        open_pages(nodes, siblings, book, lead, position, player)
    return found


@hot
def lead_of(sim: Any, position: int) -> Any:
    """What a position with many actions keeps; nothing yet when it is asked for the first time."""
    if sim.lead[position] == 0:
        sim.head[0].leads += 1
        sim.lead[position] = sim.head[0].leads
        begin_lead(sim.leads[sim.lead[position]])
    return sim.leads[sim.lead[position]]


def begin_lead(lead: Any) -> None:
    forget(lead)
    lead.top = 0
    lead.ordered = 0
    lead.busiest = 0


def forget(lead: Any) -> None:
    lead.slots[0] = 0
    lead.page = 0
    lead.best = 0
    lead.busy = 0


def reach_of(bonus: float, low: float, high: float) -> float:
    """The bonus of a single visit. Where all values are equal only visits tell the actions apart, and any unit will do."""
    return bonus * (high - low) if high > low else bonus


def best_of_few(nodes: Any, siblings: Any, position: int, player: int, bonus: float) -> int:
    low, high = value_range(nodes, siblings, position, player)
    reach = reach_of(bonus, low, high)
    best, best_weight = whole(-1), -inf
    slot = whole(nodes[position].first)
    for _ in range(nodes[position].count):
        visits = max(1, nodes[slot].visits)
        weight = nodes[slot].score[player] / visits + reach * (1.0 / sqrt(visits))
        if weight > best_weight:
            best, best_weight = slot, weight
        slot = whole(siblings[slot])
    return best


def value_range(nodes: Any, siblings: Any, position: int, player: int) -> tuple[float, float]:
    low, high = inf, -inf
    slot = whole(nodes[position].first)
    for _ in range(nodes[position].count):
        value = nodes[slot].score[player] / max(1, nodes[slot].visits)
        low, high = min(low, value), max(high, value)
        slot = whole(siblings[slot])
    return low, high


@cold
def look_at_all(nodes: Any, siblings: Any, lead: Any, position: int, player: int, bonus: float) -> int:
    """The action of the highest weight, and the leaders anew."""
    low, high = lead.low, lead.high
    if lead.slots[0] == 0:
        low, high = value_range(nodes, siblings, position, player)
    else:
        for k in range(LEADERS):
            low, high = min(low, lead.values[k]), max(high, lead.values[k])
    lead.low, lead.high, lead.most, lead.reach = inf, -inf, -inf, reach_of(bonus, low, high)
    slot = whole(nodes[position].first)
    for n in range(nodes[position].count):
        visits = max(1, nodes[slot].visits)
        value, spread = nodes[slot].score[player] / visits, 1.0 / sqrt(visits)
        # Newest first: an older action goes before a leader only if its weight is higher.
        if n < LEADERS:
            take_in(lead, whole(n), slot, value, spread)
        elif value + lead.reach * spread > weight_of(lead, LEADERS - 1):
            pass_over(lead, lead.values[LEADERS - 1], lead.spreads[LEADERS - 1])
            take_in(lead, whole(LEADERS - 1), slot, value, spread)
        else:
            pass_over(lead, value, spread)
        slot = whole(siblings[slot])
    return whole(lead.slots[0])


@cold
def look_at_pages(nodes: Any, book: Any, lead: Any, player: int, reach: float, best: int) -> int:
    """The better of the best leader and the strongest of the others, who then leads in place of the weakest."""
    slot = strongest(nodes, book[0], lead, player, reach)
    if slot == 0:
        return whole(lead.slots[best])
    value, spread = nodes[slot].score[player] / nodes[slot].visits, 1.0 / sqrt(nodes[slot].visits)
    weight, most = value + reach * spread, lead.values[best] + reach * lead.spreads[best]
    if weight < most or (weight == most and slot < lead.slots[best]):
        return whole(lead.slots[best])
    weakest = whole(0)
    for k in range(1, LEADERS):
        if lead.values[k] + reach * lead.spreads[k] < lead.values[weakest] + reach * lead.spreads[weakest]:
            weakest = whole(k)
    old, was, known = whole(lead.slots[weakest]), lead.values[weakest], lead.spreads[weakest]
    lead.slots[weakest], lead.values[weakest], lead.spreads[weakest] = slot, value, spread
    leave(book, lead, slot)
    enter(book, lead, old, was, known)
    return slot


def weight_of(lead: Any, k: int) -> float:
    return lead.values[k] + lead.reach * lead.spreads[k]  # type: ignore[no-any-return]


def take_in(lead: Any, k: int, slot: int, value: float, spread: float) -> None:
    """Make an action a leader, before those of lower weight among the first k."""
    weight = value + lead.reach * spread
    while k > 0 and weight > weight_of(lead, k - 1):
        lead.slots[k], lead.values[k], lead.spreads[k] = lead.slots[k - 1], lead.values[k - 1], lead.spreads[k - 1]
        k -= 1
    lead.slots[k], lead.values[k], lead.spreads[k] = slot, value, spread


def pass_over(lead: Any, value: float, spread: float) -> None:
    """Count an action among the others."""
    lead.low, lead.high = min(lead.low, value), max(lead.high, value)
    lead.most = max(lead.most, value + lead.reach * spread)


@hot
def note_value(sim: Any, position: int, slot: int, visits: int, score: float) -> None:
    """The value of an action has changed; before, its mover had that score in so many visits."""
    if sim.lead[position] != 0:
        note_change((sim.pages, sim.entry), sim.leads[sim.lead[position]], sim.nodes[slot], slot, visits, score)


def note_change(book: Any, lead: Any, node: Any, slot: int, visits: int, score: float) -> None:
    """The same where there are leaders, or have been."""
    value = node.score[node.mover] / node.visits
    if node.visits > lead.busiest or (node.visits == lead.busiest and slot > lead.busy):
        lead.busiest = node.visits
        lead.busy = slot if lead.busy != 0 else 0
    if lead.best > 0:
        if value > lead.best_value or (value == lead.best_value and slot >= lead.best):
            lead.best, lead.best_value = slot, value
        elif slot == lead.best:
            lead.best = -1
    if lead.slots[0] == 0:
        return
    spread = 1.0 / sqrt(node.visits)
    for k in range(LEADERS):
        if lead.slots[k] == slot:
            lead.values[k], lead.spreads[k] = value, spread
            return
    if lead.page != 0:
        enter(book, lead, slot, value, spread)
        return
    if visits > 0 and not lead.low < score / visits < lead.high:
        # It was at an end of the range, and who is there now takes a look at all.
        lead.slots[0] = 0
        return
    if value + lead.reach * spread > lead.most:
        # It would be looked for among all as soon as it is the best; so it leads from now on, and the weakest does not.
        take_lead(lead, slot, value, spread)
        return
    pass_over(lead, value, spread)


def take_lead(lead: Any, slot: int, value: float, spread: float) -> None:
    """Make an action a leader in place of the weakest, unless it is weaker."""
    weakest = whole(0)
    for k in range(1, LEADERS):
        if weight_of(lead, k) < weight_of(lead, weakest):
            weakest = whole(k)
    if value + lead.reach * spread > weight_of(lead, weakest):
        pass_over(lead, lead.values[weakest], lead.spreads[weakest])
        lead.slots[weakest], lead.values[weakest], lead.spreads[weakest] = slot, value, spread
    else:
        pass_over(lead, value, spread)


def forget_leaders(sim: Any, position: int) -> None:
    """After changes that were not noted. They will come again, so no position gets pages any more: these stay where they are."""
    forget(sim.leads[sim.lead[position]])
    sim.pages[0].up = len(sim.pages)


@hot
def best_edge(sim: Any, position: int, player: int) -> int:
    """The action of the highest value so far; the newest of equals; -1 while none was visited."""
    if sim.nodes[position].count < FEW:
        return highest(sim.nodes, sim.siblings, position, player)
    lead = lead_of(sim, position)
    if lead.best > 0:
        return whole(lead.best)
    return find_best(sim.nodes, sim.siblings, (sim.pages, sim.entry), lead, position, player, bonus_of(sim, position))


@cold
def find_best(nodes: Any, siblings: Any, book: Any, lead: Any, position: int, player: int, bonus: float) -> int:
    """The same where it is not known."""
    if lead.best < 0 and lead.slots[0] == 0 and nodes[position].count >= PAGED:
        # The best of very many was found to be worth less: that will happen again.
        look_anew(nodes, siblings, book, lead, position, player, bonus)
    found = highest_by_pages(book[0], lead) if lead.page != 0 else highest(nodes, siblings, position, player)
    if found >= 0:
        lead.best, lead.best_value = found, nodes[found].score[player] / nodes[found].visits
    return found


@cold
def highest_by_pages(pages: Any, lead: Any) -> int:
    """The same out of pages and leaders."""
    found, value = highest_entry(pages, lead), lead.high
    for k in range(LEADERS):
        if lead.values[k] > value or (lead.values[k] == value and lead.slots[k] > found):
            found, value = whole(lead.slots[k]), lead.values[k]
    return found


def busiest_edge(sim: Any, position: int) -> int:
    """The most visited action; the newest of equals."""
    if sim.nodes[position].count < FEW:
        return busiest_of_all(sim.nodes, sim.siblings, position)
    lead = lead_of(sim, position)
    if lead.busy == 0:
        found = busiest_of_all(sim.nodes, sim.siblings, position)
        if found < 0:
            return found
        lead.busy, lead.busiest = found, sim.nodes[found].visits
    return whole(lead.busy)


def busiest_of_all(nodes: Any, siblings: Any, position: int) -> int:
    best, most = whole(-1), 0
    slot = whole(nodes[position].first)
    for _ in range(nodes[position].count):
        if nodes[slot].visits > most:
            best, most = slot, nodes[slot].visits
        slot = whole(siblings[slot])
    return best


def highest(nodes: Any, siblings: Any, position: int, player: int) -> int:
    best, best_value = whole(-1), -inf
    slot = whole(nodes[position].first)
    for _ in range(nodes[position].count):
        if nodes[slot].visits > 0:
            value = nodes[slot].score[player] / nodes[slot].visits
            if value > best_value:
                best, best_value = slot, value
        slot = whole(siblings[slot])
    return best
