"""Charts out of plain lists."""

import math
from xml.etree import ElementTree

import pytest

from playout.report.marks import known, plain, squeezed
from playout.report.plots import Series, cross_table, dot_rows, dots, histograms, lines
from playout.report.style import SERIES
from tests.report.test_arena_page import check_picture
from tests.report.test_decision_page import read


def texts(picture):
    return [element.text for element in ElementTree.fromstring(picture).iterfind(".//{*}text")]


def notes(picture):
    return [element.text for element in ElementTree.fromstring(picture).iterfind(".//{*}title")][1:]


def test_dots_show_names_numbers_and_intervals():
    picture = dots(["a", "b", "c"], [1.0, 2.0, None], [0.5, None, None], [1.5, None, None], title="T", label="units", level=0.0)
    check_picture(picture)
    assert {"a", "b", "c", "1", "2", "–", "units"} <= set(texts(picture))
    assert notes(picture) == ["a: 1 (0.5 to 1.5)", "b: 2"]
    assert picture.count("<circle") == 2


def test_long_names_stand_above_their_rows():
    name = "uct:" + "x" * 200 + ",c=0.7"
    picture = dots([name], [1.0], [0.0], [2.0], title="T", label="units")
    check_picture(picture)
    shown = next(text for text in texts(picture) if "…" in text)
    assert shown.startswith("uct:") and shown.endswith(",c=0.7")


def test_rows_with_several_dots_have_a_legend():
    series = [
        Series(name=f"seat {i}", values=[1.0 + i, 2.0], lows=[0.0, 1.0], highs=[3.0, 4.0], colour=SERIES[i]) for i in range(3)
    ]
    picture = dot_rows(["a", "b"], series, title="T", label="units")
    check_picture(picture)
    assert {"seat 0", "seat 1", "seat 2"} <= set(texts(picture)) and picture.count("<circle") == 6
    assert "a, seat 1: 2 (0 to 3)" in notes(picture)


def test_lines_have_bands_and_a_legend():
    series = [
        Series(name="one", at=[1, 10, 100], values=[1.0, 2.0, 3.0], lows=[0.0, 1.5, 2.9], highs=[2.0, 2.5, 3.1]),
        Series(name="two", at=[1, 10, 100], values=[2.0, None, 1.0], colour=SERIES[1]),
        Series(name="many", at=[1, 10], values=[0.0, 0.0], lows=[-9, -9], highs=[9, 9], faint=True),
    ]
    picture = lines(series, title="T", across="budget", down="Elo", log=True, level=0.0)
    check_picture(picture)
    assert {"one", "two", "budget (logarithmic)", "Elo", "1", "10", "100"} <= set(texts(picture)) and "many" not in texts(picture)
    assert picture.count("fill-opacity") == 1 and picture.count("<polyline") == 3


def test_lines_with_whiskers_are_points():
    series = [Series(name="", at=[0.1, 0.5, 2.0], values=[1.0, 3.0, 2.0], lows=[0.0, 2.0, 1.0], highs=[2.0, 4.0, 3.0])]
    picture = lines(series, title="T", across="c", down="points, %", whiskers=True)
    check_picture(picture)
    assert picture.count("<circle") == 3 and picture.count("<polyline") == 1 and "fill-opacity" not in picture


def test_focus_lets_early_bands_run_off():
    series = [Series(name="", at=range(1, 9), values=[50.0] * 8, lows=[0.0] * 4 + [45.0] * 4, highs=[100.0] * 4 + [55.0] * 4)]
    wide = lines(series, title="T", across="games", down="points, %")
    near = lines(series, title="T", across="games", down="points, %", focus=True)
    check_picture(near)
    assert "100" in texts(wide) and "100" not in texts(near)


def test_labels_that_find_no_place_are_left_out():
    crowd = [Series(name=f"agent {i}", at=[1.0], values=[1.0], label=f"agent {i}") for i in range(30)]
    picture = lines(crowd, title="T", across="s", down="Elo", log=True, whiskers=True)
    check_picture(picture)
    assert 2 <= sum(text.startswith("agent") for text in texts(picture)) < 30


def test_histograms_share_edges_and_scale():
    picture = histograms(["a", "b"], [0.5, 1.5, 2.5], [[3, 1], [0, 0]], title="T", label="score", means=[1.2, None])
    check_picture(picture)
    assert notes(picture) == ["1: 3 (75.0 %)", "2: 1 (25.0 %)", "mean 1.2"]
    check_picture(histograms([""], [0.0, 0.5, 1.0], [[1, 0]], title="T", label="score"))
    check_picture(histograms([""], [-2e6, 3.3e6], [[123_456]], title="T", label="score"))


@pytest.mark.parametrize("bad", [None, math.nan, math.inf, -math.inf, 1e200])
def test_nothing_to_show_is_no_error(bad):
    assert known(bad) is None
    check_picture(dots(["a"], [bad], [bad], [bad], title="T", label="x"))
    for log in (False, True):
        for whiskers in (False, True):
            one = Series(name="a", at=[bad], values=[1.0], lows=[bad], highs=[bad], label="a")
            check_picture(lines([one], title="T", across="x", down="y", log=log, whiskers=whiskers))
            check_picture(lines([], title="T", across="x", down="y", log=log, whiskers=whiskers))
    check_picture(histograms([], [], [], title="T", label="x"))
    check_picture(dots([], [], [], [], title="T", label="x"))


@pytest.mark.parametrize("low, high", [(1e-300, 1e90), (1e-6, 1e6), (3, 3), (2.2, 4.4), (1, 1e12), (99.9, 100.1)])
def test_axes_of_every_length(low, high):
    series = [Series(name="a", at=[low, high], values=[low, high], lows=[low, high], highs=[low, high])]
    for log in (False, True):
        picture = lines(series, title="T", across="x", down="y", log=log)
        check_picture(picture)
        assert len(texts(picture)) >= 5


def test_cross_table_is_coloured_and_escaped():
    text = cross_table(
        ["<a>", "b"],
        [["", "61 %"], ["39 %", ""]],
        [[None, 0.22], [-0.22, None]],
        [["", 'n"1'], ["n2", ""]],
        [["", "+1"], ["-1", ""]],
    )
    read(text.replace("<wbr>", ""))
    assert "&lt;a&gt;" in text and 'title="n&quot;1"' in text and text.count("background:var(--d") == 2 and "<small>+1" in text
    names = [f"agent {i}" for i in range(30)]
    blank = [[""] * 30 for _ in names]
    assert 'class="cross dense"' in cross_table(names, blank, [[None] * 30 for _ in names], blank, blank)


def test_short_words():
    assert squeezed("abcdefghij", 10, 100) == "abcdefghij" and squeezed("abcdefghij", 10, 30) == "ab…ij"
    assert [plain(v) for v in (0.25, -3, 9999, 35_000, -35_000, 2.5e6)] == ["0.25", "-3", "9999", "35 k", "-35 k", "2.5 M"]
