"""Running a command line within the test's process, as a user would: exit code, standard output, standard error."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import playout
from playout.cli.main import run


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The standard output as JSON: fails when anything else was printed there."""
        assert self.code == 0, self.err
        return json.loads(self.out)


Cli = Callable[..., Ran]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    def call(*words: str, typed: str = "") -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        capsys.readouterr()
        code = run(words)
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return call


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """For commands that search games which nobody else tests: machine code would take a minute, and gives the same numbers."""
    real = playout.Search.__init__

    def made(self: Any, *given: Any, **words: Any) -> None:
        real(self, *given, **{**words, "compiled": False})

    monkeypatch.setattr(playout.Search, "__init__", made)
