"""The catalog in memory, updated by its changes: to list, to count, and to compile new
subscriptions without reading all of it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping

from tocsin.catalog import Catalog, Definition, Subscription, Surroundings
from tocsin.catalog.tenants import Owned


class CatalogCache:
    """The content of the catalog at `version`. To read several things of one version, take `lock`
    and call `refresh` first.

    `own` are definitions that the catalog does not have, such as ontologies of the settings.

    Nothing is compiled under `lock`: `environment`, which may take long after definitions have
    changed, has a lock of its own and must be read without `lock`.
    """

    def __init__(self, catalog: Catalog, own: Iterable[Definition] = ()) -> None:
        self._catalog = catalog
        self._own = {each.name: each for each in own}
        self.lock = threading.RLock()
        self._compiling = threading.Lock()
        self.version = 0
        self.subscriptions: dict[str, Subscription] = {}
        self.paused: dict[str, Subscription] = {}
        self._counts: Counter[str] = Counter()
        self.definitions: Mapping[str, Definition] = {}
        self._environment: tuple[Mapping[str, Definition], Surroundings] | None = None

    @property
    def environment(self) -> Surroundings:
        """Environment that subscriptions are compiled with; made again after definitions have
        changed.
        """
        with self._compiling:
            definitions, known = self.definitions, self._environment
            if known is not None and known[0] is definitions:
                return known[1]
            made = self.make_environment(definitions.values())
            self._environment = (definitions, made)
            return made

    def refresh(self) -> None:
        """Apply the changes of the catalog since `version`."""
        with self.lock:
            version = self._catalog.version()
            if version == self.version:
                return
            changes = self._catalog.changes(self.version, version)
            definitions = self._catalog.definitions(version) if changes.redefined else None
            for gone in (*changes.removed, *changes.unpaused):
                self._drop(gone)
            for each in changes.added:
                self._hold(each)
            for each in changes.paused:
                self._hold(each, paused=True)
            if definitions is not None:
                self.definitions = {each.name: each for each in definitions}
            self.version = version

    def note(
        self,
        version: int,
        added: Subscription | None = None,
        removed: str | None = None,
        *,
        paused: bool = False,
    ) -> None:
        """Apply a change that this process has made, without reading it.

        Ignored if it is not the next version: another change came between, and the next `refresh`
        reads both. Never raises, since the change is already committed.
        """
        with self.lock:
            if version != self.version + 1:
                return
            if removed is not None:
                self._drop(removed)
            if added is not None:
                self._hold(added, paused=paused)
            self.version = version

    def redefine(
        self, version: int, definitions: Mapping[str, Definition], environment: Surroundings | None
    ) -> None:
        """Apply a change of definitions that this process has made, with their compiled environment
        if there is one. Ignored if it is not the next version.
        """
        with self.lock:
            if version != self.version + 1:
                return
            if environment is not None:
                self._environment = (definitions, environment)
            self.definitions = definitions
            self.version = version

    def _hold(self, subscription: Subscription, *, paused: bool = False) -> None:
        self._drop(subscription.id, replaced=not paused and subscription.id in self.subscriptions)
        self._counts[Owned.of_key(subscription.id).tenant] += 1
        (self.paused if paused else self.subscriptions)[subscription.id] = subscription

    def _drop(self, id: str, *, replaced: bool = False) -> None:
        """Forget a subscription, served or paused; one that is replaced keeps its place."""
        if id in self.subscriptions or id in self.paused:
            self._counts[Owned.of_key(id).tenant] -= 1
        self.paused.pop(id, None)
        if not replaced:
            self.subscriptions.pop(id, None)

    def make_environment(self, definitions: Iterable[Definition]) -> Surroundings:
        """Return the environment that these definitions would give."""
        return Surroundings.of((self._own | {each.name: each for each in definitions}).values())

    def subscriptions_of(self, tenant: str) -> list[Subscription]:
        """Return the active subscriptions of a tenant, in the order of adding."""
        return [
            each for id, each in self.subscriptions.items() if Owned.of_key(id).tenant == tenant
        ]

    def paused_of(self, tenant: str) -> list[Subscription]:
        """Return the paused subscriptions of a tenant."""
        return [each for id, each in self.paused.items() if Owned.of_key(id).tenant == tenant]

    def count(self, tenant: str) -> int:
        """Return the number of subscriptions of a tenant, paused ones included."""
        return self._counts[tenant]

    def definitions_of(self, tenant: str) -> list[Definition]:
        """Return the definitions of a tenant, in the order of adding."""
        return [
            each for name, each in self.definitions.items() if Owned.of_key(name).tenant == tenant
        ]
