"""Stamp of a compiled loop: a digest of its code and of all that is compiled into it.

Machine code on disk is stale if a helper or a constant of another file changes. Numba checks only
the loop's own file, so it gets this stamp instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from types import CodeType
from typing import Any

import numpy as np


@cache
def stamp_of(function: Callable[..., Any]) -> str:
    """Return the digest of a function, of the helpers that it calls and the constants it reads."""
    return sha256("\n".join(_facts(function, set())).encode()).hexdigest()


def _facts(function: Any, seen: set[int]) -> Iterator[str]:
    """Yield texts that change when the function, a helper or a constant does."""
    if id(function) in seen:
        return
    seen.add(id(function))
    yield from _code_facts(function.__code__)
    for name in sorted(_names(function.__code__)):
        value = function.__globals__.get(name)
        helper = getattr(value, "kernel", None)
        if helper is not None:
            yield name
            yield from _facts(helper, seen)
        elif isinstance(value, np.ndarray):
            yield f"{name}={value.dtype}{value.shape}{value.tobytes().hex()}"
        elif isinstance(value, int | float | str | bytes | tuple | np.generic):
            yield f"{name}={value!r}"


def _code_facts(code: CodeType) -> Iterator[str]:
    yield f"{code.co_name}{code.co_varnames}{code.co_names}{code.co_code.hex()}"
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_facts(constant)
        else:
            yield repr(constant)


def _names(code: CodeType) -> set[str]:
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_names, inner))
