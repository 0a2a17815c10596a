"""Further targets: what else a network learns of a position, beside the policy and the values.

`length` is how many decisions are left, as the logarithm of that and 1. Any other name is a reward that the game declares (`rewards`), as the viewer
got it in the end: one number is where it lay in its range, as a chance (a win is 1 or 0); several are its distribution over so many bins of that range.
They make a network notice more than the one number that a search goes by; search does not read them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from playout.errors import PlayoutError, suggest
from playout.game.game import Game

Array = np.ndarray[Any, Any]
LENGTH = "length"
MOST_BINS = 1000


def read_targets(words: str) -> tuple[tuple[str, int], ...]:
    """Targets out of words: `win,score:32` is a chance, and a distribution over 32 bins."""
    found = []
    for word in filter(None, (part.strip() for part in words.split(","))):
        name, _, width = word.partition(":")
        if width and not (width.isdecimal() and 1 <= int(width) <= MOST_BINS):
            raise PlayoutError(
                f"targets has {word!r}; give a name, or a name and how many bins, 1 to {MOST_BINS:,}, as in score:32"
            )
        found.append((name, int(width or 1)))
    return tuple(found)


def check_targets(game: Game, targets: Iterable[tuple[str, int]]) -> None:
    """Refuse what nobody can learn."""
    known = [LENGTH, *game.rewards]
    for name, width in targets:
        if name not in known:
            raise PlayoutError(f"target {name!r} cannot be trained; {suggest(name, known)}")
        if name == LENGTH and width != 1:
            raise PlayoutError(f"target {LENGTH!r} has {width} numbers; it is one")
        if name != LENGTH and game.rewards[name] is None:
            raise PlayoutError(
                f"target {name!r} needs the lowest and highest return of that reward; say them in the game's rewards"
            )


def goals_of(game: Game, targets: Iterable[tuple[str, int]], rows: Array) -> dict[str, Array]:
    """What is to be said of each row: a number, or the bin; NaN or -1 where nobody knows."""
    found: dict[str, Array] = {}
    for name, width in targets:
        if name == LENGTH:
            found[name] = np.log1p(rows["left"].astype(np.float32))
            continue
        span = game.rewards[name]
        assert span is not None
        low, high = span
        got = rows["rewards"][np.arange(len(rows)), list(game.rewards).index(name), rows["mover"].astype(np.int64)]
        part = np.clip((got - low) / (high - low), 0, 1).astype(np.float32)
        if width == 1:
            found[name] = part
        else:
            found[name] = np.where(np.isnan(part), -1, np.minimum(np.nan_to_num(part) * width, width - 1)).astype(np.int64)
    return found


def loss_of(torch: Any, said: dict[str, Any], goals: dict[str, Any]) -> Any:
    """How far what was said is from the goals, on average over all targets."""
    functional = torch.nn.functional
    losses = []
    for name, goal in goals.items():
        told = said[name].float()
        if not goal.is_floating_point():
            losses.append(functional.cross_entropy(told, goal, ignore_index=-1, reduction="sum") / max(1, len(goal)))
            continue
        known = ~torch.isnan(goal)
        aim, told = torch.nan_to_num(goal), told[:, 0]
        each = (
            (told - aim).square() if name == LENGTH else functional.binary_cross_entropy_with_logits(told, aim, reduction="none")
        )
        losses.append((each * known).mean())
    return sum(losses) / len(losses)
