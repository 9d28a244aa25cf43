"""The views of an event: attributes, document, graph; each derived from the data alone.

Begin with `document.py`, which says what every view reads, and gives the XML tree. `graph.py` gives
the graph, and Turtle of it; `json_to_graph.py` and `epcis.py` lift data to it, `canonical.py` makes
equal XML equal text. Every language sees every event.

Imports: `errors`, `values`.
Test a change with: `tests/events/test_views.py`, `tests/events/test_graphs.py`,
`tests/events/test_many_namespaces.py`.
"""
