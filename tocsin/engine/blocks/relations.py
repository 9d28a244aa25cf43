"""The rows of a block in one document, element by element from the inside: each way to fit it, seen as a row, once.

For a row the first mapping in document order is also the one that leaves most room for the next sibling, so it is
enough to keep for each row where that mapping ends. Rows are joined by the values that they share.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice

from tocsin.engine.blocks.fitting import Fitting
from tocsin.engine.blocks.shapes import Shape
from tocsin.plan.blocks import (
    MAX_ROWS,
    PatternElement,
    XmlBlock,
    XPathPattern,
    bound_value,
    meets_condition,
    pattern_variables,
    text_value,
)
from tocsin.plan.rows import NOTHING_BOUND, Row, Rows

_Placed = tuple[Row, int, int]
"""A row, and where the element that gives it starts and ends."""


def rows_of(block: XmlBlock, shapes: Sequence[Shape | None], fitting: Fitting) -> Rows:
    """The rows of the block; `shapes` are those of its patterns, None for an XPath expression."""
    found: Sequence[Row] = NOTHING_BOUND
    for pattern, shape in zip(block.patterns, shapes, strict=True):
        if isinstance(pattern, XPathPattern):
            new = _selected(pattern, fitting)
        else:
            assert shape is not None
            new = _anywhere(pattern, shape, fitting)
        joined = _extended([(row, 0) for row in found], [(row, 0, 0) for row in new])
        found = [row for row, _ in joined]
    return tuple(row for row in found if all(meets_condition(condition, row) for condition in block.conditions))


def _selected(pattern: XPathPattern, fitting: Fitting) -> list[Row]:
    selected = fitting.selected(pattern)
    if isinstance(selected, bool):
        return [()] if selected and not pattern.bindings else []
    rows = (_row((each.variable, bound_value(each.what, node)) for each in pattern.bindings) for node in selected)
    return list(islice(dict.fromkeys(row for row in rows if row is not None), MAX_ROWS))


def _anywhere(pattern: PatternElement, shape: Shape, fitting: Fitting) -> list[Row]:
    if not _binds(pattern):
        return [()] if fitting.fits_somewhere(shape) else []
    rows = (row for i in fitting.anywhere(shape) for row in _rows_at(pattern, shape, i, fitting))
    return list(islice(_once(rows), MAX_ROWS))


def _rows_at(pattern: PatternElement, shape: Shape, i: int, fitting: Fitting) -> list[Row]:
    """The rows of the mappings that send the pattern's first element to element i."""
    if not fitting.fits(shape, i):
        return []
    own = _own_row(pattern, i, fitting)
    if own is None:
        return []
    states: list[tuple[Row, int]] = [(own, i + 1)]
    for child, (rel, child_shape) in zip(pattern.children, shape.children, strict=True):
        places = list(fitting.below(i, rel, child_shape, i + 1))
        placed = [
            (row, place, fitting.tree.ends[place])
            for place in places
            for row in (_rows_at(child, child_shape, place, fitting) if _binds(child) else NOTHING_BOUND)
        ]
        states = _extended(states, placed)
    return [row for row, _ in states]


def _own_row(pattern: PatternElement, i: int, fitting: Fitting) -> Row | None:
    tests = [test for test in pattern.attributes if test.variable is not None]
    if not pattern.bindings and not tests:
        return ()
    element = fitting.tree.element(i)
    bound = [(each.variable, bound_value(each.what, element)) for each in pattern.bindings]
    return _row([*bound, *((str(test.variable), text_value(str(element.get(test.name)))) for test in tests)])


def _extended(states: Sequence[tuple[Row, int]], placed: Sequence[_Placed]) -> list[tuple[Row, int]]:
    """Each state with each row that starts where it ends or later and agrees with it; a row once, its first place."""
    if not states or not placed:
        return []
    new = {name for name, _ in placed[0][0]}
    shared = [name for name, _ in states[0][0] if name in new]
    groups = _grouped(placed, shared)
    found: dict[Row, int] = {}
    for row, end in states:
        values = dict(row)
        for other, start, stop in groups.get(tuple(values[name] for name in shared), ()):
            if start >= end:
                found.setdefault(tuple(sorted({**values, **dict(other)}.items())) if other else row, stop)
                if len(found) >= MAX_ROWS:
                    return list(found.items())
                if not other:
                    break
    return list(found.items())


def _grouped(placed: Sequence[_Placed], shared: Sequence[str]) -> dict[tuple[Hashable, ...], list[_Placed]]:
    groups: dict[tuple[Hashable, ...], list[_Placed]] = {}
    for each in placed:
        values = dict(each[0])
        groups.setdefault(tuple(values[name] for name in shared), []).append(each)
    return groups


def _row(bound: Iterable[tuple[str, Hashable]]) -> Row | None:
    """The row of what is bound; None where a variable has two values."""
    values: dict[str, Hashable] = {}
    for variable, value in bound:
        if values.setdefault(variable, value) != value:
            return None
    return tuple(sorted(values.items(), key=lambda each: each[0]))


def _once(rows: Iterable[Row]) -> Iterator[Row]:
    seen: set[Row] = set()
    for row in rows:
        if row not in seen:
            seen.add(row)
            yield row


def _binds(pattern: PatternElement) -> bool:
    return next(pattern_variables(pattern), None) is not None
