"""A game with real-valued actions, searched: what is the best amount, when the other one answers as well as it can?

Two mills decide one after the other how much to grind, and the more there is, the less it sells for. The answer is known: the first
grinds a half of what would be left at no profit, the second a quarter (von Stackelberg, 1934).
"""

import playout


def payoffs(actions, out):
    """actions[stage, 0] is the amount of the mill of that stage."""
    price = 1.0 - actions[0, 0] - actions[1, 0]
    out[0] = actions[0, 0] * price
    out[1] = actions[1, 0] * price


def main(simulations: int = 2000) -> playout.Decision:
    """Search it, and show the line: the choice, and the answer that the search expects."""
    game = playout.Game("mills", players=2, stages=2, dimension=1, bounds=(0.0, 1.0), payoffs=payoffs)
    decision = playout.Search(game, seed=1).run(simulations=simulations)
    line = decision.line()
    print(
        f"first {line.actions[0][0]:.3f}, then {line.actions[1][0]:.3f}, which brings {line.returns[0]:.4f} and {line.returns[1]:.4f}"
    )
    print("known:  0.500, then 0.250, which brings 0.1250 and 0.0625")
    return decision


if __name__ == "__main__":
    main()
