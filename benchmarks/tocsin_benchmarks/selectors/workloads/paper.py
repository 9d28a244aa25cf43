"""The workload of the paper's tables 5 and 6, with what the paper leaves open decided as in section
6 of the spec.

N selectors of A/2 literals (at least two) from a pool of 2N predicates: 50 % equalities, 30 %
orderings, 20 % LIKE, IN and BETWEEN; connectors 60 % AND and 40 % OR; 10 % of the literals negated.
No parentheses, so AND binds before OR.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Not, Predicate
from tocsin_benchmarks.selectors.workloads.population import Population
from tocsin_benchmarks.selectors.workloads.predicates import (
    Mix,
    draw_number_equality,
    draw_number_set,
    draw_ordering,
    draw_pattern,
    draw_range,
    draw_word_equality,
    draw_word_set,
    paths_for,
)

EVENTS = 20_000

_MIX = Mix(
    {
        draw_number_equality: 25,
        draw_word_equality: 25,
        draw_ordering: 30,
        draw_pattern: 20 / 3,
        draw_range: 20 / 3,
        draw_number_set: 10 / 3,
        draw_word_set: 10 / 3,
    }
)
_AND_SHARE = 0.6
_NEGATED_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class PaperWorkload:
    """A row of table 5 (attributes vary, 2,000 selectors) or of table 6 (selectors vary, 10
    attributes).
    """

    subscriptions: int
    attributes: int
    seed: int

    def selectors(self) -> Iterator[BooleanNode]:
        """The selectors, each a list of literals read with AND before OR."""
        random = Random(f"paper selectors {self.seed} {self.attributes} {self.subscriptions}")
        population = self._population()
        pool = [_draw(random, population) for _ in range(2 * self.subscriptions)]
        for _ in range(self.subscriptions):
            yield _selector(random, pool, max(2, self.attributes // 2))

    def events(self, count: int) -> list[Event]:
        """The first events, sent by 50 publishers in turn."""
        random = Random(f"paper events {self.seed} {self.attributes}")
        population = self._population()
        return [population.event(random, number) for number in range(count)]

    def _population(self) -> Population:
        return Population.of(self.attributes, self.seed, skewed=False)


def _draw(random: Random, population: Population) -> Predicate:
    draw = _MIX.draw(random)
    return draw(random, population, random.choice(paths_for(draw, population)))


def _selector(random: Random, pool: list[Predicate], length: int) -> BooleanNode:
    groups = [[_literal(random, pool)]]
    for _ in range(length - 1):
        if random.random() < _AND_SHARE:
            groups[-1].append(_literal(random, pool))
        else:
            groups.append([_literal(random, pool)])
    operands = tuple(group[0] if len(group) == 1 else AllOf(tuple(group)) for group in groups)
    return operands[0] if len(operands) == 1 else AnyOf(operands)


def _literal(random: Random, pool: list[Predicate]) -> BooleanNode:
    predicate = random.choice(pool)
    return Not(predicate) if random.random() < _NEGATED_SHARE else predicate
