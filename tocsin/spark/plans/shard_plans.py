"""The plans of one shard in a running engine. Subscriptions that stay between versions keep their
state.

A composite with a partition key is served by every shard, each with its partition of the events;
any other belongs to one shard, which serves it whole. An event may reach a shard for other
subscriptions than those whose partition it is in: so the plan of a partition has its own filter.

A constructed event may concern any subscription at once. So every shard serves all subscriptions
that construct, whole, and has their events for its own composites; only the shard that owns such a
subscription outputs its matches. Constructed events are then matched against atomic subscriptions
too, each by the shard that owns it.

A subscription stays as long as its plan is equal: a new receiver, or a definition that it does not
use, changes nothing. A subscription that does not compile is reported by the match tasks; here it
is only omitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tocsin.catalog import Snapshot, Subscription, compile_subscription, refuse_past_windows
from tocsin.errors import Problem
from tocsin.events.dead_letter import WINDOW_OVER, DeadLetter
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan, Share, atoms_of
from tocsin.plan.semantics.partitioning import partition_key_of_plan, plan_for_partition
from tocsin.plan.xml.construction import Construct
from tocsin.runtime.outcome import Outcome
from tocsin.spark.output.letters import (
    Letter,
    internal_problem,
    letter_of_subscription,
    letters_of,
)
from tocsin.spark.plans.catalog_view import CatalogView
from tocsin.spark.plans.shard_assignment import atom_name, shard_of
from tocsin.values.time import Instant

ATOMIC_LANGUAGES = frozenset({"selector"})
"""Languages without composites: their subscriptions need not be compiled to look for composites."""


class ShardPlans(CatalogView):
    """The plans that shard `number` of `shards` serves."""

    def __init__(self, number: int, shards: int) -> None:
        super().__init__()
        self._number = number
        self._shards = shards
        self._held: dict[str, Plan] = {}
        self._atoms: dict[bytes, Atom] = {}
        self._now: Instant | None = None
        self._letters: list[Letter] = []
        self._building: set[str] = set()
        self.builds = False
        """True if any composite constructs events."""

    def move_to(self, snapshot: Snapshot, now: Instant | None = None) -> list[Letter]:
        """Move to the version of a snapshot; return a dead letter for each refused subscription."""
        self._now, self._letters = now, []
        self.follow(snapshot)
        if self.builds != bool(self._building):
            self.builds = bool(self._building)
            self.follow(snapshot, renews_all=True)
        self._name_atoms()
        return self._letters

    @property
    def is_partitioned(self) -> bool:
        """True if this shard serves a partition of a composite that several shards serve."""
        plans = self._held.values()
        return self._shards > 1 and any(partition_key_of_plan(plan).by for plan in plans)

    def serves(self, subscription: Subscription) -> bool:
        """True if a subscription belongs to this shard, or may be one that all shards serve."""
        return self._is_home(subscription.id) or subscription.language not in ATOMIC_LANGUAGES

    def builders(self) -> frozenset[str]:
        """Return the subscriptions whose outputs are published as events."""
        return frozenset(id for id, plan in self._held.items() if _constructs(plan))

    def tells(self, id: str) -> bool:
        """Return True if this shard outputs the matches of a subscription that it serves."""
        plan = self._held.get(id)
        return plan is None or not _constructs(plan) or self._is_home(id)

    def tells_of_building(self, letter: DeadLetter) -> bool:
        """Return True if this shard reports a failed construction, which every shard detects."""
        return shard_of(letter.input, self._shards) == self._number

    def letters_of(self, outcome: Outcome) -> Iterator[Letter]:
        """Yield the dead letters of an outcome that this shard reports.

        If all shards detect a problem at the same time, the one that owns the subscription reports
        it.
        """
        letters = [
            each
            for each in outcome.letters
            if each.subscription is None or self.tells(each.subscription)
        ]
        ended = [
            each
            for each in outcome.ended
            if self.tells(each.subscription)
            and (each.letter.code != WINDOW_OVER or self._is_home(each.subscription))
        ]
        return letters_of(replace(outcome, letters=letters, ended=ended))

    def plans(self) -> dict[str, Plan]:
        """Return the plans that the engine serves, by subscription."""
        return {id: plan for id, plan in self._held.items() if id in self.engine}

    def atoms(self, names: Iterable[bytes]) -> list[Atom]:
        """Return the atoms of the given names; unknown names, of removed subscriptions, are
        ignored.
        """
        return [self._atoms[name] for name in names if name in self._atoms]

    def refused(self) -> list[str]:
        """Return the subscriptions that the engine refused."""
        return [id for id in self._held if id not in self.engine]

    def refuse(self, ids: Iterable[str]) -> None:
        """Remove subscriptions that the engine refused when they were added first."""
        for id in ids:
            if id in self.engine:
                self.engine.remove(id)
        self._name_atoms()

    def renew(self, subscription: Subscription, *, is_new: bool) -> None:
        """Add or replace a subscription; an equal plan keeps its state."""
        plan = self._plan(subscription)
        if not is_new and plan == self._held.get(subscription.id):
            return
        self._drop(subscription.id)
        if plan is None:
            return
        self._held[subscription.id] = plan
        try:
            refuse_past_windows(subscription, plan, self._now)
            self.engine.add(subscription.id, plan)
        except Problem as problem:
            self._refuse(subscription, problem)
        except Exception as error:
            self._refuse(subscription, internal_problem(error))

    def leave(self, id: str) -> None:
        """Remove a subscription."""
        self._building.discard(id)
        self._drop(id)

    def _drop(self, id: str) -> None:
        self._held.pop(id, None)
        if id in self.engine:
            self.engine.remove(id)

    def _is_home(self, id: str) -> bool:
        return shard_of(id, self._shards) == self._number

    def _refuse(self, subscription: Subscription, problem: Problem) -> None:
        if self._is_home(subscription.id):
            self._letters.append(
                letter_of_subscription(problem, subscription.id, subscription.expression)
            )

    def _plan(self, subscription: Subscription) -> Plan | None:
        """Return the plan of a subscription as this shard serves it; None if it does not."""
        self._building.discard(subscription.id)
        if not self.builds and subscription.language in ATOMIC_LANGUAGES:
            return None
        try:
            plan = compile_subscription(subscription, self.surroundings)
        except Exception:  # the match tasks report it
            return None
        is_atomic = isinstance(plan.pattern, Atom)
        if _constructs(plan) and not is_atomic:
            self._building.add(subscription.id)
        if is_atomic and not self.builds:
            return None
        return self._plan_here(subscription.id, plan)

    def _plan_here(self, id: str, plan: Plan) -> Plan | None:
        """Return the plan of this shard's partition, or the whole plan if owned here or
        constructing.

        None if this shard does not serve the subscription.
        """
        by = () if isinstance(plan.pattern, Atom) else partition_key_of_plan(plan).by
        if by and self._shards > 1:
            return plan_for_partition(plan, Share(by, self._number, self._shards))
        return plan if _constructs(plan) or self._is_home(id) else None

    def _name_atoms(self) -> None:
        patterns = (plan.pattern for plan in self.plans().values())
        composites = (each for each in patterns if not isinstance(each, Atom))
        atoms = {atom for each in composites for atom in atoms_of(each)}
        self._atoms = {atom_name(atom): atom for atom in atoms}


def _constructs(plan: Plan) -> bool:
    return isinstance(plan.output, Construct)
