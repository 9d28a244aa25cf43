"""Scopes of named parts: where one occurrence must play several roles, and where it is settled that it does.

The scope root of a name that stands in several places is the lowest operator above all of them; the operators on the
way from the places to the root are its scope. Equal parts are one part: a plan is a graph, not a tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.plan.composites import Either, Named, Part, parts_of


@dataclass(frozen=True, slots=True)
class Scope:
    """The operators between the places of a name and its root, the root included.

    An operator is `required` where no alternative stands between it and the root: what fails there fails the root.
    """

    root: Part
    operators: frozenset[Part]
    required: frozenset[Part]


def scopes_of(pattern: Part) -> Mapping[str, Scope]:
    """The scope of every name that stands in two places or more."""
    heights: dict[Part, int] = {}
    users: dict[Part, list[Part]] = {pattern: []}
    _measure(pattern, heights, users)
    found = {}
    for part, places in users.items():
        if isinstance(part, Named) and len(places) > 1:
            found[part.name] = _scope(places, heights, users)
    return found


def _measure(part: Part, heights: dict[Part, int], users: dict[Part, list[Part]]) -> None:
    """Height above the atoms, and who uses each part, once for every place where it stands."""
    if part in heights:
        return
    inner = parts_of(part)
    for each in inner:
        users.setdefault(each, []).append(part)
        _measure(each, heights, users)
    heights[part] = 1 + max((heights[each] for each in inner), default=0)


def _scope(places: list[Part], heights: dict[Part, int], users: dict[Part, list[Part]]) -> Scope:
    above = [_ancestors(place, users) for place in places]
    common = [part for part in frozenset.intersection(*above) if not isinstance(part, Named)]
    root = min(common, key=lambda part: heights[part])
    inside = {part for ancestors in above for part in ancestors if root in _ancestors(part, users)}
    operators = frozenset(part for part in inside if not isinstance(part, Named))
    optional = {
        part
        for part in operators
        if any(isinstance(above, Either) and above in operators for above in _ancestors(part, users))
    }
    return Scope(root, operators, operators - optional)


def _ancestors(part: Part, users: dict[Part, list[Part]]) -> frozenset[Part]:
    """The part and everything above it."""
    found, open_ends = {part}, [part]
    while open_ends:
        for user in users[open_ends.pop()]:
            if user not in found:
                found.add(user)
                open_ends.append(user)
    return frozenset(found)
