"""Learning: Monte Carlo control and self-play on any game with `key`, measured against perfect play.

learned = learn("tic-tac-toe", episodes=500_000, out="policy.json")
learned.result.losing_lines              [0, 0]: no line of play in which the greedy policy loses
learned.policy.rate(state)               what each legal action is worth, and how often that was learned
Policy.load("policy.json")               the same again; as an agent: policy:policy.json
"""

from __future__ import annotations

from playout.learn.evaluate import Evaluation, Judge, Outcome
from playout.learn.learner import Learner
from playout.learn.policy import Policy
from playout.learn.run import Learned, Point, Progress, Result, learn
from playout.learn.settings import PRESETS, RULES, Settings, settings

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
    "settings",
]
