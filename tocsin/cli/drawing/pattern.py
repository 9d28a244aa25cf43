"""The subscription graph, figure 3 of the paper: vertices with classes and filters, arcs with
properties.

Vertices are in columns by their distance from home. Every statement has a number, P1, P2 and so on,
which the other figures use.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import NamedTuple

from tocsin.cli.drawing.svg import LETTER, LINE, Drawing
from tocsin.plan.explain.graphs import filter_text, id_text, statement_text
from tocsin.plan.nodes.graphs import (
    ITSELF,
    GraphPattern,
    Home,
    StatementPattern,
    Statements,
    Vertex,
    ids_of,
)

_LEFT, _TOP, _HEIGHT = 20, 40, 44
_GAP = (150, 40)

Point = tuple[float, float]


class VertexBox(NamedTuple):
    """The centre of a vertex, and its half width and half height."""

    x: float
    y: float
    half: Point

    def edge(self, towards: Point) -> Point:
        """Return the point where a line from the centre leaves the vertex."""
        right, down = towards[0] - self.x, towards[1] - self.y
        far = hypot(right / self.half[0], down / self.half[1]) or 1
        return (self.x + right / far, self.y + down / far)


def number_statements(pattern: GraphPattern) -> dict[StatementPattern, str]:
    """Return the numbers P1, P2 and so on of the statements, in the order of the pattern."""
    return {each: f"P{number}" for number, each in enumerate(dict.fromkeys(pattern.statements), 1)}


def draw_pattern(pattern: GraphPattern, title: str) -> Drawing:
    """Draw the graph of the statements, and list all statements below it."""
    drawing = Drawing()
    drawing.text(_LEFT, 20, title, "title")
    labels = {vertex: _label(vertex, pattern) for vertex in ids_of(pattern.statements)}
    places = _places(pattern, labels)
    seen: dict[frozenset[Vertex], int] = {}
    for statement, number in number_statements(pattern).items():
        if statement.property != ITSELF:
            ends = frozenset(statement.ends())
            seen[ends] = seen.get(ends, 0) + 1
            used = pattern.ontology.short(statement.property) + ("+" if statement.repeated else "")
            _arc(drawing, statement, places, f"{number} {used}", seen[ends] - 1)
    for vertex, place in places.items():
        _vertex(drawing, vertex, place, labels[vertex])
    _legend(drawing, pattern)
    return drawing


def _places(pattern: GraphPattern, labels: dict[Vertex, list[str]]) -> dict[Vertex, VertexBox]:
    """Return the positions of the vertices: columns by distance from home, rows in the order of the
    pattern.
    """
    places: dict[Vertex, VertexBox] = {}
    x: float = _LEFT
    for number, column in enumerate(_columns(pattern.statements)):
        half = max(_half_width(labels[vertex]) for vertex in column)
        y = _TOP + _HEIGHT / 2 + number % 2 * _HEIGHT / 2
        for vertex in column:
            height = _HEIGHT / 2 + LINE / 2 * (len(labels[vertex]) - 2)
            places[vertex] = VertexBox(x + half, y, (_half_width(labels[vertex]), height))
            y += 2 * height + _GAP[1]
        x += 2 * half + _GAP[0]
    return places


def _columns(statements: Statements) -> list[list[Vertex]]:
    columns: list[list[Vertex]] = [[Home()]]
    known: set[Vertex] = {Home()}
    while columns[-1]:
        ends = [
            each.object for start in columns[-1] for each in statements if each.subject == start
        ]
        columns.append([each for each in dict.fromkeys(ends) if each not in known])
        known.update(columns[-1])
    return columns[:-1]


def _label(vertex: Vertex, pattern: GraphPattern) -> list[str]:
    """Return the id, its classes, and its filters."""
    kinds: dict[str, None] = {}
    filters: dict[str, None] = {}
    name = id_text(vertex, pattern.ontology)
    for each in pattern.statements:
        if each.subject == vertex:
            kinds[pattern.ontology.short(each.subject_class)] = None
        if each.object == vertex:
            kinds[pattern.ontology.short(each.object_class)] = None
            if each.filter is not None:
                filters[filter_text(each.filter, name, pattern.ontology)] = None
    return [name, ", ".join(kinds), *filters]


def _half_width(label: Sequence[str]) -> float:
    return max(len(line) for line in label) * LETTER / 2 + 18


def _vertex(drawing: Drawing, vertex: Vertex, place: VertexBox, label: list[str]) -> None:
    drawing.ellipse(
        place.x, place.y, place.half, "vertex home" if isinstance(vertex, Home) else "vertex"
    )
    first = place.y + 4 - 15 * (len(label) - 1) / 2
    for number, line in enumerate(label):
        drawing.text(place.x, first + 15 * number, line, "small" if number else "", "middle")


def _arc(
    drawing: Drawing,
    statement: StatementPattern,
    places: dict[Vertex, VertexBox],
    label: str,
    parallel: int,
) -> None:
    start, end = places[statement.subject], places[statement.object]
    if start == end:
        _loop(drawing, start, label, parallel)
        return
    length = hypot(end.x - start.x, end.y - start.y)
    across = ((start.y - end.y) / length, (end.x - start.x) / length)
    bend = 34 * (parallel + (end.x <= start.x))
    middle = ((start.x + end.x) / 2 + across[0] * bend, (start.y + end.y) / 2 + across[1] * bend)
    drawing.curve(start.edge(middle), middle, end.edge(middle))
    drawing.text(middle[0], middle[1] - 8 - across[1] * bend / 2, label, "small", "middle")


def _loop(drawing: Drawing, place: VertexBox, label: str, parallel: int) -> None:
    over = (place.x + place.half[0], place.y + place.half[1] + 30 + 16 * parallel)
    drawing.curve(place.edge((place.x, over[1])), over, place.edge((over[0], place.y + 10)))
    drawing.text(over[0], over[1], label, "small")


def _legend(drawing: Drawing, pattern: GraphPattern) -> None:
    y = drawing.height + LINE
    for statement, number in number_statements(pattern).items():
        y += LINE
        drawing.text(_LEFT, y, f"{number}  {statement_text(statement, pattern.ontology)}")
    for word, groups in (
        ("absent", pattern.absents),
        ("told where it is there", pattern.optionals),
    ):
        for group in groups:
            y += LINE
            drawing.text(
                _LEFT,
                y,
                f"{word}: {' '.join(statement_text(each, pattern.ontology) for each in group)}",
            )
