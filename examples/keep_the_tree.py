"""Keep the tree: after a move, what the search already knows about the new position is not thrown away.

Run it: python examples/keep_the_tree.py
"""

import playout


def main(simulations=2_000):
    search = playout.Search(playout.load("tic-tac-toe"), seed=1)
    state = None
    while state is None or not state.over:
        decision = search.run(simulations=simulations)
        known = decision.parent_visits - decision.simulations
        print(f"player {decision.mover} plays {decision.name}; {known} simulations of this position were there already")
        state = search.play(decision.action)
    print(state.draw())
    print("returns:", state.returns)
    return state


if __name__ == "__main__":
    main()
