"""Routes of the events of a batch, computed once per set of atoms and of partitions.

Partitions are computed from columns, so that no event is decoded for its key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.columns.partitions import partitions_of_batch
from tocsin.engine.results import CompositeInput
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Key
from tocsin.spark.match_task.messages import ShardMessageBuilder
from tocsin.spark.plans.plan_cache import MatchIndex, Route

_Target = tuple[ShardMessageBuilder, int, bool]
"""The draft of an event, the number of its set of atoms, and whether that shard reports it if late.
"""


@dataclass(frozen=True, slots=True)
class _AtomSetRoutes:
    """The routes of events that match the same atoms, by the partitions of their keys."""

    routes: Sequence[Route]
    keys: Sequence[Key]
    targets: dict[tuple[int, ...], list[_Target]] = field(default_factory=dict)


class Router:
    """Distributor of the events of one batch to a draft for each shard."""

    def __init__(self, index: MatchIndex, batch: EventBatch, shards: int) -> None:
        self.drafts = [ShardMessageBuilder() for _ in range(shards)]
        self._index = index
        self._batch = batch
        self._shards = shards
        self._forks: dict[tuple[int, ...], _AtomSetRoutes] = {}
        self._shares: dict[Key, Sequence[int]] = {}

    def send(self, relevant: Sequence[CompositeInput], beyond: frozenset[int]) -> None:
        """Add the composite inputs to the drafts; skip events without a time or in `beyond`."""
        for each in relevant:
            number = each.index
            event = self._batch.event(number)
            if event.interval is None or number in beyond:
                continue
            fork = self._fork(each.atoms)
            shares = tuple([self._shares[key][number] for key in fork.keys])
            targets = fork.targets.get(shares)
            if targets is None:
                targets = fork.targets[shares] = self._targets(fork, shares)
            for draft, atoms, teller in targets:
                draft.add(event, atoms, teller)

    def _fork(self, atoms: Sequence[Atom]) -> _AtomSetRoutes:
        """Return the routes of a set of atoms, which must be the engine's own: compared by
        identity.
        """
        name = tuple(map(id, atoms))
        if name not in self._forks:
            routes = self._index.routes(atoms, self._shards)
            keys = sorted({key for route in routes for key in route.keys})
            for key in keys:
                if key not in self._shares:
                    self._shares[key] = partitions_of_batch(self._batch, key, self._shards).tolist()
            self._forks[name] = _AtomSetRoutes(routes, keys)
        return self._forks[name]

    def _targets(self, fork: _AtomSetRoutes, shares: tuple[int, ...]) -> list[_Target]:
        share_by_key = dict(zip(fork.keys, shares, strict=True))
        by_shard: dict[int, list[bytes]] = {}
        for route in fork.routes:
            for shard in route.shards.union(map(share_by_key.__getitem__, route.keys)):
                by_shard.setdefault(shard, []).append(route.name)
        teller = min(by_shard)
        return [
            (draft, draft.number_of(tuple(names)), shard == teller)
            for shard, names in by_shard.items()
            for draft in (self.drafts[shard],)
        ]
