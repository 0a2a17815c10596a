"""Root for two: the Marquise de Cat against the Eyrie Dynasties, whole rules, with hidden hands.

The game of Cole Wehrle (Leder Games), base game, autumn map, 50 cards, the wording of the Law of 2025. Player 0 is the Marquise,
player 1 the Eyrie. A turn is a chain of small decisions, in which the other player may have to answer: `play` carries one out, and then
the game goes on by itself until somebody must decide. `docs/root.md` says how the rules are read where they leave something open.

Rewards: `difference` is the lead in points, of at most 30 each; `win` is 1 for a win and -1 for a loss; `blend` is the difference as a part
of 30, and 1 more for a win and 1 less for a loss.
"""

from playout import below
from playout.games.root import clicks, picture
from playout.games.root.battle import answer_battle, begin_battle, legal_battle, step_battle
from playout.games.root.cards import ITEMS, SUPPLY
from playout.games.root.craft import (
    answer_claiming,
    answer_crafting,
    answer_hospital,
    legal_claiming,
    legal_crafting,
    legal_hospital,
    step_claiming,
    step_crafting,
    step_hospital,
)
from playout.games.root.drawing import draw as draw
from playout.games.root.eyrie import ALL_LEADERS, answer_eyrie, legal_eyrie, step_eyrie
from playout.games.root.hands import determinize as determinize
from playout.games.root.hands import draw as draw_cards
from playout.games.root.hands import observe as observe
from playout.games.root.laws import broken as broken
from playout.games.root.laws import laws as laws
from playout.games.root.marquise import answer_marquise, legal_marquise, step_marquise
from playout.games.root.names import FACTIONS
from playout.games.root.names import action_name as action_name
from playout.games.root.names import hidden_facts as hidden_facts
from playout.games.root.options import DECK
from playout.games.root.policy import playout_action as playout_action
from playout.games.root.policy import prior as prior
from playout.games.root.record import (
    ACT,
    ACTIONS,
    AMBUSHED,
    BANKING,
    CHOOSE_LEADER,
    CLAIMING,
    COBBLING,
    COUNTING,
    CRAFTING,
    DISCARDING,
    EMPTY_MAP,
    EVENING,
    EYRIE,
    FIGHT,
    GO,
    GROW,
    HOSPITAL,
    LUMBER,
    MARQUISE,
    NUMBER,
    ORDERS,
    PASS,
    RESOLVE,
    TAXED,
    TURN,
    USE_BANK,
    WARRENS,
    WARRIORS,
)
from playout.games.root.record import State as State
from playout.games.root.rewards import evaluate as evaluate
from playout.games.root.rewards import evaluate_as as evaluate_as
from playout.games.root.rewards import returns as returns
from playout.games.root.rewards import returns_as as returns_as
from playout.games.root.rewards import returns_range as returns_range
from playout.games.root.rewards import rewards as rewards
from playout.games.root.turn import (
    answer_banking,
    answer_discarding,
    begin_move,
    carry_out_move,
    legal_cobbling,
    legal_counting,
    legal_discarding,
    legal_warrens,
    step_banking,
    step_cobbling,
    step_counting,
    step_discarding,
    step_evening,
    step_taxed,
    step_turn,
    step_warrens,
)
from playout.picture import choices

players = 2
player_names = FACTIONS
actions = ACTIONS
# Her Daylight: to stop, 36 moves, 12 battles, to recruit, 36 buildings, the Tax Collector in 12 clearings, Codebreakers; and each card of a
# hand of at most 9 (five, both Banks, a theft, the tax) spent to overwork or for an action.
most_legal = 1 + 36 + 12 + 1 + 36 + 12 + 1 + 2 * 9
FIRST_CARDS = 3


def start(state, rng):
    state.deck = DECK
    draw_cards(state, MARQUISE, FIRST_CARDS, rng)
    draw_cards(state, EYRIE, FIRST_CARDS, rng)
    for item in range(ITEMS):
        state.items[item] = SUPPLY[item]
    state.supply[MARQUISE] = WARRIORS[MARQUISE]
    state.supply[EYRIE] = WARRIORS[EYRIE]
    state.lumber = LUMBER
    state.keep = -1
    state.sets[MARQUISE] = EMPTY_MAP
    state.leaders = ALL_LEADERS
    state.turn = below(rng, 2)


def legal(state, out):
    stage = state.stage
    if stage >= AMBUSHED:
        return legal_battle(state, out)
    if ACT <= stage < RESOLVE or stage < CHOOSE_LEADER or GROW <= stage < ORDERS:
        return legal_marquise(state, out)
    if stage == COUNTING:
        return legal_counting(state, out)
    if stage == CRAFTING:
        return legal_crafting(state, out)
    if stage == HOSPITAL:
        return legal_hospital(state, out)
    if stage == DISCARDING:
        return legal_discarding(state, out)
    if stage == CLAIMING:
        return legal_claiming(state, out)
    if stage == WARRENS:
        return legal_warrens(state, out)
    if stage == COBBLING:
        return legal_cobbling(state, out)
    if stage == BANKING:
        out[0] = PASS
        out[1] = USE_BANK
        return 2
    return legal_eyrie(state, out)


def play(state, action, rng):
    answer(state, action, rng)
    state.asked = -1
    while state.asked < 0 and state.winner == 0:
        step(state, rng)


def answer(state, action, rng):
    """Carry out a decision."""
    stage = state.stage
    if stage >= AMBUSHED:
        answer_battle(state, action)
    elif ACT <= stage < RESOLVE or stage < CHOOSE_LEADER or GROW <= stage < ORDERS:
        answer_marquise(state, action, rng)
    elif stage == COUNTING:
        carry_out_move(state, action - NUMBER + 1)
    elif stage == CRAFTING:
        answer_crafting(state, action)
    elif stage == HOSPITAL:
        answer_hospital(state, action)
    elif stage == DISCARDING:
        answer_discarding(state, action)
    elif stage == CLAIMING:
        answer_claiming(state, action)
    elif stage == WARRENS:
        if action == PASS:
            state.stage = CRAFTING
        else:
            begin_battle(state, action - FIGHT, CRAFTING)
    elif stage == COBBLING:
        if action == PASS:
            state.stage = EVENING
        else:
            begin_move(state, action - GO, EVENING)
    elif stage == BANKING:
        answer_banking(state, action, rng)
    else:
        answer_eyrie(state, action, rng)


def step(state, rng):
    """Go on with the stage: somebody is asked, or another stage comes."""
    stage = state.stage
    if stage >= AMBUSHED:
        step_battle(state, rng)
    elif ACT <= stage < RESOLVE or stage < CHOOSE_LEADER or GROW <= stage < ORDERS:
        step_marquise(state)
    elif stage == COUNTING:
        step_counting(state)
    elif stage == CRAFTING:
        step_crafting(state)
    elif stage == HOSPITAL:
        step_hospital(state)
    elif stage == DISCARDING:
        step_discarding(state)
    elif stage == EVENING:
        step_evening(state, rng)
    elif stage == TURN:
        step_turn(state)
    elif stage == BANKING:
        step_banking(state, rng)
    elif stage == WARRENS:
        step_warrens(state)
    elif stage == COBBLING:
        step_cobbling(state)
    elif stage == CLAIMING:
        step_claiming(state)
    elif stage == TAXED:
        step_taxed(state, rng)
    else:
        step_eyrie(state, rng)


def mover(state):
    return state.asked if state.winner == 0 else -1


def svg(state, viewer):
    return picture.svg(state, viewer, choices(state, mover, legal, most_legal, viewer))


def clicked(state, parts):
    return clicks.clicked(choices(state, mover, legal, most_legal), parts)
