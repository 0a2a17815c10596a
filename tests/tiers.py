"""Help for tests of which only some cases ask for machine code."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def compiling(values: Iterable[str], those: Collection[str]) -> list[Any]:
    """The cases of a test, with `those` marked: the others stay in the quick tier."""
    return [pytest.param(value, id=value, marks=[pytest.mark.compiles] * (value in those)) for value in values]
