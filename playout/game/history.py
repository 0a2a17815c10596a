"""What a player has lived through, as 16 bytes: its own actions, and its observation whenever that changed, from the start on.

Two true states with the same key cannot be told apart by the player, whatever it remembers. No key holds anything that the
player did not see. The one home of this folding, for referees, the exact tools and learning; playouts keep no history.

An agent that asks is handed the very key by which the exact tools name information sets, so a policy that they found can be looked up
by it. Among a million histories two would have one key by chance once in 10^26 games.
"""

from __future__ import annotations

from hashlib import blake2b

from playout.game.state import State

KEY_BYTES = 16
"""The length of a key."""


def fold(key: bytes, mark: bytes, what: bytes) -> bytes:
    """One more event in a player's history."""
    return blake2b(key + mark + what, digest_size=KEY_BYTES).digest()


def beginning(player: int) -> bytes:
    """The history of a player who has seen nothing yet."""
    return fold(b"", b"p", bytes([player]))


def acted(key: bytes, action: int) -> bytes:
    """The player itself chose an action."""
    return fold(key, b"a", action.to_bytes(4, "little"))


def saw(key: bytes, before: bytes, now: bytes) -> bytes:
    """The player looks: an event only where something has changed."""
    return key if now == before else fold(key, b"o", now)


class History:
    """The histories of all players in one game, kept by the referee, who knows the true states.

    >>> import playout
    >>> state = playout.load("kuhn-poker").start(1)
    >>> history = History(state)
    >>> history.play(0, state.find("bet"), state.play("bet"))
    >>> history.key(0) != History(state).key(0)
    True
    """

    def __init__(self, start: State) -> None:
        self._keys = [beginning(player) for player in range(start.game.players)]
        self._seen = [b""] * start.game.players
        self._look(start)

    def _look(self, state: State) -> None:
        for player, before in enumerate(self._seen):
            now = state.observed(player)
            self._keys[player] = saw(self._keys[player], before, now)
            self._seen[player] = now

    def play(self, mover: int, action: int, after: State) -> None:
        """An action of one player, and what everybody sees then."""
        self._keys[mover] = acted(self._keys[mover], action)
        self._look(after)

    def key(self, player: int) -> bytes:
        """The key of a player's information set, for agents and exact tools alike."""
        return self._keys[player]
