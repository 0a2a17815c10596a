"""The process behind a tab, without the process: commands in, what the page shows out."""

import threading
import time

import pytest

from playout.agents import SearchAgent
from playout.game import calls
from playout.planner.search import Search
from playout.planner.settings import Budget, Settings
from playout.studio import thinking
from playout.studio.catalog import Catalog, Limits
from playout.studio.desk import Allowance
from playout.studio.thinking import Analysis, Clock, Thought
from playout.studio.worker import Worker


class Desk:
    """A worker whose messages are kept."""

    def __init__(self, **limits):
        self.said = []
        self.worker = Worker(Catalog(limits=Limits(**limits)), self.said.append)

    def do(self, name, **words):
        self.worker.work({"do": name, **words})
        return self.said

    def last(self, kind):
        return next(message for message in reversed(self.said) if message["kind"] == kind)

    def settle(self, seconds=60.0):
        """Work off what searches report until none is left."""
        end = time.monotonic() + seconds
        while self.worker.thoughts:
            assert time.monotonic() < end
            self.worker.work(self.worker.inbox.get(timeout=seconds))


def test_a_game_against_an_agent_is_played_to_its_end():
    desk = Desk()
    desk.do("open", game="tic-tac-toe", seats=["person", "random"], seed=1)
    while desk.last("view")["turn"] != "over":
        desk.do("play", action=desk.worker.sitting.state.legal[0])
        desk.settle()
    assert desk.last("view")["turn"] == "over" and not [m for m in desk.said if m["kind"] == "problem"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ({"do": "open", "game": "/etc/passwd"}, "game '/etc/passwd' is not open in this studio"),
        ({"do": "seat", "player": 7, "spec": "random"}, "there is no seat 7; tic-tac-toe has 2"),
        ({"do": "seat", "player": 0, "spec": "/tmp/evil.py:run"}, "agent '/tmp/evil.py:run' is not open in this studio"),
        ({"do": "play", "action": 99}, "'99' is not a legal action"),
        ({"do": "play", "action": "/etc/passwd"}, "'/etc/passwd' is not a legal action"),
        ({"do": "jump", "place": 55}, "there is no position 55"),
        ({"do": "set_up", "moves": "@/etc/passwd"}, "'@/etc/passwd' is not a legal action"),
        ({"do": "load_state", "text": "../../x"}, "that is no saved state"),
        ({"do": "think", "panel": "z"}, "there is no panel 'z'"),
        ({"do": "think", "settings": {"value": "/etc/passwd", "x": 1}}, "unknown option 'x'"),
        ({"do": "more", "panel": "a"}, "there is no search here"),
        ({"do": "rm -rf"}, "there is no command 'rm -rf'"),
        ({"do": "play"}, "the command 'play' does not fit"),
        ({"do": "undo"}, "there is no decision of yours to take back yet"),
        ({"do": "redo"}, "nothing was taken back"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_the_game_as_it_was(command, words):
    desk = Desk()
    desk.do("open", game="tic-tac-toe", seats=["person", "person"], seed=1)
    desk.worker.work(command)
    assert desk.last("problem")["words"].replace("move 1: ", "").startswith(words)
    desk.do("play", action="b2")
    assert desk.last("view")["turn"] == "person" and "plays b2" in desk.last("view")["moves"]


def test_the_seconds_of_a_tab_have_an_end():
    desk = Desk(seconds=0.0)
    desk.do("open", game="tic-tac-toe", seats=["person", "person"])
    desk.do("think")
    assert desk.last("problem")["words"].startswith("this tab has used up the seconds of search")


def test_what_an_agent_thinks_of_hidden_cards_is_not_sent():
    desk = Desk()
    desk.do("open", game="kuhn-poker", seats=["person", "random"], seed=2)
    desk.do("play", action="bet")
    desk.settle()
    assert not [message for message in desk.said if message["kind"] == "thought"]
    desk.do("think")
    assert desk.last("problem")["words"].startswith("there is nothing to think about here")


def test_a_game_that_raises_stops_its_own_sitting(tmp_path):
    from tests.studio.test_sitting import HOSTILE

    file = tmp_path / "raises.py"
    file.write_text(HOSTILE.replace("def play(state, action, rng): state.n += 1", "def play(state, action, rng): 1 // 0"))
    desk = Desk()
    desk.worker.catalog = desk.worker.sitting.catalog = Catalog(games=(str(file),))
    desk.do("open", game=str(file), seats=["person", "person"])
    desk.do("play", action=0)
    assert desk.last("problem")["words"].startswith("the game's own code failed: ZeroDivisionError")


# searches, uncompiled


def analysis(tell, budget, seconds=1e9):
    made = lambda: Search("tic-tac-toe", compiled=False, fit=False, solver=False, decisive_playouts="off")  # noqa: E731
    search = made()
    return Analysis("a", tell, Allowance(seconds), lambda: search, search.game.start(), budget)


def test_a_search_is_paused_goes_on_and_is_stopped_with_the_best_so_far():
    seen, first = [], threading.Event()

    def tell(thought, decision, last):
        seen.append((decision, last))
        first.set()

    thought = analysis(tell, Budget(seconds=600))
    thought.start()
    assert first.wait(30)
    thought.pause()
    time.sleep(0.5)
    before = len(seen)
    time.sleep(0.7)
    assert len(seen) == before, "nothing comes while it is paused"
    thought.go_on()
    thought.stop()
    thought.join(30)
    assert not thought.is_alive() and thought.error is None
    assert seen[-1][1] and seen[-1][0].stopped == "stopped" and seen[-1][0].simulations > 0


@pytest.mark.parametrize("budget", [Budget(seconds=600), Budget(simulations=10_000_000)], ids=["seconds", "simulations"])
def test_a_stop_does_not_wait_for_the_next_snapshot(budget, monkeypatch):
    monkeypatch.setattr(thinking, "EVERY", 1e9)
    seen = []
    thought = analysis(lambda thought, decision, last: seen.append((decision, last)), budget)
    thought.start()
    search = thought.make()
    while not (search.trees and search.trees[0].simulations):
        time.sleep(0.01)
    thought.stop()
    thought.join(30)
    assert not thought.is_alive() and thought.error is None
    ((decision, last),) = seen
    assert last and decision.stopped == "stopped" and 0 < decision.simulations < 10_000_000


def test_taking_back_ends_what_an_agent_thinks(monkeypatch):
    """However long its rounds are, the position before is there at once, and the agent is asked again after the next action."""
    monkeypatch.setattr(thinking, "EVERY", 1e9)
    monkeypatch.setattr(Catalog, "agent", lambda catalog, spec, game: Slowly(game))
    desk = Desk()
    desk.do("open", game="tic-tac-toe", seats=["person", "uct:seconds=600"], seed=1)
    desk.do("play", action=4)
    (thought,) = desk.worker.thoughts.values()
    while not (thought.searching and thought.searching.trees[0].simulations):
        time.sleep(0.01)
    desk.do("undo")
    assert not thought.is_alive() and not desk.worker.thoughts and desk.worker.sitting.place == 0
    assert desk.worker.sitting.course.agents[1] is thought.agent, "it has ended, so nobody else has to take its seat"


class Slowly:
    """Makes an agent whose search is uncompiled and has no end."""

    def __init__(self, game):
        self.game = game

    def make(self, seed):
        settings = Settings(solver=False, decisive_playouts="off")
        agent = SearchAgent(self.game, settings, Budget(seconds=600), "slowly")
        agent.search = Search(self.game, settings, compiled=False)
        return agent


def test_more_time_is_the_same_budget_once_more_on_the_same_tree():
    seen = []
    thought = analysis(lambda thought, decision, last: seen.append(decision), Budget(simulations=60))
    thought.more()
    thought.start()
    thought.join(30)
    assert seen[-1].parent_visits == 120


def test_a_pause_costs_no_part_of_the_budget():
    clock = Clock()
    before = clock()
    clock.pause()
    time.sleep(0.05)
    assert clock() - before < 0.04
    clock.go_on()
    assert clock() - before < 0.04
    time.sleep(0.02)
    assert clock() - before >= 0.02


def test_an_allowance_ends_a_search_with_a_sentence():
    thought = analysis(lambda *told: None, Budget(seconds=600), seconds=0.1)
    thought.start()
    thought.join(30)
    assert str(thought.error).startswith("this tab has used up the seconds of search")


def test_rules_that_do_not_come_back_are_found():
    gone = threading.Event()
    threading.Thread(target=calls.noted, args=("slow.py", "play", None, gone.wait, 30), daemon=True).start()
    time.sleep(0.15)
    found = calls.stuck(0.1)
    gone.set()
    assert found is not None and found.words() == "the rules of slow.py (in play)" and calls.stuck(60.0) is None


@pytest.mark.compiles
def test_two_searches_of_one_position_side_by_side():
    desk = Desk()
    desk.do("open", game="tic-tac-toe", seats=["person", "person"], seed=1)
    desk.do("think", panel="a", budget={"simulations": 300})
    desk.do("think", panel="b", settings={"c": "2.0"}, budget={"simulations": 300})
    desk.settle()
    parts = {"a": {}, "b": {}}
    for message in desk.said:
        if message["kind"] == "thought":
            parts[message["panel"]].update(message["parts"])
    assert parts["a"]["why"] and parts["b"]["why"] and parts["a"]["table"] != parts["b"]["table"]
    assert "data-action" not in parts["a"]["line"], "small boards are to look at"
    desk.do("more", panel="a")
    desk.settle()
    desk.do("play", action="b2")
    assert {"kind": "thinking", "panel": "b", "state": "gone"} in desk.said[-4:]


def test_the_board_is_there_before_its_agent_is_made_and_wrong_options_are_told_at_once():
    """No machine code is asked for: the marks of the tests would tell."""
    desk = Desk()
    desk.do("open", game="connect-four", seats=["person", "uct:simulations=50"], seed=1)
    assert desk.last("view")["turn"] == "person"
    desk.do("seat", player=1, spec="uct:simulation=5")
    assert desk.last("problem")["words"].startswith("agent 'uct' has no option 'simulation'; did you mean 'simulations'")
    desk.do("seat", player=1, spec="uct:c=-1")
    assert desk.last("problem")["words"] == "c is -1.0; the exploration constant must be a finite number, 0 or more"
    assert desk.worker.sitting.specs == ["person", "uct:simulations=50"]


@pytest.mark.parametrize(("game", "moves"), [("pig", "roll, roll"), ("scoundrel", ""), ("loss-1d", "0.5 0.25"), ("nim", "0,")])
def test_a_new_process_gets_where_the_old_one_was(game, moves):
    desk, again = Desk(), Desk()
    desk.do("open", game=game, moves=moves)
    again.do("open", **desk.last("kept")["words"])
    assert bytes(again.worker.sitting.state) == bytes(desk.worker.sitting.state)
    assert again.worker.sitting.state.word == desk.worker.sitting.state.word


def test_nobody_waits_for_a_search_that_a_move_has_ended_and_it_is_not_heard_any_more():
    """A search that takes its time to stop: the new position is shown at once, and what it still has to say is of the old one."""
    desk, going, late = Desk(), threading.Event(), threading.Event()
    desk.do("open", game="tic-tac-toe", seats=["person", "person"], seed=1)
    found = Search("tic-tac-toe", compiled=False).run(desk.worker.sitting.state, Budget(simulations=20))

    class Slow(Thought):
        def think(self):
            self.decision = found
            going.set()
            late.wait(20)
            self.tell(self, found, False)

    slow = Slow("a", desk.worker.told, desk.worker.allowance)
    desk.worker.begin_thought(slow)
    going.wait(20)
    desk.worker.told(slow, found, False)
    assert desk.said[-1]["kind"] == "thought"
    began = time.monotonic()
    desk.do("play", action="b2")
    assert time.monotonic() - began < 0.5 and "plays b2" in desk.last("view")["moves"]
    assert slow.stopping and slow.is_alive()
    count = len(desk.said)
    late.set()
    slow.join(20)
    assert len(desk.said) == count and not desk.worker.decisions and desk.worker.inbox.empty()
