"""What counts: the result under each reward, and what a game that was broken off is worth."""

from playout.games.root.options import POINTS, REWARD
from playout.games.root.record import EYRIE, MARQUISE, RECRUITER, ROOST, SAWMILL, WARRIORS, WORKSHOP
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
    """The lead, and what stands on the map for points to come; nobody has lost for not having won yet."""
    if state.winner > 0:
        returns_as(state, reward, out)
        return
    lead = prospects(state, MARQUISE) - prospects(state, EYRIE)
    lead = max(-float(POINTS), min(float(POINTS), lead))
    pay_out(reward, lead, lead / (6.0 + abs(lead)), out)


def prospects(state, player):
    """The points of a player, and those that its pieces will bring."""
    army = 0.12 * (WARRIORS[player] - state.supply[player])
    if player == EYRIE:
        return state.scores[EYRIE] + army + 1.5 * ROOST_POINTS[state.built[ROOST]] + 0.5 * state.built[ROOST]
    built = state.built[SAWMILL] + 0.6 * state.built[WORKSHOP] + 0.8 * state.built[RECRUITER]
    return state.scores[MARQUISE] + army + 0.6 * built + (1.0 if state.keep >= 0 else 0.0)
