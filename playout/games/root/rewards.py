"""What counts: the result under each reward, and what a game that was broken off is worth."""

from playout import popcount
from playout.games.root.options import POINTS, REWARD
from playout.games.root.record import EYRIE, LUMBER, MARQUISE, ROOST, SAWMILL, WARRIORS, ruled
from playout.games.root.turn import ROOST_POINTS

DIFFERENCE, WIN, BLEND, POSITIVE = range(4)
rewards = {"difference": (-POINTS, POINTS), "win": (-1, 1), "blend": (-2, 2), "positive": (0, POINTS)}
"""The first three may also be asked of the game itself; the last, never below 0, adds up to no fixed sum and is for agents alone."""
returns_range = tuple(rewards.values())[REWARD]


def returns(state, out):
    returns_as(state, REWARD, out)


def returns_as(state, reward, out):
    lead = min(POINTS, state.scores[MARQUISE]) - min(POINTS, state.scores[EYRIE])
    won = 1.0 if state.winner == 1 + MARQUISE else -1.0 if state.winner == 1 + EYRIE else 0.0
    pay_out(reward, float(lead), won, out)


def pay_out(reward, lead, won, out):
    """A lead of the Marquise and her win (1, -1 for a loss, between them while it is open), in the terms of a reward."""
    if reward == POSITIVE:
        out[MARQUISE] = max(0.0, lead)
        out[EYRIE] = max(0.0, -lead)
        return
    if reward == DIFFERENCE:
        out[MARQUISE] = lead
    elif reward == WIN:
        out[MARQUISE] = won
    else:
        out[MARQUISE] = lead / POINTS + won
    out[EYRIE] = -out[MARQUISE]


def evaluate(state, out):
    evaluate_as(state, REWARD, out)


def evaluate_as(state, reward, out):
    """What the lead will probably be at the end; nobody has lost for not having won yet."""
    if state.winner > 0:
        returns_as(state, reward, out)
        return
    lead = max(-float(POINTS), min(float(POINTS), prospects(state)))
    pay_out(reward, lead, lead / (6.0 + abs(lead)), out)


def prospects(state):
    """The lead that the Marquise will have: that of today, and what stands on the map, which counts for more the longer the game still goes.

    Fitted by least squares to how games of searches ended (docs/root.md). It looks at nothing that is hidden.
    """
    scores = state.scores
    to_go = float(POINTS - max(scores[MARQUISE], scores[EYRIE]))
    wood = LUMBER - state.lumber
    lead = 0.9 * (scores[MARQUISE] - scores[EYRIE]) + 0.4 * wood - 0.4 * ROOST_POINTS[state.built[ROOST]] - 0.8
    lead += (0.6 if state.keep >= 0 else 0.0) + (2.0 if state.turn == MARQUISE else 0.0)
    army, land = WARRIORS[EYRIE] - state.supply[EYRIE], popcount(ruled(state, EYRIE))
    return lead + to_go * (0.08 * state.built[SAWMILL] - 0.018 * army - 0.056 * land)
