"""Source texts of an E-XML-QL subscription: the patterns of a block, and parts of a time clause."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.languages.base.texts import Extent, TextSlices, enclose, extent_of
from tocsin.languages.exmlql.syntax import (
    ExmlqlSubscription,
    PatternItem,
    TimePart,
    XPathItem,
    extent,
)


class SourceTexts:
    """Pieces of the text of one subscription."""

    def __init__(self, text: str, subscription: ExmlqlSubscription) -> None:
        self._text = text
        self._subscription = subscription
        self._slices = TextSlices(text)

    def of_block(self, label: str) -> str:
        """Return the patterns of a block, in the order of the text."""
        items = [each for each in self._subscription.blocks if _label_of(each) == label]
        return " ".join(self._text[start:end] for start, end in map(self._extent, items))

    def of_where(self) -> str:
        """Return WHERE without the clauses that follow it."""
        return self._text[: min(self._ends(), default=None)].strip()

    def of_part(self, part: TimePart) -> str:
        """Return a part of the time clause."""
        return self._slices.piece(extent(part))

    def _extent(self, item: PatternItem | XPathItem) -> Extent:
        after = [each for each in (item.label, item.bind and item.bind.variable) if each]
        if isinstance(item, XPathItem):
            start = self._text.rfind("XPATH", 0, item.spot.offset)
            return enclose((start, start), extent_of(item.spot), *map(extent_of, after))
        start = self._text.rfind("<", 0, item.element.tag.spot.offset)
        end = self._text.index(">", extent_of(item.element.closing)[1]) + 1
        return enclose((start, end), *map(extent_of, after))

    def _ends(self) -> Iterator[int]:
        """Yield where each clause after WHERE starts."""
        subscription = self._subscription
        if subscription.time is not None:
            yield extent(subscription.time)[0]
        if subscription.mode is not None:
            yield subscription.mode.operator.offset
        for clause in (subscription.contexts, subscription.order, subscription.construct):
            if clause is not None:
                yield clause.spot.offset


def _label_of(item: PatternItem | XPathItem) -> str:
    return item.label.text if item.label else ""
