"""What an agent plays everywhere: it is asked several times at every information set, as a referee would ask.

Each time it has another seed and gets a world of the set, drawn from what its player knows; the true state is never shown. It
is asked afresh, with nothing kept from its earlier moves. How often it chose each action is its policy as far as it was seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np

from playout.agents import Agent, Recipe, ask, recipe, wants_history
from playout.agents.search_agent import PRESETS
from playout.errors import PlayoutError
from playout.game.load import parse_spec
from playout.game.stream import INFO_SETS, Stream
from playout.planner.opinion import Z
from playout.truth.imperfect.best_response import PLAYERS, exploitability_of, reply_to, value_of
from playout.truth.imperfect.policy import Policy, uniform
from playout.truth.imperfect.tree import Array, InfoSet, Tree

DRAWS = 200
"""Resamplings behind an interval."""
PARTS = 5
"""Into how many the decisions are divided, to pay replies by what they were not made for."""
FEWEST = 2
DIVISIONS = 20
DRAW, DIVIDE = 2, 3
"""What else is random: the resampling, and the division into parts."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f})"


@dataclass(frozen=True, eq=False)
class SearchPolicy:
    """The decisions of an agent at every information set, several at each."""

    tree: Tree
    name: str
    """The agent's string."""
    samples: Array
    """[repeat, slot]: 1 for the action that was chosen, 0 for the others; or the shares of the visits."""
    seed: int
    asked: int
    """Decisions in all; where only one action is legal nobody is asked."""

    @property
    def repeats(self) -> int:
        return len(self.samples)

    @cached_property
    def policy(self) -> Policy:
        """The mean over the repeats."""
        return Policy(self.tree, self.samples.mean(0))

    @cached_property
    def value(self) -> Estimate:
        """What player 0 gets when the agent plays against itself. No bias: on a path every set is met once."""
        point = value_of(self.tree, self.policy.vector)
        noise = self._noise([value_of(self.tree, vector) for vector in self._resampled])
        return Estimate(point, point - noise, point + noise)

    @cached_property
    def exploitability(self) -> Estimate:
        """How far the agent is from an equilibrium, with an interval that covers both the noise and the bias.

        The value is that of the policy as it was seen. A best reply to few decisions also exploits their chance, so on average
        this is too high. The other way round, a reply that was made for some of the decisions and is paid by the others is on
        average no better than the agent's best opponent: too low. The interval goes from the second less its noise to the
        first plus its noise, each found by resampling the decisions at every set.
        """
        tree, seen = self.tree, self.policy.vector
        point = exploitability_of(tree, seen)
        above = self._noise([exploitability_of(tree, vector) for vector in self._resampled])
        replies = _replies(tree, seen)
        below = self._noise([_gain(tree, replies, vector) for vector in self._resampled])
        low = self._held_out() - below
        return Estimate(point, max(0.0, min(point, low)), point + above)

    @cached_property
    def _resampled(self) -> list[Array]:
        """Policies from as many decisions, drawn from those that were seen, apart at every information set.

        One made-up decision, all actions alike, is among them, so that five alike in five do not look like certainty. Only the
        spread of these policies is used.
        """
        rng = np.random.default_rng([self.seed, DRAW])
        seen = np.vstack([self.samples, uniform(self.tree).vector])
        shares, sets = np.full(len(seen), 1 / len(seen)), len(self.tree.info_sets)
        times = (rng.multinomial(self.repeats, shares, size=sets)[self.tree.slot_info].T for _ in range(DRAWS))
        return [(seen * often).sum(0) / self.repeats for often in times]

    def _noise(self, numbers: list[float]) -> float:
        """Half of a 95 % interval. Resampled decisions vary less than new ones, by one part in `repeats`."""
        return Z * float(np.std(numbers)) * math.sqrt(self.repeats / (self.repeats - 1))

    def _held_out(self) -> float:
        """What replies gain, per player, from decisions that they were not made for; the mean over some divisions."""
        rng, total = np.random.default_rng([self.seed, DIVIDE]), 0.0
        for _ in range(DIVISIONS):
            for part in np.array_split(rng.permutation(self.repeats), min(PARTS, self.repeats)):
                replies = _replies(self.tree, np.delete(self.samples, part, axis=0).mean(0))
                total += len(part) * _gain(self.tree, replies, self.samples[part].mean(0))
        return total / (DIVISIONS * self.repeats)


def _replies(tree: Tree, vector: Array) -> list[Array]:
    """Each player's best reply to a policy."""
    return [reply_to(tree, vector, player)[1] for player in range(PLAYERS)]


def _gain(tree: Tree, replies: list[Array], vector: Array) -> float:
    """What the replies gain, per player, from opponents who play by a vector."""
    met = [value_of(tree, np.where(tree.slot_player == player, reply, vector)) for player, reply in enumerate(replies)]
    return (met[0] - met[1]) / PLAYERS


def search_policy(
    tree: Tree,
    agent: str | Recipe = "ismcts",
    *,
    simulations: int | None = None,
    repeats: int = 10,
    seed: int = 0,
    shares: bool = False,
    show: Callable[[int, int], None] = lambda done, wanted: None,
) -> SearchPolicy:
    """Ask an agent at every information set, `repeats` times with different seeds and worlds.

    `simulations` is the budget of a search that names none. `shares` takes the shares of the visits in place of the action
    chosen, as if the agent would draw its action from them. `show(done, wanted)` is told of the progress.
    """
    if repeats < FEWEST:
        raise PlayoutError(f"repeats is {repeats}; it must be at least {FEWEST}, since the interval compares decisions")
    maker = agent if isinstance(agent, Recipe) else recipe(with_budget(agent, simulations), tree.game)
    if maker.peeks:
        raise PlayoutError(
            f"{maker.name!r} is shown the true state, so what it plays is no policy on information sets; use ismcts"
        )
    maker.prepare()
    wanted = repeats * sum(len(known.actions) > 1 for known in tree.info_sets)
    samples, done = np.zeros((repeats, tree.slots)), 0
    for known in tree.info_sets:
        start = tree.arrays.offset[known.number]
        for repeat in range(repeats):
            mine = samples[repeat, start : start + len(known.actions)]
            if len(known.actions) == 1:
                mine[0] = 1.0
                continue
            decider = maker.make(_seed(seed, known.number, repeat))
            mine[:] = _asked(decider, known, Stream(seed, INFO_SETS + known.number, repeat), shares)
            done += 1
            show(done, wanted)
    return SearchPolicy(tree, maker.name, samples, seed, done)


def _seed(*numbers: int) -> int:
    """A seed for one decision: by a hash, so that decisions have nothing in common."""
    return int.from_bytes(blake2b(repr(numbers).encode(), digest_size=8).digest(), "little") >> 2


def with_budget(agent: str, simulations: int | None) -> str:
    """The agent's string with a number of simulations, where it is a search that names no budget."""
    if simulations is None or agent.partition(":")[0].strip() not in PRESETS:
        return agent
    words = parse_spec(agent)[1]
    if {"simulations", "seconds"} & words.keys():
        return agent
    return f"{agent}{',' if words else ':'}simulations={simulations}"


def _asked(agent: Agent, known: InfoSet, stream: Stream, shares: bool) -> list[float]:
    """One decision at an information set: 1 for the action chosen, or the shares of the visits."""
    seen = known.state.world(known.player, stream)
    if wants_history(agent):
        seen.history = known.key
    action, decision = ask(agent, seen)
    if not shares:
        return [float(action == other) for other in known.actions]
    if decision is None:
        raise PlayoutError(f"agent {agent.name!r} does not search, so it has no visits to take shares of; leave shares out")
    visits = [decision[other].visits for other in known.actions]
    return [count / sum(visits) for count in visits] if len(visits) > 1 else [1.0]
