"""What "auto" chooses for a game: by a trial that counts instead of timing, so that it is the same everywhere."""

from __future__ import annotations

import gc
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from playout import Game, PlayoutError, Search, check, load
from playout.game.contract import REQUIRED
from playout.planner import auto, tryout
from playout.planner.auto import BROADEST, DEAREST, RAREST, results, trial

PAYS = ["connect-four", "tic-tac-toe", "breakthrough:rows=6,columns=6", "nim", "hex:size=7", "mnk:m=7,n=7,k=5"]
DEAR = ["othello", "mnk:m=8,n=8,k=5"]
POINTS = ["scoundrel", "scoundrel:reward=blend", "treasure", "root"]
NOTHING_TO_TRY = ["kuhn-poker", "scoundrel", "loss-1d", "treasure"]


@pytest.mark.parametrize("spec", PAYS)
def test_where_wins_in_one_are_seen_cheaply_playouts_look_for_them(spec: str) -> None:
    found = trial(load(spec))
    assert found is not None and found.decisive and 1 < found.cost <= DEAREST and RAREST <= found.wins < 1
    assert Search(spec, compiled=False).settings.decisive_playouts == "block"


@pytest.mark.parametrize("spec", DEAR)
def test_where_they_are_dear_playouts_stay_plain(spec: str) -> None:
    found = trial(load(spec))
    assert found is not None and found.cost > DEAREST and not found.decisive
    assert Search(spec, compiled=False).settings.decisive_playouts == "off"


def test_where_there_are_many_actions_playouts_stay_plain() -> None:
    found = trial(load("hex"))
    assert (
        found is not None
        and found.cost <= DEAREST
        and found.wins >= RAREST
        and BROADEST < found.breadth < 121
        and not found.decisive
    )
    assert Search("hex", compiled=False).auto.startswith(
        f"playouts look for no win in one: with {found.breadth:.0f} actions in a position, it is too far away"
    )


def test_where_there_are_none_playouts_stay_plain() -> None:
    found = trial(load("kalah"))
    assert found is not None and found.cost <= DEAREST and found.wins < RAREST and not found.decisive
    assert Search("kalah", compiled=False).auto.startswith(
        "playouts look for no win in one: it is there in 0% of positions only; "
    )


@pytest.mark.parametrize("spec", NOTHING_TO_TRY)
def test_some_games_have_nothing_to_try(spec: str) -> None:
    assert trial(load(spec)) is None
    search = Search(spec, compiled=False, root_rule="ucb1") if spec in POINTS else Search(spec, compiled=False)
    assert search.settings.decisive_playouts == "off" and search.auto == ""


@pytest.mark.parametrize("spec", POINTS)
def test_where_results_are_points_the_actions_race(spec: str) -> None:
    search = Search(spec, compiled=False)
    assert (search.settings.root_rule, search.settings.c, search.settings.final) == ("halving", 0.2, "mean")
    said = f"the actions race at the root (halving): results are points, {results(load(spec))} different ones in 8 random games; c is 0.2"
    assert search.auto.startswith(said)
    assert "by mean return" in search.run(simulations=60).why() or spec == "treasure"


@pytest.mark.parametrize(
    "spec", ["connect-four", "pig", "kuhn-poker", "leduc-poker", "knockout-whist", "kalah", "root:reward=win"]
)
def test_where_results_are_few_they_do_not(spec: str) -> None:
    assert 0 < results(load(spec)) < auto.MANIFOLD
    assert Search(spec, compiled=False).settings.root_rule == "ucb1"


@pytest.mark.parametrize(
    ("wanted", "rule", "c"),
    [
        ({"c": 0.7}, "halving", 0.7),
        ({"rule": "ucb1"}, "halving", 0.2),
        ({"root_rule": "ucb1"}, "ucb1", 0.5),
        ({"rule": "ucb1-tuned"}, "ucb1-tuned", 0.5),
        ({"early_stop": True}, "ucb1", 0.5),
        ({"final": "shares"}, "ucb1", 0.5),
        ({"trees": 4}, "ucb1", 0.5),
        ({"hidden": "pimc"}, "ucb1", 0.5),
        ({"depth": 1}, "ucb1", 0.5),
        ({"reward": "win"}, "ucb1", 0.5),
        ({"discount": 0.9, "solver": False}, "ucb1", 0.5),
    ],
)
def test_a_race_gives_way_to_what_is_set(wanted: dict[str, Any], rule: str, c: float) -> None:
    settings = Search("scoundrel", compiled=False, **wanted).settings
    assert (settings.root_rule, settings.c) == (rule, c)


def test_below_a_race_the_prior_of_the_game_is_read() -> None:
    """Only there: of games that are won or lost too little is known."""
    root = Search("root", compiled=False)
    assert (root.settings.rule, root.settings.fpu) == ("puct", "parent") and root.auto.endswith("what is tried first (puct)")
    for words in ({"rule": "ucb1"}, {"root_rule": "ucb1"}, {"reward": "win"}):
        assert Search("root", compiled=False, **words).settings.rule == "ucb1"
    assert Search("root:reward=win", compiled=False).settings.rule == "ucb1"
    assert Search("scoundrel", compiled=False).settings.rule == "ucb1"


def test_what_was_played_elsewhere_gives_way_to_the_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    board = load("hex")
    rules = {role: board.functions[role] for role in REQUIRED}

    def prior(state: Any, legal: Any, count: int, out: Any) -> None:
        out[:count] = 1.0

    monkeypatch.setattr(auto, "results", lambda game: auto.MANIFOLD)
    for more, rule, rave in (({}, "ucb1", 300.0), ({"prior": prior}, "puct", None)):
        game = Game("placed", {**rules, **more}, players=2, actions=board.actions, State=board.dtype, returns_range=(-1, 1))
        settings = Search(game, compiled=False).settings
        assert (settings.root_rule, settings.rule, settings.rave) == ("halving", rule, rave)


def test_a_game_may_declare_a_race_or_none() -> None:
    racing = Search(declaring({"root_rule": "halving"}), compiled=False)
    assert racing.settings.root_rule == "halving" and "root_rule=halving, as the game declares" in racing.auto
    game = load("treasure")
    rules = {role: game.functions[role] for role in REQUIRED}
    calm = Game("calm", rules, players=3, actions=game.actions, State=game.dtype, search_settings={"root_rule": "ucb1"})
    settings = Search(calm, compiled=False).settings
    assert (settings.root_rule, settings.c) == ("ucb1", 0.5)


def test_a_list_of_wins_makes_the_cost_fall() -> None:
    game = load("connect-four")
    names = {role: game.functions[role] for role in ("start", "legal", "play", "mover", "returns")}
    silent = Game("silent", players=2, actions=7, State=game.dtype, returns_range=(-1, 1), **names)
    listed, tried = trial(game), trial(silent)
    assert listed is not None and tried is not None
    assert listed.cost < 2 < 4 < tried.cost and listed.wins == tried.wins


def test_it_counts_the_same_whoever_watches() -> None:
    game = load("tic-tac-toe")
    first = auto._try(game)
    seen: list[Any] = []

    def watcher(frame: Any, event: str, argument: Any) -> None:
        seen.append(event)

    before = sys.gettrace()
    sys.settrace(watcher)
    try:
        assert auto._try(game) == first
        assert sys.gettrace() is watcher
    finally:
        sys.settrace(before)


def test_it_counts_the_same_whatever_is_collected_meanwhile() -> None:
    class Stranger:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            for _ in range(100):
                pass

    base = load("tic-tac-toe")

    def legal(state: Any, out: Any) -> Any:
        assert len([[] for _ in range(2000)]) == 2000  # enough to have what is left over collected here
        return base.functions["legal"](state, out)

    names = {role: base.functions[role] for role in ("start", "play", "mover", "returns", "wins")}
    game = Game("untidy", players=2, actions=9, State=base.dtype, returns_range=(-1, 1), legal=legal, **names)
    state, out = game.start(0), np.zeros(9, np.int64)
    gc.collect()
    first = tryout._instructions(game, "legal", state, out)
    strangers = [Stranger() for _ in range(200)]
    del strangers
    assert tryout._instructions(game, "legal", state, out) == first and gc.isenabled()


@pytest.mark.parametrize(("listed", "more"), [(-1, 7 + 3), (0, 3), (2, 3)])
def test_a_step_among_all_actions_costs_a_list_of_them(listed: int, more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `safe` says "all legal ones", `legal` has to list them as in a plain step; else `safe` lists instead of it."""
    costs = {"legal": 50, "safe": 7, "mover": 3, "play": 20, "wins": 11}
    monkeypatch.setattr(tryout, "_instructions", lambda game, role, *rest: costs[role])
    base = load("tic-tac-toe")
    names = {role: base.functions[role] for role in (*REQUIRED, "wins")}
    game = Game("safe", players=2, actions=9, State=base.dtype, returns_range=(-1, 1), safe=lambda state, out: listed, **names)
    assert tryout.decisive_cost(game, [game.start()]) == 1 + more / (50 + 20 + 3 + tryout.AROUND)


def test_what_a_step_is_compared_with_is_said() -> None:
    """Where playouts list nothing, what a step costs is counted in steps that do."""
    found = trial(load("connect-four"))
    assert found is not None and found.picks
    plain = found._replace(cost=17.0, picks=False)
    assert auto._of_decisive(plain).endswith("a step would cost about 17 plain ones")
    assert auto._of_decisive(plain._replace(picks=True)).endswith("about 17 plain ones that list the actions")


def test_a_game_that_fails_is_left_to_the_search() -> None:
    def play(state: Any, action: int, rng: Any) -> None:
        raise ZeroDivisionError

    game = load("tic-tac-toe")
    names = {role: game.functions[role] for role in ("start", "legal", "mover", "returns")}
    broken = Game("broken", players=2, actions=9, State=game.dtype, returns_range=(-1, 1), play=play, **names)
    assert trial(broken) is None


def test_the_decision_says_what_was_chosen() -> None:
    decision = Search("tic-tac-toe", compiled=False).run(simulations=30)
    assert decision.auto.startswith(
        "playouts take a win in one and block one: 31% of positions have one, and a step costs about 1."
    )
    assert decision.to_dict()["auto"] == decision.auto and f"auto: {decision.auto}" in str(decision)
    assert (
        decision.proven is None
        and decision.why().endswith(f"(auto: {decision.auto}.)")
        and "auto" not in decision.why("b2", "a1")
    )
    assert decision.settings.decisive_playouts == "block"
    by_hand = Search("tic-tac-toe", compiled=False, decisive_playouts="off").run(simulations=30)
    assert by_hand.auto == "" and by_hand.to_dict()["auto"] is None and by_hand.settings.decisive_playouts == "off"


def test_playouts_of_the_games_own_are_left_alone() -> None:
    game = load("tic-tac-toe")
    names = {role: game.functions[role] for role in ("start", "legal", "play", "mover", "returns", "wins")}
    own = Game(
        "own",
        players=2,
        actions=9,
        State=game.dtype,
        returns_range=(-1, 1),
        playout_action=lambda state, legal, count, rng: legal[0],
        **names,
    )
    assert Search(own, compiled=False).settings.decisive_playouts == "off"
    assert Search(own, compiled=False, playout="uniform").settings.decisive_playouts == "block"


def test_where_many_things_are_placed_once_they_are_judged_by_later_too() -> None:
    found = trial(load("hex"))
    assert found is not None and found.placing and found.elsewhere and not found.habits
    search = Search("hex", compiled=False)
    assert search.settings.rave == auto.PLACED and search.settings.playout == "uniform"
    # Ids above 63 and a mover do not fit into one small number, uncompiled.
    assert search.choose(simulations=130).simulations == 130
    assert search.auto.endswith(
        "; an action is also judged by what it brought when it was played later (rave): what is placed stays"
    )
    assert Search("hex", compiled=False, rave="off").settings.rave is None
    for small in ("tic-tac-toe", "hex:size=4"):
        found = trial(load(small))
        assert found is not None and found.placing and not found.elsewhere


@pytest.mark.parametrize(
    "other",
    [{"graph": True}, {"discount": 0.9, "solver": False}, {"playouts": 2}, {"final": "ucb"}, {"rule": "puct"}, {"smooth": True}],
)
def test_what_does_not_go_together_with_it_turns_it_off(other: dict[str, Any]) -> None:
    settings = Search("hex", compiled=False, **other).settings
    assert settings.rave is None and settings.playout == "uniform"


@pytest.mark.parametrize("spec", ["othello", "breakthrough"])
def test_where_there_are_many_actions_that_come_again_playouts_learn(spec: str) -> None:
    found = trial(load(spec))
    assert found is not None and found.habits and not found.placing
    search = Search(spec, compiled=False)
    assert search.settings.playout == "mast" and search.settings.rave is None
    assert f"; playouts prefer what went well before (mast): with {load(spec).actions} different actions" in search.auto
    assert Search(spec, compiled=False, playout="uniform").settings.playout == "uniform"
    evaluator = Search(spec, compiled=False, evaluator=lambda states: (None, [[0.0, 0.0]] * len(states)))
    assert evaluator.settings.playout == "uniform" and evaluator.settings.rave is None


@pytest.mark.parametrize("spec", ["connect-four", "kalah", "nim"])
def test_where_an_id_means_little_they_do_not(spec: str) -> None:
    assert Search(spec, compiled=False).settings.playout == "uniform"


def test_an_evaluation_that_tells_cuts_playouts_off() -> None:
    found = trial(load("kalah"))
    assert found is not None and auto.TELLING < found.tells < 0.5
    search = Search("kalah", compiled=False)
    assert search.settings.cutoff == auto.CUT and search.settings.cut == "evaluate"
    assert search.auto.endswith(
        f"; playouts end after 4 actions by the game's evaluate, which tells {found.tells:.0%} of the differences between results"
    )
    assert Search("kalah", compiled=False, cutoff="off").settings.cutoff is None
    assert Search("kalah", compiled=False, cutoff="9").settings.cutoff == 9


def test_where_the_order_of_actions_does_not_matter_paths_share_positions() -> None:
    """Whoever takes from a heap, it is gone: three actions in six orders; where things are owned, one player's two change places."""
    found = trial(load("nim"))
    assert found is not None and found.orders == pytest.approx(6.0, abs=0.3) and found.meeting
    search = Search("nim", compiled=False)
    assert search.settings.transpositions is True
    assert (
        "positions are shared between the paths to them (transpositions): three actions lead to one in 6.0 orders" in search.auto
    )
    for word in (False, "false"):
        assert Search("nim", compiled=False, transpositions=word).settings.transpositions is False
    assert Search("nim", compiled=False, transpositions="auto").settings.transpositions is True
    with pytest.raises(PlayoutError, match="^transpositions is 'maybe'; give true, false or auto$"):
        Search("nim", compiled=False, transpositions="maybe")
    assert Search("nim", compiled=False, discount=0.9, solver=False).settings.transpositions is False
    for spec in ("tic-tac-toe", "connect-four", "breakthrough:rows=6,columns=6", "hex:size=4"):
        owned = trial(load(spec))
        assert owned is not None and 1.7 < owned.orders <= 2.0 and not Search(spec, compiled=False).settings.transpositions


def test_without_a_key_with_chance_or_in_circles_they_do_not() -> None:
    nim = load("nim")
    names = {role: nim.functions[role] for role in ("start", "legal", "play", "mover", "returns", "key")}
    declared: dict[str, Any] = {"players": 2, "actions": nim.actions, "State": nim.dtype, "returns_range": (-1, 1)}

    def play(state: Any, action: int, rng: Any) -> None:
        names["play"](state, action, rng)
        rng.below(2)

    def orders(**changes: Any) -> float:
        game = Game("like nim", {**declared, **names, **changes})
        return tryout.orders([tryout.random_game(game, seed) for seed in range(4)])

    assert orders() > 5
    assert orders(key=None) == 0.0 and orders(play=play) == 0.0
    around = [tryout.random_game(nim, seed) for seed in range(4)]
    around[0].insert(2, around[0][0])
    assert tryout.orders(around) == 0.0


def test_one_that_tells_nothing_does_not() -> None:
    game = load("kalah")
    names = {role: game.functions[role] for role in ("start", "legal", "play", "mover", "returns")}

    def evaluate(state: Any, out: Any) -> None:
        out[0], out[1] = 0.5, -0.5

    blind = Game("blind", players=2, actions=6, State=game.dtype, returns_range=(-1, 1), evaluate=evaluate, **names)
    found = trial(blind)
    assert found is not None and found.tells == 0.0 and Search(blind, compiled=False).settings.cutoff is None


@pytest.mark.parametrize(("name", "value"), [("rave", "on"), ("cutoff", "never")])
def test_a_word_that_is_none_is_named(name: str, value: str) -> None:
    with pytest.raises(PlayoutError, match=rf"^{name} is '{value}'; give a number, auto or off$"):
        Search("tic-tac-toe", compiled=False, **{name: value})


@pytest.mark.parametrize(
    ("rows", "placed"),
    [
        ([(0, 1, 2, 3), (0, 1, 3), (0, 1)], True),
        ([(0, 1, 2, 3), (0, 1, 4), (0, 1)], False),  # as many as if one had been placed, and one of them new
        ([(0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2)], False),  # played, and there again
        ([(0, 1, 2, 3), (0, 1)], False),  # two gone at once
        ([(0, 1)], False),  # nothing was seen
    ],
)
def test_what_is_placed_is_gone_and_all_else_stays(rows: list[tuple[int, ...]], placed: bool) -> None:
    game: Any = [SimpleNamespace(legal=legal, mover=turn % 2, over=False) for turn, legal in enumerate(rows)]
    assert tryout.placing([game]) is placed


def declaring(wanted: Any) -> Game:
    """Tic-tac-toe, whose author wants it to be searched in a certain way."""
    game = load("tic-tac-toe")
    rules = {role: game.functions[role] for role in (*REQUIRED, "wins")}
    return Game("mine", rules, players=2, actions=9, State=game.dtype, returns_range=(-1, 1), search_settings=wanted)


def test_what_a_game_declares_comes_before_the_trial() -> None:
    found = Search(declaring({"c": 0.2, "decisive_playouts": "off", "cutoff": 5}), compiled=False)
    assert (found.settings.c, found.settings.decisive_playouts, found.settings.cutoff) == (0.2, "off", 5)
    assert "c=0.2, as the game declares" in found.auto and "block" not in found.auto


def test_what_is_set_by_hand_comes_before_what_a_game_declares() -> None:
    found = Search(declaring({"c": 0.2, "cutoff": 5}), compiled=False, c=0.7, cutoff=None)
    assert (found.settings.c, found.settings.cutoff) == (0.7, None)
    assert "declares" not in found.auto


def test_it_is_for_the_usual_rule_and_the_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Search(declaring({"c": 0.2}), compiled=False, rule="ucb1-tuned").settings.c == 0.5
    # Also where something is hidden, and there is no trial.
    root = load("root")
    monkeypatch.setattr(root, "search_settings", {"c": 0.2})
    assert Search(root, compiled=False).settings.c == 0.2
    assert Search(root, compiled=False, reward="win").settings.c == 0.5


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (
            {"final": "mean"},
            "game 'mine': search_settings has 'final', which no game can choose for its searches; known: c, cutoff, decisive_playouts, fpu, "
            "hidden, playout, rave, root_rule, transpositions",
        ),
        (
            {"cutof": 3},
            "game 'mine': search_settings has 'cutof', which no game can choose for its searches; did you mean 'cutoff'?",
        ),
        (
            {"c": -1},
            "game 'mine', search_settings: c is -1.0; the exploration constant must be a finite number, 0 or more",
        ),
        (
            {"hidden": "peek"},
            "game 'mine': search_settings has hidden=peek; a game can choose ismcts or mo-ismcts, and the rest is for whoever searches",
        ),
        ({"cutoff": "soon"}, "game 'mine', search_settings: cutoff is 'soon'; give a number, auto or off"),
    ],
)
def test_a_game_that_declares_what_cannot_be_is_told(wanted: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PlayoutError) as told:
        Search(declaring(wanted), compiled=False)
    assert str(told.value) == sentence


def test_what_a_game_declares_gives_way_to_what_it_does_not_go_together_with() -> None:
    game = declaring({"rave": 100, "c": 0.2})
    assert Search(game, compiled=False).settings.rave == 100
    proof = Search(game, compiled=False, proof_weight=1.0).settings
    assert (proof.rave, proof.c) == (None, 0.2)


def test_a_game_declares_how_what_it_hides_is_searched() -> None:
    game = load("leduc-poker")
    found = Search(game, compiled=False)
    assert found.settings.hidden == "mo-ismcts" and "hidden=mo-ismcts, as the game declares" in found.auto
    for given in ({"hidden": "ismcts"}, {"open_loop": True}, {"redraw": True}, {"observation_width": 2.0}, {"rule": "puct"}):
        assert Search(game, compiled=False, **given).settings.hidden == "ismcts"
    assert Search("liars-dice", compiled=False).settings.c == 1.0


def test_the_checker_finds_a_wrong_declaration() -> None:
    (found,) = check(declaring({"cutof": 3}), states=20, compiled=False).problems
    assert found.code == "search-settings" and "did you mean 'cutoff'?" in found.message


def test_settings_are_declared_by_name() -> None:
    with pytest.raises(
        PlayoutError, match="game 'mine': search_settings is 0.2; give settings by name, as in search_settings = "
    ):
        declaring(0.2)
