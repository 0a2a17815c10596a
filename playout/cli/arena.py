"""`playout arena`: agents against each other, with ratings, intervals and everything kept."""

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
    Json,
    Limit,
    NoFit,
    Openings,
    Report,
    Seed,
    Workers,
)
from playout.cli.terminal import INTERRUPTED
from playout.errors import PlayoutError

if TYPE_CHECKING:
    from playout.arena import Standings, Tournament

DEFAULT_GAMES = 100
LIMIT, MOST_ACTIONS = 60.0, 10_000


Games = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Games in all, shared out evenly over the pairings and sides; of a game for one player, so many deals for each agent. "
        f"\\[default: {DEFAULT_GAMES}]",
        show_default=False,
    ),
]


def arena(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME", help="A bundled name, one with parameters, or a file; not needed with --file.", show_default=False
        ),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT...",
            help="Who plays: random, uct:simulations=1000,c=1.4, one-depth:seconds=0.1, mine.py:make_agent, ...",
            show_default=False,
        ),
    ] = None,
    *,
    games: Games = None,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="The first agent against each of the others; without it everybody meets everybody.")
    ] = False,
    openings: Openings = 0,
    until: Annotated[
        float | None,
        typer.Option(
            metavar="CONFIDENCE",
            help="Stop as soon as the better agent is known with this confidence, 0.99 for example; --games is then the most.",
            show_default=False,
        ),
    ] = None,
    limit: Limit = LIMIT,
    most_actions: Annotated[
        int, typer.Option(min=1, max=60_000, metavar="N", help="Cut off longer games; they count by their returns so far.")
    ] = MOST_ACTIONS,
    win_above: Annotated[
        float, typer.Option(metavar="SCORE", help="In a game for one player, a return above this is a win.")
    ] = 0.0,
    workers: Workers = None,
    engine: EngineOption = Engine.local,
    address: Address = None,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where the games are kept. \\[default: a name of its own in playout-arena/]", show_default=False
        ),
    ] = None,
    fresh: Fresh = False,
    by: ByOption = By.auto,
    no_fit: NoFit = False,
    report: Report = None,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the games as a table: games.parquet or games.csv.")
    ] = None,
    json: Json = False,
    seed: Seed = 0,
    debug: Debug = False,
) -> None:
    """Let agents play each other: ratings with intervals, a cross table, points per side, seconds per decision.

    Every finished game is kept. Stop it when you like (Ctrl-C): the same command goes on where it was, and more --games make
    it longer.

    [bold]Examples[/bold]

      playout arena connect-four uct:simulations=1000 uct:simulations=10000,c=0.7 random --games 400
      playout arena hex:size=7 uct:c=0.3 uct:c=1 --openings 2 --until 0.99 --games 2000
      playout arena treasure uct random random --games 60
      playout arena othello mine.py:make_agent uct random --gauntlet --report othello.html
      playout arena --file playout-arena/hex.db --export games.parquet
    """
    from playout.cli.arena_show import LiveGames
    from playout.cli.terminal import compiling, console, plain
    from playout.files import check_folder

    err = console(stderr=True)
    if export is not None:
        from playout.arena.export import check_export

        check_export(export)
    for written in (report, export):
        check_folder(written)
    if game is None:
        own: dict[str, Any] = {"--gauntlet": gauntlet, "--openings": openings, "--seed": seed, "--limit": limit != LIMIT}
        own |= {"--most-actions": most_actions != MOST_ACTIONS, "--win-above": win_above}
        given = _from_file(file, fresh, [name for name, changed in own.items() if changed])
        if games is None and until is None:
            _finish(_stored(file, by.value), file, None, report, export, json)
            return
    else:
        rules = _rules(openings, limit, most_actions, win_above)
        shape = "gauntlet" if gauntlet else "round-robin"
        given = {"game": game, "agents": agents or [], "shape": shape, "seed": seed, "rules": rules, "fit": not no_fit}
    wanted = {"games": games or DEFAULT_GAMES, "until": until, "workers": workers, "engine": engine.value, "address": address}
    wanted["by"] = by.value
    with _tournament(given, {**wanted, "file": file, "fresh": fresh}) as tournament:
        if not json:
            plain(err, f"games are kept in {tournament.file}")
        interrupted = False
        with compiling(tournament.game.spec, quiet=json):
            tournament.prepare()
        with LiveGames(err, tournament) as live:
            try:
                tournament.run(live.show)
            except KeyboardInterrupt:
                interrupted = True
        standings = tournament.standings()
        where, below = tournament.file, tournament.below
    _finish(standings, where, below, report, export, json)
    if interrupted:
        plain(err, "what is finished is kept, and the same command goes on from here")
        raise typer.Exit(INTERRUPTED)


def _rules(openings: int, limit: float, most_actions: int, win_above: float) -> Any:
    from playout.arena import Rules

    return Rules(openings=openings, limit=limit, most_actions=most_actions, win_above=win_above)


def _tournament(given: dict[str, Any], wanted: dict[str, Any]) -> Tournament:
    from playout.arena import Tournament

    return Tournament(given.pop("game"), given.pop("agents"), **given, **wanted)


def _from_file(file: Path | None, fresh: bool, changed: list[str]) -> dict[str, Any]:
    """The experiment of a file, to look at or to go on with."""
    if file is None:
        raise PlayoutError("say which game and which agents: playout arena connect-four uct random; or --file with an experiment")
    if fresh:
        raise PlayoutError("--fresh forgets the games of --file, so say which game and agents to begin anew with")
    if changed:
        raise PlayoutError(
            f"{changed[0]} is already said in --file; leave it out, or give the game and the agents for another experiment"
        )
    from playout.arena import Store

    with Store(file) as store:
        known = store.experiment
    return {
        "game": known.game,
        "agents": [agent.spec for agent in known.agents],
        "shape": known.shape,
        "seed": known.seed,
        "rules": known.rules,
        # What a fit gave stands in the specs already.
        "fit": False,
    }


def _stored(file: Path | None, by: str) -> Standings:
    from playout.arena import stored

    assert file is not None
    return stored(file, by)


def _finish(
    standings: Standings, file: Path | None, below: int | None, report: Path | None, export: Path | None, json: bool
) -> None:
    from playout.cli.arena_show import show_standings
    from playout.cli.terminal import console, plain, print_json

    err = console(stderr=True)
    # The files first: whoever reads the output may stop reading.
    if report is not None:
        from playout.report.arena_page import write_arena_report

        plain(err, f"report written: {write_arena_report(report, standings, f'{standings.game}: the arena')}")
    if export is not None:
        from playout.arena import Store
        from playout.arena.export import export as write

        assert file is not None
        with Store(file) as store:
            plain(err, f"games written: {write(store, export, below)}")
    if json:
        print_json(standings.to_dict())
    else:
        show_standings(console(), standings)
