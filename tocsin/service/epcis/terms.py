"""The rows of the index that hold values in canonical form, and their upgrade.

Code defines the canonical form of an identifier and the form of an event, so an index of an earlier
version may have others. They are computed again from the stored events once, when the index is
opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sql

from tocsin.events.codecs.base.cloudevents import decode, encode
from tocsin.events.codecs.epcis.event import common_keys, own_type
from tocsin.events.codecs.epcis.quantity_event import from_former_form
from tocsin.events.event import Event
from tocsin.service.epcis.index_filters import terms_of
from tocsin.service.epcis.tables import EVENTS, PROGRESS, SCHEMA, TERMS

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
