"""The addressee of a warning: the first caller outside this package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PACKAGE = f"{Path(__file__).parents[2]}{os.sep}"


def levels_to_the_caller() -> int:
    """Return the number of stack levels up to that caller, for `stacklevel`."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
