"""One position solved, however big the game: who wins, what every action is worth, the line, or how far the budget went.

found = solve_position(playout.load("connect-four").start().replay("ddddddcc"), seconds=10)
found.result, found.value, found.line         "win" for the mover, what each player gets, the actions of best play
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec

from playout.errors import PlayoutError, suggest
from playout.game.declared import who
from playout.game.game import Game
from playout.game.state import State
from playout.truth.perfect.asking import Asker, BothAsker, Known, ProofAsker, Purse, Spent, below, next_question

SECONDS, MEMORY = 30.0, 256.0
"""The budget where none is given, and the megabytes of the table."""
FIRST_SHARE = 100_000
"""Positions that each action may cost in the first round of deciding them all; four times as many in every further round."""
ASKERS: dict[str, type[Asker] | type[BothAsker]] = {"auto": BothAsker, "alpha-beta": Asker, "proof-number": ProofAsker}
METHODS = tuple(ASKERS)


class ActionBounds(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an action, from the point of view of the one who takes it."""

    action: int
    name: str
    low: float | None
    """It gets at least that; None where nothing is known."""
    high: float | None
    """And at most that."""
    value: float | None
    """What it is worth, where that is known."""
    result: str
    """The same in words: "win", "draw", "loss", "at least a draw", "at most a draw" or "unknown"."""
    best: bool
    """Whether no action is better, as far as is proven."""


class LineStep(msgspec.Struct, frozen=True):
    """One action of the line."""

    mover: int
    action: int
    name: str


class SolvedPosition(msgspec.Struct, frozen=True, kw_only=True):
    """What `solve_position` found out."""

    game: str
    mover: int
    """The player to act; -1 where the game is over."""
    player_names: tuple[str, ...] = ()
    """What the game calls its players; empty where it does not say."""
    complete: bool
    """Whether the value of the position is known."""
    stopped: str
    """Why it ended: "solved", "seconds", "nodes" or "interrupted"."""
    value: list[float] | None
    """What each player gets with best play, where that is known."""
    low: list[float | None]
    """What each player gets at least."""
    high: list[float | None]
    """And at most."""
    result: str
    """In words, for the mover: "win", "draw", "loss", "at least a draw", "at most a draw" or "unknown"."""
    actions: list[ActionBounds]
    line: list[LineStep]
    """Best play of both, as far as it was followed."""
    finished: bool
    """Whether the line reaches the end of the game."""
    method: str
    nodes: int
    """Positions visited; one that is reached by two ways counts twice."""
    seconds: float
    nodes_per_second: float
    memory: float
    """Megabytes of the table."""
    filled: float
    """The share of the table in use at the end."""

    def sentence(self) -> str:
        """What was found, in one sentence.

        >>> import playout
        >>> found = solve_position(playout.load("nim:heaps=1-2").start(), compiled=False)
        >>> found.sentence()
        'player 0 wins with 1 from heap B: 1 from heap B, 1 from heap A, 1 from heap B'
        """
        name = who(self.mover, self.player_names)
        if self.mover < 0:
            return (
                f"the game is over: {', '.join(f'{who(p, self.player_names)} got {v:g}' for p, v in enumerate(self.value or []))}"
            )
        verbs = {"win": f"{name} wins", "loss": f"{name} loses", "draw": "a draw", "unknown": "nothing is certain"}
        found = verbs.get(self.result, f"{self.result} for {name}")
        if not self.complete:
            spent = {"nodes": f"{self.nodes:,} positions", "seconds": f"{self.seconds:.3g} s"}.get(self.stopped)
            begun = "interrupted" if spent is None else f"not within the budget of {spent}"
            return f"{begun}: {found}"
        if self.value is not None and abs(self.value[self.mover]) not in (0.0, 1.0):
            found += f", {self.value[self.mover]:g} for {name}"
        if not self.line:
            return found
        how = ", whatever it plays" if self.result == "loss" else f" with {self.line[0].name}"
        return f"{found}{how}: {', '.join(step.name for step in self.line)}{'' if self.finished else ', ...'}"


def solve_position(
    state: State,
    *,
    method: str = "auto",
    seconds: float | None = None,
    nodes: int | None = None,
    memory: float = MEMORY,
    every: bool = True,
    by: str = "auto",
    compiled: bool = True,
    watch: Callable[[SolvedPosition], Any] | None = None,
) -> SolvedPosition:
    """Solve one position of a game of two who want the opposite, without chance and with nothing hidden.

    `seconds` and `nodes` (positions visited) bound it, whichever ends first; 30 seconds where neither is given. `memory` is for the table,
    in megabytes. `every` decides all actions as far as the budget goes, not only the best. `by` says how positions are told apart: by the
    game's "key", or by the whole "state"; "auto" takes the key where there is one. `watch` is called now and then with what is known.

    >>> import playout
    >>> found = solve_position(playout.load("tic-tac-toe").start().replay(["b2", "b1"]), compiled=False)
    >>> found.result, found.value, sorted(row.name for row in found.actions if row.best)
    ('win', [1.0, -1.0], ['a1', 'a2', 'a3', 'c1', 'c2', 'c3'])
    """
    game = state.game
    refuse(game)
    _check_budget(seconds, nodes, memory)
    for word, given, known in (("method", method, METHODS), ("by", by, ("auto", "key", "state"))):
        if given not in known:
            raise PlayoutError(f"{word} is {given!r}; {suggest(str(given), known)}")
    if by == "key" and not game.has("key"):
        raise PlayoutError(
            f"game {game.name!r} defines no key to tell positions apart by; leave by='key' out, or add def key(state)"
        )
    by_state = by == "state" or not game.has("key")
    asker = ASKERS[method](game, memory=memory, compiled=compiled and game.compiled, by_state=by_state)
    asker.purse = Purse(SECONDS if seconds is None and nodes is None else seconds, nodes)
    task = Task(state, asker, memory)
    if watch is not None:
        seen = watch
        asker.on_slice = lambda: seen(task.found("running"))
    return task.run(every)


def refuse(game: Game) -> None:
    """Raise where a game is none that a position of can be solved, as far as it can be told without playing."""
    if game.continuous:
        raise PlayoutError(
            f"actions of {game.spec} are real vectors, and no position of it can be searched through; playout compare measures regret there"
        )
    if game.hidden or game.has("observe"):
        raise PlayoutError(f"{game.spec} hides something, so a position has no one value; playout exploit is for such games")
    if game.players != 2:
        instead = "playout.solve takes small games of one player" if game.players == 1 else "use playout search"
        raise PlayoutError(
            f"{game.spec} has {game.players} player{'s' * (game.players != 1)}, and a position is solved for two who want the opposite; {instead}"
        )


def _check_budget(seconds: float | None, nodes: int | None, memory: float) -> None:
    if seconds is not None and not 0 < seconds < math.inf:
        raise PlayoutError(f"seconds is {seconds}; give a number above 0")
    if nodes is not None and nodes < 1:
        raise PlayoutError(f"nodes is {nodes}; give a whole number above 0")
    if not 0 < memory <= 1e6:
        raise PlayoutError(f"memory is {memory}; give a number of megabytes above 0")


class Task:
    """One position being solved: what is known so far."""

    def __init__(self, state: State, asker: Asker | BothAsker, memory: float) -> None:
        self.state, self.asker, self.memory = state, asker, memory
        low, high = state.game.returns_range or (-math.inf, math.inf)
        self.root = Known(low, high)
        self.children: dict[int, tuple[State, Known]] = {}
        self.line: list[LineStep] = []
        self.finished = False
        if state.over:
            self.root = Known(state.returns[0], state.returns[0])

    def run(self, every: bool) -> SolvedPosition:
        """Solve the position, follow the line, decide the other actions, until the budget is spent."""
        if self.state.over:
            return self.found("solved")
        try:
            self.enclose(self.state, self.root)
            self.follow()
            if every:
                self.decide_all()
        except Spent as spent:
            return self.found(str(spent))
        except KeyboardInterrupt:
            return self.found("interrupted")
        return self.found("solved")

    def enclose(self, state: State, known: Known, most: int = 1 << 62) -> None:
        """Ask until the value is known; `most` positions in all."""
        if state.over:
            known.low = known.high = state.returns[0]
            return
        until = self.asker.purse.visited + most
        while not known.exact:
            self.asker.ask(state, next_question(self.asker.values, known), known, until - self.asker.purse.visited)

    def follow(self) -> None:
        """Best play of both from a position whose value is known, to the end of the game."""
        state, value = self.state, self.root.low
        while not state.over:
            action = self.keep(state, value)
            self.line.append(LineStep(state.mover, action, state.name(action)))
            if state is self.state:
                self.child(action)[1].low = self.child(action)[1].high = value
            state = state.after(action)
        self.finished = True

    def keep(self, state: State, value: float) -> int:
        """An action that keeps the value of a position."""
        while True:
            over = below(self.asker.values, value) if state.mover == 0 else value
            action = self.asker.ask(state, over, Known(-math.inf, math.inf))
            # A result that was new may lie between: then the question was another one than meant.
            if state.mover == 1 or over == below(self.asker.values, value):
                return action

    # all actions

    def child(self, action: int) -> tuple[State, Known]:
        """The state behind an action, with what is known of it: no action is worth more than the position."""
        if action not in self.children:
            low, high = self.state.game.returns_range or (-math.inf, math.inf)
            self.children[action] = self.state.after(action), Known(low, high)
        known = self.children[action][1]
        if self.state.mover == 0:
            known.high = min(known.high, self.root.high)
        else:
            known.low = max(known.low, self.root.low)
        return self.children[action]

    def decide_all(self) -> None:
        """The value of every action: in rounds, so that a hard one does not use up what would have been enough for the others."""
        share = FIRST_SHARE
        while left := [a for a in self.state.legal if not self.child(a)[1].exact]:
            for action in left:
                try:
                    self.enclose(*self.child(action), most=share)
                except Spent as spent:
                    if str(spent) != "share":
                        raise
            share *= 4

    # telling

    def found(self, stopped: str) -> SolvedPosition:
        """What is known now."""
        state, asker, purse = self.state, self.asker, self.asker.purse
        seconds = max(purse.spent, 1e-9)
        total = sum(state.returns) if state.over else asker.total
        mine, root = max(state.mover, 0), self.root
        sides = [_seen_by(player, root.low, root.high, total) for player in (0, 1)]
        return SolvedPosition(
            game=state.game.spec,
            mover=state.mover,
            player_names=state.game.player_names,
            complete=root.exact,
            stopped="solved" if root.exact and stopped not in ("running", "interrupted") else stopped,
            value=[low for low, _ in sides] if root.exact else None,  # type: ignore[misc]
            low=[low for low, _ in sides],
            high=[high for _, high in sides],
            result=in_words(*sides[mine], total),
            actions=self.rows(total),
            line=list(self.line),
            finished=self.finished,
            method=asker.method,
            nodes=purse.visited,
            seconds=seconds,
            nodes_per_second=purse.visited / seconds,
            memory=self.memory,
            filled=asker.filled,
        )

    def rows(self, total: float) -> list[ActionBounds]:
        """The actions of the position, in the game's order."""
        state, rows = self.state, []
        best = _seen_by(max(state.mover, 0), self.root.low, self.root.high, total)[0]
        for action in state.legal:
            known = self.child(action)[1]
            low, high = _seen_by(state.mover, known.low, known.high, total)
            rows.append(
                ActionBounds(
                    action=action,
                    name=state.name(action),
                    low=low,
                    high=high,
                    value=low if known.exact else None,
                    result=in_words(low, high, total),
                    best=self.root.exact and low is not None and best is not None and low >= best,
                )
            )
        return rows


def _seen_by(player: int, low: float, high: float, total: float) -> tuple[float | None, float | None]:
    """Bounds of what player 0 gets, as those of another player; None where there is none."""
    if player == 1:
        # Before an end was seen, what both get together is not known.
        low, high = (total - high, total - low) if math.isfinite(total) else (-math.inf, math.inf)
    return (low + 0.0 if math.isfinite(low) else None), (high + 0.0 if math.isfinite(high) else None)


def in_words(low: float | None, high: float | None, total: float) -> str:
    """Bounds as a result: whoever gets more than half of what there is wins."""
    even = total / 2 if math.isfinite(total) else 0.0
    if low is not None and low > even:
        return "win"
    if high is not None and high < even:
        return "loss"
    if low == high == even:
        return "draw"
    if low is not None and low >= even:
        return "at least a draw"
    return "at most a draw" if high is not None and high <= even else "unknown"
