"""The rows of a block in one document, built element by element from the inside; each row once.

A row is kept with the end of its mapping, because a sibling must come after that. On one level the
first mapping of a row is also the first to end; if a path leads to several levels, a later mapping
is kept, too, if it ends earlier. Rows are joined by their shared values. Work is counted, and a
block that exceeds the limit is aborted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from math import prod
from typing import assert_never

from tocsin.engine.index.matcher_parts import WorkCounters
from tocsin.engine.xml.document_fit import DocumentFit
from tocsin.engine.xml.document_tree import ABOVE
from tocsin.engine.xml.shapes import ElementShape, ElementShapes
from tocsin.events.views.document import attributes_in, parse_xml
from tocsin.plan.bindings import NOTHING_BOUND, Row, Rows
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded, meets_condition
from tocsin.plan.xml.xml_patterns import (
    MAX_ROWS,
    AttributeTest,
    BoundTo,
    InDocument,
    InEvent,
    InVariable,
    Pattern,
    PatternElement,
    XmlBlock,
    XPathPattern,
    bound_value,
    local_name,
    paths_in,
    pattern_variables,
    text_value,
)

LIMIT = 200_000
"""Most steps of one block in one document, each about a microsecond of work.

Counted are rows that are combined, conditions tested on rows, what is copied into values, and
elements that paths may pass.
"""

_PASSED_IN_A_STEP = 3
"""So many elements that a path passes are one step."""

_PARSING = 30
"""The steps of laying out a small value, so that patterns can look inside of it."""

_PARSED_IN_A_STEP = 10
"""So many characters of a large value are laid out in one step."""

_COPYING = 5
"""The steps of copying an element into a value."""

DOCUMENTS = 32
"""Most cached results of patterns in fixed documents."""

_Placed = tuple[Row, int, int]
"""A row, and start and end of its element.

An element reached by a path of no steps has no position among its siblings, and ends before all of
them.
"""

_NOWHERE = -1


class StepBudget:
    """Remaining steps."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = LIMIT

    def spend(self, steps: int) -> None:
        """Subtract steps; raise GivenUp if fewer are left."""
        self._left -= steps
        if self._left < 0:
            raise WorkLimitExceeded(f"it takes more than {LIMIT:,} steps")


def rows_of(block: XmlBlock, shapes: Sequence[ElementShape | None], fitting: DocumentFit) -> Rows:
    """Return the rows of the block; `shapes` are those of its patterns, None for an XPath
    expression.
    """
    steps, known = StepBudget(), RowCache()
    found: Sequence[Row] = NOTHING_BOUND
    for pattern, shape in zip(block.patterns, shapes, strict=True):
        found = join_pattern_rows(found, pattern, shape, fitting, steps, known)
    return tuple(
        row
        for row in found
        if all(meets_condition(condition, row, steps.spend) for condition in block.conditions)
    )


class RowCache:
    """The rows of patterns in one document and inside of values, each computed once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[int, Hashable], list[Row]] = {}

    def rows(
        self,
        pattern: PatternElement,
        shape: ElementShape,
        fitting: DocumentFit,
        steps: StepBudget,
        inside: Hashable = None,
    ) -> list[Row]:
        """Return the rows of a pattern, in the document or inside of a value."""
        key = (id(pattern), inside)
        if key not in self._known:
            if isinstance(inside, tuple):
                steps.spend(_PARSING + len(inside[0]) // _PARSED_IN_A_STEP)
            where = fitting if inside is None else fitting.inside(inside)
            self._known[key] = rows_anywhere(pattern, shape, where, steps)
        return self._known[key]


def join_pattern_rows(
    found: Sequence[Row],
    pattern: Pattern,
    shape: ElementShape | None,
    fitting: DocumentFit,
    steps: StepBudget,
    known: RowCache,
) -> Sequence[Row]:
    """Join the current rows with those of one more pattern."""
    if isinstance(pattern, XPathPattern):
        return _together(found, _selected(pattern, fitting), steps)
    assert shape is not None
    if isinstance(pattern, PatternElement):
        return _together(found, known.rows(pattern, shape, fitting, steps), steps)
    inner = pattern.pattern
    match pattern.source:
        case InDocument(_, text):
            return _together(found, _rows_in_document(inner, text), steps)
        case InEvent():
            return _together(found, known.rows(inner, shape, fitting, steps), steps)
        case InVariable(variable):
            together: dict[Row, None] = {}
            for row in found:
                new = known.rows(inner, shape, fitting, steps, dict(row)[variable])
                together |= dict.fromkeys(_together((row,), new, steps))
            return list(islice(together, MAX_ROWS))
        case _:
            assert_never(pattern.source)


def is_beyond(paths: int, fitting: DocumentFit) -> bool:
    """True if `paths` elements with paths take too many steps in a document."""
    return paths > 0 and _cost_of(paths, fitting) > LIMIT


def _cost_of(paths: int, fitting: DocumentFit) -> int:
    """Return the steps of elements with paths, as if each path were followed from every element
    down.
    """
    return paths * fitting.tree.reach() // _PASSED_IN_A_STEP


def rows_anywhere(
    pattern: PatternElement, shape: ElementShape, fitting: DocumentFit, steps: StepBudget
) -> list[Row]:
    """Return the rows of a pattern whose first element may be mapped to any element."""
    paths = paths_in(pattern)
    if paths:
        steps.spend(_cost_of(paths, fitting))
    if not _binds(pattern):
        return [()] if fitting.fits_somewhere(shape) else []
    relation = _Relation(fitting, steps, crossing=paths > 0)
    rows = (row for i in fitting.anywhere(shape) for row in relation.rows_at(pattern, shape, i))
    return list(islice(_once(rows), MAX_ROWS))


@lru_cache(maxsize=DOCUMENTS)
def _rows_in_document(pattern: PatternElement, text: str) -> list[Row]:
    """Return the rows of a pattern in a fixed document."""
    fitting = DocumentFit((parse_xml(text),), {}, WorkCounters())
    return rows_anywhere(pattern, ElementShapes().use(pattern), fitting, StepBudget())


def _selected(pattern: XPathPattern, fitting: DocumentFit) -> list[Row]:
    selected = fitting.selected(pattern)
    if isinstance(selected, bool):
        return [()] if selected and not pattern.bindings else []
    rows = (
        _row((each.variable, bound_value(each.what, node)) for each in pattern.bindings)
        for node in selected
    )
    return list(islice(dict.fromkeys(row for row in rows if row is not None), MAX_ROWS))


class _Relation:
    """The rows of the elements of one pattern in one document; cached if paths may cross."""

    __slots__ = ("_crossing", "_fitting", "_known", "_steps")

    def __init__(self, fitting: DocumentFit, steps: StepBudget, *, crossing: bool) -> None:
        self._fitting = fitting
        self._steps = steps
        self._crossing = crossing
        self._known: dict[tuple[int, int], list[Row]] = {}

    def rows_at(self, pattern: PatternElement, shape: ElementShape, i: int) -> Iterable[Row]:
        """Return the rows of the mappings that send the pattern's first element to element i, or
        above.
        """
        if not self._crossing:
            return self._rows_at(pattern, shape, i)
        key = (id(pattern), i)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = list(self._rows_at(pattern, shape, i))
        return known

    def _rows_at(self, pattern: PatternElement, shape: ElementShape, i: int) -> Iterable[Row]:
        self._steps.spend(1)
        if not self._fitting.fits(shape, i):
            return ()
        states = [(own, i + 1) for own in _own_rows(pattern, i, self._fitting, self._steps)]
        for child, (rel, child_shape) in zip(pattern.children, shape.children, strict=True):
            states = _extended(states, self._placed(child, rel, child_shape, i), self._steps)
        return dict.fromkeys(row for row, _ in states)

    def _placed(
        self, child: PatternElement, rel: int, shape: ElementShape, i: int
    ) -> list[_Placed]:
        """Return the rows of a child at each place below element i, in document order."""
        ends, binds = self._fitting.tree.ends, _binds(child)
        return [
            (row, place, ends[place]) if place != i else (row, _NOWHERE, _NOWHERE)
            for place in self._fitting.below(i, rel, shape, i + 1)
            for row in (self.rows_at(child, shape, place) if binds else NOTHING_BOUND)
        ]


def _own_rows(
    pattern: PatternElement, i: int, fitting: DocumentFit, steps: StepBudget
) -> Sequence[Row]:
    """Return the rows of the element itself.

    If a variable takes the names of attributes, one row per attribute; one for each choice of
    them if several variables do.
    """
    tests = [
        test
        for test in pattern.attributes
        if test.variable is not None or test.name_variable is not None
    ]
    if not pattern.bindings and not tests:
        return NOTHING_BOUND
    if i == ABOVE:
        return ()
    element = fitting.tree.element(i)
    for each in pattern.bindings:
        if each.what is not BoundTo.NAME:
            steps.spend(_COPYING * (fitting.tree.end(i) - i))
    bound = [(each.variable, bound_value(each.what, element)) for each in pattern.bindings]
    given = [_attributes(test, attributes_in(element)) for test in tests]
    steps.spend(prod(map(len, given)))
    rows = (
        _row([*bound, *(pair for pairs in chosen for pair in pairs)]) for chosen in product(*given)
    )
    return list(dict.fromkeys(row for row in rows if row is not None))


def _attributes(
    test: AttributeTest, given: Iterable[tuple[object, object]]
) -> list[list[tuple[str, Hashable]]]:
    """Return the bindings of each attribute that passes the test."""
    found = []
    for name, value in given:
        if test.name in (None, name) and test.value in (None, value):
            pairs: list[tuple[str, Hashable]] = []
            if test.name_variable is not None:
                pairs.append((test.name_variable, local_name(name)))
            if test.variable is not None:
                pairs.append((test.variable, text_value(str(value))))
            found.append(pairs)
    return found


def _together(found: Sequence[Row], new: Sequence[Row], steps: StepBudget) -> Sequence[Row]:
    """Return the joins of rows that agree on their common variables, ordered by the first."""
    if not found or not new:
        return []
    joined = _extended([(row, 0) for row in found], [(row, 0, 0) for row in new], steps)
    return list(dict.fromkeys(row for row, _ in joined))


def _extended(
    states: Sequence[tuple[Row, int]], placed: Sequence[_Placed], steps: StepBudget
) -> list[tuple[Row, int]]:
    """Join each state with each row that starts where it ends or later, and agrees with it.

    A row is kept with its first mapping, and again with those that end before all of its earlier
    ones.
    """
    if not states or not placed:
        return []
    new = {name for name, _ in placed[0][0]}
    shared = [name for name, _ in states[0][0] if name in new]
    steps.spend(len(placed))
    groups = _grouped(placed, shared)
    found: list[tuple[Row, int]] = []
    ends: dict[Row, int] = {}
    for row, end in states:
        values = dict(row)
        group = groups.get(tuple(values[name] for name in shared))
        for other, stop in group.behind(end) if group else ():
            steps.spend(1)
            whole = tuple(sorted({**values, **dict(other)}.items())) if other else row
            if whole not in ends or stop < ends[whole]:
                ends[whole] = stop
                found.append((whole, stop))
                if len(ends) >= MAX_ROWS:
                    return found
    return found


class _RowGroup:
    """Placed rows with the same values of the shared variables, in document order."""

    __slots__ = ("_nested", "_nowhere", "_rows", "_starts")

    def __init__(self) -> None:
        self._nowhere: list[Row] = []
        self._starts: list[int] = []
        self._rows: list[tuple[Row, int]] = []
        self._nested = False

    def add(self, row: Row, start: int, stop: int) -> None:
        """Add a row of an element behind the others or inside of the last."""
        if start == _NOWHERE:
            self._nowhere.append(row)
            return
        self._nested = self._nested or bool(self._rows and start < self._rows[-1][1])
        self._starts.append(start)
        self._rows.append((row, stop))

    def behind(self, end: int) -> Iterator[tuple[Row, int]]:
        """Yield the rows that start there or later, with the end of each.

        If elements are not nested, one row without bindings is enough: the first.
        """
        yield from ((row, end) for row in self._nowhere)
        for at in range(bisect_left(self._starts, end), len(self._rows)):
            row, stop = self._rows[at]
            yield row, stop
            if not row and not self._nested:
                return


def _grouped(
    placed: Sequence[_Placed], shared: Sequence[str]
) -> dict[tuple[Hashable, ...], _RowGroup]:
    groups: dict[tuple[Hashable, ...], _RowGroup] = {}
    for row, start, stop in placed:
        values = dict(row)
        groups.setdefault(tuple(values[name] for name in shared), _RowGroup()).add(row, start, stop)
    return groups


def _row(bound: Iterable[tuple[str, Hashable]]) -> Row | None:
    """Return the row of bindings; None if a variable has two values."""
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
