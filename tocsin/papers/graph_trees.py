"""Matching trees of an event: built with partial verification (SBPV), then verified (BEBV).

Circles are partial maps, squares are patterns. A circle is an AND over its squares, a square an OR
over its circles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tocsin.engine.graphs.encoding import HOME, EncodedGraph
from tocsin.engine.graphs.work import LIMIT, Budget, Undecided
from tocsin.papers.graph_statements import (
    StatementEntries,
    StatementType,
    TypedStatement,
    arcs_from_home,
    find_typed_statements,
    type_of,
)
from tocsin.plan.nodes.graphs import (
    GraphPattern,
    Home,
    Injective,
    StatementPattern,
    Variable,
    Vertex,
)
from tocsin.values.terms import Literal


@dataclass(slots=True, eq=False)
class Circle:
    """All pairs collected from the root to here, and the ids along that path."""

    map: Mapping[Vertex, int]
    path: tuple[Vertex, ...]
    parent: Square | None = None
    squares: list[Square] = field(default_factory=list)
    unchecked: int = 0
    checked: bool = False


@dataclass(slots=True, eq=False)
class Square:
    """A pattern of the subscription whose subject has an image.

    `accepted` are the pairs of vertices that it has accepted.
    """

    tree: PaperTree
    parent: Circle
    statement: StatementPattern
    circles: list[Circle] = field(default_factory=list)
    accepted: set[tuple[int, int]] = field(default_factory=set)
    checked: bool = False


@dataclass(slots=True, eq=False)
class PaperTree:
    """The tree of one subscription for one event."""

    pattern: GraphPattern
    by_subject: Mapping[Vertex, list[StatementPattern]]
    root: Circle
    circles: int = 1
    squares: int = 0
    full: bool = False
    """True if it stopped growing at the limit, so that it decides nothing."""

    @property
    def nodes(self) -> int:
        """Number of circles and squares, as the paper counts them."""
        return self.circles + self.squares


def squares_below(circle: Circle) -> Iterator[Square]:
    """Yield all squares below a circle, from the root on."""
    for square in circle.squares:
        yield square
        for each in square.circles:
            yield from squares_below(each)


# Building, with partial verification (spec 4.4, 4.5).
#
# Every arc is traversed once, from home outwards. A pattern that accepts a statement creates a
# circle; the patterns that start at its end are derived from it. They wait for later statements,
# and are tested against earlier ones (the retroactive step). A tree is created when one of its
# home patterns first accepts a statement.

NODE_LIMIT = 100_000
"""Most nodes of one tree; a larger tree is undecided."""


@dataclass(frozen=True, slots=True)
class HomePattern:
    """A pattern that starts at home: it waits at its entry between events, too."""

    slot: int
    place: int


class PaperSubscription:
    """A pattern by the subjects of its statements; repeated statements count once."""

    __slots__ = ("by_subject", "pattern", "slot")

    def __init__(self, slot: int, pattern: GraphPattern) -> None:
        self.slot = slot
        self.pattern = pattern
        self.by_subject: dict[Vertex, list[StatementPattern]] = {}
        for statement in dict.fromkeys(pattern.statements):
            self.by_subject.setdefault(statement.subject, []).append(statement)

    @property
    def has_paths(self) -> bool:
        """True if a statement is repeated."""
        return any(each.repeated for each in self.pattern.statements)

    @property
    def home_statements(self) -> list[StatementPattern]:
        """The statements below the root of its tree."""
        return self.by_subject[Home()]


class Building:
    """The trees of one event, by the slot of their subscription."""

    __slots__ = (
        "_done",
        "_entries",
        "_graph",
        "_limit",
        "_resting",
        "_subscriptions",
        "_waiting",
        "trees",
    )

    def __init__(
        self,
        graph: EncodedGraph,
        entries: StatementEntries,
        resting: Mapping[StatementType, Mapping[HomePattern, None]],
        subscriptions: Mapping[int, PaperSubscription],
        limit: int = NODE_LIMIT,
    ) -> None:
        self.trees: dict[int, PaperTree] = {}
        self._graph = graph
        self._entries = entries
        self._resting = resting
        self._subscriptions = subscriptions
        self._limit = limit
        self._waiting: dict[StatementType, list[Square]] = {}
        self._done: dict[int, list[TypedStatement]] = {}

    def build(self, repeated: Iterable[str]) -> None:
        """Traverse the event; `repeated` are the properties whose paths are needed."""
        for arc in arcs_from_home(self._graph, self._entries.ontology, repeated):
            for statement in find_typed_statements(arc):
                self._done.setdefault(statement.subject, []).append(statement)
                for entry in self._entries.at_or_above(
                    statement.type, literal=statement.is_literal()
                ):
                    self._offer(entry, statement)

    def _offer(self, entry: StatementType, statement: TypedStatement) -> None:
        """Test a statement against all patterns that wait at an entry."""
        waiting = list(self._waiting.get(entry, ()))
        if statement.subject == HOME:
            for each in self._resting.get(entry, ()):
                self._wake(each, statement)
        for square in waiting:
            self._attempt(square, statement)

    def _wake(self, waiting: HomePattern, statement: TypedStatement) -> None:
        """Test a statement against a home pattern, whose tree may not exist yet."""
        subscription = self._subscriptions[waiting.slot]
        tree = self.trees.get(waiting.slot)
        if tree is None:
            tree = new_tree(subscription)
            if not self._accepts(tree.root.squares[waiting.place], statement):
                return
            self.trees[waiting.slot] = tree
        self._attempt(tree.root.squares[waiting.place], statement)

    def _attempt(self, square: Square, statement: TypedStatement) -> None:
        pair = (statement.subject, statement.object)
        if pair in square.accepted or square.tree.full or not self._accepts(square, statement):
            return
        square.accepted.add(pair)
        circle = self._grown(square, statement)
        target = square.statement.object
        derived = [] if target in square.parent.path else square.tree.by_subject.get(target, [])
        if not derived:
            _check_circle(circle)
            return
        circle.unchecked = len(derived)
        circle.squares = [Square(square.tree, circle, each) for each in derived]
        self._count(square.tree, len(derived))
        for each in circle.squares:
            self._waiting.setdefault(type_of(each.statement), []).append(each)
        for each in circle.squares:
            self._show_done(each)

    def _show_done(self, square: Square) -> None:
        """Test earlier statements of the subject against a new pattern: the retroactive step."""
        subject = square.parent.map[square.statement.subject]
        own = type_of(square.statement)
        for statement in list(self._done.get(subject, ())):
            if own in self._entries.at_or_above(statement.type, literal=statement.is_literal()):
                self._attempt(square, statement)

    def _accepts(self, square: Square, statement: TypedStatement) -> bool:
        """True if the pattern accepts the statement (spec 4.3); the entry ensures that its type
        fits.
        """
        wanted, known = square.statement, square.parent.map
        if known[wanted.subject] != statement.subject:
            return False
        image = known.get(wanted.object)
        if image is None and not isinstance(wanted.object, Variable | Home):
            image = self._graph.number(wanted.object)
            if image is None:
                return False
        return image in (None, statement.object) and self._graph.passes(
            wanted.filter, statement.term
        )

    def _grown(self, square: Square, statement: TypedStatement) -> Circle:
        wanted, above = square.statement, square.parent
        pairs = {**above.map, wanted.subject: statement.subject, wanted.object: statement.object}
        circle = Circle(pairs, (*above.path, wanted.object), square)
        square.circles.append(circle)
        square.tree.circles += 1
        self._count(square.tree, 0)
        return circle

    def _count(self, tree: PaperTree, squares: int) -> None:
        tree.squares += squares
        tree.full = tree.nodes > self._limit


def new_tree(subscription: PaperSubscription, *, full: bool = False) -> PaperTree:
    """Return a tree with the root and the home squares."""
    root = Circle({Home(): HOME}, (Home(),))
    tree = PaperTree(subscription.pattern, subscription.by_subject, root)
    root.squares = [Square(tree, root, each) for each in subscription.home_statements]
    root.unchecked = tree.squares = len(root.squares)
    tree.full = full
    return tree


def _check_circle(circle: Circle) -> None:
    """SBPV: mark a complete circle as checked, and what is complete above it."""
    circle.checked = True
    square = circle.parent
    if square is None or square.checked:
        return
    square.checked = True
    square.parent.unchecked -= 1
    if not square.parent.unchecked:
        _check_circle(square.parent)


# BEBV: the tree as a Boolean expression over pairs; it is satisfiable iff branches agree (4.6).
#
# The value of a leaf circle is its map, of a square the union of its circles', of a circle the
# join of its squares': two maps join if one id has one image (rule 4) and different ids have
# different ones (rule 5). Maps are found one by one, and every attempted join counts: beyond the
# limit the tree is undecided.

Map: TypeAlias = Mapping[Vertex, int]


class Verification:
    """The maps of a tree."""

    __slots__ = ("_budget", "_graph", "_injective", "_tree")

    def __init__(self, tree: PaperTree, graph: EncodedGraph, limit: int = LIMIT) -> None:
        self._tree = tree
        self._graph = graph
        self._injective = tree.pattern.injective
        self._budget = Budget(limit)

    def maps(self) -> Iterator[Map]:
        """Return an iterator over the maps of the root; maps may repeat.

        Raises Undecided if the tree or the joins exceed their limit.
        """
        if self._tree.full:
            raise Undecided
        return self._of_circle(self._tree.root) if self._tree.root.checked else iter(())

    def _of_circle(self, circle: Circle) -> Iterator[Map]:
        if not self._has_distinct_images(circle.map):
            return iter(())
        return self._join_maps(circle.map, circle.squares)

    def _of_square(self, square: Square) -> Iterator[Map]:
        for circle in square.circles:
            yield from self._of_circle(circle)

    def _join_maps(self, known: Map, squares: Sequence[Square]) -> Iterator[Map]:
        if not squares:
            yield known
            return
        for found in self._of_square(squares[0]):
            self._budget.spend()
            merged = {**known, **found}
            if all(
                merged[each] == image for each, image in known.items()
            ) and self._has_distinct_images(merged):
                yield from self._join_maps(merged, squares[1:])

    def _has_distinct_images(self, found: Map) -> bool:
        """Rule 5: True if images are distinct, as far as the pattern requires it."""
        images = [image for image in found.values() if not self._exempt(image)]
        return len(images) == len(set(images))

    def _exempt(self, image: int) -> bool:
        if self._injective is Injective.RESOURCES:
            return isinstance(self._graph.terms[image], Literal)
        return self._injective is Injective.NONE
