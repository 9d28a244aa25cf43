"""Values of parameters: lists of strings, numbers, times, terms. An invalid value raises a problem.

One string is as good as a list of one, and a number may be written as text, because XML requests
have only texts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.epcis.identifiers import canonical
from tocsin.events.codecs.epcis.json_context import (
    NameContext,
    StandardTerms,
    expand_curie,
    individual,
)
from tocsin.events.codecs.epcis.master_data import MasterData
from tocsin.knowledge.ontology import Ontology
from tocsin.languages.epcis.problems import parameter_problem
from tocsin.values.scalars import canonical_number
from tocsin.values.time import Instant, parse_instant

_LONGEST_NUMBER = 400


@dataclass(frozen=True, slots=True)
class Given:
    """One parameter of a query: its name, its value, and the context it is read in."""

    name: str
    value: Any
    text: str
    names: NameContext
    ontology: Ontology | None = None
    known: MasterData = field(default_factory=dict)

    def wrong(self, message: str, hint: str = "") -> MeaningProblem:
        """Return a problem of this parameter."""
        return parameter_problem(self.text, self.name, message, hint)


def strings(given: Given) -> list[str]:
    """Return nonempty strings; an empty list is allowed and never matches."""
    listed = given.value if isinstance(given.value, list) else [given.value]
    if not all(isinstance(each, str) and each for each in listed):
        raise given.wrong(f"{given.name} takes a list of strings", 'write it like ["a", "b"]')
    return listed


def resources(given: Given) -> list[str]:
    """Return URIs, with the prefixes that the query declares written out."""
    return [expand_curie(each, given.names) for each in strings(given)]


def identifiers(given: Given) -> list[str]:
    """Return identifiers in their common spelling, each once."""
    return list(dict.fromkeys(map(canonical, resources(given))))


def hex_digits(given: Given) -> list[str]:
    """Return bytes in hexadecimal digits, in lower case."""
    return [each.lower() for each in strings(given)]


def terms(vocabulary: StandardTerms) -> Callable[[Given], list[str]]:
    """Return a reader of standard terms in any spelling, each as its bare word."""

    def read(given: Given) -> list[str]:
        words = [
            vocabulary.word(individual(vocabulary.word(each), given.names))
            for each in strings(given)
        ]
        for word in words:
            if not vocabulary.allows(word):
                raise given.wrong(
                    f"{word!r} is no {vocabulary.name} of the vocabulary", vocabulary.near(word)
                )
        return words

    return read


def one_of(*allowed: str) -> Callable[[Given], list[str]]:
    """Return a reader of strings that must be among the allowed ones."""

    def read(given: Given) -> list[str]:
        for each in strings(given):
            if each not in allowed:
                raise given.wrong(
                    f"{given.name} does not know {each!r}", f"it takes {', '.join(allowed)}"
                )
        return strings(given)

    return read


def number(given: Given) -> int | float:
    """Return one number; a list of one is allowed."""
    found = as_number(given.value[0] if _is_single(given.value) else given.value)
    if found is None:
        raise given.wrong(f"{given.name} takes a number")
    return found


def numbers(given: Given) -> list[int | float]:
    """Return numbers; an empty list is allowed and never matches."""
    found = [
        as_number(each)
        for each in (given.value if isinstance(given.value, list) else [given.value])
    ]
    if None in found:
        raise given.wrong(f"{given.name} takes numbers")
    return [each for each in found if each is not None]


def instant(given: Given) -> Instant:
    """Return one time with its zone; a list of one is allowed."""
    value = given.value[0] if _is_single(given.value) else given.value
    if not isinstance(value, str):
        raise given.wrong(f"{given.name} takes a time", "write it like 2026-01-31T08:00:00Z")
    try:
        return parse_instant(value)
    except MeaningProblem as problem:
        raise given.wrong(f"{given.name}: {problem.message}", problem.hint) from None


def flag(given: Given) -> bool:
    """Return true or false, also written as text."""
    value = (
        {"true": True, "false": False}.get(given.value, given.value)
        if isinstance(given.value, str)
        else given.value
    )
    if not isinstance(value, bool):
        raise given.wrong(f"{given.name} takes true or false")
    return value


def as_number(value: Any) -> int | float | None:
    """Return the number that a value is or writes; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and len(value) > _LONGEST_NUMBER:
        return None
    try:
        exact = Decimal(value.strip()) if isinstance(value, str) else value
    except InvalidOperation:
        return None
    return None if isinstance(exact, Decimal) and not exact.is_finite() else canonical_number(exact)


def as_instant(value: Any) -> Instant | None:
    """Return the instant that a text writes; None for any other value."""
    try:
        return parse_instant(value) if isinstance(value, str) else None
    except MeaningProblem:
        return None


def _is_single(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1
