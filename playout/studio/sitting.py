"""One tab's game: a course that can be jumped about in, with persons and agents in its seats. Plain Python, without any page.

Time goes one way for the rules and both ways for people: what was taken back waits in `future`, and is there again by redo or by a jump until
another action is played. Chance comes back as it was, since every state carries its own.
"""

from __future__ import annotations

import secrets
from typing import Any

from playout.agents import Agent, Person
from playout.agents.course import ONE, Course, alone, reason
from playout.arena.schedule import AGENTS, one_way
from playout.errors import PlayoutError
from playout.game.clicks import read_marks
from playout.game.game import Game
from playout.game.moves import split_moves
from playout.game.saved import try_out
from playout.game.state import State
from playout.planner.decision import Decision
from playout.studio.catalog import Catalog
from playout.studio.late import Late, is_search

PERSON = "person"
MOST_MOVES = 20_000
"""Actions of one game."""
LONGEST_TEXT = 1_000_000
"""Letters of a saved state or of moves that are handed in."""


class Sitting:
    """What one tab plays: a game, who sits where, what was played, and what was taken back."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.specs: list[str] = []
        """Who sits in each seat, as it was typed."""
        self.future: list[Any] = []
        """The actions that were taken back, the next one first."""
        self.all_eyes = False
        """Whether everything is shown: after the game, to who asked for it."""
        self.holding = False
        """Whether agents wait: after a jump, until somebody plays or says go on."""
        self.parts: list[str] = []
        """What was clicked of an action that takes two clicks."""

    # beginning

    def open(self, game: str, seats: list[str] | None = None, seed: int | None = None, moves: str = "") -> None:
        """Another game; whatever is wrong with it leaves the old one as it is."""
        rules = self.catalog.game(game)
        seed = self._seed(rules, seed)
        self._begin(rules, rules.start(seed), seed, seats or self.usual_seats(rules))
        if moves:
            self.set_up(moves)

    def _seed(self, game: Game, seed: int | None) -> int:
        """The seed of a new game: what was asked for, else another every time, so that nobody knows the cards by it."""
        if seed is not None:
            if not isinstance(seed, int) or not 0 <= seed < 1 << 62:
                raise PlayoutError(f"seed is {seed!r}; give a whole number from 0 to {(1 << 62) - 1}")
            return seed
        return self.catalog.seed if self.catalog.seed is not None else secrets.randbelow(1 << 31)

    def usual_seats(self, game: Game) -> list[str]:
        """A person and agents: those named on the command line, else the usual one."""
        named = list(self.catalog.agents) or ["uct:simulations=2000"]
        return [PERSON, *(named[(player - 1) % len(named)] for player in range(1, game.players))]

    def _begin(self, game: Game, start: State, seed: int, seats: list[str]) -> None:
        if len(seats) != game.players:
            raise PlayoutError(f"{len(seats)} seats are given, but {game.name} has {game.players}")
        agents = [self._agent(player, spec, game, seed) for player, spec in enumerate(seats)]
        self.specs = [spec.strip() for spec in seats]
        persons = [player for player, spec in enumerate(self.specs) if spec == PERSON]
        self.course = Course(start, agents, persons, seed)
        self.course.looking = self.course.next_eyes if self.course.guarded and len(persons) == 1 else None
        self.future, self.all_eyes, self.holding, self.parts = [], False, False, []

    def _agent(self, player: int, spec: str, game: Game, seed: int) -> Agent:
        spec = spec.strip()
        if spec == PERSON:
            return Person()
        self.catalog.permit(spec)

        def make() -> Agent:
            return self.catalog.agent(spec, game).make(one_way(seed, AGENTS, player, player))

        return Late(spec, make) if is_search(spec) else make()

    def again(self) -> None:
        """The same game and seats from a new start."""
        game = self.game
        seed = self._seed(game, None)
        self._begin(game, game.start(seed), seed, self.specs)

    def seat(self, player: int, spec: str) -> None:
        """Somebody else sits down, in the middle of the game."""
        if not 0 <= player < self.game.players:
            raise PlayoutError(f"there is no seat {player}; {self.game.name} has {self.game.players}")
        self._reseat([spec if at == player else old for at, old in enumerate(self.specs)])

    def _reseat(self, specs: list[str]) -> None:
        """The same course with other people at it: what they are told of the past is made for them."""
        old, future = self.course, self.future
        self._begin(self.game, old.start, old.seed, specs)
        self._replay([action for _, action in old.history])
        self.future = future

    def fresh_agent(self, player: int) -> None:
        """Another one of the same kind, where the old one is still busy with what nobody waits for any more."""
        agents = list(self.course.agents)
        agents[player] = self._agent(player, self.specs[player], self.game, self.course.seed)
        self.course.agents = self.course.seats.agents = agents

    def set_up(self, moves: str) -> None:
        """The position after these moves from the start; an illegal one leaves everything as it was."""
        if len(moves) > LONGEST_TEXT:
            raise PlayoutError(f"the moves are too long; give at most {LONGEST_TEXT:,} letters")
        given = split_moves(moves, self.game, self.course.start)
        self.course.start.replay(given)
        self._begin(self.game, self.course.start, self.course.seed, self.specs)
        self._replay(given)
        self.holding = True

    def reload(self) -> str:
        """The rules as they stand in the file now, from the same moves as far as they are legal; what became of them, in words."""
        old = [action for _, action in self.course.history] + self.future
        place, seed, specs = self.place, self.course.seed, self.specs
        rules = self.catalog.game(self.game.spec)
        seats = specs if len(specs) == rules.players else self.usual_seats(rules)
        state, kept = rules.start(seed), 0
        try:
            for action in old[:place]:
                state = state.play(action)
                kept += 1
        except PlayoutError:
            pass
        self._begin(rules, rules.start(seed), seed, seats)
        self._replay(old[:kept])
        self.holding = True
        lost = place - kept
        return "" if not lost else f"{kept} of {place} actions are still legal; the others were left out"

    def load_state(self, text: str) -> None:
        """Begin from a saved state, tried out before anything is done with it."""
        if len(text) > LONGEST_TEXT:
            raise PlayoutError(f"the saved state is too long; it may have {LONGEST_TEXT:,} letters")
        state = self.game.load_state(text)
        try_out(state)
        self._begin(self.game, state, self.course.seed, self.specs)
        self.holding = True

    def _replay(self, moves: list[Any]) -> None:
        if len(moves) > MOST_MOVES:
            raise PlayoutError(f"{len(moves):,} moves are given; a game here may have {MOST_MOVES:,}")
        for move in moves:
            self.course.advance(self.course.state.find(move))

    # what it is

    @property
    def game(self) -> Game:
        return self.course.start.game

    @property
    def state(self) -> State:
        return self.course.state

    @property
    def place(self) -> int:
        """How many actions were played up to here."""
        return len(self.course.history)

    @property
    def hides(self) -> bool:
        """Whether anything is kept from who looks just now."""
        return self.course.guarded and not self.all_eyes

    @property
    def passing(self) -> int | None:
        """The person to whom the device has to be passed before anything is shown; None where it is there already."""
        if not self.hides or self.course.looking == self.course.next_eyes:
            return None
        return self.course.next_eyes

    @property
    def viewer(self) -> int | None:
        """Whose eyes everything is made for; None for all."""
        return None if self.all_eyes else self.course.viewer

    @property
    def turn(self) -> str:
        """Who is to do something: a "person", an "agent", nobody because it is "over", or "pass": the device has to be passed on."""
        if self.passing is not None:
            return "pass"
        if self.state.over:
            return "over"
        return "person" if self.state.mover in self.course.persons else "agent"

    @property
    def asks_agent(self) -> bool:
        """Whether an agent is to be asked now."""
        return self.turn == "agent" and not self.holding and not self.future

    @property
    def may_think(self) -> bool:
        """Whether who looks may see a search of this position: nobody sees what another seat thinks about its own cards."""
        if self.turn in ("over", "pass"):
            return False
        return not self.hides or self.state.mover == self.viewer

    @property
    def open_book(self) -> bool:
        """Whether the game may be written down as it is: nothing is hidden from anybody, or the game is over."""
        return not self.course.guarded or self.state.over

    # playing

    def play(self, action: Any) -> None:
        """An action of the person whose turn it is."""
        if self.turn == "pass":
            raise PlayoutError("pass the device on first: it is another person's turn")
        if self.turn == "agent":
            raise PlayoutError(f"it is the turn of {self.specs[self.state.mover]}; take its seat to play for it")
        self._advance(self.state.find(action))
        self._pass_over()

    def _advance(self, action: Any, words: str = "", own: bool = False) -> None:
        if self.place >= MOST_MOVES:
            raise PlayoutError(f"this game has had {MOST_MOVES:,} actions, which is all that one may have here")
        following = self.future[1:] if self.future and self.future[0] == action else []
        self.course.advance(action, words, own)
        self.future, self.holding, self.parts = following, False, []
        self.all_eyes = self.all_eyes and self.state.over

    def _pass_over(self) -> None:
        """What a person has no choice about is played for it, as at the terminal; not where it would have to look first."""
        while self.turn == "person" and alone(self.state) and self.game.actions > 1 and not self.future:
            self._advance(self.state.legal[0], ONE, own=True)

    def decided(self, action: Any, decision: Decision | None) -> None:
        """An agent has decided."""
        self._advance(self.state.find(action), reason(decision))
        self._pass_over()

    def click(self, part: str) -> bool:
        """A part of the board was clicked: True when that made an action, else it waits for another click."""
        if "clicked" not in self.game.functions or self.turn != "person":
            return False
        # A page can send any text, and a game is asked only about parts that its picture has.
        if part not in read_marks(self.state.svg(self.viewer) or "").parts:
            return False
        for parts in ([*self.parts, part], [part]):
            action = self.state.clicked(parts)
            if action >= 0:
                self.play(action)
                return True
        # Nothing yet: it is the first of two.
        self.parts = [] if self.parts == [part] else [part]
        return False

    # moving about

    def arrived(self) -> None:
        """The person to whom the device was passed says that it is there."""
        self.course.looking = self.course.next_eyes
        self._pass_over()

    def undo(self) -> None:
        """Back to the last decision of a person; with none at the table, one action."""
        player = self.viewer if self.hides else None
        decided = [
            place
            for place, (state, _) in enumerate(self.course.history)
            if state.mover in self.course.persons and not alone(state) and player in (None, state.mover)
        ]
        if not self.course.persons and self.place:
            decided = [self.place - 1]
        if not decided:
            raise PlayoutError("there is no decision of yours to take back yet")
        self.jump(decided[-1])

    def redo(self) -> None:
        """Forward to the next decision of a person, or to the end of what was played."""
        if not self.future:
            raise PlayoutError("nothing was taken back that could be played again")
        self._forward(1)
        while self.future and not (self.state.mover in self.course.persons and not alone(self.state)):
            self._forward(1)
        self.holding = True

    def jump(self, place: int) -> None:
        """To any position of the game: what comes after it waits in `future`."""
        if not 0 <= place <= self.place + len(self.future):
            raise PlayoutError(f"there is no position {place}; the game has {self.place + len(self.future)} actions")
        if place > self.place:
            self._forward(place - self.place)
        elif place < self.place:
            self.future = [action for _, action in self.course.history[place:]] + self.future
            self.course.back_to(place)
        self.holding, self.parts, self.all_eyes = bool(self.future), [], False

    def step(self, by: int) -> None:
        """One action back or forward, as far as there are any; who looks passes over what it was not told of."""
        place = self.place + by
        viewer = self.viewer if self.hides else None
        while self.hides and 0 < place < self.place and viewer not in self.course.news[place - 1]:
            place += by
        self.jump(max(0, min(place, self.place + len(self.future))))

    def _forward(self, count: int) -> None:
        for _ in range(count):
            action, *rest = self.future
            self.course.advance(action)
            self.future = rest

    def go_on(self) -> None:
        """Let agents play on from here; what was taken back is forgotten."""
        self.future, self.holding = [], False
        self._pass_over()

    def show_all(self, wanted: bool) -> None:
        """Show everything, after the game."""
        if wanted and not self.state.over:
            raise PlayoutError("what is hidden is shown when the game is over")
        self.all_eyes = wanted

    def to_dict(self) -> dict[str, Any]:
        """The game as it may be kept."""
        if not self.open_book:
            raise PlayoutError("a game with hidden cards can be kept when it is over: before, the file would tell them")
        return self.course.to_dict()

    def way_here(self) -> dict[str, Any]:
        """What `open` needs to get here again, the seed included: for the server, which never passes it on to the page."""
        names = [state.name(action) if self.game.continuous else str(action) for state, action in self.course.history]
        moves = " ".join(names) if self.game.continuous else ",".join([*names, ""] if names else [])
        return {"game": self.game.spec, "seats": self.specs, "seed": self.course.seed, "moves": moves}
