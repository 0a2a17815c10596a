"""Quantum line and quantum tic-tac-toe against a dictionary of boards, the classical games and the last mover's eigenproblem."""

from __future__ import annotations

from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest

from playout import Game, IllegalAction, PlayoutError, Stream, load
from playout.compile import bind
from playout.games import quantum_line, quantum_tic_tac_toe
from playout.games._quantum import OPEN, Graph
from tests.games.quantum_oracle import (
    best_last,
    last_forms,
    line_result,
    mean,
    numbers,
    random_actions,
    superposition,
    tic_tac_toe_result,
)

LINE, TIC_TAC_TOE = load("quantum-line"), load("quantum-tic-tac-toe")
RULES = {
    "quantum-line": (5, lambda ply: 1, line_result(3)),
    "quantum-tic-tac-toe": (9, lambda ply: 1 + ply % 2, tic_tac_toe_result),
}
GAMES = pytest.mark.parametrize("game", [LINE, TIC_TAC_TOE], ids=lambda game: game.name)


def payoffs(game: Game, actions: np.ndarray, compiled: bool = True) -> np.ndarray:
    out, scratch = np.zeros(2, actions.dtype), np.full(game.shape.scratch, np.nan, actions.dtype)
    bind(game, compiled).role("payoffs")(actions, out, scratch)
    return out


def gradient(game: Game, actions: np.ndarray, player: int, compiled: bool = True) -> np.ndarray:
    out, scratch = np.full(actions.shape, np.nan, actions.dtype), np.full(game.shape.scratch, np.nan, actions.dtype)
    bind(game, compiled).role("gradient")(actions, player, out, scratch)
    return out


def random_numbers(game: Game, seed: int) -> np.ndarray:
    return numbers(random_actions(seed, game.shape.stages, game.shape.dimension // 2))


def basis(game: Game, sites: tuple[int, ...]) -> np.ndarray:
    """Classical moves; what is left unplayed goes to site 0."""
    stages, dimension = game.shape.stages, game.shape.dimension
    rows = [sites[stage] if stage < len(sites) else 0 for stage in range(stages)]
    return numbers(np.eye(dimension // 2)[rows])


# The index


def test_boards_and_edges_of_tic_tac_toe():
    graph = quantum_tic_tac_toe.GRAPH
    ended = np.cumsum([0, *((graph.worth[graph.ply[t] : graph.ply[t + 1]] != OPEN).sum() for t in range(10))])
    support = [int(graph.ply[t + 1] - graph.ply[t] + ended[t]) for t in range(1, 10)]
    assert support == [9, 72, 252, 756, 1260, 1640, 1408, 1102, 958]
    assert len(graph.parent) == len(graph.site) == graph.first[-1] == 16_167


def test_tables_of_tic_tac_toe_stay_small_and_bigger_ones_are_refused():
    graph = quantum_tic_tac_toe.GRAPH
    assert sum(table.nbytes for table in (graph.ply, graph.first, graph.parent, graph.site, graph.worth)) < 1 << 16
    with pytest.raises(ValueError, match="16383 boards are too many for tables of 16 bits"):
        Graph(14, 13, lambda ply: 1, lambda board: None if sum(board) < 13 else 1.0)


@pytest.mark.parametrize("module", [quantum_line, quantum_tic_tac_toe], ids=lambda module: module.__name__)
def test_every_edge_is_a_classical_move_and_none_is_missing(module):
    graph = module.GRAPH
    _, mark, result = RULES[module.__name__.rpartition(".")[2].replace("_", "-")]
    for number, board in enumerate(graph.boards):
        worth = result(board)
        assert graph.worth[number] == (OPEN if worth is None else worth)
        for edge in range(graph.first[number], graph.first[number + 1]):
            before, site = graph.boards[graph.parent[edge]], graph.site[edge]
            ply = sum(map(bool, before))
            assert before[site] == 0 and result(before) is None and graph.ply[ply] <= graph.parent[edge] < graph.ply[ply + 1]
            assert board == (*before[:site], mark(ply), *before[site + 1 :])
    empty = [board.count(0) for number, board in enumerate(graph.boards) if graph.worth[number] == OPEN]
    assert sum(empty) == len(graph.parent) and len(set(graph.boards)) == len(graph.boards)


# The classical games inside


def classical(game: Game, sites: tuple[int, ...]) -> float:
    """The first player's result of classical moves; a move onto a taken site loses."""
    count, mark, result = RULES[game.name]
    board = (0,) * count
    for ply, site in enumerate(sites):
        if board[site]:
            return 1.0 if ply % 2 else -1.0
        board = (*board[:site], mark(ply), *board[site + 1 :])
        worth = result(board)
        if worth is not None:
            return worth
    raise AssertionError("the game is not over")


def test_all_classical_lines_of_the_line_board_and_all_illegal_ones():
    for sites in product(range(5), repeat=3):
        worth = classical(LINE, sites)
        assert payoffs(LINE, basis(LINE, sites), compiled=False).tolist() == [worth, -worth]


def test_the_first_player_wins_the_classical_line_board_from_the_centre_only():
    def value(sites):
        if len(sites) == 3:
            return classical(LINE, sites)
        free = [site for site in range(5) if site not in sites]
        return (max, min)[len(sites) % 2](value((*sites, site)) for site in free)

    assert [value((site,)) for site in range(5)] == [-1, -1, 1, -1, -1]


@pytest.mark.compiles
def test_classical_lines_of_tic_tac_toe():
    """Every edge is tested above; here random lines run through the payoffs, whatever is played after their end."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        sites = tuple(rng.permutation(9).tolist())
        worth = classical(TIC_TAC_TOE, sites)
        assert payoffs(TIC_TAC_TOE, basis(TIC_TAC_TOE, sites)).tolist() == [worth, -worth]


@pytest.mark.compiles
@pytest.mark.parametrize("sites", [(0, 0), (0, 4, 4), (0, 1, 3, 4, 8, 8), (0, 4, 8, 2, 6, 3, 5, 1, 1)])
def test_a_classical_move_onto_a_taken_site_loses_tic_tac_toe(sites):
    worth = 1.0 if len(sites) % 2 == 0 else -1.0
    assert classical(TIC_TAC_TOE, sites) == worth
    assert payoffs(TIC_TAC_TOE, basis(TIC_TAC_TOE, sites)).tolist() == [worth, -worth]


# Superpositions


@pytest.mark.compiles
@GAMES
def test_payoffs_are_those_of_the_dictionary(game):
    sites, mark, result = RULES[game.name]
    for seed in range(3):
        actions = random_actions(seed, game.shape.stages, sites)
        expected = mean(superposition(sites, mark, result, actions), result)
        assert payoffs(game, numbers(actions)) == pytest.approx([expected, -expected], abs=1e-13)


@pytest.mark.compiles
@GAMES
def test_compiled_equals_uncompiled(game):
    actions = random_numbers(game, 5)
    assert payoffs(game, actions).tolist() == payoffs(game, actions, compiled=False).tolist()


@pytest.mark.compiles
@GAMES
def test_lengths_and_phases_do_not_count(game):
    stages, dimension = game.shape.stages, game.shape.dimension
    actions = random_actions(6, stages, dimension // 2)
    turned = actions * (np.linspace(0.5, 3, stages) * np.exp(1j * np.arange(stages)))[:, None]
    assert payoffs(game, numbers(turned)) == pytest.approx(payoffs(game, numbers(actions)), abs=1e-12)


@pytest.mark.compiles
@GAMES
def test_the_last_movers_best_reply_is_the_eigenvector(game):
    sites, mark, result = RULES[game.name]
    last = game.shape.stages - 1
    for seed in range(4):
        actions = random_actions(seed, last + 1, sites)
        forms = last_forms(superposition(sites, mark, result, actions[:last]), mark(last), result)
        value, reply = best_last(*forms, 1)  # the first player moves last in both
        found = payoffs(game, numbers(np.array([*actions[:last], reply])))[0]
        assert found == pytest.approx(value, abs=1e-9)
        rng = np.random.default_rng(seed)
        for spread in [np.inf] * 20 + [1.0, 0.1, 0.01, 0.001] * 5:
            noise = rng.normal(size=sites) + 1j * rng.normal(size=sites)
            other = noise if spread == np.inf else reply + spread * noise
            other = other / np.linalg.norm(other)
            assert payoffs(game, numbers(np.array([*actions[:last], other])))[0] <= value + 1e-9


def last_value(opening, reply) -> float:
    result = line_result(3)
    return best_last(*last_forms(superposition(5, lambda ply: 1, result, [opening, reply]), 1, result), 1)[0]


def test_both_ends_at_once_save_the_second_player_from_the_centre():
    """Classically the centre wins. Against both ends in superposition the last reply that would win cancels, and half is left."""
    centre, ends = np.eye(5)[2], np.array([1, 0, 0, 0, 1]) / np.sqrt(2)
    assert last_value(centre, ends) == pytest.approx(0, abs=1e-12)
    found = payoffs(LINE, numbers(np.array([centre, ends, np.eye(5)[1]])), compiled=False)
    assert found == pytest.approx([0, 0], abs=1e-12)
    # The reply that would win, (b1, b2, 0, -b4, -b5), leaves nothing here: whoever plays it has annihilated the state ...
    assert payoffs(LINE, numbers(np.array([centre, ends, ends * [1, 1, 1, 1, -1]])), compiled=False).tolist() == [-1, 1]
    # ... and wins against every reply near by.
    near = np.add(ends, [0, 0.01, 0, 0.01, 0])
    near /= np.linalg.norm(near)
    winning = near * [1, 1, 0, -1, -1]
    winning /= np.linalg.norm(winning)
    assert last_value(centre, near) == pytest.approx(1, abs=1e-9)
    assert payoffs(LINE, numbers(np.array([centre, near, winning])), compiled=False)[0] == pytest.approx(1, abs=1e-9)


# Annihilation


@pytest.mark.parametrize(("share", "annihilated"), [(0.9e-9, True), (1.1e-9, False)])
def test_a_move_that_leaves_a_billionth_loses(share, annihilated):
    rest = np.sqrt(1 - share)
    second = np.sqrt(share) * np.eye(5)[0] + rest * np.eye(5)[2]
    actions = np.array([np.eye(5)[2], second, np.eye(5)[4]])  # loses for the first player if the state is still there
    assert payoffs(LINE, numbers(actions), compiled=False).tolist() == ([1, -1] if annihilated else [-1, 1])
    actions[2] = [0, 0.6, 0, 0, 0.8]
    assert (gradient(LINE, numbers(actions), 0, compiled=False) == 0).all() == annihilated


@pytest.mark.compiles
@GAMES
def test_interference_annihilates_too(game):
    """(e0 + e1)(e0 - e1) has nothing on any pair, where both place the same mark; where marks differ it keeps its weight."""
    actions = random_actions(1, game.shape.stages, game.shape.dimension // 2)
    unit = np.eye(game.shape.dimension // 2)
    actions[0], actions[1] = (unit[0] + unit[1]) / np.sqrt(2), (unit[0] - unit[1]) / np.sqrt(2)
    found = payoffs(game, numbers(actions)).tolist()
    assert (found == [1, -1]) == (game is LINE)


def test_an_action_of_length_zero_annihilates():
    actions = random_numbers(LINE, 1)
    actions[2] = 0
    assert payoffs(LINE, actions, compiled=False).tolist() == [-1, 1]


# Derivatives


@pytest.mark.compiles
@GAMES
@pytest.mark.parametrize("player", [0, 1])
def test_gradient_complex_step_and_differences_agree(game, player):
    actions = random_numbers(game, 11)
    own = gradient(game, actions, player)
    stepped, compared = np.zeros_like(own), np.zeros_like(own)
    for place in np.ndindex(own.shape):
        moved = actions.astype(np.complex128)
        moved[place] += 1e-30j
        stepped[place] = payoffs(game, moved)[player].imag / 1e-30
        for sign in (1, -1):
            shifted = actions.copy()
            shifted[place] += sign * 1e-5
            compared[place] += sign * payoffs(game, shifted)[player] / 2e-5
    assert abs(own).max() > 0.05
    assert own == pytest.approx(stepped, abs=1e-13)
    assert own == pytest.approx(compared, abs=1e-8)
    assert (own * actions).sum(axis=1) == pytest.approx(0, abs=1e-13)


@pytest.mark.compiles
def test_gradient_off_the_unit_sphere_and_uncompiled():
    actions = random_numbers(LINE, 12) * np.array([[0.5], [2.0], [3.0]])
    assert gradient(LINE, actions, 0) == pytest.approx(gradient(LINE, actions, 0, compiled=False), abs=1e-14)
    for place in ((0, 1), (1, 4), (2, 9)):
        moved = actions.astype(np.complex128)
        moved[place] += 1e-30j
        assert gradient(LINE, actions, 0)[place] == pytest.approx(payoffs(LINE, moved, compiled=False)[0].imag / 1e-30, abs=1e-13)


def test_second_derivatives_flow_through_the_gradient():
    actions = random_numbers(LINE, 13)
    moved = actions.astype(np.complex128)
    moved[1, 3] += 1e-30j
    second = gradient(LINE, moved, 0, compiled=False).imag / 1e-30
    up, down = actions.copy(), actions.copy()
    up[1, 3] += 1e-5
    down[1, 3] -= 1e-5
    differences = (gradient(LINE, up, 0, compiled=False) - gradient(LINE, down, 0, compiled=False)) / 2e-5
    assert abs(second).max() > 0.1 and second == pytest.approx(differences, abs=1e-7)


# Through the library


def test_a_game_through_states():
    state = LINE.start()
    for site in (2, 1, 3):
        assert not state.over
        state = state.play(numbers(np.eye(5)[site]).tolist())
    assert state.over and state.returns == (1, -1)
    with pytest.raises(
        IllegalAction, match="has the length 2, and an action of quantum-line has length 1; divide it by its length"
    ):
        LINE.start().play([2] + [0] * 9)


def test_parameters():
    game = load("quantum-line", sites=6, length=4)
    assert (game.shape.stages, game.shape.dimension, game.shape.movers) == (4, 12, (0, 1, 0, 1))
    for sites, worth in (((1, 2, 4, 3), 1), ((1, 2, 4, 5), -1)):
        assert payoffs(game, basis(game, sites), compiled=False)[0] == worth
    with pytest.raises(PlayoutError, match="parameter length=5 is out of range: on 5 sites at most 4 marks"):
        load("quantum-line", length=5)


def test_names_and_text():
    half = numbers(np.array([1j, 0, -1, 0, 0]) / np.sqrt(2))
    state = LINE.start()
    assert state.name(half) == "0.71 a + 0.71∠90° c" and state.name(numbers(np.eye(5)[3])) == "d"
    text = state.play(numbers(np.eye(5)[2])).play(half).draw()
    assert text.splitlines()[1].split() == ["mark", "1.00", "0.00", "1.00", "0.00", "0.00"]
    assert "last move: 0.71 a + 0.71∠90° c\nmove 3 of 3: the first player places" in text
    over = state.play(numbers(np.eye(5)[2])).play(half).play(numbers(np.eye(5)[1]))
    assert over.draw().endswith("the game is over: 1.0000 to the first player") and over.returns == (1, -1)
    lost = state.play(numbers(np.eye(5)[2])).play(numbers(np.eye(5)[2]))
    assert lost.draw().endswith("move 2 annihilated the state: the second player has lost")
    board = TIC_TAC_TOE.start().play(numbers(np.eye(9)[4])).play(numbers(np.eye(9)[[0, 8]].sum(axis=0) / np.sqrt(2)))
    assert board.draw().splitlines()[2].split() == ["O", "0.50", *["0.00"] * 7, "0.50"]


@GAMES
def test_pictures_are_svg_with_every_site(game):
    state, stream = game.start(), Stream(3)
    while not state.over:
        ElementTree.fromstring(state.svg())
        state = state.play(state.random(stream))
    text = state.svg()
    sites = [
        part.text for part in ElementTree.fromstring(text).iter() if part.tag.endswith("text") and part.text not in ("X", "O")
    ]
    assert len(sites) == game.shape.dimension // 2 + 1 and "nan" not in text
