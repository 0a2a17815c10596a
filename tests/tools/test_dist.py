"""The package: the same bytes wherever it is built, all that belongs in it, and a demo that runs where nothing else is installed."""

from __future__ import annotations

import email
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import playout
from tools import dist

ROOT = Path(__file__).parents[2]
SHORT = """
from playout.cli import demo
from playout.planner.search import Search
demo.TOUR, demo.CONTENDERS = demo.TOUR[:2], ("uct:simulations=20", "random")
real = Search.__init__
Search.__init__ = lambda self, *given, **words: real(self, *given, **{**words, "compiled": False})
"""
"""Seven games would take a minute to compile; two of them uncompiled show as well whether the package is whole."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, which were built twice."""
    out = tmp_path_factory.mktemp("dist")
    assert dist.differing(out) == []
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (file,) = built.glob("*.whl")
    return file


def test_the_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(["git", "ls-files", "playout"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert {"playout/py.typed", *tracked} <= names
    assert all(name.startswith(("playout/", f"playout-{playout.__version__}.dist-info/")) for name in names)
    assert not any("__pycache__" in name or name.endswith((".nbi", ".nbc")) for name in names)


def test_what_the_wheel_says_of_itself(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        info = f"playout-{playout.__version__}.dist-info"
        said = email.message_from_bytes(archive.read(f"{info}/METADATA"))
        assert archive.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
        assert b"playout = playout.cli.main:main" in archive.read(f"{info}/entry_points.txt")
    assert (said["Name"], said["Version"], said["License-Expression"]) == ("playout", playout.__version__, "MIT")
    assert said["Requires-Python"] == ">=3.11" and "Typing :: Typed" in said.get_all("Classifier", [])


def test_the_sdist_has_what_is_needed_to_work_on_it(built: Path) -> None:
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in (
        "pyproject.toml",
        "Makefile",
        "constraints.txt",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "CITATION.cff",
        "LICENSE",
    ):
        assert name in names, name
    assert {"tests/tools/test_dist.py", "tools/dist.py", "docs/game.md", "examples/connect_four.py"} <= names
    assert not any(name.startswith((".venv", ".playout-cache", "dist/", "site/", "demo/")) for name in names)


@pytest.mark.slow
@pytest.mark.compiles
def test_the_wheel_alone_runs_the_demo(wheel: Path) -> None:
    packages = Path(sysconfig.get_paths()["purelib"])
    said = dist.demo(wheel, ["--seconds", "0.01", "--games", "2"], packages, SHORT)
    assert "After 2 games between 2 agents" in said and "2/2  connect-four" in said


def test_what_differs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(source: Path, out: Path) -> dict[str, str]:
        with tarfile.open(out / "x.tar.gz", "w:gz") as archive:
            archive.add(ROOT / "LICENSE", "x/LICENSE")
        return {"x.whl": str(source), "x.tar.gz": "same"}

    monkeypatch.setattr(dist, "build", build)
    assert dist.differing(tmp_path / "out") == ["x.whl"]


def test_a_wheel_that_does_not_work_is_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"(?s)-c .* failed:.*ZeroDivisionError"):
        dist.run([sys.executable, "-c", "1 / 0"], str(tmp_path))


# one home for the version, and files that agree with it


def test_the_version_stands_in_one_place() -> None:
    places = [file for file in ROOT.glob("playout/**/*.py") if re.search(r"^__version__ = ", file.read_text(), re.MULTILINE)]
    assert places == [ROOT / "playout" / "__init__.py"]
    assert not re.search(r"^version = ", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)


def test_the_newest_entry_of_the_changelog_is_this_version() -> None:
    entries = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert entries[0] in (playout.__version__, "Unreleased") and playout.__version__ in entries[:2]


def test_the_citation_names_this_version() -> None:
    said = dict(re.findall(r'^(\S+): "?(.*?)"?$', (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    assert said["version"] == playout.__version__ and said["license"] == "MIT" and said["cff-version"] == "1.2.0"
