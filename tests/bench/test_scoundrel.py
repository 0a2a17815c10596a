"""The study of Scoundrel: the same deals for all, paired, kept by file; what is not seen is not seen."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from playout.agents import recipe
from playout.errors import PlayoutError
from playout.game.load import load
from playout.game.state import State

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import scoundrel_arms as arms


def written(folder, arm, returns, deals=None):
    file = folder / arm.key / "000000.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    deals = arms.fresh_deals(len(returns)) if deals is None else deals
    file.write_text(json.dumps({"arm": arm.words, "deals": deals, "returns": returns, "decisions": 40 * len(deals), "cpu": 1.0}))
    return file


def test_all_play_the_same_fresh_deals():
    assert arms.fresh_deals(3) == arms.fresh_deals(5)[:3] and len(set(arms.fresh_deals(2000))) == 2000
    assert arms.fresh_deals(2, 3) == arms.fresh_deals(5)[3:]
    from scoundrel import SEEDS

    from playout.game.stream import TEACHER_GAMES, seed_word

    learned = {seed_word(seed, TEACHER_GAMES, number) >> 2 for seed in SEEDS for number in range(20_000)}
    assert not learned & set(arms.fresh_deals(5000)), "nobody has learned from them"


def test_every_arm_is_an_agent_of_the_game_or_a_part_of_the_transformer():
    game, found = load(arms.GAME), arms.arms()
    assert len({arm.key for arm in found}) == len(found)
    for arm in found:
        assert arm.neural or recipe(arm.spec, game, fit=False).peeks == arm.name.startswith("peek")
    assert [arm.words for arm in arms.chosen(["prior, 16"])] == ["ismcts, transformer as prior, 16"]
    with pytest.raises(PlayoutError, match="no arm is called luck; there are: the rule alone; transformer alone"):
        arms.chosen(["luck"])


def test_arms_are_compared_on_the_deals_that_both_have_played(tmp_path):
    """Known answer: 4 common deals, of which one wins 3 and the other 1, never the other way round."""
    reference, other = (
        arms.Arm(arms.REFERENCE, "ismcts:simulations=100", 100),
        arms.Arm("ismcts, transformer as prior", "prior", 100),
    )
    written(tmp_path, reference, [1.05, -0.5, -0.2, -0.1, 1.1])
    written(tmp_path, other, [1.05, 1.02, 1.1, -0.1])
    found = {one.arm.name: one for one in arms.results(tmp_path)}
    one, two = found[other.name], found[reference.name]
    deals, gap, low, high = one.ahead(two)
    assert (deals, gap) == (4, 0.5) and (one.wins, two.wins) == (3, 2)
    gaps = np.array([0, 1, 1, 0])
    assert high - gap == pytest.approx(3.182446 * gaps.std(ddof=1) / 2, rel=1e-5) and gap - low == pytest.approx(high - gap)
    assert two.ahead(one)[1] == -0.5
    assert one.score == pytest.approx(188 * (0.05 + 0.02 + 0.1 - 0.1) / 4)
    told = "\n".join(arms.table(list(found.values())))
    assert "75.0 %" in told and "+50.0" in told and "4 deals" in told


def test_equal_time_is_time_that_the_other_has_at_least(tmp_path):
    cheap, dear = (arms.Arm(arms.REFERENCE, f"ismcts:simulations={n}", n) for n in (100, 1000))
    net = arms.Arm("ismcts, transformer as both", "both", 16)
    for arm in (cheap, dear, net):
        written(tmp_path, arm, [1.0, -0.5])
    (tmp_path / "costs.json").write_text(
        json.dumps({arm.words: {"ms": ms} for arm, ms in ((cheap, 1.0), (dear, 9.0), (net, 4.0))})
    )
    (line,) = arms.at_equal_time(arms.results(tmp_path))
    assert line.startswith("ismcts, transformer as both, 16 (4.0 ms) less ismcts, game's rule, 1,000 (9.0 ms): +0.0")


def test_files_of_other_deals_are_played_again(tmp_path):
    arm = arms.Arm(arms.RULE, "rule", 0)
    file = written(tmp_path, arm, [1.0, 1.0])
    assert arms._there(file, arm, arms.fresh_deals(2), None)
    assert not arms._there(file, arm, arms.fresh_deals(2, 5), None)
    file.write_text("{")
    assert not arms._there(file, arm, arms.fresh_deals(2), None) and not arms._there(tmp_path / "no.json", arm, [], None)
    with pytest.raises(PlayoutError, match="transformer alone needs the transformer, and there is no"):
        arms.compare(tmp_path, arms.chosen(["alone"])[1:], tmp_path / "no.net", "cpu", 2, 1, None, print)
    with pytest.raises(PlayoutError, match="made small, 100 needs the transformer, and there is no .*no.small; train it first"):
        arms.compare(tmp_path, arms.chosen(["small, 100"])[:1], tmp_path / "no.net", "cpu", 2, 1, None, print)


def test_what_the_study_made_is_there_and_of_the_rules_as_they_are():
    """bench/cards.net and bench/cards.small, which docs/scoundrel.md speaks of: whoever changes the rules makes them anew, or takes them out."""
    pytest.importorskip("torch")
    from playout.learning.embedded import Embedded
    from playout.learning.network import Network

    folder, start = Path(arms.__file__).parent, load(arms.GAME).start(4)
    big = Network.load(folder / "cards.net", arms.GAME, device="cpu", compiled=False)
    small = Embedded.load(folder / "cards.small", arms.GAME, compiled=False)
    (shares, values), (few, worth) = big.look(start), small.look(start)
    assert max(shares, key=shares.get) == max(few, key=few.get)
    assert abs(values[0] - worth[0]) < 0.3 and 0 < values[0] < 1.2


def test_positions_stray_by_one_action():
    from scoundrel import strayed

    game = load(arms.GAME)
    states = np.concatenate([game.start(seed).copy_array() for seed in range(5)])
    found = strayed(game, states, compiled=False)
    assert len(found) == 10 and (found[::2] == states).all()
    for before, after in zip(found[::2], found[1::2]):
        start = State(game, np.array([before]), 1)
        assert after.tobytes() in {start.after(action).copy_array().tobytes() for action in start.legal}


def test_what_is_left_out_is_not_seen():
    torch = pytest.importorskip("torch")
    from scoundrel_blind import PARTS, Blind

    from playout.games.scoundrel import seen

    columns = PARTS["order"]
    blind = Blind(torch.nn.Linear(seen.FEATURES, 1), columns, seen.FEATURES)
    x = torch.rand(2, seen.FEATURES)
    y = x.clone()
    y[:, columns] = 7.0
    assert (blind(x) == blind(y)).all()
    y[:, seen.UNSEEN] = 7.0
    assert (blind(x) != blind(y)).all() and seen.UNSEEN in PARTS["multiset"]
    assert not set(PARTS["order"]) & set(PARTS["multiset"])
