"""An agent that searches: one `Search` with a budget per decision, its tree kept from move to move."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from playout.agents.base import Recipe
from playout.cores import usable_cores
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.planner.advised import Prior
from playout.planner.decision import Decision
from playout.planner.fit import BESIDE, sentences, used
from playout.planner.learned import EMBEDDED, HasLearned
from playout.planner.opinion import REAL_WITNESSES, WITNESSES
from playout.planner.run import Choice
from playout.planner.search import Search
from playout.planner.settings import Budget, Settings
from playout.planner.waiting import Evaluator
from playout.planner.words import near, read, spelled

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
        self,
        game: Game,
        settings: Settings,
        budget: Budget,
        name: str,
        policy: HasLearned | None = None,
        fit: str = "",
        evaluator: Evaluator | None = None,
        prior: Prior | None = None,
    ) -> None:
        self.name, self.budget, self.fit = name, budget, fit
        self.search = Search(game, settings, value=policy, evaluator=evaluator, prior=prior)
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
    budget, options = split(kind, {name: value for name, value in words.items() if name != "fit"}, ("fit",))
    if options.get("value", "").endswith(EMBEDDED):
        # It gives priors, and this is the rule that reads them.
        options.setdefault("rule", "puct")
    found, fitted = used(game, (), wanted and not {*PRESETS[kind], *options} - BESIDE, budget)
    # One tree: a referee wants an action, and a second opinion on it would cost strength where every thread plays a game of its own.
    given: Settings = read(Settings, {"trees": 1, **PRESETS[kind], **({} if found is None else found.settings), **options})
    seeded = "seed" in options
    name = f"{kind}:" + named(budget, given, {"trees": 1, **PRESETS[kind]}, seeded)
    policy, digest = _policy(given.value, game)
    return recipe_of(game, name, given, budget, seeded, policy=policy, digest=digest, fit=fitted)


def recipe_of(
    game: Game,
    name: str,
    given: Settings,
    budget: Budget,
    seeded: bool,
    *,
    policy: HasLearned | None = None,
    evaluator: Evaluator | None = None,
    prior: Prior | None = None,
    digest: str = "",
    fit: str = "",
) -> Recipe:
    """The recipe of a search by these settings, with whatever values its leaves."""
    settings = given.fitted(game) if evaluator is None else Search(game, given, evaluator=evaluator).settings

    def make(seed: int) -> SearchAgent:
        # As given and not as fitted: where worlds are sampled fitting turns the solver off, and it must come back at the end.
        own = given if seeded else msgspec.structs.replace(given, seed=seed)
        return SearchAgent(game, own, budget, name, policy, fit, evaluator, prior)

    def prepare() -> None:
        Search(game, settings, value=policy, evaluator=evaluator, prior=prior).run(game.start(), simulations=1)

    every = {**msgspec.structs.asdict(budget), **msgspec.structs.asdict(settings)}
    witnesses = REAL_WITNESSES if game.continuous else WITNESSES
    trees = 1 + witnesses if isinstance(settings.trees, str) else settings.trees
    threads = min(trees, settings.threads or usable_cores())
    if not seeded:
        del every["seed"]
    if not settings.reward:
        # An experiment that was begun before there were rewards is still the same one.
        del every["reward"]
    peeks = settings.hidden == "peek"
    timed = budget.seconds is not None
    return Recipe(name, make, every, digest, prepare, timed=timed, threads=threads, peeks=peeks, fit=fit)


def _wants_fit(word: str) -> bool:
    if word not in ("true", "false"):
        raise PlayoutError(f"option fit is {word!r}; write fit=false to leave the settings of playout fit aside, or leave it out")
    return word == "true"


def _policy(file: str, game: Game) -> tuple[HasLearned | None, str]:
    """The policy that values leaves, where one is asked for, and what tells its values from those of another."""
    if not file:
        return None, ""
    from playout.learning.embedded import open_value

    policy = open_value(file, game)
    return policy, policy.learned.digest


def split(
    kind: str, words: dict[str, str], beside: Iterable[str] = (), simulations: int = DEFAULT_SIMULATIONS
) -> tuple[Budget, dict[str, str]]:
    """The budget, and the settings as words, out of the options of a search agent; `beside` them it has others, which it reads itself."""
    limits, options, fixed = set(Budget.__struct_fields__), set(Settings.__struct_fields__), PRESETS.get(kind, {})
    for word in words:
        if word not in limits | options:
            raise PlayoutError(f"agent {kind!r} has no option {word!r}; {near(word, limits | options | {*beside})}")
        if word in fixed:
            raise PlayoutError(f"agent {kind!r} always has {word}={fixed[word]}; leave {word} out, or use uct:{word}=...")
    given = {word: value for word, value in words.items() if word in limits}
    if not {"simulations", "seconds"} & given.keys():
        given["simulations"] = str(simulations)
    budget: Budget = read(Budget, given)
    return budget, {word: value for word, value in words.items() if word in options}


def named(budget: Budget, settings: Settings, usual: dict[str, Any], seeded: bool) -> str:
    """The options in one fixed order, so that equal agents have equal names: what is not as usual; a seed only where the user asked for one."""
    plain = msgspec.structs.asdict(Settings(**usual))
    given = {word: value for word, value in msgspec.structs.asdict(budget).items() if value is not None}
    given |= {
        word: value
        for word, value in msgspec.structs.asdict(settings).items()
        if (seeded if word == "seed" else value != plain[word])
    }
    return ",".join(f"{word}={spelled(value)}" for word, value in given.items())
