"""OWL 2 as a TBox: subclasses are specialisations, equivalent classes definitions, disjoint ones
exclude each other.

`A disjointWith B` becomes `A <: not B*`, where `B*` is what distinguishes B: as good as `not B`,
and never cyclic. Equal named classes are one class with two names. SKOS `broader` is a
specialisation. An axiom that the language cannot say is left out and told: what it would add is not
inferred. Redefined and cyclic names are problems as in any TBox.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from tocsin.knowledge.concepts.axioms import Axiom, Definition, Specialisation
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Enumeration,
    Symbol,
    Thing,
    enumeration,
)
from tocsin.knowledge.concepts.expressions import (
    CONNECTIVES,
    Beyond,
    Node,
    concept_of,
    definitions_of,
)
from tocsin.knowledge.concepts.tbox import SPECIAL, TBox
from tocsin.values.terms import OWL, RDF, RDF_TYPE, RDFS, Iri, Resource, Term

BROADER = "http://www.w3.org/2004/02/skos/core#broader"
EQUIVALENT, SUBCLASS = OWL + "equivalentClass", RDFS + "subClassOf"
_ROLES = (OWL + "ObjectProperty", OWL + "DatatypeProperty", RDF + "Property")
_VOCABULARIES = (OWL, RDFS, RDF)
_LOCAL_ENDS = "#/:"


@dataclass(frozen=True, slots=True)
class OwlTBox:
    """The TBox of an ontology, and the classes with an axiom that it leaves out."""

    tbox: TBox
    left_out: tuple[str, ...]


def tbox_of_triples(
    triples: Iterable[tuple[Resource, str, Term]], prefixes: Mapping[str, str]
) -> OwlTBox:
    """The TBox of an OWL 2 ontology, whose names may be written short: by their prefix, or as a
    unique local name.
    """
    node = Node(triples)
    left_out: list[str] = []
    axioms = _axioms(node, left_out)
    roles, individuals = _roles(node), _individuals(node)
    names = {*roles, *individuals, *(axiom.name for axiom in axioms), *TBox(axioms).base_symbols}
    short = _short_names(names | node.same.keys(), prefixes)
    aliases = {**{local: node.same.get(name, name) for local, name in short.items()}, **node.same}
    tbox = TBox(
        axioms,
        tuple(roles),
        tuple(_ranges(node)),
        tuple(individuals),
        tuple(sorted(aliases.items())),
    )
    return OwlTBox(tbox, tuple(sorted(set(left_out))))


def _axioms(node: Node, left_out: list[str]) -> tuple[Axiom, ...]:
    defined = tuple(dict.fromkeys(_definitions(node, left_out)))
    told = (each for each in _specialisations(node, left_out) if not _is_implied(each, defined))
    special = tuple(dict.fromkeys((*told, *_lonely(node))))
    excluded = _exclusions(
        node, {each.name for each in defined}, {each.name for each in special}, left_out
    )
    return (*defined, *special, *excluded)


def _definitions(node: Node, left_out: list[str]) -> Iterator[Definition]:
    for who, value in node.pairs(EQUIVALENT):
        if not isinstance(who, Iri):
            left_out.append(str(value))
        elif not isinstance(value, Iri):
            yield from (
                Definition(node.name(who), _called(each, who))
                for each in _described(node, who, value, left_out)
            )
    for who in _classes(node):
        try:
            yield from (
                Definition(node.name(who), _called(each, who)) for each in definitions_of(node, who)
            )
        except Beyond:
            left_out.append(who.text)


def _specialisations(node: Node, left_out: list[str]) -> Iterator[Specialisation]:
    for prop in (SUBCLASS, BROADER):
        for who, value in node.pairs(prop):
            if not isinstance(who, Iri):
                left_out.append(str(value))
                continue
            for concept in _described(node, who, value, left_out):
                if concept not in (Symbol(node.name(who)), Thing()):
                    yield Specialisation(node.name(who), concept)


def _is_implied(special: Specialisation, defined: tuple[Definition, ...]) -> bool:
    """Whether a definition says it already: of its own name as one of all, or of the wider name as
    one of any.
    """
    own = (each.concept for each in defined if each.name == special.name)
    wider = (each.concept for each in defined if Symbol(each.name) == special.concept)
    return any(
        isinstance(each, Conjunction) and special.concept in each.operands for each in own
    ) or any(
        isinstance(each, Disjunction) and Symbol(special.name) in each.operands for each in wider
    )


def _lonely(node: Node) -> Iterator[Specialisation]:
    """A class that no axiom is about would be unknown; as a specialisation of Thing it is known."""
    for who in _classes(node):
        values = (
            value
            for prop in (EQUIVALENT, SUBCLASS, BROADER, *CONNECTIVES)
            for value in node.values(who, prop)
        )
        told = any(value != Iri(OWL + "Thing") for value in values)
        if not told and who.text not in node.same and not who.text.startswith(_VOCABULARIES):
            yield Specialisation(who.text, Thing())


def _exclusions(
    node: Node, defined: set[str], special: set[str], left_out: list[str]
) -> list[Specialisation]:
    chosen = []
    for one, other in sorted(
        {(min(pair), max(pair)) for pair in _disjoint(node, left_out) if pair[0] != pair[1]}
    ):
        if one in defined or other in defined:
            left_out.append(one)
        else:
            chosen.append((other, one) if other in special else (one, other))
    special = special | {subject for subject, _ in chosen}
    return [
        Specialisation(subject, Complement(Symbol(other + SPECIAL if other in special else other)))
        for subject, other in chosen
    ]


def _disjoint(node: Node, left_out: list[str]) -> Iterator[tuple[str, str]]:
    for who, value in node.pairs(OWL + "disjointWith"):
        if isinstance(who, Iri) and isinstance(value, Iri):
            yield node.name(who), node.name(value)
        else:
            left_out.append(str(who))
    for who, members in node.pairs(OWL + "members"):
        try:
            yield from combinations(
                (node.name(each) for each in node.listed(members) if isinstance(each, Iri)), 2
            )
        except Beyond:
            left_out.append(str(who))


def _described(node: Node, who: Iri, value: Term, left_out: list[str]) -> Iterator[Concept]:
    """The concept of an expression, or none where the language cannot say it."""
    try:
        yield concept_of(node, value)
    except Beyond:
        left_out.append(who.text)


def _called(concept: Concept, who: Iri) -> Concept:
    return enumeration(concept.elements, who.text) if isinstance(concept, Enumeration) else concept


def _classes(node: Node) -> list[Iri]:
    kinds = (Iri(OWL + "Class"), Iri(RDFS + "Class"))
    found = (who for who, kind in node.pairs(RDF_TYPE) if kind in kinds and isinstance(who, Iri))
    return list(dict.fromkeys(found))


def _typed(node: Node) -> Iterator[tuple[str, str]]:
    for who, kind in node.pairs(RDF_TYPE):
        if isinstance(who, Iri) and isinstance(kind, Iri):
            yield who.text, kind.text


def _roles(node: Node) -> list[str]:
    return sorted({who for who, kind in _typed(node) if kind in _ROLES})


def _individuals(node: Node) -> list[str]:
    named = OWL + "NamedIndividual"
    return sorted(
        {who for who, kind in _typed(node) if kind == named or not kind.startswith(_VOCABULARIES)}
    )


def _ranges(node: Node) -> list[tuple[str, str]]:
    found = ((who, value) for who, value in node.pairs(RDFS + "range"))
    return sorted(
        (who.text, node.name(value))
        for who, value in found
        if isinstance(who, Iri) and isinstance(value, Iri)
    )


def _short_names(names: set[str], prefixes: Mapping[str, str]) -> dict[str, str]:
    """Other names: the local name where it is in the default namespace or nobody else has it, and
    the prefixed name.
    """
    counts = Counter(map(_local, names))
    short = {_local(name): name for name in names if counts[_local(name)] == 1}
    for prefix, namespace in prefixes.items():
        inside = {
            name: name.removeprefix(namespace)
            for name in names
            if namespace and name.startswith(namespace)
        }
        short |= {
            f"{prefix}:{local}" if prefix else local: name
            for name, local in inside.items()
            if local
        }
    return {
        local: name
        for local, name in short.items()
        if local != name and not local.endswith(SPECIAL)
    }


def _local(name: str) -> str:
    return name[max(name.rfind(end) for end in _LOCAL_ENDS) + 1 :]
