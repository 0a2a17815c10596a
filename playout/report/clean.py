"""Pictures of games, cleaned before they go into a page: reports and the studio embed a game's SVG only through here.

A game's file is the user's own, but a page is handed on, and a studio may be open to others. So a picture is read by an XML parser and
written anew from what is on the lists below; what is not on them is left out, with all that is inside it. No scripts, no
foreign objects, no handlers, no style sheets, nothing that is fetched from elsewhere, and no way to lie over the rest of the page.
Marks to click on (`data-action`, `data-part`), titles and `aria-` texts stay. A picture of `playout.picture.Picture` comes out as it went in.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import escape

from playout.game.clicks import ACTION, PART

SVG = "http://www.w3.org/2000/svg"
XML = "http://www.w3.org/XML/1998/namespace"
MOST_LETTERS, MOST_ELEMENTS, DEEPEST = 4_000_000, 100_000, 100
"""The largest picture that a page takes."""
SHORT = 80
"""Values up to so many letters are judged once."""
OWN = "pic-"
"""Before every id of a picture, so that it never is one of the page's."""

# Neither `use`, `pattern`, `mask` nor `marker`: a few lines of one another's copies draw more than any browser can.
ELEMENTS = frozenset(
    [
        "svg",
        "g",
        "defs",
        "title",
        "desc",
        "rect",
        "circle",
        "ellipse",
        "line",
        "polyline",
        "polygon",
        "path",
        "text",
        "tspan",
        "linearGradient",
        "radialGradient",
        "stop",
        "clipPath",
    ]
)
SHAPES = frozenset(
    [
        "x",
        "y",
        "width",
        "height",
        "rx",
        "ry",
        "cx",
        "cy",
        "r",
        "x1",
        "y1",
        "x2",
        "y2",
        "dx",
        "dy",
        "fx",
        "fy",
        "points",
        "d",
        "transform",
        "viewBox",
        "preserveAspectRatio",
        "pathLength",
        "rotate",
        "textLength",
        "lengthAdjust",
        "offset",
        "gradientUnits",
        "gradientTransform",
        "spreadMethod",
        "clipPathUnits",
    ]
)
LOOKS = frozenset(
    [
        "fill",
        "fill-opacity",
        "fill-rule",
        "stroke",
        "stroke-width",
        "stroke-opacity",
        "stroke-dasharray",
        "stroke-dashoffset",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-miterlimit",
        "opacity",
        "color",
        "stop-color",
        "stop-opacity",
        "clip-path",
        "clip-rule",
        "visibility",
        "display",
        "paint-order",
        "vector-effect",
        "shape-rendering",
        "text-rendering",
        "pointer-events",
        "font-family",
        "font-size",
        "font-style",
        "font-variant",
        "font-weight",
        "font-stretch",
        "text-anchor",
        "text-decoration",
        "dominant-baseline",
        "alignment-baseline",
        "baseline-shift",
        "letter-spacing",
        "word-spacing",
        "writing-mode",
        "direction",
    ]
)
"""Attributes that are read as CSS are; a `style` is taken apart into them."""
FUNCTIONS = frozenset(["rgb", "rgba", "hsl", "hsla", "url", "matrix", "translate", "scale", "rotate", "skewx", "skewy"])
HARMLESS = re.compile(r"[\w\s.,%#()+\-'\"/]*")
"""The letters of sizes, colours and transforms. No backslash, which hides words in CSS, no colon, no bracket but round ones."""
QUOTED = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
"""Attributes always stand between double quotes, so that a page can find marks in the text."""
NUMBER = re.compile(r"[\d.]{1,12}(px)?")
TOKEN = re.compile(r"[\w.\-]{1,100}")
POINTS_AT_OWN = re.compile(r"url\(\s*(['\"]?)#([\w.\-]{1,100})\1\s*\)")
ROLES = frozenset(("img", "group", "presentation", "none", "list", "listitem", "graphics-document", "graphics-symbol"))
BY_ID = frozenset(("aria-labelledby", "aria-describedby"))
SAID = frozenset(
    [
        "aria-label",
        "aria-description",
        "aria-roledescription",
        "aria-hidden",
        "aria-disabled",
        "aria-pressed",
        "aria-selected",
        "aria-current",
    ]
)


SEEN = SHAPES | LOOKS
"""What somebody would miss."""


class Cleaned(NamedTuple):
    """A picture that may go into a page."""

    svg: str
    """The picture; where there is trouble, one that says so."""
    ratio: float
    """Width by height."""
    trouble: str = ""
    """Why the picture could not be used, in a sentence; empty where it could."""
    left_out: tuple[str, ...] = ()
    """The elements that are not in it any more, and the attributes whose values were refused."""


class _Refused(Exception):
    """What is wrong with a picture as a whole."""


def clean(picture: str, clickable: bool = False) -> Cleaned:
    """The picture without what does not belong into a page. With `clickable` a keyboard reaches what can be clicked on, as buttons."""
    try:
        if len(picture) > MOST_LETTERS:
            raise _Refused(f"it has {len(picture):,} letters, more than the {MOST_LETTERS:,} that a page takes")
        writer = _Writer(clickable)
        writer.read(picture)
        return Cleaned("".join(writer.out), writer.ratio, left_out=tuple(sorted(writer.left_out)))
    except expat.ExpatError as error:
        return _placeholder(f"it is no XML ({error})")
    except _Refused as error:
        return _placeholder(str(error))


def _placeholder(why: str) -> Cleaned:
    trouble = f"The game's picture cannot be shown: {why}."
    words = escape(trouble)
    text = f'<text x="12" y="30" font-size="13" fill="currentColor">no picture</text><title>{words}</title>'
    return Cleaned(
        f'<svg xmlns="{SVG}" viewBox="0 0 320 50" role="img" aria-label="{escape(trouble, QUOTED)}">{text}</svg>', 6.4, trouble
    )


class _Writer:
    """Reads a picture from its beginning to its end, and writes down what may stay."""

    def __init__(self, clickable: bool) -> None:
        self.clickable, self.ratio, self.out = clickable, 0.0, [""]
        self.left_out: set[str] = set()
        self.open: list[str] = []
        """The elements that were written and not closed yet."""
        self.dropped = self.elements = 0
        """How deep inside what is left out; how many elements there were."""
        self.unfinished = False
        """Whether the last tag still lacks its end, which is "/>" where nothing follows."""

    def read(self, picture: str) -> None:
        parser = expat.ParserCreate("utf-8", "}")
        parser.StartDoctypeDeclHandler = self.doctype
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler = self.text
        parser.buffer_text, parser.ordered_attributes = True, True
        parser.Parse(picture.encode("utf-8", "replace"), True)

    def doctype(self, *_: object) -> None:
        raise _Refused("it has a DOCTYPE, which may define entities without end; leave it out")

    def start(self, name: str, flat: list[str]) -> None:
        space, _, tag = name.rpartition("}")
        self.elements += 1
        if self.elements > MOST_ELEMENTS or len(self.open) + self.dropped >= DEEPEST:
            raise _Refused(f"it has more than {MOST_ELEMENTS:,} elements, or some more than {DEEPEST} deep")
        given = dict(zip(flat[::2], flat[1::2], strict=True))
        if not self.open and not self.dropped and (tag != "svg" or space not in ("", SVG)):
            raise _Refused(f"its outer element is <{tag[:40]}>, and not <svg> of the namespace {SVG}")
        if self.dropped or tag not in ELEMENTS or space not in ("", SVG):
            if not self.dropped:
                self.left_out.add(f"<{tag[:40]}>")
            self.dropped += 1
            return
        self.finish()
        kept = _attributes(given)
        self.left_out |= {name for name in given if name in SEEN and name not in kept}
        if not self.open:
            kept = {"xmlns": SVG, **self.sized(kept)}
        if self.clickable and (ACTION in kept or PART in kept):
            kept |= {"role": "button", "tabindex": "0"}
        self.out.append(f"<{tag}" + "".join(f' {name}="{escape(value, QUOTED)}"' for name, value in kept.items()))
        self.open.append(tag)
        self.unfinished = True

    def sized(self, kept: dict[str, str]) -> dict[str, str]:
        """The attributes of the outer element, with a box to fit into the page, and its ratio noted."""
        try:
            if "viewBox" not in kept:
                kept = {"viewBox": f"0 0 {float(kept['width']):g} {float(kept['height']):g}", **kept}
            _, _, width, height = (float(number) for number in kept["viewBox"].replace(",", " ").split())
            if not (0 < width < 1e6 and 0 < height < 1e6):
                raise ValueError(kept["viewBox"])
        except (KeyError, ValueError):
            raise _Refused("its size is not known; give the <svg> element a viewBox of four numbers") from None
        self.ratio = width / height
        # A size in parts of the window would be one of the page, and not of the picture.
        return {name: value for name, value in kept.items() if name not in ("width", "height") or NUMBER.fullmatch(value)}

    def end(self, name: str) -> None:
        if self.dropped:
            self.dropped -= 1
            return
        tag = self.open.pop()
        self.out.append("/>" if self.unfinished else f"</{tag}>")
        self.unfinished = False

    def text(self, words: str) -> None:
        if not self.dropped and self.open:
            self.finish()
            self.out.append(escape(words))

    def finish(self) -> None:
        """End the last tag, since something goes inside it."""
        if self.unfinished:
            self.out.append(">")
            self.unfinished = False


def _attributes(given: dict[str, str]) -> dict[str, str]:
    """What stays of an element's attributes, in their order; a style as attributes of its own, which win, as styles do."""
    kept: dict[str, str] = {}
    styled = LOOKS & {rule.partition(":")[0].strip() for rule in given.get("style", "").split(";")} if "style" in given else ()
    for name, value in given.items():
        if name == "style":
            for rule in value.split(";"):
                word, _, look = rule.partition(":")
                if word.strip() in LOOKS and (clean_look := _look(look.strip())) is not None:
                    kept[word.strip()] = clean_look
        elif (found := (_known if len(value) <= SHORT else _attribute)(name, value)) is not None and name not in styled:
            kept["xml:space" if name == f"{XML}}}space" else name] = found
    return kept


def _attribute(name: str, value: str) -> str | None:
    """The value that may stay; None where the attribute may not."""
    if name in SHAPES or name in LOOKS:
        return _look(value)
    if name == "id":
        return OWN + value if TOKEN.fullmatch(value) else None
    if name == "class":
        return "hit" if "hit" in value.split() else None
    if name == ACTION:
        return value if value.isdecimal() and value.isascii() and len(value) < 10 else None
    if name == PART:
        return value if len(value) <= 200 else None
    if name == "role":
        return value if value in ROLES else None
    if name in BY_ID:
        return " ".join(OWN + word for word in value.split())
    if name == f"{XML}}}space":
        return "preserve" if value == "preserve" else None
    return value if name in SAID else None


_known = lru_cache(maxsize=8192)(_attribute)
"""The same colours and sizes come again and again, and a live page draws many boards."""


def _look(value: str) -> str | None:
    """A size, colour, path or transform; one that points at an element points at one of the picture."""
    if not HARMLESS.fullmatch(value) or "/*" in value:
        return None
    functions = re.findall(r"([\w\-]*)\s*\(", value)
    if any(function.lower() not in FUNCTIONS for function in functions):
        return None
    if sum(function.lower() == "url" for function in functions) != len(POINTS_AT_OWN.findall(value)):
        return None
    return POINTS_AT_OWN.sub(lambda match: f"url(#{OWN}{match[2]})", value)
