"""Compilation of loops over arrays. The only file that loads numba, when the first loop runs.

Machine code on disk is stale if a helper or a constant of another file changes. Numba checks only
the loop's own file, so it gets a stamp instead: a digest of the loop's code and of all that is
compiled into it.

The file uses three internals of numba, which tests check: `_nrt`, `_numba_type_` and the stamp of a
cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from hashlib import sha256
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from tocsin.lazy_import import LazyModule

if TYPE_CHECKING:
    import numba
    from numba.core import registry
    from numba.cpython.unsafe import numbers
else:
    numba = LazyModule("numba")
    numbers = LazyModule("numba.cpython.unsafe.numbers")
    registry = LazyModule("numba.core.registry")

Ints = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_BORROWED: dict[str, Any] = {"_nrt": False}
"""Numba option. Without it numba counts references to every array at every inlined call: 5/6 of the
time.
"""


class _Loop:
    """A loop that is compiled at its first call, direct or from another loop."""

    def __init__(self, kernel: Callable[..., Any], **options: Any) -> None:
        self.kernel = kernel
        self._options = options

    @cached_property
    def _dispatcher(self) -> Callable[..., Any]:
        made = numba.njit(cache=True, **self._options, **_BORROWED)(self.kernel)
        # numba's own stamp is that of one file; helpers of other files are compiled in, too
        made._cache._cache_file._source_stamp = stamp_of(self.kernel)
        return cast(Callable[..., Any], made)

    @property
    def _numba_type_(self) -> Any:
        """Attribute by which numba asks an object for its type inside a loop."""
        return self._dispatcher._numba_type_  # type: ignore[attr-defined]

    def __call__(self, *given: Any) -> Any:
        return self._dispatcher(*given)


class _Inlined(_Loop):
    """A part of loops; called from Python it runs uncompiled."""

    def __call__(self, *given: Any) -> Any:
        return self.kernel(*given)


class _LowestBit:
    """Numba's intrinsic `trailing_zeros`, for calls from loops."""

    @property
    def _numba_type_(self) -> Any:
        return registry.cpu_target.typing_context.resolve_value_type(numbers.trailing_zeros)


def compiled(kernel: Kernel) -> Kernel:
    """Compile the function at its first call and cache it on disk.

    Arrays are borrowed without reference counts, so a kernel cannot create one.
    """
    return cast(Kernel, _Loop(kernel))


def inlined(kernel: Kernel) -> Kernel:
    """Compile the function into its calling kernels; a call would cost more than its body."""
    return cast(Kernel, _Inlined(kernel, forceinline=True))


def to_python(kernel: Kernel) -> Kernel:
    """Return a compiled kernel as plain Python, which loads nothing. It must not overflow."""
    assert isinstance(kernel, _Loop)
    return cast(Kernel, kernel.kernel)


lowest_bit = cast(Callable[[Any], int], _LowestBit())
"""Number of the lowest bit that is set in a word."""


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
