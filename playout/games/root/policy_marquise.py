"""What a sensible Marquise does: weights for the actions of her Daylight.

Sawmills before all else, since they bring wood and score as well as anything, then recruiters; at the border first, where the slot is
taken from a roost. Wood is never wanting while a card can bring some. She goes for roosts that she can take, with everything that is near, and
fights nobody else without need. The numbers were found by evolution against the Eyrie's rules and rounded (docs/root.md).
"""

from playout import lowest, pop
from playout.games.root.cards import CARD_SUIT
from playout.games.root.map import BIRD, CLEARINGS, NEAR
from playout.games.root.marquise import BUILDING_POINTS
from playout.games.root.record import (
    ACT,
    ARMIES,
    BUILDINGS,
    CARD,
    CONSTRUCT,
    DECREE,
    EYRIE,
    LUMBER,
    MARQUISE,
    MUSTER,
    PASS,
    PIECES,
    RECRUITER,
    USE_CODE,
    WORK,
    clearings,
    free,
    hers,
    homes,
)

BUILD_WEIGHT = (4000, 15, 900)
"""A sawmill, a workshop, a recruiter."""
BORDER = 10
"""A building is worth so many times as much where the Eyrie next door are about to come."""
OVERWORK_WEIGHT = (2000, 10, 10, 3)
"""With no wood on the map, with one, two, more."""
FIGHT_WEIGHT = ((3, 3, 10, 3), (8, 25, 5, 3), (20, 4, 45, 5))
"""A battle with one warrior, two, more, against none, one, two, more."""
RAID_WEIGHT = ((3000, 40, 4, 2), (4000, 3000, 100, 3), (4500, 4300, 4000, 220))
"""The same at a roost: what a roll is likely to take."""
MARCH_WEIGHT = (0, 20, 8, 20)
"""To enemies, one, two, more, when there are enough of hers."""
ROOST_WEIGHT = (250, 500, 150, 30)
"""To a roost with so many guards."""
EMPTY_WEIGHT = (1, 22)
"""Added where none of hers are: without a free slot, and with one."""
LEAVE_SHARE = 6
"""What a march of the last two from buildings of hers is worth, in sixteenths."""
STAY_WEIGHT = ((4, 4, 15, 9), (40, 6, 4, 4))
"""None, one, two, more stay behind: in a clearing without buildings of hers, and in one with some."""
STORM_WEIGHT = ((30, 3, 3, 12), (400, 2, 1, 3))
"""The same when she marches against somebody."""
MUSTER_WEIGHT = (20, 50)
"""To recruit, and for every warrior that comes."""
BIRD_WEIGHT = (40, 3)
"""A bird card for an action: with none left, and with some."""


def weigh_act(state, action):
    if action == PASS:
        return 2
    if CONSTRUCT <= action < CONSTRUCT + 3 * CLEARINGS:
        return weigh_building(state, (action - CONSTRUCT) // CLEARINGS, (action - CONSTRUCT) % CLEARINGS)
    if action == MUSTER:
        return MUSTER_WEIGHT[0] + MUSTER_WEIGHT[1] * min(state.built[RECRUITER], state.supply[MARQUISE])
    if CARD <= action < WORK:
        return BIRD_WEIGHT[0 if state.actions == 0 else 1]
    if WORK <= action < DECREE:
        value = OVERWORK_WEIGHT[min(3, LUMBER - state.lumber)]
        return 1 + value // 8 if CARD_SUIT[action - WORK] == BIRD else value
    return 8 if action == USE_CODE else 2


def weigh_building(state, sort, clearing):
    own = state.warriors[MARQUISE, clearing]
    safe = own + hers(state, clearing) - 2 * state.warriors[EYRIE, clearing]
    value = BUILD_WEIGHT[sort] + 20 * BUILDING_POINTS[sort][state.built[sort]] + 5 * max(0, min(4, safe))
    return value * BORDER if threat(state, clearing) > own + 1 else value


def threat(state, clearing):
    """The most Eyrie warriors in one clearing next to this one."""
    near, most = NEAR[clearing] & clearings(state, EYRIE, ARMIES), 0
    while near:
        most = max(most, state.warriors[EYRIE, lowest(near)])
        near = pop(near)
    return most


def weigh_attack(state, clearing):
    own, enemy = min(3, state.warriors[MARQUISE, clearing]), min(3, state.warriors[EYRIE, clearing])
    if clearings(state, EYRIE, BUILDINGS) >> clearing & 1:
        return RAID_WEIGHT[own - 1][enemy]
    return FIGHT_WEIGHT[own - 1][enemy]


def weigh_march(state, origin, target):
    """A march is good to a roost while an action is left to fight, and to a slot that nobody of hers holds."""
    own, there = state.warriors[MARQUISE, origin], state.warriors[MARQUISE, target]
    enemy = state.warriors[EYRIE, target]
    if own + there > enemy:
        goal = MARCH_WEIGHT[min(3, enemy)]
        if clearings(state, EYRIE, BUILDINGS) >> target & 1:
            goal = ROOST_WEIGHT[min(3, enemy)]
        left = state.actions - (1 if state.stage == ACT else 0)
        value = 1 + (goal if left > 0 else goal // 2)
        if there == 0:
            value += EMPTY_WEIGHT[free(state) >> target & 1]
    else:
        value = 2
    if own <= 2 and homes(state) >> origin & 1:
        value = 1 + value * LEAVE_SHARE // 16
    return value


def weigh_marchers(state, stay):
    """How many stay behind: against somebody she goes with all."""
    home = homes(state) >> state.origin & 1
    if clearings(state, EYRIE, PIECES) >> state.place & 1:
        return STORM_WEIGHT[home][min(3, stay)]
    return STAY_WEIGHT[home][min(3, stay)]
