"""One simulation: selection, expansion, evaluation, backup. With its neighbours the only text of the search, for every game and option.

`descend` goes down to a leaf (begin, stand, choose, step, arrive), the leaf is evaluated, `finish` backs its value up. Between the two a
simulation can wait: see `wait`. Compiled, a game's functions stand in the holes and `state` is a record; uncompiled, the same lines run
on views. Values are stored per player. `node.mover` is the player who chooses that edge, that is, the mover of its parent. A *lane* is
one simulation among several that are on their way: its scratch space and its pool of states.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import (
    EXTRA,
    GRAPH,
    MOST_LEGAL,
    NUMBERS,
    PLAYERS,
    REAL,
    WORLDS,
    by_itself,
    determinize,
    mover,
    play,
    ticks,
    where,
    whole,
)
from playout.engine.arrive import arrive
from playout.engine.backup import back_up_discounted, note_total, settle_leaf
from playout.engine.bounds import prove_bounds
from playout.engine.expand import expand
from playout.engine.graph import back_up_graph, comes_back
from playout.engine.habits import learn_habits
from playout.engine.implied import imply
from playout.engine.layout import BEFORE, NOW, PROVEN, ROOT
from playout.engine.leaf import evaluate_leaf
from playout.engine.mixing import by_world, learn_regrets
from playout.engine.numbers import renew_numbers
from playout.engine.played import credit_played, refer, start_trail
from playout.engine.race import race
from playout.engine.real.descent import descend_real
from playout.engine.real.refine import refine
from playout.engine.real.tables import fill_tables
from playout.engine.rewards import pay
from playout.engine.rules import HALVING
from playout.engine.select import choose
from playout.engine.trouble import BAD_MOVER, NOT_A_NUMBER
from playout.engine.worlds import choose_in_world, enter
from playout.game.stream import step_word


@ticks
@by_itself
def simulate(sim: Any, count: int) -> int:
    """Run up to `count` simulations; fewer when space runs out, the root is proven, or the game misbehaves."""
    head, work, lane = sim.head[0], sim.work[0], whole(0)
    for done in range(count):
        if out_of_room(sim, 1):
            return done
        work.rng.word = step_word(head.stream, whole(head.simulations))
        descend(sim, lane)
        if work.waits[0] != 0 and head.trouble == 0:
            evaluate_leaf(sim, lane)
        if head.trouble == 0:
            finish(sim, lane)
        if head.trouble != 0:
            return done
        if sim.nodes[0].tags & PROVEN != 0:
            return done + 1
    return count


def out_of_room(sim: Any, simulations: int) -> bool:
    """Whether the tree must grow before so many simulations; one that may grow no more needs no room."""
    head, seen = sim.head[0], WORLDS and sim.options[0].worlds != 0
    blocks = simulations * blocks_for(seen, whole(head.deepest))
    slots, places = blocks * (MOST_LEGAL + 2), 2 * (head.positions + blocks * PLAYERS)
    return head.full == 0 and (head.used + slots > len(sim.nodes) or places > len(sim.table))  # type: ignore[no-any-return]


def blocks_for(seen: bool, deepest: int) -> int:
    """The most blocks that one simulation may write, and positions that it may add for a player.

    Usually it adds one. Where positions are told apart by what is seen, another world may have other actions at every step on the way,
    whose blocks then move: room for all of them is asked for before, or the tree would depend on how much there is.
    """
    return deepest + 3 if seen else 1


@where("listed", descend_real)
def descend(sim: Any, lane: int) -> None:
    """Selection down to a leaf, growing the tree by one block; the path is left in `work`, and so is the value if it is known.

    Where it is not, `work.waits` says that the leaf must be evaluated.
    """
    head, nodes, options, work, states = sim.head[0], sim.nodes, sim.options[0], sim.work[lane], sim.states[lane]
    state, rng, path = states[NOW], work.rng, work.path
    begin(sim, lane)
    # `whole` keeps the compiler from making a second copy of every function below for the constant 0.
    position, length, depth, fresh = whole(0), whole(1), whole(0), False
    while True:
        player = whole(mover(state))
        if player < 0 or player >= PLAYERS or (nodes[position].tags & PROVEN != 0 and position != 0):
            stop(sim, lane, position, player, length)
            break
        if WORLDS and options.worlds != 0:
            position, length, fresh = stand(sim, lane, position, player, length, fresh)
        # A shared position may have been expanded nearer to the root, so the room on the path is asked for here.
        if fresh or length + 3 >= len(path) or (nodes[position].count == 0 and not grow(sim, lane, position, player, depth)):
            work.waits[0] = 1
            break
        edge, known = select(sim, lane, position, player)
        if edge < 0:
            work.waits[0] = 1
            break
        work.instead[length - 1] = known
        if options.learned != 0:
            states[BEFORE] = states[NOW]
        before = rng.word
        play(state, whole(nodes[edge].action), rng)
        depth += 1
        length = go(work, edge, length)
        if options.discount != 1.0:
            note_total(state, work, depth)
        if GRAPH:
            work.length[0] = length
        position, fresh = arrive(sim, lane, edge, player, rng.word != before)
        if GRAPH:
            length = whole(work.length[0])
            if comes_back(sim, lane, edge, position):
                break
        if position != edge:
            length = go(work, position, length)
    work.length[0], work.depth[0] = length, depth
    if depth > head.deepest:
        head.deepest = depth


def begin(sim: Any, lane: int) -> None:
    """The searched state, or a world that its observer cannot tell from it, at the root of the tree."""
    options, work, states = sim.options[0], sim.work[lane], sim.states[lane]
    states[NOW] = states[ROOT]
    work.path[0] = 0
    work.instead[0] = 0
    work.grown[0] = 0
    work.waits[0] = 0
    start_trail(work)
    if WORLDS and options.worlds != 0:
        determinize(states[NOW], whole(options.observer), work.rng)
        if options.open_loop == 0:
            enter(sim, lane)
    if options.discount != 1.0:
        note_total(states[NOW], work, whole(0))


def stop(sim: Any, lane: int, position: int, player: int, length: int) -> None:
    """The value is known: the game is over, or the position proven. Or the mover cannot be one."""
    work = sim.work[lane]
    if player < 0:
        pay(sim.options[0], sim.states[lane][NOW], work.value)
        settle_leaf(sim.nodes, sim.values, sim.options[0], work, whole(work.path[length - 1]))
    elif player >= PLAYERS:
        sim.head[0].trouble = BAD_MOVER
    else:
        for i in range(PLAYERS):
            work.value[i] = sim.values[position, i]


def no_stand(sim: Any, lane: int, position: int, player: int, length: int, fresh: bool) -> tuple[int, int, bool]:
    return position, length, fresh


@where("worlds", no_stand)
def stand(sim: Any, lane: int, position: int, player: int, length: int, fresh: bool) -> tuple[int, int, bool]:
    """Where the player to act stands by what was seen, with hidden information: (position, length of the path, whether it is new)."""
    options, work = sim.options[0], sim.work[lane]
    if options.redraw != 0 and player != options.observer:
        determinize(sim.states[lane][NOW], player, work.rng)
    if options.open_loop != 0:
        return position, length, fresh
    position = whole(work.at[player if options.many != 0 else 0])
    if position == work.path[length - 1]:
        # The root; or an edge below which there was no room for what was seen, and so a leaf.
        return position, length, fresh or position != 0
    return position, go(work, position, length), fresh or sim.nodes[position].visits == 0


def go(work: Any, slot: int, length: int) -> int:
    """One more slot on the path; its new length."""
    work.path[length] = slot
    work.instead[length] = 0
    return length + 1


def grow_now(sim: Any, lane: int, position: int, player: int, depth: int) -> bool:
    """Expansion, where the position may be expanded and there is room."""
    head, work = sim.head[0], sim.work[lane]
    # A shared position may be reached unexpanded by a fresh edge, so growth is counted: one block a simulation.
    if (head.full != 0 and position != 0) or work.grown[0] != 0 or depth >= sim.options[0].depth:
        return False
    return expand(sim, lane, position, player) > 0


@where("waiting", grow_now)
def grow(sim: Any, lane: int, position: int, player: int, depth: int) -> bool:
    """What waits is expanded when its evaluation is there, with the priors that come with it."""
    return False


def select(sim: Any, lane: int, position: int, player: int) -> tuple[int, int]:
    """`choose`; among the actions of this world alone, where which there are depends on the world. The root may be a race."""
    options = sim.options[0]
    if EXTRA and position == 0 and options.root_rule >= HALVING and options.forced < 0:
        return race(sim, lane, whole(options.root_rule), player)
    if EXTRA and options.grave > 0:
        refer(sim, lane, position, player)
    if WORLDS and options.worlds != 0 and by_world(options, whole(sim.nodes[position].tags), player):
        return choose_in_world(sim, lane, position, player), whole(0)
    return choose(sim, lane, position, player)


def finish(sim: Any, lane: int) -> None:
    """Backup: the value of the leaf goes up the path, and so does a proof that begins there."""
    head, options, work = sim.head[0], sim.options[0], sim.work[lane]
    for i in range(PLAYERS):
        if not abs(work.value[i]) <= 1.7e308:
            head.trouble = NOT_A_NUMBER
            return
    if EXTRA and options.rave > 0.0:
        credit_played(sim, lane)
    if EXTRA and options.habits != 0:
        learn_habits(sim, lane)
    if EXTRA and options.implicit > 0.0:
        imply(sim, lane)
    if EXTRA and options.mixing > 0.0:
        learn_regrets(sim, lane)
    if options.discount == 1.0:
        back_up_graph(sim, lane)
    else:
        back_up_discounted(sim, lane)
    if REAL and options.tables != 0:
        fill_tables(sim, lane)
    if REAL and options.refine > 0.0:
        refine(sim, lane)
        if head.trouble != 0:
            return
    head.simulations += 1
    if sim.nodes[work.path[work.length[0] - 1]].tags & PROVEN != 0:
        prove_bounds(sim, lane)
    if NUMBERS:
        renew_numbers(sim, lane)
