"""Compilation of loops over arrays. The only file that loads numba, when the first loop runs.

Machine code on disk is stale if a helper or a constant of another file changes. Numba checks only
the loop's own file, so it gets a stamp instead: a digest of the loop's code and of all that is
compiled into it.

Machine code is kept where numba keeps it. Where that is not writable, as in read-only images, it is
kept in a temporary folder of the worker, or not at all. A folder that `TOCSIN_KERNELS` names comes
first: `tocsin warm` fills one to be shipped, so its files are named by module and content, not by
the path of the package.

The file uses internals of numba, which tests check: `_nrt`, `_numba_type_`, and the cache of a
loop with its class, its locator and its stamp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from tocsin.engine.index.kernel_folders import shipped_folder, temporary_folder
from tocsin.lazy_import import LazyModule

if TYPE_CHECKING:
    import numba
    from numba.core import caching, registry
    from numba.cpython.unsafe import numbers
else:
    numba = LazyModule("numba")
    numbers = LazyModule("numba.cpython.unsafe.numbers")
    caching = LazyModule("numba.core.caching")
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
        made = numba.njit(**self._options, **_BORROWED)(self.kernel)
        made._cache = _cache_of(self.kernel)
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


def _cache_of(kernel: Callable[..., Any]) -> Any:
    """Return the cache on disk of a loop, in the first folder that will do."""
    shipped = shipped_folder()
    if shipped is not None:
        return _cache_in(shipped, kernel)
    try:
        found = _cache_class()(kernel)
    except RuntimeError:  # numba: no locator available
        folder = temporary_folder()
        return caching.NullCache() if folder is None else _cache_in(folder, kernel)
    # numba's own stamp is that of one file; helpers of other files are compiled in, too
    found._cache_file._source_stamp = stamp_of(kernel)
    return found


def _cache_in(folder: Path, kernel: Callable[..., Any]) -> Any:
    """Return the cache of a loop in a folder, whatever the path of the package is."""
    locator = _Locator(folder / f"numba-{numba.__version__}", kernel)
    search = type("Search", (), {"from_function": staticmethod(lambda *_: locator)})
    chosen = {"_locator_classes": [search]}
    files = type("KernelFiles", (caching.CompileResultCacheImpl,), chosen)
    cache_class = type("KernelCache", (_cache_class(),), {"_impl_class": files})
    return cache_class(kernel)


@cache
def _cache_class() -> Any:
    """Return numba's class of caches, with files that cannot be read or written left alone."""

    whole: Any = caching.FunctionCache

    def load(self: Any, signature: Any, target: Any) -> Any:
        try:
            return whole.load_overload(self, signature, target)
        except OSError:
            return None

    def save(self: Any, signature: Any, data: Any) -> None:
        with suppress(OSError):
            whole.save_overload(self, signature, data)

    return type("LenientCache", (whole,), {"load_overload": load, "save_overload": save})


class _Locator:
    """The place of a loop's machine code, as numba asks for it."""

    def __init__(self, folder: Path, kernel: Callable[..., Any]) -> None:
        self._folder = folder / kernel.__module__
        self._stamp = stamp_of(kernel)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        """Make the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return a digest of all that is compiled."""
        return self._stamp

    def get_disambiguator(self) -> str:
        """Return a part of the file name: loops of several releases lie side by side."""
        return self._stamp[:16]


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
        elif isinstance(value, np.generic):  # its repr is not that of NumPy 1
            yield f"{name}={value.dtype}{value.item()!r}"
        elif isinstance(value, int | float | str | bytes | tuple):
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
