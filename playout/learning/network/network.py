"""`Network`: a module with the game, the encoding and the units that give its numbers a meaning; it is an evaluator of searches."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np

from playout.compile import bind
from playout.compile.records import pool
from playout.errors import FileError, PlayoutError
from playout.game.encoding import movers_of
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State
from playout.game.stream import PICKS, Stream
from playout.learning.embedded import shares_of
from playout.learning.network.file import OWN, Head, check_game, read_network, write_network
from playout.learning.network.needs import needed, torch_device, torch_precision
from playout.learning.policy import fingerprint

Array = np.ndarray[Any, Any]
LOOKED_AT = 4
"""Random games that show what returns there are, where the game does not say, and what an encoding makes of positions."""
STEPS = 200
_one_at_a_time = threading.Lock()
"""How many threads torch uses is a setting of the whole process, so on a processor nobody evaluates while another does."""


class Network:
    """A policy and a value for every player, out of what the mover sees: `Search(game, evaluator=network)`.

    `module` is what is trained; evaluation follows it. What is made by the same seed and asked the same batch on the same device
    answers with the same bits: on a processor by one thread, unless `threads` says otherwise.
    """

    def __init__(
        self,
        game: Game | str,
        module: Any = None,
        *,
        size: str = "small",
        encoding: Any = None,
        targets: Iterable[str | tuple[str, int]] = (),
        reward: str = "",
        returns: tuple[float, float] | None = None,
        device: str = "auto",
        precision: str = "auto",
        seed: int = 0,
        threads: int = 1,
        compiled: bool = True,
    ) -> None:
        """`module` is your own `torch.nn.Module`; without one, the shape for the encoding in the size asked for, with weights by the seed.

        With a `reward` its values are those of another reward of the game, and so is what a search with it goes by.
        """
        self.game = load(game)
        if self.game.continuous:
            raise PlayoutError(f"a network has an output for every action id, and actions of {self.game.name!r} are real vectors")
        self.torch = needed("torch")
        from playout.learning.network import shapes

        self.device = torch_device(device)
        self.precision = torch_precision(precision, self.device)
        """What it evaluates in, whatever it is trained in."""
        if encoding is None:
            from playout.game.encoding import encoding_of

            encoding = encoding_of(self.game, compiled)
        self.encoding = encoding
        self.targets = shapes.named(targets)
        self.shape, self.size = (shapes.KINDS[encoding.kind], size) if module is None else (OWN, "")
        if module is None:
            module = shapes.build(encoding, self.game.actions, self.game.players, size, self.targets, seed)
        elif not isinstance(module, self.torch.nn.Module):
            raise PlayoutError(f"module is a {type(module).__name__}; give a torch.nn.Module, made and not only its class")
        self.module = module.to(self.device)
        if reward:
            self.game.reward_number(reward)
        self.reward = reward
        """What its values are of: another reward of the game, or the returns."""
        self.returns = returns or self.game.range_of(reward) or returns_seen(self.game, reward)
        self.threads = threads
        self.trained: dict[str, Any] = {}
        """What it was trained on, for the head of its file."""
        self.history: list[dict[str, Any]] = []
        """How training went, point by point, for the head of its file."""
        self.file = ""
        """Where it was read from."""
        binding = bind(self.game, compiled)
        self._compiled, self._movers = binding.compiled, binding.kernel(movers_of)
        self._asked: Any = None
        self._captured: Any = None
        self._of: Any = None
        self._parts: list[Any] = []
        self._as_of: tuple[int, ...] = ()
        self._marked: tuple[str, str] | None = None
        if self.shape == OWN:
            self._check_module()

    # asking

    def __call__(self, states: Array) -> tuple[Array, Array]:
        return self.evaluate(states)

    @property
    def called(self) -> str:
        """What a decision calls it."""
        return f"the network {self.file}" if self.file else "the network"

    def evaluate(self, states: Array) -> tuple[Array, Array]:
        """(priors, values) for a batch of states that are not over: an evaluator, as `Search` takes it.

        Every state is seen with the eyes of its mover. Priors are shares of all action ids, illegal ones included; values have a column
        for each player, in the units of the returns.
        """
        movers = self.movers(states)
        logits, values = self.ask(self.encoding(states, movers))
        return softmax(logits), self.absolute(values, movers)

    def policy(self, states: Array) -> Array:
        """The shares of all action ids alone."""
        return self.evaluate(states)[0]

    def look(self, state: State) -> tuple[dict[int, float], tuple[float, ...]]:
        """(the share of every legal action, what each player gets) in one state, as the network sees it without search."""
        priors, values = self.evaluate(state.copy_array())
        return shares_of(priors[0], state.legal), tuple(values[0].tolist())

    def movers(self, states: Array) -> Array:
        """Who is to act in each state."""
        out = np.zeros(len(states), np.int64)
        self._movers(pool(np.ascontiguousarray(states), self._compiled), out)
        return out

    def ask(self, x: Array) -> tuple[Array, Array]:
        """(logits, values from the viewer on, from -1 to 1) for encoded states."""
        return self.ask_later(x)()

    def ask_later(self, x: Array) -> Callable[[], tuple[Array, Array]]:
        """`ask`, whose answer is waited for when it is called: a GPU goes on working meanwhile."""
        torch = self.torch
        module = self.evaluating()
        if self._captured is not None and (heard := self._captured.ask_later(x)) is not None:
            return heard  # type: ignore[no-any-return]
        with torch.inference_mode(), self._alone():
            seen = torch.from_numpy(np.ascontiguousarray(x, np.float32)).to(self.device)
            if self.shape != OWN:
                found = module(self.prepare(seen))
            else:
                # Somebody's module need not work in half precision throughout; torch knows which parts do.
                with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.precision == torch.bfloat16):
                    found = module(seen)
            logits, values = found[0].float(), found[1].float()
        return lambda: (logits.cpu().numpy(), values.cpu().numpy())

    def absolute(self, values: Array, movers: Array) -> Array:
        """Values from the viewer on and from -1 to 1, as values by player in the units of the returns."""
        players, (low, high) = self.game.players, self.returns
        places = (np.arange(players)[None, :] - movers[:, None]) % players
        found = np.take_along_axis(values.astype(np.float64), places, axis=1)
        return low + (found + 1) * ((high - low) / 2)

    def relative(self, values: Array, movers: Array) -> Array:
        """The other way round: what each player got, as a network should have said it. What lies outside its range is cut off."""
        players, (low, high) = self.game.players, self.returns
        places = (np.arange(players)[None, :] + movers[:, None]) % players
        found = np.take_along_axis(np.asarray(values, np.float64), places, axis=1)
        scaled: Array = np.clip((found - low) * (2 / max(high - low, 1e-12)) - 1, -1, 1)
        return scaled

    def evaluating(self) -> Any:
        """The module as it is now, in the form that evaluates fastest; made anew when training has changed a weight."""
        if self._asked is None or self._of is not self.module:
            # Kept, since to list them takes longer than a small network takes to answer.
            self._of, self._parts, self._as_of = self.module, [*self.module.parameters(), *self.module.buffers()], ()
        now = (sum(part._version for part in self._parts), *(part.data_ptr() for part in self._parts))
        if now != self._as_of:
            from playout.learning.network.shapes import folded

            made = folded(self.module)
            self._asked, self._as_of = made if self.shape == OWN else self._taken(self.prepare(made)), now
        return self._asked

    @property
    def prepare(self) -> Any:
        """What brings a module or a batch into the numbers and the layout that it evaluates in."""
        return methodcaller("to", self.precision, **self._layout)

    def _taken(self, made: Any) -> Any:
        """What evaluates with the weights of a module just made: on a GPU the one whose passes are recorded, elsewhere that module."""
        if self._captured is None and self.device.type == "cuda":
            from playout.learning.network.graphs import Captured, Cuda

            self._captured = Captured(made, self.prepare, tuple(self.encoding.shape), Cuda(self.device))
        return made if self._captured is None else self._captured.take(made)

    @property
    def _layout(self) -> dict[str, Any]:
        """How planes lie in memory: those of one cell side by side, as convolutions want them on a GPU and on a processor."""
        return {"memory_format": self.torch.channels_last} if self.shape == "tower" else {}

    def refresh(self) -> None:
        """Forget the form that evaluates: for whoever changes weights behind torch's back, through `.data` or by putting in other ones."""
        self._asked = None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Torch with as many threads as this network has, and nobody else asking meanwhile; on a GPU nothing of that matters.

        With one thread torch starts none of its own, so that processes may be forked, other threads search, and sums have one order.
        """
        if self.device.type != "cpu":
            yield
            return
        with _one_at_a_time:
            before = self.torch.get_num_threads()
            self.torch.set_num_threads(self.threads)
            try:
                yield
            finally:
                self.torch.set_num_threads(before)

    def _check_module(self) -> None:
        """Ask somebody's own module once: what it must give, it must give from the beginning."""
        name, (actions, players) = type(self.module).__name__, (self.game.actions, self.game.players)
        wanted = (
            f"return (logits, values), of shapes (n, {actions}) and (n, {players}), for x of shape {('n', *self.encoding.shape)}"
        )
        try:
            with self.torch.inference_mode(), self._alone():
                was = self.module.training
                found = self.module.eval()(self.torch.zeros((2, *self.encoding.shape), device=self.device))
                self.module.train(was)
        except PlayoutError:
            raise
        except Exception as error:
            told = str(error).partition("\n")[0]
            raise PlayoutError(f"module {name} fails on two states ({type(error).__name__}: {told}); {wanted}") from error
        if not isinstance(found, tuple) or len(found) not in (2, 3):
            raise PlayoutError(f"module {name} returned {type(found).__name__}; {wanted}")
        shapes = tuple(tuple(getattr(part, "shape", ())) for part in found[:2])
        if shapes != ((2, actions), (2, players)):
            raise PlayoutError(f"module {name} returned shapes {shapes[0]} and {shapes[1]} for two states; {wanted}")
        further = found[2] if len(found) > 2 else {}
        for target, width in self.targets:
            shape = tuple(getattr(further.get(target), "shape", ())) if isinstance(further, dict) else ()
            if shape != (2, width):
                raise PlayoutError(
                    f"module {name} should tell the target {target!r} in {width} numbers; return (logits, values, further) with "
                    f"further[{target!r}] of shape (n, {width})"
                )

    # files

    @property
    def head(self) -> Head:
        """What its file says of it."""
        from playout import __version__

        kind = type(self.module)
        return Head(
            playout=__version__,
            game=self.game.base,
            parameters=self.game.parameters,
            spec=self.game.spec,
            fingerprint=self._marks[0],
            encoding=self.encoding.to_builtins(),
            sees=self._marks[1],
            shape=self.shape,
            size=self.size,
            module="" if self.shape != OWN else f"{kind.__module__}.{kind.__qualname__}",
            targets=self.targets,
            reward=self.reward,
            returns=(float(self.returns[0]), float(self.returns[1])),
            weights=sum(part.numel() for part in self.module.parameters()),
            trained=self.trained,
            history=tuple(self.history),
        )

    @property
    def _marks(self) -> tuple[str, str]:
        """How the rules behave and what the encoding makes of them; found out once, since both play random games."""
        if self._marked is None:
            self._marked = fingerprint(self.game), seen_by(self.game, self.encoding)
        return self._marked

    def arrays(self) -> dict[str, Array]:
        """The weights by name."""
        return {name: part.detach().cpu().numpy().copy() for name, part in self.module.state_dict().items()}

    def save(self, file: str | Path) -> Path:
        """Write it to one file, all of it or nothing."""
        return write_network(file, self.head, self.arrays())

    @classmethod
    def load(
        cls,
        file: str | Path,
        game: Game | str | None = None,
        *,
        module: Any = None,
        encoding: Any = None,
        device: str = "auto",
        threads: int = 1,
        compiled: bool = True,
    ) -> Network:
        """Read a network: of the game given, or of the one that it names; weights of a module of your own into that module."""
        head, arrays = read_network(file)
        name = f"network file {str(file)!r}"
        rules = load(head.spec if game is None else game)
        check_game(file, head, rules)
        if (head.shape == OWN) != (module is not None):
            if module is None:
                raise FileError(
                    f"{name} holds weights of a module of your own, {head.module}; pass it: Network.load(file, module=...)"
                )
            raise FileError(f"{name} holds a {head.shape} of this library and not a module of your own; leave module out")
        if encoding is None:
            from playout.game.encoding import Encoding

            try:
                encoding = Encoding.from_builtins(rules, head.encoding, compiled)
            except PlayoutError as error:
                raise FileError(f"{name} cannot be used: {error}") from None
        made = cls(
            rules,
            module,
            size=head.size or "small",
            encoding=encoding,
            targets=head.targets,
            reward=head.reward,
            returns=head.returns,
            device=device,
            threads=threads,
            compiled=compiled,
        )
        if made.shape != head.shape or seen_by(rules, encoding) != head.sees:
            raise FileError(f"the encoding of {rules.spec!r} has changed since {name} was written; learn it again")
        made._marked = head.fingerprint, head.sees
        made._fill(name, arrays)
        made.trained, made.history, made.file = head.trained, list(head.history), str(file)
        return made

    def _fill(self, name: str, arrays: dict[str, Array]) -> None:
        """Put weights into the module, if they are all there and of its shape."""
        wanted = self.module.state_dict()
        for part in sorted(wanted.keys() | arrays.keys()):
            has, needs = (None if part not in parts else tuple(parts[part].shape) for parts in (arrays, wanted))
            if has != needs:
                told = "is not there" if has is None else f"has shape {has}"
                cure = "which the module does not have" if needs is None else f"and the module has shape {needs}"
                raise FileError(f"{name} does not fit the module {type(self.module).__name__}: {part} {told}, {cure}")
        self.module.load_state_dict({part: self.torch.from_numpy(np.array(array)) for part, array in arrays.items()})


def softmax(logits: Array) -> Array:
    """Logits as shares that add up to 1, in double precision, so that what is unlikely does not become impossible."""
    wide = logits.astype(np.float64)
    wide = np.exp(wide - wide.max(axis=1, keepdims=True))
    shares: Array = wide / wide.sum(axis=1, keepdims=True)
    return shares


def random_positions(game: Game) -> Iterator[State]:
    """The states of a few random games, the last ones included; the same every time."""
    for seed in range(LOOKED_AT):
        state, stream = game.start(seed), Stream(seed, PICKS)
        for _ in range(STEPS):
            yield state
            if state.over:
                break
            state = state.after(state.random(stream))


def returns_seen(game: Game, reward: str = "") -> tuple[float, float]:
    """The lowest and highest return that a few random games show, for a game that does not say; half as far again to either side."""
    states = random_positions(game)
    found = [value for state in states for value in (state.returns_as(reward) if reward else state.returns)]
    low, high = min(found), max(found)
    room = max(high - low, 1.0) / 2
    return low - room, high + room


def seen_by(game: Game, encoding: Any) -> str:
    """What an encoding makes of a few positions, in few letters."""
    states = [state for state in random_positions(game) if not state.over]
    movers = np.array([state.mover for state in states], np.int64)
    x = encoding(np.concatenate([state.copy_array() for state in states]), movers)
    # Rounded, and without a minus before zero: the last bits may be another machine's.
    told = np.round(np.asarray(x, np.float64), 3) + 0.0
    return hashlib.sha256(repr(told.shape).encode() + told.tobytes()).hexdigest()[:24]
