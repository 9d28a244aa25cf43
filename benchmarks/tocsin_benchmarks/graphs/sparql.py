"""The other baseline: one SPARQL ASK per subscription, hierarchies expanded (spec 3.5), answered by
pyoxigraph.
"""

from __future__ import annotations

from itertools import combinations

from pyoxigraph import RdfFormat, Store

from tocsin.events.event import Event
from tocsin.plan.nodes.graphs import GraphPattern, Home, StatementPattern, Variable, Vertex

_HOME = "<urn:ops:H>"


class AskedEvent:
    """An event of N-Triples in a store of its own."""

    def __init__(self, event: Event) -> None:
        self._store = Store()
        self._store.load(str(event.data).encode(), format=RdfFormat.N_TRIPLES)

    def matches(self, query: str) -> bool:
        """The answer to an ASK query."""
        return bool(self._store.query(query))


def ask_query(pattern: GraphPattern) -> str:
    """A pattern of plain statements over home and variables as a query."""
    lines = [
        line
        for number, each in enumerate(pattern.statements)
        for line in _lines(pattern, each, number)
    ]
    lines += [
        f"FILTER({_name(one)} != {_name(other)})" for one, other in combinations(pattern.ids, 2)
    ]
    return "ASK {\n" + "\n".join(lines) + "\n}"


def _lines(pattern: GraphPattern, statement: StatementPattern, number: int) -> list[str]:
    order = pattern.ontology
    subject, target = _name(statement.subject), _name(statement.object)
    path = "|".join(f"<{each}>" for each in sorted(order.subproperties(statement.property)))
    return [
        f"{subject} {path} {target} .",
        _is_a(subject, f"?s{number}", sorted(order.subclasses(statement.subject_class))),
        _is_a(target, f"?o{number}", sorted(order.subclasses(statement.object_class))),
    ]


def _is_a(vertex: str, name: str, classes: list[str]) -> str:
    if len(classes) == 1:
        return f"{vertex} a <{classes[0]}> ."
    return f"{vertex} a {name} . VALUES {name} {{ {' '.join(f'<{each}>' for each in classes)} }}"


def _name(vertex: Vertex) -> str:
    match vertex:
        case Home():
            return _HOME
        case Variable(name):
            return f"?v{name}"
        case _:
            raise ValueError("this baseline has home and variables only")
