"""Every table of the service. Instants are microseconds since 1970; positions rise from 1 without
gaps.

The log of events may be in another database than the rest. By default each is a SQLite file of its
own, so that accepting and matching never wait for each other.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sql

LOG_METADATA = sql.MetaData()
METADATA = sql.MetaData()

BIG = sql.BigInteger().with_variant(sql.Integer, "sqlite")
"""64-bit integer that is the row id in SQLite where it is the primary key."""


def _column(name: str, kind: Any, **options: Any) -> sql.Column[Any]:
    return sql.Column(name, kind, nullable=False, **options)


HEADS = sql.Table(
    "tocsin_heads",
    LOG_METADATA,
    sql.Column("name", sql.Text, primary_key=True),
    _column("position", BIG),
    _column("instant", BIG),
)
"""Last position and instant of a log; a writer updates the row first, so that writers queue."""

EVENTS = sql.Table(
    "tocsin_events",
    LOG_METADATA,
    sql.Column("position", BIG, primary_key=True, autoincrement=False),
    _column("received", BIG, index=True),
    _column("tenant", sql.Text),
    _column("body", sql.LargeBinary),
    sql.Column("code", sql.Text),
    sql.Column("reason", sql.Text),
)
"""The log: each row is one CloudEvents JSON text, as received or wrapped around the received
document. A row with a `code` was refused and becomes a dead letter.
"""

INTAKE = sql.Table(
    "tocsin_intake",
    LOG_METADATA,
    sql.Column("name", sql.Text, primary_key=True),
    sql.Column("part", sql.Text, primary_key=True),
    _column("position", BIG),
)
"""Offsets of external sources such as Kafka topics: the next position of each part, updated in the
transaction that appends its records.
"""

SEQUENCES = sql.Table(
    "tocsin_sequences",
    METADATA,
    sql.Column("name", sql.Text, primary_key=True),
    _column("position", BIG),
)
"""Last positions of matches and dead letters; a writer updates the row first."""

MATCHES = sql.Table(
    "tocsin_matches",
    METADATA,
    sql.Column("position", BIG, primary_key=True, autoincrement=False),
    _column("id", sql.Text, unique=True),
    _column("tenant", sql.Text),
    _column("subscription", sql.Text),
    sql.Column("detected", BIG),
    _column("stored", BIG, index=True),
    _column("body", sql.Text),
    _column("members", sql.Text),
    _column("version", BIG),
    sql.Index("tocsin_matches_whose", "tenant", "subscription", "position"),
)
"""Matches in the fixed format. `members` is a JSON list: the log position of each event, or the
event itself if it was never in the log.
"""

DEAD_LETTERS = sql.Table(
    "tocsin_dead_letters",
    METADATA,
    sql.Column("position", BIG, primary_key=True, autoincrement=False),
    _column("tenant", sql.Text),
    sql.Column("subscription", sql.Text),
    _column("code", sql.Text),
    _column("reason", sql.Text),
    _column("input", sql.Text),
    sql.Column("event", BIG),
    _column("stored", BIG, index=True),
    sql.Column("replayed", BIG),
    sql.Index("tocsin_dead_letters_whose", "tenant", "position"),
)
"""Events and matches that could not be processed; `event` is the log position of the event, if
there is one.
"""

RELAYS = sql.Table(
    "tocsin_relays",
    METADATA,
    sql.Column("name", sql.Text, primary_key=True),
    _column("position", BIG),
)
"""Positions up to which rows were relayed to a broker."""

RUNNERS = sql.Table(
    "tocsin_runners",
    METADATA,
    sql.Column("name", sql.Text, primary_key=True),
    _column("position", BIG),
    _column("step", BIG),
    _column("version", BIG),
    _column("saved", BIG),
)
"""Progress of each runner: position in the log, own step, version of the catalog."""

STEPS = sql.Table(
    "tocsin_steps",
    METADATA,
    sql.Column("runner", sql.Text, primary_key=True),
    sql.Column("number", BIG, primary_key=True, autoincrement=False),
    _column("until", BIG),
    _column("now", BIG),
    _column("version", BIG),
    _column("resumes", sql.Boolean),
)
"""Steps of a runner since its oldest snapshot; repeated, they give the same state."""

SNAPSHOTS = sql.Table(
    "tocsin_snapshots",
    METADATA,
    sql.Column("runner", sql.Text, primary_key=True),
    _column("step", BIG),
    _column("position", BIG),
    _column("taken", BIG),
    _column("body", sql.LargeBinary),
)
"""Snapshots of earlier versions; the next one is stored in `GENERATIONS`."""

GENERATIONS = sql.Table(
    "tocsin_generations",
    METADATA,
    sql.Column("runner", sql.Text, primary_key=True),
    sql.Column("step", BIG, primary_key=True, autoincrement=False),
    _column("position", BIG),
    _column("taken", BIG),
    _column("checksum", sql.Text),
    _column("body", sql.LargeBinary),
)
"""The two newest snapshots of each runner, with their checksums."""

TROUBLES = sql.Table(
    "tocsin_troubles",
    METADATA,
    sql.Column("subscription", sql.Text, primary_key=True),
    _column("code", sql.Text),
    _column("reason", sql.Text),
    _column("stored", BIG),
)
"""Suspended subscriptions of the catalog, and why."""

PAUSED = sql.Table(
    "tocsin_paused",
    METADATA,
    sql.Column("subscription", sql.Text, primary_key=True),
    _column("body", sql.Text),
)
"""Subscriptions that an earlier release took out of the catalog while they were paused; the service
moves them back when it opens.
"""

KEYS = sql.Table(
    "tocsin_keys",
    METADATA,
    sql.Column("id", sql.Text, primary_key=True),
    _column("hash", sql.Text, unique=True),
    _column("tenant", sql.Text),
    _column("scopes", sql.Text),
    sql.Column("rate", sql.Integer),
    _column("created", BIG),
    sql.Column("revoked", BIG),
)
"""API keys, stored as hashes."""
