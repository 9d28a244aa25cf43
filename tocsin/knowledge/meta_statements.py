"""Extended meta-statements: all legal statement types, in one sorted array, with ancestors (spec
2.4).

A statement type is legal at or below a declared meta-statement. The array may be large, so it is
built on request only and never beyond a limit; for single entries use `Ontology.allows` and
`ancestors_of`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from tocsin.errors import LimitProblem
from tocsin.knowledge.ontology import MetaStatement, Ontology
from tocsin.knowledge.vocabulary import QUIET
from tocsin.values.terms import RDF_TYPE

EMS_LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class Ems:
    """The array: entries sorted by class, property and class, and the position of each."""

    ontology: Ontology
    entries: tuple[MetaStatement, ...]
    index: dict[MetaStatement, int] = field(init=False, repr=False, compare=False)
    _ancestors: dict[int, tuple[int, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "index", {entry: number for number, entry in enumerate(self.entries)}
        )

    def __len__(self) -> int:
        return len(self.entries)

    def ancestors(self, number: int) -> tuple[int, ...]:
        """Return the strict ancestors of an entry in the array, each once, ascending; cached."""
        found = self._ancestors.get(number)
        if found is None:
            above = ancestors_of(self.ontology, self.entries[number])
            found = self._ancestors[number] = tuple(
                sorted(self.index[each] for each in above if each in self.index)
            )
        return found


def ems_of(ontology: Ontology, limit: int = EMS_LIMIT) -> Ems:
    """Return the whole array of an ontology; raise LimitProblem above `limit` entries."""
    entries: set[MetaStatement] = set()
    for each in _declared(ontology):
        subjects, properties, objects = _parts_below(ontology, each)
        if len(subjects) * len(properties) * len(objects) > limit:
            raise _too_large(limit)
        entries.update(MetaStatement(*parts) for parts in product(subjects, properties, objects))
        if len(entries) > limit:
            raise _too_large(limit)
    return Ems(ontology, tuple(sorted(entries)))


def ancestors_of(ontology: Ontology, statement: MetaStatement) -> Iterator[MetaStatement]:
    """Yield every statement type strictly above one, in canonical names; legal or not."""
    subjects = _canonical_classes(ontology, ontology.superclasses(statement.subject))
    properties = {
        ontology.canonical_property(each) for each in ontology.superproperties(statement.property)
    }
    objects = _canonical_classes(ontology, ontology.superclasses(statement.object))
    for parts in product(sorted(subjects), sorted(properties), sorted(objects)):
        if parts != statement:
            yield MetaStatement(*parts)


def _declared(ontology: Ontology) -> Iterator[MetaStatement]:
    """Yield the declared meta-statements; without any, all statement types that may be legal."""
    if ontology.meta_statements:
        yield from ontology.meta_statements
        return
    classes = _canonical_classes(ontology, ontology.classes) - QUIET
    properties = {ontology.canonical_property(each) for each in ontology.properties}
    for parts in product(classes, properties - QUIET - {RDF_TYPE}, classes):
        yield MetaStatement(*parts)


def _parts_below(
    ontology: Ontology, statement: MetaStatement
) -> tuple[set[str], set[str], set[str]]:
    return (
        _canonical_classes(ontology, ontology.subclasses(statement.subject)),
        {ontology.canonical_property(each) for each in ontology.subproperties(statement.property)},
        _canonical_classes(ontology, ontology.subclasses(statement.object)),
    )


def _canonical_classes(ontology: Ontology, names: frozenset[str]) -> set[str]:
    return {ontology.canonical_class(name) for name in names}


def _too_large(limit: int) -> LimitProblem:
    return LimitProblem(
        f"the ontology allows more than {limit:,} types of statement",
        code="EMS_LIMIT",
        hint=(
            "declare narrower meta-statements, or use the default strategy, which needs no such"
            " array"
        ),
    )
