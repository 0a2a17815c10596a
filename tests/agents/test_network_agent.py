"""The agent with a network: its strings, the policy alone and with a search, hidden cards, and who it is for the arena."""

from __future__ import annotations

from pathlib import Path

import pytest

import playout
from playout.agents import NetworkPolicy, SearchAgent, ask, ask_quickly, recipe, world
from playout.agents.network_agent import batch_for, drawn
from playout.arena.experiment import plan
from playout.errors import PlayoutError
from playout.game.stream import Stream
from playout.learning.network import Network
from playout.planner.settings import Budget

KUHN = '"""Kuhn, uncompiled."""\nfrom playout.games.kuhn_poker import *\ncompiled = False\n'
TOE = '"""Tic-tac-toe, uncompiled."""\nfrom playout.games.mnk import *\ncompiled = False\n'


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games that are never compiled, and networks that know nothing of them."""
    folder = tmp_path_factory.mktemp("networks")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in (("toe", TOE), ("kuhn", KUHN)):
            Path(f"{name}.py").write_text(text)
            Network(f"{name}.py", seed=1, device="cpu").save(f"{name}.net")
        Network("toe.py", seed=2, device="cpu").save("other.net")
    return folder


@pytest.fixture(autouse=True)
def there(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("network:toe.net", "network:toe.net,simulations=200,batch=12"),
        ("network:toe.net,simulations=1000,c=1.25", "network:toe.net,simulations=1000,c=1.25"),
        ("network:toe.net,root_rule=gumbel,simulations=32", "network:toe.net,simulations=32,root_rule=gumbel,batch=2"),
        ("network:toe.net,seconds=0.5,seed=3,device=cpu", "network:toe.net,seconds=0.5,seed=3,device=cpu"),
        ("network:toe.net,batch=4", "network:toe.net,simulations=200,batch=4"),
        ("network:toe.net,use=prior,simulations=100", "network:toe.net,simulations=100,batch=6,use=prior"),
        ("network:toe.net,use=value,simulations=100", "network:toe.net,simulations=100,batch=6,use=value"),
        ("network:toe.net,use=root,simulations=100,device=cpu", "network:toe.net,simulations=100,use=root,device=cpu"),
        ("network:toe.net,simulations=0", "network:toe.net,simulations=0"),
        ("network:toe.net,temperature=0.5,simulations=0", "network:toe.net,simulations=0,temperature=0.5"),
    ],
)
def test_names_are_specs_in_one_order(spec: str, name: str) -> None:
    made = recipe(spec, playout.load("toe.py"))
    assert made.name == name and recipe(name, playout.load("toe.py")).name == name
    assert made.settings["file"] == "toe.net" and made.make(1).name == name


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (
            "network",
            "agent 'network' needs the file of a network: network:four.net,simulations=200, as playout learn --learner network writes it",
        ),
        ("network:no.net", "network file 'no.net' does not exist; make one with playout learn --learner network"),
        ("network:toe.py", "'toe.py' is not a network file; make one with playout learn --learner network"),
        (
            "network:toe.net,simulation=5",
            "agent 'network' has no option 'simulation'; did you mean 'simulations' or 'epsilon' or 'evaluations'?",
        ),
        ("network:toe.net,cutoff=3", "cutoff=3 is about playouts, and with an evaluator there are none; leave cutoff out"),
        ("network:toe.net,use=luck", "use is 'luck'; known: both, prior, root, value"),
        (
            "network:toe.net,simulations=0,use=prior",
            "agent 'network' with simulations=0 plays by its policy alone, so use=prior is for nothing; leave use out",
        ),
        ("network:toe.net,device=tpu", "device is 'tpu'; did you mean 'cpu'?"),
        (
            "network:toe.net,simulations=0,c=2",
            "agent 'network' with simulations=0 plays by its policy alone, so c=2 is for nothing; leave c out",
        ),
        (
            "network:toe.net,temperature=1",
            "agent 'network' has a temperature where it plays by its policy alone, simulations=0; with a search, final=shares draws",
        ),
        (
            "network:toe.net,simulations=0,temperature=hot",
            "agent 'network' has temperature=hot; give a number from 0 (always the likeliest action) to 100",
        ),
    ],
)
def test_what_is_wrong_is_said(spec: str, sentence: str) -> None:
    with pytest.raises(PlayoutError) as error:
        recipe(spec, playout.load("toe.py"))
    assert str(error.value) == sentence


def test_a_network_of_another_game_is_refused() -> None:
    with pytest.raises(PlayoutError, match=r"^network file 'kuhn.net' is of kuhn, not of toe\S*; learn one for this game$"):
        recipe("network:kuhn.net", playout.load("toe.py"))


def test_the_policy_alone_takes_the_likeliest_legal_action() -> None:
    game = playout.load("toe.py")
    agent, network = recipe("network:toe.net,simulations=0", game).make(1), Network.load("toe.net", game, device="cpu")
    assert isinstance(agent, NetworkPolicy)
    state = game.start()
    while not state.over:
        shares, _ = network.look(state)
        action, decision = ask(agent, state)
        assert decision is None and shares[action] == max(shares.values())
        state = state.play(action)


def test_a_temperature_draws() -> None:
    shares, stream = {3: 0.6, 1: 0.3, 2: 0.1}, Stream(5)
    counts = {t: [drawn(shares, t, stream) for _ in range(2000)].count(3) / 2000 for t in (0.25, 1.0, 50.0)}
    assert counts[0.25] == pytest.approx(0.6**4 / (0.6**4 + 0.3**4 + 0.1**4), abs=0.03)
    assert counts[1.0] == pytest.approx(0.6, abs=0.03) and counts[50.0] == pytest.approx(1 / 3, abs=0.04)
    game = playout.load("toe.py")
    made = recipe("network:toe.net,simulations=0,temperature=1", game)
    assert [made.make(7).act(game.start()) for _ in range(3)] == [made.make(7).act(game.start())] * 3
    assert len({made.make(seed).act(game.start()) for seed in range(20)}) > 2


def test_a_search_goes_by_the_network_and_keeps_its_tree() -> None:
    game = playout.load("toe.py")
    made = recipe("network:toe.net,simulations=40", game)
    made.prepare()
    agent, again = made.make(4), made.make(4)
    assert isinstance(agent, SearchAgent) and made.threads == 1
    action, decision = ask(agent, game.start())
    assert decision is not None and decision.evaluator == "the network toe.net" and decision.settings.rule == "puct"
    assert ask_quickly(again, game.start()) == (action, 40)
    prior = Network.load("toe.net", game, device="cpu").look(game.start())[0]
    assert {a.action: a.prior for a in decision.actions} == pytest.approx(prior)
    after = game.start().play(action)
    agent.observe_action(game.start(), action, after)
    assert agent.search.trees[0].visits == decision.chosen.visits


@pytest.mark.parametrize("spec", ["network:kuhn.net,simulations=30", "network:kuhn.net,simulations=0"])
def test_hidden_cards_are_not_seen(spec: str) -> None:
    """Whatever the other one holds: the same world for the mover, and the same action."""
    game = playout.load("kuhn.py")
    deals = {}
    for seed in range(40):
        state = game.start(seed)
        deals.setdefault(state.observed(state.mover), {}).setdefault(bytes(state), state)
    same = next(list(states.values()) for states in deals.values() if len(states) > 1)
    answers = [ask(recipe(spec, game).make(2), world(state, state.mover, Stream(9))) for state in same[:2]]
    assert same[0] != same[1] and answers[0][0] == answers[1][0]
    if answers[0][1] is not None and answers[1][1] is not None:
        assert [a.visits for a in answers[0][1].actions] == [a.visits for a in answers[1][1].actions]
    network = Network.load("kuhn.net", game, device="cpu")
    assert network.look(same[0]) == network.look(same[1]), "not even with the truth before it"


def test_another_file_is_another_agent(files: Path) -> None:
    game, before = playout.load("toe.py"), Path("toe.net").read_bytes()
    for spec in ("network:toe.net,simulations=30", "network:toe.net,simulations=0"):
        first, *_ = plan(game, [spec, "random"])
        try:
            Path("toe.net").write_bytes(Path("other.net").read_bytes())
            second, *_ = plan(game, [spec, "random"])
        finally:
            Path("toe.net").write_bytes(before)
        assert first.agents[0].spec == second.agents[0].spec and first.identity != second.identity


def test_few_simulations_have_small_batches() -> None:
    sizes = [batch_for(Budget(simulations=count)) for count in (1, 16, 32, 200, 400, 10_000)]
    assert sizes == [1, 1, 2, 12, 16, 16] and batch_for(Budget(seconds=1)) == 16
