"""Settings and budgets in words, as they stand in an agent's string or on the command line: read, spelled, and what was probably meant."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

import msgspec

from playout.errors import PlayoutError, suggest
from playout.planner.settings import NOTHING, NUMBERS_OR_WORDS, SWITCHES

CALLED = {
    **dict.fromkeys(("sims", "n", "iterations", "n_simulations", "num_simulations", "rollouts", "visits"), "simulations"),
    **dict.fromkeys(("time", "timeout", "time_limit", "duration", "ms"), "seconds"),
    **dict.fromkeys(("exploration", "c_puct", "cpuct", "uct_c", "constant"), "c"),
    **dict.fromkeys(("n_threads", "workers", "cores"), "threads"),
    **dict.fromkeys(("random_state", "rng"), "seed"),
}
"""What other packages call things, and what they are called here."""


def near(word: str, known: Iterable[str]) -> str:
    """`suggest` for the names of settings and budgets."""
    names = list(known)
    meant = CALLED.get(word)
    return f"did you mean {meant!r}?" if meant in names else suggest(word, names)


def spelled(value: Any) -> str:
    """A value as it stands in an agent's string, which `read` understands."""
    if value is None:
        return "off"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _number(value: Any) -> Any:
    """A number in words stays a word where words are allowed, too; this is the number."""
    if isinstance(value, str):
        for kind in (int, float):
            with contextlib.suppress(ValueError):
                return kind(value)
    return value


def read(kind: type[Any], words: dict[str, Any]) -> Any:
    """Settings or a budget out of words, as in an agent's string; a wrong one is named with the near ones."""
    fields: tuple[str, ...] = kind.__struct_fields__
    for word in words:
        if word not in fields:
            raise PlayoutError(f"unknown option {word!r}; {near(word, fields)}")
    words = {word: _number(value) if word in NUMBERS_OR_WORDS else value for word, value in words.items()}
    for word in SWITCHES & words.keys():
        if isinstance(words[word], str) and words[word] not in ("auto", "true", "false", "1", "0"):
            raise PlayoutError(f"{word} is {words[word]!r}; give true, false or auto")
    words = {word: None if isinstance(value, str) and NOTHING.get(word) == value else value for word, value in words.items()}
    try:
        return msgspec.convert(words, kind, strict=False)
    except msgspec.ValidationError as error:
        field = str(error).rpartition("$.")[2].rstrip("`")
        raise PlayoutError(f"option {field}={words.get(field)!r} does not fit: {str(error).partition(' - ')[0]}") from None
