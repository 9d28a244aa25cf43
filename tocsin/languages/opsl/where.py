"""WHERE: comparisons between attributes of variables, at the lowest joins that have both.

An absence compares a variable of the absent part with the parts of its window, and these with one
another. A name that the event's own atom binds is the bound value: `$x;.p` is `?p` of a graph that
selects it, or `$p` of an XML block; any other is an attribute.

Comparisons of lists by element: `$a;.epcList[*] = $b;.epcList[*]` holds if both share an
element.

Attributes that must be equal, by one comparison or through several, share one variable, so that all
of them have the same element. Every part that has one of them binds the variable to each of its
elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from tocsin.events.views.epcis import LISTS, OBJECTS, PLACES, is_list, is_without_scalars
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.opsl.names import path_of
from tocsin.languages.opsl.syntax import OpslAttribute, OpslComparison
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import (
    Absence,
    Either,
    Join,
    Named,
    Only,
    Part,
    PartAttribute,
    Related,
    parts_of,
)
from tocsin.plan.nodes.expressions import Elements
from tocsin.plan.nodes.graphs import GraphPattern, variables_of
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.xml.xml_patterns import XmlBlock, block_variables
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


# Variables that atoms of other languages bind.
#
# A comparison that could never be true is refused: a variable of the graph that is not selected,
# a name that only one side of `||` binds, and an order between two values that their common name
# makes equal.


def bound_name(part: Part, path: Path) -> str | None:
    """Return the variable that every atom of a part about one event binds by the name.

    None if the name is an attribute.
    """
    found = [_bound_by(each, path) for each in _atoms(part)]
    return found[0] if None not in found and len(set(found)) == 1 else None


def are_readable(
    comparison: OpslComparison, variables: Mapping[str, Part], problems: ProblemCollector
) -> bool:
    """True if both sides can have a value to compare; else a problem is added."""
    sides = (comparison.left, comparison.right)
    fine = [_is_readable(side, variables[side.variable], problems) for side in sides]
    return all(fine) and not _is_made_equal(comparison, variables, problems)


def _is_readable(side: OpslAttribute, part: Part, problems: ProblemCollector) -> bool:
    path = path_of(side.path.text.removeprefix("."))
    atoms = list(_atoms(part))
    if any(_is_unselected(each, path) for each in atoms):
        message = f"the graph has ?{path[0]}, but does not tell it"
        problems.add(CODE, side.spot, message, f"add to the graph: select ?{path[0]}")
        return False
    if len({_bound_by(each, path) for each in atoms}) > 1:
        message = f"{side.path.text} is bound on one side of || and not, or otherwise, on the other"
        problems.add(
            CODE,
            side.spot,
            message,
            "let both sides bind it in one way, or make two subscriptions",
        )
        return False
    return True


def _is_made_equal(
    comparison: OpslComparison, variables: Mapping[str, Part], problems: ProblemCollector
) -> bool:
    """True, with a problem, if both sides are one variable of two atoms.

    Atoms join on equal values of a variable, so an order between them is never true.
    """
    left, right = (
        bound_name(variables[side.variable], path_of(side.path.text.removeprefix(".")))
        for side in (comparison.left, comparison.right)
    )
    if left is None or left != right or comparison.relation.text in ("=", "<=", ">="):
        return False
    message = (
        f"both atoms bind {comparison.left.path.text}, and what has one name is joined by equal"
        " values"
    )
    problems.add(
        CODE,
        comparison.relation,
        message,
        "give the variable another name in one of the atoms",
    )
    return True


def _atoms(part: Part) -> Iterator[Part]:
    match part:
        case Only(inner) | Named(_, inner):
            yield from _atoms(inner)
        case Either(parts):
            for each in parts:
                yield from _atoms(each)
        case _:
            yield part


def _bound_by(atom: Part, path: Path) -> str | None:
    """Return the variable of an atom's rows, in documents with a dollar sign; else None."""
    if len(path) != 1:
        return None
    match atom:
        case GraphPattern() if path[0] in atom.select:
            return path[0]
        case XmlBlock() if f"${path[0]}" in block_variables(atom):
            return f"${path[0]}"
        case _:
            return None


def _is_unselected(atom: Part, path: Path) -> bool:
    if not isinstance(atom, GraphPattern) or len(path) != 1 or path[0] in atom.select:
        return False
    groups = (atom.statements, *atom.optionals)
    return path[0] in {each.name for each in variables_of(groups)}


_RELATIONS = {"!=": "<>"}


def place_comparisons(
    pattern: Part,
    comparisons: Iterable[OpslComparison],
    variables: Mapping[str, Part],
    problems: ProblemCollector,
) -> Part:
    """Return the pattern with every comparison at its join; add problems of impossible ones."""
    plain: dict[Related, OpslComparison] = {}
    by_element: dict[Related, OpslComparison] = {}
    for comparison in comparisons:
        if _can_be_compared(comparison, variables, problems):
            if not is_by_element(comparison):
                plain[_related(comparison, variables)] = comparison
            elif can_be_by_element(
                comparison, related := _related(comparison, variables), problems
            ):
                by_element[related] = comparison
    if by_element:
        _placed(pattern, by_element, problems)
        pattern = bound(pattern, by_element, problems)
    return _placed(pattern, plain, problems) if plain else pattern


def _placed(
    pattern: Part, wanted: Mapping[Related, OpslComparison], problems: ProblemCollector
) -> Part:
    """Return the pattern with every comparison at its join; add a problem if it has none."""
    attachment = _ComparisonPlacement(tuple(wanted))
    whole = attachment.part(pattern)
    for related, comparison in wanted.items():
        if related in attachment.uncertain:
            _note(comparison, problems, *_UNCERTAIN)
        elif related not in attachment.placed:
            _note(comparison, problems, *_NEVER_TOGETHER)
    return whole


class _ComparisonPlacement:
    """One walk from the inside out; it records the comparisons that it placed."""

    def __init__(self, wanted: tuple[Related, ...]) -> None:
        self.placed: set[Related] = set()
        self.uncertain: set[Related] = set()
        self._wanted = wanted

    def part(self, part: Part) -> Part:
        whole = with_parts(part, self.part)
        match whole:
            case Join(parts, conditions):
                return replace(whole, conditions=(*conditions, *self._across(parts)))
            case Absence():
                return self._absence(whole)
            case _:
                return whole

    def _absence(self, absence: Absence) -> Absence:
        absent, *bounds = parts_of(absence)
        own = self._between(_names(absent), _union(map(_names, bounds)))
        self._settle(own, _certain(absent) | _certain(absence))
        return replace(absence, conditions=(*absence.conditions, *own, *self._across(bounds)))

    def _across(self, parts: Iterable[Part]) -> tuple[Related, ...]:
        """Return the comparisons with variables in two of these parts, not both in one."""
        inside = [_names(part) for part in parts]
        found = tuple(each for each in self._wanted if _spans(each, inside))
        self._settle(found, _union(map(_certain, parts)))
        return found

    def _between(self, some: frozenset[str], others: frozenset[str]) -> tuple[Related, ...]:
        return tuple(each for each in self._wanted if _spans(each, [some, others]))

    def _settle(self, found: Iterable[Related], certain: frozenset[str]) -> None:
        for each in found:
            known = each.left.name in certain and each.right.name in certain
            (self.placed if known else self.uncertain).add(each)


def _spans(related: Related, inside: list[frozenset[str]]) -> bool:
    both = {related.left.name, related.right.name}
    return both <= _union(inside) and not any(both <= names for names in inside)


def _names(part: Part) -> frozenset[str]:
    """Return the variables that an occurrence of the part can have events for."""
    match part:
        case Named(name, inner):
            return _names(inner) | {name}
        case Absence():
            return _union(map(_names, parts_of(part)[1:]))
        case _:
            return _union(map(_names, parts_of(part)))


def _certain(part: Part) -> frozenset[str]:
    """Return the variables that every occurrence of the part has events for."""
    match part:
        case Either(parts):
            return frozenset.intersection(*map(_certain, parts))
        case Named(name, inner):
            return _certain(inner) | {name}
        case Absence():
            return _union(map(_certain, parts_of(part)[1:]))
        case _:
            return _union(map(_certain, parts_of(part)))


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


def _can_be_compared(
    comparison: OpslComparison, variables: Mapping[str, Part], problems: ProblemCollector
) -> bool:
    """True if both sides are bound to parts about one event.

    Unbound variables are reported elsewhere.
    """
    sides = (comparison.left, comparison.right)
    if any(side.variable not in variables for side in sides):
        return False
    if comparison.left.variable == comparison.right.variable:
        _note(comparison, problems, *_ALONE)
        return False
    several = [side for side in sides if not _is_about_one_event(variables[side.variable])]
    for side in several:
        problems.add(
            CODE,
            side.spot,
            f"${side.variable}; is about more than one event, so {side.path.text} is the attribute"
            " of none",
            "bind a variable to the one event that has the attribute, and compare that",
        )
    if several or not are_readable(comparison, variables, problems):
        return False
    return is_by_element(comparison) or not _compares_lists(comparison, variables, problems)


def _compares_lists(
    comparison: OpslComparison, variables: Mapping[str, Part], problems: ProblemCollector
) -> bool:
    """True, with a problem, if a side is a list of EPCIS, which equals nothing as a whole."""
    for side in (comparison.left, comparison.right):
        path = path_of(side.path.text.removeprefix("."))
        if is_list(path) and bound_name(variables[side.variable], path) is None:
            problems.add(
                CODE,
                side.spot,
                f"{'.'.join(path)} is a list in EPCIS events, and a list as a whole is equal to"
                " nothing",
                f"compare its elements: ${side.variable};{side.path.text}[*] = ...",
            )
            return True
    return False


def _is_about_one_event(part: Part) -> bool:
    match part:
        case Only(inner) | Named(_, inner):
            return _is_about_one_event(inner)
        case Either(parts):
            return all(map(_is_about_one_event, parts))
        case _:
            return isinstance(part, Atom)


def _related(comparison: OpslComparison, variables: Mapping[str, Part]) -> Related:
    relation = comparison.relation.text
    left, right = (
        _side(side, variables[side.variable]) for side in (comparison.left, comparison.right)
    )
    return Related(left, _RELATIONS.get(relation, relation), right)


def _side(attribute: OpslAttribute, part: Part) -> PartAttribute:
    path = path_of(attribute.path.text.removeprefix("."))
    return PartAttribute(attribute.variable, path, bound_name(part, path) or "")


def _note(comparison: OpslComparison, problems: ProblemCollector, message: str, hint: str) -> None:
    names = {"left": comparison.left.variable, "right": comparison.right.variable}
    problems.add(CODE, comparison.left.spot, message.format(**names), hint)


_ALONE = (
    "${left}; is compared with itself",
    "compare attributes of one event where it is described: selector{ a < b }",
)
_NEVER_TOGETHER = (
    "${left}; and ${right}; never stand together, so they cannot be compared",
    "join them; a variable of an absent part is compared with the parts of its window only",
)
_UNCERTAIN = (
    "${left}; or ${right}; has no event when the other side of || happens",
    "bind one variable to the whole of A || B, or make two subscriptions",
)
