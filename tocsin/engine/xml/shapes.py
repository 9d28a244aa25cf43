"""Shapes: the conditions of a pattern on elements, without variables. Equal shapes are shared by
all blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tocsin.engine.xml.path_automaton import PathAutomaton
from tocsin.plan.xml.xml_patterns import PatternElement


@dataclass(frozen=True, slots=True)
class TextProbe:
    """Position, in levels below, of an element with a name and text that a shape must have."""

    down: int
    name: str
    text: str


_Key: TypeAlias = tuple[object, ...]
"""Name or path, text, attributes, and level and shape of each child; flat, because there are many.
"""


@dataclass(slots=True, eq=False)
class ElementShape:
    """Name, text, attributes (None: any name, any value), and shapes at levels below, in order.

    A path defines the possible positions of the shape, from a parent's element or from anywhere.
    """

    number: int
    key: _Key
    name: str | None
    text: str | None
    attributes: tuple[tuple[str | None, str | None], ...]
    children: tuple[tuple[int, ElementShape], ...]
    probe: TextProbe | None
    path: PathAutomaton | None = None
    uses: int = 0


class ElementShapes:
    """All shapes in use, with reference counts."""

    __slots__ = ("_numbers", "_shapes")

    def __init__(self) -> None:
        self._shapes: dict[_Key, ElementShape] = {}
        self._numbers = 0

    def __len__(self) -> int:
        return len(self._shapes)

    def use(self, pattern: PatternElement) -> ElementShape:
        """Count one more use of a pattern's shape; return it."""
        children = tuple((child.rel, self.use(child)) for child in pattern.children)
        attributes = tuple((test.name, test.value) for test in pattern.attributes)
        below = (number for rel, child in children for number in (rel, child.number))
        key = (pattern.path or pattern.name, pattern.text, attributes, *below)
        shape = self._shapes.get(key)
        if shape is None:
            self._numbers += 1
            probe = _probe(pattern, children)
            path = None if pattern.path is None else PathAutomaton(pattern.path)
            shape = ElementShape(
                self._numbers, key, pattern.name, pattern.text, attributes, children, probe, path
            )
            self._shapes[key] = shape
        shape.uses += 1
        return shape

    def release(self, shape: ElementShape) -> None:
        """Count one use less; remove a shape with its last use."""
        shape.uses -= 1
        for _, child in shape.children:
            self.release(child)
        if not shape.uses:
            del self._shapes[shape.key]


def _probe(
    pattern: PatternElement, children: tuple[tuple[int, ElementShape], ...]
) -> TextProbe | None:
    if pattern.text is not None and pattern.name is not None:
        return TextProbe(0, pattern.name, pattern.text)
    for rel, child in children:
        if child.probe is not None and child.path is None:
            return TextProbe(child.probe.down + rel, child.probe.name, child.probe.text)
    return None
