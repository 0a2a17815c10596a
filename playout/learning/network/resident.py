"""Trees of self-play that grow on the GPU where the network is: leaves, what is seen of them and what the network says never leave it.

The games stand in two plots. While the device searches in the one, the processor reads what was found in the other, plays, and asks for the
next searches. All searches of a plot begin and end together; each is that of a tree by itself, and the processor hears of it when it is over.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from playout.compile.binding import trusted
from playout.compile.cuda import toolkit, why_not
from playout.compile.devices import Array, Cores, Each, device_named
from playout.compile.records import aligned_records
from playout.engine import layout
from playout.engine.forest import Edges
from playout.engine.forest import Forest as Columns
from playout.engine.learned import NOTHING
from playout.engine.rounds import Field, Told, end, end_some, seeing, send, send_some, sow, sow_some, tell, tell_some
from playout.errors import CompileError, GameError, PlayoutError
from playout.game.game import Game
from playout.game.stream import base_words
from playout.learning.network.file import OWN
from playout.learning.network.network import Network, softmax
from playout.learning.network.searching import Lessons, Together
from playout.learning.network.watched import Watched
from playout.planner.abreast import Abreast
from playout.planner.forest import PER_STEP
from playout.planner.grown import Grown
from playout.planner.waiting import WaitingTree

if TYPE_CHECKING:
    from playout.compile.gpu import Cuda

PLOTS = 2
LOOKED_AT = 16
"""One search in so many has a round whose parts are timed, so that it is known what takes how long."""
STRIDE = 16
"""Rounds that are waited for together."""
PARTS = ("trees", "encoding", "network")


class Here:
    """A network that is asked from this machine's memory, for the cores."""

    def __init__(self, network: Network, count: int, queue: Any) -> None:
        self.network, self._encoding = network, network.encoding
        self.seen, self.movers, self.values, self.priors = asked_of(network, count, queue.zeros)

    def clear(self) -> None:
        """What is seen is written into zeros."""
        self.seen[...] = 0

    def ask(self) -> None:
        """Priors and values of all that is seen."""
        logits, values = self.network.ask(self.seen.reshape(len(self.seen), *self._encoding.shape))
        self.priors[...], self.values[...] = softmax(logits), self.network.absolute(values, self.movers)

    def ready(self, round_: Callable[[], None]) -> Callable[[], None]:
        """A round as it is done quickest."""
        return round_


class There:
    """A network on a GPU, asked from the memory of that, in a stream of its own; rounds are recorded, and played back."""

    def __init__(self, network: Network, count: int) -> None:
        import torch

        self.torch, self.network = torch, network
        self.stream = torch.cuda.Stream(network.device)
        self._played: tuple[Any, Callable[[], None]] | None = None
        self.failed = ""
        """Why rounds are not recorded; empty while all is well."""

        def room(shape: tuple[int, ...], dtype: Any) -> Any:
            kind = {np.float32: torch.float32, np.float64: torch.float64, np.int64: torch.int64}[dtype]
            return torch.zeros(shape, dtype=kind, device=network.device)

        # In the stream that uses them, or they might be given to others while that still does.
        with torch.cuda.stream(self.stream):
            self._tensors = asked_of(network, count, room)
        low, high = network.returns
        self._low, self._half = low, (high - low) / 2
        self._players = torch.arange(network.game.players, device=network.device)

    def arrays(self, cuda: Any) -> None:
        """The same memory as kernels take it."""
        self._cuda = cuda
        self.seen, self.movers, self.values, self.priors = (cuda.as_cuda_array(tensor) for tensor in self._tensors)

    def clear(self) -> None:
        with self.torch.cuda.stream(self.stream):
            self._tensors[0].zero_()

    def ask(self) -> None:
        """As `Network.evaluate`, by what the device has for it."""
        torch, network = self.torch, self.network
        seen, movers, told, priors = self._tensors
        with torch.inference_mode(), torch.cuda.stream(self.stream):
            x = seen.reshape(len(seen), *network.encoding.shape)
            logits, values = network.evaluating()(network.prepare(x))[:2]
            priors.copy_(torch.softmax(logits.double(), dim=1))
            places = (self._players[None, :] - movers[:, None]) % len(self._players)
            told.copy_(self._low + (values.double().gather(1, places) + 1) * self._half)

    def ready(self, round_: Callable[[], None]) -> Callable[[], None]:
        """The round recorded, anew where the network works in another place than before; after whatever was done to its weights."""
        from playout.learning.network.graphs import Cuda

        torch, module = self.torch, self.network.evaluating()
        self.stream.wait_stream(torch.cuda.current_stream(self.network.device))
        if self._played is None or self._played[0] is not module:
            try:
                # Memory that was let go is given back at other times: a recording must not meet with that.
                with self._cuda.defer_cleanup():
                    _, play = Cuda(self.network.device).record(round_, self.stream)
            except Exception as error:
                # Rounds that cannot be recorded are asked for one by one, which takes longer and finds the same.
                self.failed, play = str(error).partition("\n")[0], round_
            self._played = module, play
        play = self._played[1]

        def played() -> None:
            with torch.cuda.stream(self.stream):
                play()

        return played


def asked_of(network: Network, count: int, room: Callable[..., Any]) -> tuple[Any, Any, Any, Any]:
    """Room for what is seen of so many leaves, with whose eyes, and for values and priors."""
    game, encoding = network.game, network.encoding
    shape = encoding.shape if encoding.plan is None else (encoding.size,)
    return (
        room((count, *shape), np.float32),
        room((count,), np.int64),
        room((count, game.players), np.float64),
        room((count, game.actions), np.float64),
    )


class Plot:
    """Trees that are searched together: rows of common arrays on a device."""

    def __init__(self, model: WaitingTree, network: Network, device: Cuda | Cores, count: int, simulations: int) -> None:
        game = model.game
        self.model, self.game, self.network, self.count, self.simulations = model, game, network, count, simulations
        self.asked: Any
        if isinstance(device, Cores):
            self.queue: Any = device.queue()
            self.asked = Here(network, count, self.queue)
        else:
            self.asked = There(network, count)
            self.asked.arrays(device.cuda)
            self.queue = device.queue(self.asked.stream.cuda_stream)
        queue, binding = self.queue, device.binding(game, model.binding.features, True)
        blank, work = room_for(model, simulations)
        zeros = queue.zeros
        self._columns = [zeros((count, *column.shape), column.dtype) for column in blank]
        self._roots = zeros((count,), game.dtype)
        options, own = zeros((1, *model._options.shape), model._options.dtype), model._options.copy()
        own["began"], own["planned"] = 0, simulations
        queue.put(own[None], options)
        known = type(NOTHING)(*(zeros(array.shape, aligned_records(array).dtype) for array in NOTHING))
        self.forest: Any = Columns(*self._columns, options, self._roots, known)  # type: ignore[call-arg]
        states = zeros((count, 1, layout.POOL), game.dtype)
        self._budgets = zeros((count,), np.int64)
        self.field = Field(
            states,
            queue.raw(states),
            zeros((count, 1), work),
            self._budgets,
            zeros((count,), np.int64),
            self.asked.seen,
            self.asked.movers,
            self.asked.values,
            self.asked.priors,
        )
        edges = Grown.nothing(count, game).edges
        told = [*edges, np.zeros(edges.visits.shape, np.float32)]
        self._told: Any = Told._make(zeros(column.shape, column.dtype) for column in told)
        rows: Callable[..., Each] = partial(queue.rows, binding)
        self._sow, self._send, self._see = rows(sow, sow_some), rows(send, send_some), rows(*seeing(network.encoding.function))
        self._end, self._tell = rows(end, end_some), rows(tell, tell_some)
        self.searches = 0
        self._marks: list[Any] = []
        self._looked: list[Any] = []
        self._head = np.zeros((count, 1), blank.head.dtype)
        self.spent = dict.fromkeys(PARTS, 1e-9)
        """Seconds that rounds took that were looked at."""
        self.begun: tuple[Array, Array, Array, Array] | None = None
        """The rows that are searched, their states, and their streams."""
        self.found: tuple[Any, Array] | None = None

    # a search

    def begin(self, rows: Array, states: Array, seeds: Array, numbers: Array) -> None:
        """Ask for searches in some rows, and for what they find."""
        queue, count, head = self.queue, self.count, self._head
        self.begun, self.found = (rows, states, seeds, numbers), None
        play = self.asked.ready(self._round)
        head[:] = np.zeros(1, head.dtype)
        head["used"], head["low"], head["high"] = 1, np.inf, -np.inf
        head["seed"][rows, 0], head["tree"][rows, 0], head["stream"][rows, 0] = seeds, numbers, base_words(seeds, numbers)
        roots, budgets = np.zeros(count, self.game.dtype), np.zeros(count, np.int64)
        roots[rows], budgets[rows] = states, self.simulations
        for column in self._columns[1:]:
            queue.clear(column)
        queue.put(head, self._columns[0])
        queue.put(roots, self._roots)
        queue.put(budgets, self._budgets)
        self._sow(self.forest, self.field, count)
        look = self.simulations // 2 if len(rows) and self.searches % LOOKED_AT == 0 else -1
        self.searches += len(rows) > 0
        self._marks, self._looked = [], []
        for number in range(self.simulations):
            if number == look:
                self._round(self._looked)
            else:
                play()
            if number % STRIDE == STRIDE - 1:
                self._marks.append(queue.mark())
        self._tell(self.forest, self._told, count)
        told: Any = Told._make(queue.fetch(column) for column in self._told)
        self.found = told, queue.fetch(self._columns[0])
        self._marks.append(queue.mark())

    def _round(self, marks: list[Any] | None = None) -> None:
        """One leaf of every tree down, asked about, and back up; `marks` gets a mark between any two parts."""

        def note() -> None:
            if marks is not None:
                marks.append(self.queue.mark())

        note()
        self._send(self.forest, self.field, self.count)
        note()
        self.asked.clear()
        self._see(self.forest, self.field, self.count)
        note()
        self.asked.ask()
        note()
        self._end(self.forest, self.field, self.count)
        note()

    def wait(self) -> None:
        """Until what was asked for is found."""
        for mark in self._marks:
            self.queue.wait(mark)
        if self._looked:
            down, seen, asked, up = (self.queue.between(a, b) for a, b in pairwise(self._looked))
            for part, took in zip(PARTS, (down + up, seen, asked), strict=True):
                self.spent[part] += took
        self._marks, self._looked = [], []
        self._complain()

    def _complain(self) -> None:
        """A game or a network that misbehaved in one of the trees is told of: a tree by itself meets the same."""
        assert self.begun is not None and self.found is not None
        rows, states, seeds, numbers = self.begun
        head = self.found[1][rows, 0]
        proven = (self.found[0].root_tags[rows] & layout.PROVEN) != 0
        wrong = np.flatnonzero((head["trouble"] != 0) | ((head["simulations"] < self.simulations) & ~proven))
        for at in wrong[:1]:
            settings = msgspec.structs.replace(self.model.settings, seed=int(seeds[at]))
            state = Abreast(self.game, 1)
            state.states[:] = states[at : at + 1]
            tree = WaitingTree(self.model.binding, settings, state.state(0), int(numbers[at]), self.network)
            tree.plan(0, self.simulations)
            tree.run(self.simulations, 1 << 31)
            raise GameError(
                f"game {self.game.name!r} misbehaved on the device, though not on a core (seed {seeds[at]}); run playout check on it"
            )

    def edges(self, rows: Array) -> tuple[Any, Array, Array, Array]:
        """What the trees in some rows know of their actions, the priors of those, the values of the roots, and the heads."""
        assert self.found is not None
        told, head = self.found
        part: Any = Told._make(column[rows] for column in told)
        valid = np.arange(part.actions.shape[1]) < part.counts[:, None]
        # What stands behind the last action is left from another search.
        clean = part._replace(
            actions=np.where(valid, part.actions, -1), visits=np.where(valid, part.visits, 0), tags=np.where(valid, part.tags, 0)
        )
        return Edges._make(clean[:-1]), np.where(valid, part.priors, 0), clean.root_values, head[rows, 0]


def room_for(model: WaitingTree, simulations: int) -> tuple[Any, np.dtype[Any]]:
    """(columns of a tree, scratch space of a simulation), with all the room that so many simulations can need."""
    game, blocks = model.game, simulations + 2
    places = 1 << math.ceil(math.log2(2 * (blocks + 1) * game.players + 1))
    slots = blocks * (game.most_legal + 2)
    longest = min(layout.LONGEST_PATH, PER_STEP * blocks + 32)
    return model.empty(slots, places), layout.work_dtype(game, longest, 1)


class Resident:
    """The trees of self-play by the places of their games, on the device where the network is."""

    def __init__(self, together: Together, games: Abreast, network: Network, device: Cuda | Cores) -> None:
        self.together, self.games = together, games
        assert isinstance(together.evaluator, Watched)
        self._watched = together.evaluator
        model = together.search.plant(games.game.start(), 0)
        assert isinstance(model, WaitingTree)
        ends = np.linspace(0, len(games), min(PLOTS, len(games)) + 1).astype(int)
        self._firsts = ends[:-1]
        self.plots = [Plot(model, network, device, int(b - a), together.simulations) for a, b in pairwise(ends)]
        self._under_way: list[int] = []
        self._movers = np.zeros(len(games), np.int64)
        self._over = np.zeros(len(games), bool)

    def begin(self, places: Array, movers: Array, seeds: Array, numbers: Array, games: Array) -> None:
        """Searches of the games in some places."""
        self._movers[places], self._over[places] = movers, False
        with self._clock():
            for number, here in self._by_plot(places):
                if len(here):
                    rows = places[here] - self._firsts[number]
                    self.plots[number].begin(rows, self.games.states[places[here]], seeds[here], numbers[here])
                    # One that was interrupted is there already.
                    self._under_way = [one for one in self._under_way if one != number] + [number]

    def round(self, places: Array) -> None:
        """The searches that were asked for first, to their end."""
        plot = self.plots[number := self._under_way.pop(0)]
        with self._clock():
            plot.wait()
        assert plot.begun is not None and plot.found is not None
        self._over[plot.begun[0] + self._firsts[number]] = True
        self.together.leaves += int(plot.found[1]["valued"].sum())

    def prepare(self) -> None:
        """Have all at hand, compiled and recorded."""
        nothing = np.zeros(0, np.int64)
        for plot in self.plots:
            plot.begin(nothing, self.games.states[:0], nothing, nothing)
            plot.wait()

    def ended(self, places: Array) -> Array:
        """Which searches were waited for."""
        found: Array = self._over[places]
        return found

    def lessons(self, places: Array) -> Lessons:
        """What they found."""
        parts, order = [], []
        for number, here in self._by_plot(places):
            if len(here):
                parts.append(self.plots[number].edges(places[here] - self._firsts[number]))
                order.append(here)
        back = np.argsort(np.concatenate(order), kind="stable")
        edges = Edges._make(np.concatenate(columns)[back] for columns in zip(*(part[0] for part in parts), strict=True))
        priors, results, head = (np.concatenate([part[k] for part in parts])[back] for k in (1, 2, 3))
        movers = self._movers[places]
        rows = np.arange(len(places))
        ranges = np.stack([head["low"][rows, movers], head["high"][rows, movers]], axis=1)
        return self.together.learned(edges, priors, results, movers, ranges)

    def played(self, places: Array, actions: Array) -> None:
        """Every search has a new tree."""

    def fell(self, places: Array) -> None:
        """And nothing is kept."""

    def _by_plot(self, places: Array) -> list[tuple[int, Array]]:
        """For every plot, which of some places it has."""
        owner = np.searchsorted(self._firsts, places, side="right") - 1
        return [(number, np.flatnonzero(owner == number)) for number in range(len(self.plots))]

    @contextlib.contextmanager
    def _clock(self) -> Iterator[None]:
        """Time that goes into searches: what part of it is whose is known from the rounds that were looked at."""
        began = time.perf_counter()
        yield
        seconds = time.perf_counter() - began
        spent = {part: sum(plot.spent[part] for plot in self.plots) for part in PARTS}
        whole, evaluator = sum(spent.values()), self._watched
        encoding, network = (seconds * spent[part] / whole for part in PARTS[1:])
        evaluator.encoding += encoding
        evaluator.asking += network
        self.together.outside += encoding + network
        self.together.in_trees += seconds - encoding - network


def resident(together: Together, games: Abreast) -> tuple[Resident | None, str]:
    """(trees on the GPU where the network is, how that is) where all that is needed can be done there; else None, and why: nothing to say of a
    network that is on no GPU."""
    evaluator, game = together.evaluator, games.game
    if not isinstance(evaluator, Watched) or evaluator.network.device.type != "cuda" or not games.compiled:
        return None, ""
    network = evaluator.network
    why = _why_not(network, game)
    if why:
        return None, f"trees of self-play grow on the cores: {why}"
    device: Any = device_named("cuda")
    model = together.search.plant(game.start(), 0)
    assert isinstance(model, WaitingTree)
    # By the memory that there is and not by what is free, or the same command would play other games beside other programs.
    total = int(device.cuda.current_context().get_memory_info()[1])
    if len(games) * bytes_each(model, network, together.simulations) > total // 2:
        return None, "trees of self-play grow on the cores: the GPU has no room for so many"
    try:
        made = Resident(together, games, network, device)
        made.prepare()
    except CompileError as error:
        return None, f"trees of self-play grow on the cores: {error}"
    except (MemoryError, network.torch.cuda.OutOfMemoryError) as error:
        raise PlayoutError(
            f"the GPU has no room left for the trees of self-play ({error}); end other programs on it, or play fewer games abreast"
        ) from None
    failed = next((plot.asked.failed for plot in made.plots if plot.asked.failed), "")
    more = f", though their rounds cannot be recorded, which takes longer ({failed})" if failed else ""
    return made, f"trees of self-play stay on the GPU{more}"


def _why_not(network: Network, game: Game) -> str:
    """Why trees cannot stay where a network on a GPU is; empty where they can."""
    if game.hidden:
        return f"{game.name!r} hides something"
    if game.objects is not None:
        return f"{game.name!r} is made of Python objects"
    if network.shape == OWN:
        return "the network is a module of your own"
    if not trusted(game):
        return f"{game.name!r} was never checked (playout check {game.spec})"
    if missing := why_not():
        return missing
    number = network.device.index
    here, there = toolkit().get_current_device().id, network.torch.cuda.current_device() if number is None else number
    return f"the network is on GPU {there}, and theirs is {here}" if here != there else ""


def bytes_each(model: WaitingTree, network: Network, simulations: int) -> int:
    """What a tree and all that belongs to it take."""
    game, (blank, work) = model.game, room_for(model, simulations)
    told = sum(column.nbytes for column in Grown.nothing(1, game).edges) + 4 * game.most_legal
    asked = 4 * network.encoding.size + 8 * (game.actions + game.players + 1)
    own = sum(column.nbytes for column in blank)
    return int(own + work.itemsize + (layout.POOL + 1) * game.dtype.itemsize + told + asked)
