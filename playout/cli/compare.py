"""`playout compare`: methods of search on continuous games, measured by true regret."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.options import Debug, Json, Report
from playout.cli.terminal import INTERRUPTED

if TYPE_CHECKING:
    from rich.console import Console

    from playout.truth.continuous.compare import Comparison, Row

FILE = Path("playout-compare/runs.db")


def compare(
    games: Annotated[
        list[str],
        typer.Argument(metavar="GAME...", help="Continuous games, bundled or files, with parameters.", show_default=False),
    ],
    *,
    methods: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Methods with commas between; settings may follow one: widening:c=0.1."),
    ] = "widening,gradient,local,local-alone",
    simulations: Annotated[str, typer.Option(metavar="NUMBERS", help="Simulations of a search, with commas between.")] = (
        "100,200,400,800,1600"
    ),
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="How many seeds: 0 to N - 1, or from --seed on.")] = 30,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, max=(1 << 61), help="The first seed.")] = 0,
    file: Annotated[Path, typer.Option(metavar="FILE", help="Where runs are kept, so that the same command goes on.")] = FILE,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget the runs that are kept, and begin anew.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw a picture (.png, .svg or .pdf); needs matplotlib.")
    ] = None,
    report: Report = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare methods of search on continuous games: what each player loses by following them.

    Regret is against the best that a player could still do, with later players answering best: by the game's closed form, or
    by nested optimisation. The table has medians over the seeds and, below them, the band that holds 90 % of the seeds.
    Stop it when you like (Ctrl-C): the same command goes on.

    [bold]Examples[/bold]

      playout compare loss-1d
      playout compare loss-1d loss-3d --methods widening,gradient --simulations 100,1600 --seeds 30 --report regret.html
      playout compare polynomial:seed=3 mygame.py --methods gradient --json
    """
    from playout.cli.live import Steps
    from playout.cli.terminal import compiling, console, plain, print_json
    from playout.files import check_folder
    from playout.truth.continuous.compare import compare as run

    err = console(stderr=True)
    check_folder(report)
    check_folder(plot)
    if plot is not None:
        from playout.report.compare_page import check_plot

        check_plot(plot)
    numbers = read_numbers(simulations)
    names = [name.strip() for name in methods.split(",") if name.strip()]
    if not json:
        plain(err, f"runs are kept in {file}")
    try:
        with compiling(", ".join(games), quiet=json), Steps(err) as steps:
            found = run(games, names, numbers, range(seed, seed + seeds), file=file, fresh=fresh, show=steps.show)
    except KeyboardInterrupt:
        plain(err, f"stopped; the runs so far are kept in {file}, and the same command goes on")
        raise typer.Exit(INTERRUPTED) from None
    for path, write in ((plot, "write_plot"), (report, "write_compare_report")):
        if path is not None:
            from playout.report import compare_page as pages

            plain(err, f"written: {getattr(pages, write)(path, found)}")
    if json:
        print_json(found)
    else:
        show_comparison(console(), found)


def read_numbers(text: str) -> list[int]:
    """Numbers of simulations, each once and in order."""
    from playout.errors import PlayoutError

    words = [word.strip().replace("_", "") for word in text.split(",") if word.strip()]
    if not words or not all(word.isdecimal() and int(word) > 0 for word in words):
        raise PlayoutError(
            f"--simulations {text!r} is not a row of numbers above 0; write for example --simulations 100,400,1600"
        )
    return sorted({int(word) for word in words})


def show_comparison(out: Console, found: Comparison) -> None:
    """A table for each game."""
    from playout.cli.tables import number, plain_table, put, span
    from playout.cli.terminal import plain, prose

    for game in found.games:
        rows = [row for row in found.rows if row.game == game]
        players = sorted({part.player for row in rows for part in row.regret})
        plain(out, f"{game}: regret, the median over {len(found.seeds)} seeds and the band that holds 90 % of them")
        heads = (h for player in players for h in (f"player {player}", "90 % band"))
        table = plain_table("method", "simulations", *heads, "distance", "time", "evaluations")
        for row in rows:
            distance = number(row.distance, ".3g")
            table.add_row(
                row.method, f"{row.simulations:,}", *_regrets(row, players), distance, span(row.seconds), f"{row.evaluations:.3g}"
            )
        put(out, table)
        out.print()
    uncertain = sum(row.uncertified for row in found.rows)
    first, last = found.seeds[0], found.seeds[-1]
    prose(
        out,
        f"seeds {first} to {last}; distance: of the line from the solution; time: of one search; evaluations: of the payoffs, a simulation"
        + (f"; the reference of {uncertain} runs is not certified" if uncertain else ""),
    )


def _regrets(row: Row, players: list[int]) -> list[str]:
    words = []
    for player in players:
        part = next((p for p in row.regret if p.player == player), None)
        words += ["-", "-"] if part is None else [f"{part.median:.3g}", f"{part.low:.2g} to {part.high:.2g}"]
    return words
