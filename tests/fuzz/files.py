"""Other files: arena databases, policies, states, fits."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import playout
from playout.agents import recipe
from playout.arena import Store, Tournament, stored
from playout.arena.export import export
from playout.arena.replay import game_of, states, verify
from playout.arena.store import COLUMNS, _checksum
from playout.arena.table import Table
from playout.cli.position import read_state
from playout.errors import PlayoutError
from playout.game.load import load
from playout.learning.learner import Learner, fitted
from playout.learning.policy import Policy
from playout.learning.settings import from_preset
from playout.learning.store import _binary, _text, load_policy
from playout.learning.store import _checksum as policy_checksum
from playout.planner import fit as fits
from playout.report.arena_page import write_arena_report
from tests.fuzz import harness
from tests.fuzz.harness import NUMBERS, Rng, as_json, changed, flipped, fuzzer, odd, one_of, upset

# arena

EXPERIMENTS = (
    ("tic-tac-toe", ("random", "random"), {"games": 8, "openings": 1}),
    ("pig", ("random", "random"), {"games": 6, "until": 0.9}),
    ("treasure", ("random", "random", "random"), {"games": 6}),
    ("scoundrel:deck=9S-5H-5D-3S-2C", ("random", "random"), {"games": 4}),
)


@cache
def database(kind: int) -> bytes:
    """An experiment's file with some games in it."""
    game, agents, options = EXPERIMENTS[kind]
    given: dict[str, Any] = dict(options)
    openings = given.pop("openings", 0)
    try:
        with harness.as_wanted(), tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "games.db"
            rules = playout.arena.Rules(openings=openings)
            with Tournament(game, list(agents), **given, rules=rules, engine="here", file=file, fit=False) as tournament:
                tournament.run()
            return file.read_bytes()
    except PlayoutError as error:
        raise AssertionError(f"the games that were to be damaged cannot be played: {error}") from error


def use_database(file: Path) -> None:
    """Look at an experiment in every way there is; each of them may refuse."""
    with contextlib.suppress(PlayoutError):
        standings = stored(file)
        msgspec.json.encode(standings.to_dict())
        write_arena_report(file.with_name("page.html"), standings, "page")
    with contextlib.suppress(PlayoutError), Store(file) as store:
        export(store, file.with_name("games.csv"))
        export(store, file.with_name("games.parquet"))
    with contextlib.suppress(PlayoutError), Store(file) as store:
        experiment = store.experiment
        rules = game_of(experiment)
        table = Table(rules)
        for record in store.games():
            verify(experiment, rules, table, record)
            list(states(rules, record))
    with contextlib.suppress(PlayoutError):
        with Store(file) as store:
            known = store.experiment
        specs = [agent.spec for agent in known.agents]
        given: dict[str, Any] = {"shape": known.shape, "seed": known.seed, "rules": known.rules, "fit": False}
        with Tournament(known.game, specs, games=10, engine="here", file=file, **given) as tournament:
            tournament.run()
            tournament.standings()


def _cell(rng: Rng, old: Any) -> Any:
    """What may stand in a cell of a database in place of another."""
    kind = int(rng.integers(5))
    if kind == 0 and isinstance(old, bytes):
        return flipped(rng, old)
    if kind == 1 and isinstance(old, str) and old[:1] in ("[", "{"):
        return as_json(changed(rng, json.loads(old))).decode("utf-8", "replace")
    if kind == 2 and isinstance(old, int):
        return old + int(rng.integers(-3, 4))
    value = odd(rng)
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        value = one_of(rng, NUMBERS[:11])
    if isinstance(value, str):
        value = value.encode("utf-8", "replace").decode()
    return (
        value
        if isinstance(value, int | float | str | bytes)
        else one_of(rng, (b"", b"\xff\xfe", "[]", "[null]", "[[1]]", "{}", ""))
    )


@fuzzer
def arena_cells(rng: Rng, folder: Path) -> None:
    """Cells of the games, under a checksum that fits; and what the experiment says of itself."""
    file = folder / "games.db"
    file.write_bytes(database(int(rng.integers(len(EXPERIMENTS)))))
    connection = sqlite3.connect(file)
    for _ in range(int(rng.integers(1, 3))):
        if rng.integers(3):
            rows = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM games").fetchall()
            row = list(one_of(rng, rows))
            number, at = row[0], int(rng.integers(len(row)))
            row[at] = _cell(rng, row[at])
            with contextlib.suppress(sqlite3.Error, OverflowError):
                marks = ", ".join(f"{name} = ?" for name in COLUMNS)
                connection.execute(
                    f"UPDATE games SET {marks}, checksum = ? WHERE number = ?", (*row, _checksum(tuple(row)), number)
                )
        else:
            table = one_of(rng, ("experiment", "experiment", "agents"))
            columns = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
            row = list(one_of(rng, connection.execute(f"SELECT * FROM {table}").fetchall()))
            at = int(rng.integers(len(row)))
            with contextlib.suppress(sqlite3.Error, OverflowError):
                connection.execute(f"UPDATE {table} SET {columns[at]} = ? WHERE {columns[0]} = ?", (_cell(rng, row[at]), row[0]))
        connection.commit()
    connection.close()
    use_database(file)


@fuzzer
def arena_bytes(rng: Rng, folder: Path) -> None:
    """A database changed as bytes."""
    file = folder / "games.db"
    file.write_bytes(flipped(rng, database(int(rng.integers(len(EXPERIMENTS))))))
    use_database(file)


# policies

POLICIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tic-tac-toe", {}),
    ("tic-tac-toe", {"opponent": "past", "refresh": 5, "past": 2}),
    ("mnk:m=3,n=3,k=3", {"values": "patterns"}),
)


@cache
def policy(kind: int, binary: bool) -> bytes:
    """A policy as a file."""
    game, settings = POLICIES[kind]
    with harness.as_wanted(), tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"p.{'npz' if binary else 'json'}"
        try:
            _small(game, settings).save(file)
        except PlayoutError as error:
            raise AssertionError(f"the policy that was to be damaged cannot be learned: {error}") from error
        return file.read_bytes()


@cache
def _learned(game: str, settings: str) -> Policy:
    rules = load(game)
    learner = Learner(rules, fitted(rules, from_preset("best", **json.loads(settings)), 20), compiled=False)
    learner.run(20)
    return Policy.of(learner, 20, 0.0)


def _small(game: str, settings: dict[str, Any]) -> Policy:
    return _learned(game, json.dumps(settings))


def use_policy(file: Path) -> None:
    """Ask a policy, let it play, search with it, and learn on."""
    found = load_policy(file)
    state = found.game.start()
    found.rate(state)
    recipe(f"policy:{file}", found.game).make(0).act(state)
    playout.Search(found.game, value=found, compiled=harness.COMPILED).run(simulations=5)
    if found.settings.opponent in ("self", "past", "random"):
        learner = Learner(found.game, found.settings, compiled=harness.COMPILED)
        found.pour(learner)
        learner.episode, learner.past = found.episodes, list(found.past)
        learner.set_counts(found.counts)
        learner.run(found.episodes + 2)


@fuzzer
def policy_bytes(rng: Rng, folder: Path) -> None:
    """A policy changed as bytes."""
    binary = bool(rng.integers(2))
    file = folder / f"p.{'npz' if binary else 'json'}"
    file.write_bytes(flipped(rng, policy(int(rng.integers(len(POLICIES))), binary)))
    use_policy(file)


@fuzzer
def policy_contents(rng: Rng, folder: Path) -> None:
    """A policy with other contents, under a checksum that fits."""
    kind, binary = int(rng.integers(len(POLICIES))), bool(rng.integers(2))
    with np.load(io.BytesIO(policy(kind, True))) as archive:
        arrays = dict(archive)
    head = json.loads(arrays.pop("meta").tobytes())
    if rng.integers(2):
        head = changed(rng, head, int(rng.integers(1, 3)))
    else:
        name = one_of(rng, list(arrays))
        arrays[name] = upset(rng, arrays[name])
    if isinstance(head, dict):
        with contextlib.suppress(ValueError, TypeError):
            head["checksum"] = policy_checksum(head, arrays)
    file = folder / f"p.{'npz' if binary else 'json'}"
    try:
        file.write_bytes(_binary(head, arrays) if binary else _text(head, arrays))
    except Exception:
        # What cannot be written so is written as it is.
        file.write_bytes(as_json(head))
    use_policy(file)


# states

STATES = (
    "tic-tac-toe",
    "connect-four",
    "othello",
    "kalah",
    "pig",
    "kuhn-poker",
    "scoundrel",
    "liars-dice",
    "stackelberg",
    "hex:size=4",
)


@fuzzer
def state_files(rng: Rng, folder: Path) -> None:
    """Saved positions: other fields, other kinds, numbers that do not fit, boards that cannot be."""
    game = load(one_of(rng, STATES))
    state = game.start(int(rng.integers(100)))
    for _ in range(int(rng.integers(6))):
        if state.over:
            break
        state = state.play(state.random(playout.game.stream.Stream(int(rng.integers(1000)))))
    data = json.loads(state.to_json())
    content = as_json(changed(rng, data, int(rng.integers(1, 4))))
    file = folder / "state.json"
    file.write_bytes(flipped(rng, content) if rng.integers(4) == 0 else content)
    found = read_state(game, file)
    str(found), repr(found), found.returns, found.svg()
    if not found.over:
        decision = playout.Search(game, compiled=harness.COMPILED, seed=1).run(found, simulations=5)
        decision.to_json()


# fits


@fuzzer
def fit_files(rng: Rng, folder: Path) -> None:
    """What `playout fit` keeps: a search goes on without it, and says so."""
    import os

    before = os.environ.get("PLAYOUT_DATA")
    os.environ["PLAYOUT_DATA"] = str(folder)
    try:
        game = load("tic-tac-toe")
        level = fits.Level(choice="c", settings={"c": 0.7}, games=10, result=0.6, dropped=None)
        found = fits.Fit(
            **{"game": game.spec, "digest": fits._digest(game), "settings": {"c": 0.7}, "when": "2026-01-01"},
            **{"budget": {"simulations": 100}, "unit": "points", "result": 0.6, "low": 0.5, "high": 0.7, "games": 100},
            **{"explored": 50, "tried": (level,), "seconds": 1.0, "seed": 0, "version": "0"},
        )
        file = fits.keep(found)
        content = changed(rng, json.loads(file.read_bytes()), int(rng.integers(1, 4)))
        file.write_bytes(flipped(rng, file.read_bytes()) if rng.integers(3) == 0 else as_json(content))
        playout.Search("tic-tac-toe", compiled=harness.COMPILED).run(simulations=2)
        found_again = next((one for one, _ in fits.kept(game)), None)
        if found_again is not None:
            _ = found_again.words, recipe("uct", game).name
            from rich.console import Console

            from playout.cli.fit import show_levels

            show_levels(Console(file=io.StringIO()), found_again)
    finally:
        os.environ.pop("PLAYOUT_DATA")
        if before is not None:
            os.environ["PLAYOUT_DATA"] = before


# comparisons


@fuzzer
def compare_files(rng: Rng, folder: Path) -> None:
    """The runs that `playout compare` keeps: other numbers, other kinds, and bytes."""
    from playout.truth.continuous import compare

    file = folder / "runs.db"
    run = compare.Run(
        **{"game": "stackelberg", "method": "widening", "simulations": 10, "seed": 0, "regret": (0.1, None)},
        **{"distance": 0.2, "seconds": 0.01, "evaluations": 40, "certified": True},
    )
    with compare.Store(file) as store:
        store.put("key", run)
    if rng.integers(3) == 0:
        file.write_bytes(flipped(rng, file.read_bytes()))
    else:
        connection = sqlite3.connect(file)
        with contextlib.suppress(sqlite3.Error, OverflowError):
            connection.execute("UPDATE runs SET run = ?", (_cell(rng, msgspec.json.encode(run).decode()),))
        connection.commit()
        connection.close()
    with compare.Store(file) as store:
        found = store.get("key", 2)
    if found is not None:
        compare.sum_up([found], (1.0, 1.0))
