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

from tests.engine.graphs.worlds import HOME_IRI, World
from tocsin.plan.nodes.graphs import (
    ITSELF,
    Comparison,
    Filter,
    FilterAll,
    FilterAny,
    FilterNot,
    GraphPattern,
    Home,
    Injective,
    Regex,
    StatementPattern,
    Statements,
    Variable,
    VariableComparison,
    VariableRegex,
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
    for condition in (statement.filter, statement.across):
        if condition is not None:
            yield f"FILTER({_filter(condition, target)})"


def _is_a(vertex: str, name: str, below: list[str]) -> str:
    if vertex.startswith('"'):
        return "FILTER(false)"
    if THING in below:
        return f"FILTER(!isLiteral({vertex}))"
    return f"{vertex} a {name} . VALUES {name} {{ {' '.join(f'<{each}>' for each in below)} }}"


def _filter(condition: Filter, target: str) -> str:
    match condition:
        case Comparison(relation, value):
            return _compared(target, relation, str(value))
        case VariableComparison(left, relation, right):
            return _compared(_vertex(left), relation, _vertex(right))
        case Regex(pattern, flags):
            return f'REGEX(STR({target}), "{pattern}", "{flags}")'
        case VariableRegex(variable, pattern, flags):
            text = _vertex(variable)
            return f'IF(isLiteral({text}), REGEX(STR({text}), "{pattern}", "{flags}"), {_ERROR})'
        case FilterNot(operand):
            return f"(!{_filter(operand, target)})"
        case FilterAll(operands):
            return f"({' && '.join(_filter(each, target) for each in operands)})"
        case FilterAny(operands):
            return f"({' || '.join(_filter(each, target) for each in operands)})"


_ERROR = "?nothing"
"""A variable without a value: an error, as SPARQL has it for terms that cannot be compared."""


def _compared(one: str, relation: str, other: str) -> str:
    """A comparison as the SPARQL recommendation has it (17.3).

    The store extends it, which the recommendation allows: literals of two known datatypes differ,
    truth values and texts with a language are ordered, a date with a zone differs from one without.
    """
    xsd = "http://www.w3.org/2001/XMLSchema#"
    both = [f"datatype({one}) = <{xsd}{kind}> && datatype({other}) = <{xsd}{kind}>" for kind in (
        "string", "date", "dateTime",
    )]  # fmt: skip
    kinds = [f"isNumeric({one}) && isNumeric({other})", both[0]]
    kinds += [f"{each} && ({one} <= {other} || {one} > {other})" for each in both[1:]]
    if relation in ("=", "!="):
        kinds.append(both[0].replace("string", "boolean"))
        same = f"IF(sameTerm({one}, {other}), {'true' if relation == '=' else 'false'}, {_ERROR})"
        resources = f"({one} {relation} {other})"
    else:
        same = resources = _ERROR
    comparable = " || ".join(f"({each})" for each in kinds)
    literals = f"IF({comparable}, {one} {relation} {other}, {same})"
    return f"IF(isLiteral({one}) && isLiteral({other}), {literals}, {resources})"


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
