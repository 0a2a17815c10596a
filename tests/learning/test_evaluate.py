"""What learning reaches, and that the report on it is right."""

from __future__ import annotations

import pytest

from playout.agents import make_agent
from playout.errors import PlayoutError
from playout.game.load import load
from playout.learning import Judge, Learner, Outcome, from_preset, learn
from playout.learning.evaluate import sampled
from playout.learning.learner import fitted
from playout.learning.policy import Policy


@pytest.mark.compiles
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_defaults_learn_tic_tac_toe_without_a_losing_line(seed: int) -> None:
    found = learn("tic-tac-toe", episodes=100_000, seed=seed).result
    assert found.exact and found.losing_lines == [0, 0] and found.value == [0.0, 0.0]
    perfect = found.against["perfect"]
    assert perfect is not None and perfect["first"].draw == pytest.approx(1) and perfect["second"].draw == pytest.approx(1)
    assert [point.episodes for point in found.curve][-1] == 100_000
    lines = [sum(filter(None, point.evaluation.losing_lines)) for point in found.curve]
    assert lines[0] > 0 == lines[-1]


@pytest.mark.compiles
def test_an_unlearned_policy_is_random_play() -> None:
    game = load("tic-tac-toe")
    learner = Learner(game, fitted(game, from_preset(), 1))
    for symmetric in (False, True):
        found = Judge(game, symmetric=symmetric).evaluate(learner)
        first = (found.against["random"] or {})["first"]
        assert (first.win, first.draw, first.loss) == pytest.approx((737 / 1260, 8 / 63, 121 / 420))
        assert found.losing_lines == [77_904, 131_184] and found.lines == [255_168, 255_168]


@pytest.mark.compiles
def test_sampled_games_agree_with_the_exact_result() -> None:
    game = load("tic-tac-toe")
    learner = Learner(game, fitted(game, from_preset(symmetry="off"), 1000))
    learner.run(1000)
    exact = (Judge(game, symmetric=False).evaluate(learner).against["random"] or {})["second"]
    found = Judge(game, symmetric=False, most=10).evaluate(learner, 4000)
    assert not found.exact and found.games == 4000 and found.losing_lines == [None, None]
    told = (found.against["random"] or {})["second"]
    for name in ("win", "draw", "loss"):
        low, high = getattr(told, f"{name}_interval")
        assert low - 0.01 <= getattr(exact, name) <= high + 0.01
    assert found.against["perfect"] is None


@pytest.mark.compiles
def test_pig_reaches_its_value() -> None:
    found = learn("pig:target=10", episodes=60_000).result
    assert found.value is not None and found.losing_lines == [None, None]
    first = (found.against["perfect"] or {})["first"]
    assert first.win - first.loss == pytest.approx(found.value[0], abs=0.01)


@pytest.mark.compiles
def test_connect_four_on_a_small_board_reaches_the_draw() -> None:
    found = learn("connect-four:columns=4,rows=4", episodes=150_000, seed=1).result
    perfect = found.against["perfect"] or {}
    assert found.value == [0.0, 0.0]
    assert perfect["first"].win - perfect["first"].loss > -0.05 and perfect["second"].win - perfect["second"].loss > -0.05


@pytest.mark.compiles
def test_patterns_learn_seven_by_seven() -> None:
    game = load("mnk:m=7,n=7,k=4")
    learner = Learner(game, fitted(game, from_preset(values="patterns"), 3000))
    learner.run(3000)
    points = []
    for seat in (0, 1):
        won, drawn, _ = sampled(learner, seat, 300, True)
        points.append((won + drawn / 2) / 300)
    # The target is 0.80 and 0.50; an untrained policy has next to nothing.
    assert points[0] > 0.8 and points[1] > 0.5
    blank = Learner(game, fitted(game, from_preset(values="patterns"), 1))
    assert sum(sampled(blank, 0, 100, True)[:2]) < 40


@pytest.mark.compiles
def test_patterns_are_the_same_on_every_mirrored_board() -> None:
    game = load("tic-tac-toe")
    learner = Learner(game, fitted(game, from_preset(values="patterns"), 200))
    learner.run(200)
    rated = learner.rate(game.start())
    assert rated[0] == rated[2] == rated[6] == rated[8] and rated[1] == rated[3] == rated[5] == rated[7]
    assert len({rated[0], rated[1], rated[4]}) == 3


@pytest.mark.compiles
def test_shards_are_the_same_for_any_number_of_threads() -> None:
    runs = [learn("tic-tac-toe", episodes=6000, shards=3, round=2000, threads=threads, lr="0.1") for threads in (1, 3)]
    assert runs[0].policy.entries.tobytes() == runs[1].policy.entries.tobytes()
    alone = learn("tic-tac-toe", episodes=6000, lr="0.1")
    assert alone.policy.entries.tobytes() != runs[0].policy.entries.tobytes()
    assert int(runs[0].policy.entries["count"].sum()) == runs[0].policy.counts["decisions"]


@pytest.mark.compiles
def test_shards_of_sample_means_are_the_mean_of_all() -> None:
    """Where nothing is chosen, sharing out changes no mean: every episode is the same in both."""
    words = {"episodes": 4000, "epsilon": "1", "lr": "1/n", "symmetry": "off"}
    alone = learn("tic-tac-toe", **words).policy.entries  # type: ignore[arg-type]
    shared = learn("tic-tac-toe", shards=4, round=1000, **words).policy.entries  # type: ignore[arg-type]
    assert (alone["key"] == shared["key"]).all() and (alone["count"] == shared["count"]).all()
    assert shared["value"] == pytest.approx(alone["value"], abs=1e-5)


def test_rounds_must_be_whole() -> None:
    with pytest.raises(PlayoutError) as error:
        learn("tic-tac-toe", episodes=1500, shards=2, round=1000)
    assert (
        str(error.value) == "episodes is 1,500, no whole number of rounds of 1,000; with shards give a multiple, or another round"
    )


@pytest.mark.compiles
def test_a_policy_is_an_agent(tmp_path: object) -> None:
    file = learn("tic-tac-toe", episodes=50_000).policy.save(f"{tmp_path}/p.json")
    game = load("tic-tac-toe")
    agent = make_agent(f"policy:{file}", game, seed=5)
    assert agent.name == f"policy:{file}" and game.start().name(agent.act(game.start())) == "b2"
    first = make_agent(f"policy:{file},ties=first", game)
    assert first.act(game.start()) == Policy.load(file).best(game.start())[0]
    for spec, sentence in {
        "policy": "agent 'policy' needs the file of a policy: policy:policy.json, as playout learn --out or playout exploit --out writes it",
        f"policy:{file},c=1": "agent 'policy' has no option 'c'; it takes a file and ties=random or ties=first",
        f"policy:{file},ties=last": "agent 'policy' has ties='last'; it must be random or first",
    }.items():
        with pytest.raises(PlayoutError) as error:
            make_agent(spec, game)
        assert str(error.value) == sentence


@pytest.mark.compiles
def test_tactic_wins_and_blocks() -> None:
    game = load("mnk:m=7,n=7,k=4")
    agent = make_agent("tactic", game, seed=1)
    three = game.start().replay(["d4", "a1", "d5", "a7", "d6", "d7"])
    assert three.name(agent.act(three)) == "d3"
    threatened = game.start().replay(["d4", "d7", "d5", "a7", "d6"])
    assert threatened.name(agent.act(threatened)) == "d3"
    with pytest.raises(PlayoutError, match="agent 'tactic' wins or keeps others from winning, and 'kuhn-poker' hides something"):
        make_agent("tactic", load("kuhn-poker"))


@pytest.mark.compiles
def test_learning_against_an_agent_changes_what_is_learned() -> None:
    against = learn("tic-tac-toe", episodes=60, opponent="uct:simulations=20").result
    assert against.settings.opponent == "uct:simulations=20" and against.entries > 30
    with pytest.raises(PlayoutError, match="which decides by the clock: resumed, it would not play the same; give simulations"):
        learn("tic-tac-toe", episodes=10, opponent="uct:seconds=0.1")


def test_outcomes_count_draws_as_half() -> None:
    assert Outcome(0.5, 0.5, 0.0).points == 0.75 and str(Outcome(0.5, 0.5, 0.0)) == "0.5000 / 0.5000 / 0.0000"
