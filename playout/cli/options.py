"""Options that several commands share, and those that are made from the fields of `Settings` and `Budget`.

A field added to `Settings` is an option of `playout search` at once, with the field's own text as its help.
"""

from __future__ import annotations

import copy
import inspect
import typing
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import typer

from playout.cli import terminal
from playout.planner.described import kind_of, texts
from playout.planner.settings import Budget, Settings

F = TypeVar("F", bound=Callable[..., Any])


def _set_debug(value: bool) -> bool:
    terminal.debug = terminal.debug or value
    return value


GameSpec = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A bundled name (connect-four), one with parameters (mnk:m=7,n=7,k=4), or the path of a file (mygame.py).",
        show_default=False,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print only JSON on the standard output; all else goes to the standard error.")
]
Seed = Annotated[
    int,
    typer.Option("--seed", metavar="N", min=0, max=(1 << 62) - 1, help="The seed of everything random: same seed, same result."),
]
Debug = Annotated[bool, typer.Option("--debug", callback=_set_debug, help="On an error show the full details.")]
Moves = Annotated[
    str,
    typer.Option(
        "--moves",
        metavar="MOVES",
        help='Actions to play first, by id or name, in order: "d d c". Commas separate where there are any: "pass, d3". @FILE reads them from a '
        "file, one on each line, or from what playout play --json printed.",
        show_default=False,
    ),
]
Deck = Annotated[
    str,
    typer.Option(
        "--deck",
        metavar="CARDS",
        help="Set up the deck of a card game: these cards in this order, the top card first (2C-3S-10D). "
        "The same as deck=CARDS,order=CARDS in the game's parameters.",
        show_default=False,
    ),
]
StateFile = Annotated[
    Path | None,
    typer.Option("--state", metavar="FILE", help="Begin from a saved position (`save FILE` in playout play writes one)."),
]

Device = Annotated[str, typer.Option(metavar="NAME", help="Where a network works: cpu, cuda, or auto: a GPU where there is one.")]
Report = Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML page with plots.")]

# where and how games of agents are played


class Engine(StrEnum):
    """Where the games are played."""

    local = "local"
    ray = "ray"
    here = "here"
    cores = "cores"
    cuda = "cuda"


Workers = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Games at the same time. \\[default: one per core]", show_default=False)
]
EngineOption = Annotated[
    Engine,
    typer.Option(
        help="local: processes on this machine; ray: a Ray cluster; here: this process, no others; cuda: all games side by side on a GPU; "
        "cores: the same on the cores. The games are the same everywhere."
    ),
]
Address = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="An existing Ray cluster: auto, host:port or ray://host:port.", show_default=False),
]


class By(StrEnum):
    """What counts."""

    auto = "auto"
    points = "points"
    returns = "returns"


ByOption = Annotated[
    By,
    typer.Option(
        "--by",
        help="What counts: points (who was ahead of whom), or returns (what everybody got). auto: returns where results are more than "
        "win, draw and loss.",
    ),
]
Openings = Annotated[
    int, typer.Option(min=0, metavar="K", help="Begin with K random actions, each opening played from all sides.")
]
Limit = Annotated[
    float, typer.Option(metavar="SECONDS", help="A decision that takes longer loses the game. So do errors and illegal actions.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Forget the games that are there, and begin anew.")]
NoFit = Annotated[bool, typer.Option("--no-fit", help="Leave aside the settings that playout fit found for this game.")]

# options out of settings


def _option(kind: type[Any], field: msgspec.structs.FieldInfo, panel: str) -> inspect.Parameter:
    plain = kind_of(field)
    word = field.name.replace("_", "-")
    text = texts(kind).get(field.name, "")
    if field.default is not None and plain is not bool:
        text += f" [default: {field.default}]"
    names = f"--{word}" if plain is not bool or field.default is False else f"--{word}/--no-{word}"
    info = typer.Option(names, help=text.replace("[", r"\["), show_default=False, rich_help_panel=panel)
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[plain | None, info])


EVERYDAY = frozenset({"moves", "state", "seconds", "simulations", "seed", "why", "line", "tree", "report", "json", "network"})
"""The options of `playout search` that its first page of help shows; the others work as well, and --help-all has them."""


def with_search_options(command: F) -> F:
    """Give a command that takes `**words` every field of `Budget` and `Settings` as an option; None where not given."""
    groups = (Budget, "Budget: how long, whichever ends first"), (Settings, "Settings: how to search")
    return with_options(command, *groups, shown=EVERYDAY)


def _show_all(context: typer.Context, value: bool) -> None:
    if value:
        for option in context.command.params:
            option.hidden = False  # type: ignore[attr-defined]
        print(context.get_help(), end="")
        raise typer.Exit


HelpAll = Annotated[
    bool, typer.Option("--help-all", callback=_show_all, is_eager=True, help="Show all options, and what every setting means.")
]


def _hidden(parameter: inspect.Parameter) -> inspect.Parameter:
    """The same option, left out of the first page of help."""
    kind, info, *more = typing.get_args(parameter.annotation)
    if not isinstance(info, typer.models.OptionInfo):
        return parameter
    info = copy.copy(info)
    info.hidden = True
    return parameter.replace(annotation=Annotated[(kind, info, *more)])


def with_options(command: F, *groups: tuple[type[Any], str], shown: frozenset[str] | None = None) -> F:
    """The same for the fields of any settings, each kind under a heading of its own; some `shown` in the help, or all."""
    fixed = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    made = [
        _option(kind, field, panel)
        for kind, panel in groups
        for field in msgspec.structs.fields(kind)
        if field.name not in {parameter.name for parameter in fixed}
    ]
    parameters = [*fixed, *made]
    if shown is not None:
        parameters = [parameter if parameter.name in shown else _hidden(parameter) for parameter in parameters]
        parameters.append(inspect.Parameter("help_all", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=HelpAll))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def split_words(words: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(limits, settings) among the options that were given."""
    given = {name: value for name, value in words.items() if value is not None}
    limits = {name: given.pop(name) for name in Budget.__struct_fields__ if name in given}
    return limits, given
