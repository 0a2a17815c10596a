"""Wheel and sdist, built so that anybody gets the same bytes: python tools/dist.py FOLDER [--try].

They are built twice: once here, once from what the sdist holds, in another folder, with other times and permissions. Every file must come out
the same, so nothing of this machine is in them, and the sdist is enough to build the wheel. `--try` goes on to install the wheel into an
empty environment, with all that it depends on, and runs `playout demo` there.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build(source: Path, out: Path) -> dict[str, str]:
    """The digest of every file that is built from a source folder into `out`."""
    words = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    ran = subprocess.run(words, cwd=source, env={**os.environ, "SOURCE_DATE_EPOCH": epoch()}, capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"{source} cannot be built:\n{ran.stdout}{ran.stderr}")
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(out.iterdir())}


def epoch() -> str:
    """The time that all files in the archives bear: as asked for, else that of the last commit, else that of the first sdist of all."""
    commit = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False)
    return os.environ.get("SOURCE_DATE_EPOCH") or commit.stdout.strip() or "1577836800"


def unpack(sdist: Path, folder: Path) -> Path:
    """The folder of an sdist as somebody else would have it: files of today, and for their owner alone."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    for file in source.rglob("*"):
        file.chmod(0o700 if file.is_dir() else 0o600)
        os.utime(file)
    return source


def differing(out: Path) -> list[str]:
    """Build into `out`, build again elsewhere from the sdist, and name the files that are not the same."""
    with tempfile.TemporaryDirectory(prefix="playout-dist-") as name:
        first, second = Path(name) / "first", Path(name) / "second"
        first.mkdir(), second.mkdir()
        here = build(ROOT, first)
        there = build(unpack(next(first.glob("*.tar.gz")), Path(name) / "unpacked"), second)
        out.mkdir(parents=True, exist_ok=True)
        for file in first.iterdir():
            shutil.copy(file, out)
    return sorted(name for name in here | there if here.get(name) != there.get(name))


def demo(wheel: Path, words: list[str], packages: Path | None = None, first: str = "") -> str:
    """Install a wheel into an empty environment, run `playout demo` there with `words`, and give what it printed.

    Where `packages` names a folder, what the wheel depends on is taken from there, so that nothing is installed twice. `first` is Python
    that runs there whenever Python starts.
    """
    with tempfile.TemporaryDirectory(prefix="playout-wheel-") as name:
        venv.create(name, with_pip=packages is None, symlinks=True)
        python = Path(name) / "bin" / "python"
        pip = [str(python), "-m", "pip", "install"]
        if packages is not None:
            (site,) = Path(name).glob("lib/python*/site-packages")
            (site / "packages.pth").write_text(f"{packages}\n")
            (site / "sitecustomize.py").write_text(first)
            pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
        run([*pip, "--quiet", "--disable-pip-version-check", str(wheel)], name)
        where = run([str(python), "-c", "import playout; print(playout.__file__)"], name)
        if not where.startswith(name):
            raise SystemExit(f"playout is imported from {where.strip()}, not from the wheel in {name}")
        said = run([str(python.with_name("playout")), "demo", "--out", "demo", *words], name)
        for page in ("report.html", "arena.html"):
            if not (Path(name) / "demo" / page).stat().st_size:
                raise SystemExit(f"playout demo wrote an empty {page}")
        return said


def run(words: list[str], folder: str) -> str:
    """What a command prints; the end of everything where it fails. Neither the checkout nor the caller's environment is on its path."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    ran = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"{' '.join(words)} failed:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the wheel and the sdist, twice, and compare them.")
    parser.add_argument("folder", type=Path, help="where they go")
    parser.add_argument(
        "--try", action="store_true", dest="demo", help="install the wheel into an empty environment and run playout demo"
    )
    asked = parser.parse_args()
    wrong = differing(asked.folder)
    if wrong:
        raise SystemExit(f"built twice, and not the same: {', '.join(wrong)}")
    for file in sorted(asked.folder.iterdir()):
        print(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}")
    if asked.demo:
        print(demo(max(asked.folder.glob("*.whl"), key=os.path.getmtime).resolve(), []))


if __name__ == "__main__":
    main()
