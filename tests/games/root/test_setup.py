"""Before the first turn."""

from tests.games.root.boards import EYRIE, MARQUISE, game, names, played, scores, warriors


def test_setup():
    state = game().start(seed=1)
    assert names(state) == ["keep in 1", "keep in 2", "keep in 3", "keep in 4"] and list(state.fields.sizes) == [3, 3]
    state = played(state, "keep in 1")
    assert warriors(state, 3) == (0, 6) and state.fields.buildings[3, 2] == 1
    assert [warriors(state, clearing)[MARQUISE] for clearing in range(1, 13)] == [1, 1, 0] + [1] * 9
    assert list(state.fields.supply) == [14, 14] and state.fields.lumber == 8
    assert names(state) == [f"build sawmill in {n}" for n in (1, 5, 9, 10)]
    state = played(state, "build sawmill in 1")
    assert names(state) == [f"build workshop in {n}" for n in (5, 9, 10)]
    state = played(state, "build workshop in 5", "build recruiter in 5")
    assert state.mover == EYRIE and names(state) == [
        f"leader {word}" for word in ("Builder", "Charismatic", "Commander", "Despot")
    ]
    assert scores(state) == (0, 0) and list(state.fields.built) == [1, 1, 1, 1]


def test_either_player_may_begin():
    turns = {int(game().start(seed=seed).fields.turn) for seed in range(20)}
    assert turns == {MARQUISE, EYRIE}


def test_every_corner():
    for corner, opposite, near in ((1, 3, (1, 5, 9, 10)), (2, 4, (2, 5, 6, 10)), (3, 1, (3, 6, 7, 11)), (4, 2, (4, 8, 9, 12))):
        state = played(game().start(seed=corner), f"keep in {corner}")
        assert warriors(state, opposite) == (0, 6) and names(state) == [f"build sawmill in {n}" for n in near]
