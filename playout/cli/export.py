"""`playout export`: a network as one that searches evaluate by themselves, as it is or made small, and what that costs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import Debug, Json, Seed

if TYPE_CHECKING:
    from playout.learning.embedded import Embedded
    from playout.learning.network import Network

MOST_WIDE = 4096
GAMES = 40


def export(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The network, as playout learn --learner network writes it.", show_default=False),
    ],
    *,
    embed: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where it goes: a name that ends with .small.", show_default=False),
    ] = None,
    layers: Annotated[
        str,
        typer.Option(
            metavar="N,N",
            help="Teach a small stack what the network says, with hidden layers so wide, as in 64,32; else it is taken over as it is.",
            show_default=False,
        ),
    ] = "",
    positions: Annotated[
        int | None,
        typer.Option(
            min=100, metavar="N", help="With --layers: positions that it learns from; 20,000 unless said.", show_default=False
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Games between the two afterwards, to see what was lost; 0 for none. 40 unless said, and none where the rules run uncompiled.",
            show_default=False,
        ),
    ] = None,
    simulations: Annotated[int, typer.Option(min=1, metavar="N", help="Simulations a decision in those games.")] = 200,
    seed: Seed = 0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Turn a network into one that the kernel of a search evaluates itself, played without torch: uct:value=FILE.small.

    It says what the network says. With --layers a small stack learns to say nearly that, on positions of the network's own games, and is asked
    many times as fast. Then the two play each other with equal simulations, to see what was lost.

    [bold]Examples[/bold]

      playout export four.net --embed four.small
      playout export cards.net --embed cards.small --layers 64,32 --positions 200000
      playout arena connect-four uct:value=four.small,simulations=200 uct:simulations=10000
    """
    from playout.cli.terminal import compiling, console, plain, print_json, prose
    from playout.errors import PlayoutError
    from playout.files import check_folder
    from playout.learning.embedded import check_name, check_returns
    from playout.learning.network import Network

    if embed is None:
        raise PlayoutError("export makes a network for searches, and nobody said where it goes; add --embed FILE.small")
    if positions is not None and not layers:
        raise PlayoutError(
            "--positions are what a small stack learns from, and none is made; add --layers 64,32, or leave it out"
        )
    check_name(embed)
    check_folder(embed)
    widths = read_widths(layers) if layers else None
    network = Network.load(file, device="cpu")
    check_returns(network.reward)
    with compiling(network.game.spec, quiet=json):
        small, words, numbers = taken_over(network) if widths is None else made_small(network, widths, positions, seed)
    small.made["from"] = file.name
    where = small.save(embed)
    games = (GAMES if network.game.compiled else 0) if games is None else games
    match = played(network, where, file, games, simulations, seed) if games else None
    if json:
        data = {"file": str(where), "weights": small.layers.size, **numbers, "match": match}
        print_json({"game": network.game.spec, "seed": seed, **data})
        return
    out = console()
    plain(out, f"{where}: {words}")
    if match is not None:
        plain(out, match_words(match))
    elif not network.game.compiled:
        prose(
            console(stderr=True),
            f"the rules of {network.game.name!r} run uncompiled, and so does the network in a search: torch is many times as fast there "
            "(network:FILE). Games between the two are played if you ask for them (--games 10).",
        )


def read_widths(text: str) -> tuple[int, ...]:
    """The widths of the hidden layers, out of "64,32"."""
    from playout.errors import PlayoutError

    words = text.split(",")
    if not all(word.strip().isdecimal() and 1 <= int(word) <= MOST_WIDE for word in words):
        raise PlayoutError(f"--layers is {text!r}; write whole numbers from 1 to {MOST_WIDE:,} with commas between, as in 64,32")
    return tuple(int(word) for word in words)


def taken_over(network: Network) -> tuple[Embedded, str, dict[str, Any]]:
    """(the network as it is, words, numbers)."""
    from playout.learning.network.whole import differences, whole

    small = whole(network)
    count, shares, values = differences(network, small)
    words = (
        f"{small.layers.size:,} weights, the {network.shape} as it is; on {count} positions of random games shares differ by at most "
        f"{shares:.1g}, and values by {values:.1g}"
    )
    return small, words, {"whole": True, "positions": count, "shares": shares, "values": values}


def made_small(
    network: Network, widths: tuple[int, ...], positions: int | None, seed: int
) -> tuple[Embedded, str, dict[str, Any]]:
    """(a small network that follows this one, words, numbers)."""
    from playout.learning.distil import POSITIONS, distil

    found = distil(
        network.game,
        network.evaluate,
        encoding=network.encoding,
        returns=network.returns,
        hidden=widths,
        positions=positions or POSITIONS,
        seed=seed,
    )
    follows = {"agreement": found.agreement, "low": found.low, "high": found.high, "error": found.error}
    return found.network, found.words(), {"whole": False, "positions": found.positions, "apart": found.apart, **follows}


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
