"""The only file that imports numba: how loops over arrays are compiled.

What a kernel inlines from another file is compiled into its own file's cache: who changes it there
touches both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.cpython.unsafe.numbers import trailing_zeros

Ints = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_BORROWED: dict[str, Any] = {"_nrt": False}
"""Without it numba counts references to every array at every inlined call, which took five sixths
of the time.
"""


def compiled(kernel: Kernel) -> Kernel:
    """Compiled at its first call and kept on disk; arrays are borrowed, not counted, so a kernel
    cannot make one.
    """
    return cast(Kernel, njit(cache=True, **_BORROWED)(kernel))


def inlined(kernel: Kernel) -> Kernel:
    """Compiled into every kernel that calls it; a call would cost more than what these do."""
    return cast(Kernel, njit(cache=True, forceinline=True, **_BORROWED)(kernel))


lowest_bit = cast(Callable[[Any], int], trailing_zeros)
"""The number of the lowest bit that is set in a word."""
