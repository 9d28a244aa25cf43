"""Patterns as text, in either spelling: read again with the same ontology, the text means the same.

Statement patterns come back as they were, except that vertices inside a path get names. In the
SPARQL-like spelling a vertex has its classes once for the whole group, so that the pattern read
back may have them at every statement of the vertex.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tocsin.knowledge.ontology import Ontology
from tocsin.languages.graph.lower import FRESH
from tocsin.plan.explain.graphs import filter_text, id_text, statement_text
from tocsin.plan.nodes.graphs import (
    ITSELF,
    GraphPattern,
    Statements,
    Variable,
    Vertex,
    variables_of,
)


def as_statements(pattern: GraphPattern) -> str:
    """Return the pattern as statement patterns, one to a line."""
    named, ontology = _with_names(pattern), pattern.ontology
    lines = [statement_text(each, ontology) for each in named.statements]
    for word, groups in (("OPTIONAL", named.optionals), ("NOT EXISTS", named.absents)):
        lines += [
            f"{word} {{ {' '.join(statement_text(each, ontology) for each in group)} }}"
            for group in groups
        ]
    return "\n".join([*lines, *_selection(pattern)])


def as_query(pattern: GraphPattern) -> str:
    """Return the pattern as a SPARQL-like query."""
    named, ontology = _with_names(pattern), pattern.ontology
    groups = [f"OPTIONAL {{ {_triples(group, ontology)} }}" for group in named.optionals]
    groups += [f"FILTER NOT EXISTS {{ {_triples(group, ontology)} }}" for group in named.absents]
    return " ".join(
        ("ASK {", _triples(named.statements, ontology), *groups, "}", *_selection(pattern))
    )


def _selection(pattern: GraphPattern) -> Iterator[str]:
    if pattern.select:
        yield "select " + " ".join(f"?{name}" for name in pattern.select)


def _triples(statements: Statements, ontology: Ontology) -> str:
    arcs: dict[str, None] = {}
    classes: dict[str, None] = {}
    filters: list[str] = []
    for each in statements:
        subject, value = id_text(each.subject, ontology), id_text(each.object, ontology)
        if each.property != ITSELF:
            arcs[
                f"{subject} {ontology.short(each.property)}{'+' if each.repeated else ''} {value} ."
            ] = None
        classes[f"{subject} a {ontology.short(each.subject_class)} ."] = None
        classes[f"{value} a {ontology.short(each.object_class)} ."] = None
        if each.filter is not None:
            filters.append(f"FILTER({filter_text(each.filter, value, ontology)})")
        if each.across is not None:
            filters.append(f"FILTER({filter_text(each.across, '', ontology)})")
    return " ".join((*arcs, *classes, *filters))


def _with_names(pattern: GraphPattern) -> GraphPattern:
    """Return the pattern with writable names for the vertices inside its paths."""
    names = {
        each.name
        for each in variables_of((pattern.statements, *pattern.optionals, *pattern.absents))
    }
    prefix = "_"
    while any(name.startswith(prefix) for name in names):
        prefix += "_"

    def renamed(vertex: Vertex) -> Vertex:
        if isinstance(vertex, Variable) and vertex.name.endswith(FRESH):
            return Variable(prefix + vertex.name.removesuffix(FRESH))
        return vertex

    def written(group: Statements) -> Statements:
        return tuple(
            replace(each, subject=renamed(each.subject), object=renamed(each.object))
            for each in group
        )

    return replace(
        pattern,
        statements=written(pattern.statements),
        optionals=tuple(map(written, pattern.optionals)),
        absents=tuple(map(written, pattern.absents)),
    )
