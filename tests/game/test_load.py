"""Finding a game: the same file under different names."""

import importlib
from pathlib import Path

import pytest

import playout


def test_a_game_keeps_the_path_it_was_loaded_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same file by a relative and by an absolute path: the first must not lend the second a spec that works only in one folder."""
    file = tmp_path / "coin.py"
    file.write_bytes((Path(playout.__file__).parent / "games" / "nim.py").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert playout.load("coin.py").spec == "coin.py"
    assert playout.load(str(file)).spec == str(file)
    monkeypatch.chdir(tmp_path.parent)
    assert playout.load(playout.load(str(file)).spec).start().legal


def test_helpers_that_somebody_imported_are_read_again_with_the_parameters() -> None:
    before = importlib.import_module("playout.games.root.options")
    assert playout.load("root:points=12").returns_range == (-12, 12)
    assert importlib.import_module("playout.games.root.options") is before is playout.games.root.options
    assert before.POINTS == 30


def test_what_is_no_game_is_told_so() -> None:
    state = playout.load("nim:heaps=1-2").start()
    with pytest.raises(
        playout.PlayoutError,
        match=r"a game is wanted here, and this is a state of 'nim:heaps=1-2': give state\.game; a search is",
    ):
        playout.Search(state)  # type: ignore[arg-type]
    with pytest.raises(playout.PlayoutError, match="a game is wanted here, not int: give a name, the path of a file, a module"):
        playout.load(42)  # type: ignore[arg-type]
    with pytest.raises(playout.PlayoutError, match=r"a game is wanted here, not Search \(its \.game is one\): give a name"):
        playout.load(playout.Search("nim", compiled=False))  # type: ignore[arg-type]
