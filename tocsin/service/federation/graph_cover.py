"""Covering between graph patterns: every solution of the narrow pattern gives one of the wide
pattern.

It is certain if the ids of the wide pattern map to those of the narrow one so that each wide
statement is implied by a narrow statement: a property at or below its property, classes at or below
its classes, and a filter that implies its filter. Optional groups and selected variables do not
decide whether an event matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from tocsin.plan.nodes.graphs import (
    ITSELF,
    Comparison,
    Filter,
    FilterAll,
    GraphPattern,
    Home,
    Injective,
    StatementPattern,
    Statements,
    Variable,
    VariableComparison,
    Vertex,
    conditions_of,
)
from tocsin.values.terms import Iri, Literal, compare, same_value, value_of
from tocsin.values.truth import Truth

MAX_PLACEMENTS = 1_000
"""Placements of statements tried, at most; the search is exponential in the worst case."""

_STRICTNESS = (Injective.NONE, Injective.RESOURCES, Injective.ALL)
_SIDES = (("<", "<="), (">", ">="))


def covers_graph(wide: GraphPattern, narrow: GraphPattern) -> bool:
    """Return True if every event that matches the narrow pattern certainly matches the wide one."""
    if wide.ontology != narrow.ontology:
        return False
    if _STRICTNESS.index(wide.injective) > _STRICTNESS.index(narrow.injective):
        return False
    return _Placement(wide, narrow).is_found(0, {Home(): Home()})


@dataclass(slots=True)
class _Placement:
    """A search for a mapping of the ids of the wide pattern to those of the narrow one."""

    wide: GraphPattern
    narrow: GraphPattern
    steps: int = MAX_PLACEMENTS
    classes: dict[Vertex, set[str]] = field(default_factory=dict)
    """Classes that the narrow pattern gives to those of its ids that are surely resources."""

    def __post_init__(self) -> None:
        for each in self.narrow.statements:
            self.classes.setdefault(each.subject, set()).add(each.subject_class)
            if isinstance(each.object, Iri | Home):
                self.classes.setdefault(each.object, set())
        for each in self.narrow.statements:
            if each.object in self.classes:
                self.classes[each.object].add(each.object_class)

    def is_found(self, number: int, places: Mapping[Vertex, Vertex]) -> bool:
        """Return True if the statements from `number` on can be placed, given `places`."""
        self.steps -= 1
        if self.steps < 0:
            return False
        if number == len(self.wide.statements):
            return self._has_conditions(places) and self._has_absents(places)
        statement = self.wide.statements[number]
        if statement.property == ITSELF:
            return self._is_home(statement) and self.is_found(number + 1, places)
        for other in self.narrow.statements:
            if self._implies(other, statement):
                more = self._placed(statement, other, places)
                if more is not None and self.is_found(number + 1, more):
                    return True
        return False

    def _is_home(self, statement: StatementPattern) -> bool:
        return statement.filter is None and all(
            self._is_resource_of(Home(), each)
            for each in (statement.subject_class, statement.object_class)
        )

    def _implies(self, narrow: StatementPattern, wide: StatementPattern) -> bool:
        return (
            narrow.property != ITSELF
            and wide.property in self.wide.ontology.superproperties(narrow.property)
            and (wide.repeated or not narrow.repeated)
            and self._is_resource_of(narrow.subject, wide.subject_class)
            and self._is_object_of(narrow, wide.object_class)
            and _implies_filter(narrow.filter, wide.filter)
        )

    def _is_object_of(self, statement: StatementPattern, wanted: str) -> bool:
        """Return True if the object is surely of the class.

        It may be a literal of a datatype that the ontology does not know, which is below itself
        only.
        """
        given, order = statement.object_class, self.wide.ontology.class_order
        if wanted == given or (given in order and wanted in order.above(given)):
            return True
        return statement.object in self.classes and self._is_resource_of(statement.object, wanted)

    def _is_resource_of(self, vertex: Vertex, wanted: str) -> bool:
        superclasses = self.wide.ontology.superclasses
        return any(wanted in superclasses(each) for each in self.classes[vertex])

    def _placed(
        self, wide: StatementPattern, narrow: StatementPattern, places: Mapping[Vertex, Vertex]
    ) -> dict[Vertex, Vertex] | None:
        """Return the places with those of the ends of a statement; None if they conflict."""
        found = dict(places)
        for mine, place in zip(wide.ends(), narrow.ends(), strict=True):
            if mine in found:
                if found[mine] != place:
                    return None
                continue
            is_taken = self.wide.injective is not Injective.NONE and place in found.values()
            if is_taken or not _may_stand_at(mine, place):
                return None
            found[mine] = place
        return found

    def _has_conditions(self, places: Mapping[Vertex, Vertex]) -> bool:
        known = set(_conjuncts(conditions_of(self.narrow.statements)))
        asked = _conjuncts(conditions_of(self.wide.statements))
        return all(_renamed(each, places) in known for each in asked)

    def _has_absents(self, places: Mapping[Vertex, Vertex]) -> bool:
        """Return True if the narrow pattern has the absent groups of the wide one.

        Its other statements must not exclude an image of these: so all its ids have to be places.
        """
        if not self.wide.absents:
            return True
        taken = set(places.values())
        if (
            self.wide.injective is not self.narrow.injective
            or len(taken) < len(places)
            or taken != set(self.narrow.ids)
        ):
            return False
        known = {frozenset(group) for group in self.narrow.absents}
        return all(_renamed_group(group, places) in known for group in self.wide.absents)


def _may_stand_at(vertex: Vertex, place: Vertex) -> bool:
    if isinstance(vertex, Literal) and isinstance(place, Literal):
        return same_value(vertex, place)
    return isinstance(vertex, Variable) or vertex == place


def _renamed_group(
    group: Statements, places: Mapping[Vertex, Vertex]
) -> frozenset[StatementPattern] | None:
    """Return an absent group with the ids of the narrow pattern; None if an id of its own is also a
    place there.
    """
    own = {end for each in group for end in each.ends()} - places.keys()
    if own & set(places.values()):
        return None
    names = {**places, **{each: each for each in own}}
    found = []
    for each in group:
        across = None if each.across is None else _renamed(each.across, names)
        if each.across is not None and across is None:
            return None
        subject, value = names[each.subject], names[each.object]
        found.append(replace(each, subject=subject, object=value, across=across))
    return frozenset(found)


def _renamed(condition: Filter, places: Mapping[Vertex, Vertex]) -> Filter | None:
    """Return a comparison of variables with the ids of the narrow pattern; None for other
    conditions, and if a variable is placed on a constant.
    """
    if not isinstance(condition, VariableComparison):
        return None
    left, right = places[condition.left], condition.right
    if isinstance(right, Variable):
        other = places[right]
        if not isinstance(other, Variable):
            return None
        right = other
    if not isinstance(left, Variable):
        return None
    return VariableComparison(left, condition.relation, right)


def _conjuncts(conditions: Iterable[Filter]) -> Iterator[Filter]:
    for each in conditions:
        if isinstance(each, FilterAll):
            yield from _conjuncts(each.operands)
        else:
            yield each


def _implies_filter(narrow: Filter | None, wide: Filter | None) -> bool:
    if wide is None:
        return True
    known = () if narrow is None else tuple(_conjuncts((narrow,)))
    return all(any(_implies_one(each, asked) for each in known) for asked in _conjuncts((wide,)))


def _implies_one(narrow: Filter, wide: Filter) -> bool:
    """Return True if the filters are equal, or the narrow one's number bound implies the wide
    one's.
    """
    if narrow == wide:
        return True
    if not isinstance(narrow, Comparison) or not isinstance(wide, Comparison):
        return False
    if not _is_number(narrow.value) or not _is_number(wide.value):
        return False
    if narrow.relation == "=":
        return compare(narrow.value, wide.relation, wide.value) is Truth.TRUE
    for strict, loose in _SIDES:
        if narrow.relation in (strict, loose) and wide.relation in (strict, loose, "!="):
            is_within = narrow.relation == strict or wide.relation == loose
            limit = loose if is_within else strict
            return compare(narrow.value, limit, wide.value) is Truth.TRUE
    return False


def _is_number(term: Literal | Iri) -> bool:
    value = value_of(term) if isinstance(term, Literal) else None
    return value is not None and isinstance(value.content, Decimal) and value.content.is_finite()
