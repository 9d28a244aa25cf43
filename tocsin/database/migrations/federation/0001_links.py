"""The name of the server and a cursor for each upstream.

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
        "federation_name",
        sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("name", sql.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "federation_cursors",
        sql.Column("url", sql.Text, primary_key=True),
        sql.Column("server", sql.Text, nullable=False),
        sql.Column("position", sql.BigInteger, nullable=False),
        if_not_exists=True,
    )
