"""The decision record: the action chosen and every number that explains it, immutable and typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from playout.errors import PlayoutError, UnfinishedLine
from playout.frame import frame, spread
from playout.game.state import State
from playout.planner.actions import ActionRecord
from playout.planner.basins import Basins
from playout.planner.line import Line
from playout.planner.line import complete as finish
from playout.planner.opinion import Opinion
from playout.planner.settings import Settings
from playout.planner.survey.record import Survey
from playout.planner.why import at_first_sight, compare, result_words

MEAN = "mean: the average return of the simulations through an action, not its value when everybody plays best"
"""What must be said where means are printed."""
INTERRUPTED, ONLY = "interrupted", "only"
"""Why a search ended: by Ctrl-C or a call of its `interrupt`; because the state has one legal action, before it began."""


class TracePoint(msgspec.Struct, frozen=True):
    """How things stood after some simulations: visits and means in the order of `Decision.actions`."""

    simulations: int
    seconds: float
    visits: tuple[int, ...]
    means: tuple[float | None, ...]


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What a search returns. Print it, ask it `why`, follow its `line`, or take its JSON."""

    game: str
    seed: int
    mover: int
    action: Any
    """The id of the chosen action, or its vector in a continuous game."""
    name: str
    actions: tuple[ActionRecord, ...]
    parent_visits: int
    simulations: int
    """Simulations that this search added."""
    seconds: float
    nodes: int
    bytes: int
    stopped: str
    """Why it ended: simulations, seconds, proven, certain (the choice could no longer change), only (one legal action, so that
    there was nothing to search), interrupted, or running."""
    full: bool
    """The memory was used up and the search went on without growing."""
    proven: tuple[float, ...] | None
    """The exact result of the state per player, where it is known."""
    deepest: int
    playout_actions: float
    """Mean length of a playout; leaves valued by a policy have none."""
    settings: Settings
    trace: tuple[TracePoint, ...]
    state: State
    principal: Line
    """The principal variation as far as the tree reached; see `line`."""
    evaluations: int | None = None
    """Of a continuous game: how often its payoffs were asked for, derivatives included."""
    valued: int | None = None
    """Of a search with a learned policy or an evaluator: simulations of this search whose leaf it valued."""
    evaluator: str = ""
    """What the evaluator of the search is called."""
    trees: tuple[Any, ...]
    """The live trees, for those who want to look inside; they change when the search goes on, the record does not."""
    worlds: int | None = None
    """Worlds that the search drew: one for each simulation, or (pimc) one for each tree. None where none had to be drawn."""
    note: str = ""
    """What else must be known: how hidden information was, or was not, searched; how often a learned policy had its say."""
    auto: str = ""
    """What "auto" chose for this game by a trial, and why."""
    opinion: Opinion | None = None
    """What each tree of several would choose by itself; None with one tree, and where trees are different worlds."""
    basins: Basins | None = None
    """Of a continuous game without chance: how many basins were seen, and how much worse the second best is."""
    survey: Survey | None = None
    """In how many worlds each action was best, and what would change the mind; see `Search.survey`."""

    @property
    def chosen(self) -> ActionRecord:
        """The record of the chosen action."""
        return next(a for a in self.actions if a.action == self.action)

    @property
    def player(self) -> str:
        """The mover in words."""
        return self.state.game.player_name(self.mover)

    @property
    def settled(self) -> bool | None:
        """Whether independent trees agree on the choice, or it is proven, or the only one; None where there is no second opinion."""
        if self.proven is not None or self.stopped == ONLY:
            return True
        return None if self.opinion is None else self.opinion.settled

    @property
    def sureness(self) -> str:
        """What is known of how sure the choice is, in words."""
        if self.proven is not None:
            return "proven"
        if self.stopped == ONLY:
            return "it is the only legal action"
        if self.opinion is not None:
            return self.opinion.words()
        one = "one tree" if len(self.trees) == 1 else f"its {len(self.trees)} trees are different worlds"
        return f"{one}, so there is no second opinion"

    @property
    def simulations_per_second(self) -> float:
        return self.simulations / self.seconds if self.seconds > 0 else 0.0

    @property
    def ranked(self) -> list[ActionRecord]:
        """The actions, the chosen one first, then by visits."""
        return sorted(self.actions, key=lambda a: (a.action != self.action, -a.visits, a.action))

    def __getitem__(self, action: Any) -> ActionRecord:
        """The record of one action, by id or by name."""
        for record in self.actions:
            if action in (record.action, record.name):
                return record
        raise PlayoutError(f"{action!r} is not an action of this decision; it has {_listed(self.actions)}")

    def line(self, until: str = "tree", complete: bool = False) -> Line:
        """The principal variation: the most visited actions from here on.

        `until="tree"` stops where the tree does and `until="end"` goes to a finished state; there a tree that ends
        early raises `UnfinishedLine` (which says how long the game is when playouts complete it), or with `complete=True` is
        completed with playout actions, which the line says.
        """
        if until not in ("tree", "end"):
            raise PlayoutError(f"until is {until!r}; it is 'tree' (as far as the tree reaches) or 'end' (to a finished state)")
        line = self.principal
        if until == "tree" or line.finished:
            return line
        whole = finish(line, self.settings.playout == "game")
        if not complete:
            raise UnfinishedLine(
                f"tree ends at depth {len(line.actions)} of {len(whole.actions)}: raise the budget or pass complete=True"
            )
        return whole

    def why(self, a: Any = None, b: Any = None) -> str:
        """Why this action and not that one, in a sentence with the numbers. By default the choice and the runner-up."""
        ranked = self.ranked
        first = self[a] if a is not None else ranked[0]
        if b is not None:
            second = self[b]
        elif len(ranked) == 1:
            return f"{first.name} is the only legal action."
        else:
            second = next(r for r in ranked if r is not first)
            if self.basins is not None and self.basins.second is not None and self.basins.second.action != first.action:
                # Beside the best action lie others that are as good; what it must be compared with is elsewhere.
                second = self[self.basins.second.action]
        said = compare(self, first, second) + at_first_sight(self, first, second)
        if a is not None or b is not None:
            return said
        known = [self.sureness] if self.state.game.continuous else []
        for words in known if self.basins is None else [*known, self.basins.words()]:
            said += f" {words[:1].upper()}{words[1:]}."
        return f"{said} (auto: {self.auto}.)" if self.auto and self.proven is None else said

    def to_dict(self) -> dict[str, Any]:
        """The record as plain data, in the shape that `playout search --json` prints."""
        return {
            "game": self.game,
            "seed": self.seed,
            "mover": self.mover,
            "player": self.player,
            "simulations": self.simulations,
            "seconds": self.seconds,
            "simulations_per_second": self.simulations_per_second,
            "nodes": self.nodes,
            "bytes": self.bytes,
            "action": self.action,
            "name": self.name,
            "parent_visits": self.parent_visits,
            "stopped": self.stopped,
            "full": self.full,
            "proven": self.proven,
            "deepest": self.deepest,
            "playout_actions": self.playout_actions,
            "evaluations": self.evaluations,
            "valued": self.valued,
            "evaluator": self.evaluator or None,
            "actions": [msgspec.to_builtins(a) for a in self.actions],
            "line": self.principal.to_dict(),
            "why": self.why(),
            "settings": msgspec.to_builtins(self.settings),
            "trace": [msgspec.to_builtins(point) for point in self.trace],
            "worlds": self.worlds,
            "note": self.note or None,
            "auto": self.auto or None,
            "settled": self.settled,
            "opinion": None if self.opinion is None else self.opinion.to_dict(),
            "basins": None if self.basins is None else self.basins.to_dict(),
            "survey": None if self.survey is None else self.survey.to_dict(),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON; numbers that are not finite become null."""
        return msgspec.json.encode(self.to_dict()).decode()

    def to_frame(self) -> Any:
        """The table of actions as a polars frame (or a pandas one): a row for each, with the fields of `ActionRecord`.

        What each player gets has a column for each: means_0, means_1, ..., and proven_0, ... where a result is known.
        """
        players = self.state.game.players
        return frame({**spread(a, means=players, proven=players), "chosen": a.action == self.action} for a in self.actions)

    def rows(self) -> list[list[str]]:
        """The table as text cells, in the order of `columns`."""
        return [
            [
                "*" if a.action == self.action else "",
                a.name,
                *([] if self.opinion is None or a.best is None else [f"{a.best} of {self.opinion.trees}"]),
                f"{a.visits:,}",
                f"{a.score:,.6g}",
                _number(a.mean),
                "" if a.low is None else f"{a.low:+.3f} to {a.high:+.3f}",
                *((_number(a.prior), _number(a.evaluated)) if self.sighted else ()),
                _number(a.exploit),
                _number(a.explore),
                _number(a.weight),
                _standing(a, self.mover),
            ]
            for a in self.ranked
        ]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the table's columns: how many trees choose an action only where several were asked, and what an evaluator says by
        itself only where there is one."""
        chosen_in = () if self.opinion is None or self.state.game.continuous else ("trees",)
        seen = ("prior", "evaluated") if self.sighted else ()
        return ("", "name", *chosen_in, "visits", "score", "mean", "interval", *seen, "exploit", "explore", "weight", "proven")

    @property
    def sighted(self) -> bool:
        """Whether an evaluator said what it thinks of every action by itself."""
        return any(a.evaluated is not None for a in self.actions)

    def summary(self) -> str:
        """One line on what was spent and why it ended."""
        known = "" if self.proven is None else f", proven: {result_words(self.proven, self.mover)}"
        full = ", memory full: searched on without growing" if self.full else ""
        if self.stopped == ONLY:
            return f"{self.game}, {self.player} to act: one legal action, so nothing was searched (seed {self.seed}){known}"
        by = f", reward {self.settings.reward}" if self.settings.reward else ""
        worlds = "" if self.worlds is None else f"in {self.worlds:,} world{'s' * (self.worlds != 1)} "
        return (
            f"{self.game}, {self.player} to act: {self.simulations:,} simulations {worlds}in {self.seconds:.3g} s "
            f"({self.simulations_per_second:,.0f}/s), {self.nodes:,} nodes, seed {self.seed}{by}, stopped: {self.stopped}{known}{full}"
        )

    def __str__(self) -> str:
        lines = [self.summary(), *_text_table(self.columns, self.rows()), *self._below(), "line: " + str(self.line())]
        lines += [f"note: {self.note}"] if self.note else []
        lines += [f"auto: {self.auto}"] if self.auto else []
        if self.survey is not None:
            lines += ["survey: " + self.survey.method(), *_text_table(self.survey.COLUMNS, self.survey.rows())]
            lines += ["mind: " + self.survey.mind()]
        return "\n".join(lines)

    def _below(self) -> list[str]:
        """What stands below the table: what its means are, and how sure the choice is."""
        sure = [f"sure: {self.sureness}"] if self.proven is None else []
        if self.state.game.continuous:
            return sure if self.basins is None else [*sure, f"basins: {self.basins.words()}"]
        return [MEAN, *sure]

    @property
    def viewer(self) -> int | None:
        """Whose eyes the decision is shown to: those of the mover, where anything is hidden."""
        return self.mover if self.state.game.hidden else None

    def _repr_html_(self) -> str:
        from playout.report.notebook import decision_cell

        return decision_cell(self)


def _listed(actions: Sequence[ActionRecord], most: int = 100) -> str:
    """Their names; real-valued actions may be thousands."""
    more = f" and {len(actions) - most:,} more" if len(actions) > most else ""
    return ", ".join(action.name for action in actions[:most]) + more


def _standing(action: ActionRecord, mover: int) -> str:
    """The last cell of a row: what is known for certain, or why the action was given up."""
    if action.refuted or action.dropped:
        return "refuted" if action.refuted else "dropped"
    return "" if action.proven is None else result_words(action.proven, mover)


def _text_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    table = [list(columns), *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(columns))]
    return [
        "  ".join(c.ljust(w) if i == 1 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in table
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
