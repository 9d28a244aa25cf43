"""The keys and the selected values of rules as typed columns of the matches.

A key is the value that the events of a match have in common (FOR EACH), in the type of its column:
it is kept with the events. A selected value stands in the bindings as text, and is cast to the type
that its expression has over the columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tocsin.catalog import Snapshot, Surroundings, compile_subscription
from tocsin.errors import MeaningProblem, Problem
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.nodes.expressions import Attribute, Call, Expression
from tocsin.plan.semantics.partitioning import partition_key_of_plan
from tocsin.spark.input.attribute_sql import literal
from tocsin.spark.input.layout import field_path
from tocsin.spark.output.carried_columns import Keep, keep_names
from tocsin.values.scalars import ENVELOPE, Path

KEY_MARK = "row_key_"
"""The beginning of the name under which a key is kept until it is a column of its own."""

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_NUMBERS = (*_WHOLE, "double", "decimal")
_SCALARS = (*_NUMBERS, "string", "boolean", "timestamp", "date")
_COUNTS = ("COUNT", "DISTINCT", "COUNT DISTINCT", "SKIPPED")
_SAME_TYPE = ("FIRST", "LAST", "MIN", "MAX")


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A column of the matches of some subscriptions; `key` is the column of the key, if it is one.

    `expression` is a selected value.
    """

    name: str
    subscriptions: tuple[str, ...]
    key: str | None = None
    expressions: tuple[Expression, ...] = ()


def value_columns(snapshot: Snapshot, columns: Mapping[str, str] | None) -> tuple[ValueColumn, ...]:
    """Return the columns for the keys and the selected values of all subscriptions.

    Raises if a key is not a column, or if two columns would have one name.
    """
    keys: dict[str, list[str]] = {}
    selected: dict[str, list[tuple[str, Expression]]] = {}
    own = {field_path(event_field): column for column, event_field in (columns or {}).items()}
    for subscription, plan in _plans_of(snapshot):
        for path in _keys_of(plan):
            keys.setdefault(_column_of(path, own, subscription), []).append(subscription)
        for each in plan.select:
            selected.setdefault(each.name, []).append((subscription, each.value))
    found = [ValueColumn(name, tuple(ids), name) for name, ids in keys.items()]
    for name, uses in selected.items():
        if any(each.name.lower() == name.lower() for each in found):
            continue  # the selected value is the key itself, or has its name: the key is typed
        ids, expressions = zip(*uses, strict=True)
        found.append(ValueColumn(name, ids, None, expressions))
    return tuple(found)


def _plans_of(snapshot: Snapshot) -> Iterator[tuple[str, Plan]]:
    settings = Surroundings.of(snapshot.definitions)
    for subscription in snapshot.subscriptions:
        try:
            yield subscription.id, compile_subscription(subscription, settings)
        except Problem:
            continue


def _keys_of(plan: Plan) -> Sequence[Path]:
    return () if isinstance(plan.pattern, Atom) else partition_key_of_plan(plan).by


def _column_of(path: Path, own: Mapping[Path, str], subscription: str) -> str:
    if path in own:
        return own[path]
    if len(path) != 1:
        raise MeaningProblem(
            f"the key {'.'.join(path)} of {subscription!r} is not a column of its own",
            code="ColumnError",
            token=".".join(path),
            hint=f'make it one before: withColumn("{path[-1]}", ...)',
        )
    return path[0]


def require_distinct_values(
    found: Sequence[ValueColumn], keep: Keep | None, taken: Iterable[str]
) -> None:
    """Raise if a column of a value has the name of another column of the matches."""
    kept = {name.lower() for name in (() if keep is None else keep_names(keep).values())}
    held = {name.lower() for name in taken}
    for each in found:
        if each.name.lower() in held | kept:
            hint = (
                f'keep it under another name: keep={{"{each.name}": "{each.name}s"}}'
                if each.name.lower() in kept
                else f"select it under another name: SELECT ... AS its_{each.name}"
            )
            raise MeaningProblem(
                f"a match has two columns {each.name!r}",
                code="ColumnError",
                token=each.name,
                hint=hint,
            )


def with_keys(keep: Keep | None, found: Sequence[ValueColumn]) -> Keep | None:
    """Return the columns to keep with those of the keys."""
    names = {} if keep is None else keep_names(keep)
    for each in found:
        if each.key is not None and each.key not in names:
            names[each.key] = KEY_MARK + each.key
    return names or None


def with_values(
    both: DataFrame,
    found: Sequence[ValueColumn],
    keep: Keep | None,
    types: Mapping[Path, T.DataType],
    *,
    detects: bool,
) -> DataFrame:
    """Return matches and dead letters, each match with the columns; null where it has no value."""
    kept = {} if keep is None else keep_names(keep)
    told = F.col("match")
    for each in found:
        is_own = F.col("match.subscription").isin(*each.subscriptions)
        if each.key is not None:
            value = F.col(f"match.`{kept[each.key]}`")
            value = F.get(F.filter(value, F.isnotnull), F.lit(0)) if detects else value
        else:
            kinds = {_type_of(expression, types) for expression in each.expressions}
            kind = _common_type(kinds)
            value = F.expr(f"try_cast(`match`.bindings[{literal(each.name)}] AS {kind})")
        told = told.withField(f"`{each.name}`", F.when(is_own, value))
    marks = [f"`{name}`" for name in kept.values() if name.startswith(KEY_MARK)]
    return both.withColumn("match", told.dropFields(*marks) if marks else told)


def _common_type(kinds: set[str]) -> str:
    """Return the type that holds values of all the types."""
    if len(kinds) == 1:
        return next(iter(kinds))
    if kinds <= set(_WHOLE):
        return "bigint"
    return "double" if all(each.startswith(_NUMBERS) for each in kinds) else "string"


def _type_of(expression: Expression, types: Mapping[Path, T.DataType]) -> str:
    """Return the type of a selected value, as SQL; text where it is not known."""
    match expression:
        case Attribute((_, head, name)) if head == ENVELOPE:
            return "timestamp" if name in ("time", "endtime") else "string"
        case Attribute(path):
            given = types.get(path[1:])
            name = "string" if given is None else given.simpleString()
            return name if name.startswith(_SCALARS) else "string"
        case Call(function) if function in _COUNTS:
            return "bigint"
        case Call("START" | "END"):
            return "timestamp"
        case Call(function, (first, *_)) if function in _SAME_TYPE:
            return _type_of(first, types)
        case Call("SUM", (first, *_)):
            return "bigint" if _type_of(first, types) in _WHOLE else "double"
        case Call(_, arguments) if all(
            _type_of(each, types).startswith(_NUMBERS) for each in arguments
        ):
            return "double"
        case _:
            return "string"
