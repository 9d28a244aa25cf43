"""Random rules over the names of `worlds`, and what follows from them by SPARQL updates, until
nothing is new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from hypothesis import strategies as st
from pyoxigraph import RdfFormat, Store

from tests.engine.graphs.worlds import (
    CLASSES,
    CONSTANTS,
    DIFFERENT_VALUES,
    PROPERTIES,
    World,
    ontologies,
)
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.rules import AllOf, AnyOf, Expression, HasValue, Named, Rules, Some
from tocsin.values.terms import DECIMAL, RDF_TYPE, THING

_PROPERTY = st.sampled_from(PROPERTIES)
_CLASS = st.sampled_from(CLASSES)


def expressions() -> st.SearchStrategy[Expression]:
    """Class expressions of every kind."""
    leaves: st.SearchStrategy[Expression] = st.one_of(
        st.builds(Named, st.sampled_from([*CLASSES, *CLASSES, THING, DECIMAL])),
        st.builds(HasValue, _PROPERTY, st.sampled_from([*CONSTANTS, *DIFFERENT_VALUES])),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Some, _PROPERTY, inner),
            st.builds(lambda *parts: AllOf(parts), inner, inner),
            st.builds(lambda *parts: AnyOf(parts), inner, inner),
        ),
        max_leaves=3,
    )


@st.composite
def rules(draw: st.DrawFn, *, unseen: bool = True) -> Rules:
    """A few rules of each kind; `unseen` allows classes that necessarily have something."""
    few = st.lists(st.tuples(_PROPERTY, _CLASS), max_size=2)
    turned = draw(st.lists(st.tuples(_PROPERTY, _PROPERTY), max_size=2))
    definitions = draw(st.lists(st.tuples(_CLASS, expressions()), max_size=3))
    some = st.one_of(
        st.builds(Some, _PROPERTY, expressions()),
        st.builds(HasValue, _PROPERTY, st.sampled_from([*CONSTANTS, *DIFFERENT_VALUES])),
    )
    narrow = st.one_of(st.builds(Named, _CLASS), expressions())
    return Rules(
        tuple(draw(few)),
        tuple(draw(few)),
        tuple({*turned, *((other, one) for one, other in turned)}),
        tuple(draw(st.lists(_PROPERTY, max_size=1))),
        tuple(definitions),
        tuple(draw(st.lists(st.tuples(narrow, some), max_size=3))) if unseen else (),
    )


@st.composite
def ruling_ontologies(draw: st.DrawFn, *, unseen: bool = True) -> Ontology:
    """Ontologies that conclude."""
    return replace(draw(ontologies()), rules=draw(rules(unseen=unseen)))


def closed(world: World, ontology: Ontology) -> set[tuple[str, str, str]]:
    """The triples that follow, classes included, as SPARQL has them; nothing unseen takes part.

    A blank node is known by an IRI, since a store gives it a label of its own.
    """
    store = Store()
    store.load(re.sub(r"_:(\w+)", r"<blank:\1>", world.text()).encode(), format=RdfFormat.N_TRIPLES)
    updates, size = list(_updates(ontology)), -1
    while size != len(store):
        size = len(store)
        for update in updates:
            store.update(update)
    found = ((str(each.subject), each.predicate.value, str(each.object)) for each in store)
    return {(_label(one), used, _label(other)) for one, used, other in found}


def _label(term: str) -> str:
    return "_:" + term[len("<blank:") : -1] if term.startswith("<blank:") else term


def _updates(ontology: Ontology) -> Iterator[str]:
    rules = ontology.rules
    for prop, kind in rules.domains:
        yield f"INSERT {{ ?s a <{kind}> }} WHERE {{ ?s {_path(prop, ontology)} ?o }}"
    for prop, kind in rules.ranges:
        yield f"INSERT {{ ?o a <{kind}> }} WHERE {{ ?s {_path(prop, ontology)} ?o FILTER(!isLiteral(?o)) }}"
    for prop, inverse in rules.inverses:
        yield f"INSERT {{ ?o <{inverse}> ?s }} WHERE {{ ?s {_path(prop, ontology)} ?o FILTER(!isLiteral(?o)) }}"
    for prop in rules.transitive:
        path = _path(prop, ontology)
        yield f"INSERT {{ ?s <{prop}> ?o }} WHERE {{ ?s {path} ?m . ?m {path} ?o }}"
    anything = (
        "{ ?v ?pa ?oa } UNION { ?sb ?pb ?v FILTER(?pb != <" + RDF_TYPE + "> && !isLiteral(?v)) }"
    )
    for kind, meaning in rules.definitions:
        yield f"INSERT {{ ?v a <{kind}> }} WHERE {{ {anything} {_where('?v', meaning, ontology, count())} }}"


def _where(vertex: str, meaning: Expression, ontology: Ontology, numbers: Iterator[int]) -> str:
    match meaning:
        case Named(name) if name == THING:
            return f"FILTER(!isLiteral({vertex}))"
        case Named(name) if ontology.is_datatype(name):
            below = ", ".join(f"<{each}>" for each in sorted(ontology.subclasses(name)))
            return f"FILTER(isLiteral({vertex}) && datatype({vertex}) IN ({below}))"
        case Named(name):
            below = " ".join(f"<{each}>" for each in sorted(ontology.subclasses(name)))
            kind = f"?k{next(numbers)}"
            return f"FILTER EXISTS {{ {vertex} a {kind} VALUES {kind} {{ {below} }} }}"
        case AllOf(parts):
            return " ".join(_where(vertex, part, ontology, numbers) for part in parts)
        case AnyOf(parts):
            return f"{{ {' UNION '.join(_choices(vertex, parts, ontology, numbers))} }}"
        case Some(prop, filler):
            value = f"?x{next(numbers)}"
            return f"{vertex} {_path(prop, ontology)} {value} . {_where(value, filler, ontology, numbers)}"
        case HasValue(prop, wanted):
            return f"{vertex} {_path(prop, ontology)} {wanted} ."


def _choices(
    vertex: str, parts: tuple[Expression, ...], ontology: Ontology, numbers: Iterator[int]
) -> Iterator[str]:
    """Each alternative for a vertex that has a property, or is the value of one."""
    for part in parts:
        for place in ("{vertex} ?p{number} ?e{number} .", "?e{number} ?p{number} {vertex} ."):
            bound = place.format(vertex=vertex, number=next(numbers))
            yield f"{{ {bound} {_where(vertex, part, ontology, numbers)} }}"


def _path(prop: str, ontology: Ontology) -> str:
    return "(" + "|".join(f"<{each}>" for each in sorted(ontology.subproperties(prop))) + ")"
