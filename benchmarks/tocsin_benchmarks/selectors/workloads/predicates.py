"""Predicates drawn at random. An operator is drawn first, then an attribute of a kind that it can
be true of.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from random import Random

from tocsin.plan.nodes.atoms import Between, Equals, Like, OneOf, Ordered, Predicate
from tocsin.values.like import LikePattern, Token, Wild
from tocsin.values.scalars import Constant, Kind, Path
from tocsin_benchmarks.selectors.workloads.population import NUMBERS, Population

Draw = Callable[[Random, Population, Path], Predicate]

ORDERINGS = ("<", "<=", ">", ">=")


def draw_number_equality(random: Random, _: Population, path: Path) -> Predicate:
    """`n = 417`."""
    return Equals(path, _number(random.randrange(NUMBERS)))


def draw_word_equality(random: Random, population: Population, path: Path) -> Predicate:
    """`s = 'grasto'`."""
    return Equals(path, _word(population.word(random)))


def draw_ordering(random: Random, _: Population, path: Path) -> Predicate:
    """`n >= 250`."""
    return Ordered(path, random.choice(ORDERINGS), _number(random.randrange(NUMBERS)))


def draw_range(random: Random, _: Population, path: Path) -> Predicate:
    """`n BETWEEN 100 AND 320`: about a quarter of the numbers."""
    low = random.randrange(NUMBERS)
    return Between(path, _number(low), _number(low + random.randrange(NUMBERS // 2)))


def draw_number_set(random: Random, _: Population, path: Path) -> Predicate:
    """`n IN (4, 8, 15)`."""
    return OneOf(
        path, frozenset(_number(random.randrange(NUMBERS)) for _ in range(random.randint(2, 5)))
    )


def draw_word_set(random: Random, population: Population, path: Path) -> Predicate:
    """`s IN ('bela', 'tromun')`."""
    return OneOf(
        path, frozenset(_word(population.word(random)) for _ in range(random.randint(2, 5)))
    )


def draw_pattern(random: Random, population: Population, path: Path) -> Predicate:
    """`s LIKE 'gr%'`, `s LIKE '%un'` or `s LIKE '%ast%'`, from a word that occurs."""
    word = population.word(random)
    length = random.randint(1, 2)
    start = random.randrange(len(word) - length + 1)
    tokens: Sequence[Token] = random.choice(
        (
            (word[:length], Wild.ANY_RUN),
            (Wild.ANY_RUN, word[-length:]),
            (Wild.ANY_RUN, word[start : start + length], Wild.ANY_RUN),
        )
    )
    return Like(path, LikePattern.of(tokens))


class Mix:
    """Ways of drawing a predicate and how often each is taken."""

    def __init__(self, weights: Mapping[Draw, float]) -> None:
        self._draws = tuple(weights)
        self._cumulated = tuple(accumulate(weights.values()))

    def draw(self, random: Random) -> Draw:
        """One of the ways."""
        return self._draws[bisect(self._cumulated, random.random() * self._cumulated[-1])]


def paths_for(draw: Draw, population: Population) -> tuple[Path, ...]:
    """The attributes that a predicate of this make can be true of."""
    return population.textual if draw in _TEXTUAL else population.numeric


_TEXTUAL = (draw_word_equality, draw_word_set, draw_pattern)


def _number(value: int) -> Constant:
    return Constant(Kind.NUMBER, value)


def _word(value: str) -> Constant:
    return Constant(Kind.STRING, value)
