"""Passes through a network that are recorded once on a GPU and played back: a small one takes longer to launch than to work out.

A recording (a CUDA graph) is of one batch size and of certain places in memory. So batches are filled up to the next power of two, and new
weights are written over the old ones. Whatever cannot be recorded is asked the plain way, by whoever asks here.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import torch

Array = np.ndarray[Any, Any]
Pair = tuple[Any, Any]
Found = TypeVar("Found")
FEWEST, MOST = 64, 16_384
"""The smallest and the largest batch that is recorded; above, a GPU has enough to do, and launching does not matter."""
MOST_BYTES = 2**28
"""What the questions of one recording may take; each lies once on the device and twice in memory that the device reads by itself."""
WARM = 3
"""Passes before one is recorded: libraries choose their kernels and set aside their room in the first ones."""
_one_recording = threading.Lock()
"""Two recordings of one process would get into each other's memory."""


def bucket(count: int, row: int = 1) -> int:
    """The rows that a batch is filled up to, where one row has so many bytes; 0 for a batch that is asked the plain way."""
    rows = max(FEWEST, 1 << max(count - 1, 0).bit_length())
    return rows if count > 0 and rows <= MOST and rows * row <= MOST_BYTES else 0


class Cuda:
    """What a GPU does for `Captured`; all of it goes by the stream of whoever asks."""

    def __init__(self, device: Any) -> None:
        self.device = device
        with self.here():
            self._pool, self._side = torch.cuda.graph_pool_handle(), torch.cuda.Stream()

    def here(self) -> contextlib.AbstractContextManager[Any]:
        """This device is the one that is meant."""
        return torch.cuda.device(self.device)  # type: ignore[no-any-return]

    def host(self, *shape: int) -> Any:
        """Memory that the device reads and writes by itself, while the processor goes on."""
        return torch.empty(shape, pin_memory=True)

    def mark(self) -> Any:
        """A point that can be waited for: everything so far is done."""
        event = torch.cuda.Event()
        event.record()
        return event

    def follow(self, mark: Any) -> None:
        """What comes now begins after a mark, whichever stream that was made in."""
        torch.cuda.current_stream().wait_event(mark)

    def record(self, answer: Callable[[], Found], stream: Any = None) -> tuple[Found, Callable[[], None]]:
        """(where the answers will lie, what works them out anew), recorded in a stream."""
        side = stream or self._side
        with _one_recording:
            before = torch.cuda.current_stream()
            side.wait_stream(before)
            with torch.cuda.stream(side):
                for _ in range(WARM):
                    answer()
            before.wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            try:
                # Recordings of one network are never played at once, so they share their room. Other threads may use the device meanwhile.
                with torch.cuda.graph(graph, pool=self._pool, stream=side, capture_error_mode="thread_local"):
                    found = answer()
            finally:
                # A recording that fails leaves torch in the stream that it was made in.
                torch.cuda.set_stream(before)
        return found, graph.replay


class Recording:
    """One batch size: where its questions lie, and what plays it back."""

    def __init__(self, answer: Callable[[Any], Pair], rows: int, shape: tuple[int, ...], gpu: Any) -> None:
        self._gpu, self._asked = gpu, torch.zeros((rows, *shape), device=gpu.device)
        self._filled = 0
        """Rows that are not zero."""
        # Two in turn: while the device still reads the one, the next question is written into the other.
        self._waiting = [(gpu.host(rows, *shape), None), (gpu.host(rows, *shape), None)]
        self._found, self._play = gpu.record(lambda: answer(self._asked))

    def __call__(self, x: Array) -> tuple[Pair, Any]:
        """(logits, values), which are there when the mark that comes with them is reached."""
        count = len(x)
        stage, read = self._waiting.pop(0)
        if read is not None:
            read.synchronize()
        stage.numpy()[:count] = x
        self._asked[:count].copy_(stage[:count], non_blocking=True)
        self._waiting.append((stage, self._gpu.mark()))
        if count < self._filled:
            self._asked[count : self._filled].zero_()
        self._filled = count
        self._play()
        # Fetched in the order of the stream, so that the next question may overwrite what this one found.
        told = tuple(self._gpu.host(count, *part.shape[1:]) for part in self._found)
        for to, part in zip(told, self._found, strict=True):
            to.copy_(part[:count], non_blocking=True)
        return (told[0], told[1]), self._gpu.mark()


class Captured:
    """A module that evaluates, with a recording for every batch size that came up."""

    def __init__(self, module: Any, prepare: Callable[[Any], Any], shape: tuple[int, ...], gpu: Any) -> None:
        """`prepare` gives questions, float32 of (rows, *shape), the numbers and the layout of the module.

        It must not lead back to who holds this: a recording that only the collector of cycles frees might be freed while another is made.
        """
        self.module, self._prepare, self._shape, self._gpu = module, prepare, tuple(shape), gpu
        self.failed = ""
        """Why nothing is recorded any more; empty while all is well."""
        self._recordings: dict[int, Recording] = {}
        self._last: Any = None
        self._lock = threading.RLock()

    def ask_later(self, x: Array) -> Callable[[], tuple[Array, Array]] | None:
        """What waits for the answers, as in `Network.ask_later`; None where they must be asked for the plain way."""
        x = np.asarray(x)
        rows = bucket(len(x), 4 * math.prod(self._shape))
        if self.failed or not rows or x.shape[1:] != self._shape:
            return None
        with self._lock, self._gpu.here(), torch.inference_mode():
            if self._last is not None:
                self._gpu.follow(self._last)
            if rows not in self._recordings:
                try:
                    self._recordings[rows] = Recording(self._answer, rows, self._shape, self._gpu)
                except Exception as error:
                    # Whatever is wrong with the question or the module itself, the plain way will say.
                    self._give_up(str(error).partition("\n")[0])
                    return None
            (logits, values), there = self._recordings[rows](x)
            self._last = there

        def heard() -> tuple[Array, Array]:
            there.synchronize()
            return logits.numpy(), values.numpy()

        return heard

    def take(self, made: Any) -> Any:
        """The module that evaluates, with the weights of the one made: its own, where they fit, since recordings go by its memory."""
        if self.failed or made is self.module:
            return made
        with self._lock, self._gpu.here(), torch.no_grad():
            if _plan(made) != _plan(self.module):
                self._give_up("the module was replaced by one of another make")
                return made
            if self._last is not None:
                self._gpu.follow(self._last)
            for to, part in zip(_parts(self.module).values(), _parts(made).values(), strict=True):
                to.copy_(part)
            self._last = self._gpu.mark()
        return self.module

    def _answer(self, asked: Any) -> Pair:
        found = self.module(self._prepare(asked))
        return found[0].float(), found[1].float()

    def _give_up(self, why: str) -> None:
        """Answers on their way are still heard: they lie in memory of their own."""
        self.failed = why or "the device could not record it"
        self._recordings.clear()


def _parts(module: Any) -> dict[str, Any]:
    """All that a module works with, by name."""
    return {**dict(module.named_parameters()), **dict(module.named_buffers())}


def _plan(module: Any) -> tuple[Any, ...]:
    """What must be the same of two modules for one to take the weights of the other."""
    kinds = [(name, type(part)) for name, part in module.named_modules()]
    return kinds, [(name, part.shape, part.dtype, part.device) for name, part in _parts(module).items()]
