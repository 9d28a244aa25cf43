"""The subscriptions of a list or catalog in an engine, moved from version to version by difference.

The one place that computes the changes between two versions. A subclass says what to do about a
subscription that was removed, and about one that is new or may have changed its meaning.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from tocsin.catalog import Changes, Definition, Snapshot, Subscription, Surroundings
from tocsin.catalog.stored_plans import may_depend, meaning_digest
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.engine import Engine
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.guarded import GuardedEngine
from tocsin.spark.output.member_output import MemberOutput, MemberRenderer


class CatalogView(ABC):
    """An engine with all or some subscriptions of one version."""

    def __init__(self, network: Network | None = None) -> None:
        self.engine = Engine(contains_faults=True, network=network)
        self.version: int | None = None
        self.definitions: tuple[Definition, ...] = ()
        self.surroundings = Surroundings.of(())
        self._entries: dict[str, Subscription] = {}
        self._digests: dict[str, bytes] = {}

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """The subscriptions of the version, including those that do not compile."""
        return tuple(self._entries.values())

    def follow(self, snapshot: Snapshot, *, renews_all: bool = False) -> None:
        """Move to the version of a snapshot; equal subscriptions are not touched, unless
        `renews_all`.
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
        """Apply changes that do not touch definitions; the cost is that of the changes."""
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

    def teller(self, telling: MemberOutput) -> MemberRenderer:
        """Return the renderer of members for the content requested at this version."""
        return MemberRenderer(
            telling, telling.contents(self.subscriptions), self.surroundings.ontology
        )

    def guard(self) -> GuardedEngine:
        """Return the engine with fault isolation, without suspension: other processes serve the
        same catalog.
        """
        return GuardedEngine(self.engine, self.plans, suspends=False)

    def serves(self, subscription: Subscription) -> bool:
        """True if a subscription is served here."""
        return True

    @abstractmethod
    def plans(self) -> dict[str, Plan]:
        """Return the plans that the engine serves, by subscription."""

    @abstractmethod
    def renew(self, subscription: Subscription, *, is_new: bool) -> None:
        """Compile a subscription that is new or may have changed its meaning."""

    @abstractmethod
    def leave(self, id: str) -> None:
        """Remove a subscription."""
