"""Partition keys: an equality between attributes of all parts separates occurrences that cannot
pair anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from tocsin.engine.detection.join_filters import Reader, event_reader, is_of, reader
from tocsin.plan.nodes.composites import (
    Join,
    JoinCondition,
    Named,
    Only,
    Part,
    PartAttribute,
    Related,
    names_of,
)
from tocsin.plan.nodes.composites import Key as Paths
from tocsin.plan.semantics.condition_evaluation import scalar_key
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.scalars import Path

Key = Callable[[Occurrence], Hashable]
"""Function that returns the partition of an occurrence; None if an attribute is missing, so that it
can pair with nothing.
"""

ConditionT = TypeVar("ConditionT", bound=JoinCondition)

NO_PARTITION_KEY = ("",)

_Wanted = tuple[tuple[PartAttribute, bool] | Path, ...]
"""Components of the key of a slot: paths that all members have in common, and attributes, each with
True if it is of the very event that is buffered there.
"""

_WANTED: WeakKeyDictionary[Key, _Wanted] = WeakKeyDictionary()
"""Components of the keys in use."""


def input_keys(
    parts: Sequence[Part], conditions: Sequence[ConditionT], by: Paths = ()
) -> tuple[tuple[Key, ...], tuple[ConditionT, ...]]:
    """Return the key of each slot, and the conditions that are left to test.

    The paths of a key partition the slots. So do attributes that are all to be equal, by one
    condition or through several, if every part has one.
    """
    homes = input_of_name(parts)
    chosen = [
        found
        for group in _equal_groups(conditions)
        if (found := _one_of_each(group, homes, len(parts)))
    ]
    if not chosen and not by:
        return (_no_key,) * len(parts), tuple(conditions)
    known = [set(group) for group in chosen]
    rest = tuple(
        each for each in conditions if not any(_is_implied(each, group) for group in known)
    )
    keys = (
        _key_of((*by, *((group[slot], is_of(group[slot], parts[slot])) for group in chosen)))
        for slot in range(len(parts))
    )
    return tuple(keys), rest


def with_name_keys(keys: tuple[Key, ...], parts: Sequence[Part]) -> tuple[Key, ...]:
    """Return the keys extended by the occurrences of names that all parts surely bind. A name is
    one and the same occurrence wherever it stands, so that parts which differ in one cannot pair
    anyway.
    """
    names = tuple(sorted(frozenset.intersection(*map(_names_bound, parts))))
    return tuple([_with_names(key, names) for key in keys]) if names else keys


def _names_bound(part: Part) -> frozenset[str]:
    """Return the names that every occurrence of the part has; names of alternatives and absences do
    not count.
    """
    match part:
        case Named(name, inner):
            return _names_bound(inner) | {name}
        case Only(inner, _):
            return _names_bound(inner)
        case Join(parts):
            return frozenset().union(*map(_names_bound, parts))
        case _:
            return frozenset()


def _with_names(key: Key, names: Sequence[str]) -> Key:
    def named_key(occurrence: Occurrence) -> Hashable:
        found = key(occurrence)
        if found is None:
            return None
        bound = occurrence.names
        return (found, *[bound[name].identity_key for name in names])

    return named_key


def input_of_name(parts: Sequence[Part]) -> dict[str, int]:
    """Return the slot of every name that only one part binds."""
    names = [names_of(part) for part in parts]
    return {
        name: slot
        for slot, mine in enumerate(names)
        for name in mine
        if not any(name in others for other, others in enumerate(names) if other != slot)
    }


def _equal_groups(conditions: Sequence[JoinCondition]) -> list[list[PartAttribute]]:
    """Return the groups of attributes that equalities connect, each in the order in which it is
    written.
    """
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
    """Return one attribute for every slot; empty if a slot has none."""
    found: dict[int, PartAttribute] = {}
    for attribute in group:
        if attribute.name in homes:
            found.setdefault(homes[attribute.name], attribute)
    return [found[slot] for slot in range(slots)] if len(found) == slots else []


def _is_implied(condition: JoinCondition, known: set[PartAttribute]) -> bool:
    """True if equal keys imply the condition: an equality between two of the attributes in the
    keys.
    """
    return (
        isinstance(condition, Related)
        and condition.relation == "="
        and {condition.left, condition.right} <= known
    )


def paths_of(key: Key) -> Paths | None:
    """Return the paths at which a key reads the one event that an occurrence is, () for the key
    that all have in common; None if it reads something else.
    """
    if key is _no_key:
        return ()
    paths = [_path_of(each) for each in _WANTED.get(key, ())]
    found = tuple([path for path in paths if path is not None])
    return found if paths and len(found) == len(paths) else None


def _path_of(wanted: tuple[PartAttribute, bool] | Path) -> Path | None:
    match wanted:
        case (PartAttribute() as attribute, bool() as of_event):
            return own_path(attribute) if of_event else None
        case _:
            return wanted


def own_path(attribute: PartAttribute) -> Path | None:
    """Return the path of an attribute in its event; None for the value of a variable."""
    return None if attribute.variable else attribute.path


def _no_key(occurrence: Occurrence) -> Hashable:  # noqa: ARG001
    return NO_PARTITION_KEY


@lru_cache(maxsize=4096)
def _key_of(wanted: _Wanted) -> Key:
    """Return the key of these components. Equal keys are one function, which caches its last
    answer: many operators ask about an occurrence in a row.
    """
    readers = [_reader_of(each) for each in wanted]
    read = readers[0]
    last: tuple[Occurrence | None, Hashable] = (None, None)

    def key(occurrence: Occurrence) -> Hashable:
        nonlocal last
        known, found = last
        if known is not occurrence:
            found = (
                scalar_key(read(occurrence)) if len(readers) == 1 else _several(readers, occurrence)
            )
            last = (occurrence, found)
        return found

    _WANTED[key] = wanted
    return key


def _several(readers: Sequence[Reader], occurrence: Occurrence) -> Hashable:
    found = tuple(scalar_key(read(occurrence)) for read in readers)
    return None if None in found else found


def key_at(by: Paths) -> Key:
    """Return the key of occurrences at paths; without paths all have the same."""
    return _key_of(by) if by else _no_key


def _reader_of(wanted: tuple[PartAttribute, bool] | Path) -> Reader:
    match wanted:
        case (PartAttribute() as attribute, bool() as of_event):
            return reader(attribute, of_event)
        case _:
            return _common_reader(wanted)


def _common_reader(path: Path) -> Reader:
    """Return a reader of the value that all members have at a path, None if they differ."""
    read = event_reader(path)

    def value(occurrence: Occurrence) -> Any:
        members = occurrence.members
        if len(members) == 1:
            return read(members[0])
        keys = {scalar_key(read(member)) for member in members}
        return read(members[0]) if len(keys) == 1 else None

    return value
