"""The report: one file that needs nothing else, right for every kind of game, with every word escaped."""

import os
import stat
from html.parser import HTMLParser
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

import playout
from playout.errors import FileError
from playout.picture import Picture
from playout.planner.decision import TracePoint
from playout.report.axis import fitted, logarithmic, short_count, straight
from playout.report.boards import board, filmstrip, text_picture
from playout.report.charts import means_chart, trace_chart
from playout.report.clean import clean
from playout.report.decision_page import game_name, headline, page, write_report
from playout.report.icicle import COLUMN, DEPTH, HEIGHT, TOP, Icicle, draw, state_at
from playout.report.marks import WIDTH
from playout.report.worlds import best_chart, spread_chart

VOID = {"meta", "br", "hr", "link", "img", "input"}
SVG_NAMESPACE = "http://www.w3.org/2000/svg"


class Reader(HTMLParser):
    """Reads a page and complains about tags that do not match."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.words, self.tags, self.attributes = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> while {self.open[-3:]} are open"
        self.open.pop()

    def handle_data(self, data):
        self.words.append(data)


def read(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def check_alone(text):
    """Well formed, and nothing in it comes from elsewhere or runs."""
    reader = read(text)
    assert "script" not in reader.tags and "link" not in reader.tags and "iframe" not in reader.tags
    assert "://" not in text.replace(SVG_NAMESPACE, "")
    assert "src=" not in text and "url(" not in text and "@import" not in text
    for _, name, value in reader.attributes:
        assert not name.startswith("on")
        assert name != "href" or value.startswith("#")
    return reader


def decide(game, moves=(), simulations=60, **settings):
    search = playout.Search(game, compiled=False, seed=1, **settings)
    return search.run(search.game.start(1).replay(moves), simulations=simulations)


def odd_game(svg=None, names=("<b>", "a & b", '"quoted"', "</section>")):
    """One action each, then it is over; its words would break a page that does not escape them."""
    State = np.dtype([("moves", np.int8), ("sum", np.int8)])

    def start(state, rng):
        pass

    def legal(state, out):
        for action in range(4):
            out[action] = action
        return 4

    def play(state, action, rng):
        state.moves += 1
        state.sum += action

    def mover(state):
        return -1 if state.moves == 2 else int(state.moves)

    def returns(state, out):
        out[0] = float(state.sum)
        out[1] = -float(state.sum)

    def action_name(state, action):
        return names[action]

    def draw(state):
        return "<script>alert(1)</script> & more"

    more = {} if svg is None else {"svg": lambda state: svg}
    given = {f.__name__: f for f in (start, legal, play, mover, returns, action_name, draw)}
    return playout.Game("<odd & game>", players=2, actions=4, State=State, **given, **more)


@pytest.fixture(scope="module")
def decisions():
    return {
        "plain": decide("connect-four"),
        "one action": decide("pig"),
        "chance": decide("pig", ["roll"], simulations=150),
        "proven": decide("mnk:m=2,n=2,k=2", simulations=200),
        "three players": decide("treasure", simulations=100),
        "many actions": decide("hex", simulations=200),
        "several trees": decide("tic-tac-toe", trees=3, simulations=90),
        "transpositions": decide("tic-tac-toe", transpositions=True, simulations=150),
        "one-depth": decide("tic-tac-toe", depth=1, rule="equal", simulations=45),
        "one simulation": decide("tic-tac-toe", simulations=1),
        "odd": decide(odd_game()),
    }


def test_one_page_for_every_kind_of_game(decisions, tmp_path):
    path = write_report(tmp_path / "new" / "report.html", list(decisions.values()), 'Title with <b> & "marks"')
    text = path.read_text(encoding="utf-8")
    reader = check_alone(text)
    words = " ".join(reader.words)
    assert 'Title with <b> & "marks"' in words
    assert text.count('<section class="decision"') == len(decisions)
    for decision in decisions.values():
        assert decision.why() in words
        assert headline(decision) in words
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]


def test_each_kind_alone(decisions):
    for name, decision in decisions.items():
        text = page([decision], name)
        reader = check_alone(text)
        cells = {word.strip() for word in reader.words}
        for action in decision.actions:
            assert action.name in cells, (name, action.name)
        for column in decision.columns:
            assert column in cells or column == ""
        for row in decision.rows():
            assert set(filter(None, row[2:])) <= cells
        assert f"{decision.nodes:,}" in cells and str(decision.seed) in cells


def test_words_are_escaped(decisions):
    text = page([decisions["odd"]], "odd")
    assert "<script" not in text and "<b>&lt;b&gt;" in text
    assert "&lt;odd &amp; game&gt;" in text and "&lt;/section&gt;" in text
    assert text.count("</section>") == 1


def test_words_that_xml_forbids_are_left_out():
    text = page([decide(odd_game(names=("a\x00b", "c\x1bd", "tab\there", "é…✓")))], "odd")
    assert "\x1b" not in text and "\x00" not in text and "é…✓" in text


def test_proven_and_only_actions_are_said(decisions):
    assert headline(decisions["proven"]) == f"Player 0 plays {decisions['proven'].name}: a proven win."
    assert decisions["one action"].why() in page([decisions["one action"]], "x")
    assert "polygon" in means_chart(decisions["proven"])
    text = page([decisions["three players"]], "x")
    assert "player 2 plays" in text


def test_search_that_went_on_is_not_misread():
    search = playout.Search("tic-tac-toe", compiled=False, seed=1)
    decision = search.run(simulations=60)
    search.play(decision.action)
    text = page([decision], "x")
    check_alone(text)
    assert "gone on since" in text and 'class="film"' not in text


def test_settings_that_differ_are_named(decisions):
    assert "differ from the usual: all as usual" in page([decisions["plain"]], "x")
    assert "differ from the usual: rule=equal, depth=1" in page([decisions["one-depth"]], "x")


def test_contents_only_for_several(decisions):
    two = [decisions["plain"], decisions["chance"]]
    assert 'href="#decision-2"' in page(two, "x") and 'id="decision-2"' in page(two, "x")
    assert "href=" not in page(two[:1], "x")
    check_alone(page([], "nothing at all"))


def test_a_place_that_cannot_be_written_is_a_sentence(decisions, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be written"):
        write_report(tmp_path / "file" / "report.html", [decisions["plain"]], "x")


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_report_can_be_read_by_whoever_the_user_lets_read_files(decisions, tmp_path, mask):
    """It is written beside its place and renamed, and such a file is its owner's alone unless that is changed."""
    before = os.umask(mask)
    try:
        path = write_report(tmp_path / "r.html", [decisions["plain"]], "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_game_name():
    assert game_name(playout.load("tic-tac-toe")) == "tic-tac-toe"
    assert game_name(playout.load("mnk:m=4,n=3,k=3")) == "mnk:m=4"
    assert game_name(playout.load("connect-four")) == "connect-four"


# pictures of boards


@pytest.mark.parametrize(
    "bad",
    [
        "<svg",
        "<p>no picture</p>",
        '<svg viewBox="0 0 0 9"></svg>',
        '<svg viewBox="one two"></svg>',
        "<svg></svg>",
        '<!DOCTYPE svg><svg viewBox="0 0 9 9"></svg>',
    ],
)
def test_unsound_pictures_are_not_used(bad):
    assert clean(bad).trouble
    drawn = board(odd_game(svg=bad).start())
    assert "<script" not in drawn and "&lt;script&gt;alert(1)&lt;/script&gt;\xa0&amp;\xa0more</text>" in drawn


def test_sound_pictures_are_used():
    good = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><!-- a note --><circle r="3"/></svg>'
    drawn = board(odd_game(svg=good).start())
    assert good.replace("<!-- a note -->", "") in drawn and "--ratio:2" in drawn


def test_filmstrip_shows_the_end_of_a_long_line(decisions):
    line = decide("treasure", simulations=300).line(until="end", complete=True)
    text = filmstrip(line)
    assert text.count("<li>") == 9 and "… 12." in text
    assert "The game ends after 12 actions" in text
    for value in line.returns:
        assert f"<b>{value:g}</b>" in text
    assert "one possible course of many" in filmstrip(decisions["chance"].line())


# charts


def test_charts_are_whole_pictures(decisions):
    for decision in decisions.values():
        for text in (means_chart(decision), trace_chart(decision), draw(Icicle.read(decision))):
            assert not clean(text).trouble
            assert "nan" not in text and "inf" not in text


def test_trace_without_points_is_left_out(decisions):
    bare = msgspec.structs.replace(decisions["plain"], trace=())
    assert "How the search made up its mind" in page([decisions["plain"]], "x")
    check_alone(page([bare], "x"))
    assert "How the search made up its mind" not in page([bare], "x")
    single = msgspec.structs.replace(decisions["plain"], trace=(TracePoint(1, 0.0, (1,) + (0,) * 6, (1.0,) + (None,) * 6),))
    assert "<circle" in trace_chart(single)


def test_icicle_is_to_scale(decisions):
    icicle = Icicle.read(decisions["plain"])
    assert not icicle.enlarged
    for cell in icicle.cells:
        assert cell.height == pytest.approx(HEIGHT * cell.visits / decisions["plain"].parent_visits, rel=0.1)
        assert cell.top >= TOP - 1e-6 and cell.top + cell.height <= TOP + HEIGHT + 1e-6
    first = [c for c in icicle.cells if c.depth == 0]
    assert {c.name: c.visits for c in first} == {a.name: a.visits for a in decisions["plain"].actions if a.visits}


def test_icicle_children_lie_beside_their_parents(decisions):
    for name in ("plain", "chance", "several trees", "transpositions", "many actions"):
        cells = Icicle.read(decisions[name]).cells
        assert 1 <= max(cell.depth for cell in cells) < DEPTH
        for cell in cells:
            if cell.depth:
                path = cell.path[: -len(cell.name)].strip()
                parents = [p for p in cells if p.depth == cell.depth - 1 and p.path == path]
                assert any(p.top - 1e-6 <= cell.top and cell.top + cell.height <= p.top + p.height + 1e-6 for p in parents)
    assert COLUMN * DEPTH <= WIDTH


def test_icicle_finds_the_outcomes_of_chance(decisions):
    cells = Icicle.read(decisions["chance"]).cells
    roll = next(c for c in cells if c.depth == 0 and c.name == "roll")
    assert 4 <= len(roll.outcomes) <= 6
    assert any(c.depth == 1 for c in cells)


def test_icicle_begins_at_any_cell(decisions):
    for name in ("plain", "chance", "several trees"):
        decision = decisions[name]
        whole = Icicle.read(decision)
        deep = [c for c in whole.cells if c.depth == 1]
        for cell in [c for c in whole.cells if c.depth == 0][:2]:
            zoomed = Icicle.read(decision, cell.steps)
            below = {(c.path, c.visits, c.value) for c in zoomed.cells if c.depth == 0}
            inside = {
                (c.path, c.visits, c.value) for c in deep if c.steps.split("/")[0].split()[0] == cell.steps and "/" not in c.steps
            }
            assert inside <= below and all(c.path.startswith(cell.path) for c in zoomed.cells)
        deepest = max(whole.cells, key=lambda c: c.depth)
        further = Icicle.read(decision, deepest.steps.rpartition(" ")[0]).cells
        assert any(c.path == deepest.path and c.visits == deepest.visits for c in further)


def test_cells_know_their_boards(decisions):
    plain = decisions["plain"]
    for cell in Icicle.read(plain).cells:
        assert state_at(plain, cell.steps) == plain.state.replay([int(step) for step in cell.steps.split()])
    roll = next(c for c in Icicle.read(decisions["chance"]).cells if c.name == "roll" and c.depth == 0)
    outcomes = {state_at(decisions["chance"], f"{roll.steps}/{number}") for number in range(len(roll.outcomes))}
    assert len(outcomes) == len(roll.outcomes) and state_at(decisions["chance"], roll.steps) in outcomes
    for wrong in ("99", "x", "3/7", "0 0 0 0 0 0 0 0", "../../etc", "3/99999999999999999999"):
        assert state_at(plain, wrong) is None
    with pytest.raises(
        playout.PlayoutError, match=r"^'3 99' leads to no position of this tree: '99' is not in it; take the steps of a cell$"
    ):
        Icicle.read(plain, "3 99")


def test_cells_can_be_asked_for_only_where_somebody_answers(decisions):
    icicle = Icicle.read(decisions["plain"])
    assert "data-steps" not in draw(icicle)
    assert draw(icicle, asked=True).count(" data-steps=") == len(icicle.cells)


def test_icicle_of_a_broad_search_is_enlarged():
    broad = Icicle.read(decide("hex:size=4", simulations=300, c=20.0))
    first = [c for c in broad.cells if c.depth == 0]
    assert broad.enlarged and max(c.depth for c in broad.cells) >= 1
    assert first[0].height == pytest.approx(HEIGHT * 0.55) and first[0].visits == max(c.visits for c in first)
    assert sum(c.height for c in first) <= HEIGHT + 1e-6


def test_picture_draws_courses_with_notes():
    picture = Picture(10, 10)
    with picture.note("a < b"):
        picture.polyline([(0, 0), (5, 2.5)], "#123456", 2)
    assert "<g><title>a &lt; b</title>" in str(picture) and clean(str(picture)).ratio == 1.0
    assert 'points="0,0 5,2.5" fill="none"' in str(picture)


# scales


def test_axes_have_round_ticks():
    axis = straight([-0.13, 0.21], 0, 100, 4)
    assert axis.low <= -0.13 and axis.high >= 0.21 and axis(axis.low) == 0 and axis(axis.high) == 100
    assert [round(t, 3) for t in axis.ticks] == [-0.2, -0.1, 0.0, 0.1, 0.2, 0.3]
    flat = straight([5.0, 5.0], 0, 1)
    assert flat.low < 5 < flat.high
    assert [round(10**t) for t in logarithmic(16, 120_000, 0, 1).ticks] == [100, 1000, 10_000, 100_000]
    assert len(logarithmic(10, 60, 0, 1).ticks) == 3
    assert logarithmic(1, 1, 0, 1).low < 0


def test_short_words():
    assert [short_count(v) for v in (0, 7, 950, 12_340, 999_900, 4_100_000)] == ["0", "7", "950", "12.3 k", "1 M", "4.1 M"]
    assert fitted("abc", 10, 100) == "abc" and fitted("abcdefghij", 10, 30) == "abcd…" and fitted("abc", 10, 3) == ""


# hidden information


@pytest.mark.compiles
def test_the_page_shows_the_worlds_and_not_the_true_state():
    search = playout.Search("scoundrel", seed=2)
    state = search.game.start(7)
    decision = search.survey(search.run(state, simulations=300), 8, 20)
    text = page([decision], "Hidden")
    reader = check_alone(text)
    words = " ".join(reader.words)
    assert state.svg(0) in text and state.svg() not in text
    assert decision.survey.mind() in words and "worlds sampled" in words
    assert decision.survey.worst is not None and decision.survey.worst.svg() in text
    for chart in (best_chart(decision, decision.survey), spread_chart(decision, decision.survey)):
        assert not clean(chart).trouble
        assert "nan" not in chart and "inf" not in chart
    for found in decision.survey.actions:
        assert f"{found.name}: best in {found.best} of 8 worlds" in best_chart(decision, decision.survey)
    bare = msgspec.structs.replace(decision, survey=None)
    assert "In how many worlds" not in page([bare], "x")
    thin = msgspec.structs.replace(
        decision.survey, actions=tuple(msgspec.structs.replace(a, spread=None) for a in decision.survey.actions)
    )
    assert "too few simulations" in spread_chart(decision, thin)


def test_a_drawing_in_letters_is_fitted_as_a_picture_is():
    """As text it was cropped where it did not fit its frame; as a picture of its own size it is made smaller."""
    drawn = text_picture("a b c\n..\n\n<&>")
    assert 'viewBox="0 0 30 48"' in drawn and drawn.count("<text") == 3
    assert 'textLength="30"' in drawn and 'textLength="12"' in drawn and "&lt;&amp;&gt;</text>" in drawn
    assert clean(drawn).ratio == 30 / 48
    for text, ratio in (("x\n" * 30, "0.01667"), ("x" * 60, "30")):
        state = SimpleNamespace(svg=lambda viewer: None, draw=lambda viewer, text=text: text)
        assert f"--ratio:{ratio};" in board(state)
