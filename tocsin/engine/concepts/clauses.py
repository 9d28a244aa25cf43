"""Clauses: a concept in disjunctive form; each clause has required and refused parts.

A part is a symbol of the event or the existence of a value. `forall R.C` is the refusal of `exists
R.(not C)`. A concept without such a form, or with too many alternatives, stays as a rest that is
evaluated. In a closed world, an event with plain assertions only is an instance iff it meets a
clause.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Exists,
    ForAll,
    Nothing,
    Symbol,
    Thing,
    concepts_in,
    normal_form,
)

Part = Symbol | Exists

LIMIT = 64
"""Most clauses of a concept."""


@dataclass(frozen=True, slots=True)
class ConceptClause:
    """An alternative: every required part holds, no refused one does, and each rest does."""

    required: frozenset[Part] = frozenset()
    refused: frozenset[Part] = frozenset()
    rest: tuple[Concept, ...] = ()

    @property
    def is_monotone(self) -> bool:
        """True if more knowledge can never undo it; then open and closed world agree."""
        return not self.refused and not self.rest and all(map(_is_monotone, self.required))


def clauses_of(concept: Concept) -> tuple[ConceptClause, ...]:
    """Return the clauses of a concept in negation normal form; empty for Nothing."""
    match concept:
        case Thing():
            return (ConceptClause(),)
        case Nothing():
            return ()
        case Symbol() | Exists():
            return (ConceptClause(required=frozenset((concept,))),)
        case Complement(operand) if isinstance(operand, Symbol):
            return (ConceptClause(refused=frozenset((operand,))),)
        case ForAll(role, filler):
            return (
                ConceptClause(
                    refused=frozenset((Exists(role, normal_form(filler, negated=True)),))
                ),
            )
        case Disjunction(operands):
            return _limited(concept, [each for operand in operands for each in clauses_of(operand)])
        case Conjunction(operands):
            return _conjoined(concept, [clauses_of(operand) for operand in operands])
        case _:
            return (ConceptClause(rest=(concept,)),)


def _conjoined(
    concept: Concept, choices: list[tuple[ConceptClause, ...]]
) -> tuple[ConceptClause, ...]:
    """Combine one clause of each operand; operands that would exceed the limit become a rest."""
    size = 1
    for number, each in enumerate(choices):
        size *= len(each)
        if size > LIMIT:
            assert isinstance(concept, Conjunction)
            choices[number] = (ConceptClause(rest=(concept.operands[number],)),)
            size //= len(each)
    return tuple(dict.fromkeys(map(_together, product(*choices))))


def _together(clauses: Iterable[ConceptClause]) -> ConceptClause:
    chosen = tuple(clauses)
    return ConceptClause(
        frozenset().union(*(each.required for each in chosen)),
        frozenset().union(*(each.refused for each in chosen)),
        tuple(dict.fromkeys(rest for each in chosen for rest in each.rest)),
    )


def _limited(concept: Concept, clauses: list[ConceptClause]) -> tuple[ConceptClause, ...]:
    return (
        tuple(dict.fromkeys(clauses))
        if len(clauses) <= LIMIT
        else (ConceptClause(rest=(concept,)),)
    )


def _is_monotone(part: Part) -> bool:
    return not any(
        isinstance(each, ForAll)
        or (isinstance(each, Complement) and isinstance(each.operand, Symbol))
        for each in concepts_in(part)
    )
