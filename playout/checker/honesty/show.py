"""What people and searches are shown: drawings, names of actions, and the helpers of a search, of states that look the same.

A drawing for a viewer may show what that player sees and nothing else, so it is the same for two states with one past. This is a
comparison of texts, and an honest game never fails it. A rule for playouts, a prior or an evaluation may look at hidden cards, since a
search asks them about worlds; that they do is worth knowing, because whoever asks them about the truth is told too much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from playout.checker.honesty.lines import ACTS, Line
from playout.checker.honesty.report import NOTE, Finding, Spent
from playout.game.clicks import answers, read_marks
from playout.game.encoding import encoding_of
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import Stream

MOST_CLICKS = 30
"""Clicks on one picture, single ones first, whose meaning is compared."""


def pictures(state: State, viewer: int, acts: bool) -> dict[str, Any]:
    """All that a viewer is shown of a state."""
    shown: dict[str, Any] = {}
    if state.game.has("draw"):
        shown["draw"] = state.draw(viewer)
    if state.game.has("svg"):
        shown["svg"] = state.svg(viewer)
    if state.game.has("clicked") and acts:
        parts = read_marks(shown.get("svg") or "").parts
        shown["clicked"] = list(islice(answers(state.clicked, parts), MOST_CLICKS))
    if state.game.has("action_name") and acts:
        shown["action_name"] = [(action, state.name(action, viewer)) for action in sorted(state.legal)]
    return shown


def same_pictures(one: State, other: State, player: int, acts: bool, where: object, what: str) -> None:
    """Raise what `draw`, `svg`, `clicked` or `action_name` give away, if they do."""
    try:
        first, second = pictures(one, player, acts), pictures(other, player, acts)
    except Exception as error:
        raise Spent(
            "honesty-shown",
            f"draw, svg, clicked or action_name raised {type(error).__name__}: {error} for viewer {player} {where}",
        ) from None
    for role, shown in first.items():
        if shown != second[role]:
            raise Spent(
                "honesty-shown",
                f"{role} shows player {player} what it cannot know {where}: {_difference(shown, second[role])}, in the true state and in {what}; "
                f"let {role} look only at what observe leaves to the viewer",
            )


def same_encodings(one: State, other: State, player: int, where: object, what: str) -> None:
    """Raise what a network is told of a state and not of one that looks the same, if it is."""
    if not one.game.has("encode"):
        return
    try:
        encoding = encoding_of(one.game, compiled=False)
        first, second = encoding.of(one, player), encoding.of(other, player)
    except Exception as error:
        raise Spent("honesty-encode", f"encode raised {type(error).__name__}: {error} for player {player} {where}") from None
    if not np.array_equal(first, second, equal_nan=True):
        place = tuple(int(n) for n in np.argwhere(first != second)[0])
        raise Spent(
            "honesty-encode",
            f"encode tells states apart that look the same to player {player}, {where}: out[{', '.join(map(str, place))}] is {first[place]} in the true state "
            f"and {second[place]} in {what}; it is handed what observe leaves, so it knows more from somewhere else: let it read nothing but its arguments",
        )


def _difference(one: Any, other: Any) -> str:
    if isinstance(one, list):
        pairs = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
        if not pairs:
            return "other actions have names"
        (what, first), (_, second) = pairs[0]
        if isinstance(what, tuple):
            return f"a click on {' and '.join(what)} means {first} and {second}"
        return f"action {what} is called {first!r} and {second!r}"
    lines = [(a, b) for a, b in zip(str(one).splitlines(), str(other).splitlines(), strict=False) if a != b]
    first, second = lines[0] if lines else (str(one)[-60:], str(other)[-60:])
    return f"{first.strip()[:80]!r} and {second.strip()[:80]!r}"


def helpers(game: Game, lines: Sequence[tuple[Line, Line]]) -> list[Finding]:
    """A note for each of the helpers of a search that answers differently in states which look the same to the mover."""
    found = []
    for role, ask in HELPERS.items():
        pairs = [(one, two) for one, two in lines if one.stands == ACTS] if game.has(role) else []
        differ = sum(ask(one.state) != ask(two.state) for one, two in pairs)
        if differ:
            found.append(
                Finding(
                    test="helpers",
                    code=f"honesty-{role}",
                    result=NOTE,
                    message=f"{role} depends on what the mover cannot see, in {differ} of {len(pairs)} pairs of states that look the same: a search "
                    "may use it, which asks it about worlds; the agent `rule` and anybody who asks it about the true state is told too much",
                    cases=len(pairs),
                )
            )
    return found


def _playout_action(state: State) -> Any:
    legal = np.array(state.legal, np.int64)
    return int(state.game.functions["playout_action"](state.fields, legal, len(legal), Stream(1)))


def _prior(state: State) -> Any:
    legal, out = np.array(state.legal, np.int64), np.zeros(max(1, len(state.legal)))
    state.game.functions["prior"](state.fields, legal, len(legal), out)
    return out.tolist()


def _evaluate(state: State) -> Any:
    out = np.zeros(state.game.players)
    state.game.functions["evaluate"](state.fields, out)
    return out.tolist()


HELPERS: dict[str, Callable[[State], Any]] = {"playout_action": _playout_action, "prior": _prior, "evaluate": _evaluate}
