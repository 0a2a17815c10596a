"""A learner as Python holds it: its values, where it stands, and the kernels that take it further."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from playout.compile import Binding, bind
from playout.compile.records import Records, apart, pool, scratch, slack
from playout.engine.learned import ENTRY
from playout.engine.trouble import LEARNING, told
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import EPISODES, OPPONENTS, PAST_SELVES, Stream, base_word, mix, seed_word
from playout.learning import layout
from playout.learning.episode import episodes
from playout.learning.settings import OWN_OPPONENTS, RULES, Settings, schedule
from playout.learning.table import MOST_PLACES, empty, entries_of, places_for, put_all, room_in
from playout.learning.values import rate_all, rate_many
from playout.planner.learned import set_squash

Array = np.ndarray[Any, Any]
MARKS_SEED = 64


def option_record(game: Game, settings: Settings) -> Array:
    """The settings as the kernels read them."""
    record = apart(1, layout.OPTIONS)
    o = record[0]
    o["rule"] = RULES.index(settings.rule)
    o["step"], o["step_from"], o["step_to"] = schedule("lr", settings.lr, 0.0, 1.0)
    o["explore"], o["explore_from"], o["explore_to"] = schedule("epsilon", settings.epsilon, 0.0, 1.0)
    o["horizon"] = max(1, settings.horizon)
    o["first_ties"] = settings.ties == "first"
    o["apart"] = settings.tables == "each"
    o["canonical"] = settings.symmetry == "on"
    known = settings.opponent in OWN_OPPONENTS
    o["opponent"] = (
        {"self": layout.SELF, "past": layout.PAST, "random": layout.RANDOM}[settings.opponent] if known else layout.ASKED
    )
    o["patterns"] = settings.values == "patterns"
    o["discount"], o["fade"], o["optimism"] = settings.discount, settings.trace, settings.optimism
    set_squash(o, game)
    return record


def action_marks(game: Game, settings: Settings) -> Array:
    """A word for every action: a position's fingerprint is the sum over its legal ones. Symmetry moves actions, so there all are alike."""
    if settings.symmetry == "on":
        return np.ones(game.actions, np.uint64)
    return np.array([seed_word(MARKS_SEED, simulation=action) for action in range(game.actions)], np.uint64)


class Values:
    """The values of one game by some settings, and what is needed to ask them: the part of a learner that a policy keeps."""

    def __init__(self, game: Game, settings: Settings, *, compiled: bool = True) -> None:
        compiled = compiled and game.compiled  # rules that are Python objects are learned as they are, slowly
        self.game, self.settings, self.compiled = game, settings, compiled
        self.binding: Binding = bind(game, compiled)
        patterned = settings.values == "patterns"
        self._head = apart(1, layout.HEAD)
        self._options = option_record(game, settings)
        self._marks = action_marks(game, settings)
        self._states = apart(layout.POOL, game.dtype)
        self._work = apart(1, layout.work_dtype(game.players, game.most_legal))
        # Zero is the one word that a stream cannot leave, so no draw would be noticed.
        self._work[0]["rng"]["word"] = 1
        self._length = layout.LONGEST_PATTERNS if patterned else layout.LONGEST
        self._shown = np.zeros((self._length + 1 if patterned else 1, slack(game.most_patterns)), np.int64)
        self.weights = np.zeros(game.pattern_weights if patterned else 1)
        self.table = empty(places_for(0))
        self._head[0]["room"] = room_in(len(self.table))
        self._pool, self._record = pool(self._states, compiled), scratch(self._work[0], compiled)
        self._put = self.binding.kernel(put_all)
        self._rate_all, self._rate_many = self.binding.kernel(rate_all), self.binding.kernel(rate_many)

    def _dressed(self, array: Array) -> Any:
        """Uncompiled, records are read by attribute as compiled ones are."""
        return array if self.compiled else array.view(Records)

    def _at(self, record: Array) -> Any:
        return self._dressed(record)[0]

    @property
    def entries(self) -> int:
        """How many states have a value; with patterns, how many weights have moved."""
        return int(np.count_nonzero(self.weights)) if self.settings.values == "patterns" else int(self._head[0]["used"])

    @property
    def bytes(self) -> int:
        """Memory that the values take, empty places included."""
        return int(self.weights.nbytes) if self.settings.values == "patterns" else int(self.table.nbytes)

    def contents(self) -> Array:
        """The table's values in one fixed order."""
        return entries_of(self.table)

    def fill(self, entries: Array) -> None:
        """Take over values, for example those of a file, in place of one's own."""
        self.table = empty(places_for(len(entries)))
        with np.errstate(over="ignore"):
            self._put(self._dressed(self.table), self._dressed(np.ascontiguousarray(entries, ENTRY)))
        self._head[0]["used"], self._head[0]["room"] = len(entries), room_in(len(self.table))
        self._head[0]["full"] = 0

    def rate(self, state: State) -> dict[int, tuple[float, int]]:
        """What each legal action is worth to the mover, and how often that was updated, in the game's order."""
        self._states[layout.NOW] = state.copy_array()[0]
        with np.errstate(over="ignore"):
            count = int(self._rate_all(*self._asked()))
        self.report_trouble()
        work = self._work[0]
        return {int(work["ids"][i]): (float(work["rated"][i]), int(work["seen"][i])) for i in range(count)}

    def rate_states(self, states: Array, edges: int) -> Array:
        """The values of all actions of many states, one state after the other."""
        out = np.zeros(edges)
        with np.errstate(over="ignore"):
            self._rate_many(*self._asked(), pool(states, self.compiled), out)
        self.report_trouble()
        return out

    def _asked(self) -> tuple[Any, ...]:
        table, head, options = self._dressed(self.table), self._at(self._head), self._at(self._options)
        return head, table, self.weights, options, self._pool, self._record, self._shown, self._marks

    def report_trouble(self) -> None:
        """Say in a sentence what the game did wrong, if it did."""
        head = self._head[0]
        code = int(head["trouble"])
        if code == 0:
            return
        head["trouble"] = 0
        where = State(self.game, self._states[layout.NOW : layout.NOW + 1].copy(), 1)
        raise told(LEARNING, code, where, self._length)


Asked = Callable[[State, int, int], int]
"""Somebody outside acts: the state, the player and the number of the episode give an action."""


class Learner(Values):
    """Plays episodes and learns from them. `settings` must be fitted to the game."""

    def __init__(self, game: Game, settings: Settings, *, compiled: bool = True, asked: Asked | None = None) -> None:
        super().__init__(game, settings, compiled=compiled)
        self._kernel = self.binding.kernel(episodes)
        self._steps = np.zeros(self._length, layout.STEP)
        self._totals = np.zeros((self._length, game.players))
        self._head[0]["stream"] = base_word(settings.seed, EPISODES)
        self.asked = asked
        self.stride = 1
        self.past: list[Array] = []
        """Frozen past selves, oldest first: tables, or weights."""
        self._other, self._other_weights, self._block = empty(1), np.zeros_like(self.weights), -1

    @property
    def episode(self) -> int:
        """Episodes learned from so far."""
        return int(self._head[0]["episode"])

    @episode.setter
    def episode(self, number: int) -> None:
        self._head[0]["episode"] = number

    @property
    def counts(self) -> dict[str, int]:
        """Decisions, detected collisions of keys, and updates that found the table full."""
        return {name: int(self._head[0][name]) for name in ("decisions", "collisions", "dropped")}

    def set_counts(self, counts: dict[str, int]) -> None:
        """Go on counting from these."""
        for name, count in counts.items():
            self._head[0][name] = count

    def prepare(self) -> None:
        """Have the kernels ready: compiled, or loaded from the cache."""
        self._call(0)
        self._put(self._dressed(empty(1)), self._dressed(empty(1)))

    def run(self, until: int) -> None:
        """Learn until so many episodes are done. Where it stops in between makes no difference to what is learned."""
        with np.errstate(over="ignore"):
            while self.episode < until:
                stop = until
                if self.settings.opponent == "past":
                    self._turn_block()
                    stop = min(until, (self._block + 1) * self.settings.refresh)
                self._run(stop)

    def _run(self, until: int) -> None:
        while True:
            code = self._call(until)
            self.report_trouble()
            if code == layout.DONE:
                return
            if code == layout.GROW:
                self._grow()
            elif code == layout.ASK:
                self._ask()

    def _call(self, until: int) -> int:
        arrays = layout.Arrays(
            head=self._at(self._head),
            table=self._dressed(self.table),
            other=self._dressed(self._other),
            weights=self.weights,
            other_weights=self._other_weights,
            options=self._at(self._options),
            states=self._pool,
            work=self._record,
            steps=self._dressed(self._steps),
            totals=self._totals,
            shown=self._shown,
            marks=self._marks,
        )
        return int(self._kernel(arrays, until, self.stride))

    def _grow(self) -> None:
        """A quarter more places, and as many quarters as the last episode needs."""
        head = self._head[0]
        places = len(self.table)
        while room_in(places) < int(head["used"]) + int(head["steps"]):
            places = places * 5 // 4
        if places * ENTRY.itemsize > self.settings.memory * 1e6 or places >= MOST_PLACES:
            head["full"] = 1
            return
        try:
            larger = empty(places)
        except MemoryError:
            head["full"] = 1
            return
        self._put(self._dressed(larger), self._dressed(self.table))
        self.table = larger
        head["room"] = room_in(places)

    def _ask(self) -> None:
        assert self.asked is not None
        array = self._states[layout.NOW : layout.NOW + 1].copy()
        word = int(self._record.rng.word if not self.compiled else self._work[0]["rng"]["word"])
        # The stream that the agent is shown is not the one that the dice will come from.
        state = State(self.game, array, mix(word) or 1)
        self._head[0]["given"] = self.asked(state, state.mover, self.episode)

    # past selves

    def _turn_block(self) -> None:
        """At the start of a block of episodes: freeze what is known, and draw one of the past selves to play against."""
        block = self.episode // self.settings.refresh
        if block == self._block:
            return
        if block > 0 and self.episode % self.settings.refresh == 0:
            self.past = [*self.past, self._frozen()][-self.settings.past :]
        self._block = block
        if self.past:
            chosen = self.past[Stream(self.settings.seed, PAST_SELVES, block).below(len(self.past))]
            if self.settings.values == "patterns":
                self._other_weights = chosen
            else:
                self._other = empty(places_for(len(chosen)))
                self._put(self._dressed(self._other), self._dressed(chosen))

    def _frozen(self) -> Array:
        return self.weights.copy() if self.settings.values == "patterns" else self.contents()


def fitted(game: Game, settings: Settings, episodes: int) -> Settings:
    """`Settings.fitted`, with the opponent's own string where it is an agent."""
    made = settings.fitted(game, episodes)
    if made.opponent in OWN_OPPONENTS:
        return made
    from playout.agents import recipe

    known = recipe(made.opponent, game, fit=False)
    if known.timed:
        raise PlayoutError(
            f"opponent is {made.opponent!r}, which decides by the clock: resumed, it would not play the same; give simulations"
        )
    return msgspec.structs.replace(made, opponent=known.name)


def asking(game: Game, settings: Settings) -> Asked | None:
    """How the opponent is asked, where it is an agent: a fresh one for every episode, seeded by its number."""
    if settings.opponent in OWN_OPPONENTS:
        return None
    from playout.agents import ask_quickly, recipe

    made = recipe(settings.opponent, game, fit=False)
    made.prepare()
    seated: dict[tuple[int, int], Any] = {}

    def asked(state: State, player: int, episode: int) -> int:
        if (player, episode) not in seated:
            if any(other != episode for _, other in seated):
                seated.clear()
            seed = seed_word(settings.seed, OPPONENTS + player, episode) >> 2
            seated[player, episode] = made.make(seed)
        return ask_quickly(seated[player, episode], state)[0]

    return asked
