"""A shard in the state store: a snapshot and the steps since. The store is the truth, memory only
saves reading it.

The cache holds shards by the name of their state, a hash over all their steps. A worker that is
new, or that has seen a step which was never committed, finds no such name and rebuilds the shard:
snapshot first, then the steps since. The steps are the very messages that came, so that writing
them costs nothing; when they outgrow the snapshot, a new one is made.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from tocsin.errors import Problem, StateProblem
from tocsin.events.dead_letter import shown_error
from tocsin.hosts.spark.catalogs.sources import FixedList, LiveCatalog, Source
from tocsin.hosts.spark.detection.shard import LAYOUT, Setting, Shard

KEPT = 64
"""How many shards a worker keeps in memory; the one used longest ago goes first."""

LOG_FACTOR = 4
LOG_BYTES = 256 << 10
"""A new snapshot is due when the steps are this many bytes, and this many times as large as the
last snapshot.
"""

DAMAGED = "the checkpoint is damaged: put a copy of it in its place, or begin a new checkpoint"

HEAD_SCHEMA = (
    "token binary, shards int, base_bytes bigint, log_bytes bigint, alarm bigint, source string,"
    " list binary"
)
BYTES_SCHEMA = "packed binary"


@dataclass(frozen=True, slots=True)
class Head:
    """What there is in the store: the name of the state, sizes, the timer that is set, and whose
    subscriptions.
    """

    token: bytes
    shards: int
    base_bytes: int
    log_bytes: int
    alarm: int | None
    source: str
    list: bytes | None


class Cache:
    """Shards in a worker's memory by the name of their state."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._by_token: OrderedDict[bytes, Shard] = OrderedDict()

    def pop(self, token: bytes) -> Shard | None:
        """The shard in that very state, no longer in the cache: should its next step fail, it is
        lost, not wrong.
        """
        return self._by_token.pop(token, None)

    def put(self, shard: Shard) -> None:
        """Keeps a shard."""
        self._by_token[shard.token] = shard
        while len(self._by_token) > self._kept:
            self._by_token.popitem(last=False)


WORKER_SHARDS = Cache()


@dataclass(frozen=True, slots=True)
class Kept:
    """A shard, what the store says of it (a new one has no head), and whether the steps so far were
    another regime's.

    Steps can only be taken again under the lateness and the list or catalog under which they were
    taken first.
    """

    shard: Shard
    head: Head | None
    changed: bool


class Keeper:
    """Reads and writes one shard; the three states are those of the state store, for the current
    key.
    """

    def __init__(self, head: Any, base: Any, log: Any, cache: Cache = WORKER_SHARDS) -> None:
        self._head, self._base, self._log, self._cache = head, base, log, cache

    def load(self, setting: Setting, source: Source | None) -> Kept:
        """The shard as it was committed last, its subscriptions now taken from `source` where one
        is given.
        """
        row = self._head.get()
        if row is None:
            assert source is not None, "only a shard that exists has timers"
            return Kept(Shard(setting, source), None, False)
        values: list[Any] = [bytes(each) if isinstance(each, bytearray) else each for each in row]
        head = Head(*values)
        _require_same_shards(head, setting)
        shard = self._cache.pop(head.token) or self._rebuilt(setting, head)
        changed = shard.clock.pace != setting.pace or shard.layout != LAYOUT
        shard.clock.pace = setting.pace
        if source is not None and source.key != shard.source.key:
            shard.change_source(source)
            changed = True
        return Kept(shard, head, changed)

    def save(self, kept: Kept, setting: Setting, step: bytes, alarm: int | None) -> None:
        """Writes what one step has changed."""
        shard, head = kept.shard, kept.head
        base_bytes, log_bytes = (head.base_bytes, head.log_bytes + len(step)) if head else (0, 0)
        if head is None or kept.changed or log_bytes > max(LOG_BYTES, LOG_FACTOR * base_bytes):
            packed = shard.snapshot()
            self._base.update((packed,))
            self._log.clear()
            base_bytes, log_bytes = len(packed), 0
        else:
            self._log.appendValue((step,))
        self._head.update(
            (shard.token, setting.shards, base_bytes, log_bytes, alarm, *_description(shard.source))
        )
        self._cache.put(shard)

    def _rebuilt(self, setting: Setting, head: Head) -> Shard:
        try:
            shard = Shard(setting, _described(head))
            shard.restore(bytes(self._base.get()[0]))
            for row in self._log.get():
                shard.take(bytes(row[0]))
        except Problem:
            raise
        except Exception as error:
            raise _damaged(
                f"the state of shard {setting.number} cannot be read: {shown_error(error)}"
            ) from None
        if shard.token != head.token:
            raise _damaged("the steps in the state store do not lead to its state")
        _require_same_layout(shard)
        return shard


def _damaged(message: str) -> StateProblem:
    return StateProblem(message, code="StateStoreError", hint=DAMAGED)


def _require_same_shards(head: Head, setting: Setting) -> None:
    if head.shards != setting.shards:
        raise StateProblem(
            f"the query was begun with {head.shards} shards, not {setting.shards}",
            code="ShardsError",
            hint=f"say shards={head.shards}, or begin a new checkpoint",
        )


def _require_same_layout(shard: Shard) -> None:
    """A shard of a former layout goes on where none of its composites would be elsewhere now."""
    if shard.layout != LAYOUT and shard.has_shares:
        raise StateProblem(
            "the query was begun by a version that did not spread events over shards by their keys",
            code="LayoutError",
            hint="begin a new checkpoint, or go on with the version that began this one",
        )


def _description(source: Source) -> tuple[str, bytes | None]:
    """A source as the store keeps it: a list goes in whole, since a later version of the program
    may not have it.
    """
    return (source.key, source.payload) if isinstance(source, FixedList) else (source.key, None)


def _described(head: Head) -> Source:
    if head.list is not None:
        return FixedList(head.source, head.list)
    return LiveCatalog(head.source.removeprefix("catalog "))
