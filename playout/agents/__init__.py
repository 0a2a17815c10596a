"""Who can be asked for an action: random, a search with its settings, a person, or a function in your own file.

Agents are named by short strings, the same in Python, on the command line and in the arena:

    random                              every legal action equally likely
    uct:simulations=1000,c=1.4          tree search; any field of `Budget` and `Settings` is an option
    uct:fit=false                       the same without what playout fit found for the game
    uct:value=policy.json               the same with leaves valued by a learned policy
    one-depth:simulations=1000          the same search with a tree one action deep, playouts below
    ismcts:simulations=1000             information-set search, what uct is in a game with hidden cards; mo-ismcts, pimc: others
    peek:simulations=1000               CHEATS: the same search on the true state, as an upper bound
    rule                                the game's own rule of thumb, its playout_action
    tactic                              wins if it can, else keeps the next player from winning, else random
    policy:policy.json                  a learned policy, as playout learn writes it
    policy:eq.json                      a solved one with all its probabilities, as playout exploit --out writes it
    network:four.net,simulations=200    a network with a search, or (simulations=0) its policy alone
    person                              asks at the terminal
    openspiel-mcts:simulations=1000     OpenSpiel's bot, where open_spiel is installed; openspiel-ismcts in its games with hidden cards
    pipe:COMMAND                        another program, by lines of text (docs/bridges.md)
    mine.py:make_agent                  your own: make_agent(game, seed=0) returns an `Agent`, or a function state -> action id
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from playout.agents.announcing import guarded, news
from playout.agents.base import CHEATS, Agent, Recipe, Silent
from playout.agents.network_agent import NetworkPolicy, network_recipe
from playout.agents.person import Person, PersonLeft
from playout.agents.policy_agent import PolicyAgent, policy_recipe
from playout.agents.random_agent import RandomAgent
from playout.agents.rule_agent import RuleAgent, rule_recipe
from playout.agents.search_agent import DEFAULT_SIMULATIONS, PRESETS, SearchAgent, search_recipe
from playout.agents.seats import Seats, ask, ask_quickly, listens, tell, truth, wants_history, world
from playout.agents.tactic_agent import TacticAgent, tactic_recipe
from playout.errors import PlayoutError, suggest
from playout.game.game import Game
from playout.game.load import parse_spec

Maker = Callable[[str, dict[str, str], Game], Recipe]
"""How a kind of agent is understood: its name, the options given, the game."""


def _plain(make: Callable[[int], Agent]) -> Maker:
    """The maker of an agent that has no options."""

    def made(kind: str, words: dict[str, str], game: Game) -> Recipe:
        if words:
            raise PlayoutError(f"agent {kind!r} has no option {next(iter(words))!r}; it takes none, so write just {kind!r}")
        return Recipe(kind, make)

    return made


MAKERS: dict[str, Maker] = {
    "random": _plain(RandomAgent),
    "rule": rule_recipe,
    "tactic": tactic_recipe,
    "policy": policy_recipe,
    "network": network_recipe,
    "person": _plain(lambda seed: Person()),
    **dict.fromkeys(PRESETS, search_recipe),
}
"""Every kind of agent by name; a new kind is one more line."""
ELSEWHERE = {
    "openspiel-mcts": ("playout.bridges.spiel_bots", "bot_recipe"),
    "openspiel-ismcts": ("playout.bridges.spiel_bots", "bot_recipe"),
    "pipe": ("playout.bridges.pipe", "pipe_recipe"),
}
"""Kinds that a bridge makes, with the module that is loaded when one is asked for: bridges stand above this room."""
FILED = ("policy", "network")
"""Kinds whose string begins with a file, `policy:FILE`."""


def recipe(spec: str, game: Game, *, fit: bool = True) -> Recipe:
    """What a string stands for in one game; `recipe(...).make(seed)` gives as many agents as are needed.

    A search without settings takes those that `playout fit` found, unless `fit` is False; its name has them written out.

    >>> import playout
    >>> recipe("uct", playout.load("tic-tac-toe")).name
    'uct:simulations=10000'
    """
    kind, _, command = spec.strip().partition(":")
    if kind == "pipe":
        # A command has commas, colons and equals signs of its own.
        return _elsewhere(kind)(kind, {"command": command}, game)
    file, colon, rest = spec.strip().rpartition(".py:")
    if colon:
        from playout.agents.own import own_recipe

        return own_recipe(file + ".py", rest, game)
    filed = spec.strip().partition(":")[0] in FILED
    kind, words = parse_spec(spec.replace(":", ":file=", 1) if filed else spec)
    if kind in ELSEWHERE:
        return _elsewhere(kind)(kind, words, game)
    if kind not in MAKERS:
        hint = "write file.py:make_agent to use your own" if kind.endswith(".py") else suggest(kind, {*MAKERS, *ELSEWHERE})
        raise PlayoutError(f"unknown agent {kind!r}; {hint}")
    return MAKERS[kind](kind, words if fit or kind not in PRESETS else {**words, "fit": "false"}, game)


def _elsewhere(kind: str) -> Maker:
    module, maker = ELSEWHERE[kind]
    return getattr(import_module(module), maker)  # type: ignore[no-any-return]


def make_agent(spec: str, game: Game, *, seed: int = 0, fit: bool = True) -> Agent:
    """The agent that a string names, for one game.

    >>> import playout
    >>> make_agent("uct", playout.load("tic-tac-toe")).name
    'uct:simulations=10000'
    """
    return recipe(spec, game, fit=fit).make(seed)


__all__ = [
    "CHEATS",
    "DEFAULT_SIMULATIONS",
    "MAKERS",
    "Agent",
    "NetworkPolicy",
    "Person",
    "PersonLeft",
    "PolicyAgent",
    "RandomAgent",
    "Recipe",
    "RuleAgent",
    "SearchAgent",
    "Seats",
    "Silent",
    "TacticAgent",
    "ask",
    "ask_quickly",
    "guarded",
    "listens",
    "make_agent",
    "news",
    "recipe",
    "tell",
    "truth",
    "wants_history",
    "world",
]
