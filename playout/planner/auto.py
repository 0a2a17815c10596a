"""What "auto" comes to where only the game at hand can tell: what it declares (`search_settings`), else settings by a short trial of it
(`tryout`), and the sentence that says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from playout.errors import GameError, PlayoutError
from playout.game.game import Game
from playout.planner.settings import USUAL_RULE
from playout.planner.tryout import decisive_cost, few, orders, placing, random_game, share_explained, share_of_wins

if TYPE_CHECKING:
    from playout.planner.settings import Settings

GAMES, POSITIONS = 8, 60
"""Random games that a trial plays, and the positions of them that it looks at for wins."""
MORE_GAMES = 24
"""Random games for what `evaluate` is worth, which every game has one result to tell about."""
DEAREST, RAREST, BROADEST = 7.5, 0.05, 40.0
"""A decisive step may cost so many plain ones, so many positions must have a win in one, and so many actions may be legal in one on
average: see the table in docs/search.md."""
BROAD = 35.0
"""So many actions must be legal in a position, on average, for what was played later to tell more than it costs."""
MANY, SOME = 30, 5.0
"""So many actions the game must have, and so many legal ones a position, on average, for habits to be learnt."""
TELLING = 0.15
"""The part of the differences between the results of random games that `evaluate` must explain for playouts to be cut off by it."""
MEETING = 3.0
"""So many orders of three actions must lead to one position, on average, for positions to be shared between the paths that reach them."""
PLACED, CUT = 300.0, 4
"""What `rave` and `cutoff` are then."""
MANIFOLD, RACE, NEAR, GUIDED = 6, "halving", 0.2, "puct"
"""So many different results of the random games make a game of points, where the differences between actions are small beside the whole
range; and what `root_rule`, `c` and, with a `prior`, `rule` are then."""


class Trial(NamedTuple):
    """What was found out about a game."""

    cost: float
    """Of a step of a decisive playout, in steps of a plain one."""
    wins: float
    """The share of positions in which the mover can win at once; 0 where the cost was enough to decide."""
    breadth: float
    """Legal actions in a position, on average."""
    placing: bool
    """Whether actions are played once, and all others stay."""
    ids: int
    """Different actions that the game has."""
    tells: float
    """The part of the differences between results that the game's `evaluate` explains; 0 where it has none."""
    orders: float = 0.0
    """In how many orders three actions lead to one position."""
    picks: bool = False
    """Whether playouts of the game draw an action without a list: a plain step is counted with one all the same."""

    @property
    def decisive(self) -> bool:
        """Whether playouts had better be decisive."""
        return self.cost <= DEAREST and self.wins >= RAREST and self.breadth <= BROADEST

    @property
    def elsewhere(self) -> bool:
        """Whether an action had better be judged by what it brought elsewhere, too."""
        return self.placing and self.breadth >= BROAD

    @property
    def habits(self) -> bool:
        """Whether playouts had better learn which actions went well; where things are placed `elsewhere` tells the same, and better."""
        return not self.placing and self.ids >= MANY and self.breadth >= SOME

    @property
    def cut(self) -> bool:
        """Whether playouts had better be cut off and evaluated."""
        return self.tells >= TELLING

    @property
    def meeting(self) -> bool:
        """Whether positions had better be shared between the paths that reach them."""
        return self.orders >= MEETING


class Chosen(NamedTuple):
    """What "auto" comes to; what was set by hand stays as it was set. What neither the game nor a trial says anything of stays "auto"."""

    c: float | str
    rule: str
    root_rule: str
    fpu: float | str
    decisive_playouts: str
    playout: str
    rave: float | None
    cutoff: int | None
    transpositions: bool
    hidden: str
    words: str
    """Why, for what a trial decided."""


def choose(settings: Settings, game: Game) -> Chosen:
    """The settings that "auto" stands for in a game."""
    from playout.planner.words import spelled

    own = settings.playout == "game" or (settings.playout == "auto" and game.has("playout_action"))
    # All three go by whole playouts, one to a simulation. Wins and evaluate are those of the returns, not of another reward.
    plain = settings.playouts == 1 and settings.discount == 1 and not settings.value
    asked = {
        "decisive_playouts": settings.decisive_playouts == "auto" and not own and not settings.reward,
        "playout": settings.playout == "auto" and not own and plain,
        "rave": settings.rave == "auto" and plain and _by_itself(settings),
        "cutoff": settings.cutoff == "auto" and plain and not settings.reward,
        "transpositions": settings.transpositions is None and settings.discount == 1 and settings.observation_width is None,
    }
    found = trial(game) if any(asked.values()) else None
    reasons = {} if found is None else _reasons(found)
    chosen = {name: reasons[name] for name, wanted in asked.items() if wanted and name in reasons}
    # What the game declares goes by its returns and the usual rule; so does the race of a game of points.
    plainly = plain and not settings.reward and settings.below == USUAL_RULE and not settings.smooth
    wanted = declared(game) if plainly else {}
    open_root = plainly and settings.root_rule == "auto" and "root_rule" not in wanted and _may_race(settings)
    if open_root and (count := results(game)) >= MANIFOLD:
        said = f"the actions race at the root ({RACE}): results are points, {count} different ones in {GAMES} random games"
        chosen["root_rule"] = (RACE, said)
        if settings.c == "auto":
            chosen["c"] = (NEAR, f"c is {NEAR:g}, since actions differ by a small part of their range")
        if settings.rule == "auto" and game.has("prior") and settings.rave in ("auto", None) and settings.grave is None:
            # What was played elsewhere is for the usual rule.
            chosen.pop("rave", None)
            chosen["rule"] = (GUIDED, f"below the root the game's prior says what is tried first ({GUIDED})")
    narrow = settings.observation_width is not None
    # Trees for every player have no shared outcomes, and look at what everybody sees.
    fits = {
        "rave": _by_itself(settings),
        "transpositions": not narrow,
        "hidden": not (narrow or settings.open_loop or settings.redraw),
        "root_rule": _may_race(settings),
    }
    for name, value in wanted.items():
        if _left_open(settings, name) and fits.get(name, True):
            chosen[name] = (value, f"{name}={spelled(value)}, as the game declares")
    usual = {
        "c": "auto",
        "rule": USUAL_RULE,
        "root_rule": "auto",
        "fpu": "auto",
        "decisive_playouts": "off",
        "playout": "game" if own else "uniform",
        "rave": None,
        "cutoff": None,
        "transpositions": False,
        "hidden": "auto",
    }
    values = {
        name: chosen.get(name, (usual[name], ""))[0] if _left_open(settings, name) else getattr(settings, name) for name in usual
    }
    return Chosen(**values, words="; ".join(said for _, said in chosen.values()))


DECLARED = ("c", "root_rule", "fpu", "rave", "playout", "cutoff", "decisive_playouts", "transpositions", "hidden")
"""The settings that "auto" can stand for, and so a game may declare."""
HONEST = ("ismcts", "mo-ismcts")
"""What a game may declare of how hidden information is searched: nothing that cheats, and nothing that needs a number of trees."""


def declared(game: Game) -> dict[str, Any]:
    """The settings that the game wants to be searched with, or a sentence on what it may not want."""
    from playout.planner.settings import Settings
    from playout.planner.words import near, read

    for name in game.search_settings:
        if name not in DECLARED:
            raise GameError(
                f"game {game.name!r}: search_settings has {name!r}, which no game can choose for its searches; {near(name, DECLARED)}"
            )
    try:
        wanted = read(Settings, game.search_settings)
    except PlayoutError as error:
        raise GameError(f"game {game.name!r}, search_settings: {error}") from None
    if "hidden" in game.search_settings and wanted.hidden not in HONEST:
        raise GameError(
            f"game {game.name!r}: search_settings has hidden={wanted.hidden}; a game can choose {' or '.join(HONEST)}, and the rest is for "
            "whoever searches"
        )
    return {name: getattr(wanted, name) for name in game.search_settings}


def _left_open(settings: Settings, name: str) -> bool:
    """Whether "auto" is to decide: a switch has no word for that, and is None."""
    return getattr(settings, name) == "auto" or (name == "transpositions" and settings.transpositions is None)


def _by_itself(settings: Settings) -> bool:
    """Whether nothing is set that RAVE does not go together with, or would be another search with."""
    alone = not settings.graph and settings.grave is None and settings.proof_weight == 0 and settings.observation_width is None
    return alone and not settings.smooth and settings.below == USUAL_RULE and settings.fpu == "auto" and settings.final != "ucb"


def _may_race(settings: Settings) -> bool:
    """Whether nothing is set that a race at the root does not go together with; it has a plan for a tree, not for equal ones side by side."""
    alone = settings.trees in ("auto", 1) and not settings.early_stop and settings.final not in ("ucb", "shares")
    return alone and settings.hidden != "pimc" and settings.bias is None and settings.depth is None


def _reasons(found: Trial) -> dict[str, tuple[Any, str]]:
    """What the trial decides: the setting, and why."""
    reasons: dict[str, tuple[Any, str]] = {"decisive_playouts": ("block" if found.decisive else "off", _of_decisive(found))}
    if found.habits:
        said = f"playouts prefer what went well before (mast): with {found.ids} different actions there is something to learn"
        reasons["playout"] = ("mast", said)
    if found.elsewhere:
        reasons["rave"] = (
            PLACED,
            "an action is also judged by what it brought when it was played later (rave): what is placed stays",
        )
    if found.cut:
        said = f"playouts end after {CUT} actions by the game's evaluate, which tells {found.tells:.0%} of the differences between results"
        reasons["cutoff"] = (CUT, said)
    if found.meeting:
        said = f"positions are shared between the paths to them (transpositions): three actions lead to one in {found.orders:.1f} orders"
        reasons["transpositions"] = (True, said)
    return reasons


def _of_decisive(found: Trial) -> str:
    plain = "plain ones" + " that list the actions" * found.picks
    if found.cost > DEAREST:
        return f"playouts look for no win in one: a step would cost about {found.cost:.0f} {plain}"
    if found.wins >= RAREST and not found.decisive:
        return f"playouts look for no win in one: with {found.breadth:.0f} actions in a position, it is too far away"
    if not found.decisive:
        return f"playouts look for no win in one: it is there in {found.wins:.0%} of positions only"
    return (
        f"playouts take a win in one and block one: {found.wins:.0%} of positions have one, and a step costs about {found.cost:.1f} "
        f"{plain}"
    )


_trials: dict[int, tuple[Game, Trial | None]] = {}


def trial(game: Game) -> Trial | None:
    """The trial of a game, made once; None for those where it can tell nothing."""
    if id(game) not in _trials:
        _trials[id(game)] = (game, _try(game))
    return _trials[id(game)][1]


_results: dict[int, tuple[Game, int]] = {}


def results(game: Game) -> int:
    """How many different results random games have for the first player, counted once; 0 where nothing is played at random."""
    if id(game) not in _results:
        _results[id(game)] = (game, _count_results(game))
    return _results[id(game)][1]


def _count_results(game: Game) -> int:
    if game.continuous or not game.compiled:
        return 0
    try:
        return len({random_game(game, seed)[-1].returns[0] for seed in range(GAMES)})
    except Exception:
        # As in a trial: the search tells what does not work, with its own sentence.
        return 0


def _try(game: Game) -> Trial | None:
    if game.continuous or game.hidden or game.players != 2 or game.returns_range is None or not game.compiled:
        return None
    try:
        games = [random_game(game, seed) for seed in range(GAMES)]
        cost = decisive_cost(game, [state for state in games[0] if not state.over])
        positions = [state for positions in games for state in positions if not state.over]
        wins = share_of_wins(few(positions, POSITIONS)) if cost <= DEAREST else 0.0
        breadth = float(np.mean([len(state.legal) for state in few(positions, POSITIONS)]))
        more = [random_game(game, seed) for seed in range(GAMES, MORE_GAMES)] if game.has("evaluate") else []
        tells = share_explained(game, games + more) if game.has("evaluate") else 0.0
        return Trial(cost, wins, breadth, placing(games), game.actions, tells, orders(games), game.has("pick"))
    except Exception:
        # A game that does not work is told so by the search, with its own sentence.
        return None
