"""The documentation site: every page is laid, listed and made from what is there; dead links and requests to others are found."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import playout
from playout.game.load import bundled
from tools import fenced, links, site

ROOT = Path(__file__).parents[2]
GOOD = '<html><body id="top"><h2 id="here">x</h2><a href="other.html#there">y</a><a href="#here">z</a><img src="a.svg"></body></html>'


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "pages"
    site.lay(out)
    return out


def listed(nav: list[object]) -> list[str]:
    """The pages of a navigation, in order."""
    found: list[str] = []
    for entry in nav:
        found += (
            [entry]
            if isinstance(entry, str)
            else [page for inner in entry.values() for page in listed([inner] if isinstance(inner, str) else inner)]
        )  # type: ignore[attr-defined]
    return found


def test_every_page_is_in_the_navigation_once(pages: Path) -> None:
    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    there = {file.relative_to(pages).as_posix() for file in pages.rglob("*.md")}
    found = listed(settings["nav"])
    assert set(found) ^ there == set(), "not both a page and in the nav of zensical.toml"
    assert len(found) == len(there)
    assert settings["theme"]["font"] is False and (pages / settings["extra"]["polyfills"][0]).is_file()


def test_links_of_the_root_lead_to_pages(pages: Path) -> None:
    for file in pages.rglob("*.md"):
        text = file.read_text(encoding="utf-8")
        assert "](../README.md" not in text and "](docs/" not in text and "](LICENSE)" not in text, file.name
    assert "](overview.md)" in (pages / "index.md").read_text(encoding="utf-8")


def test_no_link_leads_astray(pages: Path) -> None:
    """All of them, headings included, and every name of the reference."""
    assert links.astray(pages) == []
    assert sum(len(links.links(file.read_text(encoding="utf-8"))) for file in pages.rglob("*.md")) > 200, "links are found"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a](b.md#two-words) [c](#here) `[d](gone.md)`\n\n```\n[e](gone.md)\n# no-heading\n```\n", []),
        ("[a](gone.md)", ["a.md leads to gone.md, which is not there"]),
        ("[a](b.md#two)", ["a.md leads to b.md#two, and there is no such place on that page"]),
        ("[a](#there)", ["a.md leads to #there, and there is no such place on that page"]),
        ("[a](b.md#two-words_1) [a](b.md#own) [a](b.md#playout.Search)", []),
        ("::: playout.Serch\n", ["a.md tells of playout.Serch, which does not exist"]),
        (
            "::: playout.arena.standings.Standings\n::: playout.bridges.plainer\n",
            ["a.md tells of playout.bridges.plainer, which does not exist"],
        ),
    ],
)
def test_what_leads_astray_is_found(tmp_path: Path, text: str, said: list[str]) -> None:
    (tmp_path / "a.md").write_text(f"# Here\n{text}\n")
    (tmp_path / "b.md").write_text("# *Two* `words`!\n## Two words\n### Three { #own }\n::: playout.Search\n")
    assert links.astray(tmp_path) == said


def test_lists_and_tables_are_lists_and_tables() -> None:
    text = "Say:\n- one\n  goes on\n  - deeper\n\n  ```\n  a\n    b\n  ```\n- two\n\nSay\n| a |\n|---|\n1. x\n   y\n```\n- no list\n| no table\n```\n"
    assert site.spaced(text) == (
        "Say:\n\n- one\n    goes on\n    - deeper\n\n    ```\n    a\n      b\n    ```\n\n- two\n\nSay\n\n| a |\n|---|\n\n1. x\n    y\n"
        "```\n- no list\n| no table\n```\n"
    )


def test_the_gallery_has_every_game_and_its_picture(pages: Path) -> None:
    text = (pages / "gallery.md").read_text(encoding="utf-8")
    told = tomllib.loads(site.RULES.read_text(encoding="utf-8"))
    assert list(told) == list(bundled()), "docs/rules.toml tells of other games than are bundled"
    for name in bundled():
        game = playout.load(name)
        assert f"{{ #{name} }}" in text and told[name]["rules"] in text
        assert game.has("svg") == (pages / "games" / f"{name}.svg").is_file()
        assert (ROOT / "docs" / told[name]["page"]).is_file()


def test_the_picture_of_a_hidden_game_is_what_its_mover_sees(pages: Path) -> None:
    game = playout.load("kuhn-poker")
    state = site.position(game, {"moves": ""})
    shown = (pages / "games" / "kuhn-poker.svg").read_text(encoding="utf-8")
    assert shown == state.svg(0) != state.svg()


def test_every_public_name_has_its_place_in_the_reference() -> None:
    names = [name for _, _, names in site.REFERENCE.values() for name in names]
    assert {f"playout.{name}" for name in playout.__all__} - set(names) == set(), "public, and not in REFERENCE of tools/site.py"
    assert len(names) == len(set(names))


def test_examples_in_docstrings_are_fenced() -> None:
    text = "Say.\n\n    >>> 1 + 1\n    2\n    >>> [1][0]\n    1\n\nMore."
    assert fenced.fenced(text) == "Say.\n\n```pycon\n    >>> 1 + 1\n    2\n    >>> [1][0]\n    1\n```\n\nMore."
    assert fenced.fenced("Nothing here: >> and >.") == "Nothing here: >> and >."


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (GOOD, []),
        (GOOD.replace("#here", "#gone"), ["index.html leads to #gone, and there is no such place on that page"]),
        (GOOD.replace("#there", "#gone"), ["index.html leads to other.html#gone, and there is no such place on that page"]),
        (GOOD.replace("other.html", "gone.html"), ["index.html leads to gone.html#there, which is not there"]),
        (GOOD.replace("a.svg", "b.svg"), ["index.html leads to b.svg, which is not there"]),
        (GOOD.replace("a.svg", "//else.where/a.svg"), ["index.html loads //else.where/a.svg"]),
        (GOOD + '<script src="https://else.where/x.js"></script>', ["index.html loads https://else.where/x.js"]),
        (GOOD + '<link rel="stylesheet" href="http://else.where/x.css">', ["index.html loads http://else.where/x.css"]),
        (GOOD + '<a href="https://else.where/">a link is no request</a>', []),
    ],
)
def test_what_is_wrong_with_a_site_is_found(tmp_path: Path, page: str, said: list[str]) -> None:
    (tmp_path / "index.html").write_text(page)
    (tmp_path / "other.html").write_text('<html><p id="there"></p></html>')
    (tmp_path / "a.svg").write_text("<svg/>")
    assert site.problems(tmp_path) == said


def test_a_style_sheet_that_asks_others_is_found(tmp_path: Path) -> None:
    (tmp_path / "x.css").write_text(
        '@import "https://else.where/f.css"; a { background: url(//else.where/b.png) } b { background: url(c.png) }'
    )
    assert site.problems(tmp_path) == ["x.css loads //else.where/b.png", "x.css loads https://else.where/f.css"]


def test_a_site_that_zensical_warns_of_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ran:
        returncode, stdout, stderr = 0, "\x1b[33mWarning:\x1b[0m page does not exist", ""

    monkeypatch.setattr(site, "lay", lambda out: None)
    monkeypatch.setattr(site.subprocess, "run", lambda *given, **words: Ran)
    with pytest.raises(SystemExit, match="zensical is not content:\nWarning: page does not exist"):
        site.build(tmp_path)
