"""Mistakes in a game, each a part that replaces one of the good game, with the message that it deserves."""

from __future__ import annotations


def symmetric(encoded: str, action: str) -> str:
    """An encoding of the four cells, and two ways to see it."""
    return (
        "encoding = (4, 2)\nsymmetries = 2\ndef encode(state, player, out):\n    for i in range(4):\n        if state.cells[i] > 0:\n"
        "            out[i, 0 if state.cells[i] == player + 1 else 1] = 1.0\n"
        f"def mirror_encoding(symmetry, encoded):\n    return {encoded}\ndef mirror_action(symmetry, action):\n    return {action}"
    )


LAWS = 'laws = ("a bonus below 3", "as many moves as cells")\n'
MARKED = 'def marked(attribute):\n    return f\'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect {attribute}/></svg>\'\n'
PARTS = MARKED + "def svg(state):\n    return marked('data-part=\"a\"') if state.moves < 4 else marked('')\n"
# code, words that the message must hold, and what replaces a part of the good game
CASES: dict[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    "no legal action": (
        "legal-none",
        ("legal (", "line", "returned 0", "mover", "-1", "cells="),
        {"mover": "def mover(state):\n    return state.moves & 1"},
    ),
    "too many for the buffer": (
        "legal-many",
        ("past its buffer of 2", "returned 4", "most_legal = 4"),
        {"more": "most_legal = 2"},
    ),
    "count above the buffer": (
        "legal-many",
        ("returned 9", "there are only 4 ids, so raise actions to 9"),
        {"legal": "def legal(state, out):\n    for i in range(4):\n        out[i] = i\n    return 9"},
    ),
    "more ids than there are": (
        "legal-many",
        ("past its buffer of 2 and returned 4", "there are only 2 ids, so raise actions to 4 or more, or write fewer ids"),
        {"more": "actions = 2"},
    ),
    "a helper that wants names": (
        "source-keyword",
        ("helper (", "takes b by name only", "leave the * out of its arguments"),
        {
            "mover": "def helper(a, *, b):\n    return a & b\ndef mover(state):\n    return -1 if state.moves == 4 else helper(state.moves, b=1)"
        },
    ),
    "the state as a dict": (
        "play-field",
        ("looks a field up in brackets", "write a dot, as in state.cells", "cells, moves, bonus"),
        {"play": "def play(state, action, rng):\n    state['moves'] += 1"},
    ),
    "a copy of the state": (
        "play-field",
        ("copies the state", "play changes the state that it is handed"),
        {"play": "def play(state, action, rng):\n    state.copy()"},
    ),
    "an index that is no whole number": (
        "play-fails",
        ("no whole number", "// instead of /"),
        {"play": "def play(state, action, rng):\n    state.cells[action / 2] = 1"},
    ),
    "play calls itself for ever": (
        "play-fails",
        ("calls itself deeper than", "write it as a loop"),
        {"play": "def dig(n):\n    return dig(n + 1)\ndef play(state, action, rng):\n    state.bonus = dig(0)"},
    ),
    "negative count": ("legal-count", ("returned -1", "how many"), {"legal": "def legal(state, out):\n    return -1"}),
    "no count": ("legal-count", ("returned None", "how many"), {"legal": "def legal(state, out):\n    out[0] = 0"}),
    "unknown id": (
        "legal-range",
        ("action 4", "0 to 3", "raise actions"),
        {"legal": "def legal(state, out):\n    out[0] = 4\n    return 1"},
    ),
    "an id twice": (
        "legal-duplicate",
        ("action 1", "more than once"),
        {"legal": "def legal(state, out):\n    out[0], out[1] = 1, 1\n    return 2"},
    ),
    "legal outside the state": (
        "legal-outside",
        ("mygame.py, line 15", "out of bounds", "size of the field"),
        {"legal": "def legal(state, out):\n    out[0] = state.cells[7]\n    return 1"},
    ),
    "legal changes the state": (
        "legal-changes",
        ("changed the state (field bonus)", "only start and play may"),
        {"legal": "def legal(state, out):\n    state.bonus += 1\n    out[0] = 0\n    return 1"},
    ),
    "legal remembers": (
        "legal-differs",
        ("two answers", "arguments alone"),
        {"legal": "calls = [0]\ndef legal(state, out):\n    calls[0] += 1\n    out[0] = calls[0] % 4\n    return 1"},
    ),
    "mover out of range": ("mover-range", ("returned 2", "0 to 1"), {"mover": "def mover(state):\n    return 2"}),
    "mover is no number": ("mover-type", ("returned None", "whole number"), {"mover": "def mover(state):\n    pass"}),
    "mover is a bool": ("mover-type", ("returned False",), {"mover": "def mover(state):\n    return state.moves > 3"}),
    "mover changes the state": (
        "mover-changes",
        ("field moves",),
        {"mover": "def mover(state):\n    state.moves += 1\n    return -1 if state.moves > 4 else 0"},
    ),
    "returns not a number": (
        "returns-nan",
        ("gave nan to player 1", "finite"),
        {"returns": "def returns(state, out):\n    out[0] = 0.0\n    out[1] = np.nan"},
    ),
    "returns for one only": (
        "returns-missing",
        ("out[1] unwritten", "every player"),
        {"returns": "def returns(state, out):\n    out[0] = 0.0"},
    ),
    "returns in place of writing": (
        "returns-missing",
        ("returned (0.0, 0.0) and wrote nothing into out", "write out[0] = ..."),
        {"returns": "def returns(state, out):\n    return (0.0, 0.0)"},
    ),
    "a number too big for its field": (
        "play-overflow",
        (
            "line 24) stored 300 in state.cells",
            "its int8 holds -128 to 127, so that 44 is left of it",
            "give the field a wider type",
        ),
        {"play": "def play(state, action, rng):\n    state.cells[action] = 300\n    state.moves += 1"},
    ),
    "a number too small for its field": (
        "start-overflow",
        ("stored -32769 in state.moves", "its int16 holds -32,768 to 32,767, so that 32767 is left of it"),
        {"start": "def start(state, rng):\n    state.moves = -32769", "mover": "def mover(state):\n    return -1"},
    ),
    "an encoding that is not finite": (
        "encode-nan",
        ("encode (", "wrote inf into out[1, 3] for player 0", "scale big ones"),
        {"more": "encoding = (2, 4)\ndef encode(state, player, out):\n    out[1, 3] = 1e39"},
    ),
    "an encoding with a memory": (
        "encode-differs",
        ("encode (", "line"),
        {
            "more": "encoding = (4,)\nMEMORY = np.zeros(1)\ndef encode(state, player, out):\n    MEMORY[0] += 1\n    out[0] = MEMORY[0]"
        },
    ),
    "an encoding too big for its shape": (
        "encode-outside",
        ("reads or writes outside an array", "check the index"),
        {"more": "encoding = (4,)\ndef encode(state, player, out):\n    out[4] = 1.0"},
    ),
    "an encoding that plays": (
        "encode-changes",
        ("changed the state (field bonus)",),
        {"more": "encoding = (4,)\ndef encode(state, player, out):\n    state.bonus += 1"},
    ),
    "a symmetry that loses an action": (
        "symmetry-table",
        ("mirror_action loses or doubles something for symmetry 1", "every action id must come out once"),
        {"more": symmetric("encoded[::-1] if symmetry else encoded", "0 if symmetry else action")},
    ),
    "a symmetry of the board alone": (
        "symmetry-legal",
        ("mirror_action (", "symmetry 1 is none of the rules", "the legal actions of the one become", "declare fewer symmetries"),
        {"more": symmetric("encoded[::-1] if symmetry else encoded", "action")},
    ),
    "a symmetry that is none": (
        "symmetry-play",
        ("mirror_encoding (", "with returns of [", "correct mirror_encoding or mirror_action"),
        {"more": symmetric("encoded[::-1] if symmetry else encoded", "3 - action if symmetry else action")},
    ),
    "returns adds up": (
        "returns-missing",
        ("out[0]", "added to what was there"),
        {"returns": "def returns(state, out):\n    out[0] += 1.0\n    out[1] = 0.0"},
    ),
    "returns out of range": (
        "returns-range",
        ("gave 5.0 to player 0", "-1 to 1"),
        {"returns": "def returns(state, out):\n    out[0] = 5.0\n    out[1] = 0.0"},
    ),
    "returns changes the state": (
        "returns-changes",
        ("field cells",),
        {"returns": "def returns(state, out):\n    state.cells[0] = 2\n    out[0] = 0.0\n    out[1] = 0.0"},
    ),
    "returns by chance": (
        "returns-differs",
        ("two answers",),
        {"returns": "import random\ndef returns(state, out):\n    out[0] = random.random()\n    out[1] = 0.0"},
    ),
    "play outside the state": (
        "play-outside",
        ("play (", "index 4 is out of bounds", "damage"),
        {"play": "def play(state, action, rng):\n    state.cells[action + 1] = 1\n    state.moves += 1"},
    ),
    "unknown field": (
        "play-field",
        ("line 24", "'cell'", "the fields are cells, moves, bonus"),
        {"play": "def play(state, action, rng):\n    state.cell[action] = 1\n    state.moves += 1"},
    ),
    "unknown field written": (
        "play-field",
        ("turn", "the fields are cells, moves, bonus"),
        {"play": "def play(state, action, rng):\n    state.turn = 1"},
    ),
    "whole array assigned": (
        "play-field",
        ("whole array state.cells", "state.cells[i] = ..."),
        {"play": "def play(state, action, rng):\n    state.cells = 1"},
    ),
    "play raises": (
        "play-fails",
        ("ZeroDivisionError", "every state"),
        {"play": "def play(state, action, rng):\n    state.moves += 1 // (state.moves - state.moves)"},
    ),
    "play without a value": (
        "play-fails",
        ("no value yet", "before the if"),
        {"play": "def play(state, action, rng):\n    if action > 9:\n        x = 1\n    state.moves += x"},
    ),
    "play by other chance": (
        "play-differs",
        ("two results for the same seed", "field bonus", "below(rng, n)"),
        {"play": "import random\ndef play(state, action, rng):\n    state.bonus = random.getrandbits(20)\n    state.moves += 1"},
    ),
    "start by other chance": (
        "start-differs",
        ("start (", "field bonus"),
        {"start": "def start(state, rng):\n    state.bonus = np.random.randint(1 << 30)"},
    ),
    "start raises": ("start-fails", ("start (", "ValueError"), {"start": "def start(state, rng):\n    raise ValueError('no')"}),
    "copies share a global": (
        "copy-shared",
        ("different action was played on a copy", "nothing in globals"),
        {
            "play": "last = [0]\ndef play(state, action, rng):\n    state.bonus = last[0] == action\n    last[0] = action\n    state.moves += 1"
        },
    ),
    "never over": (
        "endless",
        ("mover (", "50,000 actions", "limit"),
        {
            "legal": "def legal(state, out):\n    out[0] = 0\n    return 1",
            "play": "def play(state, action, rng):\n    state.bonus += 1",
            "mover": "def mover(state):\n    return 0",
        },
    ),
    "stuck": (
        "play-stuck",
        ("play (", "did not come back", "mygame.py, line 2"),  # the loop's head or its body, as Python has it
        {"play": "def play(state, action, rng):\n    while action >= 0:\n        pass"},
    ),
    "key is no number": ("key-type", ("returned 0.5",), {"key": "def key(state):\n    return 0.5"}),
    "key too big": ("key-range", ("64 bits", "Zobrist"), {"key": "def key(state):\n    return 1 << 70"}),
    "key of too little": (
        "key-collision",
        ("two states", "from seed", "mover included"),
        {"key": "def key(state):\n    return 7"},
    ),
    "key that forgets a field": (
        "key-collision",
        ("two states that differ after action", "they have different returns", "which differ in cells", "mover included"),
        {
            "key": "def key(state):\n    free = 0\n    for i in range(4):\n        free |= (state.cells[i] == 0) << i\n    return 4 * free + state.bonus"
        },
    ),
    "key that is blind to the result": (
        "key-collision",
        ("two states with different returns (", "which differ in cells"),
        {
            "key": "def key(state):\n    return state.moves if state.moves == 4 else state.cells[0] + 3 * state.cells[1] + 9 * state.cells[2] + 27 * state.cells[3] + 1000 * (1 + state.bonus)"
        },
    ),
    "key changes the state": ("key-changes", ("field moves",), {"key": "def key(state):\n    state.moves += 1\n    return 1"}),
    "key by chance": (
        "key-differs",
        ("two answers",),
        {"key": "import random\ndef key(state):\n    return random.getrandbits(60)"},
    ),
    "canonical is no number": ("canonical-type", ("returned 0.5",), {"more": "def canonical(state):\n    return 0.5"}),
    "canonical too big": ("canonical-range", ("64 bits",), {"more": "def canonical(state):\n    return 1 << 70"}),
    "canonical of too little": (
        "canonical-differs",
        ("two states with different", "mirror each other"),
        {"more": "def canonical(state):\n    return 7"},
    ),
    "too many patterns": (
        "patterns-count",
        ("returned 3", "at most the 2 of most_patterns"),
        {"more": "pattern_weights = 5\nmost_patterns = 2\ndef patterns(state, player, out):\n    return 3"},
    ),
    "a pattern that is not there": (
        "patterns-id",
        ("wrote the id 5", "from 0 to 4"),
        {"more": "pattern_weights = 5\nmost_patterns = 2\ndef patterns(state, player, out):\n    out[0] = 5\n    return 1"},
    ),
    "illegal playout action": (
        "playout_action-illegal",
        ("returned 9", "not legal", "legal[0]"),
        {"more": "def playout_action(state, legal, count, rng):\n    return 9"},
    ),
    "evaluate not a number": (
        "evaluate-nan",
        ("evaluate (", "inf"),
        {"more": "def evaluate(state, out):\n    out[0] = np.inf\n    out[1] = 0.0"},
    ),
    "evaluate out of range": (
        "evaluate-range",
        ("gave 3.0",),
        {"more": "def evaluate(state, out):\n    out[0] = 3.0\n    out[1] = 0.0"},
    ),
    "prior is negative": (
        "prior-number",
        ("weight -1.0", "0 or more"),
        {"more": "def prior(state, legal, count, out):\n    for i in range(count):\n        out[i] = -1.0"},
    ),
    "prior is zero": (
        "prior-zero",
        ("weight 0 to every action",),
        {"more": "def prior(state, legal, count, out):\n    for i in range(count):\n        out[i] = 0.0"},
    ),
    "wins counts wrong": (
        "wins-count",
        ("wins (", "returned 9 in the state", "at most 4"),
        {"more": "def wins(state, out):\n    return 9"},
    ),
    "wins leaves one out": (
        "wins-wrong",
        ("wins (", "listed [0] in the state", "is nothing; list each"),
        {"more": "def wins(state, out):\n    out[0] = 0\n    return 1"},
    ),
    "safe counts wrong": (
        "safe-count",
        ("safe (", "returned 9 in the state", "at most 4"),
        {"more": "def wins(state, out):\n    return 0\n\n\ndef safe(state, out):\n    return 9"},
    ),
    "safe counts below all": (
        "safe-count",
        ("safe (", "returned -2 in the state", "return how many ids it wrote, at most 4, or -1 for all legal ones"),
        {"more": "def wins(state, out):\n    return 0\n\n\ndef safe(state, out):\n    return -2"},
    ),
    "safe says all where one gives it away": (
        "safe-wrong",
        ("safe (", "listed [", "lets nobody else win with the next action is nothing; list each"),
        {
            "returns": "def returns(state, out):\n    last = 1.0 if state.moves == 4 else 0.0\n    out[0], out[1] = -last, last",
            "more": "def wins(state, out):\n    if state.moves != 3:\n        return 0\n    return legal(state, out)\n"
            "def safe(state, out):\n    return -1",
        },
    ),
    "pick draws from too many": (
        "pick-wrong",
        (
            "mygame.py, line 40) returned ",
            " in the state",
            ", where below(rng, ",
            " and legal[",
            "; draw once, below(rng, count) with the count of legal, and return the id that legal writes at that place; "
            "if it is a helper, give it another name",
        ),
        {"more": "def pick(state, rng):\n    return below(rng, 4)"},
    ),
    "pick returns nothing": (
        "pick-wrong",
        ("pick (", "returned None in the state", "where below(rng, 4) gives"),
        {"more": "def pick(state, rng):\n    below(rng, 4)"},
    ),
    "pick draws twice": (
        "pick-wrong",
        ("pick (", "drew something else than one below(rng, 4) in the state", "; draw once, below(rng, count)"),
        {
            "legal": "def legal(state, out):\n    for i in range(4):\n        out[i] = i\n    return 4",
            "more": "def pick(state, rng):\n    action = below(rng, 4)\n    below(rng, 4)\n    return action",
        },
    ),
    "pick forgets the stream": (
        "pick-wrong",
        ("pick (", "drew something else than one below(rng, 1) in the state"),
        {
            "legal": "def legal(state, out):\n    out[0] = state.moves\n    return 1",
            "more": "def pick(state, rng):\n    below(rng, 2)\n    return state.moves",
        },
    ),
    "pick plays": (
        "pick-changes",
        ("pick (", "changed the state (field bonus)", "only start and play may"),
        {"more": "def pick(state, rng):\n    state.bonus += 1\n    return 0"},
    ),
    "pick fails where it is late": (
        "pick-outside",
        ("pick (", "reads or writes outside an array"),
        {"more": "def pick(state, rng):\n    return state.cells[below(rng, 4) + state.moves]"},
    ),
    "safe leaves one out": (
        "safe-wrong",
        ("safe (", "listed nothing in the state", "lets nobody else win with the next action is ["),
        {"more": "def wins(state, out):\n    return 0\n\n\ndef safe(state, out):\n    return 0"},
    ),
    "prior left out": (
        "prior-missing",
        ("out[1] unwritten",),
        {"more": "def prior(state, legal, count, out):\n    out[0] = 1.0"},
    ),
    "names twice": (
        "action_name-same",
        ("both 'x'", "name of its own"),
        {"more": "def action_name(state, action):\n    return 'x'"},
    ),
    "name is a number": (
        "action_name-type",
        ("returned 0", "a text"),
        {"more": "def action_name(state, action):\n    return action"},
    ),
    "name fails": (
        "action_name-fails",
        ("action_name (", "line", "KeyError"),
        {"more": "def action_name(state, action, viewer):\n    return {}[action]"},
    ),
    "drawing fails": (
        "draw-outside",
        ("draw (", "out of range"),
        {"more": "def draw(state):\n    return ' '.join('.X'[c] for c in state.cells)"},
    ),
    "drawing is printed": ("draw-type", ("NoneType", "do not print"), {"more": "def draw(state):\n    pass"}),
    "drawing changes the state": (
        "draw-changes",
        ("field moves",),
        {"more": "def draw(state, viewer):\n    state.moves = 3\n    return 'x'"},
    ),
    "picture is no XML": (
        "svg-xml",
        ("svg (", "escape"),
        {"more": "def svg(state):\n    return '<svg><text>a & b</text></svg>'"},
    ),
    "picture is no SVG": ("svg-xml", ("namespace", "xmlns"), {"more": "def svg(state):\n    return '<svg></svg>'"}),
    "a mark that names no legal action": (
        "svg-action",
        ("svg (", "marks data-action='9'", "no legal action there (legal: 0, 1, 2, 3)", "mark only what `legal` lists"),
        {"more": f"{MARKED}def svg(state):\n    return marked('data-action=\"9\"')"},
    ),
    "a mark that stays when its action is gone": (
        "svg-action",
        ("marks data-action='0' in the state after action", "no legal action there (legal: "),
        {"more": f"{MARKED}def svg(state):\n    return marked('data-action=\"0\"')"},
    ),
    "a mark when the game is over": (
        "svg-action",
        ("marks data-action='1'", "(the game is over)"),
        {"more": f"{MARKED}def svg(state):\n    return marked('data-action=\"1\"' if state.moves == 4 else '')"},
    ),
    "a picture without a size": (
        "svg-page",
        ("svg (", "its size is not known; give the <svg> element a viewBox of four numbers, in the state"),
        {"more": "def svg(state):\n    return '<svg xmlns=\"http://www.w3.org/2000/svg\"/>'"},
    ),
    "parts without a function": (
        "svg-part",
        ("svg (", "data-part='a'", "add def clicked(state, parts)"),
        {"more": f"{MARKED}def svg(state):\n    return marked('data-part=\"a\"')"},
    ),
    "clicks mean something illegal": (
        "clicked-illegal",
        ("clicked (", "made action 7 of the clicks ('a',)", "return -1"),
        {"more": f"{PARTS}def clicked(state, parts):\n    return 7"},
    ),
    "clicks mean no number": (
        "clicked-type",
        ("clicked (", "returned None for ('a',)", "-1 for none yet"),
        {"more": f"{PARTS}def clicked(state, parts):\n    pass"},
    ),
    "clicks that fail": (
        "clicked-fails",
        ("clicked (", "KeyError"),
        {"more": f"{PARTS}def clicked(state, parts):\n    return {{}}[parts]"},
    ),
    "clicks that change the state": (
        "clicked-changes",
        ("field moves",),
        {"more": f"{PARTS}def clicked(state, parts):\n    state.moves = 3\n    return -1"},
    ),
    "facts are no list": (
        "hidden_facts-type",
        ("hidden_facts (", "return a list of texts"),
        {"more": "def hidden_facts(state, viewer):\n    return 'a card'"},
    ),
    "facts are said twice": (
        "hidden_facts-same",
        ("hidden_facts (", "say each thing once"),
        {"more": "def hidden_facts(state, viewer):\n    return ['a card', 'a card']"},
    ),
    "law broken": (
        "law-broken",
        (
            "play (",
            "left law 2, 'as many moves as cells', broken in the state after action",
            "moves=3",
            "correct what the last action did",
        ),
        {"more": f"{LAWS}def broken(state):\n    return 2 if state.moves == 3 else 0"},
    ),
    "law broken at once": (
        "law-broken",
        ("start (", "left law 1, 'a bonus below 3', broken in the state that start gives for seed 0"),
        {"more": f"{LAWS}def broken(state):\n    return 1"},
    ),
    "no such law": ("broken-range", ("returned 3 in", "from 1 to 2"), {"more": f"{LAWS}def broken(state):\n    return 3"}),
    "a law that changes the state": (
        "broken-changes",
        ("changed the state (field bonus)",),
        {"more": f"{LAWS}def broken(state):\n    state.bonus += 1\n    return 0"},
    ),
    "picture is nothing": ("svg-type", ("NoneType",), {"more": "def svg(state):\n    pass"}),
}
