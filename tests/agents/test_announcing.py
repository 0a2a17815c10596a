"""What people at the table are told: the same for all truths that they cannot tell apart, in every bundled game that hides something."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import playout
from playout import below
from playout.agents import Person, Silent, news
from playout.agents.course import alone
from playout.cli.sitting import Sitting
from playout.game.load import bundled
from playout.game.state import State
from playout.game.stream import Stream

HIDING = {
    "kuhn-poker": 3,
    "leduc-poker": 6,
    "liars-dice": 3,
    "phantom-tic-tac-toe": 7,
    "phantom-tic-tac-toe:abrupt=true": 7,
    "knockout-whist": 3,
    "knockout-whist:players=3": 3,
    "scoundrel": 2,
    "root": 4,
}
"""Games that hide something, and how many actions of each are compared."""
Course = list[int]


class Scripted(Silent):
    """Plays what it was told to, and thinks something of it that gives its secrets away."""

    name = "scripted"

    def __init__(self, course: Iterator[int], secret: float) -> None:
        self.course, self.secret = course, secret

    def decide(self, state: State) -> Any:
        action = next(self.course, None)
        if action is None:
            raise KeyboardInterrupt
        chosen = SimpleNamespace(proven=None, mean=self.secret)
        return SimpleNamespace(action=action, chosen=chosen, simulations=7, stopped="", mover=state.mover)

    def act(self, state: State) -> int:
        raise AssertionError("it decides")


def step(state: State, action: int, viewer: int, seen: bytes) -> tuple[State, list[Any]]:
    """After an action: what the player lives through by it, its own action and its observation where that has changed."""
    after = state.after(action)
    now = after.observed(viewer)
    return after, [action] * (state.mover == viewer) + [now] * (now != seen)


def events(start: State, course: Course, viewer: int) -> list[Any]:
    """All that a player lives through."""
    state, found = start, [start.observed(viewer)]
    for action in course:
        state, more = step(state, action, viewer, next(e for e in reversed(found) if isinstance(e, bytes)))
        found += more
    return found


def twin(start: State, course: Course, viewer: int, lots: random.Random) -> tuple[State, Course] | None:
    """Another truth, from another world and with other actions of the others, that the viewer lives through in the same way."""
    wanted, stream = events(start, course, viewer), Stream(lots.randrange(1 << 40))
    for _ in range(30):
        other = State(start.game, start.world(viewer, stream).copy_array(), start.word)
        for found in courses(other, wanted[0], wanted[1:], viewer, lots, [100]):
            if other != start or found != course:
                return other, found
    return None


def courses(
    state: State, seen: bytes, wanted: list[Any], viewer: int, lots: random.Random, budget: list[int]
) -> Iterator[Course]:
    """Courses of the game that bring the viewer just this; as many as the budget allows to look for."""
    budget[0] -= 1
    if not wanted:
        yield []
    elif budget[0] >= 0 and not state.over:
        own = [action for action in state.legal if action == wanted[0]]
        for action in own if state.mover == viewer else lots.sample(state.legal, len(state.legal)):
            after, more = step(state, action, viewer, seen)
            if more == wanted[: len(more)]:
                now = more[-1] if more and isinstance(more[-1], bytes) else seen
                for rest in courses(after, now, wanted[len(more) :], viewer, lots, budget):
                    yield [action, *rest]


def transcript(start: State, course: Course, viewer: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """The screen of a person in one seat, from the first word to the end of the input, with the record that is printed then."""
    others, typed, state = [], [], start
    for action in course:
        if state.mover == viewer:
            # Where there is no choice nobody is asked.
            typed += [f"{action}\n"] * (not alone(state))
        else:
            others.append(action)
        state = state.after(action)
    left = iter(others)
    agents = [Person() if player == viewer else Scripted(left, float(sum(bytes(start)))) for player in range(start.game.players)]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(typed) + "moves\nundo\n"))
    screen = io.StringIO()
    sitting = Sitting(start, agents, Console(file=screen, width=200), seed=1)
    sitting.begin([])
    sitting.run()
    record = sitting.to_dict()
    return screen.getvalue() + ("" if record["finished"] else str(record))


def test_every_game_that_hides_something_is_here() -> None:
    hiding = {name for name in bundled() if playout.load(name).has("observe")}
    assert hiding == {spec.partition(":")[0] for spec in HIDING}


@pytest.mark.parametrize("spec", HIDING)
def test_transcripts_are_equal_for_truths_that_cannot_be_told_apart(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, lots, compared = playout.load(spec), random.Random(5), 0
    for seed in range(6):
        start = game.start(seed)
        state, course, viewer = start, [], seed % game.players
        while not state.over and len(course) < HIDING[spec]:
            course.append(lots.choice(state.legal))
            state = state.after(course[-1])
        # The end may lay everything open, so that there is no other truth; an action without a choice leads on to it.
        for length in (len(course), len(course) - 1, len(course) - 2):
            at = start.replay(course[:length])
            if at.mover == viewer and alone(at):
                continue
            found = twin(start, course[:length], viewer, lots)
            if found is not None:
                compared += 1
                one, two = (transcript(*truth, viewer, monkeypatch) for truth in ((start, course[:length]), found))
                assert one == two, (seed, course, found)
                break
    assert compared >= 3


def told(spec: str, moves: str, viewer: int | None) -> list[str | None]:
    state, found = playout.load(spec).start(3), []
    for move in moves.split():
        after = state.play(move)
        found.append(news(state, state.find(move), after, viewer))
        state = after
    return found


def test_what_is_told_in_phantom_tic_tac_toe() -> None:
    """A mark of the other is "acted"; a try that was refused is not mentioned, or it would tell that one's mark was found."""
    moves = "a1 a1 b1 c1"
    assert told("phantom-tic-tac-toe", moves, 0) == ["player 0 plays a1", None, "player 1 acted", "player 0 plays c1"]
    assert told("phantom-tic-tac-toe", moves, 1) == ["player 0 acted", "player 1 plays a1", "player 1 plays b1", "player 0 acted"]
    assert told("phantom-tic-tac-toe", moves, None)[1] == "player 1 plays a1"


def test_public_actions_are_named() -> None:
    assert told("kuhn-poker", "check bet call", 0) == ["player 0 plays check", "player 1 plays bet", "player 0 plays call"]
    assert told("kuhn-poker", "check bet call", 1)[0] == "player 0 plays check"
    assert told("tic-tac-toe", "a1", 1) == ["player 0 plays a1"]
    whist = playout.load("knockout-whist").start(4)
    card = whist.legal[0]
    words = news(whist, card, whist.after(card), 1 - whist.mover)
    assert words == f"player {whist.mover} plays {whist.name(card)}"


FACE_DOWN = {
    "players": 2,
    "actions": 5,
    "State": np.dtype([("hand", np.int8, 2), ("down", np.int8, 2), ("die", np.int8), ("stage", np.int8)]),
    "start": lambda state, rng: None,
}


def secret_game(**more: Any) -> playout.Game:
    """Each player has one card of five and lays it face down, so a single action is legal; then a die is rolled for all to see."""

    def start(state, rng):
        state.hand[0] = below(rng, 5)
        state.hand[1] = below(rng, 5)

    def legal(state, out):
        out[0] = state.hand[state.stage]
        return 1

    def play(state, action, rng):
        state.down[state.stage] = 1 + action
        state.die = 1 + below(rng, 6)
        state.stage += 1

    def mover(state):
        return -1 if state.stage == 2 else state.stage

    def returns(state, out):
        out[0] = state.down[0] - state.down[1]
        out[1] = -out[0]

    def observe(state, player):
        state.hand[1 - player] = 0
        state.down[1 - player] = state.down[1 - player] > 0

    def determinize(state, player, rng):
        other = 1 - player
        state.hand[other] = below(rng, 5)
        state.down[other] = 1 + state.hand[other] if state.down[other] else 0

    rules = {"start": start, "legal": legal, "play": play, "mover": mover, "returns": returns}
    return playout.Game("face-down", **{**FACE_DOWN, **rules, "observe": observe, "determinize": determinize, **more})


def test_the_only_legal_action_of_another_is_not_told_where_it_lies_face_down() -> None:
    """In the true state one action is legal: only other worlds show that it is a secret, and only with the same die."""
    start = secret_game().start(2)
    after = start.after(start.legal[0])
    assert news(start, start.legal[0], after, 1) == "player 0 acted"
    assert news(start, start.legal[0], after, 0) == f"player 0 plays {start.legal[0]}"


def test_without_draw_a_viewer_is_shown_its_observation() -> None:
    start = secret_game().start(2)
    mine, theirs = (int(start.fields.hand[player]) for player in (0, 1))
    assert mine and theirs, "a deal that shows the difference"
    assert f"hand=array([{mine}, 0]" in start.draw(0) and f"hand=array([0, {theirs}]" in start.draw(1)
    assert f"hand=array([{mine}, {theirs}]" in start.draw()


def test_who_acted_is_not_told_where_a_viewer_cannot_know_it() -> None:
    def mover(state):
        return -1 if state.stage == 2 else state.hand[0] & 1

    def legal(state, out):
        out[0] = state.hand[state.hand[0] & 1]
        return 1

    def observe(state, player):
        state.hand[:] = 0

    def determinize(state, player, rng):
        state.hand[0] = below(rng, 5)

    game = secret_game(mover=mover, legal=legal, observe=observe, determinize=determinize)
    start = game.start(2)
    viewer = 1 - start.mover
    assert news(start, start.legal[0], start.after(start.legal[0]), viewer) == "an action was played"


def test_two_persons_with_secrets_look_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen goes round: each is told what happened since it last looked, and drawn what it may see."""
    monkeypatch.setattr("sys.stdin", io.StringIO("a1\n\na1\nb1\n\nc1\n"))
    screen = io.StringIO()
    start = playout.load("phantom-tic-tac-toe").start()
    sitting = Sitting(start, [Person(), Person()], Console(file=screen, width=200), seed=1)
    sitting.begin([])
    sitting.run()
    turns = screen.getvalue().split("looks now, and nobody else")
    assert len(turns) == 4
    assert "player 0 acted" in turns[1] and "player 0 plays a1" not in turns[1]
    assert "player 0 plays a1" in turns[2] and "player 1 acted" in turns[2] and "player 1 plays" not in turns[2]
