"""Actions that were played anywhere later in a simulation (all moves as first, AMAF), and what they say of the same actions here.

A simulation leaves a trail: what its playout played, by whom. When it is over, every position on the path credits those of its actions that
their mover played later on, in the tree or below it. An action and the one who plays it belong together: the same id of
another player is another action.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import PLAYERS, cold, where, whole
from playout.engine.layout import POSITION


def no_note(options: Any, work: Any, player: int, action: int) -> None:
    pass


@where("extra", no_note)
def note(options: Any, work: Any, player: int, action: int) -> None:
    """One more action of the playout on the trail; what is played after the longest trail is not remembered."""
    if options.trail != 0 and work.trailed[0] < len(work.trail):
        work.trail[work.trailed[0]] = action * PLAYERS + player
        work.trailed[0] += 1


def no_start(work: Any) -> None:
    pass


@where("extra", no_start)
def start_trail(work: Any) -> None:
    """A simulation begins: nothing was played, and nobody has a reference."""
    work.trailed[0] = 0
    for i in range(PLAYERS):
        work.reference[i] = 0


def no_credit(sim: Any, lane: int) -> None:
    pass


@where("extra", no_credit)
@cold
def credit_played(sim: Any, lane: int) -> None:
    """Credit the actions of every position on the path that were played from there on, leaf first, each once a simulation.

    (Gelly, Silver, "Combining online and offline knowledge in UCT", 2007; "Monte-Carlo tree search and rapid action value estimation
    in computer Go", 2011.)
    """
    nodes, amaf, work = sim.nodes, sim.amaf, sim.work[lane]
    trail, played, path, value = work.trail, work.played, work.path, work.value
    # A number that no simulation before had: what was played then need not be wiped out.
    now = sim.head[0].simulations + 1
    for i in range(work.trailed[0]):
        played[trail[i]] = now
    for i in range(work.length[0] - 1, -1, -1):
        slot = whole(path[i])
        if nodes[slot].count > 0:
            first = whole(nodes[slot].first)
            mover = whole(nodes[first].mover)
            for child in range(first, first + nodes[slot].count):
                # Added, not branched to: nobody can foresee what was played.
                share = 1.0 if played[whole(nodes[child].action) * PLAYERS + mover] == now else 0.0
                amaf[child, 0] += share
                amaf[child, 1] += share * value[mover]
        if i > 0 and nodes[slot].tags & POSITION == 0:
            played[whole(nodes[slot].action) * PLAYERS + whole(nodes[slot].mover)] = now


def no_reference(sim: Any, lane: int, position: int, player: int) -> None:
    pass


@where("extra", no_reference)
@cold
def refer(sim: Any, lane: int, position: int, player: int) -> None:
    """On the way down: which position the player's actions are judged by, the last one with enough visits.

    (Cazenave, "Generalized rapid action value estimation", 2015.) Its actions are entered by id when a position first looks there.
    """
    nodes, work = sim.nodes, sim.work[lane]
    if nodes[position].visits >= sim.options[0].grave:
        # By its own actions.
        work.reference[player] = -1 - position
        return
    if work.reference[player] < 0:
        work.reference[player] = -work.reference[player]
    source = work.reference[player] - 1
    if source >= 0 and work.entered[player] != source + 1:
        first = whole(nodes[source].first)
        for slot in range(first, first + nodes[source].count):
            work.entry[whole(nodes[slot].action) * PLAYERS + player] = slot
        work.entered[player] = source + 1


def judge_of(sim: Any, lane: int, slot: int, player: int) -> int:
    """The slot whose count of being played speaks for an action: that of the reference, its own where the reference lacks the action."""
    nodes, work = sim.nodes, sim.work[lane]
    source = work.reference[player] - 1
    if sim.options[0].grave == 0 or source < 0:
        return slot
    found, first = whole(work.entry[whole(nodes[slot].action) * PLAYERS + player]), whole(nodes[source].first)
    # What an earlier reference entered is another's.
    inside = first <= found < first + nodes[source].count
    return found if inside else slot
