"""The index over the event log: its EPCIS events by time, term and identity; and all tables.

It follows the log from its last position. Rows and position are written together, so that it can
stop at any time. An event whose identity is known is left out, as by every engine.

Code defines the canonical form of an identifier and the form of an event, so an index of an earlier
version may have others. They are computed again from the stored events once, when the index is
opened.

The tables of the interface are here: the index, which can be rebuilt from the log, capture jobs,
named queries and their subscriptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import sqlalchemy as sql

from tocsin.events.codecs.base.cloudevents import decode, encode
from tocsin.events.codecs.epcis.event import common_keys, own_type
from tocsin.events.codecs.epcis.event_schema import from_former_form
from tocsin.events.event import Event
from tocsin.events.views.epcis import EpcisData
from tocsin.service.epcis.index_filters import Narrowing, TermFilter, TimeFilter, terms_of
from tocsin.values.time import Instant, format_instant, parse_instant

METADATA = sql.MetaData()

PROGRESS = sql.Table(
    "epcis_progress",
    METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("position", sql.BigInteger, nullable=False),
    sql.Column("number", sql.BigInteger, nullable=False),
)
"""Progress of the index: the last position of the log, and the last number of an event."""

SCHEMA = sql.Table(
    "epcis_schema",
    METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("version", sql.Integer, nullable=False),
)
"""Version of the canonical form of indexed values; an index without it is older."""

EVENTS = sql.Table(
    "epcis_events",
    METADATA,
    sql.Column("number", sql.BigInteger, primary_key=True, autoincrement=False),
    sql.Column("position", sql.BigInteger, nullable=False, index=True),
    sql.Column("source", sql.Text, nullable=False),
    sql.Column("id", sql.Text, nullable=False),
    sql.Column("event_time", sql.BigInteger, nullable=False),
    sql.Column("record_time", sql.BigInteger, nullable=False),
    sql.Column("body", sql.Text, nullable=False),
    sql.Index("epcis_events_identity", "source", "id", unique=True),
    sql.Index("epcis_events_by_event_time", "event_time", "number"),
    sql.Index("epcis_events_by_record_time", "record_time", "number"),
)
"""Events in the order of the log, numbered in ascending order."""

TERMS = sql.Table(
    "epcis_terms",
    METADATA,
    sql.Column("field", sql.Text, primary_key=True),
    sql.Column("value", sql.Text, primary_key=True),
    sql.Column("number", sql.BigInteger, primary_key=True, autoincrement=False, index=True),
    sql.Column("written", sql.Text, nullable=False),
)
"""Values of fields, with the numbers of their events."""

JOBS = sql.Table(
    "epcis_capture_jobs",
    METADATA,
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
    sql.Column("id", sql.Text, nullable=False, unique=True),
    sql.Column("tenant", sql.Text, nullable=False, index=True),
    sql.Column("body", sql.Text, nullable=False),
)

QUERIES = sql.Table(
    "epcis_queries",
    METADATA,
    sql.Column("tenant", sql.Text, primary_key=True),
    sql.Column("name", sql.Text, primary_key=True),
    sql.Column("body", sql.Text, nullable=False),
)

SUBSCRIPTIONS = sql.Table(
    "epcis_subscriptions",
    METADATA,
    sql.Column("id", sql.Text, primary_key=True),
    sql.Column("tenant", sql.Text, nullable=False),
    sql.Column("query", sql.Text, nullable=False),
    sql.Column("body", sql.Text, nullable=False),
    sql.Column("cursor", sql.BigInteger, nullable=False),
    sql.Column("due", sql.BigInteger, nullable=True),
    sql.Column("notified", sql.BigInteger, nullable=True),
    sql.Index("epcis_subscriptions_of_query", "tenant", "query"),
)
"""Subscriptions of queries: the request, the number up to which events were sent, the next due
time, and when the receiver last accepted a document.
"""


VERSION = 1
"""Version of the canonical form. Version 1 escapes the characters of a key uniformly, and has
QuantityEvents as a kind of their own; an index without a version may have neither.
"""

_EVENTS_AT_ONCE = 500
"""Events whose rows are in memory together."""


def term_rows(attributes: Mapping[str, Any], number: int) -> list[dict[str, Any]]:
    """Return the rows of the table of terms for an event with a number."""
    found = {(field, value): written for field, value, written in terms_of(attributes)}
    return [
        {"field": field, "value": value, "number": number, "written": written}
        for (field, value), written in found.items()
    ]


def upgrade_index(connection: sql.Connection) -> None:
    """Bring the index of an earlier version to the current form, in one transaction.

    If several services open one database at a time, the others wait for the first.
    """
    connection.execute(sql.select(PROGRESS.c.position).with_for_update()).all()
    known = connection.execute(sql.select(SCHEMA.c.version)).scalar()
    if known is not None and known >= VERSION:
        return
    after = 0
    while rows := _events_after(connection, after):
        for number, body in rows:
            _upgrade_event(connection, number, body)
        after = rows[-1][0]
    connection.execute(SCHEMA.delete())
    connection.execute(SCHEMA.insert().values(one=1, version=VERSION))


def _events_after(connection: sql.Connection, number: int) -> list[tuple[int, str]]:
    asked = sql.select(EVENTS.c.number, EVENTS.c.body).where(EVENTS.c.number > number)
    found = connection.execute(asked.order_by(EVENTS.c.number).limit(_EVENTS_AT_ONCE))
    return [(each.number, each.body) for each in found]


def _upgrade_event(connection: sql.Connection, number: int, body: str) -> None:
    """Write the terms and the envelope of an event again if the current form differs."""
    event = decode(body)
    attributes = from_former_form(dict(event.attributes))
    mine = TERMS.c.number == number
    stored = connection.execute(sql.select(TERMS.c.field, TERMS.c.value).where(mine))
    rows = term_rows(attributes, number)
    if {tuple(row) for row in stored} != {(row["field"], row["value"]) for row in rows}:
        connection.execute(TERMS.delete().where(mine))
        if rows:
            connection.execute(TERMS.insert(), rows)
    keys = {"type": own_type(attributes, event.envelope), **common_keys(attributes)}
    envelope = {**event.envelope, **keys}
    if envelope != event.envelope or attributes != event.attributes:
        told = Event(envelope, attributes, event.interval, event.place_source)
        change = EVENTS.update().where(EVENTS.c.number == number)
        connection.execute(change.values(body=encode(told)))


MAX_VALUES = 400
"""Values of one field that are looked up, at most; with more, every event is a candidate."""


class ConnectionProvider(Protocol):
    """Connections for reading and for atomic writing."""

    def reading(self) -> AbstractContextManager[sql.Connection]:
        """Return a connection for reading."""

    def writing(self) -> AbstractContextManager[sql.Connection]:
        """Return a connection whose changes are all committed, or none."""


@dataclass(frozen=True, slots=True)
class Logged:
    """EPCIS events of one row of the log, with its position and receive time."""

    position: int
    recorded: Instant
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Indexed:
    """An event of the index, with its number and its times."""

    number: int
    event_time: Instant
    record_time: Instant
    event: Event


@dataclass(frozen=True, slots=True)
class SortOrder:
    """Order of events by a time field, or by number if `by` is empty; the number settles ties."""

    by: str = ""
    descending: bool = False

    def key(self, found: Indexed) -> tuple[int, ...]:
        """Return the sort key of an event."""
        if not self.by:
            return (found.number,)
        return (found.event_time if self.by == "eventTime" else found.record_time, found.number)


_COLUMNS = {"eventTime": EVENTS.c.event_time, "recordTime": EVENTS.c.record_time}
_COMPARED = {
    "<": lambda column, limit: column < limit,
    "<=": lambda column, limit: column <= limit,
    ">": lambda column, limit: column > limit,
    ">=": lambda column, limit: column >= limit,
}


class EventIndex:
    """The searchable EPCIS events of the log."""

    def __init__(self, database: ConnectionProvider) -> None:
        self._database = database
        with database.writing() as connection:
            if connection.execute(sql.select(PROGRESS.c.position)).first() is None:
                connection.execute(PROGRESS.insert().values(one=1, position=0, number=0))
            upgrade_index(connection)

    def position(self) -> int:
        """Return the position of the log up to which events are indexed."""
        with self._database.reading() as connection:
            return int(connection.execute(sql.select(PROGRESS.c.position)).scalar_one())

    def last_number(self) -> int:
        """Return the number of the newest event."""
        with self._database.reading() as connection:
            return int(connection.execute(sql.select(PROGRESS.c.number)).scalar_one())

    def number_before(self, moment: Instant) -> int:
        """Return the number of the last event recorded before an instant, or 0."""
        asked = sql.select(sql.func.max(EVENTS.c.number)).where(EVENTS.c.record_time < moment)
        with self._database.reading() as connection:
            return int(connection.execute(asked).scalar() or 0)

    def extend(self, after: int, until: int, rows: Iterable[Logged]) -> bool:
        """Add the rows of the log between two positions; False if another process did already."""
        with self._database.writing() as connection:
            moved = connection.execute(
                PROGRESS.update().where(PROGRESS.c.position == after).values(position=until)
            )
            if moved.rowcount == 0:
                return False
            number = int(connection.execute(sql.select(PROGRESS.c.number)).scalar_one())
            for row in rows:
                number = _add(connection, row, number)
            connection.execute(PROGRESS.update().values(number=number))
            return True

    def skip_to(self, number: int) -> None:
        """Continue the numbers of events after this one, at least."""
        with self._database.writing() as connection:
            behind = PROGRESS.c.number < number
            connection.execute(PROGRESS.update().where(behind).values(number=number))

    def forget(self, before: int) -> None:
        """Remove the events of rows before a position, which the log no longer has."""
        gone = sql.select(EVENTS.c.number).where(EVENTS.c.position < before)
        with self._database.writing() as connection:
            connection.execute(TERMS.delete().where(TERMS.c.number.in_(gone)))
            connection.execute(EVENTS.delete().where(EVENTS.c.position < before))

    def find(
        self,
        narrowings: Sequence[Narrowing],
        order: SortOrder,
        after: tuple[int, ...],
        until: int,
        limit: int,
    ) -> list[Indexed]:
        """Return at most `limit` candidates with a number up to `until`, in an order, after a key
        of that order.
        """
        asked = sql.select(EVENTS).where(EVENTS.c.number <= until, *map(_test, narrowings))
        columns = [_COLUMNS[order.by], EVENTS.c.number] if order.by else [EVENTS.c.number]
        if after:
            row, key = sql.tuple_(*columns), sql.tuple_(*after)
            asked = asked.where(row < key if order.descending else row > key)
        ordered = [column.desc() if order.descending else column for column in columns]
        with self._database.reading() as connection:
            found = connection.execute(asked.order_by(*ordered).limit(limit)).all()
        return [_indexed(row) for row in found]

    def terms(self, field: str, after: str, limit: int) -> list[tuple[str, str]]:
        """Return at most `limit` values of a field after a value: in canonical form, and as one
        event writes them.
        """
        asked = (
            sql.select(TERMS.c.value, sql.func.min(TERMS.c.written))
            .where(TERMS.c.field == field, TERMS.c.value > after)
            .group_by(TERMS.c.value)
            .order_by(TERMS.c.value)
            .limit(limit)
        )
        with self._database.reading() as connection:
            return [(value, written) for value, written in connection.execute(asked)]

    def has(self, field: str, value: str) -> bool:
        """True if an event has the value, in canonical form, in the field."""
        asked = sql.select(TERMS.c.number).where(TERMS.c.field == field, TERMS.c.value == value)
        with self._database.reading() as connection:
            return connection.execute(asked.limit(1)).first() is not None


def _add(connection: sql.Connection, row: Logged, number: int) -> int:
    """Add the events of a row; return the last number used."""
    for event in row.events:
        if _is_there(connection, event):
            continue
        number += 1
        told = add_record_fields(event, row.recorded)
        times = [parse_instant(str(told.attributes[name])) for name in ("eventTime", "recordTime")]
        connection.execute(
            EVENTS.insert().values(
                number=number,
                position=row.position,
                source=event.source,
                id=event.id,
                event_time=times[0],
                record_time=times[1],
                body=encode(told),
            )
        )
        if found := term_rows(told.attributes, number):
            connection.execute(TERMS.insert(), found)
    return number


def add_record_fields(event: Event, moment: Instant) -> Event:
    """Return the event as stored in the repository: with a recordTime and an eventID."""
    given = dict(event.attributes)
    given.setdefault("recordTime", format_instant(moment))
    given.setdefault("eventID", event.id)
    return Event(event.envelope, EpcisData(given), event.interval, event.place_source)


def _is_there(connection: sql.Connection, event: Event) -> bool:
    asked = sql.select(EVENTS.c.number).where(
        EVENTS.c.source == event.source, EVENTS.c.id == event.id
    )
    return connection.execute(asked).first() is not None


def _test(narrowing: Narrowing) -> sql.ColumnElement[bool]:
    match narrowing:
        case TimeFilter(field, relation, instant):
            found: sql.ColumnElement[bool] = _COMPARED[relation](_COLUMNS[field], instant)
            return found
        case TermFilter(_, values) if len(values) > MAX_VALUES:
            return sql.true()
        case TermFilter(field, values):
            return EVENTS.c.number.in_(
                sql.select(TERMS.c.number).where(
                    TERMS.c.field == field, TERMS.c.value.in_(sorted(values))
                )
            )


def _indexed(row: Any) -> Indexed:
    event = decode(row.body)
    told = Event(
        event.envelope, EpcisData(dict(event.attributes)), event.interval, event.place_source
    )
    return Indexed(row.number, row.event_time, row.record_time, told)
