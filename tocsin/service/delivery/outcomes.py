"""Outcomes of a delivery attempt: delivered, failed and to be retried, or ended by the receiver."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver has accepted the message."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The receiver has not accepted the message, or has not answered. `retry_after` are the seconds
    of its `Retry-After`.
    """

    reason: str
    retry_after: float | None = None
    code: str = "DeliveryError"


@dataclass(frozen=True, slots=True)
class Gone:
    """The receiver has ended the deliveries of this subscription."""

    reason: str


Outcome = Delivered | Failed | Gone
