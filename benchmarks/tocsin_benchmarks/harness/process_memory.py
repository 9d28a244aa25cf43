"""Memory of this process in bytes, as the operating system counts it: resident now, and the highest
since the reset.

Linux only tells all of it; elsewhere the highest value ever stands in for both, and a difference
may come out as 0.
"""

from __future__ import annotations

import gc
import os
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


def resident_of_tree() -> int:
    """What this process and its descendants have resident now; pages that they share count for
    each.
    """
    parents = {int(path.parent.name): _parent(path) for path in Path("/proc").glob("[0-9]*/stat")}
    if not parents:
        return _field("VmRSS")
    family = {os.getpid()}
    while grown := {child for child, parent in parents.items() if parent in family} - family:
        family |= grown
    return sum(map(_resident_of, family))


def _parent(stat: Path) -> int:
    """The process that started another; 0 where it is gone meanwhile. Its name, in parentheses, may
    be anything.
    """
    try:
        return int(stat.read_bytes().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _resident_of(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_bytes().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * resource.getpagesize()


def _field(name: str) -> int:
    if not _STATUS.exists():
        highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return highest if sys.platform == "darwin" else highest * 1024
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
