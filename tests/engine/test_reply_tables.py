"""Tables of replies: what matters to whom, answers between cells and beside jumps, chains of movers against a plain solution."""

import numpy as np
import pytest

from playout import Game, Search
from playout.engine.real import tables
from playout.engine.real.layout import MOST_CELLS, table_rows
from playout.errors import FileError, PlayoutError
from playout.planner import matters
from tests.engine.trees import same_bits

STAGES = 5
GRID = np.linspace(-1.0, 1.0, 401)


def chain(actions, out):
    """Whoever moves wants to be at its own place and near or far from the one before it, and is paid for what the next one does."""
    for stage in range(STAGES):
        own = actions[stage, 0]
        before = actions[stage - 1, 0] if stage > 0 else 0.0 * own
        after = actions[stage + 1, 0] if stage + 1 < STAGES else 0.0 * own
        out[stage] = np.sin(4.0 * own + 2.0 * before + stage) - own * own + own * after + 0.5 * np.sin(3.0 * after)


def made(payoffs=chain, stages=STAGES, players=STAGES, **words):
    fields = {"players": players, "stages": stages, "dimension": 1, "bounds": (-1.0, 1.0), "payoffs": payoffs, **words}
    return Game("chain", fields)


def worth(stage, before, own, replies):
    """What the mover of a stage gets, which only the next one's answer bears upon."""
    shape = np.broadcast_shapes(np.shape(before), np.shape(own))
    history, out = np.zeros((STAGES, 1, *shape)), np.zeros((STAGES, *shape))
    history[stage - 1, 0], history[stage, 0] = before, own
    if stage + 1 < STAGES:
        history[stage + 1, 0] = replies[stage + 1][np.round((np.asarray(own) + 1.0) * (len(GRID) - 1) / 2.0).astype(int)]
    chain(history, out)
    return out[stage]


def best_replies():
    """By stage, for every place of the action before it: by going backwards on a grid that shares nothing with the search."""
    replies = {}
    for stage in range(STAGES - 1, 0, -1):
        replies[stage] = GRID[np.argmax(worth(stage, GRID[:, None], GRID[None, :], replies), axis=1)]
    return replies


def test_what_matters_is_found_by_four_payoffs_each():
    assert matters.matters(made()) == (0, 1, 2, 4, 8)
    assert matters.tabled(made()) == "" and "at most 1 earlier action matters" in matters.what_matters(made())

    def remembers(actions, out):
        # The third mover is paid by the first action, so the second must foresee that; nobody cares for the second one's.
        out[0] = -actions[0, 0] * actions[0, 0]
        out[1] = actions[1, 0] * actions[2, 0] + 5.0 * actions[0, 0]
        out[2] = actions[0, 0] * actions[2, 0] - actions[1, 0]

    assert matters.matters(made(remembers, 3, 3)) == (0, 1, 1)


def test_what_is_not_for_tables_is_told():
    def moving(stage, actions, low, high):
        low[0], high[0] = -1.0, 1.0 + (0.1 * actions[0, 0] if stage > 0 else 0.0)

    def everything(actions, out):
        product = 1.0
        for stage in range(7):
            product = product * (1.5 + actions[stage, 0])
        for player in range(7):
            out[player] = product

    with pytest.raises(PlayoutError, match="method=tables is not for 'chain': its boxes move"):
        Search(made(bounds=moving), compiled=False, method="tables")
    with pytest.raises(PlayoutError, match="at most 6 earlier actions matter to a later mover, and tables have at most 3 sides"):
        Search(made(everything, 7, 7), compiled=False, method="tables")
    with pytest.raises(PlayoutError, match="an action has 3 numbers; pass method=widening"):
        Search("loss-3d", compiled=False, method="tables")
    with pytest.raises(PlayoutError, match="no box, or there is chance"):
        Search("quantum-line", compiled=False, method="tables")
    dense = Search(made(everything, 7, 7), compiled=False)
    assert dense.settings.method == "widening" and "grids" not in dense.auto


def test_a_decision_tells_that_replies_are_tabled():
    def six(actions, out):
        for player in range(6):
            out[player] = -actions[player, 0] * (actions[player, 0] - actions[player - 1, 0])

    search = Search(made(six, 6, 6), compiled=False)
    assert search.settings.method == "tables"
    assert search.auto.endswith("replies are solved on grids: at most 1 earlier action matters to a later mover")


def test_grids_grow_and_never_beyond_their_room():
    sizes = [[tables.points_at(level, sides) for level in range(tables.LEVELS)] for sides in range(4)]
    assert sizes == [[1] * 5, [16, 64, 256, 257, 257], [4, 8, 16, 32, 64], [2, 4, 6, 10, 16]]
    assert all(tables.cells_of(sizes[sides][-1], sides) <= MOST_CELLS for sides in range(4))
    # The last cell of the last stage is the last row.
    assert table_rows(3) == tables.FIRST_ROW + 2 * 3 + 2 * MOST_CELLS + MOST_CELLS


def test_tables_hold_the_best_replies_of_a_chain():
    search = Search(made(), compiled=False, seed=0, trees=1, method="tables", evaluations=2000.0)
    (x,) = search.run(simulations=8).action
    (tree,) = search.trees
    assert tree.tree.habits[tables.PROGRESS, 0] >= 1, "the second sweep is begun"
    replies, ask = best_replies(), tree.binding.kernel(tables.table_answer)
    for stage in range(1, STAGES):
        asked = np.zeros((STAGES, 1))
        off = []
        for before, best in zip(GRID[::7], replies[stage][::7], strict=True):
            asked[stage - 1, 0] = before
            off.append(abs(ask(tree.sim, 0, asked, 0, stage, False) - best))
        # Where answers jump, a cell may lie on the wrong side.
        assert np.median(off) < 0.01 and np.quantile(off, 0.85) < 0.05, (stage, off)
    values = worth(0, np.zeros(()), GRID, replies)
    assert values.max() - worth(0, np.zeros(()), np.array(x), replies) < 0.05 * np.ptp(values)


def test_evaluations_of_tables_are_counted_and_end():
    few, many = (
        Search(made(), compiled=False, seed=1, trees=1, method="tables", evaluations=each).run(simulations=20).evaluations
        for each in (40.0, 80.0)
    )
    # A cell is filled while anything is left, so the account may be overdrawn by one cell.
    assert 20 * 40 - 100 < many - few < 20 * 40 + 100


def test_a_jump_is_no_place_between_two_answers():
    def jumps(actions, out):
        x, y = actions[0, 0], actions[1, 0]
        out[0] = -x * x
        out[1] = (x - 0.013) * y - 1e-3 * y * y

    search = Search(made(jumps, 2, 2), compiled=False, seed=0, trees=1, method="tables", evaluations=400.0)
    search.run(simulations=8)
    (tree,) = search.trees
    sim = tree.sim
    points = int(sim.habits[tables.FIRST_ROW + 1, int(sim.habits[tables.FIRST_ROW + 2 + 1, 0])])
    asked = np.zeros((2, 1))
    for share in np.linspace(0.001, 0.999, 3 * points):
        asked[0, 0] = 2.0 * share - 1.0
        own, other = (tree.binding.kernel(tables.table_answer)(sim, 0, asked, 0, 1, which) for which in (False, True))
        assert abs(abs(own) - 1.0) < 1e-6 and abs(abs(other) - 1.0) < 1e-6
        low = np.floor(share * (points - 1)) * 2.0 / (points - 1) - 1.0
        apart = low < 0.013 < low + 2.0 / (points - 1)
        assert (own != other) == apart, asked
        assert apart or own == np.sign(asked[0, 0] - 0.013)


def test_saved_and_resumed_as_if_never_stopped(tmp_path):
    through = Search("loss-1d", compiled=False, seed=4, method="tables")
    through.run(simulations=30)
    through.run(simulations=20)
    stopped = Search("loss-1d", compiled=False, seed=4, method="tables")
    stopped.run(simulations=30)
    resumed = Search.load(stopped.save(tmp_path / "x.tree"), compiled=False)
    resumed.run(simulations=20)
    assert same_bits(through, resumed)
    assert resumed.trees[0].tree.habits[tables.PROGRESS].any()


@pytest.mark.parametrize(
    ("row", "column", "value", "words"),
    [
        (tables.PROGRESS, 0, 9, "at no stage"),
        (tables.PROGRESS, 1, 77, "at no stage"),
        (tables.PROGRESS, 1, 2.5, "not as any search leaves them"),
        (tables.PLACE, 0, 1e6, "at no cell"),
        (tables.FIRST_ROW + 2, 0, 255, "a size that none has"),
        (tables.FIRST_ROW + 3, 0, 2, "that it has not"),
        (tables.FIRST_ROW + 100, 1, np.nan, "is none"),
    ],
)
def test_a_damaged_table_is_refused(row, column, value, words, tmp_path):
    search = Search("loss-1d", compiled=False, seed=4, method="tables")
    search.run(simulations=4)
    search.trees[0].tree.habits[row, column] = value
    with pytest.raises(FileError, match=words):
        Search.load(search.save(tmp_path / "x.tree"), compiled=False)


def test_what_is_kept_after_a_move_begins_with_new_tables():
    game = made()
    search = Search(game, compiled=False, seed=0, trees=1, method="tables")
    action = search.run(simulations=30).action
    search.play(action)
    assert not search.trees[0].tree.habits.any()
    assert search.run(simulations=10).action is not None and search.trees[0].tree.habits.any()
