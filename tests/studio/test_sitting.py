"""One tab's game without any page: playing, taking back, seats, what a seat is shown, and what pages may reach."""

import json
from html.parser import HTMLParser

import pytest

import playout
from playout.errors import PlayoutError
from playout.game.stream import Stream
from playout.studio import views
from playout.studio.catalog import Catalog
from playout.studio.forms import checked, fields, given
from playout.studio.sitting import PERSON, Sitting


def sitting(game="tic-tac-toe", seats=None, seed=1, moves="", **named):
    made = Sitting(Catalog(**named))
    made.open(game, seats or [PERSON] * playout.load(game).players, seed, moves)
    return made


def names(made):
    return [state.name(action) for state, action in made.course.history]


def test_people_play_take_back_and_jump_about():
    made = sitting()
    for move in ("b2", "a1", "c3"):
        made.play(move)
    made.undo()
    assert names(made) == ["b2", "a1"] and made.state.mover == 0
    made.redo()
    assert names(made) == ["b2", "a1", "c3"]
    made.jump(1)
    assert names(made) == ["b2"] and len(made.future) == 2
    made.step(-1)
    assert names(made) == []
    made.jump(3)
    assert names(made) == ["b2", "a1", "c3"]
    made.jump(1)
    made.play("c1")
    assert names(made) == ["b2", "c1"] and made.future == [], "another action forgets what was taken back"


def test_what_was_played_again_is_still_followed_by_the_rest():
    made = sitting()
    for move in ("b2", "a1", "c3"):
        made.play(move)
    made.jump(1)
    made.play("a1")
    assert len(made.future) == 1


def test_chance_comes_back_as_it_was():
    made = sitting("pig", ["person", "person"])
    for _ in range(3):
        made.play("roll")
    after = bytes(made.state)
    made.jump(0)
    made.jump(3)
    assert bytes(made.state) == after


def test_agents_wait_after_a_jump_until_they_are_told_to_go_on():
    made = sitting(seats=[PERSON, "random"])
    made.play("b2")
    assert made.turn == "agent" and made.asks_agent
    with pytest.raises(PlayoutError, match="it is the turn of random; take its seat to play for it"):
        made.play("a1")
    made.decided(made.state.legal[0], None)
    made.jump(1)
    assert made.turn == "agent" and not made.asks_agent
    made.go_on()
    assert made.asks_agent


def test_seats_change_in_the_middle_of_a_game():
    made = sitting(seats=[PERSON, "random"], moves="b2")
    made.seat(1, PERSON)
    made.play("a1")
    made.seat(0, "tactic")
    assert made.asks_agent and names(made) == ["b2", "a1"]
    with pytest.raises(PlayoutError, match="unknown agent|not open"):
        made.seat(0, "nobody")
    assert made.specs == ["tactic", PERSON], "a wrong one leaves everything as it was"


def test_positions_are_set_up_by_moves_and_by_what_was_saved():
    made = sitting()
    made.set_up("b2, a1, c3")
    assert names(made) == ["b2", "a1", "c3"]
    with pytest.raises(PlayoutError, match="move 2"):
        made.set_up("a1 a1")
    assert names(made) == ["b2", "a1", "c3"]
    saved = made.state.to_json()
    made.again()
    made.load_state(saved)
    assert made.state.to_json() == saved
    with pytest.raises(PlayoutError, match="no saved state"):
        made.load_state("/etc/passwd")
    with pytest.raises(PlayoutError, match="not a legal action|is the turn|is not"):
        made.set_up("@/etc/passwd")


def test_who_won_is_said_and_the_record_plays_again():
    made = sitting(moves="b2,a1,c3,a3,a2,c2,c1,b1,b3")
    assert made.state.over
    shown = views.view(made)
    assert shown["turn"] == "over" and "after 9 actions" in shown["status"] and "return" in shown["results"]
    data = made.to_dict()
    again = sitting()
    again.set_up(" ".join(data["names"]))
    assert bytes(again.state) == bytes(made.state)


# what is hidden

HIDDEN = [
    ("kuhn-poker", 2),
    ("leduc-poker", 2),
    ("liars-dice", 2),
    ("knockout-whist", 2),
    ("scoundrel", 1),
    ("phantom-tic-tac-toe", 2),
]


def other_world(state, player):
    """A state that the player cannot tell from this one, and that is another one; None where there is none."""
    for number in range(20):
        world = state.world(player, Stream(number))
        if bytes(world) != bytes(state):
            return type(state)(state.game, world.copy_array(), state.word)
    return None


@pytest.mark.parametrize(("game", "players"), HIDDEN)
def test_a_page_is_the_same_in_worlds_that_its_seat_cannot_tell_apart(game, players):
    """Whatever is sent to the page of a person is made of its observation: equal in all worlds, to the last letter, all through a game."""
    made = sitting(game, [PERSON, "random"][:players], seed=3)
    stream, compared = Stream(1), 0
    for _ in range(12):
        if made.state.over:
            break
        state, other = made.state, other_world(made.state, 0)
        if other is not None and made.viewer == 0:
            shown = json.dumps(views.view(made))
            made.course.state = other
            assert json.dumps(views.view(made)) == shown
            made.course.state = state
            compared += 1
        action = state.legal[stream.below(len(state.legal))]
        if made.turn == "person":
            made.play(action)
        else:
            made.decided(action, None)
    assert compared > 0


def test_between_two_persons_nothing_of_the_game_is_shown():
    made = sitting("kuhn-poker", [PERSON, PERSON])
    shown = views.view(made)
    assert shown["turn"] == "pass" and shown["passing"] == "player 0"
    made.arrived()
    first = views.view(made)
    assert first["turn"] == "person" and first["board"]
    made.play("bet")
    between = views.view(made)
    assert between["turn"] == "pass" and not between["board"] and not between["moves"] and not between["actions"]
    with pytest.raises(PlayoutError, match="pass the device on first"):
        made.play("call")
    made.arrived()
    second = views.view(made)
    assert second["turn"] == "person" and second["board"] != first["board"] and "player 0 plays bet" in second["moves"]


def test_nobody_sees_what_another_seat_thinks_and_nothing_is_kept_before_the_end():
    made = sitting("kuhn-poker", [PERSON, "random"])
    assert made.may_think
    made.play("bet")
    assert made.turn == "agent" and not made.may_think
    assert views.view(made)["open_book"] is False and views.view(made)["link"] == ""
    with pytest.raises(PlayoutError, match="can be kept when it is over"):
        made.to_dict()
    with pytest.raises(PlayoutError, match="shown when the game is over"):
        made.show_all(True)
    made.decided(made.state.find("fold"), None)
    hidden = views.view(made)["board"]
    made.show_all(True)
    assert made.to_dict()["finished"] and views.view(made)["board"] != hidden


def test_without_persons_the_observer_sees_all():
    made = sitting("kuhn-poker", ["random", "random"])
    assert made.viewer is None and made.may_think and made.open_book


# what pages may reach


@pytest.mark.parametrize("name", ["/etc/passwd", "../../secret.py", "mygame.py", "playout/games/nim.py", "os", "\x00", "x" * 500])
def test_a_path_is_no_game(name):
    with pytest.raises(PlayoutError, match="not open in this studio|too long|is not of the form"):
        Catalog().game(name)


@pytest.mark.parametrize(
    "name",
    [
        "evil.py:make",
        "policy:/etc/passwd",
        "uct:value=/etc/passwd",
        "/tmp/a.py:b,c=1",
        "ismcts:value=x",
        "network:x.net",
        "uct:reward=a.py:b",
    ],
)
def test_a_path_is_no_agent(name):
    with pytest.raises(PlayoutError, match="not open in this studio|names a file"):
        Catalog().agent(name, playout.load("tic-tac-toe"))


def test_files_are_open_when_they_were_named(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text((playout.game.load.bundled()["nim"]).read_text())
    catalog = Catalog(games=(str(file),))
    assert catalog.game(str(file)).file == str(file) and catalog.names[0] == str(file)
    agent = tmp_path / "agent.py"
    agent.write_text("def make(game, seed=0):\n    return lambda state: state.legal[0]\n")
    spec = f"{agent}:make"
    assert Catalog(agents=(spec,)).agent(spec, playout.load("nim")).name == spec
    with pytest.raises(PlayoutError, match="not open"):
        Catalog(agents=(spec,)).agent(f"{agent}:other", playout.load("nim"))


HOSTILE = """
import numpy as np
players = 2
player_names = ("<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>")
actions = 2
State = np.dtype([("n", np.int8)])
def start(state, rng): pass
def legal(state, out):
    out[0] = 0
    out[1] = 1
    return 2
def play(state, action, rng): state.n += 1
def mover(state): return -1 if state.n > 3 else state.n % 2
def returns(state, out):
    out[0] = 0
    out[1] = 0
def action_name(state, action): return ('<b onclick="alert(3)">', "'\\"><script>alert(4)</script>")[action]
def draw(state): return "<script>alert(5)</script>"
def svg(state):
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><script>alert(6)</script>'
            '<g data-action="1" onclick="alert(7)"><rect width="9" height="9"/></g><image href="http://evil.example/x"/></svg>')
"""


def test_words_and_pictures_of_a_hostile_game_do_nothing(tmp_path):
    file = tmp_path / "hostile.py"
    file.write_text(HOSTILE)
    made = sitting(str(file), games=(str(file),))
    made.play(1)
    made.play(0)
    shown = views.view(made)
    html = "".join(str(shown[part]) for part in ("board", "status", "actions", "moves", "title"))
    found = Tags()
    found.feed(html)
    assert found.tags <= {"div", "svg", "text", "b", "span", "button", "small", "i", "g", "rect"}
    assert not any(name.startswith("on") or "evil" in str(value) for name, value in found.attributes)
    assert "&lt;script&gt;" in html, "it is there, as words"


class Tags(HTMLParser):
    """The tags and attributes of a piece of HTML, as a browser would see them."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs


def test_marks_of_legal_actions_become_buttons_that_say_what_they_do():
    picture = '<svg><g data-action="3"><a/></g><g data-action="4"></g><g data-part="x&quot;y"></g></svg>'
    shown = views.clickable(picture, {3: 'to "d"'}, parts=True, chosen=['x"y'])
    assert 'data-action="3" tabindex="0" role="button" aria-label="to &quot;d&quot;"' in shown
    assert 'data-action="4"' not in shown and 'aria-pressed="true"' in shown
    assert "data-" not in views.plain(picture)


# the form


def test_the_form_has_every_setting_with_its_text():
    found = fields(continuous=True, hidden=True)
    every = set(playout.Settings.__struct_fields__)
    assert {field.name for field in found} == every - {"value", "threads", "batch", "reward"}
    assert all(field.text for field in found) and found[0].name == "rule"
    assert "method" not in {field.name for field in fields()} and "redraw" not in {field.name for field in fields()}


def test_only_what_differs_from_the_usual_is_given():
    usual = {field.name: field.usual for field in fields(continuous=True, hidden=True)}
    assert given(usual) == {} and checked(usual) == ""
    assert given({**usual, "c": "1.4", "solver": "false", "value": "/etc/passwd"}) == {"c": "1.4", "solver": "false"}
    assert checked({"c": "-1"}) == "c is -1.0; the exploration constant must be a finite number, 0 or more"


def test_two_clicks_make_an_action_and_a_text_of_no_part_reaches_no_game(monkeypatch):
    made = sitting("breakthrough:rows=5,columns=4")
    asked = []
    plain = playout.State.clicked
    monkeypatch.setattr(playout.State, "clicked", lambda state, parts: asked.append(tuple(parts)) or plain(state, parts))
    for text in ("../../etc/passwd", "<script>", "z9", ""):
        assert made.click(text) is False and made.parts == []
    assert asked == []
    assert made.click("a2") is False and made.parts == ["a2"]
    assert made.click("a3") is True and len(made.course.history) == 1
