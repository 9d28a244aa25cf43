"""What became of a try to deliver: taken, failed and to be tried again, or not wanted any more."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver has it."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The receiver does not have it, or did not say so; it may ask for a time to be left alone."""

    reason: str
    asked: float | None = None
    code: str = "DeliveryError"


@dataclass(frozen=True, slots=True)
class Gone:
    """The receiver wants no more of this subscription."""

    reason: str


Outcome = Delivered | Failed | Gone
