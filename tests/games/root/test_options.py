"""Parameters: what may be chosen, and what is said to what may not."""

import pytest

from playout import PlayoutError, load
from tests.games.root.boards import game


@pytest.mark.parametrize(
    "spec, words",
    [
        ("root:decree=maybe", "parameter decree='maybe' is unknown; take free or forced"),
        ("root:bank=never", "parameter bank='never' is unknown; take optional or always"),
        ("root:despot=twice", "parameter despot='twice' is unknown; take battle or removal"),
        ("root:reward=gold", "parameter reward='gold' is unknown; take difference, win or blend"),
        ("root:points=0", "parameter points=0 is out of range: points that win the game must be from 1 to 60"),
        ("root:turns=-1", "parameter turns=-1 is out of range"),
        (
            "root:deck=anvil-bank-tax-mice-stand",
            "parameter deck='anvil-bank-tax-mice-stand' has 5 cards; give at least 6, three for each hand",
        ),
        ("root:deck=anvil-bank-tax-mice-stand-dragon", "parameter deck has no card 'dragon'; its cards are foxambush, "),
        ("root:deck=anvil-anvil-tax-mice-stand-bank", "parameter deck has 'anvil' 2 times, and there are 1 in the game"),
    ],
)
def test_bad_parameters(spec, words):
    with pytest.raises(PlayoutError) as caught:
        load(spec)
    assert str(caught.value).startswith(words)


def test_a_small_deck():
    small = game("root:deck=stand-anvil-foxambush-bank-sword-sappers-mice-tax")
    state = small.start(seed=1)
    assert int(state.fields.deck).bit_count() == 2 and list(state.fields.sizes) == [3, 3] and state.broken is None
    six = game("root:deck=stand-anvil-foxambush-bank-sword-sappers").start(seed=1)
    assert six.fields.deck == 0 and list(six.fields.known) == list(six.fields.hands)


def test_fewer_points():
    assert game("root:points=10").returns_range == (-10, 10)
