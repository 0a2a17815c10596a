"""A first search: load a game, look for the best action, and ask why it is the best.

Run it: python examples/first_search.py
"""

import playout


def main(simulations=20_000):
    game = playout.load("connect-four")
    state = game.start().replay("ddd")
    print(state.draw())

    decision = playout.search(state, simulations=simulations, seed=1)
    print(decision)  # the table: one row per action, the choice marked
    print(decision.why())  # the choice and the runner-up, in a sentence

    best = decision.chosen
    print(f"{best.name} was tried {best.visits} times and is worth {best.mean:.2f} to player {decision.mover}")
    return decision


if __name__ == "__main__":
    main()
