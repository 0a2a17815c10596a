"""Many positions searched side by side: every tree is the one that a search of its own would grow, and bad input gets a sentence."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

import playout
from playout.compile import devices
from playout.compile.devices import Cores, Lanes, device_named
from playout.compile.records import apart
from playout.engine.forest import row
from playout.engine.layout import Sim, Tree
from playout.engine.shift import tree_at
from playout.errors import GameError, PlayoutError
from playout.planner import forest as planner_forest
from playout.planner.forest import Forest, Plan
from playout.planner.real_work import furnish, sequences


def positions(name: str, count: int) -> list[playout.State]:
    """Positions some random actions from the start."""
    rng, found = np.random.default_rng(1), []
    while len(found) < count:
        state = playout.load(name).start(seed=len(found))
        for _ in range(int(rng.integers(0, 5))):
            state = state.play(int(rng.choice(state.legal)))
            if state.over:
                break
        else:
            found.append(state)
    return found


def same(found: object, rows: range) -> bool:
    """Whether decisions say what the arrays do."""
    for at in rows:
        decision = found.decision(at)  # type: ignore[attr-defined]
        if decision.action != found.actions[at]:  # type: ignore[attr-defined]
            return False
        for action in decision.actions:
            if action.visits != found.visits[at, action.action]:  # type: ignore[attr-defined]
                return False
            mean = found.means[at, action.action]  # type: ignore[attr-defined]
            if (action.mean is None) != bool(np.isnan(mean)) or (action.mean is not None and action.mean != mean):
                return False
    return True


def test_trees_have_scratch_space_of_their_own_only_where_something_in_it_is_remembered() -> None:
    """What is one for all lies in the memory of a device's threads, which reads it quicker, and takes no room beside the trees."""
    device, sizes = Cores(1), {}
    device.cramped = True  # type: ignore[misc]
    for name, settings in {"race": {"root_rule": "halving"}, "rave": {"rave": 100.0}, "habits": {"playout": "mast"}}.items():
        forest = Forest(playout.Search("nim", trees=1, compiled=False, **settings), device)
        plan = Plan(64, 64, 64)
        sizes[name] = len(forest.scratch(forest.settings, plan, np.arange(3), np.zeros(3, np.int64)))
        assert "extra" in forest.binding.features
        assert forest.lanes(64).work["trail"].shape == ((1,) if name == "race" else (4096,))
    assert sizes == {"race": 1, "rave": 3, "habits": 3}


@pytest.mark.parametrize(
    ("name", "settings"), [("nim", {}), ("nim", {"root_rule": "halving"}), ("loss-1d", {}), ("kuhn-poker", {}), ("scoundrel", {})]
)
def test_on_the_cores_trees_are_to_machine_code_what_that_of_a_search_is(
    name: str, settings: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So `simulate` is compiled once for both; nothing is compiled here."""
    monkeypatch.setattr(planner_forest, "movers", lambda binding, states: np.zeros(len(states), np.int64))
    search = playout.Search(name, trees=1, **settings)
    alone = search.plant(search.game.start(), 0)
    forest, plan, one = Forest(search, Cores(1), real=True), Plan(64, 64, 64), np.zeros(1, np.int64)
    columns = forest.planted(forest.settings, plan, search.game.start().copy_array(), one, one, 10)
    lane = forest.lanes(plan.longest).fresh()
    assert numba.typeof(row(columns, 0, lane)) == numba.typeof(alone.sim)


@pytest.mark.parametrize(
    ("name", "settings"), [("tic-tac-toe", {"rave": 100.0}), ("tic-tac-toe", {"playout": "mast"}), ("othello", {})]
)
def test_on_the_cores_too_scratch_space_of_each_tree_is_as_small_as_can_be(name: str, settings: dict[str, object]) -> None:
    """It counts as part of the tree, and many trees are to fit."""
    forest = Forest(playout.Search(name, trees=1, compiled=False, **settings), Cores(1))
    plan = forest.plan(forest.settings, np.repeat(forest.game.start().copy_array(), 2), 20)
    trees = sum(column.nbytes for column in forest.blank(forest.settings, plan))
    assert forest.kept and forest.bytes_of(forest.settings, plan) < trees + 30_000


SHARED = (
    ("tic-tac-toe", {}),
    ("tic-tac-toe", {"root_rule": "halving"}),
    ("tic-tac-toe", {"rave": 50.0}),
    ("tic-tac-toe", {"playout": "mast"}),
    ("tic-tac-toe", {"playout": "ngram", "root_rule": "halving"}),
    ("tic-tac-toe", {"rule": "ucb1-tuned"}),
    ("tic-tac-toe", {"score_bounds": True}),
    ("kuhn-poker", {"hidden": "mo-ismcts", "root_rule": "gumbel"}),
    ("kuhn-poker", {"rule": "regret-matching"}),
    ("leduc-poker", {"redraw": True}),
    ("pig", {"observation_width": 1.5, "root_rule": "halving"}),
    ("treasure", {"open_loop": True}),
    ("scoundrel", {"discount": 0.9, "solver": False}),
)


@pytest.mark.parametrize(("name", "settings"), SHARED)
def test_nothing_is_read_from_scratch_space_that_was_not_written_by_the_same_simulation(
    name: str, settings: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread of a GPU begins with what others left, and has one for tree after tree: so do all trees here."""

    def left(lanes: Lanes) -> object:
        work = apart(1, lanes.work)
        work.view(np.uint8)[:] = 0xAB
        return lanes.make(work)

    monkeypatch.setattr(Cores, "cramped", True)
    monkeypatch.setattr(Lanes, "fresh", left)
    monkeypatch.setattr(devices, "usable_cores", lambda: 1)
    monkeypatch.setattr(devices, "CHUNKS", 1)
    states = positions(name, 3)
    assert same(playout.search_many(states, simulations=40, device="cpu", seed=3, compiled=False, **settings), range(3))


@pytest.mark.parametrize("name", ["tic-tac-toe", "kuhn-poker", "pig", "knockout-whist:players=2", "treasure"])
def test_each_tree_is_the_one_of_a_search_of_its_own(name: str) -> None:
    states = positions(name, 4)
    found = playout.search_many(states, simulations=60, device="cpu", seed=7, compiled=False)
    assert same(found, range(4))
    assert found.visits.shape == (4, found.game.actions)
    assert (found.simulations <= 60).all() and (found.simulations > 0).all()


@pytest.mark.parametrize("game, method", [("loss-3d", "widening"), ("polynomial:seed=3", "local"), ("loss-1d", "tables")])
def test_scratch_space_begins_as_that_of_a_search_of_its_own(game: str, method: str) -> None:
    """On a GPU it is filled there; what matters of it is the same to the last byte, and every tree has sequences of its own."""
    search = playout.Search(game, method=method, compiled=False, trees=1)
    forest, seeds, numbers = Forest(search, Cores(1), real=True), np.array([3, 3, 2**40]), np.array([0, 5, 1])
    rows = forest.scratch(search.settings, Plan(64, 64, 64), seeds, numbers)
    wanted = np.zeros((3, 1), rows.dtype)
    furnish(wanted[:, 0], search.game, search.settings, sequences(seeds, numbers))
    assert rows.tobytes() == wanted.tobytes() and len({row.tobytes() for row in rows}) == 3
    assert rows["prices"].all() and (method != "tables" or rows["matters"].any())


def test_roots_are_read_as_wide_as_they_are() -> None:
    """A game with 64 actions may have four at a root: no more is fetched, and what one wave knows goes beside what another does."""
    early, late = positions("othello", 2), [playout.load("othello").start()]
    for _ in range(12):
        late[0] = late[0].play(late[0].legal[-1])
    found = playout.search_many([*late, *early], simulations=30, device="cpu", compiled=False)
    most = max(len(state.legal) for state in [*late, *early])
    assert found._grown.edges.actions.shape == (3, most) and same(found, range(3))
    assert [(row >= 0).sum() for row in found._grown.edges.actions] == [len(state.legal) for state in [*late, *early]]


def test_settings_reach_the_trees() -> None:
    states = positions("tic-tac-toe", 3)
    for settings in ({"rule": "puct"}, {"rave": 100.0}, {"root_rule": "gumbel"}, {"final": "secure"}, {"transpositions": True}):
        found = playout.search_many(states, simulations=50, device="cpu", seed=2, compiled=False, **settings)
        assert same(found, range(3)), settings


def courses(name: str, count: int) -> list[playout.State]:
    """Positions of a game with real-valued actions: its start, and what a short search plays from there."""
    state = playout.load(name).start()
    found = [state]
    while len(found) < count:
        state = state.play(playout.search(state, simulations=8, trees=1, compiled=False).action)
        if state.over:
            state = found[0]
        found.append(state)
    return [state for state in found if state.mover >= 0]


def same_vectors(found: object, rows: range) -> bool:
    """Whether decisions on real vectors say what the arrays do: the same ones in the same order, to the last bit."""
    for at in rows:
        decision, visits = found.decision(at), found.visits[at]  # type: ignore[attr-defined]
        tried = visits > 0
        told = [(list(a.action), a.visits, a.mean) for a in decision.actions]
        rows_ = zip(found.tried[at][tried].tolist(), visits[tried].tolist(), found.means[at][tried].tolist())  # type: ignore[attr-defined]
        if told != [tuple(row) for row in rows_] or list(decision.action) != found.actions[at].tolist():  # type: ignore[attr-defined]
            return False
    return True


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("loss-1d", {}),
        ("loss-1d", {"method": "widening"}),
        ("loss-1d", {"method": "tables"}),
        ("loss-3d", {"method": "local"}),
        ("polynomial", {"method": "local-alone"}),
        ("pursuit", {}),
        ("stackelberg", {"last": "sample"}),
    ],
    ids=str,
)
def test_trees_of_real_vectors_are_those_of_searches_of_their_own(name: str, settings: dict[str, object]) -> None:
    states = courses(name, 3)
    found = playout.search_many(states, simulations=50, device="cpu", seed=7, compiled=False, threads=2, **settings)
    assert same_vectors(found, range(len(states)))
    assert found.actions.shape == (len(states), found.game.dimension) and found.values.shape == (len(states), found.game.players)
    assert (np.isnan(found.tried[:, :, 0]) == (found.visits == 0)).all() and (np.isnan(found.means) == (found.visits == 0)).all()


def test_real_vectors_in_waves_and_with_too_little_room_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees of several waves have tried different numbers of actions; those that were cut off grow again."""
    states = courses("loss-1d", 5)
    whole = playout.search_many(states, simulations=60, device="cpu", seed=3, compiled=False)
    monkeypatch.setattr(Cores, "room", lambda self: 400_000)
    monkeypatch.setattr(planner_forest, "MARGIN", 0.2)
    monkeypatch.setattr(planner_forest, "FIRST", 7)
    again = playout.search_many(states, simulations=60, device="cpu", seed=3, compiled=False)
    assert len({int((row > 0).sum()) for row in whole.visits}) > 1
    for name in ("visits", "means", "tried", "actions", "values"):
        assert np.array_equal(getattr(again, name), getattr(whole, name), equal_nan=name in ("means", "tried")), name
    table = whole.to_frame()
    assert list(table["action"][0]) == whole.actions[0].tolist() and table["visits"][0] == whole.decision(0).chosen.visits


def test_a_payoff_that_is_no_number_is_told_of_many_positions_too() -> None:
    def payoffs(actions, out):  # type: ignore[no-untyped-def]
        out[0] = np.inf * (actions[0, 0] - actions[0, 0])
        out[1] = 0.0

    game = playout.Game("broken", players=2, stages=2, dimension=1, bounds=(0.0, 1.0), payoffs=payoffs)
    with pytest.raises(GameError, match="payoffs"):
        playout.search_many([game.start()], simulations=20, device="cpu", compiled=False, method="widening")


@pytest.mark.compiles
def test_compiled_real_vectors_are_the_uncompiled_ones() -> None:
    states = courses("loss-1d", 4)
    found, again = (
        playout.search_many(states, simulations=60, device="cpu", seed=7, compiled=compiled, method="widening")
        for compiled in (True, False)
    )
    assert (
        (again.visits == found.visits).all() and (again.actions == found.actions).all() and (again.values == found.values).all()
    )


@pytest.mark.compiles
def test_compiled_and_uncompiled_are_the_same() -> None:
    states = positions("tic-tac-toe", 12)
    found = playout.search_many(states, simulations=150, device="cpu", seed=7)
    records = np.concatenate([s.copy_array() for s in states])
    again = playout.search_many(records, "tic-tac-toe", simulations=150, device="cpu", seed=7, compiled=False)
    assert (again.visits == found.visits).all() and (again.actions == found.actions).all()
    assert np.array_equal(again.means, found.means, equal_nan=True) and (again.values == found.values).all()


def test_waves_pieces_threads_and_room_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    states = positions("tic-tac-toe", 9)
    whole = playout.search_many(states, simulations=80, device="cpu", seed=3, compiled=False)
    monkeypatch.setattr(Cores, "room", lambda self: 100_000)
    monkeypatch.setattr(planner_forest, "PIECE_SECONDS", 0.0)
    monkeypatch.setattr(Forest, "plan", lambda *given: Plan(64, 4, 64))
    told = []
    cut = playout.search_many(
        states, simulations=80, device="cpu", seed=3, compiled=False, threads=1, watch=lambda done, of: told.append((done, of))
    )
    assert (cut.visits == whole.visits).all() and np.array_equal(cut.means, whole.means, equal_nan=True)
    assert told == sorted(told) and told[-1][0] == told[-1][1] == 9 * 80


def test_a_row_has_every_column_in_its_place() -> None:
    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def __getitem__(self, tree: object) -> str:
            return self.name

        def __len__(self) -> int:
            return 1

    class All:
        def __getattr__(self, name: str) -> object:
            return Named(name) if name not in ("states", "raw", "work", "learned") else name

    made = row(All(), 0, All())
    assert tuple(made) == Sim._fields
    assert tuple(tree_at(All(), 0)) == Tree._fields


def test_what_was_learned_reaches_the_trees() -> None:
    """A small network gives values and priors, each thread with room of its own to work in; on a GPU there is none."""
    from tests.learning.test_embedded import some_network

    network = some_network("tic-tac-toe")
    states = [network.game.start().replay(moves) for moves in ((), ("b2",), ("b2", "a1"), ("a1",))]
    found = playout.search_many(states, simulations=40, device="cpu", seed=2, compiled=False, value=network, threads=3)
    assert same(found, range(4))
    assert not (found.visits == playout.search_many(states, simulations=40, device="cpu", seed=2, compiled=False).visits).all()

    class Gpu(Cores):
        name = "cuda"

    with pytest.raises(PlayoutError, match="works in room of its own for every tree, which a GPU has not: use device=cpu"):
        Forest(playout.Search("tic-tac-toe", value=network, compiled=False), Gpu(1))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"states": []}, "states must be one state or more, or an array of the game's records"),
        ({"simulations": 0}, "simulations is 0; it must be at least 1"),
        ({"device": "gpu"}, "device is 'gpu'; choose auto, cpu or cuda"),
        ({"trees": 4}, "trees=4 is for one position; many positions have one tree each: leave trees out"),
        (
            {"early_stop": True},
            "many positions cannot be searched side by side here, since early_stop looks at one search at a time: leave early_stop out",
        ),
        (
            {"prove": 0.5},
            "many positions cannot be searched side by side here, since prove=0.5 solves one position at a time: leave prove out",
        ),
    ],
)
def test_what_cannot_be_done_is_said(given: dict[str, object], said: str) -> None:
    states = given.pop("states", [playout.load("tic-tac-toe").start()])
    with pytest.raises(PlayoutError) as error:
        playout.search_many(states, **given)  # type: ignore[arg-type]
    assert str(error.value) == said


def test_a_tree_for_every_world_is_refused_in_its_own_words() -> None:
    with pytest.raises(PlayoutError, match="since hidden=pimc grows a tree for every world: use hidden=ismcts"):
        playout.search_many([playout.load("kuhn-poker").start()], hidden="pimc", device="cpu", compiled=False)


def test_decisions_are_counted_from_the_end_too() -> None:
    found = playout.search_many(positions("tic-tac-toe", 3), simulations=30, device="cpu", seed=2, compiled=False)
    assert found.decision(-1).actions == found.decision(2).actions != found.decision(0).actions
    with pytest.raises(PlayoutError, match="there is no search -4: there are 3, counted from 0"):
        found.decision(-4)


def test_states_of_two_games_or_none_are_refused() -> None:
    one, two = playout.load("tic-tac-toe").start(), playout.load("nim").start()
    with pytest.raises(PlayoutError, match="states are of several games; search each game by itself"):
        playout.search_many([one, two])
    with pytest.raises(PlayoutError, match="states is an array, which does not tell its game; pass game="):
        playout.search_many(one.copy_array())
    with pytest.raises(PlayoutError, match="and the records of 'nim' are"):
        playout.search_many(one.copy_array(), "nim")
    with pytest.raises(
        PlayoutError, match="actions of 'polynomial' are real vectors: playout.search_many takes them, all else one"
    ):
        playout.search_wide("polynomial", trees=4, simulations=40, device="cpu")
    with pytest.raises(PlayoutError, match="actions of 'nim' have ids: visits and means have a column for each"):
        _ = playout.search_many([two], simulations=2, device="cpu", compiled=False).tried


def test_without_a_gpu_the_cores_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    from playout.compile import cuda

    monkeypatch.setattr(cuda, "why_not", lambda: "no CUDA device was found")
    assert device_named("auto").name == "cpu"
    with pytest.raises(PlayoutError) as error:
        device_named("cuda")
    assert str(error.value) == (
        "device=cuda cannot be used: no CUDA device was found; leave device out, or use device=cpu, which gives the same numbers"
    )


SIMULATED = """
import sys, playout, numpy as np
from playout.compile import gpu
gpu.BLOCK = 8
for name in sys.argv[1:]:
    start = playout.load(name).start(seed=1)
    found = playout.search_many([start] * 10, simulations=3, device="cuda", seed=3)
    alone = [playout.Search(name, trees=1, seed=3 + n, compiled=False).run(start, simulations=3) for n in (0, 7, 8, 9)]
    for n, decision in zip((0, 7, 8, 9), alone):
        assert np.array_equal(decision.action, found.actions[n]), (name, n)
        by = range(len(decision.actions)) if found.game.continuous else [a.action for a in decision.actions]
        assert all(found.visits[n, place] == a.visits for place, a in zip(by, decision.actions)), (name, n)
    print(name, found.device, int(found.simulations.sum()))
"""


def test_kernels_run_in_the_simulator_over_more_than_one_block() -> None:
    """Numba's simulator starts a thread of Python for every thread of a device; 10 trees are two blocks of 8, the second not full."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", SIMULATED, "nim", "kuhn-poker", "loss-1d"],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == ["nim cuda 30", "kuhn-poker cuda 30", "loss-1d cuda 30"]
