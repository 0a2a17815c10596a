"""The solver of positions as a search asks it: one position after another, with a table that stays."""

from __future__ import annotations

from playout.game.game import Game
from playout.game.state import State
from playout.truth.perfect.asking import BothAsker, Purse, Spent
from playout.truth.perfect.position import SolvedPosition, Task, refuse

MEMORY = 64.0
"""Megabytes of the table."""


class Prover:
    """Asked about positions of one game; what it finds out about one helps with the next."""

    def __init__(self, game: Game, *, memory: float = MEMORY, compiled: bool = True) -> None:
        refuse(game)
        self._memory = memory
        self._asker = BothAsker(game, memory=memory, compiled=compiled and game.compiled, by_state=not game.has("key"))
        self._asker.prepare()

    def prove(self, state: State, *, seconds: float | None = None, nodes: int | None = None) -> SolvedPosition:
        """The value of a position and a line that reaches it, as far as the budget goes; other actions are not looked at."""
        self._asker.purse = Purse(seconds, nodes)
        task = Task(state, self._asker, self._memory)
        try:
            task.enclose(state, task.root)
            # One action that keeps the value is enough to play, and the rest of the line comes for little: it is in the table.
            task.follow()
        except Spent as spent:
            return task.found(str(spent))
        return task.found("solved")
