"""The tables of the engine: a new rule is one entry, a new column one line, and everything else follows."""

import importlib
from math import log, sqrt

import numpy as np
import pytest

import playout
from playout import Search, Settings
from playout.engine import layout, rules
from playout.engine.layout import Column
from playout.errors import PlayoutError
from tests.engine.trees import ROWS, dump, grown


def ucb_v(c, parent, log_parent, visits, variance, span, prior):
    """UCB-V (Audibert, Munos, Szepesvári 2009), as docs/engine.md has it."""
    if visits == 0:
        return 0.0
    return c * sqrt(2.0 * variance * log_parent / visits) + 3.0 * span * log_parent / visits


@pytest.fixture
def with_ucb_v(monkeypatch):
    """The table with one entry more; the modules that read it are loaded anew, as they are when the file was edited."""
    table = (*rules.RULES, rules.Rule("ucb-v", ucb_v))
    monkeypatch.setattr(rules, "RULES", table)
    monkeypatch.setattr(rules, "NAMES", tuple(rule.name for rule in table))
    monkeypatch.setattr(rules, "bonus_of", rules._from(0))
    for name in ("engine.select", "planner.settings", "planner.options"):
        module = importlib.import_module(f"playout.{name}")
        for word in ("NAMES", "bonus_of"):
            if hasattr(module, word):
                monkeypatch.setattr(module, word, getattr(rules, word))


def test_a_new_rule_is_one_entry(with_ucb_v):
    # Games are bound once, so this one must be new.
    game = playout.Game("again", vars_of(ROWS))
    search = Search(game, rule="ucb-v", c=0.7, seed=5, solver=False, compiled=False)
    decision = search.run(game.start(1), simulations=60)
    assert decision.settings.rule == "ucb-v"
    assert dump(search.trees[0]) != dump(grown(ROWS, 60, rule="ucb1", c=0.7, seed=5, solver=False).trees[0])
    low, high = search.trees[0].range_of(decision.mover)
    for a in decision.actions:
        block = search.trees[0].block()
        (place,) = np.flatnonzero(block.actions == a.action)
        variance = block.squares[place] / a.visits - a.mean**2
        bonus = 0.7 * sqrt(2 * variance / (high - low) ** 2 * log(60) / a.visits) + 3 * log(60) / a.visits
        assert a.explore == pytest.approx(bonus) and a.weight == pytest.approx(a.exploit + bonus)


def test_names_and_numbers_come_from_the_table(with_ucb_v):
    assert Settings(rule="ucb-v").rule == "ucb-v" and Settings(root_rule="ucb-v").at_root == "ucb-v"
    with pytest.raises(PlayoutError, match="rule is 'ucbv'; did you mean 'ucb-v'"):
        Settings(rule="ucbv")


def vars_of(file):
    loaded = playout.load(file)
    return {**loaded.functions, "players": 2, "actions": 3, "State": loaded.dtype, "returns_range": loaded.returns_range}


def test_a_rule_of_its_own_at_the_root():
    search = grown(ROWS, 60, root_rule="equal", seed=5, solver=False)
    visits = [a.visits for a in search.run(simulations=3).actions]
    assert visits == [21, 21, 21]
    below = search.trees[0].block(int(search.trees[0].edges(0)[0])).visits
    assert max(below) > min(below) + 2, "below the root it is ucb1"
    decision = search.run(simulations=3)
    assert all(a.explore is None for a in decision.actions)
    # Equal visits tell nothing, so means decide.
    assert decision.settings.final == "mean" and decision.chosen.mean == max(a.mean for a in decision.actions)


def test_a_new_column_is_one_line(monkeypatch, tmp_path):
    """Allocated, grown, in the bundle, saved and loaded, moved with the root, counted in the bytes of a slot."""
    extra = Column("hopes", "", lambda game: (np.float64, (game.players,)), row=True)
    columns = (*layout.COLUMNS, extra)
    monkeypatch.setattr(layout, "COLUMNS", columns)
    fields = ("head", *(column.name for column in columns), "table", "habits")
    for name, more in (("Tree", ()), ("Sim", ("options", "states", "raw", "work", "learned"))):
        monkeypatch.setattr(layout, name, layout.namedtuple(name, (*fields, *more)))
    move = importlib.import_module("playout.engine.move_root")
    store = importlib.import_module("playout.planner.store")
    monkeypatch.setattr(importlib.import_module("playout.planner.tree"), "Sim", layout.Sim)
    monkeypatch.setattr(move, "Tree", layout.Tree)
    monkeypatch.setattr(move, "copy_slot", move._copier(tuple(c for c in columns if c.shared_by == 1)))
    monkeypatch.setattr(store, "SAVED", tuple(c.name for c in columns if c.saved))
    monkeypatch.setattr(store, "COLUMNS", ("head", *store.SAVED, "table", "habits"))

    game = playout.Game("columns", vars_of(ROWS))
    search = Search(game, seed=5, solver=False, compiled=False)
    search.run(game.start(1), simulations=400)
    tree = search.trees[0]
    assert tree.sim.hopes is tree.tree.hopes and tree.tree.hopes.shape == (len(tree.tree.nodes), 2)
    assert tree.slot_bytes == 40 + 16
    tree.tree.hopes[:] = np.arange(len(tree.tree.hopes))[:, None]
    saved = store.columns_of(tree)["hopes"]
    assert saved.shape == (tree.used, 2)
    action = int(tree.action_of(tree.edges(0)[0]))
    below = [int(s) for s in tree.edges(tree.edges(0)[0])]
    search.play(action)
    assert [float(v) for v in search.trees[0].tree.hopes[search.trees[0].edges(0)][:, 0]] == below
