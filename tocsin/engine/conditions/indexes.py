"""All indexes: one set per attribute in use, created for its first probe, removed with its last."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import Any, assert_never

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.conditions.attribute_probes import AttributeProbes
from tocsin.engine.conditions.bitmap_matrix import AnswerMatrix, PostingAnswers
from tocsin.engine.conditions.computed import ComputedProbes
from tocsin.engine.conditions.equality import MemberProbes
from tocsin.engine.conditions.kinds import KindProbes
from tocsin.engine.conditions.likes import LikeProbes
from tocsin.engine.conditions.number_comparisons import NumberProbes
from tocsin.engine.conditions.places import PlaceProbes
from tocsin.engine.conditions.probe_table import ProbeTable
from tocsin.engine.conditions.probes import HasPlace, KnownTruth, OfKind, Probe
from tocsin.engine.conditions.single_event import OneEvent
from tocsin.engine.conditions.text_comparisons import TextAnswers, TextProbes
from tocsin.engine.index.counters import WorkCounters
from tocsin.engine.index.encoding import nearest_float
from tocsin.engine.index.keys import SlotAllocator
from tocsin.events.event import Path
from tocsin.plan.nodes.atoms import Equals, IsNull, Like, OneOf, Ordered, PlaceIs
from tocsin.values.scalars import Kind, kind_of

COLUMNS = 2
"""Columns per attribute for comparisons: its number, and its position among the compared texts."""


class AttributeIndexes:
    """All indexes of one attribute."""

    __slots__ = ("kinds", "likes", "members", "number", "numbers", "path", "texts")

    def __init__(self, path: Path, attribute: AttributeProbes, work: WorkCounters) -> None:
        self.path = path
        self.number = attribute.number
        self.kinds = KindProbes(attribute)
        self.numbers = NumberProbes(attribute, COLUMNS * attribute.number)
        self.texts = TextProbes(attribute, COLUMNS * attribute.number + 1)
        self.likes = LikeProbes(attribute, work)
        self.members = {
            kind: MemberProbes(attribute) for kind in (Kind.BOOLEAN, Kind.NUMBER, Kind.STRING)
        }

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
        if kind is Kind.STRING and len(self.texts):
            self.texts.see(value, one)
        if kind is Kind.STRING and len(self.likes):
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
        self._places = PlaceProbes(self.table, work)

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
                return self._at(path).likes.probe(pattern)
            case IsNull(path):
                return self._at(path).kinds.probe(Kind.NULL)
            case OfKind(path, kind):
                return self._at(path).kinds.probe(kind)
            case KnownTruth(predicate, truth):
                return self._computed.probe(predicate, truth)
            case PlaceIs():
                return self._places.probe(probe)
            case HasPlace():
                return self._places.probe_of_any()
            case _:
                assert_never(probe)

    def _number_of_ordered(self, probe: Ordered) -> int:
        index, limit = self._at(probe.path), probe.limit
        if limit.kind is Kind.STRING:
            return index.texts.probe(probe.relation, limit.value)  # type: ignore[arg-type]
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
            if len(self._places):
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
        if len(self._places):
            self._places.see(batch.places()[i : i + 1], one)

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
    answers = index.likes.answers(column.distinct(Kind.STRING)) if len(index.likes) else None
    if answers is not None:
        yield answers
    placed = index.texts.answers(column.distinct(Kind.STRING)) if len(index.texts) else None
    if placed is not None:
        yield placed
