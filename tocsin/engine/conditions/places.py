"""The index for places: a tree of regions, so that an event is compared only with regions near it.

Adding and removing are cheap. Regions added since the tree was built go to a second, small tree.
Trees are built when events arrive; the two are merged when the small one has outgrown the square
root of the total, or half of the large one is removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.conditions.bitmap_matrix import AnswerMatrix, PostingAnswers
from tocsin.engine.conditions.point_in_polygon import PolygonBorders
from tocsin.engine.conditions.probe_table import ProbeTable
from tocsin.engine.conditions.single_event import OneEvent
from tocsin.engine.index.counters import WorkCounters
from tocsin.plan.nodes.atoms import PlaceIs, region_of
from tocsin.values.regions import PlaceTestPairs, RegionTest, RegionTree
from tocsin.values.space import Places, have_places

_ANY_PLACE = None
"""Key of the probe that every event with a place satisfies."""

_SMALL = 64
"""The small tree may grow to this size, for any total."""


class RegionProbeTree:
    """A tree over the tests of some probes."""

    __slots__ = ("_borders", "_positions", "probes", "tree")

    def __init__(self, tests: dict[int, RegionTest]) -> None:
        self.tree = RegionTree(list(tests.values()))
        self._borders = PolygonBorders(list(tests.values()))
        self.probes = np.fromiter(tests, np.int32, len(tests))
        self._positions = {probe: position for position, probe in enumerate(tests)}

    def find_true_tests(self, places: Places) -> PlaceTestPairs:
        """Return every place with every test that holds for it."""
        return self.tree.holding(places, self._borders.classify)

    def forget(self, probe: int) -> None:
        """Remove a probe; its number may be reused."""
        self.tree.forget(self._positions.pop(probe))


class PlaceProbes:
    """Probes by their condition on a place."""

    __slots__ = ("_any", "_large", "_new", "_probes", "_small", "_table", "_tests", "_work")

    def __init__(self, table: ProbeTable, work: WorkCounters) -> None:
        self._table = table
        self._work = work
        self._any: int | None = None
        self._probes: dict[PlaceIs, int] = {}
        self._tests: dict[int, RegionTest] = {}
        self._new: dict[int, RegionTest] = {}
        self._large: RegionProbeTree | None = None
        self._small: RegionProbeTree | None = None

    def __len__(self) -> int:
        return len(self._probes) + (self._any is not None)

    def probe(self, predicate: PlaceIs) -> int:
        """Return the probe for a relation to a region, new or known."""
        found = self._probes.get(predicate)
        if found is None:
            test = RegionTest(
                predicate.relation,
                region_of(predicate.region),
                predicate.distance,
                predicate.metric,
            )
            found = self._probes[predicate] = self._table.new(self, predicate)
            self._tests[found] = self._new[found] = test
            self._small = None
        return found

    def probe_of_any(self) -> int:
        """Return the probe for having a place."""
        if self._any is None:
            self._any = self._table.new(self, _ANY_PLACE)
        return self._any

    def drop(self, probe: int, key: Any) -> None:
        """Remove a probe."""
        if key is _ANY_PLACE:
            self._any = None
            return
        del self._probes[key], self._tests[probe]
        if self._new.pop(probe, None) is not None:
            self._small = None
        elif self._large is not None:
            self._large.forget(probe)
        if not self._tests:
            self._large = self._small = None

    def fill(self, places: Places, rows: AnswerMatrix) -> None:
        """Write the answers of a block of events with these places.

        Each event has a list of probes of its own.
        """
        if self._any is not None:
            rows.put_flags(self._any, have_places(places))
        found = list(self._holding(places))
        events = np.concatenate([np.empty(0, np.intp), *(at for at, _ in found)])
        if not len(events):
            return
        probes = np.concatenate([probes for _, probes in found])
        if len(found) > 1:
            order = np.argsort(events, kind="stable")
            events, probes = events[order], probes[order]
        counts = np.bincount(events, minlength=len(places)).astype(np.int32)
        codes = np.arange(len(places), dtype=np.int32)
        PostingAnswers(codes, np.cumsum(counts) - counts, counts, probes).fill(
            rows, slice(0, len(places))
        )

    def see(self, place: Places, one: OneEvent) -> None:
        """Mark the probes that one event with the place satisfies."""
        if place[0] is None:
            return
        if self._any is not None:
            one.see(self._any)
        for _, probes in self._holding(place):
            one.see_all(probes)

    def _holding(
        self, places: Places
    ) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]]:
        self._plant()
        for grove in (self._large, self._small):
            if grove is not None:
                pairs = grove.find_true_tests(places)
                self._work.place_checks += pairs.compared
                yield pairs.places, grove.probes[pairs.tests]

    def _plant(self) -> None:
        """Build missing trees."""
        gone, size = (
            (0, 0) if self._large is None else (self._large.tree.forgotten, len(self._large.tree))
        )
        if len(self._new) > max(_SMALL, isqrt(len(self._tests))) or 2 * gone > size:
            self._large = RegionProbeTree(self._tests) if self._tests else None
            self._new, self._small = {}, None
        elif self._new and self._small is None:
            self._small = RegionProbeTree(self._new)
