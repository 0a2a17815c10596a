"""Which functions a GPU's compiler keeps apart: counted by hand on a few lines of its language."""

from __future__ import annotations

import pytest

from playout.compile.cuda_apart import Program, keep_apart


def function(name: str, lines: int, *calls: str, ends: str = "\n{", kind: str = "linkonce_odr i32") -> str:
    """A module with one function of so many lines, calls and the mark of its beginning included."""
    body = [f'  %".{number}" = call i32 @"{other}"(i64 %"x (1)", i8 3)' for number, other in enumerate(calls)]
    body += ["  ret i32 0"] * (lines - len(body))
    inside = "\n".join(body)
    return f'declare i32 @"other"(i64)\n\ndefine {kind} @"{name}"(i64* %".ret", i64 %"x (1)"){ends}\n{inside}\n}}\n'


KERNEL = function("kernel", 10, "middle", "middle", "middle", kind="void")
MIDDLE = function("middle", 110, "leaf", "leaf", "small", "out.side", ends=" alwaysinline\n{")
LEAF, SMALL = function("leaf", 200), function("small", 20)
ALL = [KERNEL, MIDDLE, LEAF, SMALL]


def test_how_long_a_program_becomes() -> None:
    program = Program(ALL)
    assert program.doors == ["kernel"] and program.calls["middle"] == ["leaf", "leaf", "small", "out.side"]
    lines = dict(program.lines)
    assert lines["leaf"] - lines["small"] == 180 and lines["kernel"] + 100 == lines["middle"]
    length, often = program.woven(set())
    middle = lines["middle"] + 2 * lines["leaf"] + lines["small"]
    assert length == {"kernel": lines["kernel"] + 3 * middle, "middle": middle, "leaf": lines["leaf"], "small": lines["small"]}
    assert often == {"kernel": 1, "middle": 3, "leaf": 6, "small": 3}
    length, often = program.woven({"leaf"})
    assert length["middle"] == lines["middle"] + 2 + lines["small"] and often["leaf"] == 1


def test_what_saves_the_most_stays_apart_and_no_more_than_needed() -> None:
    program = Program(ALL)
    whole = program.woven(set())[0]["kernel"]
    assert program.dear(whole) == set()
    # Twice the middle with all that is in it, against five times a leaf.
    assert program.dear(whole - 1) == {"middle"}
    assert program.dear(600) == {"middle"} and program.dear(500) == {"middle", "leaf"}
    assert program.dear(1) == {"middle", "leaf"}, "what is short, and what is called once, stays"


def test_what_comes_often_is_dearer_than_what_is_long() -> None:
    program = Program([function("kernel", 20, "long", "long", *["often"] * 9), function("long", 300), function("often", 110)])
    assert program.dear(program.woven(set())[0]["kernel"] - 1) == {"often"}


@pytest.mark.parametrize(("modules", "longest"), [(ALL, 10**6), ([SMALL], 1), ([], 1)])
def test_short_programs_are_left_as_they_are(modules: list[str], longest: int) -> None:
    assert keep_apart(modules, longest) == modules


def test_it_is_said_of_each() -> None:
    kernel, middle, leaf, small = keep_apart(ALL, 1)
    assert (kernel, small) == (KERNEL, SMALL)
    assert 'i64 %"x (1)") noinline\n{' in middle and "alwaysinline" not in middle and leaf.count(" noinline\n{") == 1
    again = keep_apart([KERNEL, MIDDLE, LEAF.replace('"x (1)")\n{', '"x (1)") {'), SMALL], 1)
    assert '"x (1)") noinline {' in again[2]


def test_what_calls_itself_ends() -> None:
    own = [function("kernel", 10, "one", "one"), function("one", 300, "two", "two"), function("two", 300, "one", "one")]
    assert Program(own).dear(1) <= {"one", "two"} and len(keep_apart(own, 1)) == 3
