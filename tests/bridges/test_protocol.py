"""The line protocol, from both ends: `playout serve`, and programs as agents."""

import sys
import time
from pathlib import Path

import pytest

import playout
from playout.agents import make_agent
from playout.bridges import pipe
from playout.bridges.protocol import Server, encode
from playout.errors import IllegalAction, PlayoutError
from tests.cli.conftest import cli  # noqa: F401

GAME = f"{Path(__file__).with_name('classes.py')}:TicTacToe"
"""A game of objects, which nobody compiles."""
KUHN = f"{Path(__file__).with_name('classes.py')}:Kuhn"


def asked(*lines, game=GAME, agent="uct:simulations=40"):
    answers = []
    Server(playout.load(game), agent, answers.append, seed=1).run(iter(lines))
    assert all(encode(answer) for answer in answers)
    return answers


def test_a_conversation():
    ready, shown, decision, again = asked(
        'position {"moves": ["a1", "b1", "a2", "b2"]}', "go", "", "go simulations=60", "quit", "show"
    )
    assert ready["agent"] == "uct:simulations=40" and ready["players"] == 2
    assert shown["position"]["mover"] == 0 and shown["position"]["legal"]["a3"] == 6 and shown["position"]["played"] == 4
    told = decision["decision"]
    assert (told["name"], told["action"], told["player"], told["proven"]) == ("a3", 6, 0, (1.0, -1.0))
    assert told["actions"][0]["visits"] >= told["actions"][-1]["visits"] and "a3 is proven" in told["why"]
    assert again["decision"]["name"] == "a3"


def test_playing_on_and_new_games():
    *_, played, fresh = asked("play b2", "play 0", "newgame 5")
    assert played["position"]["played"] == 2 and fresh["position"]["played"] == 0
    state = playout.load(GAME).start().replay(["b2", "a1"])
    _, shown = asked('position {"state": %s, "moves": ["c3"]}' % state.to_json())  # noqa: UP031
    assert shown["position"]["mover"] == 1 and len(shown["position"]["legal"]) == 6


def test_info_on_the_way_and_stop():
    def lines():
        yield "go seconds=60 every=0.05"
        time.sleep(0.4)
        yield "stop"
        yield "show"

    answers = []
    began = time.monotonic()
    Server(playout.load(GAME), "uct:simulations=40,solver=false", answers.append).run(lines())
    kinds = [next(iter(answer)) for answer in answers]
    assert kinds[0] == "ready" and "info" in kinds and kinds[-2:] == ["decision", "position"]
    assert time.monotonic() - began < 20 and answers[-2]["decision"]["stopped"] == "running"


def test_whoever_leaves_in_the_middle_gets_no_more():
    assert [next(iter(answer)) for answer in asked("go simulations=20")] == ["ready", "decision"]


def test_agents_that_do_not_search_and_hidden_cards():
    assert asked("go", agent="random")[-1]["decision"].keys() == {"action", "name", "player"}
    told = asked('position {"seed": 2, "moves": ["bet"]}', "go", game=KUHN, agent="uct:simulations=20")[-1]["decision"]
    assert told["name"] in ("pass", "bet") and told["player"] == 1


@pytest.mark.parametrize(
    "line, sentence",
    [
        ("bogus", "unknown command 'bogus'"),
        ("go depth=3", "go has no option 'depth'"),
        ("go every=x", "every is 'x'; give seconds above 0"),
        ("go simulations=0", "simulations"),
        ("position [1]", "position takes JSON"),
        ("position {", "position takes JSON"),
        ('position {"moves": 3}', "moves is 3; give a list of actions"),
        ('position {"moves": ["b2", "b2"]}', "move 2: 'b2' is not a legal action"),
        ('position {"seed": "x"}', "seed is 'x'; it must be a whole number"),
        ('position {"state": {}}', "that is no saved state"),
        ("play z9", "'z9' is not a legal action"),
        ("newgame x", "newgame takes a seed, a whole number, and not 'x'"),
    ],
)
def test_what_cannot_be_used_is_an_error_and_the_next_line_is_read(line, sentence):
    _, wrong, shown = asked(line, "show")
    assert sentence in wrong["error"] and "position" in shown


def test_over_is_over():
    *_, wrong = asked('position {"moves": [0, 3, 1, 4, 2]}', "go")
    assert wrong == {"error": "the game is over in this position: there is nothing to decide"}
    *_, wrong = asked("go seconds=1", agent="random")
    assert wrong["error"] == "agent 'random' does not search, so go takes no seconds here"


def test_the_command(cli):  # noqa: F811
    done = cli("serve", GAME, "uct:simulations=20", typed='position {"moves": ["b2"]}\ngo\n')
    assert done.code == 0 and done.out.count("\n") == 3 and '"decision"' in done.out
    done = cli("serve", GAME, "utc")
    assert done.code == 2 and "unknown agent 'utc'" in done.err


def engine(tmp_path, body):
    """A program that has its own idea of the protocol."""
    file = tmp_path / "engine.py"
    file.write_text(
        f"import json, sys\nfor line in sys.stdin:\n    word, _, rest = line.partition(' ')\n    {body}\n    sys.stdout.flush()\n"
    )
    return f"pipe:{sys.executable} -S -E {file}"


LAST = "told = json.loads(rest) if word == 'position' else globals().get('told')\n    if word.strip() == 'go': print('{\"info\": 1}'); print(json.dumps({'decision': {'name': list(told['legal'])[-1]}}))"


@pytest.fixture
def closing():
    yield
    for engines in pipe._free.values():
        while engines:
            engines.pop().close()


def test_a_program_is_an_agent(tmp_path, closing):
    """It is told what is legal by name, and is kept for the next game."""
    game, spec = playout.load(GAME), engine(tmp_path, LAST)
    agent = make_agent(spec, game, seed=3)
    state = game.start()
    state.course = ()
    assert agent.name == spec and state.name(agent.act(state)) == "c3"
    running = agent._engine
    del agent
    assert make_agent(spec, game)._engine is running
    result = playout.compete(game, [spec, "random"], games=4, seed=1, file=tmp_path / "pipe.db", engine="here")
    assert result.games == 4 and not result.faults


def test_serve_is_such_a_program(closing):
    command = f"pipe:{sys.executable} -m playout serve {GAME} uct:simulations=30"
    state = playout.load(GAME).start().replay([0, 3, 1, 4])
    assert make_agent(command, state.game).act(state) == 2


@pytest.mark.parametrize(
    "body, kind, sentence",
    [
        ("print('hello')", PlayoutError, "answered 'hello', which is no JSON"),
        ("print('[1]')", PlayoutError, "answered '[1]'; answer with an object that has an action"),
        ('print(\'{"error": "no idea"}\')', PlayoutError, "says: no idea"),
        ("sys.exit(3)", PlayoutError, "and did not answer"),
        ('print(\'{"decision": {"action": 77}}\')', IllegalAction, "'77' is not a legal action"),
        ("print('{\"decision\": {}}')", IllegalAction, "it answered {}; an agent answers with the id or the name"),
    ],
)
def test_a_program_that_errs_is_said(tmp_path, closing, body, kind, sentence):
    game = playout.load(GAME)
    agent = make_agent(engine(tmp_path, body), game)
    with pytest.raises(kind) as error:
        agent.act(game.start())
    assert sentence in str(error.value)


def test_programs_that_are_not_there():
    game = playout.load(GAME)
    with pytest.raises(PlayoutError, match="agent 'pipe' names no program; write pipe:COMMAND"):
        make_agent("pipe:", game)
    with pytest.raises(PlayoutError, match=r"agent 'pipe:no-such-program -x' cannot be started: .*No such file"):
        make_agent("pipe:no-such-program -x", game)
