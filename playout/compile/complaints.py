"""What the compiler says, in plain words: one small function per kind of complaint, tried in order.

Each gets the complaint and answers a sentence part with the cure, or None when it is not the one.
"""

from __future__ import annotations

import builtins
import re
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from playout.errors import suggest
from playout.game.game import Game
from playout.game.record import field_names

LOOP = "write it as a loop over whole numbers"


class Complaint(NamedTuple):
    """Everything there is to go by."""

    text: str
    kind: str
    """The name of the exception's class."""
    base: str
    """For an unknown name, what it was asked of: `state` in `state.bord`."""
    line: str
    """The user's line."""
    game: Game
    names: dict[str, Any]
    """The globals of the user's function."""


def in_words(complaint: Complaint) -> str:
    """The complaint as a sentence part: what is wrong, and the cure."""
    for rule in COMPLAINTS:
        said = rule(complaint)
        if said is not None:
            return said
    first = re.split(r"(?<=[.:])\s|\n", complaint.text, maxsplit=1)[0].strip().rstrip(".:") or complaint.kind
    if complaint.kind in ("KeyError", "ValueError", "AttributeError", "AssertionError", "IndexError", "TypeError"):
        first = f"{complaint.kind}: {first}"
    return f"the compiler says: {first[:200]}; rules may use numbers, tuples, arrays of the state, loops and plain functions"


# Types


def kind_in_words(kind: str) -> str:
    """A compiler's type as a person says it: `Literal[int](3)` is a whole number."""
    for pattern, words in _KINDS:
        match = re.match(pattern, kind)
        if match:
            return words.format(*match.groups())
    return kind[:60]


_KINDS = (
    (r"(?:Literal\[int\]|u?int\d+)", "a whole number"),
    (r"(?:Literal\[str\]|unicode_type|\[unichr)", "a text"),
    (r"(?:Literal\[bool\]|bool)", "True or False"),
    (r"float\d+", "a real number"),
    (r"none|NoneType|omitted", "None"),
    (r"(?:Tuple|UniTuple|Named)", "a tuple"),
    (r"(?:readonly |unaligned )*(?:nested)?array\(", "an array"),
    (r"Record\(word", "the stream"),
    (r"Record\(", "the state or a record of it"),
    (r"(?:reflected )?list\(|ListType|LiteralList", "a list"),
    (r"(?:reflected )?set\(", "a set"),
    (r"DictType|LiteralStrKey", "a dict"),
    (r"Enum", "an Enum member (an IntEnum would do)"),
    (r"OptionalType", "a value that may be None"),
    (r"type\(CPUDispatcher\(<function (\w+)", "the function {0}"),
    (r"Module\(<module '([\w.]+)'", "the module {0}"),
    (r"(?:Function|class|type)\(", "a function or class"),
    (r"range_", "a range"),
    (r"slice", "a slice"),
)


def _split(text: str) -> list[str]:
    """The arguments of a signature, split at the commas that are not inside brackets."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


# Complaints about names


def _stream_method(c: Complaint) -> str | None:
    if c.kind == "KeyError" and c.base == "rng":
        name = c.text.strip("'")
        known = name if name in ("below", "uniform") else "below"
        call = f"{known}(rng, n)" if known == "below" else "uniform(rng)"
        return f"it calls rng.{name}; write from playout import {known}, then {call}"
    return None


def _walrus(c: Complaint) -> str | None:
    if ":=" in c.line and "cannot be determined" in c.text:
        return "it assigns with := inside an expression; assign on a line of its own before it"
    return None


def _unknown_field(c: Complaint) -> str | None:
    match = re.search(r"Field '(\w+)' was not found in record", c.text)
    if match is None and c.kind != "KeyError":
        return None
    name = match[1] if match else c.text.strip("'")
    if name == "copy":
        return "it copies the state; nothing can be made while playing, so let play change the state that it is handed"
    return f"it uses {c.base or 'state'}.{name}, but the state has no field {name!r}; {suggest(name, field_names(c.game.dtype))}"


def _unknown_name(c: Complaint) -> str | None:
    match = re.search(r"name '(\w+)' is not defined", c.text)
    if match is None:
        return None
    return f"it uses {match[1]!r}, which is not defined; {_near(match[1], [*c.names, *dir(builtins)])}"


def _near(word: str, known: list[str]) -> str:
    said = suggest(word, [name for name in known if not name.startswith("__")])
    return said if said.startswith("did") else "define it above, or import it"


def _module_attribute(c: Complaint) -> str | None:
    match = re.search(r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'", c.text)
    if match is None:
        bare = re.search(r"module '([\w.]+)' has no attribute '(\w+)'", c.text)
        return bare and f"{bare[1]} has no {bare[2]!r}; check the spelling"
    name, module = match.groups()
    if module in ("random", "numpy.random", "secrets", "time"):
        return f"it uses {module}.{name}; chance comes only from the stream, so write below(rng, n) or uniform(rng)"
    if module == "numpy" or module.startswith("numpy."):
        return f"np.{name} is not available in compiled rules; {LOOP}"
    held = next((v for v in c.names.values() if isinstance(v, types.ModuleType) and v.__name__ == module), None)
    value = getattr(held, name, None)
    plain = isinstance(value, types.FunctionType) and not module.startswith("_") and not _is_standard(module)
    if plain or module.partition(".")[0] == "playout":
        return f"it calls {name} through its module; write from {module} import {name}, then call {name}(...) itself"
    return f"it uses {module}.{name}, which cannot be compiled; rules may use math, NumPy's number types and plain functions"


def _is_standard(module: str) -> bool:
    import sys

    return module.partition(".")[0] in sys.stdlib_module_names


def _other_attribute(c: Complaint) -> str | None:
    match = re.search(r"Unknown attribute '(\w+)' of type ([^\n]+)", c.text)
    if match is None:
        return None
    name, kind = match[1], match[2]
    if name == "append":
        return "it calls append; out is a fixed buffer, so write out[count] = action and count up"
    return f"{kind_in_words(kind)} has no .{name} in compiled rules; {LOOP}"


def _global_value(c: Complaint) -> str | None:
    match = re.search(r"Untyped \w+ name '([\w.$]+)': Cannot determine Numba type of <class '([\w.]+)'>", c.text)
    listed = re.search(r"use of a (?:reflected )?(list|set|\w+).* type, assigned to variable '(\w+)' in globals", c.text)
    inside = re.search(r"OverloadSelector.*\n.*global\((\w+):", c.text)
    if listed is not None:
        name, kind = listed[2], listed[1]
    elif inside is not None:
        return (
            f"it uses the global {inside[1]}, which holds something that cannot be compiled; make it a tuple or array of numbers"
        )
    elif match is not None:
        name, kind = match[1], match[2].rpartition(".")[2]
    else:
        return None
    if kind in ("list", "dict", "set", "frozenset"):
        return f"it uses the global {name}, which is a {kind}; make it a tuple or a NumPy array"
    if kind == "type":
        return f"it uses the class {name}; use plain functions over the state, or an IntEnum for names"
    if kind in ("_lru_cache_wrapper", "partial", "function", "method", "builtin_function_or_method"):
        return f"it uses {name}, which is no plain function (no decorator, no partial); define it with def alone"
    return f"it uses the global {name}, which is a {kind}; use numbers, tuples, NumPy arrays and functions"


# Complaints about types


def _too_large(c: Complaint) -> str | None:
    match = re.search(r"Int value is too large: (\d+)", c.text)
    return match and f"the number {match[1]} does not fit 64 bits; split it over two fields or an array"


def _changing_variable(c: Complaint) -> str | None:
    match = re.search(r"Cannot unify (.+) and (.+) for '([\w$]+)(?:\.\d+)*'", c.text)
    if match is None:
        return None
    one, other = kind_in_words(match[2]), kind_in_words(match[1])
    what = "a value" if match[3].startswith("$") else f"the variable {match[3]}"
    kinds = f"{one} on one way and {other} on another" if one != other else f"{match[2]} on one way and {match[1]} on another"
    return f"{what} is {kinds}; a variable keeps one kind, so use two names"


def _changing_result(c: Complaint) -> str | None:
    match = re.search(r"Can't unify return type from the following types: ([^\n]+)", c.text)
    if match is None:
        return None
    kinds = list(dict.fromkeys(kind_in_words(kind) for kind in _split(match[1])))
    return f"it returns {' in one place and '.join(kinds)} in another; return the same kind everywhere"


def _untyped(c: Complaint) -> str | None:
    match = re.search(r"Cannot infer the type of variable '([\w$.]+)'.*have imprecise type: (\S+)", c.text, re.S)
    if match is None:
        return None
    if "list" in match[2] or "set" in match[2] or "dict" in match[2].lower():
        kind = kind_in_words(match[2]).partition(" ")[2]
        return f"{match[1]} is an empty {kind}; nothing can be built while playing, so keep an array in the state"
    return "it uses a value that is no number; keep numbers in the state, in tuples and in NumPy arrays"


def _frozen_array(c: Complaint) -> str | None:
    if "Cannot modify readonly array" not in c.text:
        return None
    name = re.match(r"(\w+)\s*\[", c.line)
    array = f"the global array {name[1]}" if name else "a global array"
    return f"it writes into {array}; rules change only the state, so make it a field of State"


def _whole_array(c: Complaint) -> str | None:
    match = re.search(r"Cannot cast (.+?) to nestedarray.*lowering \"\(?(\w+)\)?\.(\w+) = ", c.text, re.S)
    if match is None:
        return None
    field = f"{match[2]}.{match[3]}"
    return f"it assigns {kind_in_words(match[1])} to the whole array {field}; write its elements, {field}[i] = ..."


def _cast(c: Complaint) -> str | None:
    match = re.search(r"Cannot cast (.+?) to (.+?): ", c.text)
    return match and f"it stores {kind_in_words(match[1])} where {kind_in_words(match[2])} belongs; convert it first"


_SIGNS = {
    "add": "+", "iadd": "+", "sub": "-", "isub": "-", "mul": "*", "imul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
    "pow": "**", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^", "ior": "|", "iand": "&", "ixor": "^",
    "ilshift": "<<", "irshift": ">>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "matmul": "@",
    "contains": "in",
}  # fmt: skip
_MAKERS = ("zeros", "ones", "empty", "full", "array", "arange", "zeros_like", "ones_like", "empty_like", "concatenate", "copy")


def _memory(c: Complaint) -> str | None:
    """Nothing may be allocated while playing: the compiler is told to refuse it."""
    # The last is what the compiler for GPUs calls it.
    if not any(sign in c.text for sign in ("NRT required", "_ol_array_allocate", "numpy_empty_nd")):
        return None
    made = re.search(r">>> ([a-z]\w*)\(", c.text)
    called = made[1] if made and made[1] not in {*_SIGNS, "setitem", "getitem"} else ""
    what = f"calls {called}, which makes something new" if called else "makes a new list, dict, set, text or array"
    return f"it {what}; nothing can be built while playing, so keep an array in the state and loop over it"


def _device_memory(c: Complaint) -> str | None:
    return _memory(c) if "numpy_empty_nd" in c.text else None


def _returned_array(c: Complaint) -> str | None:
    if "Only accept returning of array" not in c.text:
        return None
    return "it returns an array, which cannot be compiled; return numbers, and write arrays into the state or into out"


def _no_such_use(c: Complaint) -> str | None:
    match = re.search(r"No implementation of function Function\((.+?)\) found for signature:\s*>>> (\w+)\((.*)\)\n", c.text)
    if match is None:
        return None
    who, name, arguments = match[1], match[2], _split(match[3])
    words = [kind_in_words(re.sub(r"^\w+=", "", argument)) for argument in arguments]
    if name in _MAKERS:
        return f"it makes an array with {name}; nothing can be built while playing, so keep the array in the state"
    if words and words[0] in ("a list", "a dict", "a set"):
        return f"it builds {words[0]}; nothing can be built while playing, so keep an array in the state"
    if name == "exception_match":
        return "it uses try and except; compiled rules have no exceptions, so test with if before"
    if name == "getitem" and arguments[0].startswith("Tuple("):
        return "it looks up a tuple of mixed kinds by a variable; make all its entries numbers of one kind, or use a NumPy array"
    if name in ("getitem", "setitem") and len(words) > 1 and arguments[1].startswith("float"):
        return "it uses a real number as an index; use // instead of /, or int(...)"
    if name == "setitem" and len(words) > 2:
        return f"it stores {words[2]} in an element of {words[0]}; store a number"
    if name == "getitem":
        return f"it looks up {words[0]} by {' and '.join(words[1:])}, which cannot be compiled; use arrays and whole numbers"
    if name in _SIGNS and len(words) == 2:
        return f"it uses {_SIGNS[name]} with {words[0]} and {words[1]}; both sides must be numbers"
    if "class 'str'" in who or any(word == "a text" for word in words):
        return f"it calls {name} with {', '.join(words)}; compiled rules have no texts, so move them to action_name or draw"
    return f"it calls {name} with {', '.join(words) or 'nothing'}, which cannot be compiled; {LOOP}"


def _wrong_arguments(c: Complaint) -> str | None:
    match = re.search(r"Cannot bind 'args=.*' to signature '(\(.*?\))' due to \"TypeError: (.*?)\"", c.text, re.S)
    if match is None:
        return None
    callee = re.search(r"<function (\w+)", c.text)
    if "*, " in match[1]:
        name = callee[1] if callee else "the function"
        straight = match[1].replace("*, ", "")
        return f"it calls {name}{match[1]}, which takes arguments by name only; define it as {name}{straight} and pass the values in order"
    return (
        f"it calls {callee[1] if callee else 'a function'} with the wrong arguments ({match[2]}); it is defined with {match[1]}"
    )


def _not_callable(c: Complaint) -> str | None:
    match = re.search(r"No type info available for (.+?) as a callable", c.text)
    return match and f"it calls {kind_in_words(match[1])} as if it were a function; check the name before the brackets"


# Complaints about syntax

_OPCODES = (
    ("STORE_GLOBAL", "it uses global; rules change only the state, so make the variable a field of State"),
    ("STORE_DEREF", "it uses nonlocal; rules change only the state, so make the variable a field of State"),
    ("IMPORT", "it imports inside a function; move the import to the top of the file"),
    ("BUILD_CLASS", "it defines a class; use plain functions"),
    ("SETUP_WITH|BEFORE_WITH|WITH_EXCEPT", "it uses with; compiled rules cannot"),
    (
        "SETUP_FINALLY|RERAISE|PUSH_EXC|CHECK_EXC",
        "it uses try and except; compiled rules have no exceptions, so test with if before",
    ),
    ("YIELD|GEN|AWAIT", "it uses yield or await; write into out instead"),
    ("DICT|SET_UPDATE|LIST", "it builds a list, dict or set; keep an array in the state"),
    ("FORMAT|BUILD_STRING", "it builds a text; compiled rules have no texts, so move it to action_name or draw"),
    ("DELETE", "it uses del; leave it out"),
)


def _syntax(c: Complaint) -> str | None:
    opcode = re.search(r"unsupported opcode \((\w+)\)|Unsupported opcode|(?:op|bytecode) (\w+)", c.text)
    if opcode is not None and "opcode" in c.text:
        for pattern, said in _OPCODES:
            if re.search(pattern, opcode[1] or c.text):
                return said
    for pattern, said in (
        (r"f-string", "it builds a text with an f-string; compiled rules have no texts, so move it to action_name or draw"),
        (r"\(context manager\)|with statement", "it uses with; compiled rules cannot"),
        (
            r"[Ee]xception matching|[Tt]ry.*except|exception var",
            "it uses try and except; compiled rules have no exceptions, so test with if before",
        ),
        (r"yield in a closure", "it uses a generator expression (any, all or sum over a for); write the loop out"),
        (r"del found", "it uses del; leave it out"),
        (
            r"runaway recursion",
            "it calls itself without an end that the compiler sees; put the case that returns first, or use a loop",
        ),
        (
            r"referenced before assignment|is undefined",
            "a variable is used that may not have a value yet; give it one before the if or the loop",
        ),
        (r"Cell is empty", "it uses a variable of the function around it that never got a value; give it one"),
        (r"\*args in function call", "it spreads an array with * in a call; pass the array itself"),
        (r"[Kk]eyword|\*\*kw", "it calls a function with keywords that cannot be compiled; pass the values in order"),
    ):
        if re.search(pattern, c.text):
            return said
    return None


COMPLAINTS: tuple[Callable[[Complaint], str | None], ...] = (
    _walrus,
    _stream_method,
    _unknown_field,
    _unknown_name,
    _module_attribute,
    _other_attribute,
    _device_memory,
    _global_value,
    _too_large,
    _changing_variable,
    _changing_result,
    _frozen_array,
    _untyped,
    _wrong_arguments,
    _not_callable,
    _memory,
    _returned_array,
    _no_such_use,
    _whole_array,
    _cast,
    _syntax,
)
"""From the particular to the general: the first that fits speaks."""
