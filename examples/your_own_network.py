"""A torch module of your own, fitted and searched: a small network for Connect Four in plain torch, seen by playout as any other."""

from pathlib import Path

import numpy as np
import torch

import playout
from playout.game.encoding import encoding_of
from playout.learning.network import Network

GAME = str(Path(__file__).with_name("connect_four.py"))


class Small(torch.nn.Module):
    """What playout asks of a module: x of shape (n, *encoding) in, logits of all actions and what every player gets out.

    Column 0 of the values is the player who sees x, the one to move; column 1 is the next. Values lie between -1 and 1.
    """

    def __init__(self, inputs: int, actions: int, players: int) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(inputs, 64), torch.nn.ReLU())
        self.policy, self.values = torch.nn.Linear(64, actions), torch.nn.Linear(64, players)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen = self.body(x)
        return self.policy(seen), torch.tanh(self.values(seen))


def positions(game: playout.Game, games: int) -> tuple[np.ndarray, np.ndarray]:
    """States of random games, and what each player got in the end."""
    states, results = [], []
    for seed in range(games):
        state, stream, course = game.start(seed), playout.Stream(seed, 1), []
        while not state.over:
            course.append(state.copy_array())
            state = state.play(state.random(stream))
        states += course
        results += [state.returns] * len(course)
    return np.concatenate(states), np.array(results)


def fit(network: Network, states: np.ndarray, results: np.ndarray, steps: int) -> tuple[float, float]:
    """Teach the values of random games by a few steps of gradient descent: the error before and after. A real run learns from self-play."""
    movers = network.movers(states)
    x = torch.from_numpy(network.encoding(states, movers))
    told = torch.from_numpy(network.relative(results, movers)).float()
    errors = []
    for _ in range(steps):
        _, values = network.module(x)
        error = (values - told).square().mean()
        network.module.zero_grad()
        error.backward()
        with torch.no_grad():
            for weights in network.module.parameters():
                if weights.grad is not None:
                    weights -= 0.3 * weights.grad
        errors.append(float(error.detach()))
    return errors[0], errors[-1]


def main(games: int = 60, steps: int = 200, simulations: int = 400, compiled: bool = True) -> playout.Decision:
    game = playout.load(GAME)
    torch.manual_seed(1)
    encoding = encoding_of(game, compiled)
    network = Network(game, Small(encoding.size, game.actions, game.players), encoding=encoding, compiled=compiled)
    before, after = fit(network, *positions(game, games), steps)
    print(f"squared error of the values: {before:.3f} before, {after:.3f} after")
    search = playout.Search(game, evaluator=network, seed=1, compiled=compiled)
    decision = search.run(simulations=simulations)
    print(decision)
    print(decision.why())
    return decision


if __name__ == "__main__":
    main()
