"""A line protocol by which other programs use an agent: `playout serve GAME AGENT`. Words come in, a line each; answers are JSON, a line each.

    position {"seed": 0, "moves": ["d", "c"]}      or {"state": {...}}, as State.to_json writes it, and "moves" from there
    play d                                         one action more
    go simulations=1000 seconds=2 every=0.5        answers {"info": ...} every so often, and {"decision": ...} at last
    stop                                           the decision now
    newgame 7                                      a fresh agent with that seed
    show                                           the position, with what is legal
    quit

Whatever cannot be used is answered by {"error": "a sentence"}, and the next line is read.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import msgspec

from playout.agents import Agent, Recipe, SearchAgent, Seats, ask_quickly, recipe, truth, world
from playout.errors import PlayoutError, suggest
from playout.game.game import Game
from playout.game.load import parse_spec
from playout.game.saved import try_out
from playout.game.state import State
from playout.game.stream import REFEREE, Stream
from playout.planner.decision import Decision
from playout.planner.settings import Budget
from playout.planner.words import near, read

PROTOCOL = 1
EVERY = 0.5
"""Seconds between two lines of info."""
SHOWN = ("action", "name", "visits", "mean", "proven")
LIMITS = ("simulations", "seconds", "memory", "every")
STOPS = ("stop", "quit")

Say = Callable[[dict[str, Any]], None]


class Server:
    """One game and one agent, asked line by line."""

    def __init__(self, game: Game, agent: str, say: Say, *, seed: int = 0, fit: bool = True) -> None:
        self.game, self._say, self.fit = game, say, fit
        self.recipe: Recipe = recipe(agent, game, fit=fit)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._waiting: list[str | None] = []
        self.state = self.start = game.start()
        self.course: list[int] = []
        self._new(seed)

    def _new(self, seed: int) -> None:
        self.agent: Agent = self.recipe.make(seed)
        self._stream = Stream(seed, REFEREE)

    def run(self, lines: Iterable[str]) -> None:
        """Answer lines until there are no more, or one says quit."""
        self._say({"ready": self.game.spec, "agent": self.agent.name, "players": self.game.players, "protocol": PROTOCOL})
        threading.Thread(target=self._read, args=(lines,), daemon=True, name="playout serve").start()
        while True:
            line = self._waiting.pop(0) if self._waiting else self._lines.get()
            if line is None or line.strip() == "quit":
                return
            if line.strip():
                self._answer(line.strip())

    def _read(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._lines.put(line)
        self._lines.put(None)

    def _answer(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        known: dict[str, Callable[[str], None]] = {
            "position": self.position,
            "play": self.play,
            "go": self.go,
            "stop": lambda rest: None,
            "newgame": self.newgame,
            "show": lambda rest: self.show(),
        }
        try:
            if word not in known:
                raise PlayoutError(f"unknown command {word!r}; {suggest(word, {*known, 'quit'})}")
            known[word](rest.strip())
        except PlayoutError as error:
            self._say({"error": str(error)})

    def newgame(self, rest: str) -> None:
        """A fresh agent."""
        if rest and not rest.lstrip("-").isdecimal():
            raise PlayoutError(f"newgame takes a seed, a whole number, and not {rest!r}")
        self._new(int(rest or 0))
        self.state = self.start = self.game.start()
        self.course = []
        self.show()

    def position(self, rest: str) -> None:
        """A position by its seed and moves, or by a saved state."""
        try:
            told = json.loads(rest or "{}")
            if not isinstance(told, dict):
                raise ValueError("it is no object")
        except ValueError as error:
            raise PlayoutError(f'position takes JSON, as in position {{"moves": ["d", "c"]}}: {error}') from None
        moves = told.get("moves") or []
        if not isinstance(moves, list):
            raise PlayoutError(f"moves is {moves!r}; give a list of actions, by name or id")
        if "state" in told:
            start = self.game.load_state(json.dumps(told["state"]))
            if not self._reached(start, told.get("course")):
                try_out(start)
        else:
            seed = told.get("seed", 0)
            if isinstance(seed, bool) or not isinstance(seed, int):
                raise PlayoutError(f"seed is {seed!r}; it must be a whole number")
            start = self.game.start(seed)
        state, course = start, []
        for number, move in enumerate(moves, 1):
            try:
                course.append(state.find(move))
            except PlayoutError as error:
                raise PlayoutError(f"move {number}: {error}") from None
            state = state.after(course[-1])
        self.start, self.course, self.state = start, course, state
        self.show()

    def _reached(self, state: State, course: Any) -> bool:
        """Whether a course from the start leads to the state, which then need not be tried out: that takes a tenth of a second."""
        found = self.game.start()
        if not isinstance(course, list) or self.game.hidden:
            return False
        for action in course:
            if found.over or action not in found.legal:
                return False
            found = found.after(action)
        return found == state

    def play(self, rest: str) -> None:
        """One action more; the agent hears of it, so a search keeps what it knows."""
        action = self.state.find(rest)
        before, self.state = self.state, self.state.after(action)
        self.course.append(action)
        self._seats().told(before, action, self.state)
        self.show()

    def _seats(self) -> Seats:
        count = self.game.players
        return Seats([self.agent] * count, self._stream, peeking=[self.recipe.peeks] * count)

    def show(self) -> None:
        """Where the position stands."""
        state = self.state
        legal: Any = {} if state.over or self.game.continuous else {state.name(a): a for a in state.legal}
        told = {"mover": state.mover, "legal": legal, "over": state.over, "returns": state.returns, "played": len(self.course)}
        self._say({"position": told})

    def go(self, rest: str) -> None:
        """Ask the agent for its decision here."""
        if self.state.over:
            raise PlayoutError("the game is over in this position: there is nothing to decide")
        words = parse_spec("go:" + ",".join(rest.split()))[1]
        for word in words:
            if word not in LIMITS:
                raise PlayoutError(f"go has no option {word!r}; {near(word, LIMITS)}")
        every = _positive("every", words.pop("every", str(EVERY)))
        seats, player = self._seats(), self.state.mover
        if seats.remembering:
            seats.begin(self.start, self.course)
        seen = seats.shown(player, partial(world, self.state), partial(truth, self.state))
        if not isinstance(self.agent, SearchAgent):
            if words:
                raise PlayoutError(f"agent {self.agent.name!r} does not search, so go takes no {next(iter(words))} here")
            action, _ = ask_quickly(self.agent, seen)
            self._say({"decision": {"action": action, "name": self.state.name(action), "player": player}})
            return
        budget: Budget = read(Budget, words) if words else self.agent.budget
        last: Decision | None = None
        for last in self.agent.search.iterate(seen, budget, every=every):
            if last.stopped != "running" or self._stopped():
                break
            self._say({"info": told(last)})
        assert last is not None
        self._say({"decision": {**told(last), "player": player, "why": last.why(), "line": str(last.line())}})

    def _stopped(self) -> bool:
        """Whether somebody has said stop, or left; other lines wait."""
        while True:
            try:
                self._waiting.append(self._lines.get_nowait())
            except queue.Empty:
                break
        for place, line in enumerate(self._waiting):
            if line is None or line.strip() in STOPS:
                if line is not None and line.strip() == "stop":
                    del self._waiting[place]
                return True
        return False


def told(decision: Decision) -> dict[str, Any]:
    """What is said of a decision, on its way and at the end: the choice, and all actions by visits."""
    rows = sorted(decision.actions, key=lambda row: -row.visits)
    return {
        "action": decision.action,
        "name": decision.name,
        "mean": decision.chosen.mean,
        "proven": decision.proven,
        "simulations": decision.simulations,
        "seconds": round(decision.seconds, 4),
        "stopped": decision.stopped,
        "actions": [{name: getattr(row, name) for name in SHOWN} for row in rows],
    }


def _positive(name: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise PlayoutError(f"{name} is {word!r}; give seconds above 0")
    return value


def encode(answer: dict[str, Any]) -> str:
    """An answer as a line of JSON; numbers that are not finite become null."""
    return msgspec.json.encode(answer).decode()
