"""The subscriptions of one shard in a working engine. What stays from version to version keeps its
state.

A composite whose events a key parts is served by every shard, each with its share of the events;
the others belong to one shard, which serves them whole. An event may come to a shard for others
than those whose share it is in: so the plan of a share says itself what it is about.

What a composite constructs is an event that any subscription may want at once. So every shard
serves all that construct, whole, and has what they build before its own composites; the shard to
which a subscription belongs tells what comes of it. Conditions on one event are then asked about
what was built, too: each by the shard to which it belongs.

Whether a subscription stays is a matter of its plan: a new receiver, or a definition that it does
not use, changes nothing. A subscription that does not compile is told by the match tasks; here it
is only left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tocsin.catalog import Snapshot, Subscription, compile_subscription, refuse_past_windows
from tocsin.errors import Problem
from tocsin.events.dead_letter import WINDOW_OVER, DeadLetter
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan, Share, atoms_of
from tocsin.plan.semantics.partitioning import parting_of_plan, share_of_plan
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
"""Languages without composites: a long list of them need not be compiled to know that there is
none.
"""


class Members(CatalogView):
    """The subscriptions that shard `number` of so many serves."""

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
        """Whether some composite constructs events."""

    def move_to(self, snapshot: Snapshot, now: Instant | None = None) -> list[Letter]:
        """Holds what the snapshot holds for this shard; gives a dead letter for each that is
        refused at this time.
        """
        self._now, self._letters = now, []
        self.follow(snapshot)
        if self.builds != bool(self._building):
            self.builds = bool(self._building)
            self.follow(snapshot, renews_all=True)
        self._name_atoms()
        return self._letters

    @property
    def has_shares(self) -> bool:
        """Whether it serves its share of a composite that several shards serve."""
        plans = self._held.values()
        return self._shards > 1 and any(parting_of_plan(plan).by for plan in plans)

    def serves(self, subscription: Subscription) -> bool:
        """Whether it belongs to this shard, or may be one that all shards serve."""
        return self._is_home(subscription.id) or subscription.language not in ATOMIC_LANGUAGES

    def builders(self) -> frozenset[str]:
        """Return the subscriptions whose outputs are events again."""
        return frozenset(id for id, plan in self._held.items() if _constructs(plan))

    def tells(self, id: str) -> bool:
        """Return whether this shard tells what a subscription comes to that is served here."""
        plan = self._held.get(id)
        return plan is None or not _constructs(plan) or self._is_home(id)

    def tells_of_building(self, letter: DeadLetter) -> bool:
        """Return whether this shard tells what could not be built, which every shard finds out."""
        return shard_of(letter.input, self._shards) == self._number

    def letters_of(self, outcome: Outcome) -> Iterator[Letter]:
        """The dead letters of an outcome; what every shard finds out at the same time is told by
        the one to which the subscription belongs.
        """
        letters = [
            each
            for each in outcome.letters
            if each.subscription is None or self.tells(each.subscription)
        ]
        ended = [
            (id, letter)
            for id, letter in outcome.ended
            if self.tells(id) and (letter.code != WINDOW_OVER or self._is_home(id))
        ]
        return letters_of(replace(outcome, letters=letters, ended=ended))

    def plans(self) -> dict[str, Plan]:
        """The plans that the engine serves."""
        return {id: plan for id, plan in self._held.items() if id in self.engine}

    def atoms(self, names: Iterable[bytes]) -> list[Atom]:
        """The atoms of some names; those of subscriptions that are gone are left out."""
        return [self._atoms[name] for name in names if name in self._atoms]

    def refused(self) -> list[str]:
        """Subscriptions that the engine did not take."""
        return [id for id in self._held if id not in self.engine]

    def refuse(self, ids: Iterable[str]) -> None:
        """Takes subscriptions out that the engine did not take when they came."""
        for id in ids:
            if id in self.engine:
                self.engine.remove(id)
        self._name_atoms()

    def renew(self, subscription: Subscription, *, is_new: bool) -> None:
        """Takes a subscription in; where its plan stays the same, so does its state."""
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
        """Drops a subscription."""
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
        """The plan of a subscription as it is served here; None where it is not."""
        self._building.discard(subscription.id)
        if not self.builds and subscription.language in ATOMIC_LANGUAGES:
            return None
        try:
            plan = compile_subscription(subscription, self.surroundings)
        except Exception:  # whatever it is, the match tasks tell it
            return None
        is_atomic = isinstance(plan.pattern, Atom)
        if _constructs(plan) and not is_atomic:
            self._building.add(subscription.id)
        if is_atomic and not self.builds:
            return None
        return self._plan_here(subscription.id, plan)

    def _plan_here(self, id: str, plan: Plan) -> Plan | None:
        """The plan of this shard's share, or the whole plan where it belongs here or constructs;
        else none.
        """
        by = () if isinstance(plan.pattern, Atom) else parting_of_plan(plan).by
        if by and self._shards > 1:
            return share_of_plan(plan, Share(by, self._number, self._shards))
        return plan if _constructs(plan) or self._is_home(id) else None

    def _name_atoms(self) -> None:
        patterns = (plan.pattern for plan in self.plans().values())
        composites = (each for each in patterns if not isinstance(each, Atom))
        atoms = {atom for each in composites for atom in atoms_of(each)}
        self._atoms = {atom_name(atom): atom for atom in atoms}


def _constructs(plan: Plan) -> bool:
    return isinstance(plan.output, Construct)
