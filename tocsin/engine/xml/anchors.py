"""Choice of a block's anchor: the path and test that the fewest blocks share."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.engine.xml.automaton import Automaton, BlockAnchor, Path
from tocsin.plan.xml.xml_patterns import PatternElement, XmlBlock


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
