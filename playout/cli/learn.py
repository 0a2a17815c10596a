"""`playout learn`: values of states by self-play, with the truth about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.cli.options import Debug, Fresh, GameSpec, Json, Report, with_options
from playout.errors import PlayoutError, suggest
from playout.learning.network.settings import NetworkSettings
from playout.learning.settings import LEARNERS, Settings

if TYPE_CHECKING:
    from rich.console import Console

    from playout.learning.evaluate import Evaluation
    from playout.learning.run import Result

TABLE = "Settings: how to learn a table"
NETWORK = "Network: with --learner network"
GAMES = 2000
LONG_TEXT = 20_000_000
"""Bytes from which on a policy is better kept as .npz."""


def learn(
    game: GameSpec,
    *,
    learner: Annotated[
        str, typer.Option(metavar="KIND", help="table: values of states; network: policy and values by a network, with search.")
    ] = "table",
    episodes: Annotated[
        int | None, typer.Option(metavar="N", help="Episodes in all, those before --resume included. [default: 500000]")
    ] = None,
    preset: Annotated[
        str, typer.Option(metavar="NAME", help="Settings with a name: best (the defaults) or classic; options change them.")
    ] = "best",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the policy goes: readable .json, or compact .npz.", show_default=False),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Go on with a policy and its settings; written back to it unless --out says otherwise."
        ),
    ] = None,
    every: Annotated[float, typer.Option(metavar="SECONDS", help="Write a checkpoint every so many seconds.")] = 30.0,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Threads for the shards; changes the speed, never the result. For a network on the processor: part of what a seed reproduces.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Games a seat where the game is too big to be exact. \\[default: 2000]"),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the learning curve: .svg, or .png with matplotlib.", show_default=False),
    ] = None,
    report: Report = None,
    minutes: Annotated[
        float | None,
        typer.Option(metavar="M", help="Minutes in all, those before a pause included. \\[default: 10]", rich_help_panel=NETWORK),
    ] = None,
    generations: Annotated[
        int | None, typer.Option(metavar="N", help="Generations of self-play and training in all.", rich_help_panel=NETWORK)
    ] = None,
    device: Annotated[
        str, typer.Option(metavar="NAME", help="auto (a GPU where there is one), cpu or cuda.", rich_help_panel=NETWORK)
    ] = "auto",
    teacher: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help="Imitate games of this agent first: ismcts:simulations=10000.", rich_help_panel=NETWORK
        ),
    ] = None,
    stored: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Imitate stored games first, as playout arena --file keeps them, or a folder of lessons.",
            rich_help_panel=NETWORK,
        ),
    ] = None,
    lessons: Annotated[
        int | None,
        typer.Option(metavar="N", help="Games to imitate. \\[default: 500, or all that are stored]", rich_help_panel=NETWORK),
    ] = None,
    fresh: Fresh = False,
    json: Json = False,
    debug: Debug = False,
    **words: Any,
) -> None:
    """Learn a game by playing it, and measure what was learned against random and perfect play.

    Values of the states behind actions, epsilon-greedy self-play, compiled. Ctrl-C ends it and keeps what was learned.

    With --learner network: a network of policy and values by self-play with search, measured against random, uct:100, uct:1000 and uct:10000. Ctrl-C
    or any other end is a pause: the same command goes on.

    [bold]Examples[/bold]

      playout learn tic-tac-toe --episodes 500000 --out policy.json
      playout learn tic-tac-toe --resume policy.json --episodes 1000000
      playout learn connect-four:columns=4,rows=4 --plot curve.svg
      playout learn mnk:m=7,n=7,k=4 --values patterns --episodes 20000 --out seven.npz
      playout learn tic-tac-toe --preset classic --seed 3 --json
      playout learn connect-four --learner network --minutes 30 --out four.net --report four.html
    """
    from playout.cli.learn_show import LiveLearning
    from playout.cli.terminal import compiling, console, plain, print_json
    from playout.files import check_folder
    from playout.game.load import load
    from playout.learning.run import learn as run

    if learner not in LEARNERS:
        raise PlayoutError(f"learner is {learner!r}; {suggest(learner, LEARNERS)}")
    rules, err = load(game), console(stderr=True)
    given = {name: value for name, value in words.items() if value is not None}
    check_folder(out)
    check_folder(plot)
    _check_plot(plot)
    if learner == "network":
        from playout.cli.learn_network import learn_network_shown

        unused = {"episodes": episodes, "resume": resume, "preset": None if preset == "best" else preset, "games": games}
        _refuse({**given, **unused}, Settings, "table", "network", ("seed",))
        learn_network_shown(
            rules,
            json=json,
            plot=plot,
            report=report,
            out=out,
            minutes=minutes,
            generations=generations,
            device=device,
            fresh=fresh,
            teacher=teacher,
            stored=stored,
            lessons=lessons,
            every=every,
            threads=threads or 1,
            **given,
        )
        return
    asked = {
        "minutes": minutes,
        "generations": generations,
        "device": None if device == "auto" else device,
        "fresh": fresh or None,
        "teacher": teacher,
        "from": stored,
        "lessons": lessons,
    }
    _refuse({**given, **asked}, NetworkSettings, "network", "table")
    target = out or resume
    with compiling(rules.spec, quiet=json), LiveLearning(err, quiet=json) as live:
        learned = run(
            rules,
            episodes=episodes,
            preset=preset,
            out=target,
            resume=resume,
            every=every,
            threads=threads,
            games=GAMES if games is None else games,
            show=live.show,
            **given,
        )
    if json:
        print_json(learned.result)
    else:
        show_result(console(), learned.result)
    if plot is not None:
        from playout.report.learning_page import write_curve

        plain(err, f"learning curve drawn: {write_curve(learned.result.game, learned.result.curve, plot)}")
    if report is not None:
        from playout.report.learning_page import write_learning_report

        plain(err, f"report written: {write_learning_report(learned.result, report)}")
    if learned.result.out is not None:
        _tell_file(err, Path(learned.result.out), target)


learn = with_options(learn, (Settings, TABLE), (NetworkSettings, NETWORK))
TABLE_WORDS = ("episodes", "resume", "preset", "games")
NETWORK_WORDS = ("minutes", "generations", "device", "fresh", "teacher", "from", "lessons")


def _refuse(given: dict[str, Any], kind: type[Any], of: str, not_of: str, shared: tuple[str, ...] = ()) -> None:
    """Options of one learner that were given to the other."""
    own = {*kind.__struct_fields__, *(TABLE_WORDS if of == "table" else NETWORK_WORDS)} - {*shared}
    for name, value in given.items():
        if value is not None and name in own:
            word = name.replace("_", "-")
            raise PlayoutError(
                f"--{word} is for --learner {of}, and this is --learner {not_of}; leave --{word} out, or change the learner"
            )


def _tell_file(err: Console, file: Path, asked: Path | None) -> None:
    """Where the policy is, and what would hold it better."""
    from playout.cli.terminal import plain, prose

    plain(err, f"policy saved: {file} (play it: policy:{file}; look at it: playout inspect {file})")
    if file != asked:
        prose(err, f"note: as text it would be too long to be read again, so it is in {file} and not in {asked}")
    elif file.suffix != ".npz" and file.stat().st_size > LONG_TEXT:
        size = file.stat().st_size / 1e6
        prose(
            err,
            f"note: it has {size:,.0f} MB as text; --out {file.with_suffix('.npz')} takes about half, and is read much sooner",
        )


def _check_plot(plot: Path | None) -> None:
    """Before the work, not after it."""
    if plot is not None and plot.suffix != ".svg":
        from playout.report.learning_page import need_matplotlib

        need_matplotlib(plot)


def show_result(out: Console, found: Result) -> None:
    """What was learned: one line, the table of opponents, and what the numbers are."""
    from playout.cli.learn_show import cells
    from playout.cli.tables import plain_table, put
    from playout.cli.terminal import plain, prose

    values = "weights" if found.settings.values == "patterns" else "values"
    plain(
        out,
        f"{found.game}: {found.episodes:,} episodes, {found.rule}, seed {found.seed}; {found.seconds:.3g} s of learning, "
        f"{found.episodes_per_second:,.0f} episodes a second; {found.entries:,} {values}, {found.bytes_per_entry:.1f} bytes each",
    )
    out.print()
    table = plain_table("greedy policy", "win", "draw", "loss")
    for opponent, seats in found.against.items():
        for seat, outcome in (seats or {}).items():
            table.add_row(f"{seat} against {opponent}", *cells(outcome))
    put(out, table)
    out.print()
    prose(out, in_words(found))
    for count, words in (
        (
            found.collisions,
            "different states shared a key, were told apart by mover and legal actions, and have values of their own",
        ),
        (found.dropped, "updates found the table full: give it more --memory, or use patterns"),
    ):
        if count:
            prose(out, f"note: {count:,} {words}")
    if found.stopped != "done":
        prose(out, f"note: {found.stopped} after {found.episodes:,} episodes")


def in_words(found: Result | Evaluation) -> str:
    """How the numbers came about, and the losing lines."""
    if not found.exact:
        return f"sampled: {found.games:,} games a seat with 95 % intervals, not exact: {found.why}"
    said = (
        ["exact: every line of play was counted"] if all(line is not None for line in found.lines) else ["exact, by enumeration"]
    )
    for seat, losing, lines in zip(("first", "second"), found.losing_lines, found.lines):
        if losing is not None and lines is not None:
            said.append(f"as {seat} player it loses in {losing:,} of {lines:,} lines")
    if found.value is not None:
        said.append("with perfect play the players get " + " and ".join(f"{v + 0.0:.4g}" for v in found.value))
    return "; ".join(said)
