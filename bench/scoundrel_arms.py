"""Who is compared on Scoundrel, on which deals, and what came of it: `python bench/scoundrel.py compare` plays, `show` tells.

Every arm plays the same fresh deals, in files of so many deals each, which are what an interrupted run goes on with. A search with the
transformer plays many games side by side, so that its leaves fill a GPU. What a decision costs is measured apart, on one core.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from playout.arena.intervals import mean_interval
from playout.errors import PlayoutError
from playout.files import save
from playout.game.load import load
from playout.game.stream import TEACHER_GAMES, Stream, seed_word
from playout.intervals import wilson

GAME, SPAN = "scoundrel:reward=blend", 188
FRESH_SEED = 9_000
"""Of the deals that everybody is compared on."""
EACH = 50
"""Deals in a file."""
APART = 1_000_000
"""Deals from this number on are for what is not compared: compiling, and measuring time."""
SIMULATIONS = (100, 1000)
ALONE, RULE, REFERENCE = "transformer alone", "the rule alone", "ismcts, game's rule"
KINDS = {
    "ismcts, uniform playouts": "ismcts:simulations={n},playout=uniform",
    REFERENCE: "ismcts:simulations={n}",
    "ismcts, transformer at the root": "root",
    "ismcts, transformer as prior": "prior",
    "ismcts, transformer as value": "value",
    "ismcts, transformer as both": "both",
    "ismcts, transformer made small": "small",
    "peek (cheats)": "peek:simulations={n}",
}
"""What is compared at equal simulations: an agent, or the part of the transformer that a search uses."""
DEARER = (2000, 3000, 5000, 10_000)
"""Simulations of the reference for the comparison at equal time."""
BETWEEN = 300
"""Simulations with the small network that cost less than 1,000 of the reference."""
CHEAPER = (16, 32)
"""Simulations of searches with the transformer, for the same; and of the reference."""


class Arm(NamedTuple):
    """Who plays."""

    name: str
    spec: str
    """An agent; or "alone", "root", "prior", "value", "both": of the transformer; or "small": what it was made into."""
    simulations: int

    @property
    def neural(self) -> bool:
        return self.spec in ("alone", "root", "prior", "value", "both", "small")

    def file(self, network: Path | None) -> Path | None:
        """What it plays by: the transformer, or beside it the small network that it was made into."""
        return network if network is None or self.spec != "small" else network.with_suffix(".small")

    @property
    def batched(self) -> bool:
        """Whether leaves of many games are evaluated together."""
        return self.spec in ("prior", "value", "both")

    @property
    def key(self) -> str:
        """For a folder."""
        return "".join(c if c.isalnum() else "-" for c in self.name) + (f"-{self.simulations}" if self.simulations else "")

    @property
    def words(self) -> str:
        return self.name + (f", {self.simulations:,}" if self.simulations else "")


def arms() -> list[Arm]:
    """All that are compared."""
    found = [Arm(RULE, "rule", 0), Arm(ALONE, "alone", 0)]
    found += [Arm(kind, spec.format(n=n), n) for n in SIMULATIONS for kind, spec in KINDS.items()]
    found += [Arm("ismcts, transformer as both", "both", n) for n in CHEAPER]
    found += [Arm("ismcts, transformer as prior", "prior", n) for n in CHEAPER]
    found += [Arm("ismcts, transformer at the root", "root", n) for n in DEARER]
    found += [Arm("ismcts, transformer made small", "small", n) for n in (BETWEEN, *DEARER)]
    found += [Arm(REFERENCE, KINDS[REFERENCE].format(n=n), n) for n in (*CHEAPER, *DEARER)]
    return found


def chosen(words: Sequence[str] | None) -> list[Arm]:
    """The arms whose names hold one of these words, or all."""
    found = [arm for arm in arms() if not words or any(word.lower() in arm.words.lower() for word in words)]
    if not found:
        raise PlayoutError(f"no arm is called {' or '.join(words or ())}; there are: {'; '.join(arm.words for arm in arms())}")
    return found


def fresh_deals(count: int, first: int = 0) -> list[int]:
    """Deals that nobody has learned from; the same for all."""
    return [seed_word(FRESH_SEED, TEACHER_GAMES, number) >> 2 for number in range(first, first + count)]


# playing


class Player:
    """Plays deals for an arm in this process."""

    def __init__(self, arm: Arm, network: Path | None, device: str, threads: int = 1) -> None:
        self.arm, self.game, self.network = arm, load(GAME), None
        if arm.neural and arm.spec not in ("root", "small"):
            from playout.learning.network import Network

            self.network = Network.load(network, self.game, device=device, threads=threads)
        else:
            from playout.agents import recipe

            own = {
                "root": f"network:{network},use=root,simulations={arm.simulations},device={device}",
                "small": f"ismcts:value={arm.file(network)},simulations={arm.simulations}",
            }
            self.recipe = recipe(own.get(arm.spec, arm.spec), self.game, fit=False)
            self.recipe.prepare()

    def play(self, deals: Sequence[int], abreast: int = 128) -> tuple[list[float], int]:
        """What every deal brought, and how many decisions there were."""
        if self.arm.spec == "alone":
            from playout.learning.network.pupil import policy_plays

            course = policy_plays(self.network, deals)
        elif self.arm.batched:
            course = self._searched(deals, abreast)
        else:
            return self._refereed(deals)
        from playout.learning.network.taught import lived

        found = lived(self.game, course.deals, course.actions)
        return found.ended.returns[:, 0].tolist(), int((found.counts > 1).sum())

    def decide(self, states: Sequence[Any]) -> None:
        """A decision in each of some states, begun anew: for the clock."""
        from playout.agents import ask_quickly

        if self.arm.spec == "alone":
            for state in states:
                self.network.look(state)
            return
        for number, state in enumerate(states):
            seen = state if not self.arm.batched and self.recipe.peeks else state.world(0, Stream(number))
            if self.arm.batched:
                self._search(number).choose(seen, simulations=self.arm.simulations)
            else:
                ask_quickly(self.recipe.make(number), seen)

    def _search(self, seed: int) -> Any:
        import msgspec

        from playout.learning.network.advice import advice
        from playout.planner.search import Search

        return Search(self.game, msgspec.structs.replace(self.settings, seed=seed), evaluator=advice(self.network, self.arm.spec))

    @property
    def settings(self) -> Any:
        """Of a search with the transformer: those that the agent network:FILE has."""
        from playout.agents.network_agent import batch_for
        from playout.planner.settings import Budget, Settings

        rule, batch = "ucb1" if self.arm.spec == "value" else "puct", batch_for(Budget(simulations=self.arm.simulations))
        return Settings(trees=1, hidden="ismcts", rule=rule, batch=batch)

    def _searched(self, deals: Sequence[int], abreast: int) -> Any:
        from playout.learning.network.advice import advice
        from playout.learning.network.pupil import search_plays

        told = advice(self.network, self.arm.spec)
        return search_plays(self.game, told, deals, self.arm.simulations, self.settings, abreast)[0]

    def _refereed(self, deals: Sequence[int]) -> tuple[list[float], int]:
        from playout.agents import Seats, ask_quickly
        from playout.arena.table import Table

        table, found, decisions = Table(self.game), [], 0
        for deal in deals:
            agent = self.recipe.make(seed_word(deal, 1) >> 2)
            seats = Seats([agent], Stream(seed_word(deal, 2) >> 2), peeking=[self.recipe.peeks])
            table.begin(deal)
            while table.mover >= 0:
                action = table.legal[0]
                if len(table.legal) > 1:
                    action = ask_quickly(agent, seats.shown(0, table.world, table.truth))[0]
                    decisions += 1
                before = table.state if seats.attentive else None
                table.play(action)
                if before is not None:
                    seats.told(before, action, table.state)
            found.append(table.returns[0])
        return found, decisions


_player: Player | None = None


def _play(arm: Arm, network: Path | None, device: str, deals: list[int], file: Path) -> Path:
    """One file of an arm, in whatever process; a process keeps its player as long as it plays the same arm."""
    global _player
    if _player is None or _player.arm != arm:
        _player = Player(arm, network, device)
    began = time.process_time()
    returns, decisions = _player.play(deals)
    told = {"arm": arm.words, "deals": deals, "returns": returns, "decisions": decisions, "cpu": time.process_time() - began}
    if arm.neural:
        told["network"] = mark_of(arm.file(network))
    save(file, json.dumps(told).encode())
    return file


def mark_of(network: Path | None) -> str:
    """Which weights played."""
    from playout.learning.network import read_head

    assert network is not None
    return hashlib.sha256(network.read_bytes()).hexdigest() if network.suffix == ".small" else read_head(network).checksum


def compare(
    folder: Path,
    wanted: Sequence[Arm],
    network: Path | None,
    device: str,
    deals: int,
    workers: int,
    minutes: float | None,
    say: Callable[[str], None],
) -> bool:
    """Play what is missing; whether all is there."""
    began, tasks = time.monotonic(), []
    late = float("inf") if minutes is None else began + 60 * minutes
    for arm in wanted:
        if arm.neural and not _made(arm, network):
            missing = "none in the folder" if network is None else f"no {arm.file(network)}"
            raise PlayoutError(
                f"{arm.words} needs the transformer, and there is {missing}; train it first (and embed it), or leave it out with --arms"
            )
        for first in range(0, deals, EACH):
            part = fresh_deals(min(EACH, deals - first), first)
            file = folder / arm.key / f"{first:06d}.json"
            if not _there(file, arm, part, network):
                file.parent.mkdir(parents=True, exist_ok=True)
                tasks.append((arm, network, device, part, file))
    if not tasks:
        return True
    say(f"{len(tasks)} files of up to {EACH} deals to play")
    # Compiled here, once: the others find it on the disk.
    for arm in {task[0].spec.partition(":")[0]: task[0] for task in tasks}.values():
        few = arm._replace(simulations=min(arm.simulations, 2)) if arm.batched else arm
        Player(few, network, "cpu").play(fresh_deals(1, APART), 1)
    done, left = 0, list(reversed(tasks))
    with ProcessPoolExecutor(min(workers, len(tasks)), multiprocessing.get_context("spawn")) as pool:
        going = {}
        while left or going:
            while left and len(going) < workers and time.monotonic() < late:
                task = left.pop()
                going[pool.submit(_play, *task)] = task
            if not going:
                return False
            future = next(as_completed(going))
            task = going.pop(future)
            future.result()
            done += 1
            say(f"{done} of {len(tasks)} files, {time.monotonic() - began:.0f} s; {task[0].words}")
    return True


def _made(arm: Arm, network: Path | None) -> bool:
    """Whether there is what the arm plays by."""
    file = arm.file(network)
    return file is not None and file.exists()


def _there(file: Path, arm: Arm, deals: list[int], network: Path | None) -> bool:
    """Whether a file is there: of these deals, and of these weights."""
    try:
        told = json.loads(file.read_text())
        return told["deals"] == deals and (not arm.neural or told["network"] == mark_of(arm.file(network)))
    except (OSError, ValueError, KeyError):
        return False


# what came of it


class Result(NamedTuple):
    """An arm on its deals."""

    arm: Arm
    returns: dict[int, float]
    ms: float | None
    """Milliseconds of one core for a decision, where it was measured."""

    @property
    def wins(self) -> int:
        return sum(value > 0 for value in self.returns.values())

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.wins, len(self.returns))

    @property
    def score(self) -> float:
        """On average."""
        return float(np.mean([SPAN * (value - (value > 0)) for value in self.returns.values()]))

    def ahead(self, other: Result) -> tuple[int, float, float, float] | None:
        """(deals, how much oftener it wins, from, to) on the deals that both have played: 95 %, paired."""
        both = self.returns.keys() & other.returns.keys()
        if len(both) < 2:
            return None
        gaps = np.array([float(self.returns[deal] > 0) - float(other.returns[deal] > 0) for deal in sorted(both)])
        low, high = mean_interval(gaps)[-2:]
        return len(both), float(gaps.mean()), float(low), float(high)


def results(folder: Path, network: Path | None = None, say: Callable[[str], None] = lambda words: None) -> list[Result]:
    """All that was played and measured; of searches with a network what was played with this one, where it is there."""
    costs = json.loads((folder / "costs.json").read_text()) if (folder / "costs.json").exists() else {}
    found = []
    for arm in arms():
        returns: dict[int, float] = {}
        mark, others = mark_of(arm.file(network)) if arm.neural and _made(arm, network) else "", 0
        for file in sorted((folder / arm.key).glob("*.json")):
            told = json.loads(file.read_text())
            if mark and told.get("network") != mark:
                others += 1
                continue
            returns.update(zip(told["deals"], told["returns"], strict=True))
        if others:
            say(f"{arm.words}: {others} files were played with other weights and are left out; compare plays them anew")
        if returns:
            found.append(Result(arm, returns, costs.get(arm.words, {}).get("ms")))
    return found


def measure(folder: Path, wanted: Sequence[Arm], network: Path | None, say: Callable[[str], None]) -> None:
    """What a decision costs one core, over all decisions of a dozen deals, of a dear search over some of them."""
    file = folder / "costs.json"
    costs = json.loads(file.read_text()) if file.exists() else {}
    folder.mkdir(parents=True, exist_ok=True)
    states = some_states()
    for arm in wanted:
        if arm.neural and not _made(arm, network):
            say(f"{arm.words}: not measured, since its network is not there")
            continue
        player = Player(arm, network, "cpu")
        player.decide(states[:1])
        part = states[:: max(1, len(states) * arm.simulations // 10_000)] if arm.batched else states
        began = time.process_time()
        player.decide(part)
        ms = 1000 * (time.process_time() - began) / len(part)
        costs[arm.words] = {"ms": ms, "decisions": len(part)}
        say(f"{arm.words}: {ms:.2f} ms a decision ({len(part):,} decisions)")
        save(file, json.dumps(costs, indent=1).encode())


def some_states() -> list[Any]:
    """All decisions of some deals that a search plays."""
    player, found = Player(Arm("", "ismcts:simulations=200", 200), None, "cpu"), []
    agent = player.recipe.make(0)
    for deal in fresh_deals(12, APART):
        state = player.game.start(deal)
        while not state.over:
            if len(state.legal) > 1:
                found.append(state)
            state = state.play(agent.act(state.world(0, Stream(deal))))
    return found


def table(found: Sequence[Result]) -> list[str]:
    """What was found, in lines."""
    by_name = {(one.arm.name, one.arm.simulations): one for one in found}
    lines = [
        "| who | simulations | wins | deals | mean score | CPU ms a decision | wins more than the game's rule at equal simulations |"
    ]
    lines.append("|---|--:|--:|--:|--:|--:|--:|")
    for one in found:
        low, high = one.interval
        other = by_name.get((REFERENCE, one.arm.simulations))
        gap = None if other is None or other is one else one.ahead(other)
        told = "" if gap is None else f"{100 * gap[1]:+.1f} ({100 * gap[2]:+.1f} to {100 * gap[3]:+.1f}), {gap[0]:,} deals"
        lines.append(
            f"| {one.arm.name} | {one.arm.simulations or ''} | {100 * one.wins / len(one.returns):.1f} % ({100 * low:.1f} to {100 * high:.1f}) | "
            f"{len(one.returns):,} | {one.score:.1f} | {'' if one.ms is None else f'{one.ms:.1f}'} | {told} |"
        )
    return lines


def at_equal_time(found: Sequence[Result]) -> list[str]:
    """Whoever uses the transformer beside the cheapest reference that costs at least as much, or the dearest there is."""
    known = sorted((one for one in found if one.arm.name == REFERENCE and one.ms is not None), key=lambda one: one.ms or 0.0)
    lines = []
    for one in found:
        if not one.arm.neural or one.ms is None or not known:
            continue
        other = next((ref for ref in known if (ref.ms or 0) >= one.ms), known[-1])
        gap = one.ahead(other)
        if gap is not None:
            lines.append(
                f"{one.arm.words} ({one.ms:.1f} ms) less {other.arm.words} ({other.ms:.1f} ms): {100 * gap[1]:+.1f} points of wins "
                f"({100 * gap[2]:+.1f} to {100 * gap[3]:+.1f}), {gap[0]:,} deals"
            )
    return lines


def said(words: str) -> None:
    print(words, file=sys.stderr, flush=True)
