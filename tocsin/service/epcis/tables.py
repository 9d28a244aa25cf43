"""The tables of the EPCIS interface: an index over the event log, capture jobs, named queries and
their subscriptions. The index can be rebuilt from the log.
"""

from __future__ import annotations

import sqlalchemy as sql

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
