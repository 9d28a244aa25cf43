"""Comparisons with a number, decided for many at once: numbered, with their limits in an array.

Limits are kept as floats, whose order never contradicts that of the exact numbers; if float and
limit are equal the exact numbers decide.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import numpy.typing as npt

from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.index.growable import BYTE, FLOAT64, Growable, put
from tocsin.engine.index.keys import CountedSlots
from tocsin.plan.nodes.graphs import RELATIONS, Comparison, Filter
from tocsin.values.terms import Family, Literal, Term, value_of

NO_THRESHOLD = -1

_CODES = {relation: code for code, relation in enumerate(RELATIONS)}
_LESS = np.array([relation in ("<", "<=", "!=") for relation in RELATIONS])
_GREATER = np.array([relation in (">", ">=", "!=") for relation in RELATIONS])

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Thresholds:
    """Comparisons in use, with reference counts; the number of an unused one is reused."""

    __slots__ = ("_limits", "_numbers", "_relations")

    def __init__(self) -> None:
        self._numbers = CountedSlots[Comparison]()
        self._limits = Growable(FLOAT64)
        self._relations = Growable(BYTE)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def capacity(self) -> int:
        """One more than the highest number."""
        return self._numbers.capacity

    def use(self, condition: Filter | None) -> int:
        """Count one more use of a comparison; return its number.

        NO_THRESHOLD for a filter that is not a comparison with a number.
        """
        limit = _number(condition.value) if isinstance(condition, Comparison) else None
        if limit is None or not isinstance(condition, Comparison):
            return NO_THRESHOLD
        number = self._numbers.use(condition)
        put(self._limits, number, limit)
        put(self._relations, number, _CODES[condition.relation])
        return number

    def release(self, number: int) -> None:
        """Count one use less; remove the comparison with its last use."""
        self._numbers.release(number)

    def true_of(self, term: Term, wanted: Numbers, graph: EncodedGraph) -> Flags:
        """Return a flag per number: True if that comparison is wanted and TRUE of a term."""
        answers = np.zeros(self.capacity, np.bool_)
        number = _number(term)
        if number is None:
            # NaN and resources differ from every number; other literals do not compare
            odd = _is_nan(term) or not isinstance(term, Literal)
            answers[wanted] = self._one_by_one(wanted, term, graph) if odd else False
            return answers
        limits, codes = self._limits.array[wanted], self._relations.array[wanted]
        answers[wanted] = np.where(number < limits, _LESS[codes], _GREATER[codes])
        close = wanted[limits == number]
        answers[close] = self._one_by_one(close, term, graph)
        graph.decided_at_once += len(wanted) - len(close)
        return answers

    def _one_by_one(self, wanted: Numbers, term: Term, graph: EncodedGraph) -> list[bool]:
        return [graph.passes(self._numbers.item_at(number), term) for number in wanted.tolist()]


def _number(term: Term) -> float | None:
    """Return the approximate number of a literal; None if it is not a number, or NaN."""
    content = _content(term)
    return None if content is None or content.is_nan() else float(content)


def _is_nan(term: Term) -> bool:
    content = _content(term)
    return content is not None and content.is_nan()


def _content(term: Term) -> Decimal | None:
    value = value_of(term) if isinstance(term, Literal) else None
    if value is None or value.family is not Family.NUMBER or not isinstance(value.content, Decimal):
        return None
    return value.content
