"""The paper's algorithm, written for speed in plain Python: each distinct predicate at most once
per event.

Every selector is preprocessed (spec 4.3) into short-circuit code (spec 4.5) over a table of
predicate results that starts empty for each event. The engine's scan does the same for clarity;
this one shows what the algorithm can give.
"""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.engine.conditions.scan import ACCEPT, compile_short_circuit
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import BooleanNode
from tocsin.plan.passes import prepared_expression
from tocsin_benchmarks.selectors.baselines import Found, Work, found_in_lists
from tocsin_benchmarks.selectors.baselines.predicate_table import (
    FALSE,
    TRUE,
    UNSET,
    Attributes,
    PredicateTable,
    evaluations_in,
)

Step = tuple[int, int, int, int]
"""Number of the predicate, the result that is wanted of it, where to go on with it, and where
without it.
"""


class PaperMatcher:
    """Selectors as lists of steps, walked one after the other over one table of results."""

    def __init__(self) -> None:
        self._codes: list[tuple[tuple[Step, ...], int]] = []
        self._table = PredicateTable()

    def add(self, number: int, selector: BooleanNode) -> None:
        """Preprocesses and compiles one selector; predicates that are known keep their number."""
        assert number == len(self._codes)
        code = compile_short_circuit(prepared_expression(selector), self._table.number_of)
        steps = tuple(
            (one.predicate, FALSE if one.negated else TRUE, one.if_true, one.if_not)
            for one in code.steps
        )
        self._codes.append((steps, code.start))

    def prepare(self) -> None:
        """Nothing is left to do."""

    def match(self, events: Sequence[Event]) -> Found:
        """One event after the other, each with an empty table."""
        places: list[int] = []
        numbers: list[int] = []
        for place, event in enumerate(events):
            hits = self._matching(event.attributes, self._table.empty())
            numbers += hits
            places += [place] * len(hits)
        return found_in_lists(places, numbers)

    def work(self, events: Sequence[Event]) -> Work:
        """Evaluations are the rows that were written into the table; visits are the steps that were
        taken.
        """
        evaluations = visits = 0
        for event in events:
            results = self._table.empty()
            self._matching(event.attributes, results)
            evaluations += evaluations_in(results)
            visits += sum(_steps_taken(steps, start, results) for steps, start in self._codes)
        return Work(evaluations, visits)

    def _matching(self, attributes: Attributes, results: bytearray) -> list[int]:
        evaluators = self._table.evaluators
        hits = []
        for number, (steps, at) in enumerate(self._codes):
            while at >= 0:
                predicate, wanted, if_so, if_not = steps[at]
                result = results[predicate]
                if result == UNSET:
                    result = results[predicate] = evaluators[predicate](attributes)
                at = if_so if result == wanted else if_not  # noqa: PLW2901
            if at == ACCEPT:
                hits.append(number)
        return hits


def _steps_taken(steps: tuple[Step, ...], at: int, results: bytearray) -> int:
    taken = 0
    while at >= 0:
        predicate, wanted, if_so, if_not = steps[at]
        at = if_so if results[predicate] == wanted else if_not
        taken += 1
    return taken
