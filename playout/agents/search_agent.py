"""An agent that searches: one `Search` with a budget per decision, its tree kept from move to move."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from playout.agents.base import Recipe
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.planner.decision import Decision
from playout.planner.fit import BESIDE, sentences, used
from playout.planner.learned import HasLearned
from playout.planner.opinion import REAL_WITNESSES, WITNESSES
from playout.planner.run import Choice
from playout.planner.search import Search
from playout.planner.settings import Budget, Settings, near, read, spelled

DEFAULT_SIMULATIONS = 10_000
"""The budget of a search agent that is given none: simulations and not seconds, so that a seed always gives the same game."""

PRESETS: dict[str, dict[str, Any]] = {
    "uct": {},
    "one-depth": {"depth": 1},
    "ismcts": {"hidden": "ismcts"},
    "mo-ismcts": {"hidden": "mo-ismcts"},
    "pimc": {"hidden": "pimc"},
    "peek": {"hidden": "peek"},
}
"""The search agents: a name, and the settings that it stands for. `peek` cheats: the referee shows it the true state."""


class SearchAgent:
    """Searches before every action and explains it with a decision."""

    def __init__(
        self, game: Game, settings: Settings, budget: Budget, name: str, policy: HasLearned | None = None, fit: str = ""
    ) -> None:
        self.name, self.budget, self.fit = name, budget, fit
        self.search = Search(game, settings, value=policy)
        self.search.auto = sentences(fit, self.search.auto)
        self.search.passing = True
        self.peeks = self.search.settings.hidden == "peek"

    def decide(self, state: State) -> Decision:
        return self.search.run(state, self.budget)

    def choose(self, state: State) -> Choice:
        """The same action without the rest of the decision."""
        return self.search.choose(state, self.budget)

    def act(self, state: State) -> Any:
        return self.choose(state).action

    def observe_action(self, before: State, action: int, after: State) -> None:
        if self.search.state is None:
            return
        if after.over or not self.search.starts_from(before):
            self.search.trees = []
        else:
            self.search.follow(action, after)


def search_recipe(kind: str, words: dict[str, str], game: Game) -> Recipe:
    """A search agent out of a preset and the options given: any field of `Budget` and of `Settings`.

    Without settings it takes those that `playout fit` found for the game, and its name has them written out: it makes the same agent
    again on a machine where nobody fitted anything, or another fit was kept since. With `fit=false` it leaves them aside.
    """
    wanted = _wants_fit(words.get("fit", "true"))
    limits, options = _split(kind, {name: value for name, value in words.items() if name != "fit"})
    if not {"simulations", "seconds"} & limits.keys():
        limits["simulations"] = str(DEFAULT_SIMULATIONS)
    budget: Budget = read(Budget, limits)
    found, fitted = used(game, (), wanted and not {*PRESETS[kind], *options} - BESIDE, budget)
    # One tree: a referee wants an action, and a second opinion on it would cost strength where every thread plays a game of its own.
    given: Settings = read(Settings, {"trees": 1, **PRESETS[kind], **({} if found is None else found.settings), **options})
    seeded = "seed" in options
    name, settings = _name(kind, budget, given, seeded), given.fitted(game)
    policy, digest = _policy(given.value, game)

    def make(seed: int) -> SearchAgent:
        # As given and not as fitted: where worlds are sampled fitting turns the solver off, and it must come back at the end.
        return SearchAgent(game, given if seeded else msgspec.structs.replace(given, seed=seed), budget, name, policy, fitted)

    def prepare() -> None:
        Search(game, settings, value=policy).run(game.start(), simulations=1)

    every = {**msgspec.structs.asdict(budget), **msgspec.structs.asdict(settings)}
    witnesses = REAL_WITNESSES if game.continuous else WITNESSES
    trees = 1 + witnesses if isinstance(settings.trees, str) else settings.trees
    threads = min(trees, settings.threads or os.cpu_count() or 1)
    if not seeded:
        del every["seed"]
    if not settings.reward:
        # An experiment that was begun before there were rewards is still the same one.
        del every["reward"]
    peeks = settings.hidden == "peek"
    timed = budget.seconds is not None
    return Recipe(name, make, every, digest, prepare, timed=timed, threads=threads, peeks=peeks, fit=fitted)


def _wants_fit(word: str) -> bool:
    if word not in ("true", "false"):
        raise PlayoutError(f"option fit is {word!r}; write fit=false to leave the settings of playout fit aside, or leave it out")
    return word == "true"


def _policy(file: str, game: Game) -> tuple[HasLearned | None, str]:
    """The policy that values leaves, where one is asked for, and what tells its values from those of another."""
    if not file:
        return None, ""
    from playout.learning.policy import Policy

    policy = Policy.load(file, game)
    return policy, policy.learned.digest


def _split(kind: str, words: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    limits, options = set(Budget.__struct_fields__), set(Settings.__struct_fields__)
    for word in words:
        if word not in limits | options:
            raise PlayoutError(f"agent {kind!r} has no option {word!r}; {near(word, limits | options | {'fit'})}")
        if word in PRESETS[kind]:
            raise PlayoutError(f"agent {kind!r} always has {word}={PRESETS[kind][word]}; leave {word} out, or use uct:{word}=...")
    return {w: v for w, v in words.items() if w in limits}, {w: v for w, v in words.items() if w in options}


def _name(kind: str, budget: Budget, settings: Settings, seeded: bool) -> str:
    """The spec in one fixed order, so that equal agents have equal names; a seed only where the user asked for one."""
    usual = msgspec.structs.asdict(Settings(**{"trees": 1, **PRESETS[kind]}))
    given = {word: value for word, value in msgspec.structs.asdict(budget).items() if value is not None}
    given |= {
        word: value
        for word, value in msgspec.structs.asdict(settings).items()
        if (seeded if word == "seed" else value != usual[word])
    }
    return f"{kind}:" + ",".join(f"{word}={spelled(value)}" for word, value in given.items())
