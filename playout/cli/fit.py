"""`playout fit`: the settings for one game and one budget, found by playing and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import By, ByOption, Debug, Engine, EngineOption, GameSpec, Json, Report, Seed, Workers
from playout.cli.terminal import INTERRUPTED
from playout.errors import PlayoutError

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from playout.arena.fit import Fitting
    from playout.game.game import Game
    from playout.planner.fit import Fit


def fit(
    game: GameSpec,
    *,
    seconds: Annotated[float, typer.Option(metavar="N", help="The time of the whole fit; half of it confirms.")] = 60.0,
    move_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="The budget of every move in its games. Ways of searching are compared at equal time, so the same seed need not "
            "give the same settings. \\[default: 0.01]",
            show_default=False,
        ),
    ] = None,
    simulations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="The budget of a move in simulations instead: what a simulation costs then has no say.",
            show_default=False,
        ),
    ] = None,
    openings: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="K",
            help="Begin with K random actions. \\[default: 2 where nothing is dealt, else 0]",
            show_default=False,
        ),
    ] = None,
    by: ByOption = By.auto,
    workers: Workers = None,
    engine: EngineOption = Engine.local,
    show: Annotated[
        bool,
        typer.Option("--show", help="Only show what is kept for this game, or for it and --move-seconds or --simulations."),
    ] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Remove it, likewise.")] = False,
    report: Report = None,
    json: Json = False,
    seed: Seed = 0,
    debug: Debug = False,
) -> None:
    """Find the settings for a game by playing, confirm them on fresh games, and keep them.

    Candidates play against the settings that "auto" gives; after each of three rounds the worse half of all ways to set
    something is dropped. What is left plays fresh games: if these show that it is better, it is kept by the digest of the
    rules and the budget of a move, and search, play and agents without settings use the fit that was made nearest to their
    own budget from then on, and say so. Ctrl-C keeps nothing.

    [bold]Examples[/bold]

      playout fit connect-four
      playout fit hex:size=7 --seconds 600 --move-seconds 0.1 --report fit.html
      playout fit mygame.py --show
      playout fit mygame.py --forget
    """
    from playout.cli.terminal import compiling, console, plain
    from playout.game.load import load_listed

    err = console(stderr=True)
    rules = load_listed(game, "a fit")
    if show and forget:
        raise PlayoutError("--show and --forget do not go together; leave one of them out")
    if forget and report is not None:
        raise PlayoutError("--forget has nothing to report on; leave --report out, or take --show")
    from playout.files import check_folder
    from playout.planner.fit import limits_of

    check_folder(report)
    budget = limits_of(move_seconds, simulations)
    if show or forget:
        _show_kept(rules, budget, json, report) if show else _forget(rules, budget, json)
        return
    from playout.arena.fit import Fitter
    from playout.cli.live import Steps

    fitter = Fitter(
        rules,
        seconds=seconds,
        move_seconds=move_seconds,
        simulations=simulations,
        openings=openings,
        workers=workers,
        engine=engine.value,
        by=by.value,
        seed=seed,
    )
    try:
        with compiling(rules.spec, quiet=json):
            fitter.prepare()
        with Steps(err) as steps:
            found = fitter.run(lambda words, done: steps.show(words, min(1.0, done)))
    except KeyboardInterrupt:
        plain(err, "stopped before the end, so nothing was kept")
        raise typer.Exit(INTERRUPTED) from None
    _tell(rules, found, json)
    if report is not None:
        from playout.report.fit_page import write_fit_report

        plain(err, f"report written: {write_fit_report(report, [found.fit])}")


def _tell(rules: Game, found: Fitting, json: bool) -> None:
    from playout.cli.terminal import console, print_json, prose
    from playout.planner.fit import kept

    if json:
        print_json(found.to_dict())
        return
    out = console()
    show_levels(out, found.fit)
    out.print()
    before = [] if found.kept else [fit for fit, _ in kept(rules)]
    prose(out, verdict(found))
    for fit in before:
        words = f"the fit of {fit.when} at {fit.pace} stays in use ({fit.options})"
        prose(out, f"note: {words}; playout fit {rules.spec} --forget removes it")
    for note in found.notes:
        prose(out, f"note: {note}")


def show_levels(out: Console, found: Fit) -> None:
    """What was tried, choice by choice, and what became of it."""
    from rich.markup import escape

    from playout.arena.words import UNITS, percent
    from playout.cli.tables import plain_table, put
    from playout.planner.fit import in_words

    table = plain_table("choice", "setting", UNITS[found.unit], "games", "stayed")
    for level in found.tried:
        got = percent(level.result) if found.unit == "points" else f"{level.result:.4g}"
        stayed = "to the end" if level.dropped is None else f"{level.dropped} round{'s' * (level.dropped != 1)}"
        style = "bold green" if level.dropped is None else ""
        words = (escape(level.choice), escape(in_words(level.settings)), got if level.games else "-", f"{level.games:,}", stayed)
        table.add_row(*words, style=style)
    put(out, table)


def verdict(found: Fitting) -> str:
    """What the fresh games say, and what follows from it."""
    fit = found.fit
    what = f"{fit.explored:,} games at {fit.pace}"
    if not fit.settings:
        return f"nothing kept: in {what} no setting looked better than auto, which stays."
    if not fit.games:
        return f"nothing kept: {fit.options} looked best in {what}, and no time was left to confirm it; give more --seconds."
    fresh = f"{fit.options} got {fit.got} that took no part in finding it, at {fit.pace}"
    if found.kept:
        return (
            f"kept: {fresh}. From now on search, play and agents without settings use it in this game and say so; --no-fit leaves it "
            f"aside, and playout fit {fit.game} --forget removes it. It is in {found.file}."
        )
    return f"nothing kept: {fresh}, so it is not known to be better; auto stays. More --seconds may tell."


def _which(rules: Game, budget: dict[str, Any] | None) -> str:
    """What was asked for, in words: one game, at one budget or at any."""
    from playout.planner.fit import pace

    return rules.spec if budget is None else f"{rules.spec} at {pace(budget)}"


def _show_kept(rules: Game, budget: dict[str, Any] | None, json: bool, report: Path | None) -> None:
    import msgspec

    from playout.cli.terminal import console, plain, print_json, prose
    from playout.planner.fit import kept

    found = [(fit, file) for fit, file in kept(rules) if budget in (None, fit.budget)]
    if json:
        print_json({"fits": [{**msgspec.to_builtins(fit), "file": str(file)} for fit, file in found]})
    elif not found:
        missing = "" if report is None else ", and no page is written"
        plain(
            console(),
            f"no fit is kept for {_which(rules, budget)} as its rules are now{missing}; playout fit {rules.spec} finds one",
        )
    else:
        for fit, file in found:
            show_levels(console(), fit)
            plain(console())
            prose(console(), f"{rules.spec}: {fit.words}. It is in {file}.")
    if report is not None and found:
        from playout.report.fit_page import write_fit_report

        plain(console(stderr=True), f"report written: {write_fit_report(report, [fit for fit, _ in found])}")


def _forget(rules: Game, budget: dict[str, Any] | None, json: bool) -> None:
    from playout.cli.terminal import console, plain, print_json
    from playout.planner.fit import forget

    which, gone = _which(rules, budget), forget(rules, budget)
    if json:
        print_json({"forgotten": gone})
    elif gone:
        plain(console(), f"the fit of {which} is forgotten" if gone == 1 else f"the {gone} fits of {which} are forgotten")
    else:
        plain(console(), f"no fit is kept for {which}; nothing to forget")
