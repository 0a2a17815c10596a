"""Games that are not honest, each in one way: what the audit must catch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from playout import Game, below, load
from playout.checker import Audit, audit
from playout.game.contract import SHOWN

SMALL_SCOUNDREL = "scoundrel:deck=2C-3S-5D-5H-9S-4H-7C-10S"
SMALL_WHIST = "knockout-whist:suits=2,ranks=3,cards=2"


def changed(spec: str, **functions: Any) -> Game:
    """A bundled game with some of its functions replaced."""
    game = load(spec)
    rules = {role: function for role, function in game.functions.items() if role not in SHOWN}
    names = {**rules, "players": game.players, "actions": game.actions, "most_legal": game.most_legal}
    seen = {
        "rewards": game.rewards or None,
        "encoding": game.encoding or None,
        "symmetries": game.symmetries if game.symmetries > 1 else None,
    }
    return Game(f"{game.name}, changed", {**names, **seen, "State": game.dtype, "returns_range": game.returns_range, **functions})


def sought(game: Game | str, code: str, seconds: float, agent: str | None = None, compiled: bool = False, **words: Any) -> Audit:
    """A short audit that ought to find something, and longer ones where it did not.

    What a second of a processor is worth differs several times between machines, and between quiet and busy ones.
    """
    for more in (1, 4, 16):
        found = audit(game, seconds=more * seconds, agent=agent, compiled=compiled, **words)
        if code in {finding.code for finding in found.failed}:
            break
    return found


def helper(spec: str, name: str) -> Any:
    """A function or constant of a bundled game's file."""
    return load(spec).functions["start"].__globals__[name]


def nothing(state, player, rng):
    """The true state."""


def true_state(spec: str) -> Game:
    return changed(spec, determinize=nothing)


def sometimes_true(spec: str) -> Game:
    """The true state in half of the cases, an honest world in the others."""
    honest = load(spec).functions["determinize"]

    def determinize(state, player, rng):
        if below(rng, 2):
            honest(state, player, rng)

    return changed(spec, determinize=determinize)


def published_rule(spec: str) -> Game:
    """Scoundrel: cards at index >= 4 x avoided are known, the rest are shuffled, nothing when avoided = 0.

    An avoid puts four cards at the bottom, which is index 0 here and the end of the list in the published program.
    """
    shuffle = helper(spec, "shuffle")

    def determinize(state, player, rng):
        avoided = (state.cards - state.unknown + 3) // 4
        # At the front of the list is the top of the dungeon: the last cards in this record.
        shuffle(state, max(state.cards - state.unknown, state.cards - 4 * avoided), state.cards, rng)

    return changed(spec, determinize=determinize)


def knows_the_top(spec: str) -> Game:
    """Scoundrel: one hidden card, the next, stays where it is."""
    shuffle = helper(spec, "shuffle")

    def determinize(state, player, rng):
        shuffle(state, state.cards - state.unknown, state.cards - 1 if state.unknown > 0 else state.cards, rng)

    return changed(spec, determinize=determinize)


def shuffles_badly(spec: str) -> Game:
    """Scoundrel: a fair shuffle, and then the higher of two cards always lies above the other."""
    shuffle = helper(spec, "shuffle")

    def determinize(state, player, rng):
        first, half = state.cards - state.unknown, state.unknown // 2
        shuffle(state, first, state.cards, rng)
        for i in range(first, first + half):
            if state.dungeon[i] > state.dungeon[i + half]:
                state.dungeon[i], state.dungeon[i + half] = state.dungeon[i + half], state.dungeon[i]

    return changed(spec, determinize=determinize)


def real_hand(spec: str) -> Game:
    """Whist for three or more: the next player's hand is the real one, the others are dealt."""
    players = load(spec).players
    size, take, full = helper(spec, "hand_size"), helper(spec, "take"), helper(spec, "FULL")

    def determinize(state, player, rng):
        known = (player + 1) % players
        pool = full & ~(state.played | state.hands[player] | state.hands[known])
        for other in range(players):
            if other != player and other != known:
                state.hands[other] = take(pool, size(state, other), rng)
                pool ^= state.hands[other]

    return changed(spec, determinize=determinize)


def no_voids() -> Game:
    """Whist: hands are dealt without regard to the suits that a player has shown to be out of."""
    spec = SMALL_WHIST
    size, take, full = helper(spec, "hand_size"), helper(spec, "take"), helper(spec, "FULL")

    def determinize(state, player, rng):
        state.hands[1 - player] = take(full & ~(state.played | state.hands[player]), size(state, 1 - player), rng)

    return changed(spec, determinize=determinize)


def leduc_by_rank() -> Game:
    """Leduc: the other's rank is drawn first, each as likely, whatever is left of it."""

    def determinize(state, player, rng):
        if state.round < 2:
            own, board = state.cards[player], state.board
            # A rank of which both cards are seen is not there to be drawn.
            gone = (own - 1) // 2 if board > 0 and (own - 1) // 2 == (board - 1) // 2 else 3
            rank = below(rng, 2 if gone < 3 else 3)
            if rank >= gone:
                rank += 1
            card = 1 + 2 * rank
            state.cards[1 - player] = card + 1 if card in (own, board) else card

    return changed("leduc-poker", determinize=determinize)


def kuhn_prefers_low() -> Game:
    """Kuhn: of the two cards it can be, the lower one two times in three."""

    def determinize(state, player, rng):
        hidden = state.moves < 2 or (state.moves == 2 and state.line[0] == 1 and state.line[1] == 2)
        if hidden:
            low = 2 if state.cards[player] == 1 else 1
            state.cards[1 - player] = low if below(rng, 3) else 6 - low - state.cards[player]

    return changed("kuhn-poker", determinize=determinize, observe=kuhn_observe)


def kuhn_observe(state, player):
    if state.moves < 2 or (state.moves == 2 and state.line[0] == 1 and state.line[1] == 2):
        state.cards[1 - player] = 0


def duplicates() -> Game:
    """Kuhn: any of the three cards, the player's own included."""
    honest = load("kuhn-poker")
    hidden = helper("kuhn-poker", "hidden")

    def determinize(state, player, rng):
        if hidden(state):
            state.cards[1 - player] = 1 + below(rng, 3)

    return changed("kuhn-poker", determinize=determinize, observe=honest.functions["observe"])


def duplicates_at_full_size() -> Game:
    """Scoundrel: a hidden card may be drawn more than once."""

    def determinize(state, player, rng):
        first = state.cards - state.unknown
        if state.unknown > 1:
            for i in range(first, state.cards):
                state.dungeon[i] = state.dungeon[first + below(rng, state.unknown)]

    return changed("scoundrel", determinize=determinize)


def room_card_again() -> Game:
    """Scoundrel: the next card is one that lies in the room already."""
    honest = load("scoundrel").functions["determinize"]

    def determinize(state, player, rng):
        honest(state, player, rng)
        if state.unknown > 0 and state.room[1] > 0:
            state.dungeon[state.cards - 1] = state.room[1]

    return changed("scoundrel", determinize=determinize)


def visible_card(spec: str = "scoundrel") -> Game:
    """Scoundrel: the room is shuffled in with the dungeon's top card."""
    honest = load(spec).functions["determinize"]

    def determinize(state, player, rng):
        honest(state, player, rng)
        if state.unknown > 0 and state.room[0] > 0:
            top = state.cards - 1
            state.dungeon[top], state.room[0] = state.room[0], state.dungeon[top]

    return changed(spec, determinize=determinize)


def legal_by_truth() -> Game:
    """Kuhn: only who really has the better card may bet."""

    def legal(state, out):
        player = state.moves & 1
        out[0] = 0
        out[1] = 1
        return 2 if state.cards[player] > state.cards[1 - player] else 1

    return changed("kuhn-poker", legal=legal)


def fails_at_the_end() -> Game:
    """Leduc: divides by the number of hidden cards, also when there is none."""
    honest = load("leduc-poker").functions["determinize"]

    def determinize(state, player, rng):
        below(rng, 4 // (2 - state.round))
        honest(state, player, rng)

    return changed("leduc-poker", determinize=determinize)


def encode_remembers() -> Game:
    """Kuhn: an encoding that says how often it was asked."""
    asked = np.zeros(1)

    def encode(state, player, out):
        asked[0] += 1
        out[0] = asked[0]

    return changed("kuhn-poker", encode=encode, encoding=(1,))


def hides_only() -> Game:
    return changed("kuhn-poker", determinize=None)


def redraws_only() -> Game:
    return changed("kuhn-poker", observe=None)


LEAKS: dict[str, tuple[str, Callable[[], Game]]] = {
    "Kuhn, true state": ("honesty-leak", lambda: true_state("kuhn-poker")),
    "Leduc, true state": ("honesty-leak", lambda: true_state("leduc-poker")),
    "liar's dice, true state": ("honesty-leak", lambda: true_state("liars-dice")),
    "phantom, true state": ("honesty-leak", lambda: true_state("phantom-tic-tac-toe")),
    "whist, true state": ("honesty-leak", lambda: true_state("knockout-whist")),
    "Scoundrel, true state": ("honesty-leak", lambda: true_state("scoundrel")),
    "Staircase, true state": ("honesty-leak", lambda: true_state("tests/sketches/solitaire.py")),
    "whist, true state half the time": ("honesty-leak", lambda: sometimes_true("knockout-whist")),
    "Scoundrel, the published rule": ("honesty-leak", lambda: published_rule("scoundrel")),
    "Scoundrel, the published rule, 8 cards": ("honesty-leak", lambda: published_rule(SMALL_SCOUNDREL)),
    "Scoundrel, knows the next card, 8 cards": ("honesty-leak", lambda: knows_the_top(SMALL_SCOUNDREL)),
    "whist for 3, one real hand": ("honesty-leak", lambda: real_hand("knockout-whist:players=3")),
    "Leduc, rank before card": ("honesty-weights", leduc_by_rank),
    "Kuhn, prefers the low card": ("honesty-weights", kuhn_prefers_low),
    "Kuhn, a card twice": ("honesty-weights", duplicates),
    "whist, forgets voids": ("honesty-weights", no_voids),
    "Scoundrel, a bad shuffle": ("honesty-weights", lambda: shuffles_badly("scoundrel")),
    "Scoundrel, a card twice": ("honesty-weights", duplicates_at_full_size),
    "Scoundrel, a card of the room again": ("honesty-weights", room_card_again),
    "Scoundrel, changes a visible card": ("honesty-visible", visible_card),
    "Kuhn, legal looks at the truth": ("honesty-legal", legal_by_truth),
    "Leduc, fails when nothing is hidden": ("honesty-fails", fails_at_the_end),
    "Kuhn, an encoding that knows more": ("honesty-encode", encode_remembers),
    "Kuhn, observe alone": ("honesty-determinize", hides_only),
    "Kuhn, determinize alone": ("honesty-observe", redraws_only),
}
"""Every planted leak: the code of the finding that must be among the failed ones, and the game."""

HONEST = (
    "kuhn-poker",
    "leduc-poker",
    "liars-dice",
    "liars-dice:dice=2,faces=3,wild=true",
    "phantom-tic-tac-toe",
    "knockout-whist",
    "knockout-whist:players=4",
    SMALL_WHIST,
    "scoundrel",
    "scoundrel:shuffle_avoided=true",
    SMALL_SCOUNDREL,
    "tests/sketches/solitaire.py",
)
"""Games that must pass."""

DECIDING = ("kuhn-poker", "leduc-poker", "liars-dice", "phantom-tic-tac-toe", "knockout-whist", SMALL_SCOUNDREL)
"""Games in which agents are asked: one that cheats must be caught, one that does not must pass."""
