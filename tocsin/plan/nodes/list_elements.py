"""Binding of list elements: a part binds a variable to each value of a list."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from tocsin.events.event import ENVELOPE, Event, Path
from tocsin.plan.bindings import Row, Rows
from tocsin.values.scalars import scalar_element

Elements = tuple[str, Path]
"""A variable, and the path to the values that it is bound to."""


def element_rows(elements: Elements, event: Event) -> Rows:
    """Return one row for every different scalar at the path, through lists; empty without any."""
    variable, path = elements
    inside, steps = (event.envelope, path[1:]) if path[0] == ENVELOPE else (event.attributes, path)
    rows: dict[Row, None] = dict.fromkeys(((variable, value),) for value in _scalars(inside, steps))
    return tuple(rows)


def _scalars(value: object, path: Sequence[str]) -> Iterator[Hashable]:
    if isinstance(value, list):
        for item in value:
            yield from _scalars(item, path)
    elif path:
        if isinstance(value, dict):
            yield from _scalars(value.get(path[0]), path[1:])
    elif isinstance(value, bool | int | float | str):
        yield scalar_element(value)
