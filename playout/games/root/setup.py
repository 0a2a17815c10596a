"""Before the first turn: the keep, a warrior almost everywhere, her first buildings, and the Eyrie across the map."""

from playout.games.root.map import CLEARINGS, CORNERS, NEAR, OPPOSITE
from playout.games.root.record import (
    CHOOSE_LEADER,
    CONSTRUCT,
    CORNER,
    EYRIE,
    MARQUISE,
    RECRUITER,
    ROOST,
    STARTING,
    free,
    place_building,
    place_warriors,
    survey,
)
from playout.games.root.turn import list_bits

STARTING_WARRIORS, STARTING_NEST = 1, 6


def legal_keep(state, out):
    for corner in range(CORNERS):
        out[corner] = CORNER + corner
    return CORNERS


def answer_keep(state, action):
    """The keep, a warrior almost everywhere, and the Eyrie across the map."""
    state.keep = action - CORNER
    survey(state, state.keep)
    nest = OPPOSITE[state.keep]
    for clearing in range(CLEARINGS):
        if clearing != nest:
            place_warriors(state, MARQUISE, clearing, STARTING_WARRIORS)
    place_warriors(state, EYRIE, nest, STARTING_NEST)
    place_building(state, ROOST, nest)
    state.stage = STARTING


def legal_starting(state, out):
    near = (1 << state.keep | NEAR[state.keep]) & free(state)
    return list_bits(near, CONSTRUCT + CLEARINGS * state.piece, out, 0)


def answer_starting(state, action):
    place_building(state, state.piece, action - CONSTRUCT - CLEARINGS * state.piece)
    state.piece += 1
    if state.piece > RECRUITER:
        state.piece = 0
        state.stage = CHOOSE_LEADER
