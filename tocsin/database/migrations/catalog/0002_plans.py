"""Plans of subscriptions beside their texts, made where they are missing."""

from __future__ import annotations

import sqlalchemy as sql
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Bring the tables to this version."""
    op.create_table(
        "tocsin_plan",
        sql.Column("name", sql.Text, primary_key=True),
        sql.Column("version", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("origin", sql.Text, nullable=False),
        sql.Column("wire", sql.Text, nullable=False),
        if_not_exists=True,
    )
