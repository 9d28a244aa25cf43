"""How far the deliveries of each subscription have come. A database of its own where it is SQLite,
so that those who match and those who deliver never wait for each other.
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
"""One row per subscription that is delivered. `position` is that of the last match that is done
with. `changed` is a number that rises with everything that its owner does to the row, and tells the
worker that what it knows is old; `moved` is the one at which the owner set the position. The next
match has `failed` so many times, and is not tried `not_before` an instant. Matches of versions of
the catalog before `since` are those of an earlier subscription of the same name.
"""

FOLLOWED = sql.Table(
    "tocsin_delivery_followed",
    METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("version", BIG, nullable=False),
)
"""The version of the catalog that the rows above are of; without a row where an earlier release
wrote them.
"""

COUNTER = sql.Table(
    "tocsin_delivery_changes",
    METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("changed", BIG, nullable=False),
)
"""The newest number of a change; who changes a row takes the next one first, so that changes come
one after the other.
"""
