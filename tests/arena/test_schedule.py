"""Who plays whom: everybody equally often, from all sides, on the same seeds."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout.arena.schedule import Schedule
from playout.errors import PlayoutError


def test_a_round_of_three_agents_by_hand() -> None:
    schedule = Schedule(players=2, agents=3)
    assert schedule.per_round == 6
    assert [schedule.fixture(n).seats for n in range(7)] == [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1), (0, 1)]
    assert [schedule.fixture(n).round for n in (0, 5, 6)] == [0, 0, 1]
    assert schedule.total(400) == 400


def test_a_gauntlet_and_a_ladder() -> None:
    gauntlet = Schedule(players=2, agents=4, shape="gauntlet")
    assert [gauntlet.fixture(n).seats for n in range(gauntlet.per_round)] == [(0, 1), (1, 0), (0, 2), (2, 0), (0, 3), (3, 0)]
    ladder = Schedule(players=2, agents=4, shape="ladder")
    assert [ladder.fixture(n).seats for n in range(ladder.per_round)] == [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]


def test_alone_every_agent_gets_every_deal() -> None:
    schedule = Schedule(players=1, agents=3)
    assert schedule.total(10) == 30
    deals = {n: schedule.fixture(n).deal for n in range(30)}
    assert len(set(deals.values())) == 10 and deals[0] == deals[1] == deals[2] != deals[3]


@pytest.mark.parametrize(("players", "agents"), [(3, 2), (3, 3), (3, 5), (4, 2), (4, 3), (5, 2), (4, 5), (8, 3)])
def test_many_players_rotate_through_all_seats(players: int, agents: int) -> None:
    schedule = Schedule(players=players, agents=agents)
    for round in range(5):
        fixtures = [schedule.fixture(round * schedule.per_round + n) for n in range(schedule.per_round)]
        assert len({f.seats for f in fixtures}) == len(fixtures), "a game is in the round twice"
        counts = Counter((agent, seat) for f in fixtures for seat, agent in enumerate(f.seats))
        for agent in range(agents):
            assert len({counts[agent, seat] for seat in range(players)}) == 1, "an agent sits in some seat more often"
        assert all(len(set(f.seats)) == min(players, agents) for f in fixtures)


def test_neighbours_change_from_round_to_round() -> None:
    schedule = Schedule(players=3, agents=3)
    assert {schedule.fixture(3 * r).seats for r in range(4)} == {(0, 1, 2), (0, 2, 1)}


@given(st.integers(0, 2**62 - 1), st.integers(2, 6), st.integers(0, 10_000))
def test_seeds_are_shared_within_a_round_and_by_nothing_else(seed: int, agents: int, round: int) -> None:
    schedule = Schedule(players=2, agents=agents, seed=seed)
    fixtures = [schedule.fixture(round * schedule.per_round + n) for n in range(schedule.per_round)]
    assert len({f.deal for f in fixtures}) == 1
    assert schedule.fixture((round + 1) * schedule.per_round).deal != fixtures[0].deal
    # The same agent in the same seat has the same seed against everybody, and no two agents share one.
    seeds: dict[tuple[int, int], set[int]] = {}
    for f in fixtures:
        for seat, agent in enumerate(f.seats):
            seeds.setdefault((agent, seat), set()).add(f.agent_seed(seat))
    assert all(len(found) == 1 for found in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds) == 2 * agents
    met = Counter(frozenset(f.seats) for f in fixtures)
    assert met == {frozenset(pair): 2 for pair in combinations(range(agents), 2)}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"players": 2, "agents": 1}, "1 agent is given for a game of 2 players; give at least two"),
        (
            {"players": 2, "agents": 2, "shape": "knockout"},
            "the shape of a tournament is 'knockout'; it must be one of round-robin",
        ),
    ],
)
def test_what_is_refused(words: dict[str, object], sentence: str) -> None:
    with pytest.raises(PlayoutError, match=sentence):
        Schedule(**words)  # type: ignore[arg-type]
