"""The studio in a real browser: whole games by clicks, live searches, hidden cards, attacks. Pictures go to studio-pictures/, to be looked at."""

import re
import socket
import time
import urllib.error
import urllib.request

import pytest

import playout
from tests.studio.conftest import SHOTS, Studio
from tests.studio.test_sitting import HOSTILE

pytestmark = [pytest.mark.slow]
SOON = 20_000
"""Milliseconds; machines are shared and noisy."""
SLOWLY = 90_000
"""Where a game may have to be compiled first."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    (folder / "hostile.py").write_text(HOSTILE)
    (folder / "hangs.py").write_text(HOSTILE.replace("def play(state, action, rng): state.n += 1", HANGS))
    (folder / "edited.py").write_text(
        HOSTILE.replace("""('<b onclick="alert(3)">', """, "('first', ").replace("'first'", '"first"')
    )
    made = Studio(
        "tic-tac-toe",
        str(folder / "edited.py"),
        str(folder / "hostile.py"),
        str(folder / "hangs.py"),
        "--seed",
        "3",
        "--timeout",
        "4",
    )
    made.folder = folder
    yield made
    made.close()


HANGS = """
def play(state, action, rng):
    state.n += 1
    while action == 1:
        pass
"""


class Look:
    """A tab, with all that it asked for, was told and complained of."""

    def __init__(self, browser, studio, query="", width=1360, height=900, dark=False, wait=True, path="/"):
        # One context for all that look alike: its second page finds the library in the cache.
        context = browser.kept.get(dark) or browser.kept.setdefault(
            dark, browser.new_context(color_scheme="dark" if dark else "light")
        )
        self.page = context.new_page()
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.set_default_timeout(SOON)
        self.errors, self.hosts, self.traffic = [], set(), []
        self.page.on(
            "console", lambda message: self.errors.append(message.text) if message.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))
        self.page.on("websocket", self._socket)
        self.studio = studio
        self.page.goto(f"{studio.address}{path}?{query}", wait_until="load" if wait else "commit")
        if wait:
            self.page.wait_for_selector(".board svg" if path == "/" else ".empty")

    def _socket(self, socket):
        self.hosts.add(socket.url.split("/")[2])
        socket.on("framereceived", lambda data: self.traffic.append(str(data)))

    def picture(self, name):
        SHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=True)

    def status(self):
        return self.page.locator(".status").first.inner_text()

    def act(self, name):
        """An action by its button in the list."""
        self.page.locator(".acts .act").get_by_text(name, exact=True).click()

    def close(self):
        """Nothing was asked of any other host, and nothing was complained of."""
        self.page.close()
        assert self.hosts == {f"127.0.0.1:{self.studio.port}"}
        assert self.errors == []

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        if kind is None:
            self.close()
        else:
            self.page.close()


def seat(look, player, spec):
    """Put somebody into a seat."""
    field = look.page.get_by_label(f"seat {player}").first
    field.click()
    field.fill(spec)
    field.press("Enter")


def test_a_whole_game_of_tic_tac_toe_by_clicks_on_the_board_and_a_look_back(browser, studio):
    with Look(browser, studio, "game=tic-tac-toe") as look:
        seat(look, 1, "person")
        look.page.wait_for_function("document.querySelectorAll('.seat input')[1].value === 'person'")
        game = playout.load("tic-tac-toe")
        state = game.start()
        for move in ("b2", "a1", "c2", "a2", "a3", "c1", "b3"):
            action = state.find(move)
            look.page.locator(f'.board svg [data-action="{action}"]').first.click()
            state = state.play(action)
            look.page.wait_for_selector(
                f".moves [aria-current] >> text={game.player_name(1 - state.mover if not state.over else 0)} plays {move}"
            )
            if state.over:
                break
        else:
            look.page.locator(f'.board svg [data-action="{state.find("b1")}"]').first.click()
        look.page.wait_for_selector("table.results")
        look.picture("tic-tac-toe-over")
        assert "won" in look.status() or "draw" in look.status().lower()
        # Back by the keyboard, and forward again.
        look.page.locator("body").press("ArrowLeft")
        look.page.wait_for_selector("table.results", state="detached")
        look.page.locator("body").press("ArrowRight")
        look.page.wait_for_selector("table.results")
        # What should I have played?
        look.page.get_by_role("button", name="Look back").click()
        look.page.locator('[aria-label="the course of the game"] svg').wait_for(timeout=SLOWLY)
        look.page.locator('[aria-label="the course of the game"] button.move').first.click(timeout=SLOWLY)
        look.page.wait_for_selector("table.thought", timeout=SLOWLY)
        look.picture("looked-back")


def test_connect_four_against_an_agent_with_the_live_table_moving(browser, studio):
    with Look(browser, studio, "game=connect-four") as look:
        look.act("d")
        look.page.wait_for_selector(".moves >> text=player 1 plays", timeout=SLOWLY)
        look.page.get_by_role("button", name="Think", exact=True).click()
        look.page.wait_for_selector("table.thought tr.pick", timeout=SLOWLY)
        seen = set()
        end = time.monotonic() + 20
        while len(seen) < 4 and time.monotonic() < end:
            seen.add(look.page.locator("table.thought tr.pick td").nth(1).inner_text())
            time.sleep(0.3)
        assert len(seen) >= 4, "the table moves"
        look.page.get_by_role("button", name="Pause").click()
        look.page.wait_for_selector('[aria-label="Go on"]')
        time.sleep(0.6)
        before = look.page.locator("table.thought").inner_text()
        time.sleep(0.8)
        assert look.page.locator("table.thought").inner_text() == before, "and stands still while it is paused"
        look.page.get_by_role("button", name="Go on").click()
        # A click shows while the search runs.
        began = time.monotonic()
        look.act("e")
        look.page.wait_for_selector(".moves >> text=player 0 plays e")
        assert time.monotonic() - began < 5
        look.picture("connect-four-playing")


def test_the_parts_of_a_thought_and_two_settings_side_by_side(browser, studio):
    with Look(browser, studio, "game=connect-four&moves=3,3,2", dark=True) as look:
        look.page.get_by_role("button", name="Compare").click()
        look.page.locator('[aria-label="thinking b"]').get_by_text("Settings", exact=True).click()
        look.page.locator('[aria-label="thinking b"]').get_by_label("c", exact=True).fill("2")
        for panel in "ab":
            card = look.page.locator(f'[aria-label="thinking {panel}"]')
            # Short searches: what is looked at below stays when they have ended, and the browser has the machine to itself.
            card.get_by_label("seconds").fill("1.5")
            card.get_by_role("button", name="Think", exact=True).click()
        for panel in "ab":
            look.page.wait_for_selector(f'[aria-label="thinking {panel}"] table.thought', timeout=SLOWLY)
        for tab, inside in (("Line", ".strip svg"), ("Course", ".chart svg"), ("Tree", ".chart svg [data-steps]")):
            look.page.locator('[aria-label="thinking a"]').get_by_role("tab", name=tab).click()
            look.page.locator(f'[aria-label="thinking a"] {inside} >> visible=true').first.wait_for()
            if tab == "Line":
                # The board follows the pointer along the line, and comes back.
                look.page.locator('[aria-label="thinking a"] .strip li').first.hover()
                look.page.locator(".stage .preview svg").wait_for()
                assert not look.page.locator(".stage .board:not(.preview)").is_visible()
                look.picture("dark-following")
                look.page.mouse.move(2, 2)
                look.page.locator(".stage .board:not(.preview) svg").wait_for()
                assert not look.page.locator(".stage .preview").is_visible()
            look.picture(f"dark-{tab.lower()}")
        look.page.locator('[aria-label="thinking a"] svg [data-steps]').first.click()
        look.page.locator('[aria-label="thinking a"] .here svg').wait_for()
        look.picture("dark-zoomed")


def cards_in(text):
    """The cards of Scoundrel that a text names, in letters or with their symbols."""
    found = re.findall(r"(?<![\w%&#])(10|[2-9JQKA])([CSDH♣♠♦♥])(?!\w)", text)
    return {rank + "CSDH"["CSDH♣♠♦♥".index(suit) % 4] for rank, suit in found}


def test_real_valued_actions_are_played_by_a_click_into_the_landscape(browser, studio):
    with Look(browser, studio, "game=loss-1d&moves=0.5 0.25") as look:
        for player in (1, 2):
            seat(look, player, "person")
            look.page.wait_for_function(f"document.querySelectorAll('.seat input')[{player}].value === 'person'")
        look.page.get_by_label("component 1").first.wait_for(timeout=SLOWLY)
        before = look.page.get_by_label("component 1").first.input_value()
        look.page.locator("[data-vector]").nth(20).click()
        look.page.wait_for_function("before => document.querySelector('.slide input').value !== before", arg=before)
        look.picture("landscape")
        look.page.get_by_role("button", name="Play", exact=True).click()
        look.page.wait_for_selector("table.results")
        look.page.locator(".card.stage table.plain").wait_for(timeout=SLOWLY)
        look.picture("regret")


def test_a_tournament_from_the_form_to_the_standings_and_to_a_board(browser, studio):
    look = Look(browser, studio, path="/arena")
    look.page.get_by_label("agents, one on each line").fill("random\ntactic")
    look.page.get_by_role("spinbutton", name="games").fill("8")
    look.page.get_by_role("button", name="Start").click()
    look.page.locator("iframe.report").wait_for(timeout=SLOWLY)
    look.page.get_by_text("8 games", exact=True).wait_for(timeout=SLOWLY)
    assert look.page.frame_locator("iframe.report").get_by_text("tactic").count()
    look.picture("arena")
    body = look.page.frame_locator("iframe.report").locator("body")
    assert body.evaluate("one => getComputedStyle(one).backgroundColor") == "rgb(244, 241, 234)"
    look.page.get_by_role("button", name="day or night").click()
    look.page.wait_for_function("document.body.classList.contains('body--dark')")
    look.page.frame_locator("iframe.report").get_by_text("tactic").first.wait_for()
    end = time.monotonic() + 10
    while body.evaluate("one => getComputedStyle(one).backgroundColor") != "rgb(23, 24, 26)":
        assert time.monotonic() < end, "the standings are dark as well"
        time.sleep(0.1)
    look.picture("arena-dark")
    link = look.page.locator(".tall a").first.get_attribute("href")
    look.close()
    with Look(browser, studio, link.partition("?")[2]) as board:
        board.page.wait_for_selector("table.results")


def test_an_edited_game_is_read_again(browser, studio):
    file = studio.folder / "edited.py"
    with Look(browser, studio, f"game={file}") as look:
        look.page.locator(
            '[aria-label="what the checker found"] li, [aria-label="what the checker found"] .good'
        ).first.wait_for()
        look.act("first")
        look.page.wait_for_selector(".moves >> text=plays first")
        file.write_text(file.read_text().replace('"first"', '"renamed"'))
        look.page.wait_for_selector(".moves >> text=plays renamed")
        file.write_text("def broken(:")
        look.page.wait_for_selector('[aria-label="what the checker found"] >> text=syntax error')
        look.picture("written")


def test_hidden_cards_are_in_no_page_and_in_no_message(browser, studio):
    """Every card that lies face down is looked for in all that the browser was ever sent, at every step of a game of Scoundrel."""
    from playout.games.scoundrel.cards import NAMES

    with Look(browser, studio, "game=nim") as look:
        noise = cards_in(look.page.content() + "".join(look.traffic))
    with Look(browser, studio, "game=scoundrel&seed=5") as look:
        state, seen = playout.load("scoundrel").start(5), set()
        for step in range(12):
            seen |= cards_in(state.draw(0))
            down = {NAMES[int(card)] for card in state.fields.dungeon if card} - seen
            sent = look.page.content() + "".join(look.traffic)
            assert seen & cards_in(sent), "it does find cards"
            assert not (down - noise) & cards_in(sent)
            assert not re.search(r"dungeon.{0,9}\[|unseen|seed=", "".join(look.traffic))
            action = state.legal[0]
            look.act(state.name(action, 0))
            state = state.play(action)
            if state.over:
                break
            look.page.wait_for_function("n => document.querySelectorAll('.moves .move').length > n", arg=step + 1)
        assert len(down) > 20 or step > 3
        look.picture("scoundrel")


def test_narrow_and_dark_screens(browser, studio):
    with Look(browser, studio, "game=othello", dark=True) as look:
        assert look.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(23, 24, 26)"
        look.picture("wide-dark")
        look.page.set_viewport_size({"width": 390, "height": 840})
        assert look.page.evaluate("document.documentElement.scrollWidth") <= 390, "nothing stands out at the side"
        look.picture("narrow-dark")
        look.page.emulate_media(color_scheme="light")
        look.page.wait_for_function("getComputedStyle(document.body).backgroundColor === 'rgb(244, 241, 234)'")
        look.picture("narrow")


def test_hostile_names_do_nothing(browser, studio):
    with Look(browser, studio, f"game={studio.folder}/hostile.py") as look:
        said = []
        look.page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        seat(look, 1, "person")
        look.page.locator(".acts .act").first.click()
        look.page.wait_for_selector(".moves .move:nth-child(2)")
        look.page.locator(".acts .act").nth(1).click()
        look.page.wait_for_selector(".moves .move:nth-child(3)")
        look.picture("hostile")
        assert said == []


def test_a_game_that_hangs_ends_its_own_tab_and_no_other(browser, studio):
    with Look(browser, studio, "game=tic-tac-toe") as other:
        look = Look(browser, studio, f"game={studio.folder}/hangs.py")
        look.page.locator(".acts .act").nth(1).click()
        other.act("b2")
        other.page.wait_for_selector(".moves >> text=player 0 plays b2")
        look.page.wait_for_selector(".q-notification >> text=did not come back within", timeout=SLOWLY)
        look.picture("hangs")
        # And the tab can go on.
        look.page.get_by_role("button", name="New game").click()
        look.page.locator(".acts .act").first.wait_for()
        look.close()


def test_ten_tabs_do_not_see_each_other_and_none_is_left_when_they_are_closed(browser, studio):
    looks = [Look(browser, studio, "game=tic-tac-toe", wait=False) for _ in range(10)]
    moves = ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3", "a1"]
    for look, move in zip(looks, moves):
        look.act(move)
    for look, move in zip(looks, moves):
        look.page.wait_for_selector(f".moves >> text=player 0 plays {move}")
        # The first move of all that it was ever sent is its own. (A picture of a tree names other moves, too.)
        first = re.findall(r'data-place=\\"1\\"[^§]{0,200}?plays (\w\d)', "".join(look.traffic))
        assert first and set(first) == {move}
    assert children(studio.process.pid) >= 10
    for look in looks:
        look.close()
    end = time.monotonic() + 5
    while children(studio.process.pid) > 1 and time.monotonic() < end:
        time.sleep(0.2)
    assert children(studio.process.pid) <= 1, "closing a tab ends its process, and with it its searches, within 5 s"


def children(pid):
    """Processes of tabs: those below the process from which they are split off."""
    from pathlib import Path

    parents = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = file.read_text()
        except OSError:
            continue
        number, parent = int(text.split()[0]), int(text.rpartition(")")[2].split()[1])
        if text.rpartition(")")[2].split()[0] != "Z":
            parents[number] = parent
    below, layer = set(), {pid}
    while layer:
        layer = {number for number, parent in parents.items() if parent in layer}
        below |= layer
    near = {number for number, parent in parents.items() if parent == pid}
    return len(below - near)


def test_with_another_host_there_is_a_token_and_without_it_nothing():
    made = Studio("--host", "0.0.0.0")
    try:
        assert "token=" in made.link
        for path, headers in (("/", {}), ("/?token=wrong", {}), ("/_nicegui_ws/socket.io/?EIO=4&transport=polling", {})):
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{made.port}{path}", headers=headers), timeout=10)
        token = made.link.partition("token=")[2]
        with urllib.request.urlopen(f"http://127.0.0.1:{made.port}/?token={token}", timeout=20) as answer:
            assert answer.status == 200 and "HttpOnly" in answer.headers["set-cookie"]
        assert upgrade(made.port, "/_nicegui_ws/socket.io/?EIO=4&transport=websocket").startswith("HTTP/1.1 403")
    finally:
        made.close()


def test_a_page_from_elsewhere_cannot_open_the_socket(studio):
    path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    assert upgrade(studio.port, path, "Origin: http://evil.example\r\n").startswith("HTTP/1.1 403")
    assert upgrade(studio.port, path, f"Origin: http://127.0.0.1:{studio.port}\r\n").startswith("HTTP/1.1 101")


def upgrade(port, path, more=""):
    """The answer to the first words of a socket."""
    with socket.create_connection(("127.0.0.1", port), 10) as line:
        line.sendall(
            (
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{more}\r\n"
            ).encode()
        )
        return line.recv(1000).decode("latin-1")
