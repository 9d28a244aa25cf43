"""Scopes of named parts, by nesting: one occurrence must play several roles there (OPSL 4.6, 4.7).

The scope root of a name that is used in several places is the lowest operator above all of them;
the operators between the places and the root, it included, are its scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.plan.nodes.composites import Either, Named, Part, parts_of


@dataclass(frozen=True, slots=True)
class NameScope:
    """Scope of a name. A failure at a `required` operator fails the root: no alternative lies
    between.
    """

    root: Part
    operators: frozenset[Part]
    required: frozenset[Part]


def scopes_of(pattern: Part) -> Mapping[str, NameScope]:
    """Return the scope of every name that is used in two places or more."""
    parts = _from_the_inside_out(pattern)
    found: dict[str, NameScope] = {}
    for named in (part for part in parts if isinstance(part, Named)):
        users = [part for part in parts for inner in parts_of(part) if inner == named]
        if len(users) > 1:
            found[named.name] = _scope(parts, frozenset(users))
    return found


def _scope(parts: list[Part], users: frozenset[Part]) -> NameScope:
    within = {part: frozenset(_from_the_inside_out(part)) for part in parts}
    operators = [part for part in parts if not isinstance(part, Named)]
    above_all = [part for part in operators if users <= within[part]]
    root = min(above_all, key=_height)
    scope = [part for part in operators if part in within[root] and within[part] & users]
    alternatives = [part for part in scope if isinstance(part, Either)]
    required = [part for part in scope if not any(part in within[each] for each in alternatives)]
    return NameScope(root, frozenset(scope), frozenset(required))


def _from_the_inside_out(part: Part) -> list[Part]:
    """Return every different part once, after all parts inside it."""
    inner = [each for direct in parts_of(part) for each in _from_the_inside_out(direct)]
    return list(dict.fromkeys((*inner, part)))


def _height(part: Part) -> int:
    return 1 + max(map(_height, parts_of(part)), default=0)
