"""What stands behind the other pages and cards: looking back, games being written, real-valued actions, the arena, learning."""

import base64
import json
import os
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

import playout
from playout.studio import process
from playout.studio.arena import ArenaDesk, Stopped
from playout.studio.catalog import Catalog, Limits
from playout.studio.desk import USED_UP, Allowance
from playout.studio.learning import LearningDesk
from playout.studio.real import Regrets, landscape
from playout.studio.worker import Worker
from playout.studio.writing import Watched, page
from tests.studio.test_sitting import HOSTILE


class Kept:
    """A desk of some kind whose messages are kept."""

    def __init__(self, kind, **named):
        self.said = []
        self.desk = kind(Catalog(**named), self.said.append)

    def do(self, name, **words):
        self.desk.work({"do": name, **words})

    def last(self, kind):
        return next(message for message in reversed(self.said) if message["kind"] == kind)

    def wait(self, kind, right=lambda message: True, seconds=60):
        end = time.monotonic() + seconds
        while not any(message["kind"] == kind and right(message) for message in list(self.said)):
            assert time.monotonic() < end, [message.get("words") for message in self.said]
            time.sleep(0.02)
        return self.last(kind)


# a game that is being written

GAME = HOSTILE.replace("<img src=x onerror=alert(1)>", "one").replace("</script><script>alert(2)</script>", "two")


def test_a_saved_file_is_read_again_checked_and_played_on(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(GAME)
    kept = Kept(Worker, games=(str(file),))
    kept.do("open", game=str(file), seats=["person", "person"], seed=1)
    kept.wait("findings", lambda message: "states" in message["words"])
    kept.do("play", action=0)
    kept.do("play", action=1)
    file.write_text(GAME.replace('("one", "two")', '("north", "south")'))
    kept.desk.work(0.5)
    assert kept.last("view")["players"] == ["north", "south"] and "north plays" in kept.last("view")["moves"]
    assert kept.desk.sitting.place == 2
    # A rule under which the second action is not legal any more.
    file.write_text(GAME.replace("    return 2\n", "    return 2 - state.n % 2\n"))
    kept.desk.work(0.5)
    assert kept.last("problem")["words"] == "1 of 2 actions are still legal; the others were left out"
    file.write_text("def broken(:")
    kept.desk.work(0.5)
    assert "syntax error in line 1" in kept.last("findings")["words"] and kept.last("findings")["ok"] is False
    kept.do("play", action=0)
    assert kept.desk.sitting.place == 2, "the old rules still play"


def test_what_the_checker_finds_is_shown_as_words(tmp_path):
    assert page("<script>") == "<p class='bad'>&lt;script&gt;</p>"
    file = tmp_path / "wrong.py"
    file.write_text(GAME.replace("def mover(state): return -1 if state.n > 3 else state.n % 2", "def mover(state): return 7"))
    kept = Kept(Worker, games=(str(file),))
    kept.do("open", game=str(file), seats=["random", "random"])
    assert kept.last("problem")["words"].startswith("the game's own code failed: IndexError")
    words = kept.wait("findings", lambda message: "problem" in message["words"] or "cannot" in message["words"])["words"]
    assert "mover" in words


def test_a_file_is_watched_with_its_neighbours(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("a = 1")
    watched = Watched(file)
    assert not watched.changed()
    (tmp_path / "helper.py").write_text("b = 1")
    assert watched.changed() and not watched.changed()


# real-valued actions


def test_the_landscape_of_the_last_action_is_exact():
    state = playout.load("stackelberg").start().play([3.0])
    chart = landscape(state)
    points = re.search(r'<polyline points="([^"]*)"', chart)[1].split()
    assert len(points) == 81
    # The payoff of the second firm is highest where its best reply is, which is (10 - 3) / 2 of the box from 0 to 10.
    heights = [float(point.split(",")[1]) for point in points]
    reply = max(range(81), key=lambda place: state.play([place / 8]).returns[1])
    assert heights.index(min(heights)) == reply and 'data-vector="0:' in chart
    assert landscape(playout.load("stackelberg").start()) == "", "before the last stage nothing is known without a search"


def test_a_map_for_two_dimensions():
    state = playout.load("pursuit").start()
    while state.game.stages - 1 > state.fields.stage:
        state = state.play([0.1, 0.2])
    chart = landscape(state)
    (left, low), (right, high) = state.box
    first = f'data-vector="0:{left + (right - left) / 50:.6g},1:{low + (high - low) / 50:.6g}"'
    assert chart.count("data-vector=") == 625 and first in chart


@pytest.mark.compiles
def test_what_was_given_away_is_measured_against_the_reference():
    said = []
    Regrets(playout.load("loss-1d").start(), [(0.5,), (0.5,), (0.5,)], said.append, Allowance(60)).run()
    assert "regret" in said[0] and said[0].count("<tr>") == 4 and "against the" in said[0]


# looking back


@pytest.mark.compiles
def test_a_game_is_looked_back_at_move_by_move():
    kept = Kept(Worker)
    # b1 lets the first player win by force.
    kept.do("open", game="tic-tac-toe", seats=["person", "person"], seed=1, moves="b2,b1,a1,c3,a3")
    kept.do("review", simulations=400)
    kept.desk.work(kept.desk.inbox.get(timeout=60))
    found = kept.last("review")
    assert found["done"] == 1.0 and found["parts"]["curve"].count("data-place=") == 5
    assert 'data-place="1"' in found["parts"]["worst"] and "played <b>b1</b>" in found["parts"]["worst"]


def test_hidden_games_are_looked_back_at_when_they_are_over():
    kept = Kept(Worker)
    kept.do("open", game="kuhn-poker", seats=["person", "random"], seed=1)
    kept.do("review")
    assert kept.last("problem")["words"] == "a game with hidden cards is looked back at when it is over"


# the arena


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"game": "/etc/passwd", "agents": ["random", "tactic"]}, "game '/etc/passwd' is not open in this studio"),
        ({"game": "nim", "agents": ["random", "/tmp/x.py:y"]}, "agent '/tmp/x.py:y' is not open in this studio"),
        ({"game": "nim", "agents": ["random"]}, "1 agents are given; give 2 to 12"),
        ({"game": "nim", "agents": ["random", "tactic"], "games": 0}, "games is 0"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused(words, said):
    kept = Kept(ArenaDesk)
    kept.do("start", **words)
    assert kept.last("problem")["words"].startswith(said)


def test_only_databases_that_were_named_are_open():
    kept = Kept(ArenaDesk)
    kept.do("database", number=0)
    assert kept.last("problem")["words"].startswith("there is no such file")
    kept.do("keep")
    assert kept.last("problem")["words"] == "no game was played yet"


@pytest.mark.compiles
def test_stored_games_are_listed_with_links_to_their_boards(tmp_path):
    file = tmp_path / "games.db"
    playout.compete("tic-tac-toe", ["random", "tactic"], games=6, engine="here", file=file)
    kept = Kept(ArenaDesk, databases=(str(file),))
    kept.do("database", number=0)
    found = kept.last("standings")
    assert "tactic" in found["page"] and found["games"].count("<a href=") == 6
    link = re.search(r"href='/\?game=tic-tac-toe&amp;seed=(\d+)&amp;moves=([^']*)'", found["games"])
    board = Kept(Worker)
    board.do("open", game="tic-tac-toe", seats=["person", "person"], seed=int(link[1]), moves=link[2].replace("%2C", ","))
    assert board.last("view")["turn"] == "over", "the link leads to the end of that very game"


# learning


@pytest.mark.compiles
def test_a_run_shows_its_curve_and_what_it_learned():
    kept = Kept(LearningDesk)
    kept.do("start", game="tic-tac-toe", episodes=3000)
    kept.wait("progress", lambda message: not message["going"])
    kept.desk.work(kept.desk.inbox.get(timeout=30))
    assert "<svg" in kept.last("curve")["chart"]
    shown = kept.last("values")
    assert shown["table"].count("data-action=") == 9 and shown["board"].count("data-action=") == 9
    kept.do("play", action=4)
    assert "player 1 to act" in re.sub("<[^>]*>", "", kept.last("values")["words"]), "in every seat"
    kept.do("back")
    assert kept.last("values")["table"] == shown["table"]
    kept.do("keep")
    assert json.loads(base64.b64decode(kept.last("file")["data"]))


@pytest.mark.compiles
def test_a_network_shows_its_curve_and_what_it_learned(monkeypatch, tmp_path):
    """The run itself has tests of its own; here it is a network that knows nothing yet."""
    pytest.importorskip("torch")
    from playout.learning.network import Network

    told = []

    def learned(rules, *, minutes, seed, show):
        told.append((rules.name, minutes, seed))
        show(SimpleNamespace(curve=[], generation=1, games=8, per_second=90.0, seconds=1.0, target=60.0))
        return Network(rules, device="cpu", compiled=False), SimpleNamespace(curve=[], generations=1, games=8, weights=1000)

    monkeypatch.setattr("playout.learning.network.learn.learn_network", learned)
    kept = Kept(LearningDesk)
    kept.do("start", game="tic-tac-toe", learner="network", minutes=1.0, seed=3)
    kept.wait("progress", lambda message: not message["going"])
    kept.desk.work(kept.desk.inbox.get(timeout=30))
    assert told == [("tic-tac-toe", 1.0, 3)] and kept.last("progress")["words"] == "1 generations, 8 games, 1,000 weights"
    shown = kept.last("values")
    assert shown["table"].count("data-action=") == 9 and "policy" in shown["table"] and "%" in shown["table"]
    kept.do("keep")
    assert kept.last("file")["name"] == "tic-tac-toe-network.net"
    file = tmp_path / "mine.net"
    file.write_bytes(base64.b64decode(kept.last("file")["data"]))
    again = Kept(LearningDesk, policies=(str(file),))
    again.do("policy", number=0)
    assert again.last("values")["table"] == shown["table"]
    assert f"network:{file}" in again.desk.catalog.suggested


# limits


@pytest.mark.parametrize("desk, words", [(ArenaDesk, {"agents": ["random", "tactic"]}), (LearningDesk, {})])
def test_tournaments_and_learning_spend_the_seconds_of_the_tab(desk, words):
    kept = Kept(desk, limits=Limits(seconds=0.0))
    kept.do("start", game="tic-tac-toe", **words)
    assert kept.last("problem")["words"] == USED_UP
    kept = Kept(desk, limits=Limits(seconds=5.0))
    kept.desk._spent = time.monotonic() - 1.0
    kept.desk.workers = 3
    told = {
        ArenaDesk: lambda: kept.desk._told(SimpleNamespace(done=0, wanted=4, per_second=1.0, seconds_left=None)),
        LearningDesk: lambda: kept.desk._tell(0.5, "half"),
    }[desk]
    told()
    spent = 5.0 - kept.desk.allowance.left
    assert spent == pytest.approx(3.0 if desk is ArenaDesk else 1.0, abs=0.3), "each worker spends"
    kept.desk._spent -= 10.0
    with pytest.raises((Stopped, KeyboardInterrupt)):
        told()
    assert kept.last("problem")["words"] == USED_UP


def test_the_memory_of_a_tab_is_that_of_its_workers_too():
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; x = b'x' * 50_000_000; print('up', flush=True); time.sleep(60)"],
        stdout=subprocess.PIPE,
    )
    try:
        child.stdout.readline()
        assert process.family()[0] == os.getpid() and child.pid in process.family()
        assert process._megabytes(child.pid) > 50
    finally:
        child.kill()
        child.wait()
    assert child.pid not in process.family() and process._megabytes(child.pid) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"do": "start", "game": "../x.py"}, "game '../x.py' is not open in this studio"),
        ({"do": "start", "game": "nim", "episodes": 0}, "episodes is 0"),
        ({"do": "start", "game": "nim", "preset": "x"}, "preset is 'x'"),
        ({"do": "start", "game": "nim", "learner": "x"}, "learner is 'x'; give one of table, network"),
        ({"do": "start", "game": "nim", "minutes": 0}, "minutes is 0; give a number above 0, at most 1440"),
        ({"do": "policy", "number": 3}, "there is no such file"),
        ({"do": "play", "action": 0}, "nothing was learned yet"),
        ({"do": "keep"}, "nothing was learned yet"),
    ],
)
def test_learning_that_cannot_be_is_refused(words, said):
    kept = Kept(LearningDesk)
    kept.desk.work(words)
    assert kept.last("problem")["words"].startswith(said)
