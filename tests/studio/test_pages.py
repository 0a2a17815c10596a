"""The pages through NiceGUI's own simulated user: no browser and no process, but the desk that stands behind a tab works in a thread."""

import asyncio
import contextlib
import json
import queue
import sys
import threading

import pytest
import pytest_asyncio

pytest.importorskip("nicegui")
from nicegui import ElementFilter, ui
from nicegui.testing.user_simulation import user_simulation

from playout.studio.catalog import Catalog
from playout.studio.pages import build, frame
from playout.studio.process import _desk
from tests.studio.test_sitting import HOSTILE

pytestmark = pytest.mark.asyncio(loop_scope="module")
SOON = 40.0
"""Seconds; machines are shared and noisy."""


class InThread(frame.Tab):
    """A tab whose desk works in a thread of this process."""

    made = []
    ended = False

    def start(self):
        self.made.append(self)
        self._desk = _desk(self.kind, self.catalog, self._said)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def alive(self):
        return self._thread.is_alive()

    def _said(self, message):
        with contextlib.suppress(RuntimeError):  # the test is over
            self._loop.call_soon_threadsafe(lambda: None if self._closed else self.hear(message))

    def _work(self):
        while not self._closed:
            try:
                self._desk.work(self._desk.inbox.get(timeout=0.1))
            except queue.Empty:
                continue

    def send(self, do, **words):
        self._desk.inbox.put({"do": do, **words})

    def end(self):
        self.ended = self._closed = True


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def simulated(tmp_path_factory):
    """One studio for all of these tests; every page that is opened is a tab of its own."""
    own = tmp_path_factory.mktemp("studio") / "own.py"
    own.write_text(HOSTILE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame, "Tab", InThread)
        async with user_simulation() as found:
            build(Catalog(games=("tic-tac-toe", str(own)), agents=("random",), seed=3))
            yield found
            ours = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "playout"}
        # At its end it forgets the modules of pages and all above them; whoever imports playout next would get another one.
        sys.modules.update(ours)


@pytest.fixture
def user(simulated):
    InThread.made.clear()
    simulated.notify.messages.clear()
    yield simulated
    for tab in InThread.made:
        tab.close()


async def until(right, what=""):
    """Wait until something is so."""
    for _ in range(int(SOON / 0.02)):
        if right():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(what or "it did not come")


def parts(user, name):
    """The elements of a class."""
    with user:
        return [element for element in ElementFilter(kind=ui.html) if name in element.classes]


def labelled(user, label):
    """What has this name for those who cannot see; a field before the card around it."""
    with user:
        found = [element for element in ElementFilter() if element.props.get("aria-label") == label]
    return max(found, key=lambda element: hasattr(element, "set_value"))


def board(user):
    return parts(user, "board")[0]


def moves(user):
    return "".join(element.content for element in parts(user, "moves"))


def said(user, words):
    return any(words in message for message in user.notify.messages)


def click(user, element, **words):
    """Somebody clicks a mark on an element."""
    with user:
        listener = next(one for one in element._event_listeners.values() if one.type == "click")
        args = {"action": None, "part": None, "place": None, "vector": None, "steps": None, **words}
        ui.context.client.handle_event({"id": element.id, "listener_id": listener.id, "args": [json.dumps(args)]})


def enter(user, label, text):
    """Somebody types into a field and presses Enter."""
    element = labelled(user, label)
    with user:
        element.set_value(text)
        listener = next(one for one in element._event_listeners.values() if one.type.startswith("keydown"))
        ui.context.client.handle_event({"id": element.id, "listener_id": listener.id, "args": ["{}"]})


async def opened(user, query):
    await user.open(f"/?{query}")
    await until(lambda: "svg" in board(user).content or not board(user).visible, "a board")


def press(user, words):
    user.find(kind=ui.button, content=words).click()


async def test_a_game_by_marks_on_the_board_and_in_the_lists(user):
    await opened(user, "game=tic-tac-toe")
    click(user, board(user), action="4")
    await until(lambda: "player 0 plays b2" in moves(user) and "player 1 plays" in moves(user), "the agent answers")
    first = board(user).content
    user.find("undo").click()
    await until(lambda: "plays b2" not in moves(user) or "later" in moves(user), "taken back")
    user.find("redo").click()
    await until(lambda: board(user).content == first, "and played again as it was")
    click(user, parts(user, "moves")[-1], place="0")
    await until(lambda: board(user).content != first, "a jump")
    enter(user, "type an action", "c3")
    await until(lambda: "player 0 plays c3" in moves(user), "another action")
    click(user, board(user), action="99")
    await until(lambda: said(user, "'99' is not a legal action"), "no action")


async def test_two_people_pass_the_device(user):
    await opened(user, "game=kuhn-poker")
    labelled(user, "seat 1").set_value("person")
    await until(lambda: not board(user).visible, "between two people nothing is shown")
    await user.should_see("I am here")
    press(user, "I am here")
    await until(lambda: board(user).visible and "svg" in board(user).content)
    enter(user, "type an action", "bet")
    await until(lambda: not board(user).visible and "plays" not in moves(user), "nor what was played")
    await user.should_see("The cards are hidden until the game is over; it can be kept then.")
    await user.should_not_see("Save the game")


async def test_a_path_in_any_field_is_only_a_word(user):
    path = "../../../../etc/passwd"
    await opened(user, "game=tic-tac-toe")
    for label in ("type an action", "moves"):
        user.notify.messages.clear()
        enter(user, label, path)
        await until(lambda: said(user, "not a legal action"), label)
    for label in ("seat 1", "game"):
        user.notify.messages.clear()
        labelled(user, label).set_value(path)
        await until(lambda: said(user, "not open in this studio"), label)
    user.notify.messages.clear()
    await user.open(f"/?game={path}&moves={path}&seed={path}")
    await until(lambda: said(user, "not open in this studio"))
    assert not board(user).content


async def test_settings_are_checked_and_a_second_search_comes_and_goes(user):
    await opened(user, "game=tic-tac-toe")
    with user:
        field = next(one for one in ElementFilter(kind=ui.input) if one.props.get("label") == "c")
    field.set_value("much")
    press(user, "Think")
    await until(
        lambda: said(user, "c is much; the exploration constant must be a finite number"),
        "what is wrong is said before anything is searched",
    )
    assert not InThread.made[-1]._desk.thoughts
    press(user, "Compare")
    await until(lambda: any(one.props.get("aria-label") == "thinking b" for one in everything(user)))
    press(user, "Compare")
    await until(lambda: not any(one.props.get("aria-label") == "thinking b" for one in everything(user)))


def everything(user):
    with user:
        return list(ElementFilter())


async def test_the_checker_speaks_of_games_of_ones_own(user):
    await opened(user, "game=tic-tac-toe")
    assert not labelled(user, "what the checker found").visible
    await opened(user, f"game={InThread.made[0].catalog.games[1]}")
    await until(lambda: labelled(user, "what the checker found").visible)
    await user.should_see("save the file, and it is checked and played on")


async def test_there_is_an_end_to_tabs(user, monkeypatch):
    monkeypatch.setattr(frame.Tab, "count", frame.MOST_TABS)
    await user.open("/?game=tic-tac-toe")
    await until(lambda: said(user, "24 tabs are open"))
    assert not InThread.made


async def test_who_asks_for_a_page_and_never_comes_for_it_has_no_process_for_long(user, monkeypatch):
    monkeypatch.setattr(frame, "UNSEEN", 0.2)
    assert (await user.http_client.get("/?game=tic-tac-toe")).status_code == 200
    (tab,) = InThread.made
    await until(lambda: tab.ended, "nobody came")
    await opened(user, "game=tic-tac-toe")
    await asyncio.sleep(0.4)
    assert InThread.made[-1] is not tab and not InThread.made[-1].ended, "whoever came keeps its own"


async def test_the_form_of_a_tournament(user):
    await user.open("/arena")
    with user:
        (agents,) = ElementFilter(kind=ui.textarea)
        assert agents.value == "random\nrandom", "those of the command line first"
    agents.set_value("random")
    await until(lambda: InThread.made)
    press(user, "Start")
    await until(lambda: said(user, "1 agents are given; give 2 to 12, one on each line"))


async def test_the_form_of_learning_shows_what_the_learner_takes(user, monkeypatch):
    monkeypatch.setattr("playout.studio.pages.learning.find_spec", lambda name: None)
    await user.open("/learning")
    await user.should_not_see("learner")
    monkeypatch.setattr("playout.studio.pages.learning.find_spec", lambda name: name)
    await user.open("/learning")
    await user.should_see("learner")
    for value, seen, unseen in (("table", "episodes", "minutes"), ("network", "minutes", "episodes")):
        with user:
            next(one for one in ElementFilter(kind=ui.select) if one.props.get("label") == "learner").set_value(value)
        await user.should_see(seen)
        await user.should_not_see(unseen)
