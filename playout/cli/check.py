"""`playout check`: does a game keep the contract, and what does it cost?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from playout.cli.options import Debug, GameSpec, Json, Seed
from playout.errors import CompileError, PlayoutError

if TYPE_CHECKING:
    from playout.game.game import Game


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
    device: Annotated[
        str,
        typer.Option(
            metavar="cpu|cuda",
            help="cuda: also say whether the game compiles for a GPU, and what in it does not; none need be there.",
        ),
    ] = "cpu",
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
      playout check mygame.py --device cuda
    """
    from playout.checker import check as examine
    from playout.cli.terminal import console, prose
    from playout.game import load as loading
    from playout.game.load import load

    if device not in ("cpu", "cuda"):
        raise PlayoutError(f"device is {device!r}; write --device cpu or --device cuda")
    loading.on_new = None  # a check says all that is wrong, not the first thing alone
    rules, err = load(game), console(stderr=True)
    if err.is_terminal:
        with err.status("") as status:

            def tell(doing: str, done: float) -> None:
                status.update(f"{doing} ..." + (f" {done:.0%}" if done else ""))

            report = examine(rules, seed=seed, states=states, seconds=seconds, after=after, progress=tell)
    else:
        report = examine(rules, seed=seed, states=states, seconds=seconds, after=after)
    there = on_device(rules) if device == "cuda" and report.ok else None
    if json:
        print(report.to_json() if there is None else msgspec.json.encode({**report.to_dict(), "cuda": there}).decode())
    else:
        prose(console(), str(report))
        if there is not None:
            prose(console(), there["words"])
    raise typer.Exit(0 if report.ok and (there is None or there["ok"]) else 1)


def on_device(game: Game) -> dict[str, Any]:
    """Whether a game compiles for a GPU, in a sentence and as plain data; it is compiled as a search of many positions is."""
    from playout.compile.cuda import SOMEWHERE
    from playout.compile.gpu import Nowhere
    from playout.planner.forest import Forest
    from playout.planner.search import Search

    began = time.perf_counter()
    try:
        code = Forest(Search(game, trees=1), Nowhere(), real=True).assembled()
    except CompileError as error:
        return {"ok": False, "words": str(error), "seconds": None, "code_bytes": None}
    seconds = time.perf_counter() - began
    words = f"compiles for a GPU (CUDA {'.'.join(str(n) for n in SOMEWHERE)}) in {seconds:.0f} s: playout.search_many(states, device='cuda')"
    return {"ok": True, "words": words, "seconds": seconds, "code_bytes": len(code)}
