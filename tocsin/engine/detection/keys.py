"""Partition keys: an equality between attributes of two parts keeps apart what cannot pair anyway."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from tocsin.plan.composites import JoinCondition, Named, Part, PartAttribute, Related, parts_of
from tocsin.plan.occurrence import Occurrence
from tocsin.values.scalars import Kind, kind_of

Key = Callable[[Occurrence], Hashable]
"""The bucket of an occurrence; None where an attribute is missing, so that it can pair with nothing."""

UNPARTED = ("",)


def names_of(part: Part) -> frozenset[str]:
    """The names that an occurrence of the part binds."""
    inner = frozenset(name for each in parts_of(part) for name in names_of(each))
    return inner | {part.name} if isinstance(part, Named) else inner


def pair_keys(
    left: Part, right: Part, conditions: Sequence[JoinCondition]
) -> tuple[Key, Key, tuple[JoinCondition, ...]]:
    """How to part two slots, and the conditions that are left to test."""
    lefts, rights = names_of(left), names_of(right)
    pairs: list[tuple[PartAttribute, PartAttribute]] = []
    rest: list[JoinCondition] = []
    for condition in conditions:
        pair = _across(condition, lefts, rights)
        if pair is None:
            rest.append(condition)
        else:
            pairs.append(pair)
    if not pairs:
        return _unparted, _unparted, tuple(rest)
    return _key_of([one for one, _ in pairs]), _key_of([other for _, other in pairs]), tuple(rest)


def _across(
    condition: JoinCondition, lefts: frozenset[str], rights: frozenset[str]
) -> tuple[PartAttribute, PartAttribute] | None:
    """The two sides of an equality between a name of the left alone and one of the right alone."""
    if not isinstance(condition, Related) or condition.relation != "=":
        return None
    one, other = condition.left, condition.right
    if one.name in lefts - rights and other.name in rights - lefts:
        return one, other
    if one.name in rights - lefts and other.name in lefts - rights:
        return other, one
    return None


def _unparted(occurrence: Occurrence) -> Hashable:  # noqa: ARG001
    return UNPARTED


def _key_of(attributes: Sequence[PartAttribute]) -> Key:
    wanted = [(attribute.name, attribute.path) for attribute in attributes]

    def key(occurrence: Occurrence) -> Hashable:
        found = []
        for name, path in wanted:
            named = occurrence.names.get(name)
            value = named.members[0].attribute(path) if named is not None and len(named.members) == 1 else None
            kind = kind_of(value)
            if kind in (Kind.NULL, Kind.OTHER):
                return None
            found.append((kind, value))
        return tuple(found)

    return key
