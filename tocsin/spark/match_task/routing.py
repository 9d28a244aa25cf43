"""Where the events of a batch go, worked out once for each different set of atoms and of shares:
shares come from columns, so that no event is read for its key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.columns.partitions import shares_in
from tocsin.engine.results import Relevant
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Key
from tocsin.spark.match_task.messages import Draft
from tocsin.spark.plans.plan_cache import Index, Route

_Target = tuple[Draft, int, bool]
"""Into which draft an event goes, with which set of atoms, and whether the shard tells of it."""


@dataclass(frozen=True, slots=True)
class _Fork:
    """The ways of events that are occurrences of the same atoms: by the shares of their keys."""

    routes: Sequence[Route]
    keys: Sequence[Key]
    targets: dict[tuple[int, ...], list[_Target]] = field(default_factory=dict)


class Router:
    """Puts the events of one batch into a draft for each shard."""

    def __init__(self, index: Index, batch: EventBatch, shards: int) -> None:
        self.drafts = [Draft() for _ in range(shards)]
        self._index = index
        self._batch = batch
        self._shards = shards
        self._forks: dict[tuple[int, ...], _Fork] = {}
        self._shares: dict[Key, Sequence[int]] = {}

    def send(self, relevant: Sequence[Relevant], beyond: frozenset[int]) -> None:
        """Events that composites want; what has no time can be part of none, nor what is beyond."""
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

    def _fork(self, atoms: Sequence[Atom]) -> _Fork:
        """Atoms are those of the engine, so that they can be told by identity."""
        name = tuple(map(id, atoms))
        if name not in self._forks:
            routes = self._index.routes(atoms, self._shards)
            keys = sorted({key for route in routes for key in route.keys})
            for key in keys:
                if key not in self._shares:
                    self._shares[key] = shares_in(self._batch, key, self._shards).tolist()
            self._forks[name] = _Fork(routes, keys)
        return self._forks[name]

    def _targets(self, fork: _Fork, shares: tuple[int, ...]) -> list[_Target]:
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
