"""Learning: Monte Carlo control and self-play on any game with `key`, measured against perfect play.

learned = learn("tic-tac-toe", episodes=500_000, out="policy.json")
learned.result.losing_lines              [0, 0]: no line of play in which the greedy policy loses
learned.policy.rate(state)               what each legal action is worth, and how often that was learned
Policy.load("policy.json")               the same again; as an agent: policy:policy.json
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from playout.learning.settings import PRESETS, RULES, Settings, from_preset

if TYPE_CHECKING:
    from playout.learning.evaluate import Evaluation, Judge, Outcome
    from playout.learning.learner import Learner
    from playout.learning.policy import Policy
    from playout.learning.run import Learned, Point, Progress, Result, learn

HOMES = {
    **dict.fromkeys(("Evaluation", "Judge", "Outcome"), "evaluate"),
    **dict.fromkeys(("Learned", "Point", "Progress", "Result", "learn"), "run"),
    "Learner": "learner",
    "Policy": "policy",
}


def __getattr__(name: str) -> Any:
    """Loaded when first asked for: the command line needs the settings for its help, and not the compiler."""
    if name not in HOMES:
        raise AttributeError(f"playout.learning has no {name!r}")
    return getattr(import_module(f"playout.learning.{HOMES[name]}"), name)


__all__ = [
    "PRESETS",
    "RULES",
    "Evaluation",
    "Judge",
    "Learned",
    "Learner",
    "Outcome",
    "Point",
    "Policy",
    "Progress",
    "Result",
    "Settings",
    "learn",
    "from_preset",
]
