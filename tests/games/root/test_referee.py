"""Root held against a referee that was written apart from it, from the rules page, with plain lists."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

import playout
from playout.game.stream import PICKS, Stream
from playout.games.root import cards as c
from playout.games.root import map as m
from playout.games.root import record as g
from tests.games.root import boards, fights
from tests.games.root import referee as r
from tests.games.root.referee import Table
from tests.games.root.trials import DECKS, SPECS, play, rules_of
from tests.games.root.witness import KIND, Disagreement, Witness

SEEN = {
    "moves": 1000, "battles": 500, "buildings": 500, "what a building costs": 50, "Decree, RECRUIT": 100, "Decree, MOVE": 100, "Decree, BATTLE": 50,
    "Decree, BUILD": 20, "an impossible Decree card": 30, "what is known": 5000, "reshuffles": 50, "how a battle ends": 50,
    "a battle's question: lose": 5, "a battle's question: effects": 5, "a battle's question: counter": 2, "hospital cards": 50,
    "which wood pays": 50, "crafting": 200, "points for crafting": 50, "cards in the Evening": 100, "where short wood goes": 20,
    "where short recruits go": 5, "suits for Royal Claim": 5, "Royal Claim": 3, "Stand and Deliver's point": 5, "the next Decree card": 200,
    "turmoil with too few recruits": 5, "where a new roost came": 10, "who lies wounded where": 20, "the whole Decree was resolved": 50,
    "discards": 50, "leaders face up": 100, "the Bank is asked about": 10, "Daylight that ended by itself": 20, "reshuffles of nothing": 10,
}  # fmt: skip
"""How often each must have been compared at least, or the test would not tell much."""


@pytest.mark.slow
def test_random_games_agree_with_the_referee() -> None:
    """Rule of clearings, moves, costs, battles, the Decree, the course of a turn and what is known, under every reading of the rules."""
    games, compared = [playout.load(spec) for spec in SPECS], Counter[str]()
    for seed in range(32):
        compared += play(games[seed % len(games)], seed, led=seed // 8 % 2 == 1, crowds=seed // 16 == 1)
    few = {what: compared[what] for what, least in SEEN.items() if compared[what] < least}
    assert not few


WRONG = {
    "forced": ("root", 1, True),
    "tax_hospitals": ("root:tax_hospitals=false,short_roost=false,despot=removal", 3, True),
    "short_roost": ("root", 2, False),
    "bank_always": (f"root:decree=forced,deck={DECKS[0]}", 2, True),
    "goal": (f"root:decree=forced,deck={DECKS[0]}", 0, 25),
    "whole": ("root", 1, Counter({("Ambush!", r.FOX): 1})),
}
"""A game, a seed with which it comes to that, and another rule than that game has."""


@pytest.mark.parametrize("name", list(WRONG))
def test_a_referee_of_other_rules_disagrees(name: str) -> None:
    """An option that made no difference to the referee would not be compared."""
    spec, seed, value = WRONG[name]
    game = playout.load(spec)
    other = replace(rules_of(game), **{name: rules_of(game).whole - value if isinstance(value, Counter) else value})
    assert other != rules_of(game)
    with pytest.raises(Disagreement):
        play(game, seed, led=True, crowds=True, rules=other)


@pytest.mark.parametrize("each", [False, True])
def test_the_despot_agrees_with_the_referee(each: bool) -> None:
    """Two removals in one battle need an ambush at the keep and a hospital, so this is no random game."""
    fields: dict[str, Any] = {"leader": "Despot", "sawmills": [11], "wood": {11: 1}, "keep": 11}
    spec = "root:despot=removal" if each else "root"
    state = boards.position(
        spec=spec, hers={11: 1}, theirs={11: 3}, roosts=[3], hands=("mice mouseambush", "birdambush"), **fields
    )
    for right in (True, False):
        witness, now = Witness(r.Rules(despot_each=each == right)), state
        for action in ("battle in 11", "Ambush! (bird)", "no ambush", "lose wood", "Favor of the Mice (mouse) for the hospital"):
            after = boards.played(now, action, draws=(3, 3) if "hospital" in action else ())
            step = (now.copy_array()[0], list(now.legal), now.find(action), after.copy_array()[0])
            if right or "hospital" not in action:
                witness.step(*step)
            else:
                with pytest.raises(Disagreement, match="how a battle ends"):
                    witness.step(*step)
            now = after


def steps(seed: int, count: int) -> list[tuple[Any, list[int], int, Any]]:
    """The first decisions of a random game, as a witness is told of them."""
    state, lots, found = playout.load("root").start(seed), Stream(seed, PICKS), []
    while not state.over and len(found) < count:
        action = state.legal[lots.below(len(state.legal))]
        after = state.after(action)
        found.append((state.copy_array()[0], list(state.legal), action, after.copy_array()[0]))
        state = after
    return found


def complaints(seed: int, spoil: Any) -> set[str]:
    """What a witness says of a game in which something is wrong, where it can be spoilt that way first."""
    course, found = steps(seed, 160), set()
    for number, (before, legal, action, after) in enumerate(course):
        wrong = spoil(before, list(legal), action, after.copy())
        if wrong is not None:
            other = Witness()
            for step in course[:number]:
                other.step(*step)
            with pytest.raises(Disagreement) as said:
                other.step(before, wrong[0], action, wrong[1])
            found.add(str(said.value).partition(":")[0])
            break
    return found


def without_a_move(before: Any, legal: list[int], action: int, after: Any) -> Any:
    ways = [a for a in legal if g.GO <= a < g.NUMBER]
    if before["stage"] not in (g.ACT, g.MARCH, g.TARGET) or not ways:
        return None
    return [a for a in legal if a != ways[0]], after


def without_a_battle(before: Any, legal: list[int], action: int, after: Any) -> Any:
    where = [a for a in legal if g.FIGHT <= a < g.CRAFT]
    return ([a for a in legal if a != where[0]], after) if before["stage"] == g.ACT and where else None


def a_card_is_forgotten(before: Any, legal: list[int], action: int, after: Any) -> Any:
    if not after["known"][0]:
        return None
    after["known"][0] = 0
    return legal, after


def a_warrior_too_many(before: Any, legal: list[int], action: int, after: Any) -> Any:
    if before["stage"] != g.COUNTING:
        return None
    after["warriors"][before["turn"], before["place"]] += 1
    return legal, after


@pytest.mark.parametrize("spoil", [without_a_move, without_a_battle, a_card_is_forgotten, a_warrior_too_many])
def test_the_referee_notices(spoil: Any) -> None:
    """A witness that never disagreed would be worth nothing."""
    seed = 0 if spoil is not a_card_is_forgotten else next(s for s in range(60) if _known_early(s))
    assert complaints(seed, spoil)


def _known_early(seed: int) -> bool:
    return any(after["known"][0] for _, _, _, after in steps(seed, 160))


def test_both_have_the_same_cards_and_the_same_map() -> None:
    letters = {"f": r.FOX, "r": r.RABBIT, "m": r.MOUSE}
    for number, (_, _, _, copies, cost, sort, item, points) in enumerate(c.TABLE):
        own, price, kind, worth = r.DECK[KIND[number]]
        assert (copies, points) == (own, worth), KIND[number]
        assert sorted(price) == sorted([letters[letter] for letter in cost] if cost != "*" else ["any"] * 4)
        assert kind == {c.AMBUSH: "ambush", c.ITEM: c.ITEM_NAMES[item], c.LASTING: "persistent", c.FAVOR: "favor"}[sort]
    assert len(c.TABLE) == len(r.DECK) == 38 and sum(row[0] for row in r.DECK.values()) == 50
    for clearing in r.CLEARINGS:
        assert m.SUIT_NAMES[m.SUIT[clearing - 1]] == r.SUITS[clearing] and m.SLOTS[clearing - 1] == r.SLOTS[clearing]
        assert {b + 1 for a, b in m.WAYS if a == clearing - 1} == set(r.NEIGHBOURS[clearing])
    assert [len(r.NEIGHBOURS[n]) for n in r.CLEARINGS] == [3, 3, 3, 3, 2, 3, 3, 2, 3, 3, 3, 5]


# the referee by itself, on the small facts of the rules page


def table(**rows: Any) -> Table:
    made = Table()
    for name, where in rows.items():
        target = {"hers": made.warriors[0], "theirs": made.warriors[1], "wood": made.wood}.get(name)
        target = made.buildings[name] if target is None else target
        for clearing, count in where.items():
            target[clearing] = count
    return made


def test_facts_of_rule_and_wood() -> None:
    assert r.ruler(table(hers={5: 1}, theirs={5: 1}), 5) == r.EYRIE and r.ruler(table(wood={5: 2}), 5) is None
    kept = table(hers={1: 1}, theirs={1: 1})
    kept.keep = 1
    assert r.ruler(kept, 1) == r.EYRIE
    chained = table(hers={1: 1, 4: 1, 9: 1}, wood={1: 1, 9: 1}, sawmill={1: 1})
    assert r.chain(chained, 4) == {1, 4, 9} and (4, r.SAWMILL) in r.builds(chained)
    cut = table(hers={1: 1, 4: 1, 9: 1}, theirs={9: 1}, wood={1: 1, 9: 1}, sawmill={1: 1})
    assert r.chain(cut, 4) == {4} and (4, r.SAWMILL) not in r.builds(cut)


def test_facts_of_battle() -> None:
    assert r.battle_hits(table(theirs={5: 1}, wood={5: 1}), 5, r.EYRIE, (3, 0)) == (2, 0)
    nest = table(hers={5: 3}, theirs={5: 2}, roost={5: 1})
    assert r.battle_hits(nest, 5, r.MARQUISE, (3, 2)) == (3, 2)
    assert r.losses(nest, r.EYRIE, 5, 3) == (2, 1) and r.losses(nest, r.MARQUISE, 5, 2) == (2, 0)
    lone = table(theirs={5: 1}, roost={5: 1}, hers={5: 3})
    lone.hands[0][("Ambush!", r.BIRD)] = 1
    (asked,) = fights.begin(lone, [Counter(), Counter()], 5, r.EYRIE, r.Rules())
    assert (asked.asks, asked.who) == (fights.AMBUSH, r.MARQUISE)
    (over,) = fights.answer(asked, ("Ambush!", r.BIRD), r.Rules(whole=Counter({("Ambush!", r.BIRD): 1})))
    assert over.asks == fights.OVER and over.table.scores == [1, 0] and r.pieces(over.table, r.EYRIE, 5) == 0


def test_facts_of_turmoil_and_roosts() -> None:
    poor = table()
    poor.scores[1], poor.decree[0][r.BIRD], poor.decree[1][r.BIRD] = 1, 1, 1
    assert r.turmoil_loss(poor) == 1
    assert r.new_leaders({"Builder"}) == {"Builder"} and r.new_leaders(set()) == set(r.VIZIERS)
    crowd = table(hers={n: 1 for n in r.CLEARINGS if n not in (5, 8)})
    assert r.new_roosts(crowd) == {5, 8}
    full = table(hers={n: 1 + (n != 3) for n in r.CLEARINGS if n not in (5, 8)}, sawmill={5: 2, 8: 2})
    assert r.new_roosts(full) == {3}
