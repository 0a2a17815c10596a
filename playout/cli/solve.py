"""`playout solve`: the exact value of a small game and of every action, or of one position of a big one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import Debug, GameSpec, Json, Moves, StateFile
from playout.errors import PlayoutError

if TYPE_CHECKING:
    from playout.game.game import Game
    from playout.game.state import State
    from playout.truth.perfect.perfect import Report
    from playout.truth.perfect.position import ActionBounds, SolvedPosition

ALONE = "One position, of a game of any size"


def solve(
    game: GameSpec,
    *,
    moves: Moves = "",
    state: StateFile = None,
    most: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Solve the game whole, and give up beyond so many positions. \\[default: 1,000,000; 50,000 of Python objects]",
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Give up after so long. \\[default: 30]", rich_help_panel=ALONE)
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="Visit at most so many positions.", rich_help_panel=ALONE)
    ] = None,
    memory: Annotated[
        float | None, typer.Option(metavar="MB", help="Megabytes for the table. \\[default: 256]", rich_help_panel=ALONE)
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="alpha-beta, proof-number, or auto: both in turn. \\[default: auto]",
            show_default=False,
            rich_help_panel=ALONE,
        ),
    ] = None,
    every: Annotated[
        bool | None,
        typer.Option(
            "--all/--no-all",
            help="Decide all actions, as far as the budget goes, or only the best. \\[default: all]",
            show_default=False,
            rich_help_panel=ALONE,
        ),
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Solve exactly: what every player gets with perfect play, and what each action is worth.

    A small game is solved whole: all its positions are enumerated, told apart by the game's key, chance included. Where there are too
    many, or where a budget is given, the one position is solved: a win, a draw, a loss, or what is certain within the budget. That is for
    two players without chance. For games with hidden cards there is playout exploit.

    [bold]Examples[/bold]

      playout solve tic-tac-toe
      playout solve tic-tac-toe --moves "b2 a2"
      playout solve mnk:m=4,n=4,k=3 --json
      playout solve pig:target=20
      playout solve connect-four --moves "d d d d d b b b b f f" --seconds 60
      playout solve hex:size=4 --method proof-number
    """
    from playout.cli.position import position
    from playout.cli.terminal import console, plain, print_json
    from playout.game.load import load
    from playout.truth.perfect.asking import HasChance
    from playout.truth.perfect.position import refuse
    from playout.truth.perfect.positions import TooMany, usual_most

    rules = load(game)
    words = {"seconds": seconds, "nodes": nodes, "memory": memory, "method": method, "every": every}
    given = {name: value for name, value in words.items() if value is not None}
    at = position(rules, 0, moves, state) if moves or state is not None else None
    if most is not None and given:
        raise PlayoutError(
            f"--most solves the game whole, and --{next(iter(given)).replace('every', 'all')} one position; leave one of the two out"
        )
    found: Report | SolvedPosition
    if given:
        found = _position(rules, at, given, json)
    else:
        try:
            found = _whole(rules, at, most or usual_most(rules), json)
        except TooMany as error:
            if most is not None:
                raise
            try:
                refuse(rules)
                plain(console(stderr=True), f"{rules.spec} has more than {usual_most(rules):,} positions: solving this one alone")
                found = _position(rules, at, given, json)
            except HasChance:
                raise error from None
    if json:
        print_json(found)
    else:
        _show(found, at)


def _begun(rules: Game) -> State:
    """How the game begins, where that is always the same."""
    from playout.game.stream import Stream

    state = rules.start(0)
    if state.word != Stream(0).word:
        raise PlayoutError(f"chance decides how {rules.spec} begins; say which position is meant, by --state FILE")
    return state


def _whole(rules: Game, at: State | None, most: int, quiet: bool) -> Report:
    from playout.cli.terminal import compiling, passing
    from playout.truth.perfect.perfect import report

    with compiling(rules.spec, quiet=quiet), passing(f"enumerating {rules.spec} ..."):
        return report(rules, at, most=most)


def _position(rules: Game, at: State | None, given: dict[str, Any], quiet: bool) -> SolvedPosition:
    from playout.cli.live import Steps
    from playout.cli.terminal import compiling, console
    from playout.truth.perfect.position import SECONDS, refuse, solve_position

    refuse(rules)
    at = _begun(rules) if at is None else at
    most = given.get("nodes")
    seconds = given.get("seconds") or (None if most else SECONDS)

    with compiling(rules.spec, quiet=quiet), Steps(console(stderr=True)) as steps:

        def watch(found: SolvedPosition) -> None:
            done = max(found.seconds / seconds if seconds else 0.0, found.nodes / most if most else 0.0)
            so_far = f"{found.nodes:,} positions, {found.nodes_per_second:,.0f}/s: {found.result}"
            steps.show(f"{so_far}, deciding all actions" if found.complete else so_far, min(1.0, done))

        return solve_position(at, **given, watch=watch)


def _show(found: Report | SolvedPosition, at: State | None) -> None:
    from playout.cli.terminal import console, plain
    from playout.truth.perfect.position import SolvedPosition

    if at is not None:
        plain(console(), f"{at.draw()}\n")
    if isinstance(found, SolvedPosition):
        _show_position(found)
    else:
        _show_whole(found)


def _show_whole(found: Report) -> None:
    from playout.cli.tables import plain_table, put, span
    from playout.cli.terminal import console, plain, prose
    from playout.game.declared import who

    out = console()
    values = ", ".join(f"{who(p, found.player_names)} gets {v:.6g}" for p, v in enumerate(found.value))
    plain(out, f"{found.game}: with perfect play {values}")
    if found.actions:
        out.print()
        table = plain_table(who(found.mover, found.player_names), "value", "best")
        for row in sorted(found.actions, key=lambda row: -row.value):
            table.add_row(row.name, f"{row.value:+.6g}", "*" if row.best else "")
        put(out, table)
    out.print()
    mirrored = ", mirrored ones counted once" if found.symmetric else ""
    how = "; positions can repeat, so by sweeps until no value changed by 1e-12" if found.cyclic else ""
    prose(out, f"exact: {found.positions:,} positions{mirrored}, {found.edges:,} actions, {span(found.seconds)}{how}")


def _show_position(found: SolvedPosition) -> None:
    from playout.cli.tables import plain_table, put, span
    from playout.cli.terminal import console, prose
    from playout.game.declared import who

    out = console()
    prose(out, f"{found.game}: {found.sentence()}")
    if found.actions:
        out.print()
        table = plain_table(who(found.mover, found.player_names), "value", "result", "best")
        for row in sorted(found.actions, key=lambda row: (not row.best, -(row.high or 0.0) - (row.low or 0.0))):
            table.add_row(row.name, _value(row), row.result, "*" if row.best else "")
        put(out, table)
    out.print()
    prose(
        out,
        f"{found.method}: {found.nodes:,} positions in {span(found.seconds)} ({found.nodes_per_second:,.0f}/s), "
        f"table of {found.memory:g} MB {100 * found.filled:.0f} % full",
    )


def _value(row: ActionBounds) -> str:
    """What an action is worth, as far as it is known."""
    from playout.cli.tables import UNKNOWN

    if row.value is not None:
        return f"{row.value:+.6g}"
    if row.result in ("unknown", "at most a draw"):
        return UNKNOWN if row.result == "unknown" or row.high is None else f"at most {row.high:+.6g}"
    return UNKNOWN if row.low is None else f"at least {row.low:+.6g}"
