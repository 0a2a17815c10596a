"""A game's first time: a moment of random play, uncompiled, before anything of it is compiled.

Machine code cannot say what it did wrong as Python can, so a game that nobody has seen plays some hundred states here first, and what
`playout check` would say is said before the wait for the compiler. `playout.compile.binding` asks; that it passed is remembered.
"""

from __future__ import annotations

import numpy as np

from playout.checker.contract.findings import Broken, Findings
from playout.checker.contract.probe import Probe
from playout.checker.contract.report import Problem
from playout.checker.contract.walk import Walker
from playout.checker.contract.watch import PATIENCE, Stuck, Watch
from playout.game.game import Game

STATES = 300
SECONDS, MORE = 0.35, 0.15
"""How long states are looked at, and how much longer it may take to see the end of the first game."""


def trial(game: Game) -> Problem | None:
    """What is wrong with a game, as far as a moment shows it."""
    findings = Findings(game)
    with np.errstate(all="ignore"), Watch(findings, PATIENCE) as watch:
        if game.continuous:
            _points(findings, watch)
        else:
            Walker(Probe(findings, watch, thorough=False), STATES, SECONDS, MORE, lambda done: None).games(seed=0)
    watch.say_printed(findings.problem)
    return next(iter(findings.problems.values()), None)


def _points(findings: Findings, watch: Watch) -> None:
    """A continuous game: some corners of its boxes, and points between them."""
    from playout.checker.continuous import try_points

    try:
        try_points(findings, watch, STATES, SECONDS)
    except Broken:
        return
    except Stuck:
        watch.report()
