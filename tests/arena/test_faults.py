"""What agents do wrong: each fault costs its game and never the tournament, the process or another agent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from playout.arena import Rules, SoloRow, compete, stored
from playout.arena.experiment import plan
from playout.arena.referee import Record
from playout.arena.replay import verify
from playout.arena.serving import HEAD, IDLE
from playout.arena.table import Table
from playout.arena.worker import BEGIN, Worker, _Hangs, _package_folder
from playout.errors import PlayoutError
from tests.arena.test_referee import FAILING, STAIRS
from tests.arena.test_tournament import rated


@pytest.mark.slow
@pytest.mark.compiles
@pytest.mark.parametrize(
    ("maker", "kind", "words"),
    [
        ("make_sleepy", "time", "no answer within 0.2 s"),
        ("make_stubborn", "time", "and the process had to be ended"),
        ("make_deadly", "died", "the process died (SIGKILL), 3 times during this agent's decision"),
        ("make_fork", "died", "the process died (exit code 7), 3 times"),
    ],
)
def test_faults_that_cost_the_process_never_take_the_tournament_down(maker: str, kind: str, words: str) -> None:
    # A game whose process dies three times takes three processes, each of which starts for a second.
    faults_of({maker: (kind, words)}, games=1 if kind == "died" else 2)


@pytest.mark.compiles
def test_faults_never_take_the_tournament_down() -> None:
    """One after the other in one process, which outlives them all."""
    wanted = {
        "make_crash": ("crash", "ValueError: lost my mind"),
        "make_exit": ("crash", "SystemExit: 0"),
        "make_keyboard": ("crash", "KeyboardInterrupt"),
        "make_speechless": ("crash", "Speechless: (an error that cannot say what it is)"),
        "make_no_simulations": ("crash", "AttributeError"),
        "make_none": ("illegal", "it answered None; an agent answers with the id or the name of an action"),
        "make_half": ("illegal", "it answered 2.9"),
    }
    assert faults_of(wanted, games=2 * len(wanted)) == 1


def test_machine_code_that_ends_one_process_after_the_other_ends_the_tournament() -> None:
    """Whoever asked for it: else every game of hundreds would cost three processes, each of which may compile anew."""
    experiment, _, _ = plan("tic-tac-toe", ["random", "uct"])
    worker = Worker(experiment)
    last = "the process died (SIGSEGV): playout: the machine code of mine.py ended the process (SIGSEGV): most likely a rule calls itself"
    try:
        worker._lost = lambda kind, words, snapshot: None  # type: ignore[method-assign, assignment]
        for number in range(8):
            worker._shared[: HEAD.size] = HEAD.pack(number // 3, 0, 0, 0.0)
            assert worker._after_death(last) is None
        with pytest.raises(
            PlayoutError, match=r"^9 times in this tournament, the last in game 2, the process died \(SIGSEGV\): playout: the "
        ):
            worker._after_death(last)
    finally:
        worker.close()


@pytest.mark.compiles
def test_rules_that_fail_in_an_agents_search_are_not_its_fault() -> None:
    """The tournament ends with the sentence, and nobody loses a game by it."""
    with pytest.raises(PlayoutError, match="^game 'mine': play is outside$"):
        compete("tic-tac-toe", ["random", f"{FAILING}:make_broken_rules"], games=2, engine="here")


def faults_of(wanted: dict[str, tuple[str, str]], games: int) -> int:
    """Let a harmless agent play against each of these and see how the games end; how many processes delivered them."""
    agents = ["random", *(f"{FAILING}:{maker}" for maker in wanted)]
    experiment, game, _ = plan("tic-tac-toe", agents, shape="gauntlet", rules=Rules(limit=0.2, openings=1))
    worker = Worker(experiment, grace=0.3)
    found: list[Record] = []
    processes = set()

    def deliver(records: list[Record]) -> None:
        found.extend(records)
        processes.add(worker.pid)

    try:
        worker.play(range(games), deliver)
    finally:
        worker.close()
    assert sorted(r.number for r in found) == list(range(games))
    assert {r.seats[r.fault] for r in found} == set(range(1, len(agents)))
    table, ends = Table(game), list(wanted.values())
    for record in found:
        kind, words = ends[record.seats[record.fault] - 1]
        assert record.ended == kind and words in record.error
        assert record.points[record.fault] == 0 and sum(record.points) == 1 and record.opening == 1
        verify(experiment, game, table, record)
    return len(processes)


@pytest.mark.compiles
def test_a_process_that_dies_once_is_forgiven(tmp_path: Path) -> None:
    agent = f"{FAILING}:make_once_deadly,mark={tmp_path / 'mark'}"
    standings = compete("tic-tac-toe", [agent, "random"], games=10, file=tmp_path / "a.db", workers=1)
    assert standings.games == 10 and standings.faults == () and (tmp_path / "mark").exists()


@pytest.mark.compiles
def test_oddities_are_no_faults(tmp_path: Path) -> None:
    odd = [f"{FAILING}:{maker}" for maker in ("make_named", "make_minus_simulations", "make_print")]
    standings = compete("tic-tac-toe", ["random", *odd], games=12, shape="gauntlet", file=tmp_path / "a.db", workers=1)
    assert standings.games == 12 and standings.faults == () and [pair.games for pair in standings.pairs] == [4, 4, 4]


def test_what_is_half_written_is_never_taken_for_an_agent_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The watcher looks while the worker writes: a new game with the time of the last one looks like endless thinking."""
    experiment, _, _ = plan("tic-tac-toe", ["random", "random"], rules=Rules(limit=5))
    worker = Worker(experiment)
    now = time.monotonic()
    half, whole, idle = (HEAD.pack(3, seat, 5, since) for seat, since in ((0, now - 60), (0, now), (IDLE, now - 60)))
    try:
        for looks in ([half, whole], [half, idle], [whole], [idle]):
            monkeypatch.setattr(worker, "_snapshot", iter(looks).__next__)
            worker._hangs()
        monkeypatch.setattr(worker, "_snapshot", iter([half, half]).__next__)
        with pytest.raises(_Hangs):
            worker._hangs()
    finally:
        worker.close()


@pytest.mark.compiles
def test_alone_a_fault_is_no_way_to_win(tmp_path: Path) -> None:
    """Where the lowest return is not known, a deal lost by fault has no score, rather than the best of a losing game."""
    game = tmp_path / "bare.py"
    game.write_text(STAIRS.read_text().replace("returns_range = ", "bounds_of_returns = "))
    standings = compete(str(game), [f"{FAILING}:make_crash,at=1", "random"], games=6, file=tmp_path / "a.db", workers=1)
    crashed, other = (row for row in standings.agents if isinstance(row, SoloRow))
    assert crashed.faults == 6 and crashed.mean_score is None and crashed.wins == 0 and other.mean_score is not None
    assert standings.pairs == () and any("6 deals lost by fault without a score" in note for note in standings.notes)
    assert stored(tmp_path / "a.db").agents == standings.agents


@pytest.mark.slow
@pytest.mark.compiles
def test_games_that_were_ended_from_outside_have_no_times(tmp_path: Path) -> None:
    agents = [f"{FAILING}:make_deadly", "uct:simulations=50"]
    standings = compete("tic-tac-toe", agents, games=1, file=tmp_path / "a.db", workers=1)
    uct = rated(standings)[1]
    assert rated(standings)[0].faults == 1 and uct.decisions == 0 and uct.seconds_per_decision is None


@pytest.mark.compiles
def test_faults_are_reported(tmp_path: Path) -> None:
    standings = compete("tic-tac-toe", [f"{FAILING}:make_illegal", "random"], games=10, file=tmp_path / "a.db", workers=2)
    (fault,) = standings.faults
    assert (fault.kind, fault.games) == ("illegal", 10) and "'77' is not a legal action" in fault.error
    assert rated(standings)[0].points == 0 and rated(standings)[0].faults == 10


@pytest.mark.compiles
def test_agents_may_print(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    standings = compete("tic-tac-toe", [f"{FAILING}:make_loud", "random"], games=6, file=tmp_path / "a.db", workers=1)
    assert standings.games == 6 and standings.faults == () and capfd.readouterr().out == ""


def test_a_process_has_the_library_of_its_owner_wherever_it_is_started(tmp_path: Path) -> None:
    """A folder called playout may lie there: an older one, say, whose games would be other games."""
    (tmp_path / "playout").mkdir()
    (tmp_path / "playout" / "__init__.py").write_text("raise SystemExit('the wrong one')")
    (tmp_path / "beside.py").write_text("")
    script = BEGIN.partition("from playout")[0] + "import playout, beside; print(playout.__file__)"
    env = {**os.environ, "PYTHONPATH": _package_folder()}
    found = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()).parent.parent == Path(_package_folder())
