"""The cards and items of Root, typed in from the rules page: a part of `referee`."""

from __future__ import annotations

from collections import Counter

FOX, RABBIT, MOUSE, BIRD, ANY = "fox", "rabbit", "mouse", "bird", "any"
Card = tuple[str, str]
Cards = Counter[Card]

_F, _R, _M = FOX, RABBIT, MOUSE
DECK: dict[tuple[str, str], tuple[int, tuple[str, ...], str, int]] = {
    ("Ambush!", BIRD): (2, (), "ambush", 0),
    ("Ambush!", FOX): (1, (), "ambush", 0),
    ("Ambush!", RABBIT): (1, (), "ambush", 0),
    ("Ambush!", MOUSE): (1, (), "ambush", 0),
    ("Birdy Bindle", BIRD): (1, (_M,), "bag", 1),
    ("Gently Used Knapsack", FOX): (1, (_M,), "bag", 1),
    ("Smuggler's Trail", RABBIT): (1, (_M,), "bag", 1),
    ("Mouse-in-a-Sack", MOUSE): (1, (_M,), "bag", 1),
    ("Woodland Runners", BIRD): (1, (_R,), "boots", 1),
    ("Travel Gear", FOX): (1, (_R,), "boots", 1),
    ("A Visit to Friends", RABBIT): (1, (_R,), "boots", 1),
    ("Travel Gear", MOUSE): (1, (_R,), "boots", 1),
    ("Crossbow", BIRD): (1, (_F,), "crossbow", 1),
    ("Crossbow", MOUSE): (1, (_F,), "crossbow", 1),
    ("Arms Trader", BIRD): (1, (_F, _F), "sword", 2),
    ("Foxfolk Steel", FOX): (1, (_F, _F), "sword", 2),
    ("Sword", MOUSE): (1, (_F, _F), "sword", 2),
    ("Anvil", FOX): (1, (_F,), "hammer", 2),
    ("Root Tea", FOX): (1, (_M,), "tea", 2),
    ("Root Tea", RABBIT): (1, (_M,), "tea", 2),
    ("Root Tea", MOUSE): (1, (_M,), "tea", 2),
    ("Protection Racket", FOX): (1, (_R, _R), "coins", 3),
    ("Bake Sale", RABBIT): (1, (_R, _R), "coins", 3),
    ("Investments", MOUSE): (1, (_R, _R), "coins", 3),
    ("Armorers", BIRD): (2, (_F,), "persistent", 0),
    ("Sappers", BIRD): (2, (_M,), "persistent", 0),
    ("Brutal Tactics", BIRD): (2, (_F, _F), "persistent", 0),
    ("Royal Claim", BIRD): (1, (ANY,) * 4, "persistent", 0),
    ("Stand and Deliver!", FOX): (2, (_M, _M, _M), "persistent", 0),
    ("Tax Collector", FOX): (3, (_F, _R, _M), "persistent", 0),
    ("Command Warren", RABBIT): (2, (_R, _R), "persistent", 0),
    ("Better Burrow Bank", RABBIT): (2, (_R, _R), "persistent", 0),
    ("Cobbler", RABBIT): (2, (_R, _R), "persistent", 0),
    ("Scouting Party", MOUSE): (2, (_M, _M), "persistent", 0),
    ("Codebreakers", MOUSE): (2, (_M,), "persistent", 0),
    ("Favor of the Foxes", FOX): (1, (_F, _F, _F), "favor", 0),
    ("Favor of the Rabbits", RABBIT): (1, (_R, _R, _R), "favor", 0),
    ("Favor of the Mice", MOUSE): (1, (_M, _M, _M), "favor", 0),
}
"""By name and suit: copies, what crafting costs, the kind (an item by its name), points."""
ITEMS = {"boots": 2, "bag": 2, "crossbow": 1, "hammer": 1, "sword": 2, "tea": 2, "coins": 2}
