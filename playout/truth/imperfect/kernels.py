"""The loops over a tree, as plain functions that `compile.shared` makes machine code of: the tree is arrays, so one code serves all games.

Nothing here allocates; who calls hands over the room that is needed. Nothing calls itself either, since such code is not kept on disk.

MCCFR after Lanctot, Waugh, Zinkevich, Bowling, "Monte Carlo sampling for regret minimization in extensive games", 2009; CFR+
after Tammelin, "Solving large imperfect information games using CFR+", 2014. The names: `regret` and `total` (of the average
policy) have a place for every action of every information set, and `tree` is `Arrays`.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import hot
from playout.game.stream import uniform
from playout.truth.imperfect.tree import CHANCE, END


def expected(tree: Any, policy: Any, value: Any) -> float:
    """What player 0 gets when both follow the policy; `value` is filled for every history."""
    for node in range(len(tree.mover) - 1, -1, -1):
        _back_up(tree, policy, value, node)
    return float(value[0])


@hot
def _back_up(tree: Any, policy: Any, value: Any, node: int) -> None:
    kind, first = tree.mover[node], tree.first[node]
    if kind == END:
        value[node] = tree.payoff[node]
        return
    mean = 0.0
    for place in range(tree.width[node]):
        if kind == CHANCE:
            mean += tree.chance[first + place] * value[first + place]
        else:
            mean += policy[tree.offset[tree.info[node]] + place] * value[first + place]
    value[node] = mean


@hot
def reach_by(tree: Any, policy: Any, player: int, alone: bool, reach: Any) -> None:
    """The probability with which a player's own actions (alone), or else all that is not its own, lead to each history."""
    reach[0] = 1.0
    for node in range(len(tree.mover)):
        kind, first = tree.mover[node], tree.first[node]
        for place in range(tree.width[node]):
            share = 1.0
            if (kind == player) == alone:
                share = tree.chance[first + place] if kind == CHANCE else policy[tree.offset[tree.info[node]] + place]
            reach[first + place] = reach[node] * share


def best_reply(tree: Any, order: Any, player: int, policy: Any, reach: Any, worth: Any, choice: Any, value: Any) -> float:
    """What the player gets by answering the policy as well as possible; `choice` is its action per information set.

    Backward: `worth` adds up what each action is worth over all histories that the player cannot tell apart, weighted with
    the others' reach. That is complete before the choice is made, since the order goes by how often the player has acted.
    """
    sign = 1.0 if player == 0 else -1.0
    reach_by(tree, policy, player, False, reach)
    worth[:] = 0.0
    for group in range(0, len(order.marks) - 1, 2):
        start, middle, stop = order.marks[group], order.marks[group + 1], order.marks[group + 2]
        for place in range(start, middle):
            node = order.nodes[place]
            for action in range(tree.width[node]):
                worth[tree.offset[tree.info[node]] + action] += sign * reach[node] * value[tree.first[node] + action]
        for place in range(start, middle):
            node = order.nodes[place]
            slot, best = tree.offset[tree.info[node]], 0
            for action in range(1, tree.width[node]):
                if worth[slot + action] > worth[slot + best]:
                    best = action
            choice[tree.info[node]] = best
            value[node] = value[tree.first[node] + best]
        for place in range(middle, stop):
            _back_up(tree, policy, value, order.nodes[place])
    return float(sign * value[0])


@hot
def match_regrets(regret: Any, start: int, count: int, policy: Any) -> None:
    """Actions in proportion to their positive regrets; all alike where there is none."""
    total = 0.0
    for slot in range(start, start + count):
        total += max(0.0, regret[slot])
    for slot in range(start, start + count):
        policy[slot] = max(0.0, regret[slot]) / total if total > 0 else 1.0 / count


def plus(tree: Any, iterations: int, done: int, regret: Any, total: Any, policy: Any, reach: Any, own: Any, value: Any) -> None:
    """CFR+: the whole tree every time, players in turn, regrets never below 0, late policies weighing more."""
    for iteration in range(done + 1, done + iterations + 1):
        for player in range(2):
            sign = 1.0 if player == 0 else -1.0
            for info in range(len(tree.offset) - 1):
                match_regrets(regret, tree.offset[info], tree.offset[info + 1] - tree.offset[info], policy)
            reach_by(tree, policy, player, True, reach)
            for node in range(len(tree.mover)):
                if tree.mover[node] == player:
                    own[tree.info[node]] = reach[node]  # the same all over the set: nobody forgets its own actions
            reach_by(tree, policy, player, False, reach)
            expected(tree, policy, value)
            for node in range(len(tree.mover)):
                if tree.mover[node] != player:
                    continue
                slot = tree.offset[tree.info[node]]
                for action in range(tree.width[node]):
                    gain = value[tree.first[node] + action] - value[node]
                    regret[slot + action] += sign * reach[node] * gain
            for info in range(len(tree.offset) - 1):
                for slot in range(tree.offset[info], tree.offset[info + 1]):
                    regret[slot] = max(0.0, regret[slot])
                    total[slot] += iteration * own[info] * policy[slot]
            own[:] = 0.0


@hot
def draw(shares: Any, start: int, count: int, rng: Any) -> int:
    """A place from 0 to count - 1 with the probabilities that stand from `start` on."""
    left = uniform(rng)
    for place in range(count - 1):
        left -= shares[start + place]
        if left < 0:
            return place
    return count - 1


@hot
def sampled(tree: Any, node: int, player: int, regret: Any, total: Any, policy: Any, rng: Any) -> int:
    """From a history on, one draw for chance and one for the other player, up to the player's next decision or the end."""
    while tree.mover[node] != player and tree.mover[node] != END:
        if tree.mover[node] == CHANCE:
            node = tree.first[node] + draw(tree.chance, tree.first[node], tree.width[node], rng)
            continue
        slot, count = tree.offset[tree.info[node]], tree.width[node]
        match_regrets(regret, slot, count, policy)
        for action in range(count):
            total[slot + action] += policy[slot + action]
        node = tree.first[node] + draw(policy, slot, count, rng)
    return node


@hot
def external(tree: Any, player: int, regret: Any, total: Any, policy: Any, room: Any, path: Any, rng: Any) -> None:
    """External sampling: one draw for chance and for the other player, every action of one's own.

    `path` keeps the player's decisions on the way and the action that is being tried there, `room` what its actions gained.
    """
    node, depth = 0, 0
    while True:
        node = sampled(tree, node, player, regret, total, policy, rng)
        if tree.mover[node] == player:
            match_regrets(regret, tree.offset[tree.info[node]], tree.width[node], policy)
            path[depth, 0], path[depth, 1] = node, 0
            node = tree.first[node]
            depth += 1
            continue
        gain = float(tree.payoff[node] if player == 0 else -tree.payoff[node])
        while depth > 0:
            above, action = path[depth - 1, 0], path[depth - 1, 1]
            room[depth - 1, action] = gain
            if action + 1 < tree.width[above]:
                path[depth - 1, 1] = action + 1
                node = tree.first[above] + action + 1
                break
            depth -= 1
            gain = _settle(tree, above, regret, policy, room[depth])
        if depth == 0:
            return


@hot
def _settle(tree: Any, node: int, regret: Any, policy: Any, gains: Any) -> float:
    """Where every action was tried: the regret of each, and what the decision gains on average."""
    slot, count, mean = tree.offset[tree.info[node]], tree.width[node], 0.0
    for action in range(count):
        mean += policy[slot + action] * gains[action]
    for action in range(count):
        regret[slot + action] += gains[action] - mean
    return mean


def external_rounds(tree: Any, iterations: int, regret: Any, total: Any, policy: Any, room: Any, path: Any, rng: Any) -> None:
    """In every iteration each player learns once."""
    for _ in range(iterations):
        for player in range(2):
            external(tree, player, regret, total, policy, room, path, rng)


@hot
def outcome(tree: Any, player: int, explore: float, regret: Any, total: Any, policy: Any, path: Any, odds: Any, rng: Any) -> None:
    """Outcome sampling: one course of the game; the player explores, and what was found is weighted by how rare it was.

    Chance and the opponent are drawn as they play, so their part of the rarity cancels. `path` keeps the histories and actions
    on the way, `odds` how rare the player made it to get there and how likely it then was to take the action.
    """
    node, length, rarity = 0, 0, 1.0
    while tree.mover[node] != END:
        first, count = tree.first[node], tree.width[node]
        if tree.mover[node] == CHANCE:
            node = first + draw(tree.chance, first, count, rng)
            continue
        slot = tree.offset[tree.info[node]]
        match_regrets(regret, slot, count, policy)
        action = draw(policy, slot, count, rng)
        share = policy[slot + action]
        path[length, 0], odds[length, 0] = node, rarity
        if tree.mover[node] == player:
            if uniform(rng) < explore:
                action = min(count - 1, int(uniform(rng) * count))
            share = explore / count + (1.0 - explore) * policy[slot + action]
            rarity /= share
        path[length, 1], odds[length, 1] = action, share
        length += 1
        node = first + action
    gain = tree.payoff[node] if player == 0 else -tree.payoff[node]
    _learn(tree, player, gain, regret, total, policy, path, odds, length)


@hot
def _learn(tree: Any, player: int, gain: float, regret: Any, total: Any, policy: Any, path: Any, odds: Any, length: int) -> None:
    """Back along a sampled course: the estimate of an action is the gain by its odds, that of the others is 0.

    Averages are kept where the opponent decides: there the weights are bounded by the exploration, at the player's own sets
    they are not. Leduc poker, 8 million iterations, seed 1: exploitability 0.036 this way, 0.074 the other.
    """
    for step in range(length - 1, -1, -1):
        node, taken, rarity = path[step, 0], path[step, 1], odds[step, 0]
        slot, count = tree.offset[tree.info[node]], tree.width[node]
        if tree.mover[node] != player:
            for action in range(count):
                total[slot + action] += rarity * policy[slot + action]
            continue
        found = gain / odds[step, 1]
        gain = policy[slot + taken] * found
        for action in range(count):
            regret[slot + action] += rarity * ((found if action == taken else 0.0) - gain)


def outcome_rounds(
    tree: Any, iterations: int, explore: float, regret: Any, total: Any, policy: Any, path: Any, odds: Any, rng: Any
) -> None:
    """In every iteration each player learns once."""
    for _ in range(iterations):
        for player in range(2):
            outcome(tree, player, explore, regret, total, policy, path, odds, rng)
