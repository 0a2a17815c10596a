"""`playout serve`: an agent for other programs, by lines of text."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from playout.cli.options import Debug, GameSpec, NoFit, Seed


def serve(
    game: GameSpec,
    agent: Annotated[
        str, typer.Argument(metavar="AGENT", help="Who answers: uct:seconds=1, random, policy:FILE, mine.py:make_agent.")
    ] = "uct",
    *,
    no_fit: NoFit = False,
    seed: Seed = 0,
    debug: Debug = False,
) -> None:
    """Let another program ask an agent: a line of words in, a line of JSON out.

    position JSON, play ACTION, go, stop, newgame SEED, show, quit. docs/bridges.md has the answers.

    [bold]Examples[/bold]

      playout serve connect-four uct:seconds=1
      echo 'position {"moves": ["d", "c"]}\\ngo simulations=1000' | playout serve connect-four
    """
    from playout.bridges.protocol import Server, encode
    from playout.game.load import load

    def say(answer: dict[str, object]) -> None:
        print(encode(answer), flush=True)

    Server(load(game), agent, say, seed=seed, fit=not no_fit).run(sys.stdin)
