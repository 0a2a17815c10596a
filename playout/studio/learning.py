"""Learning behind a tab: a run from a form or a policy from a file, its curve, and what it thinks of the actions on the board."""

from __future__ import annotations

import tempfile
import threading
import time
from html import escape
from pathlib import Path
from typing import Any

from playout.errors import PlayoutError
from playout.game.state import State
from playout.learning.policy import Policy
from playout.learning.run import Point, Progress, learn
from playout.learning.settings import PRESETS
from playout.report.boards import board, player_dot
from playout.report.learning_page import curve
from playout.studio.catalog import Catalog
from playout.studio.desk import Desk, Send, words_of
from playout.studio.views import clickable

EVERY = 0.4
"""Seconds between two messages."""
MOST_EPISODES = 100_000_000


class LearningDesk(Desk):
    """Works off the commands of the page of learning."""

    def __init__(self, catalog: Catalog, send: Send) -> None:
        super().__init__(catalog, send)
        self.policy: Policy | None = None
        self.state: State | None = None
        self.past: list[State] = []
        self.points: dict[int, Point] = {}
        self.stopping = False
        self.thread: threading.Thread | None = None
        self._told = 0.0
        self.commands = {
            "start": self.start,
            "stop": self.stop,
            "policy": self.open_policy,
            "play": self.play,
            "back": self.back,
            "keep": self.keep,
        }

    def do(self, item: Any) -> None:
        if isinstance(item, Policy):
            self._learned(item)
        else:
            super().do(item)

    # commands

    def start(self, game: str, episodes: int = 100_000, preset: str = "best", seed: int = 0) -> None:
        """Learn a game by playing it."""
        if self.thread is not None and self.thread.is_alive():
            raise PlayoutError("a run is going on already; stop it first")
        if not 1 <= episodes <= MOST_EPISODES:
            raise PlayoutError(f"episodes is {episodes}; give a number from 1 to {MOST_EPISODES:,}")
        if preset not in PRESETS:
            raise PlayoutError(f"preset is {preset!r}; give one of {', '.join(PRESETS)}")
        rules = self.catalog.game(game)
        self.points, self.stopping = {}, False

        def run() -> None:
            try:
                self.send({"kind": "progress", "done": 0.0, "words": "getting ready", "going": True})
                found = learn(rules, episodes=episodes, preset=preset, seed=seed, show=self._show)
                self.points |= {point.episodes: point for point in found.result.curve}
                self._curve(rules.spec)
                lost = found.result.losing_lines
                exact = "" if lost[0] is None else f"; lines in which it still loses: {', '.join(str(count) for count in lost)}"
                words = f"{found.result.episodes:,} episodes, {found.result.entries:,} values{exact}"
                self.inbox.put(found.policy)
            except Exception as error:
                self.problem(words_of(error))
                words = ""
            self.send({"kind": "progress", "done": 1.0, "words": words, "going": False})

        self.thread = threading.Thread(target=run, daemon=True, name="playout studio learning")
        self.thread.start()

    def _show(self, progress: Progress) -> None:
        """In the thread of the run."""
        if self.stopping:
            # What Ctrl-C is to the command line: what was learned so far counts.
            raise KeyboardInterrupt
        if progress.point is not None:
            self.points[progress.point.episodes] = progress.point
        if time.monotonic() - self._told < EVERY:
            return
        self._told = time.monotonic()
        words = f"{progress.episodes:,} of {progress.target:,} episodes, {progress.per_second:,.0f} a second, {progress.entries:,} values"
        self.send({"kind": "progress", "done": progress.episodes / max(1, progress.target), "words": words, "going": True})
        self._curve("")

    def stop(self) -> None:
        """End the run; what was learned so far counts."""
        self.stopping = True

    def open_policy(self, number: int) -> None:
        """A policy that was named on the command line."""
        if not isinstance(number, int) or not 0 <= number < len(self.catalog.policies):
            raise PlayoutError("there is no such file; name it on the command line: playout studio policy.json")
        policy = Policy.load(self.catalog.policies[number])
        self._learned(policy)
        words = f"{policy.episodes:,} episodes"
        self.send({"kind": "progress", "done": 1.0, "words": words, "going": False})

    def keep(self) -> None:
        """Hand the policy over as a file."""
        if self.policy is None:
            raise PlayoutError("nothing was learned yet")
        with tempfile.TemporaryDirectory() as folder:
            text = self.policy.save(Path(folder) / "policy.json").read_text()
        self.send({"kind": "file", "name": f"{self.policy.game.name}-policy.json", "text": text})

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

    def _learned(self, policy: Policy) -> None:
        self.policy, self.past = policy, []
        self.state = policy.game.start(0)
        self._values()

    def _curve(self, game: str) -> None:
        points = [self.points[episodes] for episodes in sorted(self.points)]
        if len(points) > 1:
            self.send({"kind": "curve", "chart": curve(game, points)})

    def _values(self) -> None:
        assert self.policy is not None and self.state is not None
        state = self.state
        if state.over:
            words = f"The game is over: {', '.join(f'{value:g}' for value in state.returns)}"
            self.send({"kind": "values", "board": board(state), "table": "", "words": words})
            return
        rated = self.policy.rate(state)
        names = {action: state.name(action) for action in state.legal}
        low, high = state.game.returns_range or (min(v for v, _ in rated.values()), max(v for v, _ in rated.values()))
        rows = "".join(
            f"<tr><td><button type='button' class='act' data-action='{action}'>{escape(names[action])}</button></td>"
            f"<td class='num'>{value:+.3f}</td>"
            f"<td class='bar'><i style='width:{100 * (value - low) / max(1e-9, high - low):.0f}%;background:var(--s0)'></i></td>"
            f"<td class='num quiet'>{count:,}</td></tr>"
            for action, (value, count) in sorted(rated.items(), key=lambda item: -item[1][0])
        )
        head = "<tr><th>action</th><th class='num'>value</th><th></th><th class='num'>learned from</th></tr>"
        who = f"{player_dot(state.mover)}{escape(state.game.player_name(state.mover))} to act: what each action is worth to it"
        self.send(
            {
                "kind": "values",
                "board": clickable(board(state), names),
                "table": f"<table class='thought'><thead>{head}</thead><tbody>{rows}</tbody></table>",
                "words": who,
            }
        )
