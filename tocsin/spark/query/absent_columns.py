"""Warning about attributes that subscriptions use and no column has, when the query is made.

Later nothing would show the mistake. Only typed columns are checked: the members of JSON text and
of maps differ from row to row.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from tocsin.catalog import Snapshot, Surroundings, compile_subscription
from tocsin.errors import Problem
from tocsin.plan.nodes.atoms import Condition, attribute_paths, predicates_of
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
    Related,
    Sliding,
    atoms_of,
    parts_of,
)
from tocsin.plan.nodes.expressions import Expression, Satisfies, paths_of
from tocsin.spark.input.layout import EventColumns, Layout
from tocsin.spark.query.session import levels_to_the_caller
from tocsin.values.scalars import ENVELOPE, Path

MAX_SUBSCRIPTIONS_READ = 1_000
"""The number of subscriptions checked: a mistyped name is seldom only in later ones."""

_FEW = 3
_ALWAYS = frozenset(
    (ENVELOPE, name) for name in ("id", "source", "type", "specversion", "datacontenttype")
)


class AbsentColumnWarning(UserWarning):
    """A subscription uses an attribute for which the DataFrame has no column."""


def warn_of_absent_columns(rows: DataFrame, layout: Layout, snapshot: Snapshot) -> None:
    """Warn once of attributes without a column, with the closest existing name."""
    if not isinstance(layout, EventColumns) or layout.by_row:
        return
    types = {path: rows.schema[name].dataType for path, name in layout.names.items()}
    absent: dict[Path, str] = {}
    for subscription, path in _paths_asked_for(snapshot):
        if not _may_be_there(path, types):
            absent.setdefault(path, subscription)
    if absent:
        warnings.warn(_told(absent, types), AbsentColumnWarning, stacklevel=levels_to_the_caller())


def _paths_asked_for(snapshot: Snapshot) -> Iterator[tuple[str, Path]]:
    """Yield each subscription with the attributes it uses; one that does not compile uses none."""
    light = Surroundings.of(snapshot.definitions)
    for subscription in islice(snapshot.subscriptions, MAX_SUBSCRIPTIONS_READ):
        try:
            plan = compile_subscription(subscription, light)
        except Problem:
            continue
        for path in _paths_of(plan.pattern):
            yield subscription.id, path
        for told in plan.select:
            yield from ((subscription.id, path) for path in _paths_of_parts(told.value))


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


def _told(absent: Mapping[Path, str], types: Mapping[Path, T.DataType]) -> str:
    inside = [found for path in absent if (found := _inside(path, types)) is not None]
    known = sorted(map(_written, [*types, *inside]))
    told = [_one(path, subscription, known) for path, subscription in islice(absent.items(), _FEW)]
    more = f"; and {len(absent) - _FEW} more" if len(absent) > _FEW else ""
    return (
        f"{'; '.join(told)}{more}. A condition on what is absent is unknown: map the column with"
        " columns={...}"
    )


def _one(path: Path, subscription: str, known: list[str]) -> str:
    near = get_close_matches(_written(path), known, 1)
    meant = f", did you mean {near[0]}?" if near else ""
    return f"no column holds {_written(path)}, which subscription {subscription!r} asks for{meant}"


def _inside(path: Path, types: Mapping[Path, T.DataType]) -> Path | None:
    """Return the member of a struct that is closest to the path, or None."""
    for held, given in types.items():
        if path[: len(held)] == held and isinstance(given, T.StructType) and len(path) > len(held):
            near = get_close_matches(path[len(held)], given.fieldNames(), 1)
            return (*held, *near) if near else None
    return None


def _written(path: Path) -> str:
    return f"ce_{path[1]}" if path[:1] == (ENVELOPE,) else ".".join(path)
