"""A teacher in many games at once says what it says in one at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from playout.compile.devices import Cores
from playout.errors import PlayoutError
from playout.learning.network.imitate import Teacher
from playout.learning.network.lecture import lectures, selfplay_data
from playout.learning.network.taught import rows_taught
from playout.learning.network.teach import teach
from tests.arena.test_abreast import SOLITAIRE, WHIST, uncompiled


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("tic-tac-toe", "uct:simulations=24"),
        ("pig:target=12", "uct:simulations=10,rule=puct"),
        ("nim", "uct:simulations=14"),
        ("tic-tac-toe", "uct:simulations=24,root_rule=halving"),
        # Something is hidden; and where there is one legal action the teacher is shown nothing.
        ("leduc-poker", "ismcts:simulations=20"),
        (WHIST, "ismcts:simulations=30"),
        (SOLITAIRE, "ismcts:simulations=20"),
    ],
)
def test_what_is_said_is_what_one_by_one_is_said(game: str, agent: str) -> None:
    """Shares, values, proofs and ends, to the last bit."""
    from playout.game.load import load

    teacher = Teacher(load(game), agent, 3, 5, compiled=False)
    teacher.recipe = uncompiled(teacher.recipe)
    found = dict(pair for part in lectures(teacher, Cores(1), range(3)) for pair in part)
    rows = rows_taught(teacher.game, [found[number] for number in range(3)], False)
    assert rows.tobytes() == rows_taught(teacher.game, [teacher.play(number) for number in range(3)], False).tobytes()


def test_rows_have_what_a_learner_needs() -> None:
    rows = selfplay_data("tic-tac-toe", "uct:simulations=16", games=3, device="cpu", seed=2, compiled=False)
    assert len(rows) >= 3 * 4 and np.allclose(rows["shares"].sum(axis=1), 1)
    assert set(np.unique(rows["returns"])) <= {-1.0, 0.0, 1.0} and (np.abs(rows["values"]) <= 1).all()
    again = selfplay_data("tic-tac-toe", "uct:simulations=16", games=3, device="cpu", seed=2, compiled=False)
    assert rows.tobytes() == again.tobytes()


@pytest.mark.compiles
def test_files_made_side_by_side_are_the_same(tmp_path: Path) -> None:
    given = {"games": 7, "each": 3, "seed": 4}
    whole = teach("tic-tac-toe", "uct:simulations=60", folder=tmp_path / "a", **given)
    teach("tic-tac-toe", "uct:simulations=60", folder=tmp_path / "b", device="cpu", games=3, each=3, seed=4)
    parts = teach("tic-tac-toe", "uct:simulations=60", folder=tmp_path / "b", device="cpu", **given)
    assert (parts.files, parts.wanted, parts.games) == (3, 3, 4) and whole.games == 7
    files = [{file.name: file.read_bytes() for file in (tmp_path / name).glob("*.npz")} for name in "ab"]
    assert files[0] == files[1] and len(files[0]) == 3


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match="games is 0; give a whole number, 1 or more"):
        selfplay_data("nim", "uct:simulations=5", games=0)
    with pytest.raises(PlayoutError, match="teacher is 'random', which does not search: leave device out"):
        selfplay_data("nim", "random", games=1, device="cpu", compiled=False)
    with pytest.raises(
        PlayoutError, match="device=cpu plays the teacher's own games in one process; leave course and workers out"
    ):
        teach("nim", "random", folder=tmp_path, games=1, workers=2, device="cpu", compiled=False)


def test_after_a_race_what_speaks_for_an_action_is_learned_and_not_how_long_it_was_in_it() -> None:
    """The last two of a race have equal visits, whatever they brought."""
    rows = selfplay_data("pig:target=12", "uct:simulations=40,root_rule=halving", games=6, device="cpu", seed=3, compiled=False)
    two = rows[rows["count"] == 2]
    apart = np.abs(two["shares"][:, 0] - two["shares"][:, 1])
    assert len(two) > 10 and (apart > 0.2).mean() > 0.3 and len(np.unique(apart)) > 5
