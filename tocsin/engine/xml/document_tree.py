"""A document as lists, in document order: the elements inside element i are i + 1 to ends[i] - 1.

Texts and tables by name or text are created on first access, once for all blocks. `ABOVE` is the
node above the outermost elements, of which there are several if a tree is the content of an
element.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from tocsin.engine.xml.path_automaton import START, PathAutomaton
from tocsin.events.views.canonical import XML_SPACE, own_text
from tocsin.events.views.document import Element

MAX_ELEMENTS_ONE_BY_ONE = 32
"""Most elements that are fetched one by one, from the root down."""

ABOVE = -1
"""Number of the node above the outermost elements: level 0, with all elements inside."""

_NOTHING: Sequence[int] = ()


class DocumentTree:
    """The elements of one document by their number."""

    __slots__ = (
        "_all",
        "_by_name",
        "_by_text",
        "_children",
        "_fetched_count",
        "_outermost",
        "_texts",
        "_trimmed",
        "ends",
        "levels",
        "names",
        "parents",
    )

    def __init__(self, outermost: Sequence[Element]) -> None:
        self._outermost = outermost
        self.names: list[str] = []
        self._texts: list[str | None] = []
        counts: list[int] = []
        for root in outermost:
            for element in root.iter():
                self.names.append(element.tag)
                self._texts.append(element.text)
                counts.append(len(element))
        self.parents, self.levels, self.ends = _laid_out(counts)
        self._trimmed: dict[int, str] = {}
        self._all: list[Element] | None = None
        self._fetched_count = 0
        self._by_name: dict[str, list[int]] | None = None
        self._by_text: dict[str, dict[str, list[int]]] = {}
        self._children: dict[int, dict[str | None, list[int]]] = {}

    def __len__(self) -> int:
        return len(self.names)

    def element(self, i: int) -> Element:
        """Return the element itself.

        Few are ever fetched, and holding all of them would keep the garbage collector busy.
        """
        if self._all is None:
            if self._fetched_count < MAX_ELEMENTS_ONE_BY_ONE:
                self._fetched_count += 1
                return self._reached(i)
            self._all = [element for root in self._outermost for element in root.iter()]
        return self._all[i]

    def text(self, i: int) -> str:
        """Return the text directly in an element, without white space around it."""
        text = self._trimmed.get(i)
        if text is None:
            leaf = self.ends[i] == i + 1
            text = (self._texts[i] or "").strip(XML_SPACE) if leaf else own_text(self.element(i))
            self._trimmed[i] = text
        return text

    def ancestor(self, i: int, levels: int) -> int:
        """Return the element `levels` levels up."""
        for _ in range(levels):
            i = self.parents[i]
        return i

    def named(self, name: str | None) -> Sequence[int]:
        """Return all elements with a name; all elements for None."""
        if name is None:
            return range(len(self))
        if self._by_name is None:
            self._by_name = {}
            for i, each in enumerate(self.names):
                self._by_name.setdefault(each, []).append(i)
        return self._by_name.get(name, _NOTHING)

    def with_text(self, name: str, text: str) -> Sequence[int]:
        """Return all elements with a name and a text."""
        table = self._by_text.get(name)
        if table is None:
            table = self._by_text[name] = {}
            for i in self.named(name):
                table.setdefault(self.text(i), []).append(i)
        return table.get(text, _NOTHING)

    def below(self, i: int, levels: int, name: str | None, start: int) -> Sequence[int]:
        """Return the elements with a name exactly `levels` below element i, from `start` on."""
        if levels == 1:
            found = self._named_children(i).get(name, _NOTHING)
            return found[bisect_left(found, start) :] if start > i + 1 else found
        level, names = self.level(i) + levels, self.names
        return [
            each
            for each in range(max(start, i + levels), self.end(i))
            if self.levels[each] == level and (name is None or names[each] == name)
        ]

    def reach(self) -> int:
        """Return the number of pairs of an element and one above it or itself.

        That is the most that a path from everywhere may pass.
        """
        return sum(self.levels)

    def level(self, i: int) -> int:
        """Return the level of an element; 0 for ABOVE."""
        return 0 if i == ABOVE else self.levels[i]

    def end(self, i: int) -> int:
        """Return the end of an element; the number of elements for ABOVE."""
        return len(self) if i == ABOVE else self.ends[i]

    def along(self, i: int, path: PathAutomaton) -> list[int]:
        """Return the elements that a path leads to from element i or ABOVE, in document order.

        With i itself if the path may be empty.
        """
        found = [i] if path.takes_no_steps else []
        names, levels, ends, accepting = self.names, self.levels, self.ends, path.accepting
        base, states = self.level(i), [START]
        each, end = i + 1, self.end(i)
        while each < end:
            depth = levels[each] - base
            after = path.move(states[depth - 1], names[each])
            if not after:
                each = ends[each]
                continue
            del states[depth:]
            states.append(after)
            if after & accepting:
                found.append(each)
            each += 1
        return found

    def along_anywhere(self, path: PathAutomaton) -> list[int]:
        """Return the elements that a path leads to from any element or ABOVE, in document order."""
        if path.takes_no_steps:
            return [ABOVE, *range(len(self))]
        found: list[int] = []
        states = [START]
        for each, (name, level) in enumerate(zip(self.names, self.levels, strict=True)):
            after = path.move(states[level - 1], name)
            del states[level:]
            states.append(after | START)
            if after & path.accepting:
                found.append(each)
        return found

    def _reached(self, i: int) -> Element:
        parent = self.parents[i]
        place = bisect_left(self._named_children(parent)[None], i)
        return self._outermost[place] if parent == ABOVE else self._reached(parent)[place]

    def _named_children(self, i: int) -> dict[str | None, list[int]]:
        table = self._children.get(i)
        if table is None:
            everyone: list[int] = []
            table = self._children[i] = {None: everyone}
            child, end, names, ends = i + 1, self.end(i), self.names, self.ends
            while child < end:
                everyone.append(child)
                table.setdefault(names[child], []).append(child)
                child = ends[child]
        return table


def _laid_out(counts: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Return parents, levels and ends, from the number of children of each element, in document
    order.
    """
    parents, levels, ends = [ABOVE] * len(counts), [1] * len(counts), [0] * len(counts)
    opened: list[int] = []
    left: list[int] = []
    for i, count in enumerate(counts):
        if opened:
            parents[i], levels[i] = opened[-1], len(opened) + 1
        opened.append(i)
        left.append(count)
        while left and not left[-1]:
            left.pop()
            ends[opened.pop()] = i + 1
            if left:
                left[-1] -= 1
    return parents, levels, ends
