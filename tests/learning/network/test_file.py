"""Network files: what was written comes back, and every file that cannot be believed is refused with its own sentence."""

import json
import os
import stat
from pathlib import Path

import msgspec
import numpy as np
import pytest
from safetensors.numpy import save as packed

import playout
from playout.errors import FileError
from playout.learning.network import Network, read_head
from playout.learning.network.file import FORMAT, check_sum, is_network, read_network
from tests.learning.network.standin import Bytes

GAME = playout.load("tic-tac-toe")
MAKE = "make one with playout learn --learner network"


def made(game=GAME, **words):
    return Network(game, encoding=Bytes(game, "planes", (2, 3, 4)), seed=4, device="cpu", compiled=False, **words)


def loaded(file, game=None, encoding=None):
    game = GAME if game is None else game
    return Network.load(file, game, encoding=encoding or Bytes(game, "planes", (2, 3, 4)), device="cpu", compiled=False)


@pytest.fixture(scope="module")
def net():
    found = made(targets=("length", ("score", 5)))
    found.trained = {"learner": "self-play", "games": 300}
    found.history.append({"minutes": 1.5, "loss": 2.25})
    return found


@pytest.fixture
def file(net, tmp_path):
    return str(net.save(tmp_path / "a.net"))


def refused(file, words, **given):
    with pytest.raises(FileError) as error:
        loaded(file, **given)
    assert str(error.value) == words


def rewritten(file, net, arrays=None, **changes):
    """The file with another head, whose checksum fits."""
    head, before = read_network(file)
    arrays = before if arrays is None else arrays
    head = msgspec.structs.replace(head, **changes)
    head = msgspec.structs.replace(head, checksum=check_sum(head, arrays))
    Path(file).write_bytes(packed(arrays, metadata={FORMAT: msgspec.json.encode(head).decode()}))


def test_what_was_written_comes_back(net, file):
    found = loaded(file)
    states = np.concatenate([GAME.start().copy_array(), GAME.start().play("b2").copy_array()])
    assert [a.tobytes() for a in found.evaluate(states)] == [a.tobytes() for a in net.evaluate(states)]
    assert (found.shape, found.size, found.targets) == ("tower", "small", (("length", 1), ("score", 5)))
    assert found.trained == net.trained and found.history == net.history and found.file == file
    assert found.arrays().keys() == net.arrays().keys()
    assert all(np.array_equal(part, net.arrays()[name]) for name, part in found.arrays().items())


def test_the_head_says_what_it_is(net, file):
    head = read_head(file)
    assert (head.game, head.parameters, head.spec) == ("mnk", {"m": 3, "n": 3, "k": 3}, "tic-tac-toe")
    assert (head.returns, head.shape, head.size) == ((-1.0, 1.0), "tower", "small")
    assert head.weights == sum(part.numel() for part in net.module.parameters())
    assert head.encoding == {"kind": "planes", "shape": [2, 3, 4], "scale": 1.0}
    assert is_network(file)


def test_the_same_network_is_the_same_file(net, tmp_path):
    assert net.save(tmp_path / "a").read_bytes() == net.save(tmp_path / "b").read_bytes()


def test_it_is_written_whole_or_not_at_all(net, file, monkeypatch):
    before = Path(file).read_bytes()
    net.history.append({"more": 1})
    try:
        monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(FileError, match="cannot be written: No space left on device"):
            net.save(file)
    finally:
        net.history.pop()
    assert Path(file).read_bytes() == before
    assert os.listdir(os.path.dirname(file)) == ["a.net"], "nothing is left beside it"
    assert stat.S_IMODE(os.stat(file).st_mode) & 0o600 == 0o600


def test_another_game(file):
    other = playout.load("mnk", m=4, n=4, k=3)
    refused(file, f"network file {file!r} is of mnk:m=3,n=3,k=3, not of mnk:m=4,n=4,k=3; learn one for this game", game=other)


def test_other_rules(file, monkeypatch):
    changed = playout.load("tic-tac-toe")
    plain = changed.functions["returns"]

    def more(state, out):
        plain(state, out)
        out[0] *= 2

    monkeypatch.setitem(changed.functions, "returns", more)
    refused(
        file, f"the rules of 'tic-tac-toe' have changed since network file {file!r} was written; learn it again", game=changed
    )


@pytest.mark.parametrize("encoding", [Bytes(GAME, "planes", (2, 3, 4), scale=2.0), Bytes(GAME, "tokens", (6, 4))])
def test_another_encoding(file, encoding):
    words = f"the encoding of 'tic-tac-toe' has changed since network file {file!r} was written; learn it again"
    refused(file, words, encoding=encoding)


def test_no_file(tmp_path):
    missing, folder, empty = str(tmp_path / "no.net"), str(tmp_path), tmp_path / "empty.net"
    empty.write_bytes(b"")
    refused(missing, f"network file {missing!r} does not exist; {MAKE}")
    refused(folder, f"network file {folder!r} is a folder; {MAKE}")
    refused(str(empty), f"network file {str(empty)!r} is empty; learn it again")
    assert not is_network(missing) and not is_network(folder) and not is_network(empty)


@pytest.mark.parametrize(
    "content",
    [b"hello", b"\x80\x04\x95" + bytes(60), json.dumps({"format": "playout policy"}).encode(), packed({"a": np.zeros(3)})],
    ids=["text", "pickle", "policy", "other safetensors"],
)
def test_what_is_no_network(content, tmp_path):
    file = tmp_path / "x"
    file.write_bytes(content)
    refused(str(file), f"{str(file)!r} is not a network file; {MAKE}")
    assert not is_network(file)


def test_cut_anywhere_it_is_refused(file):
    data = Path(file).read_bytes()
    for length in [1, 7, 9, 30, 500, len(data) // 2, len(data) - 1]:
        Path(file).write_bytes(data[:length])
        with pytest.raises(FileError, match="is damaged or cut short|is not a network file"):
            loaded(file)


def test_a_changed_byte_is_seen(file):
    data = bytearray(Path(file).read_bytes())
    data[-3] ^= 1
    Path(file).write_bytes(data)
    refused(file, f"network file {file!r} was changed after it was written (its checksum does not fit); learn it again")


def test_flipped_bytes_never_end_in_anything_but_a_sentence(file):
    data, rng = Path(file).read_bytes(), np.random.default_rng(1)
    for _ in range(60):
        changed = bytearray(data)
        changed[int(rng.integers(0, 3000))] ^= 1 << int(rng.integers(0, 8))
        Path(file).write_bytes(changed)
        with pytest.raises(FileError):
            loaded(file)


def test_another_version(file, net):
    rewritten(file, net, version=7)
    refused(file, f"network file {file!r} has version 7, this playout reads 1; learn it again")


def test_weights_that_are_no_numbers(file, net):
    arrays = {**read_network(file)[1]}
    arrays["heads.policy.bias"] = np.full_like(arrays["heads.policy.bias"], np.nan)
    rewritten(file, net, arrays)
    refused(
        file,
        f"network file {file!r} is damaged or cut short (heads.policy.bias holds a number that is not finite); learn it again",
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"returns": (1.0, 1.0)}, "values from 1 to 1 are no range"),
        ({"targets": (("length", 0),)}, "targets must have different names and 1 to 10,000 numbers each"),
        ({"targets": (("a", 1), ("a", 2))}, "targets must have different names and 1 to 10,000 numbers each"),
    ],
)
def test_a_head_that_cannot_be(file, net, change, words):
    head, arrays = read_network(file)
    told = {**msgspec.to_builtins(head), **change}
    Path(file).write_bytes(packed(arrays, metadata={FORMAT: msgspec.json.encode(told).decode()}))
    refused(file, f"network file {file!r} is damaged or cut short (its head cannot be read: {words}); learn it again")


def test_weights_of_another_shape(file, net):
    arrays = {**read_network(file)[1]}
    del arrays["heads.policy.bias"]
    rewritten(file, net, arrays)
    words = "does not fit the module Tower: heads.policy.bias is not there, and the module has shape (9,)"
    refused(file, f"network file {file!r} {words}")


def test_a_module_where_none_belongs(file, net):
    with pytest.raises(FileError) as error:
        Network.load(file, module=net.module, encoding=net.encoding, compiled=False)
    assert (
        str(error.value) == f"network file {file!r} holds a tower of this library and not a module of your own; leave module out"
    )
