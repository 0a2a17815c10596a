"""The honesty audit: does a game with hidden information keep it hidden?

    audit("scoundrel")                         an `Audit`, which prints as a page: what was tested, what leaks, with the state
    audit("mygame.py", agent="pimc")           with another agent in the test of decisions

Two functions of the game are on trial. `observe` says what a player knows, and is taken at its word: if it shows a hidden
card, the player knows that card. `determinize` must then keep what is known and redraw the rest. All alternatives that it is
held against come from the game: enumerated where the game is small, else found by replaying it with other draws.
"""

from __future__ import annotations

import time
from pathlib import Path

from playout.checker.contract.findings import Findings
from playout.checker.contract.watch import Stuck, Watch
from playout.checker.honesty.exact import exact
from playout.checker.honesty.full import full
from playout.checker.honesty.rank import rank
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, TESTS, Audit, Finding, Spent
from playout.checker.honesty.walk import consistency
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load

STATES = 20_000
"""The most states that the walk through one enumerated game may take, its starts included."""
AGENT = "uct:simulations=200"
LOOKED, WALKS, PAIRS, GAMES = 150, 30, 60, 180
"""States for consistency, games whose information sets are enumerated, pairs of states that look the same, ranked games."""
SHARES = {"leak": 0.4, "rank": 0.3, "blind": 0.3}
"""How the error rate is divided among the tests that draw samples; the others are exact."""


def audit(
    game: Game | str | Path,
    *,
    seed: int = 0,
    seconds: float = 20.0,
    error: float = 0.01,
    agent: str | None = AGENT,
    states: int = STATES,
) -> Audit:
    """Audit a game, within about so many seconds (compiling not counted); `agent=None` leaves the test of decisions out.

    An honest game fails with a probability of at most `error`, all tests together.
    """
    if not 0 < error < 1 or not 0 < seconds < float("inf") or not 0 <= seed < 1 << 60 or states < 1:
        raise PlayoutError(
            f"error={error}, seconds={seconds}, seed={seed}, states={states} cannot be used; give an error rate between 0 and 1, "
            "seconds above 0, a seed of 0 or more and at least 1 state"
        )
    began, rules = time.monotonic(), load(game)
    findings = _contract(rules)
    if not findings:
        findings.append(_consistency(rules, seed, began + seconds / 4))
        if findings[-1].result == PASSED and not rules.rejects:
            findings += _samplers(rules, seed, seconds, error, agent, states)
    findings.sort(key=lambda finding: TESTS.index(finding.test))
    return Audit(
        game=rules.spec,
        ok=not any(finding.result == FAILED for finding in findings),
        findings=tuple(findings),
        error=error,
        seed=seed,
        seconds=round(time.monotonic() - began, 3),
    )


def _contract(game: Game) -> list[Finding]:
    """What is missing, if anything is."""
    if game.has("observe") and game.has("determinize"):
        return []
    if game.has("observe"):
        return [
            Finding(
                test="contract",
                code="honesty-determinize",
                result=FAILED,
                message="observe hides part of the state, but there is no determinize, so nobody can be handed a state without being "
                "handed the truth; add def determinize(state, player, rng), which redraws in place what observe erases",
                cases=1,
            )
        ]
    if game.has("determinize"):
        return [
            Finding(
                test="contract",
                code="honesty-observe",
                result=FAILED,
                message="determinize redraws part of the state, but there is no observe, so all of it counts as seen; add "
                "def observe(state, player), which erases in place (sets to 0) what that player cannot tell",
                cases=1,
            )
        ]
    return [Finding(test="contract", code="honesty-nothing", result=SKIPPED, message="nothing is hidden in this game")]


def _consistency(game: Game, seed: int, deadline: float) -> Finding:
    guarded = Game.__new__(Game)
    with Watch(Findings(game), 5.0) as watch:

        def determinize(*arguments: object) -> object:
            return watch.call("determinize", game.functions["determinize"], *arguments)

        vars(guarded).update(vars(game), functions={**game.functions, "determinize": determinize})
        try:
            cases = consistency(guarded, seed, LOOKED, deadline)
        except Spent as found:
            return Finding(test="consistency", code=found.code, result=FAILED, message=found.message, cases=1)
        except Stuck:
            message = (
                f"{watch.where or 'determinize'} did not come back within {watch.limit:.0f} seconds; a loop in it never ends"
            )
            return Finding(test="consistency", code="honesty-stuck", result=FAILED, message=message, cases=1)
    message = "worlds show each player what the truth shows it, and leave it its actions"
    return Finding(test="consistency", code="honesty-visible", result=PASSED, message=message, cases=cases)


def _samplers(game: Game, seed: int, seconds: float, error: float, agent: str | None, states: int) -> list[Finding]:
    """What only a look at many worlds can tell."""
    findings, infos = exact(game, seed, states, WALKS, seconds / 4)
    more, pairs = full(game, seed, PAIRS, SHARES["leak"] * error, seconds / 5)
    findings += more
    findings.append(rank(game, seed, GAMES, SHARES["rank"] * error, seconds / 5))
    if agent is None:
        message = "no agent was asked for"
        return [*findings, Finding(test="action blindness", code="honesty-blind", result=SKIPPED, message=message)]
    # Here and not above: agents bring the compiler along, which takes a while to load.
    from playout.checker.honesty.blind import blindness

    return [*findings, blindness(game, agent, infos, pairs, seed, SHARES["blind"] * error, seconds / 5)]
