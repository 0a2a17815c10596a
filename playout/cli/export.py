"""`playout export`: a network as a small one that searches evaluate by themselves, and what that costs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import Debug, Json, Seed

if TYPE_CHECKING:
    from playout.learning.distil import Distilled
    from playout.learning.network import Network

MOST_WIDE = 4096


def export(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The network, as playout learn --learner network writes it.", show_default=False),
    ],
    *,
    embed: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the small network goes: a name that ends with .small.", show_default=False),
    ] = None,
    layers: Annotated[str, typer.Option(metavar="N,N", help="The widths of its hidden layers.")] = "64,32",
    positions: Annotated[int, typer.Option(min=100, metavar="N", help="Positions that it learns from.")] = 20_000,
    games: Annotated[
        int, typer.Option(min=0, metavar="N", help="Games between the two afterwards, to see what was lost; 0 for none.")
    ] = 40,
    simulations: Annotated[int, typer.Option(min=1, metavar="N", help="Simulations a decision in those games.")] = 200,
    seed: Seed = 0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Turn a network into a small one that is played without torch: uct:value=FILE.small.

    The small one learns to say what the network says, on positions of the network's own games. Then the two play each other with equal
    simulations.

    [bold]Examples[/bold]

      playout export four.net --embed four.small
      playout export four.net --embed four.small --layers 128,64 --games 200
      playout arena connect-four uct:value=four.small,simulations=1000 uct:simulations=1000
    """
    from playout.cli.terminal import compiling, console, plain, print_json
    from playout.errors import PlayoutError
    from playout.files import check_folder
    from playout.learning.embedded import check_name
    from playout.learning.network import Network

    if embed is None:
        raise PlayoutError("export makes a small network, and nobody said where it goes; add --embed FILE.small")
    check_name(embed)
    check_folder(embed)
    widths = read_widths(layers)
    network = Network.load(file, device="cpu")
    with compiling(network.game.spec, quiet=json):
        found = made_small(network, widths, positions, seed)
    found.network.made["from"] = file.name
    where = found.network.save(embed)
    match = played(network, where, file, games, simulations, seed) if games else None
    if json:
        numbers = {
            "positions": found.positions,
            "apart": found.apart,
            "agreement": found.agreement,
            "low": found.low,
            "high": found.high,
        }
        data = {"file": str(where), "weights": found.network.layers.size, **numbers, "error": found.error, "match": match}
        print_json({"game": network.game.spec, "seed": seed, **data})
        return
    out = console()
    plain(out, f"{where}: {found.words()}")
    if match is not None:
        plain(out, match_words(match))


def read_widths(text: str) -> tuple[int, ...]:
    """The widths of the hidden layers, out of "64,32"."""
    from playout.errors import PlayoutError

    words = text.split(",")
    if not all(word.strip().isdecimal() and 1 <= int(word) <= MOST_WIDE for word in words):
        raise PlayoutError(f"--layers is {text!r}; write whole numbers from 1 to {MOST_WIDE:,} with commas between, as in 64,32")
    return tuple(int(word) for word in words)


def made_small(network: Network, widths: tuple[int, ...], positions: int, seed: int) -> Distilled:
    """The network made small, by what it says itself."""
    from playout.learning.distil import distil

    return distil(
        network.game,
        network.evaluate,
        encoding=network.encoding,
        returns=network.returns,
        hidden=widths,
        positions=positions,
        seed=seed,
    )


def played(network: Network, small: Path, file: Path, games: int, simulations: int, seed: int) -> dict[str, Any]:
    """Games between the two, each with so many simulations a decision: what the small one got of it."""
    from playout.arena.openings import varied
    from playout.arena.referee import Rules
    from playout.arena.tournament import compete

    # Neither draws anything: from one start they would play the same game again and again.
    rules = Rules(openings=varied(network.game))
    agents = [f"uct:value={small},simulations={simulations}", f"network:{file},simulations={simulations},device=cpu"]
    with tempfile.TemporaryDirectory(prefix="playout-export-") as folder:
        found = compete(network.game, agents, games=games, seed=seed, engine="here", file=Path(folder) / "games.db", rules=rules)
    # Who stands first is the better one.
    pair = next(pair if ".small" in pair.a else pair.turned() for pair in found.pairs)
    return {
        "games": pair.games,
        "simulations": simulations,
        "points": pair.points_a,
        "low": pair.low,
        "high": pair.high,
        "difference": pair.difference if network.game.players == 1 else None,
    }


def match_words(match: dict[str, Any]) -> str:
    share = f"{match['points']:.1%} ({match['low']:.1%} to {match['high']:.1%})"
    return f"against the network it was made from, {match['simulations']:,} simulations each: {share} of the points in {match['games']:,} games"
