"""What the README and the pages in docs/ show is true: their games load, their examples run, their links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest

import playout
from tests.tiers import compiling

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page, language):
    """The fenced code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_readme_quotes_the_connect_four_file(tmp_path):
    (quoted,) = (block for block in blocks(ROOT / "README.md", "python") if "Connect Four" in block)
    assert quoted.encode() == (ROOT / "examples" / "connect_four.py").read_bytes()
    assert 40 <= len(quoted.splitlines()) <= 60
    file = tmp_path / "mygame.py"
    file.write_text(quoted, encoding="utf-8")
    game = playout.load(str(file))
    state = game.start().replay("dcdcd")
    assert playout.Search(game, compiled=False, seed=1).run(state.play("e"), simulations=100).name == "d"
    assert state.play("e").play("d").returns == (1.0, -1.0)


def test_the_hidden_page_quotes_its_game():
    (quoted,) = (block for block in blocks(ROOT / "docs" / "hidden.md", "python") if "Beat it" in block)
    assert quoted.encode() == (ROOT / "examples" / "beat_it.py").read_bytes()


def test_the_game_in_several_files_of_the_game_page_works(tmp_path):
    (tmp_path / "pick").mkdir()
    for block in blocks(ROOT / "docs" / "game.md", "python"):
        named = re.match(r"# (pick/\w+\.py)", block)
        if named:
            text = block.partition("\n")[2]
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
    game = playout.load(str(tmp_path / "pick" / "rules.py"), stones=9, most=2)
    assert game.title.startswith("Pick") and game.actions == 2 and list(game.parameters) == ["stones", "most"]
    # By threes: nine stones are lost for who begins.
    assert playout.search(game, simulations=3000, compiled=False, seed=1).proven == (-1.0, 1.0)
    assert playout.check(game, states=60, seconds=2, compiled=False).ok


@pytest.mark.parametrize("page", compiling([page.name for page in PAGES], ["README.md", "arena.md", "regret.md"]))
def test_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = next(one for one in PAGES if one.name == page)
    test = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    problems: list[str] = []
    runner.run(test, out=problems.append)
    assert not problems, "".join(problems)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_is_one_that_runs(page):
    """A prompt outside a pycon block would be shown differently from what is run."""
    text = page.read_text(encoding="utf-8")
    assert text.count("\n>>> ") == sum(f"\n{block}".count("\n>>> ") for block in blocks(page, "pycon"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert link.startswith("https://") or (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_three_spellings_decide_alike(tmp_path):
    module, factory, namespace = blocks(ROOT / "docs" / "spelling.md", "python")
    file = tmp_path / "size.py"
    file.write_text(module, encoding="utf-8")
    names: dict[str, object] = {}
    exec(factory, names)
    exec(namespace, names)
    games = [playout.load(str(file)), names["tic_tac_toe"](), playout.Game("tic-tac-toe", vars(names["TicTacToe"]))]
    decisions = [playout.Search(game, compiled=False, seed=1).run(simulations=300) for game in games]
    assert decisions[0].actions == decisions[1].actions == decisions[2].actions
    assert playout.load(f"{file}:size=4").actions == 16


def test_every_setting_is_on_the_search_page():
    text = (ROOT / "docs" / "search.md").read_text(encoding="utf-8")
    for word in (*playout.Settings.__struct_fields__, *playout.Budget.__struct_fields__):
        assert f"`{word}`" in text, f"docs/search.md does not explain {word}"


def test_every_name_of_the_contract_is_on_the_game_page():
    from playout.game.contract import ENCODED, MIRRORED, OPTIONAL, REQUIRED, SHOWN

    text = (ROOT / "docs" / "game.md").read_text(encoding="utf-8")
    for role in (*REQUIRED, *OPTIONAL, *ENCODED, *MIRRORED, *SHOWN, "players", "actions", "most_legal", "returns_range", "State"):
        assert f"`{role}" in text, f"docs/game.md does not explain {role}"


def test_index_lists_every_page():
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in PAGES[1:]:
        assert page.name == "index.md" or f"({page.name})" in text, page.name
