"""Settings that `playout fit` found for a game: kept by the digest of its rules, used where a search is given none, and always told.

They were measured together, so they are used together or not at all: whoever sets one of them by hand gets that one and "auto" for the
rest. Rules that change have another digest, so nothing that was found for other rules is ever used. What is best with a moment to think
need not be best with a minute, so there is a fit for every budget, and a search takes the one that was made nearest to its own.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

from playout.compile.digest import rules
from playout.errors import FileError, PlayoutError
from playout.files import write_whole
from playout.game.game import Game
from playout.planner.settings import Budget, Settings
from playout.planner.words import read, spelled

FORMAT = 1
BESIDE = frozenset({"seed", "threads", "trees", "early_stop"})
"""Settings that do not say how to search: a fit goes together with them."""
PACE = 100_000
"""Simulations that count as a second where the budget of a fit is in one of them and that of a search in the other."""


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """One way of setting one thing, and what the candidates that had it got while settings were looked for."""

    choice: str
    settings: dict[str, Any]
    """Empty: as "auto" has it."""
    games: int
    result: float
    """Share of the points against "auto", or the mean score of a game for one player; companions differed, so it is no forecast."""
    dropped: int | None
    """The round of halving after which it was dropped; None for those that stayed."""


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """What a fit found and how sure that is: the content of its file."""

    format: int = FORMAT
    game: str
    digest: str
    """Of the rules; see `playout.compile.digest`."""
    settings: dict[str, Any]
    when: str
    """The day, in UTC."""
    budget: dict[str, Any]
    """Of every decision in the games: seconds or simulations."""
    unit: str
    """"points", "returns" or, for one player, "score"."""
    result: float
    low: float
    high: float
    """In fresh games: the share of the points against "auto", or how much higher the mean return was on the same deals; 95 % interval."""
    games: int
    """Those fresh games."""
    explored: int
    """Games that took part in finding the settings."""
    tried: tuple[Level, ...]
    seconds: float
    seed: int
    version: str

    @property
    def words(self) -> str:
        """What a decision says of it."""
        return f"fitted on {self.when} by playout fit: {self.options}; {self.got} at {self.pace}"

    @property
    def options(self) -> str:
        """The settings as they are written in an agent's string, with spaces."""
        return in_words(self.settings)

    @property
    def got(self) -> str:
        """The result with its interval."""
        if self.unit == "points":
            ends = f"{100 * self.low:.0f} to {100 * self.high:.0f}"
            return f"{100 * self.result:.0f} % ({ends}) of the points against auto in {self.games:,} games"
        what = "score" if self.unit == "score" else "return"
        return (
            f"a mean {what} {self.result:+.3g} higher ({self.low:+.3g} to {self.high:+.3g}) than auto's on {self.games:,} deals"
        )

    @property
    def pace(self) -> str:
        """The budget of a decision."""
        return pace(self.budget)


def limits_of(move_seconds: float | None, simulations: int | None) -> dict[str, Any] | None:
    """The budget of a move as it was asked for, in seconds or in simulations; None where nothing was."""
    if move_seconds is not None and simulations is not None:
        raise PlayoutError("give the budget of a move in seconds or in simulations, not in both")
    if move_seconds is not None and not 0 < move_seconds < math.inf:
        raise PlayoutError(f"the seconds of a move are {move_seconds}; give a number above 0")
    limits = {"simulations": simulations} if simulations is not None else {"seconds": move_seconds}
    if limits == {"seconds": None}:
        return None
    read(Budget, limits)  # a wrong one is said now
    return limits


def pace(budget: dict[str, Any]) -> str:
    """The budget of a decision in words."""
    seconds = budget.get("seconds")
    return f"{1000 * seconds:g} ms a move" if seconds is not None else f"{budget['simulations']:,} simulations a move"


def in_words(settings: dict[str, Any]) -> str:
    """Settings as an agent's string has them, with spaces; "auto" where there are none."""
    return ", ".join(f"{name}={spelled(value)}" for name, value in settings.items()) or "auto"


# the files


def folder() -> Path:
    """Where fits are kept: PLAYOUT_DATA, or `playout` in the user's data folder."""
    chosen = os.environ.get("PLAYOUT_DATA")
    if chosen:
        return Path(chosen) / "fits"
    base = os.environ.get("XDG_DATA_HOME")
    try:
        return Path(base or Path.home() / ".local" / "share") / "playout" / "fits"
    except RuntimeError:
        # Nobody's machine: a user without a home folder.
        return Path(tempfile.gettempdir()) / f"playout-{getattr(os, 'getuid', int)()}" / "fits"


def file_of(game: Game, budget: dict[str, Any]) -> Path:
    """The file of a game's fit for a budget, whether or not it is there."""
    return _file(_digest(game), budget)


def _file(digest: str, budget: dict[str, Any]) -> Path:
    return folder() / f"{digest}-{pace(budget).removesuffix(' a move').replace(' ', '-').replace(',', '')}.json"


def _files(game: Game) -> list[Path]:
    return sorted(folder().glob(f"{_digest(game)}*.json"))


_digests: dict[int, tuple[Game, str]] = {}


def _digest(game: Game) -> str:
    """Worked out once: it reads all that the rules can reach."""
    if id(game) not in _digests:
        _digests[id(game)] = (game, rules(game))
    return _digests[id(game)][1]


def kept(game: Game) -> list[tuple[Fit, Path]]:
    """The fits of a game with their files, the shortest budget first; a file that cannot be used is said."""
    # Most users have fitted nothing, and need no digest to know that.
    if game.continuous or not folder().is_dir():
        return []
    try:
        files = _files(game)
    except PlayoutError:
        return []  # rules that cannot be told apart are told so by whoever compiles them
    return sorted(((_read(file, game), file) for file in files), key=lambda one: (_size(one[0].budget), str(one[1])))


def _read(file: Path, game: Game) -> Fit:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise _unusable(file, game, error.strerror or str(error)) from None
    try:
        found = msgspec.json.decode(data, type=Fit)
        made: Settings = read(Settings, found.settings)
        made.fitted(game)
        _check_budget(found)
    except (msgspec.MsgspecError, PlayoutError, UnicodeDecodeError, RecursionError) as error:
        raise _unusable(file, game, str(error)) from None
    if found.format != FORMAT or found.digest != _digest(game) or not found.settings:
        raise _unusable(file, game, "it is of another format, or of another game")
    return found


def nearest(game: Game, budget: Budget | None) -> Fit | None:
    """The fit that was made nearest to a budget, by the ratio; the one with the longest where no budget is known yet."""
    found = [one for one, _ in kept(game)]
    if not found:
        return None
    limits = {} if budget is None else msgspec.structs.asdict(budget)
    wanted = _size(limits) if limits.get("seconds") or limits.get("simulations") else math.inf
    if wanted == math.inf:
        return found[-1]
    return min(found, key=lambda one: abs(math.log(_size(one.budget) / wanted)))


def _size(budget: dict[str, Any]) -> float:
    """A budget in simulations, whichever of its limits ends first."""
    seconds, simulations = budget.get("seconds"), budget.get("simulations")
    return max(1.0, min(math.inf if seconds is None else PACE * seconds, math.inf if simulations is None else simulations))


def _check_budget(found: Fit) -> None:
    """A budget is said in words, so it must be one of numbers."""
    for name, value in found.budget.items():
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise PlayoutError(f"its budget has {name}={value!r}")
    read(Budget, found.budget)


def _unusable(file: Path, game: Game, why: str) -> FileError:
    return FileError(f"the fit in {str(file)!r} cannot be used ({why}); playout fit {game.spec} --forget removes it")


def keep(found: Fit) -> Path:
    """Write a fit, in place of the one that was there for this budget."""
    file = _file(found.digest, found.budget)
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(file, msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")
    except OSError as error:
        raise FileError(f"the fit cannot be kept in {str(file)!r}: {error.strerror}; choose a folder with PLAYOUT_DATA") from None
    return file


def forget(game: Game, budget: dict[str, Any] | None = None) -> int:
    """Remove the fits of a game, or the one for a budget, whatever is in the files; how many there were."""
    files = _files(game) if budget is None else [file for file in _files(game) if file == file_of(game, budget)]
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise FileError(f"{str(file)!r} cannot be removed: {error.strerror}") from None
    return len(files)


# who uses it


def used(game: Game, given: Collection[str], wanted: bool = True, budget: Budget | None = None) -> tuple[Fit | None, str]:
    """The fit that a search with these settings of its own and this budget uses, and what is to be said of it.

    A file that cannot be used stops nobody from searching; it is left aside, and that is said.
    """
    if not wanted:
        return None, ""
    try:
        found = nearest(game, budget)
    except FileError as error:
        return None, str(error)
    own = [name for name in given if name not in BESIDE]
    if found is None:
        return None, ""
    if own:
        return None, f"the fit of {found.when} is left aside, because {_listed(own)} given by hand"
    return found, found.words


def _listed(names: list[str]) -> str:
    return f"{names[0]} is" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} are"


def sentences(*said: str) -> str:
    """What is to be said, one after the other; what is empty is left out."""
    return "; ".join(filter(None, said))
