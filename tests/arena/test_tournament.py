"""Whole tournaments: the same games however they are played, nothing lost, nothing twice, and standings that add up."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import playout
from playout.agents import Recipe, Silent
from playout.arena import Rules, SoloRow, Standings, Store, Tournament, compete, stored
from playout.arena.experiment import plan
from playout.arena.referee import Record
from playout.arena.replay import verify
from playout.arena.standings import AgentRow
from playout.arena.table import Table
from playout.arena.worker import Worker
from playout.errors import PlayoutError
from tests.arena.test_referee import FAILING, STAIRS


def games_of(file: Path) -> list[tuple[Any, ...]]:
    """What must be the same however the games were played: all but the clock."""
    with Store(file) as store:
        return [(r.number, r.deal, r.seats, r.returns, r.points, r.moves, r.simulations) for r in store.games()]


@pytest.mark.compiles
def test_any_number_of_workers_plays_the_same_games(tmp_path: Path) -> None:
    agents = ["uct:simulations=40", "random", "uct:simulations=20,c=2"]
    found = []
    for place, where in enumerate(({"engine": "here"}, {"workers": 3})):
        file = tmp_path / f"{place}.db"
        compete("tic-tac-toe", agents, games=36, seed=7, rules=Rules(openings=1), file=file, **where)
        found.append(games_of(file))
    assert found[0] == found[1] and len(found[0]) == 36


@pytest.mark.compiles
def test_standings_add_up(tmp_path: Path) -> None:
    standings = compete(
        "tic-tac-toe", ["uct:simulations=60", "random", "random"], games=60, file=tmp_path / "a.db", engine="here"
    )
    rows = [row for row in standings.agents if isinstance(row, AgentRow)]
    assert standings.games == standings.played == 60 and [row.agent for row in rows] == [
        "uct:simulations=60",
        "random",
        "random #2",
    ]
    assert sum(row.points_total for row in rows) == 60 and all(row.games == 40 for row in rows)
    for row in rows:
        assert row.low <= row.points <= row.high and row.points == row.points_total / row.games
        assert row.rating is not None and row.rating_low is not None and row.rating_high is not None
        assert row.rating_low < row.rating < row.rating_high and row.seconds_per_decision
    assert rows[0].points > 0.75 and rows[0].rating == max(row.rating or 0 for row in rows)
    assert abs(sum(row.rating or 0 for row in rows)) < 1e-6
    assert rows[0].simulations_per_decision and rows[1].simulations_per_decision is None
    assert [(p.a, p.b, p.games) for p in standings.pairs] == [
        ("uct:simulations=60", "random", 20),
        ("uct:simulations=60", "random #2", 20),
        ("random", "random #2", 20),
    ]
    assert all(pair.wins_a + pair.draws + pair.wins_b == pair.games for pair in standings.pairs)
    for row in rows:
        sides = [side for side in standings.sides if side.agent == row.agent]
        assert [side.seat for side in sides] == [0, 1] and all(side.games == 20 for side in sides)
        assert sum(side.points for side in sides) / 2 == pytest.approx(row.points)
    assert standings.course[-1].games == 60 and standings.course[-1].points[0] == pytest.approx(rows[0].points)
    found = standings.analytics
    assert found is not None and found.draws is not None and found.first_mover is not None and found.games == 60
    assert 5 <= found.length.least <= found.length.mean <= found.length.most <= 9 and found.branching_by_ply[0] == 9
    assert stored(tmp_path / "a.db") == standings


@pytest.mark.compiles
def test_json_has_what_was_promised(tmp_path: Path) -> None:
    data = compete("tic-tac-toe", ["random", "random"], games=20, file=tmp_path / "a.db", engine="here").to_dict()
    assert {"game", "games", "agents", "pairs"} <= data.keys() and data["game"] == "tic-tac-toe" and data["games"] == 20
    wanted = {"agent", "games", "points", "low", "high", "rating", "rating_low", "rating_high", "seconds_per_decision"}
    assert all(wanted <= row.keys() for row in data["agents"])
    assert all({"a", "b", "games", "wins_a", "draws", "wins_b"} <= row.keys() for row in data["pairs"])


@pytest.mark.compiles
def test_a_solitaire_on_the_same_deals(tmp_path: Path) -> None:
    first = f"{FAILING}:make_first"
    standings = compete(str(STAIRS), ["random", first], games=30, file=tmp_path / "a.db", engine="here", rules=Rules(win_above=3))
    rows = [row for row in standings.agents if isinstance(row, SoloRow)]
    assert standings.games == 30 and standings.played == 60 and standings.scale is None
    assert all(row.games == 30 and row.low <= row.win_rate <= row.high for row in rows)
    wanted = {"wins", "win_rate", "low", "high", "mean_score", "score_low", "score_high"}
    assert all(wanted <= row.keys() for row in standings.to_dict()["agents"])
    with Store(tmp_path / "a.db") as store:
        scores: dict[int, dict[int, float]] = {0: {}, 1: {}}
        for record in store.games():
            scores[record.seats[0]][record.deal] = record.returns[0]
    assert scores[0].keys() == scores[1].keys()
    apart = [scores[0][deal] - scores[1][deal] for deal in scores[0]]
    (pair,) = standings.pairs
    assert pair.difference == pytest.approx(sum(apart) / 30) and pair.difference_low is not None
    assert (pair.wins_a, pair.draws, pair.wins_b) == tuple(
        sum(s(v) for v in apart) for s in (lambda v: v > 0, lambda v: v == 0, lambda v: v < 0)
    )
    assert rows[0].wins == sum(score > 3 for score in scores[0].values())
    assert [sum(h.counts) for h in standings.scores] == [30, 30] and standings.scores[0].edges == standings.scores[1].edges


@pytest.mark.compiles
def test_three_players_rotate_and_arerated(tmp_path: Path) -> None:
    standings = compete("treasure", ["uct:simulations=50", "random"], games=60, file=tmp_path / "a.db", engine="here")
    rows = [row for row in standings.agents if isinstance(row, AgentRow)]
    assert sum(row.games for row in rows) == 180 and sum(row.points_total for row in rows) == pytest.approx(90)
    assert rows[0].openskill is not None and rows[1].openskill is not None and rows[0].openskill > rows[1].openskill
    assert rows[0].rating is not None and rows[0].rating_low is not None and rows[0].rating_low > 0
    assert {side.seat for side in standings.sides if side.agent == "random"} == {0, 1, 2}


# going on


@pytest.mark.compiles
def test_the_same_call_goes_on_and_a_longer_one_adds(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    compete("tic-tac-toe", ["random", "random"], games=10, file=file, engine="here")
    before = games_of(file)
    with Tournament("tic-tac-toe", ["random", "random"], games=10, file=file, engine="here") as again:
        again.run()
        assert again.tally.before == again.tally.done == 10
    compete("tic-tac-toe", ["random", "random"], games=25, file=file, engine="here")
    assert games_of(file)[:10] == before and len(games_of(file)) == 25
    shorter = compete("tic-tac-toe", ["random", "random"], games=6, file=file, engine="here")
    assert shorter.games == 6 and len(games_of(file)) == 25


SCRIPT = """
import sys
from playout.arena import Tournament
with Tournament("tic-tac-toe", ["uct:simulations=30", "random"], games=600, seed=5, file=sys.argv[1], workers=2) as t:
    t.run()
"""


@pytest.mark.slow
@pytest.mark.compiles
def test_kill_and_resume_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    """kill -9 at random moments, again and again; at the end exactly the games of a run that nobody disturbed."""
    file, whole = tmp_path / "killed.db", tmp_path / "whole.db"
    moments = random.Random(3)
    kills = 0
    for wanted in (1, 150):
        process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(file)], start_new_session=True)
        while process.poll() is None and _count(file) < wanted:
            time.sleep(0.02)
        time.sleep(moments.random() * 0.1)
        before = _count(file)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
        assert before <= _count(file) <= 600
    assert kills == 2 and _count(file) < 600, "nothing was interrupted, so nothing was tested"
    subprocess.run([sys.executable, "-c", SCRIPT, str(file)], check=True)
    compete("tic-tac-toe", ["uct:simulations=30", "random"], games=600, seed=5, file=whole, engine="here")
    assert games_of(file) == games_of(whole) and len(games_of(file)) == 600
    one, two = stored(file), stored(whole)
    assert [(r.agent, r.points, r.rating) for r in rated(one)] == [(r.agent, r.points, r.rating) for r in rated(two)]


def _count(file: Path) -> int:
    """Games in the file, 0 while it is being made."""
    try:
        with Store(file) as store:
            return store.count()
    except PlayoutError:
        return 0


def rated(standings: Standings) -> list[AgentRow]:
    return [row for row in standings.agents if isinstance(row, AgentRow)]


@pytest.mark.slow
@pytest.mark.compiles
def test_killed_workers_are_replaced(tmp_path: Path) -> None:
    """Whoever kills a worker process from outside costs time and nothing else."""
    experiment, game, _ = plan("tic-tac-toe", ["uct:simulations=300", "uct:simulations=300"], seed=2)
    worker = Worker(experiment)
    found: list[Record] = []
    killed: list[int] = []

    def deliver(records: list[Record]) -> None:
        found.extend(records)
        if len(killed) < 2 and worker.pid is not None:
            killed.append(worker.pid)
            os.kill(worker.pid, signal.SIGKILL)

    try:
        worker.play(range(60), deliver)
    finally:
        worker.close()
    assert len(set(killed)) == 2 and sorted(r.number for r in found) == list(range(60))
    assert all(r.ended == "over" for r in found)
    table = Table(game)
    for record in found:
        verify(experiment, game, table, record)


DEEP = """
import os, pathlib, time

def make_agent(game, seed=0, folder=""):
    def act(state):
        (pathlib.Path(folder) / f"{os.getpid()}.thinks").touch()
        time.sleep(0.01 if "quick" in folder else 60)
        return state.legal[0]
    return act
"""


@pytest.mark.slow
@pytest.mark.parametrize("pace", ["quick", "deep"])
def test_workers_leave_with_their_owner(tmp_path: Path, pace: str) -> None:
    """Between two games, where nobody takes what they deliver, and in the middle of a thought that takes a minute."""
    folder = tmp_path / pace
    folder.mkdir()
    (tmp_path / "mine.py").write_text(DEEP)
    agent = f"{tmp_path / 'mine.py'}:make_agent,folder={folder}"
    script = SCRIPT.replace("games=600", "games=100_000").replace("uct:simulations=30", agent)
    process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "a.db")], start_new_session=True)
    workers: list[int] = []
    deadline = time.monotonic() + 30
    while len(workers) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
        workers = [int(mark.stem) for mark in folder.glob("*.thinks")]
    assert len(workers) == 2 and all(_alive(worker) for worker in workers)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    while any(_alive(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(_alive(worker) for worker in workers)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# notes and refusals


@pytest.mark.compiles
def test_deterministic_agents_get_a_warning(tmp_path: Path) -> None:
    first = f"{FAILING}:make_first"
    standings = compete("tic-tac-toe", [first, first], games=40, file=tmp_path / "a.db", engine="here")
    assert any("repeat another game of the same agents" in note and "--openings" in note for note in standings.notes)
    apart = compete("tic-tac-toe", [first, first], games=40, file=tmp_path / "b.db", engine="here", rules=Rules(openings=3))
    assert not any("repeat" in note for note in apart.notes)


@pytest.mark.compiles
def test_unfair_clocks_get_a_warning(tmp_path: Path) -> None:
    agents = ["uct:seconds=0.001", "random"]
    standings = compete("tic-tac-toe", agents, games=2, file=tmp_path / "a.db", workers=50)
    assert any("50 workers share" in note and "by the clock" in note for note in standings.notes)
    assert rated(standings)[0].simulations_per_decision
    fair = compete("tic-tac-toe", agents, games=2, file=tmp_path / "b.db", workers=1)
    assert not any("by the clock" in note for note in fair.notes)


@pytest.mark.compiles
def test_a_partial_round_is_said(tmp_path: Path) -> None:
    standings = compete("tic-tac-toe", ["random"] * 3, games=8, file=tmp_path / "a.db", engine="here")
    assert standings.notes == ("8 games are no whole number of rounds of 6, so not everybody played equally often; 12 would be",)


class Last(Silent):
    name = "last"

    def act(self, state: playout.State) -> int:
        return state.legal[-1]


@pytest.mark.compiles
def test_agents_and_games_built_in_python_play_here(tmp_path: Path) -> None:
    made = Recipe("last", lambda seed: Last())
    standings = compete("tic-tac-toe", [made, "random"], games=10, file=tmp_path / "a.db", engine="here")
    assert standings.agents[0].agent == "last" and standings.games == 10
    with pytest.raises(
        PlayoutError, match="agent 'last' was built in Python and exists only in this process: pass engine='here'"
    ):
        Tournament("tic-tac-toe", [made, "random"], file=tmp_path / "b.db")
    base = playout.load("tic-tac-toe")
    own = playout.Game(
        "own", players=2, actions=9, State=base.dtype, **{n: base.functions[n] for n in playout.game.game.REQUIRED}
    )
    with pytest.raises(PlayoutError, match="game 'own' was built in Python"):
        Tournament(own, ["random", "random"], file=tmp_path / "c.db")
    assert compete(own, ["random", "random"], games=4, file=tmp_path / "d.db", engine="here").games == 4


@pytest.mark.parametrize(
    ("agents", "options", "sentence"),
    [
        (["random"], {}, "1 agent is given for a game of 2 players; give at least two"),
        ([], {}, "0 agents are given; give 1 to 200"),
        (["random", "person"], {}, "agent 'person' cannot sit in the arena, which waits for nobody"),
        (["random", "utc"], {}, "unknown agent 'utc'; did you mean 'uct'?"),
        (["random", "random"], {"games": 0}, "games is 0; give a whole number from 1 to 10,000,000"),
        (["random", "random"], {"workers": 0}, "workers is 0; give a whole number from 1 to 10,000"),
        (["random", "random"], {"engine": "rya"}, "engine is 'rya'; did you mean 'ray'?"),
        (["random", "random"], {"address": "auto"}, "--address auto names a Ray cluster; add --engine ray"),
        (["random", "random"], {"until": 1.0}, "until is 1.0; give the confidence to reach, above 0.5 and below 1"),
        (["random", "random"], {"seed": -1}, "seed is -1; it must be a whole number from 0"),
    ],
)
def test_what_is_refused(tmp_path: Path, agents: list[str], options: dict[str, Any], sentence: str) -> None:
    file = tmp_path / "a.db"
    with pytest.raises(PlayoutError) as caught:
        Tournament("tic-tac-toe", agents, file=file, **options)
    assert sentence in str(caught.value) and not file.exists()


# stopping early


@pytest.mark.compiles
def test_until_stops_at_the_same_game_for_any_workers(tmp_path: Path) -> None:
    ends = []
    for place, where in enumerate(({"engine": "here"}, {"workers": 2})):
        file = tmp_path / f"{place}.db"
        found = compete("tic-tac-toe", ["random", "uct:simulations=60"], games=2000, until=0.99, file=file, **where)
        assert found.verdict is not None and found.verdict.better == 1 and found.games < 400
        assert found.games == 2 * found.verdict.rounds <= len(games_of(file))
        ends.append((found.games, games_of(file)[: found.games]))
        again = compete("tic-tac-toe", ["random", "uct:simulations=60"], games=2000, until=0.99, file=file, **where)
        assert again.verdict == found.verdict and again.games == found.games
        assert stored(file).games == found.games and stored(file).verdict == found.verdict
    assert ends[0] == ends[1]
    more = compete("tic-tac-toe", ["random", "uct:simulations=60"], games=ends[0][0] + 10, file=tmp_path / "0.db", engine="here")
    assert more.verdict is None and more.games == ends[0][0] + 10


@pytest.mark.compiles
def test_until_never_drops_a_finished_game(tmp_path: Path) -> None:
    agents: list[str] = ["uct:simulations=30", "random"]
    compete("tic-tac-toe", agents, games=200, file=tmp_path / "a.db", engine="here")
    before = games_of(tmp_path / "a.db")
    early = compete("tic-tac-toe", agents, games=200, until=0.9, file=tmp_path / "a.db", workers=2)
    assert early.verdict is not None and early.games < 200 and games_of(tmp_path / "a.db") == before


@pytest.mark.compiles
def test_until_with_three_players_in_a_gauntlet(tmp_path: Path) -> None:
    agents = ["uct:simulations=30", "random", "random"]
    found = compete("treasure", agents, games=90, shape="gauntlet", until=0.6, file=tmp_path / "a.db", engine="here")
    assert found.verdict is not None and found.verdict.shape == "gauntlet" and found.verdict.better == 0
    assert set(found.verdict.decided) == {(0, 1), (0, 2)} and found.games == 3 * found.verdict.rounds < 90


@pytest.mark.compiles
def test_until_says_when_it_is_not_known(tmp_path: Path) -> None:
    found = compete("tic-tac-toe", ["random", "random"], games=40, until=0.99, file=tmp_path / "a.db", engine="here")
    assert found.verdict is None and any("40 games were not enough to know the better agent with 0.99" in n for n in found.notes)


@pytest.mark.compiles
def test_until_for_one_player_needs_bounds(tmp_path: Path) -> None:
    game = playout.load(str(STAIRS))
    assert game.returns_range is not None
    found = compete(game, ["random", "uct:simulations=100"], games=400, until=0.9, file=tmp_path / "a.db", engine="here")
    assert found.verdict is not None and found.verdict.better == 1 and found.games < 400
    names = {name: game.functions[name] for name in game.functions if name not in playout.game.game.SHOWN}
    bare = playout.Game("bare", players=1, actions=game.actions, State=game.dtype, most_legal=game.most_legal, **names)
    with pytest.raises(PlayoutError, match="'bare' declares none: add returns_range"):
        Tournament(bare, ["random", "random"], until=0.9, engine="here", file=tmp_path / "b.db")
