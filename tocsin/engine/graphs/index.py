"""The shapes under one ontology, and those that an event satisfies: rule out many, search the rest.

The arcs of an event are looked up by their classes and property; the links found at home, and the
constants, lead to candidates; a candidate without one of its links or constants is dropped; the
rest is searched, first quickly, then thoroughly.

Each shape has one anchor, and is tested only for events that have it: a link that must join home
with a vertex, or a constant; of those of a shape the one with the fewest shapes is chosen. A shape
without any (a path from home to variables) is tested for every event.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.graphs.encoding import EncodedGraph, key_of
from tocsin.engine.graphs.kernel import (
    ALL_DIFFER,
    NO,
    NONE_DIFFER,
    RESOURCES_DIFFER,
    UNDECIDED,
    YES,
    refute,
    search,
)
from tocsin.engine.graphs.link_pairs import LinkPairs
from tocsin.engine.graphs.links import HOME_POSITION, NO_LINK, LinkTable, Numbers, PatternShape
from tocsin.engine.graphs.work import GraphWork
from tocsin.engine.index.growable import (
    INT32,
    INT64,
    CountedSlots,
    Growable,
    Postings,
    SlotAllocator,
    put,
)
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.graphs import Injective
from tocsin.values.terms import Iri, Literal

_WORTH_COMPACTING = 1024


class Records:
    """Records of small numbers, of any length, in one pool; holes are closed at half of the pool.

    The number of a removed record is reused.
    """

    __slots__ = ("_extents", "_holes", "_numbers", "pool", "starts")

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.pool = Growable(INT32)
        self.starts = Growable(INT64)
        self._extents = Growable(INT32)
        self._numbers = SlotAllocator()
        self._holes = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, record: list[int]) -> int:
        """Add a record; return its number."""
        number = self._numbers.allocate()
        put(self.starts, number, self.pool.extend(record))
        put(self._extents, number, len(record))
        return number

    def remove(self, number: int) -> None:
        """Remove a record; removing the last one frees everything."""
        self._holes += self._extents[number]
        self._extents[number] = 0
        self._numbers.release(number)
        if not len(self):
            self._clear()
        elif self._holes > max(_WORTH_COMPACTING, len(self.pool) // 2):
            self._compact()

    def _compact(self) -> None:
        extents = self._extents.array.astype(np.int64)
        moved = np.cumsum(extents) - extents
        places = np.arange(extents.sum()) + np.repeat(self.starts.array - moved, extents)
        self.pool.replace(self.pool.array[places])
        self.starts.array[:] = moved
        self._holes = 0


class Constants:
    """Constants in use, each distinct one numbered once, with reference counts.

    Literals of equal value are one constant. The number of an unused constant is reused.
    """

    __slots__ = ("_numbers",)

    def __init__(self) -> None:
        self._numbers = CountedSlots[Hashable]()

    def __len__(self) -> int:
        return len(self._numbers)

    def use(self, constant: Iri | Literal) -> int:
        """Count one more use of a constant; return its number."""
        return self._numbers.use(key_of(constant))

    def release(self, constant: Iri | Literal) -> None:
        """Count one use less; remove the constant with its last use."""
        number = self._numbers.slot_of(key_of(constant))
        assert number is not None
        self._numbers.release(number)

    def images(self, graph: EncodedGraph) -> Numbers:
        """Return the vertex of each constant, -1 if the event has none."""
        found = np.full(self._numbers.capacity, -1, np.int64)
        if len(self._numbers):
            for vertex, term in enumerate(graph.terms):
                number = self._numbers.slot_of(key_of(term))
                if number is not None:
                    found[number] = vertex
        return found


Anchor = tuple[str, int]

ALWAYS: Anchor = ("always", 0)


def home_link_anchor(number: int) -> Anchor:
    """Return the anchor for a link from home."""
    return ("home", number)


def constant_anchor(number: int) -> Anchor:
    """Return the anchor for a constant of the event."""
    return ("constant", number)


class PatternAnchors:
    """Shapes by anchor."""

    __slots__ = ("_anchors", "_lists", "_shapes")

    def __init__(self) -> None:
        self._lists: dict[Anchor, int] = {}
        self._shapes = Postings()
        self._anchors: dict[int, Anchor] = {}

    def __len__(self) -> int:
        return len(self._lists)

    def add(self, shape: int, possible: Iterable[Anchor]) -> None:
        """File a shape under one of its possible anchors."""
        anchor = min(possible, key=self._load, default=ALWAYS)
        self._anchors[shape] = anchor
        if anchor in self._lists:
            self._shapes.append(self._lists[anchor], shape)
        else:
            self._lists[anchor] = self._shapes.new(shape)

    def remove(self, shape: int) -> None:
        """Remove a shape."""
        anchor = self._anchors.pop(shape)
        if self._shapes.remove(self._lists[anchor], shape):
            del self._lists[anchor]

    def candidates(self, present: Iterable[Anchor]) -> Numbers:
        """Return the shapes filed under one of these anchors, or under none."""
        lists = (self._lists.get(anchor) for anchor in (ALWAYS, *present))
        found = [self._shapes.of(number) for number in lists if number is not None]
        return np.concatenate([np.empty(0, np.int64), *found])

    def _load(self, anchor: Anchor) -> int:
        number = self._lists.get(anchor)
        return 0 if number is None else int(self._shapes.counts[number])


QUICK = 2_000
"""Steps of the quick search for one shape."""

_DIFFER = {
    Injective.NONE: NONE_DIFFER,
    Injective.RESOURCES: RESOURCES_DIFFER,
    Injective.ALL: ALL_DIFFER,
}
_VARIABLE = -1
UNKNOWN = 3
"""Answer of shapes that the kernels cannot decide, because the pairs of a link are not known."""


@dataclass(frozen=True, slots=True)
class PatternAnswers:
    """The satisfied shapes, those left open by the quick search, and those with too many paths."""

    matching: Numbers
    open: list[int]
    aborted: list[int]


class OntologyIndex:
    """Shapes by number."""

    __slots__ = (
        "_anchors",
        "_constants",
        "_exact",
        "_longest",
        "_numbers",
        "_records",
        "_work",
        "links",
        "shapes",
    )

    def __init__(self, ontology: Ontology, work: GraphWork) -> None:
        self.links = LinkTable(ontology)
        self.shapes: dict[int, PatternShape] = {}
        self._numbers: dict[PatternShape, int] = {}
        self._constants = Constants()
        self._records = Records()
        self._anchors = PatternAnchors()
        self._longest = 0
        self._exact: set[int] = set()
        self._work = work

    def __len__(self) -> int:
        return len(self.shapes)

    def number(self, shape: PatternShape) -> int | None:
        """Return the number of a known shape; None for a new one."""
        return self._numbers.get(shape)

    def add(self, shape: PatternShape) -> int:
        """Add a shape; return its number."""
        links = [self.links.use(step.link) for step in shape.steps]
        constants = [self._constants.use(each) for each in shape.constants]
        bases = [self.links.bases[number] for number in links]
        number = self._records.add(_record(shape, constants, links, bases))
        self.shapes[number] = shape
        self._numbers[shape] = number
        if shape.exact is not None:
            self._exact.add(number)
        self._longest = max(self._longest, len(shape.steps), shape.positions)
        self._anchors.add(number, _possible_anchors(shape, constants, bases))
        return number

    def remove(self, number: int) -> None:
        """Remove a shape and all state that only it used."""
        shape = self.shapes.pop(number)
        del self._numbers[shape]
        self._exact.discard(number)
        self._anchors.remove(number)
        self._records.remove(number)
        for each in shape.constants:
            self._constants.release(each)
        for step in shape.steps:
            held = self.links.number(step.link)
            assert held is not None
            self.links.release(held)

    def answers(self, graph: EncodedGraph) -> PatternAnswers:
        """Return the answers of the event for all shapes."""
        pairs, images = LinkPairs(graph, self.links), self._constants.images(graph)
        left = self._not_refuted(pairs, images)
        if not len(left):
            return PatternAnswers(left, [], [])
        found = self._searched(left, pairs, images, graph)
        matching, unknown = left[found == YES], left[found == UNKNOWN].tolist()
        undecided = left[found == UNDECIDED].tolist()
        if not self._exact:
            return PatternAnswers(matching, undecided, unknown)
        exact = np.isin(matching, list(self._exact))
        return PatternAnswers(matching[~exact], undecided + matching[exact].tolist(), unknown)

    def _not_refuted(self, pairs: LinkPairs, images: Numbers) -> Numbers:
        at_home = pairs.at_home()
        present = [home_link_anchor(number) for number in np.flatnonzero(at_home).tolist()]
        present += [constant_anchor(number) for number in np.flatnonzero(images >= 0).tolist()]
        candidates = self._anchors.candidates(present)
        wanted, left = np.zeros(self.links.capacity, np.bool_), np.empty(len(candidates), np.int64)
        pool, starts = self._records.pool.array, self._records.starts.array
        count = refute(
            candidates, pool, starts, pairs.first, pairs.last, at_home, images, wanted, left
        )
        self._work.candidates += len(candidates)
        self._work.survivors += count
        pairs.add(np.flatnonzero(wanted))
        return left[:count]

    def _searched(
        self, left: Numbers, pairs: LinkPairs, images: Numbers, graph: EncodedGraph
    ) -> npt.NDArray[Any]:
        answers = np.full(len(left), NO, np.int64)
        self._work.steps += search(
            left,
            self._records.pool.array,
            self._records.starts.array,
            pairs.first,
            pairs.last,
            pairs.subjects,
            pairs.objects,
            images,
            np.array(graph.literals(), np.bool_),
            np.zeros(len(graph), np.bool_),
            np.empty(self._longest + 1, np.int64),
            np.empty(self._longest + 1, np.int64),
            QUICK,
            answers,
        )
        if pairs.unknown:
            answers[[self._has_any(number, pairs.unknown) for number in left.tolist()]] = UNKNOWN
        return answers

    def _has_any(self, shape: int, links: set[int]) -> bool:
        return any(self.links.number(step.link) in links for step in self.shapes[shape].steps)


def _record(
    shape: PatternShape, constants: list[int], links: list[int], bases: list[int]
) -> list[int]:
    """Return the shape in the form that the kernels read."""
    record = [shape.positions, len(shape.steps), _DIFFER[shape.injective]]
    record += [HOME_POSITION, *(number + 1 for number in constants), *[_VARIABLE] * shape.variables]
    for step, link, base in zip(shape.steps, links, bases, strict=True):
        record += [step.subject, step.object, link, int(step.binds), base]
    return record


def _possible_anchors(shape: PatternShape, constants: list[int], bases: list[int]) -> list[Anchor]:
    at_home = zip(shape.steps, bases, strict=True)
    homes = [
        home_link_anchor(base)
        for step, base in at_home
        if step.subject == HOME_POSITION and base != NO_LINK
    ]
    return homes + [constant_anchor(number) for number in constants]
