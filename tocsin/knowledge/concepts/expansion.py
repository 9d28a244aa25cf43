"""Expansion: names replaced by their meaning, down to base symbols, enumerations and datatypes.

A name with several equivalences has two expansions (decision 0074): as a query (`queried`) it is
any of them, as an assertion it is all of them, and all that is above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from tocsin.errors import LimitProblem
from tocsin.knowledge.concepts.axioms import Axiom, Definition, Equivalence, Specialisation
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Enumeration,
    Exists,
    ForAll,
    Symbol,
    conjunction,
    disjunction,
    normal_form,
    parts_of,
)

SPECIAL = "*"
"""Suffix of the base symbol for the specific part of a specialised concept."""

SIZE_LIMIT = 20_000
"""Most parts of an expanded concept."""


class Expansion:
    """The expansions of names by a set of axioms; computed on first use."""

    def __init__(self, axioms: Iterable[Axiom], enumerated: Mapping[str, Enumeration]) -> None:
        given = tuple(axioms)
        equal: dict[str, tuple[Concept, ...]] = {}
        for axiom in given:
            if isinstance(axiom, Equivalence):
                equal[axiom.name] = (*equal.get(axiom.name, ()), axiom.concept)
        self.specialised = frozenset(
            each.name
            for each in given
            if isinstance(each, Specialisation) and each.name not in equal
        )
        """Names with specialisations and without equivalences."""
        self.defined: Mapping[str, Concept] = _defined(given, equal)
        """Right side of every name symbol, equivalences and specialisations conjoined."""
        self._queried = {name: disjunction(concepts) for name, concepts in equal.items()}
        self._enumerated = enumerated
        self._found: dict[tuple[str, bool], Concept] = {}
        self._sizes: dict[str, int] = {}

    def of(self, name: str, *, queried: bool) -> Concept:
        """Return the meaning of a name in base symbols and negation normal form.

        A base symbol, and any other name, is itself.
        """
        meant = self._queried.get(name) if queried else None
        if meant is None:
            meant = self.defined.get(name)
        if meant is None:
            return self._enumerated.get(name, Symbol(name))
        if (name, queried) not in self._found:
            self._found[name, queried] = self.normal(meant, queried=queried)
        return self._found[name, queried]

    def normal(self, concept: Concept, *, queried: bool) -> Concept:
        """Return the concept in base symbols and negation normal form; raise LIMIT if it grows too
        large.
        """
        if self._size(concept) > SIZE_LIMIT:
            raise LimitProblem(
                f"the expanded concept has more than {SIZE_LIMIT:,} parts",
                code="LIMIT",
                hint="use a narrower concept, or define it with fewer names",
            )
        return normal_form(self._replaced(concept, queried))

    def _replaced(self, concept: Concept, queried: bool) -> Concept:
        match concept:
            case Symbol(name):
                return self.of(name, queried=queried)
            case Conjunction(operands):
                return Conjunction(tuple(self._replaced(each, queried) for each in operands))
            case Disjunction(operands):
                return Disjunction(tuple(self._replaced(each, queried) for each in operands))
            case Complement(operand):
                # under a complement a query asserts the operand, and the other way round
                return Complement(self._replaced(operand, not queried))
            case Exists(role, filler):
                return Exists(role, self._replaced(filler, queried))
            case ForAll(role, filler):
                return ForAll(role, self._replaced(filler, queried))
            case _:
                return concept

    def _size(self, concept: Concept) -> int:
        """Return an upper bound of the expanded size, without expanding; cut off past the limit."""
        if isinstance(concept, Symbol):
            if concept.name not in self.defined:
                return 1
            if concept.name not in self._sizes:
                self._sizes[concept.name] = self._size(self.defined[concept.name])
            return self._sizes[concept.name]
        return min(SIZE_LIMIT + 1, 1 + sum(map(self._size, parts_of(concept))))


def _defined(
    axioms: Iterable[Axiom], equal: Mapping[str, tuple[Concept, ...]]
) -> dict[str, Concept]:
    found = {name: conjunction(concepts) for name, concepts in equal.items()}
    for axiom in axioms:
        match axiom:
            case Definition(name, concept):
                if not isinstance(concept, Enumeration):
                    found[name] = concept
            case Specialisation(name, concept):
                found[name] = conjunction((found.get(name, Symbol(name + SPECIAL)), concept))
            case Equivalence():
                continue
            case _:
                assert_never(axiom)
    return found
