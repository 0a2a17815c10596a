"""Whole games as arrays: known counts, probabilities, keys, and sentences for games that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from playout import PlayoutError, load
from playout.errors import GameError
from playout.truth import Tree, game_tree
from playout.truth.imperfect.tree import CHANCE, END
from tests.truth import games


@pytest.fixture(scope="module")
def kuhn() -> Tree:
    return game_tree("kuhn-poker")


@pytest.mark.parametrize(
    "game, histories, info_sets, ends",
    [
        ("kuhn-poker", 55, 12, 30),  # OpenSpiel: 58 histories, where the two cards are two chance nodes
        ("leduc-poker", 9451, 936, 5520),  # OpenSpiel: 9457 and 936
        ("liars-dice:faces=2", 1 + 4 * (1 + 15 + 15), 2 * 16, 4 * 15),  # 15 rising rows of bids, each can be doubted
        ("nim:heaps=1-2", 12, 7, 5),
    ],
)
def test_counts(game: str, histories: int, info_sets: int, ends: int) -> None:
    tree = game_tree(game)
    assert (tree.histories, len(tree.info_sets), int((tree.arrays.mover == END).sum())) == (histories, info_sets, ends)


def test_every_history_is_there_with_its_probability(kuhn: Tree) -> None:
    mover, first, width, chance, info, payoff, offset = kuhn.arrays
    assert mover[0] == CHANCE and width[0] == 6 and chance[1:7] == pytest.approx(1 / 6)
    children = np.concatenate([np.arange(first[n], first[n] + width[n]) for n in range(kuhn.histories)])
    assert sorted(children) == list(range(1, kuhn.histories))  # each but the first is the child of exactly one
    assert (first[width > 0] > np.flatnonzero(width > 0)).all()
    assert ((info >= 0) == (mover < CHANCE)).all() and sorted(set(payoff[mover == END])) == [-2, -1, 1, 2]
    assert offset.tolist() == list(range(0, 26, 2)) and kuhn.slots == 24 and kuhn.deepest == 4 and kuhn.widest == 2


def test_an_information_set_is_what_its_player_sees(kuhn: Tree) -> None:
    for player in (0, 1):
        mine = [known for known in kuhn.info_sets if known.player == player]
        assert len({known.state.observed(player) for known in mine}) == len(mine) == 6
    assert len(kuhn.by_key) == 12 and all(len(key) == 16 for key in kuhn.by_key)
    assert [known.key for known in game_tree("kuhn-poker").info_sets] == [known.key for known in kuhn.info_sets]
    assert "who sees" in str(kuhn.info_sets[0]) and repr(kuhn) == "<tree of kuhn-poker: 55 histories, 12 information sets>"


def test_equal_outcomes_of_chance_are_one() -> None:
    two = game_tree("liars-dice:dice=2,faces=2", most=100_000)
    assert two.arrays.width[0] == 9  # three hands each: 1-1, 1-2 (twice as likely), 2-2
    assert sorted(two.arrays.chance[1:10] * 16) == pytest.approx([1, 1, 1, 1, 2, 2, 2, 2, 4])


def test_hidden_choices_are_one_information_set() -> None:
    tree = game_tree(games.ROCK)
    assert [len(known.actions) for known in tree.info_sets] == [3, 3] and tree.histories == 1 + 3 + 9


def test_nobody_forgets_its_own_actions() -> None:
    """Leduc's observation has the whole line; here it has nothing at all, and still the own actions are told apart."""
    lonely = games.matrix_game(
        "lonely", [[1, -1], [-1, 1]], mover=lambda state: -1 if state.moves == 2 else 0, observe=games.blind
    )
    assert len(game_tree(lonely).info_sets) == 3


@pytest.mark.parametrize(
    "game, words",
    [
        (games.THREE, "two players who want the opposite, and three has 3"),
        (games.FRIENDS, "not zero-sum: a game can end with returns 1 and 1"),
        (games.REAL, r"uniform\(rng\) has endlessly many outcomes"),
        ("pig", "pig has more than 1,000 histories, too many to enumerate; make it smaller"),
        ("knockout-whist", "can begin in too many ways"),
        ("scoundrel", "and scoundrel has 1"),
    ],
)
def test_games_that_do_not_fit_get_a_sentence(game: object, words: str) -> None:
    with pytest.raises(PlayoutError, match=words) as caught:
        game_tree(game, most=1000)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_legal_actions_that_the_mover_cannot_know_are_a_fault_of_the_game() -> None:
    with pytest.raises(GameError, match="player 1 cannot tell two states apart in which"):
        game_tree(games.SECRET)


def test_determinize_without_observe_is_refused() -> None:
    blind = games.matrix_game("blind", [[1, -1], [-1, 1]], observe=None)
    with pytest.raises(PlayoutError, match="determinize but no observe"):
        game_tree(blind)
    assert load(blind) is blind
