"""The delivery cursors that the catalog requires, version by version: a change is made in the
catalog, and cursors follow. After a failure or a crash, work resumes at the last version taken
over.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tocsin.catalog import Catalog, Changes, Subscription
from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem
from tocsin.service.delivery.cursor import Key
from tocsin.service.delivery.store import DeliveryStore, WantedLine
from tocsin.service.storage.results import MatchStore

LOGGER = logging.getLogger(__name__)

_PERSIST_AFTER = 100
"""Versions without a change of delivery that are noted in memory only."""


class CatalogLines:
    """The delivery cursors of a catalog.

    `delivers` returns True for a target, and raises Problem for one that cannot be served. May be
    used from several threads; several processes may follow the same catalog.
    """

    def __init__(
        self,
        catalog: Catalog,
        store: DeliveryStore,
        matches: MatchStore,
        delivers: Callable[[Mapping[str, Any] | None], bool],
    ) -> None:
        self._catalog, self._store, self._matches = catalog, store, matches
        self._delivers = delivers
        self._lock = threading.Lock()
        self._known: int | None = None
        self._saved = 0

    def follow(self) -> None:
        """Take over all versions that the catalog has by now; raise Problem if a store cannot be
        used.
        """
        with self._lock:
            newest = self._catalog.version()
            if self._known is None:
                self._known = self._saved = self._begin(newest)
            while self._known < newest:
                self._take_over(self._known + 1)
                self._known += 1
            if self._known - self._saved >= _PERSIST_AFTER:
                self._persist()

    def renew(self) -> int:
        """Rebuild all cursors from the catalog after a loss; return how many deliver."""
        with self._lock:
            newest = self._catalog.version()
            self._store.forget_followed()  # the noted version may have survived the loss
            count = self._take_over_all(newest)
            self._known = self._saved = newest
            return count

    def save(self) -> None:
        """Store the version taken over last, so that the next process need not repeat the work."""
        with self._lock:
            try:
                self._persist()
            except Problem as problem:
                LOGGER.warning("how far the catalog was followed is not saved: %s", problem)

    def _persist(self) -> None:
        if self._known is not None and self._known > self._saved:
            self._store.follow(self._known, ())
            self._saved = self._known

    def _begin(self, newest: int) -> int:
        """Return the version taken over last; the first time, take over the newest version."""
        known = self._store.followed()
        if known is None:
            self._take_over_all(newest)
        return newest if known is None else known

    def _take_over_all(self, version: int) -> int:
        """Set all cursors as a version requires, whatever there was; return how many deliver."""
        held = self._catalog.snapshot(version)
        wanted = self._wanted(held.subscriptions, held.paused, version)
        gone = self._store.keys() - {each.key for each in wanted}
        self._store.follow(version, wanted, gone)
        return sum(each.deliver is not None for each in wanted)

    def _take_over(self, version: int) -> None:
        changes = self._catalog.changes(version - 1, version)
        wanted = self._wanted(changes.added, changes.paused, version)
        keys = {each.key for each in wanted}
        removed = [key for key in _removed(changes) if key not in keys]
        concerned = {each.key for each in wanted if each.deliver is None} | set(removed)
        if any(each.deliver is not None for each in wanted) or self._is_delivered(concerned):
            self._store.follow(version, wanted, removed)
            self._saved = version

    def _is_delivered(self, keys: Iterable[Key]) -> bool:
        return any(self._store.get(key) is not None for key in keys)

    def _wanted(
        self, active: Iterable[Subscription], paused: Iterable[Subscription], version: int
    ) -> list[WantedLine]:
        return [
            *(self._line(each, version) for each in active),
            *(self._line(each, version, paused=True) for each in paused),
        ]

    def _line(
        self, subscription: Subscription, version: int, *, paused: bool = False
    ) -> WantedLine:
        whose = Owned.of_key(subscription.id)
        key = (whose.tenant, whose.name)
        deliver = subscription.deliver if self._is_deliverable(subscription) else None
        newest = 0 if deliver is None else self._matches.head_before(*key, version)
        return WantedLine(key, deliver, paused, newest)

    def _is_deliverable(self, subscription: Subscription) -> bool:
        """True if matches have a target; the command line may have stored one that cannot be
        served.
        """
        try:
            return self._delivers(subscription.deliver)
        except Problem as problem:
            LOGGER.warning("subscription %r is not delivered: %s", subscription.id, problem)
            return False


def _removed(changes: Changes) -> list[Key]:
    owned = [Owned.of_key(id) for id in (*changes.removed, *changes.unpaused)]
    return [(each.tenant, each.name) for each in owned]
