"""A game from here as a game of OpenSpiel, for its algorithms: `to_openspiel(playout.load("kuhn-poker"))`.

Once `register()` was called, `pyspiel.load_game("playout(game=connect-four)")` gives the same. Chance that a rule draws becomes nodes of
chance over there: a tape stands in for the stream, and every draw that it has no answer for yet is one node.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from playout.bridges.openspiel import spiel
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.history import acted, beginning, saw
from playout.game.load import load_listed
from playout.game.state import State
from playout.game.stream import PICKS, Stream
from playout.game.tape import Tape

NAME = "playout"
LOOKED = 30
"""Random games that tell how long games are, and how many outcomes chance has, where nobody says."""
SLACK = 4
"""How many times as long as the longest of them a game may be."""


class Place:
    """Where a game stands: a state, or an action whose draws are not all told yet. Never changed, so copies are the same object."""

    __slots__ = ("action", "keys", "seen", "size", "state", "told")

    def __init__(self, state: State, keys: tuple[bytes, ...], seen: tuple[bytes, ...]) -> None:
        self.state, self.keys, self.seen = state, keys, seen
        self.action: int | None = None
        """What is being played; -1 for the start."""
        self.told: tuple[int, ...] = ()
        self.size = 0
        """Outcomes of the next draw, where one is waited for."""

    def __deepcopy__(self, memo: Any) -> Place:
        return self

    def __reduce__(self) -> Any:
        state = self.state
        _given.setdefault(state.game.spec, state.game)
        return _unpacked, (state.game.spec, bytes(state), self.keys, self.seen, self.action, self.told, self.size)

    def settled(self, state: State) -> Place:
        """Everything was drawn, and everybody looks."""
        keys, seen = list(self.keys), tuple(state.observed(player) for player in range(state.game.players))
        if self.action is not None and self.action >= 0:
            keys[self.state.mover] = acted(keys[self.state.mover], self.action)
        told = (saw(key, before, now) for key, before, now in zip(keys, self.seen, seen))
        return Place(state, tuple(told), seen)

    def drawn(self, action: int, told: tuple[int, ...]) -> Place:
        """The place after an action (-1: the start) with these draws; one of chance where there are more."""
        game, array, tape = self.state.game, self.state.copy_array(), Tape(told)
        view = game.view(array[0])
        if action < 0:
            game.functions["start"](view, tape)
        else:
            game.functions["play"](view, action, tape)
        here = Place(self.state, self.keys, self.seen)
        here.action = action
        if len(tape.drawn) > len(told):
            here.told, here.size = told, tape.sizes[len(told)]
            return here
        return here.settled(State(game, array, 1))


def _unpacked(spec: str, data: bytes, keys: Any, seen: Any, action: Any, told: Any, size: int) -> Place:
    """A place out of what pickle kept of it."""
    game = _named({"game": spec})[0]
    place = Place(State(game, np.frombuffer(bytearray(data), game.dtype), 1), keys, seen)
    place.action, place.told, place.size = action, told, size
    return place


def first_place(game: Game) -> Place:
    """Before anything is drawn."""
    nothing = State(game, np.zeros(1, game.dtype), 1)
    players = range(game.players)
    return Place(nothing, tuple(beginning(player) for player in players), (b"",) * game.players).drawn(-1, ())


_given: dict[str, Game] = {}
"""Games that were handed over as they are, by the spec that stands for them in parameters."""


def to_openspiel(game: Game | str, *, max_game_length: int = 0) -> Any:
    """A `pyspiel.Game` of a game from here."""
    found = load_listed(game, "OpenSpiel")
    _given[found.spec] = found
    return _classes()[0]({"game": found.spec, "max_game_length": max_game_length})


def register() -> None:
    """Let `pyspiel.load_game("playout(game=connect-four)")` find every game that `playout.load` does."""
    pyspiel = spiel()
    if NAME not in pyspiel.registered_names():
        pyspiel.register_game(_type(pyspiel, None), _classes()[0])


def _named(parameters: Any) -> tuple[Game, int]:
    words = dict(parameters or {})
    spec = str(words.get("game", "tic-tac-toe"))
    return _given.get(spec) or load_listed(spec, "OpenSpiel"), int(words.get("max_game_length", 0))


@cache
def _shape(game: Game) -> tuple[int, int, int]:
    """How long games may be, how many outcomes chance may have, and how often it may draw: by random games, with room."""
    longest = outcomes = draws = 1
    for seed in range(LOOKED):
        picks, place, actions, drawn = Stream(seed, PICKS), first_place(game), 0, 0
        while place.size or not place.state.over:
            if place.size:
                outcomes, drawn = max(outcomes, place.size), drawn + 1
                place = place.drawn(place.action, (*place.told, picks.below(place.size)))  # type: ignore[arg-type]
            else:
                actions += 1
                place = place.drawn(place.state.random(picks), ())
            if actions > 10_000:
                raise PlayoutError(f"a random game of {game.name} had no end within 10,000 actions; give max_game_length")
        longest, draws = max(longest, actions), max(draws, drawn)
    return SLACK * longest, outcomes, SLACK * draws


def _type(pyspiel: Any, game: Game | None) -> Any:
    kinds = pyspiel.GameType
    hidden = game is None or game.hidden
    chancy = game is None or _shape(game)[1] > 1
    return kinds(
        short_name=NAME,
        long_name="playout" if game is None else game.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if chancy else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if hidden else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.GENERAL_SUM if game is None or game.players != 2 else _utility(kinds, game),
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=8 if game is None else game.players,
        min_num_players=1 if game is None else game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"game": game.spec if game else "tic-tac-toe", "max_game_length": 0},
    )


def _utility(kinds: Any, game: Game) -> Any:
    """Whether two players share what there is, by random games."""
    for seed in range(LOOKED):
        state, picks = game.start(seed), Stream(seed, PICKS)
        while not state.over:
            state = state.after(state.random(picks))
        if abs(sum(state.returns)) > 1e-9:
            return kinds.Utility.GENERAL_SUM
    return kinds.Utility.ZERO_SUM


@cache
def _classes() -> tuple[type, type]:
    """The game and the state, whose bases are there only once the package is."""
    pyspiel = spiel()

    class PlayoutGame(pyspiel.Game):  # type: ignore[misc, name-defined]
        def __init__(self, parameters: Any = None) -> None:
            game, asked = _named(parameters)
            low, high = game.returns_range or (-1e9, 1e9)
            longest, outcomes, _ = _shape(game)
            kind = _type(pyspiel, game)
            zero = kind.utility == pyspiel.GameType.Utility.ZERO_SUM
            info = pyspiel.GameInfo(
                num_distinct_actions=game.actions,
                max_chance_outcomes=outcomes if outcomes > 1 else 0,
                num_players=game.players,
                min_utility=low,
                max_utility=high,
                utility_sum=0.0 if zero else None,
                max_game_length=asked or longest,
            )
            super().__init__(kind, info, {"game": game.spec, "max_game_length": asked})
            self.game = game

        def new_initial_state(self) -> Any:
            return PlayoutState(self)

        def max_chance_nodes_in_history(self) -> int:
            return _shape(self.game)[2]

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            return Observer(self.game, bool(iig_obs_type and iig_obs_type.perfect_recall))

    class PlayoutState(pyspiel.State):  # type: ignore[misc, name-defined]
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.place = first_place(game.game)

        def current_player(self) -> int:
            place = self.place
            if place.size:
                return int(pyspiel.PlayerId.CHANCE)
            return int(pyspiel.PlayerId.TERMINAL) if place.state.over else place.state.mover

        def _legal_actions(self, player: int) -> list[int]:
            return sorted(self.place.state.legal)

        def chance_outcomes(self) -> list[tuple[int, float]]:
            size = self.place.size
            return [(outcome, 1.0 / size) for outcome in range(size)]

        def _apply_action(self, action: int) -> None:
            place = self.place
            if place.size:
                self.place = place.drawn(place.action, (*place.told, action))  # type: ignore[arg-type]
            else:
                self.place = place.drawn(action, ())

        def _action_to_string(self, player: int, action: int) -> str:
            return f"Chance outcome:{action}" if self.place.size else self.place.state.name(action)

        def is_terminal(self) -> bool:
            return not self.place.size and self.place.state.over

        def returns(self) -> list[float]:
            return list(self.place.state.returns) if self.is_terminal() else [0.0] * self.num_players()

        def information_state_string(self, player: int | None = None) -> str:
            return self.place.keys[self.current_player() if player is None else player].hex()

        def observation_string(self, player: int | None = None) -> str:
            return self.place.state.observed(self.current_player() if player is None else player).hex()

        def __str__(self) -> str:
            return f"chance, one of {self.place.size}" if self.place.size else self.place.state.draw()

    return PlayoutGame, PlayoutState


class Observer:
    """What a network of theirs sees: the encoding that networks here see, too."""

    def __init__(self, game: Game, recalls: bool) -> None:
        from playout.game.encoding import encoding_of

        self._recalls = recalls
        self._encoding = encoding_of(game, compiled=False)
        self.tensor = np.zeros(self._encoding.size, np.float32)
        self.dict = {"observation": self.tensor.reshape(self._encoding.shape)}

    def set_from(self, state: Any, player: int) -> None:
        """Write what a player sees of a state of theirs."""
        self.tensor[:] = self._encoding.of(state.place.state, player).ravel()

    def string_from(self, state: Any, player: int) -> str:
        """The same as text; where everything is recalled, all that the player has lived through."""
        place: Place = state.place
        return (place.keys[player] if self._recalls else place.state.observed(player)).hex()
