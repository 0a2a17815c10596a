"""A continuous game whose payoffs are written in JAX (or torch): the library's own derivatives, nothing compiled.

Two firms choose quantities one after the other. The price falls smoothly with what is sold, along a curve that JAX
differentiates. The follower climbs its own slope to its best reply; the leader climbs knowing that reply.

Run it: pip install 'playout[jax]' && python examples/autodiff_payoffs.py
"""

import jax
import jax.numpy as jnp
import numpy as np

from playout.bridges import jax_game

COSTS = np.array([1.0, 1.5])


def payoffs(actions):
    """actions[firm, 0] is what a firm sells; one profit per firm comes back."""
    sold = actions[:, 0]
    price = 10.0 * jnp.exp(-sold.sum() / 5.0)
    return sold * (price - COSTS)


game = jax_game("firms", payoffs, players=2, stages=2, dimension=1, bounds=(0.0, 20.0))


def slope(actions, player):
    """What the player's payoff gains for each unit of every action, by JAX's autodiff."""
    out = np.zeros((2, 1))
    game.functions["gradient"](np.asarray(actions), player, out, np.zeros(1))
    return out[:, 0]


def reply(leader, steps=40):
    """The follower's best quantity: Newton's method on its slope, whose own slope is a difference of two."""
    x = 2.0
    for _ in range(steps):
        here = slope([[leader], [x]], 1)[1]
        bend = (slope([[leader], [x + 1e-5]], 1)[1] - slope([[leader], [x - 1e-5]], 1)[1]) / 2e-5
        x = min(20.0, max(0.0, x - here / bend if bend < 0 else x + here))
    return x


def main(points=41):
    quantities = np.linspace(0.0, 10.0, points)
    profits = []
    for x in quantities:
        state = game.start().play([x]).play([reply(x)])
        profits.append(state.returns[0])
    best = float(quantities[int(np.argmax(profits))])
    state = game.start().play([best]).play([reply(best)])
    print(state.draw())
    print(f"the follower's slope there: {slope(np.asarray(state.fields.actions), 1)[1]:.1e}")
    print(f"JAX {jax.__version__}, double precision inside the game")
    return best, state


if __name__ == "__main__":
    main()
