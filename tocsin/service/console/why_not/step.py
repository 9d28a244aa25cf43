"""A step of an explanation: the condition, its truth, the actual and the expected value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tocsin.values.time import Duration, format_duration


@dataclass(frozen=True, slots=True)
class ExplanationStep:
    """`holds` is None if unknown; `distance` is the number or duration by which it fails; `depth`
    is its nesting depth.
    """

    text: str
    holds: bool | None
    actual: object = None
    expected: object = None
    distance: object = None
    depth: int = 0

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


def plain(steps: Iterable[ExplanationStep]) -> Explanation:
    """Return steps of which the first that does not hold is the failure."""
    found = Explanation()
    for each in steps:
        found.add(each, fails=each.holds is not True)
    return found


def lasting(duration: Duration) -> str:
    """Return the absolute length of a duration in words."""
    return format_duration(abs(duration))
