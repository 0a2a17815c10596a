"""MCCFR and CFR+: equilibria of games whose answers are known, the same bits for the same seed."""

from __future__ import annotations

import hashlib

import pytest

from playout import PlayoutError
from playout.truth import METHODS, Solver, equilibrium, exploitability, game_tree, improve, uniform
from tests.truth import games

KUHN = game_tree("kuhn-poker")
LEDUC = game_tree("leduc-poker")


@pytest.mark.compiles
@pytest.mark.parametrize("method, iterations", [("external", 100_000), ("outcome", 500_000), ("cfr+", 1000)])
def test_kuhn_poker(method: str, iterations: int) -> None:
    found = equilibrium(KUHN, method, iterations=iterations, seed=1)
    assert found.exploitability < 0.005 and found.value == pytest.approx(-1 / 18, abs=0.002)
    assert found.iterations == iterations and found.seconds > 0


@pytest.mark.compiles
def test_leduc_poker_by_external_sampling() -> None:
    found = equilibrium(LEDUC, "external", iterations=500_000, seed=1)
    assert found.exploitability < 0.05 and found.value == pytest.approx(-0.0856, abs=0.01)


@pytest.mark.compiles
def test_leduc_poker_by_outcome_sampling_comes_nearer() -> None:
    near = equilibrium(LEDUC, "outcome", iterations=2_000_000, seed=1).exploitability
    assert near < 0.2 < exploitability(LEDUC, uniform(LEDUC))  # below 0.05 after 8 million: bench/exploitability.py


@pytest.mark.compiles
def test_leduc_poker_exactly() -> None:
    found = equilibrium(LEDUC, "cfr+", iterations=500)
    assert found.exploitability < 0.001 and found.value == pytest.approx(-0.0856, abs=1e-4)


@pytest.mark.compiles
@pytest.mark.parametrize("method", METHODS)
def test_rock_paper_scissors(method: str) -> None:
    tree = game_tree(games.ROCK)
    assert equilibrium(tree, method, iterations=50_000).policy.vector == pytest.approx(1 / 3, abs=0.03)


@pytest.mark.compiles
@pytest.mark.parametrize("method", METHODS)
def test_perfect_information(method: str) -> None:
    assert equilibrium(game_tree("nim:heaps=1-2-2"), method, iterations=20_000).exploitability < 0.02


@pytest.mark.compiles
@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_bits(method: str) -> None:
    one, two = Solver(KUHN, method, seed=5), Solver(KUHN, method, seed=5)
    one.run(300)
    for _ in range(3):
        two.run(100)
    assert one.policy.vector.tobytes() == two.policy.vector.tobytes() and one.iterations == two.iterations
    if method != "cfr+":
        assert one.policy.vector.tobytes() != equilibrium(KUHN, method, iterations=300, seed=6).policy.vector.tobytes()


@pytest.mark.compiles
@pytest.mark.parametrize(
    "method, golden", [("external", "6723ea330bf1f8a2"), ("outcome", "0e96156da2301812"), ("cfr+", "0d9415ee9a891d41")]
)
def test_the_bits_of_today(method: str, golden: str) -> None:
    found = equilibrium(LEDUC, method, iterations=1000, seed=5).policy.vector
    assert hashlib.sha256(found.tobytes()).hexdigest()[:16] == golden


@pytest.mark.compiles
def test_improving_until_it_is_good_enough() -> None:
    found = list(improve(KUHN, "cfr+", goal=0.001, most=10_000, first=10))
    assert found[-1].exploitability < 0.001 <= found[-2].exploitability
    assert [s.iterations for s in found] == [10 * 2**n for n in range(len(found))]
    assert [s.iterations for s in improve(KUHN, "cfr+", goal=0, most=25, first=10)] == [10, 20, 25]


def test_wrong_words() -> None:
    with pytest.raises(PlayoutError, match="method is 'external-sampling'; did you mean 'external'"):
        equilibrium(KUHN, "external-sampling")
    with pytest.raises(PlayoutError, match="iterations is 0"):
        equilibrium(KUHN, iterations=0)
