"""The log of events, its head and the offsets of sources.

Makes what is missing, as databases were there before their versions.
"""

from __future__ import annotations

import sqlalchemy as sql
from alembic import op

revision = "0001"
down_revision = None

BIG = sql.BigInteger().with_variant(sql.Integer, "sqlite")


def upgrade() -> None:
    """Bring the tables to this version."""
    op.create_table(
        "tocsin_heads",
        sql.Column("name", sql.Text, primary_key=True),
        sql.Column("position", BIG, nullable=False),
        sql.Column("instant", BIG, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_events",
        sql.Column("position", BIG, primary_key=True, autoincrement=False),
        sql.Column("received", BIG, nullable=False),
        sql.Column("tenant", sql.Text, nullable=False),
        sql.Column("body", sql.LargeBinary, nullable=False),
        sql.Column("code", sql.Text),
        sql.Column("reason", sql.Text),
        if_not_exists=True,
    )
    op.create_index("ix_tocsin_events_received", "tocsin_events", ["received"], if_not_exists=True)
    op.create_table(
        "tocsin_intake",
        sql.Column("name", sql.Text, primary_key=True),
        sql.Column("part", sql.Text, primary_key=True),
        sql.Column("position", BIG, nullable=False),
        if_not_exists=True,
    )
