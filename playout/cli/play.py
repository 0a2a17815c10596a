"""`playout play`: a game at the terminal, against agents or between them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.options import Debug, Deck, GameSpec, Json, Moves, NoFit, Seed, StateFile
from playout.errors import PlayoutError

if TYPE_CHECKING:
    from playout.agents import Agent
    from playout.game.game import Game

DEFAULT_AGENT = "uct"


def play(
    game: GameSpec,
    *,
    seat: Annotated[
        int | None, typer.Option("--as", metavar="PLAYER", help="The player you are; 0 begins in most games. [default: 0]")
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="Who sits in the other seats, in order; one for all, or one each: random, uct, uct:simulations=1000,c=1.4, "
            r"one-depth:seconds=2, person, mine.py:make_agent. \[default: uct, with 10,000 simulations an action]",
            show_default=False,
        ),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Do not take part: agents sit in all seats.")] = False,
    moves: Moves = "",
    deck: Deck = "",
    state: StateFile = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep the position here after every action; --state FILE plays on from it."),
    ] = None,
    no_fit: NoFit = False,
    json: Json = False,
    seed: Seed = 0,
    debug: Debug = False,
) -> None:
    """Play against an agent, or watch agents play.

    Type an action by name or id. Other words at the prompt: hint, undo, moves, draw, save FILE, help, quit.

    [bold]Examples[/bold]

      playout play connect-four
      playout play connect-four --as 1 --agent uct:seconds=3
      playout play treasure --agent random --agent uct
      playout play othello --watch --agent uct:simulations=5000 --agent random
      playout play hex:size=5 --agent person
    """
    from playout.cli.position import beginning, read_moves, set_up
    from playout.cli.sitting import Sitting
    from playout.cli.terminal import console, print_json
    from playout.files import check_folder

    rules = set_up(game, deck)
    check_folder(save)
    agents = seated(rules, agent or [], seat, watch, seed, fit=not no_fit)
    given = read_moves(moves, rules)
    start = beginning(rules, seed, given, state)
    given = given.at(start)
    if given.replay(start).over:
        raise PlayoutError(f"the game of {rules.name} is over in this position: there is nothing to play")
    sitting = Sitting(start, agents, console(stderr=json), seed=seed, keep=save, fit=not no_fit)
    sitting.begin(given.moves)
    sitting.run()
    if json:
        print_json(sitting.to_dict())


def seated(game: Game, specs: list[str], seat: int | None, watch: bool, seed: int, fit: bool = True) -> list[Agent]:
    """The agents by player: a person in the seat asked for, the others as named."""
    from playout.agents import Person, make_agent
    from playout.arena.schedule import AGENTS, one_way

    if watch and seat is not None:
        raise PlayoutError("--watch has no seat for you; leave out --as or --watch")
    if not 0 <= (seat or 0) < game.players:
        raise PlayoutError(f"--as is {seat}, but {game.name} has {_players(game)}: give 0{_up_to(game)}")
    mine = None if watch else seat or 0
    free = [player for player in range(game.players) if player != mine]
    names = specs or [DEFAULT_AGENT] * bool(free)
    if len(names) not in (1, len(free)) or (not free and names):
        raise PlayoutError(
            f"{len(names)} agents are given with --agent, but {game.name} has {_seats(len(free))}; give {_wanted(len(free))}"
        )
    specs_by_seat = dict(zip(free, names * len(free) if len(names) == 1 else names))
    return [
        Person()
        if player == mine
        else make_agent(specs_by_seat[player], game, seed=one_way(seed, AGENTS, player, player), fit=fit)
        for player in range(game.players)
    ]


def _players(game: Game) -> str:
    return f"{game.players} player{'s' * (game.players != 1)}"


def _up_to(game: Game) -> str:
    return f" to {game.players - 1}" if game.players > 1 else ""


def _seats(count: int) -> str:
    return f"{count} seat{'s' * (count != 1)} for them" if count else "no seat for them"


def _wanted(count: int) -> str:
    return "none" if count == 0 else "1" if count == 1 else f"1 for all, or {count}"
