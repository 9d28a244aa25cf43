"""Positions of versions in the log of a service, made where they are missing.

Versions that were made before have no known position: they hold from the beginning of the log.
"""

from __future__ import annotations

import sqlalchemy as sql
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Bring the tables to this version."""
    if sql.inspect(op.get_bind()).has_table("tocsin_change"):
        return
    op.create_table(
        "tocsin_change",
        sql.Column("version", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("position", sql.BigInteger, nullable=False),
    )
    op.execute(
        "INSERT INTO tocsin_change (version, position)"
        " SELECT version, 0 FROM tocsin_version WHERE version > 0"
    )
