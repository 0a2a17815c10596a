"""Which settings play Root well: 108 searches against one, with either faction, and the best of them again on fresh deals.

python bench/root.py study                        one gauntlet, 100 games with each faction: 21,600; Ctrl-C, and the same command goes on
python bench/root.py study --rounds 10            a tenth of it; more rounds can follow in the same file
python bench/root.py confirm                      the five best of each faction on fresh deals, 400 games with each faction
python bench/root.py show --report root.html      what is there so far, in words and as a page

All search with c = 2 on the raw scale and uniform playouts; what varies is the budget, where playouts are cut off, what is counted as
reward, and which action is taken in the end. The best of 108 is partly luck, which is why the fresh deals decide. The deals of a round
are the same for all, so that agents differ by how they play and not by what they were dealt.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from playout.arena.columns import Columns, read_columns
from playout.arena.tournament import Tally, Tournament
from playout.intervals import wilson
from playout.report.parts import Column, figure, header, listed, scrolled, section, table, two
from playout.report.plots import dots
from playout.report.shell import shell, write_page
from playout.report.style import AGENTS_CSS

GAME, FACTIONS = "root", ("Marquise", "Eyrie")
FACTORS: dict[str, tuple[str, ...]] = {
    "simulations": ("50", "100", "200"),
    "cutoff": ("20", "100", "200", "off"),
    "reward": ("win", "difference", "positive"),
    "final": ("mean", "visits", "secure"),
}
ALIKE = "c=2,scale=raw,root_rule=ucb1,playout=uniform"
BASE = f"uct:simulations=100,cutoff=20,final=visits,{ALIKE}"
STUDY_SEED, FRESH_SEED = 1, 2
BEST, ROUNDS, FRESH_ROUNDS = 5, 100, 400


class Agent(NamedTuple):
    """One of the 108: a level of every factor."""

    levels: tuple[str, ...]

    @property
    def name(self) -> str:
        """The levels in words."""
        return " ".join(f"{factor}={level}" for factor, level in zip(FACTORS, self.levels))

    @property
    def spec(self) -> str:
        """As the arena reads it; the game's own reward is left out, since it is the usual one."""
        words = [f"{f}={level}" for f, level in zip(FACTORS, self.levels) if (f, level) != ("reward", "difference")]
        return f"uct:{','.join(words)},{ALIKE}"


AGENTS = [Agent(levels) for levels in product(*FACTORS.values())]


class Score(NamedTuple):
    """The games of one agent with one faction."""

    won: float
    games: int

    @property
    def share(self) -> float:
        return self.won / max(1, self.games)

    @property
    def words(self) -> str:
        low, high = wilson(self.won, self.games) if self.games else (0.0, 1.0)
        return f"{100 * self.share:.1f} % ({100 * low:.0f} to {100 * high:.0f})"


def tournament(agents: Sequence[Agent], rounds: int, seed: int, file: Path, workers: int | None) -> Tournament:
    """The agents against the base, so many rounds of one game with each faction."""
    specs = [BASE, *(agent.spec for agent in agents)]
    games = rounds * 2 * len(agents)
    return Tournament(GAME, specs, games=games, shape="gauntlet", seed=seed, file=file, workers=workers, fit=False, by="points")


def scores(columns: Columns, count: int) -> list[tuple[Score, Score]]:
    """Of every agent, with each faction."""

    def score(agent: int, faction: int) -> Score:
        here = columns.seats[:, faction] == agent
        return Score(float(columns.points[here, faction].sum()), int(here.sum()))

    return [(score(agent, 0), score(agent, 1)) for agent in range(1, count + 1)]


def play(made: Tournament) -> Columns:
    """Play what is missing, saying how far it is; what is there when somebody stops it."""
    told = 0.0

    def show(tally: Tally) -> None:
        nonlocal told
        if time.monotonic() - told > 10 or tally.done == tally.wanted:
            told = time.monotonic()
            left = "" if tally.seconds_left is None else f", about {tally.seconds_left / 60:.0f} min left"
            print(f"{tally.done:,} of {tally.wanted:,} games, {tally.per_second:.2f} a second{left}", file=sys.stderr, flush=True)

    try:
        made.run(show)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
    return read_columns(made.store.games(made.wanted), 2)


def best_of(found: list[tuple[Score, Score]], faction: int) -> list[int]:
    """The five with most points with a faction."""
    return sorted(range(len(AGENTS)), key=lambda place: (-found[place][faction].share, place))[:BEST]


def by_level(found: list[tuple[Score, Score]], factor: int, faction: int) -> dict[str, Score]:
    """All games of the agents that share a level."""
    levels: dict[str, Score] = {}
    for agent, score in zip(AGENTS, found):
        before, more = levels.get(agent.levels[factor], Score(0.0, 0)), score[faction]
        levels[agent.levels[factor]] = Score(before.won + more.won, before.games + more.games)
    return levels


def tell(found: list[tuple[Score, Score]], columns: Columns) -> None:
    """The study in words."""
    print(f"{len(columns):,} games against {BASE}, seed {STUDY_SEED}")
    if len(columns):
        print(
            f"the Marquise won {100 * columns.points[:, 0].mean():.1f} % of them, in {np.median(columns.length):.0f} actions (median)"
        )
    for faction, name in enumerate(FACTIONS):
        print(f"\n{name}")
        for factor, word in enumerate(FACTORS):
            print("  " + "; ".join(f"{word}={level} {score.words}" for level, score in by_level(found, factor, faction).items()))
        for place in best_of(found, faction):
            print(f"  {found[place][faction].words:22} {AGENTS[place].name}")


def tell_fresh(agents: list[int], found: list[tuple[Score, Score]], chosen: list[list[int]]) -> None:
    """What fresh deals say of the best."""
    print(f"\nfresh deals, seed {FRESH_SEED}")
    for faction, name in enumerate(FACTIONS):
        print(name)
        for place in chosen[faction]:
            print(f"  {found[agents.index(place)][faction].words:22} {AGENTS[place].name}")


def page(found: list[tuple[Score, Score]], columns: Columns) -> str:
    """The study as a page."""
    title = "Root: which settings search well"
    parts = []
    for faction, name in enumerate(FACTIONS):
        charts = [
            figure(
                f"{word}",
                "All games of the agents that share it; whiskers: 95 % interval.",
                _chart(by_level(found, factor, faction), word),
            )
            for factor, word in enumerate(FACTORS)
        ]
        order = sorted(range(len(AGENTS)), key=lambda place: -found[place][faction].share)
        rows: list[Column] = [("", "", [str(number + 1) for number in range(len(order))])]
        rows.append(("agent", "with its settings", [AGENTS[place].name for place in order]))
        rows.append(("points", "95 % interval", [found[place][faction].words for place in order]))
        rows.append(("games", "played", [f"{found[place][faction].games:,}" for place in order]))
        body = "".join(two(*charts[at : at + 2]) for at in range(0, len(charts), 2)) + listed(scrolled(table(rows)))
        parts.append(section(f"With the {name}", body))
    return shell(title, header(title, f"{len(columns):,} games against {BASE}, seed {STUDY_SEED}."), "\n".join(parts), AGENTS_CSS)


def _chart(levels: dict[str, Score], word: str) -> str:
    ends = [wilson(score.won, score.games) if score.games else (0.0, 1.0) for score in levels.values()]
    return dots(
        list(levels),
        [100 * score.share for score in levels.values()],
        [100 * low for low, _ in ends],
        [100 * high for _, high in ends],
        title=f"Points by {word}",
        label="points, %",
        level=50.0,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["study", "confirm", "show"])
    parser.add_argument("--rounds", type=int, help=f"games with each faction: {ROUNDS}, of confirm {FRESH_ROUNDS}")
    parser.add_argument("--folder", type=Path, default=Path("playout-arena"), help="where the games are kept")
    parser.add_argument("--workers", type=int, help="processes; one for each core")
    parser.add_argument("--report", type=Path, help="write a page with plots")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    files = options.folder / "root-study.db", options.folder / "root-fresh.db"
    studying = options.what == "study"
    if not studying and not files[0].exists():
        sys.exit(f"{files[0]} does not exist: there is no study to go by; play one with python bench/root.py study")
    # What is confirmed or shown goes by all rounds that there are.
    with tournament(
        AGENTS, options.rounds if studying and options.rounds else ROUNDS, STUDY_SEED, files[0], options.workers
    ) as made:
        columns = play(made) if studying else read_columns(made.store.games(made.wanted), 2)
    found = scores(columns, len(AGENTS))
    tell(found, columns)
    chosen = [best_of(found, faction) for faction in range(2)]
    agents = list(dict.fromkeys(chosen[0] + chosen[1]))
    if options.what == "confirm" or (options.what == "show" and files[1].exists()):
        fresh = options.rounds or FRESH_ROUNDS
        with tournament([AGENTS[place] for place in agents], fresh, FRESH_SEED, files[1], options.workers) as made:
            again = play(made) if options.what == "confirm" else read_columns(made.store.games(made.wanted), 2)
        tell_fresh(agents, scores(again, len(agents)), chosen)
    if options.report is not None:
        print(f"report written: {write_page(options.report, page(found, columns))}", file=sys.stderr)


if __name__ == "__main__":
    main()
