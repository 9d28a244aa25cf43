"""A shard in the state store: a snapshot and the steps since. Memory is only a cache of the store.

The cache holds shards by the name of their state, a hash over all their steps. A worker that is
new, or that has taken a step that was never committed, does not have that name and rebuilds the
shard: snapshot first, then the steps since. The steps are the original messages, so that storing
them needs no work; when they outgrow the snapshot, a new one is made.

The port to the state of Spark is `KeyedState`, one map and one timer; `state_apis.py` has an
adapter for each interface of Spark. In the map 0 is the head, 1 the list of subscriptions if there
is one, 2 the snapshot, and from 3 on the steps since. It is one state, since in each task Spark
spends more on registering a state than on writing it. Each step has a number of its own, so that
adding one costs nothing for those before it.

Shards are sticky: a worker that gets a step forwards it to the process that holds the shard in
memory.

Spark rotates the Python workers of a machine, so that with two shards on two cores each would find
the other's memory every second time, and would have to be read from the store again. A host listens
on loopback, as Spark's own workers do, and serves only clients with its secret; port and secret are
in a file named by the state, in the folder that Spark keeps for the executor.
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Protocol

from tocsin.errors import Problem, StateProblem
from tocsin.events.dead_letter import shown_error
from tocsin.spark.match_task.messages import pack_results
from tocsin.spark.match_task.serde import pack, unpack
from tocsin.spark.output.batches import batches_of
from tocsin.spark.output.member_output import MemberOutput
from tocsin.spark.plans.sources import FixedList, LiveCatalog, Source
from tocsin.spark.shard.shard import KEYS_PART, Millis, Shard, ShardConfig


class KeyedState(Protocol):
    """State of the shard whose turn it is: a map from numbers to bytes, and a timer."""

    def get(self, number: int) -> bytes | None:
        """Return the bytes under a number, or None."""
        ...

    def put(self, number: int, packed: bytes) -> None:
        """Replace the bytes under a number."""
        ...

    def clear(self) -> None:
        """Remove all numbers."""
        ...

    def set_timer(self, before: Millis | None, at: Millis | None) -> None:
        """Replace the timer at `before` by one at `at`; None for no timer. The two may be equal."""
        ...


_LOOPBACK = "127.0.0.1"
_SECRET_BYTES = 32
_WAITING = 16
"""The backlog of connections: more than a machine has tasks for shards."""

_UNANSWERED = (OSError, EOFError, AuthenticationError, ValueError)
"""The errors of a host that has ended or never existed."""


def folder_of_executor() -> Path | None:
    """Return the folder shared by the workers of an executor, deleted with it; None elsewhere."""
    first = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
    return Path(first) if first and Path(first).is_dir() else None


class ShardHost:
    """This process as a host of shards: `serve` answers requests in threads of their own."""

    def __init__(self, folder: Path, serve: Callable[[Any], Any]) -> None:
        self._folder = folder
        self._serve = serve
        self._secret = os.urandom(_SECRET_BYTES)
        self._listener = Listener((_LOOPBACK, 0), backlog=_WAITING, authkey=self._secret)
        Thread(target=self._listen, name="tocsin home", daemon=True).start()

    def publish_endpoint(self, token: bytes) -> None:
        """Publish that this process holds a shard in the state of that name."""
        said = {"port": self._listener.address[1], "secret": self._secret.hex()}
        target = os.open(_note(self._folder, token), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(target, "w") as file:
            json.dump(said, file)

    def forget(self, token: bytes) -> None:
        """Withdraw the file of a state that this process does not hold."""
        _note(self._folder, token).unlink(missing_ok=True)

    def _listen(self) -> None:
        while True:
            try:
                asker = self._listener.accept()
            except _UNANSWERED:
                continue
            Thread(target=self._answer, args=(asker,), daemon=True).start()

    def _answer(self, asker: Connection) -> None:
        """Answer one request; after an error the caller does the work itself."""
        with asker:
            try:
                answer = self._serve(asker.recv())
            except Exception:
                answer = None
            try:
                asker.send(answer)
            except _UNANSWERED:
                return


def ask_shard_host(folder: Path, token: bytes, question: Any) -> Any:
    """Return the answer of the process that holds a state; None if there is no such process."""
    try:
        said = json.loads(_note(folder, token).read_text())
        with Client((_LOOPBACK, said["port"]), authkey=bytes.fromhex(said["secret"])) as home:
            home.send(question)
            return home.recv()
    except _UNANSWERED:
        return None


def _note(folder: Path, token: bytes) -> Path:
    return folder / f"tocsin-{token.hex()}"


_HEAD, _LIST, _SNAPSHOT, _FIRST_STEP = range(4)

LOG_FACTOR = 4
LOG_BYTES = 256 << 10
"""A new snapshot is due when the steps exceed this size and `LOG_FACTOR` times the last snapshot.
"""


@dataclass(frozen=True, slots=True)
class Head:
    """The state name, sizes, the number of steps, the timer that is set, and the source."""

    token: bytes
    shards: int
    base_bytes: int
    log_bytes: int
    steps: int
    alarm: int | None
    source: str

    def is_full_after(self, step: bytes) -> bool:
        """True if the steps since the last snapshot, with this one, are enough for a new one."""
        log_bytes = self.log_bytes + len(step)
        return log_bytes > max(LOG_BYTES, LOG_FACTOR * self.base_bytes)


class StoredShard:
    """The parts of one shard in the store."""

    def __init__(self, parts: KeyedState) -> None:
        self._parts = parts

    def head(self) -> Head | None:
        """Return the head, or None for a new shard; raises any error if the bytes are damaged."""
        packed = self._get(_HEAD)
        return None if packed is None else Head(*unpack(packed))

    def list(self) -> bytes | None:
        """Return the list of subscriptions; None if they come from a catalog."""
        return self._get(_LIST)

    def snapshot(self) -> bytes | None:
        """Return the last snapshot; None only if the store is damaged."""
        return self._get(_SNAPSHOT)

    def steps(self, head: Head) -> Iterator[bytes | None]:
        """Yield the steps since, in order; one is None only if the store is damaged."""
        return map(self._get, range(_FIRST_STEP, _FIRST_STEP + head.steps))

    def begin(self, head: Head, list: bytes | None, snapshot: bytes) -> None:
        """Replace the whole stored shard."""
        self._parts.clear()
        if list is not None:
            self._put(_LIST, list)
        self._put(_SNAPSHOT, snapshot)
        self._put_head(head)

    def append(self, head: Head, step: bytes) -> None:
        """Write the last step that the head counts, and the head."""
        self._put(_FIRST_STEP + head.steps - 1, step)
        self._put_head(head)

    def _put_head(self, head: Head) -> None:
        self._put(_HEAD, pack(astuple(head)))

    def _get(self, number: int) -> bytes | None:
        return self._parts.get(number)

    def _put(self, number: int, packed: bytes) -> None:
        self._parts.put(number, packed)


KEPT = 64
"""The number of shards that a worker keeps in memory; the least recently used is dropped."""

PATIENCE = 3
"""The number of consecutive steps that may wait for another shard in the same process."""

DAMAGED = "the checkpoint is damaged: put a copy of it in its place, or begin a new checkpoint"


@dataclass(frozen=True, slots=True)
class StepRequest:
    """A step for the shard in the state `token`.

    `is_full` if the steps since the last snapshot are enough for a new one; `source` is None if the
    shard keeps its own.
    """

    token: bytes | None
    setting: ShardConfig
    source: Source | None
    telling: MemberOutput
    step: bytes
    is_full: bool


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step: the new state's name, packed results, the next due time, the source.

    With a snapshot if a new one is to be stored.
    """

    token: bytes
    payloads: list[bytes]
    due: Millis | None
    source: Source
    snapshot: bytes | None


class ShardCache:
    """Shards in a worker's memory by the name of their state.

    One step is taken at a time; other workers of the executor may request it, see `homes`.
    """

    def __init__(self, kept: int = KEPT, folder: Path | None = None) -> None:
        self._kept = kept
        self._by_token: OrderedDict[bytes, Shard] = OrderedDict()
        self._waits: dict[bytes, int] = {}
        self._folder = folder
        self._home: ShardHost | None = None
        self._working = Lock()

    def take(self, errand: StepRequest) -> StepResult | None:
        """Take a step if the shard is in memory in that state, here or in another worker; else
        return None.
        """
        if errand.token is None:
            return None
        if errand.token not in self._by_token and self._folder is not None:
            found: StepResult | None = ask_shard_host(self._folder, errand.token, errand)
            return found
        with self._working:
            return self._taken(errand)

    def take_with(self, shard: Shard, errand: StepRequest) -> StepResult:
        """Take a step with a shard that was not in memory."""
        with self._working:
            return self._take(shard, errand)

    def serve(self, errand: StepRequest) -> StepResult | None:
        """Take a step for another worker, if the shard is here.

        A shard that has waited for another one in more than `PATIENCE` consecutive steps is dropped
        here: reloaded elsewhere, it may run in parallel.
        """
        waits = self._waits.pop(errand.token or b"", 0)
        if self._working.acquire(blocking=False):
            waits = 0
        else:
            waits += 1
            self._working.acquire()
        try:
            if waits > PATIENCE:
                self._pop(errand.token or b"")
                return None
            taken = self._taken(errand)
            if taken is not None and waits:
                self._waits[taken.token] = waits
            return taken
        finally:
            self._working.release()

    def _taken(self, errand: StepRequest) -> StepResult | None:
        shard = self._pop(errand.token or b"")
        return None if shard is None else self._take(shard, errand)

    def _take(self, shard: Shard, errand: StepRequest) -> StepResult:
        is_other = shard.apply_config(errand.setting.pace, errand.source)
        results = shard.run_step(errand.step)
        snapshot = shard.snapshot() if errand.is_full or is_other else None
        batches = batches_of(results, shard.teller(errand.telling))
        due = shard.clock.due(shard.next_instant())
        taken = StepResult(
            shard.token, list(map(pack_results, batches)), due, shard.source, snapshot
        )
        self._put(shard)
        return taken

    def _pop(self, token: bytes) -> Shard | None:
        """Remove and return the shard in that state: if its step fails, it is lost, not wrong."""
        shard = self._by_token.pop(token, None)
        if shard is not None and self._home is not None:
            self._home.forget(token)
        return shard

    def _put(self, shard: Shard) -> None:
        self._by_token[shard.token] = shard
        while len(self._by_token) > self._kept:
            self._pop(next(iter(self._by_token)))
        if self._folder is not None:
            self._home = self._home or ShardHost(self._folder, self.serve)
            self._home.publish_endpoint(shard.token)


WORKER_SHARDS = ShardCache(folder=folder_of_executor())


class ShardStore:
    """The steps of one shard with its state store; `stored` is the stored state."""

    def __init__(self, stored: StoredShard, cache: ShardCache = WORKER_SHARDS) -> None:
        self._stored, self._cache = stored, cache

    def head(self, setting: ShardConfig) -> Head | None:
        """Return the head in the store; None for a new shard. Raises if the number of shards
        differs.
        """
        with _damage_told(setting):
            head = self._stored.head()
        if head is not None:
            _require_same_shards(head, setting)
        return head

    def take(
        self,
        head: Head | None,
        setting: ShardConfig,
        source: Source | None,
        telling: MemberOutput,
        step: bytes,
    ) -> StepResult:
        """Take a step from the last committed state; with `source`, subscriptions come from it from
        now on.
        """
        token = None if head is None else head.token
        is_full = head is None or head.is_full_after(step)
        errand = StepRequest(token, setting, source, telling, step, is_full)
        taken = self._cache.take(errand)
        if taken is not None:
            return taken
        if head is not None:
            return self._cache.take_with(self._rebuilt(setting, head), errand)
        assert source is not None, "only a shard that exists has timers"
        return self._cache.take_with(Shard(setting, source), errand)

    def save(
        self,
        head: Head | None,
        setting: ShardConfig,
        step: bytes,
        taken: StepResult,
        alarm: int | None,
    ) -> None:
        """Store the changes of one step."""
        if taken.snapshot is not None:
            source, listed = _description(taken.source)
            begun = Head(taken.token, setting.shards, len(taken.snapshot), 0, 0, alarm, source)
            self._stored.begin(begun, listed, taken.snapshot)
            return
        assert head is not None, "a new shard begins with a snapshot"
        gone = replace(
            head,
            token=taken.token,
            log_bytes=head.log_bytes + len(step),
            steps=head.steps + 1,
            alarm=alarm,
        )
        self._stored.append(gone, step)

    def _rebuilt(self, setting: ShardConfig, head: Head) -> Shard:
        with _damage_told(setting):
            shard = Shard(setting, _described(head.source, self._stored.list()))
            shard.restore(_required(self._stored.snapshot()))
            for step in self._stored.steps(head):
                shard.run_step(_required(step))
        if shard.token != head.token:
            raise _damaged("the steps in the state store do not lead to its state")
        _require_same_layout(shard)
        return shard


@contextmanager
def _damage_told(setting: ShardConfig) -> Iterator[None]:
    """Convert any error in reading the store into a problem with a hint."""
    try:
        yield
    except Problem:
        raise
    except Exception as error:
        raise _damaged(
            f"the state of shard {setting.number} cannot be read: {shown_error(error)}"
        ) from None


def _required(part: bytes | None) -> bytes:
    if part is None:
        raise _damaged("a part of the state is missing")
    return part


def _damaged(message: str) -> StateProblem:
    return StateProblem(message, code="StateStoreError", hint=DAMAGED)


def _require_same_shards(head: Head, setting: ShardConfig) -> None:
    if head.shards != setting.shards:
        raise StateProblem(
            f"the query was begun with {head.shards} shards, not {setting.shards}",
            code="ShardsError",
            hint=f"say shards={head.shards}, or begin a new checkpoint",
        )


def _require_same_layout(shard: Shard) -> None:
    """Raise if a shard of a former layout has composites that are distributed differently now."""
    if shard.layout < KEYS_PART and shard.has_shares:
        raise StateProblem(
            "the query was begun by a version that did not spread events over shards by their keys",
            code="LayoutError",
            hint="begin a new checkpoint, or go on with the version that began this one",
        )


def _description(source: Source) -> tuple[str, bytes | None]:
    """Return a source as stored: a list in full, since a later program may not have it."""
    return (source.key, source.payload) if isinstance(source, FixedList) else (source.key, None)


def _described(key: str, listed: bytes | None) -> Source:
    if listed is not None:
        return FixedList(key, listed)
    return LiveCatalog(key.removeprefix("catalog "))
