"""Games with what somebody said of every decision in them, and the rows that a network learns of them.

A game is kept as its deal and its actions; the positions are found again by playing them, which takes a compiled kernel a microsecond each. So
a million decisions fit into a few megabytes, whatever the game's record looks like.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from playout.compile import bind
from playout.compile.holes import legal, mover, play, start, ticks, whole
from playout.compile.records import new_stream, pool, slack
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.stream import seed_word
from playout.learning.network.rows import row_dtype
from playout.planner.abreast import Abreast

Array = np.ndarray[Any, Any]
BEGUN, BLANK = 0, 1
"""The pool of states that games are lived through again in: the state as it is, and one of zeros."""


class Taught(NamedTuple):
    """One game, and what was said of those of its decisions that had a choice."""

    seed: int
    """The deal: what `Game.start` takes."""
    actions: list[int]
    """All that was played, by whomever, what was forced included."""
    shares: list[Array]
    """Of every decision with a choice: what part each legal action should have, in order of the ids."""
    values: list[Array]
    """What every player may expect there; NaN where nobody said."""
    proven: list[bool]
    """Whether that is exact."""


@ticks
def relive(
    now: Any, states: Any, words: Any, ends: Any, actions: Any, movers: Any, ids: Any, counts: Any, room: Any, rng: Any
) -> int:
    """Play games again, one after the other: every position before an action, its mover and its legal ids. How many actions could be played.

    `states` has a row more for each game: its last position, behind those of its actions.
    """
    at, done = 0, 0
    for game in range(len(ends)):
        now[BEGUN] = now[BLANK]
        state = now[BEGUN]
        rng.word = words[game]
        start(state, rng)
        while done < ends[game]:
            seat = whole(mover(state))
            if seat < 0:
                return done
            count = whole(legal(state, room))
            if count < 1 or count > ids.shape[1]:
                return done
            able = False
            for i in range(count):
                ids[done, i] = room[i]
                able = able or room[i] == actions[done]
            if not able:
                return done
            states[at] = now[BEGUN]
            movers[done] = seat
            counts[done] = count
            play(state, whole(actions[done]), rng)
            done += 1
            at += 1
        states[at] = now[BEGUN]
        at += 1
    return done


class Ended(NamedTuple):
    """What the players got, game by game."""

    over: Array
    returns: Array
    rewards: Array
    """Under every other reward of the game: (games, rewards, players)."""


class Relived(NamedTuple):
    """Games that were played again, all their actions in one column."""

    states: Array
    movers: Array
    ids: Array
    """Legal ids in order, of which `counts` say how many are meant."""
    counts: Array
    ends: Array
    """Where each game ends in the columns."""
    ended: Ended


def lived(game: Game, seeds: Sequence[int], actions: Sequence[Sequence[int]], compiled: bool = True) -> Relived:
    """Games played again from their deals."""
    binding = bind(game, compiled)
    lengths = np.array([len(one) for one in actions], np.int64)
    ends, total = np.cumsum(lengths), int(lengths.sum())
    column = np.concatenate([np.asarray(one, np.int64) for one in actions]) if total else np.zeros(0, np.int64)
    words = [seed_word(int(seed)) for seed in seeds]
    states, now = np.zeros(total + len(lengths), game.dtype), np.zeros(2, game.dtype)
    movers, counts, ids = np.zeros(total, np.int64), np.zeros(total, np.int64), np.zeros((total, game.most_legal), np.int64)
    with np.errstate(over="ignore"):
        done = binding.kernel(relive)(
            pool(now, binding.compiled),
            pool(states, binding.compiled),
            # Uncompiled, a stream counts in Python's own numbers.
            np.array(words, np.uint64) if binding.compiled else words,
            ends,
            column,
            movers,
            ids,
            counts,
            np.zeros(slack(game.most_legal), np.int64),
            new_stream(binding.compiled),
        )
    if done < total:
        which = int(np.searchsorted(ends, done, side="right"))
        raise PlayoutError(
            f"action {int(column[done])} of game {which} is not legal at its place {done - int(ends[which] - lengths[which]) + 1}: these are games of "
            "other rules"
        )
    lasts = np.zeros(total + len(lengths), bool)
    lasts[ends + np.arange(len(ends))] = True
    return Relived(states[~lasts], movers, _sorted(ids, counts), counts, ends, ended_as(game, states[lasts], binding.compiled))


def ended_as(game: Game, states: Array, compiled: bool = True) -> Ended:
    """What last positions pay."""
    games, every = Abreast(game, len(states), compiled=compiled), np.arange(len(states))
    games.states[:] = states
    return Ended(games.look(every).movers < 0, games.returns(every), games.rewards(every))


def _sorted(ids: Array, counts: Array) -> Array:
    """Legal ids in order; what is not meant goes last."""
    meant = np.arange(ids.shape[1])[None, :] < counts[:, None]
    return np.sort(np.where(meant, ids, np.iinfo(np.int64).max), axis=1)


def rows_taught(game: Game, games: Sequence[Taught], compiled: bool = True) -> Array:
    """The rows of some games that are over, one for each decision with a choice."""
    if not games:
        return np.zeros(0, row_dtype(game))
    found = lived(game, [one.seed for one in games], [one.actions for one in games], compiled)
    open_ = found.counts > 1
    said = [share for one in games for share in one.shares]
    counts = found.counts[open_]
    if not found.ended.over.all() or len(said) != len(counts) or any(len(one) != n for one, n in zip(said, counts)):
        raise PlayoutError("what was said of the decisions does not fit the games: these are lessons of other rules")
    which = np.searchsorted(found.ends, np.flatnonzero(open_), side="right")
    rows = np.zeros(len(counts), row_dtype(game))
    meant = np.arange(game.most_legal)[None, :] < counts[:, None]
    rows["state"], rows["mover"], rows["count"] = found.states[open_], found.movers[open_], counts
    rows["ids"] = np.where(meant, found.ids[open_], 0)
    if said:
        shares = np.zeros(meant.shape, np.float32)
        shares[meant] = np.concatenate(said)
        rows["shares"] = shares
        values = np.array([value for one in games for value in one.values], np.float32)
        proven = np.array([exact for one in games for exact in one.proven], bool)[:, None]
        ends = found.ended.returns[which].astype(np.float32)
        rows["values"] = np.where(np.isnan(values), ends, values)
        rows["returns"] = np.where(proven, rows["values"], ends)
    if len(game.rewards):
        rows["rewards"] = found.ended.rewards[which]
    decided = np.array([len(one.shares) for one in games], np.int64)
    rows["left"] = np.cumsum(decided)[which] - np.arange(len(rows))
    return rows
