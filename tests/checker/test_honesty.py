"""The honesty audit: planted leaks are caught and named, honest games pass; `bench/audit.py` has the figures."""

from __future__ import annotations

import re
import sys
from collections import Counter
from functools import cache

import msgspec
import numpy as np
import pytest

from playout import PlayoutError, load
from playout.checker import Audit, audit, check
from playout.checker.honesty.audit import FEW_PASTS, _Look
from playout.checker.honesty.carried import COPIES, carried_on, carrier, odds_ratio
from playout.checker.honesty.exact import exact
from playout.checker.honesty.lines import ACTS, OVER, WAITS, Course, Script, replay, twin
from playout.checker.honesty.past import past
from playout.checker.honesty.report import Finding
from playout.checker.honesty.sets import Sets, TooBig
from playout.checker.honesty.wander import Wanderer, lots
from playout.game.state import State
from playout.game.stream import Stream
from tests.checker.broken import broken
from tests.checker.leaks import HONEST, LEAKS, SMALL_SCOUNDREL, changed, kuhn_observe, sought, true_state, visible_card
from tests.checker.tricky import letter, letter_worlds

FOREVER = float("inf")
BY_ZERO = "integer division or modulo by zero" if sys.version_info < (3, 14) else "division by zero"


@pytest.fixture(autouse=True)
def few_states(monkeypatch: pytest.MonkeyPatch):
    """Short audits: a quarter of the time would go into pictures of states."""
    monkeypatch.setattr("playout.checker.honesty.audit.LOOKED", 60)


FAINT = ("whist, forgets voids", "Scoundrel, a bad shuffle", "Scoundrel, a card twice", "Scoundrel, a card of the room again")
"""What takes longer to be found, or to be called by that name."""


@cache
def audited(name: str) -> Audit:
    """One short look at a planted leak, which several tests read."""
    code, make = LEAKS[name]
    return sought(make(), code, 1.2 if name in FAINT else 0.3, seed=1)


@pytest.mark.parametrize("name", LEAKS)
def test_planted_leaks_are_caught(name: str):
    found = audited(name)
    assert not found.ok
    assert LEAKS[name][0] in {finding.code for finding in found.failed}, str(found)


@pytest.mark.parametrize("spec", [spec for spec in HONEST if spec != "knockout-whist:players=4"])
def test_honest_games_pass(spec: str):
    found = audit(spec, seed=3, seconds=0.4, agent=None, compiled=False)
    assert found.ok, str(found)
    assert {finding.test for finding in found.findings} >= {"consistency", "shown", "no leak", "weights", "past views"}


def messages(name: str) -> str:
    return " ".join(finding.message for finding in audited(name).failed)


@pytest.mark.parametrize(
    "name, words",
    [
        (
            "Kuhn, true state",
            ("worlds give away the truth for player", "cards=", "cannot tell from it", "always gives the true state"),
        ),
        (
            "Scoundrel, the published rule",
            ("worlds give away the truth", "dungeon=", "redraw everything that observe erases"),
        ),
        ("Kuhn, prefers the low card", ("off by 0.1667", "by the rules it is 0.5")),
        ("Kuhn, a card twice", ("a world that cannot be", "with probability 0.3333")),
        ("Scoundrel, changes a visible card", ("changed what player 0 sees", "seed", "room looks like")),
        ("Kuhn, legal looks at the truth", ("in one of its worlds", "legal looks at something that observe erases")),
        ("Leduc, fails when nothing is hidden", ("ZeroDivisionError", "although nothing is hidden there", "from seed")),
        (
            "Kuhn, an encoding that knows more",
            (
                "encode tells states apart that look the same to player 0",
                "out[0] is 1.0",
                "let it read nothing but its arguments",
            ),
        ),
        ("Kuhn, observe alone", ("there is no determinize", "def determinize(state, player, rng)")),
        ("Kuhn, determinize alone", ("there is no observe", "def observe(state, player)")),
    ],
)
def test_words(name: str, words: tuple[str, ...]):
    said = messages(name)
    assert all(word in said for word in words), said


def test_a_card_twice_is_named_at_full_size():
    said = messages("Scoundrel, a card twice")
    assert "by values that come twice in a field" in said and re.search(r": \d+ is there \d+ times in dungeon;", said)
    said = messages("Scoundrel, a card of the room again")
    assert "by values that come twice in fields of one kind" in said
    assert re.search(r": \d+ is there 2 times in dungeon and room;", said)


EXACTLY = {
    "Scoundrel, changes a visible card, 8 cards": (
        "honesty-visible",
        "determinize changed what player 0 sees in the state that start gives for seed 1 (unseen=9007199322374148, dungeon=[53  2 19 "
        "26  0  0  0  0], room=[37  7 52 25], cards=4, unknown=4, health=20, monsters=31, weapon=0, last=0, left=4, faced= ...): room "
        "looks like [37  7 52 25] and then like [26  7 52 25]; redraw only what observe erases, and keep "
        "together what belongs together (a card that is drawn twice shows up where it was counted)",
    ),
    "Kuhn, a card twice": (
        "honesty-weights",
        "determinize gives, with probability 0.3333, a world that cannot be (cards=[2 2], line=[0 0 0], moves=0), and is off by 0.3333 "
        "for player 0, to act, in the state before its first action (cards=[2 3], line=[0 0 0], moves=0): the world (cards=[2 2], "
        "line=[0 0 0], moves=0) has probability 0.3333, and by the rules it is 0; draw every deal that fits with its own chance, as a card from those "
        "left and not a rank or a place from a list",
    ),
    "Leduc, fails when nothing is hidden": (
        "honesty-fails",
        f"determinize raised ZeroDivisionError: {BY_ZERO} for player 0 in the state after actions 1, 2, 1, 2, "
        "2, 1 from seed 3 (cards=[2 3], board=1, line=[[2 3 2 0] [3 3 2 0]], round=2, moves=0, raises=0, paid=[11 11], folded=0), "
        "although nothing is hidden there; it must work for every player in every state, the last included",
    ),
    "Kuhn, observe alone": (
        "honesty-determinize",
        "observe hides part of the state, but there is no determinize, so nobody can be handed a state without being handed the truth; "
        "add def determinize(state, player, rng), which redraws in place what observe erases",
    ),
    "Kuhn, determinize alone": (
        "honesty-observe",
        "determinize redraws part of the state, but there is no observe, so all of it counts as seen; add def observe(state, player), "
        "which erases in place (sets to 0) what that player cannot tell",
    ),
}


@pytest.mark.parametrize("name", EXACTLY)
def test_exactly_what_is_said(name: str):
    small = "Scoundrel, changes a visible card, 8 cards"
    found = (
        audit(visible_card(SMALL_SCOUNDREL), seed=1, seconds=0.1, agent=None, compiled=False) if name == small else audited(name)
    )
    first = found.failed[0]
    assert (first.code, first.message) == EXACTLY[name]


def test_an_endless_loop_gets_a_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("playout.checker.honesty.audit.ENDLESS", 1.0)

    def determinize(state, player, rng):
        while state.moves >= 0:
            pass

    found = audit(changed("kuhn-poker", determinize=determinize), seconds=0.4, agent=None, compiled=False)
    assert [finding.code for finding in found.failed] == ["honesty-stuck"] and "within 1 seconds" in found.failed[0].message


def test_other_random_numbers_are_found():
    calls = [0]

    def determinize(state, player, rng):
        calls[0] += 1
        if state.moves == 0:
            state.cards[1 - player] = 1 + (state.cards[player] + calls[0] % 2) % 3

    found = audit(changed("kuhn-poker", determinize=determinize), seconds=0.4, agent=None, compiled=False)
    assert [finding.code for finding in found.failed] == ["honesty-random"]


@pytest.mark.slow
@pytest.mark.compiles
@pytest.mark.parametrize("spec", ["kuhn-poker", "knockout-whist"])
def test_peeking_fails_action_blindness_and_search_passes(spec: str):
    """The agents search in machine code; the rest of the audit is compiled once, for the smaller game."""
    cheat = sought(spec, "honesty-blind", 1, agent="peek:simulations=60")
    assert [finding.code for finding in cheat.failed] == ["honesty-blind"]
    assert "acts on what player" in cheat.failed[0].message and "peek:simulations=60, handed what" in cheat.failed[0].message
    fair = audit(spec, seconds=1.5, agent="uct:simulations=60", compiled=spec == "kuhn-poker")
    assert fair.ok, str(fair)
    assert fair.findings[-1].test == "action blindness" and fair.findings[-1].result == "passed"


def test_a_game_that_hides_nothing_and_bad_input():
    found = audit("tic-tac-toe")
    assert found.ok and found.findings[0].message == "nothing is hidden in this game"
    with pytest.raises(PlayoutError, match="error=0"):
        audit("kuhn-poker", error=0)


def test_the_report_of_a_check_has_the_audit():
    report = check("kuhn-poker", states=60, seconds=0.3, compiled=False)
    assert report.ok and report.audit is not None and report.audit.ok
    assert "honesty audit of kuhn-poker: no leak found" in str(report)
    assert msgspec.json.decode(report.audit.to_json(), type=Audit) == report.audit
    leak = check(true_state("kuhn-poker"), states=60, seconds=0.3, compiled=False)
    assert not leak.ok and {"honesty-leak", "honesty-variety"} <= {problem.code for problem in leak.problems}
    assert check("tic-tac-toe", states=20, seconds=0.3, compiled=False).audit is None


def test_a_game_with_observe_alone_fails_the_check(tmp_path):
    report = check(
        broken(tmp_path, more="def observe(state, player):\n    state.bonus = 0"), states=50, seconds=1, compiled=False
    )
    assert [problem.code for problem in report.problems] == ["honesty-determinize"]


def test_information_sets_by_hand():
    sets = Sets(load("kuhn-poker"), 1000, FOREVER)
    infos = [info for number in range(20) for info in sets.walk(1, Stream(number))]
    assert {len(info.states()) for info in infos if info.stands != OVER} == {2}
    assert all(set(info.weights(0).values()) == {0.5} for info in infos if info.stands != OVER)
    assert {info.stands for info in infos} == {ACTS, WAITS, OVER}
    with pytest.raises(TooBig, match="the game can start in about 2.7e[+]54 ways"):
        Sets(load("scoundrel"), 20_000, FOREVER)


def groups(sets: Sets, player: int, walks: int) -> dict[bytes, dict[bytes, float]]:
    """The first information sets of some walks, by what the player sees."""
    infos = [next(sets.walk(player, Stream(number))) for number in range(walks)]
    return {info.state(info.truth).observed(player): info.weights(0) for info in infos}


@pytest.mark.compiles
def test_starts_found_in_machine_code_are_those_of_the_list(monkeypatch: pytest.MonkeyPatch):
    game = load("scoundrel:deck=2C-3S-5D-5H-9S-4H")
    listed = groups(Sets(game, 20_000, FOREVER), 0, 1000)
    monkeypatch.setattr("playout.checker.honesty.sets.FEW_STARTS", 10)
    found = groups(Sets(game, 20_000, FOREVER), 0, 12)
    assert len(found) > 8 and all(found[seen] == pytest.approx(listed[seen]) for seen in found)
    dice = load("liars-dice:dice=2,faces=3")
    drawn = groups(Sets(dice, 20_000, FOREVER), 1, 12)
    assert len(drawn) > 3 and all(sum(weights.values()) == pytest.approx(1) for weights in drawn.values())


@pytest.mark.compiles
def test_ten_cards():
    game = load("scoundrel:deck=2C-3S-5D-5H-9S-4H-7C-10S-6D-8C")
    info = next(Sets(game, 20_000, FOREVER).walk(0, Stream(5)))
    assert len(info.states()) == 720 and all(weight == pytest.approx(1 / 720) for weight in info.weights(0).values())
    with pytest.raises(TooBig, match="over 700 starts look the same"):
        next(Sets(game, 700, FOREVER).walk(0, Stream(5)))
    with pytest.raises(TooBig, match="no time"):
        next(Sets(game, 20_000, 0.0).walk(0, Stream(5)))
    with pytest.raises(TooBig, match="the game can start in about 4e[+]07 ways"):
        Sets(load("scoundrel:deck=2C-3S-5D-5H-9S-4H-7C-10S-6D-8C-9C"), 20_000, FOREVER)


def test_a_loop_that_draws_until_it_fits_is_no_trouble():
    def determinize(state, player, rng):
        if state.moves < 2 or (state.moves == 2 and state.line[0] == 1 and state.line[1] == 2):
            card = state.cards[player]
            while card == state.cards[player]:
                card = 1 + rng.below(3)
            state.cards[1 - player] = card

    game = changed("kuhn-poker", determinize=determinize, observe=kuhn_observe)
    findings, _, share = exact(game, 0, 20_000, 0.3)
    assert {finding.result for finding in findings} <= {"passed", "skipped"}
    assert share < 0.6, "only where nothing is hidden any more could worlds be compared, so that is no exact audit"


@pytest.mark.parametrize("spec", ["scoundrel", "knockout-whist", "phantom-tic-tac-toe"])
def test_twins_look_the_same_and_differ(spec: str):
    game, differ = load(spec), 0
    for seed in range(4):
        stream = Stream(seed)
        course = Course(game, stream, led=seed % 2 == 1)
        for line in course.moments(seed % game.players, stream):
            other = twin(game, line, 20, stream)
            array = replay(game, line, Script(stream, other.script))
            assert array is not None and array.tobytes() == bytes(other.state), "its script leads to it"
            assert other.state.observed(line.player) == line.state.observed(line.player)
            differ += bytes(other.state) != bytes(line.state)
    assert differ >= 4


def test_courses_reach_every_third_and_every_seat():
    game, met = load("knockout-whist"), set()
    for number in range(6):
        stream = Stream(number)
        course = Course(game, stream, led=number % 2 == 1, deal=number)
        assert course.arrays[0].tobytes() == bytes(game.start(number))
        assert bytes(game.start(number).replay(course.actions)) == course.arrays[-1].tobytes(), "a user gets there again"
        met |= {(line.phase, line.stands) for player in range(2) for line in course.moments(player, stream)}
    assert met >= {(phase, stands) for phase in range(3) for stands in (ACTS, WAITS)}


def test_what_a_pass_means_is_said():
    tiny = audit("kuhn-poker", seed=1, seconds=1, agent=None, compiled=False)
    assert (tiny.level, tiny.share > 0.99) == (
        "exact",
        True,
    ) and "level exact, 99.9% of what random play meets enumerated (" in str(tiny)
    assert "an observe that shows too much" in tiny.unseen[0] and "0.1% of the cases" in tiny.unseen[1]
    assert {name for name, _ in tiny.spent} == {"consistency", "sets", "pairs", "deals", "steps", "past views", "ranks"}
    large = audit("knockout-whist", seed=1, seconds=0.4, agent=None, compiled=False)
    assert large.level == "sampled" and "wrong weights of worlds after others acted unseen" in str(large)
    assert audit("tic-tac-toe").level == "smoke"


@pytest.mark.parametrize(("moments", "said"), [(1, "at 1 moment only"), (5, "at 5 moments only"), (FEW_PASTS, "")])
def test_few_looks_at_the_past_are_said(moments, said):
    look = _Look(load("knockout-whist"), 0, 1.0, 0.01, None, 10, False)
    passed = Finding(test="past views", code="honesty-forgets", result="passed", message="", cases=moments)
    found = [words for words in look.unseen([passed], "sampled") if "may forget" in words]
    assert len(found) == bool(said) and all(said in words and "playout check mygame.py:cards=6" in words for words in found)


def test_the_time_given_is_used():
    found = audit("scoundrel", seed=2, seconds=0.5, agent=None, compiled=False)
    assert sum(spent for _, spent in found.spent) > 0.4


def test_helpers_that_look_at_hidden_cards_get_a_note():
    def evaluate(state, out):
        out[0] = state.cards[0] - state.cards[1]
        out[1] = -out[0]

    found = audit(changed("kuhn-poker", evaluate=evaluate), seed=1, seconds=0.3, agent=None, compiled=False)
    notes = [finding for finding in found.findings if finding.result == "note"]
    assert found.ok and [note.code for note in notes] == ["honesty-evaluate"]
    assert "depends on what the mover cannot see" in notes[0].message


@pytest.mark.compiles
def test_walks_in_machine_code_stay_in_the_information_set():
    game = load("kuhn-poker")
    walker, met = Wanderer(game), {}
    for seed in range(8):
        stream = Stream(seed)
        for line in Course(game, stream, led=False).moments(seed % 2, stream):
            assert walker.begin(line)
            worlds = [walker.world for _ in range(40) if walker.go(20, stream) >= 0]
            assert {State(game, world, 1).observed(line.player) for world in worlds} == {line.past.seen}
            met.setdefault(line.past.seen, Counter()).update(world.tobytes() for world in worlds)
    assert all(len(count) == 2 and min(count.values()) > sum(count.values()) / 3 for count in met.values()), met
    assert len(lots(Stream(1), 1000)) == 1000 and 0.45 < lots(Stream(1), 1000).mean() < 0.55


@pytest.mark.compiles
def test_what_was_shown_is_not_forgotten():
    def forgets(state, player, rng):
        letter_worlds(state, player, rng, False)

    flawed = letter(determinize=forgets)
    findings = past(flawed, 3, 0.01, 1.0, carrier(flawed, True))
    assert [finding.code for finding in findings] == ["honesty-forgets"], findings
    assert re.search(
        r"that could be until action \d+, and what the player saw then rules it out: determinize forgets it", findings[0].message
    )
    findings = carried_on(flawed, 3, 0.01, 1.0, carrier(flawed, True))
    assert [finding.code for finding in findings] == ["honesty-forgets"] and "so determinize forgets it" in findings[0].message
    for look in (past, carried_on):
        # Uncompiled, since a second kernel costs more than all looks; few whole courses are found that way.
        assert look(letter(), 3, 0.01, 0.3, carrier(letter(), False))[0].result != "failed"


def test_odds_that_copies_of_a_card_explain():
    """Seven of seventeen unseen cards are held, two of them alike, and one of the two is played: is the other one still there? Six of the
    sixteen others say 3/8; hands that have at least one of the two have both in 3/13. The odds are twice as high, and no flaw."""
    kinds = np.dtype([("card", np.uint8)])
    sign = ("card", "bit", 0, 0)
    heaps = [np.array([(1,)] * held + [(0,)] * (1040 - held), kinds) for held in (390, 240)]
    assert odds_ratio(*heaps, sign) == pytest.approx(2.0, rel=0.01) and odds_ratio(*heaps[::-1], sign) == odds_ratio(*heaps, sign)
    assert odds_ratio(heaps[0], heaps[0], sign) == 1.0 and odds_ratio(*heaps, sign) < COPIES
