"""`playout studio`: games in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.options import Debug
from playout.errors import PlayoutError


def studio(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME]...",
            help="What to open: a bundled name (connect-four), one with parameters, the path of a file of yours (mygame.py), an arena's "
            "file (games.db), a learned policy (policy.json) or a network (mine.net). The first game is shown first; bundled ones are always there.",
            show_default=False,
        ),
    ] = None,
    *,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help=r"Who sits in the other seats; files that agents need can be used only if they stand here. \[default: "
            "uct:simulations=2000]",
            show_default=False,
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="The port; 0 takes a free one.")] = 0,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Whom to listen to. Anything but this machine itself gets a token into the link.")
    ] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=(1 << 62) - 1, metavar="N", help="The seed of every new game. [default: another each time]"),
    ] = None,
    memory: Annotated[float, typer.Option(min=100, metavar="MB", help="Memory that one tab may take.")] = 2000.0,
    seconds: Annotated[float, typer.Option(min=1, metavar="SECONDS", help="Seconds of search that one tab may take.")] = 3600.0,
    debug: Debug = False,
) -> None:
    """Play, watch and understand any game in the browser.

    Runs on this machine and listens to it alone. Ctrl-C ends it.

    [bold]Examples[/bold]

      playout studio
      playout studio connect-four --agent uct:seconds=2
      playout studio mygame.py
      playout studio --port 8080 --no-open
    """
    from playout.cli.terminal import console, plain
    from playout.compile import patience
    from playout.studio.catalog import NETWORK, Catalog, Limits
    from playout.studio.server import run

    named = games or []
    files = [name for name in named if name.endswith(".db")]
    policies = [name for name in named if name.endswith((".json", ".npz", NETWORK))]
    for file in [*files, *policies]:
        if not Path(file).is_file():
            wrote = "playout arena" if file in files else "playout learn --out"
            raise PlayoutError(f"file {file!r} does not exist; give the path of a file that {wrote} wrote")
    catalog = Catalog(
        games=tuple(name for name in named if name not in {*files, *policies}),
        policies=tuple(policies),
        agents=tuple(agent or ()),
        databases=tuple(files),
        seed=seed,
        limits=Limits(memory=memory, seconds=seconds, patience=patience.seconds or 1e9),
    )
    first = None
    for name in catalog.games:
        first = first or catalog.game(name)
    for one in catalog.agents:
        if first is not None and one != "person":
            catalog.agent(one, first)
    out = console()
    run(catalog, host=host, port=port, show=not no_open, say=lambda words: plain(out, words))
