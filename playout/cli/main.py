"""The `playout` command: what belongs to all commands. Each command is a file of its own beside this one."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from playout import starting
from playout.cli import terminal
from playout.cli.arena import arena
from playout.cli.bench import bench
from playout.cli.check import check
from playout.cli.compare import compare
from playout.cli.demo import demo
from playout.cli.devices import devices
from playout.cli.exploit import exploit
from playout.cli.export import export
from playout.cli.fit import fit
from playout.cli.games import games
from playout.cli.inspect import inspect
from playout.cli.learn import learn
from playout.cli.new import new
from playout.cli.options import Debug
from playout.cli.play import play
from playout.cli.replay import replay
from playout.cli.search import search
from playout.cli.serve import serve
from playout.cli.solve import solve
from playout.cli.studio import studio
from playout.cli.study import study
from playout.cli.tune import tune
from playout.cli.watch import watch, with_timeout

EXAMPLES = """
[bold]A first quarter of an hour[/bold]

  playout games                              what is bundled
  playout games connect-four                 one of them closely
  playout search connect-four --seconds 2    the best action, and why
  playout play connect-four                  play against it
  playout studio                             the same and more in the browser
  playout new mygame --kind board            a game of my own, to begin with
  playout check mygame.py                    is it right?
  playout search mygame.py --json            for other programs
  playout arena connect-four uct random      who is better, and how sure
  playout tune connect-four uct c=0.1..3     which setting is best
  playout fit connect-four                   the settings for this game, found and kept
  playout study connect-four                 what kind of game it is
  playout compare loss-1d                    continuous actions: who loses how much
  playout learn tic-tac-toe --out p.json     learn it by playing, measured against perfect play
  playout solve tic-tac-toe                  the exact value of a small game

playout COMMAND --help says more, with examples.
"""

app = typer.Typer(
    name="playout",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
)


def _version(value: bool) -> None:
    if value:
        from playout import __version__

        print(f"playout {__version__}")
        raise typer.Exit


@app.callback()
def playout(
    debug: Debug = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Monte Carlo search in games: write a game once in Python; search it, play it, and see why."""


for command in (
    *(games, new, search, play, check, arena, replay, tune, fit, study),
    *(learn, inspect, export, solve, exploit, compare, studio, serve, devices, bench, demo),
):
    app.command()(with_timeout(command))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code: 0 well, 1 a check that failed, 2 something given cannot be used."""
    terminal.debug = False
    try:
        result: Any = typer.main.get_command(app).main(list(arguments), prog_name="playout", standalone_mode=False)
        sys.stdout.flush()
        if result == terminal.INTERRUPTED:
            print("playout: interrupted", file=sys.stderr)
        return result if isinstance(result, int) else 0
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python would complain once more when it closes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            return 0
        return terminal.complain(error)


def main() -> None:
    """The console script."""
    watch()
    starting.while_working()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        print("playout: interrupted", file=sys.stderr)
        code = starting.INTERRUPTED
    starting.at_the_end()
    sys.exit(code)
