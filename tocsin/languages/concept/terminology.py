"""Text of a `.tbox` file to TBox; the first problem is raised, at its axiom."""

from __future__ import annotations

from tocsin.errors import Problem
from tocsin.knowledge.concepts.axioms import Axiom, Definition, Specialisation
from tocsin.knowledge.concepts.concept import Enumeration, enumeration
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.concept.concept_builder import ConceptBuilder, ConceptNameResolver
from tocsin.languages.concept.read import read_terminology
from tocsin.languages.concept.syntax import Listing, Syntax, Terminology, WrittenAxiom, children_of


def tbox_of_text(text: str) -> TBox:
    """Return the TBox of a text; raise its first problem."""
    written = read_terminology(text)
    problems = ProblemCollector(text)
    try:
        describing = ConceptBuilder(
            problems, ConceptNameResolver(_outline(written)), names_free=True
        )
        axioms = tuple(_axiom(each, describing) for each in written.axioms)
        if problems.found:
            raise problems.in_reading_order()[0]
        return TBox(axioms)
    except Problem as problem:
        raise _placed(problem, written, problems) from None


def _axiom(written: WrittenAxiom, describing: ConceptBuilder) -> Axiom:
    concept = describing.concept(written.concept)
    if isinstance(concept, Enumeration):
        concept = enumeration(concept.elements, written.name.name)
    return (Specialisation if written.specialises else Definition)(written.name.name, concept)


def _outline(written: Terminology) -> TBox:
    """Return a TBox that knows enumerated concepts, and individuals: elements without an axiom."""
    listed = {
        each.name.name: Definition(
            each.name.name, enumeration(element.name for element in each.concept.elements)
        )
        for each in written.axioms
        if isinstance(each.concept, Listing) and each.concept.elements
    }
    inside = {name for each in written.axioms for name in _elements(each.concept)}
    about = {each.name.name for each in written.axioms}
    return TBox(tuple(listed.values()), individuals=tuple(sorted(inside - about)))


def _elements(node: Syntax) -> set[str]:
    if isinstance(node, Listing):
        return {each.name for each in node.elements}
    return {name for inner in children_of(node) for name in _elements(inner)}


def _placed(problem: Problem, written: Terminology, problems: ProblemCollector) -> Problem:
    """Return a problem of the whole, placed at the last axiom about the name in its token."""
    spots = [each.spot for each in written.axioms if each.name.name == problem.token]
    if problem.place is not None or not spots:
        return problem
    problems.at(spots[-1], problem)
    return problems.found[-1]
