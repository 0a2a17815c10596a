"""Games for the audit, of any size: played to the end, looked at from any seat at any moment, and played again with other draws.

Half of them are played at random, half by the game's own rule (or by what a few playouts say), since random play seldom gets far. A
game is played on a script that holds every draw: those of `start` and `play`, and the players' choices. One draw or two are changed, the game is
played again with the player's own actions, and the new game is kept if the player's history (its own actions, and its observation
whenever that changes) is the same to the byte. Many such changes walk through the information set without any help from the sampler
under test (single-site Metropolis-Hastings: Wingate, Stuhlmüller, Goodman, "Lightweight implementations of probabilistic programming
languages", 2011).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.lived import Lived
from playout.game.record import copied
from playout.game.state import State
from playout.game.stream import AUDIT_DEPTHS, Stream

Array = np.ndarray[Any, Any]
LATELY = 16
"""The last draws before a moment, of which one is mostly changed where moments lie deep in a game."""
GAMES = 20
"""Random games that tell how deep a game goes."""
REAL = 0
"""In place of the number of possibilities: a draw of a real number."""
LONGEST = 2000
"""Actions after which a game is left."""
ACTS, WAITS, OVER = "to act", "waiting", "at the end"
"""How a player stands at a moment."""
PHASES = ("first third", "second third", "last third")
OF = 3
GUIDED, GUESSED, TRIED, AHEAD = 0.85, 0.4, 3, 25
"""How often a led game does what the rule says, or the playouts where there is none; actions and steps that those look at."""


class Script:
    """Stands in for a `Stream`: repeats the draws of an earlier game but for some, draws afresh what does not fit, keeps all."""

    def __init__(self, fresh: Stream, earlier: Script | None = None, but: frozenset[int] = frozenset()) -> None:
        self.fresh, self.earlier, self.but = fresh, earlier, but
        self.drawn: list[Any] = []
        self.sizes: list[int] = []
        self.choices: set[int] = set()
        """The places of what was no draw but a choice."""
        self.word = 1

    def below(self, n: int) -> int:
        return 0 if n <= 1 else int(self._draw(int(n)))

    def uniform(self) -> float:
        return float(self._draw(REAL))

    def told(self, value: int, n: int) -> None:
        """A choice that was made elsewhere, in the place of a draw."""
        if n > 1:
            self.choices.add(len(self.drawn))
            self._keep(value, n)

    def _draw(self, size: int) -> Any:
        place, earlier = len(self.drawn), self.earlier
        if earlier is not None and place not in self.but and place < len(earlier.sizes) and earlier.sizes[place] == size:
            return self._keep(earlier.drawn[place], size)
        return self._keep(self.fresh.uniform() if size == REAL else self.fresh.below(size), size)

    def _keep(self, value: Any, size: int) -> Any:
        self.drawn.append(value)
        self.sizes.append(size)
        self.word += 1
        return value

    def until(self, length: int) -> Script:
        """The same up to so many draws."""
        short = Script(self.fresh)
        short.drawn, short.sizes, short.word = self.drawn[:length], self.sizes[:length], 1 + length
        short.choices = {place for place in self.choices if place < length}
        return short

    @property
    def chance(self) -> list[Any]:
        """What chance drew."""
        return [value for place, value in enumerate(self.drawn) if place not in self.choices]


class Course:
    """One whole game: every state, who acted and how, and how many draws there were until then."""

    def __init__(self, game: Game, stream: Stream, led: bool, deal: int | None = None) -> None:
        """With a `deal` chance is that of `Game.start(deal)`, so that a user gets there again."""
        self.game, self.led, self.script = game, led, Script(stream if deal is None else Stream(deal))
        self.arrays: list[Array] = []
        self.movers: list[int] = []
        self.actions: list[int] = []
        self.counts: list[int] = []
        self.draws: list[int] = []
        self._lives: dict[int, list[Lived]] = {}
        array = np.zeros(1, game.dtype)
        view, out = game.view(array[0]), np.zeros(game.most_legal, np.int64)
        game.functions["start"](view, self.script)
        while True:
            self.arrays.append(copied(array))
            self.movers.append(int(game.functions["mover"](view)))
            self.draws.append(len(self.script.drawn))
            if self.movers[-1] < 0:
                break
            if len(self.actions) == LONGEST:
                raise PlayoutError(f"a game had not ended after {LONGEST:,} actions")
            count = int(game.functions["legal"](view, out))
            leads = led and stream.uniform() < (GUIDED if game.has("playout_action") else GUESSED)
            place = lead(game, array, out, count, stream) if leads else stream.below(count)
            self.script.told(place, count)
            self.actions.append(int(out[place]))
            self.counts.append(count)
            game.functions["play"](view, self.actions[-1], self.script)

    def lives(self, player: int) -> list[Lived]:
        """What a player has lived through at each step."""
        known = self._lives.get(player)
        if known is None:
            seen = observed(self.game, self.arrays[0], player)
            known = self._lives[player] = [Lived((seen,), seen, 0)]
            for place, array in enumerate(self.arrays[1:]):
                action = self.actions[place] if self.movers[place] == player else None
                known.append(known[-1].after(action, observed(self.game, array, player)))
        return known

    def phase(self, step: int) -> int:
        """In which third of the game a step is."""
        return min(2, 3 * step // len(self.arrays))

    def moments(self, player: int, stream: Stream, after: int = 0) -> Iterator[Line]:
        """One moment in each third of the states, after so many actions, in which something is hidden from a player, late ones first."""
        lives = self.lives(player)
        hidden = [step for step in range(after, len(self.arrays)) if lives[step].seen != self.arrays[step].tobytes()]
        for phase in (2, 1, 0):
            steps = hidden[phase * len(hidden) // 3 : (phase + 1) * len(hidden) // 3]
            if steps:
                yield self.moment(player, steps[stream.below(len(steps))], phase)

    def moment(self, player: int, step: int, phase: int = 0) -> Line:
        """The state before an action of that number, as a player has come to it."""
        past = self.lives(player)[step]
        mover = self.movers[step]
        stands = OVER if mover < 0 else ACTS if mover == player else WAITS
        state = State(self.game, copied(self.arrays[step]), 1)
        return Line(player, stands, past, self.script.until(self.draws[step]), state, phase, self)


class Line:
    """One player at one moment of one game: the true state, and what led to it."""

    def __init__(self, player: int, stands: str, past: Lived, script: Script, state: State, phase: int, course: Course) -> None:
        self.player, self.stands, self.past, self.script, self.state, self.phase = player, stands, past, script, state, phase
        self.course, self.step = course, past.steps

    @property
    def own(self) -> list[str]:
        """The player's own actions, by the names that it knows them by."""
        course = self.course
        return [
            State(course.game, copied(course.arrays[step]), 1).name(course.actions[step], self.player)
            for step in range(self.step)
            if course.movers[step] == self.player
        ]

    def __str__(self) -> str:
        from playout.checker.contract.findings import fields_text

        own = ", ".join(self.own) or "none yet"
        return (
            f"for player {self.player}, {self.stands} after {self.past.steps} action{'s' * (self.past.steps != 1)} (its own: {own}), in the state "
            f"({fields_text(self.state.copy_array()[0])})"
        )


def check_depth(game: Game, after: int, seed: int) -> None:
    """Refuse to look deeper than games go."""
    if after < 0:
        raise PlayoutError(f"after is {after}; give how many random actions deep to look, 0 or more")
    if after and game.continuous:
        raise PlayoutError(
            f"after={after} is for games whose actions can be listed, and actions of {game.name!r} are real vectors; leave it out"
        )
    if not after:
        return
    longest = 0
    for number in range(GAMES):
        stream = Stream(seed + number, AUDIT_DEPTHS)
        state, length = game.start(seed + number), 0
        while not state.over and length <= after:
            state, length = state.after(state.random(stream)), length + 1
        if length > after:
            return
        longest = max(longest, length)
    raise PlayoutError(
        f"after={after} looks deeper than games of {game.name!r} go: the longest of {GAMES} random ones had {longest:,} actions; give a smaller number"
    )


def long_course(game: Game, stream: Stream, number: int) -> Course:
    """The game of that number: every other one is led, and every other two are the longest of a few, since ends come too soon."""
    courses = [Course(game, stream, led=number % 2 == 1) for _ in range(OF if number % 4 > 1 else 1)]
    return max(courses, key=lambda course: len(course.arrays))


def lead(game: Game, array: Array, legal: Array, count: int, stream: Stream) -> int:
    """The place, among the legal ids, of an action that gets somewhere: by the game's rule, or by a playout for each of a few."""
    copy = copied(array)
    view = game.view(copy[0])
    if game.has("playout_action"):
        chosen = int(game.functions["playout_action"](view, legal, count, stream))
        return next((i for i in range(count) if legal[i] == chosen), 0)
    mover = int(game.functions["mover"](view))
    places = [stream.below(count) for _ in range(TRIED)] if count > TRIED else list(range(count))
    return max(places, key=lambda place: (_ahead(game, array, int(legal[place]), mover, stream), stream.uniform()))


def _ahead(game: Game, array: Array, action: int, mover: int, stream: Stream) -> float:
    """What a short random playout after an action gives its mover."""
    copy, ids, out = copied(array), np.zeros(game.most_legal, np.int64), np.zeros(game.players)
    view = game.view(copy[0])
    game.functions["play"](view, action, stream)
    for _ in range(AHEAD):
        if int(game.functions["mover"](view)) < 0:
            break
        game.functions["play"](view, int(ids[stream.below(int(game.functions["legal"](view, ids)))]), stream)
    game.functions["returns"](view, out)
    return float(out[mover])


def observed(game: Game, array: Array, player: int) -> bytes:
    copy = copied(array)
    game.functions["observe"](game.view(copy[0]), player)
    return copy.tobytes()


def replay(game: Game, line: Line, script: Script) -> Array | None:
    """Play a script with the player's own actions; the state if the player has then lived through the same, else None."""
    player, events = line.player, line.past.events
    array = np.zeros(1, game.dtype)
    view, out = game.view(array[0]), np.zeros(game.most_legal, np.int64)
    game.functions["start"](view, script)
    seen = observed(game, array, player)
    if seen != events[0]:
        return None
    at = 1
    for step in range(LONGEST):
        mover = int(game.functions["mover"](view))
        if at == len(events) and _stands(line, mover, step):
            return array
        if mover < 0:
            return None
        count = int(game.functions["legal"](view, out))
        action = int(out[script.below(count)])
        if mover == player:
            if at == len(events) or events[at] not in out[:count].tolist():
                return None
            action = int(events[at])
            at += 1
        game.functions["play"](view, action, script)
        now = observed(game, array, player)
        if now != seen:
            if at == len(events) or events[at] != now:
                return None
            at, seen = at + 1, now
    return None


def _stands(line: Line, mover: int, step: int) -> bool:
    if line.stands == ACTS:
        return mover == line.player
    if line.stands == OVER:
        return mover < 0
    # How many actions were played is taken as known to those who wait.
    return mover >= 0 and mover != line.player and step == line.past.steps


def twin(game: Game, line: Line, changes: int, stream: Stream, enough: int | None = None, lately: bool = False) -> Line:
    """Another game with the same past for the player, by so many tried changes; the same game where none was found.

    `enough` accepted changes end it. `lately`: mostly draws shortly before the moment are changed, which the player is likelier not to
    have noticed yet.
    """
    now, script, accepted = line.state.copy_array(), line.script, 0
    for _ in range(changes):
        draws = len(script.sizes)
        if draws == 0 or accepted == enough:
            break
        # Two at a time, now and then: with three cards, no single draw can be changed without changing one's own.
        among = min(draws, LATELY) if lately and stream.below(3) > 0 else draws
        but = {draws - among + stream.below(among) for _ in range(1 + (stream.below(3) == 0))}
        tried = Script(stream, script, frozenset(but))
        other = replay(game, line, tried)
        # A longer script gives each of its draws less of a chance to be the one that is changed back.
        if other is not None and stream.uniform() * len(tried.sizes) < draws:
            accepted += other.tobytes() != now.tobytes()
            now, script = other, tried
    return Line(line.player, line.stands, line.past, script, State(game, now, 1), line.phase, line.course)
