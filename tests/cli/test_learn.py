"""`playout learn`, `inspect` and `solve` as a user runs them, and everything that can be given wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from playout.learning import evaluate
from playout.truth.perfect.perfect import solve
from tests.cli.conftest import Cli
from tests.tiers import compiling

LEARN = "learn tic-tac-toe --episodes 10"

BAD = {
    f"{LEARN} --epsilon 1.5": "epsilon is 1.5; the share of random actions must be from 0 to 1",
    f"{LEARN} --lr 0": "lr is 0; the step size must be above 0 and at most 1",
    f"{LEARN} --lr fast": "lr is 'fast'; give a number, linear:0.5:0.05, exponential:0.5:0.05, 1/n or 1/n:0.01",
    f"{LEARN} --lr linear:0.5": "lr is 'linear:0.5'; give a number, linear:0.5:0.05, exponential:0.5:0.05, 1/n or 1/n:0.01",
    f"{LEARN} --lr 1/n:2": "lr is '1/n:2'; the lowest step after 1/n: must be from 0 to 1",
    f"{LEARN} --epsilon nan": "epsilon is 'nan'; give a number, linear:0.5:0.05, exponential:0.5:0.05",
    f"{LEARN} --epsilon exponential:0.5:0": "epsilon is 'exponential:0.5:0'; an exponential schedule never reaches 0: end above it, or use linear",
    f"{LEARN} --discount 0": "discount is 0.0; it must be above 0 and at most 1",
    f"{LEARN} --trace 2": "trace is 2.0; lambda must be from 0 to 1",
    f"{LEARN} --rule sarsa": "rule is 'sarsa'; known: backward, every-visit, first-visit, td-lambda",
    f"{LEARN} --preset modern": "unknown preset 'modern'; known: best, classic",
    f"{LEARN} --opponent utc": "unknown agent 'utc'; did you mean 'uct'?",
    f"{LEARN} --memory 0": "memory is 0.0; give a number of megabytes, 1 or more",
    f"{LEARN} --out no/where.json": "'no/where.json' cannot be written: there is no folder 'no'; make it or choose another place",
    f"{LEARN} --plot curve.gif": "the learning curve cannot be drawn as 'curve.gif'; name it .svg, .png or .pdf",
    f"{LEARN} --shards 2 --round 7": "episodes is 10, no whole number of rounds of 7; with shards give a multiple, or another round",
    f"{LEARN} --resume nothere.json": "policy file 'nothere.json' does not exist; make one with playout learn",
    "learn tic-tac-toe --episodes 0": "episodes is 0; give a whole number from 1 to 2**40",
    "learn kuhn-poker": "game 'kuhn-poker' hides something from its players, and values of true states would cheat; learn a game without "
    "determinize, or search this one with ismcts",
    "learn nim --values patterns": "values=patterns needs the game's patterns, which 'nim' does not define; define it or use a table",
    "learn nim --symmetry on": "symmetry=on needs the game's canonical, which 'nim' does not define; define it or leave symmetry out",
    "learn tic-tac-toe --values patterns --lr 1/n": "lr is '1/n'; patterns share their weights, so count no visits: give a number or a schedule",
    "learn tic-tac-toe --learner net": "learner is 'net'; did you mean 'network'?",
    "learn tic-tac-toe --learner network --epsilon 0.2": "--epsilon is for --learner table, and this is --learner network; leave --epsilon out, or "
    "change the learner",
    "learn tic-tac-toe --learner network --games 50": "--games is for --learner table, and this is --learner network; leave --games out, or "
    "change the learner",
    "learn tic-tac-toe --from games.db": "--from is for --learner network, and this is --learner table; leave --from out, or change the learner",
    "learn tic-tac-toe --learner network --simulations 1": "simulations is 1; it must be from 2 to 1e+06",
    "learn tic-tac-toe --learner network --out no/where.net": "'no/where.net' cannot be written: there is no folder 'no'; make it or choose another "
    "place",
    "learn tic-tac-toe --learner network --from nothere.db": "experiment file 'nothere.db' does not exist; playout arena writes one",
    "learn loss-1d --learner network": "'loss-1d' has real-valued actions: what networks learn here are games with action ids",
    "inspect nothere.json": "policy file 'nothere.json' does not exist; make one with playout learn",
    "search tic-tac-toe --value nothere.json": "policy file 'nothere.json' does not exist; make one with playout learn",
    "arena tic-tac-toe uct:value=nothere.json random": "policy file 'nothere.json' does not exist; make one with playout learn",
    "solve mnk:m=5,n=5,k=4 --most 100": "mnk:m=5,n=5,k=4 has more than 100 positions (or 800 actions in them), too many to enumerate; "
    "make it smaller by its parameters, or raise the limit",
    "solve tic-tac-toe --most 10 --all": "--most solves the game whole, and --all one position; leave one of the two out",
    "solve tic-tac-toe --seconds 0": "seconds is 0.0; give a number above 0",
    "solve tic-tac-toe --nodes 0": "nodes is 0; give a whole number above 0",
    "solve tic-tac-toe --memory -1": "memory is -1.0; give a number of megabytes above 0",
    "solve tic-tac-toe --method quickly": "method is 'quickly'; known: alpha-beta, auto, proof-number",
    "solve tic-tac-toe --moves z9 --seconds 1": "move 1: 'z9' is not a legal action of tic-tac-toe here; legal: a1, b1, c1, a2, b2, c2, "
    "a3, b3, c3",
    "solve tic-tac-toe --state nothere.json --seconds 1": "state file 'nothere.json' does not exist; save one with `save FILE` in playout "
    "play",
    "solve leduc-poker --seconds 1": "leduc-poker hides something, so a position has no one value; playout exploit is for such games",
    "solve kuhn-poker": "kuhn-poker hides something, so a position has no one value; playout exploit is for such games",
}


@pytest.mark.parametrize("line", compiling(BAD, ["solve mnk:m=5,n=5,k=4 --most 100"]))
def test_bad_input_gets_its_sentence(cli: Cli, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = cli(*line.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1] == f"playout: {BAD[line]}"


@pytest.mark.compiles
def test_learn_a_network_and_go_on(cli: Cli, tmp_path: Path) -> None:
    file, page = str(tmp_path / "toe.net"), tmp_path / "toe.html"
    words = [
        "learn",
        "tic-tac-toe",
        "--learner",
        "network",
        "--abreast",
        "2",
        "--decisions",
        "2",
        "--simulations",
        "2",
        "--rungs",
        "0",
    ]
    found = cli(*words, "--generations", "1", "--out", file, "--report", str(page), "--json", "--seed", "4").data
    assert (found["game"], found["learner"], found["generations"], found["stopped"]) == ("tic-tac-toe", "network", 1, "done")
    assert (
        len(found["losing_lines"]) == 2 and found["decisions"] >= 4 and set(found["shares"]) >= {"trees", "network", "training"}
    )
    assert "learned by playing" in page.read_text() and "How it was learned" in page.read_text()
    again = cli(*words, "--generations", "2", "--out", file, "--seed", "4")
    assert again.code == 0 and "tic-tac-toe: 2 generations" in again.out and "as second player it loses in" in again.out
    assert f"network saved: {file} (play it: network:{file},simulations=2" in again.err
    other = cli(*words, "--generations", "2", "--out", file, "--seed", "5")
    assert other.code == 2 and "has other settings: seed is 4 there and 5 here" in other.err


@pytest.mark.compiles
def test_learn_inspect_and_resume(cli: Cli, tmp_path: Path) -> None:
    file = str(tmp_path / "policy.json")
    found = cli("learn", "tic-tac-toe", "--episodes", "20000", "--out", file, "--json", "--seed", "4").data
    assert {"game", "rule", "episodes", "seconds", "episodes_per_second", "entries", "losing_lines", "against"} <= found.keys()
    assert (found["game"], found["rule"], found["episodes"], found["exact"]) == ("tic-tac-toe", "every-visit", 20000, True)
    assert len(found["losing_lines"]) == 2 and set(found["against"]) == {"random", "perfect"}
    assert set(found["against"]["random"]["first"]) == {"win", "draw", "loss"}
    shown = cli("inspect", file, "--moves", "b2 b1")
    assert shown.code == 0 and "2 . X ." in shown.out and "20,000 episodes" in shown.out
    told = cli("inspect", file, "--moves", "b2 b1", "--json").data
    assert {row["name"] for row in told["actions"]} == {"a1", "c1", "a2", "c2", "a3", "b3", "c3"} and told["mover"] == 0
    over = cli("inspect", file, "--moves", "a1 b1 a2 b2 a3")
    assert over.code == 2 and "the game of tic-tac-toe is over there" in over.err
    resumed = cli("learn", "tic-tac-toe", "--resume", file, "--episodes", "20100", "--json").data
    assert resumed["episodes"] == 20100 and json.loads(Path(file).read_text())["episodes"] == 20100
    refused = cli("learn", "tic-tac-toe", "--resume", file, "--epsilon", "0.1")
    assert refused.code == 2 and "epsilon is linear:0.5:0.1 there and 0.1 here" in refused.err
    other = cli("learn", "mnk:m=4,n=4,k=3", "--resume", file)
    assert other.code == 2 and "is of mnk:m=3,n=3,k=3, not of mnk:m=4,n=4,k=3" in other.err


@pytest.mark.compiles
def test_learning_is_shown_and_drawn(cli: Cli, tmp_path: Path) -> None:
    plot = tmp_path / "curve.svg"
    ran = cli("learn", "tic-tac-toe", "--episodes", "3000", "--preset", "classic", "--plot", str(plot))
    assert ran.code == 0 and "first against perfect" in ran.out and "exact: every line of play was counted" in ran.out
    assert plot.read_text().startswith("<svg") and "second against random" in plot.read_text()


@pytest.mark.compiles
def test_sampled_results_say_so(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    # A game of more than a million positions would do as well, once they are counted.
    monkeypatch.setattr(evaluate, "solve", lambda game, symmetric, most: solve(game, symmetric=symmetric, most=100))
    ran = cli("learn", "tic-tac-toe", "--episodes", "60", "--games", "20")
    assert ran.code == 0 and "sampled: 20 games a seat with 95 % intervals" in ran.out and "first against tactic" in ran.out
    assert "tic-tac-toe has more than 100 positions" in " ".join(ran.out.split())


@pytest.mark.compiles
def test_solve_tells_every_action(cli: Cli) -> None:
    ran = cli("solve", "tic-tac-toe", "--moves", "b2 b1")
    assert ran.code == 0 and "with perfect play player 0 gets 1, player 1 gets -1" in ran.out
    found = cli("solve", "nim:heaps=1-2", "--json").data
    assert found["value"] == [1.0, -1.0] and [row["name"] for row in found["actions"] if row["best"]] == ["1 from heap B"]


@pytest.mark.compiles
def test_solve_takes_one_position_within_a_budget(cli: Cli) -> None:
    won = cli("solve", "connect-four", "--moves", "d a d a d a", "--seconds", "60")
    assert won.code == 0 and won.out.startswith(". . . . . . .\n") and "connect-four: player 0 wins with d: d" in won.out
    over = cli("solve", "tic-tac-toe", "--moves", "a1 b1 a2 b2 a3", "--nodes", "9").out
    assert "tic-tac-toe: the game is over: player 0 got 1, player 1 got -1" in over
    data = cli("solve", "connect-four", "--moves", "d a d a d a", "--nodes", "100000", "--no-all", "--json").data
    assert (data["result"], data["value"], data["complete"], data["method"]) == ("win", [1.0, -1.0], True, "auto")
    assert [step["name"] for step in data["line"]] == ["d"] and data["finished"]
    spent = cli("solve", "connect-four", "--nodes", "5000", "--method", "alpha-beta")
    assert spent.code == 0 and "connect-four: not within the budget of 5,0" in spent.out and "nothing is certain" in spent.out


@pytest.mark.compiles
def test_solve_goes_on_with_one_position_where_a_game_is_too_big(cli: Cli) -> None:
    ran = cli("solve", "connect-four", "--moves", "d a d a d a")
    assert ran.code == 0 and "connect-four has more than 1,000,000 positions: solving this one alone" in ran.err
    assert "connect-four: player 0 wins with d: d" in ran.out and "% full" in ran.out


@pytest.mark.compiles
def test_a_policy_inside_a_search(cli: Cli, tmp_path: Path) -> None:
    file, tree = str(tmp_path / "policy.json"), str(tmp_path / "x.tree")
    cli("learn", "tic-tac-toe", "--episodes", "2000", "--out", file)
    words = ("search", "tic-tac-toe", "--simulations", "60", "--no-solver", "--seed", "2")
    shown = cli(*words, "--value", file)
    assert shown.code == 0 and "of 60 simulations ended at a leaf that the policy" in shown.out
    data = cli(*words, "--value", file, "--tree", tree, "--json").data
    assert 0 < data["valued"] <= 60 and data["settings"]["value"] == file
    plain = cli(*words, "--json").data
    assert plain["valued"] is None and plain["settings"]["value"] == "" and plain["actions"] != data["actions"]
    more = cli("search", "tic-tac-toe", "--simulations", "40", "--resume", tree, "--json").data
    assert more["parent_visits"] == 100 and 0 < more["valued"] <= 40
    Path(file).unlink()
    gone = cli("search", "tic-tac-toe", "--simulations", "40", "--resume", tree)
    assert gone.code == 2 and f"policy file {file!r} does not exist" in gone.err
