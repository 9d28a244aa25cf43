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


def clash_of(who: Individual, concept: Concept, others: Collection[Concept]) -> Clash | None:
    """Return the clash of a concept of an individual with all its known concepts, itself included;
    else None.
    """
    match concept:
        case Nothing():
            return Clash("K5", who, f"{who.name} cannot be in Nothing")
        case Symbol() | Enumeration() | Datatype():
            return _of_leaf(who, concept, True, others)
        case Complement(operand) if isinstance(operand, Symbol | Enumeration | Datatype):
            return _of_leaf(who, operand, False, others)
        case _:
            return None


def _of_leaf(
    who: Individual, leaf: Leaf, positive: bool, others: Collection[Concept]
) -> Clash | None:
    if (Complement(leaf) if positive else leaf) in others:
        return Clash(
            "K1", who, f"{who.name} would be {concept_text(leaf)} and not {concept_text(leaf)}"
        )
    if isinstance(leaf, Datatype):
        return _of_datatype(who, leaf, positive)
    if who.kind is IndividualKind.LITERAL:
        return (
            Clash("K4", who, f"the literal {who.name} is no {concept_text(leaf)}")
            if positive
            else None
        )
    if isinstance(leaf, Enumeration):
        return _of_listing(who, leaf, positive) or _of_no_individual_left(who, others)
    return None


def _of_datatype(who: Individual, datatype: Datatype, positive: bool) -> Clash | None:
    if who.kind is IndividualKind.FRESH:
        return None
    if (who.value is not None and has(who.value, datatype)) is positive:
        return None
    return Clash(
        "K3", who, f"{who.name} is {'not' if positive else 'indeed'} {concept_text(datatype)}"
    )


def _of_listing(who: Individual, listed: Enumeration, positive: bool) -> Clash | None:
    if (
        not who.is_named
        or (who.kind is IndividualKind.NAMED and who.name in listed.elements) is positive
    ):
        return None
    return Clash(
        "K2",
        who,
        f"{who.name} is {'not listed' if positive else 'listed'} in {concept_text(listed)}",
    )


def _of_no_individual_left(who: Individual, others: Collection[Concept]) -> Clash | None:
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
    return None if left else Clash("K6", who, f"nobody is left that {who.name} could be")
