"""A step of an explanation: what is asked, whether it holds, what is there and what was wanted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tocsin.values.time import Duration, format_duration


@dataclass(frozen=True, slots=True)
class Step:
    """`holds` is None where it cannot be told; `distance` says by how much it fails, where that is
    a number or a length of time; `depth` how deep it lies in the whole.
    """

    text: str
    holds: bool | None
    actual: object = None
    expected: object = None
    distance: object = None
    depth: int = 0

    def as_json(self) -> dict[str, Any]:
        """The JSON object of an answer."""
        told = {
            "text": self.text,
            "holds": self.holds,
            "actual": self.actual,
            "expected": self.expected,
            "depth": self.depth,
        }
        return told if self.distance is None else told | {"distance": self.distance}


@dataclass(slots=True)
class Steps:
    """Steps in the order in which they are told, and which of them failed first."""

    all: list[Step] = field(default_factory=list)
    failed: int | None = None

    def add(self, step: Step, *, fails: bool = False) -> None:
        """One more; `fails` where it is what makes the whole fail, unless another was before."""
        if fails and self.failed is None:
            self.failed = len(self.all)
        self.all.append(step)

    def extend(self, others: Steps, *, fails: bool) -> None:
        """The steps of a part; where `fails`, what failed first there failed here."""
        if fails and self.failed is None and others.failed is not None:
            self.failed = len(self.all) + others.failed
        self.all += others.all


def plain(steps: Iterable[Step]) -> Steps:
    """Steps of which the first that does not hold failed."""
    found = Steps()
    for each in steps:
        found.add(each, fails=each.holds is not True)
    return found


def lasting(duration: Duration) -> str:
    """A length of time in words, whatever its sign."""
    return format_duration(abs(duration))
