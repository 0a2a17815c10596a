"""An evaluator whose time is told: how long it encodes, and how long anybody waits for the network."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from playout.learning.network.network import Network, softmax


class Watched:
    """A network as an evaluator that knows where its time goes."""

    def __init__(self, network: Network) -> None:
        self.network, self.encoding, self.asking = network, 0.0, 0.0

    def __call__(self, states: Any) -> Any:
        return self.later(states)()

    def later(self, states: Any) -> Callable[[], Any]:
        """Asked now, and heard when it is called."""
        network, began = self.network, time.perf_counter()
        movers = network.movers(states)
        seen = network.encoding(states, movers)
        between = time.perf_counter()
        asked = network.ask_later(seen)
        self.encoding += between - began
        self.asking += time.perf_counter() - between

        def answer() -> Any:
            waited = time.perf_counter()
            logits, values = asked()
            found = softmax(logits), network.absolute(values, movers)
            self.asking += time.perf_counter() - waited
            return found

        return answer
