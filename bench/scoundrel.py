"""The transformer on Scoundrel: can a network that imitates a search win what the search wins, and does it help the search?

python bench/scoundrel.py lessons --workers 16            20,000 games of ismcts:simulations=1000, every decision with its visits
python bench/scoundrel.py train                           a transformer of 4 layers of width 128 imitates them (--device auto|cpu|cuda)
python bench/scoundrel.py dagger --round 1 --workers 16   the transformer plays alone, and the teacher says what it would have done
python bench/scoundrel.py train --round 1                 it goes on with these lessons, too; then round 2 of both
python bench/scoundrel.py embed                           what it says, taught to a small network that the kernel of a search evaluates itself
python bench/scoundrel.py compare --workers 16            everybody on the same 2,000 fresh deals; --arms prior both for some of them
python bench/scoundrel.py costs                           what a decision of each takes one core
python bench/scoundrel.py ablations                       the same lessons without what is known of the order, and of the cards that are left
python bench/scoundrel.py show --report scoundrel.html    what is there so far, in words and as a page

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
from scoundrel_arms import GAME, at_equal_time, chosen, compare, fresh_deals, measure, results, said, table

from playout.cores import usable_cores
from playout.errors import PlayoutError
from playout.files import save
from playout.game.load import load
from playout.game.stream import TEACHER_GAMES, seed_word
from playout.intervals import wilson
from playout.learning.network.lessons import NAME, Course, Lessons, summary, unpacked
from playout.learning.network.teach import Progress, teach

TEACHER = "ismcts:simulations=1000"
LESSONS, DAGGER = 20_000, 8_000
"""Games of the teacher, and of the pupil in every round of DAgger."""
SEEDS = (160, 161, 162)
"""Of the lessons and of the rounds: which deals are played."""
TARGETS = (("win", 1), ("score", 32))
"""What the transformer says beside policy and value: the chance to win, and the score in 32 bins from -188 to 30."""
EPOCHS, RATES = (20, 8, 8), (0.001, 0.0005, 0.0005)
SAMPLE = 2048
SMALL, SMALL_EPOCHS = (64, 32), 6
"""The layers of the small network, and how often it goes through its positions."""


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

    number, out = options.round, options.folder / f"round-{options.round}.net"
    before = options.folder / f"round-{number - 1}.net"
    if number and not before.exists():
        raise PlayoutError(
            f"there is no {before.name} in {str(options.folder)!r} to go on with; train --round {number - 1} first"
        )
    words = {"device": options.device, "threads": options.threads}
    network = (
        Network.load(before, **words) if number else Network(GAME, size=options.size, targets=TARGETS, seed=SEEDS[0], **words)
    )
    taught(options, network, number, out)


def taught(options: Any, network: Any, number: int, out: Path) -> None:
    """A network that learns the lessons up to a round, and is kept."""
    from playout.learning.network.settings import settings_of
    from playout.learning.network.study import study

    rows = rows_up_to(options, number)
    teacher = unpacked(options.folder / "lessons" / NAME.format(0))[0].teacher
    said(f"{len(rows):,} decisions of {teacher}")
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
    epochs, kept = options.epochs or EPOCHS[number], out.with_suffix(".study")
    if not study(network, rows, made, epochs=epochs, seed=SEEDS[number], kept=kept, minutes=options.minutes, show=said):
        print("the time is up; the same command goes on")
        return
    rounds = f", {number} rounds of DAgger" if number else ""
    network.trained = {**network.trained, "by": f"imitation of {teacher}{rounds}", "alone": alone(network, options.deals)}
    network.save(out)
    for file in options.folder.glob(f"{out.stem}.study*"):
        file.unlink()
    print(
        f"{out}: {network.head.weights:,} weights, {out.stat().st_size / 1e6:.1f} MB, {network.trained['seconds']:.0f} s on {network.device}"
    )
    print(f"alone: {network.trained['alone']}")


def rows_up_to(options: Any, number: int) -> Any:
    """All lessons that belong to a round."""
    game = load(GAME)
    parts = [Lessons(options.folder / name, game) for name in ("lessons", *(f"dagger-{i}" for i in range(1, number + 1)))]
    for part in parts:
        part.check()
    return np.concatenate([part.all() for part in parts])


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


# made small


def embed(options: Any) -> None:
    """A small network that says what the transformer says: on the positions of all lessons, and one action by lot beyond each."""
    from playout.learning.distil import distil
    from playout.learning.network import Network

    file = latest(options)
    if file is None:
        raise PlayoutError(
            f"there is no transformer in {str(options.folder)!r} to make small; python bench/scoundrel.py train makes one"
        )
    network = Network.load(file, GAME, device=options.device, threads=options.threads)
    number = file.stem.partition("-")[2]
    if not number.isdecimal():
        raise PlayoutError(
            f"{file.name} does not say which lessons it learned; embed takes round-N.net of a folder, without --network"
        )
    states = np.ascontiguousarray(rows_up_to(options, int(number))["state"][: options.positions])
    told = [0.0]

    def tell(doing: str, done: float) -> None:
        if time.monotonic() - told[0] > 10:
            told[0] = time.monotonic()
            said(f"{doing}: {100 * done:.0f} %")

    found = distil(
        network.game,
        network.evaluate,
        returns=network.returns,
        hidden=SMALL,
        states=strayed(network.game, states),
        epochs=options.epochs or SMALL_EPOCHS,
        seed=SEEDS[0],
        tell=tell,
    )
    found.network.made["from"] = file.name
    print(f"{found.network.save(file.with_suffix('.small'))}: {found.words()}")


def strayed(game: Any, states: Any, compiled: bool = True) -> Any:
    """Positions, each followed by the one after an action by lot, where the game is not over then: a search looks at such, too."""
    from playout.planner.abreast import Abreast

    lots, every = np.random.default_rng(SEEDS[0]), np.arange(len(states))
    games = Abreast(game, len(states), compiled=compiled)
    games.states[:] = states
    games.words[:] = lots.integers(0, 1 << 63, len(states), np.uint64)
    seen = games.look(every)
    games.play(every, seen.ids[every, (lots.random(len(states)) * seen.counts).astype(np.int64)])
    both = np.stack([states, games.states], axis=1)
    kept = np.stack([np.ones(len(states), bool), games.look(every).movers >= 0], axis=1)
    return both[kept]


# comparing


def latest(options: Any) -> Path | None:
    """The transformer that is compared: the one asked for, or that of the last round."""
    if options.network is not None:
        return options.network
    return max(options.folder.glob("round-*.net"), default=None)


def play_all(options: Any) -> None:
    """Everybody on the same fresh deals."""
    done = compare(
        options.folder / "compare",
        chosen(options.arms),
        latest(options),
        options.device,
        options.deals,
        options.workers,
        options.minutes,
        said,
    )
    if not done:
        print("the time is up; the same command goes on")
    if done or results(options.folder / "compare"):
        show(options)


def costs(options: Any) -> None:
    """What a decision takes."""
    measure(options.folder / "compare", chosen(options.arms), latest(options), said)


def show(options: Any) -> None:
    """What is there so far."""
    found = results(options.folder / "compare", latest(options), said)
    if not found:
        raise PlayoutError(f"nothing was compared yet in {str(options.folder)!r}; python bench/scoundrel.py compare does")
    for name in sorted(options.folder.glob("*.net")):
        from playout.learning.network import read_head

        head = read_head(name)
        held = head.history[-1]["held"] if head.history else {}
        print(
            f"{name.name}: {head.weights:,} weights; {head.trained.get('by', '')}; {head.trained.get('decisions', 0):,} decisions, "
            f"{head.trained.get('seconds', 0):.0f} s; agrees with {100 * held.get('agreed', 0):.1f} % of {held.get('positions', 0):,} held back; "
            f"alone {head.trained.get('alone', '')}"
        )
    print("\n".join(["", *table(found), "", *at_equal_time(found)]))
    if options.report is not None:
        from scoundrel_page import page

        from playout.report.shell import write_page

        said(f"report written: {write_page(options.report, page(found))}")


# ablations


def ablations(options: Any) -> None:
    """The lessons of round 0 once more, each time without a part of what is seen."""
    from scoundrel_blind import PARTS, blind

    from playout.learning.network import Network

    for part in PARTS:
        out = options.folder / f"without-{part}.net"
        if out.exists():
            continue
        network = Network(
            GAME, blind(part, options.size), targets=TARGETS, device=options.device, threads=options.threads, seed=SEEDS[0]
        )
        said(f"without {part}")
        taught(options, network, 0, out)
        if not out.exists():
            return


STAGES: dict[str, Callable[[Any], None]] = {
    "lessons": lessons,
    "train": train,
    "dagger": dagger,
    "embed": embed,
    "compare": play_all,
    "costs": costs,
    "ablations": ablations,
    "show": show,
}


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
    parser.add_argument("--network", type=Path, help="the transformer to compare, if not that of the last round")
    parser.add_argument("--arms", nargs="+", metavar="WORD", help="compare only those whose names hold one of these words")
    parser.add_argument(
        "--positions",
        type=int,
        help="of the lessons that the small network learns from, and as many beside them; all, if not said",
    )
    parser.add_argument("--report", type=Path, help="write a page with plots")
    options = parser.parse_args()
    for name in ("workers", "games", "each", "epochs", "sample", "threads", "deals", "positions"):
        given = getattr(options, name)
        if given is not None and given < 1:
            parser.error(f"--{name} is {given}; give a whole number, 1 or more")
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
