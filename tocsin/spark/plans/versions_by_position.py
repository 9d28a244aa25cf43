"""Versions of a catalog by position of a log: a micro-batch ends where the next version begins."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from tocsin.catalog import Catalog, ReadPosition
from tocsin.spark.plans.catalog_version import shared_catalog


class VersionsByPosition:
    """The versions of a catalog that have a position, each read once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._versions: list[int] = []
        self._positions: list[int] = []

    def refresh(self, head: ReadPosition | None = None) -> None:
        """Read new versions; with `head`, a change without a position gets the head of the log."""
        if head is not None:
            self._catalog.place(head)
        for each in self._catalog.placed(self._versions[-1] if self._versions else 0):
            self._versions.append(each.version)
            self._positions.append(each.position)

    def at(self, position: int) -> int:
        """Return the version that an event at a position is matched with; 0 before the first."""
        number = bisect_left(self._positions, position)
        return self._versions[number - 1] if number else 0

    def end_of(self, position: int) -> int | None:
        """Return the last position of the version that holds after `position`; None if none is
        known yet.
        """
        number = bisect_right(self._positions, position)
        return self._positions[number] if number < len(self._positions) else None

    def newest(self) -> int:
        """Return the newest version of the catalog."""
        return self._catalog.version()


def open_versions(url: str) -> VersionsByPosition:
    """Return the versions of the catalog behind a URL, in any process."""
    return VersionsByPosition(shared_catalog(url))
