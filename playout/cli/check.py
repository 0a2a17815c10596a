"""`playout check`: does a game keep the contract, and what does it cost?"""

from __future__ import annotations

from typing import Annotated

import typer

from playout.cli.options import Debug, GameSpec, Json, Seed


def check(
    game: GameSpec,
    *,
    seconds: Annotated[float, typer.Option(help="About how long to look, compiling not counted.")] = 10.0,
    states: Annotated[int, typer.Option(help="About how many states to look at, uncompiled.")] = 2000,
    after: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Look at states at least N random actions deep: in long games little of them is seen otherwise, and the audit of hidden "
            "information ranks the first decisions only.",
        ),
    ] = 0,
    json: Json = False,
    seed: Seed = 0,
    debug: Debug = False,
) -> None:
    """Check a game: play it at random, compiled and uncompiled, and say what is wrong and how fast it is.

    Every problem names the function, the state, the cause and the cure. The exit code is 0 when all is well, 1 when not.

    [bold]Examples[/bold]

      playout check mygame.py
      playout check mnk:m=7,n=7,k=4 --seconds 3 --json
      playout check root --after 150
    """
    from playout.checker import check as examine
    from playout.cli.terminal import console, prose
    from playout.game import load as loading
    from playout.game.load import load

    loading.on_new = None  # a check says all that is wrong, not the first thing alone
    rules, err = load(game), console(stderr=True)
    if err.is_terminal:
        with err.status("") as status:

            def tell(doing: str, done: float) -> None:
                status.update(f"{doing} ..." + (f" {done:.0%}" if done else ""))

            report = examine(rules, seed=seed, states=states, seconds=seconds, after=after, progress=tell)
    else:
        report = examine(rules, seed=seed, states=states, seconds=seconds, after=after)
    if json:
        print(report.to_json())
    else:
        prose(console(), str(report))
    raise typer.Exit(0 if report.ok else 1)
