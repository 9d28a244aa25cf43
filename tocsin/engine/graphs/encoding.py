"""An event's graph in numbers: one per vertex, home is 0, and literals of equal value are one
vertex.

Numbers follow the document: of two vertices the one that an arc names first has the smaller number.
The first arc leads from home to itself, for statements about the class of home only. A filter is
evaluated at most once per term of an event.
"""

from __future__ import annotations

from collections.abc import Hashable
from decimal import Decimal
from typing import NamedTuple

from tocsin.events.views.graph import Graph
from tocsin.plan.nodes.graphs import ITSELF, Filter, filter_truth
from tocsin.values.terms import Literal, Term, value_of
from tocsin.values.truth import Truth

HOME = 0


class Arc(NamedTuple):
    """An arc between two vertices; `term` is the object as the document has it."""

    subject: int
    property: str
    object: int
    subject_classes: tuple[str, ...]
    object_classes: tuple[str, ...]
    term: Term


class EncodedGraph:
    """The arcs of one event over numbered vertices; `terms` gives the first term of a vertex."""

    __slots__ = ("_answers", "_leaving", "_numbers", "arcs", "decided_at_once", "said", "terms")

    def __init__(self, graph: Graph, said: Graph | None = None) -> None:
        self.said = graph if said is None else said
        """The event's own graph, without inferred facts."""
        self._numbers: dict[Hashable, int] = {graph.home: HOME}
        self._answers: dict[tuple[Filter, Term], bool] = {}
        self.decided_at_once = 0
        """Number of filter evaluations that were done for many at a time."""
        self._leaving: dict[int, list[Arc]] | None = None
        self.terms: list[Term] = [graph.home]
        numbers, types = self._numbers, graph.types
        kinds = types[graph.home]
        self.arcs = [Arc(HOME, ITSELF, HOME, kinds, kinds, graph.home)]
        self.arcs += [
            Arc(
                numbers[subject] if subject in numbers else self._new(subject),
                used,
                numbers[value] if value in numbers else self._new(value),
                types[subject],
                types[value],
                value,
            )
            for subject, used, value in graph.arcs
        ]

    def __len__(self) -> int:
        return len(self.terms)

    def number(self, term: Term) -> int | None:
        """Return the vertex of a term or, for a literal, of its value; None if it is absent."""
        found = self._numbers.get(term)
        if found is None and isinstance(term, Literal):
            return self._numbers.get(key_of(term))
        return found

    @property
    def filter_evaluations(self) -> int:
        """Number of evaluations of filters for terms."""
        return len(self._answers) + self.decided_at_once

    def passes(self, condition: Filter | None, term: Term) -> bool:
        """True if a filter is TRUE of a term."""
        if condition is None:
            return True
        known = self._answers.get((condition, term))
        if known is None:
            known = self._answers[condition, term] = filter_truth(condition, term) is Truth.TRUE
        return known

    def leaving(self, vertex: int) -> list[Arc]:
        """Return the arcs that start at a vertex."""
        if self._leaving is None:
            self._leaving = {}
            for arc in self.arcs:
                self._leaving.setdefault(arc.subject, []).append(arc)
        return self._leaving.get(vertex, [])

    def literals(self) -> list[bool]:
        """Return a flag per vertex: True if it is a literal."""
        return [isinstance(term, Literal) for term in self.terms]

    def _new(self, term: Term) -> int:
        """Return the number of a new term: that of its value, else the next."""
        number = self._numbers.setdefault(key_of(term), len(self.terms))
        self._numbers[term] = number
        if number == len(self.terms):
            self.terms.append(term)
        return number


def key_of(term: Term) -> Hashable:
    """Return the key of a term's vertex: the term itself or, for a literal, its value."""
    if not isinstance(term, Literal):
        return term
    value = value_of(term)
    if value is None or (isinstance(value.content, Decimal) and value.content.is_nan()):
        return term
    return value
