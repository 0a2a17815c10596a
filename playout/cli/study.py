"""`playout study`: what kind of game it is, and how strength grows with the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.options import Address, By, ByOption, Debug, Engine, EngineOption, Fresh, GameSpec, Json, Report, Seed, Workers

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from playout.arena.analytics import Analytics, Rate
    from playout.arena.study import Study
    from playout.game.game import Game


def study(
    game: GameSpec,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Who plays, at growing budgets.")] = "uct",
    *,
    budgets: Annotated[
        str | None,
        typer.Option(
            metavar="LEVELS",
            help="50..1600 doubles from 50 to 1600; 100,1000,5000 are the levels themselves. [default: 50..1600, with --truth 100..12800]",
        ),
    ] = None,
    option: Annotated[str, typer.Option(metavar="NAME", help="The option of the agent that is the budget.")] = "simulations",
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Games in all, shared out over the levels; for one player, deals for each level. [default: 400]",
        ),
    ] = None,
    by: ByOption = By.auto,
    truth: Annotated[
        bool,
        typer.Option(
            "--truth", help="No games: right decisions in solved positions and agreement between seeds, over the budget."
        ),
    ] = False,
    positions: Annotated[int, typer.Option(min=2, metavar="N", help="With --truth: positions to decide.")] = 40,
    seeds: Annotated[int, typer.Option(min=1, metavar="K", help="With --truth: searches of every position and budget.")] = 5,
    patience: Annotated[float, typer.Option(metavar="SECONDS", help="With --truth: how long solving a position may take.")] = 1.0,
    workers: Workers = None,
    engine: EngineOption = Engine.local,
    address: Address = None,
    fresh: Fresh = False,
    report: Report = None,
    json: Json = False,
    seed: Seed = 0,
    debug: Debug = False,
) -> None:
    """Study a game: length, branching, first-mover advantage, draws, and the strength curve over the budget.

    An agent plays at growing budgets; each level meets the next one up, so that every doubling is measured where the outcome
    is open. Beside it random players show what the rules alone make of the game.

    With --truth nobody plays: positions are decided with growing budgets. Where they can be solved it shows how many decisions are
    right, and everywhere how often two seeds decide the same.

    [bold]Examples[/bold]

      playout study connect-four
      playout study connect-four --truth --report truth.html
      playout study hex:size=7 uct:c=0.3 --budgets 100..6400 --games 1400 --report hex.html
      playout study mygame.py one-depth --budgets 0.01,0.05 --option seconds
    """
    from playout.arena.study import read_budgets
    from playout.arena.study import study as run
    from playout.cli.live import Steps
    from playout.cli.terminal import compiling, console, plain, print_json
    from playout.errors import PlayoutError
    from playout.files import check_folder
    from playout.game.load import load

    err, rules = console(stderr=True), load(game)
    check_folder(report)
    if truth:
        if games is not None:
            raise PlayoutError(f"--truth plays no games, so --games {games} has no meaning; give --positions and --seeds")
        if by is not By.auto:
            raise PlayoutError(f"--truth plays no games, so --by {by.value} has no meaning; leave it out")
        if workers is not None or engine is not Engine.local or address is not None or fresh:
            raise PlayoutError(
                "--truth decides its positions in this process; leave --workers, --engine, --address and --fresh out"
            )
        levels = read_budgets(budgets or "100..12800")
        show_truth(rules, agent, levels, option, positions, seeds, patience, seed, report, json)
        return
    levels = read_budgets(budgets or "50..1600")
    where = {"workers": workers, "engine": engine.value, "address": address, "fresh": fresh}
    with compiling(rules.spec, quiet=json), Steps(err) as steps:
        found = run(
            rules,
            agent,
            budgets=levels,
            option=option,
            games=games or 400,
            seed=seed,
            by=by.value,
            show=lambda tally: steps.show(f"{tally.done:,} of {tally.wanted:,} games", tally.done / tally.wanted),
            **where,
        )
    if report is not None:
        from playout.report.study_page import write_study_report

        plain(err, f"report written: {write_study_report(report, found)}")
    if json:
        print_json(found.to_dict())
    else:
        show_study(console(), found)


def show_truth(
    rules: Game,
    agent: str,
    levels: tuple[float, ...],
    option: str,
    positions: int,
    seeds: int,
    patience: float,
    seed: int,
    report: Path | None,
    json: bool,
) -> None:
    """Decide positions with growing budgets, and show how the decisions converge."""
    from playout.cli.live import Steps
    from playout.cli.tables import bounds, number, plain_table, put, span
    from playout.cli.terminal import compiling, console, plain, print_json, prose
    from playout.truth.converge import converge

    err, out = console(stderr=True), console()
    with compiling(rules.spec, quiet=json), Steps(err) as steps:
        found = converge(
            rules,
            agent,
            budgets=levels,
            option=option,
            positions=positions,
            seeds=seeds,
            patience=patience,
            seed=seed,
            show=steps.show,
        )
    if report is not None:
        from playout.report.study_page import write_truth_report

        plain(err, f"report written: {write_truth_report(report, found)}")
    if json:
        print_json(found.to_dict())
        return
    plain(
        out,
        f"{found.game}: {found.agent} at growing {found.option}, {found.positions} positions, {found.seeds} seeds each, seed {found.seed}",
    )
    chance = "" if found.by_chance is None else f"; choosing at random gets {100 * found.by_chance:.0f} % of them right"
    plain(out, f"solved, with something to get wrong: {found.solved} of {found.positions}{chance}")
    out.print()
    table = plain_table(found.option, "right", "95 % interval", "", "seeds agree", "95 % interval", "", "s/decision")
    for stage in found.stages:
        table.add_row(
            f"{stage.budget:,g}",
            number(stage.right, ".3f"),
            bounds(stage.right_low, stage.right_high, ".3f"),
            _bar(stage.right),
            number(stage.agree, ".3f"),
            bounds(stage.agree_low, stage.agree_high, ".3f"),
            _bar(stage.agree),
            span(stage.seconds),
        )
    put(out, table)
    for note in found.notes:
        prose(out, f"note: {note}")


def _bar(share: float | None, width: int = 10) -> str:
    """A share as a bar of so many places."""
    return "" if share is None else ("█" * round(share * width)).ljust(width, "·")


def show_study(out: Console, found: Study) -> None:
    """The game in numbers, and the strength curve as a table."""
    from playout.cli.tables import put
    from playout.cli.terminal import plain, prose

    plain(out, f"{found.game}: {found.agent} at growing {found.option}, {found.games:,} games, seed {found.seed}")
    out.print()
    put(out, _game_table(found))
    out.print()
    put(out, _level_table(found))
    for note in found.notes:
        prose(out, f"note: {note}")


def _game_table(found: Study) -> Table:
    from playout.cli.tables import UNKNOWN, plain_table

    table = plain_table("the game", "played well", "at random")
    for name, cells in (
        ("actions a game", [f"{a.length.mean:.1f}  ({a.length.least:.0f} to {a.length.most:.0f})" for a in _both(found)]),
        ("legal actions a decision", [f"{a.branching.mean:.1f}  (most {a.branching.most:.0f})" for a in _both(found)]),
        ("different games, about", [f"10^{a.tree_size:.0f}" for a in _both(found)]),
        ("points of the first mover", [_rate(a.first_mover) for a in _both(found)]),
        ("drawn", [_rate(a.draws) for a in _both(found)]),
        ("with one winner", [_rate(a.decisive) for a in _both(found)]),
    ):
        if any(cell != UNKNOWN for cell in cells):
            table.add_row(name, *cells)
    return table


def _both(found: Study) -> tuple[Analytics, Analytics]:
    return found.analytics, found.random


def _rate(rate: Rate | None) -> str:
    from playout.arena.words import percent
    from playout.cli.tables import UNKNOWN, percent_bounds

    return UNKNOWN if rate is None else f"{percent(rate.share)}  ({percent_bounds(rate.low, rate.high)})"


def _level_table(found: Study) -> Table:
    from playout.arena.words import UNITS
    from playout.cli.tables import bounds, number, plain_table, span

    solo, rated = found.unit == "score", found.unit == "elo"
    form = "+.0f" if rated else ".4g" if solo else "+.4g"
    names = (
        found.option,
        "Elo" if rated else UNITS[found.unit],
        "95 % interval",
        "gain",
        "95 % interval",
        "s/decision",
        "first mover",
        "drawn",
    )
    table = plain_table(*(names[:6] if solo else names))
    for level in found.levels:
        cells = [
            f"{level.budget:,g}",
            number(level.strength, form),
            bounds(level.low, level.high, form),
            number(level.gain, form if rated else "+.4g"),
            bounds(level.gain_low, level.gain_high, form),
            span(level.seconds_per_decision),
        ]
        if not solo:
            cells += ["-" if rate is None else f"{100 * rate.share:.0f} %" for rate in (level.first_mover, level.draws)]
        table.add_row(*cells)
    return table
