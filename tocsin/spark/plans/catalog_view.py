"""The subscriptions of a list or catalog as somebody serves them, moved from version to version by
difference.

The one place that knows what changes from one version to another: whoever serves subscriptions says
what to do about one that is gone, and about one that is new or may mean something else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from tocsin.catalog import Changes, Definition, Snapshot, Subscription, Surroundings
from tocsin.catalog.effects import may_depend
from tocsin.catalog.stored_plans import meaning_digest
from tocsin.engine.engine import Engine
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.guarded import GuardedEngine
from tocsin.spark.output.member_output import Teller, Telling


class CatalogView(ABC):
    """An engine with the subscriptions of one version, all or some."""

    def __init__(self) -> None:
        self.engine = Engine(contains_faults=True)
        self.version: int | None = None
        self.definitions: tuple[Definition, ...] = ()
        self.surroundings = Surroundings.of(())
        self._entries: dict[str, Subscription] = {}
        self._digests: dict[str, bytes] = {}

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """The subscriptions of the version, those that do not compile included."""
        return tuple(self._entries.values())

    def follow(self, snapshot: Snapshot, *, renews_all: bool = False) -> None:
        """Serves what the snapshot holds; what is the same in both versions is not touched, unless
        all are to be looked at again.
        """
        is_defined_anew = snapshot.definitions != self.definitions
        if is_defined_anew:
            self.definitions = snapshot.definitions
            self.surroundings = Surroundings.of(snapshot.definitions)
        self._entries = {each.id: each for each in filter(self.serves, snapshot.subscriptions)}
        digests = {id: meaning_digest(each) for id, each in self._entries.items()}
        before, self._digests = self._digests, digests
        for id in before:
            if id not in digests:
                self.leave(id)
        for each in self._entries.values():
            is_same = before.get(each.id) == digests[each.id]
            if renews_all or not is_same or (is_defined_anew and may_depend(each)):
                self.renew(each, is_new=each.id not in before)
        self.version = snapshot.version

    def follow_changes(self, changes: Changes, version: int) -> None:
        """Serves what changes that leave definitions alone lead to, at the cost of the changes."""
        came = {each.id: each for each in filter(self.serves, changes.added)}
        for id in changes.removed:
            if id not in came and self._entries.pop(id, None) is not None:
                del self._digests[id]
                self.leave(id)
        self._entries |= came
        for id, each in came.items():
            digest, before = meaning_digest(each), self._digests.get(id)
            self._digests[id] = digest
            if digest != before:
                self.renew(each, is_new=before is None)
        self.version = version

    def teller(self, telling: Telling) -> Teller:
        """Who tells of members what is asked for at this version."""
        return Teller(telling, telling.contents(self.subscriptions), self.surroundings.words)

    def guard(self) -> GuardedEngine:
        """The engine with its faults contained: whoever else serves a subscription goes on to serve
        it.
        """
        return GuardedEngine(self.engine, self.plans, suspends=False)

    def serves(self, subscription: Subscription) -> bool:
        """Whether a subscription is served here."""
        return True

    @abstractmethod
    def plans(self) -> dict[str, Plan]:
        """The plans that the engine serves."""

    @abstractmethod
    def renew(self, subscription: Subscription, *, is_new: bool) -> None:
        """A subscription that is new, or may mean something else than before."""

    @abstractmethod
    def leave(self, id: str) -> None:
        """A subscription that is gone."""
