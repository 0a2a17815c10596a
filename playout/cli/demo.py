"""`playout demo`: a tour of the bundled games, with a report to look at afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from playout.cli.options import Debug, Json, Seed
from playout.errors import FileError

if TYPE_CHECKING:
    from rich.console import Console

    from playout.arena import Standings
    from playout.game.state import State
    from playout.planner.decision import Decision

TITLE = "A first look at playout"
CONTENDERS = ("uct:simulations=1000", "uct:simulations=100", "random")
ROWS = 6
WIDE_LINE = 14
"""Actions of a line that are printed; the report has the rest."""


class Stop(NamedTuple):
    """One stop of the tour."""

    game: str
    words: str
    """What there is to see."""
    moves: str = ""
    settings: dict[str, Any] = {}


TOUR = (
    Stop("tic-tac-toe", "Small enough to be proven: nobody can force a win.", settings={"transpositions": True}),
    Stop("connect-four", "The first disc belongs in the middle column."),
    Stop(
        "connect-four",
        "In mid-game four actions win by force; looking for wins and threats in every position helps to prove one of them.",
        "d d c c d b d d",
        {"decisive": "block", "decisive_playouts": "win", "transpositions": True},
    ),
    Stop("othello", "Three replies to the first disc: across (d6), diagonal (f6) or beside it (f4).", "f5"),
    Stop("breakthrough:columns=6,rows=6", "Many actions, and the visits show which ones were worth a second look."),
    Stop("pig", "Dice: outcomes are averaged, never taken for proof. Roll once more or hold?", "roll roll"),
    Stop("loss-1d", "Real-valued actions: three players with a number each; the whole trajectory, solved to six digits."),
    Stop("treasure", "Three players, each for himself; best play gives them 29, 31 and 18.", settings={"c": 10.0}),
)


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the report goes.")] = Path("demo"),
    seconds: Annotated[float, typer.Option(min=0.001, help="How long to search each position.")] = 1.5,
    games: Annotated[int, typer.Option(min=1, help="Games of the tournament at the end.")] = 60,
    seed: Seed = 1,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Search several bundled games, let agents play each other, and write reports with pictures.

    The first time each game is compiled for this machine, which takes some seconds; after that it starts at once.
    """

    from playout.cli.terminal import console, plain, print_json
    from playout.report.decision_page import write_report

    # Before the search, not after it: nobody should wait for a report that cannot be written.
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{str(out)!r} cannot hold the report: {error.strerror}; choose another folder with --out") from None
    screen = console(stderr=json)
    screen.print(f"[bold]{TITLE}[/bold]")
    plain(screen, f"{len(TOUR)} positions, up to {seconds:g} s of search each; the first time every game is compiled once.")
    decisions = []
    for number, stop in enumerate(TOUR, 1):
        screen.print()
        screen.rule(f"[bold]{number}/{len(TOUR)}  {stop.game}[/bold]", align="left")
        decisions.append(_visit(screen, stop, seconds, seed))
    report = write_report(out / "report.html", decisions, TITLE)
    standings, arena_report = _match(screen, out, seed, games)
    _goodbye(screen, report, arena_report)
    if json:
        data: dict[str, Any] = {"report": str(report), "decisions": [d.to_dict() for d in decisions]}
        data |= {"arena_report": str(arena_report), "arena": standings.to_dict()}
        print_json(data)


def _visit(screen: Console, stop: Stop, seconds: float, seed: int) -> Decision:
    from playout.cli.live import run_shown
    from playout.cli.terminal import plain, prose
    from playout.game.load import load
    from playout.planner.search import Search
    from playout.planner.settings import Budget

    engine = Search(load(stop.game), seed=seed, fit=False, **stop.settings)
    state = engine.game.start(seed).replay(stop.moves.split())
    prose(screen, stop.words)
    plain(screen)
    plain(screen, _indented(state))
    plain(screen)
    decision = run_shown(engine, state, Budget(seconds=seconds))
    _show(screen, decision)
    return decision


def _match(screen: Console, out: Path, seed: int, games: int) -> tuple[Standings, Path]:
    """A small tournament: does a bigger budget help, and how sure is that?"""
    from playout.arena import Tournament
    from playout.cli.arena_show import LiveGames, show_standings
    from playout.cli.terminal import compiling, console, prose
    from playout.report.arena_page import write_arena_report

    screen.print()
    screen.rule("[bold]the arena  connect-four[/bold]", align="left")
    prose(screen, f"Does thinking longer help? {games} games between three agents, every side equally often.")
    screen.print()
    with Tournament(
        "connect-four", CONTENDERS, games=games, seed=seed, file=out / "arena.db", fresh=True, fit=False
    ) as tournament:
        with compiling(tournament.game.spec):
            tournament.prepare()
        with LiveGames(console(stderr=True), tournament) as live:
            tournament.run(live.show)
        standings = tournament.standings()
    show_standings(screen, standings)
    return standings, write_arena_report(out / "arena.html", standings, "Does thinking longer help?")


def _indented(state: State) -> str:
    return "\n".join(f"    {line}".rstrip() for line in state.draw(state.mover if state.game.hidden else None).splitlines())


def _show(screen: Console, decision: Decision) -> None:
    from playout.cli.show import decision_table
    from playout.cli.terminal import plain, prose

    screen.print(decision_table(screen, decision, ROWS))
    if len(decision.actions) > ROWS:
        plain(screen, f"   and {len(decision.actions) - ROWS} more in the report")
    line = decision.line()
    more = f" ... ({len(line.names)} actions)" if len(line.names) > WIDE_LINE else ""
    end = f"   end: {', '.join(f'{v:g}' for v in line.returns)}" if line.finished else "" if more else " ..."
    chance = "   (one course of chance)" if line.sampled else ""
    plain(screen)
    prose(screen, f"line:  {' '.join(line.names[:WIDE_LINE])}{more}{end}{chance}")
    prose(screen, f"why:   {decision.why()}")
    prose(
        screen,
        f"spent: {decision.simulations:,} simulations in {decision.seconds:.3g} s ({decision.simulations_per_second:,.0f}/s), "
        f"{decision.nodes:,} nodes, {decision.bytes / 1e6:.3g} MB, stopped: {decision.stopped}",
    )


def _goodbye(screen: Console, report: Path, arena_report: Path) -> None:
    from playout.cli.terminal import plain

    screen.print()
    screen.rule("[bold]Done[/bold]", align="left")
    screen.print("[bold green]The report with all boards, charts and trees:[/bold green]")
    plain(screen, f"    {report.resolve().as_uri()}")
    screen.print("[bold green]The tournament with ratings and plots:[/bold green]")
    plain(screen, f"    {arena_report.resolve().as_uri()}")
    screen.print("[bold]What to try next:[/bold]")
    for command, words in (
        ("playout --help", "all commands"),
        ("playout games", "what is bundled"),
        ("playout play connect-four", "play against it"),
        ("playout studio", "all of this in the browser: play, watch it think, look back"),
        ("playout search othello --seconds 5 --trace", "watch a search make up its mind"),
        ("playout arena hex:size=7 uct random", "who is better, and how sure is that?"),
        ("playout check mygame.py", "is your own game right, and how fast is it?"),
    ):
        plain(screen, f"    {command:<44}{words}")
