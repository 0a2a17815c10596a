"""The honesty audit: does a game with hidden information keep it hidden?

    audit("scoundrel")                         an `Audit`, which prints as a page: what was tested, what leaks, with the state
    audit("mygame.py", agent="pimc")           with another agent in the test of decisions

Two functions of the game are on trial. `observe` says what a player knows, and is taken at its word: if it shows a hidden
card, the player knows that card. `determinize` must then keep what is known and redraw the rest. All alternatives that it is
held against come from the game: enumerated where the game is small, else found by replaying it with other draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playout.checker.contract.findings import Findings
from playout.checker.contract.watch import Stuck, Watch
from playout.checker.honesty.carried import carried_on, carrier
from playout.checker.honesty.deals import deals
from playout.checker.honesty.exact import exact
from playout.checker.honesty.full import Pair, full
from playout.checker.honesty.lines import ACTS, Line, check_depth
from playout.checker.honesty.past import past
from playout.checker.honesty.rank import rank
from playout.checker.honesty.report import EXACT, FAILED, PASSED, SAMPLED, SKIPPED, SMOKE, TESTS, Audit, Finding, Spent, clock
from playout.checker.honesty.sets import InfoSet
from playout.checker.honesty.show import helpers, same_encodings, same_pictures
from playout.checker.honesty.walk import consistency
from playout.checker.honesty.wander import wanderer
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load

STATES = 20_000
"""The most states that the walk through one enumerated game may take, its starts included."""
AGENT = "uct:simulations=200"
LOOKED = 150
"""States that are looked at for consistency, however little time there is."""
FEW_PASTS = 30
"""Steps and moments at which worlds were held against the past, below which that is said to be little."""
SHARES = {"leak": 0.3, "deals": 0.1, "steps": 0.2, "past": 0.1, "rank": 0.1, "blind": 0.2}
"""How the error rate is divided among the tests that draw samples; the others are exact."""
TIMES = {"consistency": 2.0, "sets": 4.0, "pairs": 4.0, "deals": 1.0, "steps": 8.0, "past views": 2.0, "ranks": 3.0}
"""How the time is divided: what finds most gets most. What one part leaves goes to those after it."""
ASKED = 0.2
"""The part of the time in which an agent is asked, where one is."""
HURRY = 4
"""Once a test has failed, or all was enumerated, the others get so much less."""
DEEP = Finding(
    test="no leak",
    code="honesty-leak",
    result=SKIPPED,
    message="information sets were not enumerated: that begins with the start of a game, and this looks deeper",
)
"""What is said of the exact tests of an audit that begins deep in a game."""
ENDLESS = 5.0
"""Seconds after which a determinize that has not come back is in a loop without end."""
NEARLY_ALL = 0.95
"""The share of information sets from which on a pass is called exact."""


def audit(
    game: Game | str | Path,
    *,
    seed: int = 0,
    seconds: float = 20.0,
    error: float = 0.01,
    agent: str | None = AGENT,
    states: int = STATES,
    compiled: bool = True,
    after: int = 0,
) -> Audit:
    """Audit a game for about so many seconds (compiling not counted); `agent=None` leaves the test of decisions out.

    With `after` every test looks at moments at least so many actions deep in a game; nothing is enumerated then.

    An honest game fails with a probability of at most `error`, all tests together. `compiled=False` compiles nothing, and sees less.
    """
    if not 0 < error < 1 or not 0 < seconds < float("inf") or not 0 <= seed < 1 << 60 or states < 1:
        raise PlayoutError(
            f"error={error}, seconds={seconds}, seed={seed}, states={states} cannot be used; give an error rate between 0 and 1, "
            "seconds above 0, a seed of 0 or more and at least 1 state"
        )
    began, rules = clock(), load(game)
    check_depth(rules, after, seed)
    findings, look = _contract(rules), None
    if not findings:
        look = _Look(rules, seed, seconds, error, agent, states, compiled, after)
        findings = look.run()
    findings.sort(key=lambda finding: TESTS.index(finding.test))
    level = SMOKE if look is None else look.level(findings)
    return Audit(
        game=rules.spec,
        ok=not any(finding.result == FAILED for finding in findings),
        findings=tuple(findings),
        error=error,
        seed=seed,
        seconds=round(clock() - began, 3),
        level=level,
        share=0.0 if look is None else round(look.share, 4),
        unseen=() if look is None else tuple(look.unseen(findings, level)),
        after=after,
        spent=() if look is None else tuple((name, round(spent, 2)) for name, spent in look.spent.items()),
    )


class _Look:
    """One audit on its way: the tests in turn, and the time that each may take."""

    def __init__(
        self, game: Game, seed: int, seconds: float, error: float, agent: str | None, states: int, compiled: bool, after: int = 0
    ) -> None:
        self.after = after
        self.game, self.seed, self.error, self.agent, self.states, self.compiled = game, seed, error, agent, states, compiled
        self.asking = ASKED * seconds if agent is not None and not game.rejects else 0.0
        self.left, self.waiting = seconds - self.asking, dict(TIMES)
        self.share = 0.0
        self.spent: dict[str, float] = {}

    @contextmanager
    def part(self, name: str, hurry: bool = False) -> Iterator[float]:
        """Yields the seconds that a part has; what it leaves is there for the others."""
        whole = sum(self.waiting.values())
        mine = max(0.02, self.left * self.waiting.pop(name) / whole / (HURRY if hurry else 1))
        began = clock()
        yield mine
        took = clock() - began
        # What was compiled is not counted: no part may have less because of it.
        self.left -= min(took, mine)
        self.spent[name] = took

    def run(self) -> list[Finding]:
        game, seed = self.game, self.seed
        with self.part("consistency") as seconds:
            findings = _consistency(game, seed, clock() + seconds, self.after)
        if findings[-1].result == FAILED or game.rejects:
            return findings
        with self.part("sets") as seconds:
            infos: list[InfoSet] = []
            more = [DEEP]
            if not self.after:
                more, infos, self.share = exact(game, seed, self.states, seconds, self.compiled)
        findings += more
        walker = wanderer(game, self.compiled)
        with self.part("pairs", self._hurries(findings)) as seconds:
            more, pairs = full(game, seed, SHARES["leak"] * self.error, seconds, walker, self.after)
            lines = [(pair.one, pair.two) for pair in pairs]
            findings += [*more, *shown(lines), *helpers(game, lines)]
        worlds = carrier(game, self.compiled)
        with self.part("deals", self._hurries(findings)) as seconds:
            if not self.after:
                findings.append(deals(game, seed, SHARES["deals"] * self.error, seconds, worlds))
        with self.part("steps", self._hurries(findings)) as seconds:
            findings += carried_on(game, seed, SHARES["steps"] * self.error, seconds, worlds, self.after, lines)
        with self.part("past views", self._hurries(findings)) as seconds:
            findings += past(game, seed, SHARES["past"] * self.error, seconds, worlds, self.after)
        with self.part("ranks", self._hurries(findings)) as seconds:
            findings.append(rank(game, seed, SHARES["rank"] * self.error, seconds, self.after))
        return [*findings, self._asked(infos, pairs)]

    def _hurries(self, findings: list[Finding]) -> bool:
        return self.share > NEARLY_ALL or any(finding.result == FAILED for finding in findings)

    def _asked(self, infos: list[InfoSet], pairs: list[Pair]) -> Finding:
        if self.agent is None:
            message = "no agent was asked for"
            return Finding(test="action blindness", code="honesty-blind", result=SKIPPED, message=message)
        # Here and not above: agents bring the compiler along, which takes a while to load.
        from playout.checker.honesty.blind import blindness

        began = clock()
        finding = blindness(self.game, self.agent, infos, pairs, self.seed, SHARES["blind"] * self.error, self.asking)
        self.spent["agent"] = clock() - began
        return finding

    def level(self, findings: list[Finding]) -> str:
        """What a pass means here."""
        if self.game.rejects:
            return SAMPLED
        looked = [finding for finding in findings if finding.result in (PASSED, FAILED)]
        if self.share >= NEARLY_ALL:
            return EXACT
        return SAMPLED if any(finding.test == "no leak" for finding in looked) else SMOKE

    def unseen(self, findings: list[Finding], level: str) -> list[str]:
        """What could be wrong all the same."""
        found = ["an observe that shows too much: what it leaves counts as known"]
        if self.game.rejects:
            return [*found, "nothing of determinize: worlds are found by rejection, which is never shown the truth"]
        done = {finding.code for finding in findings if finding.result in (PASSED, FAILED)}
        if level == EXACT:
            return [*found, f"information sets that random play meets in {1 - self.share:.1%} of the cases"]
        if self.after:
            found.append(
                f"whether weights are right after {self.after:,} actions to begin with: only whether they go on rightly from there"
            )
        if "honesty-leak" not in done:
            found.append("leaks: no two states that look the same were found")
        else:
            found.append("leaks in states that were not among those compared, and ones too faint for so few pairs")
        if "honesty-forgets" not in done:
            found.append(
                "worlds that contradict what was seen earlier: no course of the game fits such a past by chance; audit a smaller deal"
            )
        held = sum(finding.cases for finding in findings if finding.code == "honesty-forgets" and finding.result == PASSED)
        if 0 < held < FEW_PASTS:
            found.append(
                f"much of what determinize may forget: worlds were held against the past at {held} moment{'s' * (held != 1)} only; make the size of the "
                "deal a parameter and check a small one, too, as in playout check mygame.py:cards=6"
            )
        if not any(finding.test == "weights" and finding.result == PASSED for finding in findings):
            found.append("wrong weights of worlds")
        elif self.game.players > 1:
            found.append(
                "wrong weights of worlds after others acted unseen: there only what can be is asked, not how likely it is"
            )
        return found


def shown(lines: list[tuple[Line, Line]]) -> list[Finding]:
    """Whether drawings and names tell states apart that look the same."""
    try:
        for one, two in lines:
            same_pictures(one.state, two.state, one.player, one.stands == ACTS, one, "one that looks the same to that player")
            same_encodings(one.state, two.state, one.player, one, "one that looks the same to that player")
    except Spent as found:
        return [Finding(test="shown", code=found.code, result=FAILED, message=found.message, cases=len(lines))]
    message = "drawings, names of actions and what a network is shown are the same for states that look the same"
    return [Finding(test="shown", code="honesty-shown", result=PASSED if lines else SKIPPED, message=message, cases=len(lines))]


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


def _consistency(game: Game, seed: int, deadline: float, after: int) -> list[Finding]:
    guarded = Game.__new__(Game)
    with Watch(Findings(game), ENDLESS) as watch:

        def determinize(*arguments: object) -> object:
            return watch.call("determinize", game.functions["determinize"], *arguments)

        functions = game.functions if game.rejects else {**game.functions, "determinize": determinize}
        vars(guarded).update(vars(game), functions=functions)
        try:
            cases, late = consistency(guarded, seed, LOOKED, deadline, after)
        except Spent as found:
            test = "shown" if found.code in ("honesty-shown", "honesty-encode") else "consistency"
            return [Finding(test=test, code=found.code, result=FAILED, message=found.message, cases=1)]
        except Stuck:
            message = (
                f"{watch.where or 'determinize'} did not come back within {watch.limit:.0f} seconds; a loop in it never ends"
            )
            return [Finding(test="consistency", code="honesty-stuck", result=FAILED, message=message, cases=1)]
    message = (
        "worlds show each player what the truth shows it, in bytes, pictures, names and encodings, and leave it its actions, at every state and for "
        f"every player ({late:,} of them in the last third of a game)"
    )
    return [Finding(test="consistency", code="honesty-visible", result=PASSED, message=message, cases=cases)]
