"""`playout replay`: games of an arena's file, shown move by move or all checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from playout.cli.options import Debug, Json
from playout.errors import PlayoutError

if TYPE_CHECKING:
    from rich.console import Console

    from playout.arena import Store
    from playout.arena.referee import Record
    from playout.game.game import Game
    from playout.game.state import State


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
    viewer: Annotated[
        int | None,
        typer.Option(
            "--as",
            metavar="PLAYER",
            help="With --game: as this player saw it, without what was hidden. [default: for all eyes]",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Play stored games again: the same moves from the same seed must give the same results.

    Without --game every game of the file is played again and compared; a difference is said, and the exit code is 2.

    [bold]Examples[/bold]

      playout replay playout-arena/connect-four-0123456789.db
      playout replay games.db --game 17
      playout replay games.db --game 17 --as 0
      playout replay games.db --game 17 --json
    """
    from playout.arena import Store
    from playout.cli.terminal import console

    out = console()
    with Store(file) as store:
        if game is None:
            if viewer is not None:
                raise PlayoutError(f"--as {viewer} shows one game as a player saw it; say which one with --game NUMBER")
            _check_all(out, store, json)
            return
        players = store.experiment.players
        if viewer is not None and not 0 <= viewer < players:
            raise PlayoutError(f"--as is {viewer}, but {store.experiment.game} has players 0 to {players - 1}")
        _show(out, store, store.game(game), last, json, viewer)


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


def _show(out: Console, store: Store, record: Record, last: bool, json: bool, viewer: int | None) -> None:
    from playout.agents import news
    from playout.arena.replay import game_of, states, verify
    from playout.arena.table import Table
    from playout.cli.terminal import plain, print_json

    experiment = store.experiment
    rules = game_of(experiment)
    verify(experiment, rules, Table(rules), record)
    course = list(states(rules, record))
    moves = record.column("moves").tolist()
    if json and viewer is None:
        print_json(_as_data(store, record, [state.name(action) for state, action in zip(course, moves)]))
        return
    # By place: who has not noticed an action is told nothing of it.
    told = {place: news(at, action, course[place + 1], viewer) for place, (at, action) in enumerate(zip(course, moves))}
    seen = {place: words for place, words in told.items() if words is not None}
    if json:
        print_json(_for_viewer(store, record, viewer, list(seen.values()), course[-1]))
        return
    for seat, agent in enumerate(record.seats):
        plain(out, f"{rules.player_name(seat)}: {experiment.labels[agent]}")
    plain(
        out,
        f"game {record.number}, round {record.round}, seed {record.deal}"
        + (f", opening of {record.opening}" if record.opening else ""),
    )
    if last:
        names = " ".join(state.name(a) for state, a in zip(course, moves)) if viewer is None else ", ".join(seen.values())
        plain(out, f"\n{names}\n\n{course[-1].draw(viewer)}")
    else:
        plain(out, f"\n{course[0].draw(viewer)}")
        for number, (place, words) in enumerate(seen.items(), 1):
            how = _how(record, place) if viewer in (None, record.movers[place]) else ""
            plain(out, f"\n{number}. {words}{how}\n\n{course[place + 1].draw(viewer)}")
    plain(out, "\n" + _result(rules, experiment.labels, record, viewer))


def _how(record: Record, place: int) -> str:
    """Behind an action: that the opening brought it, or how long it was thought about."""
    from playout.cli.tables import span

    return f"   ({'opening' if place < record.opening else span(record.column('seconds').tolist()[place])})"


def _result(game: Game, labels: list[str], record: Record, viewer: int | None) -> str:
    words = ", ".join(
        f"{game.player_name(seat)} ({labels[agent]}) {value:g}"
        for seat, (agent, value) in enumerate(zip(record.seats, record.returns))
    )
    if record.fault >= 0:
        return f"lost by {game.player_name(record.fault)} ({record.ended}: {record.error}): {words}"
    after = f" after {len(record.movers)} actions" if viewer is None else ""
    return f"{'cut off' if record.ended == 'cut' else 'over'}{after}: {words}"


def _for_viewer(store: Store, record: Record, viewer: int | None, told: list[str], end: State) -> dict[str, Any]:
    """One player's side of a game."""
    data = _as_data(store, record, [])
    kept = ("game", "number", "round", "agents", "player_names", "returns", "points", "ended", "fault", "error")
    seen = msgspec.json.decode(end.to_json(viewer))["observation"]
    return {name: data[name] for name in kept} | {"viewer": viewer, "told": told, "observation": seen}


def _as_data(store: Store, record: Record, names: list[str]) -> dict[str, Any]:
    experiment = store.experiment
    data: dict[str, Any] = {"game": experiment.game, "number": record.number, "round": record.round, "seed": record.deal}
    data["agents"] = [experiment.labels[agent] for agent in record.seats]
    data["player_names"] = experiment.player_names or None
    data |= {name: getattr(record, name) for name in ("returns", "points", "ended", "opening")}
    data |= {"fault": record.fault if record.fault >= 0 else None, "error": record.error or None, "names": names}
    return data | {name: record.column(name).tolist() for name in ("moves", "movers", "choices", "seconds", "simulations")}
