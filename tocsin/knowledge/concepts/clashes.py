"""Clashes: contradictions among the assumptions about one individual (criteria K1 to K6).

A symbol that nothing asserts and the closed world denies clashes as in K1: its complement is as
good as asserted. Not being listed is a proof for named individuals only.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tocsin.knowledge.concepts.assertions import Individual, IndividualKind
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Datatype,
    Enumeration,
    Leaf,
    Nothing,
    Symbol,
)
from tocsin.knowledge.concepts.datatypes import has
from tocsin.knowledge.concepts.wording import concept_text


@dataclass(frozen=True, slots=True)
class Clash:
    """The criterion that applies, the individual, and the reason in words."""

    criterion: str
    individual: Individual
    words: str


def clash_of(individual: Individual, concept: Concept, others: Collection[Concept]) -> Clash | None:
    """Return the clash of a concept of an individual with all its known concepts, itself included;
    else None.
    """
    match concept:
        case Nothing():
            return Clash("K5", individual, f"{individual.name} cannot be in Nothing")
        case Symbol() | Enumeration() | Datatype():
            return _of_leaf(individual, concept, True, others)
        case Complement(operand) if isinstance(operand, Symbol | Enumeration | Datatype):
            return _of_leaf(individual, operand, False, others)
        case _:
            return None


def _of_leaf(
    individual: Individual, leaf: Leaf, positive: bool, others: Collection[Concept]
) -> Clash | None:
    if (Complement(leaf) if positive else leaf) in others:
        return Clash(
            "K1",
            individual,
            f"{individual.name} would be {concept_text(leaf)} and not {concept_text(leaf)}",
        )
    if isinstance(leaf, Datatype):
        return _of_datatype(individual, leaf, positive)
    if individual.kind is IndividualKind.LITERAL:
        return (
            Clash("K4", individual, f"the literal {individual.name} is no {concept_text(leaf)}")
            if positive
            else None
        )
    if isinstance(leaf, Enumeration):
        return _of_listing(individual, leaf, positive) or _of_no_individual_left(individual, others)
    return None


def _of_datatype(individual: Individual, datatype: Datatype, positive: bool) -> Clash | None:
    if individual.kind is IndividualKind.FRESH:
        return None
    if (individual.value is not None and has(individual.value, datatype)) is positive:
        return None
    return Clash(
        "K3",
        individual,
        f"{individual.name} is {'not' if positive else 'indeed'} {concept_text(datatype)}",
    )


def _of_listing(individual: Individual, listed: Enumeration, positive: bool) -> Clash | None:
    if (
        not individual.is_named
        or (individual.kind is IndividualKind.NAMED and individual.name in listed.elements)
        is positive
    ):
        return None
    return Clash(
        "K2",
        individual,
        f"{individual.name} is {'not listed' if positive else 'listed'} in {concept_text(listed)}",
    )


def _of_no_individual_left(individual: Individual, others: Collection[Concept]) -> Clash | None:
    """Return clash K6 if its enumerations, without those that exclude it, leave no individual."""
    listed = [set(each.elements) for each in others if isinstance(each, Enumeration)]
    if not listed:
        return None
    excluded = (
        e.operand.elements
        for e in others
        if isinstance(e, Complement) and isinstance(e.operand, Enumeration)
    )
    left = set.intersection(*listed).difference(*excluded)
    return (
        None if left else Clash("K6", individual, f"nobody is left that {individual.name} could be")
    )
