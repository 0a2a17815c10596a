"""The Eyrie: Birdsong, the Decree column by column, turmoil and the four leaders."""

import pytest

from tests.games.root.boards import (
    EYRIE,
    MARQUISE,
    decree_day,
    game,
    hand,
    is_at,
    names,
    played,
    position,
    scores,
    warriors,
    words_of,
)


def birdsong(**fields):
    """The Marquise discards one card, and the Eyrie's turn begins."""
    hands = fields.pop("hands", "")
    return position("DISCARDING", MARQUISE, hands=("anvil sword tax tax mice foxes", hands), left=1, **fields)


def begin(**fields):
    return played(birdsong(**fields), "discard Anvil (fox)")


def test_emergency_orders():
    state = begin(theirs=[3], roosts=[3])
    assert state.fields.sizes[EYRIE] == 1 and state.mover == EYRIE and is_at(state, "ADD")
    assert begin(hands="bank", theirs=[3], roosts=[3]).fields.sizes[EYRIE] == 1


def test_one_or_two_cards_of_which_one_bird():
    state = begin(hands="armorers sappers bank", theirs=[3], roosts=[3])
    assert len(names(state)) == 12 and "no more Decree cards" not in names(state)
    after = played(state, "Armorers (bird) to MOVE")
    columns = ("RECRUIT", "MOVE", "BATTLE", "BUILD")
    assert set(names(after)) == {"no more Decree cards", *(f"Better Burrow Bank (rabbit) to {column}" for column in columns)}
    done = played(after, "Better Burrow Bank (rabbit) to BUILD")
    assert words_of(done.fields.decree[1]) == ["armorers"] and words_of(done.fields.decree[3]) == ["bank"]
    assert hand(done, EYRIE) == ["sappers"]


def test_nothing_to_add():
    # Both piles are empty but for the card that she discards, which is the new deck at once: the Eyrie draw it and must add it.
    spec = "root:deck=anvil-sword-tax-tax-mice-foxes"
    state = begin(spec=spec, theirs=[3], roosts=[3], deck="", known=("anvil sword tax tax mice foxes", ""))
    assert hand(state, EYRIE) == ["anvil"] and state.fields.deck == 0 and len(names(state)) == 4
    # With no card at all nothing is added, and the Decree begins.
    state = played(state, "Anvil (fox) to BUILD")
    assert state.fields.added == 1 and not is_at(state, "ADD")


def test_new_roost():
    # No roost on the map; 5 and 8 are empty of warriors, all others hold at least one.
    hers = dict.fromkeys((1, 2, 3, 4, 6, 7, 9, 10, 11, 12), 1)
    state = played(begin(hands="bank tax", hers=hers), "Tax Collector (fox) to MOVE", "no more Decree cards")
    assert names(state) == ["roost in 5", "roost in 8"]
    placed = played(state, "roost in 8")
    assert warriors(placed, 8) == (0, 3) and placed.fields.built[3] == 1
    # With no free slot in either: the next fewest.
    full = played(
        begin(hands="bank tax", hers={**hers, 1: 3, 2: 2}, sawmills=[5, 5, 8, 8]),
        "Tax Collector (fox) to MOVE",
        "no more Decree cards",
    )
    assert names(full) == [f"roost in {n}" for n in (3, 4, 6, 7, 9, 10, 11, 12)]
    keep = played(begin(hands="bank tax", hers=hers, keep=5), "Tax Collector (fox) to MOVE", "no more Decree cards")
    assert keep.fields.buildings[3, 7] == 1


def test_new_roost_after_the_decree():
    state = begin(hands="bank tax", hers={clearing: 1 for clearing in range(1, 13) if clearing not in (5, 8)})
    assert is_at(state, "ADD")
    state = played(state, "Tax Collector (fox) to MOVE", "no more Decree cards")
    assert is_at(state, "NEW_ROOST")


@pytest.mark.parametrize("spec, placed", [("root", 2), ("root:short_roost=false", 0)])
def test_a_new_roost_with_few_warriors(spec, placed):
    hers = {clearing: 1 for clearing in range(1, 13) if clearing != 5}
    state = begin(spec=spec, hands="bank tax", hers=hers, theirs={1: 6, 2: 6, 3: 6})
    state = played(state, "Tax Collector (fox) to MOVE", "no more Decree cards")
    assert warriors(state, 5) == (0, placed) and state.fields.built[3] == (1 if placed else 0)


def test_decree_in_order_of_columns():
    state = decree_day(
        "RECRUIT", leader="Charismatic", theirs={3: 6}, roosts=[3], decree=("", "bank", "", ""), hers={6: 1}, hands=("", "")
    )
    state = played(state, "RECRUIT by bird") if "RECRUIT by bird" in names(state) else state
    assert "recruit in 3" in names(state)
    state = played(state, "recruit in 3")
    assert warriors(state, 3) == (0, 8) and "move 3 > 6" in names(state)
    state = played(state, "move 3 > 6", "2 warriors")
    assert names(state) == ["battle in 6"]


def test_recruit_needs_a_roost_of_the_suit():
    state = decree_day("RECRUIT", theirs={3: 6, 2: 1}, roosts=[3, 2], decree=("tax bank", "", "", ""))
    assert set(names(state)) == {"RECRUIT by fox", "RECRUIT by rabbit", "RECRUIT by bird"}
    assert names(played(state, "RECRUIT by rabbit")) == ["recruit in 3"]
    assert names(played(state, "RECRUIT by bird")) == ["recruit in 2", "recruit in 3"]
    assert is_at(played(state, "RECRUIT by fox"), "TURMOIL")


def test_impossible_card_first_is_turmoil():
    # Fox and bird in Recruit and no fox roost: bird first recruits, then turmoil; fox first is turmoil at once. Both are legal.
    state = decree_day("RECRUIT", leader="Despot", theirs={3: 6}, roosts=[3], decree=("tax armorers", "", "", ""), scores=(0, 9))
    at_once = played(state, "RECRUIT by fox")
    assert is_at(at_once, "TURMOIL") and warriors(at_once, 3) == (0, 6) and scores(at_once) == (0, 6)
    later = played(state, "RECRUIT by bird", "recruit in 3")
    assert is_at(later, "TURMOIL") and warriors(later, 3) == (0, 7)


def test_forced_order():
    state = decree_day(
        "RECRUIT", spec="root:decree=forced", leader="Despot", theirs={3: 6}, roosts=[3], decree=("tax armorers", "", "", "")
    )
    assert names(state) == ["RECRUIT by bird"]
    assert is_at(played(state, "RECRUIT by bird", "recruit in 3"), "TURMOIL")


def test_move_out_of_the_suit():
    state = decree_day("MOVE", leader="Charismatic", theirs={3: 2, 6: 1}, roosts=[3], decree=("", "tax bank", "", ""))
    state = played(state, "MOVE by rabbit")
    assert set(names(state)) == {"move 3 > 6", "move 3 > 7", "move 3 > 11"}


@pytest.mark.parametrize(
    "column, fields",
    [
        ("RECRUIT", {"theirs": {3: 6, 12: 14}}),  # nobody left to recruit
        ("RECRUIT", {"theirs": {3: 6}}),  # no fox roost
        ("MOVE", {"theirs": {3: 6}}),  # nobody in a fox clearing
        ("MOVE", {"theirs": {6: 1}, "hers": {6: 3, 2: 1, 11: 1, 3: 5}}),  # nothing ruled at either end
        ("BATTLE", {"theirs": {3: 6, 6: 2}}),  # nobody to fight there
        ("BUILD", {"theirs": {3: 6, 6: 1}, "hers": {6: 2}}),  # not ruled
        ("BUILD", {"theirs": {3: 6, 6: 2}, "sawmills": [6]}),  # no slot
        ("BUILD", {"theirs": {3: 6, 12: 2}, "roosts": [2, 3, 4, 5, 7, 8, 9]}),  # all seven are built
    ],
)
def test_turmoil_in_each_column(column, fields):
    number = ("RECRUIT", "MOVE", "BATTLE", "BUILD").index(column)
    decree = ["", "", "", ""]
    decree[number] = "tax bank"
    state = decree_day(
        column, leader="Despot" if number in (0, 2) else "Charismatic", **{"roosts": [3], **fields}, decree=decree, scores=(0, 5)
    )
    fallen = played(state, f"{column} by fox")
    assert is_at(fallen, "TURMOIL") and scores(fallen) == (0, 3)
    assert list(fallen.fields.decree) == [0] * 4 and {"tax", "bank"} <= set(words_of(fallen.fields.discard))


def test_turmoil_costs_the_birds_and_never_below_zero():
    low = decree_day("RECRUIT", leader="Builder", theirs={3: 6}, roosts=[2], decree=("tax", "", "", ""), scores=(0, 1))
    assert scores(played(low, "RECRUIT by fox")) == (0, 0)
    rich = decree_day("RECRUIT", leader="Builder", theirs={3: 6}, decree=("tax armorers", "sappers", "", ""), scores=(0, 9))
    assert scores(played(rich, "RECRUIT by fox")) == (0, 5)


def test_turmoil_ends_daylight_and_evening_follows():
    state = decree_day(
        "RECRUIT", leader="Builder", theirs={3: 6}, roosts=[3, 2], decree=("tax", "", "", ""), scores=(0, 9), hands=("bank", "")
    )
    state = played(state, "RECRUIT by fox", "leader Commander")
    # Two points for the viziers, one for two roosts in the Evening, one card, and it is her turn.
    assert scores(state) == (0, 8) and state.fields.sizes[EYRIE] == 1 and state.fields.turn == MARQUISE
    assert state.fields.leader == 2


def test_new_clutch():
    def fall(state):
        return played(state, "RECRUIT by fox")

    offered, leader, leaders = [], "Builder", 15
    for _ in range(4):
        state = fall(decree_day("RECRUIT", leader=leader, leaders=leaders, theirs={3: 6}, decree=("tax bank", "", "", "")))
        offered.append(len(names(state)))
        leader = names(state)[-1].split()[1]
        leaders = int(state.fields.leaders)
    # The first turmoil leaves a choice of three, then two, then one; at the fourth all four are turned up, the one just deposed too.
    assert offered == [3, 2, 1, 4]


def test_charismatic_with_one_warrior():
    state = decree_day("RECRUIT", leader="Charismatic", theirs={3: 19}, roosts=[3], decree=("tax", "", "", ""))
    state = played(state, "RECRUIT by bird", "recruit in 3")
    assert warriors(state, 3) == (0, 20) and is_at(state, "TURMOIL")
    two = decree_day("RECRUIT", leader="Charismatic", theirs={3: 18}, roosts=[3], decree=("tax", "", "", ""))
    assert warriors(played(two, "RECRUIT by bird", "recruit in 3"), 3) == (0, 20)


def test_viziers_follow_the_leader():
    for leader, columns in (("Builder", (0, 1)), ("Charismatic", (0, 2)), ("Commander", (1, 2)), ("Despot", (1, 3))):
        for number, column in enumerate(("RECRUIT", "MOVE", "BATTLE", "BUILD")):
            assert decree_day(column, leader=leader).fields.todo[3] == (number in columns)


def test_roosts_score_and_draw():
    for count, points, drawn in ((0, 0, 1), (1, 0, 1), (2, 1, 1), (3, 2, 2), (4, 3, 2), (5, 4, 2), (6, 4, 3), (7, 5, 3)):
        state = position(
            "COBBLING", EYRIE, roosts=[2, 5, 7, 8, 9, 11, 12][:count], theirs=[1], crafted=("", "cobbler"), hands=("bank", "")
        )
        state = played(state, "no Cobbler")
        assert scores(state) == (0, points) and state.fields.sizes[EYRIE] == drawn


def test_one_leader_is_chosen_at_the_start():
    state = game().start(seed=2)
    state = played(state, "keep in 2", "build sawmill in 2", "build workshop in 2", "build recruiter in 5", "leader Despot")
    assert state.fields.leader == 3 and warriors(state, 4) == (0, 6)
