"""`Search`: one game, its settings, and the trees that are kept between moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from playout.compile import bind
from playout.engine.layout import SAMPLING
from playout.errors import PlayoutError
from playout.game.continuous import action_words
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State
from playout.game.stream import PIMC_WORLD, Stream
from playout.planner.advised import Prior, advise, check_prior
from playout.planner.decision import Decision
from playout.planner.fit import sentences, used
from playout.planner.learned import HasLearned, Learned, learned_of
from playout.planner.opinion import ENOUGH, REAL_ENOUGH, REAL_WITNESSES, ROOM, WITNESSES
from playout.planner.options import extra_of
from playout.planner.rejection import sampler
from playout.planner.run import Choice, Run
from playout.planner.settings import Budget, Settings
from playout.planner.store import check_given, check_policy, load_trees, read_trees, save_trees
from playout.planner.survey.surveyor import WORLDS, check_asked, survey
from playout.planner.tree import SearchTree
from playout.planner.waiting import Evaluator, WaitingTree, check_evaluator, plays_out
from playout.planner.words import near, read

OWN_TREES = 4096
"""The most trees that a search holds itself."""


class Search:
    """A search of one game that keeps its trees: run it, play an action, run on.

    >>> import playout
    >>> search = playout.Search(playout.load("tic-tac-toe"), seed=1)
    >>> decision = search.run(simulations=1000)
    >>> state = search.play(decision.action)
    >>> search.run(simulations=1000).mover
    1
    """

    def __init__(
        self,
        game: Game | str,
        settings: Settings | None = None,
        *,
        compiled: bool = True,
        clock: Callable[[], float] = time.perf_counter,
        value: HasLearned | str | None = None,
        evaluator: Evaluator | None = None,
        prior: Prior | None = None,
        fit: bool | Budget = True,
        **changes: Any,
    ) -> None:
        """Without settings of its own it takes those that `playout fit` found for the game, unless `fit` is False.

        Where there are several, `fit` may be the budget that it is going to have: it takes those that were found nearest to it.
        `prior` is asked once for every decision, how much each action of the root deserves to be tried (`planner.advised`).
        """
        self.game = load(game)
        own = [*changes, *(["value"] if value else []), *(["evaluator"] if evaluator is not None else [])]
        found, fitted = used(self.game, own, bool(fit) and settings is None, fit if isinstance(fit, Budget) else None)
        base = settings or Settings()
        changes = {**({} if found is None else found.settings), **changes}
        self.evaluator, self.prior = evaluator, prior
        if prior is not None and settings is None:
            changes.setdefault("root_rule", "puct")
        if evaluator is not None and (
            changes.get("smooth") or "regret-matching" in (changes.get("rule"), changes.get("root_rule"))
        ):
            raise PlayoutError(
                "an evaluator has several simulations out at a time, and regrets and smooth follow one; leave one of them out"
            )
        if evaluator is not None and settings is None:
            # It gives priors, and this is the rule that reads them; and what it values is what the search is to go by.
            changes.setdefault("rule", "puct")
            changes.setdefault("reward", getattr(evaluator, "reward", ""))
        self.learned = learned_of(self.game, base.value if value is None else value)
        if self.learned is not None and self.learned.network is not None and settings is None:
            changes.setdefault("rule", "puct")
        changes["value"] = "" if self.learned is None else self.learned.name
        given: Settings = read(Settings, {**msgspec.structs.asdict(base), **changes})
        if evaluator is not None:
            check_evaluator(self.game, given, getattr(evaluator, "reward", given.reward), plays_out(evaluator))
            # Nothing it says is left to chance, so that all trees would be alike.
            trees = 1 if given.trees == "auto" else given.trees
            plain: dict[str, Any] = {"rave": None, "transpositions": bool(given.transpositions), "trees": trees}
            if not plays_out(evaluator):
                playout = "uniform" if given.playout == "auto" and not self.game.has("playout_action") else given.playout
                plain |= {"decisive_playouts": "off", "cutoff": None, "playout": playout}
            given = msgspec.structs.replace(given, **plain)
        if given.bias is not None and evaluator is None and not self.game.has("prior"):
            raise PlayoutError(
                f"bias={given.bias} needs the game's prior, which {self.game.name!r} does not define; define it or leave bias out"
            )
        self.settings = given.fitted(self.game)
        if prior is not None:
            check_prior(self.game, self.settings, evaluator is not None)
        self.provable = given.solver and given.discount == 1
        self.ignored = _ignored(self.game, given)
        self.auto = sentences(fitted, given.trial(self.game))
        self.binding = bind(self.game, compiled, features_of(self.settings, self.learned, evaluator), search=True)
        if self.game.rejects:
            sampler(self.game, self.binding)
        self.clock = clock
        self.prover: Any = None
        self.passing = False
        """Whether to decide at once, without a simulation, where there is one legal action: agents and commands do. A search that is told
        to run by itself runs: what comes after the only action may be what is asked about."""
        self.trees: list[SearchTree] = []
        self.kept = ""
        self._root: State | None = None
        self._followed = False
        self._run: Run | None = None

    @property
    def state(self) -> State | None:
        """The state that the kept trees start from."""
        return self._root if self.trees else None

    def run(self, state: State | None = None, budget: Budget | None = None, **limits: Any) -> Decision:
        """Search and decide: `run(state, seconds=2)`. Ctrl-C gives the best so far.

        Without a state the search goes on from where it is (or from the start of the game). With the state that the
        trees already start from, they are kept; with any other state they are made anew.
        """
        *_, decision = self.iterate(state, budget, every=float("inf"), **limits)
        return decision

    def iterate(
        self, state: State | None = None, budget: Budget | None = None, *, every: float = 0.1, **limits: Any
    ) -> Iterator[Decision]:
        """Partial decisions about every so many seconds, and the final one last (its `stopped` is not "running")."""
        return self._begin(state, budget, limits).steps(every)

    def choose(self, state: State | None = None, budget: Budget | None = None, **limits: Any) -> Choice:
        """Search and choose, quickly: the action that `run` decides for and its visits, without table, line and intervals.

        >>> import playout
        >>> playout.Search("tic-tac-toe", seed=1).choose(simulations=2000).action
        4
        """
        return self._begin(state, budget, limits).choose()

    def _begin(self, state: State | None, budget: Budget | None, limits: dict[str, Any]) -> Run:
        limit = _limit(budget, limits)
        if isinstance(self.settings.trees, int) and self.settings.trees > OWN_TREES:
            raise PlayoutError(
                f"trees is {self.settings.trees:,}; more than {OWN_TREES:,} grow side by side: use playout.search_wide, or --device cpu or cuda"
            )
        self._settle_on(state)
        if limit.simulations is not None and limit.simulations >= self.enough and not self.only:
            self.call_witnesses(limit)
        run = self._run = Run(self, limit)
        if self.prior is not None and not self.only:
            advise(self.trees, self.prior, run.most_bytes)
        return run

    def interrupt(self) -> None:
        """End the search that goes on in another thread, within some hundredths of a second; what it found so far counts.

        Its decision says `stopped="interrupted"`, as after Ctrl-C. One that has not begun to simulate makes its first simulations before.
        """
        if self._run is not None:
            self._run.halting = True

    @property
    def only(self) -> bool:
        """Whether the search passes over where it is: one legal action, so that no simulation could change the choice."""
        return self.passing and self._root is not None and not self.game.continuous and len(self._root.legal) == 1

    @property
    def enough(self) -> int:
        """Simulations from which on there are witnesses."""
        return REAL_ENOUGH if self.game.continuous else ENOUGH

    def call_witnesses(self, budget: Budget) -> None:
        """Trees for a second opinion beside the main one, where there are to be any, and room for them."""
        if self.settings.trees == "auto" and (budget.memory is None or budget.memory >= ROOM):
            assert self._root is not None
            many = REAL_WITNESSES if self.game.continuous else WITNESSES
            self.trees += [self.plant(self._root, number) for number in range(len(self.trees), 1 + many)]

    def survey(self, decision: Decision, worlds: int = WORLDS, simulations: int | None = None) -> Decision:
        """The same decision with a survey: so many worlds, apart from those of the search, each searched with open cards.

        It tells in how many worlds each action was best, how outcomes spread, and what would change the mind. It has no say
        in the decision and leaves the trees as they are. Where nothing is hidden the decision comes back as it is.

        >>> import playout
        >>> search = playout.Search("kuhn-poker", seed=1, compiled=False)
        >>> decision = search.survey(search.run(simulations=200), worlds=10, simulations=50)
        >>> [(a.name, a.best) for a in decision.survey.actions]
        [('check', 10), ('bet', 10)]
        """
        return msgspec.structs.replace(decision, survey=survey(self, decision, worlds, simulations))

    def play(self, action: Any) -> State:
        """Play an action from the searched state, keep what the trees know below it, and return the new state."""
        if self.state is None:
            raise PlayoutError("nothing was searched yet: call run(state) before play(action)")
        state = self.state
        chosen = state.find(action)
        after = state.play(chosen)
        self.follow(chosen, after)
        return after

    def follow(self, action: Any, state: State) -> None:
        """Move the root along an action that led to `state` (which a referee may have played with its own stream)."""
        self.trees = [
            tree if self._moves(tree, action, state) else self.plant(state, number) for number, tree in enumerate(self.trees)
        ]
        self._root, self._followed = state, True
        if self.game.continuous and self.trees:
            self.kept = _kept_words(action, self.trees[0])

    def _moves(self, tree: SearchTree, action: int, state: State) -> bool:
        if not state.over and tree.settings.hidden in SAMPLING and _all_seen(state):
            return False  # a new tree can prove what is left
        return tree.move_root(action, state)

    def starts_from(self, state: State) -> bool:
        """Whether the trees start from this state; where worlds are drawn, from one that its mover cannot tell from it."""
        known = self.state
        if known is None or known == state or self.settings.hidden not in SAMPLING:
            return known == state
        return known.mover == state.mover and known.observed(state.mover) == state.observed(state.mover)

    def plant(self, state: State, number: int) -> SearchTree:
        """A tree with one simulation's worth of nothing in it."""
        settings = self.settings_in(state)
        if settings.hidden == "pimc":
            state = state.world(state.mover, Stream(settings.seed, number, PIMC_WORLD))
        return self.tree(settings, state, number)

    def settings_in(self, state: State) -> Settings:
        """The settings of a tree that starts there. Where nothing is hidden any more, the state is its only world, and can be proven."""
        return self.settings if self.settings.hidden not in SAMPLING or not _all_seen(state) else self.all_seen

    @property
    def all_seen(self) -> Settings:
        """The settings of a tree where nothing is hidden any more."""
        return msgspec.structs.replace(self.settings, hidden="peek", solver=self.provable, observation_width=None)

    def tree(self, settings: Settings, state: State, number: int) -> SearchTree:
        """An empty tree for this search's game, kernels and evaluator."""
        if self.evaluator is not None:
            return WaitingTree(self.binding, settings, state, number, self.evaluator)
        return SearchTree(self.binding, settings, state, number, self.learned)

    def _settle_on(self, state: State | None) -> None:
        if state is None:
            state = self.state or self.game.start(self.settings.seed)
        if state.game.spec != self.game.spec:
            raise PlayoutError(f"the state is of {state.game.spec}, the search of {self.game.spec}; search it with its own game")
        if state.over:
            raise PlayoutError(f"the game of {self.game.name} is over in this state: there is nothing to decide")
        if self.trees and self._followed and self.settings.hidden in SAMPLING:
            # Since the trees were moved, others may have acted; what is seen now says where to.
            self.trees = [tree if tree.meet(state) else self.plant(state, number) for number, tree in enumerate(self.trees)]
            self._root = state
        elif self.state is None or self.state != state:
            trees = self.settings.trees
            self.trees = [self.plant(state, number) for number in range(1 if isinstance(trees, str) else trees)]
            self._root, self.kept = state, ""
        self._followed = False

    def save(self, file: str | Path) -> Path:
        """Save the trees to a file."""
        if not self.trees:
            raise PlayoutError("nothing was searched yet, so there is no tree to save: call run(state) before save(file)")
        return save_trees(self.trees, file)

    @classmethod
    def load(
        cls,
        file: str | Path,
        game: Game | str | None = None,
        *,
        compiled: bool = True,
        value: HasLearned | None = None,
        evaluator: Evaluator | None = None,
    ) -> Search:
        """Go on with a saved search: its game, settings and trees; and with its policy or evaluator, which are not in the file."""
        meta, columns = read_trees(file)
        settings: Settings = read(Settings, meta["settings"])
        check_policy(file, meta, settings, value)
        check_given(file, meta, evaluator is not None)
        search = cls(game if game is not None else meta["game"], settings, compiled=compiled, value=value, evaluator=evaluator)
        search.trees = load_trees(file, search, meta, columns)
        search._root = search.trees[0].root
        return search


def features_of(settings: Settings, learned: Learned | None, evaluator: Evaluator | None) -> set[str]:
    """What the kernels of a search must be able to do, beyond what its game asks for."""
    asked = {
        "worlds": settings.by_sight,
        "learned": learned is not None,
        "embedded": learned is not None and learned.network is not None,
        "discount": settings.discount != 1.0,
        "waiting": evaluator is not None,
        "guided": plays_out(evaluator),
        "extra": extra_of(settings),
        "tables": settings.method == "tables",
        "graph": settings.graph,
        "bounds": settings.score_bounds,
        "numbers": settings.proof_weight > 0,
    }
    return {name for name, needed in asked.items() if needed}


def _ignored(game: Game, given: Settings) -> str:
    """What was said about hidden information in vain, as a sentence."""
    asked = [
        f"{name}={getattr(given, name)}"
        for name in ("hidden", "open_loop", "redraw")
        if getattr(given, name) not in ("auto", "none", False)
    ]
    if game.hidden or not asked:
        return ""
    return f"nothing is hidden in {game.name}, so {' and '.join(asked)} changed nothing: this is the plain search"


def _kept_words(action: Any, tree: SearchTree) -> str:
    """What is left of a tree of real-valued actions after one of them was played: of a new one, nothing."""
    name = action_words(action)
    if not tree.visits:
        return f"nothing was known of what follows {name}, so the tree begins anew"
    return f"{tree.visits:,} visits after {name} were kept from before"


def _all_seen(state: State) -> bool:
    """Whether the only player knows everything: drawing a world draws nothing. With others, they may still be in the dark."""
    if state.game.players > 1:
        return False
    if state.game.rejects:
        return state.observed(state.mover) == bytes(state)
    stream = Stream.at(state.word)
    state.game.functions["determinize"](state.fields, state.mover, stream)
    return stream.word == state.word


def _limit(budget: Budget | None, limits: dict[str, Any]) -> Budget:
    """A budget, given as one or in its parts."""
    if budget is not None and limits:
        raise PlayoutError("give a budget or its parts (simulations, seconds, memory), not both")
    return budget or read(Budget, limits)


WORDS = frozenset(
    {
        *Settings.__struct_fields__,
        *Budget.__struct_fields__,
        "budget",
        "settings",
        "survey",
        "compiled",
        "clock",
        "evaluator",
        "fit",
    }
)
"""What `search` may be told: how, how long, and what else."""


def search(
    state: State | Game | str, budget: Budget | None = None, *, settings: Settings | None = None, **words: Any
) -> Decision:
    """Search a state (or the start of a game) once: `search("connect-four", simulations=10_000, c=1.4, seed=7)`.

    `survey=40` surveys so many worlds besides, where anything is hidden; see `Search.survey`.

    >>> import playout
    >>> playout.search("tic-tac-toe", simulations=2000, seed=1).name
    'b2'
    """
    for word in words:
        if word not in WORDS:
            raise PlayoutError(f"unknown option {word!r}; {near(word, WORDS)}")
    worlds = words.pop("survey", 0)
    if worlds:
        check_asked(worlds, None)
    where = state if isinstance(state, State) else None
    game = where.game if where is not None else load(state)  # type: ignore[arg-type]
    limits: dict[str, Any] = {name: words.pop(name) for name in ("simulations", "seconds", "memory") if name in words}
    budget = _limit(budget, limits)
    engine = Search(game, settings, **{**words, "fit": words.get("fit", True) and budget})
    decision = engine.run(where, budget)
    return engine.survey(decision, worlds) if worlds else decision
