"""What a sensible Marquise does."""

import pytest

from playout.games.root.policy import weight
from playout.games.root.policy_marquise import threat
from tests.games.root.boards import played, position, view
from tests.games.root.test_policy import chosen, share

HOME = {"keep": 1, "workshops": [5], "recruiters": [9]}


def weigh(state, name):
    return weight(view(state), state.find(name))


def test_builds_a_sawmill_before_all_else():
    state = position(hers={1: 4, 5: 1, 9: 1}, wood={1: 3}, sawmills=[7, 8, 8], theirs={3: 3}, **HOME)
    assert share(state, "build sawmill") > 0.6 > 0.4 > share(state, "build recruiter") > share(state, "build workshop")


def test_builds_at_the_border_first():
    # Four Eyrie next to 5 and 10, and none next to 9.
    state = position(hers={1: 2, 5: 1, 9: 1, 10: 1}, wood={1: 2}, sawmills=[1], theirs={2: 4}, roosts=[2], **HOME)
    assert threat(view(state), 9) == 4 and threat(view(state), 8) == 0
    assert weigh(state, "build sawmill in 10") > 5 * weigh(state, "build sawmill in 9")
    assert share(state, "build sawmill in 10", "build sawmill in 5") > 2 / 3


def test_brings_wood_where_there_is_none_and_keeps_birds():
    bare = position(hands=("anvil armorers", ""), hers={1: 3, 5: 1, 9: 1}, sawmills=[1], theirs={3: 3}, **HOME)
    assert chosen(bare) == "overwork with Anvil (fox)"
    stacked = position(hands=("anvil", ""), hers={1: 3, 5: 1, 9: 1}, sawmills=[1], wood={1: 3}, theirs={3: 3}, **HOME)
    assert weigh(stacked, "overwork with Anvil (fox)") < weigh(stacked, "recruit")


def test_takes_an_undefended_roost():
    assert chosen(position(hers={6: 4}, roosts=[6], theirs={3: 1})) == "battle in 6"


@pytest.mark.parametrize(("own", "guards", "goes"), [(1, 1, False), (2, 1, True), (2, 2, False), (3, 2, True), (3, 6, False)])
def test_raids_what_a_roll_is_likely_to_take(own, guards, goes):
    state = position(hers={6: own, 1: 4}, roosts=[6], theirs={6: guards}, keep=1)
    assert (weigh(state, "battle in 6") >= 1000) == goes


def test_marches_on_a_roost_with_everything():
    where = {"sawmills": [2], "recruiters": [2], "workshops": [8], "keep": 4}
    state = position(hers={2: 5}, roosts=[6], theirs={6: 1}, recruited=1, **where)
    assert chosen(state) == "march 2 > 6"
    assert chosen(played(state, "march 2 > 6")) == "5 warriors"


def test_an_attack_needs_an_action_after_it():
    early, late = (position(hers={2: 5}, roosts=[6], theirs={6: 1}, keep=4, actions=left) for left in (2, 1))
    assert weigh(early, "march 2 > 6") > 1.5 * weigh(late, "march 2 > 6")


def test_does_not_run_into_more_than_it_can_beat():
    state = position(hers={2: 3}, roosts=[6], theirs={6: 3}, keep=4)
    assert weigh(state, "march 2 > 6") < weigh(state, "march 2 > 5")
