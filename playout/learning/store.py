"""Policies on disk: readable JSON or a compact .npz, versioned, without pickle, written whole, believed only after a check.

Both carry the same checksum over the same content, so what was edited by hand or cut short is noticed.
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from playout.engine.learned import ENTRY
from playout.errors import FileError, PlayoutError
from playout.files import NotAsWritten, arrays_of, no_name, save
from playout.game.game import Game
from playout.game.load import load
from playout.learning.policy import Policy, fingerprint
from playout.learning.settings import Settings

FORMAT = "playout policy"
VERSION = 1
MOST_JSON = 1 << 29
MOST_BINARY = 1 << 33
MOST_META = 1 << 20
COLUMNS = ("key", "check", "value", "count")
AGAIN = "learn it again"

Array = np.ndarray[Any, Any]


# writing


def save_policy(policy: Policy, file: str | Path) -> Path:
    """Write a policy to one file, all of it or nothing; where it is too long to be read back as JSON, under the same name with .npz."""
    path = Path(file)
    head = _head(policy)
    arrays = {"entries": policy.entries, "weights": policy.weights, **{f"past_{i}": a for i, a in enumerate(policy.past)}}
    head["checksum"] = _checksum(head, arrays)
    text = b"" if path.suffix == ".npz" else _text(head, arrays)
    if len(text) > MOST_JSON:
        path = path.with_suffix(".npz")
    return save(path, text if path.suffix != ".npz" else _binary(head, arrays))


def _head(policy: Policy) -> dict[str, Any]:
    from playout import __version__

    return {
        "format": FORMAT,
        "version": VERSION,
        "playout": __version__,
        "game": policy.game.base,
        "parameters": policy.game.parameters,
        "spec": policy.game.spec,
        "fingerprint": fingerprint(policy.game),
        "rule": policy.settings.rule,
        "seed": policy.settings.seed,
        "episodes": policy.episodes,
        "target": policy.target,
        "settings": msgspec.to_builtins(policy.settings),
        "counts": policy.counts,
        "seconds": round(policy.seconds, 3),
        "entries": len(policy.entries),
        "weights": len(policy.weights),
        "past": len(policy.past),
        "curve": list(policy.curve),
    }


def _checksum(head: dict[str, Any], arrays: dict[str, Array]) -> str:
    told = {name: value for name, value in head.items() if name != "checksum"}
    hasher = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    for name in sorted(arrays):
        hasher.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return hasher.hexdigest()


def _binary(head: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    buffer = io.BytesIO()
    # Not compressed: what a part claims to hold can then never be more than the file is long.
    np.savez(buffer, meta=np.frombuffer(json.dumps(head).encode(), np.uint8), **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _text(head: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    """One line per value, so that people and `diff` can read it."""
    shown = json.dumps({name: value for name, value in head.items() if name != "curve"}, indent=1)[:-2]
    points = ",\n".join("  " + json.dumps(point) for point in head["curve"])
    parts = [shown, ',\n "curve": [\n', points, '\n ],\n "columns": ', json.dumps(_columns(head)), ',\n "table": [\n']
    parts += [_rows(arrays["entries"], arrays["weights"]), "\n ]"]
    for place in range(head["past"]):
        frozen = arrays[f"past_{place}"]
        table = (frozen, np.zeros(0)) if frozen.dtype == ENTRY else (np.zeros(0, ENTRY), frozen)
        parts += [f',\n "past_{place}": [\n', _rows(*table), "\n ]"]
    return "".join([*parts, "\n}\n"]).encode()


def _columns(head: dict[str, Any]) -> list[str]:
    return ["pattern", "weight"] if head["weights"] else list(COLUMNS)


def _rows(entries: Array, weights: Array) -> str:
    if len(weights):
        moved = np.flatnonzero(weights)
        return ",\n".join(f"  [{place}, {weight!r}]" for place, weight in zip(moved.tolist(), weights[moved].tolist()))
    # The shortest text that gives the same single-precision number again.
    values = [str(value) for value in entries["value"]]
    columns = zip(entries["key"].tolist(), entries["check"].tolist(), values, entries["count"].tolist())
    return ",\n".join(f'  ["{key:016x}", {check}, {value}, {count}]' for key, check, value, count in columns)


# reading


def load_policy(file: str | Path, game: Game | str | None = None) -> Policy:
    """Read a policy back; one of another game, version or board, or one that was changed, is refused with a sentence."""
    path = Path(file)
    head, arrays = _read(path)
    settings = _settings(path, head)
    rules = load(head["spec"] if game is None else game)
    if head["game"] != rules.base or head["parameters"] != rules.parameters:
        raise FileError(
            f"policy file {str(path)!r} is of {game_words(head['game'], head['parameters'])}, not of "
            f"{game_words(rules.base, rules.parameters)}; learn one for this game"
        )
    if _checksum(head, arrays) != head.get("checksum"):
        raise FileError(f"policy file {str(path)!r} was changed after it was written (its checksum does not fit); {AGAIN}")
    if head["fingerprint"] != fingerprint(rules):
        raise FileError(f"the rules of {rules.spec!r} have changed since policy file {str(path)!r} was written; {AGAIN}")
    _check_content(path, settings, arrays, rules)
    return Policy(
        game=rules,
        settings=settings,
        episodes=head["episodes"],
        target=head["target"],
        entries=arrays["entries"],
        weights=arrays["weights"],
        past=tuple(arrays[f"past_{i}"] for i in range(head["past"])),
        counts=head["counts"],
        seconds=head["seconds"],
        curve=tuple(head.get("curve", ())),
        file=str(path),
    )


def game_words(game: str, parameters: dict[str, Any]) -> str:
    """A game with its parameters, in words."""
    return game + (":" + ",".join(f"{name}={value}" for name, value in parameters.items()) if parameters else "")


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    try:
        size = path.stat().st_size
        if size == 0:
            raise FileError(f"policy file {str(path)!r} is empty; {AGAIN}")
        with path.open("rb") as stream:
            binary = stream.read(2) == b"PK"
        most = MOST_BINARY if binary else MOST_JSON
        if size > most:
            more = "" if binary else "; as .npz it may have 8 GB"
            raise FileError(f"policy file {str(path)!r} has {size / 1e9:.1f} GB, and at most {most / 1e9:.1f} are read{more}")
        return _read_binary(path) if binary else _read_text(path)
    except FileNotFoundError:
        raise FileError(f"policy file {str(path)!r} does not exist; make one with playout learn") from None
    except IsADirectoryError:
        raise FileError(f"policy file {str(path)!r} is a folder; give a file made by playout learn") from None
    except OSError as error:
        raise FileError(f"policy file {str(path)!r} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise no_name("policy file", path) from None


def _check_head(path: Path, head: Any) -> dict[str, Any]:
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise FileError(f"{str(path)!r} is not a policy file; make one with playout learn")
    if head.get("version") != VERSION:
        raise FileError(f"policy file {str(path)!r} has version {head.get('version')}, this playout reads {VERSION}; {AGAIN}")
    kinds = {
        "game": str,
        "spec": str,
        "parameters": dict,
        "fingerprint": str,
        "settings": dict,
        "counts": dict,
        "episodes": int,
        "target": int,
        "entries": int,
        "weights": int,
        "past": int,
        "seconds": int | float,
    }
    for name, kind in kinds.items():
        if not isinstance(head.get(name), kind):
            raise FileError(f"policy file {str(path)!r} is damaged: {name} is missing or of the wrong kind; {AGAIN}")
    if min(head[name] for name in ("episodes", "target", "entries", "weights", "past")) < 0 or head["past"] > 100:
        raise FileError(f"policy file {str(path)!r} is damaged: a count in it is impossible; {AGAIN}")
    curve = head.get("curve", [])
    if not isinstance(curve, list) or not all(isinstance(point, dict) for point in curve):
        raise FileError(f"policy file {str(path)!r} is damaged: its learning curve cannot be read; {AGAIN}")
    counts = head["counts"]
    if not set(counts) <= {"decisions", "collisions", "dropped"} or not all(isinstance(n, int) for n in counts.values()):
        raise FileError(f"policy file {str(path)!r} is damaged: its counts cannot be used; {AGAIN}")
    return head


def _settings(path: Path, head: dict[str, Any]) -> Settings:
    try:
        return msgspec.convert(head["settings"], Settings)
    except (msgspec.ValidationError, PlayoutError) as error:
        raise FileError(f"policy file {str(path)!r} is damaged: its settings cannot be used ({error}); {AGAIN}") from None


def _read_text(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    data = path.read_bytes()

    def refuse(word: str) -> Any:
        raise FileError(f"policy file {str(path)!r} holds {word}, which is no number; {AGAIN}")

    try:
        content = json.loads(data, parse_constant=refuse)
    except (ValueError, RecursionError):
        raise FileError(f"policy file {str(path)!r} is damaged or cut short: it is not JSON; {AGAIN}") from None
    if not isinstance(content, dict):
        raise FileError(f"{str(path)!r} is not a policy file; make one with playout learn")
    tables = {name: content.pop(name) for name in list(content) if name in ("table", "columns") or name.startswith("past_")}
    head = _check_head(path, content)
    try:
        arrays = _arrays(head, tables.get("table"))
        for place in range(head["past"]):
            rows = tables[f"past_{place}"]
            frozen = _arrays({**head, "entries": len(rows)}, rows)
            arrays[f"past_{place}"] = frozen["weights"] if head["weights"] else frozen["entries"]
    except _Wrong as error:
        raise FileError(f"policy file {str(path)!r} is damaged: {error}; {AGAIN}") from None
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        raise FileError(f"policy file {str(path)!r} is damaged: its table cannot be read; {AGAIN}") from None
    return head, arrays


class _Wrong(Exception):
    pass


def _arrays(head: dict[str, Any], rows: Any) -> dict[str, Array]:
    if not isinstance(rows, list):
        raise _Wrong("it has no table")
    if head["weights"]:
        if head["weights"] > MOST_JSON:
            raise _Wrong(f"it claims {head['weights']:,} weights")
        weights = np.zeros(head["weights"])
        for place, weight in rows:
            if place < 0:
                raise _Wrong(f"it has a weight at {place}")
            weights[place] = weight
        return {"entries": np.zeros(0, ENTRY), "weights": weights}
    if len(rows) != head["entries"]:
        raise _Wrong(f"it claims {head['entries']:,} values and has {len(rows):,}")
    entries = np.zeros(len(rows), ENTRY)
    if rows:
        key, check, value, count = zip(*rows, strict=True)
        entries["key"] = np.array([int(word, 16) for word in key], np.uint64)
        entries["check"], entries["count"] = np.array(check, np.uint32), np.array(count, np.uint32)
        entries["value"] = np.array(value, np.float32)
    return {"entries": entries, "weights": np.zeros(0)}


def _read_binary(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    damaged = f"policy file {str(path)!r} is damaged or cut short"
    try:
        with arrays_of(path, packed=False) as found:
            if "meta" not in found or found.length("meta") > MOST_META:
                raise FileError(f"{damaged}: it has no head; {AGAIN}")
            head = _check_head(path, json.loads(found["meta"].tobytes()))
            arrays = {name: found[name] for name in ("entries", "weights", *(f"past_{i}" for i in range(head["past"])))}
    except NotAsWritten as error:
        raise FileError(f"{damaged} ({error}); {AGAIN}") from None
    for name, array in arrays.items():
        wanted = ENTRY if name == "entries" or (name != "weights" and not head["weights"]) else np.dtype(np.float64)
        if array.dtype != wanted or array.ndim != 1:
            raise FileError(f"{damaged}: {name} is an array of another kind; {AGAIN}")
        length = {"entries": head["entries"], "weights": head["weights"]}.get(name, len(array))
        if len(array) != length:
            raise FileError(f"{damaged}: {name} has {len(array):,} of the {length:,} values that it claims; {AGAIN}")
    return head, arrays


def _check_content(path: Path, settings: Settings, arrays: dict[str, Array], game: Game) -> None:
    damaged = f"policy file {str(path)!r} is damaged"
    entries, weights = arrays["entries"], arrays["weights"]
    if not (np.isfinite(entries["value"]).all() and np.isfinite(weights).all()):
        raise FileError(f"{damaged}: a value in it is no finite number; {AGAIN}")
    if (entries["count"] == 0).any():
        raise FileError(f"{damaged}: a value in it was never updated; {AGAIN}")
    if len(weights) != (game.pattern_weights if settings.values == "patterns" else 0):
        raise FileError(
            f"{damaged}: it has {len(weights):,} weights and {game.name} has {game.pattern_weights:,} patterns; {AGAIN}"
        )
