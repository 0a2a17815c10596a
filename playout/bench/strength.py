"""Strength for equal time: Connect Four against OpenSpiel's C++ bot, which plays with its solver on.

Its mean CPU seconds a move, as measured so far in the same match, are what our search gets, in CPU seconds too; what a
search of ours takes beyond its budget (setting up, deciding) is taken off the next ones. Neither side keeps a tree.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from playout.bench import peers
from playout.bench.report import Row
from playout.bench.timing import Plan
from playout.game.load import load
from playout.intervals import wilson
from playout.planner.search import Search

LEVELS = (1_000, 10_000)
TARGET = 0.75
UCT_C = 2.0


class Allowance:
    """How long our search may take, so that over the match both sides use the same time."""

    def __init__(self) -> None:
        self.theirs, self.their_moves = 0.0, 0
        self.over, self.our_moves, self.ours = 0.0, 0, 0.0

    def note_theirs(self, seconds: float) -> None:
        """Their search took that long."""
        self.theirs, self.their_moves = self.theirs + seconds, self.their_moves + 1

    def note_ours(self, seconds: float, asked: float) -> None:
        """Ours took that long, having been asked for less."""
        self.ours, self.our_moves = self.ours + seconds, self.our_moves + 1
        self.over += seconds - asked

    @property
    def seconds(self) -> float:
        """What the next search gets."""
        mean = self.theirs / self.their_moves
        return max(mean / 5, mean - self.over / max(1, self.our_moves))


def their_move(bot: Any, board: Any, allowance: Allowance) -> int:
    began = time.process_time()
    action = int(bot.step(board))
    allowance.note_theirs(time.process_time() - began)
    return action


def play_game(theirs: Any, simulations: int, seed: int, our_side: int, allowance: Allowance) -> float:
    """One game; our points: 1, a half or 0."""
    game = load("connect-four")
    state, board = game.start(seed), theirs.new_initial_state()
    bot = peers.openspiel_bot(theirs, UCT_C, simulations, seed, solve=True)
    if not allowance.their_moves:
        their_move(bot, board, allowance)
    for ply in range(42):
        if state.over:
            break
        if state.mover == our_side:
            asked, began = allowance.seconds, time.process_time()
            search = Search(game, seed=64 * seed + ply, clock=time.process_time, fit=False)
            action = search.run(state, seconds=asked).action
            allowance.note_ours(time.process_time() - began, asked)
        else:
            action = their_move(bot, board, allowance)
        state = state.play(action)
        board.apply_action(action)
    return (state.returns[our_side] + 1) / 2


def match(simulations: int, games: int, plan: Plan, tell: Callable[[str], object]) -> Row:
    """A match of so many games, sides swapped after each."""
    name, text = (
        f"strength-{simulations}",
        f"points against OpenSpiel's C++ bot at {simulations:,} simulations a move, equal time",
    )
    words: dict[str, Any] = {"name": name, "game": "connect-four", "text": text, "unit": "points", "target": TARGET}
    words["peer"] = f"OpenSpiel's C++ bot, {simulations:,} simulations a move"
    try:
        theirs = peers.need("pyspiel", "open_spiel").load_game("connect_four")
    except peers.MissingPeer as missing:
        return Row(**words, note=str(missing))
    Search(load("connect-four")).run(simulations=100)  # compiled before the clock runs
    allowance, results = Allowance(), []
    for number in range(games):
        results.append(play_game(theirs, simulations, plan.seed + number // 2 + 1, number % 2, allowance))
        tell(f"{text}: {sum(results):g} of {len(results)}")
    points = sum(results)
    low, high = wilson(points, games)
    note = (
        f"{results.count(1.0)} won, {results.count(0.5)} drawn, {results.count(0.0)} lost; 95 % interval {low:.1%} to {high:.1%}; "
        f"CPU seconds a move {allowance.ours / max(1, allowance.our_moves):.4f} ours, "
        f"{allowance.theirs / allowance.their_moves:.4f} theirs"
    )
    share = points / games
    return Row(**words, ours=share, theirs=1 - share, ok=share > TARGET, note=note)
