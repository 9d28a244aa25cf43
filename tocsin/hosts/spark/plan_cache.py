"""The compiled subscriptions in a Python worker, kept from task to task, moved from version to
version by difference.

A worker serves exactly the version that it is asked for, also one older than the one it has (a task
tried again). The cache lives in this module because a module is imported once per worker, while
what comes with a task comes anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

from tocsin.catalog import (
    Changes,
    Definition,
    Snapshot,
    Subscription,
    Surroundings,
    compile_subscription,
)
from tocsin.catalog.stored_plans import may_depend, meaning_digest
from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.hosts.garbage import rare_collection
from tocsin.hosts.spark.contained import internal_problem
from tocsin.hosts.spark.served import served_plan
from tocsin.hosts.spark.sources import LiveCatalog, Source
from tocsin.hosts.spark.telling import Teller, Telling
from tocsin.plan.composites import Plan

KEPT = 4
"""How many sources a worker keeps compiled; the one used longest ago goes first."""


class Index:
    """All subscriptions of one version in an engine, and the problems of those that do not
    compile.
    """

    def __init__(self) -> None:
        self.engine = Engine()
        self.version: int | None = None
        self.problems: dict[str, tuple[Subscription, Problem]] = {}
        self.work = 0
        self._subscriptions: dict[str, Subscription] = {}
        self._held: dict[str, bytes] = {}
        self._dependent: dict[str, None] = {}
        self._definitions: tuple[Definition, ...] = ()
        self._light = Surroundings.of(())
        self._plans: dict[str, Plan] | None = None

    def move_to(self, snapshot: Snapshot) -> None:
        """Makes the index hold what the snapshot holds; what is the same in both is not touched."""
        if snapshot.definitions != self._definitions:
            self._remove(list(self._dependent))
            self._definitions = snapshot.definitions
            self._light = Surroundings.of(snapshot.definitions)
        self._subscriptions = {each.id: each for each in snapshot.subscriptions}
        self._remove([id for id in self._held if id not in self._subscriptions])
        self._renew(snapshot.subscriptions)
        self.version = snapshot.version

    def move_by(self, changes: Changes, version: int) -> None:
        """Makes the index hold what the changes lead to, at the cost of the changes alone."""
        came = {each.id: each for each in changes.added}
        gone = [id for id in changes.removed if id not in came]
        for id in gone:
            self._subscriptions.pop(id, None)
        self._subscriptions |= came
        self._remove([id for id in gone if id in self._held])
        self._renew(changes.added)
        self.version = version

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """All subscriptions of the version, those that do not compile included."""
        return tuple(self._subscriptions.values())

    def teller(self, telling: Telling) -> Teller:
        """Who tells of members what is asked for at this version."""
        return Teller(telling, telling.contents(self.subscriptions), self._light.words)

    def plans(self) -> dict[str, Plan]:
        """The plans that the engine serves, those of composites with the very atoms that it holds.

        Wanted only where a row raises; kept then until the next version, since such rows seldom
        come alone.
        """
        if self._plans is None:
            served = [each for each in self.subscriptions if each.id in self.engine]
            self._plans = {
                each.id: self.engine.plan_of(each.id) or compile_subscription(each, self._light)
                for each in served
            }
        return self._plans

    def take(self, subscription: Subscription, light: Surroundings) -> None:
        """Adds a subscription that this index serves; raises the problem of another."""
        self.engine.add(subscription.id, served_plan(subscription, light))

    def leave(self, id: str) -> None:
        """Removes a subscription that was taken."""
        self.engine.remove(id)

    def _renew(self, subscriptions: Iterable[Subscription]) -> None:
        """Takes over subscriptions that are new, or mean something else than those of their ids."""
        for subscription in subscriptions:
            digest = meaning_digest(subscription)
            if self._held.get(subscription.id) != digest:
                self._remove([subscription.id] if subscription.id in self._held else [])
                self._add(subscription, digest)
        self._plans = None

    def _add(self, subscription: Subscription, digest: bytes) -> None:
        self.work += 1
        self._held[subscription.id] = digest
        if may_depend(subscription):
            self._dependent[subscription.id] = None
        try:
            self.take(subscription, self._light)
        except Problem as problem:
            self.problems[subscription.id] = (subscription, problem)
        except Exception as error:
            self.problems[subscription.id] = (subscription, internal_problem(error))

    def _remove(self, ids: list[str]) -> None:
        for id in ids:
            self.work += 1
            del self._held[id]
            self._dependent.pop(id, None)
            if self.problems.pop(id, None) is None:
                self.leave(id)


class Indexes:
    """The indexes of a worker, by source."""

    def __init__(self, kept: int = KEPT, make: Callable[[], Index] = Index) -> None:
        self._kept = kept
        self._make = make
        self._by_key: OrderedDict[str, Index] = OrderedDict()

    def at(self, source: Source, version: int) -> Index:
        """The index of a source at exactly a version."""
        index = self._by_key.pop(source.key, None) or self._make()
        if index.version != version:
            with rare_collection():
                _move(index, source, version)
        self._by_key[source.key] = index
        while len(self._by_key) > self._kept:
            self._by_key.popitem(last=False)
        return index


def _move(index: Index, source: Source, version: int) -> None:
    """Where only subscriptions have changed, the changes do; where definitions have, all is read
    again.
    """
    if index.version is not None and isinstance(source, LiveCatalog):
        changes = source.changes(index.version, version)
        if not changes.redefined:
            index.move_by(changes, version)
            return
    index.move_to(source.snapshot(version))


WORKER_INDEXES = Indexes()
