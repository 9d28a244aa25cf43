"""Warning about attributes that subscriptions use and no column has, and about types of events
that no table has, when the query is made.

Later nothing would show the mistake. Only typed columns are checked: the members of JSON text and
of maps differ from row to row. Types are known where tables were given by their names.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from tocsin.catalog import Snapshot, Surroundings, compile_subscription
from tocsin.errors import Problem
from tocsin.plan.nodes.atoms import (
    Condition,
    Equals,
    OneOf,
    attribute_paths,
    predicates_of,
)
from tocsin.plan.nodes.composites import (
    Absence,
    Change,
    Fulfilling,
    Gathered,
    Join,
    JoinCondition,
    Keyed,
    Named,
    Only,
    Part,
    Plan,
    Related,
    Sliding,
    atoms_of,
    parts_of,
)
from tocsin.plan.nodes.expressions import Expression, Satisfies, paths_of
from tocsin.spark.input.layout import DATA, EventColumns, Layout
from tocsin.spark.query.session import levels_to_the_caller
from tocsin.values.scalars import ENVELOPE, Path

MAX_SUBSCRIPTIONS_READ = 1_000
"""The number of subscriptions checked: a mistyped name is seldom only in later ones."""

_FEW = 3
_TYPE: Path = (ENVELOPE, "type")
_ALWAYS = frozenset(
    (ENVELOPE, name) for name in ("id", "source", "type", "specversion", "datacontenttype")
)


class AbsentColumnWarning(UserWarning):
    """A subscription uses an attribute for which there is no column, or a type of no table."""


def warn_of_absent_columns(rows: DataFrame, layout: Layout, snapshot: Snapshot) -> None:
    """Warn once of attributes without a column and types without a table, with the closest name."""
    if not isinstance(layout, EventColumns):
        return
    plans = list(_plans_of(snapshot))
    found = [*_absent_columns(rows, layout, plans), *_absent_types(layout.types, plans)]
    if found:
        warnings.warn(
            _describe_absent(found, layout), AbsentColumnWarning, stacklevel=levels_to_the_caller()
        )


def _describe_absent(found: Sequence[str], layout: EventColumns) -> str:
    more = f"; and {len(found) - _FEW} more" if len(found) > _FEW else ""
    message = f"{'; '.join(found[:_FEW])}{more}. A condition on what is absent is unknown"
    return message if layout.types else f"{message}: map the column with columns={{...}}"


def _absent_columns(
    rows: DataFrame, layout: EventColumns, plans: Iterable[tuple[str, Plan]]
) -> Iterator[str]:
    """Yield what is absent of the attributes that plans use."""
    if DATA in layout.names:  # text or a map: its members are not columns
        return
    types = {path: rows.schema[name].dataType for path, name in layout.names.items()}
    json = {path for path, name in layout.names.items() if name in layout.json}
    several = json | layout.further.keys()
    absent: dict[Path, str] = {}
    for subscription, plan in plans:
        for path in _paths_in(plan):
            if path[:1] not in several and not _may_be_there(path, types):
                absent.setdefault(path, subscription)
    inside = [found for path in absent if (found := _inside(path, types)) is not None]
    known = sorted(map(_written, [*types, *inside]))
    for path, subscription in absent.items():
        yield _one(path, subscription, known)


def _absent_types(types: frozenset[str], plans: Iterable[tuple[str, Plan]]) -> Iterator[str]:
    """Yield what is absent of the types of events that plans ask for; nothing if none is known."""
    absent: dict[str, str] = {}
    for subscription, plan in plans if types else ():
        for name in _types_in(plan.pattern):
            if name not in types:
                absent.setdefault(name, subscription)
    for name, subscription in absent.items():
        near = get_close_matches(name.lower(), {each.lower(): each for each in types}, 1)
        listed = ", ".join(sorted(types))
        meant = f"did you mean {_of_lower(near[0], types)}?" if near else f"there is {listed}"
        yield f"no event has the type {name}, which subscription {subscription!r} asks for, {meant}"


def _of_lower(name: str, known: Iterable[str]) -> str:
    return next(each for each in known if each.lower() == name)


def _types_in(part: Part) -> Iterator[str]:
    """Yield the types of events that the conditions of a part ask for."""
    for atom in atoms_of(part):
        for predicate in predicates_of(atom.expression) if isinstance(atom, Condition) else ():
            match predicate:
                case Equals(path, value) if path == _TYPE:
                    yield str(value.value)
                case OneOf(path, values) if path == _TYPE:
                    yield from sorted(str(each.value) for each in values)
                case _:
                    pass


def _plans_of(snapshot: Snapshot) -> Iterator[tuple[str, Plan]]:
    """Yield the plans of subscriptions; one that does not compile has none."""
    light = Surroundings.of(snapshot.definitions)
    for subscription in islice(snapshot.subscriptions, MAX_SUBSCRIPTIONS_READ):
        try:
            yield subscription.id, compile_subscription(subscription, light)
        except Problem:
            continue


def _paths_in(plan: Plan) -> Iterator[Path]:
    yield from _paths_of(plan.pattern)
    for told in plan.select:
        yield from _paths_of_parts(told.value)


def _paths_of(part: Part) -> Iterator[Path]:
    for atom in atoms_of(part):
        if isinstance(atom, Condition):
            for predicate in predicates_of(atom.expression):
                yield from sorted(attribute_paths(predicate))
    yield from _compared_in(part)


def _compared_in(part: Part) -> Iterator[Path]:
    """Yield the attributes that parts compare, use as keys, or measure."""
    if isinstance(part, Join | Absence | Gathered):
        for condition in part.conditions:
            yield from _compared_by(condition)
    if isinstance(part, Join | Absence | Gathered | Sliding | Change):
        yield from part.by
    if isinstance(part, Sliding):
        yield from (each.measure.path for each in part.conditions if each.measure.path)
    match part:
        case Only(_, Keyed(by)):
            yield from by
        case Only(_, Fulfilling(conditions)):
            yield from (path for each in conditions for path in _compared_by(each))
        case Named(elements=(_, path)):
            yield path
        case _:
            pass
    for inner in parts_of(part):
        yield from _compared_in(inner)


def _compared_by(condition: JoinCondition) -> Iterator[Path]:
    match condition:
        case Related(left, _, right):
            yield from (side.path for side in (left, right) if not side.variable)
        case Satisfies(expression):
            yield from _paths_of_parts(expression)
        case _:
            pass


def _paths_of_parts(expression: Expression) -> Iterator[Path]:
    """Return the attributes of an expression over parts, without the names of the parts."""
    return (path[1:] for path in sorted(paths_of(expression)) if len(path) > 1)


def _may_be_there(path: Path, types: Mapping[Path, T.DataType]) -> bool:
    if path[:1] == (ENVELOPE,):
        name = "time" if path[1] == "endtime" and (ENVELOPE, "endtime") not in types else path[1]
        return (ENVELOPE, name) in types or (ENVELOPE, name) in _ALWAYS
    for held, given in types.items():
        if held[: len(path)] == path or (
            path[: len(held)] == held and _leads_on(given, path[len(held) :])
        ):
            return True
    return False


def _leads_on(given: T.DataType, steps: Path) -> bool:
    """True if a value of the type can have a member at the end of the steps."""
    if not steps or isinstance(given, T.MapType | T.ArrayType):
        return True
    if not isinstance(given, T.StructType) or steps[0] not in given.fieldNames():
        return False
    return _leads_on(given[steps[0]].dataType, steps[1:])


def _one(path: Path, subscription: str, known: list[str]) -> str:
    by_lower = {each.lower(): each for each in known}
    near = get_close_matches(_written(path).lower(), by_lower, 1)
    plain = ".".join(path)
    whole = next((each for each in known if each == f"`{plain}`"), None)
    meant = whole or (by_lower[near[0]] if near else None)
    asked = f"no column holds {_written(path)}, which subscription {subscription!r} asks for"
    return f"{asked}, did you mean {meant}?" if meant else asked


def _inside(path: Path, types: Mapping[Path, T.DataType]) -> Path | None:
    """Return the member of a struct that is closest to the path, or None."""
    for held, given in types.items():
        if path[: len(held)] == held and isinstance(given, T.StructType) and len(path) > len(held):
            near = get_close_matches(path[len(held)], given.fieldNames(), 1)
            return (*held, *near) if near else None
    return None


def _written(path: Path) -> str:
    """Return a path as a selector writes it, in backticks where it needs them."""
    if path[:1] == (ENVELOPE,):
        return f"ce_{path[1]}"
    return ".".join(each if each.isidentifier() else f"`{each}`" for each in path)
