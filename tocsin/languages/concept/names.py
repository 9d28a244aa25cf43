"""What names stand for: concepts, individuals, roles. A name is looked up as it is, by its aliases,
by its prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tocsin.errors import Problem
from tocsin.knowledge.concepts.tbox import EMPTY, TBox
from tocsin.knowledge.ontology import Ontology
from tocsin.languages.base.suggestions import nearest
from tocsin.languages.concept.syntax import Name


@dataclass(frozen=True, slots=True)
class Names:
    """The TBox in force, and the prefixes of the ontology."""

    tbox: TBox = EMPTY
    prefixes: Mapping[str, str] = field(default_factory=dict)

    def full(self, name: Name) -> str:
        """The name under which the TBox knows it, else the IRI of a prefixed name, else the name
        itself.
        """
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
        """Whether the TBox knows a concept of that name."""
        return self.tbox.is_concept(full)

    def is_individual(self, full: str, name: Name) -> bool:
        """Whether it is a known individual; an IRI, written out or by its prefix, always is."""
        return (
            full in self.tbox.known_individuals
            or name.is_iri
            or full != self.tbox.resolved(name.name)
        )

    def knows_role(self, full: str) -> bool:
        """Whether the role may be used: any, where none is declared."""
        return not self.tbox.roles or full in self.tbox.roles

    def similar(self, name: str) -> str:
        """A question whether a known name was meant, or nothing."""
        known = sorted(
            {
                *self.tbox.base_symbols,
                *(axiom.name for axiom in self.tbox.axioms),
                *self.tbox.enumerated,
            }
        )
        meant = nearest(name, [*known, *sorted(self.tbox.known_individuals)], 0.75)
        return f"did you mean {meant}? " if meant else ""


def names_of(ontology: object | None) -> Names:
    """The names of an ontology; raises the problem of its TBox where it has one."""
    if not isinstance(ontology, Ontology):
        return Names()
    if isinstance(ontology.tbox, Problem):
        raise ontology.tbox
    return Names(ontology.tbox if isinstance(ontology.tbox, TBox) else EMPTY, ontology.prefixes)
