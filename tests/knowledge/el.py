"""Random terminologies of the description logic EL, as Turtle and as an independent reasoner sees
them.

The reasoner saturates sets of subconcepts (completion rules of EL): it knows nothing of rules,
definitions, hierarchies or tableaux.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

EX = "http://example.org/"
PREFIXES = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . """
NAMES = ("A", "B", "C", "D", "E", "F", "G")
ROLES = ("r", "s")


@dataclass(frozen=True)
class And:
    parts: tuple[El, ...]


@dataclass(frozen=True)
class Has:
    role: str
    filler: El


El = str | And | Has
"""A class name, an intersection (of intersections), or an existential restriction."""


@dataclass(frozen=True)
class Axiom:
    """The first is below the second; or the two are the same."""

    one: El
    other: El
    same: bool = False


def concepts(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[El]:
    """Names, nested intersections and restrictions."""
    return st.recursive(
        st.sampled_from(names),
        lambda inner: st.one_of(
            st.builds(lambda *parts: And(parts), inner, inner),
            st.builds(Has, st.sampled_from(ROLES), inner),
        ),
        max_leaves=4,
    )


def axioms(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[list[Axiom]]:
    """A few axioms, also several about one name, also in circles; of two names, the first is below
    the second only where it comes before it, as circles that are said outright are refused.
    """
    some = st.builds(Axiom, concepts(names), concepts(names), st.booleans())
    named = st.builds(Axiom, st.sampled_from(names), concepts(names), st.booleans())
    return st.lists(st.one_of(some, named).filter(_is_upwards), min_size=1, max_size=6)


def _is_upwards(axiom: Axiom) -> bool:
    one, other = axiom.one, axiom.other
    is_named = isinstance(one, str) and isinstance(other, str)
    return not is_named or (not axiom.same and NAMES.index(one) < NAMES.index(other))


def turtle(given: Iterable[Axiom]) -> str:
    """The axioms as Turtle."""
    return PREFIXES + " ".join(
        f"{_written(each.one)} {'owl:equivalentClass' if each.same else 'rdfs:subClassOf'}"
        f" {_written(each.other)} ."
        for each in given
    )


def _written(concept: El) -> str:
    match concept:
        case And(parts):
            return f"[ owl:intersectionOf ({' '.join(map(_written, parts))}) ]"
        case Has(role, filler):
            return f"[ owl:onProperty :{role} ; owl:someValuesFrom {_written(filler)} ]"
        case _:
            return f":{concept}"


def subconcepts(concept: El) -> Iterator[El]:
    """The concept and all inside of it."""
    yield concept
    for inner in (
        concept.parts
        if isinstance(concept, And)
        else (concept.filler,)
        if isinstance(concept, Has)
        else ()
    ):
        yield from subconcepts(inner)


def saturated(
    given: Iterable[Axiom], types: Mapping[str, set[str]], arcs: Iterable[tuple[str, str, str]]
) -> dict[str, set[str]]:
    """The names that each individual has, given the types and the arcs between individuals."""
    rules = [pair for each in given for pair in _ways(each)]
    every = {part for pair in rules for side in pair for part in subconcepts(side)}
    has: dict[object, set[El]] = {who: set(names) for who, names in types.items()}
    edges: set[tuple[object, str, object]] = set(arcs)
    size = -1
    while size != (size := sum(map(len, has.values())) + len(edges)):
        for who in list(has):
            for concept in list(has[who]):
                if isinstance(concept, And):
                    has[who] |= set(concept.parts)
                if isinstance(concept, Has):
                    has.setdefault((concept.filler,), set()).add(concept.filler)
                    edges.add((who, concept.role, (concept.filler,)))
            has[who] |= {e for e in every if isinstance(e, And) and set(e.parts) <= has[who]}
            has[who] |= {wide for narrow, wide in rules if narrow in has[who]}
        for who, role, value in edges:
            has[who] |= {
                each
                for each in every
                if isinstance(each, Has) and each.role == role and each.filler in has[value]
            }
    return {who: {each for each in has[who] if isinstance(each, str)} for who in types}


def _ways(axiom: Axiom) -> list[tuple[El, El]]:
    below = (axiom.one, axiom.other)
    return [below, (axiom.other, axiom.one)] if axiom.same else [below]
