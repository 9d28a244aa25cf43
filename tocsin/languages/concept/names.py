"""Resolution of names to concepts, individuals and roles: a name as it is, by its aliases, by its
prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tocsin.errors import Problem
from tocsin.knowledge.concepts.tbox import EMPTY, TBox
from tocsin.knowledge.ontology import Ontology
from tocsin.languages.base.suggestions import nearest
from tocsin.languages.concept.syntax import ConceptName


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
