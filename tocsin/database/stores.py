"""The stores that the product keeps in databases, and the newest version of the tables of each.

On PostgreSQL several stores share a database, so each has a version of its own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Store:
    """A store: its name, the number of its newest migration, and a table that every version has."""

    name: str
    version: int
    table: str

    @property
    def version_table(self) -> str:
        """Name of the table that holds the version."""
        return f"tocsin_schema_{self.name}"


CATALOG = Store("catalog", 3, "tocsin_version")
LOG = Store("log", 1, "tocsin_heads")
STATE = Store("state", 1, "tocsin_sequences")
DELIVERY = Store("delivery", 2, "tocsin_deliveries")
EPCIS = Store("epcis", 1, "epcis_progress")
FEDERATION = Store("federation", 1, "federation_name")

STORES = (CATALOG, LOG, STATE, DELIVERY, EPCIS, FEDERATION)
