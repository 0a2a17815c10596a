"""Learning behind a tab: a run from a form or a policy from a file, its curve, and what it thinks of the actions on the board.

What learns is a table of values or, where torch is installed, a network.
"""

from __future__ import annotations

import base64
import tempfile
import threading
import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playout.errors import PlayoutError
from playout.game.state import State
from playout.learning.policy import Policy
from playout.learning.run import Point, Progress, learn
from playout.learning.settings import LEARNERS, PRESETS
from playout.report.boards import board, player_dot
from playout.report.learning_page import curve
from playout.studio.catalog import NETWORK, Catalog
from playout.studio.desk import USED_UP, Desk, Send, words_of
from playout.studio.views import clickable

if TYPE_CHECKING:
    from playout.game.game import Game
    from playout.learning.network import Network
    from playout.learning.network.result import NetworkProgress

EVERY = 0.4
"""Seconds between two messages."""
MOST_EPISODES = 100_000_000
MOST_MINUTES = 24 * 60.0


class LearningDesk(Desk):
    """Works off the commands of the page of learning."""

    def __init__(self, catalog: Catalog, send: Send) -> None:
        super().__init__(catalog, send)
        self.learned: Policy | Network | None = None
        self.state: State | None = None
        self.past: list[State] = []
        self.points: dict[int, Point] = {}
        self.stopping = False
        self.thread: threading.Thread | None = None
        self._told = self._spent = 0.0
        self.commands = {
            "start": self.start,
            "stop": self.stop,
            "policy": self.open_policy,
            "play": self.play,
            "back": self.back,
            "keep": self.keep,
        }

    def do(self, item: Any) -> None:
        if isinstance(item, dict | float):
            super().do(item)
        else:
            self._learned(item)

    # commands

    def start(
        self,
        game: str,
        episodes: int = 100_000,
        preset: str = "best",
        seed: int = 0,
        learner: str = "table",
        minutes: float = 5.0,
    ) -> None:
        """Learn a game by playing it."""
        if self.thread is not None and self.thread.is_alive():
            raise PlayoutError("a run is going on already; stop it first")
        if learner not in LEARNERS:
            raise PlayoutError(f"learner is {learner!r}; give one of {', '.join(LEARNERS)}")
        if not 1 <= episodes <= MOST_EPISODES:
            raise PlayoutError(f"episodes is {episodes}; give a number from 1 to {MOST_EPISODES:,}")
        if preset not in PRESETS:
            raise PlayoutError(f"preset is {preset!r}; give one of {', '.join(PRESETS)}")
        if not 0 < minutes <= MOST_MINUTES:
            raise PlayoutError(f"minutes is {minutes:g}; give a number above 0, at most {MOST_MINUTES:g}")
        self.allowance.check()
        rules = self.catalog.game(game)
        self.points, self.stopping = {}, False
        if learner == "network":
            self._begin(lambda: self._network(rules, minutes, seed))
        else:
            self._begin(lambda: self._table(rules, episodes, preset, seed))

    def _begin(self, work: Callable[[], str]) -> None:
        """Learn in a thread of its own; `work` gives the words at the end."""

        def run() -> None:
            words = ""
            try:
                self.send({"kind": "progress", "done": 0.0, "words": "getting ready", "going": True})
                self._spent = time.monotonic()
                words = work()
            except (Exception, KeyboardInterrupt) as error:
                self.problem(words_of(error) if isinstance(error, Exception) else "stopped before anything was learned")
            self.send({"kind": "progress", "done": 1.0, "words": words, "going": False})

        self.thread = threading.Thread(target=run, daemon=True, name="playout studio learning")
        self.thread.start()

    def _table(self, rules: Game, episodes: int, preset: str, seed: int) -> str:
        found = learn(rules, episodes=episodes, preset=preset, seed=seed, show=self._show)
        self.points |= {point.episodes: point for point in found.result.curve}
        self._curve(rules.spec)
        lost = found.result.losing_lines
        exact = "" if lost[0] is None else f"; lines in which it still loses: {', '.join(str(count) for count in lost)}"
        self.inbox.put(found.policy)
        return f"{found.result.episodes:,} episodes, {found.result.entries:,} values{exact}"

    def _network(self, rules: Game, minutes: float, seed: int) -> str:
        from playout.learning.network.learn import learn_network

        network, result = learn_network(rules, minutes=minutes, seed=seed, show=self._show_network)
        self.points = dict(enumerate(result.curve))
        self._curve(rules.spec)
        self.inbox.put(network)
        return f"{result.generations:,} generations, {result.games:,} games, {result.weights:,} weights"

    # while it learns, in the thread of the run

    def _show(self, progress: Progress) -> None:
        if progress.point is not None:
            self.points[progress.point.episodes] = progress.point
        words = f"{progress.episodes:,} of {progress.target:,} episodes, {progress.per_second:,.0f} a second, {progress.entries:,} values"
        self._tell(progress.episodes / max(1, progress.target), words)

    def _show_network(self, progress: NetworkProgress) -> None:
        self.points = dict(enumerate(progress.curve))
        words = f"generation {progress.generation:,}, {progress.games:,} games, {progress.per_second:,.0f} decisions a second"
        self._tell(min(1.0, progress.seconds / max(1e-9, progress.target)), words)

    def _tell(self, done: float, words: str) -> None:
        now = time.monotonic()
        enough, self._spent = self.allowance.spend(now - self._spent), now
        if not enough and not self.stopping:
            self.problem(USED_UP)
            self.stopping = True
        if self.stopping:
            # What Ctrl-C is to the command line: what was learned so far counts.
            raise KeyboardInterrupt
        if now - self._told >= EVERY:
            self._told = now
            self.send({"kind": "progress", "done": done, "words": words, "going": True})
            self._curve("")

    def stop(self) -> None:
        """End the run; what was learned so far counts."""
        self.stopping = True

    def open_policy(self, number: int) -> None:
        """A policy or a network that was named on the command line."""
        if not isinstance(number, int) or not 0 <= number < len(self.catalog.policies):
            raise PlayoutError("there is no such file; name it on the command line: playout studio policy.json")
        file = self.catalog.policies[number]
        found: Policy | Network
        if file.endswith(NETWORK):
            from playout.learning.network import Network, read_head

            found = Network.load(file, self.catalog.game(read_head(Path(file)).spec), device="cpu")
            words = Path(file).name
        else:
            found = Policy.load(file)
            words = f"{found.episodes:,} episodes"
        self._learned(found)
        self.send({"kind": "progress", "done": 1.0, "words": words, "going": False})

    def keep(self) -> None:
        """Hand what was learned over as a file."""
        if self.learned is None:
            raise PlayoutError("nothing was learned yet")
        ending = "policy.json" if isinstance(self.learned, Policy) else f"network{NETWORK}"
        with tempfile.TemporaryDirectory() as folder:
            data = base64.b64encode(Path(self.learned.save(Path(folder) / ending)).read_bytes()).decode()
        self.send({"kind": "file", "name": f"{self.learned.game.name}-{ending}", "data": data})

    def play(self, action: Any) -> None:
        """Another position, to see what the policy thinks there."""
        if self.state is None:
            raise PlayoutError("nothing was learned yet")
        after = self.state.play(action)
        self.past.append(self.state)
        self.state = after
        self._values()

    def back(self) -> None:
        """One action back."""
        if not self.past:
            raise PlayoutError("this is the start")
        self.state = self.past.pop()
        self._values()

    # what is shown

    def _learned(self, found: Policy | Network) -> None:
        self.learned, self.past = found, []
        self.state = found.game.start(0)
        self._values()

    def _curve(self, game: str) -> None:
        points = [self.points[episodes] for episodes in sorted(self.points)]
        if len(points) > 1:
            self.send({"kind": "curve", "chart": curve(game, points)})

    def _values(self) -> None:
        assert self.learned is not None and self.state is not None
        state = self.state
        if state.over:
            words = f"The game is over: {', '.join(f'{value:g}' for value in state.returns)}"
            self.send({"kind": "values", "board": board(state), "table": "", "words": words})
            return
        names = {action: state.name(action) for action in state.legal}
        last, rated = _by_table(self.learned, state) if isinstance(self.learned, Policy) else _by_network(self.learned, state)
        rows = "".join(
            f"<tr><td><button type='button' class='act' data-action='{action}'>{escape(names[action])}</button></td>"
            f"<td class='num'>{value:+.3f}</td>"
            f"<td class='bar'><i style='width:{100 * part:.0f}%;background:var(--s0)'></i></td>"
            f"<td class='num quiet'>{more}</td></tr>"
            for action, value, part, more in rated
        )
        head = f"<tr><th>action</th><th class='num'>value</th><th></th><th class='num'>{last}</th></tr>"
        who = f"{player_dot(state.mover)}{escape(state.game.player_name(state.mover))} to act: what each action is worth to it"
        self.send(
            {
                "kind": "values",
                "board": clickable(board(state), names),
                "table": f"<table class='thought'><thead>{head}</thead><tbody>{rows}</tbody></table>",
                "words": who,
            }
        )


Rated = list[tuple[int, float, float, str]]
"""Actions, the best first: what each is worth to the mover, how long its bar is, and what else is known of it."""


def _by_table(policy: Policy, state: State) -> tuple[str, Rated]:
    rated = policy.rate(state)
    values = [value for value, _ in rated.values()]
    low, high = state.game.returns_range or (min(values), max(values))
    best = sorted(rated.items(), key=lambda item: -item[1][0])
    return "learned from", [(a, value, (value - low) / max(1e-9, high - low), f"{count:,}") for a, (value, count) in best]


def _by_network(network: Network, state: State) -> tuple[str, Rated]:
    """By the network alone, without a search: the bars are its policy, the values what it expects behind each action."""
    from playout.planner.first_sight import first_sight

    shares, _ = network.look(state)
    behind = first_sight(state, shares, lambda states: network.evaluate(states)[1], reward=network.reward)
    best = sorted(shares, key=lambda action: -shares[action])
    return "policy", [(action, behind[action], shares[action], f"{100 * shares[action]:.1f} %") for action in best]
