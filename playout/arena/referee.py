"""The referee: plays one game between agents that never see the true state, and writes down everything that happened.

The rule for faults: an agent that raises an error, answers with an illegal action or thinks longer than the limit loses
that game on the spot. It gets no point, the others share the game as equals; alone in a game it gets the lowest return.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np

from playout.agents import Agent, Recipe, Seats, ask_quickly
from playout.arena.schedule import Fixture, one_way
from playout.arena.table import Table
from playout.errors import IllegalAction, PlayoutError, RulesError
from playout.game.game import Game
from playout.game.stream import OPENINGS, Stream

REFEREE = 2
"""The number that the worlds of a deal are drawn by, beside those of `schedule`."""
OPENING_TRIES = 200

MOST_WORDS = 500
FAULTS = ("crash", "illegal", "time", "died")
"""How an agent can lose without being beaten: an error, an illegal action, the clock, the death of its process."""


class Record(msgspec.Struct, frozen=True, array_like=True):
    """A game as it is sent and stored. The columns of bytes have one entry per action."""

    number: int
    round: int
    deal: int
    seats: tuple[int, ...]
    returns: tuple[float, ...]
    points: tuple[float, ...]
    """Per seat, the share of the others that were beaten (a tie is half): 1, 0.5 or 0 with two players."""
    ended: str
    """"over", "cut" (too long, valued by the returns so far), or one of FAULTS."""
    fault: int
    """The seat at fault, -1 for none."""
    error: str
    opening: int
    """How many of the actions are the random opening."""
    moves: bytes
    movers: bytes
    choices: bytes
    seconds: bytes
    simulations: bytes
    chance: bool
    """Whether anything was drawn from the deal: if not, equal moves are equal games."""

    def column(self, name: str) -> Any:
        """One of the columns of bytes as an array."""
        return np.frombuffer(getattr(self, name), COLUMNS[name])


COLUMNS = {"moves": "<u2", "movers": "<u1", "choices": "<u2", "seconds": "<f4", "simulations": "<u4"}
"""How the columns are packed; the openings have mover and choices, no seconds and no simulations."""


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What the referee holds all games to."""

    openings: int = 0
    """Random actions before the agents take over."""
    limit: float = 60.0
    """Seconds that a decision may take."""
    most_actions: int = 10_000
    """A game that has not ended by then is cut off and valued by the returns so far."""
    win_above: float = 0.0
    """In a game for one player, a return above this is a win."""

    def __post_init__(self) -> None:
        for name, value, least in (("openings", self.openings, 0), ("most_actions", self.most_actions, 1)):
            if not least <= value <= 60_000:
                raise PlayoutError(f"{name} is {value}; it must be from {least} to 60,000")
        if not math.isfinite(self.win_above):
            raise PlayoutError(f"win_above is {self.win_above}; give the score above which a game is won")
        if not 0 < self.limit <= 1e6:
            raise PlayoutError(f"limit is {self.limit}; give the seconds that a decision may take, above 0")


class TimeLimit(BaseException):
    """A decision took too long. No `Exception`, so that an agent that catches everything does not catch this."""


class Watch(Protocol):
    """Who keeps an eye on decisions, from inside or outside of the process."""

    alone: bool
    """Whether the process is there for the games alone: then Ctrl-C and exits in it come from agents."""

    def game(self, number: int) -> None:
        """A game begins."""

    def thinking(self, seat: int) -> None:
        """An agent is being asked."""

    def answered(self) -> None:
        """It has answered."""

    def played(self, ply: int, action: int) -> None:
        """An action was played."""


class Unwatched:
    """Nobody looks: agents may think for ever."""

    alone = False

    def game(self, number: int) -> None: ...
    def thinking(self, seat: int) -> None: ...
    def answered(self) -> None: ...
    def played(self, ply: int, action: int) -> None: ...


class Sheet:
    """The columns of a game while it is played."""

    def __init__(self) -> None:
        self.moves: list[int] = []
        self.movers: list[int] = []
        self.choices: list[int] = []
        self.seconds: list[float] = []
        self.simulations: list[int] = []

    def note(self, action: int, mover: int, choices: int, seconds: float, simulations: int) -> None:
        self.moves.append(action)
        self.movers.append(mover)
        self.choices.append(min(choices, 65_535))
        self.seconds.append(seconds)
        self.simulations.append(min(simulations, 0xFFFFFFFF))

    def packed(self) -> dict[str, bytes]:
        columns = {name: np.array(getattr(self, name), kind).tobytes() for name, kind in COLUMNS.items()}
        if not any(self.simulations):
            columns["simulations"] = b""
        return columns


def share_points(returns: Sequence[float], fault: int = -1, win_above: float = 0.0) -> tuple[float, ...]:
    """Points per seat out of the returns: the share of the others that were beaten, a tie is half; at fault, none."""
    count = len(returns)
    if count == 1:
        return (0.0,) if fault == 0 else (1.0 if returns[0] > win_above else 0.0,)
    if fault >= 0:
        # The others beat the one at fault and tie among themselves.
        return tuple(0.0 if seat == fault else (1 + (count - 2) / 2) / (count - 1) for seat in range(count))
    return tuple(
        sum(1.0 if mine > other else 0.5 if mine == other else 0.0 for s, other in enumerate(returns) if s != seat) / (count - 1)
        for seat, mine in enumerate(returns)
    )


def forfeit(game: Game, returns: Sequence[float], fault: int) -> tuple[float, ...]:
    """The returns that are written down when a seat is at fault: the ends of the game's range, where it declares one.

    Where it does not, nobody knows the lowest return. Alone in a game the agent then has no score at all for that deal.
    """
    if game.returns_range is None:
        return (math.nan,) if game.players == 1 else tuple(returns)
    low, high = game.returns_range
    return tuple(low if seat == fault else high for seat in range(game.players))


class _Fault(Exception):
    def __init__(self, kind: str, seat: int, error: str) -> None:
        self.kind, self.seat, self.error = kind, seat, error


class _Guard:
    """Around everything that an agent does: what goes wrong inside is its fault, unless the game's own rules did it."""

    def __init__(self, watch: Watch, seat: int, limit: float) -> None:
        self.watch, self.seat, self.limit = watch, seat, limit

    def __enter__(self) -> None:
        self.watch.thinking(self.seat)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        self.watch.answered()
        if error is None or isinstance(error, RulesError) or (isinstance(error, KeyboardInterrupt) and not self.watch.alone):
            return
        if isinstance(error, TimeLimit):
            raise _Fault("time", self.seat, f"no answer within {self.limit:g} s") from None
        if isinstance(error, IllegalAction):
            raise _Fault("illegal", self.seat, str(error)) from None
        raise _Fault("crash", self.seat, _words(error)) from None


def _words(error: BaseException) -> str:
    """An error with its place in the agent's own code."""
    try:
        said = str(error)
    except Exception:
        said = "(an error that cannot say what it is)"
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = "" if last is None else f" (line {last.tb_lineno} of {Path(last.tb_frame.f_code.co_filename).name})"
    return f"{type(error).__name__}: {said}{where}"[:MOST_WORDS]


class Referee:
    """Plays fixtures of one experiment in this process."""

    def __init__(self, game: Game, recipes: Sequence[Recipe], rules: Rules, watch: Watch | None = None) -> None:
        self.game, self.recipes, self.rules, self.watch = game, recipes, rules, watch or Unwatched()
        self.table = Table(game)

    def play(self, fixture: Fixture) -> Record:
        """Play a game to its end, whatever the agents do."""
        table, sheet = self.table, Sheet()
        self.watch.game(fixture.number)
        self.open(fixture, sheet)
        ended, seat, error = "over", -1, ""
        try:
            seats = self._seat(fixture, sheet)
            while table.mover >= 0:
                if len(sheet.moves) >= self.rules.most_actions:
                    ended, error = "cut", f"not over after {self.rules.most_actions:,} actions"
                    break
                self._turn(seats, sheet)
        except _Fault as fault:
            ended, seat, error = fault.kind, fault.seat, fault.error
        returns = table.returns if seat < 0 else forfeit(self.game, table.returns, seat)
        return record(fixture, self.rules, returns, ended, seat, error, {**sheet.packed(), "chance": table.drawn})

    def open(self, fixture: Fixture, sheet: Sheet) -> None:
        """The random opening: drawn anew until the game goes on after it."""
        table, wanted = self.table, self.rules.openings
        for attempt in range(OPENING_TRIES):
            table.begin(fixture.deal)
            stream = Stream(fixture.deal, OPENINGS, attempt)
            played: list[tuple[int, int, int]] = []
            while len(played) < wanted and table.mover >= 0:
                action = table.legal[stream.below(len(table.legal))]
                played.append((action, table.mover, len(table.legal)))
                table.play(action)
            if table.mover >= 0:
                break
        else:
            raise PlayoutError(
                f"openings is {wanted}, but {self.game.name} was over within {wanted} random actions {OPENING_TRIES} times in a "
                "row; take fewer"
            )
        for ply, (action, mover, choices) in enumerate(played):
            sheet.note(action, mover, choices, 0.0, 0)
            self.watch.played(ply, action)

    def _seat(self, fixture: Fixture, sheet: Sheet) -> Seats:
        """Fresh agents, who take over after the opening."""
        agents: list[Agent] = []
        for seat, number in enumerate(fixture.seats):
            with self._guard(seat):
                agents.append(self.recipes[number].make(fixture.agent_seed(seat)))
        peeking = [self.recipes[number].peeks for number in fixture.seats]
        seats = Seats(agents, Stream(one_way(fixture.deal, REFEREE)), peeking=peeking, guard=self._guard)
        if seats.remembering:
            seats.begin(self.game.start(fixture.deal), sheet.moves)
        return seats

    def _guard(self, seat: int) -> _Guard:
        return _Guard(self.watch, seat, self.rules.limit)

    def _turn(self, seats: Seats, sheet: Sheet) -> None:
        table, seat, choices = self.table, self.table.mover, len(self.table.legal)
        seen = seats.shown(seat, table.world, table.truth)
        began = time.perf_counter()
        with self._guard(seat):
            action, simulations = ask_quickly(seats.agents[seat], seen)
        seconds = time.perf_counter() - began
        before = table.state if seats.attentive else None
        table.play(action)
        self.watch.played(len(sheet.moves), action)
        sheet.note(action, seat, choices, seconds, simulations)
        if before is not None:
            seats.told(before, action, table.state)


def record(
    fixture: Fixture, rules: Rules, returns: Sequence[float], ended: str, fault: int, error: str, columns: dict[str, Any]
) -> Record:
    """A record with its points."""
    points = share_points(returns, fault, rules.win_above)
    opening = min(rules.openings, len(columns["movers"]))
    return Record(
        fixture.number,
        fixture.round,
        fixture.deal,
        fixture.seats,
        tuple(returns),
        points,
        ended,
        fault,
        error,
        opening,
        **columns,
    )
