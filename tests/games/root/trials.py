"""Random games of Root under many readings of the rules, each looked at by a witness in every decision."""

from __future__ import annotations

from collections import Counter

import numpy as np

from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import PICKS, Stream
from playout.games.root import cards as c
from playout.games.root import record as g
from tests.games.root import referee as r
from tests.games.root.boards import surveyed
from tests.games.root.referee import Rules
from tests.games.root.witness import KIND, Disagreement, Witness

DECKS = (
    "claim-stand-stand-bank-bank-tax-tax-birdambush-armorers-sappers-brutal-mice-foxes-codebreakers",
    "claim-stand-bank-tax-codebreakers-foxambush-rabbits-cobbler-warren",
    "stand-anvil-foxambush-bank-sword-sappers-mice-tax",
)
SPECS = (
    "root",
    "root:decree=forced,bank=always",
    "root:tax_hospitals=false,short_roost=false,despot=removal",
    f"root:decree=forced,deck={DECKS[0]}",
    f"root:bank=always,despot=removal,short_roost=false,deck={DECKS[1]}",
    "root:decree=forced,tax_hospitals=false,bank=always,despot=removal,points=20",
    f"root:deck={DECKS[2]}",
    f"root:tax_hospitals=false,deck={DECKS[0]}",
)
"""Readings of the rules, and smaller decks in which cards are often met that are rare in the whole one."""


def rules_of(game: Game) -> Rules:
    """The options of a game, as the referee knows them."""
    asked = game.parameters
    words = [row[1] for row in c.TABLE]
    small = Counter(KIND[words.index(word)] for word in asked["deck"].split("-")) if asked["deck"] else Rules().whole
    return Rules(
        forced=asked["decree"] == "forced",
        tax_hospitals=asked["tax_hospitals"],
        short_roost=asked["short_roost"],
        bank_always=asked["bank"] == "always",
        despot_each=asked["despot"] == "removal",
        goal=asked["points"],
        whole=small,
    )


def crowded(state: State, lots: Stream) -> State:
    """The same moment with nearly all pieces on the map, so that wood, warriors, buildings and slots are short; or without a roost."""
    array = state.copy_array()
    record = array[0]
    if lots.below(3) == 0:
        record["buildings"][3], record["built"][3] = 0, 0
    for player in range(2):
        for _ in range(int(record["supply"][player]) - lots.below(4)):
            record["warriors"][player, lots.below(12)] += 1
            record["supply"][player] -= 1
    for _ in range(int(record["lumber"]) - lots.below(4)):
        record["wood"][lots.below(12)] += 1
        record["lumber"] -= 1
    kinds = 4 if record["built"][3] else 3
    for _ in range(lots.below(40)):
        kind, place = lots.below(kinds), lots.below(12)
        full = record["buildings"][:, place].sum() == r.SLOTS[place + 1] or record["built"][kind] == (6, 6, 6, 7)[kind]
        if full or (kind == 3 and (record["buildings"][3, place] or record["keep"] == place)):
            continue
        record["buildings"][kind, place] += 1
        record["built"][kind] += 1
    return surveyed(State(state.game, array, state.word))


def play(game: Game, seed: int, led: bool = False, crowds: bool = False, rules: Rules | None = None) -> Counter[str]:
    """A random game, looked at in every decision; how often each thing was compared.

    `led`: by the game's own rule, which gets further. `crowds`: now and then nearly all pieces come onto the map. `rules`: other ones
    than the game's.
    """
    witness, state, lots = Witness(rules or rules_of(game)), game.start(seed), Stream(seed, PICKS)
    rule = game.functions["playout_action"]
    while not state.over:
        if crowds and int(state.fields.stage) in (g.HER_WINDOW, g.ADD, g.ACT, g.BANKING) and lots.below(16) == 0:
            state, witness._then = crowded(state, lots), None
        action = state.legal[lots.below(len(state.legal))]
        if led and lots.below(8):
            action = int(rule(state.fields, np.array(state.legal, np.int64), len(state.legal), lots))
        after = state.after(action)
        try:
            witness.step(state.copy_array()[0], list(state.legal), action, after.copy_array()[0])
        except Disagreement as found:
            raise Disagreement(f"{game.spec}, seed {seed}, {state.name(action)!r} in\n{state}\n{found}") from None
        state = after
    return witness.compared
