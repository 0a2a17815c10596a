"""Settings for all tests: machines are shared and noisy, so no test is judged by the clock; and who may ask for machine code.

Compiling takes seconds where a test takes milliseconds, so most tests search with `compiled=False`. A test that asks for machine code
says so with `@pytest.mark.compiles`, and one that does not say so fails here. What counts is the asking: whether the code was already
there, on disk or from the test before, must not decide whether a test passes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import settings

from playout.compile.binding import Binding
from playout.compile.maker import Maker

settings.register_profile("playout", deadline=None, derandomize=True)
settings.load_profile("playout")

# What the user fitted on this machine is no part of any test, nor of the processes that tests start.
own_data = tempfile.TemporaryDirectory(prefix="playout-tests-")
os.environ["PLAYOUT_DATA"] = own_data.name

CURE = "mark it with @pytest.mark.compiles, or search with compiled=False"
asked: dict[str, None] = {}
"""The kernels that were asked for since the test began, in order."""
by_fixture: dict[Any, dict[str, None]] = {}
"""What was asked for while a fixture was set up: all tests that use it answer for that, not only the first."""


def note(maker: Maker, function: Any) -> None:
    game = getattr(maker, "game", None)
    name = getattr(function, "__name__", str(function))
    asked[f"{name} of {game.name}" if game is not None else name] = None


def watch() -> None:
    """Have every request for machine code noted."""
    guarded, door = Binding._guarded, Maker.door

    def watched_guarded(self: Binding, function: Any, kept: bool) -> Callable[..., Any]:
        made = guarded(self, function, kept)
        if not self.compiled:
            return made

        def call(*arguments: Any) -> Any:
            note(self, function)
            return made(*arguments)

        return call

    def watched_door(self: Maker, function: Any, kept: bool = False) -> Any:
        if self.compiled:
            note(self, function)
        return door(self, function, kept)

    Binding._guarded, Maker.door = watched_guarded, watched_door  # type: ignore[method-assign]


watch()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where a test runs in both forms, `compiled` is its parameter, and only one of the two asks."""
    for item in items:
        if getattr(item, "callspec", None) is not None and item.callspec.params.get("compiled") is True:  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.compiles)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Iterator[Any]:
    before = dict(asked)
    asked.clear()
    try:
        return (yield)
    finally:
        by_fixture[fixturedef] = dict(asked)
        asked.update(before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[Any]:
    asked.clear()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[Any]:
    result = yield
    for fixtures in getattr(item, "_fixtureinfo").name2fixturedefs.values():  # noqa: B009
        for fixture in fixtures:
            asked.update(by_fixture.get(fixture, {}))
    if asked and item.get_closest_marker("compiles") is None:
        first, *others = asked
        more = f" and {len(others)} more" if others else ""
        pytest.fail(f"{item.name} compiled {first}{more}: {CURE}", pytrace=False)
    return result
