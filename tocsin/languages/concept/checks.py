"""Warnings: texts that are legal and probably not meant. They refuse nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tocsin.errors import Problem
from tocsin.events.views.epcis import FIELDS
from tocsin.knowledge.concepts.assertions import EVENT, Assertions, World
from tocsin.knowledge.concepts.concept import normal_form
from tocsin.knowledge.concepts.tableau import examine
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.knowledge.ontology import Ontology
from tocsin.languages.base.reading import Context
from tocsin.languages.base.texts import ProblemCollector, SourceSpan, nearest, shift_problem
from tocsin.languages.concept.lower import LoweredConcept
from tocsin.languages.concept.syntax import (
    ConceptEmbeddedAtom,
    ConceptName,
    ConceptSubscription,
    Listing,
    Quantified,
    Syntax,
    children_of,
)
from tocsin.plan.nodes.composites import atoms_of
from tocsin.plan.nodes.concepts import ConceptTest, concept_test_text

_NOTHING_SAID = Assertions((), ())
_FIELDS_IN_ANY_CASE = {each.lower(): each for each in sorted(FIELDS)}
"""Fields by their names in lower case.

Role names are case-sensitive, and short ones that differ in a capital are not similar enough for a
suggestion.
"""


def warnings_of(
    text: str, written: ConceptSubscription, meaning: LoweredConcept, context: Context
) -> list[Problem]:
    """Return DUPLICATE_ELEMENT, MISSPELT_ROLE, UNSATISFIABLE and TAUTOLOGY of a text without
    problems.
    """
    problems, body = ProblemCollector(text), written.body
    _repeated(body, problems)
    for name in (*_roles(body), *(each for shared in written.shared for each in shared.roles)):
        _warn_of_role(name, context, problems)
    problems.found.extend(_of_other_languages(body, text, context))
    for test in dict.fromkeys(
        atom for atom in atoms_of(meaning.part) if isinstance(atom, ConceptTest)
    ):
        _warn_of_pointless(test, meaning.spots.get(test, SourceSpan(0, "")), problems)
    return problems.in_reading_order()


def _repeated(node: Syntax, problems: ProblemCollector) -> None:
    if isinstance(node, Listing):
        counts = Counter(each.name for each in node.elements)
        for each in {each.name: each for each in node.elements}.values():
            if counts[each.name] > 1:
                problems.add(
                    "DUPLICATE_ELEMENT",
                    each.spot,
                    f"{each.name!r} is listed twice",
                    "drop one of them",
                )
    for inner in children_of(node):
        _repeated(inner, problems)


def _roles(node: Syntax) -> Iterator[ConceptName]:
    if isinstance(node, Quantified):
        yield node.role
    for inner in children_of(node):
        yield from _roles(inner)


def _warn_of_role(name: ConceptName, context: Context, problems: ProblemCollector) -> None:
    """Warn of a role that is nearly a field of EPCIS; any role is legal if no role is declared."""
    tbox = context.ontology.tbox if isinstance(context.ontology, Ontology) else None
    declared = isinstance(tbox, TBox) and bool(tbox.roles)
    if name.name in FIELDS or ":" in name.name or declared:
        return
    meant = _FIELDS_IN_ANY_CASE.get(name.name.lower()) or nearest(name.name, sorted(FIELDS), 0.85)
    if meant:
        message = f"EPCIS events have {meant}, and none has {name.name}"
        problems.add("MISSPELT_ROLE", name.spot, message, f"did you mean {meant}?")


def _of_other_languages(node: Syntax, text: str, context: Context) -> Iterator[Problem]:
    """Yield warnings of atoms in braces, at their places in the whole text."""
    if isinstance(node, ConceptEmbeddedAtom):
        for warning in context.warn_of_atom(node.language, text[node.start : node.end]):
            yield shift_problem(warning, text, node.start)
    for inner in children_of(node):
        yield from _of_other_languages(inner, text, context)


def _warn_of_pointless(test: ConceptTest, spot: SourceSpan, problems: ProblemCollector) -> None:
    """Warn of a test that is never or always true.

    It is judged in the open world with nothing known of the event: a result there holds everywhere.
    """
    told = concept_test_text(test)
    if examine(_NOTHING_SAID, [(EVENT, test.concept)], World.OPEN).is_inconsistent:
        problems.add(
            "UNSATISFIABLE", spot, f"no event is ever {told}", "it contradicts itself; drop a part"
        )
    elif examine(
        _NOTHING_SAID, [(EVENT, normal_form(test.concept, negated=True))], World.OPEN
    ).is_inconsistent:
        problems.add(
            "TAUTOLOGY", spot, f"every event is {told}", "it says nothing; is a not missing?"
        )
