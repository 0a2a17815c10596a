"""What the honesty audit found: one finding per test, in words, with the numbers and the error rate behind them."""

from __future__ import annotations

import time

import msgspec

clock = time.process_time
"""Seconds of computing, so that other work on the machine does not make an audit see less."""
PASSED, FAILED, SKIPPED, NOTE = "passed", "failed", "skipped", "note"
SMOKE, SAMPLED, EXACT = "smoke", "sampled", "exact"
"""How much a pass says: that nothing is wrong at first sight; that many states were compared by samples; that nearly all information
sets were enumerated."""
TESTS = ("contract", "consistency", "shown", "no leak", "variety", "weights", "past views", "action blindness", "helpers")
"""What is asked, in this order; a test may leave more than one finding, one for small games and one for any size."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one test."""

    test: str
    """One of TESTS."""
    result: str
    """"passed", "failed", "skipped", or "note": worth knowing, and no failure."""
    code: str
    """Short and stable: `honesty-leak`. The code of a passed test is the one it would have failed with."""
    message: str
    """What was looked at; of a failure what leaks, the state that shows it, and the cure; of a skip the reason."""
    cases: int = 0
    """States, information sets or games that were looked at."""
    error: float = 0.0
    """The chance that an honest game fails here; 0 for a comparison that is exact."""
    p: float | None = None
    """The chance of numbers at least as far off from an honest game."""

    def __str__(self) -> str:
        exact = f"error rate {self.error:.2%}" if self.error else "exact"
        rate = "" if self.result in (SKIPPED, NOTE) else f" [{self.cases:,} cases, {exact}]"
        return f"{self.result:<7}  {self.test}: {self.message}{rate}"


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `audit`: `audit.ok`, `audit.failed`, or print it."""

    game: str
    """The spec that loads the game."""
    ok: bool
    findings: tuple[Finding, ...]
    error: float
    """The chance that an honest game fails any of the tests."""
    seed: int
    seconds: float
    """How long the audit took."""
    level: str = SMOKE
    """What a pass means: "smoke", "sampled" or "exact"."""
    share: float = 0.0
    """Of what random play meets, the share of information sets that were enumerated."""
    unseen: tuple[str, ...] = ()
    """What this audit could not have seen."""
    after: int = 0
    """Actions before the first moment that was looked at."""
    spent: tuple[tuple[str, float], ...] = ()
    """How long each part took, in seconds."""

    @property
    def failed(self) -> tuple[Finding, ...]:
        """What does not hold."""
        return tuple(finding for finding in self.findings if finding.result == FAILED)

    def to_json(self) -> str:
        """The audit as JSON."""
        return msgspec.json.encode(self).decode()

    def __str__(self) -> str:
        verdict = "no leak found" if self.ok else "NOT honest"
        seen = f", {self.share:.1%} of what random play meets enumerated" if self.share else ""
        head = (
            f"honesty audit of {self.game}: {verdict}, level {self.level}{seen} (error rate {self.error:.1%} in all, {self.seconds:.1f} s, seed "
            f"{self.seed}{f', after {self.after:,} actions' if self.after else ''})"
        )
        lines = [head, *(f"  {finding}" for finding in self.findings)]
        lines += [f"  cannot see  {text}" for text in self.unseen]
        if self.spent:
            lines.append("  time        " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.spent))
        return "\n".join(lines)


class Spent(Exception):
    """A test has found what fails it; what it found is in the message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message
