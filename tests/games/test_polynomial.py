"""Random polynomial games: scale, seeds, and the reference against a solver that shares nothing with it."""

from __future__ import annotations

import numpy as np
import pytest

import playout
from playout import PlayoutError
from playout.truth import reference

KNOWN = (-0.8500143325919267, 0.3876770397671894, -2.4965208893098563)


class Many:
    """Arrays in place of the numbers of an action: `payoffs` works on any number type, arrays among them."""

    def __init__(self, *columns):
        self.columns = columns

    def __getitem__(self, place):
        return self.columns[place[0]]


def pay(game, *columns):
    out = [0.0] * game.players
    game.functions["payoffs"](Many(*np.broadcast_arrays(*columns)), out, None)
    return np.array(out)


def by_grid(game, x, fine=2001):
    """The first player's payoff at x of a three-stage game with two dense grids and a parabola through the best points."""
    grid = np.linspace(-1, 1, fine)
    z = np.linspace(-1, 1, 401)
    values = pay(game, x, grid[:, None], z[None, :])[2]
    best = values.argmax(axis=1)
    inside = np.clip(best, 1, len(z) - 2)
    rows = np.arange(fine)
    a, b, c = (values[rows, inside + k] for k in (-1, 0, 1))
    bend = a - 2 * b + c
    shift = np.where((best == inside) & (bend < 0), 0.5 * (a - c) / np.where(bend < 0, bend, -1.0), best - inside)
    reply = z[inside] + shift * (z[1] - z[0])
    own = pay(game, x, grid, reply)
    return own[0, own[1].argmax()]


def test_scale_and_seeds():
    rng = np.random.default_rng(0)
    for seed in range(3):
        game = playout.load(f"polynomial:seed={seed},curve=0,degree=4")
        spread = pay(game, *rng.uniform(-1, 1, (3, 20_000))).std(axis=1)
        assert np.all(spread > 0.5) and np.all(spread < 2.0)
    one, other = playout.load("polynomial:seed=1"), playout.load("polynomial:seed=2")
    assert one.start().replay([0.5, 0.5, 0.5]).returns != other.start().replay([0.5, 0.5, 0.5]).returns
    assert playout.load("polynomial:curve=0").start().replay([0.0, 0.0, 0.0]).returns == (0.0, 0.0, 0.0)


def test_known_numbers():
    """The numbers of a seed are part of every result measured on it: they must not change."""
    assert playout.load("polynomial", curve=2.5).start().replay([0.5, -0.25, 0.75]).returns == pytest.approx(KNOWN, abs=1e-9)


@pytest.mark.compiles
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_reference_is_right(seed):
    game = playout.load(f"polynomial:seed={seed}")
    found = reference(game)
    assert found.certified
    # Where the second player's answer jumps, the first one's best action lies just beside the jump, and a grid sees it later.
    near = [by_grid(game, found.actions[0][0] + step) for step in (0.0, -2e-3, 2e-3)]
    assert max(near) == pytest.approx(found.payoffs[0], abs=1e-2)
    # A grid that solves the replies only nearly may be above the truth, and hardly so.
    assert max(by_grid(game, x, 301) for x in np.linspace(-1, 1, 81)) <= found.payoffs[0] + 2e-2


@pytest.mark.compiles
def test_stages_and_dimensions():
    game = playout.load("polynomial:stages=2,dimension=2,degree=2")
    assert game.players == 2 and game.shape.dimension == 2
    assert reference(game).certified
    with pytest.raises(
        PlayoutError, match=r"^parameters stages=4, dimension=6 and degree=6 make 593,774 terms, and at most 5,000"
    ):
        playout.load("polynomial:stages=4,dimension=6,degree=6")
