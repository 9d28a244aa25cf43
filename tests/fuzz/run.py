"""`make fuzz`: the corpus first, then new cases until the time is over; what is found goes to the
corpus.

Exit status 0 when nothing was found, 1 when something was. With --seed a run can be repeated.
"""

from __future__ import annotations

import argparse
import json
import random
import selectors
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from tests.fuzz.case import Case, keep, kept_cases, read_case
from tests.fuzz.drawing import drawn_case
from tests.fuzz.judge import findings_of

MOST_SECONDS = 2.0
"""Processor time that a case may take, matches aside."""
SECONDS_A_MATCH = 100e-6
"""Processor time that each match may take besides: many right answers are no fault."""
MOST_GROWTH = 500 << 20
"""Memory by which a case may raise the peak of its process."""
SILENCE = 60.0
"""By the clock: a worker that says nothing for so long hangs; starting may take longer on a busy
machine.
"""
START = 300.0


@dataclass(slots=True)
class Findings:
    """Cases that were tried, and what was wrong with which, with the file where it is kept."""

    cases: int = 0
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def add(self, case: Case, found: list[str]) -> None:
        """Keeps a case, with as few lines as show what was found."""
        path = keep(_smaller(case) if not found[0].startswith("over") else case)
        self.wrong[path.name] = found
        print(f"{path.name}: {'; '.join(found)}", flush=True)


def fuzz(seed: int, seconds: float) -> Findings:
    """The corpus, then drawn cases for so long, by the clock."""
    findings = Findings()
    for path in kept_cases():
        found = findings_of(read_case(path.read_text()))
        if found:
            findings.wrong[path.name] = found
            print(f"{path.name}: {'; '.join(found)}", flush=True)
    until, number = monotonic() + seconds, 0
    while monotonic() < until:
        number = _tried(seed, number, until, findings)
    return findings


def _tried(seed: int, first: int, until: float, findings: Findings) -> int:
    """Cases from a number on, in one worker, until time is over or it hangs or dies; returns the
    next number.
    """
    number: int = first
    with _worker(seed, first) as (process, lines):
        for said in lines:
            number = max(number, said.get("begins", number), said.get("number", -1) + 1)
            if "found" in said:
                findings.cases += 1
                found = [*said["found"], *over(said)]
                if found:
                    findings.add(drawn_case(seed, said["number"]), found)
            if monotonic() >= until:
                return number
        status = process.poll()
    why = (
        f"over: nothing heard for {SILENCE:.0f} s"
        if status is None
        else f"over: the worker died with {status}"
    )
    findings.add(drawn_case(seed, number), [why])
    return number + 1


def over(said: dict[str, Any]) -> Iterator[str]:
    """What a case took beyond what it may."""
    if said["seconds"] > MOST_SECONDS + SECONDS_A_MATCH * said["matches"]:
        yield f"over: {said['seconds']:.1f} s of processor time for {said['matches']:,} matches"
    if said["grown"] > MOST_GROWTH:
        yield f"over: {said['grown'] >> 20} MiB"


@contextmanager
def _worker(
    seed: int, first: int
) -> Iterator[tuple[subprocess.Popen[bytes], Iterator[dict[str, Any]]]]:
    command = [sys.executable, "-m", "tests.fuzz.worker", str(seed), str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as process:
        try:
            yield process, _said(process)
        finally:
            process.kill()


def _said(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """What a worker says; ends with its silence or its death."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        patience = START
        while waiting.select(patience):
            line = process.stdout.readline()
            if not line:
                return
            patience = SILENCE
            yield json.loads(line)


def _smaller(case: Case) -> Case:
    """The case without the lines that are not needed for a finding."""
    number = 0
    while number < len(case.lines):
        less = case.without_line(number)
        if findings_of(less):
            case = less
        else:
            number += 1
    return case


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=120.0, help="how long to look, by the clock"
    )
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    findings = fuzz(given.seed, given.seconds)
    print(f"{findings.cases:,} cases, {len(findings.wrong)} with findings")
    return 1 if findings.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
