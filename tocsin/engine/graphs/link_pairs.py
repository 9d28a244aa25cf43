"""The pairs of vertices that a link joins in one event: plain links at once, others on demand.

For links that no index decides, and for single patterns, pairs are found arc by arc. Paths may be
many more than arcs: every arc that is followed counts against the budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tocsin.engine.graphs.encoding import HOME, Arc, EncodedGraph
from tocsin.engine.graphs.links import NO_THRESHOLD, LinkPattern, LinkTable, Numbers
from tocsin.engine.graphs.work import Budget, Undecided
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.graphs import is_below
from tocsin.values.terms import Term

Pair = tuple[int, int]

_ARCS_FOR_A_STEP = 4
"""Arcs whose property check costs about as much as a step of the search."""


def pairs_of(
    link: LinkPattern, graph: EncodedGraph, ontology: Ontology, budget: Budget
) -> Iterator[Pair]:
    """Yield the pairs that the link joins; pairs may repeat."""
    budget.spend(len(graph.arcs) // _ARCS_FOR_A_STEP)
    for arc in graph.arcs:
        if not _along(arc, link.property, ontology) or not _starts(arc, link, graph, ontology):
            continue
        last_arcs = (
            path_ends(arc, link.property, graph, ontology, budget) if link.repeated else [arc]
        )
        for last in last_arcs:
            fits = is_below(last.term, last.object_classes, link.object_class, ontology)
            if fits and graph.passes(link.filter, last.term):
                yield (arc.subject, last.object)


def path_ends(
    arc: Arc, wanted: str, graph: EncodedGraph, ontology: Ontology, budget: Budget
) -> list[Arc]:
    """Return the last arcs of all paths that begin with an arc, each once."""
    arcs, expanded = [arc], set[int]()
    for each in arcs:
        budget.spend()
        if each.object not in expanded:
            expanded.add(each.object)
            leaving = graph.leaving(each.object)
            budget.spend(len(leaving) // _ARCS_FOR_A_STEP)
            arcs += [after for after in leaving if _along(after, wanted, ontology)]
    return arcs


def _starts(arc: Arc, link: LinkPattern, graph: EncodedGraph, ontology: Ontology) -> bool:
    return is_below(graph.terms[arc.subject], arc.subject_classes, link.subject_class, ontology)


def _along(arc: Arc, wanted: str, ontology: Ontology) -> bool:
    return wanted in ontology.superproperties(arc.property)


Columns: TypeAlias = tuple[Numbers, Numbers, Numbers]
"""Links, subjects and objects."""


class LinkPairs:
    """The pairs of one event by link, sorted: those of a link are at `first` up to `last`."""

    __slots__ = (
        "_arcs_of_links",
        "_graph",
        "_links",
        "_numbers",
        "first",
        "last",
        "objects",
        "subjects",
        "unknown",
    )

    subjects: Numbers
    objects: Numbers

    def __init__(self, graph: EncodedGraph, links: LinkTable) -> None:
        self.unknown: set[int] = set()
        """Links with too many paths to find."""
        self._graph = graph
        self._links = links
        looks = [links.of_arc(arc) for arc in graph.arcs]
        self._numbers: Numbers = np.concatenate([np.empty(0, np.int64), *looks])
        self._arcs_of_links = np.repeat(np.arange(len(looks)), [len(look) for look in looks])
        self.first = np.zeros(links.capacity, np.int64)
        self.last = np.zeros(links.capacity, np.int64)
        self.subjects = self.objects = np.empty(0, np.int64)
        targets = np.array([arc.object for arc in graph.arcs], np.int64)[self._arcs_of_links]
        self._append(self._numbers, self._subjects_of_arcs()[self._arcs_of_links], targets)

    def at_home(self) -> npt.NDArray[np.bool_]:
        """Return a flag per link: True if it joins home with a vertex."""
        found = np.zeros(self._links.capacity, np.bool_)
        found[self._numbers[self._subjects_of_arcs()[self._arcs_of_links] == HOME]] = True
        return found

    def add(self, wanted: Numbers) -> None:
        """Find the pairs of links that are not plain."""
        if not len(wanted):
            return
        bounded = self._links.threshold_of.array[wanted] != NO_THRESHOLD
        found = [*self._compare(wanted[bounded]), *self._searched(wanted[~bounded].tolist())]
        if found:
            self._append(*(np.concatenate(column) for column in zip(*found, strict=True)))

    def _compare(self, wanted: Numbers) -> Iterator[Columns]:
        """Yield the pairs of links that compare with a number; many links are decided at once per
        arc.
        """
        thresholds, bases = self._links.threshold_of.array[wanted], self._links.bases.array[wanted]
        asked, known = _distinct(thresholds), dict[Term, npt.NDArray[np.bool_]]()
        for base in _distinct(bases).tolist():
            own, mine = thresholds[bases == base], wanted[bases == base]
            for arc in self._arcs_of(base):
                if arc.term not in known:
                    known[arc.term] = self._links.thresholds.true_of(arc.term, asked, self._graph)
                yield _columns(mine[known[arc.term][own]], arc.subject, arc.object)

    def _searched(self, wanted: Iterable[int]) -> Iterator[Columns]:
        """Yield the pairs of all other links, link by link."""
        for number in wanted:
            try:
                found = list(self._found(number))
            except Undecided:
                self.unknown.add(number)
                continue
            starts, ends = np.array(found, np.int64).reshape(-1, 2).T
            yield np.full(len(found), number, np.int64), starts, ends

    def _append(self, numbers: Numbers, subjects: Numbers, objects: Numbers) -> None:
        """Sort the pairs of some links: link, subject and object are packed into one number."""
        size, end = len(self._graph), len(self.subjects)
        codes = _distinct((numbers * size + subjects) * size + objects)
        rest = codes // size
        links = rest // size
        starts = np.flatnonzero(np.diff(links, prepend=-1))
        self.first[links[starts]] = end + starts
        self.last[links[starts]] = end + np.append(starts[1:], len(links))[: len(starts)]
        self.subjects = np.concatenate([self.subjects, rest % size])
        self.objects = np.concatenate([self.objects, codes % size])

    def _subjects_of_arcs(self) -> Numbers:
        return np.array([arc.subject for arc in self._graph.arcs], np.int64)

    def _found(self, number: int) -> Iterable[Pair]:
        link = self._links.link(number)
        if link.repeated:
            return pairs_of(link, self._graph, self._links.ontology, Budget())
        arcs = self._arcs_of(self._links.bases[number])
        return [
            (arc.subject, arc.object) for arc in arcs if self._graph.passes(link.filter, arc.term)
        ]

    def _arcs_of(self, plain: int) -> list[Arc]:
        """Return the arcs that satisfy a plain link."""
        return [
            self._graph.arcs[place]
            for place in self._arcs_of_links[self._numbers == plain].tolist()
        ]


def _columns(numbers: Numbers, subject: int, target: int) -> Columns:
    count = len(numbers)
    return numbers, np.full(count, subject, np.int64), np.full(count, target, np.int64)


def _distinct(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return each number once, ascending.

    Numbers that are nearly in order are sorted faster than hashed.
    """
    ordered = np.sort(numbers, kind="stable")
    return ordered[np.flatnonzero(np.diff(ordered, prepend=-1))]


_NOTHING: Sequence[int] = ()


class Relation:
    """Pairs of vertices; lists of vertices are in ascending order."""

    __slots__ = ("_backward", "_forward", "pairs")

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.pairs = frozenset(pairs)
        self._forward: dict[int, list[int]] = {}
        self._backward: dict[int, list[int]] = {}
        for start, end in sorted(self.pairs):
            self._forward.setdefault(start, []).append(end)
            self._backward.setdefault(end, []).append(start)

    def __len__(self) -> int:
        return len(self.pairs)

    def joins(self, start: int, end: int) -> bool:
        """True if two vertices are a pair."""
        return (start, end) in self.pairs

    def has_loop(self, vertex: int) -> bool:
        """True if a vertex is joined with itself."""
        return (vertex, vertex) in self.pairs

    @property
    def loops(self) -> Sequence[int]:
        """Vertices that are joined with themselves."""
        return [start for start in self._forward if self.has_loop(start)]

    def ends(self, start: int) -> Sequence[int]:
        """Return the vertices that a vertex leads to."""
        return self._forward.get(start, _NOTHING)

    def starts(self, end: int) -> Sequence[int]:
        """Return the vertices that lead to a vertex."""
        return self._backward.get(end, _NOTHING)
