"""One tree as Python holds it: it grows, moves its root, is saved and loaded, and can be read slot by slot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from playout.compile import Binding
from playout.compile.holes import as_word
from playout.compile.records import Pool, apart, scratch
from playout.engine import layout
from playout.engine.layout import Tree
from playout.engine.learned import NOTHING
from playout.engine.move_root import transplant
from playout.engine.positions import hash_bytes, place_of
from playout.engine.real.leaders import FEW, LEAD, most_leads
from playout.engine.real.replies import MOST_PRICE, price_of
from playout.engine.simulate import run_simulations
from playout.engine.widen import code_share, count_outcomes, lane_of, numbered, outcome_code
from playout.errors import GameError
from playout.game.continuous import NATURE, action_words
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import SEQUENCES, base_word
from playout.planner.learned import Learned, bad_pattern, learned_options
from playout.planner.settings import BACKUPS, MOVED, SAMPLINGS, Settings
from playout.planner.way import find_way

NO_LIMIT = 1 << 40


def _copied(column: Any, length: int) -> Any:
    longer = np.zeros((length, *column.shape[1:]), column.dtype)
    kept = min(length, len(column))
    # As bytes: a plain memory copy, whatever the fields.
    longer.view(np.uint8).reshape(-1)[: kept * longer[:1].nbytes] = np.asarray(column[:kept]).view(np.uint8).reshape(-1)
    # A view would not own its memory, and could not be resized in place later.
    return longer if type(column) is np.ndarray else longer.view(type(column))


def option_record(game: Game, settings: Settings) -> np.ndarray[Any, Any]:
    """The settings as the kernels read them."""
    options = apart(1, layout.OPTIONS)
    o = options[0]
    o["rule"] = ("ucb1", "ucb1-tuned", "puct", "equal").index(settings.rule)
    o["fpu_mode"] = {"first": layout.FPU_FIRST, "parent": layout.FPU_PARENT}.get(str(settings.fpu), layout.FPU_NUMBER)
    o["fpu"] = 0.0 if isinstance(settings.fpu, str) else settings.fpu
    o["ranged"] = settings.scale == "range"
    o["solver"] = settings.solver
    o["depth"] = NO_LIMIT if settings.depth is None else settings.depth
    o["own_playout"] = settings.playout == "game"
    o["playouts"] = settings.playouts
    o["cutoff"] = NO_LIMIT if settings.cutoff is None else settings.cutoff
    o["use_evaluate"] = settings.cut == "evaluate"
    o["decisive"] = ("off", "win", "block").index(settings.decisive)
    o["decisive_playouts"] = ("off", "win", "block").index(settings.decisive_playouts)
    o["transpositions"] = settings.transpositions
    o["use_prior"] = settings.rule == "puct" and game.has("prior")
    o["c"], o["discount"] = settings.c, settings.discount
    o["worlds"] = settings.by_sight
    o["drawn"] = settings.hidden in layout.SAMPLING
    o["width"], o["power"] = settings.observation_width or 0.0, settings.observation_power
    o["open_loop"] = settings.open_loop
    o["many"] = settings.hidden == "mo-ismcts"
    o["redraw"] = settings.redraw
    o["has_range"] = game.returns_range is not None
    o["low"], o["high"] = game.returns_range or (0.0, 0.0)
    if game.continuous:
        continuous_options(o, game, settings)
    return options


CALM = 0.06
"""Values of a few actions of a continuous game are scaled to their own range, where much smaller bonuses do."""


def calm(c: float) -> float:
    """The exploration constant as it counts in continuous games."""
    return CALM * c


LOCAL_SHARE, REACH, SPREAD, DECAY, WINDOW = 0.5, 0.1, 4.0, 0.25, 3
"""Of continuous games: how many new actions are tried near the best; the longest distance of local minimax, in units of
the set, and how much farther the next stage may move there; what is left of a moved action's visits; the stages that local minimax
solves together."""


def continuous_options(o: Any, game: Game, settings: Settings) -> None:
    """The part of the settings that only games with real-valued actions read."""
    total = settings.derivative == "total"
    o["c"] = calm(settings.c)
    o["alone"] = settings.method == "local-alone"
    o["sampling"] = SAMPLINGS.index(settings.sampling)
    o["backup"] = BACKUPS.index(settings.backup)
    o["borrow"], o["solve_last"] = settings.borrow, settings.last == "solve"
    movers = {"widening": layout.BY_NOTHING, "gradient": layout.BY_TOTAL if total else layout.BY_OWN_SLOPES}
    o["mover"] = movers.get(settings.method, layout.BY_LOCAL)
    o["derivatives"] = ("exact", "differences", "game").index(settings.slopes)
    o["moved"] = layout.FRESH if o["alone"] else MOVED.index(settings.moved)
    o["branches"], o["window"] = settings.branches, WINDOW
    # Double widening: outcomes of chance are limited as actions are.
    o["width"], o["power"] = settings.width, settings.power
    o["action_width"], o["action_power"], o["exponent"] = settings.width, settings.power, settings.exponent
    o["golden"], o["local_share"] = 1.0 / golden(game.dimension), LOCAL_SHARE
    # A moved line says nothing of other outcomes of chance.
    o["refine"] = 0.0 if settings.method == "widening" or NATURE in game.movers else settings.refine
    o["evaluations"], o["rate"], o["reach"] = settings.evaluations, settings.rate, REACH
    o["distance"], o["spread"], o["decay"] = settings.distance, SPREAD, DECAY


def prices(game: Game, settings: Settings) -> list[float]:
    """Evaluations that moving the actions from each stage on takes."""
    stages, d = game.stages, game.dimension
    if settings.method in ("local", "local-alone"):
        return [float(settings.branches ** min(WINDOW, stages - root)) for root in range(stages)]
    if settings.derivative == "total":
        return [float(price_of(stages, d, root)) for root in range(stages)]
    return [float((stages - root) * (1 if settings.slopes == "game" else d)) for root in range(stages)]


def golden(dimension: int) -> float:
    """The root of g^(d+1) = g + 1: the golden ratio and its kin."""
    g = 2.0
    for _ in range(80):
        g = (1.0 + g) ** (1.0 / (dimension + 1))
    return g


class SearchTree:
    """The arrays of one tree with the scratch space to search it."""

    def __init__(self, binding: Binding, settings: Settings, state: State, number: int, learned: Learned | None = None) -> None:
        game = binding.game
        self.game, self.settings, self.binding, self.learned = game, settings, binding, learned
        # Room for a thousand simulations or so; those of a continuous game add an action at every stage.
        self.tree = self.empty(game.most_legal + 1024 * min(4, max(1, game.stages)))
        head = self.tree.head[0]
        head["seed"], head["tree"], head["used"] = settings.seed, number, 1
        head["stream"] = base_word(settings.seed, number)
        head["low"], head["high"] = np.inf, -np.inf
        self._simulate = binding.kernel(run_simulations)
        self._scratch = self._make_scratch()
        self.root = state

    def empty(self, slots: int, places: int = 1024) -> Tree:
        """Zeroed columns of that length, as the settings need them."""
        players = self.game.players
        return self._dressed(
            Tree(
                head=apart(1, layout.head_dtype(players, self.game.stages)),
                nodes=np.zeros(slots, layout.node_dtype(players, self.game.continuous)),
                values=np.zeros((slots if self.settings.solver else 1, players)),
                priors=np.zeros(slots if self.settings.rule == "puct" else 1, np.float32),
                available=np.zeros(slots if self.settings.by_sight or self.game.continuous else 1, np.int32),
                moves=np.zeros((slots if self.game.continuous else 1, self.game.dimension)),
                siblings=np.zeros(slots if self.game.continuous else 1, np.int32),
                leads=np.zeros(most_leads(slots) if self.game.continuous else 1, LEAD),
                table=np.zeros(places, layout.TABLE),
            )
        )

    def _dressed(self, tree: Tree) -> Tree:
        """Uncompiled, records are read by attribute as compiled ones are."""
        if self.binding.compiled:
            return tree
        return tree._replace(**{name: getattr(tree, name).view(np.recarray) for name in ("head", "nodes", "leads", "table")})

    def _make_scratch(self) -> tuple[Any, Any, Any, Any, Any]:
        """What the kernel works with: options, states, their bytes, the scratch record, and what was learned; records in arrays."""
        game, settings = self.game, self.settings
        states = self._states = apart(layout.POOL, game.dtype)
        raw = states.view(np.uint8).reshape(layout.POOL, game.dtype.itemsize)
        options = self._options = option_record(game, settings)
        # By the game, not by the settings: another size would be another kernel to compile.
        work = apart(1, layout.work_dtype(game, game.continuous and price_of(game.stages, game.dimension) <= MOST_PRICE))
        self._value = work[0]["value"]
        known = NOTHING
        if self.learned is not None:
            learned_options(options[0], game, self.learned)
            known = self.learned.seen_by(self.binding.compiled)
        if game.continuous:
            # Where the sequences of this tree begin: a place of their own for every seed and tree.
            work[0]["prices"] = prices(game, settings)
            work[0]["shift"] = base_word(settings.seed, SEQUENCES + int(self.tree.head[0]["tree"]))
        if self.binding.compiled:
            return options, states, raw, work, known
        return options.view(np.recarray), Pool(states), raw, [scratch(work, False)], known

    @property
    def root(self) -> State:
        """The state that the tree starts from."""
        return self._root

    @root.setter
    def root(self, state: State) -> None:
        self._root = state
        self._states[layout.ROOT] = state.copy_array()[0]
        self._options[0]["observer"] = max(0, state.mover)

    @property
    def observer(self) -> int:
        """The player who searches: with hidden information the tree is what this one can tell apart."""
        return int(self._options[0]["observer"])

    @property
    def simulations(self) -> int:
        """How many simulations this tree has seen, those before its root moved included."""
        return int(self.tree.head[0]["simulations"])

    @property
    def used(self) -> int:
        """Slots in use."""
        return int(self.tree.head[0]["used"])

    @property
    def proven(self) -> bool:
        """Whether the result of the root is known."""
        return bool(self.tree.nodes[0]["tags"] & layout.PROVEN)

    @property
    def slot_bytes(self) -> int:
        """Bytes per slot, with the columns that the settings ask for."""
        tree = self.tree
        extra = 8 * self.game.players if len(tree.values) > 1 else 0
        extra += 4 * (len(tree.priors) > 1) + 4 * (len(tree.available) > 1)
        extra += (4 + 8 * self.game.dimension + LEAD.itemsize // FEW) * self.game.continuous
        return int(tree.nodes.dtype.itemsize) + extra

    @property
    def bytes(self) -> int:
        """Memory that the tree's arrays occupy."""
        return sum(int(column.nbytes) for column in self.tree)

    def prepare(self) -> None:
        """Have the kernel ready: compiled, or loaded from the cache."""
        self._simulate(*self.tree, *self._scratch, 0)

    def run(self, count: int, most_bytes: int) -> int:
        """Up to `count` simulations; fewer only when the root is proven. Grows within the memory it may use."""
        done = 0
        with np.errstate(over="ignore"):
            while done < count and not self.proven:
                done += int(self._simulate(*self.tree, *self._scratch, count - done))
                self._report_trouble()
                if done < count and not self.proven:
                    self._grow(most_bytes)
        return done

    def _grow(self, most_bytes: int) -> None:
        tree, head = self.tree, self.tree.head[0]
        if 2 * int(head["positions"]) + 2 > len(tree.table):
            # While it grows, the old table and the new one, four times as long, are both there.
            if self.bytes + 4 * tree.table.nbytes > most_bytes:
                head["full"] = 1
                return
            self._grow_table()
            tree = self.tree
        if self.used + self.game.most_legal + 2 > len(tree.nodes):
            room = (most_bytes - tree.table.nbytes) // self.slot_bytes
            slots = min(2 * len(tree.nodes) + self.game.most_legal, room)
            if slots < self.used + self.game.most_legal + 2:
                head["full"] = 1
                return
            try:
                self._resize(slots, most_bytes)
            except MemoryError:
                head["full"] = 1

    def _resize(self, slots: int, most_bytes: float = float("inf")) -> None:
        """Longer (or shorter) columns with the same content; all of them or, if memory fails, none."""
        lengths = {name: slots for name in layout.GROWING if name == "nodes" or len(getattr(self.tree, name)) > 1}
        if self.game.continuous:
            lengths["leads"] = most_leads(slots)
        if not self.binding.compiled or self.bytes + slots * self.slot_bytes <= most_bytes:
            # A fresh array is zeroed by the system page by page when it is used; a resized one at once, and all threads wait.
            self.tree = self.tree._replace(**{name: _copied(getattr(self.tree, name), n) for name, n in lengths.items()})
            return
        # No room for two copies. The kernel trusts the length of the nodes, so they grow last.
        for name in reversed(lengths):
            column = getattr(self.tree, name)
            column.resize((lengths[name], *column.shape[1:]), refcheck=False)

    def _grow_table(self) -> None:
        old = self.tree.table
        table = np.zeros(4 * len(old), layout.TABLE).view(type(old))
        place = self.binding.kernel(place_of)
        for entry in old[old["slot"] != 0]:
            table[place(table, int(entry["owner"]), entry["hash"])] = entry
        self.tree = self.tree._replace(table=table)

    def _report_trouble(self) -> None:
        head = self.tree.head[0]
        code = int(head["trouble"])
        if code == 0:
            return
        head["trouble"] = 0
        if self.game.continuous:
            # Actions were added that nobody has a value of.
            self.tree.nodes["lead"] = 0
            head["leads"] = 0
            raise self._no_number()
        name, where = self.game.name, State(self.game, self._states[layout.NOW : layout.NOW + 1].copy(), 1)
        words = {
            layout.NOT_A_NUMBER: f"returns (or evaluate) gave {self._value.tolist()}, which is not a finite number for every player",
            layout.NO_LEGAL: "legal found no action though mover says that the game goes on; return -1 from mover when it is over",
            layout.TOO_MANY_LEGAL: f"legal returned more than the {self.game.most_legal} that most_legal allows; raise most_legal or actions",
            layout.ENDLESS: f"a playout did not end within {layout.LONGEST_PLAYOUT:,} actions; see that the game ends, or pass cutoff",
            layout.BAD_MOVER: f"mover named a player beyond the {self.game.players} that the game declares",
            layout.BAD_ACTION: f"legal or playout_action gave an id that is not from 0 to {self.game.actions - 1}; raise actions, or correct the id",
            layout.BAD_PATTERN: bad_pattern(self.game),
        }
        raise GameError(f"game {name!r}: {words[code]} (state: {where.fields!r}); run playout check on it")

    def _no_number(self) -> GameError:
        """Which actions of a continuous game have payoffs that nothing can be done with."""
        actions, value = self._states[layout.NOW]["actions"], self._value
        wrong = [player for player in range(self.game.players) if not np.isfinite(value[player])]
        player = wrong[0] if wrong else 0
        return GameError(
            f"game {self.game.name!r}: payoffs gave {value[player]} to player {player}, which is not a finite number, for the actions "
            f"{', '.join(action_words(list(action)) for action in actions)}; make bounds leave such actions out, or payoffs finite there"
        )

    # reading

    def _chain(self, slot: int, count: int) -> list[int]:
        """Actions of a continuous game, in the order they were added."""
        slots = []
        for _ in range(count):
            slots.append(slot)
            slot = int(self.tree.siblings[slot])
        return slots[::-1]

    def edges(self, position: int) -> Sequence[int]:
        """The slots of a position's actions; empty while it is not expanded."""
        node = self.tree.nodes[position]
        if self.game.continuous:
            return self._chain(int(node["first"]), int(node["count"]))
        return range(int(node["first"]), int(node["first"]) + int(node["count"])) if node["count"] else range(0)

    def action_of(self, edge: int) -> Any:
        """The action of a slot: its id, or its vector in a continuous game."""
        if self.game.continuous:
            return tuple(float(v) for v in self.tree.moves[edge])
        return int(self.tree.nodes[edge]["action"])

    def edge(self, position: int, action: Any) -> int | None:
        """The slot of one action of a position."""
        return next((slot for slot in self.edges(position) if self.action_of(slot) == action), None)

    def below(self, edge: int, state: State, above: int = 0) -> int | None:
        """The position that an edge led to from the one above, given the state it was; None when the tree has not seen it."""
        node = self.tree.nodes[edge]
        if self.settings.hidden in layout.SAMPLING and self.settings.open_loop:
            return edge
        if node["tags"] & layout.CHANCE:
            if self.settings.by_sight:
                return self._seen_below(above, int(node["action"]), state)
            with np.errstate(over="ignore"):
                code = hash_bytes(np.frombuffer(bytes(state), np.uint8))
                return int(self._table[place_of(self._table, edge, code)].slot) or None
        return int(node["first"]) if node["tags"] & layout.LINK else edge

    @property
    def _table(self) -> Any:
        """The table as the kernels' own functions read it uncompiled."""
        return self.tree.table.view(np.recarray)

    def seen(self, state: State) -> Any:
        """What the searcher sees of a state, as a hash."""
        return hash_bytes(np.frombuffer(state.observed(self.observer), np.uint8))

    def _seen_below(self, above: int, action: int, state: State, shared: bool = True) -> int | None:
        """The position of what the searcher sees of the state after an action: its own, or the one that it shares."""
        with np.errstate(over="ignore"):
            code = outcome_code(self.seen(state), as_word(action + 1))
            slot = int(self._table[place_of(self._table, above, code)].slot)
            if slot or self.settings.observation_width is None or not shared:
                return slot or None
            return self._shared_below(above, action, state, code)

    def _shared_below(self, above: int, action: int, state: State, code: Any) -> int | None:
        lane = lane_of(as_word(action + 1), state.mover)
        count = count_outcomes(self._table, above, lane, self.used)
        return numbered(self._table, above, lane, int(code_share(code, count))) if count else None

    def copy(self) -> SearchTree:
        """The tree once more: what happens to one leaves the other as it is."""
        twin = SearchTree(self.binding, self.settings, self.root, 0, self.learned)
        twin.tree = Tree(*(_copied(column, len(column)) for column in self.tree))
        return twin

    # moving the root

    def move_root(self, action: Any, state: State) -> bool:
        """Keep what is known below an action and forget the rest; False when nothing was known.

        Where worlds are drawn, the way down is what the searcher sees of the state. Its next decision may come only after actions
        of others, which it need not see: the tree then waits below its own action, and `meet` goes on from there.
        """
        if self.game.continuous:
            return False  # what is below hangs in chains, which nothing moves yet
        edge = self.edge(0, action)
        if edge is None or not self._can_follow:
            return False
        if self.settings.by_sight:
            return self._keep(self._seen_below(0, action, state, shared=False), state)
        chance = bool(self.tree.nodes[edge]["tags"] & layout.CHANCE)
        if not chance and bytes(self.root.play(action)) != bytes(state):
            return False
        return self._keep(self.below(edge, state, 0), state)

    @property
    def _can_follow(self) -> bool:
        """Whether what hangs below an action belongs to what is seen after it.

        In open loop it is an average over worlds that are now known to be wrong. With a tree for every player, those of the others
        begin with what they see at the root, and of their later positions nobody knows which are those of the new root.
        """
        drawn = self.settings.hidden in layout.SAMPLING
        return not (drawn and (self.settings.open_loop or self.settings.hidden == "mo-ismcts"))

    def meet(self, state: State) -> bool:
        """After `move_root`: whether the tree starts from what the mover of the state sees, following what others did till now.

        The others' actions are known only by what came of them. There must be one way through the tree to what is seen now, and
        on it no untried action, which might have led here too; else nobody can be certain which way it was.
        """
        if self.settings.hidden not in layout.SAMPLING:
            return self.root == state
        if state.mover != self.observer:
            return False
        if self.root.mover == self.observer:
            if self.root.observed(self.observer) != state.observed(self.observer):
                return False
            self.root = state
            return True
        found = find_way(self, state)
        return found is not None and self._keep(found, state)

    def _keep(self, position: int | None, state: State) -> bool:
        """Make a position the root; one that outcomes share is none, since its numbers are not of this state alone."""
        if position is None or not self.tree.nodes[position]["visits"] or self.tree.nodes[position]["tags"] & layout.MERGED:
            return False
        old, observer = self.tree, self.observer
        entries = old.table[old.table["slot"] != 0]
        owners = entries[np.argsort(entries["owner"], kind="stable")].copy()
        moved, queue = np.zeros(self.used, np.int32), np.zeros(self.used, np.int32)
        new = self.empty(self.used + self.game.most_legal + 1024, len(old.table))
        with np.errstate(over="ignore"):
            owned = owners if self.binding.compiled else owners.view(np.recarray)
            self.binding.kernel(transplant)(old, new, position, owned, moved, queue)
        for name in ("seed", "tree", "stream", "simulations", "steps", "valued", "low", "high"):
            new.head[0][name] = old.head[0][name]
        self.tree = new
        self._resize(min(len(new.nodes), 2 * self.used + self.game.most_legal + 1024))
        self.root = state
        if self.settings.hidden in layout.SAMPLING:
            self._options[0]["observer"] = observer
        return True
