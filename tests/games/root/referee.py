"""A second opinion on Root: the rules of the page once more, with plain lists, for what can be asked of one moment.

Written from the rules page alone, without a look at `playout.games.root`, so that the two share no mistake. A `Table` is a moment of
the game as anybody at the table could write it down; functions say who rules, what may be moved, built, crafted and fought, what a
battle does and what a Decree card allows. `memory` says what each player knows of the other hand, `fights` how a battle goes on, and
`test_referee.py` holds the game against them over random games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.games.root.box import ANY, BIRD, DECK, FOX, ITEMS, MOUSE, RABBIT, Card, Cards

MARQUISE, EYRIE = 0, 1
SAWMILL, WORKSHOP, RECRUITER, ROOST = "sawmill", "workshop", "recruiter", "roost"
RECRUIT, MOVE, BATTLE, BUILD = range(4)
BUILDER, CHARISMATIC, COMMANDER, DESPOT = "Builder", "Charismatic", "Commander", "Despot"

CLEARINGS = range(1, 13)
SUITS = {1: FOX, 2: MOUSE, 3: RABBIT, 4: RABBIT, 5: RABBIT, 6: FOX, 7: MOUSE, 8: FOX, 9: MOUSE, 10: RABBIT, 11: MOUSE, 12: FOX}
PATHS = "1-5 1-9 1-10 2-5 2-6 2-10 3-6 3-7 3-11 4-8 4-9 4-12 6-11 7-8 7-12 9-12 10-12 11-12"
SLOTS = {1: 1, 2: 2, 3: 1, 4: 1, 5: 2, 6: 1, 7: 2, 8: 2, 9: 2, 10: 1, 11: 2, 12: 1}
"""Without those that ruins fill, which nobody removes with these two factions."""
OPPOSITE = {1: 3, 3: 1, 2: 4, 4: 2}
NEIGHBOURS: dict[int, list[int]] = {c: [] for c in CLEARINGS}
for _path in PATHS.split():
    _a, _b = map(int, _path.split("-"))
    NEIGHBOURS[_a].append(_b)
    NEIGHBOURS[_b].append(_a)

WOOD_COST = [0, 1, 2, 3, 3, 4]
POINTS = {SAWMILL: [0, 1, 2, 3, 4, 5], WORKSHOP: [0, 2, 2, 3, 4, 5], RECRUITER: [0, 1, 2, 3, 3, 4]}
ROOST_POINTS, ROOST_CARDS = [0, 0, 1, 2, 3, 4, 4, 5], [1, 1, 1, 2, 2, 2, 3, 3]
WARRIORS, WOOD, OF_A_KIND, ROOSTS, LIMIT, ACTIONS = (25, 20), 8, 6, 7, 5, 3
WITH_ROOST = 3
"""Warriors that come with a new roost."""
VIZIERS = {BUILDER: (RECRUIT, MOVE), CHARISMATIC: (RECRUIT, BATTLE), COMMANDER: (MOVE, BATTLE), DESPOT: (MOVE, BUILD)}


@dataclass(frozen=True)
class Rules:
    """What the page leaves to those who play, its defaults first; and the cards they play with."""

    forced: bool = False
    """A Decree card that cannot be done may be picked only where none of its column can."""
    tax_hospitals: bool = True
    short_roost: bool = True
    bank_always: bool = False
    despot_each: bool = False
    goal: int = 30
    whole: Cards = field(default_factory=lambda: Counter({card: row[0] for card, row in DECK.items()}))


def empty() -> list[int]:
    """A number for every clearing; that of place 0 is not used."""
    return [0] * 13


@dataclass
class Table:
    """One moment of the game."""

    warriors: list[list[int]] = field(default_factory=lambda: [empty(), empty()])
    buildings: dict[str, list[int]] = field(
        default_factory=lambda: {kind: empty() for kind in (SAWMILL, WORKSHOP, RECRUITER, ROOST)}
    )
    wood: list[int] = field(default_factory=empty)
    keep: int = 0
    """The clearing of the keep; 0 where it is off the map."""
    scores: list[int] = field(default_factory=lambda: [0, 0])
    hands: list[Cards] = field(default_factory=lambda: [Counter(), Counter()])
    deck: Cards = field(default_factory=Counter)
    discard: Cards = field(default_factory=Counter)
    crafted: list[list[str]] = field(default_factory=lambda: [[], []])
    lasting: list[Cards] = field(default_factory=lambda: [Counter(), Counter()])
    """The same as cards."""
    columns: list[Cards] = field(default_factory=lambda: [Counter() for _ in range(4)])
    """The cards of the Decree, without viziers."""
    items: dict[str, int] = field(default_factory=lambda: dict(ITEMS))
    """What is left in the supply."""
    decree: list[Counter[str]] = field(default_factory=lambda: [Counter() for _ in range(4)])
    """By column, the suits of the cards, viziers included."""
    leader: str = ""

    def same(self, other: Table) -> bool:
        """Whether pieces, points and all cards lie alike; which of the lists are the same twice does not matter."""
        return self.told() == other.told()

    def told(self) -> tuple[Any, ...]:
        """What `same` compares."""
        cards = [+some for some in (*self.hands, self.discard, *self.lasting, *self.columns)]
        return self.warriors, self.buildings, self.wood, self.keep, self.scores, cards


# who rules


def own_buildings(table: Table, player: int, clearing: int) -> int:
    kinds = (SAWMILL, WORKSHOP, RECRUITER) if player == MARQUISE else (ROOST,)
    return sum(table.buildings[kind][clearing] for kind in kinds)


def tokens(table: Table, player: int, clearing: int) -> int:
    if player == EYRIE:
        return 0
    return table.wood[clearing] + (table.keep == clearing)


def pieces(table: Table, player: int, clearing: int) -> int:
    return table.warriors[player][clearing] + own_buildings(table, player, clearing) + tokens(table, player, clearing)


def ruler(table: Table, clearing: int) -> int | None:
    cats = table.warriors[MARQUISE][clearing] + own_buildings(table, MARQUISE, clearing)
    birds = table.warriors[EYRIE][clearing] + own_buildings(table, EYRIE, clearing)
    if birds > 0 and birds >= cats:
        return EYRIE
    if cats > birds:
        return MARQUISE
    return None


def ruled(table: Table, player: int) -> set[int]:
    return {c for c in CLEARINGS if ruler(table, c) == player}


# moving and fighting


def moves(table: Table, player: int) -> dict[tuple[int, int], int]:
    """From where to where, with the most warriors that can go."""
    mine = ruled(table, player)
    return {
        (a, b): table.warriors[player][a]
        for a in CLEARINGS
        for b in NEIGHBOURS[a]
        if table.warriors[player][a] > 0 and (a in mine or b in mine)
    }


def battles(table: Table, attacker: int) -> set[int]:
    return {c for c in CLEARINGS if table.warriors[attacker][c] > 0 and pieces(table, 1 - attacker, c) > 0}


def ambushes(clearing: int) -> set[Card]:
    return {("Ambush!", SUITS[clearing]), ("Ambush!", BIRD)}


def spendable(hand: Cards, suit: str) -> set[Card]:
    """The cards that may be spent where a card of that suit is asked for."""
    return {card for card, count in hand.items() if count > 0 and card[1] in (suit, BIRD)}


def rolled_hits(table: Table, clearing: int, attacker: int, dice: tuple[int, int]) -> tuple[int, int]:
    """(by the attacker, by the defender): the higher number and the lower, each not more than the own warriors there."""
    return (
        min(max(dice), table.warriors[attacker][clearing]),
        min(min(dice), table.warriors[1 - attacker][clearing]),
    )


def battle_hits(
    table: Table,
    clearing: int,
    attacker: int,
    dice: tuple[int, int],
    *,
    brutal: bool = False,
    sappers: bool = False,
    armorers: Iterable[int] = (),
) -> tuple[int, int]:
    """What each side deals, effects included; `armorers` names those who use theirs."""
    by_attacker, by_defender = rolled_hits(table, clearing, attacker, dice)
    defender, armoured = 1 - attacker, set(armorers)
    by_attacker = 0 if defender in armoured else by_attacker
    by_defender = 0 if attacker in armoured else by_defender
    by_attacker += table.warriors[defender][clearing] == 0
    by_attacker += attacker == EYRIE and table.leader == COMMANDER
    return by_attacker + brutal, by_defender + sappers


def losses(table: Table, player: int, clearing: int, hits: int) -> tuple[int, int]:
    """(warriors, buildings and tokens) that so many hits remove from a side: all warriors go first, and what is too much is lost."""
    warriors = min(hits, table.warriors[player][clearing])
    others = own_buildings(table, player, clearing) + tokens(table, player, clearing)
    return warriors, min(hits - warriors, others)


# the Marquise


def free_slots(table: Table, clearing: int) -> int:
    return SLOTS[clearing] - sum(row[clearing] for row in table.buildings.values())


def supply(table: Table, player: int) -> int:
    return WARRIORS[player] - sum(table.warriors[player])


def on_map(table: Table, kind: str) -> int:
    return sum(table.buildings[kind])


def build_cost(table: Table, kind: str) -> int:
    return WOOD_COST[on_map(table, kind)]


def build_points(table: Table, kind: str) -> int:
    return POINTS[kind][on_map(table, kind)]


def chain(table: Table, clearing: int) -> set[int]:
    """The clearings that wood may come from: joined to this one by clearings that she rules, all of them."""
    mine = ruled(table, MARQUISE)
    found, open_ends = set(), [clearing] if clearing in mine else []
    while open_ends:
        here = open_ends.pop()
        if here not in found:
            found.add(here)
            open_ends += [near for near in NEIGHBOURS[here] if near in mine]
    return found


def builds(table: Table) -> set[tuple[int, str]]:
    """Where she may build what."""
    return {
        (c, kind)
        for c in ruled(table, MARQUISE)
        for kind in (SAWMILL, WORKSHOP, RECRUITER)
        if free_slots(table, c) > 0
        and on_map(table, kind) < OF_A_KIND
        and build_cost(table, kind) <= sum(table.wood[place] for place in chain(table, c))
    }


def overworks(table: Table) -> set[tuple[int, Card]]:
    """Where a card brings wood, and which."""
    if sum(table.wood) == WOOD:
        return set()
    return {
        (c, card) for c in CLEARINGS if table.buildings[SAWMILL][c] > 0 for card in spendable(table.hands[MARQUISE], SUITS[c])
    }


def in_order(room: dict[int, int], last: int, left: int) -> set[int]:
    """Where the next of so many pieces may go, or come from, if places are chosen in ascending order: enough room must remain."""
    return {n for n in room if n >= last and room[n] > 0 and sum(count for m, count in room.items() if m >= n) >= left}


def can_recruit(table: Table) -> bool:
    return on_map(table, RECRUITER) > 0 and sum(table.warriors[MARQUISE]) < WARRIORS[MARQUISE]


def marquise_draw(table: Table) -> int:
    return 1 + (on_map(table, RECRUITER) >= 3) + (on_map(table, RECRUITER) >= 5)


# crafting


def activated(table: Table, player: int) -> Counter[str]:
    """Crafting pieces by the suit of their clearing."""
    kind = WORKSHOP if player == MARQUISE else ROOST
    return Counter({suit: sum(table.buildings[kind][c] for c in CLEARINGS if SUITS[c] == suit) for suit in (FOX, RABBIT, MOUSE)})


def can_craft(table: Table, player: int, card: Card, used: Counter[str]) -> bool:
    """Whether a card of the hand may be crafted with the pieces that are still unused this turn."""
    _, cost, kind, _ = DECK[card]
    if kind == "ambush" or table.hands[player][card] == 0:
        return False
    if kind == "persistent" and card[0] in table.crafted[player]:
        return False
    if kind in ITEMS and table.items[kind] == 0:
        return False
    left = activated(table, player)
    left.subtract(used)
    wanted = Counter(symbol for symbol in cost if symbol != ANY)
    if any(left[suit] < count for suit, count in wanted.items()):
        return False
    return sum(left.values()) >= len(cost)


def item_points(table: Table, player: int, card: Card) -> int:
    return 1 if player == EYRIE and table.leader != BUILDER else DECK[card][3]


def favor_points(table: Table, player: int, suit: str) -> int:
    """What removing everything of the enemy from the clearings of a suit scores."""
    other = 1 - player
    return sum(own_buildings(table, other, c) + tokens(table, other, c) for c in CLEARINGS if SUITS[c] == suit)


# the Eyrie


def works_in(card_suit: str, clearing: int) -> bool:
    return card_suit in (BIRD, SUITS[clearing])


def decree_recruits(table: Table, suit: str) -> set[int]:
    """Where a Recruit card places; empty is turmoil."""
    if sum(table.warriors[EYRIE]) >= WARRIORS[EYRIE]:
        return set()
    return {c for c in CLEARINGS if table.buildings[ROOST][c] and works_in(suit, c) and c != table.keep}


def decree_moves(table: Table, suit: str) -> set[tuple[int, int]]:
    return {(a, b) for a, b in moves(table, EYRIE) if works_in(suit, a)}


def decree_battles(table: Table, suit: str) -> set[int]:
    return {c for c in battles(table, EYRIE) if works_in(suit, c)}


def decree_builds(table: Table, suit: str) -> set[int]:
    if on_map(table, ROOST) >= ROOSTS:
        return set()
    return {
        c
        for c in ruled(table, EYRIE)
        if works_in(suit, c) and free_slots(table, c) > 0 and table.buildings[ROOST][c] == 0 and c != table.keep
    }


def decree_options(table: Table, column: int, suit: str) -> set[int] | set[tuple[int, int]]:
    """What a card of the Decree can do; nothing is turmoil."""
    if column == MOVE:
        return decree_moves(table, suit)
    return {RECRUIT: decree_recruits, BATTLE: decree_battles, BUILD: decree_builds}[column](table, suit)


def recruits_needed(table: Table) -> int:
    """Warriors that a Recruit card has to place, or it is turmoil after those that there are."""
    return 2 if table.leader == CHARISMATIC else 1


def decree_able(table: Table, column: int, left: Counter[str]) -> set[str]:
    """The suits, of those left in a column, that can be carried out wholly."""
    if column == RECRUIT and supply(table, EYRIE) < recruits_needed(table):
        return set()
    return {suit for suit in left if decree_options(table, column, suit)}


def decree_cards(table: Table, column: int, left: Counter[str], forced: bool) -> set[str]:
    """The suits, of those left in a column, that may be picked next."""
    able = decree_able(table, column, left) if forced else set()
    return able or set(left)


def turmoil_loss(table: Table) -> int:
    """Points that turmoil costs: one for each bird card of the Decree, as far as there are points."""
    return min(table.scores[EYRIE], sum(column[BIRD] for column in table.decree))


def new_leaders(face_up: set[str]) -> set[str]:
    """Who may be chosen, given who is face up besides the one who is deposed."""
    return set(face_up) if face_up else set(VIZIERS)


def new_roosts(table: Table, short: bool = True) -> set[int]:
    """Where A New Roost may come: the fewest warriors of all, among those where it can be placed; empty with a roost on the map.

    Where it may not come short, three warriors must be left.
    """
    if on_map(table, ROOST) > 0 or (not short and supply(table, EYRIE) < WITH_ROOST):
        return set()
    where = [c for c in CLEARINGS if free_slots(table, c) > 0 and c != table.keep]
    crowd = {c: table.warriors[MARQUISE][c] + table.warriors[EYRIE][c] for c in where}
    return {c for c in where if crowd[c] == min(crowd.values())}


def roost_evening(table: Table) -> tuple[int, int]:
    """(points, cards) of the Eyrie's Evening."""
    count = on_map(table, ROOST)
    return ROOST_POINTS[count], ROOST_CARDS[count]
