"""Stackelberg competition: firms choose quantities one after another, and the price falls with the total.

After Heinrich von Stackelberg, "Marktform und Gleichgewicht", 1934. The price is `demand - slope * total`; a firm earns price
minus cost for everything that it makes. What is left of the market is halved by every firm in turn: the first makes
(demand - cost) / (2 slope), the second half of that, and so on, however many firms follow.
"""

from playout import PlayoutError, parameter

firms = parameter("firms", 2, "firms, moving in turn", low=1, high=8)
demand = parameter("demand", 12.0, "the price at which nobody buys", low=0.001, high=1e6)
slope = parameter("slope", 1.0, "how far the price falls with every unit", low=0.001, high=1e6)
cost = parameter("cost", 2.0, "what a unit costs to make", low=0.0, high=1e6)
if cost >= demand:
    raise PlayoutError(
        f"parameter cost={cost} is not below demand={demand}, so no firm would make anything; lower it, for example cost=2"
    )
MARGIN = demand - cost

players = firms
stages = firms
dimension = 1
bounds = (0.0, MARGIN / slope)
coefficients = (MARGIN, slope)


def payoffs(actions, out, coefficients):
    total = actions[0, 0]
    for firm in range(1, firms):
        total = total + actions[firm, 0]
    for firm in range(firms):
        out[firm] = (coefficients[0] - coefficients[1] * total) * actions[firm, 0]


def solution(stage, actions):
    """Half of what the earlier firms left: n later firms divide a firm's margin by 2**n whatever it makes."""
    left = MARGIN / slope - sum(actions[firm, 0] for firm in range(stage))
    return (max(0.0, left / 2),)
