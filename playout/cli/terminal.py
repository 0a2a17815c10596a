"""Talking to the terminal: where text goes, the progress lines, and how an error is said."""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from playout.errors import CompileError, PlayoutError
from playout.starting import INTERRUPTED as INTERRUPTED

debug = False
"""Set by `--debug`: errors come with everything there is to know about them."""

CLEAR = "\r\x1b[2K"
WIDE = 120
"""How wide output is that goes to a file or a pipe."""


def console(*, stderr: bool = False) -> Console:
    """A console for the standard output or error; made anew per command, so that redirection is seen."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, highlight=False, width=None if stream.isatty() else WIDE, soft_wrap=not stream.isatty())


def plain(out: Console, text: str = "") -> None:
    """Print text as it is: no markup, no colours, no wrapping (drawings would break)."""
    out.print(text, markup=False, highlight=False, soft_wrap=True)


def prose(out: Console, text: str) -> None:
    """Print sentences: on a terminal broken between words, elsewhere one line each."""
    out.print(text, markup=False, highlight=False, soft_wrap=not out.is_terminal)


def packed(words: Iterable[str], width: int) -> Iterator[str]:
    """Lines of as many words as fit, each of them whole, two spaces apart."""
    line = ""
    for word in words:
        if line and len(line) + 2 + len(word) > width:
            yield line
            line = ""
        line = f"{line}  {word}" if line else word
    if line:
        yield line


def print_json(value: Any) -> None:
    """What `--json` asks for, in one line on the standard output."""
    print(msgspec.json.encode(value).decode())


@contextlib.contextmanager
def passing(text: str) -> Iterator[None]:
    """A line on the standard error that is gone when the work is done; nothing where that is no terminal."""
    shown = sys.stderr.isatty()
    if shown:
        print(f"{CLEAR}{text}", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print(CLEAR, end="", file=sys.stderr, flush=True)


@contextlib.contextmanager
def compiling(name: str, *, quiet: bool = False) -> Iterator[None]:
    """Say on the standard error when a game has to be compiled, since that takes seconds."""
    if quiet and not sys.stderr.isatty():
        yield
        return
    from playout.compile import cache
    from playout.compile.kept import folder

    err = console(stderr=True)
    words = f"compiling {name} for this machine, once: "
    done: list[str] = []

    def told(function: str) -> None:
        if err.is_terminal:
            # One line, overwritten: the functions follow each other quickly.
            err.file.write(f"{CLEAR}{words}{function} ...")
        elif not done:
            err.file.write(f"{words}{function} and what it calls ...\n")
        err.file.flush()
        done.append(function)

    before, cache.on_compile = cache.on_compile, told
    finished = False
    try:
        yield
        finished = True
    finally:
        cache.on_compile = before
        if done and cache.troubles:
            err.file.write(f"{CLEAR if err.is_terminal else ''}note: {cache.troubles[-1]}; it will be compiled again next time\n")
        elif done and err.is_terminal:
            err.file.write(f"{CLEAR}compiled {name} for this machine; kept in {folder()}\n" if finished else CLEAR)


def complain(error: BaseException) -> int:
    """Say an error on the standard error in one sentence, with everything under `--debug`; returns the exit code."""
    sentence, code = _sentence(error)
    print(f"playout: {sentence}", file=sys.stderr)
    if debug:
        if isinstance(error, CompileError) and error.details:
            print(f"\n{error.details}", file=sys.stderr)
        print("", file=sys.stderr)
        traceback.print_exception(error, file=sys.stderr)
    return code


def _sentence(error: BaseException) -> tuple[str, int]:
    if isinstance(error, PlayoutError):
        return str(error), 2
    if hasattr(error, "format_message"):  # a usage error, of typer's own click or of click
        return _usage(error), 2
    own = _own_frame(error)
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    if own is not None:
        file, line, function = own
        return f"{function} fails in line {line} of {file!r}: {what}; playout check finds out why, --debug shows all", 2
    return f"an error inside playout itself: {what}; run it again with --debug and report what it shows", 1


def _usage(error: BaseException) -> str:
    text = " ".join(str(error.format_message()).split()).rstrip(".")  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    where = f"{context.command_path if context is not None else 'playout'} --help"
    return f"{text} See {where}" if text.endswith("?") else f"{text}; see {where}"


def _own_frame(error: BaseException) -> tuple[str, int, str] | None:
    """The innermost place that belongs to a game or to the user, and not to playout or to a library."""
    package = Path(__file__).resolve().parents[1]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if "site-packages" in file.parts or file.name.startswith("<") or frame.filename == sys.argv[0]:
            continue
        if package in file.resolve().parents and package / "games" not in file.resolve().parents:
            continue
        if Path(sys.base_prefix) in file.resolve().parents:
            continue
        return frame.filename, frame.lineno or 0, frame.name
    return None
