"""The others: their searches, and Connect Four written in Python for them. Nothing here is imported until it is measured.

The peers come with the extra `[bench]`. One that is missing gives a row with a note, not a failure.
"""

from __future__ import annotations

import importlib
import random
from functools import cache
from typing import Any

from playout.bench.timing import Prepare, Task

INSTALL = "pip install 'playout[bench]'"
STEPS = (1, 7, 6, 8)
"""On a board of 7 bits a column: up, right, right and down, right and up."""


class MissingPeer(Exception):
    """A peer that is not installed; the message says how to get it."""


def need(module: str, package: str) -> Any:
    """A peer's module, or the sentence that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingPeer(f"{package} is not installed: {INSTALL}") from None


def openspiel_bot(game: Any, c: float, simulations: int, seed: int, solve: bool = False, rollouts: int = 1) -> Any:
    """OpenSpiel's C++ bot: plain UCT with uniform playouts, so many to a simulation."""
    pyspiel = need("pyspiel", "open_spiel")
    memory = 8000  # megabytes, more than any row needs: at its limit the bot would prune
    return pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(rollouts, seed), c, simulations, memory, solve, seed, False)


def openspiel_cpp(name: str) -> Prepare:
    """OpenSpiel's C++ bot on its C++ game: (simulations, seed) to the search to be timed."""
    game = need("pyspiel", "open_spiel").load_game(name)

    def prepare(simulations: int, seed: int) -> Task:
        bot, state = openspiel_bot(game, 1.4, simulations, seed), game.new_initial_state()
        return lambda: bot.mcts_search(state)

    return prepare


def openspiel_python() -> Prepare:
    """OpenSpiel's Python bot on a game written in Python."""
    mcts = need("open_spiel.python.algorithms.mcts", "open_spiel")
    random_state = importlib.import_module("numpy.random").RandomState
    game = python_connect_four()

    def prepare(simulations: int, seed: int) -> Task:
        draws = random_state(seed)
        bot = mcts.MCTSBot(game, 1.4, simulations, mcts.RandomRolloutEvaluator(1, draws), solve=False, random_state=draws)
        state = game.new_initial_state()
        return lambda: bot.mcts_search(state)

    return prepare


def multimcts() -> Prepare:
    """The package multimcts, its tree in C++, on a game written in Python."""
    package, state = need("multimcts", "multimcts"), multimcts_connect_four()

    def prepare(simulations: int, seed: int) -> Task:
        random.seed(seed)  # it draws from Python's own generator
        return lambda: package.MCTS(exploration_bias=1.4).search(state(), max_iterations=simulations)

    return prepare


def open_columns(taken: int) -> list[int]:
    """The columns that are not full."""
    return [column for column in range(7) if not taken >> column * 7 + 5 & 1]


def dropped(discs: int, taken: int, column: int) -> int:
    """A player's discs with one more."""
    return discs | (taken + (1 << column * 7)) & ~taken


def four(discs: int) -> bool:
    """Whether four of the discs are in a line."""
    for step in STEPS:
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


@cache
def multimcts_connect_four() -> Any:
    """Connect Four for multimcts. Whole numbers as boards: about a tenth faster here than lists."""
    base = need("multimcts", "multimcts").GameState

    class ConnectFour(base):  # type: ignore[misc, valid-type]
        __slots__ = ("mine", "moves", "theirs", "won")
        suggest_move = None  # the one it inherits returns nothing, and would be called

        def __init__(self, mine: int = 0, theirs: int = 0, moves: int = 0, won: bool = False) -> None:
            self.mine, self.theirs, self.moves, self.won = mine, theirs, moves, won

        def get_current_team(self) -> int:
            return self.moves & 1

        def get_legal_moves(self) -> list[int]:
            return open_columns(self.mine | self.theirs)

        def make_move(self, move: int) -> Any:
            discs = dropped(self.mine, self.mine | self.theirs, move)
            return ConnectFour(self.theirs, discs, self.moves + 1, four(discs))

        def is_terminal(self) -> bool:
            return self.won or self.moves == 42

        def get_reward(self) -> int:
            return 1 if self.won else 0

    return ConnectFour


@cache
def python_connect_four() -> Any:
    """Connect Four as OpenSpiel wants a game that is written in Python."""
    pyspiel = need("pyspiel", "open_spiel")
    kind = pyspiel.GameType(
        short_name="playout_connect_four",
        long_name="Connect Four in Python",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        parameter_specification={},
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=7,
        max_chance_outcomes=0,
        num_players=2,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=42,
    )

    class ConnectFour(pyspiel.Game):  # type: ignore[misc, name-defined]
        def __init__(self, parameters: Any = None) -> None:
            super().__init__(kind, info, parameters or {})

        def new_initial_state(self) -> Any:
            return ConnectFourState(self)

    class ConnectFourState(pyspiel.State):  # type: ignore[misc, name-defined]
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.discs, self.moves, self.won = [0, 0], 0, False

        def current_player(self) -> int:
            return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.moves & 1

        def _legal_actions(self, player: int) -> list[int]:
            return open_columns(self.discs[0] | self.discs[1])

        def _apply_action(self, action: int) -> None:
            player = self.moves & 1
            self.discs[player] = dropped(self.discs[player], self.discs[0] | self.discs[1], action)
            self.moves += 1
            self.won = four(self.discs[player])

        def _action_to_string(self, player: int, action: int) -> str:
            return "abcdefg"[action]

        def is_terminal(self) -> bool:
            return self.won or self.moves == 42

        def returns(self) -> list[float]:
            if not self.won:
                return [0.0, 0.0]
            return [1.0, -1.0] if self.moves & 1 else [-1.0, 1.0]

        def __str__(self) -> str:
            return f"{self.discs} after {self.moves} moves"

    return ConnectFour()
