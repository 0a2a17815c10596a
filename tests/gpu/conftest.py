"""`make test-gpu ON=processor`: these tests on a machine without a GPU, where a processor runs the code that a GPU would get."""

from __future__ import annotations

import os

import pytest

from playout.compile import cuda, gpu

ON_PROCESSOR = os.environ.get("PLAYOUT_TEST_GPU") == "processor"

if ON_PROCESSOR:
    from tests.gpu.processor import Processor

    processor = Processor()
    # Before the tests are imported: each asks at its beginning whether there is a GPU.
    cuda.why_not = lambda: ""
    gpu.found = lambda: processor


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if ON_PROCESSOR and item.get_closest_marker("real_gpu"):
            item.add_marker(pytest.mark.skip(reason="asks for more than the code of a GPU"))
