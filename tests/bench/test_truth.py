"""The truth set: its files say what the rules and plain recursion say, and the solvers beside it give known answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import playout

FOLDER = Path(__file__).parents[2] / "bench"
FILES = sorted((FOLDER / "truth").glob("*.json"))


@pytest.fixture(scope="module")
def truth() -> Any:
    sys.path.insert(0, str(FOLDER))
    try:
        import truth

        return truth
    finally:
        sys.path.remove(str(FOLDER))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_has_positions_with_a_choice(file: Path, truth: Any) -> None:
    told = json.loads(file.read_text())
    game, positions = playout.load(told["game"]), told["positions"]
    assert 30 <= len(positions) <= 120 and file.stat().st_size < 20_000
    for each in positions[::7]:
        state = truth.after(game, each)
        assert sorted(each["values"], key=int) == [str(action) for action in sorted(state.legal)]
        assert len(set(each["values"].values())) > 1


def plain(state: playout.State, known: dict[bytes, tuple[float, ...]]) -> tuple[float, ...]:
    """Minimax as it stands in any book."""
    if state.over:
        return state.returns
    if bytes(state) not in known:
        after = (plain(state.play(action), known) for action in state.legal)
        known[bytes(state)] = max(after, key=lambda returns: returns[state.mover])
    return known[bytes(state)]


@pytest.mark.parametrize("name", ["othello6", "kalah"])
def test_late_positions_by_plain_recursion(name: str, truth: Any) -> None:
    told = json.loads((FOLDER / "truth" / f"{name}.json").read_text())
    game = playout.load(told["game"])
    late = [each for each in told["positions"] if left(truth.after(game, each)) <= 7][:3]
    assert late
    for each in late:
        state = truth.after(game, each)
        assert {str(action): plain(state.play(action), {})[state.mover] for action in state.legal} == each["values"]


def left(state: playout.State) -> int:
    """Empty squares, or seeds in the houses: what a plain recursion has to get through."""
    if state.game.name == "othello":
        return 36 - sum(int(word).bit_count() for word in state.fields.discs)
    return int(sum(state.fields.pits)) - int(state.fields.pits[6]) - int(state.fields.pits[13])


def test_pig_by_value_iteration(truth: Any) -> None:
    exact = truth.truth_exact
    # To 2 points everything but a 1 wins: p = 5/6 + (1 - p) / 6.
    assert exact.pig_chances(2)[0][0][0] == pytest.approx(6 / 7, abs=1e-9)
    chances = exact.pig_chances(12)
    assert (
        chances[3][5][4] == pytest.approx(max(exact.pig_values(chances, 3, 5, 4)), abs=1e-9)
        and chances[11][0][0] > chances[0][11][0]
    )
    told = json.loads((FOLDER / "truth" / "pig.json").read_text())
    # With 20 in the turn and both far from the target everybody holds; who is as good as beaten rolls on.
    for each in told["positions"]:
        state, values = each["state"], each["values"]
        mine, other = state["banked"][state["mover"]], state["banked"][1 - state["mover"]]
        if state["turn"] >= 30 and max(mine, other) < 40:
            assert values["1"] > values["0"]
        if other > 90 and mine + state["turn"] < 70:
            assert values["0"] > values["1"]


def test_three_players_by_backward_induction(truth: Any) -> None:
    induction = truth.truth_exact.Induction()
    assert induction.outcomes(playout.load("treasure").start()) == {(29.0, 31.0, 18.0)}
    assert induction.values(playout.load("treasure:coins=5-1-9").start()) == {"0": 5.0, "1": 9.0}
    # By hand: the first pirate gets 3 either way, and who gets the other 3 rests on that.
    tied = playout.load("treasure:coins=2-1-3-2").start()
    assert induction.outcomes(tied) == {(3.0, 2.0, 3.0), (3.0, 3.0, 2.0)} and induction.values(tied) == {"0": 3.0, "1": 3.0}


def test_pig_counts_what_every_decision_gives_away(truth: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    import pig

    chances = truth.truth_exact.pig_chances(40)
    costs = {words: pig.given_away(words, 0.01, 12, 1, chances) for words in ("random", "rule")}
    assert all(0 <= cost < 1 for each in costs.values() for cost in each)
    assert sum(costs["rule"]) / 12 < 0.05 < sum(costs["random"]) / 12
