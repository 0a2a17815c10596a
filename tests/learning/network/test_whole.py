"""A network as steps for the kernel: it says what torch says, for every shape, and plays without torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import playout
from playout import Search
from playout.errors import PlayoutError
from playout.learning.embedded import Embedded
from playout.learning.network import Network
from playout.learning.network.network import random_positions
from playout.learning.network.whole import differences, whole
from tests.learning.network.standin import Bytes

torch = pytest.importorskip("torch")
KINDS = (("planes", (2, 3, 4)), ("tokens", (5, 6)), ("flat", (24,)))


def moved(network: Network) -> Network:
    """As after training: nothing is 0 or 1 any more, and normalisations have seen something."""
    made = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for part in (*network.module.parameters(), *network.module.buffers()):
            if part.dtype.is_floating_point:
                part.add_(0.05 * torch.rand(part.shape, generator=made))
    return network


def some_states(game: playout.Game, count: int) -> np.ndarray:
    rows = [state.copy_array() for state in random_positions(game) if not state.over]
    return np.concatenate(rows)[:: max(1, len(rows) // count)][:count]


@pytest.mark.parametrize(("kind", "shape"), KINDS)
@pytest.mark.parametrize("spec", ["tic-tac-toe", "pig:players=3"])
def test_steps_say_what_torch_says(spec: str, kind: str, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Further targets are left out; a transformer of two heads, so that each has its own questions."""
    monkeypatch.setattr("playout.learning.network.shapes.HEAD_WIDTH", 4)
    from playout.learning.network import shapes

    name = shapes.KINDS[kind]
    monkeypatch.setitem(shapes.SIZES[name], "small", shapes.Plan(8, 2, 3 if kind != "flat" else 8, 6))
    game = playout.load(spec)
    encoding = Bytes(game, kind, shape)
    encoding.compiled = False
    network = moved(
        Network(game, encoding=encoding, seed=1, device="cpu", targets=("length", ("score", 3)), returns=(-2, 5), compiled=False)
    )
    small = whole(network)
    states = some_states(game, 4)
    x = encoding(states, network.movers(states))
    logits, values = network.ask(x)
    found = small.outputs(x.reshape(len(x), -1))
    assert found[:, : game.actions] == pytest.approx(logits, abs=2e-5)
    assert np.tanh(found[:, game.actions :]) == pytest.approx(values, abs=2e-5)
    assert np.ptp(logits, axis=0).max() > 1e-3, "states are told apart"
    priors, worth = small.evaluate(states)
    assert priors == pytest.approx(network.evaluate(states)[0], abs=1e-5) and worth == pytest.approx(
        network.evaluate(states)[1], abs=1e-4
    )


@pytest.mark.compiles
def test_a_tower_in_the_kernel_is_the_network_and_needs_no_torch(tmp_path: Path) -> None:
    network = moved(Network("tic-tac-toe", seed=1, device="cpu"))
    small = whole(network)
    count, shares, values = differences(network, small)
    assert count > 20 and shares < 1e-5 and values < 1e-5
    file = small.save(tmp_path / "toe.small")
    decision = Search("tic-tac-toe", value=Embedded.load(file), seed=1).run(simulations=64)
    wanted, _ = network.look(decision.state)
    assert {a.action: a.prior for a in decision.actions} == pytest.approx(wanted, abs=1e-5)
    code = (
        "import sys, playout; sys.modules['torch'] = sys.modules['safetensors'] = None; from playout.learning.embedded import Embedded; "
        f"print(playout.search('tic-tac-toe', value=Embedded.load({str(file)!r}), seed=1, simulations=64).name)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == decision.name
    )


def test_a_network_of_another_reward_is_not_taken_over() -> None:
    network = Network("scoundrel", size="small", device="cpu", reward="win", compiled=False)
    with pytest.raises(
        PlayoutError, match="the network values the reward win, and a search with a network in its kernel goes by the returns"
    ):
        whole(network)


def test_a_module_of_somebodys_own_is_not_taken_over() -> None:
    class Mine(torch.nn.Module):
        def forward(self, x):
            return torch.zeros(len(x), 9), torch.zeros(len(x), 2)

    network = Network("tic-tac-toe", module=Mine(), device="cpu", compiled=False)
    with pytest.raises(
        PlayoutError, match="the network is a module of your own, and the kernel knows the steps of the library's shapes"
    ):
        whole(network)
