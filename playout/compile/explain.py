"""A compile error as one sentence: the user's function and line, what is wrong there, and the cure.

The compiler's own pages are kept as the `details` of the error. To find the place, the game's functions are compiled one
by one outside the kernel that failed; the complaint is then put into plain words by the first entry of `COMPLAINTS` that fits.
"""

from __future__ import annotations

import ast
import re
import traceback
import types
import warnings
from typing import TYPE_CHECKING, Any

from playout.compile.binding import FEATURES
from playout.compile.complaints import Complaint, in_words, kind_in_words
from playout.compile.records import STREAM
from playout.compile.source import Place, own_functions, place, place_at, place_of_name, place_of_node
from playout.errors import CompileError, PlayoutError
from playout.game.contract import ENCODED, OPTIONAL, REQUIRED

if TYPE_CHECKING:
    from playout.compile import Binding

_NUMBERS = ("legal", "mover", "key", "canonical", "patterns", "playout_action", "pick", "broken")
"""The functions whose answer is a whole number."""
_WHERE = re.compile(r'(?: at |Raised from |File ")(?P<file>[^"\n]+?)(?: \((?P<line>\d+)\)|", line (?P<other>\d+))')


def explain(binding: Binding, error: Exception) -> CompileError:
    """The sentence for an error that came out of compiling, or running, something that holds this game's functions."""
    if isinstance(error, CompileError):
        return error
    fault = first_fault(binding)
    if fault is not None:
        return CompileError(str(fault), f"{fault.details}\n{_pages(error)}" if fault.details else _pages(error))
    if type(error).__module__.startswith("numba"):
        return _sentence(binding, error, own_functions(binding.game))
    return CompileError(
        f"game {binding.game.name!r} compiles but fails while it is played: {type(error).__name__}: {error}; compiled rules "
        "must not raise, so test with if before, and run playout check to see the function and the state",
        _pages(error),
    )


def first_fault(binding: Binding) -> CompileError | None:
    """The first of the game's functions that does not compile, or compiles to something else than the contract asks for."""
    results: dict[str, Any] = {}
    for role in (*REQUIRED, *OPTIONAL, *ENCODED):
        if role in binding.game.functions:
            try:
                results[role] = _compile(binding, role)
            except PlayoutError as error:
                return CompileError(str(error))
            except Exception as error:
                return _sentence(binding, error, own_functions(binding.game, [role]))
    for role in _NUMBERS:
        complaint = _wrong_result(role, results[role]) if role in results else ""
        if complaint:
            where = place(binding.game.functions[role])  # type: ignore[arg-type]
            return CompileError(f"{where} cannot be compiled: it {complaint}")
    return None


def _compile(binding: Binding, role: str) -> Any:
    """The type that a role returns once it is compiled."""
    import numba
    from numba import types as kinds

    # First, since it brings along what Numba has to be told about records.
    made = binding.door(binding.game.functions[role])
    state, rng = numba.from_dtype(binding.game.dtype), numba.from_dtype(STREAM)
    ids, values, number = kinds.Array(kinds.int64, 1, "C"), kinds.Array(kinds.float64, 1, "C"), kinds.int64
    arguments = {
        "start": (state, rng),
        "legal": (state, ids),
        "play": (state, number, rng),
        "mover": (state,),
        "returns": (state, values),
        "key": (state,),
        "canonical": (state,),
        "patterns": (state, number, ids),
        "playout_action": (state, ids, number, rng),
        "evaluate": (state, values),
        "prior": (state, ids, number, values),
        "returns_as": (state, number, values),
        "evaluate_as": (state, number, values),
        "wins": (state, ids),
        "safe": (state, ids),
        "pick": (state, rng),
        "observe": (state, number),
        "determinize": (state, number, rng),
        "broken": (state,),
        "encode": (state, number, kinds.Array(kinds.float32, len(binding.game.encoding) or 1, "C")),
    }[role]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if binding.device == "cuda":
            return made.compile_device(arguments).signature.return_type
        made.compile(arguments)
    return made.overloads[arguments].signature.return_type


def _wrong_result(role: str, kind: Any) -> str:
    """What is wrong with the type that a function returns; empty when nothing is."""
    from numba import types as kinds

    wanted = {"legal": "how many ids it wrote", "mover": "the player to act, or -1"}.get(role, "a whole number")
    if isinstance(kind, kinds.Integer | kinds.IntegerLiteral | kinds.IntEnumMember):
        return ""
    if isinstance(kind, kinds.NoneType):
        return f"returns nothing; end it with a return of {wanted}"
    if isinstance(kind, kinds.Optional):
        return f"returns nothing on some way through; return {wanted} on every one"
    if isinstance(kind, kinds.Generator):
        return f"uses yield; write the ids into out and return {wanted}" if role == "legal" else f"uses yield; return {wanted}"
    cure = "; use // instead of /, or int(...)" if isinstance(kind, kinds.Float) else ""
    return f"returns {kind_in_words(str(kind))} where a whole number is expected ({wanted}){cure}"


def _sentence(binding: Binding, error: Exception, functions: list[types.FunctionType]) -> CompileError:
    text, purpose = _text(error), " for a GPU" * (binding.device == "cuda")
    where, base = _find_place(error, text, functions)
    said = in_words(Complaint(text, type(error).__name__, base, _line_text(where), binding.game, _names(functions, where)))
    subject = str(where) if where is not None else f"game {binding.game.name!r}"
    return CompileError(f"{subject} cannot be compiled{purpose}: {said}", _pages(error))


def _text(error: Exception) -> str:
    """The complaint without the frames that the compiler's stages put around it."""
    # Without colours, and with functions called as the user calls them, not by the name that carries their identity.
    text = re.sub(rf"\x1b\[[0-9;]*m|_(?:[0-9a-f]{{24}}|unkept)(?:_(?:{'|'.join(FEATURES)}))*(?:_inner)?\b", "", str(error))
    return re.sub(r"^(Failed in \w+ mode pipeline \(step: [^\n]*\)\s*)+", "", text).strip()


def _find_place(error: Exception, text: str, functions: list[types.FunctionType]) -> tuple[Place | None, str]:
    """The innermost line of the user's that the error names, and for a bare name what it was asked of."""
    name = None
    if isinstance(error, KeyError) and error.args:
        name = str(error.args[0])
    elif isinstance(error, AttributeError):
        name = getattr(error, "name", None)
    if name is not None and name.isidentifier():
        found = place_of_name(functions, name)
        if found is not None:
            return found
    inner = _inner_function(text, functions)
    if inner is not None:
        return inner, ""
    for match in _WHERE.finditer(text):
        where = place_at(functions, match["file"], int(match["line"] or match["other"]))
        if where is not None:
            return where, ""
    loc = getattr(error, "loc", None)
    where = place_at(functions, loc.filename, loc.line) if loc is not None else None
    return where or (place(functions[0]) if functions else None), ""


def _inner_function(text: str, functions: list[types.FunctionType]) -> Place | None:
    """Where a complaint without a line of its own arose: the compiler names only the function, or only the statement."""
    if "(context manager)" in text:
        return next(filter(None, (place_of_node(f, lambda node: isinstance(node, ast.With)) for f in functions)), None)
    called, line = re.search(r"During: resolving callee type: .*?<function (\w+) at", text), _WHERE.search(text)
    about_the_call = re.match(r"Cannot bind|\*args|cannot type infer|No implementation|Invalid use", text)
    if called is None or about_the_call or (line is not None and line.start() < called.start()):
        return None
    unknown = re.search(r"name '(\w+)' is not defined", text)
    inner = next((function for function in functions if function.__name__ == called[1]), None)
    if inner is None or unknown is None:
        return place(inner) if inner is not None else None
    return place_of_node(inner, lambda node: isinstance(node, ast.Name) and node.id == unknown[1]) or place(inner)


def _names(functions: list[types.FunctionType], where: Place | None) -> dict[str, Any]:
    """The global names that the function at that place can see."""
    for function in functions:
        if where is not None and function.__name__ == where.function and function.__code__.co_filename == where.file:
            return function.__globals__
    return {}


def _line_text(where: Place | None) -> str:
    import linecache

    return linecache.getline(where.file, where.line).strip() if where is not None else ""


def _pages(error: Exception) -> str:
    return "".join(traceback.format_exception(error)) if not str(error).count("\n") else str(error)
