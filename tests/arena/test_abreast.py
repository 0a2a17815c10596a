"""Games side by side are the games that the referee plays one at a time, move for move, whatever the room, the waves and the device."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playout import by_rejection
from playout.agents import Recipe
from playout.arena import Rules, Store, Tournament, compete
from playout.arena import abreast as module
from playout.arena.abreast import SideBySide
from playout.arena.experiment import Experiment, plan
from playout.arena.referee import Record, Referee
from playout.arena.table import Table
from playout.compile import bind
from playout.compile.devices import Cores
from playout.engine.shift import BEGIN, STAY, WAY
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.planner.forest import Forest, Plan
from playout.planner.sighted import Sighted
from tests.checker.leaks import changed

UCT = ["uct:simulations=12", "uct:simulations=16,c=1"]
WHIST, SOLITAIRE = "knockout-whist:suits=2,ranks=3,cards=2", str(Path(__file__).parent.parent / "sketches" / "solitaire.py")


def uncompiled(recipe: Recipe) -> Recipe:
    """The same agent, its kernels as they are written."""

    def make(seed: int) -> Any:
        agent: Any = recipe.make(seed)
        if hasattr(agent, "search"):
            agent.search.binding = bind(agent.search.game, False, agent.search.binding.features)
        return agent

    return dataclasses.replace(recipe, make=make)


def planned(game: str | Game, agents: list[str], **rules: Any) -> tuple[Experiment, Game, list[Recipe]]:
    experiment, found, recipes = plan(game, agents, rules=Rules(**rules), fit=False)
    return experiment, found, [uncompiled(recipe) for recipe in recipes]


def one_by_one(experiment: Experiment, game: Game, recipes: list[Recipe], games: int) -> list[Record]:
    referee = Referee(game, recipes, experiment.rules)
    referee.table = Table(game, compiled=False)
    return [referee.play(experiment.schedule.fixture(number)) for number in range(games)]


def side_by_side(experiment: Experiment, game: Game, recipes: list[Recipe], games: int) -> list[Record]:
    rules, fixture = experiment.rules, experiment.schedule.fixture
    found = SideBySide(fixture, game, recipes, Cores(1), rules=rules, compiled=False).games(range(games))
    return sorted((record for part in found for record in part), key=lambda record: record.number)


def told(records: list[Record]) -> list[Any]:
    """All of games but how long they took."""
    return [tuple(getattr(r, name) for name in Record.__struct_fields__ if name != "seconds") for r in records]


@pytest.mark.parametrize(
    ("game", "agents", "rules"),
    [
        ("tic-tac-toe", UCT, {}),
        ("tic-tac-toe", ["uct:simulations=14,graph=true", "uct:simulations=14,decisive=block", "random"], {"openings": 2}),
        ("tic-tac-toe", ["uct:simulations=14,root_rule=halving", "uct:simulations=14,rule=puct,final=mean"], {"openings": 1}),
        ("nim", ["uct:simulations=14,rave=100", "uct:simulations=14,playout=mast,seed=3"], {}),
        # Trees that begin anew count their simulations anew, and what was played in those before says nothing.
        ("tic-tac-toe", ["uct:simulations=9,rave=100", "random"], {"games": 12}),
        # A race in the only tree of its agent.
        ("tic-tac-toe", ["uct:simulations=20,root_rule=halving", "random"], {"games": 1}),
        # Chance: the tree goes on from what was rolled; and games that are cut off.
        ("pig", ["uct:simulations=10", "random"], {"most_actions": 14}),
        ("pig:target=12", ["uct:simulations=12,observation_width=2", "random"], {"games": 4}),
        # Something is hidden: what an agent is shown, and which trees are kept, goes by what its player sees.
        ("kuhn-poker", ["ismcts:simulations=30", "mo-ismcts:simulations=20", "peek:simulations=20", "random"], {}),
        ("leduc-poker", ["ismcts:simulations=30", "ismcts:simulations=20,c=1", "random"], {"openings": 1}),
        ("leduc-poker", ["uct:simulations=20", "ismcts:simulations=20,playout=mast"], {"games": 4}),
        ("liars-dice", ["ismcts:simulations=30", "ismcts:simulations=20,root_rule=halving", "peek:simulations=20"], {}),
        ("phantom-tic-tac-toe", ["ismcts:simulations=30", "ismcts:simulations=20,open_loop=true", "random"], {"openings": 2}),
        ("knockout-whist", ["ismcts:simulations=30", "ismcts:simulations=20,redraw=true"], {"most_actions": 9}),
        (WHIST, ["ismcts:simulations=60", "ismcts:simulations=40,observation_width=1", "ismcts:simulations=40,final=mean"], {}),
        # One player: when nothing is hidden any more, a new tree can prove what is left.
        (SOLITAIRE, ["ismcts:simulations=30", "peek:simulations=20", "peek:simulations=9,rave=100", "random"], {"games": 8}),
        ("scoundrel", ["ismcts:simulations=10,reward=blend", "ismcts:simulations=8", "rule"], {"most_actions": 36}),
    ],
    ids=str,
)
def test_games_are_those_of_the_referee(
    game: str, agents: list[str], rules: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playout.planner.abreast.TOGETHER", 4)
    games = rules.pop("games", 0)
    given = planned(game, agents, **rules)
    games = games or given[0].schedule.per_round
    assert told(side_by_side(*given, games)) == told(one_by_one(*given, games))


def test_trees_with_something_hidden_go_every_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The games above are only as good as what happens in them."""
    gone, plain = set(), Sighted.go

    def go(self: Sighted, all: Any) -> Any:
        found = plain(self, all)
        gone.update(zip(np.minimum(all.actions, 0).tolist(), found.tolist(), self.plain[all.trees].tolist()))
        return found

    monkeypatch.setattr(Sighted, "go", go)
    for game in ("kuhn-poker", "phantom-tic-tac-toe", "knockout-whist", SOLITAIRE):
        side_by_side(*planned(game, ["ismcts:simulations=30", "ismcts:simulations=20"], most_actions=16), 6)
    # The action or what stands for it, whether the tree was kept, and whether everything was seen where it began.
    assert gone >= {(0, True, False), (0, False, False), (0, True, True), (WAY, True, False), (WAY, False, False)}
    assert gone >= {(BEGIN, False, False), (STAY, True, False), (STAY, True, True)}


@pytest.mark.parametrize(("game", "agents"), [("tic-tac-toe", UCT), (WHIST, ["ismcts:simulations=30", "ismcts:simulations=20"])])
def test_room_waves_and_memory_change_nothing(game: str, agents: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    given = planned(game, agents)
    whole = told(side_by_side(*given, 6))
    monkeypatch.setattr(module, "FIRST_WAVE", 2)
    monkeypatch.setattr(module, "ROOMY", 1)
    monkeypatch.setattr(Forest, "plan", lambda *given: Plan(40, 4, 64))
    plain, refused = Cores.zeros, []

    def zeros(self: Cores, shape: tuple[int, ...], dtype: Any) -> Any:
        if shape[0] > 2:
            refused.append(shape)
            raise MemoryError
        return plain(self, shape, dtype)

    monkeypatch.setattr(Cores, "zeros", zeros)
    assert told(side_by_side(*given, 6)) == whole
    assert refused


def test_no_room_at_all_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def zeros(self: Cores, shape: tuple[int, ...], dtype: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(Cores, "zeros", zeros)
    with pytest.raises(PlayoutError) as error:
        side_by_side(*planned("tic-tac-toe", UCT), 2)
    assert (
        str(error.value)
        == "the device (1 core) has no room for the trees of one game; take fewer simulations, or use --engine local"
    )


def test_how_many_fit_follows_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment, game, recipes = planned("tic-tac-toe", UCT)
    fixture = experiment.schedule.fixture
    all = SideBySide(fixture, game, recipes, Cores(1), rules=experiment.rules, compiled=False)
    plans = [Plan(1000, 16, 64)] * 2
    sizes = []
    for room in (1, 10_000_000, 1_000_000_000, 10**13):
        monkeypatch.setattr(Cores, "room", lambda self, room=room: room)
        sizes.append(all._size(plans))  # type: ignore[arg-type]
    assert sizes[0] == 1 and sizes[-1] == module.MOST_WAVE and sizes == sorted(sizes) and sizes[1] < sizes[2] < sizes[3]


FORGETFUL = """
import numpy as np

players = 2
actions = 2
State = np.dtype([("n", np.int64)])


def start(state, rng):
    state.n = 0


def legal(state, out):
    out[0] = 0
    return 1


def play(state, action, rng):
    state.n += 1


def mover(state):
    return -1 if state.n >= 4 else state.n % 2


def returns(state, out):
    out[0], out[1] = 1.0, -1.0


def playout_action(state, ids, count, rng):
    return 0 if state.n < 2 else 1
"""


def test_what_goes_wrong_is_the_referee_s(tmp_path: Path) -> None:
    """A rule that names an illegal action loses, and the record says what the referee says."""
    file = tmp_path / "forgetful.py"
    file.write_text(FORGETFUL)
    given = planned(str(file), ["rule", "random"])
    found = side_by_side(*given, 2)
    assert told(found) == told(one_by_one(*given, 2))
    assert {record.ended for record in found} == {"illegal"}


@pytest.mark.parametrize(
    ("game", "agent", "why"),
    [
        ("tic-tac-toe", "uct:seconds=1", "it decides by the clock: give it simulations"),
        ("tic-tac-toe", "uct:memory=10", "its trees share a memory of their own: leave memory out"),
        ("tic-tac-toe", "uct:trees=2", "it has trees=2: use trees=1"),
        ("tic-tac-toe", "uct:final=secure", "final=secure asks more than visits and means: use final=visits"),
        ("kuhn-poker", "pimc:simulations=20", "hidden=pimc grows a tree for every world: use hidden=ismcts"),
        (
            "kuhn-poker",
            "ismcts:rule=regret-matching",
            "final=shares asks more than visits and means: use final=visits",
        ),
    ],
)
def test_who_cannot_play_is_said(game: str, agent: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(PlayoutError) as error:
        Tournament(game, [agent, "random"], engine="cores", file=tmp_path / "a.db")
    assert str(error.value).endswith(
        f"cannot play its games side by side, since {why}; or use --engine local, which plays the same games"
    )
    assert not (tmp_path / "a.db").exists()


def test_a_clock_for_each_decision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlayoutError) as error:
        Tournament(
            "tic-tac-toe", ["uct:simulations=10", "random"], engine="cores", file=tmp_path / "a.db", rules=Rules(limit=0.5)
        )
    assert str(error.value) == (
        "limit is 0.5, and games that are played side by side have no clock for one decision: leave limit out, or use --engine local"
    )
    assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize("quick", [False, True])
def test_waves_grow_where_somebody_may_have_enough(quick: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else all that fits is played at once: with --until thousands of games would be played that nobody needs."""
    waves: list[int] = []
    experiment, game, recipes = planned("tic-tac-toe", ["random", "random"])
    games = SideBySide(experiment.schedule.fixture, game, recipes, Cores(1), rules=Rules(), compiled=False, quick=quick)

    def play(numbers: list[int], plans: Any) -> Any:
        waves.append(len(numbers))
        yield [len(numbers)]

    monkeypatch.setattr(games, "_wave", play)
    assert sum(sum(part) for part in games.games(range(2000))) == 2000
    assert waves == ([128, 256, 512, 1024, 80] if quick else [128, 1872])


def test_worlds_by_rejection_are_refused() -> None:
    """Whoever plays: the referee finds them one at a time, too."""
    with pytest.raises(PlayoutError) as error:
        side_by_side(*planned(changed("kuhn-poker", determinize=by_rejection), ["random", "random"]), 2)
    assert str(error.value) == (
        "agent 'random' cannot play its games side by side, since the worlds of 'kuhn-poker, changed' are found by rejection, one at a time: "
        "write a determinize; or use --engine local, which plays the same games"
    )


AMNESIC = """
import numpy as np

from playout import below

players = 2
actions = 2
State = np.dtype([("n", np.int64), ("hand", np.int64)])


def start(state, rng):
    state.hand = below(rng, 2)


def legal(state, out):
    out[0] = 0
    out[1] = 1
    return 1 + state.hand


def play(state, action, rng):
    state.n += 1


def mover(state):
    return -1 if state.n >= 4 else state.n % 2


def returns(state, out):
    out[0], out[1] = 1.0, -1.0


def observe(state, player):
    pass


def determinize(state, player, rng):
    state.hand = below(rng, 2)
"""


SECRET = """
import numpy as np

from playout import below

players = 2
actions = 2
State = np.dtype([("said", np.int8, 6), ("n", np.int64)])


def start(state, rng):
    pass


def legal(state, out):
    out[0] = 0
    out[1] = 1
    return 2


def play(state, action, rng):
    state.said[state.n] = 1 + action
    state.n += 1


def mover(state):
    return -1 if state.n >= 6 else state.n % 2


def returns(state, out):
    same = 0
    for i in range(3):
        same += (2 - i) * (state.said[2 * i] == state.said[2 * i + 1]) - (state.said[2 * i] == 1)
    out[0], out[1] = same, -same


def observe(state, player):
    for i in range(6):
        if i % 2 != player:
            state.said[i] = 0


def determinize(state, player, rng):
    for i in range(state.n):
        if i % 2 != player:
            state.said[i] = 1 + below(rng, 2)
"""


@pytest.mark.parametrize("options", ["", ",fpu=-9"], ids=["both are known", "one was never tried"])
def test_a_tree_begins_anew_where_two_ways_lead_to_what_is_seen(options: str, tmp_path: Path) -> None:
    """What the other one chose is never shown: it may be known of, and which of it happened is not. One way that was never tried may be
    the one, too."""
    file = tmp_path / "secret.py"
    file.write_text(SECRET)
    given = planned(str(file), [f"ismcts:simulations=60{options}", f"ismcts:simulations=40,c=1{options}"])
    assert told(side_by_side(*given, 12)) == told(one_by_one(*given, 12))


def test_worlds_that_are_none_are_the_referee_s(tmp_path: Path) -> None:
    """A determinize that redraws what its player knows: the search complains, and the record says what it says to the referee."""
    file = tmp_path / "amnesic.py"
    file.write_text(AMNESIC)
    given = planned(str(file), ["ismcts:simulations=20", "random"])
    found = side_by_side(*given, 8)
    assert told(found) == told(one_by_one(*given, 8))
    assert any("the mover has other legal actions than in the state that it sees" in record.error for record in found)


def test_without_a_gpu_the_cores_are_offered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from playout.compile import cuda

    monkeypatch.setattr(cuda, "why_not", lambda: "no CUDA device was found")
    with pytest.raises(PlayoutError) as error:
        Tournament("tic-tac-toe", ["uct", "random"], engine="cuda", file=tmp_path / "a.db")
    assert (
        str(error.value) == "engine cuda cannot be used: no CUDA device was found; use --engine cores, which plays the same games"
    )


@pytest.mark.compiles
def test_stopped_and_gone_on_with_by_another_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Trees of this size need no more room than is planned: with more, all kernels would be compiled once more.
    agents, whole, parts = ["uct:simulations=20", "random"], tmp_path / "a.db", tmp_path / "b.db"
    compete("tic-tac-toe", agents, games=40, file=whole, engine="here", seed=4)
    monkeypatch.setattr(module, "FIRST_WAVE", 20)

    def stop(tally: Any) -> None:
        if tally.done:
            raise KeyboardInterrupt

    with (
        Tournament("tic-tac-toe", agents, games=40, file=parts, engine="cores", seed=4) as first,
        pytest.raises(KeyboardInterrupt),
    ):
        first.run(stop)
    with Store(parts) as store:
        assert 0 < len(list(store.games())) < 40
    compete("tic-tac-toe", agents, games=40, file=parts, engine="cores", workers=1, seed=4)
    with Store(whole) as one, Store(parts) as two:
        assert told(list(one.games())) == told(list(two.games()))


def test_the_kernels_run_in_the_simulator() -> None:
    """The same games as on a core, with trees that a simulated device keeps and moves."""
    code = """
from playout.arena.abreast import SideBySide
from playout.arena.experiment import plan
from playout.arena.referee import Rules
from playout.compile.devices import Cores, device_named

for game, kind in (("pig", "uct"), ("kuhn-poker", "ismcts"), ("scoundrel", "ismcts")):
    experiment, *given = plan(game, [f"{kind}:simulations=6", f"{kind}:simulations=5"], rules=Rules(most_actions=8), fit=False)
    fixture, found = experiment.schedule.fixture, []
    for device in (device_named("cuda"), Cores(1)):
        side_by_side = SideBySide(fixture, *given, device, rules=experiment.rules, compiled=False)
        records = [record for part in side_by_side.games(range(2)) for record in part]
        found.append(sorted((r.number, r.moves, r.simulations) for r in records))
    print(device_named("cuda").name, found[0] == found[1], len(found[0]))
"""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == 3 * ["cuda", "True", "2"]
