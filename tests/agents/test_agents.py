"""Agents: their strings, their names, honest worlds, and the tree that is kept."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import playout
from playout.agents import Agent, Person, PersonLeft, RandomAgent, SearchAgent, ask, make_agent, recipe, world
from playout.arena.experiment import plan
from playout.compile import bind
from playout.errors import IllegalAction, PlayoutError
from playout.game.stream import Stream
from playout.learning import Learner, Policy
from playout.learning.learner import fitted
from playout.learning.settings import from_preset as learning

GAME = playout.load("tic-tac-toe")


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("random", "random"),
        ("person", "person"),
        ("uct", "uct:simulations=10000"),
        ("uct:c=1.4,simulations=1000", "uct:simulations=1000,c=1.4"),
        ("uct:seconds=0.5,solver=false,fpu=0.2,seed=4", "uct:seconds=0.5,fpu=0.2,solver=false,seed=4"),
        ("uct:memory=5", "uct:simulations=10000,memory=5"),
        ("one-depth:simulations=50", "one-depth:simulations=50"),
        ("one-depth:rule=equal", "one-depth:simulations=10000,rule=equal"),
    ],
)
def test_names_are_specs_in_one_order(spec: str, name: str) -> None:
    agent = make_agent(spec, GAME, seed=3)
    assert isinstance(agent, Agent) and agent.name == name
    assert make_agent(name, GAME, seed=3).name == name


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("utc", "unknown agent 'utc'; did you mean 'uct'?"),
        (
            "uct:simulation=3",
            "agent 'uct' has no option 'simulation'; did you mean 'simulations' or 'epsilon' or 'evaluations'?",
        ),
        ("uct:rule=ucb", "rule is 'ucb'; did you mean 'ucb1' or 'puct'?"),
        ("uct:c", "'c' in 'uct:c' is not of the form name=value; write for example mnk:m=7,n=7,k=4"),
        ("one-depth:depth=2", "agent 'one-depth' always has depth=1; leave depth out, or use uct:depth=..."),
        ("random:seed=2", "agent 'random' has no option 'seed'; it takes none, so write just 'random'"),
        ("mine.py", "unknown agent 'mine.py'; write file.py:make_agent to use your own"),
        ("uct:value=nothere.json", "policy file 'nothere.json' does not exist; make one with playout learn"),
        (
            "policy:nothere.json",
            "policy file 'nothere.json' does not exist; make one with playout learn --out, or with playout exploit --out",
        ),
        ("nothere.py:make", "agent file 'nothere.py' does not exist; give the path of a Python file, as in mine.py:make_agent"),
    ],
)
def test_what_is_refused(spec: str, sentence: str) -> None:
    with pytest.raises(PlayoutError) as caught:
        make_agent(spec, GAME)
    assert str(caught.value) == sentence


def test_the_seed_reaches_the_search() -> None:
    first, second = make_agent("uct", GAME, seed=3), make_agent("uct:seed=9", GAME, seed=3)
    assert isinstance(first, SearchAgent) and isinstance(second, SearchAgent)
    assert (first.search.settings.seed, second.search.settings.seed) == (3, 9)
    one = make_agent("one-depth", GAME)
    assert isinstance(one, SearchAgent) and one.search.settings.depth == 1


def test_random_is_uniform_and_repeats_by_seed() -> None:
    state = GAME.start()
    picks = [RandomAgent(5).act(state) for _ in range(2)]
    assert picks[0] == picks[1]
    agent = RandomAgent(1)
    counts = [0] * 9
    for _ in range(9000):
        counts[agent.act(state)] += 1
    assert min(counts) > 850 and max(counts) < 1150


@pytest.mark.compiles
def test_a_search_agent_decides_and_keeps_its_tree() -> None:
    agent = make_agent("uct:simulations=400,solver=false", GAME, seed=1)
    assert isinstance(agent, SearchAgent)
    before = GAME.start()
    action, decision = ask(agent, before)
    assert decision is not None and decision.action == action == decision.chosen.action
    after = before.play(action)
    agent.observe_action(before, action, after)
    assert agent.search.state == after
    answer = after.legal[0]
    reply = after.play(answer)
    agent.observe_action(after, answer, reply)
    assert agent.decide(reply).parent_visits > 400


@pytest.mark.compiles
def test_a_search_agent_forgets_when_moves_were_taken_back_or_the_game_ended() -> None:
    agent = make_agent("uct:simulations=50", GAME)
    assert isinstance(agent, SearchAgent)
    start = GAME.start()
    agent.observe_action(start, 4, start.play(4))
    assert agent.search.state is None
    agent.act(start)
    other = start.play(0)
    agent.observe_action(other, 1, other.play(1))
    assert agent.search.state is None
    last = start.replay(["a1", "b1", "a2", "b2"])
    agent.act(last)
    agent.observe_action(last, last.find("a3"), last.play("a3"))
    assert agent.search.state is None


def test_an_agent_proves_the_end_when_nothing_is_hidden_any_more() -> None:
    game = playout.load("scoundrel:deck=2C-3S-4C-5H-6D")
    state = game.start(1).play("avoid")
    while int(state.fields.unknown):
        state = state.play(state.legal[0])
    for spec, proves in (("ismcts:simulations=2000", True), ("ismcts:simulations=2000,solver=false", False)):
        agent = make_agent(spec, game)
        agent.search.binding = bind(game, compiled=False)
        decision = agent.decide(state)
        assert (decision is not None and decision.proven is not None) == proves


def test_a_world_has_dice_of_its_own() -> None:
    pig = playout.load("pig")
    state, stream = pig.start(1), Stream(2)
    worlds = [world(state, 0, stream) for _ in range(40)]
    assert all(bytes(w) == bytes(state) and w.word != state.word for w in worlds)
    assert {int(w.play("roll").fields.die) for w in worlds} == {1, 2, 3, 4, 5, 6}


def test_a_person_is_asked_until_the_answer_is_legal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("z9\n\nB2\n"))
    person = make_agent("person", GAME)
    assert ask(person, GAME.start()) == (4, None)
    printed = capsys.readouterr()
    assert printed.out == "" and "'z9' is not a legal action" in printed.err and "type an action by name or id" in printed.err
    with pytest.raises(PersonLeft):
        person.act(GAME.start())


def test_a_person_may_give_commands_but_actions_come_first() -> None:
    lines, seen = iter(["help", "a1"]), []
    person = Person(lambda prompt: next(lines), lambda text: None, lambda line, state: bool(seen.append(line)) or True)
    assert person.act(GAME.start()) == 0 and seen == ["help"]


OWN = """
def make_agent(game, seed=0, pick="first"):
    return lambda state: state.legal[0 if pick == "first" else -1]

class Last:
    name = "last"
    def act(self, state): return state.legal[-1]

def make_last(game, seed=0): return Last()
def make_wrong(game, seed=0): return lambda state: 77
def make_none(game, seed=0): return 3
def make_trouble(game, seed=0): return 1 / 0
"""


def test_agents_of_your_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN)
    start = GAME.start()
    assert make_agent(f"{file}:make_agent", GAME).act(start) == 0
    assert make_agent(f"{file}:make_agent,pick=last", GAME).act(start) == 8
    last = make_agent(f"{file}:make_last", GAME)
    assert (last.name, last.act(start)) == ("last", 8) and isinstance(last, Agent)
    with pytest.raises(IllegalAction, match=r"agent '.*make_wrong': '77' is not a legal action of tic-tac-toe here"):
        ask(make_agent(f"{file}:make_wrong", GAME), start)
    for maker, words in (
        ("make_agnt", "did you mean 'make_agent'"),
        ("make_none", "is a int"),
        ("make_trouble", "ZeroDivisionError"),
    ):
        with pytest.raises(PlayoutError, match=words):
            make_agent(f"{file}:{maker}", GAME)
    file.write_text("def make_agent(:\n")
    with pytest.raises(PlayoutError, match="has a syntax error in line 1"):
        make_agent(f"{file}:make_agent", GAME)


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two policies, the first in both forms."""
    folder = tmp_path_factory.mktemp("policies")
    for name, seed in (("one", 1), ("two", 2)):
        rules = fitted(GAME, learning(seed=seed), 500)
        learner = Learner(GAME, rules, compiled=False)
        learner.run(500)
        Policy.of(learner, 500, 0.0).save(folder / f"{name}.json")
    Policy.load(folder / "one.json").save(folder / "one.npz")
    return folder


@pytest.mark.compiles
def test_a_search_with_a_learned_value_is_an_agent(policies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(policies)
    made = recipe("uct:value=one.json,simulations=30", GAME)
    assert made.name == "uct:simulations=30,value=one.json" == recipe(made.name, GAME).name
    assert made.settings["value"] == "one.json"
    made.prepare()
    _, decision = ask(made.make(3), GAME.start())
    assert decision is not None and decision.settings.value == "one.json" and 0 < (decision.valued or 0) <= 30
    _, plain = ask(make_agent("uct:simulations=30", GAME, seed=3), GAME.start())
    assert plain is not None and plain.valued is None and plain.actions != decision.actions


@pytest.mark.compiles
def test_another_policy_is_another_agent(policies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(policies)
    digests = {name: recipe(f"uct:value={name}", GAME).digest for name in ("one.json", "one.npz", "two.json")}
    assert digests["one.json"] == digests["one.npz"] != digests["two.json"]
    assert recipe("uct", GAME).digest == ""
    first, *_ = plan(GAME, ["uct:value=one.json", "random"])
    (policies / "one.json").write_bytes((policies / "two.json").read_bytes())
    second, *_ = plan(GAME, ["uct:value=one.json", "random"])
    assert first.agents[0].spec == second.agents[0].spec and first.identity != second.identity


def test_a_policy_of_another_game_is_refused(policies: Path) -> None:
    with pytest.raises(
        PlayoutError, match=r"is of mnk:m=3,n=3,k=3, not of connect-four:columns=7,rows=6; learn one for this game"
    ):
        recipe(f"uct:value={policies / 'two.json'}", playout.load("connect-four"))
