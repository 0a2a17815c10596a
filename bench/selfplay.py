"""Moves of self-play a second: this library, and mctx with the Connect Four of pgx, with one network and in one run.

python bench/selfplay.py                              Connect Four, 64 simulations a move, a tower of 6 blocks of 64 channels
python bench/selfplay.py --device cuda --abreast 4096 --seconds 20

Both play whole games with a Gumbel root, every move with its own search from the root, and both evaluate in bfloat16 on a GPU. Weights are
drawn, not learned: what a tower says costs the same. Compiling is not counted. mctx and pgx are measured where they are installed
(pip install mctx pgx), in turns with ours.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
from collections.abc import Callable
from typing import Any

WIDTH, DEPTH = 64, 6
"""The tower of size medium."""


def ours(abreast: int, simulations: int, device: str) -> Callable[[float], tuple[int, float, str]]:
    """f(seconds) -> (moves, seconds they took, where the time went)."""
    from playout.game.load import load
    from playout.learning.network.network import Network
    from playout.learning.network.selfplay import SelfPlay
    from playout.learning.network.settings import NetworkSettings
    from playout.learning.network.watched import Watched

    game = load("connect-four")
    watched = Watched(Network(game, size="medium", device=device))
    play = SelfPlay(game, watched, NetworkSettings(abreast=abreast, simulations=simulations), 1)
    play.play(2 * abreast)

    def measure(seconds: float) -> tuple[int, float, str]:
        before, spent = play.decided, play.seconds
        parts = play.together.in_trees, watched.encoding, watched.asking
        while play.seconds - spent < seconds:
            play.play(8 * abreast)
        took = play.seconds - spent
        now = play.together.in_trees, watched.encoding, watched.asking
        trees, encoding, network = ((b - a) / took for a, b in zip(parts, now))
        return (
            play.decided - before,
            took,
            f"trees {trees:.0%}, encoding {encoding:.0%}, network {network:.0%}, rules {1 - trees - encoding - network:.0%}",
        )

    return measure


def theirs(abreast: int, simulations: int) -> Callable[[float], tuple[int, float, str]]:
    """The same with mctx and pgx."""
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx

    env: Any = pgx.make("connect_four")
    key = jax.random.PRNGKey(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, abreast))
    rows, columns, planes = state.observation.shape[1:]

    def drawn(shape: tuple[int, ...], inputs: int) -> Any:
        nonlocal key
        key, use = jax.random.split(key)
        return (jax.random.normal(use, shape) / inputs**0.5).astype(jnp.bfloat16)

    def kernel(inputs: int) -> Any:
        return drawn((3, 3, inputs, WIDTH), 9 * inputs)

    squeeze, cells = 16, rows * columns
    weights = {
        "first": kernel(planes),
        "blocks": [(kernel(WIDTH), kernel(WIDTH)) for _ in range(DEPTH)],
        "heads": [drawn((WIDTH, squeeze), WIDTH) for _ in range(2)],
        "policy": drawn((squeeze * cells, env.num_actions), squeeze * cells),
        "hidden": drawn((squeeze * cells, 128), squeeze * cells),
        "value": drawn((128, 1), 128),
    }

    def forward(parts: Any, seen: Any) -> Any:
        def seen_by(x: Any, part: Any) -> Any:
            return jax.lax.conv_general_dilated(x, part, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

        x = jax.nn.relu(seen_by(seen.astype(jnp.bfloat16), parts["first"]))
        for one, two in parts["blocks"]:
            x = jax.nn.relu(x + seen_by(jax.nn.relu(seen_by(x, one)), two))
        squeezed = [jax.nn.relu(x @ head).reshape(len(x), -1) for head in parts["heads"]]
        value = jax.nn.relu(squeezed[1] @ parts["hidden"]) @ parts["value"]
        return (squeezed[0] @ parts["policy"]).astype(jnp.float32), jnp.tanh(value[:, 0].astype(jnp.float32))

    def recurrent(model: Any, rng: Any, action: Any, here: Any) -> Any:
        mover = here.current_player
        after = jax.vmap(env.step)(here, action)
        logits, value = forward(model, after.observation)
        logits = jnp.where(after.legal_action_mask, logits, jnp.finfo(logits.dtype).min)
        reward = after.rewards[jnp.arange(len(action)), mover]
        value = jnp.where(after.terminated, 0.0, value)
        discount = jnp.where(after.terminated, 0.0, -1.0)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), after

    def move(state: Any, key: Any) -> Any:
        one, two = jax.random.split(key)
        logits, value = forward(weights, state.observation)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        found = mctx.gumbel_muzero_policy(
            weights,
            one,
            root,
            recurrent,
            simulations,
            invalid_actions=~state.legal_action_mask,
            max_num_considered_actions=16,
            gumbel_scale=1.0,
        )
        after = jax.vmap(env.step)(state, found.action)
        fresh = jax.vmap(env.init)(jax.random.split(two, abreast))
        return jax.tree_util.tree_map(
            lambda a, b: jnp.where(after.terminated.reshape(-1, *([1] * (a.ndim - 1))), a, b), fresh, after
        )

    step = jax.jit(move)
    state = jax.block_until_ready(step(state, key))

    def measure(seconds: float) -> tuple[int, float, str]:
        nonlocal state, key
        began, moves = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            key, use = jax.random.split(key)
            state = jax.block_until_ready(step(state, use))
            moves += abreast
        return moves, time.perf_counter() - began, f"jax {jax.__version__} on {jax.default_backend()}"

    return measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto", help="of our network: auto, cpu or cuda")
    parser.add_argument(
        "--abreast", type=int, nargs="+", default=[1024], help="games side by side; several are measured one after the other"
    )
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement; the best of three counts")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = []
    for abreast in options.abreast:
        sides = {"playout": ours(abreast, options.simulations, options.device)}
        if all(importlib.util.find_spec(name) for name in ("mctx", "pgx")):
            sides["mctx"] = theirs(abreast, options.simulations)
        best: dict[str, tuple[float, str]] = {}
        for _ in range(3):
            for name, measure in sides.items():
                moves, seconds, words = measure(options.seconds)
                best[name] = max(best.get(name, (0.0, "")), (moves / seconds, words))
        found.append(
            {"abreast": abreast, **{name: {"moves_per_second": rate, "words": words} for name, (rate, words) in best.items()}}
        )
        if not options.json:
            for name, (rate, words) in best.items():
                print(
                    f"{abreast:,} games abreast, {options.simulations} simulations: {name} {rate:,.0f} moves a second ({words})",
                    flush=True,
                )
            if "mctx" not in best:
                print("mctx and pgx are not installed here, and were left out")
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
