"""A battle of Root once more, from the rules page, with plain lists: from one question to the next, for every roll there can be.

It is a part of `referee`, which was written without the game in sight; this part came when the two were first held against each other. A
`Fight` is a battle at the moment when somebody is
asked, or over; `begin` and `answer` give all the moments that can come next, one for each roll of the dice.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

from tests.games.root import referee as r
from tests.games.root.memory import discard, may_hold
from tests.games.root.referee import Card, Cards, Rules, Table

AMBUSH, COUNTER, ORDER, EFFECTS, LOSE, HOSPITAL, OVER = "ambush", "counter", "order", "effects", "lose", "hospital", "over"
PIECES = (r.SAWMILL, r.WORKSHOP, r.RECRUITER, r.ROOST, "wood", "keep")
"""Buildings and tokens in the order in which losses are chosen, so that no choice comes in two orders."""


@dataclass
class Fight:
    """A battle on its way, with the table as it is then."""

    table: Table
    known: list[Cards]
    """Of each hand, what the other player knows."""
    clearing: int
    attacker: int
    asks: str = ""
    who: int = -1
    rolled: list[int] = field(default_factory=lambda: [0, 0])
    extra: list[int] = field(default_factory=lambda: [0, 0])
    waiting: list[int] = field(default_factory=list)
    """Sides that still decide on effects, the one who is asked first."""
    brutal: bool = False
    owed: list[int] = field(default_factory=lambda: [0, 0])
    gained: list[int] = field(default_factory=lambda: [0, 0])
    fell: int = 0
    """Her warriors that were just removed."""
    ambushed: bool = False
    """The hits are those of an ambush."""
    despot: bool = False
    """The Despot had its extra point."""
    least: int = 0

    @property
    def defender(self) -> int:
        return 1 - self.attacker

    def ask(self, what: str, who: int) -> list[Fight]:
        self.asks, self.who = what, who
        return [self]

    def has(self, player: int, name: str) -> bool:
        return name in self.table.crafted[player]


def begin(table: Table, known: list[Cards], clearing: int, attacker: int, rules: Rules) -> list[Fight]:
    """The moments after a battle was declared."""
    fight = Fight(copy.deepcopy(table), copy.deepcopy(known), clearing, attacker)
    if not fight.has(attacker, "Scouting Party") and may_hold(table, known, 1 - attacker, r.ambushes(clearing), rules.whole):
        return fight.ask(AMBUSH, 1 - attacker)
    return _roll(fight, rules)


def answer(fight: Fight, said: Card | str | None, rules: Rules) -> list[Fight]:
    """The moments after an answer: a card, a word, or None for no."""
    fight = copy.deepcopy(fight)
    asked = fight.asks
    if asked in (AMBUSH, COUNTER):
        return _ambush(fight, said, rules)
    if asked == ORDER:
        fight.waiting = [fight.attacker, fight.defender] if said == "attacker" else [fight.defender, fight.attacker]
        return _effects(fight, rules)
    if asked == EFFECTS:
        return _effect(fight, said, rules)
    if asked == LOSE:
        assert isinstance(said, str)
        _take(fight, fight.who, said)
        fight.least = PIECES.index(said) if fight.owed[fight.who] else 0
        return _losses(fight, rules)
    assert asked == HOSPITAL
    if said is not None:
        assert isinstance(said, tuple)
        _spend(fight, r.MARQUISE, said)
        fight.table.warriors[r.MARQUISE][fight.table.keep] += fight.fell
    fight.fell = 0
    return _after_hits(fight, rules)


def _spend(fight: Fight, player: int, card: Card) -> None:
    fight.table.hands[player][card] -= 1
    fight.table.hands[player] = +fight.table.hands[player]
    discard(fight.table, card)
    if fight.known[player][card]:
        fight.known[player][card] -= 1


def _ambush(fight: Fight, said: Card | str | None, rules: Rules) -> list[Fight]:
    if said is None:
        return _roll(fight, rules) if fight.asks == AMBUSH else _strike(fight, rules)
    assert isinstance(said, tuple)
    _spend(fight, fight.who, said)
    if fight.asks == COUNTER:
        return _roll(fight, rules)
    if may_hold(fight.table, fight.known, fight.attacker, r.ambushes(fight.clearing), rules.whole):
        return fight.ask(COUNTER, fight.attacker)
    return _strike(fight, rules)


def _strike(fight: Fight, rules: Rules) -> list[Fight]:
    fight.ambushed = True
    _hit(fight, fight.attacker, 2)
    return _losses(fight, rules)


def _roll(fight: Fight, rules: Rules) -> list[Fight]:
    found = []
    for one in range(4):
        for two in range(one + 1):
            rolled = copy.deepcopy(fight)
            hits = r.rolled_hits(fight.table, fight.clearing, fight.attacker, (one, two))
            rolled.rolled[fight.attacker], rolled.rolled[fight.defender] = hits
            rolled.waiting = [side for side in (fight.attacker, fight.defender) if usable(rolled, side)]
            found += rolled.ask(ORDER, fight.attacker) if len(rolled.waiting) == 2 else _effects(rolled, rules)
    return found


def usable(fight: Fight, side: int) -> set[str]:
    """The effects that a side may use now."""
    found = set()
    if fight.has(side, "Armorers") and fight.rolled[1 - side] > 0:
        found.add("Armorers")
    if side == fight.attacker and fight.has(side, "Brutal Tactics") and not fight.brutal:
        found.add("Brutal Tactics")
    if side == fight.defender and fight.has(side, "Sappers"):
        found.add("Sappers")
    return found


def _effects(fight: Fight, rules: Rules) -> list[Fight]:
    while fight.waiting:
        if usable(fight, fight.waiting[0]):
            return fight.ask(EFFECTS, fight.waiting[0])
        fight.waiting.pop(0)
    by_attacker, by_defender = r.battle_hits(fight.table, fight.clearing, fight.attacker, (0, 0))
    dealt = fight.rolled[fight.attacker] + fight.extra[fight.attacker] + by_attacker
    taken = fight.rolled[fight.defender] + fight.extra[fight.defender] + by_defender
    _hit(fight, fight.defender, dealt)
    _hit(fight, fight.attacker, taken)
    return _losses(fight, rules)


def _effect(fight: Fight, said: Card | str | None, rules: Rules) -> list[Fight]:
    side = fight.who
    if said is None:
        fight.waiting.pop(0)
    elif said == "Brutal Tactics":
        fight.brutal = True
        fight.extra[side] += 1
        fight.table.scores[1 - side] += 1
        if fight.table.scores[1 - side] >= rules.goal:
            return fight.ask(OVER, -1)
    else:
        assert isinstance(said, str)
        fight.table.crafted[side].remove(said)
        fight.table.lasting[side][said, r.BIRD] -= 1
        discard(fight.table, (said, r.BIRD))
        if said == "Sappers":
            fight.extra[side] += 1
        else:
            fight.rolled[1 - side] = 0
    return _effects(fight, rules)


def _hit(fight: Fight, player: int, hits: int) -> None:
    """Warriors at once, and how many other pieces have to follow."""
    warriors, others = r.losses(fight.table, player, fight.clearing, hits)
    fight.table.warriors[player][fight.clearing] -= warriors
    fight.owed[player] = others
    if player == r.MARQUISE:
        fight.fell += warriors


def standing(fight: Fight, player: int) -> dict[str, int]:
    """The buildings and tokens of a player there, from the sort on that may still be chosen."""
    table, here = fight.table, fight.clearing
    every = {kind: row[here] for kind, row in table.buildings.items()} | {
        "wood": table.wood[here],
        "keep": int(table.keep == here),
    }
    mine = (r.ROOST,) if player == r.EYRIE else (r.SAWMILL, r.WORKSHOP, r.RECRUITER, "wood", "keep")
    return {kind: every[kind] for kind in PIECES[fight.least :] if kind in mine and every[kind]}


def _take(fight: Fight, player: int, kind: str) -> None:
    table, here = fight.table, fight.clearing
    if kind == "keep":
        table.keep = 0
    elif kind == "wood":
        table.wood[here] -= 1
    else:
        table.buildings[kind][here] -= 1
    fight.owed[player] -= 1
    fight.gained[1 - player] += 1


def _losses(fight: Fight, rules: Rules) -> list[Fight]:
    for player in (fight.defender, fight.attacker):
        if not fight.owed[player]:
            continue
        there = standing(fight, player)
        if len(there) > 1 and sum(there.values()) > fight.owed[player]:
            return fight.ask(LOSE, player)
        for kind, count in there.items():
            for _ in range(min(count, fight.owed[player])):
                _take(fight, player, kind)
        fight.least = 0
    return _score(fight, rules)


def _score(fight: Fight, rules: Rules) -> list[Fight]:
    table = fight.table
    if table.leader == r.DESPOT and fight.gained[r.EYRIE] and (rules.despot_each or not fight.despot):
        fight.gained[r.EYRIE] += 1
        fight.despot = True
    for player in range(2):
        table.scores[player] += fight.gained[player]
    fight.gained = [0, 0]
    if max(table.scores) >= rules.goal:
        return fight.ask(OVER, -1)
    if fight.fell and table.keep:
        wanted = {card for card in rules.whole if card[1] in (r.SUITS[fight.clearing], r.BIRD)}
        if may_hold(table, fight.known, r.MARQUISE, wanted, rules.whole):
            return fight.ask(HOSPITAL, r.MARQUISE)
    fight.fell = 0
    return _after_hits(fight, rules)


def _after_hits(fight: Fight, rules: Rules) -> list[Fight]:
    if fight.ambushed and fight.table.warriors[fight.attacker][fight.clearing]:
        fight.ambushed = False
        return _roll(fight, rules)
    return fight.ask(OVER, -1)
