"""The tree as a picture: one column per action from here on, heights by visits, colours by what the mover gets.

A search that spread its visits over many actions would show one column and nothing else; there the most visited action of
each position is enlarged, and the page says so.

Deeper names are found by replaying the game. Below an action that drew from the stream the outcomes are found by
drawing again and asking the tree which of them it knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from playout.engine import layout
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import OUTCOMES, seed_word
from playout.picture import PLAYER_COLOURS, Picture
from playout.planner.decision import Decision
from playout.planner.why import result_words
from playout.report.axis import fitted, text_width
from playout.report.marks import WIDTH
from playout.report.style import INK, MUTED, SHADES, shade

DEPTH = 5
HEIGHT = 330.0
TOP, COLUMN = 24.0, 88.0
LEAST = 2.2
"""Cells lower than this are left out: the white below a column's cells is what they would have taken."""
ENLARGED = 0.55
"""The part of its parent that the most visited action gets at least, in an enlarged picture."""
DRAWS = 96
"""How often chance is drawn to find the outcomes below an action."""

Place = tuple[Any, int]
"""A tree and one of its slots."""


class Position(NamedTuple):
    """A position somewhere in the tree."""

    places: list[Place]
    """Where it stands in each tree that knows it."""
    state: State
    path: str = ""
    """The way to it in words."""
    steps: str = ""
    """The way to it as ids, each with the number of the outcome it led to where chance was drawn: "3 0/1 5"."""
    chancy: bool = False


def _step(action: Any) -> str:
    """An action as a word without blanks."""
    return ",".join(map(repr, action)) if isinstance(action, tuple) else str(action)


def walk(decision: Decision, steps: str) -> Position:
    """The position that steps lead to from the decision; of a chance event without a number, the most visited outcome."""
    here = Position([(tree, 0) for tree in decision.trees], decision.state)
    for step in steps.split():
        word, _, number = step.partition("/")
        edges = {_step(action): (action, found) for action, found in _edges(here.places).items()}
        if word not in edges:
            raise PlayoutError(f"{steps!r} leads to no position of this tree: {step!r} is not in it; take the steps of a cell")
        action, found = edges[word]
        below = list(positions(decision, found, here, action))
        wanted = 0 if not number else int(number) if number.isdecimal() and len(number) < 6 else -1
        if not 0 <= wanted < len(below):
            raise PlayoutError(f"{steps!r} leads to no position of this tree: nothing is known below {step!r}")
        here = below[wanted]
    return here


def state_at(decision: Decision, steps: str) -> State | None:
    """The state behind a cell, for its board; None where there is no such cell, or not one state but a world for every simulation."""
    try:
        return walk(decision, steps).state
    except PlayoutError:
        return None


@dataclass
class Cell:
    """One action somewhere in the tree, with the statistics of all trees added up."""

    depth: int
    top: float
    height: float
    mover: int
    name: str
    path: str
    visits: int
    value: float
    """Mean return, or the proven one, for the player to act at the root."""
    proven: tuple[float, ...] | None
    steps: str
    """The way to it from the decision, as `Icicle.read` and `state_at` take it."""
    outcomes: list[tuple[float, float]] = field(default_factory=list)
    """Top and height of each outcome of chance."""


@dataclass
class Icicle:
    """The cells of a picture, parents before children."""

    decision: Decision
    enlarged: bool
    cells: list[Cell] = field(default_factory=list)
    root: Position | None = None
    """The position on the left, where that is not the one of the decision."""

    @classmethod
    def read(cls, decision: Decision, steps: str = "") -> Icicle:
        """The part of the trees that is worth drawing: to scale where that shows something, enlarged elsewhere.

        With the `steps` of a cell the picture begins there, so that every depth can be looked at.
        """
        root = walk(decision, steps)
        for enlarged in (False, True):
            icicle = cls(decision, enlarged, root=root)
            icicle.grow(root, 0, (TOP, HEIGHT))
            if max((cell.depth for cell in icicle.cells), default=0) >= min(2, decision.deepest - 1 - len(steps.split())):
                break
        return icicle

    def grow(self, here: Position, depth: int, span: tuple[float, float]) -> None:
        """Add the cells of a position that has the span (top and height) for its actions."""
        places, edges = here.places, _edges(here.places)
        visits = {action: _visits(found) for action, found in edges.items()}
        shares = self.shares(visits, max(_visits(places), sum(visits.values()), 1))
        top = span[0]
        for action, share in shares.items():
            high = span[1] * share
            if high < LEAST:
                break
            cell = _cell(self.decision, edges[action], here, action, depth, top, high)
            self.cells.append(cell)
            if depth + 1 < DEPTH and high >= 2 * LEAST:
                for part, below in _outcomes(self.decision, edges[action], here, action, cell):
                    self.grow(below, depth + 1, part)
            top += high

    def shares(self, visits: dict[Any, int], whole: int) -> dict[Any, float]:
        """The part of its parent's height that each action gets, the most visited first."""
        shares = {action: visits[action] / whole for action in sorted(visits, key=lambda a: (-visits[a], a))}
        first = next(iter(shares), None)
        if self.enlarged and first is not None and 0 < shares[first] < ENLARGED:
            shrink = (1 - ENLARGED) / (1 - shares[first])
            shares = {action: ENLARGED if action == first else share * shrink for action, share in shares.items()}
        return shares


def _edges(places: list[Place]) -> dict[Any, list[Place]]:
    """The edges of one position in all trees, by action."""
    edges: dict[Any, list[Place]] = {}
    for tree, slot in places:
        for edge in tree.edges(slot):
            edges.setdefault(tree.action_of(edge), []).append((tree, edge))
    return edges


def _cell(decision: Decision, found: list[Place], here: Position, action: Any, depth: int, top: float, high: float) -> Cell:
    visits, state = _visits(found), here.state
    score = sum(float(tree.scores_of(slot)[decision.mover]) for tree, slot in found)
    proof = next((place for place in found if place[0].tagged(place[1], layout.PROVEN)), None)
    proven = None if proof is None else tuple(proof[0].value_of(proof[1], player) for player in range(state.game.players))
    name = state.name(action)
    return Cell(
        depth=depth,
        top=top,
        height=high,
        mover=state.mover,
        name=name,
        path=f"{here.path} {name}".strip(),
        steps=f"{here.steps} {_step(action)}".strip(),
        visits=visits,
        value=score / visits if proven is None else proven[decision.mover],
        proven=proven,
    )


def _outcomes(
    decision: Decision, found: list[Place], here: Position, action: Any, cell: Cell
) -> Iterator[tuple[tuple[float, float], Position]]:
    """(top and height, position) of everything below an action that the trees know."""
    top, whole = cell.top, max(1, cell.visits)
    for number, below in enumerate(positions(decision, found, here, action)):
        if number == 0 and not below.chancy:
            yield (cell.top, cell.height), below
            return
        high = cell.height * min(_visits(below.places), whole) / whole
        if high < LEAST or top + high > cell.top + cell.height + 0.01:
            break
        cell.outcomes.append((top, high))
        yield (top, high), below
        top += high


def positions(decision: Decision, found: list[Place], here: Position, action: Any) -> Iterator[Position]:
    """The positions below an action that the trees know, the most visited first; one of them where no chance was drawn."""
    if decision.settings.hidden in layout.SAMPLING:
        return  # below, every simulation was in a world of its own
    state, path, steps = here.state, f"{here.path} {here.state.name(action)}".strip(), f"{here.steps} {_step(action)}".strip()
    if not any(tree.tagged(slot, layout.CHANCE) for tree, slot in found):
        after = state.play(action)
        yield Position(_below(found, after), after, path, steps)
        return
    known: dict[bytes, tuple[State, list[Place]]] = {}
    for draw in range(DRAWS):
        after = State(state.game, state.copy_array(), seed_word(decision.seed, OUTCOMES, draw)).play(action)
        if bytes(after) not in known and not after.over:
            known[bytes(after)] = after, _below(found, after)
    for number, (after, below) in enumerate(sorted(known.values(), key=lambda pair: -_visits(pair[1]))):
        yield Position(below, after, path, f"{steps}/{number}", chancy=True)


def _below(found: list[Place], after: State) -> list[Place]:
    return [(tree, slot) for tree, edge in found if (slot := tree.below(edge, after)) is not None]


def _visits(places: list[Place]) -> int:
    return sum(tree.visits_of(slot) for tree, slot in places)


# drawing


def draw(icicle: Icicle, asked: bool = False) -> str:
    """The picture of the search; where it is `asked`, every cell has its steps as `data-steps`, to be shown or zoomed to."""
    decision, cells = icicle.decision, icicle.cells
    deeper = icicle.root is not None and icicle.root.steps
    whole = max(1, _visits(icicle.root.places) if icicle.root and deeper else decision.parent_visits)
    middle, spread = _scale(decision, cells)
    picture = Picture(WIDTH, TOP + HEIGHT + 48, f"The search tree by visits, {decision.game}")
    _heads(picture, cells, decision.state.game)
    for cell in cells:
        data = {"steps": cell.steps} if asked else {}
        _draw(picture, cell, shade((cell.value - middle) / spread), f"{100 * cell.visits / whole:.3g} %", decision, data)
    _key(picture, decision, middle, spread)
    return str(picture)


def _scale(decision: Decision, cells: list[Cell]) -> tuple[float, float]:
    """(neutral value, distance to the strongest colour): neutral is zero where wins and losses are alike, else the mean now."""
    low, high = decision.state.game.range_of(decision.settings.reward) or (0.0, 1.0)
    now = [cell for cell in cells if cell.depth == 0]
    middle = 0.0 if low == -high else sum(c.value * c.visits for c in now) / max(1, sum(c.visits for c in now))
    return middle, max((abs(c.value - middle) for c in cells), default=0.0) or 1.0


def _heads(picture: Picture, cells: list[Cell], game: Game) -> None:
    """Above each column the place of the action, with its player's colour where that is one and the same."""
    for depth in range(1 + max((c.depth for c in cells), default=0)):
        movers = {c.mover for c in cells if c.depth == depth}
        words = ("now", "then")[depth > 0] if len(movers) != 1 else fitted(game.player_name(min(movers)), 11.5, COLUMN - 22)
        x = depth * COLUMN + 4
        if len(movers) == 1:
            picture.circle(x + 4, 11, 4, PLAYER_COLOURS[min(movers) % len(PLAYER_COLOURS)])
            x += 12
        picture.text(x, 11, words, 11.5, MUTED, "start")


def _draw(picture: Picture, cell: Cell, colours: tuple[str, str], share: str, decision: Decision, data: dict[str, str]) -> None:
    x, high = cell.depth * COLUMN, cell.height
    inset = min(1.0, high / 6)
    known = "" if cell.proven is None else f", proven: {result_words(cell.proven, decision.mover)}"
    who = decision.state.game.player_name(cell.mover)
    visits = f"{cell.visits:,} visits ({share})"
    words = f"{cell.path}\n{who} plays {cell.name}: {visits}, {cell.value:+.3f} for {decision.player}{known}"
    fill, ink = colours
    with picture.note(words, **data):
        picture.rect(x + 1, cell.top + inset / 2, COLUMN - 2, max(0.8, high - inset), fill, rx=min(3.0, high / 4))
        for top, tall in cell.outcomes:
            picture.rect(x + COLUMN - 8, top + inset, 5, max(0.6, tall - 2 * inset), ink, rx=1.5)
        room = COLUMN - (18 if cell.outcomes else 10)
        if high >= 12:
            size = min(13.0, high - 2)
            name = fitted(cell.name, size, room)
            beside = high < 29 and text_width(f"{name}  {share}", size) <= room
            picture.text(x + 6, cell.top + (high / 2 if high < 29 else min(14.0, high / 3)), name, size, ink, "start", bold=True)
            if high >= 29:
                picture.text(x + 6, cell.top + min(29.0, 0.72 * high), share, 11, ink, "start")
            elif beside:
                picture.text(x + COLUMN - (12 if cell.outcomes else 5), cell.top + high / 2, share, min(11.0, size), ink, "end")


def _key(picture: Picture, decision: Decision, middle: float, spread: float) -> None:
    y, steps, wide = TOP + HEIGHT + 16, SHADES, 9.0
    x = WIDTH / 2 - steps * wide / 2
    for step in range(steps):
        picture.rect(x + step * wide, y, wide + 0.3, 9, shade(2 * step / (steps - 1) - 1)[0])
    picture.text(x - 8, y + 4.5, f"worse for {decision.player}", 11.5, MUTED, "end")
    picture.text(x + steps * wide + 8, y + 4.5, "better", 11.5, MUTED, "start")
    for part, value in ((0.0, middle - spread), (0.5, middle), (1.0, middle + spread)):
        picture.text(
            x + part * steps * wide, y + 19, f"{value:+.2f}" if spread < 10 else f"{value:.3g}", 11, INK if part == 0.5 else MUTED
        )
