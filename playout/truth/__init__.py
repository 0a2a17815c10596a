"""How far from the best: exact tools for small games of two players with hidden information, references for continuous ones.

tree = game_tree("leduc-poker")                     every history, every information set
equilibrium(tree, "external").exploitability              an equilibrium by MCCFR, and how near it is
search_policy(tree, "ismcts:simulations=1000")      what a search plays everywhere, asked several times
reference("loss-1d").actions                        the solution of a continuous game
regret("loss-1d", [-0.2, 2.0, -1.0]).players        what each player of a trajectory gave away
"""

from __future__ import annotations

from playout.truth.continuous.regret import Reference, RegretReport, StageRegret, reference, regret
from playout.truth.continuous.sampled import SampledEstimate, sampled_estimate
from playout.truth.imperfect.best_response import Reply, best_reply, best_response, exploitability, value
from playout.truth.imperfect.mccfr import METHODS, Solution, Solver, equilibrium, improve
from playout.truth.imperfect.policy import Policy, normalized, together, uniform
from playout.truth.imperfect.search_policy import Estimate, SearchPolicy, search_policy
from playout.truth.imperfect.strategy import strategy
from playout.truth.imperfect.tree import Arrays, InfoSet, Tree, game_tree

__all__ = [
    "METHODS",
    "Arrays",
    "Estimate",
    "InfoSet",
    "Policy",
    "Reference",
    "RegretReport",
    "Reply",
    "SampledEstimate",
    "SearchPolicy",
    "Solution",
    "Solver",
    "StageRegret",
    "Tree",
    "best_reply",
    "best_response",
    "exploitability",
    "game_tree",
    "improve",
    "normalized",
    "reference",
    "regret",
    "sampled_estimate",
    "strategy",
    "search_policy",
    "equilibrium",
    "together",
    "uniform",
    "value",
]
