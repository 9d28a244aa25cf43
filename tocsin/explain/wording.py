"""Steps and phrases of explanations: events, keys, windows and conditions, with values.

A step is a condition with its truth, the actual and the expected value. One list of steps is a JSON
array for HTTP and lines for the command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tocsin.events.event import Event
from tocsin.plan.explain.atoms import relation_text
from tocsin.plan.explain.operators import condition_text
from tocsin.plan.explain.phrases import is_holds, short_text
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    End,
    Gathered,
    Join,
    JoinCondition,
    Keyed,
    Moment,
    Named,
    Near,
    Only,
    Part,
    Precedes,
    Sliding,
    Stands,
)
from tocsin.plan.nodes.sources import Sources
from tocsin.values.allen import relation_of
from tocsin.values.scalars import Path
from tocsin.values.time import Duration, Instant, format_duration, format_instant

MAX_IDS = 10
"""Event ids in one phrase, at most."""


def events_text(ids: Sequence[str]) -> str:
    """Return "event 2", "events 2 and 3"; "no events" without any."""
    if not ids:
        return "no events"
    shown = [*ids[:MAX_IDS], *([f"{len(ids) - MAX_IDS} more"] if len(ids) > MAX_IDS else [])]
    if len(shown) == 1:
        return f"event {shown[0]}"
    return f"events {', '.join(shown[:-1])} and {shown[-1]}"


def ids_text(ids: Sequence[str]) -> str:
    """Return events in parentheses behind a part; "" without any."""
    return f" ({events_text(ids)})" if ids else ""


def event_at(event: Event) -> str:
    """Return an event with the instant of its end."""
    at = "" if event.interval is None else f" at {format_instant(event.interval.end)}"
    return f"event {event.id}{at}"


def key_values_text(part: Part, events: Iterable[Event]) -> str:
    """Return the values of the key of a part in its events: ", for truck-8"; "" without a key."""
    members = list(events)
    values = []
    for path in _key_paths(part):
        found = (each.attribute(path) for each in members)
        values += [str(each) for each in found if each is not None][:1]
    return f", for {' and '.join(values)}" if values else ""


def absence_text(
    part: Absence, span: tuple[str, str] | None, ids: Sequence[str], sources: Sources
) -> str:
    """Return an absence in a match: "no `B` from T1 to T2 after `A` (event 2)".

    `ids` are the events around the window. HOLDS, which is an absence in the plan only, is shown by
    its text.
    """
    times = "" if span is None else f" from {span[0]} to {span[1]}"
    if is_holds(part) and part in sources:
        return f"{short_text(part, sources)}{times}{ids_text(ids)}"
    absent = f"no {short_text(part.part, sources)}{times}"
    match part.window:
        case AfterWindow(first):
            return f"{absent} after {short_text(first, sources)}{ids_text(ids)}"
        case BeforeWindow(last):
            return f"{absent} before {short_text(last, sources)}{ids_text(ids)}"
        case BetweenWindow(first, last):
            bounds = f"{short_text(first, sources)} and {short_text(last, sources)}"
            return f"{absent} between {bounds}{ids_text(ids)}"
        case _:
            return absent


def span_text(start: Instant, end: Instant) -> tuple[str, str]:
    """Return the bounds of a window as text."""
    return format_instant(start), format_instant(end)


def join_condition_text(condition: JoinCondition, join: Join, sources: Sources) -> str:
    """Return a condition between the parts of a join, by their texts."""
    texts = [short_text(each, sources) for each in join.parts]
    match condition:
        case Precedes(earlier, later, gap, or_equal):
            return _order_text(_moment(earlier, texts), _moment(later, texts), gap, or_equal)
        case Near(part, relation, other, distance):
            return f"{texts[part]} is {relation_text(relation, distance)} {texts[other]}"
        case Stands(part, name, other, proper):
            allen, negated = relation_of(name)
            between = " (between proper intervals)" if proper else ""
            relation_name = f"{'not ' if negated else ''}{allen.value.lower()}"
            return f"{texts[part]} {relation_name} {texts[other]}{between}"
        case _:
            return condition_text(condition)


def _order_text(earlier: str, later: str, gap: int, or_equal: bool) -> str:
    if gap < 0:
        most = "at most" if or_equal else "less than"
        return f"{earlier} {most} {format_duration(-gap)} after {later}"
    if gap > 0:
        least = "at least" if or_equal else "more than"
        return f"{later} {least} {format_duration(gap)} after {earlier}"
    return f"{earlier} {'at or before' if or_equal else 'before'} {later}"


def _moment(moment: Moment, texts: Sequence[str]) -> str:
    return f"{texts[moment.part]} {'starts' if moment.end is End.START else 'ends'}"


def _key_paths(part: Part) -> tuple[Path, ...]:
    """Return the key of the outermost operator that has one."""
    match part:
        case Only(_, Keyed(by)):
            return tuple(by)
        case Named(_, inner) | Only(inner):
            return _key_paths(inner)
        case Join() | Absence() | Gathered() | Sliding() | Change():
            return tuple(part.by)
        case _:
            return ()


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
