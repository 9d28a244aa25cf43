"""The plans of one shard in a running engine, and the assignment of subscriptions to shards.

The assignment is fixed for ever. Spark sends a key to the partition of its hash, so that the keys 0
and 1 may fall into one of two partitions. So shard `n` has a key whose hash is `n` modulo 5040, a
multiple of all numbers up to 10 and many more: shards are spread evenly over partitions, and the
key does not depend on the number of either.

A composite with a partition key is served by every shard, each with its partition of the events;
any other belongs to one shard, which serves it whole. An event may reach a shard for other
subscriptions than those whose partition it is in: so the plan of a partition has its own filter.

A constructed event may concern any subscription at once. So every shard serves all subscriptions
that construct, whole, and has their events for its own composites; only the shard that owns such a
subscription outputs its matches. Constructed events are then matched against atomic subscriptions
too, each by the shard that owns it.

A subscription stays, with its state, as long as its plan is equal: a new receiver, or a definition
that it does not use, changes nothing. A subscription that does not compile is reported by the match
tasks; here it is only omitted.

A catalog view has the subscriptions of a list or catalog in an engine, moved from version to
version by difference: the one place that computes the changes between two versions. A subclass says
what to do about a subscription that was removed, and about one that is new or may have changed its
meaning.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import count

from tocsin.catalog import (
    Changes,
    Definition,
    Snapshot,
    Subscription,
    Surroundings,
    compile_subscription,
    refuse_past_windows,
)
from tocsin.catalog.stored_plans import may_depend, meaning_digest
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.events.dead_letter import WINDOW_OVER, DeadLetter
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Key, Plan, Share, atoms_of
from tocsin.plan.semantics.partitioning import partition_key_of_plan, plan_for_partition
from tocsin.plan.wire.wire import plan_to_json
from tocsin.plan.xml.construction import Construct
from tocsin.runtime.guarded import GuardedEngine, Outcome
from tocsin.spark.output.letters import (
    Letter,
    internal_problem,
    letter_of_subscription,
    letters_of,
)
from tocsin.spark.output.member_output import MemberOutput, MemberRenderer
from tocsin.values.time import Instant


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


DEFAULT_SHARDS = 2
MAX_SHARDS = 256

_SPREAD = 5040
_MASK = 0xFFFFFFFF
_SEED = 42


@dataclass(frozen=True, slots=True)
class Route:
    """The name of an atom, the shards that receive all its events, and the partition keys of the
    others.
    """

    name: bytes
    shards: frozenset[int]
    keys: frozenset[Key] = frozenset()


def atom_name(atom: Atom) -> bytes:
    """Return a hash of the content of an atom, equal in every process and for every compilation."""
    return blake2b(plan_to_json(Plan(atom)).encode(), digest_size=16).digest()


def shard_of(subscription: str, shards: int) -> int:
    """Return the number of the shard that owns a subscription."""
    return int.from_bytes(blake2b(subscription.encode(), digest_size=8).digest()) % shards


@lru_cache(maxsize=8)
def shard_keys(shards: int) -> tuple[int, ...]:
    """Return the grouping keys of shards 0, 1, 2, ..."""
    keys: dict[int, int] = {}
    for candidate in count():
        residue = spark_hash(candidate) % _SPREAD
        if residue < shards:
            keys.setdefault(residue, candidate)
        if len(keys) == shards:
            break
    return tuple(keys[number] for number in range(shards))


def spark_hash(key: int) -> int:
    """Return Spark's hash of a bigint: Murmur3, 32 bits, signed."""
    low, high = key & _MASK, (key >> 32) & _MASK
    state = _mixed(_mixed(_SEED, low), high) ^ 8
    state = ((state ^ (state >> 16)) * 0x85EBCA6B) & _MASK
    state = ((state ^ (state >> 13)) * 0xC2B2AE35) & _MASK
    state ^= state >> 16
    return state - (1 << 32) if state >> 31 else state


def _mixed(state: int, word: int) -> int:
    word = _rotated((word * 0xCC9E2D51) & _MASK, 15)
    return (_rotated(state ^ ((word * 0x1B873593) & _MASK), 13) * 5 + 0xE6546B64) & _MASK


def _rotated(word: int, places: int) -> int:
    return ((word << places) | (word >> (32 - places))) & _MASK


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
