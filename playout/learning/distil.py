"""A small network out of a big one: the small one learns to say what the big one says, on positions that the big one comes to.

    found = distil("connect-four", network.evaluate)      `found.network` is an `Embedded`, which plays without torch
    found.agreement, found.low, found.high                how often both would take the same action, on games that were kept apart

Any evaluator can be followed, a network or another function of states; on positions of its own games, or on those that are given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from playout.errors import PlayoutError
from playout.game.encoding import Encoding, encoding_of
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State
from playout.game.stream import DISTILLED, Stream
from playout.intervals import wilson
from playout.learning.embedded import Embedded, check_returns
from playout.planner.abreast import Abreast
from playout.planner.waiting import Evaluator

Array = np.ndarray[Any, Any]
HIDDEN = (64, 32)
POSITIONS = 20_000
TOGETHER = 256
"""Games that are played side by side, and positions in one step of training."""
APART = 0.1
"""The share of games that only measure."""
STRAY = 0.25
"""How often a game leaves what the evaluator would do: a search looks at such positions, too."""
EPOCHS, RATE = 40, 2e-3
LEAST = 100
"""Positions that are worth the effort."""
BLOCK = 1000
"""Given positions that are learned from, or kept apart, together."""
ROOM = 1_000_000_000
"""Bytes that positions may take as they are seen, which may be a hundred times what they take as records."""
ASKED = 4096
"""Positions that an evaluator is asked about at once."""


@dataclass(frozen=True, eq=False)
class Distilled:
    """A small network, and how well it follows what it was made from."""

    network: Embedded
    positions: int
    """Positions that it learned from, and those that were kept apart."""
    apart: int
    agreement: float
    """On the latter: how often both have the same best action, with its interval."""
    low: float
    high: float
    error: float
    """The root of the mean squared difference of the values, in the units of the returns."""

    def words(self) -> str:
        return (
            f"{self.network.layers.size:,} weights, learned from {self.positions:,} positions; on {self.apart:,} of other games the best action is the same in "
            f"{self.agreement:.1%} ({self.low:.1%} to {self.high:.1%}), and values differ by {self.error:.3g}"
        )


@dataclass(frozen=True, eq=False)
class _Met:
    """Positions with what the evaluator says of them, and the game that each is from."""

    states: Array
    movers: Array
    legal: Array
    shares: Array
    values: Array
    games: Array

    def sight(self, encoding: Encoding) -> Callable[[Array], Array]:
        """How some of them are seen: looked up where all fit into so much room, else made when they are asked for."""

        def seen(which: Array) -> Array:
            return encoding(np.ascontiguousarray(self.states[which]), self.movers[which]).reshape(len(which), -1)

        if 4 * encoding.size * len(self.states) > ROOM:
            return seen
        return seen(np.arange(len(self.states))).__getitem__


def distil(
    game: Game | str,
    evaluator: Evaluator,
    *,
    encoding: Encoding | None = None,
    returns: tuple[float, float] | None = None,
    hidden: tuple[int, ...] = HIDDEN,
    positions: int = POSITIONS,
    states: Array | None = None,
    epochs: int = EPOCHS,
    seed: int = 0,
    compiled: bool = True,
    tell: Callable[[str, float], None] | None = None,
) -> Distilled:
    """Make a small network that follows an evaluator; `returns` is the range of its values, where the game does not say it.

    It learns from so many `positions` of games that the evaluator plays, or from `states`, an array of the game's records in the order of
    the games that they are from, in which nobody has won yet.
    """
    rules = load(game)
    check_returns(getattr(getattr(evaluator, "__self__", evaluator), "reward", ""))
    span = returns or rules.returns_range
    if span is None:
        raise PlayoutError(f"game {rules.name!r} does not say what it can bring; pass returns=(lowest, highest)")
    if not hidden or min(hidden) < 1 or positions < LEAST:
        raise PlayoutError(
            f"hidden={hidden} and positions={positions} cannot be used; give at least one layer, and {LEAST} positions"
        )
    said = tell or (lambda doing, done: None)
    seen = encoding or encoding_of(rules, compiled)
    if states is None:
        met = _positions(rules, evaluator, positions, seed, lambda done: said("playing", done))
    else:
        met = _given(rules, evaluator, states, compiled, lambda done: said("asking", done))
    sight = met.sight(seen)
    learns = met.games >= APART * (met.games.max() + 1)
    sizes = [seen.size, *hidden, rules.actions + rules.players]
    layers = _train(seen.symmetries, met, sight, learns, sizes, span, epochs, seed, lambda done: said("learning", done))
    network = Embedded.stack(seen, sizes, layers, span)
    found = _measured(network, met, sight, np.flatnonzero(~learns), int(learns.sum()), span)
    network.made = {
        "positions": found.positions,
        "agreement": round(found.agreement, 4),
        "error": round(found.error, 4),
        "seed": seed,
    }
    return found


def _given(game: Game, evaluator: Evaluator, states: Array, compiled: bool, tell: Callable[[float], None]) -> _Met:
    """What the evaluator says of positions that are there already. Neighbours may be of one game, and stay together."""
    if states.dtype != game.dtype or states.ndim != 1 or len(states) < LEAST:
        raise PlayoutError(
            f"states is an array of {states.dtype} and shape {states.shape}; give at least {LEAST} records of {game.name!r} in a row"
        )
    look = Abreast(game, len(states), compiled=compiled)
    look.states[:] = states
    seen = look.look(np.arange(len(states)))
    if (seen.movers < 0).any():
        raise PlayoutError(
            f"state {int((seen.movers < 0).argmax())} of those given is over, and an evaluator is asked of none such"
        )
    legal = np.zeros((len(states), game.actions), bool)
    meant = np.arange(seen.ids.shape[1]) < seen.counts[:, None]
    legal[np.nonzero(meant)[0], seen.ids[meant]] = True
    shares, values = np.zeros((len(states), game.actions)), np.zeros((len(states), game.players))
    for first in range(0, len(states), ASKED):
        part = slice(first, first + ASKED)
        priors, found = evaluator(np.ascontiguousarray(states[part]))
        shares[part] = _shares(priors, legal[part])
        values[part] = _relative(np.asarray(found, np.float64), seen.movers[part])
        tell(min(1.0, (first + ASKED) / len(states)))
    # So that a tenth of them is a tenth, also where there are few.
    block = max(1, min(BLOCK, len(states) // 20))
    return _Met(states, seen.movers, legal, shares, values, np.arange(len(states)) // block)


def _relative(values: Array, movers: Array) -> Array:
    """Values by player, from the mover on."""
    players = values.shape[1]
    found: Array = np.take_along_axis(values, (np.arange(players)[None, :] + movers[:, None]) % players, axis=1)
    return found


def _positions(game: Game, evaluator: Evaluator, wanted: int, seed: int, tell: Callable[[float], None]) -> _Met:
    """Games by the evaluator's own policy, with a stray action now and then; what it says of every position on the way."""
    rows: dict[str, list[Array]] = {"states": [], "movers": [], "legal": [], "shares": [], "values": [], "games": []}
    running: list[tuple[int, State, Stream]] = []
    began = count = 0
    together = max(1, min(TOGETHER, wanted // 40))
    while count < wanted:
        while len(running) < together:
            stream = Stream(seed, DISTILLED, began)
            running.append((began, game.start(stream.below(1 << 31)), stream))
            began += 1
        running = [one for one in running if not one[1].over]
        if not running:
            continue
        movers = np.array([state.mover for _, state, _ in running])
        # In a game that hides something each is asked about a world: the truth is nobody's to learn from.
        worlds = [state.world(state.mover, stream) if game.hidden else state for _, state, stream in running]
        states = np.concatenate([world.copy_array() for world in worlds])
        priors, values = evaluator(states)
        legal = np.zeros((len(running), game.actions), bool)
        for row, (_, state, _) in enumerate(running):
            legal[row, list(state.legal)] = True
        shares = _shares(priors, legal)
        rows["states"].append(states)
        rows["movers"].append(movers)
        rows["legal"].append(legal)
        rows["shares"].append(shares)
        rows["values"].append(_relative(np.asarray(values, np.float64), movers))
        rows["games"].append(np.array([number for number, _, _ in running]))
        running = [(number, _next(state, stream, shares[row]), stream) for row, (number, state, stream) in enumerate(running)]
        count += len(states)
        tell(min(1.0, count / wanted))
    return _Met(**{name: np.concatenate(parts)[:wanted] for name, parts in rows.items()})


def _shares(priors: Array | None, legal: Array) -> Array:
    """Priors as shares of the legal actions; all alike where there are none."""
    weights = np.where(legal, 1.0 if priors is None else np.asarray(priors, np.float64), 0.0)
    total = weights.sum(axis=1, keepdims=True)
    shares: Array = np.where(total > 0, weights, legal) / np.where(total > 0, total, legal.sum(axis=1, keepdims=True))
    return shares


def _next(state: State, stream: Stream, shares: Array) -> State:
    if stream.uniform() < STRAY:
        return state.after(state.random(stream))
    drawn = int(np.searchsorted(np.cumsum(shares), stream.uniform() * shares.sum(), side="right"))
    return state.after(drawn if shares[min(drawn, len(shares) - 1)] > 0 else int(shares.argmax()))


def _train(
    mirrors: Any,
    met: _Met,
    sight: Callable[[Array], Array],
    learns: Array,
    sizes: list[int],
    span: tuple[float, float],
    epochs: int,
    seed: int,
    tell: Callable[[float], None],
) -> Array:
    """The weights of all layers, trained: cross-entropy with the shares, and the squared difference of the values.

    Adam (Kingma and Ba 2015), with a rate that falls along half a cosine; by hand, since a few small layers need no more than NumPy.
    """
    rng, (low, high) = np.random.default_rng(seed), span
    stack = _Stack(sizes, rng)
    rows = np.flatnonzero(learns)
    shares, values = met.shares.astype(np.float32), (2 * (met.values - low) / (high - low) - 1).astype(np.float32)
    steps = epochs * max(1, len(rows) // TOGETHER)
    first, second = np.zeros_like(stack.weights), np.zeros_like(stack.weights)
    for step in range(1, steps + 1):
        picked = rows[rng.integers(0, len(rows), TOGETHER)]
        batch, told, allowed = sight(picked), shares[picked], met.legal[picked]
        if mirrors is not None:
            which = rng.integers(0, mirrors.count, TOGETHER)
            batch, told, allowed = mirrors.encoded(batch, which), mirrors.policies(told, which), mirrors.policies(allowed, which)
        slope = stack.slope(batch, told, allowed, values[picked])
        first += (1 - 0.9) * (slope - first)
        second += (1 - 0.999) * (slope * slope - second)
        rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
        stack.weights -= np.float32(rate) * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + np.float32(1e-8))
        tell(step / steps)
    return stack.weights


class _Stack:
    """Layers whose weights lie in one row, as `Embedded` has them, and the slope of a loss along each weight."""

    def __init__(self, sizes: list[int], rng: np.random.Generator) -> None:
        self.sizes = sizes
        parts = [(rng.normal(0, (2 / inner) ** 0.5, inner * outer), np.zeros(outer)) for inner, outer in pairwise(sizes)]
        self.weights = np.concatenate([part for both in parts for part in both]).astype(np.float32)

    def parts(self, row: Array) -> list[tuple[Array, Array]]:
        """The tables and biases of the layers, as views of a row of weights."""
        found, at = [], 0
        for inner, outer in pairwise(self.sizes):
            table = row[at : at + inner * outer].reshape(inner, outer)
            found.append((table, row[at + inner * outer : at + inner * outer + outer]))
            at += inner * outer + outer
        return found

    def slope(self, batch: Array, shares: Array, legal: Array, values: Array) -> Array:
        """By the chain rule, from the outputs back."""
        layers, seen = self.parts(self.weights), [batch]
        for table, bias in layers[:-1]:
            seen.append(np.maximum(seen[-1] @ table + bias, 0))
        out = seen[-1] @ layers[-1][0] + layers[-1][1]
        actions, count = shares.shape[1], len(batch)
        logits = np.where(legal, out[:, :actions], -np.inf)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        told = np.tanh(out[:, actions:])
        back = np.empty_like(out)
        back[:, :actions] = (weights / weights.sum(axis=1, keepdims=True) - shares) / count
        back[:, actions:] = 2 * (told - values) * (1 - told * told) / values.size
        slope = np.empty_like(self.weights)
        for (table, _), (by_table, by_bias), x in zip(reversed(layers), reversed(self.parts(slope)), reversed(seen)):
            by_table[:], by_bias[:] = x.T @ back, back.sum(axis=0)
            back = (back @ table.T) * (x > 0)
        return slope


def _measured(
    network: Embedded, met: _Met, sight: Callable[[Array], Array], apart: Array, learned: int, span: tuple[float, float]
) -> Distilled:
    """How well it follows, on games that it did not learn from."""
    parts = np.split(apart, range(ASKED, len(apart), ASKED))
    out = np.concatenate([network.outputs(sight(part)) for part in parts])
    actions = network.game.actions
    best = np.where(met.legal[apart], out[:, :actions], -np.inf).argmax(axis=1)
    # Of several that the evaluator likes alike any will do.
    shares, count = met.shares[apart], len(apart)
    same = int((shares[np.arange(count), best] >= shares.max(axis=1, initial=0.0) - 1e-9).sum())
    values = span[0] + (np.tanh(out[:, actions:].astype(np.float64)) + 1) * (span[1] - span[0]) / 2
    low, high = wilson(same, count)
    error = float(np.sqrt(((values - met.values[apart]) ** 2).mean())) if count else 0.0
    return Distilled(network, learned, count, same / max(1, count), low, high, error)
