"""`playout inspect` of a network: what it was trained on, how that went, and what it thinks of a position."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from playout.errors import PlayoutError

if TYPE_CHECKING:
    from rich.console import Console

    from playout.game.state import State
    from playout.learning.embedded import Embedded
    from playout.learning.network import Network
    from playout.learning.network.file import Head

CURVE = 40
"""The most letters of a curve."""


class Row(msgspec.Struct, frozen=True):
    """One legal action: its share of the policy, and what the position behind it is worth to the mover."""

    action: int
    name: str
    prior: float
    value: float


def inspect_network(file: Path, moves: str, state: Path | None, top: int, device: str, json: bool) -> None:
    """Show a network."""
    from playout.cli.position import position
    from playout.cli.terminal import compiling, console, passing, print_json
    from playout.game.load import load
    from playout.learning.network import Network, read_head
    from playout.learning.network.file import OWN

    head = read_head(file)
    game, network = load(head.spec), None
    at = position(game, 0, moves, state)
    if at.over:
        raise PlayoutError(f"the game of {game.name} is over there, so there is no action to choose; give fewer moves")
    if head.shape != OWN:
        with passing(f"reading {file} ..."), compiling(game.spec, quiet=json):
            network = Network.load(file, game, device=device)
    rows, values = ([], None) if network is None else looked(network, at)
    if json:
        told = msgspec.to_builtins(head)
        print_json(told | {"state": msgspec.json.decode(at.to_json()), "mover": at.mover, "values": values, "actions": rows})
        return
    out = console()
    show_head(out, head)
    show_curves(out, head.history)
    show_board(out, at, rows[:top], values, len(rows) - top)


def inspect_small(file: Path, moves: str, state: Path | None, top: int, json: bool) -> None:
    """Show a small network, as playout export makes it."""
    from playout.cli.position import position
    from playout.cli.terminal import compiling, console, print_json, prose
    from playout.learning.embedded import Embedded
    from playout.learning.steps import widths

    with compiling("a network", quiet=json):
        small = Embedded.load(file)
    at = position(small.game, 0, moves, state)
    if at.over:
        raise PlayoutError(f"the game of {small.game.name} is over there, so there is no action to choose; give fewer moves")
    rows, values = looked(small, at)
    if json:
        told = {
            "game": small.game.spec,
            "layers": widths(small.steps),
            "steps": len(small.steps),
            "weights": small.layers.size,
            "made": small.made,
        }
        print_json(told | {"state": msgspec.json.decode(at.to_json()), "mover": at.mover, "values": values, "actions": rows})
        return
    out, (low, high) = console(), small.returns
    prose(out, f"{small.game.spec}: a network for the kernel, {small.words()}, values from {low:g} to {high:g}")
    told_made = [f"{word} {_plain(value)}" for word, value in small.made.items()]
    prose(out, "made: " + (", ".join(told_made) if told_made else "by hand"))
    show_board(out, at, rows[:top], values, len(rows) - top)


def looked(network: Network | Embedded, state: State) -> tuple[list[Row], tuple[float, ...]]:
    """(every legal action, the likeliest first, what each player gets here), all by the network alone."""
    from playout.planner.first_sight import first_sight

    shares, values = network.look(state)
    reward = getattr(network, "reward", "")
    behind = first_sight(state, shares, lambda states: network.evaluate(states)[1], reward=reward)
    viewer = state.mover if state.game.has("observe") else None
    rows = [Row(action, state.name(action, viewer), share, behind[action]) for action, share in shares.items()]
    return sorted(rows, key=lambda row: (-row.prior, row.action)), values


def show_head(out: Console, head: Head) -> None:
    """What it is, and what it was trained on."""
    from playout.cli.terminal import prose

    kind = f"{head.shape}, {head.size}" if head.size else f"a module of somebody's own, {head.module}"
    shape = " x ".join(str(size) for size in head.encoding.get("shape", ()))
    sees = f"sees {shape} numbers ({head.encoding.get('kind', 'encoded')})"
    more = f", further targets: {', '.join(name for name, _ in head.targets)}" if head.targets else ""
    low, high = head.returns
    values = f"values of the reward {head.reward}" if head.reward else "values"
    prose(out, f"{head.spec}: {kind}, {head.weights:,} weights, {sees}, {values} from {low:g} to {high:g}{more}")
    told = [f"{word.replace('_', ' ')} {_plain(value)}" for word, value in head.trained.items()]
    prose(out, "trained: " + (", ".join(told) if told else "not yet; it knows nothing"))


def show_curves(out: Console, history: Sequence[dict[str, Any]]) -> None:
    """How training went: a small curve for everything that was measured, from its first point to its last."""
    from playout.cli.show import sparkline
    from playout.cli.tables import bare_table, put

    curves = curves_of(history)
    if not curves:
        return
    table = bare_table()
    for name in (f"{len(history):,} point{'s' * (len(history) != 1)}", "first", "last", "course"):
        table.add_column(name, justify="right" if name in ("first", "last") else "left", no_wrap=True)
    for name, found in curves.items():
        thin = [found[round(i * (len(found) - 1) / (CURVE - 1))] for i in range(CURVE)] if len(found) > CURVE else found
        known = [value for value in found if value is not None]
        table.add_row(name, f"{known[0]:.4g}", f"{known[-1]:.4g}", sparkline(thin))
    put(out, table)


def curves_of(history: Sequence[dict[str, Any]]) -> dict[str, list[float | None]]:
    """The numbers of every point by name, those inside of others by both names; None where a point has none."""
    points = [dict(_numbers("", point)) for point in history]
    names = dict.fromkeys(name for point in points for name in point)
    return {name: [point.get(name) for point in points] for name in names}


def _numbers(above: str, point: dict[str, Any]) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for name, value in point.items():
        if isinstance(value, dict):
            found += _numbers(f"{above}{name} ", value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.append((f"{above}{name}", float(value)))
    return found


def show_board(out: Console, state: State, rows: Sequence[Row], values: Sequence[float] | None, left_out: int) -> None:
    """The position, the policy, and what everybody gets."""
    from playout.cli.tables import plain_table, put
    from playout.cli.terminal import plain, prose

    plain(out, f"\n{state.draw(state.mover)}\n")
    if values is None:
        prose(out, "its module is not here, so it cannot be asked; in Python: Network.load(file, module=...)")
        return
    table = plain_table(state.game.player_name(state.mover), "prior", "value behind it")
    for row in rows:
        table.add_row(row.name, f"{row.prior:.4f}", f"{row.value:+.4f}")
    put(out, table)
    if left_out > 0:
        plain(out, f"and {left_out} more (--top)")
    told = ", ".join(f"{state.game.player_name(player)} {value:+.4f}" for player, value in enumerate(values))
    prose(out, f"value of the position, by the network alone: {told}")


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return " ".join(_plain(part) for part in value)
    return (
        f"{value:,}"
        if isinstance(value, int) and not isinstance(value, bool)
        else f"{value:.4g}"
        if isinstance(value, float)
        else str(value)
    )
