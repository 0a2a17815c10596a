"""The agent with a network: `network:four.net,simulations=200`, a search that goes by it, or its policy alone (`simulations=0`)."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playout.agents.base import Recipe, Silent
from playout.agents.search_agent import named, recipe_of, split
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import Stream
from playout.planner.settings import USUAL_RULE, Budget, Settings
from playout.planner.words import read

if TYPE_CHECKING:
    from playout.learning.network import Network

DEFAULT_SIMULATIONS = 200
"""The budget of an agent with a network that is given none."""
ROUNDS = 16
"""A budget of simulations is spent in at least so many batches: in one batch, nobody knows what the others find."""
BESIDE = ("device", "temperature", "use")
"""Options that are no settings of a search."""
EXAMPLE = "network:four.net,simulations=200"


class NetworkPolicy(Silent):
    """Plays by the policy alone: its likeliest action, or (temperature) one drawn by its shares."""

    def __init__(self, network: Network, name: str, temperature: float, seed: int = 0) -> None:
        self.network, self.name, self.temperature, self.stream = network, name, temperature, Stream(seed)

    def act(self, state: State) -> int:
        shares, _ = self.network.look(state)
        if self.temperature == 0:
            return max(sorted(shares), key=lambda action: shares[action])
        return drawn(shares, self.temperature, self.stream)


def drawn(shares: dict[int, float], temperature: float, stream: Stream) -> int:
    """An action by its share to the power 1 / temperature: 1 as they are, below 1 the likely ones more often."""
    most = max(shares.values())
    weights = {action: (share / most) ** (1 / temperature) for action, share in sorted(shares.items())}
    left = stream.uniform() * sum(weights.values())
    for action, weight in weights.items():
        left -= weight
        if left < 0:
            return action
    return max(weights, key=lambda action: weights[action])


def batch_for(budget: Budget) -> int:
    """How many leaves are evaluated at a time, where nobody says."""
    usual = Settings().batch
    return usual if budget.simulations is None else max(1, min(usual, budget.simulations // ROUNDS))


def network_recipe(kind: str, words: dict[str, str], game: Game) -> Recipe:
    """`network:FILE` and options: any field of `Budget` and `Settings`, `device`, `use`, and with simulations=0 `temperature`."""
    file = words.get("file", "")
    if not file:
        raise PlayoutError(
            f"agent 'network' needs the file of a network: {EXAMPLE}, as playout learn --learner network writes it"
        )
    from playout.learning.network import Network
    from playout.learning.network.advice import ROOT, advice

    device = words.get("device", "auto")
    temperature = _temperature(words.get("temperature", "0"))
    rest = {word: value for word, value in words.items() if word not in ("file", *BESIDE)}
    alone = rest.get("simulations", "").strip() == "0"
    use = words.get("use", "both")
    if alone and "use" in words:
        raise PlayoutError(
            f"agent 'network' with simulations=0 plays by its policy alone, so use={use} is for nothing; leave use out"
        )
    if alone:
        others = sorted(rest.keys() - {"simulations"})
        if others:
            word = others[0]
            raise PlayoutError(
                f"agent 'network' with simulations=0 plays by its policy alone, so {word}={rest[word]} is for nothing; leave {word} out"
            )
    elif "temperature" in words:
        raise PlayoutError(
            "agent 'network' has a temperature where it plays by its policy alone, simulations=0; with a search, final=shares draws"
        )
    else:
        budget, options = split(kind, rest, BESIDE, DEFAULT_SIMULATIONS)
    network = Network.load(file, game, device=device)
    digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:24]
    ending = f",device={device}" if "device" in words else ""
    if alone:
        return _policy_recipe(network, file, digest, temperature, ending)
    told: dict[str, Any] = {"prior": network.policy} if use == ROOT else {"evaluator": advice(network, use)}
    batch = {} if use == ROOT else {"batch": batch_for(budget)}
    ending = f",use={use}{ending}" if use != "both" else ending
    # Values alone come without priors, which is what the other rule reads; and what is said of the root is read there.
    usual: dict[str, Any] = {
        "trees": 1,
        "rule": "puct" if use in ("both", "prior") else USUAL_RULE,
        "reward": network.reward,
    }
    usual |= {"root_rule": "puct"} if use == ROOT else {}
    given: Settings = read(Settings, {**usual, **batch, **options})
    name = f"network:{file}," + named(budget, given, usual, "seed" in options) + ending
    made = recipe_of(game, name, given, budget, "seed" in options, digest=digest, **told)
    return replace(made, settings={"file": file, **({"use": use} if use != "both" else {}), **made.settings})


def _policy_recipe(network: Network, file: str, digest: str, temperature: float, ending: str) -> Recipe:
    warm = f",temperature={temperature:g}" if temperature else ""
    name = f"network:{file},simulations=0{warm}{ending}"
    settings: dict[str, Any] = {"file": file, "simulations": 0, "temperature": temperature}

    def prepare() -> None:
        network.look(network.game.start())

    return Recipe(name, lambda seed: NetworkPolicy(network, name, temperature, seed), settings, digest, prepare)


def _temperature(word: str) -> float:
    try:
        found = float(word)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 100:
        raise PlayoutError(f"agent 'network' has temperature={word}; give a number from 0 (always the likeliest action) to 100")
    return found
