"""Cursors of deliveries.

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
        "tocsin_deliveries",
        sql.Column("tenant", sql.Text, primary_key=True),
        sql.Column("subscription", sql.Text, primary_key=True),
        sql.Column("deliver", sql.Text, nullable=False),
        sql.Column("changed", BIG, nullable=False),
        sql.Column("paused", sql.Boolean, nullable=False),
        sql.Column("position", BIG, nullable=False),
        sql.Column("failed", sql.Integer, nullable=False),
        sql.Column("not_before", BIG, nullable=False),
        sql.Column("reason", sql.Text),
        sql.Column("ended", sql.Text),
        sql.Column("delivered", BIG, nullable=False),
        sql.Column("buried", BIG, nullable=False),
        sql.Column("generation", sql.Integer, nullable=False),
        sql.Column("rotated", BIG, nullable=False),
        sql.Column("moved", BIG, nullable=False),
        if_not_exists=True,
    )
    op.create_index(
        "ix_tocsin_deliveries_changed", "tocsin_deliveries", ["changed"], if_not_exists=True
    )
    op.create_table(
        "tocsin_delivery_followed",
        sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("version", BIG, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_delivery_changes",
        sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("changed", BIG, nullable=False),
        if_not_exists=True,
    )
