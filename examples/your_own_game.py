"""A game in one cell of a notebook: hand its functions to playout.Game, and search it.

Twenty-one: the players in turn add 1, 2 or 3; whoever reaches 21 wins. Player 0 should lose no time to reach 1, 5, 9, 13, 17.

Run it: python examples/your_own_game.py
"""

import numpy as np

import playout

State = np.dtype([("total", np.int8), ("mover", np.int8)])


def start(state, rng):
    pass


def legal(state, out):
    count = min(3, 21 - state.total)
    for i in range(count):
        out[i] = i
    return count


def play(state, action, rng):
    state.total += action + 1
    state.mover = 1 - state.mover


def mover(state):
    return state.mover if state.total < 21 else -1


def returns(state, out):
    out[0] = out[1] = 0
    if state.total == 21:
        out[state.mover], out[1 - state.mover] = -1, 1  # the one who would be next has lost


def action_name(state, action):
    return f"+{action + 1}"


game = playout.Game(
    "twenty-one",
    players=2,
    actions=3,
    returns_range=(-1, 1),
    State=State,
    start=start,
    legal=legal,
    play=play,
    mover=mover,
    returns=returns,
    action_name=action_name,
)


def main(simulations=100_000):
    decision = playout.search(game, simulations=simulations, seed=1)
    print(decision)
    return decision


if __name__ == "__main__":
    main()
