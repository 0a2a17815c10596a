"""The agent that plays by a learned policy, `policy:policy.json`, or by a solved one (`strategy_agent`)."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from playout.agents.base import Recipe, Silent
from playout.agents.strategy_agent import is_strategy, strategy_recipe
from playout.errors import FileError, PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import Stream

if TYPE_CHECKING:
    from playout.learning.policy import Policy


class PolicyAgent(Silent):
    """Takes the action of the highest value; of several best ones one from its stream, or the first."""

    def __init__(self, policy: Policy, name: str, first: bool, seed: int = 0) -> None:
        self.policy, self.name = policy, name
        self.stream = None if first else Stream(seed)

    def act(self, state: State) -> int:
        return self.policy.choose(state, self.stream)


def policy_recipe(kind: str, words: dict[str, str], game: Game) -> Recipe:
    """`policy:FILE`, and `policy:FILE,ties=first` to take the first of several best actions."""
    from playout.learning.policy import Policy
    from playout.learning.settings import TIES

    file, ties = words.get("file", ""), words.get("ties", "")
    others = sorted(words.keys() - {"file", "ties"})
    if not file:
        raise PlayoutError(
            "agent 'policy' needs the file of a policy: policy:policy.json, as playout learn --out or playout exploit --out writes it"
        )
    if not Path(file).exists():
        raise FileError(f"policy file {file!r} does not exist; make one with playout learn --out, or with playout exploit --out")
    if is_strategy(file):
        return strategy_recipe(words, game)
    if others:
        raise PlayoutError(f"agent 'policy' has no option {others[0]!r}; it takes a file and ties=random or ties=first")
    if ties and ties not in TIES:
        raise PlayoutError(f"agent 'policy' has ties={ties!r}; it must be random or first")
    policy = Policy.load(file, game)
    first = (ties or policy.settings.ties) == "first"
    name = f"policy:{file}" + (f",ties={ties}" if ties else "")

    def prepare() -> None:
        policy.rate(game.start())

    digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:24]
    settings = {"file": file, "ties": "first" if first else "random"}
    return Recipe(name, lambda seed: PolicyAgent(policy, name, first, seed), settings, digest, prepare)
