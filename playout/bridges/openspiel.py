"""OpenSpiel's games as games here: `openspiel:connect_four`, `openspiel:hex(board_size=5)` or `openspiel:hex,board_size=5`.

Any of its games fits that is sequential, or simultaneous and so turned into a sequential one by itself, and whose chance has outcomes that
can be listed. Where something is hidden, worlds come from the game's own resampling where it has one, else from playing the past again.
A search of one is compiled and calls it back for every rule; `openspiel-plain:NAME` is the same with nothing compiled, and grows the same
trees. The other way round is `to_openspiel`; its bots are agents in `spiel_bots`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from playout.bridges.draws import Draws
from playout.bridges.objects import LONGEST, MOST_EVENTS, MOST_IDS, Rules, object_game
from playout.bridges.packages import need, silence
from playout.errors import PlayoutError, suggest
from playout.game.game import Game
from playout.game.load import parse_spec

WORD, PLAIN = "openspiel", "openspiel-plain"
"""Its games with searches that are compiled and call them back; the same, with nothing compiled at all."""


def spiel() -> Any:
    """The package."""
    return need("pyspiel", "open_spiel", "OpenSpiel")


class SpielRules(Rules):
    """The rules of one of its games."""

    def __init__(self, name: str, theirs: Any) -> None:
        pyspiel = spiel()
        kind = theirs.get_type()
        self.name, self.theirs = name, theirs
        self.chancy = kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
        self.hidden = kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
        self.told = kind.provides_information_state_string
        """Whether what a player has lived through is told; else only what it sees now."""
        self.looks = kind.provides_observation_string

    def start(self, draws: Draws) -> Any:
        return self._settled(self.theirs.new_initial_state(), draws)

    def copy(self, thing: Any) -> Any:
        return thing.clone()

    def apply(self, thing: Any, action: int, draws: Draws) -> Any:
        thing.apply_action(action)
        return self._settled(thing, draws) if self.chancy else thing

    def _settled(self, thing: Any, draws: Draws) -> Any:
        """Chance has had its turns."""
        while thing.is_chance_node():
            outcomes, chances = zip(*thing.chance_outcomes())
            thing.apply_action(outcomes[draws.pick(chances)])
        return thing

    def mover(self, thing: Any) -> int:
        player: int = thing.current_player()
        return player if player >= 0 else -1

    def legal(self, thing: Any) -> Sequence[int]:
        found: Sequence[int] = thing.legal_actions()
        return found

    def options(self, thing: Any) -> Sequence[int]:
        # Chance has had its turns, and where a game is over it says that nothing is legal.
        found: Sequence[int] = thing.legal_actions()
        return found

    def returns(self, thing: Any) -> Sequence[float]:
        found: Sequence[float] = thing.returns()
        return found

    def observation(self, thing: Any, player: int) -> bytes:
        if thing.is_terminal():
            # At the end everything is laid open, as in our own games: resampling has no answer there.
            return repr(thing.history()).encode()
        found: str = thing.information_state_string(player) if self.told else thing.observation_string(player)
        return found.encode()

    def world(self, thing: Any, player: int, stream: Any) -> list[int]:
        if thing.is_terminal():
            return self.events(thing.history())
        return self.events(thing.resample_from_infostate(player, stream.uniform).history())

    def events(self, history: Sequence[int]) -> list[int]:
        """A course as the record has it: actions, and places among the outcomes of chance where there is more than one."""
        state, events = self.theirs.new_initial_state(), []
        for action in history:
            if not state.is_chance_node():
                events.append(action)
            else:
                outcomes = [outcome for outcome, _ in state.chance_outcomes()]
                events += [outcomes.index(action)] if len(outcomes) > 1 else []
            state.apply_action(action)
        return events

    def named(self, thing: Any, action: int) -> str:
        """An action in words, without the commas that separate moves."""
        return str(thing.action_to_string(thing.current_player(), action)).replace(",", ";")

    def drawn(self, thing: Any, viewer: int | None) -> str:
        """A state in words, for all eyes or for what one player sees."""
        if viewer is None or not self.hidden:
            return str(thing)
        return str(thing.observation_string(viewer) if self.looks else thing.information_state_string(viewer))


def openspiel_game(spec: str, parameters: dict[str, Any] | None = None) -> Game:
    """The game that `openspiel:NAME` names, with parameters in either way of writing them."""
    word = spec.partition(":")[2].strip()
    name, inside, rest = word.partition("(")
    if not inside:
        name, _, rest = word.partition(",")
        given = parse_spec(f"{name}:{rest}")[1]
        rest = ",".join(f"{key}={value}" for key, value in sorted({**given, **(parameters or {})}.items()))
        rest = f"({rest})" if rest else ""
    else:
        rest = "(" + rest
    if not name.strip():
        raise PlayoutError("openspiel: names no game; write for example openspiel:connect_four, or openspiel:hex(board_size=5)")
    return _made(name.strip() + rest, spec.partition(":")[0].strip() != PLAIN)


@cache
def _made(theirs: str, machine: bool) -> Game:
    pyspiel, name = spiel(), theirs.partition("(")[0]
    if name not in pyspiel.registered_names():
        raise PlayoutError(f"OpenSpiel has no game {name!r}; {suggest(name, pyspiel.registered_names())}")
    try:
        with silence():
            loaded = pyspiel.load_game(theirs)
    except Exception as error:
        words = " ".join(str(error).split())
        raise PlayoutError(f"OpenSpiel cannot load {theirs!r}: {words}") from None
    return from_openspiel(loaded, theirs, machine=machine)


def from_openspiel(loaded: Any, word: str = "", *, machine: bool = True) -> Game:
    """A game object of OpenSpiel as a game here; without `machine` its searches are uncompiled, too."""
    pyspiel = spiel()
    kind, word = loaded.get_type(), word or str(loaded)
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        loaded = pyspiel.convert_to_turn_based(loaded)
        kind = loaded.get_type()
    _refuse(pyspiel, kind, loaded, word)
    rules = SpielRules(re.sub(r"\W+", "-", f"{WORD}-{word}").strip("-"), loaded)
    if rules.hidden and not (rules.told or rules.looks):
        raise PlayoutError(f"OpenSpiel's {word} hides something and does not say what players see, so it cannot be bridged")
    # Its bounds are those of finished games; before the end players may have nothing yet.
    low, high = min(0.0, loaded.min_utility()), max(0.0, loaded.max_utility())
    return object_game(
        rules,
        players=loaded.num_players(),
        actions=loaded.num_distinct_actions(),
        longest=_longest(loaded),
        hidden=rules.hidden,
        redraws=rules.hidden and _resamples(rules),
        file=f"{WORD if machine else PLAIN}:{word}",
        machine=machine,
        shown={"action_name": rules.named, "draw": rules.drawn},
        __doc__=f"{kind.long_name}, by OpenSpiel",
        returns_range=(low, high) if math.isfinite(low) and math.isfinite(high) and low < high else None,
        _identity=f"{WORD if machine else PLAIN} {_version()} {loaded}",
    )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("open_spiel")
    except PackageNotFoundError:
        return ""


def _refuse(pyspiel: Any, kind: Any, loaded: Any, word: str) -> None:
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise PlayoutError(f"OpenSpiel's {word} is a mean-field game, with a crowd in place of players, so it cannot be bridged")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise PlayoutError(
            f"OpenSpiel's {word} draws chance inside itself, so a course of it cannot be played again, and it cannot be bridged"
        )
    if loaded.num_distinct_actions() < 1:
        raise PlayoutError(f"OpenSpiel's {word} has no actions as it stands; give it the parameters that it needs")
    if loaded.num_distinct_actions() > MOST_IDS:
        raise PlayoutError(
            f"OpenSpiel's {word} has {loaded.num_distinct_actions():,} actions, and {MOST_IDS:,} can be bridged; take a smaller board"
        )
    if not 1 <= loaded.num_players() <= 8:
        raise PlayoutError(f"OpenSpiel's {word} has {loaded.num_players()} players, and 1 to 8 can be bridged")


def _longest(loaded: Any) -> int:
    """The most events of a course; some games do not know it."""
    try:
        with silence():
            return max(1, min(MOST_EVENTS, int(loaded.max_history_length())))
    except Exception:
        return LONGEST


def _resamples(rules: SpielRules) -> bool:
    """Whether the game finds worlds itself: tried, since it does not say."""
    thing = rules.start(Draws().from_stream(_Half()))
    try:
        with silence():
            found = thing.resample_from_infostate(thing.current_player(), lambda: 0.5)
            return bool(rules.observation(found, thing.current_player()) == rules.observation(thing, thing.current_player()))
    except Exception:
        return False


class _Half:
    """A stream in the middle, for one look at a game."""

    def below(self, n: int) -> int:
        return n // 2

    def uniform(self) -> float:
        return 0.5
