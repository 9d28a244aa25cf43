"""Matches, dead letters, keys and the progress of runners.

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
        "tocsin_sequences",
        sql.Column("name", sql.Text, primary_key=True),
        sql.Column("position", BIG, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_matches",
        sql.Column("position", BIG, primary_key=True, autoincrement=False),
        sql.Column("id", sql.Text, nullable=False, unique=True),
        sql.Column("tenant", sql.Text, nullable=False),
        sql.Column("subscription", sql.Text, nullable=False),
        sql.Column("detected", BIG),
        sql.Column("stored", BIG, nullable=False),
        sql.Column("body", sql.Text, nullable=False),
        sql.Column("members", sql.Text, nullable=False),
        sql.Column("version", BIG, nullable=False),
        if_not_exists=True,
    )
    op.create_index("ix_tocsin_matches_stored", "tocsin_matches", ["stored"], if_not_exists=True)
    op.create_index(
        "tocsin_matches_whose",
        "tocsin_matches",
        ["tenant", "subscription", "position"],
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_dead_letters",
        sql.Column("position", BIG, primary_key=True, autoincrement=False),
        sql.Column("tenant", sql.Text, nullable=False),
        sql.Column("subscription", sql.Text),
        sql.Column("code", sql.Text, nullable=False),
        sql.Column("reason", sql.Text, nullable=False),
        sql.Column("input", sql.Text, nullable=False),
        sql.Column("event", BIG),
        sql.Column("stored", BIG, nullable=False),
        sql.Column("replayed", BIG),
        if_not_exists=True,
    )
    op.create_index(
        "ix_tocsin_dead_letters_stored", "tocsin_dead_letters", ["stored"], if_not_exists=True
    )
    op.create_index(
        "tocsin_dead_letters_whose",
        "tocsin_dead_letters",
        ["tenant", "position"],
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_relays",
        sql.Column("name", sql.Text, primary_key=True),
        sql.Column("position", BIG, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_runners",
        sql.Column("name", sql.Text, primary_key=True),
        sql.Column("position", BIG, nullable=False),
        sql.Column("step", BIG, nullable=False),
        sql.Column("version", BIG, nullable=False),
        sql.Column("saved", BIG, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_steps",
        sql.Column("runner", sql.Text, primary_key=True),
        sql.Column("number", BIG, primary_key=True, autoincrement=False),
        sql.Column("until", BIG, nullable=False),
        sql.Column("now", BIG, nullable=False),
        sql.Column("version", BIG, nullable=False),
        sql.Column("resumes", sql.Boolean, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_snapshots",
        sql.Column("runner", sql.Text, primary_key=True),
        sql.Column("step", BIG, nullable=False),
        sql.Column("position", BIG, nullable=False),
        sql.Column("taken", BIG, nullable=False),
        sql.Column("body", sql.LargeBinary, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_generations",
        sql.Column("runner", sql.Text, primary_key=True),
        sql.Column("step", BIG, primary_key=True, autoincrement=False),
        sql.Column("position", BIG, nullable=False),
        sql.Column("taken", BIG, nullable=False),
        sql.Column("checksum", sql.Text, nullable=False),
        sql.Column("body", sql.LargeBinary, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_troubles",
        sql.Column("subscription", sql.Text, primary_key=True),
        sql.Column("code", sql.Text, nullable=False),
        sql.Column("reason", sql.Text, nullable=False),
        sql.Column("stored", BIG, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_paused",
        sql.Column("subscription", sql.Text, primary_key=True),
        sql.Column("body", sql.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "tocsin_keys",
        sql.Column("id", sql.Text, primary_key=True),
        sql.Column("hash", sql.Text, nullable=False, unique=True),
        sql.Column("tenant", sql.Text, nullable=False),
        sql.Column("scopes", sql.Text, nullable=False),
        sql.Column("rate", sql.Integer),
        sql.Column("created", BIG, nullable=False),
        sql.Column("revoked", BIG),
        if_not_exists=True,
    )
