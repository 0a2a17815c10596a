"""Networks on the command line: search, inspect, arena, play and replay, and everything that can be given wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import playout
from playout.learning.network import Network, shapes
from tests.cli.conftest import Cli
from tests.learning.network.test_network import Telling

TOE = '"""Tic-tac-toe, uncompiled."""\nfrom playout.games.mnk import *\ncompiled = False\n'
SEARCH = ("search", "toe.py", "--network", "toe.net", "--simulations", "60", "--seed", "3")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("networks")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("toe.py").write_text(TOE)
        network = Network("toe.py", seed=1, device="cpu", targets=("length",))
        network.trained = {"learner": "self-play", "games": 1200, "seconds": 61.5}
        network.history = [{"games": 100 * n, "loss": 2 / (n + 1), "points": {"random": 0.5 + n / 200}} for n in range(60)]
        network.save("toe.net")
        Network("toe.py", Telling(9, [0.25, -0.5]), device="cpu").save("own.net")
    return folder


@pytest.fixture(autouse=True)
def there(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


def test_search_shows_prior_and_value_and_why_speaks_of_them(cli: Cli) -> None:
    ran = cli(*SEARCH)
    assert ran.code == 0, ran.err
    assert "prior  evaluated" in ran.out and "the network toe.net valued" in ran.out
    assert (
        "The network toe.net gave " in ran.out
        and " of the prior and " in ran.out
        and "By itself the network toe.net values " in ran.out
    )


def test_search_as_json(cli: Cli) -> None:
    data, again = cli(*SEARCH, "--json").data, cli(*SEARCH, "--json").data
    shares, _ = Network.load("toe.net", device="cpu").look(playout.load("toe.py").start(3))
    assert {a["action"]: a["prior"] for a in data["actions"]} == pytest.approx(shares)
    assert all(isinstance(a["evaluated"], float) for a in data["actions"]) and data["evaluator"] == "the network toe.net"
    assert data["settings"]["rule"] == "puct" and data["settings"]["batch"] == 3
    assert data["actions"] == again["actions"]


def test_gumbel_and_a_report(cli: Cli) -> None:
    ran = cli(*SEARCH, "--root-rule", "gumbel", "--batch", "4", "--report", "a.html", "--json")
    assert ran.data["settings"]["root_rule"] == "gumbel" and sum(a["dropped"] for a in ran.data["actions"]) >= 6
    assert "its value by itself, without search" in Path("a.html").read_text()


def test_a_tree_is_kept_and_gone_on_with(cli: Cli) -> None:
    assert cli(*SEARCH, "--tree", "a.tree").code == 0
    more = cli("search", "toe.py", "--resume", "a.tree", "--network", "toe.net", "--simulations", "40", "--json")
    assert more.data["parent_visits"] == 100
    assert "was searched with an evaluator" in cli("search", "toe.py", "--resume", "a.tree", "--simulations", "40").err


def test_inspect_tells_how_it_came_about_and_what_it_thinks(cli: Cli) -> None:
    ran = cli("inspect", "toe.net", "--moves", "b2")
    assert ran.code == 0, ran.err
    network = Network.load("toe.net", device="cpu")
    assert (
        f"toe.py: tower, small, {network.head.weights:,} weights, sees 3 x 3 x 3 numbers (planes), values from -1 to 1" in ran.out
    )
    assert "further targets: length" in ran.out and "trained: learner self-play, games 1,200, seconds 61.5" in ran.out
    assert "60 points" in ran.out and "points random    0.5" in ran.out and "█" in ran.out
    shares, values = network.look(playout.load("toe.py").start().play("b2"))
    assert f"{max(shares.values()):.4f}" in ran.out and f"player 1 {values[1]:+.4f}" in ran.out


def test_inspect_as_json(cli: Cli) -> None:
    data = cli("inspect", "toe.net", "--moves", "b2", "--json").data
    shares, values = Network.load("toe.net", device="cpu").look(playout.load("toe.py").start().play("b2"))
    assert {row["action"]: row["prior"] for row in data["actions"]} == pytest.approx(shares)
    assert data["values"] == pytest.approx(values) and data["mover"] == 1 and len(data["history"]) == 60
    assert data["trained"]["games"] == 1200 and data["shape"] == "tower"


def test_inspect_a_module_that_is_not_here(cli: Cli) -> None:
    ran = cli("inspect", "own.net")
    assert ran.code == 0 and "a module of somebody's own, tests.learning.network.test_network.Telling" in ran.out
    assert "trained: not yet; it knows nothing" in ran.out and "in Python: Network.load(file, module=...)" in ran.out


def test_it_plays_in_the_arena_and_its_games_are_replayed(cli: Cli) -> None:
    agents = ("network:toe.net,simulations=8", "network:toe.net,simulations=0,temperature=1", "random")
    ran = cli("arena", "toe.py", *agents, "--games", "6", "--file", "a.db", "--engine", "here", "--json")
    assert ran.code == 0, ran.err
    assert {row["agent"] for row in ran.data["agents"]} >= {"network:toe.net,simulations=8,batch=1", "random"}
    assert cli("replay", "a.db", "--game", "1").code == 0


def test_it_is_played_against_and_watched(cli: Cli) -> None:
    words = (
        "play",
        "toe.py",
        "--watch",
        "--agent",
        "network:toe.net,simulations=16",
        "--agent",
        "network:toe.net,simulations=0",
        "--json",
    )
    one, two = cli(*words).data, cli(*words).data
    assert one["finished"] and one["moves"] == two["moves"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("search", "toe.py", "--network", "no.net"),
            "network file 'no.net' does not exist; make one with playout learn --learner network",
        ),
        (("inspect", "no.net"), "network file 'no.net' does not exist; make one with playout learn --learner network"),
        ((*SEARCH, "--device", "cuda"), "device is 'cuda', and torch finds no GPU here; use device cpu or auto"),
        (
            ("search", "toe.py", "--device", "cpu"),
            "--device cpu is where a network is asked, or where many trees grow: add --network FILE or --trees 65536, or leave it out",
        ),
        (
            ("search", "toe.py", "--network", "own.net"),
            "network file 'own.net' holds weights of a module of your own, tests.learning.network.test_network.Telling; pass it: "
            "Network.load(file, module=...)",
        ),
        (
            (*SEARCH, "--playout", "mast"),
            "playout=mast is about playouts, and with an evaluator there are none; leave playout out",
        ),
        (
            ("inspect", "toe.net", "--moves", "a1 b1 a2 b2 a3"),
            "the game of toe is over there, so there is no action to choose; give fewer moves",
        ),
        (
            ("search", "tic-tac-toe", "--network", "toe.py"),
            "'toe.py' is not a network file; make one with playout learn --learner network",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(cli: Cli, words: tuple[str, ...], sentence: str) -> None:
    ran = cli(*words)
    assert (ran.code, ran.out) == (2, "") and ran.err.splitlines()[-1] == f"playout: {sentence}"


def test_export_makes_it_small_and_plays_the_two_against_each_other(cli: Cli) -> None:
    words = ("export", "toe.net", "--embed", "toe.small", "--positions", "300", "--layers", "12", "--simulations", "8")
    ran = cli(*words, "--games", "2")
    assert (
        ran.code == 0
        and ran.out.startswith("toe.small: 479 weights, learned from ")
        and "of other games the best action is the same in" in ran.out
    )
    assert "against the network it was made from, 8 simulations each: " in ran.out and "of the points in 2 games" in ran.out
    data = cli(*words, "--games", "0", "--json").data
    assert data["weights"] == 479 and data["match"] is None and data["positions"] + data["apart"] == 300
    shown = cli("search", "toe.py", "--value", "toe.small", "--simulations", "20", "--json").data
    assert shown["settings"]["value"] == "toe.small" and shown["settings"]["rule"] == "puct"
    told = cli("inspect", "toe.small", "--json").data
    assert told["layers"] == [27, 12, 11] and told["weights"] == 479 and told["made"]["from"] == "toe.net"
    # What it says by itself stands beside what search made of it, as with the network that it was made from.
    by_id = {row["action"]: (row["prior"], row["value"]) for row in told["actions"]}
    assert {a["action"]: (a["prior"], a["evaluated"]) for a in shown["actions"]} == {
        action: pytest.approx(both, abs=1e-6) for action, both in by_id.items()
    }
    printed = cli("search", "toe.py", "--value", "toe.small", "--simulations", "20").out
    assert "The network toe.small gave" in printed and "that the network toe.small valued" in printed
    plain = cli("inspect", "toe.small", "--moves", "b2").out
    assert "toe.py: a network for the kernel, layers of 27, 12, 11, 479 weights, values from -1 to 1" in plain
    assert "made: positions " in plain and "value of the position, by the network alone: player 0" in plain


def test_export_takes_a_network_over_as_it_is(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(shapes.SIZES["tower"], "small", shapes.Plan(3, 1, 2, 4))
    Network("toe.py", seed=1, device="cpu").save("thin.net")
    words = ("export", "thin.net", "--embed", "thin.small", "--simulations", "4")
    ran = cli(*words, "--games", "2")
    assert ran.code == 0 and "the tower as it is; on " in ran.out and "shares differ by at most " in ran.out
    assert "against the network it was made from, 4 simulations each: " in ran.out and "of the points in 2 games" in ran.out
    alone = cli(*words)
    assert alone.code == 0 and "against the network" not in alone.out
    assert "the rules of 'toe' run uncompiled, and so does the network in a search" in " ".join(alone.err.split())
    data = cli(*words, "--games", "0", "--json").data
    assert data["whole"] and data["shares"] < 1e-6 and data["values"] < 1e-6 and data["match"] is None
    told, by_torch = cli("inspect", "thin.small", "--json").data, cli("inspect", "thin.net", "--json").data
    assert told["layers"] is None and told["made"] == {"whole": "tower, small", "from": "thin.net"}
    assert {a["action"]: a["prior"] for a in told["actions"]} == pytest.approx(
        {a["action"]: a["prior"] for a in by_torch["actions"]}, abs=1e-6
    )
    assert "toe.py: a network for the kernel, 9 steps, " in cli("inspect", "thin.small").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("toe.net", "--embed", "x.small", "--positions", "300"),
            "--positions are what a small stack learns from, and none is made; add --layers 64,32, or leave it out",
        ),
        (("toe.net",), "export makes a network for searches, and nobody said where it goes; add --embed FILE.small"),
        (
            ("toe.net", "--embed", "toe.npz"),
            "'toe.npz' does not end with .small, by which searches and agents know an embedded network; call it so",
        ),
        (
            ("toe.net", "--embed", "x.small", "--layers", "64;32"),
            "--layers is '64;32'; write whole numbers from 1 to 4,096 with commas between, as in 64,32",
        ),
        (("none.net", "--embed", "x.small"), "network file 'none.net' does not exist"),
        (
            ("toe.net", "--embed", "no/x.small"),
            "'no/x.small' cannot be written: there is no folder 'no'; make it or choose another place",
        ),
    ],
)
def test_what_cannot_be_exported(cli: Cli, words: tuple[str, ...], message: str) -> None:
    ran = cli("export", *words)
    assert ran.code == 2 and message in " ".join(ran.err.split())
