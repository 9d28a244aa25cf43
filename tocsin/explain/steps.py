"""Steps of an explanation: each condition with its truth, the actual and the expected value.

One list of steps is a JSON array for HTTP and lines for the command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tocsin.values.time import Duration, format_duration

FAILED = "  <- first failed condition"

_VERDICTS = {True: "TRUE", False: "FALSE", None: "UNKNOWN"}


@dataclass(frozen=True, slots=True)
class ExplanationStep:
    """A condition. `holds` is None if it is unknown, or not evaluated after a failure.

    `distance` is the number or duration by which it fails, `depth` its nesting depth, `subject` the
    name of what `actual` is the value of.
    """

    text: str
    holds: bool | None
    actual: object = None
    expected: object = None
    distance: object = None
    depth: int = 0
    subject: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        told = {
            "text": self.text,
            "holds": self.holds,
            "actual": self.actual,
            "expected": self.expected,
            "depth": self.depth,
        }
        return told if self.distance is None else told | {"distance": self.distance}

    def line(self) -> str:
        """Return the step as a line: its truth, its text, the actual value, the distance."""
        found = [each for each in (self._actual_text(), self._distance_text()) if each]
        seen = f"   ({', '.join(found)})" if found else ""
        return f"{'  ' * self.depth}{_VERDICTS[self.holds]:<8} {self.text}{seen}"

    def _actual_text(self) -> str:
        if isinstance(self.actual, Mapping):
            return ", ".join(
                f"{name} is {_value_text(value)}" for name, value in self.actual.items()
            )
        if self.subject:
            return f"{self.subject} is {_value_text(self.actual)}"
        return "" if self.actual is None else str(self.actual)

    def _distance_text(self) -> str:
        return "" if self.distance is None else f"off by {self.distance}"


@dataclass(slots=True)
class Explanation:
    """Steps in order of display; `failed` is the index of the first failure, or None."""

    all: list[ExplanationStep] = field(default_factory=list)
    failed: int | None = None

    def add(self, step: ExplanationStep, *, fails: bool = False) -> None:
        """Add a step; with `fails` it is the failure, unless an earlier one is."""
        if fails and self.failed is None:
            self.failed = len(self.all)
        self.all.append(step)

    def extend(self, others: Explanation, *, fails: bool) -> None:
        """Add the steps of a part; with `fails` the failure there is the failure here, unless an
        earlier one is.
        """
        if fails and self.failed is None and others.failed is not None:
            self.failed = len(self.all) + others.failed
        self.all += others.all

    def lines(self, *, matches: bool) -> Iterator[str]:
        """Yield a line for each step; the first failure is marked, unless the whole matches."""
        for index, step in enumerate(self.all):
            yield f"{step.line()}{FAILED if index == self.failed and not matches else ''}"


def plain(steps: Iterable[ExplanationStep]) -> Explanation:
    """Return steps of which the first that does not hold is the failure."""
    found = Explanation()
    for each in steps:
        found.add(each, fails=each.holds is not True)
    return found


def lasting(duration: Duration) -> str:
    """Return the absolute length of a duration in words."""
    return format_duration(abs(duration))


def _value_text(value: object) -> str:
    if value is None:
        return "missing"
    return repr(value) if isinstance(value, str) else str(value)
