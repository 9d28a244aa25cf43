"""Ontologies from files and texts, merged into one; equivalences are folded before the cycle check.

A cycle that is stated outright is refused with its names. An edge that only follows from class
expressions never closes a cycle: it is left out instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tocsin.errors import MeaningProblem, Problem
from tocsin.knowledge.daml import translate_daml
from tocsin.knowledge.facts import Facts, facts_of
from tocsin.knowledge.hierarchy import Edge, cycle_in, fold_aliases
from tocsin.knowledge.ontology import (
    MetaStatement,
    Ontology,
    builtin_classes,
    builtin_properties,
    local_name,
)
from tocsin.knowledge.rules import Infer, inferences
from tocsin.knowledge.vocabulary import ALIASES, PREFIXES
from tocsin.values.media_types import TURTLE
from tocsin.values.rdf import EXTENSIONS, RdfText, base_of, read_rdf
from tocsin.values.terms import ANY_LITERAL, DATATYPE_PARENT, THING


@dataclass(frozen=True, slots=True)
class KnowledgeSource:
    """A text with its media type, its origin, and the inferences that it allows."""

    text: str
    media_type: str = TURTLE
    name: str = "the ontology"
    infer: tuple[Infer, ...] = ()


def load_ontology(
    paths: Iterable[str | Path], *, domain_and_range: bool = False, infer: object = ()
) -> Ontology:
    """Load the ontology of one or several files; the extension gives the format."""
    chosen = inferences(infer)
    sources = (replace(_source(Path(path)), infer=chosen) for path in paths)
    return ontology_of(sources, domain_and_range=domain_and_range)


def parse_ontology(
    text: str, media_type: str = TURTLE, *, domain_and_range: bool = False, infer: object = ()
) -> Ontology:
    """Return the ontology of one text."""
    return ontology_of(
        (KnowledgeSource(text, media_type, infer=inferences(infer)),),
        domain_and_range=domain_and_range,
    )


def ontology_of(sources: Iterable[KnowledgeSource], *, domain_and_range: bool = False) -> Ontology:
    """Merge several texts into one ontology; if a prefix has two meanings, the first counts."""
    facts = Facts()
    for source in sources:
        facts.add(_read(source, domain_and_range))
    return _built(facts)


def _source(path: Path) -> KnowledgeSource:
    if path.suffix.lower() not in EXTENSIONS:
        raise MeaningProblem(
            f"{path.name} is no kind of ontology file that we know",
            code="ONTOLOGY_FORMAT",
            token=path.suffix,
            hint=f"its name ends with one of {' '.join(EXTENSIONS)}",
        )
    try:
        return KnowledgeSource(
            path.read_text(encoding="utf-8-sig"), EXTENSIONS[path.suffix.lower()], path.name
        )
    except (OSError, UnicodeDecodeError) as error:
        raise MeaningProblem(
            f"{path} cannot be read: {error}", code="ONTOLOGY_FORMAT", token=str(path)
        ) from None


def _read(source: KnowledgeSource, domain_and_range: bool) -> Facts:
    try:
        text = read_ontology(source.text, source.media_type)
        return facts_of(text, domain_and_range=domain_and_range, infer=source.infer)
    except Problem as problem:
        code = problem.code if problem.code != problem.default_code else "ONTOLOGY_SYNTAX"
        raise type(problem)(
            f"{source.name}: {problem.message}",
            code=code,
            place=problem.place,
            token=problem.token,
            hint=problem.hint,
        ) from None


def read_ontology(text: str, media_type: str) -> RdfText:
    """Return the triples of an ontology, with DAML+OIL translated."""
    return translate_daml(
        read_rdf(text, media_type, merge_graphs=True, base=base_of(text, media_type))
    )


def _built(facts: Facts) -> Ontology:
    classes = _class_aliases(facts)
    properties = fold_aliases(sorted(facts.same_properties), (facts.declared,))
    below_class = _parents(
        facts.classes | facts.datatypes, facts.below_class, classes, "CLASS_CYCLE"
    )
    for child, parent in sorted(_folded_edges(facts.implied_below, classes)):
        if child not in _BUILT_IN and not _reaches(parent, child, below_class):
            below_class.setdefault(child, set()).add(parent)
            below_class.setdefault(parent, set())
    for name in facts.datatypes:
        if not below_class[classes.get(name, name)]:
            below_class[classes.get(name, name)].add(ANY_LITERAL)
    below_property = _parents(facts.properties, facts.below_property, properties, "PROPERTY_CYCLE")
    return Ontology(
        builtin_classes(
            {name: above for name, above in below_class.items() if name not in _BUILT_IN}, classes
        ),
        builtin_properties(below_property, properties),
        frozenset(facts.individuals - facts.classes - facts.properties - facts.datatypes),
        tuple(sorted({_canonical(each, classes, properties) for each in facts.statements})),
        {**PREFIXES, **facts.prefixes},
        rules=facts.axioms.rules(
            classes, properties, lambda one, other: _reaches(one, other, below_class)
        ),
        ranges=tuple(sorted({(properties.get(p, p), classes.get(c, c)) for p, c in facts.ranges})),
    )


_BUILT_IN = frozenset((THING, ANY_LITERAL, *DATATYPE_PARENT))


def _class_aliases(facts: Facts) -> dict[str, str]:
    placed = {child for child, _ in facts.below_class} & facts.declared
    return fold_aliases(
        sorted({*facts.same_classes, *ALIASES.items()}), (_BUILT_IN, placed, facts.declared)
    )


def _canonical(
    each: MetaStatement, classes: Mapping[str, str], properties: Mapping[str, str]
) -> MetaStatement:
    return MetaStatement(
        classes.get(each.subject, each.subject),
        properties.get(each.property, each.property),
        classes.get(each.object, each.object),
    )


def _parents(
    names: set[str], edges: set[Edge], aliases: Mapping[str, str], code: str
) -> dict[str, set[str]]:
    """Return the direct parents of each name, by canonical names; raise for a cycle."""
    _refuse_cycle([[one, other] for one, other in sorted(edges) if one == other], code)
    parents: dict[str, set[str]] = {aliases.get(name, name): set() for name in sorted(names)}
    for child, parent in sorted(_folded_edges(edges, aliases)):
        parents.setdefault(child, set()).add(parent)
        parents.setdefault(parent, set())
    parents.get(THING, set()).clear()
    _refuse_cycle([cycle] if (cycle := cycle_in(parents)) else [], code)
    return parents


def _folded_edges(edges: Iterable[Edge], aliases: Mapping[str, str]) -> set[Edge]:
    pairs = ((aliases.get(one, one), aliases.get(other, other)) for one, other in edges)
    return {(one, other) for one, other in pairs if one != other}


def _refuse_cycle(cycles: list[list[str]], code: str) -> None:
    for cycle in cycles:
        shown = " -> ".join(map(local_name, cycle))
        raise MeaningProblem(
            f"the hierarchy has a cycle: {shown}",
            code=code,
            token=cycle[0],
            hint="remove one of these steps, or say that the names are equivalent",
        )


def _reaches(start: str, goal: str, parents: Mapping[str, set[str]]) -> bool:
    found, waiting = {start}, [start]
    while waiting:
        fresh = parents.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return goal in found
