"""Rates of many trees at once: what is measured, and what is said where nothing can be."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from playout.bench import device
from playout.cli.main import app
from playout.errors import PlayoutError


@pytest.mark.compiles
def test_the_cores_are_measured_where_no_gpu_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        device, "CASES", (device.Case("small", "tic-tac-toe", 999, 20, {}, 400.0), device.Case("other", "nim", 9, 9))
    )
    ran = CliRunner().invoke(app, ["bench", "--device", "cpu", "--only", "small", "--repeats", "1", "--json"])
    assert ran.exit_code == 0, ran.output
    (line,) = json.loads(ran.stdout)["lines"]
    (rate,) = line["rates"]
    assert rate["device"] == "cpu" and rate["kernels"] >= rate["whole"] > 0
    assert rate["trees"] % device.ON_CORES == 0 and line["met"] is None and line["same"] is None
    assert json.loads(ran.stdout)["notes"] == ["no GPU was measured: these are the cores alone"]


def test_a_row_that_is_not_there_is_said() -> None:
    with pytest.raises(PlayoutError, match="no row is called 'nothing'; the rows are connect-four, "):
        device.measure("cpu", ["nothing"])
