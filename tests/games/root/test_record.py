"""Rule of a clearing, chains of ruled clearings, and points."""

from playout.games.root.record import ACTIONS, ASKING, STAGES, State, free, joined, ruled, scan
from tests.games.root.boards import EYRIE, MARQUISE, played, position, view


def rulers(state):
    """The ruler of each clearing that has one."""
    found = {}
    for player in range(2):
        found |= {clearing + 1: player for clearing in range(12) if ruled(view(state), player) >> clearing & 1}
    return found


def test_eyrie_rule_ties():
    state = position(hers={1: 1, 2: 2, 5: 1, 6: 1}, theirs={1: 1, 2: 1, 5: 0, 7: 1}, wood=[8], keep=6)
    assert rulers(state) == {1: EYRIE, 2: MARQUISE, 5: MARQUISE, 6: MARQUISE, 7: EYRIE}


def test_tokens_rule_nothing_and_buildings_do():
    # Wood only: nobody. Keep and one warrior against one: the Eyrie. A building counts as a warrior does.
    state = position(wood={8: 3}, keep=1, hers={1: 1, 7: 1}, theirs={1: 1, 7: 1, 9: 1}, sawmills=[7], roosts=[9], workshops=[11])
    assert rulers(state) == {1: EYRIE, 7: MARQUISE, 9: EYRIE, 11: MARQUISE}


def test_chains():
    among = sum(1 << clearing - 1 for clearing in (1, 9, 4, 2))
    assert joined(0, among) == 1 | 1 << 8 | 1 << 3
    assert joined(1, among) == 2 and joined(11, among) == 0


def test_slots_and_enemies():
    state = position(keep=1, sawmills=[11], roosts=[11, 5], wood=[8], hers=[4])
    assert [free(view(state)) >> clearing - 1 & 1 for clearing in (1, 5, 6, 11)] == [1, 1, 1, 0]
    foes = [{clearing + 1 for clearing in range(12) if scan(view(state), player)[2] >> clearing & 1} for player in range(2)]
    assert foes == [{11, 5}, {1, 11, 8, 4}]


def test_the_record_is_small():
    assert State.itemsize <= 320 and ACTIONS <= 512
    assert len(ASKING) < STAGES == 38


def test_thirty_points_win_at_once():
    state = position(hers={1: 2}, keep=1, wood={1: 1}, sawmills=[9], recruiters=[5], scores=(29, 0), actions=3)
    won = played(state, "build recruiter in 1")
    assert won.over and won.mover == -1 and won.returns == (30, -30)
    assert won.fields.winner == 1
