"""A whole strategy as a file, and the agent that plays by it: `policy:eq.json`, where `playout exploit --out eq.json` wrote it.

A strategy says, for everything that a player can have lived through, with which probability each action is taken. What was lived
through is named by the key of the player's history (`playout.game.history`), 16 bytes, which a referee hands to agents that ask for it.
"""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from playout.agents.base import Recipe, Silent
from playout.errors import FileError, PlayoutError
from playout.files import save
from playout.game.game import Game
from playout.game.history import KEY_BYTES
from playout.game.state import State
from playout.game.stream import Stream

FORMAT, VERSION = "playout strategy", 1
LOOKED_AT = 2000
"""Bytes at the beginning of a file that say what it is."""
SLACK = 1e-6
"""How far probabilities may be from 1 in all."""
AGAIN = "make it again with playout exploit --out"


class Share(msgspec.Struct, frozen=True, array_like=True):
    """An action with its probability."""

    action: int
    name: str
    probability: float


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """What a player knows when it decides, and what it then does."""

    key: str
    """The key of its history, in 32 hex digits."""
    player: int
    sees: str
    """The state as it is drawn for this player."""
    after: tuple[str, ...] = ()
    """Its own actions until then."""
    reach: float = 0.0
    """How likely the strategy itself comes to this."""
    actions: tuple[Share, ...]


class Strategy(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """How to play a game as every player: the content of the file."""

    format: str = FORMAT
    version: int = VERSION
    game: str
    parameters: dict[str, Any]
    fingerprint: str
    """How the rules behave; see `playout.learning.policy.fingerprint`."""
    method: str
    iterations: int
    seed: int
    value: float
    """What player 0 gets when both play by it."""
    exploitability: float
    situations: tuple[Situation, ...]

    @cached_property
    def by_key(self) -> dict[bytes, Situation]:
        """The situations by the key that an agent is handed."""
        return {bytes.fromhex(situation.key): situation for situation in self.situations}

    def save(self, file: str | Path) -> Path:
        """Write it as JSON that people can read, whole or not at all."""
        return save(file, msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")


def is_strategy(file: str | Path) -> bool:
    """Whether a file says of itself that it holds a strategy, and not values that were learned."""
    try:
        with Path(file).open("rb") as stream:
            return re.search(rb'"format"\s*:\s*"%s"' % FORMAT.encode(), stream.read(LOOKED_AT)) is not None
    except OSError:
        return False


def load_strategy(file: str | Path, game: Game) -> Strategy:
    """Read a strategy; one of another game or other rules, or one that cannot be played by, is refused with a sentence."""
    from playout.learning.policy import fingerprint

    name = f"strategy file {str(file)!r}"
    try:
        found = msgspec.json.decode(Path(file).read_bytes(), type=Strategy)
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror or error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(f"{name} is damaged: {error}; {AGAIN}") from None
    if found.format != FORMAT or found.version != VERSION:
        raise FileError(f"{name} has version {found.version}, and this playout reads {VERSION}; {AGAIN}")
    if (found.game, found.parameters) != (game.base, game.parameters):
        raise FileError(
            f"{name} is for {found.game} {found.parameters}, not for {game.base} {game.parameters}; make one for this game with "
            f"playout exploit {game.spec} --out FILE"
        )
    if found.fingerprint != fingerprint(game):
        raise FileError(f"the rules of {game.spec!r} have changed since {name} was written; {AGAIN}")
    for situation in found.situations:
        _check(name, situation, game)
    if len({situation.key for situation in found.situations}) != len(found.situations):
        raise FileError(f"{name} is damaged: a situation is in it twice; {AGAIN}")
    return found


def _check(name: str, situation: Situation, game: Game) -> None:
    """One situation: its key, its player, and probabilities that can be drawn from."""
    where = f"{name} is damaged at situation {situation.key[:40]!r}"
    try:
        whole = len(bytes.fromhex(situation.key)) == KEY_BYTES and situation.key == situation.key.lower().strip()
    except ValueError:
        whole = False
    if not whole:
        raise FileError(f"{where}: a key has {2 * KEY_BYTES} hex digits; {AGAIN}")
    if not 0 <= situation.player < game.players:
        raise FileError(f"{where}: player {situation.player} does not exist; {AGAIN}")
    ids = [share.action for share in situation.actions]
    if not ids or len(set(ids)) < len(ids) or not all(0 <= action < game.actions for action in ids):
        raise FileError(f"{where}: actions {ids[:10]} are no different ids from 0 to {game.actions - 1}; {AGAIN}")
    shares = [share.probability for share in situation.actions]
    if not all(0 <= share <= 1 for share in shares) or abs(sum(shares) - 1) > SLACK:
        raise FileError(f"{where}: probabilities {shares[:10]} are not 0 or more and 1 in all; {AGAIN}")


class StrategyAgent(Silent):
    """Draws its action with the probabilities of a strategy, from a stream of its own."""

    wants_history = True

    def __init__(self, strategy: Strategy, name: str, seed: int = 0) -> None:
        self.strategy, self.name, self.stream = strategy, name, Stream(seed)

    def act(self, state: State) -> int:
        if state.history is None:
            raise PlayoutError(
                f"agent {self.name!r} plays by what its player has lived through, and was handed no history; ask it through a referee: "
                "playout play, playout arena or playout exploit"
            )
        situation = self.strategy.by_key.get(state.history)
        if situation is None:
            raise PlayoutError(
                f"agent {self.name!r} has no entry for what player {state.mover} has lived through here; a strategy covers games "
                "from their start on, and not those that begin from a saved state"
            )
        left = self.stream.uniform()
        for share in situation.actions:
            left -= share.probability
            if left < 0:
                return share.action
        return max(situation.actions, key=lambda share: share.probability).action


def strategy_recipe(words: dict[str, str], game: Game) -> Recipe:
    """`policy:eq.json`: nothing else can be set."""
    file = words["file"]
    others = sorted(words.keys() - {"file"})
    if others:
        raise PlayoutError(f"agent 'policy' has no option {others[0]!r} for a strategy, which says all; write policy:{file}")
    strategy, name = load_strategy(file, game), f"policy:{file}"
    digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:24]
    return Recipe(name, lambda seed: StrategyAgent(strategy, name, seed), {"file": file}, digest)
