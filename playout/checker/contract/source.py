"""Reading the rules: what compiles for a processor but not for a graphics card, or is no pure function, is found in the text.

The subset is numbers, tuples, arrays of the state, loops and plain functions. No GPU is needed to see a violation.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from playout.checker.contract.findings import NO_COPY, Findings
from playout.compile.source import Place, definition, helpers, own_functions


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBER_TYPES = {"bool_", "intp", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)), "float32", "float64"}
NUMBER_FUNCTIONS = _words(
    "abs absolute fabs sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh "
    "floor ceil trunc rint round sign power minimum maximum isnan isinf isfinite hypot fmod mod floor_divide left_shift "
    "right_shift bitwise_and bitwise_or bitwise_xor invert"
)
"""What NumPy offers for single numbers; the rest makes arrays."""
ARRAY_METHODS = _words(
    "sum any all max min argmax argmin mean copy fill flatten ravel reshape tolist astype nonzero sort dot prod"
)
FORBIDDEN_CALLS = {
    "print": ("source-print", "prints", "take it out, or put it into draw"),
    **dict.fromkeys(
        ("list", "dict", "set", "frozenset", "sorted", "map", "filter", "reversed"),
        ("source-list", "builds a list, dict or set", "keep an array in the state and loop over it"),
    ),
    **dict.fromkeys(
        ("sum", "any", "all"), ("source-generator", "adds up or searches with sum, any or all", "write the loop out")
    ),
    **dict.fromkeys(
        ("str", "repr", "format", "chr", "ord", "input", "open"),
        ("source-string", "uses texts", "move them to action_name or draw"),
    ),
    **dict.fromkeys(
        ("isinstance", "getattr", "setattr", "hasattr", "type", "eval", "exec"),
        ("source-python", "asks for types or attributes by name", "write the field or the number itself"),
    ),
}
CHANCE_MODULES = ("random", "numpy.random", "secrets", "time", "os", "uuid", "datetime")
TEXT = ("source-string", "uses a text", "rules work on numbers; move texts to action_name or draw")
BUILDS = ("source-list", "builds a list, dict or set", "keep an array in the state and loop over it")
CATCHES = (
    "source-exception",
    "uses exceptions (try, raise or assert)",
    "test with if before, and let the state say what happened",
)
STATEMENTS: dict[type[ast.AST], tuple[str, str, str]] = {
    ast.JoinedStr: TEXT,
    **dict.fromkeys((ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp), BUILDS),
    ast.NamedExpr: ("source-walrus", "assigns with := inside an expression", "assign on a line of its own before it"),
    ast.GeneratorExp: ("source-generator", "uses a generator expression", "write the loop out"),
    **dict.fromkeys((ast.Try, ast.Raise, ast.Assert), CATCHES),
    ast.With: ("source-with", "uses with", "rules open nothing; take it out"),
    **dict.fromkeys((ast.Yield, ast.YieldFrom, ast.Await), ("source-yield", "uses yield or await", "write into out and return")),
    **dict.fromkeys(
        (ast.Lambda, ast.FunctionDef),
        ("source-lambda", "defines a function inside a function", "define it at the top of the file"),
    ),
    ast.ClassDef: ("source-class", "defines a class", "use plain functions over the state"),
    **dict.fromkeys(
        (ast.Import, ast.ImportFrom), ("source-import", "imports inside a function", "import at the top of the file")
    ),
    **dict.fromkeys(
        (ast.Global, ast.Nonlocal),
        ("source-global", "changes a global variable", "make it a field of State: only the state may change"),
    ),
}
SHALLOW = "that must stay shallow, and a GPU has little room for it: a loop is safer"
Finding = tuple[int, tuple[str, str, str]]


def read_source(findings: Findings) -> None:
    """Look through the rules and all their helpers."""
    for function in own_functions(findings.game):
        tree = definition(function)
        if tree is None:
            findings.note(
                "no-source", f"the text of {function.__name__} is not at hand, so it was not read for what a GPU cannot run"
            )
            continue
        lines: dict[tuple[str, str, str], list[int]] = {}
        for line, what in _violations(tree, function):
            lines.setdefault(what, []).append(line)
        for what, numbers in lines.items():
            _report(findings, function, what, sorted(set(numbers)))


def _report(findings: Findings, function: types.FunctionType, what: tuple[str, str, str], lines: list[int]) -> None:
    code, fault, cure = what
    where = Place(function.__name__, function.__code__.co_filename, lines[0])
    more = f" (also line{'s' * (len(lines) > 2)} {', '.join(str(n) for n in lines[1:])})" if len(lines) > 1 else ""
    if code.startswith("note-"):
        findings.note(f"{code} {function.__name__}", f"{where} {fault}{more}; {cure}")
    else:
        findings.problem(
            code,
            f"{where} {fault}{more}, which is outside what rules may use on every machine; {cure}",
            f"{code} {function.__qualname__} {fault}",
        )


def _violations(tree: ast.FunctionDef, function: types.FunctionType) -> Iterator[Finding]:
    if tree.args.kwonlyargs:
        names = ", ".join(argument.arg for argument in tree.args.kwonlyargs)
        what = f"takes {names} by name only"
        yield tree.lineno, ("source-keyword", what, "leave the * out of its arguments, and pass the values in order")
    for node in _inside(tree):
        line = getattr(node, "lineno", tree.lineno)
        if type(node) in STATEMENTS:
            yield line, STATEMENTS[type(node)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            yield line, TEXT
        elif (field := _in_brackets(node)) is not None:
            yield line, ("source-string", f"looks up {ast.unparse(node)}", f"write {field}")
        elif isinstance(node, ast.Call):
            yield from ((line, what) for what in _call(node, function))
        elif isinstance(node, ast.Assign | ast.AugAssign):
            yield from ((line, what) for what in _store(node, function, tree))
        elif isinstance(node, ast.Attribute) and _value(node.value, function) is np and node.attr == "random":
            yield line, _chance("np.random")


def _inside(tree: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a body without docstrings and annotations, which are not compiled, and not below what is already refused."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        if isinstance(node, ast.JoinedStr | ast.FunctionDef | ast.ClassDef | ast.Raise | ast.Assert):
            continue
        if _in_brackets(node) is not None:
            continue
        if isinstance(node, ast.AnnAssign):
            waiting += [part for part in (node.target, node.value) if part is not None]
        else:
            waiting += ast.iter_child_nodes(node)


def _in_brackets(node: ast.AST) -> str | None:
    """`state["board"]` as it should be written; None for anything else."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return f"{ast.unparse(node.value)}.{node.slice.value}"
    return None


def _value(node: ast.AST, function: types.FunctionType) -> Any:
    """What a name, or a dotted name, stands for when the function runs; None when that is a local variable."""
    if isinstance(node, ast.Name) and node.id not in function.__code__.co_varnames:
        return function.__globals__.get(node.id, getattr(builtins, node.id, None))
    if isinstance(node, ast.Attribute):
        base = _value(node.value, function)
        return getattr(base, node.attr, None) if isinstance(base, types.ModuleType) else None
    return None


def _call(node: ast.Call, function: types.FunctionType) -> Iterator[tuple[str, str, str]]:
    called = _value(node.func, function)
    if isinstance(node.func, ast.Name):
        name = node.func.id
        if name in FORBIDDEN_CALLS and called is getattr(builtins, name, None):
            yield FORBIDDEN_CALLS[name]
        elif called is function or getattr(called, "__code__", None) is function.__code__:
            yield "note-recursion", "calls itself", SHALLOW
        elif isinstance(called, types.FunctionType) and function in helpers(called):
            yield "note-recursion", f"calls itself by way of {name}", SHALLOW
        elif (
            getattr(called, "__module__", None) in CHANCE_MODULES or type(getattr(called, "__self__", None)).__name__ == "Random"
        ):
            yield _chance(name)
    elif isinstance(node.func, ast.Attribute):
        name = node.func.attr
        module = _value(node.func.value, function)
        if isinstance(module, types.ModuleType):
            yield from _module_call(module, name, called, function, node)
        elif name == "copy" and isinstance(node.func.value, ast.Name) and node.func.value.id == function.__code__.co_varnames[0]:
            yield "source-copy", "copies the state", NO_COPY
        elif name in ARRAY_METHODS:
            yield (
                "source-numpy",
                f"calls .{name}() of an array",
                "write the loop out: arrays as a whole need memory while playing",
            )


def _module_call(
    module: types.ModuleType, name: str, called: Any, function: types.FunctionType, node: ast.Call
) -> Iterator[tuple[str, str, str]]:
    if module.__name__ in CHANCE_MODULES:
        # `np.random` is seen as an attribute already.
        if module.__name__ != "numpy.random":
            yield _chance(f"{module.__name__}.{name}")
    elif module is np:
        if name not in NUMBER_TYPES | NUMBER_FUNCTIONS:
            yield "source-numpy", f"calls np.{name}", "write the loop out: arrays as a whole need memory while playing"
    elif module.__name__.startswith("numpy"):
        yield "source-numpy", f"calls {module.__name__}.{name}", "write the loop out"
    elif isinstance(called, types.FunctionType) and module.__name__ not in ("math", "cmath"):
        cure = f"write from {module.__name__} import {name}, and call {name}(...) itself"
        yield "source-module", f"calls {name} through the module {module.__name__}", cure


def _store(
    node: ast.Assign | ast.AugAssign, function: types.FunctionType, tree: ast.FunctionDef
) -> Iterator[tuple[str, str, str]]:
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        for part in target.elts if isinstance(target, ast.Tuple) else [target]:
            if not isinstance(part, ast.Subscript):
                continue
            if isinstance(_value(part.value, function), np.ndarray | list | dict):
                name = ast.unparse(part.value)
                yield "source-global", f"writes into the global {name}", "make it a field of State: only the state may change"
            elif any(isinstance(index, ast.Slice) for index in ast.walk(part.slice)):
                yield "note-slice", "assigns to a slice", "that compiles slowly; a loop over the elements is as fast to run"


def _chance(name: str) -> tuple[str, str, str]:
    return "source-chance", f"uses {name}", "chance comes only from the stream: below(rng, n) or uniform(rng)"
