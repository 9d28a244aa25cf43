"""Cost bound of an XPath expression in a document, computed before it is evaluated, equal on every
host.

The bound follows the evaluation of libxml2: nothing is cached between contexts, so that a predicate
is evaluated for every node it is applied to; the nodes of several contexts are merged by comparing
each with each, except on axes where no two contexts share a node; results are sorted if their order
is used. Four numbers are carried along a path for all its evaluations together: how often it starts
(`groups`), how many nodes it has reached (`pairs`), how many of them for one start at most
(`most`), and how often the same node was reached at most (`times`). A node has one parent, so that
children of different nodes are different nodes: this keeps the bound of `//a[b/c]` linear, as its
cost is.

One unit is about half a nanosecond, often less. An expression over the budget is undecided: it does
not match, and this is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from tocsin.plan.xml.xpath.shape import DocumentShape
from tocsin.plan.xml.xpath.syntax import (
    Chain,
    Expression,
    Filter,
    NodeTest,
    Number,
    Path,
    XPathCall,
    XPathLiteral,
    XPathMinus,
    XPathStep,
    XPathType,
    type_of,
)

BUDGET = 200_000_000
"""Units for any document."""
BUDGET_PER_ELEMENT = 2_000
BUDGET_PER_BYTE = 16
"""Additional units of a larger document, so that linear expressions are decided in the largest,
too.
"""

NODE, CONTEXT, CALL, COMPARISON, PAIR, TEXT = 16, 500, 250, 2, 16, 300
"""Units of reading a node, starting a step from one, evaluating a part of the expression, comparing
two nodes in a merge, comparing two values, and making the text of a node (without its characters).
"""

SEARCH = 3
"""Units of comparing two characters in a search for a text in another."""

CHARACTER = {"translate": 80, "normalize-space": 4, "substring": 8, "string-length": 4}
"""Units of a character in functions that read each; 1 in the others."""


@dataclass(frozen=True, slots=True)
class Starts:
    """Number of evaluations of an expression in all (`groups`), and with the same context node at
    most (`times`).
    """

    groups: int
    times: int


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes of all evaluations (see the module). `name` is the name of all of them, if they share
    one.

    `attributes`: all of them are attributes. `ordered`: each evaluation has them in document order;
    `disjoint`: and none of them inside another.
    """

    pairs: int
    most: int
    times: int
    name: str | None = None
    ordered: bool = True
    disjoint: bool = True
    attributes: bool = False


@dataclass(frozen=True, slots=True)
class Texts:
    """Characters of the texts of all evaluations, and of one at most."""

    total: int
    longest: int


_NUMBER_TEXT = 32
_NO_TEXT = Texts(0, 0)
_FORWARD = frozenset(
    ("child", "attribute", "self", "descendant", "descendant-or-self", "following-sibling")
)
_LEVEL = frozenset(("child", "attribute", "self"))
"""Axes on which no two contexts share a node; they keep `ordered` and `disjoint`."""


def budget_of(shape: DocumentShape) -> int:
    """Return the units that one expression may cost in one document."""
    return BUDGET + BUDGET_PER_ELEMENT * shape.elements + BUDGET_PER_BYTE * shape.size


class OverBudget(Exception):
    """Raised for an expression that is not decided for a document."""


def is_within_budget(
    expression: Expression,
    namespaces: Mapping[str, str],
    shape: DocumentShape,
    *,
    in_order: bool = True,
) -> bool:
    """True if an expression, shortened, is decided in a document of the shape.

    `in_order`: its nodes are used in document order.
    """
    return units_of(expression, namespaces, shape, in_order=in_order) <= budget_of(shape)


def units_of(
    expression: Expression,
    namespaces: Mapping[str, str],
    shape: DocumentShape,
    *,
    in_order: bool = True,
) -> int:
    """Return the upper bound of an expression's cost in a document of the shape."""
    bound = CostBound(shape, namespaces)
    found = bound.value(expression, Starts(1, 1))
    if in_order and isinstance(found, Nodes):
        bound.sort(found, 1)
    return bound.units


class CostBound:
    """Counter of the units of an expression, part by part."""

    __slots__ = ("_namespaces", "_shape", "units")

    def __init__(self, shape: DocumentShape, namespaces: Mapping[str, str]) -> None:
        self._shape = shape
        self._namespaces = namespaces
        self.units = 0

    def value(self, expression: Expression, starts: Starts) -> Nodes | Texts:
        """Return the nodes or texts of all evaluations; a number or truth value is a short text."""
        self.units += CALL * starts.groups
        match expression:
            case XPathLiteral(text):
                return Texts(starts.groups * len(text), len(text))
            case Number():
                return _NO_TEXT
            case XPathMinus(operand):
                self.text(operand, starts)
                return _NO_TEXT
            case Path():
                return self._path(expression, starts)
            case Filter(base, predicates):
                nodes = self._nodes(base, starts)
                self.sort(nodes, starts.groups)
                return self._filtered(nodes, predicates)
            case Chain(operands, operators):
                return self._chain(operands, operators, starts)
            case XPathCall(name, arguments):
                return self._call(name, arguments, starts)
            case _:
                assert_never(expression)

    def text(self, expression: Expression, starts: Starts) -> Texts:
        """Return the value as text: of nodes that of the first, which is found by sorting them."""
        found = self.value(expression, starts)
        if isinstance(found, Texts):
            return (
                found
                if type_of(expression) is XPathType.TEXT
                else Texts(_NUMBER_TEXT * starts.groups, _NUMBER_TEXT)
            )
        self.sort(found, starts.groups)
        return self._first_texts(found, starts.groups)

    def sort(self, nodes: Nodes, groups: int) -> None:
        """Add the cost of sorting nodes.

        A comparison goes up to the common ancestor of two nodes, and along its children.
        """
        if nodes.most < 2:
            return
        if nodes.ordered:
            self.units += NODE * min(nodes.pairs * 2, groups * self._shape.nodes)
        else:
            self.units += (
                nodes.pairs * nodes.most.bit_length() * (self._shape.depth + self._shape.fan)
            )

    def _nodes(self, expression: Expression, starts: Starts) -> Nodes:
        found = self.value(expression, starts)
        assert isinstance(found, Nodes), "checked when the expression was read"
        return found

    def _first_texts(self, nodes: Nodes, groups: int) -> Texts:
        return self._made(replace(nodes, pairs=min(nodes.pairs, groups)))

    def _made(self, nodes: Nodes) -> Texts:
        """Return the texts of nodes; add the cost of making them."""
        found = self._all_texts(nodes)
        self.units += TEXT * nodes.pairs + found.total
        return found

    def _all_texts(self, nodes: Nodes) -> Texts:
        """Return the texts of nodes.

        A character belongs to at most one node per level, and to each `times` times.
        """
        shape = self._shape
        if nodes.attributes:
            longest = shape.longest_attribute
            return Texts(min(nodes.pairs * longest, nodes.times * shape.attribute_size), longest)
        size, levels = shape.size, shape.inside(nodes.name)
        return Texts(min(nodes.pairs * size, nodes.times * size * levels), size)

    # Paths

    def _path(self, path: Path, starts: Starts) -> Nodes:
        if path.base is not None:
            nodes = self._nodes(path.base, starts)
        else:
            times = starts.groups if path.absolute else starts.times
            nodes = Nodes(starts.groups, 1, times)
        for step in path.steps:
            nodes = self._step(step, nodes, starts.groups)
        return nodes

    def _step(self, step: XPathStep, given: Nodes, groups: int) -> Nodes:
        out, into, total = self._axis(step.axis, given.name)
        seen = min(given.pairs * out, given.times * total)
        self.units += CONTEXT * given.pairs + NODE * seen
        count = self._count(step.axis, step.test)
        passing = min(seen, given.pairs * min(out, count), given.times * into * count)
        found = Nodes(
            passing, min(given.most * out, count), min(given.times * into, given.pairs), _name(step)
        )
        for predicate in step.predicates:
            self._predicate(predicate, found)
            if isinstance(predicate, Number):  # one position: at most one node for each context
                found = replace(
                    found, pairs=min(found.pairs, given.pairs), most=min(found.most, given.most)
                )
        return self._merged(step.axis, given, found, groups)

    def _merged(self, axis: str, given: Nodes, found: Nodes, groups: int) -> Nodes:
        """Return the nodes of one evaluation together, each once."""
        single = given.most == 1
        if not single and axis not in _LEVEL:
            self.units += COMPARISON * found.pairs * found.most
        pairs, times = min(found.pairs, groups * found.most), min(found.times, groups)
        apart = given.disjoint or (given.name is not None and self._shape.inside(given.name) == 1)
        ordered = axis in _FORWARD and (
            single or (given.ordered and apart and axis != "following-sibling")
        )
        stays = axis in _LEVEL or (single and axis == "following-sibling")
        name, of_attributes = self._expanded(found.name), axis == "attribute"
        return Nodes(
            pairs, found.most, times, name, ordered, ordered and apart and stays, of_attributes
        )

    def _filtered(self, nodes: Nodes, predicates: tuple[Expression, ...]) -> Nodes:
        for predicate in predicates:
            self._predicate(predicate, nodes)
        return nodes

    def _predicate(self, predicate: Expression, nodes: Nodes) -> None:
        self.value(predicate, Starts(nodes.pairs, min(nodes.times, nodes.pairs)))

    def _axis(self, axis: str, name: str | None) -> tuple[int, int, int]:
        """Return bounds for an axis: nodes from one context, contexts that reach one node, nodes in
        all.

        The last one is for all contexts together, each of them once.
        """
        shape = self._shape
        nodes, depth, fan = shape.nodes, shape.depth, shape.fan
        inside = shape.inside(name)
        match axis:
            case "self":
                return 1, 1, nodes
            case "child":
                return fan, 1, nodes
            case "attribute":
                return shape.attributes, 1, shape.attributes
            case "parent":
                return 1, fan, nodes
            case "descendant" | "descendant-or-self":
                return nodes, inside + 1, min(shape.levels + nodes, nodes * (inside + 1))
            case "ancestor" | "ancestor-or-self":
                return depth, nodes, shape.levels + nodes
            case "following-sibling" | "preceding-sibling":
                return fan, fan, shape.squares
            case _:
                return nodes, nodes, nodes * nodes

    def _count(self, axis: str, test: NodeTest) -> int:
        """Return the largest number of nodes of the document that pass the test."""
        if axis == "attribute":
            return self._shape.attributes
        if test.kind:
            return self._shape.nodes
        return self._shape.count(None if test.name == "*" else self._expanded(_tested(test)))

    def _expanded(self, name: str | None) -> str | None:
        """Return a name as documents have it: with its namespace instead of its prefix."""
        prefix, _, local = (name or "").rpartition(":")
        return f"{{{self._namespaces[prefix]}}}{local}" if prefix in self._namespaces else name

    # Operators and functions

    def _chain(
        self, operands: tuple[Expression, ...], operators: tuple[str, ...], starts: Starts
    ) -> Nodes | Texts:
        if operators[0] == "|":
            return self._union(operands, starts)
        if operators[0] in ("=", "!=", "<", "<=", ">", ">="):
            self._comparison(operands, starts)
        else:
            truth = operators[0] in ("and", "or")
            for each in operands:
                self.value(each, starts) if truth else self.text(each, starts)
        return _NO_TEXT

    def _union(self, operands: tuple[Expression, ...], starts: Starts) -> Nodes:
        found = self._nodes(operands[0], starts)
        for operand in operands[1:]:
            other = self._nodes(operand, starts)
            self.units += COMPARISON * min(found.pairs * other.most, other.pairs * found.most)
            most = min(found.most + other.most, self._shape.nodes + self._shape.attributes)
            times = min(found.times + other.times, starts.groups)
            found = Nodes(
                found.pairs + other.pairs, most, times, None, ordered=False, disjoint=False
            )
        return found

    def _comparison(self, operands: tuple[Expression, ...], starts: Starts) -> None:
        """Add the cost of comparing the texts of all nodes, each with each.

        In a chain the left side of a later comparison is only a truth value.
        """
        sides = [self._compared(each, starts) for each in operands]
        (one, short), *others = sides
        for other, long in others:
            pairs = min(one.pairs * other.most, other.pairs * one.most)
            self.units += PAIR * pairs + min(short.total * other.most, long.total * one.most)

    def _compared(self, operand: Expression, starts: Starts) -> tuple[Nodes, Texts]:
        found = self.value(operand, starts)
        if isinstance(found, Texts):
            return Nodes(starts.groups, 1, starts.times), found
        return found, self._made(found)

    def _call(self, name: str, arguments: tuple[Expression, ...], starts: Starts) -> Nodes | Texts:
        if name in ("count", "boolean", "not"):
            found = self.value(arguments[0], starts)
            if name != "count" and isinstance(found, Nodes):
                self.sort(found, starts.groups)
            return _NO_TEXT
        if name in ("name", "local-name", "namespace-uri"):
            return self._name_of(name, arguments, starts)
        if name == "sum":
            nodes = self._nodes(arguments[0], starts)
            self.sort(nodes, starts.groups)
            self._made(nodes)
            return _NO_TEXT
        if name == "id":
            return self._by_id(arguments[0], starts)
        if name == "lang":
            self.units += NODE * starts.groups * self._shape.depth
        return self._text_function(name, arguments, starts)

    def _name_of(self, function: str, arguments: tuple[Expression, ...], starts: Starts) -> Texts:
        """Return the texts of names.

        Every name is in the document, so all together are at most its size; a namespace counts for
        each name.
        """
        times, size = starts.times, self._shape.size
        if arguments:
            nodes = self._nodes(arguments[0], starts)
            self.sort(nodes, starts.groups)
            times = nodes.times
        if function == "namespace-uri":
            longest = self._shape.longest_namespace
            found = Texts(longest * starts.groups, longest)
        else:
            found = Texts(min(size * starts.groups, size * times), size)
        self.units += found.total
        return found

    def _by_id(self, argument: Expression, starts: Starts) -> Nodes:
        found = self.value(argument, starts)
        texts = self._made(found) if isinstance(found, Nodes) else found
        most = min(texts.longest, self._shape.elements)
        self.units += PAIR * texts.total + COMPARISON * texts.total * most
        pairs = min(texts.total, starts.groups * most)
        return Nodes(pairs, most, starts.groups, None, ordered=False, disjoint=False)

    def _text_function(self, name: str, arguments: tuple[Expression, ...], starts: Starts) -> Texts:
        """Return the text of a text function.

        It costs units for each character, and a search for each pair of characters that it may
        compare.
        """
        given = [self.text(each, starts) for each in arguments]
        if not given and name in ("string", "string-length", "normalize-space", "number"):
            given = [self._first_texts(Nodes(starts.groups, 1, starts.times), starts.groups)]
        total = sum(each.total for each in given)
        self.units += total * CHARACTER.get(name, 1)
        if name in ("contains", "substring-before", "substring-after", "translate"):
            one, other = given[:2]
            self.units += SEARCH * min(
                one.total * min(other.longest, one.longest + 1), one.longest * other.total
            )
        return Texts(total, sum(each.longest for each in given))


def _name(step: XPathStep) -> str | None:
    """Return the name that all nodes of a step have, prefix included; None if they may differ."""
    return (
        None
        if step.axis == "attribute" or step.test.kind or step.test.name == "*"
        else _tested(step.test)
    )


def _tested(test: NodeTest) -> str:
    return f"{test.prefix}:{test.name}" if test.prefix else test.name
