"""`playout tune`: good settings for an agent, found by an optimiser and confirmed on fresh games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import (
    Address,
    By,
    ByOption,
    Debug,
    Engine,
    EngineOption,
    Fresh,
    GameSpec,
    Json,
    Limit,
    Openings,
    Report,
    Seed,
    Workers,
)

if TYPE_CHECKING:
    from rich.console import Console

    from playout.arena.tune import Trial, Tuning

SHOWN = 12


def tune(
    game: GameSpec,
    agent: Annotated[
        str, typer.Argument(metavar="AGENT", help="The agent to improve, as in uct:simulations=1000.", show_default=False)
    ],
    settings: Annotated[
        list[str],
        typer.Argument(
            metavar="SETTING...",
            help="What may vary: a span c=0.1..3 or playouts=1..8, or a choice rule=ucb1,ucb1-tuned.",
            show_default=False,
        ),
    ],
    *,
    games: Annotated[
        int, typer.Option(min=1, metavar="N", help="Games in all: 60 % explore, 15 % choose among the best, 25 % confirm.")
    ] = 1000,
    against: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="The opponent of all candidates. \\[default: the agent as given]", show_default=False),
    ] = None,
    by: ByOption = By.auto,
    openings: Openings = 0,
    limit: Limit = 60.0,
    workers: Workers = None,
    engine: EngineOption = Engine.local,
    address: Address = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the games are kept. \\[default: a name of its own in playout-arena/]",
            show_default=False,
        ),
    ] = None,
    fresh: Fresh = False,
    report: Report = None,
    json: Json = False,
    seed: Seed = 0,
    debug: Debug = False,
) -> None:
    """Find good settings for an agent, and confirm them on fresh games.

    Candidates play against the agent as it was given; optuna proposes them. The result is what the best one got in games that
    took no part in finding it. Stop it when you like (Ctrl-C): the same command goes on.

    [bold]Examples[/bold]

      playout tune connect-four uct:simulations=1000 c=0.1..3 --games 2000
      playout tune hex:size=7 uct:simulations=500 c=0.1..2 fpu=0..1 --openings 2
      playout tune othello mine.py:make_agent depth=1..6 --against uct:simulations=1000
    """
    from playout.arena import Rules
    from playout.arena.tune import Tuner
    from playout.cli.terminal import compiling, console, plain, print_json
    from playout.files import check_folder

    err = console(stderr=True)
    check_folder(report)
    where: dict[str, Any] = {"workers": workers, "engine": engine.value, "address": address, "by": by.value}
    rules = Rules(openings=openings, limit=limit)
    tuner = Tuner(
        game, agent, settings, games=games, against=against, seed=seed, rules=rules, folder=folder, fresh=fresh, **where
    )
    if not json:
        plain(err, f"games are kept in {tuner.folder}")
    with compiling(tuner.game.spec, quiet=json):
        tuner.prepare()
    from playout.cli.live import Steps

    with Steps(err) as steps:
        found = tuner.run(lambda stage, done, tally: steps.show(f"{stage}: {tally.done:,} of {tally.wanted:,} games", done))
    if report is not None:
        from playout.report.tune_page import write_tune_report

        plain(err, f"report written: {write_tune_report(report, found)}")
    if json:
        print_json(found.to_dict())
    else:
        show_tuning(console(), found)


def show_tuning(out: Console, found: Tuning) -> None:
    """The candidates, and what the fresh games say of the best."""
    from rich.markup import escape

    from playout.arena.words import UNITS
    from playout.cli.tables import plain_table, put, span
    from playout.cli.terminal import prose

    share = found.unit == "points"
    table = plain_table("candidate", *(d.name for d in found.dimensions), UNITS[found.unit], "95 % interval", "games")
    table.add_column("s/decision", justify="right", no_wrap=True)
    explored = sorted((t for t in found.trials if t.stage == "explore"), key=lambda t: -t.result)
    for place, trial in enumerate(explored[:SHOWN], 1):
        values = (escape(d.text(trial.values[d.name])) for d in found.dimensions)
        style = "bold green" if trial.agent == found.best else ""
        table.add_row(
            str(place), *values, *_numbers(trial, share), f"{trial.games:,}", span(trial.seconds_per_decision), style=style
        )
    put(out, table)
    if len(explored) > SHOWN:
        prose(out, f"and {len(explored) - SHOWN} more candidates (--json has them all)")
    out.print()
    prose(out, verdict(found))
    faults = sum(trial.faults for trial in found.trials)
    if faults:
        prose(
            out, f"note: candidates lost {faults:,} of these games by faults (errors, illegal actions, time), not by being beaten"
        )


def _numbers(trial: Trial, share: bool) -> tuple[str, str]:
    from playout.arena.words import percent
    from playout.cli.tables import bounds, percent_bounds

    if share:
        return percent(trial.result), percent_bounds(trial.low or 0, trial.high or 0)
    return f"{trial.result:.4g}", bounds(trial.low, trial.high, ".4g")


def verdict(found: Tuning) -> str:
    """What the fresh games say, in a sentence."""
    from playout.arena.words import UNITS, percent
    from playout.cli.tables import bounds, percent_bounds

    pair = found.confirmation
    if found.unit == "points":
        got = f"{percent(pair.points_a)} of the points ({percent_bounds(pair.low, pair.high)})"
    else:
        ends = bounds(pair.difference_low or 0.0, pair.difference_high or 0.0, "+.4g")
        got = f"a {UNITS[found.unit]} {pair.difference or 0.0:+.4g} higher ({ends}) on the same deals"
    fresh = f"{found.best} got {got} against {found.base} in {pair.games:,} fresh games"
    if found.confirmed:
        return f"confirmed: {fresh}."
    return (
        f"not confirmed: {fresh}, so it is not known to be better; more --games may tell, or the settings given are good already."
    )
