"""Lessons on disk, what is learned from them, and a pupil that plays alone."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from playout.agents.network_agent import NetworkPolicy
from playout.errors import FileError, PlayoutError
from playout.game.load import load
from playout.game.stream import Stream
from playout.learning.network import Network, learn_network
from playout.learning.network.batches import Batch, Maker
from playout.learning.network.imitate import Teacher
from playout.learning.network.lessons import Course, Lessons
from playout.learning.network.pupil import policy_plays
from playout.learning.network.settings import NetworkSettings
from playout.learning.network.study import Bank, agreement, held_back, rate_at, study
from playout.learning.network.targets import check_targets, goals_of, read_targets
from playout.learning.network.teach import teach
from playout.learning.network.train import Trainer
from tests.arena.test_abreast import uncompiled

CARDS = "scoundrel:deck=2C-2S-9C-9S-5D-5H-3H,reward=blend"


def taught(folder, **words):
    given = {"games": 8, "each": 3, "seed": 4, "compiled": False, **words}
    return teach(given.pop("game", CARDS), given.pop("teacher", "rule"), folder=folder, **given)


def content(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.glob("*.npz"))}


def test_lessons_go_on_and_are_the_same_bits(tmp_path):
    """Whatever is missing or damaged is made again, as it was; what they say is what the teacher did."""
    found = taught(tmp_path)
    whole = content(tmp_path)
    assert (found.files, found.wanted, found.games) == (3, 3, 8) and len(whole) == 3
    (tmp_path / "lessons-000001.npz").unlink()
    (tmp_path / "lessons-000002.npz").write_bytes(whole["lessons-000002.npz"][:-50])
    assert taught(tmp_path).games == 5 and content(tmp_path) == whole
    assert taught(tmp_path).games == 0
    game = load(CARDS)
    rows = Lessons(tmp_path, game, False).all()
    live = Teacher(game, "rule", 8, 4, False).rows(0)[0]
    assert len(rows) == found.decisions and rows.tobytes() == live.tobytes()
    assert (rows["rewards"][:, 1, 0] == (rows["returns"][:, 0] > 0)).all()


@pytest.mark.slow
def test_who_makes_lessons_ends_with_whoever_asked_for_them(tmp_path):
    """Also where that one is killed: idle processes would stay for ever."""
    script = (
        "from playout.learning.network.teach import teach\n"
        "if __name__ == '__main__':\n"
        f"    teach({CARDS!r}, 'rule', folder='lessons', games=100_000, each=5, workers=2, compiled=False)\n"
    )
    (tmp_path / "asks.py").write_text(script)
    asking = subprocess.Popen([sys.executable, "asks.py"], cwd=tmp_path)
    try:
        late = time.monotonic() + 60
        while not list(tmp_path.glob("lessons/*.npz")) and time.monotonic() < late:
            time.sleep(0.1)
        workers = Path(f"/proc/{asking.pid}/task/{asking.pid}/children").read_text().split()
        assert len(workers) >= 2
    finally:
        asking.kill()
        asking.wait()
    while any(map(runs, workers)) and time.monotonic() < late:
        time.sleep(0.1)
    assert not [one for one in workers if runs(one)]


def runs(process):
    """Whether it does; one that has ended may wait for somebody to take note of it."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_more_lessons_keep_those_that_are_there(tmp_path):
    taught(tmp_path, games=6)
    before = content(tmp_path)
    assert taught(tmp_path, games=9).games == 3
    assert {name: content(tmp_path)[name] for name in before} == before


def test_a_last_file_that_was_short_is_filled_up(tmp_path):
    taught(tmp_path / "grown", games=4)
    assert taught(tmp_path / "grown", games=8).files == 3
    taught(tmp_path / "whole", games=8)
    assert content(tmp_path / "grown") == content(tmp_path / "whole")


def test_what_a_search_proves_of_another_reward_is_no_return(tmp_path):
    """A teacher that goes by `blend`, near the end of a game that counts points: by itself, and side by side."""
    game, spec = load(CARDS.removesuffix(",reward=blend")), "peek:simulations=200,reward=blend"
    taught(tmp_path, game=game.spec, teacher=spec, games=4, device="cpu")
    teacher = Teacher(game, spec, 4, 4, compiled=False)
    teacher.recipe = uncompiled(teacher.recipe)
    for rows in (Lessons(tmp_path, game, compiled=False).all(), teacher.rows(0)[0]):
        assert len(rows) > 8 and np.array_equal(rows["returns"], rows["rewards"][:, 0]), "the score, which is what this game pays"
        assert np.array_equal(rows["values"], rows["returns"])


@pytest.mark.compiles
def test_visits_are_kept_in_small_numbers(tmp_path):
    """Shares of a search to a 255th, with what it thought of the position."""
    game = load("kuhn-poker")
    live = Teacher(game, "ismcts:simulations=20", 8, 4, False).rows(0)[0]
    taught(tmp_path, game="kuhn-poker", teacher="ismcts:simulations=20")
    rows = Lessons(tmp_path, game, False).all()
    assert np.abs(rows["shares"] - live["shares"]).max() < 3 / 255
    assert np.allclose(rows["shares"].sum(axis=1), 1, atol=1e-6)
    for name in ("state", "values", "returns", "ids", "count", "left", "mover"):
        assert rows[name].tobytes() == live[name].tobytes()
    assert (rows["values"] != rows["returns"]).any()


def test_a_teacher_judges_the_games_of_a_pupil(tmp_path):
    """The states are those that the pupil got into; how its games ended says nothing of what they were worth."""
    game = load(CARDS)
    network = Network(game, size="small", device="cpu", compiled=False)
    course = policy_plays(network, [5, 6, 7], "pupil", compiled=False)
    taught(tmp_path, games=3, course=course)
    rows = Lessons(tmp_path, game, False).all()
    assert np.isnan(rows["returns"]).all() and np.isnan(rows["rewards"]).all()
    state, place = game.start(5), 0
    for action in course.actions[0]:
        if len(state.legal) > 1:
            assert rows["state"][place].tobytes() == bytes(state)
            place += 1
        state = state.play(action)
    assert state.over
    wrong = Course("pupil", [5, 6, 7], [[8, 8]] * 3)
    with pytest.raises(
        PlayoutError, match="the game to be judged has 8, which is not legal, at its place 2: it is of other rules"
    ):
        taught(tmp_path / "other", games=3, course=wrong)


def test_the_policy_alone_plays_as_the_agent_does():
    game = load(CARDS)
    network = Network(game, size="small", device="cpu", seed=3, compiled=False)
    course = policy_plays(network, [11, 12], compiled=False)
    agent = NetworkPolicy(network, "cards", 0.0)
    for deal, actions in zip(course.deals, course.actions):
        state = game.start(deal)
        for action in actions:
            assert action == (agent.act(state.world(0, Stream(1))) if len(state.legal) > 1 else state.legal[0])
            state = state.play(action)


def test_bad_lessons_are_said(tmp_path):
    taught(tmp_path)
    with pytest.raises(PlayoutError, match=r"are others: seed is 4 there and 5 here. Give another folder, or ask for the same"):
        taught(tmp_path, seed=5)
    with pytest.raises(PlayoutError, match="games is 0; give a whole number, 1 or more"):
        taught(tmp_path, games=0)
    with pytest.raises(PlayoutError, match="games is 3, and the course has 1; ask for as many as there are"):
        taught(tmp_path, games=3, course=Course("pupil", [1], [[]]))
    with pytest.raises(PlayoutError, match="there are no lessons in"):
        Lessons(tmp_path / "nowhere", load(CARDS)).all()
    with pytest.raises(FileError, match=r"are of scoundrel:.*, not of nim; give lessons of this game"):
        Lessons(tmp_path, load("nim")).all()
    (tmp_path / "lessons-000000.npz").write_bytes(b"cards")
    with pytest.raises(FileError, match=r"are damaged or no lessons \(BadZipFile\); delete it and make it again"):
        Lessons(tmp_path, load(CARDS), False).all()


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lessons")
    taught(folder, games=40, each=20)
    return Lessons(folder, load(CARDS), False).all()


@pytest.fixture(scope="module")
def network():
    return Network(CARDS, size="small", device="cpu", targets=(("win", 1), ("score", 4)), compiled=False)


def test_mirrored_samples_stay_consistent(rows, network):
    """Every slot with its card, what may be done with it, and its share stay together; nothing else changes."""
    maker = Maker(network, NetworkSettings(size="small"))
    plain = Batch(maker.seen(rows), *maker.said(rows))
    turned = maker.mirrored(plain, np.random.default_rng(0))
    assert maker.symmetries.count == 48 and not (plain.seen == turned.seen).all()
    assert turned.values is plain.values and turned.goals is plain.goals
    for one, two in ((plain, turned), (turned, plain)):
        for place in range(len(rows)):
            # The name of a slot is the place that its card would have in an avoided room, which goes along with it.
            slots = [{int(x.seen[place, 1 + slot, 21:25].argmax()): slot for slot in range(4)} for x in (one, two)]
            for order in range(4):
                a, b = slots[0][order], slots[1][order]
                for hands in (0, 4):
                    assert one.legal[place, a + hands] == two.legal[place, b + hands]
                    assert one.policy[place, a + hands] == two.policy[place, b + hands]
                # A suit may have changed; what the card is worth and does has not.
                assert (one.seen[place, 1 + a, 5:] == two.seen[place, 1 + b, 5:]).all()
            assert one.legal[place, 8] == two.legal[place, 8]
    assert (plain.seen[:, 0] == turned.seen[:, 0]).all() and (turned.policy[~turned.legal] == 0).all()


def test_a_step_by_parts_of_a_batch_is_the_step_of_the_batch(rows):
    """Rows of which something is unknown among them, and a last part that is smaller."""
    rows = rows[:50].copy()
    rows["returns"][::3] = rows["values"][::3] = rows["rewards"][::4] = np.nan
    found = []
    for together in (None, 16):
        network = Network(CARDS, device="cpu", targets=(("win", 1), ("score", 4)), seed=2, compiled=False)
        trainer = Trainer(network, NetworkSettings(rate=0.01))
        assert trainer.together == 128
        trainer.together = together
        batch = Batch(trainer.maker.seen(rows), *trainer.maker.said(rows))
        losses = [trainer.step(batch) for _ in range(3)]
        found.append((torch.stack(losses), torch.cat([part.grad.flatten() for part in trainer.module.parameters()])))
    assert torch.allclose(found[0][0], found[1][0], atol=1e-4) and found[0][0][2, 0] < found[0][0][0, 0]
    assert torch.allclose(found[0][1], found[1][1], atol=1e-3) and found[0][1].abs().max() > 0.05


def test_further_targets_are_the_rewards_of_the_game(rows, network):
    goals = goals_of(network.game, network.targets, rows)
    scores = rows["rewards"][:, 0, 0]
    low, high = network.game.rewards["score"]
    assert (goals["win"] == (rows["returns"][:, 0] > 0)).all()
    assert (goals["score"] == np.minimum(3, (scores - low) / (high - low) * 4).astype(int)).all()
    unknown = rows[:2].copy()
    unknown["rewards"] = np.nan
    assert np.isnan(goals_of(network.game, network.targets, unknown)["win"]).all()
    assert (goals_of(network.game, network.targets, unknown)["score"] == -1).all()
    for targets, words in (
        ((("luck", 1),), r"target 'luck' cannot be trained"),
        ((("length", 3),), r"target 'length' has 3 numbers; it is one"),
    ):
        with pytest.raises(PlayoutError, match=words):
            check_targets(network.game, targets)


def test_a_run_may_learn_further_targets():
    network, found = learn_network(
        "nim:heaps=1-2",
        generations=2,
        targets="length",
        abreast=4,
        decisions=4,
        simulations=4,
        sample=8,
        rungs=0,
        device="cpu",
        compiled=False,
    )
    assert network.targets == (("length", 1),) and found.generations == 2 and found.settings.targets == "length"
    assert read_targets(" win, score:32 ,length") == (("win", 1), ("score", 32), ("length", 1)) and read_targets("") == ()
    with pytest.raises(
        PlayoutError, match="targets has 'score:many'; give a name, or a name and how many bins, 1 to 1,000, as in score:32"
    ):
        learn_network("nim:heaps=1-2", targets="score:many")
    with pytest.raises(PlayoutError, match="target 'luck' cannot be trained; known: length"):
        learn_network("nim:heaps=1-2", generations=1, targets="luck", device="cpu", compiled=False)


def test_a_module_of_ones_own_tells_the_targets_that_are_asked_of_it(network):
    class Mute(torch.nn.Module):
        def forward(self, x):
            return torch.zeros(len(x), 9), torch.zeros(len(x), 1)

    Network(CARDS, Mute(), device="cpu", compiled=False)
    with pytest.raises(
        PlayoutError, match=r"module Mute should tell the target 'score' in 4 numbers; return \(logits, values, further\)"
    ):
        Network(CARDS, Mute(), device="cpu", targets=(("score", 4),), compiled=False)


def test_a_study_agrees_more_and_goes_on_to_the_same_weights(rows, tmp_path):
    """A few epochs of imitation make it agree with the teacher; interrupted, it ends with the same bits."""
    made = NetworkSettings(size="small", sample=64, rate=0.004, blend=0.0)

    def new():
        return Network(CARDS, size="small", device="cpu", targets=(("win", 1), ("score", 4), "length"), compiled=False)

    def bits(one):
        return b"".join(array.tobytes() for _, array in sorted(one.arrays().items()))

    whole = new()
    bank = Bank(Maker(whole, made), rows)
    before = agreement(whole, bank)
    told = []
    assert study(whole, rows, made, epochs=6, show=told.append)
    after = agreement(whole, bank)
    assert after.agreed > before.agreed + 0.1 and after.policy < before.policy and len(told) == 6
    assert whole.history[-1]["held"]["positions"] == held_back(rows).sum() > 0

    part = new()
    kept = tmp_path / "cards.study"
    assert not study(part, rows, made, epochs=6, kept=kept, minutes=1e-9)
    again = new()
    assert study(again, rows, made, epochs=6, kept=kept) and bits(again) == bits(whole) != bits(part)
    with pytest.raises(PlayoutError, match="has other settings, lessons or another seed; ask for the same, or delete it"):
        study(new(), rows, made, epochs=7, kept=kept)
    with pytest.raises(PlayoutError, match="epochs is 0; give a whole number, 1 or more"):
        study(new(), rows, made, epochs=0)
    with pytest.raises(PlayoutError, match="there is nothing to learn from"):
        study(new(), rows[:0], made, epochs=1)


def test_the_rate_rises_and_falls():
    found = [rate_at(step, 1000) for step in range(1000)]
    assert max(found) == pytest.approx(1, abs=0.01) and found[0] < 0.05 and found[-1] < 0.03
    assert found.index(max(found)) == pytest.approx(30, abs=2)
