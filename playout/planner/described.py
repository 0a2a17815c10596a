"""What settings say of themselves: the text under each field, and what may stand in it. The command line and the studio's form are made of it."""

from __future__ import annotations

import ast
import inspect
import sys
import types
import typing
from functools import lru_cache
from typing import Any

import msgspec


@lru_cache(maxsize=8)
def _all_texts(module: str) -> dict[tuple[str, str], str]:
    """The text under each field of the settings of a module; Python keeps it only in the source."""
    found: dict[tuple[str, str], str] = {}
    for kind in ast.parse(inspect.getsource(sys.modules[module])).body:
        if not isinstance(kind, ast.ClassDef):
            continue
        for field, text in zip(kind.body, kind.body[1:]):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
                found[kind.name, field.target.id] = inspect.cleandoc(str(ast.literal_eval(text.value)))
    return found


def texts(kind: type[Any]) -> dict[str, str]:
    """What each field of some settings means, in one line."""
    found = _all_texts(kind.__module__)
    return {name: found.get((kind.__name__, name), "").replace("\n", " ") for name in kind.__struct_fields__}


def kind_of(field: msgspec.structs.FieldInfo) -> type[Any]:
    """What a field holds where it holds anything: a word, if words are allowed among others."""
    union = typing.get_origin(field.type) in (typing.Union, types.UnionType)
    given = [t for t in typing.get_args(field.type) if t is not type(None)] if union else [field.type]
    return str if str in given else given[0]
