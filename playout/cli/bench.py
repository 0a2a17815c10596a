"""`playout bench`: how fast, how small, how strong, against others in the same run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from playout.cli.options import Debug, Json, Seed
from playout.errors import PlayoutError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

    from playout.bench import Report


def bench(
    *,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only the rows of this game or of this name; may be given several times."),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, max=100, help="Samples of each side, the best counts \\[default: 5].")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A look of a minute or two: fewer simulations, slow peers cut short.")
    ] = False,
    strength: Annotated[
        bool,
        typer.Option(
            "--strength",
            help="Also play Connect Four, Breakthrough 6x6, Othello and Hex 7 against OpenSpiel's C++ bot, tuned on each first, at equal time (ten minutes).",
        ),
    ] = False,
    games: Annotated[
        int,
        typer.Option(
            min=2, max=100_000, help="Games of each match of --strength; in the tuning every setting plays a fifth of them."
        ),
    ] = 200,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Many trees at once instead: on a GPU (cuda) and, in turns, on the cores; cpu for the cores alone. With mctx and pgx where "
            "they are installed.",
        ),
    ] = None,
    signature: Annotated[
        bool, typer.Option("--signature", help="Only the engine's signature: one hash a planner, the same while nothing changes.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE.json", help="Write the JSON to a file.")] = None,
    table: Annotated[
        Path | None,
        typer.Option(metavar="FILE.md", help="Put the table into a page, between <!-- bench:start --> and <!-- bench:end -->."),
    ] = None,
    json: Json = False,
    seed: Seed = 0,
    debug: Debug = False,
) -> None:
    """Measure speed, memory and start-up, side by side with OpenSpiel and multimcts, against the targets.

    The peers come with pip install 'playout\\[bench]'; without them their rows stay empty. A missed target is said, and is no error.

    [bold]Examples[/bold]

      playout bench --quick
      playout bench --only connect-four --repeats 3
      playout bench --only bundled --json
      playout bench --strength --only strength --games 100
      playout bench --strength --only strength-hex
      playout bench --device cuda --only connect-four --json
      playout bench --signature
    """
    if signature:
        _print_signature(json)
        return
    if device is not None:
        if strength or table is not None:
            raise PlayoutError("--device measures many trees at once; leave --strength and --table out")
        _measure_device(device, only or [], repeats or 3, quick, seed, out, json)
        return
    from playout.bench import Plan, chosen, insert_table, measure
    from playout.cli.terminal import console, plain
    from playout.files import save

    plan = Plan.quick(repeats, seed) if quick else Plan(repeats=repeats or 5, seed=seed)
    words = only or []
    matches = games if strength else 0
    chosen(words, matches)  # a wrong name is said before minutes of measuring
    err = console(stderr=True)
    with _progress(err) as progress:
        task = progress.add_task("measuring", total=1.0)

        def tell(text: str, done: float) -> None:
            if not err.is_terminal and text != progress.tasks[task].description:
                plain(err, text)
            progress.update(task, description=text, completed=done)

        report = measure(plan, words, strength_games=matches, quick=quick, tell=tell)
    if out is not None:
        save(out, report.to_json().encode() + b"\n")
    if table is not None:
        insert_table(table, report.markdown())
    if json:
        print(report.to_json())
        return
    screen = console()
    screen.print(_table(report))
    for row in report.rows:
        if row.note:
            plain(screen, f"  {row.text}: {row.note}")
    plain(screen, report.verdict())


def _measure_device(device: str, only: list[str], repeats: int, quick: bool, seed: int, out: Path | None, json: bool) -> None:
    """Rates of many trees at once."""
    from playout.bench.device import measure
    from playout.cli.tables import plain_table, put
    from playout.cli.terminal import console, plain, print_json
    from playout.files import save

    err, screen = console(stderr=True), console()
    with _progress(err) as progress:
        task = progress.add_task("measuring", total=1.0)
        found = measure(
            device,
            only,
            repeats=repeats,
            quick=quick,
            seed=seed,
            tell=lambda text, done: progress.update(task, description=text, completed=done),
        )
    if out is not None:
        save(out, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    if json:
        print_json(found.to_dict())
        return
    table = plain_table("game", "on", "trees", "simulations", "million/s", "with making and reading", "same trees", "target")
    for line in found.lines:
        for place, rate in enumerate(line.rates):
            name = line.name if place == 0 else ""
            same = {True: "yes", False: "NO", None: ""}[line.same] if place == 0 else ""
            target = (
                ""
                if place or line.target is None
                else f"{line.target:g} ({ {True: 'met', False: 'missed', None: '-'}[line.met] })"
            )
            cells = (f"{rate.trees:,}", f"{line.simulations:,}", f"{rate.kernels / 1e6:.2f}", f"{rate.whole / 1e6:.2f}")
            table.add_row(name, rate.device, *cells, same, target)
    put(screen, table)
    plain(screen, f"{found.device}; {found.cores}; the best of {repeats} samples, in turns")
    for note in found.notes:
        plain(screen, note)


def _print_signature(as_json: bool) -> None:
    """What the engine does, in one hash a planner; uncompiled, so that it takes seconds on a machine that compiled nothing."""
    import json

    from playout.bench.signature import PLANNERS, hashes, signature
    from playout.cli.terminal import console, plain

    err = console(stderr=True)
    found: dict[str, dict[str, str]] = {}
    with _progress(err) as progress:
        task = progress.add_task("searching", total=sum(len(cases) for cases in PLANNERS.values()))
        for planner in PLANNERS:
            found[planner] = {}
            for name, value in hashes(planner, tell=lambda text: progress.update(task, description=text)):
                found[planner][name] = value
                progress.advance(task)
    if as_json:
        print(json.dumps({name: {"signature": signature(cases), "cases": cases} for name, cases in found.items()}))
        return
    for name, cases in found.items():
        plain(console(), f"{name:<10}  {signature(cases)}  ({len(cases)} searches)")


def _progress(err: Console) -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.0f} %"), TimeElapsedColumn())
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


def _table(report: Report) -> Table:
    from rich.table import Table

    from playout.bench.report import HEADER

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in HEADER:
        table.add_column(name, justify="left" if name in (HEADER[0], "") else "right", no_wrap=name != HEADER[0])
    for row in report.rows:
        style = {True: "green", False: "bold red", None: ""}[row.ok]
        *cells, met = row.cells()
        table.add_row(*cells, f"[{style}]{met}[/{style}]" if style else met)
    return table
