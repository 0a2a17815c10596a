"""Every action has its own name, and its own number for good."""

from pathlib import Path

import pytest

from playout.arena.table import Table
from playout.game.stream import Stream
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
    table, met = Table(game()), set()
    for seed in range(200):
        stream = Stream(seed, tree=1)
        table.begin(seed)
        while table.mover >= 0:
            state = table.state
            case = (int(state.fields.stage), int(state.fields.column), table.legal)
            if case not in met:
                met.add(case)
                words = [state.name(action) for action in table.legal]
                assert len(set(words)) == len(words) and all(words) and not any("," in word for word in words)
                if len(met) % 50 == 0:
                    assert [state.find(word) for word in words] == list(table.legal)
            table.play(table.legal[stream.below(len(table.legal))])
    assert len(met) > 10_000


@pytest.mark.compiles
def test_machine_code_plays_the_same_game():
    fast, slow = Table(game()), Table(game(), compiled=False)
    for seed in range(5):
        stream = Stream(seed, tree=2)
        fast.begin(seed)
        slow.begin(seed)
        while fast.mover >= 0:
            action = fast.legal[stream.below(len(fast.legal))]
            fast.play(action)
            slow.play(action)
            assert fast.legal == slow.legal and fast.returns == slow.returns and bytes(fast.state) == bytes(slow.state)


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
