"""The transformer on Scoundrel: can a network that imitates a search win what the search wins, and does it help the search?

python bench/scoundrel.py lessons --workers 16            20,000 games of ismcts:simulations=1000, every decision with its visits
python bench/scoundrel.py train                           a transformer of 4 layers of width 128 imitates them (--device auto|cpu|cuda)
python bench/scoundrel.py dagger --round 1 --workers 16   the transformer plays alone, and the teacher says what it would have done
python bench/scoundrel.py train --round 1                 it goes on with these lessons, too; then round 2 of both

Every stage can be stopped and goes on with the same command, and can be run on another machine: what it needs and what it leaves lies in one
folder (--folder). docs/scoundrel.md tells what is asked and what was found.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from playout.cores import usable_cores
from playout.errors import PlayoutError
from playout.files import save
from playout.game.load import load
from playout.game.stream import TEACHER_GAMES, seed_word
from playout.intervals import wilson
from playout.learning.network.lessons import Course, Lessons, summary
from playout.learning.network.teach import Progress, teach

GAME, TEACHER = "scoundrel:reward=blend", "ismcts:simulations=1000"
LESSONS, DAGGER = 20_000, 8_000
"""Games of the teacher, and of the pupil in every round of DAgger."""
SEEDS = (160, 161, 162)
"""Of the lessons and of the rounds: which deals are played."""
TARGETS = (("win", 1), ("score", 32))
"""What the transformer says beside policy and value: the chance to win, and the score in 32 bins from -188 to 30."""
EPOCHS, RATES = (20, 8, 8), (0.001, 0.0005, 0.0005)
SAMPLE = 2048


def said(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def sparsely(seconds: float = 10.0) -> Callable[[Progress], None]:
    """Tells how lessons get on, now and then."""
    told = 0.0

    def show(progress: Progress) -> None:
        nonlocal told
        if time.monotonic() - told > seconds or progress.files == progress.wanted:
            told = time.monotonic()
            said(progress.words)

    return show


def won(count: int, games: int) -> str:
    """A rate of wins with its interval."""
    low, high = wilson(count, games)
    return f"{100 * count / games:.1f} % won ({100 * low:.1f} to {100 * high:.1f}) of {games:,} deals"


# lessons


def lessons(options: Any) -> None:
    """Games of the teacher."""
    folder = options.folder / "lessons"
    found = teach(
        GAME,
        options.teacher,
        folder=folder,
        games=options.games or LESSONS,
        seed=SEEDS[0],
        workers=options.workers,
        each=options.each,
        minutes=options.minutes,
        show=sparsely(),
    )
    report(found, folder)


def report(found: Progress, folder: Path) -> None:
    size = sum(file.stat().st_size for file in folder.glob("*.npz"))
    print(f"{found.words}; {size / 1e6:.1f} MB in {folder}")
    if found.games:
        print(f"of the games made now: {won(found.above, found.games)}")
    if found.files < found.wanted:
        print("the time is up; the same command goes on")


# training


def train(options: Any) -> None:
    """Imitate all lessons that there are up to a round."""
    from playout.learning.network import Network
    from playout.learning.network.settings import settings_of
    from playout.learning.network.study import study

    number, out = options.round, options.folder / f"round-{options.round}.net"
    if number and not (options.folder / f"round-{number - 1}.net").exists():
        raise PlayoutError(
            f"there is no round-{number - 1}.net in {str(options.folder)!r} to go on with; train --round {number - 1} first"
        )
    rows = rows_up_to(options, number)
    said(f"{len(rows):,} decisions")
    words = {"device": options.device, "threads": options.threads}
    if number:
        network = Network.load(options.folder / f"round-{number - 1}.net", **words)
    else:
        network = Network(GAME, size=options.size, targets=TARGETS, seed=SEEDS[0], **words)
    made = settings_of(
        {
            "size": options.size,
            "sample": options.sample,
            "rate": options.rate or RATES[number],
            "shrink": 0.01,
            "average": 0.999,
            # What a search with the game's rule thinks of a position is far below what it makes of it.
            "blend": 0.0,
        }
    )
    done = study(
        network,
        rows,
        made,
        epochs=options.epochs or EPOCHS[number],
        seed=SEEDS[number],
        kept=out.with_suffix(".study"),
        minutes=options.minutes,
        show=said,
    )
    if not done:
        print("the time is up; the same command goes on")
        return
    network.trained = {**network.trained, "by": f"imitation of {TEACHER}" + (f", {number} rounds of DAgger" if number else "")}
    network.save(out)
    for file in options.folder.glob(f"{out.stem}.study*"):
        file.unlink()
    print(
        f"{out}: {network.head.weights:,} weights, {out.stat().st_size / 1e6:.1f} MB, {network.trained['seconds']:.0f} s on {network.device}"
    )
    print(f"alone: {alone(network, options.deals)}")


def rows_up_to(options: Any, number: int) -> Any:
    """All lessons that belong to a round."""
    game = load(GAME)
    parts = [Lessons(options.folder / name, game) for name in ("lessons", *(f"dagger-{i}" for i in range(1, number + 1)))]
    for part in parts:
        part.check()
    return np.concatenate([part.all() for part in parts])


def fresh_deals(count: int) -> list[int]:
    """Deals that nobody has learned from; the same for all."""
    return [seed_word(9_000, TEACHER_GAMES, number) >> 2 for number in range(count)]


def alone(network: Any, deals: int) -> str:
    """The policy alone on fresh deals."""
    from playout.learning.network.pupil import policy_plays

    course = policy_plays(network, fresh_deals(deals))
    return won(summary(network.game, course.deals, course.actions)[0], deals)


# DAgger


def dagger(options: Any) -> None:
    """The pupil of the round before plays, and the teacher judges its games."""
    number = options.round
    if not number:
        raise PlayoutError("round is 0, which is imitation alone; give --round 1 or 2")
    folder, games = options.folder / f"dagger-{number}", options.games or DAGGER
    folder.mkdir(parents=True, exist_ok=True)
    course = played(folder / "course.npz", options, number, games)
    said(f"the pupil: {won(summary(load(GAME), course.deals, course.actions)[0], len(course.deals))}")
    found = teach(
        GAME,
        options.teacher,
        folder=folder,
        games=games,
        seed=SEEDS[number],
        workers=options.workers,
        each=options.each,
        minutes=options.minutes,
        course=course,
        show=sparsely(),
    )
    report(found, folder)


def played(file: Path, options: Any, number: int, games: int) -> Course:
    """The games of the pupil, played once and kept: judging them may take several runs."""
    import io

    if file.exists():
        with np.load(file, allow_pickle=False) as kept:
            ends = np.cumsum(kept["lengths"])
            course = Course(
                str(kept["pupil"]), kept["deals"].tolist(), [part.tolist() for part in np.split(kept["actions"], ends[:-1])]
            )
        if len(course.deals) < games:
            raise PlayoutError(f"{str(file)!r} has {len(course.deals):,} games and not {games:,}; delete it to play anew")
        return Course(course.pupil, course.deals[:games], course.actions[:games])
    from playout.learning.network import Network
    from playout.learning.network.pupil import policy_plays

    pupil = options.folder / f"round-{number - 1}.net"
    network = Network.load(pupil, GAME, device=options.device, threads=options.threads)
    course = policy_plays(network, [seed_word(SEEDS[number], TEACHER_GAMES, deal) >> 2 for deal in range(games)], pupil.name)
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        pupil=np.array(course.pupil),
        deals=np.array(course.deals, np.int64),
        lengths=np.array([len(one) for one in course.actions], np.int64),
        actions=np.concatenate([np.array(one, np.uint8) for one in course.actions]),
    )
    save(file, buffer.getvalue())
    return course


STAGES: dict[str, Callable[[Any], None]] = {"lessons": lessons, "train": train, "dagger": dagger}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=list(STAGES))
    parser.add_argument("--folder", type=Path, default=Path("playout-arena/scoundrel"), help="where everything is kept")
    parser.add_argument("--workers", type=int, default=usable_cores(), help="processes; one for each core")
    parser.add_argument("--minutes", type=float, help="stop after about so long; the same command goes on")
    parser.add_argument("--games", type=int, help=f"games of lessons ({LESSONS:,}), or of a round of DAgger ({DAGGER:,})")
    parser.add_argument("--each", type=int, default=50, help="games in a file of lessons")
    parser.add_argument("--teacher", default=TEACHER, help="who gives the lessons")
    parser.add_argument("--round", type=int, default=0, choices=range(len(SEEDS)), help="of DAgger; 0 is imitation alone")
    parser.add_argument("--size", default="medium", help="of the transformer: small, medium or large")
    parser.add_argument(
        "--epochs", type=int, help=f"times that every lesson is gone through: {', '.join(map(str, EPOCHS))} by round"
    )
    parser.add_argument("--sample", type=int, default=SAMPLE, help="decisions in a step of training")
    parser.add_argument("--rate", type=float, help=f"the step size of training: {', '.join(map(str, RATES))} by round")
    parser.add_argument("--device", default="auto", help="where the transformer works: auto, cpu or cuda")
    parser.add_argument("--threads", type=int, default=1, help="threads of the transformer, on a processor")
    parser.add_argument("--deals", type=int, default=2000, help="fresh deals")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    try:
        STAGES[options.what](options)
    except PlayoutError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on")


if __name__ == "__main__":
    main()
