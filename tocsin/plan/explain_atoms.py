"""Atoms of every family in words: one line each, and as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from tocsin.plan.atoms import Atom, Condition
from tocsin.plan.blocks import PatternElement, XmlBlock, XPathPattern
from tocsin.plan.concepts import ConceptTest, concept_test_text
from tocsin.plan.explain import condition_lines, selector_text
from tocsin.plan.explain_graphs import graph_lines, statement_text
from tocsin.plan.graphs import GraphPattern


def atom_text(atom: Atom) -> str:
    """An atom in one line, to be read after the word event."""
    match atom:
        case Condition(expression):
            return f"with {selector_text(expression)}"
        case GraphPattern():
            return f"whose graph has {' '.join(statement_text(each, atom.ontology) for each in atom.statements)}"
        case ConceptTest():
            return f"that is {concept_test_text(atom)}"
        case XmlBlock(patterns):
            return f"whose document has {', '.join(map(_pattern_text, patterns))}"
        case _:
            assert_never(atom)


def atom_lines(atom: Atom) -> Iterator[str]:
    """An atom as an indented tree."""
    match atom:
        case Condition(expression):
            yield from condition_lines(expression)
        case GraphPattern():
            yield from graph_lines(atom)
        case ConceptTest():
            yield f"concept {concept_test_text(atom)}"
        case XmlBlock(patterns, conditions):
            yield "XML block"
            yield from (f"  {_pattern_text(each)}" for each in patterns)
            for each in conditions:
                yield f"  where {each.variable} {each.relation} {each.other or repr(each.constant)}"
        case _:
            assert_never(atom)


def _pattern_text(pattern: PatternElement | XPathPattern) -> str:
    if isinstance(pattern, XPathPattern):
        return f"XPATH {pattern.expression!r}"
    levels = "*/" * max(0, pattern.rel - 1)
    inside = [
        *(f"{test.name}={test.variable or test.value!r}" for test in pattern.attributes),
        *([repr(pattern.text)] if pattern.text is not None else []),
        *(f"{binding.what.value} {binding.variable}" for binding in pattern.bindings),
        *map(_pattern_text, pattern.children),
    ]
    return f"{levels}{pattern.name or '*'}" + (f"({', '.join(inside)})" if inside else "")
