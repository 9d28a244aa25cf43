"""Reasons why an atomic subscription rang for an event or did not, for every family of atoms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from tocsin.engine.graphs.paper.printing import tree_lines
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Atom, Condition
from tocsin.plan.nodes.composites import Named, Part, parts_of
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.semantics.match_rendering import values_of
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.reference import concepts
from tocsin.reference.atoms import holds, rows_of
from tocsin.reference.why import verdict_line, why_lines
from tocsin.reference.why_blocks import graph_elsewhere, miss_of


def atom_why_lines(atom: Atom, event: Event) -> Iterator[str]:
    """Yield a verdict, then its reasons."""
    match atom:
        case Condition(expression):
            yield verdict_line(expression, event)
            yield from why_lines(expression, event, "  ")
        case GraphPattern():
            yield _verdict(atom, event)
            yield from (f"  {line}" for line in tree_lines(atom, event))
            if not holds(atom, event):
                yield from (f"  {line}" for line in graph_elsewhere(atom, event))
        case ConceptTest():
            yield _verdict(atom, event)
            yield from concepts.why_lines(atom, event, "  ")
        case XmlBlock():
            yield _verdict(atom, event)
            if holds(atom, event):
                for variable, value in values_of(rows_of(atom, event)).items():
                    yield f"  {variable} is {value}"
            else:
                yield f"  {miss_of(atom, event)}"
        case _:
            assert_never(atom)


def missed_lines(pattern: Part, event: Event) -> Iterator[str]:
    """Yield what each XML block and graph of a composite misses in an unmatched event."""
    for part in _named_blocks(pattern):
        block = part.part
        if isinstance(block, XmlBlock):
            yield f"{part.name}: {miss_of(block, event)}"
    graphs = dict.fromkeys(part for part in _parts(pattern) if isinstance(part, GraphPattern))
    yield from dict.fromkeys(line for graph in graphs for line in graph_elsewhere(graph, event))


def _named_blocks(pattern: Part) -> Iterator[Named]:
    """Yield the named blocks of a composite, each once."""
    seen: set[str] = set()
    for part in _parts(pattern):
        if isinstance(part, Named) and isinstance(part.part, XmlBlock) and part.name not in seen:
            seen.add(part.name)
            yield part


def _parts(pattern: Part) -> Iterator[Part]:
    yield pattern
    for part in parts_of(pattern):
        yield from _parts(part)


def _verdict(atom: Atom, event: Event) -> str:
    return f"event {event.id}: {'rings' if holds(atom, event) else 'does not ring'}"
