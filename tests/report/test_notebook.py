"""What a notebook shows: whole, with its style kept to itself, nothing that acts or loads, and hostile names as text."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import playout
from playout.learning.evaluate import Evaluation, Outcome
from playout.learning.network.result import NetworkResult
from playout.learning.network.settings import NetworkSettings
from playout.learning.run import Learned, Point, Result
from playout.learning.settings import Settings
from tests.report.samples import versus

NASTY = '<script>alert("1")</script></section><img src=x onerror=alert(1)>\x1b\x00 & é'


class Shown(HTMLParser):
    """Opens and closes what it should, and has nothing in it that acts or asks for anything."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], set(), []
        self.feed(text)
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "iframe", "object", "link", "img"), tag
        for name, value in attrs:
            assert not name.startswith("on") and name != "src", (tag, name)
            assert name != "href" or value.startswith("#"), value
        self.tags.add(tag)
        if tag not in ("br", "wbr", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:])
        self.open.pop()

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.words))


def shown(thing):
    text = thing._repr_html_()
    assert not re.search(r"[\x00-\x08\x1b]", text) and "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", text)
    return Shown(text)


def nasty_game(**more):
    """One move, under names that nobody should give it."""

    def legal(state, out):
        out[0], out[1] = 0, 1
        return 2

    def play(state, action, rng):
        state.done = action + 1

    def mover(state):
        return -1 if state.done else 0

    def returns(state, out):
        out[0], out[1] = state.done - 1, 1 - state.done

    said = {
        "players": 2,
        "actions": 2,
        "State": np.dtype([("done", np.int8)]),
        "returns_range": (-1, 1),
        "__doc__": f"{NASTY}: {NASTY}",
    }
    said |= {"start": lambda state, rng: None, "legal": legal, "play": play, "mover": mover, "returns": returns, "name": NASTY}
    said |= {"action_name": lambda state, action: f"<b>{action}</b>{NASTY}", "draw": lambda state: NASTY}
    return playout.load({**said, "player_names": (NASTY.translate({0: None, 27: None}), "<i>you</i>"), **more})


def result(game=NASTY):
    outcome = Outcome(win=0.5, draw=0.25, loss=0.25, win_interval=(0.4, 0.6), draw_interval=(0.2, 0.3), loss_interval=(0.2, 0.3))
    point = Point(
        10, 5, Evaluation(exact=False, games=20, losing_lines=[None], lines=[None], against={NASTY: {"first": outcome}})
    )
    return Result(
        game=game,
        rule=NASTY,
        episodes=10,
        seconds=1.0,
        episodes_per_second=10.0,
        entries=5,
        losing_lines=[None],
        against={NASTY: {"first": outcome}},
        exact=False,
        games=20,
        why="",
        lines=[None],
        value=None,
        seed=0,
        bytes_per_entry=8.0,
        collisions=0,
        dropped=0,
        settings=Settings(),
        curve=[point, Point(100, 9, point.evaluation)],
    )


def test_a_state_shows_its_board_and_whose_turn_it_is():
    state = playout.load("tic-tac-toe").start().replay(["b2", "a1"])
    found = shown(state)
    assert "svg" in found.tags and "player 0 to act: b1, c1, a2, c2, a3, b3, c3" in found.text and "tic-tac-toe" in found.text
    assert state._repr_svg_().startswith("<svg")
    over = shown(playout.load("tic-tac-toe").start().replay(["a1", "a2", "b1", "b2", "c1"]))
    assert "over; returns: player 0 +1, player 1 -1" in over.text


def test_many_actions_are_counted_and_real_ones_not_named():
    assert "... (121 in all)" in shown(playout.load("hex").start()).text
    assert "player 0 to act" in shown(playout.load("loss-1d").start()).text


def test_a_decision_shows_what_was_chosen_and_why():
    decision = playout.search("tic-tac-toe", simulations=200, seed=1, compiled=False)
    found = shown(decision)
    assert (
        decision.why() in found.text
        and decision.sureness in found.text
        and f"Line: {' '.join(decision.line().names)}" in found.text
    )
    assert {"table", "svg", "style"} <= found.tags and all(action.name in found.text for action in decision.actions)


def test_a_decision_is_shown_after_the_search_went_on():
    search = playout.Search("tic-tac-toe", seed=1, compiled=False)
    decision = search.run(simulations=100)
    search.play(decision.action)
    assert decision.why() in shown(decision).text and "Line:" not in shown(decision).text


def test_standings_show_themselves():
    found = shown(versus(["uct", "random"], [100.0, -100.0]))
    assert "uct" in found.text and "Against each other" in found.text and {"table", "svg"} <= found.tags


def test_a_learning_run_shows_its_curve():
    told = result("tic-tac-toe")
    assert "The learning curve" in shown(told).text
    assert Learned(policy=None, result=told)._repr_html_() == told._repr_html_()


def test_a_network_shows_its_curve():
    told = result()
    words = {
        "seed": 0,
        "device": NASTY,
        "weights": 7,
        "generations": 1,
        "games": 10,
        "decisions": 5,
        "trained": 3,
        "seconds": 1.0,
    }
    words |= {
        "decisions_per_second": 5.0,
        "trained_per_second": 3.0,
        "shares": {},
        "notes": [NASTY],
        "out": NASTY,
        "stopped": "done",
    }
    network = NetworkResult(
        game=NASTY, against=told.against, losing_lines=[None], curve=told.curve, settings=NetworkSettings(), **words
    )
    assert "How it was learned" in shown(network).text


def test_hostile_names_stay_names():
    game = nasty_game()
    state = game.start()
    for thing in (
        state,
        playout.search(state, simulations=30, compiled=False),
        versus([NASTY, "<i>b</i>"], [10.0, -10.0]),
        result(),
    ):
        assert "alert" in shown(thing).text, type(thing).__name__


def test_hostile_pictures_are_cleaned_or_left_out():
    bad = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script><rect onload="x" width="9" height="9"/></svg>'
    state = nasty_game(svg=lambda state: bad).start()
    assert "<rect" in state._repr_svg_() and "script" not in state._repr_svg_() and "onload" not in state._repr_svg_()
    assert "script" not in shown(state).tags
    broken = nasty_game(svg=lambda state: "<svg").start()
    assert broken._repr_svg_() is None and "rect" not in shown(broken).tags


@pytest.mark.parametrize("thing", [versus(["a", "b"], [1.0, -1.0]), result()], ids=["standings", "learning"])
def test_the_style_is_kept_to_the_cell(thing):
    sheet = re.search(r"<style>(.*?)</style>", thing._repr_html_(), re.DOTALL)[1]
    depth, outside = 0, ""
    for letter in sheet:
        outside += letter if depth == 0 else ""
        depth += {"{": 1, "}": -1}.get(letter, 0)
    assert depth == 0 and ":root" not in sheet
    for selector in re.sub(r"\s+", " ", outside).replace("}", "{").split("{"):
        assert all(".playout-cell" in part for part in selector.split(",") if part.strip()), selector
    assert "prefers-color-scheme: dark" in sheet and 'data-jp-theme-light="false"' in sheet
