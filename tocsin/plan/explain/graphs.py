"""Graph patterns in words: as statement patterns, which parse back if the language can express
them, and as a tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from tocsin.knowledge.ontology import Ontology
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
    Strategy,
    Variable,
    VariableComparison,
    VariableRegex,
    Vertex,
)
from tocsin.values.terms import STRING, Iri, Literal

_DIFFERENCE = {
    Injective.RESOURCES: "different resources for different names",
    Injective.ALL: "different vertices for different names",
    Injective.NONE: "one vertex may have several names",
}


def graph_lines(pattern: GraphPattern, indent: str = "") -> Iterator[str]:
    """Yield a pattern as an indented tree."""
    told = ", by the algorithm of the paper" if pattern.strategy is Strategy.PAPER else ""
    yield f"{indent}graph pattern, {_DIFFERENCE[pattern.injective]}{told}"
    yield from _group_lines(pattern.statements, pattern.ontology, indent + "  ")
    for group in pattern.absents:
        yield f"{indent}  absent, together with the above"
        yield from _group_lines(group, pattern.ontology, indent + "    ")
    for group in pattern.optionals:
        yield f"{indent}  told where it is there"
        yield from _group_lines(group, pattern.ontology, indent + "    ")
    if pattern.select:
        yield f"{indent}  tells {' '.join(f'?{name}' for name in pattern.select)} of the first map"


def statement_text(statement: StatementPattern, ontology: Ontology) -> str:
    """Return a statement pattern; a path's property has a plus, the class of home stands alone."""
    if statement.property == ITSELF:
        return f"(_:H, {ontology.short(statement.subject_class)})"
    used = ontology.short(statement.property) + ("+" if statement.repeated else "")
    kinds = (
        f"({ontology.short(statement.subject_class)}, {used},"
        f" {ontology.short(statement.object_class)})"
    )
    parts = [*(id_text(end, ontology) for end in statement.ends()), kinds]
    if statement.filter is not None:
        parts.append(filter_text(statement.filter, id_text(statement.object, ontology), ontology))
    if statement.across is not None:
        told = filter_text(statement.across, "", ontology)
        parts[3:] = [f"({parts[3]}) && ({told})" if len(parts) > 3 else told]
    return f"({', '.join(parts)})"


def filter_text(condition: Filter, about: str, ontology: Ontology) -> str:
    """Return a filter about one variable, or a condition between variables, which names them
    itself.
    """
    match condition:
        case Comparison(relation, value):
            return f"{about} {relation} {id_text(value, ontology)}"
        case VariableComparison(left, relation, right):
            return f"{id_text(left, ontology)} {relation} {id_text(right, ontology)}"
        case Regex(pattern, flags):
            return _regex_text(about, pattern, flags)
        case VariableRegex(variable, pattern, flags):
            return _regex_text(id_text(variable, ontology), pattern, flags)
        case FilterNot(operand):
            return f"!({filter_text(operand, about, ontology)})"
        case FilterAll(operands):
            return _join_operands(" && ", operands, about, ontology)
        case FilterAny(operands):
            return _join_operands(" || ", operands, about, ontology)
        case _:
            assert_never(condition)


def _regex_text(about: str, pattern: str, flags: str) -> str:
    said = [about, str(Literal(pattern)), *([str(Literal(flags))] if flags else [])]
    return f"regex({', '.join(said)})"


def id_text(vertex: Vertex, ontology: Ontology) -> str:
    """Return an id as the language writes it."""
    match vertex:
        case Home():
            return "_:H"
        case Variable(name):
            return f"?{name}"
        case Iri(text):
            return ontology.short(text)
        case Literal(_, datatype, language) if language or datatype == STRING:
            return str(vertex)
        case Literal(lexical, datatype):
            return f"{Literal(lexical)}^^{ontology.short(datatype)}"
        case _:
            assert_never(vertex)


def _group_lines(statements: Statements, ontology: Ontology, indent: str) -> Iterator[str]:
    return (f"{indent}{statement_text(each, ontology)}" for each in statements)


def _join_operands(word: str, operands: tuple[Filter, ...], about: str, ontology: Ontology) -> str:
    return word.join(f"({filter_text(each, about, ontology)})" for each in operands)
