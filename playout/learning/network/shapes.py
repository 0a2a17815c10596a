"""The shapes of networks: a residual tower for boards, a transformer for tokens, a plain stack for the rest, each in three sizes.

What goes in is what an encoding writes. What comes out are logits of the action ids, what every player gets (from the viewer on, from -1
to 1), and, where asked for, further targets by name. Whoever imports this needs torch; `needs` says so in a sentence.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval

from playout.errors import PlayoutError, suggest

Targets = tuple[tuple[str, int], ...]
"""Further targets: a name and how many numbers it has."""

KINDS = {"planes": "tower", "tokens": "transformer", "flat": "stack"}
"""Which shape is made for which kind of encoding."""
MOST_ACTIONS = 20_000
"""A policy has an output, and the layer before it a row of weights, for every action id."""
SMALL = 0.1
"""What the last layers are scaled by in the beginning: a network that knows nothing should say so, and not guess."""


class Plan(NamedTuple):
    """How big a shape is."""

    width: int
    depth: int
    squeeze: int
    """Numbers that a cell of the board, or a token, hands to the policy and to the values."""
    hidden: int
    """Width of the layer before the values."""


SIZES = {
    "tower": {"small": Plan(32, 3, 8, 64), "medium": Plan(64, 6, 16, 128), "large": Plan(128, 10, 32, 256)},
    "transformer": {"small": Plan(64, 2, 8, 64), "medium": Plan(128, 4, 16, 128), "large": Plan(256, 8, 32, 256)},
    "stack": {"small": Plan(128, 2, 128, 64), "medium": Plan(256, 4, 256, 128), "large": Plan(512, 6, 512, 256)},
}
"""Every shape in every size. A tower of 3 by 32 plays Connect Four on a processor; 6 by 64 is what a GPU does not notice."""
HEAD_WIDTH = 32
"""Width of one head of attention."""


class Convolution(nn.Module):  # type: ignore[misc]
    """A 3x3 convolution and its normalisation, which `fold` makes one, and what is below 0 cut off."""

    def __init__(self, inner: int, outer: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inner, outer, 3, padding=1, bias=False)
        self.norm: nn.Module = nn.BatchNorm2d(outer)

        self.at_once: bool | None = None
        """Whether a GPU does all of it at once, when it only evaluates; not known before the first time."""

    def forward(self, x: torch.Tensor, past: torch.Tensor | None = None) -> torch.Tensor:
        """With what goes past it added, and nothing below 0 let through."""
        if isinstance(self.norm, nn.Identity) and x.is_cuda and not torch.is_grad_enabled():
            if self.at_once is None:
                self.at_once = self._tried(x, past)
            if self.at_once:
                return self._at_once(x, past)
        return self._in_turn(x, past)

    def _in_turn(self, x: torch.Tensor, past: torch.Tensor | None) -> torch.Tensor:
        found = self.norm(self.conv(x))
        return functional.relu(found if past is None else past + found)

    def _at_once(self, x: torch.Tensor, past: torch.Tensor | None) -> torch.Tensor:
        """The same in one pass over memory, where the plain way takes three."""
        conv = self.conv
        where = (conv.stride, conv.padding, conv.dilation, conv.groups)
        if past is None:
            return torch.cudnn_convolution_relu(x, conv.weight, conv.bias, *where)
        return torch.cudnn_convolution_add_relu(x, conv.weight, past, 1.0, conv.bias, *where)

    def _tried(self, x: Any, past: Any) -> bool:
        """Whether the device can do it, and does what is meant: not every one can, in every number format.

        It is tried on numbers that are not all 0, as those of the first question often are.
        """
        x, past = (None if part is None else _ramp(part) for part in (x, past))
        try:
            found, wanted = self._at_once(x, past).float(), self._in_turn(x, past).float()
            return bool((found - wanted).abs().max() <= 0.02 * (1 + wanted.abs().max()))
        except RuntimeError:
            return False

    def fold(self) -> None:
        """Put the normalisation into the weights; for a network that is not trained any more."""
        if isinstance(self.norm, nn.BatchNorm2d):
            self.conv, self.norm = fuse_conv_bn_eval(self.conv.eval(), self.norm.eval()), nn.Identity()


def _ramp(like: torch.Tensor) -> torch.Tensor:
    """Numbers from -1 to 1, laid out in memory as others are."""
    made = torch.empty_like(like)
    return made.copy_(torch.linspace(-1, 1, like.numel(), device=like.device).reshape(like.shape))


class Residual(nn.Module):  # type: ignore[misc]
    """Two convolutions and a way past them (He et al. 2015)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = Convolution(width, width), Convolution(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x), x)  # type: ignore[no-any-return]


class Attention(nn.Module):  # type: ignore[misc]
    """A layer of a transformer, normalised before each half (Vaswani et al. 2017; Xiong et al. 2020)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.heads = max(1, width // HEAD_WIDTH)
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.asked, self.told = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, tokens, width = x.shape
        parts = self.asked(self.before(x)).view(n, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2])
        x = x + self.told(seen.transpose(1, 2).reshape(n, tokens, width))
        return x + self.narrow(functional.gelu(self.wide(self.after(x))))


class Step(nn.Module):  # type: ignore[misc]
    """A layer of a stack with a way past it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.layer = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + functional.relu(self.layer(self.norm(x)))


class Heads(nn.Module):  # type: ignore[misc]
    """Policy, values and further targets out of (n, cells, width): every cell hands a few numbers to each."""

    def __init__(self, cells: int, plan: Plan, actions: int, players: int, targets: Targets) -> None:
        super().__init__()
        self.players, self.targets = players, targets
        more = sum(width for _, width in targets)
        self.to_policy, self.to_values = nn.Linear(plan.width, plan.squeeze), nn.Linear(plan.width, plan.squeeze)
        self.policy = nn.Linear(cells * plan.squeeze, actions)
        self.hidden, self.values = nn.Linear(cells * plan.squeeze, plan.hidden), nn.Linear(plan.hidden, players + more)
        with torch.no_grad():
            for last in (self.policy, self.values):
                last.weight *= SMALL
                last.bias *= SMALL

    def forward(self, x: torch.Tensor) -> Any:
        logits = self.policy(functional.relu(self.to_policy(x)).flatten(1))
        found = self.values(functional.relu(self.hidden(functional.relu(self.to_values(x)).flatten(1))))
        values = torch.tanh(found[:, : self.players])
        if not self.targets:
            return logits, values
        parts = found[:, self.players :].split([width for _, width in self.targets], dim=1)
        return logits, values, {name: part for (name, _), part in zip(self.targets, parts, strict=True)}


class Tower(nn.Module):  # type: ignore[misc]
    """For boards: convolutions with ways past them, and the heads."""

    def __init__(self, shape: tuple[int, int, int], plan: Plan, actions: int, players: int, targets: Targets) -> None:
        super().__init__()
        self.begin = Convolution(shape[0], plan.width)
        self.blocks = nn.Sequential(*(Residual(plan.width) for _ in range(plan.depth)))
        self.heads = Heads(shape[1] * shape[2], plan, actions, players, targets)

    def forward(self, x: torch.Tensor) -> Any:
        return self.heads(self.blocks(self.begin(x)).flatten(2).transpose(1, 2))


class Transformer(nn.Module):  # type: ignore[misc]
    """For tokens: every token looks at all others. What place a token has is learned, too."""

    def __init__(self, shape: tuple[int, int], plan: Plan, actions: int, players: int, targets: Targets) -> None:
        super().__init__()
        self.begin = nn.Linear(shape[1], plan.width)
        self.places = nn.Parameter(0.02 * torch.randn(shape[0], plan.width))
        self.blocks = nn.Sequential(*(Attention(plan.width) for _ in range(plan.depth)))
        self.norm = nn.LayerNorm(plan.width)
        self.heads = Heads(shape[0], plan, actions, players, targets)

    def forward(self, x: torch.Tensor) -> Any:
        return self.heads(self.norm(self.blocks(self.begin(x) + self.places)))


class Stack(nn.Module):  # type: ignore[misc]
    """For numbers without an order that is known: layers with ways past them."""

    def __init__(self, shape: tuple[int], plan: Plan, actions: int, players: int, targets: Targets) -> None:
        super().__init__()
        self.begin = nn.Linear(shape[0], plan.width)
        self.blocks = nn.Sequential(*(Step(plan.width) for _ in range(plan.depth)))
        self.heads = Heads(1, plan, actions, players, targets)

    def forward(self, x: torch.Tensor) -> Any:
        return self.heads(functional.relu(self.blocks(self.begin(x))).unsqueeze(1))


SHAPES: dict[str, Any] = {"tower": Tower, "transformer": Transformer, "stack": Stack}


def build(
    encoding: Any,
    actions: int,
    players: int,
    size: str = "small",
    targets: Iterable[str | tuple[str, int]] = (),
    seed: int = 0,
) -> nn.Module:
    """The network for an encoding, with weights drawn by the seed; the streams of torch are left as they were.

    `module(x)` takes float32 of shape (n, *encoding.shape) and gives (logits (n, actions), values (n, players)), and a dictionary of further
    targets where there are any. Column 0 of the values is the player whose eyes saw x, column i the i-th after it.
    """
    kind = KINDS[encoding.kind]
    if size not in SIZES[kind]:
        raise PlayoutError(f"size is {size!r}; {suggest(size, SIZES[kind])}")
    if actions > MOST_ACTIONS:
        raise PlayoutError(
            f"the game has {actions:,} action ids, and a network has an output for each, at most {MOST_ACTIONS:,}; give actions fewer ids, or "
            "use a module of your own"
        )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return SHAPES[kind](tuple(encoding.shape), SIZES[kind][size], actions, players, named(targets))


def named(targets: Iterable[str | tuple[str, int]]) -> Targets:
    """Further targets with their widths: a name alone is one number."""
    return tuple((target, 1) if isinstance(target, str) else (str(target[0]), int(target[1])) for target in targets)


def folded(module: nn.Module) -> nn.Module:
    """A copy that only evaluates, and does so faster: normalisations are part of the convolutions before them."""
    made = copy.deepcopy(module).eval()
    for part in made.modules():
        if isinstance(part, Convolution):
            part.fold()
    return made.requires_grad_(False)
