"""A solved policy in the game's own words: what each player sees, what it has done, and with which probability it does what."""

from __future__ import annotations

import numpy as np

from playout.agents.strategy_agent import Share, Situation, Strategy
from playout.learning.policy import fingerprint
from playout.truth.imperfect.mccfr import Solution
from playout.truth.imperfect.tree import CHANCE, Array, Tree


def strategy(solution: Solution) -> Strategy:
    """The strategy of a solution, to show and to keep; `Strategy.save` writes it, and the agent policy:FILE plays by it."""
    tree, game = solution.tree, solution.tree.game
    vector = solution.policy.vector
    reach, earlier = _reach(tree, vector), _own_actions(tree)
    situations = []
    for known in tree.info_sets:
        start = tree.arrays.offset[known.number]
        shares = tuple(
            Share(action, known.state.name(action, known.player), float(vector[start + place]))
            for place, action in enumerate(known.actions)
        )
        situations.append(
            Situation(
                key=known.key.hex(),
                player=known.player,
                sees=known.state.draw(known.player),
                after=earlier[known.number],
                reach=float(reach[known.number]),
                actions=shares,
            )
        )
    return Strategy(
        game=game.base,
        parameters=game.parameters,
        fingerprint=fingerprint(game),
        method=solution.method,
        iterations=solution.iterations,
        seed=solution.seed,
        value=solution.value,
        exploitability=solution.exploitability,
        situations=tuple(situations),
    )


def _reach(tree: Tree, vector: Array) -> Array:
    """How likely each information set comes up when both play by the policy."""
    arrays = tree.arrays
    likely, found = np.zeros(tree.histories), np.zeros(len(tree.info_sets))
    likely[0] = 1.0
    for node in range(tree.histories):
        first, width, info = int(arrays.first[node]), int(arrays.width[node]), int(arrays.info[node])
        if info >= 0:
            found[info] += likely[node]
        if width:
            start = 0 if info < 0 else int(arrays.offset[info])
            shares = arrays.chance[first : first + width] if arrays.mover[node] == CHANCE else vector[start : start + width]
            likely[first : first + width] = likely[node] * shares
    return found


def _own_actions(tree: Tree) -> list[tuple[str, ...]]:
    """For every information set the names of what its player did before; the same in all its histories."""
    arrays, nobody = tree.arrays, ((), ())
    done: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {0: nobody}
    found: list[tuple[str, ...]] = [()] * len(tree.info_sets)
    for node in range(tree.histories):
        before, mover = done.pop(node, nobody), int(arrays.mover[node])
        known = tree.info_sets[arrays.info[node]] if arrays.info[node] >= 0 else None
        if known is not None:
            found[known.number] = before[mover]
        for place in range(int(arrays.width[node])):
            after = before
            if known is not None:
                mine = (*before[mover], known.state.name(known.actions[place], mover))
                after = (before[0], mine) if mover else (mine, before[1])
            done[int(arrays.first[node]) + place] = after
    return found
