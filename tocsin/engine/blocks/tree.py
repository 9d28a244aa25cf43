"""A document laid out in lists, in document order: what is inside element i are the elements i + 1 to ends[i] - 1.

Texts and tables by name or text are made when first asked for, once for all blocks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from tocsin.events.views.canonical import own_text
from tocsin.events.views.document import Element

_NOTHING: Sequence[int] = ()


class Tree:
    """The elements of one document by their number."""

    __slots__ = ("_by_name", "_by_text", "_children", "_texts", "elements", "ends", "levels", "names", "parents")

    def __init__(self, root: Element) -> None:
        self.elements: list[Element] = list(root.iter())
        self.names: list[str] = [element.tag for element in self.elements]
        self.parents, self.levels, self.ends = _laid_out([len(element) for element in self.elements])
        self._texts: list[str | None] = [None] * len(self.elements)
        self._by_name: dict[str, list[int]] | None = None
        self._by_text: dict[str, dict[str, list[int]]] = {}
        self._children: dict[int, dict[str | None, list[int]]] = {}

    def __len__(self) -> int:
        return len(self.elements)

    def text(self, i: int) -> str:
        """The text directly in an element, without white space around it."""
        text = self._texts[i]
        if text is None:
            text = self._texts[i] = own_text(self.elements[i])
        return text

    def ancestor(self, i: int, levels: int) -> int:
        """The element so many levels up."""
        for _ in range(levels):
            i = self.parents[i]
        return i

    def named(self, name: str | None) -> Sequence[int]:
        """All elements of a name, or all."""
        if name is None:
            return range(len(self))
        if self._by_name is None:
            self._by_name = {}
            for i, each in enumerate(self.names):
                self._by_name.setdefault(each, []).append(i)
        return self._by_name.get(name, _NOTHING)

    def with_text(self, name: str, text: str) -> Sequence[int]:
        """All elements of a name with a text."""
        table = self._by_text.get(name)
        if table is None:
            table = self._by_text[name] = {}
            for i in self.named(name):
                table.setdefault(self.text(i), []).append(i)
        return table.get(text, _NOTHING)

    def below(self, i: int, levels: int, name: str | None, start: int) -> Sequence[int]:
        """The elements of a name exactly so many levels below element i, from number `start` on."""
        if levels == 1:
            found = self._named_children(i).get(name, _NOTHING)
            return found[bisect_left(found, start) :] if start > i + 1 else found
        level, names = self.levels[i] + levels, self.names
        return [
            each
            for each in range(max(start, i + levels), self.ends[i])
            if self.levels[each] == level and (name is None or names[each] == name)
        ]

    def _named_children(self, i: int) -> dict[str | None, list[int]]:
        table = self._children.get(i)
        if table is None:
            everyone: list[int] = []
            table = self._children[i] = {None: everyone}
            child, end, names, ends = i + 1, self.ends[i], self.names, self.ends
            while child < end:
                everyone.append(child)
                table.setdefault(names[child], []).append(child)
                child = ends[child]
        return table


def _laid_out(counts: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Parents, levels and ends, from how many children each element has, in document order."""
    parents, levels, ends = [-1] * len(counts), [1] * len(counts), [0] * len(counts)
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
