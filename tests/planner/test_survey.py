"""The survey of worlds after a search: known answers, the same bits, no say in the decision, no eye on the true state."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

import playout
from playout import Game, GameError, PlayoutError, Search, below
from playout.planner.survey.record import fisher
from playout.planner.survey.surveyor import facts
from playout.report.boards import board
from tests.engine.secrets import COIN, fusion
from tests.engine.trees import same_bits

# Naming a coin that lies hidden: in every world one of the two sides is right, and a third action is never the best.


def coin_start(state, rng):
    state.coin = 1 + below(rng, 2)


def coin_legal(state, out):
    for i in range(3):
        out[i] = i
    return 3


def coin_play(state, action, rng):
    state.guess = 1 + action
    state.stage = 1


def coin_mover(state):
    return -1 if state.stage else 0


def coin_returns(state, out):
    out[0] = 0.0
    if state.stage:
        out[0] = -3.0 if state.guess == 3 else 1.0 if state.guess == state.coin else -1.0


def coin_observe(state, player):
    if state.stage == 0:
        state.coin = 0


def coin_determinize(state, player, rng):
    if state.stage == 0:
        state.coin = 1 + below(rng, 2)


def coin(**more: Any) -> Game:
    """Actions: 0 heads, 1 tails, 2 give up."""
    names = {
        "players": 1,
        "actions": 3,
        "State": COIN,
        "start": coin_start,
        "legal": coin_legal,
        "play": coin_play,
        "mover": coin_mover,
        "returns": coin_returns,
        "observe": coin_observe,
        "determinize": coin_determinize,
    }
    return Game("coin", **{**names, **more})


def surveyed(game: Game | str, worlds: int = 60, state: Any = None, **settings: Any) -> playout.Decision:
    search = Search(game, compiled=isinstance(game, str), **settings)
    return search.survey(search.run(state, simulations=200), worlds, 30)


def without_time(decision: playout.Decision) -> dict[str, Any]:
    assert decision.survey is not None
    return {**decision.survey.to_dict(), "seconds": 0, "method": ""}


# known answers


def test_each_side_of_a_coin_is_best_in_half_of_the_worlds() -> None:
    decision = surveyed(coin(), worlds=400, seed=1)
    found = decision.survey
    assert found is not None and found.worlds == 400 and decision.worlds == 200
    heads, tails, quits = found.actions
    assert heads.best + tails.best == 400 and quits.best == 0
    assert heads.best == heads.alone and abs(heads.best - 200) < 50 and heads.low < 0.5 < heads.high
    # Wrong costs 2 of the 400 times in about half of the worlds, and giving up 4 in all.
    assert heads.regret == pytest.approx(2 * tails.best / 400) and quits.regret == 4.0
    assert (heads.mean, quits.mean) == (pytest.approx((heads.best - tails.best) / 400), -3.0)
    other = tails.best if decision.action == 0 else heads.best
    assert found.against == other == found.clearly and found.by == 2.0 and found.worst_by == 2.0


def test_what_sets_the_worlds_apart_is_the_coin() -> None:
    decision = surveyed(coin(), seed=1)
    found = decision.survey
    assert found is not None and found.difference is not None and found.worst is not None
    wrong = 2 - decision.action
    assert found.difference.words == f"coin is {wrong}" and int(found.worst.fields.coin) == wrong
    assert (found.difference.against, found.difference.others) == (found.against, 0)
    assert found.difference.chance < 1e-6 and f"What sets them apart: coin is {wrong}" in found.mind()
    named = surveyed(coin(hidden_facts=lambda state, viewer: [f"the coin shows {'?HT'[state.coin]}"]), seed=1)
    assert named.survey is not None and f"the coin shows {'?HT'[wrong]}: in" in named.survey.mind()


def test_outcomes_are_read_from_the_same_number_of_simulations_through_each_action() -> None:
    found = surveyed(coin(), seed=1).survey
    assert found is not None
    heads, tails, quits = (a.spread for a in found.actions)
    assert heads is not None and tails is not None and quits is not None
    assert heads.samples == tails.samples == quits.samples and found.samples == 3 * heads.samples
    assert heads.quantiles[0] == -1.0 and heads.quantiles[-1] == 1.0 and set(heads.quantiles) == {-1.0, 1.0}
    assert heads.wins is not None and heads.wins_low is not None and heads.wins_high is not None
    assert heads.wins_low < 0.5 < heads.wins_high and heads.mean == pytest.approx(2 * heads.wins - 1)
    assert quits.quantiles == (-3.0,) * 5 and quits.deviation == 0.0 and quits.wins == 0.0


def test_strategy_fusion_shows_in_the_survey_and_not_in_the_decision() -> None:
    """Going on is best in every world with open cards, and the decision is still right not to."""
    decision = surveyed(fusion(), c=1, seed=1)
    found = decision.survey
    assert decision.action == 0 and found is not None
    assert [a.best for a in found.actions] == [0, 60] and found.against == 60
    assert found.by == pytest.approx(0.7) and "(strategy fusion)" in found.method()
    assert found.difference is None and "What sets" not in found.mind()


@pytest.mark.compiles
def test_proven_ties_count_for_both() -> None:
    """Kuhn poker with the king first: check and bet win the same ante from whoever sees the cards."""
    game = playout.load("kuhn-poker")
    state = game.state({"cards": [3, 1]})
    search = Search(game)
    found = search.survey(search.run(state, simulations=100), 20, 200).survey
    assert found is not None and [(a.best, a.alone) for a in found.actions] == [(20, 0), (20, 0)]
    assert found.against == 0 and found.worst is None and "In none of the 20 worlds" in found.mind()


def test_fishers_exact_test() -> None:
    """The lady tasting tea: 3 of 4 against 1 of 4 is 34/70 on two sides, 4 against 0 is 2/70."""
    assert fisher(3, 4, 1, 4) == pytest.approx(34 / 70) and fisher(4, 4, 0, 4) == pytest.approx(2 / 70)
    assert fisher(2, 4, 2, 4) == 1.0


@pytest.mark.compiles
def test_the_runner_up_and_what_it_lacks() -> None:
    decision = surveyed("leduc-poker", seed=2)
    found, (first, second) = decision.survey, decision.ranked
    assert found is not None and found.rival == second.name
    assert found.rise == pytest.approx((first.mean or 0) - (second.mean or 0))
    assert f"The mean of {second.name} " in found.mind()


def test_the_only_action_needs_no_doubts() -> None:
    def legal(state, out):
        out[0] = 1
        return 1

    found = surveyed(coin(legal=legal), worlds=5).survey
    assert found is not None and found.mind() == "1 is the only legal action." and found.rival is None


# bits


@pytest.mark.compiles
@pytest.mark.parametrize(
    "settings",
    [{}, {"open_loop": True}, {"hidden": "mo-ismcts"}, {"hidden": "pimc", "trees": 3}, {"rule": "equal"}, {"trees": 2}],
    ids=str,
)
def test_same_seed_same_survey_and_the_search_is_left_alone(settings: dict[str, Any]) -> None:
    game = playout.load("kuhn-poker")
    plain, looked = (Search(game, seed=3, **settings) for _ in range(2))
    before, decision = plain.run(simulations=300), looked.run(simulations=300)
    one, two = (looked.survey(decision, 12) for _ in range(2))
    assert without_time(one) == without_time(two)
    assert one.actions == before.actions and one.action == before.action and same_bits(plain, looked)
    assert plain.run(simulations=200).actions == looked.run(simulations=200).actions
    uncompiled = Search(game, seed=3, compiled=False, **settings)
    assert without_time(uncompiled.survey(uncompiled.run(simulations=300), 12)) == without_time(one)
    assert decision.worlds == (3 if settings.get("hidden") == "pimc" else 300)


@pytest.mark.parametrize("spec", ["kuhn-poker", "leduc-poker", "liars-dice", "knockout-whist"])
def test_the_true_state_has_no_influence(spec: str) -> None:
    """Two true states that the mover cannot tell apart give one and the same survey."""
    game = playout.load(spec)
    state = game.start(1)
    other = next(w for n in range(50) if (w := state.world(0, playout.Stream(n))) != state)
    assert state.observed(0) == other.observed(0)
    one, two = (surveyed(game, worlds=8, state=s, seed=5) for s in (state, other))
    assert without_time(one) == without_time(two)


def test_another_seed_draws_other_worlds() -> None:
    one, two = (surveyed(coin(), seed=seed) for seed in (1, 2))
    assert without_time(one) != without_time(two)


@pytest.mark.compiles
def test_when_the_search_has_moved_on_only_the_outcomes_are_missing() -> None:
    search = Search("leduc-poker", seed=1)
    decision = search.run(simulations=200)
    before = search.survey(decision, 8, 20).survey
    search.run(search.play("check").play("check"), simulations=200)
    found = search.survey(decision, 8, 20).survey
    assert found is not None and before is not None and [a.best for a in found.actions] == [a.best for a in before.actions]
    assert before.samples > 0
    fresh = msgspec.structs.replace(decision, trees=tuple(search.trees))
    moved = search.survey(fresh, 8, 20).survey
    assert moved is not None and moved.samples == 0 and all(a.spread is None for a in moved.actions)


@pytest.mark.compiles
def test_a_kept_tree_is_surveyed_and_left_alone() -> None:
    plain, looked = (Search("leduc-poker", seed=3, hidden="ismcts") for _ in range(2))
    for search in (plain, looked):
        state = search.game.start(1)
        search.run(state, simulations=400)
        search.follow(state.find("check"), state.play("check"))
    after = state.play("check").play("raise")
    before, decision = plain.run(after, simulations=100), looked.run(after, simulations=100)
    assert decision.parent_visits > 100 and decision.worlds == 100
    found = looked.survey(decision, 8, 20).survey
    assert found is not None and found.samples > 0 and all(a.spread is not None for a in found.actions)
    assert decision.actions == before.actions and same_bits(plain, looked)


@pytest.mark.compiles
def test_worlds_are_searched_with_open_cards_whatever_the_width() -> None:
    """The same worlds, each searched in a tree where every outcome has its own position: else a proof would be of none."""
    game = playout.load("leduc-poker")
    one, two = (Search(game, seed=3, observation_width=width) for width in (None, 0.5))
    found = [search.survey(search.run(game.start(1), simulations=300), 8, 1500).survey for search in (one, two)]
    assert found[0] is not None and found[1] is not None
    seen = [[(a.best, a.alone, a.mean, a.regret) for a in each.actions] for each in found if each is not None]
    assert seen[0] == seen[1] and found[0].actions[0].deviation != found[1].actions[0].deviation


# where there is nothing to survey


@pytest.mark.compiles
def test_nothing_hidden_is_said() -> None:
    decision = playout.search("tic-tac-toe", simulations=50, hidden="ismcts", survey=10)
    assert decision.survey is None and decision.worlds is None
    assert decision.note == "nothing is hidden in tic-tac-toe, so hidden=ismcts changed nothing: this is the plain search"
    assert decision.to_dict()["note"] == decision.note and decision.note in str(decision)
    assert playout.search("tic-tac-toe", simulations=50).note == ""


@pytest.mark.compiles
def test_peek_and_a_state_without_secrets_have_no_survey() -> None:
    peeked = playout.search("kuhn-poker", simulations=50, hidden="peek", survey=10)
    assert peeked.survey is None and peeked.worlds is None and "cheats" in peeked.note
    game = playout.load("scoundrel:deck=2C-3S-4C-5H-6D")
    last = game.start(1).play("avoid")
    while int(last.fields.unknown):
        last = last.play(last.legal[0])
    search = Search(game, compiled=False)
    seen = search.run(last, simulations=20)
    assert seen.worlds is None and "nothing is hidden any more" in seen.note
    assert search.survey(seen).survey is None


@pytest.mark.parametrize(
    ("worlds", "each", "message"),
    [
        (0, None, "survey is 0; give a number of worlds from 1 to 10,000, or 0 for none"),
        (10_001, None, "survey is 10001; give a number of worlds from 1 to 10,000, or 0 for none"),
        (5, 0, "survey_simulations is 0; give a whole number from 1 to 1,000,000"),
    ],
)
def test_bad_numbers(worlds: int, each: int | None, message: str) -> None:
    search = Search("kuhn-poker", compiled=False)
    with pytest.raises(PlayoutError, match=message):
        search.survey(search.run(simulations=10), worlds, each)


def test_a_determinize_that_changes_the_movers_actions_is_named() -> None:
    def legal(state, out):
        out[0] = 0
        out[1] = 1
        return state.coin

    search = Search(coin(legal=legal), compiled=False)
    state = search.game.state({"coin": 1})
    with pytest.raises(GameError, match="the mover has other legal actions than in the state that it sees"):
        search.survey(search.run(state, simulations=5), 40, 5)


# words


@pytest.mark.compiles
def test_the_record_prints_and_goes_to_json() -> None:
    decision = surveyed("kuhn-poker", seed=1)
    text, page = str(decision), decision._repr_html_()
    assert "in 200 worlds" in text and "best in" in text and "mind: The mean of" in text
    assert "best in" in page and "strategy fusion" in page
    data = msgspec.json.decode(decision.to_json())
    assert data["worlds"] == 200 and data["survey"]["worlds"] == 60
    assert {"best", "alone", "low", "high", "regret", "deviation", "spread"} <= data["survey"]["actions"][0].keys()
    assert data["survey"]["mind"] and data["survey"]["method"]


def test_what_is_shown_to_people_hides_what_the_mover_cannot_see() -> None:
    state = playout.load("scoundrel").start(1)
    decision = Search("scoundrel", compiled=False).run(state, simulations=5)
    top = state.fields.dungeon[int(state.fields.cards) - 1]
    assert top and decision.viewer == 0
    shown = decision._repr_html_()
    assert board(decision.state, 0) in shown and board(state) not in shown and board(state) != board(state, 0)


@pytest.mark.parametrize(
    "spec", ["scoundrel", "kuhn-poker", "leduc-poker", "knockout-whist", "liars-dice", "phantom-tic-tac-toe"]
)
def test_bundled_games_name_what_is_hidden(spec: str) -> None:
    game = playout.load(spec)
    state = game.start(3)
    state = state.play(state.legal[0])
    if state.over:
        state = game.start(3)
    player = state.mover
    worlds = [state.world(player, playout.Stream(n)) for n in range(20)]
    found = [facts(world, player) for world in worlds]
    assert all(isinstance(fact, str) and fact for one in found for fact in one)
    assert len({tuple(one) for one in found}) > 1
    assert not any(" is " in fact and "[" in fact for one in found for fact in one)


def test_cells_name_fields_where_the_game_has_no_words() -> None:
    inner = np.dtype([("a", np.int8, (2,)), ("b", [("c", np.int16)])])
    game = coin(State=inner, start=lambda state, rng: None, observe=lambda state, player: None)
    assert facts(game.state({"a": [1, 2], "b": {"c": 7}}), 0) == ["a[0] is 1", "a[1] is 2", "b.c is 7"]


def test_a_deviation_is_of_simulations_and_not_of_trees() -> None:
    several = surveyed(coin(), 3, trees=2)
    assert several.opinion is not None and several.survey is not None
    assert {action.deviation for action in several.survey.actions} == {None}
    alone = surveyed(coin(), 3, trees=1).survey
    assert alone is not None
    deviations = [action.deviation for action in alone.actions if action.deviation is not None]
    assert len(deviations) == 3 and 0.5 < max(deviations) <= 1
