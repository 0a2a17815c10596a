"""The page of a tournament: complete, self-contained, and sound for whatever happened in it."""

import math
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import msgspec
import pytest

from playout.arena.sequential import Verdict
from playout.arena.words import elo, headline, likelihood, pair_of, percent, ranking, sureness, verdict_words
from playout.errors import FileError
from playout.report.arena_page import arena_page, arena_parts, write_arena_report
from playout.report.axis import short_seconds, text_width
from playout.report.marks import WIDTH
from tests.report.samples import SAMPLES, empty, faulty, many, patience, solitaire, three_agents, three_players, versus
from tests.report.test_decision_page import check_alone


class Table(HTMLParser):
    """The words of a page, with those of each cell put together."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.cells, self.depth = [], 0

    def handle_starttag(self, tag, attrs):
        if tag in ("td", "th"):
            self.cells.append("")
            self.depth += 1
        elif tag == "small" and self.depth:
            self.cells.append("")

    def handle_endtag(self, tag):
        self.depth -= tag in ("td", "th")

    def handle_data(self, data):
        if self.depth:
            self.cells[-1] += data


def cells(text):
    reader = Table()
    reader.feed(text)
    return {cell.strip() for cell in reader.cells}


def check(text):
    """Everything that holds for every page: alone, and every picture whole, finite and inside its frame."""
    # The words of agents may look like anything; what matters is that the page itself fetches nothing.
    read(text)
    pictures = re.findall(r"<svg.*?</svg>", text, re.S)
    for picture in pictures:
        check_picture(picture)
    return pictures


def read(text):
    plain = text.replace("<wbr>", "")
    return check_alone(plain)


def check_picture(picture):
    root = ElementTree.fromstring(picture)
    _, _, width, height = map(float, root.get("viewBox").split())
    assert root.find("{*}title").text
    for element in root.iter():
        for name, value in element.attrib.items():
            if name in ("points", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "font-size"):
                numbers = [float(v) for v in re.split(r"[ ,]", value)]
                assert all(map(math.isfinite, numbers)), (name, value)
        if element.tag.endswith("}text"):
            left, right = span(element)
            assert left >= -1 and right <= width + 1, element.text
            assert 0 <= float(element.get("y")) <= height
    check_texts_apart(root)


def span(element):
    x, wide = float(element.get("x")), text_width(element.text or "", float(element.get("font-size")))
    start = {"start": 0, "middle": wide / 2, "end": wide}[element.get("text-anchor")]
    return x - start, x - start + wide


def check_texts_apart(root):
    boxes = []
    for element in root.iterfind(".//{*}text"):
        (left, right), y, size = span(element), float(element.get("y")), float(element.get("font-size"))
        boxes.append((left + 1, right - 1, y - 0.7 * size, y, element.text))
    for i, one in enumerate(boxes):
        for two in boxes[:i]:
            apart = one[1] <= two[0] or two[1] <= one[0] or one[3] <= two[2] or two[3] <= one[2]
            assert apart, f"{one[4]!r} covers {two[4]!r}"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_page_is_sound(name, tmp_path):
    path = write_arena_report(tmp_path / "new" / "arena.html", SAMPLES[name](), f"Arena <{name}> & more")
    text = path.read_text(encoding="utf-8")
    check(text)
    assert f"Arena &lt;{name}&gt; &amp; more" in text
    assert [p.name for p in path.parent.iterdir()] == ["arena.html"]


def test_all_numbers_are_in_the_table():
    standings = three_agents()
    text = arena_page(standings, "x")
    found = cells(text)
    for rank, place in enumerate(ranking(standings), 1):
        row = standings.agents[place]
        assert {
            str(rank),
            row.agent,
            elo(row.rating),
            f"{elo(row.rating_low)} to {elo(row.rating_high)}",
            percent(row.points),
            f"{100 * row.low:.1f} to {percent(row.high)}",
            f"{row.games:,}",
            short_seconds(row.seconds_per_decision),
        } <= found
    for pair in standings.pairs:
        shown = pair.turned() if pair.points_a < 0.5 else pair
        assert {
            percent(shown.points_a),
            f"{shown.wins_a} / {shown.draws} / {shown.wins_b}",
            likelihood(shown.superiority),
        } <= found
        assert f"+{shown.wins_a} ={shown.draws} -{shown.wins_b}" in found
    for fact in ("connect-four", "round-robin", "results/connect-four.arena", "<dd>7</dd>", "<dd>600</dd>"):
        assert fact in text


def test_all_numbers_of_a_game_for_one_player():
    standings = patience()
    text = arena_page(standings, "x")
    found = cells(text)
    for row in standings.agents:
        assert {row.agent, f"{row.mean_score:.4g}", percent(row.win_rate), f"{row.quartiles[2]:.4g}"} <= found
    for pair in standings.pairs:
        assert f"{abs(pair.difference):+.3g}" in found
    assert text.count("deals with that score") == 1 and "On the same deals" in text
    assert "Against each other" not in text and "Points by seat" not in text


def test_headline_says_who_leads_and_how_sure():
    standings = three_agents()
    assert headline(standings) == "uct:simulations=10000 leads with +280 Elo (+253 to +307)."
    words = sureness(standings)
    assert "After 600 games between 3 agents" in words and "ahead of uct:simulations=1000 by 150 Elo (+109 to +191)" in words
    assert "over 99.9 %" in words and "not settled" not in words
    assert "decided after 44 rounds, at 95 % confidence: uct:simulations=10000 is better than every other agent." in words
    assert "62.5 %, so that is not settled" in sureness(faulty())
    assert "on the same deals (+2.53 to +3.81)" in sureness(patience())


def test_verdicts_of_every_kind():
    standings = three_agents()

    def say(verdict):
        return verdict_words(msgspec.structs.replace(standings, verdict=verdict))

    undecided = Verdict(better=None, decided=((0, 1), (2, 0)), rounds=1, confidence=0.99, shape="gauntlet")
    assert say(None) == ""
    assert say(undecided).endswith(
        "after 1 round, at 99 % confidence: random is better than uct:simulations=1000; uct:simulations=10000 is better than random."
    )


def test_ranking_puts_the_unrated_last():
    standings = three_agents()
    agents = list(standings.agents)
    agents[2] = msgspec.structs.replace(agents[2], rating=None, rating_low=None, rating_high=None)
    standings = msgspec.structs.replace(standings, agents=tuple(agents), verdict=None)
    assert ranking(standings) == [1, 0, 2]
    text = arena_page(standings, "x")
    check(text)
    assert "1 agent without a rating" in text


def test_pairs_can_be_turned():
    standings = three_agents()
    pair = pair_of(standings, "random", "uct:simulations=1000")
    back = pair_of(standings, "uct:simulations=1000", "random")
    assert back.points_a == pytest.approx(1 - pair.points_a) and back.wins_a == pair.wins_b
    assert back.difference_low == -pair.difference_high and back.superiority == pytest.approx(1 - pair.superiority)
    assert back.turned().wins_a == pair.wins_a and back.turned().difference == pair.difference
    assert pair_of(standings, "random", "nobody") is None


def test_faults_and_notes_are_shown():
    text = arena_page(faulty(), "x")
    found = cells(text)
    assert {"crash", "14", "17", "illegal", "late", "decided after 3.2 s, allowed are 2 s"} <= found
    assert 'href="#faults"' in text and 'id="faults"' in text and "18 games were lost by" in text
    assert "12 of 240 games were cut off" in text and "61% of the games repeat" in text
    assert "faults</h2>" not in arena_page(three_agents(), "x") and 'class="say"' not in arena_page(three_agents(), "x")


def test_words_are_escaped():
    nasty = ['<script>alert("1")</script>', "a & b", "</table></section>", "tab\x00\x1b, end", "é…✓"]
    standings = versus(nasty, [30.0, 20.0, 10.0, 0.0, -60.0], notes=("<b>bold</b>",), file='<i>"x"</i>', game="<odd & game>")
    text = arena_page(standings, "<title>")
    pictures = check(text)
    assert len(pictures) == 5
    assert "<script" not in text and "<b>bold" not in text and "<i>" not in text and "\x1b" not in text and "\x00" not in text
    assert "&lt;odd &amp; game&gt;" in text and text.count("</section>") == 4


@pytest.mark.parametrize("count", [2, 8, 9, 12, 13, 30])
def test_many_agents_with_long_names(count):
    standings = many(count)
    text = arena_page(standings, "x")
    check(text)
    assert text.count('<th scope="row">') == count
    for row in standings.agents:
        assert row.agent in {re.sub(r"^\d+ ", "", cell) for cell in cells(text)}


def test_many_agents_for_one_player():
    names = [f"uct:simulations={100 + i},c=0.7,rule=puct,a-very-long-setting-of-no-use={i}" for i in range(30)]
    text = arena_page(solitaire(names, [10.0 + i for i in range(30)], deals=40), "x")
    check(text)
    assert "All 435 pairs" in text


def test_hundreds_of_agents_are_still_a_page():
    text = arena_page(many(150, games=30_000), "x")
    assert text.count('<th scope="row">') == 60 and "The best 60 of 150 agents." in text and len(text) < 4_000_000


def test_a_runner_up_that_was_never_met():
    standings = three_agents()
    met = tuple(pair for pair in standings.pairs if "random" in (pair.a, pair.b))
    assert "has not met the next one, uct:simulations=1000;" in arena_page(
        msgspec.structs.replace(standings, pairs=met), "x"
    ).replace("<wbr>", "")


def test_settings_that_all_share_are_left_out_of_charts():
    text = arena_page(many(), "x")
    ratings = re.findall(r"<svg.*?</svg>", text, re.S)[0]
    assert "1. uct:simulations=100,c=0.3,rule=ucb1-tuned<" in ratings and "…" not in ratings


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("names", [(), ("alone",), ("a", "b")])
def test_no_games_at_all(players, names):
    text = arena_page(empty(players, names), "nothing")
    assert check(text) == []
    assert "No games yet." in text


def test_the_cards_of_a_page_stand_for_themselves():
    for standings in (three_agents(), patience(), empty(2, ("a", "b"))):
        parts, page = arena_parts(standings), arena_page(standings, "Title")
        assert list(parts) == ["standings", "against", "course", "game", "faults"]
        assert parts["standings"] and all(part in page for part in parts.values())
    assert parts["course"] == parts["game"] == parts["faults"] == ""


def test_one_agent_alone():
    text = arena_page(solitaire(["random"], [12.0]), "x")
    check(text)
    assert "random has a mean score of" in text and "Every pair" not in text
    text = arena_page(one_against_itself(), "x")
    check(text)
    assert "random has 50.0 % of the points" in text


def one_against_itself():
    standings = versus(["random"], [0.0], games=10)
    row = msgspec.structs.replace(standings.agents[0], rating=None, rating_low=None, rating_high=None)
    return msgspec.structs.replace(standings, agents=(row,))


def test_nothing_known_but_points():
    standings = three_players()
    bare = {"rating": None, "rating_low": None, "rating_high": None, "openskill": None, "seconds_per_decision": None}
    agents = tuple(msgspec.structs.replace(row, simulations_per_decision=None, **bare) for row in standings.agents)
    pairs = tuple(
        msgspec.structs.replace(p, superiority=None, difference=None, difference_low=None, difference_high=None)
        for p in standings.pairs
    )
    text = arena_page(msgspec.structs.replace(standings, agents=agents, pairs=pairs, course=(), analytics=None), "x")
    check(text)
    assert "of the points (" in text and "cannot be said" in text and "Strength and its price" not in text


@pytest.mark.parametrize("strange", [math.nan, math.inf, -math.inf, 1e300, 1e-300, 0.0, -1.0])
def test_strange_numbers_do_not_spoil_the_page(strange):
    def spoil(standings, **words):
        agents = list(standings.agents)
        agents[0] = msgspec.structs.replace(agents[0], **words)
        return msgspec.structs.replace(standings, agents=tuple(agents))

    ends = {"rating": strange, "rating_low": strange, "rating_high": strange, "seconds_per_decision": strange}
    check(arena_page(spoil(three_agents(), **ends), "x"))
    ends = {"mean_score": strange, "score_low": strange, "score_high": strange, "seconds_per_decision": strange}
    check(arena_page(spoil(patience(), **ends), "x"))


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be written"):
        write_arena_report(tmp_path / "file" / "arena.html", three_agents(), "x")


def test_charts_are_as_wide_as_those_of_decisions():
    from playout.report import charts

    assert charts.WIDTH == WIDTH


def test_likelihoods_never_claim_certainty():
    assert [likelihood(p) for p in (1.0, 0.0, 0.5, 0.9994, None)] == ["over 99.9 %", "under 0.1 %", "50.0 %", "99.9 %", ""]
    assert elo(-0.2) == "+0" and elo(12.6) == "+13"
    assert [short_seconds(s) for s in (0, 2.1e-6, 1.2e-3, 2, 86400)] == ["0 µs", "2.1 µs", "1.2 ms", "2 s", "8.6e+04 s"]


def test_the_page_of_decisions_is_not_touched():
    from playout.report.decision_page import page
    from playout.report.style import AGENTS_CSS, CSS

    assert f"<title>x</title><style>{CSS}</style></head>\n<body>" in page([], "x")
    assert f"<style>{CSS}{AGENTS_CSS}</style>" in arena_page(three_agents(), "x")
