"""Whether a value that was read from the wire is what its type says, to the last field: a plan that
was written by another program may be anything.
"""

from __future__ import annotations

import types
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from tocsin.knowledge.concepts.tbox import TBox
from tocsin.knowledge.ontology import Ontology


def misfit(value: Any, hint: Any, at: str = "plan") -> str:
    """Where a value is not what a type hint says; "" where it is."""
    origin = get_origin(hint)
    if hint in (Any, object):
        return ""
    if origin in (Union, types.UnionType):
        found = [misfit(value, each, at) for each in get_args(hint)]
        return "" if "" in found else max(found, key=len)
    if origin is tuple:
        return _misfit_of_tuple(value, get_args(hint), at)
    if origin is frozenset:
        if not isinstance(value, frozenset):
            return at
        return _first(misfit(each, get_args(hint)[0], at) for each in value)
    if origin is Literal:
        return "" if value in get_args(hint) else at
    return _misfit_of_class(value, origin or hint, at)


def _misfit_of_tuple(value: Any, hints: tuple[Any, ...], at: str) -> str:
    if not isinstance(value, tuple):
        return at
    if len(hints) == 2 and hints[1] is Ellipsis:
        hints = (hints[0],) * len(value)
    if len(hints) != len(value):
        return at
    pairs = enumerate(zip(value, hints, strict=True))
    return _first(misfit(each, hint, f"{at}[{number}]") for number, (each, hint) in pairs)


def _misfit_of_class(value: Any, kind: Any, at: str) -> str:
    if kind is float:
        return "" if isinstance(value, int | float) and not isinstance(value, bool) else at
    if kind is int:
        return "" if isinstance(value, int) and not isinstance(value, bool) else at
    if kind in (None, types.NoneType):
        return "" if value is None else at
    if not isinstance(kind, type):
        return "" if isinstance(value, Mapping) else at
    if not isinstance(value, kind):
        return at
    if not is_dataclass(value) or isinstance(value, Ontology | TBox):
        return ""
    hints = _hints(cast(Hashable, type(value)))
    return _first(
        misfit(getattr(value, each.name), hints[each.name], f"{at}.{each.name}")
        for each in fields(value)
    )


def _first(found: Any) -> str:
    return next(filter(None, found), "")


@lru_cache(maxsize=256)
def _hints(kind: Hashable) -> dict[str, Any]:
    return get_type_hints(kind)
