"""The log of entries and the number of the newest version.

Makes what is missing, as databases were there before their versions.
"""

from __future__ import annotations

import sqlalchemy as sql
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Bring the tables to this version."""
    op.create_table(
        "tocsin_version",
        sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("version", sql.Integer, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_log",
        sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
        sql.Column("version", sql.Integer, nullable=False),
        sql.Column("name", sql.Text, nullable=False),
        sql.Column("body", sql.Text),
        if_not_exists=True,
    )
    op.create_index("ix_tocsin_log_version", "tocsin_log", ["version"], if_not_exists=True)
    op.create_index("ix_tocsin_log_name", "tocsin_log", ["name"], if_not_exists=True)
    op.execute(
        "INSERT INTO tocsin_version (one, version)"
        " SELECT 1, 0 WHERE NOT EXISTS (SELECT 1 FROM tocsin_version)"
    )
