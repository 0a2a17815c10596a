"""Solved policies sit at the table: the file, what is refused, and an agent that draws with its probabilities."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

import playout
from playout.agents import make_agent, recipe
from playout.agents.strategy_agent import Share, Situation, Strategy, load_strategy
from playout.arena import compete
from playout.game.game import Game
from playout.game.history import History
from playout.learning.policy import fingerprint
from playout.truth import equilibrium, exploitability, game_tree, search_policy, strategy
from playout.truth.imperfect.tree import Tree
from tests.cli.conftest import Cli, cli  # noqa: F401

MIXED = (0.25, 0.75)


def by_hand(tree: Tree) -> Strategy:
    """The second of two actions three times in four, everywhere."""
    situations = tuple(
        Situation(
            key=known.key.hex(),
            player=known.player,
            sees=known.state.draw(known.player),
            actions=tuple(Share(a, known.state.name(a, known.player), p) for a, p in zip(known.actions, MIXED)),
        )
        for known in tree.info_sets
    )
    about = {"game": tree.game.base, "parameters": tree.game.parameters, "fingerprint": fingerprint(tree.game)}
    return Strategy(**about, method="by hand", iterations=0, seed=0, value=0.0, exploitability=0.0, situations=situations)


@pytest.fixture
def kuhn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    """Kuhn poker without machine code."""
    monkeypatch.chdir(tmp_path)
    Path("kuhn.py").write_text('"""Kuhn."""\nfrom playout.games.kuhn_poker import *\ncompiled = False\n')
    return playout.load("kuhn.py")


def test_the_agent_draws_with_the_probabilities(kuhn: Game) -> None:
    by_hand(game_tree(kuhn)).save("s.json")
    chosen: Counter[int] = Counter()
    for seed in range(400):
        state = kuhn.start(seed)
        world = state.world(0, playout.Stream(seed))
        world.history = History(state).key(0)
        chosen[make_agent("policy:s.json", kuhn, seed=seed).act(world)] += 1
    assert 0.68 < chosen[1] / 400 < 0.82
    with pytest.raises(playout.PlayoutError, match="was handed no history; ask it through a referee"):
        make_agent("policy:s.json", kuhn).act(kuhn.start())
    world.history = bytes(16)
    with pytest.raises(
        playout.PlayoutError, match="has no entry for what player 0 has lived through here; a strategy covers games"
    ):
        make_agent("policy:s.json", kuhn).act(world)


def test_it_sits_at_the_table(kuhn: Game) -> None:
    """In the arena every decision has an entry, for both sides and to the end."""
    by_hand(game_tree(kuhn)).save("s.json")
    found = compete(kuhn, ["policy:s.json", "random"], games=60, seed=2, engine="here", file="a.db")
    assert found.games == 60 and not found.faults


def test_a_file_is_read_as_it_was_written(kuhn: Game) -> None:
    made = by_hand(game_tree(kuhn))
    made.save("s.json")
    assert load_strategy("s.json", kuhn) == made and load_strategy("s.json", kuhn).by_key == made.by_key
    Path("tight.json").write_bytes(msgspec.json.format(Path("s.json").read_bytes(), indent=-1))
    assert recipe("policy:tight.json", kuhn).name == "policy:tight.json"
    assert recipe("policy:s.json", kuhn).digest != recipe("policy:tight.json", kuhn).digest


DAMAGED = {
    ('"version": 1', '"version": 2'): "strategy file 's.json' has version 2, and this playout reads 1; make it again",
    ('"game": "kuhn"', '"game": "chess"'): "strategy file 's.json' is for chess {}, not for kuhn {}; make one for this game",
    ('"fingerprint": "', '"fingerprint": "x'): "the rules of 'kuhn.py' have changed since strategy file 's.json' was written",
    ('"player": 0', '"player": 7'): "player 7 does not exist; make it again with playout exploit --out",
    ("0.75", "0.85"): "probabilities [0.25, 0.85] are not 0 or more and 1 in all; make it again",
    ("0.75", "-0.75"): "probabilities [0.25, -0.75] are not 0 or more and 1 in all",
    ('"key": "', '"key": "z'): "a key has 32 hex digits; make it again",
    ("     1,\n", "     0,\n"): "actions [0, 0] are no different ids from 0 to 1; make it again",
    ('"situations": [', '"situations": 3, "x": ['): "strategy file 's.json' is damaged: Expected `array`, got `int`",
    ('"method"', '"metho"'): "strategy file 's.json' is damaged: Object missing required field `method`",
}


@pytest.mark.parametrize("change", DAMAGED, ids=lambda change: change[1][:24])
def test_what_cannot_be_played_by_is_refused(kuhn: Game, change: tuple[str, str]) -> None:
    by_hand(game_tree(kuhn)).save("s.json")
    text = Path("s.json").read_text()
    assert change[0] in text
    Path("s.json").write_text(text.replace(*change, 1))
    with pytest.raises(playout.PlayoutError) as error:
        recipe("policy:s.json", kuhn)
    assert DAMAGED[change] in str(error.value)


def test_cut_off_twice_and_with_options(kuhn: Game) -> None:
    made = by_hand(game_tree(kuhn))
    made.save("s.json")
    with pytest.raises(playout.PlayoutError, match=r"has no option 'ties' for a strategy, which says all; write policy:s\.json"):
        recipe("policy:s.json,ties=first", kuhn)
    Path("half.json").write_bytes(Path("s.json").read_bytes()[:700])
    with pytest.raises(playout.PlayoutError, match=r"strategy file 'half\.json' is damaged: Input data was truncated"):
        recipe("policy:half.json", kuhn)
    msgspec.structs.replace(made, situations=(*made.situations, made.situations[0])).save("twice.json")
    with pytest.raises(playout.PlayoutError, match="a situation is in it twice"):
        recipe("policy:twice.json", kuhn)


@pytest.mark.compiles
def test_a_solved_game_shown_kept_and_played(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """An equilibrium of Kuhn poker in its own words: a jack never calls, a king always does, and as an agent it is hard to exploit."""
    monkeypatch.chdir(tmp_path)
    ran = cli("exploit", "kuhn-poker", "--method", "cfr+", "--iterations", "1000", "--show", "--out", "eq.json")
    assert ran.code == 0, ran.err
    assert "strategy written: eq.json (an agent: policy:eq.json)" in ran.err and "asked 10 times" not in ran.out
    jack = ran.out.partition("player 1: J, 1 in the pot\n    moves: bet\n")[2]
    assert jack.startswith("    fold 100.0 %   call 0.0 %   (comes up in ")
    data = cli("exploit", "kuhn-poker", "--method", "cfr+", "--iterations", "10", "--show", "--json").data
    assert len(data["strategy"]["situations"]) == 12 and len(data["rows"]) == 2
    tree = game_tree("kuhn-poker")
    solution = equilibrium(tree, "cfr+", iterations=1000)
    kept = load_strategy("eq.json", tree.game)
    assert kept == strategy(solution)
    policy = {key: {share.action: share.probability for share in found.actions} for key, found in kept.by_key.items()}
    assert exploitability(tree, policy) == pytest.approx(kept.exploitability) and kept.exploitability < 0.001
    assert sum(s.reach for s in kept.situations if s.player == 0 and not s.after) == pytest.approx(1.0)
    asked = search_policy(tree, "policy:eq.json", repeats=40)
    assert asked.exploitability.low < 0.01 and asked.exploitability.value < 0.12
