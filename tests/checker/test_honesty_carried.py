"""Worlds carried on from moment to moment, and worlds at the deal: what they are, what they find, and what they say."""

from __future__ import annotations

import numpy as np
import pytest

from playout import below, load
from playout.checker.honesty.carried import Carrier, Steps, carried_on, carrier
from playout.checker.honesty.chosen import BY_LOT, PICKED, Chooser, kind_of, steps
from playout.checker.honesty.deals import deals
from playout.checker.honesty.lines import Course, Line
from playout.checker.honesty.report import clock
from playout.checker.honesty.signs import VALUE, copies, missing, most_different, shows, tally, words
from playout.checker.honesty.wander import Wanderer
from playout.game.state import State
from playout.game.stream import Stream
from tests.checker import earlier, planted
from tests.checker.earlier import look_forgotten, look_forgotten_late
from tests.checker.leaks import changed, kuhn_prefers_low
from tests.checker.parlour import LOOK, SPY, cups, spy, spy_by_trying
from tests.checker.salon import court, court_by_counting, market
from tests.checker.scouts import scouts


def course_of(game, number: int) -> Course:
    return Course(game, Stream(number), led=False)


def test_worlds_by_hand_in_kuhn_poker():
    """Before any action the other has one of two cards; what it plays is seen and says nothing of them."""
    game = load("kuhn-poker")
    course, worlds = course_of(game, 3), Carrier(game, False)
    own = int(course.arrays[0]["cards"][0, 0])
    begin, end = course.moment(0, 0), course.moment(0, 1)
    for found in (worlds.worlds(begin, begin, 40, Stream(1), 40), worlds.worlds(begin, end, 40, Stream(1), 400)):
        assert len(found) == 40 and set(found["cards"][:, 0].tolist()) == {own}
        assert set(found["cards"][:, 1].tolist()) == {1, 2, 3} - {own}
    assert {int(record["moves"]) for record in worlds.worlds(begin, end, 40, Stream(1), 400)} == {1}
    assert len(worlds.courses(end, 20, Stream(1), 2000)) == 20 and worlds.told() == (False, False)


@pytest.mark.compiles
def test_compiled_and_not_carry_the_same_worlds():
    game = load("kuhn-poker")
    course = course_of(game, 4)
    two = [Carrier(game, compiled) for compiled in (True, False)]
    for player in (0, 1):
        for one, next_one in steps(course, player):
            begin, end = course.moment(player, one), course.moment(player, next_one)
            fast, slow = (carry.worlds(begin, end, 12, Stream(7), 200) for carry in two)
            assert fast.tobytes() == slow.tobytes() and len(fast) == 12
            fast, slow = (carry.worlds(begin, end, 5, Stream(7), 200, 1) for carry in two)
            assert fast.tobytes() == slow.tobytes()


def test_steps_lead_from_where_a_player_knows_where_it_stands():
    game = load("phantom-tic-tac-toe")
    course = course_of(game, 2)
    refused = [step for step in range(1, len(course.movers) - 1) if course.movers[step] == course.movers[step - 1]]
    assert refused, "somebody ran into a mark"
    for player in (0, 1):
        for one, two in steps(course, player):
            for step in (one, two):
                unseen = step in refused and course.movers[step] != player
                assert not unseen, "a player who waits is not told of a refused try"
            assert one < two


def test_what_is_shown_in_private_is_its_own_kind():
    kinds = {
        kind_of(course, player, one, two)[0]
        for course in (course_of(spy(), n) for n in range(6))
        for player in (0, 1)
        for one, two in steps(course, player)
    }
    private = {kind for kind in kinds if kind[0]}
    assert any("saw" in kind[5] for kind in private) and not any("saw" in kind[5] for kind in kinds - private)


@pytest.mark.parametrize("make", [look_forgotten, look_forgotten_late])
def test_a_card_that_was_looked_at_is_not_forgotten(make):
    game = make()
    found = carried_on(game, 1, 0.002, 3.0, carrier(game, False))[0]
    assert (found.result, found.code) == ("failed", "honesty-forgets"), found
    assert "worlds do not follow from those of the moment before, for player" in found.message
    assert "so determinize forgets it; keep in the state what a player was shown, leave it in observe" in found.message


def test_honest_games_are_carried_on():
    for game in (spy(), spy(determinize=spy_by_trying), cups(), load("leduc-poker")):
        found = carried_on(game, 2, 0.002, 0.25, carrier(game, False))[0]
        assert found.result == "passed" and "worlds follow from those of the moment before, at" in found.message, found


def test_a_second_look_is_not_fooled_by_chance():
    """A step that only looked odd is let go, and each further doubt costs more."""
    game = spy()
    looked, course = Steps(game, 0, 0.002, carrier(game, False)), course_of(game, 0)
    one, two = next(iter(steps(course, 0)))
    begin, end = course.moment(0, one), course.moment(0, two)
    right = looked.carrier.worlds(begin, end, 24, Stream(3), 600)
    sign = next(iter(tally(game, right, right)))
    assert looked._ask_again(begin, end, sign, right, Stream(4)) is None and looked.doubted == 1


def test_worlds_at_the_deal():
    biased = deals(kuhn_prefers_low(), 1, 0.001, 0.5, carrier(kuhn_prefers_low(), False))
    assert (biased.result, biased.code) == (
        "failed",
        "honesty-weights",
    ) and "worlds are off when the game begins: " in biased.message
    honest = deals(load("kuhn-poker"), 1, 0.001, 0.2, carrier(load("kuhn-poker"), False))
    assert honest.result == "passed" and "alike at the deal" in honest.message
    open_deal = changed("phantom-tic-tac-toe")
    assert deals(open_deal, 1, 0.001, 0.1, carrier(open_deal, False)).result == "passed", "nothing is hidden, and nothing differs"


def heap(*hands: int) -> np.ndarray:
    worlds = np.zeros(len(hands), SPY)
    worlds["hands"][:, 1] = hands
    worlds["taken"][:, 0] = [hand % 3 for hand in hands]
    return worlds


def test_signs():
    game, mine, right = spy(), heap(1, 1, 2, 4), heap(8, 8, 8, 4)
    counted = tally(game, mine, right)
    assert counted["hands", "value", 1, 1] == (2, 0) and counted["hands", "bit", 1, 3] == (0, 3)
    assert counted["taken", "there", -1, 2] == (1, 3) and counted["taken", "twice", -1, 2] == (0, 0)
    assert all((shows(mine, sign), shows(right, sign)) == both for sign, both in counted.items())
    p, sign = most_different(game, np.repeat(mine, 20), np.repeat(right, 20))
    assert p < 1e-6 and sign[0] in ("hands", "taken") and most_different(game, mine[:1], mine[:1]) is None
    said = {words(game, sign) for sign in counted}
    assert {"hands[1] is 1", "bit 3 of hands[1] is set", "2 is in taken", "hands[1] is above 4"} <= said
    assert words(cups(), ("dice", "rises", 5, 0)) == "dice[1, 2] is above dice[1, 1]"
    assert words(cups(), ("dice", "sum", -1, 12.0)) == "the sum of dice is above 12"
    assert words(cups(), ("dice", "leans", -1, 12.0)) == "the sum by places of dice is above 12"
    lacks = missing(("hands", "bit", 1, 3))
    assert words(game, lacks) == "bit 3 of hands[1] is not set" and (shows(mine, lacks), shows(right, lacks)) == (4, 1)
    assert missing(lacks) == ("hands", "bit", 1, 3)


def test_the_planted_flaws_are_games_and_say_what_they_are():
    for flaws, games in ((earlier.PLANTED, earlier.TRICKY), (planted.PLANTED, planted.TRICKY)):
        assert len(flaws) == 15 and sum("(late)" in name or "(rare)" in name for name in flaws) >= 8 and len(games) >= 10
    state = spy().start(2).play(LOOK)
    card = int(state.fields.saw[0]) - 1
    assert state.mover == 0 and state.fields.hands[1] >> card & 1 and LOOK not in state.legal
    assert all(state.world(0, Stream(seed)).fields.hands[1] >> card & 1 for seed in range(20))
    assert len({int(state.world(1, Stream(seed)).fields.saw[0]) for seed in range(60)}) == 5, (
        "any of its cards may have been seen"
    )


def test_copies_are_values_counts_or_bits_that_come_together():
    hands = np.array([below(Stream(7, n), 1 << 12) for n in range(200)])
    assert not copies(spy(), heap(*hands)) and not copies(load("kuhn-poker"), load("kuhn-poker").start(1).copy_array())
    nested = np.where(hands & 1, hands, hands & ~2)
    assert copies(spy(), heap(*nested)), "the second bit is there only where the first is"
    assert copies(cups(), cups().start(1).copy_array().repeat(2)) is False
    two = np.concatenate([cups().start(seed).copy_array() for seed in (1, 2)])
    assert copies(cups(), two), "dice that show the same"


def test_what_the_salon_knows():
    """Market: when the pile is shuffled, each knows what the other holds. Court: two samplers, the same worlds."""
    state = market().start(3)
    while state.fields.shuffles == 0:
        state = state.play(state.legal[0])
    known = int(state.fields.known[0])
    assert known and known & ~int(state.fields.hands[1]) == 0
    assert all(known & ~int(state.world(0, Stream(seed)).fields.hands[1]) == 0 for seed in range(20))
    one, two = court().start(1), court(determinize=court_by_counting).start(1)
    for action in (12, 0, 7, 5):
        if action in one.legal:
            one, two = one.play(action), two.play(action)
    for player in range(3):
        heaps = [{tuple(state.world(player, Stream(seed)).fields.role) for seed in range(150)} for state in (one, two)]
        assert heaps[0] == heaps[1] and len(heaps[0]) > 1


class Told:
    """A carrier that gives the worlds it is told to: of one kind where they are drawn, of another where they were carried on."""

    compiled = False

    def __init__(self, drawn, carried, unsure: bool = False) -> None:
        self.drawn, self.carried, self.unsure = drawn, carried, unsure

    def worlds(self, begin, end, count, stream, tries, random=0):
        return self.drawn if begin is end else self.carried

    def told(self) -> tuple[bool, bool]:
        return False, self.unsure


def asked_again(player: int, held: int, unsure: bool = False):
    """The first action of Kuhn poker is player 0's; a king in 3/8 of the worlds drawn, and in so many of 1,040 that were carried on."""
    game = load("kuhn-poker")
    course = course_of(game, 3)
    begin, end = course.moment(player, 0), course.moment(player, 1)
    heaps = []
    for kings in (390, held):
        heap = np.repeat(course.arrays[1], 1040)
        heap["cards"][:, 1 - player] = np.where(np.arange(1040) < kings, 3, 2)
        heaps.append(heap)
    looked = Steps(game, 1, 0.01, Told(*heaps, unsure))
    return looked._ask_again(begin, end, ("cards", VALUE, 1 - player, 3), heaps[1], Stream(1))


def test_what_another_chose_leaves_odds_open_that_an_own_action_does_not(monkeypatch: pytest.MonkeyPatch):
    """Twice the odds: a flaw after the player's own action, and perhaps a second copy of a card after another's; seven times is one anyway."""
    assert asked_again(1, 240) is not None, "there is one card of each kind in Kuhn poker"
    monkeypatch.setattr("playout.checker.honesty.carried.copies", lambda game, worlds: True)
    own, others = asked_again(0, 240), asked_again(1, 240)
    assert own is not None and own.code == "honesty-weights" and others is None
    assert asked_again(1, 80) is not None and asked_again(1, 390) is None


def test_who_may_have_acted_unseen_at_the_second_look_is_no_flaw():
    assert asked_again(0, 240, unsure=True) is None


def test_rare_steps_are_picked_and_games_are_not_looked_at_from_end_to_end():
    """A scout is seldom laid: where one is, the step that shows a card is picked in most games, though few steps of a game are."""
    game, chooser, shown, picked = scouts(), Chooser(scouts()), 0, 0
    for number in range(30):
        course = course_of(game, number)
        found = chooser.pick(course, Stream(number))
        assert 0 < len(found) <= PICKED + BY_LOT < len(course.arrays)
        for player in (0, 1):
            seen = [int(array["shown"][0, player]) for array in course.arrays[:-1]]
            first = next((step for step in range(1, len(seen)) if seen[step] != seen[step - 1]), None)
            if first is not None and number >= 5:
                shown += 1
                picked += any(end.player == player and begin.step < first <= end.step for begin, end, _ in found)
    assert shown >= 10 and picked > 0.5 * shown, (shown, picked)


def test_worlds_of_a_twin_are_held_against_those_of_the_truth():
    """The other's card stays in half of the worlds: two true states with one past tell, and honest ones do not."""
    deal = load("kuhn-poker").functions["determinize"]

    def determinize(state, player, rng):
        if below(rng, 2):
            deal(state, player, rng)

    for game, leaks in ((changed("kuhn-poker", determinize=determinize), True), (load("kuhn-poker"), False)):
        looked, pairs = Steps(game, 1, 0.01, carrier(game, False)), []
        for number in range(6):
            line = course_of(game, number).moment(0, 0)
            array = line.state.copy_array()
            array["cards"][0, 1] = 6 - array["cards"][0].sum()
            two = Line(0, line.stands, line.past, line.script, State(game, array, 1), 0, line.course)
            pairs.append((line, two))
        found = looked.twins(pairs, float("inf"))
        assert (found is not None) == leaks
        assert found is None or (found.code == "honesty-leak" and "which that player cannot tell from it" in found.message)


def test_pictures_are_compared_where_worlds_are_carried_on():
    def draw(state, viewer):
        return f"{state.cards[1 - viewer]}" if state.moves == 1 and state.line[0] == 2 else ""

    game = changed("kuhn-poker", draw=draw)
    found = Steps(game, 1, 0.01, carrier(game, False)).run(clock() + 2.0)
    assert found is not None and (found.test, found.code) == ("shown", "honesty-shown") and "draw shows player" in found.message


@pytest.mark.compiles
def test_a_deal_that_is_drawn_until_it_fits_does_not_hang_a_walk():
    """The tape of a walk is zeros past its end, on which such a loop would wait for ever."""

    def start(state, rng):
        while state.cards[0] == state.cards[1]:
            state.cards[0] = 1 + below(rng, 3)
            state.cards[1] = 1 + below(rng, 3)

    walker, stream = Wanderer(changed("kuhn-poker", start=start)), Stream(1)
    line = course_of(walker.game, 2).moment(0, 0)
    assert walker.begin(line) and walker.go(200, stream) > 0
