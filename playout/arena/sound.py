"""Is what a file says of an experiment possible? A checksum tells that nothing was changed by accident, not that it makes sense."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np

from playout.arena.experiment import MOST_AGENTS, Experiment
from playout.arena.referee import COLUMNS, FAULTS, Record
from playout.arena.sequential import Verdict
from playout.errors import PlayoutError
from playout.game.contract import MOST_PLAYERS

LISTS = ("seats", "returns", "points")
MOST_NUMBER = 1 << 40
NUMBERS = msgspec.json.Decoder(list[float | int | None])
SIZES = {name: np.dtype(kind).itemsize for name, kind in COLUMNS.items()}
"""Bytes of an entry of each column. Made once: a file may have a million games."""


class Impossible(Exception):
    """What cannot be, in words."""


def experiment_of(text: str) -> Experiment:
    """The experiment that a file is about."""
    try:
        found = Experiment.decode(text.encode())
        players, agents = 1 <= found.players <= MOST_PLAYERS, 1 <= len(found.agents) <= MOST_AGENTS
        if not players or not agents or not 0 <= found.seed < 1 << 62:
            raise Impossible("its experiment has players, agents or a seed that cannot be")
        found.schedule.fixture(0)
    except (msgspec.MsgspecError, PlayoutError, UnicodeEncodeError, RecursionError) as error:
        raise Impossible(f"its experiment cannot be read ({error})") from None
    return found


def verdict_of(text: str, experiment: Experiment) -> Verdict:
    """What a sequential test said."""
    try:
        found = msgspec.json.decode(text, type=Verdict)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Impossible(f"its verdict cannot be read ({error})") from None
    named = [agent for pair in found.decided for agent in pair] + [0 if found.better is None else found.better]
    if not all(0 <= agent < len(experiment.agents) for agent in named) or found.rounds < 0 or not 0 < found.confidence < 1:
        raise Impossible("its verdict is about agents that it has not")
    return found


def stop_of(text: str) -> int:
    """The game from which on none counts."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 12):
        raise Impossible(f"it was stopped at game {text[:20]!r}")
    return int(text)


def record_of(row: tuple[Any, ...], experiment: Experiment) -> Record:
    """A game out of a row of the file."""
    names = Record.__struct_fields__
    try:
        values: dict[str, Any] = {name: _list(value) if name in LISTS else value for name, value in zip(names, row, strict=True)}
        values["chance"] = {0: False, 1: True}[values["chance"]]
        found = msgspec.convert([values[name] for name in names], Record)
    except (msgspec.MsgspecError, TypeError, KeyError, RecursionError):
        raise Impossible("something in it is of the wrong kind") from None
    _check(found, experiment)
    return found


def _list(text: str) -> tuple[Any, ...]:
    """A stored list; a number that is none (a score that was lost by fault) is null in it."""
    found = NUMBERS.decode(text)
    return tuple(math.nan if value is None else value for value in found) if None in found else tuple(found)


def _check(record: Record, experiment: Experiment) -> None:
    players = experiment.players
    if not 0 <= record.number < MOST_NUMBER:
        raise Impossible("its number is none")
    fixture = experiment.schedule.fixture(record.number)
    if (fixture.deal, fixture.seats, fixture.round) != (record.deal, record.seats, record.round):
        raise Impossible("it is not the game of that number in the schedule")
    if len(record.returns) != players or len(record.points) != players or not all(0 <= p <= 1 for p in record.points):
        raise Impossible("its results are not those of its players")
    at_fault = record.ended in FAULTS
    if record.ended not in ("over", "cut", *FAULTS) or not (0 <= record.fault < players if at_fault else record.fault == -1):
        raise Impossible(f"it ended by {record.ended[:20]!r} and a fault of player {record.fault}")
    if any(math.isinf(value) or (math.isnan(value) and not at_fault) for value in record.returns):
        raise Impossible("its results are no numbers")
    _check_actions(record, players)


def _check_actions(record: Record, players: int) -> None:
    """The columns of bytes: one entry per action in each."""
    length = len(record.movers)
    for name, each in SIZES.items():
        size = len(getattr(record, name))
        # Simulations are left out where no agent counts any.
        if size != length * each and not (name == "simulations" and size == 0):
            raise Impossible(f"its column {name} is not as long as the others")
    if not 0 <= record.opening <= length or (length and max(record.movers) >= players):
        raise Impossible("its actions are not those of its players")
    seconds = record.column("seconds")
    # Asked this way round, so that what is no number is refused too.
    if length and not (seconds.min() >= 0 and seconds.max() < math.inf):
        raise Impossible("its seconds are no numbers")
