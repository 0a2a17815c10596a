"""The engine's signature: what every planner's trees hold, against what was stored.

PLAYOUT_GOLDEN=write pytest tests/bench/test_signature.py stores what they hold now; a change says which cases it altered, and why.
"""

import json
import os
from pathlib import Path

import pytest

from playout.bench.signature import PLANNERS, Case, hash_of, hashes, signature

FILE = Path(__file__).with_name("signature.json")
CASES = [(planner, case) for planner, cases in PLANNERS.items() for case in cases]


def stored():
    return json.loads(FILE.read_text()) if FILE.exists() else {}


@pytest.mark.parametrize("planner", PLANNERS)
def test_nothing_has_changed(planner):
    found = dict(hashes(planner))
    if os.environ.get("PLAYOUT_GOLDEN") == "write":
        FILE.write_text(json.dumps({**stored(), planner: found}, indent=1, sort_keys=True) + "\n")
    assert found == stored()[planner]


def test_every_case_is_a_search_of_its_own():
    known = [value for planner in PLANNERS for value in stored()[planner].values()]
    assert len(set(known)) == len(known) == len(CASES)


def test_a_hash_sees_one_visit_more_and_a_signature_one_hash():
    case = Case("tic", "tic-tac-toe", 40, {})
    assert hash_of(case) == hash_of(case) != hash_of(case._replace(simulations=41))
    assert signature({"a": "1", "b": "2"}) == signature({"b": "2", "a": "1"}) != signature({"a": "1", "b": "3"})
