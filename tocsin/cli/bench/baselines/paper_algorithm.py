"""The paper's algorithm, written for speed in plain Python: each distinct predicate at most once per event.

Every selector is preprocessed (spec 4.3) into short-circuit code (spec 4.5) over a table of predicate results that
starts empty for each event. The engine's scan does the same for clarity; this one shows what the algorithm can give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tocsin.cli.bench.baselines import Found, Work, found_in_lists
from tocsin.cli.bench.baselines.value_tests import classes_of, simple, value_test
from tocsin.engine.matching.shortcircuit import ACCEPT, compiled
from tocsin.events.event import Event
from tocsin.plan.atoms import BooleanNode, Predicate
from tocsin.plan.passes import prepared_expression

FALSE, TRUE, UNKNOWN, UNSET = range(4)

Attributes = Any
Evaluate = Callable[[Attributes], int]
Step = tuple[int, int, int, int]
"""Number of the predicate, the result that is wanted of it, where to go on with it, and where without it."""


class PaperMatcher:
    """Selectors as lists of steps, walked one after the other over one table of results."""

    def __init__(self) -> None:
        self._codes: list[tuple[tuple[Step, ...], int]] = []
        self._numbers: dict[Predicate, int] = {}
        self._evaluators: list[Evaluate] = []

    def add(self, number: int, selector: BooleanNode) -> None:
        """Preprocesses and compiles one selector; predicates that are known keep their number."""
        assert number == len(self._codes)
        code = compiled(prepared_expression(selector), self._number_of)
        steps = tuple((one.predicate, FALSE if one.negated else TRUE, one.if_true, one.if_not) for one in code.steps)
        self._codes.append((steps, code.start))

    def prepare(self) -> None:
        """Nothing is left to do."""

    def match(self, events: Sequence[Event]) -> Found:
        """One event after the other, each with an empty table."""
        places: list[int] = []
        numbers: list[int] = []
        for place, event in enumerate(events):
            hits = self._matching(event.attributes, self._empty_table())
            numbers += hits
            places += [place] * len(hits)
        return found_in_lists(places, numbers)

    def work(self, events: Sequence[Event]) -> Work:
        """Evaluations are the rows that were written into the table; visits are the steps that were taken."""
        evaluations = visits = 0
        for event in events:
            results = self._empty_table()
            self._matching(event.attributes, results)
            evaluations += len(results) - results.count(UNSET)
            visits += sum(_steps_taken(steps, start, results) for steps, start in self._codes)
        return Work(evaluations, visits)

    def _matching(self, attributes: Attributes, results: bytearray) -> list[int]:
        evaluators = self._evaluators
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

    def _empty_table(self) -> bytearray:
        return bytearray((UNSET,)) * len(self._evaluators)

    def _number_of(self, predicate: Predicate) -> int:
        number = self._numbers.setdefault(predicate, len(self._evaluators))
        if number == len(self._evaluators):
            self._evaluators.append(_evaluator(predicate))
        return number


def _steps_taken(steps: tuple[Step, ...], at: int, results: bytearray) -> int:
    taken = 0
    while at >= 0:
        predicate, wanted, if_so, if_not = steps[at]
        at = if_so if results[predicate] == wanted else if_not
        taken += 1
    return taken


def _evaluator(predicate: Predicate) -> Evaluate:
    served = simple(predicate)
    name, classes, test = served.path[0], classes_of(served), value_test(served)

    def evaluate(attributes: Attributes) -> int:
        value = attributes.get(name)
        return int(test(value)) if value.__class__ in classes else UNKNOWN

    return evaluate
