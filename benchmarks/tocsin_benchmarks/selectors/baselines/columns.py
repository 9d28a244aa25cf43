"""Plain numpy: a batch becomes columns, and every subscription is one column expression. Nothing is
shared.

Strings are coded by their distinct values in the batch, so that a string predicate is asked once
per distinct value and taken to the events by an array look-up. A conjunction stops when no event is
left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.errors import UnsupportedProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Between,
    BooleanNode,
    Equals,
    Like,
    Not,
    OneOf,
    Ordered,
)
from tocsin.plan.passes.simplify import push_not_down
from tocsin_benchmarks.selectors.baselines import Found, Work
from tocsin_benchmarks.selectors.baselines.value_tests import Simple, classes_of, simple, value_test

Mask = npt.NDArray[np.bool_]
Ordering = Callable[[Any, Any], Any]

_NO_SUCH_STRING = -2
_ORDERINGS: dict[str, Ordering] = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True, slots=True, eq=False)
class ColumnOf:
    """One attribute over a batch: numbers (NaN for none) or codes of the distinct strings (-1 for
    none).
    """

    classes: frozenset[type]
    numbers: npt.NDArray[np.float64]
    codes: npt.NDArray[np.intp]
    code_of: dict[str, int]
    known: Mask


Columns = dict[str, ColumnOf]


class ColumnMatcher:
    """A list of column expressions, each evaluated over the whole batch."""

    def __init__(self) -> None:
        self._selectors: list[BooleanNode] = []
        self._names: dict[str, None] = {}

    def add(self, number: int, selector: BooleanNode) -> None:
        """Keeps the selector with negations on predicates."""
        assert number == len(self._selectors)
        pushed = push_not_down(selector)
        self._names.update((name, None) for name in _names(pushed))
        self._selectors.append(pushed)

    def prepare(self) -> None:
        """Nothing is left to do."""

    def match(self, events: Sequence[Event]) -> Found:
        """All matches of a batch."""
        return self.match_first(events, len(self._selectors))

    def match_first(self, events: Sequence[Event], count: int) -> Found:
        """The matches of the first subscriptions only: their cost is all the same, so a part tells
        the whole.
        """
        columns = {name: _column(events, name) for name in self._names}
        hits = [np.flatnonzero(_mask(selector, columns)) for selector in self._selectors[:count]]
        numbers = np.repeat(np.arange(len(hits), dtype=np.int32), [len(places) for places in hits])
        places = np.concatenate(hits).astype(np.int32) if hits else np.empty(0, np.int32)
        return Found(places, numbers)

    def work(self, events: Sequence[Event]) -> Work | None:
        """A column expression has no count per event."""
        return None


def _names(node: BooleanNode) -> list[str]:
    match node:
        case AllOf(operands) | AnyOf(operands):
            return [name for operand in operands for name in _names(operand)]
        case Not(operand):
            return _names(operand)
        case _:
            return [simple(node).path[0]]


def _column(events: Sequence[Event], name: str) -> ColumnOf:
    values = [event.attributes.get(name) for event in events]
    classes = frozenset(map(type, values)) - {type(None)}
    known = np.array([value is not None for value in values], np.bool_)
    if classes == {str}:
        distinct = dict.fromkeys(value for value in values if value is not None)
        code_of = {value: code for code, value in enumerate(distinct)}
        codes = np.array([code_of.get(value, -1) for value in values], np.intp)
        return ColumnOf(classes, np.empty(0), codes, code_of, known)
    if classes <= {int, float}:
        return ColumnOf(classes, np.array(values, np.float64), np.empty(0, np.intp), {}, known)
    raise UnsupportedProblem(f"the column {name} mixes {len(classes)} kinds of values")


def _mask(node: BooleanNode, columns: Columns) -> Mask:
    match node:
        case AllOf(operands):
            return _conjunction(operands, columns)
        case AnyOf(operands):
            held = _mask(operands[0], columns)
            for operand in operands[1:]:
                held = held | _mask(operand, columns)
            return held
        case Not(predicate):
            return _literal(simple(predicate), columns, negated=True)
        case _:
            return _literal(simple(node), columns, negated=False)


def _conjunction(operands: Sequence[BooleanNode], columns: Columns) -> Mask:
    held = _mask(operands[0], columns)
    for operand in operands[1:]:
        if not held.any():
            break
        held = held & _mask(operand, columns)
    return held


def _literal(predicate: Simple, columns: Columns, *, negated: bool) -> Mask:
    column = columns[predicate.path[0]]
    if not column.classes & classes_of(predicate):
        return np.zeros(len(column.known), np.bool_)
    held = (
        _of_strings(predicate, column) if column.code_of else _of_numbers(predicate, column.numbers)
    )
    return ~held & column.known if negated else held


def _of_strings(predicate: Simple, column: ColumnOf) -> Mask:
    held: Mask
    if isinstance(predicate, Equals):
        held = column.codes == column.code_of.get(str(predicate.value.value), _NO_SUCH_STRING)
        return held
    table = np.array([*map(value_test(predicate), column.code_of), False], np.bool_)
    held = table[column.codes]
    return held


def _of_numbers(predicate: Simple, numbers: npt.NDArray[np.float64]) -> Mask:
    held: Mask
    match predicate:
        case Equals(_, constant):
            held = numbers == constant.value
        case Ordered(_, relation, limit):
            held = _ORDERINGS[relation](numbers, limit.value)
        case Between(_, low, high):
            held = (numbers >= float(low.value)) & (numbers <= float(high.value))
        case OneOf(_, constants):
            held = np.isin(numbers, [constant.value for constant in constants])
        case Like():
            held = np.zeros(len(numbers), np.bool_)
    return held
