"""The disk cache: an edit anywhere is seen, a second process finds the code, and trouble only costs time."""

import os
import subprocess
import sys

import numpy as np
import pytest

import playout
from playout.compile import Binding, cache, shared
from playout.compile.digest import _Walk as Walk
from playout.compile.digest import digest
from playout.compile.holes import by_itself, mover, returns
from playout.errors import GameError

HELPER = "def worth(n):\n    return {value}\n"
GAME = """
import numpy as np
from {helper} import worth
players = 1
actions = 1
State = np.dtype([("done", np.int8)])
def start(state, rng):
    pass
def legal(state, out):
    out[0] = 0
    return 1
def play(state, action, rng):
    state.done = 1
def mover(state):
    return -1 if state.done else 0
def returns(state, out):
    out[0] = worth(state.done)
"""
# One small function is compiled instead of the whole search, so that these tests stay quick.
RUN = """
import sys, numpy as np
import playout
from playout.compile import Binding, cache
from playout.compile.holes import returns
def total(state, out):
    returns(state, out)
    return out[0]
total.__module__ = "playout.planner.tests"
compiled = []
cache.on_compile = compiled.append
game = playout.load(sys.argv[1])
state = game.start().play(0).copy_array()
print(Binding(game).kernel(total)(state[0], np.zeros(1)), len(compiled), len(cache.troubles))
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "helper_a.py").write_text(HELPER.format(value="n + 4.0"))
    (tmp_path / "mine.py").write_text(GAME.format(helper="helper_a"))
    return tmp_path


def environment(place, cache=None):
    return {**os.environ, "PLAYOUT_CACHE": str(cache or place / "cache")}


def run(place, cache=None):
    out = subprocess.run(
        [sys.executable, "-c", RUN, str(place / "mine.py")],
        capture_output=True,
        text=True,
        env=environment(place, cache),
        check=False,
    )
    assert out.returncode == 0, out.stderr
    value, compiled, troubles = out.stdout.split()
    return float(value), int(compiled), int(troubles)


@pytest.mark.compiles
def test_a_fresh_process_finds_the_code_and_an_edited_helper_is_seen(place):
    assert run(place) == (5.0, 1, 0)
    assert run(place) == (5.0, 0, 0)
    # The game's own file is untouched: only a helper in another file changes. To another length, since Python takes byte code of the
    # same second and the same length for that of the new text.
    (place / "helper_a.py").write_text(HELPER.format(value="n + 6.50"))
    assert run(place) == (7.5, 1, 0)


@pytest.mark.compiles
@pytest.mark.slow
def test_cached_games_do_not_mix_in_one_process(place):
    """Compiled in two processes, their functions have the same names and numbers; loaded by a third they must stay apart."""
    # A long function stays a function of its own; a short one would vanish into its caller.
    steps = "".join(f"    x = x * 1.5 + {i}.25 if x < {i}e3 else x - 3.0\n" for i in range(60))
    for name, value in (("helper_a", 4.0), ("helper_b", 40.0)):
        (place / f"{name}.py").write_text(f"def worth(n):\n    x = n * 1.0\n{steps}    return n + {value} + (x - x)\n")
    other = place / "other.py"
    other.write_text(GAME.format(helper="helper_b"))
    both = (
        RUN.replace("sys.argv[1]", "file")
        .replace("game = ", "for file in sys.argv[1:]:\n  game = ")
        .replace("\nstate =", "\n  state =")
        .replace("\nprint(", "\n  print(")
    )

    def values(*files):
        out = subprocess.run(
            [sys.executable, "-c", both, *map(str, files)], capture_output=True, text=True, env=environment(place), check=False
        )
        assert out.returncode == 0, out.stderr
        return [float(line.split()[0]) for line in out.stdout.splitlines()]

    assert values(place / "mine.py") == [5.0]
    assert values(other) == [41.0]
    assert values(place / "mine.py", other) == [5.0, 41.0]
    assert values(other, place / "mine.py") == [41.0, 5.0]


@pytest.mark.compiles
def test_functions_that_call_themselves_are_compiled_anew(place):
    """Numba cannot load such a function back (the process would crash), so it is never kept."""
    (place / "helper_a.py").write_text(
        "def worth(n):\n    if n > 1:\n        return worth(n - 1) + worth(n - 2)\n    return n + 4.0\n"
    )
    assert run(place)[0] == 5.0
    assert run(place)[0] == 5.0
    assert not list((place / "cache").rglob("*.bin"))


@pytest.fixture
def run_here(place, monkeypatch):
    """What `run` does, in this process and with nothing remembered: for what does not need one of its own."""
    compiled, troubles = [], []
    monkeypatch.setattr(cache, "on_compile", compiled.append)
    monkeypatch.setattr(cache, "troubles", troubles)
    monkeypatch.syspath_prepend(str(place))

    def call(folder=place / "cache"):
        monkeypatch.setenv("PLAYOUT_CACHE", str(folder))
        compiled.clear()
        troubles.clear()
        game = playout.load(str(place / "mine.py"))
        state = game.start().play(0).copy_array()
        return Binding(game).kernel(total)(state[0], np.zeros(1)), len(compiled), len(troubles)

    yield call
    sys.modules.pop("helper_a", None)


def total(state, out):
    returns(state, out)
    return out[0]


total.__module__ = "playout.planner.tests"


@pytest.mark.compiles
def test_a_broken_cache_only_costs_time(place, run_here):
    assert run_here() == (5.0, 1, 0)
    (file,) = (place / "cache").rglob("*.bin")
    whole = file.read_bytes()
    for damaged in (whole[: len(whole) // 2], os.urandom(500), b""):
        file.write_bytes(damaged)
        assert run_here()[:2] == (5.0, 1)
        assert run_here() == (5.0, 0, 0), "it is written anew"


@pytest.mark.compiles
def test_a_kernel_that_stands_by_itself_is_compiled_once_for_all_that_call_it(place, monkeypatch):
    compiled = []
    monkeypatch.setattr(cache, "on_compile", compiled.append)
    monkeypatch.setenv("PLAYOUT_CACHE", str(place / "cache"))
    monkeypatch.syspath_prepend(str(place))

    @by_itself
    def alone(state, out):
        returns(state, out)
        return out[0]

    def twice(state, out):
        return 2.0 * alone(state, out)

    def thrice(state, out):
        return 3.0 * alone(state, out)

    game = playout.load(str(place / "mine.py"))
    state, out = game.start().play(0).copy_array()[0], np.zeros(1)
    for function in (alone, twice, thrice):
        function.__module__ = "playout.planner.tests"
    # A new binding each time: what another has found before is found on disk.
    assert [Binding(game).kernel(function)(state, out) for function in (twice, thrice)] == [10.0, 15.0]
    assert sorted(compiled) == ["alone", "thrice", "twice"]
    compiled.clear()
    assert [Binding(game).kernel(function)(state, out) for function in (alone, twice)] == [5.0, 10.0]
    assert not compiled


@pytest.mark.compiles
def test_a_cache_that_cannot_be_written_only_costs_time(place, run_here):
    blocked = place / "blocked"
    blocked.write_text("a file where the folder should be")
    assert run_here(blocked) == (5.0, 1, 1)


@pytest.mark.compiles
def test_a_full_disk_under_the_cache_only_costs_time(place):
    # The child may write files of 1,000 bytes at most: every write of machine code fails half way, as on a full disk.
    limit = "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    code = RUN.replace("game = ", limit + "game = ", 1)
    out = subprocess.run(
        [sys.executable, "-B", "-c", code, str(place / "mine.py")],
        capture_output=True,
        text=True,
        env=environment(place),
        check=False,
    )
    assert out.stdout.split() == ["5.0", "1", "1"], out.stderr
    assert not list((place / "cache").rglob("*.bin"))


@pytest.mark.compiles
def test_two_processes_at_once(place):
    both = [
        subprocess.Popen(
            [sys.executable, "-c", RUN, str(place / "mine.py")], stdout=subprocess.PIPE, text=True, env=environment(place)
        )
        for _ in range(2)
    ]
    assert [p.communicate()[0].split()[0] for p in both] == ["5.0", "5.0"]
    assert run(place) == (5.0, 0, 0)
    assert not [p for p in (place / "cache").rglob("*") if p.name.startswith(".")]


GAMELESS = """
from playout.compile import cache
from playout.truth import METHODS, equilibrium, game_tree
compiled = []
cache.on_compile = compiled.append
tree = game_tree("kuhn-poker")
equilibrium(tree, METHODS[0], iterations=10).exploitability
print(len(compiled), len(cache.troubles))
"""


@pytest.mark.slow
@pytest.mark.compiles
def test_a_fresh_process_finds_what_knows_no_game(tmp_path):
    def compiled():
        out = subprocess.run(
            [sys.executable, "-c", GAMELESS], capture_output=True, text=True, env=environment(tmp_path), check=False
        )
        assert out.returncode == 0, out.stderr
        return [int(word) for word in out.stdout.split()]

    first, second = compiled(), compiled()
    assert first[0] > 0 and first[1] == 0
    assert second == [0, 0]


def test_what_knows_no_game_reaches_no_hole():
    def asks(state):
        return mover(state)

    with pytest.raises(ValueError, match=r"^asks reaches a hole, so it takes a game: bind\(game\)\.kernel\(asks\)$"):
        shared(asks)


@pytest.mark.compiles
@pytest.mark.parametrize("module", ["playout.engine.tests", "elsewhere"])
def test_what_calls_itself_is_not_kept_though_it_knows_no_game(tmp_path, monkeypatch, module):
    monkeypatch.setenv("PLAYOUT_CACHE", str(tmp_path))
    worth = make("def f(n):\n    return 1.0 if n < 2 else n * f(n - 1)\n", __name__=module)
    assert shared(worth)(5) == 120.0
    assert not list(tmp_path.rglob("*.bin"))


def identity(function):
    return digest(function, lambda value: value)


def make(body, **names):
    scope = dict(names)
    exec(body, scope)
    return scope["f"]


def test_the_identity_covers_all_that_a_function_reaches():
    import numpy as np

    base = "def g(x):\n    return x + K\ndef f(x):\n    return g(x) + T[0]\n"
    one = make(base, K=1, T=np.array([1, 2]))
    assert identity(one) == identity(make(base, K=1, T=np.array([1, 2])))
    others = [
        make(base, K=2, T=np.array([1, 2])),
        make(base, K=1.0, T=np.array([1, 2])),
        make(base, K=1, T=np.array([1, 3])),
        make(base, K=1, T=np.array([1, 2], np.int8)),
        make(base.replace("x + K", "x - K"), K=1, T=np.array([1, 2])),
    ]
    assert len({identity(f) for f in [one, *others]}) == 6


def test_objects_without_an_identity_are_refused():
    with pytest.raises(
        GameError, match=r"^f uses TABLE, which is a list: compiled rules cannot use that; make it a tuple or a NumPy array$"
    ):
        identity(make("def f(x):\n    return TABLE[x]\n", TABLE=[1, 2]))
    with pytest.raises(GameError, match=r"^f uses THING, which is a object: compiled rules cannot use that"):
        identity(make("def f(x):\n    return THING\n", THING=object()))


def test_functions_may_call_themselves():
    assert identity(make("def f(x):\n    return 1 if x < 2 else x * f(x - 1)\n"))


def test_a_slice_among_the_constants_is_part_of_the_identity():
    """Python 3.14 keeps the slice of `a[:]` as a constant of the code, where older ones build it anew each time."""
    told = []
    for part in (slice(None), slice(1, None), slice(None, 2, 1)):
        words = []
        Walk(words.append, lambda value: value).value(part, "rule")
        told.append(b"".join(words))
    assert len(set(told)) == 3
    with pytest.raises(GameError, match="which is a list"):
        Walk(words.append, lambda value: value).value(slice([1]), "rule uses x")


MANGLED = """
import numpy as np
from numba import from_dtype
import playout.compile.linking
for count in range({more}):
    from_dtype(np.dtype([("one", np.int64), ("other", np.int8, (count + 1,))]))
for length in (3, 4):
    print(from_dtype(np.dtype([("path", np.int64, (length,))])).mangling_args)
"""


def test_a_layout_has_one_name_in_the_code_of_every_process():
    """By a number of the process, functions of two layouts could have one name on disk, and one would run on records of the other."""
    found = [
        subprocess.run([sys.executable, "-c", MANGLED.format(more=more)], capture_output=True, text=True, check=True).stdout
        for more in (0, 5)
    ]
    one, other = found[0].splitlines()
    assert found[0] == found[1] and one != other
