"""Scoundrel: every rule by a game played by hand, the identities in random games, and what is hidden stays hidden."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import PlayoutError, State, Stream, load
from playout.checker import check, compare_forms
from playout.compile import bind
from playout.compile.holes import determinize, legal, mover, play, playout_action, returns, start
from playout.compile.records import STREAM
from playout.game.stream import below, seed_word, step_word
from playout.games.scoundrel.cards import NAMES, pretty
from tests.games.properties import check_state, choices, key_of, walk

FULL = load("scoundrel")
ALWAYS = load("scoundrel", barehanded=False)
SHUFFLED = load("scoundrel", shuffle_avoided=True)
SMALL = "2C-9S-5D-4H-KS-3C-6H-2D-AC"
AVOID = 8


def set_up(cards, **parameters):
    """The start of a game with exactly these cards in this order."""
    return load("scoundrel", deck=cards, order=cards, **parameters).start()


def names(state):
    return [state.name(action) for action in state.legal]


def told(state):
    """Health, weapon, last kill."""
    return state.fields.health, state.fields.weapon, state.fields.last


def front(state):
    """The unknown cards, from the top."""
    fields = state.fields
    return [fields.dungeon[fields.cards - 1 - i] for i in range(fields.unknown)]


def tail(state):
    """The known cards at the bottom, from the top."""
    fields = state.fields
    return [fields.dungeon[i] for i in range(fields.cards - fields.unknown - 1, -1, -1)]


def observed(state):
    array = state.copy_array()
    state.game.functions["observe"](state.game.view(array[0]), 0)
    return State(state.game, array, 1)


def world(state, seed):
    array, stream = state.copy_array(), Stream(seed)
    word = stream.word
    state.game.functions["determinize"](state.game.view(array[0]), 0, stream)
    return State(state.game, array, 1), stream.word != word


def random_games(game, games, seed=0):
    """Every state of some random games that live long: avoiding, and drinking and taking weapons, more often than not."""
    for number in range(seed, seed + games):
        state, stream = game.start(number), Stream(number, tree=1)
        yield state
        while not state.over:
            allowed = np.array(state.legal, np.int64)
            if stream.below(3) == 0:
                action = int(allowed[stream.below(len(allowed))])
            elif AVOID in state.legal and stream.below(3) == 0:
                action = AVOID
            else:
                action = int(policy_of(game)(state.fields, allowed, len(allowed)))
            state = state.play(action)
            yield state


def policy_of(game):
    return game.functions["playout_action"].__globals__["policy"]


# The rules, by hand


def test_the_deck():
    deck = FULL.functions["start"].__globals__["DECK"]
    fields = FULL.start(1).fields
    assert len(deck) == len(set(deck)) == 44 and fields.cards == fields.unknown == 40 and fields.monsters == 208
    assert sum(card & 15 for card in deck if card >= 48) == 54
    assert sorted([*front(FULL.start(1)), *fields.room]) == sorted(deck)
    assert FULL.start(1).returns == (-188,) and FULL.returns_range == (-188, 30)


def test_three_of_four_are_faced_and_the_fourth_stays_first():
    state = set_up("2C-9S-5D-4H-KS-3C-6H-2D-AC")
    assert names(state) == ["2C hands", "9S hands", "5D", "4H", "avoid"]
    state = state.play("5D").play("2c hands").play("4h")
    assert [NAMES[card] for card in state.fields.room] == ["9S", "KS", "3C", "6H"]
    assert state.fields.cards == 2 and told(state) == (20, 5, 15)


def test_slots_keep_their_places_within_a_room():
    state = set_up(SMALL).play("9S hands")
    assert list(state.fields.room)[1] == 0 and [action & 3 for action in state.legal] == [0, 2, 3]


def test_only_the_first_potion_of_a_room_heals():
    state = set_up("10C-4H-7H-2H-3S-5H-6H-2C").play("10C hands").play("4H")
    assert told(state)[0] == 14 and names(state) == ["7H waste", "2H waste"]
    state = state.play("7H waste")
    assert told(state)[0] == 14
    assert state.play("2H").fields.health == 16, "a new room, a new potion"


def test_health_never_exceeds_its_start():
    assert set_up("2C-9H-5D-4H-KS").play("2C hands").play("9H").fields.health == 20
    assert set_up("2C-9H-5D-4H-KS", health=7).play("2C hands").play("9H").fields.health == 7


def test_weapon_blocks_and_its_reach_shrinks():
    state = set_up("5D-9S-10C-9C-KS-3C-2C").play("5D").play("9S weapon")
    assert told(state) == (16, 5, 9)
    assert names(state) == ["10C hands", "9C weapon", "9C hands"], "nine is not above nine; ten is, so there is no choice"
    assert told(state.play("10C hands")) == (6, 5, 9)
    assert told(state.play("9C weapon")) == (12, 5, 9)
    assert told(state.play("9C hands")) == (7, 5, 9), "barehanded leaves the weapon as it was"


def test_weapon_against_a_weaker_monster_costs_nothing():
    assert told(set_up("5D-3S-10C-9C-KS").play("5D").play("3S weapon")) == (20, 5, 3)


def test_strict():
    state = set_up("5D-9S-8C-9C-KS-3C-2C", strict=True).play("5D").play("9S weapon")
    assert names(state) == ["8C weapon", "8C hands", "9C hands"]
    assert told(state.play("9C hands")) == (7, 5, 9)


def test_a_new_weapon_replaces_the_old_and_its_kills():
    state = set_up("5D-9S-2D-9C-KS-3C-2C").play("5D").play("9S weapon").play("2D")
    assert told(state) == (16, 2, 15) and "KS weapon" in names(state)


def test_without_the_choice_the_weapon_is_used_when_allowed():
    state = set_up("5D-9S-10C-9C-KS-3C-2C", barehanded=False).play("5D")
    assert names(state) == ["9S weapon", "10C weapon", "9C weapon"]
    assert names(state.play("9S weapon")) == ["10C hands", "9C weapon"]
    assert ALWAYS.most_legal == 5 and FULL.most_legal == 9


def test_avoid_puts_the_room_under_the_dungeon_in_order():
    state = set_up("2C-9S-5D-4H-KS-3C-6H-2D-AC-7C").play("avoid")
    assert pretty(state.fields.room) == "K♠ 3♣ 6♥ 2♦" and pretty(front(state)) == "A♣ 7♣" and pretty(tail(state)) == "2♣ 9♠ 5♦ 4♥"
    assert "avoid" not in names(state), "never two rooms in a row"
    state = state.play("6H").play("2D").play("3C weapon")
    assert pretty(state.fields.room) == "K♠ A♣ 7♣ 2♣" and state.fields.unknown == 0 and "avoid" in names(state)


def test_only_an_untouched_room_can_be_avoided():
    assert "avoid" not in names(set_up(SMALL).play("5D"))


def test_avoid_with_less_than_a_room_in_the_dungeon():
    state = set_up("2C-9S-5D-4H-KS").play("avoid")
    assert pretty(state.fields.room) == "K♠ 2♣ 9♠ 5♦" and pretty(tail(state)) == "4♥" and state.fields.unknown == 0


def test_last_room_of_two_is_played_to_the_end():
    state = set_up("2C-3C-2D-4C-5C").play("2C hands").play("3C hands").play("2D")
    assert names(state) == ["4C weapon", "4C hands", "5C weapon", "5C hands"], "and not avoided"
    state = state.play("5C weapon").play("4C weapon")
    assert state.over and state.legal == () and state.returns == (20 - 2 - 3 - 3 - 2,)


def test_last_rooms_of_one_three_and_four():
    one = set_up("2C-3C-2D-4H-5C-6H-7H").play("2C hands").play("3C hands").play("2D")
    assert one.fields.left == 4 and "avoid" not in names(one), "nothing is behind it, so to avoid it would change nothing"
    one = one.play("4H").play("6H waste").play("5C hands")
    assert names(one) == ["7H"] and one.fields.potion == 0 and one.play("7H").fields.health == 20
    three = set_up("2C-3C-2D-4H-5C-6H").play("2C hands").play("3C hands").play("2D")
    assert names(three) == ["4H", "5C weapon", "5C hands", "6H"]
    assert three.play("4H").play("5C weapon").play("6H waste").over


def test_score_of_a_win():
    begin = set_up("2C-3C-2D-10H-4C").replay(["2C hands", "3C hands", "2D"])
    assert begin.play("4C hands").play("10H").returns == (30,), "full health, and the last card was a potion"
    assert begin.play("10H").play("4C hands").returns == (16,)
    hurt = set_up("9C-3C-2D-5H-4C").replay(["9C hands", "3C hands", "2D", "4C hands", "5H"])
    assert hurt.returns == (9,), "a potion at the end that does not fill up is no more than healing"
    two = set_up("2C-2D-3D-9H-4H").replay(["2C hands", "2D", "3D", "9H", "4H waste"])
    assert two.returns == (24,), "the very last card was a potion, and health is full"


def test_score_of_a_loss_counts_what_is_left_in_the_room_and_in_the_dungeon():
    state = set_up("AC-KC-5S-4H-KS-3C-6H").replay(["AC hands", "KC hands"])
    assert state.over and state.fields.health == -7 and state.returns == (-7 - 5 - 13 - 3,)
    assert state.returns[0] == 20 - (14 + 13 + 5 + 13 + 3)
    exactly = set_up("AC-6C-5S-4H-KS").replay(["AC hands", "6C hands"])
    assert exactly.over and exactly.returns == (-18,), "health 0 is death"


@pytest.mark.parametrize(
    "reward, span, won, lost", [("score", (-11, 30), 3, -11), ("win", (0, 1), 1, 0), ("blend", (-11 / 30, 2), 1.1, -11 / 30)]
)
def test_rewards(reward, span, won, lost):
    begin = set_up("AC-KC-2D-10H-4C", reward=reward)
    assert begin.game.returns_range == span
    win = begin.replay(["2D", "KC weapon", "10H", "AC hands", "4C weapon"])
    assert win.over and win.fields.health == 3 and win.returns == pytest.approx((won,))
    loss = begin.replay(["AC hands", "KC hands"])
    assert loss.over and loss.fields.health == -7 and loss.returns == pytest.approx((lost,))


def test_the_range_of_blended_returns():
    assert load("scoundrel", reward="blend").returns_range == (-1, 1 + 30 / 188)


# Identities in random games


@pytest.mark.parametrize("game", [FULL, ALWAYS, SHUFFLED, load("scoundrel", strict=True)], ids=lambda game: game.spec)
def test_identities_at_every_step(game):
    gained = rooms = avoids = 0
    longest, before = 0, None
    for state in random_games(game, 25):
        fields = state.fields
        if fields.unknown == 40 and fields.faced == 0:
            gained = rooms = avoids = 0  # a new game
        elif before is not None:
            old = before.fields
            damage = old.monsters - fields.monsters
            gained += max(0, fields.health - old.health) if damage == 0 else damage - (old.health - fields.health)
            rooms += fields.cards < old.cards
            avoids += fields.avoided
        assert state.returns[0] - fields.bonus == -188 + gained
        assert fields.cards == 40 - 3 * rooms or fields.cards == 0
        assert fields.unknown == max(0, 40 - 3 * rooms - 4 * avoids) and avoids <= 14
        assert fields.left + fields.faced == 4 or fields.cards == 0
        assert fields.unseen == sum(1 << card for card in front(state))
        room = [card for card in fields.room if card]
        assert fields.monsters == sum(card & 15 for card in [*room, *front(state), *tail(state)] if card < 32)
        assert len(room) == fields.left and not any(fields.dungeon[i] for i in range(fields.cards, 44))
        longest, before = max(longest, avoids), state
    assert longest > 2


def test_longest_game():
    """With a life that cannot end: 44 plays, and 14 avoids when every second room is avoided."""
    game = load("scoundrel", health=99)
    longest = 0
    for seed in range(300):
        state, steps = game.start(seed), Counter()
        while not state.over:
            allowed = np.array(state.legal)
            action = AVOID if AVOID in state.legal else int(policy_of(game)(state.fields, allowed, len(allowed)))
            steps[action == AVOID] += 1
            state = state.play(action)
        assert steps[False] <= 44 and steps[True] <= 14
        if state.fields.health > 0:
            assert steps == {False: 44, True: 14}
            longest += 1
            if longest == 3:
                return
    pytest.fail("no game was won")


def play_games(states, ids, value, rng, totals, base, games, own):
    """Whole games; totals of score, squares, actions and wins."""
    for number in range(games):
        rng.word = step_word(base, number)
        states[0] = states[1]
        state = states[0]
        start(state, rng)
        determinize(state, 0, rng)
        while mover(state) >= 0:
            count = legal(state, ids)
            action = playout_action(state, ids, count, rng) if own != 0 else ids[below(rng, count)]
            play(state, action, rng)
            totals[2] += 1
        returns(state, value)
        totals[0] += value[0]
        totals[1] += value[0] * value[0]
        totals[3] += value[0] > 0


def played(game, games, own, seed=1_000_000):
    totals = np.zeros(4)
    buffers = np.zeros(2, game.dtype), np.zeros(64, np.int64), np.zeros(1), np.zeros(1, STREAM)[0]
    bind(game).kernel(play_games)(*buffers, totals, np.uint64(seed_word(seed)), games, own)
    mean = totals[0] / games
    return mean, np.sqrt((totals[1] / games - mean * mean) / games), totals[2] / games, totals[3] / games


@pytest.mark.compiles
@pytest.mark.parametrize("game, score, actions", [(FULL, -179.9, 6.85), (ALWAYS, -175.1, 8.1)], ids=["full", "always"])
def test_uniform_play_scores_as_elsewhere_and_never_wins(game, score, actions):
    mean, error, steps, wins = played(game, 40_000, 0)
    assert abs(mean - score) < 0.1 + 3 * error and abs(steps - actions) < 0.1 and wins == 0


@pytest.mark.compiles
@pytest.mark.parametrize("game, wins", [(FULL, 0.15), (ALWAYS, 0.13)], ids=["full", "always"])
def test_the_playout_policy_wins_games(game, wins):
    mean, _, _, won = played(game, 4_000, 1)
    assert won > wins and mean > -50


# What is hidden stays hidden


@pytest.mark.parametrize("game", [FULL, SHUFFLED, load("scoundrel", deck=SMALL)], ids=["full", "shuffled", "small"])
def test_worlds_keep_what_the_player_knows(game):
    varied = 0
    for number, state in enumerate(random_games(game, 12)):
        other, drew = world(state, number)
        assert bytes(observed(other)) == bytes(observed(state)) and other.legal == state.legal
        assert sorted(front(other)) == sorted(front(state))
        assert key_of(observed(other)) == key_of(observed(state))
        if game is SHUFFLED:
            assert sorted(tail(other)) == sorted(tail(state))
            for first in range(0, len(tail(state)), 4):
                one, two = tail(state)[::-1][first : first + 4], tail(other)[::-1][first : first + 4]
                assert sorted(one) == sorted(two)
        else:
            assert tail(other) == tail(state)
            assert drew == (state.fields.unknown > 1), "nothing is drawn when nothing is hidden"
        varied += front(other) != front(state)
        assert state.draw(0) == other.draw(0) and state.svg(0) == other.svg(0)
        assert [state.name(a, 0) for a in state.legal] == [other.name(a, 0) for a in state.legal]
    assert varied > 20


def test_the_observation_keeps_which_cards_are_unseen():
    one = set_up("2C-9S-5D-4H-KS-3C-6H-2D-AC-7C")
    erased = observed(one.play("avoid")).fields
    assert list(erased.dungeon) == [52, 37, 25, 2, 0, 0, 0, 0, 0, 0] and erased.unseen == 1 << 14 | 1 << 7


@pytest.mark.parametrize("moves", [[], ["avoid"]])
def test_first_unknown_card_is_uniform(moves):
    state = FULL.start(5).replay(moves)
    hidden, worlds = front(state), 4000
    seen = Counter(front(world(state, seed)[0])[0] for seed in range(worlds))
    expected = worlds / len(hidden)
    chi_square = sum((seen[card] - expected) ** 2 / expected for card in hidden)
    freedom = len(hidden) - 1
    assert set(seen) <= set(hidden) and chi_square < freedom + 4 * np.sqrt(2 * freedom)


def test_avoided_rooms_are_shuffled_when_asked_for():
    tails = {
        tuple(tail(SHUFFLED.start(7).play(AVOID))),
        *(tuple(tail(world(SHUFFLED.start(7).play(AVOID), n)[0])) for n in range(200)),
    }
    assert len(tails) == 24
    assert "{" in SHUFFLED.start(7).play(AVOID).draw(0) and "{" not in SHUFFLED.start(7).play(AVOID).draw()


def test_pictures_show_no_hidden_card():
    shown = 0
    for state in random_games(FULL, 10, seed=50):
        text, all_eyes = state.draw(0), state.draw()
        for card in front(state):
            assert f" {pretty([card])}" not in text.replace("weapon   ", "") and pretty([card]) in all_eyes
            shown += 1
        for card in tail(state):
            assert pretty([card]) in text
        assert state.svg(0).count(">♣<") + state.svg(0).count(">♠<") == sum(
            0 < card < 32 for card in [*state.fields.room, *tail(state)]
        )
    assert shown > 500


# How it shows itself


def test_draw():
    state = set_up("10C-9S-5D-4H-KS-3C-6H-2D-AC-7C").play("avoid").play("2D").play("KS weapon").play("6H")
    assert state.draw(0) == (
        "health   ###############..... 15/20\n"
        "weapon   2♦, last kill K\n"
        "room     [ 3♣ ] [ A♣ ] [ 7♣ ] [10♣ ]\n"
        "         room: untouched\n"
        "dungeon  3 cards: 9♠ 5♦ 4♥"
    )
    start = set_up(SMALL)
    assert start.draw(0).endswith("dungeon  5 cards: 5 unknown")
    assert start.draw().endswith("dungeon  5 cards: 5 unknown (K♠ 3♣ 6♥ 2♦ A♣)")
    assert "the last room was avoided" in start.play("avoid").draw(0) and "potion drunk" in start.play("4H").draw(0)
    assert "died: -28 points" in set_up("AC-KC-5S-4H-KS-3C-6H").replay(["AC hands", "KC hands"]).draw(0)


@settings(max_examples=15, deadline=None)
@given(choices, st.integers(0, 1000))
def test_random_play(numbers: list[int], seed: int):
    for game in (FULL, SHUFFLED, load("scoundrel", deck=SMALL, reward="blend"), load("scoundrel", reward="win")):
        for state in walk(game, numbers, seed)[-3:]:
            check_state(state)


def test_keys_tell_states_apart():
    states = {bytes(state) for state in random_games(FULL, 20)}
    everything = [State(FULL, np.frombuffer(raw, FULL.dtype).copy(), 1) for raw in states]
    assert len({key_of(state) for state in everything}) == len(states)
    assert len({key_of(observed(state)) for state in everything}) == len({bytes(observed(state)) for state in everything})


def test_the_policy_knows_no_hidden_card_and_makes_no_blunder():
    for number, state in enumerate(random_games(FULL, 5)):
        if not state.over:
            allowed = np.array(state.legal)
            other, _ = world(state, number)
            assert policy_of(FULL)(state.fields, allowed, len(allowed)) == policy_of(FULL)(other.fields, allowed, len(allowed))
    deadly = set_up("AC-KC-QC-JC-2D-3H-4H-5D-6D")
    assert policy_of(FULL)(deadly.fields, np.array(deadly.legal), len(deadly.legal)) == AVOID


def test_evaluate_ends_in_the_result_and_never_looks():
    for reward in ("score", "win", "blend"):
        game = load("scoundrel", reward=reward)
        for number, state in enumerate(random_games(game, 5)):
            one, two = np.zeros(1), np.zeros(1)
            game.functions["evaluate"](state.fields, one)
            game.functions["evaluate"](world(state, number)[0].fields, two)
            assert one[0] == two[0] and game.returns_range[0] <= one[0] <= game.returns_range[1]
            assert not state.over or one[0] == state.returns[0]


# Both forms


@pytest.mark.compiles
@pytest.mark.parametrize(
    "game", [FULL, load("scoundrel", deck=SMALL, reward="blend", shuffle_avoided=True)], ids=["full", "small"]
)
def test_compiled_plays_as_uncompiled(game):
    assert compare_forms(game, games=15) is None


@pytest.mark.slow
def test_keeps_the_contract():
    report = check(FULL, states=120, seconds=0.4, compiled=False)
    assert report.ok, str(report)


@pytest.mark.compiles
def test_determinize_and_observe_compile():
    for game in (FULL, SHUFFLED):
        state = game.start(5).play(AVOID)
        array, rng = state.copy_array(), np.array([(Stream(9).word,)], STREAM)
        bind(game).role("determinize")(array[0], 0, rng[0])
        assert array.tobytes() == bytes(world(state, 9)[0])
        bind(game).role("observe")(array[0], 0)
        assert array.tobytes() == bytes(observed(state))


def test_parameter_errors():
    for parameters, message in [
        (
            {"health": 0},
            "parameter health=0 is out of range: health at the start, and the most there can be must be from 1 to 99",
        ),
        ({"deck": "2C-3C-2C-4C-5C"}, "parameter deck='2C-3C-2C-4C-5C' has the card 2C twice; give every card once"),
        (
            {"deck": "2C-3C-AD-4C-5C"},
            "parameter deck='2C-3C-AD-4C-5C' has 'AD', which is no card of this game: write 2C to AC, 2S to AS, 2D to 10D "
            "or 2H to 10H with dashes between",
        ),
        ({"deck": "2C-3C-4C-5C"}, "parameter deck='2C-3C-4C-5C' has 4 cards; give at least 5"),
        (
            {"deck": "2C-3C-4C-5C-6C", "order": "2C-3C-4C-5C-7C"},
            "parameter order='2C-3C-4C-5C-7C' has 7C, which is not in the deck; take it out, or add it to deck",
        ),
        (
            {"deck": "2C-3C-4C-5C-6C", "order": "2C-3C-4C-5C"},
            "parameter order='2C-3C-4C-5C' leaves out 6C; give every card of the deck once",
        ),
        (
            {"deck": "2C-3C-4C-5C-6C", "order": "2C-3C-4C-5C-5C"},
            "parameter order='2C-3C-4C-5C-5C' has the card 5C twice; give every card once",
        ),
        ({"reward": "gold"}, "parameter reward='gold' is unknown; take score, win or blend"),
    ]:
        with pytest.raises(PlayoutError) as error:
            load("scoundrel", **parameters)
        assert str(error.value) == message
