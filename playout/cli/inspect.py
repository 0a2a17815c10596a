"""`playout inspect`: what a learned policy, or a network, thinks of a position."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from playout.cli.options import Debug, Device, Json, Moves, StateFile
from playout.errors import PlayoutError


class Row(msgspec.Struct, frozen=True):
    """One legal action: its value to the mover, and how often it was learned."""

    action: int
    name: str
    value: float
    count: int
    best: bool


def inspect(
    policy: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A policy or a network, as playout learn and playout export make them.", show_default=False
        ),
    ],
    *,
    moves: Moves = "",
    state: StateFile = None,
    top: Annotated[int, typer.Option(min=1, help="Rows of the table.")] = 30,
    device: Device = "auto",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Show a learned policy or a network: how it came about, and what it thinks of the legal actions on the board.

    [bold]Examples[/bold]

      playout inspect policy.json
      playout inspect policy.json --moves "b2 a1"
      playout inspect policy.json --state position.json --json
      playout inspect four.net --moves "d d"
      playout inspect four.small
    """
    from playout.learning.network.file import is_network

    if is_network(policy) or policy.suffix == ".net":
        from playout.cli.inspect_network import inspect_network

        inspect_network(policy, moves, state, top, device, json)
        return
    if policy.suffix == ".small":
        from playout.cli.inspect_network import inspect_small

        inspect_small(policy, moves, state, top, json)
        return
    from playout.cli.position import position
    from playout.cli.tables import plain_table, put
    from playout.cli.terminal import compiling, console, plain, print_json, prose
    from playout.learning.policy import Policy

    loaded = Policy.load(policy)
    at = position(loaded.game, loaded.settings.seed, moves, state)
    if at.over:
        raise PlayoutError(f"the game of {loaded.game.name} is over there, so there is no action to value; give fewer moves")
    with compiling(loaded.game.spec, quiet=json):
        rated = loaded.rate(at)
    most = max(value for value, _ in rated.values())
    rows = [Row(action, at.name(action), value, count, value == most) for action, (value, count) in rated.items()]
    rows.sort(key=lambda row: -row.value)
    settings = loaded.settings
    if json:
        told = {
            "game": loaded.game.spec,
            "rule": settings.rule,
            "seed": settings.seed,
            "episodes": loaded.episodes,
            "entries": loaded.size,
            "settings": settings,
            "state": msgspec.json.decode(at.to_json()),
            "mover": at.mover,
            "actions": rows,
        }
        print_json(told)
        return
    out = console()
    kind = "weights of patterns" if settings.values == "patterns" else "values"
    prose(
        out,
        f"{loaded.game.spec}: {loaded.size:,} {kind} from {loaded.episodes:,} episodes, {settings.rule}, lr {settings.lr}, discount "
        f"{settings.discount:g}, epsilon {settings.epsilon}, opponent {settings.opponent}, seed {settings.seed}",
    )
    plain(out, f"\n{at.draw(at.mover)}\n")
    table = plain_table(at.game.player_name(at.mover), "value", "learned", "best")
    for row in rows[:top]:
        table.add_row(
            row.name, f"{row.value:+.4f}", f"{row.count:,}" if settings.values == "table" else "-", "*" if row.best else ""
        )
    put(out, table)
    if len(rows) > top:
        plain(out, f"and {len(rows) - top} more (--top)")
    if settings.values == "table" and any(row.count == 0 for row in rows):
        prose(out, f"learned 0 times: never seen, and so worth {settings.optimism:g}")
