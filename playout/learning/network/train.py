"""Training: steps on samples of the window, towards what searches found and how games ended; who plays is a mean over the weights.

Which samples a step takes, and which way round, depends on the seed and the generation alone. A processor with the same number of threads,
or the same GPU, gives the same bits.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller
from typing import Any

import numpy as np

from playout.errors import PlayoutError
from playout.game.stream import BATCHES, seed_word
from playout.learning.network.batches import Batch, Maker
from playout.learning.network.needs import needed
from playout.learning.network.network import Network
from playout.learning.network.settings import NetworkSettings
from playout.learning.network.targets import check_targets, loss_of
from playout.learning.network.window import Window

Array = np.ndarray[Any, Any]
WARM_UP = 10
"""The mean over the weights begins short: after t steps the old one keeps at most (1 + t) / (WARM_UP + t)."""
CLIP = 5.0
"""The longest step of all weights together, before Adam scales it."""


TOGETHER = 128
"""Rows that a transformer is trained on at a time, on a processor: what it remembers of more does not fit where it is near (Scoundrel, `small`,
one thread: 2,124 rows a second, and 1,437 with 1,024 at a time)."""
FURTHER = 0.5
"""What further targets weigh beside the policy and the values."""


class Losses:
    """What training has found lately: means over the steps since it was last asked."""

    def __init__(self) -> None:
        self.policy = self.value = 0.0
        self.steps = 0

    def add(self, policy: float, value: float) -> None:
        self.policy, self.value, self.steps = self.policy + policy, self.value + value, self.steps + 1

    def taken(self) -> tuple[float, float] | None:
        """(policy, value) on average; counted anew from now on."""
        if not self.steps:
            return None
        found = self.policy / self.steps, self.value / self.steps
        self.policy = self.value = 0.0
        self.steps = 0
        return found


class Adam:
    """AdamW (Loshchilov, Hutter 2019) by torch's own function: making its optimizer object would load torch's compiler, for seconds."""

    def __init__(self, module: Any, rate: float, shrink: float) -> None:
        torch = needed("torch")
        self.function = needed("torch.optim.adamw").adamw
        self.torch, self.rate, self.shrink = torch, rate, shrink
        self.weights = list(module.parameters())
        self.means, self.squares = ([torch.zeros_like(part, requires_grad=False) for part in self.weights] for _ in range(2))
        self.steps = [torch.zeros(()) for _ in self.weights]

    @property
    def known(self) -> dict[str, Any]:
        """All that it knows, by name."""
        columns = {"mean": self.means, "square": self.squares, "step": self.steps}
        return {f"{place}.{name}": part for name, parts in columns.items() for place, part in enumerate(parts)}

    def step(self) -> None:
        """Move the weights along their gradients."""
        with self.torch.no_grad():
            self.function(
                self.weights,
                [part.grad for part in self.weights],
                self.means,
                self.squares,
                [],
                self.steps,
                foreach=True,
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=self.rate,
                weight_decay=self.shrink,
                eps=1e-8,
                maximize=False,
            )


class Trainer:
    """Trains a network: its own module is the mean that plays, beside it are the weights that move."""

    def __init__(self, network: Network, settings: NetworkSettings, seed: int = 0) -> None:
        self.network, self.settings, self.seed = network, settings, seed
        self.torch = needed("torch")
        # A processor trains planes in this order a third faster; on a GPU the order is left as it is.
        layout = network._layout if network.device.type == "cpu" else {}
        self._laid: Callable[[Any], Any] = methodcaller("to", **layout) if layout else lambda thing: thing
        self.module = self._laid(copy.deepcopy(network.module).train())
        network.module.eval().requires_grad_(False)
        self.together = TOGETHER if network.device.type == "cpu" and network.shape == "transformer" else None
        """Rows whose gradients are found at a time; None for a whole batch."""
        self.optimizer = Adam(self.module, settings.rate, settings.shrink)
        check_targets(network.game, network.targets)
        self.maker = Maker(network, settings)
        self.steps = 0
        self.losses = Losses()

    def train(self, window: Window, generation: int, steps: int) -> None:
        """So many steps on samples of the window, drawn for this generation."""
        lots = np.random.default_rng([seed_word(self.seed, BATCHES, generation)])

        def batch() -> Batch:
            return self.maker.batch(window.take(lots.integers(0, len(window), self.settings.sample)), lots)

        found: list[Any] = []
        with self.network._alone(), ThreadPoolExecutor(1) as beside:
            # While a GPU is at a step, the next batch is made; a processor would do nothing sooner.
            later = beside.submit(batch) if self.network.device.type != "cpu" and steps else None
            for left in range(steps - 1, -1, -1):
                if later is None:
                    now = batch()
                else:
                    now = later.result()
                    later = beside.submit(batch) if left else later
                found.append(self.step(now))
        self.note(found)

    def note(self, found: list[Any]) -> None:
        """The losses of some steps, asked for only now: whoever asks waits until the device is done."""
        for policy, value in self.torch.stack(found).cpu().tolist() if found else ():
            if not np.isfinite([policy, value]).all():
                raise PlayoutError(
                    f"training has left all bounds after {self.steps:,} steps (the loss is no finite number); give a lower rate than {self.settings.rate:g}"
                )
            self.losses.add(policy, value)

    def step(self, batch: Batch) -> Any:
        """One step towards what a batch says; the losses of policy and value."""
        self.module.train()
        self.module.zero_grad(set_to_none=True)
        size, rows = len(batch.seen), self.together or len(batch.seen)
        losses = 0.0
        for first in range(0, size, rows):
            part = batch.rows(slice(first, first + rows))
            # All losses are means over rows, so those of parts add up by their sizes.
            losses = losses + self._slopes(part, len(part.seen) / size)
        self.torch.nn.utils.clip_grad_norm_(self.module.parameters(), CLIP)
        self.optimizer.step()
        self._follow()
        self.steps += 1
        return losses

    def _slopes(self, batch: Batch, weight: float) -> Any:
        """Add to the gradients what some rows say, by their weight; the losses of policy and value, likewise."""
        torch, device = self.torch, self.network.device
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=device.type == "cuda"):
            logits, found, *further = self.module(self._laid(batch.seen))
        # Only legal actions are compared: what a network says of others is never read.
        shares = torch.log_softmax(logits.float().masked_fill(~batch.legal, -1e9), dim=1)
        policy_loss = -(batch.policy * shares).sum(dim=1).mean()
        # Where nobody knows what a position is worth there is nothing to learn of it.
        known = ~torch.isnan(batch.values)
        value_loss = ((found.float() - torch.nan_to_num(batch.values)).square() * known).mean()
        loss = policy_loss + value_loss
        if batch.goals:
            loss = loss + FURTHER * loss_of(torch, further[0], batch.goals)
        (weight * loss).backward()
        return weight * torch.stack([policy_loss.detach(), value_loss.detach()])

    def _follow(self) -> None:
        """Move the mean that plays a little towards the weights as they are now."""
        part = 1 - min(self.settings.average, (1 + self.steps) / (WARM_UP + self.steps))
        with self.torch.no_grad():
            for mean, now in zip(self._parts(self.network.module), self._parts(self.module), strict=True):
                if mean.is_floating_point():
                    mean.lerp_(now, part)
                else:
                    mean.copy_(now)

    @staticmethod
    def _parts(module: Any) -> list[Any]:
        return [*module.parameters(), *module.buffers()]

    # what a run keeps

    def pack(self) -> bytes:
        """The weights that move, the mean that plays, and what the optimizer knows, as the bytes of a file of safetensors."""
        parts = {f"mean.{name}": part for name, part in self.network.module.state_dict().items()}
        parts |= {f"now.{name}": part for name, part in self.module.state_dict().items()}
        parts |= {f"adam.{name}": part for name, part in self.optimizer.known.items()}
        arrays = {name: part.detach().cpu().numpy().copy() for name, part in parts.items()}
        arrays["steps"] = np.array([self.steps], np.int64)
        saved: bytes = needed("safetensors.numpy").save(arrays)
        return saved

    def unpack(self, data: bytes) -> None:
        """Go on with what was packed."""
        torch, arrays = self.torch, needed("safetensors.numpy").load(data)
        parts: dict[str, dict[str, Any]] = {"mean": {}, "now": {}, "adam": {}}
        self.steps = int(arrays.pop("steps")[0])
        for name, array in arrays.items():
            kind, _, rest = name.partition(".")
            parts[kind][rest] = torch.from_numpy(np.array(array))
        self.network.module.load_state_dict(parts["mean"])
        self.module.load_state_dict(parts["now"])
        for name, part in self.optimizer.known.items():
            part.copy_(parts["adam"][name])
