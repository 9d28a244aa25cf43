"""The composites of one shard in a working engine. What stays from version to version keeps its
state.

Whether a subscription stays is a matter of its plan: a new receiver, or a definition that it does
not use, changes nothing. A subscription that does not compile is told by the match tasks; here it
is only left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tocsin.catalog import (
    Definition,
    Snapshot,
    Subscription,
    Surroundings,
    compile_subscription,
    refuse_past_windows,
)
from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.hosts.spark.contained import internal_problem
from tocsin.hosts.spark.detection.routes import atom_name
from tocsin.hosts.spark.detection.shards import shard_of
from tocsin.hosts.spark.rows import Letter, letter_of_subscription
from tocsin.hosts.spark.telling import Teller, Telling
from tocsin.plan.atoms import Atom
from tocsin.plan.composites import Plan, atoms_of
from tocsin.values.time import Instant


@dataclass(frozen=True, slots=True)
class Held:
    """A subscription and its plan; None where it is no composite or cannot be served."""

    subscription: Subscription
    plan: Plan | None


class Members:
    """The composites of shard `number` of so many."""

    def __init__(self, number: int, shards: int) -> None:
        self.engine = Engine()
        self.version: int | None = None
        self._number = number
        self._shards = shards
        self._held: dict[str, Held] = {}
        self._subscriptions: tuple[Subscription, ...] = ()
        self._definitions: tuple[Definition, ...] = ()
        self._light = Surroundings.of(())
        self._atoms: dict[bytes, Atom] = {}

    def move_to(self, snapshot: Snapshot, now: Instant | None = None) -> list[Letter]:
        """Holds what the snapshot holds for this shard; gives a dead letter for each that is
        refused at this time.
        """
        wanted = {
            each.id: each
            for each in snapshot.subscriptions
            if shard_of(each.id, self._shards) == self._number
        }
        for gone in [id for id in self._held if id not in wanted]:
            self._drop(gone)
        letters: list[Letter] = []
        same_names = snapshot.definitions == self._definitions
        light = Surroundings.of(snapshot.definitions)
        for subscription in wanted.values():
            held = self._held.get(subscription.id)
            if held is None or held.subscription != subscription or not same_names:
                letters += self._renew(subscription, _composite(subscription, light), now)
        self._subscriptions = tuple(wanted.values())
        self._definitions, self._light = snapshot.definitions, light
        self.version = snapshot.version
        self._name_atoms()
        return letters

    def teller(self, telling: Telling) -> Teller:
        """Who tells of members what is asked for at this version."""
        return Teller(telling, telling.contents(self._subscriptions), self._light.words)

    def plans(self) -> dict[str, Plan]:
        """The plans that the engine serves."""
        return {
            id: held.plan
            for id, held in self._held.items()
            if held.plan is not None and id in self.engine
        }

    def atoms(self, names: Iterable[bytes]) -> list[Atom]:
        """The atoms of some names; those of subscriptions that are gone are left out."""
        return [self._atoms[name] for name in names if name in self._atoms]

    def refused(self) -> list[str]:
        """Composites that the engine did not take."""
        return [
            id for id, held in self._held.items() if held.plan is not None and id not in self.engine
        ]

    def refuse(self, ids: Iterable[str]) -> None:
        """Takes composites out that the engine did not take when they came."""
        for id in ids:
            if id in self.engine:
                self.engine.remove(id)
        self._name_atoms()

    def _renew(
        self, subscription: Subscription, plan: Plan | None, now: Instant | None
    ) -> Iterable[Letter]:
        held = self._held.get(subscription.id)
        if held is not None and held.plan == plan:
            self._held[subscription.id] = Held(subscription, plan)
            return
        if held is not None:
            self._drop(subscription.id)
        self._held[subscription.id] = Held(subscription, plan)
        if plan is None:
            return
        try:
            refuse_past_windows(subscription, plan, now)
            self.engine.add(subscription.id, plan)
        except Problem as problem:
            yield letter_of_subscription(problem, subscription.id, subscription.expression)
        except Exception as error:
            yield letter_of_subscription(
                internal_problem(error), subscription.id, subscription.expression
            )

    def _drop(self, id: str) -> None:
        del self._held[id]
        if id in self.engine:
            self.engine.remove(id)

    def _name_atoms(self) -> None:
        plans = (
            held.plan
            for id, held in self._held.items()
            if held.plan is not None and id in self.engine
        )
        atoms = {atom for plan in plans for atom in atoms_of(plan.pattern)}
        self._atoms = {atom_name(atom): atom for atom in atoms}


def _composite(subscription: Subscription, light: Surroundings) -> Plan | None:
    try:
        plan = compile_subscription(subscription, light)
    except Exception:  # whatever it is, the match tasks tell it
        return None
    return None if isinstance(plan.pattern, Atom) else plan
