"""What a search may be told: settings say how it searches, a budget says how long.

Both are immutable and checked when made. The same names serve Python (`Settings(c=1.0)`), agents
(`"uct:c=1.0,simulations=1000"`) and the command line (`--c 1.0`).
"""

from __future__ import annotations

import math
from typing import Any

import msgspec

from playout.engine.layout import SAMPLING
from playout.engine.rules import NAMES, rule_named
from playout.errors import PlayoutError, suggest
from playout.game.game import Game
from playout.game.stream import MOST_TREES

C, CALM = 0.5, 0.03
"""The exploration constants that "auto" means: for actions that are listed, and for real-valued ones."""
USUAL_RULE = "ucb1"
"""The selection rule that "auto" means where nothing speaks for another."""
RAVE = 500.0
"""The visits after which an action's own mean counts as much as what was played elsewhere, where only `grave` was given."""
SCALES = ("range", "raw")
HABITS = ("mast", "ngram")
PLAYOUTS = ("auto", "uniform", "game", *HABITS)
CUTS = ("auto", "returns", "evaluate")
DECISIVE = ("off", "win", "block")
FINALS = ("visits", "mean", "secure", "ucb", "shares")
HIDDEN = ("auto", "none", "ismcts", "mo-ismcts", "pimc", "peek")
PIMC_WORLDS = 20
FPUS = ("auto", "first", "parent")
METHODS = ("auto", "widening", "tables", "gradient", "local", "local-alone")
DERIVATIVES = ("auto", "total", "own")
SLOPES = ("auto", "exact", "differences", "game")
SAMPLINGS = ("uniform", "sequence", "local", "voronoi")
BACKUPS = ("mean", "max", "power")
LASTS = ("auto", "solve", "everywhere", "sample")
MOVED = ("fresh", "decayed", "added")
NUMBERS_OR_WORDS = frozenset({"c", "fpu", "trees", "rave", "cutoff"})
WITHOUT = ("rave", "cutoff")
"""Settings that may be a number or a word; those that the word "off" turns off."""
SWITCHES = frozenset({"transpositions"})
"""Settings that are on, off, or left open to a trial of the game."""
CHOICES: dict[str, tuple[str, ...]] = {
    "scale": SCALES,
    "playout": PLAYOUTS,
    "cut": CUTS,
    "decisive": DECISIVE,
    "decisive_playouts": ("auto", *DECISIVE),
    "final": FINALS,
    "hidden": HIDDEN,
    "method": METHODS,
    "derivative": DERIVATIVES,
    "slopes": SLOPES,
    "sampling": SAMPLINGS,
    "backup": BACKUPS,
    "last": LASTS,
    "moved": MOVED,
}
"""Settings that are one of some words that are always the same."""
NOTHING = {**dict.fromkeys(WITHOUT, "off"), **dict.fromkeys(SWITCHES, "auto")}
"""The word for None, where there is one."""


def choices() -> dict[str, tuple[str, ...]]:
    """Settings that are one of some words, the rules among them, to whose table entries may be added."""
    return {"rule": ("auto", *(name for name in NAMES if not rule_named(name).race)), "root_rule": ("auto", *NAMES), **CHOICES}


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How to search. How rule, scale and c got their defaults is measured in docs/search.md."""

    rule: str = "auto"
    """Selection: "ucb1", "ucb1-tuned", "puct" (with the game's `prior`), "equal" (all actions in turn), or "regret-matching", which draws
    actions in proportion to what they would have brought more. "auto" is "puct" below a race that "auto" chose, where the game has a
    `prior`, else "ucb1"."""
    root_rule: str = "auto"
    """The rule at the root alone, from the same list, or a race in which the worse half falls out round by round: "halving", or "gumbel", among
    the actions that lead by prior and lot. "auto" is "halving" where a short trial of the game finds that results are points, else that of
    `rule`."""
    smooth: bool = False
    """Smooth UCT: now and then, and later ever more often, take an action by the shares of the visits, and not by the rule."""
    mixing: float = 0.1
    """With rule=regret-matching the part of the choices that is spread evenly; with smooth the least part that the rule chooses."""
    c: float | str = "auto"
    """Exploration constant: how much an uncertain action is favoured. "auto" is 0.5; 0.2 where `root_rule` is a race by itself; for real-valued
    actions, whose values are scaled to the range of a few actions, 0.03."""
    fpu: str | float = "auto"
    """First-play urgency. "first" tries every action once before any twice; a number is the value an untried action
    is given; "parent" gives it the mean of its parent. "auto" is "parent" for puct, rave and bias, and "first" for the others."""
    rave: float | str | None = "auto"
    """Judge an action also by what came of playing it anywhere later in a simulation (AMAF): after so many visits its own mean counts as
    much as that. "off" (None): by its own simulations alone. "auto" finds out by a short trial of the game whether actions are
    placed, each once, and many, and is 300 there."""
    grave: int | None = None
    """With rave: take those counts from the last position on the way that has at least so many visits, and not from one that
    was hardly visited."""
    bias: float | None = None
    """Progressive bias: a bonus of bias·prior / (1 + visits) by the game's `prior`, whatever the rule. None: no bonus."""
    implicit: float | None = None
    """Implicit minimax: how much of an action's worth is what the game's `evaluate` says of the best line below it, from 0 to 1; the rest
    is the mean of its simulations. None: the mean alone."""
    scale: str = "range"
    """"range" scales returns to [0, 1] by the lowest and highest seen so far; "raw" takes them as they are."""
    solver: bool = True
    """Prove wins, losses and draws, and stop when the root is proven."""
    prove: float = 0.0
    """The part of the budget, from 0 to 0.9, that a solver gets first (proof numbers and alpha-beta, as in `playout solve`), for games of
    two players without chance and with nothing hidden: if it proves the position, that is the decision."""
    score_bounds: bool = False
    """With the solver, for two players who want the opposite: prove by what a position is worth at least and at most, so that a sure draw
    ends the search of all that allows no more."""
    proof_weight: float = 0.0
    """With the solver: how much an action is favoured whose win is near to a proof, by its proof number (PN-MCTS); 0: not at all."""
    depth: int | None = None
    """The deepest the tree may grow; 1 is one-depth search."""
    playout: str = "auto"
    """"uniform", the game's own `playout_action` ("game"), or what went well in playouts before: by the action and its mover ("mast"), by the
    actions before it, too ("ngram"). "auto" uses the game's where it has one; else it finds out by a short trial whether there are many
    different actions, not placed once and for all, and is "mast" there, and "uniform" elsewhere."""
    epsilon: float = 0.4
    """With playout=mast or ngram: how often an action of a playout is drawn evenly, and not by what went well."""
    playouts: int = 1
    """Playouts per new leaf; their mean counts as one visit."""
    cutoff: int | str | None = "auto"
    """Stop a playout after that many actions and value the state it reached. "off" (None): play to the end. "auto": 4 where the
    game has an `evaluate` and a short trial shows that it tells how random games end."""
    cut: str = "auto"
    """How a cut-off state is valued: the game's "evaluate", or "returns" so far; "auto" evaluates where possible."""
    value: str = ""
    """A learned policy, the file that `playout learn --out` writes: a new leaf is worth what the policy says of it, and one that it
    never saw is played out; or a small network, FILE.small. In Python give the policy itself, `value=Policy.load(file)`."""
    decisive: str = "off"
    """In the tree: "win" takes a win in one; "block" also drops actions that let the opponent win in one."""
    decisive_playouts: str = "auto"
    """The same in playouts. It makes every step dearer, so "auto" finds out by a short trial of the game whether wins in one occur and
    what seeing them costs, and is "block" or "off"; off, too, where the game has playouts of its own."""
    transpositions: bool | None = None
    """Share what is known of a position between the paths that reach it, by the game's `key`. Left open, a short trial of the game decides
    by how many orders of actions lead to one position."""
    graph: bool = False
    """A true graph: a position has one value, which all paths to it use; more than `transpositions`, which it includes."""
    hidden: str = "auto"
    """What to do about hidden information. "ismcts" draws a world for every simulation, and the tree knows only what the
    mover can tell apart; "mo-ismcts" gives every player a tree of its own observations; "pimc" searches some worlds (`trees`)
    with open cards and adds up; "peek" CHEATS: it searches the state as it is. "auto": ismcts where the game hides anything."""
    open_loop: bool = False
    """With hidden information: positions are told apart by the actions alone, and not by what was seen after them."""
    redraw: bool = False
    """With hidden information: at a node of another player draw the world anew from what that player knows."""
    method: str = "auto"
    """In a continuous game: "widening" only adds actions; "tables" also solves the replies of later movers on grids of what matters to
    them; "gradient" moves actions along derivatives; "local" moves them to the best of a few points nearby, and "local-alone" does that to
    one line without a tree. "auto" is "gradient", and in boxes without chance, where total derivatives would be too dear at every
    stage, "tables" if replies fit into them, else "widening"."""
    width: float = 2.0
    """Continuous: after N visits a position has at most width·N^power actions."""
    power: float = 0.5
    """Continuous: see `width`."""
    sampling: str = "sequence"
    """Continuous: where new actions are tried. "uniform"; "sequence" fills the set evenly, and goes near the best last action, whose
    value is exact; "local" mixes the even points with others around the best so far, ever nearer; "voronoi" mixes them with points
    that are nearest to the best so far."""
    borrow: bool = True
    """Continuous: every other new answer to an action is the best answer to the nearest action that is better known."""
    backup: str = "max"
    """Continuous: the value of a position is the "mean" of its simulations, the value of its best action ("max"), or the "power"
    mean of its actions' values."""
    exponent: float = 8.0
    """Continuous: the exponent of the power mean; 1 is the mean, and the higher the nearer to the maximum."""
    last: str = "auto"
    """Continuous: the last action of a line is taken uphill to a maximum of its mover ("solve"), looked for in the whole box
    before ("everywhere", for games with many local optima), or tried as it comes ("sample"). "auto" for method=gradient: everywhere
    where a look at the game finds several tops or kinks, else solved."""
    refine: float = 1.0
    """Continuous: how many times per simulation actions are moved, as far as `evaluations` allows."""
    evaluations: float = 40.0
    """Continuous: the most payoff evaluations per simulation, on average, up to which actions are moved, or tables of replies filled;
    three times as many where total derivatives begin at a later stage than the first."""
    derivative: str = "auto"
    """Continuous, gradient: "total" derivatives, through the best replies of those who move later, or every mover's "own" partial
    derivative. "auto" is total where that is affordable."""
    slopes: str = "auto"
    """Continuous: where derivatives come from: "exact" (complex steps through `payoffs`), "differences", or the "game" itself.
    "auto": the game's where it has them, exact where the payoff is analytic, else differences."""
    rate: float = 0.001
    """Continuous: the length of a step along own derivatives."""
    branches: int = 5
    """Continuous, local: points per stage."""
    distance: float = 0.001
    """Continuous, local: the least distance of the points, as a part of the set; the largest is a tenth of it."""
    moved: str = "added"
    """Continuous: a moved action is "added" beside the old one, or takes its place and has its subtree "decayed" or "fresh"."""
    observation_width: float | None = None
    """How many outcomes of an action (of chance, or of what is seen) get positions of their own: at most
    observation_width · visits^observation_power, at least one; further ones share. None: every one has its own."""
    observation_power: float = 0.5
    """How fast that number grows with the visits of the action."""
    discount: float = 1.0
    """What a reward one action later is worth now."""
    reward: str = ""
    """The reward that this search goes by, where the game knows several (its `rewards`): what it aims for, whatever the referee counts.
    Without it: the returns of the game."""
    final: str = "visits"
    """The choice at the end: most "visits", highest "mean", "secure" (highest lower bound), highest "ucb" weight, or drawn by the "shares" of
    the visits. Where the root's rule is "equal", whose visits tell nothing, "visits" is taken for "mean"; where it is "regret-matching",
    whose visits are a mixture, for "shares"."""
    early_stop: bool = False
    """Stop when the most visited action can no longer be overtaken by visits (a later proof could still change the choice)."""
    batch: int = 16
    """With an evaluator: leaves that are evaluated together, while others are on their way; part of what a seed reproduces."""
    trees: int | str = "auto"
    """Independent trees whose statistics are added up; part of what a seed reproduces. A number of them share a budget evenly. "auto": a
    main tree with three quarters of it and 7 witnesses, which give a second opinion, or 3 for real-valued actions; one tree below 4,000
    simulations (8,000 for real-valued actions), and where leaves are valued without chance, so that all trees would be alike."""
    threads: int | None = None
    """Threads that work on the trees; changes the speed, never the result. None: one per tree, up to the cores."""
    seed: int = 0
    """The seed of everything random."""

    def __post_init__(self) -> None:
        for name, known in choices().items():
            _one_of(name, getattr(self, name), known)
        for name in WITHOUT:
            if isinstance(word := getattr(self, name), str) and word != "auto":
                raise PlayoutError(f"{name} is {word!r}; give a number, auto or off")
        self._check_numbers()
        if isinstance(self.fpu, str):
            _one_of("fpu", self.fpu, FPUS)
        elif not math.isfinite(self.fpu):
            raise PlayoutError(f"fpu is {self.fpu}; give a finite number, or one of {', '.join(FPUS)}")
        if self.c != "auto" and (isinstance(self.c, str) or not (math.isfinite(self.c) and self.c >= 0)):
            raise PlayoutError(f"c is {self.c}; the exploration constant must be a finite number, 0 or more")
        if not 0 <= self.prove <= 0.9:
            raise PlayoutError(f"prove is {self.prove:g}; it must be from 0 to 0.9, the part of the budget that the solver gets")
        if self.prove and not self.solver:
            raise PlayoutError(f"prove={self.prove:g} and solver=False contradict each other; leave one of them out")
        if not 0 <= self.proof_weight <= 1000:
            raise PlayoutError(f"proof_weight is {self.proof_weight}; it must be from 0 to 1,000")
        if not 0 < self.discount <= 1:
            raise PlayoutError(f"discount is {self.discount}; it must be above 0 and at most 1")
        cutoff = None if isinstance(self.cutoff, str) else self.cutoff
        for name, value in (("depth", self.depth), ("cutoff", cutoff), ("threads", self.threads)):
            if value is not None and value < (0 if name == "cutoff" else 1):
                raise PlayoutError(
                    f"{name} is {value}; it must be at least {0 if name == 'cutoff' else 1}, or {'off' if name == 'cutoff' else 'left out'} for no limit"
                )
        if self.observation_width is not None and not 0 < self.observation_width < math.inf:
            raise PlayoutError(
                f"observation_width is {self.observation_width}; give a number above 0, or leave it out for no limit"
            )
        if not 0 <= self.observation_power <= 1:
            raise PlayoutError(f"observation_power is {self.observation_power}; it must be from 0 to 1")
        for name, count, most in (
            ("playouts", self.playouts, 1_000_000),
            ("trees", 1 if self.trees == "auto" else self.trees, MOST_TREES),
            ("batch", self.batch, 4096),
        ):
            if isinstance(count, str) or not 1 <= count <= most:
                raise PlayoutError(f"{name} is {count}; it must be from 1 to {most:,}{', or auto' * (name == 'trees')}")
        if not 0 <= self.seed < 1 << 63:
            raise PlayoutError(f"seed is {self.seed}; it must be a whole number from 0 to 2**63 - 1")
        if self.early_stop and self.final != "visits":
            raise PlayoutError(f"early_stop counts visits and cannot be used with final={self.final!r}; use final='visits'")
        if rule_named(self.at_root).race:
            self._check_race()

    def _check_race(self) -> None:
        """What a race at the root does not go together with."""
        for name, wrong in (("early_stop", self.early_stop), ("final", self.final in ("ucb", "shares"))):
            if wrong:
                raise PlayoutError(
                    f"{name}={getattr(self, name)} goes by visits and weights, and with root_rule={self.root_rule} who is left in the race "
                    f"decides; leave {name} out"
                )

    def _check_numbers(self) -> None:
        """Numbers that lie between two others; most are read by continuous games alone."""
        for name, low, high in (
            ("width", 1e-6, 1e6),
            ("power", 0.0, 1.0),
            ("exponent", 1.0, 1000.0),
            ("refine", 0.0, 1000.0),
            ("evaluations", 1.0, 1e9),
            ("rate", 1e-12, 10.0),
            ("distance", 1e-12, 1.0),
            ("rave", 1e-3, 1e12),
            ("grave", 1, 1e9),
            ("epsilon", 0.0, 1.0),
            ("mixing", 0.001, 1.0),
            ("bias", 0.0, 1e6),
            ("implicit", 0.0, 1.0),
        ):
            value = getattr(self, name)
            if value is not None and value != "auto" and not low <= value <= high:
                raise PlayoutError(f"{name} is {value}; it must be from {low:g} to {high:g}")
        if not 2 <= self.branches <= 16:
            raise PlayoutError(f"branches is {self.branches}; it must be from 2 to 16")

    @property
    def at_root(self) -> str:
        """The selection rule at the root."""
        return self.below if self.root_rule == "auto" else self.root_rule

    @property
    def below(self) -> str:
        """The selection rule everywhere else."""
        return USUAL_RULE if self.rule == "auto" else self.rule

    @property
    def matching(self) -> bool:
        """Whether regrets are kept anywhere."""
        return rule_named(self.below).regrets or rule_named(self.at_root).regrets

    @property
    def priors(self) -> bool:
        """Whether anything reads priors."""
        return rule_named(self.below).priors or rule_named(self.at_root).priors or self.bias is not None

    @property
    def by_sight(self) -> bool:
        """Whether positions are told apart by what is seen after an action; asked of settings that were fitted to a game."""
        return self.hidden in SAMPLING or self.observation_width is not None

    def fitted(self, game: Game) -> Settings:
        """These settings with every "auto" decided for a game, or a sentence on what the game lacks."""
        from playout.planner.resolve import resolved

        return resolved(self, game)

    def trial(self, game: Game) -> str:
        """What "auto" was decided by, where a short trial of the game did, in words."""
        from playout.planner.resolve import tried

        return tried(self, game)


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """How long to search: whichever ends first. `Budget(simulations=10_000)`, `Budget(seconds=2)`."""

    simulations: int | None = None
    """Simulations, over all trees."""
    seconds: float | None = None
    """Wall-clock seconds."""
    memory: float | None = None
    """Megabytes for the trees (default 2,000); at the cap the search goes on without growing."""

    def __post_init__(self) -> None:
        if self.simulations is not None and not 1 <= self.simulations <= 2_000_000_000:
            raise PlayoutError(f"simulations is {self.simulations}; give a whole number from 1 to 2,000,000,000")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise PlayoutError(f"seconds is {self.seconds}; give a number above 0")
        if self.memory is not None and not 0 < self.memory < math.inf:
            raise PlayoutError(f"memory is {self.memory}; give a number of megabytes above 0")
        if self.simulations is None and self.seconds is None:
            raise PlayoutError("the budget is empty, so the search would never end: give simulations, seconds, or both")


def _one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise PlayoutError(f"{name} is {value!r}; {suggest(str(value), known)}")
