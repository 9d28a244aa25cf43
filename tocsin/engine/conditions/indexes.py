"""All indexes: one set per attribute in use, created for its first probe, removed with its last.

The simple ones are here. Equality and IN lead from a value to the probes that contain it: exact for
numbers of any size. One index holds values of one kind only, so that TRUE never meets 1; within a
kind, Python's equality is right. IS NULL tests for the kind NULL. Computed predicates are not
indexed; each distinct one is evaluated once per event.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from math import isnan
from typing import Any, assert_never

import numpy as np

from tocsin.engine.columns.batch import Column, EventBatch
from tocsin.engine.conditions.answers import AnswerMatrix, OneEvent, PostingAnswers
from tocsin.engine.conditions.comparisons import NumberProbes, TextAnswers, TextProbes
from tocsin.engine.conditions.likes import LikeProbes
from tocsin.engine.conditions.places import PlaceProbes
from tocsin.engine.conditions.probes import (
    AttributeProbes,
    HasPlace,
    KnownTruth,
    OfKind,
    Probe,
    ProbeTable,
)
from tocsin.engine.index.encoding import Distinct, nearest_float
from tocsin.engine.index.growable import Postings, SlotAllocator
from tocsin.engine.index.matcher_parts import WorkCounters
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Computed, Equals, IsNull, Like, OneOf, Ordered, PlaceIs
from tocsin.plan.semantics.predicate_truth import predicate_truth
from tocsin.values.scalars import Kind, Path, kind_of
from tocsin.values.truth import Truth

_ABSENT = -1


class MemberProbes:
    """Probes by the set of their values. The key is the value of a set of one, else the sorted
    tuple.
    """

    __slots__ = ("_attribute", "_lists", "_postings", "_probes")

    def __init__(self, attribute: AttributeProbes) -> None:
        self._attribute = attribute
        self._probes: dict[Any, int] = {}
        self._lists: dict[Any, int] = {}
        self._postings = Postings()

    def __len__(self) -> int:
        return len(self._probes)

    def probe(self, *values: Any) -> int:
        """Return the probe for a set of values, new or known."""
        key = values[0] if len(values) == 1 else tuple(sorted(values))
        found = self._probes.get(key)
        if found is None:
            found = self._probes[key] = self._attribute.new_probe(self, key)
            for value in _values(key):
                self._post(value, found)
        return found

    def drop(self, probe: int, key: Any) -> None:
        """Remove a probe, and every value that only it had."""
        del self._probes[key]
        for value in _values(key):
            if self._postings.remove(self._lists[value], probe):
                del self._lists[value]
        self._attribute.lose_probe()

    def answers(self, distinct: Distinct) -> PostingAnswers | None:
        """Return the list of probes of each distinct value of a batch; None if no probe has any of
        them.
        """
        values = distinct.values
        found = map(self._lists.get, values, repeat(_ABSENT, len(values)))
        lists = np.fromiter(found, np.int64, len(values))
        known = lists != _ABSENT
        if not known.any():
            return None
        starts = np.where(known, self._postings.starts.array[lists], 0)
        counts = np.where(known, self._postings.counts.array[lists], 0)
        return PostingAnswers(distinct.codes, starts, counts, self._postings.pool.array)

    def see(self, value: Any, one: OneEvent) -> None:
        """Mark the probes that one event with the value satisfies."""
        found = self._lists.get(value)
        if found is not None:
            one.see_all(self._postings.of(found))

    def _post(self, value: Any, probe: int) -> None:
        known = self._lists.get(value)
        if known is None:
            self._lists[value] = self._postings.new(probe)
        else:
            self._postings.append(known, probe)


def _values(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


class ComputedProbes:
    """For each predicate the probes of the truths that subscriptions need."""

    __slots__ = ("_predicates", "_table")

    def __init__(self, table: ProbeTable) -> None:
        self._table = table
        self._predicates: dict[Computed, dict[Truth, int]] = {}

    def __len__(self) -> int:
        return len(self._predicates)

    def probe(self, predicate: Computed, truth: Truth) -> int:
        """Return the probe for a truth of a predicate, new or known."""
        probes = self._predicates.setdefault(predicate, {})
        found = probes.get(truth)
        if found is None:
            found = probes[truth] = self._table.new(self, (predicate, truth))
        return found

    def drop(self, probe: int, key: Any) -> None:
        """Remove a probe."""
        predicate, truth = key
        del self._predicates[predicate][truth]
        if not self._predicates[predicate]:
            del self._predicates[predicate]

    def fill(self, batch: EventBatch, rows: AnswerMatrix, window: slice) -> None:
        """Write the rows of the events in the window."""
        if not self._predicates:
            return
        events = [batch.event(i) for i in range(window.start, window.stop)]
        for predicate, probes in self._predicates.items():
            truths = np.fromiter(
                (predicate_truth(predicate, event) for event in events), np.int8, len(events)
            )
            for truth, probe in probes.items():
                rows.put_flags(probe, truths == truth)

    def see(self, event: Event, one: OneEvent) -> None:
        """Mark the probes that one event satisfies."""
        for predicate, probes in self._predicates.items():
            probe = probes.get(predicate_truth(predicate, event))
            if probe is not None:
                one.see(probe)


class KindProbes:
    """At most one probe per kind."""

    __slots__ = ("_attribute", "_probes")

    def __init__(self, attribute: AttributeProbes) -> None:
        self._attribute = attribute
        self._probes: dict[Kind, int] = {}

    def probe(self, kind: Kind) -> int:
        """Return the probe for a kind, new or known."""
        found = self._probes.get(kind)
        if found is None:
            found = self._probes[kind] = self._attribute.new_probe(self, kind)
        return found

    def drop(self, probe: int, key: Any) -> None:
        """Remove a probe."""
        del self._probes[key]
        self._attribute.lose_probe()

    def fill(self, column: Column, rows: AnswerMatrix, window: slice) -> None:
        """Write the rows of the events in the window."""
        for kind, probe in self._probes.items():
            rows.put_flags(probe, column.kinds[window] == kind)

    def see(self, kind: Kind, one: OneEvent) -> None:
        """Mark the probe that one event with a value of the kind satisfies."""
        probe = self._probes.get(kind)
        if probe is not None:
            one.see(probe)


COLUMNS = 2
"""Columns per attribute for comparisons: its number, and its position among the compared texts."""


class AttributeIndexes:
    """All indexes of one attribute; those that few attributes need are made when first used."""

    __slots__ = (
        "_attribute",
        "_work",
        "kinds",
        "likes",
        "members",
        "number",
        "numbers",
        "path",
        "texts",
    )

    def __init__(self, path: Path, attribute: AttributeProbes, work: WorkCounters) -> None:
        self.path = path
        self._attribute, self._work = attribute, work
        self.number = attribute.number
        self.kinds = KindProbes(attribute)
        self.numbers = NumberProbes(attribute, COLUMNS * attribute.number)
        self.texts: TextProbes | None = None
        self.likes: LikeProbes | None = None
        self.members = {
            kind: MemberProbes(attribute) for kind in (Kind.BOOLEAN, Kind.NUMBER, Kind.STRING)
        }

    def use_texts(self) -> TextProbes:
        """Return the index of the order of texts; make it before its first use."""
        if self.texts is None:
            self.texts = TextProbes(self._attribute, COLUMNS * self.number + 1)
        return self.texts

    def use_likes(self) -> LikeProbes:
        """Return the index of LIKE; make it before its first use."""
        if self.likes is None:
            self.likes = LikeProbes(self._attribute, self._work)
        return self.likes

    def see(self, value: Any, one: OneEvent) -> None:
        """Mark the probes that one event with the value satisfies."""
        kind = kind_of(value)
        if kind is Kind.NUMBER and isnan(nearest_float(value)):
            kind = Kind.NULL
        self.kinds.see(kind, one)
        if kind in self.members:
            self.members[kind].see(value, one)
        if kind is Kind.NUMBER and len(self.numbers):
            self.numbers.see(value, one)
        if kind is Kind.STRING and self.texts is not None and len(self.texts):
            self.texts.see(value, one)
        if kind is Kind.STRING and self.likes is not None and len(self.likes):
            self.likes.see(value, one)


class ConditionIndexes:
    """Map from probes to their numbers, and from events to the probes that they satisfy."""

    __slots__ = ("_attributes", "_computed", "_numbers", "_places", "_work", "table")

    def __init__(self, work: WorkCounters) -> None:
        self._work = work
        self.table = ProbeTable()
        self._attributes: dict[Path, AttributeIndexes] = {}
        self._numbers = SlotAllocator()
        self._computed = ComputedProbes(self.table)
        self._places: PlaceProbes | None = None

    def __len__(self) -> int:
        """Return the number of attributes in use."""
        return len(self._attributes)

    def use(self, probe: Probe) -> int:
        """Count one more use of a probe; return its number."""
        number = self.number_of(probe)
        self.table.uses[number] += 1
        return number

    def number_of(self, probe: Probe) -> int:
        """Return the number of a probe that is in use, or is about to be."""
        match probe:
            case Equals():
                return self._at(probe.path).members[probe.value.kind].probe(probe.value.value)
            case Ordered():
                return self._number_of_ordered(probe)
            case OneOf(path, values):
                return self._at(path).members[probe.kind].probe(*(value.value for value in values))
            case Like(path, pattern):
                return self._at(path).use_likes().probe(pattern)
            case IsNull(path):
                return self._at(path).kinds.probe(Kind.NULL)
            case OfKind(path, kind):
                return self._at(path).kinds.probe(kind)
            case KnownTruth(predicate, truth):
                return self._computed.probe(predicate, truth)
            case PlaceIs():
                return self._use_places().probe(probe)
            case HasPlace():
                return self._use_places().probe_of_any()
            case _:
                assert_never(probe)

    def _number_of_ordered(self, probe: Ordered) -> int:
        index, limit = self._at(probe.path), probe.limit
        if limit.kind is Kind.STRING:
            return index.use_texts().probe(probe.relation, limit.value)  # type: ignore[arg-type]
        return index.numbers.probe(probe.relation, limit.value)  # type: ignore[arg-type]

    def fill(self, batch: EventBatch, rows: AnswerMatrix, block: int) -> Iterator[slice]:
        """Write the answers block by block; yield each window while its answers are there."""
        lists = [answers for index in self._attributes.values() for answers in _lists(index, batch)]
        for start in range(0, batch.size, block):
            window = slice(start, min(start + block, batch.size))
            rows.begin(window.stop - window.start, self.table.capacity)
            for index in self._attributes.values():
                column = batch.column(index.path)
                index.kinds.fill(column, rows, window)
                index.numbers.fill(column, rows, window)
            for answers in lists:
                answers.fill(rows, window)
            if self._places is not None and len(self._places):
                self._places.fill(batch.places()[window], rows)
            self._computed.fill(batch, rows, window)
            yield window

    def see(self, batch: EventBatch, i: int, one: OneEvent, slots: int) -> None:
        """Mark the probes that one event of the batch satisfies; `slots` is the number of
        subscription slots.
        """
        one.begin(self.table.capacity, slots, COLUMNS * self._numbers.capacity)
        for index in self._attributes.values():
            index.see(batch.value(index.path, i), one)
        if len(self._computed):
            self._computed.see(batch.event(i), one)
        if self._places is not None and len(self._places):
            self._places.see(batch.places()[i : i + 1], one)

    def _use_places(self) -> PlaceProbes:
        if self._places is None:
            self._places = PlaceProbes(self.table, self._work)
        return self._places

    def _at(self, path: Path) -> AttributeIndexes:
        found = self._attributes.get(path)
        if found is None:
            number = self._numbers.allocate()
            attribute = AttributeProbes(self.table, number, lambda: self._discard(path))
            found = self._attributes[path] = AttributeIndexes(path, attribute, self._work)
        return found

    def _discard(self, path: Path) -> None:
        self._numbers.release(self._attributes.pop(path).number)
        if not self._attributes:
            self._numbers = SlotAllocator()


def _lists(index: AttributeIndexes, batch: EventBatch) -> Iterator[PostingAnswers | TextAnswers]:
    """Yield the answers for the distinct values of a batch, computed once for all its blocks."""
    column = batch.column(index.path)
    for kind, members in index.members.items():
        answers = members.answers(column.distinct(kind)) if len(members) else None
        if answers is not None:
            yield answers
    if index.likes is not None and len(index.likes):
        answers = index.likes.answers(column.distinct(Kind.STRING))
        if answers is not None:
            yield answers
    if index.texts is not None and len(index.texts):
        placed = index.texts.answers(column.distinct(Kind.STRING))
        if placed is not None:
            yield placed
