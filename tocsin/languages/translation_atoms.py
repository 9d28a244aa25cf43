"""Atoms of plans written in rules: each in its own language, and only if it is read back as the
same.
"""

from __future__ import annotations

from typing import assert_never

from tocsin.errors import Problem, UnsupportedProblem
from tocsin.events.event import ENVELOPE
from tocsin.languages import read_atom
from tocsin.languages.base.context import Context
from tocsin.languages.graph.printer import as_statements
from tocsin.languages.rule import syntax
from tocsin.plan.explain.conditions import selector_text
from tocsin.plan.explain.phrases import short_text
from tocsin.plan.explain.xml_patterns import block_text
from tocsin.plan.nodes.atoms import AllOf, Atom, Condition, Equals
from tocsin.plan.nodes.composites import Part
from tocsin.plan.nodes.concepts import ConceptTest, concept_test_text
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.passes import prepared_expression
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.values.scalars import Kind

_TYPE = (ENVELOPE, "type")


def say_atom(atom: Atom, context: Context) -> syntax.AtomSyntax:
    """Return an atom as it stands in a rule: a type with a condition, or in braces."""
    match atom:
        case Condition(Equals(path, value)) if path == _TYPE and value.kind is Kind.STRING:
            return syntax.EventAtom(str(value.value))
        case Condition(AllOf((Equals(path, value), *rest))) if (
            path == _TYPE and value.kind is Kind.STRING and rest
        ):
            inner = rest[0] if len(rest) == 1 else AllOf(tuple(rest))
            require_same("selector", selector_text(inner), Condition(inner), atom, context)
            return syntax.EventAtom(str(value.value), selector_text(inner))
        case Condition(expression):
            return _embedded("selector", selector_text(expression), atom, context)
        case GraphPattern():
            return _embedded("graph", as_statements(atom), atom, context)
        case ConceptTest():
            return _embedded("concept", concept_test_text(atom), atom, context)
        case XmlBlock():
            return _embedded("xml", block_text(atom), atom, context)
        case _:
            assert_never(atom)


def _embedded(language: str, text: str, atom: Atom, context: Context) -> syntax.EmbeddedAtom:
    plain = text.strip()
    require_same(language, plain, atom, atom, context)
    return syntax.EmbeddedAtom(language, plain)


def require_same(language: str, text: str, meant: Atom, translated: Atom, context: Context) -> None:
    """Raise if the text of an atom would be read as another atom."""
    try:
        is_same = _plain(read_atom(language, text, context)) == _plain(meant)
    except Problem:
        is_same = False
    if not is_same:
        raise cannot(translated, f"its text in {language} would not be read as the same")


def _plain(atom: Atom) -> Atom:
    """Return the atom in a normal form that conditions of equal meaning mostly share."""
    if isinstance(atom, Condition):
        return Condition(prepared_expression(atom.expression))
    return atom


def cannot(part: Part, why: str) -> UnsupportedProblem:
    """Return the problem of a part that a rule has no words for."""
    return UnsupportedProblem(
        f"a rule cannot say this part: {short_text(part)}",
        code="NotSayable",
        hint=f"{why}; keep it in its own language, where a rule can use it as a definition",
    )
