"""Variables that atoms of other languages bind, under their names in WHERE: `$x;.p` is `?p` of a
graph or `$p` of an XML block.

A comparison that could never be true is refused: a variable of the graph that is not selected, a
name that only one side of `||` binds, and an order between two values that their common name makes
equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tocsin.events.event import Path
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.opsl.atoms import path_of
from tocsin.languages.opsl.syntax import OpslAttribute, OpslComparison
from tocsin.plan.nodes.composites import Either, Named, Only, Part
from tocsin.plan.nodes.graphs import GraphPattern, variables_of
from tocsin.plan.xml.xml_patterns import XmlBlock, block_variables

CODE = "WhereError"


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
            CODE, side.spot, message, "let both sides bind it in one way, or make two subscriptions"
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
        CODE, comparison.relation, message, "give the variable another name in one of the atoms"
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
