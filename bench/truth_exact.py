"""What is known of positions that `playout solve` cannot tell: Pig by value iteration, several players by backward induction, and, where
nothing is known, what long searches agree on. Written out here, apart from the library that is judged by it."""

from __future__ import annotations

from typing import Any

import playout

Chances = list[list[list[float]]]

CLEAR = 0.01
"""How far the chances of the two actions of Pig must be apart: of closer ones it hardly matters which is chosen."""
LONG, VOTES, AGREED = 30_000, 6, 5
"""Simulations of the long searches, how many there are, and how many of them must choose the same action."""
KINDS: tuple[dict[str, Any], ...] = ({}, {"playout": "uniform", "rave": None, "cutoff": None, "decisive_playouts": "off"})
"""Whose votes they are in turn: the defaults and plain playouts, so that the set flatters neither of the two when they are compared."""


def pig_chances(target: int) -> Chances:
    """p[i][j][k]: the chance to win of the player to act with i points, the other having j, and k in this turn (0 before its first roll).

    Value iteration (Neller and Presser, "Optimal play of the dice game Pig", 2004): who has i + k points or more than the target has won, a
    1 hands over with i, and holding hands over with i + k. Points only grow, so pairs of scores are settled one by one, the highest first.
    """
    p = [[[1.0] * target for _ in range(target)] for _ in range(target)]
    for total in reversed(range(2 * target - 1)):
        for i in range(max(0, total - target + 1), total // 2 + 1):
            j = total - i
            p[i][j][0] = p[j][i][0] = 0.5
            change = 1.0
            while change > 1e-12:
                before = p[i][j][0] + p[j][i][0]
                for mine, other in ((i, j), (j, i)):
                    for k in reversed(range(target - mine)):
                        roll, hold = pig_values(p, mine, other, k)
                        p[mine][other][k] = roll if k == 0 else max(roll, hold)
                change = abs(p[i][j][0] + p[j][i][0] - before)
    return p


def pig_values(p: Chances, i: int, j: int, k: int) -> tuple[float, float]:
    """(roll, hold): the chance of the player to act."""
    target = len(p)
    roll = 1.0 - p[j][i][0]
    for die in range(2, 7):
        roll += 1.0 if i + k + die >= target else p[i][j][k + die]
    return roll / 6, 1.0 - p[j][i + k][0]


def pig_positions(target: int, wanted: int, seed: int) -> list[dict[str, Any]]:
    """States of both players with a choice, where it matters which action is chosen."""
    p = pig_chances(target)
    stream, found = playout.Stream(seed), []
    while len(found) < wanted:
        # Turns of more than 40 points are rare, whatever is played.
        mine, other, turn = stream.below(target), stream.below(target), 2 + stream.below(min(39, target - 2))
        if mine + turn >= target:
            continue
        roll, hold = pig_values(p, mine, other, turn)
        if abs(roll - hold) >= CLEAR:
            player = stream.below(2)
            banked = [mine, other] if player == 0 else [other, mine]
            values = {"0": round(2 * roll - 1, 6), "1": round(2 * hold - 1, 6)}
            found.append({"state": {"banked": banked, "turn": turn, "mover": player, "die": 2}, "values": values})
    return found


Vector = tuple[float, ...]


class Induction:
    """Backward induction for any number of players without chance: every mover takes what gives itself most (max^n, Luckhardt and Irani
    1986).

    Of actions that are equally good for the mover nobody knows which it takes, and the others may care. So a state has all vectors of
    returns that some way of breaking ties gives, and only what holds for all of them is known.
    """

    def __init__(self) -> None:
        self.known: dict[bytes, frozenset[Vector]] = {}

    def outcomes(self, state: playout.State) -> frozenset[Vector]:
        """What everybody may get."""
        if state.over:
            return frozenset([tuple(float(v) for v in state.returns)])
        name = bytes(state)
        if name not in self.known:
            after = [self.outcomes(state.play(action)) for action in state.legal]
            sure = [min(v[state.mover] for v in part) for part in after]
            found = set()
            for place, part in enumerate(after):
                # The mover takes it unless another action is better whatever later movers do.
                least = max((value for other, value in enumerate(sure) if other != place), default=-float("inf"))
                found |= {v for v in part if v[state.mover] >= least}
            self.known[name] = frozenset(found)
        return self.known[name]

    def values(self, state: playout.State) -> dict[str, float] | None:
        """The least that every action is worth to the mover; None where ties decide whether one of them is right."""
        spans = {}
        for action in state.legal:
            own = [v[state.mover] for v in self.outcomes(state.play(action))]
            spans[str(action)] = min(own), max(own)
        best = max(low for low, _ in spans.values())
        doubtful = sum(low < best <= high for low, high in spans.values())
        unequal = [high for low, high in spans.values() if low == best and high > best]
        right = sum(low == best for low, _ in spans.values())
        return None if doubtful or (unequal and right > 1) else {action: low for action, (low, _) in spans.items()}


def agreed(state: playout.State, seed: int) -> dict[str, float] | None:
    """1 for the action that long searches with different seeds agree on and 0 for the others; None where they do not."""
    votes = [
        int(
            playout.Search(state.game, seed=seed + 7919 * vote, fit=False, **KINDS[vote % 2])
            .choose(state, simulations=LONG)
            .action
        )
        for vote in range(VOTES)
    ]
    most = max(set(votes), key=votes.count)
    return None if votes.count(most) < AGREED else {str(action): float(action == most) for action in state.legal}
