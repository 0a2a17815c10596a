"""Drawing, what players know of each other's hand, and other worlds."""

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

from playout import State
from playout.game.stream import Stream
from tests.games.hidden import changed, outcomes
from tests.games.root.boards import EYRIE, MARQUISE, game, hand, names, played, position, words_of

SMALL = "root:deck=stand-anvil-foxambush-bank-sword-sappers-mice-tax"


def states(count: int, seed: int, spec: str = "root") -> list[State]:
    """States of random games, one here and there."""
    chance, found = random.Random(seed), []
    while len(found) < count:
        state = game(spec).start(seed=chance.randrange(1 << 30))
        while not state.over and len(found) < count:
            if chance.random() < 0.08:
                found.append(state)
            state = state.play(chance.choice(state.legal))
    return found


def after(state: State, action: int, seed: int) -> State:
    array = state.copy_array()
    state.game.functions["play"](state.game.view(array[0]), action, Stream(seed))
    return State(state.game, array, 1)


def test_reshuffle_in_mid_draw():
    # A deck of one, the rest on the pile, two cards to draw: one, then the pile is the deck, then one of it.
    hands = ("", "anvil")
    state = position(hers=[1], recruiters=[5, 5, 7], hands=hands, deck="bank", actions=1)
    pile = int(state.fields.discard).bit_count()
    done = played(state, "end Daylight", draws=[0])
    assert "bank" in hand(done, MARQUISE) and done.fields.sizes[MARQUISE] == 2
    assert done.fields.discard == 0 and int(done.fields.deck).bit_count() == pile - 1


def test_reshuffle_tells_both_hands():
    state = position(hers=[1], recruiters=[5, 5, 7], hands=("tax", "anvil mice"), deck="bank", actions=1)
    done = played(state, "end Daylight", draws=[0])
    # What was held when the deck ran out is known; the card drawn from the new deck is not.
    assert words_of(done.fields.known[MARQUISE]) == ["bank", "tax"] and words_of(done.fields.known[EYRIE]) == ["anvil", "mice"]
    assert done.fields.sizes[MARQUISE] == 3


def test_theft_is_known_to_both():
    state = position("HER_WINDOW", MARQUISE, crafted=("stand", ""), hands=("tax", "anvil bank"), known=("", "bank"), hers=[1])
    new = played(state, "Stand and Deliver!", draws=[0])
    assert words_of(new.fields.known[MARQUISE]) == ["anvil"] and words_of(new.fields.known[EYRIE]) == ["bank"]
    old = played(state, "Stand and Deliver!", draws=[1])
    assert words_of(old.fields.known[MARQUISE]) == ["bank"] and words_of(old.fields.known[EYRIE]) == []


def test_codebreakers_tell_the_hand_as_it_is_then():
    state = position(hers=[1], crafted=("codebreakers", ""), hands=("", "anvil bank"))
    done = played(state, "Codebreakers")
    assert words_of(done.fields.known[EYRIE]) == ["anvil", "bank"] and done.fields.actions == 3
    known = position(hers=[1], crafted=("codebreakers", ""), hands=("", "anvil"), known=("", "anvil"))
    assert "Codebreakers" not in names(known)


def test_known_copy_goes_first():
    state = position("ADD", EYRIE, hands=("", "tax tax bank"), known=("", "tax"), theirs=[3], roosts=[3])
    state = played(state, "Tax Collector (fox) to MOVE")
    assert words_of(state.fields.known[EYRIE]) == [] and hand(state, EYRIE) == ["bank", "tax"]


def test_a_discard_onto_two_empty_piles_is_the_deck():
    spec = "root:deck=anvil-sword-tax-tax-mice-foxes-bank"
    state = position(
        spec=spec,
        hands=("anvil sword tax tax mice foxes", "bank"),
        deck="",
        known=("anvil sword tax tax mice foxes", "bank"),
        hers=[1],
        sawmills=[8],
    )
    state = played(state, "overwork with Anvil (fox)")
    assert words_of(state.fields.deck) == ["anvil"] and state.fields.discard == 0


def test_observation_hides_the_other_hand_and_no_more():
    state = position(hands=("tax bank", "anvil mice"), known=("bank", "mice"), hers=[1], discard="sword")
    seen = changed(state, "observe", MARQUISE)
    assert hand(seen, MARQUISE) == ["bank", "tax"] and hand(seen, EYRIE) == ["mice"]
    assert list(seen.fields.sizes) == [2, 2] and int(seen.fields.deck).bit_count() == 46
    other = position(hands=("tax bank", "sappers mice"), known=("bank", "mice"), hers=[1], discard="sword")
    assert state.observed(MARQUISE) == other.observed(MARQUISE) and state.observed(EYRIE) != other.observed(EYRIE)


def exact(state: State, player: int) -> dict[tuple[str, ...], Fraction]:
    """The other hand in the worlds of a player, with exact probabilities."""
    found: dict[tuple[str, ...], Fraction] = {}
    for probability, world in outcomes(lambda tape: changed(state, "determinize", player, tape)):
        assert world.broken is None and world.observed(player) == state.observed(player)
        key = tuple(hand(world, 1 - player))
        found[key] = found.get(key, Fraction(0)) + probability
    assert sum(found.values()) == 1
    return found


def test_worlds_are_uniform():
    state = position(spec=SMALL, hands=("tax bank", "anvil mice sword"), known=("", "mice"), hers=[1])
    unseen = ("anvil", "sword", "stand", "foxambush", "sappers")
    expected = {tuple(sorted((*pair, "mice"))): Fraction(1, 10) for pair in combinations(unseen, 2)}
    assert exact(state, MARQUISE) == expected
    nothing = position(spec=SMALL, hands=("tax bank", "anvil mice"), known=("", "anvil mice"), hers=[1])
    assert exact(nothing, MARQUISE) == {("anvil", "mice"): 1}


def test_worlds_with_copies_count_cards():
    state = position(spec="root:deck=tax-tax-tax-anvil-bank-mice", hands=("mice", "tax"), hers=[1])
    assert exact(state, MARQUISE) == {("tax",): Fraction(3, 5), ("anvil",): Fraction(1, 5), ("bank",): Fraction(1, 5)}


def test_worlds_between_two_discards():
    # The Eyrie wait. She has discarded Foxfolk Steel and must discard one more that is not below it.
    spec = "root:deck=foxambush-knapsack-foxgear-steel-anvil-foxtea-racket-stand-bank-mice"
    state = position(
        "DISCARDING",
        MARQUISE,
        spec=spec,
        hands=("foxambush knapsack anvil", "mice bank"),
        discard="steel",
        left=1,
        mark=3,
        hers=[1],
    )
    unseen = ("foxambush", "knapsack", "foxgear", "anvil", "foxtea", "racket", "stand")
    above = {"anvil", "foxtea", "racket", "stand"}
    possible = [tuple(sorted(some)) for some in combinations(unseen, 3) if above & set(some)]
    assert exact(state, EYRIE) == {some: Fraction(1, len(possible)) for some in possible}


def test_nobody_learns_from_being_asked():
    """Another hidden hand, the same action: the same player is asked next, and where no card was drawn the observation is the same."""
    compared = drawn = 0
    for number, state in enumerate(states(250, seed=5)):
        player = state.mover
        world = state.world(player, Stream(number))
        if bytes(world) == bytes(state):
            continue
        assert world.legal == state.legal and world.mover == player
        for action in state.legal:
            if state.name(action) == "Stand and Deliver!":
                continue
            one, two = after(state, action, number), after(world, action, number)
            assert one.mover == two.mover, (number, state.name(action))
            if one.over or list(one.fields.sizes) != list(state.fields.sizes):
                drawn += 1
                continue
            if int(one.fields.deck).bit_count() == int(state.fields.deck).bit_count():
                looked = state.name(action) == "Codebreakers"
                assert looked or one.observed(player) == two.observed(player), (number, state.name(action))
                compared += 1
    assert compared > 1000 and drawn > 50


def test_the_one_who_waits_is_told_nothing_either():
    """The hand of the player who decides is changed: what it does that was open to both hands looks the same to the other."""
    compared = 0
    for number, state in enumerate(states(150, seed=8)):
        waiting = 1 - state.mover
        world = state.world(waiting, Stream(number))
        assert world.mover == state.mover
        for action in set(state.legal) & set(world.legal):
            one, two = after(state, action, number), after(world, action, number)
            if (
                not one.over
                and int(one.fields.deck).bit_count() == int(state.fields.deck).bit_count()
                and one.fields.stood == state.fields.stood
            ):
                assert one.mover == two.mover and one.observed(waiting) == two.observed(waiting), (number, state.name(action))
                compared += 1
    assert compared > 500


def test_worlds_keep_the_laws_and_the_observation():
    for number, state in enumerate(states(100, seed=3)):
        for player in range(2):
            world = state.world(player, Stream(number))
            assert world.broken is None and world.observed(player) == state.observed(player)


def test_unknown_cards_are_drawn_evenly():
    """Over many worlds of a full deck every unseen card is held about as often."""
    state = position(hands=("tax bank", "anvil mice sword"), known=("", "mice"), hers=[1])
    counts: Counter[str] = Counter()
    stream = Stream(1)
    for _ in range(3000):
        counts.update(hand(state.world(MARQUISE, stream), EYRIE))
    assert counts.pop("mice") == 3000
    # 47 unseen cards, two of them held: each copy in 2 of 47 worlds.
    assert counts.total() == 6000 and len(counts) == 37
    one, two = counts["anvil"], counts["armorers"]
    assert abs(one - 3000 * 2 / 47) < 50 and abs(two - 3000 * 4 / 47) < 70
