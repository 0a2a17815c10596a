"""Pictures of the bundled games: `python bench/pictures.py FOLDER [SEED]` writes one SVG for each, and a page with all of them.

Each is a state from the middle of a random game, as the player to act sees it; what can be clicked on there is counted beside its name.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from playout import Stream, load
from playout.game.clicks import ways
from playout.game.load import bundled
from playout.game.state import State

MOST_MOVES = 400


def middle(spec: str, seed: int, share: float = 0.5) -> State:
    """A state that far into a game of random actions."""
    stream = Stream(seed)
    states = [load(spec).start(seed)]
    while not states[-1].over and len(states) < MOST_MOVES:
        states.append(states[-1].play(states[-1].random(stream)))
    return states[int(share * (len(states) - 1))]


def main(folder: Path, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    figures = []
    for name in bundled():
        state = middle(name, seed)
        picture = state.svg(state.mover)
        if picture is None:
            continue
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8")
        if state.game.continuous:
            continue
        clicks = f"{len(ways(state, state.mover))} of {len(state.legal)} actions by clicks"
        figures.append(f"<figure>{picture}<figcaption>{escape(name)}: {clicks}</figcaption></figure>")
    page = "<!doctype html><meta charset=utf-8><title>The bundled games</title><style>body{font:14px system-ui;display:flex;flex-wrap:wrap;gap:16px}figure{margin:0}</style>"
    (folder / "index.html").write_text(page + "\n".join(figures), encoding="utf-8")
    print(f"{len(figures)} pictures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "pictures"), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
