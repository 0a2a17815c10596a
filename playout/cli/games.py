"""`playout games`: what is bundled, and one game closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from playout.cli.options import Debug, Json, Seed

if TYPE_CHECKING:
    from playout.game.contract import Parameter
    from playout.game.game import Game
    from playout.game.state import State


FORMS = {
    "called back": "a search is compiled, and calls back for every rule",
    "uncompiled": "a search is uncompiled, too",
}
"""How a game is searched whose rules do not compile."""


def games(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One game to look at closely, bundled or a file.", show_default=False)
    ] = None,
    *,
    json: Json = False,
    seed: Seed = 0,
    debug: Debug = False,
) -> None:
    """List the bundled games, or look at one: its parameters, and its start drawn.

    [bold]Examples[/bold]

      playout games
      playout games connect-four
      playout games mnk:m=7,n=7,k=4 --json
    """
    from playout.game.load import load

    if name is not None:
        _one(load(name), seed, json)
    else:
        _all(json)


def describe(game: Game, name: str = "") -> dict[str, Any]:
    """A game as plain data."""
    from playout.game.contract import ENCODED, OPTIONAL, SHOWN

    defines = [role for role in (*OPTIONAL, *ENCODED, *SHOWN, "gradient") if game.has(role)]
    return {
        "name": name or game.name,
        "spec": game.spec,
        "title": game.title,
        "players": game.players,
        "player_names": game.player_names or None,
        "actions": None if game.continuous else game.actions,
        "most_legal": None if game.continuous else game.most_legal,
        "continuous": _continuous(game),
        "state_bytes": game.dtype.itemsize,
        "returns_range": game.returns_range,
        "laws": game.laws or None,
        "rewards": game.rewards or None,
        "search_settings": game.search_settings or None,
        "symmetries": game.symmetries,
        "search": "compiled" if game.compiled else "called back" if game.called_back else "uncompiled",
        "parameters": [_parameter(p) for p in game.declared.values()],
        "defines": [*defines, *(["solution"] if game.solution is not None else [])],
    }


def _continuous(game: Game) -> dict[str, Any] | None:
    """The stages of a game with real-valued actions and the set they come from; a mover of None is chance."""
    shape = game.shape
    if shape is None:
        return None
    return {
        "stages": shape.stages,
        "movers": [mover if mover >= 0 else None for mover in shape.movers],
        "dimension": shape.dimension,
        "action_set": shape.action_set,
    }


def _seen(game: Game) -> tuple[list[str], dict[str, Any] | None]:
    """What a network sees of the game, in lines and as data; a game that cannot be played to find out gets the reason."""
    from playout.errors import PlayoutError
    from playout.game.encoding import encoding_of

    if game.continuous:
        return [], None
    try:
        encoding = encoding_of(game, compiled=False)
        _ = encoding.symmetries
    except PlayoutError as error:
        return [f"a network cannot see it: {error}"], {"problem": str(error)}
    return encoding.words(), encoding.to_builtins()


def _parameter(p: Parameter) -> dict[str, Any]:
    return {"name": p.name, "value": p.value, "default": p.default, "low": p.low, "high": p.high, "help": p.help}


def _all(json: bool) -> None:
    from rich.markup import escape

    from playout.cli.tables import bare_table
    from playout.cli.terminal import console, print_json, prose
    from playout.game.load import ALIASES, bundled, load

    rows = [describe(load(name)) for name in bundled()]
    others = [{**describe(load(alias), alias), "alias": _spec(*ALIASES[alias])} for alias in ALIASES]
    if json:
        print_json({"games": [*rows, *others]})
        return
    out = console()
    table = bare_table()
    table.add_column("game", style="bold", no_wrap=True)
    table.add_column("players", justify="right")
    table.add_column("actions", justify="right")
    table.add_column("what it is")
    for row in rows:
        parameters = "".join(f"\n[dim]{escape(_words(p))}[/dim]" for p in row["parameters"])
        table.add_row(row["name"], str(row["players"]), _count(row), escape(row["title"]) + parameters)
    for row in others:
        table.add_row(row["name"], str(row["players"]), _count(row), f"another name of {row['alias']}")
    out.print(table)
    prose(out, "\nOne closely: playout games NAME.  With parameters: mnk:m=7,n=7,k=4.  Your own: the path of a file.")


def _count(row: dict[str, Any]) -> str:
    """How many action ids there are, or how many real numbers an action has."""
    return f"{row['actions']:,}" if row["continuous"] is None else f"real^{row['continuous']['dimension']}"


def _spec(name: str, parameters: dict[str, Any]) -> str:
    return name + ":" + ",".join(f"{word}={value}" for word, value in parameters.items())


def _words(p: dict[str, Any]) -> str:
    low, high = p["low"], p["high"]
    span = (
        ""
        if low is None and high is None
        else f", from {low}"
        if high is None
        else f", up to {high}"
        if low is None
        else f", {low} to {high}"
    )
    return f"{p['name']}={p['value']}  {p['help']}{span}"


def _one(game: Game, seed: int, json: bool) -> None:
    from playout.cli.terminal import console, plain, print_json

    start = game.start(seed)
    # As the first player sees it: a list of games is no place to show the whole deck.
    viewer = 0 if game.has("observe") else None
    drawing = start.draw(viewer)
    data, (seen, encoding) = describe(game), _seen(game)
    if json:
        position = msgspec.json.decode(start.to_json(viewer))
        box = {"box": start.box} if game.continuous and not start.over else {}
        shown = {"draw": drawing, "mover": start.mover, **box, **position}
        print_json({**data, "encoding": encoding, "start": shown})
        return
    out = console()
    out.print(f"[bold]{game.spec}[/bold]", highlight=False)
    plain(out, game.title)
    limits = "" if game.returns_range is None else f", returns from {game.returns_range[0]:g} to {game.returns_range[1]:g}"
    players = f"{game.players} player{'s' * (game.players != 1)}"
    what = f"{data['continuous']['stages']} stages" if game.continuous else f"{game.actions:,} action ids"
    plain(out, f"{players}, {what}, a state of {game.dtype.itemsize:,} bytes{limits}")
    if game.continuous:
        movers = ["chance" if mover is None else game.player_name(mover) for mover in data["continuous"]["movers"]]
        plain(out, f"movers: {', '.join(movers)}")
        plain(out, f"an action is {_action_words(game)}")
    if data["search"] != "compiled":
        plain(out, f"its rules are called as they are: {FORMS[data['search']]}")
    plain(out, "also defines " + (", ".join(data["defines"]) or "nothing optional"))
    for parameter in data["parameters"]:
        plain(out, f"  {_words(parameter)}")
    for line in seen:
        plain(out, line)
    plain(out, f"\n{drawing}\n")
    if start.over:
        return
    if game.continuous:
        plain(out, f"{game.player_name(start.mover)} to act{_bounds_words(start)}")
    elif viewer not in (None, start.mover):
        plain(out, f"{game.player_name(start.mover)} to act")
    else:
        names = [start.name(action, viewer) for action in start.legal]
        some = ", ".join(names[:12]) + (f", ... ({len(names)} in all)" if len(names) > 12 else "")
        plain(out, f"{game.player_name(start.mover)} to act: {some}")


def _action_words(game: Game) -> str:
    """What an action of a continuous game is."""
    shape = game.shape
    assert shape is not None
    if shape.action_set == "projective":
        return f"a unit complex vector of {shape.dimension // 2} components, {shape.dimension} real numbers"
    if shape.action_set == "sphere":
        return f"a unit vector of {shape.dimension} real numbers"
    return "a real number" if shape.dimension == 1 else f"a vector of {shape.dimension} real numbers"


def _bounds_words(state: State) -> str:
    """The box of the next action, one span where all components share it."""
    shape = state.game.shape
    assert shape is not None
    if shape.action_set != "box":
        return ""
    spans = [f"{low:g} to {high:g}" for low, high in zip(*state.box, strict=True)]
    if len(set(spans)) > 1:
        return ", numbers from " + ", ".join(spans)
    return f", {'a number' if len(spans) == 1 else 'every number'} from {spans[0]}"
