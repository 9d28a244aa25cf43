"""Comparisons of lists by element: `$a;.epcList[*] = $b;.epcList[*]` holds if both share an
element.

Attributes that must be equal, by one comparison or through several, share one variable, so that all
of them have the same element. Every part that has one of them binds the variable to each of its
elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tocsin.events.views.epcis import LISTS, OBJECTS, PLACES, is_without_scalars
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.opsl.syntax import OpslAttribute, OpslComparison
from tocsin.plan.nodes.composites import Named, Part, PartAttribute, Related
from tocsin.plan.nodes.expressions import Elements
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.values.scalars import Path

CODE = "WhereError"


def is_by_element(comparison: OpslComparison) -> bool:
    """True if one of the sides stands for each element of a list."""
    return comparison.left.is_each or comparison.right.is_each


def can_be_by_element(
    comparison: OpslComparison, related: Related, problems: ProblemCollector
) -> bool:
    """True if attributes are compared with `=`; else a problem is added."""
    if comparison.relation.text != "=":
        problems.add(
            CODE,
            comparison.relation,
            f"elements are compared with =, not with {comparison.relation.text}",
            "say which elements are meant where the event is described, and correlate them with =",
        )
        return False
    if related.left.variable or related.right.variable:
        problems.add(
            CODE,
            comparison.left.spot,
            "a value that an atom binds is no list",
            "give the variable one name in both atoms: what has one name is joined by equal values",
        )
        return False
    return not any(
        _has_no_elements(side, path, problems) for side, path in _sides(comparison, related)
    )


def _sides(comparison: OpslComparison, related: Related) -> Iterator[tuple[OpslAttribute, Path]]:
    return zip(
        (comparison.left, comparison.right), (related.left.path, related.right.path), strict=True
    )


def _has_no_elements(side: OpslAttribute, path: Path, problems: ProblemCollector) -> bool:
    """True, with a problem, if EPCIS events have no text or number at the path."""
    if not is_without_scalars(path):
        return False
    inner = OBJECTS.get(path[0], "id")
    if path[0] not in OBJECTS and path[0] not in PLACES:
        message, inner = f"the elements of {path[0]} are identifiers, which have no members", ""
    elif path[0] in PLACES or path[0] not in LISTS:
        message = f"{_text(path)} is an object in EPCIS events, and an object equals nothing"
    else:
        message = f"the elements of {_text(path)} are objects, and an object equals nothing"
    written = f"${side.variable};.{path[0]}{'.' if inner else ''}{inner}"
    problems.add(CODE, side.spot, message, f"compare what they hold: {written}[*] = ...")
    return True


def bound(
    pattern: Part, wanted: Mapping[Related, OpslComparison], problems: ProblemCollector
) -> Part:
    """Return the pattern whose named parts bind the elements that are compared."""
    elements: dict[str, Elements] = {}
    for group in _groups(list(wanted)):
        variable = _variable_of(group)
        for attribute in group:
            if elements.setdefault(attribute.name, (variable, attribute.path)) != (
                variable,
                attribute.path,
            ):
                _refuse_second(attribute, wanted, problems)
    return _with_elements(pattern, elements)


def _groups(wanted: Sequence[Related]) -> list[list[PartAttribute]]:
    """Return the attributes that comparisons bind together, each group in the order of the text."""
    groups: list[list[PartAttribute]] = []
    for related in wanted:
        sides = [related.left, related.right]
        touched = [group for group in groups if any(side in group for side in sides)]
        merged = dict.fromkeys([*(each for group in touched for each in group), *sides])
        groups = [*(group for group in groups if group not in touched), list(merged)]
    return groups


def _variable_of(group: Sequence[PartAttribute]) -> str:
    """Return the name of the element in a match: its attribute, or all its attributes."""
    return "=".join(dict.fromkeys(_text(attribute.path) for attribute in group))


def _text(path: Path) -> str:
    return ".".join(step for step in path if step)


def _refuse_second(
    attribute: PartAttribute, wanted: Mapping[Related, OpslComparison], problems: ProblemCollector
) -> None:
    comparison = next(
        each for related, each in wanted.items() if attribute in (related.left, related.right)
    )
    side = comparison.left if comparison.left.variable == attribute.name else comparison.right
    problems.add(
        CODE,
        side.spot,
        f"${attribute.name}; has two lists that are compared element by element",
        "compare one list of each variable; the concept language correlates by several",
    )


def _with_elements(part: Part, elements: Mapping[str, Elements]) -> Part:
    inner = with_parts(part, lambda each: _with_elements(each, elements))
    if isinstance(inner, Named) and inner.name in elements:
        return replace(inner, elements=elements[inner.name])
    return inner
