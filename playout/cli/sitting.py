"""One game at the terminal: the loop of `playout play`, and what a person may type besides actions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from playout.agents import CHEATS, Agent, Person, PersonLeft, ask, make_agent
from playout.agents.course import ONE, Course, alone, reason
from playout.agents.search_agent import SearchAgent
from playout.cli.show import decision_table, show_survey
from playout.cli.terminal import compiling, packed, passing, plain, prose
from playout.errors import PlayoutError
from playout.files import save
from playout.game import continuous
from playout.game.state import State
from playout.planner.decision import Decision

HINTED = 5


class TakenBack(Exception):
    """The person at the prompt asked to undo."""


class Sitting(Course):
    """A course of the game at a terminal: what is said, drawn and read on the way."""

    def __init__(
        self, start: State, agents: list[Agent], out: Console, *, seed: int, keep: Path | None = None, fit: bool = True
    ) -> None:
        persons = [player for player, agent in enumerate(agents) if isinstance(agent, Person)]
        super().__init__(start, agents, persons, seed)
        self.out, self.keep, self.fit = out, keep, fit
        self.heard: dict[int | None, int] = dict.fromkeys(self.eyes, 0)
        """How many of them each has been told."""
        self.due = False
        """Whether something was told that no drawing shows yet."""
        self.adviser: Agent | None = None
        self.commands: dict[str, tuple[str, Callable[[str, State], None]]] = {
            "hint": ("search, and show the best actions and why", self.hint),
            "undo": ("go back to your last decision", self.undo),
            "moves": ("list the legal actions", self.moves),
            "draw": ("draw the position again", lambda rest, state: self.draw()),
            "save": ("save FILE keeps the position; play on with --state FILE", self.save),
            "help": ("this list", self.help),
            "quit": ("leave the game", self.leave),
        }
        for agent in agents:
            if isinstance(agent, Person):
                agent.read, agent.say, agent.command = self.read, self.say, self.command

    # the loop

    def begin(self, moves: list[Any]) -> None:
        """Play the moves that were given, and show where the game begins."""
        for move in moves:
            self.advance(self.state.find(move))
        for player, agent in enumerate(self.agents):
            self.say(f"{self.who(player)}: {agent.name}{CHEATS if self.seats.peeking[player] else ''}")
            if getattr(agent, "fit", ""):
                prose(self.out, f"          {agent.fit}")  # type: ignore[attr-defined]
        # Who gave the moves knows them.
        self.heard = dict.fromkeys(self.eyes, len(self.history))
        self.look()
        self.draw()

    def run(self) -> None:
        """Play to the end, or until the person leaves."""
        try:
            while not self.state.over:
                try:
                    self.step()
                except TakenBack:
                    self.take_back()
        except (PersonLeft, KeyboardInterrupt):
            self.say(f"\nleft{self.count(' after {}', len(self.history))}; the game is not finished")
            return
        self.result()

    def step(self) -> None:
        """One action of the player whose turn it is."""
        player = self.state.mover
        agent = self.agents[player]
        seen = self.shown(player)
        if isinstance(agent, Person) and alone(self.state):
            self.advance(self.state.legal[0], ONE, own=True)
            self.report()  # before the screen goes round
            self.tell()
            return
        action, decision = ask(agent, seen) if isinstance(agent, Person) else self.thought(agent, seen)
        self.advance(action, reason(decision))
        self.tell()
        if decision is not None and decision.stopped == "interrupted" and not self.persons:
            raise KeyboardInterrupt

    def thought(self, agent: Agent, seen: State) -> tuple[int, Decision | None]:
        """Ask an agent, and say on a terminal that it is thinking."""
        with passing(f"{seen.game.player_name(seen.mover)} ({agent.name}) is thinking ..."), compiling(seen.game.spec):
            return ask(agent, seen)

    def advance(self, action: Any, reason: str = "", own: bool = False) -> None:
        """Play an action, and keep the position where one is to be kept."""
        super().advance(action, reason, own)
        if self.keep is not None:
            save(self.keep, self.state.to_json().encode())

    def take_back(self) -> None:
        """Back to the last state in which the person at the prompt decided."""
        place = self.last_decision(self.state.mover)
        if place is None:
            self.say("there is no decision of yours to take back yet")
            return
        count = self.back_to(place)
        self.heard = {eye: min(heard, len(self.news)) for eye, heard in self.heard.items()}
        self.say(f"took back {self.count('{}', count) or 'everything since your last decision'}")
        self.draw()

    # talking

    def look(self) -> None:
        """Let the next person to act look, where the screen has to go round."""
        if not self.guarded:
            return
        before, self.looking = self.looking, self.next_eyes
        if before not in (None, self.looking):
            self.read(f"\n{self.who(self.looking)} looks now, and nobody else: Enter when you are there ")
            if self.out.is_terminal:
                self.out.clear()

    def tell(self) -> None:
        """Let the next one look, and say what was played."""
        self.look()
        self.report()

    def report(self) -> None:
        """Say what was played, and draw where somebody looks; nothing at all to somebody who has not noticed anything."""
        told = [words[self.looking] for words in self.news[self.heard[self.looking] :] if self.looking in words]
        self.heard[self.looking] = len(self.news)
        for words in told:
            self.say(f"\n{words}")
        self.due = self.due or bool(told)
        if self.due and self.pauses:
            self.draw()

    @property
    def pauses(self) -> bool:
        """Whether there is anybody to look: at the end, before a decision of a person, and when the turn goes to another player."""
        before, now = self.history[-1][0].mover, self.state.mover
        return self.state.over or (not alone(self.state) if now in self.persons else now != before)

    def count(self, words: str, number: int) -> str:
        """A number of actions put into words, where it tells nobody of actions that were not noticed."""
        return "" if self.guarded else words.format(f"{number} action{'s' * (number != 1)}")

    def who(self, player: int) -> str:
        """A player in words."""
        return self.start.game.player_name(player)

    def say(self, text: str) -> None:
        plain(self.out, text)

    def draw(self) -> None:
        self.due = False
        self.say(f"\n{self.state.draw(self.viewer)}\n")

    def read(self, prompt: str) -> str:
        self.out.print(prompt, end="", markup=False, highlight=False, soft_wrap=True)
        self.out.file.flush()
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            self.say(line.rstrip("\n"))
        if not line:
            raise PersonLeft("the input ended")
        return line

    def result(self) -> None:
        """What every player got."""
        found = self.results()
        widest = max(len(who) for who, *_ in found)
        self.say(f"the game is over{self.count(' after {}', len(self.history))}")
        for who, value, verdict, agent in found:
            self.say(f"  {who:<{widest}}  {value:>8g}  {verdict:<5} {agent}")

    # what may be typed

    def command(self, line: str, state: State) -> bool:
        word, _, rest = line.partition(" ")
        if word.lower() not in self.commands:
            return False
        self.commands[word.lower()][1](rest.strip(), state)
        return True

    def hint(self, rest: str, state: State) -> None:
        if self.adviser is None:
            self.adviser = make_agent("uct", state.game, seed=self.seed, fit=self.fit)
        _, decision = self.thought(self.adviser, state)
        assert decision is not None and isinstance(self.adviser, SearchAgent)
        decision = self.adviser.search.survey(decision)
        self.out.print(decision_table(self.out, decision, HINTED))
        prose(self.out, f"{decision.name} looks best. {decision.why()}")
        if decision.survey is not None:
            self.say("")
            show_survey(self.out, decision, decision.survey, HINTED)

    def undo(self, rest: str, state: State) -> None:
        raise TakenBack

    def moves(self, rest: str, state: State) -> None:
        if state.game.continuous:
            self.say(continuous.choices(state))
            return
        names = [f"{state.name(action, state.mover)} ({action})" for action in sorted(state.legal)]
        for line in packed(names, self.out.width) if self.out.is_terminal else ["  ".join(names)]:
            self.say(line)

    def save(self, rest: str, state: State) -> None:
        if not rest:
            self.say("say where to: save FILE")
            return
        try:
            self.say(f"saved: {save(rest, self.state.to_json().encode())} (play on with --state {rest})")
        except PlayoutError as error:
            self.say(str(error))

    def help(self, rest: str, state: State) -> None:
        self.say("type an action by its name or its id, or:")
        for word, (text, _) in self.commands.items():
            self.say(f"  {word:<6} {text}")

    def leave(self, rest: str, state: State) -> None:
        raise PersonLeft("the person left")
