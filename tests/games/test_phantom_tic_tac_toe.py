from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from playout import IllegalAction, PlayoutError, State, load
from playout.game.stream import Stream
from tests.games.hidden import (
    check_compiles,
    check_contract,
    check_hides,
    observed,
    random_states,
    world,
    worlds,
)
from tests.games.properties import check_state, choices, key_of, walk

PHANTOM = load("phantom-tic-tac-toe")
ABRUPT = load("phantom-tic-tac-toe", abrupt=True)


def names(state: State) -> list[str]:
    return [state.name(action) for action in state.legal]


def test_a_refused_try_is_tried_again():
    state = PHANTOM.start().play("b2")
    assert state.mover == 1 and len(state.legal) == 9  # the second player sees an empty board
    state = state.play("b2")
    assert state.mover == 1 and len(state.legal) == 8 and "b2" not in names(state)
    with pytest.raises(IllegalAction, match="'b2' is not a legal action of phantom-tic-tac-toe here"):
        state.play("b2")
    state = state.play("a1")
    assert state.mover == 0 and len(state.legal) == 8 and "a1" in names(state) and "b2" not in names(state)


def test_a_refused_try_ends_the_turn_when_abrupt():
    state = ABRUPT.start().replay(["b2", "b2"])
    assert state.mover == 0 and list(state.fields.marks) == [1 << 4, 0] and list(state.fields.found) == [0, 1 << 4]
    assert state.replay(["a1", "a2", "c3"]).returns == (1, -1)


def test_lines_win_and_a_full_board_is_drawn():
    assert PHANTOM.start().replay(["a1", "a2", "b1", "b1", "b2", "c1"]).returns == (1, -1)
    assert PHANTOM.start().replay(["a1", "a2", "b1", "b2", "c3", "c2"]).returns == (-1, 1)
    drawn = PHANTOM.start().replay(["b2", "a1", "a2", "c2", "b1", "b3", "a3", "c1", "c3"])
    assert drawn.over and drawn.returns == (0, 0) and drawn.mover == -1


def test_every_line_wins():
    rows = ("abc", "123")
    lines = [[c + r for c in rows[0]] for r in rows[1]] + [[c + r for r in rows[1]] for c in rows[0]]
    lines += [["a1", "b2", "c3"], ["a3", "b2", "c1"]]
    for line in lines:
        others = [c + r for c in rows[0] for r in rows[1] if c + r not in line]
        state = PHANTOM.start().replay([line[0], others[0], line[1], others[2], line[2]])
        assert state.over and state.returns == (1, -1)


def reachable(game, turns: int) -> dict[bytes, State]:
    """Every state that is not over, up to a number of turns."""
    found = {bytes(game.start()): game.start()}
    waiting = list(found.values())
    while waiting:
        state = waiting.pop()
        for action in state.legal:
            after = state.play(action)
            if not after.over and after.fields.turns <= turns and bytes(after) not in found:
                found[bytes(after)] = after
                waiting.append(after)
    return found


def as_often(state: State, player: int, names: list[bytes]) -> bool:
    """Whether worlds are these states, and each as often as a fair die would have it (chi-square; none is off by four deviations)."""
    stream = Stream(5)
    drawn = Counter(bytes(state.world(player, stream)) for _ in range(30 * len(names)))
    off = sum((drawn[name] - 30) ** 2 / 30 for name in names)
    return set(drawn) <= set(names) and off < len(names) + 4 * (2 * len(names)) ** 0.5


# By turns: marks, times what each side can have found of them; abrupt: in their order, a mark, or a find instead.
@pytest.mark.parametrize(
    "game, states",
    [(PHANTOM, 1 + 9 * 2 + 72 * 2 * 2 + 252 * 4 * 2), (ABRUPT, 1 + 9 + (9 * 8 + 9) + (72 * 8 + 9 * 8))],
)
def test_every_state_that_looks_the_same_is_as_likely(game, states: int):
    """Against enumeration: all states of the first turns, by what a player sees."""
    alike = defaultdict(list)
    everything = reachable(game, 3)
    for name, state in everything.items():
        for player in (0, 1):
            alike[player, observed(state, player)].append(name)
    assert len(everything) == states
    cases = sorted(alike, key=lambda case: (len(alike[case]), case))
    for case in {*cases[::12], cases[-1]}:
        if game is ABRUPT:
            assert as_often(everything[alike[case][0]], case[0], alike[case])
            continue
        expected = {name: Fraction(1, len(alike[case])) for name in alike[case]}
        assert worlds(everything[alike[case][0]], case[0]) == expected


def consistent(state: State, player: int) -> set[tuple[int, int]]:
    """The marks and finds of the other player that fit what this one knows, tried one after the other."""
    fields = state.fields
    mine, known, turns = fields.marks[player], fields.found[player], (fields.turns + player) // 2
    fits = set()
    for theirs in range(512):
        lines = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
        if theirs & mine or theirs & known != known or theirs | mine == 511 or any(theirs & x == x for x in lines):
            continue
        if theirs.bit_count() == turns:
            fits |= {(theirs, found) for found in range(512) if not found & ~mine}
    return fits


def test_worlds_late_in_the_game():
    late = [s for s in random_states(PHANTOM, 12) if not s.over and s.fields.turns >= 4]
    for state in late[::5]:
        for player in (0, 1):
            fits = consistent(state, player)
            other = 1 - player
            found = {}
            for name, probability in worlds(state, player).items():
                record = np.frombuffer(name, PHANTOM.dtype)[0]
                found[int(record["marks"][other]), int(record["found"][other])] = probability
            assert found == dict.fromkeys(fits, Fraction(1, len(fits)))


def stories(state: State, player: int) -> list[bytes]:
    """Every course of an abrupt game that looks to the player like this one, by trying all that the other can do."""
    tries = [int(cell) - 1 for cell in state.fields.tries[player]]
    ways = [ABRUPT.start()]
    for turn in range(state.fields.turns):
        own = turn % 2 == player
        ways = [way.play(cell) for way in ways for cell in ([tries[turn // 2]] if own else way.legal)]
        ways = [way for way in ways if not way.over]
        # What a try of the player's own met is in its observation, and stays there.
        ways = [way for way in ways if not own or met(way, player, tries[turn // 2]) == met(state, player, tries[turn // 2])]
    return [bytes(way) for way in ways if way.observed(player) == state.observed(player)]


def met(state: State, player: int, cell: int) -> int:
    return int(state.fields.found[player]) >> cell & 1


def test_abrupt_worlds_late_in_the_game():
    """To one who waits, too: a mark that it has just made cannot have been run into."""
    state = ABRUPT.start().replay(["b2", "b2", "a1", "c3", "c3", "a1"])
    for moves in (6, 5):
        now = ABRUPT.start().replay(["b2", "b2", "a1", "c3", "c3", "a1"][:moves])
        for player in (0, 1):
            fits = stories(now, player)
            assert bytes(now) in fits and as_often(now, player, fits), (moves, player, len(fits))
    waits = ABRUPT.start().replay(["b2", "b2", "a1"])
    assert {world(waits, 0, seed).fields.found[1] & 1 for seed in range(60)} == {0} and state.mover == 0


def test_worlds_by_hand():
    state = PHANTOM.start().replay(["b2", "b2", "a1", "a1"])  # both have run into each other's only mark
    for player, worlds_of_the_other in ((0, {0, 1 << 4}), (1, {0, 1})):
        seen = {world(state, player, seed).fields.found[1 - player] for seed in range(20)}
        assert seen == worlds_of_the_other  # it cannot know what the other has run into
        assert all(list(world(state, player, seed).fields.marks) == [1 << 4, 1] for seed in range(20))
    # Two marks seen in the bottom row: the third of them is never a world, the game would be over.
    state = PHANTOM.start().replay(["a3", "a1", "a1", "c3", "b1", "b1", "c2"])
    marks = {world(state, 0, seed).fields.marks[1] for seed in range(60)}
    assert all(m & 3 == 3 or m.bit_count() == 2 for m in marks) and 0b111 not in marks


def test_the_number_of_hidden_marks_is_known_unless_abrupt():
    for game, counts in ((PHANTOM, {2}), (ABRUPT, {0, 1, 2})):
        state = game.start().replay(["b2", "a1", "c3", "a3"])
        assert {world(state, 0, seed).fields.marks[1].bit_count() for seed in range(300)} == counts


def test_names_draw_and_what_a_viewer_sees():
    state = PHANTOM.start().replay(["b2", "b2", "a1"])
    assert state.draw() == "3 . . .\n2 . X .\n1 O . .\n  a b c\nX was refused: -\nO was refused: b2"
    assert state.draw(0) == "3 . . .\n2 . X .\n1 . . .\n  a b c\nX was refused: -"
    assert state.draw(1) == "3 . . .\n2 . X .\n1 O . .\n  a b c\nO was refused: b2"
    assert PHANTOM.start().play("b2").draw(1).splitlines()[1] == "2 . . ."
    assert "circle" not in state.svg(0) and "circle" in state.svg(1)
    refused = "<title>a try was refused here</title>"
    assert state.svg(0).count(refused) == 0 and state.svg(1).count(refused) == 1
    over = state.replay(["c1", "a3", "c2", "c3", "c3", "b3", "a2"])
    assert over.over and over.draw(0) == over.draw(1) == over.draw() and over.svg(0) == over.svg()
    assert worlds(over, 0) == {bytes(over): 1}


@pytest.mark.parametrize("game", [PHANTOM, ABRUPT])
def test_hides(game):
    assert check_hides(game, games=8) > 100


@pytest.mark.parametrize("game", [PHANTOM, ABRUPT])
def test_keys_are_exact(game):
    states = list(reachable(game, 2).values())
    assert len({key_of(state) for state in states}) == len(states)


@pytest.mark.compiles
@pytest.mark.parametrize("game", [PHANTOM, ABRUPT])
def test_contract_and_compiled(game):
    check_contract(game)
    check_compiles(game, games=8)


@settings(max_examples=15, deadline=None)
@given(choices)
def test_random_play(numbers: list[int]):
    for game in (PHANTOM, ABRUPT):
        states = walk(game, numbers)
        for state in states[-2:]:
            check_state(state)
        assert len(states) <= 19  # every try adds a mark or a find, and there are at most 9 of each


def test_parameter_errors():
    with pytest.raises(PlayoutError) as error:
        load("phantom-tic-tac-toe", abrupt="perhaps")
    assert str(error.value) == "parameter abrupt='perhaps' is not a valid bool; for example abrupt=False"
