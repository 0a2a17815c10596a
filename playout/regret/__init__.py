"""How far from the best: exact tools for small games of two players with hidden information.

tree = game_tree("leduc-poker")                     every history, every information set
solve(tree, "external").exploitability              an equilibrium by MCCFR, and how near it is
search_policy(tree, "ismcts:simulations=1000")      what a search plays everywhere, asked several times
"""

from __future__ import annotations

from playout.regret.best_response import Reply, best_reply, best_response, exploitability, value
from playout.regret.mccfr import METHODS, Solution, Solver, improve, solve
from playout.regret.policy import Policy, normalized, together, uniform
from playout.regret.search_policy import Estimate, SearchPolicy, search_policy
from playout.regret.tree import Arrays, InfoSet, Tree, game_tree

__all__ = [
    "METHODS",
    "Arrays",
    "Estimate",
    "InfoSet",
    "Policy",
    "Reply",
    "SearchPolicy",
    "Solution",
    "Solver",
    "Tree",
    "best_reply",
    "best_response",
    "exploitability",
    "game_tree",
    "improve",
    "normalized",
    "search_policy",
    "solve",
    "together",
    "uniform",
    "value",
]
