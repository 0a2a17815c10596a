"""The Marquise: wood, and the actions of her Daylight."""

import pytest

from playout.games.root.marquise import BUILDING_POINTS, WOOD_COST
from tests.games.root.boards import EYRIE, MARQUISE, hand, is_at, names, played, position, scores, warriors


def test_wood_comes_to_every_sawmill():
    state = position("DISCARDING", EYRIE, hands=("", "anvil bank tax tax mice foxes"), left=1, sawmills=[2, 2, 7], hers=[1])
    state = played(state, "discard Anvil (fox)")
    assert list(state.fields.wood)[1] == 2 and list(state.fields.wood)[6] == 1 and state.fields.lumber == 5


def test_short_wood_is_her_choice_from_the_lowest_clearing_up():
    state = position(
        "DISCARDING", EYRIE, hands=("", "anvil bank tax tax mice foxes"), left=1, sawmills=[2, 2, 7, 9], wood={1: 6}, hers=[1]
    )
    state = played(state, "discard Anvil (fox)")
    assert state.mover == MARQUISE and names(state) == ["wood to 2", "wood to 7"]
    assert names(played(state, "wood to 2")) == ["wood to 2", "wood to 7", "wood to 9"]
    done = played(state, "wood to 7", "wood to 9")
    assert [int(done.fields.wood[n]) for n in (1, 6, 8)] == [0, 1, 1] and done.fields.lumber == 0


def test_three_actions_and_birds_for_more():
    state = position(hers={1: 3}, hands=("armorers anvil", ""), sawmills=[1], actions=1)
    assert "spend Armorers (bird) for an action" in names(state) and "spend Anvil (fox) for an action" not in names(state)
    after = played(state, "march 1 > 5", "1 warrior", "no second move")
    # No action is left, and she is still asked, since nobody else can know whether she holds a bird.
    assert after.mover == MARQUISE and names(after) == ["end Daylight", "spend Armorers (bird) for an action"]
    more = played(after, "spend Armorers (bird) for an action")
    assert more.fields.actions == 1 and "march 5 > 1" in names(more)


def test_march_is_up_to_two_moves():
    state = position(hers={1: 2, 9: 1}, actions=1, hands=("anvil", ""), known=("anvil", ""))
    state = played(state, "march 1 > 5", "1 warrior")
    assert is_at(state, "MARCH") and "no second move" in names(state) and "march 5 > 2" in names(state)
    state = played(state, "march 5 > 1")
    assert warriors(state, 1) == (2, 0) and state.fields.turn == EYRIE


def test_a_move_needs_rule_at_one_end():
    state = position(hers={10: 1, 1: 1}, theirs={10: 2, 1: 1, 2: 1, 12: 1})
    # Nothing is hers but 9: rule of 10, 1, 2 and 12 is theirs, so she is stuck in 10 and may leave 1 for nowhere ruled.
    assert not [name for name in names(state) if name.startswith("march")]
    freed = position(hers={10: 1, 1: 2}, theirs={10: 2, 1: 1, 2: 1, 12: 1})
    assert {"march 10 > 1", "march 1 > 10", "march 1 > 5"} <= set(names(freed))
    assert "march 10 > 2" not in names(freed)


def test_recruit_once_a_turn_and_short():
    state = position(hers={1: 1}, recruiters=[5, 5, 9], supply=[24, 20])
    done = played(state, "recruit")
    assert warriors(done, 5) == (2, 0) and warriors(done, 9) == (1, 0) and "recruit" not in names(done)
    short = position(hers={12: 23}, recruiters=[5, 5, 9])
    asked = played(short, "recruit")
    assert names(asked) == ["recruit in 5"]
    assert warriors(played(asked, "recruit in 5", "recruit in 9"), 9) == (1, 0)
    assert "recruit" not in names(position(hers={12: 25}, recruiters=[5]))
    assert "recruit" not in names(position(hers={12: 3}))


def test_building_costs_and_points():
    assert WOOD_COST == (0, 1, 2, 3, 3, 4) and sum(WOOD_COST) == 13
    assert [sum(points) for points in BUILDING_POINTS] == [15, 16, 13]
    state = position(hers={1: 1, 5: 1}, wood={5: 2}, sawmills=[5, 7])
    built = played(state, "build sawmill in 1")
    assert scores(built) == (2, 0) and built.fields.built[0] == 3 and built.fields.wood[4] == 0
    free = played(position(hers={1: 1}), "build workshop in 1")
    assert scores(free) == (0, 0) and free.fields.actions == 2


def test_wood_needs_a_ruled_chain():
    # Wood in 1 and 9, and she rules just 1, 4 and 9: a building in 4 may use both. If the Eyrie rule 9, neither.
    state = position(hers={1: 1, 4: 2, 9: 1}, wood={1: 1, 9: 1}, sawmills=[8, 8], theirs={8: 2})
    assert "build sawmill in 4" in names(state)
    cut = position(hers={1: 1, 4: 2, 9: 1}, wood={1: 1, 9: 1}, sawmills=[8, 8], theirs={8: 2, 9: 1})
    assert "build sawmill in 4" not in names(cut) and "build workshop in 4" in names(cut)


def test_which_wood_pays_is_her_choice_in_ascending_order():
    state = position(hers={1: 1, 5: 1, 9: 1}, wood={1: 1, 5: 2, 9: 1}, sawmills=[9, 9])
    state = played(state, "build sawmill in 5")
    assert names(state) == ["wood from 1", "wood from 5"]
    assert names(played(state, "wood from 5")) == ["wood from 5", "wood from 9"]
    paid = played(state, "wood from 5", "wood from 9")
    assert [int(n) for n in paid.fields.wood[:9]] == [1, 0, 0, 0, 1, 0, 0, 0, 0] and scores(paid) == (2, 0)


def test_overwork():
    state = position(hands=("mice armorers bank", ""), sawmills=[2, 8], hers=[1])
    offered = [name for name in names(state) if name.startswith("overwork")]
    assert offered == ["overwork with Favor of the Mice (mouse)", "overwork with Armorers (bird)"]
    by_suit = played(state, "overwork with Favor of the Mice (mouse)")
    assert by_suit.fields.wood[1] == 1 and by_suit.fields.actions == 2 and hand(by_suit, MARQUISE) == ["armorers", "bank"]
    by_bird = played(state, "overwork with Armorers (bird)")
    assert names(by_bird) == ["wood to 2", "wood to 8"] and played(by_bird, "wood to 8").fields.wood[7] == 1
    dry = position(hands=("mice", ""), sawmills=[2], hers=[1], wood={12: 8})
    assert not [name for name in names(dry) if name.startswith("overwork")]


def test_keep_stops_placing_not_moving():
    state = position("TARGET", EYRIE, keep=2, theirs={5: 3, 6: 3}, hers={2: 1}, roosts=[5], column=1, suit=3)
    moved = played(state, "move 5 > 2", "3 warriors")
    assert warriors(moved, 2) == (1, 3)
    building = position("TARGET", EYRIE, keep=2, theirs={5: 1, 2: 3, 6: 1}, roosts=[5], column=3, suit=3)
    assert names(building) == ["roost in 6"]


@pytest.mark.parametrize("recruiters, drawn", [(0, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_evening_draw(recruiters, drawn):
    places = [5, 5, 7, 7, 8, 8][:recruiters]
    state = position(hers=[1], recruiters=places, hands=("", "anvil"), actions=1)
    after = played(state, "end Daylight")
    assert after.fields.sizes[MARQUISE] == drawn


def test_hand_limit_and_ascending_discards():
    state = position(hers=[1], hands=("anvil tax bank mice armorers sappers", ""), actions=1)
    state = played(state, "end Daylight", draws=[0])  # the lowest card of the deck: a fox ambush
    assert hand(state, MARQUISE) == ["anvil", "armorers", "bank", "foxambush", "mice", "sappers", "tax"]
    assert len(names(state)) == 6 and "discard Sappers (bird)" not in names(state)
    state = played(state, "discard Better Burrow Bank (rabbit)")
    assert names(state) == [f"discard {word}" for word in ("Favor of the Mice (mouse)", "Armorers (bird)", "Sappers (bird)")]
    assert played(state, "discard Sappers (bird)").fields.sizes[MARQUISE] == 5
