"""All atoms, each matched by the matcher of its family: conditions, graphs, concepts, XML blocks.

A family is loaded and its matcher created for its first atom; the matcher is dropped with the last.
The remainder of a slot number gives the family.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.engine.index.matcher_parts import Hits, WorkCounters
from tocsin.errors import EventProblem, StateProblem, name_taken
from tocsin.events.event import Event
from tocsin.lazy_import import LazyModule
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.atoms import Atom, Condition
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.graphs import GraphPattern, Strategy
from tocsin.plan.xml.xml_patterns import XmlBlock

if TYPE_CHECKING:
    from tocsin.engine.concepts import matcher as concepts
    from tocsin.engine.graphs import matcher as graphs
    from tocsin.engine.xml import matcher as xml
    from tocsin.papers import graph_matcher as paper
else:
    concepts = LazyModule("tocsin.engine.concepts.matcher")
    graphs = LazyModule("tocsin.engine.graphs.matcher")
    paper = LazyModule("tocsin.papers.graph_matcher")
    xml = LazyModule("tocsin.engine.xml.matcher")


class AtomMatcher(Protocol):
    """Interface of a family's matcher, as the engine needs it."""

    def __len__(self) -> int: ...
    def __contains__(self, key: object) -> bool: ...
    def add(self, key: str, atom: Any) -> None: ...
    def remove(self, key: str) -> None: ...
    def match(self, batch: EventBatch) -> Hits: ...
    def key_of(self, slot: int) -> str: ...
    def keys_of(self, slots: Iterable[int]) -> list[str]: ...


class JudgingMatcher(AtomMatcher, Protocol):
    """A matcher that may leave an event undecided, warn about it or refuse it.

    The results are of the last batch, by the index of the event.
    """

    undecided: list[tuple[int, str]]
    warned: list[tuple[int, EventProblem]]
    refused: dict[int, EventProblem]


_FAMILIES: tuple[type, ...] = (Condition, GraphPattern, ConceptTest, XmlBlock)
_PAPER = len(_FAMILIES)
"""The family of graph patterns that request the paper's algorithm."""
_COUNT = len(_FAMILIES) + 1


def _family(atom: Atom) -> int:
    is_paper = isinstance(atom, GraphPattern) and atom.strategy is Strategy.PAPER
    return _PAPER if is_paper else _FAMILIES.index(type(atom))


def _matcher_of(family: int) -> JudgingMatcher:
    """Create the matcher of a family other than conditions; loads its module."""
    match family:
        case 1:
            return graphs.GraphMatcher()
        case 2:
            return concepts.ConceptMatcher()
        case 3:
            return xml.BlockMatcher()
        case _:
            return paper.PaperMatcher()


class AtomMatchers:
    """Atoms by key; keys are unique over all families."""

    __slots__ = ("_judging", "_matchers", "work")

    def __init__(self, make_conditions: Callable[[], Matcher | ScanMatcher] = Matcher) -> None:
        conditions = make_conditions()
        self._matchers: list[AtomMatcher | None] = [conditions, *[None] * (_COUNT - 1)]
        self._judging: tuple[JudgingMatcher, ...] = ()  # all but conditions: read after every batch
        self.work: WorkCounters = conditions.work

    def __len__(self) -> int:
        return sum(len(each) for each in self._matchers if each is not None)

    def __contains__(self, key: object) -> bool:
        conditions = self._matchers[0]
        assert conditions is not None
        return key in conditions or any(key in each for each in self._judging)

    def add(self, key: str, atom: Atom) -> None:
        """Add an atom; raise for a known key, and change nothing then."""
        if key in self:
            raise name_taken(key)
        family = _family(atom)
        matcher = self._matchers[family]
        if matcher is None:
            matcher = self._matchers[family] = _matcher_of(family)
            self._note_judging()
        matcher.add(key, atom)

    def remove(self, key: str) -> None:
        """Remove an atom and all state that only it used."""
        family = next(
            (
                number
                for number, each in enumerate(self._matchers)
                if each is not None and key in each
            ),
            0,
        )
        matcher = self._matchers[family]
        assert matcher is not None
        matcher.remove(key)
        if family and not len(matcher):
            self._matchers[family] = None
            self._note_judging()

    def match(self, batch: EventBatch) -> Hits:
        """Return the atoms that hold for each event, by event, then by family."""
        found = [
            (number, each.match(batch))
            for number, each in enumerate(self._matchers)
            if each is not None
        ]
        if len(found) == 1:
            return Hits(found[0][1].events, found[0][1].slots * _COUNT)
        events = np.concatenate([hits.events for _, hits in found])
        slots = np.concatenate([hits.slots * _COUNT + number for number, hits in found])
        order = np.argsort(events, kind="stable")
        return Hits(events[order], slots[order])

    @property
    def undecided(self) -> list[tuple[int, str]]:
        """The pairs of event index and key of the last batch that exceeded the work limits."""
        return [pair for each in self._judging for pair in each.undecided]

    @property
    def warned(self) -> list[tuple[int, EventProblem]]:
        """The pairs of event index and warning of the last batch, each once.

        The events are processed anyway.
        """
        found = [pair for each in self._judging for pair in each.warned]
        return list(
            {(index, each.code, each.token): (index, each) for index, each in found}.values()
        )

    @property
    def refused(self) -> dict[int, EventProblem]:
        """The events of the last batch, by index, without a valid graph or contradicting a TBox."""
        found: dict[int, EventProblem] = {}
        for each in self._judging:
            found |= each.refused
        return found

    def _note_judging(self) -> None:
        """Update the list of matchers of families other than conditions."""
        there = (each for each in self._matchers[1:] if each is not None)
        self._judging = tuple(cast(JudgingMatcher, each) for each in there)

    def key_of(self, slot: int) -> str:
        """Return the key of a slot."""
        matcher = self._matchers[slot % _COUNT]
        if matcher is None:
            raise StateProblem(f"slot {slot} has no subscription", code="UnknownSubscriptionError")
        return matcher.key_of(slot // _COUNT)

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """Return the keys of slots, one by one; fast if all are of one family."""
        numbers = np.asarray(slots)
        families = np.unique(numbers % _COUNT)
        matcher = self._matchers[families[0]] if len(families) == 1 else None
        if matcher is not None:
            keys: list[str] = matcher.keys_of(numbers // _COUNT)
            return keys
        return [self.key_of(slot) for slot in numbers.tolist()]

    def rows(self, atom: Atom, event: Event) -> Rows:
        """Return the bindings of an event that is an occurrence of a known atom."""
        if isinstance(atom, Condition):
            return NOTHING_BOUND
        matcher: Any = self._matchers[_family(atom)]
        rows: Rows = matcher.rows(atom, event)
        return rows
