"""Holds the game of Root against the referee: every decision of random games, looked at from both sides.

The record is read into the referee's plain lists; what may be done, what a battle leads to, what an impossible Decree card brings and what
each player knows are then compared. What is read here of the game is its record and its action ids, never its rules.
"""

from __future__ import annotations

import copy
from collections import Counter
from functools import lru_cache
from typing import Any

from playout.games.root import cards as c
from playout.games.root import map as m
from playout.games.root import record as g
from tests.games.root import fights
from tests.games.root import referee as r
from tests.games.root.course import Course
from tests.games.root.memory import Knowledge, at_the_reshuffle
from tests.games.root.referee import Card, Cards, Rules, Table

KIND: list[Card] = [(row[0], m.SUIT_NAMES[row[2]]) for row in c.TABLE]
"""The game's kinds of cards, in the referee's words."""
BUILDINGS = (r.SAWMILL, r.WORKSHOP, r.RECRUITER, r.ROOST)
QUESTIONS = {
    g.AMBUSHED: fights.AMBUSH,
    g.COUNTERED: fights.COUNTER,
    g.ORDER: fights.ORDER,
    g.EFFECTS: fights.EFFECTS,
    g.LOSSES: fights.LOSE,
    g.HOSPITAL: fights.HOSPITAL,
}
QUIET = (g.ACT, g.RESOLVE, g.TARGET, g.CRAFTING)
"""Stages that may follow a battle without anything else having changed."""
EFFECT_WORDS = {g.USE_ARMORERS: "Armorers", g.USE_SAPPERS: "Sappers", g.USE_BRUTAL: "Brutal Tactics"}
SORTS = """PASS CORNER LEADER CONSTRUCT GROW_AT WOOD_FROM RECRUIT_AT ROOST_AT GO NUMBER FIGHT CRAFT ACTIVATE CARD WORK DECREE BY_SUIT LEVY
LOSE MUSTER USE_BANK USE_CLAIM USE_STAND USE_CODE USE_ARMORERS USE_SAPPERS USE_BRUTAL FIRST_SELF FIRST_OTHER"""
BLOCKS = sorted((int(getattr(g, name)), name) for name in SORTS.split())
"""Where the ids of each sort of action begin."""


class Disagreement(AssertionError):
    """The game and the referee say different things."""


def cards_of(some: int) -> Cards:
    """A set of cards as the referee counts them."""
    return _counted(int(some)).copy()


@lru_cache(maxsize=100_000)
def _counted(some: int) -> Cards:
    return Counter(KIND[int(c.KIND_AT[bit])] for bit in range(c.CARDS) if some >> bit & 1)


def block(action: int) -> tuple[str, int]:
    """The sort of an action, and its number within that sort."""
    first, name = max(entry for entry in BLOCKS if entry[0] <= action)
    return name, action - first


def read(record: Any) -> Table:
    """The record as a table."""

    def row(numbers: Any) -> list[int]:
        return [0, *(int(n) for n in numbers)]

    decree = [cards_of(record["decree"][column]) for column in range(4)]
    suits = [Counter(suit for (_, suit), n in column.items() for _ in range(n)) for column in decree]
    for column in r.VIZIERS[g.LEADERS[record["leader"]]]:
        suits[column][r.BIRD] += 1
    lasting = [cards_of(record["crafted"][player]) for player in range(2)]
    return Table(
        warriors=[row(record["warriors"][player]) for player in range(2)],
        buildings={kind: row(record["buildings"][place]) for place, kind in enumerate(BUILDINGS)},
        wood=row(record["wood"]),
        keep=int(record["keep"]) + 1,
        scores=[int(n) for n in record["scores"]],
        hands=[cards_of(record["hands"][player]) for player in range(2)],
        deck=cards_of(record["deck"]),
        discard=cards_of(record["discard"]),
        crafted=[[name for name, _ in some.elements()] for some in lasting],
        lasting=lasting,
        columns=decree,
        items={name: int(record["items"][place]) for place, name in enumerate(c.ITEM_NAMES)},
        decree=suits,
        leader=g.LEADERS[record["leader"]],
    )


def fallen(table: Table, points: int, after: Any) -> int:
    """What is left of points where the Decree was begun with the same decision, and fell at once."""
    if int(after["stage"]) != g.TURMOIL:
        return points
    return points - min(points, sum(column[r.BIRD] for column in table.decree))


class Witness:
    """Follows one game, decision by decision."""

    def __init__(self, rules: Rules | None = None) -> None:
        self.rules = rules or Rules()
        self.course = Course(self.rules, self.agree, KIND)
        self.knowledge = Knowledge()
        self.fights: list[fights.Fight] = []
        """What the battle that goes on may look like now; none where there is no battle."""
        self.paying: tuple[int, int, int, int] | None = None
        """Of a building that is being paid: wood on the map and points before, what it costs and brings."""
        self.compared: Counter[str] = Counter()
        self._then: Table | None = None

    def step(self, before: Any, legal: list[int], action: int, after: Any) -> None:
        """One decision: what was allowed, what was chosen, and what came of it."""
        table, then = self._then or read(before), read(after)
        self._then = then
        self.offered(before, table, legal)
        known = copy.deepcopy(self.knowledge.of)
        self.remembered(before, table, action, after, then)
        self.course.carried_out(before, table, *block(action), after, then, (known, self.knowledge.of))
        self.carried_out(before, table, action, after, then)
        self.fought(before, table, action, after, then)

    def agree(self, what: str, mine: Any, theirs: Any) -> None:
        self.compared[what] += 1
        if mine != theirs:
            raise Disagreement(f"{what}: the referee says {mine}, the game {theirs}")

    # what may be done

    def offered(self, before: Any, table: Table, legal: list[int]) -> None:
        stage, turn = int(before["stage"]), int(before["turn"])
        by: dict[str, set[int]] = {}
        for action in legal:
            name, number = block(action)
            by.setdefault(name, set()).add(number)
        self.course.offered(before, table, by, self.knowledge.of)
        ways = {(m.WAYS[n][0] + 1, m.WAYS[n][1] + 1) for n in by.get("GO", ())}
        battles = {n + 1 for n in by.get("FIGHT", ())}
        if stage == g.ACT:
            self.offered_actions(before, table, by, ways, battles)
        elif stage in (g.MARCH, g.COBBLING):
            self.agree("moves", set(r.moves(table, turn)), ways)
        elif stage == g.COUNTING:
            most = r.moves(table, turn)[int(before["origin"]) + 1, int(before["place"]) + 1]
            self.agree("how many move", set(range(most)), by["NUMBER"])
        elif stage == g.WARRENS:
            self.agree("battles", r.battles(table, turn), battles)
        elif stage == g.TARGET:
            column, suit = int(before["column"]), m.SUIT_NAMES[before["suit"]]
            numbers = {g.RECRUIT: "RECRUIT_AT", g.BUILD: "ROOST_AT"}
            found: Any = ways if column == g.MOVE else battles if column == g.BATTLE else {n + 1 for n in by[numbers[column]]}
            self.agree(f"Decree, {g.COLUMNS[column]}", r.decree_options(table, column, suit), found)
        elif stage == g.NEW_ROOST:
            self.agree("a new roost", r.new_roosts(table, self.rules.short_roost), {n + 1 for n in by["ROOST_AT"]})
        elif stage == g.CRAFTING:
            used = Counter({suit: int(before["used"][place]) for place, suit in enumerate((r.FOX, r.RABBIT, r.MOUSE))})
            mine = {card for card in table.hands[turn] if r.can_craft(table, turn, card, used)}
            self.agree("crafting", mine, {KIND[n] for n in by.get("CRAFT", ())})
        elif stage == g.ADD:
            allowed = [card for card in table.hands[r.EYRIE] if not (before["birds"] and card[1] == r.BIRD)]
            offered = {(KIND[n // 4], n % 4) for n in by.get("DECREE", ())}
            self.agree("Decree cards", {(card, column) for card in allowed for column in range(4)}, offered)
        elif stage in (g.AMBUSHED, g.COUNTERED):
            mine = {card for card in r.ambushes(int(before["place"]) + 1) if table.hands[int(before["asked"])][card]}
            self.agree("ambushes", mine, {KIND[n] for n in by.get("CARD", ())})
        elif stage == g.HOSPITAL:
            where = next(place for place in range(12) if before["fell"][place]) + 1
            mine = r.spendable(table.hands[r.MARQUISE], r.SUITS[where])
            self.agree("hospital cards", mine, {KIND[n] for n in by.get("CARD", ())})
        elif stage == g.PAY:
            place, left, mark = int(before["place"]) + 1, int(before["left"]), int(before["mark"]) + 1
            heaps = {n: table.wood[n] for n in r.chain(table, place)}
            self.agree("which wood pays", r.in_order(heaps, mark, left), {n + 1 for n in by["WOOD_FROM"]})

    def offered_actions(
        self, before: Any, table: Table, by: dict[str, set[int]], ways: set[tuple[int, int]], battles: set[int]
    ) -> None:
        some = int(before["actions"]) > 0
        self.agree("moves", set(r.moves(table, r.MARQUISE)) if some else set(), ways)
        self.agree("battles", r.battles(table, r.MARQUISE) if some else set(), battles)
        builds = {(n % 12 + 1, BUILDINGS[n // 12]) for n in by.get("CONSTRUCT", ())}
        self.agree("buildings", r.builds(table) if some else set(), builds)
        self.agree("recruiting", some and r.can_recruit(table) and not before["recruited"], "MUSTER" in by)
        worked = {card for _, card in r.overworks(table)} if some else set()
        self.agree("overwork", worked, {KIND[n] for n in by.get("WORK", ())})
        birds = {card for card in table.hands[r.MARQUISE] if card[1] == r.BIRD}
        self.agree("birds for actions", birds, {KIND[n] for n in by.get("CARD", ())})

    # what each player knows

    def remembered(self, before: Any, table: Table, action: int, after: Any, then: Table) -> None:
        name, number = block(action)
        player, turn, other = int(before["asked"]), int(before["turn"]), 1 - int(before["turn"])
        hands = [Counter(hand) for hand in table.hands]
        kind = {"CARD": number, "WORK": number, "CRAFT": number, "DECREE": number // 4}.get(name)
        if kind is not None:
            hands[player][KIND[kind]] -= 1
            self.knowledge.left(player, KIND[kind])
        if name == "USE_CODE":
            self.knowledge.looked_at(other, hands[other])
        if name == "USE_STAND":
            (card,) = (+(then.hands[turn] - hands[turn])).elements()
            self.knowledge.stolen(other, card)
            hands[other][card] -= 1
            hands[turn][card] += 1
        drawn = [+(then.hands[p] - hands[p]) for p in range(2)]
        self.agree("cards that left a hand", [Counter(), Counter()], [+(hands[p] - then.hands[p]) for p in range(2)])
        order = self.drawing(before, table, after, [sum(some.values()) for some in drawn])
        left = sum(table.deck.values())
        if 0 < left <= len(order):
            self.knowledge.reshuffled(at_the_reshuffle(hands, table.deck, drawn, order))
            self.compared["reshuffles"] += 1
        if len(order) > left:
            # The pile was drawn from too, and perhaps ran out as well: then nothing lies anywhere, but what turmoil has just discarded.
            there = sum(then.deck.values()) + sum(then.discard.values())
            if there == 0:
                self.knowledge.reshuffled([hands[p] + drawn[p] for p in range(2)])
                self.compared["reshuffles of nothing"] += 1
            elif int(after["stage"]) == g.TURMOIL or left == 0:
                self.knowledge.of = [cards_of(after["known"][p]) for p in range(2)]
                self.compared["left open"] += 1
        self.agree("what is known", self.knowledge.of, [cards_of(after["known"][p]) for p in range(2)])

    def banks(self, before: Any, table: Table, after: Any) -> bool:
        """Whether the next turn began, and a Bank that is not optional drew for both."""
        began = int(after["turn"]) != int(before["turn"]) or int(before["stage"]) == g.CHOOSE_LEADER
        return began and self.rules.bank_always and "Better Burrow Bank" in table.crafted[int(after["turn"])]

    def drawing(self, before: Any, table: Table, after: Any, drawn: list[int]) -> list[int]:
        """Who drew, card by card. The one whose turn it was is first: in the Evening, with the Bank, and before Emergency Orders."""
        turn, other = int(before["turn"]), 1 - int(before["turn"])
        if self.banks(before, table, after) and drawn[other] and drawn[turn] > self.evening_cards(before, table, after):
            return [turn] * (drawn[turn] - 1) + [other, turn] + [other] * (drawn[other] - 1)
        return [turn] * drawn[turn] + [other] * drawn[other]

    def evening_cards(self, before: Any, table: Table, after: Any) -> int:
        """Cards that were drawn for the Evening in this step, as far as there were any; none after discards, which come later."""
        if int(before["stage"]) in (g.DISCARDING, g.CHOOSE_LEADER):
            return 0
        wanted = r.roost_evening(table)[1] if int(before["turn"]) == r.EYRIE else r.marquise_draw(table)
        return min(wanted, sum(table.deck.values()) + sum(table.discard.values()))

    # what comes of it

    def carried_out(self, before: Any, table: Table, action: int, after: Any, then: Table) -> None:
        name, number = block(action)
        stage, turn = int(before["stage"]), int(before["turn"])
        if name == "GO" and int(before["warriors"][turn][m.WAYS[number][0]]) == 1:
            self.moved(table, then, turn, m.WAYS[number][0] + 1, m.WAYS[number][1] + 1, 1)
        elif name == "NUMBER":
            self.moved(table, then, turn, int(before["origin"]) + 1, int(before["place"]) + 1, number + 1)
        elif name == "CONSTRUCT" and stage == g.ACT:
            kind = BUILDINGS[number // 12]
            self.paying = (sum(table.wood), table.scores[0], r.build_cost(table, kind), r.build_points(table, kind))
        elif name == "CRAFT":
            self.crafted(table, then, turn, KIND[number], after)
        elif name == "USE_CLAIM":
            points = table.scores[turn] + len(r.ruled(table, turn))
            self.agree("Royal Claim", fallen(table, points, after), then.scores[turn])
        elif name == "BY_SUIT":
            self.resolved(before, table, m.SUIT_NAMES[number], after, then)
        elif name == "MUSTER" and sum(table.warriors[0]) + r.on_map(table, r.RECRUITER) <= r.WARRIORS[0]:
            came = [mine + new for mine, new in zip(table.warriors[0], table.buildings[r.RECRUITER])]
            self.agree("recruits", came, then.warriors[0])
        if self.paying is not None and sum(map(sum, then.buildings.values())) > sum(map(sum, table.buildings.values())):
            wood, points, cost, worth = self.paying
            self.agree("what a building costs", (wood - cost, points + worth), (sum(then.wood), then.scores[0]))
            self.paying = None

        ends = {"PASS": (g.ACT, g.LAST_WINDOW, g.COBBLING), "LEADER": (g.TURMOIL,)}
        if stage in ends.get(name, ()) and (int(after["stage"]) == g.DISCARDING or int(after["turn"]) != turn):
            self.evening(before, table, after, then)
            if int(after["turn"]) == r.MARQUISE and int(after["stage"]) not in (g.BANKING, g.GROW):
                grown = [wood + mills for wood, mills in zip(table.wood, table.buildings[r.SAWMILL])]
                if turn == r.EYRIE and sum(grown) <= r.WOOD:
                    self.agree("wood in Birdsong", grown, then.wood)

    def evening(self, before: Any, table: Table, after: Any, then: Table) -> None:
        """Nothing but the Evening came, and after it perhaps the other player's Birdsong."""
        player = int(before["turn"])
        points = r.roost_evening(table)[0] if player == r.EYRIE else 0
        self.agree("points in the Evening", table.scores[player] + points, then.scores[player])
        # A fallen Decree lies on the pile already; what both have drawn since it came from what was there.
        there, cards = sum(table.deck.values()) + sum(table.discard.values()), self.evening_cards(before, table, after)
        cards += self.banks(before, table, after) and there - cards >= 2
        size = sum(table.hands[player].values()) + cards
        self.agree("cards in the Evening", size, sum(then.hands[player].values()))

    def moved(self, table: Table, then: Table, player: int, origin: int, target: int, number: int) -> None:
        wanted = list(table.warriors[player])
        wanted[origin] -= number
        wanted[target] += number
        self.agree("a move", wanted, then.warriors[player])

    def crafted(self, table: Table, then: Table, player: int, card: Card, after: Any) -> None:
        kind = r.DECK[card][2]
        worth = r.item_points(table, player, card) if kind in r.ITEMS else 0
        worth += r.favor_points(table, player, card[1]) if kind == "favor" else 0
        self.agree("points for crafting", fallen(table, table.scores[player] + worth, after), then.scores[player])
        if kind == "favor":
            other = 1 - player
            left = [r.own_buildings(then, other, n) + r.tokens(then, other, n) for n in r.CLEARINGS if r.SUITS[n] == card[1]]
            self.agree("what a favor leaves", 0, sum(left))

    def resolved(self, before: Any, table: Table, suit: str, after: Any, then: Table) -> None:
        """A Decree card was picked: it can be done, or it is turmoil."""
        if r.decree_options(table, int(before["column"]), suit):
            self.agree("a Decree card that can be done", g.TARGET, int(after["stage"]))
            return
        self.agree("an impossible Decree card", g.TURMOIL, int(after["stage"]))
        gone = table.deck + table.discard + sum(table.columns, Counter())
        self.agree("cards of a fallen Decree", gone, then.deck + then.discard)

    # battles

    def fought(self, before: Any, table: Table, action: int, after: Any, then: Table) -> None:
        name, number = block(action)
        known = [cards_of(before["known"][p]) for p in range(2)]
        if name == "FIGHT":
            self.fights = fights.begin(table, known, number + 1, int(before["turn"]), self.rules)
        elif self.fights:
            asked = self.fights[0].asks
            said: Card | str | None = None
            if name == "CARD":
                said = KIND[number]
            elif asked == fights.LOSE:
                said = fights.PIECES[number]
            elif asked == fights.ORDER:
                said = "attacker" if name == "FIRST_SELF" else "defender"
            elif asked == fights.EFFECTS:
                said = EFFECT_WORDS.get(action)
            self.fights = [found for one in self.fights for found in fights.answer(one, said, self.rules)]
        if self.fights:
            self.fights = self.compared_with(after, then)

    def compared_with(self, after: Any, then: Table) -> list[fights.Fight]:
        """The moments that fit what the game says; none left is a disagreement, and none goes on where the battle is over."""
        stage, asked = int(after["stage"]), int(after["asked"])
        question = QUESTIONS.get(stage) if not after["winner"] else fights.OVER
        if question == fights.HOSPITAL and all(one.asks != fights.HOSPITAL for one in self.fights):
            question = None  # for a favor, or the Tax Collector, after the battle
        if question is None or question == fights.OVER:
            over = [one for one in self.fights if one.asks == fights.OVER]
            quiet = stage in QUIET or (bool(after["winner"]) and stage in (g.HOSPITAL, g.EFFECTS))
            quiet = quiet and int(after["turn"]) == self.fights[0].attacker
            self.agree("that the battle is over", True, bool(over))
            if quiet:
                self.agree("how a battle ends", True, any(one.table.same(then) for one in over))
            return []
        fitting = [one for one in self.fights if one.asks == question and one.who == asked and one.table.same(then)]
        fitting = (
            [one for one in fitting if one.rolled == [int(n) for n in after["rolled"]]] if question != fights.AMBUSH else fitting
        )
        self.agree(f"a battle's question: {question}", True, bool(fitting))
        return fitting[:1]
