"""What sensible Eyrie do."""

from playout.games.root.policy import weight
from tests.games.root.boards import EYRIE, decree_day, names, played, position, view
from tests.games.root.test_policy import chosen, share


def weigh(state, name):
    return weight(view(state), state.find(name))


def test_keep_away_from_turmoil():
    state = decree_day("RECRUIT", leader="Despot", theirs={3: 6}, roosts=[3], decree=("tax armorers", "", "", ""))
    assert chosen(state) == "RECRUIT by bird"
    adding = position("ADD", EYRIE, hands=("", "anvil"), theirs={3: 6}, roosts=[3], hers={1: 3})
    # The only roost is in a rabbit clearing, and all warriors are there: a fox card can hardly be carried out anywhere.
    assert "Anvil (fox) to RECRUIT" in names(adding) and all(weigh(adding, name) == 1 for name in names(adding))


def test_add_what_can_be_carried_out():
    state = position("ADD", EYRIE, hands=("", "sale anvil"), theirs={3: 6}, roosts=[3], hers={1: 3}, leader="Despot")
    assert weigh(state, "Bake Sale (rabbit) to RECRUIT") > 10 * weigh(state, "Anvil (fox) to RECRUIT")
    # A second card in the column bears less, and so do few warriors in supply.
    fuller = position(
        "ADD", EYRIE, hands=("", "sale"), theirs={3: 6}, roosts=[3], hers={1: 3}, leader="Despot", decree=("visit", "", "", "")
    )
    assert 1 < weigh(fuller, "Bake Sale (rabbit) to RECRUIT") < weigh(state, "Bake Sale (rabbit) to RECRUIT")
    spent = position("ADD", EYRIE, hands=("", "sale"), theirs={3: 16}, roosts=[3], hers={1: 3}, leader="Despot")
    assert weigh(spent, "Bake Sale (rabbit) to RECRUIT") == 1


def test_begin_as_the_despot():
    state = position("CHOOSE_LEADER", EYRIE, hers={1: 3}, theirs={3: 6}, roosts=[3], keep=1)
    assert chosen(state) == "leader Despot"


def test_spread_to_a_free_slot_and_leave_two_at_the_roost():
    state = position("TARGET", EYRIE, column=1, suit=3, theirs={3: 6}, roosts=[3], hers={7: 6, 11: 6}, leader="Despot")
    assert share(state, "move 3 > 6") > 0.9
    assert chosen(played(state, "move 3 > 6")) == "4 warriors"


def test_strike_what_is_not_defended():
    state = position("TARGET", EYRIE, column=2, suit=3, theirs={6: 3, 7: 3}, hers={7: 3}, sawmills=[6, 7], leader="Commander")
    assert chosen(state) == "battle in 6"


def test_recruit_where_guards_are_few():
    state = position("TARGET", EYRIE, column=0, suit=3, theirs={3: 4, 6: 1}, roosts=[3, 6], hers={1: 3})
    assert chosen(state) == "recruit in 6"
