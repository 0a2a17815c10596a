"""Settings for a game: every "auto" decided, or a sentence on what does not go together.

`Settings` says what may be asked for and checks each word by itself; here they meet the game and each other.
"""

from __future__ import annotations

import msgspec

from playout.engine.layout import SAMPLING
from playout.engine.rules import rule_named
from playout.errors import PlayoutError
from playout.game.analytic import analytic
from playout.game.continuous import BOX, NATURE
from playout.game.game import Game
from playout.planner.auto import choose
from playout.planner.landscape import rugged
from playout.planner.learned import EMBEDDED
from playout.planner.matters import tabled, what_matters
from playout.planner.settings import CALM, HABITS, PIMC_WORLDS, RAVE, USUAL_RULE, C, Settings
from playout.planner.tryout import not_zero_sum


def resolved(settings: Settings, game: Game) -> Settings:
    """Settings with every "auto" decided for a game, or a sentence on what the game lacks."""
    settings = msgspec.structs.replace(
        settings, **{name: value for name, value in choose(settings, game)._asdict().items() if name != "words"}
    )
    _check_reward(settings, game)
    needs = [
        ("playout", settings.playout == "game", "playout_action"),
        ("cut", settings.cut == "evaluate", "evaluate_as" if settings.reward else "evaluate"),
        ("transpositions", settings.transpositions, "key"),
        ("implicit", settings.implicit is not None, "evaluate"),
        ("graph", settings.graph, "key"),
    ]
    for name, needed, role in needs:
        if needed and not game.has(role):
            raise PlayoutError(
                f"{name}={getattr(settings, name)} needs the game's {role}, which {game.name!r} does not define; define it or leave {name} out"
            )
    if settings.prove and (game.continuous or game.hidden or game.has("observe") or game.players != 2):
        raise PlayoutError(
            f"prove={settings.prove:g} is for games of two players that hide nothing and whose actions can be listed, which {game.name!r} is "
            "not; leave prove out"
        )
    if game.returns_range is None and not (settings.decisive == "off" and settings.decisive_playouts in ("auto", "off")):
        raise PlayoutError(f"decisive moves need to know what a win is: add returns_range = (-1, 1) to game {game.name!r}")
    if settings.solver and settings.decisive == "block" and game.players > 2:
        raise PlayoutError(
            f"decisive=block drops actions by an argument that holds for two players, and {game.name!r} has {game.players}: "
            "pass decisive=win, or solver=False"
        )
    _check_proofs(settings, game)
    hidden = _hidden(settings, game)
    _check_width(settings, hidden)
    _check_value(settings, hidden)
    _check_played(settings, hidden)
    _check_mixing(settings)
    return msgspec.structs.replace(
        _for_continuous(settings, game) if game.continuous else settings,
        hidden=hidden,
        # What holds in one world, or in one of the outcomes that share a position, proves nothing.
        solver=settings.solver
        and not game.continuous
        and hidden not in (*SAMPLING, "pimc")
        and settings.observation_width is None,
        trees=_trees(settings, game, hidden),
        transpositions=bool(settings.transpositions or settings.graph),
        score_bounds=settings.score_bounds and not game.hidden and settings.observation_width is None,
        proof_weight=0.0 if game.hidden or settings.observation_width is not None else settings.proof_weight,
        c=(CALM if game.continuous else C) if settings.c == "auto" else settings.c,
        root_rule=settings.at_root,
        # Where all actions get the same visits, or the last two of a race do, visits tell nothing.
        final=_final(settings),
        fpu=_usual_fpu(settings) if settings.fpu == "auto" else settings.fpu,
        rave=RAVE if settings.rave is None and settings.grave is not None else settings.rave,
        cut=("evaluate" if game.has("evaluate_as" if settings.reward else "evaluate") else "returns")
        if settings.cut == "auto"
        else settings.cut,
    )


def _check_reward(settings: Settings, game: Game) -> None:
    """Another reward than the returns: does the game know it, and what goes by the returns alone?"""
    if not settings.reward:
        return
    game.reward_number(settings.reward)
    for name in ("discount", "value", "decisive", "prove", "implicit", "score_bounds", "proof_weight", "decisive_playouts"):
        if getattr(settings, name) not in (getattr(Settings(), name), "off"):
            raise PlayoutError(
                f"{name}={getattr(settings, name)} goes by the returns of the game and does not go together with reward={settings.reward}; leave "
                "one of them out"
            )


def _final(settings: Settings) -> str:
    rule = rule_named(settings.at_root)
    if rule.bonus is not None or settings.final != "visits" or settings.early_stop:
        return settings.final
    return "shares" if rule.regrets else "mean"


def _check_mixing(settings: Settings) -> None:
    """What drawing by lot does not go together with."""
    if not (settings.matching or settings.smooth):
        return
    name = "smooth" if settings.smooth else "rule" if rule_named(settings.rule).regrets else "root_rule"
    if settings.smooth and settings.matching:
        raise PlayoutError("smooth mixes what a rule chooses, and regret-matching draws by itself; leave one of them out")
    for other, wrong in (("discount", settings.discount != 1), ("graph", settings.graph), ("early_stop", settings.early_stop)):
        if wrong:
            raise PlayoutError(
                f"{name}={getattr(settings, name)} draws actions by lot and does not go together with {other}={getattr(settings, other)}; "
                "leave one of them out"
            )
    if settings.smooth and (rule_named(settings.rule).bonus is None or rule_named(settings.at_root).race):
        raise PlayoutError(
            f"smooth mixes what a rule with weights chooses, as ucb1 does, and root_rule={settings.at_root} with rule={settings.rule} has none; "
            "leave one of them out"
        )


def _check_proofs(settings: Settings, game: Game) -> None:
    """What proving, and what goes by it, cannot go together with."""
    if settings.solver and settings.discount != 1:
        raise PlayoutError(
            f"discount={settings.discount} and the solver do not go together: a proven result has no delay; pass solver=False"
        )
    if settings.score_bounds:
        _check_bounds(settings, game)
    if settings.proof_weight and not settings.solver:
        raise PlayoutError(
            f"proof_weight={settings.proof_weight} goes by what is proven, and solver=False proves nothing; leave one of them out"
        )
    if settings.proof_weight and game.returns_range is None:
        raise PlayoutError(
            f"proof_weight={settings.proof_weight} needs to know what a win is: add returns_range = (-1, 1) to game {game.name!r}"
        )
    if settings.graph and settings.discount != 1:
        raise PlayoutError(
            f"discount={settings.discount} and graph do not go together: what a position is worth would depend on the way to it; leave one "
            "of them out"
        )


def _for_continuous(settings: Settings, game: Game) -> Settings:
    """The part that concerns real-valued actions, decided, or a sentence on what does not go together."""
    usual = Settings()
    # What "auto" comes to must pass too: a saved tree brings settings that were fitted before.
    same = {
        "rule": USUAL_RULE,
        "root_rule": USUAL_RULE,
        "fpu": "first",
        "playout": "uniform",
        "cut": "returns",
        "decisive_playouts": "off",
    }
    for name in (
        "rule",
        "root_rule",
        "smooth",
        "fpu",
        "depth",
        "playout",
        "playouts",
        "cutoff",
        "cut",
        "value",
        "decisive",
        "decisive_playouts",
        "rave",
        "grave",
        "bias",
        "implicit",
    ):
        if getattr(settings, name) not in (getattr(usual, name), same.get(name)):
            raise PlayoutError(
                f"{name}={getattr(settings, name)} is for games whose actions can be listed, and actions of {game.name!r} are real "
                f"vectors; leave {name} out"
            )
    if settings.observation_width is not None:
        raise PlayoutError(
            f"observation_width={settings.observation_width} is not for continuous games, where width and power limit the outcomes of "
            "chance too; leave it out"
        )
    if settings.final == "shares":
        raise PlayoutError(
            f"final=shares draws among actions that can be listed, and actions of {game.name!r} are real vectors; leave final out"
        )
    for name in ("transpositions", "graph", "score_bounds", "proof_weight", "discount"):
        if getattr(settings, name) not in (getattr(usual, name), False):
            raise PlayoutError(f"{name}={getattr(settings, name)} does not work with continuous games; leave {name} out")
    if settings.derivative == "total" and not game.totals:
        raise PlayoutError(
            f"derivative=total is for boxes, without chance, and for few stages and dimensions, which {game.name!r} is not; "
            "pass derivative=own"
        )
    if settings.slopes == "game" and not game.own_gradient:
        raise PlayoutError(
            f"slopes=game needs the game's gradient, which {game.name!r} does not define; define it or leave slopes out"
        )
    if settings.slopes == "exact" and game.own_gradient:
        raise PlayoutError(
            f"slopes=exact is not needed where the game has a gradient of its own, as {game.name!r} has; pass slopes=game"
        )
    if settings.slopes == "exact" and not analytic(game):
        raise PlayoutError(
            f"slopes=exact needs payoffs that work on complex numbers and are smooth, which those of {game.name!r} are not; "
            "pass slopes=differences"
        )
    if settings.method == "tables" and (why := tabled(game)):
        raise PlayoutError(f"method=tables is not for {game.name!r}: {why}; pass method=widening, or leave method out")
    method = _method(game) if settings.method == "auto" else settings.method
    return msgspec.structs.replace(
        settings,
        method=method,
        derivative=("total" if game.totals else "own") if settings.derivative == "auto" else settings.derivative,
        slopes=("game" if game.own_gradient else "exact" if analytic(game) else "differences")
        if settings.slopes == "auto"
        else settings.slopes,
        last=_last(game, method, settings.method == "auto") if settings.last == "auto" else settings.last,
    )


def _method(game: Game) -> str:
    """Total derivatives pay, if only of the later stages; where there are too many stages or dimensions for them, every mover's own
    mislead more than they help."""
    plain = game.shape is not None and game.shape.kind == BOX and NATURE not in game.shape.movers
    if not plain or game.totals:
        return "gradient"
    return "widening" if tabled(game) else "tables"


def _last(game: Game, method: str, chosen: bool) -> str:
    if method == "gradient" or method == "tables" or (method == "widening" and chosen):
        return "everywhere" if rugged(game) else "solve"
    return "sample"


def _trees(settings: Settings, game: Game, hidden: str) -> int | str:
    if hidden == "pimc" and settings.trees in ("auto", 1):
        return PIMC_WORLDS
    alike = settings.cutoff == 0 and settings.cut != "returns" and game.has("evaluate") and hidden == "none"
    return 1 if settings.trees == "auto" and alike else settings.trees


def tried(settings: Settings, game: Game) -> str:
    """What "auto" was decided by, where a trial of the game did: in words."""
    if game.continuous:
        last = settings.last == "auto" and settings.method in ("auto", "gradient", "tables") and rugged(game)
        told = [f"last actions are looked for everywhere before they are climbed: {last}"] if last else []
        if settings.method == "auto" and _method(game) == "tables":
            told.append(f"replies are solved on grids: {what_matters(game)}")
        return "; ".join(told)
    return choose(settings, game).words


def _hidden(settings: Settings, game: Game) -> str:
    """How this game's hidden information is searched, or a sentence on what does not go together."""
    if game.has("observe") and not game.has("determinize"):
        raise game.cannot_hide()
    if not game.hidden:
        return "none"  # whatever was asked for: nothing is hidden, and all of them are the same search
    hidden = "ismcts" if settings.hidden in ("auto", "none") else settings.hidden
    if hidden not in SAMPLING:
        return hidden
    if not game.has("observe") and not settings.open_loop:
        raise PlayoutError(
            f"game {game.name!r} has determinize but no observe, so nobody knows what a player can tell apart: add "
            "def observe(state, player), or pass open_loop=True"
        )
    if game.rejects and settings.redraw:
        raise PlayoutError(
            f"redraw draws worlds in the middle of a simulation, and those of {game.name!r} are found by rejection, before it begins; leave "
            "redraw out, or write a determinize"
        )
    if name := _looks_at_states(settings):
        raise PlayoutError(
            f"{name}={getattr(settings, name)} looks at whole states, and {hidden} may not: leave {name} out, or use hidden=pimc"
        )
    if hidden == "mo-ismcts" and settings.open_loop:
        raise PlayoutError("hidden=mo-ismcts tells positions apart by what each player sees; leave open_loop out")
    return hidden


def _looks_at_states(settings: Settings) -> str:
    """A setting, if there is one, that looks at more of a state than a player can tell apart."""
    asked = {"transpositions": settings.transpositions, "graph": settings.graph, "decisive": settings.decisive != "off"}
    return next((name for name, wanted in asked.items() if wanted), "")


def _check_bounds(settings: Settings, game: Game) -> None:
    """What proofs by bounds need."""
    if not settings.solver:
        raise PlayoutError("score_bounds=True is a way of proving, and solver=False proves nothing; leave one of them out")
    if game.returns_range is None:
        raise PlayoutError(
            f"score_bounds=True needs to know what a game can bring: add returns_range = (-1, 1) to game {game.name!r}"
        )
    if lack := not_zero_sum(game):
        raise PlayoutError(
            f"score_bounds=True is for two players who want the opposite, and {game.name!r} {lack}; leave score_bounds out"
        )


def _check_width(settings: Settings, hidden: str) -> None:
    """Widening in words: what it cannot go together with."""
    if settings.observation_width is None:
        return
    if hidden not in ("none", "ismcts"):
        raise PlayoutError(
            f"observation_width limits the outcomes in the tree of the player who searches, and hidden={hidden} has another kind "
            "of tree: leave observation_width out, or use hidden=ismcts"
        )
    if settings.open_loop:
        raise PlayoutError("open_loop tells no outcomes apart, so observation_width has nothing to limit: leave one of them out")
    if name := _looks_at_states(settings):
        raise PlayoutError(
            f"{name}={getattr(settings, name)} looks at whole states, and with observation_width several share a position: leave "
            "one of them out"
        )


def _usual_fpu(settings: Settings) -> str:
    """What "auto" means: where a prior, or what was played elsewhere, tells the untried apart, they need not come first."""
    told = settings.rave is not None or settings.grave is not None or settings.bias is not None
    return "parent" if told else rule_named(settings.rule).fpu


def _check_played(settings: Settings, hidden: str) -> None:
    """What counting actions wherever they were played cannot go together with."""
    if settings.playout in HABITS and settings.playouts > 1:
        raise PlayoutError(
            f"playout={settings.playout} learns from one playout a simulation, and playouts={settings.playouts} has several; leave one of them out"
        )
    for name in ("rave", "grave", "implicit"):
        if settings.graph and getattr(settings, name) is not None:
            raise PlayoutError(
                f"{name}={getattr(settings, name)} follows the one path of a simulation, and with graph=True values come from all that lead to a "
                "position; leave one of them out"
            )
    if settings.implicit is not None:
        _check_implicit(settings, hidden)
    asked = [name for name in ("rave", "grave") if getattr(settings, name) is not None]
    if not asked:
        return
    name = f"{asked[0]}={getattr(settings, asked[0])}"
    if hidden in SAMPLING or settings.observation_width is not None:
        raise PlayoutError(
            f"{name} credits actions of other moments, and where a position is met in many worlds those may not have been there; leave "
            f"{asked[0]} out, or use hidden=pimc"
        )
    for other, wrong in (
        ("discount", settings.discount != 1),
        ("playouts", settings.playouts > 1),
        ("final", settings.final == "ucb"),
    ):
        if wrong:
            raise PlayoutError(
                f"{name} does not go together with {other}={getattr(settings, other)}: it counts one undiscounted playout a simulation, and its "
                f"part of a weight is not in the decision's table; leave one of them out"
            )


def _check_implicit(settings: Settings, hidden: str) -> None:
    """What best lines by `evaluate` cannot go together with."""
    name = f"implicit={settings.implicit}"
    if hidden in SAMPLING or settings.observation_width is not None:
        raise PlayoutError(
            f"{name} takes the best answer in every position, and where a position is met in many worlds nobody can know it; leave "
            "implicit out, or use hidden=pimc"
        )
    if settings.discount != 1 or settings.final == "ucb":
        other = "final=ucb" if settings.final == "ucb" else f"discount={settings.discount}"
        raise PlayoutError(
            f"{name} does not go together with {other}: estimates are of whole returns, and are not in the decision's table; leave "
            "one of them out"
        )


def _check_value(settings: Settings, hidden: str) -> None:
    """What a learned value cannot go together with."""
    if not settings.value:
        return
    if hidden != "none" and not settings.value.endswith(EMBEDDED):
        raise PlayoutError(f"value={settings.value} values true states, and hidden={hidden} may not know them; leave value out")
    if settings.discount != 1:
        raise PlayoutError(
            f"discount={settings.discount} and value do not go together: learned values have the discount of their own learning; leave "
            "discount out"
        )
    if settings.observation_width is not None and not settings.value.endswith(EMBEDDED):
        raise PlayoutError(
            f"observation_width={settings.observation_width} takes every action for one of chance, and behind those no learned value is "
            "used; leave one of them out"
        )
