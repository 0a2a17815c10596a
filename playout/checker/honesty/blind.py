"""Action blindness: an agent decides alike, whichever of two states that look the same to it is the true one.

It is asked many times, with the same seeds, as the referee asks it: with worlds (an agent that is known to cheat gets the
truth). A search is also handed the two true states themselves, which it must not be able to use. What it chose is counted
and the two rows of counts are compared.
"""

from __future__ import annotations

import numpy as np

from playout.agents import ask_quickly, recipe, truth, world
from playout.agents.base import Recipe
from playout.checker.contract.findings import fields_text
from playout.checker.honesty.full import Pair, told_apart
from playout.checker.honesty.lines import ACTS
from playout.checker.honesty.measures import measures, raw
from playout.checker.honesty.numbers import same_chance
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding, clock
from playout.checker.honesty.sets import InfoSet
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import AUDIT_ASKED, AUDIT_CASES, Stream

SEEDS = 24
CASES, FEWEST = 16, 12
"""Pairs of states that the agent is asked about; the fewest, however long they take."""


def blindness(
    game: Game, agent: str, infos: list[InfoSet], pairs: list[Pair], seed: int, error: float, seconds: float
) -> Finding:
    """The finding: exact pairs of small games where there are any, else pairs at full size."""
    maker = recipe(agent, game, fit=False)
    cases = [(p, a, b) for p, a, b in _cases(infos, pairs, Stream(seed, AUDIT_CASES)) if len(a.legal) > 1][:CASES]
    if not cases:
        return Finding(
            test="action blindness",
            code="honesty-blind",
            result=SKIPPED,
            message="no two states that look the same and leave a choice were found",
        )
    direct = "hidden" in maker.settings and not maker.peeks
    share = error / (len(cases) * (2 if direct else 1))
    lowest, asked, compared = 1.0, 0, 0
    maker.prepare()  # compiles, and is not counted
    deadline = clock() + seconds
    for number, (player, one, two) in enumerate(cases):
        if number >= FEWEST and clock() > deadline:
            break
        for handed in ("world", "truth") if direct else ("world",):
            rows = [_choices(maker, state, player, seed, handed) for state in (one, two)]
            asked += 2 * SEEDS
            compared += 1
            ids = sorted({*rows[0], *rows[1]})
            p = same_chance([rows[0].count(i) for i in ids], [rows[1].count(i) for i in ids])
            lowest = min(lowest, p)
            if p < share:
                return _told(maker, (player, one, two), rows, p, error, compared, handed)
    return Finding(
        test="action blindness",
        code="honesty-blind",
        result=PASSED,
        message=f"{maker.name} decides alike in {compared} comparisons of states that look the same, {asked:,} decisions "
        f"(smallest p = {lowest:.2g})",
        cases=compared,
        error=error,
        p=min(1.0, lowest * 2 * len(cases)),
    )


def _cases(infos: list[InfoSet], pairs: list[Pair], picks: Stream) -> list[tuple[int, State, State]]:
    found, met = [], set()
    for info in infos:
        others = [record for record in info.states() if record != info.truth]
        place = info.player, info.state(info.truth).observed(info.player)
        if others and place not in met:
            met.add(place)
            other = others[picks.below(len(others))]
            found.append((info.player, info.state(info.truth), info.state(other)))
    if not found:
        found = [(pair.player, pair.one.state, pair.two.state) for pair in pairs if pair.one.stands == ACTS]
    # Shuffled, so that first and last decisions both come up.
    for i in range(len(found) - 1, 0, -1):
        j = picks.below(i + 1)
        found[i], found[j] = found[j], found[i]
    return found


def _choices(maker: Recipe, state: State, player: int, seed: int, handed: str) -> list[int]:
    chosen = []
    for number in range(SEEDS):
        stream = Stream(seed, AUDIT_ASKED, number)
        show = truth if maker.peeks or handed == "truth" else world
        chosen.append(ask_quickly(maker.make(seed + number), show(state, player, stream))[0])
    return chosen


def _told(
    maker: Recipe, case: tuple[int, State, State], rows: list[list[int]], p: float, error: float, compared: int, handed: str
) -> Finding:
    player, one, two = case
    ids = sorted({*rows[0], *rows[1]}, key=lambda i: rows[1].count(i) - rows[0].count(i))
    shares = [np.mean([choice == ids[0] for choice in row]) for row in rows]
    how = "shown the true state, which it must not use" if handed == "truth" else "handed what the referee hands it"
    return Finding(
        test="action blindness",
        code="honesty-blind",
        result=FAILED,
        message=f"{maker.name}, {how}, acts on what player {player} cannot know: it plays {one.name(ids[0], player)} in {shares[0]:.0%} of "
        f"{SEEDS} tries where the truth is ({fields_text(one.copy_array()[0])}) and in {shares[1]:.0%} where it is "
        f"({fields_text(two.copy_array()[0])}), which look the same (chance of that {p:.2g}); {cause(maker, player, one, two)}",
        cases=compared,
        error=error,
        p=p,
    )


def cause(maker: Recipe, player: int, one: State, two: State) -> str:
    """What in the game, or of the agent, is the likely cause."""
    if maker.peeks:
        return "it is an agent that is handed the true state, and says so by its name"
    if one.legal != two.legal:
        return "likely because legal lists the same actions in another order in the two states: let the order follow from what the player sees"
    stream = Stream(1)
    differ = raw([one, two, *(one.world(player, stream) for _ in range(SEEDS))])
    known = measures(one.game, (differ != differ[0]).any(0))
    told = [(told_apart(one, two, player, measure, stream)[0] * len(known), measure.name) for measure in known]
    p, name = min(told, default=(1.0, ""))
    if p < 0.01:
        return f"likely because determinize draws other worlds from the two: {name} tells them apart (chance of that {p:.2g})"
    helpers = [role for role in ("playout_action", "prior", "evaluate") if one.game.has(role)]
    asked = f", or asks {' or '.join(helpers)} about the true state" if helpers else ""
    return f"worlds of the two cannot be told apart, so likely the agent itself looks at the state that it is handed{asked}"
