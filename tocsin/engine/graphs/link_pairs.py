"""The pairs of vertices that a link joins, found arc by arc.

For links that no index decides, and for single patterns. Paths may be many more than arcs: every
arc that is followed counts against the budget.
"""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.engine.graphs.budget import Budget
from tocsin.engine.graphs.encoding import Arc, EncodedGraph
from tocsin.engine.graphs.links import LinkPattern
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.graphs import is_below

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
