"""Who plays whom, in which seats, on which seeds: a pure function of the number of the game.

A round is everything that is played on one deal: every lineup of agents in every rotation of its seats. All games of a
round share the deal and the opening, so what differs between them is who played (common random numbers). Games are
numbered, and nothing about a game depends on when or where it is played.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations

import msgspec

from playout.errors import PlayoutError

SHAPES = ("round-robin", "gauntlet", "ladder")
"""Everybody meets everybody; the first meets all others; each meets the next (two players)."""
MOST_LINEUPS = 100_000
AGENTS = 3
"""The number that the seeds of agents are made by, beside the deal."""


def one_way(*numbers: int) -> int:
    """A seed of 62 bits out of numbers that cannot be found out from it.

    An agent knows its own seed and the stream of its worlds. Were they made from the deal by arithmetic that can be undone, they
    would tell it the dice and the cards.
    """
    data = b"".join(number.to_bytes(8, "little") for number in numbers)
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little") >> 2


class Fixture(msgspec.Struct, frozen=True):
    """One game to be played."""

    number: int
    round: int
    deal: int
    """The seed of the start, of the chance in the game, of the opening and of the worlds: the same for the whole round."""
    seats: tuple[int, ...]
    """The number of the agent in each seat."""

    def agent_seed(self, seat: int) -> int:
        """The seed of the agent in a seat: the same against whomever it plays in this round."""
        return one_way(self.deal, AGENTS, self.seats[seat], seat)


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """All games of an experiment. The first games are the same however many follow, so a tournament can be made longer."""

    players: int
    agents: int
    shape: str = "round-robin"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise PlayoutError(f"the shape of a tournament is {self.shape!r}; it must be one of {', '.join(SHAPES)}")
        if self.agents < min(2, self.players):
            raise PlayoutError(
                f"{self.agents} agent is given for a game of {self.players} players; give at least two (the same one twice "
                "plays against itself)"
            )

    @property
    def per_round(self) -> int:
        """Games in a round."""
        return len(_lineups(self.players, self.agents, self.shape)) * self.players

    def total(self, games: int) -> int:
        """How many games to play when `games` are asked for: of a game for one player, so many by each agent."""
        return games * self.agents if self.players == 1 else games

    def round_of(self, number: int) -> int:
        """The round that a game belongs to."""
        return number // self.per_round

    def fixture(self, number: int) -> Fixture:
        """The game of that number."""
        round, rest = divmod(number, self.per_round)
        lineup, turn = divmod(rest, self.players)
        seats = _lineups(self.players, self.agents, self.shape)[lineup]
        if self.players > 2:
            orders = _orders(seats)
            seats = orders[round % len(orders)]
        return Fixture(number, round, one_way(self.seed, 0, round), seats[turn:] + seats[:turn])


@lru_cache(maxsize=64)
def _lineups(players: int, agents: int, shape: str) -> tuple[tuple[int, ...], ...]:
    """The groups of agents that meet. Too few for all seats, and some sit twice, as evenly as can be."""
    if players == 1:
        return tuple((agent,) for agent in range(agents))
    groups: Iterator[tuple[int, ...]]
    if agents >= players:
        groups = combinations(range(agents), players)
    else:
        groups = combinations_with_replacement(range(agents), players)
    fewest = players // agents
    kept = []
    for group in groups:
        if shape == "ladder" and players == 2 and group[1] != group[0] + 1:
            continue
        if (shape == "gauntlet" and group[0] != 0) or (fewest and min(group.count(a) for a in range(agents)) < fewest):
            continue
        kept.append(group)
        if len(kept) > MOST_LINEUPS:
            raise PlayoutError(f"{agents} agents in {players} seats make over {MOST_LINEUPS:,} lineups; take fewer agents")
    return tuple(kept)


@lru_cache(maxsize=4096)
def _orders(seats: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The ways to sit round a table, up to turning it; those that look alike after part of a turn would repeat games."""
    found = dict.fromkeys((seats[0], *rest) for rest in permutations(seats[1:]))
    turns = [{order[i:] + order[:i] for i in range(len(order))} for order in found]
    # Of those that are turns of each other, the first.
    return tuple(
        order for place, order in enumerate(found) if len(turns[place]) == len(order) and order == _first(found, turns[place])
    )


def _first(found: dict[tuple[int, ...], None], turn: set[tuple[int, ...]]) -> tuple[int, ...]:
    return next(order for order in found if order in turn)
