"""OpenSpiel's bots as agents: `openspiel-mcts:simulations=1000`, `openspiel-ismcts:simulations=1000`.

In one of its own games (`openspiel:connect_four`) a bot gets the state as it is. In a game from here that has a twin over there it plays
the twin, in C++, and is handed the actions so far. In any other it searches the game from here, through its bot in Python, since
the one in C++ cannot call back.
"""

from __future__ import annotations

from typing import Any

import msgspec

from playout.agents.base import Recipe, Silent
from playout.bridges.openspiel import SpielRules, spiel
from playout.bridges.packages import need
from playout.bridges.to_openspiel import Place, to_openspiel
from playout.bridges.twins import Twin, twin_of
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.history import beginning
from playout.game.state import State
from playout.planner.decision import Decision
from playout.planner.run import Choice
from playout.planner.words import near, read

MOST = 2_000_000_000
MEMORY = 8000
"""Megabytes, more than a decision needs: at its limit the bot would prune."""


class BotSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What can be set of a bot."""

    simulations: int | None = None
    """Simulations a decision."""
    seconds: float | None = None
    """Seconds a decision, by its own clock."""
    c: float = 2.0
    """Its uct_c; 2 is what its own example begins with."""
    rollouts: int = 1
    """Rollouts for an evaluation."""
    solve: bool = True
    """Whether it backs up proven results."""

    def __post_init__(self) -> None:
        if self.simulations is None and self.seconds is None:
            raise PlayoutError("its budget is missing; give simulations=1000 or seconds=0.1")
        for name, value, least in (("simulations", self.simulations, 1), ("rollouts", self.rollouts, 1)):
            if value is not None and not least <= value <= MOST:
                raise PlayoutError(f"{name} is {value}; it must be from {least} to {MOST:,}")
        if self.seconds is not None and not 0 < self.seconds < 1e6:
            raise PlayoutError(f"seconds is {self.seconds}; give seconds above 0")


class BotAgent(Silent):
    """One of its bots at the table."""

    def __init__(self, name: str, kind: str, game: Game, settings: BotSettings, seed: int) -> None:
        self.name, self.kind, self.game, self.settings = name, kind, game, settings
        self.seed = seed % (1 << 31)
        self.rules = game.objects.rules if game.objects is not None and isinstance(game.objects.rules, SpielRules) else None
        self.twin = None if game.hidden or self.rules else twin_of(game)
        self.wants_course = self.twin is not None
        self.theirs = _theirs(game, self.rules, self.twin)
        self.bot = self._made()

    def _made(self) -> Any:
        settings, pyspiel = self.settings, spiel()
        most, seconds = settings.simulations or MOST, settings.seconds or -1.0
        native = self.rules is not None or self.twin is not None
        if self.kind == "openspiel-ismcts":
            if not native:
                raise PlayoutError(
                    f"agent {self.kind!r} plays OpenSpiel's own games; write openspiel:NAME for the game, or use openspiel-mcts"
                )
            evaluator = pyspiel.RandomRolloutEvaluator(settings.rollouts, self.seed)
            return pyspiel.ISMCTSBot(self.seed, evaluator, settings.c, most, max_wall_clock_time=seconds)
        if native:
            evaluator = pyspiel.RandomRolloutEvaluator(settings.rollouts, self.seed)
            policy = pyspiel.ChildSelectionPolicy.UCT
            return pyspiel.MCTSBot(
                self.theirs, evaluator, settings.c, most, MEMORY, settings.solve, self.seed, False, policy, seconds
            )
        if settings.simulations is None:
            raise PlayoutError(
                f"agent {self.kind!r} searches {self.game.name} with its bot in Python, which has no clock; give simulations=100"
            )
        import numpy as np

        mcts = need("open_spiel.python.algorithms.mcts", "open_spiel", "OpenSpiel's bot")
        draws = np.random.RandomState(self.seed)
        evaluator = mcts.RandomRolloutEvaluator(settings.rollouts, draws)
        return mcts.MCTSBot(self.theirs, settings.c, most, evaluator, solve=settings.solve, random_state=draws)

    def decide(self, state: State) -> Decision | None:
        return None

    def choose(self, state: State) -> Choice:
        """Its action; how many simulations it made within its time it does not say."""
        position = self.position(state)
        action = int(self.bot.step(position))
        ours = action if self.twin is None else self.twin.ours(action)
        return Choice(ours, 0, self.settings.simulations or 0, "simulations")

    def act(self, state: State) -> Any:
        return self.choose(state).action

    def position(self, state: State) -> Any:
        """The state as its own library holds it."""
        if self.rules is not None:
            return self.rules.copy(self.game.objects.thing(state.fields))
        if self.twin is None:
            position = self.theirs.new_initial_state()
            # Only the state itself is looked at, and its players have no past.
            players = range(state.game.players)
            keys = tuple(beginning(player) for player in players)
            position.place = Place(state, keys, tuple(state.observed(player) for player in players))
            return position
        if state.course is None:
            raise PlayoutError(
                f"agent {self.name!r} has to be told the actions of the game so far, and whoever asks it does not tell them"
            )
        position = self.theirs.new_initial_state()
        for action in state.course:
            position.apply_action(next(theirs for theirs in position.legal_actions() if self.twin.ours(theirs) == action))
        return position


def _theirs(game: Game, rules: SpielRules | None, twin: Twin | None) -> Any:
    if rules is not None:
        return rules.theirs
    return to_openspiel(game) if twin is None else spiel().load_game(twin.theirs)


def bot_recipe(kind: str, words: dict[str, str], game: Game) -> Recipe:
    """A bot out of its options."""
    for word in words:
        if word not in BotSettings.__struct_fields__:
            raise PlayoutError(f"agent {kind!r} has no option {word!r}; {near(word, BotSettings.__struct_fields__)}")
    if not {"simulations", "seconds"} & words.keys():
        words = {"simulations": "1000", **words}
    if game.continuous:
        raise PlayoutError(f"agent {kind!r} plays games whose actions can be listed, and those of {game.spec} are real vectors")
    settings: BotSettings = read(BotSettings, words)
    plain = BotSettings(simulations=1)
    told = {
        name: value
        for name, value in msgspec.structs.asdict(settings).items()
        if value != getattr(plain, name) or name == "simulations"
    }
    name = f"{kind}:" + ",".join(f"{word}={_word(value)}" for word, value in told.items() if value is not None)
    BotAgent(name, kind, game, settings, 0)  # what is wrong is said before the first game
    every = msgspec.structs.asdict(settings)
    return Recipe(name, lambda seed: BotAgent(name, kind, game, settings, seed), every, timed=settings.seconds is not None)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
