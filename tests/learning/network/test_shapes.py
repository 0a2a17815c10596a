"""The shapes: what goes in, what comes out, by which seed, and what is refused."""

from types import SimpleNamespace

import pytest
import torch

from playout.errors import PlayoutError
from playout.learning.network import shapes

WAYS = {"planes": (3, 4, 5), "tokens": (6, 4), "flat": (11,)}


def built(kind, **words):
    words = {"actions": 7, "players": 3, **words}
    return shapes.build(SimpleNamespace(kind=kind, shape=WAYS[kind]), **words)


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("size", ["small", "medium"])
def test_every_shape_gives_logits_and_what_every_player_gets(kind, size):
    logits, values = built(kind, size=size).eval()(torch.rand(5, *WAYS[kind]))
    assert logits.shape == (5, 7) and values.shape == (5, 3)
    assert values.abs().max() < 1 and values.std() > 0, "values lie between -1 and 1, and depend on the state"


def test_sizes_grow():
    counts = {
        kind: [sum(p.numel() for p in built(kind, size=size).parameters()) for size in ("small", "medium", "large")]
        for kind in WAYS
    }
    assert all(a < b < c for a, b, c in counts.values())
    scoundrel = shapes.build(SimpleNamespace(kind="tokens", shape=(49, 20)), 10, 1, "medium")
    assert 700_000 < sum(p.numel() for p in scoundrel.parameters()) < 1_000_000, "4 layers of width 128"


@pytest.mark.parametrize("kind", WAYS)
def test_further_targets_have_a_head_each(kind):
    module = built(kind, targets=("length", ("score", 21))).eval()
    x = torch.rand(2, *WAYS[kind])
    _, values, more = module(x)
    assert {name: tuple(part.shape) for name, part in more.items()} == {"length": (2, 1), "score": (2, 21)}
    assert torch.equal(values[:1], module(x)[1][:1])


@pytest.mark.parametrize("kind", WAYS)
def test_the_same_seed_draws_the_same_weights_and_leaves_torch_alone(kind):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    one, two, other = built(kind, seed=1), built(kind, seed=1), built(kind, seed=2)
    assert torch.equal(torch.rand(3), expected)
    pairs = list(zip(one.parameters(), two.parameters(), strict=True))
    assert all(torch.equal(a, b) for a, b in pairs)
    assert not all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_every_weight_of_a_shape_is_learned():
    """A layer that nothing flows through would be a part of the file and of nothing else."""
    for kind, shape in WAYS.items():
        module = built(kind)
        logits, values = module(torch.rand(8, *shape))
        (logits.square().sum() + values.square().sum()).backward()
        for name, part in module.named_parameters():
            assert part.grad is not None and part.grad.abs().sum() > 0, f"{kind}: {name}"


def test_folded_is_the_same_network_and_leaves_the_one_that_is_trained():
    module = built("planes")
    module.train()
    for _ in range(20):
        module(torch.rand(16, *WAYS["planes"]) * 3 - 1)  # running statistics that are not 0 and 1
    x, fast = torch.rand(4, *WAYS["planes"]), shapes.folded(module)
    assert module.training and isinstance(module.begin.norm, torch.nn.BatchNorm2d)
    assert isinstance(fast.begin.norm, torch.nn.Identity)
    for a, b in zip(module.eval()(x), fast(x), strict=True):
        assert torch.allclose(a, b, atol=1e-5)


def test_what_cannot_be_built_is_said():
    with pytest.raises(PlayoutError, match="^size is 'smal'; did you mean 'small'\\?$"):
        built("flat", size="smal")
    with pytest.raises(PlayoutError) as error:
        built("flat", actions=70_000)
    assert str(error.value) == (
        "the game has 70,000 action ids, and a network has an output for each, at most 20,000; give actions fewer ids, or use a module of "
        "your own"
    )
