"""Rendering of matches: from an occurrence to the match that a subscriber gets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias, assert_never

from tocsin.events.event import Event, document_to_match
from tocsin.events.matches.match import (
    Match,
    hashed_id,
    lazy_match,
    length_prefixed,
    match_id,
    set_derived_fields,
)
from tocsin.events.views.document import Element
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.composites import Forward, Output, Send
from tocsin.plan.semantics.occurrence import OccurrenceView
from tocsin.plan.xml.construction import Ask, Construct, ask_nothing, construct
from tocsin.values.space import format_place, is_plain_point
from tocsin.values.time import Instant, format_instant, is_instant

_FORWARD = Forward()
_NOTHING_SELECTED: Mapping[str, str] = {}

Documents: TypeAlias = Callable[[str], Element | None]
"""Lookup of the document of an event by its name; "" is the name of the only event."""

EvaluatorFactory: TypeAlias = Callable[[Documents], Ask]
"""Evaluator of nested queries, given the documents of the events of a match."""


def no_nested_queries(_: Documents) -> Ask:
    """Return the evaluator for plans without nested queries."""
    return ask_nothing


class MatchRenderer:
    """Renderer of one occurrence, shared by all its matches.

    Names are bound to event ids, absences to their windows, variables to their values. Hidden
    names, which begin with a dot, are left out. Many matches are made and few are read: fields are
    computed on first access, unless that could fail, and so is the place unless `writes_place`.
    """

    __slots__ = (
        "_bindings",
        "_constituents",
        "_is_worked_out",
        "_is_written",
        "_place",
        "occurrence",
    )

    def __init__(self, occurrence: OccurrenceView, *, writes_place: bool = True) -> None:
        self.occurrence = occurrence
        self._is_worked_out = False
        self._constituents = ""
        self._bindings: Mapping[str, str] = {}
        self._place: str | None = None
        self._is_written = False
        if writes_place or not all(map(has_plain_place, occurrence.members)):
            self.place_text()
        if not _always_renders(occurrence):
            self._work_out()

    def match(
        self,
        subscription: str,
        output: Output = _FORWARD,
        asking: EvaluatorFactory = no_nested_queries,
        selected: Mapping[str, str] | None = None,
    ) -> Match | None:
        """Return the match of a composite subscription with the values that it selects.

        None if it has no output; raises GivenUp beyond the work limit.
        """
        occurrence = self.occurrence
        outputs: tuple[str, ...] | None = ()
        if not isinstance(output, Forward):
            ask = asking(partial(_document_of_part, occurrence))
            outputs = outputs_of(output, occurrence.rows, _sent(output, occurrence), ask)
        if outputs is None:
            return None
        match = lazy_match(subscription, occurrence.members, outputs, self)
        if selected:
            self.render_fields(match, selected)
        return match

    def render_fields(self, match: Match, selected: Mapping[str, str] = _NOTHING_SELECTED) -> None:
        """Set the fields that are computed for every match, except its id and its place."""
        if not self._is_worked_out:
            self._work_out()
        occurrence = self.occurrence
        set_derived_fields(
            match,
            tuple([member.id for member in occurrence.members]),
            occurrence.start,
            occurrence.end,
            {**self._bindings, **selected} if selected else self._bindings,
            tuple([member.source for member in occurrence.members]),
        )

    def id_of(self, subscription: str) -> str:
        """Return the id of the match of a subscription."""
        if not self._constituents:
            self._constituents = constituents_of(self.occurrence)
        return hashed_id(subscription, self._constituents)

    def place_text(self) -> str | None:
        """Return the place of all members together, as text written once; None without a place."""
        if not self._is_written:
            place = self.occurrence.place
            self._place = None if place is None else format_place(place)
            self._is_written = True
        return self._place

    def _work_out(self) -> None:
        occurrence = self.occurrence
        windows = [format_window(*each) for each in occurrence.absences]
        names = sorted(occurrence.names.items()) if occurrence.names else []
        bindings = {name: _ids(bound) for name, bound in names if name[:1] != "."}
        for number, window in enumerate(windows):
            bindings[f"absence{number or ''}"] = window
        if occurrence.rows is not NOTHING_BOUND:
            bindings |= values_of(occurrence.rows)
        self._bindings = bindings
        self._is_worked_out = True


def _always_renders(occurrence: OccurrenceView) -> bool:
    """True if rendering cannot fail: nothing is bound, and all windows can be written.

    A bound value may be too long as text.
    """
    if occurrence.rows is not NOTHING_BOUND:
        return False
    windows = occurrence.absences
    for bound in occurrence.names.values():
        windows += bound.absences
    return not windows or all(is_instant(start) and is_instant(end) for start, end in windows)


def has_plain_place(event: Event) -> bool:
    """True if its place, if it has one, can certainly be written, alone and with others."""
    return event.has_plain_place or event.place_source is None or is_plain_point(event.place_source)


def match_of(
    subscription: str,
    occurrence: OccurrenceView,
    output: Output = _FORWARD,
    make_evaluator: EvaluatorFactory = no_nested_queries,
    selected: Mapping[str, str] | None = None,
) -> Match | None:
    """Return the match of a composite subscription.

    None if it has no output; raises GivenUp beyond the work limit.
    """
    return MatchRenderer(occurrence).match(subscription, output, make_evaluator, selected)


def match_of_atom(
    subscription: str,
    event: Event,
    rows: Rows,
    output: Output = _FORWARD,
    make_evaluator: EvaluatorFactory = no_nested_queries,
) -> Match | None:
    """Return the match of an atomic subscription that binds variables or has an output.

    None if nothing is put out; raises GivenUp beyond the work limit.
    """
    outputs: tuple[str, ...] | None = ()
    if not isinstance(output, Forward):
        ask = make_evaluator(lambda _: document_to_match(event))
        outputs = outputs_of(output, rows, (event,), ask)
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
    """Return the output texts; None if a construction gives none, so that there is no match."""
    match output:
        case Forward():
            return ()
        case Send():
            return tuple(map(_data_text, sent))
        case Construct(templates, conditions, order):
            return tuple(construct(templates, rows, conditions, order, ask)) or None
        case _:
            assert_never(output)


def _sent(output: Output, occurrence: OccurrenceView) -> Sequence[Event]:
    """Return the events that a match sends."""
    if not isinstance(output, Send):
        return ()
    targets = [name for name in output.targets if name in occurrence.names]
    names = targets or [name for name in output.members if name in occurrence.names]
    return [member for name in names for member in occurrence.names[name].members]


def _document_of_part(occurrence: OccurrenceView, name: str) -> Element | None:
    """Return the document of the event of a named part; None if the occurrence has no such part."""
    part = occurrence.names.get(name)
    return None if part is None else document_to_match(part.members[0])


def constituents_of(occurrence: OccurrenceView) -> str:
    """Return a text that distinguishes matches of a subscription.

    It has members, windows, names and bindings. A letter begins each section after the members, and
    the length of a part begins with a digit, so that the text is unambiguous.
    """
    members = occurrence.members
    told = members_text(members)
    if occurrence.absences:
        told += windows_text(occurrence.absences)
    if occurrence.end > _latest_end(occurrence):
        told += f"e{occurrence.end}"  # the window ended after its last content
    for name, bound in sorted(occurrence.names.items()):
        told += name_text(name, _numbers(bound, members))
        if bound.absences:
            told += windows_text(bound.absences)
    if occurrence.rows != NOTHING_BOUND:
        told += f"r{length_prefixed(sorted(map(repr, occurrence.rows)))}"
    return told


def members_text(members: Sequence[Event]) -> str:
    """Return the section of the members."""
    return length_prefixed([text for member in members for text in (member.source, member.id)])


def windows_text(windows: Iterable[tuple[Instant, Instant]]) -> str:
    """Return a section of silent windows."""
    return f"w{length_prefixed([format_window(*each) for each in windows])}"


def name_text(name: str, positions: Sequence[int]) -> str:
    """Return the section of a name, which stands for the members at these positions."""
    return f"n{len(name)}:{name}{positions}"


def _latest_end(occurrence: OccurrenceView) -> Instant:
    """Return the latest end of members and silent windows; a measure may end later, by a timer."""
    ends = [member.order[0] for member in occurrence.members]
    ends += [end for _, end in occurrence.absences]
    return max(ends, default=occurrence.end)


def _numbers(bound: OccurrenceView, members: tuple[Event, ...]) -> list[int]:
    """Return the positions of the members that a name stands for."""
    try:
        return [members.index(each) for each in bound.members]
    except ValueError:  # a copy of the same event: compare identities
        identities = [each.identity for each in members]
        return [identities.index(each.identity) for each in bound.members]


def format_window(start: Instant, end: Instant) -> str:
    """Return a window as two times with a slash between."""
    return f"{format_instant(start)}/{format_instant(end)}"


def _ids(occurrence: OccurrenceView) -> str:
    members = occurrence.members
    return members[0].id if len(members) == 1 else " ".join([member.id for member in members])


def _data_text(event: Event) -> str:
    """Return the data as received; an object as JSON."""
    return event.data if isinstance(event.data, str) else json.dumps(event.data, ensure_ascii=False)


def values_of(rows: Rows) -> dict[str, str]:
    """Return each variable with its different values, in the order of the rows."""
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
