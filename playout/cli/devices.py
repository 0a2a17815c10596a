"""`playout devices`: where searches of many positions can run, and what they would cost there."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from playout.cli.options import Debug, Json


def devices(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="Also say what the trees of this game take.", show_default=False)
    ] = None,
    *,
    simulations: Annotated[int, typer.Option(min=1, help="Simulations of each tree.")] = 1000,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Say which devices there are, what the trees of a game would take on each, and why something cannot be used.

    [bold]Examples[/bold]

      playout devices
      playout devices connect-four --simulations 10000
      playout devices root --json
    """
    from playout.cli.terminal import console, plain, print_json

    found = [_described(name, game, simulations) for name in ("cpu", "cuda")]
    if json:
        print_json({"game": game, "simulations": simulations if game else None, "devices": found})
        return
    out = console()
    for each in found:
        plain(out, f"{each['name']:<5} {each['words'] or 'cannot be used: ' + each['why']}")
        if each["trees"] is not None:
            plain(
                out,
                f"      {game}, {simulations:,} simulations a tree: {each['tree_bytes'] / 1000:,.1f} kB a tree, {each['trees']:,} trees at once; "
                "more of them grow in waves",
            )


def _described(name: str, game: str | None, simulations: int) -> dict[str, Any]:
    """One device as plain data."""
    from playout.compile.cuda import why_not
    from playout.compile.devices import device_named

    why = why_not() if name == "cuda" else ""
    if why:
        return {"name": name, "words": "", "why": why, "room_bytes": None, "tree_bytes": None, "trees": None}
    device = device_named(name)
    tree = None if game is None else _tree_bytes(game, simulations, device)
    room = device.room()
    return {
        "name": name,
        "words": device.words(),
        "why": "",
        "room_bytes": room,
        "tree_bytes": tree,
        "trees": None if tree is None else max(1, room // tree),
    }


def _tree_bytes(name: str, simulations: int, device: Any) -> int:
    from playout.planner.forest import Forest
    from playout.planner.search import Search

    search = Search(name, trees=1)
    forest = Forest(search, device, real=True)
    start = search.game.start(search.settings.seed).copy_array()
    return forest.bytes_of(search.settings, forest.plan(search.settings, start, simulations))
