"""No leak, variety and weights on small games, exactly: worlds by a tape against information sets by enumeration.

Nothing here is sampled but which information sets are looked at, so an honest game never fails.
"""

from __future__ import annotations

from collections import Counter

from playout.checker.honesty.lines import ACTS
from playout.checker.honesty.report import FAILED, PASSED, SKIPPED, Finding, clock
from playout.checker.honesty.sets import InfoSet, Sets, TooBig, exact_worlds, fields
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.stream import AUDIT_WALKS, Stream

MOST_COURSES = 1000
"""Of chance in one determinize; above it the test at any size has to do."""
WALKS, MOST_WALKS, COMPLETE = 30, 100_000, 0.999
"""Games of each player at least, at most, and the share of information sets that is enough."""
MOST_KEPT = 400
TRUTHS = 4
"""States of one information set whose worlds are compared."""
CLOSE = 1e-9
CONVENTIONS = ("chance alone", "random play")


class Exact:
    """What was found over all information sets so far."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.sets = self.shared = self.widest = self.worlds = 0
        self.leak = self.variety = ""
        self.weights = ["", ""]
        self.off = [0.0, 0.0]
        self.met: Counter[bytes] = Counter()
        self.blank: set[bytes] = set()
        self.unsure = 0
        """How often each information set was met; those that could not be compared; those whose weights are not compared."""

    @property
    def done(self) -> bool:
        """Whether nothing more can be learnt."""
        return bool(self.leak and self.variety and all(self.weights))

    def look(self, info: InfoSet, picks: Stream) -> None:
        """One information set."""
        self.met[info.key] += 1
        if self.met[info.key] > 1:
            return
        states = info.states()
        mine = exact_worlds(self.game, info.truth, info.player, MOST_COURSES)
        if mine is None:
            self.blank.add(info.key)
            return
        self.sets += 1
        self.widest, self.worlds = max(self.widest, len(states)), max(self.worlds, len(mine))
        if len(states) > 1:
            self.shared += 1
            if set(mine) == {info.truth}:
                self.variety = self.variety or (
                    f"determinize always gives the true state {info}, although {len(states):,} states look the same to that player; "
                    "redraw, from rng, everything that observe erases"
                )
            others = {states[picks.below(len(states))] for _ in range(TRUTHS)} - {info.truth}
            for other in sorted(others):
                self._leak(info, mine, other)
        if info.sure:
            self._weights(info, mine)
        else:
            self.unsure += 1

    @property
    def known(self) -> float:
        """About how much of what is met in play has come up (Good 1953): what came only once tells how much never came."""
        once = sum(count == 1 for count in self.met.values())
        return 1 - once / max(1, sum(self.met.values()))

    @property
    def share(self) -> float:
        """About how much of what is met in play was compared: not where determinize can go too many ways, or draws until something fits."""
        blank = sum(self.met[key] for key in self.blank)
        return self.known * (1 - blank / max(1, sum(self.met.values())))

    def _leak(self, info: InfoSet, mine: dict[bytes, float], other: bytes) -> None:
        theirs = exact_worlds(self.game, other, info.player, MOST_COURSES)
        if theirs is None or self.leak:
            return
        world = max(sorted({*mine, *theirs}), key=lambda world: abs(mine.get(world, 0.0) - theirs.get(world, 0.0)))
        one, two = mine.get(world, 0.0), theirs.get(world, 0.0)
        if abs(one - two) > CLOSE:
            self.leak = (
                f"worlds give away the truth {info}: from there the world ({fields(self.game, world)}) has probability {one:.4g}, but "
                f"{two:.4g} from ({fields(self.game, other)}), which that player cannot tell from it; determinize may use only what "
                "observe leaves, so redraw the rest with chances that do not depend on it"
            )

    def _weights(self, info: InfoSet, mine: dict[bytes, float]) -> None:
        for convention in (0, 1):
            true = info.weights(convention)
            world = max(sorted({*mine, *true}), key=lambda world: abs(mine.get(world, 0.0) - true.get(world, 0.0)))
            got, due = mine.get(world, 0.0), true.get(world, 0.0)
            if abs(got - due) > max(CLOSE, self.off[convention]):
                self.off[convention] = abs(got - due)
                impossible = max(sorted(set(mine) - set(true)), key=lambda w: mine[w], default=None)
                cure = "draw every deal that fits with its own chance, as a card from those left and not a rank or a place from a list"
                if impossible is not None and info.later:
                    cure = (
                        "either determinize forgets what the player was shown earlier (a card looked at, a wrong guess, a suit not followed: keep "
                        f"it in the state, leave it in observe, and go by it), or it deals what is not there to be dealt: {cure}"
                    )
                if impossible is not None:
                    what = (
                        f"gives, with probability {mine[impossible]:.4g}, a world that cannot be ({fields(self.game, impossible)}), "
                        f"and is"
                    )
                else:
                    what = "is"
                self.weights[convention] = (
                    f"determinize {what} off by {abs(got - due):.4g} {info}: the world ({fields(self.game, world)}) has probability "
                    f"{got:.4g}, and by the rules it is {due:.4g}; {cure}"
                )

    def findings(self, stopped: str) -> list[Finding]:
        """The three tests in words; `stopped` says what kept a walk from going on."""
        if not self.sets:
            return skipped(stopped or "determinize can go too many ways in every information set met")
        looked = (
            f"{self.sets:,} different information sets of up to {self.widest:,} states, enumerated, about {self.share:.0%} of what random "
            "play meets"
        )
        leak = Finding(
            test="no leak",
            code="honesty-leak",
            result=FAILED if self.leak else PASSED,
            message=self.leak or f"worlds have the same probabilities whichever state of a set is true ({looked})",
            cases=self.shared,
        )
        variety = Finding(
            test="variety",
            code="honesty-variety",
            result=FAILED if self.variety else PASSED if self.shared else SKIPPED,
            message=self.variety
            or (f"up to {self.worlds:,} different worlds in a set" if self.shared else "nothing was hidden in the sets met"),
            cases=self.shared,
        )
        best = min((0, 1), key=lambda convention: self.off[convention])
        weights = Finding(
            test="weights",
            code="honesty-weights",
            result=FAILED if self.weights[0] and self.weights[1] else PASSED,
            message=(self.weights[0] if self.weights[1] else "")
            or f"probabilities of worlds are those of Bayes' rule, by {CONVENTIONS[best]}, to {max(self.off[best], CLOSE):.0e} ({looked})",
            cases=self.sets - self.unsure,
        )
        return [leak, variety, weights]


def skipped(reason: str) -> list[Finding]:
    return [
        Finding(
            test=test,
            code=code,
            result=SKIPPED,
            message=f"not enumerated: {reason}; give the audit a smaller game to have this exact",
        )
        for test, code in (("no leak", "honesty-leak"), ("weights", "honesty-weights"))
    ]


def exact(
    game: Game, seed: int, states: int, seconds: float, compiled: bool = True
) -> tuple[list[Finding], list[InfoSet], float]:
    """Compare along games, as many as there is time for; the findings, some sets with several states in them, and the share seen."""
    try:
        sets = Sets(game, states, seconds, compiled)
    except (TooBig, PlayoutError) as reason:
        return skipped(str(reason)), [], 0.0
    found, shared, stopped = Exact(game), [], ""  # type: Exact, list[InfoSet], str
    for number in range(MOST_WALKS):
        for player in range(game.players):
            picks = Stream(seed, AUDIT_WALKS + player, number)
            try:
                for info in sets.walk(player, picks):
                    found.look(info, picks)
                    if len(info.members) > 1 and info.stands == ACTS and found.met[info.key] == 1 and len(shared) < MOST_KEPT:
                        shared.append(info)
                    if clock() > sets.deadline:
                        raise TooBig("time was up")
            except TooBig as reason:
                stopped = str(reason)
        # Nothing new in as many walks as there are sets: the rest is too rare to wait for.
        complete = number >= WALKS and found.known > COMPLETE
        if found.done or complete or clock() > sets.deadline:
            break
    return found.findings(stopped), shared, found.share if found.sets else 0.0
