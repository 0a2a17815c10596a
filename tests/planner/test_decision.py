"""The decision record: hand calculations, intervals, the final choice, the sentence, the JSON, the line."""

import json
import math

import numpy as np
import pytest

import playout
from playout import ActionRecord, PlayoutError, Search, Settings, UnfinishedLine
from playout.errors import IllegalAction
from playout.planner.actions import interval, pick, weigh
from tests.engine.trees import ROWS, grown

TEN = [3, -21, -16, 18, -2, -3, -6, 6, -3, -13]
TEN_WEIGHTS = [
    6.034854258770293,
    -17.96514574122971,
    -12.965145741229707,
    21.03485425877029,
    1.034854258770293,
    0.03485425877029291,
    -2.965145741229707,
    9.034854258770293,
    0.03485425877029291,
    -9.965145741229707,
]
THREE = [-63, -41, -41]
THREE_WEIGHTS = [-11.128116797812487, -6.728116797812486, -6.728116797812486]


def table(settings, parent, visits, scores):
    records = []
    for action, score in enumerate(scores):
        exploit, explore = weigh(settings, parent, visits, score / visits)
        records.append(
            ActionRecord(
                action=action,
                name=str(action),
                visits=visits,
                score=score,
                mean=score / visits,
                exploit=exploit,
                explore=explore,
                weight=exploit + explore,
            )
        )
    return records


@pytest.mark.parametrize(
    ("parent", "visits", "scores", "weights", "chosen"),
    [(10, 1, TEN, TEN_WEIGHTS, 3), (15, 5, THREE, THREE_WEIGHTS, 1)],
)
def test_published_hand_calculations(parent, visits, scores, weights, chosen):
    settings = Settings(c=2.0, scale="raw", final="ucb")
    records = table(settings, parent, visits, scores)
    assert [r.weight for r in records] == pytest.approx(weights, abs=1e-9, rel=0)
    assert pick(settings, records, 0, None) == chosen


def test_the_kernel_selects_by_the_same_weights():
    """Replays a search: at every step the root action tried next is the first maximum of the record's weights."""
    settings = {"c": 80.0, "scale": "raw", "solver": False, "seed": 3}
    before, seen = grown(ROWS, 40, **settings).run(simulations=1), set()
    for simulations in range(41, 60):
        after = grown(ROWS, simulations, **settings).run(simulations=1)
        block = [int(after.trees[0].tree.nodes[s]["action"]) for s in after.trees[0].edges(0)]
        tried = [a.action for a, b in zip(after.actions, before.actions, strict=True) if a.visits != b.visits]
        weights = {a.action: a.weight for a in before.actions}
        assert tried == [max(block, key=lambda action: (weights[action], -block.index(action)))]
        seen.update(tried)
        before = after
    assert seen == {0, 1, 2}, "where one action is always the best, any weights would do"


def test_weight_is_exploit_plus_explore_and_counts_add_up():
    decision = grown("tic-tac-toe", 200, seed=2, solver=False).run(simulations=1)
    assert sum(a.visits for a in decision.actions) == decision.parent_visits == 201
    for a in decision.actions:
        assert a.mean == a.score / a.visits
        assert a.weight == a.exploit + a.explore
        assert a.explore == pytest.approx(decision.settings.c * math.sqrt(math.log(201) / a.visits), rel=1e-12)
        assert a.low <= a.mean <= a.high
        assert a.means[0] == -a.means[1]


def test_interval_is_honest_about_few_tries():
    error, low, high = interval(3, 3.0, 3.0, -1.0, 1.0)
    assert error == 0.0
    assert low < 0.2
    assert high == 1.0
    _, low, high = interval(10_000, 0.0, 10_000.0, -1.0, 1.0)
    assert low == pytest.approx(-0.0196, abs=1e-4)
    assert high == pytest.approx(0.0196, abs=1e-4)


def test_interval_covers():
    """Means of 40 coin flips with chance 0.8: the 95 % interval covers the truth in at least 93 of 100 cases."""
    stream = playout.Stream(seed=4)
    covered = 0
    for _ in range(2000):
        flips = [1.0 if stream.uniform() < 0.8 else -1.0 for _ in range(40)]
        _, low, high = interval(40, sum(flips), 40.0, -1.0, 1.0)
        covered += low <= 0.6 <= high
    assert covered / 2000 >= 0.93


def record(action, visits, mean, low=None, weight=None, proven=None):
    return ActionRecord(
        action=action, name=str(action), visits=visits, score=visits * mean, mean=mean, low=low, weight=weight, proven=proven
    )


def test_final_choices():
    records = [
        record(0, 100, 0.2, low=0.1, weight=0.4),
        record(1, 10, 0.6, low=-0.2, weight=0.9),
        record(2, 60, 0.3, low=0.15, weight=0.5),
    ]
    assert [pick(Settings(final=f), records, 0, 1.0) for f in ("visits", "mean", "secure", "ucb")] == [0, 1, 2, 1]


def test_proven_results_come_first():
    won = record(1, 3, 0.1, proven=(1.0, -1.0))
    lost = record(0, 500, 0.9, proven=(-1.0, 1.0))
    drawn = record(2, 5, 0.4, proven=(0.0, 0.0))
    good = record(3, 50, 0.3)
    bad = record(3, 50, -0.3)
    assert pick(Settings(), [lost, won, good], 0, 1.0) == 1
    assert pick(Settings(), [lost, good], 0, 1.0) == 1
    assert pick(Settings(), [drawn, good], 0, 1.0) == 1
    assert pick(Settings(), [drawn, bad], 0, 1.0) == 0
    assert pick(Settings(), [lost, drawn], 0, 1.0) == 1
    assert pick(Settings(), [lost, lost], 0, None) == 0


def test_why_is_a_sentence_with_the_numbers():
    decision = grown("tic-tac-toe", 300, seed=2, solver=False).run(simulations=1)
    best, other = decision.ranked[0], decision.ranked[-1]
    words = decision.why(best.name, other.action)
    assert f"{best.visits:,} against {other.visits:,}" in words
    assert f"{best.mean:+.3f}" in words and words.endswith(".")
    with pytest.raises(PlayoutError, match="'z9' is not an action of this decision; it has "):
        decision.why("z9")


def test_why_of_proven_actions():
    game = playout.load("nim:heaps=1-2")
    decision = Search(game, compiled=False).run(simulations=200)
    assert decision.proven == (1.0, -1.0)
    assert decision.why().startswith("1 from heap B is proven: win; 1 from heap A: mean -1.000 over ")


def test_json_shape():
    decision = grown("tic-tac-toe", 60, seed=2).run(simulations=1)
    data = json.loads(decision.to_json())
    assert {"game", "seed", "mover", "simulations", "seconds", "nodes", "action", "name", "actions", "line"} <= set(data)
    assert {"action", "name", "visits", "score", "mean", "low", "high", "exploit", "explore", "weight"} <= set(data["actions"][0])
    assert {"actions", "names", "finished", "returns"} <= set(data["line"])
    assert not data["line"]["finished"] and data["line"]["returns"] is None
    ended = Search(playout.load("nim:heaps=1-2"), compiled=False).run(simulations=200)
    assert json.loads(ended.to_json())["line"]["returns"] == [1.0, -1.0]


def test_the_printed_table():
    text = str(grown("tic-tac-toe", 60, seed=2).run(simulations=1))
    assert text.splitlines()[1].split() == [
        "name",
        "visits",
        "score",
        "mean",
        "interval",
        "exploit",
        "explore",
        "weight",
        "proven",
    ]
    assert text.count("\n* ") == 1


def test_line_to_the_end_raises_or_completes():
    game = playout.load(ROWS)
    decision = Search(game, compiled=False, solver=False, depth=2).run(game.start(), simulations=30)
    line = decision.line()
    assert len(line.actions) == 2 and not line.finished and len(line.states) == 3
    with pytest.raises(UnfinishedLine, match=r"^the line stops after 2 actions, before the game ends, so it has no returns"):
        line.returns  # noqa: B018
    with pytest.raises(UnfinishedLine, match=r"^tree ends at depth 2 of \d+: raise the budget or pass complete=True$"):
        decision.line(until="end")
    whole = decision.line(until="end", complete=True)
    assert whole.finished and whole.from_tree == 2 and "| playout:" in str(whole)
    assert whole == decision.line(until="end", complete=True)
    state = whole.states[0]
    for action, after in zip(whole.actions, whole.states[1:], strict=True):
        state = state.play(action)
        assert bytes(state) == bytes(after)
    assert state.over and whole.returns == state.returns


@pytest.mark.compiles
def test_line_of_a_proven_game_is_the_best_play():
    game = playout.load("treasure")
    decision = Search(game, transpositions=True).run(simulations=8000)
    assert decision.proven == (29.0, 31.0, 18.0)
    line = decision.line(until="end")
    assert line.returns == (29.0, 31.0, 18.0) and line.from_tree == len(line.actions)


def test_a_held_decision_does_not_change_when_the_search_goes_on():
    search = grown("connect-four:columns=5,rows=4", 200, solver=False)
    first = search.run(simulations=1)
    text, data = str(first), first.to_json()
    search.play(first.action)
    search.run(simulations=200)
    assert str(first) == text and first.to_json() == data
    assert first.line(until="end", complete=True).finished


def test_the_message_names_both_depths():
    """Nim with three heaps of one stone ends after three actions."""
    game = playout.load("nim:heaps=1-1-1")
    decision = Search(game, compiled=False, solver=False, depth=2).run(simulations=20)
    with pytest.raises(UnfinishedLine, match=r"^tree ends at depth 2 of 3: raise the budget or pass complete=True$"):
        decision.line(until="end")


def test_a_line_is_not_completed_with_an_illegal_action():
    """A game's own playout_action may be wrong, and then the line must say so and not show a game that cannot be."""

    def start(state, rng):
        state.left = 9

    def legal(state, out):
        out[0], out[1] = 0, 1
        return 2

    def play(state, action, rng):
        state.left -= action + 1 if action < 2 else 9

    def mover(state):
        return 0 if state.left > 0 else -1

    def returns(state, out):
        out[0] = 0.0 - state.left

    def playout_action(state, ids, count, rng):
        return 2

    game = playout.Game(
        "takes-all",
        {
            "players": 1,
            "actions": 3,
            "State": np.dtype([("left", np.int16)]),
            **{f.__name__: f for f in (start, legal, play, mover, returns, playout_action)},
        },
    )
    decision = Search(game, compiled=False, playout="game", solver=False).run(simulations=3)
    with pytest.raises(IllegalAction, match=r"^'2' is not a legal action of takes-all here"):
        decision.line(until="end", complete=True)


def test_equal_visits_are_said_to_be_equal():
    decision = Search("tic-tac-toe", compiled=False, rule="equal", solver=False, seed=1).run(simulations=90)
    one, two = decision.actions[:2]
    assert decision.why(one.action, two.action).startswith(
        f"{one.name} and {two.name} have equal visits, 10 each, so these do not tell which is better: {one.name} has a mean return of "
        f"{one.mean:+.3f} ({one.low:+.3f} to {one.high:+.3f}), {two.name} of {two.mean:+.3f}"
    )


@pytest.mark.parametrize(
    ("given", "meant"),
    [("sims", "simulations"), ("iterations", "simulations"), ("time", "seconds"), ("c_puct", "c"), ("sed", "seed")],
)
def test_what_other_packages_call_things_is_understood_in_the_answer(given, meant):
    with pytest.raises(PlayoutError, match=f"^unknown option '{given}'; did you mean '{meant}'"):
        playout.search("tic-tac-toe", **{given: 1})
