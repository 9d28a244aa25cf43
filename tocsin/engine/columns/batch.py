"""A batch of events as columns, each created on first access. A missing attribute is null.

Arrow arrays become typed arrays, without a Python object per value if the type allows: whole
numbers, floats, booleans and strings (plain or dictionary) are read directly; decimals become
canonical numbers; every other type (lists, structs, times, binary) is present but compares as
unknown. Events are split into partitions by columns: none is created for its key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from tocsin.engine.index.encoding import Distinct, Encoding, encoding_of_values
from tocsin.engine.index.kernels import Ints
from tocsin.engine.json_scan.scanned_events import (
    ScannedEvents,
    TapeColumns,
    is_in_text,
    read_columns_if_many,
)
from tocsin.events.event import Event
from tocsin.lazy_import import LazyModule
from tocsin.values.scalars import ENVELOPE, INSTANT, Kind, Path
from tocsin.values.space import Places, as_places, parse_places
from tocsin.values.time import parse_instant

if TYPE_CHECKING:
    import pyarrow.compute as pc
else:
    pc = LazyModule("pyarrow.compute")
import numpy as np

from tocsin.engine.index.encoding import (
    Codes,
    Flags,
    Floats,
    Kinds,
    number_values,
)
from tocsin.plan.nodes.composites import Key
from tocsin.values.partition_hash import partition_of
from tocsin.values.scalars import canonical_number


def encoding_of_arrow(array: Any) -> Encoding:
    """Return the encoding of an Arrow array, chunked or not."""
    whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    given = whole.type
    if pa.types.is_dictionary(given) and not _is_string(given.value_type):
        return encoding_of_arrow(whole.cast(given.value_type))
    if pa.types.is_decimal(given):
        return encoding_of_values(
            [None if v is None else canonical_number(v) for v in whole.to_pylist()]
        )
    if pa.types.is_dictionary(given):
        return _strings(whole, whole)
    if _is_string(given):
        return _strings(whole, whole.cast(pa.large_string()).dictionary_encode())
    if pa.types.is_integer(given) or pa.types.is_floating(given):
        return _numbers(whole)
    return _booleans(whole) if pa.types.is_boolean(given) else _others(whole)


def encoding_of_nothing(size: int) -> Encoding:
    """Return the encoding of an attribute that no event has."""
    return _others(pa.nulls(size))


def _is_string(given: Any) -> bool:
    return bool(
        pa.types.is_string(given)
        or pa.types.is_large_string(given)
        or pa.types.is_string_view(given)
    )


def _numbers(array: Any) -> Encoding:
    plain = array.cast(pa.float64()) if pa.types.is_floating(array.type) else array
    held = plain.fill_null(0).to_numpy(zero_copy_only=False)
    numbers: Floats = np.where(_present(array), held.astype(np.float64), np.nan)
    kinds = _kinds(~np.isnan(numbers), Kind.NUMBER)

    def distinct(kind: Kind) -> Distinct:
        at = np.flatnonzero(kinds == Kind.NUMBER) if kind is Kind.NUMBER else np.empty(0, np.intp)
        codes = _no_codes(kinds)
        different, codes[at] = number_values(held[at].tolist())
        return Distinct(different, codes)

    return Encoding(kinds, numbers, lambda i: array[i].as_py(), distinct)


def _strings(array: Any, dictionary: Any) -> Encoding:
    """Encode strings. A dictionary may hold a string twice, or a null, so it is renumbered."""
    entries, renumbered = number_values(dictionary.dictionary.to_pylist())
    indices = dictionary.indices.fill_null(0).to_numpy(zero_copy_only=False)
    codes = renumbered[indices] if entries else _no_codes(indices)
    present = (
        _present(dictionary) & np.array([entry is not None for entry in entries] or [False])[codes]
    )
    kinds = _kinds(present, Kind.STRING)
    strings = Distinct(entries, np.where(present, codes, -1).astype(np.int32))
    return _encoding(array, kinds, {Kind.STRING: strings})


def _booleans(array: Any) -> Encoding:
    present = _present(array)
    held = array.fill_null(False).to_numpy(zero_copy_only=False)
    booleans = Distinct([False, True], np.where(present, held, -1).astype(np.int32))
    return _encoding(array, _kinds(present, Kind.BOOLEAN), {Kind.BOOLEAN: booleans})


def _others(array: Any) -> Encoding:
    return _encoding(array, _kinds(_present(array), Kind.OTHER), {})


def _encoding(array: Any, kinds: Kinds, distinct: dict[Kind, Distinct]) -> Encoding:
    numbers = np.full(len(kinds), np.nan)
    nothing = Distinct([], _no_codes(kinds))
    return Encoding(
        kinds, numbers, lambda i: array[i].as_py(), lambda kind: distinct.get(kind, nothing)
    )


def _present(array: Any) -> Flags:
    flags: Flags = array.is_valid().to_numpy(zero_copy_only=False)
    return flags


def _kinds(present: Flags, kind: Kind) -> Kinds:
    return np.where(present, np.uint8(kind), np.uint8(Kind.NULL))


def _no_codes(like: Any) -> Codes:
    return np.full(len(like), -1, np.int32)


class Column:
    """One attribute over a batch, for all kinds: `kinds`, `numbers`, exact and distinct values."""

    __slots__ = ("_distinct", "_encoding", "kinds", "numbers", "value")

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._distinct: dict[Kind, Distinct] = {}
        self.kinds = encoding.kinds
        self.numbers = encoding.numbers
        self.value = encoding.value

    @staticmethod
    def of_values(values: Sequence[Any]) -> Column:
        """Return the column of Python values as events hold them; None is null."""
        return Column(encoding_of_values(values))

    @staticmethod
    def of_arrow(array: Any) -> Column:
        """Return the column of an Arrow array, chunked or not."""
        return Column(encoding_of_arrow(array))

    @property
    def size(self) -> int:
        """Number of events."""
        return len(self.kinds)

    def distinct(self, kind: Kind) -> Distinct:
        """Return the distinct values of a kind; cached."""
        if kind not in self._distinct:
            self._distinct[kind] = self._encoding.distinct(kind)
        return self._distinct[kind]


class _Unknown(Enum):
    YET = 0


class EventBatch(Protocol):
    """Interface of a batch, as matchers need it, from any source of events."""

    @property
    def size(self) -> int:
        """Number of events."""
        ...

    def column(self, path: Path) -> Column:
        """Return one attribute of all events."""
        ...

    def value(self, path: Path, i: int) -> Any:
        """Return one attribute of one event; None if it is null or absent."""
        ...

    def event(self, i: int) -> Event:
        """Return one whole event."""
        ...

    def places(self) -> Places:
        """Return the place of each event; None if it has none."""
        ...


class Batch:
    """Events in memory. For events with scanned texts, columns come from the texts."""

    __slots__ = ("_attributes", "_columns", "_events", "_places", "_scanned")

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._attributes: list[Mapping[str, Any]] | None = None
        self._columns: dict[Path, Column] = {}
        self._places: Places | None = None
        self._scanned: TapeColumns | _Unknown | None = _Unknown.YET

    @property
    def size(self) -> int:
        """Number of events."""
        return len(self._events)

    def column(self, path: Path) -> Column:
        """Return one attribute of all events; cached."""
        if path not in self._columns:
            self._columns[path] = self._column(path)
        return self._columns[path]

    def _column(self, path: Path) -> Column:
        scanned = self._scan() if is_in_text(path) else None
        if scanned is not None:
            return Column(scanned.encoding(path))
        return Column.of_values(self._values(path))

    def _scan(self) -> TapeColumns | None:
        if self._scanned is _Unknown.YET:
            self._scanned = read_columns_if_many(self._events)
        return self._scanned

    def _values(self, path: Path) -> list[Any]:
        """Return the values as `Event.attribute` does.

        A path of one step, the usual case, needs no call per event.
        """
        if len(path) == 3 and path[0] == ENVELOPE and isinstance(self._events, ScannedEvents):
            return self._events.measured_times(path)
        if len(path) > 1:
            return [event.attribute(path) for event in self._events]
        if self._attributes is None:
            self._attributes = [
                event.data if type(event.data) is dict else event.attributes
                for event in self._events
            ]
        name = path[0]
        return [attributes.get(name) for attributes in self._attributes]

    def value(self, path: Path, i: int) -> Any:
        """Return one attribute of one event."""
        return self._events[i].attribute(path)

    def event(self, i: int) -> Event:
        """Return one whole event."""
        event = self._events[i]
        if self._places is not None:
            event._place = self._places[i]
        return event

    def chosen(self, numbers: Ints) -> list[Event]:
        """Return the events with the numbers, which may repeat."""
        events = self._events
        if isinstance(events, ScannedEvents):
            found = events.chosen(numbers)
        else:
            found = list(map(events.__getitem__, numbers.tolist()))
        if self._places is not None:
            for event, place in zip(found, self._places[numbers].tolist(), strict=True):
                event._place = place
        return found

    def places(self) -> Places:
        """Return the place of each event.

        Unparsed places are parsed together; events accessed afterwards have theirs set.
        """
        if self._places is None:
            self._places = self._read_places()
        return self._places

    def _read_places(self) -> Places:
        scanned = self._scan()
        if scanned is None:
            return _places_of(self._events)
        places = scanned.places()
        if scanned.others:
            places[scanned.others] = _places_of([self._events[row] for row in scanned.others])
        return places


class ArrowBatch:
    """Rows of an Arrow table or record batch.

    An attribute is a mapped column or a member of a mapped struct column; any other attribute is
    absent. Whole events are created only for a computed predicate or a place.
    """

    __slots__ = ("_columns", "_make_event", "_names", "_places", "_table")

    def __init__(
        self, table: Any, names: Mapping[Path, str], make_event: Callable[[int], Event]
    ) -> None:
        self._table = table
        self._names = names
        self._make_event = make_event
        self._columns: dict[Path, Column] = {}
        self._places: Places | None = None

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self._table.num_rows)

    def column(self, path: Path) -> Column:
        """Return one attribute of all rows; cached."""
        if path not in self._columns:
            array = self._array(path)
            encoding = encoding_of_nothing(self.size) if array is None else encoding_of_arrow(array)
            self._columns[path] = Column(encoding)
        return self._columns[path]

    def value(self, path: Path, i: int) -> Any:
        """Return one attribute of one row; None if it is null."""
        column = self.column(path)
        return None if column.kinds[i] == Kind.NULL else column.value(i)

    def event(self, i: int) -> Event:
        """Return one whole event, created anew."""
        return self._make_event(i)

    def places(self) -> Places:
        """Return the place of each row's event; creates all events."""
        if self._places is None:
            self._places = _places_of([self._make_event(i) for i in range(self.size)])
        return self._places

    def _array(self, path: Path) -> Any:
        if len(path) == 3 and path[0] == ENVELOPE:
            return self._times(path)
        for length in range(len(path), 0, -1):
            name = self._names.get(path[:length])
            if name is not None:
                return _member(self._table.column(name), path[length:])
        return None

    def _times(self, path: Path) -> Any:
        """Return a time of the envelope as numbers; parsed from the texts if no column has it."""
        name = self._names.get((*path[:2], INSTANT))
        texts = self._array(path[:2]) if name is None else None
        if name is None and texts is None:
            return None
        instants = _instants(texts) if name is None else self._table.column(name)
        return (
            instants
            if path[2] == INSTANT
            else pa.array([_thousandth(each) for each in instants.to_pylist()])
        )


def _places_of(events: Sequence[Event]) -> Places:
    """Return the places of events; parsed ones are stored in the events."""
    unread = [event for event in events if event._place is None and event.place_source is not None]
    read = parse_places([event.place_source for event in unread])
    for event, place in zip(unread, read.tolist(), strict=True):
        event._place = place
    return read if len(unread) == len(events) else as_places([event._place for event in events])


def _instants(texts: Any) -> Any:
    """Return RFC 3339 times as microseconds; each distinct text is parsed once."""
    whole = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    encoded = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
    read = [
        None if text is None else parse_instant(text) for text in encoded.dictionary.to_pylist()
    ]
    return pa.array(read, pa.int64()).take(encoded.indices)


def _thousandth(instant: int | None) -> int | None:
    return None if instant is None else instant // 1000


def _member(array: Any, steps: Path) -> Any:
    """Return the array of a struct member; None if a step leads nowhere."""
    for step in steps:
        if not pa.types.is_struct(array.type) or array.type.get_field_index(step) < 0:
            return None
        array = pc.struct_field(array, step)
    return array


_KEY_KINDS = (Kind.BOOLEAN, Kind.NUMBER, Kind.STRING)
"""Kinds whose values can be equal; all other values share one partition."""


def partitions_of_batch(batch: EventBatch, key: Key, shares: int) -> Ints:
    """Return the partition number, out of `shares`, of each event of a batch, by a key."""
    if not isinstance(batch, Batch):  # a column may have another type than the attribute
        events = map(batch.event, range(batch.size))
        found = [partition_of([event.attribute(path) for path in key], shares) for event in events]
        return np.array(found, np.int64)
    coded = [_coded(batch.column(path)) for path in key]
    first, back = np.zeros(0, np.int64), np.zeros(batch.size, np.int64)
    for codes, values in coded:  # renumbered each time, so that they stay small
        _, first, back = np.unique(
            back * len(values) + codes, return_index=True, return_inverse=True
        )
    different = [
        partition_of([values[codes[event]] for codes, values in coded], shares)
        for event in first.tolist()
    ]
    numbers: Ints = np.array(different, np.int64)[back]
    return numbers


def _coded(column: Column) -> tuple[Ints, list[object]]:
    """Return the code of each event's value, and the values."""
    values: list[object] = [None]
    codes = np.zeros(column.size, np.int64)
    for kind in _KEY_KINDS:
        distinct = column.distinct(kind)
        codes = np.where(distinct.codes < 0, codes, distinct.codes + len(values))
        values += distinct.values
    return codes, values
