"""How well a policy can be answered, exactly: its value, the best reply to it, and its exploitability.

NashConv is what both players could gain together by each answering the other's policy as well as possible. Divided by the two
players it is the exploitability: 0 at an equilibrium, never negative, in the units of the returns (in poker: antes).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from playout.compile import shared
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.truth.imperfect import kernels
from playout.truth.imperfect.policy import Behaviour, Policy, vector_of
from playout.truth.imperfect.tree import Array, Tree, game_tree

PLAYERS = 2


@dataclass(frozen=True)
class Reply:
    """The best answer of one player to a policy."""

    player: int
    value: float
    """What it gets."""
    policy: Policy
    """It plays one action for sure wherever it decides; elsewhere this is the policy that was answered."""


def value(tree: Tree, policy: Behaviour) -> float:
    """What player 0 gets on average when both follow the policy; player 1 gets the opposite."""
    return value_of(tree, vector_of(tree, policy))


def best_response(tree: Tree, policy: Behaviour, player: int) -> float:
    """What a player gets, on average, by answering the other's policy as well as possible."""
    return best_reply(tree, policy, player).value


def best_reply(tree: Tree, policy: Behaviour, player: int) -> Reply:
    """The best answer itself, with its value. Of equally good actions it takes the one with the lowest id."""
    if player not in (0, 1):
        raise PlayoutError(f"player is {player!r}; it must be 0 or 1")
    gain, answer = reply_to(tree, vector_of(tree, policy), player)
    return Reply(player, gain, Policy(tree, answer))


def exploitability(game: Tree | Game | str, policy: Behaviour) -> float:
    """NashConv divided by the number of players, in the units of the returns: how far a policy is from an equilibrium.

    A game is enumerated first; hand over its tree where several policies are asked about.

    >>> from playout.truth import game_tree, uniform
    >>> tree = game_tree("kuhn-poker")
    >>> round(exploitability(tree, uniform(tree)), 6)
    0.458333
    """
    tree = game if isinstance(game, Tree) else game_tree(game)
    return exploitability_of(tree, vector_of(tree, policy))


# The same with policies as vectors, unchecked


def value_of(tree: Tree, vector: Array) -> float:
    """`value` of a vector."""
    return float(shared(kernels.expected)(tree.arrays, vector, np.zeros(tree.histories)))


def reply_to(tree: Tree, vector: Array, player: int) -> tuple[float, Array]:
    """(gain, policy): a player's best answer to a vector."""
    choice, room = np.zeros(len(tree.info_sets), np.int32), np.zeros((2, tree.histories))
    order, worth = tree.orders[player], np.zeros(tree.slots)
    gain = shared(kernels.best_reply)(tree.arrays, order, player, vector, room[0], worth, choice, room[1])
    mine = tree.slot_player == player
    chosen = np.arange(tree.slots) - tree.arrays.offset[tree.slot_info] == choice[tree.slot_info]
    return float(gain), np.where(mine, chosen.astype(np.float64), vector)


def exploitability_of(tree: Tree, vector: Array) -> float:
    """`exploitability` of a vector. The players' values cancel, since the game is zero-sum."""
    return sum(reply_to(tree, vector, player)[0] for player in range(PLAYERS)) / PLAYERS
