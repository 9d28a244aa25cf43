"""All figures of graph subscriptions on one page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tocsin.cli.drawing.array import draw_array
from tocsin.cli.drawing.pattern import draw_pattern
from tocsin.cli.drawing.svg import Drawing
from tocsin.cli.drawing.tree import draw_tree
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.inference import encode_graph
from tocsin.engine.graphs.paper.matcher import tree_of
from tocsin.engine.graphs.paper.printing import verdict_of
from tocsin.errors import EventProblem, UnsupportedProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import Part, Plan, parts_of
from tocsin.plan.nodes.graphs import GraphPattern

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
