"""Syntax to concept, with its names resolved. A problem in one place hides none elsewhere.

Nothing replaces a concept with a problem. A name is that of a concept, individual or role as it is,
by its aliases, or by its prefix.

Restricted datatypes `(type op value)`: an enumerated type compares individuals, any other its
literals.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import assert_never

from tocsin.errors import MeaningProblem, Problem
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Enumeration,
    Exists,
    ForAll,
    Nothing,
    Symbol,
    Thing,
    Value,
    enumeration,
)
from tocsin.knowledge.concepts.datatypes import EQUALITIES, PREFIX, TYPES, datatype, datatype_name
from tocsin.knowledge.concepts.tbox import EMPTY, TBox
from tocsin.knowledge.ontology import Ontology
from tocsin.languages.base.texts import ProblemCollector, nearest
from tocsin.languages.concept.syntax import (
    Bottom,
    ConceptAnd,
    ConceptEmbeddedAtom,
    ConceptName,
    ConceptNegation,
    ConceptOr,
    Intersection,
    Listing,
    Quantified,
    Restriction,
    SeveralEvents,
    Syntax,
    TemporalRelation,
    TimedNegation,
    Top,
    Union,
)
from tocsin.values.scalars import canonical_number


@dataclass(frozen=True, slots=True)
class ConceptNameResolver:
    """TBox in force, and prefixes of the ontology."""

    tbox: TBox = EMPTY
    prefixes: Mapping[str, str] = field(default_factory=dict)

    def full(self, name: ConceptName) -> str:
        """Return the TBox's name, else the IRI of a prefixed name, else the name itself."""
        if name.is_iri:
            return self.tbox.resolved(name.name)
        resolved = self.tbox.resolved(name.name)
        prefix, colon, local = name.name.partition(":")
        if (
            resolved != name.name
            or not colon
            or self.tbox.is_concept(name.name)
            or prefix not in self.prefixes
        ):
            return resolved
        return self.tbox.resolved(self.prefixes[prefix] + local)

    def is_concept(self, full: str) -> bool:
        """True if the TBox has a concept of that name."""
        return self.tbox.is_concept(full)

    def is_individual(self, full: str, name: ConceptName) -> bool:
        """True for a known individual and for any IRI, written out or by its prefix."""
        return (
            full in self.tbox.known_individuals
            or name.is_iri
            or full != self.tbox.resolved(name.name)
        )

    def knows_role(self, full: str) -> bool:
        """True if the role may be used: any, if the TBox declares no role."""
        return not self.tbox.roles or full in self.tbox.roles

    def similar(self, name: str) -> str:
        """Return "did you mean ...? " with a known name, or ""."""
        known = sorted(
            {
                *self.tbox.base_symbols,
                *(axiom.name for axiom in self.tbox.axioms),
                *self.tbox.enumerated,
            }
        )
        meant = nearest(name, [*known, *sorted(self.tbox.known_individuals)], 0.75)
        return f"did you mean {meant}? " if meant else ""


def names_of(ontology: object | None) -> ConceptNameResolver:
    """Return the names of an ontology; raise the problem of its TBox if it has one."""
    if not isinstance(ontology, Ontology):
        return ConceptNameResolver()
    if isinstance(ontology.tbox, Problem):
        raise ontology.tbox
    return ConceptNameResolver(
        ontology.tbox if isinstance(ontology.tbox, TBox) else EMPTY, ontology.prefixes
    )


_SIGNS = {"≤": "<=", "≥": ">=", "≠": "!="}
_TRUTHS = {"true": True, "false": False}


def restriction(node: Restriction, names: ConceptNameResolver) -> Concept:
    """Return the concept of a restricted datatype; raise if type, operator and value do not fit."""
    operator = _SIGNS.get(node.operator.text, node.operator.text)
    full = names.full(node.type)
    if full in names.tbox.enumerated:
        return _of_enumerated(names.tbox.enumerated[full], operator, node, names)
    short = datatype_name(node.type.name) or datatype_name(full)
    if short is None:
        raise MeaningProblem(
            f"{node.type.name!r} is no datatype",
            code="UNKNOWN_TYPE",
            token=node.type.name,
            hint=_near_type(node.type.name),
        )
    return datatype(short, operator, _value(node))


def _near_type(name: str) -> str:
    """Return a suggestion: a datatype without its prefix, or one of similar spelling."""
    local = _OTHER_TYPES.get(name.rpartition(":")[2].lower(), name.rpartition(":")[2])
    if meant := nearest(local, TYPES, 0.7):
        return f"did you mean {PREFIX}{meant}?"
    return f"an enumerated concept, or one of {', '.join(PREFIX + each for each in TYPES)}"


_OTHER_TYPES = {
    "number": "decimal",
    "text": "string",
    "str": "string",
    "bool": "boolean",
    "time": "dateTime",
}
"""Words of other languages for datatypes."""


def _of_enumerated(
    listed: Enumeration, operator: str, node: Restriction, names: ConceptNameResolver
) -> Concept:
    """Return T and {v} for `(T = v)`, T without v for `(T != v)`."""
    if operator not in EQUALITIES:
        raise MeaningProblem(
            f"{listed.name} has no order",
            code="OPERATOR_TYPE",
            token=operator,
            hint="compare with = or !=",
        )
    value = names.full(node.value) if isinstance(node.value, ConceptName) else str(_value(node))
    if value not in listed.elements:
        raise MeaningProblem(
            f"{value!r} is no element of {listed.name}",
            code="VALUE_TYPE",
            token=value,
            hint=f"one of {', '.join(listed.elements)}",
        )
    one = enumeration((value,))
    return Conjunction((listed, one if operator == "=" else Complement(one)))


def _value(node: Restriction) -> Value:
    if isinstance(node.value, ConceptName):
        return _TRUTHS.get(node.value.name, node.value.name)
    written = node.value.text
    if not written.startswith('"'):
        return canonical_number(Decimal(written))
    try:
        return str(json.loads(written))
    except ValueError:
        raise MeaningProblem(
            "the text has an escape that is not known",
            code="VALUE_TYPE",
            token=written,
            hint=r"write \\ for a backslash",
        ) from None


Unknown = Callable[[ConceptName], Concept | None]
"""Lookup of a name that the TBox does not know; None if it is not defined elsewhere either."""


def no_other_concepts(_: ConceptName) -> Concept | None:
    """Return None: nothing is defined outside the TBox."""
    return None


@dataclass(frozen=True, slots=True)
class ConceptBuilder:
    """One walk over a text. In a TBox every name that is not an individual may be a concept:
    `names_free`.
    """

    problems: ProblemCollector
    names: ConceptNameResolver
    unknown: Unknown = no_other_concepts
    names_free: bool = False

    def concept(self, node: Syntax, *, in_filler: bool = False) -> Concept:
        """Return the concept of a node, not yet expanded."""
        match node:
            case Top():
                return Thing()
            case Bottom():
                return Nothing()
            case ConceptName():
                return self._name(node, in_filler)
            case Listing():
                return self._listing(node)
            case Restriction():
                return self._restriction(node, in_filler)
            case ConceptNegation(operand):
                return Complement(self.concept(operand, in_filler=in_filler))
            case Intersection(operands):
                return Conjunction(
                    tuple(self.concept(each, in_filler=in_filler) for each in operands)
                )
            case Union(operands):
                return Disjunction(
                    tuple(self.concept(each, in_filler=in_filler) for each in operands)
                )
            case Quantified():
                return self._quantified(node)
            case (
                TimedNegation()
                | TemporalRelation()
                | ConceptAnd()
                | ConceptOr()
                | ConceptEmbeddedAtom()
            ):
                return self._level(node)
            case _:
                assert_never(node)

    def role(self, name: ConceptName) -> str:
        """Return the full name of a role; add a problem if it is not declared."""
        full = self.names.full(name)
        if not self.names.knows_role(full):
            self.problems.add(
                "UNKNOWN_ROLE",
                name.spot,
                f"the role {name.name!r} is not declared",
                f"declared are {', '.join(self.names.tbox.roles[:8])}; an ontology without"
                " properties allows any",
            )
        return full

    def _name(self, node: ConceptName, in_filler: bool) -> Concept:
        full = self.names.full(node)
        if self.names.is_concept(full):
            return Symbol(full)
        if in_filler and self.names.is_individual(full, node):
            return enumeration((full,))
        if self.names_free:
            return Symbol(full)
        meant = self.unknown(node)
        if meant is None:
            self._unknown(node, in_filler)
        return meant or Nothing()

    def _unknown(self, node: ConceptName, in_filler: bool) -> None:
        if self.names.is_individual(self.names.full(node), node):
            message, hint = (
                f"{node.name!r} is an individual, and an event is none",
                f"write exists role.{node.name}",
            )
        else:
            message = f"nobody knows the name {node.name!r}"
            either = f"write {{{node.name}}} for an individual, or " if in_filler else ""
            hint = (
                f"{self.names.similar(node.name)}{either}declare it in the ontology, as {node.name}"
                " <: Thing;"
            )
        self.problems.add("UNKNOWN_NAME", node.spot, message, hint)

    def _listing(self, node: Listing) -> Concept:
        if node.elements:
            return enumeration(map(self.names.full, node.elements))
        self.problems.add(
            "EMPTY_ENUMERATION",
            node.spot,
            "the enumeration is empty",
            "name its individuals, or write Nothing",
        )
        return Nothing()

    def _restriction(self, node: Restriction, in_filler: bool) -> Concept:
        if not in_filler:
            self.problems.add(
                "LEVEL",
                node.spot,
                "an event has no datatype",
                "values are compared inside a filler: exists quantity.(xsd:int < 5)",
            )
            return Nothing()
        try:
            return restriction(node, self.names)
        except Problem as problem:
            self.problems.at(node.spot, problem)
            return Nothing()

    def _quantified(self, node: Quantified) -> Concept:
        role, filler = self.role(node.role), self.concept(node.filler, in_filler=True)
        return ForAll(role, filler) if node.universal else Exists(role, filler)

    def _level(self, node: SeveralEvents) -> Concept:
        what = (
            "an atom of another language"
            if isinstance(node, ConceptEmbeddedAtom)
            else "this is about several events and"
        )
        self.problems.add(
            "LEVEL",
            node.spot,
            f"{what} has no place inside a concept",
            "a concept is about one event; combine events outside of it, with &, | and the"
            " relations in time",
        )
        return Nothing()
