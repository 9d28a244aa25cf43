"""Partition keys: an equality between attributes of all parts keeps apart what cannot pair
anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from tocsin.engine.detection.join_filters import Reader, is_of, reader
from tocsin.plan.composites import JoinCondition, Part, PartAttribute, Related, names_of
from tocsin.plan.occurrence import Occurrence

Key = Callable[[Occurrence], Hashable]
"""The bucket of an occurrence; None where an attribute is missing, so that it can pair with
nothing.
"""

Told = TypeVar("Told", bound=JoinCondition)

UNPARTED = ("",)

_Wanted = tuple[tuple[PartAttribute, bool], ...]
"""The attributes that make up the key of a slot, and whether they are of the very event that waits
there.
"""


def slot_keys(
    parts: Sequence[Part], conditions: Sequence[Told]
) -> tuple[tuple[Key, ...], tuple[Told, ...]]:
    """How to part the slots of parts, and the conditions that are left to test.

    Attributes that are all to be equal, by one condition or through several, part the slots if
    every part has one.
    """
    homes = homes_of(parts)
    chosen = [
        found
        for group in _equal_groups(conditions)
        if (found := _one_of_each(group, homes, len(parts)))
    ]
    if not chosen:
        return (_unparted,) * len(parts), tuple(conditions)
    known = [set(group) for group in chosen]
    rest = tuple(
        each for each in conditions if not any(_is_implied(each, group) for group in known)
    )
    keys = (
        _key_of(tuple((group[slot], is_of(group[slot], parts[slot])) for group in chosen))
        for slot in range(len(parts))
    )
    return tuple(keys), rest


def homes_of(parts: Sequence[Part]) -> dict[str, int]:
    """The slot of every name that only one part binds."""
    names = [names_of(part) for part in parts]
    return {
        name: slot
        for slot, mine in enumerate(names)
        for name in mine
        if not any(name in others for other, others in enumerate(names) if other != slot)
    }


def _equal_groups(conditions: Sequence[JoinCondition]) -> list[list[PartAttribute]]:
    """Attributes that equalities bind together, each group in the order in which it is written."""
    groups: list[list[PartAttribute]] = []
    for condition in conditions:
        if isinstance(condition, Related) and condition.relation == "=":
            sides = [condition.left, condition.right]
            touched = [group for group in groups if any(side in group for side in sides)]
            merged = dict.fromkeys([*(each for group in touched for each in group), *sides])
            groups = [*(group for group in groups if group not in touched), list(merged)]
    return groups


def _one_of_each(
    group: Sequence[PartAttribute], homes: dict[str, int], slots: int
) -> list[PartAttribute]:
    """One attribute for every slot; empty where a slot has none."""
    found: dict[int, PartAttribute] = {}
    for attribute in group:
        if attribute.name in homes:
            found.setdefault(homes[attribute.name], attribute)
    return [found[slot] for slot in range(slots)] if len(found) == slots else []


def _is_implied(condition: JoinCondition, known: set[PartAttribute]) -> bool:
    """Whether equal keys say it already: it is an equality between two of the attributes that are
    in the keys.
    """
    return (
        isinstance(condition, Related)
        and condition.relation == "="
        and {condition.left, condition.right} <= known
    )


def _unparted(occurrence: Occurrence) -> Hashable:  # noqa: ARG001
    return UNPARTED


@lru_cache(maxsize=4096)
def _key_of(wanted: _Wanted) -> Key:
    """Equal keys are one function, which remembers its last answer: many nodes ask about an
    occurrence in a row.
    """
    readers = [reader(attribute, of_event) for attribute, of_event in wanted]
    read = readers[0]
    last: tuple[Occurrence | None, Hashable] = (None, None)

    def key(occurrence: Occurrence) -> Hashable:
        nonlocal last
        known, found = last
        if known is not occurrence:
            found = (
                _scalar(read(occurrence)) if len(readers) == 1 else _several(readers, occurrence)
            )
            last = (occurrence, found)
        return found

    return key


def _several(readers: Sequence[Reader], occurrence: Occurrence) -> Hashable:
    found = tuple(_scalar(read(occurrence)) for read in readers)
    return None if None in found else found


def _scalar(value: Any) -> Hashable:
    """What is equal as an attribute is equal as a key. TRUE is not 1; lists, objects and what is
    missing equal none.
    """
    if isinstance(value, bool):
        return (value,)
    return value if isinstance(value, int | float | str) else None
