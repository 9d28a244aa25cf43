"""Conditions for parameters: on scalar fields, which an index serves, and on members of lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tocsin.events.codecs.epcis.event import KEYS
from tocsin.events.codecs.epcis.identifiers import ANY_DIGIT, ANY_RUN, canonical, patterns
from tocsin.events.codecs.epcis.json_context import expand_curie
from tocsin.knowledge.ontology import Ontology
from tocsin.languages.epcis.values import Given, identifiers, instant, resources, strings
from tocsin.plan.nodes.atoms import AnyOf, BooleanNode, Computed, Equals, IsNull, Not, OneOf
from tocsin.plan.nodes.expressions import Call, Semantics
from tocsin.plan.semantics.list_conditions import ITSELF, any_item, item_test, like_text
from tocsin.values.like import Token, Wild
from tocsin.values.scalars import ENVELOPE, Constant, Path, Scalar

Lowering = Callable[[Given], BooleanNode]
"""Function from a parameter to its condition on an event."""

_WILD: dict[str, Token] = {ANY_DIGIT: Wild.ANY_ONE, ANY_RUN: Wild.ANY_RUN}


def any_of(conditions: Sequence[BooleanNode]) -> BooleanNode:
    """Return the disjunction of conditions; without any it never holds."""
    return conditions[0] if len(conditions) == 1 else AnyOf(tuple(conditions))


def equals(path: Path, values: Sequence[Scalar]) -> BooleanNode:
    """Return the condition that a scalar field has one of the values; without values it never
    holds.
    """
    constants = frozenset(Constant.of(value) for value in values)
    if not constants:
        return AnyOf(())
    return Equals(path, next(iter(constants))) if len(constants) == 1 else OneOf(path, constants)


def members(paths: Sequence[Path], *tests: Call) -> BooleanNode:
    """Return the condition that some member at one of the paths passes all the tests."""
    return any_of([Computed(any_item(path, *tests), Semantics.MEMBERS) for path in paths])


def scalar(path: Path, read: Callable[[Given], Sequence[Scalar]]) -> Lowering:
    """Return the lowering of EQ_ for a field with one value."""
    return lambda given: equals(path, read(given))


def make_list_equality(
    *paths: Path, read: Callable[[Given], Sequence[Scalar]] = strings
) -> Lowering:
    """Return the lowering of EQ_ for a field in lists."""
    return lambda given: members(paths, item_test("=", ITSELF, *read(given)))


def make_identifier_equality(*paths: Path) -> Lowering:
    """Return the lowering of EQ_ for an identifier: either spelling of the same key matches."""
    return lambda given: any_of([is_one(path, resources(given)) for path in paths])


def make_identifier_match(*paths: Path) -> Lowering:
    """Return the lowering of MATCH_ for identifiers: the same key, or one that fits a wildcard
    pattern.
    """

    def lower(given: Given) -> BooleanNode:
        forms = dict.fromkeys(form for each in resources(given) for form in patterns(each))
        exact = [form for form in forms if not _is_wild(form)]
        wild = [
            like_text([_WILD.get(character, character) for character in form])
            for form in forms
            if _is_wild(form)
        ]
        found = [is_one(path, exact) for path in paths] if exact else []
        found += [members(paths, item_test("LIKE", ITSELF, *wild))] if wild else []
        return any_of(found)

    return lower


def below(given: Given, path: Path) -> BooleanNode:
    """Return the condition of WD_: the location or one below it in the ontology.

    Without an ontology it is the location itself.
    """
    return is_one(
        path, [place for each in resources(given) for place in _places_below(each, given.ontology)]
    )


def make_typed_identifier(path: Path, field: str, kind: str) -> Lowering:
    """Return the lowering of EQ_ for an identifier in a list, among items of one type."""

    def lower(given: Given) -> BooleanNode:
        return members(
            [path],
            item_test("=", "type", expand_curie(kind, given.names)),
            item_test("IS", field, *identifiers(given)),
        )

    return lower


def make_time_comparison(relation: str, *paths: Path) -> Lowering:
    """Return the lowering of GE_ or LT_ for a time."""
    return lambda given: members(paths, item_test(f"TIME {relation}", ITSELF, instant(given)))


def exists(*paths: Path) -> Lowering:
    """Return the lowering of EXISTS_ for a field of the event; the parameter's value is ignored."""
    return lambda given: any_of([Not(IsNull(path)) for path in paths])


def is_one(path: Path, written: Sequence[str]) -> BooleanNode:
    """Return the condition that some identifier at the path is one of these.

    An index serves it if an event has only one there, else members are tested one by one. Events
    that passed no EPCIS codec lack the common spelling; for them the identifier as written counts.
    """
    common = list(dict.fromkeys(map(canonical, written)))
    if path not in KEYS:
        return members([path], item_test("IS", ITSELF, *common))
    return any_of([equals((ENVELOPE, KEYS[path]), common), equals(path, [*written, *common])])


def _is_wild(form: str) -> bool:
    return ANY_DIGIT in form or ANY_RUN in form


def _places_below(place: str, ontology: Ontology | None) -> list[str]:
    """Return the place and all below it; the ontology may use its other spelling."""
    if ontology is None:
        return [place]
    key = canonical(place)
    names = {place, key, *(name for name in ontology.classes if canonical(name) == key)}
    return sorted({below for name in names for below in ontology.subclasses(name)} | {place})
