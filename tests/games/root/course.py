"""The course of a turn of Root, followed beside the game: what was used already, what is left of the Decree, and which questions come when.

A part of the witness that keeps its own books: nothing that the record counts (cards of the Decree that are resolved, pieces that were
activated, actions left, leaders face up, places of a short supply) is believed, all of it is counted once more from what was chosen.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

from playout.games.root import record as g
from tests.games.root import referee as r
from tests.games.root.memory import discard, may_hold
from tests.games.root.referee import Card, Cards, Rules, Table

SUITS = (r.FOX, r.RABBIT, r.MOUSE)
BIRDSONG = (g.HER_WINDOW, g.THEIR_WINDOW, g.ADD, g.ORDERS)
DAYLIGHT = (g.CRAFTING, g.ACT, g.RESOLVE, g.LAST_WINDOW)
RANK = {
    g.BANKING: 0, g.GROW: 1, g.ORDERS: 1, g.HER_WINDOW: 2, g.ADD: 2, g.NEW_ROOST: 3, g.THEIR_WINDOW: 4, g.WARRENS: 5, g.CRAFTING: 6,
    g.CLAIMING: 6, g.ACT: 7, g.MARCH: 7, g.PAY: 7, g.OVERWORK: 7, g.RECRUITS: 7, g.RESOLVE: 7, g.TARGET: 7, g.TURMOIL: 8,
    g.LAST_WINDOW: 8, g.COBBLING: 9, g.DISCARDING: 10,
}  # fmt: skip
"""The parts of a turn in their order. Battles, moves and Field Hospitals come inside of one."""
END = 11
SCORING = ("FIGHT", "CARD", "LOSE", "CRAFT", "PASS in a battle", "USE_CLAIM", "USE_ARMORERS", "USE_SAPPERS", "USE_BRUTAL")
"""Decisions with which the Eyrie may score before a turmoil of the same step."""

UNSPENT = ("PASS", "GO", "NUMBER", "MUSTER", "CONSTRUCT", "WOOD_FROM", "GROW_AT", "RECRUIT_AT")
"""Decisions that take no card out of a hand."""


class Course:
    """Follows one game, decision by decision."""

    def __init__(self, rules: Rules, agree: Callable[[str, Any, Any], None], kinds: list[Card]) -> None:
        self.rules, self.agree, self.kinds = rules, agree, kinds
        self.up = set(r.VIZIERS)
        """Leaders that are face up, the present one among them."""
        self.short: tuple[list[int], int] | None = None
        """Where wood or recruits are short: what there was, and the last place that was chosen."""
        self.wounded: list[tuple[int, int]] = []
        """For the Tax Collector and favors: clearings and warriors for which Field Hospitals may still pay."""
        self.middle, self.told = Table(), [Counter[Card](), Counter[Card]()]
        """The table, and what is known, between the removal and what follows Field Hospitals."""
        self.begin()

    def begin(self) -> None:
        """A turn begins."""
        self.done: list[Counter[str]] = [Counter() for _ in range(4)]
        """Cards of the Decree that were resolved."""
        self.rank, self.fell = 0, False
        self.spent: set[str] = set()
        """What works once a turn and was used."""
        self.used: Counter[str] = Counter()
        self.claim = (0, 0)
        """Of a Royal Claim that is being paid: pieces left, and the last suit."""
        self.actions, self.discarded = r.ACTIONS, 0

    # what may be done

    def can_stand(self, table: Table, player: int) -> bool:
        return "Stand and Deliver!" in table.crafted[player] and "stand" not in self.spent and bool(+table.hands[1 - player])

    def can_tax(self, table: Table, player: int) -> bool:
        return "Tax Collector" in table.crafted[player] and "tax" not in self.spent and sum(table.warriors[player]) > 0

    def can_look(self, table: Table, player: int, known: list[Cards]) -> bool:
        hidden = sum(table.hands[1 - player].values()) > sum(known[1 - player].values())
        return "Codebreakers" in table.crafted[player] and "code" not in self.spent and hidden

    def offered(self, before: Any, table: Table, by: dict[str, set[int]], known: list[Cards]) -> None:
        stage, turn = int(before["stage"]), int(before["turn"])
        if stage in RANK and before["turn"] == before["asked"]:
            self.agree("the order of a turn", True, RANK[stage] >= self.rank)
            self.rank = RANK[stage]
        if stage in BIRDSONG:
            self.agree("Royal Claim's window", "Royal Claim" in table.crafted[turn], "USE_CLAIM" in by)
            self.agree("Stand and Deliver's window", self.can_stand(table, turn), "USE_STAND" in by)
        if stage in DAYLIGHT:
            taxed = {n for n in r.CLEARINGS if self.can_tax(table, turn) and table.warriors[turn][n]}
            self.agree("Tax Collector", taxed, {n + 1 for n in by.get("LEVY", ())})
            self.agree("Codebreakers", self.can_look(table, turn, known), "USE_CODE" in by)
        if stage == g.RESOLVE:
            column = int(before["column"])
            left = table.decree[column] - self.done[column]
            mine = r.decree_cards(table, column, left, self.rules.forced)
            self.agree("the next Decree card", mine, {(*SUITS, r.BIRD)[n] for n in by["BY_SUIT"]})
            self.agree("columns in order", table.decree[:column], self.done[:column])
        elif stage == g.TARGET:
            column, suit = int(before["column"]), (*SUITS, r.BIRD)[before["suit"]]
            self.agree("a Decree card that is left", True, self.done[column][suit] < table.decree[column][suit])
            self.done[column][suit] += 1
        elif stage == g.TURMOIL:
            self.agree("leaders face up", self.up, {g.LEADERS[n] for n in by["LEADER"]})
        elif stage == g.ACT:
            self.agree("actions left", self.actions, int(before["actions"]))
        elif stage == g.CRAFTING:
            own = Counter({suit: int(before["used"][place]) for place, suit in enumerate(SUITS)})
            self.agree("pieces that were activated", +self.used, +own)
        elif stage == g.BANKING:
            asks = "Better Burrow Bank" in table.crafted[turn] and not self.rules.bank_always
            self.agree("the Bank is asked about", asks, True)
        elif stage in (g.GROW, g.RECRUITS):
            self.offered_short(stage, table, by)
        elif stage == g.CLAIMING:
            left, last = self.claim
            self.agree("suits for Royal Claim", r.in_order(self.idle(table, turn), last, left), by["ACTIVATE"])
        elif stage == g.DISCARDING:
            held = {place: table.hands[turn][card] for place, card in enumerate(self.kinds)}
            over = sum(held.values()) - r.LIMIT
            self.agree("discards", r.in_order(held, self.discarded, over), by["CARD"])

    def idle(self, table: Table, player: int) -> dict[int, int]:
        """Crafting pieces that were not activated, by the place of their suit."""
        pieces = r.activated(table, player)
        return {place: pieces[suit] - self.used[suit] for place, suit in enumerate(SUITS)}

    def offered_short(self, stage: int, table: Table, by: dict[str, set[int]]) -> None:
        """Wood at sawmills, recruits at recruiters, where there are not enough of them: the choice, in ascending order."""
        wood = stage == g.GROW
        here = table.wood if wood else table.warriors[r.MARQUISE]
        kind = r.SAWMILL if wood else r.RECRUITER
        base, last = self.short = self.short or (list(here), 1)
        supply = r.WOOD - sum(here) if wood else r.supply(table, r.MARQUISE)
        room = {n: table.buildings[kind][n] - (here[n] - base[n]) for n in r.CLEARINGS}
        self.agree("short only where it is", True, 0 < supply < sum(room.values()))
        what = "where short wood goes" if wood else "where short recruits go"
        self.agree(what, r.in_order(room, last, supply), {n + 1 for n in by["GROW_AT" if wood else "RECRUIT_AT"]})

    # what comes of it

    def carried_out(
        self, before: Any, table: Table, name: str, number: int, after: Any, then: Table, known: tuple[list[Cards], list[Cards]]
    ) -> None:
        stage, turn, other = int(before["stage"]), int(before["turn"]), 1 - int(before["turn"])
        spends = {"USE_STAND": "stand", "USE_CODE": "code", "LEVY": "tax", "MUSTER": "muster"}
        if name in spends:
            self.agree("once a turn", False, spends[name] in self.spent)
            self.spent.add(spends[name])
        if stage == g.ACT and name not in ("PASS", "USE_CODE", "LEVY"):
            self.actions += 1 if name == "CARD" else -1
        if name == "USE_STAND":
            self.agree("Stand and Deliver's point", table.scores[other] + 1, then.scores[other])
        elif stage in (g.GROW, g.RECRUITS):
            self.placed_short(stage, number, table, then)
        elif stage == g.TARGET and name in ("RECRUIT_AT", "ROOST_AT"):
            self.placed(table, then, number + 1, name == "ROOST_AT", after)
        elif name == "CRAFT":
            self.crafted(table, turn, self.kinds[number])
        elif stage == g.CLAIMING:
            self.used[SUITS[number]] += 1
            self.claim = (self.claim[0] - 1, number)
            self.pay_claim(table, turn)
        elif stage == g.DISCARDING:
            self.discarded = number
        self.tended(stage, name, number, table, turn, after, then, known[0])
        if turn == r.EYRIE or stage == g.DISCARDING:
            self.nested(stage, table, then)
        if int(after["stage"]) == g.TURMOIL and stage != g.TURMOIL and not after["winner"]:
            self.turmoil(before, table, name, number, then)
        self.follows(before, table, name, after, then, known)
        first = stage == g.CHOOSE_LEADER
        self.winner(turn, after, then)
        if first or int(after["turn"]) != turn:
            self.begin()

    def placed_short(self, stage: int, number: int, table: Table, then: Table) -> None:
        rows = (table.wood, then.wood) if stage == g.GROW else (table.warriors[0], then.warriors[0])
        wanted = list(rows[0])
        wanted[number + 1] += 1
        self.agree("a piece of a short supply", wanted, rows[1])
        assert self.short is not None
        left = r.WOOD - sum(then.wood) if stage == g.GROW else r.supply(then, r.MARQUISE)
        self.short = (self.short[0], number + 1) if left else None

    def placed(self, table: Table, then: Table, clearing: int, roost: bool, after: Any) -> None:
        """A card of the Decree built, or recruited as many as there are."""
        warriors, nests = list(table.warriors[r.EYRIE]), list(table.buildings[r.ROOST])
        needed = r.recruits_needed(table)
        nests[clearing] += roost
        warriors[clearing] += 0 if roost else min(needed, r.supply(table, r.EYRIE))
        self.agree("what a Decree card places", (warriors, nests), (then.warriors[r.EYRIE], then.buildings[r.ROOST]))
        if not roost and r.supply(table, r.EYRIE) < needed:
            self.agree("turmoil with too few recruits", g.TURMOIL, int(after["stage"]))

    def crafted(self, table: Table, player: int, card: Card) -> None:
        if card[0] == "Royal Claim":
            self.claim = (4, 0)
            self.pay_claim(table, player)
        else:
            self.used += Counter(r.DECK[card][1])

    def pay_claim(self, table: Table, player: int) -> None:
        """The rest of a Royal Claim, where there is no choice any more."""
        left, last = self.claim
        idle = {place: count for place, count in self.idle(table, player).items() if place >= last and count}
        if len(idle) == 1 or sum(idle.values()) == left:
            for place in idle:
                self.used[SUITS[place]] += min(left, idle[place])

    def nested(self, stage: int, table: Table, then: Table) -> None:
        """A new roost: where there is only one place for it, nobody is asked."""
        if r.on_map(table, r.ROOST) or not r.on_map(then, r.ROOST) or stage in (g.CHOOSE_KEEP, g.TARGET):
            return
        (where,) = (n for n in r.CLEARINGS if then.buildings[r.ROOST][n])
        places = r.new_roosts(table, self.rules.short_roost)
        self.agree("where a new roost came", True, where in places and (stage == g.NEW_ROOST or len(places) == 1))
        warriors = list(table.warriors[r.EYRIE])
        warriors[where] += min(r.WITH_ROOST, r.supply(table, r.EYRIE))
        self.agree("warriors of a new roost", warriors, then.warriors[r.EYRIE])

    def turmoil(self, before: Any, table: Table, name: str, number: int, then: Table) -> None:
        """The Decree fell: there was a card that could not be done, and of what was there all is gone."""
        self.fell = True
        decree = [Counter(column) for column in table.decree]
        if name == "DECREE":
            decree[number % 4][self.kinds[number // 4][1]] += 1
        left = [column - done for column, done in zip(decree, self.done)]
        column = next((n for n in range(4) if left[n]), r.BUILD)
        able = r.decree_able(then, column, left[column])
        picked = (*SUITS, r.BIRD)[number] if name == "BY_SUIT" else None
        if name != "RECRUIT_AT":
            wrong = able if self.rules.forced else able & {picked} if picked else able if len(left[column]) == 1 else set()
            self.agree("a turmoil that had to be", set(), wrong)
            self.agree("a card that could not be done", True, bool(set(left[column]) - able))
        if name not in SCORING and not (name == "PASS" and int(before["stage"]) >= g.AMBUSHED):
            birds = sum(some[r.BIRD] for some in decree)
            self.agree("what turmoil costs", max(0, table.scores[r.EYRIE] - birds), then.scores[r.EYRIE])
        self.agree("the Decree after turmoil", [Counter()] * 4, then.columns)
        self.up -= {table.leader}
        self.up = self.up or set(r.VIZIERS)

    # Field Hospitals after the Tax Collector and after favors; those of battles are followed with the battle

    def tended(
        self, stage: int, name: str, number: int, table: Table, turn: int, after: Any, then: Table, known: list[Cards]
    ) -> None:
        favor = name == "CRAFT" and r.DECK[self.kinds[number]][2] == "favor"
        if favor or name == "LEVY":
            self.middle, self.told = copy.deepcopy(table), copy.deepcopy(known)
            self.wounded = self.removed(turn, None if favor else number + 1, self.kinds[number] if favor else None)
        elif stage == g.HOSPITAL and self.wounded:
            (clearing, fell), *self.wounded = self.wounded
            if name == "CARD":
                self.spend(r.MARQUISE, self.kinds[number])
                self.middle.warriors[r.MARQUISE][self.middle.keep] += fell
        else:
            return
        if after["winner"]:
            self.wounded = []
            return
        while self.wounded and not self.pays():
            self.wounded.pop(0)
        self.agree("Field Hospitals are asked about", bool(self.wounded), int(after["stage"]) == g.HOSPITAL)
        if self.wounded:
            clearing, fell = self.wounded[0]
            row = [0, *(int(n) for n in after["fell"])]
            self.agree("who lies wounded where", fell, row[clearing])
            self.agree("the table before Field Hospitals", self.middle.told(), then.told())

    def removed(self, turn: int, taxed: int | None, card: Card | None) -> list[tuple[int, int]]:
        """Take the pieces off `middle`, and say where her warriors fell."""
        table, other = self.middle, 1 - turn
        if taxed is not None:
            table.warriors[turn][taxed] -= 1
            return [(taxed, 1)] if turn == r.MARQUISE and self.rules.tax_hospitals else []
        assert card is not None
        self.spend(turn, card)
        table.scores[turn] += r.favor_points(table, turn, card[1])
        found = []
        for clearing in (n for n in r.CLEARINGS if r.SUITS[n] == card[1]):
            if other == r.MARQUISE and table.warriors[other][clearing]:
                found.append((clearing, table.warriors[other][clearing]))
            table.warriors[other][clearing] = 0
            for kind in (r.ROOST,) if other == r.EYRIE else (r.SAWMILL, r.WORKSHOP, r.RECRUITER):
                table.buildings[kind][clearing] = 0
            if other == r.MARQUISE:
                table.wood[clearing] = 0
                table.keep = 0 if table.keep == clearing else table.keep
        return found

    def spend(self, player: int, card: Card) -> None:
        self.middle.hands[player] = self.middle.hands[player] - Counter([card])
        discard(self.middle, card)
        self.told[player] = self.told[player] - Counter([card])

    def pays(self) -> bool:
        wanted = {card for card in self.rules.whole if card[1] in (r.SUITS[self.wounded[0][0]], r.BIRD)}
        return bool(self.middle.keep) and may_hold(self.middle, self.told, r.MARQUISE, wanted, self.rules.whole)

    # questions that come, or do not, between two parts of a turn

    def follows(
        self, before: Any, table: Table, name: str, after: Any, then: Table, known: tuple[list[Cards], list[Cards]]
    ) -> None:
        stage, turn, next_stage = int(before["stage"]), int(before["turn"]), int(after["stage"])
        same = int(after["turn"]) == turn
        if after["winner"] or stage < g.TURN or (same and next_stage not in RANK):
            return
        to = RANK[next_stage] if same else END
        since = self.rank
        if since < RANK[g.WARRENS] < to and same and stage != g.WARRENS:
            skipped = "Command Warren" in then.crafted[turn] and bool(r.battles(then, turn))
            self.agree("Command Warren is not forgotten", False, skipped)
        windows = RANK[g.HER_WINDOW if turn == r.MARQUISE else g.THEIR_WINDOW]
        if same and since < windows < to:
            skipped = "Royal Claim" in then.crafted[turn] or self.can_stand(then, turn)
            self.agree("no window of Birdsong is forgotten", False, skipped)
        if same and since <= RANK[g.NEW_ROOST] < to and turn == r.EYRIE:
            self.agree("no new roost is forgotten", set(), r.new_roosts(then, self.rules.short_roost))
        if same and since <= RANK[g.CRAFTING] < to and not (name == "PASS" and stage == g.CRAFTING):
            self.agree("crafting is asked about", False, self.may_craft(then, turn, known[1]))
        if since <= RANK[g.ACT] < to and turn == r.MARQUISE and not (name == "PASS" and stage == g.ACT) and name in UNSPENT:
            # With the hands as they were: in the Evening cards are drawn.
            birds = {card for card in self.rules.whole if card[1] == r.BIRD}
            more = may_hold(table, known[0], turn, birds, self.rules.whole) or self.can_tax(table, turn)
            self.agree("Daylight that ended by itself", (0, False), (self.actions, more or self.can_look(table, turn, known[0])))
        if since <= RANK[g.RESOLVE] < to and turn == r.EYRIE and not self.fell and next_stage != g.TURMOIL:
            self.agree("the whole Decree was resolved", table.decree, self.done)
        if since < RANK[g.COBBLING] < to and not (not same and r.on_map(table, r.ROOST) < r.on_map(then, r.ROOST)):
            skipped = "Cobbler" in table.crafted[turn] and bool(r.moves(then, turn))
            self.agree("the Cobbler is not forgotten", False, skipped)

    def may_craft(self, table: Table, player: int, known: list[Cards]) -> bool:
        """Whether, for all that is public, there could be something to craft."""
        held = table.hands[player]
        table.hands[player] = self.rules.whole
        wanted = {card for card in self.rules.whole if r.can_craft(table, player, card, self.used)}
        table.hands[player] = held
        return bool(wanted) and (may_hold(table, known, player, wanted, self.rules.whole) or self.can_tax(table, player))

    def winner(self, turn: int, after: Any, then: Table) -> None:
        enough = [player for player in (turn, 1 - turn) if then.scores[player] >= self.rules.goal]
        self.agree("who has won", 1 + enough[0] if enough else 0, int(after["winner"]))
