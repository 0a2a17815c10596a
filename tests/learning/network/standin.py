"""An encoding for tests of all that comes after it: the bytes of a state, in any shape, and whose eyes see it."""

import numpy as np


class Bytes:
    """What a viewer sees of a state, byte by byte, cut or filled with zeros to a shape; the last number is the viewer."""

    source = "game"

    def __init__(self, game, kind="flat", shape=(24,), scale=1.0):
        self.game, self.kind, self.shape, self.scale = game, kind, tuple(shape), scale
        self.size = int(np.prod(shape))

    def __call__(self, states, players):
        raw = np.ascontiguousarray(states).view(np.uint8).reshape(len(states), -1)[:, : self.size - 1]
        out = np.zeros((len(states), self.size), np.float32)
        out[:, : raw.shape[1]] = raw / 64 * self.scale
        out[:, -1] = players
        return out.reshape(len(states), *self.shape)

    def to_builtins(self):
        return {"kind": self.kind, "shape": list(self.shape), "scale": self.scale}
