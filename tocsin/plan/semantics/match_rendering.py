"""From an occurrence to a match: what a subscriber is told when a subscription rings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias, assert_never

from tocsin.events.event import Event
from tocsin.events.matches.match import (
    Match,
    hashed_id,
    match_id,
    match_told_later,
    measured,
    set_told,
)
from tocsin.events.views.document import Element
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.composites import Forward, Output, Send
from tocsin.plan.semantics.occurrence_protocol import Detected
from tocsin.plan.xml.construction import Ask, Construct, ask_nothing, construct
from tocsin.plan.xml.xml_patterns import document_to_match
from tocsin.values.space import format_place, is_plain_point
from tocsin.values.time import Instant, format_instant, is_instant

_FORWARD = Forward()
_NOTHING_SELECTED: Mapping[str, str] = {}

Documents: TypeAlias = Callable[[str], Element | None]
"""The document of the event that goes by a name; the empty name is that of the only event."""

Asking: TypeAlias = Callable[[Documents], Ask]
"""How nested queries are answered, given the documents of the events of a match."""


def asking_nothing(_: Documents) -> Ask:
    """For plans without nested queries."""
    return ask_nothing


class Told:
    """What all subscriptions are told of one occurrence, worked out once however many it rings for.

    Names are bound to event ids, absences to their windows, variables to their values. Names that
    nobody gave begin with a dot and are not told. Many ring and few are looked at: what can surely
    be worked out waits for who looks at a match, and so does the place unless `writes_place`.
    """

    __slots__ = (
        "_bindings",
        "_constituents",
        "_is_worked_out",
        "_is_written",
        "_place",
        "occurrence",
    )

    def __init__(self, occurrence: Detected, *, writes_place: bool = True) -> None:
        self.occurrence = occurrence
        self._is_worked_out = False
        self._constituents = ""
        self._bindings: Mapping[str, str] = {}
        self._place: str | None = None
        self._is_written = False
        if writes_place or not all(map(_has_plain_place, occurrence.members)):
            self.place_text()
        if not _can_surely_be_told(occurrence):
            self._work_out()

    def match(
        self,
        subscription: str,
        output: Output = _FORWARD,
        asking: Asking = asking_nothing,
        selected: Mapping[str, str] | None = None,
    ) -> Match | None:
        """The match of a composite subscription with the values that it selects; None where nothing
        comes out, GivenUp where it is too much.
        """
        occurrence = self.occurrence
        outputs: tuple[str, ...] | None = ()
        if not isinstance(output, Forward):
            ask = asking(partial(_document_of_part, occurrence))
            outputs = outputs_of(output, occurrence.rows, _sent(output, occurrence), ask)
        if outputs is None:
            return None
        match = match_told_later(subscription, occurrence.members, outputs, self)
        if selected:
            self.tell(match, selected)
        return match

    def tell(self, match: Match, selected: Mapping[str, str] = _NOTHING_SELECTED) -> None:
        """What is worked out for every match but its id and its place."""
        if not self._is_worked_out:
            self._work_out()
        occurrence = self.occurrence
        set_told(
            match,
            tuple([member.id for member in occurrence.members]),
            occurrence.start,
            occurrence.end,
            occurrence.end,
            {**self._bindings, **selected} if selected else self._bindings,
            tuple([member.source for member in occurrence.members]),
        )

    def id_of(self, subscription: str) -> str:
        """The id of the match of a subscription."""
        if not self._is_worked_out:
            self._work_out()
        return hashed_id(subscription, self._constituents)

    def place_text(self) -> str | None:
        """The place of all members together, written once."""
        if not self._is_written:
            place = self.occurrence.place
            self._place = None if place is None else format_place(place)
            self._is_written = True
        return self._place

    def _work_out(self) -> None:
        occurrence = self.occurrence
        windows = [_window(each) for each in occurrence.absences]
        names = sorted(occurrence.names.items()) if occurrence.names else []
        bindings = {name: _ids(bound) for name, bound in names if name[:1] != "."}
        for number, window in enumerate(windows):
            bindings[f"absence{number or ''}"] = window
        if occurrence.rows is not NOTHING_BOUND:
            bindings |= values_of(occurrence.rows)
        self._bindings = bindings
        self._constituents = _constituents(occurrence, windows, names)
        self._is_worked_out = True


def _can_surely_be_told(occurrence: Detected) -> bool:
    """Whether nothing is bound, whose text may be too long, and all windows can be written."""
    if occurrence.rows is not NOTHING_BOUND:
        return False
    windows = occurrence.absences
    for bound in occurrence.names.values():
        windows += bound.absences
    return not windows or all(is_instant(start) and is_instant(end) for start, end in windows)


def _has_plain_place(event: Event) -> bool:
    """Whether its place, if it has one, can surely be written, alone and with others."""
    return event.has_plain_place or event.place_source is None or is_plain_point(event.place_source)


def match_of(
    subscription: str,
    occurrence: Detected,
    output: Output = _FORWARD,
    asking: Asking = asking_nothing,
    selected: Mapping[str, str] | None = None,
) -> Match | None:
    """The match of a composite subscription; None where nothing comes out, GivenUp where it is too
    much.
    """
    return Told(occurrence).match(subscription, output, asking, selected)


def match_of_atom(
    subscription: str,
    event: Event,
    rows: Rows,
    output: Output = _FORWARD,
    asking: Asking = asking_nothing,
) -> Match | None:
    """The match of an atomic subscription that binds variables or puts something out.

    None where nothing comes out, GivenUp where it is too much.
    """
    outputs = outputs_of(output, rows, (event,), asking(lambda _: document_to_match(event)))
    if outputs is None:
        return None
    start, end = (event.interval.start, event.interval.end) if event.interval else (None, None)
    return Match(
        subscription,
        (event.id,),
        start,
        end,
        end,
        event.place_text,
        match_id(subscription, (event.identity,)),
        values_of(rows),
        outputs,
        (event.source,),
        (event,),
    )


def outputs_of(
    output: Output, rows: Rows, sent: Sequence[Event], ask: Ask = ask_nothing
) -> tuple[str, ...] | None:
    """The texts that come out; None where a construction has none to give, so that nothing is to be
    told.
    """
    match output:
        case Forward():
            return ()
        case Send():
            return tuple(map(_data_text, sent))
        case Construct(templates, conditions, order):
            return tuple(construct(templates, rows, conditions, order, ask)) or None
        case _:
            assert_never(output)


def _sent(output: Output, occurrence: Detected) -> Sequence[Event]:
    """The events that a match sends."""
    if not isinstance(output, Send):
        return ()
    targets = [name for name in output.targets if name in occurrence.names]
    names = targets or [name for name in output.members if name in occurrence.names]
    return [member for name in names for member in occurrence.names[name].members]


def _document_of_part(occurrence: Detected, name: str) -> Element | None:
    """The document of the event that a named part is; None where the occurrence has no such
    part.
    """
    part = occurrence.names.get(name)
    return None if part is None else document_to_match(part.members[0])


def _constituents(
    occurrence: Detected, windows: Sequence[str], names: Sequence[tuple[str, Detected]]
) -> str:
    """All that tells one match of a subscription from another: members, windows, names and what
    variables are bound to.

    A letter begins what follows the members; the length of a part begins with a digit, so that
    nothing runs together.
    """
    members = occurrence.members
    told = measured([text for member in members for text in (member.source, member.id)])
    if windows:
        told += f"w{measured(windows)}"
    if occurrence.end > _latest_end(occurrence):
        told += f"e{occurrence.end}"  # a window that was over later than all that lies in it
    for name, bound in names:
        told += f"n{len(name)}:{name}{_numbers(bound, members)}"
        if bound.absences:
            told += f"w{measured(map(_window, bound.absences))}"
    if occurrence.rows != NOTHING_BOUND:
        told += f"r{measured(sorted(map(repr, occurrence.rows)))}"
    return told


def _latest_end(occurrence: Detected) -> Instant:
    """The latest end of the members and of the silent windows; that of a measure, which the clock
    rang, may be later.
    """
    ends = [member.order[0] for member in occurrence.members]
    ends += [end for _, end in occurrence.absences]
    return max(ends, default=occurrence.end)


def _numbers(bound: Detected, members: tuple[Event, ...]) -> list[int]:
    """Which of the members a name stands for."""
    try:
        return [members.index(each) for each in bound.members]
    except ValueError:  # another copy of the same event
        identities = [each.identity for each in members]
        return [identities.index(each.identity) for each in bound.members]


def _window(window: tuple[Instant, Instant]) -> str:
    start, end = window
    return f"{format_instant(start)}/{format_instant(end)}"


def _ids(occurrence: Detected) -> str:
    members = occurrence.members
    return members[0].id if len(members) == 1 else " ".join([member.id for member in members])


def _data_text(event: Event) -> str:
    """The data as they came; an object as JSON."""
    return event.data if isinstance(event.data, str) else json.dumps(event.data, ensure_ascii=False)


def values_of(rows: Rows) -> dict[str, str]:
    """Each variable with its different values, in the order of the rows."""
    if rows == NOTHING_BOUND:
        return {}
    values: dict[str, dict[str, None]] = {}
    for row in rows:
        for variable, value in row:
            values.setdefault(variable, {})[_text(value)] = None
    return {variable: " ".join(texts) for variable, texts in sorted(values.items())}


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
