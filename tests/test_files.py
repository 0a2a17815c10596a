"""Temporary folders whose owners are gone, names that no file can have, and Ctrl-C from the first moment to the last."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from playout import FileError, PlayoutError
from playout.files import owned, save


def test_what_killed_owners_left_is_cleared_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mine = Path(tempfile.mkdtemp(prefix=owned("playout-worker-")))
    pid, began, place, _ = mine.name.removeprefix("playout-worker-").split("-")
    assert int(pid) == os.getpid()
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    left = [
        tmp_path / f"playout-worker-{gone.pid}-1-{place}-abc",
        tmp_path / f"playout-worker-{pid}-{int(began) + 1}-{place}-abc",
    ]
    others = ["playout-worker-abc", f"playout-worker-{gone.pid}-1-elsewhere-abc", f"playout-fit-{gone.pid}-1-{place}-abc"]
    for folder in (*left, *(tmp_path / name for name in others)):
        folder.mkdir()
        (folder / "shared").write_bytes(b"x")
    owned("playout-worker-")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([mine.name, *others])


def test_a_name_that_no_file_can_have_is_said():
    with pytest.raises(FileError, match=r"^file 'a\\x00b' cannot be: no file has such a name; give another$"):
        save("a\0b", b"")


def test_a_word_of_pages_is_cut_in_messages():
    assert str(PlayoutError(f"option c={'9' * 5000} does not fit")) == f"option c={'9' * 78}... (5,002 characters) does not fit"


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_while_loading_is_no_traceback(presses):
    """The command is stopped as soon as it runs code of ours: a line on the standard error tells."""
    code = "import sys; sys.orig_argv[1:] = ['-m', 'playout']; from playout import starting; print(1, flush=True); import time; time.sleep(30)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None and started.stdout.readline() == "1\n"
        for _ in range(presses):
            started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=60)
    assert (started.returncode, err) == (130, "playout: interrupted\n")


def test_a_second_ctrl_c_right_after_the_first_is_the_same_wish(monkeypatch):
    from playout.starting import QUICK, Interrupts

    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    pressed = Interrupts()
    with pytest.raises(KeyboardInterrupt):
        pressed(signal.SIGINT, None)
    now += QUICK / 2
    pressed(signal.SIGINT, None)
    now += QUICK
    with pytest.raises(KeyboardInterrupt):
        pressed(signal.SIGINT, None)
