"""Battles: dice, ambushes, effects, losses, points."""

from collections import Counter
from itertools import product

import pytest

from tests.games.root.boards import EYRIE, MARQUISE, decree_day, hand, is_at, names, played, position, scores, warriors, words_of


def attack(hers=None, theirs=None, **fields):
    """Her action, with hands that hold no ambush for all to know unless said otherwise."""
    hands = fields.pop("hands", ("", ""))
    return position(hers=hers or {}, theirs=theirs or {}, hands=hands, **fields)


def raid(theirs, hers, clearing=6, leader="Commander", **fields):
    """The Eyrie fight in a clearing by a card of the Decree."""
    return position("TARGET", EYRIE, leader=leader, theirs=theirs, hers=hers, column=2, suit=3, **fields)


def test_dice():
    high = Counter(max(dice) for dice in product(range(4), repeat=2))
    low = Counter(min(dice) for dice in product(range(4), repeat=2))
    assert [high[n] for n in (3, 2, 1, 0)] == [7, 5, 3, 1] == [low[n] for n in (0, 1, 2, 3)]
    # The attacker has the higher number, whichever die shows it.
    for draws in ((3, 1), (1, 3)):
        state = played(attack({6: 4}, {6: 4}), "battle in 6", draws=draws)
        assert warriors(state, 6) == (3, 1)


def test_rolled_hits_are_capped_by_warriors():
    state = played(attack({6: 1}, {6: 4}), "battle in 6", draws=(3, 3))
    assert warriors(state, 6) == (0, 3)


def test_defenseless():
    # One attacker against an undefended roost and, the other way round, wood: 1 by the dice, 1 because nobody defends.
    state = played(attack({6: 1}, {}, roosts=[6]), "battle in 6", draws=(3, 0))
    assert scores(state) == (1, 0) and state.fields.built[3] == 0
    state = played(raid({6: 1}, {}, leader="Builder", wood={6: 3}), "battle in 6", draws=(3, 0))
    assert state.fields.wood[5] == 1 and scores(state) == (0, 2)


def test_three_against_two_and_a_roost():
    state = played(attack({6: 3}, {6: 2}, roosts=[6]), "battle in 6", draws=(3, 2))
    assert warriors(state, 6) == (1, 0) and state.fields.built[3] == 0 and scores(state) == (1, 0)


def test_ambush_takes_warrior_and_building():
    # An attacker with one warrior and one building, ambushed: both go, a point to the defender, the battle is over.
    state = attack({6: 1}, {6: 2}, sawmills=[6], hands=("", "foxambush"))
    state = played(state, "battle in 6")
    assert state.mover == EYRIE and names(state) == ["no ambush", "Ambush! (fox)"]
    done = played(state, "Ambush! (fox)")
    assert warriors(done, 6) == (0, 2) and done.fields.built[0] == 0 and scores(done) == (0, 1)
    assert is_at(done, "ACT") and words_of(done.fields.discard) == ["foxambush"] and done.fields.actions == 2


def test_ambush_then_roll():
    # An ambush takes 2 of 3 attackers; roll 3-3 against one defender: the attacker deals 1 (one warrior left), the defender 1.
    state = played(attack({6: 3}, {6: 1}, hands=("", "birdambush")), "battle in 6", "Ambush! (bird)", draws=(3, 3))
    assert warriors(state, 6) == (0, 0)


def test_only_a_fitting_ambush():
    state = played(attack({6: 3}, {6: 1}, hands=("", "mouseambush anvil")), "battle in 6")
    assert state.mover == EYRIE and names(state) == ["no ambush"]


@pytest.mark.parametrize("clearing, suit", [(6, "fox"), (5, "rabbit"), (7, "mouse")])
def test_each_ambush_in_its_suit(clearing, suit):
    state = attack({clearing: 3}, {clearing: 1}, hands=("", "foxambush rabbitambush mouseambush birdambush"))
    state = played(state, f"battle in {clearing}")
    assert names(state) == ["no ambush", f"Ambush! ({suit})", "Ambush! (bird)"]


def test_a_counter_ambush_cancels():
    state = attack({6: 3}, {6: 3}, hands=("birdambush anvil", "foxambush"))
    state = played(state, "battle in 6", "Ambush! (fox)")
    assert state.mover == MARQUISE and names(state) == ["no ambush", "Ambush! (bird)"]
    done = played(state, "Ambush! (bird)", draws=(0, 0))
    assert warriors(done, 6) == (3, 3) and hand(done, MARQUISE) == ["anvil"]
    assert words_of(done.fields.discard) == ["birdambush", "foxambush"]


def test_nobody_is_asked_for_an_ambush_that_lies_open():
    asked = played(attack({6: 3}, {6: 3}, hands=("", "anvil")), "battle in 6", draws=())
    assert asked.mover == EYRIE
    open_cards = played(
        attack({6: 3}, {6: 3}, hands=("", "anvil"), discard="foxambush birdambush", decree=("birdambush", "", "", "")),
        "battle in 6",
        draws=(0, 0),
    )
    assert is_at(open_cards, "ACT") and open_cards.mover == MARQUISE
    known = played(attack({6: 3}, {6: 3}, hands=("", "anvil"), known=("", "anvil")), "battle in 6", draws=(0, 0))
    assert is_at(known, "ACT")


def test_scouting_party_is_not_ambushed():
    state = played(attack({6: 3}, {6: 3}, hands=("", "foxambush"), crafted=("scouting", "")), "battle in 6", draws=(0, 0))
    assert is_at(state, "ACT") and hand(state, EYRIE) == ["foxambush"]


def test_commander_hits_once_more():
    state = played(raid({6: 2}, {6: 4}), "battle in 6", draws=(1, 0))
    assert warriors(state, 6) == (2, 2)
    plain = played(raid({6: 2}, {6: 4}, leader="Builder"), "battle in 6", draws=(1, 0))
    assert warriors(plain, 6) == (3, 2)
    defending = played(attack({6: 2}, {6: 2}, leader="Commander"), "battle in 6", draws=(0, 0))
    assert warriors(defending, 6) == (2, 2)


def test_despot_once_a_battle():
    fields = {"leader": "Despot", "sawmills": [11, 11], "wood": {11: 1}}
    state = played(raid({11: 3}, {}, **fields), "battle in 11", draws=(3, 0))
    # Three hits and one for the defenseless remove all three pieces: 3 points and 1 for the Despot.
    assert scores(state) == (0, 4)
    defending = played(attack({11: 1}, {11: 3}, sawmills=[11], leader="Despot"), "battle in 11", draws=(3, 3))
    # Her warrior and her sawmill fall: a point, and one for the Despot, who defends.
    assert scores(defending) == (0, 2) and warriors(defending, 11) == (0, 2)


@pytest.mark.parametrize("spec, points", [("root", 4), ("root:despot=removal", 5)])
def test_despot_at_ambush_and_at_hits(spec, points):
    fields = {"leader": "Despot", "sawmills": [11], "wood": {11: 1}, "keep": 11, "hands": ("mice mouseambush", "birdambush")}
    state = played(attack({11: 1}, {11: 3}, spec=spec, **fields), "battle in 11", "Ambush! (bird)", "no ambush")
    # Her warrior falls, and she chooses a piece.
    state = played(state, "lose wood")
    assert names(state)[0] == "no hospital" and scores(state) == (0, 2)
    # Back at the keep she fights on, one against three, and the defender's hits reach the sawmill and the keep.
    state = played(state, "Favor of the Mice (mouse) for the hospital", draws=(3, 3))
    assert state.fields.keep == -1 and scores(state) == (0, points)


def test_brutal_tactics():
    state = played(attack({6: 2}, {6: 3}, crafted=("brutal", "")), "battle in 6", draws=(1, 0))
    assert names(state) == ["no more effects", "Brutal Tactics"]
    used = played(state, "Brutal Tactics")
    assert warriors(used, 6) == (2, 1) and scores(used) == (0, 1) and words_of(used.fields.crafted[0]) == ["brutal"]
    assert warriors(played(state, "no more effects"), 6) == (2, 2)


def test_brutal_tactics_can_lose_the_game():
    state = position("TARGET", EYRIE, theirs={6: 2}, hers={6: 3}, column=2, suit=3, crafted=("", "brutal"), scores=(29, 0))
    state = played(state, "battle in 6", "Brutal Tactics", draws=(3, 3))
    assert state.over and state.fields.winner == 1 + MARQUISE


def test_sappers_are_used_up():
    state = played(attack({6: 3}, {6: 2}, crafted=("", "sappers")), "battle in 6", draws=(1, 0))
    assert state.mover == EYRIE and names(state) == ["no more effects", "Sappers"]
    used = played(state, "Sappers")
    assert warriors(used, 6) == (2, 1) and used.fields.crafted[1] == 0 and words_of(used.fields.discard) == ["sappers"]


def test_armorers_ignore_rolled_hits_only():
    # The defender has nobody there, so of two hits one was rolled; and an ambush is no roll.
    state = played(attack({6: 2}, {}, roosts=[6], crafted=("", "armorers")), "battle in 6", draws=(1, 0))
    used = played(state, "Armorers")
    assert used.fields.built[3] == 0 and scores(used) == (1, 0)
    state = played(
        attack({6: 4}, {6: 4}, crafted=("armorers", ""), hands=("", "birdambush")), "battle in 6", "Ambush! (bird)", draws=(3, 3)
    )
    assert warriors(state, 6) == (2, 4) and names(state) == ["no more effects", "Armorers"]
    assert warriors(played(state, "Armorers"), 6) == (2, 2)


def test_armorers_without_a_rolled_hit_are_not_offered():
    state = played(attack({6: 2}, {6: 2}, crafted=("armorers", "armorers")), "battle in 6", draws=(0, 0))
    assert is_at(state, "ACT")


def test_the_attacker_says_who_decides_first():
    state = played(attack({6: 3}, {6: 3}, crafted=("brutal armorers", "sappers armorers")), "battle in 6", draws=(2, 1))
    assert state.mover == MARQUISE and names(state) == ["attacker decides first", "defender decides first"]
    other = played(state, "defender decides first")
    assert other.mover == EYRIE and set(names(other)) == {"no more effects", "Sappers", "Armorers"}
    own = played(other, "Armorers", "no more effects")
    assert own.mover == MARQUISE and set(names(own)) == {"no more effects", "Brutal Tactics", "Armorers"}
    # Armorers take away both rolled numbers, Brutal Tactics still deal one.
    done = played(own, "Brutal Tactics", "Armorers")
    assert warriors(done, 6) == (3, 2) and scores(done) == (0, 1)


def test_losses_are_the_owners_choice():
    fields = {"sawmills": [11], "workshops": [11], "wood": {11: 2}, "keep": 2, "crafted": ("", "tax")}
    state = played(raid({11: 2}, {11: 1}, **fields), "battle in 11", draws=(2, 0))
    # Two rolled and one of the Commander: her warrior falls first, then two of her choice, in ascending order.
    assert state.mover == MARQUISE and names(state) == ["lose sawmill", "lose workshop", "lose wood"]
    forced = played(state, "lose workshop")
    assert forced.fields.wood[10] == 1 and list(forced.fields.built[:2]) == [1, 0] and scores(forced) == (0, 2)
    assert names(played(state, "lose sawmill")) == ["lose workshop", "lose wood"]
    done = played(state, "lose wood")
    assert done.fields.wood[10] == 0 and list(done.fields.built[:2]) == [1, 1] and scores(done) == (0, 2)


def test_the_keep_can_be_lost():
    state = played(raid({2: 3}, {}, keep=2, wood={2: 1}, leader="Builder"), "battle in 2", draws=(0, 0))
    assert names(state) == ["lose wood", "lose keep"]
    gone = played(state, "lose keep")
    assert gone.fields.keep == -1 and scores(gone) == (0, 1)


def test_hits_beyond_the_pieces_are_lost():
    state = played(attack({6: 3}, {6: 1}), "battle in 6", draws=(3, 1))
    assert warriors(state, 6) == (2, 0) and scores(state) == (0, 0)


def test_both_reach_thirty():
    # A workshop and a roost fall at the same time, both at 29: whose turn it is wins.
    both = position(
        "TARGET", EYRIE, theirs={11: 1}, hers={11: 1}, column=2, suit=3, leader="Commander", workshops=[11], roosts=[11],
        crafted=("sappers", ""), scores=(29, 29),
    )  # fmt: skip
    both = played(both, "battle in 11", "Sappers", draws=(1, 1))
    assert scores(both) == (30, 30) and both.fields.winner == 1 + EYRIE and both.returns == (0, 0)
    hers = position(hers={11: 1}, theirs={11: 1}, workshops=[11], roosts=[11], crafted=("brutal", "sappers"), scores=(29, 28))
    hers = played(hers, "battle in 11", "attacker decides first", "Brutal Tactics", "Sappers", draws=(1, 1))
    assert scores(hers) == (30, 30) and hers.fields.winner == 1 + MARQUISE


def test_a_battle_of_the_decree_is_over_with_the_card():
    state = decree_day("BATTLE", leader="Commander", theirs={6: 3, 3: 1}, hers={6: 1, 3: 1}, decree=("", "", "bank", ""))
    state = played(state, "BATTLE by bird", "battle in 6", draws=(0, 0))
    assert names(state) == ["battle in 3"]
