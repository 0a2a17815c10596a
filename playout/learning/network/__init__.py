"""Networks: a policy and the value of every player out of what the mover sees, searched with, kept in files, and asked.

network = Network("connect-four", size="small")     a new one, which knows nothing
playout.Search("connect-four", evaluator=network)   a search whose leaves and priors are the network's
network.save("four.net")                            safetensors with a JSON head; Network.load("four.net") reads it
Network(game, module=mine)                          your own torch.nn.Module, by the same code
learn_network("connect-four", minutes=30, out="four.net")   self-play and training, with the curve of its strength
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playout.learning.network.file import Head, read_head, read_network
    from playout.learning.network.learn import learn_network
    from playout.learning.network.network import Network

HOMES = {"Network": "network", "learn_network": "learn", **dict.fromkeys(("Head", "read_head", "read_network"), "file")}


def __getattr__(name: str) -> Any:
    """Loaded when first asked for."""
    if name not in HOMES:
        raise AttributeError(f"playout.learning.network has no {name!r}")
    return getattr(import_module(f"playout.learning.network.{HOMES[name]}"), name)


__all__ = ["Head", "Network", "learn_network", "read_head", "read_network"]
