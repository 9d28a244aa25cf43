"""The shared automaton over element paths: blocks with a common prefix share states, as in YFilter.

A path leads from the first element of a pattern to one of its elements, the anchor; a wildcard step
takes any name, and a regular path, with an automaton of its own, any number of elements. An anchor
may have a test: a text or an attribute's value, looked up, never scanned. A block has the anchor
that the fewest blocks share. The sets of states that documents really reach are created when first
reached and kept until a state is added or removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tocsin.engine.xml.document_tree import DocumentTree
from tocsin.engine.xml.path_automaton import START, PathAutomaton
from tocsin.events.views.document import attributes_in
from tocsin.plan.xml.paths import RegularPath
from tocsin.plan.xml.xml_patterns import PatternElement, XmlBlock

Path: TypeAlias = tuple[str | RegularPath | None, ...]
Test: TypeAlias = tuple[str, str] | str | None
"""An attribute with its value, a text, or None."""

Posting: TypeAlias = dict[int, None]
"""Numbers of blocks in insertion order."""

MAX_STEPS = 100_000
"""Most cached steps between sets of states: documents can have any names."""


@dataclass(frozen=True, slots=True)
class BlockAnchor:
    """A path from a pattern's first element, and a test of the element at its end."""

    path: Path
    test: Test


SOMEWHERE = -1
"""Stands for an unknown element: the number of levels up to the pattern's first element is not
fixed.
"""


class AutomatonState:
    """A state: further steps by name or path, and the blocks anchored here by their tests.

    Behind a regular path the number of levels up to the first element is not fixed: `depth` is
    None.
    """

    __slots__ = ("attributes", "depth", "next", "paths", "plain", "texts")

    def __init__(self, depth: int | None) -> None:
        self.depth = depth
        self.next: dict[str | None, AutomatonState] = {}
        self.paths: dict[RegularPath, _Way] = {}
        self.plain: Posting = {}
        self.texts: dict[str, Posting] = {}
        self.attributes: dict[str, dict[str, Posting]] = {}

    @property
    def anchors(self) -> bool:
        """True if any block is anchored here."""
        return bool(self.plain or self.texts or self.attributes)

    @property
    def is_needed(self) -> bool:
        """True if a block is anchored here or further on."""
        return self.anchors or bool(self.next or self.paths)

    def after(self, step: str | RegularPath | None) -> AutomatonState | None:
        """Return the state behind a step; None if it does not exist."""
        if isinstance(step, str | None):
            return self.next.get(step)
        way = self.paths.get(step)
        return None if way is None else way.end

    def begin(self, step: str | RegularPath | None) -> AutomatonState:
        """Create a state behind a step."""
        if isinstance(step, str | None):
            state = self.next[step] = AutomatonState(None if self.depth is None else self.depth + 1)
        else:
            state = AutomatonState(None)
            self.paths[step] = _Way(PathAutomaton(step), state)
        return state

    def drop(self, step: str | RegularPath | None) -> None:
        """Remove the state behind a step."""
        if isinstance(step, str | None):
            del self.next[step]
        else:
            del self.paths[step]

    def posting(self, test: Test) -> Posting | None:
        """Return the blocks anchored here with a test; None without any."""
        if test is None:
            return self.plain
        if isinstance(test, str):
            return self.texts.get(test)
        return self.attributes.get(test[0], {}).get(test[1])

    def add(self, test: Test, block: int) -> None:
        """Add a block."""
        if test is None:
            self.plain[block] = None
        elif isinstance(test, str):
            self.texts.setdefault(test, {})[block] = None
        else:
            self.attributes.setdefault(test[0], {}).setdefault(test[1], {})[block] = None

    def remove(self, test: Test, block: int) -> None:
        """Remove a block, with the tables that only it needed."""
        if test is None:
            del self.plain[block]
        elif isinstance(test, str):
            _drop(self.texts, test, block)
        else:
            _drop(self.attributes[test[0]], test[1], block)
            if not self.attributes[test[0]]:
                del self.attributes[test[0]]


@dataclass(slots=True, eq=False)
class _Way:
    """A regular path out of a state, and the state at its end."""

    automaton: PathAutomaton
    end: AutomatonState


class Reached:
    """A set of states that some element of a document is in; `anchored` are those with blocks.

    `under_way` are the paths that the element lies on, each with the states of its automaton.
    """

    __slots__ = ("anchored", "next", "states", "under_way")

    def __init__(
        self, states: tuple[AutomatonState, ...], under_way: tuple[tuple[_Way, int], ...] = ()
    ) -> None:
        self.states = states
        self.under_way = under_way
        self.anchored = tuple(state for state in states if state.anchors)
        self.next: dict[str, Reached] = {}


class Automaton:
    """Anchors of blocks, by number."""

    __slots__ = ("_begun", "_first", "_reached", "_start", "_steps")

    def __init__(self) -> None:
        self._start = AutomatonState(-1)
        self._begun: tuple[AutomatonState, ...] | None = None
        self._forget_reached()

    def __len__(self) -> int:
        """Return the number of states."""
        return sum(1 for _ in _states(self._start)) - 1

    def size(self, anchor: BlockAnchor) -> int:
        """Return the number of blocks that have the anchor."""
        state: AutomatonState | None = self._start
        for step in anchor.path:
            state = None if state is None else state.after(step)
        posting = None if state is None else state.posting(anchor.test)
        return 0 if posting is None else len(posting)

    def add(self, anchor: BlockAnchor, block: int) -> None:
        """Anchor a block; states shared with others stay as they are."""
        state = self._start
        for step in anchor.path:
            known = state.after(step)
            if known is None:
                known = state.begin(step)
                self._forget_reached()
            state = known
        if not state.anchors:
            self._forget_reached()
        state.add(anchor.test, block)

    def remove(self, anchor: BlockAnchor, block: int) -> None:
        """Remove a block, with the states that only it needed."""
        way = [self._start]
        for step in anchor.path:
            state = way[-1].after(step)
            assert state is not None
            way.append(state)
        way[-1].remove(anchor.test, block)
        if not way[-1].anchors:
            self._forget_reached()
        for before, after, step in zip(way[-2::-1], way[:0:-1], reversed(anchor.path), strict=True):
            if after.is_needed:
                break
            before.drop(step)
            self._forget_reached()

    def candidates(self, tree: DocumentTree) -> Iterator[tuple[int, int]]:
        """Yield blocks with a matching anchor, each with the image of its pattern's first element.

        SOMEWHERE instead of the image if a path leaves it open.
        """
        at: list[Reached] = [self._first] * (max(tree.levels) + 1)
        for i, (name, level) in enumerate(zip(tree.names, tree.levels, strict=True)):
            before = at[level - 1]
            here = at[level] = before.next.get(name) or self._step(before, name)
            for state in here.anchored:
                for posting in _postings(state, tree, i):
                    first = SOMEWHERE if state.depth is None else tree.ancestor(i, state.depth)
                    for block in posting:
                        yield block, first

    def _step(self, before: Reached, name: str) -> Reached:
        """Return the states of an element with a name, given those of its parent.

        A pattern may begin at any element.
        """
        if self._begun is None:
            self._begun = tuple(_with_ends([self._start]))
        begun = self._begun
        # without the start state: these are reached by paths of no steps
        states = list(begun[1:])
        under_way = {way: way.automaton.move(at, name) for way, at in before.under_way}
        for state in (*begun, *before.states):
            states += [
                after for step in (name, None) if (after := state.next.get(step)) is not None
            ]
            for way in state.paths.values():
                under_way[way] = under_way.get(way, 0) | way.automaton.move(START, name)
        states += [way.end for way, at in under_way.items() if at & way.automaton.accepting]
        if self._steps >= MAX_STEPS:
            self._forget_reached()
        self._steps += 1
        here = before.next[name] = self._kept(
            _with_ends(states), {way: at for way, at in under_way.items() if at}
        )
        return here

    def _kept(self, states: Iterable[AutomatonState], under_way: Mapping[_Way, int]) -> Reached:
        """Return the set of these states, one shared instance."""
        once = tuple(dict.fromkeys(states))
        key = (*map(id, once), *((id(way), at) for way, at in under_way.items()))
        found = self._reached.get(key)
        if found is None:
            found = self._reached[key] = Reached(once, tuple(under_way.items()))
        return found

    def _forget_reached(self) -> None:
        self._first = Reached(())
        self._begun = None
        self._reached: dict[tuple[object, ...], Reached] = {}
        self._steps = 0


def _with_ends(states: Iterable[AutomatonState]) -> Iterator[AutomatonState]:
    """Yield the states, each with those at the ends of its outgoing paths that may be empty."""
    for state in states:
        yield state
        yield from _with_ends(
            way.end for way in state.paths.values() if way.automaton.takes_no_steps
        )


def _postings(state: AutomatonState, tree: DocumentTree, i: int) -> list[Posting]:
    """Return the blocks whose test the element passes.

    A list and not a generator, because it is called for every element and state.
    """
    found = [state.plain] if state.plain else []
    if state.texts:
        posting = state.texts.get(tree.text(i))
        if posting is not None:
            found.append(posting)
    if state.attributes:
        for name, value in attributes_in(tree.element(i)):
            posting = state.attributes.get(name, {}).get(value)
            if posting is not None:
                found.append(posting)
    return found


def _drop(table: dict[str, Posting], value: str, block: int) -> None:
    del table[value][block]
    if not table[value]:
        del table[value]


def _states(state: AutomatonState) -> Iterator[AutomatonState]:
    yield state
    for after in (*state.next.values(), *(way.end for way in state.paths.values())):
        yield from _states(after)


def chosen_anchor(block: XmlBlock, automaton: Automaton) -> BlockAnchor | None:
    """Return the anchor for a block; None if it has no pattern over the event's elements."""
    anchors = (
        anchor
        for pattern in block.patterns
        if isinstance(pattern, PatternElement)
        for anchor in anchors_of(pattern, (pattern.path or pattern.name,))
    )
    return min(
        anchors,
        key=lambda each: (each.test is None, automaton.size(each), -len(each.path)),
        default=None,
    )


def anchors_of(pattern: PatternElement, path: Path) -> Iterator[BlockAnchor]:
    """Yield all anchors of a pattern whose first element the path leads to."""
    yield BlockAnchor(path, None)
    if pattern.text is not None:
        yield BlockAnchor(path, pattern.text)
    for test in pattern.attributes:
        if test.name is not None and test.value is not None:
            yield BlockAnchor(path, (test.name, test.value))
    for child in pattern.children:
        yield from anchors_of(child, (*path, *(None,) * (child.rel - 1), child.path or child.name))
