"""The matcher of XML blocks: an automaton offers candidates in one pass over the document, fitting decides.

Identical blocks are one. A block whose variables could disagree, or that has conditions, is decided by its rows. XPath
expressions are compiled once and evaluated once for each document. Cost grows with the document and with the blocks
whose anchor is in it, not with all blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tocsin.engine.batch import EventBatch
from tocsin.engine.blocks.anchors import chosen_anchor
from tocsin.engine.blocks.asking import Question
from tocsin.engine.blocks.automaton import Anchor, Automaton
from tocsin.engine.blocks.fitting import Expression, Fitting, expressions_of
from tocsin.engine.blocks.laid_out import LaidOut
from tocsin.engine.blocks.relations import rows_of
from tocsin.engine.blocks.shapes import Shape, Shapes
from tocsin.engine.matching.hits import Hits
from tocsin.engine.matching.keys import Keys
from tocsin.engine.matching.work import Work
from tocsin.events.event import Event
from tocsin.plan.blocks import XmlBlock, XPathPattern, pattern_variables
from tocsin.plan.rows import Rows
from tocsin.plan.xpath.work import OverBudget


@dataclass(slots=True, eq=False)
class _Entry:
    """A block as it is kept: the shapes of its patterns (None: XPath), and who wants it."""

    block: XmlBlock
    shapes: tuple[Shape | None, ...]
    anchor: Anchor | None
    by_rows: bool
    slots: dict[int, None] = field(default_factory=dict)


class BlockMatcher:
    """Subscriptions to XML blocks by key."""

    __slots__ = (
        "_automaton",
        "_blocks",
        "_clock",
        "_entries",
        "_keys",
        "_laid_out",
        "_numbers",
        "_order",
        "_paths",
        "_shapes",
        "_unanchored",
        "_uses",
        "undecided",
        "work",
    )

    def __init__(self) -> None:
        self.work = Work()
        self.undecided: list[tuple[int, str]] = []
        """Events of the last batch, and keys, for which an XPath expression is over its budget; they do not ring."""
        self._keys = Keys()
        self._shapes = Shapes()
        self._automaton = Automaton()
        self._numbers: dict[XmlBlock, int] = {}
        self._entries: dict[int, _Entry] = {}
        self._blocks: dict[int, int] = {}
        self._order: dict[int, int] = {}
        self._unanchored: dict[int, None] = {}
        self._paths: dict[Expression, Question] = {}
        self._uses: Counter[Expression] = Counter()
        self._clock = 0
        self._laid_out = LaidOut(self._paths, self.work)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    @property
    def distinct_blocks(self) -> int:
        """How many different blocks there are."""
        return len(self._entries)

    def key_of(self, slot: int) -> str:
        """The key of a slot."""
        return self._keys.key_of(slot)

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """The keys of slots, one by one."""
        return self._keys.keys_of(slots)

    def add(self, key: str, atom: XmlBlock) -> None:
        """Adds a subscription; a key that is there is refused and nothing changes."""
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
        """Removes a subscription and all that only it held."""
        slot = self._keys.remove(key)
        number = self._blocks.pop(slot)
        del self._order[slot]
        entry = self._entries[number]
        del entry.slots[slot]
        if not entry.slots:
            self._leave(number, entry)

    def match(self, batch: EventBatch) -> Hits:
        """Which subscriptions ring for which events."""
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
        """The rows of a block that was added, in the document of an event; none where that is not decided."""
        fitting = self._laid_out.fitting(event)
        if fitting is None:
            return ()
        entry = self._entries[self._numbers[atom]]
        try:
            return rows_of(entry.block, entry.shapes, fitting)
        except OverBudget:
            return ()

    def _match_one(self, i: int, event: Event) -> list[int]:
        fitting = self._laid_out.fitting(event)
        if fitting is None:
            return []
        decided: dict[int, bool] = {}
        given_up: set[int] = set()
        for number, first in self._automaton.candidates(fitting.tree):
            if not decided.get(number, False):
                self.work.candidates += 1
                try:
                    decided[number] = self._decided(self._entries[number], first, fitting, number in decided)
                except OverBudget:
                    decided[number] = False
                    given_up.add(number)
        for number in self._unanchored:
            self.work.candidates += 1
            try:
                entry = self._entries[number]
                decided[number] = bool(rows_of(entry.block, entry.shapes, fitting))
            except OverBudget:
                given_up.add(number)
        self._give_up(i, given_up)
        found = [slot for number, yes in decided.items() if yes for slot in self._entries[number].slots]
        if not found:
            self._laid_out.forget(event)
        return sorted(found, key=self._order.__getitem__)

    def _give_up(self, i: int, numbers: Iterable[int]) -> None:
        slots = [slot for number in numbers for slot in self._entries[number].slots]
        self.undecided += [(i, self._keys.key_of(slot)) for slot in sorted(slots, key=self._order.__getitem__)]

    def _decided(self, entry: _Entry, first: int, fitting: Fitting, again: bool) -> bool:
        """Whether a block matches, given an element that its pattern's first element may be mapped to."""
        if entry.by_rows:
            return not again and bool(rows_of(entry.block, entry.shapes, fitting))
        shape = entry.shapes[0]
        assert shape is not None
        return fitting.fits(shape, first)

    def _enter(self, block: XmlBlock) -> int:
        expressions = expressions_of(block)
        self._paths |= {each: _question(each) for each in expressions if each not in self._paths}
        self._uses.update(expressions)
        shapes = tuple(None if isinstance(each, XPathPattern) else self._shapes.use(each) for each in block.patterns)
        anchor = chosen_anchor(block, self._automaton)
        self._clock += 1
        number = self._numbers[block] = self._clock
        self._entries[number] = _Entry(block, shapes, anchor, _by_rows(block))
        if anchor is None:
            self._unanchored[number] = None
        else:
            self._automaton.add(anchor, number)
        return number

    def _leave(self, number: int, entry: _Entry) -> None:
        del self._entries[number], self._numbers[entry.block]
        if not self._entries:
            self._laid_out = LaidOut(self._paths, self.work)
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


def _question(expression: Expression) -> Question:
    text, namespaces, in_order = expression
    return Question(text, dict(namespaces), in_order=in_order)


def _by_rows(block: XmlBlock) -> bool:
    """Whether only the rows can tell: several patterns, conditions, or a variable that stands in two places."""
    variables = [variable for pattern in block.patterns for variable in pattern_variables(pattern)]
    return len(block.patterns) > 1 or bool(block.conditions) or len(set(variables)) < len(variables)
