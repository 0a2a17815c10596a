"""`learn_network`: what is asked for, whom to imitate first, and where the run is kept."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

from playout.errors import FileError, PlayoutError
from playout.files import check_folder
from playout.game.game import Game
from playout.game.load import load
from playout.learning.network.imitate import Stored, Teacher
from playout.learning.network.lessons import Lessons
from playout.learning.network.network import Network
from playout.learning.network.result import NetworkResult, Show
from playout.learning.network.run import Run
from playout.learning.network.selfplay import check_game
from playout.learning.network.settings import settings_of
from playout.learning.network.state import check_same, load_run

MINUTES = 10.0


def learn_network(
    game: Game | str | Path,
    *,
    minutes: float | None = None,
    generations: int | None = None,
    out: str | Path | None = None,
    seed: int | None = None,
    device: str = "auto",
    threads: int = 1,
    every: float = 20.0,
    fresh: bool = False,
    teacher: str | None = None,
    stored: str | Path | None = None,
    lessons: int | None = None,
    module: Any = None,
    show: Show | None = None,
    compiled: bool = True,
    **words: Any,
) -> tuple[Network, NetworkResult]:
    """Learn a game with a network by playing it. `words` are any fields of `NetworkSettings`.

    `out` is written every so many seconds and at the end, and beside it a folder with all that going on takes: the same call goes on with it, up
    to `minutes` (or `generations`) in all, unless it is to begin afresh. `teacher`, an agent, plays games that are imitated first, `lessons` of them; or
    `stored` is a file of games of the arena, or a folder of lessons. `module` is a torch module of your own.

    >>> from playout.learning.network import learn_network
    >>> network, result = learn_network("tic-tac-toe", minutes=0.5, out="ttt.net")  # doctest: +SKIP
    """
    rules = load(game)
    check_game(rules)
    if minutes is not None and not 0 < minutes < 1e6:
        raise PlayoutError(f"minutes is {minutes:g}; give a number above 0")
    if generations is not None and generations < 1:
        raise PlayoutError(f"generations is {generations}; give a whole number, 1 or more")
    if not 0 < every <= 60:
        raise PlayoutError(f"every is {every:g}; give the seconds between two checkpoints, above 0 and at most 60")
    if seed is not None and not 0 <= seed < 1 << 62:
        raise PlayoutError(f"seed is {seed}; it must be a whole number from 0 to 2**62 - 1")
    target = None if out is None else Path(out)
    check_folder(target)
    given, first = settings_of(words), _lessons(rules, teacher, stored, lessons, seed or 0, compiled)
    with contextlib.ExitStack() as stack:
        folder = _folder(target, fresh, stack)
        kept = load_run(folder, rules)
        if kept is not None:
            check_same(folder, kept, given, words, seed)
            if first is not None and kept.lessons != first.name:
                raise PlayoutError(
                    f"the run in {str(folder)!r} {f'imitates {kept.lessons}' if kept.lessons else 'imitates nobody'}, and not {first.name}; "
                    "ask for the same to go on with it, or begin anew with --fresh"
                )
            if first is None and kept.lessons and kept.taught >= 0:
                raise PlayoutError(
                    f"the run in {str(folder)!r} is still imitating {kept.lessons}; ask for that again to go on, or begin anew with --fresh"
                )
        run = Run(rules, folder, target, kept, given, seed or 0, device, threads, every, module, show, compiled, first)
        return run.go(None if minutes is None and generations is not None else minutes or MINUTES, generations)


def _lessons(
    game: Game, teacher: str | None, stored: str | Path | None, games: int | None, seed: int, compiled: bool
) -> Teacher | Stored | Lessons | None:
    """Whom to imitate first, if anybody."""
    if teacher is not None and stored is not None:
        raise PlayoutError("a teacher and stored games are both given; imitate one of the two first")
    if games is not None and games < 1:
        raise PlayoutError(f"lessons is {games}; give a whole number of games, 1 or more")
    if teacher is not None:
        return Teacher(game, teacher, games, seed, compiled)
    if stored is not None and Path(stored).is_dir():
        if games is not None:
            raise PlayoutError(f"lessons is {games}, and a folder of lessons is gone through whole; leave lessons out")
        found = Lessons(stored, game, compiled)
        found.check()
        return found
    if stored is not None:
        return Stored(game, stored, games)
    if games is not None:
        raise PlayoutError(f"lessons is {games}, and there is nobody to imitate; give a teacher, or stored games")
    return None


def _folder(out: Path | None, fresh: bool, stack: contextlib.ExitStack) -> Path:
    """Where a run is kept: beside its file, or nowhere that lasts."""
    if out is None:
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="playout-network-")))
    folder = out.with_name(out.name + ".run")
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"{str(folder)!r} cannot be made: {error.strerror}; choose another place") from None
    return folder
