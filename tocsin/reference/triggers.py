"""Triggers, step by step: the events outside of a detection that it sends (E-XML-QL, spec 4.4)."""

from __future__ import annotations

from collections.abc import Iterable

from tocsin.plan.nodes.composites import Triggered, Waiting
from tocsin.reference.occurrence import ReferenceOccurrence, together
from tocsin.values.time import Instant

_FROM_THE_END = (Waiting.FIRST_AFTER, Waiting.EVERY_AFTER)
"""Modes that count from the end of a detection; the others count from its start."""


class TriggerRun:
    """State of one trigger. Detections and targets come in canonical order, detections first at
    equal time.
    """

    def __init__(self, trigger: Triggered) -> None:
        self._trigger = trigger
        self._detections: list[ReferenceOccurrence] = []
        self._targets: list[ReferenceOccurrence] = []
        self._sent: list[ReferenceOccurrence] = []

    def on_detection(
        self, detection: ReferenceOccurrence, now: Instant
    ) -> list[ReferenceOccurrence]:
        """Return the matches to send at once; else keep the detection.

        It replaces others unless every detection counts.
        """
        known = self._kept(self._targets, now)
        match self._trigger.waiting:
            case Waiting.LATEST_SINCE:
                latest = [each for each in known if self._fits(detection, each) is not None][-1:]
                self._detections = [] if latest else [detection]
                return self._send((detection, each) for each in latest)
            case Waiting.EVERY_SINCE:
                self._detections.append(detection)
                return self._send((detection, each) for each in known if each not in self._sent)
            case _:
                self._detections = [detection]
                return []

    def on_target(self, target: ReferenceOccurrence, now: Instant) -> list[ReferenceOccurrence]:
        """Return the matches that the target completes, for the oldest waiting detection."""
        self._targets.append(target)
        for detection in self._kept(self._detections, now):
            sent = self._send(((detection, target),))
            if sent:
                if self._trigger.waiting in (Waiting.FIRST_AFTER, Waiting.LATEST_SINCE):
                    self._detections = []
                return sent
        return []

    def _send(
        self, pairs: Iterable[tuple[ReferenceOccurrence, ReferenceOccurrence]]
    ) -> list[ReferenceOccurrence]:
        found = [
            (target, whole)
            for detection, target in pairs
            if (whole := self._fits(detection, target)) is not None
        ]
        self._sent += [target for target, _ in found]
        return [whole for _, whole in found]

    def _fits(
        self, detection: ReferenceOccurrence, target: ReferenceOccurrence
    ) -> ReferenceOccurrence | None:
        after = detection.end if self._trigger.waiting in _FROM_THE_END else detection.start
        return together((detection, target)) if after < target.start else None

    def _kept(
        self, occurrences: list[ReferenceOccurrence], now: Instant
    ) -> list[ReferenceOccurrence]:
        keep = self._trigger.keep
        return [each for each in occurrences if keep is None or each.end + keep >= now]
