"""Source texts of the parts of a plan: the subscriber's own words for each part.

An explanation quotes them. They stand beside the plan, not in it: nodes and wire form have none.
Of equal parts the first text counts; a part without an entry is described by its operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from tocsin.plan.nodes.composites import Named, Only, Part, parts_of

Sources = Mapping[Part, str]

NO_SOURCES: Sources = MappingProxyType({})

_Text = str | Callable[[], str]


class SourceRecorder:
    """Record of the source texts of one text while it is lowered; nothing is worked out before
    `find` is called.
    """

    def __init__(self) -> None:
        self._added: list[tuple[Part, _Text]] = []
        self._replaced: list[tuple[Part, Part]] = []
        self._definitions: list[SourceRecorder] = []

    def add(self, part: Part, text: _Text) -> Part:
        """Record the text of a part, or a function that returns it; return the part."""
        self._added.append((part, text))
        return part

    def replace(self, before: Part, after: Part) -> Part:
        """Record that a part was replaced, which moves the texts of all parts inside it; return
        `after`.
        """
        if before is not after:
            self._replaced.append((before, after))
        return after

    def add_definition(self, recorder: SourceRecorder) -> None:
        """Add the record of a definition; the texts of its parts count where this has none."""
        self._definitions.append(recorder)

    def find(self) -> Sources:
        """Return the text of each part; of equal parts the first."""
        found = {part: text for each in self._definitions for part, text in each.find().items()}
        own: dict[Part, str] = {}
        for part, text in self._added:
            if part not in own:
                own[part] = text if isinstance(text, str) else text()
        for before, after in self._replaced:
            for old, new in pair_parts(before, after):
                for texts in (found, own):
                    if old in texts:
                        texts.setdefault(new, texts[old])
        return found | own


def move_sources(sources: Sources, before: Part, after: Part) -> Sources:
    """Return the source texts of a pattern that passes have changed from `before` to `after`."""
    moved = dict(sources)
    for old, new in pair_parts(before, after):
        if old in moved:
            moved.setdefault(new, moved[old])
    return moved


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
