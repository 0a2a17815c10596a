"""Kernels of a GPU on disk: as the code of this machine's own processor is kept, one file for each kind of device.

A file holds what the device loads, and nothing that it was made from. It is named by the digest of all that the kernel reaches, what it
was compiled with, and the kind of the device, so a file that does not fit is never found.
"""

from __future__ import annotations

import copy
import pickle
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playout.compile.cache import DiskCache
from playout.compile.digest import digest
from playout.compile.maker import versions
from playout.errors import GameError

if TYPE_CHECKING:
    from playout.compile.binding import Binding


class KernelCache(DiskCache):
    """What numba-cuda's dispatcher of a kernel asks before it compiles and tells after it compiled."""

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        # What is refreshed is the device's own table of what functions mean, not that of the processor.
        with import_module("numba.cuda.utils").numba_target_override():
            return super().load_overload(signature, target_context)

    def _able(self, result: Any) -> bool:
        return True

    def _packed(self, result: Any) -> bytes:
        parts, library = result._reduce_states(), copy.copy(result.library)
        # What the device loads is linked by now; its sources would be a hundred times as long.
        library._llvm_strs, library._ptx_cache, library._linkerinfo_cache = [], {}, {}
        found: bytes = import_module("numba.cuda.serialize").dumps({**parts, "codelibrary": library})
        return found

    def _unpacked(self, payload: bytes, target_context: Any) -> Any:
        return import_module("numba.cuda.dispatcher")._Kernel._rebuild(**pickle.loads(payload))


def keep(kernel: Any, binding: Binding, one: Any, made_with: Any) -> Any:
    """A kernel whose code is kept on disk, where the rules in it have an identity; `made_with` is what else makes it this one."""
    text = tuple(Path(__file__).with_name(name).read_bytes() for name in ("cuda.py", "cuda_apart.py", "gpu.py", "cuda_cache.py"))
    try:
        identity = digest(one, binding.resolve, repr((versions(), version("numba-cuda"), text, made_with)))
    except GameError:
        return kernel
    kernel._cache = KernelCache(f"{one.__name__}-cuda", identity)
    return kernel
