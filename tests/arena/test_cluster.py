"""The Ray engine: the same games as on this machine, whatever happens to the cluster."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playout.arena import connection
from playout.arena.cluster import RayHand, leave, ray_makers
from playout.arena.crew import Crew, Hand, HandMaker
from playout.arena.experiment import Experiment, plan
from playout.arena.referee import Record
from playout.arena.store import Store
from playout.arena.tournament import Tally, Tournament
from playout.arena.worker import WorkerLost
from playout.errors import PlayoutError
from tests.arena.ray_nodes import Nodes, free_port

pytest.importorskip("ray")
pytestmark = [pytest.mark.slow, pytest.mark.compiles]

AGENTS = ["uct:simulations=200", "random"]
SLOW = """
import time

def make(game, seed=0):
    def act(state):
        time.sleep(0.01)
        return state.legal[seed % len(state.legal)]
    return act
"""


@pytest.fixture(autouse=True)
def left() -> Iterator[None]:
    yield
    leave()


def games(file: Path) -> list[tuple[Any, ...]]:
    with Store(file) as store:
        return [(r.number, r.round, r.deal, r.seats, r.returns, r.ended, r.moves, r.movers) for r in store.games()]


def run(file: Path, agents: list[str], count: int, **options: Any) -> list[tuple[Any, ...]]:
    with Tournament("tic-tac-toe", agents, games=count, file=file, **options) as tournament:
        tournament.run()
    return games(file)


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    return plan("tic-tac-toe", AGENTS)[0]


def test_ray_plays_the_same_games_as_local(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    local = run(tmp_path / "local.db", AGENTS, 60, engine="here")
    ray = run(tmp_path / "ray.db", AGENTS, 60, workers=2, engine="ray")
    assert len(local) == 60
    assert ray == local
    leave()
    assert capfd.readouterr() == ("", "")


def test_hands_end_at_once_or_are_lost_and_nobody_waits_for_one_without_a_place(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All on one CPU of one Ray: a hand that is closed while it plays, one whose actor is killed, a crew of three, and another file."""
    endless = plan("tic-tac-toe", ["uct:seconds=20", "random"])[0]
    hand = ray_makers(endless, 1, None)[0](threading.Event())
    assert isinstance(hand, RayHand)
    thread = threading.Thread(target=_play_until_closed, args=(hand,), daemon=True)
    thread.start()
    process, began = _process(hand), time.monotonic()
    hand.close()
    thread.join(5)
    assert not thread.is_alive() and time.monotonic() - began < 5
    assert _gone(process) and _gone(hand.pid)

    makers = ray_makers(experiment, 3, None)
    hand = makers[0](threading.Event())
    assert isinstance(hand, RayHand)
    delivered: list[Record] = []
    hand.play([0, 1], delivered.extend)
    assert [r.number for r in delivered] == [0, 1]
    process = _process(hand)
    os.kill(hand.pid, signal.SIGKILL)
    with pytest.raises(WorkerLost, match=r"^a Ray worker on node \S+ was lost: its process or its node is gone$"):
        hand.play([2], delivered.extend)
    hand.close()
    assert _gone(process)

    crew = Crew(range(20), makers)
    assert sorted(r.number for records in crew.results() for r in records) == list(range(20))
    began = time.monotonic()
    crew.stop()
    assert time.monotonic() - began < 5

    monkeypatch.chdir(tmp_path)
    _what_a_node_has_differently_arrives_as_a_sentence()
    leave()


class Watched(Tournament):
    """Counts which node delivered which games, and lets nobody begin before both are there."""

    @contextlib.contextmanager
    def _makers(self) -> Iterator[list[HandMaker]]:
        self.played: dict[str, Counter[int]] = {}
        self.both = threading.Barrier(2)
        with super()._makers() as makers:
            yield [self._watched(maker) for maker in makers]

    def _watched(self, maker: HandMaker) -> HandMaker:
        def make(stopped: threading.Event) -> Hand:
            hand = maker(stopped)
            assert isinstance(hand, RayHand)
            count, play = self.played.setdefault(hand.node, Counter()), hand.play

            def counted(numbers: Any, deliver: Any) -> None:
                def note(records: list[Record]) -> None:
                    count.update(r.number for r in records)
                    deliver(records)

                play(numbers, note)

            hand.play = counted  # type: ignore[method-assign]
            if not any(self.played.values()):
                self.both.wait(timeout=40)
            return hand

        return make


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    # A process keeps the first token it had, and an earlier test may have begun a Ray with this one.
    token = connection.connection.token
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", token)
    with Nodes(token) as nodes:
        yield nodes


def test_a_node_that_dies_in_the_middle_costs_no_game(tmp_path: Path, nodes: Nodes, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    agents, count = [f"{tmp_path / 'slow.py'}:make", "uct:simulations=200"], 120
    local = run(tmp_path / "local.db", agents, count, workers=2)
    killed: list[Counter[int]] = []
    tournament = Watched(
        "tic-tac-toe", agents, games=count, file=tmp_path / "ray.db", engine="ray", address=nodes.address, workers=2
    )

    def show(tally: Tally) -> None:
        played = getattr(tournament, "played", {})
        if not killed and len(played) == 2 and min(len(c) for c in played.values()) >= 5:
            assert nodes.other is not None
            nodes.other.kill()
            killed.extend(Counter(c) for c in played.values())

    with tournament:
        tournament.run(show)
    assert len(killed) == 2, "both nodes played before one was killed"
    assert len(tournament.played) == 2, "no third node came from somewhere"
    assert any("was lost" in note for note in tournament.notes)
    assert capfd.readouterr() == ("", "")
    assert sum(len(c) for c in killed) < count
    after = sorted(len(now) - len(then) for now, then in zip(tournament.played.values(), killed))
    assert after[0] <= 1 and after[1] > 0, "one went on and one did not"
    found = games(tmp_path / "ray.db")
    assert [row[0] for row in found] == list(range(count))
    assert found == local


@pytest.mark.parametrize("kind", ["refused", "silent", "nonsense"])
def test_an_address_where_no_cluster_is_gets_one_sentence(
    kind: str, experiment: Experiment, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    # Not "auto", which finds whatever runs on this machine, other tests included.
    monkeypatch.setattr(connection, "JOIN_SECONDS", 3.0)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = {
            "refused": f"127.0.0.1:{free_port()}",
            "silent": f"127.0.0.1:{silent.getsockname()[1]}",
            "nonsense": "nonsense",
        }[kind]
        began = time.monotonic()
        with pytest.raises(PlayoutError, match=rf"--address {address} .*(ray start|same version)") as found:
            ray_makers(experiment, 1, address)
    assert time.monotonic() - began < 15
    assert "\n" not in str(found.value)
    assert capfd.readouterr() == ("", "")


def test_without_ray_the_message_says_what_to_install(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(PlayoutError, match=r"^--engine ray needs Ray; pip install 'playout\[ray\]'$"):
        ray_makers(experiment, 1, None)


def _what_a_node_has_differently_arrives_as_a_sentence() -> None:
    """The path is relative to where the tournament was begun."""
    Path("mine.py").write_text(SLOW)
    with Tournament("tic-tac-toe", ["mine.py:make", "random"], games=4, file="a.db", engine="ray", workers=1) as tournament:
        Path("mine.py").write_text(SLOW + "\n# edited\n")
        with pytest.raises(PlayoutError, match=r"^agent 'mine.py:make' has another file here .* \(on Ray node [\d.]+\)$"):
            tournament.run()


def _play_until_closed(hand: RayHand) -> None:
    with contextlib.suppress(WorkerLost):
        hand.play([0, 1], print)


def _process(hand: RayHand) -> int:
    """The worker process below a hand's actor, as soon as it has one."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        pid = hand.ray.get(hand.actor.process.remote())
        if pid is not None:
            return int(pid)
        time.sleep(0.05)
    raise AssertionError("the actor began no worker process")


def _gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False
