"""The windows for lasting cards: Bank, Royal Claim, Stand and Deliver!, Warren, Tax Collector, Codebreakers, Cobbler."""

import pytest

from tests.games.root.boards import EYRIE, MARQUISE, decree_day, hand, is_at, names, played, position, scores, warriors, words_of


def before_her_turn(spec="root", hands=("", ""), **fields):
    """The Eyrie discard one card, and her turn begins."""
    return position(
        "DISCARDING", EYRIE, spec=spec, hands=(hands[0], f"{hands[1]} anvil sale racket sword mice foxes"), left=1, **fields
    )


def her_turn(**fields):
    return played(before_her_turn(**fields), "discard Anvil (fox)")


def test_bank():
    state = her_turn(crafted=("bank", ""), hers=[1])
    assert names(state) == ["no bank", "Better Burrow Bank: both draw"]
    used = played(state, "Better Burrow Bank: both draw", draws=[0, 0])
    assert hand(used, MARQUISE) == ["foxambush"] and "knapsack" in hand(used, EYRIE) and used.fields.sizes[EYRIE] == 6
    assert played(state, "no bank").fields.sizes[MARQUISE] == 0
    always = her_turn(spec="root:bank=always", crafted=("bank", ""), hers=[1])
    assert list(always.fields.sizes) == [1, 6]


def test_royal_claim_scores_what_is_ruled():
    state = her_turn(crafted=("claim", ""), hers={1: 1, 2: 2, 5: 1}, theirs={2: 1, 5: 1})
    assert names(state) == ["go on", "Royal Claim"]
    used = played(state, "Royal Claim")
    assert scores(used) == (2, 0) and used.fields.crafted[0] == 0 and "claim" in words_of(used.fields.discard)
    theirs = position(
        "THEIR_WINDOW", EYRIE, crafted=("", "claim stand"), hands=("bank", ""), hers={1: 1, 2: 2}, theirs={2: 2, 5: 1, 3: 1}
    )
    used = played(theirs, "Royal Claim")
    assert scores(used) == (0, 3) and names(used) == ["go on", "Stand and Deliver!"]


def test_stand_and_deliver():
    state = position("HER_WINDOW", MARQUISE, crafted=("stand", ""), hands=("bank", "anvil tax"), hers=[1])
    assert names(state) == ["go on", "Stand and Deliver!"]
    used = played(state, "Stand and Deliver!", draws=[0])
    assert hand(used, MARQUISE) == ["anvil", "bank"] and hand(used, EYRIE) == ["tax"] and scores(used) == (0, 1)
    assert not is_at(used, "HER_WINDOW") and words_of(used.fields.crafted[0]) == ["stand"]
    assert is_at(played(state, "go on"), "ACT")
    lost = position("HER_WINDOW", MARQUISE, crafted=("stand", ""), hands=("", "anvil"), hers=[1], scores=(5, 29))
    assert played(lost, "Stand and Deliver!").fields.winner == 1 + EYRIE


def test_nothing_to_take_is_not_offered():
    state = her_turn(crafted=("stand", ""), hers=[1])
    assert "Stand and Deliver!" in names(state)
    bare = position("BANKING", MARQUISE, crafted=("bank stand", ""), hers=[1], deck="anvil")
    assert "Stand and Deliver!" not in names(played(bare, "no bank"))


def test_windows_of_the_eyrie():
    # Before Emergency Orders with an empty hand, before each card, and after the new roost.
    empty = position(
        "DISCARDING",
        MARQUISE,
        hands=("anvil sale racket sword mice foxes", ""),
        left=1,
        crafted=("", "stand claim"),
        theirs=[3],
        roosts=[3],
    )
    state = played(empty, "discard Anvil (fox)")
    assert is_at(state, "ORDERS") and names(state) == ["go on", "Royal Claim", "Stand and Deliver!"]
    taken = played(state, "Stand and Deliver!", draws=[0])
    assert is_at(taken, "ADD") and taken.fields.sizes[EYRIE] == 1 and "Royal Claim" in names(taken)
    drawn = played(state, "go on", draws=[0])
    assert is_at(drawn, "ADD") and {"Royal Claim", "Stand and Deliver!"} <= set(names(drawn))
    last = played(drawn, next(name for name in names(drawn) if name.endswith("to MOVE")))
    last = played(last, "no more Decree cards") if is_at(last, "ADD") else last
    assert is_at(last, "THEIR_WINDOW") and names(last) == ["go on", "Royal Claim", "Stand and Deliver!"]
    assert names(played(last, "Royal Claim")) == ["go on", "Stand and Deliver!"]


def test_command_warren_before_crafting():
    state = her_turn(crafted=("warren", ""), hers={6: 3, 1: 1}, theirs={6: 1})
    assert names(state) == ["no battle", "battle in 6"]
    fought = played(state, "battle in 6")
    assert fought.mover == EYRIE and names(fought) == ["no ambush"]
    after = played(fought, "no ambush", draws=(1, 1))
    assert warriors(after, 6) == (2, 0) and is_at(after, "ACT") and after.fields.actions == 3
    crafting = position("CRAFTING", MARQUISE, hands=("warren", ""), workshops=[5, 5], hers={6: 3}, theirs={6: 1})
    assert is_at(played(crafting, "craft Command Warren (rabbit)"), "ACT")


def test_cobbler_in_the_evening():
    state = position(hers={1: 2}, crafted=("cobbler", ""), actions=1)
    state = played(state, "end Daylight")
    assert names(state) == ["no Cobbler", "move 1 > 5", "move 1 > 9", "move 1 > 10"]
    moved = played(state, "move 1 > 9", "2 warriors")
    assert warriors(moved, 9) == (2, 0) and moved.fields.turn == EYRIE
    crafted = position("CRAFTING", MARQUISE, hands=("cobbler", ""), workshops=[5, 5], hers={1: 2})
    assert is_at(played(crafted, "craft Cobbler (rabbit)", "end Daylight"), "COBBLING")


def test_tax_collector_works_at_once_and_once():
    state = position("CRAFTING", MARQUISE, hands=("tax", ""), workshops=[1, 5, 9], hers={1: 1, 4: 2})
    state = played(state, "craft Tax Collector (fox)")
    assert {"Tax Collector in 1", "Tax Collector in 4"} <= set(names(state))
    used = played(state, "Tax Collector in 4", draws=[0])
    assert warriors(used, 4) == (1, 0) and used.fields.sizes[MARQUISE] == 1
    assert not [name for name in names(used) if name.startswith("Tax")]


@pytest.mark.parametrize("spec, asked", [("root", True), ("root:tax_hospitals=false", False)])
def test_hospitals_after_her_own_tax(spec, asked):
    state = position(spec=spec, hers={1: 1, 4: 2}, keep=2, crafted=("tax", ""), hands=("bank", ""))
    state = played(state, "Tax Collector in 4")
    assert ("no hospital" in names(state)) == asked
    if asked:
        saved = played(state, "Better Burrow Bank (rabbit) for the hospital", draws=[0])
        assert warriors(saved, 2) == (1, 0) and hand(saved, MARQUISE) == ["foxambush"] and saved.fields.actions == 3


def test_tax_and_codebreakers_between_decree_cards():
    state = decree_day(
        "RECRUIT",
        leader="Charismatic",
        theirs={3: 6, 6: 2},
        hers={6: 1},
        roosts=[3],
        crafted=("", "tax codebreakers"),
        hands=("bank", ""),
    )
    assert {"RECRUIT by bird", "Tax Collector in 3", "Tax Collector in 6", "Codebreakers"} == set(names(state))
    looked = played(state, "Codebreakers")
    assert words_of(looked.fields.known[0]) == ["bank"] and "Codebreakers" not in names(looked)
    later = played(state, "RECRUIT by bird", "recruit in 3")
    assert {"BATTLE by bird", "Codebreakers"} <= set(names(later))
    last = played(later, "BATTLE by bird", "battle in 6")
    last = played(last, "no ambush", draws=(0, 0))
    assert is_at(last, "LAST_WINDOW") and names(last)[0] == "end Daylight"
    assert played(last, "end Daylight").fields.turn == MARQUISE


def test_tax_before_crafting_even_without_a_card():
    # The card that the Tax Collector brings may be crafted.
    state = position("WARRENS", MARQUISE, crafted=("tax warren", ""), workshops=[6], hers={6: 2}, theirs=[6])
    state = played(state, "no battle")
    assert is_at(state, "CRAFTING") and names(state) == ["craft no more", "Tax Collector in 6"]


def test_no_window_after_turmoil():
    state = decree_day(
        "RECRUIT",
        leader="Builder",
        theirs={3: 6},
        roosts=[2],
        decree=("tax", "", "", ""),
        crafted=("", "codebreakers"),
        hands=("bank", ""),
    )
    state = played(state, "RECRUIT by fox")
    assert is_at(state, "TURMOIL")
    assert played(state, "leader Despot").fields.turn == MARQUISE


def test_turns_end_the_game_where_they_are_limited():
    state = position(
        "DISCARDING",
        EYRIE,
        spec="root:turns=7",
        hands=("", "anvil sale racket sword mice foxes"),
        left=1,
        turns=7,
        scores=(3, 5),
        hers=[1],
    )
    over = played(state, "discard Anvil (fox)")
    assert over.over and over.fields.winner == 3 and over.returns == (-2, 2)
    assert not played(
        position(
            "DISCARDING", EYRIE, spec="root:turns=8", hands=("", "anvil sale racket sword mice foxes"), left=1, turns=7, hers=[1]
        ),
        "discard Anvil (fox)",
    ).over
