"""What a game's picture may bring into a page: pictures stay as they are, and hostile ones lose what they brought."""

from __future__ import annotations

import time
from xml.etree import ElementTree

import pytest

import playout
from playout.game.clicks import read_marks
from playout.game.load import bundled
from playout.picture import Picture
from playout.report.boards import board
from playout.report.clean import DEEPEST, MOST_ELEMENTS, MOST_LETTERS, clean

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"'


def inside(words: str, more: str = "") -> str:
    """What is left of something inside a picture."""
    found = clean(f"{HEAD}{more}>{words}</svg>")
    assert not found.trouble and found.ratio == 1.0 and found.svg.startswith(HEAD)
    ElementTree.fromstring(found.svg)
    return found.svg.removeprefix(HEAD).removesuffix("</svg>")


@pytest.mark.parametrize("name", [name for name in bundled() if not playout.load(name).continuous])
def test_pictures_of_bundled_games_stay_as_they_are(name: str) -> None:
    picture = playout.load(name).start().svg()
    assert clean(picture).svg == picture and read_marks(picture) == read_marks(clean(picture, clickable=True).svg)


def test_what_a_picture_needs_stays() -> None:
    kept = (
        '<title>a &lt; b</title><g data-action="3" aria-label="to &quot;d&quot;" role="img"><rect class="hit" width="3" fill="#fff"/></g>'
        '<text x="1" data-part="b2" xml:space="preserve" font-family="system-ui, \'Noto Sans\'"> x </text>'
        '<path d="M0 0L1,-1e-3z" transform="translate(1 2) rotate(3)" stroke="rgba(0, 0, 0, 0.5)"/>'
    )
    assert inside(kept) == f">{kept}"


HOSTILE = [
    "<script>alert(1)</script>",
    '<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>',
    '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>',
    '<h:body xmlns:h="http://www.w3.org/1999/xhtml" onload="alert(1)"><h:script>alert(1)</h:script></h:body>',
    "<SCRIPT>alert(1)</SCRIPT>",
    "<foreignObject><iframe src='https://evil.test/'/></foreignObject>",
    '<image href="https://evil.test/x.png"/>',
    '<a href="javascript:alert(1)"><rect/></a>',
    '<a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="https://evil.test/"><rect/></a>',
    '<use href="https://evil.test/x.svg#a"/>',
    '<g id="a"><use href="#a"/></g>',
    "<style>@import url(https://evil.test/x.css);</style>",
    '<set attributeName="onclick" to="alert(1)"/>',
    '<animate attributeName="href" values="javascript:alert(1)"/>',
    '<rect onclick="alert(1)" onload="alert(1)" xmlns:x="urn:x" x:onclick="alert(1)"/>',
    '<rect fill="url(https://evil.test/x)"/>',
    '<rect fill="url(//evil.test/x)"/>',
    '<rect fill="u\\72l(https://evil.test/x)"/>',
    '<rect fill="URL( \'evil.test\' )" clip-path="image-set(evil.test)"/>',
    '<rect style="fill: url(https://evil.test/x); position: fixed; background: url(https://evil.test/)"/>',
    '<rect style="fill: red} body { background: url(https://evil.test/)"/>',
    '<rect class="fixed-full q-dialog" tabindex="0" style="position:fixed;inset:0;z-index:9999"/>',
    '<filter id="f"><feImage href="https://evil.test/"/></filter>',
    "<iframe srcdoc='&lt;script&gt;alert(1)&lt;/script&gt;'/>",
    '<?xml-stylesheet href="https://evil.test/x.css"?>',
    "<!-- <script>alert(1)</script> -->",
]


@pytest.mark.parametrize("words", HOSTILE)
def test_what_does_not_belong_into_a_page_is_left_out(words: str) -> None:
    left = inside(words)
    assert not any(word in left.lower() for word in ("alert", "evil", "script", "href", "style", "fixed", "onclick", "tabindex"))


def test_what_was_left_out_is_said() -> None:
    found = clean(
        f'{HEAD}><style>a</style><g onclick="x" class="y"><image/><script><b/></script></g><rect fill="url(http://x)" x="1"/></svg>'
    )
    assert found.left_out == ("<image>", "<script>", "<style>", "fill") and clean(f"{HEAD}/>").left_out == ()


def test_texts_that_look_like_tags_stay_texts() -> None:
    left = inside("<text><![CDATA[</text><script>alert(1)</script>]]></text><title>&lt;/title&gt;&lt;script&gt;</title>")
    assert "<script" not in left and left.count("&lt;script&gt;") == 2


def test_a_style_becomes_attributes_and_wins_over_them() -> None:
    assert (
        inside('<rect fill="blue" style="fill: red; stroke-width:2; cursor: url(x)"/>') == '><rect fill="red" stroke-width="2"/>'
    )


def test_ids_are_the_pictures_own() -> None:
    left = inside('<clipPath id="a"><rect/></clipPath><g clip-path="url(#a)" aria-labelledby="a b" id="x y"/>')
    assert left == '><clipPath id="pic-a"><rect/></clipPath><g clip-path="url(#pic-a)" aria-labelledby="pic-a pic-b"/>'


def test_marks_are_ids_and_names() -> None:
    left = inside('<g data-action="1e3"/><g data-action="-1"/><g data-action="７"/><g data-part="a" data-other="x"/>')
    assert left == '><g/><g/><g/><g data-part="a"/>'


def test_what_can_be_clicked_on_is_a_button_where_asked() -> None:
    drawn = Picture(9, 9)
    with drawn.action(2, "two"), drawn.part("b"):
        drawn.hit(0, 0, 9, 9)
    assert 'role="button"' not in clean(str(drawn)).svg
    assert clean(str(drawn), clickable=True).svg.count(' role="button" tabindex="0"') == 2
    state = playout.load("tic-tac-toe").start()
    assert board(state, clickable=True).count('role="button"') == 9 and 'role="button"' not in board(state)


def test_a_size_of_the_window_is_none_of_a_picture() -> None:
    assert clean('<svg width="30" height="15"/>') == (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 15" width="30" height="15"/>',
        2.0,
        "",
        (),
    )
    assert "vw" not in clean('<svg viewBox="0 0 1 1" width="500vw" height="100%"/>').svg


LAUGHS = (
    "<!DOCTYPE svg [<!ENTITY a 'ha'>"
    + "".join(f"<!ENTITY a{i} '{'&a' + str(i - 1) * (i > 1) + ';'}'>" for i in range(1, 9))
    + "]>"
)
TROUBLE = {
    "<svg": "it is no XML (unclosed token: line 1, column 0)",
    "": "it is no XML (no element found: line 1, column 0)",
    f"{HEAD}><g></svg>": "it is no XML (mismatched tag: line 1, column 63)",
    f"{HEAD}>&nbsp;</svg>": "it is no XML (undefined entity: line 1, column 58)",
    "<p>no picture</p>": "its outer element is <p>, and not <svg> of the namespace http://www.w3.org/2000/svg",
    '<svg xmlns="http://www.w3.org/1999/xhtml" viewBox="0 0 9 9"/>': "its outer element is <svg>, and not <svg> of the namespace http://www.w3.org/2000/svg",
    "<svg/>": "its size is not known; give the <svg> element a viewBox of four numbers",
    '<svg viewBox="0 0 0 9"/>': "its size is not known; give the <svg> element a viewBox of four numbers",
    '<svg viewBox="0 0 nan 9"/>': "its size is not known; give the <svg> element a viewBox of four numbers",
    f"{LAUGHS}{HEAD}>&a8;</svg>": "it has a DOCTYPE, which may define entities without end; leave it out",
    '<!DOCTYPE svg SYSTEM "file:///etc/passwd"><svg viewBox="0 0 9 9"/>': "it has a DOCTYPE, which may define entities without end; leave it out",
    f"{HEAD}>{'<g>' * DEEPEST}{'</g>' * DEEPEST}</svg>": "it has more than 100,000 elements, or some more than 100 deep",
    f"{HEAD}>{'<a>' * DEEPEST}{'</a>' * DEEPEST}</svg>": "it has more than 100,000 elements, or some more than 100 deep",
}


@pytest.mark.parametrize("number", range(len(TROUBLE)))
def test_a_picture_that_cannot_be_used_gets_a_sentence_and_a_placeholder(number: int) -> None:
    picture, why = list(TROUBLE.items())[number]
    found = clean(picture)
    assert found.trouble == f"The game's picture cannot be shown: {why}."
    root = ElementTree.fromstring(found.svg)
    assert root.get("aria-label") == found.trouble and "no picture" in found.svg


def test_a_picture_without_end_is_refused_at_once() -> None:
    began = time.process_time()
    assert "letters" in clean("<" * (MOST_LETTERS + 1)).trouble
    assert "elements" in clean(f"{HEAD}>{'<g/>' * (MOST_ELEMENTS + 1)}</svg>").trouble
    assert time.process_time() - began < 5


def test_a_style_takes_away_only_what_it_says_itself() -> None:
    assert inside('<rect width="3" fill="blue" style="width:5px; fill:expression(1)"/>') == '><rect width="3"/>'
