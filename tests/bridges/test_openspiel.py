"""OpenSpiel both ways: its games here, ours there, its bots as agents, and the same rules on both boards."""

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import playout
from playout.agents import Seats, ask_quickly, make_agent, truth, world
from playout.bench.alike import GAMES, Comparison, Pairs, compare
from playout.bridges import machine
from playout.bridges.to_openspiel import register, to_openspiel
from playout.bridges.twins import twin_of
from playout.errors import PlayoutError
from playout.game.stream import PICKS, Stream
from tests.cli.conftest import cli  # noqa: F401

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install 'playout[bridges]'")


@pytest.mark.parametrize("spec", GAMES)
def test_both_boards_have_the_same_rules(spec):
    found = compare(spec, 12, seed=7)
    assert found.games == 12 and found.states > 24 and found.views > 10


def test_a_difference_is_found():
    pairs = Pairs()
    pairs.add("a", 1, "here")
    with pytest.raises(PlayoutError, match="here: what looks alike here is told apart there, 1 and 2"):
        pairs.add("a", 2, "here")
    with pytest.raises(PlayoutError, match="here: what looks alike there, 1, is told apart here"):
        pairs.add("b", 1, "here")
    other = Comparison("hex:size=3")
    other.theirs = playout.load("openspiel:hex(board_size=4)")
    with pytest.raises(PlayoutError, match="hex:size=3, seed 0, .*: legal are "):
        other.play(0)
    with pytest.raises(PlayoutError, match="nim has no twin in OpenSpiel"):
        Comparison("nim")


def test_specs():
    game = playout.load("openspiel:hex,board_size=5")
    assert game is playout.load("openspiel:hex(board_size=5)") and game.spec == "openspiel:hex(board_size=5)"
    assert (game.players, game.actions, game.hidden, game.compiled) == (2, 25, False, False)
    assert game.title == "Hex, by OpenSpiel" and playout.load(game.spec) is game


@pytest.mark.parametrize(
    "word, compiled, said",
    [
        ("openspiel", True, "a search is compiled, and calls back for every rule"),
        ("openspiel-plain", False, "a search is uncompiled, too"),
    ],
)
def test_the_name_says_what_is_compiled(cli, word, compiled, said):  # noqa: F811
    game = playout.load(f"{word}:tic_tac_toe")
    assert game.spec == f"{word}:tic_tac_toe" and playout.Search(game).binding.compiled == compiled
    assert not playout.Search(game, compiled=False).binding.compiled
    assert said in cli("games", game.spec).out


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig", "leduc_poker", "matching_pennies_3p"])
def test_machine_code_is_answered_as_python_is(name):
    """The same records, draws, ids and numbers through addresses as through the rules, in a whole game, and in a playout."""
    game = playout.load(f"openspiel:{name}")
    rules, answer = game.functions, game.objects.machine.answer
    record, word = np.zeros(1, game.dtype), np.zeros(1, np.uint64)
    ids, numbers = np.zeros(game.most_legal, np.int64), np.zeros(game.players)

    def asked(role, number=0, out=None, rng=None):
        return answer(
            role, *(a if isinstance(a, int) else a.ctypes.data if a is not None else 0 for a in (record, number, out, rng))
        )

    def begun():
        record[:] = np.zeros(1, game.dtype)
        asked(machine.START, rng=word)
        fresh = game.view(np.zeros(1, game.dtype)[0])
        rules["start"](fresh, stream)
        return fresh

    for seed in range(3):
        stream, picks = Stream(seed), Stream(seed, PICKS)
        word[0] = stream.word
        state = begun()
        while rules["mover"](state) >= 0:
            count = asked(machine.LEGAL, out=ids)
            assert list(ids[:count]) == game.objects.thing(state).legal_actions()
            action = int(ids[picks.below(count)])
            rules["play"](state, action, stream)
            asked(machine.PLAY, action, rng=word)
            asked(machine.RETURNS, out=numbers)
            assert record.tobytes() == bytes(state) and word[0] == stream.word
            assert list(numbers) == game.objects.thing(state).returns() and asked(machine.MOVER) == rules["mover"](state)
        state = begun()
        assert asked(machine.WALK, 1000, rng=word) == game.objects.walk(state, 1000, stream) > 0
        assert record.tobytes() == bytes(state) and word[0] == stream.word


def test_searches_in_several_threads_do_not_disturb_each_other():
    """They share the objects of the game, and its dice."""
    game = playout.load("openspiel-plain:pig")

    def grown(seed):
        search = playout.Search(game, seed=seed, trees=1, decisive_playouts="off")
        return [(a.visits, a.score) for a in search.run(game.start(1), simulations=40).actions]

    expected, before = [grown(seed) for seed in range(4)], sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(grown, range(4))) == expected
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize(
    "name",
    [
        "tic_tac_toe",
        "leduc_poker",
        "matching_pennies_3p",
        "goofspiel(num_cards=4)",
        "backgammon",
        "pig",
        "dark_hex(board_size=2)",
        "cliff_walking",
    ],
)
def test_its_games_keep_the_contract(name):
    """Two, three and hidden hands, dice, and moves at once turned into moves in turn."""
    game = playout.load(f"openspiel:{name}")
    report = playout.check(game, states=30, seconds=0.5, compiled=False) if not game.hidden else None
    assert report is None or report.ok, report
    state, picks = game.start(3), Stream(3, PICKS)
    for _ in range(12):
        if state.over:
            break
        assert playout.load(game.spec).load_state(state.to_json()) == state and state.draw(state.mover)
        state = state.play(state.name(state.random(picks)))


def test_searches_find_what_is_there():
    """A win in one; and in Kuhn poker a king calls, a jack folds."""
    state = playout.load("openspiel-plain:tic_tac_toe").start().replay([0, 3, 1, 4])
    assert playout.search(state, simulations=150, trees=1).action == 2
    game = playout.load("openspiel-plain:kuhn_poker")
    for seed in range(20):
        state = game.start(seed)
        card = int(game.objects.thing(state.fields).information_state_string(0)[0])
        faced = state.play("Pass").play("Bet")
        if card != 1:
            assert playout.search(faced, simulations=80, trees=1).name == ("Bet" if card == 2 else "Pass")


def test_worlds_are_courses_that_look_the_same():
    for name in ("leduc_poker", "liars_dice"):
        game = playout.load(f"openspiel:{name}")
        state = game.start(4)
        state = state.after(state.legal[0])
        seen = {bytes(state.world(1, Stream(seed))) for seed in range(30)}
        assert len(seen) > 3
        assert all(state.world(1, Stream(seed)).observed(1) == state.observed(1) for seed in range(10))


def test_its_algorithms_run_on_games_from_here():
    """The uniform policy of Kuhn poker is 11/12 from equilibrium, and CFR finds one."""
    from open_spiel.python import policy
    from open_spiel.python.algorithms import cfr, exploitability

    game = to_openspiel("kuhn-poker")
    assert exploitability.nash_conv(game, policy.UniformRandomPolicy(game)) == pytest.approx(11 / 12)
    solver = cfr.CFRSolver(game)
    for _ in range(40):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.03


@pytest.mark.parametrize("spec", ["connect-four", "leduc-poker", "pig", "treasure", "knockout-whist:players=3"])
def test_a_game_from_here_is_a_game_there(spec):
    register()
    game, draws = pyspiel.load_game("playout", {"game": spec}), random.Random(1)
    state = game.new_initial_state()
    while not state.is_terminal() and len(state.history()) < 60:
        assert str(state.clone()) == str(state)
        options = [outcome for outcome, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(draws.choice(options))
    assert game.deserialize_state(state.serialize()).history() == state.history()
    assert len(state.returns()) == game.num_players() == playout.load(spec).players


def test_a_network_there_sees_what_one_here_sees():
    game = to_openspiel("tic-tac-toe")
    state = game.new_initial_state()
    state.apply_action(4)
    observer = game.make_py_observer()
    observer.set_from(state, 1)
    assert observer.tensor.sum() > 0 and observer.string_from(state, 1) == state.observation_string(1)


@pytest.mark.parametrize("spec", ["openspiel:tic_tac_toe", "openspiel:leduc_poker"])
def test_its_bots_play_its_own_games(spec, tmp_path):
    agent = "openspiel-ismcts:simulations=30" if spec.endswith("poker") else "openspiel-mcts:simulations=60"
    result = playout.compete(spec, [agent, "random"], games=6, seed=2, file=tmp_path / "games.db", engine="here")
    assert result.games == 6 and not result.faults


@pytest.mark.parametrize("spec, simulations", [("tic-tac-toe", 60), ("breakthrough:rows=6,columns=3", 40), ("nim:heaps=2-3", 10)])
def test_its_bots_play_games_from_here(spec, simulations):
    """In the twin of a game, whose actions have other ids, and in one that it does not know; after an opening that it did not see."""
    game = playout.load(spec)
    bot, other = make_agent(f"openspiel-mcts:simulations={simulations}", game, seed=3), make_agent("random", game, seed=3)
    state, seats = game.start(), Seats([bot, other], Stream(1), peeking=[False, False])
    opening = [state.legal[0], state.after(state.legal[0]).legal[0]]
    seats.begin(state, opening)
    state = state.replay(opening)
    while not state.over:
        seen = seats.shown(state.mover, partial(world, state), partial(truth, state))
        action, _ = ask_quickly(seats.agents[state.mover], seen)
        after = state.after(action)
        seats.told(state, action, after)
        state = after
    assert sum(state.returns) == 0


def test_a_bot_is_told_the_course_and_says_so():
    game = playout.load("tic-tac-toe")
    agent = make_agent("openspiel-mcts:simulations=200,c=1.4", game, seed=1)
    assert agent.name == "openspiel-mcts:simulations=200,c=1.4" and agent.wants_course
    state = game.start().replay([0, 3, 1, 4])
    with pytest.raises(PlayoutError, match="has to be told the actions of the game so far"):
        agent.act(state)
    state.course = (0, 3, 1, 4)
    assert agent.act(state) == 2
    assert make_agent("openspiel-mcts:seconds=0.02", game).act(state) == 2
    assert twin_of(playout.load("othello:size=6")) is None and twin_of(playout.load("hex:size=7")).theirs == "hex(board_size=7)"


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["search", "openspiel:conect_four"], "OpenSpiel has no game 'conect_four'; did you mean 'connect_four'"),
        (["search", "openspiel:"], "openspiel: names no game; write for example openspiel:connect_four"),
        (["search", "openspiel:hex(size=5)"], "OpenSpiel cannot load 'hex(size=5)': "),
        (["search", "openspiel:hex,board_size"], "'board_size' in 'hex:board_size' is not of the form name=value"),
        (
            ["search", "openspiel:crossword"],
            "OpenSpiel's crossword has no actions as it stands; give it the parameters that it needs",
        ),
        (["search", "openspiel:mfg_crowd_modelling"], "is a mean-field game, with a crowd in place of players"),
        (["arena", "tic-tac-toe", "openspiel-mcts:depth=3", "random"], "agent 'openspiel-mcts' has no option 'depth'"),
        (
            ["arena", "nim", "openspiel-mcts:seconds=1", "random"],
            "with its bot in Python, which has no clock; give simulations=100",
        ),
        (["arena", "nim", "openspiel-ismcts", "random"], "agent 'openspiel-ismcts' plays OpenSpiel's own games"),
        (["arena", "loss-1d", "openspiel-mcts", "uct"], "are real vectors"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_exit_2(cli, words, sentence, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    done = cli(*words)
    assert done.code == 2 and sentence in done.err and done.err.count("\n") <= 2, done


def test_a_missing_package_is_one_sentence_and_exit_2(cli, monkeypatch):  # noqa: F811
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    done = cli("search", "openspiel:kuhn_poker(players=3)")
    assert (done.code, done.err.strip()) == (
        2,
        "playout: OpenSpiel needs open_spiel, which is not installed: pip install 'playout[bridges]'",
    )
