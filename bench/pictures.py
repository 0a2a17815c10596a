"""Pictures of the bundled games: `python bench/pictures.py FOLDER [SEED]` writes one SVG for each, and a page with all of them.

Each is a state from the middle of a random game, as the player to act sees it; what can be clicked on there is said beside its name.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from playout import Stream, load
from playout.game.clicks import ways
from playout.game.load import bundled
from playout.game.state import State
from playout.report.boards import board
from playout.report.parts import header
from playout.report.shell import shell, write_page

MOST_MOVES = 400
CSS = """
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 30px; margin: 30px 0; --tall: 320px; }
figure { margin: 0; } figcaption { text-align: center; font-size: 0.9rem; margin-top: 8px; }
"""


def middle(spec: str, seed: int, share: float = 0.5) -> State:
    """A state that far into a game of random actions."""
    stream = Stream(seed)
    states = [load(spec).start(seed)]
    while not states[-1].over and len(states) < MOST_MOVES:
        states.append(states[-1].play(states[-1].random(stream)))
    return states[int(share * (len(states) - 1))]


def main(folder: Path, seed: int) -> int:
    """Write the pictures and the page; how many there are."""
    figures = []
    for name in bundled():
        state = middle(name, seed)
        viewer = state.mover if state.game.hidden else None
        picture = state.svg(viewer)
        if picture is None:
            continue
        write_page(folder / f"{name}.svg", picture)
        words = "real-valued actions"
        if not state.game.continuous:
            words = f"{len(ways(state, viewer))} of {len(state.legal)} actions by clicks"
        figures.append(f"<figure>{board(state, viewer)}<figcaption><b>{escape(name)}</b>, {words}</figcaption></figure>")
    head = header("The bundled games", f"Each from the middle of a random game (seed {seed}), as the player to act sees it.")
    write_page(folder / "index.html", shell("The bundled games", head, f'<div class="gallery">{"".join(figures)}</div>', CSS))
    return len(figures)


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "pictures")
    print(f"{main(target, int(sys.argv[2]) if len(sys.argv) > 2 else 1)} pictures in {target}")
