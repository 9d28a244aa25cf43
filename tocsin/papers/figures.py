"""Figures of graph subscriptions, as in the paper, all on one page.

Figure 3 is the subscription graph: vertices, in columns by their distance from home, with classes
and filters, arcs with properties. Every statement has a number, P1, P2 and so on, which the other
figures use. Figure 4 is the array of extended meta-statements: a numbered entry for each statement
type, its ancestors behind a solid line and the patterns that wait there between events behind a
dashed one. Of a large array, or that of an ontology which allows everything, only the entries that
the subscription and the events name are drawn. Figure 5 is a matching tree: circles are partial
maps, squares are patterns, checked nodes are filled; nodes of one level have one height, and a node
is centred above its children.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.inference import encode_graph
from tocsin.errors import EventProblem, LimitProblem, UnsupportedProblem
from tocsin.events.event import Event
from tocsin.knowledge.meta_statements import ems_of
from tocsin.knowledge.ontology import MetaStatement, Ontology
from tocsin.papers.graph_matcher import tree_of
from tocsin.papers.graph_printing import verdict_of
from tocsin.papers.graph_statements import find_typed_statements
from tocsin.papers.graph_trees import Circle, PaperTree, Square
from tocsin.papers.svg import LETTER, LINE, Drawing
from tocsin.plan.explain.graphs import filter_text, id_text, statement_text
from tocsin.plan.nodes.composites import Part, Plan, parts_of
from tocsin.plan.nodes.graphs import (
    ITSELF,
    GraphPattern,
    Home,
    StatementPattern,
    Statements,
    Vertex,
    ids_of,
)
from tocsin.values.terms import Blank

# Figure 3: the subscription graph.

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


# Figure 5: a matching tree.

_RADIUS, _LEVEL, _TREE_TOP = 11, 62, 52
_TREE_GAP = 24


@dataclass(frozen=True, slots=True)
class _DrawnNode:
    """A node with its label and its children."""

    text: str
    checked: bool
    square: bool
    below: tuple[_DrawnNode, ...]

    def width(self) -> float:
        own = len(self.text) * LETTER + 2 * _RADIUS + _TREE_GAP
        return max(own, sum(each.width() for each in self.below))


def draw_tree(tree: PaperTree, graph: EncodedGraph, title: str, verdict: str) -> Drawing:
    """Draw the tree of a subscription for an event."""
    drawing = Drawing()
    drawing.text(_LEFT, 20, title, "title")
    root = _Reading(tree, graph).circle(tree.root, {})
    _draw(drawing, root, _LEFT, _TREE_TOP)
    drawing.text(
        _LEFT,
        drawing.height + LINE,
        f"{tree.circles} circles, {tree.squares} squares; {verdict}",
    )
    return drawing


class _Reading:
    """Conversion of a tree to labelled nodes."""

    def __init__(self, tree: PaperTree, graph: EncodedGraph) -> None:
        self._numbers = number_statements(tree.pattern)
        self._ontology = tree.pattern.ontology
        self._graph = graph

    def circle(self, circle: Circle, known: Mapping[Vertex, int]) -> _DrawnNode:
        pairs = ", ".join(self._pairs(circle, known))
        below = tuple(self._square(each, circle.map) for each in circle.squares)
        return _DrawnNode(pairs, circle.checked, False, below)

    def _square(self, square: Square, known: Mapping[Vertex, int]) -> _DrawnNode:
        below = tuple(self.circle(each, known) for each in square.circles)
        return _DrawnNode(self._numbers[square.statement], square.checked, True, below)

    def _pairs(self, circle: Circle, known: Mapping[Vertex, int]) -> Iterator[str]:
        for vertex, image in circle.map.items():
            if vertex not in known:
                term = self._graph.terms[image]
                shown = str(term) if isinstance(term, Blank) else id_text(term, self._ontology)
                yield f"{id_text(vertex, self._ontology)} = {shown}"


def _draw(drawing: Drawing, node: _DrawnNode, left: float, y: float) -> tuple[float, float]:
    """Draw the children of a node, then the node; return its position."""
    x, places = left, []
    for each in node.below:
        places.append(_draw(drawing, each, x, y + _LEVEL))
        x += each.width()
    own = (places[0][0] + places[-1][0]) / 2 if places else left + _RADIUS
    for place in places:
        drawing.line((own, y + _RADIUS), (place[0], place[1] - _RADIUS))
    kind = ("square" if node.square else "circle") + (" checked" if node.checked else "")
    if node.square:
        drawing.box(own - _RADIUS, y - _RADIUS, (2 * _RADIUS, 2 * _RADIUS), kind)
    else:
        drawing.circle(own, y, _RADIUS, kind)
    drawing.text(own + _RADIUS + 4, y + 4, node.text, "small")
    return own, y


# Figure 4: the array.

DRAWN_WHOLE = 60
"""The number of entries up to which an array is drawn whole."""
_ROW = 26


def draw_array(pattern: GraphPattern, graphs: Iterable[EncodedGraph]) -> Drawing:
    """Draw the array at rest, with the subscription's home patterns waiting at their entries."""
    entries = _entries(pattern, graphs)
    numbers = {entry: number for number, entry in enumerate(entries)}
    texts = [_text(entry, pattern.ontology) for entry in entries]
    width = max(map(len, texts), default=0) * LETTER + 16
    drawing = Drawing()
    drawing.text(
        _LEFT,
        20,
        "Extended meta-statements: ancestors ─── and waiting patterns - - -",
        "title",
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


_SPACE = 40


def draw_page(plans: Mapping[str, Plan], events: Sequence[Event]) -> str:
    """Return an SVG page with the graph and the array of each graph pattern and a matching tree per
    event.
    """
    page = Drawing()
    for key, plan in plans.items():
        patterns = list(dict.fromkeys(_patterns(plan.pattern)))
        for number, pattern in enumerate(patterns, 1):
            name = key if len(patterns) == 1 else f"{key}, graph {number}"
            for each in _pictures(name, pattern, events):
                page.place(each, page.height + (_SPACE if page.shapes else 0))
    if not page.shapes:
        raise UnsupportedProblem(
            "there is no graph pattern to draw",
            code="NothingToDraw",
            hint=(
                "--format svg draws subscriptions of the language graph, and graph{ ... } inside"
                " others"
            ),
        )
    return page.svg()


def _patterns(part: Part) -> Iterator[GraphPattern]:
    if isinstance(part, GraphPattern):
        yield part
        return
    for each in parts_of(part):
        yield from _patterns(each)


def _pictures(name: str, pattern: GraphPattern, events: Sequence[Event]) -> Iterator[Drawing]:
    graphs = {event: _graph(event, pattern) for event in events}
    yield draw_pattern(pattern, f"Subscription {name}")
    yield draw_array(pattern, [each for each in graphs.values() if isinstance(each, EncodedGraph)])
    for event, graph in graphs.items():
        yield _tree(event, graph, pattern)


def _graph(event: Event, pattern: GraphPattern) -> EncodedGraph | EventProblem:
    try:
        return encode_graph(event, pattern.ontology)
    except EventProblem as problem:
        return problem


def _tree(event: Event, graph: EncodedGraph | EventProblem, pattern: GraphPattern) -> Drawing:
    title = f"Matching tree of event {event.id}"
    if isinstance(graph, EventProblem):
        return _note(title, f"no match: {graph}")
    tree = tree_of(pattern, graph)
    if tree is None:
        return _note(title, "no match: no pattern that starts at _:H accepts an arc of the event")
    return draw_tree(tree, graph, title, verdict_of(tree, graph))


def _note(title: str, text: str) -> Drawing:
    drawing = Drawing()
    drawing.text(20, 20, title, "title")
    drawing.text(20, 44, text)
    return drawing
