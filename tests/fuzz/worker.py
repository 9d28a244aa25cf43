"""The process that tries cases one after the other and says so, so that whoever watches knows which
one hangs.

Arguments: seed and first number. Standard output has a JSON object to a line: a number before its
case, and then what was found, with the processor time and the memory that it took, and the
matches that it gave.
"""

from __future__ import annotations

import itertools
import json
import resource
import sys
from time import process_time
from typing import Any

from tests.fuzz.case import Case
from tests.fuzz.drawing import drawn_case
from tests.fuzz.judge import Verdict, findings_of, judge
from tests.fuzz.seeds import seeds

MOST_MEMORY = 6 << 30
"""Beyond this the system refuses: a machine is not to suffer."""

LONG = 1.0
"""A case that takes so many seconds is tried once more."""


def main(seed: int, first: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    for case in seeds()[::40]:
        findings_of(case)  # what is imported or compiled on first use is no case's fault
    _say({"ready": True})
    for number in itertools.count(first):
        _say({"begins": number})
        case = drawn_case(seed, number)
        before = _peak()
        verdict, seconds = _tried(case)
        if seconds > LONG:
            seconds = min(seconds, _tried(case)[1])  # not what was compiled on first use
        said = {"number": number, "found": verdict.findings, "matches": verdict.matches}
        _say({**said, "seconds": seconds, "grown": _peak() - before})


def _tried(case: Case) -> tuple[Verdict, float]:
    """The verdict, and the processor time that it took."""
    begun = process_time()
    verdict = judge(case)
    return verdict, process_time() - begun


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _say(body: dict[str, Any]) -> None:
    print(json.dumps(body), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
