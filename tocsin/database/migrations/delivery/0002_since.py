"""The version of the catalog that a cursor began with, added where it is missing."""

from __future__ import annotations

import sqlalchemy as sql
from alembic import op

revision = "0002"
down_revision = "0001"

BIG = sql.BigInteger().with_variant(sql.Integer, "sqlite")


def upgrade() -> None:
    """Bring the tables to this version."""
    columns = {each["name"] for each in sql.inspect(op.get_bind()).get_columns("tocsin_deliveries")}
    if "since" not in columns:
        since = sql.Column("since", BIG, nullable=False, server_default="0")
        op.add_column("tocsin_deliveries", since)
