"""From settings to the options of the engine, as kernels read them: one record of numbers; and which columns of a tree a search needs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from playout.compile.records import apart
from playout.engine import layout
from playout.engine.real import layout as real
from playout.engine.rules import NAMES, rule_named
from playout.game.continuous import NATURE
from playout.game.game import Game
from playout.planner.settings import BACKUPS, DECISIVE, HABITS, MOVED, SAMPLINGS, Settings

NO_LIMIT = 1 << 40
LOCAL_SHARE, REACH, SPREAD, DECAY, WINDOW = 0.5, 0.1, 4.0, 0.25, 3
"""Of continuous games: how many new actions are tried near the best; the longest distance of local minimax, in units of
the set, and how much farther the next stage may move there; what is left of a moved action's visits; the stages that local minimax
solves together."""
PART_SHARE = 3.0
"""How many times `evaluations` a simulation may take where total derivatives begin at a later stage than the first."""


def needs_of(game: Game, settings: Settings, waiting: bool = False) -> set[str]:
    """What a search needs columns for (`layout.COLUMNS`)."""
    asked = {
        "proofs": settings.solver,
        "priors": settings.priors,
        "worlds": settings.by_sight,
        "graph": settings.graph,
        # Trees that wait are moved about in batches, byte by byte, and do without.
        "shared": bool(settings.transpositions or settings.graph) and not waiting,
        "bounds": settings.score_bounds,
        "numbers": settings.proof_weight > 0,
        "waiting": waiting,
        "real": game.continuous,
        "amaf": settings.rave is not None,
        "implicit": settings.implicit is not None,
        "regrets": settings.matching,
        "habits": settings.playout in HABITS,
        "grams": settings.playout == "ngram",
        "tables": settings.method == "tables",
    }
    return {need for need, needed in asked.items() if needed}


def extra_of(settings: Settings) -> bool:
    """Whether a search asks for anything of what few searches do, which is compiled for those alone (the feature "extra")."""
    asked = (settings.rave, settings.bias, settings.implicit)
    return (
        rule_named(settings.at_root).race
        or settings.matching
        or settings.smooth
        or settings.playout in HABITS
        or any(number is not None for number in asked)
    )


def option_record(game: Game, settings: Settings) -> np.ndarray[Any, Any]:
    """The settings, fitted to the game, as the kernels read them."""
    options = apart(1, layout.OPTIONS)
    o = options[0]
    o["rule"], o["root_rule"] = NAMES.index(settings.rule), NAMES.index(settings.root_rule)
    o["forced"] = -1
    o["fpu_mode"] = {"first": layout.FPU_FIRST, "parent": layout.FPU_PARENT}.get(str(settings.fpu), layout.FPU_NUMBER)
    o["fpu"] = 0.0 if isinstance(settings.fpu, str) else settings.fpu
    o["ranged"] = settings.scale == "range"
    o["solver"] = settings.solver
    o["depth"] = NO_LIMIT if settings.depth is None else settings.depth
    o["own_playout"] = settings.playout == "game"
    o["playouts"] = settings.playouts
    o["cutoff"] = NO_LIMIT if settings.cutoff is None else settings.cutoff
    o["use_evaluate"] = settings.cut == "evaluate"
    o["decisive"] = DECISIVE.index(settings.decisive)
    o["decisive_playouts"] = DECISIVE.index(settings.decisive_playouts)
    o["transpositions"] = settings.transpositions
    o["use_prior"] = "priors" in needs_of(game, settings) and game.has("prior")
    o["proof_weight"] = settings.proof_weight
    o["c"], o["discount"] = settings.c, settings.discount
    o["worlds"] = settings.by_sight
    o["drawn"] = settings.hidden in layout.SAMPLING
    o["outcome_width"], o["outcome_power"] = settings.observation_width or 0.0, settings.observation_power
    o["open_loop"] = settings.open_loop
    o["many"] = settings.hidden == "mo-ismcts"
    o["redraw"] = settings.redraw
    bounds = game.range_of(settings.reward)
    o["reward"] = game.reward_number(settings.reward) + 1 if settings.reward else 0
    o["has_range"] = bounds is not None
    o["low"], o["high"] = bounds or (0.0, 0.0)
    o["rave"], o["grave"] = settings.rave or 0.0, settings.grave or 0
    o["bias"], o["implicit"] = settings.bias or 0.0, settings.implicit or 0.0
    # 1 where what was played elsewhere is the only term, which has a way of its own.
    o["terms"] = 2 if o["bias"] or o["implicit"] else settings.rave is not None
    o["habits"], o["epsilon"] = {"mast": layout.BY_ACTIONS, "ngram": layout.BY_GRAMS}.get(settings.playout, 0), settings.epsilon
    # 0 tells that nothing is drawn by regrets; Smooth UCT has its own switch.
    o["smooth"], o["mixing"] = settings.smooth, settings.mixing if settings.matching or settings.smooth else 0.0
    o["trail"] = settings.rave is not None or o["habits"] != 0
    if game.continuous:
        _continuous_options(o, game, settings)
    return options


def _continuous_options(o: Any, game: Game, settings: Settings) -> None:
    """The part of the settings that only games with real-valued actions read."""
    total = settings.derivative == "total"
    o["alone"] = settings.method == "local-alone"
    o["sampling"] = SAMPLINGS.index(settings.sampling)
    o["backup"] = BACKUPS.index(settings.backup)
    o["borrow"], o["solve_last"] = settings.borrow, settings.last in ("solve", "everywhere")
    o["everywhere"] = settings.last == "everywhere"
    ways = {"widening": real.BY_NOTHING, "tables": real.BY_NOTHING, "gradient": real.BY_TOTAL if total else real.BY_OWN_SLOPES}
    o["moving"] = ways.get(settings.method, real.BY_LOCAL)
    o["derivatives"] = ("exact", "differences", "game").index(settings.slopes)
    o["moved"] = real.FRESH if o["alone"] else MOVED.index(settings.moved)
    o["tables"] = settings.method == "tables"
    o["branches"], o["window"] = settings.branches, WINDOW
    # Double progressive widening: outcomes of chance are limited as actions are.
    o["outcome_width"], o["outcome_power"] = settings.width, settings.power
    o["action_width"], o["action_power"], o["exponent"] = settings.width, settings.power, settings.exponent
    o["golden"], o["local_share"] = 1.0 / golden(game.dimension), LOCAL_SHARE
    # A moved line says nothing of other outcomes of chance.
    o["refine"] = 0.0 if settings.method in ("widening", "tables") or NATURE in game.movers else settings.refine
    # Where total derivatives begin at a later stage, one look at them is dear even so.
    dear = PART_SHARE if total and game.total_from > 0 else 1.0
    o["evaluations"], o["rate"], o["reach"] = dear * settings.evaluations, settings.rate, REACH
    o["distance"], o["spread"], o["decay"] = settings.distance, SPREAD, DECAY


def prices(game: Game, settings: Settings) -> list[float]:
    """Evaluations that moving the actions of a continuous game from each stage on takes; endless where they are never moved."""
    stages, d, shape = game.stages, game.dimension, game.shape
    assert shape is not None
    if settings.method in ("local", "local-alone"):
        return [float(settings.branches ** min(WINDOW, stages - root)) for root in range(stages)]
    if settings.derivative == "total":
        first = shape.total_from if settings.method == "gradient" else 0
        return [float(shape.price(root)) if root >= first else math.inf for root in range(stages)]
    return [float((stages - root) * (1 if settings.slopes == "game" else d)) for root in range(stages)]


def golden(dimension: int) -> float:
    """The root of g^(d+1) = g + 1: the golden ratio and its kin."""
    g = 2.0
    for _ in range(80):
        g = (1.0 + g) ** (1.0 / (dimension + 1))
    return g
