"""Type check of a value read from the wire, to the last field: another program may have written
anything.
"""

from __future__ import annotations

import types
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from tocsin.knowledge.concepts.tbox import TBox
from tocsin.knowledge.ontology import Ontology

PendingCheck = tuple[Any, Any, str]
"""A value, the type that it should have, and its path."""


def misfit(value: Any, hint: Any, at: str = "plan") -> str:
    """Return the path at which a value differs from a type hint; "" if it fits.

    The walk has a stack of its own: a plan from elsewhere nests as deep as its writer likes.
    """
    waiting: list[PendingCheck] = [(value, hint, at)]
    while waiting:
        wrong = _look(waiting, *waiting.pop())
        if wrong:
            return wrong
    return ""


def _look(waiting: list[PendingCheck], value: Any, hint: Any, at: str) -> str:
    """Return `at` if a value itself is wrong; queue the values inside it."""
    origin = get_origin(hint)
    if hint in (Any, object):
        return ""
    if origin in (Union, types.UnionType):
        return _look_at_union(waiting, value, get_args(hint), at)
    if origin is tuple:
        return _look_at_tuple(waiting, value, get_args(hint), at)
    if origin is frozenset:
        if not isinstance(value, frozenset):
            return at
        waiting += [(each, get_args(hint)[0], at) for each in value]
        return ""
    if origin is Literal:
        return "" if value in get_args(hint) else at
    return _look_at_class(waiting, value, origin or hint, at)


def _look_at_union(waiting: list[PendingCheck], value: Any, hints: tuple[Any, ...], at: str) -> str:
    """Check the members of a union that the value itself could be; classes leave one of them."""
    fitting = [each for each in hints if not _look([], value, each, at)]
    if len(fitting) == 1:
        return _look(waiting, value, fitting[0], at)
    found = [misfit(value, each, at) for each in fitting]
    return "" if "" in found else max(found, key=len, default=at)


def _look_at_tuple(waiting: list[PendingCheck], value: Any, hints: tuple[Any, ...], at: str) -> str:
    if not isinstance(value, tuple):
        return at
    if len(hints) == 2 and hints[1] is Ellipsis:
        hints = (hints[0],) * len(value)
    if len(hints) != len(value):
        return at
    pairs = enumerate(zip(value, hints, strict=True))
    waiting += [(each, hint, f"{at}[{number}]") for number, (each, hint) in pairs]
    return ""


def _look_at_class(waiting: list[PendingCheck], value: Any, kind: Any, at: str) -> str:
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
    waiting += [
        (getattr(value, each.name), hints[each.name], f"{at}.{each.name}") for each in fields(value)
    ]
    return ""


@lru_cache(maxsize=256)
def _hints(kind: Hashable) -> dict[str, Any]:
    return get_type_hints(kind)
