"""Games of ordinary Python objects: the same trees as records, courses that can be played again, and sentences for what is wrong."""

import json
from functools import cache
from pathlib import Path

import pytest

import playout
from playout.bridges.draws import Draws, parts
from playout.bridges.objects import FRESH, KEPT
from playout.checker.contract.objects import field
from playout.compile.digest import rules
from playout.errors import GameError, PlayoutError
from playout.game.stream import PICKS, Stream
from playout.game.tape import outcomes
from playout.learning import Learner, from_preset
from playout.learning.learner import fitted
from playout.truth.perfect.position import solve_position
from tests.bridges.classes import ByPlace, Coin, Kuhn, Race, TicTacToe
from tests.cli.conftest import cli  # noqa: F401

EXAMPLES = Path(__file__).parents[2] / "examples"
FILE = str(Path(__file__).with_name("classes.py"))
EXAMPLE = Path(__file__).parents[2] / "examples" / "connect_four_objects.py"
KINDS = (TicTacToe, Race, Coin, Kuhn, ByPlace)


def grown(game, simulations=60, **settings):
    settings = {"seed": 1, "trees": 1, "compiled": False, "decisive_playouts": "off", **settings}
    decision = playout.Search(game, **settings).run(simulations=simulations)
    return [(a.visits, a.score) for a in decision.actions], decision.name


def random_game(game, seed):
    state, picks = game.start(seed), Stream(seed, PICKS)
    while not state.over:
        yield state
        state = state.after(state.random(picks))
    yield state


@pytest.mark.parametrize("settings", [{}, {"decisive_playouts": "block"}, {"playouts": 3}, {"cutoff": 4}, {"rave": 50}])
def test_a_class_and_a_record_grow_the_same_tree(settings):
    """Whole playouts that the object makes in one call draw what those of the engine draw, step by step."""
    objects = playout.load(f"{EXAMPLES / 'connect_four_objects.py'}:ConnectFour")
    assert grown(objects, **settings) == grown(playout.load(EXAMPLES / "connect_four.py"), **settings)


def test_chance_draws_the_same_in_one_call_and_step_by_step():
    game = playout.load(Race)
    whole, one_by_one = game.start(5).fields, game.start(5)
    stream, steps = Stream(9), Stream(9)
    count = game.objects.walk(whole, 1000, stream)
    for _ in range(count):
        array, action = one_by_one.copy_array(), one_by_one.legal[steps.below(2)]
        game.functions["play"](game.view(array[0]), action, steps)
        one_by_one = playout.State(game, array, 1)
    assert one_by_one.over and bytes(one_by_one) == bytes(whole) and steps.word == stream.word


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_is_its_course_and_can_be_played_again(kind):
    """Saved, sent and copied as bytes: another game object, which has none of the objects, says the same of it."""
    game, other = playout.load(kind), playout.load(kind)
    for state in (*random_game(game, 3), *random_game(game, 4)):
        again = other.load_state(state.to_json())
        assert bytes(again) == bytes(state)
        assert (again.mover, again.legal, again.returns) == (state.mover, state.legal, state.returns)
        assert [again.name(a) for a in again.legal] == [state.name(a) for a in state.legal]
        assert again.draw() == state.draw() and again.observed(0) == state.observed(0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_checker_finds_nothing(kind):
    report = playout.check(playout.load(kind), states=100, seconds=1, compiled=False)
    assert report.ok, report


def test_memory_does_not_grow_with_a_search():
    game = playout.load(TicTacToe)
    playout.Search(game, trees=1, prove=0.0).run(simulations=400)
    table = game.objects
    assert len(table._kept) <= KEPT and len(table._fresh) <= FRESH
    table._kept.clear()
    table._fresh.clear()
    state = game.start().replay(["b2", "a1", "c3"])
    table._kept.clear()
    table._fresh.clear()
    assert len(state.legal) == 6


def test_known_answers():
    assert grown(playout.load(TicTacToe), 600)[1] == "b2"
    _, best = grown(playout.load(ByPlace), 2000, transpositions=True)
    assert best == "1-1", "two heaps of 3 and 4: whoever makes them equal wins"
    assert grown(playout.load(Coin), 300)[1] == "1", "heads come three times in four"
    (stop, roll), _ = grown(playout.load(Race), 300)[0][::-1], None
    assert roll[0] > stop[0], "0 points are nothing to keep"


def test_hidden_cards_stay_hidden():
    """What a player is handed is a course of its own: the other's card is drawn, and the true one is nowhere in it."""
    game = playout.load(Kuhn)
    state = game.start(2)
    cards = {game.objects.thing(state.world(0, Stream(seed)).fields).cards[1] for seed in range(40)}
    mine = game.objects.thing(state.fields).cards[0]
    assert cards == {0, 1, 2} - {mine}
    assert grown(game, 150)[0] == grown(game, 150)[0]
    assert playout.search(game, simulations=100, trees=1).worlds


def test_exact_tools_enumerate_chance():
    """A shuffle of three cards is six courses; a coin of 3 to 1 is four parts, three of them equal courses."""
    game = playout.load(Kuhn)

    def deal(tape):
        state = game.start().fields
        game.functions["start"](state, tape)
        return tuple(game.objects.thing(state).cards)

    found = {}
    for chance, cards in outcomes(deal):
        found[cards] = found.get(cards, 0) + chance
    assert len(found) == 6 and all(chance == pytest.approx(1 / 6) for chance in found.values())
    assert parts((0.25, 0.75)) == ((1, 4), 4) and parts((0.1, 0.9)) == ((1, 10), 10)
    assert parts((1 / 3, 2 / 3)) == ((1, 3), 3) and parts((0.123456789012, 0.876543210988))[1] == 0


def test_draws_are_those_of_python():
    draws = Draws().from_stream(Stream(1))
    deck = list(range(52))
    draws.shuffle(deck)
    told = [draws.randint(1, 6), draws.choice("abc"), draws.random(), draws.below(1 << 20), draws.getrandbits(40), draws.below(1)]
    told += [draws.sample(range(100), 3), draws.uniform(2, 3), draws.choices("xy", [1, 9], k=3)]
    again, other = Draws().from_notes(draws.noted, 0), list(range(52))
    again.shuffle(other)
    same = [again.randint(1, 6), again.choice("abc"), again.random(), again.below(1 << 20), again.getrandbits(40), again.below(1)]
    same += [again.sample(range(100), 3), again.uniform(2, 3), again.choices("xy", [1, 9], k=3)]
    assert deck == other and told == same and again.at == len(draws.noted) and sorted(deck) == list(range(52))


def test_specs_parameters_and_identity():
    game = playout.load(f"{FILE}:Coin,rounds=3")
    assert (
        game.spec == f"{FILE}:Coin,rounds=3"
        and playout.load(game.spec) is game
        and playout.load(game, rounds=2).parameters["rounds"] == 2
    )
    assert game.parameters == {"rounds": 3, "heads": 0.75} and not game.compiled
    assert len(rules(game)) == 24 and rules(game) != rules(playout.load(f"{FILE}:Coin"))
    assert playout.load(f"{FILE}:Coin").spec == f"{FILE}:Coin"


def test_an_arena_and_its_replay(tmp_path):
    result = playout.compete(
        playout.load(f"{FILE}:Kuhn"), ["uct:simulations=20", "random"], games=8, seed=1, file=tmp_path / "kuhn.db", engine="here"
    )
    assert result.games == 8


def broken(**methods):
    names = {word: value for word, value in vars(TicTacToe).items() if not word.startswith("__") or word == "__init__"}
    names |= methods
    return type("Broken", (), {word: value for word, value in names.items() if value is not None})


def shallow(self):
    other = type(self).__new__(type(self))
    other.__dict__.update(self.__dict__)
    return other


def by_luck(self, action):
    import random

    self.cells[action] = random.random()
    self.turn = 1 - self.turn


SENTENCES = [
    ({"legal_actions": None}, "class 'Broken' has no method legal_actions; add def legal_actions(self)"),
    ({"is_over": None, "is_terminal": lambda self: True}, "it has is_terminal, so name that is_over"),
    ({"current_player": None}, "class 'Broken' has no method current_player; add def current_player(self)"),
    ({"players": 0}, "players is 0; say how many there are"),
    ({"copy": shallow}, "the two share something (a list, a dict); copy that, too, or leave copy out"),
    ({"copy": lambda self: self}, "copy returned the object itself; return another one"),
    (
        {"apply": by_luck},
        "the same action led to two different states; take chance from the stream: def apply(self, action, rng)",
    ),
    ({"apply": lambda self, action: 3}, "apply returned 3; change the object and return nothing, or return a new Broken"),
    ({"apply": lambda self, action: 1 / 0}, "apply failed with ZeroDivisionError: division by zero"),
    ({"legal_actions": lambda self: []}, "nothing is legal and is_over says that it goes on"),
    ({"legal_actions": lambda self: ["x"]}, "'x' is legal, and not among its actions; list all of them in actions"),
    ({"actions": 3.5}, "actions is 3.5; say how many ids there are, or list all actions"),
    ({"actions": [1, 1]}, "actions lists 2 actions, 1 of them different; list each once"),
    ({"longest": 0}, "longest is 0; it must be from 1 to 30,000"),
    ({"determinize": lambda self, player, rng: None}, "has determinize, which objects cannot have"),
    ({"observation": lambda self, player: 0, "actions": None}, "hides something, and does not declare its actions"),
    ({"__init__": lambda self, size: None}, "cannot be started without size; give it a default"),
]


@pytest.mark.parametrize("methods, sentence", SENTENCES)
def test_what_is_wrong_is_said(methods, sentence):
    with pytest.raises(GameError) as error:
        kind = broken(**methods)
        if methods.get("actions", 0) is None:
            kind.legal_actions = lambda self: [0]
        playout.load(kind)
    assert sentence in str(error.value)


def test_returns_and_length_are_looked_at_while_playing():
    game = playout.load(broken(returns=lambda self: [1]))
    end = game.start().replay([0, 1, 2, 3, 4, 5, 6])
    with pytest.raises(GameError, match="returns gave \\[1\\], and there are 2 players"):
        end.returns  # noqa: B018
    with pytest.raises(GameError, match="went beyond 3 actions and draws; if games may be that long, declare longest = 8"):
        playout.load(broken(longest=3)).start().replay([0, 1, 2, 3])
    data = json.loads(playout.load(TicTacToe).start().replay(["b2", "a1"]).to_json())
    data["state"]["events"][1] = 40
    with pytest.raises(PlayoutError, match=r"failed with IndexError|cannot be played again"):
        playout.load(TicTacToe).load_state(json.dumps(data)).legal  # noqa: B018


@pytest.mark.parametrize(
    "spec, sentence",
    [
        ("nowhere.py:Game", "game file 'nowhere.py' does not exist"),
        (f"{EXAMPLE}:Nothing", "has no class 'Nothing'; known: ConnectFour\n"),
        (f"{FILE}:Coyn", "has no class 'Coyn'; did you mean 'Coin'?"),
        (f"{FILE}:Coin,sides=3", "game 'Coin' has no parameter 'sides'; parameters: rounds, heads"),
        (f"{FILE}:Coin,rounds=x", "parameter rounds='x' is not a valid int; for example rounds=2"),
    ],
)
def test_wrong_names_are_one_sentence_and_exit_2(cli, spec, sentence):  # noqa: F811
    done = cli("search", spec, "--simulations", "5")
    assert done.code == 2 and sentence in done.err, done


def test_check_says_what_to_change():
    report = playout.check(playout.load(TicTacToe), states=20, seconds=0.5, compiled=False)
    speed, cure = (note for note in report.notes if "objects" in note or "to make it compile" in note)
    assert "its states are Python objects, so nothing is compiled: " in speed and " actions a second" in speed
    assert "State = np.dtype([('cells', np.int8, how many keys there can be: number them), ('turn', np.int64)])" in cure
    assert field("board", [[0] * 7] * 6) == "('board', np.int8, (6, 7))"
    assert field("hand", {"a": 1}) == "('hand', np.int8, how many keys there can be: number them)"
    assert field("winner", None) == "('winner', np.int8: -1 for none)" and field("x", 0.5) == "('x', np.float64)"
    assert field("name", "b") == "('name', np.int8: number the texts)" and "changing length" in field("stack", [])


def test_the_class_of_the_page_is_a_game(tmp_path):
    page = (EXAMPLES.parent / "docs" / "bridges.md").read_text(encoding="utf-8")
    file = tmp_path / "nim.py"
    file.write_text(page.split("```python\n")[1].split("```")[0], encoding="utf-8")
    game = playout.load(f"{file}:Nim,stones=9")
    assert playout.search(game, simulations=300, trees=1, compiled=False).name == "1", "whoever leaves a multiple of four wins"


class CalledBack(TicTacToe):
    """The same with a compiled search, which fails when it is told to."""

    compiled_search = True
    fails = False

    def apply(self, action):
        if CalledBack.fails and len(self.cells) == 4:
            raise KeyError("the dog ate it")
        super().apply(action)


@pytest.mark.compiles
def test_a_compiled_search_calls_the_object_back():
    """Machine code that asks Python for every rule grows the same tree; what a rule raises comes out of it."""
    game = playout.load(CalledBack)
    trees = []
    for compiled in (True, False):
        search = playout.Search(game, seed=1, trees=1, decisive_playouts="off", compiled=compiled)
        assert search.binding.compiled == compiled
        decision = search.run(simulations=300)
        trees.append([(a.visits, a.score, a.proven) for a in decision.actions])
    assert trees[0] == trees[1]
    CalledBack.fails = True
    try:
        search = playout.Search(game, seed=1, trees=1, decisive_playouts="off")
        with pytest.raises(GameError, match="failed with KeyError: 'the dog ate it'"):
            search.run(simulations=300)
    finally:
        CalledBack.fails = False
    assert playout.Search(game, seed=1, trees=1, decisive_playouts="off").run(simulations=50).name
    assert playout.search_many([game.start()], simulations=20).actions.size == 1


class Keyed(TicTacToe):
    """The same, with what tells positions apart."""

    def copy(self):
        other = Keyed()
        other.cells, other.turn = dict(self.cells), self.turn
        return other

    def key(self):
        return sorted(self.cells.items())


def test_a_small_game_is_solved_whole():
    found = playout.solve(playout.load(Keyed))
    assert len(found.positions) == 5478 and found.value == (0.0, 0.0)
    found = playout.solve(playout.load(ByPlace))
    assert len(found.positions) == 36 and found.value == (1.0, -1.0)


class Roll:
    """Roll or stop before a 1 comes, as Race has it, and told apart."""

    players, actions, longest = 1, ["roll", "stop"], 60

    def __init__(self):
        self.total, self.done = 0, False

    def legal_actions(self):
        return ["roll", "stop"]

    def apply(self, action, rng):
        die = rng.randint(1, 6) if action == "roll" else 0
        self.total = 0 if die == 1 else self.total + die
        self.done = die < 2 or self.total > 50

    def is_over(self):
        return self.done

    def returns(self):
        return self.total

    def key(self):
        return self.total, self.done


def test_chance_is_enumerated():
    """What a roll is worth, as the six outcomes of a die say by hand."""

    @cache
    def worth(total):
        return total if total > 50 else max(total, sum(worth(total + die) for die in range(2, 7)) / 6)

    assert playout.solve(playout.load(Roll)).value == pytest.approx((worth(0),))


def test_a_position_is_solved():
    found = solve_position(playout.load(TicTacToe).start().replay(["b2", "b1"]), nodes=5000)
    assert (found.result, found.value) == ("win", [1.0, -1.0])


def test_values_are_learned():
    """Number by number what the uncompiled record learns; and the policy plays."""
    tables = []
    for game in (playout.load(ByPlace), playout.load("nim:heaps=3-4")):
        learner = Learner(game, fitted(game, from_preset("best", seed=3, symmetry="off"), 60), compiled=False)
        learner.run(60)
        tables.append(sorted(zip(learner.contents()["value"].tolist(), learner.contents()["count"].tolist())))
    assert tables[0] == tables[1] and len(tables[0]) > 20
    game = playout.load(ByPlace)
    found = playout.learn(game, episodes=200, seed=3)
    assert found.result.value == [1.0, -1.0] and game.start().name(found.policy.choose(game.start())) == "1-1"


@pytest.mark.parametrize("command", [("solve",), ("learn", "--episodes", "10", "--out", "policy.json")])
def test_what_has_no_key_is_said(cli, command, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    done = cli(command[0], f"{FILE}:TicTacToe", *command[1:])
    assert done.code == 2 and "add def key(self), a text or tuple that only equal positions share" in done.err, done
