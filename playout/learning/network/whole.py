"""A network as it is, for the kernel of a search: nothing is learned anew, and nothing but roundings is lost.

The kernel evaluates it one position at a time and needs no torch. Of the library's own shapes each becomes steps (`learning.steps`): a tower sums
over neighbours, a transformer attends, a stack goes from layer to layer. Normalisations that training has settled are put into the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.engine.layers import CUT, CUT_AFTER, SMOOTH, TINY
from playout.errors import PlayoutError
from playout.learning.embedded import Embedded, check_returns
from playout.learning.network.file import OWN
from playout.learning.network.network import Network, random_positions
from playout.learning.steps import MOST_WEIGHTS, Plan

Array = np.ndarray[Any, Any]
Arrays = dict[str, Array]
Board = tuple[int, int]


def whole(network: Network) -> Embedded:
    """The same network for the kernel."""
    if network.shape == OWN:
        raise PlayoutError(
            "the network is a module of your own, and the kernel knows the steps of the library's shapes alone; teach a small one what it says: "
            "playout.learning.distil.distil(network.game, network.evaluate)"
        )
    game, encoding, arrays = network.game, network.encoding, network.arrays()
    check_returns(network.reward)
    if sum(array.size for array in arrays.values()) > MOST_WEIGHTS:
        raise PlayoutError(f"the network has more than {MOST_WEIGHTS:,} weights; teach a small one what it says (--layers 64,32)")
    plan = Plan(encoding.size, game.actions + game.players)
    cells, board = {"tower": _tower, "transformer": _transformer, "stack": _stack}[network.shape](plan, arrays, encoding.shape)
    _heads(plan, arrays, cells, board, game.players)
    made = {"whole": f"{network.shape}, {network.size}"}
    return Embedded(encoding, plan.steps, plan.layers, network.returns, made)


def differences(network: Network, small: Embedded) -> tuple[int, float, float]:
    """(positions of a few random games, by how much shares differ there at most, and values)."""
    states = np.concatenate([state.copy_array() for state in random_positions(network.game) if not state.over])
    (shares, values), (found, worth) = network.evaluate(states), small.evaluate(states)
    return len(states), float(np.abs(shares - found).max()), float(np.abs(values - worth).max())


def _tower(plan: Plan, arrays: Arrays, shape: tuple[int, ...]) -> tuple[int, Board]:
    planes, *rest = shape
    board = rest[0], rest[1]
    seen = plan.turn(0, planes, board)
    x = plan.cells(seen, *_convolution(arrays, "begin"), board, CUT)
    for block in range(_count(arrays, "blocks")):
        inside = plan.cells(x, *_convolution(arrays, f"blocks.{block}.first"), board, CUT)
        after = plan.cells(inside, *_convolution(arrays, f"blocks.{block}.second"), board, CUT_AFTER, past=x)
        plan.free(x, inside)
        x = after
    return x, board


def _convolution(arrays: Arrays, name: str) -> tuple[Array, Array]:
    """(weights of (inner, up, across, outer), bias) of a convolution with its normalisation."""
    table = arrays[f"{name}.conv.weight"].astype(np.float64)
    gain, shift, mean, spread = (
        arrays[f"{name}.norm.{part}"].astype(np.float64) for part in ("weight", "bias", "running_mean", "running_var")
    )
    scale = gain / np.sqrt(spread + TINY)
    return (table * scale[:, None, None, None]).transpose(1, 2, 3, 0), shift - mean * scale


def _transformer(plan: Plan, arrays: Arrays, shape: tuple[int, ...]) -> tuple[int, Board]:
    from playout.learning.network.shapes import HEAD_WIDTH

    board = shape[0], 1
    table, bias = _layer(arrays, "begin")
    # What place a token has is learned, and is the same in every position.
    x = plan.cells(0, table, bias[None, :] + arrays["places"], board)
    width = table.shape[1]
    for block in range(_count(arrays, "blocks")):
        name = f"blocks.{block}"
        drawn = plan.norm(x, *_norm(arrays, f"{name}.before"), board)
        asked = plan.cells(drawn, *_layer(arrays, f"{name}.asked"), board)
        heard = plan.attend(asked, width, max(1, width // HEAD_WIDTH), board)
        after = plan.cells(heard, *_layer(arrays, f"{name}.told"), board, past=x)
        plan.free(x, drawn, asked, heard)
        drawn = plan.norm(after, *_norm(arrays, f"{name}.after"), board)
        wide = plan.cells(drawn, *_layer(arrays, f"{name}.wide"), board, SMOOTH)
        x = plan.cells(wide, *_layer(arrays, f"{name}.narrow"), board, past=after)
        plan.free(after, drawn, wide)
    return plan.norm(x, *_norm(arrays, "norm"), board), board


def _stack(plan: Plan, arrays: Arrays, shape: tuple[int, ...]) -> tuple[int, Board]:
    x, blocks = plan.cells(0, *_layer(arrays, "begin")), _count(arrays, "blocks")
    for block in range(blocks):
        drawn = plan.norm(x, *_norm(arrays, f"blocks.{block}.norm"))
        bend = CUT | CUT_AFTER if block == blocks - 1 else CUT
        after = plan.cells(drawn, *_layer(arrays, f"blocks.{block}.layer"), bend=bend, past=x)
        plan.free(x, drawn)
        x = after
    return x, (1, 1)


def _heads(plan: Plan, arrays: Arrays, cells: int, board: Board, players: int) -> None:
    """Policy and values; further targets are of no use to a search."""
    asked = plan.cells(cells, *_layer(arrays, "heads.to_policy"), board, CUT)
    table, bias = _layer(arrays, "heads.policy")
    plan.cells(asked, table, bias, to=plan.out)
    judged = plan.cells(cells, *_layer(arrays, "heads.to_values"), board, CUT)
    hidden = plan.cells(judged, *_layer(arrays, "heads.hidden"), bend=CUT)
    judge, level = _layer(arrays, "heads.values")
    plan.cells(hidden, judge[:, :players], level[:players], to=plan.out + len(bias))


def _layer(arrays: Arrays, name: str) -> tuple[Array, Array]:
    return arrays[f"{name}.weight"].T, arrays[f"{name}.bias"]


def _norm(arrays: Arrays, name: str) -> tuple[Array, Array]:
    return arrays[f"{name}.weight"], arrays[f"{name}.bias"]


def _count(arrays: Arrays, name: str) -> int:
    """How many blocks there are."""
    return len({key.split(".")[1] for key in arrays if key.startswith(f"{name}.")})
