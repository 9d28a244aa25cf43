"""Comparison of values: attributes, texts and patterns, XML variables. Kinds never mix."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from tocsin.events.event import Event
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import ENVELOPE, Path

_DIGITS = frozenset("0123456789.+-")


def sort_of(value: Any) -> str:
    """Return the sort of an attribute's value: `nothing`, `truth`, `number`, `text` or `other`."""
    if value is None:
        return "nothing"
    if value is True or value is False:
        return "truth"
    if type(value) in (int, float):
        return "number"
    return "text" if type(value) is str else "other"


def as_key(value: Any) -> Hashable:
    """Return a scalar as a key that appears in matches.

    A truth value is separate, since TRUE is not 1, and a whole number has one form, since 1.0 is 1.
    """
    if value is True or value is False:
        return (value,)
    if type(value) is float and value.is_integer():
        return int(value)
    found: Hashable = value
    return found


def scalars_at(event: Event, path: Path) -> list[Hashable]:
    """Return the scalars at a path as keys, through lists of any depth."""
    found: list[Any] = [event.envelope if path[0] == ENVELOPE else event.attributes]
    for step in path[1:] if path[0] == ENVELOPE else path:
        found = [each[step] for each in _items(found) if isinstance(each, dict) and step in each]
    scalars = [each for each in _items(found) if sort_of(each) not in ("nothing", "other")]
    return [as_key(each) for each in scalars]


def _items(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from _items(value)
        else:
            yield value


def compare_scalars(left: Any, relation: str, right: Any) -> bool:
    """True if the relation holds between two scalars of one sort; only numbers have an order."""
    sort = sort_of(left)
    if sort != sort_of(right) or sort in ("nothing", "other"):
        return False
    if relation in ("=", "<>"):
        return (left == right) is (relation == "=")
    return sort == "number" and is_ordered(left, relation, right)


def is_ordered(left: Any, relation: str, right: Any) -> bool:
    """True if `left` stands in `<`, `<=`, `>` or `>=` to `right`; their sort must have an order."""
    match relation:
        case "<":
            return bool(left < right)
        case ">":
            return bool(right < left)
        case "<=":
            return not right < left
        case ">=":
            return not left < right
        case _:
            raise AssertionError(f"{relation} is no order")


def is_like(text: str, pattern: LikePattern) -> bool:
    """True if the whole text fits a LIKE pattern.

    Tracks the positions that prefixes of the pattern can reach, token by token.
    """
    reached = {0}
    for token in pattern.tokens:
        match token:
            case Wild.ANY_RUN:
                reached = set(range(min(reached), len(text) + 1)) if reached else set()
            case Wild.ANY_ONE:
                reached = {at + 1 for at in reached if at < len(text)}
            case _:
                reached = {at + len(token) for at in reached if text[at : at + len(token)] == token}
    return len(text) in reached


def bound_scalar(rows: Sequence[Mapping[str, Any]], variable: str) -> Any:
    """Return the value that all rows bind to a variable; None if they differ.

    A number in a document's text becomes a number.
    """
    found = [row.get(variable) for row in rows]
    if not found or any(each != found[0] for each in found):
        return None
    number = written_number(found[0]) if variable.startswith("$") else None
    if number is None:
        return found[0]
    return int(number) if number % 1 == 0 else float(number)


def written_number(value: object) -> Decimal | None:
    """Return a decimal number without exponent, surrounding white space allowed; None if it is not
    one.
    """
    text = value.strip(" \t\r\n") if isinstance(value, str) else ""
    if not text or not set(text) <= _DIGITS:
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
