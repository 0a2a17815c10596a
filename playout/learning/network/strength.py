"""How strong a network is: games against a fixed ladder, side by side, and where the game is small every line of play."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from playout.agents import Seats, Silent, ask_quickly, recipe, truth, world
from playout.agents.base import Agent, Recipe
from playout.arena.openings import varied
from playout.arena.sequential import SequentialTest
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import GATE_GAMES, LADDER_AGENTS, LADDER_GAMES, PICKS, Stream, seed_word
from playout.intervals import wilson
from playout.learning.evaluate import Evaluation, Outcome
from playout.learning.evaluate import Seats as BySeat
from playout.learning.network.searching import Together
from playout.learning.network.selfplay import LONGEST

LADDER = ("random", "uct:simulations=100", "uct:simulations=1000", "uct:simulations=10000")
"""Whom a network is measured against, from weak to strong: always the same, so that curves can be compared."""
WHO = "network"
"""What its seat is called in the tables of results."""
FEW = 1500
"""Up to so many positions where it has to decide every line of play is followed."""
APART = 1 << 20
"""Games of a point of the curve, at most: the next point has seeds of its own."""


class Absent(Silent):
    """The seat of a network in a game whose other seats are agents: it is asked for its actions elsewhere."""

    name = WHO

    def act(self, state: State) -> int:
        raise AssertionError("the network is asked with others, and not here")


class Match:
    """One game: some seats are those of searches with networks, by player; the others are agents."""

    def __init__(self, state: State, own: dict[int, Together], agents: Sequence[Agent], peeks: Sequence[bool], seed: int) -> None:
        self.state, self.own, self.agents, self.seed, self.ply = state, own, agents, seed, 0
        self.seats = Seats(agents, Stream(seed), peeking=peeks)
        if self.seats.remembering:
            self.seats.begin(state)

    @property
    def over(self) -> bool:
        return self.state.over or self.ply >= LONGEST

    def play(self, action: int) -> None:
        before, self.state = self.state, self.state.after(action)
        self.ply += 1
        if self.seats.attentive:
            self.seats.told(before, action, self.state)

    def play_agents(self) -> None:
        """All that agents do until a network is to act, or the game is over."""
        while not self.over:
            mover, legal = self.state.mover, self.state.legal
            if len(legal) == 1:
                self.play(legal[0])
            elif mover in self.own:
                return
            else:
                seen = self.seats.shown(mover, partial(world, self.state), partial(truth, self.state))
                self.play(ask_quickly(self.agents[mover], seen)[0])


def play_all(matches: Sequence[Match]) -> None:
    """Play all games to their ends; the searches of each network go on side by side."""
    for match in matches:
        match.play_agents()
    while going := [match for match in matches if not match.over]:
        asked: dict[int, list[Match]] = {}
        for match in going:
            asked.setdefault(id(match.own[match.state.mover]), []).append(match)
        for group in asked.values():
            together = group[0].own[group[0].state.mover]
            for match, action in zip(group, choices(together, [m.state for m in group], [(m.seed, m.ply) for m in group])):
                match.play(action)
                match.play_agents()


def choices(together: Together, states: Sequence[State], streams: Sequence[tuple[int, int]]) -> list[int]:
    """What a network with its search plays in each of some states."""
    trees = [together.plant(state, seed, number % 4096) for state, (seed, number) in zip(states, streams, strict=True)]
    lessons = together.run(trees)
    for tree in trees:
        together.fell(tree)
    return [int(action) for action in lessons.chosen]


def outcome(results: Sequence[tuple[int, tuple[float, ...]]]) -> Outcome:
    """Won, drawn and lost games out of (seat, returns), with intervals."""
    tally = [0, 0, 0]
    for seat, returns in results:
        best = max(value for player, value in enumerate(returns) if player != seat)
        tally[0 if returns[seat] > best else 2 if returns[seat] < best else 1] += 1
    games = len(results)
    win, draw, loss = (count / games for count in tally)
    return Outcome(win, draw, loss, *(wilson(count, games) for count in tally))


def results(matches: Sequence[Match]) -> list[tuple[int, tuple[float, ...]]]:
    """(seat of the network, returns) of each game; of two who played one deal each by themselves as if they had played each other."""
    if len(matches[0].state.returns) > 1:
        return [(next(iter(match.own)), match.state.returns) for match in matches]
    return [(0, (own.state.returns[0], other.state.returns[0])) for other, own in zip(matches[::2], matches[1::2])]


class Ladder:
    """The strength of networks of one game."""

    def __init__(self, game: Game, games: int, seed: int = 0, opponents: Sequence[str] = LADDER) -> None:
        self.game, self.games, self.seed, self.opponents = game, games, seed, opponents
        self._recipes: dict[str, Recipe] = {}
        self._countable = game.players == 2 and not game.hidden

    def measure(self, together: Together, point: int) -> Evaluation:
        """The network as it is now: all games of all rungs side by side."""
        rungs = [self._matches(together, rung, spec, point) for rung, spec in enumerate(self.opponents) if self.games]
        play_all([match for rung in rungs for match in rung])
        found: dict[str, BySeat | None] = {
            spec: {WHO: outcome(results(rung))} for spec, rung in zip(self.opponents, rungs, strict=False)
        }
        counted = [self._lines(together, seat) for seat in range(self.game.players)]
        return Evaluation(
            exact=False,
            games=self.games,
            losing_lines=[None if one is None else one[0] for one in counted],
            lines=[None if one is None else one[1] for one in counted],
            against=found,
            why="the ladder is played",
        )

    def _matches(self, together: Together, rung: int, spec: str, point: int) -> list[Match]:
        if spec not in self._recipes:
            self._recipes[spec] = recipe(spec, self.game, fit=False)
            self._recipes[spec].prepare()
        made, found, players = self._recipes[spec], [], self.game.players
        for number in range(self.games):
            # The same deal from every seat: what luck gives to one it gives to all.
            seat, deal = number % players, point * APART + number // players
            seeds = [
                seed_word(self.seed, LADDER_AGENTS + rung, chair) >> 2 for chair in range(deal * players, (deal + 1) * players)
            ]
            agents: list[Agent] = [Absent() if player == seat else made.make(seeds[player]) for player in range(players)]
            state = self.game.start(seed_word(self.seed, LADDER_GAMES + rung, deal) >> 2)
            if players == 1:
                # Nobody to beat: the agent plays the same deal by itself.
                found.append(Match(state, {}, [made.make(seeds[0])], [made.peeks], seeds[0]))
            peeks = [made.peeks and player != seat for player in range(players)]
            found.append(Match(state, {seat: together}, agents, peeks, seeds[seat]))
        return found

    def _lines(self, together: Together, seat: int) -> tuple[int, int] | None:
        if not self._countable:
            return None
        found = losing_lines(together, seat, FEW)
        # Once too many, always too many: nobody counts again.
        self._countable = found is not None
        return found


def losing_lines(together: Together, seat: int, most: int, seed: int = 0) -> tuple[int, int] | None:
    """(lines lost, all lines) of a game of two without chance, over all replies; None where there are more decisions than `most`."""
    start = together.game.start(seed)
    here: dict[bytes, tuple[State, int]] = {bytes(start): (start, 1)}
    lost = lines = decided = 0
    while here:
        after: dict[bytes, tuple[State, int]] = {}
        mine = [(state, ways) for state, ways in here.values() if state.mover == seat]
        decided += len(mine)
        if decided > most or len(here) > 8 * most:
            return None
        chosen = choices(together, [state for state, _ in mine], [(seed, 0)] * len(mine)) if mine else []
        played: list[tuple[State, int, Any]] = [(state, ways, [action]) for (state, ways), action in zip(mine, chosen)]
        for state, ways in here.values():
            if state.over:
                lines += ways
                lost += ways if state.returns[seat] < state.returns[1 - seat] else 0
            elif state.mover != seat:
                played.append((state, ways, state.legal))
        for state, ways, actions in played:
            for action in actions:
                behind = state.after(action)
                if behind.word != state.word:
                    return None  # chance
                key = bytes(behind)
                after[key] = (behind, ways + (after[key][1] if key in after else 0))
        here = after
    return lost, lines


def worse(new: Together, old: Together, rounds: int, seed: int, number: int) -> bool:
    """Whether a sequential test finds new weights worse than the old ones, over rounds of one deal from every seat."""
    game, matches = new.game, []
    players, opening = game.players, varied(game)
    for deal in range(number * rounds, (number + 1) * rounds):
        start = game.start(seed_word(seed, GATE_GAMES, deal) >> 2)
        picks = Stream(seed_word(seed, GATE_GAMES, deal) >> 2, PICKS)
        # Neither draws anything: where all deals are alike, they would play one game again and again, and the test would believe it.
        for _ in range(opening):
            start = start if start.over else start.after(start.random(picks))
        for seat in range(players):
            own = {player: new if player == seat else old for player in range(players)}
            matches.append(Match(start, own, [Absent()] * players, [False] * players, seed_word(seed, GATE_GAMES, deal) >> 2))
        if players == 1:
            # Nobody to beat: the old weights play the same deal by themselves.
            matches.append(Match(start, {0: old}, [Absent()], [False], seed_word(seed, GATE_GAMES, deal) >> 2))
    play_all(matches)
    test, each = SequentialTest(2), max(2, players)
    for first in range(0, len(matches), each):
        returns = [match.state.returns for match in matches[first : first + each]]
        if players == 1:
            ahead = [_ahead(returns[0][0], returns[1][0])]
        else:
            ahead = [
                _ahead(own[seat], value) for seat, own in enumerate(returns) for player, value in enumerate(own) if player != seat
            ]
        verdict = test.add({(0, 1): sum(ahead) / len(ahead)})
        if verdict is not None:
            return verdict.better == 1
    return False


def _ahead(one: float, two: float) -> float:
    return float((one > two) - (one < two))
