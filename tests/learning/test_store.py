"""Policies on disk: both forms hold the same, and everything that can be wrong with a file gets its sentence."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from playout.errors import FileError, PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.learning import Learner, Policy, from_preset, learn
from playout.learning.learner import fitted
from playout.learning.run import Progress
from tests.learning.games import corridor

pytestmark = pytest.mark.compiles
GAME = "tic-tac-toe"


@pytest.fixture(scope="module")
def policy() -> Policy:
    return learn(GAME, episodes=2000, seed=3).policy


@pytest.fixture
def file(policy: Policy, tmp_path: Path) -> Path:
    return policy.save(tmp_path / "policy.json")


@pytest.mark.parametrize("name", ["policy.json", "policy.npz"])
def test_what_is_saved_is_read_back(policy: Policy, tmp_path: Path, name: str) -> None:
    found = Policy.load(policy.save(tmp_path / name))
    assert found.entries.tobytes() == policy.entries.tobytes()
    assert found.settings == policy.settings and found.episodes == 2000 and found.game is load(GAME)
    state = load(GAME).start()
    assert found.rate(state) == policy.rate(state)


def test_weights_and_past_selves_are_read_back(tmp_path: Path) -> None:
    weighed = learn(GAME, episodes=60, values="patterns", opponent="past", refresh=20, past=2).policy
    frozen = learn(GAME, episodes=60, opponent="past", refresh=20, past=2).policy
    for made in (weighed, frozen):
        for name in ("p.json", "p.npz"):
            found = Policy.load(made.save(tmp_path / name))
            assert found.entries.tobytes() == made.entries.tobytes() and found.weights.tobytes() == made.weights.tobytes()
            assert [one.tobytes() for one in found.past] == [one.tobytes() for one in made.past] and len(made.past) == 2


def test_the_json_says_what_it_is(file: Path) -> None:
    content = json.loads(file.read_text())
    told = {name: content[name] for name in ("format", "version", "game", "parameters", "rule", "seed", "episodes")}
    assert told == {
        "format": "playout policy",
        "version": 1,
        "game": "mnk",
        "parameters": {"m": 3, "n": 3, "k": 3},
        "rule": "every-visit",
        "seed": 3,
        "episodes": 2000,
    }
    assert content["columns"] == ["key", "check", "value", "count"] and len(content["table"]) == content["entries"]


def _edit(change: Callable[[dict[str, object]], object]) -> Callable[[Path], None]:
    def edit(file: Path) -> None:
        content = json.loads(file.read_text())
        change(content)
        file.write_text(json.dumps(content))

    return edit


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda file: file.write_bytes(b""), "policy file {file} is empty; learn it again"),
    "missing": (lambda file: file.unlink(), "policy file {file} does not exist; make one with playout learn"),
    "cut short": (
        lambda file: file.write_bytes(file.read_bytes()[:-500]),
        "policy file {file} is damaged or cut short: it is not JSON; learn it again",
    ),
    "nan": (
        lambda file: file.write_text(file.read_text().replace('"seconds": ', '"seconds": NaN, "x": ')),
        "policy file {file} holds NaN, which is no number; learn it again",
    ),
    "other": (lambda file: file.write_text("[1, 2]"), "{file} is not a policy file; make one with playout learn"),
    "version": (
        _edit(lambda c: c.update(version=9)),
        "policy file {file} has version 9, this playout reads 1; learn it again",
    ),
    "edited value": (
        _edit(lambda c: c["table"][0].__setitem__(2, 0.123)),  # type: ignore[index]
        "policy file {file} was changed after it was written (its checksum does not fit); learn it again",
    ),
    "edited seed": (
        _edit(lambda c: c.update(seed=4)),
        "policy file {file} was changed after it was written (its checksum does not fit); learn it again",
    ),
    "fewer values": (
        _edit(lambda c: c["table"].pop()),  # type: ignore[attr-defined]
        "policy file {file} is damaged: it claims {entries:,} values and has {less:,}; learn it again",
    ),
    "a huge claim": (
        _edit(lambda c: c.update(weights=1 << 40)),
        "policy file {file} is damaged: it claims 1,099,511,627,776 weights; learn it again",
    ),
    "no table": (_edit(lambda c: c.pop("table")), "policy file {file} is damaged: it has no table; learn it again"),
    "settings": (
        _edit(lambda c: c["settings"].update(epsilon="1.5")),  # type: ignore[attr-defined]
        "policy file {file} is damaged: its settings cannot be used (epsilon is 1.5; the share of random actions must be from 0 to 1); "
        "learn it again",
    ),
    "no rule": (
        _edit(lambda c: c.pop("settings")),
        "policy file {file} is damaged: settings is missing or of the wrong kind; learn it again",
    ),
    "2 GB": (
        lambda file: os.truncate(file, 2_000_000_000),
        "policy file {file} has 2.0 GB, and at most 0.5 are read; as .npz it may have 8 GB",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_gets_its_sentence(policy: Policy, file: Path, name: str) -> None:
    change, sentence = BROKEN[name]
    change(file)
    with pytest.raises(FileError) as error:
        Policy.load(file)
    size = len(policy.entries)
    assert str(error.value) == sentence.format(file=repr(str(file)), entries=size, less=size - 1)


def test_another_board_is_refused(file: Path) -> None:
    with pytest.raises(FileError) as error:
        Policy.load(file, load("mnk:m=4,n=4,k=3"))
    assert str(error.value) == (
        f"policy file {str(file)!r} is of mnk:m=3,n=3,k=3, not of mnk:m=4,n=4,k=3; learn one for this game"
    )


def test_changed_rules_are_noticed(tmp_path: Path) -> None:
    game = corridor(3)
    learner = Learner(game, fitted(game, from_preset(), 5), compiled=False)
    learner.run(5)
    file = Policy.of(learner, 5, 0.0).save(tmp_path / "p.json")
    with pytest.raises(FileError, match="the rules of 'corridor' have changed since policy file"):
        Policy.load(file, corridor(4))


def _claiming(file: Path, shape: tuple[int, ...]) -> None:
    """Write an archive whose array says that it is longer than it is."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "|u1", "fortran_order": False, "shape": shape})  # type: ignore[no-untyped-call]
    parts["entries.npy"] = head.getvalue()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def test_a_binary_cannot_claim_more_than_it_has(policy: Policy, tmp_path: Path) -> None:
    file = policy.save(tmp_path / "p.npz")
    _claiming(file, (2_000_000_000,))
    with pytest.raises(FileError, match=r"\(entries claims 2,000,000,000 bytes and has \d+\); learn it again"):
        Policy.load(file)
    file = policy.save(tmp_path / "p.npz")
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**parts, "weights.npy": bytes(50_000_000)}.items():
            archive.writestr(name, data)
    with pytest.raises(FileError, match=r"claims [\d,]+ bytes and the file has room for"):
        Policy.load(file)


@pytest.mark.parametrize("keep", [10, 300, -30])
def test_a_cut_binary_is_noticed(policy: Policy, tmp_path: Path, keep: int) -> None:
    file = policy.save(tmp_path / "p.npz")
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(FileError, match="is damaged or cut short"):
        Policy.load(file)


def test_a_binary_with_pickled_objects_is_refused(policy: Policy, tmp_path: Path) -> None:
    file = tmp_path / "p.npz"
    np.savez(file, meta=np.array([{"format": "playout policy"}], dtype=object))
    with pytest.raises(FileError, match="is damaged or cut short"):
        Policy.load(file)


def test_text_too_long_to_be_read_again_is_written_compactly(
    policy: Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from playout.cli import learn as command
    from playout.cli.terminal import console

    asked = tmp_path / "p.json"
    monkeypatch.setattr("playout.learning.store.MOST_JSON", 1000)
    written = policy.save(asked)
    assert written == tmp_path / "p.npz" and not asked.exists()
    assert Policy.load(written).entries.tobytes() == policy.entries.tobytes()
    command._tell_file(console(stderr=True), written, asked)
    assert f"so it is in {written} and not in {asked}" in capsys.readouterr().err
    monkeypatch.undo()
    policy.save(asked)
    monkeypatch.setattr(command, "LONG_TEXT", 1000)
    command._tell_file(console(stderr=True), asked, asked)
    assert f"MB as text; --out {written} takes about half, and is read much sooner" in capsys.readouterr().err


# resuming


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"rule": "td-lambda", "epsilon": "0.2", "lr": "1/n:0.05"},
        {"opponent": "past", "refresh": 700, "past": 2},
        {"opponent": "random"},
        {"opponent": "tactic"},
        {"shards": 2, "round": 500},
        {"values": "patterns"},
        {"values": "patterns", "shards": 2, "round": 500},
    ],
)
def test_resuming_gives_the_same_table(tmp_path: Path, words: dict[str, object]) -> None:
    few = words.get("opponent") == "tactic"
    half, all_ = (100, 200) if few else (1500, 3000)
    file = tmp_path / "p.npz"
    learn(GAME, episodes=half, horizon=all_, out=file, **words)
    resumed = learn(GAME, resume=file, episodes=all_).policy
    whole = learn(GAME, episodes=all_, horizon=all_, **words).policy
    assert resumed.entries.tobytes() == whole.entries.tobytes() and resumed.weights.tobytes() == whole.weights.tobytes()
    assert whole.size > 20
    assert resumed.counts == whole.counts


@pytest.mark.slow
def test_resuming_after_kill_gives_the_same_table(tmp_path: Path) -> None:
    file, episodes = tmp_path / "p.json", 400_000
    code = f"from playout.learning import learn; learn({GAME!r}, episodes={episodes}, out={str(file)!r}, every=0.02)"
    child = subprocess.Popen([sys.executable, "-c", code])
    try:
        deadline = time.monotonic() + 120
        while not file.exists():
            assert child.poll() is None and time.monotonic() < deadline
            time.sleep(0.005)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    left = Policy.load(file)
    assert 0 < left.episodes < episodes
    resumed = learn(GAME, resume=file).policy
    whole = learn(GAME, episodes=episodes).policy
    assert resumed.episodes == episodes and resumed.entries.tobytes() == whole.entries.tobytes()
    assert resumed.curve == whole.curve


@pytest.mark.parametrize("stop", [1, 750, 2000])
def test_a_stopped_and_resumed_run_has_the_same_curve(tmp_path: Path, stop: int) -> None:
    file, whole = tmp_path / "p.json", learn(GAME, episodes=2000)

    def show(progress: Progress) -> None:
        if progress.episodes >= stop:
            raise KeyboardInterrupt

    stopped = learn(GAME, episodes=2000, out=file, show=show)
    assert stopped.result.stopped == "interrupted" and len(stopped.policy.curve) < len(whole.policy.curve)
    resumed = learn(GAME, resume=file)
    assert resumed.result.curve == whole.result.curve and resumed.policy.curve == whole.policy.curve
    assert Policy.load(resumed.policy.save(tmp_path / "p.npz")).curve == whole.policy.curve


def test_other_settings_are_refused_with_the_difference(file: Path) -> None:
    with pytest.raises(PlayoutError) as error:
        learn(GAME, resume=file, episodes=3000, epsilon="0.1", lr=0.3, rule="every-visit")
    assert str(error.value) == (
        f"{str(file)!r} was learned with other settings: epsilon is linear:0.5:0.1 there and 0.1 here; "
        "lr is linear:0.2:0.01 there and 0.3 here. Leave them out to go on, or begin anew"
    )
    with pytest.raises(PlayoutError, match="rule is every-visit there and backward here"):
        learn(GAME, resume=file, preset="classic")
    with pytest.raises(PlayoutError, match="has 2,000 episodes already, more than the 1,000 asked for; give more"):
        learn(GAME, resume=file, episodes=1000)


def test_a_full_disk_leaves_the_last_checkpoint_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "p.json"
    learn(GAME, episodes=500, out=file)
    before, notes, real = file.read_bytes(), [], os.replace

    def full(source: str, target: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("playout.files.os.replace", full)
    with pytest.raises(FileError, match="cannot be written: No space left on device; choose another place"):
        learn(GAME, episodes=20_000, out=file, every=1e-6, show=lambda now: notes.append(now.note))
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]
    said = [note for note in notes if note]
    assert said and said[0].startswith("no checkpoint after ")
    assert said[0].endswith("No space left on device; choose another place; the last one that was written is whole")
    monkeypatch.setattr("playout.files.os.replace", real)
    assert Policy.load(file).episodes == 500


def test_a_file_that_may_not_grow_is_a_full_disk(tmp_path: Path) -> None:
    """The same with a real limit of the system on the length of files."""
    file = tmp_path / "p.json"
    learn(GAME, episodes=500, out=file)
    before = file.read_bytes()
    code = (
        "import resource; from playout.learning import learn\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        f"learn({GAME!r}, episodes=2000, out={str(file)!r})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode != 0 and "File too large; choose another place" in ran.stderr
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]


def test_a_game_without_a_key_is_refused() -> None:
    game = corridor(2)
    names = {role: game.functions[role] for role in ("start", "legal", "play", "mover", "returns")}
    bare = Game("bare", players=1, actions=1, State=game.dtype, **names)
    with pytest.raises(PlayoutError) as error:
        learn(bare, episodes=10)
    assert str(error.value) == (
        "game 'bare' defines no key, and a table tells states apart by it; add def key(state), a number of 64 bits that only equal "
        "positions share"
    )
