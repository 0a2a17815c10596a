"""Compile what many tests share, once, before they start: python -m tests.warm [not] [KIND], as `network`.

Without this, test workers that need the same kernels at the same time compile them side by side, each for itself. The machine code goes
to the cache that the tests read (PLAYOUT_CACHE). The games here are the canonical ones: a compiled test of anything that is not about
one particular game takes one of these, with these very parameters, since a game with another parameter is another game.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import playout

TESTS = Path(__file__).parent
ROWS, SOLITAIRE = str(TESTS / "engine" / "rows.py"), str(TESTS / "sketches" / "solitaire.py")


def search(game: str, **settings: Any) -> playout.Search:
    """A search from the start."""
    found = playout.Search(game, **settings)
    found.run(simulations=40)
    return found


def search_on(game: str) -> None:
    """A search that keeps its tree for the next move."""
    found = search(game)
    found.play(found.run(simulations=1).action)


def forms(game: str) -> None:
    """The rules as the checker compares and plays them."""
    from playout.checker import compare_forms

    compare_forms(playout.load(game), games=1)


def table(game: str) -> None:
    """What a match needs besides its agents."""
    from playout.arena.table import Table

    Table(playout.load(game)).prepare()


def many(game: str) -> None:
    """Positions searched side by side."""
    playout.search_many([playout.load(game).start()], simulations=20, device="cpu")


def patterns(game: str) -> None:
    """Episodes of a game that is too large for a table."""
    from playout.learning import Learner, from_preset
    from playout.learning.learner import fitted

    rules = playout.load(game)
    Learner(rules, fitted(rules, from_preset(values="patterns"), 20)).run(20)


def learn(game: str) -> None:
    """Learning, measuring what was learnt, and a search that uses it."""
    search(game, value=playout.learn(game, episodes=100).policy)


def network(game: str) -> None:
    """Self-play, training and playing with a network."""
    from playout.learning.network import learn_network

    learn_network(game, generations=1, abreast=2, decisions=2, simulations=2, rungs=0)


def equilibria() -> None:
    from playout.truth import METHODS, equilibrium, game_tree

    tree = game_tree("kuhn-poker")
    for method in METHODS:
        _ = equilibrium(tree, method, iterations=10).exploitability


def nested(game: str) -> None:
    from playout.truth import reference

    reference(game, closed=False)


def position(game: str) -> None:
    """A position solved by each method."""
    for method in ("proof-number", "alpha-beta"):
        playout.solve_position(playout.load(game).start(), method=method, nodes=1)


# The longest first, so that the last ones even out.
WORK: list[tuple[Callable[..., Any], tuple[str, ...], dict[str, Any]]] = [
    (forms, ("root",), {}),
    (search, ("loss-1d",), {}),
    (learn, ("tic-tac-toe",), {}),
    (network, ("tic-tac-toe",), {}),
    (nested, ("loss-1d",), {}),
    (equilibria, (), {}),
    (many, ("tic-tac-toe",), {}),
    (search, ("knockout-whist",), {}),
    (search_on, ("scoundrel",), {}),
    (search_on, ("leduc-poker",), {}),
    (search, ("kuhn-poker",), {}),
    (search_on, (SOLITAIRE,), {}),
    (search, (ROWS + ":dice=1",), {"observation_width": 1.0}),
    (search_on, ("tic-tac-toe",), {}),
    (patterns, ("mnk:m=7,n=7,k=4",), {}),
    (search, ("connect-four",), {}),
    (search_on, ("connect-four:columns=5,rows=4",), {}),
    (position, ("connect-four",), {}),
    (position, ("tic-tac-toe",), {}),
    (search_on, ("treasure",), {}),
    (search, ("pig:target=20",), {}),
    (search, (ROWS,), {}),
    (search, (ROWS,), {"discount": 0.8, "solver": False}),
    (search, (ROWS,), {"rave": 30.0}),
    (search, (ROWS + ":dice=1",), {}),
    (table, ("tic-tac-toe",), {}),
    (table, (SOLITAIRE,), {}),
]


def do(number: int) -> str:
    """One piece of work, and what it took."""
    function, words, settings = WORK[number]
    shown = " ".join([function.__name__, *(Path(word).name for word in words), *(f"{k}={v}" for k, v in settings.items())])
    began = time.perf_counter()
    try:
        function(*words, **settings)
    except Exception as error:
        # The tests will say more; what is not ready is compiled when they need it.
        return f"not ready: {shown}: {error}"
    return f"ready: {shown}, {time.perf_counter() - began:.1f} s"


def main(words: list[str]) -> int:
    """All of the work; or one kind; or, after `not`, all but that kind, which takes more than is installed yet."""
    without, kinds = words[:1] == ["not"], words[words[:1] == ["not"] :]
    chosen = [n for n, (function, _, _) in enumerate(WORK) if not kinds or (function.__name__ in kinds) != without]
    with ProcessPoolExecutor(2) as pool:
        for done in as_completed([pool.submit(do, number) for number in chosen]):
            print(done.result(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
