"""`playout replay`: games of an arena's file, shown move by move or all checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import Debug, Json

if TYPE_CHECKING:
    from rich.console import Console

    from playout.arena import Store
    from playout.arena.referee import Record


def replay(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="An experiment's file, as playout arena writes it.", show_default=False)
    ],
    *,
    game: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", min=0, help="Show this game move by move; without it all games are checked.", show_default=False
        ),
    ] = None,
    last: Annotated[bool, typer.Option("--last", help="Show only the position at the end, with the moves above it.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Play stored games again: the same moves from the same seed must give the same results.

    Without --game every game of the file is played again and compared; a difference is said, and the exit code is 2.

    [bold]Examples[/bold]

      playout replay playout-arena/connect-four-0123456789.db
      playout replay games.db --game 17
      playout replay games.db --game 17 --json
    """
    from playout.arena import Store
    from playout.cli.terminal import console

    out = console()
    with Store(file) as store:
        if game is None:
            _check_all(out, store, json)
        else:
            _show(out, store, store.game(game), last, json)


def _check_all(out: Console, store: Store, json: bool) -> None:
    from rich.progress import track

    from playout.arena.replay import game_of, verify
    from playout.arena.table import Table
    from playout.cli.terminal import compiling, console, plain, print_json

    experiment = store.experiment
    rules = game_of(experiment)
    err = console(stderr=True)
    with compiling(rules.spec, quiet=json):
        table = Table(rules)
        table.begin(0)
    count, actions = 0, 0
    games = track(store.games(), "replaying", total=store.count(), console=err, transient=True, disable=not err.is_terminal)
    for record in games:
        verify(experiment, rules, table, record)
        count += 1
        actions += len(record.movers)
    if json:
        print_json({"file": str(store.file), "game": experiment.game, "games": count, "actions": actions})
    else:
        plain(
            out,
            f"{count:,} games of {experiment.game} with {actions:,} actions replayed: every result is the one that is written",
        )


def _show(out: Console, store: Store, record: Record, last: bool, json: bool) -> None:
    from playout.arena.replay import game_of, states, verify
    from playout.arena.table import Table
    from playout.cli.tables import span
    from playout.cli.terminal import plain, print_json

    experiment = store.experiment
    rules = game_of(experiment)
    verify(experiment, rules, Table(rules), record)
    course = list(states(rules, record))
    moves, seconds = record.column("moves").tolist(), record.column("seconds").tolist()
    names = [state.name(action) for state, action in zip(course, moves)]
    if json:
        print_json(_as_data(store, record, names))
        return
    for seat, agent in enumerate(record.seats):
        plain(out, f"player {seat}: {experiment.labels[agent]}")
    plain(
        out,
        f"game {record.number}, round {record.round}, seed {record.deal}"
        + (f", opening of {record.opening}" if record.opening else ""),
    )
    if last:
        plain(out, "\n" + " ".join(names) + f"\n\n{course[-1].draw()}")
    else:
        plain(out, f"\n{course[0].draw()}")
        for place, (state, name) in enumerate(zip(course[1:], names)):
            how = "opening" if place < record.opening else span(seconds[place])
            plain(out, f"\n{place + 1}. player {record.movers[place]} plays {name}   ({how})\n\n{state.draw()}")
    plain(out, "\n" + _result(experiment.labels, record))


def _result(labels: list[str], record: Record) -> str:
    words = ", ".join(
        f"player {seat} ({labels[agent]}) {value:g}" for seat, (agent, value) in enumerate(zip(record.seats, record.returns))
    )
    if record.fault >= 0:
        return f"lost by player {record.fault} ({record.ended}: {record.error}): {words}"
    return f"{'cut off' if record.ended == 'cut' else 'over'} after {len(record.movers)} actions: {words}"


def _as_data(store: Store, record: Record, names: list[str]) -> dict[str, Any]:
    experiment = store.experiment
    data: dict[str, Any] = {"game": experiment.game, "number": record.number, "round": record.round, "seed": record.deal}
    data["agents"] = [experiment.labels[agent] for agent in record.seats]
    data |= {name: getattr(record, name) for name in ("returns", "points", "ended", "opening")}
    data |= {"fault": record.fault if record.fault >= 0 else None, "error": record.error or None, "names": names}
    return data | {name: record.column(name).tolist() for name in ("moves", "movers", "choices", "seconds", "simulations")}
