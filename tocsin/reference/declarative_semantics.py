"""Declarative semantics of composites: all occurrences in a finite timeline, by brute force.

Every combination is tried. This is policy `unrestricted`: nothing is consumed. The other policies
choose among these occurrences.

Triggers are followed step by step: the events outside of a detection that it sends (E-XML-QL, spec
4.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import assert_never

from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    Either,
    EveryWindow,
    FixedWindow,
    Gathered,
    Join,
    Key,
    Named,
    Only,
    Part,
    Sliding,
    Triggered,
    Waiting,
)
from tocsin.reference.atoms import holds, rows_of
from tocsin.reference.conditions import allows, meets
from tocsin.reference.measures import has_key, have_same_key
from tocsin.reference.occurrence import (
    ReferenceOccurrence,
    occurrence_of,
    silence,
    together,
    without,
)
from tocsin.reference.sliding import WindowHistory, changes, instants_of
from tocsin.reference.windows import (
    between,
    breaks_after,
    breaks_before,
    breaks_between,
    ends_in,
    first_end,
    gathered_after,
    gathered_at_once,
    gathered_before,
    gathered_between,
    is_at_once,
    is_in,
    windows,
)
from tocsin.values.time import LAST_INSTANT, Instant

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


def occurrences(
    part: Part, events: Sequence[Event], until: Instant | None = None
) -> list[ReferenceOccurrence]:
    """Return every occurrence of a part in timed events in canonical order, as of `until`."""
    found: Iterable[ReferenceOccurrence]
    match part:
        case Named(name, inner, elements):
            found = (
                each.named(name).with_elements(elements)
                for each in occurrences(inner, events, until)
            )
        case Only(inner, restriction):
            found = (
                each for each in occurrences(inner, events, until) if allows(restriction, each)
            )
        case Either(parts):
            found = _first_of_same(
                each for inner in parts for each in occurrences(inner, events, until)
            )
        case Join(parts):
            choices = (occurrences(inner, events, until) for inner in parts)
            found = (
                each for choice in product(*choices) if (each := join(part, choice)) is not None
            )
        case Absence():
            found = _absences(part, events, until)
        case Gathered():
            found = _gatherings(part, events, until)
        case Sliding(inner):
            found = _slidings(part, occurrences(inner, events, until), events, until)
        case Change(inner):
            all_of_it = occurrences(inner, events, until)
            found = (
                each
                for number, now in enumerate(all_of_it)
                for each in changes(part, all_of_it[:number], now)
            )
        case Triggered(inner, target):
            found = _triggered(
                part, occurrences(inner, events, until), occurrences(target, events, until)
            )
        case _:
            found = (
                occurrence_of(event, rows_of(part, event)) for event in events if holds(part, event)
            )
    last = LAST_INSTANT if until is None else min(until, LAST_INSTANT)
    return distinct(each for each in found if each.end <= last)


def _triggered(
    trigger: Triggered,
    detections: Iterable[ReferenceOccurrence],
    targets: Iterable[ReferenceOccurrence],
) -> Iterable[ReferenceOccurrence]:
    sending = TriggerRun(trigger)
    steps = [*((0, each) for each in detections), *((1, each) for each in targets)]
    for slot, each in sorted(steps, key=lambda step: (step[1].end, step[0], step[1].order)):
        yield from (
            sending.on_target(each, each.end) if slot else sending.on_detection(each, each.end)
        )


def join(part: Join, parts: Sequence[ReferenceOccurrence]) -> ReferenceOccurrence | None:
    """Return the occurrence of a join for a choice of its parts; None if they do not fit."""
    ends = [each.end for each in parts]
    if part.keep is not None and max(ends) - min(ends) > part.keep:
        return None
    if not all(have_same_key(part.by, parts[0], each) for each in parts):
        return None
    whole = together(parts)
    if whole is None or not all(
        meets(condition, parts, whole.names) for condition in part.conditions
    ):
        return None
    return whole


def _gatherings(
    part: Gathered, events: Sequence[Event], until: Instant | None
) -> Iterable[ReferenceOccurrence]:
    came = _keyed(part.by, occurrences(part.part, events, until))

    def around(inner: Part) -> list[ReferenceOccurrence]:
        return _keyed(part.by, occurrences(inner, events, until))

    match part.window:
        case AfterWindow(inner) if is_at_once(part):
            for first in around(inner):
                waiting: ReferenceOccurrence | None = first
                for number in range(len(came)):
                    if waiting is not None:
                        whole, waiting = gathered_at_once(part, waiting, came[: number + 1])
                        yield from () if whole is None else (whole,)
        case AfterWindow(inner):
            found = (gathered_after(part, first, came) for first in around(inner))
            yield from (each for each in found if each is not None)
        case BeforeWindow(inner):
            found = (gathered_before(part, last, came) for last in around(inner))
            yield from (each for each in found if each is not None)
        case BetweenWindow(first_part, last_part):
            pairs = product(around(first_part), around(last_part))
            found = (gathered_between(part, first, last, came) for first, last in pairs)
            yield from (each for each in found if each is not None)
        case _:
            assert_never(part.window)


def _slidings(
    part: Sliding,
    inputs: Sequence[ReferenceOccurrence],
    events: Sequence[Event],
    until: Instant | None,
) -> Iterable[ReferenceOccurrence]:
    watch = WindowHistory(part)
    for each in inputs:
        watch.see(each)
    if part.every is None:
        instants = sorted({due for each in inputs for due in instants_of(part, each)})
        for now in instants:
            if until is None or now <= until:
                yield from watch.matches_at(now)
        return
    ends = [event.order[0] for event in events]
    over = max(ends, default=None) if until is None else until
    end = first_end(part, ends[0]) if ends else None
    while end is not None and over is not None and end <= over:
        yield from watch.matches_for_window(end)
        end += part.every


def distinct(found: Iterable[ReferenceOccurrence]) -> list[ReferenceOccurrence]:
    """Return each occurrence once, ordered by end."""
    once = {(each.identity, each.start, each.end, _names_key(each)): each for each in found}
    return sorted(once.values(), key=lambda each: (each.end, each.start, each.identity))


def _first_of_same(found: Iterable[ReferenceOccurrence]) -> Iterable[ReferenceOccurrence]:
    """Return each occurrence once: of equal alternatives the first counts."""
    once: dict[tuple[object, ...], ReferenceOccurrence] = {}
    for each in found:
        once.setdefault((each.identity, each.start, each.end), each)
    return once.values()


def _names_key(occurrence: ReferenceOccurrence) -> tuple[object, ...]:
    return tuple(
        sorted(
            (name, each.identity, each.start, each.end) for name, each in occurrence.names.items()
        )
    )


def _keyed(by: Key, found: Iterable[ReferenceOccurrence]) -> list[ReferenceOccurrence]:
    return [each for each in found if has_key(by, each)]


def _absences(
    absence: Absence, events: Sequence[Event], until: Instant | None
) -> Iterable[ReferenceOccurrence]:
    present = occurrences(absence.part, events, until)
    match absence.window:
        case FixedWindow(start, length):
            if not any(is_in(each, start, start + length) for each in present):
                yield silence(start, start + length)
        case AfterWindow(part, length):
            for after in _keyed(absence.by, occurrences(part, events, until)):
                left = without(
                    after, (each for each in present if breaks_after(absence, each, after, length))
                )
                if left is not None:
                    yield left.silent_after(after.end, after.end + length)
        case BetweenWindow(first, last):
            for one, other in product(
                occurrences(first, events, until), occurrences(last, events, until)
            ):
                whole = between(absence, one, other)
                if whole is not None:
                    whole = without(
                        whole,
                        [
                            each
                            for each in present
                            if breaks_between(absence, each, one, other, whole)
                        ],
                    )
                if whole is not None:
                    yield whole
        case BeforeWindow(part, length):
            for before in _keyed(absence.by, occurrences(part, events, until)):
                left = without(
                    before, (each for each in present if breaks_before(absence, each, before))
                )
                if left is not None:
                    yield left.silent_before(before.start - length)
        case EveryWindow():
            ends = [event.order[0] for event in events]
            over = max(ends, default=None) if until is None else until
            for start, end in windows(absence.window, ends[0] if ends else None, over):
                if not any(ends_in(each, start, end) for each in present):
                    yield silence(start, end)
        case _:
            assert_never(absence.window)
