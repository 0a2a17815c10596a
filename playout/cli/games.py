"""`playout games`: what is bundled, and one game closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from playout.cli.options import Debug, Json, Seed

if TYPE_CHECKING:
    from playout.game import Game, Parameter


def games(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One game to look at closely, bundled or a file.", show_default=False)
    ] = None,
    *,
    json: Json = False,
    seed: Seed = 0,
    debug: Debug = False,
) -> None:
    """List the bundled games, or look at one: its parameters, and its start drawn.

    [bold]Examples[/bold]

      playout games
      playout games connect-four
      playout games mnk:m=7,n=7,k=4 --json
    """
    from playout.load import load

    if name is not None:
        _one(load(name), seed, json)
    else:
        _all(json)


def describe(game: Game, name: str = "") -> dict[str, Any]:
    """A game as plain data."""
    from playout.game import OPTIONAL, SHOWN

    return {
        "name": name or game.name,
        "spec": game.spec,
        "title": game.title,
        "players": game.players,
        "actions": game.actions,
        "most_legal": game.most_legal,
        "state_bytes": game.dtype.itemsize,
        "returns_range": game.returns_range,
        "continuous": None if game.shape is None else _shape(game),
        "parameters": [_parameter(p) for p in game.declared.values()],
        "defines": [role for role in (*OPTIONAL, *SHOWN) if game.has(role)],
    }


def _shape(game: Game) -> dict[str, Any]:
    shape = game.shape
    assert shape is not None
    return {"stages": shape.stages, "dimension": shape.dimension, "action_set": shape.action_set, "movers": shape.movers}


def _action_words(row: dict[str, Any]) -> str:
    return f"{row['actions']:,}" if row["continuous"] is None else "real"


def _parameter(p: Parameter) -> dict[str, Any]:
    return {"name": p.name, "value": p.value, "default": p.default, "low": p.low, "high": p.high, "help": p.help}


def _all(json: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    from playout.cli.terminal import console, prose
    from playout.load import ALIASES, bundled, load

    rows = [describe(load(name)) for name in bundled()]
    others = [{**describe(load(alias), alias), "alias": _spec(*ALIASES[alias])} for alias in ALIASES]
    if json:
        print(msgspec.json.encode({"games": [*rows, *others]}).decode())
        return
    out = console()
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("game", style="bold", no_wrap=True)
    table.add_column("players", justify="right")
    table.add_column("actions", justify="right")
    table.add_column("what it is")
    for row in rows:
        parameters = "".join(f"\n[dim]{escape(_words(p))}[/dim]" for p in row["parameters"])
        table.add_row(row["name"], str(row["players"]), _action_words(row), escape(row["title"]) + parameters)
    for row in others:
        table.add_row(row["name"], str(row["players"]), _action_words(row), f"another name of {row['alias']}")
    out.print(table)
    prose(out, "\nOne closely: playout games NAME.  With parameters: mnk:m=7,n=7,k=4.  Your own: the path of a file.")


def _spec(name: str, parameters: dict[str, Any]) -> str:
    return name + ":" + ",".join(f"{word}={value}" for word, value in parameters.items())


def _words(p: dict[str, Any]) -> str:
    low, high = p["low"], p["high"]
    span = (
        ""
        if low is None and high is None
        else f", from {low}"
        if high is None
        else f", up to {high}"
        if low is None
        else f", {low} to {high}"
    )
    return f"{p['name']}={p['value']}  {p['help']}{span}"


def _one(game: Game, seed: int, json: bool) -> None:
    from playout.cli.terminal import console, plain

    start = game.start(seed)
    data = describe(game)
    if json:
        position = msgspec.json.decode(start.to_json())
        print(msgspec.json.encode({**data, "start": {"draw": start.draw(), "mover": start.mover, **position}}).decode())
        return
    out = console()
    out.print(f"[bold]{game.spec}[/bold]", highlight=False)
    plain(out, game.title)
    limits = "" if game.returns_range is None else f", returns from {game.returns_range[0]:g} to {game.returns_range[1]:g}"
    players = f"{game.players} player{'s' * (game.players != 1)}"
    shape = game.shape
    kind = (
        f"{game.actions:,} action ids" if shape is None else f"{shape.stages} stages, actions of {shape.dimension} real numbers"
    )
    plain(out, f"{players}, {kind}, a state of {game.dtype.itemsize:,} bytes{limits}")
    plain(out, "also defines " + (", ".join(data["defines"]) or "nothing optional"))
    for parameter in data["parameters"]:
        plain(out, f"  {_words(parameter)}")
    plain(out, f"\n{start.draw()}\n")
    if game.continuous:
        low, high = start.box
        plain(out, f"player {start.mover} to act: from {start.name(low)} to {start.name(high)}")
    elif not start.over:
        names = [start.name(action) for action in start.legal]
        some = ", ".join(names[:12]) + (f", ... ({len(names)} in all)" if len(names) > 12 else "")
        plain(out, f"player {start.mover} to act: {some}")
