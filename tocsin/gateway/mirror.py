"""The catalog in memory, brought up to date by what has changed: to list, to count, and to compile
new subscriptions without reading all of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tocsin.catalog import Catalog, Definition, Subscription, Surroundings
from tocsin.catalog.tenants import Owned


class Mirror:
    """What the catalog held at `version`. Used by one thread at a time; `refresh` before reading.

    `own` are definitions that the catalog does not have, such as ontologies of the settings.
    """

    def __init__(self, catalog: Catalog, own: Iterable[Definition] = ()) -> None:
        self._catalog = catalog
        self._own = {each.name: each for each in own}
        self.version = 0
        self.subscriptions: dict[str, Subscription] = {}
        self._counts: Counter[str] = Counter()
        self.definitions: dict[str, Definition] = {}
        self.light = Surroundings.of(self._own.values())

    def refresh(self) -> None:
        """Takes over what has changed since."""
        version = self._catalog.version()
        if version == self.version:
            return
        changes = self._catalog.changes(self.version, version)
        for gone in changes.removed:
            self._drop(gone)
        for each in changes.added:
            self._hold(each)
        if changes.redefined:
            found = self._catalog.definitions(version)
            self.definitions = {each.name: each for each in found}
            self.light = self.light_of(self.definitions.values())
        self.version = version

    def note(
        self, version: int, added: Subscription | None = None, removed: str | None = None
    ) -> None:
        """A change that this process has made itself: it need not be read, unless another came
        between.
        """
        if version != self.version + 1:
            self.refresh()
            return
        if removed is not None:
            self._drop(removed)
        if added is not None:
            self._hold(added)
        self.version = version

    def _hold(self, subscription: Subscription) -> None:
        self._counts[Owned.of_key(subscription.id).tenant] += (
            subscription.id not in self.subscriptions
        )
        self.subscriptions[subscription.id] = subscription

    def _drop(self, id: str) -> None:
        if self.subscriptions.pop(id, None) is not None:
            self._counts[Owned.of_key(id).tenant] -= 1

    def light_of(self, definitions: Iterable[Definition]) -> Surroundings:
        """What subscriptions would be read in the light of."""
        return Surroundings.of((self._own | {each.name: each for each in definitions}).values())

    def subscriptions_of(self, tenant: str) -> list[Subscription]:
        """The subscriptions of a tenant, in the order of adding."""
        return [
            each for id, each in self.subscriptions.items() if Owned.of_key(id).tenant == tenant
        ]

    def count(self, tenant: str) -> int:
        """How many subscriptions a tenant has."""
        return self._counts[tenant]

    def definitions_of(self, tenant: str) -> list[Definition]:
        """The definitions of a tenant, in the order of adding."""
        return [
            each for name, each in self.definitions.items() if Owned.of_key(name).tenant == tenant
        ]
