"""What a state pays: the returns that the referee counts, or another reward that the game knows and the search was told to go by.

Which one is a number in the options, so the agents of one match share their kernels. A game without rewards compiles to plain `returns`.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import REWARDS, evaluate, evaluate_as, returns, returns_as, whole


def pay(options: Any, state: Any, out: Any) -> None:
    """The returns of a state under the search's reward: at the end, and so far where a playout is cut off."""
    if REWARDS and options.reward != 0:
        returns_as(state, whole(options.reward) - 1, out)
    else:
        returns(state, out)


def appraise(options: Any, state: Any, out: Any) -> None:
    """What a state that is not over looks worth under the search's reward."""
    if REWARDS and options.reward != 0:
        evaluate_as(state, whole(options.reward) - 1, out)
    else:
        evaluate(state, out)
