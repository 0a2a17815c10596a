"""`playout search`: the best action in a position, with every number that explains it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from playout.cli.options import Debug, Deck, GameSpec, Json, Moves, NoFit, StateFile, split_words, with_search_options
from playout.errors import PlayoutError
from playout.planner.survey.surveyor import WORLDS, check_asked

if TYPE_CHECKING:
    from playout.game.game import Game
    from playout.game.state import State
    from playout.learning.embedded import Embedded
    from playout.learning.network import Network
    from playout.learning.policy import Policy
    from playout.planner.decision import Decision
    from playout.planner.line import Line
    from playout.planner.search import Search
    from playout.planner.settings import Budget

DEFAULT_SECONDS = 1.0


class Until(StrEnum):
    """How far the line is followed."""

    tree = "tree"
    end = "end"


@with_search_options
def search(
    game: GameSpec,
    *,
    moves: Moves = "",
    deck: Deck = "",
    state: StateFile = None,
    line: Annotated[
        Until, typer.Option(help="Follow the line as far as the tree reaches, or to the end of the game.")
    ] = Until.tree,
    why: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Compare these two actions; without it the choice and the runner-up."),
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show how visits and means moved over the simulations.")] = False,
    top: Annotated[int, typer.Option(min=1, help="Rows of the table.")] = 20,
    tree: Annotated[Path | None, typer.Option(metavar="FILE", help="Save the tree.")] = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Go on with a saved tree and its settings; --moves then move on from its position."),
    ] = None,
    survey: Annotated[
        int,
        typer.Option(
            metavar="WORLDS",
            min=0,
            help="Where anything is hidden: draw so many worlds after the search, to say in how many each action is best and what "
            "would change the mind; 0 for none.",
        ),
    ] = WORLDS,
    survey_simulations: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Simulations in each surveyed world; else together as many as the decision had."),
    ] = None,
    network: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Search with a network: its policy as the prior, its values in place of playouts."),
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where a network works, or where more --trees than a search holds grow side by side: cpu, cuda, or auto.",
        ),
    ] = "auto",
    no_fit: NoFit = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML report with pictures.")] = None,
    json: Json = False,
    debug: Debug = False,
    **words: Any,
) -> None:
    """Search a position: the best action, the numbers behind it, and why.

    Without a budget it searches for one second. Ctrl-C ends the search and gives the best so far.

    [bold]Examples[/bold]

      playout search connect-four
      playout search connect-four --moves "d d c" --simulations 100000 --seed 7
      playout search mnk:m=7,n=7,k=4 --decisive block --seconds 10 --trace
      playout search othello --trees 2 --seconds 5 --report othello.html
      playout search mygame.py --state position.json --line end --json
      playout search scoundrel --simulations 10000 --survey 100
      playout search tic-tac-toe --value policy.json --simulations 100
      playout search connect-four --network four.net --simulations 400
      playout search loss-1d --method gradient --simulations 1600
      playout search othello --trees 65536 --device cuda --seconds 10
    """
    from playout.agents.network_agent import batch_for
    from playout.cli.live import run_shown
    from playout.cli.position import set_up
    from playout.cli.show import show_decision, show_trajectory, trace_table
    from playout.cli.terminal import console, plain, print_json
    from playout.files import check_folder

    words.pop("help_all")
    out, rules = console(), set_up(game, deck)
    budget, settings = _asked(words)
    check_folder(tree)
    if survey:
        check_asked(survey, survey_simulations)
    wide = _wide(settings, device, network, resume, tree)
    guide = _network(network, "auto" if wide else device, rules)
    if guide is not None and resume is None:
        settings.setdefault("batch", batch_for(budget))
    engine = _engine(rules, settings, resume, tree is not None, not no_fit and budget, guide)
    engine.passing = True
    start = _start(engine, settings, moves, state, resume)
    # A vector is named by its digits in the table, not found by typing it again.
    pair = None if why is None else why if rules.continuous else tuple(start.find(word) for word in why)
    if not json:
        plain(out, f"{start.draw(start.mover)}\n")
    if words.get("simulations") is None and words.get("seconds") is None:
        plain(console(stderr=True), f"searching for {DEFAULT_SECONDS:g} second (choose with --seconds or --simulations)")
    if wide:
        decision = _run_wide(engine, start, budget, device, json)
    else:
        decision = _surveyed(engine, run_shown(engine, start, budget, quiet=json), survey, survey_simulations)
    course = decision.line(until=line.value, complete=True)
    reason = decision.why(*pair) if pair else decision.why()
    loss = _regret(start, course) if rules.continuous else None
    if json:
        print_json(_as_data(decision, course, reason) | ({} if loss is None else {"regret": loss}))
    else:
        show_decision(out, decision, course, reason, top)
        if loss is not None:
            show_trajectory(out, course, loss)
        if trace:
            out.print()
            out.print(trace_table(decision))
    _keep(engine, decision, tree, report)


def _asked(words: dict[str, Any]) -> tuple[Budget, dict[str, Any]]:
    from playout.planner.settings import Budget
    from playout.planner.words import read

    limits, settings = split_words(words)
    if not {"simulations", "seconds"} & limits.keys():
        limits["seconds"] = DEFAULT_SECONDS
    budget: Budget = read(Budget, limits)
    return budget, settings


def _engine(
    rules: Game, settings: dict[str, Any], resume: Path | None, saving: bool, fit: bool | Budget, guide: Network | None
) -> Search:
    from playout.planner.search import Search
    from playout.planner.store import read_trees

    if resume is not None:
        if settings:
            word = next(iter(settings)).replace("_", "-")
            raise PlayoutError(
                f"--resume goes on with the settings that the tree was made with; leave --{word} out, or start anew"
            )
        value = _policy(read_trees(resume)[0]["settings"].get("value", ""), rules)
        return Search.load(resume, rules, value=value, evaluator=guide)
    if saving and settings.get("trees", 1) != 1:
        raise PlayoutError(f"--tree saves one tree, but --trees is {settings['trees']}; leave one of the two out")
    return Search(rules, **{**settings, "value": _policy(settings.get("value", ""), rules)}, evaluator=guide, fit=fit)


def _policy(file: str, rules: Game) -> Policy | Embedded | None:
    """The learned policy, or the small network, that values leaves, where one is asked for."""
    if not file:
        return None
    from playout.learning.embedded import open_value

    return open_value(file, rules)


def _network(file: Path | None, device: str, rules: Game) -> Network | None:
    """The network that the search goes by, where one is asked for."""
    if file is None:
        return None
    from playout.cli.terminal import passing
    from playout.learning.network import Network

    with passing(f"reading {file} ..."):
        return Network.load(file, rules, device=device)


def _wide(settings: dict[str, Any], device: str, network: Path | None, resume: Path | None, tree: Path | None) -> bool:
    """Whether very many trees are to grow side by side; what cannot go with that is said."""
    from playout.planner.search import OWN_TREES

    given = str(settings.get("trees", 1))
    trees = int(given) if given.isdigit() else 1
    if network is not None or (device == "auto" and trees <= OWN_TREES):
        return False
    if trees < 2:
        raise PlayoutError(
            f"--device {device} is where a network is asked, or where many trees grow: add --network FILE or --trees 65536, or leave it out"
        )
    for name, file in (("--resume", resume), ("--tree", tree)):
        if file is not None:
            raise PlayoutError(
                f"{name} is for the tree of one search, and {trees:,} trees grow on a device; leave one of them out"
            )
    return True


def _run_wide(engine: Search, start: State, budget: Budget, device: str, quiet: bool) -> Decision:
    """Very many trees of the position, with progress on the standard error."""
    from playout.cli.live import SearchProgress
    from playout.cli.terminal import compiling, console
    from playout.planner.wide import Wide, check_wide

    check_wide(engine)
    progress = SearchProgress(console(stderr=True), budget)
    try:
        with compiling(engine.game.spec, quiet=quiet):
            return Wide(engine, start, budget, device).run(None if quiet else progress.show)
    finally:
        progress.close()


def _start(engine: Search, settings: dict[str, Any], moves: str, file: Path | None, resume: Path | None) -> State:
    from playout.cli.position import position, read_moves

    if resume is None:
        return position(engine.game, settings.get("seed", 0), moves, file)
    if file is not None:
        raise PlayoutError("--resume has a position of its own; leave --state out")
    assert engine.state is not None
    given = read_moves(moves, engine.game).at(engine.state)
    end = given.replay(engine.state)
    for move in given.moves:
        engine.play(move)
    return end


def _surveyed(engine: Search, decision: Decision, worlds: int, simulations: int | None) -> Decision:
    """The decision with its survey; Ctrl-C leaves only the survey out."""
    from playout.cli.terminal import console, passing, plain

    if not worlds or decision.stopped == "interrupted":
        return decision
    try:
        with passing(f"surveying {worlds} worlds ..."):
            return engine.survey(decision, worlds, simulations)
    except KeyboardInterrupt:
        plain(console(stderr=True), "the survey of worlds was interrupted and is left out")
        return decision


def _regret(start: State, line: Line) -> dict[str, Any]:
    """What each player of a continuous game gave away on the line, or why that cannot be said."""
    from playout.truth.continuous.regret import regret

    try:
        found = regret(start, line)
    except PlayoutError as error:
        return {"players": None, "why": str(error)}
    return msgspec.to_builtins(found)  # type: ignore[no-any-return]


def _as_data(decision: Decision, line: Line, why: str) -> dict[str, Any]:
    data = decision.to_dict()
    data["why"] = why
    data["line"] = line.to_dict()
    return data


def _keep(engine: Search, decision: Decision, tree: Path | None, report: Path | None) -> None:
    from playout.cli.terminal import console, plain

    err = console(stderr=True)
    if tree is not None:
        plain(err, f"tree saved: {engine.save(tree)} (go on with --resume {tree})")
    if report is not None:
        from playout.report.decision_page import write_report

        written = write_report(report, [decision], f"{decision.game}: {decision.name}")
        plain(err, f"report written: {written}")
