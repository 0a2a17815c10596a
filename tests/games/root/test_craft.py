"""Crafting, every card that lasts, favors, and Field Hospitals."""

import pytest

from playout.games.root.cards import ITEM, NAMES, POINTS_OF, SORT, TABLE, WORDS
from tests.games.root.boards import EYRIE, MARQUISE, hand, is_at, names, played, position, scores, warriors, words_of

NAME = dict(zip(WORDS, NAMES))
ALL_ROUND = {"workshops": [1, 6, 8, 5, 5, 10], "hers": [12]}
"""Six workshops: three fox, three rabbit."""
MICE = {"workshops": [2, 2, 7, 7, 9, 9], "hers": [12]}


def crafting(cards, player=MARQUISE, **fields):
    hands = (cards, "") if player == MARQUISE else ("", cards)
    return position("CRAFTING", player, hands=hands, **fields)


def offered(state):
    return {name.removeprefix("craft ") for name in names(state) if name.startswith("craft ") and name != "craft no more"}


@pytest.mark.parametrize("kind", [kind for kind in range(len(WORDS)) if SORT[kind] == ITEM])
def test_items(kind):
    cost = TABLE[kind][4]
    pieces = MICE if "m" in cost else ALL_ROUND
    state = crafting([WORDS[kind], "foxambush"], **pieces)
    assert offered(state) == {NAMES[kind]}
    made = played(state, f"craft {NAMES[kind]}")
    assert scores(made) == (POINTS_OF[kind], 0) and WORDS[kind] in words_of(made.fields.discard)
    assert made.fields.items[TABLE[kind][6]] == (0 if TABLE[kind][6] in (2, 4) else 1)
    assert sum(made.fields.used) == len(cost)
    gone = crafting([WORDS[kind], "foxambush"], items=[0] * 7, **pieces)
    assert offered(gone) == set()


@pytest.mark.parametrize("leader, points", [("Despot", 1), ("Builder", 3)])
def test_disdain_for_trade(leader, points):
    state = crafting("sale", EYRIE, roosts=[3, 4], theirs=[3], leader=leader)
    assert scores(played(state, "craft Bake Sale (rabbit)")) == (0, points)


def test_pieces_are_activated_once_a_turn():
    state = crafting("sale racket visit", workshops=[5, 5, 10], hers=[12])
    state = played(state, "craft Bake Sale (rabbit)")
    assert offered(state) == {"A Visit to Friends (rabbit)"}
    assert played(state, "craft A Visit to Friends (rabbit)").fields.used[1] == 3


def test_pieces_need_no_rule():
    assert offered(crafting("visit", workshops=[5], theirs={5: 4}, hers=[12])) == {"A Visit to Friends (rabbit)"}


def test_an_ambush_cannot_be_crafted():
    state = crafting("birdambush foxambush anvil", **ALL_ROUND)
    assert offered(state) == {"Anvil (fox)"}


def test_second_armorers_after_the_first():
    state = crafting("armorers anvil", crafted=("armorers", ""), **ALL_ROUND)
    assert NAME["armorers"] not in offered(state)
    assert NAME["armorers"] in offered(crafting("armorers anvil", discard="armorers", **ALL_ROUND))


def test_who_may_craft_is_asked_whatever_is_held():
    # A workshop and a card are there: she is asked, though she can craft nothing. With her card known for all, she is not.
    state = position("WARRENS", MARQUISE, hands=("birdambush", ""), workshops=[6], hers=[6], theirs=[6], crafted=("warren", ""))
    assert names(played(state, "no battle")) == ["craft no more"]
    known = position(
        "WARRENS",
        MARQUISE,
        hands=("birdambush", ""),
        known=("birdambush", ""),
        workshops=[6],
        hers=[6],
        theirs=[6],
        crafted=("warren", ""),
    )
    assert is_at(played(known, "no battle"), "ACT")


def test_royal_claim_costs_any_four():
    state = crafting("claim", workshops=[1, 5, 5, 9, 9], hers=[12])
    state = played(state, "craft Royal Claim (bird)")
    assert words_of(state.fields.crafted[0]) == ["claim"] and names(state) == ["activate fox", "activate rabbit"]
    state = played(state, "activate fox", "activate rabbit")
    assert names(state) == ["activate rabbit", "activate mouse"]
    done = played(state, "activate rabbit")
    assert list(done.fields.used) == [1, 2, 1]
    exact = played(crafting("claim", workshops=[1, 5, 5, 9], hers=[12]), "craft Royal Claim (bird)")
    assert list(exact.fields.used) == [1, 2, 1] and not is_at(exact, "CLAIMING")
    assert NAME["claim"] not in offered(crafting("claim anvil", workshops=[1, 5, 5], hers=[12]))


def test_favor_takes_keep_and_no_hospitals():
    # By the Eyrie, keep in 1 with 3 warriors, a sawmill and 2 wood there, nothing of hers in 6, 8 and 12: 4 points, no hospitals.
    state = position(
        "CRAFTING",
        EYRIE,
        roosts=[6, 8, 12],
        theirs=[3],
        keep=1,
        hers={1: 3},
        sawmills=[1],
        wood={1: 2},
        hands=("tax", "foxes bank"),
    )
    done = played(state, "craft Favor of the Foxes (fox)")
    assert scores(done) == (0, 4) and done.fields.keep == -1 and warriors(done, 1) == (0, 0)
    assert done.mover == EYRIE and hand(done, MARQUISE) == ["tax"]


def test_favor_and_one_hospital_a_clearing():
    state = position(
        "CRAFTING", EYRIE, roosts=[6, 8, 12], theirs=[3], keep=2, hers={1: 3, 6: 1, 8: 2}, hands=("tax anvil bank", "foxes")
    )
    state = played(state, "craft Favor of the Foxes (fox)")
    assert state.mover == MARQUISE and names(state) == [
        "no hospital",
        "Anvil (fox) for the hospital",
        "Tax Collector (fox) for the hospital",
    ]
    state = played(state, "Anvil (fox) for the hospital", "no hospital", "Tax Collector (fox) for the hospital")
    assert warriors(state, 2) == (5, 0) and state.fields.supply[0] == 20
    assert scores(state) == (0, 0)


@pytest.mark.parametrize("word, clearings", [("foxes", (1, 6, 8, 12)), ("rabbits", (3, 4, 5, 10)), ("mice", (2, 7, 9, 11))])
def test_each_favor_clears_its_suit(word, clearings):
    everywhere = dict.fromkeys(range(1, 13), 1)
    state = position("CRAFTING", MARQUISE, workshops=list(clearings[:3]), hers=[12], theirs=everywhere, hands=(word, ""))
    done = played(state, f"craft {NAME[word]}")
    assert {clearing for clearing in range(1, 13) if warriors(done, clearing)[1] == 0} == set(clearings)
    assert scores(done) == (0, 0) and word in words_of(done.fields.discard)


def test_her_favor_takes_roosts():
    state = position(
        "CRAFTING", MARQUISE, workshops=[2, 7, 7], hers=[12], theirs={9: 2, 11: 1, 3: 4}, roosts=[9, 11, 3], hands=("mice", "")
    )
    done = played(state, "craft Favor of the Mice (mouse)")
    assert scores(done) == (2, 0) and done.fields.built[3] == 1 and done.fields.supply[1] == 16


def test_hospitals_after_ambush_and_after_hits():
    state = position(hers={6: 3}, theirs={6: 3}, keep=2, hands=("anvil tax birdambush", "foxambush birdambush"))
    state = played(state, "battle in 6", "Ambush! (fox)", "no ambush")
    assert state.mover == MARQUISE and "Anvil (fox) for the hospital" in names(state)
    state = played(state, "Anvil (fox) for the hospital", draws=(1, 1))
    assert warriors(state, 2) == (2, 0) and "Tax Collector (fox) for the hospital" in names(state)
    state = played(state, "Tax Collector (fox) for the hospital")
    assert warriors(state, 2) == (3, 0) and warriors(state, 6) == (0, 2) and state.fields.supply[0] == 22


def test_ambush_at_the_keep_goes_on():
    # One warrior at the keep: the second hit takes the wood, if she likes. With nothing else there it takes the keep.
    state = position(hers={1: 1}, theirs={1: 2}, keep=1, wood=[1], hands=("anvil", "foxambush"), known=("anvil", ""))
    state = played(state, "battle in 1", "Ambush! (fox)")
    assert names(state) == ["lose wood", "lose keep"] and is_at(played(state, "lose keep"), "ACT")
    state = played(state, "lose wood")
    assert names(state) == ["no hospital", "Anvil (fox) for the hospital"]
    back = played(state, "Anvil (fox) for the hospital", draws=(1, 0))
    assert warriors(back, 1) == (1, 1)
    over = played(state, "no hospital")
    assert warriors(over, 1) == (0, 2) and is_at(over, "ACT")


def test_no_hospital_without_a_keep():
    state = position(hers={6: 3}, theirs={6: 3}, hands=("anvil", ""))
    state = played(state, "battle in 6", draws=(2, 2))
    assert is_at(state, "ACT") and state.fields.supply[0] == 24


def test_hospitals_take_the_suit_or_a_bird():
    state = position(hers={6: 3}, theirs={6: 3}, keep=2, hands=("bank armorers", ""))
    state = played(state, "battle in 6", draws=(2, 2))
    assert names(state) == ["no hospital", "Armorers (bird) for the hospital"]
