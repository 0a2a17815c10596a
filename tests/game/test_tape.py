"""The tape: every course of chance once, with its probability."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

import playout
from playout.errors import PlayoutError
from playout.game.tape import Tape, outcomes, plays, starts


def test_dependent_draws_are_enumerated_with_their_probabilities() -> None:
    def run(tape: Tape) -> tuple[int, ...]:
        first = tape.below(2)
        return (first, tape.below(3)) if first else (first,)

    found = list(outcomes(run))
    assert [result for _, result in found] == [(0,), (1, 0), (1, 1), (1, 2)]
    assert [Fraction(chance).limit_denominator(100) for chance, _ in found] == [Fraction(1, 2)] + [Fraction(1, 6)] * 3


def test_no_draw_is_one_course_and_one_possibility_is_no_draw() -> None:
    assert list(outcomes(lambda tape: tape.below(1))) == [(1.0, 0)]


def test_dice() -> None:
    state = playout.load("pig").start()
    found = [(chance, int(after.fields.die)) for chance, after in plays(state, 0)]
    assert [die for _, die in found] == [1, 2, 3, 4, 5, 6] and sum(chance for chance, _ in found) == pytest.approx(1)
    assert Counter(bytes(s) for _, s in starts(playout.load("nim"))).total() == 1


def test_reals_are_refused() -> None:
    with pytest.raises(PlayoutError, match="endlessly many outcomes, which exact tools cannot enumerate"):
        list(outcomes(lambda tape: tape.uniform()))
