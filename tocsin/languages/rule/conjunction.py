"""Measures in one AND: those of the same events and the same window become one window.

`COUNT(b) >= 3 OVER 1m AND SUM(b.v) > 5 OVER 1m` requires both at one instant, as HAVING does over
one window. Measures of other events or of another window stay parts of a join.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from tocsin.plan.nodes.composites import HIDDEN, Join, Named, Part, Sliding
from tocsin.plan.nodes.rewriting import with_parts

PAIRED_MEASURES = "PairedMeasures"


@dataclass(frozen=True, slots=True)
class MergedConjunction:
    """Parts of an AND after merging, by the number of the first part that each was made of.

    `aliases` maps names of merged measures to the name that stands for all of them; `groups` has
    the numbers of the measures that were merged into a part.
    """

    parts: dict[int, Part]
    aliases: dict[str, str]
    groups: dict[int, list[int]]

    @property
    def measures(self) -> list[int]:
        """The numbers of the parts that are measures, or joins in any order that have some."""
        return [number for number, part in self.parts.items() if any(_measures_in(part))]


def merge_measures(parts: Sequence[Part]) -> MergedConjunction:
    """Return the parts with one part for all measures of the same events and the same window.

    It takes the place of the first of them and has the names of all.
    """
    windows: dict[Hashable, list[_Measure]] = {}
    merged: dict[int, Part] = {}
    for number, part in enumerate(parts):
        measure = _measure_in(number, part)
        if measure is None:
            merged[number] = part
        else:
            windows.setdefault(_window_of(measure.sliding), []).append(measure)
    aliases: dict[str, str] = {}
    for group in windows.values():
        merged[group[0].number] = _merge(group, aliases)
    groups = {group[0].number: [each.number for each in group] for group in windows.values()}
    several = {first: numbers for first, numbers in groups.items() if len(numbers) > 1}
    return MergedConjunction(dict(sorted(merged.items())), aliases, several)


@dataclass(frozen=True, slots=True)
class _Measure:
    """A part that is a measure: its number in the AND and its names, the outer ones first."""

    number: int
    names: list[str]
    sliding: Sliding


def _measures_in(part: Part) -> Iterator[bool]:
    match part:
        case Sliding():
            yield True
        case Named(_, inner):
            yield from _measures_in(inner)
        case Join(parts, ()):
            for each in parts:
                yield from _measures_in(each)
        case _:
            pass


def _measure_in(number: int, part: Part) -> _Measure | None:
    names = []
    while isinstance(part, Named) and part.elements is None:
        names.append(part.name)
        part = part.part
    return _Measure(number, names, part) if isinstance(part, Sliding) else None


def _window_of(sliding: Sliding) -> Hashable:
    """Return the values that two measures must share to be over the same window."""
    counted = _without_hidden_names(sliding.part)
    settings = (sliding.over, sliding.every, sliding.ring, sliding.by, sliding.each, sliding.keep)
    return (counted, settings)


def _without_hidden_names(part: Part) -> Part:
    inner = with_parts(part, _without_hidden_names)
    if isinstance(inner, Named) and inner.name.startswith(HIDDEN):
        return replace(inner, name=HIDDEN)
    return inner


def _merge(group: list[_Measure], aliases: dict[str, str]) -> Part:
    first, *others = group
    also = (*first.sliding.also, *(each for other in others for each in other.sliding.conditions))
    names = [name for measure in group for name in measure.names]
    visible = [each for each in names if not each.startswith(HIDDEN)]
    kept = visible or names[:1]
    aliases.update((each, kept[0]) for each in names if each != kept[0])
    whole: Part = replace(first.sliding, also=also)
    for name in reversed(kept):
        whole = Named(name, whole)
    return whole
