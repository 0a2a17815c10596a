"""`playout devices`, and the device of a check."""

from __future__ import annotations

import pytest

from playout.compile.cuda import why_not
from tests.cli.conftest import Cli


def test_devices_are_listed(cli: Cli) -> None:
    cores, gpu = cli("devices", "--json").data["devices"]
    assert cores["name"] == "cpu" and "core" in cores["words"] and cores["room_bytes"] > 0
    assert gpu["name"] == "cuda" and gpu["why"] == why_not() and bool(gpu["words"]) != bool(gpu["why"])
    said = cli("devices").out
    assert said.startswith("cpu   ") and "\ncuda  " in said


@pytest.mark.compiles
def test_what_trees_of_a_game_take(cli: Cli) -> None:
    cores, _ = cli("devices", "tic-tac-toe", "--simulations", "100", "--json").data["devices"]
    assert 0 < cores["tree_bytes"] < 100_000 and cores["trees"] == cores["room_bytes"] // cores["tree_bytes"]


def test_a_device_that_is_none_is_refused(cli: Cli) -> None:
    ran = cli("check", "nim", "--device", "gpu")
    assert ran.code == 2 and ran.err == "playout: device is 'gpu'; write --device cpu or --device cuda\n"
