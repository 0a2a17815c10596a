"""A tournament behind a tab: agents from a form against each other, standings while they play, and every game to look at."""

from __future__ import annotations

import base64
import shutil
import tempfile
import threading
import time
from html import escape
from pathlib import Path
from urllib.parse import quote

from playout.arena.standings import Standings
from playout.arena.store import Store
from playout.arena.tournament import Tally, Tournament, stored
from playout.cores import usable_cores
from playout.errors import PlayoutError
from playout.files import owned
from playout.report.arena_page import arena_page
from playout.studio.catalog import Catalog
from playout.studio.desk import USED_UP, Desk, Send, words_of

EVERY = 2.0
"""Seconds between two standings; ratings take a moment to be worked out."""
MOST_GAMES, MOST_AGENTS = 20_000, 12
LISTED = 300
"""Games in the list, the last ones."""
MOST_FILE = 20_000_000


class Stopped(Exception):
    """Somebody pressed stop."""


class ArenaDesk(Desk):
    """Works off the commands of the arena's page."""

    def __init__(self, catalog: Catalog, send: Send) -> None:
        super().__init__(catalog, send)
        self.stopping = False
        self.thread: threading.Thread | None = None
        self.file: Path | None = None
        self._folder = ""
        self._shown = self._spent = 0.0
        self.workers = max(1, usable_cores() - 1)
        self.commands = {
            "start": self.start,
            "stop": self.stop,
            "database": self.database,
            "keep": self.keep,
        }

    # commands

    def start(self, game: str, agents: list[str], games: int = 100, seed: int = 0, openings: int = 0) -> None:
        """A tournament between these agents."""
        from playout.arena.referee import Rules

        if self.thread is not None and self.thread.is_alive():
            raise PlayoutError("a tournament is going on already; stop it first")
        if not 2 <= len(agents) <= MOST_AGENTS:
            raise PlayoutError(f"{len(agents)} agents are given; give 2 to {MOST_AGENTS}, one on each line")
        if not 1 <= games <= MOST_GAMES:
            raise PlayoutError(f"games is {games}; give a number from 1 to {MOST_GAMES:,}")
        self.allowance.check()
        rules = self.catalog.game(game)
        for agent in agents:
            self.catalog.agent(agent, rules)
        self._clear()
        self._folder = tempfile.mkdtemp(prefix=owned("playout-studio-"))
        self.file = Path(self._folder) / f"{rules.name}.db"
        made = Tournament(
            rules,
            agents,
            games=games,
            seed=seed,
            rules=Rules(openings=openings, limit=min(60.0, self.catalog.limits.seconds)),
            file=self.file,
            workers=self.workers,
        )
        self.stopping = False
        self.thread = threading.Thread(target=self._run, args=(made,), daemon=True, name="playout studio arena")
        self.thread.start()

    def stop(self) -> None:
        """End the tournament; what was played stays."""
        self.stopping = True

    def database(self, number: int) -> None:
        """A file that was named on the command line."""
        if not isinstance(number, int) or not 0 <= number < len(self.catalog.databases):
            raise PlayoutError("there is no such file; name it on the command line: playout studio games.db")
        self.file = Path(self.catalog.databases[number])
        self._show(stored(self.file))
        self.send({"kind": "progress", "done": 1.0, "words": "", "going": False})

    def keep(self) -> None:
        """Hand over the file with all games, for playout arena and playout replay."""
        if self.file is None or not self.file.is_file():
            raise PlayoutError("no game was played yet")
        if self.file.stat().st_size > MOST_FILE:
            raise PlayoutError(f"the file has more than {MOST_FILE / 1e6:g} MB; copy it from {self.file}")
        data = base64.b64encode(self.file.read_bytes()).decode()
        self.send({"kind": "file", "name": self.file.name, "data": data})

    def _clear(self) -> None:
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    # the tournament

    def _run(self, tournament: Tournament) -> None:
        words = ""
        try:
            self.send({"kind": "progress", "done": 0.0, "words": "getting ready", "going": True})
            self._spent = time.monotonic()
            tournament.run(self._told)
        except Stopped:
            words = "stopped"
        except Exception as error:
            self.problem(words_of(error))
        try:
            if tournament.tally.done:
                self._show(tournament.standings())
        finally:
            tournament.close()
            done = tournament.tally.done
            self.send({"kind": "progress", "done": 1.0, "words": words or f"{done:,} games", "going": False})

    def _told(self, tally: Tally) -> None:
        """Now and then while games are played, in the thread of the tournament."""
        if self.stopping:
            raise Stopped
        now = time.monotonic()
        enough, self._spent = self.allowance.spend(self.workers * (now - self._spent)), now
        if not enough:
            self.problem(USED_UP)
            raise Stopped
        left = tally.seconds_left
        words = f"{tally.done:,} of {tally.wanted:,} games, {tally.per_second:.1f} a second" + (
            "" if left is None else f", {left:.0f} s left"
        )
        self.send({"kind": "progress", "done": tally.done / max(1, tally.wanted), "words": words, "going": True})
        if time.monotonic() - self._shown > EVERY and tally.done and self.file is not None and self.file.is_file():
            self._shown = time.monotonic()
            self._show(stored(self.file))

    def _show(self, found: Standings) -> None:
        if found.played:
            self.send({"kind": "standings", "page": arena_page(found, f"{found.game}: who is better?"), "games": self._games()})

    def _games(self) -> str:
        """The last games as a table with links to the board."""
        assert self.file is not None
        with Store(self.file) as store:
            experiment = store.experiment
            count = store.count()
            records = list(store.games())[-LISTED:]
        rows = []
        for record in reversed(records):
            names = ", ".join(experiment.labels[agent] for agent in record.seats)
            returns = ", ".join(f"{value:g}" for value in record.returns)
            moves = ",".join(str(move) for move in record.column("moves").tolist())
            moves += "," if "," not in moves else ""
            link = f"/?game={quote(experiment.game)}&seed={record.deal}&moves={quote(moves)}"
            rows.append(
                f"<tr><td class='num'><a href='{escape(link)}' target='_blank'>{record.number}</a></td><td>{escape(names)}</td>"
                f"<td class='num'>{escape(returns)}</td><td class='num'>{len(record.movers)}</td><td>{escape(record.ended)}</td></tr>"
            )
        more = f"<p class='quiet'>the last {len(records)} of {count:,}</p>" if count > len(records) else ""
        head = "<tr><th class='num'>game</th><th>seats</th><th class='num'>returns</th><th class='num'>actions</th><th>ended</th></tr>"
        return f"<table class='plain'><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>{more}"
