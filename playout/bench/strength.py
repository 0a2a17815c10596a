"""Strength for equal time: four games against OpenSpiel's C++ bot, which is tuned on each of them first.

Its mean CPU seconds a move, as measured so far in the same match, are what our search gets, in CPU seconds too; what a
search of ours takes beyond its budget (setting up, deciding) is taken off the next ones, and what a proof left over goes to
them. Neither side keeps a tree. Both sides of every opening are played.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from playout.bench import peers
from playout.bench.report import Row
from playout.bench.rows import Measurement, Tick
from playout.bench.timing import Plan
from playout.bridges.twins import of_breakthrough
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.intervals import wilson
from playout.planner.search import Search

TARGET, ABOVE = 0.9, 0.85
"""The share of points to reach, and what its interval must exclude."""
OPENING = 2
"""Random actions that a game begins with."""
EXPLORATIONS = (0.5, 0.7, 1.0, 1.4, 2.0, 3.0)
"""Its uct_c that are tried."""
ROLLOUTS = 2
"""Rollouts for an evaluation that are tried besides 1, with as many fewer simulations."""
TUNING = 5
"""Every setting that is tried plays, against its default, the games of the match by this."""
APART = 1_000_000
"""How far the seeds of the tuning are from those of the match."""


class Contest(NamedTuple):
    """A game that both sides know."""

    spec: str
    theirs: str
    """Its name over there."""
    simulations: int
    """Of its bot, so that a decision takes about 10 ms on a machine of today."""
    ours: Callable[[int], int] = int
    """Its id of an action to ours."""


CONTESTS = (
    Contest("connect-four", "connect_four", 2000),
    Contest("breakthrough:rows=6,columns=6", "breakthrough(rows=6,columns=6)", 1000, of_breakthrough),
    Contest("othello", "othello", 90),
    Contest("hex:size=7", "hex(board_size=7)", 900),
)


class Tuned(NamedTuple):
    """A setting of their bot; `points` of so many `games` against its default, which played none against itself."""

    c: float = 2.0
    rollouts: int = 1
    points: float = 0.0
    games: int = 0

    @property
    def words(self) -> str:
        """The setting, as the report calls it."""
        return f"uct_c {self.c:g}, {self.rollouts} rollout{'s' * (self.rollouts > 1)}"

    @property
    def share(self) -> float:
        """Of the points; a half for the default itself."""
        return self.points / self.games if self.games else 0.5


DEFAULT = Tuned()
"""What OpenSpiel's own example begins with."""


class Table:
    """One game on both boards: the same actions, each in its own ids."""

    def __init__(self, contest: Contest, game: Game, theirs: Any, seed: int) -> None:
        self.contest, self.state, self.board = contest, game.start(seed), theirs.new_initial_state()

    @property
    def actions(self) -> dict[int, int]:
        """The legal actions: our ids to theirs."""
        return {self.contest.ours(action): action for action in self.board.legal_actions()}

    def play(self, action: int) -> None:
        """Play an action, given by our id, on both boards."""
        known = self.actions
        if action not in known:
            raise PlayoutError(f"{self.contest.spec}: action {action} is not legal in OpenSpiel's {self.contest.theirs}")
        self.board.apply_action(known[action])
        self.state = self.state.play(action)

    def result(self) -> tuple[float, ...]:
        """The returns, on which both boards must agree."""
        ours, theirs = self.state.returns, tuple(self.board.returns())
        if not self.board.is_terminal() or ours != theirs:
            raise PlayoutError(f"{self.contest.spec} ended with {ours} and OpenSpiel's {self.contest.theirs} with {theirs}")
        return ours


Mover: TypeAlias = Callable[[Table], int]
"""Who is asked for an action, by our id."""


class Allowance:
    """How long our search may take, so that over the match both sides use the same time."""

    def __init__(self) -> None:
        self.theirs, self.their_moves = 0.0, 0
        self.over, self.our_moves, self.ours = 0.0, 0, 0.0

    def note_theirs(self, seconds: float) -> None:
        """Their search took that long."""
        self.theirs, self.their_moves = self.theirs + seconds, self.their_moves + 1

    def note_ours(self, seconds: float, asked: float) -> None:
        """Ours took that long, having been asked for less."""
        self.ours, self.our_moves = self.ours + seconds, self.our_moves + 1
        self.over += seconds - asked

    @property
    def seconds(self) -> float:
        """What the next search gets."""
        mean = self.theirs / self.their_moves
        return max(mean / 5, mean - self.over / max(1, self.our_moves))


class Hall:
    """A contest with its two games at hand, where all of its games are played."""

    def __init__(self, contest: Contest) -> None:
        self.contest, self.theirs = contest, peers.need("pyspiel", "open_spiel").load_game(contest.theirs)
        self.game = load(contest.spec)

    def bot(self, setting: Tuned, seed: int, allowance: Allowance | None = None) -> Mover:
        """Their bot, its time noted."""
        simulations = self.contest.simulations // setting.rollouts
        bot = peers.openspiel_bot(self.theirs, setting.c, simulations, seed, solve=True, rollouts=setting.rollouts)

        def move(table: Table) -> int:
            began = time.process_time()
            action = int(bot.step(table.board))
            if allowance is not None:
                allowance.note_theirs(time.process_time() - began)
            return self.contest.ours(action)

        return move

    def search(self, seed: int, allowance: Allowance) -> Mover:
        """Our search with its defaults and the time that it is allowed."""
        search = Search(self.game, seed=seed, trees=1, clock=time.process_time, fit=False)

        def move(table: Table) -> int:
            asked, began = allowance.seconds, time.process_time()
            search.trees = []
            action = int(search.choose(table.state, seconds=asked).action)
            allowance.note_ours(time.process_time() - began, asked)
            return action

        return move

    def play(self, movers: Sequence[Mover], seed: int) -> tuple[float, ...]:
        """One game after an opening at random: the points of both, 1, a half or 0."""
        table, opening = Table(self.contest, self.game, self.theirs, seed), random.Random(seed)
        for _ in range(OPENING):
            table.play(opening.choice(sorted(table.actions)))
        while not table.state.over:
            table.play(movers[table.state.mover](table))
        return tuple((value + 1) / 2 for value in table.result())

    def pair(self, first: Callable[[int], Mover], second: Callable[[int], Mover], number: int, seed: int) -> float:
        """Game `number` of a match, sides swapped after each and the opening after two: the points of `first`."""
        side, seed = number % 2, seed + number // 2 + 1
        movers = [first(seed), second(seed)]
        return self.play(movers if side == 0 else movers[::-1], seed)[side]


def tune(hall: Hall, seed: int, games: int, tell: Callable[[str], object] = lambda text: None) -> list[Tuned]:
    """Every setting of their bot that was tried, the best first: each against its default, the number of rollouts with the best uct_c.

    All is counted in simulations, so the same seed gives the same setting on every machine.
    """

    def tried(setting: Tuned) -> Tuned:
        if setting == DEFAULT:
            return DEFAULT
        points = 0.0
        for number in range(games):
            # Seeds of its own for the default: with the same ones, equal settings would play the same games.
            points += hall.pair(
                lambda seed: hall.bot(setting, seed), lambda seed: hall.bot(DEFAULT, seed + APART), number, seed + APART
            )
        tell(f"tuning OpenSpiel's bot on {hall.contest.spec}: {setting.words} got {points:g} of {games} against its default")
        return setting._replace(points=points, games=games)

    def ranked(settings: list[Tuned]) -> list[Tuned]:
        return sorted(settings, key=lambda setting: -setting.share)

    known = ranked([tried(Tuned(c)) for c in EXPLORATIONS])
    return ranked([*known, tried(Tuned(known[0].c, ROLLOUTS))])


def match(contest: Contest, games: int, plan: Plan, tick: Tick) -> Row:
    """Tune their bot, then play so many games against it."""
    text = f"points against OpenSpiel's C++ bot in {contest.spec}, equal time"
    words: dict[str, Any] = {"name": name_of(contest), "game": contest.spec, "text": text, "unit": "points", "target": TARGET}
    try:
        hall = Hall(contest)
    except peers.MissingPeer as missing:
        return Row(**words, peer="OpenSpiel's C++ bot", note=str(missing))
    best = tune(hall, plan.seed, max(2, games // TUNING), tick)[0]
    allowance = Allowance()
    results: list[float] = []

    def ours(seed: int) -> Mover:
        return hall.search(2 * seed + len(results) % 2, allowance)

    Search(hall.game, trees=1, fit=False).choose(simulations=100)  # compiled before the clock runs
    hall.bot(best, plan.seed, allowance)(Table(contest, hall.game, hall.theirs, plan.seed))  # what ours may take at first
    for number in range(games):
        results.append(hall.pair(ours, lambda seed: hall.bot(best, seed, allowance), number, plan.seed))
        tick(f"{text}: {sum(results):g} of {len(results)}")
    return _row(words, hall, best, results, allowance)


def _row(words: dict[str, Any], hall: Hall, best: Tuned, results: list[float], allowance: Allowance) -> Row:
    games, points = len(results), sum(results)
    low, high = wilson(points, games)
    simulations = hall.contest.simulations // best.rollouts
    found = f"{best.points:g} of {best.games} against its default" if best.games else "its default, which no other beat"
    note = (
        f"{results.count(1.0)} won, {results.count(0.5)} drawn, {results.count(0.0)} lost; 95 % interval {low:.1%} to {high:.1%}; "
        f"it plays with {best.words} and {simulations:,} simulations a move ({found}); "
        f"CPU seconds a move {allowance.ours / max(1, allowance.our_moves):.4f} ours, "
        f"{allowance.theirs / allowance.their_moves:.4f} theirs"
    )
    share = points / games
    if share >= TARGET and low <= ABOVE:
        note += f"; so few games leave {ABOVE:.0%} possible, which the goal excludes"
    peer = f"OpenSpiel's C++ bot, {best.words}, {simulations:,} simulations a move"
    return Row(**words, peer=peer, ours=share, theirs=1 - share, ok=share >= TARGET and low > ABOVE, note=note)


def name_of(contest: Contest) -> str:
    """What the row of a contest is called."""
    return f"strength-{contest.spec.partition(':')[0]}"


def matches(games: int) -> list[Measurement]:
    """The matches of so many games each, in the order of the table."""

    def measurement(contest: Contest) -> Measurement:
        return Measurement(name_of(contest), contest.spec, lambda plan, tick: match(contest, games, plan, tick))

    return [measurement(contest) for contest in CONTESTS]
