"""A matching tree in words: accepted statements, partial verification, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.inference import encode_graph
from tocsin.engine.graphs.work import Undecided
from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.papers.graph_matcher import tree_matches, tree_of
from tocsin.papers.graph_trees import Circle, PaperTree, Square, Verification, squares_below
from tocsin.plan.explain.graphs import id_text, statement_text
from tocsin.plan.nodes.graphs import GraphPattern, Vertex
from tocsin.values.terms import Blank


def tree_lines(pattern: GraphPattern, event: Event) -> Iterator[str]:
    """Yield the matching tree of a subscription for an event, and a last line with the verdict."""
    try:
        graph = encode_graph(event, pattern.ontology)
    except EventProblem as problem:
        yield f"no match: {problem}"
        return
    tree = tree_of(pattern, graph)
    if tree is None:
        yield "no match: no pattern that starts at _:H accepts an arc of the event"
        return
    yield from _Printing(tree, graph).lines()
    yield f"{tree.circles} circles, {tree.squares} squares"
    yield verdict_of(tree, graph)


class _Printing:
    __slots__ = ("_graph", "_tree")

    def __init__(self, tree: PaperTree, graph: EncodedGraph) -> None:
        self._tree = tree
        self._graph = graph

    def lines(self) -> Iterator[str]:
        return self._circle(self._tree.root, {}, "")

    def _circle(self, circle: Circle, known: Mapping[Vertex, int], indent: str) -> Iterator[str]:
        order = self._tree.pattern.ontology
        fresh = {each: image for each, image in circle.map.items() if each not in known}
        named = (
            f"{id_text(each, order)} = {self._image_text(image)}" for each, image in fresh.items()
        )
        told = ", ".join(named) or "(back to what is known)"
        yield f"{indent}o {told}  {_mark(checked=circle.checked)}"
        for square in circle.squares:
            yield from self._square(square, circle.map, indent + "  ")

    def _image_text(self, image: int) -> str:
        term = self._graph.terms[image]
        return str(term) if isinstance(term, Blank) else id_text(term, self._tree.pattern.ontology)

    def _square(self, square: Square, known: Mapping[Vertex, int], indent: str) -> Iterator[str]:
        text = statement_text(square.statement, self._tree.pattern.ontology)
        yield f"{indent}# {text}  {_mark(checked=square.checked)}"
        for circle in square.circles:
            yield from self._circle(circle, known, indent + "  ")


def verdict_of(tree: PaperTree, graph: EncodedGraph) -> str:
    """Return the verdict on the tree, with the reason if it is no match."""
    try:
        if tree_matches(tree, graph):
            return "match"
        maps = next(Verification(tree, graph).maps(), None)
    except Undecided:
        return "undecided: the search was given up (LIMIT)"
    if maps is not None:
        return "no match: every map can be extended to an absent group"
    if tree.root.checked:
        return "no match: every pattern is accepted, but the branches do not agree (rules 4 and 5)"
    lacking = dict.fromkeys(
        statement_text(square.statement, tree.pattern.ontology)
        for square in squares_below(tree.root)
        if not square.circles
    )
    return f"no match: nothing in the event is accepted by {'; '.join(lacking)}"


def _mark(*, checked: bool) -> str:
    return "[checked]" if checked else "[unchecked]"
