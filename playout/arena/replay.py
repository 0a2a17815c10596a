"""Playing stored games again: the moves from the same start give the same result, or the file is not what it says."""

from __future__ import annotations

from collections.abc import Iterator

from playout.arena.experiment import Experiment
from playout.arena.referee import FAULTS, Record, forfeit, share_points
from playout.arena.table import Table
from playout.errors import FileError, PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State


def game_of(experiment: Experiment) -> Game:
    """The game of an experiment, with the rules that it was played by."""
    from playout.compile.digest import rules

    game = load(experiment.game)
    if rules(game) != experiment.rules_digest:
        raise PlayoutError(
            f"game {experiment.game!r} has other rules now than when these games were played; they cannot be replayed"
        )
    return game


def states(game: Game, record: Record) -> Iterator[State]:
    """Every state of a game, the start first; what chance brought comes from the same seed."""
    state = game.start(record.deal)
    yield state
    for action in record.column("moves").tolist():
        state = state.play(action)
        yield state


def verify(experiment: Experiment, game: Game, table: Table, record: Record) -> None:
    """Play a game again and compare everything that follows from its moves; a difference is said."""
    table.begin(record.deal)
    for place, (action, mover) in enumerate(zip(record.column("moves").tolist(), record.movers)):
        if table.mover != mover or action not in table.legal:
            raise FileError(
                f"game {record.number} does not replay: action {action} of player {mover} is not legal at place {place}"
            )
        table.play(action)
    if (table.mover < 0) != (record.ended == "over") and record.ended not in FAULTS:
        raise FileError(f"game {record.number} does not replay: it is {'not ' * (table.mover >= 0)}over after its last action")
    returns = table.returns if record.fault < 0 else forfeit(game, table.returns, record.fault)
    points = share_points(returns, record.fault, experiment.rules.win_above)
    if returns != record.returns or points != record.points:
        raise FileError(f"game {record.number} does not replay: its moves give {returns}, but {record.returns} is written down")
    fixture = experiment.schedule.fixture(record.number)
    if (fixture.deal, fixture.seats, fixture.round) != (record.deal, record.seats, record.round):
        raise FileError(f"game {record.number} is not the game of that number in the schedule")
