"""Atoms of every family in words: one line each, and as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from tocsin.plan.explain.conditions import condition_lines, selector_text
from tocsin.plan.explain.graphs import graph_lines, statement_text
from tocsin.plan.explain.xml_patterns import block_text
from tocsin.plan.nodes.atoms import Atom, Condition
from tocsin.plan.nodes.concepts import ConceptTest, concept_test_text
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.xml.xml_patterns import XmlBlock


def atom_text(atom: Atom) -> str:
    """Return an atom in one line, to be read after the word event."""
    match atom:
        case Condition(expression):
            return f"with {selector_text(expression)}"
        case GraphPattern():
            return (
                "whose graph has"
                f" {' '.join(statement_text(each, atom.ontology) for each in atom.statements)}"
            )
        case ConceptTest():
            return f"that is {concept_test_text(atom)}"
        case XmlBlock():
            return f"whose document fits {block_text(atom)}"
        case _:
            assert_never(atom)


def atom_lines(atom: Atom) -> Iterator[str]:
    """Yield the lines of an atom as an indented tree."""
    match atom:
        case Condition(expression):
            yield from condition_lines(expression)
        case GraphPattern():
            yield from graph_lines(atom)
        case ConceptTest():
            yield f"concept {concept_test_text(atom)}"
        case XmlBlock():
            yield f"XML block {block_text(atom)}"
        case _:
            assert_never(atom)
