"""Making lessons: an agent plays, or judges the games of a pupil, in many processes; each file is the work of one.

Which games a file holds, and every bit of it, follows from the seed and its number. So whoever is stopped goes on with the files that are
missing, on this machine or on another.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from playout.errors import FileError, PlayoutError
from playout.files import save
from playout.game.game import Game
from playout.game.load import load
from playout.learning.network.imitate import Teacher
from playout.learning.network.lessons import NAME, Course, Head, packed, unpacked
from playout.learning.network.taught import Taught, lived
from playout.learning.policy import fingerprint

EACH = 50
"""Games in a file, unless somebody says otherwise."""


class Done(NamedTuple):
    """A file that was made."""

    number: int
    games: int
    decisions: int
    paid: float
    """The first player's returns on average."""
    above: int
    """Games in which it got more than 0."""
    cpu: float
    bytes: int


class Progress(NamedTuple):
    """How far it is."""

    files: int
    wanted: int
    games: int
    decisions: int
    above: int
    seconds: float
    cpu: float
    """Of the processes together, for what was made now."""

    @property
    def words(self) -> str:
        rate = self.decisions / max(self.seconds, 1e-9)
        return (
            f"{self.files:,} of {self.wanted:,} files; {self.games:,} games and {self.decisions:,} decisions in {self.seconds:.0f} s, {rate:,.0f} a "
            f"second, {self.decisions / max(self.cpu, 1e-9):,.0f} a CPU second"
        )


_teacher: Teacher | None = None


def _begin(spec: str, teacher: str, seed: int, compiled: bool) -> None:
    global _teacher
    _teacher = Teacher(load(spec), teacher, None, seed, compiled)


def _begin_there(owner: int, *given: Any) -> None:
    """`_begin` in a process of its own, which ends when its owner is gone, killed from outside, say: nobody else would end it."""

    def watch() -> None:
        while os.getppid() == owner:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    _begin(*given)


def _make(head: Head, folder: str, first: int, games: int, course: Course | None) -> Done:
    """One file, in whatever process."""
    assert _teacher is not None
    began = time.process_time()
    if course is None:
        found = [_teacher.play(number) for number in range(first, first + games)]
    else:
        found = [
            _teacher.play(first + place, deal, played) for place, (deal, played) in enumerate(zip(course.deals, course.actions))
        ]
    data = packed(head, found, _teacher.game.actions)
    save(Path(folder) / NAME.format(head.number), data)
    ended = lived(_teacher.game, [one.seed for one in found], [one.actions for one in found], _teacher.compiled).ended
    paid = ended.returns[:, 0]
    decisions = sum(len(one.shares) for one in found)
    return Done(
        head.number, len(found), decisions, float(paid.mean()), int((paid > 0).sum()), time.process_time() - began, len(data)
    )


def teach(
    game: Game | str,
    teacher: str,
    *,
    folder: str | Path,
    games: int,
    seed: int = 0,
    workers: int = 1,
    each: int = EACH,
    minutes: float | None = None,
    course: Course | None = None,
    show: Callable[[Progress], None] | None = None,
    compiled: bool = True,
    device: str | None = None,
) -> Progress:
    """Make what is missing of so many games of lessons, in so many processes; after `minutes` no further file is begun.

    With a `course` the games are those of a pupil, and the teacher only says what it would have done. With a `device` all games are
    played side by side there (cpu, cuda or auto), in this process: the files are the same.
    """
    rules = load(game)
    for name, value, least in (("games", games, 1), ("workers", workers, 1), ("each", each, 1), ("seed", seed, 0)):
        if value < least:
            raise PlayoutError(f"{name} is {value}; give a whole number, {least} or more")
    if course is not None and len(course.deals) < games:
        raise PlayoutError(f"games is {games:,}, and the course has {len(course.deals):,}; ask for as many as there are")
    Path(folder).mkdir(parents=True, exist_ok=True)
    # Compiled here, once; the others find it on the disk.
    _begin(rules.spec, teacher, seed, compiled)
    assert _teacher is not None
    marked = fingerprint(rules)
    pupil = "" if course is None else course.pupil
    heads = [
        Head(game=rules.spec, fingerprint=marked, teacher=_teacher.recipe.name, seed=seed, number=number, each=each, pupil=pupil)
        for number in range(-(-games // each))
    ]
    missing = [head for head in heads if not _there(Path(folder), head, min(each, games - head.number * each))]
    if device is not None:
        if course is not None or workers != 1:
            raise PlayoutError(f"device={device} plays the teacher's own games in one process; leave course and workers out")
        return _abreast(_teacher, missing, len(heads), Path(folder), games, device, minutes, show or (lambda progress: None))
    _teacher.play(0)
    tasks = [_task(head, str(folder), games, course) for head in missing]
    return _work(tasks, len(heads), (rules.spec, teacher, seed, compiled), workers, minutes, show or (lambda progress: None))


def _abreast(
    teacher: Teacher,
    missing: list[Head],
    wanted: int,
    folder: Path,
    games: int,
    device: str,
    minutes: float | None,
    show: Callable[[Progress], None],
) -> Progress:
    """Make these files out of games that are played side by side; each is written when its last game is over."""
    from playout.compile.devices import device_named
    from playout.learning.network.lecture import lectures

    began, cpu, found = time.monotonic(), time.process_time(), dict[int, Taught]()
    left = {head.number: range(head.number * head.each, min(games, (head.number + 1) * head.each)) for head in missing}
    heads, total = {head.number: head for head in missing}, Progress(wanted - len(missing), wanted, 0, 0, 0, 0.0, 0.0)
    each = missing[0].each if missing else 1
    playing = (
        lectures(teacher, device_named(device), [number for part in left.values() for number in part]) if missing else iter(())
    )
    for part in playing:
        found.update(part)
        for file in {number // each for number, _ in part}:
            if file in left and all(number in found for number in left[file]):
                taught = [found.pop(number) for number in left.pop(file)]
                save(folder / NAME.format(file), packed(heads[file], taught, teacher.game.actions))
                above = (
                    lived(teacher.game, [t.seed for t in taught], [t.actions for t in taught], teacher.compiled).ended.returns[
                        :, 0
                    ]
                    > 0
                )
                decisions = total.decisions + sum(len(t.shares) for t in taught)
                spent = (time.monotonic() - began, time.process_time() - cpu)
                total = Progress(
                    total.files + 1, wanted, total.games + len(taught), decisions, total.above + int(above.sum()), *spent
                )
                show(total)
        if minutes is not None and time.monotonic() - began > 60 * minutes:
            break
    return total


def _task(head: Head, folder: str, games: int, course: Course | None) -> tuple[Any, ...]:
    first = head.number * head.each
    count = min(head.each, games - first)
    part = (
        None
        if course is None
        else Course(course.pupil, course.deals[first : first + count], course.actions[first : first + count])
    )
    return head, folder, first, count, part


def _there(folder: Path, head: Head, games: int) -> bool:
    """Whether a file with so many games is there already: one of other lessons is refused, a damaged or shorter one is made again."""
    path = folder / NAME.format(head.number)
    if not path.exists():
        return False
    try:
        found, arrays = unpacked(path)
    except FileError:
        return False
    if msgspec.structs.replace(found, checksum="") != head:
        differ = [
            f"{name} is {getattr(found, name)!r} there and {getattr(head, name)!r} here" for name in Head.__struct_fields__[2:-1]
        ]
        differ = [
            words for name, words in zip(Head.__struct_fields__[2:-1], differ) if getattr(found, name) != getattr(head, name)
        ]
        raise PlayoutError(
            f"the lessons in {str(folder)!r} are others: {'; '.join(differ)}. Give another folder, or ask for the same"
        )
    return len(arrays["deals"]) >= games


def _work(
    tasks: list[tuple[Any, ...]],
    wanted: int,
    begin: tuple[str, str, int, bool],
    workers: int,
    minutes: float | None,
    show: Callable[[Progress], None],
) -> Progress:
    """Make these files in so many processes, each of which begins like this one."""
    began, total = time.monotonic(), Progress(wanted - len(tasks), wanted, 0, 0, 0, 0.0, 0.0)
    late = float("inf") if minutes is None else began + 60 * minutes

    def add(total: Progress, done: Done) -> Progress:
        found = Progress(
            total.files + 1,
            wanted,
            total.games + done.games,
            total.decisions + done.decisions,
            total.above + done.above,
            time.monotonic() - began,
            total.cpu + done.cpu,
        )
        show(found)
        return found

    if workers == 1:
        for task in tasks:
            if time.monotonic() < late:
                total = add(total, _make(*task))
        return total
    # Fresh processes: one that was forked might wait for a lock that nobody holds any more.
    context = multiprocessing.get_context("spawn")
    left = list(reversed(tasks))
    with ProcessPoolExecutor(min(workers, max(1, len(tasks))), context, _begin_there, (os.getpid(), *begin)) as pool:
        going: set[Future[Done]] = set()
        try:
            while left or going:
                # Few in advance, so that nobody waits for long when it is to stop.
                while left and len(going) < workers + 2 and time.monotonic() < late:
                    going.add(pool.submit(_make, *left.pop()))
                if not going:
                    break
                ready, going = wait(going, return_when=FIRST_COMPLETED)
                for future in ready:
                    total = add(total, future.result())
        except BrokenProcessPool:
            raise PlayoutError(
                "a process that made lessons was ended from outside; the same call goes on with what is missing"
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return total
