"""Warnings about an event, with the definitions of the plans that it matches: their ontologies and
TBoxes. They refuse nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from tocsin.errors import EventProblem, Problem
from tocsin.events.event import Event
from tocsin.events.views.graph import graph_in
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.warnings import warnings_in
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.semantics.assertions import unknown_types


def event_warnings(event: Event, atoms: Iterable[Atom]) -> tuple[EventProblem, ...]:
    """Return the warnings about an event that matches the atoms, each once.

    An event without a graph has no warnings.
    """
    found = [warning for atom in atoms for warning in _warnings_of_atom(atom, event)]
    return tuple({(each.code, each.token): each for each in found}.values())


def _warnings_of_atom(atom: Atom, event: Event) -> tuple[EventProblem, ...]:
    try:
        if isinstance(atom, GraphPattern):
            return _about_graph(event, atom.ontology)
        return unknown_types(event, atom.tbox) if isinstance(atom, ConceptTest) else ()
    except Problem:
        return ()


def _about_graph(event: Event, ontology: Ontology) -> tuple[EventProblem, ...]:
    graph = graph_in(event, ontology)
    return warnings_in(ontology, graph.arcs, graph.types)
