"""Budgets, clocks, threads, memory, kept trees, saved trees: what a user relies on while a search runs."""

import itertools
import json
import threading
import time

import numpy as np
import pytest

import playout
from playout import Budget, FileError, GameError, PlayoutError, Search, Settings
from playout.planner.store import VERSION
from tests.engine.trees import ROWS, dump, grown, same_bits


class Clock:
    """A clock that moves on by a fixed step whenever it is read."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"simulations": 0}, "simulations is 0; give a whole number from 1 to 2,000,000,000"),
        ({"seconds": 0}, "seconds is 0.0; give a number above 0"),
        ({"seconds": -1.5}, "seconds is -1.5; give a number above 0"),
        ({}, "the budget is empty, so the search would never end: give simulations, seconds, or both"),
        ({"memory": 10}, "the budget is empty, so the search would never end: give simulations, seconds, or both"),
        ({"simulations": 10, "memory": -1}, "memory is -1.0; give a number of megabytes above 0"),
        ({"simulation": 10}, "unknown option 'simulation'; did you mean 'simulations'?"),
        ({"simulations": "many"}, "option simulations='many' does not fit: Expected `int | null`, got `str`"),
    ],
)
def test_bad_budgets(limits, message):
    with pytest.raises(PlayoutError) as caught:
        Search(ROWS, compiled=False).run(**limits)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rule": "ucb"}, "rule is 'ucb'; did you mean 'ucb1' or 'puct'?"),
        ({"c": -1}, "c is -1.0; the exploration constant must be a finite number, 0 or more"),
        ({"discount": 0}, "discount is 0.0; it must be above 0 and at most 1"),
        ({"depth": 0}, "depth is 0; it must be at least 1, or left out for no limit"),
        ({"trees": 0}, "trees is 0; it must be from 1 to 1,048,576"),
        ({"seed": -1}, "seed is -1; it must be a whole number from 0 to 2**63 - 1"),
        (
            {"early_stop": True, "final": "mean"},
            "early_stop counts visits and cannot be used with final='mean'; use final='visits'",
        ),
        ({"colour": 1}, "unknown option 'colour'; "),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(PlayoutError) as caught:
        Search(ROWS, compiled=False, **settings)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"playout": "game"}, "playout=game needs the game's playout_action, which 'nim' does not define"),
        ({"cut": "evaluate"}, "cut=evaluate needs the game's evaluate, which 'nim' does not define"),
        ({"discount": 0.9}, "discount=0.9 and the solver do not go together"),
    ],
)
def test_options_that_the_game_cannot_serve(settings, message):
    with pytest.raises(PlayoutError, match=f"^{message}"):
        Search("nim", compiled=False, **settings)


def test_simulations_are_counted_exactly():
    assert grown(ROWS, 37, solver=False).trees[0].simulations == 37
    search = Search(ROWS, compiled=False, solver=False, trees=3)
    assert search.run(simulations=100).simulations == 100
    assert [tree.simulations for tree in search.trees] == [34, 33, 33]


def test_seconds_follow_the_injected_clock():
    search = Search(ROWS, compiled=False, solver=False, clock=Clock(0.125))
    decision = search.run(seconds=3)
    assert decision.stopped == "seconds"
    assert 3 <= decision.seconds < 5


def test_partial_decisions_lead_to_the_final_one():
    steps = list(Search(ROWS, compiled=False, solver=False, clock=Clock(0.01)).iterate(simulations=2000, every=0.02))
    assert len(steps) > 3
    assert [s.stopped for s in steps] == ["running"] * (len(steps) - 1) + ["simulations"]
    counts = [s.simulations for s in steps]
    assert counts == sorted(counts) and counts[-1] == 2000
    assert same_bits(grown(ROWS, 2000, solver=False), _with(Search(ROWS, compiled=False, solver=False), steps[-1]))


def _with(search, decision):
    search.trees = list(decision.trees)
    return search


def test_the_trace_grows_with_the_search():
    decision = grown("tic-tac-toe", 500, solver=False).run(simulations=300)
    simulations = [point.simulations for point in decision.trace]
    assert simulations == sorted(set(simulations)) and simulations[-1] == 300
    assert len(decision.trace[-1].visits) == 9


def test_chunks_do_not_matter():
    whole = grown(ROWS, 600, seed=4)
    parts = Search(ROWS, compiled=False, seed=4)
    state = parts.game.start(1)
    for size in (1, 99, 250, 250):
        parts.run(state, simulations=size)
    assert same_bits(whole, parts)


@pytest.mark.compiles
def test_threads_change_nothing():
    one = Search("tic-tac-toe", trees=4, threads=1, seed=3, solver=False)
    two = Search("tic-tac-toe", trees=4, threads=2, seed=3, solver=False)
    first, second = one.run(simulations=20_001), two.run(simulations=20_001)
    assert same_bits(one, two)
    assert first.actions == second.actions
    assert first.simulations == 20_001
    trees = {dump_text(tree) for tree in one.trees}
    assert len(trees) == 4, "every tree has a stream of its own"
    assert sum(a.visits for a in first.actions) == 20_001


def dump_text(tree):
    return json.dumps(dump(tree, depth=2))


def test_same_seed_same_bits_other_seed_other_tree():
    assert same_bits(grown(ROWS, 300, seed=8), grown(ROWS, 300, seed=8))
    assert dump(grown(ROWS, 300, seed=8).trees[0]) != dump(grown(ROWS, 300, seed=9).trees[0])


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("changes", [{}, {"transpositions": True}, {"rule": "puct"}])
def test_memory_cap_degrades_and_never_crashes(changes, compiled):
    search = Search("tic-tac-toe", compiled=compiled, **{"solver": False, **changes})
    decision = search.run(simulations=1500, memory=0.08)
    assert decision.full and decision.simulations == 1500
    assert decision.nodes <= len(search.trees[0].tree.nodes)
    assert search.trees[0].bytes < 0.2e6
    assert "memory full" in decision.summary()


def test_more_memory_lets_a_full_tree_grow_again():
    search = Search("tic-tac-toe", compiled=False, solver=False, transpositions=True)
    small = search.run(simulations=1500, memory=0.1)
    larger = search.run(simulations=1500, memory=100)
    assert small.full and not larger.full and larger.nodes > small.nodes


def test_chance_with_little_memory():
    decision = Search("pig:target=20", compiled=False).run(simulations=3000, memory=0.08)
    assert decision.full and decision.simulations == 3000


def test_early_stop_gives_the_same_choice_sooner():
    # One number is left to take or two: the choice is soon clear.
    full = grown("nim:heaps=7", 3000, solver=False, c=0.3).run(simulations=1)
    early = Search("nim:heaps=7", compiled=False, solver=False, c=0.3, early_stop=True).run(
        playout.load("nim:heaps=7").start(1), simulations=3000
    )
    assert early.stopped == "certain" and early.simulations < 3000
    assert early.action == full.action


@pytest.mark.parametrize("limits", [{"seconds": 600}, {"simulations": 10_000_000}], ids=["seconds", "simulations"])
@pytest.mark.parametrize("trees", [1, 2])
def test_another_thread_can_end_it(limits, trees):
    """The best so far counts; and the next run of the same search is whole."""
    search = Search(ROWS, compiled=False, seed=1, trees=trees, solver=False)
    found = []
    # One that is left behind where it cannot be ended, so that the test fails and does not hang.
    thread = threading.Thread(target=lambda: found.append(search.run(**limits)), daemon=True)
    thread.start()
    while not (search.trees and search.trees[0].simulations):
        time.sleep(0.001)
    search.interrupt()
    thread.join(20)
    assert found, "it went on"
    (decision,) = found
    assert decision.stopped == "interrupted" and 0 < decision.simulations < 10_000_000
    assert search.run(simulations=50).stopped == "simulations"


def test_an_interrupt_returns_the_best_so_far(monkeypatch):
    search = Search(ROWS, compiled=False, solver=False)
    state = search.game.start()
    search.run(state, simulations=5)
    original, calls = search.trees[0].run, itertools.count()

    def run(count, most_bytes, *more):
        if next(calls) == 3:
            raise KeyboardInterrupt
        return original(count, most_bytes)

    monkeypatch.setattr(search.trees[0], "run", run)
    decision = search.run(state, seconds=60)
    assert decision.stopped == "interrupted" and decision.simulations > 0


def test_nothing_to_search():
    game = playout.load("nim:heaps=1")
    over = game.start().play(0)
    with pytest.raises(PlayoutError, match="^the game of nim is over in this state: there is nothing to decide$"):
        Search(game, compiled=False).run(over, simulations=10)
    with pytest.raises(PlayoutError, match="^nothing was searched yet"):
        Search(game, compiled=False).play(0)
    with pytest.raises(PlayoutError, match="^the state is of nim:heaps=1, the search of pig"):
        Search("pig", compiled=False).run(game.start(), simulations=10)


def subtree(tree, position, depth=4):
    return dump(tree, position, depth)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("changes", [{}, {"transpositions": True}, {"rule": "puct"}, {"solver": True}])
def test_the_subtree_is_kept_after_a_move(changes, compiled):
    search = grown("connect-four:columns=5,rows=4", 600, compiled, **{"solver": False, **changes})
    tree = search.trees[0]
    decision = search.run(simulations=1)
    after = decision.state.play(decision.action)
    edge = tree.edge(0, decision.action)
    below = tree.below(edge, after)
    expected, visits, used = subtree(tree, below), int(tree.tree.nodes[below]["visits"]), tree.used
    state = search.play(decision.action)
    assert state == after and search.state == after
    assert subtree(tree, 0) == expected
    assert int(tree.tree.nodes[0]["visits"]) == visits and tree.used < used
    again = search.run(simulations=300)
    assert again.parent_visits >= visits
    assert again.mover == 1


def test_kept_chance_outcomes_are_found_again():
    search = Search("pig:target=20", compiled=False, seed=2)
    search.run(simulations=3000)
    for _ in range(4):
        decision = search.run(simulations=200)
        state = search.play(decision.action)
        if state.over:
            break
        kept = int(search.trees[0].tree.nodes[0]["visits"])
        assert kept > 0
        assert search.run(simulations=50).parent_visits == kept + 50


def test_an_unseen_position_starts_a_new_tree():
    search = grown(ROWS, 2, solver=False)
    search.run(simulations=1)
    state = search.play(2)
    search.play(state.legal[-1])
    assert search.run(simulations=5).parent_visits == 5


@pytest.mark.parametrize("game", [ROWS, ROWS + ":dice=1", "treasure"])
@pytest.mark.parametrize("changes", [{}, {"transpositions": True}, {"rule": "puct"}])
def test_trees_are_saved_and_loaded(game, changes, tmp_path):
    search = grown(game, 200, solver=False, **changes)
    file = search.save(tmp_path / "tree.npz")
    loaded = Search.load(file, compiled=False)
    assert same_bits(search, loaded)
    assert loaded.settings == search.settings and loaded.state == search.state
    search.run(simulations=200)
    loaded.run(simulations=200)
    assert same_bits(search, loaded)
    assert [p.name for p in tmp_path.iterdir()] == ["tree.npz"]


def test_a_damaged_tree_file_gets_a_sentence(tmp_path):
    file = grown(ROWS, 100).save(tmp_path / "tree.npz")
    whole = file.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(FileError, match=r"^tree file '.*tree.npz' is damaged or cut short \(\w+\); save it again$"):
            Search.load(file, compiled=False)
    with pytest.raises(FileError, match="does not exist; save one with Search.save"):
        Search.load(tmp_path / "none.npz", compiled=False)
    np.savez(
        tmp_path / "other.npz",
        meta=np.frombuffer(b'{"format": "other"}', np.uint8),
        head=[1],
        nodes=[1],
        values=[1],
        priors=[1],
        table=[1],
    )
    with pytest.raises(FileError, match="is not a tree file"):
        Search.load(tmp_path / "other.npz", compiled=False)


def test_a_tree_file_with_impossible_indices_is_refused(tmp_path):
    file = grown(ROWS, 100).save(tmp_path / "tree.npz")
    with np.load(file) as archive:
        arrays = dict(archive)
    arrays["nodes-0"] = arrays["nodes-0"].copy()
    arrays["nodes-0"]["first"][0] = 1 << 30
    np.savez(file, **arrays)
    with pytest.raises(FileError, match="is damaged: a slot of it points outside; save it again"):
        Search.load(file, compiled=False)


def test_a_tree_of_another_game_or_version_is_refused(tmp_path):
    file = grown("nim:heaps=3", 10, solver=False).save(tmp_path / "tree.npz")
    with pytest.raises(FileError, match="is of game 'nim:heaps=3', not of 'pig'; load that game instead"):
        Search.load(file, "pig", compiled=False)
    with np.load(file) as archive:
        arrays = dict(archive)
    arrays["meta"] = np.frombuffer(arrays["meta"].tobytes().replace(b'"version": %d' % VERSION, b'"version": 9'), np.uint8)
    np.savez(file, **arrays)
    with pytest.raises(FileError, match=f"has version 9, this playout reads {VERSION}; search again"):
        Search.load(file, compiled=False)


BROKEN = """
import numpy as np
players = 2
actions = 4
returns_range = (-1, 1)
State = np.dtype([("moves", np.int8)])
def start(state, rng):
    pass
def legal(state, out):
    {legal}
def play(state, action, rng):
    state.moves += {step}
def mover(state):
    return {mover}
def returns(state, out):
    out[0] = {value}
    out[1] = 0.0
"""
FINE = {
    "legal": "out[0] = 1\n    return 1",
    "step": "1",
    "mover": "-1 if state.moves >= 3 else state.moves % 2",
    "value": "1.0",
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": "float('nan')"}, r"returns \(or evaluate\) gave \[nan, 0.0\], which is not a finite number for every player"),
        (
            {"legal": "out[0] = 1\n    return 0 if state.moves > 0 else 1"},
            "legal found no action though mover says that the game goes on",
        ),
        (
            {
                "legal": "count = 8 if state.moves > 0 else 1\n    for i in range(count):\n        out[i] = i % 4\n    return count"
            },
            r"legal \(or safe\) returned more than the 4 that most_legal allows",
        ),
        (
            {"legal": "out[0] = 9 if state.moves > 0 else 1\n    return 1"},
            "legal, pick, playout_action, wins or safe gave an id that is not from 0 to 3",
        ),
        ({"mover": "-1 if state.moves >= 3 else 5"}, "mover named a player beyond the 2"),
        ({"step": "0"}, "a playout did not end within 1,000 actions; see that the game ends, or pass cutoff"),
    ],
)
def test_a_game_that_misbehaves_gets_a_sentence(change, message, tmp_path, monkeypatch):
    from playout.engine import layout, leaf

    # The limit is a global of the text itself, so uncompiled it can be lowered here.
    monkeypatch.setattr(leaf, "LONGEST_PLAYOUT", 1000)
    monkeypatch.setattr(layout, "LONGEST_PLAYOUT", 1000)
    file = tmp_path / "broken.py"
    file.write_text(BROKEN.format(**{**FINE, **change}))
    with pytest.raises(GameError, match=message):
        Search(str(file), compiled=False).run(simulations=50)


def test_a_prior_that_is_no_number_gets_a_sentence(tmp_path):
    file = tmp_path / "broken.py"
    prior = "def prior(state, legal, count, out):\n    out[0] = 1.0 if state.moves < 2 else float('nan')"
    file.write_text(BROKEN.format(**FINE) + prior)
    with pytest.raises(
        GameError, match=r"prior gave a weight that is not a finite number; look for a division by zero \(state: .*moves=2"
    ):
        Search(str(file), rule="puct", compiled=False).run(simulations=50)


def test_settings_and_budget_are_typed_and_immutable():
    with pytest.raises(AttributeError):
        Settings().c = 2.0
    assert Budget(simulations=5) == Budget(simulations=5)


@pytest.mark.parametrize(("discount", "first"), [(1.0, 1.0), (0.5, 2.0), (0.25, 2.5)])
def test_a_discounted_reward_by_hand(discount, first):
    """The row is 3, 2. Taking the 3 leaves the 2 to the other: 3 - discount * 2. Taking both gains 5 at once."""
    game = playout.load(ROWS, length=2)
    for depth in (1, 5):
        search = Search(game, compiled=False, solver=False, discount=discount, rule="equal", depth=depth, playout="uniform")
        decision = search.run(game.start(), simulations=40)
        assert decision[0].mean == pytest.approx(first, abs=1e-12)
        assert decision[1].mean == pytest.approx(5.0, abs=1e-12)


def test_an_edited_game_does_not_believe_its_old_tree(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(BROKEN.format(**FINE))
    saved = grown(str(file), 20).save(tmp_path / "tree.npz")
    assert Search.load(saved, compiled=False).trees
    file.write_text(BROKEN.format(**{**FINE, "value": "2.0"}))
    with pytest.raises(
        FileError, match=r"^the rules of '.*mine.py' have changed since tree file '.*tree.npz' was saved; search again$"
    ):
        Search.load(saved, compiled=False)


def test_a_state_that_the_action_does_not_lead_to_starts_a_new_tree():
    search = grown("connect-four:columns=5,rows=4", 300, solver=False)
    elsewhere = search.state.play("a")
    search.follow(2, elsewhere)
    assert search.state == elsewhere
    assert search.run(simulations=10).parent_visits == 10


def test_blocking_proves_nothing_with_three_players():
    with pytest.raises(
        PlayoutError, match=r"^decisive=block drops actions by an argument that holds for two players, and 'treasure' has 3"
    ):
        Search("treasure", compiled=False, decisive="block")
    Search("treasure", compiled=False, decisive="block", solver=False)


LOOP = """
import numpy as np
players = 1
actions = 1
State = np.dtype([("moves", np.int16)])
def start(state, rng):
    pass
def legal(state, out):
    out[0] = 0
    return 1
def play(state, action, rng):
    state.moves += 1
def mover(state):
    return -1 if state.moves == 6000 else 0
def returns(state, out):
    out[0] = 1.0
def key(state):
    return state.moves % 2
"""


def test_a_path_that_goes_round_in_circles_ends(tmp_path):
    """The key forgets how often round, so the tree has a cycle that is longer than any path may be."""
    file = tmp_path / "loop.py"
    file.write_text(LOOP)
    decision = Search(str(file), compiled=False, transpositions=True, solver=False).run(simulations=4)
    assert decision.simulations == 4 and decision.deepest < 4096
