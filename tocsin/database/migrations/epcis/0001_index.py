"""The index of EPCIS events, capture jobs, named queries and their subscriptions.

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
        "epcis_progress",
        sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("position", sql.BigInteger, nullable=False),
        sql.Column("number", sql.BigInteger, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "epcis_schema",
        sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("version", sql.Integer, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "epcis_events",
        sql.Column("number", sql.BigInteger, primary_key=True, autoincrement=False),
        sql.Column("position", sql.BigInteger, nullable=False),
        sql.Column("source", sql.Text, nullable=False),
        sql.Column("id", sql.Text, nullable=False),
        sql.Column("event_time", sql.BigInteger, nullable=False),
        sql.Column("record_time", sql.BigInteger, nullable=False),
        sql.Column("body", sql.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_index("ix_epcis_events_position", "epcis_events", ["position"], if_not_exists=True)
    op.create_index(
        "epcis_events_identity", "epcis_events", ["source", "id"], unique=True, if_not_exists=True
    )
    op.create_index(
        "epcis_events_by_event_time", "epcis_events", ["event_time", "number"], if_not_exists=True
    )
    op.create_index(
        "epcis_events_by_record_time", "epcis_events", ["record_time", "number"], if_not_exists=True
    )
    op.create_table(
        "epcis_terms",
        sql.Column("field", sql.Text, primary_key=True),
        sql.Column("value", sql.Text, primary_key=True),
        sql.Column("number", sql.BigInteger, primary_key=True, autoincrement=False),
        sql.Column("written", sql.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_index("ix_epcis_terms_number", "epcis_terms", ["number"], if_not_exists=True)
    op.create_table(
        "epcis_capture_jobs",
        sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
        sql.Column("id", sql.Text, nullable=False, unique=True),
        sql.Column("tenant", sql.Text, nullable=False),
        sql.Column("body", sql.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_index(
        "ix_epcis_capture_jobs_tenant", "epcis_capture_jobs", ["tenant"], if_not_exists=True
    )
    op.create_table(
        "epcis_queries",
        sql.Column("tenant", sql.Text, primary_key=True),
        sql.Column("name", sql.Text, primary_key=True),
        sql.Column("body", sql.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "epcis_subscriptions",
        sql.Column("id", sql.Text, primary_key=True),
        sql.Column("tenant", sql.Text, nullable=False),
        sql.Column("query", sql.Text, nullable=False),
        sql.Column("body", sql.Text, nullable=False),
        sql.Column("cursor", sql.BigInteger, nullable=False),
        sql.Column("due", sql.BigInteger),
        sql.Column("notified", sql.BigInteger),
        if_not_exists=True,
    )
    op.create_index(
        "epcis_subscriptions_of_query",
        "epcis_subscriptions",
        ["tenant", "query"],
        if_not_exists=True,
    )
