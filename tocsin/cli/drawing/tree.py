"""A matching tree, figure 5: circles are partial maps, squares are patterns; checked nodes are
filled.

Nodes of one level have one height; a node is centred above its children.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tocsin.cli.drawing.pattern import number_statements
from tocsin.cli.drawing.svg import LETTER, LINE, Drawing
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.paper.nodes import Circle, PaperTree, Square
from tocsin.plan.explain.graphs import id_text
from tocsin.plan.nodes.graphs import Vertex
from tocsin.values.terms import Blank

_RADIUS, _LEVEL, _LEFT, _TOP = 11, 62, 20, 52
_GAP = 24


@dataclass(frozen=True, slots=True)
class _DrawnNode:
    """A node with its label and its children."""

    text: str
    checked: bool
    square: bool
    below: tuple[_DrawnNode, ...]

    def width(self) -> float:
        own = len(self.text) * LETTER + 2 * _RADIUS + _GAP
        return max(own, sum(each.width() for each in self.below))


def draw_tree(tree: PaperTree, graph: EncodedGraph, title: str, verdict: str) -> Drawing:
    """Draw the tree of a subscription for an event."""
    drawing = Drawing()
    drawing.text(_LEFT, 20, title, "title")
    root = _Reading(tree, graph).circle(tree.root, {})
    _draw(drawing, root, _LEFT, _TOP)
    drawing.text(
        _LEFT, drawing.height + LINE, f"{tree.circles} circles, {tree.squares} squares; {verdict}"
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
