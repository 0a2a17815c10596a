"""The checker on continuous games: sound ones pass, and each broken one gets its sentence."""

from __future__ import annotations

import pytest

import playout
from playout import load
from playout.checker import check

HEAD = """
players = 2
stages = 2
dimension = 1
bounds = (-1.0, 1.0)
"""
GOOD = """
def payoffs(actions, out):
    x, y = actions[0, 0], actions[1, 0]
    out[0] = x * y
    out[1] = x - y * y
"""


def report(folder, payoffs=GOOD, head=HEAD, more="", compiled=False):
    file = folder / "mine.py"
    file.write_text(head + payoffs + more)
    return check(load(str(file)), states=60, seconds=5, compiled=compiled)


def only(found):
    assert len(found.problems) == 1, str(found)
    return found.problems[0]


@pytest.mark.compiles
def test_a_sound_game(tmp_path):
    found = report(tmp_path, compiled=True)
    assert found.ok and found.speed is not None and found.speed.costliest == "payoffs"
    assert found.states == found.compiled_states == 120 and found.playouts == 60 and found.longest == 2
    assert found.notes == ("define svg(state) to see pictures in reports and notebooks",)
    assert "with real vectors (" in str(found)


BROKEN = {
    "payoffs-nan": (
        "def payoffs(actions, out):\n    out[0] = actions[0, 0]\n    out[1] = 1 / (1 - actions[1, 0])\n",
        "gave player 1 inf for the actions -1, 1; every payoff must be a finite number over the whole box, so define it there or "
        "narrow the bounds",
    ),
    "payoffs-unwritten": (
        "def payoffs(actions, out):\n    out[0] = actions[0, 0]\n",
        "does not write out[1], for the actions -1, -1; give every player a number",
    ),
    "payoffs-writes": (
        "def payoffs(actions, out):\n    actions[0, 0] = 0.5\n    out[0] = out[1] = actions[1, 0]\n",
        "changes actions, for the actions -1, -1; it may only read them, and write out",
    ),
    "payoffs-impure": (
        "def payoffs(actions, out):\n    out[0] += actions[0, 0]\n    out[1] = actions[1, 0]\n",
        "gave player 0 1233.56789 and then -1235.56789 for the actions -1, -1; it must depend on the actions alone, so write out and "
        "scratch before reading them, and use no chance",
    ),
    "payoffs-outside": (
        "def payoffs(actions, out):\n    out[0] = actions[0, 0]\n    out[1] = actions[2, 0]\n",
        "reads or writes outside an array (index 2 is out of bounds for axis 0 with size 2); compiled this would damage other data: "
        "actions has 2 stages of 1 numbers, actions[stage, i], and out 2 players",
    ),
    "payoffs-fails": (
        "def payoffs(actions, out):\n    out[0] = out[1] = other\n",
        "raised NameError: name 'other' is not defined, for the actions -1, -1; it must work for every action in the box",
    ),
}


@pytest.mark.parametrize("code", sorted(BROKEN))
def test_broken_payoffs(tmp_path, code):
    payoffs, message = BROKEN[code]
    problem = only(report(tmp_path, payoffs))
    assert problem.code == code and problem.message.startswith(f"payoffs ({tmp_path / 'mine.py'}, line ")
    assert problem.message.partition(") ")[2] == message


BOUNDS = {
    "bounds-order": (
        "low[0] = actions[0, 0] if stage else -1.0\n    high[0] = 0.5 if stage else 1.0",
        "game 'mine': bounds of component 0 at stage 1 after 1 are 1 to 0.5; the lower one comes first, so swap them",
    ),
    "bounds-infinite": (
        "low[0] = 0.0\n    high[0] = 1.0 if stage == 0 else 1e308 * 10",
        "game 'mine': bounds of component 0 at stage 1 after 0 are 0 to inf; both must be finite numbers, so choose limits wide enough",
    ),
    "bounds-unwritten": ("low[0] = 0.0", "does not write high[0] at stage 0; write every component of low and high"),
    "bounds-writes": (
        "low[0] = 0.0\n    high[0] = 1.0\n    actions[0, 0] = 3.0",
        "changes actions; it may only read them, and write low and high",
    ),
}


@pytest.mark.parametrize("code", sorted(BOUNDS))
def test_broken_bounds(tmp_path, code):
    body, message = BOUNDS[code]
    head = HEAD.replace("bounds = (-1.0, 1.0)\n", f"def bounds(stage, actions, low, high):\n    {body}\n")
    problem = only(report(tmp_path, head=head))
    assert problem.code == code and problem.message.endswith(message)


def test_a_wrong_gradient(tmp_path):
    right = """
def gradient(actions, player, out):
    x, y = actions[0, 0], actions[1, 0]
    out[0, 0] = y if player == 0 else 1.0
    out[1, 0] = x if player == 0 else -2 * y
"""
    assert report(tmp_path, more=right).ok
    problem = only(report(tmp_path, more=right.replace("-2 * y", "-3 * y")))
    assert problem.code == "gradient-wrong"
    assert "for player 1 by actions[1, 0], and differences of payoffs give " in problem.message
    assert problem.message.endswith("; correct it or leave it out")
    problem = only(report(tmp_path, more=right.replace("    out[0, 0] = y if player == 0 else 1.0\n", "")))
    assert "gives nothing (out is not written) for player 0 by actions[0, 0]" in problem.message


def test_notes_on_what_is_allowed_but_slow_or_odd(tmp_path):
    kink = GOOD.replace("x - y * y", "x - abs(y)")
    found = report(tmp_path, kink)
    assert found.ok
    assert any("so derivatives are taken by differences, which is slower and less exact" in note for note in found.notes)
    real = GOOD.replace("x * y", "x * y + float(y.is_integer())")
    assert any("does not work on complex numbers (AttributeError: " in note for note in report(tmp_path, real).notes)
    deaf = "def payoffs(actions, out):\n    out[0] = out[1] = actions[0, 0]\n"
    found = report(tmp_path, deaf)
    want = "no payoff depends on the action of stage 1 (player 1): any is as good as any other, and its regret is 0"
    assert found.ok and want in found.notes


@pytest.mark.parametrize(
    ("smooth", "payoff", "said"),
    [
        (True, "x * y + np.sin(y)", ""),
        (False, "x - abs(y)", "has no complex derivative at stage 1 for the actions "),
        (False, "x - max(y, 0.0)", "does not work on complex numbers (TypeError: complex numbers have no order, so "),
        (False, "x - np.maximum(y, 0.0)", "does not work on complex numbers (TypeError: complex numbers have no order, so "),
        (
            False,
            "x - (y if y > 0.99 else 0.99)",
            "does not work on complex numbers (TypeError: complex numbers have no order, so ",
        ),
        (False, "x - math.exp(y)", "has no complex derivative at stage 1 for the actions "),
        (False, "x - y * (1.0 if np.iscomplexobj(y) else 2.0)", "gives something else for complex numbers than for real ones"),
    ],
    ids=["smooth", "abs", "max", "maximum", "rare", "math", "other"],
)
def test_the_checker_says_what_the_search_does(tmp_path, smooth, payoff, said):
    found = report(tmp_path, "import math\nimport numpy as np\n" + GOOD.replace("x * y", payoff))
    notes = [note for note in found.notes if "so derivatives are taken by differences, which is slower and less exact" in note]
    assert len(notes) == (not smooth) and all(said in note for note in notes)
    fitted = playout.Settings().fitted(load(str(tmp_path / "mine.py")))
    assert fitted.slopes == ("exact" if smooth else "differences")


def test_a_gradient_of_its_own_needs_no_complex_numbers(tmp_path):
    gradient = """
def gradient(actions, player, out):
    x, y = actions[0, 0], actions[1, 0]
    out[0, 0] = y if player == 0 else 1.0
    out[1, 0] = x if player == 0 else (-1.0 if y > 0.0 else 1.0)
"""
    found = report(tmp_path, GOOD.replace("x - y * y", "x - abs(y)"), more=gradient)
    assert found.ok and not any("differences" in note for note in found.notes)
    assert playout.Settings().fitted(load(str(tmp_path / "mine.py"))).slopes == "game"


def test_the_text_of_payoffs_is_read(tmp_path):
    problem = only(report(tmp_path, GOOD + "    print(x)\n"))
    assert problem.code == "source-print" and "payoffs (" in problem.message


@pytest.mark.compiles
def test_what_does_not_compile(tmp_path):
    odd = "def payoffs(actions, out):\n    out[0] = out[1] = helper(actions)\n\n\ndef helper(actions):\n    return float(actions[0, 0].hex() != '')\n"
    found = report(tmp_path, odd, compiled=True)
    assert not found.ok


@pytest.mark.compiles
@pytest.mark.parametrize("name", ["loss-1d", "loss-3d", "stackelberg:firms=3", "polynomial:stages=2,dimension=2"])
def test_bundled_games(name):
    found = check(name, states=100, seconds=5)
    assert found.ok and found.speed is not None, str(found)
