"""Views of an event: attributes, document, graph. Each comes from the data alone: every language
sees every event.
"""

from tocsin.events.views.checking import check
from tocsin.events.views.document import Element, attributes_of, document_of
from tocsin.events.views.graph import Graph, graph_in, graph_of

__all__ = ["Element", "Graph", "attributes_of", "check", "document_of", "graph_in", "graph_of"]
