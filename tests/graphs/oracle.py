"""The SPARQL oracle of spec 3.5: a pattern as an ASK query over the event's triples, answered by
pyoxigraph.

Hierarchies are expanded into the query, home is `<urn:ops:H>`, and injectivity is spelled out,
since SPARQL has none. It joins and compares literals by term: use it where no two literals of an
event have one value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, count

from pyoxigraph import RdfFormat, Store

from tests.graphs.worlds import HOME_IRI, World
from tocsin.plan.graphs import (
    ITSELF,
    Comparison,
    Filter,
    GraphPattern,
    Home,
    Injective,
    StatementPattern,
    Statements,
    Variable,
    Vertex,
    ids_of,
)
from tocsin.values.terms import THING


def oracle_holds(pattern: GraphPattern, world: World) -> bool:
    """Whether the query of the pattern is true of the world."""
    store = Store()
    store.load(world.text().encode(), format=RdfFormat.N_TRIPLES)
    return bool(store.query(query_of(pattern)))


def query_of(pattern: GraphPattern) -> str:
    """The pattern as an ASK query."""
    numbers = count()
    lines = list(_group(pattern, pattern.statements, (), numbers))
    known = ids_of(pattern.statements)
    for absent in pattern.absents:
        lines += ["FILTER NOT EXISTS {", *_group(pattern, absent, known, numbers), "}"]
    return "ASK {\n" + "\n".join(lines) + "\n}"


def _group(
    pattern: GraphPattern, statements: Statements, known: tuple[Vertex, ...], numbers: Iterator[int]
) -> Iterator[str]:
    for statement in statements:
        yield from _statement(pattern, statement, next(numbers))
    own = [each for each in ids_of(statements) if each not in known]
    others = [(one, other) for one in own for other in known]
    yield from (
        _differ(pattern.injective, one, other) for one, other in [*combinations(own, 2), *others]
    )


def _statement(pattern: GraphPattern, statement: StatementPattern, number: int) -> Iterator[str]:
    ontology = pattern.ontology
    subject, target = _vertex(statement.subject), _vertex(statement.object)
    if statement.property == ITSELF:
        yield _is_a(subject, f"?s{number}", sorted(ontology.subclasses(statement.subject_class)))
        return
    path = "|".join(f"<{each}>" for each in sorted(ontology.subproperties(statement.property)))
    yield f"{subject} ({path}){'+' if statement.repeated else ''} {target} ."
    yield _is_a(subject, f"?s{number}", sorted(ontology.subclasses(statement.subject_class)))
    below = sorted(ontology.subclasses(statement.object_class))
    if ontology.is_datatype(statement.object_class):
        yield f"FILTER(isLiteral({target}) && datatype({target}) IN ({', '.join(f'<{each}>' for each in below)}))"
    else:
        yield _is_a(target, f"?o{number}", below)
    if statement.filter is not None:
        yield f"FILTER({_filter(statement.filter, target)})"


def _is_a(vertex: str, name: str, below: list[str]) -> str:
    if vertex.startswith('"'):
        return "FILTER(false)"
    if THING in below:
        return f"FILTER(!isLiteral({vertex}))"
    return f"{vertex} a {name} . VALUES {name} {{ {' '.join(f'<{each}>' for each in below)} }}"


def _filter(condition: Filter, target: str) -> str:
    assert isinstance(condition, Comparison)
    return f"{target} {condition.relation} {condition.value}"


def _differ(injective: Injective, one: Vertex, other: Vertex) -> str:
    left, right = _vertex(one), _vertex(other)
    match injective:
        case Injective.NONE:
            return ""
        case Injective.ALL:
            return f"FILTER(!sameTerm({left}, {right}))"
        case Injective.RESOURCES:
            return f"FILTER(isLiteral({left}) || !sameTerm({left}, {right}))"


def _vertex(vertex: Vertex) -> str:
    match vertex:
        case Home():
            return str(HOME_IRI)
        case Variable(name):
            return f"?v{name}"
        case _:
            return str(vertex)
