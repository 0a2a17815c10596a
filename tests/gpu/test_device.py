"""On a real device (`make test-gpu`): every tree there is the one that a core grows, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import playout
from playout.arena import Rules, Store, compete
from playout.compile.binding import trusted
from playout.compile.cuda import simulated, why_not
from playout.errors import PlayoutError
from tests.engine.test_golden import DICE, HIDDEN, OPTIONS, WINNING
from tests.engine.trees import ROWS

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.compiles,
    pytest.mark.skipif(bool(why_not()) or simulated(), reason=f"no GPU: {why_not()}"),
]

GAMES = (
    "connect-four",
    "tic-tac-toe",
    "breakthrough",
    "hex:size=7",
    "othello",
    "kalah",
    "nim",
    "pig",
    "kuhn-poker",
    "leduc-poker",
    "liars-dice",
    "knockout-whist",
    "phantom-tic-tac-toe",
    "scoundrel",
    "treasure",
    "root",
)
SETTINGS: tuple[dict[str, Any], ...] = (
    {"rule": "puct", "transpositions": True},
    {"rave": 200.0},
    {"decisive_playouts": "off"},
    {"score_bounds": True},
    {"graph": True},
    {"proof_weight": 0.5},
    {"playout": "mast"},
)
GOLDEN = {
    ROWS: {name: changes for name, changes in OPTIONS.items() if name != "seed"},
    "connect-four:columns=5,rows=4": WINNING,
    ROWS + ":dice=1": DICE,
    "kuhn-poker": HIDDEN,
}
"""Every setting with a golden tree, but for real-valued actions, which are another test's."""


def positions(name: str, count: int) -> list[playout.State]:
    """Positions some random actions from the start."""
    rng, found = np.random.default_rng(1), []
    while len(found) < count:
        state = playout.load(name).start(seed=len(found))
        for _ in range(int(rng.integers(0, 6))):
            if not state.over:
                state = state.play(int(rng.choice(state.legal)))
        if not state.over:
            found.append(state)
    return found


def compare(name: str, simulations: int, **settings: Any) -> None:
    """The device against the cores: actions, visits, and means to the last bit."""
    states = positions(name, 200)
    there = playout.search_many(states, simulations=simulations, device="cuda", seed=5, **settings)
    here = playout.search_many(states, simulations=simulations, device="cpu", seed=5, **settings)
    assert there.device == "cuda" and here.device == "cpu"
    assert (there.simulations == here.simulations).all()
    assert (there.visits == here.visits).all() and (there.actions == here.actions).all()
    assert np.array_equal(there.means, here.means, equal_nan=True) and (there.values == here.values).all()


@pytest.mark.parametrize("name", GAMES)
def test_trees_of_a_game_are_those_of_a_core(name: str) -> None:
    compare(name, 200)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_trees_of_a_setting_are_those_of_a_core(settings: dict[str, Any]) -> None:
    compare("connect-four", 300, **settings)


@pytest.fixture(scope="module")
def checked() -> None:
    """A device takes only games that were checked."""
    for game in (playout.load(spec) for spec in GOLDEN):
        if not trusted(game):
            assert playout.check(game, states=500).ok


@pytest.mark.parametrize(("game", "name"), [(game, name) for game, cases in GOLDEN.items() for name in cases])
def test_trees_of_every_setting_with_a_golden_tree_are_those_of_a_core(game: str, name: str, checked: None) -> None:
    compare(game, 120, **{"solver": False, "decisive_playouts": "off", **GOLDEN[game][name]})


def test_learned_values_are_those_of_a_core() -> None:
    policy = playout.learn("tic-tac-toe", episodes=3000, seed=1).policy
    compare("tic-tac-toe", 200, value=policy)


@pytest.mark.parametrize("method", ["widening", "gradient", "local", "tables"])
def test_real_vectors_are_those_of_a_core_or_nearly(method: str) -> None:
    """Powers are the device's own: one in the last digit may let a tree try an action a simulation sooner, and then it is another tree."""
    states = [playout.load("loss-1d").start()] * 200
    there, here = (
        playout.search_many(states, simulations=300, device=device, seed=5, method=method) for device in ("cuda", "cpu")
    )
    assert (there.simulations == here.simulations).all()
    span = np.ptp(here.values[:, 0]) or 1.0
    assert np.median(np.abs(there.values[:, 0] - here.values[:, 0])) <= 0.05 * span
    print(f"{method}: {np.mean([np.array_equal(a, b) for a, b in zip(there.actions, here.actions)]):.1%} of actions are the same")


def test_long_searches_are_those_of_a_core() -> None:
    """Beyond the table of logarithms."""
    compare("connect-four", 5000)


@pytest.mark.parametrize(
    ("game", "agents"),
    [
        ("connect-four", ["uct:simulations=100", "uct:simulations=150,c=1", "random"]),
        ("pig:target=30", ["uct:simulations=60", "uct:simulations=40,c=1"]),
        ("tic-tac-toe", ["uct:simulations=60,graph=true", "uct:simulations=60,rave=100", "uct:simulations=60,playout=mast"]),
        ("othello", ["uct:simulations=40", "uct:simulations=40,transpositions=true"]),
        ("leduc-poker", ["ismcts:simulations=60", "mo-ismcts:simulations=40", "peek:simulations=40"]),
        ("knockout-whist", ["ismcts:simulations=60", "ismcts:simulations=40,redraw=true", "random"]),
        ("phantom-tic-tac-toe", ["ismcts:simulations=60", "ismcts:simulations=40,open_loop=true"]),
        ("scoundrel", ["ismcts:simulations=40,reward=blend", "ismcts:simulations=40", "rule"]),
    ],
)
def test_games_of_the_arena_are_those_of_the_cores(game: str, agents: list[str], tmp_path: Any) -> None:
    """The trees that agents keep, moved on the device, and one played by the referee for good measure."""
    found = []
    for engine, games in (("cuda", 300), ("cores", 300), ("here", 6)):
        file = tmp_path / f"{engine}.db"
        compete(game, agents, games=games, engine=engine, file=file, rules=Rules(openings=1))
        with Store(file) as store:
            found.append(sorted((r.number, r.moves, r.simulations, r.returns, r.ended) for r in store.games()))
    # A game for one player is played by each agent in turn, on the same deals.
    turns = len(agents) if playout.load(game).players == 1 else 1
    assert found[0] == found[1] and found[0][: 6 * turns] == found[2] and len(found[0]) == 300 * turns


@pytest.mark.parametrize("game", ["connect-four", "pig", "kuhn-poker"])
def test_one_position_by_many_trees_is_decided_as_on_the_cores(game: str) -> None:
    there, here = (playout.search_wide(game, trees=500, simulations=60_000, device=device, seed=2) for device in ("cuda", "cpu"))
    assert there.actions == here.actions and there.action == here.action and there.nodes == here.nodes


@pytest.mark.real_gpu
def test_the_clock_ends_a_search_by_many_trees() -> None:
    found = playout.search_wide("connect-four", trees=20_000, seconds=2, device="cuda")
    assert found.stopped == "seconds" and 2 <= found.seconds < 4 and found.simulations > 20_000_000


@pytest.mark.real_gpu
def test_a_game_that_nobody_checked_is_refused(tmp_path: Any) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\nplayers = 1\nactions = 1\nState = np.dtype([('n', np.int64)])\n\n\ndef start(state, rng):\n    state.n = 0\n\n\n"
        "def legal(state, out):\n    out[0] = 0\n    return 1\n\n\ndef play(state, action, rng):\n    state.n += 1\n\n\n"
        "def mover(state):\n    return 0 if state.n < 3 else -1\n\n\ndef returns(state, out):\n    out[0] = 1.0\n"
    )
    with pytest.raises(PlayoutError, match="was never checked, and on a GPU nothing stops a rule"):
        playout.search_many([playout.load(str(file)).start()], device="cuda")
