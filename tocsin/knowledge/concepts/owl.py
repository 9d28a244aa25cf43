"""OWL 2 as a TBox: subclasses are specialisations, equivalent classes definitions, disjoint ones
exclusions.

`A disjointWith B` becomes `A <: not B*`, where `B*` is what distinguishes B: as good as `not B`,
and never cyclic. Equal named classes are one class with two names. SKOS `broader` is a
specialisation. A class is known by every axiom that names it. An axiom that the language cannot
express is left out and reported: its consequences are not inferred. So is a specialisation that
leads back to its own class; a class that is defined by itself is refused to subscriptions that use
it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations

from tocsin.knowledge.concepts.axioms import (
    Axiom,
    Definition,
    Equivalence,
    Specialisation,
    Unfoldable,
    unfoldable,
)
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Enumeration,
    Symbol,
    Thing,
    conjunction,
    conjuncts_of,
    enumeration,
    symbols_in,
)
from tocsin.knowledge.concepts.expressions import (
    CONNECTIVES,
    TripleIndex,
    UnsupportedExpression,
    concept_of,
    definitions_of,
)
from tocsin.knowledge.concepts.tbox import SPECIAL, TBox
from tocsin.knowledge.facts import names_in
from tocsin.knowledge.meta_statements import Triples
from tocsin.values.rdf import RdfText
from tocsin.values.terms import OWL, RDF, RDF_TYPE, RDFS, XSD, Blank, Iri, Term, Triple

# Names of an OWL text: properties, individuals, ranges, and the short forms of names.

ROLE_TYPES = (OWL + "ObjectProperty", OWL + "DatatypeProperty", RDF + "Property")
VOCABULARIES = (OWL, RDFS, RDF)
_NOTES = {OWL + "AnnotationProperty", OWL + "OntologyProperty"}
_LOCAL_ENDS = "#/:"


def typed_names(node: TripleIndex) -> Iterator[tuple[str, str]]:
    """Yield each name with each of its types."""
    for who, kind in node.pairs(RDF_TYPE):
        if isinstance(who, Iri) and isinstance(kind, Iri):
            yield who.text, kind.text


def properties_of(node: TripleIndex, known: Iterable[str]) -> list[str]:
    """Return declared properties, and those that axioms name, without annotations."""
    kinds: dict[str, set[str]] = {}
    for who, kind in typed_names(node):
        kinds.setdefault(who, set()).add(kind)
    notes = {
        name for name, given in kinds.items() if given & _NOTES and not given & set(ROLE_TYPES)
    }
    declared = (name for name, given in kinds.items() if given & set(ROLE_TYPES))
    return sorted(
        name
        for name in {*declared, *known} - notes
        if name in kinds or not name.startswith(VOCABULARIES)
    )


def individuals_of(node: TripleIndex) -> list[str]:
    """Return declared individuals, instances of the text's own classes, and individuals in an
    enumeration or as the value of a restriction.
    """
    named = OWL + "NamedIndividual"
    typed = {
        who for who, kind in typed_names(node) if kind == named or not kind.startswith(VOCABULARIES)
    }
    return sorted(typed | {each.text for each in _in_expressions(node) if isinstance(each, Iri)})


def _in_expressions(node: TripleIndex) -> Iterator[Term]:
    yield from (value for _, value in node.pairs(OWL + "hasValue"))
    for _, items in node.pairs(OWL + "oneOf"):
        with suppress(UnsupportedExpression):
            yield from node.listed(items)


def ranges_of(node: TripleIndex) -> list[tuple[str, str]]:
    """Return the properties with the named classes of their values."""
    found = ((who, value) for who, value in node.pairs(RDFS + "range"))
    return sorted(
        (who.text, node.name(value))
        for who, value in found
        if isinstance(who, Iri) and isinstance(value, Iri)
    )


def short_names(names: set[str], prefixes: Mapping[str, str]) -> dict[str, str]:
    """Return the short forms of names: the prefixed name, and the local name if it is unambiguous.

    A local name of the default namespace takes precedence; else it must be unique.
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


BROADER = "http://www.w3.org/2004/02/skos/core#broader"
EQUIVALENT, SUBCLASS = OWL + "equivalentClass", RDFS + "subClassOf"
_CLASSES = (OWL + "Class", RDFS + "Class")


@dataclass(frozen=True, slots=True)
class OwlTBox:
    """The TBox of an ontology, and the classes with an axiom that it leaves out."""

    tbox: TBox
    left_out: tuple[str, ...]


def tbox_of_triples(
    triples: Iterable[Triple], prefixes: Mapping[str, str], *, any_role: bool = False
) -> OwlTBox:
    """Return the TBox of an OWL 2 ontology.

    Its names may be written short: by their prefix, or as a unique local name. With `any_role`
    subscriptions may use properties that are not declared.
    """
    stated = tuple(triples)
    node, names = TripleIndex(stated), names_in(Triples(stated))
    left_out: list[str] = []
    kept = unfoldable(_axioms(node, left_out))
    left_out += kept.left_out
    axioms = (*kept.axioms, *_only_named(node, names.classes, kept))
    properties, individuals = properties_of(node, names.properties), individuals_of(node)
    declared = any(kind in ROLE_TYPES for _, kind in typed_names(node))
    known = {*individuals, *(axiom.name for axiom in axioms), *TBox(axioms).base_symbols}
    known |= {each.name for each in kept.refused}
    short = short_names(known | node.same.keys(), prefixes)
    short = {**short_names(set(properties), prefixes), **short}
    aliases = {**{local: node.same.get(name, name) for local, name in short.items()}, **node.same}
    tbox = TBox(
        axioms,
        tuple(properties) if declared and not any_role else (),
        tuple(ranges_of(node)),
        tuple(individuals),
        tuple(sorted(aliases.items())),
        kept.refused,
    )
    return OwlTBox(tbox, tuple(sorted(set(left_out))))


def tbox_of_texts(texts: Sequence[RdfText]) -> OwlTBox:
    """Return the TBox of several ontologies together; if a prefix has two meanings, the first
    counts.

    A text that describes classes and declares no property allows any role to all.
    """
    prefixes: dict[str, str] = {}
    for text in texts:
        prefixes = {**text.prefixes, **prefixes}
    triples = (
        each
        for number, text in enumerate(texts)
        for each in (_renamed(text.triples, number) if len(texts) > 1 else text.triples)
    )
    any_role = any(_describes_classes_only(text) for text in texts)
    return tbox_of_triples(triples, prefixes, any_role=any_role)


def _renamed(triples: Iterable[Triple], number: int) -> Iterator[Triple]:
    """Yield the triples of one of several texts, blank nodes renamed: they are local to it."""
    for subject, prop, value in triples:
        one = Blank(f"{number}.{subject.label}") if isinstance(subject, Blank) else subject
        yield one, prop, Blank(f"{number}.{value.label}") if isinstance(value, Blank) else value


def _describes_classes_only(text: RdfText) -> bool:
    types = (value for _, prop, value in text.triples if prop == RDF_TYPE)
    kinds = {value.text for value in types if isinstance(value, Iri)}
    classes = any(prop in (EQUIVALENT, SUBCLASS) for _, prop, _ in text.triples)
    return kinds.isdisjoint(ROLE_TYPES) and (classes or not kinds.isdisjoint(_CLASSES))


def _axioms(node: TripleIndex, left_out: list[str]) -> tuple[Axiom, ...]:
    """Return definitions, then specialisations, then exclusions; cycles included."""
    said = dict.fromkeys(_definitions(node, left_out))
    defined = [each for each in said if not _is_about_itself(each)]
    told = [
        each
        for each in (*_specialisations(node, left_out), *map(_rest, said))
        if each is not None and not _is_implied(each, defined)
    ]
    special = list(dict.fromkeys((*told, *_lonely(node))))
    counts = Counter([each.name for each in defined] + [each.name for each in special])
    excluded = _exclusions(
        node, {each.name for each in defined}, {each.name for each in special}, left_out
    )
    same: list[Axiom] = [
        each if counts[each.name] == 1 else Equivalence(each.name, each.concept) for each in defined
    ]
    return (*same, *special, *excluded)


def _is_about_itself(definition: Definition) -> bool:
    """True if one of the operands is the name itself: `A = A and B` says `A <: B`."""
    return Symbol(definition.name) in conjuncts_of(definition.concept)


def _rest(definition: Definition) -> Specialisation | None:
    if not _is_about_itself(definition):
        return None
    return Specialisation(definition.name, _without(definition.concept, definition.name))


def _without(concept: Concept, name: str) -> Concept:
    return conjunction(each for each in conjuncts_of(concept) if each != Symbol(name))


def _definitions(node: TripleIndex, left_out: list[str]) -> Iterator[Definition]:
    for one, other in node.pairs(EQUIVALENT):
        who, value = (one, other) if isinstance(one, Iri) else (other, one)
        if not isinstance(who, Iri):
            left_out.append(str(value))
        elif not isinstance(value, Iri):
            yield from (
                Definition(node.name(who), _called(each, who))
                for each in _described(node, who, value, left_out)
            )
    unions = (who for who, _ in node.pairs(OWL + "disjointUnionOf"))
    left_out += [who.text for who in unions if isinstance(who, Iri)]
    for who in _classes(node):
        try:
            yield from (
                Definition(node.name(who), _called(each, who)) for each in definitions_of(node, who)
            )
        except UnsupportedExpression:
            left_out.append(who.text)


def _specialisations(node: TripleIndex, left_out: list[str]) -> Iterator[Specialisation]:
    for prop in (SUBCLASS, BROADER):
        for who, value in node.pairs(prop):
            if not isinstance(who, Iri):
                left_out.append(str(value))
                continue
            name = node.name(who)
            for concept in _described(node, who, value, left_out):
                itself = Symbol(name) in conjuncts_of(concept)
                rest = _without(concept, name) if itself else concept
                if rest != Thing():
                    yield Specialisation(name, rest)


def _is_implied(special: Specialisation, defined: Iterable[Definition]) -> bool:
    """True if a definition already implies it.

    Its own name is defined as a conjunction with the concept, or the wider name as a disjunction
    with its own.
    """
    if special.concept == Thing():
        return True
    own = (each.concept for each in defined if each.name == special.name)
    wider = (each.concept for each in defined if Symbol(each.name) == special.concept)
    return any(
        isinstance(each, Conjunction) and special.concept in each.operands for each in own
    ) or any(
        isinstance(each, Disjunction) and Symbol(special.name) in each.operands for each in wider
    )


def _lonely(node: TripleIndex) -> Iterator[Specialisation]:
    """Yield a specialisation of Thing for each class without an axiom, so that it is known."""
    for who in _classes(node):
        values = (
            value
            for prop in (EQUIVALENT, SUBCLASS, BROADER, *CONNECTIVES)
            for value in node.values(who, prop)
        )
        told = any(value != Iri(OWL + "Thing") for value in values)
        if not told and who.text not in node.same and not who.text.startswith(VOCABULARIES):
            yield Specialisation(who.text, Thing())


def _only_named(
    node: TripleIndex, classes: Iterable[str], kept: Unfoldable
) -> Iterator[Specialisation]:
    """Yield a specialisation of Thing for classes that only name axioms, or left-out axioms,
    mention.
    """
    known = {name for axiom in kept.axioms for name in (axiom.name, *symbols_in(axiom.concept))}
    known |= {each.name for each in kept.refused}
    for name in sorted({node.same.get(each, each) for each in classes} - known):
        if not name.startswith((*VOCABULARIES, XSD)):
            yield Specialisation(name, Thing())


def _exclusions(
    node: TripleIndex, defined: set[str], special: set[str], left_out: list[str]
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


def _disjoint(node: TripleIndex, left_out: list[str]) -> Iterator[tuple[str, str]]:
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
        except UnsupportedExpression:
            left_out.append(str(who))


def _described(
    node: TripleIndex, subject: Iri, value: Term, left_out: list[str]
) -> Iterator[Concept]:
    """Yield the concept of an expression; nothing if the language cannot express it."""
    try:
        yield concept_of(node, value)
    except UnsupportedExpression:
        left_out.append(subject.text)


def _called(concept: Concept, subject: Iri) -> Concept:
    return (
        enumeration(concept.elements, subject.text) if isinstance(concept, Enumeration) else concept
    )


def _classes(node: TripleIndex) -> list[Iri]:
    """Return the classes that are declared, and those that are defined without a declaration."""
    kinds = [Iri(kind) for kind in _CLASSES]
    declared = (who for who, kind in node.pairs(RDF_TYPE) if kind in kinds)
    defined = (who for prop in CONNECTIVES for who, _ in node.pairs(prop))
    return [who for who in dict.fromkeys((*declared, *defined)) if isinstance(who, Iri)]
