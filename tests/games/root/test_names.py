"""Every action has its own name, and its own number for good."""

from pathlib import Path

import numpy as np
import pytest

from playout.checker import compare_forms
from playout.checker.contract.replay import Player
from playout.compile import bind
from playout.game.state import State
from playout.games.root.names import BY_NUMBER, hidden_facts, question
from tests.games.root.boards import EYRIE, MARQUISE, decree_day, game, names, played, position, view

IDS = Path(__file__).parent / "ids.txt"


def test_ids_are_pinned():
    lines = IDS.read_text(encoding="utf-8").splitlines()
    assert len(lines) == game().actions and lines == [f"{action} {words}" for action, words in enumerate(BY_NUMBER)]


def test_names_of_the_issue():
    state = position(hers={5: 2, 9: 1}, wood={9: 1}, sawmills=[9])
    assert {"march 5 > 1", "build sawmill in 9", "battle in 5"} & set(names(state)) == {"march 5 > 1", "build sawmill in 9"}
    assert names(played(state, "march 5 > 1")) == ["1 warrior", "2 warriors"]
    adding = position("ADD", EYRIE, hands=("", "sappers"), theirs=[3], roosts=[3])
    assert "Sappers (bird) to RECRUIT" in names(adding)


def test_moves_out_of_range_are_no_actions():
    state = played(position(hers={5: 2}), "march 5 > 1")
    for wrong in ("0 warriors", "3 warriors"):
        with pytest.raises(Exception, match=f"'{wrong}' is not a legal action of root here"):
            state.play(wrong)


@pytest.mark.compiles
def test_every_name_of_200_games_is_its_own_and_is_found():
    """Played by the kernel of the checker, which the next test compares: one view of a state serves all its names."""
    rules, met = game(), set()
    player, name = Player(bind(rules)), rules.functions["action_name"]
    for seed in range(200):
        player.begin(seed)
        while not player.over or player.count == 0:
            player.go_on()
            counts = player.trace.counts[: player.count - 1]  # the last state is the first of the next stretch, or the end
            for record, count, end in zip(player.states, counts, np.cumsum(counts), strict=False):
                legal = tuple(player.trace.listed[end - count : end].tolist())
                case = (int(record["stage"]), int(record["column"]), legal)
                if case in met:
                    continue
                met.add(case)
                seen = rules.view(record)
                words = [name(seen, action, None) for action in legal]
                assert len(set(words)) == len(words) and all(words) and not any("," in word for word in words)
                if len(met) % 500 == 0:
                    state = State(rules, record.reshape(1).copy(), 0)
                    assert [state.find(word) for word in words] == list(legal)
                    assert words == [state.name(action) for action in legal]
    assert len(met) > 20_000


@pytest.mark.compiles
def test_machine_code_plays_the_same_game():
    assert compare_forms(game(), seed=11, games=5) is None


def test_hidden_facts():
    state = position(hands=("tax", "foxambush anvil"), known=("", "anvil"), hers=[1])
    assert hidden_facts(view(state), MARQUISE) == ["the Eyrie hold Ambush! (fox)", "the Eyrie hold an unknown ambush"]
    assert hidden_facts(view(state), EYRIE) == ["the Marquise holds Tax Collector (fox)", "the Marquise holds no unknown ambush"]
    assert hidden_facts(view(state), None) == []


def test_questions_in_words():
    assert question(view(position(hers=[1], actions=2))) == "Marquise: 2 actions left"
    assert question(view(position(hers=[1], winner=2, scores=(0, 30), asked=-1))) == "Eyrie wins"
    fight = played(position(hers={6: 2}, theirs={6: 2}, hands=("", "anvil")), "battle in 6")
    assert question(view(fight)) == "Eyrie: defence in 6"
    assert question(view(decree_day("MOVE", theirs={3: 1}, decree=("", "bank", "", "")))) == "Eyrie: the Decree, MOVE"
