"""Root in words: what each action is called where it is legal, and what lies hidden. No name has a comma, which `--moves` splits at."""

from playout.games.root.cards import KIND_AT, KINDS, NAMES
from playout.games.root.craft import wounded
from playout.games.root.map import CLEARINGS, SUIT_NAMES, WAY_FROM, WAY_TO, WAYS
from playout.games.root.record import (
    ACT,
    ACTIONS,
    ACTIVATE,
    AMBUSHED,
    BANKING,
    BY_SUIT,
    CARD,
    CLAIMING,
    COBBLING,
    COLUMNS,
    CONSTRUCT,
    CORNER,
    COUNTERED,
    COUNTING,
    CRAFT,
    CRAFTING,
    DECREE,
    DISCARDING,
    EFFECTS,
    FIGHT,
    FIRST_OTHER,
    FIRST_SELF,
    GO,
    GROW,
    GROW_AT,
    HOSPITAL,
    LAST_WINDOW,
    LEADER,
    LEADERS,
    LEVY,
    LOSE,
    MARCH,
    MUSTER,
    NEW_ROOST,
    NUMBER,
    OVERWORK,
    PASS,
    PIECE_NAMES,
    RECRUIT_AT,
    RECRUITS,
    RESOLVE,
    ROOST_AT,
    TARGET,
    TURMOIL,
    TURN,
    USE_ARMORERS,
    USE_BANK,
    USE_BRUTAL,
    USE_CLAIM,
    USE_CODE,
    USE_SAPPERS,
    USE_STAND,
    WARRENS,
    WOOD_FROM,
    WORK,
)
from playout.games.root.record import ADD as ADDING
from playout.games.root.record import PAY as PAYING

FACTIONS = ("Marquise", "Eyrie")
PASSES = {
    BANKING: "no bank",
    ADDING: "no more Decree cards",
    WARRENS: "no battle",
    CRAFTING: "craft no more",
    HOSPITAL: "no hospital",
    ACT: "end Daylight",
    MARCH: "no second move",
    LAST_WINDOW: "end Daylight",
    COBBLING: "no Cobbler",
    AMBUSHED: "no ambush",
    COUNTERED: "no ambush",
    EFFECTS: "no more effects",
}
"""What it is called to say no; elsewhere it is "go on"."""
PLAIN = {
    MUSTER: "recruit",
    USE_BANK: "Better Burrow Bank: both draw",
    USE_CLAIM: "Royal Claim",
    USE_STAND: "Stand and Deliver!",
    USE_CODE: "Codebreakers",
    USE_ARMORERS: "Armorers",
    USE_SAPPERS: "Sappers",
    USE_BRUTAL: "Brutal Tactics",
    FIRST_SELF: "attacker decides first",
    FIRST_OTHER: "defender decides first",
}


def _by_number():
    """What each id says by itself; where the stage says more, `action_name` adds it."""
    blocks = (
        (CORNER, 4, lambda n: f"keep in {n + 1}"),
        (LEADER, 4, lambda n: f"leader {LEADERS[n]}"),
        (CONSTRUCT, 3 * CLEARINGS, lambda n: f"build {PIECE_NAMES[n // CLEARINGS]} in {n % CLEARINGS + 1}"),
        (GROW_AT, CLEARINGS, lambda n: f"wood to {n + 1}"),
        (WOOD_FROM, CLEARINGS, lambda n: f"wood from {n + 1}"),
        (RECRUIT_AT, CLEARINGS, lambda n: f"recruit in {n + 1}"),
        (ROOST_AT, CLEARINGS, lambda n: f"roost in {n + 1}"),
        (GO, len(WAYS), lambda n: f"{WAY_FROM[n] + 1} > {WAY_TO[n] + 1}"),
        (NUMBER, FIGHT - NUMBER, lambda n: f"{n + 1} warrior{'s' * (n > 0)}"),
        (FIGHT, CLEARINGS, lambda n: f"battle in {n + 1}"),
        (CRAFT, KINDS, lambda n: f"craft {NAMES[n]}"),
        (ACTIVATE, 3, lambda n: f"activate {SUIT_NAMES[n]}"),
        (CARD, KINDS, lambda n: NAMES[n]),
        (WORK, KINDS, lambda n: f"overwork with {NAMES[n]}"),
        (DECREE, 4 * KINDS, lambda n: f"{NAMES[n // 4]} to {COLUMNS[n % 4]}"),
        (BY_SUIT, 4, lambda n: SUIT_NAMES[n]),
        (LEVY, CLEARINGS, lambda n: f"Tax Collector in {n + 1}"),
        (LOSE, 6, lambda n: f"lose {PIECE_NAMES[n]}"),
    )
    found = {first + n: words(n) for first, size, words in blocks for n in range(size)}
    return tuple({**found, **PLAIN}.get(action, "no") for action in range(ACTIONS))


BY_NUMBER = _by_number()


def action_name(state, action, viewer):
    stage = state.stage
    if action == PASS:
        return PASSES.get(stage, "go on")
    words = BY_NUMBER[action]
    if GO <= action < GO + len(WAYS):
        return f"{'march' if stage in (ACT, MARCH) else 'move'} {words}"
    if CARD <= action < CARD + KINDS:
        return {
            ACT: f"spend {words} for an action",
            HOSPITAL: f"{words} for the hospital",
            DISCARDING: f"discard {words}",
        }.get(stage, words)
    if BY_SUIT <= action < BY_SUIT + 4:
        return f"{COLUMNS[state.column]} by {words}"
    return words


def question(state):
    """What has to be decided now, in words."""
    if state.winner:
        return f"{FACTIONS[state.winner - 1]} wins" if state.winner <= 2 else "the turns are over"
    who = FACTIONS[state.asked]
    if state.stage == HOSPITAL:
        return f"{who}: Field Hospitals for {state.fell[wounded(state)]} from {wounded(state) + 1}?"
    if state.stage >= AMBUSHED:
        return f"{who}: {'attack' if state.asked == state.turn else 'defence'} in {state.place + 1}"
    if state.stage == COUNTING:
        return f"{who}: how many go from {state.origin + 1} to {state.place + 1}?"
    if state.stage == ACT:
        return f"{who}: {state.actions} action{'s' * (state.actions != 1)} left"
    if state.stage < TURN:
        return f"{who}: before the first turn"
    if state.stage == PAYING:
        return f"{who}: which wood pays for the {PIECE_NAMES[state.piece]} in {state.place + 1}?"
    if state.stage in (RESOLVE, TARGET):
        card = f" by {SUIT_NAMES[state.suit]}" if state.stage == TARGET else ""
        return f"{who}: the Decree, {COLUMNS[state.column]}{card}"
    if state.stage == DISCARDING:
        return f"{who}: {state.left} to discard"
    return f"{who}: {MOMENTS.get(state.stage, 'Birdsong')}"


MOMENTS = {
    BANKING: "Better Burrow Bank?",
    GROW: "where does wood come?",
    ADDING: "cards for the Decree",
    NEW_ROOST: "where is the new roost?",
    WARRENS: "Command Warren?",
    CRAFTING: "crafting",
    CLAIMING: "pieces for the Royal Claim",
    MARCH: "a second move?",
    OVERWORK: "where does wood come?",
    RECRUITS: "who is recruited where?",
    TURMOIL: "turmoil, a new leader",
    LAST_WINDOW: "the end of Daylight",
    COBBLING: "Cobbler?",
}
"""What a stage is about, where nothing more is to be said."""


def card_names(cards):
    """The names of the cards of a set, each as often as it is there."""
    return [NAMES[KIND_AT[bit]] for bit in range(len(KIND_AT)) if int(cards) >> bit & 1]


def hidden_facts(state, viewer):
    """Which cards the other player holds that the viewer does not know of."""
    if viewer is None:
        return []
    other = 1 - viewer
    unknown = card_names(int(state.hands[other]) & ~int(state.known[other]))
    holds = "the Marquise holds" if other == 0 else "the Eyrie hold"
    facts = [f"{holds} {name}" for name in dict.fromkeys(unknown)]
    ambushes = sum(name.startswith("Ambush!") for name in unknown)
    return [*facts, f"{holds} {'no' if not ambushes else 'an' if ambushes == 1 else 'more than one'} unknown ambush"]
