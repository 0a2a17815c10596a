"""Small networks that the kernel evaluates itself: the same numbers as in NumPy, in search, with hidden information, and in files."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import playout
from playout import Search, agents
from playout.engine import embedded, layout
from playout.engine.embedded import value_by_network, weigh_by_network
from playout.engine.layers import answer
from playout.errors import FileError, PlayoutError
from playout.game.encoding import encoding_of
from playout.learning.distil import _Stack, distil
from playout.learning.embedded import Embedded, shares_of
from playout.learning.network.lecture import selfplay_data
from playout.learning.steps import widths


def some_network(spec: str, compiled: bool = False, hidden: tuple[int, ...] = (12, 8), seed: int = 1) -> Embedded:
    """A network that knows nothing, but says something."""
    encoding = encoding_of(playout.load(spec), compiled)
    game = encoding.game
    sizes = [encoding.size, *hidden, game.actions + game.players]
    rng = np.random.default_rng(seed)
    parts = [part for a, b in pairwise(sizes) for part in (rng.normal(0, 1.5 / np.sqrt(a / 4), a * b), rng.normal(0, 0.3, b))]
    return Embedded.stack(encoding, sizes, np.concatenate(parts), game.returns_range or (-1, 1))


def by_numpy(network: Embedded, state: playout.State) -> tuple[np.ndarray, np.ndarray]:
    """Shares of all action ids, and values by player, by plain products."""
    x, game, at = network.encoding(state.copy_array(), state.mover).reshape(-1), network.game, 0
    sizes = widths(network.steps)
    assert sizes is not None
    for inner, outer in pairwise(sizes):
        x = (np.maximum(x, 0) if at else x) @ network.layers[at : at + inner * outer].reshape(inner, outer)
        x += network.layers[at + inner * outer : at + inner * outer + outer]
        at += inner * outer + outer
    shares, (low, high) = np.exp(x[: game.actions]), network.returns
    values = low + (np.tanh(x[game.actions :]) + 1) * (high - low) / 2
    return shares / shares.sum(), np.roll(values, state.mover)


@pytest.mark.parametrize("spec", ["connect-four:columns=5,rows=4", "treasure", "pig:players=3"])
def test_the_kernel_says_what_numpy_says(spec: str) -> None:
    """One at a time, so that evaluator and kernel search alike; treasure has three players, and an encoding that is made."""
    network = some_network(spec)
    words = {"compiled": False, "seed": 4, "solver": False, "trees": 1}
    inside = Search(network.game, value=network, **words)
    decision = inside.run(simulations=60)
    state = inside.state
    assert decision.valued is not None and decision.valued > 20
    priors, worth = by_numpy(network, state)
    shares, values = network.evaluate(state.copy_array())
    assert shares[0] == pytest.approx(priors, rel=1e-4) and values[0] == pytest.approx(worth, rel=1e-4)
    legal = list(state.legal)
    for action in decision.actions:
        assert action.prior == pytest.approx(priors[action.action] / priors[legal].sum(), rel=1e-4)
    if not spec.startswith("pig"):
        first = Search(network.game, value=network, **words).run(state, simulations=1)
        (tried,) = [action for action in first.actions if action.visits]
        _, values = by_numpy(network, state.after(tried.action))
        assert tried.mean == pytest.approx(values[state.mover], rel=1e-4)


@pytest.mark.parametrize("spec", ["tic-tac-toe", "kuhn-poker"])
def test_what_was_said_last_is_not_asked_again(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A leaf is valued, and then asked about its actions. Whether something is asked again changes nothing."""
    network, found, asked = some_network(spec), [], []
    monkeypatch.setattr(embedded, "answer", lambda layers, steps, room: (asked.append(1), answer(layers, steps, room)))
    for forgets in (False, True):
        search = Search(network.game, value=network, seed=5, compiled=False, trees=1)
        tree = search.tree(search.settings, network.game.start(3), 0)
        seen, asked[:] = [], []
        for _ in range(60):
            if forgets:
                tree.sim.learned.room[-1] = 0
            tree.run(1, 1 << 40)
            seen.append(tree.sim.nodes["visits"][: int(tree.sim.head["used"][0])].tobytes())
        found.append((seen, len(asked)))
    assert found[0][0] == found[1][0] and found[0][1] < found[1][1]


def both(sim, lane, player, count):
    """Priors and values of a lane, as a search asks for them: the rest of the kernel is compiled in other tests."""
    weigh_by_network(sim, lane, player, count)
    value_by_network(sim, lane)


@pytest.mark.compiles
@pytest.mark.parametrize("spec", ["tic-tac-toe", "leduc-poker"])
def test_compiled_is_uncompiled(spec: str) -> None:
    """One game with its own encoding, and one that hides something, whose encoding is made."""
    network, found = some_network(spec), []
    for compiled in (False, True):
        search = Search(network.game, value=network, seed=2, compiled=compiled, trees=1)
        for state in (network.game.start(1), network.game.start(2).play(1)):
            tree = search.tree(search.settings, state, 0)
            tree._states[0, layout.NOW] = state.copy_array()[0]
            legal = state.legal
            tree._work[0]["ids"][: len(legal)] = legal
            search.binding.kernel(both)(tree.sim, 0, state.mover, len(legal))
            assert tree._work[0]["weights"][: len(legal)].sum() == pytest.approx(1.0)
            found.append((tree._work[0]["weights"][: len(legal)].tobytes(), tree._work[0]["value"].tobytes()))
    assert found[:2] == found[2:] and found[0] != found[1]


def test_a_hidden_card_is_not_in_it() -> None:
    """Two true states that look the same to the mover give the same search."""
    game, network = playout.load("kuhn-poker"), some_network("kuhn-poker")
    deals = [game.state({"cards": [2, card]}, 7) for card in (1, 3)]
    found = [Search(game, value=network, seed=3, compiled=False).run(state, simulations=100) for state in deals]
    assert [a.visits for a in found[0].actions] == [a.visits for a in found[1].actions]
    many = Search(game, value=network, seed=3, compiled=False, hidden="mo-ismcts").run(deals[0], simulations=100)
    assert many.valued is not None and many.valued > 0


def test_saved_and_read_back(tmp_path: Path) -> None:
    network = some_network("treasure")
    network.made = {"from": "t.net", "agreement": 0.9}
    file = network.save(tmp_path / "t.small")
    again = Embedded.load(file, compiled=False)
    states = network.game.start().copy_array()
    assert again.made == network.made and again.learned.digest == network.learned.digest and again.learned.name == str(file)
    assert np.array_equal(network.evaluate(states)[1], again.evaluate(states)[1])


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    network, file = some_network("tic-tac-toe"), tmp_path / "x.small"
    with pytest.raises(PlayoutError, match=r"'.*x.npz' does not end with .small, by which searches and agents know"):
        network.save(tmp_path / "x.npz")
    with pytest.raises(
        FileError, match=r"network file '.*x.small' does not exist; make one with playout export FILE.net --embed x.small"
    ):
        Embedded.load(file)
    network.save(file)
    with pytest.raises(FileError, match="is of tic-tac-toe, not of connect-four; export one for this game"):
        Embedded.load(file, "connect-four")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match="is damaged or cut short"):
        Embedded.load(file)
    file.write_bytes(b"nothing of that kind")
    with pytest.raises(FileError, match="is damaged or cut short"):
        Embedded.load(file)
    broken = dict(np.load(_saved(network, tmp_path / "y.small")))
    broken["layers"][3] += 1
    np.savez(tmp_path / "z.npz", **broken)
    (tmp_path / "z.npz").rename(file)
    with pytest.raises(FileError, match="its checksum does not fit"):
        Embedded.load(file)
    head = json.loads(broken["meta"].tobytes())
    broken["meta"] = np.frombuffer(json.dumps({**head, "version": 9}).encode(), np.uint8)
    np.savez(tmp_path / "z.npz", **broken)
    (tmp_path / "z.npz").rename(file)
    with pytest.raises(FileError, match="has version 9, this playout reads 2"):
        Embedded.load(file)
    with pytest.raises(PlayoutError, match=r"goes from 27 numbers to 11, and this one has layers of \[27, 4\]"):
        Embedded.stack(network.encoding, [27, 4], np.zeros(112), (-1, 1))
    with pytest.raises(PlayoutError, match=r"layers of \[27, 11\] have 308 weights; these are 307"):
        Embedded.stack(network.encoding, [27, 11], np.zeros(307), (-1, 1))
    with pytest.raises(PlayoutError, match=r"a network has weights of shape \(308,\); at most 16,777,216 in a row, all finite"):
        Embedded.stack(network.encoding, [27, 11], np.full(308, np.nan), (-1, 1))


@pytest.mark.parametrize(
    "returns", [[], [1], [1, 2, 3], ["a", 1], [10**400, 1], [np.nan, 1], [0, np.inf], [1, -1], [-1.7e308, 1.7e308]]
)
def test_a_range_of_returns_that_is_none_is_told(returns: list[float], tmp_path: Path) -> None:
    network, file = some_network("tic-tac-toe"), tmp_path / "x.small"
    with pytest.raises(PlayoutError, match="^a network has returns from .*; two finite numbers, the lower first, can be taken$"):
        Embedded(network.encoding, network.steps, network.layers, returns)
    network.returns = returns
    with pytest.raises(FileError, match="network file '.*x.small': a network has returns from"):
        Embedded.load(network.save(file), compiled=False)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_weights_that_are_too_large_are_not_the_games_fault() -> None:
    network = some_network("tic-tac-toe")
    network.layers *= np.float32(1e38)
    with pytest.raises(PlayoutError, match="the network in the kernel says of a state of 'tic-tac-toe' what is no finite number"):
        Search(network.game, value=network, seed=1, compiled=False).run(simulations=20)
    with pytest.raises(PlayoutError, match="the network in the kernel says of a state of 'tic-tac-toe' what is no finite number"):
        Search(network.game, value=network, seed=1, compiled=False, rule="ucb1").run(simulations=20)


def test_networks_that_say_something_else_have_other_digests() -> None:
    """A kept tree of one must not be gone on with by the other."""
    network = some_network("tic-tac-toe")
    parts = network.encoding, network.steps, network.layers, network.returns
    other = network.steps.copy()
    other["bend"][-1] = 1
    found = [
        Embedded(*parts),
        Embedded(parts[0], other, *parts[2:]),
        Embedded(*parts[:2], network.layers * 2, parts[3]),
        Embedded(*parts[:3], (-5, 1)),
    ]
    assert len({one.learned.digest for one in found}) == 4 and found[0].learned.digest == network.learned.digest


def test_what_values_another_reward_is_not_embedded() -> None:
    """A search with it would go by the returns, and mix the two."""

    class Wins:
        reward = "win"

        def evaluate(self, states):
            raise AssertionError("nobody asks")

    with pytest.raises(
        PlayoutError, match="the network values the reward win, and a search with a network in its kernel goes by the returns"
    ):
        distil("scoundrel", Wins().evaluate)


def test_steps_in_a_file_are_looked_at_before_they_are_believed(tmp_path: Path) -> None:
    """Whoever makes a file anew, checksum and all, gets no further: steps may not leave their room."""
    network, file = some_network("tic-tac-toe"), tmp_path / "x.small"
    network.steps["source"][1] = network.steps["target"][1]
    with pytest.raises(FileError, match="network file '.*x.small': step 1 of a network writes over what it reads"):
        Embedded.load(network.save(file), compiled=False)
    network.steps["at"][0] = 1 << 20
    with pytest.raises(
        FileError, match="network file '.*x.small': step 0 of a network reads weights beyond the 539 that there are"
    ):
        Embedded.load(network.save(file), compiled=False)


def _saved(network: Embedded, file: Path) -> Path:
    return network.save(file)


def centre_first(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tic-tac-toe: the centre, then corners, then the rest; it is worth the difference of what lies there."""
    weights = np.array([4.0, 1, 4, 1, 9, 1, 4, 1, 4])
    game = playout.load("tic-tac-toe")
    boards = encoding_of(game, compiled=False)(states, 0).reshape(len(states), 3, 9)
    value = (boards[:, 0] - boards[:, 1]) @ weights / 30
    return np.tile(weights**2, (len(states), 1)), np.stack([value, -value], axis=1)


def test_a_small_network_follows_an_evaluator(tmp_path: Path) -> None:
    words = {"positions": 2500, "hidden": (24,), "epochs": 60, "seed": 1, "compiled": False}
    found = distil("tic-tac-toe", centre_first, **words)
    assert found.apart > 100 and found.positions + found.apart == 2500
    assert found.low > 0.9
    assert found.error < 0.12 and "the best action is the same in" in found.words()
    again = distil("tic-tac-toe", centre_first, **words)
    assert np.array_equal(found.network.layers, again.network.layers), "same seed, same bits"
    file = found.network.save(tmp_path / "t.small")
    decision = Search("tic-tac-toe", value=Embedded.load(file, compiled=False), compiled=False, trees=1).run(simulations=30)
    assert decision.name == "b2" and max(decision.actions, key=lambda action: action.prior).name == "b2"


def test_a_small_network_learns_from_positions_that_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = selfplay_data("tic-tac-toe", "uct:simulations=8", games=60, device="cpu", compiled=False)["state"]
    words = {"states": rows, "hidden": (12,), "epochs": 300, "seed": 1, "compiled": False}
    monkeypatch.setattr("playout.learning.distil.BLOCK", 20)
    found = distil("tic-tac-toe", centre_first, **words)
    assert found.positions + found.apart == len(rows) > 300 and found.apart % 20 == 0 and found.agreement > 0.7
    monkeypatch.setattr("playout.learning.distil.ROOM", 0)
    again = distil("tic-tac-toe", centre_first, **words)
    assert np.array_equal(found.network.layers, again.network.layers), "whether all of them are seen at once makes no difference"


@pytest.mark.parametrize("count", [100, 150, 900, 1500])
def test_a_tenth_is_held_back_of_few_positions_too(count: int) -> None:
    rows = selfplay_data("tic-tac-toe", "uct:simulations=2", games=count // 4, device="cpu", compiled=False)["state"][:count]
    assert len(rows) == count
    found = distil("tic-tac-toe", centre_first, states=rows, hidden=(4,), epochs=1, compiled=False)
    assert found.positions + found.apart == count and 0.05 <= found.apart / count <= 0.15


def test_shares_of_legal_actions() -> None:
    assert shares_of(np.array([0.5, 0.3, 0.1, 0.1]), [1, 3]) == pytest.approx({1: 0.75, 3: 0.25})
    assert shares_of(np.array([1.0, 0.0, 0.0]), [1, 2]) == {1: 0.5, 2: 0.5}, "all that was said is about others"


def test_what_cannot_be_made_small_is_said() -> None:
    with pytest.raises(PlayoutError, match=r"hidden=\(\) and positions=20000 cannot be used"):
        distil("tic-tac-toe", centre_first, hidden=())
    with pytest.raises(
        PlayoutError,
        match=r"states is an array of float64 and shape \(500,\); give at least 100 records of 'tic-tac-toe' in a row",
    ):
        distil("tic-tac-toe", centre_first, states=np.zeros(500), compiled=False)
    over = playout.load("tic-tac-toe").start()
    for move in ("a1", "b1", "a2", "b2", "a3"):
        over = over.play(move)
    states = np.concatenate([playout.load("tic-tac-toe").start().copy_array()] * 100 + [over.copy_array()])
    with pytest.raises(PlayoutError, match="state 100 of those given is over"):
        distil("tic-tac-toe", centre_first, states=states, compiled=False)


def test_slopes_are_those_of_the_loss() -> None:
    rng = np.random.default_rng(1)
    stack = _Stack([5, 4, 3 + 2], rng)
    stack.weights = stack.weights.astype(np.float64)
    batch, shares, legal = rng.normal(size=(6, 5)), rng.dirichlet(np.ones(3), 6), np.ones((6, 3), bool)
    values = rng.uniform(-1, 1, (6, 2))

    def loss() -> float:
        out = batch
        for place, (table, bias) in enumerate(stack.parts(stack.weights)):
            out = out @ table + bias
            out = np.maximum(out, 0) if place == 0 else out
        logits = out[:, :3] - np.log(np.exp(out[:, :3]).sum(axis=1, keepdims=True))
        return float(-(shares * logits).sum(axis=1).mean() + ((np.tanh(out[:, 3:]) - values) ** 2).mean())

    slope = stack.slope(batch, shares, legal, values)
    for place in range(len(stack.weights)):
        before, ends = stack.weights[place], []
        for step in (1e-6, -1e-6):
            stack.weights[place] = before + step
            ends.append(loss())
        stack.weights[place] = before
        assert slope[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)


@pytest.mark.compiles
def test_agents_and_commands_take_the_file(tmp_path: Path) -> None:
    file = some_network("tic-tac-toe").save(tmp_path / "t.small")
    recipe = agents.recipe(f"uct:value={file},simulations=20", playout.load("tic-tac-toe"))
    assert f"value={file}" in recipe.name and "rule=puct" in recipe.name and recipe.digest
