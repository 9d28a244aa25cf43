"""Sources of the subscriptions of a query: a fixed list, or a live catalog by its version.

A fixed list is compiled once, where the query is made, so that a mistake in it raises there. It may
be in a file, which the suffix decides: `.jsonl`, `.ndjson`, `.json`, `.yaml` and `.yml`, also with
`.gz`. A file is read once; all its problems are reported together, each with its line. The entries
of a live catalog were compiled when they were put; a mistake in one becomes a dead letter. Plans
are shipped with the texts: workers load them.

The catalog's version is a table of one row, read on every scan: in a stream, once per micro-batch.
A log has versions by position.

Joined to the events as a broadcast, the row gives all rows of one micro-batch the same version,
including retried tasks. A catalog older than when the query was made is another database and is
refused: an executor without access to the driver's SQLite file must not be taken for an empty
catalog. Over a log with positions, a micro-batch ends where the next version begins.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tocsin.catalog import (
    Catalog,
    Changes,
    Definition,
    ReadPosition,
    Snapshot,
    StoredPlan,
    Subscription,
    Surroundings,
    compile_subscription,
    ontologies,
    open_catalog,
    read_entries,
    require_agreement,
    with_plan,
)
from tocsin.engine.engine import Engine
from tocsin.errors import MeaningProblem, Problem, StateProblem, UnsupportedProblem
from tocsin.languages.rule.building import LANGUAGE, Rule

VERSION = "catalog_version"

_SHARED = "every executor needs access to the same database: use PostgreSQL on a cluster"


@dataclass(frozen=True, slots=True)
class VersionTask:
    """Task: one row -> the newest version, read where and when the table is scanned."""

    url: str
    oldest: int

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run one task; raises if the catalog is older than when the query was made."""
        for rows in batches:
            yield pa.RecordBatch.from_pydict(
                {VERSION: pa.array([self.version()] * rows.num_rows, pa.int64())}
            )

    def version(self) -> int:
        """Return the newest version."""
        version = shared_catalog(self.url).version()
        require_same_catalog(version, self.oldest)
        return version


def version_table(spark: SparkSession, catalog: Catalog) -> DataFrame:
    """Return the table of one row with the catalog's version."""
    task = VersionTask(catalog.url, catalog.version())
    return spark.range(0, 1, 1, 1).mapInArrow(task, f"{VERSION} bigint")


def shared_catalog(url: str) -> Catalog:
    """Open the catalog in a task; raises with a hint if the task has no access to it."""
    try:
        return open_catalog(url)
    except Problem as problem:
        raise StateProblem(problem.message, code=problem.code, hint=_SHARED) from None


def require_same_catalog(found: int, expected: int) -> None:
    """Raise if a catalog is behind a version that it has had already."""
    if found < expected:
        raise StateProblem(
            f"the catalog is at version {found}, but was at {expected} before",
            code="CatalogError",
            hint=_SHARED,
        )


class VersionsByPosition:
    """The versions of a catalog that have a position, each read once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._versions: list[int] = []
        self._positions: list[int] = []

    def refresh(self, head: ReadPosition | None = None) -> None:
        """Read new versions; with `head`, a change without a position gets the head of the log."""
        if head is not None:
            self._catalog.place(head)
        for each in self._catalog.placed(self._versions[-1] if self._versions else 0):
            self._versions.append(each.version)
            self._positions.append(each.position)

    def at(self, position: int) -> int:
        """Return the version that an event at a position is matched with; 0 before the first."""
        number = bisect_left(self._positions, position)
        return self._versions[number - 1] if number else 0

    def end_of(self, position: int) -> int | None:
        """Return the last position of the version that holds after `position`; None if none is
        known yet.
        """
        number = bisect_right(self._positions, position)
        return self._positions[number] if number < len(self._positions) else None

    def newest(self) -> int:
        """Return the newest version of the catalog."""
        return self._catalog.version()


def open_versions(url: str) -> VersionsByPosition:
    """Return the versions of the catalog behind a URL, in any process."""
    return VersionsByPosition(shared_catalog(url))


_MEMBERS = {"id", "language", "expression", "define"}
"""Members of a subscription or a definition; a dict without any of them maps names to texts."""

_SUFFIXES = (".jsonl", ".ndjson", ".json", ".yaml", ".yml")
_FEW = 5
_NAME = re.compile(r"[^\n<>{}\"'=]*(?:[/\\][^\n<>{}\"'=]*|\.[A-Za-z][A-Za-z0-9]{0,9})")


def is_list_file(name: str | Path) -> bool:
    """True if the name of a path is that of a file of subscriptions."""
    plain = str(name).lower()
    return "://" not in plain and plain.removesuffix(".gz").endswith(_SUFFIXES)


def list_in_file(path: Path) -> list[Subscription | Definition]:
    """Return the entries of a file of subscriptions; raises with the problems of all bad lines."""
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise MeaningProblem(
            f"cannot read {path}: {why}", code="FileError", token=str(path)
        ) from None
    found = read_entries(raw.splitlines(keepends=True))
    if found.problems:
        told = "; ".join(map(str, found.problems[:_FEW]))
        rest = len(found.problems) - _FEW
        raise MeaningProblem(
            f"{path}: {told}" + (f"; and {rest} more" if rest > 0 else ""),
            code="SubscriptionFormatError",
            token=str(path),
            hint=f"see all: tocsin check {path}",
        )
    return [*found.definitions, *(each.subscription for each in found.subscriptions)]


def require_name(text: str) -> None:
    """Raise if a text is neither a path nor a URL: most likely it is a subscription itself."""
    if "://" not in text and _NAME.fullmatch(text) is None and not _is_there(text):
        raise no_subscription(text)


def no_subscription(text: str) -> MeaningProblem:
    """Return the problem of a text in place of a list of subscriptions, a path or a URL."""
    return MeaningProblem(
        f"{_shortened(text)} is neither a list of subscriptions nor the path or URL of a catalog",
        code="SubscriptionFormatError",
        token=text,
        hint=(
            'a rule is a text that begins with WHEN, as in "WHEN order(price > 400)"; another'
            f" subscription has an id and a language: {_as_list(text)}"
        ),
    )


def _is_there(text: str) -> bool:
    try:
        return Path(text).exists()
    except OSError:  # the text is too long for a path
        return False


def _as_list(text: str) -> str:
    if text.lstrip().startswith(("{", "[")):
        return (
            "JSON is given as objects, match(events, [json.loads(line) for line in"
            " text.splitlines()])"
        )
    body = {"id": "s1", "language": "selector", "expression": _shortened(text, "")}
    return f"match(events, [{json.dumps(body, ensure_ascii=False)}])"


def _shortened(text: str, quote: str = "'", most: int = 80) -> str:
    return f"{quote}{text if len(text) <= most else text[: most - 3] + '...'}{quote}"


Entry = Subscription | Definition | Rule | Mapping[str, Any]
Subscriptions = Catalog | str | Path | Entry | Iterable[Entry | str] | Mapping[str, str | Rule]

_RULE = re.compile(r"\s*(--[^\n]*\n\s*)*WHEN\b", re.IGNORECASE)
"""The beginning of a text that is a rule; any other is a selector, as for `Hub.subscribe`."""

FIXED_VERSION = 0


@dataclass(frozen=True, slots=True)
class FixedList:
    """Subscriptions and definitions as packed JSON; equal content has an equal key."""

    key: str
    payload: bytes

    @staticmethod
    def of(entries: Iterable[Subscription | Definition]) -> FixedList:
        """Pack the entries, in their order, with the plans stored in them."""
        held = list(entries)
        text = json.dumps([entry.as_json() for entry in held], sort_keys=True).encode()
        packed = json.dumps([_packed(entry) for entry in held]).encode()
        return FixedList(f"list {blake2b(text, digest_size=16).hexdigest()}", zlib.compress(packed))

    def snapshot(self, version: int) -> Snapshot:
        """Return the content of the list, for any version."""
        entries = [_unpacked(body) for body in json.loads(zlib.decompress(self.payload))]
        return _snapshot(version, entries)


@dataclass(frozen=True, slots=True)
class LiveCatalog:
    """A catalog that may change while the query runs."""

    url: str

    @property
    def key(self) -> str:
        """The name of the catalog in a worker's cache."""
        return f"catalog {self.url}"

    def snapshot(self, version: int) -> Snapshot:
        """Return the content at a version; raises if the catalog has not reached it."""
        return self._at(version).snapshot(version)

    def changes(self, after: int, until: int) -> Changes:
        """Return the changes between two versions; raises if the catalog has not reached them."""
        return self._at(until).changes(after, until)

    def _at(self, version: int) -> Catalog:
        catalog = _opened(self.url)
        require_same_catalog(catalog.version(), version)
        return catalog


Source = FixedList | LiveCatalog


def source_of(given: Subscriptions, ontology: object = None, infer: object = None) -> Source:
    """Return the source for the argument of a query; raises if an entry of a fixed list does not
    compile.

    The path of a file of subscriptions is a fixed list, any other path or URL a live catalog; one
    subscription is a list of one.
    """
    if isinstance(given, str) and _RULE.match(given):
        given = [given]
    if isinstance(given, str | Path) and is_list_file(given):
        given = list_in_file(Path(given))
    if (ontology is not None or infer) and isinstance(given, Catalog | str | Path):
        raise UnsupportedProblem(
            "a live catalog holds its own ontologies",
            hint="put it there: tocsin catalog add --ontology FILE",
        )
    if isinstance(given, Catalog):
        return LiveCatalog(given.url)
    if isinstance(given, str | Path):
        return LiveCatalog(_existing(str(given)).url)
    entries = [*ontologies(ontology, infer), *_entries(given)]
    require_agreement((), [each for each in entries if isinstance(each, Definition)])
    return FixedList.of(_require_good(entries))


def snapshot_of(source: Source) -> Snapshot:
    """Return the content of the list, or the current content of the catalog."""
    return (
        Catalog(source.url).snapshot()
        if isinstance(source, LiveCatalog)
        else source.snapshot(FIXED_VERSION)
    )


def _existing(text: str) -> Catalog:
    """Open the catalog that a text names; the problem says which other arguments are possible."""
    require_name(text)
    try:
        return open_catalog(text)
    except Problem as problem:
        hint = (
            f"{problem.hint}; subscriptions themselves are given as a list of dicts or of"
            " Subscription"
        )
        raise type(problem)(problem.message, code=problem.code, token=text, hint=hint) from None


def _entries(given: object) -> Iterator[Subscription | Definition]:
    """Yield the entries of a list; a text is named by its place in it, or by its key in a dict."""
    if isinstance(given, Mapping) and not _MEMBERS & given.keys():
        for name, text in given.items():
            yield _named_entry(name, text)
        return
    for number, each in enumerate(_listed(given), 1):
        if isinstance(each, str) and not each.lstrip().startswith(("{", "[")):
            yield _named_entry(f"rule-{number}", each)
        else:
            yield _entry(each)


def _named_entry(name: object, given: object) -> Subscription | Definition:
    if not isinstance(name, str):
        raise _no_subscriptions(name)
    if isinstance(given, str):
        language = LANGUAGE if _RULE.match(given) else "selector"
        return Subscription.from_json({"id": name, "language": language, "expression": given})
    if isinstance(given, Rule):
        return Subscription.of(given, id=name)
    if isinstance(given, Mapping) and "id" not in given:
        return _entry({"id": name, **given})
    return _entry(given)


def _listed(given: object) -> Iterable[object]:
    if isinstance(given, Subscription | Definition | Rule | Mapping):
        return [given]
    if isinstance(given, Iterable) and not isinstance(given, bytes | DataFrame):
        return given
    raise _no_subscriptions(given)


def _entry(given: object) -> Subscription | Definition:
    if isinstance(given, Subscription | Definition):
        return given
    if isinstance(given, Rule):
        return Subscription.of(given)
    if isinstance(given, Mapping):
        return Definition.from_json(given) if "define" in given else Subscription.from_json(given)
    if isinstance(given, str):
        raise no_subscription(given)
    raise _no_subscriptions(given)


def _no_subscriptions(given: object) -> MeaningProblem:
    return MeaningProblem(
        f"a subscription is a dict or a Subscription, got {type(given).__name__}",
        code="SubscriptionFormatError",
        token=type(given).__name__,
        hint=(
            'match(events, rules): rules are a text such as "WHEN order(price > 400)", a list of'
            " texts, a dict of name to text, a list of dicts or of Subscription, a catalog, or the"
            " path or URL of one"
        ),
    )


def _snapshot(version: int, entries: Iterable[Subscription | Definition]) -> Snapshot:
    held = list(entries)
    return Snapshot(
        version,
        tuple(entry for entry in held if isinstance(entry, Subscription)),
        tuple(entry for entry in held if isinstance(entry, Definition)),
    )


def _require_good(
    entries: Sequence[Subscription | Definition],
) -> Iterator[Subscription | Definition]:
    """Yield the entries, subscriptions with their plans; raises if one does not compile.

    The engine has to accept them too: workers would refuse what it refuses.
    """
    engine = Engine()
    light = Surroundings.of(each for each in entries if isinstance(each, Definition))
    for entry in entries:
        if isinstance(entry, Definition):
            yield entry
            continue
        try:
            plan = compile_subscription(entry, light)
            engine.add(entry.id, plan)
        except Problem as problem:
            raise _named(problem, entry.id) from None
        yield with_plan(entry, light, plan)


def _packed(entry: Subscription | Definition) -> list[Any]:
    """Return an entry as JSON, with its plan if it has one."""
    stored = entry.stored if isinstance(entry, Subscription) else None
    return [entry.as_json()] if stored is None else [entry.as_json(), stored.origin, stored.wire]


def _unpacked(packed: Any) -> Subscription | Definition:
    """Return the entry of packed data; old state holds lists of bodies without plans."""
    if isinstance(packed, dict):
        return _entry(packed)
    body, *stored = packed
    return Subscription.from_json(body, StoredPlan(*stored)) if stored else _entry(body)


def _named(problem: Problem, subscription: str) -> Problem:
    return type(problem)(
        f"subscription {subscription!r}: {problem.message}",
        code=problem.code,
        place=problem.place,
        token=problem.token,
        hint=problem.hint,
    )


@lru_cache(maxsize=8)
def _opened(url: str) -> Catalog:
    return shared_catalog(url)
