"""Random terminologies, concepts and events over few names, so that things meet and collide."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.engine.concepts.worlds import event_of
from tocsin.events.event import Event
from tocsin.knowledge.concepts.assertions import World
from tocsin.knowledge.concepts.axioms import Definition, Specialisation
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
    enumeration,
)
from tocsin.knowledge.concepts.datatypes import datatype
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.plan.nodes.concepts import ConceptTest

BASE = ("A", "B", "C")
INDIVIDUALS = ("a", "b", "c")
ROLES = ("r", "s")
NAMES = ("N0", "N1", "N2", "N3")
LISTED = "L"

numbers = st.sampled_from([0, 1, 2.5])
datatypes = st.builds(
    datatype,
    st.sampled_from(["int", "double"]),
    st.sampled_from(["<", "=", ">="]),
    st.integers(0, 2),
)
enumerations = st.builds(enumeration, st.sets(st.sampled_from(INDIVIDUALS), min_size=1))


def concepts(symbols: tuple[str, ...], *, size: int = 8) -> st.SearchStrategy[Concept]:
    leaves = st.one_of(
        st.sampled_from(symbols).map(Symbol),
        st.sampled_from(symbols).map(Symbol),
        enumerations,
        datatypes,
        st.sampled_from([Thing(), Nothing()]),
    )
    return st.recursive(leaves, _larger, max_leaves=size)


def _larger(inner: st.SearchStrategy[Concept]) -> st.SearchStrategy[Concept]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    roles = st.sampled_from(ROLES)
    return st.one_of(
        st.builds(Conjunction, several),
        st.builds(Disjunction, several),
        st.builds(Complement, inner),
        st.builds(Exists, roles, inner),
        st.builds(ForAll, roles, inner),
    )


@st.composite
def tboxes(draw: st.DrawFn) -> TBox:
    """Names are defined by base symbols and by names before them, so that there is no cycle."""
    axioms: list[Any] = [Definition("Known", Disjunction(tuple(map(Symbol, BASE))))]
    axioms += [Definition(LISTED, draw(enumerations))] if draw(st.booleans()) else []
    known = (*BASE, *(axiom.name for axiom in axioms))
    for name in NAMES[: draw(st.integers(0, len(NAMES)))]:
        kind = draw(st.sampled_from([Definition, Specialisation]))
        concept = draw(concepts(known, size=4))
        axioms.append(kind(name, Conjunction((concept, Thing()))))
        known = (*known, name)
    return TBox(tuple(axioms))


def values(names: tuple[str, ...]) -> st.SearchStrategy[Any]:
    plain = st.one_of(st.sampled_from([*names, *INDIVIDUALS, "other"]), numbers)
    nested = st.dictionaries(st.sampled_from([*ROLES, "id"]), plain, max_size=2)
    return st.one_of(plain, st.lists(plain, max_size=3), nested)


def events(tbox: TBox) -> st.SearchStrategy[Event]:
    """Events of any kind: defined types, names of concepts as values, objects."""
    names = (*BASE, *(axiom.name for axiom in tbox.axioms))
    types = st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True).map(" ".join)
    return st.builds(
        event_of, types, st.dictionaries(st.sampled_from(ROLES), values(names), max_size=2)
    )


plain_events = st.builds(
    event_of,
    st.lists(st.sampled_from(BASE), min_size=1, max_size=2, unique=True).map(" ".join),
    st.dictionaries(st.sampled_from(ROLES), values(BASE), max_size=2),
)
"""Events that say all of themselves: types and values are base symbols, individuals, literals and
objects.
"""


def concept_tests(tbox: TBox, world: World) -> st.SearchStrategy[ConceptTest]:
    known = (*BASE, *(axiom.name for axiom in tbox.axioms))
    return concepts(known).map(lambda concept: ConceptTest(tbox.expand(concept), tbox, world))
