"""The array of extended meta-statements, figure 4: a numbered entry for each statement type.

Its ancestors are behind a solid line, and the patterns that wait there between events behind a
dashed one. Of a large array, or that of an ontology which allows everything, only the entries that
the subscription and the events name are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable

from tocsin.cli.drawing.pattern import number_statements
from tocsin.cli.drawing.svg import LETTER, Drawing
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.paper.statements import find_typed_statements
from tocsin.errors import LimitProblem
from tocsin.knowledge.meta_statements import ems_of
from tocsin.knowledge.ontology import MetaStatement, Ontology
from tocsin.plan.nodes.graphs import ITSELF, GraphPattern, Home

DRAWN_WHOLE = 60
"""The number of entries up to which an array is drawn whole."""
_ROW, _LEFT = 26, 20


def draw_array(pattern: GraphPattern, graphs: Iterable[EncodedGraph]) -> Drawing:
    """Draw the array at rest, with the subscription's home patterns waiting at their entries."""
    entries = _entries(pattern, graphs)
    numbers = {entry: number for number, entry in enumerate(entries)}
    texts = [_text(entry, pattern.ontology) for entry in entries]
    width = max(map(len, texts), default=0) * LETTER + 16
    drawing = Drawing()
    drawing.text(
        _LEFT, 20, "Extended meta-statements: ancestors ─── and waiting patterns - - -", "title"
    )
    for number, (entry, text) in enumerate(zip(entries, texts, strict=True)):
        top = 36 + number * _ROW
        drawing.text(_LEFT + 24, top + 16, str(number), "small", "end")
        drawing.box(_LEFT + 30, top, (width, _ROW - 4), "entry")
        drawing.text(_LEFT + 38, top + 15, text)
        x = _linked(
            drawing, _LEFT + 30 + width, top, _ancestors(entry, numbers, pattern.ontology), ""
        )
        _linked(drawing, x, top, _waiting(entry, pattern), "waiting")
    return drawing


def _linked(drawing: Drawing, x: float, top: float, content: str, kind: str) -> float:
    """Draw a box with a link to it, if it has content; return the position of the next one."""
    if not content:
        return x
    drawing.line((x, top + 11), (x + 30, top + 11), kind)
    width = len(content) * LETTER + 12
    drawing.box(x + 30, top, (width, _ROW - 4), f"entry {kind}".strip())
    drawing.text(x + 36, top + 15, content)
    return x + 30 + width


def _entries(pattern: GraphPattern, graphs: Iterable[EncodedGraph]) -> list[MetaStatement]:
    arcs = (each for each in pattern.statements if each.property != ITSELF)
    wanted = {
        _type_of(each.subject_class, each.property, each.object_class, pattern.ontology)
        for each in arcs
    }
    if pattern.ontology.meta_statements:
        try:
            whole = ems_of(pattern.ontology).entries
            if len(whole) <= DRAWN_WHOLE:
                return sorted({*whole, *wanted})
        except LimitProblem:
            pass
    for graph in graphs:
        statements = (
            each
            for arc in graph.arcs
            if arc.property != ITSELF
            for each in find_typed_statements(arc)
        )
        wanted |= {_type_of(*each.type, pattern.ontology) for each in statements}
    return sorted(wanted)[:DRAWN_WHOLE]


def _type_of(one: str, prop: str, other: str, ontology: Ontology) -> MetaStatement:
    return MetaStatement(
        ontology.canonical_class(one),
        ontology.canonical_property(prop),
        ontology.canonical_class(other),
    )


def _ancestors(entry: MetaStatement, numbers: dict[MetaStatement, int], ontology: Ontology) -> str:
    above = (
        number
        for each, number in numbers.items()
        if each != entry
        and each.subject in ontology.superclasses(entry.subject)
        and each.property in ontology.superproperties(entry.property)
        and each.object in ontology.superclasses(entry.object)
    )
    return " ".join(map(str, sorted(above)))


def _waiting(entry: MetaStatement, pattern: GraphPattern) -> str:
    return " ".join(
        number
        for each, number in number_statements(pattern).items()
        if isinstance(each.subject, Home)
        and each.property != ITSELF
        and _type_of(each.subject_class, each.property, each.object_class, pattern.ontology)
        == entry
    )


def _text(entry: MetaStatement, ontology: Ontology) -> str:
    return f"({', '.join(map(ontology.short, entry))})"
