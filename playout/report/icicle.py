"""The tree as a picture: one column per action from here on, heights by visits, colours by what the mover gets.

A search that spread its visits over many actions would show one column and nothing else; there the most visited action of
each position is enlarged, and the page says so.

Deeper names are found by replaying the game. Below an action that drew from the stream the outcomes are found by
drawing again and asking the tree which of them it knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from playout.engine import layout
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
    outcomes: list[tuple[float, float]] = field(default_factory=list)
    """Top and height of each outcome of chance."""


@dataclass
class Icicle:
    """The cells of a picture, parents before children."""

    decision: Decision
    enlarged: bool
    cells: list[Cell] = field(default_factory=list)

    @classmethod
    def read(cls, decision: Decision) -> Icicle:
        """The part of the trees that is worth drawing: to scale where that shows something, enlarged elsewhere."""
        for enlarged in (False, True):
            icicle = cls(decision, enlarged)
            icicle.grow([(tree, 0) for tree in decision.trees], decision.state, 0, (TOP, HEIGHT), "")
            if max((cell.depth for cell in icicle.cells), default=0) >= min(2, decision.deepest - 1):
                break
        return icicle

    def grow(self, places: list[Place], state: State, depth: int, span: tuple[float, float], path: str) -> None:
        """Add the cells of a position that has the span (top and height) for its actions."""
        edges: dict[Any, list[Place]] = {}
        for tree, slot in places:
            for edge in tree.edges(slot):
                edges.setdefault(tree.action_of(edge), []).append((tree, edge))
        visits = {action: _visits(found) for action, found in edges.items()}
        shares = self.shares(visits, max(_visits(places), sum(visits.values()), 1))
        top = span[0]
        for action, share in shares.items():
            high = span[1] * share
            if high < LEAST:
                break
            cell = _cell(self.decision, edges[action], state, action, depth, top, high, path)
            self.cells.append(cell)
            if depth + 1 < DEPTH and high >= 2 * LEAST:
                for part, after, below in _outcomes(self.decision, edges[action], state, action, cell):
                    self.grow(below, after, depth + 1, part, cell.path)
            top += high

    def shares(self, visits: dict[Any, int], whole: int) -> dict[Any, float]:
        """The part of its parent's height that each action gets, the most visited first."""
        shares = {action: visits[action] / whole for action in sorted(visits, key=lambda a: (-visits[a], a))}
        first = next(iter(shares), None)
        if self.enlarged and first is not None and 0 < shares[first] < ENLARGED:
            shrink = (1 - ENLARGED) / (1 - shares[first])
            shares = {action: ENLARGED if action == first else share * shrink for action, share in shares.items()}
        return shares


def _cell(
    decision: Decision, found: list[Place], state: State, action: Any, depth: int, top: float, high: float, path: str
) -> Cell:
    visits = _visits(found)
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
        path=f"{path} {name}".strip(),
        visits=visits,
        value=score / visits if proven is None else proven[decision.mover],
        proven=proven,
    )


def _outcomes(
    decision: Decision, found: list[Place], state: State, action: Any, cell: Cell
) -> Iterator[tuple[tuple[float, float], State, list[Place]]]:
    """(top and height, state, places) of every position below an action that the trees know."""
    if decision.settings.hidden in layout.SAMPLING:
        return  # below, every simulation was in a world of its own
    if not any(tree.tagged(slot, layout.CHANCE) for tree, slot in found):
        after = state.play(action)
        yield (cell.top, cell.height), after, _below(found, after)
        return
    known: dict[bytes, tuple[State, list[Place]]] = {}
    for draw in range(DRAWS):
        after = State(state.game, state.copy_array(), seed_word(decision.seed, OUTCOMES, draw)).play(action)
        if bytes(after) not in known and not after.over:
            known[bytes(after)] = after, _below(found, after)
    top, whole = cell.top, max(1, cell.visits)
    for after, below in sorted(known.values(), key=lambda pair: -_visits(pair[1])):
        high = cell.height * min(_visits(below), whole) / whole
        if high < LEAST or top + high > cell.top + cell.height + 0.01:
            break
        cell.outcomes.append((top, high))
        yield (top, high), after, below
        top += high


def _below(found: list[Place], after: State) -> list[Place]:
    return [(tree, slot) for tree, edge in found if (slot := tree.below(edge, after)) is not None]


def _visits(places: list[Place]) -> int:
    return sum(tree.visits_of(slot) for tree, slot in places)


# drawing


def draw(icicle: Icicle) -> str:
    """The picture of the search."""
    decision, cells = icicle.decision, icicle.cells
    whole = max(1, decision.parent_visits)
    middle, spread = _scale(decision, cells)
    picture = Picture(WIDTH, TOP + HEIGHT + 48, f"The search tree by visits, {decision.game}")
    _heads(picture, cells, decision.state.game)
    for cell in cells:
        _draw(picture, cell, shade((cell.value - middle) / spread), f"{100 * cell.visits / whole:.3g} %", decision)
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


def _draw(picture: Picture, cell: Cell, colours: tuple[str, str], share: str, decision: Decision) -> None:
    x, high = cell.depth * COLUMN, cell.height
    inset = min(1.0, high / 6)
    known = "" if cell.proven is None else f", proven: {result_words(cell.proven, decision.mover)}"
    who = decision.state.game.player_name(cell.mover)
    visits = f"{cell.visits:,} visits ({share})"
    words = f"{cell.path}\n{who} plays {cell.name}: {visits}, {cell.value:+.3f} for {decision.player}{known}"
    fill, ink = colours
    with picture.note(words):
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
