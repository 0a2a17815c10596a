"""`playout solve`: the exact value of a small game and of every action."""

from __future__ import annotations

from typing import Annotated

import typer

from playout.cli.options import Debug, GameSpec, Json, Moves, StateFile


def solve(
    game: GameSpec,
    *,
    moves: Moves = "",
    state: StateFile = None,
    most: Annotated[int, typer.Option(min=1, metavar="N", help="Give up beyond so many positions.")] = 1_000_000,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Solve a small game exactly: what every player gets with perfect play, and what each action is worth.

    All positions are enumerated, told apart by the game's key, and gone through from the ends; chance is enumerated too.
    For games with hidden cards there is playout exploit.

    [bold]Examples[/bold]

      playout solve tic-tac-toe
      playout solve tic-tac-toe --moves "b2 a2"
      playout solve mnk:m=4,n=4,k=3 --json
      playout solve pig:target=20
    """
    from playout.cli.position import position
    from playout.cli.tables import plain_table, put, span
    from playout.cli.terminal import compiling, console, passing, plain, print_json, prose
    from playout.game.load import load
    from playout.truth.perfect.perfect import report

    rules = load(game)
    at = position(rules, 0, moves, state) if moves or state is not None else None
    with compiling(rules.spec, quiet=json), passing(f"enumerating {rules.spec} ..."):
        found = report(rules, at, most=most)
    if json:
        print_json(found)
        return
    out = console()
    if at is not None:
        plain(out, f"{at.draw()}\n")
    values = ", ".join(f"player {p} gets {v:.6g}" for p, v in enumerate(found.value))
    plain(out, f"{found.game}: with perfect play {values}")
    if found.actions:
        out.print()
        table = plain_table(f"player {found.mover}", "value", "best")
        for row in sorted(found.actions, key=lambda row: -row.value):
            table.add_row(row.name, f"{row.value:+.6g}", "*" if row.best else "")
        put(out, table)
    out.print()
    mirrored = ", mirrored ones counted once" if found.symmetric else ""
    how = "; positions can repeat, so by sweeps until no value changed by 1e-12" if found.cyclic else ""
    prose(out, f"exact: {found.positions:,} positions{mirrored}, {found.edges:,} actions, {span(found.seconds)}{how}")
