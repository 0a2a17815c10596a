"""`make test-gpu ON=processor`: these tests on a machine without a GPU, where a processor runs the code that a GPU would get."""

from __future__ import annotations

import ctypes
import gc
import os
from pathlib import Path

import pytest

from playout.compile import cuda, gpu

ON_PROCESSOR = os.environ.get("PLAYOUT_TEST_GPU") == "processor"

if ON_PROCESSOR:
    from tests.gpu.processor import Processor

    processor = Processor()
    # Before the tests are imported: each asks at its beginning whether there is a GPU.
    cuda.why_not = lambda: ""
    gpu.found = lambda: processor


MOST_BYTES = 3_000_000_000
"""What a process may hold before it lets its kernels go; each takes some 100 MB while it is made, and all of them were 16 GB."""


def pytest_runtest_teardown() -> None:
    if ON_PROCESSOR and int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") > MOST_BYTES:
        processor.forget()
        gpu._bound.clear()
        gpu._kernels.clear()
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if ON_PROCESSOR and item.get_closest_marker("real_gpu"):
            item.add_marker(pytest.mark.skip(reason="asks for more than the code of a GPU"))
