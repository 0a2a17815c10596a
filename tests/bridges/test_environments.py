"""PettingZoo and Gymnasium: their own checkers pass, what is seen and paid is that of the game, and their games come in."""

import contextlib
import importlib
import io
import subprocess
import sys
import warnings

import numpy as np
import pytest

import playout
from playout.errors import IllegalAction, PlayoutError
from playout.game.load import bundled
from playout.game.stream import PICKS, Stream
from tests.cli.conftest import cli  # noqa: F401

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed: pip install 'playout[bridges]'")
pytestmark = pytest.mark.filterwarnings("ignore:The old environment creation API")
pytest.importorskip("pettingzoo", reason="pettingzoo is not installed: pip install 'playout[bridges]'")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import api_test, seed_test  # noqa: E402

from playout.bridges.environment import camel  # noqa: E402
from playout.bridges.gymnasium import CONTINUOUS, PlayoutEnv, make  # noqa: E402
from playout.bridges.pettingzoo import copied, env, from_pettingzoo  # noqa: E402
from playout.bridges.vector import PlayoutVector  # noqa: E402

LISTED = [name for name in bundled() if name not in CONTINUOUS]


@contextlib.contextmanager
def quiet():
    """Their checkers print, and warn that observations are dicts and have no bounds."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def test_the_games_with_listed_actions_are_known():
    assert {name for name in bundled() if playout.load(name).continuous} == CONTINUOUS


@pytest.mark.parametrize("name", LISTED)
def test_their_own_checkers_pass(name):
    with quiet():
        api_test(env(name), num_cycles=12)
        seed_test(lambda: env(name), num_cycles=12)
        check_env(gymnasium.make(f"playout/{camel(name)}-v0").unwrapped, skip_render_check=True)


def test_an_aec_game_is_the_game():
    """Rewards add up to the returns, the mask is what is legal, and hidden cards are not in what is seen."""
    table, game = env("leduc-poker"), playout.load("leduc-poker")
    table.reset(seed=5)
    state, picks, paid = game.start(5), Stream(5, PICKS), np.zeros(2)
    while not state.over:
        seen, _, over, _, _ = table.last()
        assert table.agent_selection == f"player_{state.mover}" and not over
        assert np.flatnonzero(seen["action_mask"]).tolist() == list(state.legal)
        other = table.game.start(5)
        assert other == game.start(5)
        action = state.random(picks)
        table.step(action)
        state = state.after(action)
        paid += [table.rewards["player_0"], table.rewards["player_1"]]
    assert tuple(paid) == state.returns and all(table.terminations.values())
    table.reset(seed=5)
    with pytest.raises(IllegalAction, match="'0' is not a legal action"):
        table.step(0)
    assert isinstance(table.render(), str)


def test_one_seat_against_an_agent():
    """The other has acted before the seat is asked; an action that is not legal ends the game with the lowest return."""
    seats = gymnasium.make("playout/TicTacToe-v0", seat=1, opponent="random", render_mode="ansi").unwrapped
    _, info = seats.reset(seed=3)
    assert info["mover"] == 1 and info["action_mask"].sum() == 8 and seats.render().count("X") == 1
    taken = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, over, cut, info = seats.step(taken)
    assert (reward, over, cut, info["illegal"]) == (-1.0, True, False, True)


def test_one_seat_gets_what_its_return_grows_by():
    alone = make("treasure", seat=2)
    _, info = alone.reset(seed=1)
    total, over = 0.0, False
    while not over:
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, reward, over, _, info = alone.step(action)
        total += reward
    assert total == alone._now.returns[2]
    with pytest.raises(PlayoutError, match="the game is over, or not begun; call reset"):
        alone.step(0)
    with pytest.raises(PlayoutError, match="seat is 3; treasure has the seats 0 to 2"):
        make("treasure", seat=3)
    assert isinstance(gymnasium.make("playout/Game-v0", game="mnk", m=4, n=4, k=3).unwrapped, PlayoutEnv)


def played(spec, count, steps, compiled):
    """What a vector of games shows when it is played at random."""
    games, draws, shown = PlayoutVector(spec, count, compiled=compiled), np.random.default_rng(1), []
    seen, infos = games.reset(seed=3)
    for _ in range(steps):
        actions = games.random_actions(draws)
        shown.append((seen["observation"], seen["action_mask"], infos["mover"], actions))
        seen, rewards, over, _, infos = games.step(actions)
        shown.append((rewards, over, games.rewards_of.copy()))
    return games, shown


@pytest.mark.parametrize("spec", ["tic-tac-toe", "leduc-poker", "treasure"])
def test_a_vector_plays_whole_games(spec):
    """State by state the games that `State.after` plays, each through the eyes of its mover."""
    from playout.game.encoding import encoding_of

    game = playout.load(spec)
    _, shown = played(spec, 3, 12, compiled=False)
    encoding = encoding_of(game, compiled=False)
    for row in range(3):
        # Seeds are spent on a first deal before `reset` deals, so the game goes on from there.
        state = None
        for (seen, mask, mover, actions), (rewards, over, gains) in zip(shown[::2], shown[1::2]):
            assert mask[row].sum() == 0 or set(mask[row].tolist()) <= {0, 1}
            if state is not None and not state.over:
                assert mover[row] == state.mover and np.flatnonzero(mask[row]).tolist() == sorted(state.legal)
                assert (seen[row] == encoding.of(state, state.mover)).all()
                after = state.play(int(actions[row]))
                if after.word == state.word:
                    assert gains[row].tolist() == [b - a for a, b in zip(state.returns, after.returns)]
                    assert rewards[row] == gains[row][state.mover] and over[row] == after.over
                state = after if after.word == state.word else None
            elif spec == "tic-tac-toe" and mask[row].sum() == 9:
                state = game.start().play(int(actions[row]))


def test_a_vector_passes_on_what_is_wrong():
    games = PlayoutVector("tic-tac-toe", 2, compiled=False)
    games.reset(seed=0)
    games.step([4, 4])
    _, rewards, over, _, infos = games.step([4, 0])
    assert rewards.tolist() == [-1.0, 0.0] and over.tolist() == [True, False] and infos["illegal"].tolist() == [True, False]
    seen, rewards, over, _, infos = games.step([4, 1])
    assert seen["action_mask"][0].sum() == 9 and not over.any() and infos["mover"].tolist() == [0, 1]
    with pytest.raises(PlayoutError, match="num_envs is 0; it must be at least 1"):
        PlayoutVector("tic-tac-toe", 0)
    many = gymnasium.make_vec("playout/TicTacToe-v0", num_envs=4, vectorization_mode="vector_entry_point", compiled=False)
    assert many.num_envs == 4


@pytest.mark.compiles
def test_a_compiled_vector_shows_the_same():
    one, other = played("tic-tac-toe", 8, 14, compiled=True)[1], played("tic-tac-toe", 8, 14, compiled=False)[1]
    assert all((a == b).all() for first, second in zip(one, other) for a, b in zip(first, second))


@pytest.fixture
def classic(monkeypatch):
    """What classic games need beside PettingZoo; pictures are drawn without a screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for package in ("pygame", "rlcard"):
        pytest.importorskip(package, reason=f"{package} is not installed: pip install 'pettingzoo[classic]'")


@pytest.mark.parametrize("name, ours", [("tictactoe_v3", "tic-tac-toe"), ("connect_four_v3", "connect-four")])
def test_classic_games_come_in(classic, name, ours):
    """The same rules as ours, action by action, and a search that takes a win in one."""
    theirs, game = playout.load(f"pettingzoo:{name}").start(), playout.load(ours).start()
    picks = Stream(4, PICKS)
    for _ in range(40):
        assert (theirs.mover, sorted(theirs.legal), theirs.over) == (game.mover, sorted(game.legal), game.over)
        if game.over:
            break
        action = game.random(picks)
        theirs, game = theirs.after(action), game.after(action)
    assert theirs.returns == game.returns
    if ours == "tic-tac-toe":
        near = theirs.game.start().replay([0, 1, 3, 4])
        assert playout.search(near, simulations=60, trees=1).action == 6, "columns of three cells"


def test_a_classic_game_with_cards_comes_in(classic):
    """Leduc poker by RLCard: the deal is in the seed, so worlds are other seeds that look the same to whoever acts."""
    game = playout.load("pettingzoo:leduc_holdem_v4")
    assert (game.players, game.actions, game.hidden, game.rejects) == (2, 4, True, True)
    state = game.start(3)
    worlds = [state.world(state.mover, Stream(seed)) for seed in range(6)]
    assert len({bytes(world) for world in worlds}) > 1 and all(
        w.observed(state.mover) == state.observed(state.mover) for w in worlds
    )
    assert playout.search(state, simulations=10, trees=1).action in state.legal
    picks = Stream(4, PICKS)
    while not state.over:
        state = state.after(state.random(picks))
    assert sum(state.returns) == 0 and any(state.returns)


def test_a_classic_game_whose_package_is_missing_is_one_sentence(classic, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("pettingzoo.classic.rlcard_envs")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rlcard", None)
    with pytest.raises(
        PlayoutError, match=r"texas_holdem_v4 needs rlcard, which is not installed: pip install 'pettingzoo\[classic\]'"
    ):
        playout.load("pettingzoo:texas_holdem_v4")


def test_there_and_back_again():
    """A game of ours as an environment as a game: the same, dealt cards found by rejection and never read off the deck."""
    back = from_pettingzoo(lambda: env("kuhn-poker"), "kuhn and back")
    assert back.hidden and back.rejects and back.players == 2
    state = back.start(3)
    seen = {bytes(state.world(0, Stream(seed))) for seed in range(12)}
    assert len(seen) > 3 and all(state.world(0, Stream(seed)).observed(0) == state.observed(0) for seed in range(4))
    assert playout.search(state, simulations=20, trees=1).action in state.legal


def test_what_cannot_be_bridged_is_said():
    def with_lock():
        import threading

        table = env("tic-tac-toe")
        table.lock = threading.Lock()
        return table

    with pytest.raises(
        PlayoutError,
        match=r"locked cannot be copied \(TypeError: cannot pickle '_thread.lock' object\), so it cannot be searched",
    ):
        from_pettingzoo(with_lock, "locked")

    def without_mask():
        table = env("tic-tac-toe")
        table.observe = lambda agent: np.zeros(3)
        return table

    with pytest.raises(PlayoutError, match="blind gives no action_mask, so nobody knows what is legal"):
        from_pettingzoo(without_mask, "blind").start().legal  # noqa: B018
    table = env("tic-tac-toe")
    table.reset(seed=0)
    other = copied(table)
    other.step(4)
    assert table.observe("player_0")["action_mask"].sum() == 9


def test_a_wrong_name_is_one_sentence_and_exit_2(cli):  # noqa: F811
    done = cli("search", "pettingzoo:tictactoe_v2")
    assert done.code == 2 and "PettingZoo has no classic game 'tictactoe_v2'; did you mean 'tictactoe_v3'?" in done.err, done


def test_a_name_of_gymnasium_may_say_where_it_comes_from():
    """Gymnasium 1.0 reads no entry points any more; a module before the name is what it imports."""
    words = """if True:
        import gymnasium
        env = gymnasium.make("playout.bridges.gymnasium:playout/Scoundrel-v0")
        env.reset(seed=1)
        print(env.unwrapped.game.spec)"""
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=120)
    assert done.stdout == "scoundrel\n", done


@pytest.mark.parametrize("module, package", [("pettingzoo", "pettingzoo"), ("gymnasium", "gymnasium")])
def test_missing_packages_are_one_sentence(monkeypatch, module, package):
    name = f"playout.bridges.{module}"
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, name)
    with pytest.raises(PlayoutError, match=f"needs {package}, which is not installed: pip install 'playout\\[bridges\\]'"):
        importlib.import_module(name)
