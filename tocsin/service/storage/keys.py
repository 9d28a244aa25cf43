"""API keys. Only the hash of a key is stored: the key is shown once, when it is created."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

import sqlalchemy as sql

from tocsin.catalog.tenants import require_tenant
from tocsin.database.database import Database
from tocsin.errors import MeaningProblem, StateProblem
from tocsin.runtime.admission import wall_clock
from tocsin.service.storage.schema import KEYS
from tocsin.values.time import Instant

PREFIX = "tocsin"
SCOPES = ("publish", "subscribe", "admin")


@dataclass(frozen=True, slots=True)
class KeptKey:
    """A stored key: tenant, scopes, and its limit of events a second."""

    id: str
    tenant: str
    scopes: frozenset[str]
    rate: int | None
    created: Instant
    revoked: Instant | None = None


class KeyStore:
    """The keys of a service."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, scopes: Iterable[str], tenant: str = "", rate: int | None = None) -> str:
        """Create a key and return it; it cannot be shown again."""
        wanted = _checked(scopes)
        require_tenant(tenant)
        id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        key = f"{PREFIX}_{id}_{secret}"
        with self._database.writing() as connection:
            connection.execute(
                KEYS.insert().values(
                    id=id,
                    hash=_hash(key),
                    tenant=tenant,
                    scopes=",".join(wanted),
                    rate=rate,
                    created=wall_clock(),
                )
            )
        return key

    def find(self, key: str) -> KeptKey | None:
        """Return the record of a key; None if it is unknown or revoked.

        It is found by its hash, so that the time of the query reveals nothing.
        """
        query = sql.select(KEYS).where(KEYS.c.hash == _hash(key), KEYS.c.revoked.is_(None))
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else _kept(row)

    def list_all(self) -> list[KeptKey]:
        """Return all keys, revoked ones included, in the order of creation."""
        with self._database.reading() as connection:
            rows = connection.execute(sql.select(KEYS).order_by(KEYS.c.created)).all()
        return [_kept(row) for row in rows]

    def revoke(self, id: str) -> None:
        """Revoke a key; raise StateProblem if it is unknown."""
        with self._database.writing() as connection:
            changed = connection.execute(
                KEYS.update().where(KEYS.c.id == id).values(revoked=wall_clock())
            )
        if changed.rowcount == 0:
            raise StateProblem(
                f"there is no key {id!r}", code="UnknownKeyError", token=id, hint="tocsin keys list"
            )


def _kept(row: sql.Row[tuple[object, ...]]) -> KeptKey:
    scopes = frozenset(row.scopes.split(","))
    return KeptKey(row.id, row.tenant, scopes, row.rate, row.created, row.revoked)


def _hash(key: str) -> str:
    """Return the hash of a key; a plain one is enough, as keys are random and long."""
    return sha256(key.encode()).hexdigest()


def _checked(scopes: Iterable[str]) -> list[str]:
    wanted = [each.strip() for each in scopes if each.strip()]
    for each in wanted:
        if each not in SCOPES:
            raise MeaningProblem(
                f"scope {each!r} is not known",
                code="ScopeError",
                token=each,
                hint=f"one or more of {', '.join(SCOPES)}",
            )
    if not wanted:
        raise MeaningProblem("a key has a scope", code="ScopeError", hint=f"of {', '.join(SCOPES)}")
    return sorted(set(wanted))
