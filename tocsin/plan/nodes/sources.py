"""Source texts of the parts of a plan: the subscriber's own words for each part.

An explanation quotes them. They stand beside the plan, not in it: nodes and wire form have none.
Of equal parts the first text counts; a part without an entry is described by its operator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tocsin.plan.nodes.composites import Named, Only, Part, parts_of

Sources = Mapping[Part, str]

NO_SOURCES: Sources = MappingProxyType({})


class SourceRecorder(dict[Part, str]):
    """Source texts while a text is lowered."""

    def add(self, part: Part, text: str) -> Part:
        """Record the text of a part unless it has one; return the part."""
        self.setdefault(part, text)
        return part

    def replace(self, before: Part, after: Part) -> Part:
        """Give the parts of `after` the texts of those that they replace; return `after`."""
        if before is not after:
            for old, new in pair_parts(before, after):
                if old in self:
                    self.setdefault(new, self[old])
        return after


def move_sources(sources: Sources, before: Part, after: Part) -> Sources:
    """Return the source texts of a pattern that passes have changed from `before` to `after`."""
    recorder = SourceRecorder(sources)
    recorder.replace(before, after)
    return recorder


def pair_parts(before: Part, after: Part) -> Iterator[tuple[Part, Part]]:
    """Yield each part of a pattern with the one that replaces it in a changed pattern.

    A filter or a name may have been put around a part or removed. Where the shape differs in
    another way, the parts inside have no pairs.
    """
    if before == after:
        return
    if _is_wrapped(before, after):
        yield from pair_parts(before, parts_of(after)[0])
        return
    yield before, after
    if _is_wrapped(after, before):
        yield from pair_parts(parts_of(before)[0], after)
        return
    old, new = parts_of(before), parts_of(after)
    if type(before) is type(after) and len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield from pair_parts(one, other)


def _is_wrapped(part: Part, whole: Part) -> bool:
    """True if the whole is a filter or a name around the part, maybe changed."""
    if not isinstance(whole, Only | Named):
        return False
    return type(part) is not type(whole) or part == whole.part
