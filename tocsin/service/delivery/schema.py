"""Tables of delivery cursors. With SQLite they have a database of their own, so that matching and
delivering never wait for each other.
"""

from __future__ import annotations

import sqlalchemy as sql

METADATA = sql.MetaData()

BIG = sql.BigInteger().with_variant(sql.Integer, "sqlite")

DELIVERIES = sql.Table(
    "tocsin_deliveries",
    METADATA,
    sql.Column("tenant", sql.Text, primary_key=True),
    sql.Column("subscription", sql.Text, primary_key=True),
    sql.Column("deliver", sql.Text, nullable=False),
    sql.Column("changed", BIG, nullable=False, index=True),
    sql.Column("paused", sql.Boolean, nullable=False, default=False),
    sql.Column("position", BIG, nullable=False),
    sql.Column("failed", sql.Integer, nullable=False, default=0),
    sql.Column("not_before", BIG, nullable=False, default=0),
    sql.Column("reason", sql.Text),
    sql.Column("ended", sql.Text),
    sql.Column("delivered", BIG, nullable=False, default=0),
    sql.Column("buried", BIG, nullable=False, default=0),
    sql.Column("generation", sql.Integer, nullable=False, default=1),
    sql.Column("rotated", BIG, nullable=False, default=0),
    sql.Column("moved", BIG, nullable=False, default=0),
    sql.Column("since", BIG, nullable=False, default=0, server_default="0"),
)
"""One row per subscription with a target.

`position` is that of the last match that is delivered or a dead letter. `changed` rises with every
change by the owner, and shows the worker that its copy is old; `moved` is its value when the owner
set the position. The next match has had `failed` attempts, and is not tried before `not_before`.
Matches of catalog versions before `since` are those of an earlier subscription of the same name.
"""

FOLLOWED = sql.Table(
    "tocsin_delivery_followed",
    METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("version", BIG, nullable=False),
)
"""Version of the catalog that the rows above are of; no row if an earlier release wrote them."""

COUNTER = sql.Table(
    "tocsin_delivery_changes",
    METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("changed", BIG, nullable=False),
)
"""Number of the newest change; a writer takes the next one first, so that changes are serialized.
"""
