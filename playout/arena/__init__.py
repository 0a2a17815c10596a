"""Agents against each other, with honest numbers: matches, ratings, storage, distribution.

from playout.arena import compete
standings = compete("connect-four", ["uct:simulations=1000", "random"], games=40)
"""

from playout.arena.referee import Rules
from playout.arena.standings import AgentRow, PairRow, SideRow, SoloRow, Standings
from playout.arena.store import Store
from playout.arena.tournament import Tournament, compete, stored

__all__ = ["AgentRow", "PairRow", "Rules", "SideRow", "SoloRow", "Standings", "Store", "Tournament", "compete", "stored"]
