"""`Embedded`: a small network as arrays, which the search's own kernel evaluates (`engine.embedded`): played without torch.

    small = Embedded.load("four.small")
    playout.Search("connect-four", value=small)        its values for leaves, its policy as priors

`playout export four.net --embed four.small` makes one out of a network (`learning.distil`). The file is NumPy's, without pickle, with a JSON
head; one of another game, of changed rules or of another encoding is refused with a sentence.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from playout.compile import bind
from playout.compile.maker import shared
from playout.compile.records import Records, pool
from playout.engine.layers import STEP, answer_all
from playout.engine.learned import NOTHING
from playout.errors import FileError, PlayoutError
from playout.files import NotAsWritten, arrays_of, no_name, save
from playout.game.encoding import Encoding, movers_of
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State
from playout.learning.policy import Policy, fingerprint
from playout.learning.steps import MOST_WEIGHTS, room_of, stacked, widths
from playout.planner.learned import EMBEDDED, Learned

Array = np.ndarray[Any, Any]
FORMAT, VERSION = "playout embedded network", 2
AGAIN = "export it again"
MOST_META = 1 << 20


def shares_of(priors: Array, legal: Sequence[int]) -> dict[int, float]:
    """The shares of the legal actions among themselves; even ones where all that was said is about others."""
    shares = priors[list(legal)]
    shares = shares / shares.sum() if shares.sum() > 0 else np.full(len(legal), 1 / len(legal))
    return dict(zip(legal, shares.tolist(), strict=True))


class Embedded:
    """Layers as arrays: logits of the action ids, and what each player gets from the mover on."""

    def __init__(
        self, encoding: Encoding, steps: Any, layers: Any, returns: tuple[float, float], made: dict[str, Any] | None = None
    ) -> None:
        """`steps` and `layers` as a `learning.steps.Plan` has them."""
        self.encoding, self.game = encoding, encoding.game
        self.steps, self.layers = np.ascontiguousarray(steps, STEP), np.ascontiguousarray(layers, np.float32)
        self.returns = range_told(returns)
        """The lowest and the highest return that it can say."""
        self.made = dict(made or {})
        """What it was made from, and how well it follows that."""
        self.file = ""
        self._outputs = self.game.actions + self.game.players
        if self.layers.ndim != 1 or len(self.layers) > MOST_WEIGHTS or not np.isfinite(self.layers).all():
            raise PlayoutError(
                f"a network has weights of shape {self.layers.shape}; at most {MOST_WEIGHTS:,} in a row, all finite, can be taken"
            )
        self._room = room_of(self.steps, len(self.layers), encoding.size, self._outputs)

    @classmethod
    def stack(
        cls,
        encoding: Encoding,
        sizes: Sequence[int],
        layers: Any,
        returns: tuple[float, float],
        made: dict[str, Any] | None = None,
    ) -> Embedded:
        """Plain layers: so many numbers in and out of each, its table of weights, a row for each input, and then a bias for each output."""
        game, sizes, layers = encoding.game, [int(size) for size in sizes], np.asarray(layers, np.float32)
        ends = (encoding.size, game.actions + game.players)
        if len(sizes) < 2 or min(sizes) < 1 or (sizes[0], sizes[-1]) != ends:
            raise PlayoutError(
                f"an embedded network of {game.name!r} goes from {ends[0]} numbers to {ends[1]}, and this one has layers of {sizes}"
            )
        wanted = sum(inner * outer + outer for inner, outer in pairwise(sizes))
        if layers.shape != (wanted,):
            raise PlayoutError(f"layers of {sizes} have {wanted:,} weights; these are {layers.size:,}")
        return cls(encoding, stacked(sizes, layers), layers, returns, made)

    def __repr__(self) -> str:
        return f"<embedded network of {self.game.spec}: {self.words()}>"

    def words(self) -> str:
        """What it is made of."""
        plain = widths(self.steps)
        parts = f"{len(self.steps)} steps" if plain is None else f"layers of {', '.join(f'{size:,}' for size in plain)}"
        return f"{parts}, {self.layers.size:,} weights"

    @cached_property
    def learned(self) -> Learned:
        """What a search is given: `playout.Search(game, value=embedded)`."""
        if self.encoding.plan is not None:
            before = self.game.made_encode
            if before is not None and before.__name__ != self.encoding.function.__name__:
                raise PlayoutError(f"two networks of {self.game.name!r} see it differently; load the game again for one of them")
            self.game.made_encode = self.encoding.function
        arrays = NOTHING._replace(layers=self.layers, steps=self.steps)
        shape = self.encoding.shape if self.encoding.plan is None else (self.encoding.size,)
        name = self.file or f"network{EMBEDDED}"
        return Learned(name=name, arrays=arrays, network=self.returns, shape=shape, room=self._room, ask=self.evaluate)

    def evaluate(self, states: Array) -> tuple[Array, Array]:
        """(priors, values) of a batch, an evaluator as `Search` takes it; the kernel says the same up to rounding."""
        movers = np.zeros(len(states), np.int64)
        bind(self.game, self.encoding.compiled).kernel(movers_of)(
            pool(np.ascontiguousarray(states), self.encoding.compiled), movers
        )
        out = self.outputs(self.encoding(states, movers).reshape(len(states), -1))
        logits, values = out[:, : self.game.actions].astype(np.float64), np.tanh(out[:, self.game.actions :].astype(np.float64))
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        places = (np.arange(self.game.players)[None, :] - movers[:, None]) % self.game.players
        low, high = self.returns
        return shares / shares.sum(axis=1, keepdims=True), low + (np.take_along_axis(values, places, axis=1) + 1) * (
            high - low
        ) / 2

    def look(self, state: State) -> tuple[dict[int, float], tuple[float, ...]]:
        """(the share of every legal action, what each player gets) in one state, without search."""
        priors, values = self.evaluate(state.copy_array())
        return shares_of(priors[0], state.legal), tuple(values[0].tolist())

    def outputs(self, numbers: Array) -> Array:
        """What comes out of the last layer, for encoded states in rows, as the kernel of a search finds it."""
        compiled = self.encoding.compiled
        kernel, steps = (shared(answer_all), self.steps) if compiled else (answer_all, self.steps.view(Records))
        out, room = np.zeros((len(numbers), self._outputs), np.float32), np.zeros(self._room, np.float32)
        kernel(self.layers, steps, room, np.ascontiguousarray(numbers, np.float32), out, self.encoding.size)
        return out

    # files

    def save(self, file: str | Path) -> Path:
        """Write it whole; its name ends with .small, by which commands know it."""
        path = Path(file)
        check_name(path)
        head = {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game.base,
            "parameters": self.game.parameters,
            "spec": self.game.spec,
            "fingerprint": fingerprint(self.game),
            "encoding": self.encoding.to_builtins(),
            "returns": self.returns,
            "made": self.made,
        }
        head["checksum"] = _checksum(head, self.steps, self.layers)
        buffer = io.BytesIO()
        meta, steps = np.frombuffer(json.dumps(head).encode(), np.uint8), self.steps.view(np.int64).reshape(len(self.steps), -1)
        np.savez(buffer, meta=meta, steps=steps, layers=self.layers)
        return save(path, buffer.getvalue())

    @classmethod
    def load(cls, file: str | Path, game: Game | str | None = None, compiled: bool = True) -> Embedded:
        """Read one back; what is damaged, of another game or of changed rules is refused with a sentence."""
        path = Path(file)
        head, steps, layers = _read(path)
        rules = load(head["spec"] if game is None else game)
        if head["game"] != rules.base or head["parameters"] != rules.parameters:
            raise FileError(f"network file {str(path)!r} is of {head['spec']}, not of {rules.spec}; export one for this game")
        if _checksum(head, steps, layers) != head["checksum"]:
            raise FileError(f"network file {str(path)!r} was changed after it was written (its checksum does not fit); {AGAIN}")
        if head["fingerprint"] != fingerprint(rules):
            raise FileError(f"the rules of {rules.spec!r} have changed since network file {str(path)!r} was written; {AGAIN}")
        try:
            found = cls(
                Encoding.from_builtins(rules, head["encoding"], compiled), steps, layers, tuple(head["returns"]), head["made"]
            )
        except (PlayoutError, TypeError, ValueError) as error:
            raise FileError(f"network file {str(path)!r}: {error}") from None
        found.file = str(path)
        return found


def range_told(returns: Sequence[Any]) -> tuple[float, float]:
    """The ends of a range, or a sentence on what is wrong with them."""
    try:
        low, high = (float(end) for end in returns)
    except (TypeError, ValueError, OverflowError):
        low = high = np.nan
    if not (np.isfinite([low, high, high - low]).all() and low <= high):
        raise PlayoutError(f"a network has returns from {list(returns)}; two finite numbers, the lower first, can be taken")
    return low, high


def open_value(file: str | Path, game: Game) -> Policy | Embedded:
    """What a search may be given as `value`, by the name of its file: an embedded network, or a policy."""
    return Embedded.load(file, game) if Path(file).suffix == EMBEDDED else Policy.load(file, game)


def check_returns(reward: str) -> None:
    """Refuse to embed what values another reward: searches go by the returns with a network of the kernel."""
    if reward:
        raise PlayoutError(
            f"the network values the reward {reward}, and a search with a network in its kernel goes by the returns of the game; "
            "embed one that values those, or search with this one as it is (network:FILE, --network FILE)"
        )


def check_name(path: Path) -> None:
    """Refuse a name by which nobody would know what it is."""
    if path.suffix != EMBEDDED:
        raise PlayoutError(
            f"{str(path)!r} does not end with {EMBEDDED}, by which searches and agents know an embedded network; call it so"
        )


def _checksum(head: dict[str, Any], steps: Array, layers: Array) -> str:
    told = {name: value for name, value in head.items() if name != "checksum"}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode() + steps.tobytes() + layers.tobytes()).hexdigest()


def _read(path: Path) -> tuple[dict[str, Any], Array, Array]:
    damaged = f"network file {str(path)!r} is damaged or cut short"
    try:
        with arrays_of(path, packed=False) as found:
            if "meta" not in found or found.length("meta") > MOST_META:
                raise FileError(
                    f"{str(path)!r} is not an embedded network; make one with playout export FILE.net --embed {path.name}"
                )
            head = json.loads(found["meta"].tobytes())
            arrays = [found[name] for name in ("steps", "layers") if name in found]
    except NotAsWritten as error:
        raise FileError(f"{damaged} ({error}); {AGAIN}") from None
    except FileNotFoundError:
        raise FileError(
            f"network file {str(path)!r} does not exist; make one with playout export FILE.net --embed {path.name}"
        ) from None
    except OSError as error:
        raise FileError(f"network file {str(path)!r} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise no_name("network file", path) from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise FileError(f"{str(path)!r} is not an embedded network; make one with playout export FILE.net --embed {path.name}")
    if head.get("version") != VERSION:
        raise FileError(f"network file {str(path)!r} has version {head.get('version')}, this playout reads {VERSION}; {AGAIN}")
    kinds = {
        "game": str,
        "parameters": dict,
        "spec": str,
        "fingerprint": str,
        "encoding": dict,
        "returns": list,
        "made": dict,
        "checksum": str,
    }
    wrong = [name for name, kind in kinds.items() if not isinstance(head.get(name), kind)]
    if (
        wrong
        or [(array.dtype, array.ndim) for array in arrays] != [(np.int64, 2), (np.float32, 1)]
        or arrays[0].shape[1] != len(STEP.names or ())
    ):
        raise FileError(f"{damaged}: {wrong[0] if wrong else 'an array'} is of another kind; {AGAIN}")
    return head, np.ascontiguousarray(arrays[0]).view(STEP)[:, 0], arrays[1]
