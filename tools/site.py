"""The documentation site: python tools/site.py [FOLDER].

The pages of docs/, the README and its neighbours are laid together in .pages, with a gallery made from the games' own pictures and reference
pages made from docstrings; zensical builds them, strictly: a warning is the end. Then every link, anchor and picture of the built site is
followed, and nothing in it may ask another host for anything, since it must work without a network.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import playout
from playout.game.game import Game
from playout.game.load import bundled
from playout.game.state import State
from playout.game.stream import Stream

ROOT = Path(__file__).parents[1]
DOCS, PAGES = ROOT / "docs", ROOT / ".pages"
RULES = DOCS / "rules.toml"
BESIDE = {"README.md": "overview.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md"}
"""Files of the root that are pages of the site, and their names there."""
SHOWN = (".png", ".svg", ".js", ".css")


def _of(room: str, words: str) -> tuple[str, ...]:
    return tuple(f"{room}.{word}" for word in words.split())


IN_RULES = ("parameter", "below", "uniform", "by_rejection", "popcount", "lowest", "pop", "mix")
"""Public, and for the file of a game: all other public words in small letters are verbs."""

REFERENCE: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "verbs": (
        "Verbs",
        "What stands at the top of `playout` and does something.",
        tuple(f"playout.{name}" for name in playout.__all__ if name.islower() and name not in IN_RULES),
    ),
    "games": (
        "Games and states",
        "What a game is when Python holds it, what a game file may import, and what goes wrong.",
        _of("playout", "Game State Stream")
        + tuple(f"playout.{name}" for name in IN_RULES)
        + _of("playout", "PlayoutError GameError IllegalAction CompileError FileError UnfinishedLine"),
    ),
    "search": (
        "Searches and decisions",
        "A search that keeps its tree, its settings and budget, and what it returns.",
        _of("playout", "Search Settings Budget Decision ActionRecord Line"),
    ),
    "arena": (
        "The arena",
        "Agents, and what comes out when they play each other.",
        _of("playout", "agents.base.Agent arena.tournament.Tournament")
        + _of("playout.arena.standings", "Standings AgentRow SoloRow PairRow SideRow FaultRow CoursePoint"),
    ),
    "learning": (
        "Learning",
        "Policies, networks, and the reports of their runs.",
        _of("playout.learning", "policy.Policy settings.Settings run.Learned run.Result run.Point")
        + _of("playout.learning.network", "result.NetworkResult settings.NetworkSettings"),
    ),
    "truth": (
        "Truth",
        "How far from the best: exact solutions, references, best replies.",
        _of(
            "playout.truth",
            "game_tree Tree equilibrium Solution best_response search_policy SearchPolicy reference Reference regret RegretReport",
        ),
    ),
}
"""Pages of the reference: title, a sentence, and what stands on each. A test asks for every public name."""


# laying the pages together


def lay(out: Path) -> None:
    """All pages of the site, as Markdown, into a folder that is made anew."""
    shutil.rmtree(out, ignore_errors=True)
    (out / "reference").mkdir(parents=True)
    (out / "games").mkdir()
    for file in sorted(DOCS.iterdir()):
        if file.suffix == ".md":
            (out / file.name).write_text(from_docs(file.read_text(encoding="utf-8")), encoding="utf-8")
        elif file.suffix in SHOWN:
            shutil.copy(file, out)
    for name, page in BESIDE.items():
        (out / page).write_text(from_root((ROOT / name).read_text(encoding="utf-8")), encoding="utf-8")
    (out / "gallery.md").write_text(gallery(out / "games"), encoding="utf-8")
    for name, text in reference().items():
        (out / "reference" / f"{name}.md").write_text(text, encoding="utf-8")


ITEM, FENCE = re.compile(r"( *)([-*]|\d+\.) "), re.compile(r" *```")


def spaced(text: str) -> str:
    """A page as Python's Markdown wants it: an empty line before a list and a table, and four spaces before what belongs to an item.

    Others, and those who read the file, make do with none, and with two.
    """
    lines: list[str] = []
    # How far what belongs to an item is indented, 0 outside of lists; and what is added to every line of a fence, where one is open.
    unit, fence = 0, None
    several = False  # whether the item has paragraphs: then the next one must stand apart as well
    for line in text.splitlines():
        before, indent = lines[-1] if lines else "", len(line) - len(line.lstrip())
        more = (4 * (indent // unit) - indent) if unit else 0
        if fence is not None:
            lines.append(" " * fence + line if line else line)
            fence = None if FENCE.match(line) else fence
            continue
        item = ITEM.match(line)
        if unit and line and not indent and not item and not before:
            unit = more = 0
        several = several or not line
        if item and not item[1] and (several or not unit):
            lines += [""] * bool(before)
        elif line.lstrip().startswith("|") and before and not before.lstrip().startswith("|"):
            lines.append("")
        if item and not item[1]:
            unit, more, several = len(item[0]), 0, False
        fence = more if FENCE.match(line) else None
        lines.append(" " * more + line if line else line)
    return "\n".join(lines) + "\n"


def from_docs(text: str) -> str:
    """A page of docs/ with its links to files of the root led to where those are on the site."""
    for name, page in BESIDE.items():
        text = text.replace(f"](../{name}", f"]({page}")
    return spaced(text)


def from_root(text: str) -> str:
    """A file of the root with its links led to where they are on the site; what is no page there stays as words."""
    for name, page in BESIDE.items():
        text = text.replace(f"]({name}", f"]({page}")
    text = re.sub(r"\[([^\]]+)\]\(LICENSE\)", r"`\1`", text)
    return spaced(text.replace("](docs/", "]("))


def reference() -> dict[str, str]:
    """The pages that are made from docstrings, by name."""
    pages = {
        name: f"# {title}\n\n{words}\n\n" + "\n".join(f"::: {one}\n" for one in names)
        for name, (title, words, names) in REFERENCE.items()
    }
    lines = [f"- [{title}]({name}.md): {words}" for name, (title, words, _) in REFERENCE.items()]
    pages["index"] = "# Reference\n\nMade from the docstrings of the code.\n\n" + "\n".join(lines) + "\n"
    return pages


# the gallery


def gallery(folder: Path) -> str:
    """The page of all bundled games; their pictures go into a folder."""
    told = tomllib.loads(RULES.read_text(encoding="utf-8"))
    words = [
        "# Gallery",
        "",
        "Every bundled game, drawn by itself. `playout play NAME` plays it, `playout games NAME` says more.",
        "",
    ]
    for name in bundled():
        words += [*card(playout.load(name), told[name], folder), ""]
    return "\n".join(words)


def card(game: Game, told: dict[str, str], folder: Path) -> Iterator[str]:
    """One game of the gallery."""
    state = position(game, told)
    title, _, what = game.title.partition(":")
    yield f"## {title} {{ #{game.name} }}"
    yield ""
    picture = state.svg(state.mover if game.hidden else None)
    if picture is None:
        yield "```text\n" + state.draw(None) + "\n```"
    else:
        (folder / f"{game.name}.svg").write_text(picture, encoding="utf-8")
        yield f"![{title}, a position]({folder.name}/{game.name}.svg){{ .board }}"
    yield ""
    yield f"**{what.strip().capitalize()}.** {told['rules']}"
    yield ""
    kinds = [f"{game.players} player{'s' * (game.players != 1)}", *(["hidden information"] if game.hidden else [])]
    kinds += ["real-valued actions" if game.continuous else f"{game.actions} action ids"]
    yield f"{', '.join(kinds)}. {told.get('known', '')} More: [{headed(told['page'])}]({told['page']})."
    if game.declared and len(game.declared) <= 8:
        yield ""
        yield "| parameter | usual | |\n|---|---|---|"
        yield "\n".join(f"| `{name}` | {game.parameters[name]} | {one.help} |" for name, one in game.declared.items())
    yield ""
    yield f"```\nplayout {'search' if game.continuous else 'play'} {game.name}\n```"


def headed(page: str) -> str:
    """The title of a page."""
    return (DOCS / page).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def position(game: Game, told: dict[str, str]) -> State:
    """The position of a picture: after the moves that are named, or after so many random actions."""
    state = game.start(1)
    if "moves" in told:
        return state.replay(told["moves"].split())
    stream = Stream(1)
    for _ in range(int(told["actions"])):
        after = state.after(state.legal[stream.below(len(state.legal))])
        if after.over:
            break
        state = after
    return state


# building and following every link


def build(out: Path) -> None:
    """Lay the pages, have zensical build them, and put the site into a folder."""
    lay(PAGES)
    ran = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    said = re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout + ran.stderr)
    if ran.returncode or "Warning" in said:
        raise SystemExit(f"zensical is not content:\n{said.partition('Traceback')[0]}")
    if out != ROOT / "site":
        shutil.copytree(ROOT / "site", out, dirs_exist_ok=True)


class Found(HTMLParser):
    """What a page has: its anchors, and what it leads to or loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        words = {name: value or "" for name, value in attrs}
        self.anchors |= {words[name] for name in ("id", "name") if name in words}
        if tag == "a" and words.get("href"):
            self.links.append(words["href"])
        if tag == "link" and words.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(words.get("href", ""))
        self.loads += [words["src"]] if words.get("src") else []


def problems(site: Path) -> list[str]:
    """Dead links, dead anchors, missing pictures, and whatever would be asked of another host."""
    pages = {file.resolve(): Found(file.read_text(encoding="utf-8")) for file in site.rglob("*.html")}
    wrong = []
    for file, page in pages.items():
        if file.name == "404.html":  # its links are for a server, which says from where
            continue
        where = file.relative_to(site.resolve())
        wrong += [f"{where} loads {one}" for one in page.loads if remote(one)]
        for link in (*page.links, *page.loads):
            split = urlsplit(link)
            if split.scheme or split.netloc:
                continue
            target = (file.parent / unquote(split.path)).resolve() if split.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                wrong.append(f"{where} leads to {link}, which is not there")
            elif split.fragment and target in pages and unquote(split.fragment) not in pages[target].anchors:
                wrong.append(f"{where} leads to {link}, and there is no such place on that page")
    for file in site.rglob("*.css"):
        asked = re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)", file.read_text(encoding="utf-8"))
        wrong += [f"{file.relative_to(site)} loads {one}" for one in asked]
    return sorted(set(wrong))


def remote(link: str) -> bool:
    """Whether a link leads to another host."""
    return bool(urlsplit(link).netloc)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the documentation site, and follow every link in it.")
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "site", help="where it goes; usually site/")
    out = parser.parse_args().folder
    build(out)
    wrong = problems(out)
    if wrong:
        raise SystemExit("the site is not whole:\n" + "\n".join(f"  {one}" for one in wrong))
    print(f"the site is whole: {len(list(out.rglob('*.html')))} pages; open {(out / 'index.html').resolve().as_uri()}")


if __name__ == "__main__":
    main()
