"""Memory of this process in bytes, as the operating system counts it: resident now, and the highest since the reset.

Linux only tells all of it; elsewhere the highest value ever stands in for both, and a difference may come out as 0.
"""

from __future__ import annotations

import gc
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def resident() -> int:
    """What is resident now, after garbage was collected."""
    gc.collect()
    return _field("VmRSS")


def peak() -> int:
    """The highest resident size since `reset_peak`."""
    return _field("VmHWM")


def reset_peak() -> None:
    """Starts a new measurement of the peak, where the system allows it."""
    if _CLEAR.exists():
        _CLEAR.write_text(_RESET_PEAK)


def _field(name: str) -> int:
    if not _STATUS.exists():
        highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return highest if sys.platform == "darwin" else highest * 1024
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
