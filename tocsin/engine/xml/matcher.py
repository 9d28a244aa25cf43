"""The matcher of XML blocks: an automaton gives candidates in one pass, fitting decides.

Identical blocks are one. A block whose variables could disagree, or that has conditions, is decided
by its rows. XPath expressions are compiled once and evaluated once per document. Cost grows with
the document and with the blocks whose anchor is in it, not with all blocks. The rows of a hit are
computed with it, so that a block that exceeds the limits is undecided there, and reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.index.matcher_parts import Hits, Keys, WorkCounters
from tocsin.engine.xml.automaton import SOMEWHERE, Automaton, BlockAnchor, chosen_anchor
from tocsin.engine.xml.block_rows import is_beyond, rows_of
from tocsin.engine.xml.document_fit import (
    BudgetedXPath,
    DocumentCache,
    DocumentFit,
    Expression,
    expressions_of,
)
from tocsin.engine.xml.shapes import ElementShape, ElementShapes
from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.plan.bindings import Rows
from tocsin.plan.xml.paths import may_be_empty
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.plan.xml.xml_patterns import (
    Pattern,
    PatternElement,
    SourcedPattern,
    XmlBlock,
    XPathPattern,
    paths_in,
    pattern_variables,
)
from tocsin.plan.xml.xpath.cost_bound import OverBudget


@dataclass(slots=True, eq=False)
class _BlockEntry:
    """A stored block: the shapes of its patterns (None: XPath), and its subscriptions."""

    block: XmlBlock
    shapes: tuple[ElementShape | None, ...]
    anchor: BlockAnchor | None
    by_rows: bool
    paths: int
    slots: dict[int, None] = field(default_factory=dict)


class BlockMatcher:
    """Subscriptions to XML blocks by key."""

    __slots__ = (
        "_automaton",
        "_blocks",
        "_clock",
        "_documents",
        "_entries",
        "_keys",
        "_numbers",
        "_order",
        "_paths",
        "_shapes",
        "_unanchored",
        "_uses",
        "refused",
        "undecided",
        "warned",
        "work",
    )

    def __init__(self) -> None:
        self.work = WorkCounters()
        self.undecided: list[tuple[int, str]] = []
        """Events of the last batch, and keys, that exceed their budget; they do not match."""
        self.warned: list[tuple[int, EventProblem]] = []
        self.refused: dict[int, EventProblem] = {}
        """Empty: invalid documents were refused before."""
        self._keys = Keys()
        self._shapes = ElementShapes()
        self._automaton = Automaton()
        self._numbers: dict[XmlBlock, int] = {}
        self._entries: dict[int, _BlockEntry] = {}
        self._blocks: dict[int, int] = {}
        self._order: dict[int, int] = {}
        self._unanchored: dict[int, None] = {}
        self._paths: dict[Expression, BudgetedXPath] = {}
        self._uses: Counter[Expression] = Counter()
        self._clock = 0
        self._documents = DocumentCache(self._paths, self.work)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    @property
    def distinct_blocks(self) -> int:
        """Number of distinct blocks."""
        return len(self._entries)

    def key_of(self, slot: int) -> str:
        """Return the key of a slot."""
        return self._keys.key_of(slot)

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """Return the keys of slots, one by one."""
        return self._keys.keys_of(slots)

    def add(self, key: str, atom: XmlBlock) -> None:
        """Add a subscription; raise for a known key, and change nothing then."""
        self._keys.require_new(key)
        number = self._numbers.get(atom)
        if number is None:
            number = self._enter(atom)
        slot = self._keys.add(key)
        self._blocks[slot] = number
        self._clock += 1
        self._order[slot] = self._clock
        self._entries[number].slots[slot] = None

    def remove(self, key: str) -> None:
        """Remove a subscription and all state that only it used."""
        slot = self._keys.remove(key)
        number = self._blocks.pop(slot)
        del self._order[slot]
        entry = self._entries[number]
        del entry.slots[slot]
        if not entry.slots:
            self._leave(number, entry)

    def match(self, batch: EventBatch) -> Hits:
        """Return the subscriptions that match each event."""
        self.undecided = []
        events: list[int] = []
        slots: list[int] = []
        for i in range(batch.size):
            found = self._match_one(i, batch.event(i))
            events += [i] * len(found)
            slots += found
        self.work.events += batch.size
        self.work.hits += len(slots)
        return Hits(np.array(events, np.int32), np.array(slots, np.int32))

    def rows(self, atom: XmlBlock, event: Event) -> Rows:
        """Return the rows of a known block in the document of an event; empty if undecided."""
        fitting = self._documents.fit_of(event)
        if fitting is None:
            return ()
        try:
            return self._rows(self._numbers[atom], fitting)
        except (WorkLimitExceeded, OverBudget):
            return ()

    def _match_one(self, i: int, event: Event) -> list[int]:
        fitting = self._documents.fit_of(event)
        if fitting is None:
            return []
        decided: dict[int, bool] = {}
        for number, first in self._automaton.candidates(fitting.tree):
            if not decided.get(number, False):
                self.work.candidates += 1
                decided[number] = self._decided(number, first, fitting, number in decided)
        for number in self._unanchored:
            self.work.candidates += 1
            decided[number] = self._decided(number, SOMEWHERE, fitting, again=False)
        found = [
            slot
            for number, yes in decided.items()
            if yes
            for slot in self._matching_slots(number, fitting, i)
        ]
        if not found:
            self._documents.forget(event)
        return sorted(found, key=self._order.__getitem__)

    def _decided(self, number: int, first: int, fitting: DocumentFit, again: bool) -> bool:
        """True if a block may match, given a possible image of its pattern's first element.

        A block that only its rows decide is decided by them later, once.
        """
        entry = self._entries[number]
        if entry.by_rows or is_beyond(entry.paths, fitting):
            return True
        shape = entry.shapes[0]
        assert shape is not None
        if first != SOMEWHERE:
            return fitting.fits(shape, first)
        return not again and fitting.fits_somewhere(shape)

    def _matching_slots(self, number: int, fitting: DocumentFit, index: int) -> Iterable[int]:
        """Return the subscriptions to a block if it has rows; if these exceed the limits, all are
        undecided.
        """
        slots = self._entries[number].slots
        try:
            return slots if self._rows(number, fitting) else ()
        except (WorkLimitExceeded, OverBudget):
            self.undecided += [(index, self._keys.key_of(slot)) for slot in slots]
            return ()

    def _rows(self, number: int, fitting: DocumentFit) -> Rows:
        known = fitting.rows.get(number)
        if known is None:
            entry = self._entries[number]
            known = fitting.rows[number] = rows_of(entry.block, entry.shapes, fitting)
        return known

    def _enter(self, block: XmlBlock) -> int:
        expressions = expressions_of(block)
        self._paths |= {each: _xpath_of(each) for each in expressions if each not in self._paths}
        self._uses.update(expressions)
        shapes = tuple(map(self._shape, block.patterns))
        anchor = chosen_anchor(block, self._automaton)
        self._clock += 1
        number = self._numbers[block] = self._clock
        paths = sum(map(paths_in, block.patterns))
        self._entries[number] = _BlockEntry(block, shapes, anchor, _by_rows(block), paths)
        if anchor is None:
            self._unanchored[number] = None
        else:
            self._automaton.add(anchor, number)
        return number

    def _shape(self, pattern: Pattern) -> ElementShape | None:
        if isinstance(pattern, XPathPattern):
            return None
        return self._shapes.use(pattern.pattern if isinstance(pattern, SourcedPattern) else pattern)

    def _leave(self, number: int, entry: _BlockEntry) -> None:
        del self._entries[number], self._numbers[entry.block]
        if not self._entries:
            self._documents = DocumentCache(self._paths, self.work)
        if entry.anchor is None:
            del self._unanchored[number]
        else:
            self._automaton.remove(entry.anchor, number)
        for shape in entry.shapes:
            if shape is not None:
                self._shapes.release(shape)
        for expression in expressions_of(entry.block):
            self._uses[expression] -= 1
            if not self._uses[expression]:
                del self._uses[expression], self._paths[expression]


def _xpath_of(expression: Expression) -> BudgetedXPath:
    text, namespaces, in_order = expression
    return BudgetedXPath(text, dict(namespaces), in_order=in_order)


def _by_rows(block: XmlBlock) -> bool:
    """True if only the rows decide: several patterns, conditions, or a variable in two places."""
    variables = [variable for pattern in block.patterns for variable in pattern_variables(pattern)]
    if len(block.patterns) > 1 or block.conditions or len(set(variables)) < len(variables):
        return True
    return _may_begin_above(block.patterns[0])


def _may_begin_above(pattern: Pattern) -> bool:
    """True if the first element may map above the outermost one, where nothing can be bound."""
    return not isinstance(pattern, PatternElement) or (
        pattern.path is not None and may_be_empty(pattern.path)
    )
