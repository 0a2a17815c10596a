"""Every option has a golden tree, stored as data, and it differs from the default's: an option that changes nothing is a defect.

PLAYOUT_GOLDEN=write pytest tests/engine/test_golden.py stores what the search gives now; look at the difference before committing.
"""

import json
import os
from pathlib import Path

import pytest

from tests.engine.trees import ROWS, dump, grown, same_bits

FILE = Path(__file__).with_name("golden") / "trees.json"
BASE = {"seed": 5, "solver": False, "decisive_playouts": "off"}

OPTIONS = {
    "default": {},
    "seed": {"seed": 6},
    "c": {"c": 0.2},
    "raw": {"scale": "raw"},
    "tuned": {"rule": "ucb1-tuned"},
    "puct": {"rule": "puct"},
    "puct-first": {"rule": "puct", "fpu": "first"},
    "equal": {"rule": "equal"},
    "root-equal": {"root_rule": "equal"},
    "regret-matching": {"rule": "regret-matching"},
    "root-regret-matching": {"root_rule": "regret-matching", "mixing": 0.3, "solver": True},
    "smooth": {"smooth": True},
    "root-halving": {"root_rule": "halving"},
    "root-gumbel": {"root_rule": "gumbel"},
    "rave": {"rave": 30.0},
    "grave": {"grave": 20},
    "grave-puct": {"grave": 20, "rule": "puct", "solver": True},
    "bias": {"bias": 5.0},
    "implicit": {"implicit": 0.4},
    "implicit-bias-rave": {"implicit": 0.2, "bias": 2.0, "rave": 30.0, "solver": True, "transpositions": True},
    "fpu-number": {"fpu": 0.6},
    "fpu-parent": {"fpu": "parent"},
    "solver": {"solver": True},
    "one-depth": {"depth": 1},
    "depth-2": {"depth": 2},
    "uniform-playout": {"playout": "uniform"},
    "mast": {"playout": "mast"},
    "ngram": {"playout": "ngram", "epsilon": 0.1},
    "mast-decisive-rave": {"playout": "mast", "decisive_playouts": "block", "rave": 30.0, "solver": True},
    "playouts": {"playouts": 3},
    "cutoff-evaluate": {"cutoff": 1},
    "cutoff-returns": {"cutoff": 1, "cut": "returns"},
    "cutoff-0": {"cutoff": 0},
    "transpositions": {"transpositions": True},
    "graph": {"graph": True},
    "solver-graph": {"solver": True, "graph": True},
    "discount": {"discount": 0.8},
    "solver-transpositions": {"solver": True, "transpositions": True},
    "solver-puct": {"solver": True, "rule": "puct"},
    "score-bounds": {"solver": True, "score_bounds": True},
}
WINNING = {
    "default": {},
    "decisive-win": {"decisive": "win"},
    "decisive-block": {"decisive": "block"},
    "decisive-playouts-win": {"decisive_playouts": "win"},
    "decisive-playouts-block": {"decisive_playouts": "block"},
    "solver": {"solver": True},
    "proof-weight": {"solver": True, "proof_weight": 0.5},
    "block-solver": {"solver": True, "decisive": "block", "decisive_playouts": "win"},
}
DICE = {"default": {}, "transpositions": {"transpositions": True}, "widened": {"observation_width": 1.0}}
HIDDEN = {
    "default": {},
    "mo-ismcts": {"hidden": "mo-ismcts"},
    "regret-matching": {"rule": "regret-matching"},
    "mo-regret-matching": {"hidden": "mo-ismcts", "rule": "regret-matching"},
    "mo-smooth": {"hidden": "mo-ismcts", "smooth": True},
}
REAL = {
    "default": {},
    "widening": {"method": "widening"},
    "local": {"method": "local"},
    "mean": {"method": "widening", "backup": "mean"},
}
CASES = [("rows", name, changes) for name, changes in OPTIONS.items()] + [
    ("connect", name, changes) for name, changes in WINNING.items()
]
CASES += [("dice", name, changes) for name, changes in DICE.items()]
CASES += [("kuhn", name, changes) for name, changes in HIDDEN.items()]
CASES += [("loss", name, changes) for name, changes in REAL.items()]


def grow(game, changes, compiled=False):
    settings = {**BASE, **changes}
    if game == "rows":
        return grown(ROWS, 60, compiled, **settings)
    if game == "dice":
        return grown(ROWS + ":dice=1", 60, compiled, **settings)
    if game == "kuhn":
        return grown("kuhn-poker", 60, compiled, **settings)
    if game == "loss":
        return grown("loss-1d", 30, compiled, **settings)
    # Player 0 threatens three in a row below; player 1 must answer.
    return grown("connect-four:columns=5,rows=4", 60, compiled, moves=("b", "a", "c", "a"), **settings)


def stored():
    return json.loads(FILE.read_text())


@pytest.mark.parametrize(("game", "name", "changes"), CASES, ids=[f"{game}-{name}" for game, name, _ in CASES])
def test_golden_tree(game, name, changes):
    tree = dump(grow(game, changes).trees[0])
    label = f"{game}-{name}"
    if os.environ.get("PLAYOUT_GOLDEN") == "write":
        data = stored() if FILE.exists() else {}
        data[label] = tree
        FILE.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(data.items())) + "\n}\n")
    assert stored()[label] == tree


def test_every_option_differs_from_the_default():
    data = stored()
    for game, name, _ in CASES:
        if name != "default":
            assert data[f"{game}-{name}"] != data[f"{game}-default"], f"{game}-{name} changes nothing"


def test_the_golden_file_holds_these_cases_and_no_others():
    assert set(stored()) == {f"{game}-{name}" for game, name, _ in CASES}


# Two features that a search may ask for at once, each of which alone would be compiled for one test: both are in one kernel here.
TOGETHER = {"solver": True, "score_bounds": True, "proof_weight": 0.5}
# Worlds together with what few searches ask for are a kernel of their own, which is dear to compile; its parts are in the others.
DEAR = {("kuhn", case[1]) for case in CASES if case[1].endswith(("matching", "smooth"))}
COMPILED = [case for case in CASES if case[:2] not in DEAR and not TOGETHER.keys() & (case[2].keys() - {"solver"})] + [
    ("connect", "score-bounds-proof-weight", TOGETHER),
    ("connect", "score-bounds-block", {**TOGETHER, "proof_weight": 0.1, "decisive": "block"}),
]


@pytest.mark.compiles
@pytest.mark.parametrize(("game", "name", "changes"), COMPILED, ids=[f"{game}-{name}" for game, name, _ in COMPILED])
def test_compiled_grows_the_same_tree(game, name, changes):
    assert same_bits(grow(game, changes), grow(game, changes, compiled=True))
