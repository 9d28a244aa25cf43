"""The shared automaton over element paths: blocks that begin alike share their states, as in YFilter.

A path leads from the first element of a pattern to one of its elements, the anchor; a wildcard step takes any name. At
the anchor hangs what else it must have: nothing, a text or an attribute's value, each looked up, never scanned. The
sets of states that documents really reach are made when first reached and kept until a state comes or goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tocsin.engine.blocks.tree import Tree

Path: TypeAlias = tuple[str | None, ...]
Test: TypeAlias = tuple[str, str] | str | None
"""An attribute with its value, a text, or nothing."""

Posting: TypeAlias = dict[int, None]
"""Numbers of blocks in the order of their coming."""

MAX_STEPS = 100_000
"""So many steps between sets of states are kept at most: documents can have any names."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A path from a pattern's first element, and a test of the element at its end."""

    path: Path
    test: Test


class State:
    """What is known after some steps: further steps by name, and the blocks anchored here by their tests."""

    __slots__ = ("attributes", "depth", "next", "plain", "texts")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.next: dict[str | None, State] = {}
        self.plain: Posting = {}
        self.texts: dict[str, Posting] = {}
        self.attributes: dict[str, dict[str, Posting]] = {}

    @property
    def anchors(self) -> bool:
        """Whether any block is anchored here."""
        return bool(self.plain or self.texts or self.attributes)

    def posting(self, test: Test) -> Posting | None:
        """The blocks anchored here with a test."""
        if test is None:
            return self.plain
        if isinstance(test, str):
            return self.texts.get(test)
        return self.attributes.get(test[0], {}).get(test[1])

    def add(self, test: Test, block: int) -> None:
        """One more block."""
        if test is None:
            self.plain[block] = None
        elif isinstance(test, str):
            self.texts.setdefault(test, {})[block] = None
        else:
            self.attributes.setdefault(test[0], {}).setdefault(test[1], {})[block] = None

    def remove(self, test: Test, block: int) -> None:
        """One block less, with the tables that only it needed."""
        if test is None:
            del self.plain[block]
        elif isinstance(test, str):
            _drop(self.texts, test, block)
        else:
            _drop(self.attributes[test[0]], test[1], block)
            if not self.attributes[test[0]]:
                del self.attributes[test[0]]


class Reached:
    """A set of states that some element of a document is in; `anchored` are those where blocks hang."""

    __slots__ = ("anchored", "next", "states")

    def __init__(self, states: tuple[State, ...]) -> None:
        self.states = states
        self.anchored = tuple(state for state in states if state.anchors)
        self.next: dict[str, Reached] = {}


class Automaton:
    """Anchors of blocks, by number."""

    __slots__ = ("_first", "_reached", "_start", "_steps")

    def __init__(self) -> None:
        self._start = State(-1)
        self._forget_reached()

    def __len__(self) -> int:
        """How many states there are."""
        return sum(1 for _ in _states(self._start)) - 1

    def size(self, anchor: Anchor) -> int:
        """How many blocks have the anchor already."""
        state: State | None = self._start
        for step in anchor.path:
            state = None if state is None else state.next.get(step)
        posting = None if state is None else state.posting(anchor.test)
        return 0 if posting is None else len(posting)

    def add(self, anchor: Anchor, block: int) -> None:
        """Anchors a block; the states that it shares with others stay as they are."""
        state = self._start
        for step in anchor.path:
            if step not in state.next:
                state.next[step] = State(state.depth + 1)
                self._forget_reached()
            state = state.next[step]
        if not state.anchors:
            self._forget_reached()
        state.add(anchor.test, block)

    def remove(self, anchor: Anchor, block: int) -> None:
        """Takes a block away, with the states that only it needed."""
        way = [self._start]
        for step in anchor.path:
            way.append(way[-1].next[step])
        way[-1].remove(anchor.test, block)
        if not way[-1].anchors:
            self._forget_reached()
        for before, step in zip(reversed(way[:-1]), reversed(anchor.path), strict=True):
            if before.next[step].next or before.next[step].anchors:
                break
            del before.next[step]

    def candidates(self, tree: Tree) -> Iterator[tuple[int, int]]:
        """Blocks whose anchor fits, each with the element that its pattern's first element would be mapped to."""
        at: list[Reached] = [self._first] * (max(tree.levels) + 1)
        for i, (name, level) in enumerate(zip(tree.names, tree.levels, strict=True)):
            before = at[level - 1]
            here = at[level] = before.next.get(name) or self._step(before, name)
            for state in here.anchored:
                for posting in _postings(state, tree, i):
                    first = tree.ancestor(i, state.depth)
                    for block in posting:
                        yield block, first

    def _step(self, before: Reached, name: str) -> Reached:
        """The states of an element of a name, given those of its parent; a pattern may begin at any element."""
        states = []
        for state in (self._start, *before.states):
            states += [after for step in (name, None) if (after := state.next.get(step)) is not None]
        if self._steps >= MAX_STEPS:
            self._forget_reached()
        self._steps += 1
        key = tuple(map(id, states))
        if key not in self._reached:
            self._reached[key] = Reached(tuple(states))
        before.next[name] = self._reached[key]
        return self._reached[key]

    def _forget_reached(self) -> None:
        self._first = Reached(())
        self._reached: dict[tuple[int, ...], Reached] = {}
        self._steps = 0


def _postings(state: State, tree: Tree, i: int) -> list[Posting]:
    """The blocks whose test the element passes; a list, because there is one for every element and state."""
    found = [state.plain] if state.plain else []
    if state.texts:
        posting = state.texts.get(tree.text(i))
        if posting is not None:
            found.append(posting)
    if state.attributes:
        for name, value in tree.element(i).attrib.items():
            posting = state.attributes.get(str(name), {}).get(str(value))
            if posting is not None:
                found.append(posting)
    return found


def _drop(table: dict[str, Posting], value: str, block: int) -> None:
    del table[value][block]
    if not table[value]:
        del table[value]


def _states(state: State) -> Iterator[State]:
    yield state
    for after in state.next.values():
        yield from _states(after)
